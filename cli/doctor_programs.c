/* Programs that taskgen and its tasks use, and helpers of its own. */
#include "base/fs.h"
#include "cli/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct program {
    const char *name, *purpose, *package;
    bool needed;
} programs[] = {
    {"bwrap", "the box around targets", "bubblewrap", true},
    {"sh", "targets exec: and ssh:, and checks of your own", "dash", true},
    {"bash", "tasks with bash scripts", "bash", false},
    {"python3", "tasks with Python scripts, and scripts that show a finding", "python3", false},
    {"node", "tasks with JavaScript, and MCP servers of npm", "nodejs", false},
    {"cc", "tasks that build C", "gcc libc6-dev", false},
    {"java", "tasks that build Java", "default-jdk-headless", false},
    {"rustc", "tasks that build Rust", "rustc", false},
    {"chromium", "the target cdp:chromium", "chromium", false},
    {"ssh", "targets ssh:", "openssh-client", false},
    {"sqlite3", "looking into a database by hand", "sqlite3", false},
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

static void add_program(struct doctor *d, const struct program *p)
{
    char where[4096], how[256];
    bool found = in_path(p->name, where, sizeof where);
    snprintf(how, sizeof how, "apt-get install %s", p->package);
    const struct doctor_row row = {
        .name = p->name,
        .state = found ? DOCTOR_OK : p->needed ? DOCTOR_MISSING : DOCTOR_ABSENT,
        .found = found ? where : "not found",
        .purpose = p->purpose,
        .how = how,
        .package = p->package,
    };
    doctor_add(d, &row);
}

static void add_helper(struct doctor *d, const char *name, const char *purpose)
{
    struct error *err = NULL;
    char *path = fs_helper(name, &err);
    const struct doctor_row row = {
        .name = name,
        .state = path ? DOCTOR_OK : DOCTOR_MISSING,
        .found = path ? path : err ? err->text : "not found",
        .purpose = purpose,
        .how = "install taskgen as a whole, or set TASKGEN_LIBEXEC to where it lies",
    };
    doctor_add(d, &row);
    error_free(err);
    free(path);
}

void doctor_programs(struct doctor *d)
{
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        add_program(d, &programs[i]);
    add_helper(d, "taskgen-agent", "sessions in the box");
    add_helper(d, "leakybox", "the target demo");
}
