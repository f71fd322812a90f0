/* What stands in an address: the parts in front, and parameters. Foreign bytes, so nothing here trusts them; see tests/fuzz/fuzz_web.c. */
#ifndef EXEC_SITE_QUERY_H
#define EXEC_SITE_QUERY_H

#include "exec/site/page.h"

/* Percent-decoded; a "%" without two hex digits stays. `plus`: "+" is a blank, as in queries. */
struct bytes web_decode(struct arena *a, struct bytes text, bool plus);

struct web_target {
    const char *room;   /* "" when there is none */
    struct bytes path;  /* decoded, begins with "/" */
    struct bytes query; /* as it came */
    bool cut;           /* it was longer than WEB_TARGET_MAX */
};
/* Of a request's target as it came: "/~room/path?query", also with "http://host" in front. */
void web_target_read(struct arena *a, struct bytes uri, struct web_target *out);

/* "a=1&b=2": at most WEB_PARAMETERS_MAX of them; *list lives in the arena. */
size_t web_parameters_read(struct arena *a, struct bytes query, const struct web_parameter **list);
/* The value of a cookie in a Cookie header; false: it has none of that name. */
bool web_cookie_read(struct bytes header, const char *name, struct bytes *value);
/* "bytes=10-19", "bytes=10-", "bytes=-5" of a body of `length` bytes. 1: part *from..*to, both included; 0: no range that we know; -1: none of
 * it is there. */
int web_range_read(struct bytes header, uint64_t length, uint64_t *from, uint64_t *to);

#endif
