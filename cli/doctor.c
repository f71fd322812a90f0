/* The rows of doctor, and how they are printed; see doctor.h. */
#include "cli/doctor.h"

#include "base/json.h"

#include <stdlib.h>
#include <string.h>

void doctor_init(struct doctor *d, const struct settings *settings)
{
    *d = (struct doctor){.settings = settings};
    arena_init(&d->arena);
}

void doctor_release(struct doctor *d)
{
    free(d->rows);
    arena_release(&d->arena);
}

static const char *copied(struct doctor *d, const char *text)
{
    return text ? arena_string(&d->arena, bytes_of_string(text)) : "";
}

void doctor_add(struct doctor *d, const struct doctor_row *row)
{
    d->rows = xrealloc(d->rows, (d->count + 1) * sizeof *d->rows);
    d->rows[d->count++] = (struct doctor_row){
        .name = copied(d, row->name),
        .state = row->state,
        .found = copied(d, row->found),
        .purpose = copied(d, row->purpose),
        .how = copied(d, row->how),
        .package = row->package ? copied(d, row->package) : NULL,
    };
}

/* What helps where a report says no, by how the line begins. */
static const struct help {
    const char *name, *how;
    bool needed;
} helps[] = {
    {"box made by bubblewrap", "apt-get install bubblewrap, and user namespaces for users other than root", true},
    {"network namespace", "run as root, or in a container with --cap-add SYS_ADMIN", false},
    {"user namespace", "sysctl user.max_user_namespaces=15000; where AppArmor restricts them: sysctl kernel.apparmor_restrict_unprivileged_userns=0", false},
    {"pids cgroup", "run as root, or under systemd-run --user --scope -p Delegate=yes", false},
    {"memory cgroup", "run as root, or under systemd-run --user --scope -p Delegate=yes", false},
    {"observer of system calls", "run as root, or with the capabilities CAP_BPF and CAP_PERFMON", false},
    {"observer of code", "apt-get install nodejs", false},
};

static const struct help *help_for(const char *name)
{
    static const struct help none = {"", "", false};
    for (size_t i = 0; i < sizeof helps / sizeof *helps; i++)
        if (strncmp(name, helps[i].name, strlen(helps[i].name)) == 0)
            return &helps[i];
    return &none;
}

static void add_line(struct doctor *d, struct bytes line)
{
    ptrdiff_t colon = bytes_find(line, BYTES_LITERAL(": "), 0);
    if (colon < 0)
        return;
    const char *name = arena_string(&d->arena, bytes_slice(line, 0, (size_t)colon));
    const char *rest = arena_string(&d->arena, bytes_slice(line, (size_t)colon + 2, line.len));
    bool no = strncmp(rest, "no", 2) == 0 && (!rest[2] || rest[2] == ' ');
    const struct help *help = help_for(name);
    const struct doctor_row row = {
        .name = name,
        .state = !no ? DOCTOR_OK : help->needed ? DOCTOR_MISSING : DOCTOR_ABSENT,
        .found = rest,
        .how = no ? help->how : "",
    };
    doctor_add(d, &row);
}

void doctor_add_report(struct doctor *d, struct bytes text)
{
    for (size_t at = 0; at < text.len;) {
        ptrdiff_t end = bytes_find(text, BYTES_LITERAL("\n"), at);
        size_t to = end < 0 ? text.len : (size_t)end;
        add_line(d, bytes_slice(text, at, to));
        at = to + 1;
    }
}

bool doctor_usable(const struct doctor *d)
{
    for (size_t i = 0; i < d->count; i++)
        if (d->rows[i].state == DOCTOR_MISSING)
            return false;
    return true;
}

static const char *const state_names[] = {[DOCTOR_OK] = "ok", [DOCTOR_ABSENT] = "absent", [DOCTOR_MISSING] = "MISSING"};

/* "apt-get install …" for all that is lacking and packaged, each once; "" when there is none. */
static const char *apt_line(const struct doctor *d, struct arena *a)
{
    const char *line = "";
    for (size_t i = 0; i < d->count; i++) {
        const struct doctor_row *row = &d->rows[i];
        if (row->state == DOCTOR_OK || !row->package)
            continue;
        bool said = false;
        for (size_t k = 0; k < i; k++)
            said |= d->rows[k].state != DOCTOR_OK && d->rows[k].package && strcmp(d->rows[k].package, row->package) == 0;
        if (!said)
            line = arena_printf(a, "%s %s", *line ? line : "apt-get install", row->package);
    }
    return line;
}

void doctor_print(const struct doctor *d, struct buf *out)
{
    struct arena a;
    arena_init(&a);
    for (size_t i = 0; i < d->count; i++) {
        const struct doctor_row *row = &d->rows[i];
        buf_addf(out, "%-8s %-20s %s", state_names[row->state], row->name, row->found);
        if (row->state != DOCTOR_OK && *row->purpose)
            buf_addf(out, "%sfor %s", *row->found ? "; " : "", row->purpose);
        if (row->state != DOCTOR_OK && *row->how)
            buf_addf(out, "; %s", row->how);
        buf_add_byte(out, '\n');
    }
    const char *apt = apt_line(d, &a);
    if (*apt)
        buf_addf(out, "\nto have more of it: %s\n", apt);
    if (!doctor_usable(d))
        buf_add_string(out, "\nwhat is MISSING is needed: without it targets cannot be run here, or not safely\n");
    arena_release(&a);
}

void doctor_print_json(const struct doctor *d, struct buf *out)
{
    struct arena a;
    arena_init(&a);
    struct json *o = json_new(&a, JSON_OBJECT);
    json_set(&a, o, "usable", json_bool(&a, doctor_usable(d)));
    json_set(&a, o, "apt", json_text(&a, apt_line(d, &a)));
    struct json *rows = json_set(&a, o, "rows", json_new(&a, JSON_ARRAY));
    for (size_t i = 0; i < d->count; i++) {
        const struct doctor_row *row = &d->rows[i];
        struct json *r = json_add(rows, json_new(&a, JSON_OBJECT));
        json_set(&a, r, "name", json_text(&a, row->name));
        json_set(&a, r, "state", json_text(&a, row->state == DOCTOR_MISSING ? "missing" : state_names[row->state]));
        json_set(&a, r, "found", json_text(&a, row->found));
        json_set(&a, r, "for", json_text(&a, row->purpose));
        json_set(&a, r, "how", json_text(&a, row->how));
    }
    json_write(out, o, JSON_COMPACT);
    buf_add_byte(out, '\n');
    arena_release(&a);
}
