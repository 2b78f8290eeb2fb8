# SPDX-License-Identifier: GPL-3.0-or-later
"""touched.py PROGRAM [--kills N] [--seed N]: surveys that are killed, and whose model or texts are touched before
they go on, or while they run: what is written then has the bytes of an undisturbed survey of the files that there
are, or there is a sentence. Never other numbers."""

import argparse
import os
import random
import shutil
import signal
import subprocess
import time

from tap import run_tests

parser = argparse.ArgumentParser()
parser.add_argument("program", type=os.path.abspath)
parser.add_argument("--kills", type=int, default=20)
parser.add_argument("--seed", type=int, default=1)
OPTIONS = parser.parse_args()

MODEL = os.path.join(os.environ.get("ATTENTION_GRID_DATADIR", "data"), "models", "rose")
WORDS = ["--mean", "value", "--scale", "query=1", "--epsilons", "0.5,0.01", "--statistic", "sink,entropy,distance",
         "--threads", "2"]
TEXTS = "".join(f"Text {i}: the capital of {c} is what? {'and so on ' * (i % 4)}\n"
                for i in range(40) for c in ("France", "Italy", "Spain", "Greece", "Japan", "Chile")).encode()


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


class Files:
    """A model and texts that are in one of a few states each."""

    def __init__(self, folder):
        self.folder = folder
        self.model, self.texts = os.path.join(folder, "model"), os.path.join(folder, "texts.txt")
        shutil.copytree(MODEL, self.model)
        self.weights = os.path.join(self.model, "model.safetensors")
        whole = read_bytes(self.weights)
        spoilt = bytearray(whole)
        spoilt[50000:54096] = bytes(4096)
        self.states = {self.weights: [whole, bytes(spoilt)],
                       self.texts: [TEXTS, TEXTS[:5] + b"another" + TEXTS[12:], TEXTS[:5000], TEXTS + b"One more.\n"]}
        self.now = {self.weights: None, self.texts: None}
        self.expected = {}
        for path in self.states:
            self.put(path, 0, False)

    def put(self, path, state, in_place):
        if self.now[path] == state:
            return
        data = self.states[path][state]
        if in_place:
            with open(path, "r+b") as file:
                file.write(data)
                file.truncate()
        else:
            with open(path + ".new", "wb") as file:
                file.write(data)
            os.replace(path + ".new", path)
        self.now[path] = state

    def touch(self, rand):
        path = rand.choice(list(self.states))
        self.put(path, rand.randrange(len(self.states[path])), rand.random() < 0.5)

    def words(self, out):
        return [OPTIONS.program, "survey", "--model", self.model, "--texts", self.texts, *WORDS, "-o", out]

    def get_expected(self):
        """The bytes of a survey of the files as they are now, which nothing disturbs."""
        key = tuple(self.now.values())
        if key not in self.expected:
            out = os.path.join(self.folder, "undisturbed.npz")
            subprocess.run(self.words(out), check=True, capture_output=True)
            self.expected[key] = read_bytes(out)
            os.unlink(out)
        return self.expected[key]


def remove(path):
    if os.path.exists(path):
        os.unlink(path)


def test_the_right_bytes_or_a_refusal(folder):
    rand = random.Random(OPTIONS.seed)
    files = Files(folder)
    out = os.path.join(folder, "s.npz")
    begun = time.monotonic()
    files.get_expected()
    seconds = time.monotonic() - begun
    seen = {"done before the kill": 0, "right": 0, "refused": 0, "refused while it ran": 0, "went on": 0}
    for _ in range(OPTIONS.kills):
        remove(out)
        remove(out + ".journal")
        files.touch(rand)
        before = files.get_expected()
        process = subprocess.Popen(files.words(out), stderr=subprocess.PIPE)
        time.sleep(rand.uniform(0, seconds))
        is_touched = rand.random() < 0.3
        if is_touched:  # while it runs
            files.touch(rand)
            time.sleep(rand.uniform(0, seconds / 2))
        process.send_signal(signal.SIGKILL)
        _, message = process.communicate()
        if process.returncode == 0:
            # All was read before it was touched, or it was not touched.
            assert read_bytes(out) == before, "another file than that of the files as they were"
            seen["done before the kill"] += 1
        elif process.returncode != -signal.SIGKILL:
            assert process.returncode == 1 and is_touched and b"changed" in message, message
            seen["refused while it ran"] += 1
        went_on = os.path.exists(out + ".journal")
        if rand.random() < 0.7:
            files.touch(rand)
        expected = files.get_expected()
        done = subprocess.run(files.words(out), capture_output=True)
        if done.returncode == 0:
            assert read_bytes(out) == expected, f"other numbers after a kill; files in states {files.now}"
            assert not os.path.exists(out + ".journal")
            seen["right"] += 1
            seen["went on"] += went_on
        else:
            assert done.returncode == 1 and done.stderr.startswith(b"attention-grid: "), done.stderr
            seen["refused"] += 1
    print("# " + ", ".join(f"{name}: {n}" for name, n in seen.items()))
    assert seen["right"] > 0


run_tests(globals())
