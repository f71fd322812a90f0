/* mutate/shrink.h: the order is total, candidates get strictly smaller and never come twice, a long task is reduced to its
 * core in few questions, as a derivation and as a record, and the result is stable. Predicates look at the task alone. */
#include "tree_case.h"

#include "gen/recipe.h"
#include "mutate/mutate.h"
#include "mutate/shrink.h"

enum { LONG = 25, QUESTIONS = 200 };

static struct settings settings;
static struct domain *shop;
static const struct domain *domains[1];
static struct generate_options generate;
static struct shrink_options options;

static void set_up(void)
{
    plan_set_up();
    settings_defaults(&settings);
    shop = plan_load(TREE_DATA "/shop.xml");
    domains[0] = shop;
    generate = (struct generate_options){.domains = domains, .domain_count = 1, .settings = &settings};
    options = (struct shrink_options){.generate = &generate, .domain = shop};
}

static void tear_down(void)
{
    domain_free(shop);
    plan_tear_down();
}

static struct task *make(uint64_t seed, uint64_t index)
{
    struct task *t = NULL;
    struct error *err = NULL;
    ck_assert_msg(generate_task(&generate, seed, index, &t, &err) == 0, "%s", err ? err->text : "");
    return t;
}

/* --- predicates --- */

static bool is_op(const struct task *t, size_t i, const char *name)
{
    return strcmp(t->steps[i].op->name, name) == 0;
}

static struct bytes path_of(const struct task *t, size_t i)
{
    return json_as_text(json_get(t->steps[i].args, "path"));
}

/* The next step after `i` that does this to the same path; step_count: none. */
static size_t later(const struct task *t, size_t i, const char *name)
{
    for (size_t k = i + 1; k < t->step_count; k++)
        if (is_op(t, k, name) && bytes_equal(path_of(t, k), path_of(t, i)))
            return k;
    return t->step_count;
}

static bool chain(const struct task *t, const char *first, const char *second, const char *third)
{
    for (size_t i = 0; i < t->step_count; i++) {
        if (!is_op(t, i, first))
            continue;
        size_t k = later(t, i, second);
        if (k < t->step_count && later(t, k, third) < t->step_count)
            return true;
    }
    return false;
}

static bool removed_after_append(const struct task *t)
{
    return chain(t, "write", "append", "remove");
}

static bool looked_at_twice(const struct task *t)
{
    return chain(t, "write", "stat", "stat");
}

static int64_t written(const struct task *t, size_t i)
{
    const struct json *content = json_get(t->steps[i].args, "content");
    if (task_is_wrapper(content, "$content"))
        return content_size(json_get_bytes(t->contents, json_as_text(content->first)));
    return (int64_t)json_as_text(content).len;
}

/* A big file that is looked at and added to. */
static bool big_looked_at_and_extended(const struct task *t)
{
    for (size_t i = 0; i < t->step_count; i++)
        if (is_op(t, i, "write") && written(t, i) > 1000 && later(t, i, "stat") < t->step_count &&
            later(t, i, "append") < t->step_count)
            return true;
    return false;
}

static const struct {
    const char *name;
    bool (*holds)(const struct task *t);
} predicates[] = {
    {"removed after append", removed_after_append},
    {"looked at twice", looked_at_twice},
    {"big, looked at and extended", big_looked_at_and_extended},
};
enum { PREDICATES = sizeof predicates / sizeof *predicates };

/* --- sound candidates --- */

/* Every file that is used was written before, every content is there, every expectation speaks of what is there. */
static bool is_mutated(const struct task *t, size_t i)
{
    for (const struct json *m = t->mutations->first; m; m = m->next)
        if (bytes_equal_string(json_as_text(json_get(m, "step")), t->steps[i].id))
            return true;
    return false;
}

