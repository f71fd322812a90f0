/* Downloads: contents of recipes under any name, whole, in parts, in chunks, cut off; and uploads, answered by what came. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "exec/site/content.h"
#include "exec/site/query.h"

/* The name in RFC 6266's long form, and in the short one with "_" for what cannot stand there. */
static void name_file(struct web_answer *a, struct bytes name, bool shown)
{
    char plain[256], encoded[3 * 256];
    size_t p = 0, e = 0;
    name = bytes_slice(name, 0, 255);
    for (size_t i = 0; i < name.len; i++) {
        uint8_t c = name.data[i];
        bool safe = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
        plain[p++] = safe || c == ' ' ? (char)c : '_';
        if (safe)
            encoded[e++] = (char)c;
        else
            e += (size_t)snprintf(encoded + e, 4, "%%%02X", c);
    }
    web_header(a, "Content-Disposition", "%s; filename=\"%.*s\"; filename*=UTF-8''%.*s", shown ? "inline" : "attachment", (int)p, plain, (int)e,
               encoded);
}

static void take_range(struct web_request *r, struct web_answer *a)
{
    uint64_t from, to, length = (uint64_t)a->length;
    web_header(a, "Accept-Ranges", "bytes");
    int found = r->range.len ? web_range_read(r->range, length, &from, &to) : 0;
    if (found > 0) {
        a->status = 206;
        a->skip = from;
        a->length = (int64_t)(to - from + 1);
        web_header(a, "Content-Range", "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64, from, to, length);
    } else if (found < 0) {
        a->status = 416;
        a->length = 0;
        web_header(a, "Content-Range", "bytes */%" PRIu64, length);
    }
}

/* The same for the connection only: whoever keeps the file keeps what is in it. */
static struct json *packed(struct web_request *r, struct web_answer *a, struct json *content)
{
    struct json *object = json_new(r->arena, JSON_OBJECT), *complete = NULL;
    struct error *err = NULL;
    json_set(r->arena, object, "$recipe", json_text(r->arena, "gzip"));
    json_set(r->arena, object, "of", content);
    if (recipe_complete(object, "gzip", r->arena, &complete, &err) < 0) {
        web_fault(a, 500, "%s", err->text);
        error_free(err);
        return NULL;
    }
    web_header(a, "Content-Encoding", "gzip");
    return complete;
}

static void answer_file(struct web_request *r, struct web_answer *a)
{
    struct bytes recipe = web_bytes(r, "recipe", "random");
    struct json *content = web_content_read(r, recipe, a);
    if (content && web_has(r, "packed"))
        content = packed(r, a, content);
    if (!content || !web_content_answer(a, content))
        return;
    a->type = web_has(r, "type") ? web_text(r, "type", "") : web_content_type(recipe);
    name_file(a, web_bytes(r, "name", "file.bin"), web_has(r, "inline"));
    if (!web_has(r, "whole") && !web_has(r, "packed"))
        take_range(r, a);
    if (web_has(r, "chunked"))
        a->length = -1;
    if (web_has(r, "cut"))
        a->cut = (uint64_t)web_number(r, "cut", 0, 0, INT64_MAX);
}

static void answer_list(struct web_request *r, struct web_answer *a)
{
    web_head(a, "Files");
    web_add(a, "<a class=\"attachment\" id=\"get\" href=\"");
    web_escape(a, bytes_of_string(web_link(r, "/files/get?%s", arena_string(r->arena, r->visit->query))));
    web_add(a, "\">get it</a>\n");
}

static void answer_upload_form(struct web_request *r, struct web_answer *a)
{
    web_head(a, "Files for us");
    web_addf(a, "<form id=\"form\" method=\"post\" action=\"%s\" enctype=\"multipart/form-data\">\n", web_link(r, "/upload/sent"));
    web_addf(a, "<input name=\"note\"><input name=\"file\" type=\"file\"%s><button id=\"send\">send</button>\n</form>\n",
             web_has(r, "multiple") ? " multiple" : "");
}

static void answer_uploaded(struct web_request *r, struct web_answer *a)
{
    size_t files = 0;
    web_head(a, "Received");
    for (size_t i = 0; i < r->visit->field_count; i++) {
        const struct web_field *f = &r->visit->fields[i];
        if (!f->file) {
            web_line(a, bytes_equal_string(f->name, "note") ? "note" : "other", f->value);
            continue;
        }
        web_add(a, "<div class=\"file\">\n<p class=\"filename\">");
        web_escape(a, f->filename);
        web_addf(a, "</p>\n<p class=\"size\">%" PRIu64 "</p>\n<p class=\"sha256\">%s</p>\n</div>\n", f->size, f->sha256);
        files++;
    }
    web_addf(a, "<p id=\"files\">%zu</p>\n<p id=\"bytes\">%" PRIu64 "</p>\n", files, r->visit->body_size);
}

const struct web_page web_family_file[] = {
    WEB_PAGE("/files", "as /files/get", "a link to a download", "a#get.attachment leads to /files/get with the same parameters", answer_list),
    WEB_PAGE("/files/get", "recipe=random, those of the recipe, name=file.bin, type=, inline=, whole=, chunked=, packed=, cut=", "a download",
     "the recipe's bytes under that name; by ranges unless whole; chunked: without a length; packed: as gzip on its way, which is not to be kept; cut: closed after so many bytes", answer_file),
    WEB_PAGE("/upload", "multiple=", "a form for files", "form#form with note and file; button#send", answer_upload_form),
    WEB_PAGE("/upload/sent", "", "what was uploaded", "#note; for each file .filename, .size and .sha256; #files, how many; #bytes of the body", answer_uploaded),
    {0},
};
