#!/usr/bin/env python3
"""Measures every CPU figure of docs/performance.md in five minutes, and reports those outside their limits.

  bench/cpu_check.py pack FOLDER [BUILD]     puts the programs of a build folder (default: build) and their library into FOLDER
  bench/cpu_check.py run FOLDER [-o FILE]    on the machine to measure; FILE (default FOLDER/cpu_check.json) is for report.py
  bench/cpu_check.py run FOLDER --quick      the same in a fifth of the time: only checks that everything runs; the figures are useless

Steps of `run`: the calibration reading; all metrics on all instruction sets, one thread pinned to one core, 1920x1080, 8 bit; the same
with 10 bits and at 3840x2160 without scalar code; one 3840x2160 frame shared by 1, 2, 4, ... threads; whole runs of `vmaf` with as
many workers as cores; their resident memory; the processor time of families and of several encodes of one reference. Uses one thread per
physical core.
"""
import argparse, json, os, pathlib, platform, shutil, subprocess, sys, tempfile, time

FRAMES, QUICK_FRAMES = 144, 8
ENCODES, ENCODE_FRAMES = 8, 48
LIBRARY, LIBRARY_PATH = ("libvmaf.3.dylib", "DYLD_LIBRARY_PATH") if sys.platform == "darwin" else ("libvmaf.so.3", "LD_LIBRARY_PATH")
# Most ns per pixel, for AVX-512 and AVX2, on a machine with a calibration of 11.2.
LIMITS = {"vmaf": (8.4, 18), "vif": (5.5, 11), "adm": (1.5, 2.5), "motion": (0.35, 0.5), "psnr": (0.3, 0.3), "float_ssim": (3, 5),
          "float_ms_ssim": (6, 10), "psnr_hvs": (8, 10), "ciede": (15, 25), "cambi": (8, 10), "ssimulacra2": (25, 40),
          "speed_chroma": (3, 4), "speed_temporal": (6, 8), "float_vif": (12, 16), "float_adm": (8, 10)}


def physical_cores():
    """One logical processor per usable core."""
    cores = {}
    for cpu in sorted(os.sched_getaffinity(0)):
        try: siblings = pathlib.Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list").read_text().strip()
        except OSError: siblings = str(cpu)
        cores.setdefault(siblings, cpu)
    return list(cores.values())


