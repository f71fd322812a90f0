/* Runs a fuzz target over the files of a directory, each once, without an engine: the regression half of tests/fuzz.
 * Names with a leading dot are skipped. At least one file must be there, so an empty directory fails. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *directory, const char *name)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s", directory, name);
    if (length < 0 || (size_t)length >= sizeof path)
        return -1;
    FILE *file = fopen(path, "rb");
    if (!file)
        return -1;
    static uint8_t data[1 << 20];
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    /* An exact-size copy lets the address sanitizer see a read past the end. */
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        return -1;
    for (size_t i = 0; i < size; i++)
        copy[i] = data[i];
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    return 0;
}

int main(int argc, char **argv)
{
    int files = 0;
    DIR *directory = argc == 2 ? opendir(argv[1]) : NULL;
    if (!directory) {
        fprintf(stderr, "usage: %s DIRECTORY of inputs\n", argv[0]);
        return 2;
    }
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] == '.')
            continue;
        if (run_file(argv[1], entry->d_name) < 0) {
            fprintf(stderr, "%s/%s: cannot be read\n", argv[1], entry->d_name);
            return 1;
        }
        files++;
    }
    closedir(directory);
    printf("%d inputs\n", files);
    return files ? 0 : 1;
}
