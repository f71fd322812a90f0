/* Options from a file, and into one; see config_file.h. */
#include "cli/config_file.h"

#include "base/arena.h"
#include "base/encode.h"
#include "base/fs.h"
#include "base/ini_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char section_all[] = "options";

/* A target in words may have anything in it, so its value goes to the end of the line. */
static const char whole_key[] = "target";

static const struct cli_option *option_of(const struct verb *v, const char *name)
{
    for (const struct cli_option *const *group = v->options; *group; group++)
        for (const struct cli_option *o = *group; o->name; o++)
            if (strcmp(o->name, name) == 0)
                return o;
    return NULL;
}

static bool any_verb_has(const char *name)
{
    const struct verb *v;
    for (size_t i = 0; (v = verb_at(i)); i++)
        if (option_of(v, name))
            return true;
    return false;
}

/* What one section says; the higher level wins. */
enum level { LEVEL_ALL, LEVEL_VERB };
struct entry {
    const struct cli_option *option;
    char *value; /* owned; NULL: a flag */
    enum level level;
    bool off; /* a flag that is said not to be there */
};
struct reading {
    const struct verb *verb;
    struct entry *entries;
    size_t count;
    int line; /* the reader's */
};

static bool is_one_of(const char *text, const char *const *list)
{
    while (*list && strcmp(text, *list) != 0)
        list++;
    return *list != NULL;
}

static int add_entry(struct reading *r, const struct cli_option *o, const char *value, enum level level, struct error **err)
{
    static const char *const yes[] = {"yes", "true", "on", "1", NULL}, *const no[] = {"no", "false", "off", "0", NULL};
    struct entry e = {.option = o, .level = level};
    if (!o->argument) {
        e.off = is_one_of(value, no);
        if (!e.off && !is_one_of(value, yes))
            return error_set(err, ERR_INPUT, "%s: found '%s', expected yes or no", o->name, value);
    } else {
        e.value = xstrdup(value);
    }
    r->entries = xrealloc(r->entries, (r->count + 1) * sizeof *r->entries);
    r->entries[r->count++] = e;
    return 0;
}

static int take(void *user, const char *section, const char *key, const char *value, struct error **err)
{
    static const char *const never[] = {"config", "save-config", "help", "version", NULL};
    struct reading *r = user;
    size_t length = strlen(section_all);
    if (strncmp(section, section_all, length) != 0 || (section[length] && section[length] != '.'))
        return 0; /* a setting */
    const struct verb *v = section[length] ? verb_find(section + length + 1) : r->verb;
    if (!v)
        return error_set(err, ERR_INPUT, "[%s]: there is no verb '%s'", section, section + length + 1);
    const struct cli_option *o = is_one_of(key, never) ? NULL : option_of(v, key);
    if (!o && (section[length] || is_one_of(key, never) || !any_verb_has(key)))
        return error_set(err, ERR_INPUT, "[%s]: there is no option '%s'", section, key);
    if (!o || v != r->verb)
        return 0;
    return add_entry(r, o, value, section[length] ? LEVEL_VERB : LEVEL_ALL, err);
}

/* Options that say the same thing in several ways. */
static bool names_target(const char *option)
{
    static const char *const ways[] = {"target", "mcp-config", "server", NULL};
    return is_one_of(option, ways);
}

static bool said_by(const struct cli_args *args, const char *option)
{
    if (names_target(option) && (args->command || cli_flag(args, "target") || cli_flag(args, "mcp-config")))
        return true;
    return cli_flag(args, option);
}

static bool said_above(const struct reading *r, const struct entry *e)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct entry *other = &r->entries[i];
        bool same = other->option == e->option || (names_target(other->option->name) && names_target(e->option->name));
        if (same && other->level > e->level)
            return true;
    }
    return false;
}

/* The lower level comes first, then the higher, then the command line. */
static void put_in_front(struct reading *r, struct cli_args *args)
{
    struct cli_given *given = xcalloc(r->count + args->given_count + 1, sizeof *given);
    size_t n = 0;
    args->kept = xcalloc(r->count + 1, sizeof *args->kept);
    for (int level = LEVEL_ALL; level <= LEVEL_VERB; level++)
        for (size_t i = 0; i < r->count; i++) {
            struct entry *e = &r->entries[i];
            if ((int)e->level != level || e->off || said_by(args, e->option->name) || said_above(r, e))
                continue;
            given[n++] = (struct cli_given){e->option, e->value};
            if (e->value)
                args->kept[args->kept_count++] = e->value;
            e->value = NULL;
        }
    memcpy(given + n, args->given, args->given_count * sizeof *given);
    free(args->given);
    args->given = given;
    args->given_count += n;
}

