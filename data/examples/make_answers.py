#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints answers.csv: questions about what stands where, answers, the part of each that matters, and whether it is right,
in words that the model that ships with Attention Grid knows.

    python3 make_answers.py >answers.csv
    attention-grid probe --table answers.csv -o probe.npz
    attention-grid render probe.npz -o probe.svg"""

import csv
import random
import sys

NOUNS = "rose bird child book letter table cat key".split()
PLACES = "garden river house door window tree".split()
COLOURS = "red blue green white".split()
BEFORE = (("", "The"), ("It is true; ", "the"), ("Once again, ", "the"))
BEHIND = (".", ", and that is all.", "; it is so.")


def main():
    draw = random.Random(4)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("question", "answer", "exact_answer", "label"))
    for noun in NOUNS:
        for place in PLACES:
            for colour in COLOURS:
                label = draw.randrange(2)
                true = said = f"{colour} {place}"
                while said == true and not label:
                    said = f"{draw.choice(COLOURS)} {draw.choice(PLACES)}"
                before, article = draw.choice(BEFORE)
                writer.writerow((f"The {noun} is near the {true}. Where is the {noun}?",
                                 f"{before}{article} {noun} is near the {said}{draw.choice(BEHIND)}", said, label))


if __name__ == "__main__":
    main()
