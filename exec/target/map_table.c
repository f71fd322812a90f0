/* The tables of the automatic mapping; see map_table.h. Patterns are explained in map_words.h; words are
 * singular there and here. Weights only order what fits: 1 is "this is what it is called", below 0.7 is
 * "when there is nothing better". */
#include "exec/target/map_table.h"

#include "exec/target/map_schema.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

const char *const map_neutral_words =
    "the|a|an|of|in|on|at|by|for|from|with|to|and|or|text|plain|content|data|full|complete|whole|single|local|tool|"
    "fs|filesystem|mcp|sandbox|persistent|direct|simple|new";

static const struct word_pattern path_names[] = {
    {1, "file|absolute|full? path"}, {.97, "file|document"}, {.97, "file name"},
    {.95, "directory|dir|folder path|name?"},
    {.9, "uri"}, {.75, "target|location|item path?"}, {.7, "source|src|input path|file?"}, {.6, "name"},
};
static const struct word_pattern from_names[] = {
    {1, "source|src|from|origin|old|original path|file|name|location?"}, {.9, "file? path"},
    {.9, "file name?"},
};
static const struct word_pattern to_names[] = {
    {1, "destination|dest|dst|to|new|target path|file|name|location|dir|directory?"},
    {.8, "link path|name?"},
};
static const struct word_pattern content_names[] = {
    {1, "file|new? content|text|data|body"},
    {.98, "file? content|data|file|text? base64|b64|byte|binary|blob"},
    {.8, "string|value|input|payload|code"},
};
static const struct word_pattern old_names[] = {
    {1, "old|original|existing|before|previous text|str|string|content|value|block|line|code?"},
    {.9, "search|find|match|target|from text|str|string|block?"},
};
static const struct word_pattern new_names[] = {
    {1, "new|replacement|replace|updated|after text|str|string|content|value|block|line|code|with?"},
    {.8, "with|to"},
};
static const struct word_pattern edits_names[] = {
    {1, "edit|change|replacement|block|patch"},
};
static const struct word_pattern pattern_names[] = {
    {1, "file|name|search|glob? pattern|glob"}, {.9, "query|regex|expression|term|search|name"},
};
static const struct word_pattern query_names[] = {
    {1, "file? content|text contain|pattern|query?"}, {.9, "contain|containing|grep text|content|pattern?"},
};
static const struct word_pattern head_names[] = {
    {1, "head line?"}, {.9, "first line|n"},
};
static const struct word_pattern tail_names[] = {
    {1, "tail line?"}, {.9, "last line|n"},
};
static const struct word_pattern offset_names[] = {
    {1, "start|byte? offset"}, {.9, "start|begin|from byte?"},
};
static const struct word_pattern length_names[] = {
    {1, "max|byte? length|limit|size|count"}, {.9, "max byte"}, {.9, "byte"},
};
static const struct word_pattern command_names[] = {
    {1, "shell|bash? command|cmd line|string|text?"}, {.95, "argv"}, {.9, "command|shell line"},
    {.75, "script|code|input|line"},
};
static const struct word_pattern script_names[] = {
    {1, "source? code|script|snippet"}, {.8, "program|source|cell|input|text|content"},
};
static const struct word_pattern language_names[] = {
    {1, "language|lang|interpreter id|name?"}, {.9, "runtime|kernel|engine name?"},
};
static const struct word_pattern arguments_names[] = {
    {1, "command? arg|argv|argument"}, {.8, "parameter|param"},
};
static const struct word_pattern cwd_names[] = {
    {1, "cwd|workdir"}, {1, "work|working|current|base dir|directory|folder|path"},
    {.7, "dir|directory|folder path?"},
};
static const struct word_pattern env_names[] = {
    {1, "env|environment var|variable?"},
};
static const struct word_pattern stdin_names[] = {
    {1, "stdin text|data|content|string?"}, {.98, "stdin base64|b64|byte"}, {.8, "standard? input"},
};
static const struct word_pattern timeout_names[] = {
    {1, "timeout ms|milli|millisecond|sec|second|in?"},
    {.8, "max|maximum|wait time|timeout|duration|ms|millisecond|second"},
};
static const struct word_pattern pid_names[] = {
    {1, "process|job|session|task|background|command|terminal|shell? pid|id"},
    {.8, "process|job|session|handle"},
};
static const struct word_pattern signal_names[] = {
    {1, "signal name?"},
};
static const struct word_pattern mode_names[] = {
    {1, "file? mode|permission"}, {.9, "octal mode|permission?"},
};
static const struct word_pattern recursive_names[] = {
    {1, "recursive|recurse|recursively"},
};
static const struct word_pattern url_names[] = {
    {1, "url|uri|href"}, {.8, "link|address"},
};
static const struct word_pattern method_names[] = {
    {1, "http? method"},
};
static const struct word_pattern body_names[] = {
    {1, "request? body|payload"}, {.8, "data|content"},
};
static const struct word_pattern encoding_names[] = {
    {1, "file|content|data|output|input|text? encoding"}, {.9, "content|data|output? format"},
    {.9, "is|as? base64|binary"},
};
static const struct word_pattern note_names[] = {
    {1, "description|explanation|reason|justification|rationale|purpose|summary"},
};

