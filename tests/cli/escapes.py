# SPDX-License-Identifier: GPL-3.0-or-later
"""Files whose names, words and numbers hold commands for a terminal. What the program says of them, on standard
output and on standard error, holds none.

    python3 escapes.py PROGRAM"""

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

PROGRAM = os.path.abspath(sys.argv[1])
MODEL = os.path.join(os.environ.get("ATTENTION_GRID_DATADIR", "data"), "models", "rose")
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# A title of the window, a colour, a colour by the one character that Latin-1 has for it, a deletion.
EVIL = "\x1b]0;owned\x07\x1b[31mred\u009b32m\x7f\b"
# What ends a line of text, or is a space in a table, is no command.
HARMLESS = {ord("\n"), ord("\t")}


def write(path, content):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def make_npy(values):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {(len(values), len(values[0]))}, }}"
    header += " " * (117 - len(header)) + "\n"
    return b"\x93NUMPY\x01\x00v\x00" + header.encode() + b"".join(struct.pack(f"<{len(row)}f", *row) for row in values)


def make_npz(path, **arrays):
    with zipfile.ZipFile(path, "w") as archive:
        for name, values in arrays.items():
            archive.writestr(name + ".npy", make_npy(values))


def make_safetensors(names, metadata):
    header = json.dumps({"__metadata__": metadata, **{
        name: {"dtype": "F32", "shape": [1, 1], "data_offsets": [4 * i, 4 * i + 4]} for i, name in enumerate(names)}})
    return struct.pack("<Q", len(header)) + header.encode() + bytes(4 * len(names))


def make_gguf(**members):
    def string(text):
        return struct.pack("<Q", len(text.encode())) + text.encode()
    return (b"GGUF" + struct.pack("<IQQ", 3, 0, len(members)) +
            b"".join(string(name) + struct.pack("<I", 8) + string(value) for name, value in members.items()))


def edit_json(path, edit):
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    edit(content)
    os.unlink(path)
    write(path, json.dumps(content))


def make_model(folder, name="m"):
    path = os.path.join(folder, name)
    shutil.copytree(MODEL, path)
    return path


def edit_tokenizer(edit):
    def make(folder):
        edit_json(os.path.join(make_model(folder), "tokenizer.json"), edit)
    return make


def name_pieces(content):
    """All that have no letters of their own, and one that is added."""
    pieces = content["model"]["vocab"]
    name, number = next((name, number) for name, number in pieces.items() if name.endswith("rose"))
    del pieces[name]
    content["model"]["merges"] = []
    content["added_tokens"] = [*content.get("added_tokens", []), {
        "id": number, "content": EVIL, "special": False, "single_word": False, "lstrip": False, "rstrip": False,
        "normalized": False}]


def edit_config(**members):
    def make(folder):
        edit_json(os.path.join(make_model(folder), "config.json"), lambda content: content.update(members))
    return make


def put(path, content):
    return lambda folder: write(os.path.join(folder, path), content)


def beside_model(name, content):
    def make(folder):
        write(os.path.join(make_model(folder), name), content)
    return make


def put_npz(folder):
    make_npz(os.path.join(folder, "x.npz"), **{EVIL: [[1, 0], [1, 0]], "b" + EVIL: [[1, 0]]})


def put_labels(folder):
    write(os.path.join(folder, "w.csv"), "1,0\n0.5,0.5\n")
    write(os.path.join(folder, "w.tokens.json"), json.dumps([EVIL, "b", EVIL]))


def put_survey(folder):
    model = make_model(folder, "m" + EVIL)
    write(os.path.join(folder, "t" + EVIL + ".txt"), "one\ntwo" + EVIL + "\n")
    subprocess.run([PROGRAM, "survey", "--model", model, "--texts", "t" + EVIL + ".txt", "-o", "s.npz"], cwd=folder,
                   check=True, capture_output=True)


