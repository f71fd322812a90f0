/* Writes SQLite database files of the public file format (version 3, UTF-8, no journal): tables as b-trees,
 * interior pages as they are needed. No row may need an overflow page. Only gen/recipes/ includes this. */
#ifndef GEN_RECIPES_SQLITE_FILE_H
#define GEN_RECIPES_SQLITE_FILE_H

#include "base/bytes.h"

enum { SQLITE_TABLES_MAX = 4 };

struct sqlite_file {
    struct buf *out;    /* starts empty; pages are appended */
    uint32_t page_size; /* a power of two from 1024 to 65536 */
    uint32_t pages;
    struct sqlite_table {
        const char *name, *sql; /* of CREATE TABLE */
        uint32_t root;
    } tables[SQLITE_TABLES_MAX];
    size_t count;
};

/* One row, column by column. */
struct sqlite_row {
    struct buf types, values;
};

void sqlite_begin(struct sqlite_file *file, struct buf *out, uint32_t page_size);
/* put is called for each index from 0 and adds the columns; the row's key is index + 1. An INTEGER PRIMARY
 * KEY is that key, its column is null. */
void sqlite_add_table(struct sqlite_file *file, const char *name, const char *sql, int64_t rows,
                      void (*put)(const void *context, int64_t index, struct sqlite_row *row),
                      const void *context);
void sqlite_end(struct sqlite_file *file); /* writes the schema and the file header */

void sqlite_null(struct sqlite_row *row);
void sqlite_integer(struct sqlite_row *row, int64_t value);
void sqlite_real(struct sqlite_row *row, double value);
void sqlite_text(struct sqlite_row *row, struct bytes text);

#endif
