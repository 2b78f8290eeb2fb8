#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the golden fixtures of this folder: small random checkpoints and what PyTorch makes of them.

The forward pass here is written from the description of GPT-2 (Radford et al. 2019; pre-norm blocks, learned
positions, tied logits) in float64, apart from the program's; families.py holds those of the other families.
Needs PyTorch; run it in the folder of the fixtures, with names of folders to make only these:

    python3 generators/make_fixtures.py [NAME...]

Weights are scaled up until a typical row has its largest weight between 0.5 and 0.99, so that a mistake in a
score shows. expected.safetensors holds, besides "ids", for each case "CASE/weights" [L, H, T, T] and
"CASE/logits" [T, V]; a case is "baseline" or "COMPONENT/OPERATION/LAYERS/HEADS/TOKENS", with "@SITE" behind the
operation where it is not the projection."""

import json
import math
import os
import struct
import sys

import numpy
import torch

import families
import packers
import families_global
import families_hybrid
import families_late
import families_pictures
import families_two

WANTED = sys.argv[1:]
DTYPES = {torch.float32: "F32", torch.bfloat16: "BF16", torch.float16: "F16", torch.int64: "I64", torch.bool: "BOOL",
          torch.uint8: "U8", torch.int8: "I8", torch.int32: "I32"}


def write_safetensors(path, tensors):
    header, chunks, offset = {}, [], 0
    for name, tensor in tensors.items():
        raw = tensor.contiguous()
        if raw.dtype == torch.bfloat16:
            raw = raw.view(torch.int16)
        data = raw.numpy().tobytes()
        header[name] = {"dtype": getattr(tensor, "stored_as", DTYPES[tensor.dtype]), "shape": list(tensor.shape),
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


def intervene(case, layer, n_layers, components, site="projection"):
    """components: query, key, value, each [H, T, d]; keys and values may have fewer heads."""
    if case == "baseline" or site in ("residual", "inner", "scores", "output"):
        return
    component, operation, layers, heads, tokens = case.split("/")
    operation, _, wanted_site = operation.partition("@")
    if not in_set(layers, n_layers)[layer] or site != (wanted_site or "projection"):
        return
    shared = components["query"].shape[0] // components[component].shape[0]
    x = components[component]
    if operation.startswith("scale="):
        changed = x * float(operation[len("scale="):])
    else:
        dimension = {"mean-head": 0, "mean-token": 1, "mean-feature": 2}[operation]
        changed = x.mean(dimension, keepdim=True).expand_as(x)
    chosen = in_set(heads, x.shape[0] * shared).reshape(-1, shared).any(1)
    scope = chosen[:, None, None] & in_set(tokens, x.shape[1])[None, :, None]
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
    if WANTED and name not in WANTED:
        return
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


def pack_mxfp4(weights):
    """Experts in blocks of 32 with an exponent each: transformers 4.57, integrations/mxfp4.py."""
    values = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], dtype=torch.float64)
    unpacked = {}
    for name in [name for name in weights if name.endswith("gate_up_proj") or name.endswith("experts.down_proj")]:
        x = weights.pop(name).double().transpose(1, 2)
        blocks = x.reshape(*x.shape[:2], -1, 32)
        exponents = torch.ceil(torch.log2(blocks.abs().amax(-1) / 6))
        nibbles = (blocks[..., None] / 2 ** exponents[..., None, None] - values).abs().argmin(-1)
        unpacked[name] = (values[nibbles] * 2 ** exponents[..., None]).reshape(x.shape).transpose(1, 2)
        weights[name + "_blocks"] = (nibbles[..., 0::2] + 16 * nibbles[..., 1::2]).to(torch.uint8)
        weights[name + "_scales"] = (exponents + 127).to(torch.uint8)
    return unpacked


def pack_matrices(weights, quantize):
    """quantize: of a matrix, its numbers of a byte each, their scales' name and the scales, and its values."""
    unpacked = {}
    for name in [name for name in weights if name.endswith("_proj.weight")]:
        weights[name], suffix, weights_scale, unpacked[name] = quantize(weights[name].double())
        weights[name + suffix] = weights_scale
    return unpacked


