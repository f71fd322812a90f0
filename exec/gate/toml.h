/* TOML of strangers, read by Python's tomllib inside a room, handed back as JSON. Dates, and numbers that are not finite, become strings. */
#ifndef EXEC_GATE_TOML_H
#define EXEC_GATE_TOML_H

#include "base/json.h"

struct room;
/* ERR_INPUT with the line that is wrong; ERR_TARGET without python3 (3.11 or newer). */
int toml_read(const struct room *room, struct bytes text, struct arena *a, struct json **value, struct error **err);

#endif
