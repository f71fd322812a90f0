/* What scripts say. This is reading, not parsing: words that stand for a deed in the languages that steps are
 * written in. A script that hides what it does is not recognised; then a class counts as not armed. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gen/arm/view.h"

enum { AS_GOOD_AS_ENDLESS_MS = 20000 };

static bool is_word_byte(uint8_t c)
{
    return isalnum(c) || c == '_' || c == '-' || c == '.' || c >= 0x80;
}

static bool stands_alone(struct bytes text, size_t at, size_t len)
{
    return (!at || !is_word_byte(text.data[at - 1])) &&
           (at + len == text.len || !is_word_byte(text.data[at + len]));
}

/* Whether one of the words is in the text; alone: nothing that goes on with it stands beside it. */
static bool find_words(struct bytes text, const char *words, bool alone)
{
    for (const char *word = words; *word;) {
        size_t len = strcspn(word, "|");
        struct bytes needle = bytes_of(word, len);
        for (ptrdiff_t at = bytes_find(text, needle, 0); len && at >= 0;
             at = bytes_find(text, needle, (size_t)at + 1))
            if (!alone || stands_alone(text, (size_t)at, len))
                return true;
        word += len + (word[len] == '|');
    }
    return false;
}

bool arm_holds(struct bytes text, const char *words)
{
    return find_words(text, words, false);
}

bool arm_says(const struct arm_step *s, const char *words)
{
    return find_words(s->script, words, false);
}

bool arm_word(const struct arm_step *s, const char *words)
{
    return find_words(s->script, words, true);
}

bool arm_is_shell(const struct arm_step *s)
{
    return bytes_equal_string(s->language, "sh") || bytes_equal_string(s->language, "bash") ||
           (bytes_equal_string(s->language, "argv") && arm_holds(s->script, "sh -c|bash -c"));
}

bool arm_loops(const struct arm_step *s)
{
    return arm_says(s, "for |for(|while |while(|until |seq |range(|.repeat(|xargs|yes |yes|") ||
           (arm_says(s, "* ") && arm_says(s, "print"));
}

bool arm_prints(const struct arm_step *s)
{
    return arm_says(s, "echo|printf|print|cat |stdout|console.log|seq |yes|puts|write(1");
}

/* A single "&" that is neither "&&" nor part of a redirection. */
static bool has_ampersand(struct bytes script)
{
    for (size_t i = 0; i < script.len; i++) {
        char before = i ? (char)script.data[i - 1] : ' ',
             after = i + 1 < script.len ? (char)script.data[i + 1] : '\n';
        if (script.data[i] == '&' && !strchr("&><\\|", before) && after && strchr(" \t\n)};", after))
            return true;
    }
    return false;
}

bool arm_background(const struct arm_step *s)
{
    if (arm_is_shell(s) && (has_ampersand(s->script) || arm_word(s, "nohup|setsid|disown|coproc")))
        return true;
    return arm_says(s,
                    "os.fork(|Popen(|.spawn(|fork()|spawn('|setsid(|daemon(|ProcessBuilder|Command::new") &&
           !arm_says(s, ".communicate(|.wait(|waitpid|os.wait(");
}

bool arm_spawns(const struct arm_step *s)
{
    ptrdiff_t from = bytes_find(s->script, BYTES_LITERAL("do"), 0), to = -1;
    for (ptrdiff_t done = from; done >= 0;
         done = bytes_find(s->script, BYTES_LITERAL("done"), (size_t)done + 1))
        to = done;
    if (arm_is_shell(s))
        return arm_loops(s) && from >= 0 && to > from &&
               has_ampersand(bytes_slice(s->script, (size_t)from, (size_t)to)) && !arm_word(s, "wait");
    return arm_leaves(s) && arm_repeats(s, 2, "Popen(|fork(|spawn(|Process(");
}

bool arm_leaves(const struct arm_step *s)
{
    return arm_background(s) && !(arm_is_shell(s) && arm_word(s, "wait"));
}

/* --- numbers --- */

enum { NAME_DEPTH = 2, BODY_LINES = 3 };
#define AMOUNT_MOST (INT64_C(1) << 50)

static int64_t times(int64_t a, int64_t b)
{
    return a && b > AMOUNT_MOST / a ? AMOUNT_MOST : a * b;
}

static void skip_blanks(struct bytes t, size_t *at)
{
    while (*at < t.len && t.data[*at] == ' ')
        ++*at;
}

