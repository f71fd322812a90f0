/* What another database knows, into this one. The other one is a copy that is attached as `src`; everything is one transaction.
 *
 * Rows are the same where what they stand for is the same, whatever numbers they bear: runs by their keys, tasks by their hashes,
 * executions by their place within their run (a run only ever gets more of them, so both hold a beginning of the same row), features by
 * their hashes, findings by their signatures and aliases. Maps from the other's numbers to ours live in temporary tables.
 *
 * So merging twice changes nothing. Two kinds of figures are not kept by run: how often a feature was seen, and the counters of mutators
 * and domains. Of them we take the share that its new executions are of all its executions: all where nothing was known, none where
 * all was.
 *
 * A column that a later schema adds is copied with new rows without being named here; only where rows meet, what becomes of it has to be
 * said. */
#include "corpus/store_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"

enum { SQL_MAX = 1 << 16 };

/* ---- statements made as they are needed ---- */

static int run_sql(struct store *s, struct error **err, const char *format, ...) __attribute__((format(printf, 3, 4)));

static int run_sql(struct store *s, struct error **err, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    char *sql = sqlite3_vmprintf(format, values);
    va_end(values);
    if (!sql)
        BUG("out of memory");
    int status = store_exec_sql(s, sql, err);
    sqlite3_free(sql);
    return status;
}

