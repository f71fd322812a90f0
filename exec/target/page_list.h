/* Lists of open tabs as servers write them: a line a tab, with a number, an address, and a mark at the current one.
 *
 *     - 0: (current) [A page](http://127.0.0.1:8080/a.html)
 *     2: A page (http://127.0.0.1:8080/a.html) [selected]
 *
 * Other lines are passed over. A list that begins again is the same one said twice: the first counts. */
#ifndef EXEC_TARGET_PAGE_LIST_H
#define EXEC_TARGET_PAGE_LIST_H

#include "base/json.h"

struct page_line {
    int64_t number;
    bool current;
    struct bytes url; /* a part of the text; none */
};

enum { PAGE_LINES_MAX = 4096 };

/* The lines of the list in the text; *list is in the arena. */
size_t page_list_read(struct bytes text, struct arena *a, struct page_line **list);
/* The current one's; NULL: none is marked. */
const struct page_line *page_list_current(const struct page_line *list, size_t count);

#endif
