/* INI files, by libinih; see ini_file.h.
 *
 * libinih is given lines by our reader, which counts them, so that a fault is reported with its line; and
 * which refuses what libinih would silently misread: lines longer than its buffer (it would cut them in
 * two), NUL bytes, and indented lines as continuations (they are ordinary lines here). */
#include "base/ini_file.h"

#include <ini.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/fs.h"

enum { MAX_FILE = 1 << 20 };

struct loading {
    ini_file_take *take;
    void *user;
    const char *file;
    struct bytes text;
    size_t at;
    int line;
    struct bytes current; /* the line that libinih has */
    const char *whole;    /* the key whose values libinih must not cut; NULL: none */
    int *told;            /* where the line is told; NULL: nowhere */
    struct error *error; /* first one; stops the reading */
};

/* The next line without the white space in front; a comment is an empty line, so it may be of any length. */
static struct bytes take_line(struct loading *l)
{
    ptrdiff_t newline = bytes_find(l->text, BYTES_LITERAL("\n"), l->at);
    size_t end = newline < 0 ? l->text.len : (size_t)newline;
    struct bytes line = bytes_slice(l->text, l->at, end);
    l->at = newline < 0 ? end : end + 1;
    l->line++;
    while (line.len && (line.data[0] == ' ' || line.data[0] == '\t'))
        line = bytes_slice(line, 1, line.len);
    return line.len && (line.data[0] == ';' || line.data[0] == '#') ? BYTES_NONE : line;
}

/* Hands libinih a line as fgets would. */
static char *next_line(char *out, int size, void *context)
{
    struct loading *l = context;
    if (l->error || l->at == l->text.len)
        return NULL;
    struct bytes line = take_line(l);
    size_t most = (size_t)size - 2; /* a newline and a NUL come behind it */
    if (line.len > most)
        error_set(&l->error, ERR_INPUT, "%s:%d: a line of %zu bytes, expected at most %zu", l->file, l->line,
                  line.len, most);
    else if (bytes_find(line, bytes_of("", 1), 0) >= 0)
        error_set(&l->error, ERR_INPUT, "%s:%d: a NUL byte, expected text", l->file, l->line);
    if (l->error)
        return NULL;
    if (line.len)
        memcpy(out, line.data, line.len);
    l->current = line;
    memcpy(out + line.len, "\n", 2);
    return out;
}

/* What stands behind the current line's equals sign (or colon, which libinih takes too), without white space around it. */
static char *whole_value(const struct loading *l)
{
    struct bytes v = l->current;
    size_t at = 0;
    while (at < v.len && v.data[at] != '=' && v.data[at] != ':')
        at++;
    v = bytes_slice(v, at < v.len ? at + 1 : at, v.len);
    while (v.len && strchr(" \t", v.data[0]))
        v = bytes_slice(v, 1, v.len);
    while (v.len && strchr(" \t\r", v.data[v.len - 1]))
        v = bytes_slice(v, 0, v.len - 1);
    char *text = xmalloc(v.len + 1);
    if (v.len)
        memcpy(text, v.data, v.len);
    text[v.len] = '\0';
    return text;
}

static int take_value(void *context, const char *section, const char *key, const char *value)
{
    struct loading *l = context;
    if (l->error)
        return 0;
    char *whole = l->whole && strcmp(key, l->whole) == 0 ? whole_value(l) : NULL;
    if (l->told)
        *l->told = l->line;
    if (l->take(l->user, section, key, whole ? whole : value, &l->error) < 0)
        error_wrap(&l->error, "%s:%d", l->file, l->line);
    free(whole);
    return !l->error;
}

static int load_text(struct loading *l, struct error **err)
{
    int line = ini_parse_stream(next_line, l, take_value, l);
    if (line > 0 && (!l->error || line < l->line)) {
        error_free(l->error);
        return error_set(err, ERR_INPUT, "%s:%d: expected [section] or key = value", l->file, line);
    }
    if (!l->error)
        return line < 0 ? error_set(err, ERR_INPUT, "%s: cannot be read as an INI file", l->file) : 0;
    int code = l->error->code;
    if (err)
        *err = l->error;
    else
        error_free(l->error);
    return code;
}

int ini_file_read(const char *file, ini_file_take *take, void *user, struct error **err)
{
    return ini_file_read_whole(file, NULL, NULL, take, user, err);
}

int ini_file_read_whole(const char *file, const char *whole, int *line, ini_file_take *take, void *user, struct error **err)
{
    struct buf text;
    buf_init(&text, MAX_FILE);
    int status = fs_read(file, MAX_FILE, &text, err);
    if (status == 0) {
        struct loading loading = {
            .take = take, .user = user, .file = file, .text = buf_bytes(&text), .whole = whole, .told = line};
        status = load_text(&loading, err);
    }
    buf_release(&text);
    return status;
}
