/* check: are tasks for agents sound? Those that taskgen exported, and anybody's. */
#include "cli/verbs.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "exec/gate/gate.h"
#include "exec/gate/room.h"

enum { TASKS_MAX = 100000, TEMPLATES = 1024 };

static const struct cli_option own[] = {
    {"contract", 0, "FILE", "thresholds, in an INI file with a section [gate] (taskgen help settings)"},
    {"exploits", 0, "WHICH", "the ways to cheat: once (per test.sh, the default), all or none"},
    {"json", 0, NULL, "one JSON object a task, each trial in it"},
    {0},
};

struct check {
    const struct verb *v;
    struct gate_options o;
    struct strings tasks;
    const char *exploits;
    bool json, terminal;
    size_t at, verdicts[4], killed, mutants, trials;
    int64_t ns, inside_ns;
    uint64_t templates[TEMPLATES];
    size_t template_count;
};

/* --- which tasks --- */

static bool is_task(const char *dir)
{
    char *path = strings_printf("%s/task.toml", dir);
    struct stat st;
    bool is = lstat(path, &st) == 0;
    free(path);
    return is;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void find_tasks(struct check *c, const char *dir, int depth)
{
    struct strings below = {0};
    DIR *list = NULL;
    if (is_task(dir))
        strings_add(&c->tasks, dir);
    else if (depth)
        list = opendir(dir);
    for (struct dirent *e; list && (e = readdir(list));) {
        struct stat st;
        char *path = strings_printf("%s/%s", dir, e->d_name);
        if (e->d_name[0] != '.' && lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && c->tasks.count + below.count < TASKS_MAX)
            strings_add(&below, path);
        free(path);
    }
    if (list)
        closedir(list);
    if (below.count)
        qsort(below.items, below.count, sizeof *below.items, by_name);
    for (size_t i = 0; i < below.count; i++)
        find_tasks(c, below.items[i], depth - 1);
    strings_release(&below);
}

/* --- what is said --- */

static int before(void *user, const char *task, const char *trial)
{
    struct check *c = user;
    if (c->terminal)
        fprintf(stderr, "\r\033[K%zu of %zu: %.60s: %.40s", c->at + 1, c->tasks.count, task, trial);
    return *cli_stop() != 0;
}

static int say(struct check *c, const char *dir, const struct gate_result *r)
{
    struct buf out;
    buf_init(&out, SIZE_MAX);
    if (c->terminal)
        fprintf(stderr, "\r\033[K");
    if (c->json)
        json_write(&out, r->json, JSON_COMPACT);
    else {
        buf_addf(&out, "%-14s %s", gate_verdict_name(r->verdict), dir);
        for (size_t i = 0; i < r->reasons.count; i++)
            buf_addf(&out, "%s%s", i ? "; " : ": ", r->reasons.items[i]);
        if (r->mutants)
            buf_addf(&out, " [mutants refused: %u of %u]", r->killed, r->mutants);
    }
    buf_add_string(&out, "\n");
    int status = cli_out(c->v, buf_bytes(&out));
    buf_release(&out);
    return status ? status : cli_out_flush(c->v);
}

static void sum_up(const struct check *c)
{
    fprintf(stderr, "%zu tasks: %zu kept, %zu dropped, %zu not executable here, %zu bad; mutants refused: %zu of %zu\n", c->tasks.count, c->verdicts[GATE_KEPT],
            c->verdicts[GATE_DROPPED], c->verdicts[GATE_BEYOND], c->verdicts[GATE_BAD], c->killed, c->mutants);
    if (c->trials)
        fprintf(stderr, "%zu trials, %lld ms each; outside the rooms %.1f ms each%s\n", c->trials, (long long)(c->ns / (int64_t)c->trials / 1000000),
                (double)(c->ns - c->inside_ns) / (double)c->trials / 1e6, room_clock_library() ? "" : "; no shifted clock was tried: libfaketime is not installed");
}

/* --- the work --- */

/* Has this kind of verifier been through the ways to cheat? Then it is known from now on. */
static bool wants_exploits(struct check *c, const char *dir)
{
    if (strcmp(c->exploits, "once") != 0)
        return !strcmp(c->exploits, "all");
    uint64_t hash = gate_template(dir);
    for (size_t i = 0; i < c->template_count; i++)
        if (c->templates[i] == hash)
            return false;
    if (c->template_count < TEMPLATES)
        c->templates[c->template_count++] = hash;
    return true;
}

static int check_one(struct check *c, const char *dir)
{
    struct gate_result r;
    struct arena a;
    struct error *err = NULL;
    arena_init(&a);
    c->o.exploits = wants_exploits(c, dir);
    int status = gate_check(dir, &c->o, &a, &r, &err);
    if (status == ERR_STOP) {
        error_free(err);
        status = EXIT_SIGNAL + *cli_stop();
    } else if (status < 0)
        status = cli_fail(c->v, err);
    else
        status = say(c, dir, &r);
    c->verdicts[r.verdict]++;
    c->killed += r.killed;
    c->mutants += r.mutants;
    c->trials += r.trials;
    c->ns += r.ns;
    c->inside_ns += r.inside_ns;
    gate_result_release(&r);
    arena_release(&a);
    return status;
}

static int check_all(struct check *c)
{
    int status = 0;
    for (c->at = 0; !status && c->at < c->tasks.count; c->at++)
        status = check_one(c, c->tasks.items[c->at]);
    if (status)
        return status;
    sum_up(c);
    return c->verdicts[GATE_BAD] ? EXIT_USAGE : c->verdicts[GATE_DROPPED] ? EXIT_FOUND : c->verdicts[GATE_BEYOND] ? EXIT_UNUSABLE : EXIT_CLEAN;
}

static int run_check(const struct verb *v, struct cli_args *args)
{
    struct settings settings;
    struct error *err = NULL;
    struct check c = {.v = v, .json = cli_flag(args, "json"), .exploits = cli_value(args, "exploits"), .terminal = isatty(STDERR_FILENO)};
    const char *contract = cli_value(args, "contract");
    c.exploits = c.exploits ? c.exploits : "once";
    if (!args->word_count)
        return cli_usage_fault(v, "a directory is expected");
    if (strcmp(c.exploits, "once") && strcmp(c.exploits, "all") && strcmp(c.exploits, "none"))
        return cli_usage_fault(v, "--exploits: found '%s', expected once, all or none", c.exploits);
    int status = cli_settings(v, args, &settings);
    if (status)
        return status;
    if (contract && settings_load(&settings, contract, &err) < 0)
        return cli_fail(v, err);
    for (size_t i = 0; i < args->word_count; i++) {
        size_t had = c.tasks.count;
        find_tasks(&c, args->words[i], 2);
        if (c.tasks.count == had) {
            strings_release(&c.tasks);
            return cli_usage_fault(v, "%s: neither a task (a directory with task.toml) nor a directory of tasks", args->words[i]);
        }
    }
    if (room_impossible()) {
        strings_release(&c.tasks);
        fprintf(stderr, "taskgen check: no rooms can be made here, and nothing is run outside them: %s\n", room_impossible());
        return EXIT_UNUSABLE;
    }
    cli_catch_signals();
    c.o = (struct gate_options){.mutation_floor = settings_real(&settings, "gate.mutation-floor"), .mutants = (unsigned)settings_int(&settings, "gate.mutants"),
                                .trial_ms = settings_int(&settings, "gate.trial-time"), .group = box_cgroup_new(&settings, 0), .before = before, .user = &c};
    status = check_all(&c);
    box_cgroup_free(c.o.group);
    strings_release(&c.tasks);
    return status;
}

static const struct cli_option *const options[] = {own, options_common, NULL};

const struct verb verb_check = {
    .name = "check",
    .usage = "[--exploits once|all|none] [--contract FILE] [--json] DIR…",
    .summary = "are tasks for agents sound? executes them, also others' (Harbor directories)",
    .details = "Each DIR is a Harbor task or a directory of them. A task's solution must pass twice, in another locale, at another\n"
               "date and under tighter limits; an agent that does nothing, and ones that leave empty files or constant answers,\n"
               "must not; most solutions with a fault put into them must not; nothing that the agent sees may hold the solution,\n"
               "a coded answer, or an answer in a file that the solution does not need; and ways in which agents cheat must not work.\n"
               "Everything runs in fresh rooms made by bubblewrap, without network and nothing on this machine; a task whose image\n"
               "needs more than files copied over a Debian base is called not executable here. Exit status: 0 all kept, 1 some\n"
               "dropped, 2 some cannot be read, 3 some cannot be executed here.",
    .options = options,
    .run = run_check,
};