/* One number; 0 when there is no row. */
static int ask(struct store *s, const char *sql, double *value, struct error **err)
{
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(s->db, sql, -1, &statement, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_step(statement);
    *value = result == SQLITE_ROW ? sqlite3_column_double(statement, 0) : 0;
    int status = result == SQLITE_ROW || result == SQLITE_DONE ? 0 : store_fault(s, result, err);
    sqlite3_finalize(statement);
    return status;
}

/* What stands in a column of the copy instead of what stands in the original; NULL: the column is left to its default. */
struct column {
    const char *name, *value;
};

static const struct column *override_of(const struct column *overrides, const char *name)
{
    for (; overrides->name; overrides++)
        if (strcmp(overrides->name, name) == 0)
            return overrides;
    return NULL;
}

/* "INSERT OR IGNORE INTO table(columns) SELECT values FROM rest", with every column the table has; the original is called o. */
static int copy_rows(struct store *s, const char *table, const struct column *overrides, const char *rest, struct error **err)
{
    struct buf names, values;
    sqlite3_stmt *statement = NULL;
    char *sql = sqlite3_mprintf("SELECT name FROM pragma_table_info(%Q)", table);
    buf_init(&names, SQL_MAX);
    buf_init(&values, SQL_MAX);
    int result = sqlite3_prepare_v2(s->db, sql, -1, &statement, NULL);
    while (result == SQLITE_OK && (result = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        const struct column *c = override_of(overrides, name);
        result = SQLITE_OK;
        if (c && !c->value)
            continue;
        buf_addf(&names, "%s\"%s\"", names.len ? ", " : "", name);
        if (c)
            buf_addf(&values, "%s%s", values.len ? ", " : "", c->value);
        else
            buf_addf(&values, "%so.\"%s\"", values.len ? ", " : "", name);
    }
    int status = result == SQLITE_DONE ? 0 : store_fault(s, result, err);
    sqlite3_finalize(statement);
    sqlite3_free(sql);
    if (!status)
        status = run_sql(s, err, "INSERT OR IGNORE INTO main.%s(%s) SELECT %s FROM %s", table, buf_string(&names), buf_string(&values), rest);
    buf_release(&names);
    buf_release(&values);
    return status;
}

/* ---- runs, tasks, executions ---- */

static int merge_runs(struct store *s, struct error **err)
{
    static const struct column columns[] = {{"id", NULL}, {0}};
    TRY(store_exec_sql(s,
                       "CREATE TEMP TABLE run_map(src INTEGER PRIMARY KEY, dst INTEGER NOT NULL, known INTEGER NOT NULL);"
                       "CREATE TEMP TABLE run_known AS SELECT key FROM main.run WHERE key IN (SELECT key FROM src.run)",
                       err));
    TRY(copy_rows(s, "run", columns, "src.run AS o WHERE key NOT IN (SELECT key FROM main.run) ORDER BY id", err));
    return store_exec_sql(
        s,
        "INSERT INTO run_map SELECT o.id, d.id, d.key IN (SELECT key FROM run_known) FROM src.run AS o JOIN main.run AS d ON d.key = o.key;"
        /* a run that went on since */
        "UPDATE main.run SET next_index = max(coalesce(run.next_index, 0), coalesce(o.next_index, 0)),"
        " ended_ms = coalesce(run.ended_ms, o.ended_ms), identity = coalesce(run.identity, o.identity),"
        " refused = max(run.refused, o.refused)"
        " FROM src.run AS o JOIN run_map ON src = o.id WHERE run.id = dst AND known AND o.next_index IS NOT NULL",
        err);
}

static int merge_tasks(struct store *s, struct error **err)
{
    static const struct column columns[] = {{"id", NULL}, {"times", "0"}, {"parent", "NULL"}, {0}};
    TRY(store_exec_sql(s,
                       "CREATE TEMP TABLE task_map(src INTEGER PRIMARY KEY, dst INTEGER, whole INTEGER NOT NULL);"
                       "INSERT INTO task_map SELECT o.id, d.id, coalesce(d.domain IS NOT NULL, 0) FROM src.task AS o "
                       "LEFT JOIN main.task AS d ON d.hash = o.hash",
                       err));
    TRY(copy_rows(s, "task", columns, "src.task AS o JOIN task_map ON src = o.id WHERE dst IS NULL ORDER BY o.id", err));
    return store_exec_sql(
        s,
        "UPDATE task_map SET dst = d.id FROM src.task AS o JOIN main.task AS d ON d.hash = o.hash WHERE task_map.dst IS NULL AND o.id = task_map.src;"
        /* of which only the id was known here */
        "UPDATE main.task SET domain = o.domain, workflow = o.workflow, grammar = o.grammar, seed = o.seed, task_index = o.task_index,"
        " mutators = o.mutators FROM src.task AS o JOIN task_map ON src = o.id WHERE task.id = dst AND NOT whole AND o.domain IS NOT NULL;"
        "UPDATE main.task SET parent = p.dst FROM src.task AS o JOIN task_map AS m ON m.src = o.id JOIN task_map AS p ON p.src = o.parent"
        " WHERE task.id = m.dst AND NOT m.whole;"
        "UPDATE main.task SET json = o.json FROM src.task AS o JOIN task_map ON src = o.id"
        " WHERE task.id = dst AND task.json IS NULL AND o.json IS NOT NULL",
        err);
}

static int merge_executions(struct store *s, struct error **err)
{
    static const struct column columns[] = {
        {"id", "x.dst"}, {"run", "(SELECT dst FROM run_map WHERE src = o.run)"}, {"task", "(SELECT dst FROM task_map WHERE src = o.task)"}, {0}};
    static const struct column traces[] = {{"exec", "x.dst"}, {0}};
    static const struct column picks[] = {{"exec", "x.dst"}, {"member", "(SELECT dst FROM task_map WHERE src = o.member)"}, {0}};
    TRY(store_exec_sql(
        s,
        "CREATE TEMP TABLE exec_map(src INTEGER PRIMARY KEY, dst INTEGER NOT NULL, fresh INTEGER NOT NULL);"
        "CREATE TEMP TABLE exec_known(run INTEGER NOT NULL, rank INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (run, rank)) WITHOUT ROWID;"
        "INSERT INTO exec_known SELECT run, row_number() OVER (PARTITION BY run ORDER BY id), id FROM main.exec"
        " WHERE run IN (SELECT dst FROM run_map WHERE known);"
        "INSERT INTO exec_map SELECT o.src, exec_known.id, 0 FROM (SELECT exec.id AS src, run_map.dst AS run,"
        " row_number() OVER (PARTITION BY exec.run ORDER BY exec.id) AS rank FROM src.exec JOIN run_map ON run_map.src = exec.run WHERE known) AS o"
        " JOIN exec_known USING (run, rank);"
        /* of no run: by what they are */
        "INSERT OR IGNORE INTO exec_map SELECT o.id, min(d.id), 0 FROM src.exec AS o JOIN task_map ON task_map.src = o.task"
        " JOIN main.exec AS d ON d.task = task_map.dst AND d.run IS NULL AND d.at_ms = o.at_ms AND d.ns = o.ns AND d.outcome = o.outcome"
        " WHERE o.run IS NULL GROUP BY o.id;"
        "INSERT INTO exec_map SELECT id, (SELECT coalesce(max(id), 0) FROM main.exec) + row_number() OVER (ORDER BY id), 1 FROM src.exec"
        " WHERE id NOT IN (SELECT src FROM exec_map)",
        err));
    TRY(copy_rows(s, "exec", columns, "src.exec AS o JOIN exec_map AS x ON x.src = o.id WHERE x.fresh ORDER BY x.dst", err));
    TRY(copy_rows(s, "trace", traces, "src.trace AS o JOIN exec_map AS x ON x.src = o.exec WHERE x.fresh ORDER BY x.dst", err));
    TRY(copy_rows(s, "pick", picks, "src.pick AS o JOIN exec_map AS x ON x.src = o.exec WHERE x.fresh ORDER BY x.dst", err));
    return store_exec_sql(s,
                          "UPDATE main.task SET times = times + n FROM (SELECT task_map.dst AS task, count(*) AS n FROM exec_map "
                          "JOIN src.exec ON exec.id = exec_map.src JOIN task_map ON task_map.src = exec.task WHERE fresh GROUP BY 1) AS more "
                          "WHERE task.id = more.task",
                          err);
}

/* ---- features and the corpus ---- */

static int merge_features(struct store *s, double share, struct error **err)
{
    static const struct column columns[] = {{"first_exec", "(SELECT dst FROM exec_map WHERE src = o.first_exec)"},
                                            {"admitted", "(SELECT dst FROM exec_map WHERE src = o.admitted)"},
                                            {0}};
    /* First those that meet: the new ones are not to be counted twice. */
    TRY(run_sql(s, err,
                "UPDATE main.feature SET count = feature.count + CAST(round(o.count * %.17g) AS INTEGER) FROM src.feature AS o "
                "WHERE feature.hash = o.hash",
                share));
    TRY(store_exec_sql(s,
                       "UPDATE main.feature SET admitted = (SELECT dst FROM exec_map WHERE src = o.admitted), tries = o.tries, shows = o.shows,"
                       " failed = o.failed, text = o.text FROM src.feature AS o"
                       " WHERE feature.hash = o.hash AND feature.admitted IS NULL AND o.admitted IS NOT NULL",
                       err));
    return copy_rows(s, "feature", columns, "src.feature AS o WHERE hash NOT IN (SELECT hash FROM main.feature)", err);
}

/* A member that left here stays out: others show all that it shows. */
static int merge_members(struct store *s, struct error **err)
{
    static const struct column members[] = {{"number", "(SELECT coalesce(max(number), 0) FROM main.corpus) + row_number() OVER (ORDER BY o.number)"},
                                            {"task", "m.dst"},
                                            {"exec", "(SELECT dst FROM exec_map WHERE src = o.exec)"},
                                            {"rarity", "NULL"},
                                            {0}};
    static const struct column retired[] = {{"task", "m.dst"}, {"exec", "(SELECT dst FROM exec_map WHERE src = o.exec)"}, {0}};
    static const struct column shown[] = {{"task", "m.dst"}, {0}};
    TRY(store_exec_sql(s,
                       "UPDATE main.corpus SET selected = max(corpus.selected, o.selected), begot = max(corpus.begot, o.begot)"
                       " FROM src.corpus AS o JOIN task_map ON src = o.task WHERE corpus.task = dst",
                       err));
    TRY(copy_rows(s, "corpus", members,
                  "src.corpus AS o JOIN task_map AS m ON m.src = o.task WHERE m.dst NOT IN (SELECT task FROM main.corpus) "
                  "AND m.dst NOT IN (SELECT task FROM main.retired) ORDER BY o.number",
                  err));
    TRY(copy_rows(s, "retired", retired,
                  "src.retired AS o JOIN task_map AS m ON m.src = o.task WHERE m.dst NOT IN (SELECT task FROM main.corpus)", err));
    return copy_rows(s, "task_feature", shown, "src.task_feature AS o JOIN task_map AS m ON m.src = o.task", err);
}

/* ---- findings ---- */

/* The worst first; but one that was found fixed after the last time that anybody saw it is. */
#define RANK(row)                                                                                                        \
    "(CASE WHEN " row ".state = 'fixed' AND " row ".tested_ms >= finding.last_ms THEN -1 ELSE CASE " row ".state "       \
    "WHEN 'regressed' THEN 0 WHEN 'confirmed' THEN 1 WHEN 'flaky' THEN 2 WHEN 'new' THEN 3 WHEN 'unconfirmed' THEN 4 ELSE 5 END END)"
#define BYTES(task) "length(CAST(" task " AS BLOB))"

/* Which of ours each of theirs is: the same signature, or one that either had before. */
static const char map_findings[] =
    "CREATE TEMP TABLE finding_map(src TEXT PRIMARY KEY, dst TEXT NOT NULL);"
    "INSERT INTO finding_map SELECT signature, coalesce((SELECT signature FROM main.finding AS f WHERE f.signature = o.signature),"
    " (SELECT finding FROM main.alias AS a WHERE a.signature = o.signature),"
    " (SELECT f.signature FROM src.alias AS a JOIN main.finding AS f ON f.signature = a.signature WHERE a.finding = o.signature ORDER BY 1 LIMIT 1),"
    " (SELECT b.finding FROM src.alias AS a JOIN main.alias AS b ON b.signature = a.signature WHERE a.finding = o.signature ORDER BY 1 LIMIT 1),"
    " o.signature) FROM src.finding AS o;"
    "CREATE TEMP TABLE seen AS SELECT finding_map.dst AS finding, run_map.dst AS run, sum(times) AS times FROM src.sighting"
    " JOIN finding_map ON finding_map.src = sighting.finding JOIN run_map ON run_map.src = sighting.run GROUP BY 1, 2";

static const char join_findings[] =
    /* sightings that we have not counted yet */
    "UPDATE main.finding SET times_seen = times_seen + n FROM (SELECT seen.finding, sum(max(0, seen.times - coalesce(d.times, 0))) AS n FROM seen"
    " LEFT JOIN main.sighting AS d ON d.finding = seen.finding AND d.run = seen.run GROUP BY 1) AS more WHERE finding.signature = more.finding;"
    "UPDATE main.finding SET first_ms = min(finding.first_ms, o.first_ms), last_ms = max(finding.last_ms, o.last_ms),"
    " client_illegal = finding.client_illegal AND o.client_illegal, suppressed = finding.suppressed AND o.suppressed"
    " FROM src.finding AS o JOIN finding_map ON src = o.signature WHERE finding.signature = dst;"
    "UPDATE main.finding SET state = o.state, n_failed = o.n_failed, n_run = o.n_run, tested_ms = o.tested_ms"
    " FROM src.finding AS o JOIN finding_map ON src = o.signature WHERE finding.signature = dst AND " RANK("o") " < " RANK("finding") ";"
    "UPDATE main.finding SET task = o.task, task_steps = o.task_steps, title = o.title, evidence = o.evidence, target = o.target,"
    " identity = o.identity, wire = o.wire, shrunk = o.shrunk FROM src.finding AS o JOIN finding_map ON src = o.signature"
    " WHERE finding.signature = dst AND (o.task_steps < finding.task_steps OR (o.task_steps = finding.task_steps AND"
    " (" BYTES("o.task") " < " BYTES("finding.task") " OR (o.task = finding.task AND o.shrunk > finding.shrunk))))";

static const char note_sightings[] =
    "INSERT INTO main.sighting(finding, run, times) SELECT finding, run, times FROM seen WHERE true"
    " ON CONFLICT (finding, run) DO UPDATE SET times = max(times, excluded.times);"
    "INSERT OR IGNORE INTO main.alias(signature, finding) SELECT src, dst FROM finding_map WHERE src <> dst;"
    "INSERT OR IGNORE INTO main.alias(signature, finding) SELECT a.signature, dst FROM src.alias AS a JOIN finding_map ON src = a.finding"
    " WHERE a.signature NOT IN (SELECT signature FROM main.finding)";

static int merge_findings(struct store *s, struct error **err)
{
    static const struct column columns[] = {{0}};
    TRY(store_exec_sql(s, map_findings, err));
    TRY(store_exec_sql(s, join_findings, err)); /* those that meet, before the new ones come */
    TRY(copy_rows(s, "finding", columns,
                  "src.finding AS o JOIN finding_map AS m ON m.src = o.signature WHERE m.dst = o.signature "
                  "AND o.signature NOT IN (SELECT signature FROM main.finding)",
                  err));
    return store_exec_sql(s, note_sightings, err);
}

/* ---- the rest ---- */

static int merge_rest(struct store *s, double share, struct error **err)
{
    static const struct column seeds[] = {
        {"task", "(SELECT dst FROM task_map WHERE src = o.task)"}, {"run", "(SELECT dst FROM run_map WHERE src = o.run)"}, {0}};
    static const struct column stats[] = {{"run", "m.dst"}, {0}};
    TRY(copy_rows(s, "seed", seeds, "src.seed AS o", err));
    TRY(copy_rows(s, "stat", stats,
                  "src.stat AS o JOIN run_map AS m ON m.src = o.run WHERE NOT EXISTS (SELECT 1 FROM main.stat AS d WHERE d.run = m.dst "
                  "AND d.at_ms = o.at_ms) ORDER BY o.rowid",
                  err));
    TRY(run_sql(s, err,
                "INSERT INTO main.counter(kind, name, tried, won, ns) SELECT kind, name, CAST(round(tried * %.17g) AS INTEGER),"
                " CAST(round(won * %.17g) AS INTEGER), CAST(round(ns * %.17g) AS INTEGER) FROM src.counter WHERE true"
                " ON CONFLICT (kind, name) DO UPDATE SET tried = tried + excluded.tried, won = won + excluded.won, ns = ns + excluded.ns",
                share, share, share));
    return store_exec_sql(s,
                          "INSERT INTO main.meta SELECT name, value FROM src.meta WHERE name = 'suppressions' ON CONFLICT (name) DO NOTHING",
                          err);
}

/* ---- all of it ---- */

static int64_t count_of(struct store *s, const char *table)
{
    double value;
    char *sql = sqlite3_mprintf("SELECT count(*) FROM main.%s", table);
    if (ask(s, sql, &value, NULL) < 0)
        value = 0;
    sqlite3_free(sql);
    return (int64_t)value;
}

static void count_all(struct store *s, struct store_merged *m, int sign)
{
    m->runs += sign * count_of(s, "run");
    m->executions += sign * count_of(s, "exec");
    m->tasks += sign * count_of(s, "task");
    m->features += sign * count_of(s, "feature");
    m->members += sign * count_of(s, "corpus");
    m->findings += sign * count_of(s, "finding");
}

static int merge_attached(struct store *s, struct store_merged *m, struct error **err)
{
    double share;
    TRY(store_begin(s, err));
    count_all(s, m, -1);
    TRY(merge_runs(s, err));
    TRY(merge_tasks(s, err));
    TRY(merge_executions(s, err));
    TRY(ask(s, "SELECT total(fresh) / count(*) FROM exec_map", &share, err));
    TRY(merge_features(s, share, err));
    TRY(merge_members(s, err));
    TRY(merge_findings(s, err));
    TRY(merge_rest(s, share, err));
    count_all(s, m, 1);
    return store_exec_sql(s,
                          "DROP TABLE temp.run_map; DROP TABLE temp.run_known; DROP TABLE temp.task_map; DROP TABLE temp.exec_map;"
                          "DROP TABLE temp.exec_known; DROP TABLE temp.finding_map; DROP TABLE temp.seen",
                          err);
}

static int attach(struct store *s, const char *copy, struct error **err)
{
    char *sql = sqlite3_mprintf("ATTACH %Q AS src", copy);
    int status = store_exec_sql(s, sql, err);
    sqlite3_free(sql);
    return status;
}

static int merge(struct store *s, const char *copy, struct store_merged *m, struct error **err)
{
    TRY(store_told(s, err));
    TRY(store_commit_all(s, err));
    TRY(attach(s, copy, err));
    int status = merge_attached(s, m, err);
    if (!status)
        status = store_commit(s, err);
    else if (!sqlite3_get_autocommit(s->db))
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_exec(s->db, "DETACH src", NULL, NULL, NULL);
    if (status < 0)
        return status;
    TRY(store_reload(s, err)); /* what is in memory follows */
    TRY(store_begin(s, err));
    TRY(store_prune_traces(s, err));
    return store_commit_all(s, err);
}

static void remove_copy(const char *copy)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-lock"};
    char name[4200];
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(name, sizeof name, "%s%s", copy, endings[i]);
        unlink(name);
    }
}

int store_merge(struct store *s, const char *path, const struct settings *settings, struct store_merged *m, struct error **err)
{
    struct store *other = NULL;
    char *copy = NULL;
    *m = (struct store_merged){0};
    if (asprintf(&copy, "%s-merge", s->file) < 0)
        BUG("out of memory");
    remove_copy(copy); /* of one that was killed */
    int status = store_copy(path, copy, err);
    if (!status)
        status = store_open(copy, STORE_WRITE, settings, &other, err); /* brings its tables up to date */
    if (!status) {
        store_close(other);
        pthread_mutex_lock(&s->mutex);
        status = store_leave(s, merge(s, copy, m, err));
    }
    if (status < 0)
        error_wrap(err, "merging '%s'", path);
    remove_copy(copy);
    free(copy);
    return status;
}
