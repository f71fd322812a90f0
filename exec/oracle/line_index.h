/* The lines of a text by their bytes, to find out in which order another text has them. */
#ifndef EXEC_ORACLE_LINE_INDEX_H
#define EXEC_ORACLE_LINE_INDEX_H

#include "base/arena.h"
#include "base/bytes.h"

struct line_index {
    const struct indexed_line *lines; /* sorted by their bytes */
    size_t count;
};

/* False when the text has fewer lines than `least`, very many, or two that are the same. The index borrows the text. */
bool line_index_make(struct line_index *index, struct bytes text, size_t least, struct arena *a);

/* Lines of another text, against the index. */
struct line_order {
    size_t known, others; /* lines that the index has, and that it has not */
    bool back;            /* of the known ones, one comes twice or after one that follows it */
    size_t last;          /* number of the last known one, from 0 */
};
/* `whole`: the text is not a piece of something; else its first and last line may be parts and are left out. A CR at a line's end
 * counts for nothing. */
struct line_order line_index_order(const struct line_index *index, struct bytes text, bool whole);

/* Takes the next line, without its end; false: there is none. *at begins at 0. */
bool line_next(struct bytes text, size_t *at, struct bytes *line);

#endif
