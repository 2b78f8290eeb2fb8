#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later

"""attribution.py PROGRAM [--mpi PROGRAM] [--kills N]: which heads matter over a data set, by `survey --attribute`,
held against models written here with NumPy from their definitions, and the angle as it is published
(lib/Sahara of ydyjya/SafetyHeadAttribution). Prints TAP."""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time

from tap import run_tests

try:
    import numpy as np
except ImportError:
    print("1..0 # SKIP no NumPy")
    sys.exit(0)

parser = argparse.ArgumentParser()
parser.add_argument("program", type=os.path.abspath)
parser.add_argument("--mpi", type=os.path.abspath)
parser.add_argument("--kills", type=int, default=20)
OPTIONS = parser.parse_args()

LAYERS, HEADS, WIDTH, VOCABULARY, LENGTH, TEXTS = 3, 4, 32, 61, 9, 40
HEAD = WIDTH // HEADS


def run(*words, expect=0, program=OPTIONS.program, **options):
    done = subprocess.run([program, *words], capture_output=True, text=True, **options)
    assert done.returncode == expect, f"{words}: status {done.returncode}, {done.stderr}"
    return done.stderr


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


# -- Checkpoints --

def save(folder, config, tensors):
    os.makedirs(folder)
    header, data = {}, b""
    for name, tensor in tensors.items():
        body = np.ascontiguousarray(tensor, "<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(body)]}
        data += body
    text = json.dumps(header).encode()
    with open(os.path.join(folder, "model.safetensors"), "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + data)
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        json.dump(config, file)
    return folder


def draw(random, *shape, scale=0.3):
    return random.normal(0, scale, shape).astype(np.float32)


class Model:
    """A pre-norm decoder in float64. An operation is (component, kind, factor or axis), done to the heads
    in `changed`, [(layer, head)], in this order."""

    def norm(self, x, weight, bias):
        raise NotImplementedError

    def final(self, ids, operation=None, changed=()):
        """The state of the last token behind the final norm."""
        n = len(ids)
        # Before the first layer with a change all is as without.
        states = self.states.setdefault(tuple(ids), [self.embed(ids)])
        first = min((at for at, _ in changed), default=len(states) - 1)
        x = states[first]
        for layer in range(first, LAYERS):
            normed = self.normalize(x, layer, 0)
            query, key, value = self.project(normed, layer)
            components = {"query": query, "key": key, "value": value}
            for at, head in changed:
                if at == layer and operation[0] in components:
                    shared = HEADS // len(components[operation[0]])
                    self.change(components[operation[0]], head // shared, operation)
            query, key = self.rotate(query), self.rotate(key)
            key, value = (np.repeat(x, HEADS // len(x), axis=0) for x in (key, value))
            scores = query @ key.transpose(0, 2, 1) / np.sqrt(HEAD)
            scores += np.triu(np.full((n, n), -np.inf), 1)
            weights = np.exp(scores - scores.max(2, keepdims=True))
            weights /= weights.sum(2, keepdims=True)
            context = (weights @ value).transpose(1, 0, 2).copy()
            for at, head in changed:
                if at == layer and operation[0] == "output":
                    self.change(context.transpose(1, 0, 2), head, operation)
            x = x + self.output(context.reshape(n, WIDTH), layer)
            x = x + self.mlp(self.normalize(x, layer, 1), layer)
            if not changed:
                states.append(x)
        return self.normalize(x[-1:], None, None)[0]

    @staticmethod
    def change(vectors, head, operation):
        _, kind, how = operation
        if kind == "scale":
            vectors[head] *= how
        elif kind == "zero":
            vectors[head] = 0
        elif how == "head":
            vectors[head] = vectors.mean(0)
        elif how == "token":
            vectors[head] = vectors[head].mean(0)
        else:
            vectors[head] = vectors[head].mean(1, keepdims=True)

    def probabilities(self, state):
        logits = state @ self.unembedding.astype(float).T
        p = np.exp(logits - logits.max())
        return p / p.sum()


class Plain(Model):
    """As GPT-2."""

    def __init__(self, folder, seed, zeroed=None):
        rand = np.random.default_rng(seed)
        tensors = {"wte.weight": draw(rand, VOCABULARY, WIDTH, scale=1), "wpe.weight": draw(rand, 64, WIDTH),
                   "ln_f.weight": 1 + draw(rand, WIDTH), "ln_f.bias": draw(rand, WIDTH)}
        for i in range(LAYERS):
            for name, shape in [("attn.c_attn", (WIDTH, 3 * WIDTH)), ("attn.c_proj", (WIDTH, WIDTH)),
                                ("mlp.c_fc", (WIDTH, 4 * WIDTH)), ("mlp.c_proj", (4 * WIDTH, WIDTH))]:
                tensors[f"h.{i}.{name}.weight"] = draw(rand, *shape)
                tensors[f"h.{i}.{name}.bias"] = draw(rand, shape[1])
            for name in ("ln_1", "ln_2"):
                tensors[f"h.{i}.{name}.weight"] = 1 + draw(rand, WIDTH)
                tensors[f"h.{i}.{name}.bias"] = draw(rand, WIDTH)
        if zeroed:
            layer, head = zeroed
            tensors[f"h.{layer}.attn.c_proj.weight"][head * HEAD:(head + 1) * HEAD] = 0
        self.tensors = {name: tensor.astype(float) for name, tensor in tensors.items()}
        self.states = {}  # of each text, before each layer, where nothing is changed
        self.unembedding = tensors["wte.weight"]
        self.path = save(folder, {"model_type": "gpt2", "n_embd": WIDTH, "n_head": HEADS, "n_layer": LAYERS,
                                  "n_positions": 64, "n_ctx": 64, "vocab_size": VOCABULARY,
                                  "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5}, tensors)

    def get(self, layer, name):
        prefix = "" if layer is None else f"h.{layer}."
        return self.tensors[prefix + name]

    def embed(self, ids):
        return self.get(None, "wte.weight")[ids] + self.get(None, "wpe.weight")[:len(ids)]

    def normalize(self, x, layer, which):
        name = "ln_f" if layer is None else f"ln_{which + 1}"
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
        return x * self.get(layer, name + ".weight") + self.get(layer, name + ".bias")

    def linear(self, x, layer, name):
        return x @ self.get(layer, name + ".weight") + self.get(layer, name + ".bias")

    def project(self, x, layer):
        qkv = self.linear(x, layer, "attn.c_attn").reshape(len(x), 3, HEADS, HEAD)
        return [qkv[:, i].transpose(1, 0, 2).copy() for i in range(3)]

    def rotate(self, x):
        return x

    def output(self, x, layer):
        return self.linear(x, layer, "attn.c_proj")

    def mlp(self, x, layer):
        h = self.linear(x, layer, "mlp.c_fc")
        h = 0.5 * h * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.044715 * h ** 3)))
        return self.linear(h, layer, "mlp.c_proj")


class Grouped(Model):
    """As Llama, with two key heads for four query heads."""

    KEYS = 2
    INNER = 48

    def __init__(self, folder, seed):
        rand = np.random.default_rng(seed)
        tensors = {"model.embed_tokens.weight": draw(rand, VOCABULARY, WIDTH, scale=1),
                   "lm_head.weight": draw(rand, VOCABULARY, WIDTH), "model.norm.weight": 1 + draw(rand, WIDTH)}
        for i in range(LAYERS):
            for name, shape in [("self_attn.q_proj", (WIDTH, WIDTH)), ("self_attn.k_proj", (self.KEYS * HEAD, WIDTH)),
                                ("self_attn.v_proj", (self.KEYS * HEAD, WIDTH)), ("self_attn.o_proj", (WIDTH, WIDTH)),
                                ("mlp.gate_proj", (self.INNER, WIDTH)), ("mlp.up_proj", (self.INNER, WIDTH)),
                                ("mlp.down_proj", (WIDTH, self.INNER))]:
                tensors[f"model.layers.{i}.{name}.weight"] = draw(rand, *shape)
            for name in ("input_layernorm", "post_attention_layernorm"):
                tensors[f"model.layers.{i}.{name}.weight"] = 1 + draw(rand, WIDTH)
        self.tensors = {name: tensor.astype(float) for name, tensor in tensors.items()}
        self.states = {}  # of each text, before each layer, where nothing is changed
        self.unembedding = tensors["lm_head.weight"]
        self.path = save(folder, {"model_type": "llama", "hidden_size": WIDTH, "num_attention_heads": HEADS,
                                  "num_key_value_heads": self.KEYS, "num_hidden_layers": LAYERS,
                                  "intermediate_size": self.INNER, "max_position_embeddings": 64,
                                  "vocab_size": VOCABULARY, "rms_norm_eps": 1e-6, "rope_theta": 10000.0,
                                  "hidden_act": "silu", "tie_word_embeddings": False}, tensors)

    def get(self, layer, name):
        prefix = "model." if layer is None else f"model.layers.{layer}."
        return self.tensors[prefix + name + ".weight"]

    def embed(self, ids):
        return self.get(None, "embed_tokens")[ids]

    def normalize(self, x, layer, which):
        name = "norm" if layer is None else ("input_layernorm", "post_attention_layernorm")[which]
        return x / np.sqrt((x ** 2).mean(-1, keepdims=True) + 1e-6) * self.get(layer, name)

    def project(self, x, layer):
        return [(x @ self.get(layer, f"self_attn.{c}_proj").T).reshape(len(x), -1, HEAD).transpose(1, 0, 2).copy()
                for c in "qkv"]

    def rotate(self, x):
        half = HEAD // 2
        angles = np.arange(x.shape[1])[:, None] / 10000.0 ** (np.arange(half) / half)
        a, b = x[..., :half], x[..., half:]
        return np.concatenate([a * np.cos(angles) - b * np.sin(angles), b * np.cos(angles) + a * np.sin(angles)], -1)

    def output(self, x, layer):
        return x @ self.get(layer, "self_attn.o_proj").T

    def mlp(self, x, layer):
        gate = x @ self.get(layer, "mlp.gate_proj").T
        return (gate / (1 + np.exp(-gate)) * (x @ self.get(layer, "mlp.up_proj").T)) @ self.get(layer, "mlp.down_proj").T


# -- As published --

def get_angle(first, second, rank):
    """compute_subspace_similarity, for any rank."""
    u = np.linalg.svd(first, full_matrices=False)[0][:, :rank]
    v = np.linalg.svd(second, full_matrices=False)[0][:, :rank]
    cosines = np.linalg.svd(u.T @ v)[1]
    return np.degrees(np.arccos(np.clip(cosines, -1, 1))).sum()


def attribute(model, texts, operation, rank=1, steps=1):
    """KL [texts, layers, heads] of the first step, angles [steps, layers, heads], chosen [steps, 2]."""
    plain = np.array([model.final(ids) for ids in texts])
    kl = np.empty((len(texts), LAYERS, HEADS))
    angles = np.full((steps, LAYERS, HEADS), np.nan)
    chosen = []
    for step in range(steps):
        for layer in range(LAYERS):
            for head in range(HEADS):
                if (layer, head) in chosen:
                    continue
                changed = np.array([model.final(ids, operation, [*chosen, (layer, head)]) for ids in texts])
                angles[step, layer, head] = get_angle(plain, changed, rank)
                for i in range(len(texts) if step == 0 else 0):
                    p, q = model.probabilities(plain[i]), model.probabilities(changed[i])
                    kl[i, layer, head] = (p * np.log(p / q)).sum()
        chosen.append(np.unravel_index(np.nanargmax(angles[step]), (LAYERS, HEADS)))
    return kl, angles, np.array(chosen)


def get_option(operation):
    component, kind, how = operation
    if kind == "scale":
        return ["--scale", f"{component}={how:g}"]
    return ["--zero", component] if kind == "zero" else ["--mean", component, "--axis", how]


def write_ids(folder, seed, n=TEXTS):
    texts = np.random.default_rng(seed).integers(0, VOCABULARY, (n, LENGTH))
    path = os.path.join(folder, "texts.npy")
    np.save(path, texts.astype(np.int64))
    return path, texts


def hold(folder, model, operation, rank=1, steps=1, n=TEXTS):
    path, texts = write_ids(folder, 7, n)
    output = os.path.join(folder, "-".join(map(str, (model.path[-1], *operation, rank, steps))) + ".npz")
    run("survey", "--attribute", "--model", model.path, "--texts", path, *get_option(operation), "--rank", str(rank),
        "--steps", str(steps), "-o", output)
    kl, angles, chosen = attribute(model, texts, operation, rank, steps)
    found = np.load(output)
    values = found["attribution.values"][:, 0]
    assert np.abs(values - kl).max() <= 1e-4 * kl.max(), (operation, np.abs(values - kl).max(), kl.max())
    assert np.abs(found["attribution.kl"] - kl.mean(0)).max() <= 1e-4 * kl.mean(0).max(), operation
    assert (np.isnan(found["attribution.angle"]) == np.isnan(angles)).all(), operation
    worst = np.nanmax(np.abs(found["attribution.angle"] - angles))
    assert worst < 0.01, (operation, worst)
    assert found["attribution.chosen"].tolist() == chosen.tolist(), (operation, found["attribution.chosen"], chosen)
    flat = kl.reshape(len(texts), -1)
    first = np.argsort(-flat, axis=1, kind="stable")[:, :10]
    counts = np.bincount(first.ravel(), minlength=LAYERS * HEADS).reshape(LAYERS, HEADS)
    # Two heads that are as good as equal may stand in either order.
    margin = 1e-4 * kl.max()
    tenth = np.sort(flat, axis=1)[:, ::-1]
    close = (tenth[:, 9] - tenth[:, 10] < margin).sum()
    assert np.abs(found["attribution.first"].astype(int) - counts).sum() <= 2 * close, operation
    return found


def test_scaled_queries_as_published(folder):
    for model in (Plain(folder + "/p", 1), Grouped(folder + "/g", 2)):
        hold(folder, model, ("query", "scale", 1e-5), steps=3)


def test_other_operations(folder):
    plain, grouped = Plain(folder + "/p", 3), Grouped(folder + "/g", 4)
    for model, operation in [(plain, ("query", "mean", "head")), (plain, ("output", "zero", None)),
                             (plain, ("key", "mean", "token")), (grouped, ("query", "mean", "feature")),
                             (grouped, ("value", "zero", None)), (grouped, ("key", "scale", 0.5))]:
        hold(folder, model, operation, n=6)


def test_heads_of_a_group_are_equal(folder):
    found = hold(folder, Grouped(folder + "/g", 5), ("key", "scale", 0.25), n=6)
    values = found["attribution.values"]
    assert (values[..., 0::2] == values[..., 1::2]).all()


def test_more_than_one_angle(folder):
    for rank in (2, 5):
        hold(folder, Plain(folder + f"/p{rank}", 6), ("query", "scale", 1e-5), rank=rank, n=12)
        hold(folder, Grouped(folder + f"/g{rank}", 7), ("query", "scale", 1e-5), rank=rank, n=12, steps=2)


def test_one_leaves_all_as_it_is(folder):
    found = hold(folder, Grouped(folder + "/g", 8), ("query", "scale", 1), n=6)
    assert (found["attribution.values"] == 0).all() and (found["attribution.angle"] == 0).all()


def test_head_that_adds_nothing_does_nothing(folder):
    found = hold(folder, Plain(folder + "/p", 9, zeroed=(1, 2)), ("query", "scale", 1e-5), n=6)
    assert (found["attribution.values"][:, 0, 1, 2] == 0).all()
    assert found["attribution.angle"][0, 1, 2] == 0
    assert (found["attribution.values"][:, 0, 1, 1] > 0).all()


def test_bits(folder):
    model, (path, _) = Plain(folder + "/p", 1), write_ids(folder, 7)
    for unit in ("bits", "nats"):
        run("survey", "--attribute", "--model", model.path, "--texts", path, "--scale", "query=0.1", "--unit", unit,
            "-o", f"{folder}/{unit}.npz")
    nats, bits = (np.load(f"{folder}/{unit}.npz") for unit in ("nats", "bits"))
    assert np.allclose(bits["attribution.kl"] * np.log(2), nats["attribution.kl"], rtol=1e-12)
    assert (bits["attribution.first"] == nats["attribution.first"]).all()


def test_at_any_position(folder):
    """What a model that looks back says at a position is what it says at the end of the text up to there."""
    for model in (Plain(folder + "/p", 1), Grouped(folder + "/g", 2)):
        path, texts = write_ids(folder, 7, 3)
        operation = ("query", "scale", 1e-5)
        expected = np.stack([attribute(model, texts[:, :n + 1], operation)[0] for n in range(LENGTH)])
        angles = attribute(model, texts, operation)[1]
        for at, kl in [("2", expected[2]), (str(LENGTH - 1), expected[-1]), ("all", expected.mean(0))]:
            run("survey", "--attribute", "--model", model.path, "--texts", path, *get_option(operation), "--at", at,
                "-o", f"{folder}/at.npz")
            found = np.load(f"{folder}/at.npz")
            assert np.abs(found["attribution.values"][:, 0] - kl).max() <= 1e-4 * expected.max(), at
            assert np.abs(found["attribution.angle"] - angles).max() < 0.01, at
            os.remove(f"{folder}/at.npz")


def test_text_without_the_position_does_not_count(folder):
    with open(f"{folder}/texts.txt", "w", encoding="utf-8") as file:
        file.write("A rose is a rose in the garden.\nA rose.\nThe list is bread and milk.\n")
    words = ["survey", "--attribute", "--texts", f"{folder}/texts.txt", "--scale", "query=1e-5"]
    run(*words, "--at", "5", "-o", f"{folder}/s.npz")
    found = np.load(f"{folder}/s.npz")
    values = found["attribution.values"][:, 0]
    assert np.isnan(values[1]).all() and not np.isnan(values[[0, 2]]).any()
    assert (found["attribution.count"] == 2).all() and found["attribution.first"].max() == 2
    assert np.allclose(found["attribution.kl"], values[[0, 2]].mean(0), rtol=1e-12)
    report = subprocess.run([OPTIONS.program, "survey", "report", f"{folder}/s.npz", "--json"], capture_output=True,
                            text=True, check=True).stdout
    assert json.loads(report)["attribution"]["at"] == "5"
    message = run(*words, "--at", "10", "-o", f"{folder}/no.npz", expect=1)
    assert "--at: 10 found" in message and "the longest text has 10 tokens" in message, message


def test_texts_behind_a_head(folder):
    model, (path, _) = Plain(folder + "/p", 1), write_ids(folder, 7)
    run("survey", "--attribute", "--model", model.path, "--texts", path, "--scale", "query=1e-5", "-o", f"{folder}/s.npz")
    found = np.load(f"{folder}/s.npz")
    values = found["attribution.values"][:, 0]
    for layer in range(LAYERS):
        for head in range(HEADS):
            order = np.argsort(-values[:, layer, head], kind="stable")[:8]
            assert found["attribution.top"][0, layer, head].tolist() == order.tolist()


def test_report_has_heads_in_order(folder):
    model, (path, _) = Grouped(folder + "/g", 2), write_ids(folder, 7)
    run("survey", "--attribute", "--model", model.path, "--texts", path, "--scale", "query=1e-5", "--steps", "2",
        "-o", f"{folder}/s.npz")
    found = np.load(f"{folder}/s.npz")
    text = subprocess.run([OPTIONS.program, "survey", "report", f"{folder}/s.npz", "--json"], capture_output=True,
                          text=True, check=True).stdout
    again = subprocess.run([OPTIONS.program, "survey", "report", f"{folder}/s.npz", "--json"], capture_output=True,
                           text=True, check=True).stdout
    assert text == again
    report = json.loads(text)["attribution"]
    assert report["unit"] == "nats" and report["rank"] == 1 and "query scale 1e-5" in report["operation"]
    assert [[c["layer"], c["head"]] for c in report["chosen"]] == found["attribution.chosen"].tolist()
    means = [head["kl"] for head in report["heads"]]
    assert means == sorted(means, reverse=True) and len(means) == LAYERS * HEADS
    values = found["attribution.values"][:, 0]
    rand = np.random.default_rng(1)
    for head in report["heads"]:
        place = head["layer"], head["head"]
        own = values[:, place[0], place[1]]
        assert abs(head["kl"] - own.mean()) <= 1e-9 * own.mean()
        assert head["first"] == found["attribution.first"][place]
        assert head["angle"] == found["attribution.angle"][0][place]
        # Texts drawn with replacement, by another generator: the bounds agree within what 1,000 samples tell.
        drawn = own[rand.integers(0, len(own), (4000, len(own)))].mean(1)
        low, high = np.quantile(drawn, [0.025, 0.975])
        assert abs(head["low"] - low) < 0.25 * (high - low) and abs(head["high"] - high) < 0.25 * (high - low), place
    lines = subprocess.run([OPTIONS.program, "survey", "report", f"{folder}/s.npz"], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    assert [line for line in lines if line.startswith("  L")][0].startswith(
        f"  L{report['heads'][0]['layer']} H{report['heads'][0]['head']}  ")
    assert sum(line.startswith("step ") for line in lines) == 2


def test_one_text_is_that_of_the_atlas(folder):
    model = Grouped(folder + "/g", 2)
    path, texts = write_ids(folder, 7, 1)
    run("survey", "--attribute", "--model", model.path, "--texts", path, "--scale", "query=1e-5", "-o", f"{folder}/s.npz")
    run("compute", "score-atlas", "--model", model.path, "--ids", ",".join(map(str, texts[0])), "--measure",
        "effect:scale", "--scale", "query=1e-5", "--at", "last", "--unit", "nats", "-o", f"{folder}/atlas.npz")
    atlas = np.load(f"{folder}/atlas.npz")["panel_0_0"]
    assert np.abs(atlas - np.load(f"{folder}/s.npz")["attribution.kl"]).max() < 1e-5


def test_file_is_drawn_by_its_name(folder):
    model, (path, _) = Plain(folder + "/p", 1), write_ids(folder, 7, 3)
    run("survey", "--attribute", "--model", model.path, "--texts", path, "--scale", "query=1e-5", "-o", f"{folder}/s.npz")
    run("render", f"{folder}/s.npz", "-o", f"{folder}/s.svg")
    figure = read_bytes(f"{folder}/s.svg").decode()
    assert "Texts in First 10" in figure and "KL of the Head Alone" in figure


# -- The same bytes --

def begin(folder, *more):
    model, (path, _) = Grouped(folder + "/g", 11), write_ids(folder, 12, 70)
    return ["survey", "--attribute", "--model", model.path, "--texts", path, "--scale", "query=1e-5", *more]


def test_same_bytes_by_threads_and_shards(folder):
    words = begin(folder, "--at", "4")
    run(*words, "--threads", "1", "-o", f"{folder}/1.npz")
    expected = read_bytes(f"{folder}/1.npz")
    run(*words, "--threads", "2", "-o", f"{folder}/2.npz")
    assert read_bytes(f"{folder}/2.npz") == expected
    parts = [f"{folder}/part{i}.npz" for i in range(4)]
    for i, part in enumerate(parts):
        run(*words, "--shard", f"{i}/4", "-o", part)
        assert np.isnan(np.load(part)["attribution.angle"]).all()
    message = run("survey", "merge", parts[2], parts[0], "-o", f"{folder}/half.npz")
    assert "not complete: 18 of" in message, message
    run("survey", "merge", f"{folder}/half.npz", parts[3], parts[1], "-o", f"{folder}/merged.npz")
    assert read_bytes(f"{folder}/merged.npz") == expected
    message = run("survey", "merge", parts[1], f"{folder}/half.npz", parts[1], "-o", f"{folder}/no.npz", expect=1)
    assert "head 1 of layer 0 with texts 0 to 31 found again" in message, message


def test_goes_on_after_a_kill(folder):
    rand = random.Random(1)
    words = begin(folder, "--steps", "3", "--at", "all", "--threads", "2")
    begun = time.monotonic()
    run(*words, "-o", f"{folder}/whole.npz")
    seconds = time.monotonic() - begun
    for _ in range(OPTIONS.kills):
        process = subprocess.Popen([OPTIONS.program, *words, "-o", f"{folder}/killed.npz"], stderr=subprocess.DEVNULL)
        time.sleep(rand.uniform(0, seconds))
        process.send_signal(signal.SIGKILL)
        process.wait()
    run(*words, "-o", f"{folder}/killed.npz")
    assert read_bytes(f"{folder}/killed.npz") == read_bytes(f"{folder}/whole.npz")
    assert not os.path.exists(f"{folder}/killed.npz.journal")
    assert len({tuple(c) for c in np.load(f"{folder}/whole.npz")["attribution.chosen"]}) == 3


def test_same_bytes_by_ranks(folder):
    if OPTIONS.mpi is None:
        return "SKIP no MPI"
    words = begin(folder, "--steps", "2")
    run(*words, "-o", f"{folder}/alone.npz")
    run("--allow-run-as-root", "--oversubscribe", "-n", "3", OPTIONS.mpi, *words, "-o", f"{folder}/ranks.npz",
        program="mpirun", env={**os.environ, "OMPI_MCA_rmaps_base_oversubscribe": "1",
                               "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"})
    assert read_bytes(f"{folder}/ranks.npz") == read_bytes(f"{folder}/alone.npz")
    return None


def test_bad_input(folder):
    model, (path, _) = Plain(folder + "/p", 1), write_ids(folder, 7, 3)
    common = ["survey", "--model", model.path, "--texts", path, "-o", f"{folder}/s.npz"]
    scale = ["--attribute", "--scale", "query=1e-5"]
    for words, status, expected in [
            (["--attribute"], 1, "0 operations found"),
            ([*scale, "--zero", "key"], 1, "2 operations found"),
            ([*scale, "--scale", "query=1e-3"], 1, "2 operations found"),
            (["--attribute", "--zero", "residual"], 1, "residual zero"),
            (["--attribute", "--cut", "1=0"], 1, "scores cut"),
            ([*scale, "--statistic", "sink"], 2, "expected one of them"),
            ([*scale, "--rank", "4"], 1, "at most the number of texts, 3"),
            ([*scale, "--rank", "33"], 1, "expected 1 to 32"),
            ([*scale, "--steps", "13"], 1, "expected 1 to 12"),
            ([*scale, "--steps", "2", "--shard", "0/2"], 1, "expected one or the other"),
            ([*scale, "--scope-heads", "1"], 1, "each head alone"),
            ([*scale, "--scope-tokens", "99"], 1, "99"),
            ([*scale, "--unit", "watts"], 2, "bits, nats"),
            ([*scale, "--length", "99"], 1, "64"),
            ([*scale, "--at", "64"], 1, "at most 64 tokens"),
            ([*scale, "--at", "9"], 1, "the longest text has 9 tokens"),
            ([*scale, "--at", "end"], 2, "all, last or a number"),
            (["--rank", "2"], 2, "survey --attribute")]:
        message = run(*common, *words, expect=status)
        assert expected in message and message.count("\n") <= 2, message
        assert not os.path.exists(f"{folder}/s.npz"), words


def test_damaged_files_are_refused(folder):
    words = begin(folder, "--limit", "4")
    run(*words, "--at", "4", "-o", f"{folder}/other.npz")
    run(*words, "--shard", "0/2", "-o", f"{folder}/s.npz")
    message = run("survey", "merge", f"{folder}/s.npz", f"{folder}/other.npz", "-o", f"{folder}/no.npz", expect=1)
    assert message.count("\n") == 1, message
    whole = dict(np.load(f"{folder}/s.npz"))
    run(*words, "-o", f"{folder}/s.npz")
    for name, value in [("attribution.states", whole["attribution.states"][1:]),
                        ("attribution.values", whole["attribution.values"].astype(np.float32)),
                        ("attribution.texts", None), ("attribution.chosen", None), ("attribution.angle", None)]:
        arrays = {**whole, name: value}
        np.savez(f"{folder}/damaged.npz", **{k: v for k, v in arrays.items() if v is not None})
        message = run("survey", "report", f"{folder}/damaged.npz", expect=1)
        assert "expected what a survey writes" in message, message


run_tests(globals())
