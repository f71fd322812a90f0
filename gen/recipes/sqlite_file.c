/* Pages go out in the order in which they are filled: the leaves of a table from left to right, then each
 * level of interior pages above them, the root last. Page 1 is kept free for the header and the schema, whose
 * root it is.
 *
 * Version fields are fixed, so the bytes do not depend on the SQLite that is installed; none is used. */
#include "gen/recipes/sqlite_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "gen/recipes/octets.h"

enum { FILE_HEADER = 100, LEAF = 13, INTERIOR = 5, LEAF_HEADER = 8, INTERIOR_HEADER = 12, CELL_MAX = 900 };
enum { SQLITE_VERSION = 3040001, CHANGES = 1, SCHEMA_FORMAT = 4, ENCODING_UTF8 = 1 };

/* --- rows --- */

/* SQLite's own: the high bits first. No number here needs the ninth byte. */
static void put_varint(struct buf *out, uint64_t value)
{
    unsigned groups = 1;
    while (groups < 8 && value >> (7 * groups))
        groups++;
    for (unsigned i = groups; i > 0; i--)
        buf_add_byte(out, (uint8_t)((value >> (7 * (i - 1)) & 0x7f) | (i > 1 ? 0x80 : 0)));
}

void sqlite_null(struct sqlite_row *row)
{
    put_varint(&row->types, 0);
}

void sqlite_integer(struct sqlite_row *row, int64_t value)
{
    static const struct {
        uint64_t type;
        unsigned size;
    } widths[] = {{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 6}, {6, 8}};
    size_t i = 0;
    while (widths[i].size < 8 && (value < -(INT64_C(1) << (8 * widths[i].size - 1)) ||
                                  value >= INT64_C(1) << (8 * widths[i].size - 1)))
        i++;
    put_varint(&row->types, widths[i].type);
    for (unsigned at = widths[i].size; at > 0; at--)
        buf_add_byte(&row->values, (uint8_t)((uint64_t)value >> (8 * (at - 1))));
}

void sqlite_real(struct sqlite_row *row, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_varint(&row->types, 7);
    octets_u64be(&row->values, bits);
}

void sqlite_text(struct sqlite_row *row, struct bytes text)
{
    put_varint(&row->types, 13 + 2 * (uint64_t)text.len);
    buf_add(&row->values, text);
}

/* A cell of a leaf: length of the record, key, record. */
static void put_cell(struct buf *cell, int64_t key, const struct sqlite_row *row)
{
    uint64_t header = row->types.len + 1; /* fewer than 127 columns: its length takes one byte */
    put_varint(cell, header + row->values.len);
    put_varint(cell, (uint64_t)key);
    put_varint(cell, header);
    buf_add(cell, buf_bytes(&row->types));
    buf_add(cell, buf_bytes(&row->values));
}

/* --- pages --- */

struct page {
    uint8_t *data;
    uint32_t size, start, header, count,
        content; /* start: of the b-tree header in it; content: first used byte */
};

static struct page page_new(uint32_t size, uint32_t start, bool leaf)
{
    struct page page = {.data = xcalloc(1, size), .size = size, .start = start, .content = size};
    page.header = leaf ? LEAF_HEADER : INTERIOR_HEADER;
    page.data[start] = leaf ? LEAF : INTERIOR;
    return page;
}

static void put_u16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static bool page_add(struct page *page, struct bytes cell)
{
    uint32_t pointers = page->start + page->header + 2 * page->count;
    if (pointers + 2 + cell.len > page->content)
        return false;
    page->content -= (uint32_t)cell.len;
    memcpy(page->data + page->content, cell.data, cell.len);
    put_u16(page->data + pointers, page->content);
    page->count++;
    return true;
}

static void page_close(struct page *page)
{
    uint8_t *header = page->data + page->start;
    put_u16(header + 3, page->count);
    put_u16(header + 5, page->content & 0xffff); /* 65536 is written as 0 */
}

/* Its number. */
static uint32_t page_append(struct sqlite_file *file, struct page *page)
{
    page_close(page);
    buf_add(file->out, bytes_of(page->data, page->size));
    free(page->data);
    return ++file->pages;
}

/* The pages of one level of a tree, each with the greatest key in it. */
struct level {
    struct child {
        uint32_t page;
        int64_t last;
    } * children;
    size_t count, capacity;
};

static void level_add(struct level *level, uint32_t page, int64_t last)
{
    if (level->count == level->capacity) {
        level->capacity = level->capacity ? level->capacity * 2 : 16;
        level->children = xrealloc(level->children, level->capacity * sizeof *level->children);
    }
    level->children[level->count++] = (struct child){page, last};
}

