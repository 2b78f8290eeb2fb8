#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes pickled/, weights of this folder's fixtures as torch.save writes them, and nanogpt/, a training's checkpoint.

Needs PyTorch; run it in the folder of the fixtures, after make_fixtures.py:

    python3 generators/make_pickled.py

pickled/ has what stands for model.safetensors beside the config.json of the fixture that a file is named after;
expected numbers are those of the fixture. Its adapter_model.bin is adapters/llama. nanogpt/ is a folder as nanoGPT's train.py leaves it, with the answers of
make_fixtures.py's GPT-2, whose Conv1D matrices are the transposes."""

import json
import math
import os
import struct

import torch

import make_fixtures

DTYPES = {"F32": torch.float32, "BF16": torch.bfloat16, "F16": torch.float16}


def read_safetensors(path):
    with open(path, "rb") as file:
        data = file.read()
    n_header = struct.unpack("<Q", data[:8])[0]
    tensors = {}
    for name, entry in json.loads(data[8: 8 + n_header]).items():
        if name == "__metadata__":
            continue
        begin, end = (8 + n_header + offset for offset in entry["data_offsets"])
        tensor = torch.frombuffer(bytearray(data[begin:end]), dtype=DTYPES[entry["dtype"]])
        tensors[name] = tensor.reshape(entry["shape"]).clone()
    return tensors


def make_strided():
    """float32, the matrices of layer 0 transposed views, square ones among them, those of layer 1 in one storage."""
    tensors = {name: tensor.float() for name, tensor in read_safetensors("gpt2-bare/model.safetensors").items()}
    pool = torch.cat([tensor.reshape(-1) for name, tensor in tensors.items() if name.startswith("h.1.")])
    offset = 0
    for name, tensor in tensors.items():
        if name.startswith("h.1."):
            tensors[name] = pool[offset: offset + tensor.numel()].view(tensor.shape)
            offset += tensor.numel()
        elif name.startswith("h.0.") and tensor.dim() == 2:
            tensors[name] = tensor.t().contiguous().t()
    state = {f"module._orig_mod.{name}": tensor for name, tensor in tensors.items()}
    optimizer = {"state": {i: {"exp_avg": torch.full_like(tensor, math.nan)} for i, tensor in enumerate(state.values())}}
    torch.save({"optimizer": optimizer, "model_state_dict": state, "epoch": 3}, "pickled/gpt2-bare.pth")


def make_old():
    torch.save(read_safetensors("gpt2-bare/model.safetensors"), "pickled/gpt2-bare.bin",
               _use_new_zipfile_serialization=False)


def make_rows():
    """Matrices of which the model takes some rows each, and its experts, none of them row by row."""
    for fixture in ("phi3", "qwen3_5_moe"):
        tensors = read_safetensors(f"{fixture}/model.safetensors")
        for name, tensor in tensors.items():
            if tensor.dim() > 1:
                order = list(reversed(range(tensor.dim())))
                tensors[name] = tensor.permute(order).contiguous().permute(order)
        torch.save(tensors, f"pickled/{fixture}.bin")


def make_shards():
    index = {"metadata": {}, "weight_map": {}}
    for number in (1, 2, 3):
        shard = f"pytorch_model-0000{number}-of-00003.bin"
        tensors = read_safetensors(f"llama-sharded/model-0000{number}-of-00003.safetensors")
        torch.save(tensors, f"pickled/{shard}")
        index["weight_map"].update({name: shard for name in tensors})
    with open("pickled/pytorch_model.bin.index.json", "w") as file:
        json.dump(index, file, indent=1, sort_keys=True)
        file.write("\n")


def make_nanogpt():
    config = dict(n_layer=2, n_head=4, n_embd=24, n_inner=None, n_positions=20, vocab_size=29,
                  activation_function="gelu", layer_norm_epsilon=1e-5)
    generator = torch.Generator().manual_seed(35)
    weights = make_fixtures.make_weights(config, generator)
    weights = {name: torch.zeros_like(tensor) if name.endswith(".bias") else tensor.to(torch.float16).float()
               for name, tensor in weights.items()}
    ids = torch.randint(config["vocab_size"], (9,), generator=generator)
    expected = {"ids": ids}
    for case in ("baseline", "query/scale=0.5/all/all/all", "key/mean-token/1/all/all", "value/scale=1e-3/all/0,2/all"):
        maps, logits = make_fixtures.forward(config, weights, ids, case)
        expected[case + "/weights"] = maps.float()
        expected[case + "/logits"] = logits.float()
    state = {}
    for name, tensor in weights.items():
        if not name.endswith(".bias"):
            is_conv = ".attn.c_" in name or ".mlp.c_" in name
            state["_orig_mod.transformer." + name] = tensor.t().contiguous() if is_conv else tensor
    state["_orig_mod.lm_head.weight"] = state["_orig_mod.transformer.wte.weight"]
    checkpoint = {
        "model": state,
        "optimizer": {"state": {0: {"step": torch.tensor(5.0), "exp_avg": torch.full_like(weights["wpe.weight"], math.nan)}},
                      "param_groups": [{"lr": 6e-4, "betas": (0.9, 0.95), "params": [0]}]},
        "model_args": dict(n_layer=2, n_head=4, n_embd=24, block_size=20, bias=False, vocab_size=29, dropout=0.0),
        "iter_num": 5, "best_val_loss": torch.tensor(1.5), "config": {"out_dir": "out", "device": "cuda", "n_layer": 99},
    }
    os.makedirs("nanogpt", exist_ok=True)
    torch.save(checkpoint, "nanogpt/ckpt.pt")
    make_fixtures.write_safetensors("nanogpt/expected.safetensors", expected)


def make_adapter():
    torch.save(read_safetensors("adapters/llama/adapter_model.safetensors"), "pickled/adapter_model.bin")


def main():
    os.makedirs("pickled", exist_ok=True)
    make_strided()
    make_old()
    make_rows()
    make_shards()
    make_nanogpt()
    make_adapter()


if __name__ == "__main__":
    main()
