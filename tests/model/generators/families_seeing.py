# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference passes of models of texts that see, as families_pictures.py has those of the halves for pictures.

Written from transformers 4.57, modeling_llava.py, modeling_gemma3.py,
modeling_qwen2_5_vl.py and modeling_qwen3_vl.py."""

import torch

import families
import families_pictures
from families import activate, linear


def make_seeing(config, seed):
    """The tensors of each part by its name: vision, text, projector."""
    sees, reads = config["vision_config"], config["text_config"]
    m = families.Maker(seed + 2)
    if config["model_type"] == "qwen3_vl":
        group = sees["hidden_size"] * sees["spatial_merge_size"] ** 2
        names = [("merger.", sees["hidden_size"])]
        names += [(f"deepstack_merger_list.{i}.", group) for i in range(len(sees["deepstack_visual_indexes"]))]
        for name, width in names:
            m.norm(name + "norm", width)
            m.linear(name + "linear_fc1", group, group)
            m.linear(name + "linear_fc2", sees["out_hidden_size"], group)
        return {"vision": make_qwen3(sees, seed), "text": families.make_llama(reads, seed + 1), "projector": m}
    if config["model_type"] == "qwen2_5_vl":
        group = sees["hidden_size"] * sees["spatial_merge_size"] ** 2
        m.norm("merger.ln_q", sees["hidden_size"], False)
        m.linear("merger.mlp.0", group, group)
        m.linear("merger.mlp.2", sees["out_hidden_size"], group)
        return {"vision": make_qwen(sees, seed), "text": families.make_llama(reads, seed + 1), "projector": m}
    if config["model_type"] == "gemma3":
        m.norm("mm_soft_emb_norm", sees["hidden_size"], False, 0.0)
        m.normal("mm_input_projection_weight", sees["hidden_size"], reads["hidden_size"], std=sees["hidden_size"] ** -0.5)
        return {"vision": families_pictures.make_pictures(sees, seed, classifiers=()),
                "text": families.make_llama(reads, seed + 1), "projector": m}
    layers = config.get("vision_feature_layer", -2)
    n_layers = len(layers) if isinstance(layers, list) else 1
    bias = config.get("multimodal_projector_bias", True)
    m.linear("linear_1", reads["hidden_size"], n_layers * sees["hidden_size"], bias)
    m.linear("linear_2", reads["hidden_size"], reads["hidden_size"], bias)
    return {"vision": families_pictures.make_pictures(sees, seed, classifiers=()),
            "text": families.make_llama(reads, seed + 1), "projector": m}


def see(config, w, pixels, intervene):
    """The tokens that the picture becomes, [N, D], and the attention of the half for pictures: get_image_features."""
    residual, sees = [], config["vision_config"]
    if config["model_type"] == "qwen3_vl":
        maps = run_qwen3(sees, w["vision"], pixels, intervene, residual)
        merge = lambda name, layer: merge_qwen3(sees, w["projector"], name, residual[layer])
        deep = [merge(f"deepstack_merger_list.{i}.", layer + 1) for i, layer in enumerate(sees["deepstack_visual_indexes"])]
        return [merge("merger.", -1)] + deep, maps, residual
    if config["model_type"] == "qwen2_5_vl":
        maps, order = run_qwen(sees, w["vision"], pixels, intervene, residual)
        rows = families.rms_norm(residual[-1], w["projector"]["merger.ln_q.weight"], 1e-6)
        rows = linear(rows.reshape(len(rows) // sees["spatial_merge_size"] ** 2, -1), w["projector"], "merger.mlp.0")
        return linear(activate("gelu", rows), w["projector"], "merger.mlp.2")[torch.argsort(order)], maps, residual
    maps, _ = families_pictures.run_pictures(sees, w["vision"], pixels, intervene, residual)
    if config["model_type"] == "gemma3":
        return project_gemma3(config, w, residual[-1]), maps, residual
    layers = config.get("vision_feature_layer", -2)
    rows = torch.cat([residual[layer] for layer in (layers if isinstance(layers, list) else [layers])], -1)
    if config.get("vision_feature_select_strategy", "default") == "default":
        rows = rows[1:]
    rows = activate(config.get("projector_hidden_act", "gelu"), linear(rows, w["projector"], "linear_1"))
    return linear(rows, w["projector"], "linear_2"), maps, residual


def project_gemma3(config, w, rows):
    """Gemma3MultiModalProjector behind post_layernorm."""
    sees = config["vision_config"]
    rows, side = families.layer_norm(rows, w["vision"], "post_layernorm", sees["layer_norm_eps"]), sees["image_size"] // sees["patch_size"]
    kernel = side // int(config["mm_tokens_per_image"] ** 0.5)
    rows = torch.nn.functional.avg_pool2d(rows.T.reshape(1, -1, side, side), kernel)[0].flatten(1).T
    rows = families.rms_norm(rows, 1 + w["projector"]["mm_soft_emb_norm.weight"], sees["layer_norm_eps"])
    return rows @ w["projector"]["mm_input_projection_weight"]


def read(config, w, ids, rows, pixels, intervene):
    """The half for texts with those tokens in their place; those of a Gemma see each other both ways."""
    where = ids == get_image_token(config)
    starts = where & ~torch.nn.functional.pad(where[:-1], (1, 0))
    groups = torch.where(where, starts.cumsum(0), 0)
    return families.run_llama(config["text_config"], w, ids, intervene,
                              (groups, rows, config["model_type"] == "gemma3", get_angles(config, where, pixels)))


def get_image_token(config):
    return config.get("image_token_index", config.get("image_token_id"))


def get_angles(config, where, pixels):
    """Positions of time, row and column, [3, T]: get_rope_index; sections of the angles:
    apply_multimodal_rotary_pos_emb. None for other models. pixels: a picture, or several in a list."""
    reads, sees = config["text_config"], config["vision_config"]
    if "qwen" not in config["model_type"]:
        return None
    side = sees["patch_size"] * sees["spatial_merge_size"]
    parts, token, position = [], 0, 0
    for picture in pixels if isinstance(pixels, list) else [pixels]:
        rows, columns = picture.shape[1] // side, picture.shape[2] // side
        n_text = int(where[token:].nonzero()[0])
        parts.append((torch.arange(n_text) + position).expand(3, -1))
        grid = torch.cartesian_prod(torch.arange(rows), torch.arange(columns)).T
        parts.append(torch.cat([torch.zeros(1, rows * columns, dtype=torch.long), grid]) + position + n_text)
        token, position = token + n_text + rows * columns, position + n_text + max(rows, columns)
    parts.append((torch.arange(len(where) - token) + position).expand(3, -1))
    places = torch.cat(parts, 1).double()
    width = reads.get("head_dim", reads["hidden_size"] // reads["num_attention_heads"])
    frequencies = families.rope_frequencies({"rope_theta": reads["rope_theta"]}, width, len(where))
    if config["model_type"] == "qwen3_vl":  # apply_interleaved_mrope
        angles = places[:, :, None] * frequencies
        mixed = angles[0].clone()
        for kind in (1, 2):
            chosen = slice(kind, reads["rope_scaling"]["mrope_section"][kind] * 3, 3)
            mixed[:, chosen] = angles[kind][:, chosen]
        return mixed
    sections = torch.repeat_interleave(torch.arange(3), torch.tensor(reads["rope_scaling"]["mrope_section"]))
    return places[sections].T * frequencies


def make_qwen(config, seed):
    """Qwen2_5_VisionTransformerPretrainedModel but for its merger."""
    m, width, patch = families.Maker(seed), config["hidden_size"], config["patch_size"]
    m.normal("patch_embed.proj.weight", width, 3, 2, patch, patch, std=0.15)
    for layer in range(config["depth"]):
        h = f"blocks.{layer}."
        m.norm(h + "norm1", width, False)
        m.norm(h + "norm2", width, False)
        m.linear(h + "attn.qkv", 3 * width, width, gain=families.SHARP)
        m.linear(h + "attn.proj", width, width)
        for name in ("gate_proj", "up_proj"):
            m.linear(h + "mlp." + name, config["intermediate_size"], width)
        m.linear(h + "mlp.down_proj", width, config["intermediate_size"])
    return m


def make_qwen3(config, seed):
    """Qwen3VLVisionModel but for its mergers."""
    m, width, patch = families.Maker(seed), config["hidden_size"], config["patch_size"]
    m.normal("patch_embed.proj.weight", width, 3, 2, patch, patch, std=0.15)
    m.normal("patch_embed.proj.bias", width, std=0.3)
    m.normal("pos_embed.weight", config["num_position_embeddings"], width, std=0.4)
    for layer in range(config["depth"]):
        h = f"blocks.{layer}."
        m.norm(h + "norm1", width)
        m.norm(h + "norm2", width)
        m.linear(h + "attn.qkv", 3 * width, width, gain=families.SHARP)
        m.linear(h + "attn.proj", width, width)
        m.linear(h + "mlp.linear_fc1", config["intermediate_size"], width)
        m.linear(h + "mlp.linear_fc2", width, config["intermediate_size"])
    return m


def merge_qwen3(config, w, name, rows):
    """Qwen3VLVisionPatchMerger; use_postshuffle_norm of those behind single layers."""
    group = config["spatial_merge_size"] ** 2
    if name != "merger.":
        rows = families.layer_norm(rows.reshape(len(rows) // group, -1), w, name + "norm", 1e-6)
    else:
        rows = families.layer_norm(rows, w, name + "norm", 1e-6).reshape(len(rows) // group, -1)
    return linear(activate("gelu", linear(rows, w, name + "linear_fc1")), w, name + "linear_fc2")


def run_qwen3(config, w, pixels, intervene, residual):
    patch, merge, heads = config["patch_size"], config["spatial_merge_size"], config["num_heads"]
    rows, columns = pixels.shape[1] // patch, pixels.shape[2] // patch
    x = torch.nn.functional.conv3d(pixels[None, :, None].expand(-1, -1, 2, -1, -1), w["patch_embed.proj.weight"],
                                   w["patch_embed.proj.bias"], stride=(2, patch, patch))[0, :, 0]
    # fast_pos_embed_interpolate
    side = int(config["num_position_embeddings"] ** 0.5)
    table = w["pos_embed.weight"].reshape(side, side, -1)
    at = [torch.linspace(0, side - 1, n) for n in (rows, columns)]
    low = [a.int().long() for a in at]
    high = [(a + 1).clip(max=side - 1) for a in low]
    part = [(a - b).double() for a, b in zip(at, low)]
    pick = lambda i, j: table[i][:, j]
    across = lambda i: pick(i, low[1]) * (1 - part[1])[None, :, None] + pick(i, high[1]) * part[1][None, :, None]
    positions = across(low[0]) * (1 - part[0])[:, None, None] + across(high[0]) * part[0][:, None, None]
    x = x + positions.permute(2, 0, 1)
    places = torch.stack(torch.meshgrid(torch.arange(rows), torch.arange(columns), indexing="ij"))
    group = lambda y: y.reshape(-1, rows // merge, merge, columns // merge, merge).permute(1, 3, 2, 4, 0).reshape(
        rows * columns, -1)
    x, places = group(x), group(places)
    width = config["hidden_size"] // heads
    frequencies = 1 / 10000 ** (torch.arange(0, width // 2, 2).double() / (width // 2))
    angles = (places.double()[:, :, None] * frequencies).flatten(1)
    maps = []
    for layer in range(config["depth"]):
        h = f"blocks.{layer}."
        residual.append(x)
        y = linear(families.layer_norm(x, w, h + "norm1", 1e-6), w, h + "attn.qkv")
        c = {name: families.split_heads(part, heads) for name, part in zip(("query", "key", "value"), y.chunk(3, -1))}
        intervene(layer, "projection", c)
        for name in ("query", "key"):
            c[name] = families.rotate(c[name], torch.cat([frequencies, frequencies]), angles=angles)
        intervene(layer, "rotated", c)
        weights = torch.softmax(c["query"] @ c["key"].transpose(1, 2) / width ** 0.5, -1)
        maps.append(weights)
        x = x + linear(families.join_heads(weights @ c["value"]), w, h + "attn.proj")
        y = linear(families.layer_norm(x, w, h + "norm2", 1e-6), w, h + "mlp.linear_fc1")
        x = x + linear(activate("gelu_pytorch_tanh", y), w, h + "mlp.linear_fc2")
    residual.append(x)
    return torch.stack(maps)


def run_qwen(config, w, pixels, intervene, residual):
    """Returns the weights and the order of the groups of patches."""
    patch, merge, heads = config["patch_size"], config["spatial_merge_size"], config["num_heads"]
    rows, columns = pixels.shape[1] // patch, pixels.shape[2] // patch
    x = torch.nn.functional.conv3d(pixels[None, :, None].expand(-1, -1, 2, -1, -1), w["patch_embed.proj.weight"],
                                   stride=(2, patch, patch))[0, :, 0]
    places = torch.stack(torch.meshgrid(torch.arange(rows), torch.arange(columns), indexing="ij"))
    # Groups of merge x merge patches, these by windows: get_window_index.
    group = lambda y: y.reshape(-1, rows // merge, merge, columns // merge, merge).permute(1, 3, 2, 4, 0).reshape(
        rows * columns // merge ** 2, merge ** 2, -1)
    side = config["window_size"] // merge // patch
    numbers = torch.arange(rows * columns // merge ** 2).reshape(rows // merge, columns // merge)
    windows = [numbers[i:i + side, j:j + side].flatten() for i in range(0, rows // merge, side)
               for j in range(0, columns // merge, side)]
    order = torch.cat(windows)
    x, places = group(x)[order].flatten(0, 1), group(places)[order].flatten(0, 1)
    number = torch.cat([torch.full((len(window) * merge ** 2,), i) for i, window in enumerate(windows)])
    width = config["hidden_size"] // heads
    frequencies = 1 / 10000 ** (torch.arange(0, width // 2, 2).double() / (width // 2))
    angles = (places.double()[:, :, None] * frequencies).flatten(1)
    maps = []
    for layer in range(config["depth"]):
        h = f"blocks.{layer}."
        residual.append(x)
        y = linear(families.rms_norm(x, w[h + "norm1.weight"], 1e-6), w, h + "attn.qkv")
        c = {name: families.split_heads(part, heads) for name, part in zip(("query", "key", "value"), y.chunk(3, -1))}
        intervene(layer, "projection", c)
        for name in ("query", "key"):
            c[name] = families.rotate(c[name], torch.cat([frequencies, frequencies]), angles=angles)
        intervene(layer, "rotated", c)
        scores = c["query"] @ c["key"].transpose(1, 2) / width ** 0.5
        if layer not in config["fullatt_block_indexes"]:
            scores = scores.masked_fill(number[:, None] != number[None, :], -float("inf"))
        weights = torch.softmax(scores, -1)
        maps.append(weights)
        x = x + linear(families.join_heads(weights @ c["value"]), w, h + "attn.proj")
        y = families.rms_norm(x, w[h + "norm2.weight"], 1e-6)
        y = activate("silu", linear(y, w, h + "mlp.gate_proj")) * linear(y, w, h + "mlp.up_proj")
        x = x + linear(y, w, h + "mlp.down_proj")
    residual.append(x)
    return torch.stack(maps), order


def get_sizes(config):
    return families_pictures.get_sizes(config["vision_config"])[:2]


def count_layers(config, half):
    own = config[half + "_config"]
    return own.get("num_hidden_layers", own.get("depth"))
