#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later

"""survey.py PROGRAM [--mpi PROGRAM] [--kills N] [--seed N]: surveys by the real program, held against
numbers that are computed here from the maps that `compute` writes, by the definitions and not by the
program's code. Prints TAP."""

import argparse
import functools
import hashlib
import json
import math
import os
import random
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unicodedata
import zipfile

from tap import run_tests

parser = argparse.ArgumentParser()
parser.add_argument("program", type=os.path.abspath)
parser.add_argument("--mpi", type=os.path.abspath)
parser.add_argument("--kills", type=int, default=20)
parser.add_argument("--seed", type=int, default=1)
OPTIONS = parser.parse_args()
PROGRAM = OPTIONS.program

# float32 maps; sums of a survey are double
TOLERANCE = 1e-5

TEXTS = [
    "The capital of France is Paris.",
    "The capital of Italy is Rome. What is the capital of Italy? The capital of Italy is Rome.",
    "",
    "a",
    "Once upon a time there was a cat who sat on a mat, and the cat who sat on a mat was happy.",
    "one two three one two three one two three",
]


class Array:
    """An array of a .npy: shape and flat values."""

    def __init__(self, data):
        assert data[:6] == b"\x93NUMPY"
        length = struct.unpack("<H", data[8:10])[0]
        header = eval(data[10:10 + length], {}, {})  # a literal of Python by the format's definition
        self.shape = header["shape"]
        body = data[10 + length:]
        kind = header["descr"]
        if kind[1] == "U":
            width = int(kind[2:])
            text = body.decode("utf-32-be" if kind[0] == ">" else "utf-32-le")
            self.values = [text[i:i + width].rstrip("\0") for i in range(0, len(text), width)]
        else:
            code = {"f4": "f", "f8": "d", "u8": "Q", "i8": "q", "u1": "B", "i4": "i"}[kind[1:]]
            order = ">" if kind[0] == ">" else "<"
            self.values = struct.unpack(f"{order}{len(body) // struct.calcsize(code)}{code}", body)

    def row(self, *index):
        """The values behind the leading indices."""
        n = len(self.values)
        offset = 0
        for i, size in zip(index, self.shape):
            n //= size
            offset += i * n
        return self.values[offset:offset + n]


def load(path):
    with zipfile.ZipFile(path) as archive:
        return {name[:-4]: Array(archive.read(name)) for name in archive.namelist()}


def run(*words, expect=0, program=PROGRAM, **options):
    done = subprocess.run([program, *words], capture_output=True, text=True, **options)
    assert done.returncode == expect, f"{words}: status {done.returncode}, {done.stderr}"
    return done.stderr


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


@functools.cache
def tokenize(text):
    done = subprocess.run([PROGRAM, "tokenize", MODEL, text, "--json"], capture_output=True,
                          text=True, check=True)
    return json.loads(done.stdout)


def get_ids(text):
    return tokenize(text)["ids"]


def find_model():
    directory = os.environ.get("ATTENTION_GRID_DATADIR", "data")
    for name in sorted(os.listdir(os.path.join(directory, "models"))):
        return os.path.join(directory, "models", name)


def get_delimiters(text):
    """Positions of punctuation, ends of lines and special tokens but for the first, as the tokens say."""
    tokens = tokenize(text)
    return [i for i, label in enumerate(tokens["tokens"])
            if i > 0 and (tokens["ids"][i] in SPECIAL or label.strip("␣") != "" and
                          all(c == "↵" or unicodedata.category(c)[0] == "P"
                              for c in label.strip("␣")))]


def find_special():
    with open(os.path.join(MODEL, "tokenizer.json"), encoding="utf-8") as file:
        return {token["id"] for token in json.load(file)["added_tokens"] if token["special"]}


def naive(weights, ids, baseline, delimiters):
    """Every statistic of one map [T][T], and the scores of all keys and distances."""
    n = len(ids)
    found = {}
    by_key = [sum(weights[i][k] for i in range(n)) / (n - k) for k in range(n)]
    rows = [[a for a in row if a > 0] for row in weights]
    entropies = [-sum(a * math.log2(a) for a in row) for row in rows]
    found["sink"] = by_key[0]
    found["entropy"] = sum(entropies) / n
    found["relative-entropy"] = (sum(entropies[i] / math.log2(i + 1) for i in range(1, n)) / (n - 1)
                                 if n > 1 else math.nan)
    total = sum(map(sum, weights))
    found["distance"] = sum(weights[i][j] * (i - j) for i in range(n) for j in range(n)) / total
    for name, keys in [
            ("previous", lambda i: [i - 1] if i > 0 else []),
            ("duplicate", lambda i: [j for j in range(i) if ids[j] == ids[i]]),
            ("induction", lambda i: [j + 1 for j in range(i) if ids[j] == ids[i]])]:
        sums = [sum(weights[i][j] for j in keys(i)) for i in range(n) if keys(i)]
        found[name] = sum(sums) / len(sums) if sums else math.nan
        found[name + "-mass"] = sum(sums) / total
    sums = [sum(weights[i][j] for j in delimiters if j <= i) for i in range(n)
            if any(j <= i for j in delimiters)]
    found["delimiter"] = sum(sums) / len(sums) if sums else math.nan
    by_distance = {d: [weights[i][i - d] for i in range(max(d, 1), n)]
                   for d in range(n // 2 + 1) if d != 1}
    by_distance = {d: sum(a) / len(a) for d, a in by_distance.items() if a}
    found["offset"] = max(by_distance.values(), default=math.nan)
    found["variation"] = sum(abs(weights[i][j] - baseline[i][j])
                             for i in range(n) for j in range(n)) / (2 * n)
    return found, by_key, by_distance


@functools.cache
def maps_of(text, *operations):
    """[layers][heads] maps and the ids, as `compute` has them."""
    ids = get_ids(text)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "maps.npz")
        run("compute", "--ids", ",".join(map(str, ids)), "-o", path, *operations)
        array = load(path)["weights"]
    layers, heads, n, _ = array.shape
    return [[[list(array.row(layer, head, i)) for i in range(n)] for head in range(heads)]
            for layer in range(layers)], ids


def close(found, expected):
    return (math.isnan(found) and math.isnan(expected)) or abs(found - expected) <= TOLERANCE * max(
        1.0, abs(expected))


def write_texts(folder, texts=TEXTS, name="texts.txt"):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(text + "\n" for text in texts))
    return path


