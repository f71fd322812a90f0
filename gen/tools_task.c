/* From a tool list to tasks. Seven workflows for every target: "single", one call; "sweep", many that have nothing to do with
 * each other; "sequence", calls that make, read and end the same things; "absent", calls with an argument left out and null;
 * "back", calls that ask for what others were given; "damaged", the same calls before and after damage to what they stored;
 * "protocol", requests that are no calls, of which the others have some too. Servers of the stateless era have "stateless", requests
 * that break its rules (tools_provoke.c); other targets behind HTTP have three more (tools_http.c). Each ends with a plain call of the
 * calmest tool, so that a target which no longer answers is seen. What a call's arguments are meant to be stands in the step as `kind`
 * and `violation`, which never reach a target. */
#include <stdlib.h>
#include <string.h>

#include "gen/task_internal.h"
#include "gen/tools_internal.h"

enum { INSTRUCTION_MAX = 64 << 10, STEP_BYTES_SHARE = 2, RELATED = 6, MAKER_FIRST = 8, CLIENTS_ONE_IN = 3 };

static const double seldom = 0.25; /* of what takes its time by its name, or ends what is hardly there */

static const struct workflow {
    const char *name;
    double weight;
    unsigned least, more;       /* calls before the last */
    double kinds[SCHEMA_KINDS]; /* weights of valid, boundary, invalid */
    bool linked;
    enum { CALLS, CALLS_NULLS, CALLS_BACK, CALLS_DAMAGED, STATELESS, HTTP_LAWFUL, HTTP_ODD, HTTP_IDS } of; /* from STATELESS on, raw requests */
    double requests;            /* share of requests that are no calls, where the target takes any */
} workflows[] = {
    {"single", 1, 1, 1, {3, 3, 4}, false, CALLS, 0.2},
    {"sweep", 3, 8, 17, {3, 3, 4}, false, CALLS, 0.15},
    {"sequence", 6, 4, 13, {12, 2, 1}, true, CALLS, 0.1},
    {"absent", 0.5, 1, 2, {1, 0, 0}, false, CALLS_NULLS, 0},
    {"protocol", 2, 6, 13, {3, 3, 4}, false, CALLS, 1},
    {"stateless", 2, 3, 5, {1, 0, 0}, false, STATELESS, 0},
    {"http", 4, 3, 7, {1, 0, 0}, false, HTTP_LAWFUL, 0},
    {"http-odd", 3, 3, 7, {1, 0, 0}, false, HTTP_ODD, 0},
    {"http-ids", 1, 1, 1, {1, 0, 0}, false, HTTP_IDS, 0},
    {"back", 1, 1, 2, {1, 0, 0}, false, CALLS_BACK, 0},
    {"damaged", 2, 1, 1, {1, 0, 0}, false, CALLS_DAMAGED, 0},
};
enum { WORKFLOWS = sizeof workflows / sizeof *workflows };

/* --- which tool --- */

/* How far a task has come: what is made first is read next and ended last. */
static double order_weight(const struct making *m, const struct tool *tool)
{
    if (m->called_count < 2)
        return tool->role == TOOL_MAKES ? MAKER_FIRST : tool->role == TOOL_ENDS ? seldom : 1;
    return 1;
}

static const struct tool *choose_tool(struct making *m, bool linked)
{
    const struct toolset *t = m->tools;
    double *weights = arena_alloc(&m->scratch, t->count * sizeof *weights);
    for (size_t i = 0; i < t->count; i++) {
        weights[i] = linked ? order_weight(m, &t->items[i]) : 1;
        if (schema_name_has(t->items[i].name, "long|wait|sleep|slow|delay|pause"))
            weights[i] *= seldom;
        for (size_t k = 0; linked && k < m->called_count; k++)
            if (tools_related(m->called[k], &t->items[i])) {
                weights[i] *= RELATED;
                break;
            }
    }
    return &t->items[chooser_weighted(&m->chooser, SITE_TOOL, weights, t->count)];
}

