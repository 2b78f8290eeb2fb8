# SPDX-License-Identifier: GPL-3.0-or-later
"""Matrices in fewer bits, written anew from the published definitions: each packer takes a matrix [out, in] and gives the
tensors by what follows the module's name, and the values that they stand for."""

import json

import torch

AWQ_ORDER = [0, 2, 4, 6, 1, 3, 5, 7]  # AutoAWQ, awq/utils/packing_utils.py
# bitsandbytes, functional.py: quantiles of a normal distribution, and 4-bit floats in the order of their bits.
NF4 = [-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334,
       -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224,
       0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0]
FP4 = [0.0, 0.0625 / 12, 8 / 12, 12 / 12, 4 / 12, 6 / 12, 2 / 12, 3 / 12]
FP4 = FP4 + [-value for value in FP4]


# OCP 8-bit Floating Point Specification 1.0, E4M3, by the bits; OCP Microscaling Formats 1.0, E2M1.
E4M3 = torch.tensor([(1 - 2 * (i >> 7)) * ((8 + i % 8) * 2.0 ** (i % 128 // 8 - 10) if i % 128 > 7 else i % 8 * 2.0 ** -9)
                     if i % 128 != 127 else float("inf") for i in range(256)], dtype=torch.float64)
E2M1 = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], dtype=torch.float64)


def nearest(x, table):
    return (x[..., None] - table).abs().argmin(-1).to(torch.uint8)


def as_e4m3(numbers):
    numbers.stored_as = "F8_E4M3"
    return numbers


def block_tops(x, n_rows, n_columns):
    """The largest number of each block, and the blocks of rows and columns; 0: all."""
    rows = torch.arange(x.shape[0]) // (n_rows or x.shape[0])
    columns = torch.arange(x.shape[1]) // (n_columns or x.shape[1])
    tops = torch.tensor([[x[rows == i][:, columns == j].abs().max() for j in range(int(columns[-1]) + 1)]
                         for i in range(int(rows[-1]) + 1)], dtype=torch.float64)
    return tops, rows, columns


def scaled(x, kind="float", n_rows=1, n_columns=0, dtype=torch.bfloat16, flat=False, exponents=False, also=()):
    """A byte each and a scale a block: compressed-tensors, compressors/naive_quantized and mxfp8; FBGEMM: transformers,
    integrations/fbgemm_fp8.py. also: scales of inputs, which are not rounded here."""
    tops, rows, columns = block_tops(x, n_rows, n_columns)
    top = 448 if kind == "float" else 127
    if exponents:
        stored = (torch.ceil(torch.log2(tops / top)) + 127).to(torch.uint8)
        scales = 2.0 ** (stored.double() - 127)
    else:
        stored = (tops / top).to(dtype)
        scales = stored.double()
    spread = scales[rows][:, columns]
    if kind == "float":
        numbers = as_e4m3(nearest(x / spread, E4M3))
        values = E4M3[numbers.long()] * spread
    else:
        numbers = torch.round(x / spread).clamp(-127, 127).to(torch.int8)
        values = numbers.double() * spread
    tensors = {".weight": numbers, ".weight_scale": stored[0] if flat else stored}
    tensors.update({name: torch.tensor([0.5]) for name in also})
    return tensors, values


def halves(numbers):
    return numbers[:, 0::2] + 16 * numbers[:, 1::2]


def nvfp4(x, is_modelopt=False):
    """Groups of 16 with scales of E4M3, which the one of the whole divides (compressed-tensors, compressors/nvfp4) or
    multiplies (ModelOpt: transformers, quantizers/finegrained/nvfp4.py)."""
    tops, rows, columns = block_tops(x, 1, 16)
    whole = (x.abs().max() / (448 * 6)).float() if is_modelopt else (448 * 6 / x.abs().max()).float()
    factor = whole.double() if is_modelopt else 1 / whole.double()
    scales = as_e4m3(nearest(tops / 6 / factor, E4M3[:127]))
    spread = (E4M3[scales.long()] * factor)[:, columns]
    numbers = nearest(x / spread, E2M1)
    values = E2M1[numbers.long()] * spread
    if is_modelopt:
        return {".weight": halves(numbers), ".weight_scale": scales, ".weight_scale_2": whole,
                ".input_scale": torch.tensor(0.5)}, values
    return {".weight_packed": halves(numbers), ".weight_scale": scales, ".weight_global_scale": whole[None],
            ".input_global_scale": torch.tensor([0.5])}, values


