/* A target, its session and calls on it, for tests of drivers. */
#ifndef TESTS_UNIT_SESSION_FIXTURE_H
#define TESTS_UNIT_SESSION_FIXTURE_H

#include "box_fixture.h"
#include "exec/target/session_internal.h"
#include "grammar/ops.h"

/* bubblewrap, the usual way: a sandbox inside our box. */
#define BWRAP                                                                                                \
    "exec:bwrap --ro-bind / / --dev /dev --proc /proc --bind {root} {root} --unshare-all --die-with-parent"

struct session_fixture {
    struct settings settings;
    struct ops *ops;
    struct target *target;
    struct session *session;
    struct arena arena;
    struct call call;       /* the last one */
    const char *const *env; /* of targets; NULL */
};

static inline void session_set_up(struct session_fixture *f)
{
    *f = (struct session_fixture){0};
    target_isolate(); /* small disks of a test that runs beside this one are not in the way of our boxes */
    settings_defaults(&f->settings);
    arena_init(&f->arena);
    struct error *err = NULL;
    int status = ops_load(TASKGEN_SOURCE_DIR "/domains/ops.xml", &f->ops, &err);
    ck_assert_msg(status == 0, "%s", err ? err->text : "");
}

static inline void session_tear_down(struct session_fixture *f)
{
    if (f->session)
        session_close(f->session);
    target_free(f->target);
    ops_free(f->ops);
    arena_release(&f->arena);
}

static inline void session_target_new(struct session_fixture *f, const char *spec)
{
    struct target_options o = {.spec = spec, .settings = &f->settings, .ops = f->ops, .env = f->env};
    struct error *err = NULL;
    int status = target_new(&o, &f->target, &err);
    ck_assert_msg(status == 0, "%s", err ? err->text : "");
}

static inline void session_begin(struct session_fixture *f)
{
    struct error *err = NULL;
    int status = session_open(f->target, &f->session, &err);
    ck_assert_msg(status == 0, "%s", err ? err->text : "");
    snprintf(fixture_mark, sizeof fixture_mark, "%s", f->session->base);
}

static inline void session_new(struct session_fixture *f, const char *spec)
{
    session_target_new(f, spec);
    session_begin(f);
}

static inline struct json *fixture_json(struct session_fixture *f, const char *text)
{
    struct json *value = NULL;
    struct error *err = NULL;
    int status = json_read(&f->arena, bytes_of_string(text), NULL, "test", &value, NULL, &err);
    ck_assert_msg(status == 0, "%s: %s", text, err ? err->text : "");
    return value;
}

static inline struct call fixture_call(struct session_fixture *f, const char *op, struct json *args)
{
    struct call call = {.op = ops_find(f->ops, op),
                        .args = args,
                        .timeout_ms = 20000,
                        .cancel_after_ms = -1,
                        .arena = &f->arena};
    ck_assert_msg(call.op != NULL, "no op %s", op);
    return call;
}

/* Makes one call with arguments as JSON text; the outcome stands in f->call. */
static inline enum outcome_class do_args(struct session_fixture *f, const char *op, struct json *args)
{
    f->call = fixture_call(f, op, args);
    session_calls(f->session, (struct call *[]){&f->call}, 1);
    return f->call.outcome.class;
}

static inline enum outcome_class do_call(struct session_fixture *f, const char *op, const char *args)
{
    return do_args(f, op, fixture_json(f, args));
}

static inline struct bytes result_bytes(struct session_fixture *f, const char *name)
{
    return json_as_text(json_get(f->call.outcome.result, name));
}

static inline int64_t result_integer(struct session_fixture *f, const char *name)
{
    int64_t value = -1;
    ck_assert_msg(json_as_integer(json_get(f->call.outcome.result, name), &value), "no integer %s", name);
    return value;
}

/* What the last call said when it did not succeed. */
static inline const char *said_words(struct session_fixture *f)
{
    const struct outcome *o = &f->call.outcome;
    return arena_printf(&f->arena, "%s code %d: %.*s %s", outcome_class_name(o->class), (int)o->code,
                        BYTES_ARG(o->message), o->skip_reason ? o->skip_reason : "");
}

#define ASSERT_OK(op, args)                                                                                  \
    ck_assert_msg(do_call(&f, op, args) == OUTCOME_OK, "%s %s: %s", op, args, said_words(&f))

/* A shell script's standard output; it must end with status 0. */
static inline const char *sh_out(struct session_fixture *f, const char *script)
{
    struct json *args = json_new(&f->arena, JSON_OBJECT);
    json_set(&f->arena, args, "language", json_text(&f->arena, "sh"));
    json_set(&f->arena, args, "script", json_text(&f->arena, script));
    enum outcome_class class = do_args(f, "run", args);
    ck_assert_msg(class == OUTCOME_OK, "%s: %s", script, said_words(f));
    ck_assert_msg(f->call.outcome.exit == 0, "%s: %d: %.*s", script, f->call.outcome.exit,
                  BYTES_ARG(result_bytes(f, "stderr")));
    return arena_string(&f->arena, result_bytes(f, "stdout"));
}

#endif
