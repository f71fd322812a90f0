/* SPEC strings: any text gives words or a message, and words quoted back give the same words. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "exec/target/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each word in single quotes. */
static char *quote(char **words)
{
    struct buf text;
    buf_init(&text, SIZE_MAX / 4);
    for (; *words; words++) {
        buf_add_string(&text, " '");
        for (const char *c = *words; *c; c++)
            if (*c == '\'')
                buf_add_string(&text, "'\\''");
            else
                buf_add_byte(&text, (uint8_t)*c);
        buf_add_byte(&text, '\'');
    }
    char *copy = xstrdup(buf_string(&text));
    buf_release(&text);
    return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = xmalloc(size + 1), **words = NULL, **again = NULL;
    struct error *err = NULL;
    memcpy(text, data, size);
    text[size] = '\0';
    if (spec_split(text, &words, &err) == 0) {
        char *quoted = quote(words);
        if (spec_split(quoted, &again, NULL) < 0)
            abort();
        size_t i = 0;
        for (; words[i] && again[i]; i++)
            if (strcmp(words[i], again[i]) != 0)
                abort();
        if (words[i] || again[i])
            abort();
        strings_free(again);
        free(quoted);
    } else if (!err || !*err->text || words) {
        abort();
    }
    strings_free(words);
    error_free(err);
    free(text);
    return 0;
}