static void check_sound(const struct task *t)
{
    for (size_t i = 0; i < t->step_count; i++) {
        bool made = is_op(t, i, "write") || is_mutated(t, i);
        for (size_t k = 0; k < i && !made; k++)
            made = is_op(t, k, "write") && (is_mutated(t, k) || bytes_equal(path_of(t, k), path_of(t, i)));
        ck_assert_msg(made, "step %s uses a file that is not there", t->steps[i].id);
        const struct json *content = json_get(t->steps[i].args, "content");
        if (task_is_wrapper(content, "$content"))
            ck_assert_ptr_nonnull(json_get_bytes(t->contents, json_as_text(content->first)));
    }
    for (const struct json *e = t->expect->first; e; e = e->next) {
        const struct json *step = json_get(e, "step");
        bool found = false;
        for (size_t i = 0; i < t->step_count; i++)
            found |= step ? bytes_equal_string(json_as_text(step), t->steps[i].id)
                          : bytes_equal(path_of(t, i), json_as_text(json_get(e, "file")));
        ck_assert_msg(found, "an expectation of what is not there");
    }
    struct buf text;
    struct task *back = NULL;
    struct error *err = NULL;
    buf_init(&text, 1 << 24);
    task_write(t, &text);
    ck_assert_msg(task_read(plan_ops, buf_bytes(&text), "candidate", &back, &err) == 0, "%s", err ? err->text : "");
    task_free(back);
    buf_release(&text);
}

static struct task *rederived(const struct task *t)
{
    struct derivation log;
    struct task *again = NULL;
    derivation_init(&log);
    ck_assert_int_eq(derivation_decode(&log, bytes_of_string(t->derivation), NULL), 0);
    ck_assert_int_eq(generate_from(&generate, shop, &log, t->seed, t->index, &again, NULL), 0);
    derivation_release(&log);
    return again;
}

/* --- running it --- */

struct outcome {
    struct task *best;
    size_t questions, until_core; /* questions asked, and until there were `core` steps */
    size_t accepted;
};

enum { SEEN_MOST = 20000 };

static struct outcome shrink_all(const struct task *t, bool (*holds)(const struct task *t), size_t core)
{
    static char seen[SEEN_MOST][33];
    struct outcome o = {0};
    struct shrink *s = shrink_new(&options, t);
    const struct task *candidate;
    struct error *err = NULL;
    int more;
    while ((more = shrink_next(s, &candidate, &err)) > 0) {
        ck_assert_msg(shrink_compare(candidate, shrink_best(s)) < 0, "a candidate of %s is no smaller", shrink_pass_name(s));
        ck_assert_uint_lt(o.questions, SEEN_MOST);
        bool again = false;
        for (size_t i = 0; i < o.questions; i++)
            again |= strcmp(seen[i], candidate->id) == 0;
        ck_assert_msg(!again, "proposed twice");
        memcpy(seen[o.questions++], candidate->id, 33);
        check_sound(candidate);
        if (*candidate->derivation && !candidate->mutations->count) {
            struct task *same = rederived(candidate);
            ck_assert_str_eq(same->id, candidate->id);
            task_free(same);
        }
        if (!holds(candidate)) {
            shrink_reject(s);
            continue;
        }
        o.accepted++;
        if (candidate->step_count <= core && !o.until_core)
            o.until_core = o.questions;
        shrink_accept(s);
    }
    ck_assert_msg(more == 0, "%s", err ? err->text : "");
    ck_assert_uint_eq(shrink_proposed(s), o.questions);
    o.best = task_copy(shrink_best(s));
    shrink_free(s);
    return o;
}

/* A task of at least LONG steps that the predicate holds of; NULL: not with this seed and index. */
static struct task *long_task(uint64_t seed, uint64_t index, bool (*holds)(const struct task *t))
{
    struct task *t = make(seed, index);
    if (t->step_count >= LONG && holds(t))
        return t;
    task_free(t);
    return NULL;
}

static void check_core(const struct task *t, int predicate, const char *how, size_t *most)
{
    struct outcome o = shrink_all(t, predicates[predicate].holds, 3);
    ck_assert(predicates[predicate].holds(o.best));
    ck_assert_msg(o.best->step_count == 3, "%s, %s: %zu steps of %zu are left", how, predicates[predicate].name,
                  o.best->step_count, t->step_count);
    ck_assert_msg(o.until_core && o.until_core <= QUESTIONS, "%s, %s: %zu questions until the core", how,
                  predicates[predicate].name, o.until_core);
    if (o.until_core > *most)
        *most = o.until_core;
    struct outcome again = shrink_all(o.best, predicates[predicate].holds, 3);
    ck_assert_msg(again.accepted == 0, "%s, %s: not stable", how, predicates[predicate].name);
    ck_assert_str_eq(again.best->id, o.best->id);
    task_free(again.best);
    task_free(o.best);
}

