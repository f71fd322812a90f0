/* Converters that end with status 0 and leave nothing, an empty file, or something else. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/convert.h"

static const char slug[] = "converter-silent";

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        struct bytes path;
        const char *words = convert_failed_silently(e, i, &path);
        if (!words)
            continue;
        judge_say(
            out, e, slug, i, EFFECT_WRONG, words, "a converter reports success and leaves no document",
            arena_printf(out->arena,
                         "step %s run ended with status 0; seen by a witness at the end, %s: %.*s -> sandbox",
                         e->observations[i].step->id, words, BYTES_ARG(path)));
    }
}

const struct check check_converter_silent = {
    slug, "C94", "environment", "a converter that reports success left a file of the right kind", judge};
