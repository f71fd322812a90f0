/* A grammar as storage: pools, the table of rules, files; and the building blocks that readers make nodes
 * with.
 *
 * Rules are found by name through an open-addressing hash table of at most half load. Names of rules are
 * unique over all texts and files that were added. */
#include "grammar/grammar_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/hash.h"

enum { FIRST_ITEMS = 16, IMPORTS_MOST = 32 };

void *pool_room(void *items, size_t *capacity, size_t need, size_t size)
{
    if (need <= *capacity)
        return items;
    size_t larger = *capacity ? *capacity : FIRST_ITEMS;
    while (larger < need)
        larger *= 2;
    *capacity = larger;
    return xrealloc(items, larger * size);
}

struct grammar *grammar_new(void)
{
    struct grammar *g = xcalloc(1, sizeof *g);
    POOL_ROOM(g->text, 1); /* so that empty texts and lists have an address too */
    POOL_ROOM(g->kids, 1);
    return g;
}

static void free_strings(char **strings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(strings[i]);
    free(strings);
}

void grammar_free(struct grammar *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->rules.count; i++) {
        struct rule *r = &g->rules.items[i];
        free(r->name);
        free(r->place_text);
        free_strings(r->parameters, r->arity);
    }
    free(g->rules.items);
    free(g->nodes.items);
    free(g->kids.items);
    free(g->text.items);
    free(g->spans.items);
    free(g->weights.items);
    free(g->levels.items);
    free(g->slots.items);
    free(g->coefficients.items);
    free(g->sites.items);
    free_strings(g->files.items, g->files.count);
    free_strings(g->imported.items, g->imported.count);
    free(g->index);
    free(g);
}

uint32_t grammar_file(struct grammar *g, const char *name)
{
    for (size_t i = 0; i < g->files.count; i++)
        if (strcmp(g->files.items[i], name) == 0)
            return (uint32_t)i;
    POOL_ADD(g->files, xstrdup(name));
    return (uint32_t)g->files.count - 1;
}

int grammar_fail(const struct grammar *g, struct place place, struct error **err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = NULL;
    if (vasprintf(&text, format, args) < 0)
        BUG("out of memory");
    va_end(args);
    error_set(err, ERR_INPUT, "%s:%u:%u: %s", g->files.items[place.file], place.line, place.column, text);
    free(text);
    return ERR_INPUT;
}

int grammar_count_source(struct grammar *g, size_t bytes, const char *file, struct error **err)
{
    if (bytes > SOURCE_MOST - g->source)
        return error_set(err, ERR_LIMIT, "%s: all texts of a grammar together are more than %d bytes", file,
                         SOURCE_MOST);
    g->source += bytes;
    return 0;
}

struct bytes grammar_text(const struct grammar *g, uint32_t first, uint32_t count)
{
    return bytes_slice(bytes_of(g->text.items, g->text.count), first, (size_t)first + count);
}

/* Rules by name. ----------------------------------------------------------------------------------------- */

/* Where the name is in the table, or the free place where it would be. */
static size_t index_place(const struct grammar *g, struct bytes name)
{
    size_t at = hash64(name) & (g->index_size - 1);
    while (g->index[at] != NONE && !bytes_equal_string(name, g->rules.items[g->index[at]].name))
        at = (at + 1) & (g->index_size - 1);
    return at;
}

static void index_grow(struct grammar *g)
{
    g->index_size = g->index_size ? 2 * g->index_size : 2 * FIRST_ITEMS;
    g->index = xrealloc(g->index, g->index_size * sizeof *g->index);
    for (size_t i = 0; i < g->index_size; i++)
        g->index[i] = NONE;
    for (size_t i = 0; i < g->rules.count; i++)
        g->index[index_place(g, bytes_of_string(g->rules.items[i].name))] = (uint32_t)i;
}

uint32_t grammar_find(const struct grammar *g, struct bytes name)
{
    return g->index_size ? g->index[index_place(g, name)] : NONE;
}

