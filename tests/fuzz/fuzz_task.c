/* Any bytes through the task reader, and what it accepts through the writers and back.
 *
 * Held true: a record is refused with a message, or reads as a task whose canonical record reads back as the
 * same bytes and the same id; a copy writes the same; the text for reading holds no control characters but
 * line feeds. */
#include <stdlib.h>
#include <string.h>

#include "gen/task.h"
#include "fuzz_case.h"

static void write_all(const struct task *t, struct buf *record)
{
    struct buf text;
    buf_init(&text, SIZE_MAX / 2);
    buf_init(record, SIZE_MAX / 2);
    task_write(t, record);
    task_write_text(t, &text);
    for (size_t i = 0; i < text.len; i++)
        require(text.data[i] >= 0x20 || text.data[i] == '\n');
    buf_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct task *t = NULL;
    struct error *err = NULL;
    if (task_read(vocabulary(), bytes_of(data, size), "fuzz", &t, &err) < 0) {
        require(t == NULL && err && err->text && !strchr(err->text, '\n'));
        error_free(err);
        return 0;
    }
    struct buf first, second;
    write_all(t, &first);
    struct task *back = NULL;
    require(task_read(vocabulary(), buf_bytes(&first), "fuzz", &back, NULL) == 0);
    struct task *copy = task_copy(back);
    write_all(copy, &second);
    require(bytes_equal(buf_bytes(&first), buf_bytes(&second)) && strcmp(t->id, copy->id) == 0);
    buf_release(&first);
    buf_release(&second);
    task_free(copy);
    task_free(back);
    task_free(t);
    return 0;
}
