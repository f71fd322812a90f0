/* Every statement of the store but the schema's, by name, and the few functions that bind, step and read
 * them.
 *
 * A statement is reset as soon as its last row is read: one that stays open would hold a view of the
 * database, and keep the write-ahead log from being taken back into the file. */
#include "corpus/store_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FINDING_COLUMNS                                                                     \
    "signature, text, layer, primitive, kind, op, detail, title, evidence, target, identity, " \
    "state, n_failed, n_run, times_seen, first_ms, last_ms, client_illegal, suppressed, task_steps, task"

static const char *const texts[SQL_STATEMENTS] = {
    /* runs */
    [SQL_RUN_ADD] = "INSERT INTO run(verb, command, target, grammar, seed, settings, begun_ms, key, endings) "
                    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, lower(hex(randomblob(16))), 1)",
    [SQL_RUN_END] = "UPDATE run SET identity = ?2, ended_ms = ?3 WHERE id = ?1",
    [SQL_RUN_NEXT] = "SELECT seed, next_index FROM run WHERE id = ?1",
    [SQL_RUN_NEXT_SET] = "UPDATE run SET next_index = ?2 WHERE id = ?1",
    [SQL_RUN_NEXTS] =
        "SELECT next_index FROM run "
        "WHERE seed = ?1 AND grammar = ?2 AND (?3 IS NULL OR target = ?3) AND next_index IS NOT NULL",

    [SQL_RUN_REFUSED] = "UPDATE run SET refused = refused + 1 WHERE id = ?1",

    /* tasks; a column without a parameter bound to it is NULL */
    [SQL_TASK_FIND] = "SELECT id, domain IS NOT NULL FROM task WHERE hash = ?1",
    [SQL_TASK_ADD] = "INSERT INTO task(hash, domain, workflow, grammar, seed, task_index, times, mutators, parent) "
                     "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    [SQL_TASK_AGAIN] = "UPDATE task SET times = times + 1 WHERE id = ?1",
    [SQL_TASK_FILL] = "UPDATE task SET domain = ?2, workflow = ?3, grammar = ?4, seed = ?5, task_index = ?6, "
                      "mutators = ?7, parent = ?8, times = 1 WHERE id = ?1",
    [SQL_TASK_JSON] = "UPDATE task SET json = ?2 WHERE id = ?1 AND json IS NULL",

    /* executions */
    [SQL_EXEC_ADD] = "INSERT INTO exec(task, outcome, executed, skip, at_ms, ns, gained, ending, ending_op, why, run) "
                     "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    [SQL_EXEC_TASK] = "SELECT task FROM exec WHERE id = ?1",
    [SQL_EXEC_GAINED] = "UPDATE exec SET gained = ?2 WHERE id = ?1",
    [SQL_TRACE_ADD] = "INSERT INTO trace(exec, keep, bytes, steps) VALUES (?1, ?2, ?3, ?4)",
    [SQL_TRACE_OLDEST] = "SELECT exec, bytes FROM trace WHERE keep = 0 ORDER BY exec LIMIT 1",
    [SQL_TRACE_DROP] = "DELETE FROM trace WHERE exec = ?1",
    [SQL_TRACE_BYTES] = "SELECT coalesce(sum(bytes), 0) FROM trace WHERE keep = 0",

    /* features and the corpus */
    [SQL_FEATURE_ADD] = "INSERT INTO feature(hash, count, first_exec) VALUES (?1, 1, ?2)",
    [SQL_FEATURE_TRIED] = "UPDATE feature SET tries = ?2, shows = ?3, failed = ?4, text = coalesce(?5, text), admitted = ?6 WHERE hash = ?1",
    [SQL_FEATURE_MORE] = "UPDATE feature SET count = count + ?2 WHERE hash = ?1",
    [SQL_FEATURES] = "SELECT hash, count, tries, shows, failed, admitted IS NOT NULL FROM feature",
    [SQL_FEATURES_SHOWN] = "SELECT feature.hash, text, coalesce(exec.task = task.id, 0), admitted IS NOT NULL, count FROM task "
                           "JOIN task_feature ON task_feature.task = task.id JOIN feature ON feature.hash = task_feature.feature "
                           "LEFT JOIN exec ON exec.id = admitted WHERE task.hash = ?1 ORDER BY 3 DESC, count, feature.hash",
    [SQL_FEATURES_LET_IN] = "SELECT domain, count(DISTINCT admitted) FROM feature WHERE admitted IS NOT NULL GROUP BY domain",
    [SQL_FEATURES_ALONE] = "SELECT low, count(*) FROM (SELECT min(domain) AS low, max(domain) AS high FROM feature "
                           "WHERE admitted IS NOT NULL GROUP BY admitted) WHERE low = high GROUP BY low",
    [SQL_TASK_FEATURE_ADD] = "INSERT OR IGNORE INTO task_feature(task, feature) VALUES (?1, ?2)",
    [SQL_CORPUS_ADD] = "INSERT OR IGNORE INTO corpus(task, exec) VALUES (?1, ?2)",
    [SQL_PICK_MEMBERS] = "SELECT number, corpus.task, exec.ns, exec.at_ms, selected, begot, rarity, task.domain FROM corpus "
                    "JOIN task ON task.id = corpus.task JOIN exec ON exec.id = corpus.exec WHERE task.json IS NOT NULL ORDER BY number",
    [SQL_PICK_TASK] = "SELECT json FROM task WHERE id = ?1",
    [SQL_RARE_MEMBER] = "SELECT number FROM feature JOIN exec ON exec.id = feature.admitted JOIN corpus ON corpus.task = exec.task WHERE feature.hash = ?1",
    [SQL_PICK_FEATURES] = "SELECT feature FROM task_feature WHERE task = ?1",
    [SQL_PICK_SELECTED] = "UPDATE corpus SET selected = ?2, rarity = ?3 WHERE number = ?1",
    [SQL_PICK_BEGOT] = "UPDATE corpus SET begot = begot + 1 WHERE task = ?1 RETURNING number",
    [SQL_PICK_ADD] = "INSERT INTO pick(exec, member, rarity, speed, freshness, selected, before, total, draw, feature) "
                     "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    [SQL_PICK_GET] = "SELECT coalesce(corpus.number, 0), pick.rarity, speed, freshness, pick.selected, before, total, draw, task.domain, member, pick.feature, coalesce(feature.text, '') FROM pick "
                     "LEFT JOIN feature ON feature.hash = pick.feature JOIN exec ON exec.id = pick.exec JOIN task ON task.id = pick.member LEFT JOIN corpus ON corpus.task = pick.member "
                     "WHERE exec.task = (SELECT id FROM task WHERE hash = ?1) ORDER BY exec.id LIMIT 1",

    /* seeds, and where an input came from */
    [SQL_SEED_ADD] = "INSERT OR IGNORE INTO seed(task, file, line, format, run) VALUES (?1, ?2, ?3, ?4, ?5)",
    [SQL_SEED_OF] = "SELECT file, line, format FROM seed WHERE task = ?1 ORDER BY run, file, line LIMIT 1",
    [SQL_EXECUTED] = "SELECT 1 FROM task JOIN exec ON exec.task = task.id LEFT JOIN run ON run.id = exec.run "
                     "WHERE hash = ?1 AND outcome NOT IN ('harness', 'skipped') AND (?2 IS NULL OR target = ?2) LIMIT 1",
    [SQL_TASK_PREFIX] = "SELECT id FROM task WHERE hash BETWEEN ?1 AND ?2 LIMIT 2",
    [SQL_ORIGIN] = "SELECT lower(hex(hash)), domain, workflow, task.grammar, task.seed, task_index, mutators, times, parent, json, "
                   "at_ms, run.id, verb, command, target, coalesce((SELECT number FROM corpus WHERE corpus.task = ?1), 0), "
                   "EXISTS (SELECT 1 FROM retired WHERE retired.task = ?1) "
                   "FROM task LEFT JOIN exec ON exec.id = (SELECT min(id) FROM exec WHERE exec.task = ?1) "
                   "LEFT JOIN run ON run.id = exec.run WHERE task.id = ?1",

    /* what the corpus can do without; both in the order of tasks */
    [SQL_MEMBER_AFTER] = "SELECT number, task.id, lower(hex(hash)), json, (SELECT count(*) FROM task_feature WHERE task_feature.task = task.id), "
                         "gained, ns FROM corpus JOIN task ON task.id = corpus.task JOIN exec ON exec.id = corpus.exec "
                         "WHERE number > ?1 ORDER BY number LIMIT 1",
    [SQL_MEMBERS] = "SELECT corpus.task, number, hash, ns, length(CAST(json AS BLOB)) FROM corpus JOIN task ON task.id = corpus.task "
                    "JOIN exec ON exec.id = corpus.exec ORDER BY corpus.task",
    [SQL_MEMBER_FEATURES] = "SELECT task, feature FROM task_feature JOIN feature ON hash = feature WHERE admitted IS NOT NULL "
                            "ORDER BY task, feature",
    [SQL_MEMBER_RETIRE] = "INSERT OR REPLACE INTO retired(task, exec, at_ms) SELECT task, exec, ?2 FROM corpus WHERE number = ?1",
    [SQL_MEMBER_DROP] = "DELETE FROM corpus WHERE number = ?1",
    [SQL_MEMBER_RENUMBER] = "UPDATE corpus SET number = ?2 WHERE number = ?1",

    /* findings */
    [SQL_FINDING_GET] =
        "SELECT state, task_steps, length(CAST(task AS BLOB)), shrunk, client_illegal FROM finding WHERE signature = ?1",
    [SQL_FINDING_ADD] = "INSERT INTO finding(" FINDING_COLUMNS ", raw, wire, tested_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, "
                        "?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24)",
    [SQL_FINDING_SETTINGS] = "SELECT settings FROM sighting JOIN run ON run.id = sighting.run "
                             "WHERE finding = ?1 ORDER BY run.id DESC LIMIT 1",
    [SQL_FINDING_SEEN] = "UPDATE finding SET times_seen = times_seen + ?2, last_ms = max(last_ms, ?3), "
                         "client_illegal = client_illegal AND ?4, suppressed = suppressed OR ?5 "
                         "WHERE signature = ?1",
    [SQL_FINDING_TASK] = "UPDATE finding SET task = ?2, task_steps = ?3, title = ?4, evidence = ?5, "
                         "target = ?6, identity = ?7, wire = ?8, shrunk = 0 WHERE signature = ?1",
    [SQL_FINDING_SHRUNK] = "UPDATE finding SET shrunk = ?2 WHERE signature = ?1",
    [SQL_FINDING_STATE] = "UPDATE finding SET state = ?2, n_failed = ?3, n_run = ?4, tested_ms = ?5 WHERE signature = ?1",
    [SQL_FINDING_RENAME] = "INSERT INTO finding(" FINDING_COLUMNS ", raw, shrunk, wire, tested_ms) "
                           "SELECT ?2, ?3, layer, primitive, kind, op, ?4, title, evidence, target, identity, state, n_failed, n_run, "
                           "times_seen, first_ms, last_ms, client_illegal, suppressed, task_steps, task, raw, shrunk, wire, tested_ms "
                           "FROM finding WHERE signature = ?1",
    /* What both have in common; the task, the state and what belongs to them are the caller's business. */
    [SQL_FINDING_MERGE] = "UPDATE finding SET times_seen = finding.times_seen + old.times_seen, "
                          "first_ms = min(finding.first_ms, old.first_ms), last_ms = max(finding.last_ms, old.last_ms), "
                          "client_illegal = finding.client_illegal AND old.client_illegal, "
                          "suppressed = finding.suppressed AND old.suppressed "
                          "FROM finding AS old WHERE finding.signature = ?2 AND old.signature = ?1",
    [SQL_FINDING_DROP] = "DELETE FROM finding WHERE signature = ?1",
    [SQL_SIGHTING_MERGE] = "INSERT INTO sighting(finding, run, times) SELECT ?2, run, times FROM sighting WHERE finding = ?1 "
                           "ON CONFLICT (finding, run) DO UPDATE SET times = times + excluded.times",
    [SQL_SIGHTING_DROP] = "DELETE FROM sighting WHERE finding = ?1",
    [SQL_ALIAS_ADD] = "INSERT INTO alias(signature, finding) VALUES (?1, ?2) ON CONFLICT (signature) DO UPDATE SET finding = excluded.finding",
    [SQL_ALIAS_MOVE] = "UPDATE alias SET finding = ?2 WHERE finding = ?1",
    [SQL_ALIAS_DROP] = "DELETE FROM alias WHERE signature = ?1",
    [SQL_ALIASES] = "SELECT signature FROM alias WHERE finding = ?1 ORDER BY signature",
    [SQL_SIGHTING_ADD] = "INSERT INTO sighting(finding, run, times) VALUES (?1, ?2, ?3) "
                         "ON CONFLICT (finding, run) DO UPDATE SET times = times + excluded.times",
    [SQL_FINDINGS] =
        "SELECT " FINDING_COLUMNS ", shrunk, raw, wire, tested_ms FROM finding "
        "WHERE substr(signature, 1, length(?1)) = lower(?1) OR (?1 <> '' AND signature IN "
        "(SELECT finding FROM alias WHERE substr(alias.signature, 1, length(?1)) = lower(?1))) "
        "ORDER BY client_illegal, CASE state WHEN 'regressed' THEN 0 WHEN 'confirmed' THEN 1 WHEN 'flaky' THEN 2 "
        "WHEN 'new' THEN 3 WHEN 'unconfirmed' THEN 4 ELSE 5 END, detail LIKE 'should: %' OR detail LIKE 'contract: %', times_seen DESC, signature",

    /* totals, counters, the time series */
    [SQL_TOTAL_RUNS] = "SELECT count(*) FROM run",
    [SQL_TOTAL_EXECS] =
        "SELECT count(*), total(executed AND outcome <> 'harness'), total(outcome = 'passed'), "
        "total(outcome = 'failed'), total(outcome = 'skipped'), total(outcome = 'harness') "
        "FROM exec",
    [SQL_TOTAL_KEPT] = "SELECT (SELECT count(*) FROM task) - (SELECT count(*) FROM task WHERE times = 0), "
                       "(SELECT count(*) FROM corpus), (SELECT count(*) FROM feature WHERE admitted IS NOT NULL)",
    [SQL_TOTAL_FINDINGS] = "SELECT count(*), total(state = 'confirmed') FROM finding "
                           "WHERE state <> 'unconfirmed'",
    [SQL_SKIPS] = "SELECT skip, count(*) FROM exec WHERE skip IS NOT NULL GROUP BY skip ORDER BY 2 DESC, 1",

    /* by target; executions of no run have the target "" */
    [SQL_SIDES] = "SELECT target, count(*), total(endings), total(refused), min(begun_ms), max(coalesce(ended_ms, begun_ms)), "
                  "total(ended_ms IS NULL) FROM run GROUP BY target ORDER BY min(id)",
    [SQL_SIDE_IDENTITIES] = "SELECT target, identity FROM run WHERE identity <> '' GROUP BY 1, 2 ORDER BY min(id)",
    [SQL_WORKLOADS] = "SELECT coalesce(target, ''), coalesce(domain, ''), coalesce(workflow, ''), coalesce(mutators, ''), outcome, "
                      "coalesce(ending, ''), coalesce(ending_op, ''), coalesce(endings, 0), exec.ns, coalesce(why, '') FROM exec "
                      "JOIN task ON task.id = exec.task LEFT JOIN run ON run.id = exec.run",
    [SQL_SIGHTINGS] = "SELECT finding, target, sum(times) FROM sighting JOIN run ON run.id = sighting.run GROUP BY 1, 2 ORDER BY 1, min(run.id)",
    [SQL_COUNTER_ADD] = "INSERT INTO counter(kind, name, tried, won, ns) VALUES (?1, ?2, ?3, ?4, ?5) "
                        "ON CONFLICT (kind, name) DO UPDATE "
                        "SET tried = tried + excluded.tried, won = won + excluded.won, ns = ns + excluded.ns",
    [SQL_COUNTERS] = "SELECT name, tried, won, ns FROM counter WHERE kind = ?1 ORDER BY name",
    [SQL_STATS] = "SELECT at_ms, run, executions, features, corpus, findings FROM stat ORDER BY at_ms, run",
    [SQL_STAT_ADD] = "INSERT INTO stat(run, at_ms, executions, features, corpus, findings) SELECT ?1, ?2, "
                     "(SELECT coalesce(max(id), 0) FROM exec), ?3, (SELECT count(*) FROM corpus), "
                     "(SELECT count(*) FROM finding WHERE state <> 'unconfirmed')",
    [SQL_META_PUT] = "INSERT INTO meta(name, value) VALUES (?1, ?2) "
                     "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    [SQL_META_GET] = "SELECT value FROM meta WHERE name = ?1",
};

