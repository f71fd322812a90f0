/* Encoding: bytes and texts that some layer may decode, cut or rewrite on the way. */
#include <string.h>

#include "gen/arm/tables.h"
#include "gen/task_internal.h"

enum {
    KIB = 1024,
    CUT_MIN = 100,  /* bytes; the smallest usual limit of an output */
    CUT_LOOP = 200, /* characters that a loop has to print to reach one */
    CATCHES = TEXT_CRLF | TEXT_CR | TEXT_SEPARATOR
};

/* Something put there that has one of the flags and is then fetched back by one of `ops`. */
static bool comes_back(const struct arm_view *v, unsigned flags, uint64_t put, uint64_t ops)
{
    EACH (s, v)
        if (s->op & put && s->content.flags & flags && arm_next_on(v, s, ops, s->path.text))
            return true;
    return false;
}

/* C01: bytes that have to travel as base64, or text that looks as if it did. */
static bool base64_layer(const struct arm_view *v)
{
    return comes_back(v, TEXT_NOT_UTF8 | TEXT_BASE64, OP(WRITE) | OP(UPLOAD) | OP(STAGE_FILE), OPS_LOOK);
}

/* Escapes of bytes above 7F, or a codec that makes such. */
static bool prints_odd_bytes(const struct arm_step *s)
{
    struct bytes t = s->script;
    if (!(s->op & OPS_PROGRAM) || !arm_prints(s))
        return false;
    for (size_t i = 0; i + 3 < t.len; i++)
        if (t.data[i] == '\\' && ((t.data[i + 1] == 'x' && strchr("89abcdefABCDEF", t.data[i + 2])) ||
                                  ((t.data[i + 1] == '2' || t.data[i + 1] == '3') &&
                                   strchr("01234567", t.data[i + 2]) && strchr("01234567", t.data[i + 3]))))
            return true;
    return arm_says(
        s,
        "latin-1|latin1|iso-8859|cp1252|cp1251|koi8|shift_jis|shift-jis|utf-16|UTF-16|iconv -t|/dev/urandom");
}

/* C02 */
static bool binary_as_text(const struct arm_view *v)
{
    if (comes_back(v, TEXT_CHARSET | TEXT_NOT_UTF8, OPS_PUT, OPS_LOOK))
        return true;
    EACH (s, v)
        if (prints_odd_bytes(s) ||
            (s->op & OPS_PUT && s->content.flags & TEXT_NOT_UTF8 && arm_next_program(v, s, s->path.text) &&
             arm_word(arm_next_program(v, s, s->path.text), "cat|head|tail")))
            return true;
    return false;
}

/* Whether a character lies across a multiple of 1 KiB: seen in a text, sure in a long text of wide
 * characters. */
static bool straddles(const struct arm_content *c)
{
    if (!(c->flags & TEXT_NON_ASCII) || c->size <= KIB)
        return false;
    if (!c->recipe) {
        for (size_t at = KIB; at < c->text.len; at += KIB)
            if ((c->text.data[at] & 0xc0) == 0x80)
                return true;
        return false;
    }
    int64_t at;
    if (bytes_equal_string(c->kind, "splice") && json_as_integer(json_get(c->recipe, "at"), &at))
        return at % KIB >= KIB - 3;
    return c->flags & TEXT_WIDE && c->size > 4 * KIB;
}

/* C03 */
static bool chunk_splits(const struct arm_view *v)
{
    EACH (s, v) {
        if (!(s->op & OPS_PUT) || !(s->content.flags & TEXT_NON_ASCII))
            continue;
        const struct arm_step *back = arm_next_on(v, s, OP(READ), s->path.text);
        if (back && (straddles(&s->content) || json_get(back->step->args, "offset") ||
                     json_get(back->step->args, "length")))
            return true;
    }
    return false;
}

static bool has_wide_words(const struct arm_step *s)
{
    return arm_scan(s->script) & TEXT_WIDE ||
           arm_says(s, "\\u|\\U000|chr(0x|chr(1|\\xe2\\x|\\xf0\\x|\\342\\|\\360\\");
}

/* C04 */
static bool cut_splits(const struct arm_view *v)
{
    EACH (s, v) {
        if (s->op & OPS_PROGRAM && has_wide_words(s) && arm_prints(s) &&
            arm_amount(s, "* |*|range(|seq |-lt |-le |head -c |repeat(") >= CUT_LOOP)
            return true;
        if (s->op & OPS_PUT && s->content.flags & TEXT_WIDE && s->content.size >= CUT_MIN) {
            const struct arm_step *p = arm_next_program(v, s, s->path.text);
            if (p && arm_word(p, "cat|head|tail|print|sys.stdout.write"))
                return true;
            if (arm_next_on(v, s, OP(READ), s->path.text) && s->content.size >= 4 * KIB)
                return true;
        }
    }
    return false;
}