/* --- one call --- */

static bool holds_wrapper(const struct json *value)
{
    for (struct json *v = (struct json *)value; v; v = json_next(value, v, true))
        if (task_wrapper_of(v) != WRAP_NONE)
            return true;
    return false;
}

static size_t size_of(const struct json *value)
{
    struct buf text;
    buf_init(&text, SIZE_MAX);
    json_write(&text, value, JSON_COMPACT);
    size_t size = text.len;
    buf_release(&text);
    return size;
}

/* The step's arguments for the op; links only where nothing in them reads like one already. */
static struct json *call_args(struct making *m, const struct tool *tool, const struct schema_value *drawn,
                              bool linked)
{
    struct arena *a = &m->task->arena;
    struct json *args = json_new(a, JSON_OBJECT), *arguments = drawn->value;
    bool odd = holds_wrapper(arguments);
    json_set(a, args, "name", json_string(a, tool->name));
    json_set(a, args, "kind", json_text(a, schema_kind_name(drawn->kind)));
    if (drawn->violation)
        json_set(a, args, "violation", json_text(a, arena_printf(a, "%s %s", drawn->violation, drawn->at)));
    if (odd) {
        struct json *literal = json_new(a, JSON_OBJECT);
        json_set(a, literal, "$literal", arguments);
        arguments = literal;
    }
    json_set(a, args, "arguments", arguments);
    const char *progress = tools_choose_progress(m);
    if (progress)
        json_set(a, args, "progress", json_text(a, progress));
    if (linked && !odd && drawn->kind != SCHEMA_INVALID)
        tools_link(m, drawn);
    if (!odd && drawn->kind == SCHEMA_VALID)
        tools_remember(m, tool, drawn);
    return args;
}

/* Arguments that are no object cannot be sent by a lawful client: such a schema is met with none. */
static void make_object(struct making *m, struct schema_value *drawn)
{
    if (json_is(drawn->value, JSON_OBJECT))
        return;
    *drawn = (struct schema_value){
        .value = json_new(&m->task->arena, JSON_OBJECT), .kind = SCHEMA_VALID, .at = ""};
}

bool tools_add_step(struct making *m, const struct tool *tool, const struct schema_value *drawn, bool linked,
                    struct buf *said)
{
    uint64_t most = (uint64_t)settings_int(m->settings, "generate.max-bytes");
    size_t size = size_of(drawn->value);
    if (m->bytes + size > most / STEP_BYTES_SHARE)
        return false;
    m->bytes += size;
    struct json *args = call_args(m, tool, drawn, linked);
    task_add_step(m->task, m->call, args);
    if (m->called_count < sizeof m->called / sizeof *m->called)
        m->called[m->called_count++] = tool;
    buf_addf(said, "%s%.*s (%s%s%s)", m->task->step_count > 1 ? ", " : "",
             BYTES_ARG(bytes_slice(tool->name, 0, TASK_NAME_MAX)), schema_kind_name(drawn->kind),
             drawn->violation ? ": " : "", drawn->violation ? drawn->violation : "");
    return true;
}

static void add_call(struct making *m, const struct tool *tool, enum schema_kind kind, bool linked,
                     struct buf *said)
{
    struct schema_value drawn;
    schema_draw(m->tools->book, tool->input, kind, &m->chooser, &m->task->arena, &drawn);
    make_object(m, &drawn);
    tools_add_step(m, tool, &drawn, linked, said);
}

/* Is the next step a request rather than a call? */
static bool choose_request(struct making *m, const struct workflow *w)
{
    double weights[] = {m->tools->count ? 1 - w->requests : 0, m->tools->count ? w->requests : 1};
    return m->tools->capabilities && chooser_weighted(&m->chooser, SITE_MIX, weights, 2) == 1;
}

