/* Evaluates expectations. A fact about a step is looked up in its outcome, one about a file in the final view
 * that a witness took; what each member asks ("equals", "lines", …) is a row of a table. */
#include "exec/oracle/expect.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "exec/oracle/facts.h"
#include "exec/oracle/job.h"
#include "exec/oracle/site_seen.h"
#include "gen/recipe.h"

enum { CONTENT_MAX = 64 << 20 /* of an expected content that is made */ };

static enum fact fact_of(bool holds)
{
    return holds ? FACT_HOLDS : FACT_FAILS;
}

/* What a question is asked about: whole bytes, or only their size and hash, or a JSON value. */
struct subject {
    const struct execution *e;
    struct arena *a;
    struct fact_report *report;
    bool have_data;
    struct bytes data;
    uint64_t size;
    const char *sha256;       /* NULL: made from data */
    const struct json *value; /* instead of data, where the value is no string */
    bool final_newline_free;  /* a last line end may be missing */
};

bool expect_bytes(const struct task *task, const struct json *value, struct arena *a, struct bytes *out)
{
    if (task_is_wrapper(value, "$content"))
        value = json_get_bytes(task->contents, json_as_text(json_get(value, "$content")));
    if (json_is(value, JSON_STRING)) {
        *out = value->text;
        return true;
    }
    if (!task_is_wrapper(value, "$recipe") && !task_is_wrapper(value, "$bytes"))
        return false;
    struct buf made;
    buf_init(&made, CONTENT_MAX);
    bool ok = content_make(value, CONTENT_MAX, &made, NULL) == 0;
    if (ok)
        *out = arena_copy(a, buf_bytes(&made));
    buf_release(&made);
    return ok;
}

/* The bytes that are wanted; where they begin with {site}, the site's address stands there. */
static bool wanted(struct subject *s, const struct json *want, struct bytes *out)
{
    const char *site = s->e->site.address;
    if (!expect_bytes(s->e->task, want, s->a, out))
        return false;
    if (site && bytes_starts(*out, BYTES_LITERAL(TASK_SITE))) {
        struct buf whole;
        buf_init(&whole, SIZE_MAX);
        buf_add_string(&whole, site);
        buf_add(&whole, bytes_slice(*out, sizeof TASK_SITE - 1, out->len));
        *out = arena_copy(s->a, buf_bytes(&whole));
        buf_release(&whole);
    }
    return true;
}

/* Numbers by value, so that 3, 3.0 and 30e-1 are equal, and sums may differ in the last digits. */
static bool same_value(const struct json *want, const struct json *got)
{
    double x, y;
    if (json_is(want, JSON_NUMBER) && json_is(got, JSON_NUMBER) && json_as_real(want, &x) &&
        json_as_real(got, &y))
        return bytes_equal(want->text, got->text) || x == y || fabs(x - y) <= 1e-9 * fmax(fabs(x), fabs(y));
    return json_equal(want, got);
}

static struct bytes without_newline(struct bytes b)
{
    return bytes_ends(b, BYTES_LITERAL("\n")) ? bytes_slice(b, 0, b.len - 1) : b;
}

static enum fact ask_equals(struct subject *s, const struct json *want)
{
    struct bytes bytes;
    if (s->value)
        return fact_of(same_value(want, s->value));
    if (!wanted(s, want, &bytes))
        return FACT_UNKNOWN;
    if (!s->have_data) {
        char hash[65];
        sha256_hex(bytes, hash);
        return s->sha256 && s->sha256[0] ? fact_of(strcmp(hash, s->sha256) == 0) : FACT_UNKNOWN;
    }
    s->report->compared = true;
    s->report->want = bytes;
    s->report->got = s->data;
    if (s->final_newline_free && bytes_equal(without_newline(bytes), without_newline(s->data)))
        return FACT_HOLDS;
    return fact_of(bytes_equal(bytes, s->data));
}

static enum fact ask_contains(struct subject *s, const struct json *want)
{
    struct bytes bytes;
    if (!s->have_data || !wanted(s, want, &bytes))
        return FACT_UNKNOWN;
    return fact_of(bytes_find(s->data, bytes, 0) >= 0);
}

/* The content of that hash, if a step has put it before. */
static bool sent_before(const struct subject *s, struct bytes hash, struct bytes *content)
{
    for (size_t i = 0; i < s->report->observation; i++) {
        const struct json *value = json_get(s->e->observations[i].args, "content");
        char hex[65] = "";
        if (json_is(value, JSON_STRING))
            sha256_hex(value->text, hex);
        if (!bytes_equal_string(hash, hex))
            continue;
        *content = value->text;
        return true;
    }
    return false;
}

