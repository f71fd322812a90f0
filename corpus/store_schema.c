/* The tables, and how a database of an older taskgen becomes one of this. docs/database.md explains every
 * column.
 *
 * Invariant: a step that was ever released is never changed; what changes the tables is a new step at the
 * end. All steps that a database needs run in one transaction together with the new version number, so a
 * kill in between leaves the old one. */
#include "corpus/store_internal.h"

#include <stdio.h>

static const char version_1[] =
    "CREATE TABLE meta("
    "  name TEXT PRIMARY KEY NOT NULL,"
    "  value ANY"
    ") STRICT, WITHOUT ROWID;"

    "CREATE TABLE run("
    "  id INTEGER PRIMARY KEY,"
    "  verb TEXT NOT NULL,"
    "  command TEXT NOT NULL,"
    "  target TEXT NOT NULL,"
    "  identity TEXT,"
    "  grammar TEXT NOT NULL,"
    "  seed INTEGER NOT NULL,"
    "  next_index INTEGER,"
    "  settings TEXT NOT NULL,"
    "  begun_ms INTEGER NOT NULL,"
    "  ended_ms INTEGER"
    ") STRICT;"

    "CREATE TABLE task("
    "  id INTEGER PRIMARY KEY,"
    "  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 16),"
    "  domain TEXT,"
    "  workflow TEXT,"
    "  grammar TEXT,"
    "  seed INTEGER,"
    "  task_index INTEGER,"
    "  parent INTEGER REFERENCES task(id),"
    "  times INTEGER NOT NULL,"
    "  json TEXT"
    ") STRICT;"
    "CREATE INDEX task_bare ON task(id) WHERE times = 0;"

    "CREATE TABLE exec("
    "  id INTEGER PRIMARY KEY,"
    "  run INTEGER REFERENCES run(id),"
    "  task INTEGER NOT NULL REFERENCES task(id),"
    "  outcome TEXT NOT NULL CHECK (outcome IN ('passed', 'failed', 'skipped', 'harness')),"
    "  executed INTEGER NOT NULL CHECK (executed IN (0, 1)),"
    "  skip TEXT,"
    "  at_ms INTEGER NOT NULL,"
    "  ns INTEGER NOT NULL,"
    "  gained INTEGER NOT NULL"
    ") STRICT;"
    "CREATE INDEX exec_skip ON exec(skip) WHERE skip IS NOT NULL;"

    "CREATE TABLE trace("
    "  exec INTEGER PRIMARY KEY REFERENCES exec(id),"
    "  keep INTEGER NOT NULL CHECK (keep IN (0, 1)),"
    "  bytes INTEGER NOT NULL,"
    "  steps TEXT NOT NULL"
    ") STRICT;"
    "CREATE INDEX trace_spare ON trace(exec, bytes) WHERE keep = 0;"

    "CREATE TABLE feature("
    "  hash INTEGER PRIMARY KEY,"
    "  domain INTEGER NOT NULL GENERATED ALWAYS AS ((hash >> 56) & 255) VIRTUAL,"
    "  count INTEGER NOT NULL,"
    "  first_exec INTEGER NOT NULL REFERENCES exec(id)"
    ") STRICT;"

    "CREATE TABLE corpus("
    "  number INTEGER PRIMARY KEY,"
    "  task INTEGER NOT NULL UNIQUE REFERENCES task(id),"
    "  exec INTEGER NOT NULL REFERENCES exec(id)"
    ") STRICT;"

    "CREATE TABLE task_feature("
    "  task INTEGER NOT NULL REFERENCES task(id),"
    "  feature INTEGER NOT NULL REFERENCES feature(hash),"
    "  PRIMARY KEY (task, feature)"
    ") STRICT, WITHOUT ROWID;"

    "CREATE TABLE finding("
    "  signature TEXT PRIMARY KEY NOT NULL CHECK (length(signature) = 16),"
    "  text TEXT NOT NULL,"
    "  layer TEXT NOT NULL,"
    "  primitive TEXT NOT NULL,"
    "  kind TEXT NOT NULL,"
    "  op TEXT NOT NULL,"
    "  detail TEXT NOT NULL,"
    "  title TEXT NOT NULL,"
    "  evidence TEXT NOT NULL,"
    "  target TEXT NOT NULL,"
    "  identity TEXT NOT NULL,"
    "  state TEXT NOT NULL"
    "    CHECK (state IN ('new', 'confirmed', 'flaky', 'unconfirmed', 'fixed', 'regressed')),"
    "  n_failed INTEGER NOT NULL,"
    "  n_run INTEGER NOT NULL,"
    "  times_seen INTEGER NOT NULL,"
    "  first_ms INTEGER NOT NULL,"
    "  last_ms INTEGER NOT NULL,"
    "  client_illegal INTEGER NOT NULL CHECK (client_illegal IN (0, 1)),"
    "  suppressed INTEGER NOT NULL CHECK (suppressed IN (0, 1)),"
    "  task_steps INTEGER NOT NULL,"
    "  task TEXT NOT NULL"
    ") STRICT, WITHOUT ROWID;"

    "CREATE TABLE sighting("
    "  finding TEXT NOT NULL REFERENCES finding(signature),"
    "  run INTEGER NOT NULL REFERENCES run(id),"
    "  times INTEGER NOT NULL,"
    "  PRIMARY KEY (finding, run)"
    ") STRICT, WITHOUT ROWID;"

    "CREATE TABLE counter("
    "  kind TEXT NOT NULL,"
    "  name TEXT NOT NULL,"
    "  tried INTEGER NOT NULL,"
    "  won INTEGER NOT NULL,"
    "  PRIMARY KEY (kind, name)"
    ") STRICT, WITHOUT ROWID;"

    "CREATE TABLE stat("
    "  run INTEGER NOT NULL REFERENCES run(id),"
    "  at_ms INTEGER NOT NULL,"
    "  executions INTEGER NOT NULL,"
    "  features INTEGER NOT NULL,"
    "  corpus INTEGER NOT NULL,"
    "  findings INTEGER NOT NULL"
    ") STRICT;"

    "INSERT INTO meta VALUES ('made_ms', unixepoch() * 1000), ('sqlite', sqlite_version());";

