/* text: words of a script in an encoding. Lines do not depend on each other; the facts are of the text,
 * before it is encoded, and do not count a byte order mark. */
#include "base/error.h"
#include "base/utf8.h"
#include "gen/charset.h"
#include "gen/recipes/recipes.h"

enum { WORDS_PER_LINE_MAX = 1000, WORDS_MAX = 4000000, WORD_LIST_MAX = 16 };

/* Every word of a script holds at least one character that makes it that script. */
struct script {
    const char *name;
    const char *words[WORD_LIST_MAX + 1]; /* NULL-terminated */
};

static const struct script scripts[] = {
    {"ascii",
     {"report", "table", "value", "total", "sample", "result", "model", "price", "line", "column", "file",
      "list", "number", "record", "answer", "index"}},
    {"latin",
     {"café", "naïve", "über", "straße", "señor", "façade", "Ångström", "crème", "jalapeño", "garçon",
      "élève", "größe", "niño", "smørrebrød", "æon", "déjà"}},
    {"cyrillic",
     {"отчёт", "таблица", "значение", "итог", "пример", "данные", "файл", "строка", "число", "цена",
      "количество", "имя", "год", "список", "модель", "ответ"}},
    {"cjk",
     {"表計算", "能力", "十分", "予定", "日本語", "ソース", "データ", "ファイル", "報告書", "名前", "数量",
      "価格", "東京", "大阪", "テスト", "ひらがな"}},
    {"arabic", {"تقرير", "جدول", "قيمة", "مجموع", "مثال", "بيانات", "ملف", "سطر"}},
    {"emoji", {"😀", "👩‍💻", "🇩🇪", "👍🏽", "❤️", "🧪", "👨‍👩‍👧‍👦", "🚀"}},
};

enum { SCRIPTS = sizeof scripts / sizeof *scripts };

static const char *const script_names[] = {"auto",   "ascii", "latin", "cyrillic", "cjk",
                                           "arabic", "emoji", "mixed", NULL};

static const struct script *find_script(struct bytes name)
{
    for (size_t i = 0; i < SCRIPTS; i++)
        if (bytes_equal_string(name, scripts[i].name))
            return &scripts[i];
    return NULL;
}

static bool can_write(const struct charset *charset, const struct script *script)
{
    for (size_t i = 0; !charset->unicode && script->words[i]; i++) {
        struct bytes word = bytes_of_string(script->words[i]);
        struct buf out;
        buf_init(&out, 256);
        bool lost = charset_encode(charset, word, &out) != 0;
        buf_release(&out);
        if (lost)
            return false;
    }
    return true;
}

/* NULL means words of all scripts; "auto" is the first script beside ASCII that the encoding can write. */
static const struct script *chosen_script(const struct json *parameters)
{
    const struct charset *charset = charset_find(recipe_bytes(parameters, "encoding"));
    struct bytes name = recipe_bytes(parameters, "script");
    for (size_t i = 1; bytes_equal_string(name, "auto") && i < SCRIPTS; i++)
        if (can_write(charset, &scripts[i]))
            return &scripts[i];
    return find_script(name);
}

static int text_check(const struct json *parameters, const char *where, struct error **err)
{
    const struct charset *charset = charset_find(recipe_bytes(parameters, "encoding"));
    const struct script *script = chosen_script(parameters);
    if (script ? !can_write(charset, script) : !charset->unicode)
        return error_set(err, ERR_INPUT, "%s: script: found '%.*s', expected one that %s can write", where,
                         BYTES_ARG(recipe_bytes(parameters, "script")), charset->name);
    if (recipe_int(parameters, "lines") * recipe_int(parameters, "words") > WORDS_MAX)
        return error_set(err, ERR_INPUT,
                         "%s: lines: found lines with more than %d words in all, expected fewer", where,
                         WORDS_MAX);
    return 0;
}

/* NULL: each word of a script of its own. */
static void put_words(const struct script *script, struct rng *rng, int64_t words, struct buf *out)
{
    for (int64_t i = 0; i < words; i++) {
        const struct script *from = script ? script : &scripts[rng_below(rng, SCRIPTS)];
        size_t count = 0;
        while (from->words[count])
            count++;
        if (i)
            buf_add_byte(out, ' ');
        buf_add_string(out, from->words[rng_below(rng, count)]);
    }
}

const char *const recipe_scripts[] = {"ascii", "latin", "cyrillic", "cjk", "arabic", "emoji", "mixed", NULL};

