/* Pictures that are no PNG, or of another shape than was asked for. A screen with several dots for each pixel
 * gives a multiple. */
#include "exec/oracle/browser.h"
#include "exec/oracle/checks/checks.h"

static const char slug[] = "screenshot-wrong";

enum { WIDTH = 1280, HEIGHT = 720, HEADER = 24 };

static uint64_t big_endian(const uint8_t *p)
{
    return (uint64_t)p[0] << 24 | (uint64_t)p[1] << 16 | (uint64_t)p[2] << 8 | p[3];
}

static const char *wrong_picture(const struct observation *o, struct bytes png)
{
    int64_t width = WIDTH, height = HEIGHT;
    json_as_integer(json_get(o->args, "width"), &width);
    json_as_integer(json_get(o->args, "height"), &height);
    if (png.len < HEADER || !bytes_starts(png, BYTES_LITERAL("\x89PNG\r\n\x1a\n")))
        return "the picture does not decode";
    uint64_t w = big_endian(png.data + 16), h = big_endian(png.data + 20);
    if (width <= 0 || height <= 0)
        return NULL;
    bool multiple = w >= (uint64_t)width && w % (uint64_t)width == 0 && h >= (uint64_t)height &&
                    h % (uint64_t)height == 0 && w / (uint64_t)width == h / (uint64_t)height;
    return multiple ? NULL : "the picture has another size";
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        bool present;
        struct bytes png = observation_result(o, "content", &present);
        if (!observation_is(o, "screenshot") || step_mutated(e, o->step))
            continue;
        const char *words = browser_hangs(e, i)                ? "no picture comes"
                            : observation_claims(o) && present ? wrong_picture(o, png)
                                                               : NULL;
        if (words)
            judge_say(out, e, slug, i, EFFECT_NONE, words, "a screenshot is not what was asked for",
                      arena_printf(out->arena, "step %s screenshot: %s (%zu bytes) -> interface", o->step->id,
                                   words, png.len));
    }
}

const struct check check_screenshot_wrong = {
    slug, "C88", "browser", "a picture decodes, has the size asked for, and comes in time", judge};
