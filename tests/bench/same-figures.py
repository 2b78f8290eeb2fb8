#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws 1,150 figures and arrays with two builds of the program and compares them byte for byte.

    same-figures.py BEFORE AFTER             two programs: build/src/attention-grid of two checkouts
    same-figures.py BEFORE --record FILE     stores the sums; a line: SHA-256, a tab, the command
    same-figures.py AFTER --compare FILE     a program, and the sums of an older one
    same-figures.py --list                   prints the commands

Words behind the programs choose the commands that contain one of them. --keep DIRECTORY keeps what
differs, in DIRECTORY/COMMAND/0 of the first program and /1 of the second; --jobs N runs N at once.
The exit status is 1 where a command differs or fails.

A program finds its data in its own build directory. What a figure can depend on beside the program
is fixed: locale, threads of OpenBLAS, home directory. The sums of one machine are no use on
another, where fonts and the order of additions differ.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

TESTS = pathlib.Path(__file__).resolve().parent.parent
SOURCE = TESTS.parent

# --- The files that commands read -----------------------------------------------------------------


def wave(*shape):
    """Numbers between 0 and 1 that repeat nowhere soon, in the order of memory."""
    count = 1
    for size in shape:
        count *= size
    return [(k * 7919 + 13) % 1009 / 1009 for k in range(count)]


def attention(n_layers, n_heads, n_queries, n_keys):
    """Rows that sum to 1; causal where there are as many queries as keys."""
    values = wave(n_layers, n_heads, n_queries, n_keys)
    for start in range(0, len(values), n_keys):
        query = start // n_keys % n_queries
        seen = query + 1 if n_queries == n_keys else n_keys
        total = sum(values[start : start + seen])
        for key in range(n_keys):
            values[start + key] = values[start + key] / total if key < seen else 0.0
    return values


def npy(descr, shape, data):
    head = repr({"descr": descr, "fortran_order": False, "shape": tuple(shape)}).encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + data


def floats(shape, values):
    return npy("<f4", shape, struct.pack(f"<{len(values)}f", *values))


def strings(*words):
    width = max(map(len, words))
    data = b"".join(word.ljust(width, "\0").encode("utf-32-le") for word in words)
    return npy(f"<U{width}", [len(words)], data)


def npz(path, **members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name + ".npy"), data)


# Studies, as changes to a preset's: what no option of the command line can say is said here.
STUDIES = {
    "colors": ("single", {"style": {"foreground": "#112233", "background": "#ffeedd",
                                    "has-background": True, "masked-color": "#00ff00"}}),
    "clip": ("epsilon", {"style": {"range": "clipped", "clip": 10}}),
    "clip-row": ("epsilon", {"style": {"range": "clipped", "clip": 25, "range-scope": "row"}}),
    "marks": ("epsilon", {"style": {"low": 0.1, "high": 0.5, "tick": 0.1, "marks-overflow": True}}),
    "key": ("single", {"style": {"shows-key": True}}),
    "no-key": ("layer-token", {"style": {"shows-key": False}}),
    "no-marks": ("layer-token", {"style": {"marks-overflow": False}}),
    "ticks": ("mean-operation", {"style": {"low": -0.5, "high": 1.5, "tick": 0.25}}),
    "map": ("single", {"style": {"colormap": "mine", "colors": ["#000000", "#ff8800", "#ffffff"]}}),
    "view": ("epsilon", {"view": [0.25, 0.25, 0.5, 0.5]}),
    "view-edge": ("single", {"view": [0.61, 0.0, 0.39, 0.33], "style": {"shows-values": True}}),
    "view-visible": ("mean-operation", {"view": [0, 0.5, 0.4, 0.4], "style": {"range": "visible"}}),
    "views": ("compare", {"views": [[0, 0, 1, 1], [0.2, 0.2, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5]]}),
    "view-roles": ("layer-token", {"view": [0.1, 0, 0.5, 1]}),
    "page": ("epsilon", {"page": {"width": 120, "height": 90, "unit": "mm", "resolution": 150,
                                  "outlines": True, "cell-titles": True, "path-cells": 10}}),
    "pins": ("single", {"regions": [
        {"panel": 0, "name": "pin", "rows": [5, 5], "columns": [0, 0], "pin": True},
        {"panel": 0, "name": "", "rows": [2, 7], "columns": [1, 3], "pin": False}]}),
    "pins-all": ("epsilon", {"regions": [
        {"panel": k, "name": f"r{k}", "rows": [k, k + 1], "columns": [0, k], "pin": False}
        for k in range(9)]}),
    "extra": ("epsilon", {"extra-interventions": [
        {"component": "key", "operation": "mean", "axis": "token", "site": "projection",
         "layers": "0", "heads": "all", "tokens": "all"},
        {"component": "query", "operation": "scale", "factor": 2, "site": "projection",
         "layers": "1", "heads": "0,2", "tokens": "3-5"}]}),
    "scope": ("mean-operation", {"scope": {"layers": "0,2", "heads": "1", "tokens": "0-2"}}),
    "ids": ("single", {"inputs": [{"ids": [2, 17, 5, 300, 41, 9, 9, 5], "tokens": 7}]}),
    "label": ("head-atlas", {"value-label": "Weight <&>", "title": "<i>{layer}</i>/{head}"}),
    "share": ("head-groups", {"groups": {"rule": "share", "level": 0.6, "heads": [],
                                          "graded": True, "mask": "model"}}),
    "positions": ("layer-token", {"roles": {"positions": {"answer": 6, "exact": [9, 11]},
                                            "after-last": True, "reduction": "max"}}),
    "differences": ("epsilon", {"differences": "0,4,8", "hidden-keys": "0"}),
}


