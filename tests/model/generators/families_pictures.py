# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference passes of encoders of pictures, as families.py has those of the others.

A pass is a function (config, w, pixels, intervene) that returns attention weights [L, H, T, T] and the labels' logits
[T, labels], the same in each row, or None without a classifier. Written from transformers 4.57, modeling_vit.py, _deit,
_dinov2, _dinov2_with_registers, _dinov3_vit, _clip and _siglip."""

import math

import torch
import torch.nn.functional as F

from families import SHARP, Maker, activate, join_heads, layer_norm, linear, split_heads

# Names: patches, class, second token, positions, registers, norm before the layers, final norm, classifiers;
# of a layer: norms, query, key, value, output, MLP.
VIT = dict(patches="embeddings.patch_embeddings.projection", tokens=["embeddings.cls_token"],
           positions="embeddings.position_embeddings", norm="layernorm",
           layer="encoder.layer.{}.", norm1="layernorm_before", norm2="layernorm_after",
           query="attention.attention.query", key="attention.attention.key", value="attention.attention.value",
           output="attention.output.dense", up="intermediate.dense", down="output.dense")
DINO = dict(VIT, norm1="norm1", norm2="norm2", up="mlp.fc1", down="mlp.fc2", scale="layer_scale{}.lambda1")
CLIP = dict(patches="embeddings.patch_embedding", tokens=["embeddings.class_embedding"],
            positions="embeddings.position_embedding.weight", first_norm="pre_layrnorm", norm="post_layernorm",
            layer="encoder.layers.{}.", norm1="layer_norm1", norm2="layer_norm2", query="self_attn.q_proj",
            key="self_attn.k_proj", value="self_attn.v_proj", output="self_attn.out_proj", up="mlp.fc1", down="mlp.fc2")
DINO3 = dict(patches="embeddings.patch_embeddings", tokens=["embeddings.cls_token"],
             registers="embeddings.register_tokens", norm="norm", layer="layer.{}.", norm1="norm1", norm2="norm2",
             query="attention.q_proj", key="attention.k_proj", value="attention.v_proj", output="attention.o_proj",
             up="mlp.up_proj", down="mlp.down_proj", scale="layer_scale{}.lambda1")
FAMILIES = {
    "vit": VIT,
    "deit": dict(VIT, tokens=["embeddings.cls_token", "embeddings.distillation_token"]),
    "dinov2": DINO,
    "dinov2_with_registers": dict(DINO, registers="embeddings.register_tokens"),
    "dinov3_vit": DINO3,
    "clip_vision_model": CLIP,
    "siglip_vision_model": dict({key: value for key, value in CLIP.items() if key != "first_norm"}, tokens=[]),
}


def get_sizes(config):
    size = config["image_size"]
    height, width = size if isinstance(size, list) else (size, size)
    return height, width, config["patch_size"]


def get_mlp(config):
    if "mlp_ratio" not in config:
        return config["intermediate_size"]
    width = int(config["hidden_size"] * config["mlp_ratio"])
    return (int(width * 2 / 3) + 7) // 8 * 8 if config["use_swiglu_ffn"] else width


def make_pictures(config, seed, classifiers=("classifier",)):
    m, n, width = Maker(seed), FAMILIES[config["model_type"]], config["hidden_size"]
    height, across, patch = get_sizes(config)
    n_patches = (height // patch) * (across // patch)
    is_clip = config["model_type"].startswith(("clip", "siglip"))
    m.normal(n["patches"] + ".weight", width, config["num_channels"], patch, patch, std=0.15)
    if config["model_type"] != "clip_vision_model":
        m.normal(n["patches"] + ".bias", width, std=0.3)
    for name in n["tokens"]:
        m.normal(name, *([width] if is_clip else [1, 1, width]), std=0.5)
    shape = [len(n["tokens"]) + n_patches, width]
    if "positions" in n:
        m.normal(n["positions"], *(shape if is_clip else [1] + shape), std=0.4)
    if "registers" in n:
        m.normal(n["registers"], 1, config["num_register_tokens"], width, std=0.5)
        m.normal("embeddings.mask_token", 1, width)
    for name in ("first_norm", "norm"):
        if name in n:
            m.norm(n[name], width)
    for layer in range(config["num_hidden_layers"]):
        h = n["layer"].format(layer)
        m.norm(h + n["norm1"], width)
        m.norm(h + n["norm2"], width)
        bias = config.get("qkv_bias", True)
        m.linear(h + n["query"], width, width, bias, SHARP)
        m.linear(h + n["key"], width, width, config.get("key_bias", bias), SHARP)
        m.linear(h + n["value"], width, width, config.get("value_bias", bias))
        m.linear(h + n["output"], width, width, config.get("proj_bias", True))
        inner = get_mlp(config)
        if config.get("use_swiglu_ffn"):
            m.linear(h + "mlp.weights_in", 2 * inner, width)
            m.linear(h + "mlp.weights_out", width, inner)
        else:
            for part in ("mlp.gate_proj",) if config.get("use_gated_mlp") else ():
                m.linear(h + part, inner, width, config["mlp_bias"])
            m.linear(h + n["up"], inner, width, config.get("mlp_bias", True))
            m.linear(h + n["down"], width, inner, config.get("mlp_bias", True))
        for i in (1, 2) if "scale" in n else ():
            m.normal(h + n["scale"].format(i), width, mean=0.7, std=0.3)
    for name in classifiers:
        m.linear(name, len(config["id2label"]) if "id2label" in config else 2,
                 2 * width if config["model_type"].startswith("dinov2") else width)
    return m


def get_positions(config, positions, n_leading, height, across):
    """The grid of positions for a picture of that size. interpolate_pos_encoding of Dinov2Embeddings and
    Dinov2WithRegistersEmbeddings."""
    table, patch = positions.reshape(-1, positions.shape[-1]), config["patch_size"]
    rows, columns = height // patch, across // patch
    if not config["model_type"].startswith("dinov2") or (rows * columns == len(table) - n_leading and height == across):
        return table
    side = int((len(table) - n_leading) ** 0.5)
    grid = table[n_leading:].reshape(1, side, side, -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=(rows, columns), mode="bicubic", align_corners=False,
                         antialias=config["model_type"] == "dinov2_with_registers")
    return torch.cat([table[:n_leading], grid.permute(0, 2, 3, 1).reshape(rows * columns, -1)])


def get_angles(config, height, across):
    """[patches, head width]: DINOv3ViTRopePositionEmbedding."""
    width, patch = config["hidden_size"] // config["num_attention_heads"], config["patch_size"]
    frequencies = 1 / config["rope_theta"] ** torch.arange(0, 1, 4 / width, dtype=torch.float64)
    centers = [2 * torch.arange(0.5, n, dtype=torch.float64) / n - 1 for n in (height // patch, across // patch)]
    coordinates = torch.stack(torch.meshgrid(*centers, indexing="ij"), -1).flatten(0, 1)
    return (2 * math.pi * coordinates[:, :, None] * frequencies).flatten(1, 2).tile(2)


def rotate(x, angles):
    """[heads, tokens, head width]; tokens before the patches stay: apply_rotary_pos_emb."""
    first, x = x[:, :-len(angles)], x[:, -len(angles):]
    a, b = x.chunk(2, -1)
    return torch.cat([first, x * angles.cos() + torch.cat([-b, a], -1) * angles.sin()], 1)


def run_layers(config, n, w, x, hidden, angles, intervene, residual):
    """hidden: [T, T], where a query does not see a key; angles: [patches, head width], or None for either. Returns what
    leaves the last layer, and the weights."""
    heads, maps, epsilon = config["num_attention_heads"], [], config["layer_norm_eps"]
    for layer in range(config["num_hidden_layers"]):
        h = n["layer"].format(layer)
        residual.append(x)
        y = layer_norm(x, w, h + n["norm1"], epsilon)
        c = {part: split_heads(linear(y, w, h + n[part]), heads) for part in ("query", "key", "value")}
        intervene(layer, "projection", c)
        if angles is not None:
            c["query"], c["key"] = rotate(c["query"], angles), rotate(c["key"], angles)
            intervene(layer, "rotated", c)
        scores = c["query"] @ c["key"].transpose(1, 2) / c["query"].shape[-1] ** 0.5
        weights = torch.softmax(scores if hidden is None else scores.masked_fill(hidden, -math.inf), -1)
        maps.append(weights)
        y = linear(join_heads(weights @ c["value"]), w, h + n["output"])
        x = x + (y * w[h + n["scale"].format(1)] if "scale" in n else y)
        y = layer_norm(x, w, h + n["norm2"], epsilon)
        if config.get("use_swiglu_ffn"):
            gate, up = linear(y, w, h + "mlp.weights_in").chunk(2, dim=-1)
            y = linear(F.silu(gate) * up, w, h + "mlp.weights_out")
        elif config.get("use_gated_mlp"):
            y = activate(config["hidden_act"], linear(y, w, h + "mlp.gate_proj")) * linear(y, w, h + n["up"])
            y = linear(y, w, h + n["down"])
        else:
            act, y = config["hidden_act"], linear(y, w, h + n["up"])
            y = y * torch.sigmoid(1.702 * y) if act == "quick_gelu" else activate(act, y)
            y = linear(y, w, h + n["down"])
        x = x + (y * w[h + n["scale"].format(2)] if "scale" in n else y)
    residual.append(x)
    return x, torch.stack(maps)


def run_pictures(config, w, pixels, intervene, residual=None):
    """residual: a list to which what enters each layer, and what leaves the last, is added, [T, D] each."""
    n, kind, epsilon = FAMILIES[config["model_type"]], config["model_type"], config["layer_norm_eps"]
    x = F.conv2d(pixels[None], w[n["patches"] + ".weight"], w.get(n["patches"] + ".bias"), stride=config["patch_size"])
    x = x.flatten(2)[0].T
    leading = [w[name].reshape(1, -1) for name in n["tokens"]]
    x = torch.cat(leading + [x])
    if "positions" in n:
        x = x + get_positions(config, w[n["positions"]], len(leading), *pixels.shape[1:])
    n_before = len(leading)
    if "registers" in n:
        registers = w[n["registers"]][0]
        x = torch.cat([x[:1], registers, x[1:]])
        n_before += len(registers)
    if "first_norm" in n:
        x = layer_norm(x, w, n["first_norm"], epsilon)
    angles = get_angles(config, *pixels.shape[1:]) if kind == "dinov3_vit" else None
    x, maps = run_layers(config, n, w, x, None, angles, intervene, [] if residual is None else residual)
    if not any("classifier" in name for name in w):
        return maps, None
    # CLIPForImageClassification takes what leaves the last layer, without post_layernorm.
    last = x if kind == "clip_vision_model" else layer_norm(x, w, n["norm"], epsilon)
    if kind.startswith("dinov2"):
        labels = linear(torch.cat([last[:1], last[n_before:].mean(0, keepdim=True)], 1), w, "classifier")
    elif kind.startswith(("clip", "siglip")):
        labels = linear(last[n_before:].mean(0, keepdim=True), w, "classifier")
    elif "distillation_classifier.weight" in w:
        labels = (linear(last[:1], w, "cls_classifier") + linear(last[1:2], w, "distillation_classifier")) / 2
    else:
        labels = linear(last[:1], w, "classifier")
    return maps, labels.expand(len(x), -1)


def make_texts(config, seed):
    """The half of CLIP or SigLIP that reads."""
    m, width = Maker(seed), config["hidden_size"]
    m.normal("embeddings.token_embedding.weight", config["vocab_size"], width, std=0.6)
    m.normal("embeddings.position_embedding.weight", config["max_position_embeddings"], width, std=0.4)
    m["embeddings.position_ids"] = torch.arange(config["max_position_embeddings"])[None].double()
    m.norm("final_layer_norm", width)
    for layer in range(config["num_hidden_layers"]):
        h = CLIP["layer"].format(layer)
        for name in ("norm1", "norm2"):
            m.norm(h + CLIP[name], width)
        for name in ("query", "key", "value", "output"):
            m.linear(h + CLIP[name], width, width, True, SHARP if name in ("query", "key") else 1.0)
        m.linear(h + CLIP["up"], config["intermediate_size"], width)
        m.linear(h + CLIP["down"], width, config["intermediate_size"])
    if config["model_type"].startswith("siglip"):
        m.linear("head", width, width)
    return m


def run_texts(config, w, ids, intervene, residual):
    """CLIPTextTransformer sees what stands before a token, SiglipTextTransformer all; neither has logits."""
    x = w["embeddings.token_embedding.weight"][ids] + w["embeddings.position_embedding.weight"][:len(ids)]
    hidden = torch.ones(len(ids), len(ids), dtype=torch.bool).triu(1) if config["model_type"].startswith("clip") else None
    return run_layers(config, CLIP, w, x, hidden, None, intervene, residual)[1]
