#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many actions what one comes for takes, from a window as it opens: a key, a click, a drag, and a
word or number that is typed with its Return, are one each; pointing is none. What is promised is
what is allowed."""

import re
import sys

import drive
from drive import wait_for

# Actions that a task may take.
GOALS = {
    "what is this window for": 0,
    "mean the key only": 1,
    "ε by a drag": 1,
    "ε = 0.7 typed": 2,
    "see where the sink dies": 0,
    "induction head": 2,
    "baseline beside the three": 1,
    "any action whose name one knows": 2,
    "the figure as a command": 1,
    "a token's row in the sentence": 0,
}


class Counter:
    """Does what a hand does, and counts."""

    def __init__(self, program, task):
        self.program = program
        self.task = task
        self.n = 0

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        assert kind or self.n <= GOALS[self.task], (self.task, self.n)

    def key(self, key):
        self.n += 1
        self.program.key(key)

    def enter(self, text):
        """A word or a number, and Return."""
        self.n += 1
        self.program.type(text)
        self.program.key("Return")

    def point(self, x, y):
        """Twice: the first motion is how one comes."""
        self.program.move(x - 1, y)
        self.program.move(x, y)


def undo(program, n):
    for _ in range(n):
        program.key("ctrl+z")


def load(program, preset, figure):
    program.key("ctrl+p", "Home", *["Down"] * drive.PRESETS.index(preset), "Return")
    program.await_figure(figure)


def find(program, roles, name):
    return next(filter(None, (program.find(role, name) for role in roles)), None)


def await_palette(program):
    return wait_for("the palette", lambda: find(program, ("text", "entry"), "Find an action"))


def check_purpose(program, directory):
    with Counter(program, "what is this window for"):
        program.await_node("label", "Each row: where a token looks.*")


def check_token(program, directory):
    """The tokens of the first input take the colours of the row of the one that is pointed at."""
    # Newer GTK does not tell where they are.
    if program.inset > 0:
        return
    chips = wait_for("the tokens", lambda: find(program, ("panel", "grouping"), "Tokens: .*"))
    with Counter(program, "a token's row in the sentence") as hand:
        x, y, width, height = program.rectangle(chips)
        hand.point(x + 8, y + height - 8)
        # The last line begins with the eighth token or one near it; its row is told with its largest.
        said = wait_for("the row in the sentence", lambda: re.search(
            r"the largest: .* · (\d+) “.*” → \d+ “.*”: [\d.]+", describe(chips)))
        assert int(said[1]) > 1, said[0]
    program.park()
    wait_for("the plain sentence", lambda: "largest" not in describe(chips))


def describe(node):
    return node.get_description() or ""


def check_key(program, directory):
    with Counter(program, "mean the key only") as hand:
        hand.key("k")
        program.await_figure("3 × 1 panels")
        assert [program.await_node("check box", name).has_state("checked") for name in ("Query", "Key", "Value")] == [False, True, False]
    undo(program, 1)
    program.await_figure("3 × 3 panels")


def check_baseline(program, directory):
    roles = ("toggle button", "button")
    button = wait_for("its button", lambda: find(program, roles, "Baseline as a column"))
    with Counter(program, "baseline beside the three") as hand:
        hand.n += 1
        program.click(button)
        program.await_figure("3 × 4 panels")
    program.park()
    undo(program, 1)
    program.await_figure("3 × 3 panels")


def check_typed(program, directory):
    with Counter(program, "ε = 0.7 typed") as hand:
        hand.key("e")
        entry = program.await_node("text", "ε( of column 1)?")
        wait_for("the focus", lambda: entry.has_state("focused"))
        hand.enter("0.7")
        wait_for("ε = 0.7", lambda: entry.get_text() == "0.7")
    program.click(program.figure)
    program.park()
    program.key("Escape")
    undo(program, 2)
    program.await_figure("3 × 3 panels")


def check_induction(program, directory):
    with Counter(program, "induction head") as hand:
        hand.key("ctrl+shift+p")
        await_palette(program)
        hand.enter("induction-like")
        # Of the model that comes along.
        program.await_node("label", r"L\d+ H\d+ · rose")
    undo(program, 1)
    program.await_node("label", r"L\d+ H\d+ · ★ strongest sink · rose")


def check_any_action(program, directory):
    with Counter(program, "any action whose name one knows") as hand:
        hand.key("ctrl+shift+p")
        await_palette(program)
        hand.enter("keyboard shortcuts")
        program.await_node("label", "Open a model folder")
    program.dismiss("label", "Open a model folder")
    program.focus(program.xid)


def check_command(program, directory):
    with Counter(program, "the figure as a command") as hand:
        hand.key("ctrl+alt+c")
        program.await_node("label", "Copied the figure as a command for a shell: .*")


def tells_of_sinks(program):
    """The track, of whose handles each is a slider."""
    return any(re.match(r"The sink ends in \d+ of 9 panels|.*: the sink ends at ε = ", describe(node))
               for _, _, node in program.nodes() if node.is_on_screen())


def check_sink(program, directory):
    """Where the sink of each panel ends stands on the track, and is told."""
    load(program, "Epsilon", "3 × 3 panels")
    with Counter(program, "see where the sink dies"):
        wait_for("where the sink ends", lambda: tells_of_sinks(program))


def check_drag(program, directory):
    slider = program.await_node("slider", "ε( of column 1)?, slider")
    # Newer GTK does not tell where a slider is.
    if program.inset > 0:
        return
    before = slider.get_value()
    with Counter(program, "ε by a drag") as hand:
        x, y, width, height = program.rectangle(slider)
        hand.n += 1
        program.move(x + width // 2, y + height // 2)
        drive.xdotool("mousedown", 1)
        for _ in range(6):
            drive.xdotool("mousemove_relative", "--", -4, 0)
        drive.xdotool("mouseup", 1)
        wait_for("another ε", lambda: slider.get_value() != before)
    program.park()


if __name__ == "__main__":
    sys.exit(drive.run_session("/app/actions/", [
        check_purpose, check_token, check_key, check_baseline, check_typed, check_induction, check_any_action,
        check_command, check_sink, check_drag]))
