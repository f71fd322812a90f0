/* Calls a second of one tool through taskgen's driver (mapping, bookkeeping of ids, duties, deadlines, outcomes), next to a bare loop that
 * writes lines and counts lines, on the same server, in turn, round after round.
 *
 *     bench_wire [CALLS a round, default 4000] [ROUNDS, default 5] COMMAND LINE of server-everything
 *
 * Measured over standard streams and, with its argument streamableHttp, over HTTP with connections that are kept; one call in
 * flight and sixteen. Neither server runs in the box, which is no part of the driver; both are in a network namespace of their own.
 * Run it as root; on a machine that does other work, under `chrt -r 10`. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bare.h"
#include "base/clock.h"
#include "base/encode.h"
#include "base/fs.h"
#include "exec/target/driver.h"

enum { WORDS_MAX = 64, LANES_MANY = 16, HTTP_PORT = 38217, MEDIAN_MAX = 99 };

static const char params[] = "{\"name\":\"echo\",\"arguments\":{\"message\":\"a message of an ordinary length for a tool\"}}";

static void die(const char *what, struct error *err)
{
    fprintf(stderr, "bench_wire: %s%s%s\n", what, err ? ": " : "", err ? err->text : "");
    exit(1);
}

static double driver_calls(struct session *s, const struct op *op, size_t requests, size_t lanes)
{
    struct arena a, task; /* the arguments are the task's, which is there before it is run */
    struct json *args = NULL;
    arena_init(&a);
    arena_init(&task);
    if (json_read(&task, bytes_of_string(params), NULL, "bench", &args, NULL, NULL) < 0)
        die("params", NULL);
    int64_t start = clock_monotonic_ns();
    for (size_t done = 0; done < requests; done += lanes) {
        struct call calls[LANES_MANY], *list[LANES_MANY];
        arena_clear(&a);
        for (size_t i = 0; i < lanes; i++) {
            calls[i] = (struct call){.op = op, .args = args, .timeout_ms = 30000, .cancel_after_ms = -1, .arena = &a};
            list[i] = &calls[i];
        }
        s->driver->calls(s, list, lanes);
        for (size_t i = 0; i < lanes; i++)
            if (calls[i].outcome.class != OUTCOME_OK)
                die("a call failed", NULL);
    }
    double seconds = (double)(clock_monotonic_ns() - start) / 1e9;
    arena_release(&a);
    arena_release(&task);
    return seconds;
}

static struct target *make_target(char *const *words, bool http, const struct settings *settings, const struct ops *ops)
{
    struct buf line, spec;
    struct error *err = NULL;
    struct target *t = NULL;
    buf_init(&line, 65536);
    buf_init(&spec, 65536);
    for (size_t i = 0; words[i]; i++) {
        buf_add_string(&line, i ? " " : "");
        shell_word(&line, bytes_of_string(words[i]));
    }
    buf_addf(&spec, "mcp:%s", buf_string(&line));
    struct target_options o = {.spec = http ? "http://127.0.0.1:{port}/mcp" : buf_string(&spec),
                               .start = http ? buf_string(&line) : NULL,
                               .env = (const char *const[]){"PORT={port}", NULL},
                               .no_box = true,
                               .settings = settings,
                               .ops = ops};
    if (target_new(&o, &t, &err) < 0)
        die("target", err);
    buf_release(&line);
    buf_release(&spec);
    return t;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(char *const *words, bool http, size_t lanes, size_t requests, size_t rounds, const struct settings *settings,
                    const struct ops *ops)
{
    struct error *err = NULL;
    struct session *s = NULL;
    double ours[MEDIAN_MAX], bare[MEDIAN_MAX], ratio[MEDIAN_MAX];
    struct target *t = make_target(words, http, settings, ops);
    if (session_open(t, &s, &err) < 0)
        die("session", err);
    struct bare *b = bare_start(words, http ? HTTP_PORT : 0, (int)lanes);
    const struct op *op = ops_find(ops, "call");
    bare_calls(b, bytes_of_string(params), requests / 4); /* both warm */
    driver_calls(s, op, requests / 4, lanes);
    for (size_t i = 0; i < rounds; i++) {
        bare[i] = (double)requests / bare_calls(b, bytes_of_string(params), requests);
        ours[i] = (double)requests / driver_calls(s, op, requests, lanes);
        ratio[i] = ours[i] / bare[i];
    }
    qsort(ours, rounds, sizeof *ours, compare);
    qsort(bare, rounds, sizeof *bare, compare);
    qsort(ratio, rounds, sizeof *ratio, compare);
    printf("%-5s %2zu in flight: driver %7.0f/s, bare loop %7.0f/s, ratio %.2f (%.2f to %.2f)\n", http ? "HTTP" : "stdio", lanes,
           ours[rounds / 2], bare[rounds / 2], ratio[rounds / 2], ratio[0], ratio[rounds - 1]);
    fflush(stdout);
    bare_stop(b);
    session_close(s);
    target_free(t);
}

int main(int argc, char **argv)
{
    struct settings settings;
    struct ops *ops = NULL;
    struct error *err = NULL;
    size_t numbers[2] = {4000, 5};
    int at = 1;
    signal(SIGPIPE, SIG_IGN); /* as taskgen does */
    bare_private_network();
    for (int i = 0; i < 2 && at < argc && argv[at][0] >= '1' && argv[at][0] <= '9'; i++)
        numbers[i] = (size_t)strtoul(argv[at++], NULL, 10);
    if (at >= argc || argc - at > WORDS_MAX - 2 || numbers[1] > MEDIAN_MAX)
        die("usage: bench_wire [CALLS] [ROUNDS] COMMAND LINE of server-everything", NULL);
    char *words[WORDS_MAX] = {0}, *web[WORDS_MAX] = {0};
    int count = argc - at;
    memcpy(words, argv + at, (size_t)count * sizeof *words);
    memcpy(web, words, (size_t)count * sizeof *words);
    web[count] = "streamableHttp";
    settings_defaults(&settings);
    if (ops_load(TASKGEN_SOURCE_DIR "/domains/ops.xml", &ops, &err) < 0)
        die("the vocabulary", err);
    static const size_t lanes[] = {1, LANES_MANY};
    for (size_t i = 0; i < 2; i++)
        measure(words, false, lanes[i], numbers[0], numbers[1], &settings, ops);
    for (size_t i = 0; i < 2; i++)
        measure(web, true, lanes[i], numbers[0] / 4, numbers[1], &settings, ops);
    ops_free(ops);
    return 0;
}
