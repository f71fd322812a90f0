/* What verbs load and print through: settings, ops, domains, standard output, signals, errors to exit statuses. */
#include "cli/cli.h"

#include "base/bytes.h"
#include "base/fs.h"
#include "base/redact.h"
#include "cli/fail_on.h"
#include "exec/oracle/normalise.h"
#include "gen/generate.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct redactor *secrets;

void cli_keep_secret(struct redactor *next)
{
    redactor_free(secrets);
    secrets = next;
}

const struct redactor *cli_secrets(void)
{
    return secrets;
}

static struct normaliser *kept_rules;

int cli_rules(const struct verb *v, const struct cli_args *args, const struct normaliser **rules)
{
    struct error *err = NULL;
    const char *file = cli_value(args, "rules");
    normaliser_free(kept_rules);
    kept_rules = NULL;
    if ((file ? normaliser_load(file, &kept_rules, &err) : normaliser_load_own(&kept_rules, &err)) < 0)
        return cli_fail(v, err);
    *rules = kept_rules;
    return 0;
}

int cli_fail(const struct verb *v, struct error *err)
{
    int code = err ? err->code : ERR_OUTPUT;
    struct buf text;
    buf_init(&text, 1 << 24);
    redact_into(secrets, bytes_of_string(err && err->text ? err->text : "failed without a reason"), NULL, REDACT_CUT_BACK, &text);
    for (size_t i = 0; i < text.len; i++) /* words of a SPEC may hold line ends; this is one line all the same */
        if (text.data[i] < 0x20 || text.data[i] == 0x7f)
            text.data[i] = ' ';
    fprintf(stderr, "taskgen %s: %s\n", v->name, buf_string(&text));
    buf_release(&text);
    error_free(err);
    return code == ERR_INPUT ? EXIT_USAGE : EXIT_UNUSABLE;
}

int cli_fail_on(const struct verb *v, const struct cli_args *args, struct fail_on *fail)
{
    struct error *err = NULL;
    const char *list = cli_value(args, "fail-on");
    fail_on_default(fail);
    if (!list || fail_on_read(fail, list, &err) == 0)
        return 0;
    error_wrap(&err, "--fail-on");
    return cli_fail(v, err);
}

int cli_settings(const struct verb *v, const struct cli_args *args, struct settings *settings)
{
    struct error *err = NULL;
    settings_defaults(settings);
    const char *file = cli_value(args, "config");
    if (file && settings_load(settings, file, &err) < 0)
        return cli_fail(v, err);
    for (size_t i = 0; i < args->given_count; i++) {
        if (strcmp(args->given[i].option->name, "set"))
            continue;
        const char *text = args->given[i].value, *equals = strchr(text, '=');
        if (!equals)
            return cli_usage_fault(v, "--set: found '%s', expected KEY=VALUE", text);
        char *key = xstrdup(text);
        key[equals - text] = 0;
        int status = settings_set(settings, key, equals + 1, &err);
        free(key);
        if (status < 0) {
            error_wrap(&err, "--set");
            return cli_fail(v, err);
        }
    }
    return 0;
}

/* DATA/domains/NAME, owned by the caller. */
static char *data_file(const char *name, struct error **err)
{
    char *directory = fs_data_dir("domains", err);
    if (!directory)
        return NULL;
    size_t size = strlen(directory) + strlen(name) + 2;
    char *path = xmalloc(size);
    snprintf(path, size, "%s/%s", directory, name);
    free(directory);
    return path;
}

int cli_ops(const struct verb *v, struct ops **ops)
{
    struct error *err = NULL;
    char *path = data_file("ops.xml", &err);
    int status = path ? ops_load(path, ops, &err) : -1;
    free(path);
    return status < 0 ? cli_fail(v, err) : 0;
}

/* Does the file look like a template that has workflows? A peek is enough: only templates have this name space. */
static bool is_template(const char *directory, const char *name)
{
    size_t length = strlen(name);
    if (length < 5 || strcmp(name + length - 4, ".xml"))
        return false;
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path)
        return false;
    struct buf text;
    buf_init(&text, 4 << 20);
    bool yes = fs_read(path, 4 << 20, &text, NULL) == 0 &&
               bytes_find(buf_bytes(&text), BYTES_LITERAL("urn:taskgen:domain:1"), 0) >= 0 &&
               bytes_find(buf_bytes(&text), BYTES_LITERAL("<workflow "), 0) >= 0;
    buf_release(&text);
    return yes;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int cli_domain_names(const struct verb *v, char ***names, size_t *count)
{
    struct error *err = NULL;
    char *directory = fs_data_dir("domains", &err);
    DIR *entries = directory ? opendir(directory) : NULL;
    if (!entries) {
        if (!err)
            error_set(&err, ERR_TARGET, "%s: %s", directory, strerror(errno));
        free(directory);
        return cli_fail(v, err);
    }
    *names = NULL;
    *count = 0;
    for (struct dirent *entry; (entry = readdir(entries));) {
        if (!is_template(directory, entry->d_name))
            continue;
        char *name = xstrdup(entry->d_name);
        name[strlen(name) - 4] = 0;
        *names = xrealloc(*names, (*count + 1) * sizeof **names);
        (*names)[(*count)++] = name;
    }
    closedir(entries);
    free(directory);
    if (*count)
        qsort(*names, *count, sizeof **names, compare_names);
    return 0;
}

