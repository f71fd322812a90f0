/* Finding secrets in texts; see redact.h.
 *
 * One pass: a bit set of pairs tells for nearly every position that no form begins there; where one may, the forms with that
 * first byte are compared, the longest first. Between two bytes of a form the text may have an end of a line, also one that is written as
 * an escape, since base64 and its like come in lines. */
#include "base/redact_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { LINE_MIN = 12 /* of a value of several lines: shorter ones are not looked for alone */ };

struct redactor *redactor_new(void)
{
    return xcalloc(1, sizeof(struct redactor));
}

void redactor_free(struct redactor *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->form_count; i++)
        free(r->forms[i].text);
    free(r->forms);
    free(r->names);
    free(r);
}

bool redactor_empty(const struct redactor *r)
{
    return !r || r->form_count == 0;
}

/* --- filling --- */

static void keep_name(struct redactor *r, const char *name)
{
    r->names = xrealloc(r->names, (r->secret_count + 1) * sizeof *r->names);
    char *kept = r->names[r->secret_count];
    memset(kept, 0, sizeof *r->names);
    for (size_t i = 0; name[i] && i < sizeof *r->names - 1; i++)
        kept[i] = isalnum((unsigned char)name[i]) || strchr("_-.", name[i]) ? name[i] : '_';
}

void redact_add_form(struct redactor *r, unsigned secret, struct bytes text, bool spaced)
{
    for (size_t i = 0; i < r->form_count; i++)
        if (bytes_equal(bytes_of(r->forms[i].text, r->forms[i].len), text))
            return;
    if (r->form_count == r->form_capacity) {
        r->form_capacity = r->form_capacity ? 2 * r->form_capacity : 64;
        r->forms = xrealloc(r->forms, r->form_capacity * sizeof *r->forms);
    }
    struct redact_form form = {.text = xmalloc(text.len + 1), .len = text.len, .secret = secret, .spaced = spaced};
    memcpy(form.text, text.data, text.len);
    r->forms[r->form_count++] = form;
}

static int compare_forms(const void *a, const void *b)
{
    const struct redact_form *x = a, *y = b;
    if (x->text[0] != y->text[0])
        return x->text[0] < y->text[0] ? -1 : 1;
    if (x->len != y->len)
        return x->len > y->len ? -1 : 1;
    return memcmp(x->text, y->text, x->len);
}

static void index_forms(struct redactor *r)
{
    qsort(r->forms, r->form_count, sizeof *r->forms, compare_forms);
    memset(r->pairs, 0, sizeof r->pairs);
    size_t at = 0;
    for (int byte = 0; byte <= 256; byte++) {
        while (at < r->form_count && r->forms[at].text[0] < byte)
            at++;
        r->first[byte] = at;
    }
    for (size_t i = 0; i < r->form_count; i++) {
        const uint8_t second[] = {r->forms[i].text[1], '\r', '\n', '\\', ' ', ':', '-'}; /* or what may lie in between */
        for (size_t k = 0; k < sizeof second; k++) {
            unsigned pair = r->forms[i].text[0] * 256u + second[k];
            r->pairs[pair / 8] |= (uint8_t)(1u << pair % 8);
        }
    }
}

static void add_lines(struct redactor *r, struct bytes value)
{
    for (size_t from = 0; from < value.len;) {
        ptrdiff_t newline = bytes_find(value, BYTES_LITERAL("\n"), from);
        size_t to = newline < 0 ? value.len : (size_t)newline;
        struct bytes line = bytes_slice(value, from, to);
        if (line.len && line.data[line.len - 1] == '\r')
            line.len--;
        if (line.len >= LINE_MIN)
            redact_add_forms(r, r->secret_count, line);
        from = to + 1;
    }
}

bool redactor_add(struct redactor *r, const char *name, struct bytes value)
{
    if (value.len < REDACT_MIN || r->secret_count == REDACT_MAX)
        return false;
    keep_name(r, name);
    redact_add_forms(r, r->secret_count, value);
    if (bytes_find(value, BYTES_LITERAL("\n"), 0) >= 0)
        add_lines(r, value);
    r->secret_count++;
    index_forms(r);
    return true;
}

/* --- finding --- */

/* An end of a line at `at`, as it stands or as an escape: its length; 0: there is none. */
static size_t line_end(struct bytes text, size_t at)
{
    static const char *const ends[] = {"\r\n", "\n", "\\r\\n", "\\n"};
    struct bytes rest = bytes_slice(text, at, text.len);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (bytes_starts(rest, bytes_of_string(ends[i])))
            return strlen(ends[i]);
    return 0;
}

static size_t gap(struct bytes text, size_t at, bool spaced)
{
    if (spaced && strchr(" :-", text.data[at]) && text.data[at])
        return 1;
    return line_end(text, at);
}

/* How much of the form, from its byte `skip` on, stands at `from`; *to is behind it. */
static size_t follow(const struct redact_form *form, size_t skip, struct bytes text, size_t from, size_t *to)
{
    size_t at = from, done = skip;
    while (done < form->len && at < text.len) {
        if (text.data[at] == form->text[done]) {
            at++;
            done++;
            continue;
        }
        size_t between = at > from ? gap(text, at, form->spaced) : 0;
        if (!between)
            break;
        at += between;
    }
    *to = at;
    return done - skip;
}

static bool excepted(const struct redact_set *except, unsigned secret)
{
    return except && except->bits[secret / 64] >> secret % 64 & 1;
}

