/* The table of ops for the automatic mapping: what tools for them are called, which arguments they must
 * take, what is set the same in every call; see map_table.h. */
#include "exec/target/map_table.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A file op is about plain files, not about … */
#define NO_FILE                                                                                                  \
    "pdf|image|docx|xlsx|excel|spreadsheet|note|memory|query|table|issue|page|cell|notebook|clipboard|config|"   \
    "setting|env|log|graph|node|entity|process|background|multiple|many|batch|all|archive|tree|allowed|start|"   \
    "stop|more|url|resource|prompt|message|search|media|repository|branch|git"
#define NO_TEXT_FILE NO_FILE "|binary|blob|base64"
#define NO_RUN                                                                                                   \
    "browser|page|playwright|puppeteer|sql|query|test|workflow|agent|search|background|async|detached|list|"     \
    "kill|stop|tail|wait|info|get|set|reset|transform|history|output|tool|prompt|step|git|snapshot"
#define NO_SEARCH "content|text|code|web|start|more|" NO_RUN

static const struct word_pattern write_names[] = {
    {1, "write|overwrite file?"}, {.95, "save|put|store|create file"}, {.8, "set|update file"},
};
static const struct word_pattern append_names[] = {
    {1, "append file?"},
};
static const struct word_pattern read_names[] = {
    {1, "read|cat|view file?"}, {.95, "get|open|load|show|retrieve|fetch|display file"},
};
static const struct word_pattern upload_names[] = {
    {1, "upload|import file?"},
    {.97, "write|save|put|store|create media|binary|blob|raw|byte|base64 file?"},
    {.9, "write|overwrite file?"},
    {.87, "save|put|store|create file"},
};
static const struct word_pattern download_names[] = {
    {1, "download|export file?"},
    {.97, "read|get|load|open|retrieve|fetch media|binary|blob|raw|byte|base64|image file?"},
    {.9, "read|cat|view file?"},
    {.87, "get|open|load|show|retrieve|fetch|display file"},
};
static const struct word_pattern list_names[] = {
    {1, "list|ls|dir|readdir|scandir|listdir directory|dir|folder|file|path|entry?"},
    {.95, "read|get|show|view|browse|enumerate directory|dir|folder"},
    {.9, "directory|dir|folder listing|list|content"},
};
static const struct word_pattern stat_names[] = {
    {1, "stat|lstat file|path?"},
    {1, "get|read|show? file|path|directory info|information|metadata|stat|attribute|property|detail"},
};
static const struct word_pattern mkdir_names[] = {
    {1, "mkdir|makedir"}, {1, "create|make|new|add|ensure directory|dir|folder"},
};
static const struct word_pattern move_names[] = {
    {1, "move|rename|mv file|directory|path|item?"},
};
static const struct word_pattern copy_names[] = {
    {1, "copy|cp|duplicate file|directory|path|item?"},
};
static const struct word_pattern remove_names[] = {
    {1, "remove|delete|rm|unlink|erase file|path|item?"}, {.9, "remove|delete directory|dir|folder"},
};
static const struct word_pattern link_names[] = {
    {1, "symlink"}, {1, "create|make|add symlink|symbolic|link link?"},
};
static const struct word_pattern chmod_names[] = {
    {1, "chmod file?"}, {1, "set|change file? permission|mode"},
};
static const struct word_pattern edit_names[] = {
    {1, "edit|patch|modify file|text|block|content|string?"},
    {1, "str? replace|substitute file|string|text|block?"},
    {.95, "search|find replace file?"},
    {.8, "update file"},
};
static const struct word_pattern search_names[] = {
    {1, "search|find|glob|locate file|path|name|directory?"},
};
static const struct word_pattern run_names[] = {
    {1, "run|exec|execute "
        "command|cmd|shell|bash|code|script|program|process|snippet|line|python|javascript|terminal?"},
    {1, "shell|bash|command|cmd|terminal run|exec|execute|command?"},
    {.9, "python|ipython|jupyter|repl|interpreter code|interpreter|exec|execute|run?"},
    {.9, "code interpreter|execution|runner"},
    {.7, "start|launch|spawn|invoke process|command|program"},
};
static const struct word_pattern start_names[] = {
    {1, "run|exec|execute|start|spawn|launch command|process? background|async|detached|daemon|job"},
    {1, "start|spawn|launch process|command|shell|program|terminal"},
};
static const struct word_pattern poll_names[] = {
    {1, "read|get|poll|tail|check|view|fetch|show process|job|background|command|terminal|session|shell "
        "output|log|status|result?"},
    {.9, "get|read|poll|tail|check output|log|status"},
};
static const struct word_pattern wait_names[] = {
    {1, "wait|await|join process|job|background|command|session?"},
};
static const struct word_pattern signal_names[] = {
    {1, "kill|signal|terminate|interrupt process|job|background|command|session|terminal?"},
    {.9, "stop|cancel|force process|job|background|command|terminate"},
};
static const struct word_pattern fetch_names[] = {
    {1, "fetch|curl|wget|http url|page|web|website|html|request|get?"},
    {.9, "get|open|request url|page|website|html|http"},
};

