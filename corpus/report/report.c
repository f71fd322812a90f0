/* The table of report formats. */
#include <string.h>

#include "corpus/report/report_internal.h"

static const struct report_format *const formats[] = {&report_text, &report_json, &report_csv,
                                                      &report_markdown, &report_script, &report_junit,
                                                      &report_sarif, &report_series, &report_html, &report_summary_json};

const struct report_format *report_at(size_t index)
{
    return index < sizeof(formats) / sizeof(*formats) ? formats[index] : NULL;
}

const struct report_format *report_find(const char *name)
{
    const struct report_format *format;

    for (size_t i = 0; (format = report_at(i)); i++)
        if (!strcmp(format->name, name))
            return format;
    return NULL;
}
