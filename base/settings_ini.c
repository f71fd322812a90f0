/* Settings from an INI file. */
#include "base/settings.h"

#include <stdio.h>
#include <string.h>

#include "base/ini_file.h"

enum { MAX_NAME = 256 };

static int take_setting(void *user, const char *section, const char *key, const char *value, struct error **err)
{
    char name[MAX_NAME];
    if (strcmp(section, "options") == 0 || strncmp(section, "options.", 8) == 0)
        return 0; /* what the command line may say: cli's */
    int length = snprintf(name, sizeof name, "%s%s%s", section, *section ? "." : "", key);
    if (length < 0 || (size_t)length >= sizeof name)
        return error_set(err, ERR_INPUT, "there is no setting '%.40s…'", name);
    return settings_set(user, name, value, err);
}

int settings_load(struct settings *s, const char *file, struct error **err)
{
    struct settings changed = *s; /* all of the file or nothing of it */
    TRY(ini_file_read(file, take_setting, &changed, err));
    *s = changed;
    return 0;
}
