/* mutate/tree/: editing logs keeps their nesting, each mutator against golden cases, records and what undoes
 * them, damaged and foreign logs. Mutants of the shipped domains are test_tree_mutants.c's.
 *
 * Golden cases stand in tests/data/tree/cases/NAME.txt; UPDATE=1 writes what is made anew. */
#include "tree_case.h"

#include "mutate/mutate.h"
#include "mutate/tree/tree_internal.h"

static struct settings settings;
static struct domain *shop;
static const struct domain *domains[1];
static struct generate_options options;

static void set_up(void)
{
    plan_set_up();
    settings_defaults(&settings);
    shop = plan_load(TREE_DATA "/shop.xml");
    domains[0] = shop;
    options = (struct generate_options){domains, 1, NULL, &settings};
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
    ck_assert_msg(generate_task(&options, seed, index, &t, &err) == 0, "%s", err ? err->text : "");
    return t;
}

/* --- primitives --- */

/* A forest as brackets, each with its site: "(1(2))(3)"; what edits mean is plain there. */
static void write_brackets(const struct derivation *d, size_t start, size_t end, struct buf *out)
{
    for (size_t i = start; i < end; i = d->items[i].end) {
        buf_addf(out, "(%u", d->items[i].site);
        write_brackets(d, i + 1, d->items[i].end, out);
        buf_add_byte(out, ')');
    }
}

/* All forests of up to five entries. */
struct forests {
    struct derivation *items;
    size_t count;
};

/* An entry's extent is chosen so that it lies within what it stands in. */
static void grow_forests(struct forests *f, struct choice *items, size_t at, size_t count)
{
    if (at == count) {
        struct derivation d = {.items = items, .count = count, .capacity = count};
        f->items = realloc(f->items, (f->count + 1) * sizeof *f->items);
        derivation_init(&f->items[f->count]);
        derivation_copy(&f->items[f->count++], &d);
        return;
    }
    size_t limit = count;
    for (size_t i = 0; i < at; i++)
        if (items[i].end > at && items[i].end < limit)
            limit = items[i].end;
    for (size_t end = at + 1; end <= limit; end++) {
        items[at] = (struct choice){.site = (uint32_t)at, .end = (uint32_t)end, .value = at};
        grow_forests(f, items, at + 1, count);
    }
}

/* Offset in the brackets of the gap before entry `place` (or the end) among the children of `parent`. */
static size_t gap_offset(const struct derivation *d, size_t parent, size_t place)
{
    struct buf text;
    buf_init(&text, 4096);
    size_t first = parent == SIZE_MAX ? 0 : parent + 1, offset = 0;
    /* All that opens or closes before the place: entries before it, but those it stands in are not closed. */
    for (size_t i = 0; i < place; i++) {
        bool around = parent != SIZE_MAX && i <= parent && d->items[i].end > parent;
        offset += 2 + (d->items[i].site > 9) + !around;
    }
    ck_assert_uint_le(first, place);
    buf_release(&text);
    return offset;
}

static size_t check_replacement(const struct derivation *d, size_t parent, size_t start, size_t end,
                                const struct derivation *other, size_t first, size_t last)
{
    struct buf got, want, whole;
    struct derivation to;
    derivation_init(&to);
    buf_init(&got, 4096);
    buf_init(&want, 4096);
    buf_init(&whole, 4096);
    write_brackets(d, 0, d->count, &whole);
    struct bytes text = buf_bytes(&whole);
    buf_add(&want, bytes_slice(text, 0, gap_offset(d, parent, start)));
    write_brackets(other, first, last, &want);
    buf_add(&want, bytes_slice(text, gap_offset(d, parent, end), text.len));
    tree_replace(d, parent, start, end, other, first, last, &to);
    tree_check_nested(&to);
    write_brackets(&to, 0, to.count, &got);
    ck_assert_msg(bytes_equal(buf_bytes(&got), buf_bytes(&want)),
                  "%s: [%zu, %zu) below %zd by [%zu, %zu): %s, expected %s", buf_string(&whole), start, end,
                  (ssize_t)parent, first, last, buf_string(&got), buf_string(&want));
    buf_release(&got);
    buf_release(&want);
    buf_release(&whole);
    derivation_release(&to);
    return 1;
}

