#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later

"""Walks over everything that assistive technology is told of: the window in every preset, and every
dialog. Nothing there is without a name. Takes the program as its only argument; to be run by
under-display --bus --manager. Speaks TAP."""

import re
import sys

import drive

# How each is opened, and what shows that it is there.
DIALOGS = {
    "export": ("ctrl+e", "button", "Export…"),
    "preferences": ("ctrl+comma", "label", "New Studies"),
    "help": ("F1", "label", "Reading a map"),
    "shortcuts": ("ctrl+question", "label", "Open a model folder"),
}
POPOVERS = ["Menu", "View", "About this model", "More to open"]


# The window of shortcuts is GTK's: its own menu and its search button.
NAMELESS_IN_GTK = {"shortcuts": [("button", "GtkMenuButton"), ("button", "GtkImage")]}


def is_stuttered(name):
    """Whether it is said twice, by the label beside the widget and by the widget itself."""
    words = name.split()
    half = len(words) // 2
    return half > 0 and words[:half] == words[half:]


def check_nothing_is_misspoken(nodes, where):
    """The underscore of a mnemonic is no part of a name."""
    misspoken = [(role, name) for role, name, node in nodes
                 if role in drive.INTERACTIVE and ("_" in name or is_stuttered(name)) and
                 node.is_on_screen()]
    assert not misspoken, (where, misspoken)


def is_of_gtk(program, where, role, name):
    """In GTK 4.18 no item of a menu has a name, in its own demonstrations neither."""
    return (role, name) in NAMELESS_IN_GTK.get(where, []) or \
        (program.inset > 0 and role.endswith("menu item") and name == "")


def check_nothing_is_unnamed(program, where):
    nodes = list(program.nodes())
    check_nothing_is_misspoken(nodes, where)
    unnamed = [node for node in drive.find_unnamed(nodes)
               if not is_of_gtk(program, where, *node[:2])]
    assert not unnamed, (where, unnamed)


def check_presets(program, directory):
    program.key("F9")
    program.await_node("label", "No Cell Selected")
    for i, preset in enumerate(drive.PRESETS):
        program.key("ctrl+p", "Home", *["Down"] * i, "Return")
        program.await_rest()
        program.await_node("label", preset)
        check_nothing_is_unnamed(program, preset)
    program.key("F9")


def check_dialogs(program, directory):
    for name, (keys, role, mark) in DIALOGS.items():
        program.key(keys)
        program.await_node(role, mark)
        check_nothing_is_unnamed(program, name)
        program.dismiss(role, mark)
        program.focus(program.xid)


def check_fonts(program, directory):
    """The list of fonts that the button of the export dialog opens."""
    program.key("ctrl+e")
    program.await_node("button", "Export…")
    program.await_window("Export")
    program.key("alt+o", "space")
    program.await_node("list item", "Sans")
    check_nothing_is_unnamed(program, "fonts")
    program.dismiss("list item", "Sans")
    program.dismiss("button", "Export…")
    program.focus(program.xid)


def list_rows(program):
    """The rows of the palette that are listed, from the first to the last."""
    rows = [node for role, name, node in program.nodes() if role == "list item" and
            node.parent.name == "Actions" and node.is_on_screen()]
    return sorted(rows, key=lambda row: row.get_index())


def check_palette(program, directory):
    """Each row says what it does, and where it has a key or is of a kind, that stands beside it; it has a
    place in the list, and the one that Return chooses is selected."""
    program.key("ctrl+shift+p")
    program.await_node("text|entry", "Find an action")
    check_nothing_is_unnamed(program, "palette")
    rows = list_rows(program)
    names = [row.name for row in rows]
    assert len(rows) >= 5 and all(names), names
    assert [row.get_index() for row in rows] == list(range(len(rows)))
    selected = [row.name for row in rows if row.has_state("selected")]
    assert selected == names[:1], selected
    program.key("Down")
    drive.wait_for("the second row", lambda: rows[1].has_state("selected") and
                   not rows[0].has_state("selected"))
    program.type("most induction")
    drive.wait_for("what is found", lambda: [row.name for row in list_rows(program)] ==
                   ["Most induction-like head, Head"])
    # A preference is opened where it stands.
    program.key("ctrl+a")
    program.type("tokens of an answer")
    drive.wait_for("a preference", lambda: [row.name for row in list_rows(program)][:1] ==
                   ["Tokens of an answer, Computation"])
    program.key("Return")
    program.await_node("label", "New Studies")
    drive.wait_for("its field", lambda: program.find("spin button", "Tokens of an answer").has_state("focused"))
    program.dismiss("label", "New Studies")


def check_tokens(program, directory):
    """What the chips below an input say: their tokens in order; of one that is pointed at its number and text, and
    where its row looks."""
    program.key("ctrl+p", "Home", "Return")
    program.await_rest()
    chips = program.await_node("panel|grouping", "Tokens: <s> A .*")
    assert len(chips.name.split()) == 16, chips.name
    assert not chips.get_description(), chips.get_description()
    # Newer GTK does not tell where they are.
    if program.inset > 0:
        return
    x, y, width, height = program.rectangle(chips)
    program.move(x + 7, y + height - 8)
    program.move(x + 8, y + height - 8)
    drive.wait_for("its row", lambda: re.fullmatch(
        r"Coloured as in the figure; the largest: .* · \d+ “.*” → \d+ “.*”: [\d.]+.*",
        chips.get_description() or ""))
    program.park()
    drive.wait_for("plain chips", lambda: not chips.get_description())


def check_search(program, directory):
    program.key("ctrl+f")
    program.await_node("entry", "Find a token")
    check_nothing_is_unnamed(program, "search")
    program.key("Escape")


def check_popovers(program, directory):
    for name in POPOVERS:
        # Newer GTK has one more of the name around it, which takes no focus.
        program.click(drive.wait_for(name, lambda: next(
            (node for role, found, node in program.nodes()
             if found == name and role in ("button", "toggle button") and node.has_state("focusable")), None)))
        program.await_rest()
        check_nothing_is_unnamed(program, name)
        program.key("Escape")
        program.park()
        program.await_rest()


if __name__ == "__main__":
    # The window of shortcuts comes last: GTK goes on telling of its hundreds of widgets when it has closed.
    sys.exit(drive.run_session("/app/names/", [check_presets, check_fonts, check_palette, check_tokens, check_popovers,
                                               check_search, check_dialogs]))
