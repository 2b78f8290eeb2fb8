#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a table of what the benchmarks printed: report.py LOG... [--narrow LOG] [--record RESULTS.md]

LOG is meson's testlog.json, or a file of such JSON lines. --narrow is that of the same benchmarks with AVX2 alone,
on a processor that has AVX-512: its figures stand beside the others. --record puts the groups that were measured,
each with a description of the machine, between the marks in RESULTS.md and leaves the other groups as they are.
What stood beside a group from peers.py goes, unless it was measured again.
"""

import argparse
import datetime
import json
import os
import re
import subprocess
import sys

BEGIN, END = "<!-- begin of the figures -->", "<!-- end of the figures -->"


def read_lines(text):
    for line in text.splitlines():
        if not line.startswith("{"):
            continue
        item = json.loads(line)
        if "stdout" in item:
            yield from read_lines(item["stdout"])
        elif "group" in item:
            yield item
        elif item.get("result") not in (None, "OK"):
            sys.exit(f"benchmark {item.get('name')}: {item['result']}")


def run(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def describe_machine():
    with open("/proc/cpuinfo") as file:
        model = re.search(r"model name\s*:\s*(.*)", file.read())
    with open("/proc/meminfo") as file:
        memory = int(file.readline().split()[1]) / 2**20
    load = os.getloadavg()
    blas = run("pkg-config", "--modversion", "openblas")
    compiler = run("cc", "-dumpfullversion")
    return (f"{datetime.date.today()}, {model.group(1) if model else 'unknown processor'}, "
            f"{os.cpu_count()} cores, {memory:.0f} GiB, Linux {os.uname().release.split('-')[0]}, "
            f"OpenBLAS {blas}, cc {compiler}; load at the end {load[0]:.1f}, "
            f"over the last quarter of an hour {load[2]:.1f}.")


def spread(values, unit=""):
    number = lambda v: f"{v:.3g}" if abs(v) < 1000 else f"{v:,.0f}"
    return f"{number(values['median'])}{unit} ({number(values['min'])}–{number(values['max'])})"


def judge(item):
    bound = item.get("bound")
    if not bound:
        return ""
    number, unit = bound.split()
    found = item["ratio"]["median"] if unit == "x" else item["value"]["median"]
    return f"≤ {number} {'×' if unit == 'x' else unit}: " + ("met" if found <= float(number) else "**not met**")


def list_ratio(item):
    return [spread(item["ratio"]) if "ratio" in item else "", judge(item)]


def make_row(cells):
    return "| " + " | ".join(cells) + " |"


def build_sections(items, narrow):
    """Returns the text of each group, by its name. @narrow: the figures with AVX2 alone, by name."""
    peers = {item["peer_of"]: item for item in items if "peer_of" in item}
    machine = describe_machine()
    sections, groups = {}, []
    for item in items:
        if item["group"] not in groups and "peer_of" not in item:
            groups.append(item["group"])
    for group in groups:
        own = [item for item in items if item["group"] == group]
        figures = [item for item in own if "value" in item and "peer_of" not in item]
        lines = [machine, ""]
        frames = [item for item in figures if "paint" in item]
        figures = [item for item in figures if "paint" not in item]
        if frames:
            lines += ["| what | steps | median (min–max) | 95 % | painting, median | 95 % | frames | dropped |",
                      "|---|---|---|---|---|---|---|---|"]
        for item in frames:
            lines.append(f"| {item['name']} | {item['runs']} | {spread(item['value'], ' ms')} | "
                         f"{item['p95']:.3g} ms | {item['paint']['median']:.3g} ms | "
                         f"{item['paint']['p95']:.3g} ms | {item['frames']} | {item['dropped']} |")
        if figures:
            columns = ["figure", "runs", "median (min–max)", "limit", "ratio to it", "promised"]
            has_narrow = any(item["name"] in narrow for item in figures)
            if has_narrow:
                columns += ["AVX2: median (min–max)", "ratio", "promised"]
            columns += ["peer", "peer ÷ ours"]
            lines += [make_row(columns), "|---" * len(columns) + "|"]
        for item in figures:
            peer = peers.get(item["name"])
            limit = f"{spread(item['limit'])} {item['limit_name']}" if "limit" in item else ""
            cells = [item["name"], str(item["runs"]), spread(item["value"], " " + item["unit"]), limit,
                     *list_ratio(item)]
            if has_narrow:
                other = narrow.get(item["name"])
                cells += [spread(other["value"], " " + other["unit"]), *list_ratio(other)] if other else ["", "", ""]
            lines.append(make_row(cells + [
                spread(peer["value"], " " + peer["unit"]) if peer else "",
                f"{peer['value']['median'] / item['value']['median']:.3g}" if peer else ""]))
        for item in own:
            if "note" in item:
                lines += ["", item["note"]]
        sections[group] = "\n".join(lines)
    return sections


def read_sections(table):
    """Reads what build_sections() made, joined by join_sections()."""
    pieces = re.split(r"^### (\w+)\n", table, flags=re.MULTILINE)
    return {name: text.strip() for name, text in zip(pieces[1::2], pieces[2::2])}


def join_sections(sections):
    return "\n\n".join(f"### {name}\n\n{text}" for name, text in sections.items())


def read_logs(paths):
    items = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            items += read_lines(file.read())
    return items


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("logs", nargs="+")
    parser.add_argument("--narrow", action="append", default=[])
    parser.add_argument("--record")
    options = parser.parse_args()
    narrow = {item["name"]: item for item in read_logs(options.narrow) if "value" in item}
    sections = build_sections(read_logs(options.logs), narrow)
    print(join_sections(sections))
    if options.record:
        with open(options.record, encoding="utf-8") as file:
            text = file.read()
        head, rest = text.split(BEGIN)
        table, tail = rest.split(END)
        table = join_sections(read_sections(table) | sections)
        with open(options.record, "w", encoding="utf-8") as file:
            file.write(f"{head}{BEGIN}\n{table}\n{END}{tail}")


main()
