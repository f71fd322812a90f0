/* locale: the target is started with another locale than UTF-8's. Bytes are bytes, so nothing may change: what does is decoded by a
 * locale on its way. */
#include "mutate/start/start_internal.h"

static const struct start_kind kinds[] = {
    {"c", "the target is started with LC_ALL=C", START_ASCII, {.variables = {"LANG=C", "LC_ALL=C"}}},
    {"ascii",
     "the target is started with LC_ALL=C, and Python's own remedy for that turned off",
     START_OTHER,
     {.variables = {"LANG=C", "LC_ALL=C", "PYTHONUTF8=0", "PYTHONCOERCECLOCALE=0"}}},
    {0}};

static bool apply(struct mutation *m)
{
    return start_apply(m, &start_locale);
}

const struct mutator mutator_locale = {
    .name = "locale",
    .group = "env",
    .summary = "the target is started with another locale",
    .details = "c: LC_ALL=C; ascii: and PYTHONUTF8=0, so that Python programs take text for ASCII. What tools for files do must not "
               "change by it.",
    .places = "",
    .kinds = "c ascii",
    .at_start = true,
    .apply = apply,
};

const struct start_row start_locale = {&mutator_locale, "/start/locale", kinds};
