/* Calm texts by the names and descriptions of parameters: what a person would try first. Paths stay below the
 * root, addresses on this machine, commands change nothing, whatever kind of value is asked for. */
#include <string.h>

#include "gen/schema_internal.h"

enum { DESCRIPTION_READ = 160, CHOICES_MAX = 16 };

/* Words of the name | what fits, separated by \1. The first row that has a word of the name counts. */
static const struct {
    const char *words, *texts;
    bool by_description; /* the words say as much in a description */
} rows[] = {
    {"cwd|workdir|workspace|working|root", ".", true},
    {"path|file|filename|filepath|dir|directory|folder|src|dst|dest|destination|location",
     "notes.txt\1data\1data/report.csv\1src/main.py\1a b.txt\1.", true},
    {"url|uri|href|endpoint|website|site|webpage|link",
     "http://127.0.0.1:9/\1http://localhost:9/a?b=c\1http://127.0.0.1:9/page.html#top", true},
    {"host|hostname|domain|address|ip|server", "localhost\1127.0.0.1\1::1", false},
    {"command|cmd|shell|script|bash|executable", "echo taskgen\1true\1printf x\1pwd", true},
    {"code|program|snippet|javascript|python", "1+1\1print(1)\1x = 1", false},
    {"expression|formula|equation", "1+1\1(2*3)-4\1sqrt(16)", true},
    {"sql", "select 1\1select 'a' as b", true},
    {"regex|regexp|pattern|glob", "a.*b\1^[a-z]+$\1*.txt", true},
    {"query|search|term|keyword|q|question", "status\1open issues\1entity one", false},
    {"email|mail|recipient|sender", "user@example.com\1a.b+c@example.org", true},
    {"date|day|since|until|deadline", "2024-02-29\12026-01-01", false},
    {"datetime|timestamp|time", "2024-02-29T12:00:00Z\112:30", false},
    {"timezone|tz", "UTC\1Europe/Warsaw\1America/New_York", true},
    {"language|lang|locale", "en\1python\1de", false},
    {"branch|ref|revision|commit|sha", "main\1HEAD\1feature/a", false},
    {"version", "1.0.0\12.1", false},
    {"color|colour", "red\1#ff8800", false},
    {"json", "{\"a\":1}\1[1,2]\1null", true},
    {"base64", "aGVsbG8=\1AAEC", true},
    {"id|uuid|guid|handle|key|token|cursor|session|pid", "1\1a1\1item-7", false},
    {"phone", "+1-202-555-0100", false},
    {"city|country|place|region", "Paris\1Köln\1New York", false},
    {"type|kind|category|tag|label|status|state|mode", "note\1person\1open\1done", false},
    {"name|user|username|author|owner|entity|from|to|source|target|title|subject|node|relation",
     "alpha\1beta\1gamma\1Ada Lovelace\1works_with", false},
    {"text|message|content|body|comment|note|observation|thought|prompt|summary|description|input|data|value|"
     "line",
     "hello\1Hello, world.\1two\nlines\1Grüße, 日本語\1the quick brown fox", false},
};

static const char *find(struct bytes name, bool description)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((!description || rows[i].by_description) && schema_name_has(name, rows[i].words))
            return rows[i].texts;
    return NULL;
}

bool draw_named(struct drawing *d, const struct json *schema, struct bytes name, struct bytes description,
                struct buf *out)
{
    const char *texts = find(name, false), *choices[CHOICES_MAX];
    if (!texts)
        texts = find(bytes_slice(description, 0, DESCRIPTION_READ), true);
    if (!texts)
        return false;
    size_t count = 0;
    for (const char *at = texts; count < CHOICES_MAX;) {
        choices[count++] = at;
        at = strchr(at, '\1');
        if (!at)
            break;
        at++;
    }
    const char *chosen = choices[draw_below(d, schema, ROLE_TEXT, count)];
    buf_add(out, bytes_of(chosen, strcspn(chosen, "\1")));
    return true;
}

bool schema_takes_time(struct bytes name)
{
    return schema_name_has(
        name, "duration|second|sec|minute|hour|millisecond|ms|timeout|delay|wait|sleep|interval|timeoutms|"
              "ttl|iteration|repeat|repetition|pause|step|retry|attempt|loop|cycle|tick");
}

bool schema_is_path(struct bytes name)
{
    return schema_name_has(name, rows[0].words) || schema_name_has(name, rows[1].words) ||
           schema_name_has(name, "command|cmd|shell|script|bash|executable|code|url|uri|href|endpoint|host");
}
