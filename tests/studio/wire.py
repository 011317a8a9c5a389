"""wire.py: a client of the studio on bare sockets: starts `limber live`, speaks HTTP and WebSocket, decodes frames.

What docs/live.md says about the protocol, as a program; nothing but Python's own library.
"""
import base64
import json
import os
import re
import signal
import socket
import struct
import subprocess
import time


class Studio:
    """A running `limber live`."""

    def __init__(self, limber, *arguments, cwd=None, env=None):
        self.process = subprocess.Popen([limber, "live", *arguments, "--no-open"], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, cwd=cwd,
                                        env={**os.environ, **(env or {})})
        line = self.process.stdout.readline()
        found = re.fullmatch(r"limber: live at http://127\.0\.0\.1:(\d+)/#token=([0-9a-f]+)\n", line)
        if not found:
            raise AssertionError(f"no address: {line!r} {self.process.stderr.read()}")
        self.port, self.token = int(found[1]), found[2]
        self.host = f"127.0.0.1:{self.port}"

    def stop(self, how=signal.SIGINT):
        self.process.send_signal(how)
        _, said = self.process.communicate(timeout=120)
        return self.process.returncode, said

    def memory(self):
        """Resident bytes."""
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def request(self, path, method="GET", body=None, headers=None, host=None):
        """Status, headers and body of one HTTP request."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            given = {"Host": host or self.host, "Connection": "close", **(headers or {})}
            if body is not None:
                given.setdefault("Content-Length", str(len(body)))
            head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in given.items()) + "\r\n"
            connection.sendall(head.encode() + (body or b""))
            answer = b""
            try:
                while chunk := connection.recv(65536):
                    answer += chunk
            except ConnectionResetError:
                pass
        head, _, rest = answer.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        status = int(lines[0].split()[1]) if lines[0] else 0
        fields = {k.strip().lower(): v.strip() for k, _, v in (line.partition(":") for line in lines[1:])}
        return status, fields, rest

    def upload(self, name, body, token=None, origin=None):
        status, _, answer = self.request(f"/upload?token={token or self.token}&name={name}", "POST", body,
                                         {"Origin": origin or f"http://{self.host}"})
        return status, json.loads(answer or "{}")

    def connect(self, **options):
        return Page(self, **options)


class Refused(Exception):
    pass


class Page:
    """A socket of the studio. Messages are received by `until`, which answers frames as a page does."""

    def __init__(self, studio, token=None, origin=None, host=None, protocol="limber", answers=True):
        self.studio, self.answers = studio, answers
        self.hello, self.state, self.frame, self.topology, self.told = None, {}, None, {}, []
        self.positions, self.numbers, self.frames, self.others = {}, [], 0, []
        self.buffer = b""
        self.connection = socket.create_connection(("127.0.0.1", studio.port), timeout=60)
        headers = [f"GET /?token={studio.token if token is None else token} HTTP/1.1", f"Host: {host or studio.host}",
                   "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                   "Sec-WebSocket-Key: " + base64.b64encode(os.urandom(16)).decode()]
        if origin != "":
            headers.append(f"Origin: {origin or 'http://' + studio.host}")
        if protocol:
            headers.append(f"Sec-WebSocket-Protocol: {protocol}")
        self.connection.sendall(("\r\n".join(headers) + "\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.buffer:
            chunk = self._receive()
            if not chunk:
                raise Refused(self.buffer.decode("latin-1"))
            self.buffer += chunk
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        if b" 101 " not in head.split(b"\r\n")[0] + b" ":
            raise Refused(head.decode("latin-1"))

    def _receive(self):
        try:
            return self.connection.recv(1 << 20)
        except (ConnectionResetError, BrokenPipeError):
            return b""

    def close(self):
        self.connection.close()

    def send_bytes(self, opcode, payload):
        mask, size = os.urandom(4), len(payload)
        if size < 126:
            head = struct.pack("!BB", 0x80 | opcode, 0x80 | size)
        elif size < 65536:
            head = struct.pack("!BBH", 0x80 | opcode, 0x80 | 126, size)
        else:
            head = struct.pack("!BBQ", 0x80 | opcode, 0x80 | 127, size)
        key = (mask * (size // 4 + 1))[:size]
        masked = (int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")).to_bytes(size, "big") if size else b""
        self.connection.sendall(head + mask + masked)

    def send(self, do, **rest):
        self.send_bytes(1, json.dumps({"do": do, **rest}).encode())

    def _take(self, size):
        while len(self.buffer) < size:
            chunk = self._receive()
            if not chunk:
                raise ConnectionError("closed")
            self.buffer += chunk
        taken, self.buffer = self.buffer[:size], self.buffer[size:]
        return taken

    def receive(self):
        """One message: (opcode, payload); fragments put together, pings answered."""
        whole, kind = b"", None
        while True:
            first, second = self._take(2)
            size = second & 127
            if size == 126:
                size = struct.unpack("!H", self._take(2))[0]
            elif size == 127:
                size = struct.unpack("!Q", self._take(8))[0]
            payload = self._take(size)
            opcode = first & 15
            if opcode == 9:
                self.send_bytes(10, payload)
                continue
            if opcode == 8:
                raise ConnectionError("closed", struct.unpack("!H", payload[:2])[0] if len(payload) >= 2 else 0)
            if opcode in (0, 1, 2):
                kind = opcode or kind
                whole += payload
                if first & 0x80:
                    return kind, whole

    def step(self):
        """Receives one message and notes what it says."""
        kind, payload = self.receive()
        if kind == 2:
            return self._read_binary(payload)
        message = json.loads(payload)
        what = message["kind"]
        if what == "hello":
            self.hello, self.state = message, {}
        elif what == "state":
            self.state = message
        elif what == "told":
            self.told.append(message)
        else:
            self.others.append(message)
        return message

    def _read_binary(self, data):
        magic, kind, form, frame, command, sections, numbers = struct.unpack_from("<4sBBxxqIII4x", data)
        assert magic == b"LMF1" and form == 0, data[:8]
        at = 32
        if kind == 1:
            self.numbers = struct.unpack_from(f"<{numbers}f", data, at)
            at += 4 * numbers
        for _ in range(sections):
            surface, count = struct.unpack_from("<II", data, at)
            at += 8
            if kind == 0:
                self.topology[surface] = struct.unpack_from(f"<{3 * count}I", data, at)
                at += 12 * count
            elif kind == 1:
                origin = struct.unpack_from("<3d", data, at)
                offsets = struct.unpack_from(f"<{3 * count}f", data, at + 24)
                self.positions[surface] = origin, offsets
                at += 24 + 12 * count
            elif kind == 2:
                at += (3 * count + 3) // 4 * 4
            else:
                at += 24 * count
        assert at == len(data), (kind, at, len(data))
        if kind == 1:
            self.frame, self.frames, self.command = frame, self.frames + 1, command
            if self.answers:
                self.send("drawn", frame=frame)
        return {"kind": "binary", "binary": kind}

    def until(self, condition, seconds=120):
        """Receives until the condition holds of this page. The time is a bound against hanging, far beyond need."""
        end = time.monotonic() + seconds
        while not condition(self):
            if time.monotonic() > end:
                raise AssertionError(f"did not come: state {self.state}, told {self.told[-3:]}")
            self.step()
        return self

    def ask(self, do, **rest):
        """Sends, and waits until it has been dealt with: an answer of "told" with its number, or a state after it."""
        self.sequence = getattr(self, "sequence", 0) + 1
        count = len(self.told)
        self.send(do, seq=self.sequence, **rest)
        self.send("no such thing", seq=10 ** 6 + self.sequence)
        self.until(lambda p: any(t.get("seq") == 10 ** 6 + self.sequence for t in p.told[count:]))
        answers = [t for t in self.told[count:] if t.get("seq") == self.sequence]
        self.told = [t for t in self.told if t.get("seq") != 10 ** 6 + self.sequence]
        return answers[0]["text"] if answers else None

    def vertex(self, surface, i):
        origin, offsets = self.positions[surface]
        return [origin[c] + offsets[3 * i + c] for c in range(3)]