def merge(base, changes):
    return {**base, **{name: merge(base.get(name, {}), value) if isinstance(value, dict) else value
                       for name, value in changes.items()}}


def prepare(directory):
    """Fills the directory in which all cases run."""
    for config in sorted(TESTS.glob("model/*/config.json")):
        shutil.copytree(config.parent, directory / config.parent.name)
    for name, (preset, changes) in STUDIES.items():
        study = json.loads((SOURCE / f"data/presets/{preset}.json").read_text("utf-8"))
        if "positions" in changes.get("roles", {}):
            for text in ("question", "answer", "exact-answer"):
                del study["roles"][text]
        (directory / f"{name}.json").write_text(json.dumps(merge(study, changes)), "utf-8")

    def write(name, text):
        (directory / name).write_text(text, "utf-8")

    write("mine.csv", "red,green,blue\n0,0,64\n0,200,100\n255,255,0\n")
    write("texts.txt", "A rose is a rose.\n\nThe garden is red.\nIt is I.\n")
    write("long.txt", "A rose is a red rose and the gardener is in the garden. " * 8 + "\n")
    write("groups.json", json.dumps({"0": ["It", "am"], "2": ["I", "the", "is"]}))
    write("probe.csv", "".join(f"0.{k}1,0.5{k},0.{9 - k},0.7,{k}e-1\n" for k in range(9)))
    write("gaps.csv", "name,a,b,c\nL0,0.5,nan,1\nL1,-2,0.25,inf\nL2,0,0,0.125\n")
    weights, matrix, cross = [3, 4, 8, 8], [40, 50], [2, 3, 4, 7]
    (directory / "weights.npy").write_bytes(floats(weights, attention(*weights)))
    (directory / "matrix.npy").write_bytes(floats(matrix, wave(*matrix)))
    npz(directory / "cross.npz", attention=floats(cross, attention(*cross)),
        query_tokens=strings(*"abcd"), key_tokens=strings("one", "two", "three", *"4567"))
    query, key = [2, 4, 6, 5], [2, 2, 6, 5]
    npz(directory / "qkv.npz", query=floats(query, wave(*query)), key=floats(key, wave(*key)),
        value=floats(key, wave(*key)), tokens=strings("<s>", *"A rose is a rose".split()))


# --- The cases ------------------------------------------------------------------------------------

PRESETS = "mean-operation epsilon single compare head-atlas head-groups layer-token".split()
COLORMAPS = "coolwarm Blues viridis magma cividis RdBu gray on-off".split()
ROTATED = "llama gpt_neox gptj phi qwen2 gemma mistral".split()