def quantize_fp8(x, n_rows=16, n_columns=12):
    """Blocks of n_rows x n_columns: transformers 4.57, integrations/finegrained_fp8.py; values: OCP 8-bit Floating Point
    Specification 1.0, E4M3."""
    values = [(1 - 2 * (i >> 7)) * ((8 + i % 8) * 2.0 ** (i % 128 // 8 - 10) if i % 128 > 7 else i % 8 * 2.0 ** -9)
              for i in range(256)]
    values = torch.tensor([value if i % 128 != 127 else math.inf for i, value in enumerate(values)], dtype=torch.float64)
    rows, columns = torch.arange(x.shape[0]) // n_rows, torch.arange(x.shape[1]) // n_columns
    scales = torch.tensor([[x[rows == i][:, columns == j].abs().max() / 448 for j in range(columns[-1] + 1)]
                           for i in range(rows[-1] + 1)], dtype=torch.float32)
    spread = scales.double()[rows][:, columns]
    numbers = ((x / spread)[..., None] - values).abs().argmin(-1)
    stored = numbers.to(torch.uint8)
    stored.stored_as = "F8_E4M3"
    return stored, "_scale_inv", scales, values[numbers] * spread


def quantize_int8(x):
    """A scale a row."""
    scales = (x.abs().amax(1, keepdim=True) / 127).to(torch.bfloat16)
    numbers = torch.round(x / scales.double()).clamp(-127, 127)
    return numbers.to(torch.int8), "_scale", scales, numbers * scales.double()


def write_sharded(directory, tensors, n_shards):
    names = list(tensors)
    weight_map = {name: f"model-{i * n_shards // len(names) + 1:05}-of-{n_shards:05}.safetensors"
                  for i, name in enumerate(names)}
    for shard in sorted(set(weight_map.values())):
        write_safetensors(os.path.join(directory, shard),
                          {name: tensors[name] for name in names if weight_map[name] == shard})
    total = sum(tensor.numel() * tensor.element_size() for tensor in tensors.values())
    with open(os.path.join(directory, "model.safetensors.index.json"), "w") as file:
        json.dump({"metadata": {"total_size": total}, "weight_map": weight_map}, file, indent=1)
        file.write("\n")


def make_family(name, seed, make, run, prefix, n_layers, config, cases, dtype=torch.bfloat16, n_tokens=10, n_shards=1,
                unprefixed=("lm_head.", "embed_out.", "cls.", "vocab_"), ids=None,
                pack=None, beside=None):
    """pack: replaces tensors of the checkpoint in its argument, and returns their values in another dictionary. beside: the
    name of one more file of JSON, and what it holds."""
    if WANTED and name not in WANTED:
        return
    weights = {key: tensor.to(dtype) for key, tensor in make(config, seed).items()}
    generator = torch.Generator().manual_seed(seed)
    if ids is None:
        ids = torch.randint(config["vocab_size"], (n_tokens,), generator=generator)
    w = {key: tensor.double() for key, tensor in weights.items()}
    w.update(pack(weights) if pack else {})
    expected = {"ids": ids}
    for case in ["baseline"] + cases:
        maps, logits = run(config, w, ids,
                           lambda layer, site, c: intervene(case, layer, n_layers, c, site))
        expected[case + "/weights"] = maps.float()
        expected[case + "/logits"] = logits.float()
        if case == "baseline":
            peaks = maps[:, :, 2:].max(-1).values
            print(f"{name}: largest weight of a row: mean {peaks.mean():.2f}; logits up to {logits.abs().max():.1f}")
    stored = {(key if key.startswith(unprefixed) else prefix + key): tensor for key, tensor in weights.items()}
    os.makedirs(name, exist_ok=True)
    with open(os.path.join(name, "config.json"), "w") as file:
        json.dump(config, file, indent=2)
        file.write("\n")
    if beside:
        with open(os.path.join(name, beside[0]), "w") as file:
            json.dump(beside[1], file, indent=2)
            file.write("\n")
    if n_shards > 1:
        write_sharded(name, stored, n_shards)
    else:
        write_safetensors(os.path.join(name, "model.safetensors"), stored)
    write_safetensors(os.path.join(name, "expected.safetensors"), expected)


PLAIN_CASES = ["query/mean-feature/0/all/all", "query/scale=0.3/1/1/all", "key/scale=0.3/all/all/all",
               "key/mean-head/0/1,2/all", "value/mean-token/0/all/all", "value/mean-head/0/0/1-4"]
ROTARY_CASES = PLAIN_CASES + ["key/mean-token@rotated/1/all/all", "key/mean-token/1/all/all",
                              "query/scale=0.3@rotated/1/all/all"]
NORMED_CASES = ROTARY_CASES + ["key/scale=0.3@normed/1/all/all", "query/mean-feature@normed/0/all/all"]


def make_llamas():
    def llama(name, seed, kind="llama", cases=ROTARY_CASES, **options):
        extra = {key: options.pop(key) for key in ("dtype", "n_tokens", "n_shards", "prefix", "pack", "beside")
                 if key in options}
        config = dict(dict(model_type=kind, hidden_size=32, intermediate_size=40, num_hidden_layers=2,
                           num_attention_heads=4, num_key_value_heads=2, vocab_size=31, max_position_embeddings=64,
                           rms_norm_eps=1e-5), **options)
        make_family(name, seed, families.make_llama, families.run_llama, extra.pop("prefix", "model."),
                    config["num_hidden_layers"], config, cases, **extra)

    few = ["query/mean-feature/0/all/all", "key/scale=0.3/1/all/all", "value/mean-head/0/all/all"]
    llama("llama", 11, dtype=torch.float32)
    llama("llama-biased", 12, cases=few, attention_bias=True, mlp_bias=True, head_dim=6, num_key_value_heads=1,
          rope_theta=500.0, tie_word_embeddings=True, dtype=torch.float16)
    llama("llama-linear", 13, cases=few, rope_scaling=dict(type="linear", factor=4.0))
    llama("llama-dynamic", 14, cases=few, max_position_embeddings=6, rope_scaling=dict(type="dynamic", factor=2.0))
    llama("llama-llama3", 15, cases=few, head_dim=16, num_attention_heads=2, num_key_value_heads=1,
          rope_scaling=dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
                            original_max_position_embeddings=64))
    llama("llama-yarn", 42, cases=few, head_dim=16, num_attention_heads=2, num_key_value_heads=1, rope_scaling=dict(
        rope_type="yarn", factor=4.0, original_max_position_embeddings=64, beta_fast=4.0))
    llama("llama-longrope", 43, cases=few, rope_scaling=dict(
        rope_type="longrope", factor=4.0, original_max_position_embeddings=9,
        short_factor=[1.0, 1.1, 1.5, 2.0], long_factor=[1.0, 1.3, 3.0, 4.0]))
    llama("llama-fp8", 58, cases=few, head_dim=10, pack=lambda weights: pack_matrices(weights, quantize_fp8),
          quantization_config=dict(quant_method="fp8", fmt="e4m3", weight_block_size=[16, 12]))
    llama("llama-int8", 59, cases=few, pack=lambda weights: pack_matrices(weights, quantize_int8))
    def packed(name, seed, pack, kind="llama", **options):
        llama(name, seed, kind, cases=few, pack=pack, **dict(dict(hidden_size=32, intermediate_size=40), **options))

    gptq = dict(quant_method="gptq", bits=4, group_size=16, desc_act=True, sym=False)
    packed("llama-gptq", 201, packers.pack_with(packers.gptq, seed=1), quantization_config=gptq)
    packed("llama-gptq2", 202, packers.pack_with(packers.gptq, bits=2, is_v2=True, group_size=24),
           intermediate_size=48, quantization_config=dict(gptq, bits=2, group_size=24, checkpoint_format="gptq_v2"))
    packed("llama-gptq3", 203, packers.pack_with(packers.gptq, bits=3), intermediate_size=64,
           quantization_config=dict(gptq, bits=3))
    packed("llama-gptq8", 204, packers.pack_with(packers.gptq, bits=8, group_size=64),
           quantization_config=dict(gptq, bits=8, group_size=-1, checkpoint_format="gptq"))
    packed("llama-awq", 205, packers.pack_with(packers.awq), quantization_config=dict(
        quant_method="awq", bits=4, group_size=16, version="gemm", zero_point=True))

    def compressed(**weights):
        return dict(quant_method="compressed-tensors", format="pack-quantized", config_groups=dict(
            group_0=dict(targets=["Linear"], weights=dict(num_bits=4, type="int", **weights))), ignore=["lm_head"])
    packed("llama-compressed", 206, packers.pack_with(packers.compressed, group_size=24),
           quantization_config=compressed(strategy="group", group_size=24, symmetric=True))
    packed("llama-compressed-zeros", 207, packers.pack_with(packers.compressed, symmetric=False, seed=2), head_dim=6,
           quantization_config=compressed(strategy="group", group_size=16, symmetric=False, actorder="group"))
    bytewise = compressed(strategy="channel", symmetric=False)
    bytewise["format"] = "int-quantized"
    bytewise["config_groups"]["group_0"]["weights"]["num_bits"] = 8
    packed("llama-compressed-bytes", 208, packers.pack_with(packers.compressed_bytes), head_dim=6,
           quantization_config=bytewise)
    also = ("embed_tokens.weight", "lm_head.weight")
    packed("llama-mlx", 209, packers.pack_with(packers.mlx, also), quantization=dict(bits=4, group_size=8))
    packed("llama-mlx6", 210, packers.pack_with(packers.mlx, also, bits=6, group_size=16), intermediate_size=48,
           quantization=dict(bits=6, group_size=16))
    finer = dict(bits=8, group_size=16)
    packed("llama-mlx-mixed", 225, packers.pack_with(packers.mlx, also, {
        "0.self_attn.v_proj": finer, "1.mlp.down_proj": dict(bits=3, group_size=32), "0.mlp.up_proj": None}, group_size=8), intermediate_size=64,
        quantization={"bits": 4, "group_size": 8, "model.layers.0.self_attn.v_proj": finer,
                      "model.layers.1.mlp.down_proj": dict(bits=3, group_size=32), "model.layers.0.mlp.up_proj": False})
    packed("llama-nf4", 211, packers.pack_with(packers.bnb4, nested=16), head_dim=6, num_key_value_heads=1,
           quantization_config=dict(quant_method="bitsandbytes", load_in_4bit=True, bnb_4bit_quant_type="nf4"))
    packed("llama-fp4", 212, packers.pack_with(packers.bnb4, kind="fp4", block=128), quantization_config=dict(
        quant_method="bitsandbytes", load_in_4bit=True, bnb_4bit_quant_type="fp4"))
    packed("llama-bnb8", 213, packers.pack_with(packers.bnb8), quantization_config=dict(
        quant_method="bitsandbytes", load_in_8bit=True))
    packed("llama-fbgemm", 214, packers.pack_with(packers.scaled, dtype=torch.float32), head_dim=6, quantization_config=dict(
        quant_method="fbgemm_fp8", activation_scale_ub=1200.0, modules_to_not_convert=["lm_head"]))

    def in_bytes(form, bits=8, kind="float", **weights):
        return dict(quant_method="compressed-tensors", format=form, ignore=["lm_head"], config_groups=dict(group_0=dict(
            targets=["Linear"], weights=dict(num_bits=bits, type=kind, symmetric=True, **weights))))
    packed("llama-compressed-fp8", 215, packers.pack_with(packers.scaled, n_rows=0, flat=True, also=[".input_scale"]),
           head_dim=10, quantization_config=in_bytes("float-quantized", strategy="tensor"))
    packed("llama-compressed-blocks", 216, packers.pack_with(packers.scaled, n_rows=16, n_columns=12), head_dim=10,
           quantization_config=in_bytes("float-quantized", strategy="block", block_structure=[16, 12]))
    packed("llama-compressed-int8", 217, packers.pack_with(packers.scaled, kind="int", n_columns=8),
           quantization_config=in_bytes("int-quantized", kind="int", strategy="group", group_size=8))
    packed("llama-mxfp8", 218, packers.pack_with(packers.scaled, n_columns=32, exponents=True), intermediate_size=64,
           quantization_config=in_bytes("mxfp8-quantized", strategy="group", group_size=32))
    packed("llama-mxfp4", 219, packers.pack_with(packers.mxfp4), intermediate_size=64,
           quantization_config=in_bytes("mxfp4-pack-quantized", 4, strategy="group", group_size=32))
    packed("llama-nvfp4", 220, packers.pack_with(packers.nvfp4), head_dim=12, intermediate_size=48,
           quantization_config=in_bytes("nvfp4-pack-quantized", 4, strategy="tensor_group", group_size=16))
    packed("llama-modelopt", 221, packers.pack_with(packers.nvfp4, is_modelopt=True), head_dim=12, intermediate_size=80,
           quantization_config=dict(quant_method="modelopt", quant_algo="NVFP4", ignore=["lm_head"]))
    # What is said of some modules alone. GPTQ: the first rule that fits, but those that leave a matrix as it is first.
    packed("llama-gptq-rules", 226, packers.pack_with(packers.gptq, others={
        "0.self_attn.q_proj": dict(bits=8, group_size=32), "1.self_attn.q_proj": dict(bits=8, group_size=32),
        "1.mlp.down_proj": None, "0.mlp.up_proj": dict(bits=2), "0.mlp.down_proj": dict(bits=8)}),
        quantization_config=dict(gptq, desc_act=False, dynamic={
            r"+:model\.layers\.\d+\.self_attn\.q_proj$": dict(bits=8, group_size=-1),
            r".*\.down_proj": dict(bits=8), r"-:.*\.1\..*down": {}, r".*\.0\.mlp\.up": dict(bits=2),
            r"proj": dict(bits=3), r".*\.0\.mlp": dict(bits=4, desc_act=False)}))
    # AutoRound packs as GPTQ does; what modules have of their own stands by their names.
    packed("llama-auto-round", 231, packers.pack_with(packers.gptq, others={
        "0.self_attn.q_proj": dict(bits=8), "1.mlp.down_proj": None, "0.mlp.up_proj": dict(bits=2, group_size=32)}),
        quantization_config=dict(
            quant_method="auto-round", packing_format="auto_round:auto_gptq", bits=4, group_size=16, data_type="int",
            sym=False, iters=200, extra_config={
                "model.layers.0.self_attn.q_proj": dict(bits=8), "model.layers.1.mlp.down_proj": dict(bits=16),
                "model.layers.0.mlp.up_proj": dict(bits=2, group_size=32, sym=False)}))
    packed("llama-awq-plain", 227, packers.pack_with(packers.awq, others={"0.self_attn.v_proj": None, "1.mlp.up_proj": None}),
           quantization_config=dict(quant_method="awq", bits=4, group_size=16, version="gemm", zero_point=True,
                                    modules_to_not_convert=["layers.0.self_attn.v_proj", "1.mlp.up_proj", "lm_head"]))

    def group(targets, form=None, **weights):
        return dict(targets=targets, weights=dict(dict(num_bits=4, type="int", symmetric=True), **weights),
                    **(dict(format=form) if form else {}))
    eights = dict(bits=8, group_size=0)
    packed("llama-compressed-groups", 228, packers.pack_with(packers.compressed, others={
        "0.mlp.down_proj": eights, "1.mlp.down_proj": dict(group_size=20, symmetric=False),
        "0.self_attn.k_proj": dict(packer=packers.scaled), "1.self_attn.k_proj": dict(packer=packers.scaled),
        "0.self_attn.v_proj": dict(packer=packers.compressed_bytes), "1.self_attn.v_proj": None, "1.mlp.up_proj": None,
        "1.mlp.gate_proj": dict(packer=packers.compressed_bytes)}),
        quantization_config=dict(
            quant_method="compressed-tensors", format="mixed-precision",
            ignore=["lm_head", "model.layers.1.self_attn.v_proj", r"re:.*\.1\.mlp\.up"], config_groups=dict(
                group_0=group([r"re:.*down_proj$"], "pack-quantized", num_bits=8, strategy="channel"),
                group_1=group(["Linear"], "pack-quantized", strategy="group", group_size=16),
                group_2=group([r"re:.*\.k_proj"], "float-quantized", num_bits=8, type="float", strategy="channel"),
                group_3=group(["model.layers.1.mlp.down_proj"], "pack-quantized", strategy="group", group_size=20,
                              symmetric=False),
                group_4=group([r"re:.*v_proj", r"re:.*\.1\.mlp"], "int-quantized", num_bits=8, strategy="channel",
                              symmetric=False))))
    fp8 = dict(packer=packers.scaled, n_rows=0, dtype=torch.float32, also=[".input_scale"])
    modelopt_layers = {f"model.layers.{i}.{name}": dict(quant_algo="FP8") if "v_proj" in name or "down" in name
                       else dict(quant_algo="NVFP4", group_size=16)
                       for i in range(2) for name in ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj",
                                                      "self_attn.o_proj", "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj")
                       if (i, name) != (1, "mlp.gate_proj")}
    packed("llama-modelopt-mixed", 229, packers.pack_with(packers.nvfp4, is_modelopt=True, others={
        "v_proj": fp8, "down_proj": fp8, "1.mlp.gate_proj": None}), head_dim=12, intermediate_size=48,
        beside=("hf_quant_config.json", dict(
            producer=dict(name="modelopt", version="0.31.0"), quantization=dict(
                quant_algo="MIXED_PRECISION", kv_cache_quant_algo=None, quantized_layers=modelopt_layers))))
    packed("llama-mlx-floats", 230, packers.pack_with(packers.mlx_floats, also, {
        "v_proj": dict(packer=packers.mlx, bits=8, group_size=32), "0.mlp.up_proj": dict(mode="nvfp4"),
        "lm_head": dict(mode="mxfp8"), "1.mlp.gate_proj": None}), intermediate_size=64, head_dim=16,
        quantization=dict({"group_size": 32, "bits": 4, "mode": "mxfp4", "lm_head": dict(group_size=32, bits=8, mode="mxfp8"),
                           "model.layers.0.mlp.up_proj": dict(mode="nvfp4"), "model.layers.1.mlp.gate_proj": False},
                          **{f"model.layers.{i}.self_attn.v_proj": dict(bits=8, group_size=32) for i in range(2)}))

    def stacked(packer, prefix, names, also):
        def pack(weights):
            unpacked = {}
            packers.stack_experts(weights, unpacked, packer, prefix, names)
            unpacked.update(packers.pack_with(packers.mlx, also, group_size=16)(weights))
            return unpacked
        return pack
    def pack_qwen(weights):
        unpacked = {}
        packers.stack_experts(weights, unpacked, lambda x: packers.mlx(x, group_size=16), "mlp.experts.",
                              {"gate_proj": "gate_proj", "up_proj": "up_proj"})
        packers.stack_experts(weights, unpacked, lambda x: packers.mlx(x, bits=3, group_size=32), "mlp.experts.",
                              {"down_proj": "down_proj"})
        routers = [name for name in weights if name.endswith("mlp.gate.weight")]
        unpacked.update(packers.pack_with(packers.mlx, also + tuple(routers), {"mlp.gate": dict(bits=8)},
                                          group_size=16)(weights))
        return unpacked
    llama("qwen3_moe-mlx", 231, "qwen3_moe", cases=few, head_dim=12, num_experts=7, num_experts_per_tok=3,
          hidden_size=48, moe_intermediate_size=32, norm_topk_prob=True, quantization=dict(
              {"bits": 4, "group_size": 16}, **{f"model.layers.{i}.mlp.switch_mlp.down_proj": dict(bits=3, group_size=32)
                                                for i in range(2)},
              **{f"model.layers.{i}.mlp.gate": dict(bits=8, group_size=16) for i in range(2)}),
          pack=pack_qwen)
    llama("mixtral-mlx", 232, "mixtral", cases=few, num_local_experts=5, num_experts_per_tok=2, intermediate_size=64,
          rope_theta=10000.0,
          quantization=dict({"bits": 4, "group_size": 16}, **{
              f"model.layers.{i}.block_sparse_moe.switch_mlp.{name}": dict(bits=4, group_size=32, mode="mxfp4")
              for i in range(2) for name in ("gate_proj", "up_proj", "down_proj")}),
          pack=stacked(packers.mlx_floats, "block_sparse_moe.experts.",
                       {"gate_proj": "w1", "up_proj": "w3", "down_proj": "w2"}, also))
    llama("llama-sharded", 16, cases=few, n_shards=3)
    llama("mistral", 17, "mistral", sliding_window=4)
    llama("qwen2", 18, "qwen2", use_sliding_window=True, sliding_window=5, max_window_layers=1)
    llama("qwen3", 19, "qwen3", cases=NORMED_CASES, head_dim=12)
    llama("gemma", 20, "gemma", head_dim=12, num_key_value_heads=1, hidden_act="gelu")
    llama("mixtral", 46, "mixtral", cases=few, sliding_window=6, num_local_experts=5, num_experts_per_tok=2,
          intermediate_size=36, rope_theta=10000.0)
    qwen2_moe = dict(cases=few, num_experts=6, num_experts_per_tok=3, moe_intermediate_size=20,
                     shared_expert_intermediate_size=28)
    llama("qwen2_moe", 47, "qwen2_moe", **qwen2_moe)
    llama("qwen2_moe-dense", 49, "qwen2_moe", **qwen2_moe, num_hidden_layers=4, decoder_sparse_step=2,
          mlp_only_layers=[3], use_sliding_window=True, sliding_window=5, max_window_layers=2)
    llama("qwen3_moe", 48, "qwen3_moe", cases=NORMED_CASES, head_dim=12, num_experts=7, num_experts_per_tok=3,
          moe_intermediate_size=32, norm_topk_prob=True)
    gpt_oss = dict(head_dim=12, num_local_experts=6, num_experts_per_tok=3, sliding_window=4, num_hidden_layers=3,
                   rope_theta=5000.0)
    yarn = dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=64, beta_fast=4.0)
    llama("gpt_oss", 56, "gpt_oss", **gpt_oss, rope_scaling=yarn)
    llama("gpt_oss-mxfp4", 57, "gpt_oss", cases=few, **gpt_oss, intermediate_size=64,
          rope_scaling=dict(yarn, truncate=False), pack=pack_mxfp4)
    llama("smollm3", 50, "smollm3", num_hidden_layers=4, no_rope_layers=[1, 0, 1, 1], rope_theta=5000.0)
    llama("granite", 51, "granite", embedding_multiplier=2.5, residual_multiplier=0.7, attention_multiplier=0.4,
          logits_scaling=3.0)
    llama("olmo2", 52, "olmo2", cases=NORMED_CASES)
    llama("olmo3", 53, "olmo3", cases=few, num_hidden_layers=4, sliding_window=4, rope_theta=5000.0, rope_scaling=dict(
        rope_type="yarn", factor=4.0, original_max_position_embeddings=64, beta_fast=4.0))
    llama("gemma3", 45, "gemma3_text", prefix="language_model.model.", cases=NORMED_CASES, head_dim=12, num_hidden_layers=4, sliding_window=4,
          sliding_window_pattern=3, query_pre_attn_scalar=20, rope_theta=5000.0, rope_local_base_freq=50.0,
          rope_scaling=dict(rope_type="linear", factor=4.0), final_logit_softcapping=3.0)
    llama("gemma3-both-ways", 222, "gemma3_text", cases=few, head_dim=12, num_hidden_layers=3, sliding_window=5,
          sliding_window_pattern=2, query_pre_attn_scalar=20, rope_theta=5000.0, rope_local_base_freq=50.0,
          use_bidirectional_attention=True)
    llama("gemma2", 21, "gemma2", head_dim=12, num_hidden_layers=3, sliding_window=4, query_pre_attn_scalar=20,
          attn_logit_softcapping=4.0, final_logit_softcapping=3.0)


