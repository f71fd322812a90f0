/* Rows of a table in text: commas, quotes, line ends within quotes (RFC 4180). */
#include "gen/import/import_internal.h"

/* A cell that begins with a quote; *at behind it. False: it is not closed. */
static bool quoted(struct csv *c, struct buf *out)
{
    for (c->at++; c->at < c->text.len; c->at++) {
        uint8_t byte = c->text.data[c->at];
        bool twice = byte == '"' && c->at + 1 < c->text.len && c->text.data[c->at + 1] == '"';
        if (byte == '"' && !twice) {
            c->at++;
            return true;
        }
        c->at += twice;
        c->next_line += byte == '\n';
        buf_add_byte(out, byte);
    }
    return false;
}

static bool ends_cell(uint8_t byte)
{
    return byte == ',' || byte == '\n' || byte == '\r';
}

static bool read_cell(struct csv *c, struct buf *out)
{
    buf_clear(out);
    if (c->at < c->text.len && c->text.data[c->at] == '"' && !quoted(c, out))
        return false;
    while (c->at < c->text.len && !ends_cell(c->text.data[c->at]))
        buf_add_byte(out, c->text.data[c->at++]);
    return true;
}

int csv_row(struct csv *c, struct arena *a, struct bytes *cells, size_t max, size_t *count)
{
    struct buf cell;
    bool more = c->at < c->text.len, sound = true;
    buf_init(&cell, IMPORT_LINES_MAX);
    c->next_line += !c->next_line;
    c->line = c->next_line;
    *count = 0;
    for (bool row = more; row && sound;) {
        sound = read_cell(c, &cell);
        if (sound && *count < max)
            cells[*count] = arena_copy(a, buf_bytes(&cell));
        ++*count;
        row = c->at < c->text.len && c->text.data[c->at] == ',';
        c->at += row;
    }
    buf_release(&cell);
    if (!sound)
        return ERR_INPUT;
    if (c->at < c->text.len && c->text.data[c->at] == '\r')
        c->at++;
    if (c->at < c->text.len && c->text.data[c->at] == '\n') {
        c->at++;
        c->next_line++;
    }
    return more;
}
