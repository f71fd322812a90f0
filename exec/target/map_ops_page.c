/* The table of browser ops for the automatic mapping; see map_table.h, and map_ops.c for all others.
 *
 * Beside the ops there are rows for helpers: what a browser op is made of where no one tool does the whole of it
 * (lower_page.c). They are `resize`, a picture `pictured` without a size, `outline`, the text in which elements have
 * references, and ops on an element that is told by such a reference: `press`, `enter`, `choose`. `chosen` is for a
 * server that asks for a file when a click has opened its field. */
#include "exec/target/map_table.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define NO_PAGE "back|forward|reload|history|list|close|select|wait|network|console|performance|trace|emulate|script|file"
#define NO_CLICK "key|keyboard|mouse|drag|double|right|hover|xy|coordinate|dialog|tab"
#define NO_FIELD "form|key|keyboard|option|select|file|dialog|search|code|script"
#define NO_SCRIPT "shell|bash|python|sql|command|unsafe|init|workflow|list|get|remove"
#define NO_PICTURE "heap|trace|network|console|video|screencast|pdf|diff|list|compare"

static const struct word_pattern tab_open_names[] = {
    {1, "new|open|create|add tab|page|window"},
};
static const struct word_pattern tab_switch_names[] = {
    {1, "select|switch|activate|focus tab|page|window to?"}, {.9, "bring tab|page front"},
};
static const struct word_pattern tab_close_names[] = {
    {1, "close tab|page|window"},
};
static const struct word_pattern tab_list_names[] = {
    {1, "list|get|show tab|page|window open?"}, {.9, "tab|page list"},
};
static const struct word_pattern navigate_names[] = {
    {1, "navigate|goto|visit page|url|to|tab?"}, {.95, "go to url|page?"}, {.9, "open|load url|page|website"},
};
static const struct word_pattern click_names[] = {
    {1, "click|tap element|on|node?"},
};
static const struct word_pattern fill_names[] = {
    {1, "fill|type|input|enter text|in|into|input|field|value|element|out?"}, {.9, "set field|input|element value|text?"},
};
static const struct word_pattern submit_names[] = {
    {1, "submit form?"},
};
static const struct word_pattern attach_names[] = {
    {1, "upload|attach|choose|set file|input"}, {1, "file upload|chooser"},
};
static const struct word_pattern evaluate_names[] = {
    {1, "evaluate|eval script|javascript|js|expression|code|function|page?"},
    {.95, "execute|run|exec script|javascript|js"},
};
static const struct word_pattern screenshot_names[] = {
    {1, "screenshot take|capture|get|make|page|tab?"}, {.9, "take|capture|get picture|image"},
};
static const struct word_pattern dialog_names[] = {
    {1, "handle|answer|accept|dismiss|respond dialog|alert|prompt"}, {.9, "dialog"},
};
static const struct word_pattern resize_names[] = {
    {1, "resize page|window|viewport|browser?"}, {1, "set viewport|window size|page?"},
};
static const struct word_pattern outline_names[] = {
    {1, "snapshot take|get|capture page|accessibility?"}, {.9, "accessibility tree|snapshot get|take?"},
};

static const struct op_place url_places[] = {{"url", ROLE_URL, true}};
static const struct op_place tab_places[] = {{"tab", ROLE_TAB, true}};
static const struct op_place selector_places[] = {{"selector", ROLE_SELECTOR, true}};
static const struct op_place fill_places[] = {{"selector", ROLE_SELECTOR, true}, {"value", ROLE_ENTRY, true}};
static const struct op_place attach_places[] = {{"selector", ROLE_SELECTOR, true}, {"path", ROLE_PATHS, true}};
static const struct op_place evaluate_places[] = {{"script", ROLE_PAGE_SCRIPT, true}};
static const struct op_place size_places[] = {{"width", ROLE_WIDTH, true}, {"height", ROLE_HEIGHT, true}};
static const struct op_place dialog_places[] = {{"accept", ROLE_ACCEPT, true}, {"text", ROLE_ANSWER, false}};
static const struct op_place press_places[] = {{"reference", ROLE_REFERENCE, true}};
static const struct op_place enter_places[] = {{"reference", ROLE_REFERENCE, true}, {"value", ROLE_ENTRY, true}};
static const struct op_place choose_places[] = {{"reference", ROLE_REFERENCE, true}, {"path", ROLE_PATHS, true}};
static const struct op_place chosen_places[] = {{"path", ROLE_PATHS, true}};

static const struct op_fixed picture_fixed[] = {
    {"image? format|type", "png", true, false},
    {"name", "\"taskgen\"", false, false},
};

#define NONE NULL, 0
#define NAMES(op) op##_names, COUNT(op##_names)
#define PLACES(op) op##_places, COUNT(op##_places)
#define PICTURE picture_fixed, COUNT(picture_fixed)

static const struct op_row rows[] = {
    {"tab-open", false, true, WAY_PAGE, "close|list|select|switch", NAMES(tab_open), PLACES(url), NONE},
    {"tab-switch", false, false, WAY_PAGE, "close|list|new|open", NAMES(tab_switch), PLACES(tab), NONE},
    {"tab-close", false, true, WAY_PAGE, "list|new|open|all|other", NAMES(tab_close), PLACES(tab), NONE},
    {"tab-list", false, false, WAY_PAGE, "close|new|select|text|content|error|link", NAMES(tab_list), NONE, NONE},
    {"navigate", false, true, WAY_PAGE, NO_PAGE, NAMES(navigate), PLACES(url), NONE},
    {"click", false, true, WAY_PAGE, NO_CLICK, NAMES(click), PLACES(selector), NONE},
    {"fill", false, true, WAY_PAGE, NO_FIELD, NAMES(fill), PLACES(fill), NONE},
    {"submit", false, true, WAY_PAGE, "text|key", NAMES(submit), PLACES(selector), NONE},
    {"attach", false, true, WAY_PAGE, "download|list", NAMES(attach), PLACES(attach), NONE},
    {"evaluate", false, true, WAY_PAGE, NO_SCRIPT, NAMES(evaluate), PLACES(evaluate), NONE},
    {"screenshot", false, false, WAY_PAGE, NO_PICTURE, NAMES(screenshot), PLACES(size), PICTURE},
    {"dialog", false, true, WAY_PAGE, "list|get|open", NAMES(dialog), PLACES(dialog), NONE},
    {"resize", false, true, WAY_PAGE, "image|get", NAMES(resize), PLACES(size), NONE},
    {"pictured", false, false, WAY_PAGE, NO_PICTURE, NAMES(screenshot), NONE, PICTURE},
    {"outline", false, false, WAY_PAGE, "heap|heapsnapshot|diff|screenshot|memory|save", NAMES(outline), NONE, NONE},
    {"press", false, true, WAY_PAGE, NO_CLICK, NAMES(click), PLACES(press), NONE},
    {"enter", false, true, WAY_PAGE, NO_FIELD, NAMES(fill), PLACES(enter), NONE},
    {"choose", false, true, WAY_PAGE, "download|list", NAMES(attach), PLACES(choose), NONE},
    {"chosen", false, true, WAY_PAGE, "download|list|drop", NAMES(attach), PLACES(chosen), NONE},
};

const struct op_row *op_page_rows(size_t *count)
{
    *count = COUNT(rows);
    return rows;
}
