/* exec/target/given, mcp_config: what a target is given from flags, files, the environment and other clients' configurations, what of it
 * is secret, and that every bad input is one clear line that does not show it. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "exec/target/given.h"
#include "exec/target/mcp_config.h"
#include "unit.h"

static struct given g;
static char *directory;
static struct arena a;

static void set_up(void)
{
    given_init(&g);
    arena_init(&a);
    directory = fs_fresh_dir("taskgen-test", NULL);
    ck_assert_int_eq(chdir(directory), 0);
    setenv("GIVEN_TOKEN", "tok-12345-secret", 1);
    setenv("GIVEN_EMPTY", "", 1);
    unsetenv("GIVEN_ABSENT");
}

static void tear_down(void)
{
    given_release(&g);
    ck_assert_int_eq(chdir("/"), 0);
    fs_remove_tree(directory, NULL);
    free(directory);
    arena_release(&a);
}

static void put(const char *name, const char *text)
{
    ck_assert_int_eq(fs_write(name, bytes_of_string(text), NULL), 0);
    ck_assert_int_eq(chmod(name, 0600), 0);
}

static bool is_secret(const char *text)
{
    return redact_finds(g.secrets, bytes_of_string(text), NULL);
}

static bool has(const struct strings *list, const char *text)
{
    return strings_have(list->items, text);
}

START_TEST(variables)
{
    ck_assert_int_eq(given_env(&g, "GIVEN_TOKEN", NULL), 0);
    ck_assert_int_eq(given_env(&g, "A=x ${GIVEN_TOKEN}${env:GIVEN_TOKEN} $B {root}", NULL), 0);
    ck_assert_int_eq(given_env(&g, "B=${GIVEN_ABSENT:-other}${GIVEN_EMPTY:-more}", NULL), 0);
    ck_assert_int_eq(given_env(&g, "B2=", NULL), 0);
    ck_assert(has(&g.env, "GIVEN_TOKEN=tok-12345-secret"));
    ck_assert(has(&g.env, "A=x tok-12345-secrettok-12345-secret $B {root}"));
    ck_assert(has(&g.env, "B=othermore"));
    ck_assert(has(&g.env, "B2="));
    ck_assert(is_secret("see tok-12345-secret"));
    ck_assert(!is_secret("othermore"));
    ck_assert_int_eq(given_env(&g, "A=again", NULL), 0);
    ck_assert(has(&g.env, "A=again"));
    ck_assert_uint_eq(g.env.count, 4);
}
END_TEST

static const struct {
    const char *name, *value;
    bool secret;
} literals[] = {
    {"LOG_LEVEL", "verbose", false},        {"PORT", "8080", false},           {"DIR", "{root}/data", false},
    {"CONF", "/etc/app/conf.json", false},  {"URL", "http://h:1/x", false},    {"LOG_TOKEN", "verbose", true},
    {"X", "correcthorsebattery", true},     {"X", "a1b2c3d4e5", true},         {"DB_PASSWORD", "12345678", true},
    {"URL", "http://u:p4ssw0rd@h/", true},  {"X", "AKIA/abc+def==", true},     {"HOME", "/home/some-1", false},
    {"X", "two words", true},
};

START_TEST(values_that_are_written_out)
{
    given_literal(&g, literals[_i].name, literals[_i].value);
    ck_assert_msg(is_secret(literals[_i].value) == literals[_i].secret, "%s=%s", literals[_i].name, literals[_i].value);
}
END_TEST

START_TEST(files_of_variables)
{
    put("e", "# comment\n\nA=it's \"as it stands\" ${GIVEN_TOKEN}\r\nGIVEN_TOKEN\nC=\n");
    ck_assert_int_eq(given_env_file(&g, "e", NULL), 0);
    ck_assert(has(&g.env, "A=it's \"as it stands\" ${GIVEN_TOKEN}"));
    ck_assert(has(&g.env, "GIVEN_TOKEN=tok-12345-secret"));
    ck_assert(has(&g.env, "C="));
    ck_assert_uint_eq(g.warnings.count, 0);
    ck_assert_int_eq(chmod("e", 0644), 0);
    ck_assert_int_eq(given_env_file(&g, "e", NULL), 0);
    ck_assert_str_eq(g.warnings.items[0], "e can be read by everybody on this machine (mode 0644); chmod 600 keeps it to you");
}
END_TEST

START_TEST(headers)
{
    put("h", "X-One: 1\nCookie: sid=abcdef123456; lang=en\n");
    put("b", "  bearer-abc.def-1 \n");
    ck_assert_int_eq(given_header(&g, "X-Key: ${GIVEN_TOKEN}", NULL), 0);
    ck_assert_int_eq(given_header(&g, "@h", NULL), 0);
    ck_assert_int_eq(given_header(&g, "Authorization: Basic dXNlcjpwYXNz", NULL), 0);
    ck_assert_int_eq(given_header(&g, "Accept: application/vnd.x+json", NULL), 0);
    ck_assert_int_eq(given_bearer(&g, "${GIVEN_TOKEN}", NULL), 0);
    ck_assert_int_eq(given_bearer_file(&g, "b", NULL), 0);
    ck_assert(has(&g.headers, "X-Key: tok-12345-secret"));
    ck_assert(has(&g.headers, "Cookie: sid=abcdef123456; lang=en"));
    ck_assert(has(&g.headers, "Authorization: Bearer tok-12345-secret"));
    ck_assert(has(&g.headers, "Authorization: Bearer bearer-abc.def-1"));
    ck_assert(is_secret("abcdef123456"));
    ck_assert(is_secret("dXNlcjpwYXNz"));
    ck_assert(is_secret("bearer-abc.def-1"));
    ck_assert(!is_secret("application/vnd.x+json"));
}
END_TEST

START_TEST(addresses)
{
    given_url(&g, "https://me:hunter2-x@h/p?api_key=k-123456&page=1234567");
    ck_assert(is_secret("hunter2-x"));
    ck_assert(is_secret("k-123456"));
    ck_assert(!is_secret("1234567"));
}
END_TEST

START_TEST(short_secrets_are_said)
{
    setenv("GIVEN_TOKEN", "abc", 1);
    ck_assert_int_eq(given_env(&g, "GIVEN_TOKEN", NULL), 0);
    ck_assert_uint_eq(g.warnings.count, 1);
    ck_assert(strstr(g.warnings.items[0], "GIVEN_TOKEN has fewer than 6 bytes") != NULL);
}
END_TEST

/* Flag, what it is given, the contents of ./file, what is said. */
static const struct {
    int (*take)(struct given *, const char *, struct error **);
    const char *text, *file, *said;
} bad[] = {
    {given_env, "GIVEN_ABSENT", NULL, "--env: the variable GIVEN_ABSENT is not set, expected it in the environment"},
    {given_env, "A=${GIVEN_ABSENT}", NULL, "--env: the variable GIVEN_ABSENT is not set, expected it in the environment"},
    {given_env, "A=${GIVEN_TOKEN", NULL, "--env: found ${ without its }, expected ${NAME}"},
    {given_env, "A=${input:key}", NULL, "--env: found ${input:key}, expected ${NAME}, ${env:NAME} or ${NAME:-otherwise}"},
    {given_env, "no-name", NULL, "--env: expected NAME=VALUE or the NAME of a variable"},
    {given_env, "=x", NULL, "--env: bad name before '=', expected letters, digits and _"},
    {given_env_file, "absent", NULL, "--env-file: cannot read 'absent': No such file or directory"},
    {given_env_file, "file", "A=1\nMIIEvQ+/=canary\n", "--env-file: file:2: bad name before '=', expected letters, digits and _"},
    {given_env_file, "file", "\n\ncanary\n", "--env-file: file:3: the variable named there is not set, expected it in the environment"},
    {given_env_file, "file", "can ary\n", "--env-file: file:1: expected NAME=VALUE or the NAME of a variable"},
    {given_header, "canary", NULL, "--header: found no NAME: before a value, expected NAME: VALUE"},
    {given_header, ": canary", NULL, "--header: found no NAME: before a value, expected NAME: VALUE"},
    {given_header, "@file", "A: 1\ncanary\n", "--header: file:2: found no NAME: before a value, expected NAME: VALUE"},
    {given_header, "@absent", NULL, "--header: cannot read 'absent': No such file or directory"},
    {given_bearer, "can ary", NULL, "--bearer: a byte that no token has (white space, a control character, or beyond ASCII), expected one word"},
    {given_bearer, "", NULL, "--bearer: found nothing, expected a token"},
    {given_bearer_file, "file", " \n", "--bearer-file: file: found nothing, expected a token"},
    {given_bearer_file, "file", "can\nary\n", "--bearer-file: file: a byte that no token has (white space, a control character, or beyond "
                                              "ASCII), expected one word"},
};

