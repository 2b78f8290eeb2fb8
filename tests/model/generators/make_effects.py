#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes effects.safetensors in some of the folders that make_fixtures.py made: maps beside the attention weights,
operations on more than queries, keys and values, and what they do to the prediction, in float64 by PyTorch and by
the formulas of the papers, apart from the program. Run it in the folder of the fixtures:

    python3 generators/make_effects.py

Beside "ids" and "other", a second input for patches, there is for each case "CASE/weights" [L, H, T, T],
"CASE/logits" [T, V] and, where they are to be compared, "CASE/scores", "CASE/value-norm", "CASE/logit" (of the
token that follows), "CASE/logit=3-5" and "CASE/rollout" [L, T, T]; masked cells of scores and rows without a token
that follows are NaN. What becomes of the prediction, each for the unchanged pass and the case where it has two:
"CASE/kl", "CASE/variation" [T], "CASE/loss", "CASE/rank", "CASE/difference" (of the logits 3 and 5) [2, T], "CASE/top",
"CASE/probabilities" and "CASE/others" [2, T, 3]. A case is interventions with a space between them, "COMPONENT/OPERATION/LAYERS/HEADS/TOKENS"
as in make_fixtures.py; besides, an operation is "zero", "patch" (positions in order), "patch:FROM=TO,..." or, of
the component "scores", "cut" of the queries TOKENS from keys: "scores/cut=KEYS/LAYERS/HEADS/QUERIES"."""

import json
import math
import os

import torch

import families
from make_fixtures import in_set, write_safetensors

DTYPES = {"F32": torch.float32, "BF16": torch.bfloat16, "F16": torch.float16, "I64": torch.int64, "BOOL": torch.bool}


def read_safetensors(path):
    with open(path, "rb") as file:
        raw = file.read()
    size = int.from_bytes(raw[:8], "little")
    header, tensors = json.loads(raw[8: 8 + size]), {}
    for name, entry in header.items():
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        tensors[name] = torch.frombuffer(bytearray(raw[begin:end]), dtype=DTYPES[entry["dtype"]]).reshape(entry["shape"])
    return tensors


class Run:
    """One pass: what is changed on the way, and what was seen."""

    def __init__(self, case, n_layers, other=None):
        self.cases = [] if case == "baseline" else [part.split("/") for part in case.split(" ")]
        self.n_layers, self.other = n_layers, other
        self.layer, self.seen = 0, {}

    def change(self, layer, site, components):
        self.layer = layer
        for name in components:
            self.seen[name, site, layer] = components[name]
        for component, operation, layers, heads, tokens in self.cases:
            operation, _, wanted = operation.partition("@")
            if component not in components or not in_set(layers, self.n_layers)[layer]:
                continue
            if component in ("query", "key", "value") and site != (wanted or "projection"):
                continue
            x = components[component]
            shared = (components["query"].shape[0] if "query" in components else x.shape[0]) // x.shape[0]
            scope = in_set(heads, x.shape[0] * shared).reshape(-1, shared).any(1)[:, None, None] \
                if component not in ("residual", "inner") else torch.ones(1, 1, 1, dtype=torch.bool)
            changed = x
            if operation == "zero":
                changed = torch.zeros_like(x)
            elif operation.startswith("scale="):
                changed = x * float(operation[len("scale="):])
            elif operation.startswith("patch"):
                source = self.other.seen[component, site, layer]
                pairs = [pair.split("=") for pair in operation[len("patch:"):].split(",")] if ":" in operation \
                    else [(i, i) for i in range(min(x.shape[1], source.shape[1]))]
                changed = x.clone()
                for begin, end in pairs:
                    changed[:, int(end)] = source[:, int(begin)]
            else:
                dimension = {"mean-head": 0, "mean-token": 1, "mean-feature": 2}[operation]
                changed = x.mean(dimension, keepdim=True).expand_as(x)
            components[component] = torch.where(scope & in_set(tokens, x.shape[1])[None, :, None], changed, x)

    def attend(self, c, factor, causal=True, window=None, cap=None, bias=None):
        """As families.attend, and what lies within."""
        shared = c["query"].shape[0] // c["key"].shape[0]
        key, value = (c[name].repeat_interleave(shared, 0) for name in ("key", "value"))
        scores = c["query"] @ key.transpose(1, 2) * factor
        if cap:
            scores = cap * torch.tanh(scores / cap)
        if bias is not None:
            scores = scores + bias
        n = scores.shape[-1]
        distance = torch.arange(n)[:, None] - torch.arange(n)[None, :]
        hidden = (distance < 0) if causal else torch.zeros(n, n, dtype=torch.bool)
        if window:
            hidden = hidden | (distance >= window)
        hidden = hidden.expand(scores.shape).clone()
        for component, operation, layers, heads, tokens in self.cases:
            if component == "scores" and in_set(layers, self.n_layers)[self.layer]:
                hidden |= (in_set(heads, scores.shape[0])[:, None, None] & in_set(tokens, n)[None, :, None]
                           & in_set(operation[len("cut="):], n)[None, None, :])
        scores = scores.masked_fill(hidden, -math.inf)
        weights = torch.softmax(scores, -1)
        self.seen["scores", self.layer], self.seen["attention", self.layer] = scores, weights
        self.seen["values", self.layer] = value
        out = {"output": weights @ value}
        self.change(self.layer, "output", out)
        return weights, families.join_heads(out["output"])


def run_gpt2(config, w, ids, change):
    """From the description of GPT-2: pre-norm blocks, learned positions."""
    def conv(x, name):
        return x @ w[name + ".weight"] + w[name + ".bias"]

    epsilon, maps = config["layer_norm_epsilon"], []
    x = w["wte.weight"][ids] + w["wpe.weight"][: len(ids)]
    for layer in range(config["n_layer"]):
        h = f"h.{layer}."
        x = families.change(change, layer, "residual", x)
        parts = conv(families.layer_norm(x, w, h + "ln_1", epsilon), h + "attn.c_attn").split(config["n_embd"], -1)
        c = {name: families.split_heads(part, config["n_head"]) for name, part in zip(("query", "key", "value"), parts)}
        change(layer, "projection", c)
        factor = 1 / math.sqrt(config["n_embd"] // config["n_head"])
        if config.get("scale_attn_by_inverse_layer_idx"):
            factor /= layer + 1
        attention, y = families.attend(c, factor)
        maps.append(attention)
        x = x + conv(y, h + "attn.c_proj")
        y = conv(families.layer_norm(x, w, h + "ln_2", epsilon), h + "mlp.c_fc")
        y = conv(families.activate(config["activation_function"], y), h + "mlp.c_proj")
        x = x + families.change(change, layer, "inner", y)
    w["stream"] = x
    x = families.layer_norm(x, w, "ln_f", epsilon)
    return torch.stack(maps), x @ w.get("lm_head.weight", w["wte.weight"]).T


def value_norms(run, w, output, n_layers):
    return torch.stack([run.seen["attention", layer] * (run.seen["values", layer] @ output(w, layer)).norm(dim=-1)[:, None, :]
                        for layer in range(n_layers)])


def logits_of(run, w, output, norm, unembedding, stream, token, versus, ids, n_layers):
    """The final norm frozen at the divisor that it has in each row; its weight and its centring are applied."""
    maps = []
    for layer in range(n_layers):
        moved = run.seen["values", layer] @ output(w, layer)
        rows = []
        for i in range(len(ids)):
            t = token if token is not None else (int(ids[i + 1]) if i + 1 < len(ids) else None)
            if t is None:
                rows.append(torch.full((moved.shape[0], len(ids)), math.nan, dtype=torch.float64))
                continue
            direction = unembedding[t] - (unembedding[versus] if versus is not None else 0)
            rows.append(run.seen["attention", layer][:, i, :] * (norm(moved, stream[i]) @ direction))
        maps.append(torch.stack(rows, 1))
    return torch.stack(maps)


def rollouts(run, n_layers):
    result, r = [], None
    for layer in range(n_layers):
        a = run.seen["attention", layer].mean(0)
        a = (a + torch.eye(a.shape[0])) / 2
        r = a if r is None else a @ r
        result.append(r)
    return torch.stack(result)


def effects_of(before, after, ids, n_ahead):
    """What a change makes of the prediction; n_ahead: whether a position predicts the next token or its own."""
    p, q = torch.log_softmax(before, -1), torch.log_softmax(after, -1)
    pair, n, n_targets = torch.stack((p, q)), len(ids), len(ids) - n_ahead
    top = pair.sort(stable=True, dim=-1, descending=True).indices[..., :3]
    loss, rank = (torch.full((2, n), math.nan, dtype=torch.float64) for _ in range(2))
    for row in range(n_targets):
        target = int(ids[row + n_ahead])
        loss[:, row] = -pair[:, row, target] / math.log(2)
        rank[:, row] = 1.0 + (pair[:, row] > pair[:, row, target, None]).sum(-1)
    logits = torch.stack((before, after))
    return {"kl": (p.exp() * (p - q)).sum(-1) / math.log(2), "variation": (p.exp() - q.exp()).abs().sum(-1) / 2,
            "loss": loss, "rank": rank, "difference": logits[..., 3] - logits[..., 5], "top": top,
            "probabilities": pair.exp().gather(-1, top), "others": pair.flip(0).exp().gather(-1, top)}


def make(name, run_model, prefix, output, norm, unembedding, cases):
    """norm (moved, row, w, config): the vectors through the final norm, linear with the divisor of that row."""
    with open(os.path.join(name, "config.json")) as file:
        config = json.load(file)
    stored = read_safetensors(os.path.join(name, "model.safetensors"))
    w = {key[len(prefix):] if key.startswith(prefix) else key: tensor.double() for key, tensor in stored.items()}
    ids = read_safetensors(os.path.join(name, "expected.safetensors"))["ids"]
    generator = torch.Generator().manual_seed(7)
    other = torch.randint(config["vocab_size"], ids.shape, generator=generator)
    n_layers = config.get("num_hidden_layers", config.get("n_layer"))
    expected = {"ids": ids, "other": other}
    final = {}
    names = ("layer_norm", "rms_norm", "attend")
    original = {key: getattr(families, key) for key in names}

    def see(function):
        def seen(x, *rest):
            final["row"] = x
            return function(x, *rest)
        return seen

    def compute(case, tokens, source):
        run = Run(case, n_layers, source)
        families.attend = run.attend
        families.layer_norm, families.rms_norm = see(original["layer_norm"]), see(original["rms_norm"])
        maps, logits = run_model(config, w, tokens, run.change)
        for key in names:
            setattr(families, key, original[key])
        return run, maps, logits, final["row"]

    source = compute("baseline", other, None)[0]
    before = compute("baseline", ids, None)[2]
    for case in cases:
        run, maps, logits, stream = compute(case, ids, source)
        expected[case + "/weights"], expected[case + "/logits"] = maps, logits
        for key, value in effects_of(before, logits, ids, 0 if name == "bert" else 1).items():
            expected[f"{case}/{key}"] = value
        if case not in MAPPED:
            continue
        scores = torch.stack([run.seen["scores", layer] for layer in range(n_layers)])
        expected[case + "/scores"] = scores.masked_fill(scores == -math.inf, math.nan)
        expected[case + "/rollout"] = rollouts(run, n_layers)
        expected[case + "/value-norm"] = value_norms(run, w, lambda w, layer: output(w, layer, config), n_layers)
        if norm is None:
            continue
        for key, token, versus in (("logit", None, None), ("logit=3-5", 3, 5)):
            expected[f"{case}/{key}"] = logits_of(
                run, w, lambda w, layer: output(w, layer, config), lambda x, row: norm(x, row, w, config),
                unembedding(w), stream, token, versus, ids, n_layers)
    write_safetensors(os.path.join(name, "effects.safetensors"),
                      {key: value if value.dtype == torch.int64 else value.float() for key, value in expected.items()})
    print(f"{name}: {len(expected)} arrays")


def by_head(weight, n_heads):
    """[D, H d], as most checkpoints store it, as [H, d, D]."""
    return weight.T.reshape(n_heads, -1, weight.shape[0])


def frozen_layer_norm(name, epsilon):
    def norm(x, row, w, config):
        divisor = torch.sqrt(((row - row.mean()) ** 2).mean() + config[epsilon])
        return (x - x.mean(-1, keepdim=True)) / divisor * w[name + ".weight"]
    return norm


def frozen_rms_norm(x, row, w, config):
    return x / torch.sqrt((row ** 2).mean() + config["rms_norm_eps"]) * w["norm.weight"]


MAPPED = ("baseline", "value/scale=0.3/0/all/all", "query/zero/1/all/all", "key/patch/1/all/0-4",
          "scores/cut=0-3,5-9/0/all/4", "residual/mean-token/1/all/all", "inner/zero/0/all/all")
CASES = MAPPED + (
    "key/zero/0/1-2/all", "value/zero/1/all/2-5", "query/scale=0.3/1/all/all", "key/scale=1e-3/0/2/1-6",
    "query/mean-feature/0/all/all", "query/mean-token/1/all/2-5", "query/mean-head/0/1-3/all",
    "key/mean-feature/1/all/all", "key/mean-token/0/all/all", "key/mean-head/1/all/all",
    "value/mean-feature/0/0/all", "value/mean-token/0/all/all", "value/mean-head/0/all/1-4",
    "output/zero/0/1/all", "output/zero/0/all/all", "output/scale=0.3/1/all/2-4", "output/mean-token/0/0/all",
    "output/mean-head/all/all/all", "output/mean-feature/1/2/all", "residual/zero/1/all/3",
    "residual/mean-feature/0/all/1-2", "inner/mean-token/1/all/2-5", "inner/mean-feature/all/all/all",
    "query/patch/0/all/all", "value/patch:1=2,4=3/0/1/all", "output/patch/0/0,2/all",
    "residual/patch/0/all/all", "residual/patch/1/all/4", "inner/patch:2=5/0/all/all",
    "scores/cut=0/1/all/3-9", "scores/cut=1-2/all/0/5,6",
    "key/scale=0.5/0/all/all scores/cut=0/0/1/2-9 output/zero/1/0/all inner/patch/1/all/3")


def main():
    make("gpt2-prefixed", run_gpt2, "transformer.",
         lambda w, layer, c: w[f"h.{layer}.attn.c_proj.weight"].reshape(c["n_head"], -1, c["n_embd"]),
         frozen_layer_norm("ln_f", "layer_norm_epsilon"), lambda w: w["wte.weight"], CASES)
    for name, norm in (("llama", frozen_rms_norm), ("gemma2", None)):
        make(name, families.run_llama, "model.",
             lambda w, layer, c: by_head(w[f"layers.{layer}.self_attn.o_proj.weight"], c["num_attention_heads"]),
             norm, lambda w: w.get("lm_head.weight", w["embed_tokens.weight"]), CASES)
    make("gpt_neox", families.run_neox, "gpt_neox.",
         lambda w, layer, c: by_head(w[f"layers.{layer}.attention.dense.weight"], c["num_attention_heads"]),
         frozen_layer_norm("final_layer_norm", "layer_norm_eps"), lambda w: w["embed_out.weight"], CASES)
    make("bert", families.run_encoder, "bert.",
         lambda w, layer, c: by_head(w[f"encoder.layer.{layer}.attention.output.dense.weight"], c["num_attention_heads"]),
         None, None, CASES)


if __name__ == "__main__":
    main()