def make_others():
    neox = dict(model_type="gpt_neox", hidden_size=32, intermediate_size=48, num_hidden_layers=2,
                num_attention_heads=4, vocab_size=31, max_position_embeddings=32, hidden_act="gelu",
                layer_norm_eps=1e-5, rotary_pct=0.25, rotary_emb_base=10000, use_parallel_residual=True)
    make_family("gpt_neox", 31, families.make_neox, families.run_neox, "gpt_neox.", 2, neox, ROTARY_CASES)
    make_family("gpt_neox-sequential", 32, families.make_neox, families.run_neox, "gpt_neox.", 2,
                dict(neox, rotary_pct=1.0, use_parallel_residual=False), ROTARY_CASES)
    phi = dict(model_type="phi", hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
               num_key_value_heads=4, vocab_size=31, max_position_embeddings=32, hidden_act="gelu_new",
               layer_norm_eps=1e-5, partial_rotary_factor=0.5)
    make_family("phi", 33, families.make_phi, families.run_phi, "model.", 2, phi, ROTARY_CASES)
    make_family("phi-normed", 34, families.make_phi, families.run_phi, "model.", 2,
                dict(phi, qk_layernorm=True, num_key_value_heads=2), NORMED_CASES)
    make_family("gptj", 35, families.make_gptj, families.run_gptj, "transformer.", 2, dict(
        model_type="gptj", n_embd=32, n_layer=2, n_head=4, rotary_dim=4, vocab_size=31, n_positions=32,
        activation_function="gelu_new", layer_norm_epsilon=1e-5), ROTARY_CASES)
    opt = dict(model_type="opt", hidden_size=32, ffn_dim=40, num_hidden_layers=2, num_attention_heads=4,
               vocab_size=31, max_position_embeddings=32, activation_function="relu", word_embed_proj_dim=32,
               do_layer_norm_before=True)
    make_family("opt", 36, families.make_opt, families.run_opt, "model.", 2, opt, PLAIN_CASES)
    make_family("opt-post-norm", 37, families.make_opt, families.run_opt, "", 2,
                dict(opt, do_layer_norm_before=False, word_embed_proj_dim=20), PLAIN_CASES)
    make_family("gpt_neo", 54, families.make_gpt_neo, families.run_gpt_neo, "transformer.", 3, dict(
        model_type="gpt_neo", hidden_size=32, num_layers=3, num_heads=4, vocab_size=31, max_position_embeddings=32,
        attention_types=[[["global", "local"], 1], [["local"], 1]], window_size=4, activation_function="gelu_new",
        layer_norm_epsilon=1e-5), PLAIN_CASES)
    make_family("starcoder2", 55, families.make_starcoder2, families.run_starcoder2, "model.", 2, dict(
        model_type="starcoder2", hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, vocab_size=31, max_position_embeddings=32, hidden_act="gelu_pytorch_tanh",
        norm_epsilon=1e-5, sliding_window=5), ROTARY_CASES)
    bloom = dict(model_type="bloom", hidden_size=30, n_layer=2, n_head=5, vocab_size=31, seq_length=32,
                 layer_norm_epsilon=1e-5)
    make_family("bloom", 38, families.make_bloom, families.run_bloom, "transformer.", 2, bloom,
                PLAIN_CASES)
    make_family("bloom-normed", 233, families.make_bloom, families.run_bloom, "transformer.", 2,
                dict(bloom, apply_residual_connection_post_layernorm=True), PLAIN_CASES[:3])
    encoder = dict(vocab_size=31, max_position_embeddings=20, hidden_size=32, intermediate_size=40,
                   num_hidden_layers=2, num_attention_heads=4, hidden_act="gelu", layer_norm_eps=1e-12)
    make_family("bert", 39, families.make_encoder, families.run_encoder, "bert.", 2,
                dict(encoder, model_type="bert", type_vocab_size=2, pad_token_id=0), PLAIN_CASES)
    make_family("roberta", 40, families.make_encoder, families.run_encoder, "roberta.", 2,
                dict(encoder, model_type="roberta", type_vocab_size=1, pad_token_id=1, layer_norm_eps=1e-5),
                PLAIN_CASES, ids=torch.tensor([0, 5, 9, 1, 30, 7, 7, 12, 1, 2]))
    make_family("roberta-relu", 44, families.make_encoder, families.run_encoder, "roberta.", 2,
                dict(encoder, model_type="roberta", type_vocab_size=1, pad_token_id=1, hidden_act="relu"),
                PLAIN_CASES[:3])
    make_family("distilbert", 41, families.make_encoder, families.run_encoder, "distilbert.", 2,
                dict(model_type="distilbert", vocab_size=31, max_position_embeddings=20, dim=32, hidden_dim=40,
                     n_layers=2, n_heads=4, activation="gelu", pad_token_id=0), PLAIN_CASES)


