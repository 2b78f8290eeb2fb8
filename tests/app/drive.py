#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later

"""Drives the program as a person would, with pointer and keys, and reads what came of it through
the accessibility bus. Speaks TAP. Takes the program as its only argument; to be run by
under-display --bus --manager."""

import ast
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import zipfile

# Here the accessibility library warns when a program has just gone; of the program, complaints are read when it is
# checked, and do not end it.
os.environ.pop("G_DEBUG", None)

try:
    import accessible
except (ImportError, ValueError):
    print("1..0 # SKIP the introspection data of Atspi is not installed")
    sys.exit(0)

from complaints import read_complaints
from screen import read_picture

PROGRAM = sys.argv[1]
STATE = os.path.join(os.environ["HOME"], ".local", "state", "attention-grid")
PATIENCE = float(os.environ.get("PATIENCE", 20))  # seconds; far beyond what anything here takes

# The shadow that GTK draws around a window with a header bar where nothing composites.
SHADOW = 5

INTERACTIVE = {"button", "toggle button", "text", "entry", "combo box", "slider", "check box",
               "radio button", "spin button", "switch", "image"}


def read_presets():
    """Titles of the program's own presets, in the order of the menu. A paper stands at the end of
    the rows behind them."""
    source = os.path.join(os.path.dirname(__file__), "../../src/study/document/attn-presets.c")
    with open(source, encoding="utf-8") as file:
        own = file.read().rpartition('") },\n')[0]
    return re.findall(r'^  { "[a-z0-9-]+", N_\("(.+)"\)', own, re.MULTILINE)


PRESETS = read_presets()

# They pass the focus on to what they hold.
CONTAINERS = {"frame", "dialog", "window", "list", "scroll pane", "panel", "filler", "viewport"}


