/* Any bytes as a seed, as a directory that is one (when they begin with "=== NAME", where such lines part the files), and as a dictionary.
 *
 * Held true: it is refused with a message of one line, or each task of it reads back as itself (which import_add tries), has steps and
 * not too many. */
#include <stdlib.h>
#include <string.h>

#include "gen/import/import_internal.h"
#include "fuzz_case.h"

static int read_bundle(struct import *im, struct bytes text, struct error **err)
{
    struct import_file files[32];
    struct arena a;
    size_t count = 0;
    arena_init(&a);
    for (size_t at = 0; at < text.len && count < 32;) {
        ptrdiff_t line = bytes_find(text, BYTES_LITERAL("\n"), at), next = bytes_find(text, BYTES_LITERAL("\n=== "), at);
        size_t end = next < 0 ? text.len : (size_t)next + 1, start = line < 0 ? end : (size_t)line + 1;
        files[count].name = arena_string(&a, bytes_slice(text, at + 4, line < 0 ? end : (size_t)line));
        files[count++].data = bytes_slice(text, start, end);
        at = end;
    }
    int status = import_bundle(im, "fuzz", files, count, err);
    arena_release(&a);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dictionary *words = dictionary_new();
    struct import im;
    struct error *err = NULL;
    struct bytes text = bytes_of(data, size);
    import_init(&im, vocabulary(), words);
    int status = bytes_starts(text, BYTES_LITERAL("=== ")) ? read_bundle(&im, text, &err) : import_bytes(&im, "fuzz.csv", text, &err);
    require(status == 0 ? !err : status == ERR_INPUT && err && !strchr(err->text, '\n'));
    for (size_t i = 0; i < im.count; i++)
        require(im.seeds[i].task->step_count > 0 && im.seeds[i].task->step_count <= 4096);
    error_free(err);
    import_release(&im);
    err = NULL;
    status = dictionary_read(words, text, "fuzz.dict", &err);
    require(status == 0 ? !err : status == ERR_INPUT && err && !strchr(err->text, '\n'));
    error_free(err);
    dictionary_add_schemas(words, text);
    require(dictionary_count(words) <= DICTIONARY_TOKENS_MAX);
    dictionary_free(words);
    return 0;
}
