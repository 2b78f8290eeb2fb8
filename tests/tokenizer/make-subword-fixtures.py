#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later

"""Makes the WordPiece, SentencePiece BPE and Unigram tokenizers of this folder and, with encoders of its own,
what they must answer.

The vocabularies are counted from the sentences of make-fixtures.py. The encoders follow the published
definitions (BERT's tokenization.py; Kudo and Richardson, SentencePiece) character by character, without a tree,
a heap or a double array: they share no code with the program.

    /usr/bin/python3 make-subword-fixtures.py      # rewrites bert*/, clip/, esm/, llama2*/, t5*/, gpt2-vocab/, expected-*.json
"""

import base64
import collections
import importlib.util
import json
import math
import os
import re
import struct
import unicodedata

HERE = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("make_fixtures", os.path.join(HERE, "make-fixtures.py"))
base = importlib.util.module_from_spec(spec)
spec.loader.exec_module(base)

SPACE = "\u2581"
TEXTS = base.TEXTS + [
    "unaffable unrosed gardenerrest", "[CLS] typed [SEP]", "ＦＵＬＬ width ﬁne … ①②", "e\u0301te\u0301 ｶﾞｶﾞ",
    "中文mixed字with latin", "\ue000private\u0378", "a▁b ▁▁c", "  two  leading", "ß ẞ Ǆ Σίσυφος", "x" * 101, "x" * 100,
]