def test_statistics_are_those_of_the_maps(folder):
    texts = write_texts(folder)
    path = os.path.join(folder, "s.npz")
    names = ["sink", "entropy", "relative-entropy", "distance", "previous", "duplicate", "induction",
             "previous-mass", "duplicate-mass", "induction-mass", "variation", "delimiter", "offset"]
    # Below layer 1 the condition has nothing of its own.
    operation = ["--mean", "key", "--scope-layers", "1"]
    run("survey", "--texts", texts, "-o", path, *operation, "--statistic", ",".join(names))
    survey = load(path)
    assert survey["conditions"].values[0] == "baseline"
    assert survey["statistics"].values == names, survey["statistics"].values
    shape = survey["sink.mean"].shape
    per_text = {}
    for number, text in enumerate(TEXTS):
        if not text:
            continue
        baseline, ids = maps_of(text)
        for condition, operations in enumerate([[], operation]):
            maps, _ = maps_of(text, *operations)
            for layer in range(shape[1]):
                for head in range(shape[2]):
                    per_text[number, condition, layer, head] = naive(
                        maps[layer][head], ids, baseline[layer][head], get_delimiters(text))
    numbers = sorted({key[0] for key in per_text})
    for condition in range(shape[0]):
        for layer in range(shape[1]):
            for head in range(shape[2]):
                place = (condition, layer, head)
                for name in names:
                    values = {i: per_text[(i, *place)][0][name] for i in numbers}
                    values = {i: v for i, v in values.items() if not math.isnan(v)}
                    mean = sum(values.values()) / len(values)
                    variance = sum(v * v for v in values.values()) / len(values) - mean * mean
                    where = f"{name} {place}"
                    assert survey[name + ".count"].row(*place)[0] == len(values), where
                    assert close(survey[name + ".mean"].row(*place)[0], mean), where
                    assert close(survey[name + ".variance"].row(*place)[0], variance), where
                    assert close(survey[name + ".minimum"].row(*place)[0], min(values.values()))
                    assert close(survey[name + ".maximum"].row(*place)[0], max(values.values()))
                    histogram = survey[name + ".histogram"].row(*place)
                    assert sum(histogram) == len(values), where
                    top = survey[name + ".top"].row(*place)[0]
                    assert close(values[top], max(values.values())), where
                    bottom = survey[name + ".bottom"].row(*place)[0]
                    assert close(values[bottom], min(values.values())), where
                for key in range(3):
                    sinks = sum(1 for i in numbers if len(per_text[(i, *place)][1]) > key and
                                per_text[(i, *place)][1][key] > 0.3)
                    assert close(survey["sink.by_key"].row(*place)[key], sinks / len(numbers))
                for distance in range(20):
                    held = sum(1 for i in numbers if per_text[(i, *place)][2].get(distance, 0) > 0.3)
                    of_all = survey["offset.count"].row(*place)[0]
                    assert survey["offset.distances"].values[distance] == distance
                    assert close(survey["offset.by_distance"].row(*place)[distance], held / of_all)
                assert survey["sink.rate"].row(*place)[0] == survey["sink.by_key"].row(*place)[0]