/* A character of two units in UTF-16, put in where it may lie across an edge. */
static bool puts_pair(const struct arm_content *c)
{
    struct bytes insert = c->recipe ? json_as_text(json_get(c->recipe, "insert")) : BYTES_NONE;
    return insert.len && insert.data[0] >= 0xf0 && bytes_equal_string(c->kind, "splice");
}

/* C05 */
static bool lone_surrogate(const struct arm_view *v)
{
    EACH (s, v)
        if ((s->flags | s->content.flags | s->input.flags) & TEXT_SURROGATE ||
            (s->op & OPS_PUT && puts_pair(&s->content) && arm_next_on(v, s, OP(READ), s->path.text)) ||
            (s->op & (OP(EVALUATE) | OPS_PROGRAM) &&
             (arm_scan(s->script) & TEXT_SURROGATE ||
              arm_says(s, "fromCharCode(0xd8|fromCharCode(0xD8|fromCharCode(0xdc|fromCharCode(0xDC|"
                          "fromCharCode(55|fromCharCode(56|fromCharCode(57|surrogatepass"))))
            return true;
    return false;
}

/* C08 */
static bool argument_text(const struct arm_view *v)
{
    EACH (s, v)
        if ((s->op & (OP(CALL) | OP(FILL) | OP(DIALOG)) && s->flags & (TEXT_FOREIGN | TEXT_MARKS)) ||
            (s->op & (OP(WRITE) | OP(APPEND) | OP(EDIT)) && s->content.flags & (TEXT_FOREIGN | TEXT_MARKS) &&
             (arm_next_on(v, s, OPS_LOOK, s->path.text) || arm_file_expected(v, s->path.text))))
            return true;
    return false;
}

/* C10: a page or a served file whose charset has to be found out. */
static bool legacy_charset(const struct arm_view *v)
{
    static const char words[] = "/charset|/"
                                "encoding|latin-1|latin1|sjis|shift_jis|shift-jis|koi8|windows-125|cp125|utf-"
                                "16|utf16|iso-8859|/bom|gb18030|big5";
    EACH (s, v) {
        if (s->op & (OP(FETCH) | OPS_PAGE) && arm_holds(arm_text(s, "url"), words))
            return true;
        if (s->op & (OPS_PUT | OPS_PROGRAM) &&
            (s->content.flags & TEXT_CHARSET ||
             (s->op & OPS_PROGRAM && arm_serves(s) && arm_says(s, words))) &&
            arm_follows(v, s, OP(FETCH) | OPS_PAGE | OP(CONNECT)) &&
            (s->op & OPS_PROGRAM || arm_next(v, s, OP(SERVE) | OPS_PROGRAM)))
            return true;
    }
    return false;
}

/* C11 */
static bool newline_altered(const struct arm_view *v)
{
    if (comes_back(v, CATCHES, OPS_PUT, OPS_LOOK | OP(EDIT) | OP(APPEND)))
        return true;
    EACH (s, v) /* an edit or an append behind a last line without an end */
        if (s->op & OPS_PUT && s->content.flags & TEXT_NO_END && s->content.flags & TEXT_LF &&
            arm_next_on(v, s, OP(EDIT) | OP(APPEND), s->path.text))
            return true;
    EACH (s, v)
        if (s->op & OPS_PROGRAM && arm_says(s, "\\r\\n|unix2dos|newline='\\r|\\r\\r\\n") &&
            arm_follows(v, s, OPS_LOOK | OP(EDIT)))
            return true;
    return false;
}

/* C12 */
static bool last_lines(const struct arm_view *v)
{
    EACH (s, v)
        if (s->op & OP(READ) && (json_get(s->step->args, "head") || json_get(s->step->args, "tail")))
            return true;
    return false;
}

/* C13 */
static bool number_precision(const struct arm_view *v)
{
    EACH (s, v) {
        if (s->op & (OP(CALL) | OP(FETCH)) && (s->flags | s->content.flags) & TEXT_BIG_NUMBER)
            return true;
        if (s->op & OPS_PUT && s->content.flags & TEXT_BIG_NUMBER &&
            (arm_next_on(v, s, OPS_LOOK, s->path.text) || arm_next_program(v, s, s->path.text)))
            return true;
    }
    return false;
}

/* C14 */
static bool shell_escape(const struct arm_view *v)
{
    EACH (s, v)
        if (s->op & (OP(WRITE) | OP(APPEND) | OP(UPLOAD) | OP(EDIT)) && s->content.flags & TEXT_SHELL)
            return true;
    return false;
}

const struct arm_row arm_encoding[] = {
    {"C01", base64_layer, NULL},     {"C02", binary_as_text, NULL},  {"C03", chunk_splits, NULL},
    {"C04", cut_splits, NULL},       {"C05", lone_surrogate, NULL},  {"C08", argument_text, NULL},
    {"C10", legacy_charset, NULL},   {"C11", newline_altered, NULL}, {"C12", last_lines, NULL},
    {"C13", number_precision, NULL}, {"C14", shell_escape, NULL},    {0},
};