def floats(value):
    """The nearest float32, as a file has it."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def mapped(text):
    """Characters with the bytes that they come from: [(character, begin, end)]."""
    out, at = [], 0
    for character in text:
        n = len(character.encode())
        out.append((character, at, at + n))
        at += n
    return out


def word_texts():
    for sentence in base.SENTENCES:
        yield sentence.replace("\\n", "\n")


# WordPiece

SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def is_chinese(c):
    return any(a <= ord(c) <= b for a, b in (
        (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
        (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)))


def is_white(c):
    return c in "\t\n\x0b\x0c\r \u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000" or "\u2000" <= c <= "\u200a"


def is_punctuation(c):
    return unicodedata.category(c).startswith("P") or c in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


def clusters(characters):
    """A character with the marks that follow it."""
    out = []
    for item in characters:
        c = item[0]
        if out and (unicodedata.category(c).startswith("M") or unicodedata.combining(c) or "\u1160" <= c <= "\u11ff"):
            out[-1].append(item)
        else:
            out.append([item])
    return out


def bert_normalize(characters, lowercase):
    out = []
    for c, begin, end in characters:
        if c in "\0\ufffd" or (c not in "\t\n\r" and unicodedata.category(c) in ("Cc", "Cf", "Co", "Cs")):
            continue
        if is_white(c):
            c = " "
        if is_chinese(c):
            out += [(" ", begin, begin), (c, begin, end), (" ", end, end)]
        else:
            out.append((c, begin, end))
    if not lowercase:
        return out
    characters, out = out, []
    for cluster in clusters(characters):
        old = "".join(c for c, _, _ in cluster)
        new = unicodedata.normalize("NFD", old)
        if new == old:
            out += cluster
        else:
            out += [(c, cluster[0][1], cluster[-1][2]) for c in new]
    out = [item for item in out if unicodedata.category(item[0]) != "Mn"]
    return [(low, begin, end) for c, begin, end in out for low in c.lower()]


def bert_words(characters):
    words, word = [], []
    for item in characters + [(" ", 0, 0)]:
        if is_white(item[0]) or is_punctuation(item[0]):
            if word:
                words.append(word)
            word = []
            if not is_white(item[0]):
                words.append([item])
        else:
            word.append(item)
    return words


def wordpiece(word, vocabulary):
    text, tokens, at = "".join(c for c, _, _ in word), [], 0
    while at < len(text) and len(text) <= 100:
        for end in range(len(text), at, -1):
            piece = ("##" if at else "") + text[at:end]
            if piece in vocabulary:
                tokens.append([vocabulary[piece], word[at][1], word[end - 1][2]])
                break
        else:
            break
        at = end
    if at < len(text):
        return [[vocabulary["[UNK]"], word[0][1], word[-1][2]]]
    return tokens


def encode_bert(text, vocabulary, lowercase):
    tokens = []
    added = [base.added_token(content, vocabulary[content]) for content in SPECIALS]
    whole = mapped(text)
    for begin, end, token in base.find_added(text, added):
        if token:
            tokens.append([token["id"], whole[begin][1], whole[end - 1][2]])
            continue
        for word in bert_words(bert_normalize(whole[begin:end], lowercase)):
            tokens += wordpiece(word, vocabulary)
    return tokens


def make_bert():
    counts, letters = collections.Counter(), set()
    for text in word_texts():
        for word in bert_words(bert_normalize(mapped(text), True)):
            word = "".join(c for c, _, _ in word)
            letters.update(word)
            for begin in range(len(word)):
                for end in range(begin + 2, min(len(word), begin + 7) + 1):
                    counts[("##" if begin else "") + word[begin:end]] += 1
    letters -= {"ü", "字"}
    pieces = SPECIALS + sorted(letters) + ["##" + c for c in sorted(letters) if c.isalnum()]
    pieces += sorted(piece for piece, count in counts.items() if count > 2)
    vocabulary = {piece: id for id, piece in enumerate(pieces)}
    special = {name: {"id": name, "ids": [vocabulary[name]], "tokens": [name]} for name in ("[CLS]", "[SEP]")}
    base.write("bert/tokenizer.json", {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [base.added_token(name, vocabulary[name]) for name in SPECIALS],
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                       "strip_accents": None, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "TemplateProcessing", "single": [
            {"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
            {"SpecialToken": {"id": "[SEP]", "type_id": 0}}], "pair": [], "special_tokens": special},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": vocabulary}}, separators=(",", ":"))
    for name, config in (("bert-vocab", None), ("bert-cased", {"do_lower_case": False, "strip_accents": None})):
        os.makedirs(name, exist_ok=True)
        with open(f"{name}/vocab.txt", "w", encoding="utf-8") as file:
            file.write("".join(piece + "\n" for piece in pieces))
        if config:
            base.write(f"{name}/tokenizer_config.json", config)
    for name, lowercase in (("bert", True), ("bert-cased", False)):
        base.write(f"expected-{name}.json", [{"text": text, "tokens": encode_bert(text, vocabulary, lowercase)}
                                             for text in TEXTS], separators=(",", ":"))


# BPE as SentencePiece and Llama 2 have it

BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def space_words():
    for text in word_texts():
        for word in (SPACE + text.replace(" ", SPACE)).replace("\n", SPACE).split(SPACE):
            if word:
                yield SPACE + word


def learn_characters(n_merges):
    words = collections.Counter(tuple(word) for word in space_words())
    merges = []
    while len(merges) < n_merges:
        pairs = collections.Counter()
        for word, count in words.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += count
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        merged = collections.Counter()
        for word, count in words.items():
            merged[base.join_pair(word, best)] += count
        words = merged
    return merges


def fall_back(symbols, vocabulary):
    """Symbols [(text, origin list)] to tokens; a character without a piece becomes its bytes."""
    tokens = []
    for text, origin in symbols:
        if text in vocabulary:
            tokens.append([vocabulary[text], origin[0][1], origin[-1][2]])
        else:
            begin = origin[0][1]
            tokens += [[vocabulary[BYTES[byte]], begin + i, begin + i + 1] for i, byte in enumerate(text.encode())]
    return tokens


def merge_by_rank(symbols, rank):
    while True:
        pairs = [(rank[(a[0], b[0])], i) for i, (a, b) in enumerate(zip(symbols, symbols[1:]))
                 if (a[0], b[0]) in rank]
        if not pairs:
            return symbols
        i = min(pairs)[1]
        symbols[i:i + 2] = [(symbols[i][0] + symbols[i + 1][0], symbols[i][1] + symbols[i + 1][1])]


def merge_by_score(symbols, scores, frozen):
    while True:
        pairs = [(-scores[a[0] + b[0]], i) for i, (a, b) in enumerate(zip(symbols, symbols[1:]))
                 if a[0] + b[0] in scores and a[0] not in frozen and b[0] not in frozen]
        if not pairs:
            return symbols
        i = min(pairs)[1]
        symbols[i:i + 2] = [(symbols[i][0] + symbols[i + 1][0], symbols[i][1] + symbols[i + 1][1])]


def spaces_to_marks(characters):
    return [(SPACE if c == " " else c, begin, end) for c, begin, end in characters]


def single(characters):
    return [(item[0], [item]) for item in characters]


def encode_llama2(text, vocabulary, rank, added):
    tokens, whole = [], mapped(text)
    for begin, end, token in base.find_added(text, added):
        if token:
            tokens.append([token["id"], whole[begin][1], whole[end - 1][2]])
            continue
        at = whole[begin][1]
        characters = [(SPACE, at, at)] + spaces_to_marks(whole[begin:end])
        tokens += fall_back(merge_by_rank(single(characters), rank), vocabulary)
    return tokens


def encode_scored(text, vocabulary, scores, user, added):
    tokens, whole = [], mapped(text)
    for begin, end, token in base.find_added(text, added):
        if token:
            tokens.append([token["id"], whole[begin][1], whole[end - 1][2]])
            continue
        characters = spaces_to_marks(whole[begin:end])
        if begin == 0:
            characters.insert(0, (SPACE, 0, 0))
        symbols, i = [], 0
        while i < len(characters):
            found = max((piece for piece in user
                         if "".join(c for c, _, _ in characters[i:i + len(piece)]) == piece), key=len, default=None)
            n = len(found) if found else 1
            symbols.append(("".join(c for c, _, _ in characters[i:i + n]), characters[i:i + n]))
            i += n
        tokens += fall_back(merge_by_score(symbols, scores, user), vocabulary)
    return tokens


def varint(value):
    out = b""
    value &= (1 << 64) - 1
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def sentencepiece(pieces, trainer, normalizer):
    """pieces: [(text, score, type)]; trainer, normalizer: {field number: value}."""
    out = b"".join(field(1, field(1, text.encode()) + field(2, float(score)) + (field(3, type) if type != 1 else b""))
                   for text, score, type in pieces)
    for number, members in ((2, trainer), (3, normalizer)):
        out += field(number, b"".join(field(key, value) for key, value in sorted(members.items())))
    return out


def write_bytes(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def make_llama2():
    merges = learn_characters(300)
    letters = sorted({c for word in space_words() for c in word if ord(c) < 0x800 or c == SPACE})
    merges = [pair for pair in merges if set("".join(pair)) <= set(letters)]
    merges += [(SPACE, SPACE), (SPACE * 2, SPACE * 2)]
    pieces = list(dict.fromkeys(["<unk>", "<s>", "</s>"] + BYTES + [a + b for a, b in merges] + letters))
    vocabulary = {piece: id for id, piece in enumerate(pieces)}
    rank = {pair: i for i, pair in enumerate(merges)}
    added = [base.added_token(name, vocabulary[name]) for name in ("<unk>", "<s>", "</s>")]
    base.write("llama2/tokenizer.json", {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added,
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "Prepend", "prepend": SPACE},
            {"type": "Replace", "pattern": {"String": " "}, "content": SPACE}]},
        "pre_tokenizer": None,
        "post_processor": {"type": "TemplateProcessing", "single": [
            {"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}], "pair": [],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}},
        "decoder": {"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": SPACE}, "content": " "}, {"type": "ByteFallback"},
            {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
        "model": {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": True, "vocab": vocabulary,
                  "merges": [" ".join(pair) for pair in merges]}}, separators=(",", ":"))
    base.write("expected-llama2.json", [{"text": text, "tokens": encode_llama2(text, vocabulary, rank, added)}
                                        for text in TEXTS], separators=(",", ":"))

    # The same as a SentencePiece model, with pieces of the user's, and scores of which some are equal.
    user = ["garden\n", "::", "\n\n\n\n"]
    listed = [("<unk>", 0, 2), ("<s>", 0, 3), ("</s>", 0, 3)] + [(piece, 0, 6) for piece in BYTES]
    listed += [(piece, 0, 4) for piece in user]
    done = {piece for piece, _, _ in listed}
    rest = [piece for piece in pieces if piece not in done]
    listed += [(piece, -(i // 2), 1) for i, piece in enumerate(rest)]
    listed += [("unused", 0, 5)]
    scores = {piece: score for piece, score, type in listed if type == 1}
    vocabulary = {piece: id for id, (piece, _, type) in enumerate(listed) if type != 5}
    added = [base.added_token(name, vocabulary[name]) for name in ("<unk>", "<s>", "</s>")]
    write_bytes("llama2-model/tokenizer.model", sentencepiece(
        listed, {3: 2, 4: len(listed), 35: 1, 40: 0, 41: 1, 42: 2, 43: -1},
        {1: b"identity", 2: b"", 3: 1, 4: 0, 5: 1}))
    base.write("expected-llama2-model.json",
               [{"text": text, "tokens": encode_scored(text, vocabulary, scores, user, added)}
                for text in TEXTS + ["rose::rose:::", "garden\ngarden"]], separators=(",", ":"))


# Unigram

CHARSMAP = {chr(0xFF01 + i): chr(0x21 + i) for i in range(94)}
CHARSMAP.update({c: " " for c in "\t\n\r\u00a0\u2003\u3000"})
CHARSMAP.update({"\u200b": "", "…": "...", "ﬁ": "fi", "①": "1", "②": "2", "③": "3", "e\u0301": "é", "ｶﾞ": "ガ", "ｶ": "カ",
                 "½": "1⁄2", "x²": "x2"})


def double_array(keys):
    """Darts-clone's layout of {bytes: value}."""
    tree = {}
    for key, value in keys.items():
        node = tree
        for byte in key:
            node = node.setdefault(byte, {})
        node[None] = value
    units, used, starts, queue = {0: 0}, {0}, {0}, [(0, tree, 0)]
    while queue:
        index, node, label = queue.pop(0)
        labels = [0 if byte is None else byte for byte in node]
        start = 1
        # Two nodes with one start would take each other's children for their own.
        while start in starts or any(start ^ byte in used for byte in labels):
            start += 1
        starts.add(start)
        units[index] = (index ^ start) << 10 | (1 << 8 if None in node else 0) | label
        for byte, child in node.items():
            at = start ^ (byte or 0)
            used.add(at)
            if byte is None:
                units[at] = child | 1 << 31
            else:
                queue.append((at, child, byte))
    n = (max(units) | 255) + 1
    return struct.pack(f"<{n}I", *(units.get(i, 0) for i in range(n)))