def test_norms_and_predictions_are_those_of_compute(folder):
    texts = write_texts(folder)
    path = os.path.join(folder, "s.npz")
    names = ["query-norm", "key-norm", "value-norm", "kl", "loss", "residual-norm", "massive"]
    operation = ["--scale", "query=0.1", "--scope-layers", "1"]
    run("survey", "--texts", texts, "-o", path, *operation, "--statistic", ",".join(names))
    survey = load(path)
    assert survey["kl.axes"].values == ["conditions"]
    assert survey["key-norm.axes"].values == ["conditions", "layers", "positions"]
    for condition, operations in enumerate([[], operation]):
        norms = {}
        effects = {"kl": [], "loss": []}
        for text in filter(None, TEXTS):
            ids = ",".join(map(str, get_ids(text)))
            array = os.path.join(folder, "a.npz")
            for what in ("query", "key", "value"):
                run("compute", "--ids", ids, "-o", array, "--what", what, *operations)
                vectors = load(array)[what]
                layers, heads, n, _ = vectors.shape
                for layer in range(layers):
                    for i in range(n):
                        norm = sum(math.hypot(*vectors.row(layer, head, i))
                                   for head in range(heads)) / heads
                        norms.setdefault((what, layer, i), []).append(norm)
            for what in effects:
                run("compute", "--ids", ids, "-o", array, "--what", what, *operations)
                values = load(array)[what]
                values = values.row(1) if len(values.shape) > 1 else values.values
                values = [value for value in values if not math.isnan(value)]
                if values:
                    effects[what].append(sum(values) / len(values))
        for (what, layer, i), values in norms.items():
            where = f"{what} {condition} {layer} {i}"
            assert survey[what + "-norm.count"].row(condition, layer, i)[0] == len(values), where
            mean = survey[what + "-norm.mean"].row(condition, layer, i)[0]
            assert close(mean, sum(values) / len(values)), where
        for what, values in effects.items():
            assert survey[what + ".count"].values[condition] == len(values), what
            assert close(survey[what + ".mean"].values[condition], sum(values) / len(values)), what


def answer(ids, operations, n):
    """The ids of both answers that `generate` gives."""
    done = subprocess.run([PROGRAM, "generate", "--ids", ",".join(map(str, ids)), "--max-tokens",
                           str(n), "--json", *operations], capture_output=True, text=True, check=True)
    answers = {"baseline": [], "modified": []}
    for line in done.stdout.splitlines():
        token = json.loads(line)
        answers[token["answer"]].append(token["id"])
    return answers["baseline"], answers["modified"]


def test_answers_are_those_of_generate(folder):
    texts = write_texts(folder)
    path = os.path.join(folder, "s.npz")
    n = 6
    # The second changes some answers, the third none.
    operations = [["--mean", "query"], ["--scale", "value=0.5"], ["--scale", "key=1"]]
    run("survey", "--texts", texts, "-o", path, "--statistic", "answer", "--max-tokens", str(n),
        "--mean", "query", "--scale", "value=0.5", "--scale", "key=1")
    survey = load(path)
    assert survey["statistics"].values == ["answer", "answer-position"]
    assert survey["answer.axes"].values == ["conditions"]
    assert survey["answer.mean"].values[0] == 0
    assert survey["answer-position.count"].values[0] == 0
    all_ids = [get_ids(text) for text in TEXTS if text != ""]
    report = subprocess.run([PROGRAM, "survey", "report", path], capture_output=True, text=True,
                            check=True).stdout
    shares = []
    for condition, words in enumerate(operations, 1):
        firsts = []
        for ids in all_ids:
            baseline, modified = answer(ids, words, n)
            differ = [i for i in range(max(len(baseline), len(modified)))
                      if baseline[i:i + 1] != modified[i:i + 1]]
            firsts += differ[:1]
        shares.append(len(firsts) / len(all_ids))
        assert survey["answer.count"].values[condition] == len(all_ids)
        assert close(survey["answer.mean"].values[condition], shares[-1]), condition
        assert survey["answer-position.count"].values[condition] == len(firsts)
        if firsts:
            mean = sum(firsts) / len(firsts)
            assert close(survey["answer-position.mean"].values[condition], mean), condition
        assert f"{100 * shares[-1]:.1f} %" in report, report
    assert shares[0] > 0 and shares[2] == 0, shares
    # More tokens than the model has positions for; other settings are another survey.
    run("survey", "--texts", texts, "-o", os.path.join(folder, "long.npz"), "--statistic", "answer",
        "--length", "256", "--max-tokens", "300", "--mean", "query", "--limit", "1")
    other = os.path.join(folder, "other.npz")
    run("survey", "--texts", texts, "-o", other, "--statistic", "answer", "--max-tokens", "5",
        "--mean", "query", "--scale", "value=0.5", "--scale", "key=1")
    run("survey", "merge", path, other, "-o", os.path.join(folder, "both.npz"), expect=1)


def resample(values, threshold, seed):
    """The share of bootstrap samples whose mean is above the threshold, and where 95 % of them are, by
    drawing texts, not bins."""
    rand = random.Random(seed)
    means = sorted(sum(rand.choices(values, k=len(values))) / len(values) for _ in range(1000))
    return sum(mean > threshold for mean in means) / 1000, means[25], means[-26]


def test_bootstrap_is_that_of_the_texts(folder):
    """Each head's values text by text, from surveys of one text each."""
    lines = MANY[:24]
    texts = write_texts(folder, lines)
    path = os.path.join(folder, "s.npz")
    run("survey", "--texts", texts, "-o", path)
    done = subprocess.run([PROGRAM, "survey", "report", path, "--json"], capture_output=True,
                          text=True, check=True)
    report = json.loads(done.stdout)
    assert report["bootstrap"] == {"samples": 1000, "seed": 1}
    single = []
    for i in range(len(lines)):
        one = os.path.join(folder, "one.npz")
        run("survey", "--texts", texts, "--skip", str(i), "--limit", "1", "-o", one)
        single.append(load(one))
        os.unlink(one)
    statistics = {"previous-token": "previous.mean", "duplicate-token": "duplicate.mean",
                  "induction": "induction.mean", "delimiter": "delimiter.mean"}
    n_checked = 0
    for head in report["heads"]:
        place = (0, head["layer"], head["head"])
        if head["kind"] == "sink":
            values = [s["sink.by_key"].row(*place)[head["key"]] for s in single]
        elif head["kind"] == "positional":
            values = [s["offset.by_distance"].row(*place)[head["distance"]] for s in single]
        else:
            values = [s[statistics[head["kind"]]].row(*place)[0] for s in single]
        values = [value for value in values if not math.isnan(value)]
        share, low, high = resample(values, report["thresholds"][head["kind"]], 2)
        assert close(head["value"], sum(values) / len(values)), head
        # 1,000 samples of either kind, of bins that are 0.02 wide; a share of texts moves by one of them
        assert abs(head["confidence"] - share) < 0.15, (head, share)
        near = 0.02 + 1.01 / len(values)
        assert abs(head["low"] - low) < near and abs(head["high"] - high) < near, (head, low, high)
        n_checked += 1
    assert n_checked > 3, report


