/* The inside of the watch: what it knows of the connection, for the files duty_*.c, one a section of the
 * specification.
 *
 * What stays beyond a message lives on the heap and is bounded by the limits below; past one of them the
 * watch remembers that it forgot, and says nothing that would need the rest. */
#ifndef EXEC_ORACLE_DUTY_INTERNAL_H
#define EXEC_ORACLE_DUTY_INTERNAL_H

#include "exec/oracle/duty.h"
#include "gen/schema.h"

enum {
    DUTY_PARAMS_MAX = 64 << 10, /* longer params of ours are not kept */
    DUTY_OPEN_MAX = 1024,       /* requests without an answer */
    DUTY_SPARE_MAX = 32,        /* answered ones whose memory is kept for the next */
    DUTY_NAMES_MAX = 4096,      /* names a set holds */
    DUTY_BIG = 1 << 20          /* bytes of params from which a server may not have read the id */
};

/* A bounded set of texts, each with a value that the owner gives a meaning. */
struct duty_name {
    struct duty_name *next;
    int value;
    unsigned page;            /* of the list, on which it stood last */
    struct duty_name *token; /* of a request of the server's: its progress token; NULL */
    struct schema_book *book; /* freed with the name; NULL */
    size_t length;
    uint8_t text[];
};
struct duty_names {
    struct duty_name *first;
    size_t count;
    bool forgot; /* there were more */
};
struct duty_name *duty_names_find(const struct duty_names *n, struct bytes text);
struct duty_name *duty_names_add(struct duty_names *n, struct bytes text); /* found or new; NULL when full */
void duty_names_clear(struct duty_names *n);

/* A list that the server gives page by page: whether what we know of it is all. */
struct duty_list {
    struct duty_names names;
    unsigned pages; /* read so far */
    bool complete; /* every page was read, and nothing has changed since as far as the server says */
};

struct duty_request;
struct duty_reply;

/* What is known of a method that we call. */
struct duty_handler {
    const char *method;
    const char *items; /* for lists: the member with the array; NULL */
    void (*look)(struct duty_watch *w, const struct duty_request *r, const struct duty_reply *reply);
};
const struct duty_handler *duty_handler_find(const char *method); /* NULL */

/* One of ours that has had no answer. */
struct duty_request {
    struct duty_request *next;
    const struct duty_handler *handler; /* NULL: a method of no section */
    int64_t id;
    bool kept;         /* params are there whole, or there were none */
    bool has_token;    /* params may hold a progress token */
    bool has_progress; /* a notification of progress came */
    bool hung_up;      /* we closed the stream on which the answer was to come */
    double progress;   /* the last one's */
    size_t length, capacity;
    uint8_t *params; /* JSON text */
};

/* The answer to it. */
struct duty_reply {
    const struct json *result; /* NULL: an error */
    const struct json *error;
    int64_t code; /* of the error; 0 when it is none */
    struct bytes line;
};

struct duty_watch {
    enum duty_transport transport;
    duty_breach_fn *breach;
    void *context;
    struct arena arena;        /* lives as long as the watch: capabilities, version */
    struct arena scratch;      /* of one message */
    struct duty_request *open; /* newest first */
    struct duty_request *spare;
    size_t open_count, spare_count;
    bool forgot;                     /* more than DUTY_OPEN_MAX were open */
    const struct json *capabilities; /* the server's, of its answer to initialize; NULL before */
    const struct json *offered;      /* ours, as we sent them; NULL before */
    const char *version;             /* agreed on; NULL before */
    bool raw;                        /* raw bytes went out */
    bool big;                        /* a request of more than DUTY_BIG went out */
    bool notified;                   /* a notification of ours went out */
    struct duty_names asked;         /* ids of the server's requests, as JSON text */
    struct duty_names theirs; /* progress tokens of these; value: how many that we have not answered */
    struct duty_names tokens;        /* progress tokens of our requests that were answered, as JSON text */
    struct duty_names cursors;       /* that the server gave, as "method JSON" */
    struct duty_list tools;          /* values are enum duty_task_support; books are output schemas */
    bool demanding;                  /* a tool has an output schema or needs a task */
    struct duty_list prompts;        /* values: 1 when an argument is required */
    struct duty_names tasks;         /* values are enum duty_task_state */
    struct schema_book *rules;       /* the schema of schemas, once it was needed; NULL */
    struct duty_modern *modern;      /* of duty_modern.c; NULL: an era with a handshake */
    bool told_tools;                 /* the server said that its tools changed */
    struct duty_http_state *http;    /* of duty_http.c; NULL: nothing came over HTTP */
};