/* Whether the task of a finding was made smaller yet. */
static const char version_2[] =
    "ALTER TABLE finding ADD COLUMN shrunk INTEGER NOT NULL DEFAULT 0 CHECK (shrunk IN (0, 1, 2));";

/* Details as checks said them, so that other rules can be put to them; the old signatures of findings that such rules renamed. */
static const char version_3[] =
    "ALTER TABLE finding ADD COLUMN raw TEXT NOT NULL DEFAULT '';"
    "UPDATE finding SET raw = detail;"
    "CREATE TABLE alias("
    "  signature TEXT PRIMARY KEY NOT NULL CHECK (length(signature) = 16),"
    "  finding TEXT NOT NULL REFERENCES finding(signature)"
    ") STRICT, WITHOUT ROWID;";

/* What a script needs to show a finding without taskgen. */
static const char version_4[] = "ALTER TABLE finding ADD COLUMN wire TEXT NOT NULL DEFAULT '';";

/* Where inputs come from, and who each run is wherever its rows are copied to; members that left the corpus. The key of a run from
 * before is made of what its copies have in common too. */
static const char version_5[] =
    "ALTER TABLE run ADD COLUMN key TEXT;"
    "UPDATE run SET key = printf('%x-%x-%x-%x', (SELECT value FROM meta WHERE name = 'made_ms'), id, begun_ms, seed);"
    "CREATE UNIQUE INDEX run_key ON run(key);"
    "ALTER TABLE task ADD COLUMN mutators TEXT;"
    "CREATE INDEX exec_task ON exec(task);"
    "CREATE TABLE seed("
    "  task INTEGER NOT NULL REFERENCES task(id),"
    "  file TEXT NOT NULL,"
    "  line INTEGER NOT NULL,"
    "  format TEXT NOT NULL,"
    "  run INTEGER NOT NULL REFERENCES run(id),"
    "  PRIMARY KEY (task, file, line)"
    ") STRICT, WITHOUT ROWID;"
    "CREATE TABLE retired("
    "  task INTEGER PRIMARY KEY REFERENCES task(id),"
    "  exec INTEGER NOT NULL REFERENCES exec(id),"
    "  at_ms INTEGER NOT NULL"
    ") STRICT;";

/* What the choice of members to mutate depends on, and how each choice was made. */
static const char version_6[] =
    "ALTER TABLE corpus ADD COLUMN selected INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE corpus ADD COLUMN begot INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE corpus ADD COLUMN rarity REAL;"
    "ALTER TABLE counter ADD COLUMN ns INTEGER NOT NULL DEFAULT 0;"
    "CREATE TABLE pick("
    "  exec INTEGER PRIMARY KEY REFERENCES exec(id),"
    "  member INTEGER NOT NULL REFERENCES task(id),"
    "  rarity REAL NOT NULL,"
    "  speed REAL NOT NULL,"
    "  freshness REAL NOT NULL,"
    "  selected INTEGER NOT NULL,"
    "  before REAL NOT NULL,"
    "  total REAL NOT NULL,"
    "  draw REAL NOT NULL"
    ") STRICT;";

