# SPDX-License-Identifier: GPL-3.0-or-later
"""Ten thousand token texts of all Unicode's planes, with pieces of markup in them, in web pages and SVGs: all can be
parsed, none becomes markup, and the page opens as the study that it was made from.

    python3 page_text.py PROGRAM"""

import html.parser
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

try:
    import numpy
except ImportError as missing:
    print(missing)
    sys.exit(77)

PROGRAM = os.path.abspath(sys.argv.pop(1))
N_FILES = 10
N_TOKENS = 1000
PIECES = ["</script>", "<script>alert(1)</script>", "<!--", "-->", "<![CDATA[", "]]>", "&amp;", "&#60;", "\"", "'", "\\", "\\u003c",
          "</svg>", "</text>", "<img src=x onerror=alert(1)>", "\x01", "\x1b", "\x7f", "\x85", "\u2028", "\ufeff", "\ufffe", "@@study@@"]


def make_token(chance):
    parts = []
    for _ in range(chance.randrange(1, 5)):
        code = chance.randrange(1, 0x110000) if chance.random() < 0.7 else chance.randrange(0x20, 0x250)
        parts.append(chance.choice(PIECES) if chance.random() < 0.3 else "?" if 0xd800 <= code < 0xe000 else chr(code))
    return "".join(parts)


class Reader(html.parser.HTMLParser):
    """Tags with their attributes, and the text of scripts."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.scripts, self.open = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, attributes))
        if tag == "script":
            self.scripts.append("")
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, attributes))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            raise AssertionError(f"{tag} closed, which is not open")

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data


class Text(unittest.TestCase):
    def test_any_text_stays_text(self):
        chance = random.Random(39)
        expected = None
        with tempfile.TemporaryDirectory() as folder:
            for number in range(N_FILES):
                arrays, page, again = (os.path.join(folder, name) for name in ("a.npz", "a.html", "b.html"))
                drawing = os.path.join(folder, "a.svg")
                tokens = [make_token(chance) for _ in range(N_TOKENS)]
                numpy.savez(arrays, weights=numpy.full((1, 1, 2, N_TOKENS), 1 / N_TOKENS, numpy.float32),
                            query_tokens=numpy.array(["a", "b"]), key_tokens=numpy.array(tokens))
                subprocess.run([PROGRAM, "render", "single", "--model", arrays, "--size", "4000mm", "-o", page, "-o", drawing],
                               check=True, capture_output=True)
                with open(page, encoding="utf-8", newline="") as file:
                    text = file.read()
                reader = Reader()
                reader.feed(text)
                reader.close()
                self.assertEqual(reader.open, [])
                self.assertEqual(len(reader.scripts), 3)
                tags = sorted({tag for tag, _ in reader.tags})
                expected = expected or tags
                self.assertEqual(tags, expected)
                self.assertNotIn("img", tags)
                for tag, attributes in reader.tags:
                    self.assertFalse([name for name, _ in attributes if name.startswith("on") or name == "style"], tag)
                numbers = json.loads(reader.scripts[0])
                keys = numbers["labels"][numbers["panels"][0]["keys"]]
                self.assertEqual(len(keys), N_TOKENS)
                study = json.loads(reader.scripts[1])
                self.assertEqual(study["program"], "attention-grid")
                xml.etree.ElementTree.parse(drawing)
                if number == 0:
                    subprocess.run([PROGRAM, "render", page, "-o", again], check=True, capture_output=True)
                    with open(again, encoding="utf-8", newline="") as file:
                        self.assertEqual(file.read(), text)

    def test_no_study_no_figure(self):
        tag = '<script type="application/json" id="study">'
        for body in ("", tag, tag + "null</script>", tag + "{}</script>", tag + '{"study":[]}</script>', tag + "{</script>",
                     tag + '{"study":{"version":1}} <b></script>', tag + '{"study":' + "[" * 5000 + "</script>"):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "a.html")
                with open(path, "w", encoding="utf-8") as file:
                    file.write("<!DOCTYPE html>\n<html>" + body)
                run = subprocess.run([PROGRAM, "render", path, "-o", os.path.join(folder, "a.svg")], capture_output=True, text=True)
                self.assertEqual(run.returncode, 1, body[:80])
                self.assertIn("expected", run.stderr)
                self.assertEqual(run.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
