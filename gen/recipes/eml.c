/* eml: a mail (RFC 5322) of one text part and, where asked for, one attachment in base64. The date and what
 * stands between the parts are fixed. */
#include <inttypes.h>

#include "base/encode.h"
#include "base/error.h"
#include "gen/recipes/recipes.h"

enum {
    LINES_MAX = 1000,
    WORDS_A_LINE = 8,
    BASE64_LINE = 57 /* bytes that make 76 characters */,
    WORD_BYTES = 42
};

#define BOUNDARY "=_part_of_a_mail_=" /* "_=" stands in no base64 and in no line of words */
#define SENDER   "report@example.org"
#define RECEIVER "team@example.org"
#define DATE     "Wed, 01 Jan 2020 09:30:00 +0000"

static void put_subject(const struct json *parameters, struct buf *out)
{
    recipe_put_title(parameters, "subject", STREAM_EML, out);
}

static void put_line(const struct json *parameters, int64_t index, struct buf *out)
{
    struct rng rng;
    recipe_rng(&rng, parameters, STREAM_EML, (uint64_t)index);
    recipe_words(&rng, recipe_bytes(parameters, "script"), WORDS_A_LINE, out);
}

static bool is_ascii(struct bytes text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] >= 0x80)
            return false;
    return true;
}

static void put_base64_lines(struct bytes data, struct buf *out)
{
    for (size_t at = 0; at < data.len && !out->overflow; at += BASE64_LINE) {
        base64_encode(out, bytes_slice(data, at, at + BASE64_LINE));
        buf_add_string(out, "\r\n");
    }
}

/* As it is, or as encoded words of whole characters (RFC 2047). */
static void put_header_text(struct bytes text, struct buf *out)
{
    bool plain = is_ascii(text) && bytes_find(text, BYTES_LITERAL("=?"), 0) < 0 &&
                 !bytes_starts(text, BYTES_LITERAL(" ")) && !bytes_ends(text, BYTES_LITERAL(" "));
    if (plain) {
        buf_add(out, text);
        return;
    }
    for (size_t at = 0, end; at < text.len; at = end) {
        end = at + WORD_BYTES < text.len ? at + WORD_BYTES : text.len;
        while (end < text.len && (text.data[end] & 0xc0) == 0x80)
            end--;
        buf_add_string(out, at ? "\r\n =?UTF-8?B?" : "=?UTF-8?B?");
        base64_encode(out, bytes_slice(text, at, end));
        buf_add_string(out, "?=");
    }
}

/* A parameter of a header field: in quotes, or in percent signs (RFC 2231). */
static void put_file_name(struct bytes name, struct buf *out)
{
    if (is_ascii(name)) {
        buf_addf(out, "; filename=\"%.*s\"", BYTES_ARG(name));
        return;
    }
    buf_add_string(out, "; filename*=UTF-8''");
    for (size_t i = 0; i < name.len; i++)
        buf_addf(out, "%%%02X", name.data[i]);
}

static void put_text_part(const struct json *parameters, struct buf *out)
{
    int64_t lines = recipe_int(parameters, "lines");
    struct buf text;
    buf_init(&text, recipe_stage_max(out));
    for (int64_t i = 0; i < lines; i++) {
        put_line(parameters, i, &text);
        buf_add_string(&text, "\r\n");
    }
    bool ascii = is_ascii(buf_bytes(&text));
    buf_addf(out, "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: %s\r\n\r\n",
             ascii ? "7bit" : "base64");
    if (ascii)
        buf_add(out, buf_bytes(&text));
    else
        put_base64_lines(buf_bytes(&text), out);
    buf_release(&text);
}

static int put_attachment(const struct json *parameters, struct buf *out, struct error **err)
{
    struct buf data;
    buf_init(&data, recipe_stage_max(out));
    int status = content_make(recipe_content(parameters, "of"), data.max, &data, err);
    if (status == 0) {
        buf_add_string(out, "Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n"
                            "Content-Disposition: attachment");
        put_file_name(recipe_bytes(parameters, "file-name"), out);
        buf_add_string(out, "\r\n\r\n");
        put_base64_lines(buf_bytes(&data), out);
    }
    buf_release(&data);
    return status;
}

