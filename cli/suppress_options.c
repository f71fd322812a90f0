/* Suppressions of a database, from a file or from itself. */
#include "cli/suppress_options.h"

#include "base/clock.h"
#include "base/fs.h"

#include <stdio.h>
#include <string.h>

enum { FILE_MAX = 1 << 20 };

static int read_rules(const char *file, struct store *store, bool writes, struct arena *a, struct suppressions **s,
                      struct error **err)
{
    const char *text = NULL;
    if (!file) {
        TRY(store_suppressions(store, a, &text, err));
        return suppressions_read(bytes_of_string(text), "the database's suppressions", s, err);
    }
    struct buf data;
    buf_init(&data, FILE_MAX);
    int status = fs_read(file, FILE_MAX, &data, err);
    if (status == 0 && memchr(data.data, 0, data.len))
        status = error_set(err, ERR_INPUT, "%s: found a NUL, expected text", file);
    if (status == 0)
        status = suppressions_read(buf_bytes(&data), file, s, err);
    if (status == 0 && writes)
        status = store_put_suppressions(store, buf_string(&data), err);
    buf_release(&data);
    return status;
}

int cli_suppressions(const struct verb *v, const struct cli_args *args, struct store *store, bool writes,
                     struct suppressions **s)
{
    struct error *err = NULL;
    struct arena a;
    const char *file = cli_value(args, "suppress");
    const struct suppression *rule;
    *s = NULL;
    arena_init(&a);
    int status = read_rules(file, store, writes, &a, s, &err);
    arena_release(&a);
    if (status < 0)
        return cli_fail(v, err);
    int64_t now = clock_wall_ms();
    for (size_t i = 0; (rule = suppression_at(*s, i)); i++)
        if (now >= rule->until_ms)
            fprintf(stderr, "taskgen %s: %s:%u: the suppression of %s expired on %s and is not used\n", v->name,
                    file ? file : "suppressions", rule->line, rule->pattern, rule->expires);
    return 0;
}
