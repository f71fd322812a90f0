/* What domains/observers/node-code.cjs answers: a line of JSON. It comes from the target and may be anything. */
#ifndef EXEC_OBSERVE_NODE_ANSWER_H
#define EXEC_OBSERVE_NODE_ANSWER_H

#include "exec/observe/observer.h"
#include "exec/observe/script_lines.h"

/* False: it is no answer to the question of this number. list NULL: what it says is not wanted.
 *
 *     {"n":NUMBER,"directory":"/of/the/first/script","scripts":[["/file.js",[["function",[START,END,COUNT,…]],…]],…]} */
bool node_answer_read(struct bytes line, unsigned number, struct script_lines *lines, struct seen_list *list);

#endif
