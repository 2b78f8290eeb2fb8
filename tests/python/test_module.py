# SPDX-License-Identifier: GPL-3.0-or-later

"""What attention_grid returns: the numbers of the command line, figures, and the program's sentences."""

import inspect
import os
import re
import subprocess
import tempfile
import typing
import unittest
import warnings
import xml.etree.ElementTree

import fixture
import attention_grid
import numpy

from fixture import ROSE, TEXT, Tensor

ANSWERS = os.path.join(os.path.dirname(__file__), "..", "study", "probes", "answers.csv")


def compute_by_hand(*words):
    """The array that the command line writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "array.npy")
        subprocess.run([attention_grid.program(), "compute", *words, "-o", path], check=True)
        return numpy.load(path)


class Numbers(unittest.TestCase):
    def test_weights_are_those_of_the_command_line(self):
        weights = attention_grid.compute(text=TEXT)
        self.assertEqual(weights.dtype, numpy.float32)
        self.assertEqual(weights.shape, (3, 4, 7, 7))
        # Sums of seven numbers of float32.
        numpy.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-6)
        numpy.testing.assert_array_equal(weights, compute_by_hand("--text", TEXT))

    def test_options_are_those_of_the_command_line(self):
        ours = attention_grid.compute(ids=(2, 17, 5), what="scores", scale={"query": 0.5, "key": numpy.float32(2)},
                                      scope_layers=[1, 2], layer=numpy.int64(2), words=None)
        theirs = compute_by_hand("--ids=2,17,5", "--what=scores", "--scale=query=0.5", "--scale=key=2",
                                 "--scope-layers=1,2", "--layer=2")
        numpy.testing.assert_array_equal(ours, theirs)

    def test_switches_are_on_and_off(self):
        with_it, without = (attention_grid.compute(text=TEXT, special_tokens=on).shape[-1] for on in (True, False))
        self.assertEqual(with_it, without + 1)
        self.assertNotIn(">0.0<", attention_grid.figure("single", text=TEXT, colorbar=False).svg)

    def test_repeated_options_are_those_that_the_help_calls_so(self):
        repeated, switches = set(), set()
        for subcommand in ("render", "compute", "generate", "survey", "probe"):
            told = subprocess.run([attention_grid.program(), subcommand, "--help"], stdout=subprocess.PIPE, check=True)
            for line in told.stdout.decode("utf-8").splitlines():
                option = re.search(r"--([a-z-]+)=\S+ .*[;,] repeat", line)
                if option is not None:
                    repeated.add(option[1].replace("-", "_"))
                option = re.search(r"--([a-z-]+)=on\|off", line)
                if option is not None:
                    switches.add(option[1].replace("-", "_"))
        # The output is the module's own; ids of several inputs are several options as texts are.
        self.assertEqual(repeated - {"output"} | {"ids"}, attention_grid._REPEATED)
        self.assertEqual(switches, set(attention_grid._SWITCHES))

    def test_several_inputs_are_several(self):
        panels = attention_grid.compute("mean-operation", ids=[[2, 5, 9], [3, 4]], mean="query")
        self.assertEqual(panels["panel_0_0"].shape, (3, 3))
        self.assertEqual(panels["panel_1_0"].shape, (2, 2))

    def test_prediction_has_two_arrays(self):
        prediction = attention_grid.compute(text=TEXT, what="prediction", top=4)
        self.assertEqual(set(prediction), {"ids", "probabilities"})
        self.assertEqual(prediction["ids"].shape, (2, 7, 4))

    def test_a_survey_counts_texts_and_ids(self):
        texts = ["A rose is\na rose.", "I am. 蔷薇"]
        survey = attention_grid.survey(texts, statistic=["sink", "entropy"])
        self.assertEqual(survey["texts"].tolist(), [2])
        weights = [attention_grid.compute(text=text) for text in texts]
        # Sums of float32 in another order.
        numpy.testing.assert_allclose(survey["sink.mean"][0],
                                      numpy.mean([one[:, :, :, 0].mean(-1) for one in weights], axis=0), atol=1e-6)
        ids = [attention_grid.tokenize(ROSE, text).ids for text in ("A rose is", "A red rose")]
        survey = attention_grid.survey(ids, statistic="sink", limit=1)
        self.assertEqual(survey["texts"].tolist(), [1])
        with self.assertRaisesRegex(attention_grid.Error, "sequences of 1 to 2 ids found"):
            attention_grid.survey([[1], [1, 2]])

    def test_a_survey_can_be_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kept.npz")
            survey = attention_grid.survey([TEXT], statistic="sink", output=path)
            numpy.testing.assert_array_equal(survey["sink.mean"], numpy.load(path)["sink.mean"])

    def test_a_probe_has_its_maps(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kept.npz")
            probe = attention_grid.probe(ANSWERS, quantity="residual", folds=4, output=path)
            self.assertEqual(probe["auc"].shape, (4, 15))
            self.assertEqual(set(probe["fold"].tolist()), {0, 1, 2, 3})
            self.assertIn(">AUC<", attention_grid.figure(path).svg)
        with self.assertRaisesRegex(attention_grid.Error, "expected a column “right”"):
            attention_grid.probe(ANSWERS, label_column="right")

    def test_tokens_and_answers(self):
        found = attention_grid.tokenize(ROSE, "A rose")
        self.assertEqual(len(found.ids), len(found.tokens))
        answers = attention_grid.generate("A rose", max_tokens=2, zero="value", scope_layers=1)
        self.assertEqual(set(answers), {"baseline", "modified"})
        self.assertEqual(len(answers["baseline"]), 2)
        self.assertEqual(attention_grid.info(ROSE)["family"], "gpt2")


class Recordings(unittest.TestCase):
    def setUp(self):
        self.weights = attention_grid.compute(text=TEXT)
        self.tokens = attention_grid.tokenize(ROSE, TEXT).tokens

    def assert_shows(self, array):
        arrays = attention_grid.figure("single", array=array, tokens=self.tokens, layer=1, head=2).arrays
        numpy.testing.assert_array_equal(arrays["panel_0_0"], self.weights[1, 2])
        self.assertEqual(arrays["panel_0_0_rows"].tolist(), self.tokens)

    def test_an_array_is_drawn(self):
        self.assert_shows(self.weights)

    def test_a_tensor_a_layer_is_drawn(self):
        self.assert_shows(tuple(Tensor(layer[None], has_gradient=True) for layer in self.weights))

    def test_lists_are_drawn(self):
        self.assert_shows(self.weights.tolist())

    def test_bfloat16_is_drawn(self):
        self.assert_shows(Tensor(self.weights, dtype="torch.bfloat16"))

    def test_epsilon_acts_on_queries_and_keys(self):
        vectors = {name: attention_grid.compute(text=TEXT, what=name) for name in ("query", "key")}
        found = attention_grid.compute("epsilon", array=vectors, tokens=self.tokens, epsilons=1e-10, layer=1,
                                       head=2, columns="epsilon")["panel_0_0"]
        # The scores differ by 1e-10 of themselves.
        numpy.testing.assert_allclose(found[3], [0.25] * 4 + [0] * 3, atol=1e-6)

    def test_weights_lie_over_their_picture(self):
        weights = numpy.arange(2 * 7 * 7, dtype=numpy.float32).reshape(1, 2, 7, 7) / 98
        image = numpy.zeros((4, 6, 3), dtype=numpy.uint8)
        figure = attention_grid.figure("single", array=weights, image=image, grid=(2, 3), layer=0, head=1)
        self.assertEqual(figure.svg.count("<image "), 1)
        # Of token 0, the last six of seven keys.
        numpy.testing.assert_array_equal(figure.arrays["panel_0_0"], weights[0, 1, 0, 1:].reshape(2, 3))
        plain = attention_grid.figure("single", array=weights, image=image, grid=(2, 3), layer=0, head=1, over_picture=None)
        self.assertNotIn("<image ", plain.svg)
        with self.assertRaisesRegex(attention_grid.Error, "expected with grid"):
            attention_grid.figure("single", array=weights, image=image)

    def test_two_sequences(self):
        weights = numpy.random.default_rng(5).dirichlet(numpy.ones(7), (2, 3, 4)).astype(numpy.float32)
        said = {"attention": weights, "query_tokens": list("abcd"), "key_tokens": list("tuvwxyz")}
        arrays = attention_grid.figure("head-atlas", array=said).arrays
        self.assertEqual(arrays["panel_1_2_rows"].tolist(), list("abcd"))
        self.assertEqual(arrays["panel_1_2_columns"].tolist(), list("tuvwxyz"))
        numpy.testing.assert_allclose(arrays["panel_1_2"], weights[1, 2], atol=1e-7)
        # A batch of one and a tensor a layer, as transformers returns cross_attentions.
        stacked = attention_grid.compute(array=[Tensor(layer[None]) for layer in weights])
        numpy.testing.assert_allclose(stacked, weights, atol=1e-7)
        with self.assertRaisesRegex(attention_grid.Error, "3 tokens found, expected 7"):
            attention_grid.figure("single", array=dict(said, key_tokens=list("abc")))

    def test_a_matrix_of_layers_is_drawn(self):
        arrays = attention_grid.compute("layer-token", array=numpy.linspace(0, 1, 6).reshape(2, 3))
        numpy.testing.assert_allclose(arrays["panel_0_0"], [[0, .2, .4], [.6, .8, 1]], atol=1e-7)
        self.assertNotIn("panel_0_0_rows", arrays)

    def test_what_is_none_is_refused(self):
        for array, said in ((Tensor(self.weights[:, None].repeat(2, 1)), "a batch of 2 texts found"),
                            ((None, None), 'attn_implementation="eager"'),
                            (object(), "object found")):
            with self.assertRaisesRegex(attention_grid.Error, said):
                attention_grid.figure("single", array=array)
        with self.assertRaisesRegex(attention_grid.Error, "without an array"):
            attention_grid.figure("single", tokens=["a"])


class Figures(unittest.TestCase):
    def test_a_notebook_shows_it(self):
        figure = attention_grid.figure("single", text=TEXT)
        self.assertEqual(figure._repr_svg_(), figure.svg)
        xml.etree.ElementTree.fromstring(figure.svg)
        image = xml.etree.ElementTree.fromstring(figure._repr_html_().replace('">', '"/>'))
        self.assertEqual(image.tag, "img")
        self.assertTrue(image.get("alt"))

    def test_it_is_saved(self):
        with tempfile.TemporaryDirectory() as folder:
            weights = numpy.full((3, 3), 1 / 3)
            figure = attention_grid.figure("single", array=weights, tokens="abc")
            for ending, begins in ((".pdf", b"%PDF"), (".png", b"\x89PNG"), (".svg", b"<?xml")):
                path = os.path.join(folder, "figure" + ending)
                figure.save(path, size="85mm")
                with open(path, "rb") as file:
                    self.assertEqual(file.read(len(begins)), begins)

    def test_what_it_says_beside_is_a_warning(self):
        with self.assertWarnsRegex(UserWarning, "no room"):
            attention_grid.figure("single", size="20x20mm")


class Refusals(unittest.TestCase):
    def test_the_sentence_is_the_program_s(self):
        with self.assertRaisesRegex(attention_grid.Error, r"^/nowhere: .*found|^/nowhere: ") as caught:
            attention_grid.compute(model="/nowhere")
        self.assertEqual(caught.exception.status, 1)

    def test_a_wrong_option_is_one_of_usage(self):
        with self.assertRaisesRegex(attention_grid.Error, "--nonsense") as caught:
            attention_grid.compute(nonsense=3)
        self.assertEqual(caught.exception.status, 2)

    def test_without_a_program_it_says_so(self):
        named = os.environ.pop("ATTENTION_GRID_PROGRAM")
        try:
            os.environ["ATTENTION_GRID_PROGRAM"] = "/nowhere/attention-grid"
            with self.assertRaisesRegex(attention_grid.Error, "/nowhere/attention-grid: no program found"):
                attention_grid.compute()
        finally:
            os.environ["ATTENTION_GRID_PROGRAM"] = named

    def test_everything_public_has_types_and_words(self):
        for name in attention_grid.__all__:
            value = getattr(attention_grid, name)
            self.assertTrue(inspect.getdoc(value), name)
            if inspect.isfunction(value):
                hints = typing.get_type_hints(value)
                self.assertEqual(set(inspect.signature(value).parameters) | {"return"}, set(hints), name)


# What the program says beside its success is awaited, or wrong.
warnings.simplefilter("error")
fixture.run()
