/* How fast the value level derives, in CPU time of one thread, derivation logs included.
 *
 *   bench_grammar [--texts N] [--bytes N] [--depth N] [--file GRAMMAR.tg] [--rule NAME] [-- YARDSTICK
 * ARGUMENT…]
 *
 * Derives N texts one after the other, each from its own seed into a buffer that is emptied each time, and
 * prints one line: MB/s, texts/s, mean length and choices a text. What follows "--" is a program to compare
 * with: it is run afterwards, and the last line it prints is shown below ours. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/subprocess.h"
#include "grammar/grammar.h"

static const char expr[] =
    "start = expr;"
    "expr = term \"+\" expr | term \"-\" expr | term;"
    "term = factor \"*\" term | factor \"/\" term | factor;"
    "factor = \"+\" factor | \"-\" factor | \"(\" expr \")\" | integer \".\" integer | integer;"
    "integer = digit integer | digit;"
    "digit = \"0\" | \"1\" | \"2\" | \"3\" | \"4\" | \"5\" | \"6\" | \"7\" | \"8\" | \"9\";";

struct options {
    unsigned long texts;
    struct grammar_limits limits;
    const char *file, *rule;
};

struct totals {
    uint64_t bytes, choices;
    double seconds;
};

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int load(struct grammar *g, const struct options *o, struct error **err)
{
    if (o->file)
        TRY(grammar_add_file(g, o->file, err));
    else
        TRY(grammar_add_text(g, bytes_of_string(expr), "built-in", 1, err));
    return grammar_compile(g, 0, err);
}

static int derive_all(const struct grammar *g, int rule, const struct options *o, struct totals *t,
                      struct error **err)
{
    struct buf out;
    struct derivation log;
    int status = 0;
    buf_init(&out, o->limits.max_bytes);
    derivation_init(&log);
    double start = cpu_seconds();
    for (unsigned long i = 0; i < o->texts && status == 0; i++) {
        struct rng rng;
        struct chooser chooser;
        rng_seed(&rng, 1, i);
        buf_clear(&out);
        derivation_clear(&log);
        chooser_init(&chooser, &rng, NULL, &log);
        status = grammar_derive(g, rule, NULL, 0, &chooser, &o->limits, &out, err);
        t->bytes += out.len;
        t->choices += log.count;
    }
    t->seconds = cpu_seconds() - start;
    buf_release(&out);
    derivation_release(&log);
    return status;
}

static int measure(const struct options *o, struct error **err)
{
    struct grammar *g = grammar_new();
    double start = cpu_seconds();
    int status = load(g, o, err);
    double compiled = cpu_seconds() - start;
    int rule = status == 0 ? grammar_rule(g, bytes_of_string(o->rule)) : -1;
    if (status == 0 && rule < 0)
        status = error_set(err, ERR_INPUT, "there is no rule '%s'", o->rule);
    struct totals t = {0};
    if (status == 0)
        status = derive_all(g, rule, o, &t, err);
    if (status == 0)
        printf("taskgen: %.1f MB/s, %.0f texts/s, %.1f bytes and %.1f choices a text, compiled in %.2f ms\n",
               (double)t.bytes / t.seconds / 1e6, (double)o->texts / t.seconds,
               (double)t.bytes / (double)o->texts, (double)t.choices / (double)o->texts, compiled * 1e3);
    grammar_free(g);
    return status;
}

static int run_yardstick(const char *const *argv, struct error **err)
{
    struct buf out;
    int ended = 0;
    buf_init(&out, 1 << 20);
    int status = subprocess_run(argv, BYTES_NONE, 600000, 1 << 20, &out, NULL, &ended, err);
    if (status == 0 && ended != 0)
        status = error_set(err, ERR_TARGET, "the yardstick ended with wait status %d", ended);
    while (out.len && out.data[out.len - 1] == '\n')
        buf_cut(&out, out.len - 1);
    size_t line = out.len;
    while (line && out.data[line - 1] != '\n')
        line--;
    if (status == 0)
        printf("yardstick: %s\n", buf_string(&out) + line);
    buf_release(&out);
    return status;
}

static int parse(int argc, char **argv, struct options *o)
{
    static const struct option longs[] = {
        {"texts", required_argument, NULL, 't'}, {"bytes", required_argument, NULL, 'b'},
        {"depth", required_argument, NULL, 'd'}, {"file", required_argument, NULL, 'f'},
        {"rule", required_argument, NULL, 'r'},  {NULL, 0, NULL, 0}};
    for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
        if (c == 't')
            o->texts = strtoul(optarg, NULL, 10);
        else if (c == 'b')
            o->limits.max_bytes = strtoul(optarg, NULL, 10);
        else if (c == 'd')
            o->limits.max_depth = strtoul(optarg, NULL, 10);
        else if (c == 'f')
            o->file = optarg;
        else if (c == 'r')
            o->rule = optarg;
        else
            return -1;
    }
    return o->texts ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct options o = {.texts = 1000000, .limits = {.max_bytes = 200, .max_depth = 64}, .rule = "start"};
    if (parse(argc, argv, &o) < 0) {
        fprintf(stderr,
                "usage: %s [--texts N] [--bytes N] [--depth N] [--file GRAMMAR.tg] [--rule NAME] [-- "
                "YARDSTICK …]\n",
                argv[0]);
        return 2;
    }
    struct error *err = NULL;
    int status = measure(&o, &err);
    if (status == 0 && optind < argc)
        status = run_yardstick((const char *const *)argv + optind, &err);
    if (status < 0)
        fprintf(stderr, "%s: %s\n", argv[0], err->text);
    error_free(err);
    return status < 0 ? 1 : 0;
}
