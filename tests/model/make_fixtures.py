#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the golden fixtures of this folder: small random GPT-2 checkpoints and what PyTorch makes of them.

The forward pass is written from the description of GPT-2 (Radford et al. 2019; pre-norm blocks, learned
positions, tied logits) in float64, apart from the program's. Needs PyTorch; run it in this folder:

    python3 make_fixtures.py

Weights are scaled up until a typical row has its largest weight between 0.5 and 0.99, so that a mistake in a
score shows. expected.safetensors holds, besides "ids", for each case "CASE/weights" [L, H, T, T] and
"CASE/logits" [T, V]; a case is "baseline" or "COMPONENT/OPERATION/LAYERS/HEADS/TOKENS"."""

import json
import math
import os
import struct

import torch

DTYPES = {torch.float32: "F32", torch.bfloat16: "BF16", torch.int64: "I64", torch.bool: "BOOL"}


def write_safetensors(path, tensors):
    header, chunks, offset = {}, [], 0
    for name, tensor in tensors.items():
        raw = tensor.contiguous()
        if raw.dtype == torch.bfloat16:
            raw = raw.view(torch.int16)
        data = raw.numpy().tobytes()
        header[name] = {"dtype": DTYPES[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [offset, offset + len(data)]}
        chunks.append(data)
        offset += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(chunks))


def make_weights(config, generator):
    width, inner = config["n_embd"], config["n_inner"] or 4 * config["n_embd"]

    def normal(*shape, std=0.1, mean=0.0):
        return torch.randn(*shape, generator=generator) * std + mean

    weights = {"wte.weight": normal(config["vocab_size"], width, std=0.6),
               "wpe.weight": normal(config["n_positions"], width, std=0.3),
               "ln_f.weight": normal(width, mean=1.0), "ln_f.bias": normal(width)}
    for layer in range(config["n_layer"]):
        h = f"h.{layer}."
        attention = normal(width, 3 * width, std=1.1 / math.sqrt(width))
        attention[:, : 2 * width] *= 2.0
        weights.update({
            h + "ln_1.weight": normal(width, mean=1.0), h + "ln_1.bias": normal(width),
            h + "attn.c_attn.weight": attention, h + "attn.c_attn.bias": normal(3 * width, std=0.3),
            h + "attn.c_proj.weight": normal(width, width, std=1 / math.sqrt(width)),
            h + "attn.c_proj.bias": normal(width),
            h + "ln_2.weight": normal(width, mean=1.0), h + "ln_2.bias": normal(width),
            h + "mlp.c_fc.weight": normal(width, inner, std=1 / math.sqrt(width)),
            h + "mlp.c_fc.bias": normal(inner),
            h + "mlp.c_proj.weight": normal(inner, width, std=1 / math.sqrt(inner)),
            h + "mlp.c_proj.bias": normal(width)})
    return weights


def norm(x, weight, bias, epsilon):
    centred = x - x.mean(-1, keepdim=True)
    return centred / torch.sqrt((centred ** 2).mean(-1, keepdim=True) + epsilon) * weight + bias


def activate(name, x):
    if name == "gelu_new":
        return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))
    return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))


def in_set(text, n):
    """A set as the program writes it, "all" or "1,4-6", as a tensor of booleans."""
    chosen = torch.zeros(n, dtype=torch.bool)
    for part in text.split(","):
        if part == "all":
            chosen[:] = True
        else:
            first, _, last = part.partition("-")
            chosen[int(first): int(last or first) + 1] = True
    return chosen


def intervene(case, layer, n_layers, components):
    """components: query, key, value, each [H, T, d]."""
    if case == "baseline":
        return
    component, operation, layers, heads, tokens = case.split("/")
    if not in_set(layers, n_layers)[layer]:
        return
    x = components[component]
    if operation.startswith("scale="):
        changed = x * float(operation[len("scale="):])
    else:
        dimension = {"mean-head": 0, "mean-token": 1, "mean-feature": 2}[operation]
        changed = x.mean(dimension, keepdim=True).expand_as(x)
    scope = in_set(heads, x.shape[0])[:, None, None] & in_set(tokens, x.shape[1])[None, :, None]
    components[component] = torch.where(scope, changed, x)


def forward(config, weights, ids, case):
    n_layers, n_heads, width = config["n_layer"], config["n_head"], config["n_embd"]
    epsilon, n_tokens, head_width = config["layer_norm_epsilon"], len(ids), width // n_heads
    w = {name: tensor.double() for name, tensor in weights.items()}
    mask = torch.ones(n_tokens, n_tokens, dtype=torch.bool).triu(1)
    x = w["wte.weight"][ids] + w["wpe.weight"][:n_tokens]
    maps = []
    for layer in range(n_layers):
        h = f"h.{layer}."
        y = norm(x, w[h + "ln_1.weight"], w[h + "ln_1.bias"], epsilon)
        parts = (y @ w[h + "attn.c_attn.weight"] + w[h + "attn.c_attn.bias"]).split(width, dim=-1)
        components = {name: part.reshape(n_tokens, n_heads, head_width).transpose(0, 1)
                      for name, part in zip(("query", "key", "value"), parts)}
        intervene(case, layer, n_layers, components)
        scores = components["query"] @ components["key"].transpose(1, 2) / math.sqrt(head_width)
        if config.get("scale_attn_by_inverse_layer_idx"):
            scores = scores / (layer + 1)
        attention = torch.softmax(scores.masked_fill(mask, -math.inf), -1)
        maps.append(attention)
        y = (attention @ components["value"]).transpose(0, 1).reshape(n_tokens, width)
        x = x + y @ w[h + "attn.c_proj.weight"] + w[h + "attn.c_proj.bias"]
        y = norm(x, w[h + "ln_2.weight"], w[h + "ln_2.bias"], epsilon)
        y = activate(config["activation_function"], y @ w[h + "mlp.c_fc.weight"] + w[h + "mlp.c_fc.bias"])
        x = x + y @ w[h + "mlp.c_proj.weight"] + w[h + "mlp.c_proj.bias"]
    x = norm(x, w["ln_f.weight"], w["ln_f.bias"], epsilon)
    return torch.stack(maps), x @ w.get("lm_head.weight", w["wte.weight"]).T


def make(name, seed, config, dtype, prefix, has_head, n_tokens, cases):
    generator = torch.Generator().manual_seed(seed)
    weights = make_weights(config, generator)
    if has_head:
        weights["lm_head.weight"] = torch.randn(config["vocab_size"], config["n_embd"], generator=generator) * 0.3
    weights = {key: tensor.to(dtype) for key, tensor in weights.items()}
    ids = torch.randint(config["vocab_size"], (n_tokens,), generator=generator)

    stored = {(key if key == "lm_head.weight" else prefix + key): tensor for key, tensor in weights.items()}
    if prefix:
        n = config["n_positions"]
        for layer in range(config["n_layer"]):
            stored[f"{prefix}h.{layer}.attn.bias"] = torch.ones(n, n, dtype=torch.bool).tril()[None, None]
            stored[f"{prefix}h.{layer}.attn.masked_bias"] = torch.tensor(-1e4)
    expected = {"ids": ids}
    for case in cases:
        maps, logits = forward(config, weights, ids, case)
        expected[case + "/weights"] = maps.float()
        expected[case + "/logits"] = logits.float()
        if case == "baseline":
            peaks = maps[:, :, 2:].max(-1).values
            print(f"{name}: largest weight of a row: mean {peaks.mean():.2f}, "
                  f"min {peaks.min():.2f}, max {peaks.max():.2f}; logits up to {logits.abs().max():.1f}")

    os.makedirs(name, exist_ok=True)
    with open(os.path.join(name, "config.json"), "w") as file:
        json.dump({"model_type": "gpt2", **config}, file, indent=2)
        file.write("\n")
    write_safetensors(os.path.join(name, "model.safetensors"), stored)
    write_safetensors(os.path.join(name, "expected.safetensors"), expected)


def main():
    operations = ["mean-feature", "mean-token", "mean-head", "scale=0.3", "scale=1e-10"]
    scopes = ["all/all/all", "1/all/all", "0-1/0,2/all", "1/1-3/2-4,7"]
    cases = ["baseline"] + [f"{component}/{operation}/{scope}" for component in ("query", "key", "value")
                            for operation in operations for scope in scopes]
    make("gpt2-prefixed", 1, dict(
        n_layer=3, n_head=4, n_embd=32, n_inner=None, n_positions=24, n_ctx=24, vocab_size=61,
        activation_function="gelu_new", layer_norm_epsilon=1e-5), torch.float32, "transformer.", False, 11, cases)
    make("gpt2-bare", 2, dict(
        n_layer=2, n_head=3, n_embd=24, n_inner=40, n_positions=20, vocab_size=37, activation_function="gelu",
        layer_norm_epsilon=1e-3, scale_attn_by_inverse_layer_idx=True, tie_word_embeddings=False),
        torch.bfloat16, "", True, 13, [case for case in cases if "0-1" not in case and "1-3" not in case])


main()
