"""--serve: one process, many scores."""
import array
import json
import os
import random
import select
import socket
import struct
import subprocess
import threading
import unittest

from support import SANITIZERS, VMAF, CommandTest, without_fps

NO_MODEL = ("-n", "--feature", "psnr")


class Server:
    """`vmaf --serve` on pipes, or on a socket, which can carry descriptors."""

    def __init__(self, is_socket=False, env=None):
        if is_socket:
            self.socket, theirs = socket.socketpair()
            self.process = subprocess.Popen([VMAF, "--serve"], stdin=theirs, stdout=theirs, stderr=subprocess.PIPE, env=env)
            theirs.close()
            self.read, self.write = self.socket.fileno(), self.socket.fileno()
        else:
            self.process = subprocess.Popen([VMAF, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.PIPE, env=env)
            self.read, self.write = self.process.stdout.fileno(), self.process.stdin.fileno()
        self.errors = b""
        self.drain = threading.Thread(target=self.keep_errors)
        self.drain.start()
        self.hello = self.message()

    def keep_errors(self):
        self.errors = self.process.stderr.read()

    def exactly(self, count):
        data = b""
        while len(data) < count:
            if not select.select([self.read], [], [], 600)[0]:
                raise TimeoutError("the server says nothing")
            part = os.read(self.read, count - len(data))
            if not part:
                return None
            data += part
        return data

    def message(self):
        head = self.exactly(4)
        return None if head is None else json.loads(self.exactly(struct.unpack("<I", head)[0]))

    def send(self, text, descriptors=()):
        data = text if isinstance(text, bytes) else text.encode()
        data = struct.pack("<I", len(data)) + data
        if descriptors:
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))]
            sent = self.socket.sendmsg([data], rights)
            data = data[sent:]
        while data:
            data = data[os.write(self.write, data):]

    def ask(self, *arguments, number=1, descriptors=(), **more):
        """The last answer to a scoring request, and the frame counts before it."""
        self.send(json.dumps({"type": "score", "id": number, "arguments": list(map(str, arguments)), **more}), descriptors)
        frames = []
        while True:
            message = self.message()
            if message is None or message["type"] != "frames":
                return message, frames
            assert message["id"] == number
            frames.append(message["frames"])

    def end(self):
        """Ends the requests; returns the exit code and standard error."""
        if self.process.stdin:
            self.process.stdin.close()
        else:
            self.socket.shutdown(socket.SHUT_WR)
        code = self.process.wait(600)
        self.drain.join()
        if self.process.stdout:
            self.process.stdout.close()
        else:
            self.socket.close()
        self.process.stderr.close()
        return code, self.errors.decode()