static int read_file(const struct verb *v, struct cli_args *args)
{
    const char *file = cli_value(args, "config");
    struct reading r = {.verb = v};
    struct error *err = NULL;
    if (!file)
        return 0;
    int status = ini_file_read_whole(file, whole_key, &r.line, take, &r, &err);
    if (status == 0)
        put_in_front(&r, args);
    for (size_t i = 0; i < r.count; i++)
        free(r.entries[i].value);
    free(r.entries);
    return status < 0 ? cli_fail(v, err) : 0;
}

/* ---- writing ---- */

/* Can the reader give the value back? */
static bool can_be_written(const char *key, const char *value)
{
    size_t length = strlen(value);
    bool blank_ends = length && (strchr(" \t", value[0]) || strchr(" \t", value[length - 1]));
    bool cut = strcmp(key, whole_key) != 0 && (strstr(value, " ;") || value[0] == ';');
    return length && !blank_ends && !cut && strcspn(value, "\r\n") == length;
}

static bool is_secret(const struct cli_given *g)
{
    static const char *const options[] = {"header", "bearer", NULL};
    if (strcmp(g->option->name, "env") == 0)
        return strchr(g->value, '=') != NULL;
    return g->value && is_one_of(g->option->name, options) && g->value[0] != '@';
}

static int add_option(const struct verb *v, const struct cli_given *g, struct buf *out)
{
    static const char *const never[] = {"config", "save-config", "set", NULL};
    const char *name = g->option->name;
    if (is_one_of(name, never))
        return 0;
    if (is_secret(g)) {
        fprintf(stderr, "taskgen %s: --save-config: the value of --%s may be a secret and is left out\n", v->name, name);
        buf_addf(out, "; %s: left out, it may be a secret\n", name);
        return 0;
    }
    if (g->value && !can_be_written(name, g->value))
        return cli_usage_fault(v, "--save-config: the value of --%s, '%s', cannot stand in an INI file", name, g->value);
    buf_addf(out, "%s = %s\n", name, g->value ? g->value : "yes");
    return 0;
}

static void add_command(const struct cli_args *args, struct buf *out)
{
    buf_add_string(out, "target = mcp:");
    for (size_t i = 0; i < args->command_count; i++) {
        buf_add_string(out, i ? " " : "");
        shell_word(out, bytes_of_string(args->command[i]));
    }
    buf_add_byte(out, '\n');
}

/* Those that are not as they are by default. */
static void add_settings(const struct settings *now, struct buf *out)
{
    struct settings usual;
    const char *section = "";
    size_t count;
    const struct setting_row *rows = settings_table(&count);
    settings_defaults(&usual);
    for (size_t i = 0; i < count; i++) {
        if (now->value[i] == usual.value[i])
            continue;
        size_t length = strcspn(rows[i].name, ".");
        if (strncmp(section, rows[i].name, length + 1) != 0)
            buf_addf(out, "\n[%.*s]\n", (int)length, rows[i].name);
        section = rows[i].name;
        buf_addf(out, "%s = %.15g%s\n", rows[i].name + length + 1, now->value[i], strcmp(rows[i].unit, "ms") == 0 ? "ms" : "");
    }
}

static int save_file(const struct verb *v, const struct cli_args *args, const char *file)
{
    struct settings settings;
    struct error *err = NULL;
    struct buf out;
    if (args->word_count)
        return cli_usage_fault(v, "--save-config: '%s' is no option and cannot be saved", args->words[0]);
    int status = cli_settings(v, args, &settings);
    if (status)
        return status;
    buf_init(&out, 1 << 20);
    buf_addf(&out, "[%s.%s]\n", section_all, v->name);
    for (size_t i = 0; i < args->given_count && !status; i++)
        status = add_option(v, &args->given[i], &out);
    if (args->command_count)
        add_command(args, &out);
    add_settings(&settings, &out);
    if (!status && fs_write(file, buf_bytes(&out), &err) < 0)
        status = cli_fail(v, err);
    buf_release(&out);
    return status;
}

int cli_config(const struct verb *v, struct cli_args *args, bool *done)
{
    const char *save = cli_value(args, "save-config");
    int status = read_file(v, args);
    if (!status && save)
        status = save_file(v, args, save);
    *done = save != NULL;
    return status;
}
