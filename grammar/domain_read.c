/* Files of a template: the main one and what it includes, and the elements directly in <domain>. A file is
 * read once, in whatever way it is reached; a file that includes itself is refused. */
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/hash.h"
#include "grammar/domain_internal.h"

enum { MAX_INCLUDES = 16, MAX_STATES = 64, MAX_BODIES = 4096 };

void list_add(struct arena *arena, struct list *list, void *item)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 8;
        void **bigger = arena_alloc(arena, capacity * sizeof *bigger);
        if (list->count)
            memcpy(bigger, list->items, list->count * sizeof *bigger);
        list->items = bigger;
        list->capacity = capacity;
    }
    list->items[list->count++] = item;
}

static const char *keep(struct reading *r, const char *text)
{
    return text ? arena_string(r->arena, bytes_of_string(text)) : NULL;
}

/* `href` beside `file`. */
static const char *beside(struct reading *r, const char *file, const char *href)
{
    char *copy = arena_string(r->arena, bytes_of_string(file));
    const char *directory = dirname(copy);
    return strcmp(directory, ".") == 0 && strncmp(file, "./", 2) != 0
               ? keep(r, href)
               : arena_printf(r->arena, "%s/%s", directory, href);
}

/* Beside the file being read, else beside the vocabulary of ops, where the shared templates are: so a template of one's own
 * can stand anywhere. Missing in both places, the first is what the message names. */
static const char *included(struct reading *r, const char *href)
{
    if (*href == '/')
        return keep(r, href);
    const char *here = beside(r, r->file, href), *shared = beside(r, ops_file(r->domain->ops), href);
    return access(here, F_OK) != 0 && access(shared, F_OK) == 0 ? shared : here;
}

static int read_include(struct reading *r, xmlNode *xml)
{
    struct plan_place place = place_at(r, xml);
    return domain_read_file(r, included(r, xml_attribute(xml, "href")), &place);
}

static int64_t limit_of(const xmlNode *xml, const char *name, int64_t absent)
{
    const char *value = xml_attribute(xml, name);
    return value ? (int64_t)attribute_count(value) : absent;
}

/* The main file's limits count; an included one has no say. */
static int read_limit(struct reading *r, xmlNode *xml)
{
    if (r->included)
        return 0;
    if (r->limited)
        return plan_fail(r->err, place_at(r, xml), "found a second <limit>, expected one");
    r->limited = true;
    struct plan_limits *limits = &r->domain->limits;
    int64_t bytes = limit_of(xml, "bytes", (int64_t)limits->bytes);
    int64_t depth = limit_of(xml, "depth", limits->depth), steps = limit_of(xml, "steps", limits->steps);
    if (bytes < 1024 || depth < 1 || depth > 1000 || steps < 1 || steps > 4096)
        return plan_fail(
            r->err, place_at(r, xml),
            "found bytes=%lld depth=%lld steps=%lld, expected bytes from 1KiB, depth from 1 to 1000, "
            "steps from 1 to 4096",
            (long long)bytes, (long long)depth, (long long)steps);
    const char *swarm = xml_attribute(xml, "swarm");
    *limits = (struct plan_limits){.bytes = (uint64_t)bytes,
                                   .depth = (uint32_t)depth,
                                   .steps = (uint32_t)steps,
                                   .swarm = !swarm || strcmp(swarm, "on") == 0,
                                   .ms = limit_of(xml, "ms", -1),
                                   .payload = limit_of(xml, "payload", -1),
                                   .processes = limit_of(xml, "processes", -1),
                                   .tabs = limit_of(xml, "tabs", -1)};
    return 0;
}

static int read_props(struct reading *r, xmlNode *xml, struct handle_type *type)
{
    size_t room = 1;
    for (xmlNode *n = xml_element(xml->children, NULL); n; n = xml_element(n->next, NULL))
        room++;
    type->props = arena_alloc(r->arena, room * sizeof *type->props);
    for (xmlNode *n = xml_element(xml->children, NULL); n; n = xml_element(n->next, NULL)) {
        if (strcmp(xml_name(n), "doc") == 0)
            continue;
        TRY(element_check(r, n, element_at(ELEMENT_PROP)));
        struct handle_prop *prop = &type->props[type->prop_count];
        const char *unique = xml_attribute(n, "unique");
        prop->name = keep(r, xml_attribute(n, "name"));
        prop->place = place_at(r, n);
        prop->unique = unique ? strcmp(unique, "yes") == 0 : strcmp(prop->name, "path") == 0;
        TRY(maker_read(r, n, element_at(ELEMENT_PROP), &prop->maker));
        if (handle_type_prop(type, bytes_of_string(prop->name)) >= 0)
            return plan_fail(r->err, prop->place, "handle \"%s\" has two properties \"%s\"", type->name,
                             prop->name);
        type->prop_count++;
    }
    return 0;
}