def compile_charsmap():
    replacements, keys = b"", {}
    for key, value in sorted(CHARSMAP.items()):
        keys[key.encode()] = len(replacements)
        replacements += value.encode() + b"\0"
    tree = double_array(keys)
    return struct.pack("<I", len(tree)) + tree + replacements


def apply_charsmap(characters):
    out, i = [], 0
    while i < len(characters):
        for n in (2, 1):
            key = "".join(c for c, _, _ in characters[i:i + n])
            if len(key) == n and key in CHARSMAP:
                out += [(c, characters[i][1], characters[i + n - 1][2]) for c in CHARSMAP[key]]
                break
        else:
            n = 1
            out.append(characters[i])
        i += n
    return out


def squeeze(characters):
    """Spaces in a row are one."""
    out = []
    for c, begin, end in characters:
        if c == " " and out and out[-1][0] == " ":
            out[-1] = (" ", out[-1][1], end)
        else:
            out.append((c, begin, end))
    return out


def viterbi(characters, vocabulary, scores, unknown_score):
    text, n = "".join(c for c, _, _ in characters), len(characters)
    best = [None] * (n + 1)     # (score, begin, id)
    best[0] = (0.0, 0, None)
    for begin in range(n):
        found = [(end, vocabulary[text[begin:end]]) for end in range(begin + 1, n + 1) if text[begin:end] in vocabulary]
        ways = [(end, best[begin][0] + scores[id], id) for end, id in found]
        if not any(end == begin + 1 for end, _ in found):
            ways.append((begin + 1, best[begin][0] + unknown_score, None))
        for end, score, id in ways:
            if best[end] is None or score > best[end][0]:
                best[end] = (score, begin, id)
    path, end = [], n
    while end > 0:
        _, begin, id = best[end]
        if id is None and path and path[0][2] is None:
            path[0] = (begin, path[0][1], None)
        else:
            path.insert(0, (begin, end, id))
        end = begin
    return path


