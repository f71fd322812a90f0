/* zip and tar: small texts in folders, and where asked for one given content in front of them. */
#include <inttypes.h>

#include "base/error.h"
#include "gen/recipes/members.h"
#include "gen/recipes/octets.h"

enum {
    FILES_MAX = 5000,
    LINES_MAX = 1000,
    LINES_ALL_MAX = 200000,
    WORDS_A_LINE = 6,
    DEPTH = 12,
    LONG_UNITS = 14
};

static const char *const name_kinds[] = {"ascii", "unicode", "spaces", "deep", "long", "mixed", NULL};
static const char *const compressions[] = {"none", "gzip", NULL};
static const char *const folders[] = {"docs", "src", "data", "notes/2025", "data/raw"};
static const char *const unicode_folders[] = {"Dokumente/Größe", "отчёты", "資料/報告書", "données", "ملف"};
static const char *const stems[] = {"report", "table", "list", "summary", "draft", "index", "sample", "plan"};

/* Each name has its number in it, so none is there twice. The last folder of "long" passes what a ustar name
 * can hold. */
static struct bytes member_name(struct members *m, struct rng *rng, unsigned kind, int64_t number)
{
    const char *stem = stems[rng_below(rng, 8)];
    uint64_t folder = rng_below(rng, 5);
    struct buf name;
    buf_init(&name, 1 << 10);
    if (kind == 1)
        buf_addf(&name, "%s/%s ñ-%" PRId64 " ✓.txt", unicode_folders[folder], stem, number);
    else if (kind == 2)
        buf_addf(&name, "%s/my %s (%" PRId64 ") & more.txt", folders[folder], stem, number);
    else if (kind == 0)
        buf_addf(&name, "%s/%s-%" PRId64 ".txt", folders[folder], stem, number);
    for (int i = 0; kind == 3 && i < DEPTH; i++)
        buf_addf(&name, "level-%d/", i + 1);
    for (int i = 0; kind == 4 && i < LONG_UNITS; i++)
        buf_addf(&name, "%s-", stems[(number + i) % 8]);
    if (kind > 2)
        buf_addf(&name, "%s-%" PRId64 ".txt", stem, number);
    struct bytes copy = arena_copy(m->arena, buf_bytes(&name));
    buf_release(&name);
    return copy;
}

static unsigned name_kind(const struct json *parameters, int64_t index)
{
    unsigned kind = 0;
    while (!bytes_equal_string(recipe_bytes(parameters, "names"), name_kinds[kind]))
        kind++;
    return kind < 5 ? kind : (unsigned)(index % 5);
}

static void add_file(struct members *m, const struct json *parameters, int64_t index)
{
    struct rng rng;
    recipe_rng(&rng, parameters, STREAM_MEMBERS, (uint64_t)index);
    struct bytes name = member_name(m, &rng, name_kind(parameters, index), index + 1);
    struct buf text;
    buf_init(&text, RECIPE_MAKE_MAX);
    int64_t lines = recipe_int(parameters, "lines");
    for (int64_t i = 0; i < lines; i++) {
        recipe_words(&rng, BYTES_LITERAL("ascii"), WORDS_A_LINE, &text);
        buf_add_byte(&text, '\n');
    }
    members_add(m, name, arena_copy(m->arena, buf_bytes(&text)), 0644);
    buf_release(&text);
}

static int add_given(struct members *m, const struct json *parameters, size_t max, struct error **err)
{
    struct bytes name = recipe_bytes(parameters, "file-name");
    if (!name.len)
        return 0;
    struct buf data;
    buf_init(&data, max);
    int status = content_make(recipe_content(parameters, "of"), max, &data, err);
    if (status == 0)
        members_add(m, name, arena_copy(m->arena, buf_bytes(&data)), 0644);
    buf_release(&data);
    return status;
}

/* tar alone has executables and a link; zip has neither parameter. */
static void add_special(struct members *m, const struct json *parameters)
{
    int64_t executables = recipe_int(parameters, "executables");
    for (int64_t i = 1; i <= executables; i++) {
        struct bytes text = BYTES_LITERAL("#!/bin/sh\necho ready\n");
        members_add(m, bytes_of_string(arena_printf(m->arena, "bin/run-%" PRId64 ".sh", i)), text, 0755);
    }
    if (recipe_bool(parameters, "symlink")) {
        members_add(m, BYTES_LITERAL("releases/1.0.txt"), BYTES_LITERAL("release 1.0\n"), 0644);
        members_add_link(m, BYTES_LITERAL("latest"), BYTES_LITERAL("releases/1.0.txt"));
    }
}

static int list_members(struct members *m, const struct json *parameters, size_t max, struct error **err)
{
    TRY(add_given(m, parameters, max, err));
    int64_t files = recipe_int(parameters, "files");
    for (int64_t i = 0; i < files; i++)
        add_file(m, parameters, i);
    if (json_get(parameters, "symlink"))
        add_special(m, parameters);
    return 0;
}

