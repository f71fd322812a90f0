"""A plug-in for a Jupyter kernel: a task's Python runs as cells of one kernel, which keeps its state from call to call.

    apt install python3-jupyter-client python3-ipykernel
    taskgen run --domain ml --count 20 --target 'plugin:python3 docs/examples/plugins/jupyter_kernel.py'

A kernel has no files of its own: commands are run by the kernel with subprocess, and taskgen carries out file ops by such commands. What a
kernel cannot say is left unsaid: an exception in a cell is exit status 1, as a script's would be.
"""
import ast, base64, os, queue, threading, time

import jupyter_client

import taskgen_plugin
from taskgen_plugin import Failed, Skip, as_bytes

WAIT = 60


class JupyterKernel(taskgen_plugin.Plugin):
    name, version = "jupyter-kernel", jupyter_client.__version__
    needs = ["run", "run:python", "run:sh"]
    run = ["binary", "split", "exit", "stdin"]

    def open(self, root, home, port):
        os.environ.update(HOME=home, JUPYTER_RUNTIME_DIR=os.path.join(home, "runtime"), IPYTHONDIR=os.path.join(home, "ipython"))
        self.lock = threading.Lock()  # a kernel runs one cell at a time
        self.manager = jupyter_client.KernelManager(kernel_name="python3")
        self.manager.start_kernel(cwd=root)
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=WAIT)

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def execute(self, code, value=None):
        """Runs one cell: its streams, whether it raised, and what the expression `value` was afterwards."""
        request = self.client.execute(code, allow_stdin=False, user_expressions={"value": value} if value else {})
        streams, failed, until = {"stdout": "", "stderr": ""}, False, time.monotonic() + WAIT
        while True:
            try:
                message = self.client.get_iopub_msg(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                self.manager.interrupt_kernel()
                raise Failed("the cell took too long") from None
            if message["parent_header"].get("msg_id") != request:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "stream":
                streams[content["name"]] += content["text"]
            elif kind == "error":
                failed = True
                streams["stderr"] += "\n".join(content["traceback"]) + "\n"
            elif kind == "status" and content["execution_state"] == "idle":
                break
        reply = self.client.get_shell_msg(timeout=WAIT)
        while reply["parent_header"].get("msg_id") != request:
            reply = self.client.get_shell_msg(timeout=WAIT)
        given = reply["content"].get("user_expressions", {}).get("value", {})
        return streams, failed, given.get("data", {}).get("text/plain")

    def command(self, words, stdin, env, cwd):
        """A program, started by the kernel; its bytes come back as the value of an expression. It writes into files: a pipe would be
        read until everything that the program left in the background has ended."""
        code = f"import base64 as _b, os as _o, subprocess as _s, tempfile as _t\n" \
               f"with _t.TemporaryFile() as _1, _t.TemporaryFile() as _2:\n" \
               f"    _p = _s.run({words!r}, input={as_bytes(stdin)!r}, stdout=_1, stderr=_2, cwd={cwd or '.'!r}, env=dict(_o.environ, **{env or {}!r}))\n" \
               f"    _1.seek(0), _2.seek(0)\n" \
               f"    _r = _p.returncode, _b.b64encode(_1.read()), _b.b64encode(_2.read())"
        streams, failed, value = self.execute(code, "_r")
        if failed or value is None:
            raise Failed(streams["stderr"].strip().splitlines()[-1] if streams["stderr"] else "the kernel gave no value")
        status, out, err = ast.literal_eval(value)
        return {"exit": status if status >= 0 else 128 - status, "stdout": base64.b64decode(out), "stderr": base64.b64decode(err)}

    def op_run(self, argv=None, language=None, script=None, stdin="", env=None, cwd=""):
        with self.lock:
            if argv is not None or language == "sh":
                return self.command(argv if argv is not None else ["sh", "-c", script], stdin, env, cwd)
            if isinstance(script, bytes) or stdin or env or cwd:
                raise Skip("a cell is text, and has no standard input, environment or directory of its own")
            streams, failed, _ = self.execute(script)
        return {"exit": int(failed), **streams}


taskgen_plugin.serve(JupyterKernel())
