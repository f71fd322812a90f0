/* How a trial goes: lay the image, let the agent act, carry its artifacts over, ask the verifier, read the reward. */
#include "exec/gate/trial.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/encode.h"
#include "base/json.h"
#include "exec/gate/room.h"
#include "exec/gate/tree.h"

enum { REWARD_MAX = 1 << 16, CARRIED_FILE = 256 << 20, CARRIED_TOTAL = 1 << 30 };

const char *trial_end_name(enum trial_end end)
{
    static const char *const names[] = {"reward", "no-reward", "bad-reward", "late", "solution-failed", "same-as-solution", "not-tried", "broken"};
    return names[end];
}

bool trial_answer(const struct gate_case *c, struct bytes content, struct buf *out, const char **why)
{
    if (!c->outputs.count) {
        *why = "the solution leaves no file";
        return false;
    }
    for (size_t i = 0; i < c->outputs.count; i++) {
        struct bytes path = bytes_of_string(c->outputs.items[i]);
        buf_add_string(out, "mkdir -p \"$(dirname ");
        shell_quote(out, path);
        buf_add_string(out, ")\"; base64 -d >");
        shell_quote(out, path);
        buf_add_string(out, " <<'end of the answer'\n");
        base64_encode(out, content);
        buf_add_string(out, "\nend of the answer\n");
    }
    return true;
}

/* --- the reward --- */

static bool is_reward(double value)
{
    return isfinite(value) && value >= 0 && value <= 1;
}

/* reward.json: the lowest of its numbers. False: it is not what it should be. */
static bool reward_of_json(struct bytes text, double *reward)
{
    struct arena a;
    struct json *root = NULL;
    arena_init(&a);
    bool good = json_read(&a, text, NULL, "reward.json", &root, NULL, NULL) == 0 && json_is(root, JSON_OBJECT) && root->count;
    *reward = 1;
    for (const struct json *v = good ? root->first : NULL; v && good; v = v->next) {
        double value = -1;
        good = v->kind == JSON_NUMBER && json_as_real(v, &value) && is_reward(value);
        *reward = good && value < *reward ? value : *reward;
    }
    arena_release(&a);
    return good;
}

static bool reward_of_text(struct buf *text, double *reward)
{
    char *end;
    const char *start = buf_string(text);
    *reward = strtod(start, &end);
    return end > start && !end[strspn(end, " \t\r\n")] && is_reward(*reward);
}

static void read_reward(const struct room *r, struct trial_result *result)
{
    struct buf json, text;
    double one = -1, two = -1;
    buf_init(&json, REWARD_MAX);
    buf_init(&text, REWARD_MAX);
    struct error *json_error = NULL, *text_error = NULL;
    bool have_json = tree_read_at(r->logs, "reward.json", REWARD_MAX, &json, &json_error) == 0;
    bool have_text = tree_read_at(r->logs, "reward.txt", REWARD_MAX, &text, &text_error) == 0;
    result->end = TRIAL_BAD_REWARD;
    if (have_json && !reward_of_json(buf_bytes(&json), &one))
        snprintf(result->note, sizeof result->note, "reward.json holds '%.60s'", tree_shown(buf_string(&json)));
    else if (have_text && !reward_of_text(&text, &two))
        snprintf(result->note, sizeof result->note, "reward.txt holds '%.60s'", tree_shown(buf_string(&text)));
    else if (have_json && have_text && fabs(one - two) > 1e-9)
        snprintf(result->note, sizeof result->note, "reward.json says %g and reward.txt %g", one, two);
    else if (!have_json && !have_text) {
        result->end = TRIAL_NO_REWARD;
        snprintf(result->note, sizeof result->note, "%.150s", text_error->text);
    } else {
        result->end = TRIAL_REWARD;
        result->reward = have_json ? one : two;
    }
    error_free(json_error);
    error_free(text_error);
    buf_release(&json);
    buf_release(&text);
}

/* --- running --- */

/* A script is started by its first line; without one by sh. */
static bool names_interpreter(const char *dir, const char *path)
{
    struct buf text;
    buf_init(&text, CARRIED_FILE);
    bool named = tree_read_at(dir, path, CARRIED_FILE, &text, NULL) == 0 && bytes_starts(buf_bytes(&text), BYTES_LITERAL("#!"));
    buf_release(&text);
    return named;
}

