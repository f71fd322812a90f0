/* --observe, --no-observe. */
#include "cli/observe_options.h"

int cli_observers(const struct verb *v, const struct cli_args *args, struct target *target, struct observers **observers)
{
    const char *list = cli_flag(args, "no-observe") ? "none" : cli_value(args, "observe");
    struct error *err = NULL;
    if (observers_new(list, target, observers, &err) < 0) {
        error_wrap(&err, "--observe");
        return cli_fail(v, err);
    }
    return 0;
}

void cli_say_observers(const struct verb *v, const struct observers *observers)
{
    struct buf text;
    buf_init(&text, 4096);
    observers_summary(observers, &text);
    cli_notice(v, "%s", buf_string(&text));
    buf_release(&text);
}
