#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes states.safetensors in some of the folders that make_fixtures.py made: what a pass leaves behind beside the
attention weights, in float64 by PyTorch, apart from the program. Run it in the folder of the fixtures:

    python3 generators/make_states.py

Beside "ids" there is for each case, as make_effects.py names them, "CASE/residual" [L + 1, T, D], what enters each
layer after what acts on it there, and what leaves the last; "CASE/output" [L, H, T, d]; "CASE/attention" and
"CASE/mlp" [L, T, D], what each adds; "CASE/cosine" and "CASE/norms" [L, H, T, T] of queries and keys, masked cells
NaN; "CASE/output-norm", relative to the layer, "CASE/query-norm", "CASE/key-norm" and "CASE/value-norm" [L, H]. Of the residual stream "CASE/entropy" [L + 1], of the shares of its squared singular values, in nats; "CASE/stream-norm", "CASE/stream-cosine" to the first token, "CASE/stream-largest" and "CASE/stream-channel"
[L + 1, T]."""

import json
import math
import os

import torch

import families
from make_effects import Run, read_safetensors, run_gpt2
from make_fixtures import write_safetensors

CASES = ("baseline", "value/scale=0.3/0/all/all", "query/scale=0.3/1/1/all", "output/zero/0/1/all",
         "residual/mean-token/1/all/all", "inner/zero/0/all/all")


class States(Run):
    def change(self, layer, site, components):
        super().change(layer, site, components)
        for name, x in components.items():
            self.seen[name, layer] = x

    def attend(self, c, factor, causal=True, window=None, cap=None, bias=None, sinks=None):
        self.seen["vectors", self.layer] = c["query"], c["key"], factor, causal, window
        return super().attend(c, factor, causal, window, cap, bias)


def maps(query, key, factor, causal, window):
    key = key.repeat_interleave(query.shape[0] // key.shape[0], 0)
    distance = torch.arange(query.shape[1])[:, None] - torch.arange(query.shape[1])[None, :]
    hidden = (distance < 0) if causal else torch.zeros_like(distance, dtype=torch.bool)
    if window:
        hidden = hidden | (distance >= window)
    norms = query.norm(dim=-1)[:, :, None] * key.norm(dim=-1)[:, None, :]
    return tuple(x.masked_fill(hidden, math.nan) for x in (query @ key.transpose(1, 2) / norms, norms * factor))


def make(name, run_model, prefix, attention, mlp=lambda w, layer, config, y: y, end=None):
    """attention (w, layer, config, y), mlp: what is added, of what the heads put out, [T, H d], or the MLP."""
    with open(os.path.join(name, "config.json")) as file:
        config = json.load(file)
    stored = read_safetensors(os.path.join(name, "model.safetensors"))
    w = {key[len(prefix):] if key.startswith(prefix) else key: tensor.double() for key, tensor in stored.items()}
    ids = read_safetensors(os.path.join(name, "expected.safetensors"))["ids"]
    n_layers = config.get("num_hidden_layers", config.get("n_layer"))
    expected = {"ids": ids}
    original = families.attend
    for case in CASES:
        run = States(case, n_layers)
        families.attend = run.attend
        run_model(config, w, ids, run.change)
        families.attend = original
        layers = range(n_layers)
        added = torch.stack([attention(w, layer, config, families.join_heads(run.seen["output", layer]))
                             for layer in layers])
        inner = torch.stack([mlp(w, layer, config, run.seen["inner", layer][0]) for layer in layers])
        stream = [run.seen["residual", layer][0] for layer in layers]
        last = stream[-1] + added[-1] + inner[-1] if end is None else end(w, config, stream[-1], added[-1], inner[-1])
        stream = torch.stack(stream + [last])
        shares = torch.linalg.svdvals(stream) ** 2
        shares = shares / shares.sum(-1, keepdim=True)
        cosine, norms = zip(*(maps(*run.seen["vectors", layer]) for layer in layers))
        largest, channel = stream.abs().max(-1)
        norm = stream.norm(dim=-1)
        lengths = {vector: torch.stack([run.seen[seen, layer].norm(dim=-1).mean(-1) for layer in layers])
                   for vector, seen in (("output", "output"), ("value", "values"))}
        for i, vector in enumerate(("query", "key")):
            lengths[vector] = torch.stack([run.seen["vectors", layer][i].norm(dim=-1).mean(-1) for layer in layers])
        n_heads = lengths["query"].shape[1]
        lengths["key"] = lengths["key"].repeat_interleave(n_heads // lengths["key"].shape[1], 1)
        lengths["output"] = lengths["output"] / lengths["output"].mean(-1, keepdim=True)
        expected |= {f"{case}/{vector}-norm": value for vector, value in lengths.items()}
        for key, value in {
                "residual": stream, "output": torch.stack([run.seen["output", layer] for layer in layers]),
                "attention": added, "mlp": inner, "cosine": torch.stack(cosine), "norms": torch.stack(norms),
                "entropy": torch.special.entr(shares).sum(-1), "stream-norm": norm,
                "stream-cosine": (stream * stream[:, :1]).sum(-1) / norm / norm[:, :1],
                "stream-largest": largest, "stream-channel": channel}.items():
            expected[f"{case}/{key}"] = value
    write_safetensors(os.path.join(name, "states.safetensors"),
                      {key: value if value.dtype == torch.int64 else value.float() for key, value in expected.items()})
    print(f"{name}: {len(expected)} arrays")


def gemma_norm(w, layer, config, name, y):
    return families.rms_norm(y, 1 + w[f"layers.{layer}.{name}.weight"], config["rms_norm_eps"])


def end_bert(w, config, x, attention, mlp):
    """Norms stand behind both halves; the MLP has seen the stream behind the first."""
    h = f"encoder.layer.{config['num_hidden_layers'] - 1}."
    x = families.layer_norm(x + attention, w, h + "attention.output.LayerNorm", config["layer_norm_eps"])
    return families.layer_norm(x + mlp, w, h + "output.LayerNorm", config["layer_norm_eps"])


def main():
    make("gpt2-prefixed", run_gpt2, "transformer.",
         lambda w, layer, c, y: y @ w[f"h.{layer}.attn.c_proj.weight"] + w[f"h.{layer}.attn.c_proj.bias"])
    make("llama", families.run_llama, "model.",
         lambda w, layer, c, y: families.linear(y, w, f"layers.{layer}.self_attn.o_proj"))
    make("gemma2", families.run_llama, "model.",
         lambda w, layer, c, y: gemma_norm(w, layer, c, "post_attention_layernorm",
                                           families.linear(y, w, f"layers.{layer}.self_attn.o_proj")),
         lambda w, layer, c, y: gemma_norm(w, layer, c, "post_feedforward_layernorm", y))
    make("gpt_neox", families.run_neox, "gpt_neox.",
         lambda w, layer, c, y: families.linear(y, w, f"layers.{layer}.attention.dense"))
    make("bert", families.run_encoder, "bert.",
         lambda w, layer, c, y: families.linear(y, w, f"encoder.layer.{layer}.attention.output.dense"), end=end_bert)


if __name__ == "__main__":
    main()
