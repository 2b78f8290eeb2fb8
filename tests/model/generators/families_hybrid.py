# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference forward passes in float64 of models whose layers are of several kinds, in the form of families.py.
Written from the modelling code of transformers: qwen3_next (01cdc608), qwen3_5 (009e78d6) and qwen3_5_moe (008e5743), each the
commit of its file. Layers without attention weights have maps of zeros."""

import math

import torch

from families import SHARP, Maker, activate, attend, change, linear, rms_norm, rope_frequencies, rotate, split_heads


def has_weights(config, layer):
    """layer_types, or every full_attention_interval-th layer."""
    if "layer_types" in config:
        return config["layer_types"][layer] == "full_attention"
    return (layer + 1) % config.get("full_attention_interval", 4) == 0


def delta_sizes(config):
    return tuple(config[name] for name in ("linear_num_key_heads", "linear_num_value_heads", "linear_key_head_dim",
                                           "linear_value_head_dim"))


def has_experts(config, layer):
    return ("num_experts" in config and layer not in config.get("mlp_only_layers", [])
            and (layer + 1) % config.get("decoder_sparse_step", 1) == 0)


def make_delta(m, config, h):
    n_keys, n_values, key_width, value_width = delta_sizes(config)
    width, keys, values = config["hidden_size"], n_keys * key_width, n_values * value_width
    if config["model_type"] == "qwen3_next":
        m.linear(h + "in_proj_qkvz", 2 * keys + 2 * values, width, False, SHARP)
        m.linear(h + "in_proj_ba", 2 * n_values, width, False, SHARP)
    else:
        m.linear(h + "in_proj_qkv", 2 * keys + values, width, False, SHARP)
        m.linear(h + "in_proj_z", values, width, False)
        m.linear(h + "in_proj_b", n_values, width, False, SHARP)
        m.linear(h + "in_proj_a", n_values, width, False, SHARP)
    m.normal(h + "conv1d.weight", 2 * keys + values, 1, config["linear_conv_kernel_dim"], std=0.6)
    m.normal(h + "A_log", n_values, std=0.7, mean=-1.0)
    m.normal(h + "dt_bias", n_values, std=0.5)
    m.norm(h + "norm", value_width, False)
    m.linear(h + "out_proj", width, values, False)


def project_delta(config, w, h, x):
    """Queries, keys, values and gates [T, heads, width], strengths and decays before their functions [T, value heads]:
    Qwen3NextGatedDeltaNet.fix_query_key_value_ordering, Qwen3_5GatedDeltaNet.forward."""
    n_keys, n_values, key_width, value_width = delta_sizes(config)
    n, shared = len(x), n_values // n_keys
    if config["model_type"] == "qwen3_next":
        q, k, v, z = linear(x, w, h + "in_proj_qkvz").reshape(n, n_keys, -1).split(
            (key_width, key_width, shared * value_width, shared * value_width), -1)
        b, a = linear(x, w, h + "in_proj_ba").reshape(n, n_keys, -1).split((shared, shared), -1)
        mixed = torch.cat([part.reshape(n, -1) for part in (q, k, v)], -1)
    else:
        mixed = linear(x, w, h + "in_proj_qkv")
        z, b, a = (linear(x, w, h + f"in_proj_{name}") for name in "zba")
    return mixed, z.reshape(n, n_values, value_width), b.reshape(n, n_values), a.reshape(n, n_values)


def run_delta(config, w, h, x, epsilon):
    n_keys, n_values, key_width, value_width = delta_sizes(config)
    n, taps = len(x), config["linear_conv_kernel_dim"]
    mixed, z, b, a = project_delta(config, w, h, x)
    padded = torch.cat((torch.zeros(taps - 1, mixed.shape[1], dtype=torch.float64), mixed))
    kernel = w[h + "conv1d.weight"][:, 0]
    mixed = activate("silu", sum(kernel[:, tap] * padded[tap: tap + n] for tap in range(taps)))
    q, k, v = mixed.split((n_keys * key_width, n_keys * key_width, n_values * value_width), -1)
    q, k = (part.reshape(n, n_keys, key_width).repeat_interleave(n_values // n_keys, 1) for part in (q, k))
    q, k = (part / torch.sqrt((part * part).sum(-1, keepdim=True) + 1e-6) for part in (q, k))
    v = v.reshape(n, n_values, value_width)
    strength = torch.sigmoid(b)
    decay = torch.exp(-torch.exp(w[h + "A_log"]) * torch.nn.functional.softplus(a + w[h + "dt_bias"]))
    memory, rows = torch.zeros(n_values, key_width, value_width, dtype=torch.float64), []
    for i in range(n):  # torch_recurrent_gated_delta_rule
        memory = memory * decay[i, :, None, None]
        found = (memory * k[i, :, :, None]).sum(1)
        memory = memory + k[i, :, :, None] * ((v[i] - found) * strength[i, :, None])[:, None, :]
        rows.append((memory * q[i, :, :, None]).sum(1) / math.sqrt(key_width))
    out = rms_norm(torch.stack(rows), w[h + "norm.weight"], epsilon) * activate("silu", z)
    return linear(out.reshape(n, -1), w, h + "out_proj")


def make_qwen(config, seed):
    m, width, n_heads = Maker(seed), config["hidden_size"], config["num_attention_heads"]
    n_keys, d, bias = config["num_key_value_heads"], config["head_dim"], config.get("attention_bias", False)
    m.normal("embed_tokens.weight", config["vocab_size"], width, std=0.6)
    for layer in range(config["num_hidden_layers"]):
        h = f"layers.{layer}."
        m.norm(h + "input_layernorm", width, False, 0.0)
        m.norm(h + "post_attention_layernorm", width, False, 0.0)
        if has_weights(config, layer):
            m.linear(h + "self_attn.q_proj", 2 * n_heads * d, width, bias, SHARP)
            m.linear(h + "self_attn.k_proj", n_keys * d, width, bias, SHARP)
            m.linear(h + "self_attn.v_proj", n_keys * d, width, bias)
            m.linear(h + "self_attn.o_proj", width, n_heads * d, bias)
            m.norm(h + "self_attn.q_norm", d, False, 1.1)
            m.norm(h + "self_attn.k_norm", d, False, 1.1)
        else:
            make_delta(m, config, h + "linear_attn.")
        parts = [(h + "mlp.", config.get("intermediate_size", 0))]
        if has_experts(config, layer):
            n = config["num_experts"]
            m.linear(h + "mlp.gate", n, width, False, 3.0)
            m.linear(h + "mlp.shared_expert_gate", 1, width, False)
            parts = [(h + f"mlp.experts.{i}.", config["moe_intermediate_size"]) for i in range(n)]
            parts.append((h + "mlp.shared_expert.", config["shared_expert_intermediate_size"]))
        for prefix, inner in parts:
            m.linear(prefix + "gate_proj", inner, width, False)
            m.linear(prefix + "up_proj", inner, width, False)
            m.linear(prefix + "down_proj", width, inner, False)
    m.norm("norm", width, False, 0.0)
    if not config.get("tie_word_embeddings", False):
        m.normal("lm_head.weight", config["vocab_size"], width, std=0.3)
    return m


def fuse_experts(weights):
    """As qwen3_5_moe's checkpoints have them: Qwen3NextExperts, Qwen3_5MoeExperts."""
    for name in [name for name in weights if name.endswith("mlp.experts.0.gate_proj.weight")]:
        h = name[: -len("0.gate_proj.weight")]
        n = sum(1 for other in weights if other.startswith(h) and other.endswith(".gate_proj.weight"))
        parts = {key: [weights.pop(h + f"{i}.{key}_proj.weight") for i in range(n)] for key in ("gate", "up", "down")}
        weights[h + "gate_up_proj"] = torch.stack([torch.cat(pair) for pair in zip(parts["gate"], parts["up"])])
        weights[h + "down_proj"] = torch.stack(parts["down"])
    return {}