static char *string_of(struct bytes b)
{
    char *string = xmalloc(b.len + 1);
    if (b.len)
        memcpy(string, b.data, b.len);
    string[b.len] = '\0';
    return string;
}

int grammar_new_rule(struct grammar *g, struct bytes name, struct place place, uint32_t *rule,
                     struct error **err)
{
    uint32_t before = grammar_find(g, name);
    if (before != NONE)
        return grammar_fail(g, place, err, "rule '%.*s' is defined a second time, first at %s",
                            BYTES_ARG(name), g->rules.items[before].place_text);
    if (2 * (g->rules.count + 1) > g->index_size)
        index_grow(g);
    char *where = NULL;
    if (asprintf(&where, "%s:%u", g->files.items[place.file], place.line) < 0)
        BUG("out of memory");
    *rule = (uint32_t)g->rules.count;
    size_t at = index_place(g, name);
    POOL_ADD(g->rules, ((struct rule){.name = string_of(name),
                                      .place_text = where,
                                      .place = place,
                                      .body = NONE,
                                      .first_node = (uint32_t)g->nodes.count}));
    g->index[at] = *rule;
    return 0;
}

int grammar_rule(const struct grammar *g, struct bytes name)
{
    uint32_t rule = grammar_find(g, name);
    return rule == NONE ? -1 : (int)rule;
}

static const struct rule *rule_at(const struct grammar *g, int rule)
{
    if (rule < 0 || (size_t)rule >= g->rules.count)
        BUG("no such rule");
    return &g->rules.items[rule];
}

size_t grammar_rule_count(const struct grammar *g)
{
    return g->rules.count;
}

const char *grammar_rule_name(const struct grammar *g, int rule)
{
    return rule_at(g, rule)->name;
}

size_t grammar_rule_arity(const struct grammar *g, int rule)
{
    return rule_at(g, rule)->arity;
}

const char *grammar_rule_place(const struct grammar *g, int rule)
{
    return rule_at(g, rule)->place_text;
}

uint64_t grammar_rule_least(const struct grammar *g, int rule)
{
    return g->nodes.items[rule_at(g, rule)->body].cost.bytes;
}

const char *grammar_rule_parameter(const struct grammar *g, int rule, size_t index)
{
    const struct rule *r = rule_at(g, rule);
    if (index >= r->arity)
        BUG("no such parameter");
    return r->parameters[index];
}

uint32_t grammar_site_end(const struct grammar *g)
{
    return g->site_end;
}

/* Texts and files. --------------------------------------------------------------------------------------- */

int grammar_add_text(struct grammar *g, struct bytes text, const char *file, unsigned line,
                     struct error **err)
{
    return tg_read(g, text, file, line, false, err);
}

static bool is_json(const char *path)
{
    return bytes_ends(bytes_of_string(path), BYTES_LITERAL(".json"));
}

static int read_file(struct grammar *g, const char *path, struct error **err)
{
    struct buf text;
    buf_init(&text, SOURCE_MOST);
    int status = fs_read(path, SOURCE_MOST, &text, err);
    if (status == 0 && is_json(path))
        status = grammar_add_json(g, buf_bytes(&text), path, err);
    else if (status == 0)
        status = tg_read(g, buf_bytes(&text), path, 1, true, err);
    buf_release(&text);
    return status;
}

int grammar_add_file(struct grammar *g, const char *path, struct error **err)
{
    struct stat s;
    char *canonical = stat(path, &s) == 0 ? realpath(path, NULL) : NULL;
    if (!canonical)
        return error_set(err, ERR_INPUT, "cannot read '%s': %s", path, strerror(errno));
    if (!S_ISREG(s.st_mode)) { /* a FIFO or a device would let reading wait for ever */
        free(canonical);
        return error_set(err, ERR_INPUT, "cannot read '%s': not a regular file", path);
    }
    for (size_t i = 0; i < g->imported.count; i++) {
        if (strcmp(g->imported.items[i], canonical) == 0) { /* again, or in a circle */
            free(canonical);
            return 0;
        }
    }
    POOL_ADD(g->imported, canonical);
    return read_file(g, path, err);
}

