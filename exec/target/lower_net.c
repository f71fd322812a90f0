/* Lowered net ops: Python programs. What an op says goes in as base64, so no quoting can go wrong. */
#include "exec/target/lower_internal.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SCRIPT_SPACE = 256 * 1024, LISTEN_MS = 5000 };

/* A Python expression for the bytes. */
static void add_bytes(struct buf *code, struct bytes value)
{
    buf_add_string(code, "base64.b64decode('");
    lower_add_base64(code, value);
    buf_add_string(code, "')");
}

/* An exception becomes one line on standard error and status 1. */
static const char guard[] =
    "try:\n"
    "    main()\n"
    "except Exception as e:\n"
    "    done(1, b'', ('%s: %s' % (type(e).__name__, e)).encode('utf-8', 'replace'))\n";

static void run(struct lowered *l, struct buf *code)
{
    buf_add_string(code, guard);
    if (code->overflow)
        call_skip(l->call, "its arguments are longer than a command may be");
    else
        lower_python(l, buf_string(code));
    buf_release(code);
}

/* Seconds that the program may take: less than we wait for it, so that the error is its own. */
static double patience(const struct lowered *l)
{
    return (double)call_time_left(l->call) / 1000 * 0.8;
}

static void fetch_begin(struct lowered *l)
{
    struct bytes url, method = BYTES_LITERAL("GET"), body;
    struct buf code;
    if (!call_bytes(l->call, "url", &url)) {
        call_skip(l->call, "url: a command needs it as text");
        return;
    }
    call_bytes(l->call, "method", &method);
    bool with_body = call_bytes(l->call, "body", &body);
    buf_init(&code, SCRIPT_SPACE);
    buf_add_string(&code, "import urllib.request, urllib.error\ndef main():\n    url = ");
    add_bytes(&code, url);
    buf_add_string(&code, ".decode('utf-8', 'surrogateescape')\n    method = ");
    add_bytes(&code, method);
    buf_add_string(&code, ".decode()\n    data = ");
    if (with_body)
        add_bytes(&code, body);
    else
        buf_add_string(&code, "None");
    buf_addf(&code,
             "\n    request = urllib.request.Request(url, data=data, method=method)\n"
             "    try:\n"
             "        with urllib.request.urlopen(request, timeout=%.1f) as r:\n"
             "            status, content = r.status or 0, r.read()\n"
             "    except urllib.error.HTTPError as e:\n"
             "        status, content = e.code, e.read()\n"
             "    done(0, b'%%d\\n' %% status + content, b'')\n",
             patience(l));
    run(l, &code);
}

static void fetch_reply(struct lowered *l, const struct lower_answer *answer)
{
    ptrdiff_t newline = bytes_find(answer->out, BYTES_LITERAL("\n"), 0);
    if (answer->exit != 0 || newline < 0) {
        lower_fail(l, answer);
        return;
    }
    lower_done(l);
    call_put_integer(l->call, "status", strtol((const char *)answer->out.data, NULL, 10));
    call_put_bytes(l->call, "content", bytes_slice(answer->out, (size_t)newline + 1, answer->out.len));
}

static void connect_begin(struct lowered *l)
{
    struct bytes host, sent = BYTES_NONE;
    struct buf code;
    int64_t port = -1;
    if (!call_bytes(l->call, "host", &host) || !lower_number(l, "port", 0, UINT16_MAX, &port) || port < 0) {
        if (!l->call->outcome.skip_reason)
            call_skip(l->call, "host and port: a command needs both");
        return;
    }
    call_bytes(l->call, "send", &sent);
    buf_init(&code, SCRIPT_SPACE);
    buf_add_string(&code, "import socket\ndef main():\n    host = ");
    add_bytes(&code, host);
    buf_addf(&code,
             ".decode('utf-8', 'surrogateescape')\n    s = socket.create_connection((host, %lld), %.1f)\n    "
             "s.sendall(",
             (long long)port, patience(l));
    add_bytes(&code, sent);
    buf_add_string(&code, ")\n    s.shutdown(socket.SHUT_WR)\n    parts = []\n"
                          "    while True:\n"
                          "        part = s.recv(65536)\n"
                          "        if not part: break\n"
                          "        parts.append(part)\n"
                          "    done(0, b''.join(parts), b'')\n");
    run(l, &code);
}

static void connect_reply(struct lowered *l, const struct lower_answer *answer)
{
    if (answer->exit != 0) {
        lower_fail(l, answer);
        return;
    }
    lower_done(l);
    call_put_bytes(l->call, "content", answer->out);
}

static void resolve_begin(struct lowered *l)
{
    struct bytes host;
    struct buf code;
    if (!call_bytes(l->call, "host", &host)) {
        call_skip(l->call, "host: a command needs it as text");
        return;
    }
    buf_init(&code, SCRIPT_SPACE);
    buf_add_string(&code, "import socket\ndef main():\n    host = ");
    add_bytes(&code, host);
    buf_add_string(&code, ".decode('utf-8', 'surrogateescape')\n"
                          "    found = sorted({i[4][0] for i in socket.getaddrinfo(host, None)})\n"
                          "    done(0, '\\n'.join(found).encode(), b'')\n");
    run(l, &code);
}