def processor():
    try: return next(l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name"))
    except (OSError, StopIteration): return platform.machine()


class Machine:
    def __init__(self, folder, quick):
        self.quick = quick
        self.folder, self.cores = folder.resolve(), physical_cores()
        self.started = time.time()
        self.environment = {**os.environ, LIBRARY_PATH: str(self.folder)}  # vmaf takes its models from libvmaf

    def say(self, text): print(f"[{time.time() - self.started:5.1f} s] {text}", flush=True)

    def run(self, cores, *command):
        """Runs pinned to these cores; returns output, wall seconds, peak resident memory in MB, processor seconds."""
        command = [str(self.folder / command[0]), *map(str, command[1:])]
        with tempfile.TemporaryFile() as out:
            start = time.time()
            child = subprocess.Popen(command, stdout=out, env=self.environment, preexec_fn=lambda: os.sched_setaffinity(0, cores))
            _, status, usage = os.wait4(child.pid, 0)
            seconds = time.time() - start
            if status: sys.exit(f"cpu_check.py: {' '.join(command)} failed")
            out.seek(0)
            return out.read().decode(), seconds, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime

    def version(self):
        named = self.folder / "version"
        return named.read_text().strip() if named.exists() else "unknown version"

    def bench(self, cores, seconds, *options):
        return json.loads(self.run(cores, "vmaf-bench", "--metrics", "--json", "--seconds", seconds / 20 if self.quick else seconds, *options)[0])

    def rounds(self): return range(1 if self.quick else 3)


def fast_isas(lines): return sorted({l["isa"] for l in lines} - {"scalar"})


def clip(machine, folder, name, distort, frames=FRAMES):
    """Writes a clip of 1920x1080 with four distinct frames to a folder in memory or in the page cache."""
    if machine.quick: frames = QUICK_FRAMES
    part, whole = folder / "part.yuv", folder / name
    command = ["clipgen", "--size", "1920x1080", "--frames", 4, "--format", "420", "--depth", 8, "--scene", "street"]
    machine.run(set(machine.cores), *command, *(["--distort", distort] if distort else []), part)
    data = part.read_bytes()
    with open(whole, "wb") as out:
        for _ in range(frames // 4): out.write(data)
    return whole


def whole_runs(machine, result):
    memory = pathlib.Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        folder = pathlib.Path(name)
        ref, dist = clip(machine, folder, "ref.yuv", None), clip(machine, folder, "dist.yuv", "dct:40")
        arguments = ["vmaf", "-r", ref, "-d", dist, "-w", 1920, "-h", 1080, "-p", 420, "-b", 8, "-q", "--json", "-o", folder / "out.json"]
        workers = [n for n in (1, 2, 4, 8, 16, 32) if n <= len(machine.cores)]
        best, memory_mb = {}, {}
        for mask in (0, 48):
            for _ in machine.rounds():  # alternating; the best counts
                for n in workers:
                    if n > 2 and (mask, n) in best: continue
                    cores = set(machine.cores[:n])
                    _, seconds, mb, _ = machine.run(cores, *arguments, "--threads", n, "--cpumask", mask)
                    best[mask, n] = min(seconds, best.get((mask, n), seconds))
                    memory_mb[mask, n] = mb
        result["workers"] = [{"cpumask": mask, "workers": n, "frames_per_second": (QUICK_FRAMES if machine.quick else FRAMES) / s, "speedup": best[mask, 1] / s,
                              "memory_mb": memory_mb[mask, n]} for (mask, n), s in sorted(best.items())]


SHARED = {"together": f"{ENCODES} encodes of one reference to {ENCODES} runs"}
NEG, PHONE, BOOTSTRAP = "vmaf_v0.6.1neg:name=neg", "vmaf_v0.6.1:name=phone:enable_transform=true", "vmaf_b_v0.6.3:name=bootstrap"
FAMILIES = {"VMAF with NEG": [NEG], "default, NEG, phone and bootstrap models": [NEG, PHONE, BOOTSTRAP]}


def shared_work(machine, result):
    """Processor time of shared work relative to separate work; one thread each, alternating, the best counts."""
    memory = pathlib.Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        folder = pathlib.Path(name)
        ref, encodes = clip(machine, folder, "ref.yuv", None, ENCODE_FRAMES), []
        for i in range(ENCODES): encodes.append(clip(machine, folder, f"encode{i}.yuv", f"dct:{20 + 10 * i}", ENCODE_FRAMES))
        best, memory_mb = {}, {}
        for mask in (0, 48):
            def take(what, distorted, output, *more):
                """Seconds of one run, added to `what` of this round."""
                words = [word for path in distorted for word in ("-d", path)]
                _, _, mb, seconds = machine.run(set(machine.cores), "vmaf", "-r", ref, *words, "-w", 1920, "-h", 1080, "-p", 420, "-b", 8,
                                                "-q", "--json", "-o", output, "--cpumask", mask, *more)
                took[what] = took.get(what, 0) + seconds
                memory_mb[what, mask] = mb
            for _ in machine.rounds():
                took = {}
                for encode in encodes: take("alone", [encode], folder / "out.json")
                take("together", encodes, f"{folder}/")
                for family, models in FAMILIES.items():
                    named = [word for model in ["vmaf_v0.6.1"] + models for word in ("-m", f"version={model}")]
                    take(family, encodes[:1], folder / "out.json", *named)
                took["vmaf"] = 0
                take("vmaf", encodes[:1], folder / "out.json")
                for what, seconds in took.items(): best[what, mask] = min(seconds, best.get((what, mask), seconds))
    result["shared"] = [{"what": what, "cpumask": mask, "ratio": best[what, mask] / best[to, mask], "memory_mb": memory_mb[what, mask]}
                        for what, to in [("together", "alone"), *((family, "vmaf") for family in FAMILIES)] for mask in (0, 48)]


def judged(result):
    """Compares the results with the required speeds, one line each."""
    ns = {(l["name"], l["isa"]): l["ns_per_pixel"] for l in result["metrics"]}
    scale = result["calibration"] / 11.2
    for name, (wide, narrow) in LIMITS.items():
        for isas, most in ((("avx512icl", "avx512"), wide), (("avx2",), narrow)):
            value = min((ns[name, i] for i in isas if (name, i) in ns), default=None)
            if value is None: continue
            state = "ok" if value <= most else "OVER"
            yield f"{state:4} {name:15} {isas[-1]:7} {value:7.3g} ns/pixel, required {most:g} (scaled by calibration {most * scale:.3g})"
    for key, words, most in (("ten_bit", "10 bit against 8", 1.5), ("uhd", "3840x2160 against 1920x1080", 1.15)):
        ratios = [(l["ns_per_pixel"] / ns[l["name"], l["isa"]], l["name"], l["isa"]) for l in result[key] if (l["name"], l["isa"]) in ns]
        for ratio, name, isa in ratios:
            if name == "vmaf" or ratio > most: yield f"{'ok' if ratio <= most else 'OVER':4} {name} {isa}: {words}: {ratio:.2f}, asked {most}"
    for line in result["workers"]:
        n, speedup = line["workers"], line["speedup"]
        if n == 2: yield f"{'ok' if speedup >= 1.9 else 'OVER':4} two workers on two cores: {speedup:.2f} times one (cpumask {line['cpumask']}), asked 1.9"
        if n == 1: yield f"{'ok' if line['memory_mb'] <= 60 else 'OVER':4} resident memory, one worker: {line['memory_mb']:.0f} MB, asked 60"
    for line in result["shared"]:
        most = {"together": 0.75, "VMAF with NEG": 1.2}.get(line["what"], 1.3)
        yield f"{'ok' if line['ratio'] <= most else 'OVER':4} {SHARED.get(line['what'], line['what'])} (cpumask {line['cpumask']}): {line['ratio']:.2f}, asked {most}"
    for line in result["split"]:
        if line["name"] == "vmaf": yield f"     one 3840x2160 frame on {line['lanes']} threads ({line['isa']}): {line['speedup']:.2f} times one"


def run(folder, output, quick):
    machine = Machine(folder, quick)
    one = {machine.cores[min(1, len(machine.cores) - 1)]}
    result = {"processor": processor(), "cores": len(machine.cores), "version": machine.version()}
    machine.say(f"{result['processor']}, {result['cores']} cores, {result['version']}")
    result["calibration"] = min(float(machine.run(one, "vmaf-bench", "--calibrate")[0]) for _ in range(3))
    machine.say(f"calibration {result['calibration']:.2f} ns/pixel")
    result["metrics"] = machine.bench(one, 1)
    isas = fast_isas(result["metrics"])
    machine.say("all metrics")
    result["ten_bit"] = machine.bench(one, 0.4, "--bits", 10, "--isa", ",".join(isas))
    machine.say("10 bit")
    best = next(i for i in ("avx512icl", "avx512", "avx2", "neon", "scalar") if i in isas or i == "scalar")
    result["uhd"] = machine.bench(one, 0.3, "--size", "3840x2160", "--isa", best)
    machine.say("3840x2160")
    lanes = ",".join(str(n) for n in (1, 2, 4, 8, 16, 32) if n <= len(machine.cores))
    result["split"] = machine.bench(set(machine.cores), 0.5, "--size", "3840x2160", "--isa", best, "--lanes", lanes)
    machine.say("one frame on many cores")
    whole_runs(machine, result)
    machine.say("whole runs")
    shared_work(machine, result)
    machine.say("families and several encodes")
    if quick: result["version"] += ", quick"
    output.write_text(json.dumps(result, indent=1) + "\n")
    for line in judged(result): print(line)


def pack(folder, build):
    folder.mkdir(parents=True, exist_ok=True)
    for program in ("bench/vmaf-bench", "tools/vmaf", "tools/clipgen"):
        target = folder / pathlib.Path(program).name
        shutil.copy2(build / program, target)
        subprocess.run(["strip", target], check=True)
    shutil.copy2(build / "src" / LIBRARY, folder / LIBRARY)
    named = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=pathlib.Path(__file__).parent, capture_output=True, text=True)
    (folder / "version").write_text(named.stdout or "unknown version\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("pack", "run"))
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path, nargs="?", default="build")
    parser.add_argument("-o", dest="output", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if options.what == "pack": return pack(options.folder, options.build)
    return run(options.folder, options.output or options.folder / "cpu_check.json", options.quick)


if __name__ == "__main__":
    main()
