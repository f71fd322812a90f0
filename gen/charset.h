/* Text encodings beside UTF-8, as far as contents and mutators need them: our own tables, so that bytes do
 * not depend on the machine's iconv. */
#ifndef GEN_CHARSET_H
#define GEN_CHARSET_H

#include "base/bytes.h"

struct charset {
    const char *name;
    struct bytes mark; /* byte order mark at the start; none for most */
    bool unicode;      /* can write every code point */
    bool ascii;        /* writes ASCII as ASCII, so ASCII text without a mark is UTF-8 too */
    /* Appends one code point; false, and nothing appended, where the encoding has no bytes for it. */
    bool (*put)(struct buf *out, uint32_t code_point);
};

const struct charset *charset_find(struct bytes name);
const struct charset *charset_at(size_t index); /* NULL past the end */
/* Their names for tables of values, NULL-terminated, in the same order. */
extern const char *const charset_names[];

/* Appends text, which is UTF-8, in the encoding, with its mark in front; what it cannot write becomes "?".
 * Returns how many characters became that. */
size_t charset_encode(const struct charset *charset, struct bytes text, struct buf *out);

#endif
