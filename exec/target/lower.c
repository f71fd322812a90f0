/* The engine of lowering: finds the row, wraps its commands for the channel, unwraps their answers.
 *
 * Packed, an answer is one line "MARK exit base64(stdout) base64(stderr) MARK" somewhere in what came back;
 * MARK is made up for each call, so that no file's content can be mistaken for one. */
#include "exec/target/lower_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/encode.h"
#include "base/hash.h"

enum { SCRIPT_MAX = 128 * 1024, ERR_KEPT = 4096, PLAIN = RUN_BINARY | RUN_SPLIT | RUN_EXIT };

/* --- finding rows --- */

static unsigned channel_of(struct session *s)
{
    return s->driver->run_channel ? s->driver->run_channel(s) : 0;
}

/* One of the words of a row's need. */
static bool has(struct session *s, const char *word, size_t length)
{
    char name[64];
    if (length >= sizeof name)
        return false;
    memcpy(name, word, length);
    name[length] = '\0';
    return (s->driver->helper && s->driver->helper(s, name)) || s->driver->supports(s, name) == SUPPORT_NATIVE;
}

static bool suits(struct session *s, const struct lower_row *row)
{
    for (const char *word = row->need; *word;) {
        size_t length = strcspn(word, " ");
        if (!has(s, word, length))
            return false;
        word += length + (word[length] == ' ');
    }
    return (row->channel & ~channel_of(s)) == 0;
}

/* The first row of the op for what the session has. */
static const struct lower_row *find(struct session *s, const char *op)
{
    static const struct lower_row *const tables[] = {lower_file_rows, lower_change_rows, lower_job_rows, lower_net_rows,
                                                     lower_page_rows};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct lower_row *row = tables[i]; row->op; row++)
            if (strcmp(row->op, op) == 0 && suits(s, row))
                return row;
    return NULL;
}

bool lower_supports(struct session *s, const char *op)
{
    return find(s, op) != NULL;
}

struct lowered *lower_begin(struct session *s, struct call *call)
{
    static unsigned serial;
    struct lowered *l = arena_alloc(call->arena, sizeof *l);
    uint64_t number = hash64_mix((uint64_t)clock_monotonic_ns(),
                                 __atomic_fetch_add(&serial, 1, __ATOMIC_RELAXED));
    l->s = s;
    l->call = call;
    l->a = call->arena;
    l->channel = channel_of(s);
    l->packed = (l->channel & PLAIN) != PLAIN;
    l->row = find(s, call->op->name);
    snprintf(l->mark, sizeof l->mark, "tg%016llx", (unsigned long long)number);
    l->row->begin(l);
    return l;
}

/* --- commands --- */

static struct bytes keep(struct lowered *l, struct buf *b)
{
    struct bytes kept = arena_copy(l->a, buf_bytes(b));
    buf_release(b);
    return kept;
}

static void set_command(struct lowered *l, const char *op, const char *language, struct bytes script)
{
    l->sub_op = ops_find(l->s->target->options.ops, op);
    l->sub_args = json_new(l->a, JSON_OBJECT);
    json_set(l->a, l->sub_args, "language", json_text(l->a, language));
    json_set(l->a, l->sub_args, "script", json_string(l->a, script));
    l->ready = l->sub_op != NULL;
    if (!l->ready)
        call_skip(l->call, "there is no op to lower it to");
}

void lower_op(struct lowered *l, const char *op, struct json *args)
{
    const struct op *helper = l->s->driver->helper ? l->s->driver->helper(l->s, op) : NULL;
    l->sub_op = helper ? helper : ops_find(l->s->target->options.ops, op);
    l->sub_args = args;
    l->ready = l->sub_op != NULL;
    if (!l->ready)
        call_skip(l->call, "there is no op to lower it to");
}

