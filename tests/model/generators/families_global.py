# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference forward pass in float64 of models whose layers without a window have heads of their own, in the form of
families.py. Written from the modelling code of transformers: gemma4 (033b1a82, modular_gemma4.py; 008e5743,
configuration_gemma4.py)."""

import math

import torch

from families import SHARP, Maker, activate, attend, change, linear, rms_norm, rotate, split_heads


def is_window(config, layer):
    """Gemma4TextConfig.__post_init__: the last layer sees all, whatever layer_types says."""
    kinds = config.get("layer_types")
    is_last = layer == config["num_hidden_layers"] - 1
    return not is_last and (kinds[layer] == "sliding_attention" if kinds else (layer + 1) % 6 != 0)


def heads(config, layer):
    """Key heads and head width."""
    if is_window(config, layer):
        return config["num_key_value_heads"], config["head_dim"]
    n_keys = config.get("num_global_key_value_heads") if config.get("attention_k_eq_v") else None
    return n_keys or config["num_key_value_heads"], config["global_head_dim"]


def source(config, layer):
    """The layer whose keys and values it has: Gemma4TextAttention.__init__."""
    first = config["num_hidden_layers"] - config.get("num_kv_shared_layers", 0)
    if layer < first:
        return layer
    return max(i for i in range(first) if is_window(config, i) == is_window(config, layer))


def inner_width(config, layer):
    is_double = config.get("use_double_wide_mlp") and source(config, layer) != layer
    return config["intermediate_size"] * (2 if is_double else 1)


def frequencies(config, layer):
    """ROPE_INIT_FUNCTIONS["proportional"]: the whole width is turned, beyond a share of it by nothing."""
    name = "sliding_attention" if is_window(config, layer) else "full_attention"
    rope, d = config["rope_parameters"][name], heads(config, layer)[1]
    turned = rope["rope_theta"] ** (-torch.arange(0, d, 2).double() / d)
    if rope["rope_type"] == "proportional":
        n = int(rope["partial_rotary_factor"] * d // 2)
        turned = torch.cat((turned[:n] / rope.get("factor", 1.0), torch.zeros(d // 2 - n).double()))
    return turned


def make_gemma4(config, seed):
    m, width, n_heads = Maker(seed), config["hidden_size"], config["num_attention_heads"]
    n_layers, own = config["num_hidden_layers"], config["hidden_size_per_layer_input"]
    m.normal("embed_tokens.weight", config["vocab_size"], width, std=0.15)
    if own:
        m.normal("embed_tokens_per_layer.weight", config["vocab_size"], n_layers * own, std=0.3)
        m.linear("per_layer_model_projection", n_layers * own, width, False, 3.0)
        m.norm("per_layer_projection_norm", own, False)
    for layer in range(n_layers):
        h, (n_keys, d) = f"layers.{layer}.", heads(config, layer)
        m.linear(h + "self_attn.q_proj", n_heads * d, width, False, SHARP)
        m.norm(h + "self_attn.q_norm", d, False, 0.9)
        if source(config, layer) == layer:
            m.linear(h + "self_attn.k_proj", n_keys * d, width, False, SHARP)
            m.norm(h + "self_attn.k_norm", d, False, 0.9)
            if is_window(config, layer) or not config.get("attention_k_eq_v"):
                m.linear(h + "self_attn.v_proj", n_keys * d, width, False)
        m.linear(h + "self_attn.o_proj", width, n_heads * d, False)
        for name in ("input", "post_attention", "pre_feedforward", "post_feedforward"):
            m.norm(h + (name + "_layernorm"), width, False)
        inner = inner_width(config, layer)
        m.linear(h + "mlp.gate_proj", inner, width, False)
        m.linear(h + "mlp.up_proj", inner, width, False)
        m.linear(h + "mlp.down_proj", width, inner, False)
        if config.get("enable_moe_block"):
            n, inner = config["num_experts"], config["moe_intermediate_size"]
            m.linear(h + "router.proj", n, width, False, 3.0 * math.sqrt(width))
            m.normal(h + "router.scale", width, mean=1.0)
            m.normal(h + "router.per_expert_scale", n, std=0.3, mean=1.0)
            m.normal(h + "experts.gate_up_proj", n, 2 * inner, width, std=1 / math.sqrt(width))
            m.normal(h + "experts.down_proj", n, width, inner, std=1 / math.sqrt(inner))
            for name in ("post_feedforward_layernorm_1", "pre_feedforward_layernorm_2", "post_feedforward_layernorm_2"):
                m.norm(h + name, width, False)
        if own:
            m.linear(h + "per_layer_input_gate", own, width, False)
            m.linear(h + "per_layer_projection", width, own, False)
            m.norm(h + "post_per_layer_input_norm", width, False)
        m.normal(h + "layer_scalar", 1, std=0.1, mean=0.8)
    m.norm("norm", width, False)
    return m


def run_experts(config, w, h, x, y):
    """Gemma4TextDecoderLayer.forward beside the dense layer's output y, Gemma4TextRouter, a token at a time."""
    width, epsilon = config["hidden_size"], config["rms_norm_eps"]
    routed = linear(rms_norm(x, 1.0, epsilon) * w[h + "router.scale"] / math.sqrt(width), w, h + "router.proj")
    seen, rows = rms_norm(x, w[h + "pre_feedforward_layernorm_2.weight"], epsilon), []
    for scores, token in zip(routed, seen):
        best, chosen = torch.topk(torch.softmax(scores, 0), config["top_k_experts"])
        best = best / best.sum() * w[h + "router.per_expert_scale"][chosen]
        row = 0
        for share, i in zip(best, chosen):
            gate, up = (w[h + "experts.gate_up_proj"][i] @ token).chunk(2)
            row = row + share * (w[h + "experts.down_proj"][i] @ (activate("gelu_pytorch_tanh", gate) * up))
        rows.append(row)
    return (rms_norm(y, w[h + "post_feedforward_layernorm_1.weight"], epsilon)
            + rms_norm(torch.stack(rows), w[h + "post_feedforward_layernorm_2.weight"], epsilon))


