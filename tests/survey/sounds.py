#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later

"""sounds.py PROGRAM FIXTURES: a survey of a folder of sounds, and one of what an encoder does to its decoder's prediction,
against statistics that NumPy makes of the arrays of each input by itself. FIXTURES is the folder tests. Prints TAP."""

import json
import math
import os
import shutil
import subprocess
import sys
import wave

from tap import run_tests

try:
    import numpy as np
except ImportError:
    print("1..0 # SKIP no NumPy")
    sys.exit(0)

PROGRAM, FIXTURES = (os.path.abspath(argument) for argument in sys.argv[1:3])
MODEL = os.path.join(FIXTURES, "model", "whisper")
NAMES = ["bell.wav", "hum.wav", "sweep.wav"]
CHANGE = ["--scale", "key=0.2", "--mean", "value"]


def run(*words, expect=0):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
    assert done.returncode == expect, f"{words}: status {done.returncode}, {done.stderr}"
    return done.stdout + done.stderr


def fill(folder, names=NAMES):
    sounds = os.path.join(folder, "sounds")
    os.makedirs(sounds)
    for number, name in enumerate(names):
        samples = [int(9000 * math.sin((0.1 + 0.2 * number) * i + 2e-5 * number * i * i)) for i in range(16000 + 2000 * number)]
        with wave.open(os.path.join(sounds, name), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(8000)
            file.writeframes(np.array(samples, "<i2").tobytes())
    with open(os.path.join(sounds, "notes.txt"), "w", encoding="utf-8") as file:
        file.write("no sound\n")
    return sounds


def load(path):
    with np.load(path) as arrays:
        return dict(arrays)


def compute(folder, *words):
    path = os.path.join(folder, "one.npz")
    run("compute", *words, "-o", path)
    return load(path)


def survey(folder, *words, expect=0):
    path = os.path.join(folder, "s.npz")
    if os.path.exists(path):
        os.unlink(path)
    said = run("survey", *words, "-o", path, expect=expect)
    return load(path) if expect == 0 else said


def measure(weights):
    n = weights.shape[-1]
    entropy = -np.sum(np.where(weights > 0, weights * np.log2(np.maximum(weights, 1e-300)), 0), -1).mean(-1)
    apart = np.arange(weights.shape[-2])[:, None] - np.arange(n)[None]
    return {"sink": weights[..., 0].mean(-1), "entropy": entropy, "distance": (weights * apart).sum((-1, -2)) / weights.sum((-1, -2))}


def test_statistics_are_those_of_each_sound(folder):
    sounds = fill(folder)
    for attention, names in (("encoder", ("sink", "entropy", "distance")), ("cross", ("sink", "entropy"))):
        words = ["--model", MODEL, "--attention", attention]
        found = survey(folder, "--sounds", sounds, *words, "--statistic", ",".join(names))
        each = [measure(compute(folder, *words, "--audio", os.path.join(sounds, name))["weights"].astype(float)) for name in NAMES]
        for name in names:
            # Float32 weights, summed in another order.
            np.testing.assert_allclose(found[name + ".mean"][0], np.mean([one[name] for one in each], 0), atol=1e-5,
                                       err_msg=f"{attention} {name}")
            assert (found[name + ".count"][0] == len(NAMES)).all()


def test_positions_are_seconds(folder):
    survey(folder, "--sounds", fill(folder), "--model", MODEL, "--attention", "encoder", "--statistic", "sink,residual-norm")
    svg = os.path.join(folder, "s.svg")
    run("render", "survey", "--model", os.path.join(folder, "s.npz"), "-o", svg)
    with open(svg, encoding="utf-8") as file:
        assert "0.20 s" in file.read()


def test_words_are_refused(folder):
    sounds = fill(folder)
    words = ["--model", MODEL, "--attention", "encoder"]
    for statistic in ("duplicate", "induction", "repeat", "delimiter"):
        message = survey(folder, "--sounds", sounds, *words, "--statistic", statistic, expect=1)
        assert "found for sounds" in message, message
    message = survey(folder, "--random-repeats", "3,4,5", *words, expect=1)
    assert "a model of sounds found without sounds" in message, message
    shutil.rmtree(sounds)
    message = survey(folder, "--sounds", fill(folder, []), *words, expect=1)
    assert "no sound found in the folder" in message, message


def compare(folder, words):
    """KL of the change, and loss without and with it, in bits, of one input."""
    kl = compute(folder, *words, "--what", "kl", *CHANGE)["kl"].mean()
    return kl, np.nanmean(compute(folder, *words, "--what", "loss", *CHANGE)["loss"], -1)


def generate(words, *more):
    lines = [json.loads(line) for line in run("generate", *words, "--json", *more).splitlines()]
    return {answer: [line["id"] for line in lines if line["answer"] == answer] for answer in ("baseline", "modified")}


def test_an_encoder_changes_what_is_predicted(folder):
    """Of texts with a target, whose ids are known."""
    model = os.path.join(FIXTURES, "model", "t5")
    texts = np.array([[3, 7, 12, 5, 9, 1], [4, 4, 20, 11, 2, 1]], "<i8")
    path = os.path.join(folder, "ids.npy")
    np.save(path, texts)
    words = ["--model", model, "--attention", "encoder"]
    found = survey(folder, "--texts", path, *words, "--together", "--statistic", "kl,loss,answer", "--max-tokens", "6",
                   "--length", "16", *CHANGE)
    kls, losses, changed = [], [], []
    for row in texts:
        one = [*words, "--ids", ",".join(map(str, row))]
        own = generate([*words[:2], *one[4:]], "--max-tokens", "15")["baseline"]
        own = [0] + [token for token in own if token != 1]
        kl, loss = compare(folder, [*one, "--target-ids", ",".join(map(str, own))])
        kls.append(kl)
        losses.append(loss)
        both = generate(one, "--max-tokens", "6", *CHANGE)
        changed.append(both["baseline"] != both["modified"])
    # Of float32 logits, summed in another order.
    np.testing.assert_allclose(found["kl.mean"].ravel(), [0, np.mean(kls)], atol=1e-5)
    np.testing.assert_allclose(found["loss.mean"].ravel(), np.mean(losses, 0), atol=1e-5)
    np.testing.assert_allclose(found["answer.mean"].ravel(), [0, np.mean(changed)])


def test_answers_to_sounds_are_those_of_generate(folder):
    sounds = fill(folder)
    words = ["--model", MODEL, "--attention", "encoder"]
    found = survey(folder, "--sounds", sounds, *words, "--together", "--statistic", "kl,answer", "--max-tokens", "5", *CHANGE)
    both = [generate([*words, "--audio", os.path.join(sounds, name)], "--max-tokens", "5", *CHANGE) for name in NAMES]
    np.testing.assert_allclose(found["answer.mean"].ravel(), [0, np.mean([one["baseline"] != one["modified"] for one in both])])
    assert found["kl.mean"].ravel()[0] == 0 and found["kl.mean"].ravel()[1] > 0


def test_words_before_an_answer(folder):
    """The fixture's tokenizer says “is” to what its configuration calls <|es|>. Ids by transformers 4.48, WhisperForConditionalGeneration.generate() of the fixture's features."""
    model = shutil.copytree(MODEL, os.path.join(folder, "model"))
    words = ["--model", model, "--features", os.path.join(MODEL, "features.npy")]
    path = os.path.join(model, "generation_config.json")
    with open(path, encoding="utf-8") as file:
        config = json.load(file)
    config["task_to_id"] = {"transcribe": 5, "translate": 7}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(config, file)
    for more, begun in (([], 4), (["--language", "es"], 9), (["--language", "<|EN|>"], 4), (["--task", "translate"], 4)):
        labels = compute(folder, *words, "--attention", "decoder", *more)["query_labels"]
        task = "<|transcribe|>" if "translate" not in more else labels[2]
        assert list(labels[:4]) == ["<|startoftranscript|>", {4: "<|en|>", 9: "is"}[begun], task, "<|notimestamps|>"], labels
    assert generate(words, "--max-tokens", "8")["baseline"] == [14, 26, 26, 26, 26, 10, 10, 24]
    assert generate(words, "--max-tokens", "8", "--language", "es")["baseline"] == [14, 26, 26, 26, 26, 10, 10, 24]
    message = run("generate", *words, "--language", "tlh", expect=1)
    assert "language “tlh” found, expected one that “lang_to_id”" in message and "en, es" in message, message
    message = run("generate", "--model", model, "--language", "es", expect=2)
    assert "--language: found without a sound" in message, message


run_tests(globals())