static int64_t product_at(struct bytes t, size_t *at, int depth);

/* What the script gives a name: "n = 20 * 1000" or "n=20" at the beginning of a line. */
static int64_t value_of_name(struct bytes t, struct bytes name, int depth)
{
    for (ptrdiff_t at = bytes_find(t, name, 0); at >= 0; at = bytes_find(t, name, (size_t)at + 1)) {
        size_t end = (size_t)at + name.len;
        bool begins = !at || strchr("\n \t;", t.data[at - 1]);
        skip_blanks(t, &end);
        if (!begins || end >= t.len || t.data[end] != '=' || (end + 1 < t.len && t.data[end + 1] == '='))
            continue;
        end++;
        return product_at(t, &end, depth + 1);
    }
    return 0;
}

/* Digits with "_" between them, and K, M or G behind them. */
static int64_t number_at(struct bytes t, size_t *at)
{
    int64_t n = 0;
    for (; *at < t.len && (isdigit(t.data[*at]) || t.data[*at] == '_'); ++*at)
        n = t.data[*at] != '_' && n < AMOUNT_MOST / 16 ? n * 10 + (t.data[*at] - '0') : n;
    const char *unit = *at < t.len && t.data[*at] ? strchr("kKmMgG", t.data[*at]) : NULL;
    return unit ? times(n, INT64_C(1) << 10 * ((unit - "kKmMgG") / 2 + 1)) : n;
}

/* A number, or the value of a name; 0 for anything else. */
static int64_t factor_at(struct bytes t, size_t *at, int depth)
{
    skip_blanks(t, at);
    while (*at < t.len && t.data[*at] && strchr("${\"'(", t.data[*at]))
        ++*at;
    size_t start = *at;
    if (start < t.len && isdigit(t.data[start]))
        return number_at(t, at);
    while (*at < t.len && (isalnum(t.data[*at]) || t.data[*at] == '_'))
        ++*at;
    return *at > start && depth < NAME_DEPTH ? value_of_name(t, bytes_slice(t, start, *at), depth) : 0;
}

/* What stands between two factors. */
static enum sign { SIGN_END, SIGN_TIMES, SIGN_POWER, SIGN_SHIFT } sign_at(struct bytes t, size_t *at)
{
    skip_blanks(t, at);
    struct bytes two = bytes_slice(t, *at, *at + 2);
    enum sign found = bytes_equal_string(two, "<<")   ? SIGN_SHIFT
                      : bytes_equal_string(two, "**") ? SIGN_POWER
                      : two.len && two.data[0] == '*' ? SIGN_TIMES
                                                      : SIGN_END;
    *at += found == SIGN_END ? 0 : found == SIGN_TIMES ? 1 : 2;
    return found;
}

static int64_t power_of(int64_t base, int64_t exponent)
{
    int64_t n = 1;
    for (int64_t i = 0; i < exponent && n && n < AMOUNT_MOST; i++)
        n = times(n, base);
    return n;
}

static int64_t product_at(struct bytes t, size_t *at, int depth)
{
    int64_t n = factor_at(t, at, depth);
    for (enum sign sign; (sign = sign_at(t, at)) != SIGN_END;) {
        int64_t factor = factor_at(t, at, depth);
        if (sign == SIGN_POWER)
            n = power_of(n, factor);
        else if (sign == SIGN_SHIFT)
            n = times(n, factor < 50 ? INT64_C(1) << factor : AMOUNT_MOST);
        else if (factor > 0) /* "* size" of a name that nothing tells counts once */
            n = times(n, factor);
    }
    return n;
}

/* The largest of "a, b + 1, c" up to the end of the arguments. */
static int64_t largest_at(struct bytes t, size_t at)
{
    int64_t most = 0;
    for (size_t start = at;; start = at) {
        int64_t n = product_at(t, &at, 0);
        most = n > most ? n : most;
        skip_blanks(t, &at);
        if (at < t.len && at > start && (isdigit(t.data[at]) || t.data[at] == '$'))
            continue; /* seq 1 20000 */
        if (at >= t.len || !t.data[at] || !strchr(",+-.", t.data[at]))
            return most;
        at++;
    }
}

/* The line that begins a loop, and the first lines of its body. */
static struct bytes loop_around(struct bytes script, size_t at)
{
    size_t from = at, to = at;
    while (from && script.data[from - 1] != '\n')
        from--;
    for (int lines = 0; to < script.len && lines < BODY_LINES; to++)
        lines += script.data[to] == '\n';
    return bytes_slice(script, from, to);
}