DRAW = ("render", "single", "-o", "out.svg")
RENDER = (*DRAW, "--model", "m", "--text", "the rose")
MAKERS = [
    ("arrays", put_npz, ("info", "x.npz"), ("info", "x.npz", "--json"), (*DRAW, "--model", "x.npz"),
     (*DRAW, "--model", "x.npz:c"), (*DRAW, "--model", "x.npz:c" + EVIL)),
    ("tensors", put("x.safetensors", make_safetensors([EVIL, "b"], {EVIL: EVIL})), ("info", "x.safetensors"),
     ("info", "x.safetensors", "--json"), (*DRAW, "--model", "x.safetensors")),
    ("GGUF", put("x.gguf", make_gguf(**{"general.architecture": EVIL, "general.name": EVIL, EVIL: EVIL})),
     ("info", "x.gguf"), ("tokenize", "x.gguf", "a"), (*DRAW, "--model", "x.gguf")),
    ("table", put("x.csv", f"a{EVIL},b\n1,{EVIL}\n"), ("info", "x.csv"), (*DRAW, "--model", "x.csv"),
     ("probe", "--table", "x.csv", "-o", "out.npz")),
    ("labels", put_labels, ("info", "w.csv"), (*DRAW, "--model", "w.csv")),
    ("family", edit_config(model_type=EVIL, architectures=[EVIL]), ("info", "m"), RENDER),
    ("activation", edit_config(activation_function=EVIL, hidden_act=EVIL), ("info", "m"), RENDER),
    ("quantization", edit_config(quantization_config={"quant_method": EVIL}), ("info", "m"), RENDER),
    ("configuration", edit_config(_name_or_path=EVIL, **{EVIL: EVIL}), ("info", "m"), ("info", "m", "--json"), RENDER),
    ("pieces", edit_tokenizer(name_pieces), ("info", "m"), ("tokenize", "m", "the rose " + EVIL),
     ("tokenize", "m", "the rose " + EVIL, "--json"), ("generate", "--model", "m", "--text", "the rose " + EVIL),
     ("generate", "--model", "m", "--text", "the rose", "--json"), RENDER),
    ("tokenizer", edit_tokenizer(lambda content: content["model"].update(type=EVIL)), ("tokenize", "m", "a"), RENDER),
    ("normalizer", edit_tokenizer(lambda content: content.update(normalizer={"type": EVIL})), ("tokenize", "m", "a")),
    ("pattern", edit_tokenizer(lambda content: content.update(
        pre_tokenizer={"type": "Split", "pattern": {"Regex": "(" + EVIL}, "behavior": "Isolated", "invert": False})),
     ("tokenize", "m", "a")),
    ("template", beside_model("chat_template.jinja", EVIL + "{{ messages[0].content }}" + EVIL), ("info", "m"),
     ("info", "m", "--json"), (*RENDER, "--chat"), ("tokenize", "m", "a", "--chat")),
    ("refusal of a template", beside_model("chat_template.jinja", "{{ raise_exception('" + EVIL + "') }}"),
     ("info", "m"), (*RENDER, "--chat")),
    ("fault of a template", beside_model("chat_template.jinja", "{% " + EVIL + " %}"), ("info", "m"),
     (*RENDER, "--chat")),
    ("index", beside_model("model.safetensors.index.json", json.dumps({"weight_map": {EVIL: EVIL}})), ("info", "m")),
    ("tensor", beside_model("model.safetensors", make_safetensors([EVIL], {})), ("info", "m"), RENDER),
    ("adapter", put("x/adapter_config.json", json.dumps({"peft_type": EVIL, "base_model_name_or_path": EVIL})),
     ("info", "x"), (*DRAW, "--model", "x"), (*DRAW, "--adapter", "x")),
    ("lines", put("x.jsonl", json.dumps({EVIL: EVIL}) + "\n"), ("survey", "--texts", "x.jsonl", "-o", "out.npz"),
     ("survey", "--texts", "x.jsonl", "--field", EVIL, "-o", "out.npz")),
    ("columns", put("t.csv", f"a{EVIL},b\n1,2\n"), ("survey", "--texts", "t.csv", "-o", "out.npz"),
     ("survey", "--texts", "t.csv", "--column", "c", "-o", "out.npz")),
    ("sequences", put("x.fasta", f">a {EVIL}\n{EVIL}\n"), ("survey", "--texts", "x.fasta", "-o", "out.npz"),
     (*DRAW, "--text-file", "x.fasta")),
    ("survey", put_survey, ("info", "s.npz"), ("info", "s.npz", "--json"), ("survey", "report", "s.npz"),
     ("survey", "merge", "s.npz", "s.npz", "-o", "out.npz"), ("render", "survey", "--model", "s.npz", "-o", "out.svg"),
     ("survey", "--texts", "t" + EVIL + ".txt", "-o", "s.npz")),
    ("study", put("x.json", json.dumps({"version": 1, EVIL: EVIL, "figure": EVIL})), ("render", "x.json", *DRAW[2:]),
     ("info", "x.json")),
    ("title", put("x.json", json.dumps({"version": 1, "figure": "grid", "model": {"path": EVIL}, "inputs": [
        {"text": EVIL}]})), ("render", "x.json", *DRAW[2:])),
    ("brackets", put("x.json", "[" + EVIL), ("render", "x.json", *DRAW[2:]), ("render", "head-groups", "--groups",
                                                                             "x.json", *DRAW[2:])),
    ("name", put("x" + EVIL + ".json", "[]"), ("render", "x" + EVIL + ".json", *DRAW[2:]),
     ("info", "x" + EVIL + ".json"),
     (*DRAW[:2], "-o", "out" + EVIL), ("survey", "--texts", "x" + EVIL + ".json", "-o", "out.npz")),
    ("options", put("x", ""), ("render", EVIL), ("render", "single", "--" + EVIL), ("info", EVIL),
     ("survey", EVIL), (*DRAW, "--text", "a", "--layer", EVIL), (*DRAW, "--set", EVIL), (*DRAW, "--colormap", EVIL))]


def find_commands(data):
    text = data.decode(errors="replace")
    return sorted({f"U+{ord(c):04X}" for c in text
                   if (ord(c) < 32 or 0x7f <= ord(c) < 0xa0) and ord(c) not in HARMLESS})


def main():
    cases = [(name, make, words) for name, make, *commands in MAKERS for words in commands]
    print(f"1..{len(cases)}", flush=True)
    failed = 0
    for number, (name, make, words) in enumerate(cases, 1):
        with tempfile.TemporaryDirectory() as folder:
            make(folder)
            done = subprocess.run([PROGRAM, *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True)
        shown = " ".join(words).replace(EVIL, "EVIL")
        found = [f"{where}: {', '.join(commands)}" for where, data in (("output", done.stdout), ("error", done.stderr))
                 if (commands := find_commands(data))]
        if done.returncode not in (0, 1, 2):
            found.append(f"status {done.returncode}")
        if not done.stdout + done.stderr and "render" not in words and "survey" not in words:
            found.append("nothing said")
        print(f"{'not ' if found else ''}ok {number} {name}: {shown}")
        if os.environ.get("SHOW"):
            print("#   " + repr((done.stdout + done.stderr).decode(errors="replace")[:240]))
        for fault in found:
            print(f"# {fault}")
            failed += 1
    sys.exit(failed > 0)


main()