static int load_one(const struct verb *v, const char *name, const struct ops *ops, struct cli_domains *domains)
{
    struct error *err = NULL;
    bool is_file = strchr(name, '/') || (strlen(name) > 4 && !strcmp(name + strlen(name) - 4, ".xml"));
    char *path = NULL;
    if (is_file) {
        path = xstrdup(name);
    } else {
        char file[256];
        snprintf(file, sizeof file, "%s.xml", name);
        path = data_file(file, &err);
        if (path && access(path, R_OK)) {
            free(path);
            return cli_usage_fault(v, "--domain: '%s' is neither a domain that ships ('taskgen domains' lists them) nor a file", name);
        }
    }
    struct domain *domain = NULL;
    int status = path ? domain_load(path, ops, generate_recipes(), &domain, &err) : -1;
    free(path);
    if (status < 0)
        return cli_fail(v, err);
    domains->items = xrealloc(domains->items, (domains->count + 1) * sizeof *domains->items);
    domains->items[domains->count++] = domain;
    return 0;
}

int cli_domains_load(const struct verb *v, const char *const *names, size_t count, const struct ops *ops,
                     struct cli_domains *domains)
{
    *domains = (struct cli_domains){0};
    int status = 0;
    for (size_t i = 0; i < count && !status; i++) {
        if (strcmp(names[i], "all")) {
            status = load_one(v, names[i], ops, domains);
            continue;
        }
        char **all = NULL;
        size_t all_count = 0;
        status = cli_domain_names(v, &all, &all_count);
        for (size_t k = 0; k < all_count; k++) {
            if (!status)
                status = load_one(v, all[k], ops, domains);
            free(all[k]);
        }
        free(all);
    }
    if (status)
        cli_domains_release(domains);
    return status;
}

void cli_domains_release(struct cli_domains *d)
{
    for (size_t i = 0; i < d->count; i++)
        domain_free(d->items[i]);
    free(d->items);
    *d = (struct cli_domains){0};
}

static bool out_closed;

bool cli_out_closed(void)
{
    return out_closed;
}

static int out_failed(const struct verb *v)
{
    if (out_closed)
        return 0;
    if (errno == EPIPE) {
        out_closed = true; /* head(1) has seen enough: not a fault */
        return 0;
    }
    fprintf(stderr, "taskgen %s: standard output: %s\n", v->name, strerror(errno));
    out_closed = true;
    return EXIT_UNUSABLE;
}

int cli_out(const struct verb *v, struct bytes text)
{
    if (redact_finds(secrets, text, NULL)) {
        struct buf clean;
        buf_init(&clean, SIZE_MAX);
        redact_into(secrets, text, NULL, REDACT_WHOLE, &clean);
        bool failed = !out_closed && fwrite(clean.data, 1, clean.len, stdout) != clean.len;
        buf_release(&clean);
        return failed ? out_failed(v) : 0;
    }
    if (!out_closed && text.len && fwrite(text.data, 1, text.len, stdout) != text.len)
        return out_failed(v);
    return 0;
}

int cli_out_flush(const struct verb *v)
{
    if (!out_closed && fflush(stdout))
        return out_failed(v);
    return 0;
}

static struct {
    void (*before)(void *user);
    void (*after)(void *user);
    void *user;
} around;

void cli_around_notices(void (*before)(void *user), void (*after)(void *user), void *user)
{
    around.before = before;
    around.after = after;
    around.user = user;
}

void cli_notice(const struct verb *v, const char *format, ...)
{
    va_list args;
    if (around.before)
        around.before(around.user);
    va_start(args, format);
    fprintf(stderr, "taskgen %s: ", v->name);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    if (around.after)
        around.after(around.user);
}

const char *cli_version(void)
{
    return TASKGEN_VERSION;
}

static atomic_int stop_signal;

const atomic_int *cli_stop(void)
{
    return &stop_signal;
}

static void on_signal(int number)
{
    if (stop_signal)
        _exit(EXIT_SIGNAL + number); /* asked twice */
    stop_signal = number;
}

void cli_catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}