START_TEST(to_the_core)
{
    size_t done = 0, most = 0;
    for (uint64_t index = 0; done < 6; index++) {
        struct task *t = long_task(11, index, predicates[_i].holds);
        ck_assert_uint_lt(index, 3000);
        if (!t)
            continue;
        check_core(t, _i, "derivation", &most);
        done++;
        task_free(t);
    }
    ck_assert_uint_lt(most, 60); /* far below what is allowed */
}
END_TEST

/* The same without a derivation. */
START_TEST(imported_to_the_core)
{
    size_t done = 0, most = 0;
    for (uint64_t index = 0; done < 6; index++) {
        struct task *t = long_task(12, index, predicates[_i].holds);
        ck_assert_uint_lt(index, 3000);
        if (!t)
            continue;
        t->derivation = t->grammar_hash = "";
        task_identify(t);
        check_core(t, _i, "record", &most);
        done++;
        task_free(t);
    }
    ck_assert_uint_lt(most, 60);
}
END_TEST

/* --- mutated tasks --- */

/* A step whose content was mutated, with another one after it that looks at the same file. */
static bool mutated_and_looked_at(const struct task *t)
{
    for (const struct json *m = t->mutations->first; m; m = m->next)
        for (size_t i = 0; i < t->step_count; i++)
            if (bytes_equal_string(json_as_text(json_get(m, "step")), t->steps[i].id) &&
                bytes_equal_string(json_as_text(json_get(m, "at")), "/args/content") && is_op(t, i, "write") &&
                later(t, i, "stat") < t->step_count)
                return true;
    return false;
}

static bool any_step(const struct task *t)
{
    return t->step_count > 0;
}

/* One is left, or those that were made at one place one on top of the other: only the last of them can be undone. */
static bool one_place_mutated(const struct task *t)
{
    const struct json *first = t->mutations->first;
    for (const struct json *m = first; m; m = m->next)
        if (!json_equal(json_get(m, "step"), json_get(first, "step")) || !json_equal(json_get(m, "at"), json_get(first, "at")))
            return false;
    return first != NULL;
}

START_TEST(mutations_go_first)
{
    struct rng rng;
    size_t needed = 0, undoable = 0;
    rng_seed(&rng, 13, 0);
    for (uint64_t index = 0; needed < 8; index++) {
        ck_assert_uint_lt(index, 4000);
        struct task *t = make(13, index), *calm = task_copy(t);
        mutate_task(t, plan_ops, &settings, &rng, 4);
        if (t->step_count < LONG || !mutated_and_looked_at(t)) {
            task_free(t);
            task_free(calm);
            continue;
        }
        needed++;
        struct outcome o = shrink_all(t, mutated_and_looked_at, 2);
        ck_assert(one_place_mutated(o.best));
        ck_assert_uint_eq(o.best->step_count, 2);
        ck_assert_msg(o.until_core <= QUESTIONS, "%zu questions", o.until_core);
        ck_assert_str_eq(o.best->derivation, "");
        struct outcome again = shrink_all(o.best, mutated_and_looked_at, 2);
        ck_assert_uint_eq(again.accepted, 0);
        task_free(again.best);
        struct task *undone = task_copy(o.best); /* what is left can still be taken back */
        undoable += mutate_undo(undone, undone->mutations->count - 1);
        check_sound(undone);
        task_free(undone);
        task_free(o.best);
        /* None is needed: it ends as a derivation, as the calm task does. */
        struct outcome none = shrink_all(t, any_step, 1), same = shrink_all(calm, any_step, 1);
        ck_assert_uint_eq(none.best->mutations->count, 0);
        ck_assert_str_eq(none.best->id, same.best->id);
        ck_assert_uint_eq(none.best->step_count, 1);
        task_free(none.best);
        task_free(same.best);
        task_free(t);
        task_free(calm);
    }
    ck_assert_uint_eq(undoable, needed);
}
END_TEST

/* --- records: what goes with a step --- */

static const char *wanted_op;

static bool has_wanted(const struct task *t)
{
    for (size_t i = 0; i < t->step_count; i++)
        if (is_op(t, i, wanted_op))
            return true;
    return false;
}