/* Says a breach of what must, or of what should hold; texts are copied by whoever listens. Rows of another
 * era, and after raw bytes those that we may be to blame for, are not said. */
void duty_say(struct duty_watch *w, int number, const char *detail, struct bytes text);
void duty_say_should(struct duty_watch *w, int number, const char *detail, struct bytes text);
/* A breach of what was agreed on in the first exchange. */
void duty_say_agreed(struct duty_watch *w, int number, const char *detail, struct bytes text);

bool duty_since(const struct duty_watch *w,
                const char *version); /* the version agreed on is that one or a later one */
bool duty_declared(const struct duty_watch *w,
                   const char *pointer); /* a capability of the server, "/tools/listChanged" */
bool duty_offered(const struct duty_watch *w, const char *pointer); /* one of ours */
/* Params of a request of ours; NULL when they are not kept or none. In the scratch arena. */
const struct json *duty_params(struct duty_watch *w, const struct duty_request *r);
struct bytes duty_key(struct duty_watch *w,
                      const struct json *value); /* as JSON text, in the scratch arena */
void duty_list_ends(struct duty_list *list,
                    const struct duty_reply *reply); /* a page of it was read: was it the last? */

/* duty_message.c: the form of any message. */
void duty_message_form(struct duty_watch *w, const struct json *message, struct bytes line);
void duty_message_error(struct duty_watch *w, const struct json *message, struct bytes line);
/* duty_server.c: what the server asks and tells. */
void duty_server_request(struct duty_watch *w, const char *method, const struct json *message,
                         struct bytes line);
void duty_server_notification(struct duty_watch *w, const char *method, const struct json *message,
                              struct bytes line);
bool duty_log_level_known(const struct json *level); /* duty_lifecycle.c */
/* duty_sampling.c */
void duty_sampling_request(struct duty_watch *w, const struct json *params, struct bytes line);
void duty_elicitation_request(struct duty_watch *w, const struct json *params, struct bytes line);
/* duty_progress.c */
void duty_progress_came(struct duty_watch *w, const struct json *params, struct bytes line);
/* The open request of ours whose progress it is; NULL: none, or it may as well be that of another one. */
const struct duty_request *duty_progress_of(struct duty_watch *w, const struct json *params);
void duty_progress_ended(struct duty_watch *w, const struct duty_request *r);
/* duty_content.c: one block, and the rules of section `number` for it. */
void duty_content_block(struct duty_watch *w, int number, const struct json *block, struct bytes line);
void duty_content_blocks(struct duty_watch *w, int number, const struct json *blocks, struct bytes line);
bool duty_is_base64(const struct json *text);
/* duty_schema.c: a tool's schema as a schema. */
void duty_schema_look(struct duty_watch *w, const struct json *schema, struct bytes line);
bool duty_schema_dialect_known(const struct json *schema);
/* duty_tools.c: the result of a call of the tool with that name, at once or through a task. */
void duty_call_result(struct duty_watch *w, struct bytes tool, const struct json *result, struct bytes line);
/* duty_tasks.c: a call that asked for a task, or got one; true: that was all about it. */
bool duty_task_call(struct duty_watch *w, const struct json *params, const struct duty_reply *reply);
void duty_task_status(struct duty_watch *w, const struct json *task, struct bytes line);
enum duty_task_support { DUTY_TASK_FORBIDDEN, DUTY_TASK_OPTIONAL, DUTY_TASK_REQUIRED };
enum duty_task_support duty_task_support_of(const struct json *tool);

/* What looks at the answer to each method, for the table in duty_handlers.c. */
typedef void duty_look_fn(struct duty_watch *w, const struct duty_request *r, const struct duty_reply *reply);
duty_look_fn duty_look_initialize, duty_look_ping, duty_look_level, duty_look_completion, duty_look_tools,
    duty_look_call, duty_look_resources, duty_look_templates, duty_look_read, duty_look_prompts,
    duty_look_prompt, duty_look_task, duty_look_task_result, duty_look_task_cancel, duty_look_task_list;

duty_look_fn duty_look_discover, duty_look_listen;
/* What the message at hand came with, over HTTP; NULL: nothing. */
const struct duty_http_exchange *duty_http_now(const struct duty_watch *w);
/* A message that came over HTTP: whether it belongs on the stream that it came on. */
void duty_http_message(struct duty_watch *w, const struct json *message, struct bytes line);

#endif
