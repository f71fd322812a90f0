/* Connections that are not libmicrohttpd's: those whose first line is not there yet, and those that ask for a page under /raw/, which is answered
 * by a script as no server should answer. One door's thread has them. */
#ifndef EXEC_SITE_RAW_H
#define EXEC_SITE_RAW_H

#include "exec/site/site_internal.h"

enum { WEB_GUESTS_MAX = 256 };

enum web_guest_phase { WEB_GUEST_PEEK, WEB_GUEST_HEAD, WEB_GUEST_SPEAKS };
enum web_guest_next { WEB_GUEST_STAYS, WEB_GUEST_TO_DAEMON, WEB_GUEST_GOES };

struct web_guest {
    struct web_guest *next;
    int fd;
    enum web_guest_phase phase;
    int64_t due_ms;      /* when something is to be done though nothing has come */
    int64_t until_ms;    /* when it is given up */
    bool naps;           /* until due_ms nothing that comes matters */
    struct buf head;
    struct web_site *site;
    struct web_entry *entry; /* from when its head is whole */
    struct web_script script;
    size_t act;          /* that is under way */
    uint64_t done;       /* of it */
    uint64_t said;       /* bytes, the head's too */
    size_t at;           /* in the script's words */
};

struct web_guest *web_guest_new(int fd, int64_t now, struct web_guest *next);
void web_guest_free(struct web_guest *g); /* not its socket; ends its visit */
short web_guest_events(const struct web_guest *g);
/* Goes on with it: its socket is ready, or its time has come. */
enum web_guest_next web_guest_go_on(struct web_door *d, struct web_guest *g, bool ready, int64_t now);

/* The first line of a request, as far as it is there: 1: it asks for a page under /raw/, in a room or not; 0: for another; -1: not told yet. */
int web_raw_asked(struct bytes head);
/* Head of a request: its method and its target. False: it is none. */
bool web_raw_line(struct arena *a, struct bytes head, const char **method, struct bytes *target);
/* The value of a header of it; none. Names are compared without regard to case. */
struct bytes web_raw_header(struct bytes head, const char *name);

#endif
