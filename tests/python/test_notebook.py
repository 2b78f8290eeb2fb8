# SPDX-License-Identifier: GPL-3.0-or-later

"""A notebook run by Jupyter: what its cells show."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest

import fixture

for name in ("nbconvert", "ipykernel"):
    if importlib.util.find_spec(name) is None:
        print(f"{name} is not installed")
        sys.exit(fixture.SKIPPED)

CELLS = ['import attention_grid\nattention_grid.figure("epsilon")',
         'attention_grid.figure("single", array=attention_grid.compute(text="A rose."), layer=1, head=2)',
         'attention_grid.figure("nonsense")']


def run_notebook(folder, cells):
    """The outputs of each cell. Jupyter's files go to the folder."""
    notebook = {"cells": [{"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": cell}
                          for cell in cells],
                "metadata": {"kernelspec": {"display_name": "", "language": "python", "name": "here"}},
                "nbformat": 4, "nbformat_minor": 4}
    kernel = os.path.join(folder, "kernels", "here")
    os.makedirs(kernel)
    with open(os.path.join(kernel, "kernel.json"), "w", encoding="utf-8") as file:
        json.dump({"argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
                   "display_name": "here", "language": "python"}, file)
    path = os.path.join(folder, "figures.ipynb")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(notebook, file)
    environment = dict(os.environ, HOME=folder, JUPYTER_PATH=folder, IPYTHONDIR=os.path.join(folder, "ipython"),
                       JUPYTER_RUNTIME_DIR=os.path.join(folder, "runtime"))
    subprocess.run([sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--allow-errors",
                    "--output", "ran.ipynb", path], check=True, env=environment)
    with open(os.path.join(folder, "ran.ipynb"), encoding="utf-8") as file:
        return [cell["outputs"] for cell in json.load(file)["cells"]]


class Notebook(unittest.TestCase):
    def test_cells_show_figures_and_sentences(self):
        with tempfile.TemporaryDirectory() as folder:
            epsilon, array, wrong = run_notebook(folder, CELLS)
        for outputs in (epsilon, array):
            [shown] = [output for output in outputs if output["output_type"] == "execute_result"]
            self.assertIn("</svg>", "".join(shown["data"]["image/svg+xml"]))
            self.assertIn("<img ", "".join(shown["data"]["text/html"]))
        self.assertEqual(wrong[0]["ename"], "Error")
        self.assertIn("nonsense: no preset and no file", wrong[0]["evalue"])


fixture.run()
