/* exec/target/url, ssh_host, mcp_http: what is on this machine, and that nothing leaves it without --allow-remote, wherever a name,
 * a redirect or a client's configuration leads. */
#include <arpa/inet.h>
#include <netinet/in.h>

#include "exec/target/ssh_host.h"
#include "exec/target/url.h"
#include "session_fixture.h"
#include "unit.h"

static struct session_fixture f;

static void set_up(void)
{
    session_set_up(&f);
}

static void tear_down(void)
{
    session_tear_down(&f);
}

static const struct {
    const char *host;
    bool here;
} hosts[] = {
    {"127.0.0.1", true},   {"127.8.9.10", true},  {"::1", true},         {"localhost", true},        {"LOCALHOST", true},
    {"127.1", true},       {"0x7f.1", true},      {"2130706433", true},  {"::ffff:127.0.0.1", true}, {"0.0.0.0", true},
    {"::", true},          {"10.0.0.1", false},   {"128.0.0.1", false},  {"192.168.1.1", false},     {"fe80::1", false},
    {"2001:db8::1", false}, {"::ffff:10.0.0.1", false}, {"", false},     {"a.name.invalid", false},
    {"localhost.evil.invalid", false}, {"127.0.0.1.evil.invalid", false},
};

START_TEST(places_of_hosts)
{
    ck_assert_msg(url_is_here(hosts[_i].host) == hosts[_i].here, "%s", hosts[_i].host);
}
END_TEST

