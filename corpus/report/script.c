/* One finding as a script that needs no taskgen: it starts the target, sends what was sent, and tells whether the fault shows. */
#include <string.h>

#include "base/utf8.h"
#include "corpus/report/report_internal.h"

/* JSON with nothing but ASCII: what a target said cannot play with whoever reads the script. */
static void add_ascii(struct buf *out, struct bytes json)
{
    for (size_t at = 0; at < json.len;) {
        size_t start = at;
        int32_t c = utf8_next(json, &at);
        if (c < 0)
            buf_add_byte(out, '?');
        else if (c < 0x7f)
            buf_add(out, bytes_slice(json, start, at));
        else if (c < 0x10000)
            buf_addf(out, "\\u%04x", (unsigned)c);
        else
            buf_addf(out, "\\u%04x\\u%04x", 0xd800 + (unsigned)((c - 0x10000) >> 10), 0xdc00 + (unsigned)((c - 0x10000) & 0x3ff));
    }
}

static void add_comment(struct buf *out, const char *text)
{
    struct buf safe;

    buf_init(&safe, SIZE_MAX / 4);
    report_safe(&safe, bytes_of_string(text), false);
    buf_addf(out, "# %s\n", buf_string(&safe));
    buf_release(&safe);
}

/* What stands first in a script of either language: what it is about, how it is used, what it can tell. */
static void add_head(struct buf *out, const struct finding *f, const struct json *record, const char *doc)
{
    bool shows = bytes_equal_string(json_as_text(json_pointer(record, BYTES_LITERAL("/decide/how"))), "show");

    add_comment(out, f->title);
    add_comment(out, f->text);
    buf_addf(out, "#\n# Signature %s. %s#\n", f->signature, doc);
    buf_add_string(out, shows ? "# Exit status 2: this one can only show what happens, not decide whether that is the fault.\n"
                              : "# Exit status 1: the fault shows. 0: it does not. 2: cannot tell.\n");
}

static void add_python(struct buf *out, const struct finding *f, const struct json *record)
{
    struct bytes driver = json_as_text(json_get(record, "driver"));
    bool over_http = bytes_equal_string(driver, "http"), browser = bytes_equal_string(driver, "cdp");
    struct buf text;

    buf_add_string(out, "#!/usr/bin/env python3\n");
    add_head(out, f, record, over_http ?
             "Sends the messages that were sent when the fault was met, byte for byte, and compares. Needs Python 3 and\n"
             "# nothing else. A server that is started runs on this machine, in a temporary directory, without a box around it.\n#\n"
             "#     python3 SCRIPT                     the target of then\n"
             "#     python3 SCRIPT URL [COMMAND ARG..] another one, and what starts it; {port} {root} {home} {db} are filled in\n#\n"
             "# Lines \"Name: value\" of the variable HEADERS go with each request, as for a token.\n" :
             browser ?
             "Starts the browser in a temporary directory and sends it the messages of the DevTools protocol that were sent when the\n"
             "# fault was met, with the names of then replaced by those that it gives now; programs that ran beside it run again.\n"
             "# Needs Python 3 and nothing else. It runs on this machine, without a box around it.\n#\n"
             "#     python3 SCRIPT                 the browser of then\n"
             "#     python3 SCRIPT COMMAND ARG...  another one, with --remote-debugging-pipe; {root} and {home} stand for directories\n" :
             "Starts the target in a temporary directory, sends what was sent when the fault was met, byte for byte,\n"
             "# and compares. Needs Python 3 and nothing else. The target runs on this machine, without a box around it.\n#\n"
             "#     python3 SCRIPT                 the target of then\n"
             "#     python3 SCRIPT COMMAND ARG...  another one; {root} stands for the directory\n");
    buf_init(&text, SIZE_MAX / 4);
    json_write(&text, record, JSON_PRETTY);
    buf_add_string(out, "import json\n\nRECORD = json.loads(r\"\"\"");
    add_ascii(out, buf_bytes(&text));
    buf_addf(out, "\"\"\")\n\n%s", report_script_python);
    buf_release(&text);
}

static void add_sh(struct buf *out, const struct finding *f, const struct json *record, struct arena *a)
{
    buf_add_string(out, "#!/bin/sh\n");
    add_head(out, f, record,
             "Runs in a temporary directory what was run when the fault was met, word for word, and compares. Needs a\n"
             "# POSIX shell with mktemp. It runs on this machine, without a box around it.\n#\n"
             "#     sh SCRIPT                the prefix of then\n"
             "#     sh SCRIPT PREFIX ARG...  another one; {root} and {home} stand for directories\n");
    report_script_sh(out, record, a);
}

static int write_one(const struct finding *f, struct arena *a, struct buf *out, struct error **err)
{
    struct json *record = NULL;

    if (!f->wire || !*f->wire || json_read(a, bytes_of_string(f->wire), NULL, f->signature, &record, NULL, NULL) < 0 || !json_get(record, "wire"))
        return error_set(err, ERR_INPUT, "finding %.8s has no script: what was sent is kept for MCP servers, browsers and programs "
                         "behind a prefix on this machine only, up to 256 KiB; 'taskgen replay' shows it", f->signature);
    if (json_get(record, "steps"))
        json_remove(record, json_get(record, "steps")); /* for replay */
    if (bytes_equal_string(json_as_text(json_get(record, "driver")), "exec"))
        add_sh(out, f, record, a);
    else
        add_python(out, f, record);
    return 0;
}

/* How many findings there are, in all databases; *one: the first of them, of a database that has what a script takes, if any has. */
static int look_for(const struct report_options *o, struct arena *a, struct finding **one, size_t *count, struct error **err)
{
    *one = NULL;
    *count = 0;
    for (size_t i = 0; i < o->source_count; i++) {
        struct finding *found = NULL;
        size_t more = 0;

        TRY(store_findings(o->sources[i].store, o->signature, a, &found, &more, err));
        bool same = *count == 1 && more == 1 && !strcmp((*one)->signature, found->signature);
        if (more && (!*one || (same && !*(*one)->wire)))
            *one = found;
        *count += same ? 0 : more;
    }
    return 0;
}

static int write_script(const struct report_options *o, struct buf *out, struct error **err)
{
    struct arena a;
    struct finding *found = NULL;
    size_t count = 0;

    if (!o->signature)
        return error_set(err, ERR_INPUT, "the format script wants a SIGNATURE");
    arena_init(&a);
    int status = look_for(o, &a, &found, &count, err);
    if (!status && count != 1)
        status = error_set(err, ERR_INPUT, "%zu findings have a signature that begins with '%s', expected one", count, o->signature);
    if (!status)
        status = write_one(found, &a, out, err);
    if (!status && out->overflow)
        status = error_set(err, ERR_LIMIT, "the script is longer than %zu bytes", out->max);
    arena_release(&a);
    return status;
}

const struct report_format report_script = {
    .name = "script",
    .doc = "one finding as a Python or shell script that shows it without taskgen",
    .write = write_script,
};
