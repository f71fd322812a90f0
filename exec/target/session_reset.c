/* A session between two tasks that share it: what the first left in root and home goes, what it used of the budgets is forgotten. The
 * target lives on, with whatever it keeps in its memory. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "exec/target/session_internal.h"
#include "exec/target/session_site.h"
#include "exec/target/tripwire.h"

/* Empties a directory and keeps it: it is the target's working directory. */
static bool empty(const char *path)
{
    DIR *dir = opendir(path);
    bool emptied = dir != NULL;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        char *inside = strings_printf("%s/%s", path, entry->d_name);
        struct error *err = NULL;
        if (fs_remove_tree(inside, &err) < 0) {
            error_free(err);
            emptied = false;
        }
        free(inside);
    }
    if (dir)
        closedir(dir);
    return emptied;
}

bool session_reset(struct session *s, bool files)
{
    if (!session_alive(s) || s->mounts || s->sockets || s->staged.count)
        return false;
    if (files && (s->driver->lives_in_home || !s->root_visible || !empty(s->root) || !empty(s->home)))
        return false;
    s->first_refused = false;
    s->calls_made = s->bytes_sent = s->tabs_open = 0;
    if (files)
        s->sent = (struct redact_set){0};
    if (s->driver->in_process)
        return true;
    session_disk_watch(s);
    session_site_reset(s);
    tripwires_free(s->tripwires); /* what has happened to them is the last task's */
    s->tripwires = tripwires_plant(s);
    return true;
}