static void resolve_reply(struct lowered *l, const struct lower_answer *answer)
{
    if (answer->exit != 0) {
        lower_fail(l, answer);
        return;
    }
    lower_done(l);
    struct json *addresses = json_set(l->a, call_result(l->call), "addresses", json_new(l->a, JSON_ARRAY));
    for (size_t from = 0; from < answer->out.len;) {
        ptrdiff_t newline = bytes_find(answer->out, BYTES_LITERAL("\n"), from);
        size_t to = newline < 0 ? answer->out.len : (size_t)newline;
        json_add(addresses, json_string(l->a, bytes_slice(answer->out, from, to)));
        from = to + 1;
    }
}

/* --- serve: start the server, then wait until it takes connections. When it takes none, it is asked whether it listens --- */

struct serving {
    int64_t port;
    struct json *pid;
    bool native; /* the target's own job, which can be asked what it has printed */
    struct lower_answer refused;
};

static void serve_begin(struct lowered *l)
{
    struct bytes path;
    struct buf script, program;
    struct serving *s = arena_alloc(l->a, sizeof *s);
    l->own = s;
    if (!lower_path(l, "path", &path) || !lower_number(l, "port", 1, UINT16_MAX, &s->port))
        return;
    if (!s->port) {
        call_skip(l->call, "port: a command needs it");
        return;
    }
    buf_init(&program, SCRIPT_SPACE);
    buf_init(&script, SCRIPT_SPACE);
    buf_addf(&program,
             " \"$(command -v /usr/bin/python3 || command -v python3)\" -u -c 'import runpy, signal; signal.alarm(%lld); "
             "runpy.run_module(\"http.server\", run_name=\"__main__\")' %lld --bind 127.0.0.1 --directory ",
             (long long)(settings_int(target_settings(l->s->target), "exec.session-timeout") / 1000 + 1), (long long)s->port);
    lower_add_path(&program, path);
    buf_add_string(&script, "[ -d ");
    lower_add_path(&script, path);
    buf_add_string(&script, "/. ] || { echo 'Not a directory' >&2; exit 1; }; ");
    s->native = l->s->driver->supports(l->s, "start") == SUPPORT_NATIVE;
    if (s->native) {
        buf_add_string(&script, "exec");
        buf_add(&script, buf_bytes(&program));
        lower_start(l, &script);
    } else {
        lower_add_job(l, &script, buf_bytes(&program));
        lower_shell(l, &script, NULL);
    }
    buf_release(&program);
}

static void await_server(struct lowered *l, int64_t port)
{
    struct buf code;
    int64_t left = call_time_left(l->call) * 8 / 10;
    buf_init(&code, SCRIPT_SPACE);
    buf_addf(&code,
             "import socket, time\ndef main():\n"
             "    end = time.monotonic() + %.2f\n"
             "    while True:\n"
             "        try:\n"
             "            socket.create_connection(('127.0.0.1', %lld), 1).close()\n"
             "            break\n"
             "        except OSError:\n"
             "            if time.monotonic() > end: raise\n"
             "            time.sleep(0.02)\n"
             "    done(0, b'', b'')\n",
             (double)(left < LISTEN_MS ? left : LISTEN_MS) / 1000, (long long)port);
    run(l, &code);
}

static void ask_server(struct lowered *l, const struct json *pid)
{
    struct json *args = json_new(l->a, JSON_OBJECT);
    json_set(l->a, args, "pid", json_copy(l->a, pid));
    lower_op(l, "poll", args);
}

/* What Python's http.server prints once it listens. */
static void server_says(struct lowered *l, const struct json *polled)
{
    struct serving *s = l->own;
    lower_fail(l, &s->refused);
    if (bytes_find(json_as_text(json_get(polled, "stdout")), BYTES_LITERAL("Serving HTTP on "), 0) >= 0)
        json_set(l->a, call_result(l->call), "listens", json_bool(l->a, true));
}

static void serve_reply(struct lowered *l, const struct lower_answer *answer)
{
    struct serving *s = l->own;
    if (l->step == 3) {
        server_says(l, answer->result);
        return;
    }
    if (l->step == 2 && answer->exit != 0 && s->native && l->s->driver->supports(l->s, "poll") == SUPPORT_NATIVE) {
        s->refused = *answer;
        ask_server(l, s->pid);
        return;
    }
    if (answer->exit != 0) {
        lower_fail(l, answer);
        return;
    }
    if (l->step > 1) {
        lower_done(l);
        if (s->pid)
            json_set(l->a, call_result(l->call), "pid", s->pid);
        return;
    }
    const struct json *pid = json_get(answer->result, "pid");
    if (pid && !answer->out.len)
        s->pid = json_copy(l->a, pid);
    else
        s->pid = json_integer(l->a, strtol((const char *)arena_string(l->a, answer->out), NULL, 10));
    await_server(l, s->port);
}

const struct lower_row lower_net_rows[] = {
    {.op = "fetch", .need = "run:python", .begin = fetch_begin, .reply = fetch_reply},
    {.op = "connect", .need = "run:python", .begin = connect_begin, .reply = connect_reply},
    {.op = "resolve", .need = "run:python", .begin = resolve_begin, .reply = resolve_reply},
    {.op = "serve", .need = "run:python", .channel = RUN_NETWORK, .begin = serve_begin, .reply = serve_reply},
    {0},
};
