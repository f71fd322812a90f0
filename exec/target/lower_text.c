/* Quoting for the shell, arguments, and what a command's complaint means. */
#include "exec/target/lower_internal.h"

#include <errno.h>
#include <string.h>

#include "base/encode.h"

void lower_add_quoted(struct buf *script, struct bytes text)
{
    buf_add_byte(script, '\'');
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '\'')
            buf_add_string(script, "'\\''");
        else
            buf_add_byte(script, text.data[i]);
    }
    buf_add_byte(script, '\'');
}

void lower_add_path(struct buf *script, struct bytes path)
{
    if (bytes_starts(path, BYTES_LITERAL("~/"))) {
        buf_add_string(script, "~/");
        path = bytes_slice(path, 2, path.len);
    }
    lower_add_quoted(script, path);
}

void lower_add_enter(struct buf *script, struct bytes directory)
{
    buf_add_string(script, "_taskgen=$(ls -d -- "); /* for its message; not every root file system has a /dev/null */
    lower_add_path(script, directory);
    buf_add_string(script, "/.) && cd -- ");
    lower_add_path(script, directory);
    buf_add_string(script, "/. || exit 1; ");
}

void lower_add_base64(struct buf *script, struct bytes data)
{
    base64_encode(script, data);
}

bool lower_text(struct lowered *l, const char *arg, struct bytes *text)
{
    if (!call_bytes(l->call, arg, text)) {
        call_skip(l->call, arena_printf(l->a, "%s: a command needs it as text", arg));
        return false;
    }
    if (text->len && memchr(text->data, '\0', text->len)) {
        call_skip(l->call, arena_printf(l->a, "%s: a command's argument cannot hold a NUL", arg));
        return false;
    }
    return true;
}

bool lower_path(struct lowered *l, const char *arg, struct bytes *path)
{
    struct bytes given;
    if (!lower_text(l, arg, &given))
        return false;
    const char *as = strcmp(arg, "to") == 0 && l->call->to_as ? l->call->to_as : l->call->path_as;
    if (!as)
        as = l->s->driver->spelling ? l->s->driver->spelling : "absolute";
    *path = session_spell(l->s, given, as, l->a);
    if (bytes_starts(*path,
                     BYTES_LITERAL(
                         "-"))) { /* an option to some, standard input to others, whatever stands before it */
        uint8_t *plain = arena_alloc(l->a, path->len + 2);
        memcpy(plain, "./", 2);
        memcpy(plain + 2, path->data, path->len);
        *path = bytes_of(plain, path->len + 2);
    }
    return true;
}

bool lower_number(struct lowered *l, const char *arg, int64_t low, int64_t high, int64_t *value)
{
    bool present;
    int64_t number;
    bool good = call_integer(l->call, arg, &number, &present);
    if (!present)
        return true;
    if (!good || number < low || number > high) {
        call_skip(l->call, arena_printf(l->a, "%s: no number that a command can be told", arg));
        return false;
    }
    *value = number;
    return true;
}

/* strerror's texts, and what shells say instead. */
static const struct {
    const char *text;
    int error;
} complaints[] = {
    {"No such file or directory", ENOENT},
    {"nonexistent", ENOENT},
    {"No such file", ENOENT},
    {"Permission denied", EACCES},
    {"Operation not permitted", EPERM},
    {"File exists", EEXIST},
    {"Is a directory", EISDIR},
    {"Not a directory", ENOTDIR},
    {"Directory not empty", ENOTEMPTY},
    {"No space left on device", ENOSPC},
    {"Read-only file system", EROFS},
    {"File name too long", ENAMETOOLONG},
    {"Too many levels of symbolic links", ELOOP},
    {"Disk quota exceeded", EDQUOT},
    {"File too large", EFBIG},
    {"Invalid argument", EINVAL},
    {"Argument list too long", E2BIG},
    {"Resource temporarily unavailable", EAGAIN},
    {"Cannot allocate memory", ENOMEM},
    {"Text file busy", ETXTBSY},
    {"Device or resource busy", EBUSY},
    {"Invalid cross-device link", EXDEV},
    {"Too many open files", EMFILE},
    {"Too many links", EMLINK},
    {"Input/output error", EIO},
    {"Connection refused", ECONNREFUSED},
    {"Connection reset by peer", ECONNRESET},
    {"Network is unreachable", ENETUNREACH},
    {"No route to host", EHOSTUNREACH},
    {"Connection timed out", ETIMEDOUT},
    {"timed out", ETIMEDOUT},
    {"Address already in use", EADDRINUSE},
    {"No such process", ESRCH},
    {"no such job", ESRCH},
    {"still running", ETIMEDOUT},
    {"command not found", ENOENT},
    {"not found", ENOENT},
};

int lower_errno(struct bytes text)
{
    for (size_t i = 0; i < sizeof complaints / sizeof *complaints; i++)
        if (bytes_find(text, bytes_of_string(complaints[i].text), 0) >= 0)
            return complaints[i].error;
    return 0;
}
