#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later

"""check-house.py SOURCE BUILD: whether the folders of src are as HACKING.md says.

A folder has at most MOST_FILES files directly in it. No files of a library call one another in a
circle. The rooms of the libraries in DIRECTED are listed from the lowest up, and include no header
of a higher one.
What a library may include is listed in src/meson.build: a header of any other is not found when a
file is compiled as that library's are. Files, folders and functions that HACKING.md names exist, and each
checkpoint made for the tests is named by one. Prints TAP.
"""

import ast
import fnmatch
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

MOST_FILES = 30
DIRECTED = ("cli", "core", "study")

# What opens a file by its name. core/files does it for all: regular files only, with a limit, none that
# is waited for; and format/json for JSON, which a depth is bound to.
OPENERS = re.compile(
    r"\b(g_file_get_contents|g_mapped_file_new|g_file_load_\w+|g_file_read(_async)?|g_fopen|fopen|"
    r"json_parser_load_from_(file|mapped_file)|g_key_file_load_from_(file|dirs|data_dirs)|"
    r"g_bookmark_file_load_from_(file|data_dirs)|gdk_pixbuf_new_from_file\w*|"
    r"gtk_css_provider_load_from_(file|path)|archive_read_open_file\w*) \(")
MAY_OPEN = {
    "core/attn-memory.c": "files of the kernel",
    "core/files/attn-save.c": "a draft of its own",
    "app/attn-startup.c": "a file of the kernel",
    "app/sidebar/attn-inputs-reader.c": "what the user has chosen, on whatever GIO has; its kind and "
                                        "size are asked before",
}

# What writes to a terminal. A message may hold words of a file, and these commands for the terminal: in the
# command line one function shows them, on each of both ways out.
WRITERS = re.compile(r"\b(g_printerr|g_print|printf|puts|putchar|perror|(?:v?fprintf|fputs|fputc|putc|fwrite) "
                     r"\([^;]*\b(?:stdout|stderr)\b|write \((?:STDOUT_FILENO|STDERR_FILENO))")
MAY_WRITE = {
    "cli/attn-cli-common.c": "shows what a terminal would obey",
    "cli/attn-cli-output.c": "a file, where - stands for its name",
    "mpi/main-mpi.c": "words of its own",
}


def folders_with_too_many_files(source):
    for folder, _, files in os.walk(os.path.join(source, "src")):
        if len(files) > MOST_FILES:
            yield f"{os.path.relpath(folder, source)}: {len(files)} files, expected at most {MOST_FILES}"


def files_opened_otherwise(source):
    top = os.path.join(source, "src")
    for folder, _, names in os.walk(top):
        for name in sorted(names):
            path = os.path.join(folder, name)
            short = os.path.relpath(path, top)
            if not name.endswith((".c", ".h")) or short in MAY_OPEN:
                continue
            with open(path, encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    match = OPENERS.search(line)
                    if match and not line.lstrip().startswith("*"):
                        yield f"{short}:{number}: {match[1]} found, expected attn_file_read() or the like"


def messages_written_otherwise(source):
    top = os.path.join(source, "src")
    for folder in ("cli", "mpi"):
        for path in sorted(glob.glob(os.path.join(top, folder, "**", "*.c"), recursive=True)):
            short = os.path.relpath(path, top)
            with open(path, encoding="utf-8") as file:
                code = re.sub(r"/\*.*?\*/", lambda match: "\n" * match[0].count("\n"), file.read(), flags=re.DOTALL)
            for match in WRITERS.finditer(code) if short not in MAY_WRITE else []:
                number = code.count("\n", 0, match.start()) + 1
                yield f"{short}:{number}: {match[1].split()[0]} found, expected attn_cli_note() or attn_cli_print()"


# In HACKING.md: a file or folder of the sources, or, with parentheses behind it, a function.
NAMED = re.compile(r"`([\w./*-]+)(\(\))?`")
NAMES_A_FILE = re.compile(r"((src|tests|data|po|ui)/|attn-).*|.*\.([chj1]|js|py|sh|ui|css|html|json|in|md|build|supp)")
PLACEHOLDER = re.compile(r"\b(NAME|CODE)\b")


def names_that_are_gone(source):
    paths, code = set(), []
    for top in ("src", "tests", "data", "po", "ui"):
        for folder, _, names in os.walk(os.path.join(source, top)):
            paths.add(os.path.relpath(folder, source))
            for name in names:
                paths.add(os.path.relpath(os.path.join(folder, name), source))
                if name.endswith((".c", ".h", ".js", ".py")):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        code.append(file.read())
    paths.update(os.listdir(source))
    functions = set(re.findall(r"(\w+) ?\(", "\n".join(code)))
    with open(os.path.join(source, "HACKING.md"), encoding="utf-8") as file:
        named = NAMED.findall(file.read())
    for name, call in named:
        if PLACEHOLDER.search(name):
            continue
        if call and name not in functions:
            yield f"HACKING.md: {name}() found, expected a function that there is"
        if not call and NAMES_A_FILE.fullmatch(name) and \
           not any(fnmatch.fnmatch("/" + path, f"*{name}") or fnmatch.fnmatch(path, f"*/{name}.c") for path in paths):
            yield f"HACKING.md: {name} found, expected a file or folder that there is"


def fixtures_without_test(source):
    tests = os.path.join(source, "tests")
    code = []
    for folder, _, names in os.walk(tests):
        for name in names if not folder.endswith("generators") else []:
            if name.endswith((".c", ".h", ".py")):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    code.append(file.read())
    named = set(re.findall(r'"([\w.-]+)"', "\n".join(code)))
    for path in sorted(glob.glob(os.path.join(tests, "model", "**", "*config.json"), recursive=True)):
        folder = os.path.dirname(path)
        if os.path.basename(folder) not in named:
            yield f"{os.path.relpath(folder, source)}: no test found, expected one that names it"


def symbols(archive):
    """Of each object in a static library: the functions that it defines and those that it needs."""
    output = subprocess.run(["nm", "--format=posix", "-A", archive], check=True, capture_output=True,
                            text=True).stdout
    objects = {}
    for line in output.splitlines():
        match = re.match(r".*[\[(](\S+)\.o[\])]: (\S+) (\w)|.*?([^/:]+)\.o: (\S+) (\w)", line)
        if not match:
            continue
        name, symbol, kind = match.group(1, 2, 3) if match.group(1) else match.group(4, 5, 6)
        defined, needed = objects.setdefault(os.path.basename(name), (set(), set()))
        if kind == "U":
            needed.add(symbol)
        elif kind.isupper() or kind == "i":
            defined.add(symbol)
    return objects


def circles(arrows):
    """The strongly connected components of more than one node (Tarjan 1972)."""
    order, low, stack, found = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in arrows[node]:
            if other not in order:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], order[other])
        if low[node] == order[node]:
            component = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(component) > 1:
                found.append(sorted(component))

    for node in sorted(arrows):
        if node not in order:
            visit(node)
    return found