def lines_of(text):
    """A command a line; ROSE stands for an input."""
    text = text.replace("ROSE", "'A rose is a rose, and a red rose is a rose.'")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


# What presets of weights are drawn with.
GRID = lines_of("""
--layer 0
--layer 2 --head 3
--head mean
--layer 1 --head strongest-sink
--mean query
--mean key --axis token
--mean value --axis head
--scale query=0.5
--scale key=1e-10 --scope-heads 0,2-3
--scale value=100 --scope-layers all
--scale query=3 --scope-layers 0-1 --scope-tokens 2-5
--words
--hide-keys 0
--hide-keys 0,2-3 --renormalise
--queries 3-6
--last-queries 4
--words --hide-keys 0 --renormalise --last-queries 6
--layer 1 --differences all
""")

# How any figure may look.
LOOKS = lines_of("""
--reversed
--color-scale log
--color-scale symmetric
--color-scale percentile
--range data
--range clipped
--range visible --range-scope row
--range data --range-scope panel
--range 0.1:0.7
--range=-1:1 --colormap RdBu
--colormap mine.csv --values --digits 3
--no-titles --no-caption
--no-colorbar --no-tokens
--no-values --font 'DejaVu Serif' --font-size 7
--size 180mm
--size 120x90mm --outlines
--size 6in --cell-titles
--path-cells 4
--font-size 14 --values
--title 'L{layer} {model} <b>&' --caption 'Cap {components}'
""")

