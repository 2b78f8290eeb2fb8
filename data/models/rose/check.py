#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the shipped model from its files alone, with NumPy and nothing of the training code.

Reads config.json, tokenizer.json, model.safetensors and inputs.json, encodes the four
inputs, runs the forward pass in float32 and prints whether each requirement holds.

    python3 check.py [DIRECTORY] [--heads]      --heads prints the table of the model card
"""

import argparse
import itertools
import json
import os
import unicodedata

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
CONTRACTIONS = ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d")
SINGLE = ["It", " It", "I", " I", "is", " is", "am", " am", "the", " the", "The", " The",
          "A", "a", " a", "it", " it", " and", " of", " in", " not", " again", " rose",
          " garden", " gardener", " list", " word", " bread", " milk", " river", " once"]


# Tokenizer ---------------------------------------------------------------------------------

def byte_alphabet():
    """The byte -> character table of byte-level BPE."""
    printable = [*range(0x21, 0x7f), *range(0xa1, 0xad), *range(0xae, 0x100)]
    table, extra = {byte: chr(byte) for byte in printable}, 0
    for byte in range(256):
        if byte not in table:
            table[byte] = chr(256 + extra)
            extra += 1
    return table


def kind(char):
    if char.isspace() and not "\x1c" <= char <= "\x1f":
        return "space"
    return {"L": "letter", "N": "number"}.get(unicodedata.category(char)[0], "other")


def pieces(text):
    """Splits text as the GPT-2 pattern does:
    's|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+
    """
    at, found = 0, []
    while at < len(text):
        end = next((at + len(c) for c in CONTRACTIONS if text.startswith(c, at)), 0)
        if not end:
            start = at + (text[at] == " " and at + 1 < len(text) and kind(text[at + 1]) != "space")
            end = start
            while end < len(text) and kind(text[end]) == kind(text[start]):
                end += 1
            if kind(text[start]) == "space" and end < len(text) and end - start > 1:
                end -= 1
        found.append(text[at:end])
        at = end
    return found


class Tokenizer:
    def __init__(self, vocab, merges, first=()):
        self.vocab = vocab
        self.ranks = {pair: rank for rank, pair in enumerate(merges)}
        self.first = list(first)
        self.names = {number: token for token, number in vocab.items()}
        self.alphabet = byte_alphabet()
        self.cache = {}

    @classmethod
    def load(cls, path):
        with open(path, encoding="utf-8") as file:
            spec = json.load(file)
        merges = [tuple(merge.split(" ")) for merge in spec["model"]["merges"]]
        first = []
        for part in spec["post_processor"]["single"]:
            if "SpecialToken" in part:
                first += spec["post_processor"]["special_tokens"][part["SpecialToken"]["id"]]["ids"]
        return cls(spec["model"]["vocab"], merges, first)

    def split(self, piece):
        """One piece of text as ids, lowest merge first."""
        if piece not in self.cache:
            parts = [self.alphabet[byte] for byte in piece.encode("utf-8")]
            while len(parts) > 1:
                pairs = list(zip(parts, parts[1:]))
                best = min(pairs, key=lambda pair: self.ranks.get(pair, 1 << 30))
                if best not in self.ranks:
                    break
                joined, at = [], 0
                while at < len(parts):
                    if tuple(parts[at:at + 2]) == best:
                        joined.append(best[0] + best[1])
                        at += 2
                    else:
                        joined.append(parts[at])
                        at += 1
                parts = joined
            self.cache[piece] = [self.vocab[part] for part in parts]
        return self.cache[piece]

    def encode(self, text, special=True):
        ids = [number for piece in pieces(text) for number in self.split(piece)]
        return self.first * special + ids

    def show(self, ids):
        return [self.names[number].replace("\u0120", "\u2423") for number in ids]


# Model -------------------------------------------------------------------------------------

def load_safetensors(path):
    with open(path, "rb") as file:
        data = file.read()
    size = int.from_bytes(data[:8], "little")
    header, base = json.loads(data[8:8 + size]), 8 + size
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            start, end = entry["data_offsets"]
            flat = np.frombuffer(data[base + start:base + end], dtype="<f4")
            tensors[name] = flat.reshape(entry["shape"])
    return tensors


def softmax(scores):
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def masked(scores):
    return np.where(np.tri(scores.shape[-1], dtype=bool), scores, np.float32(-np.inf))


class Model:
    def __init__(self, folder):
        with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
            self.config = json.load(file)
        self.tensors = load_safetensors(os.path.join(folder, "model.safetensors"))
        self.layers, self.heads = self.config["n_layer"], self.config["n_head"]
        self.positions = self.config["n_positions"]

    def norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + self.config["layer_norm_epsilon"])
        return x * self.tensors[name + ".weight"] + self.tensors[name + ".bias"]

    def linear(self, x, name):
        return x @ self.tensors[name + ".weight"] + self.tensors[name + ".bias"]

    def forward(self, ids):
        """Logits, and for each layer its queries, keys and scores, each [heads, T, ...]."""
        wte, wpe = self.tensors["transformer.wte.weight"], self.tensors["transformer.wpe.weight"]
        x, trace = wte[ids] + wpe[:len(ids)], []
        for layer in range(self.layers):
            name = f"transformer.h.{layer}."
            qkv = self.linear(self.norm(x, name + "ln_1"), name + "attn.c_attn")
            q, k, v = (part.reshape(len(ids), self.heads, -1).transpose(1, 0, 2)
                       for part in np.split(qkv, 3, axis=-1))
            scores = self.scores(q, k)
            trace.append((q, k, scores))
            mixed = (softmax(masked(scores)) @ v).transpose(1, 0, 2).reshape(len(ids), -1)
            x = x + self.linear(mixed, name + "attn.c_proj")
            h = self.linear(self.norm(x, name + "ln_2"), name + "mlp.c_fc")
            h = 0.5 * h * (1 + np.tanh(np.float32(np.sqrt(2 / np.pi)) * (h + 0.044715 * h ** 3)))
            x = x + self.linear(h, name + "mlp.c_proj")
        return self.norm(x, "transformer.ln_f") @ wte.T, trace

    @staticmethod
    def scores(q, k):
        return q @ k.transpose(0, 2, 1) / np.float32(np.sqrt(q.shape[-1]))

    def weights(self, ids):
        """Attention weights [layers, heads, T, T]."""
        return np.stack([softmax(masked(scores)) for _, _, scores in self.forward(ids)[1]])


# Measures ----------------------------------------------------------------------------------

def sink_scores(weights):
    """Weight on the first token, mean over rows 2 to T (row 1 has no choice)."""
    return weights[..., 1:, 0].mean(-1)


def role_scores(weights, ids):
    """Per head: weight on the previous token; and for tokens that occurred before, the weight on
    their earlier occurrences (duplicate) and on the tokens right after those (induction)."""
    count = len(ids)
    previous = np.mean([weights[..., i, i - 1] for i in range(2, count)], axis=0)
    duplicate, induction = [], []
    for i in range(2, count):
        earlier = [j for j in range(1, i) if ids[j] == ids[i]]
        if earlier:
            duplicate.append(weights[..., i, earlier].sum(-1))
            after = [j + 1 for j in earlier if j + 1 < i]
            if after:
                induction.append(weights[..., i, after].sum(-1))
    return {"previous": previous, "duplicate": np.mean(duplicate, axis=0),
            "induction": np.mean(induction, axis=0)}


def drill_scores(model, tokenizer, times=200, words=12):
    """Per head, on words in no order said twice ("w1 ... w12; w1 ... w12"), for the second time:
    weight on the previous token, on the same word the first time (duplicate) and on the word after
    it (induction); and how often the likeliest next token is the right one."""
    rng = np.random.default_rng(0)
    names = sorted(token for token in tokenizer.vocab
                   if token[0] == "\u0120" and len(token) > 3 and token.lower()[1:] == token[1:])
    whole = [tokenizer.vocab[a] for a, b in zip(names, names[1:] + [""])
             if a[1:].isalpha() and not b.startswith(a)]  # not the beginnings of words
    [semicolon] = tokenizer.encode(";", special=False)
    scores, right = [], []
    for _ in range(times):
        said = rng.choice(whole, words, replace=False)
        ids = np.concatenate([tokenizer.first, said, [semicolon], said]).astype(int)
        logits, trace = model.forward(ids)
        weights = np.stack([softmax(masked(s)) for _, _, s in trace])
        rows = np.arange(len(ids) - words, len(ids) - 1)
        scores.append([weights[:, :, rows, rows - back].mean(-1) for back in (1, words + 1, words)])
        right.append(logits[rows].argmax(-1) == ids[rows + 1])
    return *np.mean(scores, axis=0), np.mean(right)


def meaned(heads, axis, head):
    """One head of [heads, T, d]: each vector its own mean, or the mean over the heads."""
    if axis == "head":
        return heads.mean(0)
    return np.broadcast_to(heads[head].mean(-1, keepdims=True), heads[head].shape)


def half_scale(weights):
    """First column, diagonal and the rest of a head's weights at eps = 0.5."""
    count = len(weights)
    rest = [weights[i, j] for i in range(2, count) for j in range(1, i)]
    diagonal = [weights[i, i] for i in range(2, count)]
    clear = np.mean([weights[i, i] > 1.25 * weights[i, 1:i].max() for i in range(2, count)])
    return weights[1:, 0].mean(), np.mean(diagonal), np.mean(rest), clear


