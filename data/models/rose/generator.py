#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small text grammar: plain English sentences that repeat earlier words.

All text that the model is trained on comes from here. A document is a run of
sentences that share a few nouns, people and made-up words, so that a word seen
once is likely to come again.

    python3 generator.py [SEED]      print a few documents
"""

import random
import sys

NOUNS = """rose garden gardener river bird tree house list word book letter table door window
road hill sea ship star moon sun stone cup lamp clock song name child mother father friend teacher
baker sailor painter singer dog cat horse fish apple pear leaf flower field forest mountain lake
town city bridge wall box key bell boat island cloud story question answer sentence token model
head layer query value picture room chair bed hand letter map""".split()
THINGS = """bread milk water rain snow wind fire light salt sugar tea wood paper glass gold silver
time music""".split()
PEOPLE = """gardener child mother father friend teacher baker sailor painter singer king
queen""".split()
NAMES = "Anna Tom Ada Ben Clara Leo Maria Paul Nora Max".split()
COLOURS = "red blue green white black yellow brown grey".split()
ADJECTIVES = """old young new big small long short good warm cold quiet bright dark deep high slow
quick happy tired clear open little""".split()
PLACES = "in on under near behind by over".split()
VERBS = """sees hears finds keeps knows loves follows calls likes wants holds needs""".split()
PLAIN_VERBS = "see hear find keep know love follow call like want hold need".split()
NUMBERS = "one two three four five six seven eight nine ten".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
TIMES = "morning evening night day year week".split()
CAPITALS = {"France": "Paris", "Italy": "Rome", "Spain": "Madrid", "Germany": "Berlin",
            "England": "London", "Greece": "Athens", "Egypt": "Cairo", "Japan": "Tokyo",
            "Norway": "Oslo", "Portugal": "Lisbon", "Austria": "Vienna", "Poland": "Warsaw"}
PRONOUNS = [("I", "am", "my", "me"), ("you", "are", "your", "you"), ("he", "is", "his", "him"),
            ("she", "is", "her", "her"), ("we", "are", "our", "us"),
            ("they", "are", "their", "them")]
FUNCTION = """the a an and or but not no is are was were be am it I you he she we they this that
these here there in on at by to of for with from under near behind over again once more then now
always never very so too also all every some my your his her our their me him us them who what
where when why how if as like said says has have had can will do does did because before after
only both same other first last day time into out up down than about yes""".split()

# Words of every part of the grammar; the tokenizer keeps each one whole.
LEXICON = sorted(set(NOUNS + THINGS + PEOPLE + NAMES + COLOURS + ADJECTIVES + PLACES + VERBS
                     + PLAIN_VERBS + NUMBERS + DAYS + TIMES + FUNCTION
                     + list(CAPITALS) + list(CAPITALS.values())))

# Characters outside ASCII, so that no byte of UTF-8 is met for the first time by a reader's text.
RANGES = [(0x20, 0x7e), (0xa1, 0xff), (0x100, 0x17f), (0x391, 0x3c9), (0x410, 0x44f),
          (0x5d0, 0x5ea), (0x627, 0x64a), (0x905, 0x939), (0x2010, 0x2044), (0x2190, 0x21ff),
          (0x2200, 0x22ff), (0x3041, 0x30fa), (0x4e00, 0x9fa5), (0xac00, 0xd7a3),
          (0x1f300, 0x1f64f)]


def article(word):
    return ("an " if word[0] in "aeiou" else "a ") + word


def capital(text):
    return text[:1].upper() + text[1:]


class Writer:
    """Writes one document: a small cast of words, then sentences that use it."""

    def __init__(self, rng):
        self.rng = rng
        self.made_up = [self.invent() for _ in range(2)]
        self.nouns = rng.sample(NOUNS, 4)
        if rng.random() < 0.3:
            self.nouns[0] = self.made_up[0]
        self.people = rng.sample(PEOPLE, 2)
        self.names = rng.sample(NAMES, 2)
        self.adjectives = rng.sample(COLOURS + ADJECTIVES, 3)

    def invent(self):
        """A word that is in no dictionary, such as "blit" or "sonagu"."""
        rng = self.rng
        word = ""
        for _ in range(rng.randint(1, 3)):
            word += rng.choice("b c d f g h j k l m n p q r s t v w x y z bl st tr sh".split())
            word += rng.choice("aeiou")
        return word + rng.choice(["", "", "n", "t", "k", "m", "x"])

    def noun(self):
        return self.rng.choice(self.nouns)

    def adjective(self):
        return self.rng.choice(self.adjectives)

    def thing(self):
        """A noun phrase with its article."""
        rng = self.rng
        kind = rng.random()
        if kind < 0.55:
            return "the " + self.noun()
        if kind < 0.75:
            return "the " + self.adjective() + " " + self.noun()
        if kind < 0.9:
            return "the " + rng.choice(self.people)
        return rng.choice(self.names)

    def copula(self):
        rng, x, y, a = self.rng, self.noun(), self.noun(), self.adjective()
        return rng.choice([
            lambda: f"{article(x)} is {article(x)}",
            lambda: f"{article(x)} is {article(x)} and {article(a)} {x} is {article(x)}",
            lambda: f"{article(x)} is {article(x)}, and {article(y)} is {article(y)}",
            lambda: f"{article(x)} is {article(x)} {rng.choice(PLACES)} the {y}",
            lambda: f"{article(x)} is not {article(y)}, but {article(x)} is {article(x)}",
            lambda: f"the {x} is {a}, and the {a} {x} is {rng.choice(PLACES)} the {y}",
            lambda: f"the {x} of the {y} is {a}; the {x} of the {y} is always {a}",
            lambda: f"if the {x} is {a}, then the {y} is {a} too",
            lambda: f"this is the {x}, and that was the {y}; this {x} was here before that {y}",
            lambda: f"there is {article(x)} {rng.choice(PLACES)} the {y}; "
                    f"there is also {article(a)} {x} {rng.choice(PLACES)} the {y}",
        ])()

    def items(self):
        rng = self.rng
        pool = rng.choice([NOUNS, THINGS, COLOURS, NUMBERS, NAMES, DAYS, self.made_up + THINGS,
                           [str(rng.randint(0, 999)) for _ in range(5)],
                           [self.invent() for _ in range(5)]])
        chosen = rng.sample(pool, min(rng.randint(2, 5), len(pool)))
        if rng.random() < 0.3:
            return ", ".join(chosen)
        return ", ".join(chosen[:-1]) + " and " + chosen[-1]

    def listing(self):
        rng, x, what = self.rng, self.noun(), self.items()
        again = rng.choice(["again", "once again", "once more", "again and again"])
        return rng.choice([
            lambda: f"the list is {what}; {again}, the list is {what}",
            lambda: f"the list is {what}; {again}, {what}",
            lambda: f"the list is {what}; the list is {what}",
            lambda: f"the word is {x}; {again}, the word is {x}",
            lambda: f"{what}; {again}, {what}",
            lambda: f"the list of the {rng.choice(self.people)} is: {what}. It is {what}",
            lambda: f"first {what}, then {what}",
        ])()

    def identity(self):
        rng, who = self.rng, self.rng.choice(self.people)
        sub, be, own, obj = rng.choice(PRONOUNS)
        x, name = self.noun(), rng.choice(self.names)
        return rng.choice([
            lambda: f"it is {sub}; {sub} {be} the {who} and the {who} is {sub}",
            lambda: f"it is {sub}; {sub} {be} the {who}",
            lambda: f"{sub} {be} the {who}, and {own} {x} is the {x} of the {who}",
            lambda: f"it is {own} {x}; {sub} {be} {rng.choice(PLACES)} {own} {x}",
            lambda: f"{name} is the {who}; the {who} is {name}",
            lambda: f"who is the {who}? The {who} is {name}",
            lambda: f"the {x} is for {obj}, because {sub} {be} here",
            lambda: f"{sub} said that {sub} {rng.choice(['can', 'will'])} "
                    f"{rng.choice(PLAIN_VERBS)} the {x}",
        ])()

    def echo(self):
        rng, x, y = self.rng, self.thing(), self.thing()
        verb, who = rng.choice(VERBS), rng.choice(self.people)
        return rng.choice([
            lambda: f"{x} {verb} {y}, and {y} {verb} {x}",
            lambda: f"{x} {verb} {y}, but {y} does not {verb[:-1]} {x}",
            lambda: f"the {who} says: {x} {verb} {y}. {capital(x)} {verb} {y}, says the {who}",
            lambda: f"\"{capital(x)} {verb} {y},\" said {rng.choice(self.names)}; {x} {verb} {y}",
            lambda: f"when {x} {verb} {y}, {y} {verb} {x}",
            lambda: f"{x} {verb} {y} (and {y} {verb} {x})",
            lambda: f"every {rng.choice(TIMES)} {x} {verb} {y}; every {rng.choice(TIMES)} "
                    f"{x} {verb} {y} again",
            lambda: f"{x} {rng.choice(['had', 'has'])} the {self.noun()} "
                    f"and some {rng.choice(THINGS)}",
        ])()

    def question(self):
        rng, x, y = self.rng, self.noun(), self.noun()
        place, a = rng.choice(PLACES), self.adjective()
        land = rng.choice(list(CAPITALS))
        return rng.choice([
            lambda: f"where is the {x}? The {x} is {place} the {y}",
            lambda: f"what is {place} the {y}? The {x} is {place} the {y}",
            lambda: f"is the {x} {a}? Yes, the {x} is {a}",
            lambda: f"is the {x} {a}? No, the {x} is not {a}",
            lambda: f"what is the capital of {land}? The capital of {land} is {CAPITALS[land]}",
            lambda: f"{CAPITALS[land]} is in {land}, and {land} is the land of {CAPITALS[land]}",
            lambda: f"how {a} is the {x}? It is very {a}, as {a} as the {y}",
        ])()

    def odd(self):
        """Made-up words and characters from anywhere, said twice."""
        rng = self.rng
        if rng.random() < 0.6:
            words = [self.invent() for _ in range(rng.randint(2, 4))]
            if rng.random() < 0.3:
                words = [capital(word) for word in words]
        else:
            low, high = rng.choice(RANGES)
            words = ["".join(chr(rng.randint(low, high)) for _ in range(rng.randint(1, 4))).strip()
                     for _ in range(rng.randint(1, 3))]
        said = " ".join(words)
        return rng.choice([f"{said}; {said}", f"the word {said} is {said}",
                           f"{said}, again {said}"])

    def drill(self):
        """Words in no order, said twice: nothing but the first time tells what comes next."""
        rng = self.rng
        said = " ".join(rng.choices(LEXICON, k=rng.randint(3, 10)))
        return said + rng.choice(["; ", ", ", " and ", " "]) + said

    def sentence(self):
        kinds = [self.copula, self.listing, self.identity, self.echo, self.question, self.odd,
                 self.drill]
        text = self.rng.choices(kinds, [5, 5, 3, 4, 2, 2, 4])[0]()
        if self.rng.random() < 0.9:
            text = capital(text)
        return text + self.rng.choices([".", "!", "\n"], [30, 1, 1])[0]

    def document(self, sentences):
        """Sentences with a space between them; some come a second time, word for word."""
        said = []
        for _ in range(sentences):
            again = said and self.rng.random() < 0.15
            said.append(self.rng.choice(said) if again else self.sentence())
        return " ".join(said)


def document(rng, sentences=4):
    return Writer(rng).document(sentences)


if __name__ == "__main__":
    source = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    for _ in range(8):
        print(document(source), end="\n\n")