static const struct {
    const char *wanted, *steps, *expect, *left, *kept;
} closures[] = {
    /* a result */
    {"poll",
     "[{'id':'a','op':'start','args':{'argv':['sleep','5']}},{'id':'b','op':'write','args':{'path':'x','content':'1'}},"
     "{'id':'c','op':'poll','args':{'pid':{'$from':'a','at':'/pid'}}}]",
     "[{'step':'a','outcome':'ok'},{'step':'c','outcome':'ok'},{'file':'x','exists':true}]", "a c", "1"},
    /* a directory, and a file that a program names */
    {"run",
     "[{'id':'a','op':'mkdir','args':{'path':'d'}},{'id':'b','op':'write','args':{'path':'d/x.txt','content':'1'}},"
     "{'id':'c','op':'write','args':{'path':'x','content':'2'}},"
     "{'id':'d','op':'run','args':{'language':'sh','script':'cat d/x.txt'}}]",
     "[{'step':'b','outcome':'ok'},{'file':'x','exists':true}]", "a b d", "1"},
    /* a file that a program makes */
    {"read",
     "[{'id':'a','op':'run','args':{'argv':['touch','made']}},{'id':'b','op':'write','args':{'path':'n','content':''}},"
     "{'id':'c','op':'read','args':{'path':'made'}}]",
     "[{'step':'c','outcome':'ok'}]", "a c", "1"},
    /* the latest maker counts */
    {"read",
     "[{'id':'a','op':'write','args':{'path':'n','content':'1'}},{'id':'b','op':'copy','args':{'path':'n','to':'m'}},"
     "{'id':'c','op':'write','args':{'path':'m','content':'2'}},{'id':'d','op':'read','args':{'path':'m'}}]",
     "[]", "c d", "0"},
    /* a session, a snapshot */
    {"stat",
     "[{'id':'a','op':'open','args':{},'session':'two'},{'id':'b','op':'mkdir','args':{'path':'d'}},"
     "{'id':'c','op':'stat','args':{'path':'q'},'session':'two'}]",
     "[]", "a c", "0"},
    {"restore",
     "[{'id':'a','op':'snapshot','args':{'name':'n'}},{'id':'b','op':'snapshot','args':{'name':'m'}},"
     "{'id':'c','op':'restore','args':{'name':'n'}}]",
     "[]", "a c", "0"},
    /* an append that makes the file; a page */
    {"download",
     "[{'id':'a','op':'append','args':{'path':'l','content':'1'}},{'id':'b','op':'append','args':{'path':'k','content':'1'}},"
     "{'id':'c','op':'download','args':{'path':'l'}}]",
     "[{'file':'k','equals':'1'},{'file':'l','equals':'1'}]", "a c", "1"},
    {"scrape",
     "[{'id':'a','op':'serve','args':{'path':'.','port':8000}},{'id':'b','op':'navigate','args':{'url':'http://h/'}},"
     "{'id':'c','op':'idle','args':{'ms':5}},{'id':'d','op':'scrape','args':{'selector':'p'}}]",
     "[]", "a b d", "0"},
    /* through a link, and the directory that holds what is written */
    {"read",
     "[{'id':'a','op':'mkdir','args':{'path':'r/1'}},{'id':'b','op':'write','args':{'path':'r/1/v','content':'1'}},"
     "{'id':'c','op':'link','args':{'path':'now','to':'r/1'}},{'id':'d','op':'write','args':{'path':'z','content':''}},"
     "{'id':'e','op':'read','args':{'path':'now/v'}}]",
     "[]", "a b c e", "0"},
    /* a directory is there as long as something is in it */
    {"list",
     "[{'id':'a','op':'write','args':{'path':'d/x','content':'1'}},{'id':'b','op':'write','args':{'path':'d/y','content':''}},"
     "{'id':'c','op':'list','args':{'path':'d'}}]",
     "[]", "a c", "0"},
    /* brought back by a snapshot */
    {"read",
     "[{'id':'a','op':'write','args':{'path':'n','content':'1'}},{'id':'b','op':'snapshot','args':{'name':'s'}},"
     "{'id':'c','op':'remove','args':{'path':'n'}},{'id':'d','op':'restore','args':{'name':'s'}},"
     "{'id':'e','op':'read','args':{'path':'n'}}]",
     "[]", "a b d e", "0"},
    /* without the chmod it may not fail any more */
    {"append",
     "[{'id':'a','op':'write','args':{'path':'n','content':'1'}},{'id':'b','op':'chmod','args':{'path':'n','mode':0}},"
     "{'id':'c','op':'append','args':{'path':'n','content':'2'}}]",
     "[{'step':'c','outcome':'error'}]", "a b c", "1"},
};

