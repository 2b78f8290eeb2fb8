#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later

"""pictures.py PROGRAM FIXTURES: a survey of a folder of pictures against statistics that NumPy makes of the weights of each
picture by itself. FIXTURES is the folder tests. Prints TAP."""

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
MODEL = os.path.join(FIXTURES, "model", "dinov2")
# Of one size, and so of as many patches.
NAMES = ["alpha.png", "grey.png", "palette.png"]
STATISTICS = ["sink", "entropy", "relative-entropy", "distance", "variation", "residual-norm"]


def run(*words, expect=0):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
    assert done.returncode == expect, f"{words}: status {done.returncode}, {done.stderr}"
    assert "CRITICAL" not in done.stderr, f"{words}: {done.stderr}"
    return done.stderr


def fill(folder, names=NAMES):
    pictures = os.path.join(folder, "pictures")
    os.makedirs(pictures)
    for name in names:
        shutil.copy(os.path.join(FIXTURES, "picture", name), pictures)
    with open(os.path.join(pictures, "notes.txt"), "w", encoding="utf-8") as file:
        file.write("no picture\n")
    return pictures


def compute(folder, name, *words):
    path = os.path.join(folder, "weights.npz")
    run("compute", "--model", MODEL, "--image", os.path.join(FIXTURES, "picture", name), *words, "-o", path)
    return dict(np.load(path))


def measure(weights, labels, baseline):
    """By statistic, [layers, heads]."""
    places = np.array([[int(part) for part in label.split(",")] for label in labels if "," in label], dtype=float)
    first = len(labels) - len(places)
    apart = np.linalg.norm(places[:, None] - places[None], axis=-1)
    patches = weights[:, :, first:, first:]
    entropy = -np.sum(np.where(weights > 0, weights * np.log2(np.maximum(weights, 1e-300)), 0), -1).mean(-1)
    return {"sink": weights[..., 0].mean(-1), "entropy": entropy, "relative-entropy": entropy / np.log2(len(labels)),
            "distance": (patches * apart).sum((-1, -2)) / patches.sum((-1, -2)),
            "variation": np.abs(weights - baseline).sum(-1).mean(-1) / 2}


def survey(folder, pictures, *words, expect=0):
    return run("survey", "--images", pictures, "--model", MODEL, *words, "-o", os.path.join(folder, "s.npz"), expect=expect)


def test_statistics_are_those_of_each_picture(folder):
    survey(folder, fill(folder), "--statistic", ",".join(STATISTICS), "--scale", "key=0.5", "--scope-layers", "0")
    found = dict(np.load(os.path.join(folder, "s.npz")))
    for condition, words in enumerate(([], ["--scale", "key=0.5", "--scope-layers", "0"])):
        each = []
        for name in NAMES:
            plain, changed = (compute(folder, name, *more) for more in ([], words))
            labels = [str(label) for label in plain["key_labels"]]
            each.append(measure(changed["weights"].astype(float), labels, plain["weights"].astype(float)))
        for statistic in STATISTICS[:5]:
            mean = np.mean([one[statistic] for one in each], 0)
            # Float32 weights, summed in another order.
            np.testing.assert_allclose(found[statistic + ".mean"][condition], mean, atol=1e-5, err_msg=statistic)
            assert (found[statistic + ".count"][condition] == len(NAMES)).all()


def test_usual_statistics_have_a_meaning(folder):
    survey(folder, fill(folder))
    found = np.load(os.path.join(folder, "s.npz"))
    names = {name.split(".")[0] for name in found if name.endswith(".mean")}
    assert names == {"sink", "entropy", "distance"}, names
    run("survey", "report", os.path.join(folder, "s.npz"))


def test_figures_speak_of_pictures(folder):
    survey(folder, fill(folder))
    figure = os.path.join(folder, "s.svg")
    run("render", "survey", "--model", os.path.join(folder, "s.npz"), "-o", figure)
    with open(figure, encoding="utf-8") as file:
        text = file.read()
    for words in ("Mean over 3 Pictures", "Attention Distance (patches)", ">Pictures<"):
        assert words in text, words
    for words in ("3 Texts", "Attention Distance (tokens)", ">Texts<"):
        assert words not in text, words