def make_late():
    few = ["query/mean-feature/0/all/all", "key/scale=0.3/1/all/all", "value/mean-head/0/all/all"]

    def gated(name, seed, cases=ROTARY_CASES, pack=None, **options):
        config = dict(dict(model_type=name.partition("-")[0], hidden_size=32, intermediate_size=40, num_hidden_layers=2,
                           num_attention_heads=4, num_key_value_heads=2, vocab_size=31, max_position_embeddings=64),
                      **options)
        make_family(name, seed, families_late.make_gated, families_late.run_gated, "model.",
                    config["num_hidden_layers"], config, cases, pack=pack)

    gated("phi3", 60, partial_rotary_factor=0.75, sliding_window=5, rms_norm_eps=1e-5)
    gated("phi3-longrope", 61, few, original_max_position_embeddings=9, rope_scaling=dict(
        type="su", short_factor=[1.0, 1.1, 1.5, 2.0], long_factor=[1.0, 1.3, 3.0, 4.0]))
    gated("phi3-fp8", 77, few, intermediate_size=48, pack=lambda weights: pack_matrices(weights, quantize_fp8),
          quantization_config=dict(quant_method="fp8", fmt="e4m3", weight_block_size=[16, 12]))
    gated("phi3-modelopt", 78, few, intermediate_size=48, pack=packers.pack_with(packers.nvfp4, is_modelopt=True),
          quantization_config=dict(quant_method="modelopt", quant_algo="NVFP4"))
    gated("olmo", 62, clip_qkv=1.5)
    gated("stablelm", 63, use_qkv_bias=True, layer_norm_eps=1e-5)
    gated("stablelm-parallel", 64, NORMED_CASES, qk_layernorm=True, use_parallel_residual=True, partial_rotary_factor=0.5,
          layer_norm_eps=1e-5)
    gated("glm", 65, head_dim=12, rms_norm_eps=1e-5)
    gated("glm4", 66, few, head_dim=8, attention_bias=False, rms_norm_eps=1e-5)
    gated("cohere", 67, NORMED_CASES, use_qk_norm=True, logit_scale=0.3, layer_norm_eps=1e-5)
    gated("cohere2", 68, few, num_hidden_layers=4, sliding_window=4, sliding_window_pattern=3, rope_theta=5000.0,
          layer_norm_eps=1e-5)
    gated("minicpm", 69, few, scale_emb=3.0, scale_depth=1.4, dim_model_base=16, tie_word_embeddings=True,
          rms_norm_eps=1e-5)

    def falcon(name, seed, cases, **options):
        make_family(name, seed, families_late.make_falcon, families_late.run_falcon, "transformer.", 2, dict(
            dict(model_type="falcon", hidden_size=32, num_hidden_layers=2, num_attention_heads=4, vocab_size=31,
                 layer_norm_epsilon=1e-5), **options), cases)

    falcon("falcon", 70, ROTARY_CASES, num_kv_heads=4)
    falcon("falcon-new", 71, few, new_decoder_architecture=True, num_kv_heads=2)
    falcon("falcon-new-one-norm", 72, few, new_decoder_architecture=True, num_kv_heads=2, num_ln_in_parallel_attn=1)
    falcon("falcon-alibi", 73, PLAIN_CASES, hidden_size=30, num_attention_heads=5, multi_query=False, alibi=True,
           parallel_attn=False, bias=True)
    make_family("mpt", 74, families_late.make_mpt, families_late.run_mpt, "transformer.", 2, dict(
        model_type="mpt", d_model=30, n_layers=2, n_heads=5, max_seq_len=32, vocab_size=31,
        attn_config=dict(alibi=True, alibi_bias_max=16, clip_qkv=1.2)), PLAIN_CASES)
    make_family("mpt-biased", 234, families_late.make_mpt, families_late.run_mpt, "transformer.", 2, dict(
        model_type="mpt", d_model=24, n_layers=2, n_heads=4, max_seq_len=32, vocab_size=31, no_bias=False,
        attn_config=dict(alibi=True)), PLAIN_CASES[:3])
    bigcode = dict(model_type="gpt_bigcode", n_embd=32, n_layer=2, n_head=4, n_inner=None, n_positions=24, vocab_size=31,
                   activation_function="gelu_pytorch_tanh", layer_norm_epsilon=1e-5)
    make_family("gpt_bigcode", 75, families_late.make_bigcode, families_late.run_bigcode, "transformer.", 2, bigcode,
                PLAIN_CASES)
    narrow = dict(hidden_size=32, intermediate_size=40, num_hidden_layers=3, num_attention_heads=4, vocab_size=31,
                  embedding_size=20, max_position_embeddings=20, type_vocab_size=2, layer_norm_eps=1e-12)
    for name, seed, kind, options in (("albert", 78, "albert", dict(hidden_act="gelu_new")),
                                      ("albert-wide", 79, "albert", dict(hidden_act="gelu", embedding_size=36)),
                                      ("albert-groups", 223, "albert", dict(
                                          hidden_act="gelu_new", num_hidden_layers=5, num_hidden_groups=3,
                                          inner_group_num=2)),
                                      ("electra", 80, "electra", dict(hidden_act="relu")),
                                      ("electra-even", 81, "electra", dict(hidden_act="gelu", embedding_size=32))):
        make_family(name, seed, families_late.make_narrow, families_late.run_narrow, kind + ".",
                    10 if "groups" in name else 3, dict(narrow, model_type=kind) | options, few if "-" in name else PLAIN_CASES,
                    unprefixed=("predictions.", "generator_"))
    make_family("modernbert", 82, families_late.make_modernbert, families_late.run_modernbert, "model.", 4, dict(
        model_type="modernbert", hidden_size=32, intermediate_size=40, num_hidden_layers=4, num_attention_heads=4,
        vocab_size=31, max_position_embeddings=64, local_attention=6, global_rope_theta=5000.0), ROTARY_CASES,
        unprefixed=("head.", "decoder."))
    make_family("modernbert-biased", 83, families_late.make_modernbert, families_late.run_modernbert, "model.", 3, dict(
        model_type="modernbert", hidden_size=32, intermediate_size=40, num_hidden_layers=3, num_attention_heads=4,
        vocab_size=31, max_position_embeddings=64, local_attention=4, global_attn_every_n_layers=2, attention_bias=True,
        mlp_bias=True), few, unprefixed=("head.", "decoder."))
    make_family("modernbert-normed", 224, families_late.make_modernbert, families_late.run_modernbert, "model.", 2, dict(
        model_type="modernbert", hidden_size=32, intermediate_size=40, num_hidden_layers=2, num_attention_heads=4,
        vocab_size=31, max_position_embeddings=64, local_attention=4, norm_bias=True, classifier_bias=True,
        decoder_bias=False), few, unprefixed=("head.", "decoder."))
    # Two of ten tokens masked; learned positions and a norm behind them, with padding; masks like any other token.
    esm = dict(model_type="esm", hidden_size=40, intermediate_size=28, num_hidden_layers=3, num_attention_heads=4,
               vocab_size=33, max_position_embeddings=26, layer_norm_eps=1e-5, pad_token_id=1, mask_token_id=4,
               is_folding_model=False)
    for name, seed, cases, ids, options in (
            ("esm", 96, ROTARY_CASES, [0, 5, 20, 4, 7, 11, 4, 23, 32, 2], dict(
                position_embedding_type="rotary", token_dropout=True, emb_layer_norm_before=False)),
            ("esm-absolute", 97, PLAIN_CASES, [0, 15, 20, 9, 1, 11, 1, 23, 30, 2], dict(
                position_embedding_type="absolute", token_dropout=True, emb_layer_norm_before=True)),
            ("esm-undropped", 98, few, [0, 4, 20, 9, 8, 11, 4, 2], dict(
                position_embedding_type="rotary", token_dropout=False, emb_layer_norm_before=True, hidden_act="relu",
                hidden_size=32))):
        make_family(name, seed, families_late.make_esm, families_late.run_esm, "esm.", 3, esm | options, cases,
                    ids=torch.tensor(ids), unprefixed=("lm_head.",))
    latent = dict(hidden_size=32, intermediate_size=40, moe_intermediate_size=12, num_hidden_layers=3,
                  num_attention_heads=4, num_key_value_heads=4, qk_nope_head_dim=6, qk_rope_head_dim=4, v_head_dim=10,
                  kv_lora_rank=14, q_lora_rank=18, n_routed_experts=6, n_shared_experts=1, num_experts_per_tok=2,
                  routed_scaling_factor=1.5, vocab_size=31, max_position_embeddings=64, rms_norm_eps=1e-5)
    yarn = dict(type="yarn", factor=4.0, original_max_position_embeddings=64, beta_fast=4.0)
    for name, seed, cases, options in (
            ("deepseek_v2", 84, ROTARY_CASES, dict(first_k_dense_replace=1, q_lora_rank=None, n_shared_experts=2,
                                                   rope_scaling=dict(yarn, mscale=0.7, mscale_all_dim=0.9))),
            ("deepseek_v2-groups", 85, few, dict(first_k_dense_replace=0, topk_method="group_limited_greedy", n_group=3,
                                                 topk_group=2, attention_bias=True)),
            ("deepseek_v3", 86, ROTARY_CASES, dict(first_k_dense_replace=1, n_group=3, topk_group=2, norm_topk_prob=True,
                                                   rope_scaling=dict(yarn, mscale=1.0, mscale_all_dim=1.0))),
            ("deepseek_v3-halves", 87, few, dict(first_k_dense_replace=2, n_group=2, topk_group=1, norm_topk_prob=False,
                                                 rope_interleave=False)),
            ("glm4_moe_lite", 88, few, dict(n_group=1, topk_group=1, norm_topk_prob=True))):
        make_family(name, seed, families_late.make_latent, families_late.run_latent, "model.", 3,
                    dict(latent, model_type=name.partition("-")[0]) | options, cases)
    make_family("gpt_bigcode-heads", 76, families_late.make_bigcode, families_late.run_bigcode, "transformer.", 2,
                dict(bigcode, n_inner=40, multi_query=False), few)


