/* Secrets out of texts: every occurrence of a value, as it stands or in one of the forms in which programs show text (JSON escapes,
 * once to three times; percent and form encoding; XML entities; shell and C quoting; hexadecimal; base64 in both alphabets at
 * each of the three alignments), broken into lines or not, is replaced by "[redacted NAME]".
 *
 * A redactor is filled first and then only read, from any thread. Nothing about it is random: the same text gives the same
 * result. Replacing keeps JSON text JSON text. */
#ifndef BASE_REDACT_H
#define BASE_REDACT_H

#include "base/arena.h"
#include "base/bytes.h"

enum {
    REDACT_MIN = 6,    /* bytes; a shorter value would be found everywhere, so it is not looked for */
    REDACT_MAX = 256,  /* secrets of one redactor */
    REDACT_EDGE = 4    /* bytes of a value that was cut that are still taken for it */
};

struct redactor;

struct redactor *redactor_new(void);
void redactor_free(struct redactor *r); /* NULL is fine */
/* False when the value is too short to be looked for, or there are REDACT_MAX already. One of several lines is looked for as a
 * whole and line by line. Of a name, letters, digits and "_-." are shown. */
bool redactor_add(struct redactor *r, const char *name, struct bytes value);
bool redactor_empty(const struct redactor *r); /* true of NULL */

/* Which secrets a text has had its own use for: see redactor_mark. */
struct redact_set {
    uint64_t bits[REDACT_MAX / 64];
};

enum redact_edges {
    REDACT_WHOLE = 0,
    REDACT_CUT_FRONT = 1, /* the text is the rest of a longer one: it may begin with the end of a value */
    REDACT_CUT_BACK = 2   /* and end with the beginning of one; so may what stands before three dots */
};

/* The text with its secrets replaced; itself when there is none (then nothing is copied). `except` are left alone; NULL: none. */
struct bytes redact(const struct redactor *r, struct bytes text, const struct redact_set *except, unsigned edges, struct arena *a);
/* Likewise, appended to out. True: something was replaced. */
bool redact_into(const struct redactor *r, struct bytes text, const struct redact_set *except, unsigned edges, struct buf *out);
bool redact_finds(const struct redactor *r, struct bytes text, const struct redact_set *except);
/* Adds the secrets that the text holds to the set. */
void redactor_mark(const struct redactor *r, struct bytes text, struct redact_set *set);

#endif
