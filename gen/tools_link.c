/* Sequences that hang together: an argument that names something becomes what an earlier call was told by
 * that name, or what an earlier call replied. Replies are not known here; where they say such a thing follows
 * from the tool's outputSchema, else from the usual names, and an "else" value stands in where a reply has no
 * such member. */
#include <ctype.h>
#include <string.h>

#include "gen/tools_internal.h"

enum {
    POINTERS_MAX = 24,
    POINTER_MAX = 256,
    DEPTH_MAX = 3,
    ONE_IN = 2,
    WORD_MAX = 32,
    STEPS_BACK = 64,
    AKIN = 8
};

/* Names that things are known by, and of them those that a target makes up. */
static const char named_things[] =
    "id|uuid|guid|handle|key|token|cursor|session|pid|name|entity|from|to|source|target|path|"
    "file|filename|dir|directory|uri|ref|node|task|job|user|tag|title|label|number";
static const char made_up[] = "id|uuid|guid|handle|key|token|cursor|session|pid|ref|job|task|uri|number";
/* Names that may mean the same thing. */
static const char entity_names[] = "name|entity|from|to|source|target|node|title";

static bool share_word(struct bytes a, struct bytes b)
{
    char word[WORD_MAX];
    size_t length = 0;
    for (size_t i = 0; i <= a.len; i++) {
        bool inside = i < a.len && isalnum(a.data[i]);
        bool hump = inside && length && isupper(a.data[i]) && !isupper(a.data[i - 1]);
        if (!inside || hump) {
            word[length] = '\0';
            if (length > 3 && word[length - 1] == 's')
                word[length - 1] = '\0';
            if (length > 1 && schema_name_has(b, word))
                return true;
            length = 0;
        }
        if (inside && length + 1 < sizeof word)
            word[length++] = (char)tolower(a.data[i]);
    }
    return false;
}

bool tools_related(const struct tool *a, const struct tool *b)
{
    return share_word(a->name, b->name);
}

static bool same_thing(struct bytes a, struct bytes b)
{
    return share_word(a, b) || (schema_name_has(a, entity_names) && schema_name_has(b, entity_names));
}

static bool linkable(const struct schema_place *p)
{
    bool plain = p->free_text || (json_is(p->value, JSON_NUMBER) && !p->value->first);
    return plain && p->name.len && p->value->parent && schema_name_has(p->name, named_things);
}

/* --- what earlier calls were told --- */

static bool link_to_told(struct making *m, const struct schema_place *p)
{
    const struct known_value *fitting[KNOWN_MAX];
    double weights[KNOWN_MAX];
    size_t count = 0;
    for (size_t i = 0; i < m->known_count; i++) {
        if (m->known[i].value->kind != p->value->kind || !same_thing(m->known[i].name, p->name))
            continue;
        weights[count] = m->known[i].made ? AKIN : 1;
        fitting[count++] = &m->known[i];
    }
    if (!count)
        return false;
    const struct json *value = fitting[chooser_weighted(&m->chooser, SITE_WHICH, weights, count)]->value;
    json_replace(p->value, json_copy(&m->task->arena, value));
    return true;
}

/* --- what earlier calls replied --- */

struct pointers {
    struct arena *a;
    const char *items[POINTERS_MAX];
    size_t count;
    struct bytes wanted; /* the parameter's name */
};

static void add_pointer(struct pointers *p, const char *pointer)
{
    if (p->count < POINTERS_MAX && strlen(pointer) < POINTER_MAX)
        p->items[p->count++] = pointer;
}

static const char *below(struct pointers *p, const char *at, struct bytes key)
{
    struct buf out;
    buf_init(&out, 2 * POINTER_MAX);
    buf_addf(&out, "%s/", at);
    for (size_t i = 0; i < key.len; i++) {
        if (key.data[i] == '~' || key.data[i] == '/')
            buf_add_string(&out, key.data[i] == '~' ? "~0" : "~1");
        else
            buf_add_byte(&out, key.data[i]);
    }
    const char *text = arena_string(p->a, buf_bytes(&out));
    buf_release(&out);
    return text;
}

