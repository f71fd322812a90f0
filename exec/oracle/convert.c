/* Finds converters by their names and their output by the endings of names; see convert.h. */
#include "exec/oracle/convert.h"

#include "exec/oracle/symptom.h"

static const struct {
    const char *ending, *begins;
} kinds[] = {
    {".pdf", "%PDF"}, {".docx", "PK"}, {".xlsx", "PK"},     {".pptx", "PK"},
    {".odt", "PK"},   {".ods", "PK"},  {".png", "\x89PNG"},
};

static const char *wrong_of(const struct file_final *f)
{
    const struct file_view *v = &f->view;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!bytes_ends(f->path, bytes_of_string(kinds[i].ending)) || v->by == WITNESS_NONE)
            continue;
        if (!v->exists)
            return "its output is not there";
        if (v->kind == 'f' && v->size == 0)
            return "its output is empty";
        if (v->have_data && !bytes_starts(v->data, bytes_of_string(kinds[i].begins)))
            return "its output is of another kind";
    }
    return NULL;
}

/* The task says that the file is there in the end. */
static bool is_expected(const struct execution *e, struct bytes path)
{
    for (const struct json *x = e->task->expect ? e->task->expect->first : NULL; x; x = x->next) {
        const struct json *file = json_get(x, "file");
        struct bytes name = json_as_text(task_is_wrapper(file, "$path") ? json_get(file, "$path") : file);
        if (bytes_equal(name, path) && json_as_bool(json_get(x, "exists"), true))
            return true;
    }
    return false;
}

static bool touched_later(const struct execution *e, size_t index, struct bytes path)
{
    for (size_t i = index + 1; i < e->count; i++)
        if (path_same(observation_argument(&e->observations[i], "path"), path) ||
            observation_is(&e->observations[i], "run"))
            return true;
    return false;
}

const char *convert_failed_silently(const struct execution *e, size_t index, struct bytes *path)
{
    static const char converters[] =
        "soffice|libreoffice|unoconv|pandoc|wkhtmltopdf|weasyprint|rsvg-convert|pdftoppm|inkscape";
    const struct observation *o = &e->observations[index];
    bool ended = observation_is(o, "run") && observation_claims(o) && o->outcome.has_exit &&
                 o->outcome.exit == 0;
    if (!ended || step_mutated(e, o->step) || !symptom_program(o, converters))
        return NULL;
    for (size_t i = 0; i < e->final_count; i++) {
        const char *words = wrong_of(&e->finals[i]);
        *path = e->finals[i].path;
        if (words && is_expected(e, *path) && !touched_later(e, index, *path) &&
            !group_touches(e, index, *path))
            return words;
    }
    return NULL;
}

bool convert_owns(const struct execution *e, struct bytes path)
{
    struct bytes one;
    for (size_t i = 0; i < e->count; i++)
        if (convert_failed_silently(e, i, &one) && bytes_equal(one, path))
            return true;
    return false;
}