START_TEST(same_places)
{
    static const struct {
        const char *a, *b;
        bool same;
    } rows[] = {
        {"http://h/x", "http://H/y", true},        {"http://h:80/", "http://h/", true},
        {"http://h/", "https://h/", true},         {"https://h/", "http://h/", false},
        {"http://h:1/", "http://h:2/", false},     {"http://h/", "http://g/", false},
        {"https://h:8443/", "https://h/", false},  {"http://h/", "http://h@g/", false},
        {"http://h/", "ftp://h/", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(url_same_place(rows[i].a, rows[i].b) == rows[i].same, "%s %s", rows[i].a, rows[i].b);
}
END_TEST

/* The status of a target with these words, and what is said. */
static int try_target(const char *spec, const char *ready, bool allow, char said[512])
{
    struct error *err = NULL;
    struct target_options o = {.spec = spec, .ready = ready, .allow_remote = allow, .settings = &f.settings, .ops = f.ops};
    int status = target_new(&o, &f.target, &err);
    snprintf(said, 512, "%s", err ? err->text : "");
    error_free(err);
    if (status == 0)
        target_free(f.target);
    f.target = NULL;
    return status;
}

START_TEST(targets_elsewhere_need_leave)
{
    static const char *const specs[] = {"http://10.0.0.1/mcp", "https://a.name.invalid/mcp", "http://127.0.0.1@10.0.0.1/",
                                        "http://[2001:db8::1]:80/", "ssh:10.0.0.1", "ssh:me@a.name.invalid",
                                        "exec:ssh 10.0.0.1", "mcp:/usr/bin/ssh me@10.0.0.1 server", "plugin:ssh 10.0.0.1 driver"};
    char said[512];
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        ck_assert_msg(try_target(specs[i], NULL, false, said) == ERR_INPUT, "%s", specs[i]);
        ck_assert_msg(strstr(said, "is on another machine; --allow-remote if that is meant"), "%s", said);
        ck_assert_msg(try_target(specs[i], NULL, true, said) == 0, "%s: %s", specs[i], said);
    }
    ck_assert_int_eq(try_target("http://127.0.0.1:{port}/", "http://10.0.0.1:80/", false, said), ERR_INPUT);
    ck_assert_msg(strstr(said, "--ready 'http://10.0.0.1:80/' is on another machine"), "%s", said);
    ck_assert_int_eq(try_target("http://127.0.0.1:{port}/", "listening", false, said), 0);
}
END_TEST

/* What the client's configuration makes of a name counts, not the name. */
static const struct {
    const char *config, *host;
    bool here;
} ways[] = {
    {"", "127.0.0.1", true},
    {"", "me@localhost", true},
    {"Host box\n  HostName 127.0.0.1\n", "box", true},
    {"Host box\n  HostName 10.0.0.1\n", "box", false},
    {"Host localhost\n  HostName 10.0.0.1\n", "localhost", false},
    {"Host box\n  HostName 127.0.0.1\n  ProxyJump 10.0.0.1\n", "box", false},
    {"Host box\n  HostName 127.0.0.1\n  ProxyCommand nc 10.0.0.1 22\n", "box", false},
    {"Host box\n  HostName 127.0.0.1\n  ProxyJump none\n", "box", true},
};

START_TEST(ssh_configurations)
{
    if (access("/usr/bin/ssh", X_OK) < 0) {
        printf("not tested: no /usr/bin/ssh\n");
        return;
    }
    char *directory = fs_fresh_dir("taskgen-test", NULL);
    char *file = strings_printf("%s/config", directory);
    ck_assert_int_eq(fs_write(file, bytes_of_string(ways[_i].config), NULL), 0);
    char *words[] = {"ssh", "-T", "-F", file, (char *)ways[_i].host, NULL};
    ck_assert_msg(ssh_is_here(words) == ways[_i].here, "%s for %s", ways[_i].config, ways[_i].host);
    fs_remove_tree(directory, NULL);
    free(file);
    free(directory);
}
END_TEST

START_TEST(a_client_that_cannot_be_asked)
{
    char *words[] = {"/no/such/ssh", "127.0.0.1", NULL};
    ck_assert(!ssh_is_here(words));
    ck_assert(ssh_is_client("/no/such/ssh"));
    ck_assert(!ssh_is_client("sshd"));
}
END_TEST

static int begin(const char *mode, const char *const *headers, bool allow, struct error **err)
{
    struct target_options o = {.spec = "http://127.0.0.1:{port}/mcp", .headers = headers, .allow_remote = allow,
                               .settings = &f.settings, .ops = f.ops};
    o.start = arena_printf(&f.arena, "/usr/bin/python3 " TASKGEN_SOURCE_DIR "/tests/data/mcp/http_fake.py %s {port}", mode);
    ck_assert_int_eq(target_new(&o, &f.target, err), 0);
    return session_open(f.target, &f.session, err);
}

/* The server answers with a redirect to there. */
static void expect_refusal(const char *there, const char *const *headers, bool allow, const char *words)
{
    struct error *err = NULL;
    ck_assert_int_eq(begin(arena_printf(&f.arena, "to:%s", there), headers, allow, &err), ERR_TARGET);
    ck_assert_msg(strstr(err->text, words), "%s: %s", there, err->text);
    ck_assert_ptr_null(strchr(err->text, '\n'));
    error_free(err);
    f.session = NULL;
}

START_TEST(redirects_to_another_machine)
{
    expect_refusal("http://10.9.9.9/mcp", NULL, false, "it leads to another machine; --allow-remote if that is meant");
}
END_TEST

START_TEST(headers_are_for_one_server)
{
    static const char *const secret[] = {"X-Key: secret-7", NULL};
    /* 127.0.0.2 is the same machine, but another server: ours listens there too, at any address of the box. */
    expect_refusal("http://127.0.0.2:{port}/other", secret, true, "another server, which is not told our headers");
}
END_TEST

START_TEST(redirects_on_this_machine)
{
    struct error *err = NULL;
    int status = begin("to:http://127.0.0.2:{port}/other", NULL, false, &err);
    ck_assert_msg(status == 0, "%s", err ? err->text : "");
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, places_of_hosts, 0, sizeof hosts / sizeof *hosts);
    tcase_add_test(tests, same_places);
    tcase_add_test(tests, targets_elsewhere_need_leave);
    tcase_add_loop_test(tests, ssh_configurations, 0, sizeof ways / sizeof *ways);
    tcase_add_test(tests, a_client_that_cannot_be_asked);
    tcase_add_test(tests, redirects_to_another_machine);
    tcase_add_test(tests, headers_are_for_one_server);
    tcase_add_test(tests, redirects_on_this_machine);
}

int main(void)
{
    return unit_main("place", fill);
}
