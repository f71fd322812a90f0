/* Forms on their way in: libmicrohttpd's post processor takes bodies apart, here fields are hashed and kept, within bounds. A file's bytes
 * are hashed only. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/encode.h"
#include "exec/site/site_internal.h"

enum { PROCESSOR_ROOM = 65536 /* for names and heads of parts */ };

struct web_form {
    struct MHD_PostProcessor *processor;
    struct web_site *site;
    struct web_entry *entry;
    struct web_field *fields; /* in the entry's arena */
    size_t count, capacity;
    bool open;                /* the last field may get more */
    bool full;                /* what follows is not kept */
    struct buf value;         /* of the last field */
    struct sha256 *hash;      /* likewise */
    size_t kept;              /* bytes of all texts */
};

static struct bytes keep(struct web_form *f, struct bytes b)
{
    size_t room = WEB_KEPT_MAX - f->kept, most = b.len < room ? b.len : room;
    f->entry->v.cut = f->entry->v.cut || most < b.len;
    f->kept += most;
    return arena_copy(&f->entry->arena, bytes_slice(b, 0, most));
}

/* Under the lock: whoever reads the visit meanwhile sees whole fields only. */
static void close_field(struct web_form *f)
{
    if (!f->open)
        return;
    struct web_field *field = &f->fields[f->count];
    uint8_t hash[32];
    sha256_finish(f->hash, hash);
    struct buf hex;
    buf_init(&hex, 64);
    hex_encode(&hex, bytes_of(hash, sizeof hash));
    memcpy(field->sha256, buf_string(&hex), sizeof field->sha256);
    buf_release(&hex);
    pthread_mutex_lock(&f->site->lock);
    field->value = keep(f, buf_bytes(&f->value));
    f->entry->v.cut = f->entry->v.cut || (!field->file && field->size > field->value.len);
    f->count++;
    f->entry->v.fields = f->fields;
    f->entry->v.field_count = f->count;
    pthread_mutex_unlock(&f->site->lock);
    buf_clear(&f->value);
    f->open = false;
}

static bool make_room(struct web_form *f)
{
    if (f->count == WEB_FIELDS_MAX || f->kept == WEB_KEPT_MAX) {
        f->full = true;
        pthread_mutex_lock(&f->site->lock);
        f->entry->v.cut = true;
        pthread_mutex_unlock(&f->site->lock);
        return false;
    }
    if (f->count < f->capacity)
        return true;
    f->capacity = f->capacity ? 2 * f->capacity : 8;
    pthread_mutex_lock(&f->site->lock);
    struct web_field *more = arena_alloc(&f->entry->arena, f->capacity * sizeof *more);
    if (f->count)
        memcpy(more, f->fields, f->count * sizeof *more);
    f->fields = more;
    f->entry->v.fields = more;
    pthread_mutex_unlock(&f->site->lock);
    return true;
}

static enum MHD_Result on_part(void *user, enum MHD_ValueKind kind, const char *key, const char *filename, const char *type,
                               const char *encoding, const char *data, uint64_t offset, size_t size)
{
    struct web_form *f = user;
    (void)kind, (void)encoding;
    if (offset == 0) {
        close_field(f);
        if (f->full || !make_room(f))
            return MHD_YES;
        struct web_field *field = &f->fields[f->count];
        *field = (struct web_field){.file = filename != NULL};
        pthread_mutex_lock(&f->site->lock); /* the arena is the visit's */
        field->name = keep(f, bytes_of_string(key));
        field->filename = keep(f, bytes_of_string(filename));
        field->type = keep(f, bytes_of_string(type));
        pthread_mutex_unlock(&f->site->lock);
        f->hash = sha256_new();
        f->open = true;
    }
    if (!f->open)
        return MHD_YES;
    struct web_field *field = &f->fields[f->count];
    field->size += size;
    sha256_add(f->hash, bytes_of(data, size));
    size_t room = WEB_VALUE_MAX - f->value.len;
    if (!field->file)
        buf_add(&f->value, bytes_of(data, size < room ? size : room));
    return MHD_YES;
}

struct web_form *web_form_new(struct MHD_Connection *c, struct web_site *s, struct web_entry *e)
{
    struct web_form *f = xcalloc(1, sizeof *f);
    f->site = s;
    f->entry = e;
    f->processor = MHD_create_post_processor(c, PROCESSOR_ROOM, on_part, f);
    if (!f->processor) {
        free(f);
        return NULL;
    }
    buf_init(&f->value, WEB_VALUE_MAX);
    return f;
}

void web_form_add(struct web_form *f, struct bytes part)
{
    MHD_post_process(f->processor, (const char *)part.data, part.len); /* what is no form gives no fields, or fewer */
}

/* Fields that are not UTF-8 in the page's charset become texts. */
static void read_texts(struct web_form *f, const char *charset)
{
    struct buf text;
    buf_init(&text, 4 * WEB_VALUE_MAX);
    for (size_t i = 0; i < f->count; i++) {
        buf_clear(&text);
        if (!f->fields[i].file && web_to_utf8(charset, f->fields[i].value, &text)) {
            pthread_mutex_lock(&f->site->lock);
            f->fields[i].text = keep(f, buf_bytes(&text));
            pthread_mutex_unlock(&f->site->lock);
        }
    }
    buf_release(&text);
}

/* Browsers write the charset of a form into a hidden field of that name. UTF-8 needs no reading. */
static const char *said_charset(const struct web_field *fields, size_t count, struct arena *a)
{
    for (size_t i = 0; i < count; i++)
        if (bytes_equal_string(fields[i].name, "_charset_") && !fields[i].file)
            return strcasecmp(arena_string(a, fields[i].value), "utf-8") == 0 ? NULL : arena_string(a, fields[i].value);
    return NULL;
}

void web_form_query(struct web_entry *e, const struct web_parameter *list, size_t count)
{
    struct web_field *fields = arena_alloc(&e->arena, (count + 1) * sizeof *fields);
    bool form = false;
    for (size_t i = 0; i < count; i++) {
        fields[i] = (struct web_field){.name = arena_copy(&e->arena, list[i].name), .value = arena_copy(&e->arena, list[i].value), .size = list[i].value.len};
        sha256_hex(list[i].value, fields[i].sha256);
        form = form || bytes_equal_string(list[i].name, "_charset_");
    }
    if (!form)
        return;
    const char *charset = said_charset(fields, count, &e->arena);
    struct buf text;
    buf_init(&text, 4 * WEB_TARGET_MAX);
    for (size_t i = 0; charset && i < count; i++) {
        buf_clear(&text);
        if (web_to_utf8(charset, list[i].value, &text))
            fields[i].text = arena_copy(&e->arena, buf_bytes(&text));
    }
    buf_release(&text);
    e->v.fields = fields;
    e->v.field_count = count;
}

void web_form_end(struct web_form *f, const char *charset)
{
    if (!f)
        return;
    MHD_destroy_post_processor(f->processor); /* gives the last part of what was not ended */
    close_field(f);
    const char *said = charset ? charset : said_charset(f->fields, f->count, &f->entry->arena);
    if (said)
        read_texts(f, said);
    buf_release(&f->value);
    free(f);
}