def encode_unigram(text, model, normalize, added):
    vocabulary, scores, unknown_score, unknown = model
    tokens, whole = [], mapped(text)
    for begin, end, token in base.find_added(text, added):
        if token:
            tokens.append([token["id"], whole[begin][1], whole[end - 1][2]])
            continue
        for word in normalize(whole[begin:end], begin == 0):
            for first, last, id in viterbi(word, vocabulary, scores, unknown_score):
                tokens.append([unknown if id is None else id, word[first][1], word[last - 1][2]])
    return tokens


def t5_words(characters, is_first):
    """Precompiled, WhitespaceSplit, Metaspace that always puts a space in front."""
    words, word = [], []
    for item in apply_charsmap(characters) + [(" ", 0, 0)]:
        if not is_white(item[0]):
            word.append(item)
        elif word:
            mark = [] if word[0][0] == SPACE else [(SPACE, word[0][1], word[0][1])]
            word = mark + word
            start = 0
            for i in range(1, len(word) + 1):
                if i == len(word) or word[i][0] == SPACE:
                    words.append(word[start:i])
                    start = i
            word = []
    return words


def model_words(characters, is_first):
    """SentencePiece: one text, without spaces too many, with one in front."""
    characters = squeeze(apply_charsmap(characters))
    characters = characters[1:] if characters and characters[0][0] == " " else characters
    characters = characters[:-1] if characters and characters[-1][0] == " " else characters
    if not characters:
        return []
    characters = spaces_to_marks(characters)
    if is_first and characters[0][0] != SPACE:
        characters.insert(0, (SPACE, characters[0][1], characters[0][1]))
    return [characters]


