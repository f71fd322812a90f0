/* The table of tools: what each is called, takes and gives. Nothing else describes a tool. */
#include "leakybox/tools.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const struct tool_arg path_args[] = {
    {"path", ARG_PATH, true, 0, 0, NULL, "which file, relative to the root or absolute inside it"},
};
static const struct tool_arg store_args[] = {
    {"path", ARG_PATH, true, 0, 0, NULL, "which file; missing directories on the way are made"},
    {"content", ARG_TEXT, true, 0, 0, NULL, "the text, stored as UTF-8; it may hold any character, NUL too"},
};
static const struct tool_arg upload_args[] = {
    {"path", ARG_PATH, true, 0, 0, NULL, "which file; missing directories on the way are made"},
    {"content_base64", ARG_TEXT, true, 0, 0, NULL,
     "the bytes, in base64 with padding and without white space"},
};
static const struct tool_arg edit_args[] = {
    {"path", ARG_PATH, true, 0, 0, NULL, "which file"},
    {"old_text", ARG_TEXT, true, 0, 0, NULL, "text that stands in it exactly once"},
    {"new_text", ARG_TEXT, true, 0, 0, NULL, "text to stand there instead"},
};
static const struct tool_arg read_args[] = {
    {"path", ARG_PATH, true, 0, 0, NULL, "which file"},
    {"head", ARG_COUNT, false, 0, ARG_NO_HIGH, NULL, "only so many first lines"},
    {"tail", ARG_COUNT, false, 0, ARG_NO_HIGH, NULL,
     "only so many last lines; a final newline ends the last one"},
    {"offset", ARG_COUNT, false, 0, ARG_NO_HIGH, NULL, "first byte; not with head or tail"},
    {"length", ARG_COUNT, false, 0, ARG_NO_HIGH, NULL, "number of bytes; not with head or tail"},
};
static const struct tool_arg directory_args[] = {
    {"path", ARG_PATH, true, 0, 0, NULL, "which directory; \".\" is the root"},
};
static const struct tool_arg move_args[] = {
    {"source", ARG_PATH, true, 0, 0, NULL, "from"},
    {"destination", ARG_PATH, true, 0, 0, NULL, "to; must not exist"},
};
static const struct tool_arg delete_args[] = {
    {"path", ARG_PATH, true, 0, 0, NULL, "which file, link or directory"},
    {"recursive", ARG_FLAG, false, 0, 0, NULL, "a directory with all it holds; else it must be empty"},
};
static const struct tool_arg run_args[] = {
    {"command", ARG_LINE, true, 0, 0, NULL, "a line for /bin/sh"},
    {"stdin", ARG_TEXT, false, 0, 0, NULL, "standard input; empty when absent"},
    {"cwd", ARG_PATH, false, 0, 0, NULL, "working directory; the root when absent"},
    {"env", ARG_MAP, false, 0, 0, NULL, "variables to add"},
    {"timeout_ms", ARG_COUNT, false, 1, 3600000, NULL,
     "after so many milliseconds the command is killed, with all it has started; 60000 when absent"},
};
static const struct tool_arg start_args[] = {
    {"command", ARG_LINE, true, 0, 0, NULL, "a line for /bin/sh"},
    {"cwd", ARG_PATH, false, 0, 0, NULL, "working directory; the root when absent"},
    {"env", ARG_MAP, false, 0, 0, NULL, "variables to add"},
};
static const struct tool_arg process_args[] = {
    {"process_id", ARG_LINE, true, 0, 0, NULL, "as start_process gave it"},
};
static const struct tool_arg wait_args[] = {
    {"process_id", ARG_LINE, true, 0, 0, NULL, "as start_process gave it"},
    {"timeout_ms", ARG_COUNT, false, 0, 3600000, NULL, "wait at most so many milliseconds; 5000 when absent"},
};
static const char *const signal_choices[] = {"TERM", "KILL", "INT",  "HUP",  "QUIT",
                                             "STOP", "CONT", "USR1", "USR2", NULL};
static const struct tool_arg signal_args[] = {
    {"process_id", ARG_LINE, true, 0, 0, NULL, "as start_process gave it"},
    {"signal", ARG_CHOICE, false, 0, 0, signal_choices,
     "which signal, to its whole process group; TERM when absent"},
};

/* What a structured result holds. */
static const struct tool_result list_results[] = {
    {"entries", RESULT_ENTRIES, true, "sorted bytewise by name"},
};
static const struct tool_result info_results[] = {
    {"kind", RESULT_KIND, true, NULL},
    {"size", RESULT_COUNT, true, "bytes"},
    {"mode", RESULT_COUNT, true, "permission bits"},
    {"modified_ms", RESULT_COUNT, true, "milliseconds since 1970-01-01 UTC"},
};
/* clang-format off */
#define STREAMS                                                                        \
    {"stdout", RESULT_TEXT, false, "standard output"},                                 \
    {"stdout_base64", RESULT_TEXT, false, "instead of stdout, when it is not UTF-8"},  \
    {"stdout_bytes", RESULT_COUNT, true, "how many there were, also when fewer are given"}, \
    {"stderr", RESULT_TEXT, false, "standard error"},                                  \
    {"stderr_base64", RESULT_TEXT, false, "instead of stderr, when it is not UTF-8"},  \
    {"stderr_bytes", RESULT_COUNT, true, "how many there were, also when fewer are given"}
