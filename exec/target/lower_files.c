/* Lowered ops that look at files. */
#include "exec/target/lower_internal.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SCRIPT_SPACE = 256 * 1024 };

static void script_init(struct buf *script)
{
    buf_init(script, SCRIPT_SPACE);
}

/* --- read, download --- */

/* A part of a file, which needs a pipe, whose status is not that of the one that reads. So what can be told
 * before is told by programs that say it properly; a pipe is opened but once. */
static void read_part(struct lowered *l, struct bytes path, int64_t offset, int64_t length)
{
    struct buf script;
    script_init(&script);
    buf_add_string(&script, "[ -p ");
    lower_add_path(&script, path);
    buf_add_string(&script, " ] || head -c 0 -- ");
    lower_add_path(&script, path);
    buf_add_string(&script, " || exit 1; if [ -d ");
    lower_add_path(&script, path);
    buf_add_string(&script, " ]; then echo 'Is a directory' >&2; exit 1; fi; exec 3<");
    lower_add_path(&script, path);
    buf_add_string(&script, " || exit 1; ");
    if (offset)
        buf_addf(&script, "tail -c +%lld <&3%s", (long long)offset + 1, length >= 0 ? " | " : "");
    if (length >= 0)
        buf_addf(&script, "head -c %lld%s", (long long)length, offset ? "" : " <&3");
    lower_shell(l, &script, NULL);
}

static void read_whole(struct lowered *l, struct bytes path)
{
    struct buf script;
    script_init(&script);
    buf_add_string(&script, "cat -- ");
    lower_add_path(&script, path);
    lower_shell(l, &script, NULL);
}

static void read_lines(struct lowered *l, struct bytes path, const char *command, int64_t lines)
{
    struct buf script;
    script_init(&script);
    buf_addf(&script, "%s -n %lld -- ", command, (long long)lines);
    lower_add_path(&script, path);
    lower_shell(l, &script, NULL);
}

static void read_begin(struct lowered *l)
{
    struct bytes path;
    int64_t offset = 0, length = -1, head = -1, tail = -1;
    if (!lower_path(l, "path", &path) || !lower_number(l, "offset", 0, INT64_MAX - 1, &offset) ||
        !lower_number(l, "length", 0, INT64_MAX, &length) || !lower_number(l, "head", 0, INT64_MAX, &head) ||
        !lower_number(l, "tail", 0, INT64_MAX, &tail))
        return;
    if (head >= 0 && tail >= 0)
        call_skip(l->call, "head and tail: only one of them can be asked for");
    else if (head >= 0 || tail >= 0)
        read_lines(l, path, head >= 0 ? "head" : "tail", head >= 0 ? head : tail);
    else if (offset || length >= 0)
        read_part(l, path, offset, length);
    else
        read_whole(l, path);
}

static void content_reply(struct lowered *l, const struct lower_answer *answer)
{
    if (answer->exit != 0) {
        lower_fail(l, answer);
        return;
    }
    lower_done(l);
    call_put_bytes(l->call, "content", answer->out);
    l->call->outcome.raw = answer->out;
}

static void download_begin(struct lowered *l)
{
    struct bytes path;
    if (lower_path(l, "path", &path))
        read_whole(l, path);
}

/* --- list, search --- */

static int by_bytes(const void *a, const void *b)
{
    return bytes_compare(*(const struct bytes *)a, *(const struct bytes *)b);
}

/* Names as find -print0 gives them, "./name" each. */
static void entries_reply(struct lowered *l, const struct lower_answer *answer)
{
    if (answer->exit != 0) {
        lower_fail(l, answer);
        return;
    }
    size_t count = 0;
    for (size_t i = 0; i < answer->out.len; i++)
        count += answer->out.data[i] == '\0';
    struct bytes *names = arena_alloc(l->a, (count + 1) * sizeof *names);
    size_t from = 0;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *end = memchr(answer->out.data + from, '\0', answer->out.len - from);
        size_t to = (size_t)(end - answer->out.data);
        names[i] = bytes_slice(answer->out, from, to);
        if (bytes_starts(names[i], BYTES_LITERAL("./")))
            names[i] = bytes_slice(names[i], 2, names[i].len);
        from = to + 1;
    }
    qsort(names, count, sizeof *names, by_bytes);
    lower_done(l);
    struct json *entries = json_set(l->a, call_result(l->call), "entries", json_new(l->a, JSON_ARRAY));
    for (size_t i = 0; i < count; i++)
        json_add(entries, json_string(l->a, names[i]));
}

static void list_begin(struct lowered *l)
{
    struct bytes path;
    struct buf script;
    if (!lower_path(l, "path", &path))
        return;
    script_init(&script);
    lower_add_enter(&script, path);
    buf_add_string(&script, "find . -mindepth 1 -maxdepth 1 -print0");
    lower_shell(l, &script, NULL);
}

static void search_begin(struct lowered *l)
{
    struct bytes path, pattern, content = BYTES_NONE;
    struct buf script;
    bool by_content = json_get(l->call->args, "content") != NULL;
    if (!lower_path(l, "path", &path) || !lower_text(l, "pattern", &pattern) ||
        (by_content && !lower_text(l, "content", &content)))
        return;
    script_init(&script);
    lower_add_enter(&script, path);
    buf_add_string(&script, "find . -mindepth 1 -name ");
    lower_add_quoted(&script, pattern);
    if (by_content) {
        buf_add_string(&script, " -type f -exec grep -qF -e ");
        lower_add_quoted(&script, content);
        buf_add_string(&script, " -- {} \\;");
    }
    buf_add_string(&script, " -print0");
    lower_shell(l, &script, NULL);
}

/* --- stat --- */

static void stat_reply(struct lowered *l, const struct lower_answer *answer)
{
    unsigned mode;
    long long size;
    char text[64] = "";
    memcpy(text, answer->out.data ? (const char *)answer->out.data : "",
           answer->out.len < 63 ? answer->out.len : 63);
    if (answer->exit != 0) {
        lower_fail(l, answer);
        return;
    }
    char *end;
    mode = (unsigned)strtoul(text, &end, 16);
    size = strtoll(end, NULL, 10);
    if (end == text || *end != ' ') {
        call_fail(l->call, OUTCOME_TRANSPORT_ERROR, 0, "the answer of the command cannot be read");
        return;
    }
    const char *kind = S_ISREG(mode)   ? "file"
                       : S_ISDIR(mode) ? "directory"
                       : S_ISLNK(mode) ? "link"
                                       : "other";
    lower_done(l);
    call_put_bytes(l->call, "kind", bytes_of_string(kind));
    call_put_integer(l->call, "size", size);
    call_put_integer(l->call, "mode", mode & 07777);
}

const struct lower_row lower_file_rows[] = {
    {.op = "read", .need = "run:sh", .begin = read_begin, .reply = content_reply},
    {.op = "download", .need = "run:sh", .begin = download_begin, .reply = content_reply},
    {.op = "list", .need = "run:sh", .begin = list_begin, .reply = entries_reply},
    {.op = "search", .need = "run:sh", .begin = search_begin, .reply = entries_reply},
    {.op = "stat",
     .need = "run:sh",
     .begin = lower_simple,
     .command = "stat -c '%f %s' -- %p",
     .reply = stat_reply},
    {0},
};
