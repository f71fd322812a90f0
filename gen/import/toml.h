/* TOML of strangers, as JSON values. */
#ifndef GEN_IMPORT_TOML_H
#define GEN_IMPORT_TOML_H

#include "base/json.h"

/* TOML 1.0 without the calendar: dates and times are texts; numbers keep their lexeme, those that JSON cannot spell are texts. *value lives in
 * `a`. ERR_INPUT "where:line: ...". */
int toml_read(struct arena *a, struct bytes text, const char *where, struct json **value, struct error **err);

#endif
