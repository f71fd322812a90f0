/* A browser spoken to in the Chrome DevTools protocol, and the ops that it carries out.
 *
 * One connection, to the browser itself. Every tab is attached to it as soon as it is there ("flat" sessions: each message names the
 * one it is for), so pop-ups and what a page does to itself are seen too. A command has an id; its reply comes in any order.
 *
 * An op is a chain of commands, each with the function that goes on with its reply, so any number of ops run side by side in one
 * loop (calls.c). It ends by its own steps, by its deadline, by a dialog that opens in its tab (nothing in a page answers while
 * one is open), or because its tab or the browser is gone.
 *
 *     greet.c    first and last words
 *     client.c   commands and replies      tabs.c   what tabs there are, and what happens to them
 *     events.c   what tabs do not tell     calls.c  ops side by side
 *     page.c     elements, values, loading op_*.c   one op or two each
 *     log.c      what was sent, for scripts that send it again
 */
#ifndef EXEC_TARGET_CDP_CDP_H
#define EXEC_TARGET_CDP_CDP_H

#include "exec/target/cdp/link.h"

struct cdp;
struct cdp_op;
struct cdp_tab;

/* Goes on with an op; the reply's `result`, which lives during the call only. */
typedef void cdp_then(struct cdp_op *op, const struct json *result);

enum { CDP_ID_MAX = 128 };

/* --- tabs --- */

struct cdp_tab {
    struct cdp_tab *next;
    char id[CDP_ID_MAX];       /* of its target, which is what tasks name it by, and of its outermost frame */
    char session[CDP_ID_MAX];  /* "": not attached yet */
    char loader[CDP_ID_MAX];   /* of the document that is there */
    char before[CDP_ID_MAX];   /* of the one before it */
    struct buf url;            /* of that document */
    uint64_t commits;          /* documents so far */
    uint64_t serial;           /* no other tab of this connection ever had it */
    unsigned unready;          /* commands that ask for its events and are not answered yet; before, events of it may be missed */
    bool loading;              /* the outermost frame is */
    bool there, loaded;        /* the document is read; all that it needs is there too */
    /* The same of a document that is not there yet: several processes of the browser's tell of it, in any order. */
    char early[CDP_ID_MAX];
    bool early_there, early_loaded;
    bool crashed;
    bool reported;             /* its crash was */
    char dialog[32];           /* kind of the one that is open: "alert"; "": none is */
    struct bytes dialog_text;  /* its message, in dialog_store */
    struct buf dialog_store;
    uint64_t used;             /* when it was last made the current one; 0: never, as a page's pop-up */
};

/* --- ops --- */

struct cdp_op_row {
    const char *op;
    void (*begin)(struct cdp_op *op);
    bool tabless;              /* needs no current tab */
    bool crashed;              /* works in a tab whose page has crashed */
    bool dialog;               /* works while a dialog is open */
    /* A dialog opened in its tab while it was under way. NULL: it was done as far as it could be, and says so. */
    void (*interrupted)(struct cdp_op *op);
    void (*abandoned)(struct cdp_op *op); /* we no longer wait for it; NULL: nothing to be done */
};

enum cdp_watch {
    CDP_WATCH_TAB = 1,         /* anything in its tab */
    CDP_WATCH_TABS = 2,        /* any tab */
    CDP_WATCH_DOWNLOADS = 4
};

struct cdp_op {
    struct cdp *c;
    struct call *call;
    const struct cdp_op_row *row;
    struct cdp_tab *tab;       /* NULL: none, or it is gone */
    bool done;
    int64_t deadline_ns, cancel_ns; /* cancel_ns: INT64_MAX: never */
    int64_t wake_ns;           /* `woken` is called then; INT64_MAX: never */
    void (*woken)(struct cdp_op *op);
    unsigned watches;          /* set of enum cdp_watch */
    void (*seen)(struct cdp_op *op); /* what it watches happened, perhaps */
    void (*after)(struct cdp_op *op); /* what comes when the page has settled (page.c) */
    cdp_then *value_then;      /* what comes with a value of the page (page.c) */
    uint64_t commits;          /* of its tab, when it began */
    uint64_t downloads_before; /* so many had begun when it began */
    double x, y;               /* where it clicks */
    char name[CDP_ID_MAX];     /* of a tab, or of a download */
    char loader[CDP_ID_MAX];   /* of the document that it waits for; "": any new one */
};

/* --- the browser --- */

struct cdp_pending;
struct cdp_events;
struct cdp_log;

struct cdp {
    struct session *session;
    struct cdp_link link;
    struct arena scratch;      /* of the message being read, and the one being made */
    struct buf message;
    int64_t next_id;
    struct cdp_pending *pending;
    size_t pending_count, pending_capacity;
    struct cdp_tab *tabs;      /* newest first */
    struct cdp_tab *current;   /* NULL: none is open */
    uint64_t uses, serials;
    struct cdp_op *ops;        /* under way */
    size_t op_count;
    struct cdp_events *events;
    struct cdp_log *log;
    struct cdp_download *downloads; /* newest first */
    uint64_t download_count;   /* so far */
    int download_fd;           /* of the directory that they go to; -1: it cannot be seen from here */
    bool shares_files;         /* what is below the session's root is there for it too */
    bool sandbox;              /* the browser has one of its own */
    char context[CDP_ID_MAX];  /* of the browser's contexts, the one that is ours; "": all of it is */
};