def mxfp4(x):
    """Groups of 32 with an exponent each: compressed-tensors, compressors/mxfp4."""
    tops, rows, columns = block_tops(x, 1, 32)
    exponents = torch.ceil(torch.log2(tops / 6))
    spread = (2.0 ** exponents)[:, columns]
    numbers = nearest(x / spread, E2M1)
    return {".weight_packed": halves(numbers), ".weight_scale": (exponents + 127).to(torch.uint8)}, \
        E2M1[numbers.long()] * spread


def pack_stream(codes, bits):
    """The last dimension as bits that follow one another, in words of 32, the lowest first."""
    n = codes.shape[-1]
    n_words = -(-n * bits // 32)
    words = torch.zeros(*codes.shape[:-1], n_words, dtype=torch.int64)
    for i in range(n):
        for bit in range(bits):
            place = i * bits + bit
            words[..., place // 32] |= (codes[..., i].long() >> bit & 1) << place % 32
    return words.to(torch.int32)


def fit_groups(x, group, bits, symmetric=False):
    """x [rows, groups] by group [columns]: codes, scales, zeros [rows, groups]."""
    n = int(group.max()) + 1
    codes, top = torch.zeros(x.shape, dtype=torch.int64), 2 ** bits - 1
    scales, zeros = torch.zeros(x.shape[0], n, dtype=torch.float16), torch.zeros(x.shape[0], n, dtype=torch.int64)
    for g in range(n):
        part = x[:, group == g]
        low, high = part.amin(1).clamp(max=0), part.amax(1).clamp(min=0)
        if symmetric:
            high = torch.maximum(high, -low)
            scales[:, g] = (2 * high / top).half()
            zeros[:, g] = 2 ** (bits - 1)
        else:
            scales[:, g] = ((high - low) / top).half()
            zeros[:, g] = torch.round(-low / scales[:, g].double()).clamp(1, top)
        codes[:, group == g] = (torch.round(part / scales[:, g:g + 1].double()) + zeros[:, g:g + 1]).long().clamp(0, top)
    values = (codes - zeros[:, group]) * scales.double()[:, group]
    return codes, scales, zeros, values


def gptq(x, bits=4, group_size=16, is_v2=False, seed=None):
    """seed: of the order in which inputs were quantised; without one they come as they are."""
    n = x.shape[1]
    group = torch.arange(n) // group_size
    if seed is not None:
        group = group[torch.randperm(n, generator=torch.Generator().manual_seed(seed))]
    codes, scales, zeros, values = fit_groups(x, group, bits)
    return {".qweight": pack_stream(codes, bits).T, ".scales": scales.T,
            ".qzeros": pack_stream((zeros - (0 if is_v2 else 1)).T, bits), ".g_idx": group.to(torch.int32)}, values


def awq(x, group_size=16):
    codes, scales, zeros, values = fit_groups(x, torch.arange(x.shape[1]) // group_size, 4)

    def pack(columns):
        return pack_stream(columns.T.reshape(columns.shape[1], -1, 8)[..., AWQ_ORDER].flatten(1), 4)
    return {".qweight": pack(codes), ".scales": scales.T, ".qzeros": pack(zeros)}, values


def compressed(x, bits=4, group_size=16, symmetric=True, seed=None):
    n = x.shape[1]
    group = torch.arange(n) // group_size if group_size else torch.zeros(n, dtype=torch.int64)
    if seed is not None:
        group = group[torch.randperm(n, generator=torch.Generator().manual_seed(seed))]
    codes, scales, zeros, values = fit_groups(x, group, bits, symmetric)
    tensors = {".weight_packed": pack_stream(codes, bits), ".weight_scale": scales,
               ".weight_shape": torch.tensor(x.shape)}
    if not symmetric:
        tensors[".weight_zero_point"] = pack_stream(zeros.T, bits).T
    if seed is not None:
        tensors[".weight_g_idx"] = group.to(torch.int32)
    return tensors, values


def compressed_bytes(x):
    """A signed byte each, and a zero point a row."""
    codes, scales, zeros, values = fit_groups(x, torch.zeros(x.shape[1], dtype=torch.int64), 8)
    return {".weight": (codes - 128).to(torch.int8), ".weight_scale": scales,
            ".weight_zero_point": (zeros - 128).to(torch.int8)}, values


def mlx(x, bits=4, group_size=8):
    """MLX, mlx/ops.cpp: code x scale + bias; scales may be negative."""
    parts = x.reshape(x.shape[0], -1, group_size)
    low, high = parts.amin(-1), parts.amax(-1)
    is_turned = low.abs() > high.abs()
    scales = torch.where(is_turned, low - high, high - low) / (2 ** bits - 1)
    scales, biases = scales.half(), torch.where(is_turned, high, low).half()
    codes = torch.round((parts - biases.double()[..., None]) / scales.double()[..., None]).clamp(0, 2 ** bits - 1)
    values = codes * scales.double()[..., None] + biases.double()[..., None]
    words = pack_stream(codes.long().reshape(x.shape), bits)
    words.stored_as = "U32"
    return {".weight": words, ".scales": scales, ".biases": biases}, values.reshape(x.shape)


def bnb4(x, kind="nf4", block=64, nested=0):
    table = torch.tensor(NF4 if kind == "nf4" else FP4, dtype=torch.float32)
    flat = x.flatten()
    n_blocks = -(-len(flat) // block)
    which = torch.arange(len(flat)) // block
    absmax = torch.tensor([flat[which == i].abs().max() for i in range(n_blocks)], dtype=torch.float32)
    state = dict(quant_type=kind, blocksize=block, dtype="bfloat16", shape=list(x.shape))
    tensors = {}
    if nested:
        offset = float(absmax.mean())
        code = torch.linspace(-1, 1, 256)
        inner = torch.arange(n_blocks) // nested
        largest = torch.tensor([(absmax - offset)[inner == i].abs().max() for i in range(int(inner[-1]) + 1)])
        stored = (((absmax - offset) / largest[inner])[:, None] - code).abs().argmin(-1)
        absmax = code.double()[stored] * largest.double()[inner] + offset
        state.update(nested_blocksize=nested, nested_dtype="float32", nested_offset=offset)
        tensors = {".weight.nested_absmax": largest, ".weight.nested_quant_map": code}
    numbers = (flat[:, None] / absmax[which].double()[:, None] - table.double()).abs().argmin(-1)
    values = (table.double()[numbers] * absmax[which].double()).reshape(x.shape)
    numbers = torch.cat([numbers, numbers.new_zeros(len(flat) % 2)])
    tensors.update({".weight": (numbers[0::2] * 16 + numbers[1::2]).to(torch.uint8)[:, None],
                    ".weight.absmax": stored.to(torch.uint8) if nested else absmax, ".weight.quant_map": table,
                    ".weight.quant_state.bitsandbytes__" + kind: torch.tensor(list(json.dumps(state).encode()),
                                                                              dtype=torch.uint8)})
    return tensors, values


def bnb8(x):
    scales = x.abs().amax(1).float()
    codes = torch.round(x * 127 / scales.double()[:, None]).to(torch.int8)
    return {".weight": codes, ".SCB": scales}, codes * scales.double()[:, None] / 127


def as_words(numbers):
    """Bytes, four a word of 32 bits, as MLX stores what others store as bytes."""
    words = torch.from_numpy(numbers.contiguous().numpy().view("<i4").copy())
    words.stored_as = "U32"
    return words


def mlx_floats(x, mode="mxfp4"):
    """MLX, mlx/ops.cpp (fp_quantize): floats of 4 or 8 bits, and an exponent or an E4M3 for each group; no biases."""
    tops, rows, columns = block_tops(x, 1, 16 if mode == "nvfp4" else 32)
    if mode == "nvfp4":
        stored = nearest(tops / 6, E4M3[:127])
        scales = E4M3[stored.long()]
    else:
        exponents = torch.round(torch.log2(tops / (6 if mode == "mxfp4" else 448)))
        stored, scales = (exponents + 127).to(torch.uint8), 2.0 ** exponents
    spread, table = scales[:, columns], E4M3 if mode == "mxfp8" else E2M1
    numbers = nearest(x / spread, table)
    return {".weight": as_words(numbers if mode == "mxfp8" else halves(numbers)), ".scales": stored}, \
        table[numbers.long()] * spread


def stack_experts(weights, unpacked, packer, prefix, names):
    """Matrices of all experts of each projection as one tensor: mlx-lm, models/switch_layers.py. names: of an expert's
    projections, by what MLX calls them."""
    stems = sorted({name[:name.index(prefix)] for name in weights if prefix in name})
    for stem in stems:
        n = len({name[len(stem + prefix):].split(".")[0] for name in weights if name.startswith(stem + prefix)})
        for mlx_name, name in names.items():
            parts = []
            for i in range(n):
                whole = f"{stem}{prefix}{i}.{name}.weight"
                tensors, unpacked[whole] = packer(weights.pop(whole).double())
                parts.append(tensors)
            for suffix, first in parts[0].items():
                stacked = torch.stack([part[suffix] for part in parts])
                if hasattr(first, "stored_as"):
                    stacked.stored_as = first.stored_as
                weights[f"{stem}{prefix.replace('experts.', '')}switch_mlp.{mlx_name}{suffix}"] = stacked


def stack_halves(weights, unpacked, packer, other):
    """Matrices of all experts, gate and up projection in one, as mlx-lm stores them: models/gemma4_text.py, sanitize(), a
    tensor of each projection. other: packs down projections."""
    for name in [name for name in weights if name.endswith((".experts.gate_up_proj", ".experts.down_proj"))]:
        stem, ending = name.rsplit(".", 1)
        halves = [weights[name]] if ending == "down_proj" else weights[name].chunk(2, dim=1)
        wholes = []
        for part, half in zip(("gate_proj", "up_proj") if ending != "down_proj" else ("down_proj",), halves):
            packed = [(other if ending == "down_proj" else packer)(matrix.double()) for matrix in half]
            wholes.append(torch.stack([values for _, values in packed]))
            for suffix, first in packed[0][0].items():
                stacked = torch.stack([tensors[suffix] for tensors, _ in packed])
                if hasattr(first, "stored_as"):
                    stacked.stored_as = first.stored_as
                weights[f"{stem}.switch_glu.{part}{suffix}"] = stacked
        unpacked[name] = torch.cat(wholes, dim=1)
        del weights[name]


def pack_with(packer, also=(), others={}, **options):
    """Replaces the matrices of a checkpoint's layers, and others by name, by what the packer makes of them. others: by
    the end of a name, options that differ, another packer with all of its own, or None for a matrix that stays."""
    def pack(weights):
        unpacked = {}
        for name in [name for name in weights if name.endswith("_proj.weight") and ".switch_" not in name or name in also]:
            own = next((value for end, value in others.items() if name.endswith(end + ".weight")), {})
            if own is None:
                continue
            own = dict(own)
            pack_own = own.pop("packer", None)
            tensors, unpacked[name] = (pack_own or packer)(weights.pop(name).double(),
                                                          **(own if pack_own else dict(options, **own)))
            weights.update({name[:-len(".weight")] + suffix: tensor for suffix, tensor in tensors.items()})
        return unpacked
    return pack
