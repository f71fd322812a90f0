/* Lines at the bottom of a terminal that are redrawn in place. No mode of the terminal is changed and the cursor stands at the beginning
 * of the line below them, so that there is nothing to restore, however the program ends: a kill -9 leaves them as lines like any
 * other. What else is printed comes above them: hide, print, show again. Not thread-safe. */
#ifndef CLI_SCREEN_H
#define CLI_SCREEN_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/bytes.h"

struct screen {
    int fd;
    bool on;         /* it is a terminal that can be written to in this way */
    unsigned drawn;  /* lines that stand there */
};

/* *hurry is set when the terminal's size has changed or the program was stopped and goes on: draw soon. Signals' handlers keep the
 * pointer until screen_release. */
void screen_init(struct screen *s, int fd, atomic_int *hurry);
void screen_release(struct screen *s); /* leaves the lines as they are */
/* Its size; 80 x 24 where it does not say. */
void screen_size(const struct screen *s, unsigned *columns, unsigned *rows);
/* In the place of the lines that stood there. Nothing while the program is in the background or the output is stopped. */
void screen_show(struct screen *s, struct bytes lines, unsigned count);
void screen_hide(struct screen *s);

#endif
