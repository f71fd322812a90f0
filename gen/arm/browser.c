/* Browser: tabs, dialogs, downloads, pictures, pages that never end. */
#include <string.h>

#include "gen/arm/tables.h"

enum { FLOOD = 10, TALL = 8192, LOOP = 3, BIG = 1000000 };

static struct bytes url_of(const struct arm_step *s)
{
    return s->op & OPS_PAGE ? arm_text(s, "url") : BYTES_NONE;
}

/* An address that names what a site's page does; a page that is all in its address names nothing. */
static bool is_page_of(const struct arm_step *s, const char *words)
{
    struct bytes url = url_of(s);
    return !bytes_starts(url, BYTES_LITERAL("data:")) && arm_holds(url, words);
}

/* C84: a page that takes its renderer down, then another navigation. */
static bool dead_tab(const struct arm_view *v)
{
    EACH (s, v) {
        bool page = is_page_of(
            s, "chrome://crash|chrome://kill|chrome://hang|about:crash|/crash|/heavy|/oom|/memory");
        bool script =
            s->op & OP(EVALUATE) &&
            (arm_says(s, "while(true)|while (true)|for(;;)|for (;;)|new Array(1e|.repeat(1e|ArrayBuffer(") ||
             arm_amount(s, "Array(|repeat(| < |i<|fill(|ArrayBuffer(") >= BIG * 10);
        bool kill = s->op & OPS_PROGRAM && arm_says(s, "--type=renderer");
        if ((page || script || kill) && arm_follows(v, s, OPS_PAGE | OP(EVALUATE)))
            return true;
    }
    return false;
}

/* C85 */
static bool tab_flood(const struct arm_view *v)
{
    return arm_total(v, OP(TAB_OPEN)) >= FLOOD;
}

/* C86 */
static bool dialog_blocks(const struct arm_view *v)
{
    EACH (s, v)
        if (s->op & OP(DIALOG) || is_page_of(s, "/alert|/confirm|/prompt|/beforeunload|/dialog") ||
            arm_holds(url_of(s),
                      "alert%28|confirm%28|prompt%28|alert(|confirm(|prompt(|beforeunload|print%28%29") ||
            (s->op & OP(EVALUATE) && arm_says(s, "alert(|confirm(|prompt(|onbeforeunload|print()")))
            return true;
    return false;
}

/* C87: a download that is hard to name or to end, or one with a page that must go on. */
static bool download_lost(const struct arm_view *v)
{
    static const char hard[] =
        "blob|empty|zero|large|big|100|cjk|slash|quot|utf|window|blank|attachment|unnamed|name=";
    EACH (s, v)
        if (s->op & OP(SAVE) && (s->path.flags & TEXT_NON_ASCII || s->flags & TEXT_NON_ASCII ||
                                 arm_holds(arm_text(s, "selector"), hard) || arm_holds(s->path.text, hard) ||
                                 arm_follows(v, s, OP(SCRAPE) | OP(NAVIGATE) | OP(CLICK) | OP(EVALUATE))))
            return true;
    return false;
}

/* C88 */
static bool screenshot_wrong(const struct arm_view *v)
{
    EACH (s, v) {
        if (!(s->op & OP(SCREENSHOT)))
            continue;
        int64_t width = arm_int(s, "width", 1280), height = arm_int(s, "height", 720);
        if ((s > v->steps && (s - 1)->op & OPS_PAGE) || width <= 1 || height <= 1 || height >= TALL ||
            width >= TALL || s->step->repeat >= LOOP)
            return true;
    }
    return false;
}

/* C89 */
static bool never_loaded(const struct arm_view *v)
{
    EACH (s, v)
        if (is_page_of(
                s, "/stream|hang|/slow|/never|/loop|endless|/forever|/drip|/redirect|/stall|/wait|/events") &&
            arm_follows(v, s, OP(EVALUATE) | OP(SCRAPE)))
            return true;
    return false;
}

/* C90 */
static bool profile_locked(const struct arm_view *v)
{
    const char *first = NULL;
    EACH (s, v) {
        if (!(s->op & OPS_BROWSER))
            continue;
        if (first && strcmp(first, s->step->session) != 0)
            return true;
        first = s->step->session;
    }
    return false;
}

/* C91 */
static bool upload_breaks(const struct arm_view *v)
{
    EACH (s, v) {
        if (!(s->op & OP(ATTACH)) || !arm_follows(v, s, OP(SUBMIT) | OP(CLICK)))
            continue;
        if (s->path.flags & (TEXT_NON_ASCII | TEXT_NUL))
            return true;
        EACH (put, v)
            if (put < s && put->op & OPS_PUT && bytes_equal(put->path.text, s->path.text) &&
                (put->content.size == 0 || put->content.size >= BIG || put->content.flags & TEXT_NUL))
                return true;
    }
    return false;
}

/* C92 */
static bool tab_switch_lost(const struct arm_view *v)
{
    if (arm_total(v, OP(TAB_OPEN)) < 2)
        return false;
    EACH (s, v)
        if (s->op & (OP(TAB_SWITCH) | OP(TAB_CLOSE)) &&
            arm_follows(v, s, OP(CLICK) | OP(EVALUATE) | OP(SCRAPE) | OP(FILL) | OP(SCREENSHOT)))
            return true;
    return false;
}

const struct arm_row arm_browser[] = {
    {"C84", dead_tab, NULL},         {"C85", tab_flood, NULL},
    {"C86", dialog_blocks, NULL},    {"C87", download_lost, NULL},
    {"C88", screenshot_wrong, NULL}, {"C89", never_loaded, NULL},
    {"C90", profile_locked, NULL},   {"C91", upload_breaks, NULL},
    {"C92", tab_switch_lost, NULL},  {0},
};