int store_fault(const struct store *s, int result, struct error **err)
{
    char why[400]; /* may quote what stands in a damaged file: it stays one line */
    snprintf(why, sizeof why, "%s", s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(result));
    for (char *c = why; *c; c++)
        *c = (unsigned char)*c < 32 || *c == 127 ? '?' : *c;
    switch (result & 0xff) {
    case SQLITE_NOTADB:
        return error_set(err, ERR_INPUT, "'%s' is not a database", s->path);
    case SQLITE_CORRUPT:
    case SQLITE_ERROR: /* our statements do not fit its tables */
    case SQLITE_SCHEMA:
        return error_set(err, ERR_INPUT, "'%s' is damaged: %s", s->path, why);
    default:
        break;
    }
    if (result == SQLITE_CONSTRAINT_CHECK) /* what we write fits the rules of our own tables */
        return error_set(err, ERR_INPUT, "'%s' is damaged: %s", s->path, why);
    int code = s->writes ? ERR_OUTPUT : ERR_INPUT;
    int errnum = s->db ? sqlite3_system_errno(s->db) : 0;
    const char *verb = s->writes ? "write" : "read";
    if (errnum && ((result & 0xff) == SQLITE_IOERR || (result & 0xff) == SQLITE_CANTOPEN))
        return error_set(err, code, "cannot %s '%s': %s: %s", verb, s->path, why, strerror(errnum));
    return error_set(err, code, "cannot %s '%s': %s", verb, s->path, why);
}

