#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later

"""attribution_two.py PROGRAM FIXTURES: `survey --attribute` on the attentions of an encoder and its decoder, against what
`compute` says of one head of one text, and angles that NumPy finds. FIXTURES is the folder tests. Prints TAP."""

import functools
import json
import os
import shutil
import subprocess
import sys

from tap import run_tests

try:
    import numpy as np
except ImportError:
    print("1..0 # SKIP no NumPy")
    sys.exit(0)

PROGRAM, FIXTURES = (os.path.abspath(argument) for argument in sys.argv[1:3])
T5 = os.path.join(FIXTURES, "model", "t5")
TEXTS = [[3, 7, 12, 5, 9, 1], [4, 4, 20, 11, 2, 1], [6, 8, 30, 14, 5, 1]]


def run(*words, expect=0):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
    assert done.returncode == expect, f"{words}: status {done.returncode}, {done.stderr}"
    return done.stdout + done.stderr


def load(path):
    with np.load(path) as arrays:
        return dict(arrays)


def compute(folder, *words):
    path = os.path.join(folder, "one.npz")
    run("compute", *words, "-o", path)
    return load(path)


def attribute(folder, attention, *more):
    ids = os.path.join(folder, "ids.npy")
    np.save(ids, np.array(TEXTS, "<i8"))
    path = os.path.join(folder, f"{attention}{len(os.listdir(folder))}.npz")
    run("survey", "--attribute", "--model", T5, "--attention", attention, "--texts", ids, "--length", "12", "--scale",
        "query=0.2", *more, "-o", path)
    return load(path)


@functools.lru_cache(None)
def answer(row):
    """The start token and what the model says, up to the length of a text."""
    lines = run("generate", "--model", T5, "--ids", ",".join(map(str, row)), "--max-tokens", "11", "--json").splitlines()
    return [0] + [token for token in (json.loads(line)["id"] for line in lines) if token != 1]


def name_text(row):
    return ["--model", T5, "--ids", ",".join(map(str, row)), "--target-ids", ",".join(map(str, answer(tuple(row))))]


def change(layers, heads):
    return ["--scale", "query=0.2", "--scope-layers", layers, "--scope-heads", heads]


def test_each_head_of_each_attention(folder):
    for attention in ("encoder", "decoder", "cross"):
        found = attribute(folder, attention)
        values = found["attribution.values"][:, 0]
        every = attribute(folder, attention, "--at", "all")["attribution.values"][:, 0]
        assert values.shape[0] == len(TEXTS) and (values > 0).all(), attention
        for layer, head in ((0, 1), (values.shape[1] - 1, values.shape[2] - 1)):
            for number, row in enumerate(TEXTS):
                words = [*name_text(row), "--attention", attention, "--what", "kl", *change(str(layer), str(head))]
                kl = compute(folder, *words)["kl"].ravel() * np.log(2)
                # Of float32 logits, summed in another order.
                np.testing.assert_allclose(values[number, layer, head], kl[-1], atol=1e-6, err_msg=f"{attention} {layer} {head}")
                np.testing.assert_allclose(every[number, layer, head], kl.mean(), atol=1e-6)


def read_bf16(model, name):
    with open(os.path.join(model, "model.safetensors"), "rb") as file:
        data = file.read()
    n = int.from_bytes(data[:8], "little")
    first, end = json.loads(data[8:8 + n])[name]["data_offsets"]
    return (np.frombuffer(data[8 + n + first:8 + n + end], "<u2").astype("<u4") << 16).view("<f4").astype(float)


def find_main(folder, attention, *more):
    """The first left singular vector of the decoder's final states of the last tokens."""
    states = [compute(folder, *name_text(row), "--attention", attention, "--what", "residual", *more)["residual"][-1, -1]
              for row in TEXTS]
    rows = np.array(states, float)
    rows /= np.sqrt((rows ** 2).mean(1, keepdims=True) + 1e-5)
    return np.linalg.svd(rows * read_bf16(T5, "decoder.final_layer_norm.weight"))[0][:, 0]


def test_angles_are_of_the_decoder(folder):
    for attention in ("decoder", "cross"):
        angles = attribute(folder, attention)["attribution.angle"][0]
        before = find_main(folder, attention)
        for layer, head in ((0, 2), (1, 0)):
            after = find_main(folder, attention, *change(str(layer), str(head)))
            expected = np.degrees(np.arccos(min(abs(before @ after), 1)))
            assert abs(angles[layer, head] - expected) < 0.01, (attention, angles[layer, head], expected)


