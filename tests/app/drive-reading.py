#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the figure without a pointer, as a person does who has none, and then with one: cursor,
search, inspector, pins, regions, one panel alone, which rows are shown. Speaks TAP. Takes the
program as its only argument; to be run by under-display --bus --manager."""

import os
import re
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import drive
from drive import wait_for, xdotool


def press(program, key, text):
    """Presses a key and waits for what the figure says of it."""
    program.key(key)
    return program.await_figure(text)


def is_sensitive(node):
    return node.has_state("sensitive")


def check_cursor(program, directory):
    """Query, key, weight and rank of the cursor's cell are told as it moves."""
    press(program, "Down", "query 0 “<s>” → key 0 “<s>”: weight 1.000")
    press(program, "Down", "Input 1, Query: query 1 “A” → key 0 “<s>”")
    press(program, "Right", "query 1 “A” → key 1 “A”")
    text = program.read_figure()
    assert re.search(r"weight 0\.\d+ · baseline 0\.\d+ · difference .* · rank \d+ of 2", text), text
    press(program, "ctrl+Down", "query 11 “␣is” → key 1 “A”")
    press(program, "End", "masked: this query cannot attend to this key")
    press(program, "ctrl+Home", "query 0 “<s>” → key 0")
    press(program, "Tab", "Input 1, Key: query 0")
    press(program, "shift+Tab", "Input 1, Query: query 0")
    press(program, "ctrl+Next", "Input 2, Query: query 0")
    press(program, "Next", "Input 2, Query: query 14")


def check_search(program, directory):
    program.key("ctrl+f")
    program.await_node("entry", "Find a token")
    program.type("milk")
    program.await_node("label", "In 3 panels")
    program.key("Return")
    program.await_node("label", "1 of 2 in this panel")
    program.await_figure("Input 2, Query: query 6 “␣milk” → key 6 “␣milk”")
    program.key("F3")
    program.await_figure("query 13 “␣milk” → key 13 “␣milk”")
    program.key("shift+F3")
    program.await_figure("query 6 “␣milk”")
    program.key("ctrl+a")
    program.type("zebra")
    program.await_node("label", "Not found")
    program.key("Escape")
    wait_for("the search bar to go", 
             lambda: program.rectangle(program.figure)[1] == program.top)
    # The keyboard is the figure's again.
    press(program, "Home", "query 6 “␣milk” → key 0")


def check_inspector(program, directory):
    program.key("F9")
    program.await_node("label", "Query 6 “␣milk”")
    program.await_node("label", "Row 6 “␣milk”")
    program.await_node("label", "Column 0 “<s>”")
    row = program.await_node("image", "Weights of the row")
    wait_for("the row's weights", lambda: "0 <s>: 0." in row.get_description())
    program.key("shift+Down", "shift+Down")
    program.await_node("label", "3 Rows, Summed")
    program.await_figure("query 8")


def check_rows(program, directory):
    """Only the chosen rows, known by where they stand in the input; and back."""
    program.find("button", "Only the chosen rows").do_action(0)
    everything = program.find("button", "All rows")
    wait_for("the other rows to go", lambda: is_sensitive(everything))
    # The panel in the middle is a little above the middle of the figure, which has a caption below.
    x, y, width, height = program.rectangle(program.figure)
    xdotool("mousemove", "--window", program.xid, x + width // 2, y + height * 43 // 100,
            "click", 1)
    program.park()
    # The cursor went to where the click was; from there to the first row of those that are left.
    program.key("ctrl+Home")
    program.await_figure("Input 2, Key: query 6 “␣milk” → key 0")
    program.key("ctrl+z")
    wait_for("the other rows to be there", lambda: not is_sensitive(everything))
    # The same token goes on being read, wherever it stands among the rows.
    program.await_figure("Input 2, Key: query 6 “␣milk” → key 0")
    program.key("ctrl+Home")
    program.await_figure("query 0 “<s>” → key 0")


def check_pin(program, directory):
    program.key("Escape")
    press(program, "Down", "")
    program.key("ctrl+Home")
    program.await_figure("query 0 “<s>” → key 0")
    program.key("Down", "p")
    name = program.await_node("text", "Name of the region")
    wait_for("the pin's name", lambda: name.get_text() == "A → <s>")
    program.key("ctrl+z")
    wait_for("the pin to go", lambda: not program.find("text", "Name of the region"))
    program.key("ctrl+shift+z")
    program.await_node("text", "Name of the region")
    program.key("Delete")
    wait_for("the pin to go", lambda: not program.find("text", "Name of the region"))


def check_region(program, directory):
    """Drawn by keys, named, undone."""
    program.key("ctrl+Home")
    program.await_figure("query 0 “<s>” → key 0")
    program.key("r", "Return", "Down", "Down", "Right")
    program.await_figure("query 2 “␣rose” → key 1")
    program.key("Return", "Escape")
    name = program.await_node("text", "Name of the region")
    wait_for("the region's name", lambda: name.get_text() == "Region 1")
    program.await_node("label", "Mean 0\\.\\d+ · largest 1\\.000 · 5 cells")
    program.key("ctrl+z")
    wait_for("the region to go", lambda: not program.find("text", "Name of the region"))


def check_maximised(program, directory):
    """One panel alone, by keys, and back: where the last row of panels was there is the first."""
    x, y, width, height = program.rectangle(program.figure)
    last = next(place for text, place in sorted(program.sweep(9).items()) if "Input 3, Query" in text)
    program.move(*last)
    program.await_figure("Input 3, Query")
    program.park()
    program.await_figure("Input 1, Query")
    program.key("m")
    program.move(x + width * 0.3, y + height * 0.72)
    wait_for("a cell further down", lambda: re.search("Input 1, Query: query ([89]|1.) ",
                                                      program.read_figure()))
    program.park()
    program.key("Escape")
    program.move(*last)
    program.await_figure("Input 3, Query")
    program.park()


def check_views(program, directory):
    """Back and forward through what was shown."""
    x, y, width, height = program.rectangle(program.figure)
    program.move(x + width * 0.4, y + height * 0.2)
    program.await_figure("→")
    program.await_rest()
    before = program.read_figure()
    program.key("ctrl+1")
    for _ in range(8):
        xdotool("click", 4)
    program.move(x + width * 0.4 - 20, y + height * 0.2 - 15)
    program.await_node("button", ".* · Fit")
    program.await_rest()
    zoomed = program.read_figure()
    program.key("ctrl+0")
    wait_for("the whole figure", lambda: program.read_figure() != zoomed)
    program.await_rest()
    fit = program.read_figure()
    program.key("alt+Left")
    program.await_figure(zoomed)
    program.key("alt+Right")
    program.await_figure(fit)
    program.move(x + width * 0.4, y + height * 0.2)
    program.await_figure(before)
    program.park()


def check_quit(program, directory):
    """With everything undone there is nothing to ask about."""
    while True:
        if not is_sensitive(program.find("button", "Undo")):
            break
        program.key("ctrl+z")
        time.sleep(0.1)
    program.quit()


SESSION = [check_cursor, check_search, check_inspector, check_rows, check_pin, check_region,
           check_maximised, check_views, check_quit]


if __name__ == "__main__":
    sys.exit(drive.run_session("/app/drive-reading/", SESSION))
