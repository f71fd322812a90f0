/* Templates of foreign bytes: loading never crashes, and what loads derives tasks that can be written and
 * read back.
 *
 * Inputs that would read other files are passed over: what those hold is not the fuzzer's. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gen/generate.h"

enum { TASKS = 4, MAX_INPUT = 1 << 16 };

static struct ops *ops;
static struct settings settings;

static void start(void)
{
    if (ops)
        return;
    if (ops_load(TASKGEN_SOURCE_DIR "/domains/ops.xml", &ops, NULL) < 0)
        abort();
    settings_defaults(&settings);
    if (settings_set(&settings, "generate.max-bytes", "16384", NULL) < 0 ||
        settings_set(&settings, "generate.max-content", "65536", NULL) < 0)
        abort();
}

static void derive(const struct domain *domain)
{
    struct generate_options options = {&domain, 1, NULL, &settings};
    for (uint64_t i = 0; i < TASKS; i++) {
        struct task *task = NULL, *back = NULL;
        struct error *err = NULL;
        struct buf text;
        if (generate_task(&options, 1, i, &task, &err) < 0) {
            if (!err || task)
                abort();
            error_free(err);
            continue;
        }
        buf_init(&text, 1 << 20);
        task_write(task, &text);
        if (text.overflow || text.len > 16384)
            abort();
        if (task->step_count && task_read(ops, buf_bytes(&text), "task", &back, &err) < 0) {
            fprintf(stderr, "%s\n%s\n", err->text, buf_string(&text));
            abort();
        }
        error_free(err);
        buf_release(&text);
        task_free(task);
        task_free(back);
    }
}

static bool names_files(struct bytes input)
{
    return bytes_find(input, BYTES_LITERAL("href"), 0) >= 0 ||
           bytes_find(input, BYTES_LITERAL("import"), 0) >= 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    start();
    if (size > MAX_INPUT || names_files(bytes_of(data, size)))
        return 0;
    int fd = memfd_create("template", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    char file[64];
    snprintf(file, sizeof file, "/proc/self/fd/%d", fd);
    struct domain *domain = NULL;
    struct error *err = NULL;
    if (domain_load(file, ops, generate_recipes(), &domain, &err) < 0) {
        if (!err || domain)
            abort();
        error_free(err);
    } else {
        derive(domain);
        domain_free(domain);
    }
    close(fd);
    return 0;
}
