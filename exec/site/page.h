/* A page of the fixture site: a row of the table in pages.c, and a function in a file of its family (family_*.c).
 *
 * A page gets the request when its body is over, and fills in an answer. What it says follows from its parameters, so that whoever writes
 * them into a task knows what will be read. */
#ifndef EXEC_SITE_PAGE_H
#define EXEC_SITE_PAGE_H

#include "exec/site/visit.h"

struct content_stream;
struct web_site;

enum {
    WEB_BODY_MAX = 64 << 20,  /* bytes of a page that is made whole */
    WEB_PARAMETERS_MAX = 64,
    WEB_HEADERS_MAX = 24
};

struct web_parameter {
    struct bytes name, value; /* percent-decoded: any bytes */
};

struct web_request {
    struct web_site *site;
    const struct web_page *page;
    const char *method, *room;
    struct bytes path;           /* as in struct web_visit */
    struct bytes rest;           /* of a page that answers to all that begins with its path: what follows */
    const struct web_parameter *parameters;
    size_t parameter_count;
    struct bytes host, cookies, range; /* headers; none */
    const struct web_visit *visit; /* its fields */
    struct arena *arena;         /* until it is answered */
};

/* The parameters: of the first of that name. */
struct bytes web_bytes(const struct web_request *r, const char *name, const char *fallback);
/* NUL-terminated in the request's arena; a NUL inside ends it. */
const char *web_text(const struct web_request *r, const char *name, const char *fallback);
/* Brought into low..high; what is no number is the fallback. */
int64_t web_number(const struct web_request *r, const char *name, int64_t fallback, int64_t low, int64_t high);
bool web_has(const struct web_request *r, const char *name);
/* The value of a form's field; none. */
struct bytes web_form(const struct web_request *r, const char *name);
struct bytes web_cookie(const struct web_request *r, const char *name);

struct web_answer {
    unsigned status;        /* 200 */
    const char *type;       /* Content-Type; NULL: none. text/html; charset=utf-8 unless it is set */
    struct {
        const char *name, *value;
    } headers[WEB_HEADERS_MAX];
    size_t header_count;
    struct buf body;
    /* Instead of the body, when one is set: a content that is streamed, from `skip` on. Closed by whoever sends it. */
    struct content_stream *stream;
    uint64_t skip;
    int64_t length;         /* of the stream, without what is skipped; -1: not said, the answer is sent in chunks */
    bool chunked;           /* the body too is sent in chunks */
    int64_t delay_ms;       /* before anything is answered */
    uint64_t piece;         /* of the body: so many bytes, then pause_ms; 0: all at once */
    int64_t pause_ms;
    bool endless;           /* the body begins anew when it is over */
    bool hold;              /* it never ends */
    uint64_t cut;           /* the connection is closed after so many bytes; UINT64_MAX: it is not */
    struct arena *arena;    /* of headers' texts */
};

/* Texts are copied. */
void web_header(struct web_answer *a, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
void web_add(struct web_answer *a, const char *text);
void web_addf(struct web_answer *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
void web_escape(struct web_answer *a, struct bytes text); /* for HTML's texts and attributes in double quotes; other bytes stay */
/* "<!doctype html>…<title>…</title><h1>…</h1>", declared as UTF-8; the page goes on from there. */
void web_head(struct web_answer *a, const char *title);
/* The same declared as another charset; NULL: none is. */
void web_head_as(struct web_answer *a, const char *title, const char *charset);
/* "<p>TEXT</p>" with an id; the text escaped. */
void web_line(struct web_answer *a, const char *id, struct bytes text);
/* The body so far, which is UTF-8, in another charset; what that does not have becomes a reference "&#NNN;". False: nobody knows that charset. */
bool web_become(struct web_answer *a, const char *charset);
/* An address within the site: the room in front. */
const char *web_link(const struct web_request *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A page of one line that says what went wrong. */
void web_fault(struct web_answer *a, unsigned status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* What a page that is not answered by the rules says, one act after the other; then the connection is closed. */
enum web_act_kind { WEB_SAY, WEB_FILL, WEB_WAIT, WEB_RESET, WEB_HOLD };
struct web_act {
    enum web_act_kind kind;
    uint64_t amount;        /* bytes to say or to fill in, milliseconds to wait */
};
struct web_script {
    struct web_act acts[64];
    size_t count;
    struct buf words;       /* of what is said */
    size_t head;            /* so many of the first bytes are no body */
    unsigned status;        /* as it is recorded; 0: none was said */
    int64_t length;         /* that was announced; -1: none */
    bool cut;               /* it ends before it should */
};
void web_say(struct web_script *s, struct bytes words);
void web_sayf(struct web_script *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void web_body(struct web_script *s);                 /* what follows is the body */
void web_fill(struct web_script *s, uint64_t bytes); /* letters */
void web_wait(struct web_script *s, int64_t ms);
void web_reset(struct web_script *s);                /* the connection is reset */
void web_hold(struct web_script *s);                 /* until the client goes, or ten minutes are over */

struct web_page {
    const char *path;       /* "/forms/text"; with "*" at the end: all that begins so */
    const char *parameters; /* "rows=20 seed=0 …": each with what it is unless it is given; "" */
    const char *title;      /* for the index */
    const char *says;       /* what is read there, in a line */
    void (*answer)(struct web_request *r, struct web_answer *a);
    /* Instead: it is answered by a script, on a connection of its own. Its path begins with "/raw/". */
    void (*script)(struct web_request *r, struct web_script *s);
};
#define WEB_PAGE(path, parameters, title, says, answer) {path, parameters, title, says, answer, NULL}
extern const struct web_page *const web_families[]; /* NULL-terminated; each family ends with a row without a path */
const struct web_page *web_page_find(struct bytes path, struct bytes *rest);

#endif
