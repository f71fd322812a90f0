/* Runs the user's commands; see user_command.h. Each is a shell in a process group of its own, which is killed and reaped with
 * whatever it left in it. */
#include "exec/user_command.h"

#include <string.h>
#include <sys/wait.h>

#include "base/subprocess.h"
#include "base/utf8.h"
#include "exec/oracle/record.h"
#include "exec/oracle/user_check.h"

enum { RECORD_MAX = 64 << 20, OUTPUT_MAX = 64 * 1024, LINE_MAX_BYTES = 160 };

/* The first line, as text that has no control characters, and not too long; "" when it is empty. */
static const char *first_line(struct bytes text, const struct redactor *secrets, struct arena *a)
{
    ptrdiff_t newline = bytes_find(text, BYTES_LITERAL("\n"), 0);
    struct bytes line = redact(secrets, newline < 0 ? text : bytes_slice(text, 0, (size_t)newline), NULL, REDACT_CUT_BACK, a);
    struct buf clean;
    buf_init(&clean, 2 * OUTPUT_MAX);
    for (size_t at = 0; at < line.len && clean.len < LINE_MAX_BYTES;) {
        size_t start = at;
        int32_t c = utf8_next(line, &at);
        if (c < 0)
            buf_add_byte(&clean, '?');
        else if (c >= 0x20 && c != 0x7f)
            buf_add(&clean, bytes_slice(line, start, at));
        else if (clean.len)
            buf_add_byte(&clean, ' ');
    }
    while (clean.len && clean.data[clean.len - 1] == ' ')
        clean.len--;
    const char *copy = arena_string(a, buf_bytes(&clean));
    buf_release(&clean);
    return copy;
}

/* How it went, said in words; NULL: it found fault or nothing. */
static const char *trouble_of(int status, const char *said, const char *complained, struct arena *a)
{
    int exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (exit == 0 || (exit == 1 && (*said || !*complained)))
        return NULL;
    const char *end = exit < 0 ? arena_printf(a, "was ended by signal %d", WTERMSIG(status))
                      : exit == 1 ? "ended with status 1, and only its standard error says why"
                                  : arena_printf(a, "ended with status %d, expected 0 or 1", exit);
    return *complained ? arena_printf(a, "%s: %s", end, complained) : end;
}

struct asking {
    const struct redactor *secrets;
    int64_t ms;
    struct execution *e;
    struct user_answer *answers;
};

/* Runs one command about one step. Returns why it gave no answer; NULL: it gave one. */
static const char *ask(struct asking *x, const struct user_command *u, size_t index, struct bytes record)
{
    const char *const argv[] = {"sh", "-c", u->command, NULL};
    struct arena *a = x->e->arena;
    struct buf out, errors;
    struct error *err = NULL;
    const char *trouble = NULL;
    int status = 0;
    buf_init(&out, OUTPUT_MAX);
    buf_init(&errors, OUTPUT_MAX);
    if (subprocess_run(argv, record, x->ms, OUTPUT_MAX, &out, &errors, &status, &err) < 0) {
        trouble = err->code == ERR_LIMIT ? arena_printf(a, "did not end within %lld ms (the setting check.time)", (long long)x->ms)
                                         : arena_string(a, bytes_of_string(err->text));
        error_free(err);
    } else {
        const char *said = first_line(buf_bytes(&out), x->secrets, a);
        trouble = trouble_of(status, said, first_line(buf_bytes(&errors), x->secrets, a), a);
        if (!trouble && status)
            x->answers[x->e->answer_count++] = (struct user_answer){
                .observation = index,
                .check = arena_string(a, bytes_of_string(u->check)),
                .primitive = user_command_primitive(u, x->e->observations[index].step->op),
                .command = arena_string(a, bytes_of_string(u->command)),
                .detail = *said ? said : "the command finds fault with it",
            };
    }
    buf_release(&out);
    buf_release(&errors);
    return trouble;
}

static void ask_all(struct asking *x, size_t index)
{
    const struct user_checks *checks = x->e->user_checks;
    struct buf record;
    buf_init(&record, RECORD_MAX);
    for (size_t k = 0; k < user_checks_count(checks); k++) {
        const struct user_command *u = user_checks_command(checks, k);
        if (!u || !user_command_wants(u, &x->e->observations[index]))
            continue;
        if (!record.len)
            observation_write(&x->e->observations[index], &record);
        user_checks_asked(checks, k, record.overflow ? "the record of the step is longer than 64 MiB" : ask(x, u, index, buf_bytes(&record)));
    }
    buf_release(&record);
}

static size_t command_count(const struct user_checks *checks)
{
    size_t count = 0;
    for (size_t k = 0; k < user_checks_count(checks); k++)
        count += user_checks_command(checks, k) != NULL;
    return count;
}

void user_commands_ask(const struct settings *settings, const struct redactor *secrets, const atomic_int *stop, struct execution *e)
{
    size_t most = e->harness ? 0 : command_count(e->user_checks) * e->count;
    if (!most)
        return;
    struct asking x = {.secrets = secrets,
                       .ms = settings_int(settings, "check.time"),
                       .e = e,
                       .answers = arena_alloc(e->arena, most * sizeof *x.answers)};
    e->answers = x.answers;
    for (size_t i = 0; i < e->count && !(stop && *stop); i++)
        ask_all(&x, i);
}
