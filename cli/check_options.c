/* --checks FILE and --check NAME=COMMAND: the user's own checks, and what is told of their trouble. */
#include "base/bytes.h"
#include "base/ini_file.h"
#include "cli/cli.h"
#include "corpus/store.h"
#include "exec/oracle/user_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct user_checks *kept; /* of this command line */
static bool is_read;

struct reading {
    struct user_checks *checks;
    int line;
};

static int take_line(void *user, const char *section, const char *key, const char *value, struct error **err)
{
    struct reading *r = user;
    user_checks_at(r->checks, r->line);
    return user_checks_set(r->checks, section, key, value, err);
}

static int read_file(const char *file, struct user_checks *checks, struct error **err)
{
    struct reading r = {.checks = checks};
    int line = 0;
    TRY(ini_file_read_whole(file, "command", &r.line, take_line, &r, err));
    int status = user_checks_end(checks, &line, err);
    if (status < 0)
        error_wrap(err, "%s:%d", file, line);
    return status;
}

static int take_option(const char *text, struct user_checks *checks, struct error **err)
{
    const char *equals = strchr(text, '=');
    if (!equals)
        return error_set(err, ERR_INPUT, "--check: found '%s', expected NAME=COMMAND", text);
    char *name = xstrdup(text);
    name[equals - text] = '\0';
    int status = user_checks_set(checks, name, "command", equals + 1, err);
    free(name);
    if (status < 0)
        error_wrap(err, "--check");
    return status;
}

static int read_all(const struct cli_args *args, struct user_checks *checks, struct error **err)
{
    const char *file = cli_value(args, "checks");
    int line = 0;
    if (file)
        TRY(read_file(file, checks, err));
    for (size_t i = 0; i < args->given_count; i++)
        if (strcmp(args->given[i].option->name, "check") == 0)
            TRY(take_option(args->given[i].value, checks, err));
    return user_checks_end(checks, &line, err); /* those of options too */
}

/* It comes once a check. */
static void tell(void *user, const char *check, const char *trouble)
{
    const struct verb *v = user;
    cli_notice(v, "%s: its command %s; that is no finding, and is told once", check, trouble);
}

int cli_checks(const struct verb *v, const struct cli_args *args, const struct user_checks **checks)
{
    struct error *err = NULL;
    if (!is_read) {
        struct user_checks *own = user_checks_new();
        if (read_all(args, own, &err) < 0) {
            user_checks_free(own);
            return cli_fail(v, err);
        }
        is_read = true;
        kept = user_checks_count(own) ? own : NULL;
        if (kept)
            user_checks_tell(kept, tell, (void *)(uintptr_t)v);
        else
            user_checks_free(own);
    }
    *checks = kept;
    return 0;
}

bool cli_lacks_check(const struct verb *v, const struct finding *f)
{
    if (strncmp(f->check, "user-", strlen("user-")) != 0 || user_checks_have(kept, f->check))
        return false;
    fprintf(stderr, "taskgen %s: %.8s is of the check %s, expected --checks FILE or --check with it; not tried\n", v->name, f->signature,
            f->check);
    return true;
}

void cli_checks_end(const struct verb *v)
{
    for (size_t i = 0; i < user_checks_count(kept); i++) {
        struct user_tally t = user_checks_tally(kept, i);
        if (t.troubles)
            fprintf(stderr, "taskgen %s: %s: no answer to %lld of %lld steps\n", v->name, t.check, (long long)t.troubles, (long long)t.asked);
    }
    user_checks_free(kept);
    kept = NULL;
}
