#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checkpoints of a Llama of 7 billion numbers as GPTQ, AWQ, compressed-tensors, MLX, bitsandbytes and torch.save write
them, beside plain BF16: bench-disks.py PROGRAM [RUNS]

How long `info` takes and what memory it has, of files whose tensors are holes, so that they take no room; and how
long the weights of 128 tokens in the fourth layer take, three layers before it, of files with the numbers in them
(2.3 GB on disk)."""

import json
import os
import pickle
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import types

from figures import report

WIDTH, INNER, LAYERS, TOKENS, TIMED_LAYERS, N_IDS = 4096, 11008, 32, 32000, 4, 128
CONFIG = dict(model_type="llama", hidden_size=WIDTH, intermediate_size=INNER, num_attention_heads=32, num_key_value_heads=32,
              vocab_size=TOKENS, max_position_embeddings=4096, rms_norm_eps=1e-5, tie_word_embeddings=False)
SIZES = {"F16": 2, "BF16": 2, "I32": 4, "U32": 4, "I64": 8, "U8": 1, "F32": 4}
SMALL = {"F16": struct.pack("<H", 0x1400), "BF16": struct.pack("<H", 0x3A80), "F32": struct.pack("<f", 1e-3)}
QUANTISED = {
    "GPTQ": ("quantization_config", dict(quant_method="gptq", bits=4, group_size=128, desc_act=False)),
    "AWQ": ("quantization_config", dict(quant_method="awq", bits=4, group_size=128, version="gemm")),
    "compressed-tensors": ("quantization_config", dict(
        quant_method="compressed-tensors", format="pack-quantized", ignore=["lm_head"], config_groups=dict(
            group_0=dict(targets=["Linear"], weights=dict(num_bits=4, type="int", symmetric=True, group_size=128))))),
    "MLX": ("quantization", dict(bits=4, group_size=64)),
    "nf4": ("quantization_config", dict(quant_method="bitsandbytes", load_in_4bit=True)),
}


def pack(scheme, stem, n_out, n_in):
    """The tensors of a matrix: name, type, shape, and its bytes where any will not do."""
    groups = n_in // 128
    if scheme == "GPTQ":
        return [(stem + ".qweight", "I32", [n_in // 8, n_out], None), (stem + ".qzeros", "I32", [groups, n_out // 8], None),
                (stem + ".scales", "F16", [groups, n_out], None),
                (stem + ".g_idx", "I32", [n_in], b"".join(struct.pack("<i", i // 128) for i in range(n_in)))]
    if scheme == "AWQ":
        return [(stem + ".qweight", "I32", [n_in, n_out // 8], None), (stem + ".qzeros", "I32", [groups, n_out // 8], None),
                (stem + ".scales", "F16", [groups, n_out], None)]
    if scheme == "compressed-tensors":
        return [(stem + ".weight_packed", "I32", [n_out, n_in // 8], None), (stem + ".weight_scale", "BF16", [n_out, groups], None),
                (stem + ".weight_shape", "I64", [2], struct.pack("<qq", n_out, n_in))]
    if scheme == "MLX":
        return [(stem + ".weight", "U32", [n_out, n_in // 8], None), (stem + ".scales", "BF16", [n_out, n_in // 64], None),
                (stem + ".biases", "BF16", [n_out, n_in // 64], None)]
    if scheme == "nf4":
        state = json.dumps(dict(quant_type="nf4", blocksize=64, dtype="bfloat16", shape=[n_out, n_in])).encode()
        table = b"".join(struct.pack("<f", i / 8 - 1) for i in range(16))
        return [(stem + ".weight", "U8", [n_out * n_in // 2, 1], None), (stem + ".weight.absmax", "F32", [n_out * n_in // 64], None),
                (stem + ".weight.quant_map", "F32", [16], table),
                (stem + ".weight.quant_state.bitsandbytes__nf4", "U8", [len(state)], state)]
    return [(stem + ".weight", "BF16", [n_out, n_in], None)]


def list_tensors(scheme, n_layers):
    tensors = [("model.embed_tokens.weight", "BF16", [TOKENS, WIDTH], None), ("lm_head.weight", "BF16", [TOKENS, WIDTH], None),
               ("model.norm.weight", "BF16", [WIDTH], None)]
    for layer in range(n_layers):
        stem = f"model.layers.{layer}."
        tensors += [(stem + norm, "BF16", [WIDTH], None) for norm in ("input_layernorm.weight", "post_attention_layernorm.weight")]
        for name in ("q", "k", "v", "o"):
            tensors += pack(scheme, f"{stem}self_attn.{name}_proj", WIDTH, WIDTH)
        for name, n_out, n_in in (("gate", INNER, WIDTH), ("up", INNER, WIDTH), ("down", WIDTH, INNER)):
            tensors += pack(scheme, f"{stem}mlp.{name}_proj", n_out, n_in)
    return tensors


def count_bytes(dtype, shape):
    n = SIZES[dtype]
    for size in shape:
        n *= size
    return n


def fill(file, begin, dtype, n_bytes, content, is_whole):
    """The tensor's bytes, or a hole."""
    file.seek(begin)
    if content is not None:
        file.write(content)
    elif is_whole and dtype in SMALL:
        piece = SMALL[dtype] * (min(n_bytes, 1 << 20) // SIZES[dtype])
        for first in range(0, n_bytes, len(piece)):
            file.write(piece[:n_bytes - first])
    elif is_whole:
        piece = os.urandom(min(n_bytes, 1 << 20))
        for first in range(0, n_bytes, len(piece)):
            file.write(piece[:n_bytes - first])


def write_safetensors(path, tensors, is_whole):
    header, offset = {}, 0
    for name, dtype, shape, _ in tensors:
        n_bytes = count_bytes(dtype, shape)
        header[name] = dict(dtype=dtype, shape=shape, data_offsets=[offset, offset + n_bytes])
        offset += n_bytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name, dtype, shape, content in tensors:
            begin, end = header[name]["data_offsets"]
            fill(file, 8 + len(text) + begin, dtype, end - begin, content, is_whole)
        file.truncate(8 + len(text) + offset)


class Storage:
    def __init__(self, key, n):
        self.id = ("storage", sys.modules["torch"].BFloat16Storage, str(key), "cpu", n)


class Pickler(pickle.Pickler):
    def persistent_id(self, obj):
        return obj.id if isinstance(obj, Storage) else None


def name_torch():
    """The names that torch.save writes, without PyTorch."""
    torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")

    def rebuild():
        pass
    rebuild.__module__, rebuild.__qualname__, rebuild.__name__ = "torch._utils", "_rebuild_tensor_v2", "_rebuild_tensor_v2"
    utils._rebuild_tensor_v2, torch._utils = rebuild, utils
    torch.BFloat16Storage = type("BFloat16Storage", (), {"__module__": "torch"})
    sys.modules.update({"torch": torch, "torch._utils": utils})
    return rebuild


def write_pickle(path, tensors, is_whole):
    rebuild = name_torch()

    class Tensor:
        def __init__(self, key, shape):
            self.key, self.shape = key, shape

        def __reduce__(self):
            n, strides = 1, []
            for size in reversed(self.shape):
                strides.insert(0, n)
                n *= size
            return rebuild, (Storage(self.key, n), 0, tuple(self.shape), tuple(strides), False, {})

    import io
    text = io.BytesIO()
    Pickler(text, 2).dump({name: Tensor(i, shape) for i, (name, _, shape, _) in enumerate(tensors)})
    records = [("archive/data.pkl", text.getvalue(), len(text.getvalue()), None)]
    records += [(f"archive/data/{i}", None, count_bytes(dtype, shape), dtype) for i, (_, dtype, shape, _) in enumerate(tensors)]
    records.append(("archive/version", b"3\n", 2, None))
    central, at = b"", 0
    with open(path, "wb") as file:
        for name, content, n_bytes, dtype in records:
            padding = -(at + 30 + len(name) + 4) % 64
            extra = struct.pack("<HH", 0x4246, padding) + b"Z" * padding
            file.seek(at)
            file.write(struct.pack("<IHHHHHIIIHH", 0x04034B50, 0, 0, 0, 0, 0, 0, n_bytes, n_bytes, len(name), len(extra)) +
                       name.encode() + extra)
            begin = file.tell()
            fill(file, begin, dtype, n_bytes, content, is_whole)
            far = struct.pack("<HHQ", 1, 8, at) if at >= 0xFFFFFFFF else b""
            central += struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 0, 0, 0, 0, 0, 0, 0, n_bytes, n_bytes, len(name), len(far),
                                   0, 0, 0, 0, min(at, 0xFFFFFFFF)) + name.encode() + far
            at = begin + n_bytes
        file.truncate(at)
        file.seek(at)
        file.write(central)
        n = len(records)
        file.write(struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, n, n, len(central), at) +
                   struct.pack("<IIQI", 0x07064B50, 0, at + len(central), 1) +
                   struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, n, n, len(central), 0xFFFFFFFF, 0))