def test_random_repeats(folder):
    path = os.path.join(folder, "r.npz")
    run("survey", "--random-repeats", "5,12,7", "-o", path, "--statistic", "repeat,induction")
    survey = load(path)
    assert survey["texts"].values == (5,)
    assert set(survey["repeat.count"].values) == {5}
    again = os.path.join(folder, "again.npz")
    run("survey", "--random-repeats", "5,12,8", "-o", again, "--statistic", "repeat,induction")
    assert load(again)["repeat.mean"].values != survey["repeat.mean"].values


MANY = [f"Text {i}: the capital of {c} is what? {'and so on ' * (i % 4)}"
        for i in range(25) for c in ("France", "Italy", "Spain", "Greece", "Japan", "Chile")]
def test_cuts_and_patches_are_those_of_compute(folder):
    texts = write_texts(folder)
    path = os.path.join(folder, "s.npz")
    names = ["sink", "entropy", "variation"]
    source = ["--ids", ",".join(map(str, get_ids(max(TEXTS, key=len))))]
    pairs = [(2, 1), (5, 3), (4, 6)]

    def cut(n):
        return ["--cut", f"3-{min(n, 5) - 1}=1"] if n > 3 else []

    def patch(n, number=1):
        kept = ",".join(f"{a}={b}" for a, b in pairs if b < n)
        return [*source, "--patch", f"key={number}:{kept}"] if kept else []

    run("survey", "--texts", texts, "-o", path, *patch(99, 0), "--cut", "3-4=1", "--statistic",
        ",".join(names))
    survey = load(path)
    assert survey["conditions"].shape[0] == 3, survey["conditions"].values
    for condition, build in enumerate([lambda n: [], cut, patch]):
        name = survey["conditions"].values[condition]
        assert build == patch or "patch" not in name, name
        found = {}
        for text in filter(None, TEXTS):
            baseline, ids = maps_of(text)
            maps, _ = maps_of(text, *build(len(ids)))
            for layer, heads in enumerate(maps):
                for head, weights in enumerate(heads):
                    values = naive(weights, ids, baseline[layer][head], get_delimiters(text))[0]
                    for statistic in names:
                        if not math.isnan(values[statistic]):
                            found.setdefault((statistic, layer, head), []).append(values[statistic])
        for (statistic, *place), values in found.items():
            mean = survey[statistic + ".mean"].row(condition, *place)[0]
            assert close(mean, sum(values) / len(values)), (name, statistic, place)


COMMON_MAPS = ["--mean", "value", "--scale", "query=1", "--epsilons", "0.5,0.01", "--statistic",
               "sink,entropy,distance,previous,duplicate,induction,delimiter,offset,variation"]
# Answers take three times as long as the maps.
COMMON = [*COMMON_MAPS[:-1], COMMON_MAPS[-1] + ",answer", "--max-tokens", "3"]


SHARED = tempfile.TemporaryDirectory()


@functools.cache
def survey_many():
    """A file of as many texts as MANY has, but short ones, whose path a survey's file has, and the
    bytes of its survey with COMMON by one thread."""
    short = [f"{i}{' the cat' * (i % 3)}" for i in range(len(MANY))]
    texts = write_texts(SHARED.name, short)
    path = os.path.join(SHARED.name, "1.npz")
    run("survey", "--texts", texts, "-o", path, "--threads", "1", *COMMON)
    assert not os.path.exists(path + ".journal")
    return texts, read_bytes(path)


def test_same_bytes_by_threads_and_shards(folder):
    texts, expected = survey_many()
    for n in (2, 4):
        path = os.path.join(folder, f"{n}.npz")
        run("survey", "--texts", texts, "-o", path, "--threads", str(n), *COMMON)
        assert read_bytes(path) == expected, f"{n} threads"
        assert not os.path.exists(path + ".journal")
    parts = []
    for i in range(7):
        parts.append(os.path.join(folder, f"part-{i}.npz"))
        # As a task of a job array, whose numbers may begin anywhere
        run("survey", "--texts", texts, "-o", parts[i], *COMMON,
            env={**os.environ, "SLURM_ARRAY_TASK_ID": str(i + 4), "SLURM_ARRAY_TASK_COUNT": "7",
                 "SLURM_ARRAY_TASK_MIN": "4"})
    merged = os.path.join(folder, "merged.npz")
    message = run("survey", "merge", parts[2], parts[0], "-o", merged)
    assert "not complete" in message, message
    run("survey", "merge", *parts[3:], *parts[:3], "-o", merged)
    assert read_bytes(merged) == expected
    message = run("survey", "merge", parts[1], parts[1], "-o", merged, expect=1)
    assert "found again" in message, message


