#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains the shipped model, tokenizer included, from a seed to files.

    python3 train.py --out DIRECTORY [--seeds 2 3 ...] [--steps N] [--more N] [--from DIRECTORY]

Every seed is trained and checked with check.py; the first one to pass is kept, otherwise
the last. With --from only the second run is made. Needs PyTorch and NumPy. A seed gives the same
files again with the same versions of both. README.md explains each of the constants below.
"""

import argparse
import collections
import json
import math
import os
import random
import shutil
import sys
import time

sys.dont_write_bytecode = True

import numpy as np  # noqa: E402
import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

import check  # noqa: E402
import generator  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
LAYERS, HEADS, WIDTH, POSITIONS, VOCAB = 3, 4, 64, 256, 1280

# Batches: (share of the steps, sequences, tokens in each)
BATCHES = [(0.72, 64, 40), (0.18, 24, 112), (0.10, 10, POSITIONS)]
BARE = 0.1          # share of the sequences without <s>, so that the sink is a place, not a token
RATE, WARMUP, DECAY = 3e-3, 100, 0.01
PLACE = 0.15        # size of the sines and cosines that the position vectors start as

# One head of the first layer is shown the previous token at first, then let go: the copying heads
# above it, which get no help, need one like it.
PREVIOUS = 0.2      # weight of: mean weight not on the previous token, falling to 0 ...
LET_GO = 0.5        # ... at this share of the steps

# The shown head: chosen at CHOOSE of the steps, when copying has formed, then drawn on.
CHOOSE = 0.35
SINK = 0.1          # weight of: mean weight not on the first token
SHAPE = 0.05        # weight of: the margins below, as squared hinges on the scores
FIRST_OVER_SELF = (2.65, 2.85)
SELF_OVER_OTHERS = (3.8, 4.4)
CAPPED = 32         # rows beyond this one have no upper margins, as they have more keys to outweigh
FLAT = 0.3          # weight of: spread of the scores along a row under the feature mean

# The second run, from the end of the first: all terms on the shown head in full, and one more.
LEVEL = 0.3         # weight of: the spread when query or key becomes its mean over the heads ...
LEVEL_GROWS = 100   # ... in full after so many steps
MORE_RATE, MORE_WARMUP, MORE_LEAST = 1e-3, 20, 0.06
MORE_SCHEDULE = 600 # steps over which the rate would fall to MORE_LEAST of it


# Tokenizer ---------------------------------------------------------------------------------

def train_tokenizer(seed):
    """Byte-level BPE on generated text; each word of the lexicon is added in both its forms."""
    rng = random.Random(seed)
    counts = collections.Counter()
    for _ in range(6000):
        counts.update(check.pieces(generator.document(rng)))
    counts = collections.Counter({piece: n for piece, n in counts.items() if n >= 12})
    for word in generator.LEXICON:
        counts[" " + word] += 400
    for word in generator.FUNCTION + [generator.capital(w) for w in generator.FUNCTION]:
        counts[word] += 150
        counts[" " + word] += 150
    for word in generator.NOUNS:
        counts[word] += 60
    alphabet = check.byte_alphabet()
    words = [[[alphabet[b] for b in piece.encode()], n] for piece, n in sorted(counts.items())]
    vocab = ["<s>"] + [alphabet[b] for b in sorted(alphabet, key=lambda b: alphabet[b])]
    merges = []
    while len(vocab) < VOCAB:
        pairs = collections.Counter()
        for parts, n in words:
            for pair in zip(parts, parts[1:]):
                pairs[pair] += n
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        if best[0] + best[1] not in vocab:
            vocab.append(best[0] + best[1])
        for entry in words:
            parts, at = entry[0], 0
            while at + 1 < len(parts):
                if (parts[at], parts[at + 1]) == best:
                    parts[at:at + 2] = [best[0] + best[1]]
                at += 1
    return check.Tokenizer({token: i for i, token in enumerate(vocab)}, merges, [0])


def save_tokenizer(tokenizer, path):
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True,
                  "use_regex": True}
    first = {"SpecialToken": {"id": "<s>", "type_id": 0}}
    sequence_a = {"Sequence": {"id": "A", "type_id": 0}}
    spec = {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": 0, "content": "<s>", "single_word": False, "lstrip": False,
                          "rstrip": False, "normalized": False, "special": True}],
        "normalizer": None, "pre_tokenizer": byte_level,
        "post_processor": {
            "type": "TemplateProcessing", "single": [first, sequence_a],
            "pair": [first, sequence_a, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}}},
        "decoder": byte_level,
        "model": {"type": "BPE", "dropout": None, "unk_token": None,
                  "continuing_subword_prefix": None, "end_of_word_suffix": None,
                  "fuse_unk": False, "byte_fallback": False, "vocab": tokenizer.vocab,
                  "merges": [f"{a} {b}" for a, b in tokenizer.ranks]}}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(spec, file, ensure_ascii=False, indent=1)
        file.write("\n")


# Model -------------------------------------------------------------------------------------

class Linear(nn.Module):
    """GPT-2 keeps its projections as [in, out]."""

    def __init__(self, wide_in, wide_out, std=0.02):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(wide_in, wide_out) * std)
        self.bias = nn.Parameter(torch.zeros(wide_out))

    def forward(self, x):
        return x @ self.weight + self.bias


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.c_attn = Linear(WIDTH, 3 * WIDTH, 0.08)
        self.c_proj = Linear(WIDTH, WIDTH, 0.05)

    def forward(self, x, mask):
        batch, count, _ = x.shape
        q, k, v = (part.view(batch, count, HEADS, -1).transpose(1, 2)
                   for part in self.c_attn(x).split(WIDTH, -1))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        weights = (scores + mask).softmax(-1)
        mixed = (weights @ v).transpose(1, 2).reshape(batch, count, WIDTH)
        return self.c_proj(mixed), (q, k, scores, weights)


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.c_fc = Linear(WIDTH, 4 * WIDTH, 0.08)
        self.c_proj = Linear(4 * WIDTH, WIDTH, 0.03)

    def forward(self, x):
        h = self.c_fc(x)
        return self.c_proj(0.5 * h * (1 + torch.tanh(math.sqrt(2 / math.pi)
                                                     * (h + 0.044715 * h * h * h))))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1, self.attn = nn.LayerNorm(WIDTH, eps=1e-5), Attention()
        self.ln_2, self.mlp = nn.LayerNorm(WIDTH, eps=1e-5), MLP()

    def forward(self, x, mask):
        mixed, seen = self.attn(self.ln_1(x), mask)
        x = x + mixed
        return x + self.mlp(self.ln_2(x)), seen


def waves():
    """Sines and cosines as a start for the position vectors (they are trained from there)."""
    angle = torch.arange(POSITIONS)[:, None] * 0.01 ** (torch.arange(0, WIDTH, 2) / WIDTH)
    return torch.stack([angle.sin(), angle.cos()], -1).reshape(POSITIONS, WIDTH)


class GPT2(nn.Module):
    """The tensor names of state_dict() are those of a Hugging Face checkpoint."""

    def __init__(self):
        super().__init__()
        self.transformer = nn.ModuleDict({
            "wte": nn.Embedding(VOCAB, WIDTH), "wpe": nn.Embedding(POSITIONS, WIDTH),
            "h": nn.ModuleList(Block() for _ in range(LAYERS)),
            "ln_f": nn.LayerNorm(WIDTH, eps=1e-5)})
        nn.init.normal_(self.transformer["wte"].weight, std=0.1)
        self.transformer["wpe"].weight.data = PLACE * waves()

    def forward(self, ids):
        part, count = self.transformer, ids.shape[1]
        mask = torch.full((count, count), -math.inf).triu(1)
        x, trace = part["wte"](ids) + part["wpe"].weight[:count], []
        for block in part["h"]:
            x, seen = block(x, mask)
            trace.append(seen)
        return part["ln_f"](x) @ part["wte"].weight.T, trace


def save_model(model, folder):
    tensors, header, blobs, at = model.state_dict(), {"__metadata__": {"format": "pt"}}, [], 0
    for name in sorted(tensors):
        blob = tensors[name].numpy().astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensors[name].shape),
                        "data_offsets": [at, at + len(blob)]}
        blobs.append(blob)
        at += len(blob)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(os.path.join(folder, "model.safetensors"), "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + b"".join(blobs))
    config = {
        "activation_function": "gelu_new", "architectures": ["GPT2LMHeadModel"],
        "attn_pdrop": 0.0, "bos_token_id": 0, "embd_pdrop": 0.0, "eos_token_id": 0,
        "initializer_range": 0.02, "layer_norm_epsilon": 1e-5, "model_type": "gpt2",
        "n_ctx": POSITIONS, "n_embd": WIDTH, "n_head": HEADS, "n_inner": None, "n_layer": LAYERS,
        "n_positions": POSITIONS, "resid_pdrop": 0.0, "scale_attn_weights": True,
        "tie_word_embeddings": True, "torch_dtype": "float32", "use_cache": True,
        "vocab_size": VOCAB}
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        json.dump(config, file, indent=2)
        file.write("\n")


# Training ----------------------------------------------------------------------------------

def sequence(rng, tokenizer, count):
    ids = [] if rng.random() < BARE else [0]
    while len(ids) < count:
        text = generator.document(rng, 3 + count // 14)
        ids += tokenizer.encode(text if len(ids) < 2 else " " + text, special=False)
    return ids[:count]


def batch(rng, tokenizer):
    _, many, count = rng.choices(BATCHES, [share for share, _, _ in BATCHES])[0]
    return torch.tensor([sequence(rng, tokenizer, count) for _ in range(many)])


def next_token_loss(logits, ids):
    return F.cross_entropy(logits[:, :-1].reshape(-1, VOCAB), ids[:, 1:].reshape(-1))


def choose_head(model, ids):
    """The head above the first layer that already rests most on the first token."""
    with torch.no_grad():
        _, trace = model(ids)
        sinks = torch.stack([weights[:, :, 1:, 0].mean((0, 2)) for *_, weights in trace])
    best = int(sinks[1:].argmax())
    return (1 + best // HEADS, best % HEADS), sinks


def outside(gap, low, high):
    """Squared distance of a gap between two scores, [batch, row, ...], to low ... high."""
    over = F.relu(gap - high) ** 2
    capped = (torch.arange(gap.shape[1]) < CAPPED)[:, None]
    return F.relu(low - gap) ** 2 + over * capped


def spread(scores):
    """Squared spread of scores [batch, row, key] around their mean over the visible keys."""
    seen_keys = torch.ones(scores.shape[-1], scores.shape[-1]).tril()
    visible = seen_keys.sum(-1)
    centre = (scores * seen_keys).sum(-1, keepdim=True) / visible[:, None]
    return (((scores - centre) ** 2 * seen_keys).sum(-1) / visible).mean()


def head_terms(seen, head):
    """The four terms on the shown head: sink, margins between scores, spread under the mean over
    the features, and under the mean over the heads."""
    q, k, scores, weights = (part[:, head] for part in seen)
    count, root = scores.shape[-1], math.sqrt(q.shape[-1])
    sink = (1 - weights[:, 1:, 0]).mean()
    own = scores.diagonal(dim1=1, dim2=2)[:, 2:, None]
    others = torch.ones(count, count).tril(-1)[2:]
    others[:, 0] = 0
    others = others / others.sum(-1, keepdim=True)
    first_over_self = outside(scores[:, 2:, :1] - own, *FIRST_OVER_SELF).mean()
    self_over_others = (outside(own - scores[:, 2:], *SELF_OVER_OTHERS) * others).sum(-1).mean()
    shape = first_over_self + self_over_others
    flat = spread(root * q.mean(-1)[:, :, None] * k.mean(-1)[:, None, :])
    level = (spread(seen[0].mean(1) @ k.transpose(1, 2) / root)
             + spread(q @ seen[1].mean(1).transpose(1, 2) / root))
    return sink, shape, flat, level


def new_optimizer(model):
    matrices = [p for p in model.parameters() if p.dim() > 1]
    rest = [p for p in model.parameters() if p.dim() == 1]
    return torch.optim.AdamW([{"params": matrices, "weight_decay": DECAY},
                              {"params": rest, "weight_decay": 0.0}], betas=(0.9, 0.98))


def hold_out(tokenizer):
    return torch.tensor([sequence(random.Random(10_000 + i), tokenizer, 40) for i in range(64)])


def step_by(optimizer, model, loss):
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def train(seed, steps, tokenizer):
    torch.manual_seed(seed)
    rng = random.Random(seed)
    model = GPT2()
    optimizer = new_optimizer(model)
    held_out = hold_out(tokenizer)
    shown, began = None, time.time()
    for step in range(steps):
        part = step / steps
        cosine = 0.02 + 0.98 * math.cos(math.pi / 2 * part) ** 2
        rate = RATE * min(1, (step + 1) / WARMUP) * cosine
        for group in optimizer.param_groups:
            group["lr"] = rate
        ids = batch(rng, tokenizer)
        logits, trace = model(ids)
        loss = next_token_loss(logits, ids)
        terms = [torch.zeros(())] * 4
        if part < LET_GO:
            look_back = trace[0][3][:, 0].diagonal(-1, 1, 2)[:, 1:]
            loss = loss + PREVIOUS * (1 - part / LET_GO) * (1 - look_back).mean()
        if shown:
            grow = min(1, (part - CHOOSE) / 0.1)
            terms = head_terms(trace[shown[0]], shown[1])
            loss = loss + grow * (SINK * terms[0] + SHAPE * terms[1] + FLAT * terms[2])
        step_by(optimizer, model, loss)
        if not shown and part >= CHOOSE:
            shown, sinks = choose_head(model, held_out)
            table = [[round(float(score), 3) for score in layer] for layer in sinks]
            print(f"sink scores at step {step}: {table}; "
                  f"chosen: layer {shown[0]}, head {shown[1]}", flush=True)
        if step % 250 == 249:
            with torch.no_grad():
                held = float(next_token_loss(model(held_out)[0], held_out))
                trace = [seen[3] for seen in model(held_out[:24])[1]]
                roles = [check.role_scores(np.stack([w[i].numpy() for w in trace]), ids.tolist())
                         for i, ids in enumerate(held_out[:24])]
            best = ", ".join(f"{role} {np.mean([r[role] for r in roles], axis=0).max():.2f}"
                             for role in ("previous", "induction"))
            print(f"seed {seed} step {step + 1}: held out {held:.4f}, {best}, "
                  f"sink {float(terms[0]):.4f}, shape {float(terms[1]):.3f}, "
                  f"flat {float(terms[2]):.4f}, {time.time() - began:.0f} s", flush=True)
    return model


def train_more(model, seed, steps, tokenizer):
    """The second run: the mean over the heads of query or key loses the sink as well."""
    rng = random.Random(seed)
    optimizer = new_optimizer(model)
    held_out = hold_out(tokenizer)
    shown, _ = choose_head(model, held_out)
    for step in range(steps):
        cosine = MORE_LEAST + (1 - MORE_LEAST) * math.cos(math.pi / 2 * step / MORE_SCHEDULE) ** 2
        for group in optimizer.param_groups:
            group["lr"] = MORE_RATE * min(1, (step + 1) / MORE_WARMUP) * cosine
        ids = batch(rng, tokenizer)
        logits, trace = model(ids)
        terms = head_terms(trace[shown[0]], shown[1])
        level = LEVEL * min(1, (step + 1) / LEVEL_GROWS)
        loss = (next_token_loss(logits, ids) + SINK * terms[0] + SHAPE * terms[1]
                + FLAT * terms[2] + level * terms[3])
        step_by(optimizer, model, loss)
        if step % 100 in (0, 20, 99):
            with torch.no_grad():
                held = float(next_token_loss(model(held_out)[0], held_out))
            print(f"more, step {step + 1}: held out {held:.4f}, sink {float(terms[0]):.4f}, "
                  f"shape {float(terms[1]):.3f}, flat {float(terms[2]):.4f}, "
                  f"level {float(terms[3]):.4f}", flush=True)


def load_model(folder):
    model = GPT2()
    tensors = check.load_safetensors(os.path.join(folder, "model.safetensors"))
    model.load_state_dict({name: torch.tensor(tensor) for name, tensor in tensors.items()})
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=[2])
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--more", type=int, default=400, help="steps of the second run")
    parser.add_argument("--from", dest="begin", help="where the first run left its model")
    options = parser.parse_args()
    torch.set_num_threads(1)
    os.makedirs(options.out, exist_ok=True)
    inputs = os.path.join(options.out, "inputs.json")
    if not os.path.exists(inputs):
        shutil.copy(os.path.join(HERE, "inputs.json"), inputs)
    path = os.path.join(options.out, "tokenizer.json")
    if options.begin:
        shutil.copy(os.path.join(options.begin, "tokenizer.json"), path)
        tokenizer = check.Tokenizer.load(path)
    else:
        tokenizer = train_tokenizer(0)
        save_tokenizer(tokenizer, path)
    for seed in options.seeds:
        if options.begin:
            model = load_model(options.begin)
        else:
            model = train(seed, options.steps, tokenizer)
        train_more(model, seed, options.more, tokenizer)
        save_model(model, options.out)
        rows, facts = check.measure(options.out)
        for holds, text in rows:
            print("ok  " if holds else "FAIL", text)
        print(f"seed {seed}: shown head {facts['shown']}", flush=True)
        if all(holds for holds, _ in rows):
            break


if __name__ == "__main__":
    main()
