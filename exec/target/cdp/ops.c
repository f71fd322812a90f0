/* The table of a browser's ops. */
#include <string.h>

#include "exec/target/cdp/cdp.h"

static const struct cdp_op_row *const rows[] = {
    &cdp_tab_open, &cdp_tab_switch, &cdp_tab_close, &cdp_tab_list, &cdp_navigate,   &cdp_click, &cdp_fill,   &cdp_submit,
    &cdp_attach,   &cdp_scrape,     &cdp_evaluate,  &cdp_screenshot, &cdp_save,  &cdp_dialog,
};

const struct cdp_op_row *cdp_op_find(const char *op)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i]->op, op) == 0)
            return rows[i];
    return NULL;
}

/* Bytes that are no UTF-8 can be halves of surrogate pairs; whether they are is looked at when the call is made. */
bool cdp_supports(const char *need)
{
    char op[32];
    size_t length = strcspn(need, ":");
    if (strcmp(need, "browser") == 0)
        return true;
    if (length >= sizeof op || strcmp(need + length, ":bytes") != 0)
        return false;
    memcpy(op, need, length);
    op[length] = '\0';
    return cdp_op_find(op) != NULL;
}
