/* The tools for notes: short texts that outlive the session, in notes.jsonl in the root, one JSON object a
 * line. A line that is no note (others may write there, and a write may be cut off) is passed over and
 * counted. */
#include "base/error.h"
#include "leakybox/content.h"
#include "leakybox/faults.h"

enum { NOTES_MAX_BYTES = 4 * 1024 * 1024 };

/* Finds the store; false when the call was answered. */
static bool find_store(struct call *c, struct place *p)
{
    struct buf why;
    bool found;

    buf_init(&why, 8192);
    found = place_find(&c->server->root, BYTES_LITERAL("notes.jsonl"), PLACE_FOLLOW, p, &why) == PLACE_OK;
    if (!found)
        call_failed(c, "notes: %s", buf_string(&why));
    buf_release(&why);
    return found;
}

/* The text of the note that stands in a line, or NULL. */
static const struct json *note_of(struct arena *a, struct bytes line)
{
    struct json *value = NULL, *note = NULL;
    struct error *err = NULL;

    if (json_read(a, line, NULL, "note", &value, NULL, &err) == 0 && json_is(value, JSON_OBJECT))
        note = json_get(value, "note");
    error_free(err);
    return json_is(note, JSON_STRING) ? note : NULL;
}

/* Adds the notes to `out`, an empty line between them, and returns how many lines are none. */
static size_t read_lines(struct arena *a, struct bytes data, struct buf *out)
{
    size_t bad = 0;

    for (size_t from = 0; from < data.len;) {
        ptrdiff_t end = bytes_find(data, BYTES_LITERAL("\n"), from);
        size_t to = end < 0 ? data.len : (size_t)end;
        const struct json *note = note_of(a, bytes_slice(data, from, to));

        if (note) {
            buf_add_string(out, out->len ? "\n\n" : "");
            buf_add(out, note->text);
        } else {
            bad += to > from;
        }
        from = to + 1;
    }
    return bad;
}

/* What the store holds: its bytes, the notes in it, and how many lines are none. False when the call was
 * answered. */
static bool load_notes(struct call *c, const struct place *p, struct buf *data, struct buf *notes,
                       size_t *bad)
{
    const struct content_part whole = {.length = -1};
    struct fault_notes event = {0};

    *bad = 0;
    if (!p->exists)
        return true;
    if (!content_load(c, p, &whole, data))
        return false;
    *bad = event.bad_lines = read_lines(c->arena, buf_bytes(data), notes);
    faults_notes(&event);
    if (event.fatal)
        call_failed(c, "internal error");
    return !event.fatal;
}

static void with_store(struct call *c, void (*work)(struct call *c, const struct place *p, struct bytes data,
                                                    struct bytes notes, size_t bad))
{
    struct buf data, notes;
    struct place p;
    size_t bad;

    if (!find_store(c, &p))
        return;
    buf_init(&data, 4 * (size_t)CONTENT_MAX_BYTES);
    buf_init(&notes, 4 * (size_t)CONTENT_MAX_BYTES);
    if (load_notes(c, &p, &data, &notes, &bad))
        work(c, &p, buf_bytes(&data), buf_bytes(&notes), bad);
    buf_release(&data);
    buf_release(&notes);
    place_release(&p);
}

static void add(struct call *c, const struct place *p, struct bytes data, struct bytes notes, size_t bad)
{
    struct bytes note = call_bytes(c, "note");
    struct buf line;

    (void)notes;
    (void)bad;
    buf_init(&line, 8 * note.len + 64);
    if (data.len && data.data[data.len - 1] != '\n')
        buf_add_byte(&line, '\n'); /* somebody was cut off there: their line stays theirs */
    buf_add_string(&line, "{\"note\":");
    json_write_string(&line, note);
    buf_add_string(&line, "}\n");
    if (data.len + line.len > NOTES_MAX_BYTES)
        call_failed(c, "the notes would have more than %d bytes", NOTES_MAX_BYTES);
    else if (content_store(c, p, buf_bytes(&line), STORE_APPEND))
        call_textf(c, "noted");
    buf_release(&line);
}

static void tell(struct call *c, const struct place *p, struct bytes data, struct bytes notes, size_t bad)
{
    struct buf text;

    (void)p;
    (void)data;
    buf_init(&text, notes.len + 256);
    buf_add(&text, notes);
    if (bad)
        buf_addf(&text, "%s(passed over: %zu lines of notes.jsonl that are no notes)",
                 notes.len ? "\n\n" : "", bad);
    call_text(c, buf_bytes(&text));
    buf_release(&text);
}

void tool_add_note(struct call *c)
{
    with_store(c, add);
}

void tool_read_notes(struct call *c)
{
    with_store(c, tell);
}
