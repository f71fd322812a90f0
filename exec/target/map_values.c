/* What a parameter is given for an argument of an op: the placeholders of a template, told from the
 * parameter's name, schema and description. Also whether bytes survive the way in and out. */
#include <string.h>

#include "exec/target/map_internal.h"

enum { SUMMARY_BYTES = 240 }; /* what a description says first is what the tool does; the rest is advice */

/* Sets the parameter that asks for base64, if there is one. */
static bool place_encoding(struct map_attempt *t)
{
    double quality;
    struct map_parameter *p = map_best_parameter(t, ROLE_ENCODING, &quality);
    if (!p)
        return false;
    struct json *value = NULL;
    if (p->values)
        value = map_choose_value(t->arena, p->values, "base64|b64");
    else if (p->types & TYPE_BOOL && map_says_base64(p))
        value = json_bool(t->arena, true);
    else if (p->types & TYPE_STRING && map_says_base64(p))
        value = json_text(t->arena, "base64");
    if (!value)
        return false;
    map_set(t, p, value, "encoding");
    return true;
}

static struct bytes summary(const struct mcp_tool *tool)
{
    return bytes_slice(tool->description, 0, SUMMARY_BYTES);
}

static bool output_says_base64(const struct mcp_tool *tool)
{
    if (!tool->output)
        return false;
    struct buf text;
    buf_init(&text, 1u << 20);
    json_write(&text, tool->output, JSON_COMPACT);
    bool says = text_mentions(buf_bytes(&text), "base64");
    buf_release(&text);
    return says;
}

/* For ops that give bytes back: can they come back whole? */
bool map_place_result(struct map_attempt *t)
{
    const struct mcp_tool *tool = t->candidate->tool;
    bool gives = strcmp(t->row->op, "read") == 0 || strcmp(t->row->op, "download") == 0;
    if (!gives)
        return true;
    if (t->row->binary && place_encoding(t)) {
        t->map.coding = CODING_BASE64;
        return true;
    }
    bool always = text_mentions(summary(tool), "base64") || output_says_base64(tool);
    if (always) {
        t->map.coding = CODING_BASE64;
        t->extras += !t->row->binary; /* a tool for text is better where text is asked for */
    }
    return always || !t->row->binary || map_fail(t, "not said to give base64", BYTES_NONE);
}

static struct json *content_value(struct map_attempt *t, struct map_parameter *p, const char *arg,
                                  bool place_is_content)
{
    bool base64 = map_says_base64(p);
    p->used = true; /* so that it is not taken for the parameter that says how it is encoded */
    if (t->row->binary)
        base64 = place_encoding(t) || base64 || text_mentions(summary(t->candidate->tool), "base64");
    else if (base64 && place_is_content)
        t->extras++; /* a parameter for text is better where text is asked for */
    return map_placeholder(t->arena, arg, base64 ? "base64" : "text");
}

/* How the pattern parameter wants a glob, from what is said about it. */
static const char *glob_value(struct map_attempt *t, const struct map_parameter *p)
{
    static const struct {
        const char *word, *as;
        enum glob_way way;
    } ways[] = {
        {"**/", "glob-deep", GLOB_DEEP}, {"glob", "glob", GLOB_PLAIN},     {"wildcard", "glob", GLOB_PLAIN},
        {"regex", "regex", GLOB_REGEX},  {"regular expression", "regex", GLOB_REGEX},
        {"partial", "part", GLOB_PART},  {"substring", "part", GLOB_PART},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (text_mentions(p->description, ways[i].word) ||
            text_mentions(t->candidate->tool->description, ways[i].word)) {
            t->map.glob = ways[i].way;
            return ways[i].as;
        }
    }
    return "glob";
}

static struct json *signal_value(struct map_attempt *t, const struct map_parameter *p, const char *arg)
{
    static const char *const names[] = {"TERM", "KILL", "INT", "HUP", "STOP", "CONT", "USR1"};
    struct json *value = map_placeholder(t->arena, arg, "signal");
    if (!p->values)
        return value;
    struct json *map = json_set(t->arena, value, "map", json_new(t->arena, JSON_OBJECT));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        for (const struct json *one = p->values->first; one; one = one->next) {
            struct bytes text = json_as_text(one);
            if (bytes_equal_string(text, names[i]) ||
                (bytes_starts(text, BYTES_LITERAL("SIG")) &&
                 bytes_equal_string(bytes_slice(text, 3, text.len), names[i])))
                json_set(t->arena, map, names[i], json_copy(t->arena, one));
        }
    }
    return value;
}

/* [{"oldText":old,"newText":new}] for a parameter that takes a list of edits; NULL when its items are
 * something else. */
static struct json *edits_value(struct map_attempt *t, const struct map_parameter *p)
{
    const struct json *root = t->candidate->tool->input;
    const struct json *items = schema_items(root, p->schema);
    const struct json *properties = schema_properties(root, items);
    struct json *item = json_new(t->arena, JSON_OBJECT);
    bool old = false, new = false;
    for (const struct json *one = properties ? properties->first : NULL; one; one = one->next) {
        struct words words;
        words_split(&words, one->key);
        if (!(schema_types(root, one) & TYPE_STRING))
            continue;
        double as_old = role_quality(ROLE_OLD, &words), as_new = role_quality(ROLE_NEW, &words);
        if (!old && as_old >= role_quality(ROLE_NEW, &words) && as_old > .6) {
            json_set_bytes(t->arena, item, one->key, map_placeholder(t->arena, "old", "text"));
            old = true;
        } else if (!new && as_new > .6) {
            json_set_bytes(t->arena, item, one->key, map_placeholder(t->arena, "new", "text"));
            new = true;
        } else if (schema_requires(items, one->key)) {
            return NULL;
        }
    }
    if (!old || !new)
        return NULL;
    struct json *list = json_new(t->arena, JSON_ARRAY);
    json_add(list, item);
    return list;
}

static bool is_uri(const struct map_parameter *p)
{
    return words_have(&p->words, "uri") ||
           bytes_equal_string(json_as_text(json_get(p->schema, "format")), "uri");
}

struct json *map_place_value(struct map_attempt *t, struct map_parameter *p, const struct op_place *place)
{
    if (t->row->way == WAY_PAGE)
        return map_place_page_value(t, p, place);
    switch (place->role) {
    case ROLE_PATH:
    case ROLE_FROM:
    case ROLE_TO:
    case ROLE_CWD:
        return map_placeholder(t->arena, place->arg, is_uri(p) ? "uri" : "path");
    case ROLE_CONTENT:
    case ROLE_STDIN:
        return content_value(t, p, place->arg, place->role == ROLE_CONTENT);
    case ROLE_EDITS:
        return edits_value(t, p);
    case ROLE_PATTERN:
        return map_placeholder(t->arena, place->arg, glob_value(t, p));
    case ROLE_TIMEOUT:
        return map_timeout(t, p, place->arg);
    case ROLE_SIGNAL:
        return signal_value(t, p, place->arg);
    case ROLE_MODE:
        return map_placeholder(t->arena, place->arg, p->types & TYPE_STRING ? "octal" : "value");
    case ROLE_PID:
        return map_placeholder(t->arena, place->arg,
                               p->types & TYPE_STRING ? p->types & TYPE_NUMERIC ? "value" : "string"
                                                      : "number");
    default:
        return map_placeholder(t->arena, place->arg, "value");
    }
}