void recipe_words(struct rng *rng, struct bytes script, int64_t words, struct buf *out)
{
    put_words(find_script(script), rng, words, out);
}

static void put_line(const struct json *parameters, const struct script *script, int64_t index,
                     struct buf *out)
{
    struct rng rng;
    recipe_rng(&rng, parameters, STREAM_TEXT, (uint64_t)index);
    put_words(script, &rng, recipe_int(parameters, "words"), out);
}

static void put_text(const struct json *parameters, struct buf *out)
{
    const struct script *script = chosen_script(parameters);
    int64_t lines = recipe_int(parameters, "lines");
    struct bytes newline = recipe_newline(parameters);
    bool final = recipe_bool(parameters, "final-newline");
    for (int64_t i = 0; i < lines && !out->overflow; i++) {
        put_line(parameters, script, i, out);
        if (i + 1 < lines || final)
            buf_add(out, newline);
    }
}

static int text_make(const struct json *parameters, struct buf *out, struct error **err)
{
    struct buf text;
    buf_init(&text, recipe_stage_max(out));
    put_text(parameters, &text);
    charset_encode(charset_find(recipe_bytes(parameters, "encoding")), buf_bytes(&text), out);
    int status = text.overflow ? recipe_made(&text, "text", err) : recipe_made(out, "text", err);
    buf_release(&text);
    return status;
}

static struct json *line_fact(const struct json *parameters, int64_t index, struct arena *a)
{
    if (index < 0)
        return NULL;
    struct buf line;
    buf_init(&line, RECIPE_MAKE_MAX);
    put_line(parameters, chosen_script(parameters), index, &line);
    struct json *fact = json_string(a, buf_bytes(&line));
    buf_release(&line);
    return fact;
}

static struct json *text_fact(const struct json *parameters, struct bytes name, struct arena *a)
{
    int64_t lines = recipe_int(parameters, "lines");
    if (bytes_equal_string(name, "lines"))
        return json_integer(a, lines);
    if (bytes_equal_string(name, "words"))
        return json_integer(a, lines * recipe_int(parameters, "words"));
    if (bytes_equal_string(name, "first-line") || bytes_equal_string(name, "last-line"))
        return line_fact(parameters,
                         lines == 0                               ? -1
                         : bytes_equal_string(name, "first-line") ? 0
                                                                  : lines - 1,
                         a);
    if (!bytes_equal_string(name, "characters"))
        return NULL;
    struct buf text;
    buf_init(&text, RECIPE_MAKE_MAX);
    put_text(parameters, &text);
    struct json *fact = json_integer(a, (int64_t)utf8_count(buf_bytes(&text)));
    buf_release(&text);
    return fact;
}

/* In an encoding of single or double bytes every word of a script but ASCII has a byte that UTF-8 does not
 * have there. */
static int text_utf8(const struct json *parameters)
{
    const struct charset *charset = charset_find(recipe_bytes(parameters, "encoding"));
    const struct script *script = chosen_script(parameters);
    bool only_ascii = script == &scripts[0] || recipe_int(parameters, "lines") == 0;
    if (charset->ascii)
        return charset->unicode || only_ascii;
    return charset->mark.len ? 0 : -1; /* UTF-16 may by chance be UTF-8 too, with NULs */
}

static const struct recipe_parameter parameters_table[] = {
    {"encoding", "\"utf-8\"", "text encoding", RECIPE_ONE_OF, 0, 0, charset_names},
    {"script", "\"auto\"", "which words; auto: what the encoding is for", RECIPE_ONE_OF, 0, 0, script_names},
    {"lines", "20", "number of lines", RECIPE_INT, 0, 1000000, NULL},
    {"words", "8", "words a line, with one space between", RECIPE_INT, 1, WORDS_PER_LINE_MAX, NULL},
    {"newline", "\"lf\"", "line ends", RECIPE_ONE_OF, 0, 0, recipe_newlines},
    {"final-newline", "true", "whether the last line ends with one", RECIPE_BOOL, 0, 0, NULL},
    RECIPE_SEED,
};

static const char *const facts[] = {"lines", "words", "characters", "first-line", "last-line", NULL};

const struct recipe recipe_text = {
    .name = "text",
    .doc = "words of a script in an encoding",
    .parameters = parameters_table,
    .parameter_count = sizeof parameters_table / sizeof *parameters_table,
    .facts = facts,
    .make = text_make,
    .fact = text_fact,
    .check = text_check,
    .utf8 = text_utf8,
};
