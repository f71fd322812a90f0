/* Lowered ops that change files. */
#include "exec/target/lower_internal.h"

#include <errno.h>
#include <string.h>

enum { SCRIPT_SPACE = 256 * 1024 };

/* --- commands that need no more than their paths --- */

void lower_simple(struct lowered *l)
{
    struct buf script;
    buf_init(&script, SCRIPT_SPACE);
    for (const char *at = l->row->command; *at; at++) {
        struct bytes path;
        if (at[0] != '%' || (at[1] != 'p' && at[1] != 't')) {
            buf_add_byte(&script, (uint8_t)*at);
            continue;
        }
        if (!lower_path(l, *++at == 'p' ? "path" : "to", &path)) {
            buf_release(&script);
            return;
        }
        lower_add_path(&script, path);
    }
    lower_shell(l, &script, NULL);
}

/* --- content --- */

struct put {
    struct bytes path, content;
    size_t at;   /* where the next piece begins */
    bool append; /* the next piece too */
};

static void put_piece(struct lowered *l, struct put *p)
{
    struct buf script;
    buf_init(&script, SCRIPT_SPACE);
    struct bytes piece = bytes_slice(p->content, p->at, p->at + LOWER_PIECE);
    bool by_stdin = l->channel & RUN_STDIN;
    if (by_stdin) {
        piece = p->content;
        buf_add_string(&script, "cat");
    } else {
        buf_add_string(&script, "printf %s '");
        lower_add_base64(&script, piece);
        buf_add_string(&script, "' | base64 -d");
    }
    buf_add_string(&script, p->append ? " >>" : " >");
    lower_add_path(&script, p->path);
    p->at += piece.len;
    p->append = true;
    lower_shell(l, &script, by_stdin ? &piece : NULL);
}

void lower_put(struct lowered *l, struct bytes path, struct bytes content, bool append)
{
    struct put *p = arena_alloc(l->a, sizeof *p);
    *p = (struct put){.path = path, .content = content, .append = append};
    l->own = p;
    put_piece(l, p);
}

void lower_put_reply(struct lowered *l, const struct lower_answer *answer)
{
    struct put *p = l->own;
    if (answer->exit != 0)
        lower_fail(l, answer);
    else if (p->at < p->content.len)
        put_piece(l, p);
    else
        lower_done(l);
}

static bool content_argument(struct lowered *l, const char *name, struct bytes *content)
{
    if (call_bytes(l->call, name, content))
        return true;
    call_skip(l->call, arena_printf(l->a, "%s: a command needs it as bytes", name));
    return false;
}

static void write_begin(struct lowered *l)
{
    struct bytes path, content;
    if (lower_path(l, "path", &path) && content_argument(l, "content", &content))
        lower_put(l, path, content, strcmp(l->row->op, "append") == 0);
}

/* --- edit: read all, replace here, write all --- */

struct edit {
    struct bytes path, old, new;
    bool writing;
};

static void edit_begin(struct lowered *l)
{
    struct edit *e = arena_alloc(l->a, sizeof *e);
    struct buf script;
    if (!lower_path(l, "path", &e->path) || !content_argument(l, "old", &e->old) ||
        !content_argument(l, "new", &e->new))
        return;
    buf_init(&script, SCRIPT_SPACE);
    l->own = e;
    buf_add_string(&script, "cat -- ");
    lower_add_path(&script, e->path);
    lower_shell(l, &script, NULL);
}

/* The one place where old stands; -1, with the outcome set, when there is none or more than one. */
static ptrdiff_t only_place(struct lowered *l, struct bytes text, struct bytes old)
{
    ptrdiff_t at = old.len ? bytes_find(text, old, 0) : -1;
    if (l->call->outcome.truncated)
        call_fail(l->call, OUTCOME_TOOL_ERROR, EFBIG, "the file is longer than what is read of one");
    else if (at < 0)
        call_fail(l->call, OUTCOME_TOOL_ERROR, EINVAL, "the old text does not stand in the file");
    else if (bytes_find(text, old, (size_t)at + 1) >= 0)
        call_fail(l->call, OUTCOME_TOOL_ERROR, EINVAL, "the old text stands in the file more than once");
    else
        return at;
    return -1;
}

