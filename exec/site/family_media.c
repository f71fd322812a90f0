/* Pictures, sound, documents: by themselves and in pages that say what became of them. */
#include <string.h>

#include "exec/site/content.h"
#include "exec/site/picture.h"

static unsigned side(const struct web_request *r, const char *name, unsigned fallback)
{
    return (unsigned)web_number(r, name, fallback, 1, PICTURE_SIDE_MAX);
}

static void answer_jpeg(struct web_request *r, struct web_answer *a)
{
    a->type = "image/jpeg";
    picture_jpeg(&a->body, side(r, "width", 64), side(r, "height", 48), !web_has(r, "dark"));
}

static void answer_gif(struct web_request *r, struct web_answer *a)
{
    a->type = "image/gif";
    picture_gif(&a->body, side(r, "width", 64), side(r, "height", 48), (unsigned)web_number(r, "frames", 1, 1, 64));
}

static void answer_broken(struct web_request *r, struct web_answer *a)
{
    a->type = web_text(r, "type", "image/png");
    buf_add(&a->body, BYTES_LITERAL("\x89PNG\r\n\x1a\n\0\0\0\rIHDR and no more"));
}

/* The address of a picture or a sound of that kind, with the parameters that the page got. */
static const char *source_of(const struct web_request *r, const char *kind)
{
    static const struct {
        const char *kind, *path;
    } known[] = {
        {"jpeg", "/media/jpeg"}, {"gif", "/media/gif"}, {"broken", "/media/broken"}, {"svg", "/content/svg"}, {"wav", "/content/wav"}, {"pdf", "/content/pdf"},
    };
    const char *path = "/content/png";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(kind, known[i].kind) == 0)
            path = known[i].path;
    return web_link(r, "%s?%s", path, arena_string(r->arena, r->visit->query));
}

static void answer_picture(struct web_request *r, struct web_answer *a)
{
    web_head(a, web_text(r, "title", "Picture"));
    web_add(a, "<img id=\"picture\" alt=\"a picture\" src=\"");
    web_escape(a, bytes_of_string(source_of(r, web_text(r, "kind", "png"))));
    web_add(a, "\" onload=\"state.textContent = this.naturalWidth + ' x ' + this.naturalHeight\" onerror=\"state.textContent = 'broken'\">\n<p id=\"state\">loading</p>\n");
}

static void answer_sound(struct web_request *r, struct web_answer *a)
{
    web_head(a, web_text(r, "title", "Sound"));
    web_add(a, "<p id=\"state\">loading</p>\n<audio id=\"sound\" controls src=\"");
    web_escape(a, bytes_of_string(source_of(r, "wav")));
    web_add(a, "\"></audio>\n<script>\nsound.onloadedmetadata = () => { state.textContent = Math.round(sound.duration * 1000) + \" ms\"; };\n"
               "sound.onerror = () => { state.textContent = \"broken\"; };\n</script>\n");
}

static void answer_document(struct web_request *r, struct web_answer *a)
{
    web_head(a, web_text(r, "title", "Document"));
    web_add(a, "<a id=\"link\" href=\"");
    web_escape(a, bytes_of_string(source_of(r, "pdf")));
    web_add(a, "\">the document</a>\n<embed id=\"document\" type=\"application/pdf\" width=\"600\" height=\"400\" src=\"");
    web_escape(a, bytes_of_string(source_of(r, "pdf")));
    web_add(a, "\">\n");
}

/* One colour everywhere, or what a picture of it must show. */
static void answer_colours(struct web_request *r, struct web_answer *a)
{
    web_add(a, "<!doctype html>\n<meta charset=\"utf-8\">\n<title>Colours</title>\n<style>\nhtml, body { margin: 0; height: 100%; }\n"
               "#left, #right { position: fixed; top: 0; bottom: 0; width: 50%; }\n#left { left: 0; background: ");
    web_escape(a, web_bytes(r, "left", "red"));
    web_add(a, "; }\n#right { right: 0; background: ");
    web_escape(a, web_bytes(r, "right", "blue"));
    web_addf(a, "; }\n#long { height: %dpx; }\n</style>\n<div id=\"left\"></div><div id=\"right\"></div><div id=\"long\"></div>\n",
             (int)web_number(r, "height", 10, 0, 1 << 24));
}

const struct web_page web_family_media[] = {
    WEB_PAGE("/media/jpeg", "width=64, height=48, dark=", "a JPEG", "a picture of that size, grey", answer_jpeg),
    WEB_PAGE("/media/gif", "width=64, height=48, frames=1", "a GIF", "a picture of that size, of so many frames", answer_gif),
    WEB_PAGE("/media/broken", "type=image/png", "a broken picture", "the begin of one", answer_broken),
    WEB_PAGE("/media/picture", "title=Picture, kind=png, those of the recipe", "a page with a picture",
             "#picture (png, svg, jpeg, gif, broken); #state is \"WIDTH x HEIGHT\", or \"broken\"", answer_picture),
    WEB_PAGE("/media/sound", "title=Sound, those of the recipe wav", "a page with a sound", "#sound; #state is its length, \"N ms\"", answer_sound),
    WEB_PAGE("/media/document", "title=Document, those of the recipe pdf", "a page with a document", "#link to a PDF, and #document that shows it", answer_document),
    WEB_PAGE("/media/colours", "left=red, right=blue, height=10", "colours", "one colour on the left half of the window, one on the right; the page is so high", answer_colours),
    {0},
};