static enum fact ask_sha256(struct subject *s, const struct json *want)
{
    char hash[65];
    if (s->have_data)
        sha256_hex(s->data, hash);
    else if (s->sha256 && s->sha256[0])
        memcpy(hash, s->sha256, sizeof hash);
    else
        return FACT_UNKNOWN;
    bool same = bytes_equal_string(json_as_text(want), hash);
    if (!same && s->have_data && s->report->observation < s->e->count && sent_before(s, json_as_text(want), &s->report->want)) {
        s->report->compared = true;
        s->report->got = s->data;
    }
    return fact_of(same);
}

static enum fact ask_size(struct subject *s, const struct json *want)
{
    int64_t size;
    if (s->value || !json_as_integer(want, &size))
        return FACT_UNKNOWN;
    return fact_of(size >= 0 && (uint64_t)size == s->size);
}

static enum fact ask_lines(struct subject *s, const struct json *want)
{
    int64_t lines, count = 0;
    if (!s->have_data || !json_as_integer(want, &lines))
        return FACT_UNKNOWN;
    for (size_t i = 0; i < s->data.len; i++)
        count += s->data.data[i] == '\n';
    count += s->data.len > 0 && s->data.data[s->data.len - 1] != '\n';
    return fact_of(count == lines);
}

static const struct {
    const char *name;
    enum fact (*ask)(struct subject *s, const struct json *want);
} questions[] = {
    {"equals", ask_equals}, {"contains", ask_contains}, {"sha256", ask_sha256},
    {"size", ask_size},     {"lines", ask_lines},
};

/* Asks what the expectation asks; the first question that does not hold decides. */
static enum fact ask(struct subject *s, const struct json *expectation)
{
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        const struct json *want = json_get(expectation, questions[i].name);
        enum fact fact = want ? questions[i].ask(s, want) : FACT_HOLDS;
        if (fact == FACT_FAILS)
            s->report->why = arena_printf(s->a, "%s does not hold", questions[i].name);
        if (fact != FACT_HOLDS)
            return fact;
    }
    return FACT_HOLDS;
}

static enum fact judge_exit(const struct observation *o, const struct json *want, struct arena *a,
                            const char **why)
{
    int64_t status;
    if (!o->outcome.has_exit || !json_as_integer(want, &status))
        return FACT_UNKNOWN;
    if (status == o->outcome.exit)
        return FACT_HOLDS;
    *why = arena_printf(a, "exit status %d, expected %lld", o->outcome.exit, (long long)status);
    return FACT_FAILS;
}

static enum fact judge_outcome(const struct observation *o, struct bytes want, struct arena *a,
                               const char **why)
{
    bool error = observation_refused(o) ||
                 (o->outcome.class == OUTCOME_OK && o->outcome.has_exit && o->outcome.exit != 0);
    bool holds = bytes_equal_string(want, "error") ? error : o->outcome.class == OUTCOME_OK;
    if (!holds)
        *why = arena_printf(a, "outcome %s, expected %.*s", outcome_class_name(o->outcome.class),
                            BYTES_ARG(want));
    return fact_of(holds);
}

/* What stands at a place of a result, or of a visit that the site saw. */
static void judge_value(const struct execution *e, const struct json *value, bool free, const struct json *x, struct arena *a,
                        struct fact_report *r)
{
    bool text = json_is(value, JSON_STRING);
    struct subject s = {
        .e = e,
        .a = a,
        .report = r,
        .have_data = text,
        .data = text ? value->text : BYTES_NONE,
        .size = text ? value->text.len : 0,
        .value = text ? NULL : value,
        .final_newline_free = free,
    };
    r->fact = ask(&s, x);
}

static void judge_at(const struct execution *e, const struct observation *o, const struct json *x,
                     struct arena *a, struct fact_report *r)
{
    struct bytes at = json_as_text(json_get(x, "at"));
    const struct json *value = json_pointer(o->outcome.result, at);
    if (!value) {
        r->fact = o->outcome.class == OUTCOME_OK ? FACT_UNKNOWN : FACT_FAILS;
        r->why = arena_printf(a, "no value at %.*s", BYTES_ARG(at));
    } else if (!o->outcome.truncated) {
        judge_value(e, value, bytes_equal_string(at, "/stdout") || bytes_equal_string(at, "/stderr"), x, a, r);
    }
}

