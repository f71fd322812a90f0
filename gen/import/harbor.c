/* Harbor and Terminal-Bench 2 tasks: a directory with task.toml. What lies in environment/ is put into the sandbox (but for what builds
 * an image), the reference solution and the tests are put and run. Steps of a task with several follow each other.
 *
 * Scripts that speak of absolute paths (/app, /tests) are run as they are: what they do not find, they say. */
#include "gen/import/import_internal.h"

#include <string.h>

#include "base/utf8.h"

enum { PARTS_MAX = 64 };

static const char *const scripts[] = {"solve.sh", "solution.sh", "test.sh", "setup.sh", "run-tests.sh"};
static const char *const not_put[] = {"Dockerfile", ".dockerignore", "docker-compose.yaml", "docker-compose.yml"};

static bool is_one_of(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(name, list[i]))
            return true;
    return false;
}

static const struct import_file *find(const struct import_source *s, const char *name)
{
    for (size_t i = 0; i < s->file_count; i++)
        if (!strcmp(s->files[i].name, name))
            return &s->files[i];
    return NULL;
}

/* Files below `prefix` are put where they lie there, below `to`. */
static void put_files(struct import_source *s, struct task *t, const char *prefix, const char *to)
{
    size_t len = strlen(prefix);
    for (size_t i = 0; i < s->file_count && t->step_count < IMPORT_STEPS_MAX - 1; i++) {
        const struct import_file *f = &s->files[i];
        const char *rest = strncmp(f->name, prefix, len) == 0 ? f->name + len : NULL;
        if (!rest || is_one_of(rest, not_put, sizeof not_put / sizeof *not_put))
            continue;
        struct bytes path = bytes_of_string(arena_printf(&t->arena, "%s%s", to, rest));
        import_put_file(s->im, t, import_clean_path(&t->arena, path), f->data, false);
    }
}

/* The scripts right in the directory, those that Harbor starts. */
static void run_scripts(struct import_source *s, struct task *t, const char *prefix, const struct json *env)
{
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts && t->step_count < IMPORT_STEPS_MAX; i++) {
        const struct import_file *f = find(s, arena_printf(&t->arena, "%s%s", prefix, scripts[i]));
        if (f)
            import_put_script(s->im, t, f->data, env);
    }
}

/* environment/, solution/ and tests/ below `prefix`: of the task, or of one of its steps. */
static void add_part(struct import_source *s, struct task *t, const char *prefix, const struct json *toml)
{
    struct arena *a = &t->arena;
    put_files(s, t, arena_printf(a, "%senvironment/", prefix), "");
    put_files(s, t, arena_printf(a, "%sworkdir/", prefix), "");
    run_scripts(s, t, prefix, NULL); /* setup.sh of a step */
    put_files(s, t, arena_printf(a, "%ssolution/", prefix), "solution/");
    run_scripts(s, t, arena_printf(a, "%ssolution/", prefix), json_get(json_get(toml, "solution"), "env"));
    put_files(s, t, arena_printf(a, "%stests/", prefix), "tests/");
    run_scripts(s, t, arena_printf(a, "%stests/", prefix), json_get(json_get(toml, "verifier"), "env"));
}

static void add_instruction(struct import_source *s, const char *prefix, struct buf *out)
{
    const struct import_file *f = find(s, arena_printf(s->arena, "%sinstruction.md", prefix));
    struct bytes text = f ? bytes_slice(f->data, 0, utf8_valid_prefix(f->data)) : BYTES_NONE;
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i])
            buf_add_byte(out, text.data[i]);
}

/* The names in [[steps]], in their order. */
static size_t steps_of(const struct import_source *s, const struct json *toml, const char *names[PARTS_MAX])
{
    size_t count = 0;
    const struct json *steps = json_get(toml, "steps");
    for (const struct json *v = json_is(steps, JSON_ARRAY) ? steps->first : NULL; v && count < PARTS_MAX; v = v->next) {
        struct bytes name = json_as_text(json_get(v, "name"));
        if (name.len && !memchr(name.data, 0, name.len))
            names[count++] = arena_printf(s->arena, "steps/%.*s/", BYTES_ARG(name));
    }
    return count;
}

static int read_harbor(struct import_source *s)
{
    const char *parts[PARTS_MAX];
    struct json *toml = NULL;
    const struct import_file *f = find(s, import_harbor.format.mark);
    if (!f)
        return import_fault(s, 0, "found no %s", import_harbor.format.mark);
    TRY(toml_read(s->arena, f->data, arena_printf(s->arena, "%s/%s", s->where, f->name), &toml, s->err));
    struct task *t = import_task(&import_harbor);
    struct buf asked;
    buf_init(&asked, IMPORT_FILE_MAX);
    size_t count = steps_of(s, toml, parts);
    add_instruction(s, "", &asked);
    add_part(s, t, "", toml);
    for (size_t i = 0; i < count; i++) {
        add_instruction(s, parts[i], &asked);
        add_part(s, t, parts[i], toml);
    }
    t->instruction = arena_string(&t->arena, buf_bytes(&asked));
    buf_release(&asked);
    if (t->step_count)
        return import_add(s, t, 0, import_harbor.format.name);
    task_free(t);
    return import_fault(s, 0, "found neither files nor scripts in environment, solution or tests");
}

const struct import_row import_harbor = {
    .format = {.name = "harbor",
               .summary = "Harbor and Terminal-Bench 2 task directories: files are put, solution and tests are run",
               .mark = "task.toml"},
    .read = read_harbor,
};
