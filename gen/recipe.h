/* Content recipes: big or derived content as a few words, {"$recipe":"csv","rows":1000,"seed":7}. The same recipe gives
 * the same bytes on every machine and with whatever library version (stored blocks in PNG; no library formats floats).
 * A recipe knows facts of what it makes (rows, size, sha256, sum.price …), which templates use in expectations. */
#ifndef GEN_RECIPE_H
#define GEN_RECIPE_H

#include "base/json.h"

struct content_stream; /* opaque; sequential */
struct rope;           /* gen/recipes/recipes.h */

enum recipe_type {
    RECIPE_INT,    /* from low to high */
    RECIPE_BOOL,
    RECIPE_ONE_OF, /* a text of `values` */
    RECIPE_BYTES,  /* a string of low to high bytes, any bytes */
    RECIPE_CONTENT /* a content value of its own: a string or a recipe object */
};

struct recipe_parameter {
    const char *name;
    const char *fallback; /* JSON text of the default; NULL: required */
    const char *doc;
    enum recipe_type type;
    int64_t low, high;
    const char *const *values; /* NULL-terminated */
};

enum {
    RECIPE_NESTING_MAX = 8,  /* contents inside contents */
    RECIPE_MAKE_MAX = 1 << 28, /* bytes of what is made whole, as a stage of a bigger content too */
    RECIPE_LOOK_MAX = 1 << 22  /* bytes made only to see whether they are UTF-8; more counts as not */
};

struct recipe {
    const char *name;
    const char *doc;
    const struct recipe_parameter *parameters;
    size_t parameter_count;
    const char *const *facts;  /* names beside size and sha256, for `taskgen domains` and checks at load */
    /* Writes everything; out's maximum bounds it. Parameters are complete (defaults filled in) and checked. NULL for those
     * that fill or compose. */
    int (*make)(const struct json *parameters, struct buf *out, struct error **err);
    /* Size without making, for those that fill; NULL: only making tells. */
    int64_t (*size)(const struct json *parameters);
    /* Fact as a JSON value, or NULL when there is no such fact. NULL: none but size and sha256. */
    struct json *(*fact)(const struct json *parameters, struct bytes name, struct arena *a);
    /* Streaming, for those that can be bigger than memory; NULL: made whole. Fills data from `offset` on. */
    void (*fill)(const struct json *parameters, uint64_t offset, void *data, size_t len);
    /* Checks what the single parameters' ranges cannot say; NULL: nothing. `where` as in recipe_complete. */
    int (*check)(const struct json *parameters, const char *where, struct error **err);
    /* For those made of other contents: adds their pieces; then make, size and fill are NULL. */
    int (*compose)(const struct json *parameters, struct rope *rope, struct error **err);
    /* Whether all it makes is UTF-8: 1 yes, 0 no, -1 only making tells. NULL: -1. */
    int (*utf8)(const struct json *parameters);
};

const struct recipe *recipe_find(struct bytes name);
const struct recipe *recipe_at(size_t index); /* NULL past the end */
/* For struct domain_recipes: facts include size and sha256; a name in `facts` that ends in ".*" stands for all that start
 * alike ("count.*"). */
bool recipe_parameter_known(const struct recipe *recipe, const char *parameter);
bool recipe_fact_known(const struct recipe *recipe, const char *fact);
/* Checks a recipe object and fills in defaults, into a new object (contents inside it too). ERR_INPUT: "WHERE: rows:
 * found …, expected …". */
int recipe_complete(const struct json *object, const char *where, struct arena *a, struct json **complete,
                    struct error **err);

/* A content value: a string (its own bytes), a {"$recipe":…} object, complete or not, or {"$bytes":…}. All of these
 * fail with ERR_INPUT on anything else (as text: 0 bytes, -1, false or NULL where there is no err). */
int content_make(const struct json *content, size_t max, struct buf *out, struct error **err); /* ERR_LIMIT past max */
int64_t content_size(const struct json *content); /* made where only that tells */
/* True also where a NUL is in it. Where only making tells, more than RECIPE_LOOK_MAX bytes count as not. */
bool content_is_utf8(const struct json *content);
/* "size", "sha256" or one of the recipe's facts; NULL when there is none. sha256 of a big content is streamed. */
struct json *content_fact(const struct json *content, struct bytes name, struct arena *a);
int content_open(const struct json *content, struct content_stream **stream, struct error **err);
size_t content_read(struct content_stream *s, void *data, size_t len); /* 0 at the end */
uint64_t content_length(const struct content_stream *s); /* of the whole content */
void content_seek(struct content_stream *s, uint64_t at); /* what is read next; past the end there is nothing */
void content_close(struct content_stream *s);

#endif
