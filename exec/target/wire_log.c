/* The log of what was sent. Bytes are gathered until a line comes from the target, so that a message written in pieces is one
 * entry, and a mark or the end closes it. */
#include "exec/target/wire_log.h"

#include "base/encode.h"
#include "base/json.h"
#include "base/utf8.h"

#include <string.h>

enum { LOG_MAX = 256 * 1024 };

void wire_log_init(struct wire_log *l, const char *root)
{
    *l = (struct wire_log){.root = root};
    buf_init(&l->entries, LOG_MAX);
    buf_init(&l->waiting, LOG_MAX);
}

void wire_log_release(struct wire_log *l)
{
    buf_release(&l->entries);
    buf_release(&l->waiting);
}

void wire_log_placed(struct buf *out, struct bytes data, const char *text, const char *place)
{
    struct bytes name = bytes_of_string(text ? text : "");
    for (size_t at = 0; at < data.len;) {
        ptrdiff_t found = name.len ? bytes_find(data, name, at) : -1;
        size_t end = found < 0 ? data.len : (size_t)found;
        buf_add(out, bytes_slice(data, at, end));
        if (found >= 0)
            buf_add_string(out, place);
        at = end + (found < 0 ? 0 : name.len);
    }
}

void wire_log_unrooted(struct buf *out, struct bytes data, const char *root)
{
    wire_log_placed(out, data, root, WIRE_LOG_ROOT);
}

static void close_entry(struct wire_log *l)
{
    struct bytes data = buf_bytes(&l->waiting);
    if (!data.len)
        return;
    struct buf plain;
    buf_init(&plain, 2 * (size_t)LOG_MAX);
    wire_log_unrooted(&plain, data, l->root);
    buf_addf(&l->entries, "%s{\"after\":%llu,", l->entries.len ? "," : "", (unsigned long long)l->lines);
    if (utf8_valid(buf_bytes(&plain))) {
        buf_add_string(&l->entries, "\"text\":");
        json_write_string(&l->entries, buf_bytes(&plain));
    } else {
        buf_add_string(&l->entries, "\"base64\":\"");
        base64_encode(&l->entries, buf_bytes(&plain));
        buf_add_byte(&l->entries, '"');
    }
    buf_add_byte(&l->entries, '}');
    buf_release(&plain);
    buf_clear(&l->waiting);
}

static void check(struct wire_log *l)
{
    if (!l->entries.overflow && !l->waiting.overflow)
        return;
    l->too_long = true;
    wire_log_release(l);
    buf_init(&l->entries, LOG_MAX);
    buf_init(&l->waiting, LOG_MAX);
}

void wire_log_sent(struct wire_log *l, struct bytes data)
{
    if (!l || l->too_long)
        return;
    buf_add(&l->waiting, data);
    check(l);
}

void wire_log_came(struct wire_log *l)
{
    if (!l)
        return;
    if (!l->too_long)
        close_entry(l);
    l->lines++;
    check(l);
}

/* A string, or {"base64":…} where it is no UTF-8. */
static void add_value(struct wire_log *l, struct bytes data)
{
    struct buf plain;
    buf_init(&plain, 2 * (size_t)LOG_MAX);
    wire_log_unrooted(&plain, data, l->root);
    l->entries.overflow |= plain.overflow;
    if (utf8_valid(buf_bytes(&plain))) {
        json_write_string(&l->entries, buf_bytes(&plain));
    } else {
        buf_add_string(&l->entries, "{\"base64\":\"");
        base64_encode(&l->entries, buf_bytes(&plain));
        buf_add_string(&l->entries, "\"}");
    }
    buf_release(&plain);
}

static void add_words(struct wire_log *l, const char *name, const char *const *words)
{
    buf_addf(&l->entries, "\"%s\":[", name);
    for (size_t i = 0; words[i]; i++) {
        buf_add_string(&l->entries, i ? "," : "");
        add_value(l, bytes_of_string(words[i]));
    }
    buf_add_byte(&l->entries, ']');
}

void wire_log_program(struct wire_log *l, const struct wire_program *p)
{
    if (l->too_long || !l->inside)
        return;
    close_entry(l); /* what was said to a browser beside which it runs */
    buf_add_string(&l->entries, l->entries.len ? ",{" : "{");
    add_words(l, p->stays ? "start" : "run", p->words);
    buf_add_string(&l->entries, ",\"in\":");
    add_value(l, bytes_of_string(p->in));
    buf_add_byte(&l->entries, ',');
    add_words(l, "env", p->env);
    if (p->input.len) {
        buf_add_string(&l->entries, ",\"stdin\":");
        add_value(l, p->input);
    }
    buf_add_byte(&l->entries, '}');
    l->lines++;
    check(l);
}

void wire_log_spoil(struct wire_log *l)
{
    if (l)
        l->too_long = true;
}

void wire_log_mark(struct wire_log *l, const char *what, size_t index)
{
    if (l->too_long)
        return;
    l->inside = strcmp(what, "step") == 0;
    close_entry(l);
    buf_addf(&l->entries, "%s{\"%s\":%zu}", l->entries.len ? "," : "", what, index);
    check(l);
}

void wire_log_write(struct wire_log *l, struct buf *out)
{
    if (!l->too_long)
        close_entry(l);
    check(l);
    if (!l->too_long && l->lines)
        buf_addf(out, "[%s]", buf_string(&l->entries));
}