def make_t5():
    counts = collections.Counter()
    for word in space_words():
        for begin in range(len(word)):
            for end in range(begin + 1, min(len(word), begin + 6) + 1):
                if end == begin + 1 or begin == 0 or word[begin:end].isalpha():
                    counts[word[begin:end]] += 1
    kept = {piece: count * len(piece) for piece, count in counts.items()
            if (count > 4 if len(piece) > 1 else ord(piece) < 0x600 or piece == SPACE)}
    total = sum(kept.values())
    specials = [("<pad>", 0.0, 3), ("</s>", 0.0, 3), ("<unk>", 0.0, 2)]
    normal = [(piece, floats(math.log(count / total)), 1)
              for piece, count in sorted(kept.items(), key=lambda item: (-item[1], item[0]))]
    listed = specials + normal
    ids = {piece: id for id, (piece, _, _) in enumerate(listed)}
    added = [base.added_token(name, ids[name]) for name, _, _ in specials]
    added.append(base.added_token("<extra_id_0>", len(listed)))
    charsmap = compile_charsmap()
    least = min(score for _, score, _ in listed)
    scores = [score for _, score, _ in listed]
    base.write("t5/tokenizer.json", {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added,
        "normalizer": {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap).decode()},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "WhitespaceSplit"},
            {"type": "Metaspace", "replacement": SPACE, "add_prefix_space": True}]},
        "post_processor": {"type": "TemplateProcessing", "single": [
            {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}], "pair": [],
            "special_tokens": {"</s>": {"id": "</s>", "ids": [1], "tokens": ["</s>"]}}},
        "decoder": {"type": "Metaspace", "replacement": SPACE, "add_prefix_space": True},
        "model": {"type": "Unigram", "unk_id": 2, "vocab": [[piece, score] for piece, score, _ in listed]}},
        separators=(",", ":"))
    model = (ids, scores, least - 10, 2)
    base.write("expected-t5.json", [{"text": text, "tokens": encode_unigram(text, model, t5_words, added)}
                                    for text in TEXTS], separators=(",", ":"))

    # As SentencePiece: special tokens and unused ones are not found, what the user defined always is.
    listed = specials + [("rose g", 0.0, 4), ("gardener", -0.5, 5)] + normal
    vocabulary = {piece.replace(" ", SPACE): id for id, (piece, _, type) in enumerate(listed) if type in (1, 4)}
    largest = max(score for _, score, type in listed if type == 1)
    scores = [score if type != 4 else len(piece) * largest - 0.1 for piece, score, type in listed]
    listed = [(piece.replace(" ", SPACE), score, type) for piece, score, type in listed]
    write_bytes("t5-model/spiece.model", sentencepiece(
        listed, {3: 1, 4: len(listed), 40: 2, 41: -1, 42: 1, 43: 0}, {1: b"own", 2: charsmap}))
    model = (vocabulary, scores, least - 10, 2)
    base.write("expected-t5-model.json",
               [{"text": text, "tokens": encode_unigram(text, model, model_words, added[:3])}
                for text in TEXTS + ["A rose garden", "the gardener"]], separators=(",", ":"))


