/* A ZIP archive of stored entries (PKWARE APPNOTE 6.3), without zip64: fewer than 65,535 entries and 4 GiB.
 * Times are 1980-01-01 00:00, names are marked as UTF-8 when they are not ASCII. Only gen/recipes/ includes
 * this. */
#ifndef GEN_RECIPES_ZIP_WRITER_H
#define GEN_RECIPES_ZIP_WRITER_H

#include "base/bytes.h"

struct zip_writer {
    struct buf *out;
    size_t start;         /* of the archive in out */
    struct buf directory; /* its central directory so far */
    size_t count;
};

void zip_begin(struct zip_writer *zip, struct buf *out);
/* mode: Unix permission bits, 0644 or 0755. */
void zip_add(struct zip_writer *zip, struct bytes name, struct bytes data, unsigned mode);
void zip_add_text(struct zip_writer *zip, const char *name, struct bytes data); /* mode 0644 */
void zip_end(struct zip_writer *zip); /* writes the directory and releases what the writer holds */

#endif