def test_statistics_without_a_meaning_are_refused(folder):
    pictures = fill(folder)
    for statistic in ("previous", "duplicate", "induction", "offset", "repeat", "delimiter", "kl", "loss", "answer"):
        message = survey(folder, pictures, "--statistic", statistic, expect=1)
        assert "found for pictures" in message or "expected" in message, message
        assert not os.path.exists(os.path.join(folder, "s.npz"))


def test_other_folders_are_refused(folder):
    message = survey(folder, fill(folder, []), expect=1)
    assert "no picture found in the folder" in message, message
    shutil.rmtree(os.path.join(folder, "pictures"))
    # As they are, without a common size.
    model = shutil.copytree(MODEL, os.path.join(folder, "model"))
    with open(os.path.join(model, "preprocessor_config.json"), "w", encoding="utf-8") as file:
        file.write('{"image_processor_type": "BitImageProcessor", "do_resize": false, "do_center_crop": false}')
    pictures = fill(folder, NAMES + ["portrait.png"])
    message = run("survey", "--images", pictures, "--model", model, "-o", os.path.join(folder, "s.npz"), expect=1)
    assert "as the first of the folder has" in message, message
    message = run("survey", "--random-repeats", "3,4,5", "--model", MODEL, "-o", os.path.join(folder, "s.npz"), expect=1)
    assert "a model of pictures found without pictures" in message, message


def test_half_that_sees_is_surveyed(folder):
    """Of a model that reads texts with pictures: its vision encoder by pictures, the rest by texts alone."""
    model = shutil.copytree(os.path.join(FIXTURES, "model", "llava"), os.path.join(folder, "llava"))
    with open(os.path.join(model, "preprocessor_config.json"), "w", encoding="utf-8") as file:
        file.write('{"image_processor_type": "CLIPImageProcessor", "size": {"height": 12, "width": 12}, '
                   '"do_center_crop": false}')
    pictures = fill(folder)
    out = os.path.join(folder, "s.npz")
    run("survey", "--images", pictures, "--model", model, "--attention", "vision", "-o", out)
    found = dict(np.load(out))
    each = []
    for name in NAMES:
        run("compute", "--model", model, "--attention", "vision", "--image", os.path.join(pictures, name), "-o",
            os.path.join(folder, "weights.npz"))
        arrays = np.load(os.path.join(folder, "weights.npz"))
        weights = arrays["weights"].astype(float)
        each.append(measure(weights, [str(label) for label in arrays["key_labels"]], weights))
    for statistic in ("sink", "entropy", "distance"):
        np.testing.assert_allclose(found[statistic + ".mean"][0], np.mean([one[statistic] for one in each], 0), atol=1e-5,
                                   err_msg=statistic)
    message = run("survey", "--images", pictures, "--model", model, "-o", os.path.join(folder, "t.npz"), expect=1)
    assert "expected a file of texts; --attention vision surveys a folder of pictures" in message, message


def test_parts_are_merged(folder):
    pictures = fill(folder)
    survey(folder, pictures)
    whole = dict(np.load(os.path.join(folder, "s.npz")))
    os.remove(os.path.join(folder, "s.npz"))
    parts = []
    for part in range(2):
        parts.append(os.path.join(folder, f"part-{part}.npz"))
        run("survey", "--images", pictures, "--model", MODEL, "--shard", f"{part}/2", "-o", parts[-1])
    run("survey", "merge", *parts, "-o", os.path.join(folder, "merged.npz"))
    merged = dict(np.load(os.path.join(folder, "merged.npz")))
    for name in ("sink.mean", "entropy.mean", "distance.mean", "distance.count"):
        np.testing.assert_array_equal(whole[name], merged[name], err_msg=name)


run_tests(globals())
