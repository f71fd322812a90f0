/* Opening, closing and the batch.
 *
 * Writes gather in one transaction, which is committed when loop.batch executions are in it, when
 * loop.batch-ms have passed since it began (by a thread of the store's own, because no further call may
 * come), with each finding, and at the end.
 *
 * Invariants: every public function holds the mutex from its first to its last statement; no statement is
 * open outside. A failed write gives up the whole batch, and what is kept in memory is read anew from the
 * file (store_abandon), so memory never knows more than the file. */
#include "corpus/store_internal.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"

enum { BUSY_MS = 10000, WAL_KEEP_BYTES = 64 << 20 };

/* The absolute name, so that nothing in it has a meaning of its own to SQLite (":memory:", "file:…"), and so
 * that one file reached over two names has one lock. */
static char *absolute(const char *path)
{
    char *whole = realpath(path, NULL);
    if (whole)
        return whole;
    char *copy = xstrdup(path), *copy2 = xstrdup(path), *dir = realpath(dirname(copy), NULL);
    if (asprintf(&whole, "%s/%s", dir ? dir : "", basename(copy2)) < 0)
        BUG("out of memory");
    if (!dir) { /* cannot be opened; the message is the opener's */
        free(whole);
        whole = NULL;
    }
    free(dir);
    free(copy);
    free(copy2);
    return whole;
}

/* What SQLite would say in words that do not help. */
static int look_at_file(struct store *s, struct error **err)
{
    struct stat st;
    size_t len = strlen(s->path);
    if (!len)
        return error_set(err, ERR_INPUT, "the database needs a file name");
    if (stat(s->path, &st) < 0) {
        int saved = errno;
        if (s->writes && saved == ENOENT && s->file && s->path[len - 1] != '/')
            return 0;
        return error_set(err, s->writes ? ERR_OUTPUT : ERR_INPUT, "cannot %s '%s': %s",
                         s->writes ? "write" : "read", s->path, strerror(saved));
    }
    if (S_ISDIR(st.st_mode))
        return error_set(err, ERR_INPUT, "'%s' is a directory, expected a database", s->path);
    if (!S_ISREG(st.st_mode))
        return error_set(err, ERR_INPUT, "'%s' is not a regular file, expected a database", s->path);
    return s->file ? 0 : error_set(err, ERR_INPUT, "cannot open '%s': %s", s->path, strerror(errno));
}

/* "file:<escaped path>?immutable=1": for a database in a place where not even its reader may make files. */
static char *immutable_name(const char *file)
{
    struct buf name;
    buf_init(&name, (size_t)4 * PATH_MAX);
    buf_add_string(&name, "file:");
    for (const char *c = file; *c; c++) {
        if (strchr("%?# ", *c))
            buf_addf(&name, "%%%02x", (unsigned)(unsigned char)*c);
        else
            buf_add_byte(&name, (uint8_t)*c);
    }
    buf_add_string(&name, "?immutable=1");
    char *text = xstrdup(buf_string(&name));
    buf_release(&name);
    return text;
}