static const struct op_place write_places[] = {{"path", ROLE_PATH, true}, {"content", ROLE_CONTENT, true}};
static const struct op_place read_places[] = {
    {"path", ROLE_PATH, true}, {"head", ROLE_HEAD, false}, {"tail", ROLE_TAIL, false},
    {"offset", ROLE_OFFSET, false}, {"length", ROLE_LENGTH, false},
};
static const struct op_place path_places[] = {{"path", ROLE_PATH, true}};
static const struct op_place two_path_places[] = {{"path", ROLE_FROM, true}, {"to", ROLE_TO, true}};
static const struct op_place remove_places[] = {
    {"path", ROLE_PATH, true}, {"recursive", ROLE_RECURSIVE, false},
};
static const struct op_place link_places[] = {{"path", ROLE_PATH, true}, {"to", ROLE_TO, true}};
static const struct op_place chmod_places[] = {{"path", ROLE_PATH, true}, {"mode", ROLE_MODE, true}};
static const struct op_place edit_places[] = {
    {"path", ROLE_PATH, true}, {"old", ROLE_OLD, true}, {"new", ROLE_NEW, true},
};
static const struct op_place edits_places[] = {{"path", ROLE_PATH, true}, {"@edits", ROLE_EDITS, true}};
static const struct op_place search_places[] = {
    {"path", ROLE_PATH, true}, {"pattern", ROLE_PATTERN, true}, {"content", ROLE_QUERY, false},
};
/* A run's command, script and language are placed by map_run.c. */
static const struct op_place run_places[] = {
    {"cwd", ROLE_CWD, false}, {"env", ROLE_ENV, false}, {"stdin", ROLE_STDIN, false},
};
static const struct op_place start_places[] = {{"cwd", ROLE_CWD, false}, {"env", ROLE_ENV, false}};
static const struct op_place pid_places[] = {{"pid", ROLE_PID, true}};
static const struct op_place wait_places[] = {{"pid", ROLE_PID, true}, {"ms", ROLE_TIMEOUT, false}};
static const struct op_place signal_places[] = {{"pid", ROLE_PID, true}, {"signal", ROLE_SIGNAL, false}};
static const struct op_place fetch_places[] = {
    {"url", ROLE_URL, true}, {"method", ROLE_METHOD, false}, {"body", ROLE_BODY, false},
};

