/* What all links share; see link.h. */
#include "exec/target/cdp/link.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void cdp_link_lose(struct cdp_link *l, const char *format, ...)
{
    va_list args;
    if (l->lost)
        return;
    va_start(args, format);
    if (vasprintf(&l->lost, format, args) < 0)
        BUG("out of memory");
    va_end(args);
}

void cdp_link_release(struct cdp_link *l)
{
    if (l->wire)
        l->wire->release(l);
    mcp_lines_release(&l->lines);
    buf_release(&l->out);
    free(l->lost);
    *l = (struct cdp_link){0};
}

struct bytes cdp_link_stderr(const struct cdp_link *l)
{
    return stderr_tail_bytes(&l->said);
}