static bool may_begin(const struct redactor *r, struct bytes text, size_t at)
{
    unsigned pair = text.data[at] * 256u + (at + 1 < text.len ? text.data[at + 1] : '\n');
    return r->pairs[pair / 8] >> pair % 8 & 1;
}

/* The next place from `at` on where a form may begin; the text's length when there is none. */
static size_t next_begin(const struct redactor *r, struct bytes text, size_t at)
{
    while (at < text.len && !may_begin(r, text, at))
        at++;
    return at;
}

/* The longest form that stands at `at`; NULL. */
static const struct redact_form *find_at(const struct redactor *r, struct bytes text, size_t at, const struct redact_set *except,
                                         size_t *to)
{
    for (size_t i = r->first[text.data[at]]; i < r->first[text.data[at] + 1]; i++)
        if (!excepted(except, r->forms[i].secret) && follow(&r->forms[i], 0, text, at, to) == r->forms[i].len)
            return &r->forms[i];
    return NULL;
}

/* The end of what was kept of a text: its own, or dots that say so. */
static bool is_cut(struct bytes text, size_t at)
{
    struct bytes rest = bytes_slice(text, at, text.len);
    return !rest.len || bytes_starts(rest, BYTES_LITERAL("...")) || bytes_starts(rest, BYTES_LITERAL("\xe2\x80\xa6"));
}

/* The text was cut within this form, of which enough is there. */
static const struct redact_form *find_cut_back(const struct redactor *r, struct bytes text, size_t at, const struct redact_set *except,
                                               size_t *to)
{
    for (size_t i = r->first[text.data[at]]; i < r->first[text.data[at] + 1]; i++)
        if (!excepted(except, r->forms[i].secret) && follow(&r->forms[i], 0, text, at, to) >= REDACT_EDGE && is_cut(text, *to))
            return &r->forms[i];
    return NULL;
}

/* The text begins within a form: the longest rest that stands at its front. */
static const struct redact_form *find_cut_front(const struct redactor *r, struct bytes text, const struct redact_set *except, size_t *to)
{
    const struct redact_form *best = NULL;
    size_t most = 0, end;
    for (size_t i = 0; i < r->form_count; i++) {
        const struct redact_form *form = &r->forms[i];
        for (size_t skip = 1; skip + REDACT_EDGE <= form->len; skip++) {
            size_t rest = form->len - skip;
            if (rest <= most || excepted(except, form->secret) || follow(form, skip, text, 0, &end) != rest)
                continue;
            best = form;
            most = rest;
            *to = end;
        }
    }
    return best;
}

static bool odd_backslashes(struct bytes text, size_t from, size_t to)
{
    size_t count = 0;
    while (to > from && text.data[to - 1] == '\\') {
        to--;
        count++;
    }
    return count % 2 != 0;
}

/* A backslash before or at the end of what goes would have nothing to quote, or the wrong thing; doubled, it quotes itself. */
static void put_mark(const struct redactor *r, const struct redact_form *form, struct bytes text, size_t from, size_t to, struct buf *out)
{
    if (odd_backslashes(text, 0, from))
        buf_add_byte(out, '\\');
    buf_addf(out, "[redacted %s]", r->names[form->secret]);
    if (odd_backslashes(text, from, to))
        buf_add_byte(out, '\\');
}

bool redact_into(const struct redactor *r, struct bytes text, const struct redact_set *except, unsigned edges, struct buf *out)
{
    size_t kept = 0, to = 0;
    if (redactor_empty(r)) {
        buf_add(out, text);
        return false;
    }
    bool any = false;
    const struct redact_form *form = edges & REDACT_CUT_FRONT && text.len ? find_cut_front(r, text, except, &to) : NULL;
    for (size_t at = form ? 0 : next_begin(r, text, 0); at < text.len; at = next_begin(r, text, at)) {
        if (!form)
            form = find_at(r, text, at, except, &to);
        if (!form && edges & REDACT_CUT_BACK)
            form = find_cut_back(r, text, at, except, &to);
        if (!form) {
            at++;
            continue;
        }
        buf_add(out, bytes_slice(text, kept, at));
        put_mark(r, form, text, at, to, out);
        at = kept = to;
        any = true;
        form = NULL;
    }
    buf_add(out, bytes_slice(text, kept, text.len));
    return any;
}

bool redact_finds(const struct redactor *r, struct bytes text, const struct redact_set *except)
{
    size_t to;
    if (redactor_empty(r))
        return false;
    for (size_t at = next_begin(r, text, 0); at < text.len; at = next_begin(r, text, at + 1))
        if (find_at(r, text, at, except, &to))
            return true;
    return false;
}

struct bytes redact(const struct redactor *r, struct bytes text, const struct redact_set *except, unsigned edges, struct arena *a)
{
    if (redactor_empty(r) || (!edges && !redact_finds(r, text, except)))
        return text;
    struct buf out;
    buf_init(&out, SIZE_MAX);
    bool any = redact_into(r, text, except, edges, &out);
    struct bytes clean = any ? arena_copy(a, buf_bytes(&out)) : text;
    buf_release(&out);
    return clean;
}

void redactor_mark(const struct redactor *r, struct bytes text, struct redact_set *set)
{
    if (redactor_empty(r))
        return;
    for (size_t at = next_begin(r, text, 0); at < text.len; at = next_begin(r, text, at + 1)) {
        size_t to;
        const struct redact_form *form = find_at(r, text, at, set, &to);
        if (form)
            set->bits[form->secret / 64] |= (uint64_t)1 << form->secret % 64;
    }
}
