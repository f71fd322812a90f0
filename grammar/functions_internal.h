/* The encoders of functions.h, which stand in a file of their own. Each appends to out. */
#ifndef GRAMMAR_FUNCTIONS_INTERNAL_H
#define GRAMMAR_FUNCTIONS_INTERNAL_H

#include "base/bytes.h"

/* What stands between the quotes of a JSON string; bytes that are not UTF-8 become \u00xx. */
void escape_json(struct bytes input, struct buf *out);
/* One word in single quotes. A shell word cannot hold a NUL; it is left as it is. */
void escape_sh(struct bytes input, struct buf *out);
/* A str literal when the bytes are UTF-8, else a bytes literal. */
void escape_py(struct bytes input, struct buf *out);
/* All but A-Z a-z 0-9 - . _ ~ as %XX (RFC 3986). */
void escape_url(struct bytes input, struct buf *out);
/* Fit for text and for attributes. What XML 1.0 cannot hold at all (most control characters, bytes that are not
 * UTF-8) becomes U+FFFD. */
void escape_xml(struct bytes input, struct buf *out);

#endif
