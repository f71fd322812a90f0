/* What the watch knows beyond duty_internal.h in the stateless era; for duty_modern.c, duty_listen.c and duty_provoked.c. */
#ifndef EXEC_ORACLE_DUTY_MODERN_H
#define EXEC_ORACLE_DUTY_MODERN_H

#include "exec/oracle/duty_internal.h"

enum { DUTY_LISTENS_MAX = 8, DUTY_CANCELLED_MAX = 16, DUTY_PROVOKED_MAX = 64 };

/* A subscriptions/listen of ours. */
struct duty_listen {
    int64_t id;
    unsigned wanted;   /* set of 1 << row of `kinds` in duty_listen.c */
    bool acknowledged;
};

/* A request of ours that we cancelled over pipes. */
struct duty_cancelled {
    int64_t id, before; /* before: the last id that was sent before the cancellation */
    bool read;          /* the server answered what was sent after it, so it has read it */
};

/* Raw bytes that were a request: how the server must answer them. */
struct duty_provoked {
    struct bytes id;    /* as JSON text, owned */
    int fault;          /* row of duty_provoked.c */
};

struct duty_modern {
    struct duty_listen listens[DUTY_LISTENS_MAX];
    size_t listen_count;
    struct duty_cancelled cancelled[DUTY_CANCELLED_MAX];
    size_t cancelled_count;
    struct duty_provoked provoked[DUTY_PROVOKED_MAX];
    size_t provoked_count;
    int64_t last_id;
    struct duty_names states; /* requestState of input_required results */
    struct duty_names scopes; /* methods whose list has given a cacheScope; value: which */
    uint64_t tools;           /* hash of the names of the last whole list; 0 */
};

/* duty_modern.c */
void duty_modern_sent(struct duty_watch *w, const char *method, int64_t id, struct bytes params);
/* An answer, whether or not it is one to a request of ours (NULL). True: it asks for input, and has nothing else in it. */
bool duty_modern_answer(struct duty_watch *w, const struct duty_request *r, const struct json *message, struct bytes line);
/* A request or notification of the server's. True: nothing of the older eras applies to it. */
bool duty_modern_called(struct duty_watch *w, const char *method, const struct json *message, struct bytes line);
void duty_modern_free(struct duty_modern *m);
/* duty_input.c: a result that asks for input. */
void duty_input_required(struct duty_watch *w, const struct duty_request *r, const struct json *result, struct bytes line);
void duty_input_given(struct duty_watch *w, const struct duty_request *r, const struct json *result, struct bytes line);
/* duty_listen.c */
void duty_listen_sent(struct duty_watch *w, int64_t id, struct bytes params);
void duty_listen_told(struct duty_watch *w, const char *method, const struct json *message, struct bytes line);
bool duty_listen_is(const struct duty_watch *w, const struct json *id);
/* duty_provoked.c */
bool duty_provoked_answer(struct duty_watch *w, const struct json *message, struct bytes line);

#endif
