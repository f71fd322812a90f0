/* The table of guards and what was opened; see guards.h. */
#include "leakybox/guards.h"

#include "leakybox/faults.h"

enum { BIG_BASE64 = 64 * 1024 };

static bool is(const struct call *c, const char *tool)
{
    return bytes_equal_string(bytes_of_string(c->tool->name), tool);
}

static bool gives(const struct call *c, const char *tool, const char *arg)
{
    const struct json *value = is(c, tool) ? json_get(c->args, arg) : NULL;
    return value && !json_is(value, JSON_NULL);
}

static bool moves(const struct call *c)
{
    return is(c, "move_file");
}

static bool edits(const struct call *c)
{
    return is(c, "edit_file");
}

static bool appends(const struct call *c)
{
    return is(c, "append_file");
}

static bool empties(const struct call *c)
{
    return gives(c, "delete_file", "recursive") && json_is(json_get(c->args, "recursive"), JSON_TRUE);
}

static bool makes(const struct call *c)
{
    return is(c, "make_directory");
}

static bool feeds(const struct call *c)
{
    return gives(c, "run_command", "stdin");
}

static bool sets(const struct call *c)
{
    return gives(c, "run_command", "env") || gives(c, "start_process", "env");
}

static bool signals(const struct call *c)
{
    return is(c, "signal_process");
}

static bool waits(const struct call *c)
{
    return is(c, "wait_process") || is(c, "poll_process");
}

static bool uploads(const struct call *c)
{
    const struct json *content = is(c, "upload_file") ? json_get(c->args, "content_base64") : NULL;
    return json_is(content, JSON_STRING) && content->text.len >= BIG_BASE64;
}

static bool downloads(const struct call *c)
{
    return is(c, "download_file");
}

static bool peeks(const struct call *c)
{
    return gives(c, "read_file", "tail") || gives(c, "read_file", "offset");
}

static bool notes(const struct call *c)
{
    return is(c, "add_note") || is(c, "read_notes");
}

static const struct guard table[] = {
    {"append", "after something was appended", appends},
    {"cancel", "after a call was cancelled", NULL},
    {"download", "after a download", downloads},
    {"edit", "after an edit", edits},
    {"input", "after a command was given input", feeds},
    {"mkdir", "after a directory was made", makes},
    {"move", "after a move", moves},
    {"note", "after a note", notes},
    {"poll", "after a background process was asked about", waits},
    {"rmdir", "after a directory was deleted with all it held", empties},
    {"signal", "after a background process was signalled", signals},
    {"tail", "after a part of a file was read", peeks},
    {"upload", "after an upload of at least 48 KiB", uploads},
    {"variable", "after a command was given variables", sets},
};
enum { GUARD_COUNT = sizeof table / sizeof *table };

static bool opened[GUARD_COUNT], opening[GUARD_COUNT];

const struct guard *guard_at(size_t index)
{
    return index < GUARD_COUNT ? &table[index] : NULL;
}

const struct guard *guard_find(struct bytes id)
{
    for (size_t i = 0; i < GUARD_COUNT; i++)
        if (bytes_equal_string(id, table[i].id))
            return &table[i];
    return NULL;
}

static void open_one(size_t i)
{
    if (!opened[i])
        faults_opened(&table[i]);
    opened[i] = true;
}

void guards_message(void)
{
    for (size_t i = 0; i < GUARD_COUNT; i++)
        if (opening[i])
            open_one(i);
}

void guards_call(const struct call *c)
{
    for (size_t i = 0; i < GUARD_COUNT; i++)
        opening[i] |= table[i].opens && table[i].opens(c);
}

void guards_cancel(void)
{
    for (size_t i = 0; i < GUARD_COUNT; i++)
        if (!table[i].opens)
            open_one(i);
}

bool guard_is_open(const struct guard *g)
{
    return !g || opened[g - table];
}
