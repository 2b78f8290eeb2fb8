# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures as web pages in a browser: they open in silence and ask the network for nothing; the pointer and the keys
read the numbers that `compute` gives; a factor that is moved gives the weights that the program computes.

    python3 page_browser.py PROGRAM"""

import os
import random
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy
except ImportError as missing:
    print(missing)
    sys.exit(77)

from browser import Browser, Refused

PROGRAM = os.path.abspath(sys.argv.pop(1))
# Weights are float32 there and float64 here.
TOLERANCE = 1e-5


def call(*words):
    subprocess.run([PROGRAM, *words], check=True, capture_output=True)


def list_presets():
    """The names; a heading begins with a capital letter, more about a preset with a space."""
    lines = subprocess.run([PROGRAM, "presets"], check=True, capture_output=True, text=True).stdout
    return [line.split()[0] for line in lines.splitlines() if line[:1].islower()]


def format_weight(value):
    """Four significant digits, as the window and C's printf have them."""
    if value == 0:
        return "0.000"
    text = f"{value:#.4g}"
    if "e" in text:
        digits, exponent = text.split("e")
        text = f"{digits}e{int(exponent)}"
    return text.rstrip(".")


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.presets = list_presets()
        for preset in cls.presets:
            call("render", preset, "-o", cls.path(preset))

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.folder.cleanup()

    @classmethod
    def path(cls, name, suffix="html"):
        return os.path.join(cls.folder.name, f"{name}.{suffix}")

    def compute(self, *words):
        path = self.path("computed", "npz")
        call("compute", *words, "-o", path)
        with numpy.load(path) as file:
            return {name: file[name] for name in file.files if name.startswith("panel_")}

    def find_panels(self):
        return self.browser.run('JSON.parse(document.getElementById("numbers").textContent).panels')

    def place(self, panel, row, column):
        """The middle of a cell, in pixels of the window."""
        x = panel["left"] + (column + 0.5) * panel["cellWidth"]
        y = panel["top"] + (row + 0.5) * panel["cellHeight"]
        return self.browser.run(f"""(() => {{
          const svg = document.getElementById("marks"), box = svg.getBoundingClientRect(), view = svg.viewBox.baseVal;
          return [box.left + ({x} - view.x) / view.width * box.width, box.top + ({y} - view.y) / view.height * box.height];
        }})()""")

    def read(self, element="number"):
        return self.browser.run(f'document.getElementById("{element}").textContent')

    def read_table(self, index):
        """The numbers of a panel as they stand in the table; masked cells are NaN."""
        rows = self.browser.run(f"""(() => {{
          const details = document.getElementById("table"), chosen = document.getElementById("chosen");
          chosen.selectedIndex = {index};
          details.open = true;
          chosen.dispatchEvent(new Event("change"));
          return [...document.querySelectorAll("tbody tr")].map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent));
        }})()""")
        return numpy.array([[float(text) if text else numpy.nan for text in row] for row in rows])

    def assert_silent(self, name):
        self.assertEqual(list(self.browser.list_complaints()), [], name)

    def test_every_preset_opens_in_silence(self):
        for preset in self.presets:
            self.browser.open(self.path(preset))
            self.browser.press("+")
            self.browser.press("b")
            self.browser.settle()
            self.browser.press("0")
            self.browser.settle()
            self.assert_silent(preset)

    def test_pointing_reads_what_compute_gives(self):
        chance = random.Random(39)
        for preset in ("epsilon", "mean-operation"):
            arrays = self.compute(preset)
            self.browser.open(self.path(preset))
            panels = self.find_panels()
            for _ in range(100):
                panel = chance.choice(panels)
                values = arrays[panel["id"].replace("-", "_")]
                row = chance.randrange(values.shape[0])
                column = chance.randrange(row + 1)
                self.browser.point(*self.place(panel, row, column))
                self.assertEqual(self.read(), format_weight(values[row, column]), (preset, panel["id"], row, column))
            self.browser.point(*self.place(panels[0], 0, 3))
            self.assertEqual(self.read(), "masked")

    def test_table_has_every_bit(self):
        arrays = self.compute("epsilon")
        self.browser.open(self.path("epsilon"))
        for index, panel in enumerate(self.find_panels()):
            table = self.read_table(index).astype(numpy.float32)
            values = arrays[panel["id"].replace("-", "_")].copy()
            values[numpy.isnan(table)] = numpy.nan
            numpy.testing.assert_array_equal(table, values)

    def test_moved_factor_gives_the_weights(self):
        chance = random.Random(15)
        self.browser.open(self.path("epsilon"))
        for round_ in range(20):
            factors = [10 ** chance.uniform(-12, 1.5) for _ in range(3)]
            arrays = self.compute("epsilon", "--epsilons", ",".join(map(repr, factors)))
            for number, factor in enumerate(factors):
                self.browser.run(f"""(() => {{
                  const field = document.getElementById("factor-{number + 1}-field");
                  field.value = "{factor!r}";
                  field.dispatchEvent(new Event("input"));
                }})()""")
            for index, panel in enumerate(self.find_panels()):
                if round_ % 3 != index % 3:
                    continue
                table = self.read_table(index)
                values = arrays[panel["id"].replace("-", "_")]
                seen = ~numpy.isnan(table)
                self.assertLess(numpy.abs(table - values)[seen].max(), TOLERANCE, (panel["id"], factors))
        self.browser.settle()
        self.assertTrue(self.browser.run('document.querySelector("#stage > svg").classList.contains("changed")'))
        title = self.browser.run('document.querySelector("#panel-0-0 .title").textContent')
        self.assertNotIn("5e-1", title)
        self.browser.run('document.getElementById("reset").click()')
        self.assertIn("5e-1", self.browser.run('document.querySelector("#panel-0-0 .title").textContent'))
        self.assert_silent("epsilon")

    def test_drawn_colours_are_those_of_the_figure(self):
        """A factor that is moved by a billionth draws all cells again, in the colours that they had: at the middle
        of each, but for those that rounding carries over a step of the 256 colours."""
        for kind in ("linear", "log", "ratio", "symmetric", "percentile"):
            for words in (["epsilon"], ["epsilon", "--masked-color", "#808080", "--range-scope", "panel"], ["compare"]):
                call("render", *words, "--color-scale", kind, "-o", self.path("colours"))
                self.browser.open(self.path("colours"))
                worst = self.browser.run("""(async () => {
                  const page = JSON.parse(document.getElementById("numbers").textContent);
                  const svg = document.querySelector("#stage > svg"), box = svg.getBoundingClientRect(), scale = box.width / page.width;
                  const image = new Image(), copy = document.createElement("canvas");
                  copy.width = Math.round(box.width);
                  copy.height = Math.round(box.height);
                  const whole = svg.cloneNode(true);
                  whole.setAttribute("width", copy.width);
                  whole.setAttribute("height", copy.height);
                  image.src = "data:image/svg+xml," + encodeURIComponent(new XMLSerializer().serializeToString(whole));
                  await image.decode();
                  copy.getContext("2d").fillStyle = "#fff";
                  copy.getContext("2d").fillRect(0, 0, copy.width, copy.height);
                  copy.getContext("2d").drawImage(image, 0, 0, copy.width, copy.height);
                  for (const field of document.querySelectorAll("#factors input[type=text]")) {
                    field.value = String(Number(field.value) * (1 + 1e-9));
                    field.dispatchEvent(new Event("input"));
                  }
                  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
                  const drawn = document.querySelector("#stage > canvas"), differences = [];
                  const [a, b] = [copy, drawn].map((canvas) => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height));
                  for (const panel of page.panels) {
                    const matrix = page.matrices[panel.values];
                    for (let row = 0; row < matrix.rows; row++)
                      for (let column = 0; column < matrix.columns; column++) {
                        const x = Math.floor((panel.left + (column + 0.5) * panel.cellWidth) * scale);
                        const y = Math.floor((panel.top + (row + 0.5) * panel.cellHeight) * scale), at = 4 * (y * a.width + x);
                        differences.push(Math.max(...[0, 1, 2].map((i) => Math.abs(a.data[at + i] - b.data[at + i]))));
                      }
                  }
                  return [drawn.hidden, a.width === b.width, Math.max(...differences), differences.filter((d) => d > 0).length / differences.length];
                })()""")
                self.assertEqual(worst[:2], [False, True])
                self.assertLessEqual(worst[2], 12, (kind, words, worst))
                self.assertLess(worst[3], 0.05, (kind, words, worst))

    def test_mean_over_heads_follows_the_factor(self):
        words = ["epsilon", "--head", "mean", "--scope-heads", "0,2"]
        call("render", *words, "-o", self.path("mean"))
        self.browser.open(self.path("mean"))
        self.browser.run("""(() => {
          const field = document.getElementById("factor-1-field");
          field.value = "0.02";
          field.dispatchEvent(new Event("input"));
        })()""")
        values = self.compute(*words, "--epsilons", "0.02,1e-3,1e-10")["panel_0_0"]
        table = self.read_table(0)
        self.assertLess(numpy.nanmax(numpy.abs(table - values)), TOLERANCE)
        self.assertEqual(len(self.find_panels()[0]["heads"]), 4)

    def test_many_numbers_are_rounded_and_said_to_be(self):
        n = 1300
        weights = numpy.tril(numpy.random.default_rng(39).random((n, n), numpy.float32))
        weights /= weights.sum(axis=1, keepdims=True)
        numpy.savez(self.path("many", "npz"), weights=weights[None, None])
        call("render", "single", "--model", self.path("many", "npz"), "-o", self.path("many"))
        self.browser.open(self.path("many"))
        self.assertIn("rounded to 16 bits", self.read("rounded"))
        panel = self.find_panels()[0]
        chance = random.Random(16)
        for _ in range(20):
            row = chance.randrange(n)
            column = chance.randrange(row + 1)
            self.browser.run("document.getElementById('fit').click()")
            for _ in range(6):
                x, y = self.place(panel, row, column)
                self.browser.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=-200)
            self.browser.settle()
            self.browser.point(*self.place(panel, row, column))
            self.assertEqual(self.read(), format_weight(float(numpy.float16(weights[row, column]))))
        self.assert_silent("many")

    def move_all(self, factor):
        self.browser.run(f"""(() => {{
          for (const field of document.querySelectorAll("#factors input[type=text]")) {{
            field.value = "{factor!r}";
            field.dispatchEvent(new Event("input"));
          }}
        }})()""")

    def assert_follows(self, words, factors):
        """A page of the figure, whose factors are moved, shows what the program computes with them."""
        call("render", *words, "-o", self.path("closed"))
        self.browser.open(self.path("closed"))
        self.assertTrue(self.browser.run('document.querySelector("#factors input") !== null'), words)
        for factor in factors:
            arrays = self.compute(*words, "--epsilons", ",".join([repr(factor)] * 3))
            self.move_all(factor)
            for index, panel in enumerate(self.find_panels()):
                table = self.read_table(index)
                values = arrays[panel["id"].replace("-", "_")]
                seen = ~numpy.isnan(table)
                self.assertTrue(seen.any(), (panel["id"], words))
                # Scores grow with the factor; weights do not exceed 1.
                scale = max(1, numpy.abs(values[seen]).max())
                self.assertLess(numpy.abs(table - values)[seen].max() / scale, TOLERANCE, (panel["id"], words, factor))
        self.browser.settle()
        self.assert_silent(words)

    def test_every_closed_form_has_a_slider(self):
        """Heads of several layers, differences whose sides both follow, keys and queries that are left out, sinks."""
        sinks = os.path.join(os.environ["G_TEST_SRCDIR"], "model", "gpt_oss")
        query = ["--set", 'components=["query"]']
        figures = [["head-atlas", *query], ["head-atlas", *query, "--scope-layers", "1", "--layers", "0-1"],
                   ["head-atlas", *query, "--rows", "head", "--columns", "layer"],
                   ["compare", "--compare", "head", "--heads", "0,2", *query],
                   ["compare", "--compare", "layer", "--layers", "0,1", "--head", "2", *query],
                   ["compare", "--compare", "layer", "--layers", "0,1", "--head", "2", *query, "--scope-layers", "1"],
                   ["compare", "--compare", "layer", "--layers", "1,0", "--head", "2", *query, "--scope-layers", "1"],
                   ["epsilon", "--hide-keys", "0"], ["epsilon", "--hide-keys", "0", "--renormalise"],
                   ["epsilon", "--head", "mean", "--hide-keys", "0,3", "--renormalise"], ["epsilon", "--last-queries", "3"],
                   ["single", *query, "--effect", "numbers,strip"],
                   ["single", *query, "--model", sinks, "--ids", "3,1,4,1,5", "--layer", "1", "--head", "mean"],
                   ["single", *query, "--model", sinks, "--ids", "3,1,4,1,5", "--hide-keys", "0"],
                   ["single", *query, "--model", sinks, "--ids", "3,1,4,1,5", "--hide-keys", "0", "--renormalise"]]
        for words in figures:
            self.assert_follows(words, [0.07])

    def test_scores_chosen_tokens_and_words_follow_the_factor(self):
        chance = random.Random(40)
        text = ["--text", "Unbelievable attention grids, internationally misunderstood."]
        models = os.path.join(os.environ["G_TEST_SRCDIR"], "model")
        sinks = ["--model", os.path.join(models, "gpt_oss"), "--ids", "3,1,4,1,5"]
        picture = os.path.join(os.environ["G_TEST_SRCDIR"], "..", "data", "pictures", "garden.png")
        query = ["--set", 'components=["query"]']
        figures = [["epsilon", "--quantity", "scores"], ["epsilon", "--quantity", "scores", "--head", "mean", "--hide-keys", "0"],
                   ["compare", "--quantity", "scores", "--compare", "head", "--heads", "0,2", *query],
                   ["epsilon", "--scope-tokens", "1,3-5"], ["epsilon", "--scope-tokens", "0", "--head", "mean"],
                   ["epsilon", "--scope-tokens", "2", "--quantity", "scores"], ["single", *query, *sinks, "--scope-tokens", "2-4"],
                   ["epsilon", "--words", *text], ["epsilon", "--words", "--head", "mean", *text, "--scope-tokens", "3"],
                   ["epsilon", "--words", *text, "--hide-keys", "0,4", "--renormalise"],
                   ["epsilon", "--words", *text, "--hide-keys", "0,4", "--last-queries", "2"],
                   ["compare", "--words", *text, "--compare", "layer", "--layers", "0,1", "--head", "2", *query],
                   ["single", *query, "--model", os.path.join(models, "dinov2"), "--image", picture, "--over-picture"]]
        for words in figures:
            self.assert_follows(words, [0.3, 10 ** chance.uniform(-12, 1)])

    def test_page_is_small(self):
        """Nine panels of 15 tokens, in bytes."""
        with open(self.path("mean-operation"), "rb") as file:
            page = file.read()
        self.assertEqual([len(panel["name"]) > 0 for panel in self.open_and_find("mean-operation")], [True] * 9)
        self.assertLess(len(page), 150_000)

    def open_and_find(self, name):
        self.browser.open(self.path(name))
        return self.find_panels()

    def test_difference_follows_the_factor(self):
        self.browser.open(self.path("compare"))
        self.browser.run("""(() => {
          const range = document.getElementById("factor-1");
          range.value = -3;
          range.dispatchEvent(new Event("input"));
        })()""")
        arrays = self.compute("compare", "--epsilons", "1e-3")
        for index, panel in enumerate(self.find_panels()):
            table = self.read_table(index)
            seen = ~numpy.isnan(table)
            values = arrays[panel["id"].replace("-", "_")]
            self.assertLess(numpy.abs(table - values)[seen].max(), TOLERANCE, panel["id"])

    def test_baseline_is_without_the_operations(self):
        arrays = self.compute("epsilon", "--epsilons", "1")
        self.browser.open(self.path("epsilon"))
        self.browser.press("b")
        table = self.read_table(0)
        seen = ~numpy.isnan(table)
        self.assertLess(numpy.abs(table - arrays["panel_0_0"])[seen].max(), TOLERANCE)
        self.assertEqual(self.browser.run('document.querySelector("#panel-0-0 .title").textContent'), "Baseline")
        self.assertEqual(self.browser.run('document.getElementById("before").getAttribute("aria-pressed")'), "true")
        self.assertIn("Baseline", self.browser.run('document.querySelector(".caption").textContent'))
        self.browser.press("b")
        self.assertIn("Query", self.browser.run('document.querySelector("#panel-0-0 .title").textContent'))

    def test_picture_without_an_operation_has_no_baseline(self):
        folder = os.environ["G_TEST_SRCDIR"]
        picture = os.path.join(folder, "..", "data", "pictures", "garden.png")
        call("render", "head-atlas", "--model", os.path.join(folder, "model", "dinov2"), "--image", picture, "--over-picture",
             "-o", self.path("picture"))
        self.browser.open(self.path("picture"))
        self.assertTrue(self.browser.run('document.getElementById("before").hidden'))

    def test_keys_reach_every_cell(self):
        self.browser.open(self.path("epsilon"))
        panels = self.find_panels()
        for panel in panels:
            name = None
            for _ in range(20):
                self.browser.press("Tab")
                name = self.browser.run('document.activeElement.getAttribute("aria-label") || ""')
                if name.startswith(panel["name"] + ","):
                    break
            self.assertTrue(name.startswith(panel["name"] + ","), name)
        reached = set()
        self.browser.press("PageUp")
        self.browser.press("Home")
        for row in range(10):
            for _ in range(10):
                reached.add(self.read("pair"))
                self.browser.press("ArrowRight" if row % 2 == 0 else "ArrowLeft")
            self.browser.press("ArrowDown")
        self.assertEqual(len(reached), 100)
        self.assertIn(self.read("pair"), self.read("spoken"))

    def test_tokens_that_repeat_are_told_apart(self):
        """Some of the 15 tokens have the same text."""
        self.browser.open(self.path("state"))
        panel = self.find_panels()[0]
        pairs = set()
        for column in range(15):
            self.browser.point(*self.place(panel, 1, column))
            pairs.add(self.read("pair"))
        self.assertEqual(len(pairs), 15, pairs)
        self.assertIn("Layer 1, token 5 “␣rose”", pairs)

    def test_cell_tells_its_channel(self):
        """The largest channel of the residual stream, and which it is."""
        path = self.path("residual", "npz")
        call("compute", "--text", "A rose is a rose, and a red rose is a rose.", "--what", "residual", "-o", path)
        with numpy.load(path) as file:
            residual = file["residual"]
        self.browser.open(self.path("massive-activations"))
        panel = self.find_panels()[0]
        for row in range(residual.shape[0]):
            for column in range(0, residual.shape[1], 4):
                vector = numpy.abs(residual[row, column])
                self.browser.point(*self.place(panel, row, column))
                self.assertEqual(self.read(), format_weight(vector.max()))
                self.assertEqual(self.read("beside"), f"channel {vector.argmax()}")

    def test_probe_tells_its_interval_and_rows(self):
        table = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../data/examples/answers.csv")
        path = self.path("probe", "npz")
        call("probe", "--table", table, "-o", path)
        call("render", path, "-o", self.path("probe"))
        with numpy.load(path) as file:
            values, low, high = (file[name].astype(numpy.float32) for name in ("auc", "auc_low", "auc_high"))
            rows = file["rows"]
        self.browser.open(self.path("probe"))
        panel = self.find_panels()[0]
        for row, column in ((0, 0), (2, 1), (1, values.shape[1] - 1)):
            self.browser.point(*self.place(panel, row, column))
            value, *ends = (format_weight(part[row, column]) for part in (values, low, high))
            self.assertEqual(self.read(), value)
            self.assertEqual(self.read("beside"), f"{ends[0]} to {ends[1]}, rows: {rows[column]}")

    def test_same_cell_is_marked_in_every_panel(self):
        self.browser.open(self.path("mean-operation"))
        self.browser.point(*self.place(self.find_panels()[4], 5, 2))
        self.assertEqual(self.browser.run('document.querySelector("#marks .ring").getAttribute("d")').count("M"), 9)

    def test_hidden_page_draws_later(self):
        self.browser.open(self.path("epsilon"))
        self.browser.run('document.getElementById("stage").hidden = true; window.dispatchEvent(new Event("resize"))')
        self.browser.settle()
        self.assert_silent("hidden")
        self.browser.run('document.getElementById("stage").hidden = false; window.dispatchEvent(new Event("resize"))')
        self.browser.settle()
        self.assertTrue(self.browser.run('document.querySelector("#stage > canvas").hidden'))

    def test_wheel_zooms_around_the_pointer(self):
        self.browser.open(self.path("epsilon"))
        panel = self.find_panels()[4]
        x, y = map(round, self.place(panel, 5, 2))
        before = self.place(panel, 5, 2)
        self.browser.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=-480)
        self.browser.settle()
        self.assertNotEqual(self.read("scale"), "100 %")
        after = self.place(panel, 5, 2)
        # Four times as near: the middle of the cell is four times as far from the pointer.
        self.assertAlmostEqual(after[0] - x, 4 * (before[0] - x), delta=0.1)
        self.assertAlmostEqual(after[1] - y, 4 * (before[1] - y), delta=0.1)
        self.browser.press("0")
        self.assertEqual(self.read("scale"), "100 %")

    def test_nothing_stands_out_sideways(self):
        for preset in self.presets:
            self.browser.open(self.path(preset), 360)
            self.browser.run('document.getElementById("table").open = true')
            for width in (360, 800, 1600):
                self.browser.resize(width)
                self.browser.settle()
                self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), width, preset)

    def test_all_of_the_figure_is_above_the_readout(self):
        """Also where sliders get a line each once the figure has its width."""
        for width in (1600, 800):
            for preset in ("epsilon", "mean-operation"):
                self.browser.open(self.path(preset), width)
                self.browser.settle()
                ends = self.browser.run('["stage", "readout"].map((id) => document.getElementById(id).getBoundingClientRect())'
                                        '.map((box) => [box.top, box.bottom])')
                self.assertLessEqual(ends[0][1], ends[1][0], (width, preset))

    def test_nasty_tokens_run_nothing(self):
        tokens = ["</script><script>document.title='run'</script>", "<img src=x onerror=document.title='run'>", "-->", "]]>",
                  "<!--<script>", "'\"><svg onload=document.title='run'>", "\x01\x1b", "\u2028", "&lt;"]
        weights = numpy.tril(numpy.full((1, 1, len(tokens), len(tokens)), 0.5, numpy.float32))
        numpy.savez(self.path("nasty", "npz"), weights=weights, tokens=numpy.array(tokens))
        call("render", "single", "--model", self.path("nasty", "npz"), "-o", self.path("nasty"))
        self.browser.open(self.path("nasty"))
        panel = self.find_panels()[0]
        for row in range(len(tokens)):
            self.browser.point(*self.place(panel, row, 0))
            self.assertTrue(self.read("pair"))
        self.read_table(0)
        self.assertEqual(self.browser.run('document.querySelectorAll("script").length'), 3)
        self.assertEqual(self.browser.run('document.querySelectorAll("img, [onerror], [onload]").length'), 0)
        self.assertIn("single", self.browser.run("document.title"))
        self.browser.point(*self.place(panel, 0, 0))
        self.assertIn(tokens[0], self.read("pair"))
        self.assert_silent("nasty")

    def test_text_stands_out_from_its_ground(self):
        """WCAG 2.1, success criterion 1.4.3, of all text outside of the figure; and every control has a name."""
        self.browser.open(self.path("epsilon"))
        for is_dark in (False, True):
            self.browser.set_dark(is_dark)
            self.browser.press("b")
            faint = self.browser.run("""(() => {
              const parse = (color) => color.match(/[\\d.]+/g).map(Number);
              const luminance = (color) => parse(color).slice(0, 3).map((part) => part / 255)
                .map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
                .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
              const ground = (element) => {
                const color = getComputedStyle(element).backgroundColor, parts = parse(color);
                return parts.length === 4 && parts[3] === 0 ? ground(element.parentElement) : color;
              };
              document.getElementById("table").open = true;
              const faint = [];
              for (const element of document.querySelectorAll("main *:not(svg):not(svg *)")) {
                const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
                if (!hasText && element.type !== "text") continue;
                if (element.disabled || !element.getClientRects().length) continue;
                const a = luminance(getComputedStyle(element).color), b = luminance(ground(element));
                const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
                if (ratio < 4.5) faint.push([element.tagName, element.id, ratio]);
              }
              return faint;
            })()""")
            self.assertEqual(faint, [], is_dark)
        self.browser.set_dark(False)
        names = self.browser.run("""[...document.querySelectorAll("button, input, select, [tabindex]")].filter((element) =>
          !(element.getAttribute("aria-label") || element.textContent.trim() || (element.labels && element.labels.length)))
          .map((element) => element.outerHTML)""")
        self.assertEqual(names, [])


if __name__ == "__main__":
    try:
        Page.browser = Browser()
    except Refused as reason:
        print(reason)
        sys.exit(77)
    unittest.main(verbosity=2)
