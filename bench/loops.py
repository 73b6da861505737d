#!/usr/bin/env python3
"""Shows what limits the inner loops of a vector function, according to llvm-mca.

  bench/loops.py OBJECT [--cpu znver3] [--least 20] WORD...

  bench/loops.py build/src/libvmaf_simd_unrolled.a.p/metrics_vif_vif_simd.cpp.o N_AVX2 'RowStatistics<0' 'add_row<1ul, false, false>'

For every function whose name contains all WORDs, prints each innermost loop with at least 20 vector instructions: its instructions,
multiply-adds, cycles per iteration in the model, and how long its vector instructions keep each pipe busy. Needs objdump and llvm-mca.
"""
import argparse, re, subprocess


def functions(path):
    """{name: [(address, instruction)]}"""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "-C", path], capture_output=True, text=True, check=True).stdout
    found, current = {}, None
    for line in text.splitlines():
        if name := re.match(r"[0-9a-f]+ <(.*)>:$", line): current = found.setdefault(name[1], [])
        elif part := re.match(r"\s+([0-9a-f]+):\s+(.*)$", line): current.append((int(part[1], 16), re.sub(r"\s*[#<].*", "", part[2])))
    return found


def inner_loops(instructions):
    place = {address: i for i, (address, _) in enumerate(instructions)}
    loops = []
    for i, (_, text) in enumerate(instructions):
        jump = re.match(r"j\w+\s+([0-9a-f]+)", text)
        if jump and place.get(int(jump[1], 16), i) < i: loops.append((place[int(jump[1], 16)], i))
    return [(a, b) for a, b in loops if not any((c, d) != (a, b) and c >= a and d <= b for c, d in loops)]


def modelled(body, cpu):
    """Cycles per iteration, and {pipe: busy cycles}."""
    turns = 200
    lines = [re.sub(r"[-\w]+\(%rip\)", "64(%rip)", text) for text in body if not text.startswith("j")]
    out = subprocess.run(["llvm-mca", f"-mcpu={cpu}", f"-iterations={turns}"], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^\[[\d.]+\]\s+- (\S+)", out, re.M)
    busy = re.search(r"Resource pressure per iteration:\n.*\n(.*)\n", out)[1].split()
    pipes = {}
    for name, value in zip(names, busy):
        if "FP" in name and value != "-": pipes[name] = max(float(value), pipes.get(name, 0))
    return int(re.search(r"Total Cycles:\s+(\d+)", out)[1]) / turns, pipes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("object")
    parser.add_argument("words", nargs="+", metavar="WORD")
    parser.add_argument("--cpu", default="znver3")
    parser.add_argument("--least", type=int, default=20)
    options = parser.parse_args()
    for name, instructions in functions(options.object).items():
        if not all(word in name for word in options.words): continue
        print(name)
        for first, last in inner_loops(instructions):
            body = [text for _, text in instructions[first:last + 1]]
            vectors = sum(text.startswith("v") for text in body)
            if vectors < options.least: continue
            cycles, pipes = modelled(body, options.cpu)
            dots = sum(text.startswith(("vpmaddwd", "vpdpwssd")) for text in body)
            print(f"  {len(body)} instructions, {vectors} of vectors, {dots} multiply-adds: {cycles:.1f} cycles; "
                  + ", ".join(f"{pipe} {value:.1f}" for pipe, value in pipes.items()))


if __name__ == "__main__":
    main()
