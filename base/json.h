/* JSON that keeps what was sent: number lexemes, duplicate keys, key order, lone surrogates, invalid UTF-8.
 *
 * What servers send is the thing under test, so the reader reports positions and never normalises. Values
 * live in an arena; children are linked lists. Strings are decoded to bytes: a lone surrogate \ud800 becomes
 * its generalised UTF-8 bytes (ED A0 80), \u0000 becomes a NUL byte. Reading and writing do not recurse:
 * depth is limited only by `max_depth`. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"

enum json_kind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
    JSON_RAW /* written as it stands; never made by the reader */
};

/* A value has one parent. Setters and readers keep the list fields right; nobody else writes them. */
struct json {
    enum json_kind kind;
    uint32_t count;    /* children of an array or object */
    struct bytes text; /* number: lexeme; string: decoded bytes; raw: the text. A NUL follows, not counted */
    struct bytes key;  /* this value's name, when its parent is an object */
    struct json *first, *last, *next, *parent;
    size_t offset;       /* of its first byte in the text read, from 0; 0 for built values */
    bool bad_utf8;       /* string or key held bytes that are not UTF-8 */
    bool lone_surrogate; /* string or key held \ud800-\udfff without its pair */
    bool duplicate;      /* an earlier sibling has the same key; set by the reader only */
};

struct json_options {
    size_t max_depth;    /* containers within each other; 0: 100,000 */
    bool allow_bad_utf8; /* keep invalid UTF-8 inside strings and mark it instead of refusing */
    bool allow_trailing; /* stop behind the first value; *used says where */
};

/* Reads one value; options may be NULL. All text is copied into the arena. `where` names the source in
 * messages, the byte offset, counted from 0, is added: "tasks.jsonl:3: byte 17: expected ',' or '}', found
 * 'x'". ERR_INPUT when the text is not JSON (RFC 8259; a byte order mark is not), ERR_LIMIT when it is nested
 * too deep; then *value and *used are left alone. used may be NULL; without allow_trailing it is the text's
 * length. Takes linear time and no stack, whatever the depth, the strings' lengths and the keys. */
int json_read(struct arena *a, struct bytes text, const struct json_options *options, const char *where,
              struct json **value, size_t *used, struct error **err);

enum json_style {
    JSON_COMPACT,
    JSON_SORTED, /* compact, keys sorted bytewise at every level, doubled ones in their order: the canonical
                    form */
    JSON_PRETTY  /* two spaces a level, no newline at the end */
};
/* Strings are written as UTF-8 with the short escapes; control characters and invalid bytes as \u00xx, and
 * generalised surrogate bytes (ED A0..BF xx) as the \ud800 escape they came from; so bytes that are not UTF-8
 * do not survive a round trip, which the caller must know.
 *
 * Numbers keep their lexeme, but JSON_SORTED writes one text for each decimal value: integer lexemes as they
 * are (-0 as 0), others as ECMAScript lays them out (1.0 is 1, 1e2 is 100, 0.10 is 0.1, 1e-7, 1.5e+300),
 * never rounded: what a double cannot hold keeps all its digits. A text that no parser may touch is
 * JSON_RAW's business. */
void json_write(struct buf *out, const struct json *value, enum json_style style);
void json_write_string(struct buf *out, struct bytes text); /* with its quotes */

/* Building. The key and text are copied into the arena. A setter appends without looking for the key. It is a
 * bug to give a value a second parent (copy or remove it first) or to add to something that is not the right
 * container. */
struct json *json_new(struct arena *a, enum json_kind kind);
struct json *json_string(struct arena *a, struct bytes text);
struct json *json_text(struct arena *a, const char *text);
struct json *json_integer(struct arena *a, int64_t value);
struct json *json_real(struct arena *a, double value); /* shortest that reads back the same; must be finite */
struct json *json_bool(struct arena *a, bool value);
struct json *json_raw(struct arena *a, struct bytes text);
struct json *json_add(struct json *array, struct json *value); /* returns value */
/* Both return value. */
struct json *json_set(struct arena *a, struct json *object, const char *key, struct json *value);
struct json *json_set_bytes(struct arena *a, struct json *object, struct bytes key, struct json *value);
/* Both take time in the number of children in front, and leave the child free to be added elsewhere. */
void json_remove(struct json *parent, struct json *child);
void json_replace(struct json *old, struct json *value); /* puts value in old's place, under old's key */
struct json *json_copy(struct arena *a, const struct json *value); /* deep, without the key; NULL of NULL */
/* Numbers by lexeme, objects without regard to order, doubled keys in their order. */
bool json_equal(const struct json *a, const struct json *b);

/* The value after `node` in a walk over `root` and all below it, parents first; NULL behind the last. What is below `node` is passed
 * over unless `down`. */
struct json *json_next(const struct json *root, const struct json *node, bool down);

/* Reading. All take NULL and the wrong kind and then return NULL, false or the fallback. */
struct json *json_get(const struct json *object, const char *key); /* the last one, when doubled */
struct json *json_get_bytes(const struct json *object, struct bytes key);
struct json *json_at(const struct json *array, size_t index);
struct json *json_pointer(const struct json *value,
                          struct bytes pointer); /* RFC 6901; "": the value itself */
bool json_is(const struct json *value, enum json_kind kind);
bool json_as_integer(const struct json *value, int64_t *out); /* only integer lexemes in range */
bool json_as_real(const struct json *value, double *out);     /* false when a double cannot hold it: 1e999 */
bool json_as_bool(const struct json *value, bool fallback);
struct bytes json_as_text(const struct json *value); /* of a string or number; else no bytes */
const char *json_kind_name(enum json_kind kind);

#endif
