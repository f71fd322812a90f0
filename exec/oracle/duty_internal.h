/* The inside of the watch: what it knows of the connection, for the files duty_*.c, one a section of the specification. */
#ifndef EXEC_ORACLE_DUTY_INTERNAL_H
#define EXEC_ORACLE_DUTY_INTERNAL_H

#include "exec/oracle/duty.h"

struct duty_request; /* one of ours that has had no answer */

struct duty_watch {
    enum duty_transport transport;
    duty_breach_fn *breach;
    void *context;
    struct arena arena;        /* lives as long as the watch; for what stays: capabilities, version, schemas of tools */
    struct duty_request *open; /* newest first */
    const struct json *capabilities; /* the server's, of its answer to initialize; NULL before */
    const char *version;       /* agreed on; NULL before */
    bool raw;                  /* raw bytes went out */
};

struct duty_request {
    struct duty_request *next;
    int64_t id;
    char method[64];
    struct bytes params;       /* JSON text; none when it is long: see DUTY_PARAMS_MAX */
    uint8_t text[];            /* where it stands */
};
enum { DUTY_PARAMS_MAX = 64 << 10 };

/* Says a breach; texts are copied by whoever listens. */
void duty_say(struct duty_watch *w, int number, const char *detail, struct bytes text);

/* The result of one of our requests, by section. `result` is the member of that name. */
void duty_lifecycle_result(struct duty_watch *w, const struct duty_request *r, const struct json *result, struct bytes line);
void duty_tools_result(struct duty_watch *w, const struct duty_request *r, const struct json *result, struct bytes line);

#endif
