/* Requests of the protocol that are no plain calls of tools: lists page by page, resources, templates, prompts, completion,
 * subscriptions, levels of logging, ping; and what a server has to refuse: unknown methods, names, addresses, cursors.
 *
 * Everything here is what a lawful client may send. One row makes one kind of request; a row whose capability the server did not
 * declare is never chosen. */
#include <string.h>

#include "gen/task_internal.h"
#include "gen/tools_internal.h"

enum { ADDRESS_MAX = 4096, ARGUMENTS_MAX = 32 };

/* A request that is being made. */
struct draft {
    const char *method;
    struct json *params; /* an object; NULL: none */
    bool notification;
    const char *about;   /* of a notification; NULL */
};

static uint64_t choose(struct making *m, uint32_t site, uint64_t n)
{
    return chooser_uniform(&m->chooser, SITE_REQUEST + site, n);
}

static struct json *params_of(struct making *m, struct draft *d)
{
    if (!d->params)
        d->params = json_new(&m->task->arena, JSON_OBJECT);
    return d->params;
}

static void put(struct making *m, struct draft *d, const char *name, struct bytes text)
{
    json_set(&m->task->arena, params_of(m, d), name, json_string(&m->task->arena, text));
}

static void put_text(struct making *m, struct draft *d, const char *name, const char *text)
{
    put(m, d, name, bytes_of_string(text));
}

static size_t count_of(const struct json *list)
{
    return json_is(list, JSON_ARRAY) ? list->count : 0;
}

static struct bytes text_of(const struct json *object, const char *name)
{
    const struct json *value = json_get(object, name);
    return json_is(value, JSON_STRING) ? value->text : BYTES_NONE;
}

/* One of the list's; NULL where it is empty. */
static const struct json *any_of(struct making *m, uint32_t site, const struct json *list)
{
    size_t count = count_of(list);
    return count ? json_at(list, (size_t)choose(m, site, count)) : NULL;
}

