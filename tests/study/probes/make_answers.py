#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes answers.csv and answers.npz for test-probe.c: probes of the shipped model, by NumPy in float64 and
scikit-learn, apart from the program. Run it in its folder.

answers.csv: questions, answers, the part of each that matters, and whether it is right. Column "chance" has labels that
know nothing of the text, "place" labels that the exact answer tells at once.

answers.npz: "fold" [rows], as the program deals seed 0 (its generator is MT19937, seeded as NumPy's RandomState is);
"QUANTITY.auc" and "QUANTITY.accuracy" [layers, roles] float64, the means of cross_val_score() over those folds; "rows"
[roles]. Of scores that differ by less than float32 can tell, the order is told to be unknown: such cells are NaN."""

import csv
import os
import sys

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

ROSE = os.path.join("..", "..", "..", "data", "models", "rose")
sys.path.insert(0, ROSE)
import check

NOUNS = "rose bird child book letter table cat key".split()
PLACES = "garden river house door window tree".split()
N_FOLDS = 5


def write_table():
    rng = np.random.default_rng(1)
    rows = []
    for noun in NOUNS:
        for k, place in enumerate(PLACES):
            is_right = int(rng.integers(2))
            said = place if is_right else PLACES[(k + 1 + int(rng.integers(len(PLACES) - 1))) % len(PLACES)]
            before = ["", "It is true; ", "Once again, "][int(rng.integers(3))]
            rows.append((f"The {noun} is near the {place}. Where is the {noun}?",
                         f"{before}{'the' if before else 'The'} {noun} is near the {said}.", said, is_right,
                         int(rng.integers(2)), int(said in PLACES[:3])))
    with open("answers.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("question", "answer", "exact_answer", "label", "chance", "place"))
        writer.writerows(rows)
    return rows


def norm(x, tensors, name):
    x = x - x.mean(-1, keepdims=True)
    x = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)
    return x * tensors[name + ".weight"] + tensors[name + ".bias"]


def states(tensors, ids, n_heads):
    """What each layer's MLP and attention add, [L, T, D], and the residual stream, [L + 1, T, D]."""
    find = lambda suffix: next(tensors[name] for name in tensors if name.endswith(suffix))
    prefix = next(name for name in tensors if name.endswith("wte.weight"))[:-len("wte.weight")]
    x = find("wte.weight")[ids] + find("wpe.weight")[:len(ids)]
    found = {"mlp": [], "attention": [], "residual": [x]}
    layer = 0
    while f"{prefix}h.{layer}.ln_1.weight" in tensors:
        at = f"{prefix}h.{layer}."
        apply = lambda y, name: y @ tensors[at + name + ".weight"] + tensors[at + name + ".bias"]
        parts = np.split(apply(norm(x, tensors, at + "ln_1"), "attn.c_attn"), 3, -1)
        query, key, value = (part.reshape(len(ids), n_heads, -1).swapaxes(0, 1) for part in parts)
        scores = query @ key.swapaxes(1, 2) / np.sqrt(query.shape[-1])
        scores[:, ~np.tri(len(ids), dtype=bool)] = -np.inf
        added = apply((check.softmax(scores) @ value).swapaxes(0, 1).reshape(len(ids), -1), "attn.c_proj")
        x = x + added
        found["attention"].append(added)
        inner = apply(norm(x, tensors, at + "ln_2"), "mlp.c_fc")
        inner = 0.5 * inner * (1 + np.tanh(np.sqrt(2 / np.pi) * (inner + 0.044715 * inner ** 3)))
        added = apply(inner, "mlp.c_proj")
        x = x + added
        found["mlp"].append(added)
        found["residual"].append(x)
        layer += 1
    return {name: np.stack(value) for name, value in found.items()}


def locate(tokenizer, question, answer, exact):
    """Ids and the positions of the roles, -1 for none. Each word here is a token of its own, with its space."""
    text = question + " " + answer
    ids = tokenizer.encode(text)
    spans, begin = [], 0
    for piece in (tokenizer.names[number] for number in ids[1:]):
        spans.append((begin, begin + len(piece)))
        begin += len(piece)
    assert begin == len(text), "one character a byte"
    starts = len(question) + 1
    exact_at = text.index(exact, starts)
    overlap = lambda low, high: [1 + i for i, (b, e) in enumerate(spans) if b < high and e > low]
    first = overlap(starts, len(text))[0]
    said = overlap(exact_at, exact_at + len(exact))
    n = len(ids)
    places = [first - 1, first, first + 1, said[0] - 1, said[0], said[-1], said[-1] + 1, *range(n - 8, n)]
    return ids, [place if 1 <= place < n else -1 for place in places]


def deal(labels, seed):
    generator = np.random.RandomState(seed)._bit_generator
    folds, n_dealt = np.zeros(len(labels), dtype=np.int64), 0
    for label in (0, 1):
        rows = [i for i, value in enumerate(labels) if value == label]
        for i in range(len(rows) - 1, 0, -1):
            other = int(generator.random_raw()) * (i + 1) >> 32
            rows[i], rows[other] = rows[other], rows[i]
        for row in rows:
            folds[row] = n_dealt % N_FOLDS
            n_dealt += 1
    return folds


def probe(x, y, folds):
    aucs, shares = [], []
    for fold in range(N_FOLDS):
        test = folds == fold
        model = LogisticRegression(C=1, solver="newton-cholesky", tol=1e-12, max_iter=1000).fit(x[~test], y[~test])
        scores = model.decision_function(x[test])
        gaps = np.abs(scores[y[test] == 1][:, None] - scores[y[test] == 0][None, :])
        if min(gaps.min(), np.abs(scores).min()) < 2 * np.abs(scores).max() / 2 ** 16:
            return np.nan, np.nan
        aucs.append(roc_auc_score(y[test], scores))
        shares.append(model.score(x[test], y[test]))
    return np.mean(aucs), np.mean(shares)


def main():
    table = write_table()
    tokenizer = check.Tokenizer.load(os.path.join(ROSE, "tokenizer.json"))
    stored = check.load_safetensors(os.path.join(ROSE, "model.safetensors"))
    tensors = {name: tensor.astype(np.float64) for name, tensor in stored.items()}
    y = np.array([row[3] for row in table])
    folds = deal(y, 0)
    seen, places = [], []
    for question, answer, exact, *_ in table:
        ids, positions = locate(tokenizer, question, answer, exact)
        places.append(positions)
        seen.append(states(tensors, ids, 4))
    places = np.array(places)
    arrays = {"fold": folds, "rows": (places >= 0).sum(0)}
    for quantity in ("mlp", "attention", "residual"):
        n_layers = len(seen[0][quantity])
        both = np.zeros((2, n_layers, places.shape[1]))
        for layer in range(n_layers):
            for role in range(places.shape[1]):
                rows = [i for i in range(len(table)) if places[i, role] >= 0]
                x = np.stack([seen[i][quantity][layer][places[i, role]] for i in rows])
                both[:, layer, role] = probe(x, y[rows], folds[rows])
        arrays[quantity + ".auc"], arrays[quantity + ".accuracy"] = both
        print(quantity, np.isnan(both[0]).sum(), "unknown")
        print(both[0].round(3))
    np.savez_compressed("answers.npz", **arrays)


if __name__ == "__main__":
    main()