int grammar_import(struct grammar *g, struct bytes path, const char *from, struct error **err)
{
    if (g->import_depth >= IMPORTS_MOST)
        return error_set(err, ERR_INPUT, "more than %d files import each other", IMPORTS_MOST);
    const char *slash = strrchr(from, '/');
    size_t directory = path.len && path.data[0] != '/' && slash ? (size_t)(slash - from) + 1 : 0;
    char *full = NULL;
    if (asprintf(&full, "%.*s%.*s", (int)directory, from, BYTES_ARG(path)) < 0)
        BUG("out of memory");
    g->import_depth++;
    int status = grammar_add_file(g, full, err);
    g->import_depth--;
    free(full);
    return status;
}

/* Nodes. ------------------------------------------------------------------------------------------------- */

uint32_t node_new(struct grammar *g, enum node_kind kind, struct place place)
{
    POOL_ADD(g->nodes,
             ((struct node){.kind = kind, .site = NONE, .target = NONE, .referred = NONE, .place = place}));
    return (uint32_t)g->nodes.count - 1;
}

static uint32_t keep_text(struct grammar *g, struct bytes text)
{
    uint32_t first = (uint32_t)g->text.count;
    POOL_ROOM(g->text, text.len);
    if (text.len)
        memcpy(g->text.items + first, text.data, text.len);
    g->text.count += text.len;
    return first;
}

uint32_t node_text(struct grammar *g, struct bytes text, struct place place)
{
    uint32_t node = node_new(g, NODE_TEXT, place);
    g->nodes.items[node].first = keep_text(g, text);
    g->nodes.items[node].count = (uint32_t)text.len;
    return node;
}

static void set_kids(struct grammar *g, uint32_t node, const uint32_t *kids, size_t count)
{
    g->nodes.items[node].first = (uint32_t)g->kids.count;
    g->nodes.items[node].count = (uint32_t)count;
    POOL_ROOM(g->kids, count);
    for (size_t i = 0; i < count; i++)
        g->kids.items[g->kids.count++] = kids[i];
}

uint32_t node_list(struct grammar *g, enum node_kind kind, const uint32_t *kids, size_t count,
                   struct place place)
{
    if (kind == NODE_SEQUENCE && count == 1)
        return kids[0];
    uint32_t node = node_new(g, kind, place);
    set_kids(g, node, kids, count);
    return node;
}

uint32_t node_choice(struct grammar *g, const uint32_t *kids, const double *weights, size_t count,
                     struct place place)
{
    if (count == 1 && (!weights || weights[0] > 0))
        return kids[0];
    uint32_t node = node_list(g, NODE_CHOICE, kids, count, place);
    g->nodes.items[node].u.choice.weights = (uint32_t)g->weights.count;
    POOL_ROOM(g->weights, count);
    for (size_t i = 0; i < count; i++)
        g->weights.items[g->weights.count++] = weights ? weights[i] : 1;
    return node;
}

uint32_t node_repeat(struct grammar *g, uint32_t item, uint32_t separator, uint32_t min, uint32_t max,
                     struct place place)
{
    uint32_t kids[2] = {item, separator};
    uint32_t node = node_list(g, NODE_REPEAT, kids, separator == NONE ? 1 : 2, place);
    struct node *n = &g->nodes.items[node];
    n->open_ended = max == NONE;
    n->u.repeat.min = min;
    n->u.repeat.max = n->open_ended ? min + CHOOSER_OPEN_MOST : max;
    return node;
}

uint32_t node_reference(struct grammar *g, struct bytes name, const uint32_t *arguments, size_t count,
                        struct place place)
{
    uint32_t node = node_list(g, NODE_RULE, arguments, count, place);
    g->nodes.items[node].u.name.first = keep_text(g, name);
    g->nodes.items[node].u.name.count = (uint32_t)name.len;
    return node;
}