static int zip_make(const struct json *parameters, struct buf *out, struct error **err)
{
    struct arena scratch;
    struct members m;
    arena_init(&scratch);
    members_init(&m, &scratch);
    int status = list_members(&m, parameters, recipe_stage_max(out), err);
    if (status == 0) {
        members_zip(&m, out);
        status = recipe_made(out, "zip", err);
    }
    arena_release(&scratch);
    return status;
}

static int tar_make(const struct json *parameters, struct buf *out, struct error **err)
{
    struct arena scratch;
    struct members m;
    struct buf plain;
    arena_init(&scratch);
    members_init(&m, &scratch);
    buf_init(&plain, recipe_stage_max(out));
    int status = list_members(&m, parameters, plain.max, err);
    if (status == 0) {
        bool packed = bytes_equal_string(recipe_bytes(parameters, "compress"), "gzip");
        members_tar(&m, packed ? &plain : out);
        if (packed)
            octets_gzip(out, BYTES_NONE, buf_bytes(&plain));
        status = recipe_made(plain.overflow ? &plain : out, "tar", err);
    }
    buf_release(&plain);
    arena_release(&scratch);
    return status;
}

static struct json *archive_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    struct arena scratch;
    struct members m;
    struct json *fact = NULL;
    arena_init(&scratch);
    members_init(&m, &scratch);
    if (list_members(&m, parameters, RECIPE_MAKE_MAX, NULL) == 0)
        fact = members_fact(&m, name, a);
    arena_release(&scratch);
    return fact;
}

/* A name that stays inside the folder it is unpacked in, and fits. */
static int archive_check(const struct json *parameters, const char *where, struct error **err)
{
    struct bytes name = recipe_bytes(parameters, "file-name");
    TRY(recipe_check_line(parameters, "file-name", where, err));
    bool dots = bytes_equal_string(name, "..") || bytes_starts(name, BYTES_LITERAL("../")) ||
                bytes_ends(name, BYTES_LITERAL("/..")) || bytes_find(name, BYTES_LITERAL("/../"), 0) >= 0;
    if (dots || bytes_starts(name, BYTES_LITERAL("/")) || bytes_ends(name, BYTES_LITERAL("/")))
        return error_set(err, ERR_INPUT,
                         "%s: file-name: found '%.*s', expected a path below the archive's root", where,
                         BYTES_ARG(name));
    if (recipe_int(parameters, "files") * recipe_int(parameters, "lines") > LINES_ALL_MAX)
        return error_set(err, ERR_INPUT,
                         "%s: files: found files with more than %d lines in all, expected fewer", where,
                         LINES_ALL_MAX);
    return 0;
}

/* A plain archive of texts may be UTF-8, with NULs. */
static int tar_utf8(const struct json *parameters)
{
    return bytes_equal_string(recipe_bytes(parameters, "compress"), "gzip") ? 0 : -1;
}

/* deep: in twelve folders; long: more than 100 bytes, which a plain tar header cannot hold. */
#define ARCHIVE_PARAMETERS                                                                                   \
    {"files", "5", "small texts in folders", RECIPE_INT, 0, FILES_MAX, NULL},                                \
        {"lines", "4", "lines of each of them", RECIPE_INT, 0, LINES_MAX, NULL},                             \
        {"names", "\"ascii\"", "how they are named; mixed: in turn", RECIPE_ONE_OF, 0, 0, name_kinds},       \
        {"file-name", "\"\"", "of a first member; empty: there is none", RECIPE_BYTES, 0, 255, NULL},        \
        {"of", "\"\"", "content of that member", RECIPE_CONTENT, 0, 0, NULL}, RECIPE_SEED

static const struct recipe_parameter zip_parameters[] = {ARCHIVE_PARAMETERS};

static const struct recipe_parameter tar_parameters[] = {
    ARCHIVE_PARAMETERS,
    {"compress", "\"none\"", "gzip: as .tar.gz", RECIPE_ONE_OF, 0, 0, compressions},
    {"executables", "0", "scripts bin/run-1.sh ... of mode 0755 at the end", RECIPE_INT, 0, 100, NULL},
    {"symlink", "false", "adds releases/1.0.txt and a symbolic link to it, latest", RECIPE_BOOL, 0, 0, NULL},
};

static const char *const facts[] = {MEMBERS_FACTS, NULL};

const struct recipe recipe_zip = {
    .name = "zip",
    .doc = "a ZIP archive of texts or of a given content, stored and not compressed; names long: more than "
           "100 bytes, deep: in twelve folders",
    .parameters = zip_parameters,
    .parameter_count = sizeof zip_parameters / sizeof *zip_parameters,
    .facts = facts,
    .make = zip_make,
    .fact = archive_fact,
    .check = archive_check,
};

const struct recipe recipe_tar = {
    .name = "tar",
    .doc = "a tar archive (POSIX ustar, pax for long names) of texts or of a given content; names as in zip",
    .parameters = tar_parameters,
    .parameter_count = sizeof tar_parameters / sizeof *tar_parameters,
    .facts = facts,
    .make = tar_make,
    .fact = archive_fact,
    .check = archive_check,
    .utf8 = tar_utf8,
};