/* Members of a stated output that could be meant; depth is bounded, so this may call itself. */
static void from_output(struct pointers *p, const struct json *schema, const char *at, int depth)
{
    const struct json *properties = json_get(schema, "properties"), *items = json_get(schema, "items");
    if (depth == DEPTH_MAX || p->count == POINTERS_MAX)
        return;
    if (json_is(items, JSON_OBJECT))
        from_output(p, items, below(p, at, BYTES_LITERAL("0")), depth + 1);
    size_t seen = 0;
    for (const struct json *one = json_is(properties, JSON_OBJECT) ? properties->first : NULL;
         one && seen < POINTERS_MAX; one = one->next, seen++) {
        const char *here = below(p, at, one->key);
        if (json_get(one, "properties") || json_get(one, "items"))
            from_output(p, one, here, depth + 1);
        else if (same_thing(one->key, p->wanted) || schema_name_has(one->key, made_up))
            add_pointer(p, here);
    }
}

static void usual_places(struct pointers *p)
{
    add_pointer(p, below(p, "/json", p->wanted));
    add_pointer(p, "/json/id");
    add_pointer(p, below(p, "/json/0", p->wanted));
    add_pointer(p, "/json/0/id");
    add_pointer(p, "/id");
}

static bool link_to_reply(struct making *m, const struct schema_place *p)
{
    size_t steps[STEPS_BACK], count = 0;
    double weights[STEPS_BACK];
    for (size_t i = 0; i < m->called_count; i++) {
        if (m->called[i]->role != TOOL_MAKES && !m->called[i]->output)
            continue;
        /* start_session, for a session, rather than what looks at one. */
        weights[count] = (same_thing(m->called[i]->name, p->name) ? AKIN : 1) *
                         (m->called[i]->role == TOOL_MAKES ? AKIN : 1);
        steps[count++] = i;
    }
    if (!count || !schema_name_has(p->name, made_up))
        return false;
    size_t step = steps[chooser_weighted(&m->chooser, SITE_WHICH, weights, count)];
    struct pointers pointers = {.a = &m->scratch, .wanted = p->name};
    if (m->called[step]->output)
        from_output(&pointers, m->called[step]->output, "/structured", 0);
    if (!pointers.count)
        usual_places(&pointers);
    struct arena *a = &m->task->arena;
    struct json *wrapper = json_new(a, JSON_OBJECT);
    json_set(a, wrapper, "$from", json_text(a, m->task->steps[step].id));
    json_set(a, wrapper, "at",
             json_text(a, pointers.items[chooser_uniform(&m->chooser, SITE_WHICH, pointers.count)]));
    json_set(a, wrapper, "else", json_copy(a, p->value));
    json_replace(p->value, wrapper);
    return true;
}

void tools_link(struct making *m, const struct schema_value *drawn)
{
    for (size_t i = 0; i < drawn->place_count; i++) {
        const struct schema_place *p = &drawn->places[i];
        if (!linkable(p) || chooser_uniform(&m->chooser, SITE_LINK, ONE_IN + 1) == ONE_IN)
            continue;
        bool reply_first = chooser_uniform(&m->chooser, SITE_LINK, 2);
        if (reply_first ? !link_to_reply(m, p) && !link_to_told(m, p)
                        : !link_to_told(m, p) && !link_to_reply(m, p))
            continue;
    }
}

void tools_remember(struct making *m, const struct tool *tool, const struct schema_value *drawn)
{
    for (size_t i = 0; i < drawn->place_count && m->known_count < KNOWN_MAX; i++) {
        const struct schema_place *p = &drawn->places[i];
        if (linkable(p) && p->value->text.len && p->value->text.len < POINTER_MAX)
            m->known[m->known_count++] = (struct known_value){
                .name = p->name, .value = json_copy(&m->scratch, p->value), .made = tool->role == TOOL_MAKES};
    }
}
