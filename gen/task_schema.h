/* The JSON Schema (draft 2020-12) of the task record, made from the op vocabulary. What is shipped as
 * domains/task-1.schema.json is this text; a test holds the two together.
 *
 * The schema says all that the reader checks of one value by itself. What it cannot say: that a referred step
 * or content exists, that needs and id follow from the rest, that a recipe's parameters fit each other. */
#ifndef GEN_TASK_SCHEMA_H
#define GEN_TASK_SCHEMA_H

#include "grammar/ops.h"

void task_schema(const struct ops *ops, struct buf *out); /* indented, with a newline at the end */

#endif
