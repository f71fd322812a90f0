/* Values from JSON Schemas (2020-12, and what older drafts wrote otherwise), drawn through a chooser, so that
 * they can be replayed and shrunk like any derivation. docs/internals/schema.md says which keywords steer and
 * which only judge.
 *
 * Schemas come from servers: any shape, depth, size or loop of $ref is data. Nothing outside the document is
 * ever fetched; work, depth and size are bounded, and what a bound cuts off counts as a schema that allows
 * everything.
 *
 * Three kinds: valid; boundary, which is valid and takes what bounds allow to their ends; invalid, which
 * breaks one rule that is named. Each value is judged by schema_check before it is handed out: a value that
 * says it is valid is accepted, one that says it is invalid is rejected. Where a schema contradicts itself,
 * names and descriptions decide. */
#ifndef GEN_SCHEMA_H
#define GEN_SCHEMA_H

#include "base/json.h"
#include "grammar/derivation.h"

enum schema_kind { SCHEMA_VALID, SCHEMA_BOUNDARY, SCHEMA_INVALID, SCHEMA_KINDS };
const char *schema_kind_name(enum schema_kind kind); /* "valid", "boundary", "invalid" */

enum { SCHEMA_TEXT_MAX = 16 << 20 /* bytes of a book's text */ };

/* A JSON document some of whose parts are schemas, with every pattern in it compiled. Immutable and shared by
 * threads. Sites of choices follow from where a schema stands in the text: the same text gives the same
 * sites. */
struct schema_book;
int schema_book_new(struct bytes text, struct schema_book **book,
                    struct error **err); /* ERR_INPUT: no JSON; ERR_LIMIT */
void schema_book_free(struct schema_book *book);
const struct json *schema_book_document(const struct schema_book *book);

/* One value within a drawn value, outer ones behind what stands in them. */
struct schema_view;
struct schema_place {
    struct json *value;
    struct bytes name; /* of the property it belongs to, also through arrays; none for the whole */
    const struct schema_view *view; /* what its schema asks for */
    bool free_text; /* a string that neither enum, const, pattern nor format holds to anything */
};

struct schema_value {
    struct json *value;
    enum schema_kind kind; /* what it came to be: a schema that allows everything has no invalid value */
    const char *violation; /* which rule it breaks, "too-long", or NULL; static text */
    const char *at;        /* where, a JSON pointer into the value; "" */
    bool judged; /* schema_check agrees with its kind; false: contradictory, or more than we understand */
    struct schema_place *places;
    size_t place_count;
};
/* `root` is the schema, a part of the book's document; $ref "#/…" means within it. Everything lands in the
 * arena. */
void schema_draw(const struct schema_book *book, const struct json *root, enum schema_kind kind,
                 struct chooser *c, struct arena *a, struct schema_value *out);

/* Is the value what the schema asks for? UNSURE: a bound was reached, or a keyword is not understood. Formats
 * are not looked at, as 2020-12 has it. */
enum schema_verdict { SCHEMA_REJECTS, SCHEMA_ACCEPTS, SCHEMA_UNSURE };
enum schema_verdict schema_check(const struct schema_book *book, const struct json *root,
                                 const struct json *schema, const struct json *value);

/* A name's words ("fileName", "file_name" and "file-name" have two; a plural counts as its singular) against
 * a list such as "path|file|directory". */
bool schema_name_has(struct bytes name, const char *list);

#endif