def run_gemma4(config, w, ids, intervene):
    n_layers, n_heads, epsilon = config["num_hidden_layers"], config["num_attention_heads"], config["rms_norm_eps"]
    width, own, act = config["hidden_size"], config["hidden_size_per_layer_input"], "gelu_pytorch_tanh"

    def norm(x, name):
        return rms_norm(x, w[name + ".weight"], epsilon)

    x, maps, kept = w["embed_tokens.weight"][ids] * math.sqrt(width), [], {}
    if own:
        inputs = norm((linear(x, w, "per_layer_model_projection") / math.sqrt(width)).reshape(len(ids), n_layers, own),
                      "per_layer_projection_norm")
        read = w["embed_tokens_per_layer.weight"][ids].reshape(len(ids), n_layers, own)
        inputs = (inputs + read * math.sqrt(own)) / math.sqrt(2)
    for layer in range(n_layers):
        h, a, (n_keys, d) = f"layers.{layer}.", f"layers.{layer}.self_attn.", heads(config, layer)
        x = change(intervene, layer, "residual", x)
        y = norm(x, h + "input_layernorm")
        is_own = source(config, layer) == layer
        c = {"query": split_heads(linear(y, w, a + "q_proj"), n_heads)}
        if is_own:
            c["key"] = split_heads(linear(y, w, a + "k_proj"), n_keys)
            has_values = a + "v_proj.weight" in w
            c["value"] = split_heads(linear(y, w, a + "v_proj"), n_keys) if has_values else c["key"]
        else:  # finished: what acts on them before they are rotated acts in the layer they are of
            c["key"], c["value"] = kept[source(config, layer)]
        turned = frequencies(config, layer)
        for site in ("projection", "normed", "rotated"):
            before = dict(c)
            intervene(layer, site, c)
            if not is_own and site != "rotated":
                c["key"], c["value"] = before["key"], before["value"]
            if site == "projection":
                c["query"] = norm(c["query"], a + "q_norm")
                if is_own:
                    c["key"], c["value"] = norm(c["key"], a + "k_norm"), rms_norm(c["value"], 1.0, epsilon)
            elif site == "normed":
                c["query"] = rotate(c["query"], turned)
                c["key"] = rotate(c["key"], turned) if is_own else c["key"]
        kept[layer] = c["key"], c["value"]
        attention, context = attend(c, 1.0, window=config["sliding_window"] if is_window(config, layer) else None)
        maps.append(attention)
        x = x + norm(linear(context, w, a + "o_proj"), h + "post_attention_layernorm")
        y = norm(x, h + "pre_feedforward_layernorm")
        y = linear(activate(act, linear(y, w, h + "mlp.gate_proj")) * linear(y, w, h + "mlp.up_proj"), w,
                   h + "mlp.down_proj")
        if config.get("enable_moe_block"):
            y = run_experts(config, w, h, x, y)
        x = x + norm(change(intervene, layer, "inner", y), h + "post_feedforward_layernorm")
        if own:
            y = activate(act, linear(x, w, h + "per_layer_input_gate")) * inputs[:, layer]
            x = x + norm(linear(y, w, h + "per_layer_projection"), h + "post_per_layer_input_norm")
        x = x * w[h + "layer_scalar"]
    logits, cap = norm(x, "norm") @ w["embed_tokens.weight"].T, config["final_logit_softcapping"]
    return torch.stack(maps), cap * torch.tanh(logits / cap)