RENDER = lines_of("""
# Grids
single --rows layer --columns head --mean query --scale key=0.5
single --rows head --columns layer --mean query --scale key=0.5
single --rows head --columns none --mean query
single --rows none --columns layer --scale key=0.5
single --rows input --columns layer --mean query --text ROSE --text 'It is I.'
single --rows layer --columns input --text ROSE --text 'It is I.'
single --rows input --columns head --text ROSE --text 'It is I.'
single --rows none --columns input --words --text ROSE --text 'It is I.'
epsilon --rows epsilon --columns component
epsilon --rows layer --columns epsilon
epsilon --rows head --columns epsilon --epsilons 1,0.5,0.1,1e-3
epsilon --rows input --text-file texts.txt
epsilon --epsilons 2,20 --scale query=0.5 --scale value=0.1
epsilon --scale key=0.25
epsilon --rows none
epsilon --columns none
epsilon --columns comparison --rows layer
epsilon --model qwen3 --ids 1,5,9,2,7 --rows site --sites projection,normed,rotated
mean-operation --model llama --ids 1,5,9,2 --rows site --sites projection,rotated --columns axis
epsilon --differences 0,3-4
epsilon --differences all --range data
epsilon --differences none
mean-operation --rows axis --axes feature,token,head
mean-operation --rows input --columns axis
mean-operation --mean query --mean key
mean-operation --rows layer --layers 0,2
mean-operation --rows head --heads 1-3 --words
mean-operation --text 'It is.' --text 'A red rose is a rose.'
mean-operation --ids 2,17,5 --ids 9,8,7,6
mean-operation --special-tokens off
mean-operation --differences 0-2
mean-operation --queries 0-4 --hide-keys 1
mean-operation --region sink=3/0,0-9 --region 0/2-4,5
mean-operation --scope-layers all --axis token
head-atlas --layers 1-2 --heads 0,3
head-atlas --differences all --scale query=1e-12 --scope-layers 0
head-atlas --text-file long.txt
head-atlas --mean query
head-atlas --words
head-atlas --hide-keys 0-2 --renormalise --last-queries 4
head-atlas --values
head-atlas --model phi --ids 3,1,4,1,5,9,2,6
single --text-file long.txt
single --text-file long.txt --words --values
single --text-file long.txt --path-cells 100
single --text-file long.txt --last-queries 9 --hide-keys 0-20
single --region corner=0-3,2-7 --region 1,1
single --special-tokens off --text 'Rose.'
single --text 'aé世 <&> "x" 🌹'
single --text R --head 1
single --value-label 'p & q'
single --caption '{layer}, {head}, {input}: {tokens}' --title ''
compare --compare input --text 'A rose is a rose.' --text 'The rose is a red.'
compare --compare layer --layers 0,2
compare --compare head --heads 1,3
compare --compare head --heads 3,1
compare --compare layer --layers 2,0 --head mean
compare --mean query --layer 1
compare --scale key=0.5 --layer 1 --head 2 --size 180mm
compare --mean value --scope-layers all --layer 2
compare --rows head --scale key=1e-3
compare --rows layer --mean query --range clipped
compare --rows component
compare --rows input --text-file texts.txt --mean key
compare --model llama --with-model mistral --compare model --ids 1,2,3,4,5,6
compare --model gpt2-bare --with-model gpt2-prefixed --compare model --ids 1,2,3,4,5 --layer 1
single --rows model --with-model gpt2-bare --with-model gpt2-prefixed --ids 7,2,3 --layer 1
single --rows comparison --columns model --with-model gpt2-prefixed --ids 7,2 --scale key=0.1
# Groups of heads
head-groups --group 0=It,I --group 1=is,am,the
head-groups --groups groups.json
head-groups --groups groups.json --mask causal
head-groups --graded
head-groups --graded --mask causal
head-groups --mask model
head-groups --detect threshold=0.3
head-groups --detect threshold=0.05 --graded
head-groups --detect share=0.7
head-groups --detect share=0.9 --mask none --layer 1
head-groups --detect threshold=0.2 --text 'A rose is a rose in the garden.' --words
head-groups --text 'It is the rose' --group 0=It,the --group 3=rose --special-tokens off
head-groups --model bert --ids 3,4,5,6,7,8 --detect threshold=0.2
head-groups --colormap viridis --reversed
head-groups --scale key=1e-3 --detect share=0.5
# Roles of tokens
layer-token --after-last
layer-token --queries 3-9
layer-token --last-queries 3 --reduce mean
layer-token --head 1
layer-token --heads 0,2
layer-token --no-regions
layer-token --words
layer-token --question 'Who is it?' --answer 'It is the gardener.' --exact-answer gardener
layer-token --marked 'What is red? || The rose is [[red]].'
layer-token --layers 1-2
layer-token --ids 2,5,7,9,11,13,15,17,19,21 --positions answer=4,exact=6-7
layer-token --text 'Is it red? It is red.' --positions answer=4,exact=6-6 --after-last
layer-token --region first_answer:-1,0-2
layer-token --region box=exact_answer_first:-3,1-2 --range data
layer-token --mean query --scope-layers 0
layer-token --scale key=1e-10 --reduce max --range clipped
layer-token --scale key=0.1
layer-token --hide-keys 0 --renormalise
layer-token --model gptj --ids 2,5,7,9,11,13 --positions answer=3,exact=4-5 --range 0:1 --values
# Matrices and recordings
layer-token --array probe.csv --range 0.5:1
layer-token --array probe.csv --range data --value-label AUC
layer-token --array gaps.csv --values
layer-token --array matrix.npy --colormap magma
single --model weights.npy
single --model weights.npy --layer 1 --head mean
single --model matrix.npy
head-atlas --model weights.npy
head-atlas --model weights.npy --hide-keys 0 --renormalise
compare --model weights.npy --compare head --heads 0,3
head-groups --model weights.npy --detect share=0.4
single --model qkv.npz
epsilon --model qkv.npz
mean-operation --model qkv.npz --layer 1
single --model cross.npz --layer 1 --head 2
single --model gaps.csv
single --model probe.csv --values
# Sweeps
epsilon --sweep 1:1e-6:5
compare --scale query=0.5 --sweep 2:0.01:4 --size 150mm
epsilon --sweep 1:1e-12:3 -> %02d.svg
# Scales of colour
mean-operation --color-scale log --range data --range-scope grid
mean-operation --color-scale log --range 1e-4:1
mean-operation --color-scale ratio --range 0:4
mean-operation --color-scale ratio --range data --range-scope row
mean-operation --color-scale symmetric --range clipped --range-scope panel
mean-operation --color-scale percentile --range data
mean-operation --color-scale percentile --range data --range-scope panel
# Other formats
colors.json -> .pdf
colors.json --resolution 50 -> .png
view-edge.json --size 90mm -> .pdf
pins-all.json -> .pdf
epsilon --range-scope row --range data --outlines -> .pdf
epsilon --size 300px -> .png
head-groups --graded --font-size 12 -> .pdf
single --text-file long.txt --path-cells 10 -> .pdf
single --text-file long.txt --size 400px -> .png
""")