/* Returns SQLite's result; s->db is there in any case, for its message. */
static int connect_to(struct store *s, const char *name, int flags)
{
    int result = sqlite3_open_v2(name, &s->db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);
    if (result != SQLITE_OK)
        return result;
    sqlite3_busy_timeout(s->db, BUSY_MS);
    /* Reads the first page, and with it finds out what kind of file this is. */
    return sqlite3_exec(s->db, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
}

static int connect_writer(struct store *s, struct error **err)
{
    int result = connect_to(s, s->file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    return result == SQLITE_OK ? 0 : store_fault(s, result, err);
}

/* Nothing stands in a log beside the file that a reader of the file alone would miss. */
static bool has_no_log(const struct store *s)
{
    struct stat st;
    char *log = NULL;
    if (asprintf(&log, "%s-wal", s->file) < 0)
        BUG("out of memory");
    bool none = stat(log, &st) < 0 ? errno == ENOENT : st.st_size == 0;
    free(log);
    return none;
}

static int connect_reader(struct store *s, struct error **err)
{
    int result = connect_to(s, s->file, SQLITE_OPEN_READONLY), primary = result & 0xff;
    if ((primary == SQLITE_CANTOPEN || primary == SQLITE_READONLY) && has_no_log(s)) {
        char *name = immutable_name(s->file);
        sqlite3_close(s->db);
        result = connect_to(s, name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
        free(name);
    }
    return result == SQLITE_OK ? 0 : store_fault(s, result, err);
}

static int set_up_writer(struct store *s, int version, struct error **err)
{
    /* Debian's SQLite has synchronous=FULL as its default: an fsync a batch, which guards against power cuts
     * only. */
    char sql[160];
    snprintf(sql, sizeof sql,
             "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = %d",
             WAL_KEEP_BYTES);
    TRY(store_exec_sql(s, sql, err));
    TRY(store_schema_migrate(s, version, err));
    return store_exec_sql(s, "PRAGMA foreign_keys = ON", err);
}

/* Commits what has waited long enough. */
static void *commit_in_time(void *argument)
{
    struct store *s = argument;
    pthread_mutex_lock(&s->mutex);
    while (!s->closing) {
        if (sqlite3_get_autocommit(s->db) || s->failed) {
            pthread_cond_wait(&s->changed, &s->mutex);
            continue;
        }
        int64_t due = s->pending_since_ns + s->batch_ms * 1000000;
        struct timespec at = {.tv_sec = due / 1000000000, .tv_nsec = due % 1000000000};
        int waited = pthread_cond_timedwait(&s->changed, &s->mutex, &at);
        /* The batch may be another one by now. */
        if (waited == ETIMEDOUT && !s->closing && due == s->pending_since_ns + s->batch_ms * 1000000)
            store_commit(s, &s->failed);
    }
    pthread_mutex_unlock(&s->mutex);
    return NULL;
}

/* Signals are for the main thread. Without the thread batches are committed by the calls alone. */
static void start_committer(struct store *s)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    s->has_committer = pthread_create(&s->committer, NULL, commit_in_time, s) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

int store_reload(struct store *s, struct error **err)
{
    TRY(store_index_load(s, err));
    store_members_release(&s->members);
    int row = store_step(s, SQL_TRACE_BYTES, err, "");
    if (row < 0)
        return row;
    s->spare_bytes = store_integer(s, SQL_TRACE_BYTES, 0);
    store_done(s, SQL_TRACE_BYTES);
    s->next_run = 0;
    return 0;
}

/* A reader cannot bring an older database up to date; a writer that comes and goes can. */
static int migrate_for_reader(struct store *s, const struct settings *settings, struct error **err)
{
    struct store *writer = NULL;
    sqlite3_close(s->db);
    s->db = NULL;
    TRY(store_open_steps(s->path, STORE_WRITE, settings, s->steps, s->step_count, &writer, err));
    store_close(writer);
    return connect_reader(s, err);
}

static int open_it(struct store *s, const struct settings *settings, struct error **err)
{
    int version = 0;
    TRY(look_at_file(s, err));
    if (!s->writes) {
        TRY(connect_reader(s, err));
        TRY(store_schema_look(s, &version, err));
        if (version < s->step_count)
            TRY(migrate_for_reader(s, settings, err));
        return store_prepare(s, err);
    }
    TRY(store_lock(s, err));
    TRY(connect_writer(s, err));
    TRY(store_schema_look(s, &version, err));
    TRY(set_up_writer(s, version, err));
    TRY(store_prepare(s, err));
    TRY(store_reload(s, err));
    start_committer(s);
    return 0;
}

static void release(struct store *s)
{
    store_finalize(s);
    sqlite3_close(s->db);
    store_unlock(s);
    store_index_release(&s->index);
    store_members_release(&s->members);
    error_free(s->failed);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->mutex);
    free(s->file);
    free(s->path);
    free(s);
}

int store_open(const char *path, enum store_mode mode, const struct settings *settings, struct store **store,
               struct error **err)
{
    return store_open_steps(path, mode, settings, store_schema_steps, STORE_SCHEMA, store, err);
}

int store_open_steps(const char *path, enum store_mode mode, const struct settings *settings,
                     const struct store_step *steps, int step_count, struct store **store, struct error **err)
{
    struct store *s = xcalloc(1, sizeof *s);
    s->steps = steps;
    s->step_count = step_count;
    s->path = xstrdup(path);
    s->file = absolute(path);
    s->writes = mode == STORE_WRITE;
    s->lock_fd = -1;
    s->batch = settings_int(settings, "loop.batch");
    s->batch_ms = settings_int(settings, "loop.batch-ms");
    s->confirm_need = settings_int(settings, "confirm.need");
    s->confirm_runs = settings_int(settings, "confirm.runs");
    s->keep_failed = settings_int(settings, "store.keep-failed");
    s->give_up = settings_int(settings, "feedback.give-up");
    pthread_mutex_init(&s->mutex, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&s->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    int status = open_it(s, settings, err);
    if (status < 0) {
        release(s);
        return status;
    }
    *store = s;
    return 0;
}

static int copy_pages(struct store *from, struct store *to, struct error **err)
{
    int result = connect_to(to, to->file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    sqlite3_backup *backup = result == SQLITE_OK ? sqlite3_backup_init(to->db, "main", from->db, "main") : NULL;
    if (!backup)
        return store_fault(to, result == SQLITE_OK ? sqlite3_errcode(to->db) : result, err);
    result = sqlite3_backup_step(backup, -1);
    int ended = sqlite3_backup_finish(backup);
    return result == SQLITE_DONE && ended == SQLITE_OK ? 0 : store_fault(to, ended == SQLITE_OK ? result : ended, err);
}

int store_copy(const char *path, const char *to, struct error **err)
{
    struct store from = {.path = (char *)path, .file = absolute(path), .steps = store_schema_steps, .step_count = STORE_SCHEMA};
    struct store copy = {.path = (char *)to, .file = (char *)to, .writes = true};
    int version, status = look_at_file(&from, err);
    if (!status)
        status = connect_reader(&from, err);
    if (!status)
        status = store_schema_look(&from, &version, err);
    if (!status)
        status = copy_pages(&from, &copy, err);
    sqlite3_close(copy.db);
    sqlite3_close(from.db);
    free(from.file);
    return status;
}

void store_keep_secret(struct store *s, const struct redactor *secrets)
{
    pthread_mutex_lock(&s->mutex);
    s->secrets = secrets;
    pthread_mutex_unlock(&s->mutex);
}

void store_close(struct store *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->mutex);
    s->closing = true;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->mutex);
    if (s->has_committer)
        pthread_join(s->committer, NULL);
    if (s->writes)
        store_commit_all(s, NULL);
    release(s);
}

int store_flush(struct store *s, struct error **err)
{
    pthread_mutex_lock(&s->mutex);
    int status = store_told(s, err);
    return store_leave(s, status < 0 ? status : store_commit_all(s, err));
}

int store_told(struct store *s, struct error **err)
{
    if (!s->failed)
        return 0;
    int code = s->failed->code;
    if (err)
        *err = s->failed;
    else
        error_free(s->failed);
    s->failed = NULL;
    return code;
}

int store_begin(struct store *s, struct error **err)
{
    if (!s->writes)
        return error_set(err, ERR_OUTPUT, "'%s' is open for reading only", s->path);
    TRY(store_told(s, err));
    s->touched = true;
    if (!sqlite3_get_autocommit(s->db))
        return 0;
    TRY(store_exec_sql(s, "BEGIN IMMEDIATE", err));
    s->pending = 0;
    s->pending_since_ns = clock_monotonic_ns();
    pthread_cond_signal(&s->changed);
    return 0;
}

int store_commit(struct store *s, struct error **err)
{
    if (sqlite3_get_autocommit(s->db))
        return 0;
    int status = store_index_due(&s->index) ? store_index_flush(s, err) : 0;
    if (!status)
        status = store_exec_sql(s, "COMMIT", err);
    return status < 0 ? store_abandon(s, status) : 0;
}

int store_commit_all(struct store *s, struct error **err)
{
    int status = 0;
    if (s->index.dirty_count) {
        status = store_begin(s, err);
        if (!status)
            status = store_index_flush(s, err);
    }
    return status < 0 ? store_abandon(s, status) : store_commit(s, err);
}

int store_finish(struct store *s, struct error **err)
{
    bool due = s->pending >= s->batch || clock_monotonic_ns() - s->pending_since_ns >= s->batch_ms * 1000000;
    return due ? store_commit(s, err) : 0;
}

int store_leave(struct store *s, int status)
{
    if (status < 0 && s->touched)
        store_abandon(s, status);
    s->touched = false;
    pthread_mutex_unlock(&s->mutex);
    return status;
}

int store_abandon(struct store *s, int status)
{
    if (!sqlite3_get_autocommit(s->db))
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    struct error *again = NULL;
    s->age++;
    if (store_reload(s, &again) < 0 && !s->failed)
        s->failed = again; /* the next writer is told, and does not write from a wrong picture */
    else
        error_free(again);
    return status;
}
