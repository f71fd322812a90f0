/* Errors that a person caused or that the machine caused. A misbehaving target is data, never an error.
 *
 * A fallible function returns 0, or one of the negative codes below, and takes `struct error **err` last; err
 * may be NULL when the caller does not want the text. On failure *err is set exactly once, by the function
 * that met the fault; callers add context on the way up with error_wrap(). Messages are lower case, without a
 * full stop: what failed, then why. Nothing below cli/ prints or exits. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

enum error_code {
    ERR_INPUT = -1,  /* template, task, database, flag or profile that a person gave: exit status 2 */
    ERR_TARGET = -2, /* target or machine unusable: exit status 3 */
    ERR_OUTPUT = -3, /* our own output or store could not be written: exit status 3 */
    ERR_LIMIT = -4,  /* a budget or a buffer's maximum was reached */
    ERR_STOP = -5    /* interrupted by a signal or by a deadline of the whole run */
};

struct error {
    int code;   /* enum error_code */
    char *text; /* owned */
};

/* Sets *err (freeing nothing: *err must be NULL) and returns code, so that callers write
 * `return error_set(…)`. */
int error_set(struct error **err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Puts "context: " before the text of *err and returns its code. When err is NULL there is no code to be
 * seen, and ERR_INPUT is returned: who must tell codes apart passes an err or keeps the failed function's
 * value. */
int error_wrap(struct error **err, const char *format, ...) __attribute__((format(printf, 2, 3)));

void error_free(struct error *err); /* NULL is fine */

/* Forwards a failure; for functions that hold nothing that must be released. */
#define TRY(expression)                  \
    do {                                 \
        int try_status_ = (expression);  \
        if (try_status_ < 0)             \
            return try_status_;          \
    } while (0)

/* Aborts with file and line: for faults of our own, and for memory that cannot be had. */
void bug_abort(const char *file, int line, const char *text) __attribute__((noreturn));
#define BUG(text) bug_abort(__FILE__, __LINE__, text)

/* malloc and friends that never return NULL. */
void *xmalloc(unsigned long size);
void *xcalloc(unsigned long count, unsigned long size);
void *xrealloc(void *old, unsigned long size);
char *xstrdup(const char *text);

#endif