START_TEST(bad_inputs)
{
    struct error *err = NULL;
    if (bad[_i].file)
        put("file", bad[_i].file);
    ck_assert_int_eq(bad[_i].take(&g, bad[_i].text, &err), ERR_INPUT);
    ck_assert_str_eq(err->text, bad[_i].said);
    ck_assert_ptr_null(strstr(err->text, "canary"));
    error_free(err);
}
END_TEST

/* --- configurations --- */

static const struct {
    const char *text, *server, *spec, *env, *header, *cwd;
} configs[] = {
    {"{\"mcpServers\":{\"a\":{\"command\":\"srv\",\"args\":[\"--x\",\"${GIVEN_TOKEN}\",7],\"env\":{\"K\":\"v-${env:GIVEN_TOKEN}\",\"N\":1}}}}", NULL,
     "mcp:srv --x '${GIVEN_TOKEN}' 7", "K=v-tok-12345-secret", NULL, NULL},
    {"{\"servers\":{\"a\":{\"type\":\"stdio\",\"command\":\"s p\",\"cwd\":\"{root}/${GIVEN_ABSENT:-d}\"},\"b\":{\"command\":\"x\"}},\"inputs\":[]}", "a",
     "mcp:'s p'", NULL, NULL, "{root}/d"},
    {"{\"mcp\":{\"servers\":{\"a\":{\"type\":\"http\",\"url\":\"http://127.0.0.1:{port}/${GIVEN_ABSENT:-m}\",\"headers\":{\"X\":\"${GIVEN_TOKEN}\"}}}}}", NULL,
     "http://127.0.0.1:{port}/${GIVEN_ABSENT:-m}", NULL, "X: tok-12345-secret", NULL},
    {"\xef\xbb\xbf{ // servers, so \"they\" say\n \"mcpServers\": { /* , } */ \"off\": {\"command\":\"x\",\"disabled\":true},\n"
     " \"on\": {\"command\":\"http://,}\",\"args\":[\"a\",],},\n },\n}\n", NULL,
     "mcp:'http://,}' a", NULL, NULL, NULL},
};

