#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later

"""Makes the tokenizers of this folder and, with an encoder of its own, what they must answer.

The vocabulary is learned here from the sentences below. The encoder follows GPT-2's encoder.py as published,
without a heap, without a cache: it shares no code and no regular expression engine with the program.

    /usr/bin/python3 make-fixtures.py      # rewrites gpt2/, llama3/ and the expected-*.json beside it
"""

import collections
import json
import os
import re
import sys
import unicodedata

N_MERGES = 420

SENTENCES = """
It is I; I am the gardener and the gardener is I.
A rose is a rose, and a red rose is a rose in the garden.
The list is bread and milk; once again, the list is bread and milk.
She said that they're here, that we've won, that he'll come and that I'd know it's done, but I don't and you can't.
Attention weights sum to one over the keys that a query sees.
In 2024 there were 365 days less one more than in 2023; 1000 and 2000 are round numbers, 3.14159 is not.
for (int i = 0; i < n; i++) { total += weights[i] * values[i]; }
def mean(values):\n    return sum(values) / len(values)\n\n\nif __name__ == "__main__":\n    print(mean([1, 2, 3]))
Le cœur a ses raisons, déjà vu à la fenêtre, où l'été s'achève.
Größe, Straße und Übermut; schöne Grüße aus München.
El niño comió piña en la montaña. ¿Qué tal?
Это предложение написано по-русски, и это хорошо.
这是一个句子，这是另一个句子。日本語の文章もあります。
नमस्ते दुनिया, यह हिंदी में है।
مرحبا بالعالم، هذا نص بالعربية.
Emoji too: 👍 👍🏽 👨‍👩‍👧 🇩🇪 ❤️
Words and more words: the other, the rest, the nest, the best of the best are better than the rest.
""".strip().split("\n")

TEXTS = [
    "",
    " ",
    "   ",
    "\n",
    "\t",
    "\r\n",
    "a",
    "It is I; I am the gardener.",
    "A rose is a rose, and a red rose is a rose.",
    " leading space",
    "trailing space ",
    "trailing spaces   ",
    "two  spaces,   three   spaces",
    "line one\nline two\n\nline four\n",
    "tab\tseparated\tvalues\t",
    "mixed \t \n whitespace \r\n end",
    "    indented\n        deeper\n",
    "they're we've he'll I'd it's don't I'm",
    "THEY'RE DON'T I'M o'clock 'quoted' ''double''",
    "'s't're've'm'll'd",
    "s' 's ' s",
    "1 12 123 1234 12345 123456 1234567",
    "3.14159, -42, 1e-10, 0x1F",
    "١٢٣ ४५६ Ⅷ ½ x² ①②③ 𝟙𝟚𝟛",
    "naïve café œuvre Größe São Paulo",
    "cafe\u0301 n\u0303 a\u030a\u0323 o\u0308\u0304",
    "\u0301 alone",
    "Ångström Å \u212b ﬁ ﬀ",
    "这是一个句子。日本語の文章。한국어 문장",
    "全角　スペース　１２３",
    "हिंदी नमस्ते ক্ষ தமிழ் ไทย",
    "مرحبا بالعالم ١٢٣ שלום עולם",
    "\u200fRTL mark\u200e and\u202e override",
    "👍 👍🏽 👨‍👩‍👧‍👦 🇩🇪🇫🇷 ❤️ ☎",
    "👍👍👍 no space👍",
    "emoji👩🏾‍🚀inside",
    "\u00a0nbsp\u00a0between\u00a0",
    "\u2003em\u2009thin\u3000wide\u205fmath\u1680ogham",
    "\u2028line\u2029paragraph\u0085next",
    "\x1c\x1d\x1e\x1f\x7f\x01 controls",
    "zero\u200bwidth\ufeffspaces\u2060here",
    "mongolian\u180evowel \u180e separator",
    "\ufffd replacement \ufffe \uffff nonchars \U0010ffff",
    "under_score snake_case _private __init__",
    "a.b,c;d:e!f?g(h)i[j]k{l}m",
    "!!!??? ... --- === ### \\\\ ////",
    "https://example.org/path?query=1&other=two#frag",
    "for (int i = 0; i < n; i++) { total += w[i]; }",
    "<|endoftext|>",
    "before<|endoftext|>after",
    "before <|endoftext|> after",
    "<|endoftext|><|endoftext|>",
    "<|endoftext|",
    "<|endoftext|><|pad|>",
    "<s>It is I</s>",
    "one <sep> two<sep>three  <sep>  four",
    "word wordy sword word, word",
    "the the the the the the the the the the the the",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "ababababababababababababababab",
    "restrestrestrest bestbestbest",
    "Pneumonoultramicroscopicsilicovolcanoconiosis",
    "ſ 'ſ K'S İstanbul ıI",
    "x" * 300,
    "\n" * 40,
    " " * 70 + "x",
    "мир и труд, по-русски 2024",
]

