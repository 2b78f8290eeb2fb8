# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs the lines of Python in the README as they stand there, one block after another. A model of transformers and
one of TransformerLens stand in, which say what the program computed.

    python3 test_readme.py SOURCE-DIRECTORY"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
import types
import unittest

import fixture

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "stand-in"))

import attention_grid
import numpy
import torch

from fixture import ROSE, TEXT, Tensor

with open(os.path.join(sys.argv[1], "README.md"), encoding="utf-8") as readme:
    README = readme.read()


class Tokenizer:
    """Of transformers: what it returns can be unpacked as arguments and has members."""

    class Batch(dict):
        __getattr__ = dict.__getitem__

    def __call__(self, text, return_tensors):
        assert return_tensors == "pt"
        return self.Batch(input_ids=Tensor([attention_grid.tokenize(ROSE, text).ids]))

    def convert_ids_to_tokens(self, ids):
        tokens = attention_grid.tokenize(ROSE, TEXT)
        assert list(ids.tolist()) == tokens.ids
        return tokens.tokens

    def tokenize(self, text):
        return attention_grid.tokenize(ROSE, text).tokens


class Model:
    """Of transformers when it is called, of TransformerLens when it is run with a cache."""

    cfg = types.SimpleNamespace(n_layers=3)

    def __call__(self, input_ids, output_attentions):
        weights = attention_grid.compute(ids=input_ids[0].tolist())
        return types.SimpleNamespace(attentions=tuple(Tensor(layer[None], output_attentions) for layer in weights))

    def run_with_cache(self, text):
        names = {"q": "query", "k": "key", "v": "value"}
        vectors = {short: attention_grid.compute(text=text, what=name) for short, name in names.items()}
        # [batch, position, head, d] there
        return None, {(short, layer): Tensor(numbers[layer].swapaxes(0, 1)[None])
                      for short, numbers in vectors.items() for layer in range(3)}

    def to_str_tokens(self, text):
        return attention_grid.tokenize(ROSE, text).tokens


class Readme(unittest.TestCase):
    def test_its_python_runs(self):
        blocks = re.findall(r"^```python\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
        [command] = re.findall(r"^    attention-grid (survey --texts stories.txt .*)$", README, re.MULTILINE)
        self.assertTrue(blocks)
        names = {"numpy": numpy, "torch": torch, "text": TEXT, "tokenizer": Tokenizer(), "model": Model()}
        here = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                with open("stories.txt", "w", encoding="utf-8") as stories:
                    stories.write("A rose is a rose.\nI am the one.\n")
                subprocess.run([attention_grid.program(), *shlex.split(command)], check=True)
                for block in blocks:
                    with self.subTest(block):
                        exec(compile(block, "README.md", "exec"), names)
                self.look_at_results(names)
            finally:
                os.chdir(here)
                if "window" in names:
                    names["window"].close()

    def look_at_results(self, names):
        numpy.testing.assert_array_equal(names["weights"], attention_grid.compute(text=TEXT))
        self.assertEqual(names["effect"].shape, (7,))
        self.assertTrue(names["window"].is_open)
        self.assertTrue(os.path.getsize("compare.pdf"))
        for file, arrays in (("attention.npz", ["attention", "tokens"]),
                             ("qkv.npz", ["query", "key", "value", "tokens"])):
            self.assertEqual([array["name"] for array in attention_grid.info(file)["arrays"]], arrays)
        # Queries and keys that were swapped or transposed would give other weights.
        panel = attention_grid.compute("single", model="qkv.npz", layer=1, head=2)["panel_0_0"]
        numpy.testing.assert_allclose(panel, names["weights"][1, 2], atol=1e-6)


fixture.run()
