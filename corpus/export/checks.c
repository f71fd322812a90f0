/* What is expected of files and of one output, as checks of the end state. */
#include "corpus/export/export_internal.h"

#include <string.h>

#include "base/hash.h"

static bool is_output(const struct export_record *r, const struct json *e)
{
    const struct task_step *step;
    struct bytes at = json_as_text(json_get(e, "at")), id = json_as_text(json_get(e, "step"));
    if (!json_get(e, "step") || json_get(e, "site") || !bytes_equal_string(at, "/stdout"))
        return false;
    for (size_t i = 0; i < r->task->step_count; i++) {
        step = &r->task->steps[i];
        if (bytes_equal_string(id, step->id))
            return !strcmp(step->op->name, "run");
    }
    return false;
}

/* Of several outputs no words say which goes where, so then none is asked for. */
const char *export_answer_step(const struct export_record *r)
{
    struct bytes found = BYTES_NONE;
    for (const struct json *e = r->task->expect->first; e; e = e->next) {
        if (!is_output(r, e))
            continue;
        struct bytes id = json_as_text(json_get(e, "step"));
        if (found.len && !bytes_equal(found, id))
            return NULL;
        found = id;
    }
    for (size_t i = 0; found.len && i < r->task->step_count; i++)
        if (bytes_equal_string(found, r->task->steps[i].id))
            return r->task->steps[i].id;
    return NULL;
}

static void add_sums(struct export_record *r, struct export_check *c)
{
    sha256_hex(c->wanted, c->sha256);
    struct buf other;
    buf_init(&other, SIZE_MAX / 4);
    buf_add(&other, c->wanted);
    if (bytes_ends(c->wanted, BYTES_LITERAL("\n")))
        buf_cut(&other, other.len - 1);
    else
        buf_add_byte(&other, '\n');
    sha256_hex(buf_bytes(&other), c->sha256_ended);
    buf_release(&other);
}

static bool member_check(struct export_record *r, const struct json *e, struct export_check *c)
{
    struct buf text;
    const struct json *value = json_get(e, "equals");
    if (!value || json_is(value, JSON_RAW) || (json_is(value, JSON_OBJECT) && value->first && bytes_starts(value->first->key, BYTES_LITERAL("$"))))
        return export_drop(r, "an expectation of another kind");
    c->kind = EXPORT_MEMBER;
    c->pointer = json_as_text(json_get(e, "json"));
    buf_init(&text, SIZE_MAX / 4);
    json_write(&text, value, JSON_SORTED);
    c->wanted = arena_copy(&r->arena, buf_bytes(&text));
    buf_release(&text);
    return true;
}

static bool fill_check(struct export_record *r, const struct json *e, bool printed, struct export_check *c)
{
    const struct json *value;
    if (json_get(e, "json"))
        return member_check(r, e, c);
    if ((value = json_get(e, "equals"))) {
        c->kind = printed ? EXPORT_PRINTED : EXPORT_SAME;
        if (!export_bytes(r, value, &c->wanted))
            return false;
        add_sums(r, c);
        return true;
    }
    if ((value = json_get(e, "contains"))) {
        c->kind = EXPORT_HOLDS;
        return export_bytes(r, value, &c->wanted);
    }
    if ((value = json_get(e, "sha256")) && value->text.len == 64) {
        c->kind = EXPORT_SAME;
        memcpy(c->sha256, value->text.data, 64);
        return true;
    }
    if ((value = json_get(e, "exists"))) {
        c->kind = json_as_bool(value, true) ? EXPORT_THERE : EXPORT_GONE;
        return true;
    }
    value = json_get(e, "size");
    c->kind = value ? EXPORT_SIZE : EXPORT_LINES;
    return json_as_integer(value ? value : json_get(e, "lines"), &c->number) || export_drop(r, "an expectation of another kind");
}

/* Does it fail where nothing was done, and with an empty file? */
static bool is_telling(const struct export_record *r, const struct export_check *c)
{
    static const char empty[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    for (size_t i = 0; i < r->task->step_count; i++) {
        const struct task_step *s = &r->task->steps[i];
        if (!strncmp(s->op->name, "stage-", 6) && bytes_equal(json_as_text(json_get(s->args, "path")), c->path))
            return false;
    }
    switch (c->kind) {
    case EXPORT_SAME:
    case EXPORT_PRINTED:
        return strcmp(c->sha256, empty) && strcmp(c->sha256_ended, empty);
    case EXPORT_HOLDS:
        return c->wanted.len > 0;
    case EXPORT_MEMBER:
        return true;
    default:
        return false;
    }
}

bool export_add_checks(struct export_record *r)
{
    const char *answer = export_answer_step(r);
    bool telling = false;
    r->checks = arena_alloc(&r->arena, (r->task->expect->count + 1) * sizeof *r->checks);
    for (const struct json *e = r->task->expect->first; e; e = e->next) {
        struct export_check *c = &r->checks[r->check_count];
        bool printed = answer && is_output(r, e);
        if (printed)
            c->path = BYTES_LITERAL(EXPORT_ANSWER);
        else if (!json_get(e, "file"))
            continue;
        else if (!export_path(r, json_get(e, "file"), &c->path))
            return false;
        if (!fill_check(r, e, printed, c))
            return false;
        telling |= is_telling(r, c);
        r->check_count++;
    }
    return telling || export_drop(r, "no end state that can be seen");
}