def circles_of_library(archive):
    objects = symbols(archive)
    home = {symbol: name for name, (defined, _) in objects.items() for symbol in defined}
    arrows = {name: {home[symbol] for symbol in needed if symbol in home} - {name}
              for name, (_, needed) in objects.items()}
    for circle in circles(arrows):
        ties = [f"  {name} -> {other}: "
                + ", ".join(sorted(s for s in objects[name][1] if home.get(s) == other))
                for name in circle for other in sorted(arrows[name]) if other in circle]
        yield "\n".join([f"circle: {', '.join(circle)}"] + ties)


def arrows_up(source, library):
    """Includes of a header in a room that stands behind one's own in the library's meson.build."""
    place = os.path.join(source, "src", library)
    with open(os.path.join(place, "meson.build"), encoding="utf-8") as file:
        rooms = ast.literal_eval(
            re.search(r"^rooms = include_directories(\(.*?\))$", file.read(), re.M | re.S)[1])
    files = {name: room for room in rooms for name in os.listdir(os.path.join(place, room))}
    for name, room in sorted(files.items()):
        if not name.endswith((".c", ".h")):
            continue
        with open(os.path.join(place, room, name), encoding="utf-8") as file:
            for header in re.findall(r'^#include "(.+)"$', file.read(), re.M):
                if rooms.index(files.get(header, room)) > rooms.index(room):
                    yield f"{room}/{name} includes {header} of {files[header]}"


def read_may_include(source):
    with open(os.path.join(source, "src", "meson.build"), encoding="utf-8") as file:
        return ast.literal_eval(re.search(r"^may_include = (\{.*?^\})", file.read(), re.M | re.S)[1])


def headers_found(source, build, library, probe):
    """The libraries of whose headers one, each, is found by the compiler as it compiles @library."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    command = next(c for c in commands if f"/libattn-{library}.a.p/" in c["output"])
    words = shlex.split(command["command"])
    words = [w for i, w in enumerate(words)
             if w not in ("-c", "-o", command["file"], "-MD") and words[i - 1] != "-o"
             and not w.startswith("-M") and words[i - 1] not in ("-MF", "-MQ")]
    output = subprocess.run(words + ["-E", "-P", probe], check=True, capture_output=True, text=True,
                            cwd=command["directory"]).stdout
    return set(re.findall(r"found (\w+)", output))


def write_probe(source, libraries, file):
    for library in libraries:
        header = sorted(name for _, _, names in os.walk(os.path.join(source, "src", library))
                        for name in names if name.endswith(".h"))[0]
        file.write(f'#if __has_include("{header}")\nfound {library}\n#endif\n')
    file.flush()


def main():
    source, build = map(os.path.abspath, sys.argv[1:3])
    may_include = read_may_include(source)
    results = [("no folder is crowded", list(folders_with_too_many_files(source))),
               ("files are opened in one place", list(files_opened_otherwise(source))),
               ("messages are written in one place", list(messages_written_otherwise(source))),
               ("HACKING.md names what there is", list(names_that_are_gone(source))),
               ("each checkpoint has a test", list(fixtures_without_test(source)))]
    with tempfile.NamedTemporaryFile("w", suffix=".c") as probe:
        write_probe(source, may_include, probe)
        for library, others in may_include.items():
            archive = os.path.join(build, "src", f"libattn-{library}.a")
            results.append((f"{library}: no circle", list(circles_of_library(archive))))
            found = headers_found(source, build, library, probe.name)
            expected = {library, *others}
            results.append((f"{library}: what it may include",
                            [] if found == expected else
                            [f"headers found of {sorted(found)}, expected {sorted(expected)}"]))
    for library in DIRECTED:
        results.append((f"{library}: no arrow up", list(arrows_up(source, library))))
    print(f"1..{len(results)}")
    for number, (name, problems) in enumerate(results, 1):
        print(f"{'not ' if problems else ''}ok {number} - {name}")
        for problem in problems:
            print("# " + problem.replace("\n", "\n# "))
    return 1 if any(problems for _, problems in results) else 0


sys.exit(main())