static const struct word_pattern tab_names[] = {
    {1, "tab|page|window id|index|idx|number"}, {.9, "tab|page"}, {.7, "index|id"},
};
static const struct word_pattern selector_names[] = {
    {1, "css|element? selector"}, {.9, "target|element|locator"},
};
static const struct word_pattern reference_names[] = {
    {1, "uid|ref|reference"}, {1, "element|node|target id|uid|ref|reference"}, {.9, "target|element|node"},
};
static const struct word_pattern entry_names[] = {
    {1, "value|text"}, {.9, "input|new|field value|text"}, {.8, "input|content|string"},
};
static const struct word_pattern paths_names[] = {
    {1, "file|local? path"}, {.9, "file"},
};
static const struct word_pattern page_script_names[] = {
    {1, "javascript|js? script|function|expression|code"}, {1, "javascript|js"}, {.8, "fn|body|source|text"},
};
static const struct word_pattern width_names[] = {
    {1, "viewport|window|page? width"},
};
static const struct word_pattern height_names[] = {
    {1, "viewport|window|page? height"},
};
static const struct word_pattern accept_names[] = {
    {1, "accept"}, {.9, "action"},
};
static const struct word_pattern answer_names[] = {
    {1, "prompt|answer|response text|value|input|answer?"}, {.8, "text|value"},
};

#define ROLE(types, values, patterns)               {types, values, NULL, NULL, NULL, patterns, COUNT(patterns)}
#define SAID_ROLE(types, says, patterns)            {types, false, says, NULL, NULL, patterns, COUNT(patterns)}
#define USUAL_ROLE(types, values, patterns, usual) {types, values, NULL, NULL, usual, patterns, COUNT(patterns)}