# ESM: transformers, tokenization_esm.py (140c50b0): each token is found wherever it stands, the rest is cut at spaces.
# The list of the published checkpoints.

def encode_esm(text, tokens):
    """The longest of the tokens at each place; what is between two of them or spaces is unknown."""
    pattern = re.compile("|".join(re.escape(token) for token in sorted(tokens, key=len, reverse=True)))
    out, end = [], 0
    for match in list(pattern.finditer(text)) + [None]:
        begin = match.start() if match else len(text)
        out += [[tokens.index("<unk>"), end + word.start(), end + word.end()]
                for word in re.finditer(r"\S+", text[end:begin])]
        if match:
            out.append([tokens.index(match[0]), begin, match.end()])
            end = match.end()
    return [[id, len(text[:begin].encode()), len(text[:end].encode())] for id, begin, end in out]


def make_esm():
    tokens = "<cls> <pad> <eos> <unk> L A G V S E R T I D P K Q N F Y M H W C X B U Z O . - <null_1> <mask>".split()
    os.makedirs("esm", exist_ok=True)
    with open("esm/vocab.txt", "w", encoding="utf-8") as file:
        file.write("\n".join(tokens))
    base.write("esm/tokenizer_config.json", {"model_max_length": 1026, "tokenizer_class": "EsmTokenizer"})
    texts = TEXTS + ["MKTAYIAKQRQISFVKSHFSRQ", "MK<mask>AY <mask> K", "mktAYiak", "M K\tT\nA", "MJK*", "<null_1>.-<pad",
                     "<cls>MK<eos>"]
    base.write("expected-esm.json", [{"text": text, "tokens": encode_esm(text, tokens)} for text in texts],
               separators=(",", ":"))


def make_gpt2_vocab():
    with open("gpt2/tokenizer.json", encoding="utf-8") as file:
        document = json.load(file)
    vocabulary = dict(document["model"]["vocab"])
    vocabulary["<|endoftext|>"] = len(vocabulary)
    base.write("gpt2-vocab/vocab.json", vocabulary, separators=(",", ":"))
    with open("gpt2-vocab/merges.txt", "w", encoding="utf-8") as file:
        file.write("#version: 0.2\n" + "".join(merge + "\n" for merge in document["model"]["merges"]))


# CLIP: simple_tokenizer.py as published; the file as CLIPConverter of transformers writes it (convert_slow_tokenizer.py).