static int eml_make(const struct json *parameters, struct buf *out, struct error **err)
{
    struct buf subject;
    buf_init(&subject, 1 << 12);
    put_subject(parameters, &subject);
    buf_add_string(out, "From: Report <" SENDER ">\r\nTo: Team <" RECEIVER ">\r\nSubject: ");
    put_header_text(buf_bytes(&subject), out);
    buf_addf(out, "\r\nDate: " DATE "\r\nMessage-ID: <%" PRId64 "@example.org>\r\nMIME-Version: 1.0\r\n",
             recipe_int(parameters, "seed"));
    buf_release(&subject);
    if (!recipe_bytes(parameters, "file-name").len) {
        put_text_part(parameters, out);
        return recipe_made(out, "eml", err);
    }
    buf_add_string(out, "Content-Type: multipart/mixed; boundary=\"" BOUNDARY "\"\r\n\r\n--" BOUNDARY "\r\n");
    put_text_part(parameters, out);
    buf_add_string(out, "\r\n--" BOUNDARY "\r\n");
    TRY(put_attachment(parameters, out, err));
    buf_add_string(out, "\r\n--" BOUNDARY "--\r\n");
    return recipe_made(out, "eml", err);
}

static struct json *attachment_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    struct bytes file = recipe_bytes(parameters, "file-name");
    const struct json *of = recipe_content(parameters, "of");
    if (bytes_equal_string(name, "attachments"))
        return json_integer(a, file.len > 0);
    if (!file.len)
        return NULL;
    if (bytes_equal_string(name, "attachment-name"))
        return json_string(a, file);
    if (bytes_equal_string(name, "attachment-size"))
        return content_fact(of, BYTES_LITERAL("size"), a);
    return bytes_equal_string(name, "attachment-sha256") ? content_fact(of, BYTES_LITERAL("sha256"), a)
                                                         : NULL;
}

static struct json *eml_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    int64_t lines = recipe_int(parameters, "lines");
    bool subject = bytes_equal_string(name, "subject");
    if (bytes_equal_string(name, "lines"))
        return json_integer(a, lines);
    if (bytes_equal_string(name, "words"))
        return json_integer(a, lines * WORDS_A_LINE);
    if (bytes_equal_string(name, "from"))
        return json_text(a, SENDER);
    if (bytes_equal_string(name, "to"))
        return json_text(a, RECEIVER);
    if (!subject && !(lines && bytes_equal_string(name, "first-line")))
        return attachment_fact(parameters, name, a);
    struct buf text;
    buf_init(&text, 1 << 12);
    if (subject)
        put_subject(parameters, &text);
    else
        put_line(parameters, 0, &text);
    return recipe_text_fact(a, &text);
}

static int eml_check(const struct json *parameters, const char *where, struct error **err)
{
    struct bytes name = recipe_bytes(parameters, "file-name");
    TRY(recipe_check_line(parameters, "subject", where, err));
    TRY(recipe_check_line(parameters, "file-name", where, err));
    bool odd = bytes_find(name, BYTES_LITERAL("\""), 0) >= 0 ||
               bytes_find(name, BYTES_LITERAL("\\"), 0) >= 0 || bytes_find(name, BYTES_LITERAL("/"), 0) >= 0;
    return odd ? error_set(err, ERR_INPUT,
                           "%s: file-name: found '%.*s', expected a file name without quotes and slashes",
                           where, BYTES_ARG(name))
               : 0;
}

/* What is not ASCII is encoded. */
static int eml_utf8(const struct json *parameters)
{
    return 1;
}

static const struct recipe_parameter parameters_table[] = {
    {"lines", "5", "lines of the text, of 8 words", RECIPE_INT, 0, LINES_MAX, NULL},
    {"script", "\"ascii\"", "which words", RECIPE_ONE_OF, 0, 0, recipe_scripts},
    {"subject", "\"\"", "empty: made up", RECIPE_BYTES, 0, 200, NULL},
    {"file-name", "\"\"", "file name of an attachment with the content `of`; empty: there is none",
     RECIPE_BYTES, 0, 100, NULL},
    {"of", "\"\"", "content of the attachment", RECIPE_CONTENT, 0, 0, NULL},
    RECIPE_SEED,
};

static const char *const facts[] = {"subject",
                                    "from",
                                    "to",
                                    "lines",
                                    "words",
                                    "first-line",
                                    "attachments",
                                    "attachment-name",
                                    "attachment-size",
                                    "attachment-sha256",
                                    NULL};

const struct recipe recipe_eml = {
    .name = "eml",
    .doc = "a mail, with an attachment where asked for",
    .parameters = parameters_table,
    .parameter_count = sizeof parameters_table / sizeof *parameters_table,
    .facts = facts,
    .make = eml_make,
    .fact = eml_fact,
    .check = eml_check,
    .utf8 = eml_utf8,
};
