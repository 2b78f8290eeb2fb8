#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checkpoints of a Llama of 7 billion numbers as GPTQ, AWQ, compressed-tensors, MLX, bitsandbytes and torch.save write
them, beside plain BF16: bench-disks.py PROGRAM [RUNS]

How long `info` takes and what memory it has, of files whose tensors are holes, so that they take no room; likewise of
a Qwen3 of 30 billion numbers with 18,867 tensors in 16 files and a tokenizer of 151,643 pieces; and how
long the weights of 128 tokens in the fourth layer take, three layers before it, of files with the numbers in them
(2.3 GB on disk)."""

import json
import math
import os
import pickle
import random
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


MOE = dict(model_type="qwen3_moe", hidden_size=2048, intermediate_size=6144, moe_intermediate_size=768, num_hidden_layers=48,
           num_attention_heads=32, num_key_value_heads=4, head_dim=128, num_experts=128, num_experts_per_tok=8,
           norm_topk_prob=True, vocab_size=151936, max_position_embeddings=40960, rms_norm_eps=1e-6, rope_theta=1e6,
           tie_word_embeddings=False)
N_PIECES, N_SHARDS = 151643, 16


def list_moe_tensors():
    width, inner, keys, queries = 2048, 768, 4 * 128, 32 * 128
    tensors = [("model.embed_tokens.weight", [151936, width]), ("lm_head.weight", [151936, width]), ("model.norm.weight", [width])]
    for layer in range(MOE["num_hidden_layers"]):
        stem = f"model.layers.{layer}."
        for expert in range(MOE["num_experts"]):
            tensors += [(f"{stem}mlp.experts.{expert}.{name}_proj.weight", shape) for name, shape in (
                ("down", [width, inner]), ("gate", [inner, width]), ("up", [inner, width]))]
        tensors += [(stem + name + ".weight", shape) for name, shape in (
            ("mlp.gate", [128, width]), ("input_layernorm", [width]), ("post_attention_layernorm", [width]),
            ("self_attn.q_norm", [128]), ("self_attn.k_norm", [128]), ("self_attn.q_proj", [queries, width]),
            ("self_attn.k_proj", [keys, width]), ("self_attn.v_proj", [keys, width]), ("self_attn.o_proj", [width, queries]))]
    return [(name, "BF16", shape, None) for name, shape in tensors]


def write_tokenizer(path):
    """Pieces and merges as a byte-level BPE has them: of two pieces before, the space as Ġ."""
    letters = [chr(c) for c in [*range(33, 127), *range(161, 173), *range(174, 324)]]
    pieces, known, merges, chance = list(letters), set(letters), [], random.Random(1)
    while len(pieces) < N_PIECES:
        left = pieces[chance.randrange(94)] if chance.random() < 0.9 or len(pieces) < 999 else "\u0120"
        left = pieces[chance.randrange(len(letters), min(len(pieces), 20000))] if len(pieces) > 999 and chance.random() < 0.7 else left
        right = pieces[chance.randrange(94)]
        if left + right not in known:
            known.add(left + right)
            pieces.append(left + right)
            merges.append(f"{left} {right}")
    split = r"'s|'t|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+"
    byte_level = dict(type="ByteLevel", add_prefix_space=False, trim_offsets=False, use_regex=False)
    special = [dict(id=N_PIECES + i, content=text, single_word=False, lstrip=False, rstrip=False, normalized=False, special=True)
               for i, text in enumerate(("<|endoftext|>", "<|im_start|>", "<|im_end|>"))]
    with open(path, "w", encoding="utf-8") as file:
        json.dump(dict(version="1.0", truncation=None, padding=None, added_tokens=special, normalizer=dict(type="NFC"),
                       pre_tokenizer=dict(type="Sequence", pretokenizers=[
                           dict(type="Split", pattern=dict(Regex=split), behavior="Isolated", invert=False), byte_level]),
                       post_processor=byte_level, decoder=byte_level, model=dict(
                           type="BPE", dropout=None, unk_token=None, continuing_subword_prefix="", end_of_word_suffix="",
                           fuse_unk=False, byte_fallback=False, ignore_merges=False,
                           vocab={piece: i for i, piece in enumerate(pieces)}, merges=merges)), file, ensure_ascii=False, indent=2)


def write_moe(directory):
    os.makedirs(directory)
    tensors, places = list_moe_tensors(), {}
    n = -(-len(tensors) // N_SHARDS)
    for shard in range(N_SHARDS):
        own, name = tensors[shard * n:(shard + 1) * n], f"model-{shard + 1:05}-of-{N_SHARDS:05}.safetensors"
        write_safetensors(os.path.join(directory, name), own, False)
        places |= {tensor[0]: name for tensor in own}
    for name, content in (("config.json", MOE), ("model.safetensors.index.json", dict(metadata={}, weight_map=places))):
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            json.dump(content, file, indent=2)
    write_tokenizer(os.path.join(directory, "tokenizer.json"))


def write_moe_gguf(path):
    """The same with the experts of a layer in one tensor, as llama.cpp has them, Q4_K and Q6_K, without a tokenizer."""
    def text(word):
        return struct.pack("<Q", len(word)) + word.encode()
    numbers = dict(block_count=48, context_length=40960, embedding_length=2048, feed_forward_length=6144,
                   expert_feed_forward_length=768, expert_count=128, expert_used_count=8)
    numbers |= {f"attention.{name}": n for name, n in dict(head_count=32, head_count_kv=4, key_length=128, value_length=128).items()}
    pairs = [text("general.architecture") + struct.pack("<I", 8) + text("qwen3moe"),
             text("qwen3moe.attention.layer_norm_rms_epsilon") + struct.pack("<If", 6, 1e-6)]
    pairs += [text("qwen3moe." + name) + struct.pack("<II", 4, n) for name, n in numbers.items()]
    tensors = [("token_embd", [2048, 151936], 14), ("output", [2048, 151936], 14), ("output_norm", [2048], 0)]
    for layer in range(48):
        tensors += [(f"blk.{layer}.{name}", dims, kind) for name, dims, kind in (
            ("attn_norm", [2048], 0), ("ffn_norm", [2048], 0), ("attn_q_norm", [128], 0), ("attn_k_norm", [128], 0),
            ("attn_q", [2048, 4096], 12), ("attn_k", [2048, 512], 12), ("attn_v", [2048, 512], 14), ("attn_output", [4096, 2048], 12),
            ("ffn_gate_inp", [2048, 128], 0), ("ffn_gate_exps", [2048, 768, 128], 12), ("ffn_up_exps", [2048, 768, 128], 12),
            ("ffn_down_exps", [768, 2048, 128], 14))]
    header, offset = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(pairs)) + b"".join(pairs), 0
    for name, dims, kind in tensors:
        header += text(name + ".weight") + struct.pack(f"<I{len(dims)}QIQ", len(dims), *dims, kind, offset)
        n, (n_block, n_bytes) = math.prod(dims), {0: (1, 4), 12: (256, 144), 14: (256, 210)}[kind]
        offset += -(-n // n_block * n_bytes // 32) * 32
    with open(path, "wb") as file:
        file.write(header + b"\0" * (-len(header) % 32))
        file.truncate(len(header) + -len(header) % 32 + offset)


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
        large = {"16 files": os.path.join(directory, "moe"), "GGUF": os.path.join(directory, "moe.gguf")}
        write_moe(large["16 files"])
        write_moe_gguf(large["GGUF"])
        for name, path in large.items():
            run([program, "info", path])
            report("disks", f"Qwen3 30B, {name}, info", "ms", [run([program, "info", path])[0] for _ in range(n_runs)], "100 ms")
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