/* clang-format on */
static const struct tool_result run_results[] = {
    {"exit_code", RESULT_COUNT, true, "exit status; 128 and the number when a signal ended it"},
    {"signal", RESULT_TEXT, false, "name of that signal"},
    {"timed_out", RESULT_FLAG, true, NULL},
    STREAMS,
};
static const struct tool_result start_results[] = {
    {"process_id", RESULT_TEXT, true, NULL},
};
static const struct tool_result poll_results[] = {
    {"process_id", RESULT_TEXT, true, NULL},
    {"running", RESULT_FLAG, true, NULL},
    {"exit_code", RESULT_COUNT, false, "once it has ended"},
    {"signal", RESULT_TEXT, false, "name of the signal that ended it"},
    STREAMS,
};

static const struct tool_arg note_args[] = {
    {"note", ARG_TEXT, true, 0, 0, NULL, "the text"},
};

#define ARGS(list)    list, COUNT(list)
#define RESULTS(list) list, COUNT(list)
#define NO_RESULTS    NULL, 0
static const struct tool tools[] = {
    {"write_file", "Write a file", "Creates a text file or replaces its whole content.", ARGS(store_args),
     TOOL_DESTROYS | TOOL_IDEMPOTENT | TOOL_STORES, NO_RESULTS, tool_write_file},
    {"append_file", "Append to a file", "Adds text to the end of a file, which is made when absent.",
     ARGS(store_args), TOOL_STORES, NO_RESULTS, tool_append_file},
    {"edit_file", "Edit a file",
     "Replaces a text that stands exactly once in a file; every other byte stays as it is.", ARGS(edit_args),
     TOOL_DESTROYS, NO_RESULTS, tool_edit_file},
    {"read_file", "Read a file",
     "Returns a UTF-8 text file, whole or in part, exactly as it is. A file that is not UTF-8 is refused: "
     "see download_file.",
     ARGS(read_args), TOOL_READS, NO_RESULTS, tool_read_file},
    {"list_directory", "List a directory", "Names and kinds of everything in a directory, sorted bytewise.",
     ARGS(directory_args), TOOL_READS, RESULTS(list_results), tool_list_directory},
    {"file_info", "File information",
     "Kind, size, permission bits and time of a file; a link is not followed.", ARGS(path_args), TOOL_READS,
     RESULTS(info_results), tool_file_info},
    {"make_directory", "Make a directory", "Makes a directory and its parents; one that exists is fine.",
     ARGS(directory_args), TOOL_IDEMPOTENT, NO_RESULTS, tool_make_directory},
    {"move_file", "Move a file", "Renames or moves a file or directory; never replaces anything.",
     ARGS(move_args), TOOL_DESTROYS, NO_RESULTS, tool_move_file},
    {"delete_file", "Delete a file", "Deletes a file, a link, or a directory.", ARGS(delete_args),
     TOOL_DESTROYS, NO_RESULTS, tool_delete_file},
    {"upload_file", "Upload a file", "Stores any bytes, given in base64, as the whole content of a file.",
     ARGS(upload_args), TOOL_DESTROYS | TOOL_IDEMPOTENT | TOOL_STORES, NO_RESULTS, tool_upload_file},
    {"download_file", "Download a file", "Returns the bytes of any file as base64 text.", ARGS(path_args),
     TOOL_READS, NO_RESULTS, tool_download_file},
    {"run_command", "Run a command",
     "Runs a shell line to its end and returns its exit status and output. What it leaves in the background "
     "lives on until the session ends.",
     ARGS(run_args), TOOL_DESTROYS | TOOL_OPEN_WORLD, RESULTS(run_results), tool_run_command},
    {"start_process", "Start a process", "Starts a shell line in the background and returns its process_id.",
     ARGS(start_args), TOOL_DESTROYS | TOOL_OPEN_WORLD, RESULTS(start_results), tool_start_process},
    {"poll_process", "Look at a process", "Whether a background process still runs, and its output so far.",
     ARGS(process_args), TOOL_READS, RESULTS(poll_results), tool_poll_process},
    {"wait_process", "Wait for a process",
     "Waits for a background process to end and returns its exit status and output, or says that it still "
     "runs.",
     ARGS(wait_args), TOOL_READS, RESULTS(poll_results), tool_wait_process},
    {"signal_process", "Signal a process", "Sends a signal to a background process.", ARGS(signal_args),
     TOOL_DESTROYS, NO_RESULTS, tool_signal_process},
    {"add_note", "Add a note", "Keeps a short text for later sessions, in notes.jsonl.", ARGS(note_args), 0,
     NO_RESULTS, tool_add_note},
    {"read_notes", "Read the notes", "All notes that were added, in order, an empty line between them.", NULL,
     0, TOOL_READS, NO_RESULTS, tool_read_notes},
};

const struct tool *tool_at(size_t index)
{
    return index < COUNT(tools) ? &tools[index] : NULL;
}
