/* Lines of scripts by offsets as a JavaScript engine counts them (UTF-16 units), for people. Scripts are read once; shared by threads. */
#ifndef EXEC_OBSERVE_SCRIPT_LINES_H
#define EXEC_OBSERVE_SCRIPT_LINES_H

#include <stdint.h>

#include "base/bytes.h"

struct script_lines;
struct script_lines *script_lines_new(void);
void script_lines_free(struct script_lines *s);
/* From 1; 0: the file cannot be read, is too long, or there are too many of them. */
unsigned script_line(struct script_lines *s, struct bytes file, int64_t offset);

#endif