def load_inputs(folder, tokenizer):
    with open(os.path.join(folder, "inputs.json"), encoding="utf-8") as file:
        spec = json.load(file)
    texts = [*spec["inputs"], spec["epsilon"]]
    return texts, [tokenizer.encode(text) for text in texts]


def measure(folder):
    """Runs every check. Returns (rows of (holds, text), facts)."""
    tokenizer = Tokenizer.load(os.path.join(folder, "tokenizer.json"))
    model = Model(folder)
    texts, encoded = load_inputs(folder, tokenizer)
    rows, facts = [], {"sinks": [], "roles": [], "texts": texts, "tokens": []}

    def require(holds, text):
        rows.append((bool(holds), text))

    pieces_of = {word: len(tokenizer.encode(word, special=False)) for word in SINGLE}
    words = {piece for text in texts for piece in pieces(text)}
    pieces_of.update({word: len(tokenizer.encode(word, special=False)) for word in words})
    split = sorted(word for word, count in pieces_of.items() if count != 1)
    require(not split, f"common words are single tokens ({len(pieces_of)} tried, split: {split})")
    lengths = [len(ids) for ids in encoded]
    require(lengths == [15, 15, 15, 10], f"tokens with <s>: {lengths}, wanted 15 15 15 10")

    traces = [model.forward(np.array(ids))[1] for ids in encoded]
    all_weights = [np.stack([softmax(masked(s)) for _, _, s in trace]) for trace in traces]
    strongest = {tuple(int(n) for n in np.unravel_index(sink_scores(w).argmax(), w.shape[:2]))
                 for w in all_weights}
    require(len(strongest) == 1, f"one head is the strongest sink on every text: {strongest}")
    layer, head = facts["shown"] = sorted(strongest)[-1]
    for ids, trace, weights in zip(encoded, traces, all_weights):
        sinks = sink_scores(weights)
        others = np.delete(sinks.ravel(), layer * model.heads + head)
        name = f"input {len(facts['sinks']) + 1}" if len(facts["sinks"]) < 3 else "epsilon text"
        facts["sinks"].append(sinks)
        facts["roles"].append(role_scores(weights, ids))
        facts["tokens"].append(tokenizer.show(ids))
        require(sinks[layer, head] >= 0.9 and sinks[layer, head] - others.max() >= 0.05,
                f"{name}: sink score {sinks[layer, head]:.4f} >= 0.9, next head {others.max():.4f}")
        q, k, scores = (part[head] for part in trace[layer])
        steps = np.arange(1, len(ids) + 1)
        uniform = np.tri(len(ids)) / steps[:, None]
        for axis, component in itertools.product(("feature", "head"), ("query", "key")):
            a, b = (meaned(trace[layer][part], axis, head) if component == which else x
                    for part, (which, x) in enumerate((("query", q), ("key", k))))
            away = np.abs(softmax(masked(model.scores(a[None], b[None])))[0] - uniform).max()
            require(away <= 0.1, f"{name}: {component} meaned over the {axis}s, at most "
                                 f"{away:.4f} from 1/(i+1), 0.1 allowed")
        for eps in (1e-3, 1e-10):
            away = np.abs(softmax(masked(np.float32(eps) * scores)) - uniform).max()
            require(away <= 0.01, f"{name}: eps {eps:g}, at most {away:.1e} from 1/(i+1)")
        first, diagonal, rest, clear = half_scale(softmax(masked(np.float32(0.5) * scores)))
        require(0.25 <= first <= 0.75 and diagonal >= 0.12 and diagonal >= 2 * rest,
                f"{name}: eps 0.5, first column {first:.3f} (0.25 to 0.75), diagonal "
                f"{diagonal:.3f} (>= 0.12), others {rest:.3f}; diagonal clearly above the rest of "
                f"its row in {clear:.0%} of rows")
    strong = {}
    for role in ("previous", "duplicate", "induction"):
        mean = np.mean([roles[role] for roles in facts["roles"]], axis=0)
        at = divmod(int(mean.argmax()), model.heads)
        strong[f"{role} L{at[0]} H{at[1]} {mean.max():.3f}"] = mean.max()
    require(max(strong.values()) >= 0.5,
            "another head copies or looks back (>= 0.5): best " + ", ".join(strong))
    idle = np.mean(facts["sinks"], axis=0)
    require((idle > 0.3).mean() < 0.75, f"not every head idles: {(idle > 0.3).sum()} of "
                                        f"{idle.size} heads have a sink score above 0.3")
    size = sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder))
    require(size <= 4 << 20, f"folder holds {size / 1e6:.2f} MB, 4 MiB allowed")
    finite = all(np.isfinite(tensor).all() for tensor in model.tensors.values())
    require(finite, "every weight is finite")
    return rows, facts


