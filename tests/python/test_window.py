# SPDX-License-Identifier: GPL-3.0-or-later

"""Windows on arrays in memory. Runs under a display of its own."""

import os
import subprocess
import sys
import tempfile
import time
import unittest

import fixture

import attention_grid

from fixture import ROSE, TEXT, Tensor

# Far above the second that a window takes, for a machine that is busy.
SECONDS = 60


def wait_until(is_true, what):
    ends = time.monotonic() + SECONDS
    while not is_true():
        assert time.monotonic() < ends, f"waited {SECONDS} s for {what}"
        time.sleep(0.05)


def has_mapped(window, name):
    with open(f"/proc/{window._process.pid}/maps", encoding="utf-8") as maps:
        return name in maps.read()


def has_title(text):
    return text in subprocess.run(["xwininfo", "-root", "-tree"], stdout=subprocess.PIPE, text=True, check=True).stdout


class Windows(unittest.TestCase):
    def test_tensors_are_shown(self):
        weights = attention_grid.compute(text=TEXT)
        tensors = tuple(Tensor(layer[None], has_gradient=True) for layer in weights)
        window = attention_grid.show(tensors, attention_grid.tokenize(ROSE, TEXT).tokens)
        try:
            wait_until(lambda: has_mapped(window, "attention.npz"), "the array")
            wait_until(lambda: has_title("Attention Grid"), "the window")
            self.assertTrue(window.is_open)
            self.assertFalse(window.wait(0))
        finally:
            window.close()
        self.assertFalse(window.is_open)
        self.assertTrue(window.wait())

    def test_a_figure_is_shown(self):
        # Its arrays stay, though nothing refers to the figure any more.
        window = attention_grid.figure("single", array=attention_grid.compute(text=TEXT), layer=1, head=2).show()
        try:
            wait_until(lambda: has_mapped(window, "attention.npz"), "the array")
            wait_until(lambda: has_title("New Study"), "the window")
        finally:
            window.close()

    def test_without_a_display_it_says_so(self):
        display = os.environ.pop("DISPLAY")
        try:
            with self.assertRaisesRegex(attention_grid.Error, "display"):
                attention_grid.show().wait(SECONDS)
        finally:
            os.environ["DISPLAY"] = display

    def test_arrays_go_with_python_unless_a_window_is_open(self):
        script = ("import attention_grid, sys\n"
                  "window = attention_grid.show([[1.0, 0.0], [0.5, 0.5]], 'ab')\n"
                  "sys.argv[1] == 'close' and window.close()\n"
                  "print(window._process.pid)\n")
        for ending, left in (("close", 0), ("leave", 1)):
            with tempfile.TemporaryDirectory() as folder:
                told = subprocess.run([sys.executable, "-c", script, ending], stdout=subprocess.PIPE, text=True,
                                      check=True, env=dict(os.environ, TMPDIR=folder))
                self.assertEqual(len([name for name in os.listdir(folder) if name.startswith("attention-grid-")]), left)
                if left:
                    os.kill(int(told.stdout), 15)


fixture.run()