def make_hybrid():
    cases = ["query/mean-feature/1/all/all", "query/scale=0.3/3/1/all", "key/scale=0.3/all/all/all",
             "key/mean-head/1/1,2/all", "value/mean-token/1/all/all", "value/mean-head/3/0/1-4",
             "key/mean-token@rotated/3/all/all", "query/scale=0.3@rotated/1/all/all", "key/scale=0.3@normed/1/all/all",
             "query/mean-feature@normed/3/all/all"]
    usual = dict(hidden_size=32, intermediate_size=40, num_attention_heads=4, num_key_value_heads=2, head_dim=12,
                 linear_num_key_heads=2, linear_num_value_heads=4, linear_key_head_dim=6, linear_value_head_dim=10,
                 linear_conv_kernel_dim=3, vocab_size=31, max_position_embeddings=64, rms_norm_eps=1e-5)
    experts = dict(num_experts=6, num_experts_per_tok=3, moe_intermediate_size=20, shared_expert_intermediate_size=28)
    rope = dict(rope_type="default", rope_theta=5000.0, partial_rotary_factor=0.5, mrope_section=[1, 1, 1])
    for name, seed, prefix, n_layers, own_cases, pack, options in (
            ("qwen3_next", 89, "model.", 4, cases, None, dict(
                experts, full_attention_interval=2, rope_theta=5000.0, partial_rotary_factor=0.5)),
            ("qwen3_5", 93, "model.language_model.", 5, cases, None, dict(
                layer_types=["linear_attention", "full_attention", "linear_attention", "full_attention", "linear_attention"],
                linear_num_key_heads=3, linear_num_value_heads=6, rope_parameters=rope)),
            ("qwen3_5_moe", 91, "model.language_model.", 2, [cases[0], cases[2], cases[4]], families_hybrid.fuse_experts, dict(
                experts, full_attention_interval=2, rope_parameters=rope, tie_word_embeddings=True))):
        config = dict(usual | options, model_type=name, num_hidden_layers=n_layers)
        if name == "qwen3_5_moe":
            del config["intermediate_size"]
        make_family(name, seed, families_hybrid.make_qwen, families_hybrid.run_qwen, prefix, n_layers, config, own_cases,
                    pack=pack)


