/* What happened to one step, as its driver saw it. A driver never judges; oracles (exec/oracle) do. */
#ifndef EXEC_OUTCOME_H
#define EXEC_OUTCOME_H

#include "base/json.h"

enum outcome_class {
    OUTCOME_OK,              /* an answer that claims success (a run that ended, whatever its exit status) */
    OUTCOME_SKIPPED,         /* not sent: a need is not met, a budget is used up, or an earlier $from is missing */
    OUTCOME_TOOL_ERROR,      /* an explicit error from the tool (MCP isError; a lowered command that failed) */
    OUTCOME_PROTOCOL_ERROR,  /* an explicit error of the protocol (JSON-RPC error) */
    OUTCOME_TRANSPORT_ERROR, /* the answer could not be read (no valid frame, connection refused) */
    OUTCOME_TIMEOUT,         /* no answer before the step's deadline */
    OUTCOME_TARGET_DIED,     /* the target ended while an answer was owed */
    OUTCOME_HARNESS          /* the fault is ours (our disk full, our machine out of processes): never a finding */
};

const char *outcome_class_name(enum outcome_class c); /* "ok", "skipped", "tool-error", …, "harness" */
int outcome_class_find(const char *name);             /* -1 when there is none */

/* A mutation that was applied to the call while it ran (mutate/wire/wire.h). */
struct outcome_fault {
    const char *mutator, *kind;
    bool applied;            /* false: it could not be done to this target, and the call went as it is */
    bool frame;              /* another frame was sent than the call's own */
    bool struck;             /* of the environment: something was done before the answer came */
    bool lawful;             /* a lawful client may do this */
    bool inert;              /* no right target carries out what was sent, so an answer comes soon */
    uint32_t owed;           /* answers that ids in the frame are owed, each its own */
    uint32_t any;            /* answers that are owed whatever id they bear */
    uint32_t replies, nulls; /* answers with those ids, errors with the id null */
    bool duplicate;          /* two requests bore one id */
    uint64_t memory_before, memory_after; /* the most that the target's process had until then, in bytes; 0: nobody looked */
    int status;              /* of HTTP, when that refused it; else 0 */
};

struct outcome {
    enum outcome_class class;
    int64_t code;            /* JSON-RPC code, errno of a lowered command where known, HTTP status of `send`; 0 */
    bool has_exit;           /* exit and signal are known */
    int exit;                /* exit status of a run, 128+n for a signal as shells report it */
    int signal;              /* of the process we started, when we saw it ourselves; 0 */
    struct bytes message;    /* error text as sent, cut to 64 KiB */
    struct json *result;     /* object with the op's results (ops.xml) as far as they came; content as raw bytes strings */
    struct bytes raw;        /* the reply's text part as it came (MCP text contents joined; a run's stdout), whole */
    uint64_t bytes_in, bytes_out; /* sent to and received from the target for this step */
    int64_t start_ns, ns;    /* monotonic start, and duration */
    int64_t told_ms;         /* the time limit that its tool was given; 0: none, or in a unit that was but guessed */
    uint32_t replies;        /* how many replies carried this call's id: exactly one is right */
    bool truncated;          /* the reply was longer than exec.max-reply and was cut by us */
    bool lowered;            /* the op was carried out by commands, not by a tool of its own */
    bool gone;               /* the session's connection is no more: we ended it */
    bool by_us;              /* there is no answer because we ended the connection or the target ourselves */
    const struct outcome_fault *fault; /* in the call's arena; NULL: nothing was done to the call */
    const char *skip_reason; /* OUTCOME_SKIPPED: the missing need or the budget */
};

#endif