/* What the site saw from that step on; of a form of which not all was kept only what is as expected counts. */
static void judge_site(const struct execution *e, const struct observation *o, const struct json *x, struct arena *a,
                       struct fact_report *r)
{
    const struct web_visit *visit;
    struct bytes path = json_as_text(json_get(x, "site")), at = json_as_text(json_get(x, "at"));
    const struct json *seen = site_seen(e, (size_t)(o - e->observations), path, a, &visit), *value = json_pointer(seen, at);
    r->of_site = true;
    if (!seen)
        return;
    if (value) {
        judge_value(e, value, false, x, a, r);
    } else {
        r->fact = FACT_FAILS;
        r->why = arena_printf(a, "%s", visit ? "the site saw none" : "the site was not asked");
    }
    if (r->fact == FACT_FAILS && visit && visit->cut)
        r->fact = FACT_UNKNOWN;
    if (r->why)
        r->why = arena_printf(a, "%.*s of the site, %.*s: %s", BYTES_ARG(path), BYTES_ARG(at), r->why);
}

/* One observation of the step the expectation speaks of. */
static void judge_step(const struct execution *e, const struct observation *o, const struct json *x,
                       struct arena *a, struct fact_report *r)
{
    const struct json *status = json_get(x, "exit"), *outcome = json_get(x, "outcome");
    if (o->outcome.class == OUTCOME_SKIPPED || o->outcome.class == OUTCOME_HARNESS)
        r->fact = FACT_UNKNOWN;
    else if (status)
        r->fact = judge_exit(o, status, a, &r->why);
    else if (outcome)
        r->fact = judge_outcome(o, json_as_text(outcome), a, &r->why);
    else if (json_get(x, "site"))
        judge_site(e, o, x, a, r);
    else
        judge_at(e, o, x, a, r);
    if (r->why)
        r->why = arena_printf(a, "step %s %s: %s", o->step->id, o->step->op->name, r->why);
}

static struct bytes file_of(const struct json *x)
{
    const struct json *file = json_get(x, "file");
    if (task_is_wrapper(file, "$path"))
        file = json_get(file, "$path");
    return json_as_text(file);
}

static enum fact judge_json(struct subject *s, struct bytes pointer, const struct json *x)
{
    struct json *document, *value;
    if (!s->have_data)
        return FACT_UNKNOWN;
    if (json_read(s->a, s->data, NULL, "file", &document, NULL, NULL) < 0) {
        s->report->why = "not JSON";
        return FACT_FAILS;
    }
    value = json_pointer(document, pointer);
    if (!value) {
        s->report->why = arena_printf(s->a, "no value at %.*s", BYTES_ARG(pointer));
        return FACT_FAILS;
    }
    const struct json *want = json_get(x, "equals");
    bool holds = json_is(value, JSON_STRING) && json_is(want, JSON_STRING)
                     ? bytes_equal(value->text, want->text)
                     : same_value(want, value);
    if (!holds)
        s->report->why = arena_printf(s->a, "another value at %.*s", BYTES_ARG(pointer));
    return fact_of(holds);
}

static void judge_file(const struct execution *e, const struct json *x, struct arena *a,
                       struct fact_report *r)
{
    const struct file_view *v = NULL;
    r->file = file_of(x);
    for (size_t i = 0; i < e->final_count; i++)
        if (bytes_equal(e->finals[i].path, r->file))
            v = &e->finals[i].view;
    if (!v || v->by == WITNESS_NONE)
        return;
    bool exists = json_as_bool(json_get(x, "exists"), true);
    if (v->exists != exists) {
        r->fact = FACT_FAILS;
        r->why = v->exists ? "is there" : "is not there";
    } else if (!v->exists || !view_has_bytes(v)) {
        r->fact = json_get(x, "exists") ? FACT_HOLDS : FACT_UNKNOWN;
    } else {
        struct subject s = {.e = e,
                            .a = a,
                            .report = r,
                            .have_data = v->have_data,
                            .data = v->data,
                            .size = v->size,
                            .sha256 = v->sha256};
        const struct json *pointer = json_get(x, "json");
        r->fact = pointer ? judge_json(&s, json_as_text(pointer), x) : ask(&s, x);
    }
    if (r->why)
        r->why = arena_printf(a, "file %.*s: %s", BYTES_ARG(r->file), r->why);
}

