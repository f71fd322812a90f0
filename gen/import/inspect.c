/* Samples of Inspect datasets: JSON Lines, a JSON array or object, or CSV. Its files are put, its setup is run; where there is neither
 * what an agent would be asked is put into a file and read back.
 *
 * A file's value is a data: URI, the name of a file that lies beside the dataset, or the text itself; addresses on the network are
 * passed over. */
#include "gen/import/import_internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/encode.h"
#include "base/fs.h"
#include "base/utf8.h"

enum { COLUMNS_MAX = 64, VALUE_NAME_MAX = 255 };

static const char *const fields[] = {"input", "target", "id", "choices", "metadata", "files", "setup", "sandbox"};
enum { FIELDS = sizeof fields / sizeof *fields };

/* ---- what a sample is ---- */

static bool is_sample(const struct json *value)
{
    const struct json *input = json_get(value, "input");
    if (!json_is(input, JSON_STRING) && !json_is(input, JSON_ARRAY))
        return false;
    for (size_t i = 1; i < FIELDS; i++)
        if (json_get(value, fields[i]))
            return true;
    return value->count == 1;
}

/* The first row of a CSV file names its columns. */
static bool is_table(const struct import_source *s)
{
    struct bytes cells[COLUMNS_MAX];
    size_t count = 0;
    struct csv c = {.text = bytes_slice(s->text, 0, 4096)};
    if (!bytes_ends(bytes_of_string(s->name), BYTES_LITERAL(".csv")) || csv_row(&c, s->arena, cells, COLUMNS_MAX, &count) <= 0)
        return false;
    for (size_t i = 0; i < count && i < COLUMNS_MAX; i++)
        if (bytes_equal_string(cells[i], "input"))
            return true;
    return false;
}

static bool fits(const struct import_source *s)
{
    return is_sample(s->whole) || is_sample(s->first) || (json_is(s->whole, JSON_ARRAY) && is_sample(s->whole->first)) || is_table(s);
}

/* ---- values ---- */

