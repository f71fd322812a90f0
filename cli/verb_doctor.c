/* doctor: what this machine allows and what it lacks, with the command that helps. */
#include "base/fs.h"
#include "cli/verbs.h"
#include "exec/observe/observer.h"
#include "exec/target/box.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct program {
    const char *name;
    const char *why;
    const char *how;
    bool needed;
};

static const struct program programs[] = {
    {"bwrap", "the box around targets", "apt-get install bubblewrap", true},
    {"python3", "tasks with Python scripts", "apt-get install python3", false},
    {"node", "MCP servers from npm", "scripts/test installs one for the tests", false},
    {"cc", "tasks that build C", "apt-get install gcc libc6-dev", false},
    {"java", "tasks that build Java", "apt-get install default-jdk-headless", false},
    {"sqlite3", "looking into a database by hand", "apt-get install sqlite3", false},
};

static bool in_path(const char *name, char *where, size_t size)
{
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
        size_t length = strcspn(at, ":");
        if (snprintf(where, size, "%.*s/%s", (int)length, at, name) < (int)size && !access(where, X_OK))
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

static bool add_helper(struct buf *out, const char *name)
{
    struct error *err = NULL;
    char *path = fs_helper(name, &err);
    buf_addf(out, "%-8s %-12s %s\n", path ? "ok" : "MISSING", name, path ? path : err ? err->text : "");
    error_free(err);
    free(path);
    return path != NULL;
}

static int run_doctor(const struct verb *v, struct cli_args *args)
{
    struct settings settings;
    int status = cli_settings(v, args, &settings);
    if (status)
        return status;
    struct buf out;
    buf_init(&out, 1 << 20);
    bool usable = true;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        const struct program *p = &programs[i];
        char where[4096];
        bool found = in_path(p->name, where, sizeof where);
        usable &= found || !p->needed;
        buf_addf(&out, "%-8s %-12s ", found ? "ok" : p->needed ? "MISSING" : "absent", p->name);
        if (found)
            buf_addf(&out, "%s\n", where);
        else
            buf_addf(&out, "for %s: %s\n", p->why, p->how);
    }
    usable &= add_helper(&out, "taskgen-agent");
    usable &= add_helper(&out, "leakybox");
    box_report(&settings, &out);
    observers_report(&settings, &out);
    status = cli_out(v, buf_bytes(&out));
    buf_release(&out);
    return status ? status : usable ? EXIT_CLEAN : EXIT_UNUSABLE;
}

static const struct cli_option *const options[] = {options_common, NULL};

const struct verb verb_doctor = {
    .name = "doctor",
    .usage = "",
    .summary = "say what this machine lacks, and how to get it",
    .details = "Looks for the programs taskgen and its tasks use, and tries what the box around targets is made of. Exit status 3\n"
               "when something is missing without which targets cannot be run safely.",
    .options = options,
    .run = run_doctor,
};
