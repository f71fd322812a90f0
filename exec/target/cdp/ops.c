/* The table of a browser's ops. */
#include <string.h>

#include "exec/target/cdp/cdp.h"

static const struct cdp_op_row *const rows[] = {
    &cdp_tab_open, &cdp_tab_switch, &cdp_tab_close, &cdp_tab_list, &cdp_navigate,   &cdp_click, &cdp_fill,   &cdp_submit,
    &cdp_attach,   &cdp_scrape,     &cdp_evaluate,  &cdp_screenshot, &cdp_save,  &cdp_dialog,
};

const struct cdp_op_row *cdp_op_find(const struct op *op)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i]->op, op->name) == 0)
            return rows[i];
    return NULL;
}
