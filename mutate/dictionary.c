/* dictionary: a byte string that means something to the target, from a dictionary (gen/dictionary.h), put into a content, an argument or
 * a file's name. Without a dictionary nothing is done.
 *
 * In names only what a right sandbox takes as a part of a name: no slash, no control character, and not so long that it may refuse. */
#include <string.h>

#include "gen/recipe.h"
#include "gen/task_internal.h"
#include "mutate/mutate_internal.h"

enum { SHOWN = 40, NAME_TOKEN_MAX = 32, ARGUMENT_MAX = 64 << 10 };

static const char *const kinds[] = {"insert", "replace", "overwrite", NULL};

static const char *detail_of(struct mutation *m, const char *kind, struct bytes token)
{
    return arena_printf(&m->task->arena, "%s: %s", kind, task_show(&m->task->arena, token, SHOWN));
}

static bool strike_body(struct mutation *m, const struct mutation_site *site, const char *kind, struct bytes token)
{
    const struct json *content = body_content(m->task, site->value);
    struct json *string = json_string(&m->task->arena, token), *made = string;
    int64_t size = content ? content_size(content) : -1;
    if (size < 0)
        return false;
    if (strcmp(kind, "replace") != 0) {
        uint64_t at = body_any_boundary(m, content), room = (uint64_t)size - at;
        uint64_t remove = strcmp(kind, "overwrite") != 0 ? 0 : token.len < room ? token.len : room;
        if (remove < room) /* up to the beginning of a character */
            remove = body_boundary(content, at + remove) > at ? body_boundary(content, at + remove) - at : 0;
        made = body_splice(m->task, content, at, remove, string);
    }
    return payload_body(m, site, "dictionary", made, detail_of(m, kind, token));
}

static bool is_number(struct arena *a, struct bytes token)
{
    struct json *value = NULL;
    return json_read(a, token, &(struct json_options){.max_depth = 1}, "", &value, NULL, NULL) == 0 && json_is(value, JSON_NUMBER);
}

static bool strike_argument(struct mutation *m, const struct mutation_site *site, const char *kind, struct bytes token)
{
    struct arena *a = &m->task->arena;
    if (!json_is(site->value, JSON_STRING)) { /* a number, of a call or of which part of a file is read: that is another mutator's */
        if (strcmp(m->task->steps[site->step].op->name, "call") != 0 || !is_number(a, token))
            return false;
        struct json *number = NULL;
        json_read(a, token, NULL, "", &number, NULL, NULL);
        payload_value(m, site, "dictionary", number, detail_of(m, "replace", token));
        return true;
    }
    struct bytes text = site->value->text, made = token;
    if (text.len > ARGUMENT_MAX)
        return false;
    if (strcmp(kind, "replace") != 0) {
        size_t at = (size_t)rng_below(m->rng, text.len + 1), end = at;
        while (at && at < text.len && (text.data[at] & 0xc0) == 0x80)
            at--;
        end = strcmp(kind, "overwrite") == 0 ? at + token.len : at;
        end = end < text.len ? end : text.len;
        while (end < text.len && (text.data[end] & 0xc0) == 0x80)
            end++;
        made = payload_joined(m, bytes_slice(text, 0, at), token, bytes_slice(text, end, text.len));
    }
    if (bytes_equal(made, text))
        return false;
    payload_value(m, site, "dictionary", json_string(a, made), detail_of(m, kind, token));
    return true;
}

static bool fits_name(struct bytes token)
{
    if (token.len > NAME_TOKEN_MAX)
        return false;
    for (size_t i = 0; i < token.len; i++)
        if (token.data[i] < 0x21 || token.data[i] > 0x7e || token.data[i] == '/' || token.data[i] == '\\')
            return false;
    return token.data[0] != '.' && token.data[token.len - 1] != '.';
}

/* In the whole task, where the name can be followed. "replace" keeps the directory and what says of which kind the file is. */
static bool strike_name(struct mutation *m, const struct mutation_site *site, const char *kind, struct bytes token)
{
    struct bytes path = mutation_path(site->value), directory = payload_directory(path);
    if (!fits_name(token) || directory.len == path.len || path.len - directory.len > 255 - NAME_TOKEN_MAX)
        return false;
    size_t dot = path.len;
    while (dot > directory.len && path.data[dot - 1] != '.')
        dot--;
    struct bytes ending = dot > directory.len + 1 ? bytes_slice(path, dot - 1, path.len) : BYTES_NONE;
    struct bytes to = strcmp(kind, "insert") == 0 ? payload_decorated(m, path, token) : payload_joined(m, directory, token, ending);
    if (bytes_equal(to, path))
        return false;
    return payload_rename(m, site, "dictionary", to, false, detail_of(m, strcmp(kind, "insert") == 0 ? kind : "replace", token));
}

static bool strike(struct mutation *m, const struct mutation_site *site)
{
    struct bytes token = dictionary_pick(m->words, m->rng);
    const char *kind = mutation_kind(m, kinds);
    if (!kind || !token.len)
        return false;
    return site->place == PLACE_BODY       ? strike_body(m, site, kind, token)
           : site->place == PLACE_ARGUMENT ? strike_argument(m, site, kind, token)
                                           : strike_name(m, site, kind, token);
}

static bool apply(struct mutation *m)
{
    return dictionary_count(m->words) && sites_try(m, PLACE_NAME | PLACE_BODY | PLACE_ARGUMENT, strike);
}

const struct mutator mutator_dictionary = {
    .name = "dictionary",
    .group = "payload",
    .summary = "byte strings from a dictionary, in contents, arguments and names",
    .details = "A token of --dict, of the seeds, or of what the target's tools say they take (values of enum, const, default and examples, "
               "names of properties): insert puts it in, overwrite puts it over as many bytes, replace puts it in place of all. Places: body, "
               "argument (a text of a called tool; a number by a number), name (in the whole task, where it can be followed; there short "
               "tokens without blanks and slashes). Nothing without a dictionary.",
    .places = "name body argument",
    .kinds = "insert replace overwrite",
    .apply = apply,
};
