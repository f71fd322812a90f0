/* Splitting names into words and matching them with patterns; see map_words.h.
 *
 * Everything here is a few comparisons of short strings: a server has tens of tools, a tool tens of
 * parameters. */
#include "exec/target/map_words.h"

#include <ctype.h>
#include <string.h>

/* How much worse a strange word is than one that is only foreign. */
static const double strange_factor = 5;

/* Words that servers write together with another one. A word that is here itself is never split. */
static const char *const known[] = {
    "append",   "arg",     "args",      "argument", "base64",  "byte",    "bytes",  "cmd",        "code",
    "command",  "content", "copy",      "create",   "data",    "delete",  "dest",   "dir",        "directory",
    "download", "edit",    "end",       "env",      "exec",    "execute", "file",   "filesystem", "find",
    "folder",   "get",     "id",        "info",     "job",     "kill",    "lang",   "language",   "length",
    "line",     "list",    "make",      "mkdir",    "ms",      "move",    "name",   "new",        "offset",
    "old",      "output",  "overwrite", "path",     "pattern", "pid",     "poll",   "process",    "put",
    "read",     "remove",  "rename",    "replace",  "run",     "save",    "script", "search",     "sec",
    "second",   "session", "shell",     "source",   "start",   "stat",    "stdin",  "stop",       "str",
    "string",   "symlink", "target",    "terminal", "text",    "timeout", "type",   "upload",     "url",
    "wait",     "work",    "working",   "write",
};

static bool is_known(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i]) == length && memcmp(known[i], word, length) == 0)
            return true;
    return false;
}

/* Cuts a plural ending; both sides of every comparison go through here, so a wrong stem does no harm. */
static size_t singular_length(const char *word, size_t length, bool *ies)
{
    *ies = length > 4 && memcmp(word + length - 3, "ies", 3) == 0;
    if (*ies)
        return length - 2;
    if (length > 3 && word[length - 1] == 's' && word[length - 2] != 's')
        return length - 1;
    return length;
}

static void add_word(struct words *w, const char *word, size_t length)
{
    if (!length || w->count == WORDS_MAX)
        return;
    if (length >= WORD_SIZE)
        length = WORD_SIZE - 1;
    bool ies;
    size_t keep = singular_length(word, length, &ies);
    char *to = w->word[w->count++];
    memcpy(to, word, keep);
    if (ies)
        to[keep - 1] = 'y';
    to[keep] = '\0';
}

static void add_split(struct words *w, const char *word, size_t length)
{
    for (size_t at = 2; !is_known(word, length) && at + 2 <= length; at++) {
        if (is_known(word, at) && is_known(word + at, length - at)) {
            add_word(w, word, at);
            add_word(w, word + at, length - at);
            return;
        }
    }
    add_word(w, word, length);
}

/* Does a new word start at `at` although no separator stands there? */
static bool case_changes(struct bytes name, size_t at)
{
    if (at == 0 || !isupper(name.data[at]))
        return false;
    if (islower(name.data[at - 1]) || isdigit(name.data[at - 1]))
        return true;
    return isupper(name.data[at - 1]) && at + 1 < name.len && islower(name.data[at + 1]);
}

void words_split(struct words *w, struct bytes name)
{
    *w = (struct words){0};
    char word[64];
    size_t length = 0;
    for (size_t i = 0; i < name.len && i < 256; i++) {
        bool letter = name.data[i] < 128 && isalnum(name.data[i]);
        if (!letter || case_changes(name, i)) {
            add_split(w, word, length);
            length = 0;
        }
        if (letter && length < sizeof word)
            word[length++] = (char)tolower(name.data[i]);
    }
    add_split(w, word, length);
}

static bool same_word(const char *word, const char *other, size_t length)
{
    bool ies;
    size_t keep = singular_length(other, length, &ies);
    if (strlen(word) != keep || strncmp(word, other, keep - (ies ? 1 : 0)) != 0)
        return false;
    return !ies || word[keep - 1] == 'y';
}

/* Is word one of the alternatives in text[0..length)? */
static bool word_in_range(const char *word, const char *text, size_t length)
{
    for (size_t from = 0; from < length;) {
        size_t to = from;
        while (to < length && text[to] != '|')
            to++;
        if (to > from && same_word(word, text + from, to - from))
            return true;
        from = to + 1;
    }
    return false;
}

bool word_in(const char *word, const char *alternatives)
{
    return word_in_range(word, alternatives, strlen(alternatives));
}

bool words_have(const struct words *w, const char *alternatives)
{
    for (size_t i = 0; i < w->count; i++)
        if (word_in(w->word[i], alternatives))
            return true;
    return false;
}

void words_drop(struct words *w, const char *alternatives)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->count; i++) {
        if (word_in(w->word[i], alternatives))
            continue;
        if (kept != i)
            memcpy(w->word[kept], w->word[i], WORD_SIZE);
        kept++;
    }
    w->count = kept;
}

/* Gives the group one word of its own; false when it has none and needs one. */
static bool take_group(const struct words *w, bool *taken, const char *group, size_t length)
{
    bool optional = length && group[length - 1] == '?';
    for (size_t i = 0; i < w->count; i++) {
        if (!taken[i] && word_in_range(w->word[i], group, length - optional)) {
            taken[i] = true;
            return true;
        }
    }
    return optional;
}

static bool pattern_fits(const struct words *w, const char *pattern, bool *taken)
{
    while (*pattern) {
        size_t length = strcspn(pattern, " ");
        if (!take_group(w, taken, pattern, length))
            return false;
        pattern += length;
        pattern += *pattern == ' ';
    }
    return true;
}

double words_match(const struct words *w, const struct word_pattern *patterns, size_t count, double foreign,
                   const char *neutral, const char *strange)
{
    double best = 0;
    for (size_t p = 0; p < count; p++) {
        bool taken[WORDS_MAX] = {false};
        if (!pattern_fits(w, patterns[p].text, taken))
            continue;
        double weight = patterns[p].weight;
        for (size_t i = 0; i < w->count; i++) {
            if (!taken[i] && word_in(w->word[i], strange))
                weight -= strange_factor * foreign;
            else if (!taken[i] && !word_in(w->word[i], neutral))
                weight -= foreign;
        }
        best = weight > best ? weight : best;
    }
    return best;
}
