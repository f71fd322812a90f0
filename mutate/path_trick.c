/* path-trick: other ways to write a path, and names that a path, a shell, a URL or a command line takes for something else.
 *
 * A spelling is changed in one step, which then may mean the same file or none, so what hangs on it goes. A name is changed
 * in the whole task where it can be followed: it is a name like any other, and what was expected stays. */
#include <string.h>

#include "gen/task_internal.h"
#include "mutate/mutate_internal.h"

enum { SHOWN = 60 };

/* --- spellings --- */

static struct bytes after_name(struct mutation *m, struct bytes path, const char *text)
{
    return payload_joined(m, path, bytes_of_string(text), BYTES_NONE);
}

static struct bytes before_path(struct mutation *m, struct bytes path, const char *text)
{
    return payload_joined(m, bytes_of_string(text), path, BYTES_NONE);
}

/* Each slash twice; one in front of the name when there is none. */
static struct bytes doubled(struct mutation *m, struct bytes path, const char *text)
{
    struct bytes directory = payload_directory(path);
    return payload_joined(m, directory.len ? directory : BYTES_LITERAL("./"), BYTES_LITERAL("/"),
                          bytes_slice(path, directory.len, path.len));
}

/* Into the path's directory and back: "d/../d/x". */
static struct bytes and_back(struct mutation *m, struct bytes path, const char *text)
{
    struct bytes directory = payload_directory(path);
    return directory.len ? payload_joined(m, directory, BYTES_LITERAL("../"), path) : BYTES_NONE;
}

/* The last slash as a URL would hold it; without one, an escape in front. */
static struct bytes percent(struct mutation *m, struct bytes path, const char *text)
{
    struct bytes directory = payload_directory(path);
    if (!directory.len)
        return before_path(m, path, "%2e%2f");
    return payload_joined(m, bytes_slice(directory, 0, directory.len - 1), BYTES_LITERAL("%2f"),
                          bytes_slice(path, directory.len, path.len));
}

/* Letters that Unicode can write in two ways. */
static const struct {
    const char *composed, *apart;
} letters[] = {{"\xc3\xa9", "e\xcc\x81"},     {"\xc3\xbc", "u\xcc\x88"},     {"\xc3\xb1", "n\xcc\x83"},
               {"\xc3\xb6", "o\xcc\x88"},     {"\xc3\xa4", "a\xcc\x88"},     {"\xc3\xa8", "e\xcc\x80"},
               {"\xc3\xa7", "c\xcc\xa7"},     {"\xc3\xaf", "i\xcc\x88"},     {"\xd0\xb9", "\xd0\xb8\xcc\x86"},
               {"\xd1\x91", "\xd0\xb5\xcc\x88"}, {"\xe3\x81\x8c", "\xe3\x81\x8b\xe3\x82\x99"}};

static struct bytes replaced(struct mutation *m, struct bytes path, const char *from, const char *to)
{
    ptrdiff_t at = bytes_find(path, bytes_of_string(from), 0);
    if (at < 0)
        return BYTES_NONE;
    return payload_joined(m, bytes_slice(path, 0, (size_t)at), bytes_of_string(to),
                          bytes_slice(path, (size_t)at + strlen(from), path.len));
}

static struct bytes other_form(struct mutation *m, struct bytes path, const char *text)
{
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        struct bytes apart = replaced(m, path, letters[i].composed, letters[i].apart);
        struct bytes composed = replaced(m, path, letters[i].apart, letters[i].composed);
        if (apart.len || composed.len)
            return apart.len ? apart : composed;
    }
    return BYTES_NONE;
}

static const struct spelling {
    const char *kind, *text;
    struct bytes (*spell)(struct mutation *m, struct bytes path, const char *text); /* no bytes: does not fit */
} spellings[] = {
    {"dot", "./", before_path},         {"doubled", NULL, doubled},       {"parent", NULL, and_back},
    {"trailing-slash", "/", after_name}, {"trailing-part", "/.", after_name}, {"home", "~/", before_path},
    {"percent", NULL, percent},         {"normal-form", NULL, other_form}, {"above", "../", before_path},
};

/* How the driver is asked to spell it. */
static const char *const drivers[] = {"absolute", "tilde", "dotted", "link", "relative", NULL};

static bool is_driver_word(const char *kind)
{
    for (size_t i = 0; drivers[i]; i++)
        if (strcmp(kind, drivers[i]) == 0)
            return true;
    return false;
}

static const char *const path_kinds[] = {"dot",   "doubled",  "parent", "trailing-slash", "trailing-part", "home",
                                         "percent", "normal-form", "above", "absolute",    "tilde",         "dotted",
                                         "link",  "relative", NULL};

