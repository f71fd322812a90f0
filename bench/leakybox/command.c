/* How the end and the output of a command are told; see command.h. */
#include "leakybox/command.h"

#include <string.h>
#include <sys/wait.h>

#include "base/encode.h"
#include "base/utf8.h"

static struct json *borrow(struct arena *a, struct bytes text)
{
    struct json *value = json_new(a, JSON_STRING);

    value->text = text;
    return value;
}

void command_set_end(struct arena *a, struct json *result, const struct job *j, int exit_code)
{
    int number = WIFSIGNALED(j->status) ? WTERMSIG(j->status) : 0;
    const char *name = number ? sigabbrev_np(number) : NULL;

    json_set(a, result, "exit_code", json_integer(a, exit_code));
    if (number)
        json_set(a, result, "signal", json_text(a, name ? name : arena_printf(a, "%d", number)));
}

void command_set_stream(struct arena *a, struct json *result, const char *name, struct bytes kept,
                        uint64_t total)
{
    if (utf8_valid(kept)) {
        json_set(a, result, name, borrow(a, kept));
    } else {
        struct buf text;

        buf_init(&text, kept.len / 3 * 4 + 8);
        base64_encode(&text, kept);
        json_set(a, result, arena_printf(a, "%s_base64", name), json_string(a, buf_bytes(&text)));
        buf_release(&text);
    }
    json_set(a, result, arena_printf(a, "%s_bytes", name), json_integer(a, (int64_t)total));
}

/* A cut in the middle of a character would turn a text into base64: cut before it. */
struct bytes command_output(const struct buf *kept, uint64_t total)
{
    struct bytes b = buf_bytes(kept);

    if (total > b.len) {
        size_t valid = utf8_valid_prefix(b);

        if (b.len - valid < 4)
            b.len = valid;
    }
    return b;
}
