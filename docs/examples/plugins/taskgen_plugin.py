"""The loop of a taskgen plug-in (docs/plugins.md): reads requests, calls a method of your class, writes answers.

    class Mine(taskgen_plugin.Plugin):
        name, version = "mine", "1.0"
        needs = ["run", "run:python", "write", "write:bytes", "read"]
        run = ["binary", "split", "exit"]
        def op_write(self, path, content): ...
        def op_run(self, language=None, script=None, **others): return {"exit": 0, "stdout": b"..."}

    taskgen_plugin.serve(Mine())

An op's method gets the op's arguments by name, with "-" as "_"; it returns a dict of results (bytes and text alike), None for none, or
raises Failed, Skip. Each call runs in a thread of its own, so calls of one group overlap as they do for other targets.
"""
import base64, json, sys, threading, traceback


class Failed(Exception):
    """The sandbox refused, with its words; code is its own number, or 0."""

    def __init__(self, message, code=0):
        super().__init__(message)
        self.code = code


class Skip(Exception):
    """This call cannot be made here at all."""


class Plugin:
    name, version = "plugin", "0"
    needs, run = [], []
    root = None  # where {root} is inside the sandbox, when it is somewhere else

    def open(self, root, home, port):
        """Make the sandbox ready."""

    def close(self):
        """Give it back."""


def inward(value):
    if isinstance(value, dict):
        if set(value) == {"$bytes"}:
            return base64.b64decode(value["$bytes"])
        return {key: inward(member) for key, member in value.items()}
    return [inward(member) for member in value] if isinstance(value, list) else value


def outward(value):
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            return {"$bytes": base64.b64encode(value).decode("ascii")}
    if isinstance(value, dict):
        return {key: outward(member) for key, member in value.items()}
    return [outward(member) for member in value] if isinstance(value, (list, tuple)) else value


def as_bytes(value):
    """A text or bytes argument as bytes."""
    return value if isinstance(value, bytes) else value.encode("utf-8")


class NoSuchMethod(Exception):
    pass


def answer(plugin, method, params):
    if method == "open":
        plugin.open(params["root"], params["home"], params["port"])
        result = {"protocol": "taskgen/plugin/1", "name": plugin.name, "version": plugin.version}
        return dict(result, root=plugin.root) if plugin.root else result
    if method == "capabilities":
        return {"needs": plugin.needs, "run": plugin.run}
    if method == "close":
        plugin.close()
        return {}
    if method != "call":
        raise NoSuchMethod(method)
    op = getattr(plugin, "op_" + params["op"].replace("-", "_"), None)
    if op is None:
        return {"skip": params["op"]}
    try:
        arguments = {key.replace("-", "_"): inward(value) for key, value in params["args"].items()}
        return {"ok": True, "result": outward(op(**arguments) or {})}
    except Skip as reason:
        return {"skip": str(reason)}
    except Failed as failure:
        return {"ok": False, "message": str(failure), "code": failure.code}


def serve(plugin):
    lock, output = threading.Lock(), sys.stdout.buffer
    sys.stdout = sys.stderr  # whatever else prints must not get between the answers

    def reply(message):
        with lock:
            output.write(json.dumps(message).encode("utf-8") + b"\n")
            output.flush()

    def handle(request):
        message = {"jsonrpc": "2.0", "id": request["id"]}
        try:
            message["result"] = answer(plugin, request["method"], request.get("params", {}))
        except NoSuchMethod:
            message["error"] = {"code": -32601, "message": "no such method"}
        except Exception as fault:  # the plug-in's own fault: taskgen reports it as that
            traceback.print_exc()
            message["error"] = {"code": -32603, "message": f"{type(fault).__name__}: {fault}"}
        reply(message)

    for line in sys.stdin.buffer:
        try:
            request = json.loads(line)
        except ValueError:
            reply({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "not JSON"}})
            continue
        if "id" not in request:
            continue  # a notification, such as notifications/cancelled
        if request.get("method") == "call":
            threading.Thread(target=handle, args=(request,), daemon=True).start()
        else:
            handle(request)
