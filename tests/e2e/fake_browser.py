#!/usr/bin/python3
"""fake_browser.py MODE PORT [CERT]: what a cloud browser's endpoint does on the wire, and no browser. Replies come in pieces with pings
between, what comes is unmasked. Modes: good; token (only with the header Authorization: Bearer T0KEN-of-ours); plain (no WebSocket);
version (/json/version names one elsewhere); closes (the connection, after a script); huge (a reply of 3 MiB); drops (it just ends)."""
import base64, hashlib, json, socket, ssl, struct, sys, threading

mode, port = sys.argv[1], int(sys.argv[2])


def head(c):
    data = b""
    while b"\r\n\r\n" not in data:
        more = c.recv(4096)
        if not more:
            return None, {}
        data += more
    lines = data.split(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    return lines[0], {k.lower(): v.strip() for k, v in (line.split(":", 1) for line in lines[1:])}


def frame(opcode, data, last=True):
    size = len(data)
    begin = bytes([opcode | (0x80 if last else 0)])
    return begin + (bytes([size]) if size < 126 else b"\x7e" + struct.pack(">H", size) if size < 65536 else b"\x7f" + struct.pack(">Q", size)) + data


def exactly(c, n):
    data = b""
    while len(data) < n:
        more = c.recv(n - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def receive(c):
    text = b""
    while True:
        a, b = exactly(c, 2)
        size = b & 127
        size = struct.unpack(">H", exactly(c, 2))[0] if size == 126 else struct.unpack(">Q", exactly(c, 8))[0] if size == 127 else size
        assert b & 128, "a client's frame is masked"
        mask = exactly(c, 4)
        data = bytes(x ^ mask[i % 4] for i, x in enumerate(exactly(c, size)))
        if a & 15 == 8:
            c.sendall(frame(8, data[:2]))
            raise EOFError
        if a & 15 == 10:
            continue
        text += data
        if a & 128:
            return json.loads(text)


def say(c, message):
    data = json.dumps(message).encode()
    third = len(data) // 3 + 1
    c.sendall(frame(1, data[:third], False) + frame(9, b"are you there") + frame(0, data[third:2 * third], False) + frame(0, data[2 * third:]))


def converse(c):
    while True:
        m = receive(c)
        method, result = m["method"], {}
        if method == "Browser.getVersion":
            result = {"product": "Fake/1.0", "protocolVersion": "1.3"}
        elif method == "Target.createBrowserContext":
            result = {"browserContextId": "C1"}
        elif method == "Target.createTarget":
            info = {"targetId": "T1", "type": "page", "url": "about:blank", "browserContextId": "C1"}
            say(c, {"method": "Target.attachedToTarget", "params": {"sessionId": "X9", "waitingForDebugger": True, "targetInfo": dict(info, targetId="T9", browserContextId="other")}})
            say(c, {"method": "Target.attachedToTarget", "params": {"sessionId": "S1", "waitingForDebugger": True, "targetInfo": info}})
            result = {"targetId": "T1"}
        elif method == "Runtime.evaluate" and mode == "closes":
            c.sendall(frame(8, struct.pack(">H", 1001)))
            return
        elif method == "Runtime.evaluate" and mode == "drops":
            return
        elif method == "Runtime.evaluate":
            result = {"result": {"type": "string", "value": "x" * 3000000 if mode == "huge" else "said it"}}
        say(c, {"id": m["id"], "result": result})


def serve(c):
    try:
        first, headers = head(c)
        if first is None:
            return
        if mode == "version" or first.startswith("GET /json/version"):
            where = "ws://198.51.100.7:9/devtools" if mode == "version" else f"ws://127.0.0.1:{port}/devtools/browser/1"
            body = json.dumps({"Browser": "Fake/1.0", "webSocketDebuggerUrl": where}).encode()
            c.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(body) + body)
        elif mode == "plain" or (mode == "token" and headers.get("authorization") != "Bearer T0KEN-of-ours"):
            c.sendall(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
        else:
            accept = base64.b64encode(hashlib.sha1((headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
            c.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n")
            converse(c)
    except (EOFError, OSError):
        pass
    finally:
        c.close()


listener = socket.create_server(("127.0.0.1", port))
if len(sys.argv) > 3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[3])
    listener = context.wrap_socket(listener, server_side=True)
while True:
    try:
        connection = listener.accept()[0]
    except ssl.SSLError:
        continue
    threading.Thread(target=serve, args=(connection,), daemon=True).start()