void expect_evaluate(const struct execution *e, const struct json *x, struct arena *a, struct fact_report *r)
{
    *r = (struct fact_report){.fact = FACT_UNKNOWN, .observation = e->count};
    struct bytes step = json_as_text(json_get(x, "step"));
    if (!step.len) {
        judge_file(e, x, a, r);
        return;
    }
    /* A repeated step must fulfil it each time. */
    for (size_t i = 0; i < e->count; i++) {
        if (!bytes_equal_string(step, e->observations[i].step->id))
            continue;
        *r = (struct fact_report){.fact = FACT_UNKNOWN, .observation = i};
        judge_step(e, &e->observations[i], x, a, r);
        if (r->fact == FACT_FAILS)
            return;
    }
}

/* A run whose exit status is not 0 although nothing says that it should be. */
static bool failed_openly(const struct execution *e, const struct observation *o)
{
    if (!o->outcome.has_exit || o->outcome.exit == 0)
        return false;
    for (const struct json *x = e->task->expect ? e->task->expect->first : NULL; x; x = x->next) {
        int64_t status;
        if (bytes_equal_string(json_as_text(json_get(x, "step")), o->step->id) &&
            json_as_integer(json_get(x, "exit"), &status) && status == o->outcome.exit)
            return false;
    }
    return !error_expected(e, o->step);
}

bool is_rough(const struct execution *e, size_t index)
{
    const struct observation *o = &e->observations[index];
    bool refused_as_expected = observation_refused(o) && error_expected(e, o->step);
    return (!observation_claims(o) && !refused_as_expected) || failed_openly(e, o);
}

bool is_broken(const struct execution *e, size_t index)
{
    const struct observation *o = &e->observations[index];
    bool openly = observation_claims(o) || observation_refused(o) || o->outcome.class == OUTCOME_SKIPPED;
    return is_rough(e, index) && (!openly || o->outcome.fault || o->step->cancel_after_ms >= 0);
}

bool calm_in(const struct execution *e, struct span s)
{
    if (e->facts)
        return e->facts->rough[s.end] == e->facts->rough[s.begin] && !e->facts->broken[s.begin];
    for (size_t i = 0; i < s.end; i++)
        if (i < s.begin ? is_broken(e, i) : is_rough(e, i))
            return false;
    return true;
}

bool calm_before(const struct execution *e, size_t index)
{
    return calm_in(e, (struct span){joined_span(e, index).begin, index < e->count ? index : e->count});
}

bool calm_until(const struct execution *e, size_t index)
{
    return calm_in(e, (struct span){joined_span(e, index).begin, index < e->count ? index + 1 : e->count});
}

static bool unexpected(const struct execution *e, const struct observation *o)
{
    return o->outcome.class != OUTCOME_OK && o->step->cancel_after_ms < 0 && !observation_mutated(o) &&
           !(observation_refused(o) && (error_expected(e, o->step) || may_be_refused(o->step) ||
                                        job_of_session_before(e, (size_t)(o - e->observations))));
}

/* Steps: 1 fine, 0 one failed that should not have; -1 one was refused openly after something hostile was
 * done, which is right, and what hangs on it cannot be asked for. */
static int steps_passed(const struct execution *e, const char **why, struct arena *a)
{
    bool hostile = false, excused = false;
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        hostile = hostile || step_mutated(e, o->step);
        if (!unexpected(e, o))
            continue;
        if (hostile && (observation_refused(o) || (excused && o->outcome.class == OUTCOME_SKIPPED))) {
            excused = true;
            continue;
        }
        *why = arena_printf(a, "step %s %s: %s", o->step->id, o->step->op->name,
                            outcome_class_name(o->outcome.class));
        return 0;
    }
    return excused ? -1 : 1;
}

bool oracle_passed(const struct execution *e, const char **why, struct arena *a)
{
    *why = NULL;
    if (e->harness)
        *why = "our own trouble";
    else if (e->skip_reason)
        *why = e->skip_reason;
    else if (e->target_died)
        *why = "the target died";
    if (*why)
        return false;
    int steps = steps_passed(e, why, a);
    if (steps <= 0)
        return steps < 0;
    if (!e->executed) {
        *why = "not all steps reached the target";
        return false;
    }
    for (const struct json *x = e->task->expect ? e->task->expect->first : NULL; x; x = x->next) {
        struct fact_report r;
        expect_evaluate(e, x, a, &r);
        if (r.fact == FACT_FAILS) {
            *why = r.why;
            return false;
        }
    }
    return true;
}