COMPUTE = lines_of("""
--what logits -> .npy
--what logits --scale key=1e-5 --scope-layers all -> .npy
--what logits --ids 4,5 -> .csv
--head mean -> .npy
--head strongest-sink --layer 2 -> .csv
--layer 0 --head 0 -> .csv
--text 'A rose.' --text 'It is I.' -> .npz
--text 'A rose.' --text 'It is I.' --what key -> .safetensors
--text-file texts.txt --what scores -> .npz
--special-tokens off -> .npy
epsilon -> .safetensors
epsilon --epsilons 1,0.5,1e-12 --layer 1
epsilon --differences all
epsilon --rows layer --hide-keys 0
single --words --renormalise --hide-keys 0
single --head mean --mean query --scope-layers all --axis head
compare --compare layer --layers 0,1
head-atlas --last-queries 3
head-groups --detect share=0.8 --graded
layer-token -> .csv
single -> .csv
layer-token --reduce max --after-last
layer-token --array probe.csv
head-atlas --model weights.npy
mean-operation --model qkv.npz
single --model cross.npz --layer 0 --head 1
single --threads 1 --mean key
""")

# Written for each of weights, scores, query, key and value.
QUANTITY = lines_of("""
--layer all
--layer 1 --head 2 --scale query=0.5
--mean key --axis token --scope-tokens 1-3
--layer all --head all --scale value=1e-6 --scope-layers 0 --ids 2,17,5,9
""")

# With the model of each family that the tests have.
FAMILY = lines_of("""
compute --ids 1,5,9,2,30,7,7,3 -> .npy
compute --ids 1,5,9,2,30,7,7,3 --what logits --mean key --scope-layers all -> .npy
compute --ids 1,5,9,2,30,7,7,3 --scale query=0.3 --site projection -> .npy
compute --ids 1,5,9,2,30,7,7,3 --what value --mean value --axis token -> .npy
render epsilon --ids 1,5,9,2,30,7
render head-atlas --ids 1,5,9,2,30,7 --mean query
""")

# With those that turn queries and keys.
ROTATED_FAMILY = lines_of("""
compute --ids 1,5,9,2 --site rotated --mean key --axis token -> .npy
compute --ids 1,5,9,2 --site rotated --mean query --axis head -> .npy
compute --ids 1,5,9,2 --site rotated --scale query=0.5 -> .npy
""")


def commands():
    render, compute = PRESETS + RENDER, PRESETS + COMPUTE
    for preset in PRESETS:
        render += [f"{preset} -> .pdf", f"{preset} --resolution 60 -> .png"]
    for name in COLORMAPS:
        render += [f"single --colormap {name}",
                   f"single --colormap {name} --reversed --color-scale ratio --range data"]
    # Each look with three presets, each of which so comes by several.
    for k, look in enumerate(LOOKS):
        render += [f"{PRESETS[(k + step) % 7]} {look}" for step in [0, 2, 5]]
    for k, options in enumerate(GRID):
        render += [f"{PRESETS[(k + step) % 4]} {options}" for step in [0, 3]]
    for name in STUDIES:
        render.append(f"{name}.json")
        compute.append(f"{name}.json")
    for what in ["weights", "scores", "query", "key", "value"]:
        compute += [f"{options} --what {what} -> .npy" for options in QUANTITY]
    yield from (f"render {line}" for line in render)
    yield from (f"compute {line}" for line in compute)
    for config in sorted(TESTS.glob("model/*/config.json")):
        name = config.parent.name
        for line in FAMILY + (ROTATED_FAMILY if name in ROTATED else []):
            yield line.replace("--ids", f"--model {name} --ids")


def cases():
    """Each command, its words, and how the name of its file ends."""
    for line in dict.fromkeys(commands()):
        command, _, ending = line.partition(" -> ")
        yield line, shlex.split(command), ending or (".svg" if line.startswith("r") else ".npz")


# --- Running them ---------------------------------------------------------------------------------