WHITE_SPACE = "\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"


def ranges(major):
    """The characters whose category begins with major, as the inside of a character class."""
    out, start = [], None
    for code in range(sys.maxunicode + 2):
        inside = code <= sys.maxunicode and unicodedata.category(chr(code)).startswith(major)
        if inside and start is None:
            start = code
        elif not inside and start is not None:
            out.append("\\U%08x-\\U%08x" % (start, code - 1))
            start = None
    return "".join(out)


S, L, N = WHITE_SPACE, ranges("L"), ranges("N")
PATTERNS = {
    "gpt2": f"'s|'t|'re|'ve|'m|'ll|'d| ?[{L}]+| ?[{N}]+| ?[^{S}{L}{N}]+|[{S}]+(?![^{S}])|[{S}]+",
    "llama3": f"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n{L}{N}]?[{L}]+|[{N}]{{1,3}}| ?[^{S}{L}{N}]+[\r\n]*"
              f"|[{S}]*[\r\n]+|[{S}]+(?![^{S}])|[{S}]+",
}
PATTERNS = {name: re.compile(pattern) for name, pattern in PATTERNS.items()}
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
          r"|\s*[\r\n]+|\s+(?!\S)|\s+")


def bytes_to_unicode():
    kept = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256))
    table, n = {}, 0
    for byte in range(256):
        if byte in kept:
            table[byte] = chr(byte)
        else:
            table[byte] = chr(256 + n)
            n += 1
    return table


ALPHABET = bytes_to_unicode()


def spell(text):
    return tuple(ALPHABET[byte] for byte in text.encode())


def join_pair(word, pair):
    out, i = [], 0
    while i < len(word):
        if i + 1 < len(word) and (word[i], word[i + 1]) == pair:
            out.append(word[i] + word[i + 1])
            i += 2
        else:
            out.append(word[i])
            i += 1
    return tuple(out)


def learn():
    words = collections.Counter()
    for sentence in SENTENCES:
        for text in ("\n" + sentence.replace("\\n", "\n"), sentence):
            words.update(spell(match) for match in PATTERNS["gpt2"].findall(text))
    merges = []
    while len(merges) < N_MERGES:
        pairs = collections.Counter()
        for word, count in words.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += count
        # The commonest, and of equals the first in the alphabet: the same on every machine.
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        merged = collections.Counter()
        for word, count in words.items():
            merged[join_pair(word, best)] += count
        words = merged
    return merges


def bpe(word, rank):
    while len(word) > 1:
        best = min(zip(word, word[1:]), key=lambda pair: rank.get(pair, float("inf")))
        if best not in rank:
            break
        word = join_pair(word, best)
    return word