def print_heads(facts, folder):
    """The table of the model card."""
    tokenizer = Tokenizer.load(os.path.join(folder, "tokenizer.json"))
    *drill, right = drill_scores(Model(folder), tokenizer)
    print(f"\nwords in no order said twice: next token right in {right:.1%}\n")
    print("| head | sink 1 | sink 2 | sink 3 | sink eps | previous | duplicate | induction "
          "| drill: previous | duplicate | induction |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    roles = {role: np.mean([r[role] for r in facts["roles"]], axis=0) for role in facts["roles"][0]}
    for layer, head in np.ndindex(facts["sinks"][0].shape):
        cells = [s[layer, head] for s in facts["sinks"]] + [s[layer, head] for s in roles.values()]
        cells += [s[layer, head] for s in drill]
        mark = "**" if (layer, head) == facts["shown"] else ""
        print(f"| {mark}L{layer} H{head}{mark} | " + " | ".join(f"{c:.3f}" for c in cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", nargs="?", default=HERE)
    parser.add_argument("--heads", action="store_true", help="print the table of the model card")
    options = parser.parse_args()
    rows, facts = measure(options.folder)
    for holds, text in rows:
        print("ok  " if holds else "FAIL", text)
    print(f"shown head: layer {facts['shown'][0]}, head {facts['shown'][1]} (counted from 0)")
    for tokens in facts["tokens"]:
        print("   ", " ".join(tokens))
    if options.heads:
        print_heads(facts, options.folder)
    return 0 if all(holds for holds, _ in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
