/* What redact.c (finding) and redact_forms.c (the forms of a value) share. */
#ifndef BASE_REDACT_INTERNAL_H
#define BASE_REDACT_INTERNAL_H

#include "base/redact.h"

/* One way to write one secret. */
struct redact_form {
    uint8_t *text; /* owned */
    size_t len;
    unsigned secret;  /* whose */
    bool spaced;      /* hexadecimal: digits may stand in groups */
};

struct redactor {
    char (*names)[64];
    unsigned secret_count;
    struct redact_form *forms; /* sorted by their first byte, then the longest first */
    size_t form_count, form_capacity;
    size_t first[257];         /* forms that begin with byte b are forms[first[b]] to forms[first[b + 1]] */
    uint8_t pairs[65536 / 8];  /* bit set of the first two bytes that a form may have, or the first and what parts it */
};

/* Adds a form unless it is there already. */
void redact_add_form(struct redactor *r, unsigned secret, struct bytes text, bool spaced);
/* All forms of a value. */
void redact_add_forms(struct redactor *r, unsigned secret, struct bytes value);

#endif
