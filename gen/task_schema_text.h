/* Texts for task_schema.c alone. */
#ifndef GEN_TASK_SCHEMA_TEXT_H
#define GEN_TASK_SCHEMA_TEXT_H

#include <stddef.h>

struct task_schema_definition {
    const char *name; /* under $defs; "value" is any JSON in which wrappers have their form */
    const char *text;
};

extern const struct task_schema_definition task_schema_definitions[]; /* up to a NULL name */
extern const char task_schema_record[], task_schema_step[], task_schema_program[];

#endif
