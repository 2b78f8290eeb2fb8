#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the command to the first painted figure, and the memory that is resident then, beside a window with nothing in it:
bench-start.py PROGRAM EMPTY_WINDOW

The program says itself when its figure stood on the screen. Needs Xvfb; a cold start also needs the right
to empty the system's cache of files.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from figures import report

WARM_RUNS, COLD_RUNS = 9, 3
CACHES = "/proc/sys/vm/drop_caches"


def start_display():
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x1024x24", "-nolisten", "tcp"],
        pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as pipe:
        number = pipe.readline().strip()
    return server, ":" + number


def get_memory(pid, field):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(rf"^{field}:\s*(\d+)", file.read(), re.M).group(1)) * 1.024e-3


def run_once(program, environment):
    """Milliseconds to the figure; MB resident a second later: all, and what is the process's own."""
    process = subprocess.Popen([program], env=environment, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    try:
        for line in process.stderr:
            found = re.search(r"first figure after (\d+) ms", line)
            if found:
                time.sleep(1.0)
                return (int(found.group(1)), get_memory(process.pid, "VmRSS"),
                        get_memory(process.pid, "RssAnon"))
        sys.exit(f"{program}: no first figure was reported")
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def main():
    program, empty = sys.argv[1:]
    if not shutil.which("Xvfb"):
        print(json.dumps({"group": "start", "note": "Not run: Xvfb is not installed."}))
        return
    server, display = start_display()
    home = tempfile.mkdtemp()
    environment = dict(os.environ, DISPLAY=display, GDK_BACKEND="x11", GSK_RENDERER="cairo", HOME=home,
                       XDG_CONFIG_HOME=home, XDG_DATA_HOME=home, XDG_CACHE_HOME=home, GTK_A11Y="none",
                       GSETTINGS_BACKEND="memory", DBUS_SESSION_BUS_ADDRESS="disabled:",
                       ATTENTION_GRID_STARTUP_TRACE="1")
    environment.pop("WAYLAND_DISPLAY", None)
    try:
        run_once(program, environment)
        run_once(empty, environment)
        runs = [(run_once(program, environment), run_once(empty, environment)) for _ in range(WARM_RUNS)]
        warm = [run[0] for run in runs]
        report("start", "warm start to the first figure of the shipped model", "ms", [w[0] for w in warm], "700 ms")
        report("start", "the same beside an empty window", "ms", [w[0] for w in warm], "1.8 x",
               [run[1][0] for run in runs], "an empty GTK window")
        report("start", "resident memory after it, all", "MB", [w[1] for w in warm])
        report("start", "resident memory after it, without files", "MB", [w[2] for w in warm])
        if not os.access(CACHES, os.W_OK):
            print(json.dumps({"group": "start", "note": "No cold start: only root can empty the caches."}))
            return
        cold = []
        for _ in range(COLD_RUNS):
            os.sync()
            with open(CACHES, "w", encoding="ascii") as file:
                file.write("3")
            cold.append(run_once(program, environment)[0])
        report("start", "cold start, nothing of any file in memory", "ms", cold)
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(home, ignore_errors=True)


main()