/* Every row of siblings of `d`, empty ones too, by every row of `other`. */
static size_t check_rows(const struct derivation *d, size_t parent, const struct derivation *other)
{
    size_t checked = 0, limit = parent == SIZE_MAX ? d->count : d->items[parent].end;
    size_t first_child = parent == SIZE_MAX ? 0 : parent + 1;
    for (size_t start = first_child;; start = d->items[start].end) {
        for (size_t end = start;; end = d->items[end].end) {
            checked += check_replacement(d, parent, start, end, other, 0, 0);
            for (size_t first = 0; first < other->count; first++) {
                size_t up = tree_parent(other, first),
                       stop = up == SIZE_MAX ? other->count : other->items[up].end;
                for (size_t last = other->items[first].end;; last = other->items[last].end) {
                    checked += check_replacement(d, parent, start, end, other, first, last);
                    if (last == stop)
                        break;
                }
            }
            if (end == limit)
                break;
        }
        if (start == limit)
            return checked;
    }
}

START_TEST(replacing_keeps_the_nesting)
{
    struct forests all = {0}, small = {0};
    struct choice items[5];
    for (size_t count = 0; count <= 5; count++)
        grow_forests(&all, items, 0, count);
    for (size_t count = 1; count <= 3; count++)
        grow_forests(&small, items, 0, count);
    ck_assert_uint_eq(all.count, 1 + 1 + 2 + 5 + 14 + 42); /* Catalan numbers */
    size_t checked = 0;
    for (size_t i = 0; i < all.count; i++)
        for (size_t k = 0; k < small.count; k++) {
            checked += check_rows(&all.items[i], SIZE_MAX, &small.items[k]);
            for (size_t parent = 0; parent < all.items[i].count; parent++)
                checked += check_rows(&all.items[i], parent, &small.items[k]);
        }
    ck_assert_uint_gt(checked, 30000);
    for (size_t i = 0; i < all.count; i++)
        derivation_release(&all.items[i]);
    for (size_t i = 0; i < small.count; i++)
        derivation_release(&small.items[i]);
    free(all.items);
    free(small.items);
}
END_TEST

START_TEST(looking_around)
{
    struct choice items[] = {{1, 6, 0}, {2, 2, 0}, {3, 5, 0}, {4, 4, 0}, {5, 5, 0}, {6, 6, 0}, {7, 7, 0}};
    struct derivation d = {.items = items, .count = 7, .capacity = 7};
    static const size_t parents[] = {SIZE_MAX, 0, 0, 2, 2, 0, SIZE_MAX};
    size_t *all = tree_parents(&d);
    for (size_t i = 0; i < 7; i++) {
        ck_assert_uint_eq(tree_parent(&d, i), parents[i]);
        ck_assert_uint_eq(all[i], parents[i]);
        ck_assert_uint_eq(tree_end(&d, i), items[i].end);
    }
    free(all);
    ck_assert_uint_eq(tree_child_count(&d, 0), 3);
    ck_assert_uint_eq(tree_child_count(&d, 1), 0);
    ck_assert_uint_eq(tree_child(&d, 0, 1), 2);
    ck_assert_uint_eq(tree_child(&d, 0, 2), 5);
    ck_assert_uint_eq(tree_child(&d, 0, 3), SIZE_MAX);
    struct derivation to;
    derivation_init(&to);
    tree_set(&d, 2, 9, &to);
    ck_assert_uint_eq(to.count, 5);
    ck_assert_uint_eq(to.items[2].value, 9);
    ck_assert_uint_eq(to.items[2].end, 3);
    ck_assert_uint_eq(to.items[0].end, 4);
    derivation_release(&to);
}
END_TEST

/* --- golden cases --- */

struct golden {
    const struct tree_mutator *mutator;
    struct buf made; /* the file as it should be */
    int cases;
};

static void copy_lines(struct buf *out, const char *from, const char *to)
{
    buf_add(out, bytes_of(from, (size_t)(to - from)));
}

/* What is made of a log has to be a task, however it is repaired. */
static void check_repaired(const struct derivation *edited)
{
    for (uint64_t seed = 0; seed < 3; seed++) {
        struct task *t = NULL;
        struct error *err = NULL;
        ck_assert_msg(tree_repair(&options, shop, edited, seed, 0, &t, &err) == 0, "%s",
                      err ? err->text : "");
        ck_assert_uint_ge(t->step_count, 1);
        task_free(t);
    }
}

