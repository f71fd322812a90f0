/* The order of a check: what is cheap and decides comes first, and the first trial that fails of a kind ends that kind. */
#include "exec/gate/gate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "exec/gate/room.h"
#include "exec/gate/tree.h"

enum { SCRIPT_MAX = 1 << 20 };

struct checking {
    const struct gate_options *o;
    struct gate_task task;
    struct gate_case c;
    struct gate_result *r;
    struct arena *a;
    struct json *trials;
    char *solution;
};

const char *gate_verdict_name(enum gate_verdict verdict)
{
    static const char *const names[] = {"kept", "dropped", "not-executable", "bad"};
    return names[verdict];
}

static void drop(struct checking *k, const char *reason)
{
    k->r->verdict = GATE_DROPPED;
    if (!strings_have(k->r->reasons.items, reason))
        strings_add(&k->r->reasons, reason);
}

/* --- one trial --- */

static void note_trial(struct checking *k, const struct gate_trial *trial, const struct trial_result *t)
{
    struct json *row = json_add(k->trials, json_new(k->a, JSON_OBJECT));
    json_set(k->a, row, "trial", json_text(k->a, trial->name));
    if (trial->number)
        json_set(k->a, row, "exploit", json_integer(k->a, trial->number));
    json_set(k->a, row, "end", json_text(k->a, trial_end_name(t->end)));
    if (t->end == TRIAL_REWARD)
        json_set(k->a, row, "reward", json_real(k->a, t->reward));
    if (t->note[0])
        json_set(k->a, row, "note", json_text(k->a, t->note));
    json_set(k->a, row, "ms", json_integer(k->a, t->ns / 1000000));
    k->r->trials++;
    k->r->ns += t->ns;
    k->r->inside_ns += t->inside_ns;
}

static int try_one(struct checking *k, const struct gate_trial *trial, const char *solution, struct trial_result *t, struct state *state, struct error **err)
{
    if (k->o->before && k->o->before(k->o->user, k->task.name, trial->name))
        return error_set(err, ERR_STOP, "interrupted");
    TRY(trial_run(&k->c, trial, solution, t, state, err));
    note_trial(k, trial, t);
    return 0;
}

/* False: the task falls by it. */
static bool judge(struct checking *k, const struct gate_trial *trial, const struct trial_result *t)
{
    if (t->good || t->end == TRIAL_SAME || t->end == TRIAL_NOT_TRIED)
        return true;
    char *reason;
    if (t->end == TRIAL_REWARD && trial->solve)
        reason = strings_printf("%s: reward %g", trial->blame, t->reward);
    else if (t->end == TRIAL_REWARD)
        reason = strings_printf("%s (reward %g)", trial->blame, t->reward);
    else if (trial->solve)
        reason = strings_printf("%s: %s", trial->blame, t->note);
    else
        reason = strings_printf("no verdict where a reward of 0 was expected: %s", t->note);
    drop(k, reason);
    free(reason);
    return false;
}

/* --- the solution, and what it leaves --- */

static void learn_outputs(struct checking *k, const struct state *start, const char *root)
{
    struct gate_case *c = &k->c;
    for (size_t i = 0; i < c->solved.count && c->outputs.count < CASE_OUTPUTS; i++) {
        const struct state_item *item = &c->solved.items[i], *before = state_find(start, item->path);
        if (!item->file || (before && before->hash == item->hash))
            continue;
        struct buf *content = &c->contents[c->outputs.count];
        buf_init(content, CASE_CONTENT);
        tree_read_at(root, item->path + 1, CASE_CONTENT, content, NULL);
        strings_add(&c->outputs, item->path);
    }
}

/* The state before anything was done, laid out once. */
static int take_start(struct checking *k, struct error **err)
{
    struct room room = {0};
    char *context = strings_printf("%s/environment", k->task.copy);
    int status = room_make(&room, k->task.work, "start", err);
    if (!status)
        status = image_lay(&k->task.agent, context, room.root, err);
    if (!status)
        status = state_take(&k->c.start, &k->task, room.root, err);
    free(context);
    room_release(&room);
    return status;
}

/* The solution runs; what it left is kept beside, since contents are wanted. False in *go_on: the task has fallen. */
static int run_solution(struct checking *k, bool *go_on, struct error **err)
{
    const struct gate_trial *first = gate_trial_at(0);
    struct trial_result t;
    k->c.keep = strings_printf("%s/kept", k->task.work);
    int status = try_one(k, first, k->solution, &t, &k->c.solved, err);
    if (!status && t.end == TRIAL_REWARD)
        learn_outputs(k, &k->c.start, k->c.keep);
    free(k->c.keep);
    k->c.keep = NULL;
    *go_on = !status && judge(k, first, &t);
    k->c.known = *go_on;
    if (*go_on && k->c.solved.hash == k->c.start.hash) {
        drop(k, "its solution changes nothing that the verifier sees");
        *go_on = false;
    }
    return status;
}