def find_added(text, added):
    """Parts of the text: (begin, end, added token or None); leftmost, then longest."""
    parts, done = [], 0
    pattern = "|".join(re.escape(token["content"]) for token in
                       sorted(added, key=lambda token: -len(token["content"])))
    by_content = {token["content"]: token for token in added}
    for match in re.finditer(pattern, text):
        token, (begin, end) = by_content[match.group()], match.span()
        if token["single_word"] and (re.search(r"\w$", text[:begin]) or re.match(r"\w", text[end:])):
            continue
        if token["lstrip"]:
            begin = max(done, len(text[:begin].rstrip()))
        if token["rstrip"]:
            end = len(text) - len(text[end:].lstrip())
        if begin > done:
            parts.append((done, begin, None))
        parts.append((begin, end, token))
        done = end
    if done < len(text):
        parts.append((done, len(text), None))
    return parts


def encode(text, name, vocabulary, merges, added):
    rank = {pair: i for i, pair in enumerate(merges)}
    tokens = []
    for begin, end, token in find_added(text, added):
        at = len(text[:begin].encode())
        if token:
            tokens.append([token["id"], at, len(text[:end].encode())])
            continue
        for word in PATTERNS[name].findall(text[begin:end]):
            spelled = spell(word)
            for piece in bpe(spelled, rank):
                tokens.append([vocabulary[piece], at, at + len(piece)])
                at += len(piece)
    return tokens


def added_token(content, id, special=True, single_word=False, lstrip=False, rstrip=False):
    return {"id": id, "content": content, "single_word": single_word, "lstrip": lstrip, "rstrip": rstrip,
            "normalized": False, "special": special}


def write(path, data, **options):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(data, file, ensure_ascii=False, **options)
        file.write("\n")


def main():
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    merges = learn()
    # Without any special token; ids in the order of GPT-2: the printable bytes, the others, the merges.
    pieces = sorted(ALPHABET.values()) + [left + right for left, right in merges]
    vocabulary = {piece: id for id, piece in enumerate(dict.fromkeys(pieces))}
    n = len(vocabulary)
    added = {
        "gpt2": [added_token("<|endoftext|>", n), added_token("<|pad|>", n + 1)],
        "llama3": [added_token("<s>", n), added_token("</s>", n + 1),
                   added_token("<sep>", n + 2, lstrip=True, rstrip=True),
                   added_token("word", n + 3, special=False, single_word=True)],
    }
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    documents = {
        "gpt2": {
            "pre_tokenizer": byte_level,
            "post_processor": dict(byte_level, trim_offsets=False),
            "merges": [" ".join(pair) for pair in merges],
            "ignore_merges": False,
        },
        "llama3": {
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
                {"type": "Split", "pattern": {"Regex": LLAMA3}, "behavior": "Isolated", "invert": False},
                dict(byte_level, use_regex=False)]},
            "post_processor": {"type": "Sequence", "processors": [
                dict(byte_level, trim_offsets=False),
                {"type": "TemplateProcessing",
                 "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}},
                            {"Sequence": {"id": "A", "type_id": 0}},
                            {"SpecialToken": {"id": "</s>", "type_id": 0}}],
                 "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
                 "special_tokens": {
                     "<s>": {"id": "<s>", "ids": [n], "tokens": ["<s>"]},
                     "</s>": {"id": "</s>", "ids": [n + 1], "tokens": ["</s>"]}}}]},
            "merges": [list(pair) for pair in merges],
            "ignore_merges": True,
        },
    }
    for name, document in documents.items():
        write(f"{name}/tokenizer.json", {
            "version": "1.0", "truncation": None, "padding": None, "added_tokens": added[name],
            "normalizer": None, "pre_tokenizer": document["pre_tokenizer"],
            "post_processor": document["post_processor"], "decoder": byte_level,
            "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "",
                      "end_of_word_suffix": "", "fuse_unk": False, "byte_fallback": False,
                      "ignore_merges": document["ignore_merges"], "vocab": vocabulary,
                      "merges": document["merges"]}}, separators=(",", ":"))
        # Every piece here is the merge of its bytes, so that ignore_merges changes nothing.
        write(f"expected-{name}.json",
              [{"text": text, "tokens": encode(text, name, vocabulary, merges, added[name])}
               for text in TEXTS], separators=(",", ":"))


if __name__ == "__main__":
    main()
