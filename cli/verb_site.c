/* site: the fixture web site alone, for browsers elsewhere and for people who want to look at it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/listen.h"
#include "cli/verbs.h"
#include "exec/site/site.h"

enum { NAP_MS = 100, LINE_MAX_BYTES = 64 << 20 };

static const struct cli_option own[] = {
    {"port", 0, "PORT", "on this port of 127.0.0.1; without it the system chooses one"},
    {"listen", 0, "ADDRESS:PORT", "there instead, also where other machines reach it: then who asks must know a room to see its record"},
    {"record", 0, "FILE", "write each visit to it, when it is over, as a line of JSON; - is standard output"},
    {0},
};

struct recorder {
    FILE *file;
    bool failed;
};

static void write_visit(void *user, const struct web_visit *v)
{
    struct recorder *to = user;
    struct arena a;
    struct buf line;
    arena_init(&a);
    buf_init(&line, LINE_MAX_BYTES);
    json_write(&line, web_visit_write(&a, v), JSON_COMPACT);
    buf_add_byte(&line, '\n');
    if (fwrite(line.data, 1, line.len, to->file) != line.len || fflush(to->file))
        to->failed = true;
    buf_release(&line);
    arena_release(&a);
}

static int open_site(const struct verb *v, const char *where, struct recorder *recorder, struct web_site **site)
{
    struct error *err = NULL;
    union listen_address address;
    int fd;
    if (listen_read(where, &address, &err) < 0 || listen_open(&address, where, &fd, &err) < 0)
        return cli_fail(v, err);
    struct web_site_options o = {
        .open_record = listen_address_is_loopback(&address),
        .visited = recorder->file ? write_visit : NULL,
        .user = recorder,
    };
    char url[128];
    listen_url(fd, url, sizeof url);
    *site = web_site_new(&o);
    if (web_site_serve(*site, fd, NULL, &err) < 0)
        return cli_fail(v, err);
    fprintf(stderr, "%s\n", url);
    return 0;
}

static int serve(const struct verb *v, const char *where, struct recorder *recorder)
{
    struct web_site *site = NULL;
    int status = open_site(v, where, recorder, &site);
    cli_catch_signals();
    while (!status && !*cli_stop() && !recorder->failed)
        clock_sleep_ms(NAP_MS);
    web_site_free(site);
    if (!status && recorder->failed) {
        fprintf(stderr, "taskgen %s: --record: %s\n", v->name, strerror(errno));
        return EXIT_UNUSABLE;
    }
    return status ? status : EXIT_SIGNAL + *cli_stop();
}

static int run_site(const struct verb *v, struct cli_args *args)
{
    const char *listen = cli_value(args, "listen"), *file = cli_value(args, "record");
    uint64_t port = 0;
    char where[32];
    if (args->word_count)
        return cli_usage_fault(v, "'%s' is not expected here", args->words[0]);
    if (listen && cli_value(args, "port"))
        return cli_usage_fault(v, "--port and --listen both say where");
    int status = cli_unsigned(v, args, "port", &port);
    if (status)
        return status;
    if (port > 65535)
        return cli_usage_fault(v, "--port: found %llu, expected 0 to 65535", (unsigned long long)port);
    snprintf(where, sizeof where, "%u", (unsigned)port);
    struct recorder recorder = {.file = NULL};
    if (file)
        recorder.file = strcmp(file, "-") ? fopen(file, "ae") : stdout;
    if (file && !recorder.file)
        return cli_usage_fault(v, "--record: %s: %s", file, strerror(errno));
    status = serve(v, listen ? listen : where, &recorder);
    if (recorder.file && recorder.file != stdout && fclose(recorder.file) && !status)
        status = EXIT_UNUSABLE;
    return status;
}

static const struct cli_option *const options[] = {own, options_common, NULL};

const struct verb verb_site = {
    .name = "site",
    .usage = "[--port PORT | --listen ADDRESS:PORT] [--record FILE]",
    .summary = "serve the fixture web site",
    .details = "Serves the pages that browser tasks use (docs/site.md), until it is interrupted, and prints its address on standard error. What each\n"
               "page says follows from its address alone; / lists them. What was asked for is kept: /record gives it as JSON. When a target's browser\n"
               "runs elsewhere, start this where it can be reached and give its address to run or fuzz by --site.",
    .options = options,
    .run = run_site,
};
