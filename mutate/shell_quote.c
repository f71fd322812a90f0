/* shell-quote: text that a shell, printf or a here document takes for something else, in contents, names, program arguments,
 * variables, input and a tool's arguments. What it would do where it is run by mistake is harmless. */
#include <string.h>

#include "gen/recipe.h"
#include "gen/task_internal.h"
#include "mutate/mutate_internal.h"

enum { SHOWN = 60 };

static const struct snippet {
    const char *kind, *text;
} snippets[] = {
    {"backslash", "\\n"},          {"backslash", "\\x41\\101"},     {"backslash", "\\\\"},
    {"backslash", "\\c"},          {"percent", "%s"},               {"percent", "%d%n%"},
    {"percent", "100%"},           {"dollar", "$HOME"},             {"dollar", "${HOME:-x}"},
    {"dollar", "$(echo taskgen)"}, {"dollar", "$((1+1))"},          {"backtick", "`echo taskgen`"},
    {"quotes", "'"},               {"quotes", "\""},                {"quotes", "'\"'\"'"},
    {"quotes", "''\"\"''"},        {"quotes", "$'\\x41'"},          {"operator", "; true"},
    {"operator", " && true"},      {"operator", " | cat"},          {"operator", "\ntrue\n"},
    {"heredoc", "\nEOF\n"},        {"heredoc", "\n'EOF'\n"},        {"heredoc", "\nEND\n"},
    {"history", "!!"},             {"history", "!$"},               {"minus", "-n "},
    {"minus", "-e "},              {"minus", "--"},                 {"final", "\\"},
    {"final", "$"},                {"final", " "},                  {"replacement", "$&"},
    {"replacement", "$$"},         {"replacement", "$1"},           {"replacement", "\\0"},
    {"replacement", "&"},
};

static const char *const kinds[] = {"backslash", "percent", "dollar",  "backtick", "quotes", "operator",
                                    "heredoc",   "history", "minus", "final",    "replacement", NULL};
/* No line ends: they are newline's. */
static const char *const name_kinds[] = {"backslash", "percent", "dollar", "backtick", "quotes", "history", NULL};

static const struct snippet *some_snippet(struct mutation *m, const char *const *among)
{
    const char *kind = mutation_kind(m, among);
    const struct snippet *chosen = NULL;
    size_t fitting = 0;
    for (size_t i = 0; kind && i < sizeof snippets / sizeof *snippets; i++)
        if (strcmp(snippets[i].kind, kind) == 0 && rng_below(m->rng, ++fitting) == 0)
            chosen = &snippets[i];
    return chosen;
}

/* At the start, at the end, or somewhere between. */
static uint64_t place_of(const struct snippet *s, uint64_t size, uint64_t between)
{
    return strcmp(s->kind, "minus") == 0 ? 0 : strcmp(s->kind, "final") == 0 ? size : between;
}

static const char *detail_of(struct mutation *m, const struct snippet *s, uint64_t at)
{
    struct arena *a = &m->task->arena;
    return arena_printf(a, "%s: %s at byte %llu", s->kind, task_show(a, bytes_of_string(s->text), SHOWN),
                        (unsigned long long)at);
}

static bool strike_body(struct mutation *m, const struct mutation_site *site)
{
    const struct snippet *s = some_snippet(m, kinds);
    const struct json *content = body_content(m->task, site->value);
    int64_t size = content_size(content);
    if (!s || size < 0)
        return false;
    uint64_t at = place_of(s, (uint64_t)size, body_any_boundary(m, content));
    return payload_body(m, site, "shell-quote", body_insert(m, content, at, bytes_of_string(s->text)), detail_of(m, s, at));
}

static bool strike_name(struct mutation *m, const struct mutation_site *site)
{
    const struct snippet *s = some_snippet(m, name_kinds);
    struct arena *a = &m->task->arena;
    struct bytes path = mutation_path(site->value);
    if (!s)
        return false;
    struct bytes to = payload_decorated(m, path, bytes_of_string(s->text));
    return payload_rename(m, site, "shell-quote", to, false,
                          arena_printf(a, "%s: %s is now %s", s->kind, task_show(a, path, SHOWN), task_show(a, to, SHOWN)));
}

/* A program's text is what it is, whether in a script or behind -c; and its name. */
static bool is_program_text(const struct task *t, const struct mutation_site *site)
{
    static const char *const words[] = {"/args/script", "/args/language", "/args/argv/0"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(site->at, words[i]) == 0)
            return true;
    const struct json *argv = json_get(t->steps[site->step].args, "argv");
    for (const struct json *word = json_is(argv, JSON_ARRAY) ? argv->first : NULL; word; word = word->next)
        if (word->next == site->value && bytes_starts(json_as_text(word), BYTES_LITERAL("-")))
            return true;
    return false;
}

static bool strike_text(struct mutation *m, const struct mutation_site *site)
{
    const struct snippet *s = some_snippet(m, kinds);
    if (!s || !json_is(site->value, JSON_STRING) || is_program_text(m->task, site))
        return false;
    struct bytes text = site->value->text;
    uint64_t at = place_of(s, text.len, text.len);
    struct bytes made = payload_joined(m, bytes_slice(text, 0, (size_t)at), bytes_of_string(s->text),
                                       bytes_slice(text, (size_t)at, text.len));
    payload_value(m, site, "shell-quote", json_string(&m->task->arena, made), detail_of(m, s, at));
    return true;
}

static bool strike(struct mutation *m, const struct mutation_site *site)
{
    return site->place == PLACE_BODY   ? strike_body(m, site)
           : site->place == PLACE_NAME ? strike_name(m, site)
                                       : strike_text(m, site);
}

static bool apply(struct mutation *m)
{
    return sites_try(m, PLACE_NAME | PLACE_BODY | PLACE_SCRIPT | PLACE_ARGUMENT, strike);
}

const struct mutator mutator_shell_quote = {
    .name = "shell-quote",
    .group = "payload",
    .summary = "text that a shell, printf or a here document would not leave alone",
    .details = "backslash, percent, dollar, backtick, quotes, operator, heredoc, history and replacement (what stands for the match where a text "
               "replaces another: $& $1 &) are put in somewhere, minus in front, final at the end. Places: body, name (in the whole "
               "task, where it can be followed; no operator, heredoc, minus, final, replacement), script (arguments, variables and input of a program, not its text), argument (a text among a called "
               "tool's arguments).",
    .places = "name body script argument",
    .kinds = "backslash percent dollar backtick quotes operator heredoc history minus final replacement",
    .apply = apply,
};
