# SPDX-License-Identifier: GPL-3.0-or-later

"""The comparison with transformers: stand-ins say the numbers that PyTorch computed for the checkpoints of
tests/model, and then others."""

import contextlib
import io
import os
import sys
import unittest

import fixture

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "stand-in"))

import attention_grid
import transformers

MODELS = os.path.join(os.environ["G_TEST_SRCDIR"], "model")


def run(*words):
    with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.redirect_stderr(output):
        status = attention_grid._main(["check", *words])
    return status, output.getvalue()


class Check(unittest.TestCase):
    def setUp(self):
        transformers.shifted = None
        self.model = os.path.join(MODELS, "llama")
        self.ids = fixture.read_safetensors(os.path.join(self.model, "expected.safetensors"))["ids"].tolist()
        self.words = (self.model, "--ids", ",".join(map(str, self.ids)))

    def test_what_agrees_passes(self):
        for name in ("llama", "gpt2-bare", "bert"):
            model = os.path.join(MODELS, name)
            ids = fixture.read_safetensors(os.path.join(model, "expected.safetensors"))["ids"].tolist()
            differences = attention_grid.check(model, ids=ids)
            self.assertEqual([found.name for found in differences], ["weights", "logits"])
            self.assertTrue(all(found.agrees for found in differences), differences)
            # Two implementations add in two orders.
            self.assertGreater(sum(found.largest for found in differences), 0)

    def test_the_largest_difference_is_told(self):
        transformers.shifted, transformers.shift = ("weights", (1, 3, 7, 2)), 0.01
        status, output = run(*self.words)
        self.assertEqual(status, 1)
        self.assertRegex(output, r"weights +0\.01 +2e-05  layer 1, head 3, query 7, key 2  <- differs")
        self.assertNotRegex(output, r"logits.*differs")

    def test_each_attention_of_a_pair_is_compared(self):
        for name in ("t5", "bart"):
            model = os.path.join(MODELS, name)
            transformers.shifted = None
            differences = attention_grid.check(model, ids=[3, 1, 4, 1, 5])
            self.assertEqual([found.name for found in differences], ["encoder", "decoder", "cross", "logits"])
            self.assertTrue(all(found.agrees for found in differences), differences)
            transformers.shifted, transformers.shift = ("cross", (0, 1, 2, 3)), 0.01
            found = attention_grid.check(model, ids=[3, 1, 4, 1, 5])[2]
            self.assertFalse(found.agrees)
            self.assertEqual(found.where, "layer 0, head 1, query 2, key 3")

    def test_pictures_are_of_noise(self):
        model = os.path.join(MODELS, "vit")
        differences = attention_grid.check(model)
        self.assertEqual([found.name for found in differences], ["weights", "logits"])
        self.assertTrue(all(found.agrees for found in differences), differences)
        transformers.shifted, transformers.shift = ("logits", (1,)), 0.1
        self.assertEqual(attention_grid.check(model)[1].where, "label 1")

    def test_what_is_not_a_number_differs(self):
        transformers.shifted, transformers.shift = ("logits", (4, 5)), float("nan")
        status, output = run(*self.words)
        self.assertEqual(status, 1)
        self.assertRegex(output, r"logits +inf .* position 4, token 5  <- differs")

    def test_what_agrees_ends_well(self):
        status, output = run(*self.words)
        self.assertEqual(status, 0, output)
        self.assertIn("largest difference", output)

    def test_a_model_that_is_not_there_is_a_sentence(self):
        status, output = run("/nowhere")
        self.assertEqual(status, 1)
        self.assertEqual(output, "attention-grid: /nowhere: transformers: /nowhere has no config.json\n")

    def test_without_transformers_it_says_so(self):
        kept = sys.modules.pop("transformers")
        sys.modules["transformers"] = None
        try:
            status, output = run(*self.words)
        finally:
            sys.modules["transformers"] = kept
        self.assertEqual(status, 1)
        self.assertRegex(output, "^attention-grid: transformers: .*expected the package")


fixture.run()