def wait_for(what, condition):
    """Asks again and again: nothing on the way from a key press to the bus says when it is done. It asks no more
    than a third of the time, for to answer keeps the program from what is waited for."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        begun = time.monotonic()
        value = condition()
        if value:
            return value
        time.sleep(max(0.02, 2 * (time.monotonic() - begun)))
    raise AssertionError("waited in vain for " + what)


def is_soon(condition, seconds=5):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        begun = time.monotonic()
        if condition():
            return True
        time.sleep(max(0.02, 2 * (time.monotonic() - begun)))
    return False


def xdotool(*arguments):
    subprocess.run(["xdotool", *map(str, arguments)], check=True)


def read_npz(path):
    """The panels of a figure as lists of rows, without numpy."""
    panels = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            match = re.fullmatch(r"panel_(\d+)_(\d+)\.npy", name)
            if not match:
                continue
            data = archive.read(name)
            length = struct.unpack("<H", data[8:10])[0]
            header = ast.literal_eval(data[10:10 + length].decode())
            n_rows, n_columns = header["shape"]
            assert header["descr"] == "<f4"
            values = struct.unpack("<%df" % (n_rows * n_columns), data[10 + length:])
            panels[int(match[1]), int(match[2])] = [
                values[i * n_columns:(i + 1) * n_columns] for i in range(n_rows)]
    return panels


class Program:
    """One run of the program."""

    def __init__(self, directory, *arguments):
        self.log_path = os.path.join(directory, "log")
        self.log = open(self.log_path, "w+")
        self.process = subprocess.Popen([PROGRAM, *arguments], stderr=self.log,
                                        env=dict(os.environ, ATTENTION_GRID_STARTUP_TRACE="1"))
        wait_for("the first figure", lambda: "first figure" in self.read_log() or
                 self.process.poll() is not None)
        assert self.process.poll() is None, self.read_log()
        self.bus = accessible.Bus()
        self.last_whole_look = 0
        self.owner = wait_for("the program on the accessibility bus",
                              lambda: self.bus.find_program(self.process.pid))
        self.xid = self.await_window("Attention Grid")
        self.figure = self.await_node("image", "Figure")
        # Newer GTK counts from within the frame, and forgets the padding of what a node is in.
        self.inset = -self.figure.get_window().get_extents()[0]
        self.top = self.rectangle(self.figure)[1]
        self.park()

    def read_log(self):
        with open(self.log_path) as log:
            return log.read()

    def nodes(self, anew=True):
        """Every node, as (role, name, node)."""
        for node in self.bus.list_nodes(self.owner, anew):
            yield node.role, node.name, node

    def look_for(self, is_it, is_asked_again=False):
        """The first that shows and of which is_it(role, name, node) holds. To look where things were takes a third
        of the time of a whole look, which alone tells that there is none; who asks again gets one now and then."""
        for anew in (False, True):
            if anew:
                if is_asked_again and time.monotonic() < self.last_whole_look + 0.5:
                    break
                self.last_whole_look = time.monotonic()
            for role, name, node in self.nodes(anew):
                if is_it(role, name, node) and node.is_on_screen():
                    return node
        return None

    def find(self, role, name, is_asked_again=False):
        """The first that shows of that role and name, both patterns."""
        return self.look_for(lambda node_role, node_name, _: re.fullmatch(role, node_role) and
                             re.fullmatch(name, node_name), is_asked_again)

    def await_node(self, role, name):
        return wait_for("%s “%s”" % (role, name), lambda: self.find(role, name, True))

    def read_figure(self):
        return self.figure.get_description()

    def await_figure(self, text):
        return wait_for("a figure that says “%s”" % text, lambda: text in self.read_figure())

    def rectangle(self, node):
        x, y, width, height = node.get_extents()
        shift = SHADOW + self.inset
        return x + shift, y + shift, width, height

    def reveal(self, node):
        """Scrolls the side bar until the node shows, if it is in there."""
        pane = self.find("scroll pane", "")
        if pane is None or not node.is_in(pane):
            return
        left, top, _, height = self.rectangle(pane)
        for _ in range(100):
            _, y, _, extent = self.rectangle(node)
            if y >= top and y + extent <= top + height:
                return
            self.move(left + 6, top + height // 2)
            xdotool("click", 5 if y > top else 4)
            is_soon(lambda: self.rectangle(node)[1] != y, 1)

    def click(self, node):
        """By the keyboard where GTK does not tell the place."""
        if self.inset > 0 and node != self.figure:
            self.walk_to(node)
            if node.role != "text":
                self.key("space")
            return
        self.reveal(node)
        x, y, width, height = self.rectangle(node)
        xdotool("mousemove", "--window", self.xid, x + width // 2, y + height // 2, "click", 1)

    def walk_to(self, node):
        """Past a hundred others; more slowly the longer it takes, for a busy machine tells of the focus when it has
        gone on."""
        for i in range(300):
            if is_soon(lambda: node.has_state("focused"), 0.1 + 0.002 * i):
                return
            self.key("Tab")
        raise AssertionError("walked in vain to “%s”" % node.get_name())

    def move(self, x, y):
        xdotool("mousemove", "--window", self.xid, int(x), int(y))

    def park(self):
        """Where the pointer hovers over nothing."""
        xdotool("mousemove", 1275, 1020)

    def key(self, *keys):
        """By the layouts of 2026 xdotool holds Alt with F1 to F10 unless it is told a key's number."""
        xdotool("key", *(re.sub(r"\bF(\d|10)$", lambda match: str(66 + int(match[1])), key)
                         for key in keys))

    def type(self, text):
        xdotool("type", "--delay", 12, text)

    def enter_path(self, path):
        """In the file chooser that has the keyboard: where there is no entry yet, as when choosing a
        folder, the first slash makes one. What is typed further it completes while it is typed, so
        that the rest is set at once."""
        self.key("ctrl+a")
        self.type("/")
        entry = wait_for("the entry of the file chooser", lambda: self.find_text("/.*"))
        entry.set_text(path)
        wait_for("the path in the file chooser", lambda: self.find_text(re.escape(path)))

    def choose_file(self, title, path):
        """In the file chooser that is open, which looks for completions and does not take Return
        before it is done."""
        window = self.await_window(title)
        self.enter_path(path)
        self.accept_file(window)

    def accept_file(self, window):
        def is_chosen():
            self.key("Return")
            # Again too early, it would answer what the program asks next.
            return is_soon(lambda: not self.is_visible(window), 3)
        wait_for("the file chooser to close", is_chosen)
        self.focus(self.xid)

    def find_text(self, pattern):
        """An entry that shows and says that."""
        return self.look_for(lambda role, _, node: role == "text" and re.fullmatch(pattern, node.get_text()))

    def is_visible(self, window):
        return "IsViewable" in subprocess.run(["xwininfo", "-id", window], capture_output=True,
                                              text=True).stdout

    def await_window(self, title):
        """Gives it the focus too, where the window manager has not done so yet."""
        window = subprocess.run(
            ["xdotool", "search", "--sync", "--onlyvisible", "--all",
             "--pid", str(self.process.pid), "--name", title],
            check=True, capture_output=True, text=True, timeout=PATIENCE).stdout.split()[-1]
        self.focus(window)
        return window

    def focus(self, window):
        """The window manager gives it to what opens, and back when that has closed: a moment later."""
        subprocess.run(["xdotool", "windowfocus", "--sync", window], check=False, timeout=PATIENCE)

    def dismiss(self, role, name):
        """By Escape, again where it came before the window manager gave the keyboard to what shows it."""
        def is_gone():
            self.key("Escape")
            return is_soon(lambda: not self.find(role, name))

        wait_for("%s “%s” to go" % (role, name), is_gone)

    def resize(self, width, height):
        """Until the window is drawn at that size and has come to rest."""
        xdotool("windowsize", "--sync", self.xid, width, height)
        self.park()
        wait_for("the window to be drawn at its size", lambda: len(read_pixels(self)) == height)
        self.await_rest()

    def await_rest(self):
        """Until the window looks as it did a look before."""
        looks = [None]

        def is_still():
            time.sleep(0.1)
            looks.append(read_pixels(self))
            return looks[-1] == looks[-2]
        wait_for("the window to rest", is_still)

    def sweep(self, n):
        """Hovers over n x n points of the figure and returns what it said there; what it says late is
        found at the next point."""
        x, y, width, height = self.rectangle(self.figure)
        said = {}
        for i in range(n):
            for j in range(n):
                self.move(x + width * (i + 0.5) / n, y + height * (j + 0.5) / n)
                time.sleep(0.03)
                text = self.read_figure()
                if "→" in text:
                    said[text] = (x + width * (i + 0.5) / n, y + height * (j + 0.5) / n)
        return said

    def quit(self):
        """Ends the program without saving."""
        self.focus(self.xid)
        self.key("Escape")
        self.key("ctrl+q")
        wait_for("the end of the program", self.is_gone_or_asks)
        assert self.process.returncode == 0, self.read_log()
        self.log.close()
        self.check_says_nothing()

    def check_says_nothing(self):
        complaints = read_complaints(self.log_path)
        assert complaints == "", complaints

    def is_gone_or_asks(self):
        """Whether the program has ended; if it asks what becomes of the changes, that is answered."""
        if is_soon(lambda: self.process.poll() is not None, 0.3):
            return True
        if self.find("label", "Save the Changes to .*"):
            self.key("alt+d")
            time.sleep(0.1)
        return False

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def run_cli(*arguments):
    subprocess.run([PROGRAM, *arguments], check=True)