/* client.c */
struct cdp *cdp_new(struct session *s);
void cdp_free(struct cdp *c);
void cdp_message(void *context, const struct mcp_line *message); /* one message from the browser */
void cdp_turn(struct cdp *c, int64_t until_ns);
struct json *cdp_object(struct cdp *c); /* for parameters, in c->scratch */
/* Sends a command of the op: to its tab, or to the browser itself. The op must not be done. params NULL: none. */
void cdp_send(struct cdp_op *op, const char *method, struct json *params, cdp_then *then);
void cdp_send_browser(struct cdp_op *op, const char *method, struct json *params, cdp_then *then);
/* The same, but an error goes to `then` too, as an object with `code` and `message` under "error". */
void cdp_send_lenient(struct cdp_op *op, const char *method, struct json *params, cdp_then *then);
void cdp_tell(struct cdp *c, const struct cdp_tab *tab, const char *method, struct json *params); /* whatever comes back */
void cdp_prepare(struct cdp *c, struct cdp_tab *tab, const char *method, struct json *params); /* counted in `unready` */
void cdp_forget(struct cdp *c, const struct cdp_op *op); /* what it waits for is no longer its own */
/* A command to the browser itself, waited for. *result lives in `a`. ERR_TARGET with what was said instead. */
int cdp_ask(struct cdp *c, const char *method, struct json *params, struct arena *a, const struct json **result, struct error **err);

/* greet.c */
/* The first words: who it is, how its events and tabs are to come. A browser that is not ours alone (context) is asked for a context of
 * our own in it; one that gives none is used as it is. downloads: the directory that files go to; NULL: they are not kept. */
int cdp_greet(struct cdp *c, const char *downloads, bool context, struct error **err);
/* The last ones: the browser's end, where it is ours alone; or that of what is ours in it. Waits exec.grace at most. */
void cdp_part(struct cdp *c);

/* log.c */
struct cdp_log *cdp_log_new(void);
void cdp_log_free(struct cdp_log *l);
void cdp_log_sent(struct cdp *c, int64_t id, const char *session, const char *method, const struct json *params); /* session "": none; params NULL: none */
void cdp_log_came(struct cdp *c, const struct json *message);

/* events.c: wire events, for session_wire_events */
struct cdp_events *cdp_events_new(void);
void cdp_events_free(struct cdp_events *e);
void cdp_event(struct cdp *c, enum wire_kind kind, const char *detail, struct bytes text); /* detail: static text */
/* Functions of drivers. */
size_t cdp_wire_events(struct session *s, const struct wire_event **events);
struct bytes cdp_stderr(struct session *s);
bool cdp_alive(struct session *s);

/* tabs.c */
void cdp_tabs_event(struct cdp *c, struct bytes method, struct bytes session, const struct json *params);
struct cdp_tab *cdp_tab_find(struct cdp *c, struct bytes id);
void cdp_tab_use(struct cdp *c, struct cdp_tab *tab); /* makes it the current one */
void cdp_tabs_free(struct cdp *c);
void cdp_tab_answered(struct cdp *c, uint64_t serial); /* a command of cdp_prepare, of the tab of that serial */
size_t cdp_tabs_open(const struct cdp *c);

/* downloads.c */
void cdp_downloads_event(struct cdp *c, struct bytes method, const struct json *params);
void cdp_downloads_free(struct cdp *c);

/* calls.c */
void cdp_calls(struct cdp *c, struct call *const *calls, size_t count, struct call *const *commands, size_t command_count);
void cdp_ok(struct cdp_op *op);
void cdp_skip(struct cdp_op *op); /* call_skip was called */
void cdp_fail(struct cdp_op *op, enum outcome_class class, int64_t code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void cdp_say_dialog(struct cdp_op *op, bool refused); /* it ends: a dialog is open in its tab */
void cdp_refuse_dialog(struct cdp_op *op);            /* for rows: it gave nothing */
void cdp_notice(struct cdp *c, const struct cdp_tab *tab, unsigned what); /* enum cdp_watch: something happened */
void cdp_tab_gone(struct cdp *c, struct cdp_tab *tab);  /* it is about to be forgotten */
void cdp_tab_crashed(struct cdp *c, struct cdp_tab *tab);
void cdp_dialog_opened(struct cdp *c, struct cdp_tab *tab);
int64_t cdp_setting(const struct cdp *c, const char *name);

/* page.c */
/* Calls a JavaScript function in the page with the op's text arguments of these names (NULL-terminated; an absent one is null).
 * What it returns goes to `then`; what it throws, or returns as {error: text}, ends the op. */
void cdp_page(struct cdp_op *op, const char *function, const char *const *arguments, cdp_then *then);
/* Reads the reply of Runtime.evaluate; NULL: the op has ended, since the page threw something. */
const struct json *cdp_page_value(struct cdp_op *op, const struct json *result);
/* Waits until a document that was asked for since the op began is loaded, as far as browser.settle allows; then op->after. */
void cdp_page_loaded(struct cdp_op *op, void (*after)(struct cdp_op *op));
/* After something was done to a page: until what it led to is over. Then op->after. */
void cdp_page_settle(struct cdp_op *op, void (*after)(struct cdp_op *op));
void cdp_page_navigate(struct cdp_op *op, struct bytes url, void (*after)(struct cdp_op *op));
/* The element of the op's selector, as one that a user could click; op->x and op->y are set, then `after`. */
void cdp_page_aim(struct cdp_op *op, void (*after)(struct cdp_op *op));

extern const struct cdp_op_row cdp_tab_open, cdp_tab_switch, cdp_tab_close, cdp_tab_list, cdp_navigate, cdp_click, cdp_fill, cdp_submit,
    cdp_attach, cdp_scrape, cdp_evaluate, cdp_screenshot, cdp_save, cdp_dialog;
const struct cdp_op_row *cdp_op_find(const char *op); /* NULL: not one of a browser */
bool cdp_supports(const char *need); /* "browser", "fill:bytes" */

#endif