/* Short, calm, and fit for an address as they stand. */
static const char *word(struct making *m, uint32_t site)
{
    static const char *const words[] = {"1", "a", "test", "2", "0", "100", "-1", "%20", "x.txt", "%C3%BC",
                                        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"};
    return words[choose(m, site, sizeof words / sizeof *words)];
}

/* --- lists and what they lead to --- */

/* Where an earlier step of the task asked for the same list, the cursor that it was given. */
static struct json *earlier_cursor(struct making *m, const char *method)
{
    struct arena *a = &m->task->arena;
    for (size_t i = m->task->step_count; i-- > 0;) {
        const struct task_step *step = &m->task->steps[i];
        if (step->op != m->request || !bytes_equal_string(text_of(step->args, "method"), method))
            continue;
        struct json *wrapper = json_new(a, JSON_OBJECT);
        json_set(a, wrapper, "$from", json_text(a, step->id));
        json_set(a, wrapper, "at", json_text(a, "/result/nextCursor"));
        json_set(a, wrapper, "else", json_text(a, "taskgen-no-cursor"));
        return wrapper;
    }
    return NULL;
}

static void make_list(struct making *m, struct draft *d)
{
    static const struct {
        const char *method, *capability;
    } lists[] = {{"tools/list", "tools"}, {"resources/list", "resources"}, {"resources/templates/list", "resources"},
                 {"prompts/list", "prompts"}};
    static const char *const bad[] = {"taskgen-no-cursor", "", "-1", "bm90IGEgY3Vyc29y", "{}"};
    const char *declared[sizeof lists / sizeof *lists];
    size_t count = 0;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (json_get(m->tools->capabilities, lists[i].capability))
            declared[count++] = lists[i].method;
    d->method = count ? declared[choose(m, 0, count)] : "tools/list";
    switch (choose(m, 1, 3)) {
    case 0:
        params_of(m, d);
        break;
    case 1:
        put_text(m, d, "cursor", bad[choose(m, 2, sizeof bad / sizeof *bad)]);
        break;
    default: {
        struct json *cursor = earlier_cursor(m, d->method);
        if (cursor)
            json_set(&m->task->arena, params_of(m, d), "cursor", cursor);
    }
    }
}

static void make_ping(struct making *m, struct draft *d)
{
    (void)m;
    d->method = "ping";
}

static void make_unknown(struct making *m, struct draft *d)
{
    static const char *const methods[] = {"taskgen/none", "tools", "tools/list/", "TOOLS/LIST", "resources/none", "rpc.discover", ""};
    d->method = methods[choose(m, 0, sizeof methods / sizeof *methods)];
    if (choose(m, 1, 2))
        params_of(m, d);
}

/* --- tools by names that there are not --- */

static void make_bad_call(struct making *m, struct draft *d)
{
    d->method = "tools/call";
    const struct tool *tool = m->tools->count ? &m->tools->items[choose(m, 0, m->tools->count)] : NULL;
    switch (choose(m, 1, 4)) {
    case 0:
        put_text(m, d, "name", "taskgen_no_such_tool");
        break;
    case 1:
        put_text(m, d, "name", "");
        break;
    case 2:
        put_text(m, d, "name", tool ? arena_printf(&m->scratch, "%.*s ", BYTES_ARG(tool->name)) : " ");
        break;
    default:
        put_text(m, d, "name", tool ? arena_printf(&m->scratch, "%.*s_taskgen", BYTES_ARG(tool->name)) : "taskgen");
    }
    json_set(&m->task->arena, d->params, "arguments", json_new(&m->task->arena, JSON_OBJECT));
}

/* --- resources --- */

/* A template with something for each {variable}; operators as {?x} has them. */
static struct bytes fill_template(struct making *m, struct bytes text)
{
    struct buf out;
    buf_init(&out, ADDRESS_MAX);
    for (size_t at = 0; at < text.len; at++) {
        ptrdiff_t end = text.data[at] == '{' ? bytes_find(text, BYTES_LITERAL("}"), at) : -1;
        if (end < 0) {
            buf_add_byte(&out, text.data[at]);
            continue;
        }
        struct bytes name = bytes_slice(text, at + 1, (size_t)end);
        bool query = name.len && (name.data[0] == '?' || name.data[0] == '&');
        if (query)
            buf_addf(&out, "%c%.*s=", name.data[0], BYTES_ARG(bytes_slice(name, 1, name.len)));
        buf_add_string(&out, word(m, 3));
        at = (size_t)end;
    }
    struct bytes filled = arena_copy(&m->task->arena, buf_bytes(&out));
    buf_release(&out);
    return filled;
}

static struct bytes choose_address(struct making *m)
{
    static const char *const unknown[] = {"taskgen://none", "", "no address at all", "file:///taskgen-none", "http://127.0.0.1:9/none"};
    const struct json *listed = any_of(m, 4, m->tools->resources), *template = any_of(m, 5, m->tools->templates);
    uint64_t way = choose(m, 6, 4);
    if (listed && (way == 0 || (way == 1 && !template)))
        return text_of(listed, "uri");
    if (template && way <= 1)
        return fill_template(m, text_of(template, "uriTemplate"));
    if (listed && way == 2)
        return bytes_of_string(arena_printf(&m->task->arena, "%.*s%s", BYTES_ARG(text_of(listed, "uri")), word(m, 7)));
    return bytes_of_string(unknown[choose(m, 8, sizeof unknown / sizeof *unknown)]);
}

static void make_read(struct making *m, struct draft *d)
{
    d->method = "resources/read";
    put(m, d, "uri", choose_address(m));
}

static void make_subscription(struct making *m, struct draft *d)
{
    d->method = choose(m, 0, 2) ? "resources/subscribe" : "resources/unsubscribe";
    put(m, d, "uri", choose_address(m));
}

/* --- prompts --- */

static bool is_required(const struct json *argument)
{
    return json_is(json_get(argument, "required"), JSON_TRUE);
}

/* Arguments for a prompt: what it needs, now and then what it allows; of the required ones `without` (counted from 1) is left out. */
static struct json *prompt_arguments(struct making *m, const struct json *prompt, uint64_t without)
{
    struct arena *a = &m->task->arena;
    struct json *arguments = json_new(a, JSON_OBJECT);
    const struct json *list = json_get(prompt, "arguments");
    for (const struct json *one = count_of(list) ? list->first : NULL; one && arguments->count < ARGUMENTS_MAX; one = one->next) {
        bool wanted = is_required(one) ? without == 0 || --without > 0 : choose(m, 3, 2) == 0;
        struct bytes name = text_of(one, "name");
        if (wanted && name.len && !json_get_bytes(arguments, name)) /* a list may have one twice */
            json_set_bytes(a, arguments, name, json_text(a, word(m, 4)));
    }
    return arguments;
}

static uint64_t count_required(const struct json *prompt)
{
    const struct json *list = json_get(prompt, "arguments");
    uint64_t count = 0;
    for (const struct json *one = count_of(list) ? list->first : NULL; one; one = one->next)
        count += is_required(one);
    return count;
}

static void make_prompt(struct making *m, struct draft *d)
{
    const struct json *prompt = any_of(m, 0, m->tools->prompts);
    uint64_t way = choose(m, 1, 4), required = count_required(prompt);
    d->method = "prompts/get";
    put(m, d, "name", prompt && way ? text_of(prompt, "name") : BYTES_LITERAL("taskgen_no_such_prompt"));
    struct json *arguments = prompt_arguments(m, prompt, way == 2 && required ? 1 + choose(m, 5, required) : 0);
    if (way == 3)
        json_set(&m->task->arena, arguments, "taskgen_extra", json_text(&m->task->arena, "1"));
    json_set(&m->task->arena, d->params, "arguments", arguments);
}

/* --- completion, logging, notifications --- */

static void make_completion(struct making *m, struct draft *d)
{
    struct arena *a = &m->task->arena;
    const struct json *prompt = any_of(m, 0, m->tools->prompts), *template = any_of(m, 1, m->tools->templates);
    const struct json *argument = any_of(m, 2, json_get(prompt, "arguments"));
    bool of_prompt = prompt && (choose(m, 3, 2) || !template);
    struct bytes name = of_prompt ? text_of(argument, "name") : BYTES_NONE;
    d->method = "completion/complete";
    struct json *ref = json_set(a, params_of(m, d), "ref", json_new(a, JSON_OBJECT));
    json_set(a, ref, "type", json_text(a, of_prompt ? "ref/prompt" : "ref/resource"));
    struct bytes named = of_prompt ? text_of(prompt, "name") : text_of(template, "uriTemplate");
    if (choose(m, 4, 5) == 0 || !named.len)
        named = BYTES_LITERAL("taskgen://none");
    json_set(a, ref, of_prompt ? "name" : "uri", json_string(a, named));
    struct json *completed = json_set(a, d->params, "argument", json_new(a, JSON_OBJECT));
    json_set(a, completed, "name", name.len ? json_string(a, name) : json_text(a, choose(m, 5, 2) ? "id" : "taskgen_none"));
    json_set(a, completed, "value", json_text(a, choose(m, 6, 2) ? word(m, 7) : ""));
}

static void make_level(struct making *m, struct draft *d)
{
    static const char *const levels[] = {"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency", "loud", "", "INFO"};
    d->method = "logging/setLevel";
    put_text(m, d, "level", levels[choose(m, 0, sizeof levels / sizeof *levels)]);
}

/* Cancelling what is over, or never was, is what a client cannot help when messages cross. */
static void make_cancelled(struct making *m, struct draft *d)
{
    d->method = "notifications/cancelled";
    d->notification = true;
    d->about = choose(m, 0, 2) ? "finished" : "unknown";
    put_text(m, d, "reason", "no longer needed");
}

/* --- the table --- */

static const struct row {
    double weight;
    const char *capability, *member; /* which the server must have declared; NULL */
    void (*make)(struct making *m, struct draft *d);
} rows[] = {
    {1, NULL, NULL, make_ping},
    {1, NULL, NULL, make_unknown},
    {3, NULL, NULL, make_list},
    {2, "tools", NULL, make_bad_call},
    {6, "resources", NULL, make_read},
    {2, "resources", "subscribe", make_subscription},
    {5, "prompts", NULL, make_prompt},
    {3, "completions", NULL, make_completion},
    {2, "logging", NULL, make_level},
    {1, NULL, NULL, make_cancelled},
};
enum { ROWS = sizeof rows / sizeof *rows };

static bool declared(const struct toolset *t, const struct row *row)
{
    const struct json *capability = row->capability ? json_get(t->capabilities, row->capability) : NULL;
    return !row->capability || (capability && (!row->member || json_is(json_get(capability, row->member), JSON_TRUE)));
}

/* The step is none of a tool's: sequences look past it. */
static void add(struct making *m, const struct draft *d, const char *progress, struct buf *said)
{
    static const struct json any = {.kind = JSON_OBJECT};
    static const struct tool none = {.input = &any};
    struct arena *a = &m->task->arena;
    struct json *args = json_new(a, JSON_OBJECT);
    json_set(a, args, "method", json_text(a, d->method));
    if (d->params)
        json_set(a, args, "params", d->params);
    if (d->about)
        json_set(a, args, "about", json_text(a, d->about));
    if (progress)
        json_set(a, args, "progress", json_text(a, progress));
    task_add_step(m->task, d->notification ? m->notify : m->request, args);
    if (m->called_count < sizeof m->called / sizeof *m->called)
        m->called[m->called_count++] = &none;
    buf_addf(said, "%s%s (%s)", m->task->step_count > 1 ? ", " : "", *d->method ? d->method : "\"\"",
             d->notification ? "notification" : "request");
}

const char *tools_choose_progress(struct making *m)
{
    static const char *const kinds[] = {NULL, NULL, NULL, NULL, "text", "number"};
    return m->tools->capabilities ? kinds[chooser_uniform(&m->chooser, SITE_PROGRESS, sizeof kinds / sizeof *kinds)] : NULL;
}

void tools_add_request(struct making *m, struct buf *said)
{
    double weights[ROWS];
    size_t handle;
    struct draft d = {0};
    for (size_t i = 0; i < ROWS; i++)
        weights[i] = declared(m->tools, &rows[i]) ? rows[i].weight : 0;
    const struct row *row = &rows[chooser_open_weighted(&m->chooser, SITE_REQUEST_KIND, weights, ROWS, &handle)];
    row->make(m, &d);
    const char *progress = tools_choose_progress(m);
    add(m, &d, d.notification ? NULL : progress, said);
    chooser_close(&m->chooser, handle);
}

void tools_add_ping(struct making *m, struct buf *said)
{
    struct draft d = {0};
    make_ping(m, &d);
    add(m, &d, NULL, said);
}