def compare_with_compute(said, npz, find_panel):
    """Each weight that was read is the one that `compute` writes."""
    panels = read_npz(npz)
    n_compared = 0
    for text in said:
        match = re.match(r"(.*): query (\d+) “.*” → key (\d+) “.*”: (.*)", text)
        assert match, text
        value = panels[find_panel(match[1])][int(match[2])][int(match[3])]
        if match[4].startswith("masked"):
            assert value == 0, text
            continue
        weight = float(re.match(r"weight ([0-9.e−-]+)", match[4])[1].replace("−", "-"))
        # Four significant digits are shown.
        assert abs(weight - value) <= 5.1e-4 * max(value, 1e-30), (text, value)
        n_compared += 1
    assert n_compared >= 8, said
    return n_compared


def find_mean_panel(name):
    match = re.fullmatch(r"Input (\d), (Query|Key|Value)", name)
    assert match, name
    return int(match[1]) - 1, ["Query", "Key", "Value"].index(match[2])


def check_start(program, directory):
    line = re.search(r"first figure after (\d+) ms", program.read_log())
    print("# first figure after %s ms" % line[1])
    program.await_figure("3 × 3 panels")


def find_unnamed(nodes):
    """What one can operate, or look at, that is called by the name of its class or not at all."""
    return [(role, name, node.get_description()) for role, name, node in nodes
            if (not name or name.startswith(("Gtk", "Attn"))) and role not in CONTAINERS and
            (role in INTERACTIVE or node.has_state("focusable")) and node.is_on_screen()]