START_TEST(configurations)
{
    struct mcp_config c;
    struct error *err = NULL;
    put("c.json", configs[_i].text);
    int status = mcp_config_read("c.json", configs[_i].server, &g, &c, &err);
    ck_assert_msg(status == 0, "%s", err ? err->text : "");
    ck_assert_str_eq(c.spec, configs[_i].spec);
    ck_assert(!configs[_i].env || has(&g.env, configs[_i].env));
    ck_assert(!configs[_i].header || has(&g.headers, configs[_i].header));
    ck_assert(!configs[_i].cwd == !c.cwd);
    if (c.cwd)
        ck_assert_str_eq(c.cwd, configs[_i].cwd);
    if (_i == 0) {
        ck_assert_str_eq(c.words[2], "tok-12345-secret");
        ck_assert_str_eq(c.words[3], "7");
        ck_assert(has(&g.env, "N=1"));
    }
    mcp_config_release(&c);
}
END_TEST

static const struct {
    const char *text, *server, *said;
} bad_configs[] = {
    {NULL, NULL, "--mcp-config: cannot read 'c.json': No such file or directory"},
    {"{\n\"mcpServers\": {\n \"a\": nul\n}}", NULL, "c.json:3: no JSON: "},
    {"[]", NULL, "c.json:1: no servers, expected an object with \"mcpServers\" or \"servers\""},
    {"{\"mcpServers\":{}}", NULL, "c.json has 0 servers, expected one"},
    {"{\"servers\":{\"a\":{},\"b\":{},\"c\":{\"disabled\":true}}}", NULL, "c.json has 2 servers: a, b; --server NAME chooses one"},
    {"{\"servers\":{\"a\":{},\"b\":{}}}", "z", "c.json has no server 'z', expected one of: a, b"},
    {"{\"servers\":{\n\n\"a\":{\"disabled\":true}}}", "a", "c.json:3: server 'a' is disabled"},
    {"{\"servers\":{\n\"a\":[]}}", NULL, "c.json:2: server 'a': is array, expected an object"},
    {"{\"servers\":{\n\"a\":{}}}", NULL, "c.json:2: server 'a': has neither \"command\" nor \"url\""},
    {"{\"servers\":{\"a\":{\n\"command\":{}}}}", NULL, "c.json:2: server 'a': \"command\" is object, expected text"},
    {"{\"servers\":{\"a\":{\"command\":\"\"}}}", NULL, "c.json:1: server 'a': \"command\" is empty, expected a program"},
    {"{\"servers\":{\"a\":{\"command\":\"x\",\n\"args\":\"y\"}}}", NULL, "c.json:2: server 'a': \"args\" is string, expected an array"},
    {"{\"servers\":{\"a\":{\"command\":\"x\",\n\"args\":[\"y\",\nnull]}}}", NULL, "c.json:3: server 'a': \"args\" is null, expected text"},
    {"{\"servers\":{\"a\":{\"command\":\"x\",\"env\":{\n\"K\":\"${GIVEN_ABSENT}\"}}}}", NULL,
     "c.json:2: server 'a': \"K\": the variable GIVEN_ABSENT is not set, expected it in the environment"},
    {"{\"servers\":{\"a\":{\"command\":\"x\",\"env\":{\n\"K\":\"${input:key}\"}}}}", NULL,
     "c.json:2: server 'a': \"K\": found ${input:key}, expected ${NAME}, ${env:NAME} or ${NAME:-otherwise}"},
    {"{\"servers\":{\"a\":{\"command\":\"x\",\"env\":[]}}}", NULL, "c.json:1: server 'a': \"env\" is array, expected an object"},
    {"{\"servers\":{\"a\":{\"type\":\"ws\",\"url\":\"http://h/\"}}}", NULL, "c.json:1: server 'a': \"type\" is not known here, expected stdio or http"},
    {"{\"servers\":{\"a\":{\"url\":\"ws://h/\"}}}", NULL, "c.json:1: server 'a': \"url\" begins with neither http:// nor https://"},
    {"{\"servers\":{\"a\":{\"url\":\"http://h/\",\"headers\":{\"A\":\"x\\ny\"}}}}", NULL,
     "c.json:1: server 'a': the value of A has more than one line"},
    {"{\"servers\":{\"a\":{\"command\":\"x\",\"envFile\":\"absent\"}}}", NULL, "--env-file: cannot read 'absent': No such file or directory"},
    {"{\"servers\":{\"a\":{\"command\":\"x\\u0000y\"}}}", NULL, "c.json:1: server 'a': \"command\" is text with a NUL, expected text"},
};

START_TEST(bad_configurations)
{
    struct mcp_config c;
    struct error *err = NULL;
    if (bad_configs[_i].text)
        put("c.json", bad_configs[_i].text);
    ck_assert_int_eq(mcp_config_read("c.json", bad_configs[_i].server, &g, &c, &err), ERR_INPUT);
    ck_assert_msg(strncmp(err->text, bad_configs[_i].said, strlen(bad_configs[_i].said)) == 0, "%s", err->text);
    ck_assert_ptr_null(strchr(err->text, '\n'));
    error_free(err);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, variables);
    tcase_add_loop_test(tests, values_that_are_written_out, 0, sizeof literals / sizeof *literals);
    tcase_add_test(tests, files_of_variables);
    tcase_add_test(tests, headers);
    tcase_add_test(tests, addresses);
    tcase_add_test(tests, short_secrets_are_said);
    tcase_add_loop_test(tests, bad_inputs, 0, sizeof bad / sizeof *bad);
    tcase_add_loop_test(tests, configurations, 0, sizeof configs / sizeof *configs);
    tcase_add_loop_test(tests, bad_configurations, 0, sizeof bad_configs / sizeof *bad_configs);
}

int main(void)
{
    return unit_main("given", fill);
}
