/* Calling tools and answering; see tools.h. */
#include "leakybox/tools.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "leakybox/faults.h"
#include "leakybox/guards.h"
#include "leakybox/rpc.h"
#include "leakybox/text.h"

const struct tool *tool_find(struct bytes name)
{
    const struct tool *tool;

    for (size_t i = 0; (tool = tool_at(i)); i++)
        if (bytes_equal_string(name, tool->name))
            return tool;
    return NULL;
}

void call_text(struct call *c, struct bytes text)
{
    rpc_text(c->server, c->id, text, false);
}

void call_textf(struct call *c, const char *format, ...)
{
    char text[8192];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    call_text(c, bytes_of_string(text));
}

void call_failed(struct call *c, const char *format, ...)
{
    char text[8192];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    rpc_text(c->server, c->id, bytes_of_string(text), true);
}

void call_failed_errno(struct call *c, const char *verb, const struct place *p, int number)
{
    struct fault_failure event = {.tool = c->tool, .number = number};
    struct buf text;

    faults_failure(&event);
    if (event.wordless) {
        call_failed(c, "%s", "");
        return;
    }
    buf_init(&text, 4096);
    if (p) {
        buf_add_byte(&text, ' ');
        text_quote(&text, p->relative.len ? buf_bytes(&p->relative) : BYTES_LITERAL("."));
    }
    buf_add_string(&text, ": ");
    text_errno(&text, number);
    call_failed(c, "cannot %s%s", verb, buf_string(&text));
    buf_release(&text);
}

bool call_place(struct call *c, const char *arg, unsigned flags, struct place *p)
{
    struct fault_path event = {
        .tool = c->tool, .arena = c->arena, .root = &c->server->root, .path = call_bytes(c, arg)};
    const uint8_t *nul;
    struct buf why;
    bool found;

    faults_path(&event);
    nul = event.path.len ? memchr(event.path.data, 0, event.path.len) : NULL;
    if (nul) {
        call_failed(c, "%s holds a NUL byte at byte %zu, which no file name can", arg,
                    (size_t)(nul - event.path.data));
        return false;
    }
    buf_init(&why, 8192);
    found = (event.anywhere ? place_find_anywhere(event.root, event.path, p, &why)
                            : place_find(event.root, event.path, flags, p, &why)) == PLACE_OK;
    if (!found)
        call_failed(c, "%s: %s", arg, buf_string(&why));
    buf_release(&why);
    return found;
}

const char *place_kind(const struct stat *st)
{
    switch (st->st_mode & S_IFMT) {
    case S_IFREG:
        return "a file";
    case S_IFDIR:
        return "a directory";
    case S_IFLNK:
        return "a link";
    case S_IFIFO:
        return "a FIFO";
    case S_IFSOCK:
        return "a socket";
    default:
        return "a device";
    }
}

void tool_call(struct call *c)
{
    struct fault_call event = {.call = c};

    guards_call(c);
    faults_call(&event);
    if (!event.taken && call_check_args(c))
        c->tool->run(c);
}