def test_kernels_are_named_and_told_apart(folder):
    texts = write_texts(folder, MANY)
    parts, names = [], set()
    for i, clone in enumerate(("plain", None)):
        parts.append(os.path.join(folder, f"part-{i}.npz"))
        environment = {**os.environ, **({"ATTENTION_GRID_CLONE": clone} if clone else {})}
        run("survey", "--texts", texts, "-o", parts[i], "--shard", f"{i}/2", env=environment)
        names.add(load(parts[i])["kernels"].values[0])
        assert clone is None or any(name.startswith(clone + " ") for name in names), names
    merged = os.path.join(folder, "merged.npz")
    message = run("survey", "merge", *parts, "-o", merged)
    assert load(merged)["kernels"].values[0] == ", ".join(sorted(names))
    # Where the processor has the plain registers alone, both are the same.
    assert (len(names) == 2) == ("different kernels" in message), message
    assert all(name in message for name in names) or len(names) == 1, message
    # Of a run that goes on elsewhere, too.
    os.unlink(merged)
    os.rename(parts[0], merged)
    message = run("survey", "--texts", texts, "-o", merged)
    assert (len(names) == 2) == ("different kernels" in message), message


def test_kinds_of_files(folder):
    texts = write_texts(folder, MANY)
    expected = os.path.join(folder, "txt.npz")
    run("survey", "--texts", texts, "-o", expected)
    expected = load(expected)["entropy.mean"].values
    lines = write_texts(folder, [json.dumps({"n": 1, "story": text}) for text in MANY], "t.jsonl")
    quoted = ['"' + text.replace('"', '""') + '"' for text in MANY]
    table = write_texts(folder, ["number,story"] + [f"{i},{t}" for i, t in enumerate(quoted)],
                        "t.csv")
    for words in ([lines, "--field", "story"], [table, "--column", "story"]):
        path = os.path.join(folder, "other.npz")
        run("survey", "--texts", *words, "-o", path)
        assert load(path)["entropy.mean"].values == expected, words
        os.unlink(path)
    # As Windows writes them: a byte order mark is no part of the first text.
    for source in (texts, lines, table):
        with open(source, encoding="utf-8") as file:
            marked = write_texts(folder, ["\ufeff" + file.read().rstrip("\n")],
                                 "marked." + source.rsplit(".")[-1])
        words = {texts: [], lines: ["--field", "story"], table: ["--column", "story"]}[source]
        run("survey", "--texts", marked, *words, "-o", path)
        assert load(path)["entropy.mean"].values == expected, source
        os.unlink(path)
    # Sequences, of which each line is joined to the one before; one without residues is an empty text.
    words = ["".join(letter for letter in text if letter.isascii() and letter.isalpha()) for text in MANY]
    run("survey", "--texts", write_texts(folder, words, "words.txt"), "-o", path)
    joined = load(path)["entropy.mean"].values
    os.unlink(path)
    records = [line for i, word in enumerate(words) for line in (f">{i} a header", word[:9], word[9:])]
    run("survey", "--texts", write_texts(folder, records, "words.fasta"), "-o", path)
    assert load(path)["entropy.mean"].values == joined
    os.unlink(path)
    # Standard input has no name, and says by its content what it is.
    run("survey", "--texts", "-", "-o", path, input="".join(f">{word}\n{word.upper()}\n" for word in words))
    capitals = load(path)["entropy.mean"].values
    os.unlink(path)
    run("survey", "--texts", write_texts(folder, [word.upper() for word in words], "capitals.txt"), "-o", path)
    assert load(path)["entropy.mean"].values == capitals
    os.unlink(path)
    message = run("survey", "--texts", write_texts(folder, words, "none.fa"), "-o", path, expect=1)
    assert "expected a header of FASTA" in message, message
    with open(texts, encoding="utf-8") as file:
        run("survey", "--texts", "-", "-o", os.path.join(folder, "in.npz"), stdin=file)
    assert load(os.path.join(folder, "in.npz"))["entropy.mean"].values == expected
    run("survey", "--texts", "-", "-o", os.path.join(folder, "none.npz"), input="")
    message = run("survey", "--texts", lines, "-o", os.path.join(folder, "x.npz"), expect=1)
    assert "--field" in message, message