def run_gated(w, prefix, x):
    return linear(activate("silu", linear(x, w, prefix + "gate_proj")) * linear(x, w, prefix + "up_proj"), w,
                  prefix + "down_proj")


def run_inner(config, w, h, layer, x):
    """Qwen3NextSparseMoeBlock, a token at a time."""
    if not has_experts(config, layer):
        return run_gated(w, h, x)
    rows = []
    for token in x:
        best, chosen = torch.topk(torch.softmax(w[h + "gate.weight"] @ token, 0), config["num_experts_per_tok"])
        if config.get("norm_topk_prob", True):
            best = best / best.sum()
        rows.append(sum(share * run_gated(w, h + f"experts.{int(i)}.", token) for share, i in zip(best, chosen)))
    share = torch.sigmoid(linear(x, w, h + "shared_expert_gate"))
    return torch.stack(rows) + share * run_gated(w, h + "shared_expert.", x)


def run_qwen(config, w, ids, intervene):
    n_heads, n_keys, d = config["num_attention_heads"], config["num_key_value_heads"], config["head_dim"]
    n, epsilon = len(ids), config["rms_norm_eps"]
    rope = dict(config, **config.get("rope_parameters", {}))
    frequencies = rope_frequencies(rope, int(d * rope.get("partial_rotary_factor", 0.25)), n)

    def norm(x, name):
        return rms_norm(x, 1 + w[name + ".weight"], epsilon)

    x, maps = w["embed_tokens.weight"][ids], []
    for layer in range(config["num_hidden_layers"]):
        h = f"layers.{layer}."
        x = change(intervene, layer, "residual", x)
        y = norm(x, h + "input_layernorm")
        if has_weights(config, layer):
            a = h + "self_attn."
            q, gate = split_heads(linear(y, w, a + "q_proj"), n_heads).chunk(2, -1)
            c = {"query": q, "key": split_heads(linear(y, w, a + "k_proj"), n_keys),
                 "value": split_heads(linear(y, w, a + "v_proj"), n_keys)}
            intervene(layer, "projection", c)
            c["query"], c["key"] = norm(c["query"], a + "q_norm"), norm(c["key"], a + "k_norm")
            intervene(layer, "normed", c)
            c["query"], c["key"] = (rotate(c[name], frequencies) for name in ("query", "key"))
            intervene(layer, "rotated", c)
            attention, context = attend(c, 1 / math.sqrt(d))
            x = x + linear(context * torch.sigmoid(gate.transpose(0, 1).reshape(n, -1)), w, a + "o_proj")
        else:
            attention = torch.zeros(n_heads, n, n, dtype=torch.float64)
            x = x + run_delta(config, w, h + "linear_attn.", y, epsilon)
        maps.append(attention)
        y = run_inner(config, w, h + "mlp.", layer, norm(x, h + "post_attention_layernorm"))
        x = x + change(intervene, layer, "inner", y)
    return torch.stack(maps), norm(x, "norm") @ w.get("lm_head.weight", w["embed_tokens.weight"]).T
