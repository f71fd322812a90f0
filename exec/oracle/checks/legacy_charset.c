/* Pages that are fetched, of which the task knows the bytes: a file that a step put there and that was served as it is. The reply has
 * to hold those bytes, or their characters. Characters become others, or U+FFFD, where something went by another charset than
 * the page's own: UTF-8, known by its form or its mark, or what the page declares. */
#include "exec/oracle/checks/checks.h"

#include "base/utf8.h"

static const char slug[] = "legacy-charset";

#define REPLACEMENT BYTES_LITERAL("\xEF\xBF\xBD")

enum { PHRASE_LEAST = 4, PHRASE_MOST = 48 };

static bool has(struct bytes text, struct bytes what)
{
    return bytes_find(text, what, 0) >= 0;
}

/* What the page's address ends with, without a query. */
static struct bytes name_of(struct bytes url)
{
    size_t end = 0;
    while (end < url.len && url.data[end] != '?' && url.data[end] != '#')
        end++;
    return path_name(bytes_slice(url, 0, end));
}

/* The file of that name that a step put there, served by the sandbox's own server; a program of the task may say of it
 * what it likes. */
static bool page_of(const struct execution *e, size_t index, struct bytes name, struct bytes *page)
{
    static const char *const puts[] = {"write", "upload", NULL};
    bool served = false, found = false;
    for (size_t i = 0; i < index; i++) {
        const struct observation *o = &e->observations[i];
        served = served || (observation_is(o, "serve") && observation_claims(o));
        if (observation_is_any(o, puts) && observation_claims(o) && bytes_equal(path_name(observation_argument(o, "path")), name)) {
            *page = observation_argument(o, "content");
            found = true;
        }
    }
    return served && found && name.len;
}

/* The page's first stretch of bytes beyond ASCII. */
static struct bytes phrase_of(struct bytes page)
{
    size_t from = bytes_starts(page, BYTES_LITERAL("\xEF\xBB\xBF")) ? 3 : 0;
    while (from < page.len && page.data[from] < 0x80)
        from++;
    size_t to = from;
    while (to < page.len && page.data[to] >= 0x80 && to - from < PHRASE_MOST)
        to++;
    return bytes_slice(page, from, to);
}

/* The bytes of a phrase taken for Latin-1 and written as UTF-8. */
static bool has_twice(struct bytes text, struct bytes phrase)
{
    struct buf twice;
    buf_init(&twice, 2 * PHRASE_MOST);
    for (size_t i = 0; i < phrase.len; i++) {
        uint8_t c[4];
        buf_add(&twice, bytes_of(c, utf8_put(c, phrase.data[i])));
    }
    bool found = has(text, buf_bytes(&twice));
    buf_release(&twice);
    return found;
}

static bool declares(struct bytes page)
{
    return has(page, BYTES_LITERAL("charset=")) || bytes_starts(page, BYTES_LITERAL("\xFF\xFE")) || bytes_starts(page, BYTES_LITERAL("\xFE\xFF"));
}

static const char *misread(struct bytes page, struct bytes reply)
{
    struct bytes phrase = phrase_of(page);
    if (phrase.len < PHRASE_LEAST || !reply.len || has(reply, phrase))
        return NULL;
    if (utf8_valid(page) && has_twice(reply, phrase))
        return "a page in UTF-8 is read in another charset";
    bool lost = has(reply, REPLACEMENT) && !has(page, REPLACEMENT);
    return lost && (utf8_valid(page) || declares(page)) ? "a page is not read in the charset that it declares" : NULL;
}

static void judge_fetch(const struct execution *e, struct verdicts *out, size_t i)
{
    const struct observation *o = &e->observations[i];
    struct bytes page = BYTES_NONE, url = observation_argument(o, "url");
    bool present;
    struct bytes reply = observation_result(o, "content", &present);
    if (!observation_is(o, "fetch") || !observation_claims(o) || o->outcome.lowered || !present || !page_of(e, i, name_of(url), &page))
        return;
    const char *words = misread(page, reply);
    if (!words)
        return;
    struct buf evidence;
    buf_init(&evidence, 2048);
    buf_addf(&evidence, "step %s fetch: the page that a step put there has ", o->step->id);
    judge_quote(&evidence, phrase_of(page), 24);
    buf_addf(&evidence, ", which the reply has neither as bytes nor as characters: %s -> interface", words);
    judge_say(out, e, slug, i, EFFECT_RIGHT, words, arena_printf(out->arena, "fetch: %s", words), buf_string(&evidence));
    buf_release(&evidence);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++)
        judge_fetch(e, out, i);
}

const struct check check_legacy_charset = {slug, "C10", "encoding", "a page is read in the charset that it declares", judge};