void lower_shell(struct lowered *l, struct buf *script, const struct bytes *input)
{
    struct buf whole;
    buf_init(&whole, 2 * SCRIPT_MAX);
    if (l->packed) {
        buf_addf(&whole, "t=${TMPDIR:-/tmp}; [ -w \"$t\" ] || t=.; t=$t/.%s; ( ", l->mark);
        buf_add(&whole, buf_bytes(script));
        buf_addf(&whole,
                 "\n) >\"$t.o\" 2>\"$t.e\"; s=$?\n"
                 "printf '\\n%s %%s ' \"$s\"; base64 <\"$t.o\" | tr -d '\\n'; printf ' '; "
                 "head -c %d \"$t.e\" | base64 | tr -d '\\n'; printf ' %s\\n'; rm -f \"$t.o\" \"$t.e\"",
                 l->mark, ERR_KEPT, l->mark);
    } else {
        buf_add(&whole, buf_bytes(script));
    }
    bool fits = !script->overflow && !whole.overflow && whole.len < SCRIPT_MAX;
    buf_release(script);
    if (!fits) {
        buf_release(&whole);
        call_skip(l->call, "its arguments are longer than a command may be");
        return;
    }
    set_command(l, "run", "sh", keep(l, &whole));
    if (input)
        json_set(l->a, l->sub_args, "stdin", json_string(l->a, *input));
}

void lower_python(struct lowered *l, const char *code)
{
    static const char plain[] = "def done(s, o, e):\n"
                                "    sys.stdout.buffer.write(o); sys.stdout.flush()\n"
                                "    sys.stderr.buffer.write(e); sys.stderr.flush()\n"
                                "    sys.exit(s)\n";
    const char *define = plain;
    if (l->packed)
        define = arena_printf(l->a,
                              "def done(s, o, e):\n"
                              "    b = lambda x: base64.b64encode(x).decode()\n"
                              "    print('\\n%s %%d %%s %%s %s' %% (s, b(o), b(e)))\n",
                              l->mark, l->mark);
    struct buf whole;
    buf_init(&whole, 2 * SCRIPT_MAX);
    buf_addf(&whole, "import sys, os, base64\n%s%s", define, code);
    if (whole.len >= SCRIPT_MAX) {
        buf_release(&whole);
        call_skip(l->call, "its arguments are longer than a command may be");
        return;
    }
    set_command(l, "run", "python", keep(l, &whole));
}

void lower_start(struct lowered *l, struct buf *script)
{
    set_command(l, "start", "sh", keep(l, script));
}

static bool is_page_op(const struct op *op)
{
    return strcmp(op->group, "browser") == 0;
}

bool lower_next(struct lowered *l, struct call *sub)
{
    if (!l->ready)
        return false;
    l->ready = false;
    int64_t left = call_time_left(l->call);
    if (left <= 0) {
        call_fail(l->call, OUTCOME_TIMEOUT, 0, "no time left for another command");
        return false;
    }
    *sub = (struct call){
        .op = l->sub_op, .args = l->sub_args, .timeout_ms = left, .cancel_after_ms = -1, .arena = l->a};
    if (is_page_op(l->sub_op))
        sub->path_as = l->call->path_as;
    if (l->call->cancel_after_ms >= 0) {
        int64_t gone = l->call->timeout_ms - left;
        sub->cancel_after_ms = gone < l->call->cancel_after_ms ? l->call->cancel_after_ms - gone : 0;
    }
    call_begin(sub);
    return true;
}

/* --- answers --- */

/* One field up to a space; false at the end of the text. */
static bool take_field(struct bytes text, size_t *at, struct bytes *field)
{
    const uint8_t *end = *at < text.len ? memchr(text.data + *at, ' ', text.len - *at) : NULL;
    if (!end)
        return false;
    *field = bytes_slice(text, *at, (size_t)(end - text.data));
    *at = (size_t)(end - text.data) + 1;
    return true;
}

static bool decode(struct lowered *l, struct bytes text, struct bytes *data)
{
    struct buf b;
    buf_init(&b, text.len);
    bool good = base64_decode(&b, text) == 0;
    *data = good ? keep(l, &b) : BYTES_NONE;
    buf_release(&b);
    return good;
}