class Serving(CommandTest):
    def server(self, is_socket=False):
        server = Server(is_socket)
        self.addCleanup(lambda: server.process.poll() is None and (server.process.kill(), server.end()))
        return server

    def ended(self, server):
        code, errors = server.end()
        for name in SANITIZERS:
            self.assertNotIn(name, errors)
        self.assertEqual(code, 0, errors)
        return errors

    def test_documents_are_those_of_single_runs(self):
        server = self.server()
        self.assertEqual((server.hello["type"], server.hello["protocol"]), ("hello", 1))
        single, served = self.folder / "single", self.folder / "served"
        cases = [("--json",), ("--xml", "--model", "version=vmaf_b_v0.6.3"), ("--csv", *NO_MODEL), ("--json", "--precision", "max"),
                 ("--json", "--model", "version=vmaf_v0.6.1neg:name=a", "--model", "version=vmaf_v0.6.1:name=b"),
                 ("--sub", "--subsample", "2", "--threads", "2"), ("--json", "--feature", "xpsnr"), ("--json",)]
        for number, case in enumerate(cases):
            self.score(*case, "-o", single)
            answer, frames = server.ask("-r", self.ref, "-d", self.dist, *case, "-o", served, number=number)
            self.assertEqual(answer, {"type": "result", "id": number, "exit_code": 0})
            self.assertEqual(frames[-1], self.frames)
            self.assertEqual(without_fps(served.read_text()), without_fps(single.read_text()), case)
        self.assertEqual(self.ended(server), "")

    def test_descriptors_come_with_a_request(self):
        server = self.server(is_socket=True)
        single, served = self.folder / "whole.json", self.folder / "piped.json"
        self.score("--json", "-o", single)
        open_before = None
        for _ in range(5):
            feeds = [subprocess.Popen(["cat", path], stdout=subprocess.PIPE) for path in (self.ref, self.dist)]
            answer, _ = server.ask("-r", "descriptor:0", "-d", "descriptor:1", "--json", "-o", served,
                                   descriptors=[feed.stdout.fileno() for feed in feeds])
            self.assertEqual(answer["exit_code"], 0, answer)
            self.assertEqual(json.loads(served.read_text())["frames"], json.loads(single.read_text())["frames"])
            for feed in feeds:
                feed.stdout.close()
                self.assertEqual(feed.wait(), 0)
            now = os.listdir(f"/proc/{server.process.pid}/fd") if os.path.isdir("/proc/self/fd") else None
            open_before = open_before or now
            self.assertEqual(now and len(now), open_before and len(open_before))  # no descriptor leaked
        answer, _ = server.ask("-r", "descriptor:1", "-d", self.dist)
        self.assertEqual(answer["type"], "refused")
        self.assertIn("names none of the 0 descriptors", answer["error"])
        self.ended(server)

    def test_a_request_that_fails_does_not_stop_the_others(self):
        server = self.server()
        out = self.folder / "after.json"
        small = self.clip("small.y4m", size="32x32")
        for code, arguments, says in [(1, ("-r", self.ref), "distorted clip is missing"), (1, ("--no_such",), "unknown option"),
                                      (255, ("-r", "/no/such.y4m", "-d", self.dist), "/no/such.y4m"),
                                      (255, ("-r", self.ref, "-d", small), "32x32"), (1, ("--help",), "scores one pair"),
                                      (1, ("--serve",), "scores one pair"), (1, ("--list", "x"), "scores one pair"),
                                      (1, ("-r", self.ref, "-d", self.dist, "-d", self.dist), "scores one pair"),
                                      (1, ("-r", "-", "-d", self.dist), "name a file"),
                                      (1, ("-r", self.ref, "-d", self.dist, "-o", "-"), "name a file"),
                                      (255, ("-r", self.ref, "-d", self.dist, "-m", "version=no"), "no built-in model"),
                                      (100, ("-r", self.ref, "-d", self.dist, "--backend", "hip"), "hip")]:
            answer, _ = server.ask(*arguments)
            self.assertEqual((answer["type"], answer["exit_code"]), ("result", code), answer)
            self.assertIn(says, answer["error"])
        answer, _ = server.ask("-r", self.ref, "-d", self.dist, "-o", out, "--json")
        self.assertEqual(answer["exit_code"], 0)
        self.assertTrue(out.exists())
        self.assertIn("unknown option --no_such", self.ended(server))

    def test_models_are_looked_at_without_a_score(self):
        server = self.server()
        self.assertIn("build", server.hello)
        for models, code, says in ((["version=vmaf_v0.6.1", "version=vmaf_b_v0.6.3:name=b"], 0, ""), ([], 0, ""), (["version=vmaf_v0.6"], 255, "no built-in model"),
                                   (["path=/no/such.json"], 255, "/no/such.json"), (["vmaf_v0.6.1"], 1, "write version=vmaf_v0.6.1")):
            server.send(json.dumps({"type": "models", "id": 5, "models": models}))
            answer = server.message()
            self.assertEqual((answer["type"], answer["id"], answer["exit_code"]), ("result", 5, code), answer)
            self.assertIn(says, answer.get("error", ""))
        server.send(json.dumps({"type": "models", "models": "all"}))
        self.assertEqual(server.message()["type"], "refused")
        self.ended(server)

    def test_a_model_file_is_read_anew(self):
        server = self.server()
        out, model = self.folder / "model.json", self.folder / "copy.json"
        for content, code in (("{}", 255), ("[]", 255)):
            model.write_text(content)
            answer, _ = server.ask("-r", self.ref, "-d", self.dist, "-m", f"path={model}", "-o", out)
            self.assertEqual(answer["exit_code"], code)
        self.ended(server)

    def test_invalid_requests_are_refused(self):
        server = self.server()
        texts = [b"", b"{", b"[]", b"null", b"1e999", b'{"type":"score"}', b'{"type":"dance"}', b'{"id":{}}', b'{"id":1.5,"type":"score"}',
                 b'{"type":"score","arguments":{}}', b'{"type":"score","arguments":[1]}', b'{"type":"score","arguments":["a\\u0000b"]}',
                 b"\xff\xfe", b"[" * 100000, b'{"type":1,"id":"x"}', b'{"type":"score","arguments":[["-r"]]}']
        for text in texts:
            server.send(text)
            answer = server.message()
            self.assertEqual(answer["type"], "refused", text[:40])
            self.assertTrue(answer["error"])
        generator = random.Random(1)
        good = json.dumps({"type": "score", "id": 7, "arguments": ["-r", self.ref, "-d", "/no/such"]}).encode()
        for _ in range(300):
            text = bytearray(good)
            for _ in range(generator.randrange(1, 6)):
                text[generator.randrange(len(text))] = generator.randrange(256)
            server.send(bytes(text[:generator.randrange(len(text) + 1)]))
            while (answer := server.message())["type"] == "frames":
                pass
            self.assertIn(answer["type"], ("refused", "result"))
        answer, _ = server.ask("-r", self.ref, "-d", self.dist, *NO_MODEL, "-o", self.folder / "end.json", "--json", number="a text")
        self.assertEqual(answer, {"type": "result", "id": "a text", "exit_code": 0})
        self.ended(server)

    def test_a_broken_stream_ends_it(self):
        for data in (struct.pack("<I", 1 << 30), b"\1", struct.pack("<I", 100) + b"{"):
            server = self.server()
            os.write(server.write, data)
            code, errors = server.end()
            self.assertEqual(code, 255)
            self.assertRegex(errors, r"^vmaf: .*frame.*\n$")

    def test_other_options_belong_to_requests(self):
        self.assertIn("--serve takes no other options", self.vmaf("--serve", "--threads", "2", expect=1).stderr)


if __name__ == "__main__":
    unittest.main()
