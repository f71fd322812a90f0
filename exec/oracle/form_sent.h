/* What was typed into forms of the fixture site, and what the site received of it: the witness outside the browser. */
#ifndef EXEC_ORACLE_FORM_SENT_H
#define EXEC_ORACLE_FORM_SENT_H

#include "exec/oracle/observation.h"

/* The field that the site received of the text which step `index` claims to have typed, and in *visit with which request; NULL: the step typed nothing,
 * none came, or something in between may have changed the text. Only fields that take any text count, found by their name in the selector. */
const struct web_field *form_sent(const struct execution *e, size_t index, const struct web_visit **visit);

/* Does a browser send `typed` as `got`? Line ends may be written otherwise or be gone, as a field of one line has none; halves of surrogate pairs become U+FFFD.
 * `other`: the form has another charset than UTF-8, in which what that lacks is written as a reference, "&#228;". */
bool form_sent_same(struct bytes typed, struct bytes got, bool other);

#endif
