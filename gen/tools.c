/* The list of a target's tools, as tasks are made of it; see tools.h. The list is brought into canonical form
 * first, so that its hash and the sites of its schemas do not depend on how a server lays out its text. */
#include "gen/tools.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "gen/tools_internal.h"

enum { TOOLS_MAX = 4096, LIST_ENDS = 256 << 10, CAPABILITIES_MAX = 64 << 10, LIST_DEPTH = 500, LABEL_MAX = 60, LABEL_BYTES = 1024 };
enum { MIX_HTTP = 1, MIX_DAMAGE = 16 }; /* into the hash of the list; toolset_stateless mixes numbers between */

static const struct json any_schema = {.kind = JSON_OBJECT};

static const struct {
    enum tool_role role;
    const char *words;
} roles[] = {
    {TOOL_ENDS,
     "delete|remove|close|stop|kill|end|clear|destroy|drop|unset|cancel|terminate|disconnect|logout"},
    {TOOL_MAKES, "create|add|write|open|start|new|set|upload|insert|register|begin|init|make|put|save|store|"
                 "connect|login|append|run|execute|import"},
    {TOOL_READS, "get|read|list|search|show|find|query|describe|status|echo|count|view|info|print|fetch|stat|"
                 "help|ping|version"},
};

static enum tool_role role_of(struct bytes name)
{
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (schema_name_has(name, roles[i].words))
            return roles[i].role;
    return TOOL_OTHER;
}

/* --- reading the list --- */

static bool usable(const struct json *entry, const char *member)
{
    const struct json *name = json_get(entry, member);
    return json_is(name, JSON_STRING) && name->text.len && utf8_valid(name->text);
}

/* Of the entries of a list those members that count, and as many entries as fit. */
static void canonical_list(struct arena *a, const struct json *given, const char *const *members, struct buf *out)
{
    size_t count = 0;
    buf_add_byte(out, '[');
    for (const struct json *one = given->first; one && count < TOOLS_MAX; one = one->next) {
        if (!usable(one, *members))
            continue;
        struct json *kept = json_new(a, JSON_OBJECT);
        for (size_t i = 0; members[i]; i++)
            if (json_get(one, members[i]))
                json_set(a, kept, members[i], json_copy(a, json_get(one, members[i])));
        struct buf text;
        buf_init(&text, SCHEMA_TEXT_MAX);
        json_write(&text, kept, JSON_SORTED);
        if (!text.overflow && out->len + text.len + LIST_ENDS < SCHEMA_TEXT_MAX) {
            if (count++)
                buf_add_byte(out, ',');
            buf_add(out, buf_bytes(&text));
        }
        buf_release(&text);
    }
    buf_add_byte(out, ']');
}

static const char *const tool_members[] = {"name", "description", "inputSchema", "outputSchema", "annotations", NULL};
static const char *const prompt_members[] = {"name", "arguments", NULL};
static const char *const template_members[] = {"uriTemplate", NULL};
static const char *const resource_members[] = {"uri", NULL};

/* An array of tools stays one; a server's capabilities and lists stand behind its tools, so that the tools' sites are the same
 * whatever else it has. */
static void canonical(struct arena *a, const struct json *given, struct buf *out)
{
    static const struct {
        const char *name;
        const char *const *members;
    } lists[] = {
        {"tools", tool_members},
        {"prompts", prompt_members},
        {"resourceTemplates", template_members},
        {"resources", resource_members},
    };
    if (json_is(given, JSON_ARRAY)) {
        canonical_list(a, given, tool_members, out);
        return;
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const struct json *list = json_get(given, lists[i].name);
        if (!json_is(list, JSON_ARRAY))
            continue;
        buf_addf(out, "%s\"%s\":", i ? "," : "{", lists[i].name);
        canonical_list(a, list, lists[i].members, out);
    }
    const struct json *capabilities = json_get(given, "capabilities");
    struct buf text;
    buf_init(&text, CAPABILITIES_MAX);
    if (json_is(capabilities, JSON_OBJECT))
        json_write(&text, capabilities, JSON_SORTED);
    buf_add_string(out, ",\"capabilities\":");
    buf_add(out, text.len && !text.overflow ? buf_bytes(&text) : BYTES_LITERAL("{}"));
    buf_add_byte(out, '}');
    buf_release(&text);
}

static struct tool tool_of(const struct json *entry)
{
    const struct json *input = json_get(entry, "inputSchema"), *output = json_get(entry, "outputSchema");
    const struct json *required = json_get(input, "required");
    struct tool tool = {.name = json_get(entry, "name")->text,
                        .description = json_as_text(json_get(entry, "description")),
                        .input = json_is(input, JSON_OBJECT) ? input : &any_schema,
                        .output = json_is(output, JSON_OBJECT) ? output : NULL,
                        .required = json_is(required, JSON_ARRAY) ? required->count : 0};
    tool.role = role_of(tool.name);
    tool.calm = tool.role == TOOL_READS ||
                json_is(json_pointer(entry, BYTES_LITERAL("/annotations/readOnlyHint")), JSON_TRUE);
    return tool;
}

/* The calmest, of those the one that wants least; the first of equals. */
static size_t choose_control(const struct toolset *t)
{
    size_t best = 0;
    for (size_t i = 1; i < t->count; i++) {
        const struct tool *one = &t->items[i], *held = &t->items[best];
        if (one->calm != held->calm ? one->calm : one->required < held->required)
            best = i;
    }
    return best;
}

