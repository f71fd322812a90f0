/* The task's sessions: opening more of them on the same root, calling several at once, ending them.
 *
 * A session is one thread's, and so is an arena. When a group has calls in several sessions, each session but
 * the first gets a thread and an arena for the time of the calls; what they gave is then copied. */
#include <pthread.h>
#include <string.h>

#include "exec/runner_internal.h"

bool runner_closed(const struct runner *r, const struct runner_client *c)
{
    for (size_t i = r->e->count; i-- > 0;) {
        const struct observation *o = &r->e->observations[i];
        const char *op = o->step->op->name;
        if (strcmp(o->step->session, c->name) == 0 && (strcmp(op, "reopen") == 0 || strcmp(op, "close") == 0))
            return strcmp(op, "close") == 0;
    }
    return false;
}

bool runner_all_alive(const struct runner *r)
{
    for (size_t i = 0; i < r->client_count; i++)
        if (!session_alive(r->clients[i].session) && !runner_closed(r, &r->clients[i]))
            return false;
    return true;
}

struct runner_client *runner_client(struct runner *r, const char *name, const char **why)
{
    for (size_t i = 0; i < r->client_count; i++)
        if (strcmp(r->clients[i].name, name) == 0)
            return &r->clients[i];
    if (r->client_count == RUNNER_CLIENTS_MAX) {
        *why = "the task uses more sessions than are opened for one";
        return NULL;
    }
    struct runner_client *c = &r->clients[r->client_count];
    struct error *err = NULL;
    c->name = name;
    if (session_open_beside(r->session, &c->session, &err) < 0) {
        *why = arena_string(r->a, bytes_of_string(err ? err->text : "no more sessions"));
        error_free(err);
        return NULL;
    }
    session_stop_with(c->session, r->stop);
    r->client_count++;
    runner_note_processes(r, c);
    return c;
}

void runner_end_clients(struct runner *r)
{
    while (r->client_count > 1)
        session_close(r->clients[--r->client_count].session);
}

struct batch {
    struct session *session;
    struct call *sent[RUNNER_BATCH_MAX];
    size_t count;
    struct arena arena;
    pthread_t thread;
    bool apart; /* on a thread and an arena of its own */
};

static void *make_calls(void *argument)
{
    struct batch *b = argument;
    session_calls(b->session, b->sent, b->count);
    return NULL;
}

/* The outcome without anything that lies in the batch's arena. */
static void bring_home(struct runner *r, struct call *call)
{
    struct outcome *o = &call->outcome;
    o->message = arena_copy(r->a, o->message);
    o->raw = arena_copy(r->a, o->raw);
    if (o->result)
        o->result = json_copy(r->a, o->result);
    if (o->skip_reason)
        o->skip_reason = arena_string(r->a, bytes_of_string(o->skip_reason));
    if (o->fault) {
        struct outcome_fault *fault = arena_alloc(r->a, sizeof *fault);
        *fault = *o->fault;
        o->fault = fault;
    }
    call->arena = r->a;
}

static size_t divide(struct runner *r, struct runner_client *const *clients, struct call *calls, size_t count,
                     struct batch *batches)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        struct batch *b = batches;
        while (b < batches + used && b->session != clients[i]->session)
            b++;
        if (b == batches + used) {
            *b = (struct batch){.session = clients[i]->session, .apart = used > 0};
            used++;
            if (b->apart)
                arena_init(&b->arena);
        }
        calls[i].arena = b->apart ? &b->arena : r->a;
        b->sent[b->count++] = &calls[i];
    }
    return used;
}

void runner_calls(struct runner *r, struct runner_client *const *clients, struct call *calls, size_t count)
{
    struct batch batches[RUNNER_CLIENTS_MAX];
    bool started[RUNNER_CLIENTS_MAX] = {false};
    size_t used = divide(r, clients, calls, count, batches);
    for (size_t i = 1; i < used; i++)
        started[i] = pthread_create(&batches[i].thread, NULL, make_calls, &batches[i]) == 0;
    if (used)
        make_calls(&batches[0]);
    for (size_t i = 1; i < used; i++) {
        if (started[i])
            pthread_join(batches[i].thread, NULL);
        else
            make_calls(&batches[i]); /* one after the other, where there is no thread to be had */
        for (size_t k = 0; k < batches[i].count; k++)
            bring_home(r, batches[i].sent[k]);
        arena_release(&batches[i].arena);
    }
}
