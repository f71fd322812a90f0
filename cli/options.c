/* Options: getopt_long over a verb's option groups, help texts, and typed access to what was given. */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct cli_option options_common[] = {
    {"config", 0, "FILE", "read options and settings from an INI file; flags win (docs/settings.md)"},
    {"save-config", 0, "FILE", "write such a file of what is given here, and end"},
    {"set", 0, "KEY=VALUE", "set one setting, such as exec.step-timeout=5s; repeats"},
    {"help", 'h', NULL, "this text"},
    {"version", 0, NULL, "print the version"},
    {0},
};

static size_t count_options(const struct verb *v)
{
    size_t n = 0;
    for (const struct cli_option *const *group = v->options; *group; group++)
        for (const struct cli_option *o = *group; o->name; o++)
            n++;
    return n;
}

static void print_option(const struct cli_option *o)
{
    char left[80];
    char letter[8] = "    ";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, o->argument ? " " : "", o->argument ? o->argument : "");
    if (strlen(left) > 26)
        printf("  %s\n  %-26s  %s\n", left, "", o->help);
    else
        printf("  %-26s  %s\n", left, o->help);
}

void cli_help(const struct verb *v)
{
    bool is_default = !strcmp(v->name, "generate");
    printf("usage: taskgen %s%s%s\n\n%s\n\n", is_default ? "[generate]" : v->name, *v->usage ? " " : "", v->usage,
           v->details);
    for (const struct cli_option *const *group = v->options; *group; group++)
        for (const struct cli_option *o = *group; o->name; o++)
            print_option(o);
}

int cli_usage_fault(const struct verb *v, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "taskgen %s: ", v->name);
    vfprintf(stderr, format, args);
    fprintf(stderr, "; see 'taskgen %s --help'\n", v->name);
    va_end(args);
    return EXIT_USAGE;
}

/* The options of all groups in a row, in getopt's form; `rows` gives each one's own row. */
static void gather(const struct verb *v, struct option *longs, const struct cli_option **rows, char *letters)
{
    size_t n = 0;
    *letters++ = ':'; /* a missing argument is told apart from an unknown option */
    for (const struct cli_option *const *group = v->options; *group; group++) {
        for (const struct cli_option *o = *group; o->name; o++) {
            rows[n] = o;
            longs[n] = (struct option){o->name, o->argument ? required_argument : no_argument, NULL, 256 + (int)n};
            n++;
            if (o->letter) {
                *letters++ = o->letter;
                if (o->argument)
                    *letters++ = ':';
            }
        }
    }
    *letters = 0;
}

static const struct cli_option *row_of(const struct cli_option **rows, size_t count, int code)
{
    if (code >= 256)
        return rows[code - 256];
    for (size_t i = 0; i < count; i++)
        if (rows[i]->letter == code)
            return rows[i];
    return NULL;
}

static int parse_into(const struct verb *v, int argc, char **argv, struct cli_args *args)
{
    size_t count = count_options(v);
    struct option *longs = xcalloc(count + 1, sizeof *longs);
    const struct cli_option **rows = xcalloc(count + 1, sizeof *rows);
    char *letters = xcalloc(2 * count + 2, 1);
    gather(v, longs, rows, letters);
    args->given = xcalloc((size_t)argc + 1, sizeof *args->given);

    int status = 0, code;
    opterr = 0;
    optind = 0; /* glibc: start anew */
    while (!status && (code = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
        if (code == '?')
            status = cli_usage_fault(v, "option '%s' is not known, or takes no value", argv[optind - 1]);
        else if (code == ':')
            status = cli_usage_fault(v, "option '%s' needs a value", argv[optind - 1]);
        else
            args->given[args->given_count++] = (struct cli_given){row_of(rows, count, code), optarg};
    }
    args->words = argv + optind;
    args->word_count = (size_t)(argc - optind);
    free(longs);
    free(rows);
    free(letters);
    return status;
}

int cli_parse(const struct verb *v, int argc, char **argv, struct cli_args *args, bool *done)
{
    /* "--" ends our options and begins a target's command line, so getopt never sees what follows. */
    int ours = 0;
    while (ours < argc && strcmp(argv[ours], "--"))
        ours++;
    if (ours < argc) {
        args->command = argv + ours + 1;
        args->command_count = (size_t)(argc - ours - 1);
    }
    /* getopt wants a program name in front and reorders the words it is given. */
    char **shifted = xcalloc((size_t)ours + 2, sizeof *shifted);
    shifted[0] = "taskgen";
    memcpy(shifted + 1, argv, (size_t)ours * sizeof *shifted);
    int status = parse_into(v, ours + 1, shifted, args);
    char **words = xcalloc(args->word_count + 1, sizeof *words);
    memcpy(words, args->words, args->word_count * sizeof *words);
    args->words = words;
    free(shifted);
    if (status)
        return status;
    if (cli_flag(args, "help"))
        cli_help(v);
    else if (cli_flag(args, "version"))
        printf("taskgen %s\n", TASKGEN_VERSION);
    else
        return 0;
    *done = true;
    return 0;
}

void cli_args_release(struct cli_args *args)
{
    for (size_t i = 0; i < args->kept_count; i++)
        free(args->kept[i]);
    free(args->kept);
    free(args->given);
    free(args->words);
}

const char *cli_value(const struct cli_args *args, const char *name)
{
    const char *value = NULL;
    for (size_t i = 0; i < args->given_count; i++)
        if (!strcmp(args->given[i].option->name, name))
            value = args->given[i].value;
    return value;
}

bool cli_flag(const struct cli_args *args, const char *name)
{
    for (size_t i = 0; i < args->given_count; i++)
        if (!strcmp(args->given[i].option->name, name))
            return true;
    return false;
}

size_t cli_values(const struct cli_args *args, const char *name, const char **out, size_t max)
{
    size_t n = 0;
    for (size_t i = 0; i < args->given_count; i++)
        if (!strcmp(args->given[i].option->name, name) && n < max)
            out[n++] = args->given[i].value;
    return n;
}

int cli_unsigned(const struct verb *v, const struct cli_args *args, const char *name, uint64_t *out)
{
    const char *text = cli_value(args, name);
    if (!text)
        return 0;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || *end || end == text || strchr(text, '-'))
        return cli_usage_fault(v, "--%s: found '%s', expected a whole number from 0 to 2^64-1", name, text);
    *out = value;
    return 0;
}

int cli_real(const struct verb *v, const struct cli_args *args, const char *name, double low, double high, double *out)
{
    const char *text = cli_value(args, name);
    if (!text)
        return 0;
    char *end;
    double value = strtod(text, &end);
    if (*end || end == text || !(value >= low && value <= high))
        return cli_usage_fault(v, "--%s: found '%s', expected a number from %g to %g", name, text, low, high);
    *out = value;
    return 0;
}

int cli_time(const struct verb *v, const struct cli_args *args, const char *name, int64_t *ms)
{
    static const struct {
        const char *suffix;
        double ms;
    } units[] = {{"", 1000}, {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}};
    const char *text = cli_value(args, name);
    if (!text)
        return 0;
    char *end;
    double value = strtod(text, &end);
    for (size_t i = 0; end != text && i < sizeof units / sizeof *units; i++) {
        double total = value * units[i].ms;
        if (!strcmp(end, units[i].suffix) && total > 0 && total < 1e15 && isfinite(total)) {
            *ms = (int64_t)total;
            return 0;
        }
    }
    return cli_usage_fault(v, "--%s: found '%s', expected a time such as 20, 500ms, 10m or 2h", name, text);
}