static void set_hash(struct toolset *t, uint64_t hash)
{
    struct buf hex;
    buf_init(&hex, sizeof t->hash);
    buf_addf(&hex, "%016llx", (unsigned long long)hash);
    memcpy(t->hash, buf_string(&hex), sizeof t->hash);
    buf_release(&hex);
}

static int build(struct toolset *t, struct bytes text, struct error **err)
{
    uint64_t hash = hash64(text);
    TRY(schema_book_new(text, &t->book, err));
    const struct json *whole = schema_book_document(t->book), *list = whole;
    if (json_is(whole, JSON_OBJECT)) {
        list = json_get(whole, "tools");
        t->capabilities = json_get(whole, "capabilities");
        t->resources = json_get(whole, "resources");
        t->templates = json_get(whole, "resourceTemplates");
        t->prompts = json_get(whole, "prompts");
    }
    t->items = xcalloc(list->count ? list->count : 1, sizeof *t->items);
    for (const struct json *one = list->first; one; one = one->next)
        t->items[t->count++] = tool_of(one);
    t->control = choose_control(t);
    t->list_hash = hash;
    set_hash(t, hash);
    return 0;
}

int toolset_new(struct bytes list, struct toolset **tools, struct error **err)
{
    struct arena a;
    struct json *given = NULL;
    struct json_options options = {.max_depth = LIST_DEPTH, .allow_bad_utf8 = true};
    arena_init(&a);
    int status = json_read(&a, list, &options, "tools", &given, NULL, err);
    if (status == 0 && !json_is(given, JSON_ARRAY) && !json_is(json_get(given, "tools"), JSON_ARRAY))
        status = error_set(err, ERR_INPUT, "tools: found %s, expected an array", json_kind_name(given->kind));
    if (status == 0) {
        struct toolset *t = xcalloc(1, sizeof *t);
        struct buf text;
        buf_init(&text, SCHEMA_TEXT_MAX);
        canonical(&a, given, &text);
        status = build(t, buf_bytes(&text), err);
        buf_release(&text);
        if (status < 0)
            toolset_free(t);
        else
            *tools = t;
    }
    arena_release(&a);
    return status;
}

void toolset_free(struct toolset *t)
{
    if (!t)
        return;
    schema_book_free(t->book);
    free(t->items);
    free(t);
}

void toolset_over_http(struct toolset *t)
{
    t->http = true;
    set_hash(t, hash64_mix(t->list_hash, MIX_HTTP));
}

void toolset_can_damage(struct toolset *t)
{
    t->can_damage = true;
    set_hash(t, hash64_mix(hash64(bytes_of_string(t->hash)), MIX_DAMAGE));
}

size_t toolset_count(const struct toolset *t)
{
    return t->count;
}

bool toolset_usable(const struct toolset *t)
{
    return t->count || t->resources || t->templates || t->prompts;
}

void toolset_stateless(struct toolset *t, enum tools_stateless how)
{
    t->stateless = how;
    if (how)
        set_hash(t, hash64_mix(hash64(bytes_of_string(t->hash)), (uint64_t)how));
}

const char *toolset_hash(const struct toolset *t)
{
    return t->hash;
}

/* --- for people --- */

static size_t parameters_of(const struct tool *tool)
{
    const struct json *properties = json_get(tool->input, "properties");
    return json_is(properties, JSON_OBJECT) ? properties->count : 0;
}

/* Whether a first try gives what the schema accepts. */
static bool clear_schema(const struct toolset *t, const struct tool *tool)
{
    struct arena a;
    struct rng rng;
    struct derivation log;
    struct chooser c;
    struct schema_value drawn;
    arena_init(&a);
    derivation_init(&log);
    rng_seed(&rng, 1, 0);
    chooser_init(&c, &rng, NULL, &log);
    schema_draw(t->book, tool->input, SCHEMA_VALID, &c, &a, &drawn);
    derivation_release(&log);
    arena_release(&a);
    return drawn.judged;
}

static void add_label(struct buf *out, struct bytes name)
{
    struct buf label;
    buf_init(&label, LABEL_BYTES);
    for (size_t at = 0; at < name.len && at < LABEL_MAX; at++)
        buf_add_byte(&label, name.data[at] < ' ' || name.data[at] >= 0x7f ? '?' : name.data[at]);
    buf_addf(out, "  %-30s", buf_string(&label));
    buf_release(&label);
}

static size_t list_count(const struct json *list)
{
    return list ? list->count : 0;
}

void toolset_explain(const struct toolset *t, struct buf *out)
{
    buf_addf(out, "%zu tool%s can be fuzzed from %s schema%s (tool list %s):\n", t->count,
             t->count == 1 ? "" : "s", t->count == 1 ? "its" : "their", t->count == 1 ? "" : "s", t->hash);
    for (size_t i = 0; i < t->count; i++) {
        const struct tool *tool = &t->items[i];
        add_label(out, tool->name);
        buf_addf(
            out, " %zu parameter%s, %zu required%s%s\n", parameters_of(tool),
            parameters_of(tool) == 1 ? "" : "s", tool->required, i == t->control ? "; ends each task" : "",
            clear_schema(t, tool) ? "" : "; its schema contradicts itself or is not understood: by names");
    }
    if (t->capabilities)
        buf_addf(out, "requests of the protocol go along: %zu resource%s, %zu template%s, %zu prompt%s can be named\n",
                 list_count(t->resources), list_count(t->resources) == 1 ? "" : "s", list_count(t->templates),
                 list_count(t->templates) == 1 ? "" : "s", list_count(t->prompts), list_count(t->prompts) == 1 ? "" : "s");
}
