#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the folder "adapters": LoRA adapters of the fixtures beside it, and the tensors of the models that they are
merged into.

Written from the published definition (Hu et al. 2021, arXiv 2106.09685; DoRA: Liu et al. 2024, arXiv 2402.09353,
section 4) and from the names that PEFT and MLX write, apart from the program. Needs NumPy; run it in the folder of the
fixtures:

    python3 generators/make_adapters.py

A base may be one of the quantised fixtures: what its matrices stand for is computed here from the published
definition (bitsandbytes, functional.py: dequantize_4bit; AutoGPTQ, nn_modules/qlinear; MLX, ops.cpp:
affine_dequantize).

adapters/NAME holds adapter_config.json and adapter_model.safetensors as PEFT saves them, or adapters.safetensors as
mlx-lm does, and merged.safetensors with
each tensor of the model that is another after the merge, in float32, by the name that it has in the model's file."""

import json
import os
import re
import struct

import numpy as np

INTEGERS = {"I32": np.int32, "U32": np.uint32, "U8": np.uint8}
SIZES = {"F32": (np.float32, 4), "F16": (np.float16, 2), "BF16": (np.uint16, 2)}


def read_safetensors(path):
    with open(path, "rb") as file:
        data = file.read()
    (n_header,) = struct.unpack("<Q", data[:8])
    tensors = {}
    for name, entry in json.loads(data[8:8 + n_header]).items():
        if name == "__metadata__" or entry["dtype"] not in SIZES:
            continue
        begin, end = (8 + n_header + offset for offset in entry["data_offsets"])
        values = np.frombuffer(data[begin:end], SIZES[entry["dtype"]][0])
        if entry["dtype"] == "BF16":
            values = (values.astype(np.uint32) << 16).view(np.float32)
        tensors[name] = values.astype(np.float64).reshape(entry["shape"])
    return tensors


def read_integers(path):
    with open(path, "rb") as file:
        data = file.read()
    (n_header,) = struct.unpack("<Q", data[:8])
    tensors = {}
    for name, entry in json.loads(data[8:8 + n_header]).items():
        if name != "__metadata__" and entry["dtype"] in INTEGERS:
            begin, end = (8 + n_header + offset for offset in entry["data_offsets"])
            tensors[name] = np.frombuffer(data[begin:end], INTEGERS[entry["dtype"]]).reshape(entry["shape"])
    return tensors


