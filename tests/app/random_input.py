#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plays with the program at random: pointer, wheel and keys, 20 events a second from a seed. Speaks
TAP. To be run by under-display --bus --manager. Files that it asks for are chosen by file_portal.py. The run
is good if the program lives to the end, says nothing on standard error, does not grow, and keeps studies
that can be loaded.

    random_input.py PROGRAM [SECONDS [SEED [EVENTS_PER_SECOND]]]"""

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

from complaints import read_complaints

PROGRAM = os.path.abspath(sys.argv[1])
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 10
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 20261121
EVENTS_PER_SECOND = float(sys.argv[4]) if len(sys.argv) > 4 else 20
PATIENCE = 60
DRAG_PAUSE = 0.02

WIDTH, HEIGHT = 1280, 1024

# What closes the window or leaves the program is left out, and what hides it, for there is no task bar to
# bring it back; nothing else.
SETTINGS = """[Settings]
gtk-decoration-layout=menu:maximize
gtk-titlebar-right-click=none
"""
KEYS = """Tab shift+Tab Up Down Left Right Page_Up Page_Down Home End space Return Escape Delete
BackSpace plus minus 0 p r z m ctrl+z ctrl+shift+z ctrl+f ctrl+c F1 F9 F10 ctrl+n ctrl+o ctrl+s
ctrl+shift+s ctrl+e alt+Left alt+Right ctrl+comma ctrl+question ctrl+Up ctrl+Down alt+Up alt+Down
shift+Up shift+Down shift+Left shift+Right ctrl+a bracketleft bracketright braceleft braceright g h l L b
ctrl+l ctrl+h ctrl+i ctrl+p ctrl+g F3 ctrl+1 ctrl+shift+c ctrl+shift+o ctrl+v""".split()
WORDS = ["A rose", "the", " is ", "é", "λ", "1e-3", "0.5", "\\", "<s>", "L1 H2", "a rose is a rose " * 4]

# The growth that is no leak: caches fill, a sanitizer keeps what was freed for a while.
GROWTH_ALLOWED = 400e6
# A window more, for none is ever closed: its figure, its widgets and what belongs to them.
GROWTH_PER_WINDOW = 120e6


def drag(x, y):
    """With a moment before and after: GTK 4.8 does not expect that a button is up before it has begun to
    drag a text (gtk_text_drag_gesture_update)."""
    return ["mousedown", 1, "mousemove", x, y, "sleep", DRAG_PAUSE, "mousemove", x + 1, y, "sleep", DRAG_PAUSE,
            "mouseup", 1]


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
        return drag(x, y)
    if kind < 0.84:
        return ["keydown", "shift", *drag(x, y), "keyup", "shift"]
    if kind < 0.97:
        return ["key", chance.choice(KEYS)]
    return ["type", "--delay", 1, chance.choice(WORDS)]


def read_memory(pid):
    """Resident bytes."""
    with open("/proc/%d/statm" % pid) as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def write_settings(directory):
    """What GTK itself offers."""
    os.makedirs(os.path.join(directory, "gtk-4.0"))
    with open(os.path.join(directory, "gtk-4.0", "settings.ini"), "w") as settings:
        settings.write(SETTINGS)


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


def start_portal(directory):
    """What answers when the program asks for a file; it says when it does."""
    os.mkdir(directory)
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "file_portal.py")
    model = os.path.join(os.environ["ATTENTION_GRID_DATADIR"], "models", "rose")
    portal = subprocess.Popen([sys.executable, script, directory, model, str(SEED)], stdout=subprocess.PIPE)
    if portal.stdout.readline() != b"ready\n":
        raise SystemExit("Bail out! nobody answers questions for files")
    return portal


def check_studies(directory):
    """Whether each file that was saved, or that the kill left behind, holds a study."""
    for path in glob.glob(os.path.join(directory, "files", "*attention.json")):
        with open(path) as file:
            json.load(file)
    pattern = os.path.join(directory, "state", "attention-grid", "**", "*.autosave")
    for path in glob.glob(pattern, recursive=True):
        keys = GLib.KeyFile()
        keys.load_from_file(path, GLib.KeyFileFlags.NONE)
        json.loads(keys.get_string("Study", "json"))
    return True


def main():
    directory = tempfile.mkdtemp()
    log_path = os.path.join(directory, "log")
    # Complaints are read at the end; the first of them does not end the run.
    environment = dict(os.environ, G_DEBUG="", HOME=directory, XDG_CONFIG_HOME=directory,
                       XDG_STATE_HOME=os.path.join(directory, "state"), ATTENTION_GRID_STARTUP_TRACE="1",
                       GDK_DEBUG=",".join(filter(None, [os.environ.get("GDK_DEBUG"), "portals"])))
    write_settings(directory)
    portal = start_portal(os.path.join(directory, "files"))
    print("1..5")
    with open(log_path, "w") as log:
        process = subprocess.Popen([PROGRAM], stdout=log, stderr=log, env=environment,
                                   cwd=directory)
    await_first_figure(process, log_path)
    settled, final = play(process, random.Random(SEED))
    n_windows = count_windows()
    allowed = GROWTH_ALLOWED + GROWTH_PER_WINDOW * max(0, n_windows - 1)
    alive = process.poll() is None
    good = check(1, "lives", alive, "it ended with %s\n%s" % (process.returncode,
                                                             read_complaints(log_path)))
    good &= check(2, "stays-on-the-screen", not alive or n_windows > 0, "no window is left to play with")
    good &= check(3, "does-not-grow", not alive or final - settled < allowed,
                  "%.0f MB after a fifth, %.0f MB at the end" % (settled / 1e6, final / 1e6))
    print("# %.0f MB after a fifth of the time, %.0f MB at the end, with %d windows" %
          (settled / 1e6, final / 1e6, n_windows))
    if alive:
        process.send_signal(signal.SIGKILL)
        process.wait()
    portal.kill()
    complaints = read_complaints(log_path)
    good &= check(4, "says-nothing", complaints == "", complaints)
    good &= check(5, "leaves-studies", check_studies(directory))
    return 0 if good else 1


if not os.environ.get("DISPLAY"):
    print("1..0 # SKIP there is no display")
elif subprocess.run(["which", "xdotool"], stdout=subprocess.DEVNULL, check=False).returncode != 0:
    print("1..0 # SKIP xdotool is not installed")
else:
    sys.exit(main())
