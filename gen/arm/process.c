/* Processes: children, trees, signals, and what they leave. */
#include "gen/arm/tables.h"

enum { LONG_MS = 5000, ROUNDS = 10, READS = 20, THREADS = 64 };

/* C26 */
static bool cancel_ignored(const struct arm_view *v)
{
    EACH (s, v)
        if (s->op & (OPS_PROGRAM | OP(CALL) | OP(WAIT)) && s->step->cancel_after_ms >= 0)
            return true;
    return false;
}

/* C36 */
static bool background_holds(const struct arm_view *v)
{
    EACH (s, v)
        if (s->op & OP(RUN) && arm_leaves(s) && (arm_duration(s) >= LONG_MS || arm_serves(s)))
            return true;
    return false;
}

/* Whether a later step asks what was left in the background. */
static bool is_asked(const struct arm_view *v, const struct arm_step *left)
{
    if (arm_serves(left)) {
        if (arm_follows(v, left, OP(FETCH) | OP(CONNECT) | OP(POLL)))
            return true;
        EACH_AFTER (p, left, v)
            if (p->op & OPS_PROGRAM && arm_says(p, "127.0.0.1|localhost|curl|urlopen|::1|socket"))
                return true;
        return false;
    }
    if (left->op & OP(RUN) && arm_duration(left) >= LONG_MS && arm_says(left, "> "))
        EACH_AFTER (p, left, v)
            if (p->op & OP(RUN) && arm_says(p, "kill -0|ps |pgrep|cat "))
                return true;
    return false;
}

/* C37 */
static bool background_killed(const struct arm_view *v)
{
    EACH (s, v)
        if (((s->op & OP(RUN) && arm_leaves(s)) || s->op & (OP(START) | OP(SERVE))) && is_asked(v, s))
            return true;
    return false;
}

/* C38: a tree that a deadline has to end. */
static bool deadline_leaves_tree(const struct arm_view *v)
{
    EACH (s, v)
        if (s->op & OP(RUN) && arm_overruns(s) &&
            (arm_background(s) || bytes_find(s->script, BYTES_LITERAL(" | "), 0) >= 0 ||
             arm_says(s, "trap |setsid|Popen|fork|subprocess|SIG_IGN|kill -STOP|Process(|Pool(|xargs")))
            return true;
    return false;
}

/* C40 */
static bool orphan_left(const struct arm_view *v)
{
    EACH (s, v) {
        if (!(s->op & OPS_PROGRAM) || arm_duration(s) < LONG_MS)
            continue;
        if (arm_leaves(s))
            return true;
        if (s->op & OP(START) &&
            (arm_follows(v, s, OP(CLOSE) | OP(REOPEN)) || !arm_follows(v, s, OP(SIGNAL) | OP(WAIT))))
            return true;
    }
    return false;
}

/* C41 */
static bool zombies(const struct arm_view *v)
{
    EACH (s, v)
        if (s->op & OPS_PROGRAM && (s->step->repeat >= ROUNDS || arm_spawns(s)))
            return true;
    return arm_total(v, OP(START)) >= ROUNDS;
}

/* C42 */
static bool phantom_running(const struct arm_view *v)
{
    EACH (s, v) {
        if (!(s->op & OP(START)) || !arm_follows(v, s, OP(POLL)))
            continue;
        if (arm_says(s, "exit |sys.exit(|/nonexistent|no-such|raise |false") && arm_duration(s) == 0)
            return true;
        EACH_AFTER (k, s, v)
            if (((k->op & OPS_PROGRAM && arm_word(k, "kill|pkill|os.kill")) ||
                 (k->op & OP(SIGNAL) && bytes_equal_string(arm_text(k, "signal"), "KILL")) ||
                 k->op & OP(REOPEN)) &&
                arm_follows(v, k, OP(POLL)))
                return true;
    }
    return false;
}

/* What is not stopped by the first thing that tries: it ignores or handles signals, waits for input, has
 * threads or children, or computes without an end. */
static bool is_hard_to_stop(const struct arm_step *s)
{
    return s->op & OPS_PROGRAM &&
           (arm_says(
                s, "trap "
                   "|signal.signal(|SIG_IGN|process.on('SIG|Thread(|threading|sigaction|fork()|subprocess") ||
            arm_reads_input(s) || arm_duration(s) == INT64_MAX ||
            (arm_is_shell(s) && arm_loops(s) && arm_says(s, "sleep ")));
}

/* C48 */
static bool interrupt_ineffective(const struct arm_view *v)
{
    EACH (s, v) {
        if (!is_hard_to_stop(s))
            continue;
        if (s->op & OP(RUN) &&
            (s->step->cancel_after_ms >= 0 || arm_says(s, "timeout -s INT|kill -INT|send_signal")))
            return true;
        EACH_AFTER (stop, s, v)
            if (s->op & OP(START) && stop->op & OP(SIGNAL) &&
                !bytes_equal_string(arm_text(stop, "signal"), "KILL"))
                return true;
    }
    return false;
}

/* C64 */
static bool descriptor_leak(const struct arm_view *v)
{
    static const uint64_t reads = OPS_LOOK | OP(LIST) | OP(CALL) | OP(FETCH) | OP(SEARCH);
    uint64_t early = 0;
    EACH (s, v) {
        if (!(s->op & reads))
            continue;
        if (s->step->cancel_after_ms >= 0 || s->step->repeat >= READS)
            return true;
        if (json_get(s->step->args, "length") || json_get(s->step->args, "head"))
            early += s->step->repeat;
    }
    return early >= READS / 4;
}

/* C70 */
static bool task_limit(const struct arm_view *v)
{
    EACH (s, v)
        if (s->op & OPS_PROGRAM &&
            ((arm_word(s, "make|ninja|cargo") && arm_says(s, " -j")) ||
             arm_repeats(s, THREADS, "Thread(|fork()|Popen(|pthread_create|thread::spawn|Process(|.spawn(") ||
             arm_amount(s, "Pool(|Executor(|max_workers=") >= THREADS ||
             arm_says(s, "import numpy|import torch|OMP_NUM_THREADS|import sklearn|import scipy") ||
             (arm_rounds(s) >= THREADS && arm_background(s))))
            return true;
    return false;
}

/* C73 */
static bool syscall_refused(const struct arm_view *v)
{
    EACH (s, v)
        if (s->op & OPS_PROGRAM &&
            arm_says(s, "socketpair|AF_UNIX|clone3|faccessat2|io_uring|ptrace|personality|inotify|asyncio|"
                        "strace|setarch|"
                        "UnixListener|os.access(|userfaultfd|perf_event|memfd_create|seccomp"))
            return true;
    return false;
}

const struct arm_row arm_process[] = {
    {"C26", cancel_ignored, NULL},    {"C36", background_holds, NULL},
    {"C37", background_killed, NULL}, {"C38", deadline_leaves_tree, NULL},
    {"C40", orphan_left, NULL},       {"C41", zombies, NULL},
    {"C42", phantom_running, NULL},   {"C48", interrupt_ineffective, NULL},
    {"C64", descriptor_leak, NULL},   {"C70", task_limit, NULL},
    {"C73", syscall_refused, NULL},   {0},
};
