/* Draws values from JSON Schemas for a judge of another making: reads {"name":…,"schema":…} a line from a
 * file, writes
 * {"name","kind","value","violation","at","judged"} a line. Arguments: FILE COUNT-PER-KIND. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/schema.h"

static void write_value(const char *name, const struct schema_value *drawn, struct arena *a)
{
    struct json *row = json_new(a, JSON_OBJECT);
    struct buf out;
    buf_init(&out, SIZE_MAX);
    json_set(a, row, "name", json_text(a, name));
    json_set(a, row, "kind", json_text(a, schema_kind_name(drawn->kind)));
    json_set(a, row, "judged", json_bool(a, drawn->judged));
    if (drawn->violation) {
        json_set(a, row, "violation", json_text(a, drawn->violation));
        json_set(a, row, "at", json_text(a, drawn->at));
    }
    json_set(a, row, "value", json_copy(a, drawn->value));
    json_write(&out, row, JSON_COMPACT);
    buf_add_byte(&out, '\n');
    fwrite(out.data, 1, out.len, stdout);
    buf_release(&out);
}

static void draw_one(const struct schema_book *book, const char *name, enum schema_kind kind, uint64_t index)
{
    struct arena a;
    struct rng rng;
    struct derivation log;
    struct chooser c;
    struct schema_value drawn;
    arena_init(&a);
    derivation_init(&log);
    rng_seed(&rng, 7 + kind, index);
    chooser_init(&c, &rng, NULL, &log);
    schema_draw(book, json_get(schema_book_document(book), "schema"), kind, &c, &a, &drawn);
    write_value(name, &drawn, &a);
    derivation_release(&log);
    arena_release(&a);
}

int main(int argc, char **argv)
{
    char *line = NULL;
    size_t size = 0;
    FILE *file = argc == 3 ? fopen(argv[1], "r") : NULL;
    if (!file)
        return 2;
    unsigned long count = strtoul(argv[2], NULL, 10);
    for (ssize_t length; (length = getline(&line, &size, file)) > 0;) {
        struct schema_book *book = NULL;
        if (schema_book_new(bytes_of(line, (size_t)length), &book, NULL) < 0)
            return 2;
        struct bytes name = json_as_text(json_get(schema_book_document(book), "name"));
        char text[64];
        snprintf(text, sizeof text, "%.*s", BYTES_ARG(name));
        for (int kind = 0; kind < SCHEMA_KINDS; kind++)
            for (unsigned long i = 0; i < count; i++)
                draw_one(book, text, (enum schema_kind)kind, i);
        schema_book_free(book);
    }
    free(line);
    fclose(file);
    return 0;
}