static struct task *read_closure(size_t index)
{
    struct task *t = NULL;
    struct error *err = NULL;
    struct buf text;
    buf_init(&text, 1 << 16);
    buf_addf(&text, "{'format':'taskgen/task/1','instruction':'','steps':%s,'expect':%s}", closures[index].steps,
             closures[index].expect);
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] == '\'')
            text.data[i] = '"';
    ck_assert_msg(task_read(plan_ops, buf_bytes(&text), "case", &t, &err) == 0, "%s", err ? err->text : "");
    buf_release(&text);
    return t;
}

START_TEST(closure)
{
    struct shrink_options record = {0};
    struct task *t = read_closure((size_t)_i);
    struct shrink *s = shrink_new(&record, t);
    const struct task *candidate;
    wanted_op = closures[_i].wanted;
    while (shrink_next(s, &candidate, NULL) > 0)
        if (has_wanted(candidate))
            shrink_accept(s);
        else
            shrink_reject(s);
    struct buf left;
    buf_init(&left, 256);
    for (size_t i = 0; i < shrink_best(s)->step_count; i++)
        buf_addf(&left, "%s%s", i ? " " : "", shrink_best(s)->steps[i].id);
    ck_assert_str_eq(buf_string(&left), closures[_i].left);
    ck_assert_uint_eq(shrink_best(s)->expect->count, strtoul(closures[_i].kept, NULL, 10));
    buf_release(&left);
    shrink_free(s);
    task_free(t);
}
END_TEST

/* --- the order --- */

enum { TASKS = 60 };

START_TEST(order_is_total)
{
    struct rng rng;
    struct task *tasks[TASKS];
    rng_seed(&rng, 14, 0);
    for (size_t i = 0; i < TASKS; i++) {
        tasks[i] = i % 3 == 2 ? task_copy(tasks[i - 1]) : make(14, i % 40);
        if (i % 4 == 1)
            mutate_task(tasks[i], plan_ops, &settings, &rng, 1);
        if (i % 5 == 1) {
            tasks[i]->derivation = "";
            task_identify(tasks[i]);
        }
    }
    static int order[TASKS][TASKS];
    size_t equal = 0, wrong = 0; /* one assertion at the end: each takes a while */
    for (size_t i = 0; i < TASKS; i++)
        for (size_t k = 0; k < TASKS; k++) {
            order[i][k] = shrink_compare(tasks[i], tasks[k]);
            wrong += order[i][k] == 0 && strcmp(tasks[i]->id, tasks[k]->id) != 0;
            equal += order[i][k] == 0;
        }
    for (size_t i = 0; i < TASKS; i++)
        for (size_t k = 0; k < TASKS; k++) {
            wrong += (order[i][k] < 0) != (order[k][i] > 0) || (order[i][k] == 0) != (order[k][i] == 0);
            for (size_t m = 0; m < TASKS; m++)
                wrong += order[i][k] <= 0 && order[k][m] <= 0 && order[i][m] > 0;
        }
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_gt(equal, TASKS);
    for (size_t i = 0; i < TASKS; i++)
        task_free(tasks[i]);
}
END_TEST

/* --- bounds --- */

static bool never(const struct task *t)
{
    return false;
}

START_TEST(bounded)
{
    struct task *t = long_task(11, 0, any_step);
    for (uint64_t i = 1; !t; i++)
        t = long_task(11, i, any_step);
    options.candidates_max = 7;
    struct outcome o = shrink_all(t, never, 0);
    ck_assert_uint_eq(o.questions, 7);
    ck_assert_str_eq(o.best->id, t->id);
    task_free(o.best);
    task_free(t);
    options.candidates_max = 0; /* it ends by itself too */
    t = make(11, 3);
    for (uint64_t i = 4; t->step_count < 4 || t->step_count > 8; i++) {
        task_free(t);
        t = make(11, i);
    }
    o = shrink_all(t, never, 0);
    ck_assert_uint_gt(o.questions, 20);
    ck_assert_str_eq(o.best->id, t->id);
    task_free(o.best);
    task_free(t);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, to_the_core, 0, PREDICATES);
    tcase_add_loop_test(tests, imported_to_the_core, 0, PREDICATES);
    tcase_add_test(tests, mutations_go_first);
    tcase_add_loop_test(tests, closure, 0, sizeof closures / sizeof *closures);
    tcase_add_test(tests, order_is_total);
    tcase_add_test(tests, bounded);
}

int main(void)
{
    return unit_main("shrink", fill);
}
