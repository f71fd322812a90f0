/* What checks of browsers share. */
#ifndef EXEC_ORACLE_BROWSER_H
#define EXEC_ORACLE_BROWSER_H

#include "exec/oracle/judge.h"

bool browser_opens(const struct observation *o); /* it loads a page: navigate, tab-open */
bool browser_asks(
    const struct observation *o); /* it asks the page for something: evaluate, scrape, screenshot */
/* Step `index` was not answered, though a plain call of the same session was afterwards. */
bool browser_hangs(const struct execution *e, size_t index);
/* A fact about what step `index` gave was compared and is wrong. */
bool browser_fact_fails(const struct execution *e, size_t index, struct arena *a);

#endif
