/* What the files of JSON Schema share.
 *
 *   schema.c          the book, and drawing as a whole: attempts until the check agrees
 *   schema_pattern.c  patterns: a grammar that generates, a matcher that judges
 *   schema_view.c     what all schemas that hold for one value ask for together
 *   schema_check.c    the judge
 *   schema_value.c    drawing: which type, enums, defaults; schema_object.c and schema_array.c: containers
 *   schema_number.c   numbers; schema_text.c: strings; schema_format.c: formats; schema_name.c: calm texts by
 * names schema_violate.c  one rule broken */
#ifndef GEN_SCHEMA_INTERNAL_H
#define GEN_SCHEMA_INTERNAL_H

#include "gen/schema.h"

enum value_type {
    VALUE_NULL = 1,
    VALUE_BOOL = 2,
    VALUE_INTEGER = 4,
    VALUE_NUMBER = 8, /* one that need not be an integer */
    VALUE_STRING = 16,
    VALUE_ARRAY = 32,
    VALUE_OBJECT = 64,
    VALUE_ANY = 127
};

enum {
    CONJUNCTS_MAX = 48,    /* schemas that hold for one value */
    NAMES_MAX = 256,       /* properties of one object that are considered */
    DEPTH_CALM = 5,        /* below, only what is required */
    DEPTH_MAX = 24,        /* below, nothing that holds anything */
    NODES_MAX = 2000,      /* values within one drawn value; with so many, only what is required */
    TEXT_MAX = 64 << 10,   /* code points of one string */
    VIEW_WORK = 20,        /* steps that looking at one value's schemas counts as */
    DRAWN_MAX = 192 << 10, /* bytes of all strings of one value; with so many, only short ones */
    PLACES_MAX = 512,
    WORK_TOTAL = 400000, /* steps of looking at schemas and judging, for one value */
    WORK_JUDGE = 100000, /* of one judgement alone */
    SITE_ROLES = 16
};

/* Which choice of a schema a site is. */
enum site_role {
    ROLE_VALUE,
    ROLE_BRANCH,
    ROLE_IF,
    ROLE_ENUM,
    ROLE_GIVEN,
    ROLE_TYPE,
    ROLE_NUMBER,
    ROLE_END,
    ROLE_TEXT,
    ROLE_SETTLED,
    ROLE_COUNT,
    ROLE_OPTIONAL,
    ROLE_EXTRA,
    ROLE_PLACE,
    ROLE_VIOLATION,
    ROLE_WHOLE
};

struct schema_pattern {
    struct bytes text;
    struct grammar *grammar; /* rule "r"; NULL: outside the regular subset */
    void *code;              /* of PCRE2; NULL: not understood */
};

struct schema_book {
    struct arena arena;
    const struct json *document;
    struct schema_pattern *patterns;
    size_t pattern_count, pattern_capacity;
};

void schema_patterns_read(struct schema_book *book);
void schema_patterns_free(struct schema_book *book);
const struct schema_pattern *schema_pattern_find(const struct schema_book *book,
                                                 struct bytes text); /* NULL */
enum schema_verdict schema_pattern_matches(const struct schema_book *book, struct bytes pattern,
                                           struct bytes text);

/* All that holds for one value. Where several schemas bound the same thing, the narrower bound counts. */
struct schema_view {
    const struct json *conjuncts[CONJUNCTS_MAX]; /* $ref, allOf and chosen branches followed */
    size_t count;
    unsigned types, hinted;    /* allowed; spoken of by keywords for a type. enum value_type */
    const struct json *values; /* an enum, or NULL */
    const struct json *constant;
    double low, high;         /* infinite where there is no bound */
    bool low_open, high_open; /* the bound itself is not allowed */
    const struct json *multiple;
    uint64_t min_length, max_length, min_items, max_items, min_members, max_members; /* UINT64_MAX: none */
    bool unique;
    const struct json *pattern; /* string, or NULL */
    struct bytes format, description;
    const struct json *contains, *names; /* schemas, or NULL */
};

