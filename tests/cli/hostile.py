# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths at which there is no file, or one far too large, or one nested without end: a pipe nobody writes to, a
device that never ends, ten gigabytes of nothing, 5,000 brackets. The program says a sentence or passes it over,
soon, and takes no memory for it.

    python3 hostile.py PROGRAM"""

import concurrent.futures
import os
import resource
import shutil
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
MODEL = os.path.join(os.environ.get("ATTENTION_GRID_DATADIR", "data"), "models", "rose")
# Far above the second that it takes, for a machine that is busy.
SECONDS = 60
# Far above the 22 MiB of a program without and the 57 MiB of one with the sanitizers, far below what lies there.
KIBIBYTES = 256 << 10
DEEP = b"[" * 5000
SIZE = 10 << 30


def make_pipe(path):
    os.mkfifo(path)


def make_device(path):
    os.symlink("/dev/zero", path)


def make_huge(path):
    with open(path, "wb") as file:
        file.truncate(SIZE)


def make_deep(path):
    with open(path, "wb") as file:
        file.write(b'{"a": ' + DEEP)


def make_folder(path):
    os.mkdir(path)


FORMS = {"pipe": make_pipe, "device": make_device, "huge": make_huge, "deep": make_deep, "folder": make_folder}

# Files beside a model, which are read without being named.
BESIDE = ["config.json", "model.safetensors.index.json", "pytorch_model.bin.index.json", "tokenizer.json",
          "tokenizer.model", "vocab.json", "vocab.txt", "merges.txt", "tokenizer_config.json", "added_tokens.json",
          "special_tokens_map.json", "chat_template.jinja", "chat_template.json", "inputs.json", "generation_config.json",
          "quantize_config.json", "hf_quant_config.json", "model.safetensors", "pytorch_model.bin"]
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Files that only some models have, with a command that reads them: the model's folder is m.
DRAW = ("render", "single", "--model", "m", "-o", "out.svg")
BESIDE_OTHERS = [
    ("model/vit", "preprocessor_config.json", (*DRAW, "--image", os.path.join(TESTS, "picture", "plain.jpg"))),
    ("model/vit picture/vit", "x.png", (*DRAW, "--image", "m/x.png")),
    ("model/whisper", "preprocessor_config.json", (*DRAW, "--audio", os.path.join(TESTS, "sound", "byte-8000.wav"))),
    ("model/whisper", "generation_config.json",
     (*DRAW, "--features", os.path.join(TESTS, "model/whisper/features.npy"), "--attention", "cross")),
    ("model/adapters/llama", "adapter_config.json", ("info", "m")),
    ("model/adapters/llama", "adapter_model.safetensors", ("info", "m"))]
# Files that a command names, in the forms that cannot be read to their end.
NAMED = [("info", "x.npy"), ("info", "x.npz"), ("info", "x.csv"), ("info", "x.safetensors"), ("info", "x.gguf"),
         ("info", "x.pt"), ("info", "x.bin"),
         ("render", "x.json", "-o", "out.svg"), ("render", "x.svg", "-o", "out.svg"),
         ("render", "single", "--model", "x.npz", "-o", "out.svg"),
         ("render", "single", "--text-file", "x.txt", "-o", "out.svg"),
         ("render", "single", "--colormap", "x.csv", "-o", "out.svg"),
         ("render", "head-groups", "--groups", "x.json", "-o", "out.svg"),
         ("render", "single", "--audio", "x.wav", "--model", os.path.join(TESTS, "model/whisper"), "-o", "out.svg"),
         ("probe", "--table", "x.csv", "-o", "out.npz"), ("tokenize", "x.json", "a"),
         ("render", "single", "--adapter", "x.folder", "-o", "out.svg"),
         ("survey", "--texts", "x.fasta", "-o", "out.npz"),
         ("survey", "--texts", "x.txt", "-o", "out.npz"), ("survey", "--texts", "x.jsonl", "-o", "out.npz"),
         ("survey", "--texts", "x.csv", "-o", "out.npz"), ("survey", "--texts", "x.npy", "-o", "out.npz"),
         ("survey", "merge", "x.npz", "-o", "out.npz"), ("survey", "report", "x.npz")]


def run(folder, words):
    try:
        done = subprocess.run([PROGRAM, *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"no end within {SECONDS} seconds"
    message = done.stderr.decode(errors="replace")
    if done.returncode not in (0, 1, 2):
        return f"status {done.returncode}: {message[:300]}"
    if done.returncode > 0 and not message:
        return "no sentence"
    # A question how to name it may have a second line.
    if "too few arguments" in message:
        return "a command that does not reach the file"
    if message.count("\n") > 3 or "CRITICAL" in message or "WARNING" in message:
        return f"more than a sentence: {message[:300]}"
    return None


def run_beside(name, form):
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "m")
        shutil.copytree(MODEL, model)
        path = os.path.join(model, name)
        if os.path.exists(path):
            os.unlink(path)
        elif name in ("tokenizer.model", "vocab.json", "vocab.txt"):
            os.unlink(os.path.join(model, "tokenizer.json"))
        if name == "merges.txt":
            os.unlink(os.path.join(model, "tokenizer.json"))
            with open(os.path.join(model, "vocab.json"), "w") as file:
                file.write('{"a": 0}')
        FORMS[form](path)
        return run(folder, ["info", "m"]) or run(folder, ["tokenize", "m", "a"]) or run(
            folder, ["render", "single", "--model", "m", "--text", "a b", "--chat", "-o", "out.svg"])


def run_beside_others(source, name, words, form):
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "m")
        for part in source.split():
            shutil.copytree(os.path.join(TESTS, part), model, dirs_exist_ok=True)
        path = os.path.join(model, name)
        if os.path.exists(path):
            os.unlink(path)
        FORMS[form](path)
        return run(folder, words)


def run_named(words, form):
    with tempfile.TemporaryDirectory() as folder:
        name = next(word for word in words if word.startswith("x."))
        FORMS[form](os.path.join(folder, name))
        return run(folder, words)


def main():
    cases = [(f"{name} is a {form}", run_beside, name, form) for name in BESIDE for form in FORMS]
    cases += [(f"{name} of {source} is a {form}", run_beside_others, source, name, words, form)
              for source, name, words in BESIDE_OTHERS for form in FORMS]
    cases += [(f"{' '.join(map(os.path.basename, words))} on a {form}", run_named, words, form)
              for words in NAMED for form in ("pipe", "device", "deep", "folder")]
    print(f"1..{len(cases) + 1}", flush=True)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        for number, (case, fault) in enumerate(
                zip(cases, pool.map(lambda case: case[1](*case[2:]), cases)), 1):
            print(f"{'not ' if fault else ''}ok {number} {case[0]}")
            if fault:
                print(f"# {fault}")
                failed += 1
    taken = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"{'ok' if taken <= KIBIBYTES else 'not ok'} {len(cases) + 1} no command takes more than {KIBIBYTES} KiB")
    if taken > KIBIBYTES:
        print(f"# {taken} KiB")
        failed += 1
    sys.exit(failed > 0)


main()
