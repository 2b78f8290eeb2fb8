# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths at which there is no file, or one far too large, or one nested without end: a pipe nobody writes to, a
device that never ends, ten gigabytes of nothing, 5,000 brackets. The program says a sentence or passes it over,
soon, and takes no memory for it.

    python3 hostile.py PROGRAM"""

import concurrent.futures
import json
import os
import re
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
          "tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "vocab.json", "vocab.txt", "merges.txt",
          "tokenizer_config.json", "added_tokens.json", "special_tokens_map.json", "chat_template.jinja",
          "chat_template.json", "generation_config.json", "processor_config.json", "quantize_config.json",
          "hf_quant_config.json", "model.safetensors", "pytorch_model.bin"]
# Of these, the ones that are read where there is no tokenizer.json.
VOCABULARIES = ["tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "vocab.json", "vocab.txt", "merges.txt"]
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCES = os.path.join(os.path.dirname(TESTS), "src")
# What the sources call such a file, and what they call none: parts of names.
NAME = re.compile(r'"([a-z][a-z0-9_.]*\.(?:json|jinja|txt|model|bin|safetensors))"')
# Files that only some models or tables have, or that one finds by another: what lies there, from the tests or as it
# stands, the path with the form, and a command that reads it.
DRAW = ("render", "single", "--model", "m", "-o", "out.svg")
SOUND = os.path.join(TESTS, "sound", "byte-8000.wav")
FEATURES = os.path.join(TESTS, "model", "whisper", "features.npy")
CSV = b"1,0\n0.5,0.5\n"
LLAMA = os.path.join(TESTS, "model", "llama")


def make_study(**members):
    return {"x.json": json.dumps({"version": 1, "figure": "grid", "inputs": [{"text": "a"}], **members}).encode()}


def read_adapter(base):
    with open(os.path.join(TESTS, "model", "adapters", "llama", "adapter_config.json"), encoding="utf-8") as file:
        return json.dumps({**json.load(file), "base_model_name_or_path": base}).encode()


STUDY = ("render", "x.json", "-o", "out.svg")
BESIDE_OTHERS = [
    ({"m": "model/vit"}, "m/preprocessor_config.json", (*DRAW, "--image", os.path.join(TESTS, "picture", "plain.jpg"))),
    ({"m": "model/vit", "m/preprocessor_config.json": "picture/vit/preprocessor_config.json"}, "m/x.png",
     (*DRAW, "--image", "m/x.png")),
    ({"m": "model/vit", "m/preprocessor_config.json": "picture/vit/preprocessor_config.json",
      "t/plain.jpg": "picture/plain.jpg"}, "t/a.png", ("survey", "--model", "m", "--texts", "t", "-o", "out.npz")),
    ({"m": "model/whisper"}, "m/preprocessor_config.json", (*DRAW, "--audio", SOUND)),
    ({"m": "model/whisper"}, "m/generation_config.json", (*DRAW, "--features", FEATURES, "--attention", "cross")),
    ({"m": "model/whisper", "t/byte-8000.wav": "sound/byte-8000.wav"}, "t/a.wav",
     ("survey", "--model", "m", "--texts", "t", "-o", "out.npz")),
    ({"m": "model/llama-sharded"}, "m/model-00002-of-00003.safetensors", ("info", "m")),
    ({"m": "model/adapters/llama"}, "m/adapter_config.json", ("info", "m")),
    ({"m": "model/adapters/llama"}, "m/adapter_model.safetensors", ("info", "m")),
    ({"m": "model/adapters/llama-by-mlx"}, "m/adapters.safetensors", ("info", "m")),
    ({"m/adapter_config.json": "model/adapters/llama/adapter_config.json"}, "m/adapter_model.bin",
     ("render", "single", "--model", LLAMA, "--adapter", "m", "--ids", "1,2", "-o", "out.svg")),
    ({"m/adapter_config.json": read_adapter("a/b"),
      "m/adapter_model.safetensors": "model/adapters/llama/adapter_model.safetensors",
      "hub/models--a--b/snapshots/c": "model/llama"}, "hub/models--a--b/refs/main",
     ("render", "single", "--model", "m", "--ids", "1,2", "-o", "out.svg")),
    ({"m/snapshots/c": "model/llama"}, "m/refs/main", ("info", "m")),
    ({"w.csv": CSV}, "tokens.json", ("render", "single", "--model", "w.csv", "-o", "out.svg")),
    ({"w.csv": CSV}, "tokens.txt", ("render", "single", "--model", "w.csv", "-o", "out.svg")),
    ({"w.csv": CSV}, "w.tokens.json", ("render", "single", "--model", "w.csv", "-o", "out.svg")),
    ({"t.txt": b"a text\n"}, "out.npz.journal", ("survey", "--texts", "t.txt", "-o", "out.npz")),
    ({"t.txt": b"a text\n"}, "out.npz", ("survey", "--texts", "t.txt", "-o", "out.npz")),
    # What a study of somebody else names.
    (make_study(model={"path": "y.npz"}), "y.npz", STUDY),
    (make_study(model={"path": "y.gguf"}), "y.gguf", STUDY),
    (make_study(model={"path": LLAMA, "adapter": "y"}), "y", STUDY),
    ({**make_study(model={"path": "m"}, inputs=[{"image": "y.png"}]), "m": "model/vit",
      "m/preprocessor_config.json": "picture/vit/preprocessor_config.json"}, "y.png", STUDY),
    (make_study(model={"path": os.path.join(TESTS, "model", "vit")}, inputs=[{"pixels": "y.npy"}]), "y.npy", STUDY),
    (make_study(model={"path": os.path.join(TESTS, "model", "whisper")}, inputs=[{"audio": "y.wav"}]), "y.wav", STUDY),
    (make_study(model={"path": os.path.join(TESTS, "model", "whisper")}, inputs=[{"features": "y.npy"}]), "y.npy",
     STUDY),
    (make_study(figure="survey", survey={"texts": "y.npz"}), "y.npz", STUDY)]
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


def run(folder, words, expected=""):
    try:
        done = subprocess.run([PROGRAM, *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=SECONDS, env={**os.environ, "HF_HUB_CACHE": os.path.join(folder, "hub")})
    except subprocess.TimeoutExpired:
        return f"no end within {SECONDS} seconds"
    message = done.stderr.decode(errors="replace")
    if done.returncode not in (0, 1, 2):
        return f"status {done.returncode}: {message[:300]}"
    if done.returncode > 0 and not message:
        return "no sentence"
    # A question how to name it may have a second line.
    if "too few arguments" in message or expected not in message:
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
        if name in VOCABULARIES:
            os.unlink(os.path.join(model, "tokenizer.json"))
        if name == "merges.txt":
            with open(os.path.join(model, "vocab.json"), "w") as file:
                file.write('{"a": 0}')
        FORMS[form](path)
        return run(folder, ["info", "m"]) or run(folder, ["tokenize", "m", "a"]) or run(
            folder, ["render", "single", "--model", "m", "--text", "a b", "--chat", "-o", "out.svg"])


def put(path, content):
    """A file or a folder of the tests, or a file with these bytes."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if isinstance(content, bytes):
        with open(path, "wb") as file:
            file.write(content)
    elif os.path.isdir(os.path.join(TESTS, content)):
        shutil.copytree(os.path.join(TESTS, content), path)
    else:
        shutil.copy(os.path.join(TESTS, content), path)