int store_exec_sql(struct store *s, const char *sql, struct error **err)
{
    int result = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
    return result == SQLITE_OK ? 0 : store_fault(s, result, err);
}

int store_prepare(struct store *s, struct error **err)
{
    for (int i = 0; i < SQL_STATEMENTS; i++) {
        int result = sqlite3_prepare_v3(s->db, texts[i], -1, SQLITE_PREPARE_PERSISTENT, &s->statements[i],
                                        NULL);
        if (result != SQLITE_OK)
            return store_fault(s, result, err);
    }
    return 0;
}

void store_finalize(struct store *s)
{
    for (int i = 0; i < SQL_STATEMENTS; i++) {
        sqlite3_finalize(s->statements[i]);
        s->statements[i] = NULL;
    }
}

/* Every text on its way into the file passes here. */
static int bind_clean(const struct store *s, sqlite3_stmt *statement, int at, struct bytes text)
{
    if (!redact_finds(s->secrets, text, NULL))
        return sqlite3_bind_text64(statement, at, text.data ? (const char *)text.data : "", text.len, SQLITE_STATIC, SQLITE_UTF8);
    struct buf clean;
    buf_init(&clean, SIZE_MAX);
    redact_into(s->secrets, text, NULL, REDACT_WHOLE, &clean);
    int result = sqlite3_bind_text64(statement, at, buf_string(&clean), clean.len, SQLITE_TRANSIENT, SQLITE_UTF8);
    buf_release(&clean);
    return result;
}

