/* Environment: locale, processors, randomness, secrets, fonts, converters. */
#include "gen/arm/tables.h"

static const struct json *variables(const struct arm_step *s)
{
    const struct json *env = json_get(s->step->args, "env");
    return s->op & OPS_PROGRAM && json_is(env, JSON_OBJECT) ? env->first : NULL;
}

static bool is_plain_locale(const struct arm_step *s)
{
    for (const struct json *e = variables(s); e; e = e->next)
        if (arm_holds(e->key, "LANG|LC_|PYTHONUTF8|PYTHONIOENCODING") &&
            arm_holds(json_as_text(e), "C|POSIX|0|ascii|en_US|latin"))
            return true;
    return s->op & OPS_PROGRAM &&
           arm_says(s,
                    "LC_ALL=C|LANG=C|LC_ALL=POSIX|LANG=POSIX|PYTHONUTF8=0|LC_CTYPE=C|PYTHONIOENCODING=ascii");
}

/* A file whose name has one of the flags, and a listing that shows it. */
static bool lists_beyond(const struct arm_view *v, unsigned flags)
{
    EACH (look, v)
        if (look->op & OP(LIST))
            for (const struct arm_step *put = v->steps; put < look; put++)
                if (put->op & OPS_PUT && put->path.flags & flags && arm_below(put->path.text, look->path.text))
                    return true;
    return false;
}

/* C09 */
static bool locale_decoding(const struct arm_view *v)
{
    unsigned beyond = TEXT_NON_ASCII | TEXT_NOT_UTF8;
    if (arm_mutated(v, "locale") && lists_beyond(v, beyond))
        return true;
    EACH (s, v) {
        if (!is_plain_locale(s) && !(arm_mutated(v, "locale") && s->op & OPS_PROGRAM))
            continue;
        if ((arm_scan(s->script) | s->flags | s->input.flags) & beyond ||
            arm_says(s, "\\u|\\xc3|\\xe|\\303|\\342"))
            return true;
        EACH (put, v)
            if (put->op & OPS_PUT && (put->content.flags | put->path.flags) & beyond &&
                bytes_find(s->script, arm_base(put->path.text), 0) >= 0)
                return true;
    }
    return false;
}

/* C71 */
static bool cpu_count(const struct arm_view *v)
{
    EACH (s, v)
        if (s->op & OPS_PROGRAM &&
            (arm_says(s, "cpu_count|nproc|sched_getaffinity|availableProcessors|os.cpus()|"
                         "_NPROCESSORS_ONLN|available_parallelism|"
                         "Pool()|PoolExecutor()|n_jobs=-1") ||
             (arm_says(s, "import numpy") && arm_says(s, "@|linalg|.dot("))))
            return true;
    return false;
}

static bool prints_random(const struct arm_step *s)
{
    return s->op & OPS_PROGRAM &&
           arm_says(s, "urandom|uuid|secrets.|random|RANDOM|mktemp|getrandom|randomBytes");
}

/* C78 */
static bool shared_randomness(const struct arm_view *v)
{
    uint64_t copies = arm_total(v, OP(RESTORE)) + 2 * arm_total(v, OP(FORK));
    const struct arm_step *first = arm_next(v, NULL, OP(RESTORE) | OP(FORK));
    if (copies < 2)
        return false;
    EACH_AFTER (s, first, v)
        if (prints_random(s))
            return true;
    return false;
}

static bool has_secret(const struct arm_step *s)
{
    for (const struct json *e = variables(s); e; e = e->next)
        if (arm_holds(e->key, "TOKEN|SECRET|KEY|PASSWORD|PASS|CREDENTIAL"))
            return true;
    return false;
}

static bool shows_environment(const struct arm_step *s)
{
    return s->op & OPS_PROGRAM && (arm_says(s, "environ|process.env|getenv()|System.getenv|env::vars") ||
                                   arm_word(s, "env|printenv|export -p|set\n"));
}

/* C79: a look at the first process's or the parent's variables; or a secret of one call, and a look by
 * another. */
static bool secret_in_environment(const struct arm_view *v)
{
    EACH (s, v) {
        if (s->op & OPS_PROGRAM &&
            arm_says(s, "/proc/1/environ|/proc/$PPID/environ|/proc/*/environ|getppid()") &&
            arm_says(s, "environ"))
            return true;
        if (shows_environment(s) && arm_mutated(v, "env-canary"))
            return true;
        if (has_secret(s))
            EACH_AFTER (other, s, v)
                if (shows_environment(other) && !has_secret(other))
                    return true;
    }
    return false;
}

#define RENDERED ".pdf|.svg|.png|.html|.docx|.pptx|.xlsx|font|Font|reportlab|matplotlib|fc-list|pdftotext"

static bool renders(const struct arm_step *s)
{
    return s->op & OPS_PROGRAM && arm_says(s, RENDERED);
}

/* C93 */
static bool glyphs_missing(const struct arm_view *v)
{
    EACH (s, v) {
        if (renders(s) && (arm_scan(s->script) & TEXT_FOREIGN || s->input.flags & TEXT_FOREIGN))
            return true;
        if (s->op & OPS_PUT && s->content.flags & TEXT_FOREIGN) {
            const struct arm_step *p = arm_next_program(v, s, s->path.text);
            if (p && (renders(p) || arm_holds(s->path.text, ".html|.svg|.docx|.pptx|.xlsx|.pdf")))
                return true;
        }
    }
    return false;
}

static bool converts(const struct arm_step *s)
{
    return s->op & OPS_PROGRAM && (arm_word(s, "soffice|libreoffice|pandoc|wkhtmltopdf|convert|magick|"
                                               "pdftotext|pdftoppm|unoconv|inkscape|rsvg-convert|"
                                               "ffmpeg|html2pdf|ps2pdf|weasyprint|cupsfilter") ||
                                   arm_says(s, ".docx|.xlsx|.pptx|.odt|.ods|application/pdf|%PDF"));
}

/* C94 */
static bool converter_silent(const struct arm_view *v)
{
    EACH (s, v) {
        if (!converts(s))
            continue;
        if (arm_follows(v, s, OP(DOWNLOAD) | OP(STAT) | OP(READ)))
            return true;
        EACH (e, v)
            if (e->path.present && arm_file_expected(v, e->path.text))
                return true;
        if (v->task->expect->count > 1)
            return true;
    }
    return false;
}

const struct arm_row arm_environment[] = {
    {"C09", locale_decoding, NULL},
    {"C71", cpu_count, NULL},
    {"C78", shared_randomness, NULL},
    {"C79", secret_in_environment, NULL},
    {"C93", glyphs_missing, NULL},
    {"C94", converter_silent, NULL},
    {0},
};
