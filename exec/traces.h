/* What this machine saw of a session from outside while a task ran: figures, tripwires, what was left behind. Pure data;
 * exec/outside.h collects it, exec/oracle judges it. */
#ifndef EXEC_TRACES_H
#define EXEC_TRACES_H

#include "base/bytes.h"

/* Descriptors of a process by what they lead to. */
enum descriptor_kind {
    DESCRIPTOR_FILE,   /* and directories */
    DESCRIPTOR_PIPE,
    DESCRIPTOR_SOCKET,
    DESCRIPTOR_DEVICE,
    DESCRIPTOR_OTHER,  /* epoll, eventfd, inotify … */
    DESCRIPTOR_KINDS
};
const char *descriptor_kind_name(enum descriptor_kind k); /* "file", "pipe", … */

/* A socket that takes connections. */
struct listener {
    const char *family;  /* "tcp", "tcp6" or "unix" */
    struct bytes where;  /* "127.0.0.1:8080", "[::1]:8080"; a path, "@name" for an abstract one */
    uint64_t inode;
};

/* A session at one moment. Members that could not be had are 0. */
struct snapshot {
    bool made;
    uint32_t processes, zombies;           /* below the session's agent, the target's own process among them */
    bool have_descriptors;
    uint32_t descriptors[DESCRIPTOR_KINDS]; /* of the target's own process, when there is one */
    uint64_t rss, pss;                     /* bytes, of the session's processes together; pss only at the end */
    uint64_t memory, memory_peak;          /* bytes, of the session's control group */
    uint32_t group_processes;              /* in the control group, the agent too */
    uint32_t oom_kills, memory_refusals;   /* so far: processes killed for memory, times the limit was hit */
    uint32_t process_refusals;             /* so far: processes that the limit has refused */
    uint64_t cpu_us;                       /* so far, of everything in the session */
    uint32_t throttled;                    /* so far: times that the control group was held back from the CPU; version 2 */
    uint32_t processes_peak;               /* so far: the most that were in the control group; version 2 */
    uint64_t io_bytes;                     /* so far: read from and written to disks by the control group; version 2 */
    const struct listener *listeners;
    size_t listener_count;
};

/* After one call; cheap. */
struct usage {
    uint64_t rss;                 /* bytes, of the target's own process; 0: there is none */
    uint64_t memory, memory_peak; /* of the control group; the peak is that of the session so far */
    uint32_t descriptors;         /* open ones of the target's own process; 0: nobody could count them */
    /* After some steps on pages of a browser; 0 after the others. */
    uint64_t pss;                 /* bytes, of the session's processes together */
    uint64_t renderers_pss;       /* of it in processes that show pages */
    uint32_t renderers;           /* how many those are */
};

/* Files of ours outside the root, with which a target has no business. Each holds a random text, its canary. One more canary may stand
 * in the target's environment. */
enum tripwire_place {
    TRIPWIRE_BESIDE,  /* in the directory that holds the root */
    TRIPWIRE_SIBLING, /* in a directory beside the root whose name begins with the root's */
    TRIPWIRE_HOME,    /* in a hidden directory of the home */
    TRIPWIRE_ENVIRONMENT, /* no file: a variable, in tasks with the mutator env-canary; never touched, only sighted */
    TRIPWIRE_PLACES
};
const char *tripwire_place_name(enum tripwire_place p); /* "beside", "sibling", "home", "environment" */

enum tripwire_touch {
    TRIPWIRE_OPENED = 1,
    TRIPWIRE_READ = 2,
    TRIPWIRE_WRITTEN = 4,
    TRIPWIRE_ATTRIBUTES = 8, /* mode, owner */
    TRIPWIRE_GONE = 16,      /* removed, moved or replaced */
    TRIPWIRE_TOUCHES = 5     /* how many there are */
};
const char *tripwire_touch_name(unsigned bit); /* "opened", …; NULL when it is none */

struct tripwire_report {
    enum tripwire_place place;
    unsigned how;        /* set of enum tripwire_touch */
    size_t after_step;   /* index into observations of the last one finished when it was seen; SIZE_MAX: before the first */
};

/* Where the text of a tripwire turned up. */
enum canary_in { CANARY_REPLY, CANARY_FILE, CANARY_STDERR };
const char *canary_in_name(enum canary_in in); /* "reply", "file", "stderr" */

struct canary_sighting {
    enum tripwire_place place;
    enum canary_in in;
    size_t observation;  /* CANARY_REPLY: whose */
    struct bytes path;   /* CANARY_FILE: below the root */
};

enum leftover_kind {
    LEFTOVER_PROCESS,   /* below the session's agent when the target had been closed; ended ones too */
    LEFTOVER_ESCAPED,   /* a process that carries the session's mark and was not below its agent */
    LEFTOVER_LISTENER,  /* a TCP port or a Unix socket that somebody still listens on */
    LEFTOVER_FILE,      /* beside the root, and not of our making */
    LEFTOVER_TEMPORARY, /* in the box's own /tmp and the like */
    LEFTOVER_MOUNT,     /* below the session's directory */
    LEFTOVER_GROUP      /* a control group below the session's */
};
const char *leftover_kind_name(enum leftover_kind k); /* "process", "escaped", … */

struct leftover {
    enum leftover_kind kind;
    int pid;                     /* of a process; as its agent saw it, of an escaped one as this machine does */
    char state;                  /* of a process */
    const char *name, *command;  /* of a process */
    struct bytes where;          /* of anything else: path, mount point, "tcp 127.0.0.1:8080" */
    bool calm;                   /* was there before the first step, or belongs to a start that has not ended */
};

#endif
