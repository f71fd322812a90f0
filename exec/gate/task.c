/* From a directory of somebody's to a task whose parts are known. */
#include "exec/gate/task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "exec/gate/tree.h"
#include "gen/import/toml.h"

enum { FILE_MAX = 64 << 20, TOTAL_MAX = 256 << 20, TOML_MAX = 1 << 20, DEFAULT_MS = 60000, LONGEST_MS = 600000, SECOND = 1000 };

static bool has(const struct gate_task *t, const char *path)
{
    char *whole = strings_printf("%s/%s", t->copy, path);
    struct stat st;
    bool found = lstat(whole, &st) == 0 && S_ISREG(st.st_mode);
    free(whole);
    return found;
}

static void set_beyond(struct gate_task *t, const char *why)
{
    if (!t->beyond)
        t->beyond = xstrdup(why);
}

/* --- task.toml --- */

static int take_table(const struct json *table, struct strings *out, const char *what, struct error **err)
{
    for (const struct json *v = json_is(table, JSON_OBJECT) ? table->first : NULL; v; v = v->next) {
        if (v->kind != JSON_STRING || !v->key.len || memchr(v->key.data, '=', v->key.len) || memchr(v->key.data, 0, v->key.len) || memchr(v->text.data, 0, v->text.len))
            return error_set(err, ERR_INPUT, "task.toml: %s is no table of strings", what);
        char *pair = strings_printf("%.*s=%.*s", BYTES_ARG(v->key), BYTES_ARG(v->text));
        strings_set(out, pair);
        free(pair);
    }
    return 0;
}

static bool is_plain_path(const char *path)
{
    char *whole = strings_printf("/%s/", path);
    bool plain = !strstr(whole, "/../") && path[0] == '/' && path[1];
    free(whole);
    return plain;
}

static int take_artifacts(struct gate_task *t, const struct json *list, struct error **err)
{
    for (const struct json *v = json_is(list, JSON_ARRAY) ? list->first : NULL; v; v = v->next) {
        struct bytes source = json_as_text(v->kind == JSON_OBJECT ? json_get(v, "source") : v);
        char *path = strings_printf("%.*s", BYTES_ARG(source));
        bool good = strlen(path) == source.len && is_plain_path(path);
        if (good)
            strings_add(&t->artifacts, path);
        free(path);
        if (!good)
            return error_set(err, ERR_INPUT, "task.toml: an artifact is not an absolute path without '..'");
        if (v->kind == JSON_OBJECT && (json_get(v, "destination") || json_get(v, "exclude") || json_get(v, "service")))
            set_beyond(t, "it renames or filters its artifacts");
    }
    return 0;
}

static int take_time(const struct json *table, const char *what, int64_t *ms, struct error **err)
{
    const struct json *v = json_get(table, "timeout_sec");
    double seconds;
    *ms = DEFAULT_MS;
    if (!v)
        return 0;
    struct bytes text = v->text; /* the lexeme of a number */
    char *copy = strings_printf("%.*s", BYTES_ARG(text)), *end;
    seconds = strtod(copy, &end);
    bool good = text.len && !*end && seconds > 0 && seconds < 1e9;
    free(copy);
    if (!good)
        return error_set(err, ERR_INPUT, "task.toml: %s.timeout_sec is not a positive number", what);
    *ms = seconds * SECOND < LONGEST_MS ? (int64_t)(seconds * SECOND) : LONGEST_MS;
    return 0;
}

static int take_mode(struct gate_task *t, const struct json *verifier, struct error **err)
{
    struct bytes mode = json_as_text(json_get(verifier, "environment_mode"));
    bool own = json_get(verifier, "environment");
    if (mode.len && !bytes_equal_string(mode, "shared") && !bytes_equal_string(mode, "separate"))
        return error_set(err, ERR_INPUT, "task.toml: verifier.environment_mode is '%.40s', expected shared or separate", tree_shown((const char *)mode.data));
    if (own && bytes_equal_string(mode, "shared"))
        return error_set(err, ERR_INPUT, "task.toml: verifier.environment is given, but environment_mode is shared");
    t->separate = own || bytes_equal_string(mode, "separate");
    return 0;
}

static int take_toml(struct gate_task *t, const struct json *root, struct error **err)
{
    const struct json *environment = json_get(root, "environment"), *verifier = json_get(root, "verifier");
    const struct json *task = json_get(root, "task");
    if (task && !json_is(json_get(task, "name"), JSON_STRING))
        return error_set(err, ERR_INPUT, "task.toml: [task] has no name");
    TRY(take_mode(t, verifier, err));
    TRY(take_time(verifier, "verifier", &t->verifier_ms, err));
    TRY(take_time(json_get(root, "agent"), "agent", &t->agent_ms, err));
    TRY(take_table(json_get(verifier, "env"), &t->verifier_env, "verifier.env", err));
    TRY(take_table(json_get(json_get(root, "solution"), "env"), &t->solution_env, "solution.env", err));
    TRY(take_artifacts(t, json_get(root, "artifacts"), err));
    if (json_get(root, "steps"))
        set_beyond(t, "it has several steps");
    if (json_get(environment, "mcp_servers"))
        set_beyond(t, "it has MCP servers beside it");
    if (json_get(environment, "healthcheck"))
        set_beyond(t, "it has a health check");
    if (bytes_equal_string(json_as_text(json_get(environment, "os")), "windows"))
        set_beyond(t, "it is for Windows");
    return 0;
}