static const char *const *join(struct strings *all, const struct strings *image, const struct strings *own, const char *const *more)
{
    for (size_t i = 0; i < image->count; i++)
        strings_set(all, image->items[i]);
    for (size_t i = 0; own && i < own->count; i++)
        strings_set(all, own->items[i]);
    for (; more && *more; more++)
        strings_set(all, *more);
    return (const char *const *)all->items;
}

static int64_t shorter(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

struct going {
    const struct gate_case *c;
    const struct gate_trial *trial;
    struct trial_result *result;
    struct room agent, verifier;
    char *script; /* the agent's, on this machine; NULL: none */
};

/* What an error is for this trial: the machine's are handed on, others are the task's. */
static int own_or_machine(struct going *g, struct error *own, struct error **err)
{
    int code = own->code;
    if (code == ERR_TARGET || code == ERR_OUTPUT) {
        if (err)
            *err = own;
        else
            error_free(own);
        return code;
    }
    g->result->end = TRIAL_BROKEN;
    snprintf(g->result->note, sizeof g->result->note, "%.190s", own->text);
    error_free(own);
    return 0;
}

static int run_agent(struct going *g, const char *solution, struct error **err)
{
    const struct gate_task *t = g->c->task;
    const struct gate_trial *trial = g->trial;
    bool direct = trial->solve && names_interpreter(solution, "solve.sh");
    const char *const shell[] = {"/bin/sh", trial->solve ? "/solution/solve.sh" : "/run/agent.sh", NULL}, *const plain[] = {"/solution/solve.sh", NULL};
    const char *const shown[] = {trial->solve ? solution : g->script, trial->solve ? "/solution" : "/run/agent.sh", NULL};
    struct strings env = {0};
    struct room_end end;
    struct room_run run = {.argv = direct ? plain : shell, .cwd = t->agent.workdir, .shown = shown, .group = t->group, .shift_clock = trial->shift_clock, .tight = trial->tight,
                           .logs = !t->separate, .ms = shorter(t->agent_ms, g->c->most_ms)};
    run.env = join(&env, &t->agent.env, trial->solve ? &t->solution_env : NULL, trial->solve ? trial->env : NULL);
    int status = room_run(&g->agent, &run, &end, err);
    g->result->inside_ns += end.ns;
    if (!status && trial->solve && !room_end_clean(&end)) {
        g->result->end = end.late ? TRIAL_LATE : TRIAL_SOLUTION_FAILED;
        const char *said = buf_string(&end.errors);
        snprintf(g->result->note, sizeof g->result->note, "the solution %s%s%.120s", end.late ? "takes too long" : "does not end with status 0", *said ? ": " : "", tree_shown(said));
    }
    room_end_release(&end);
    strings_release(&env);
    return status;
}

/* The room of the verifier: its own with what the agent left, or the agent's as it is. */
static int make_verifier(struct going *g, struct room **room, struct error **err)
{
    const struct gate_task *t = g->c->task;
    static const struct tree_rules rules = {.file_max = CARRIED_FILE, .total_max = CARRIED_TOTAL};
    *room = t->separate ? &g->verifier : &g->agent;
    if (!t->separate) {
        TRY(room_repair(&g->agent, err));
        return tree_copy(t->copy, "tests", g->agent.root, "tests", &rules, err);
    }
    char *tests = strings_printf("%s/tests", t->copy);
    int status = room_make(&g->verifier, t->work, "verifier", err);
    if (!status)
        status = image_lay(&t->verifier, tests, g->verifier.root, err);
    free(tests);
    for (size_t i = 0; !status && i < t->artifacts.count; i++) {
        struct error *missing = NULL;
        if (tree_copy(g->agent.root, t->artifacts.items[i], g->verifier.root, t->artifacts.items[i], &rules, &missing) == ERR_LIMIT && err) {
            status = ERR_LIMIT;
            *err = missing;
        } else
            error_free(missing);
    }
    return status;
}

static int run_verifier(struct going *g, struct error **err)
{
    const struct gate_task *t = g->c->task;
    const struct gate_trial *trial = g->trial;
    struct room *room = NULL;
    TRY(make_verifier(g, &room, err));
    bool direct = names_interpreter(t->copy, "tests/test.sh"), both = trial->together && !t->separate && g->script;
    const struct image *image = t->separate ? &t->verifier : &t->agent;
    const char *const plain[] = {"/tests/test.sh", NULL}, *const shell[] = {"/bin/sh", "/tests/test.sh", NULL};
    const char *const after[] = {"/bin/sh", "-c", "/bin/sh /run/agent.sh; exec /tests/test.sh", NULL}, *const shown[] = {g->script, "/run/agent.sh", NULL};
    struct strings env = {0};
    struct room_end end;
    struct room_run run = {.argv = both ? after : direct ? plain : shell, .cwd = image->workdir, .shown = both ? shown : NULL, .group = t->group, .shift_clock = trial->shift_clock,
                           .tight = trial->tight, .logs = true, .ms = shorter(t->verifier_ms, g->c->most_ms)};
    run.env = join(&env, &image->env, &t->verifier_env, trial->env);
    int status = room_run(room, &run, &end, err);
    g->result->inside_ns += end.ns;
    if (!status && end.late) {
        g->result->end = TRIAL_LATE;
        snprintf(g->result->note, sizeof g->result->note, "the verifier takes too long");
    } else if (!status)
        read_reward(room, g->result);
    room_end_release(&end);
    strings_release(&env);
    return status;
}

static bool make_script(struct going *g, struct error **err)
{
    const struct gate_trial *trial = g->trial;
    struct buf text;
    const char *why = "";
    if (!trial->script)
        return true;
    buf_init(&text, SIZE_MAX);
    bool made = trial->script(g->c, &text, &why);
    if (!made) {
        g->result->end = TRIAL_NOT_TRIED;
        snprintf(g->result->note, sizeof g->result->note, "%s", why);
    } else {
        g->script = strings_printf("%s/agent.sh", g->c->task->work);
        made = tree_write(g->script, buf_bytes(&text), err) == 0;
    }
    buf_release(&text);
    return made;
}

static int go(struct going *g, const char *solution, struct state *state, struct error **err)
{
    const struct gate_task *t = g->c->task;
    struct error *own = NULL;
    if (!make_script(g, &own))
        return own ? own_or_machine(g, own, err) : 0;
    char *context = strings_printf("%s/environment", t->copy);
    int status = room_make(&g->agent, t->work, "agent", &own);
    if (!status)
        status = image_lay(&t->agent, context, g->agent.root, &own);
    free(context);
    if (!status && (g->trial->solve || g->script) && !(g->trial->together && !t->separate))
        status = run_agent(g, solution, &own);
    if (!status)
        status = state_take(state, t, g->agent.root, &own);
    if (status)
        return own_or_machine(g, own, err);
    if (g->result->end != TRIAL_NOT_TRIED)
        return 0; /* the solution failed */
    if (g->c->known && !g->trial->solve && g->script && !g->trial->env && !g->trial->together && state->hash == g->c->solved.hash) {
        g->result->end = TRIAL_SAME;
        return 0;
    }
    if (run_verifier(g, &own) < 0)
        return own_or_machine(g, own, err);
    return 0;
}

int trial_run(const struct gate_case *c, const struct gate_trial *trial, const char *solution, struct trial_result *result, struct state *state, struct error **err)
{
    struct going g = {.c = c, .trial = trial, .result = result};
    struct state own = {0};
    int64_t start = clock_monotonic_ns();
    memset(result, 0, sizeof *result);
    result->end = TRIAL_NOT_TRIED;
    int status = go(&g, solution, state ? state : &own, err);
    result->good = result->end == TRIAL_REWARD && (trial->solve ? result->reward == 1 : result->reward == 0);
    if (c->keep && g.agent.root && rename(g.agent.root, c->keep) < 0)
        result->good = false;
    room_release(&g.agent);
    room_release(&g.verifier);
    if (g.script)
        unlink(g.script);
    free(g.script);
    state_release(&own);
    result->ns = clock_monotonic_ns() - start;
    return status;
}