/* One block, from its seed on; returns where the next one starts. */
static const char *run_case(struct golden *g, const char *text)
{
    struct derivation from, donor, to;
    struct rng rng;
    struct buf detail;
    unsigned long long seed;
    derivation_init(&from);
    derivation_init(&donor);
    derivation_init(&to);
    buf_init(&detail, 4096);
    ck_assert_int_eq(sscanf(text, "seed %llu", &seed), 1);
    rng_seed(&rng, seed, 0);
    const char *start = text;
    text = strchr(text, '\n') + 1;
    ck_assert_msg(strncmp(text, "from\n", 5) == 0, "found %.20s", text);
    text = tree_read(shop, text + 5, &from);
    bool given = strncmp(text, "donor\n", 6) == 0;
    if (given)
        text = tree_read(shop, text + 6, &donor);
    copy_lines(&g->made, start, text);
    struct tree_edit e = {.domain = shop,
                          .from = &from,
                          .donor = given ? &donor : NULL,
                          .to = &to,
                          .rng = &rng,
                          .detail = &detail};
    bool done = g->mutator->edit(&e);
    ck_assert_msg(done, "%s: case %d is not edited", g->mutator->name, g->cases + 1);
    tree_check_nested(&to);
    check_repaired(&to);
    buf_addf(&g->made, "detail %s\nto\n", buf_string(&detail));
    tree_print(shop, &to, &g->made);
    while (*text && strncmp(text, "#", 1) != 0) { /* what was made last time */
        const char *end = strchr(text, '\n');
        text = end ? end + 1 : text + strlen(text);
    }
    g->cases++;
    derivation_release(&from);
    derivation_release(&donor);
    derivation_release(&to);
    buf_release(&detail);
    return text;
}

START_TEST(golden_cases)
{
    struct golden g = {.mutator = tree_mutator_at((size_t)_i)};
    struct error *err = NULL;
    struct buf kept;
    char path[1024];
    snprintf(path, sizeof path, TREE_DATA "/cases/%s.txt", g.mutator->name);
    buf_init(&kept, 1 << 20);
    buf_init(&g.made, 1 << 20);
    ck_assert_msg(fs_read(path, 1 << 20, &kept, &err) == 0, "%s", err ? err->text : "");
    for (const char *text = buf_string(&kept); *text;) {
        const char *end = strchr(text, '\n') + 1;
        if (strncmp(text, "seed ", 5) != 0) {
            copy_lines(&g.made, text, end);
            text = end;
        } else {
            text = run_case(&g, text);
            if (*text)
                buf_add_byte(&g.made, '\n');
        }
    }
    ck_assert_int_ge(g.cases, 1);
    if (getenv("UPDATE"))
        ck_assert_msg(fs_write(path, buf_bytes(&g.made), &err) == 0, "%s", err ? err->text : "");
    else if (!bytes_equal(buf_bytes(&g.made), buf_bytes(&kept))) {
        fprintf(stderr, "%s", buf_string(&g.made)); /* too long for Check's messages */
        ck_abort_msg("%s: made other things", path);
    }
    buf_release(&kept);
    buf_release(&g.made);
}
END_TEST

enum { MUTATORS = 11 };

START_TEST(registry)
{
    size_t count = 0;
    for (const struct tree_mutator *m; (m = tree_mutator_at(count)); count++) {
        ck_assert_ptr_eq(tree_mutator_find(m->name), m);
        ck_assert(strcmp(m->group, "tree") == 0 || strcmp(m->group, "step") == 0);
        ck_assert_ptr_nonnull(m->summary);
        /* The edits of steps have the names of the same edits of tasks that no derivation makes. */
        const struct mutator *same = mutator_find(m->name);
        ck_assert_msg(!same || (strcmp(m->group, "step") == 0 && strcmp(same->group, "step") == 0),
                      "two mutators are called %s", m->name);
    }
    ck_assert_uint_eq(count, MUTATORS);
    ck_assert_ptr_null(tree_mutator_find("frob"));
}
END_TEST

/* --- mutants, their records, and back --- */

static void write_out(const struct task *t, struct buf *out)
{
    buf_clear(out);
    task_write(t, out);
    ck_assert(!out->overflow);
}

static void check_same(const struct task *a, const struct task *b)
{
    struct buf x, y;
    buf_init(&x, 1 << 24);
    buf_init(&y, 1 << 24);
    write_out(a, &x);
    write_out(b, &y);
    ck_assert_msg(bytes_equal(buf_bytes(&x), buf_bytes(&y)), "%s\n%s", buf_string(&x), buf_string(&y));
    buf_release(&x);
    buf_release(&y);
}

