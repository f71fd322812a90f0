/* long-name: names, paths and single arguments as long as the system takes them, a byte less and a byte more, of one-byte
 * characters or of characters of two to four bytes of which the last one ends there.
 *
 * A name is changed in the whole task where it can be followed, since a right sandbox takes one of 255 bytes; whether it
 * does is for witnesses to say: what was expected of the file goes. */
#include <string.h>

#include "gen/task_internal.h"
#include "mutate/mutate_internal.h"

enum { NAME_EDGE = 255, PATH_EDGE = 4095, ARGUMENT_EDGE = 131071, COMPONENT = 200, SHOWN = 40 };

static const char *const characters[] = {"n", "\xc3\xa9", "\xe6\xbc\xa2", "\xf0\x9f\x98\x80"};
enum { CHARACTERS = sizeof characters / sizeof *characters };

/* Exactly `length` bytes that end with the character: one-byte ones in front where it does not divide them. */
static void add_fill(struct buf *out, size_t length, const char *character)
{
    size_t width = strlen(character);
    for (size_t i = 0; i < length % width; i++)
        buf_add_byte(out, 'x');
    for (size_t i = 0; i < length / width; i++)
        buf_add_string(out, character);
}

static size_t around(struct mutation *m, size_t edge)
{
    return edge + (size_t)rng_below(m->rng, 3) - 1;
}

static struct bytes taken(struct mutation *m, struct buf *out)
{
    struct bytes copy = arena_copy(&m->task->arena, buf_bytes(out));
    buf_release(out);
    return copy;
}

/* The last part becomes `length` bytes long: what fills it, then the old name. */
static struct bytes long_name(struct mutation *m, struct bytes path, size_t length, const char *character)
{
    struct bytes directory = payload_directory(path);
    struct buf out;
    buf_init(&out, SIZE_MAX);
    buf_add(&out, directory);
    add_fill(&out, length - (path.len - directory.len), character);
    buf_add(&out, bytes_slice(path, directory.len, path.len));
    return taken(m, &out);
}

/* The path becomes `length` bytes long, by directories in front of it. */
static struct bytes long_path(struct mutation *m, struct bytes path, size_t length, const char *character)
{
    struct buf out;
    buf_init(&out, SIZE_MAX);
    while (length - path.len - out.len > COMPONENT + 1) {
        add_fill(&out, COMPONENT, character);
        buf_add_byte(&out, '/');
    }
    size_t left = length - path.len - out.len;
    add_fill(&out, left - 1, character);
    buf_add_byte(&out, '/');
    buf_add(&out, path);
    return taken(m, &out);
}

static bool strike_name(struct mutation *m, const struct mutation_site *site, const char *character)
{
    struct arena *a = &m->task->arena;
    struct bytes path = mutation_path(site->value);
    size_t length = around(m, NAME_EDGE), was = path.len - payload_directory(path).len;
    if (was >= length || !was)
        return false;
    struct bytes to = long_name(m, path, length, character);
    const char *shown = task_show(a, path, SHOWN);
    if (payload_rename(m, site, "long-name", to, true,
                       arena_printf(a, "name: %s has a name of %zu bytes now, in the whole task", shown, length)))
        return true;
    payload_value(m, site, "long-name", payload_path(m, site->value, to),
                  arena_printf(a, "name: %s has a name of %zu bytes here", shown, length));
    return true;
}

/* Half of them are sent as they stand: behind the root's name they would be longer. */
static bool strike_path(struct mutation *m, const struct mutation_site *site, const char *character)
{
    struct arena *a = &m->task->arena;
    struct bytes path = mutation_path(site->value);
    size_t length = around(m, PATH_EDGE);
    if (path.len + 2 > length || path.data[0] == '/')
        return false;
    const char *shown = task_show(a, path, SHOWN);
    struct bytes to = long_path(m, path, length, character);
    struct json *value = payload_path(m, site->value, to);
    bool bare = rng_below(m->rng, 2) != 0;
    if (bare) {
        value = json_new(a, JSON_OBJECT);
        json_set(a, value, "$path", json_string(a, to));
        json_set(a, value, "as", json_text(a, "relative"));
    }
    payload_value(m, site, "long-name", value,
                  arena_printf(a, "path: %s below directories, %zu bytes%s", shown, length, bare ? ", relative" : ""));
    return true;
}

/* A program's own name is not lengthened: it would not be found, and no more. */
static bool takes_text(const struct mutation_site *site)
{
    bool word = strncmp(site->at, "/args/argv/", strlen("/args/argv/")) == 0;
    bool variable = strncmp(site->at, "/args/env/", strlen("/args/env/")) == 0;
    return site->place == PLACE_ARGUMENT ? json_is(site->value, JSON_STRING)
                                         : (word && strcmp(site->at, "/args/argv/0") != 0) || variable;
}

static bool strike_argument(struct mutation *m, const struct mutation_site *site, const char *character)
{
    size_t length = around(m, ARGUMENT_EDGE);
    if (!takes_text(site) || site->value->text.len >= length || (int64_t)length > body_room(m, site->step))
        return false;
    struct buf out;
    buf_init(&out, SIZE_MAX);
    buf_add(&out, site->value->text);
    add_fill(&out, length - site->value->text.len, character);
    struct json *value = json_string(&m->task->arena, taken(m, &out));
    payload_value(m, site, "long-name", value,
                  arena_printf(&m->task->arena, "argument: a text of %zu bytes is %zu bytes long now", site->value->text.len,
                               length));
    return true;
}

static const struct variant {
    const char *kind;
    unsigned places;
    bool (*strike)(struct mutation *m, const struct mutation_site *site, const char *character);
} variants[] = {{"name", PLACE_NAME, strike_name},
                {"path", PLACE_PATH, strike_path},
                {"argument", PLACE_ARGUMENT | PLACE_SCRIPT, strike_argument}};

static bool strike(struct mutation *m, const struct mutation_site *site)
{
    const char *character = characters[rng_below(m->rng, CHARACTERS)];
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        if (variants[i].places & site->place && mutation_words_have(m->kinds, variants[i].kind) &&
            variants[i].strike(m, site, character))
            return true;
    return false;
}

static bool apply(struct mutation *m)
{
    return sites_try(m, PLACE_NAME | PLACE_PATH | PLACE_ARGUMENT | PLACE_SCRIPT, strike);
}

const struct mutator mutator_long_name = {
    .name = "long-name",
    .group = "payload",
    .summary = "names of 255 bytes, paths of 4095, arguments of 128 KiB, a byte less or more",
    .details = "name: the last part of a path gets 254 to 256 bytes, in the whole task where the file can be followed, else in "
               "one step; path: a path gets 4094 to 4096 bytes by directories in front; argument: a text among a called "
               "tool's arguments, a program's argument or variable gets 131070 to 131072. Filled with characters of one to "
               "four bytes. Places: name, path, argument, script.",
    .places = "name path script argument",
    .kinds = "name path argument",
    .apply = apply,
};
