/* What the files of the site share. An exchange is one request and its answer, from its first line to its last byte; it is driven by the
 * thread of its daemon. A visit is what is kept of it: its entry is changed under the site's lock only, once it can be seen by others. */
#ifndef EXEC_SITE_SITE_INTERNAL_H
#define EXEC_SITE_SITE_INTERNAL_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/hash.h"
#include "exec/site/logins.h"
#include "exec/site/page.h"
#include "exec/site/query.h"
#include "exec/site/site.h"

enum {
    WEB_DOORS_MAX = 8,
    WEB_BYTES_MAX = 64 << 20 /* of all visits that are kept */
};

struct web_entry {
    struct arena arena; /* of the visit's texts */
    struct web_visit v;
    size_t counted;     /* of the arena, in the site's sum */
    bool kept;          /* in the site's list; else it goes with its exchange */
};

struct web_guest;
struct web_exchange;

/* One socket: a thread of ours that takes connections and lets time pass, and libmicrohttpd's (door.c). */
struct web_door {
    struct web_site *site;
    struct MHD_Daemon *daemon;
    int listening, wake;            /* wake: an eventfd */
    pthread_t thread;
    bool started;
    atomic_bool closing;
    struct web_guest *guests;       /* the thread's own: connections that are not the daemon's */
    size_t guest_count;
    pthread_mutex_t lock;           /* guards the sleepers */
    struct web_exchange *sleepers;  /* whose connections are suspended */
};

struct web_site {
    struct web_site_options options;
    int64_t start_ns;
    atomic_llong step;
    pthread_mutex_t lock; /* guards all below */
    struct web_entry **entries;
    size_t entry_count;
    size_t bytes;
    uint64_t number, dropped, forgotten; /* numbers below `forgotten` belong to a record that has been cleared */
    struct web_logins logins;
    struct web_door *doors[WEB_DOORS_MAX]; /* NULL: free */
};

int64_t web_site_now(const struct web_site *s); /* milliseconds since it was opened */

/* The record (record.c). Begins a visit; what it was asked for is filled in already. */
struct web_entry *web_record_new(void);
void web_record_begin(struct web_site *s, struct web_entry *e);
/* Before that: what it asks for; and the headers that are kept, each asked for by its name in lower case. */
void web_visit_target(struct web_entry *e, const char *method, const struct web_target *t);
void web_visit_headers(struct web_entry *e, struct bytes (*value)(void *user, const char *name), void *user);
/* It is over: nothing may change any more. */
void web_record_end(struct web_site *s, struct web_entry *e, enum web_end end);
void web_record_clear(struct web_site *s);

/* Forms (form.c): a body on its way in. */
struct web_form;
/* NULL when it is no form that can be read in parts. */
struct web_form *web_form_new(struct MHD_Connection *c, struct web_site *s, struct web_entry *e);
void web_form_add(struct web_form *f, struct bytes part);
/* All has come: fields are complete. `charset`: of the page, whose texts are read as that; NULL: what the field _charset_ says. Frees it. */
void web_form_end(struct web_form *f, const char *charset);
/* A form that was sent by GET has its fields in the address: those become the visit's, where _charset_ is among them. Before it is begun. */
void web_form_query(struct web_entry *e, const struct web_parameter *list, size_t count);

/* A text in another charset as UTF-8, appended; false: it is not in that charset, or nobody knows that. */
bool web_to_utf8(const char *charset, struct bytes text, struct buf *out);
/* The other way. */
bool web_from_utf8(const char *charset, struct bytes text, struct buf *out);

/* Suspends the exchange's connection for so long; then its daemon goes on with it. When the client closes it before, or the door is
 * closed, x->gone is set and it goes on at once. Only within callbacks of its daemon. */
void web_door_sleep(struct web_exchange *x, int64_t ms);

/* One request (exchange.c). */
struct web_exchange {
    struct web_door *door;
    struct web_site *site;
    struct MHD_Connection *connection;
    struct web_entry *entry;
    struct arena arena;
    const char *uri;      /* as it came */
    struct web_target target;
    struct web_request request;
    struct web_form *form;
    struct sha256 *body;  /* of the body so far; NULL: there is none yet */
    bool begun, answered, waited;
    struct web_answer answer;
    uint64_t sent;
    bool was_cut;
    struct web_exchange *next_sleeper;
    int64_t due_ms;       /* of the monotonic clock */
    int fd;               /* while it sleeps: of its connection */
    atomic_bool gone;
    bool held;            /* it was kept open as long as it is */
    bool rested;          /* the pause before the next piece is over */
};
void *web_exchange_uri(void *door, const char *uri, struct MHD_Connection *c);
enum MHD_Result web_exchange_step(void *door, struct MHD_Connection *c, const char *url, const char *method, const char *version,
                                  const char *upload, size_t *upload_size, void **request);
void web_exchange_done(void *door, struct MHD_Connection *c, void **request, enum MHD_RequestTerminationCode why);

/* Sends the answer of an exchange (answer.c). */
enum MHD_Result web_answer_send(struct web_exchange *x);
void web_answer_init(struct web_answer *a, struct arena *arena);
void web_answer_release(struct web_answer *a);

/* GET /record, which is no page and no visit (record_page.c). */
void web_record_answer(struct web_request *r, struct web_answer *a);

#endif
