#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plays with the program at random: pointer, wheel and keys, 20 events a second from a seed. Speaks
TAP. To be run by under-xvfb. The run is good if the program lives to the end, says nothing on
standard error, does not grow, and keeps a study that can be loaded.

    random_input.py PROGRAM [SECONDS [SEED]]"""

import collections
import glob
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

try:
    from gi.repository import GLib
except ImportError:
    print("1..0 # SKIP the introspection data of GLib is not installed")
    sys.exit(0)

PROGRAM = os.path.abspath(sys.argv[1])
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 10
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 20261121
EVENTS_PER_SECOND = 20
PATIENCE = 60

WIDTH, HEIGHT = 1280, 1024

# What closes the window or leaves the program is left out, and nothing else.
KEYS = """Tab shift+Tab Up Down Left Right Page_Up Page_Down Home End space Return Escape Delete
BackSpace plus minus 0 p r z m ctrl+z ctrl+shift+z ctrl+f ctrl+c F1 F9 F10 ctrl+n ctrl+o ctrl+s
ctrl+shift+s ctrl+e alt+Left alt+Right ctrl+comma ctrl+question ctrl+Up ctrl+Down alt+Up alt+Down
shift+Up shift+Down ctrl+a""".split()
WORDS = ["A rose", "the", " is ", "é", "λ", "1e-3", "0.5", "\\", "<s>"]

OFF_SCREEN = "gdk_monitor_get_geometry: assertion 'GDK_IS_MONITOR (monitor)'"
# A slip only where it follows OFF_SCREEN.
NO_ROOM = "gtk_widget_size_allocate(): attempt to allocate GtkBox"

# What GTK 4.8 says of itself, each with how it comes about. None of our code stands between it and the
# event, as a debugger shows. Counted, not failed upon.
SLIPS_OF_GTK = {
    "Broken accounting of active state":
        "a button is held while a popover opens above what was pressed, or what was pressed goes",
    "gdk_surface_get_device_position: assertion":
        "a surface that has just gone is asked where the pointer is",
    "gtk_css_node_insert_after: assertion 'previous_sibling == NULL":
        "a child of a widget of GTK is put beside one that is on its way out",
    OFF_SCREEN:
        "a popover opens while its window lies off the screen, where there is no monitor",
    NO_ROOM:
        "the same popover, for which there is less than no room",
}

# The growth that is no leak: caches fill, a sanitizer keeps what was freed for a while.
GROWTH_ALLOWED = 400e6
# A window more, for none is ever closed: its figure, its widgets and what belongs to them.
GROWTH_PER_WINDOW = 120e6


def choose_event(chance):
    """One event as words of xdotool; a person mostly moves, clicks and scrolls."""
    x, y = chance.randrange(WIDTH), chance.randrange(HEIGHT)
    kind = chance.random()
    if kind < 0.35:
        return ["mousemove", x, y]
    if kind < 0.55:
        return ["mousemove", x, y, "click", chance.choice([1, 1, 1, 1, 2, 3])]
    if kind < 0.7:
        return ["click", chance.choice([4, 5])]
    if kind < 0.8:
        return ["mousedown", 1, "mousemove", x, y, "mouseup", 1]
    if kind < 0.84:
        return ["keydown", "shift", "mousedown", 1, "mousemove", x, y, "mouseup", 1, "keyup", "shift"]
    if kind < 0.97:
        return ["key", chance.choice(KEYS)]
    return ["type", "--delay", 1, chance.choice(WORDS)]


def read_memory(pid):
    """Resident bytes."""
    with open("/proc/%d/statm" % pid) as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def count_windows():
    """Those of the program that hold a study."""
    found = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "Attention Grid"],
                           capture_output=True, text=True, check=False)
    return len(found.stdout.split())


def check(number, what, verdict, complaint=""):
    print("%s %d /app/random-input/%s" % ("ok" if verdict else "not ok", number, what))
    if not verdict and complaint:
        print("\n".join("# " + line for line in complaint.splitlines()[:40]))
    sys.stdout.flush()
    return verdict


def await_first_figure(process, log_path):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        with open(log_path) as log:
            if "first figure" in log.read():
                return
        time.sleep(0.05)
    raise SystemExit("Bail out! no figure was painted")


def play(process, chance):
    """Returns the resident bytes after a fifth of the time, and at the end."""
    start = time.monotonic()
    settled = 0
    n_events = 0
    while time.monotonic() - start < SECONDS and process.poll() is None:
        words = choose_event(chance)
        subprocess.run(["xdotool", *map(str, words)], check=False, stderr=subprocess.DEVNULL)
        n_events += 1
        if settled == 0 and time.monotonic() - start > SECONDS / 5:
            settled = read_memory(process.pid)
        pause = start + n_events / EVENTS_PER_SECOND - time.monotonic()
        if pause > 0:
            time.sleep(pause)
    time.sleep(1)
    print("# %d events in %.0f s, seed %d" % (n_events, time.monotonic() - start, SEED))
    return settled, read_memory(process.pid) if process.poll() is None else 0


def read_lines(log_path):
    """What was said on standard error, but for the first figure."""
    with open(log_path, errors="replace") as log:
        return [line for line in log if line.strip() and "first figure" not in line]


def sort_lines(log_path):
    """What was said, and how often GTK said each thing of itself."""
    complaints = []
    counts = collections.Counter()
    previous = None
    for line in read_lines(log_path):
        slip = next((slip for slip in SLIPS_OF_GTK if slip in line), None)
        if slip == NO_ROOM and previous not in (OFF_SCREEN, NO_ROOM):
            slip = None
        previous = slip
        if slip is None:
            complaints.append(line)
        else:
            counts[slip] += 1
    return "".join(complaints), counts


def print_slips(counts):
    for slip, count in counts.most_common():
        print("# passed over %d times: “%s” (%s)" % (count, slip, SLIPS_OF_GTK[slip]))


def check_autosave(directory):
    """Whether each file that the kill left behind holds a study."""
    pattern = os.path.join(directory, "state", "attention-grid", "**", "*.autosave")
    for path in glob.glob(pattern, recursive=True):
        keys = GLib.KeyFile()
        keys.load_from_file(path, GLib.KeyFileFlags.NONE)
        json.loads(keys.get_string("Study", "json"))
    return True


def main():
    directory = tempfile.mkdtemp()
    log_path = os.path.join(directory, "log")
    # Complaints are read at the end, so that one of GTK's own does not end the run.
    environment = dict(os.environ, G_DEBUG="", HOME=directory, XDG_STATE_HOME=os.path.join(directory, "state"),
                       ATTENTION_GRID_STARTUP_TRACE="1")
    print("1..4")
    with open(log_path, "w") as log:
        process = subprocess.Popen([PROGRAM], stdout=log, stderr=log, env=environment,
                                   cwd=directory)
    await_first_figure(process, log_path)
    settled, final = play(process, random.Random(SEED))
    allowed = GROWTH_ALLOWED + GROWTH_PER_WINDOW * max(0, count_windows() - 1)
    alive = process.poll() is None
    good = check(1, "lives", alive, "it ended with %s\n%s" % (process.returncode,
                                                             sort_lines(log_path)[0]))
    good &= check(2, "does-not-grow", not alive or final - settled < allowed,
                  "%.0f MB after a fifth, %.0f MB at the end" % (settled / 1e6, final / 1e6))
    print("# %.0f MB after a fifth of the time, %.0f MB at the end, with %d windows" %
          (settled / 1e6, final / 1e6, count_windows()))
    if alive:
        process.send_signal(signal.SIGKILL)
        process.wait()
    complaints, slips = sort_lines(log_path)
    print_slips(slips)
    good &= check(3, "says-nothing", complaints == "", complaints)
    good &= check(4, "leaves-a-study", check_autosave(directory))
    return 0 if good else 1


if not os.environ.get("DISPLAY"):
    print("1..0 # SKIP there is no display")
elif subprocess.run(["which", "xdotool"], stdout=subprocess.DEVNULL, check=False).returncode != 0:
    print("1..0 # SKIP xdotool is not installed")
else:
    sys.exit(main())
