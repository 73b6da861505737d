#!/usr/bin/env python3
"""A scorer without a GPU that has one for vmaf-tune: `vmaf`, whose requests for cuda it computes on the CPU. Speaks the protocol of
docs/development/serve.md.

  VMAF=REAL [GPU_LOG=FILE] [GPU_FAULT=KIND:N,...] gpu_stand_in.py --serve | --capabilities

GPU_LOG gets each request as a line of JSON. GPU_FAULT, for the N-th score of all processes (GPU_LOG counts them) or, with N+, for every
score from then on: `kill` ends the process, `refuse` answers that files cannot be opened, `lose` that the device is lost, `short` leaves out
a frame, `blind` opens GPU_WHOLE in place of the reference, as a decoder does that sees no damage. A score of a file with itself, which
vmaf-tune asks for ahead, is not counted; GPU_FAULT=ahead kills the process then.
"""
import json
import os
import socket
import struct
import subprocess
import sys

VMAF, LOG = os.environ.get("VMAF"), os.environ.get("GPU_LOG", os.devnull)


def exactly(stream, count):
    data = b""
    while len(data) < count:
        part = stream.read(count - len(data))
        if not part:
            return None
        data += part
    return data


def receive(stream):
    head = exactly(stream, 4)
    return None if head is None else json.loads(exactly(stream, struct.unpack("<I", head)[0]))


def framed(message):
    data = json.dumps(message).encode()
    return struct.pack("<I", len(data)) + data


def option(words, name):
    return words[words.index(name) + 1] if name in words else None


def is_ahead(request):
    words = request.get("arguments", [])
    return "--reference" in words and option(words, "--reference") == option(words, "--distorted")


def faults_now(request):
    if request["type"] != "score": return []
    if is_ahead(request): return ["kill"] if os.environ.get("GPU_FAULT") == "ahead" else []
    with open(LOG) as log: requests = [json.loads(line) for line in log]
    return list(faults(sum(one["type"] == "score" and not is_ahead(one) for one in requests)))


def faults(number):
    for fault in filter(lambda text: ":" in text, os.environ.get("GPU_FAULT", "").split(",")):
        kind, at = fault.split(":")
        if number == int(at) if not at.endswith("+") else number >= int(at[:-1]):
            yield kind


def as_if_on_gpu(words):
    """The document that a GPU would have written."""
    path = words[words.index("--output") + 1]
    with open(path) as file: document = json.load(file)
    document["backend_used"] = "cuda"
    document["feature_backends"] = [{"extractor": "all_cuda", "backend": "cuda"}]
    for facts in (document.get("inputs", {}).get(role, {}) for role in ("reference", "distorted")):
        if facts and "auto" in words: facts["hwaccel"] = "cuda"
    with open(path, "w") as file: json.dump(document, file)
    return path


def relay(to_real, from_real, request, descriptors):
    """The result of a score."""
    words = request["arguments"]
    request["arguments"] = [{"--hwaccel": "none"}.get(option, "cpu") if word == "cuda" else word for option, word in zip(["", *words], words)]
    if descriptors:
        socket.send_fds(to_real, [framed(request)], descriptors)
    else:
        to_real.sendall(framed(request))
    for descriptor in descriptors: os.close(descriptor)
    while True:
        answer = receive(from_real)
        yield answer
        if answer["type"] != "frames":
            return


def serve():
    ours, theirs = socket.socketpair()
    real = subprocess.Popen([VMAF, "--serve"], stdin=theirs, stdout=theirs)
    theirs.close()
    from_real = ours.makefile("rb")
    client = socket.socket(fileno=os.dup(0))
    client.sendall(framed(receive(from_real)))
    while True:
        data, descriptors, _, _ = socket.recv_fds(client, 4, 8)
        if not data:
            break
        while len(data) < 4: data += client.recv(4 - len(data))
        text, length = b"", struct.unpack("<I", data)[0]
        while len(text) < length: text += client.recv(length - len(text))
        request = json.loads(text)
        with open(LOG, "a") as log: log.write(json.dumps(request) + "\n")
        words, fault = request.get("arguments", []), faults_now(request)

        def failed(code, why):
            print(f"vmaf: {why}", file=sys.stderr, flush=True)
            client.sendall(framed({"type": "result", "id": request["id"], "exit_code": code, "error": why}))

        if "kill" in fault: os._exit(9)
        if "refuse" in fault and not any(word.startswith("descriptor:") for word in words):
            failed(255, "the stand-in opens no files")
            continue
        if "lose" in fault:
            failed(234, "cuda: cuLaunchKernel failed: CUDA_ERROR_LAUNCH_FAILED (719)")
            continue
        if "blind" in fault and "--reference" in words: words[words.index("--reference") + 1] = os.environ["GPU_WHOLE"]
        on_gpu = "cuda" in words
        for answer in relay(ours, from_real, request, descriptors):
            if answer["type"] != "frames" and on_gpu and answer.get("exit_code") == 0:
                path = as_if_on_gpu(words)
                if "short" in fault:
                    with open(path) as file: document = json.load(file)
                    del document["frames"][-1]
                    with open(path, "w") as file: json.dump(document, file)
            client.sendall(framed(answer))
    ours.close()
    real.wait()


if __name__ == "__main__":
    if "--capabilities" in sys.argv:
        print(json.dumps({"implementation": "stand-in", "backends": ["cuda", "cpu"], "details": {"cuda": {"usable": True}}}))
    else:
        serve()
