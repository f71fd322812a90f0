/* The table of pages. */
#include <string.h>

#include "exec/site/page.h"

extern const struct web_page web_family_start[], web_family_form[], web_family_login[], web_family_table[],
    web_family_content[], web_family_file[], web_family_dialog[], web_family_window[], web_family_slow[],
    web_family_redirect[], web_family_charset[], web_family_status[], web_family_heavy[], web_family_media[],
    web_family_policy[], web_family_control[], web_family_raw[];

const struct web_page *const web_families[] = {
    web_family_start, web_family_form, web_family_login, web_family_table, web_family_content, web_family_file,
    web_family_dialog, web_family_window, web_family_slow, web_family_redirect, web_family_charset, web_family_status,
    web_family_heavy, web_family_media, web_family_policy, web_family_control, web_family_raw, NULL,
};

static bool answers(const struct web_page *p, struct bytes path, struct bytes *rest)
{
    size_t length = strlen(p->path);
    bool open = p->path[length - 1] == '*';
    if (!open)
        return bytes_equal_string(path, p->path);
    length--;
    if (!bytes_starts(path, bytes_of(p->path, length)))
        return false;
    *rest = bytes_slice(path, length, path.len);
    return true;
}

const struct web_page *web_page_find(struct bytes path, struct bytes *rest)
{
    *rest = BYTES_NONE;
    for (size_t f = 0; web_families[f]; f++)
        for (const struct web_page *p = web_families[f]; p->path; p++)
            if (answers(p, path, rest))
                return p;
    return NULL;
}
