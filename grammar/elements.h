/* The element table of templates: which elements there are, where each may stand, its attributes and what it
 * may hold. The loader checks against it, and the RELAX NG schema and the element reference are written from
 * it and from ops.xml, so the three cannot disagree. Ops are elements too: their rows are made from ops.xml.
 */
#ifndef GRAMMAR_ELEMENTS_H
#define GRAMMAR_ELEMENTS_H

#include "grammar/ops.h"

#define DOMAIN_NAMESPACE "urn:taskgen:domain:1"

enum { ELEMENT_MAX_NAME = 64 }; /* characters of a name */

/* Where an element may stand, as a set. */
enum element_place {
    IN_NOTHING = 0,
    IN_DOMAIN = 1 << 0,
    IN_HANDLE = 1 << 1,
    IN_BODY = 1 << 2,   /* workflow, step and what stands in them */
    IN_STEP = 1 << 3,   /* directly in a step */
    IN_DEF = 1 << 4,
    IN_ONE_OF = 1 << 5,
    IN_TEXT = 1 << 6    /* mixed content */
};

enum attribute_type {
    ATTR_NAME,          /* letters, digits, '_', '-' inside */
    ATTR_NAMES,         /* several, separated by spaces; also "*" */
    ATTR_STATES,        /* names separated by spaces */
    ATTR_TEXT,          /* as it stands */
    ATTR_TEMPLATE,      /* with {expressions} */
    ATTR_EXPRESSION,    /* one expression without braces */
    ATTR_COUNT,         /* whole number from 0 */
    ATTR_SIZE,          /* bytes, with K M G or KiB MiB GiB */
    ATTR_NUMBER,        /* decimal number from 0 */
    ATTR_RATIO,         /* decimal number from 0 to 1 */
    ATTR_FLAG,          /* yes or no */
    ATTR_SWITCH         /* on or off */
};

struct element_attribute {
    const char *name;
    enum attribute_type type;
    bool required;
    const char *doc;
};

enum element_flag {
    ELEMENT_MAKER = 1 << 0,     /* rule, value, int, recipe or pick, and their parameters */
    ELEMENT_GUARD = 1 << 1,     /* when */
    ELEMENT_OPEN = 1 << 2,      /* more attributes: parameters of what it names */
    ELEMENT_TEXT = 1 << 3,      /* mixed content */
    ELEMENT_PLAIN_TEXT = 1 << 4, /* text only */
    ELEMENT_UNMADE = 1 << 5      /* ELEMENT_MAKER, but may stand without one */
};

enum element_id {
    ELEMENT_DOMAIN,
    ELEMENT_INCLUDE,
    ELEMENT_LIMIT,
    ELEMENT_HANDLE,
    ELEMENT_PROP,
    ELEMENT_STEP,
    ELEMENT_WORKFLOW,
    ELEMENT_HAZARD,
    ELEMENT_GRAMMAR,
    ELEMENT_DOC,
    ELEMENT_PARAM,
    ELEMENT_SAY,
    ELEMENT_LET,
    ELEMENT_DEF,
    ELEMENT_WITH,
    ELEMENT_SET,
    ELEMENT_BECOME,
    ELEMENT_DO,
    ELEMENT_ONE_OF,
    ELEMENT_ALT,
    ELEMENT_REPEAT,
    ELEMENT_OPTIONAL,
    ELEMENT_PARALLEL,
    ELEMENT_WALK,
    ELEMENT_EXPECT,
    ELEMENT_GET,
    ELEMENT_USE,
    ELEMENT_COUNT
};

struct element {
    const char *name;
    unsigned places;    /* where it may stand */
    unsigned children;  /* places it offers */
    unsigned flags;
    const struct element_attribute *attributes; /* ends with a row without a name */
    const char *doc;
};

const struct element *element_at(enum element_id id);
const struct element *element_find(const char *name);             /* NULL when there is none */
enum element_id element_id_of(const struct element *row);
const struct element_attribute *element_maker_attributes(void);   /* ends with a row without a name */
const struct element_attribute *element_step_attributes(void);    /* those of every op */
const struct element_attribute *element_guard_attribute(void);
const struct element_attribute *element_attribute_find(const struct element_attribute *table,
                                                       const char *name);

/* How the argument of an op may be written. */
bool op_arg_as_attribute(const struct op_arg *arg);
bool op_arg_as_element(const struct op_arg *arg);

/* The RELAX NG schema (domains/domain.rng) and the element reference (docs/templates-reference.md). */
void elements_write_schema(const struct ops *ops, struct buf *out);
void elements_write_reference(const struct ops *ops, struct buf *out);

#endif
