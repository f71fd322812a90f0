/* help: the verbs, one verb's help, the settings, or all of it as a man page (made when the project is built). */
#include "cli/verbs.h"

#include <stdio.h>
#include <string.h>

static const struct cli_option own[] = {
    {"man", 0, NULL, "everything, as a man page (roff)"},
    {0},
};

static const char exit_text[] = "0 clean; 1 something found; 2 usage, template, task file or database; 3 target or machine unusable, or "
                                "our output could not be written; 128+N interrupted by signal N, everything saved.";

/* Text for roff: a backslash is doubled, a dot or quote that begins a line is guarded. */
static void add_roff(struct buf *out, const char *text)
{
    bool line_start = true;
    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            buf_add_string(out, "\\&");
        if (*text == '\\')
            buf_add_string(out, "\\e");
        else if (*text == '-')
            buf_add_string(out, "\\-");
        else
            buf_add_byte(out, (uint8_t)*text);
        line_start = *text == '\n';
    }
}

static void add_man_options(struct buf *out, const struct cli_option *group)
{
    for (const struct cli_option *o = group; o->name; o++) {
        buf_add_string(out, ".TP\n\\fB");
        if (o->letter)
            buf_addf(out, "\\-%c\\fR, \\fB", o->letter);
        buf_add_string(out, "\\-\\-");
        add_roff(out, o->name);
        buf_add_string(out, "\\fR");
        if (o->argument)
            buf_addf(out, " \\fI%s\\fR", o->argument);
        buf_add_byte(out, '\n');
        add_roff(out, o->help);
        buf_add_byte(out, '\n');
    }
}

static void add_man_verb(struct buf *out, const struct verb *v)
{
    buf_addf(out, ".SS taskgen %s ", v->name);
    add_roff(out, v->usage);
    buf_add_byte(out, '\n');
    add_roff(out, v->details);
    buf_add_byte(out, '\n');
    for (const struct cli_option *const *group = v->options; *group; group++)
        if (*group != options_common)
            add_man_options(out, *group);
}

static void add_man(struct buf *out)
{
    const struct verb *v;
    buf_addf(out, ".TH TASKGEN 1 \"\" \"taskgen %s\" \"User Commands\"\n.SH NAME\n"
                  "taskgen \\- make tasks as agents do them, and find what breaks in their sandboxes\n.SH SYNOPSIS\n", TASKGEN_VERSION);
    buf_add_string(out, ".B taskgen\n[\\fIVERB\\fR] [\\fIOPTION\\fR]...\n.SH DESCRIPTION\n"
                        "Tasks are derived from domain templates, run against a sandbox under test, and judged by what witnesses see,\n"
                        "not by what the sandbox says. Without a verb: \\fBgenerate\\fR.\n.SH VERBS\n");
    for (size_t i = 0; (v = verb_at(i)); i++)
        add_man_verb(out, v);
    buf_add_string(out, ".SH COMMON OPTIONS\n");
    add_man_options(out, options_common);
    buf_add_string(out, ".SH SETTINGS\nThe keys of \\fB\\-\\-set\\fR and of the INI file of \\fB\\-\\-config\\fR ([section], then key = value; options stand in [options] and [options.VERB]).\n");
    size_t count;
    const struct setting_row *rows = settings_table(&count);
    for (size_t i = 0; i < count; i++) {
        buf_addf(out, ".TP\n\\fB%s\\fR (%s, default %.15g)\n", rows[i].name, rows[i].unit, rows[i].value);
        add_roff(out, rows[i].help);
        buf_add_byte(out, '\n');
    }
    buf_add_string(out, ".SH EXIT STATUS\n");
    add_roff(out, exit_text);
    buf_add_string(out, "\n.SH ENVIRONMENT\n.TP\n\\fBTASKGEN_DATA\\fR\nwhere the directory domains/ lies, when not beside the program\n"
                        ".TP\n\\fBTASKGEN_LIBEXEC\\fR\nwhere taskgen\\-agent and leakybox lie\n.TP\n\\fBTMPDIR\\fR\nwhere sessions get their fresh directories\n");
}

static void add_settings(struct buf *out)
{
    size_t count;
    const struct setting_row *rows = settings_table(&count);
    for (size_t i = 0; i < count; i++)
        buf_addf(out, "%-24s %14.15g %-6s %s\n", rows[i].name, rows[i].value, rows[i].unit, rows[i].help);
}

static void add_overview(struct buf *out)
{
    buf_add_string(out, "usage: taskgen --domain NAME --count N        tasks on standard output\n"
                        "       taskgen VERB [OPTION]…                 see 'taskgen help VERB'\n\n"
                        "Makes tasks as agents do them, runs them against the sandbox under test, and keeps what breaks.\n\n");
    const struct verb *row;
    for (size_t i = 0; (row = verb_at(i)); i++)
        buf_addf(out, "  %-10s %s\n", row->name, row->summary);
    buf_addf(out, "\nFirst steps:\n"
                  "  taskgen --domain ml --count 3 --format text     read three tasks\n"
                  "  taskgen fuzz --target demo --time 20            find the faults of the built-in demo\n"
                  "  taskgen report                                  see them\n"
                  "  taskgen fuzz --time 60 -- SERVER {root}         your own MCP server\n"
                  "  taskgen help settings                           every default, threshold and timeout\n\n"
                  "Exit status: %s\n", exit_text);
}

static int run_help(const struct verb *v, struct cli_args *args)
{
    const char *topic = args->word_count ? args->words[0] : NULL;
    const struct verb *asked = topic ? verb_find(topic) : NULL;
    if (asked) {
        cli_help(asked);
        return 0;
    }
    struct buf out;
    buf_init(&out, 1 << 20);
    int status = 0;
    if (topic && !strcmp(topic, "settings"))
        add_settings(&out);
    else if (topic)
        status = cli_usage_fault(v, "'%s' is neither a verb nor 'settings'", topic);
    else if (cli_flag(args, "man"))
        add_man(&out);
    else
        add_overview(&out);
    if (!status)
        status = cli_out(v, buf_bytes(&out));
    buf_release(&out);
    return status;
}

static const struct cli_option *const options[] = {own, options_common, NULL};

const struct verb verb_help = {
    .name = "help",
    .usage = "[VERB | settings] [--man]",
    .summary = "this text, a verb's, or the settings",
    .details = "Lists the verbs, explains one, or lists every setting with its default.",
    .options = options,
    .run = run_help,
};