static const struct role_row roles[ROLE_COUNT] = {
    [ROLE_PATH] = USUAL_ROLE(TYPE_STRING, false, path_names, "path"),
    [ROLE_FROM] = USUAL_ROLE(TYPE_STRING, false, from_names, "source"),
    [ROLE_TO] = USUAL_ROLE(TYPE_STRING, false, to_names, "destination"),
    [ROLE_CONTENT] = USUAL_ROLE(TYPE_STRING, false, content_names, "content"),
    [ROLE_OLD] = ROLE(TYPE_STRING, false, old_names),
    [ROLE_NEW] = ROLE(TYPE_STRING, false, new_names),
    [ROLE_EDITS] = ROLE(TYPE_ARRAY, false, edits_names),
    [ROLE_PATTERN] = USUAL_ROLE(TYPE_STRING, false, pattern_names, "pattern"),
    [ROLE_QUERY] = ROLE(TYPE_STRING, false, query_names),
    [ROLE_HEAD] = ROLE(TYPE_NUMERIC, false, head_names),
    [ROLE_TAIL] = ROLE(TYPE_NUMERIC, false, tail_names),
    [ROLE_OFFSET] = SAID_ROLE(TYPE_NUMERIC, "byte", offset_names),
    [ROLE_LENGTH] = SAID_ROLE(TYPE_NUMERIC, "byte", length_names),
    [ROLE_COMMAND] = USUAL_ROLE(TYPE_STRING | TYPE_ARRAY, false, command_names, "command"),
    [ROLE_SCRIPT] = ROLE(TYPE_STRING, false, script_names),
    [ROLE_LANGUAGE] = ROLE(TYPE_STRING, true, language_names),
    [ROLE_ARGUMENTS] = ROLE(TYPE_ARRAY, false, arguments_names),
    [ROLE_CWD] = ROLE(TYPE_STRING, false, cwd_names),
    [ROLE_ENV] = ROLE(TYPE_OBJECT, false, env_names),
    [ROLE_STDIN] = ROLE(TYPE_STRING, false, stdin_names),
    [ROLE_TIMEOUT] = ROLE(TYPE_NUMERIC, false, timeout_names),
    [ROLE_PID] = {TYPE_NUMERIC | TYPE_STRING, false, NULL, "page|tab|window", "pid", pid_names, COUNT(pid_names)},
    [ROLE_SIGNAL] = ROLE(TYPE_STRING, true, signal_names),
    [ROLE_MODE] = ROLE(TYPE_NUMERIC | TYPE_STRING, false, mode_names),
    [ROLE_RECURSIVE] = ROLE(TYPE_BOOL, false, recursive_names),
    [ROLE_URL] = USUAL_ROLE(TYPE_STRING, false, url_names, "url"),
    [ROLE_METHOD] = ROLE(TYPE_STRING, true, method_names),
    [ROLE_BODY] = ROLE(TYPE_STRING, false, body_names),
    [ROLE_ENCODING] = ROLE(TYPE_STRING | TYPE_BOOL, true, encoding_names),
    [ROLE_NOTE] = ROLE(TYPE_STRING, false, note_names),
    [ROLE_TAB] = ROLE(TYPE_NUMERIC | TYPE_STRING, false, tab_names),
    [ROLE_SELECTOR] = SAID_ROLE(TYPE_STRING, "selector", selector_names),
    [ROLE_REFERENCE] = SAID_ROLE(TYPE_STRING, "snapshot", reference_names),
    [ROLE_ENTRY] = ROLE(TYPE_STRING, false, entry_names),
    [ROLE_PATHS] = ROLE(TYPE_STRING | TYPE_ARRAY, false, paths_names),
    [ROLE_PAGE_SCRIPT] = ROLE(TYPE_STRING, false, page_script_names),
    [ROLE_WIDTH] = ROLE(TYPE_NUMERIC, false, width_names),
    [ROLE_HEIGHT] = ROLE(TYPE_NUMERIC, false, height_names),
    [ROLE_ACCEPT] = ROLE(TYPE_BOOL | TYPE_STRING, true, accept_names),
    [ROLE_ANSWER] = ROLE(TYPE_STRING, false, answer_names),
};

const struct role_row *role_row(enum role role)
{
    return &roles[role];
}

double role_quality(enum role role, const struct words *name)
{
    return words_match(name, roles[role].patterns, roles[role].count, .2, "the|a|of", "");
}

static const struct language_row languages[] = {
    {"sh", "sh|shell|shellscript|posix|bash", "sh", "-c"},
    {"bash", "bash|shellscript|shell", "bash", "-c"},
    {"python", "python|python3|py", "python3", "-c"},
    {"node", "node|nodejs|javascript|js", "node", "-e"},
    {"c", "c", NULL, NULL},
    {"java", "java", NULL, NULL},
    {"rust", "rust", NULL, NULL},
};

const struct language_row *language_rows(size_t *count)
{
    *count = COUNT(languages);
    return languages;
}