static bool unpack(struct lowered *l, struct bytes text, struct lower_answer *answer)
{
    struct bytes mark = bytes_of_string(l->mark), status, out, err;
    ptrdiff_t from = -1;
    /* The first mark that an answer follows: a server may show the command as well. */
    while ((from = bytes_find(text, mark, (size_t)(from + 1))) >= 0) {
        size_t at = (size_t)from + mark.len + 1;
        if (!take_field(text, &at, &status) || !take_field(text, &at, &out) || !take_field(text, &at, &err))
            continue;
        if (!bytes_starts(bytes_slice(text, at, text.len), mark) || !status.len || status.len > 3)
            continue;
        bool number = true;
        answer->exit = 0;
        for (size_t i = 0; i < status.len; i++) {
            number &= status.data[i] >= '0' && status.data[i] <= '9';
            answer->exit = answer->exit * 10 + (status.data[i] - '0');
        }
        if (number && decode(l, out, &answer->out) && decode(l, err, &answer->err))
            return true;
    }
    return false;
}

static bool plain_answer(const struct call *sub, struct lower_answer *answer)
{
    int64_t status = 0;
    const struct json *result = sub->outcome.result;
    if (sub->outcome.has_exit)
        status = sub->outcome.exit;
    else if (!json_as_integer(json_get(result, "exit"), &status))
        return false;
    answer->exit = (int)status;
    answer->out = json_as_text(json_get(result, "stdout"));
    answer->err = json_as_text(json_get(result, "stderr"));
    return true;
}

static bool read_answer(struct lowered *l, const struct call *sub, struct lower_answer *answer)
{
    *answer = (struct lower_answer){.result = sub->outcome.result, .raw = sub->outcome.raw};
    if (strcmp(sub->op->name, "start") == 0 || strcmp(sub->op->name, "poll") == 0 || is_page_op(sub->op))
        return sub->outcome.class == OUTCOME_OK;
    if (l->packed) {
        struct bytes out = json_as_text(json_get(sub->outcome.result, "stdout"));
        return unpack(l, out, answer) || unpack(l, sub->outcome.raw, answer) ||
               unpack(l, sub->outcome.message, answer);
    }
    return sub->outcome.class == OUTCOME_OK && plain_answer(sub, answer);
}

void lower_reply(struct lowered *l, const struct call *sub)
{
    struct outcome *o = &l->call->outcome;
    const struct outcome *from = &sub->outcome;
    struct lower_answer answer;
    o->bytes_in += from->bytes_in;
    o->bytes_out += from->bytes_out;
    o->replies = from->replies;
    o->truncated |= from->truncated;
    l->step++;
    if (is_page_op(sub->op))
        o->raw = from->raw; /* it may speak of more than the op asks for: a dialog, a download */
    /* A server may call it an error when a command fails, and still say all we asked for. */
    if (read_answer(l, sub, &answer)) {
        if (l->row->reply)
            l->row->reply(l, &answer);
        else if (answer.exit == 0)
            lower_done(l);
        else
            lower_fail(l, &answer);
    } else if (from->class == OUTCOME_OK) {
        call_fail(l->call, OUTCOME_TRANSPORT_ERROR, 0, "the answer of the command cannot be read");
        o->raw = from->raw;
    } else {
        o->class = from->class;
        o->code = from->code;
        o->message = from->message;
        o->raw = from->raw;
        o->skip_reason = from->skip_reason;
        o->signal = from->signal;
    }
}

void lower_done(struct lowered *l)
{
    l->call->outcome.class = OUTCOME_OK;
    call_result(l->call);
}

void lower_fail(struct lowered *l, const struct lower_answer *answer)
{
    struct bytes text = answer->err;
    while (text.len && (text.data[text.len - 1] == '\n' || text.data[text.len - 1] == '\r'))
        text.len--;
    call_fail(l->call, OUTCOME_TOOL_ERROR, lower_errno(text), "exit status %d", answer->exit);
    if (text.len)
        l->call->outcome.message = arena_copy(l->a, bytes_slice(text, 0, 65536));
    l->call->outcome.has_exit = true;
    l->call->outcome.exit = answer->exit;
}