def make_global():
    usual = dict(hidden_size=32, intermediate_size=20, num_attention_heads=4, num_key_value_heads=2, head_dim=6,
                 global_head_dim=10, sliding_window=4, vocab_size=31, max_position_embeddings=64, rms_norm_eps=1e-5,
                 hidden_activation="gelu_pytorch_tanh", final_logit_softcapping=3.0, tie_word_embeddings=True,
                 rope_parameters=dict(full_attention=dict(rope_type="proportional", partial_rotary_factor=0.45,
                                                          rope_theta=5000.0),
                                      sliding_attention=dict(rope_type="default", rope_theta=50.0)))
    window, whole = "sliding_attention", "full_attention"
    # Layers 3 and 5 have the keys and values of layer 1, layer 4 those of layer 2.
    for name, seed, prefix, cases, options in (
            ("gemma4", 94, "model.language_model.", ["query/mean-feature/0/all/all", "query/scale=0.3/4/1/all",
                "key/scale=0.3/all/all/all", "key/mean-head/1/1,2/all", "value/mean-token/2/all/all",
                "value/mean-head/0/0/1-4", "key/mean-token@rotated/3/all/all", "key/mean-token@rotated/1/all/all",
                "query/scale=0.3@rotated/5/all/all", "key/scale=0.3@normed/2/all/all",
                "query/mean-feature@normed/4/all/all", "value/scale=0.3@normed/1/all/all",
                "value/mean-head@rotated/4/all/all"],
             dict(model_type="gemma4", layer_types=[window, whole, window, whole, window, window],
                  num_kv_shared_layers=3, use_double_wide_mlp=True, hidden_size_per_layer_input=5,
                  num_global_key_value_heads=None)),
            ("gemma4-experts", 95, "model.", ["query/mean-feature/0/all/all", "key/scale=0.3@normed/3/all/all",
                "key/mean-token/3/all/all", "value/mean-head/3/all/all", "value/scale=0.3@normed/1/all/all"],
             dict(model_type="gemma4_text", layer_types=[window, window, window, whole], hidden_size_per_layer_input=0,
                  attention_k_eq_v=True, num_global_key_value_heads=1, enable_moe_block=True, num_experts=6,
                  top_k_experts=2, moe_intermediate_size=12, use_bidirectional_attention="vision"))):
        n_layers = len(options["layer_types"])
        make_family(name, seed, families_global.make_gemma4, families_global.run_gemma4, prefix, n_layers,
                    dict(usual, num_hidden_layers=n_layers) | options, cases)

    # As mlx-lm converts a model that sees: the text's part alone, its configuration within the whole's.
    def pack(weights):
        unpacked = {}
        packers.stack_halves(weights, unpacked, lambda x: packers.mlx(x, group_size=32),
                             lambda x: packers.mlx(x, bits=8, group_size=32))
        routers = tuple(name for name in weights if name.endswith("router.proj.weight"))
        unpacked.update(packers.pack_with(packers.mlx, ("embed_tokens.weight",) + routers, {"router.proj": dict(bits=8)},
                                          group_size=32)(weights))
        return unpacked

    modules = [f"language_model.model.layers.{i}.{name}" for i in range(2)
               for name in ("router.proj", "experts.switch_glu.down_proj")]
    config = dict(usual, model_type="gemma4_text", num_hidden_layers=2, layer_types=[window, whole], hidden_size=64,
                  intermediate_size=96, head_dim=8, global_head_dim=16, hidden_size_per_layer_input=0, attention_k_eq_v=True,
                  num_global_key_value_heads=1, enable_moe_block=True, num_experts=5, top_k_experts=2, moe_intermediate_size=32)
    make_family("gemma4-mlx", 233, families_global.make_gemma4, families_global.run_gemma4, "language_model.model.", 2, config,
                ["query/mean-feature/0/all/all", "key/scale=0.3/1/all/all", "value/mean-head/1/all/all"], pack=pack,
                beside=("config.json", dict(
                    model_type="gemma4", tie_word_embeddings=True, text_config=config, quantization=dict(
                        {"group_size": 32, "bits": 4, "mode": "affine"}, **{name: dict(bits=8, group_size=32) for name in modules}))))