static struct task *mutant_of(const struct task *parent, const struct tree_mutator *only, struct rng *rng)
{
    struct task *t = NULL;
    struct error *err = NULL;
    ck_assert_msg(tree_mutate(&options, shop, parent, NULL, only, rng, &t, &err) == 0, "%s",
                  err ? err->text : "");
    return t;
}

START_TEST(undone_step_by_step)
{
    struct rng rng;
    rng_seed(&rng, 5, 0);
    for (uint64_t i = 0; i < 40; i++) {
        struct task *line[TREE_RECORDS + 1] = {make(3, i)}, *back = NULL;
        for (size_t k = 1; k <= TREE_RECORDS; k++) {
            line[k] = mutant_of(line[k - 1], NULL, &rng);
            ck_assert_ptr_nonnull(line[k]);
            ck_assert_uint_eq(line[k]->mutations->count, k);
            ck_assert_str_ne(line[k]->id, line[k - 1]->id);
            ck_assert_uint_eq(line[k]->index, i);
        }
        for (size_t k = TREE_RECORDS; k > 0; k--) {
            ck_assert_int_eq(tree_undo(&options, shop, line[k], &back, NULL), 0);
            check_same(back, line[k - 1]);
            task_free(back);
        }
        ck_assert_int_eq(tree_undo(&options, shop, line[0], &back, NULL), 0);
        ck_assert_ptr_null(back);
        for (size_t k = 0; k <= TREE_RECORDS; k++)
            task_free(line[k]);
    }
}
END_TEST

/* A line of edits keeps its last records, and stays as long as one task. */
START_TEST(records_are_bounded)
{
    struct rng rng;
    rng_seed(&rng, 6, 0);
    struct task *t = make(3, 1);
    for (int k = 0; k < 30; k++) {
        struct task *next = mutant_of(t, NULL, &rng);
        ck_assert_ptr_nonnull(next);
        const struct json *last = next->mutations->last;
        ck_assert_uint_eq(next->mutations->count, k + 1 < TREE_RECORDS ? k + 1 : TREE_RECORDS);
        ck_assert(bytes_equal_string(json_as_text(json_pointer(last, BYTES_LITERAL("/before/derivation"))),
                                     t->derivation));
        ck_assert(tree_mutator_find((const char *)json_as_text(json_get(last, "mutator")).data) != NULL);
        ck_assert_uint_gt(json_as_text(json_get(last, "detail")).len, 10);
        task_free(t);
        t = next;
    }
    task_free(t);
}
END_TEST

/* What was done to the parent's steps is not in its derivation; it is gone in the mutant. On top of a tree
 * edit, other mutators' changes are undone first. */
START_TEST(beside_other_mutators)
{
    struct rng rng;
    rng_seed(&rng, 7, 0);
    size_t stacked = 0;
    for (uint64_t i = 0; i < 30; i++) {
        struct task *parent = make(4, i), *calm = task_copy(parent), *back = NULL;
        mutate_task(parent, plan_ops, &settings, &rng, 2);
        struct task *t = mutant_of(parent, NULL, &rng);
        ck_assert_uint_eq(t->mutations->count, 1);
        ck_assert_int_eq(tree_undo(&options, shop, t, &back, NULL), 0);
        check_same(back, calm);
        task_free(back);
        struct task *again = task_copy(t);
        if (mutate_task(again, plan_ops, &settings, &rng, 1)) {
            stacked++;
            ck_assert_int_eq(tree_undo(&options, shop, again, &back, NULL), 0);
            ck_assert_ptr_null(back);
            ck_assert(!mutate_undo(again, 0)); /* needs the domain */
            ck_assert(mutate_undo(again, again->mutations->count - 1));
            check_same(again, t);
        }
        task_free(again);
        task_free(t);
        task_free(parent);
        task_free(calm);
    }
    ck_assert_uint_gt(stacked, 20);
}
END_TEST

START_TEST(only_of_its_own_grammar)
{
    struct rng rng;
    struct task *t = make(3, 1), *none = t;
    struct error *err = NULL;
    rng_seed(&rng, 8, 0);
    t->grammar_hash = "0123456789abcdef";
    ck_assert_int_eq(tree_mutate(&options, shop, t, NULL, NULL, &rng, &none, &err), ERR_INPUT);
    ck_assert_ptr_null(none);
    ck_assert_ptr_nonnull(strstr(err->text, "not of this grammar"));
    error_free(err);
    t->grammar_hash = domain_hash(shop);
    t->derivation = "";
    ck_assert_int_eq(tree_mutate(&options, shop, t, NULL, NULL, &rng, &none, NULL), ERR_INPUT);
    t->derivation = "####";
    ck_assert_int_eq(tree_mutate(&options, shop, t, NULL, NULL, &rng, &none, NULL), ERR_INPUT);
    task_free(t);
}
END_TEST