def check_names(program, directory):
    unnamed = find_unnamed(program.nodes())
    assert not unnamed, unnamed


def check_hover(program, directory):
    path = os.path.join(directory, "mean.npz")
    run_cli("compute", "mean-operation", "-o", path)
    n = compare_with_compute(program.sweep(9), path, find_mean_panel)
    print("# %d cells read" % n)
    program.park()


def read_pixels(program):
    """The window as lists of rows, each of 3 bytes a pixel."""
    return read_picture(program.xid)


def leave_out_readout(rows, rectangle):
    """Of the figure only its lowest rows, where its caption stands and no cell is marked; of what
    is below it, the readout, nothing; nor of the side bar, whose tokens take the colours of the row."""
    x, y, _, height = rectangle
    caption = height // 16
    return [b"" if i >= y and not y + height - caption <= i < y + height else row[3 * x:]
            for i, row in enumerate(rows)]


def await_no_ring(program):
    """GTK takes away the ring around what has the focus a while after the last key."""
    x, y, _, height = program.rectangle(program.figure)

    def is_gone():
        row = read_pixels(program)[y + height // 2]
        return row[3 * (x + 1):3 * (x + 2)] == row[3 * (x + 5):3 * (x + 6)]
    wait_for("the focus to show no more", is_gone)


def check_nothing_shifts(program, directory):
    """Wide, and so narrow that the readout needs two lines for what it had on one."""
    await_no_ring(program)
    start = read_pixels(program)
    for width, height in [(len(start[0]) // 3, len(start)), (800, 600)]:
        program.resize(width, height)
        rectangle = program.rectangle(program.figure)
        x, y, figure_width, figure_height = rectangle
        before = leave_out_readout(read_pixels(program), rectangle)
        texts = set()
        for i in range(5):
            for j in range(5):
                program.move(x + figure_width * (j + 0.5) / 5, y + figure_height * (i + 0.5) / 5)
                time.sleep(0.06)
                texts.add(program.read_figure())
                assert program.rectangle(program.figure) == rectangle
                after = leave_out_readout(read_pixels(program), rectangle)
                shifted = [row for row in range(len(before)) if before[row] != after[row]]
                assert not shifted, (program.read_figure(), shifted)
        assert len(texts) > 5, texts
    program.resize(len(start[0]) // 3, len(start))


def check_zoom(program, directory):
    """A cell that is zoomed in on stays under the pointer; Ctrl+0 shows everything again."""
    def reads(text, x, y):
        program.move(x, y)
        return is_soon(lambda: program.read_figure() == text, 1)

    # Not at the edge of a cell: which one that is is a matter of rounding.
    for text, (x, y) in sorted(program.sweep(8).items()):
        if all(reads(text, x + dx, y + dy) for dx, dy in ((-2, -2), (2, 2), (0, 0))):
            break
    else:
        raise AssertionError("no place is in the middle of a cell")
    for _ in range(6):
        xdotool("click", 4)
    program.await_node("button", ".* · Fit")
    program.await_rest()
    assert program.read_figure() == text, (program.read_figure(), text)
    program.park()
    program.await_figure("3 × 3 panels")
    program.key("ctrl+0")
    program.move(x, y)
    program.await_figure(text)
    program.park()


def choose_format(program, index):
    """In the dialog: the mnemonic opens the list."""
    program.key("alt+f")
    program.await_node("label", r"PDF.*\(\.pdf\)")
    program.key("Home", *["Down"] * index, "Return")


def open_export_chooser(program, suffix=None):
    """Through the dialog that asks how; the format is found by its name."""
    formats = {"svg": 0, "pdf": 1, "png": 2, "npz": 3, "npy": 4, "csv": 5, "json": 6}
    program.key("ctrl+e")
    program.await_node("button", "Export…")
    # What the file will be stands at the bottom once it was made.
    program.await_node("label", "(?s).*(mm|pixels) · .*B · .*|File size: .*B")
    if suffix is not None:
        program.park()
        choose_format(program, formats[suffix])
        program.await_node("label", "File size: .*B" if formats[suffix] > 2
                           else "(?s).*pixels · .*B · .*" if suffix == "png" else "(?s).*mm · .*B · .*")
    program.key("alt+e")


def check_export(program, directory):
    """The file that the dialog writes is the one that `render` writes."""
    for suffix in ("svg", "png"):
        exported = os.path.join(directory, "exported." + suffix)
        rendered = os.path.join(directory, "rendered." + suffix)
        open_export_chooser(program, suffix)
        program.choose_file("Export Figure", exported)
        wait_for("the exported file", lambda: os.path.exists(exported))
        program.await_node("label", "Exported to .*" + suffix)
        run_cli("render", "mean-operation", "-o", rendered)
        with open(exported, "rb") as a, open(rendered, "rb") as b:
            assert a.read() == b.read(), suffix


def check_failed_export(program, directory):
    """A file that cannot be written is named, and the window stays."""
    open_export_chooser(program)
    program.choose_file("Export Figure", os.path.join(directory, "figure.bmp"))
    program.await_node("label", ".*figure\\.bmp.*")
    assert not os.path.exists(os.path.join(directory, "figure.bmp"))
    close_message(program)


def close_message(program):
    program.click(program.await_node("button", "Close the message"))
    wait_for("the message to go", lambda: program.rectangle(program.figure)[1] == program.top)


def is_inside(program, node):
    x, y, width, height = program.rectangle(node)
    _, _, frame_width, frame_height = node.get_window().get_extents()
    return x >= 0 and y >= 0 and x + width <= frame_width + 2 * SHADOW and \
        y + height <= frame_height + 2 * SHADOW


def check_at_hand(program, directory):
    """What the strip is for shows in the window; ε is a click on Scale away, and typed in two actions."""
    for role, name in [("check box", "Query"), ("check box", "Key"), ("check box", "Value"),
                       ("button|toggle button", "Layer"), ("button|toggle button", "Head")]:
        node = program.await_node(role, name)
        assert is_inside(program, node), name
    program.click(program.await_node("button|toggle button", "Scale"))
    entry = program.await_node("text", "ε( of column 1)?")
    assert is_inside(program, entry)
    slider = program.await_node("slider", "ε( of column 1)?, slider")
    program.click(entry)
    program.type("0.7")
    program.key("Return")
    program.park()
    wait_for("the typed ε", lambda: entry.get_text() == "0.7" and
             abs(slider.get_value() - math.log10(0.7)) < 1e-6)
    program.key("ctrl+z", "ctrl+z")
    program.await_figure("3 × 3 panels")


def check_toggle(program, directory):
    program.key("alt+k")
    program.await_figure("3 × 2 panels")
    program.key("ctrl+z")
    program.await_figure("3 × 3 panels")


def check_text(program, directory):
    """What is typed is computed after a moment of rest, without Return."""
    entry = program.await_node("text", "Input 1")
    program.click(entry)
    program.key("ctrl+a")
    program.type("It is I")
    program.await_node("label", "4 tokens")
    program.key("ctrl+z")
    program.park()


def read_entries(program):
    """What the inputs say, from top to bottom."""
    entries = []
    for role, name, node in program.nodes():
        if role == "text" and re.fullmatch(r"Input \d", name) and node.is_on_screen():
            entries.append((name, node.get_text()))
    return [text for _, text in sorted(entries)]


def check_scenario(program, directory):
    """The text is changed, the key is meaned, the inputs change places; all of it is undone."""
    before = read_entries(program)
    program.click(program.await_node("text", "Input 1"))
    program.key("ctrl+a")
    program.type("It is I")
    program.await_node("label", "4 tokens")
    program.key("alt+Down")
    wait_for("the inputs to change places", lambda: read_entries(program)[:2] == [
        before[1], "It is I"])
    program.key("alt+q")
    program.await_figure("3 × 2 panels")
    program.key("alt+v")
    program.await_figure("3 × 1 panels")
    undo = program.await_node("button", "Undo")
    while undo.has_state("sensitive"):
        program.key("ctrl+z")
        time.sleep(0.1)
    program.await_figure("3 × 3 panels")
    assert read_entries(program) == before, (read_entries(program), before)
    program.park()


def show_epsilons(program):
    """The preset whose columns are ε, unless it is shown; returns the first one's entry."""
    program.park()
    # That of the first, once it was shown, keeps its size when it is hidden again.
    if not program.find("text", "ε of column 2"):
        program.key("ctrl+p", "Down", "Return")
    return program.await_node("text", "ε( of column 1)?")


def check_epsilon(program, directory):
    path = os.path.join(directory, "epsilon.npz")
    entry = show_epsilons(program)
    program.click(entry)
    program.key("ctrl+a")
    program.type("2e-1")
    program.key("Return")
    run_cli("compute", "epsilon", "--epsilons", "2e-1,1e-3,1e-10", "-o", path)
    wait_for("the new figure", lambda: any("ε = 0.2" in text for text in program.sweep(7)))
    said = program.sweep(7)

    def find_panel(name):
        match = re.fullmatch(r"(Query|Key|Value), ε = (\S+)", name)
        assert match, name
        return ["Query", "Key", "Value"].index(match[1]), ["0.2", "1e-3", "1e-10"].index(match[2])
    compare_with_compute(said, path, find_panel)


def check_play(program, directory):
    """ε runs by itself until a key is pressed; undo brings back what it was."""
    entry = show_epsilons(program)

    def read():
        return entry.get_text()
    before = read()
    # The one node is asked: with a figure drawn each frame, all of them would take longer than it plays.
    button = program.await_node("button", "Play")

    def is_named(name):
        return button.get_name() == name
    program.click(button)
    wait_for("ε to play", lambda: is_named("Stop"))
    wait_for("ε to move", lambda: read() != before)
    program.key("Shift_L")
    wait_for("ε to stop", lambda: is_named("Play"))
    caught = read()
    time.sleep(0.3)
    assert read() == caught, (read(), caught)
    program.key("ctrl+z")
    wait_for("ε to come back", lambda: read() == before)
    program.park()


def check_sweep(program, directory):
    """A sweep is written as one file or as many, and asks before it replaces those of another; a long
    one shows how far it is and can be stopped, and what was written of it goes."""
    animation = os.path.join(directory, "sweep.svg")
    show_epsilons(program)
    program.click(program.await_node("button", "Export the sweep"))
    program.choose_file("Export the Sweep", animation)
    program.await_node("label", "Exported to .*sweep.svg")
    assert os.path.exists(animation)
    earlier = os.path.join(directory, "step-000.png")
    # On a machine that has other work, all steps can be drawn before the key comes.
    for attempt in range(4):
        with open(earlier, "w") as file:
            file.write("of another sweep")
        program.click(program.await_node("button", "Export the sweep"))
        program.choose_file("Export the Sweep", os.path.join(directory, "step.png"))
        program.await_node("label", "Replace the Files of Another Sweep\\?")
        program.key("alt+r")
        bar = program.await_node("progress bar", "Drawing the steps")
        program.focus(program.xid)
        if attempt == 0:
            wait_for("the export to get on", lambda: bar.get_value() > 0.02)
        program.key("Escape")
        wait_for("the export to end", lambda: not program.find("button", "Cancel"))
        left = [name for name in os.listdir(directory) if name.startswith(("step-", "."))]
        with open(earlier, "rb") as file:
            is_kept = file.read() == b"of another sweep"
        if is_kept:
            break
        for name in left:
            os.unlink(os.path.join(directory, name))
    assert left == ["step-000.png"], left
    assert is_kept
    program.park()


def check_bad_range(program, directory):
    """What is wrong is said, and goes when it is mended."""
    program.click(program.await_node("text", "Lowest value"))
    program.key("ctrl+a")
    program.type("2")
    program.key("Return")
    program.await_node("label", ".*Range:.*")
    program.key("ctrl+a")
    program.type("0")
    program.key("Return")
    wait_for("the message to go", lambda: program.find("label", ".*Range:.*") is None)
    program.park()


def check_bad_model(program, directory):
    """A folder that is no model leaves the window as it was and says why."""
    empty = os.path.join(directory, "empty-model")
    os.makedirs(empty, exist_ok=True)
    before = program.read_figure()
    program.key("ctrl+shift+o")
    program.choose_file("Open a Model Folder", empty)
    program.await_node("label", ".*empty-model.*")
    assert program.read_figure() == before
    assert program.find("label", "rose")
    close_message(program)


def check_quit(program, directory):
    program.quit()


SESSION = [check_start, check_names, check_hover, check_nothing_shifts, check_zoom, check_export,
           check_failed_export, check_at_hand, check_toggle, check_text, check_scenario, check_bad_model,
           check_epsilon, check_play, check_sweep, check_bad_range, check_quit]


def check_bad_model_on_the_command_line(directory):
    """A bad model on the command line: the window shows the shipped one and says what was wrong."""
    empty = os.path.join(directory, "nothing-here")
    os.makedirs(empty)
    program = Program(directory, empty)
    try:
        program.await_node("label", "Could Not Open “nothing-here”.*")
        program.await_figure("3 × 3 panels")
        program.quit()
    finally:
        program.kill()


def run(number, name, function):
    start = time.monotonic()
    try:
        function()
    except Exception as error:
        for line in traceback.format_exc().splitlines():
            print("# " + line)
        print("not ok %d %s" % (number, name), flush=True)
        return False
    print("# %.1f s" % (time.monotonic() - start))
    print("ok %d %s" % (number, name), flush=True)
    return True


def run_on(program, check, directory):
    check(program, directory)
    program.check_says_nothing()


def run_session(prefix, session, others=()):
    """Runs checks on one program, each from where the last left it, and others that start their own.
    After one that fails, what is left is run on a program that begins anew."""
    directory = tempfile.mkdtemp(prefix="attention-grid-drive-")
    print("1..%d" % (len(session) + len(others)), flush=True)
    program = None
    n_failed = 0
    try:
        for i, check in enumerate([*session, *others]):
            name = prefix + check.__name__[len("check_"):].replace("_", "-")
            if check in others:
                # A second program would hand its files to the first.
                if program is not None:
                    program.kill()
                    program = None
                    shutil.rmtree(STATE, ignore_errors=True)
                is_good = run(i + 1, name, lambda: check(directory))
            else:
                program = program or Program(directory)
                is_good = run(i + 1, name, lambda: run_on(program, check, directory))
            if not is_good:
                n_failed += 1
                if program is not None:
                    program.kill()
                    program = None
                shutil.rmtree(STATE, ignore_errors=True)
    finally:
        if program is not None:
            program.kill()
        shutil.rmtree(directory)
    return 1 if n_failed > 0 else 0


if __name__ == "__main__":
    sys.exit(run_session("/app/drive/", SESSION, [check_bad_model_on_the_command_line]))