def test_heads_stay_changed(folder):
    """In a second step, with the head of the largest angle."""
    for attention in ("encoder", "cross"):
        found = attribute(folder, attention, "--steps", "2")
        angles, (chosen, _) = found["attribution.angle"], found["attribution.chosen"]
        assert tuple(chosen) == np.unravel_index(np.argmax(angles[0]), angles[0].shape), attention
        assert np.isnan(angles[1][tuple(chosen)]) and np.isnan(angles[1]).sum() == 1
        other = (chosen[1] + 1) % angles.shape[2]
        words = [*name_text(TEXTS[1]), "--attention", attention, "--what", "kl"]
        kl = compute(folder, *words, *change(str(chosen[0]), f"{chosen[1]},{other}"))["kl"].ravel()[-1] * np.log(2)
        np.testing.assert_allclose(found["attribution.values"][1, 1, chosen[0], other], kl, atol=1e-6)


def test_same_bytes_by_threads(folder):
    words = ("encoder", "--steps", "2", "--at", "all")
    one, two = (attribute(folder, *words, "--threads", n) for n in ("1", "2"))
    for name, value in one.items():
        np.testing.assert_array_equal(value, two[name], err_msg=name)


def test_positions_of_an_answer_are_not_known_before(folder):
    """BART's fixture says 11 tokens to the first text and ends at once after the second."""
    path, ids = os.path.join(folder, "s.npz"), os.path.join(folder, "ids.npy")
    np.save(ids, np.array([[19, 24, 9, 12, 12, 21], [18, 19, 15, 21, 4, 18]], "<i8"))
    run("survey", "--attribute", "--model", os.path.join(FIXTURES, "model", "bart"), "--texts", ids, "--length", "12",
        "--at", "9", "--scale", "query=0.2", "-o", path)
    values = load(path)["attribution.values"][:, 0]
    assert not np.isnan(values[0]).any() and np.isnan(values[1]).all(), values


def test_sounds(folder):
    """With the answer that the decoder says to each."""
    model = os.path.join(FIXTURES, "model", "whisper")
    names = ["short-16000.wav", "word-48000.wav"]
    sounds = os.path.join(folder, "sounds")
    os.makedirs(sounds)
    for name in names:
        shutil.copy(os.path.join(FIXTURES, "sound", name), sounds)
    for attention in ("encoder", "decoder", "cross"):
        words = ["--model", model, "--attention", attention]
        path = os.path.join(folder, f"{attention}.npz")
        run("survey", "--attribute", "--sounds", sounds, *words, "--scale", "query=0.2", "--at", "1", "-o", path)
        values = load(path)["attribution.values"][:, 0]
        for number, name in enumerate(names):
            kl = compute(folder, *words, "--audio", os.path.join(sounds, name), "--what", "kl", *change("1", "2"))["kl"].ravel()
            np.testing.assert_allclose(values[number, 1, 2], kl[1] * np.log(2), atol=1e-6, err_msg=f"{attention} {name}")


def test_targets_of_a_file_are_read_for_an_encoder(folder):
    """By a copy of the fixture, with words of another's tokenizer."""
    model, path = os.path.join(folder, "t5"), os.path.join(folder, "s.npz")
    shutil.copytree(T5, model)
    shutil.copy(os.path.join(FIXTURES, "model", "whisper", "tokenizer.json"), model)
    pairs = [("a rose", "rose is"), ("is it a rose", "I call it that")]
    with open(os.path.join(folder, "texts.jsonl"), "w", encoding="utf-8") as file:
        file.writelines(json.dumps({"text": text, "target": target}) + "\n" for text, target in pairs)
    words = ["--model", model, "--attention", "encoder", "--length", "12"]
    texts = ["--texts", os.path.join(folder, "texts.jsonl")]
    run("survey", *texts, *words, "--statistic", "loss", "--scale", "query=0.2", "-o", path)
    each = [compute(folder, *words[:4], "--text", text, "--target", target, "--what", "loss", "--scale", "query=0.2")["loss"]
            for text, target in pairs]
    np.testing.assert_allclose(load(path)["loss.mean"].ravel(), np.mean([np.nanmean(one, -1) for one in each], 0), atol=1e-5)
    os.unlink(path)
    run("survey", "--attribute", *texts, *words, "--at", "2", "--scale", "query=0.2", "-o", path)
    kl = compute(folder, *words[:4], "--text", pairs[1][0], "--target", pairs[1][1], "--what", "kl", *change("2", "3"))["kl"].ravel()
    np.testing.assert_allclose(load(path)["attribution.values"][1, 0, 2, 3], kl[2] * np.log(2), atol=1e-6)


def test_an_encoder_alone_is_refused(folder):
    path = os.path.join(folder, "ids.npy")
    np.save(path, np.array(TEXTS, "<i8"))
    message = run("survey", "--attribute", "--model", T5 + "-encoder", "--texts", path, "--scale", "query=0.2", "--length", "9",
                  "-o", os.path.join(folder, "no.npz"), expect=1)
    assert "no language-model head found" in message, message


run_tests(globals())