/* The largest number behind one of the words; only where one of the deeds stands near it, unless NULL. */
static int64_t amount(struct bytes script, const char *words, const char *deeds)
{
    int64_t most = 0;
    for (const char *word = words; *word;) {
        size_t len = strcspn(word, "|");
        struct bytes needle = bytes_of(word, len);
        for (ptrdiff_t at = bytes_find(script, needle, 0); len && at >= 0;
             at = bytes_find(script, needle, (size_t)at + 1)) {
            if (deeds && !arm_holds(loop_around(script, (size_t)at), deeds))
                continue;
            int64_t n = largest_at(script, (size_t)at + len);
            most = n > most ? n : most;
        }
        word += len + (word[len] == '|');
    }
    return most;
}

int64_t arm_amount(const struct arm_step *s, const char *words)
{
    return amount(s->script, words, NULL);
}

int64_t arm_line_amount(const struct arm_step *s, const char *deeds, const char *words)
{
    int64_t most = 0;
    for (size_t from = 0, to; from < s->script.len; from = to + 1) {
        ptrdiff_t end = bytes_find(s->script, BYTES_LITERAL("\n"), from);
        to = end < 0 ? s->script.len : (size_t)end;
        struct bytes line = bytes_slice(s->script, from, to);
        int64_t n = arm_holds(line, deeds) ? amount(line, words, NULL) : 0;
        most = n > most ? n : most;
    }
    return most;
}

#define ROUNDS "range(|seq |-lt |-le |{1..|{0..|1..|0..|.repeat(|i<|i <|n <|k <|j <|i <="

int64_t arm_rounds(const struct arm_step *s)
{
    return amount(s->script, ROUNDS, NULL);
}

bool arm_repeats(const struct arm_step *s, int64_t least, const char *deeds)
{
    return s->op & OPS_PROGRAM && amount(s->script, ROUNDS, deeds) >= least;
}

/* Milliseconds after `word`, the longest; -1 when there is none. */
static int64_t time_after(struct bytes script, const char *word, int64_t unit)
{
    int64_t longest = -1;
    struct bytes needle = bytes_of_string(word);
    for (ptrdiff_t at = bytes_find(script, needle, 0); at >= 0;
         at = bytes_find(script, needle, (size_t)at + 1)) {
        char text[24] = "";
        size_t from = (size_t)at + needle.len, len = 0;
        while (len + 1 < sizeof text && from + len < script.len &&
               (isdigit(script.data[from + len]) || script.data[from + len] == '.'))
            len++;
        if (!len)
            continue;
        memcpy(text, script.data + from, len);
        int64_t ms = (int64_t)(strtod(text, NULL) * (double)unit);
        longest = ms > longest ? ms : longest;
    }
    return longest;
}

/* How long a loop goes on that a clock or the number of its rounds ends, each of which sleeps. */
static int64_t loop_ms(const struct arm_step *s)
{
    int64_t clock = arm_says(s, "while time.monotonic() < end") ? time_after(s->script, "time.monotonic() + ", 1000) : 0;
    int64_t shell = time_after(s->script, "sleep ", 1000), python = time_after(s->script, "sleep(", 1000);
    int64_t round = shell > python ? shell : python, rounds = amount(s->script, "$(seq |range(", "sleep");
    int64_t counted = round > 0 && rounds < INT32_MAX && round < INT32_MAX ? round * rounds : 0;
    return clock > counted ? clock : counted;
}

/* A loop that nothing in the script ends soon: templates bound every loop, so that none outlives its session for long. */
static bool is_endless(const struct arm_step *s)
{
    return arm_says(s, "sleep infinity|tail -f|signal.pause()") ||
           ((loop_ms(s) >= AS_GOOD_AS_ENDLESS_MS ||
             arm_says(s, "while :;|while :\n|while true|while True|while 1|while(1)|while (1)|for "
                         "(;;)|for(;;)|while(true)|while (true)|loop {")) &&
            !arm_says(s, "break|return|StopIteration"));
}

