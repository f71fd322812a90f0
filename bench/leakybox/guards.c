/* Deeds, guards and how far each has come; see guards.h. */
#include "leakybox/guards.h"

#include <stdio.h>
#include <string.h>

#include "leakybox/faults.h"

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

static bool waits(const struct call *c)
{
    return is(c, "wait_process") || is(c, "poll_process");
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

static const struct guard_deed deeds[] = {
    {"append", "something was appended", appends},
    {"download", "a file was downloaded", downloads},
    {"edit", "a file was edited", edits},
    {"input", "a command was given input", feeds},
    {"mkdir", "a directory was made", makes},
    {"move", "a file was moved", moves},
    {"note", "a note was written or read", notes},
    {"poll", "a background process was asked about", waits},
    {"tail", "a part of a file was read", peeks},
    {"variable", "a command was given variables", sets},
};

static const struct guard table[] = {
    {"cache", {"edit", "input", "append"}},
    {"index", {"note", "tail", "mkdir"}},
    {"journal", {"download", "variable", "mkdir"}},
    {"lease", {"move", "append", "poll"}},
    {"quota", {"variable", "tail", "append"}},
    {"watch", {"tail", "variable", "edit"}},
};
enum { GUARD_COUNT = sizeof table / sizeof *table };

/* How many of its deeds have been done, in their order; and those that the message at work does. */
static size_t done[GUARD_COUNT];
static bool doing[GUARD_COUNT];

const struct guard *guard_find(struct bytes id)
{
    for (size_t i = 0; i < GUARD_COUNT; i++)
        if (bytes_equal_string(id, table[i].id))
            return &table[i];
    return NULL;
}

const struct guard_deed *guard_deed(const struct guard *g, size_t index)
{
    for (size_t i = 0; index < GUARD_DEEDS && i < sizeof deeds / sizeof *deeds; i++)
        if (!strcmp(deeds[i].id, g->deeds[index]))
            return &deeds[i];
    return NULL;
}

/* A server with state tells of it where its owner looks, not in its answers. */
static void say(size_t i)
{
    fprintf(stderr, "leakybox: %s:", table[i].id);
    for (size_t k = 0; k < done[i]; k++)
        fprintf(stderr, " %s", table[i].deeds[k]);
    fputc('\n', stderr);
}

void guards_message(void)
{
    for (size_t i = 0; i < GUARD_COUNT; i++) {
        if (!doing[i])
            continue;
        doing[i] = false;
        done[i]++;
        say(i);
        if (done[i] == GUARD_DEEDS)
            faults_opened(&table[i]);
    }
}

void guards_call(const struct call *c)
{
    for (size_t i = 0; i < GUARD_COUNT; i++)
        doing[i] |= done[i] < GUARD_DEEDS && faults_behind(&table[i]) && guard_deed(&table[i], done[i])->done_by(c);
}

bool guard_is_open(const struct guard *g)
{
    return !g || done[g - table] == GUARD_DEEDS;
}
