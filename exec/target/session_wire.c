/* What was sent to a session's target, for scripts that send it again: the log, and the words that start the target with placeholders
 * where directories and the port of this session stand. */
#include <stdlib.h>
#include <string.h>

#include "exec/target/driver.h"
#include "exec/target/spec.h"

void session_wire_mark(struct session *s, const char *what, size_t index)
{
    wire_log_mark(&s->wire, what, index);
}

/* Where the text stands in the buffer, the name of a placeholder stands instead. */
static void placeholder(struct buf *word, const char *text, const char *name)
{
    char *copy = xstrdup(buf_string(word)), *at = copy;
    buf_clear(word);
    for (char *found; (found = strstr(at, text)); at = found + strlen(text)) {
        buf_add(word, bytes_of((const uint8_t *)at, (size_t)(found - at)));
        buf_add_string(word, name);
    }
    buf_add_string(word, at);
    free(copy);
}

/* The address, and behind it what starts the server, with the placeholders in them: port and directories are others each time. Of
 * the variables for it those that have such a place; the others may be nobody else's business. */
static char **words_of_http(const struct session *s)
{
    const struct target_options *o = &s->target->options;
    struct strings list = {0};
    char **start = NULL;
    strings_add(&list, s->target->words[0]);
    if (o->start && spec_split(o->start, &start, NULL) == 0) {
        strings_add(&list, "env");
        for (size_t i = 0; o->env && o->env[i]; i++)
            if (strchr(o->env[i], '{'))
                strings_add(&list, o->env[i]);
        strings_add_all(&list, (const char *const *)start);
        strings_free(start);
    }
    return list.items;
}

static char **words_of(const struct session *s)
{
    const struct driver *d = s->driver;
    return d == &driver_http ? words_of_http(s) : d->wire_words ? d->wire_words(s) : session_words(s);
}

void session_wire_log(struct session *s, struct buf *wire, struct buf *command)
{
    size_t before = wire->len;
    wire_log_write(&s->wire, wire);
    if (wire->len == before)
        return;
    char **words = words_of(s);
    buf_add_byte(command, '[');
    for (size_t i = 0; words[i]; i++) {
        struct buf word;
        buf_init(&word, 1 << 20);
        wire_log_unrooted(&word, bytes_of_string(words[i]), s->root);
        placeholder(&word, s->home, "{home}");
        buf_add_string(command, i ? "," : "");
        json_write_string(command, buf_bytes(&word));
        buf_release(&word);
    }
    buf_add_byte(command, ']');
    strings_free(words);
}
