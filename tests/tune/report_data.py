"""Rows like those of corpus, without encoding."""
import json
import math
import struct
import subprocess


def rows(sources=("a.mkv", "b & <b>.mkv"), encoders=("libx264", "libsvtav1", "libx265"), presets=("medium", "fast")):
    for s, source in enumerate(sources):
        for e, encoder in enumerate(encoders):
            for p, preset in enumerate(presets):
                for q in (20, 26, 32, 38, 44):
                    kbps = 9000 * math.exp(-q / 11) * (1 - 0.15 * e + 0.05 * p + 0.2 * s)
                    score = 100 - 0.02 * (q - 12) ** 2 - s
                    yield {"src": source, "encoder": encoder, "preset": preset, "crf": q, "bitrate_kbps": kbps, "score": score, "vmaf_score": score,
                           "metric": "vmaf", "pool": "mean", "exit_status": 0, "encode_fps": 50.0 * (1 + p), "encode_time_ms": 1000.0,
                           "score_time_ms": 500.0, "encoded_frames": 50, "encode_size_bytes": int(kbps * 125), "vmaf_model": "version=vmaf_v0.6.1",
                           "score_backend": "cpu", "score_scale": "none", "encoder_version": encoder + "-1", "ffmpeg_version": "5.1",
                           "scores": {"vmaf": {"mean": score, "p5": score - 3, "min": score - 9}, "psnr": {"mean": score / 2.5, "p5": score / 2.6, "min": score / 2.8}}, "clip_mode": "full", "from_cache": q == 20}
    yield {"src": sources[0], "encoder": "libaom-av1", "preset": "medium", "crf": 30, "exit_status": 139, "score": None,
           "error": {"stage": "encode", "code": 139, "message": "the encoder ended with status 139", "stderr_tail": ""}}


def frames():
    yield {"type": "frames", "src": "a.mkv", "reference": "a.mkv", "distorted": "", "encoder": "libx264", "preset": "medium", "crf": 26, "metric": "vmaf",
           "framerate": 25.0, "pieces": [{"start_s": 0, "frames": 300}], "frames": {"vmaf": [90 + 5 * math.sin(i / 9) - (30 if i == 123 else 0) for i in range(300)]}}


def pictured_frames(folder):
    """Scores of two existing encodes, one closer to a target of 90; frames at 100 are not among the worst."""
    reference = folder + "/reference.mkv"
    subprocess.check_call(["ffmpeg", "-y", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=0.8", "-c:v", "libx264", "-qp", "0", "-preset", "ultrafast", reference])
    for crf, score in ((34, 89.0), (48, 55.0)):
        encode = f"{folder}/encode-{crf}.mkv"
        subprocess.check_call(["ffmpeg", "-y", "-v", "error", "-i", reference, "-c:v", "libx264", "-crf", str(crf), "-preset", "ultrafast", encode])
        cells = [[100.0 - 4 * i if cell == 12 else float("nan") if cell == 3 else 96.0 for cell in range(60)] for i in range(20)]
        write_map(folder + f"/map-{crf}.npy", cells, 6, 10)
        yield {"type": "frames", "map": {"file": folder + f"/map-{crf}.npy", "score": "vmaf", "cell": 32, "width": 320, "height": 180},
               "src": reference, "reference": reference, "distorted": encode, "encoder": "libx264", "preset": "ultrafast", "crf": crf, "metric": "vmaf", "framerate": 25.0,
               "pieces": [{"start_s": 0, "frames": 20}], "frames": {"vmaf": [100.0 if i < 8 else score + (i % 7) for i in range(20)]}}


def write_map(path, frames, rows, columns):
    """Cells of frames, like those of `score --map`."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(frames)}, {rows}, {columns}), }}"
    header += " " * (117 - len(header)) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header.encode())
        for cells in frames: file.write(struct.pack(f"<{rows * columns}f", *cells))


def write(path, objects):
    with open(path, "w") as file:
        for entry in objects: file.write(json.dumps(entry) + "\n")


def others(folder):
    """A search, a ladder and a shot plan."""
    write(folder + "/search.ndjson", [
        {"type": "search-result", "src": "a.mkv", "encoder": "libx264", "preset": "medium", "q_knob": "crf", "metric": "vmaf", "target": 90, "status": "ok",
         "probes": [{"q": 27, "score": 86.0, "bitrate_kbps": 700}, {"q": 22, "score": 95.0, "bitrate_kbps": 1400}, {"q": 25, "score": 90.4, "bitrate_kbps": 900}]}])
    with open(folder + "/ladder.json", "w") as file:
        json.dump({"schema": "vmaf-tune-ladder/v1", "src": "a.mkv", "encoder": "libx264", "renditions": [
            {"width": 640, "height": 360, "bitrate_kbps": 400, "vmaf": 70, "crf": 30}, {"width": 1280, "height": 720, "bitrate_kbps": 1400, "vmaf": 90, "crf": 27}]}, file, indent=2)
    with open(folder + "/plan.json", "w") as file:
        json.dump({"src": "a.mkv", "encoder": "libx264", "segment_commands": [], "shots": [
            {"start_frame": 0, "end_frame": 100, "crf": 25, "predicted_vmaf": 92.5}, {"start_frame": 100, "end_frame": 300, "crf": 29, "predicted_vmaf": 92.1}]}, file)
    return [folder + "/" + n for n in ("search.ndjson", "ladder.json", "plan.json")]