/* --- files --- */

static int read_image(struct gate_task *t, const char *path, struct image *image, struct error **err)
{
    struct buf text;
    buf_init(&text, TOML_MAX);
    int status = tree_read_at(t->copy, path, TOML_MAX, &text, err);
    if (!status) {
        image_read(image, buf_bytes(&text));
        if (image->beyond) {
            char *why = strings_printf("%s: %s", path, image->beyond);
            set_beyond(t, why);
            free(why);
        }
    }
    buf_release(&text);
    return status;
}

static bool copies_to(const struct image *image, const char *where)
{
    for (size_t i = 1; i < image->copies.count; i += 2)
        if (!strncmp(image->copies.items[i], where, strlen(where)))
            return true;
    return false;
}

static int look_at_files(struct gate_task *t, struct error **err)
{
    if (!has(t, "instruction.md"))
        return error_set(err, ERR_INPUT, "instruction.md is missing");
    if (has(t, "environment/docker-compose.yaml"))
        set_beyond(t, "it needs docker compose");
    else if (!has(t, "environment/Dockerfile"))
        set_beyond(t, "it has no environment/Dockerfile");
    if (!t->beyond && !has(t, "tests/test.sh"))
        return error_set(err, ERR_INPUT, "tests/test.sh is missing");
    if (!t->beyond && !has(t, "solution/solve.sh"))
        return error_set(err, ERR_INPUT, "solution/solve.sh is missing: a verifier cannot be judged without a solution");
    if (!t->beyond)
        TRY(read_image(t, "environment/Dockerfile", &t->agent, err));
    if (t->beyond || !t->separate)
        return 0;
    if (!has(t, "tests/Dockerfile"))
        return error_set(err, ERR_INPUT, "tests/Dockerfile is missing: with a separate verifier it is what brings test.sh to /tests");
    TRY(read_image(t, "tests/Dockerfile", &t->verifier, err));
    if (!copies_to(&t->verifier, "/tests"))
        return error_set(err, ERR_INPUT, "tests/Dockerfile copies nothing to /tests: a separate verifier would have no test.sh");
    return 0;
}

static int read_toml(struct gate_task *t, struct error **err)
{
    struct arena a;
    struct buf text;
    struct json *root = NULL;
    arena_init(&a);
    buf_init(&text, TOML_MAX);
    int status = tree_read_at(t->copy, "task.toml", TOML_MAX, &text, err);
    if (!status)
        status = toml_read(&a, buf_bytes(&text), "task.toml", &root, err);
    if (!status)
        status = take_toml(t, root, err);
    buf_release(&text);
    arena_release(&a);
    return status;
}

/* Scripts are started by their first line, whatever their mode was. */
static void make_executable(const struct gate_task *t, const char *path)
{
    char *whole = strings_printf("%s/%s", t->copy, path);
    chmod(whole, 0755);
    free(whole);
}

/* In memory unless TMPDIR says otherwise: rooms are made and removed by the hundred, and what is written there counts as their group's
 * memory, so that no task fills a disk. */
static char *fresh_dir(struct error **err)
{
    char path[] = "/dev/shm/taskgen-gate-XXXXXX";
    if (!getenv("TMPDIR") && mkdtemp(path))
        return xstrdup(path);
    return fs_fresh_dir("taskgen-gate", err);
}

int gate_task_load(struct gate_task *t, const char *dir, struct error **err)
{
    const struct tree_rules rules = {.foreign = true, .file_max = FILE_MAX, .total_max = TOTAL_MAX};
    memset(t, 0, sizeof *t);
    const char *end = dir + strlen(dir);
    while (end > dir + 1 && end[-1] == '/')
        end--;
    const char *start = end;
    while (start > dir && start[-1] != '/')
        start--;
    t->name = strings_printf("%.*s", (int)(end - start), start);
    t->work = fresh_dir(err);
    if (!t->work)
        return ERR_OUTPUT;
    t->copy = strings_printf("%s/task", t->work);
    if (mkdir(t->copy, 0755) < 0)
        return error_set(err, ERR_OUTPUT, "%s: %m", t->copy);
    TRY(tree_copy(dir, "", t->work, "task", &rules, err));
    TRY(read_toml(t, err));
    TRY(look_at_files(t, err));
    if (!t->beyond) {
        make_executable(t, "tests/test.sh");
        make_executable(t, "solution/solve.sh");
    }
    return 0;
}

void gate_task_release(struct gate_task *t)
{
    if (t->work)
        fs_remove_tree(t->work, NULL);
    free(t->name);
    free(t->work);
    free(t->copy);
    free(t->beyond);
    image_release(&t->agent);
    image_release(&t->verifier);
    strings_release(&t->artifacts);
    strings_release(&t->verifier_env);
    strings_release(&t->solution_env);
    memset(t, 0, sizeof *t);
}