/* --- damage --- */

static void damage(struct buf *text, struct rng *rng)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
    for (uint64_t n = 1 + rng_below(rng, 6); n > 0; n--)
        text->data[rng_below(rng, text->len)] = (uint8_t)digits[rng_below(rng, sizeof digits - 1)];
}

/* Whatever can be read as a log is edited and means a task. */
START_TEST(damaged_logs)
{
    struct rng rng;
    struct buf text, detail;
    struct derivation log, to;
    size_t readable = 0;
    rng_seed(&rng, 9, 0);
    buf_init(&text, 1 << 20);
    buf_init(&detail, 4096);
    derivation_init(&log);
    derivation_init(&to);
    struct task *tasks[50];
    for (uint64_t i = 0; i < 50; i++)
        tasks[i] = make(5, i);
    for (uint64_t i = 0; i < 4500; i++) {
        const struct task *t = tasks[i % 50];
        buf_clear(&text);
        buf_add_string(&text, t->derivation);
        damage(&text, &rng);
        if (derivation_decode(&log, buf_bytes(&text), NULL) == 0 && log.count) {
            readable++;
            buf_clear(&detail);
            struct tree_edit e = {.domain = shop, .from = &log, .to = &to, .rng = &rng, .detail = &detail};
            const struct tree_mutator *m = tree_mutator_at(rng_below(&rng, MUTATORS));
            bool done = m->edit(&e);
            if (done)
                tree_check_nested(&to);
            struct task *mutant = NULL;
            struct error *err = NULL;
            int status = tree_repair(&options, shop, done ? &to : &log, i, 0, &mutant, &err);
            ck_assert_msg(status == 0 || status == ERR_LIMIT, "%s", err ? err->text : "");
            error_free(err);
            task_free(mutant);
        }
    }
    for (size_t i = 0; i < 50; i++)
        task_free(tasks[i]);
    ck_assert_uint_gt(readable, 300);
    derivation_release(&log);
    derivation_release(&to);
    buf_release(&text);
    buf_release(&detail);
}
END_TEST

/* A log of another domain, all sites of which mean something else here. */
START_TEST(foreign_logs)
{
    struct domain *kitchen = plan_load(PLAN_DATA "/good/kitchen.xml");
    const struct domain *others[] = {kitchen};
    struct generate_options other = {others, 1, NULL, &settings};
    struct rng rng;
    struct buf detail;
    struct derivation log, to;
    rng_seed(&rng, 10, 0);
    buf_init(&detail, 4096);
    derivation_init(&log);
    derivation_init(&to);
    for (uint64_t i = 0; i < 500; i++) {
        struct task *t = NULL, *mutant = NULL;
        ck_assert_int_eq(generate_task(&other, 1, i, &t, NULL), 0);
        ck_assert_int_eq(derivation_decode(&log, bytes_of_string(t->derivation), NULL), 0);
        for (size_t k = 0; k < MUTATORS; k++) {
            buf_clear(&detail);
            struct tree_edit e = {
                .domain = shop, .from = &log, .donor = &log, .to = &to, .rng = &rng, .detail = &detail};
            if (!tree_mutator_at(k)->edit(&e))
                continue;
            tree_check_nested(&to);
            int status = tree_repair(&options, shop, &to, i, 0, &mutant, NULL);
            ck_assert(status == 0 || status == ERR_LIMIT);
            if (status == 0)
                task_free(mutant);
        }
        task_free(t);
    }
    derivation_release(&log);
    derivation_release(&to);
    buf_release(&detail);
    domain_free(kitchen);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, replacing_keeps_the_nesting);
    tcase_add_test(tests, looking_around);
    tcase_add_loop_test(tests, golden_cases, 0, MUTATORS);
    tcase_add_test(tests, registry);
    tcase_add_test(tests, undone_step_by_step);
    tcase_add_test(tests, records_are_bounded);
    tcase_add_test(tests, beside_other_mutators);
    tcase_add_test(tests, only_of_its_own_grammar);
    tcase_add_test(tests, damaged_logs);
    tcase_add_test(tests, foreign_logs);
}

int main(void)
{
    return unit_main("tree", fill);
}
