/* The HTML report's parts. */
#ifndef CORPUS_REPORT_HTML_H
#define CORPUS_REPORT_HTML_H

#include "corpus/report/report_internal.h"

extern const char report_html_style[];
/* Sections of targets side by side; nothing when there are none. */
void report_html_sides(struct buf *out, const struct report_options *o, const struct report_view *v);

#endif
