/* Pictures that are no PNG, of another shape than was asked for, or with nothing on them though the page has something to show. A screen
 * with several dots for each pixel gives a multiple. */
#include "exec/oracle/browser.h"
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/picture.h"

#include <string.h>

static const char slug[] = "screenshot-wrong";

enum { WIDTH = 1280, HEIGHT = 720 };

static const char *wrong_size(const struct observation *o, const struct picture *p)
{
    int64_t width = WIDTH, height = HEIGHT;
    json_as_integer(json_get(o->args, "width"), &width);
    json_as_integer(json_get(o->args, "height"), &height);
    if (width <= 0 || height <= 0)
        return NULL;
    uint64_t w = p->width, h = p->height;
    bool multiple = w >= (uint64_t)width && w % (uint64_t)width == 0 && h >= (uint64_t)height && h % (uint64_t)height == 0 &&
                    w / (uint64_t)width == h / (uint64_t)height;
    return multiple ? NULL : "the picture has another size";
}

static bool has_text(const struct observation *o)
{
    const struct json *texts = json_get(o->outcome.result, "texts");
    for (const struct json *one = observation_is(o, "scrape") && observation_claims(o) && texts ? texts->first : NULL; one; one = one->next)
        for (size_t i = 0; i < one->text.len; i++)
            if (one->text.data[i] > ' ')
                return true;
    return false;
}

static bool shows_headings(const struct observation *o)
{
    static const char *const visible[] = {"h1", "p", "button", "#heading", "#label", "#count", "#state"};
    struct bytes selector = observation_argument(o, "selector");
    for (size_t i = 0; i < sizeof visible / sizeof *visible; i++)
        if (bytes_equal_string(selector, visible[i]))
            return true;
    return false;
}

/* The page that was pictured has a heading or the like with a text, as a step just before or after saw: none in between changes it. */
static bool has_something(const struct execution *e, size_t index)
{
    const char *session = e->observations[index].step->session;
    for (int way = -1; way <= 1; way += 2) {
        for (size_t i = index + (size_t)way; i < e->count; i += (size_t)way) {
            const struct observation *o = &e->observations[i];
            static const char *const quiet[] = {"scrape", "screenshot", "tab-list", NULL};
            if (strcmp(o->step->session, session) != 0 || !observation_is_any(o, quiet))
                break;
            if (has_text(o) && shows_headings(o))
                return true;
        }
    }
    return false;
}

/* A picture of a few dots may show none of it. */
static bool is_small(const struct picture *p)
{
    return p->width < 320 || p->height < 200;
}

static const char *wrong_picture(const struct execution *e, size_t index, struct bytes data, struct picture *p)
{
    picture_look(data, p);
    if (!p->png || (!p->decoded && !p->too_big))
        return "the picture does not decode";
    const char *words = wrong_size(&e->observations[index], p);
    return words ? words : p->blank && !is_small(p) && has_something(e, index) ? "the picture is blank" : NULL;
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        bool present;
        struct bytes data = observation_result(o, "content", &present);
        struct picture p = {0};
        if (!observation_is(o, "screenshot") || step_mutated(e, o->step))
            continue;
        const char *words = browser_hangs(e, i)                ? "no picture comes"
                            : observation_claims(o) && present ? wrong_picture(e, i, data, &p)
                                                               : NULL;
        if (words)
            judge_say(out, e, slug, i, EFFECT_NONE, words, "a screenshot is not what was asked for",
                      arena_printf(out->arena, "step %s screenshot: %s (%zu bytes, %u x %u%s%s) -> interface", o->step->id, words,
                                   data.len, p.width, p.height, *p.why ? ", " : "", p.why));
    }
}

const struct check check_screenshot_wrong = {
    slug, "C88", "browser", "a picture decodes, has the size asked for, shows something, and comes in time", judge};
