# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs the tests of a script and prints TAP."""

import os
import sys
import tempfile


def get_seconds():
    """Of processors, in this script and in what it has run."""
    return sum(os.times()[:4])


def run_tests(names):
    """Runs each function among `names`, globals(), that is called test_…, in a folder of its own, and ends the
    program. A test may return a directive, such as "SKIP no MPI"."""
    tests = [value for name, value in sorted(names.items()) if name.startswith("test_")]
    failed = 0
    print(f"1..{len(tests)}")
    for number, test in enumerate(tests, 1):
        with tempfile.TemporaryDirectory() as directory:
            name = test.__name__[5:].replace("_", " ")
            begun = get_seconds()
            try:
                directive = test(directory)
                print(f"# {get_seconds() - begun:.1f} s of a processor")
                print(f"ok {number} - {name}{' # ' + directive if directive else ''}", flush=True)
            except Exception as error:  # of any kind: the others still run
                failed += 1
                print(f"not ok {number} - {name}\n# {type(error).__name__}: {error}", flush=True)
    sys.exit(failed > 0)