def unpack_nf4(stem, floats, integers):
    """Two codes a byte, the first one above; of 64 and so many numbers in a row a scale, which is nested."""
    (state,) = (json.loads(bytes(tensor)) for name, tensor in integers.items()
                if name.startswith(stem + ".weight.quant_state."))
    packed = integers[stem + ".weight"].reshape(-1)
    codes = np.stack((packed >> 4, packed & 15), 1).reshape(-1)[:np.prod(state["shape"])]
    scales = floats[stem + ".weight.nested_quant_map"][integers[stem + ".weight.absmax"]]
    which = np.arange(len(scales)) // state["nested_blocksize"]
    scales = scales * floats[stem + ".weight.nested_absmax"][which] + state["nested_offset"]
    numbers = floats[stem + ".weight.quant_map"][codes]
    return (numbers * scales[np.arange(len(codes)) // state["blocksize"]]).reshape(state["shape"])


def unpack_words(words, bits=4):
    """Codes along the last dimension, the lowest bits first."""
    shifts = np.arange(0, 32, bits)
    return ((words.astype(np.int64)[..., None] >> shifts) & (2 ** bits - 1)).reshape(*words.shape[:-1], -1)


def unpack_gptq(stem, floats, integers):
    """4 bits: the codes of a column down, zeros along a row, and 1 more than they say."""
    codes = unpack_words(integers[stem + ".qweight"].T).T
    zeros = unpack_words(integers[stem + ".qzeros"]) + 1
    groups = integers[stem + ".g_idx"]
    return ((codes - zeros[groups]) * floats[stem + ".scales"][groups]).T


def unpack_mlx(stem, floats, integers, bits, group_size):
    """Codes along a row, a scale and a bias a group: code x scale + bias."""
    codes = unpack_words(integers[stem + ".weight"], bits)
    scales, biases = (np.repeat(floats.pop(stem + end), group_size, 1) for end in (".scales", ".biases"))
    return codes * scales + biases


def read_model(path):
    floats, integers = read_safetensors(path), read_integers(path)
    with open(os.path.join(os.path.dirname(path), "config.json"), encoding="utf-8") as file:
        mlx = json.load(file).get("quantization")
    for name in integers:
        if name.endswith(".weight.absmax"):
            stem = name[:-len(".weight.absmax")]
            floats[stem + ".weight"] = unpack_nf4(stem, floats, integers)
        elif name.endswith(".qweight"):
            stem = name[:-len(".qweight")]
            floats[stem + ".weight"] = unpack_gptq(stem, floats, integers)
        elif mlx and name.endswith(".weight"):
            stem = name[:-len(".weight")]
            floats[name] = unpack_mlx(stem, floats, integers, mlx["bits"], mlx["group_size"])
    return floats


def to_bf16(values):
    """The upper half of each float32, rounded to the nearest even."""
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def write_safetensors(path, tensors, dtype):
    header, chunks, offset = {}, [], 0
    for name, values in tensors.items():
        data = (to_bf16(values) if dtype == "BF16" else values.astype(SIZES[dtype][0])).tobytes()
        header[name] = {"dtype": dtype, "shape": list(values.shape), "data_offsets": [offset, offset + len(data)]}
        chunks.append(data)
        offset += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(chunks))


def rounded(values, dtype):
    """What is read back of what was written."""
    if dtype == "BF16":
        return (to_bf16(values).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return values.astype(SIZES[dtype][0]).astype(np.float64)


def choose(patterns, module, fallback):
    for pattern, value in patterns.items():
        if re.match(rf"(.*\.)?({pattern})$", module):
            return value
    return fallback


def make(name, base, targets, *, front="", seed, dtype="F32", r=4, lora_alpha=8, ranks=None, alphas=None,
         use_rslora=False, use_dora=False, conv1d=(), embedding=None, saved=(), biases=(), plain_magnitude=False):
    """`front` stands in front of the names of the model's file in those of the program that trained the adapter;
    `targets` are expressions for the ends of modules, `embedding` a table of embeddings, `saved` tensors that have
    others in their place, `biases` those of biases."""
    rng = np.random.default_rng(seed)
    model = read_model(os.path.join(base, "model.safetensors"))
    adapter, merged = {}, {}

    def put(tensor, values):
        adapter["base_model.model." + tensor] = values
        return rounded(values, dtype)

    for tensor in model:
        module = front + tensor[:-len(".weight")]
        if not tensor.endswith(".weight") or not any(re.search(rf"{target}$", module) for target in targets):
            continue
        is_conv1d = any(tensor.endswith(end + ".weight") for end in conv1d)
        weight = model[tensor].T if is_conv1d else model[tensor]
        rank = choose(ranks or {}, module, r)
        alpha = choose(alphas or {}, module, lora_alpha)
        scale = alpha / np.sqrt(rank) if use_rslora else alpha / rank
        a = put(module + ".lora_A.weight", rng.normal(0, 1, (rank, weight.shape[1])) / np.sqrt(weight.shape[1]))
        b = put(module + ".lora_B.weight", rng.normal(0, 0.3, (weight.shape[0], rank)) / np.sqrt(rank))
        changed = weight + scale * b @ a
        if use_dora:
            lengths = np.linalg.norm(weight, axis=1) * rng.uniform(0.8, 1.2, weight.shape[0])
            magnitude = put(module + ".lora_magnitude_vector" + ("" if plain_magnitude else ".weight"), lengths)
            changed = changed * (magnitude / np.linalg.norm(changed, axis=1))[:, None]
        merged[tensor] = changed.T if is_conv1d else changed
    if embedding is not None:
        table = model[embedding + ".weight"]
        a = put(front + embedding + ".lora_embedding_A", rng.normal(0, 1, (r, table.shape[0])))
        b = put(front + embedding + ".lora_embedding_B", rng.normal(0, 0.2, (table.shape[1], r)))
        scale = lora_alpha / np.sqrt(r) if use_rslora else lora_alpha / r
        merged[embedding + ".weight"] = table + scale * (b @ a).T
        # Where the head is the table itself, it stays what it was.
        if "lm_head.weight" not in model:
            merged["lm_head.weight"] = table
    for tensor, shape in saved:
        values = put(tensor, rng.normal(0, 0.4, shape))
        merged[tensor if tensor in model or tensor == "lm_head.weight" else tensor[len(front):]] = values
    for number, tensor in enumerate(t for t in model if any(re.search(rf"{end}$", t) for end in biases)):
        spelled = tensor.replace(".bias", ".base_layer.bias") if number % 2 == 0 else tensor
        merged[tensor] = put(front + spelled, model[tensor] + rng.normal(0, 0.3, model[tensor].shape))

    folder = os.path.join("adapters", name)
    os.makedirs(folder, exist_ok=True)
    config = {"peft_type": "LORA", "task_type": "CAUSAL_LM", "base_model_name_or_path": f"../../{base}",
              "revision": None, "inference_mode": True, "r": r, "lora_alpha": lora_alpha, "lora_dropout": 0.05,
              "bias": "all" if biases else "none", "fan_in_fan_out": bool(conv1d), "use_rslora": use_rslora,
              "use_dora": use_dora, "rank_pattern": ranks or {}, "alpha_pattern": alphas or {},
              "target_modules": [target.replace("\\", "") for target in targets],
              "modules_to_save": [tensor.removesuffix(".weight") for tensor, _ in saved] or None,
              "init_lora_weights": True, "layer_replication": None}
    with open(os.path.join(folder, "adapter_config.json"), "w") as file:
        json.dump(config, file, indent=2)
        file.write("\n")
    write_safetensors(os.path.join(folder, "adapter_model.safetensors"), adapter, dtype)
    write_safetensors(os.path.join(folder, "merged.safetensors"), merged, "F32")


def make_mlx(name, base, targets, *, seed, kind="lora", dtype="F32", rank=4, scale=2.5, saved=()):
    """What mlx-lm's training saves: tuner/utils.py, lora.py and dora.py (fuse). A is [in, rank], B [rank, out]. `saved`:
    names of the tensors of a full fine-tuning."""
    rng = np.random.default_rng(seed)
    model = read_model(os.path.join(base, "model.safetensors"))
    # Beside matrices of the model's own there are none that are quantised.
    is_quantised = base.endswith("mlx")
    adapter, merged = {}, dict(model) if is_quantised else {}

    def put(tensor, values):
        adapter[tensor] = values
        return rounded(values, dtype)

    for tensor in list(model):
        module = tensor[:-len(".weight")]
        if not tensor.endswith(".weight") or not any(re.search(rf"{target}$", module) for target in targets):
            continue
        weight = model[tensor]
        a = put(module + ".lora_a", rng.normal(0, 1, (weight.shape[1], rank)) / np.sqrt(weight.shape[1]))
        b = put(module + ".lora_b", rng.normal(0, 0.3, (rank, weight.shape[0])) / np.sqrt(rank))
        changed = weight + (scale * b.T) @ a.T
        if kind == "dora":
            magnitude = put(module + ".m", np.linalg.norm(weight, axis=1) * rng.uniform(0.8, 1.2, weight.shape[0]))
            changed = (magnitude / np.linalg.norm(changed, axis=1))[:, None] * changed
        merged[tensor] = changed
    for tensor in saved:
        merged[tensor] = put(tensor, model[tensor] + rng.normal(0, 0.2, model[tensor].shape))

    folder = os.path.join("adapters", name)
    os.makedirs(folder, exist_ok=True)
    config = {"model": f"../../{base}", "adapter_path": "adapters", "fine_tune_type": kind, "num_layers": 16,
              "batch_size": 4, "iters": 1000, "lora_parameters": {"rank": rank, "dropout": 0.0, "scale": scale}}
    with open(os.path.join(folder, "adapter_config.json"), "w") as file:
        json.dump(config, file, indent=4)
        file.write("\n")
    write_safetensors(os.path.join(folder, "adapters.safetensors"), adapter, dtype)
    write_safetensors(os.path.join(folder, "merged.safetensors"), merged, "F32")


PROJECTIONS = [r"\.q_proj", r"\.k_proj", r"\.v_proj", r"\.o_proj"]
MLP = [r"\.gate_proj", r"\.up_proj", r"\.down_proj"]
CONV1D = ["c_attn", "c_proj", "c_fc"]

make("llama", "llama", PROJECTIONS + MLP, seed=1,
     ranks={r"layers\.1\.self_attn\.q_proj": 2, "up_proj": 1}, alphas={"v_proj": 3, r".*\.v_proj": 100})
make("llama-stabilised", "llama", [r"\.q_proj", r"\.down_proj"], seed=2, dtype="BF16", r=3, lora_alpha=5,
     use_rslora=True, embedding="model.embed_tokens", saved=[("lm_head.weight", (31, 32))])
make("llama-dora", "llama", PROJECTIONS + MLP, seed=3, use_dora=True)
make("llama-biased", "llama-biased", [r"\.q_proj", r"\.v_proj"], seed=4, dtype="F16",
     biases=[r"\.q_proj\.bias", r"\.o_proj\.bias", r"\.down_proj\.bias"])
make("llama-many", "llama", PROJECTIONS, seed=5, r=40, lora_alpha=10)
make("gpt2", "gpt2-prefixed", [r"\.c_attn", r"\.c_proj", r"\.c_fc"], seed=6, r=5, conv1d=CONV1D,
     saved=[("lm_head.weight", (61, 32)), ("transformer.ln_f.weight", (32,))])
make("gpt2-tied", "gpt2-prefixed", [r"\.c_attn"], seed=7, conv1d=CONV1D, embedding="transformer.wte")
make("gpt2-dora", "gpt2-bare", [r"\.c_attn", r"\.c_fc", r"mlp\.c_proj"], front="transformer.", seed=8, conv1d=CONV1D,
     use_dora=True, plain_magnitude=True)
make("phi3", "phi3", [r"\.qkv_proj", r"\.gate_up_proj"], seed=9)
make("phi3-dora", "phi3", [r"\.gate_up_proj"], seed=10, use_dora=True)
make("llama-nf4", "llama-nf4", PROJECTIONS + MLP, seed=12)
make("llama-nf4-dora", "llama-nf4", PROJECTIONS + MLP, seed=13, use_dora=True)
make("llama-gptq", "llama-gptq", PROJECTIONS + MLP, seed=14, dtype="BF16", use_rslora=True)
make("t5", "t5", [r"\.q", r"\.v", r"\.wi", r"\.wo"], seed=15)
make("bart", "bart", [r"\.q_proj", r"\.out_proj", r"\.fc1"], seed=16, use_dora=True)
make("mixtral", "mixtral", [r"\.w1", r"\.w2", r"\.w3", r"\.gate"], seed=11, r=2)
make_mlx("llama-by-mlx", "llama", PROJECTIONS + MLP, seed=17)
make_mlx("llama-by-mlx-dora", "llama", [r"\.q_proj", r"\.v_proj"], seed=18, kind="dora", dtype="F16", scale=20.0)
make_mlx("llama-by-mlx-full", "llama", [], seed=19, kind="full", dtype="BF16",
         saved=["model.layers.1.self_attn.k_proj.weight", "model.layers.1.input_layernorm.weight"])
make_mlx("llama-mlx-by-mlx", "llama-mlx", PROJECTIONS, seed=20)
make_mlx("phi3-by-mlx", "phi3", [r"\.qkv_proj", r"\.gate_up_proj"], seed=21, kind="dora", rank=3)
