/* The part of a file that a read asks for: a range of bytes, or its first or last lines as head and tail give
 * them. */
#ifndef EXEC_ORACLE_PART_H
#define EXEC_ORACLE_PART_H

#include "exec/oracle/observation.h"

struct part {
    bool range, lines; /* neither: the whole file */
    bool last;         /* of lines: the last ones */
    uint64_t offset, length;
    uint64_t count; /* of lines */
};

/* False when the arguments mean nothing certain: negative or odd numbers, several kinds at once. */
bool part_of_read(const struct observation *o, struct part *p);
struct bytes part_cut(const struct part *p, struct bytes whole);
/* Is the reply that part? The end of the last line is left to the target when lines were asked for. */
bool part_equal(const struct part *p, struct bytes want, struct bytes got);

#endif
