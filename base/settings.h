/* Every default, threshold and timeout of taskgen stands in one table (settings.c), is stored with each run,
 * and can be set by --config FILE (INI, read with libinih; [section] key) or --set section.key=value; a flag
 * wins over the file. Names are "section.key". Units stand in the table: ms, bytes, count, ratio (0..1), flag
 * (0 or 1). */
#ifndef BASE_SETTINGS_H
#define BASE_SETTINGS_H

#include "base/bytes.h"
#include "base/error.h"

struct setting_row {
    const char *name;    /* "exec.step-timeout" */
    const char *unit;    /* "ms", "bytes", "count", "ratio", "flag" */
    double value;        /* the default */
    double low, high;    /* accepted range */
    const char *help;    /* one line */
};

enum { SETTINGS_MAX = 96 };
struct settings {
    double value[SETTINGS_MAX]; /* by row */
};

const struct setting_row *settings_table(size_t *count);
void settings_defaults(struct settings *s);
/* ERR_INPUT names the key, what was found and what was expected. Sizes take K, M, G (1024); times take ms, s,
 * m, h; both may have a fraction ("1.5M") when the result is whole. On failure s is as before. */
int settings_set(struct settings *s, const char *name, const char *text, struct error **err);
/* An INI file; what it does not name stays, and sections [options] and [options.VERB] are passed over. Errors name file and line; then nothing of the file is taken.
 * ERR_LIMIT for a file of more than 1 MiB. */
int settings_load(struct settings *s, const char *file, struct error **err);
/* Reads a value of a unit of the table as it is written in files and options. False: *expected says what it should be (static). */
bool settings_parse(const char *unit, const char *text, double *value, const char **expected);
double settings_real(const struct settings *s, const char *name); /* BUG() on an unknown name */
int64_t settings_int(const struct settings *s, const char *name);
bool settings_flag(const struct settings *s, const char *name);
void settings_json(const struct settings *s, struct buf *out); /* {"exec.step-timeout":10000,…}, sorted */

#endif
