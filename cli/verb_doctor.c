/* doctor: what this machine allows and what it lacks, with the command that helps. */
#include "cli/doctor.h"
#include "cli/verbs.h"

static const struct cli_option own[] = {
    {"json", 0, NULL, "one object on standard output"},
    {0},
};

static int run_doctor(const struct verb *v, struct cli_args *args)
{
    struct settings settings;
    struct doctor d;
    struct buf out;
    if (args->word_count)
        return cli_usage_fault(v, "'%s' is not expected here", args->words[0]);
    int status = cli_settings(v, args, &settings);
    if (status)
        return status;
    doctor_init(&d, &settings);
    doctor_programs(&d);
    doctor_kernel(&d);
    doctor_room(&d);
    buf_init(&out, 1 << 20);
    if (cli_flag(args, "json"))
        doctor_print_json(&d, &out);
    else
        doctor_print(&d, &out);
    status = cli_out(v, buf_bytes(&out));
    status = status ? status : doctor_usable(&d) ? EXIT_CLEAN : EXIT_UNUSABLE;
    buf_release(&out);
    doctor_release(&d);
    return status;
}

static const struct cli_option *const options[] = {own, options_common, NULL};

const struct verb verb_doctor = {
    .name = "doctor",
    .usage = "[--json]",
    .summary = "say what this machine lacks, and how to get it",
    .details = "Looks for the programs taskgen and its tasks use, tries what the box around targets and what looks into them need, and\n"
               "what room there is. 'absent' is something that would be of use, MISSING is needed: exit status 3 then, else 0.",
    .options = options,
    .run = run_doctor,
};
