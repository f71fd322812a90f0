/* Names are written in the character set of the locale, which may be ASCII. */
#include <stdlib.h>
#include <string.h>

#include "leakybox/faults.h"

static bool ascii_locale(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
        const char *value = getenv(variables[i]);

        if (value && *value)
            return !strcmp(value, "C") || !strcmp(value, "POSIX");
    }
    return false; /* whoever says nothing means UTF-8 */
}

static enum fault_mark on_entry(struct fault_entry *e)
{
    enum fault_mark mark = FAULT_REACHED;
    struct buf name;

    if (!ascii_locale())
        return FAULT_MISSED;
    buf_init(&name, e->name.len);
    for (size_t i = 0; i < e->name.len; i++) {
        bool plain = e->name.data[i] < 0x80;

        buf_add_byte(&name, plain ? e->name.data[i] : '?');
        mark = plain ? mark : FAULT_TRIGGERED;
    }
    e->name = arena_copy(e->arena, buf_bytes(&name));
    buf_release(&name);
    return mark;
}

const struct fault fault_listing_follows_locale = {
    .id = "listing-follows-locale",
    .class_id = "C09",
    .layer = "interface",
    .primitive = "environment",
    .needs = "environment",
    .summary = "in the locale C or POSIX, list_directory gives ? for each byte of a name that is not ASCII",
    .report = "MemPalace/mempalace#1488",
    .entry = on_entry,
};