def make_two(name, seed, make, run, config, cases, n_source, n_target, dtype=torch.bfloat16, prefix="", n_bins=0):
    """cases: by the name of the attention that they act in. expected.safetensors has for each "CASE/weights", of that
    attention, and the decoder's "CASE/logits", with the attention and a colon before the case where there are several,
    and "target" beside "ids". n_target: 0 for a checkpoint of the encoder alone. n_bins: of a
    source that is a sound of two frames a token, "features"; then "ids" are its numbers."""
    if WANTED and name not in WANTED:
        return
    weights = {key: tensor.to(dtype) for key, tensor in make(config, seed, n_target > 0).items()}
    w = {key: tensor.double() for key, tensor in weights.items()}
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(config["vocab_size"], (n_source,), generator=generator)
    target = torch.randint(config["vocab_size"], (n_target,), generator=generator) if n_target > 0 else None
    source = ids
    if n_bins:
        ids = torch.arange(n_source)
        features = torch.randn(n_bins, 2 * n_source, generator=generator)
        source = features.double()
    expected = {"ids": ids} | ({"features": features} if n_bins else {}) | ({"target": target} if target is not None else {})
    for attention, own_cases in cases.items():
        for case in ["baseline"] + own_cases:
            n_layers = config.get("num_decoder_layers" if attention != "encoder" else "num_layers") or config[
                "decoder_layers" if attention != "encoder" else "encoder_layers"]
            maps, logits = run(config, w, source, target, lambda where, layer, site, c: where == attention and intervene(
                case, layer, n_layers, c, site))
            label = case if target is None else f"{attention}:{case}"
            expected[label + "/weights"] = maps[attention].float()
            if logits is not None and attention != "encoder":
                expected[label + "/logits"] = logits.float()
            if case == "baseline":
                peaks = maps[attention][:, :, 2:].max(-1).values
                print(f"{name}, {attention}: largest weight of a row: mean {peaks.mean():.2f}"
                      + (f"; logits up to {logits.abs().max():.1f}" if logits is not None else ""))
    os.makedirs(name, exist_ok=True)
    with open(os.path.join(name, "config.json"), "w") as file:
        json.dump(config, file, indent=2)
        file.write("\n")
    write_safetensors(os.path.join(name, "model.safetensors"), {
        (key if key.startswith(("lm_head.", "final_logits_bias")) else prefix + key): tensor
        for key, tensor in weights.items()})
    write_safetensors(os.path.join(name, "expected.safetensors"), expected)
    if n_bins:
        numpy.save(os.path.join(name, "features.npy"), features.numpy())


def make_encoder_decoders():
    few = ["query/mean-feature/0/all/all", "key/scale=0.3/1/1/all", "value/mean-token/0/all/all",
           "value/mean-head/0/0/1-4", "query/scale=0.3/all/all/2-3"]
    # Heads that do not divide the width, and distances beyond the exact buckets and beyond the last.
    t5 = dict(model_type="t5", d_model=20, d_kv=6, d_ff=28, num_layers=3, num_decoder_layers=2, num_heads=4,
              relative_attention_num_buckets=12, relative_attention_max_distance=14, layer_norm_epsilon=1e-5, vocab_size=31,
              decoder_start_token_id=0, pad_token_id=0, eos_token_id=1)
    make_two("t5-encoder", 101, families_two.make_t5, families_two.run_t5,
             dict(t5, feed_forward_proj="gated-gelu", tie_word_embeddings=False), {"encoder": few}, 19, 0)
    # Keys and values have the source's positions in cross attention, which is longer than the target.
    cross = ["query/mean-feature/0/all/all", "key/scale=0.3/1/1/all", "value/mean-token/0/all/all",
             "value/mean-head/0/0/1-16", "query/scale=0.3/all/all/2-3", "key/mean-token/1/0,2/9-18", "query/scale=0.3/1/2/all"]
    for name, seed, options in (("t5", 102, dict(feed_forward_proj="relu")),
                                ("t5-gated", 103, dict(feed_forward_proj="gated-gelu", tie_word_embeddings=False))):
        make_two(name, seed, families_two.make_t5, families_two.run_t5, dict(t5, **options),
                 {"encoder": few, "decoder": few, "cross": cross}, 19, 13)
    # An encoder and a decoder of different depth, heads and width of the feed-forward layer.
    bart = dict(d_model=24, encoder_layers=3, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=3,
                encoder_ffn_dim=28, decoder_ffn_dim=20, activation_function="gelu", max_position_embeddings=32, vocab_size=31,
                scale_embedding=False, pad_token_id=1, decoder_start_token_id=2, eos_token_id=2)
    some = ["query/mean-feature/0/all/all", "key/scale=0.3/1/1/all", "value/mean-token/0/0/1-12"]
    for name, seed, options in (
            ("bart", 104, dict()),
            ("plbart", 110, dict(scale_embedding=True, activation_function="gelu")),
            ("mbart", 105, dict(scale_embedding=True, tie_word_embeddings=False)),
            ("marian", 106, dict(scale_embedding=True, activation_function="swish", share_encoder_decoder_embeddings=False,
                                 decoder_vocab_size=31)),
            ("m2m_100", 107, dict(scale_embedding=True, activation_function="relu")),
            ("pegasus", 108, dict(activation_function="relu"))):
        make_two(name, seed, families_two.make_bart, families_two.run_bart, dict(bart, model_type=name, **options),
                 {"encoder": some[:2], "decoder": some[:2], "cross": some}, 15, 11, prefix="model.")
    whisper = {key: value for key, value in bart.items() if key != "max_position_embeddings"}
    make_two("whisper", 109, families_two.make_bart, families_two.run_bart,
             dict(whisper, model_type="whisper", max_source_positions=15, max_target_positions=13, num_mel_bins=5,
                  scale_embedding=True, eos_token_id=3),
             {"encoder": few, "decoder": few, "cross": cross[:3] + cross[4:5] + cross[6:] + ["value/mean-head/0/0/1-13"]},
             15, 11, prefix="model.", n_bins=5)