static const struct handle_type *find_type(const struct reading *r, const char *name)
{
    for (size_t i = 0; i < r->types.count; i++) {
        const struct handle_type *type = r->types.items[i];
        if (strcmp(type->name, name) == 0)
            return type;
    }
    return NULL;
}

/* The base's properties come first, so that an index into them fits every type made from it. */
static int inherit(struct reading *r, struct handle_type *type)
{
    const struct handle_type *base = type->base;
    struct handle_prop *props = arena_alloc(r->arena,
                                            (base->prop_count + type->prop_count + 1) * sizeof *props);
    size_t count = base->prop_count;
    if (count)
        memcpy(props, base->props, count * sizeof *props);
    for (size_t i = 0; i < type->prop_count; i++) {
        int same = handle_type_prop(base, bytes_of_string(type->props[i].name));
        props[same >= 0 ? (size_t)same : count++] = type->props[i];
    }
    type->props = props;
    type->prop_count = count;
    if (!type->states) {
        type->states = base->states;
        type->state_count = base->state_count;
    }
    return 0;
}

static int read_handle(struct reading *r, xmlNode *xml)
{
    static const char *const live[] = {"live"};
    struct handle_type *type = arena_alloc(r->arena, sizeof *type);
    const char *base = xml_attribute(xml, "base"), *states = xml_attribute(xml, "states");
    type->name = keep(r, xml_attribute(xml, "name"));
    type->place = place_at(r, xml);
    const struct handle_type *other = find_type(r, type->name);
    if (other)
        return plan_fail(r->err, type->place, "handle \"%s\" is already declared at %s:%u", type->name,
                         other->place.file, other->place.line);
    if (base && !(type->base = find_type(r, base)))
        return plan_fail(r->err, type->place,
                         "unknown base \"%s\", expected a handle declared before this one", base);
    if (states)
        type->states = words_read(r, states, &type->state_count);
    if (type->state_count > MAX_STATES)
        return plan_fail(r->err, type->place, "handle \"%s\" has more than %d states", type->name,
                         MAX_STATES);
    TRY(read_props(r, xml, type));
    if (type->base)
        TRY(inherit(r, type));
    if (!type->states) {
        type->states = live;
        type->state_count = 1;
    }
    list_add(r->arena, &r->types, type);
    return 0;
}

/* Params and withs directly in the body are what a <do> may pass. */
static void note_inputs(struct reading *r, struct plan_step *step)
{
    size_t count = 0;
    for (const struct plan_node *n = step->body; n; n = n->next)
        count++;
    step->inputs = arena_alloc(r->arena, (count + 1) * sizeof *step->inputs);
    for (struct plan_node *n = step->body; n; n = n->next) {
        if (n->kind != PLAN_PARAM && n->kind != PLAN_WITH)
            continue;
        step->inputs[step->input_count++] = n;
        step->needs_arguments |= n->kind == PLAN_PARAM && !n->u.maker;
    }
}

static int find_given(struct reading *r, struct plan_step *step)
{
    for (const struct plan_node *n = step->body; step->gives && !step->given && n; n = n->next) {
        bool binds = n->kind == PLAN_LET || n->kind == PLAN_PARAM || n->kind == PLAN_DEF ||
                     n->kind == PLAN_WITH || n->kind == PLAN_OP;
        if (binds && n->name && strcmp(n->name, step->gives) == 0 && !n->when)
            step->given = n;
    }
    if (!step->gives || step->given)
        return 0;
    return plan_fail(r->err, step->place,
                     "step \"%s\" gives \"%s\", which no unguarded let, param, def, with or into directly "
                     "in it binds",
                     step->name, step->gives);
}

static int add_body(struct reading *r, xmlNode *xml, struct list *list, const char *what)
{
    struct plan_step *step = arena_alloc(r->arena, sizeof *step);
    step->name = keep(r, xml_attribute(xml, "name"));
    step->place = place_at(r, xml);
    step->weight = attribute_number(xml_attribute(xml, "weight"), 1);
    step->gives = keep(r, xml_attribute(xml, "gives"));
    for (size_t i = 0; i < list->count; i++) {
        const struct plan_step *other = list->items[i];
        if (strcmp(other->name, step->name) == 0)
            return plan_fail(r->err, step->place, "%s \"%s\" stands already at %s:%u", what, step->name,
                             other->place.file, other->place.line);
    }
    if (list->count == MAX_BODIES)
        return plan_fail(r->err, step->place, "more than %d of <%s>", MAX_BODIES, what);
    step->index = list->count;
    TRY(guard_read(r, xml, &step->when));
    TRY(body_read(r, xml, &step->body));
    note_inputs(r, step);
    TRY(find_given(r, step));
    list_add(r->arena, list, step);
    return 0;
}

static int read_step(struct reading *r, xmlNode *xml)
{
    return add_body(r, xml, &r->steps, "step");
}

static int read_workflow(struct reading *r, xmlNode *xml)
{
    return r->included ? 0 : add_body(r, xml, &r->workflows, "workflow");
}

