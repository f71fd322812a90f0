/* generate, the default verb: tasks as JSON Lines, or as text for reading.
 *
 * Threads take slices of a block of indices and fill a buffer each; the blocks are printed in order, so the bytes do
 * not depend on the number of threads. */
#include "cli/cover.h"
#include "cli/generate_options.h"
#include "cli/verbs.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 64, SLICE = 64 };

static const struct cli_option own[] = {
    {"index", 'i', "N", "make only the task with this index, from 0"},
    {"format", 'f', "jsonl|text", "JSON Lines (the default), or text for reading"},
    {"threads", 'j', "N", "threads (default 2); the output does not depend on it"},
    {0},
};

struct slice {
    const struct cli_generate *g;
    bool text;
    uint64_t first, count;
    struct buf out;
    struct error *err;
};

static int make_one(struct slice *s, uint64_t index)
{
    struct task *task = NULL;
    TRY(selection_task(s->g->selection, index, &task, &s->err));
    if (s->text)
        task_write_text(task, &s->out);
    else
        task_write(task, &s->out);
    buf_add_byte(&s->out, '\n');
    task_free(task);
    return 0;
}

static void *make_slice(void *argument)
{
    struct slice *s = argument;
    for (uint64_t i = 0; i < s->count && !s->err; i++)
        if (make_one(s, s->first + i) < 0)
            error_wrap(&s->err, "task %llu", (unsigned long long)(s->first + i));
    return NULL;
}

/* Makes [first, first + count) and prints it in order. */
static int make_block(const struct verb *v, struct slice *slices, unsigned threads, uint64_t first, uint64_t count)
{
    pthread_t ids[THREADS_MAX];
    bool started[THREADS_MAX] = {false};
    uint64_t each = (count + threads - 1) / threads;
    for (unsigned t = 0; t < threads; t++) {
        uint64_t from = each * t < count ? each * t : count;
        slices[t].first = first + from;
        slices[t].count = count - from < each ? count - from : each;
        buf_clear(&slices[t].out);
        started[t] = t > 0 && slices[t].count && !pthread_create(&ids[t], NULL, make_slice, &slices[t]);
    }
    for (unsigned t = 0; t < threads; t++)
        if (!started[t]) /* the first, and any that the machine had no thread for */
            make_slice(&slices[t]);
    int status = 0;
    for (unsigned t = 0; t < threads; t++) {
        if (started[t])
            pthread_join(ids[t], NULL);
        if (!status)
            status = cli_out(v, buf_bytes(&slices[t].out));
        if (slices[t].err && !status)
            status = cli_fail(v, slices[t].err);
        else
            error_free(slices[t].err);
        slices[t].err = NULL;
    }
    return status;
}

static int make_all(const struct verb *v, const struct cli_generate *g, bool text, unsigned threads, uint64_t first,
                    uint64_t count)
{
    struct slice slices[THREADS_MAX];
    for (unsigned t = 0; t < threads; t++) {
        slices[t] = (struct slice){.g = g, .text = text};
        buf_init(&slices[t].out, (size_t)1 << 30);
    }
    int status = 0;
    uint64_t done = 0;
    cli_catch_signals();
    while (!status && done < count && !cli_out_closed() && !*cli_stop()) {
        uint64_t block = count - done < (uint64_t)threads * SLICE ? count - done : (uint64_t)threads * SLICE;
        status = make_block(v, slices, threads, first + done, block);
        done += block;
    }
    for (unsigned t = 0; t < threads; t++)
        buf_release(&slices[t].out);
    if (!status && *cli_stop())
        status = EXIT_SIGNAL + *cli_stop();
    return status;
}

/* Own options, checked before anything is loaded. */
static int read_own(const struct verb *v, const struct cli_args *args, bool *text, uint64_t *threads, uint64_t *first)
{
    const char *format = cli_value(args, "format");
    *text = format && !strcmp(format, "text");
    if (format && !*text && strcmp(format, "jsonl"))
        return cli_usage_fault(v, "--format: found '%s', expected jsonl or text", format);
    if (args->word_count)
        return cli_usage_fault(v, "'%s' is not expected here", args->words[0]);
    int status = cli_unsigned(v, args, "threads", threads);
    if (!status && (*threads < 1 || *threads > THREADS_MAX))
        status = cli_usage_fault(v, "--threads: expected 1 to %d", THREADS_MAX);
    return status ? status : cli_unsigned(v, args, "index", first);
}

static int run_generate(const struct verb *v, struct cli_args *args)
{
    struct settings settings;
    struct ops *ops = NULL;
    struct cli_generate g = {0};
    uint64_t threads = 2, first = 0;
    bool text;
    unsigned k = 0;
    int status = read_own(v, args, &text, &threads, &first);
    if (!status)
        status = cli_cover_check(v, args, &k);
    if (!status)
        status = cli_settings(v, args, &settings);
    if (!status)
        status = cli_ops(v, &ops);
    if (!status)
        status = cli_generate(v, args, &settings, ops, NULL, &g);
    if (!status && k) {
        status = cli_cover(v, args, &g, &settings, ops, k, text);
    } else if (!status) {
        bool given = cli_value(args, "count") != NULL;
        if (!given)
            g.count = cli_value(args, "index") ? 1 : 10;
        status = make_all(v, &g, text, (unsigned)threads, first, g.count);
    }
    cli_generate_release(&g);
    ops_free(ops);
    return status;
}

static const struct cli_option *const options[] = {options_generate, own, options_cover, options_common, NULL};

const struct verb verb_generate = {
    .name = "generate",
    .usage = "--domain NAME [--count N] [OPTION]…",
    .summary = "make tasks, as JSON Lines on standard output",
    .details = "Makes tasks from domain templates: an instruction for an agent, the steps that solve it, what must be true\n"
               "afterwards, what a target needs for it, and which hostile changes were made. Ten tasks unless --count says\n"
               "otherwise. The same seed gives the same bytes, whatever the number of threads; task N is the same alone\n"
               "(--index N) and among others. With --index and --count: that many, from that index on. --class, --primitive, --steps,\n"
               "--hostile and patterns of --workflow choose what to make and can be combined; then N counts the tasks chosen, and\n"
               "the index in a record makes it again: --domain D --workflow W --seed S --index N. With --cover: as few tasks as it\n"
               "takes to have every path of so many choices that the template has; standard error tells what was not reached.",
    .options = options,
    .run = run_generate,
};