def environment(program, home):
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "SOURCE_DATE_EPOCH": "0",
        "OPENBLAS_NUM_THREADS": "1",
        "ATTENTION_GRID_DATADIR": str(program.parent.parent / "data"),
        **{name: os.environ.get(name, "") for name in ("LSAN_OPTIONS", "TSAN_OPTIONS")},
        # Where a program of another processor finds its libraries; kernels, which builds may choose otherwise
        **{name: value for name, value in os.environ.items() if name.startswith(("QEMU_", "OPENBLAS_CORETYPE"))},
    }


def run(program, env, inputs, words, ending, directory):
    """The sum of all files that the command writes and "", or its exit status and message."""
    directory.mkdir(parents=True)
    command = [program, *words, "-o", directory / f"figure{ending}"]
    process = subprocess.run(command, cwd=inputs, env=env, stdin=subprocess.DEVNULL,
                             capture_output=True, timeout=300)
    if process.returncode != 0:
        message = process.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
        return f"exit {process.returncode}", message
    sums = hashlib.sha256()
    for file in sorted(directory.iterdir()):
        # A figure says where its model was: the scratch directory of this run is not compared.
        data = file.read_bytes().replace(bytes(inputs), b"@")
        sums.update(file.name.encode() + b"\0" + hashlib.sha256(data).digest())
    return sums.hexdigest(), ""


def read_sums(path):
    lines = pathlib.Path(path).read_text("utf-8").splitlines()
    return {command: value for value, _, command in (line.partition("\t") for line in lines)}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("arguments", nargs="*", metavar="PROGRAM|WORD")
    parser.add_argument("--record", metavar="FILE")
    parser.add_argument("--compare", metavar="FILE")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--keep", metavar="DIRECTORY", type=pathlib.Path)
    parser.add_argument("--jobs", metavar="N", type=int, default=2)
    options = parser.parse_intermixed_args()

    n_programs = 0 if options.list else 1 if options.record or options.compare else 2
    programs = [pathlib.Path(path).resolve() for path in options.arguments[:n_programs]]
    words = options.arguments[n_programs:]
    if len(programs) < n_programs:
        parser.error("two programs are needed, or one with --record or --compare")
    for program in programs:
        if not program.is_file():
            parser.error(f"{program}: no program")
    chosen = [case for case in cases() if not words or any(word in case[0] for word in words)]
    if options.list:
        print(*(line for line, _, _ in chosen), sep="\n")
        return 0
    before = read_sums(options.compare) if options.compare else {}

    n_different = n_failed = n_refused = 0
    sums = []
    with tempfile.TemporaryDirectory(prefix="same-figures-") as scratch:
        scratch = pathlib.Path(scratch)
        inputs = scratch / "inputs"
        inputs.mkdir()
        prepare(inputs)
        environments = [environment(program, scratch) for program in programs]

        def compare(case):
            line, command, ending = case
            place = scratch / re.sub(r"[^\w.,=-]+", "_", line)[:200]
            results = [run(program, env, inputs, command, ending, place / str(k))
                       for k, (program, env) in enumerate(zip(programs, environments))]
            if options.compare:
                results.insert(0, (before.get(line, "not recorded"), ""))
            differs = len({value for value, _ in results}) > 1
            if differs and options.keep:
                shutil.copytree(place, options.keep / place.name, dirs_exist_ok=True)
            shutil.rmtree(place)
            return line, results, differs

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for line, results, differs in pool.map(compare, chosen):
                messages = [f"\n    {value}: {text}" for value, text in results if text]
                is_refused = (" --model " in line and len({text for _, text in results}) == 1
                              and {value for value, _ in results} == {"exit 1"})
                n_refused += is_refused
                n_different += differs
                n_failed += bool(messages) and not is_refused
                sums.append(f"{results[0][0]}\t{line}\n")
                if differs or (messages and not is_refused):
                    print("differs:" if differs else "fails:", line, *messages, flush=True)
    if options.record:
        pathlib.Path(options.record).write_text("".join(sums), "utf-8")
    print(f"{len(chosen)} commands, {n_different} differ, {n_failed} fail, "
          f"{n_refused} are refused alike")
    return 1 if n_different or n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