static int read_hazard(struct reading *r, xmlNode *xml)
{
    struct domain_hazard *hazard = arena_alloc(r->arena, sizeof *hazard);
    hazard->mutator = keep(r, xml_attribute(xml, "mutator"));
    hazard->probability = attribute_number(xml_attribute(xml, "p"), 0);
    hazard->on = keep(r, xml_attribute(xml, "on"));
    hazard->kinds = keep(r, xml_attribute(xml, "kinds"));
    hazard->place = arena_printf(r->arena, "%s:%u", r->file, xml_line(xml));
    list_add(r->arena, &r->hazards, hazard);
    return 0;
}

static int read_grammar(struct reading *r, xmlNode *xml)
{
    const char *import = xml_attribute(xml, "import");
    if (import) {
        int status = grammar_add_file(r->domain->grammar, included(r, import), r->err);
        if (status < 0) {
            error_wrap(r->err, "%s:%u", r->file, xml_line(xml));
            return status;
        }
    }
    xmlChar *content = xmlNodeGetContent(xml);
    int status = grammar_add_text(r->domain->grammar, bytes_of_string((const char *)content), r->file,
                                  xml_line(xml), r->err);
    xmlFree(content);
    return status;
}

static const struct {
    enum element_id element;
    int (*read)(struct reading *r, xmlNode *xml);
} readers[] = {
    {ELEMENT_INCLUDE, read_include}, {ELEMENT_LIMIT, read_limit},       {ELEMENT_HANDLE, read_handle},
    {ELEMENT_STEP, read_step},       {ELEMENT_WORKFLOW, read_workflow}, {ELEMENT_HAZARD, read_hazard},
    {ELEMENT_GRAMMAR, read_grammar},
};
enum { READER_COUNT = sizeof readers / sizeof readers[0] };

static int read_root(struct reading *r, xmlNode *root)
{
    if (!root || strcmp(xml_name(root), "domain") != 0 || !xml_in_namespace(root, DOMAIN_NAMESPACE))
        return plan_fail(r->err, (struct plan_place){r->file, root ? xml_line(root) : 1},
                         "found another root element, expected <domain xmlns=\"" DOMAIN_NAMESPACE "\">");
    TRY(element_check(r, root, element_at(ELEMENT_DOMAIN)));
    if (!r->included) {
        r->domain->name = keep(r, xml_attribute(root, "name"));
        r->domain->title = keep(r, xml_attribute(root, "title"));
        if (!r->domain->title)
            r->domain->title = r->domain->name;
    }
    for (xmlNode *n = xml_element(root->children, NULL); n; n = xml_element(n->next, NULL)) {
        const struct element *row = element_find(xml_name(n));
        TRY(element_check(r, n, row));
        for (size_t i = 0; i < READER_COUNT; i++)
            if (readers[i].element == element_id_of(row))
                TRY(readers[i].read(r, n));
    }
    return 0;
}

/* Puts the file's canonical name on the list; *seen tells that it stood there already. */
static int enter(struct reading *r, const char *file, const struct plan_place *from, bool *seen)
{
    char *real = realpath(file, NULL);
    const char *name = keep(r, real ? real : file);
    free(real);
    *seen = false;
    for (size_t i = 0; i < r->open.count; i++)
        if (strcmp(r->open.items[i], name) == 0)
            return plan_fail(r->err, *from, "%s includes itself, over %zu files", file, r->open.count - i);
    if (r->open.count == MAX_INCLUDES)
        return plan_fail(r->err, *from, "more than %d files that include one another", MAX_INCLUDES);
    for (size_t i = 0; i < r->files.count; i++)
        *seen |= strcmp(r->files.items[i], name) == 0;
    list_add(r->arena, &r->files, (void *)name);
    list_add(r->arena, &r->open, (void *)name);
    return 0;
}

int domain_read_file(struct reading *r, const char *file, const struct plan_place *from)
{
    bool seen;
    TRY(enter(r, file, from, &seen));
    if (seen) {
        r->open.count--;
        return 0;
    }
    struct buf text;
    buf_init(&text, XML_MAX_FILE);
    xmlDoc *doc = NULL;
    int status = fs_read(file, XML_MAX_FILE, &text, r->err);
    if (status < 0 && from)
        error_wrap(r->err, "%s:%u", from->file, from->line);
    if (status == 0)
        status = xml_parse(file, buf_bytes(&text), &doc, r->err);
    if (status == 0) {
        const char *outer = r->file;
        bool was_included = r->included;
        r->hash = hash64_mix(r->hash, hash64(buf_bytes(&text)));
        r->file = keep(r, file);
        r->included = from != NULL;
        status = read_root(r, xmlDocGetRootElement(doc));
        r->file = outer;
        r->included = was_included;
        xmlFreeDoc(doc);
    }
    buf_release(&text);
    r->open.count--;
    return status;
}