CLIP_PATTERN = re.compile(f"'s|'t|'re|'ve|'m|'ll|'d|[{base.L}]+|[{base.N}]|[^{base.S}{base.L}{base.N}]+")
CLIP_END = "</w>"
# Pieces of a character that NFC or lower case changes have no place of their own.
CLIP_TEXTS = ["", " ", "a", "A photo of a cat.", "a  PHOTO\tof\n a   dog  ", "They're here, we've won; DON'T!", "3.14 in 2024",
              "naïve café œuvre größe", "这是一个句子。", "👍🏽 ok👍", "<|startoftext|>a cat<|endoftext|>", "rose rosegarden gardenrose",
              "the the rest of the rest", "'s 're '' ...!?", "x" * 80, "word</w>word", "hello_world"]
CLIP_TEXTS += [text for text in base.TEXTS
               if text.isascii() or (text.lower() == text and unicodedata.normalize("NFC", text) == text)]


def learn_clip(n_merges):
    words = collections.Counter()
    for sentence in word_texts():
        for word in CLIP_PATTERN.findall(sentence.lower()):
            spelled = base.spell(word)
            words[spelled[:-1] + (spelled[-1] + CLIP_END,)] += 1
    merges = []
    while len(merges) < n_merges:
        pairs = collections.Counter()
        for word, count in words.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += count
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        merged = collections.Counter()
        for word, count in words.items():
            merged[base.join_pair(word, best)] += count
        words = merged
    return merges


def encode_clip(text, vocabulary, merges, added):
    rank = {pair: i for i, pair in enumerate(merges)}
    tokens = []
    for begin, end, token in base.find_added(text, added):
        if token:
            tokens.append([token["id"], len(text[:begin].encode()), len(text[:end].encode())])
            continue
        for match in CLIP_PATTERN.finditer(text[begin:end].lower()):
            spelled = base.spell(match[0])
            at = len(text[:begin + match.start()].encode())
            for piece in base.bpe(spelled[:-1] + (spelled[-1] + CLIP_END,), rank):
                n = len(piece.removesuffix(CLIP_END))
                tokens.append([vocabulary[piece], at, at + n])
                at += n
    return tokens


def make_clip():
    merges = learn_clip(300)
    letters = sorted(base.ALPHABET.values())
    pieces = letters + [letter + CLIP_END for letter in letters] + [a + b for a, b in merges]
    vocabulary = {piece: id for id, piece in enumerate(dict.fromkeys(pieces + ["<|startoftext|>", "<|endoftext|>"]))}
    ends = ["<|startoftext|>", "<|endoftext|>"]
    added = [base.added_token(name, vocabulary[name]) for name in ends]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    base.write("clip/tokenizer.json", {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added,
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "NFC"}, {"type": "Replace", "pattern": {"Regex": "\\s+"}, "content": " "}, {"type": "Lowercase"}]},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": "'s|'t|'re|'ve|'m|'ll|'d|[\\p{L}]+|[\\p{N}]|[^\\s\\p{L}\\p{N}]+"},
             "behavior": "Removed", "invert": True}, byte_level]},
        "post_processor": {"type": "RobertaProcessing", "sep": [ends[1], vocabulary[ends[1]]],
                           "cls": [ends[0], vocabulary[ends[0]]], "trim_offsets": False, "add_prefix_space": False},
        "decoder": byte_level,
        "model": {"type": "BPE", "dropout": None, "unk_token": ends[1], "continuing_subword_prefix": "",
                  "end_of_word_suffix": CLIP_END, "fuse_unk": False, "byte_fallback": False, "vocab": vocabulary,
                  "merges": [" ".join(pair) for pair in merges]}}, separators=(",", ":"))
    base.write("expected-clip.json", [{"text": text, "tokens": encode_clip(text, vocabulary, merges, added)}
                                      for text in CLIP_TEXTS], separators=(",", ":"))


def main():
    os.chdir(HERE)
    make_clip()
    make_bert()
    make_esm()
    make_llama2()
    make_t5()
    make_gpt2_vocab()


if __name__ == "__main__":
    main()