static int run_trials(struct checking *k, struct error **err)
{
    const struct gate_trial *trial;
    struct trial_result t;
    for (size_t i = 1; (trial = gate_trial_at(i)); i++) {
        if (trial->shift_clock && !room_clock_library())
            continue; /* said once, by who began */
        TRY(try_one(k, trial, k->solution, &t, NULL, err));
        judge(k, trial, &t);
    }
    for (size_t i = 0; k->o->exploits && k->r->verdict == GATE_KEPT && (trial = gate_exploit_at(i)); i++) {
        TRY(try_one(k, trial, k->solution, &t, NULL, err));
        judge(k, trial, &t);
    }
    return 0;
}

/* --- solutions with faults --- */

static int run_mutants(struct checking *k, struct error **err)
{
    struct gate_result *r = k->r;
    struct json *alive = json_new(k->a, JSON_ARRAY);
    struct mutants *m = mutants_new(&k->task, k->o->mutants, err);
    const char *dir, *what;
    int status = m ? 0 : ERR_OUTPUT;
    while (!status && mutants_next(m, &dir, &what, err)) {
        const struct gate_trial trial = {.name = what, .solve = true};
        struct trial_result t;
        struct state state = {0};
        status = try_one(k, &trial, dir, &t, &state, err);
        bool same = state.hash == k->c.solved.hash;
        state_release(&state);
        if (status || (t.end == TRIAL_REWARD && same))
            continue; /* what it leaves is right: no fault */
        r->mutants++;
        bool killed = t.end != TRIAL_REWARD || t.reward < 1;
        r->killed += killed;
        if (!killed)
            json_add(alive, json_text(k->a, what));
    }
    mutants_free(m);
    json_set(k->a, r->json, "alive", alive);
    if (!status && r->mutants && r->killed < k->o->mutation_floor * r->mutants) {
        char *reason = strings_printf("of %u solutions with a fault its verifier refuses %u, fewer than %g of them", r->mutants, r->killed, k->o->mutation_floor);
        drop(k, reason);
        free(reason);
    }
    return status;
}

static int run_all(struct checking *k, struct error **err)
{
    bool go_on = false;
    char *leak = NULL;
    TRY(take_start(k, err));
    TRY(run_solution(k, &go_on, err));
    if (!go_on)
        return 0;
    TRY(run_trials(k, err));
    TRY(leak_look(&k->c, &leak, err));
    if (leak)
        drop(k, leak);
    free(leak);
    return k->r->verdict == GATE_KEPT ? run_mutants(k, err) : 0;
}

/* --- the whole --- */

static void tell(struct checking *k)
{
    struct gate_result *r = k->r;
    struct json *reasons = json_new(k->a, JSON_ARRAY), *mutants = json_new(k->a, JSON_OBJECT);
    for (size_t i = 0; i < r->reasons.count; i++)
        json_add(reasons, json_text(k->a, r->reasons.items[i]));
    json_set(k->a, mutants, "killed", json_integer(k->a, r->killed));
    json_set(k->a, mutants, "tried", json_integer(k->a, r->mutants));
    json_set(k->a, r->json, "task", json_text(k->a, k->task.name ? k->task.name : ""));
    json_set(k->a, r->json, "verdict", json_text(k->a, gate_verdict_name(r->verdict)));
    json_set(k->a, r->json, "reasons", reasons);
    json_set(k->a, r->json, "mutants", mutants);
    json_set(k->a, r->json, "trials", k->trials);
    json_set(k->a, r->json, "ms", json_integer(k->a, r->ns / 1000000));
    json_set(k->a, r->json, "outside_ms", json_integer(k->a, (r->ns - r->inside_ns) / 1000000));
}

static void release(struct checking *k)
{
    for (size_t i = 0; i < k->c.outputs.count; i++)
        buf_release(&k->c.contents[i]);
    strings_release(&k->c.outputs);
    state_release(&k->c.start);
    state_release(&k->c.solved);
    gate_task_release(&k->task);
    free(k->solution);
}

int gate_check(const char *dir, const struct gate_options *o, struct arena *a, struct gate_result *r, struct error **err)
{
    struct checking k = {.o = o, .r = r, .a = a, .trials = json_new(a, JSON_ARRAY)};
    struct error *own = NULL;
    memset(r, 0, sizeof *r);
    r->json = json_new(a, JSON_OBJECT);
    int status = gate_task_load(&k.task, dir, &own);
    k.task.group = o->group;
    k.c.task = &k.task;
    k.c.most_ms = o->trial_ms;
    k.solution = strings_printf("%s/solution", k.task.copy ? k.task.copy : "");
    if (!status && k.task.beyond) {
        r->verdict = GATE_BEYOND;
        strings_add(&r->reasons, k.task.beyond);
    } else if (!status)
        status = run_all(&k, &own);
    if (status == ERR_INPUT || status == ERR_LIMIT) {
        r->verdict = GATE_BAD;
        strings_add(&r->reasons, own->text);
        status = 0;
    }
    if (!status)
        tell(&k);
    release(&k);
    if (status && err)
        *err = own;
    else
        error_free(own);
    return status;
}

uint64_t gate_template(const char *dir)
{
    struct buf text;
    buf_init(&text, SCRIPT_MAX);
    uint64_t hash = tree_read_at(dir, "tests/test.sh", SCRIPT_MAX, &text, NULL) ? 0 : hash64(buf_bytes(&text));
    buf_release(&text);
    return hash;
}

void gate_result_release(struct gate_result *r)
{
    strings_release(&r->reasons);
}