int64_t arm_duration(const struct arm_step *s)
{
    static const struct {
        const char *word;
        int64_t unit;
    } sleeps[] = {
        {"sleep ", 1000}, {"sleep(", 1000}, {"sleep', '", 1000}, {"sleep\", \"", 1000}, {"from_secs(", 1000}};
    bool in_ms = bytes_equal_string(s->language, "java");
    int64_t longest = 0;
    if (arm_word(s, "timeout") || arm_says(s, "timeout=")) /* it ends itself */
        return 0;
    if (is_endless(s))
        return INT64_MAX;
    for (size_t i = 0; i < sizeof sleeps / sizeof *sleeps; i++) {
        int64_t ms = time_after(s->script, sleeps[i].word, in_ms ? 1 : sleeps[i].unit);
        longest = ms > longest ? ms : longest;
    }
    return longest;
}

bool arm_overruns(const struct arm_step *s)
{
    return s->step->timeout_ms > 0 && arm_duration(s) > s->step->timeout_ms;
}

/* Whether a command begins there: at the start, behind what ends or joins commands, or behind "if". */
static bool begins_command(struct bytes script, size_t at)
{
    while (at && (script.data[at - 1] == ' ' || script.data[at - 1] == '\t'))
        at--;
    return !at || strchr("\n;&({", script.data[at - 1]) ||
           (at >= 2 && memcmp(script.data + at - 2, "if", 2) == 0);
}

bool arm_commands(const struct arm_step *s, const char *words)
{
    bool argv = bytes_equal_string(s->language, "argv");
    if (!argv && !arm_is_shell(s))
        return false;
    for (const char *word = words; *word;) {
        size_t len = strcspn(word, "|");
        struct bytes needle = bytes_of(word, len);
        for (ptrdiff_t at = bytes_find(s->script, needle, 0); len && at >= 0;
             at = bytes_find(s->script, needle, (size_t)at + 1))
            if (stands_alone(s->script, (size_t)at, len) &&
                (argv && !arm_is_shell(s) ? at == 0 : begins_command(s->script, (size_t)at)))
                return true;
        word += len + (word[len] == '|');
    }
    return false;
}

/* "cat" or "read x" at the start of a command, with nothing piped or redirected into it. */
static bool command_reads(struct bytes script, const char *command)
{
    struct bytes needle = bytes_of_string(command);
    for (ptrdiff_t at = bytes_find(script, needle, 0); at >= 0;
         at = bytes_find(script, needle, (size_t)at + 1)) {
        size_t to = (size_t)at + needle.len, end = to;
        while (end < script.len && script.data[end] != '\n' && script.data[end] != ';' &&
               script.data[end] != '|')
            end++;
        struct bytes rest = bytes_slice(script, to, end);
        bool bare = !arm_holds(rest, "<");
        if (needle.data[needle.len - 1] != ' ')
            while (rest.len && bare && rest.data[0] != '>' && rest.data[0] != '&' && rest.data[0] != ')') {
                bare = rest.data[0] == ' ';
                rest = bytes_slice(rest, 1, rest.len);
            }
        if (bare && begins_command(script, (size_t)at))
            return true;
    }
    return false;
}

/* Programs that read standard input when they get these words and no others. */
static bool argv_reads(const struct arm_step *s)
{
    static const char *const whole[] = {"cat",     "cat -",     "sort",   "wc", "sh",
                                        "python3", "python3 -", "node -", NULL};
    for (size_t i = 0; whole[i]; i++)
        if (bytes_equal_string(s->script, whole[i]))
            return true;
    return arm_is_shell(s) && (command_reads(s->script, "cat") || arm_says(s, "'read |c read |; read "));
}

static bool shell_reads(const struct arm_step *s)
{
    static const char *const commands[] = {"cat", "read ", "read -", "python3 -\n", NULL};
    if (arm_says(s, "done <|exec <"))
        return false;
    for (size_t i = 0; commands[i]; i++)
        if (command_reads(s->script, commands[i]))
            return true;
    return arm_says(s, "input(|sys.stdin");
}

bool arm_reads_input(const struct arm_step *s)
{
    if (!(s->op & OPS_PROGRAM) || s->input.present)
        return false;
    if (bytes_equal_string(s->language, "argv"))
        return argv_reads(s);
    if (arm_is_shell(s))
        return shell_reads(s);
    return arm_says(s,
                    "input(|sys.stdin|stdin.read|fgets(|getchar(|scanf(|System.in|process.stdin|io::stdin");
}

bool arm_serves(const struct arm_step *s)
{
    return s->op & OP(SERVE) ||
           (s->op & OPS_PROGRAM && arm_says(s, "http.server|server.py|HTTPServer|.listen(|socketserver|nc "
                                               "-l|createServer|.bind((|TcpListener|ServerSocket|"
                                               "http-server|flask run|uvicorn|socat "));
}