static int hex_of(uint8_t c)
{
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

static void percent_decode(struct buf *out, struct bytes text)
{
    for (size_t i = 0; i < text.len; i++) {
        int high = text.data[i] == '%' && i + 2 < text.len ? hex_of(text.data[i + 1]) : -1;
        int low = high >= 0 ? hex_of(text.data[i + 2]) : -1;
        if (low >= 0) {
            buf_add_byte(out, (uint8_t)(high << 4 | low));
            i += 2;
        } else {
            buf_add_byte(out, text.data[i]);
        }
    }
}

/* False: it is none, or cannot be read. */
static bool from_data_uri(struct bytes value, struct buf *out)
{
    ptrdiff_t comma = bytes_find(value, BYTES_LITERAL(","), 0);
    if (!bytes_starts(value, BYTES_LITERAL("data:")) || comma < 0)
        return false;
    struct bytes head = bytes_slice(value, 0, (size_t)comma), data = bytes_slice(value, (size_t)comma + 1, value.len);
    if (bytes_ends(head, BYTES_LITERAL(";base64")))
        return base64_decode(out, data) == 0;
    percent_decode(out, data);
    return true;
}

/* A file that lies below the dataset's directory, links followed. */
static bool from_beside(const struct import_source *s, struct bytes value, struct buf *out)
{
    if (!s->directory || !value.len || value.len > VALUE_NAME_MAX || value.data[0] == '/' || memchr(value.data, 0, value.len) ||
        memchr(value.data, '\n', value.len))
        return false;
    const char *path = arena_printf(s->arena, "%s/%.*s", s->directory, BYTES_ARG(value));
    char *real = realpath(path, NULL), *root = realpath(s->directory, NULL);
    bool within = real && root && strncmp(real, root, strlen(root)) == 0 && real[strlen(root)] == '/';
    bool read = within && fs_read(real, IMPORT_FILE_MAX, out, NULL) == 0;
    free(real);
    free(root);
    return read;
}

/* The bytes that a value stands for; false: they lie somewhere on the network. */
static bool resolve(const struct import_source *s, struct bytes value, struct buf *out)
{
    buf_clear(out);
    if (bytes_starts(value, BYTES_LITERAL("http://")) || bytes_starts(value, BYTES_LITERAL("https://")))
        return false;
    if (from_data_uri(value, out))
        return true;
    buf_clear(out);
    if (from_beside(s, value, out))
        return true;
    buf_clear(out);
    buf_add(out, value);
    return true;
}

/* A text, or messages of a conversation one after the other. */
static void add_text(struct buf *out, const struct json *value)
{
    if (json_is(value, JSON_STRING)) {
        buf_add(out, value->text);
        return;
    }
    for (const struct json *v = value; v; v = json_next(value, v, true)) {
        bool said = json_is(v, JSON_STRING) && (bytes_equal_string(v->key, "content") || bytes_equal_string(v->key, "text"));
        if (said && out->len)
            buf_add_byte(out, '\n');
        if (said)
            buf_add(out, v->text);
    }
}

/* ---- samples ---- */

/* An object, or the text of one. */
static const struct json *object_of(const struct import_source *s, const struct json *value)
{
    struct json *read = NULL;
    if (json_is(value, JSON_STRING) && value->text.len &&
        json_read(s->arena, value->text, &(struct json_options){.allow_bad_utf8 = true, .max_depth = 100}, "", &read, NULL, NULL) < 0)
        return NULL;
    value = read ? read : value;
    return json_is(value, JSON_OBJECT) ? value : NULL;
}

static void put_files(struct import_source *s, struct task *t, const struct json *sample, struct buf *bytes)
{
    const struct json *files = object_of(s, json_get(sample, "files"));
    for (const struct json *f = files ? files->first : NULL; f && t->step_count < IMPORT_STEPS_MAX; f = f->next)
        if (json_is(f, JSON_STRING) && resolve(s, f->text, bytes))
            import_put_file(s->im, t, import_clean_path(&t->arena, f->key), buf_bytes(bytes), false);
    struct bytes setup = json_as_text(json_get(sample, "setup"));
    if (setup.len && resolve(s, setup, bytes))
        import_put_script(s->im, t, buf_bytes(bytes), NULL);
}

static void note_words(struct import_source *s, const struct json *sample)
{
    if (!s->im->words)
        return;
    dictionary_add_texts(s->im->words, json_get(sample, "target"));
    dictionary_add_texts(s->im->words, json_get(sample, "choices"));
}

static int read_sample(struct import_source *s, const struct json *sample, int64_t line)
{
    if (!is_sample(sample))
        return import_fault(s, line, "found a sample without input, expected an object with a text or messages as its input");
    struct task *t = import_task(&import_inspect);
    struct buf asked, bytes;
    buf_init(&asked, IMPORT_FILE_MAX);
    buf_init(&bytes, IMPORT_FILE_MAX);
    add_text(&asked, json_get(sample, "input"));
    struct bytes text = bytes_slice(buf_bytes(&asked), 0, utf8_valid_prefix(buf_bytes(&asked)));
    const uint8_t *nul = text.len ? memchr(text.data, 0, text.len) : NULL;
    t->instruction = arena_string(&t->arena, nul ? bytes_slice(text, 0, (size_t)(nul - text.data)) : text);
    put_files(s, t, sample, &bytes);
    if (!t->step_count)
        import_put_file(s->im, t, "input.txt", buf_bytes(&asked), true);
    note_words(s, sample);
    buf_release(&asked);
    buf_release(&bytes);
    return import_add(s, t, line, import_inspect.format.name);
}

/* ---- the three spellings ---- */

static int read_lines(struct import_source *s)
{
    static const struct json_options lenient = {.allow_bad_utf8 = true, .max_depth = 1000};
    struct import_lines lines = {.text = s->text};
    struct bytes line;
    struct arena passing, *kept = s->arena; /* a large dataset is not kept as a whole */
    int status = 0;
    arena_init(&passing);
    s->arena = &passing;
    while (status >= 0 && import_next_line(&lines, &line)) {
        struct json *sample = NULL;
        const char *where = arena_printf(&passing, "%s:%lld", s->where, (long long)lines.number);
        if (line.len)
            status = json_read(&passing, line, &lenient, where, &sample, NULL, s->err) < 0 ? ERR_INPUT : read_sample(s, sample, lines.number);
        arena_clear(&passing);
    }
    s->arena = kept;
    arena_release(&passing);
    return status;
}

/* A row as the object that JSON Lines would have. */
static struct json *sample_of_row(struct arena *a, const struct bytes *names, const struct bytes *cells, size_t count)
{
    struct json *sample = json_new(a, JSON_OBJECT);
    for (size_t i = 0; i < count; i++)
        if (cells[i].len || bytes_equal_string(names[i], "input"))
            json_set_bytes(a, sample, names[i], json_string(a, cells[i]));
    return sample;
}

static int read_table(struct import_source *s)
{
    struct bytes names[COLUMNS_MAX], cells[COLUMNS_MAX];
    struct csv c = {.text = s->text};
    size_t columns = 0, count = 0;
    int more = csv_row(&c, s->arena, names, COLUMNS_MAX, &columns);
    if (columns > COLUMNS_MAX)
        return import_fault(s, 1, "%zu columns, expected at most %d", columns, COLUMNS_MAX);
    while (more > 0 && (more = csv_row(&c, s->arena, cells, COLUMNS_MAX, &count)) > 0) {
        if (count == 1 && !cells[0].len) /* an empty line */
            continue;
        if (count != columns)
            return import_fault(s, c.line, "%zu cells, expected %zu", count, columns);
        TRY(read_sample(s, sample_of_row(s->arena, names, cells, count), c.line));
    }
    return more < 0 ? import_fault(s, c.line, "a quote that is not closed") : 0;
}

static int read_inspect(struct import_source *s)
{
    if (json_is(s->whole, JSON_OBJECT))
        return read_sample(s, s->whole, 0);
    for (const struct json *v = json_is(s->whole, JSON_ARRAY) ? s->whole->first : NULL; v; v = v->next)
        TRY(read_sample(s, v, 0));
    if (s->whole)
        return 0;
    return is_table(s) ? read_table(s) : read_lines(s);
}

const struct import_row import_inspect = {
    .format = {.name = "inspect", .summary = "samples of Inspect datasets: JSON Lines, JSON or CSV with input, files and setup"},
    .fits = fits,
    .read = read_inspect,
};
