/* Mapping of run and start: is it a shell's command line, a program with arguments, or a script in some language?
 *
 *   one string called command, or a tool called shell   RUN_WAY_LINE   any language with an interpreter
 *   a list of strings, or a program and a list          RUN_WAY_ARGV   likewise, without quoting
 *   a script and a language, or a language by name      RUN_WAY_CODE   the languages it lists
 */
#include "exec/target/map_internal.h"

#include <string.h>
#include <strings.h>

static bool fail_run(struct map_attempt *t, const char *why)
{
    t->failure = why;
    return false;
}

static unsigned interpreted_languages(void)
{
    size_t count;
    const struct language_row *rows = language_rows(&count);
    unsigned set = 0;
    for (size_t i = 0; i < count; i++)
        set |= rows[i].program ? 1u << i : 0;
    return set;
}

static void place(struct map_attempt *t, struct map_parameter *p, double quality, struct json *value,
                  const char *note)
{
    map_set(t, p, value, note);
    t->worst = quality < t->worst ? quality : t->worst;
}

static struct json *special(struct map_attempt *t, const char *name)
{
    return map_placeholder(t->arena, name, "value");
}

/* Which of the values names the language: the first of its words, in their order, that is one of them. */
static const struct json *language_value(const struct json *values, const char *words)
{
    for (const char *word = words; *word;) {
        size_t length = strcspn(word, "|");
        for (const struct json *one = values->first; one; one = one->next) {
            struct bytes text = json_as_text(one);
            if (text.len == length && strncasecmp((const char *)text.data, word, length) == 0)
                return one;
        }
        word += length + (word[length] == '|');
    }
    return NULL;
}

static bool place_language(struct map_attempt *t, struct map_parameter *p, double quality)
{
    size_t count;
    const struct language_row *rows = language_rows(&count);
    struct json *value = special(t, "@language");
    struct json *map = json_set(t->arena, value, "map", json_new(t->arena, JSON_OBJECT));
    bool command = words_have(&p->words, "interpreter");
    for (size_t i = 0; i < count; i++) {
        struct json *name = NULL;
        if (p->values) {
            const struct json *found = language_value(p->values, rows[i].words);
            name = found ? json_copy(t->arena, found) : NULL;
        } else if (rows[i].program) {
            name = json_text(t->arena, command ? rows[i].program : rows[i].name);
        }
        if (!name)
            continue;
        json_set(t->arena, map, rows[i].name, name);
        t->map.languages |= 1u << i;
    }
    if (!t->map.languages)
        return fail_run(t, "none of its languages is one of ours");
    place(t, p, quality, value, "language");
    return true;
}

/* The one language that the tool's name, or else its description, speaks of; 0 when none or several. */
static unsigned named_language(const struct map_attempt *t)
{
    static const char *const spoken[] = {"", "bash", "python", "javascript"};
    struct bytes description = bytes_slice(t->candidate->tool->description, 0, 200);
    size_t count;
    const struct language_row *rows = language_rows(&count);
    unsigned by_name = 0, by_description = 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].name, "c") != 0 && words_have(&t->candidate->tool->words, rows[i].words))
            by_name |= 1u << i;
        if (i < sizeof spoken / sizeof *spoken && *spoken[i] && text_mentions(description, spoken[i]))
            by_description |= 1u << i;
    }
    unsigned set = by_name ? by_name : by_description;
    return set & (set - 1) ? 0 : set;
}

static bool is_shell(const struct map_attempt *t, const struct map_parameter *p)
{
    static const char shell_words[] = "shell|bash|sh|command|cmd|terminal";
    return words_have(&p->words, shell_words) || words_have(&t->candidate->tool->words, shell_words) ||
           text_mentions(p->description, "shell") || text_mentions(p->description, "bash");
}

/* A tool that starts programs is one that runs them only when it waits for them: then it has a time limit. */
static bool only_starts(const struct map_attempt *t)
{
    if (!words_have(&t->candidate->words, "start|launch|spawn"))
        return false;
    for (size_t i = 0; i < t->count; i++)
        if (role_quality(ROLE_TIMEOUT, &t->parameters[i].words) >= .8)
            return false;
    return true;
}

static bool place_command(struct map_attempt *t, struct map_parameter *p, double quality)
{
    double unused;
    struct map_parameter *arguments = map_best_parameter(t, ROLE_ARGUMENTS, &unused);
    t->map.languages = interpreted_languages();
    t->map.run_way = RUN_WAY_ARGV;
    if (!(p->types & TYPE_STRING)) {
        place(t, p, quality, special(t, "@argv"), "argv");
    } else if (arguments && arguments != p) {
        place(t, p, quality, special(t, "@program"), "program");
        map_set(t, arguments, special(t, "@arguments"), "arguments");
    } else {
        t->map.run_way = RUN_WAY_LINE;
        place(t, p, quality, special(t, "@line"), "line");
    }
    return true;
}

/* A time limit that need not be given is given where a task has one for its step, and when there is no doubt about its unit. */
static void place_limit(struct map_attempt *t)
{
    for (size_t i = 0; i < t->count; i++) {
        struct map_parameter *p = &t->parameters[i];
        bool limit = words_have(&p->words, "timeout") && p->types & TYPE_NUMERIC && !p->values;
        if (p->used || p->required || !limit)
            continue;
        struct json *value = map_timeout(t, p, "@limit"), *most = json_get(p->schema, "maximum");
        if (!t->map.limit_known)
            continue;
        if (json_is(most, JSON_NUMBER))
            json_set(t->arena, value, "most", json_copy(t->arena, most));
        map_set(t, p, value, "limit");
        return;
    }
}

static bool place_program(struct map_attempt *t)
{
    struct bytes description = bytes_slice(t->candidate->tool->description, 0, 200);
    t->map.shell_is_bash = words_have(&t->candidate->tool->words, "bash") ||
                           text_mentions(description, "bash");
    double script_quality, language_quality, command_quality;
    struct map_parameter *script = map_best_parameter(t, ROLE_SCRIPT, &script_quality);
    struct map_parameter *language = map_best_parameter(t, ROLE_LANGUAGE, &language_quality);
    struct map_parameter *command = map_best_parameter(t, ROLE_COMMAND, &command_quality);
    if (t->row->way == WAY_RUN && only_starts(t))
        return fail_run(t, "starts programs without waiting for them");
    if (command && (is_shell(t, command) || !(command->types & TYPE_STRING)) &&
        !(language && script && script_quality > command_quality))
        return place_command(t, command, command_quality);
    if (!script)
        return fail_run(t, "no parameter for a command or script");
    t->map.run_way = RUN_WAY_CODE;
    place(t, script, script_quality, special(t, "@script"), "script");
    if (language)
        return place_language(t, language, language_quality);
    t->map.languages = named_language(t);
    return t->map.languages || fail_run(t, "no telling which language it runs");
}

bool map_place_run(struct map_attempt *t)
{
    if (!place_program(t))
        return false;
    if (t->row->way == WAY_RUN)
        place_limit(t);
    return true;
}