def write_model(directory, scheme, n_layers, is_whole):
    config = dict(CONFIG, num_hidden_layers=n_layers)
    if scheme in QUANTISED:
        config[QUANTISED[scheme][0]] = QUANTISED[scheme][1]
    os.makedirs(directory)
    with open(os.path.join(directory, "config.json"), "w", encoding="utf-8") as file:
        json.dump(config, file)
    tensors = list_tensors(scheme, n_layers)
    if scheme == "torch.save":
        write_pickle(os.path.join(directory, "pytorch_model.bin"), tensors, is_whole)
    else:
        write_safetensors(os.path.join(directory, "model.safetensors"), tensors, is_whole)


def run(command):
    """Milliseconds, and MB resident at most; or those of this script, where they are more."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)}: status {status}")
    return 1000 * (time.monotonic() - begin), usage.ru_maxrss * 1.024e-3


def main():
    program, n_runs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    schemes = [*QUANTISED, "torch.save"]
    directory = tempfile.mkdtemp()
    ids = ",".join(str(7 * i % TOKENS) for i in range(N_IDS))
    try:
        paths = {scheme: os.path.join(directory, "holes", scheme) for scheme in ["BF16", *schemes]}
        for scheme, path in paths.items():
            write_model(path, scheme, LAYERS, False)
        for path in paths.values():
            run([program, "info", path])
        for scheme in schemes:
            runs = [(run([program, "info", paths[scheme]]), run([program, "info", paths["BF16"]])) for _ in range(n_runs)]
            report("disks", f"Llama 7B, {scheme}, info", "ms", [own[0] for own, _ in runs], "300 ms")
            report("disks", f"Llama 7B, {scheme}, info, memory", "MB", [own[1] for own, _ in runs], None,
                   [plain[1] for _, plain in runs], "BF16 safetensors")
        shutil.rmtree(os.path.join(directory, "holes"))
        plain = os.path.join(directory, "BF16")
        write_model(plain, "BF16", TIMED_LAYERS, True)

        def measure(path):
            return run([program, "compute", "--model", path, "--ids", ids, "--layer", str(TIMED_LAYERS - 1), "-o",
                        os.path.join(directory, "out.npy")])[0]
        measure(plain)
        for scheme in schemes:
            path = os.path.join(directory, scheme)
            write_model(path, scheme, TIMED_LAYERS, True)
            measure(path)
            runs = [(measure(path), measure(plain)) for _ in range(n_runs)]
            report("disks", f"128 tokens through 3 layers of 7B, {scheme}", "ms", [own for own, _ in runs], "1.15 x",
                   [limit for _, limit in runs], "BF16 safetensors")
            shutil.rmtree(path)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


main()
