/* INI files: [section], key = value, comments after ; or #. Read with libinih, each line counted. */
#ifndef BASE_INI_FILE_H
#define BASE_INI_FILE_H

#include "base/error.h"

/* What is done with one "key = value" of a section ("" before the first). 0, or a negative code with *err, to which file and
 * line are added. The strings live during the call only. */
typedef int ini_file_take(void *user, const char *section, const char *key, const char *value, struct error **err);

/* ERR_INPUT names file and line; nothing is taken after it. ERR_LIMIT for a file of more than 1 MiB. A long line, a NUL and a line
 * that is neither are refused; an indented line is like any other. */
int ini_file_read(const char *file, ini_file_take *take, void *user, struct error **err);
/* The same; the values of the key `whole` go to the end of the line, with " ;" and what follows: a command may have that. While a
 * value is taken *line is its line. */
int ini_file_read_whole(const char *file, const char *whole, int *line, ini_file_take *take, void *user, struct error **err);

#endif
