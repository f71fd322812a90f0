/* Programs with a time limit; see deadline.h. Scripts are read without a shell: what has a quote, a variable, a pipe or another
 * command than those that are known is no script of these kinds. */
#include "exec/oracle/deadline.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 200, LOOP_LEAST_S = 20 };

/* --- scripts --- */

static bool is_shell(const struct observation *o)
{
    struct bytes language = observation_argument(o, "language");
    return observation_is(o, "run") && (bytes_equal_string(language, "sh") || bytes_equal_string(language, "bash"));
}

static bool has_any(struct bytes text, const char *characters)
{
    for (size_t i = 0; i < text.len; i++)
        if (!text.data[i] || strchr(characters, text.data[i]))
            return true;
    return false;
}

static struct bytes trimmed(struct bytes b)
{
    size_t from = 0, to = b.len;
    while (from < to && isspace(b.data[from]))
        from++;
    while (to > from && isspace(b.data[to - 1]))
        to--;
    return bytes_slice(b, from, to);
}

/* What follows the command's name; none when it is another. */
static struct bytes argument_of(struct bytes command, const char *name)
{
    size_t length = strlen(name);
    bool is = command.len > length && bytes_starts(command, bytes_of_string(name)) && command.data[length] == ' ';
    return is ? trimmed(bytes_slice(command, length, command.len)) : BYTES_NONE;
}

static bool read_seconds(struct bytes text, double *seconds)
{
    char digits[16];
    if (!text.len || text.len >= sizeof digits)
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (!isdigit(text.data[i]) && text.data[i] != '.')
            return false;
    memcpy(digits, text.data, text.len);
    digits[text.len] = '\0';
    *seconds = strtod(digits, NULL);
    return *seconds > 0;
}

/* What echo prints as it stands. */
static bool is_plain_word(struct bytes word)
{
    for (size_t i = 0; i < word.len; i++)
        if (!(isalnum(word.data[i]) || (i > 0 && strchr("-_.", word.data[i]))))
            return false;
    return word.len > 0 && word.len <= WORD_MAX;
}

/* One command of a sleeper; false when it is none of the two. */
static bool take_command(struct sleeper *s, struct bytes command)
{
    struct bytes last = argument_of(command, "exec"); /* what the shell becomes; only a sleep */
    struct bytes said = argument_of(command, "echo"), time = argument_of(last.len ? last : command, "sleep");
    double seconds;
    if (time.len) {
        if (!read_seconds(time, &seconds))
            return false;
        s->slept_s += seconds;
        s->to_file_s += s->word.len && !s->writes ? seconds : 0;
        return true;
    }
    ptrdiff_t to = said.len ? bytes_find(said, BYTES_LITERAL(">"), 0) : -1;
    if (to >= 0)
        s->writes = s->writes || s->word.len;
    else if (!s->word.len && s->slept_s <= 0 && is_plain_word(said))
        s->word = said;
    return said.len > 0;
}

bool sleeper_of(const struct observation *o, struct sleeper *s)
{
    struct bytes script = observation_argument(o, "script");
    *s = (struct sleeper){0};
    if (!is_shell(o) || !script.len || has_any(script, "'\"`$\\|&(){}<*?[]~#"))
        return false;
    for (size_t from = 0, at = 0; at <= script.len; at++) {
        if (at < script.len && script.data[at] != '\n' && script.data[at] != ';')
            continue;
        struct bytes command = trimmed(bytes_slice(script, from, at));
        if (command.len && !take_command(s, command))
            return false;
        from = at + 1;
    }
    return s->slept_s > 0;
}

bool puts_into_background(const struct observation *o)
{
    static const char *const words[] = {"nohup", "setsid", "disown", "daemon", "start_new_session", "Popen", "spawn", "detach"};
    struct bytes script = observation_script(o);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (bytes_find(script, bytes_of_string(words[i]), 0) >= 0)
            return true;
    /* A single &, which is neither && nor part of a redirection like 2>&1 or &>. */
    for (size_t i = 0; i < script.len; i++) {
        uint8_t before = i > 0 ? script.data[i - 1] : 0, after = i + 1 < script.len ? script.data[i + 1] : 0;
        if (script.data[i] == '&' && before != '&' && before != '>' && before != '<' && after != '&' && after != '>')
            return true;
    }
    return false;
}

static size_t times_in(struct bytes text, const char *word)
{
    size_t count = 0;
    for (ptrdiff_t at = 0; (at = bytes_find(text, bytes_of_string(word), (size_t)at)) >= 0; at++)
        count++;
    return count;
}

/* What a loop goes through again and again, and how often; none: it is no loop of these. */
static struct bytes loop_body(struct bytes script, double *rounds)
{
    static const char *const endless[] = {"while :; do ", "while true; do "};
    static const char counted[] = "for i in $(seq ", begin[] = "); do ";
    for (size_t i = 0; i < sizeof endless / sizeof *endless; i++)
        if (bytes_starts(script, bytes_of_string(endless[i]))) {
            *rounds = 1e9;
            return bytes_slice(script, strlen(endless[i]), script.len);
        }
    ptrdiff_t at = bytes_find(script, bytes_of_string(begin), 0);
    bool is = at > 0 && bytes_starts(script, bytes_of_string(counted)) &&
              read_seconds(bytes_slice(script, strlen(counted), (size_t)at), rounds);
    return is ? bytes_slice(script, (size_t)at + strlen(begin), script.len) : BYTES_NONE;
}

