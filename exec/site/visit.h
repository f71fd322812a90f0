/* What the fixture web site saw: one visit a request, as it came and as it was answered. Pure data; exec/site collects it, exec/oracle
 * judges it. */
#ifndef EXEC_SITE_VISIT_H
#define EXEC_SITE_VISIT_H

#include "base/json.h"

enum {
    WEB_VALUE_MAX = 65536,  /* bytes kept of one form field */
    WEB_FIELDS_MAX = 256,   /* fields kept of one form */
    WEB_KEPT_MAX = 1 << 20, /* bytes of all texts of one visit */
    WEB_TARGET_MAX = 8192   /* bytes kept of a path, of a query, of a header */
};

/* One field of a form, or one part of a multipart body, in the order in which they came. */
struct web_field {
    struct bytes name, value;    /* bytes as they were sent, percent-decoded; a value of more than WEB_VALUE_MAX is cut, a file's is not kept */
    struct bytes text;           /* the value in UTF-8, where the page's charset is another one and could be read; none */
    bool file;                   /* has a file name, be it empty */
    struct bytes filename, type; /* of a file, as they came */
    uint64_t size;               /* of the whole value */
    char sha256[65];             /* likewise */
};

struct web_header {
    const char *name;            /* lower case, one of those that are kept (request.c) */
    struct bytes value;
};

enum web_end {
    WEB_OPEN,    /* the answer still goes, or is never to come */
    WEB_WHOLE,   /* everything was sent */
    WEB_CUT,     /* we closed it before the end, as the page is meant to do */
    WEB_LEFT     /* the client closed it before the end, or could not be sent more */
};
const char *web_end_name(enum web_end end); /* "open", "whole", "cut", "left" */

struct web_visit {
    uint64_t number;             /* from 0, of all visits of the site */
    const char *room;            /* whose it is: the word behind "/~" in front of the path; "" when there is none */
    const char *method;
    struct bytes path;           /* behind the room, percent-decoded; begins with "/" */
    struct bytes query;          /* as it came, without "?" */
    const struct web_header *headers;
    size_t header_count;
    const struct web_field *fields;
    size_t field_count;
    bool cut;                    /* more fields, or longer texts, than are kept */
    uint64_t body_size;
    char body_sha256[65];        /* "" of no body */
    unsigned status;             /* that we answered; 0: none */
    int64_t length;              /* of the answer's body; -1: not known beforehand */
    uint64_t sent;               /* bytes of it that were handed to the network */
    enum web_end end;
    int64_t start_ms, end_ms;    /* since the site was opened; end_ms -1 while WEB_OPEN */
    int64_t step;                /* index of the observation while which it came (web_site_step); -1: before the first, or nobody said */
};

/* The value of a header that is kept; NULL. The name in lower case. */
const struct bytes *web_visit_header(const struct web_visit *v, const char *name);
/* The first field of that name at or after *from, which is moved behind it; NULL. */
const struct web_field *web_visit_field(const struct web_visit *v, struct bytes name, size_t *from);

/* As one JSON object (docs/site.md has the members); bytes that are not UTF-8 are {"$bytes":base64}. Members that say nothing are left out. */
struct json *web_visit_write(struct arena *a, const struct web_visit *v);
/* The other way; members that are missing or of another kind say nothing. False when it is no visit: no object, or without a method. */
bool web_visit_read(struct arena *a, const struct json *object, struct web_visit *v);

#endif
