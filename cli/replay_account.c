/* What is told of a replay of one finding, to people and to programs. */
#include "base/json.h"
#include "cli/replay.h"
#include "cli/watch.h"
#include "cli/watch_left.h"
#include "exec/compare.h"

#include <stdio.h>

static const char *member_of(struct arena *a, const struct json *record, const char *name)
{
    return arena_string(a, json_as_text(json_get(record, name)));
}

void replay_account_init(struct replay_account *x, const struct finding *f)
{
    struct json *record = NULL;
    *x = (struct replay_account){.expected = "", .observed = "", .now = "", .left = ""};
    arena_init(&x->arena);
    if (!f->wire || !*f->wire || json_read(&x->arena, bytes_of_string(f->wire), NULL, f->signature, &record, NULL, NULL) < 0)
        return;
    x->then = json_get(record, "steps");
    x->expected = member_of(&x->arena, record, "expected");
    x->observed = member_of(&x->arena, record, "observed");
}

void replay_account_run(void *user, const struct execution *e, const char *record)
{
    struct replay_account *x = user;
    struct arena *a = &x->arena;
    struct json *now = NULL;
    if (x->shows && !record)
        return;
    x->shows = record != NULL;
    x->now = "nothing wrong";
    if (record && json_read(a, bytes_of_string(record), NULL, "record", &now, NULL, NULL) == 0)
        x->now = member_of(a, now, "observed");
    x->difference = outline_difference(x->then, e, a);
    struct buf left;
    buf_init(&left, 1 << 16);
    watch_left_text(e, &left);
    x->left = arena_string(a, buf_bytes(&left));
    buf_release(&left);
}

static void print_line(const char *name, const char *text)
{
    struct buf line;
    buf_init(&line, 1 << 20);
    watch_harmless(&line, text);
    printf("          %-12s %s\n", name, buf_string(&line));
    buf_release(&line);
}

static void print_account(const struct replay_account *x)
{
    if (*x->expected)
        print_line("expected", x->expected);
    if (*x->observed)
        print_line("then", x->observed);
    print_line("now", x->now);
    print_line("difference", x->difference ? x->difference : "none, every step went as then");
    print_line("left over", *x->left ? x->left : "nothing");
}

static void print_words(const struct finding *f, const struct replay_account *x, const struct replayed *came)
{
    printf("%.8s  %s  %d of %d runs failed  %-11s  %s%s\n", f->signature, came->n_failed ? "STILL FAILS" : "passes     ", came->n_failed,
           came->n_run, finding_state_name(came->is), f->text, f->suppressed ? "  (suppressed)" : "");
    if (came->n_run)
        print_account(x);
}

void replay_print_event(const struct replay *r, const struct json *event)
{
    struct buf line;
    buf_init(&line, 1 << 24);
    json_write(&line, event, JSON_COMPACT);
    buf_add_byte(&line, '\n');
    cli_out(r->verb, buf_bytes(&line));
    cli_out_flush(r->verb);
    buf_release(&line);
}

void replay_account_print(const struct replay *r, const struct finding *f, const struct replay_account *x, const struct replayed *came)
{
    if (!cli_flag(r->args, "json")) {
        print_words(f, x, came);
        fflush(stdout);
        return;
    }
    struct arena a;
    arena_init(&a);
    struct json *o = json_new(&a, JSON_OBJECT);
    json_set(&a, o, "event", json_text(&a, "replayed"));
    json_set(&a, o, "signature", json_text(&a, f->signature));
    json_set(&a, o, "text", json_text(&a, f->text));
    json_set(&a, o, "was", json_text(&a, finding_state_name(came->was)));
    json_set(&a, o, "state", json_text(&a, finding_state_name(came->is)));
    json_set(&a, o, "n_failed", json_integer(&a, came->n_failed));
    json_set(&a, o, "n_run", json_integer(&a, came->n_run));
    json_set(&a, o, "counts", json_bool(&a, came->counts));
    json_set(&a, o, "suppressed", json_bool(&a, f->suppressed));
    json_set(&a, o, "expected", json_text(&a, x->expected));
    json_set(&a, o, "observed", json_text(&a, x->observed));
    json_set(&a, o, "now", json_text(&a, x->now));
    json_set(&a, o, "difference", x->difference ? json_text(&a, x->difference) : json_new(&a, JSON_NULL));
    json_set(&a, o, "left", json_text(&a, x->left));
    replay_print_event(r, o);
    arena_release(&a);
}