bool heartbeat_of(const struct observation *o, double *every_s)
{
    double rounds = 0;
    struct bytes body = loop_body(trimmed(observation_argument(o, "script")), &rounds);
    ptrdiff_t sleep = bytes_find(body, BYTES_LITERAL("; sleep "), 0), done = bytes_find(body, BYTES_LITERAL("; done"), 0);
    if (!is_shell(o) || !bytes_starts(body, BYTES_LITERAL("echo ")) || sleep < 0 || done < sleep ||
        has_any(body, "\n'\"`$\\&(){}<*?[]~#") || times_in(body, "echo") != 1 || times_in(body, "sleep") != 1)
        return false;
    struct bytes rest = trimmed(bytes_slice(body, (size_t)done + strlen("; done"), body.len));
    bool through = rest.len == 0 || bytes_starts(rest, BYTES_LITERAL("| tee "));
    return through && times_in(rest, "|") == (rest.len > 0) &&
           read_seconds(trimmed(bytes_slice(body, (size_t)sleep + strlen("; sleep "), (size_t)done)), every_s) &&
           rounds * *every_s >= LOOP_LEAST_S;
}

static size_t lines_in(const struct file_view *v)
{
    return v->by != WITNESS_NONE && v->exists && v->have_data ? times_in(v->data, "\n") : 0;
}

double heartbeat_seen(const struct execution *e, size_t index, double every_s)
{
    const struct deadline_view *v = &e->observations[index].deadline;
    struct bytes path = BYTES_NONE;
    for (size_t i = 0; i < e->final_count && !path.len; i++)
        if (e->finals[i].path.len && bytes_find(observation_script(&e->observations[index]), e->finals[i].path, 0) >= 0)
            path = e->finals[i].path;
    size_t before = lines_in(&v->before), after = lines_in(&v->file);
    if (!v->looked || !path.len || after <= before + 1 || background_touches(e, index, path))
        return 0;
    return (double)(after - before - 1) * every_s;
}

/* --- calls and replies --- */

bool limited_run(const struct execution *e, size_t index)
{
    const struct observation *o = &e->observations[index];
    return observation_is(o, "run") && !o->in_group && o->step->timeout_ms > 0 && o->outcome.told_ms > 0 &&
           !observation_mutated(o) && !o->outcome.fault && !o->outcome.lowered && !o->outcome.truncated;
}

bool answered_at_limit(const struct observation *o)
{
    bool answered = o->outcome.class == OUTCOME_OK || observation_refused(o);
    int64_t told = o->outcome.told_ms;
    return answered && o->outcome.ns / 1000000 >= told - told / 5;
}

/* Both in lower case, with _ and - as blanks, since a member of a result may be called "timed_out". */
static bool same_text(uint8_t a, char b)
{
    int letter = tolower(a);
    return (letter == '_' || letter == '-' ? ' ' : letter) == b;
}

/* Where the word stands next; -1. */
static ptrdiff_t find_word(struct bytes text, const char *word, size_t from)
{
    size_t length = strlen(word);
    for (size_t at = from; at + length <= text.len; at++) {
        size_t i = 0;
        while (i < length && same_text(text.data[at + i], word[i]))
            i++;
        if (i == length)
            return (ptrdiff_t)at;
    }
    return -1;
}

/* What stands behind it takes it back: "timed_out": false. */
static bool denied(struct bytes text, size_t at)
{
    static const char *const noes[] = {"false", "no", "null", "0"};
    while (at < text.len && strchr("\"': =\t", text.data[at]) && text.data[at])
        at++;
    for (size_t i = 0; i < sizeof noes / sizeof *noes; i++)
        if (bytes_starts(bytes_slice(text, at, text.len), bytes_of_string(noes[i])))
            return true;
    return false;
}

static bool text_says(struct bytes text, const char *word)
{
    for (ptrdiff_t at = 0; (at = find_word(text, word, (size_t)at)) >= 0; at++)
        if (!denied(text, (size_t)at + strlen(word)))
            return true;
    return false;
}

/* One of the words stands in the reply and not in the script. */
static bool reply_says(const struct observation *o, const char *const *words)
{
    struct bytes script = observation_script(o);
    for (; *words; words++) {
        bool own = find_word(script, *words, 0) >= 0;
        if (!own && (text_says(o->outcome.message, *words) || text_says(o->outcome.raw, *words)))
            return true;
    }
    return false;
}

bool reply_says_time(const struct observation *o)
{
    static const char *const words[] = {"timed out", "timedout", "timeout after", "timeout exceeded", "timeout expired",
                                        "timeout reached", "time out", "time limit", "deadline", "exceeded timeout",
                                        "execution timeout", "timeouterror", "timeoutexpired", "took too long", NULL};
    return reply_says(o, words);
}

bool reply_says_ended(const struct observation *o)
{
    static const char *const words[] = {"killed", "terminated", "sigterm", "sigkill", "aborted", "was stopped", NULL};
    bool by_status = o->outcome.has_exit && (o->outcome.exit == 124 || o->outcome.exit == 137 || o->outcome.exit == 143);
    return by_status || o->outcome.signal || reply_says(o, words);
}

bool reply_says_goes_on(const struct observation *o)
{
    static const char *const words[] = {"still running", "running in", "in the background", "in background", "continues",
                                        "goes on", "keeps running", "not finished", "poll", "is running", NULL};
    return reply_says(o, words);
}

bool reply_has(const struct observation *o, struct bytes text)
{
    static const char *const members[] = {"stdout", "stderr", "content"};
    bool present;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (bytes_find(observation_result(o, members[i], &present), text, 0) >= 0)
            return true;
    return bytes_find(o->outcome.raw, text, 0) >= 0 || bytes_find(o->outcome.message, text, 0) >= 0;
}