static const struct op_fixed write_fixed[] = {
    {"overwrite", "true", false, false},
    {"write|file|open? mode|operation|flag", "overwrite|rewrite|replace|write|w", true, false},
};
static const struct op_fixed append_fixed[] = {
    {"append", "true", false, true},
    {"write|file|open? mode|operation|flag", "append|a", true, true},
};
static const struct op_fixed mkdir_fixed[] = {
    {"recursive|recurse|parent", "true", false, false}, {"create|make parent", "true", false, false},
};
static const struct op_fixed list_fixed[] = {
    {"max? depth", "1", false, false},
    {"show|include? hidden|dotfile", "true", false, false},
};
static const struct op_fixed search_fixed[] = {
    {"show|include? hidden|dotfile", "true", false, false},
};
#define NONE NULL, 0
#define NAMES(op) op##_names, COUNT(op##_names)
#define PLACES(op) op##_places, COUNT(op##_places)
#define FIXED(op) op##_fixed, COUNT(op##_fixed)

static const struct op_row rows[] = {
    {"write", false, true, WAY_PLAIN, NO_TEXT_FILE, NAMES(write), PLACES(write), FIXED(write)},
    {"write", true, true, WAY_PLAIN, NO_FILE, NAMES(upload), PLACES(write), FIXED(write)},
    {"append", false, true, WAY_PLAIN, NO_TEXT_FILE, NAMES(append), PLACES(write), NONE},
    {"append", false, true, WAY_PLAIN, NO_TEXT_FILE, NAMES(write), PLACES(write), FIXED(append)},
    {"append", true, true, WAY_PLAIN, NO_FILE, NAMES(append), PLACES(write), NONE},
    {"append", true, true, WAY_PLAIN, NO_FILE, NAMES(write), PLACES(write), FIXED(append)},
    {"read", false, false, WAY_PLAIN, NO_TEXT_FILE, NAMES(read), PLACES(read), NONE},
    {"list", false, false, WAY_PLAIN, NO_FILE, NAMES(list), PLACES(path), FIXED(list)},
    {"stat", false, false, WAY_PLAIN, NO_FILE, NAMES(stat), PLACES(path), NONE},
    {"mkdir", false, true, WAY_PLAIN, NO_FILE, NAMES(mkdir), PLACES(path), FIXED(mkdir)},
    {"move", false, true, WAY_PLAIN, NO_FILE, NAMES(move), PLACES(two_path), NONE},
    {"copy", false, true, WAY_PLAIN, NO_FILE, NAMES(copy), PLACES(two_path), NONE},
    {"remove", false, true, WAY_PLAIN, NO_FILE, NAMES(remove), PLACES(remove), NONE},
    {"link", false, true, WAY_PLAIN, NO_FILE, NAMES(link), PLACES(link), NONE},
    {"chmod", false, true, WAY_PLAIN, NO_FILE, NAMES(chmod), PLACES(chmod), NONE},
    {"edit", false, true, WAY_PLAIN, NO_TEXT_FILE, NAMES(edit), PLACES(edit), NONE},
    {"edit", false, true, WAY_PLAIN, NO_TEXT_FILE, NAMES(edit), PLACES(edits), NONE},
    {"search", false, false, WAY_PLAIN, NO_SEARCH, NAMES(search), PLACES(search), FIXED(search)},
    {"upload", true, true, WAY_PLAIN, NO_FILE, NAMES(upload), PLACES(write), FIXED(write)},
    {"download", true, false, WAY_PLAIN, "url", NAMES(download), PLACES(path), NONE},
    {"run", false, true, WAY_RUN, NO_RUN, NAMES(run), PLACES(run), NONE},
    {"start", false, true, WAY_START, "search|browser|page|server", NAMES(start), PLACES(start), NONE},
    {"poll", false, false, WAY_PLAIN, "search", NAMES(poll), PLACES(pid), NONE},
    {"wait", false, false, WAY_PLAIN, "search|page|browser", NAMES(wait), PLACES(wait), NONE},
    {"signal", false, true, WAY_PLAIN, "search|browser|page", NAMES(signal), PLACES(signal), NONE},
    {"fetch", false, false, WAY_PLAIN, "file|git|search", NAMES(fetch), PLACES(fetch), NONE},
};

const struct op_row *op_rows(size_t *count)
{
    *count = COUNT(rows);
    return rows;
}
