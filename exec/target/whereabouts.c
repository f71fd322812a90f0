/* Where a session is on this machine, and what is there that should not be; see whereabouts.h. */
#include "exec/target/whereabouts.h"

#include <dirent.h>
#include <string.h>
#include <sys/socket.h>

#include "exec/target/session_base.h"
#include "exec/target/session_internal.h"
#include "exec/target/small_disk.h"
#include "exec/target/tripwire.h"

void session_whereabouts(const struct session *s, struct whereabouts *w)
{
    if (s->driver->in_process) {
        *w = (struct whereabouts){0};
        return;
    }
    *w = (struct whereabouts){
        .base = s->base,
        .mark = strrchr(s->base, '/') + 1,
        .agent_pid = s->agent ? agent_host_pid(s->agent) : 0,
        .main_pid = s->main_pid,
        .boxed = s->boxed,
        .tripwires = s->tripwires,
    };
    struct box_cgroup *group = s->agent ? agent_cgroup(s->agent) : NULL;
    w->pids_group = box_cgroup_dir(group, false, &w->pids_v2);
    w->memory_group = box_cgroup_dir(group, true, &w->memory_v2);
}

int session_sockdiag(struct session *s)
{
    return s->agent ? agent_socket(s->agent, AF_NETLINK) : -1;
}

void session_stop(struct session *s)
{
    session_shut(s);
}

void session_strays(const struct session *s, struct strings *out)
{
    static const char *const ours[] = {".", "..", "root", "home"};
    DIR *dir = opendir(s->base);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        bool known = tripwires_own(entry->d_name) || strings_have(s->staged.items, entry->d_name);
        known |= !s->boxed && strcmp(entry->d_name, "tmp") == 0; /* TMPDIR, see session_environment */
        for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
            known |= strcmp(entry->d_name, ours[i]) == 0;
        if (!known)
            strings_add(out, entry->d_name);
    }
    if (dir)
        closedir(dir);
}

void session_stray_mounts(const struct session *s, struct strings *out)
{
    struct strings all = {0};
    session_base_mounts(s->base, &all);
    for (size_t i = 0; i < all.count; i++)
        if (!small_disk_is(s, all.items[i]))
            strings_add(out, all.items[i]);
    strings_release(&all);
}

void session_inner_groups(const struct session *s, struct strings *out)
{
    struct box_cgroup *group = s->agent ? agent_cgroup(s->agent) : NULL;
    if (group)
        box_cgroup_inner(group, out);
}
