#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is at hand in the window from the start, as one finds it with assistive technology and with
the keyboard: the strip of every preset, and how many actions a reading takes."""

import re
import sys
import threading

import drive
from gi.repository import Gio, GLib
from drive import Program, is_inside, wait_for

COMPONENTS = [("check box", "Query"), ("check box", "Key"), ("check box", "Value")]
PLACE = [("button|toggle button", "Layer"), ("button|toggle button", "Head"),
         ("button|toggle button", "Baseline")]
# Each of its cells is a change by itself.
MAPS = ["Patch Map"]
NOTE = ("label", "Each cell of this figure is computed by itself.*")
SCALE = ("button|toggle button", "Scale")
SLIDER = ("slider", "ε.*")


def find_inside(program, wanted):
    """Those of it that show and lie inside the window."""
    nodes = list(program.nodes())
    return [next((node for node_role, node_name, node in nodes
                  if re.fullmatch(role, node_role) and re.fullmatch(name, node_name) and
                  node.is_on_screen() and is_inside(program, node)), None)
            for role, name in wanted]


def has_strip(program, place, wanted):
    """Chooses the preset anew where its strip is not there yet: a key may come while a list opens. Looks
    at the tree once for all."""
    preset = drive.PRESETS[place]
    # Newer GTK tells of the page that shows alone, which is the other one once ε is there.
    name = ("label", preset + r"( \(changed\))?")
    *found, slider = find_inside(program, [name, *wanted, SLIDER])
    if not all(found):
        program.key("Escape")
        program.key("ctrl+p", "Home", *["Down"] * place, "Return")
    elif preset not in MAPS and not slider:
        program.key("2")
    return all(found) and (preset in MAPS or slider is not None)


def check_strip_of_every_preset(program, directory):
    """Components, layer, head and baseline at once, ε on a slider or a key away where there is one."""
    for width, height in [(1280, 860), (800, 600)]:
        program.resize(width, height)
        for place, preset in enumerate(drive.PRESETS):
            wanted = COMPONENTS + PLACE
            wanted += [NOTE] if preset in MAPS else []
            wait_for("the strip of " + preset, lambda: has_strip(program, place, wanted))
    program.resize(1280, 860)
    program.key("ctrl+p", "Home", "Return")
    program.await_figure("3 × 3 panels")


INTRODUCTION = ("label", "Each row: .*")


def check_introduction(program, directory):
    """What one sees is said at once, and no more after the first action."""
    assert find_inside(program, [INTRODUCTION])[0]
    program.key("k")
    program.await_figure("3 × 1 panels")
    wait_for("the introduction to go", lambda: not find_inside(program, [INTRODUCTION])[0])
    program.key("ctrl+z")
    program.await_figure("3 × 3 panels")
    assert not find_inside(program, [INTRODUCTION])[0]


def check_head_by_a_key(program, directory):
    title = program.find("label", r"L\d+ H\d+ · .* · .*")
    head = int(re.search(r"H(\d+)", title.get_name()).group(1))
    program.key("bracketleft")
    program.await_node("label", r"L\d+ H%d · .*" % (head - 1))
    program.key("ctrl+z")
    program.await_node("label", r"L\d+ H%d · .* · .*" % head)


def count_pills(program):
    """The button that holds the baseline, and what says that it is shown."""
    return sum(name == "Baseline" and role == "label" and node.is_on_screen()
               for role, name, node in program.nodes())


def check_baseline_by_a_key(program, directory):
    before = count_pills(program)
    drive.xdotool("keydown", "b")
    wait_for("the baseline", lambda: count_pills(program) > before)
    drive.xdotool("keyup", "b")
    wait_for("the figure", lambda: count_pills(program) == before)


def is_checked(program, name):
    return program.await_node("check box", name).has_state("checked")


def check_key_alone_by_a_click(program, directory):
    """With Ctrl a component is the only one that is meaned."""
    program.await_figure("3 × 3 panels")
    key = program.await_node("check box", "Key")
    drive.xdotool("keydown", "ctrl")
    try:
        program.click(key)
    finally:
        drive.xdotool("keyup", "ctrl")
    program.await_figure("3 × 1 panels")
    assert [is_checked(program, name) for name in ("Query", "Key", "Value")] == [False, True, False]
    program.key("ctrl+z")
    program.await_figure("3 × 3 panels")


def check_key_alone_by_a_key(program, directory):
    """K means the keys alone, Shift+Q the queries, too; 2 scales and 1 means again."""
    program.key("k")
    program.await_figure("3 × 1 panels")
    assert [is_checked(program, name) for name in ("Query", "Key", "Value")] == [False, True, False]
    program.key("shift+q")
    program.await_figure("3 × 2 panels")
    assert [is_checked(program, name) for name in ("Query", "Key", "Value")] == [True, True, False]
    program.key("2")
    wait_for("ε", lambda: find_inside(program, [SLIDER])[0])
    program.key("1")
    wait_for("the axis of the mean", lambda: find_inside(program, [("button|toggle button", "Tokens")])[0])
    for _ in range(4):
        program.key("ctrl+z")
    program.await_figure("3 × 3 panels")


def check_epsilon_by_a_key(program, directory):
    """E and a number: two actions from any operation."""
    program.key("e")
    entry = program.await_node("text", "ε( of column 1)?")
    wait_for("the focus", lambda: entry.has_state("focused"))
    program.key("0", "period", "7", "Return")
    wait_for("ε = 0.7", lambda: entry.get_text() == "0.7")
    program.click(program.figure)
    program.park()
    program.key("Escape")
    for _ in range(2):
        program.key("ctrl+z")
    program.await_figure("3 × 3 panels")


def is_near(value):
    """Within 2 % of 0.7."""
    return abs(value / 0.7 - 1) < 0.02


def check_epsilon_by_hand(program, directory):
    """A click on its number and the typed number; and a drag, pixel by pixel."""
    program.click(wait_for("Scale", lambda: find_inside(program, [SCALE])[0]))
    entry = program.await_node("text", "ε( of column 1)?")
    slider = program.await_node("slider", "ε( of column 1)?, slider")

    def read():
        return 10 ** slider.get_value()
    program.click(entry)
    program.type("0.7")
    program.key("Return")
    wait_for("the typed ε", lambda: is_near(read()))
    program.key("ctrl+z")
    wait_for("ε as it was", lambda: not is_near(read()))
    # Newer GTK does not tell where a slider is.
    if program.inset > 0:
        return
    x, y, width, height = program.rectangle(slider)
    program.move(x + width // 2, y + height // 2)
    drive.xdotool("mousedown", 1)
    try:
        for distance in range(1, 200):
            before = read()
            if is_near(before):
                break
            drive.xdotool("mousemove_relative", "--", 1 if before < 0.7 else -1, 0)
            drive.is_soon(lambda: read() != before, 1)
    finally:
        drive.xdotool("mouseup", 1)
    assert is_near(read()) and is_near(float(entry.get_text())), (read(), entry.get_text())
    program.park()


def check_own_sentence(program, directory):
    """All of its 60 tokens are shown: the last cell is that of the last two."""
    entry = program.await_node("text", "Input 1")
    entry.set_text("A rose" + " is a rose" * 19)
    program.await_node("label", "60 tokens")
    program.click(program.figure)
    program.park()
    # From nowhere the keyboard begins in the first panel.
    program.key("Escape")

    def is_last():
        program.key("ctrl+End")
        return drive.is_soon(lambda: "query 59 “␣rose” → key 59 “␣rose”" in program.read_figure(), 1)
    wait_for("the last of 60 tokens", is_last)


SETTINGS = Gio.DBusNodeInfo.new_for_xml("""<node><interface name="org.freedesktop.portal.Settings">
<method name="Read"><arg type="s" direction="in"/><arg type="s" direction="in"/>
<arg type="v" direction="out"/></method></interface></node>""").interfaces[0]
VALUES = {"color-scheme": GLib.Variant("u", 1), "accent-color": GLib.Variant("(ddd)", (1, 0, 0))}


def answer(bus, sender, path, interface, method, parameters, invocation):
    value = VALUES[parameters.unpack()[1]]
    invocation.return_value(GLib.Variant("(v)", (GLib.Variant("v", value),)))


def count_pixels(program, fits):
    picture = b"".join(drive.read_pixels(program))
    return sum(fits(*picture[i:i + 3]) for i in range(0, len(picture), 3 * 7))


def check_desktop_is_followed(directory):
    """What the settings of the desktop say: dark, and what is chosen in red."""
    context = GLib.MainContext()
    loop = GLib.MainLoop(context)

    def serve():
        context.push_thread_default()
        bus = Gio.bus_get_sync(Gio.BusType.SESSION, None)
        bus.register_object("/org/freedesktop/portal/desktop", SETTINGS, answer, None, None)
        Gio.bus_own_name_on_connection(bus, "org.freedesktop.portal.Desktop",
                                       Gio.BusNameOwnerFlags.NONE, None, None)
        loop.run()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    program = Program(directory)
    try:
        wait_for("a dark window", lambda: count_pixels(
            program, lambda r, g, b: r < 70 and g < 70 and b < 70) > 10000)
        wait_for("what is chosen in red", lambda: count_pixels(
            program, lambda r, g, b: r > 200 and 90 < g < 150 and 90 < b < 150) > 50)
        program.quit()
    finally:
        program.kill()
        loop.quit()
        thread.join()


SESSION = [check_introduction, check_head_by_a_key, check_baseline_by_a_key, check_key_alone_by_a_click,
           check_key_alone_by_a_key, check_epsilon_by_a_key,
           check_epsilon_by_hand, check_strip_of_every_preset, check_own_sentence]

if __name__ == "__main__":
    sys.exit(drive.run_session("/app/at-hand/", SESSION, [check_desktop_is_followed]))