def run_beside_others(files, name, words, form):
    with tempfile.TemporaryDirectory() as folder:
        for path, content in files.items():
            put(os.path.join(folder, path), content)
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.exists(path):
            os.unlink(path)
        FORMS[form](path)
        # A reference may be passed over. What is said of any other file tells that the command has come to it.
        return run(folder, words, "" if name.endswith("refs/main") or form != "deep" else os.path.basename(name))


def run_named(words, form):
    with tempfile.TemporaryDirectory() as folder:
        name = next(word for word in words if word.startswith("x."))
        FORMS[form](os.path.join(folder, name))
        return run(folder, words)


def find_missing():
    """Names of files that the sources open by themselves and that no case here is about."""
    known = {*BESIDE, *(os.path.basename(name) for _, name, _ in BESIDE_OTHERS)}
    names = {}
    for folder, _, files in os.walk(SOURCES):
        for file in files:
            if file.endswith((".c", ".h")) and os.path.relpath(folder, SOURCES).split(os.sep)[0] != "app":
                with open(os.path.join(folder, file), encoding="utf-8") as source:
                    names.update((name, file) for name in NAME.findall(source.read()))
    return [f"{name} in {file}" for name, file in sorted(names.items()) if name not in known] if names else ["none"]


def main():
    cases = [(f"{name} is a {form}", run_beside, name, form) for name in BESIDE for form in FORMS]
    cases += [(f"{name} beside {next(iter(files))} is a {form}, for {words[0]}", run_beside_others, files, name, words,
               form) for files, name, words in BESIDE_OTHERS for form in FORMS]
    cases += [(f"{' '.join(map(os.path.basename, words))} on a {form}", run_named, words, form)
              for words in NAMED for form in ("pipe", "device", "deep", "folder")]
    print(f"1..{len(cases) + 2}", flush=True)
    missing = find_missing()
    failed = len(missing)
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
    print(f"{'not ok' if missing else 'ok'} {len(cases) + 2} each name of a file in the sources is here")
    for name in missing:
        print(f"# {name}")
    sys.exit(failed > 0)


main()
