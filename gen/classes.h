/* The fault classes C01 to C94: id, slug, primitive and mutators, as in domains/classes.json, which docs/classes.md is made from
 * (scripts/classes-doc). A test holds that the file and this table are equal, and that each check which names a class
 * bears its slug and primitive. */
#ifndef GEN_CLASSES_H
#define GEN_CLASSES_H

#include <stddef.h>

struct fault_class {
    const char *id;        /* "C06" */
    const char *slug;      /* "nul-in-content": the check's name everywhere */
    const char *primitive; /* one of primitive_names() */
    const char *mutators;  /* those that provoke it: words, or "" */
};

const struct fault_class *class_at(size_t index); /* in the order of ids; NULL past the end */
const struct fault_class *class_find(const char *slug);

#endif
