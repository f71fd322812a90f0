/* Any file: its bytes are put into a file of the sandbox and read back. */
#include "gen/import/import_internal.h"

enum { WORDS_MAX = 32, TOKEN_FILE_MAX = 64 };

static bool fits(const struct import_source *s)
{
    return true;
}

static int read_plain(struct import_source *s)
{
    if (s->text.len > IMPORT_FILE_MAX)
        return import_fault(s, 0, "%zu bytes, expected at most %d of a file without lines of tasks", s->text.len, IMPORT_FILE_MAX);
    struct task *t = import_task(&import_plain);
    const char *path = import_clean_path(&t->arena, bytes_of_string(s->name));
    t->instruction = arena_printf(&t->arena, "Put %zu bytes into %s and read them back.", s->text.len, path);
    import_put_file(s->im, t, path, s->text, true);
    /* A file of a few bytes is a token itself, as AFL's directories of tokens are. */
    if (s->im->words && s->text.len <= TOKEN_FILE_MAX)
        dictionary_add(s->im->words, s->text);
    else if (s->im->words)
        dictionary_add_words(s->im->words, s->text, WORDS_MAX);
    return import_add(s, t, 0, import_plain.format.name);
}

const struct import_row import_plain = {
    .format = {.name = "plain", .summary = "any other file: its bytes are put into a file of the sandbox and read back"},
    .fits = fits,
    .read = read_plain,
};
