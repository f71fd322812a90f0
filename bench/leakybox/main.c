/* leakybox: a small MCP sandbox server over stdio with planted faults that can be switched on one by one.
 * With all faults off it is the negative control of benchmarks: nothing may be wrong with it. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/close_range.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "leakybox/faults.h"
#include "leakybox/text.h"

enum { STATUS_USAGE = 2, STATUS_MACHINE = 3 };

static const char usage[] =
    "usage: leakybox ROOT [--faults LIST]\n"
    "       leakybox --list [--faults LIST]\n"
    "       leakybox --list --json\n"
    "       leakybox --list-2\n"
    "\n"
    "An MCP server over standard input and output: files and commands below the directory ROOT, with planted "
    "faults.\n"
    "\n"
    "  --faults LIST   none (default), demo, all, names, -names, separated by commas, from left to right\n"
    "  --list-2        the harder list: faults behind guards, FAULT+GUARD, all of them all-2; one JSON object for each\n"
    "  --list          print the table of faults; with --json one JSON object for each\n"
    "  --help, --version\n"
    "\n"
    "LEAKYBOX_CANARY=FILE in the environment: the first time that a fault's code is reached, and that it "
    "does harm,\n"
    "the lines \"NAME reached\" and \"NAME triggered\" are appended to FILE.\n";

static int complain(int status, struct buf *why)
{
    fprintf(stderr, "leakybox: %s\n", buf_string(why));
    buf_release(why);
    return status;
}

/* The protocol's two ends must not be mistaken for files of ours, and nothing else is handed to commands. */
static void settle_descriptors(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= 2);
    if (fd > 2)
        close(fd);
    close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
}

static int serve(const char *root, struct buf *why)
{
    static struct server server;
    int status;

    if (faults_canary(getenv("LEAKYBOX_CANARY"))) {
        buf_add_string(why, "cannot open the file that LEAKYBOX_CANARY names: ");
        text_errno(why, errno);
        return complain(STATUS_MACHINE, why);
    }
    if (server_init(&server, root, why))
        return complain(STATUS_USAGE, why);
    status = server_run(&server);
    server_release(&server);
    buf_release(why);
    return status;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"faults", required_argument, NULL, 'f'}, {"list", no_argument, NULL, 'l'}, {"list-2", no_argument, NULL, '2'},
        {"json", no_argument, NULL, 'j'},         {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'v'},      {NULL, 0, NULL, 0},
    };
    bool list = false, list_2 = false, json = false;
    struct buf text;
    int option;

    buf_init(&text, 1024 * 1024);
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case 'f':
            if (faults_choose(optarg, &text))
                return complain(STATUS_USAGE, &text);
            break;
        case 'l':
            list = true;
            break;
        case '2':
            list_2 = true;
            break;
        case 'j':
            json = true;
            break;
        case 'h':
            fputs(usage, stdout);
            return 0;
        case 'v':
            puts("leakybox " LEAKYBOX_VERSION);
            return 0;
        default:
            return STATUS_USAGE;
        }
    }
    if ((list || list_2) && optind == argc) {
        (list_2 ? faults_list_2_json : json ? faults_list_json : faults_list)(&text);
        fwrite(text.data, 1, text.len, stdout);
        buf_release(&text);
        return fflush(stdout) ? STATUS_MACHINE : 0;
    }
    if (list || list_2 || json || optind + 1 != argc) {
        fputs(usage, stderr);
        return STATUS_USAGE;
    }
    settle_descriptors();
    return serve(argv[optind], &text);
}
