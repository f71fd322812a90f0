/* The fixture web site: pages whose every word is known (docs/site.md), and a record of all that was asked of them: the witness outside a
 * browser. What a page says follows from its address alone, so tasks can say beforehand what is to be read there.
 *
 * A site listens on sockets that its owner has made, so it may be served into network namespaces that this process is not in. One thread of
 * its own a socket; every function here may be called by any thread. What clients send is data, bounded, and never an error. */
#ifndef EXEC_SITE_SITE_H
#define EXEC_SITE_SITE_H

#include "exec/site/visit.h"

struct web_site;

struct web_site_options {
    size_t visits;      /* kept at most, the first ones; 0: 4096 */
    size_t connections; /* at once, a socket; 0: 1024 */
    bool open_record;   /* GET /record gives the visits of all rooms; else only of a room that is named */
    /* Called with each visit that is over, under the site's lock: it must not call the site. NULL: nobody. */
    void (*visited)(void *user, const struct web_visit *v);
    void *user;
};

/* A socket that it is served on. */
struct web_door;

struct web_site *web_site_new(const struct web_site_options *options); /* NULL: all as usual */
void web_site_free(struct web_site *s); /* closes all connections; NULL is fine */

/* Serves on a socket that listens; it is the site's from now on, also on failure (ERR_TARGET). A site has at most eight doors at once. */
int web_site_serve(struct web_site *s, int fd, struct web_door **door, struct error **err);
/* Closes the socket and all its connections; the record stays. NULL is fine. Not after web_site_free, which closes all. */
void web_door_close(struct web_door *door);

/* Visits that begin from now on bear this index. */
void web_site_step(struct web_site *s, int64_t step);
/* Forgets all visits and logins. */
void web_site_clear(struct web_site *s);

/* What was seen, oldest first. */
struct web_visits {
    const struct web_visit *items;
    size_t count;
    uint64_t dropped; /* more came than are kept */
};
/* A copy in the arena of those of a room (NULL: of all) whose number is at least `from`. */
void web_site_visits(struct web_site *s, const char *room, uint64_t from, struct arena *a, struct web_visits *out);

#endif
