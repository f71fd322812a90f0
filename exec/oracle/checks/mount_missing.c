/* What is there at one start of a sandbox is there at the next: a program that found a directory of its environment in the first
 * session, and is run again word for word in a later one, finds it again. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/judge.h"

static const char slug[] = "mount-missing";

static bool holds_any(struct bytes text, const char *const *words)
{
    for (; *words; words++)
        if (bytes_find(text, bytes_of_string(*words), 0) >= 0)
            return true;
    return false;
}

/* Directories that a sandbox gives to programs: of the environment, or where every program looks for them. */
static const char *const places[] = {"TMPDIR", "HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME", "/tmp", "/var/tmp", "/dev/shm", "/run", "/proc",
                                     "/sys", "gettempdir", "mkstemp", "mktemp", "tempfile", NULL};

static bool asks_for_place(const struct observation *o)
{
    return observation_is(o, "run") && holds_any(observation_script(o), places);
}

/* Nothing else in the task has to do with such places, so the program needs nothing that another left there. */
static bool alone(const struct execution *e, size_t first, size_t second)
{
    for (size_t i = 0; i < second; i++)
        if (i != first && (holds_any(observation_script(&e->observations[i]), places) || e->observations[i].in_group))
            return false;
    return true;
}

static bool reopened(const struct execution *e, size_t first, size_t second)
{
    static const char *const starts[] = {"reopen", "resume", NULL};
    for (size_t i = first + 1; i < second; i++)
        if (observation_is_any(&e->observations[i], starts) && observation_claims(&e->observations[i]))
            return true;
    return false;
}

/* The same program printed something else. */
static bool other_output(const struct observation *a, const struct observation *b)
{
    bool of_a, of_b;
    struct bytes first = observation_result(a, "stdout", &of_a), second = observation_result(b, "stdout", &of_b);
    return of_a && of_b && !bytes_equal(first, second);
}

/* It says that something is not there, and fails for it: by its status, or by what it does not print where the reply's status is 0. */
static bool finds_nothing(const struct observation *a, const struct observation *o, struct bytes *words)
{
    static const char *const nothing[] = {"No such file or directory", "no such file or directory", "nonexistent", "FileNotFoundError",
                                          "does not exist", "ENOENT", "can't cd to", NULL};
    bool present;
    *words = observation_result(o, "stderr", &present);
    if (!present || !words->len)
        *words = o->outcome.raw;
    return o->outcome.has_exit && (o->outcome.exit != 0 || (present && other_output(a, o))) && holds_any(*words, nothing);
}

static void judge_pair(const struct execution *e, struct verdicts *out, size_t first, size_t second)
{
    const struct observation *a = &e->observations[first], *b = &e->observations[second];
    struct bytes words;
    bool same = observation_same_call(a, b) && a->outcome.has_exit && a->outcome.exit == 0;
    if (!same || !observation_claims(a) || !observation_claims(b) || !finds_nothing(a, b, &words) || !reopened(e, first, second) ||
        !alone(e, first, second))
        return;
    judge_say(out, e, slug, second, EFFECT_WRONG, "a directory of the environment is not there at a later start",
              "a directory that programs were given at the first start is missing at a later one",
              arena_printf(out->arena, "steps %s and %s run the same program; it ends with 0 in the first session and with %d in the one that "
                           "was opened again, saying %.*s -> sandbox", a->step->id, b->step->id, b->outcome.exit,
                           BYTES_ARG(bytes_slice(words, 0, words.len < 160 ? words.len : 160))));
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t second = 1; second < e->count; second++)
        for (size_t first = 0; first < second && asks_for_place(&e->observations[second]); first++)
            if (asks_for_place(&e->observations[first]))
                judge_pair(e, out, first, second);
}

const struct check check_mount_missing = {slug, "C59", "mount", "what is there at one start is there at each", judge};
