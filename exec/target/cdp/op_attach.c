/* attach: chooses a file of the session's root in a file field. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/target/cdp/cdp.h"
#include "exec/target/root.h"

static const char find[] =
    "(selector => {"
    " const e = document.querySelector(selector);"
    " if (!e) throw new Error('no element matches ' + selector);"
    " if (e.tagName !== 'INPUT' || e.type !== 'file') throw new Error('it is no file field: ' + selector);"
    " return e;"
    "})(";

/* A browser takes the name of a file that is not there as well, and then sends nothing. 0, or an errno. */
static int look_for_file(const struct session *s, struct bytes path)
{
    char name[256];
    struct stat st;
    if (path.len && path.data[0] == '/')
        return 0;
    if (path.len && memchr(path.data, '\0', path.len))
        return EINVAL;
    int parent = root_open_parent(s, path, name);
    if (parent < 0)
        return -parent;
    int failed = fstatat(parent, name, &st, 0) < 0 ? errno : S_ISDIR(st.st_mode) ? EISDIR : 0;
    close(parent);
    return failed;
}

static void chosen(struct cdp_op *op, const struct json *result)
{
    cdp_page_settle(op, cdp_ok);
}

static void found(struct cdp_op *op, const struct json *result)
{
    struct arena *a = &op->c->scratch;
    struct bytes path = BYTES_NONE;
    const struct json *object = json_pointer(result, BYTES_LITERAL("/result/objectId"));
    cdp_page_value(op, result);
    if (op->done)
        return;
    if (!json_is(object, JSON_STRING)) {
        cdp_fail(op, OUTCOME_TRANSPORT_ERROR, 0, "the browser gives the field no name");
        return;
    }
    call_bytes(op->call, "path", &path);
    struct json *params = cdp_object(op->c), *files = json_new(a, JSON_ARRAY);
    json_add(files, json_string(a, session_spell(op->c->session, path, "absolute", a)));
    json_set(a, params, "files", files);
    json_set(a, params, "objectId", json_string(a, object->text));
    cdp_send(op, "DOM.setFileInputFiles", params, chosen);
}

static void begin(struct cdp_op *op)
{
    struct arena *a = &op->c->scratch;
    struct bytes path = BYTES_NONE, selector = BYTES_NONE;
    struct json *params = cdp_object(op->c);
    struct buf expression;
    call_bytes(op->call, "path", &path);
    call_bytes(op->call, "selector", &selector);
    if (!op->c->shares_files) {
        call_skip(op->call, "attach: the browser is elsewhere, and sees no file of ours");
        cdp_skip(op);
        return;
    }
    int failed = look_for_file(op->c->session, path);
    if (failed) {
        cdp_fail(op, OUTCOME_TOOL_ERROR, failed, "the file cannot be had: %s", strerror(failed));
        return;
    }
    buf_init(&expression, SIZE_MAX);
    buf_add_string(&expression, find);
    json_write_string(&expression, selector);
    buf_add_byte(&expression, ')');
    json_set(a, params, "expression", json_string(a, buf_bytes(&expression)));
    buf_release(&expression);
    cdp_send(op, "Runtime.evaluate", params, found);
}

const struct cdp_op_row cdp_attach = {.op = "attach", .begin = begin};