def test_packed(folder):
    texts = write_texts(folder, MANY[:20])
    path = os.path.join(folder, "packed.npz")
    run("survey", "--texts", texts, "--pack", "--length", "16", "-o", path)
    n_tokens = sum(len(get_ids(text)) for text in MANY[:20])
    assert load(path)["texts"].values == (n_tokens // 16,)
    assert set(load(path)["sink.count"].values) == {n_tokens // 16}


def test_bytes_without_a_token_are_left_out(folder):
    model = os.path.join(folder, "model")
    shutil.copytree(MODEL, model)
    path = os.path.join(model, "tokenizer.json")
    with open(path, encoding="utf-8") as file:
        tokenizer = json.load(file)
    # The two bytes of "é" lose their pieces.
    tokenizer["model"]["vocab"] = {{"\u00c3": "??", "\u00a9": "???"}.get(piece, piece): number
                                   for piece, number in tokenizer["model"]["vocab"].items()}
    os.unlink(path)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(tokenizer, file)
    lossy = write_texts(folder, ["the rose", "caf\u00e9 \u00e9 is", "a cat"], "lossy.txt")
    plain = write_texts(folder, ["the rose", "caf  is", "a cat"], "plain.txt")
    found, expected = (os.path.join(folder, name) for name in ("lossy.npz", "plain.npz"))
    for threads in ("1", "2"):
        message = run("survey", "--model", model, "--texts", lossy, "--threads", threads, "-o", found)
        assert "4 characters or bytes" in message and "in 1 texts" in message, message
        assert "the first in text 1" in message, message
        assert run("survey", "--model", model, "--texts", plain, "--threads", threads, "-o", expected) == ""
        assert load(found)["entropy.mean"].values == load(expected)["entropy.mean"].values
        os.unlink(found)
        os.unlink(expected)


def get_size(path):
    try:
        return os.path.getsize(path)
    except OSError:  # not there yet, or no longer
        return 0


def test_goes_on_after_a_kill(folder):
    rand = random.Random(OPTIONS.seed)
    # Enough of them for each kill to find another part done
    texts = write_texts(folder, MANY * max(2, OPTIONS.kills * 3 // 5))
    words = ["survey", "--texts", texts, "--threads", "2", *COMMON_MAPS, "-o"]
    expected = os.path.join(folder, "expected.npz")
    run(*words, expected)
    path = os.path.join(folder, "killed.npz")
    journal = path + ".journal"
    for kill in range(OPTIONS.kills):
        begun, size = time.monotonic(), get_size(journal)
        process = subprocess.Popen([PROGRAM, *words, path], stderr=subprocess.DEVNULL)
        # Every fourth while it starts, the others a moment after it has got on
        while kill % 4 < 3 and process.poll() is None and get_size(journal) == size:
            time.sleep(0.001)
        time.sleep(rand.uniform(0, (time.monotonic() - begun) / 2 if kill % 4 < 3 else 0.05))
        process.send_signal(signal.SIGKILL)
        process.wait()
    # A record that was damaged since, and one cut short
    if os.path.exists(journal) and os.path.getsize(journal) > 1000:
        with open(journal, "r+b") as file:
            file.seek(500)
            file.write(b"damaged")
            file.truncate(os.path.getsize(journal) - 3)
    run(*words, path)
    assert read_bytes(path) == read_bytes(expected)
    assert not os.path.exists(journal)


def overwrite(path, data, offset):
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(data)


def test_what_changes_meanwhile_is_refused(folder):
    """The file of the model or of the texts is touched while the process is stopped, some chunks
    being done; whatever it has written by then is of the file before."""
    model = os.path.join(folder, "model")
    shutil.copytree(MODEL, model)
    weights = os.path.join(model, "model.safetensors")
    ids = os.path.join(folder, "ids.npy")
    rows = [[(7 * i + j) % 50 for j in range(16)] for i in range(2400)]
    with open(ids, "wb") as file:
        header = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({len(rows)}, 16), }}"
        header += " " * (117 - len(header)) + "\n"
        file.write(b"\x93NUMPY\x01\x00v\x00" + header.encode())
        for row in rows:
            file.write(struct.pack("<16i", *row))
    for kind, texts, touch in [
            ("model overwritten", None, lambda path: overwrite(weights, bytes(4096), 50000)),
            ("model cut", None, lambda path: os.truncate(weights, 60000)),
            ("line overwritten", None, lambda path: overwrite(path, b"another", 5)),
            ("texts cut", None, lambda path: os.truncate(path, 1000)),
            ("ids overwritten", ids, lambda path: overwrite(path, bytes(64), 4096))]:
        shutil.copy(os.path.join(MODEL, "model.safetensors"), weights)
        path = texts if texts is not None else write_texts(folder, MANY * 12)
        out = os.path.join(folder, kind.replace(" ", "-") + ".npz")
        process = subprocess.Popen([PROGRAM, "survey", "--model", model, "--texts", path,
                                    *COMMON_MAPS, "--threads", "2", "-o", out],
                                   stderr=subprocess.PIPE, text=True)
        while not os.path.exists(out) and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(signal.SIGSTOP)
        touch(path)
        process.send_signal(signal.SIGCONT)
        message = process.communicate()[1]
        assert process.returncode == 1, f"{kind}: status {process.returncode}, {message}"
        assert "changed" in message, f"{kind}: {message}"


def test_other_files_are_no_journals(folder):
    texts = write_texts(folder)
    latin = os.path.join(folder, "latin.txt")
    with open(latin, "wb") as file:
        file.write(b"caf\xe9\n")
    out = os.path.join(folder, "s.npz")
    journal = out + ".journal"
    run("survey", "--texts", latin, "-o", out, expect=1)
    assert not os.path.exists(journal), "left behind by a run that failed"
    for content in (b"my own notes\n", b"AG", b"x"):
        with open(journal, "wb") as file:
            file.write(content)
        if b"AGRecord".startswith(content):  # as a kill leaves one
            run("survey", "--texts", texts, "-o", os.path.join(folder, "s.npz"))
            os.remove(out)
            continue
        message = run("survey", "--texts", texts, "-o", out, expect=1)
        assert "journal" in message, message
        assert read_bytes(journal) == content
    os.remove(journal)
    os.link(texts, journal)
    before = read_bytes(texts)
    message = run("survey", "--texts", texts, "-o", out, expect=1)
    assert "expected" in message, message
    assert read_bytes(texts) == before
    message = run("survey", "--texts", journal, "-o", out, expect=1)
    assert "expected" in message, message
    assert read_bytes(texts) == before
    os.remove(journal)
    os.mkfifo(journal)
    message = run("survey", "--texts", texts, "-o", out, expect=1, timeout=30)
    assert "journal" in message, message
    assert not os.path.exists(out)


def test_no_number_in_a_file_is_believed(folder):
    """A count of texts, and the number of a chunk, beyond all that the files can hold."""
    texts = write_texts(folder, MANY * 4)
    words = ["survey", "--texts", texts, *COMMON_MAPS, "-o"]
    expected = os.path.join(folder, "expected.npz")
    run(*words, expected)
    crafted = os.path.join(folder, "crafted.npz")
    with zipfile.ZipFile(expected) as old, zipfile.ZipFile(crafted, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, data[:-8] + struct.pack("<Q", 1 << 63) if name == "texts.npy"
                         else data)
    message = run("survey", "merge", crafted, "-o", os.path.join(folder, "m.npz"), expect=1,
                  timeout=60)
    assert "texts found" in message, message
    path = os.path.join(folder, "s.npz")
    journal = path + ".journal"
    process = subprocess.Popen([PROGRAM, *words, path], stderr=subprocess.DEVNULL)
    while (not os.path.exists(journal) or os.path.getsize(journal) == 0) and process.poll() is None:
        time.sleep(0.0005)
    process.kill()
    process.wait()
    content = read_bytes(journal)
    magic, subject, size, _ = struct.unpack("<8s32sQ32s", content[:80])
    record = struct.pack("<Q", (1 << 31) - 2) + content[88:80 + size]
    with open(journal, "wb") as file:
        file.write(struct.pack("<8s32sQ32s", magic, subject, size, hashlib.sha256(record).digest()))
        file.write(record)
    run(*words, path)
    assert read_bytes(path) == read_bytes(expected)


def test_same_bytes_by_ranks(folder):
    """As root and with more ranks than processors, which Open MPI takes only if told so."""
    if OPTIONS.mpi is None:
        return "SKIP attention-grid-mpi was not built"
    texts, expected = survey_many()
    # Open MPI keeps some memory.
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    options = ["--oversubscribe"] + (["--allow-run-as-root"] if os.geteuid() == 0 else [])
    for n in (1, 2, 5):
        path = os.path.join(folder, f"ranks-{n}.npz")
        run(*options, "-n", str(n), OPTIONS.mpi, "survey", "--texts", texts, *COMMON, "-o", path,
            program="mpirun")
        assert read_bytes(path) == expected, f"{n} ranks"
    with open(texts, encoding="utf-8") as file:
        message = run(*options, "-n", "2", OPTIONS.mpi, "survey", "--texts", "-", "-o",
                      os.path.join(folder, "in.npz"), program="mpirun", stdin=file, expect=1)
    assert "one rank only" in message, message
    # A rank that is killed takes the job along; the next goes on.
    words = [*options, "-n", "2", OPTIONS.mpi, "survey", "--texts", texts, *COMMON, "-o", path]
    os.unlink(path)
    job = subprocess.Popen(["mpirun", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while job.poll() is None and not (os.path.exists(path + ".journal") and
                                      os.path.getsize(path + ".journal") > 0):
        time.sleep(0.005)
    subprocess.run(["pkill", "-9", "-n", "-f", path], check=False)
    job.wait()
    run(*words, program="mpirun")
    assert read_bytes(path) == expected


def test_report_names_heads(folder):
    texts = write_texts(folder, MANY)
    path = os.path.join(folder, "s.npz")
    run("survey", "--texts", texts, "-o", path, "--mean", "key")
    survey = load(path)
    done = subprocess.run([PROGRAM, "survey", "report", path, "--json"], capture_output=True,
                          text=True, check=True)
    report = json.loads(done.stdout)
    conditions, layers, heads = survey["sink.mean"].shape
    expected = set()
    for i in range(conditions):
        for j in range(layers):
            for k in range(heads):
                name = survey["conditions"].values[i]
                shares = survey["sink.by_key"].row(i, j, k)[:32]
                if max(shares) > 0.5:
                    expected.add((name, "sink", j, k))
                if max(survey["offset.by_distance"].row(i, j, k)) > 0.5:
                    expected.add((name, "positional", j, k))
                for kind, statistic in (("previous-token", "previous"), ("induction", "induction"),
                                        ("duplicate-token", "duplicate"),
                                        ("delimiter", "delimiter")):
                    if survey[statistic + ".mean"].row(i, j, k)[0] > report["thresholds"][kind]:
                        expected.add((name, kind, j, k))
    found = {(h["condition"], h["kind"], h["layer"], h["head"]) for h in report["heads"]}
    assert found == expected, (found, expected)
    assert {"sink", "previous-token", "induction"} <= {h[1] for h in found}
    assert all(0.4 < h["confidence"] <= 1.0 for h in report["heads"])
    run("survey", "report", texts, expect=1)


def test_study_is_a_survey(folder):
    texts = write_texts(folder, MANY[:40])
    study = os.path.join(folder, "study.json")
    expected = os.path.join(folder, "expected.npz")
    words = ["--texts", "texts.txt", *COMMON, "--length", "20", "--skip", "3", "--layers", "1-2"]
    run("survey", *words, "-o", study, cwd=folder)
    assert not os.path.exists(expected)
    run("survey", *words, "-o", expected, cwd=folder)
    path = os.path.join(folder, "of-study.npz")
    run("survey", study, "-o", path)
    assert read_bytes(path) == read_bytes(expected)
    # What stands beside it changes it.
    os.unlink(path)
    run("survey", study, "-o", path, "--skip", "0", "--random-repeats", "4,10,1")
    assert load(path)["texts"].values == (4,)
    # Each factor to its component, and all at once; not each factor to each component.
    mixed = ["--texts", texts, "--limit", "2", "--scale", "query=0.5", "--scale", "key=0.1"]
    for more, n in (([], 3), (["--together"], 2), (["--epsilons", "0.5,0.1"], 5)):
        os.unlink(path)
        run("survey", *mixed, *more, "-o", path, "-o", study)
        assert len(load(path)["conditions"].values) == n, more
        again = os.path.join(folder, "again.npz")
        run("survey", study, "-o", again)
        assert read_bytes(again) == read_bytes(path), more
        os.unlink(again)
    with open(texts, encoding="utf-8") as file:
        message = run("survey", "--texts", "-", "-o", study, stdin=file, expect=2)
    assert "standard input" in message, message
    run("render", "single", "-o", os.path.join(folder, "single.svg"))
    message = run("survey", os.path.join(folder, "single.svg"), "-o", path, expect=2)
    assert "another figure" in message, message


def test_other_settings_are_not_mixed(folder):
    texts = write_texts(folder)
    path = os.path.join(folder, "s.npz")
    run("survey", "--texts", texts, "-o", path)
    before = read_bytes(path)
    message = run("survey", "--texts", texts, "-o", path, "--length", "5", expect=1)
    assert "other settings" in message, message
    assert read_bytes(path) == before
    run("survey", "--texts", texts, "-o", path)
    assert read_bytes(path) == before


def test_a_chat_of_another_day_is_another_survey(folder):
    """A template that writes the date gives other tokens on each day."""
    texts = write_texts(folder)
    model = os.path.join(folder, "model")
    shutil.copytree(MODEL, model)
    with open(os.path.join(model, "chat_template.jinja"), "w") as file:
        file.write("{{ strftime_now('%d %B') }}: {{ messages[0].content }}")
    parts = [os.path.join(folder, f"part{i}.npz") for i in range(3)]
    for i, day in enumerate([1, 1, 2]):
        run("survey", "--model", model, "--texts", texts, "--chat", "--shard", f"{i % 2}/2", "-o", parts[i],
            env={**os.environ, "SOURCE_DATE_EPOCH": str(day * 86400)})
    output = os.path.join(folder, "merged.npz")
    message = run("survey", "merge", parts[2], parts[1], "-o", output, expect=1)
    assert "other settings" in message, message
    run("survey", "merge", parts[0], parts[1], "-o", output)


def test_bad_input(folder):
    texts = write_texts(folder)
    latin = os.path.join(folder, "latin.txt")
    with open(latin, "wb") as file:
        file.write(b"fine\ncaf\xe9\n")
    output = os.path.join(folder, "s.npz")
    for words, status, expected in [
            (["--texts", texts, "-o", "s.csv"], 2, "one -o FILE.npz"),
            (["--texts", texts, "--statistic", "kl", "--of", "kl", "-o", output], 2, "--of"),
            (["-o", output], 2, "--texts"),
            (["--texts", texts, "--random-repeats", "1,2,3", "-o", output], 2, "one of"),
            (["--random-repeats", "1,2", "-o", output], 2, "N,LENGTH,SEED"),
            (["--texts", texts, "--statistic", "sinks", "-o", output], 2, "sinks"),
            (["--texts", texts, "--shard", "3/3", "-o", output], 2, "I/N"),
            (["--texts", texts, "--layers", "99", "-o", output], 1, "layers"),
            (["--texts", texts, "--length", "100000", "-o", output], 1, "positions"),
            (["--texts", latin, "-o", output], 1, "UTF-8"),
            (["--texts", texts, "--text", "more", "-o", output], 2, "--patch"),
            (["--texts", texts, "--patch", "key=1", "-o", output], 1, "input 2"),
            (["--texts", texts, "--text", "more", "--patch", "key=0", "-o", output], 1, "positions"),
            (["--texts", texts, "--cut", "99=0", "-o", output], 1, "queries"),
            (["--texts", folder + "/none.txt", "-o", output], 1, "none.txt")]:
        message = run("survey", *words, expect=status)
        assert expected in message and message.count("\n") <= 2, message
        assert not os.path.exists(output), words


MODEL = find_model()
SPECIAL = find_special()
run_tests(globals())
