/* Entry: finds the verb (generate when the first word is none), parses its options, runs it. */
#include "cli/cli.h"
#include "cli/config_file.h"
#include "cli/verbs.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static const struct verb *const verb_table[] = {
    &verb_generate, &verb_run,     &verb_fuzz, &verb_replay,  &verb_shrink, &verb_explain, &verb_rebucket, &verb_minimise, &verb_corpus, &verb_merge, &verb_report, &verb_export, &verb_check, &verb_domains,
    &verb_mutators, &verb_ops,     &verb_targets, &verb_site,   &verb_doctor, &verb_help,
};

const struct verb *verb_at(size_t index)
{
    return index < sizeof verb_table / sizeof *verb_table ? verb_table[index] : NULL;
}

const struct verb *verb_find(const char *name)
{
    const struct verb *v;
    for (size_t i = 0; (v = verb_at(i)); i++)
        if (!strcmp(v->name, name))
            return v;
    return NULL;
}

int main(int argc, char **argv)
{
    /* Secrets pass through our memory: no core is ever written, no other process of this user may read us. */
    prctl(PR_SET_DUMPABLE, 0);
    setrlimit(RLIMIT_CORE, &(struct rlimit){1, 1}); /* nor of what we start; 1, since 0 does not hold for programs that collect cores */
    signal(SIGPIPE, SIG_IGN);
    /* What is large goes back to the machine when it is freed; the library would raise this to what was freed once, and then keep it. */
    mallopt(M_MMAP_THRESHOLD, 1 << 20);

    const struct verb *verb = &verb_generate;
    int first = 1;
    if (argc > 1 && argv[1][0] != '-') {
        verb = verb_find(argv[1]);
        if (!verb) {
            fprintf(stderr, "taskgen: '%s' is not a verb; 'taskgen help' lists them\n", argv[1]);
            return EXIT_USAGE;
        }
        first = 2;
    } else if (argc == 1 || (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))) {
        verb = &verb_help;
        first = argc;
    }

    struct cli_args args = {0};
    bool done = false;
    int status = cli_parse(verb, argc - first, argv + first, &args, &done);
    if (!status && !done)
        status = cli_config(verb, &args, &done);
    if (!status && !done)
        status = verb->run(verb, &args);
    cli_checks_end(verb);
    cli_args_release(&args);
    int flushed = cli_out_flush(verb);
    return status ? status : flushed;
}