static void edit_reply(struct lowered *l, const struct lower_answer *answer)
{
    struct edit *e = l->own;
    if (answer->exit != 0) {
        lower_fail(l, answer);
        return;
    }
    ptrdiff_t at = only_place(l, answer->out, e->old);
    if (at < 0)
        return;
    struct buf text;
    buf_init(&text, answer->out.len + e->new.len);
    buf_add(&text, bytes_slice(answer->out, 0, (size_t)at));
    buf_add(&text, e->new);
    buf_add(&text, bytes_slice(answer->out, (size_t)at + e->old.len, answer->out.len));
    struct bytes whole = arena_copy(l->a, buf_bytes(&text));
    buf_release(&text);
    lower_put(l, e->path, whole, false);
}

static void edit_replies(struct lowered *l, const struct lower_answer *answer)
{
    if (l->step == 1)
        edit_reply(l, answer);
    else
        lower_put_reply(l, answer);
}

/* --- the others --- */

static void remove_begin(struct lowered *l)
{
    struct bytes path;
    struct buf script;
    if (!lower_path(l, "path", &path))
        return;
    buf_init(&script, SCRIPT_SPACE);
    buf_add_string(&script,
                   json_as_bool(json_get(l->call->args, "recursive"), false) ? ": | rm -r -- " : ": | rm -- ");
    lower_add_path(&script, path); /* from a pipe, so that rm asks nobody */
    lower_shell(l, &script, NULL);
}

static void chmod_begin(struct lowered *l)
{
    struct bytes path;
    struct buf script;
    int64_t mode = -1;
    if (!lower_path(l, "path", &path) || !lower_number(l, "mode", 0, 07777, &mode))
        return;
    if (mode < 0) {
        call_skip(l->call, "mode: a command needs it");
        return;
    }
    buf_init(&script, SCRIPT_SPACE);
    buf_addf(&script, "chmod %04o -- ", (unsigned)mode);
    lower_add_path(&script, path);
    lower_shell(l, &script, NULL);
}

/* What a symbolic link points to is stored as given; a hard link's is a path like others. */
static void link_begin(struct lowered *l)
{
    struct bytes path, to, kind = BYTES_LITERAL("symbolic");
    struct buf script;
    call_bytes(l->call, "kind", &kind);
    bool hard = bytes_equal_string(kind, "hard");
    if (!lower_path(l, "path", &path) || !(hard ? lower_path(l, "to", &to) : lower_text(l, "to", &to)))
        return;
    buf_init(&script, SCRIPT_SPACE);
    buf_add_string(&script, hard ? "ln -T -- " : "ln -s -T -- ");
    if (hard)
        lower_add_path(&script, to);
    else
        lower_add_quoted(&script, to);
    buf_add_byte(&script, ' ');
    lower_add_path(&script, path);
    lower_shell(l, &script, NULL);
}

const struct lower_row lower_change_rows[] = {
    {.op = "write", .need = "run:sh", .begin = write_begin, .reply = lower_put_reply},
    {.op = "append", .need = "run:sh", .begin = write_begin, .reply = lower_put_reply},
    {.op = "upload", .need = "run:sh", .begin = write_begin, .reply = lower_put_reply},
    {.op = "edit", .need = "run:sh", .begin = edit_begin, .reply = edit_replies},
    {.op = "mkdir", .need = "run:sh", .begin = lower_simple, .command = "mkdir -p -- %p"},
    {.op = "move", .need = "run:sh", .begin = lower_simple, .command = "mv -T -- %p %t"},
    {.op = "copy", .need = "run:sh", .begin = lower_simple, .command = "cp -T -- %p %t"},
    {.op = "remove", .need = "run:sh", .begin = remove_begin},
    {.op = "chmod", .need = "run:sh", .begin = chmod_begin},
    {.op = "link", .need = "run:sh", .begin = link_begin},
    {0},
};