def make_picture(name, seed, config, cases, sizes=None, prefix="", dtype=torch.bfloat16, **options):
    """sizes: height and width of the picture where it is another than the configuration's."""
    if WANTED and name not in WANTED:
        return
    made = families_pictures.make_pictures(config, seed, **options)
    weights = {key: tensor.to(dtype) for key, tensor in made.items()}
    w = {key: tensor.double() for key, tensor in weights.items()}
    height, width = sizes or families_pictures.get_sizes(config)[:2]
    pixels = torch.randn(config["num_channels"], height, width, generator=torch.Generator().manual_seed(seed))
    expected = {"pixels": pixels}
    for case in ["baseline"] + cases:
        residual = []
        maps, logits = families_pictures.run_pictures(
            config, w, pixels.double(),
            lambda layer, site, c: intervene(case, layer, config["num_hidden_layers"], c, site), residual)
        # Where no classifier tells what leaves the layers.
        if case == "baseline" and logits is None:
            expected["residual"] = torch.stack(residual).float()
        expected["ids"] = torch.arange(maps.shape[-1])
        expected[case + "/weights"] = maps.float()
        if logits is not None:
            expected[case + "/logits"] = logits.float()
        if case == "baseline":
            print(f"{name}: largest weight of a row: mean {maps.max(-1).values.mean():.2f}"
                  + (f"; logits up to {logits.abs().max():.1f}" if logits is not None else ""))
    os.makedirs(name, exist_ok=True)
    with open(os.path.join(name, "config.json"), "w") as file:
        json.dump(config, file, indent=2)
        file.write("\n")
    write_safetensors(os.path.join(name, "model.safetensors"), {
        (key if "classifier" in key else prefix + key): tensor for key, tensor in weights.items()})
    write_safetensors(os.path.join(name, "expected.safetensors"), expected)


def make_halves(name, seed, config, cases, n_tokens, dtype=torch.bfloat16):
    """A checkpoint that sees and reads: expected.safetensors has for each half "HALF:CASE/weights" and "HALF:residual"."""
    if WANTED and name not in WANTED:
        return
    halves = {"vision": config["vision_config"], "text": config["text_config"]}
    made = {"vision": families_pictures.make_pictures(halves["vision"], seed, classifiers=()),
            "text": families_pictures.make_texts(halves["text"], seed + 1)}
    weights = {half: {key: tensor.to(dtype) for key, tensor in made[half].items()} for half in halves}
    w = {half: {key: tensor.double() for key, tensor in weights[half].items()} for half in halves}
    generator = torch.Generator().manual_seed(seed)
    height, width = families_pictures.get_sizes(halves["vision"])[:2]
    expected = {"pixels": torch.randn(halves["vision"]["num_channels"], height, width, generator=generator),
                "ids": torch.randint(halves["text"]["vocab_size"], (n_tokens,), generator=generator)}
    for half in halves:
        n_layers = halves[half]["num_hidden_layers"]
        for case in ["baseline"] + cases:
            residual = []
            act = lambda layer, site, c: intervene(case, layer, n_layers, c, site)
            if half == "text":
                maps = families_pictures.run_texts(halves[half], w[half], expected["ids"], act, residual)
            else:
                maps, _ = families_pictures.run_pictures(halves[half], w[half], expected["pixels"].double(), act, residual)
                expected["patches"] = torch.arange(maps.shape[-1])
            expected[f"{half}:{case}/weights"] = maps.float()
            if case == "baseline":
                expected[f"{half}:residual"] = torch.stack(residual).float()
                print(f"{name}, {half}: largest weight of a row: mean {maps[:, :, 2:].max(-1).values.mean():.2f}")
    os.makedirs(name, exist_ok=True)
    with open(os.path.join(name, "config.json"), "w") as file:
        json.dump(config, file, indent=2)
        file.write("\n")
    write_safetensors(os.path.join(name, "model.safetensors"), {
        f"{half}_model.{key}": tensor for half in halves for key, tensor in weights[half].items()}
        | {"logit_scale": torch.tensor([2.6])})
    write_safetensors(os.path.join(name, "expected.safetensors"), expected)


def make_pictures():
    few = ["query/mean-feature/0/all/all", "key/scale=0.3/1/1/all", "value/mean-token/0/all/all",
           "key/mean-head/0/1,2/2-5"]
    usual = dict(hidden_size=20, num_hidden_layers=2, num_attention_heads=4, intermediate_size=28, num_channels=3,
                 layer_norm_eps=1e-6, hidden_act="gelu")
    # A picture that is no square, patches that leave a rest, one channel.
    make_picture("vit", 301, dict(usual, model_type="vit", image_size=[13, 20], patch_size=4, qkv_bias=True,
                                  layer_norm_eps=1e-12, id2label={"0": "cat", "1": "dog", "2": "hat"}), few, prefix="vit.")
    make_picture("vit-biasless", 302, dict(usual, model_type="vit", image_size=9, patch_size=3, qkv_bias=False,
                                           num_channels=1), few[:2], prefix="vit.", dtype=torch.float32)
    make_picture("deit", 303, dict(usual, model_type="deit", image_size=8, patch_size=4), few, prefix="deit.",
                 classifiers=("cls_classifier", "distillation_classifier"))
    dino = {key: value for key, value in usual.items() if key != "intermediate_size"}
    dino = dict(dino, model_type="dinov2", image_size=12, patch_size=3, mlp_ratio=4, use_swiglu_ffn=False)
    make_picture("dinov2", 304, dino, few, prefix="dinov2.")
    make_picture("dinov2-wide", 305, dict(dino, use_swiglu_ffn=True), few[:2], sizes=(10, 17), prefix="dinov2.")
    registers = dict(dino, model_type="dinov2_with_registers", num_register_tokens=3)
    make_picture("dinov2_with_registers", 306, registers, few, sizes=(7, 21), prefix="dinov2_with_registers.")
    # Positions are angles, by row and column of any grid.
    dino = dict(usual, model_type="dinov3_vit", hidden_size=24, num_attention_heads=3, image_size=12, patch_size=3,
                num_register_tokens=2, rope_theta=100.0, query_bias=True, key_bias=False, value_bias=True, proj_bias=True,
                mlp_bias=True, layer_norm_eps=1e-5)
    turned = few + ["query/scale=0.3@rotated/0/all/all", "key/mean-token@rotated/1/0/all"]
    make_picture("dinov3_vit", 309, dict(dino, use_gated_mlp=False), turned, sizes=(7, 17), classifiers=())
    make_picture("dinov3_vit-gated", 310, dict(dino, use_gated_mlp=True, hidden_act="silu", num_register_tokens=0, key_bias=True,
                                               value_bias=False, proj_bias=False, mlp_bias=False), few[:2],
                 classifiers=())
    sees = dict(usual, image_size=12, patch_size=4)
    reads = dict(usual, num_hidden_layers=3, hidden_size=24, num_attention_heads=3, max_position_embeddings=16, vocab_size=31)
    for name, act, epsilon in (("clip", "quick_gelu", 1e-5), ("siglip", "gelu_pytorch_tanh", 1e-6)):
        same = dict(hidden_act=act, layer_norm_eps=epsilon)
        make_halves(name + "-halves", 311 if name == "clip" else 313, dict(
            model_type=name, tie_word_embeddings=True, projection_dim=20,
            vision_config=dict(sees, model_type=name + "_vision_model", **same),
            text_config=dict(reads, model_type=name + "_text_model", **same)), few[:3], 11)
    make_picture("clip", 307, dict(usual, model_type="clip_vision_model", image_size=12, patch_size=4,
                                   hidden_act="quick_gelu"), few, prefix="vision_model.")
    make_picture("siglip", 308, dict(usual, model_type="siglip_vision_model", image_size=12, patch_size=4,
                                     hidden_act="gelu_pytorch_tanh"), few, prefix="vision_model.")


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
    make_llamas()
    make_others()
    make_late()
    make_hybrid()
    make_global()
    make_encoder_decoders()
    make_pictures()


if __name__ == "__main__":
    main()
