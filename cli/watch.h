/* What a person or a program sees while a campaign runs: a status line, findings as they come, a summary. */
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

#include <pthread.h>

#include "cli/cli.h"
#include "cli/figures.h"
#include "cli/metrics.h"
#include "cli/screen.h"
#include "cli/stats.h"
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
    struct fail_case known; /* of this finding: its texts are those above */
};

struct watch {
    const struct verb *verb;
    const struct suppressions *suppress; /* borrowed; NULL: none */
    const struct observers *observers;   /* borrowed; NULL: nobody looks on */
    const struct target *target;
    struct store *store;
    bool json, quiet, terminal;
    int64_t last_plain_ms;   /* of the last status line when not on a terminal */
    atomic_int hurry;        /* for the loop: progress is wanted now */
    pthread_mutex_t lock;    /* guards what follows; callbacks come from any thread */
    struct figures figures;
    char label[512], identity[256]; /* of the target, without secrets: for the figures */
    struct screen screen;
    struct stats stats;
    bool stats_failed;       /* the last time they were written; said once */
    struct metrics *metrics; /* NULL: none */
    struct watch_list skips; /* by missing need */
    struct watch_list left;  /* what sessions have left behind, by kind */
    struct watch_finding **findings; /* of this run, each signature once */
    size_t finding_count;
};

extern const struct cli_option options_watch[]; /* --json --quiet --stats --series --metrics --metrics-open */

/* What is watched; all of it borrowed until watch_release. */
struct watched {
    const struct target *target;
    struct store *store;
    const char *db, *command;
    int64_t run;
    unsigned workers;
};

/* Reads the options and opens what they name; EXIT_… on a fault, which is said. */
int watch_open(struct watch *w, const struct verb *v, const struct cli_args *args, const struct settings *settings);
void watch_begin(struct watch *w, const struct watched *watched);
void watch_release(struct watch *w);
/* The loop's callbacks; `user` is the watch. */
void watch_answered(void *user); /* says who looks on */
void watch_progress(void *user, const struct loop_progress *p);
void watch_finding(void *user, const struct finding *f);
void watch_executed(void *user, const struct task *t, const struct execution *e, const char *why_failed);
/* The last word: the view goes, a summary comes. EXIT_UNUSABLE when --stats or --series could not be written in the end; said. */
int watch_end(struct watch *w, const struct loop_progress *total);
/* Text that may quote a target, without control characters. */
void watch_harmless(struct buf *out, const char *text);
/* Is there a finding of this run that counts? */
bool watch_found(const struct watch *w, const struct fail_on *fail);

/* watch_event.c: events of --json, on standard output. */
void watch_event_progress(const struct watch *w, bool end);
void watch_event_finding(const struct watch *w, const struct finding *f, const struct fail_case *known);
/* What a task came to; `left`: what it left behind, else why it failed. */
void watch_event_outcome(const struct watch *w, const char *name, const struct task *t, const char *why, const struct execution *left);
/* watch_summary.c */
void watch_summary(const struct watch *w, const struct loop_progress *total);
void watch_list_add(struct watch_list *list, const char *name);

#endif