static struct level build_leaves(struct sqlite_file *file, int64_t rows,
                                 void (*put)(const void *context, int64_t index, struct sqlite_row *row),
                                 const void *context)
{
    struct level level = {0};
    struct page page = page_new(file->page_size, 0, true);
    struct sqlite_row row;
    struct buf cell;
    buf_init(&row.types, CELL_MAX);
    buf_init(&row.values, CELL_MAX);
    buf_init(&cell, CELL_MAX);
    for (int64_t i = 0; i < rows && !file->out->overflow; i++) {
        buf_clear(&row.types);
        buf_clear(&row.values);
        buf_clear(&cell);
        put(context, i, &row);
        put_cell(&cell, i + 1, &row);
        if (cell.overflow || row.types.overflow || row.values.overflow)
            BUG("a row needs an overflow page");
        if (page_add(&page, buf_bytes(&cell)))
            continue;
        level_add(&level, page_append(file, &page), i);
        page = page_new(file->page_size, 0, true);
        page_add(&page, buf_bytes(&cell));
    }
    level_add(&level, page_append(file, &page), rows);
    buf_release(&cell);
    buf_release(&row.values);
    buf_release(&row.types);
    return level;
}

/* How many cells of interior pages fit, whatever their keys. */
static size_t interior_cells(const struct sqlite_file *file)
{
    enum { CELL = 4 + 8, POINTER = 2 };
    return (file->page_size - INTERIOR_HEADER) / (CELL + POINTER);
}

/* The last child of a page stands in its header and not in a cell. No page is left without a cell: when one
 * child would remain for the last page, the page before it takes one child fewer. */
static struct level build_interior(struct sqlite_file *file, struct level below)
{
    struct level level = {0};
    struct buf cell;
    buf_init(&cell, 16);
    for (size_t i = 0; i < below.count;) {
        struct page page = page_new(file->page_size, 0, false);
        size_t left = below.count - i, take = interior_cells(file) + 1;
        if (take > left)
            take = left;
        else if (left - take == 1)
            take--;
        for (size_t end = i + take - 1; i < end; i++) {
            buf_clear(&cell);
            octets_u32be(&cell, below.children[i].page);
            put_varint(&cell, (uint64_t)below.children[i].last);
            page_add(&page, buf_bytes(&cell));
        }
        for (unsigned b = 0; b < 4; b++)
            page.data[LEAF_HEADER + b] = (uint8_t)(below.children[i].page >> (8 * (3 - b)));
        int64_t last = below.children[i++].last;
        level_add(&level, page_append(file, &page), last);
    }
    free(below.children);
    buf_release(&cell);
    return level;
}

/* --- the file --- */

void sqlite_begin(struct sqlite_file *file, struct buf *out, uint32_t page_size)
{
    *file = (struct sqlite_file){.out = out, .page_size = page_size, .pages = 1};
    octets_fill(out, 0, page_size);
}

void sqlite_add_table(struct sqlite_file *file, const char *name, const char *sql, int64_t rows,
                      void (*put)(const void *context, int64_t index, struct sqlite_row *row),
                      const void *context)
{
    struct level level = build_leaves(file, rows, put, context);
    while (level.count > 1)
        level = build_interior(file, level);
    if (file->count == SQLITE_TABLES_MAX)
        BUG("too many tables");
    file->tables[file->count++] = (struct sqlite_table){name, sql, level.children[0].page};
    free(level.children);
}

static void put_file_header(const struct sqlite_file *file, struct buf *out)
{
    buf_add(out, BYTES_LITERAL("SQLite format 3\0"));
    octets_u16be(out, (uint16_t)(file->page_size == 65536 ? 1 : file->page_size));
    buf_add(out, BYTES_LITERAL("\1\1\0\100\40\40")); /* rollback journal; nothing reserved; fixed fractions */
    octets_u32be(out, CHANGES);
    octets_u32be(out, file->pages);
    octets_u64be(out, 0); /* no free pages */
    octets_u32be(out, 1); /* schema cookie */
    octets_u32be(out, SCHEMA_FORMAT);
    octets_u64be(out, 0); /* cache size, largest root */
    octets_u32be(out, ENCODING_UTF8);
    octets_fill(out, 0, 3 * 4 + 20); /* user version, vacuum mode, application, reserved */
    octets_u32be(out, CHANGES);      /* for which the version is valid */
    octets_u32be(out, SQLITE_VERSION);
}

static void put_schema_row(const struct sqlite_table *table, struct sqlite_row *row)
{
    sqlite_text(row, BYTES_LITERAL("table"));
    sqlite_text(row, bytes_of_string(table->name));
    sqlite_text(row, bytes_of_string(table->name));
    sqlite_integer(row, table->root);
    sqlite_text(row, bytes_of_string(table->sql));
}

void sqlite_end(struct sqlite_file *file)
{
    struct page page = page_new(file->page_size, FILE_HEADER, true);
    struct buf header, cell;
    buf_init(&header, FILE_HEADER);
    buf_init(&cell, CELL_MAX);
    put_file_header(file, &header);
    memcpy(page.data, header.data, FILE_HEADER);
    for (size_t i = 0; i < file->count; i++) {
        struct sqlite_row row;
        buf_init(&row.types, CELL_MAX);
        buf_init(&row.values, CELL_MAX);
        buf_clear(&cell);
        put_schema_row(&file->tables[i], &row);
        put_cell(&cell, (int64_t)i + 1, &row);
        if (!page_add(&page, buf_bytes(&cell)))
            BUG("the schema does not fit into one page");
        buf_release(&row.types);
        buf_release(&row.values);
    }
    page_close(&page);
    if (!file->out->overflow)
        memcpy(file->out->data, page.data, page.size);
    free(page.data);
    buf_release(&header);
    buf_release(&cell);
}
