/* What a person or a program sees while a campaign runs: a status line, findings as they come, a summary. */
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

#include <pthread.h>

#include "cli/cli.h"
#include "cli/fail_on.h"
#include "corpus/suppress.h"
#include "exec/loop.h"

struct watch_count {
    char name[96];
    int64_t count;
};
struct watch_list {
    struct watch_count *items;
    size_t count;
};
struct watch_finding {
    char signature[17];
    char layer[16], primitive[24];
    bool client_illegal;     /* only seen after what no client may send */
    enum finding_state state;
    bool note; /* detail_is_note */
    bool suppressed;
    bool again; /* an earlier run had settled it */
};

struct watch {
    const struct verb *verb;
    const char *label;       /* of the target, cut for the status line */
    const struct suppressions *suppress; /* borrowed; NULL: none */
    bool json, quiet, terminal;
    int64_t last_plain_ms;   /* of the last status line when not on a terminal */
    pthread_mutex_t lock;    /* callbacks come from any thread */
    struct watch_list skips; /* by missing need */
    struct watch_list left;  /* what sessions have left behind, by kind */
    struct watch_finding *findings; /* of this run, each signature once */
    size_t finding_count;
};

void watch_init(struct watch *w, const struct verb *v, const struct cli_args *args, const char *label);
void watch_release(struct watch *w);
/* The loop's callbacks; `user` is the watch. */
void watch_progress(void *user, const struct loop_progress *p);
void watch_finding(void *user, const struct finding *f);
void watch_executed(void *user, const struct task *t, const struct execution *e, const char *why_failed);
void watch_summary(struct watch *w, const struct loop_progress *total, const char *identity, const char *db);
/* Text that may quote a target, without control characters. */
void watch_harmless(struct buf *out, const char *text);
/* Is there a finding of this run that counts? */
bool watch_found(const struct watch *w, const struct fail_on *fail);

#endif