/* Features are tried again before they let a task into the corpus; those of older databases did so when they were first seen. */
static const char version_7[] =
    "ALTER TABLE feature ADD COLUMN admitted INTEGER REFERENCES exec(id);"
    "ALTER TABLE feature ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE feature ADD COLUMN shows INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE feature ADD COLUMN failed INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE feature ADD COLUMN text TEXT NOT NULL DEFAULT '';"
    "UPDATE feature SET admitted = first_exec;";

/* When a finding was last tried in fresh sessions; until now that was right after its first sight. */
static const char version_8[] =
    "ALTER TABLE finding ADD COLUMN tested_ms INTEGER NOT NULL DEFAULT 0;"
    "UPDATE finding SET tested_ms = first_ms WHERE n_run > 0;";

/* A parent may have been picked for one feature. */
static const char version_9[] = "ALTER TABLE pick ADD COLUMN feature INTEGER NOT NULL DEFAULT 0;";

/* How sessions ended, and how many could not be had. Nobody wrote that down before, which is not the same as that all ended well. */
static const char version_10[] =
    "ALTER TABLE exec ADD COLUMN ending TEXT;"
    "ALTER TABLE exec ADD COLUMN ending_op TEXT;"
    "ALTER TABLE run ADD COLUMN endings INTEGER NOT NULL DEFAULT 0 CHECK (endings IN (0, 1));"
    "ALTER TABLE run ADD COLUMN refused INTEGER NOT NULL DEFAULT 0;";

/* Why tasks failed, in words. */
static const char version_11[] = "ALTER TABLE exec ADD COLUMN why TEXT;";

const struct store_step store_schema_steps[STORE_SCHEMA] = {{version_1}, {version_2}, {version_3}, {version_4}, {version_5},
                                                            {version_6}, {version_7}, {version_8}, {version_9}, {version_10}, {version_11}};

static int ask(struct store *s, const char *sql, int64_t *value, struct error **err)
{
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(s->db, sql, -1, &statement, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_step(statement);
    int status = 0;
    if (result == SQLITE_ROW)
        *value = sqlite3_column_int64(statement, 0);
    else
        status = store_fault(s, result, err);
    sqlite3_finalize(statement);
    return status;
}

int store_schema_look(struct store *s, int *version, struct error **err)
{
    int64_t id = 0, user_version = 0, tables = 0;
    TRY(ask(s, "PRAGMA application_id", &id, err));
    TRY(ask(s, "PRAGMA user_version", &user_version, err));
    TRY(ask(s, "SELECT count(*) FROM sqlite_schema", &tables, err));
    if (id == 0 && user_version == 0 && tables == 0 && s->writes) {
        *version = 0;
        return 0;
    }
    if (id != STORE_APPLICATION_ID)
        return error_set(err, ERR_INPUT, "'%s' is not a database of taskgen", s->path);
    if (user_version > s->step_count)
        return error_set(err, ERR_INPUT,
                         "'%s' was made by a newer taskgen: its schema has version %lld, expected at most %d",
                         s->path, (long long)user_version, s->step_count);
    if (user_version < 1)
        return error_set(err, ERR_INPUT, "'%s' is damaged: its schema has version %lld", s->path,
                         (long long)user_version);
    *version = (int)user_version;
    return 0;
}

static int run_steps(struct store *s, int version, struct error **err)
{
    char sql[80];
    for (int i = version; i < s->step_count; i++)
        TRY(store_exec_sql(s, s->steps[i].sql, err));
    snprintf(sql, sizeof sql, "PRAGMA application_id = %d; PRAGMA user_version = %d", STORE_APPLICATION_ID,
             s->step_count);
    TRY(store_exec_sql(s, sql, err));
    return store_exec_sql(s, "COMMIT", err);
}

int store_schema_migrate(struct store *s, int version, struct error **err)
{
    if (version >= s->step_count)
        return 0;
    TRY(store_exec_sql(s, "BEGIN IMMEDIATE", err));
    int status = run_steps(s, version, err);
    if (status < 0) {
        if (!sqlite3_get_autocommit(s->db))
            sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
        if (version > 0)
            error_wrap(err, "bringing its schema from version %d to %d", version, s->step_count);
    }
    return status;
}