struct drawing {
    const struct schema_book *book;
    const struct json *root;
    bool boundary;
    struct chooser *c;
    struct arena *a;
    unsigned depth;
    size_t nodes, bytes;
    size_t work; /* what the value so far took, of WORK_TOTAL: the same when it is replayed */
    size_t
        effort; /* what was done in all, failed attempts too; with WORK_TOTAL of it nothing is tried again */
    bool contradicted; /* nothing satisfies the schema, or a bound cut off what would: trying again is no use
                        */
    struct schema_place *places;
    size_t place_count;
};

/* The schemas of one value, before references are followed. */
struct seeds {
    const struct json *items[CONJUNCTS_MAX];
    size_t count;
    bool forbidden; /* false stands among them */
};
void seeds_add(struct seeds *s, const struct json *schema);

uint32_t schema_site(const struct json *schema, enum site_role role);
static inline uint64_t draw_below(struct drawing *d, const struct json *schema, enum site_role role,
                                  uint64_t n)
{
    return chooser_uniform(d->c, schema_site(schema, role), n ? n : 1);
}
bool draw_is_full(const struct drawing *d);  /* time for what is shortest */
bool draw_is_spent(const struct drawing *d); /* nothing more that holds anything */

/* Attempts: what did not do is taken out of the log, so that a replay goes the right way at once. */
struct attempt {
    size_t log, places, nodes, bytes, work;
    bool contradicted;
};
struct attempt attempt_begin(const struct drawing *d);
void attempt_undo(struct drawing *d, const struct attempt *at);
/* Where attempts were given up a mark is logged, so that a replay takes what it finds there: logs one, or
 * says whether the replay has one next and logs it again. */
void attempt_settle(struct drawing *d, const struct json *schema);
bool attempt_was_settled(struct drawing *d, const struct json *schema);

const struct json *schema_follow_ref(const struct json *root, const struct json *ref); /* NULL: elsewhere */
unsigned schema_named_types(const struct json *type); /* of a "type" member */
unsigned schema_type_of(const struct json *value);
void schema_view_make(struct drawing *d, const struct seeds *seeds, struct schema_view *v);
void schema_view_member(const struct schema_book *book, const struct schema_view *v, struct bytes name,
                        struct seeds *out);
void schema_view_item(const struct schema_view *v, size_t index, struct seeds *out);
size_t schema_view_names(const struct schema_view *v,
                         struct bytes *out); /* at most NAMES_MAX, required ones first */
bool schema_view_requires(const struct schema_view *v, struct bytes name);
/* As schema_check, with `*work` steps left, which it uses up; with none it is unsure. */
enum schema_verdict schema_judge(const struct schema_book *book, const struct json *root,
                                 const struct json *schema, const struct json *value, size_t *work);
/* All conjuncts at once; the steps are added to *spent. */
enum schema_verdict schema_view_check(const struct drawing *d, const struct schema_view *v,
                                      const struct json *value, size_t *spent);

/* A text of the pattern, of at most so many bytes; false when it cannot be had. */
bool schema_pattern_draw(struct drawing *d, struct bytes pattern, size_t most, struct buf *out);
struct json *draw_value(struct drawing *d, const struct seeds *seeds, struct bytes name);
struct json *draw_object(struct drawing *d, const struct schema_view *v);
struct json *draw_array(struct drawing *d, const struct schema_view *v, struct bytes name);
struct json *draw_number(struct drawing *d, const struct schema_view *v, bool integer, struct bytes name);
struct json *draw_string(struct drawing *d, const struct schema_view *v, struct bytes name);
/* A text of a format that is known; false for any other. */
bool draw_format(struct drawing *d, const struct schema_view *v, struct buf *out);
bool schema_format_known(struct bytes format);
/* A calm text for a parameter of that name and description; false: they say nothing. */
bool draw_named(struct drawing *d, const struct json *schema, struct bytes name, struct bytes description,
                struct buf *out);
/* Names of what takes time, which must not be long. */
bool schema_takes_time(struct bytes name);
/* Names of what is a path: never absolute, never above the root. */
bool schema_is_path(struct bytes name);

/* A decimal of `decimals` places: 12345, 2 gives 123.45. */
struct json *schema_decimal(struct arena *a, int64_t digits, unsigned decimals);
/* Breaks one rule of the value that was drawn; false when none can be. */
bool schema_violate(struct drawing *d, struct schema_value *out);

#endif
