/* The op vocabulary, read from domains/ops.xml: the one place that says which ops exist, what they take and give, and
 * which capability they need. Immutable once loaded; shared by all threads. */
#ifndef GRAMMAR_OPS_H
#define GRAMMAR_OPS_H

#include "base/bytes.h"
#include "base/error.h"

enum op_type { OP_PATH, OP_BYTES, OP_TEXT, OP_INT, OP_BOOL, OP_REAL, OP_ONE_OF, OP_TEXTS, OP_MAP, OP_JSON };

struct op_arg {
    const char *name;
    enum op_type type;
    bool required;
    bool unsent;                 /* for the harness alone: resolving a step leaves it out */
    bool site;                   /* an address: a text that begins with {site} means the fixture web site there */
    const char *fallback;        /* what an absent one means; NULL: nothing */
    const char *const *values;   /* OP_ONE_OF: NULL-terminated */
    const char *doc;
};

struct ops; /* opaque */

struct op {
    const char *name;
    const char *group;
    const char *needs;           /* "" when every target can do it */
    const char *doc;
    const struct op_arg *args;
    size_t arg_count;
    const struct op_arg *results;
    size_t result_count;
    uint32_t index;              /* dense, in the order of the file */
    const struct ops *all;       /* that it is one of */
};

int ops_load(const char *file, struct ops **ops, struct error **err); /* ERR_INPUT with file:line */
void ops_free(struct ops *ops);
const char *ops_file(const struct ops *ops); /* as it was given to ops_load */
size_t ops_count(const struct ops *ops);
const struct op *ops_at(const struct ops *ops, size_t index);
const struct op *ops_find(const struct ops *ops, const char *name); /* NULL when there is none */
const struct op_arg *op_arg_find(const struct op *op, const char *name);
const char *op_type_name(enum op_type type);

/* What an expectation can ask of a visit that the fixture site saw (docs/task-format.md): pointers such as "/fields/name". False: it is none
 * of those; *text: what stands there is a text. */
bool op_site_pointer(struct bytes pointer, bool *text);
#define OP_SITE_POINTERS \
    "/visits, /method, /status, /length, /sent, /end, /body_size, /body_sha256, /fields/NAME, /query/NAME, /headers/NAME, /cookies/NAME, " \
    "/files/NAME/filename, type, size or sha256"

#endif
