/* What the files of tool tasks share: tools.c has the list, tools_task.c makes tasks of it, tools_link.c lets
 * one call feed another, tools_request.c makes requests that are no calls, tools_null.c makes calls that differ in a null,
 * tools_store.c damages what they stored, tools_back.c asks back what they were given. */
#ifndef GEN_TOOLS_INTERNAL_H
#define GEN_TOOLS_INTERNAL_H

#include "gen/schema.h"
#include "gen/tools.h"

enum tool_role { TOOL_OTHER, TOOL_MAKES, TOOL_READS, TOOL_ENDS };

struct tool {
    struct bytes name, description;
    const struct json *input;  /* its schema; never NULL */
    const struct json *output; /* or NULL */
    enum tool_role role;
    bool calm;       /* says it changes nothing, or has the name of a reader */
    size_t required; /* parameters that must be given */
};

struct toolset {
    struct schema_book *book;
    struct tool *items;
    size_t count;
    enum tools_stateless stateless;
    size_t control; /* the tool that a task ends with */
    const struct json *capabilities; /* of a server of the protocol, an object; NULL: nothing but tools is known */
    const struct json *resources, *templates, *prompts; /* arrays; or NULL */
    bool http;      /* the target is reached over HTTP */
    bool can_damage; /* what the target has stored can be damaged from this machine */
    uint64_t list_hash;
    char hash[17];
};

enum {
    KNOWN_MAX = 128,
    /* Sites of choices that no schema makes; schemas have those from 64 on. */
    SITE_WORKFLOW = 1,
    SITE_CALLS,
    SITE_CALL,
    SITE_TOOL,
    SITE_KIND,
    SITE_LINK,
    SITE_WHICH,
    SITE_MIX,
    SITE_PROGRESS,
    SITE_HTTP_ROW,
    SITE_TWINS,
    SITE_CLIENTS,
    SITE_REQUEST_KIND,
    SITE_REQUEST, /* and the next ten: parts of a request */
    SITE_PROVOKE = SITE_REQUEST + 11,
    SITE_CONNECTIONS,
    SITE_DAMAGE,
    SITE_BACK
};

/* What an earlier call of the task was told. */
struct known_value {
    struct bytes name;
    const struct json *value;
    bool made; /* by a call that makes what it is told of */
};

struct making {
    const struct toolset *tools;
    struct task *task;
    const struct op *call, *request, *notify, *send;
    const struct op *damage, *reopen; /* NULL: the vocabulary has none */
    const struct settings *settings;
    struct rng rng;
    struct chooser chooser;
    struct derivation log;
    struct arena scratch;
    struct known_value known[KNOWN_MAX];
    size_t known_count;
    const struct tool *called[64]; /* by step, of the first ones */
    size_t called_count;
    size_t bytes;
};

/* Lets members of freshly drawn arguments be what earlier calls were told or replied. */
void tools_link(struct making *m, const struct schema_value *drawn);
/* Keeps what later calls may want. */
void tools_remember(struct making *m, const struct tool *tool, const struct schema_value *drawn);
/* Adds a call with these arguments as a step; false: the task is as big as it may be. */
bool tools_add_step(struct making *m, const struct tool *tool, const struct schema_value *drawn, bool linked,
                    struct buf *said);
/* Adds three calls that differ in null for an optional argument; false: no tool has one, or there was no room. */
bool tools_add_null(struct making *m, struct buf *said);
/* Tools that make something, and calm ones: is there a pair, and one that rather belongs together (tools_store.c). */
bool tools_have_pair(const struct toolset *t);
bool tools_choose_pair(struct making *m, const struct tool **maker, const struct tool **reader);
/* Adds the same calls before and after damage to what the target has stored; false: nothing suits, or there was no room. */
bool tools_add_damage(struct making *m, struct buf *said);
/* Adds calls that store numbers and text that are easily damaged and ask for them; false as above. */
bool tools_add_back(struct making *m, struct buf *said);
/* Adds any request of the protocol that the server's capabilities allow, or a ping. Only where there are capabilities. */
void tools_add_request(struct making *m, struct buf *said);
void tools_add_ping(struct making *m, struct buf *said);
/* How progress of a call is asked for: "text", "number", or NULL, not at all. */
const char *tools_choose_progress(struct making *m);
/* Adds a request that breaks or stretches a rule of the stateless era. */
void tools_add_provoked(struct making *m, struct buf *said);
/* At times: a list asked for on one connection, on another and on the first again. */
void tools_add_connections(struct making *m, struct buf *said);
/* Requests over HTTP that go otherwise than a client's (tools_http.c): lawful ones, or odd ones too. */
void tools_http_requests(struct making *m, bool odd, uint64_t count, struct buf *said);
/* Several requests at once with one id. */
void tools_http_twins(struct making *m, struct buf *said);
/* Do two tools speak of the same things, by the words of their names? */
bool tools_related(const struct tool *a, const struct tool *b);

#endif