static void choose_call(struct making *m, const struct workflow *w, struct buf *said)
{
    static const double one = 1;
    size_t handle;
    chooser_open_weighted(&m->chooser, SITE_CALL, &one, 1, &handle);
    if (choose_request(m, w)) {
        tools_add_request(m, said);
    } else {
        const struct tool *tool = choose_tool(m, w->linked);
        enum schema_kind kind = (enum schema_kind)chooser_weighted(&m->chooser, SITE_KIND, w->kinds,
                                                                   SCHEMA_KINDS);
        add_call(m, tool, kind, w->linked, said);
    }
    chooser_close(&m->chooser, handle);
}

/* Workflows whose calls come in sets, and how many steps a set has at most. */
static const struct set {
    bool (*add)(struct making *m, struct buf *said);
    uint64_t steps;
} sets[] = {
    [CALLS_NULLS] = {tools_add_null, 3},
    [CALLS_BACK] = {tools_add_back, 3},
    [CALLS_DAMAGED] = {tools_add_damage, 6},
};

static bool choose_set(struct making *m, const struct set *set, struct buf *said)
{
    static const double one = 1;
    size_t handle;
    chooser_open_weighted(&m->chooser, SITE_CALL, &one, 1, &handle);
    bool added = set->add(m, said);
    chooser_close(&m->chooser, handle);
    return added;
}

/* --- the whole --- */

/* The plain call of the calmest tool; a ping where there is none. */
static void add_control(struct making *m, struct buf *said)
{
    if (m->tools->count)
        add_call(m, &m->tools->items[m->tools->control], SCHEMA_VALID, false, said);
    else
        tools_add_ping(m, said);
}

/* The last step once more, for another client: it is to be answered before and after what the first one sends. */
static void repeat_for_other(struct making *m, const struct json *args)
{
    struct task_step *step = task_add_step(m->task, m->call, json_copy(&m->task->arena, args));
    step->session = "other";
}

static void make_requests(struct making *m, const struct workflow *w, uint64_t count, struct buf *said)
{
    bool others = chooser_uniform(&m->chooser, SITE_CLIENTS, CLIENTS_ONE_IN) == 0;
    size_t first = m->task->step_count;
    if (others)
        add_control(m, said);
    others = m->task->step_count > first;
    struct json *args = others ? m->task->steps[first].args : NULL;
    if (others)
        repeat_for_other(m, args);
    if (w->of == HTTP_IDS)
        tools_http_twins(m, said);
    else
        tools_http_requests(m, w->of == HTTP_ODD, count, said);
    if (others)
        repeat_for_other(m, args);
}

/* Requests need a server of the protocol. Those over HTTP are about sessions, which the stateless era has none of: it has its own. */
static bool suits(const struct toolset *t, const struct workflow *w)
{
    if (w->of == STATELESS)
        return t->stateless;
    if (w->of == CALLS_BACK || w->of == CALLS_DAMAGED)
        return tools_have_pair(t) && (w->of == CALLS_BACK || t->can_damage);
    if (w->of >= HTTP_LAWFUL)
        return t->http && !t->stateless && t->capabilities && t->count;
    return w->requests < 1 || t->capabilities;
}

/* Those that do not suit the target weigh nothing; to be chosen from as far as the last that does. */
static size_t weigh_workflows(const struct toolset *t, double weights[WORKFLOWS])
{
    size_t possible = 0;
    for (size_t i = 0; i < WORKFLOWS; i++) {
        bool fits = suits(t, &workflows[i]);
        weights[i] = fits ? workflows[i].weight : 0;
        possible = fits ? i + 1 : possible;
    }
    return possible;
}

