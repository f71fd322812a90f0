/* JSON Schemas as a source of values: the book, and drawing as a whole; see schema.h.
 *
 * Sites: each schema has SITE_ROLES numbers that follow from where it stands in the text, patterns have
 * numbers of their own above. An attempt that the check refuses is cut out of the log and tried anew with
 * fresh choices, so a log holds one attempt, the one that did, and its replay finds that at once. */
#include "gen/schema.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gen/schema_internal.h"

enum { DOCUMENT_DEPTH = 512, FIRST_SITE = 64 };

const char *schema_kind_name(enum schema_kind kind)
{
    static const char *const names[] = {"valid", "boundary", "invalid"};
    return names[kind];
}

/* --- the book --- */

int schema_book_new(struct bytes text, struct schema_book **book, struct error **err)
{
    struct schema_book *b = xcalloc(1, sizeof *b);
    struct json *document = NULL;
    struct json_options options = {.max_depth = DOCUMENT_DEPTH, .allow_bad_utf8 = true};
    int status = 0;
    arena_init(&b->arena);
    if (text.len > SCHEMA_TEXT_MAX)
        status = error_set(err, ERR_LIMIT, "schemas of %zu bytes, expected at most %d", text.len,
                           SCHEMA_TEXT_MAX);
    else
        status = json_read(&b->arena, text, &options, "schemas", &document, NULL, err);
    if (status < 0) {
        schema_book_free(b);
        return status;
    }
    b->document = document;
    schema_patterns_read(b);
    *book = b;
    return 0;
}

void schema_book_free(struct schema_book *book)
{
    if (!book)
        return;
    schema_patterns_free(book);
    arena_release(&book->arena);
    free(book);
}

const struct json *schema_book_document(const struct schema_book *book)
{
    return book->document;
}

/* --- names --- */

/* The next word in lower case; false at the end. */
static bool next_word(struct bytes name, size_t *at, char *word, size_t size)
{
    size_t length = 0;
    while (*at < name.len && !isalnum(name.data[*at]))
        ++*at;
    for (; *at < name.len && isalnum(name.data[*at]); ++*at) {
        bool hump = isupper(name.data[*at]) && length && *at && !isupper(name.data[*at - 1]);
        if (hump)
            break;
        if (length + 1 < size)
            word[length++] = (char)tolower(name.data[*at]);
    }
    word[length] = '\0';
    return length > 0;
}

static bool listed(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; *at;) {
        size_t size = strcspn(at, "|");
        if (size == length && memcmp(at, word, size) == 0)
            return true;
        if (size + 1 == length && word[size] == 's' && size > 1 && memcmp(at, word, size) == 0)
            return true;
        at += size + (at[size] == '|');
    }
    return false;
}

bool schema_name_has(struct bytes name, const char *list)
{
    char word[32];
    for (size_t at = 0; next_word(name, &at, word, sizeof word);)
        if (listed(list, word))
            return true;
    return false;
}

/* --- what drawing is made of --- */

uint32_t schema_site(const struct json *schema, enum site_role role)
{
    return FIRST_SITE + (schema ? (uint32_t)schema->offset * SITE_ROLES : 0) + role;
}

bool draw_is_full(const struct drawing *d)
{
    return d->depth > DEPTH_CALM || d->nodes > NODES_MAX / 2 || d->bytes > DRAWN_MAX / 2 ||
           d->work > WORK_TOTAL / 2;
}

bool draw_is_spent(const struct drawing *d)
{
    return d->depth >= DEPTH_MAX || d->nodes >= NODES_MAX || d->work >= WORK_TOTAL;
}

struct attempt attempt_begin(const struct drawing *d)
{
    return (struct attempt){.log = d->c->log->count,
                            .places = d->place_count,
                            .nodes = d->nodes,
                            .bytes = d->bytes,
                            .work = d->work,
                            .contradicted = d->contradicted};
}

void attempt_undo(struct drawing *d, const struct attempt *at)
{
    d->c->log->count = at->log;
    d->place_count = at->places;
    d->nodes = at->nodes;
    d->bytes = at->bytes;
    d->work = at->work;
    d->contradicted = at->contradicted;
    /* What there was to replay has been tried: the rest of this subtree comes from the rng. */
    d->c->at = d->c->limit;
}

void attempt_settle(struct drawing *d, const struct json *schema)
{
    chooser_uniform(d->c, schema_site(schema, ROLE_SETTLED), 2);
}

bool attempt_was_settled(struct drawing *d, const struct json *schema)
{
    const struct chooser *c = d->c;
    if (c->at >= c->limit || c->replay->items[c->at].site != schema_site(schema, ROLE_SETTLED))
        return false;
    attempt_settle(d, schema);
    return true;
}

/* --- the whole --- */

void schema_draw(const struct schema_book *book, const struct json *root, enum schema_kind kind,
                 struct chooser *c, struct arena *a, struct schema_value *out)
{
    struct drawing d = {.book = book, .root = root, .boundary = kind == SCHEMA_BOUNDARY, .c = c, .a = a};
    struct seeds seeds = {0};
    d.places = arena_alloc(a, PLACES_MAX * sizeof *d.places);
    seeds_add(&seeds, root);
    *out = (struct schema_value){.kind = kind, .at = "", .value = draw_value(&d, &seeds, BYTES_NONE)};
    out->places = d.places;
    out->place_count = d.place_count;
    out->judged = !d.contradicted && schema_check(book, root, root, out->value) == SCHEMA_ACCEPTS;
    if (kind == SCHEMA_INVALID && !schema_violate(&d, out))
        out->kind = SCHEMA_VALID;
}
