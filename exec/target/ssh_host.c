/* Where ssh would go; see ssh_host.h. The client itself is asked (-G prints what its configuration comes to for these words), since
 * only it knows what Host, Match and HostName in its files make of a name. */
#include "exec/target/ssh_host.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/subprocess.h"
#include "exec/target/strings.h"
#include "exec/target/url.h"

enum { ASK_MS = 5000, ANSWER_MAX = 1 << 18 };

bool ssh_is_client(const char *word)
{
    const char *slash = strrchr(word, '/');
    return strcmp(slash ? slash + 1 : word, "ssh") == 0;
}

/* The rest of the line that begins with the key; NULL. Cuts the text into lines. */
static bool take_line(char **at, char **key, char **value)
{
    char *line = strsep(at, "\n");
    *value = line ? strchr(line, ' ') : NULL;
    if (*value)
        *(*value)++ = '\0';
    *key = line;
    return line != NULL;
}

/* Every way there must begin and end here: a jump host or a command in between may be anywhere. */
static bool answer_is_here(char *answer)
{
    bool named = false, here = true;
    char *key, *value;
    while (take_line(&answer, &key, &value)) {
        bool way = strcmp(key, "proxyjump") == 0 || strcmp(key, "proxycommand") == 0;
        if (way && value && strcmp(value, "none") != 0)
            here = false;
        if (strcmp(key, "hostname") == 0 && value) {
            named = true;
            here = here && url_is_here(value);
        }
    }
    return named && here;
}

bool ssh_is_here(char *const *words)
{
    struct strings argv = {0};
    struct buf out;
    int status = 0;
    buf_init(&out, ANSWER_MAX);
    strings_add_all(&argv, (const char *const[]){words[0], "-G", NULL});
    strings_add_all(&argv, (const char *const *)words + 1);
    bool asked = subprocess_run((const char *const *)argv.items, BYTES_NONE, ASK_MS, ANSWER_MAX, &out, NULL, &status, NULL) == 0 &&
                 WIFEXITED(status) && WEXITSTATUS(status) == 0;
    char *answer = xstrdup(buf_string(&out));
    bool here = asked && answer_is_here(answer);
    free(answer);
    buf_release(&out);
    strings_release(&argv);
    return here;
}
