/* One source for the classes: domains/classes.json, the table in the program, the checks, and the page agree.
 */
#include "gen/arm/arm.h"
#include "mutate/mutate.h"
#include "oracle_case.h"

static struct arena arena;
static const struct json *rows;

static void setup(void)
{
    arena_init(&arena);
    rows = json_get(oracle_load(&arena, TASKGEN_SOURCE_DIR "/domains/classes.json"), "classes");
}

static void teardown(void)
{
    arena_release(&arena);
}

static bool is_primitive(const char *name)
{
    size_t count;
    const char *const *names = primitive_names(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

START_TEST(table_equals_file)
{
    size_t i = 0;
    for (const struct json *row = rows->first; row; row = row->next, i++) {
        const struct fault_class *c = class_at(i);
        ck_assert_ptr_nonnull(c);
        ck_assert_str_eq(c->id, arena_string(&arena, json_as_text(json_get(row, "id"))));
        ck_assert_str_eq(c->slug, arena_string(&arena, json_as_text(json_get(row, "slug"))));
        ck_assert_str_eq(c->primitive, arena_string(&arena, json_as_text(json_get(row, "primitive"))));
        struct buf mutators;
        buf_init(&mutators, 1024);
        for (const struct json *m = json_get(row, "mutators")->first; m; m = m->next)
            buf_addf(&mutators, "%s%.*s", mutators.len ? " " : "", BYTES_ARG(m->text));
        ck_assert_str_eq(c->mutators, buf_string(&mutators));
        buf_release(&mutators);
        ck_assert_str_eq(c->id, arena_printf(&arena, "C%02zu", i + 1));
        ck_assert(is_primitive(c->primitive));
        ck_assert_ptr_eq(class_find(c->slug), c); /* so slugs are unique */
        ck_assert_uint_eq(arm_class_find(c->slug), i);
        ck_assert_uint_eq(arm_class_find(c->id), i);
        struct bytes by = json_as_text(json_get(row, "by"));
        ck_assert_msg(arm_class_by(i) ? bytes_equal_string(by, arm_class_by(i)) : by.len == 0, "%s: by", c->id);
    }
    ck_assert_uint_eq(i, 94);
    ck_assert_ptr_null(class_at(94));
    ck_assert_ptr_null(class_find("no-such-class"));
    ck_assert_uint_eq(arm_class_find("C95"), ARM_NONE);
    ck_assert_uint_eq(arm_class_find(""), ARM_NONE);
}
END_TEST

START_TEST(slugs_are_kebab_case)
{
    for (size_t i = 0; class_at(i); i++) {
        const char *slug = class_at(i)->slug;
        size_t len = strlen(slug);
        ck_assert_uint_eq(strspn(slug, "abcdefghijklmnopqrstuvwxyz0123456789-"), len);
        ck_assert(len > 0 && slug[0] != '-' && slug[len - 1] != '-' && !strstr(slug, "--"));
    }
}
END_TEST

/* What a row names exists: ops, mutators, domains. */
START_TEST(names_exist)
{
    static const char *const domains[] = {"lifecycle", "filesystem", "process", "network", "perf",
                                          "sdlc",      "ml",         "data",    "report",  "browser"};
    struct ops *ops = oracle_ops();
    for (const struct json *row = rows->first; row; row = row->next) {
        const char *id = arena_string(&arena, json_as_text(json_get(row, "id")));
        ck_assert_msg(json_get(row, "ops")->count > 0, "%s names no op", id);
        for (const struct json *op = json_get(row, "ops")->first; op; op = op->next)
            ck_assert_msg(ops_find(ops, arena_string(&arena, op->text)) != NULL, "%s: no op %.*s", id,
                          BYTES_ARG(op->text));
        for (const struct json *m = json_get(row, "mutators")->first; m; m = m->next)
            ck_assert_msg(mutator_find(arena_string(&arena, m->text)) != NULL, "%s: no mutator %.*s", id,
                          BYTES_ARG(m->text));
        ck_assert_msg(json_get(row, "domains")->count > 0, "%s names no domain", id);
        for (const struct json *d = json_get(row, "domains")->first; d; d = d->next) {
            bool known = false;
            for (size_t i = 0; i < sizeof domains / sizeof *domains; i++)
                known = known || bytes_equal_string(d->text, domains[i]);
            ck_assert_msg(known, "%s: no domain %.*s", id, BYTES_ARG(d->text));
        }
    }
    ops_free(ops);
}
END_TEST

START_TEST(checks_bear_their_class)
{
    for (size_t i = 0; check_at(i); i++) {
        const struct check *check = check_at(i);
        const struct fault_class *c = class_find(check->slug);
        ck_assert_ptr_eq(check_find(check->slug), check);
        ck_assert(is_primitive(check->primitive));
        ck_assert_uint_gt(strlen(check->doc), 0);
        if (!*check->class_id) {
            ck_assert_ptr_null(c);
            ck_assert_msg(strncmp(check->slug, "mcp-", 4) == 0 || strcmp(check->slug, "target-died") == 0,
                          "%s", check->slug);
            continue;
        }
        ck_assert_msg(c != NULL, "%s is no class", check->slug);
        ck_assert_str_eq(c->id, check->class_id);
        ck_assert_str_eq(c->primitive, check->primitive);
    }
}
END_TEST

static const char *cell(const struct json *value, const char *key)
{
    return arena_string(&arena, json_as_text(json_get(value, key)));
}

static const char *words(const struct json *list)
{
    struct buf out;
    buf_init(&out, 1000);
    for (const struct json *word = list->first; word; word = word->next)
        buf_addf(&out, "%s%.*s", out.len ? " " : "", BYTES_ARG(word->text));
    const char *kept = arena_string(&arena, buf_bytes(&out));
    buf_release(&out);
    return *kept ? kept : "–";
}

START_TEST(page_has_every_row)
{
    struct buf page;
    struct error *err = NULL;
    buf_init(&page, 1 << 20);
    ck_assert_msg(fs_read(TASKGEN_SOURCE_DIR "/docs/classes.md", 1 << 20, &page, &err) == 0, "%s",
                  err ? err->text : "");
    for (const struct json *row = rows->first; row; row = row->next) {
        const char *slug = cell(row, "slug");
        const char *first = arena_printf(&arena, "\n| %s | `%s` | %s | %s | %s | %s |\n", cell(row, "id"),
                                         slug, cell(row, "primitive"), check_find(slug) ? "yes" : "no",
                                         words(json_get(row, "domains")), cell(row, "holds"));
        const char *second = arena_printf(&arena, "\n| %s | %s | %s | %s |\n", cell(row, "id"),
                                          words(json_get(row, "ops")), words(json_get(row, "mutators")),
                                          cell(row, "arm"));
        ck_assert_msg(bytes_find(buf_bytes(&page), bytes_of_string(first), 0) >= 0,
                      "docs/classes.md lacks%s(run scripts/classes-doc)", first);
        ck_assert_msg(bytes_find(buf_bytes(&page), bytes_of_string(second), 0) >= 0,
                      "docs/classes.md lacks%s(run scripts/classes-doc)", second);
    }
    buf_release(&page);
}
END_TEST

START_TEST(layer_rule)
{
    ck_assert_int_eq(layer_of(EFFECT_WRONG), LAYER_SANDBOX);
    ck_assert_int_eq(layer_of(EFFECT_RIGHT), LAYER_INTERFACE);
    ck_assert_int_eq(layer_of(EFFECT_NONE), LAYER_INTERFACE);
    ck_assert_int_eq(layer_of(EFFECT_UNSEEN), LAYER_UNDECIDED);
    ck_assert_str_eq(layer_name(LAYER_INTERFACE), "interface");
    ck_assert_str_eq(layer_name(LAYER_SANDBOX), "sandbox");
    ck_assert_str_eq(layer_name(LAYER_UNDECIDED), "undecided");
}
END_TEST

START_TEST(primitives_are_the_closed_list)
{
    static const char expected[] =
        "encoding null-byte protocol size path permission mount persistence storage memory time process "
        "syscall network session environment concurrency browser";
    size_t count;
    const char *const *names = primitive_names(&count);
    struct buf joined;
    buf_init(&joined, 1000);
    for (size_t i = 0; i < count; i++)
        buf_addf(&joined, "%s%s", i ? " " : "", names[i]);
    ck_assert_str_eq(buf_string(&joined), expected);
    buf_release(&joined);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, table_equals_file);
    tcase_add_test(tests, slugs_are_kebab_case);
    tcase_add_test(tests, names_exist);
    tcase_add_test(tests, checks_bear_their_class);
    tcase_add_test(tests, page_has_every_row);
    tcase_add_test(tests, layer_rule);
    tcase_add_test(tests, primitives_are_the_closed_list);
}

int main(void)
{
    return unit_main("classes", fill);
}