/* Above the root only what looks: whoever has no root of its own is not to be changed there. */
static bool admits(const struct mutation *m, const struct mutation_site *site, const char *kind)
{
    struct bytes path = mutation_path(site->value);
    return path.len && path.data[0] != '/' &&
           (strcmp(kind, "above") != 0 || mutation_only_reads(m->task->steps[site->step].op));
}

static bool strike_path(struct mutation *m, const struct mutation_site *site)
{
    struct arena *a = &m->task->arena;
    const char *kind = mutation_kind(m, path_kinds);
    if (!kind || !admits(m, site, kind))
        return false;
    struct bytes path = mutation_path(site->value), to = path;
    struct json *value = NULL;
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (strcmp(spellings[i].kind, kind) == 0) {
            to = spellings[i].spell(m, path, spellings[i].text);
            value = to.len ? payload_path(m, site->value, to) : NULL;
        }
    if (is_driver_word(kind)) {
        value = json_new(a, JSON_OBJECT);
        json_set(a, value, "$path", json_string(a, path));
        json_set(a, value, "as", json_text(a, kind));
    }
    if (!value || json_equal(value, site->value))
        return false;
    const char *was = task_show(a, path, SHOWN);
    payload_value(m, site, "path-trick", value,
                  is_driver_word(kind) ? arena_printf(a, "%s: how %s is spelled", kind, was)
                                       : arena_printf(a, "%s: %s is written %s", kind, was, task_show(a, to, SHOWN)));
    return true;
}

/* --- names --- */

static const struct {
    const char *kind, *front, *back;
} names[] = {
    {"option", "-", ""},         {"option", "--", ""},          {"option", "-rf", ""},     {"option", "--output=", ""},
    {"trailing-dot", "", "."},   {"trailing-space", "", " "},   {"leading-space", " ", ""}, {"glob", "*", ""},
    {"glob", "", "[a]?"},        {"tilde-name", "~", ""},       {"percent-name", "%2e%2e", ""}, {"percent-name", "", "%00"},
    {"url-name", "", "#x"},      {"url-name", "", "?x=1&y"},    {"dots-name", "..", ""},   {"dots-name", "...", ""},
};

static const char *const name_kinds[] = {"option",     "trailing-dot", "trailing-space", "leading-space", "glob",
                                         "tilde-name", "percent-name", "url-name",       "dots-name",     NULL};

static bool strike_name(struct mutation *m, const struct mutation_site *site)
{
    struct arena *a = &m->task->arena;
    const char *kind = mutation_kind(m, name_kinds);
    struct bytes path = mutation_path(site->value), directory = payload_directory(path);
    if (!kind || directory.len == path.len)
        return false;
    size_t fitting = 0, chosen = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].kind, kind) == 0 && rng_below(m->rng, ++fitting) == 0)
            chosen = i;
    struct bytes name = payload_joined(m, bytes_of_string(names[chosen].front), bytes_slice(path, directory.len, path.len),
                                       bytes_of_string(names[chosen].back));
    struct bytes to = payload_joined(m, directory, name, BYTES_NONE);
    return payload_rename(m, site, "path-trick", to, false,
                          arena_printf(a, "%s: %s is now %s", kind, task_show(a, path, SHOWN), task_show(a, to, SHOWN)));
}

static bool strike(struct mutation *m, const struct mutation_site *site)
{
    return site->place == PLACE_PATH ? strike_path(m, site) : strike_name(m, site);
}

static bool apply(struct mutation *m)
{
    return sites_try(m, PLACE_NAME | PLACE_PATH, strike);
}

const struct mutator mutator_path_trick = {
    .name = "path-trick",
    .group = "payload",
    .summary = "other spellings of paths, and names like options, patterns, escapes and dots",
    .details = "One path of one step: dot, doubled and parent (./a, d//a, d/../d/a), trailing-slash, trailing-part (/.), home "
               "(~/a), percent (d%2fa), normal-form (a letter with its accent apart, or together), above (../a, of steps that "
               "only read); absolute, tilde, dotted, link, relative: as the driver spells it. A name in the whole task, where "
               "it can be followed: option (-a, --a, -rfa, --output=a), trailing-dot, trailing-space, leading-space, glob, "
               "tilde-name, percent-name, url-name, dots-name.",
    .places = "name path",
    .kinds = "dot doubled parent trailing-slash trailing-part home percent normal-form above absolute tilde dotted link "
             "relative option trailing-dot trailing-space leading-space glob tilde-name percent-name url-name dots-name",
    .apply = apply,
};