static int bind_text(const struct store *s, sqlite3_stmt *statement, int at, const char *text, bool null)
{
    if (!text && null)
        return sqlite3_bind_null(statement, at);
    return bind_clean(s, statement, at, bytes_of_string(text));
}

static int bind_bytes(const struct store *s, sqlite3_stmt *statement, int at, struct bytes b, bool text)
{
    const char *data = b.data ? (const char *)b.data : "";
    return text ? bind_clean(s, statement, at, b) : sqlite3_bind_blob64(statement, at, data, b.len, SQLITE_STATIC);
}

static int bind_all(const struct store *s, sqlite3_stmt *statement, const char *types, va_list values)
{
    int result = SQLITE_OK;
    for (int at = 1; types[at - 1] && result == SQLITE_OK; at++) {
        char type = types[at - 1];
        if (type == 'i')
            result = sqlite3_bind_int64(statement, at, va_arg(values, int64_t));
        else if (type == 'r')
            result = sqlite3_bind_double(statement, at, va_arg(values, double));
        else if (type == 's' || type == 't')
            result = bind_text(s, statement, at, va_arg(values, const char *), type == 't');
        else if (type == 'b' || type == 'j')
            result = bind_bytes(s, statement, at, va_arg(values, struct bytes), type == 'j');
        else
            result = sqlite3_bind_null(statement, at);
    }
    return result;
}