static void run_workflow(struct making *m, struct buf *said)
{
    double weights[WORKFLOWS];
    size_t whole, calls;
    size_t possible = weigh_workflows(m->tools, weights);
    const struct workflow *w =
        &workflows[chooser_open_weighted(&m->chooser, SITE_WORKFLOW, weights, possible, &whole)];
    uint64_t most = (uint64_t)settings_int(m->settings, "generate.max-steps");
    uint64_t count = w->least + chooser_open_count(&m->chooser, SITE_CALLS, w->more, COUNT_BOUNDED, &calls);
    m->task->workflow = w->name;
    if (w->of >= HTTP_LAWFUL)
        make_requests(m, w, count, said);
    else if (w->of == STATELESS) /* before anything that breaks a rule */
        tools_add_connections(m, said);
    const struct set *set = w->of > CALLS && w->of < STATELESS ? &sets[w->of] : NULL;
    uint64_t steps = set ? set->steps : 1;
    for (uint64_t i = 0; w->of < HTTP_LAWFUL && i < count && (i + 1) * steps < most; i++)
        if (w->of == STATELESS)
            tools_add_provoked(m, said);
        else if (!set || !choose_set(m, set, said))
            choose_call(m, w, said);
    chooser_close(&m->chooser, calls);
    add_control(m, said);
    chooser_close(&m->chooser, whole);
}

static void finish(struct making *m, const struct buf *said)
{
    struct task *t = m->task;
    struct buf text;
    t->instruction = arena_printf(
        &t->arena,
        "Call these tools%s, in this order, each with arguments as its schema asks for, or against "
        "it where that is said: %.*s.",
        m->tools->capabilities ? " and make these requests" : "",
        BYTES_ARG(buf_bytes(said)));
    buf_init(&text, SIZE_MAX);
    derivation_encode(&m->log, &text);
    t->derivation = arena_string(&t->arena, buf_bytes(&text));
    buf_release(&text);
    task_identify(t);
}

static int make(const struct toolset *t, const struct ops *ops, const struct settings *settings,
                const struct derivation *replay, uint64_t seed, uint64_t index, struct task **task,
                struct error **err)
{
    if (!toolset_usable(t))
        return error_set(err, ERR_INPUT, "the target has no tools to make tasks of");
    if (!ops_find(ops, "call") || !ops_find(ops, "request") || !ops_find(ops, "notify") || !ops_find(ops, "send"))
        return error_set(err, ERR_INPUT, "the vocabulary has no op \"call\", \"request\", \"notify\" or \"send\"");
    struct making *m = xcalloc(1, sizeof *m);
    struct buf said;
    *m = (struct making){.tools = t, .task = task_new(), .settings = settings};
    m->call = ops_find(ops, "call");
    m->request = ops_find(ops, "request");
    m->notify = ops_find(ops, "notify");
    m->send = ops_find(ops, "send");
    m->damage = ops_find(ops, "stage-damage");
    m->reopen = ops_find(ops, "reopen");
    m->task->domain = "tools";
    m->task->grammar_hash = arena_string(&m->task->arena, bytes_of_string(t->hash));
    m->task->seed = seed;
    m->task->index = index;
    arena_init(&m->scratch);
    derivation_init(&m->log);
    buf_init(&said, INSTRUCTION_MAX);
    rng_seed(&m->rng, seed, index);
    chooser_init(&m->chooser, &m->rng, replay, &m->log);
    run_workflow(m, &said);
    finish(m, &said);
    *task = m->task;
    buf_release(&said);
    derivation_release(&m->log);
    arena_release(&m->scratch);
    free(m);
    return 0;
}

int toolset_task(const struct toolset *t, const struct ops *ops, const struct settings *settings,
                 uint64_t seed, uint64_t index, struct task **task, struct error **err)
{
    return make(t, ops, settings, NULL, seed, index, task, err);
}

int toolset_task_from(const struct toolset *t, const struct ops *ops, const struct settings *settings,
                      const struct derivation *d, uint64_t seed, uint64_t index, struct task **task,
                      struct error **err)
{
    return make(t, ops, settings, d, seed, index, task, err);
}
