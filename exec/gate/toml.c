/* Python runs isolated (-I -S), in a room that holds nothing of the task. */
#include "exec/gate/toml.h"

#include <sys/wait.h>
#include <string.h>

#include "exec/gate/room.h"
#include "exec/gate/tree.h"

enum { TOML_MS = 10000, DEPTH = 64 };

static const char program[] = "import json, sys\n"
                              "try:\n"
                              "    import tomllib\n"
                              "except ImportError:\n"
                              "    sys.exit(3)\n"
                              "try:\n"
                              "    value = tomllib.loads(sys.stdin.buffer.read().decode(), parse_float=str)\n"
                              "    sys.stdout.write(json.dumps(value, default=str))\n"
                              "except RecursionError:\n"
                              "    sys.stderr.write('nested too deep'); sys.exit(1)\n"
                              "except Exception as e:\n"
                              "    sys.stderr.write(str(e)); sys.exit(1)\n";

int toml_read(const struct room *room, struct bytes text, struct arena *a, struct json **value, struct error **err)
{
    const char *const argv[] = {"/usr/bin/python3", "-I", "-S", "-c", program, NULL};
    struct room_end end;
    TRY(room_run(room, &(struct room_run){.argv = argv, .cwd = "/", .input = text, .ms = TOML_MS}, &end, err));
    int status = 0;
    if (room_end_clean(&end))
        status = json_read(a, buf_bytes(&end.out), &(struct json_options){.max_depth = DEPTH}, "task.toml", value, NULL, err);
    else if (end.late)
        status = error_set(err, ERR_INPUT, "task.toml: takes too long to read");
    else if (WIFEXITED(end.status) && WEXITSTATUS(end.status) == 1)
        status = error_set(err, ERR_INPUT, "task.toml: %.200s", tree_shown(buf_string(&end.errors)));
    else
        status = error_set(err, ERR_TARGET, "task.toml cannot be read: python3 (3.11 or newer) is needed in /usr/bin");
    room_end_release(&end);
    return status;
}