int store_next(struct store *s, enum store_statement which, struct error **err)
{
    int result = sqlite3_step(s->statements[which]);
    if (result == SQLITE_ROW)
        return 1;
    int status = result == SQLITE_DONE ? 0 : store_fault(s, result, err);
    store_done(s, which);
    return status;
}

int store_step(struct store *s, enum store_statement which, struct error **err, const char *types, ...)
{
    va_list values;
    va_start(values, types);
    int result = bind_all(s, s->statements[which], types, values);
    va_end(values);
    if (result != SQLITE_OK) {
        int status = store_fault(s, result, err);
        store_done(s, which);
        return status;
    }
    return store_next(s, which, err);
}

void store_done(struct store *s, enum store_statement which)
{
    sqlite3_reset(s->statements[which]);
    sqlite3_clear_bindings(s->statements[which]);
}

int store_did(struct store *s, enum store_statement which, int status)
{
    if (status > 0)
        store_done(s, which);
    return status < 0 ? status : 0;
}

int64_t store_integer(const struct store *s, enum store_statement which, int column)
{
    return sqlite3_column_int64(s->statements[which], column);
}

double store_real(const struct store *s, enum store_statement which, int column)
{
    return sqlite3_column_double(s->statements[which], column);
}

char *store_text(const struct store *s, enum store_statement which, int column, struct arena *a)
{
    const void *text = sqlite3_column_text(s->statements[which], column);
    int len = sqlite3_column_bytes(s->statements[which], column);
    return arena_string(a, bytes_of(text, text && len > 0 ? (size_t)len : 0));
}
