# SPDX-License-Identifier: GPL-3.0-or-later
"""More reference forward passes in float64, in the form of families.py. Written from the modelling code of
transformers: phi3 (06053b84), olmo (00a98e71), stablelm (00dcc6dd), glm (0325dc46), glm4 (08c53278), cohere (03ea97ae),
cohere2 (008e5743), falcon (00dcc6dd), mpt (0206c7b0), gpt_bigcode (00574544), each the commit of its file; MiniCPM from
the code that came with its checkpoints, MiniCPM-2B of 2024."""

import math

import torch

from families import (SHARP, Maker, activate, alibi_slopes, attend, change, layer_norm, linear, rms_norm,
                      rope_frequencies, rope_magnitude, rotate, split_heads)

FUSED = ("phi3", "glm", "glm4")
INTERLEAVED = ("glm", "glm4", "cohere", "cohere2")
PARALLEL = ("cohere", "cohere2")


def bare_norm(x, epsilon):
    centred = x - x.mean(-1, keepdim=True)
    return centred / torch.sqrt((centred ** 2).mean(-1, keepdim=True) + epsilon)


def sizes(config):
    n_heads = config["num_attention_heads"]
    return (config["hidden_size"], config["intermediate_size"], n_heads, config.get("num_key_value_heads", n_heads),
            config.get("head_dim", config["hidden_size"] // n_heads))


# Gated feed-forward layers

def make_gated(config, seed):
    m, kind = Maker(seed), config["model_type"]
    width, inner, n_heads, n_keys, d = sizes(config)
    bias = config.get("attention_bias", config.get("use_qkv_bias", kind in ("glm", "glm4")))
    is_parallel = kind in PARALLEL or config.get("use_parallel_residual", False)

    def norm(name):
        if kind != "olmo":
            m.norm(name, width, kind == "stablelm")

    m.normal("embed_tokens.weight", config["vocab_size"], width, std=0.3 if kind == "minicpm" else 0.6)
    for layer in range(config["num_hidden_layers"]):
        h = f"layers.{layer}."
        norm(h + "input_layernorm")
        if not is_parallel:
            norm(h + "post_attention_layernorm")
        if kind == "glm4":
            norm(h + "post_self_attn_layernorm")
            norm(h + "post_mlp_layernorm")
        if kind == "phi3":
            m.linear(h + "self_attn.qkv_proj", (n_heads + 2 * n_keys) * d, width, False, SHARP)
        else:
            m.linear(h + "self_attn.q_proj", n_heads * d, width, bias, SHARP)
            m.linear(h + "self_attn.k_proj", n_keys * d, width, bias, SHARP)
            m.linear(h + "self_attn.v_proj", n_keys * d, width, bias)
        m.linear(h + "self_attn.o_proj", width, n_heads * d, config.get("attention_bias", False) and kind not in FUSED)
        for name, n in (("q", n_heads), ("k", n_keys)):
            if config.get("use_qk_norm"):
                m.normal(h + f"self_attn.{name}_norm.weight", n, d, std=0.3, mean=1.5)
            for i in range(n if config.get("qk_layernorm") else 0):
                m.normal(h + f"self_attn.{name}_layernorm.norms.{i}.weight", d, std=0.3, mean=1.5)
        if kind in FUSED:
            m.linear(h + "mlp.gate_up_proj", 2 * inner, width, False)
        else:
            m.linear(h + "mlp.gate_proj", inner, width, False)
            m.linear(h + "mlp.up_proj", inner, width, False)
        m.linear(h + "mlp.down_proj", width, inner, False)
    norm("norm")
    if not config.get("tie_word_embeddings", kind in PARALLEL):
        m.normal("lm_head.weight", config["vocab_size"], width, std=0.3)
    return m


def has_window(config, layer):
    if config["model_type"] == "cohere2":
        return (layer + 1) % config.get("sliding_window_pattern", 4) != 0
    return config.get("sliding_window") is not None


def run_gated(config, w, ids, intervene):
    kind, n_layers = config["model_type"], config["num_hidden_layers"]
    width, inner, n_heads, n_keys, d = sizes(config)
    epsilon = config.get("rms_norm_eps", config.get("layer_norm_eps", 1e-5))
    is_parallel = kind in PARALLEL or config.get("use_parallel_residual", False)
    share = config.get("partial_rotary_factor", {"glm": 0.5, "glm4": 0.5, "stablelm": 0.25}.get(kind, 1.0))
    scaling = dict(config.get("rope_scaling") or {})
    if kind == "phi3" and scaling:  # "su" is what the first configurations say
        original = config["original_max_position_embeddings"]
        scaling.update(rope_type="longrope", original_max_position_embeddings=original,
                       factor=config["max_position_embeddings"] / original)
    rope = dict(config, rope_theta=config.get("rope_theta", 5e5 if kind == "cohere" else 1e4), rope_scaling=scaling)
    frequencies = rope_frequencies(rope, int(d * share), len(ids))
    added = config["scale_depth"] / math.sqrt(n_layers) if kind == "minicpm" else 1

    def norm(x, name):
        if kind == "olmo":
            return bare_norm(x, 1e-5)
        if kind in PARALLEL:
            return bare_norm(x, epsilon) * w[name + ".weight"]
        return layer_norm(x, w, name, epsilon) if kind == "stablelm" else rms_norm(x, w[name + ".weight"], epsilon)

    def norm_heads(x, h, name):
        if config.get("use_qk_norm"):
            scale = w[h + f"{name}_norm.weight"]
        else:
            scale = torch.stack([w[h + f"{name}_layernorm.norms.{i}.weight"] for i in range(x.shape[0])])
        return bare_norm(x, epsilon) * scale[:, None, :]

    def feed_forward(x, h):
        if kind in FUSED:
            gate, up = linear(x, w, h + "gate_up_proj").chunk(2, -1)
        else:
            gate, up = linear(x, w, h + "gate_proj"), linear(x, w, h + "up_proj")
        return linear(activate(config.get("hidden_act", "silu"), gate) * up, w, h + "down_proj")

    x, maps = w["embed_tokens.weight"][ids] * config.get("scale_emb", 1), []
    for layer in range(n_layers):
        h = f"layers.{layer}."
        x = change(intervene, layer, "residual", x)
        y = norm(x, h + "input_layernorm")
        if kind == "phi3":
            parts = linear(y, w, h + "self_attn.qkv_proj").split([n_heads * d, n_keys * d, n_keys * d], -1)
        else:
            parts = [linear(y, w, h + f"self_attn.{name}_proj") for name in "qkv"]
        if config.get("clip_qkv") is not None:
            parts = [part.clamp(-config["clip_qkv"], config["clip_qkv"]) for part in parts]
        c = {name: split_heads(part, n) for name, part, n in zip(("query", "key", "value"), parts, (n_heads, n_keys, n_keys))}
        intervene(layer, "projection", c)
        if config.get("use_qk_norm") or config.get("qk_layernorm"):
            c["query"] = norm_heads(c["query"], h + "self_attn.", "q")
            c["key"] = norm_heads(c["key"], h + "self_attn.", "k")
            intervene(layer, "normed", c)
        if kind != "cohere2" or has_window(config, layer):
            for name in ("query", "key"):
                turned = rotate(c[name], frequencies, kind in INTERLEAVED)
                n = 2 * len(frequencies)
                c[name] = torch.cat((rope_magnitude(rope) * turned[..., :n], turned[..., n:]), -1)
        intervene(layer, "rotated", c)
        window = config.get("sliding_window") if has_window(config, layer) else None
        attention, context = attend(c, 1 / math.sqrt(d), window=window)
        maps.append(attention)
        z = linear(context, w, h + "self_attn.o_proj")
        if kind == "glm4":
            z = norm(z, h + "post_self_attn_layernorm")
        if is_parallel:
            x = x + z + change(intervene, layer, "inner", feed_forward(y, h + "mlp."))
            continue
        x = x + added * z
        z = change(intervene, layer, "inner", feed_forward(norm(x, h + "post_attention_layernorm"), h + "mlp."))
        x = x + added * (norm(z, h + "post_mlp_layernorm") if kind == "glm4" else z)
    x = norm(x, "norm")
    if kind == "minicpm":
        x = x / (width / config["dim_model_base"])
    logits = x @ w.get("lm_head.weight", w["embed_tokens.weight"]).T
    return torch.stack(maps), logits * (config.get("logit_scale", 0.0625) if kind in PARALLEL else 1)


# Falcon: three layouts of its projection, norms in three ways, slopes or rotary embeddings

def count_falcon_keys(config):
    if config.get("new_decoder_architecture"):
        return config["num_kv_heads"]
    return 1 if config.get("multi_query", True) else config["num_attention_heads"]


def make_falcon(config, seed):
    m, width, n_heads = Maker(seed), config["hidden_size"], config["num_attention_heads"]
    d, bias = width // n_heads, config.get("bias", False)
    m.normal("word_embeddings.weight", config["vocab_size"], width, std=0.6)
    for layer in range(config["num_hidden_layers"]):
        h = f"h.{layer}."
        names = ["input_layernorm"]
        if config.get("new_decoder_architecture") and config.get("num_ln_in_parallel_attn") != 1:
            names = ["ln_attn", "ln_mlp"]
        elif not config.get("parallel_attn", True):
            names.append("post_attention_layernorm")
        for name in names:
            m.norm(h + name, width)
        m.linear(h + "self_attention.query_key_value", width + 2 * count_falcon_keys(config) * d, width, bias, SHARP)
        m.linear(h + "self_attention.dense", width, width, bias)
        m.linear(h + "mlp.dense_h_to_4h", 4 * width, width, bias)
        m.linear(h + "mlp.dense_4h_to_h", width, 4 * width, bias)
    m.norm("ln_f", width)
    return m


def run_falcon(config, w, ids, intervene):
    width, n_heads, epsilon = config["hidden_size"], config["num_attention_heads"], config["layer_norm_epsilon"]
    d, n_keys, n, is_new = width // n_heads, count_falcon_keys(config), len(ids), config.get("new_decoder_architecture")
    frequencies = rope_frequencies({}, d, n)
    bias = None
    if config.get("alibi"):  # build_alibi_tensor: slopes and their products are bfloat16
        slopes = torch.tensor(alibi_slopes(n_heads), dtype=torch.float32).bfloat16()
        bias = (slopes[:, None] * torch.arange(n)[None, :]).double()[:, None, :] / math.sqrt(d)
    x, maps = w["word_embeddings.weight"][ids], []
    for layer in range(config["num_hidden_layers"]):
        h = f"h.{layer}."
        x = change(intervene, layer, "residual", x)
        has_two = h + "ln_attn.weight" in w
        y = layer_norm(x, w, h + ("ln_attn" if has_two else "input_layernorm"), epsilon)
        fused = linear(y, w, h + "self_attention.query_key_value")
        if is_new:
            fused = fused.view(n, n_keys, n_heads // n_keys + 2, d)
            parts = fused[:, :, :-2].reshape(n, n_heads, d), fused[:, :, -2], fused[:, :, -1]
        elif config.get("multi_query", True):
            fused = fused.view(n, n_heads + 2, d)
            parts = fused[:, :-2], fused[:, -2:-1], fused[:, -1:]
        else:
            fused = fused.view(n, n_heads, 3, d)
            parts = fused[:, :, 0], fused[:, :, 1], fused[:, :, 2]
        c = {name: part.transpose(0, 1) for name, part in zip(("query", "key", "value"), parts)}
        intervene(layer, "projection", c)
        if bias is None:
            c["query"], c["key"] = rotate(c["query"], frequencies), rotate(c["key"], frequencies)
            intervene(layer, "rotated", c)
        attention, context = attend(c, 1 / math.sqrt(d), bias=bias)
        maps.append(attention)
        z = linear(context, w, h + "self_attention.dense")
        if has_two:
            y = layer_norm(x, w, h + "ln_mlp", epsilon)
        elif not is_new and not config.get("parallel_attn", True):
            y = layer_norm(x + z, w, h + "post_attention_layernorm", epsilon)
        y = linear(activate("gelu", linear(y, w, h + "mlp.dense_h_to_4h")), w, h + "mlp.dense_4h_to_h")
        x = x + z + change(intervene, layer, "inner", y)
    return torch.stack(maps), layer_norm(x, w, "ln_f", epsilon) @ w["word_embeddings.weight"].T


# MPT; biases as MosaicML's llm-foundry, models/mpt/modeling_mpt.py, has them without "no_bias"

def make_mpt(config, seed):
    m, width, biased = Maker(seed), config["d_model"], not config.get("no_bias", True)
    m.normal("wte.weight", config["vocab_size"], width, std=0.6)
    for layer in range(config["n_layers"]):
        h = f"blocks.{layer}."
        m.norm(h + "norm_1", width, biased)
        m.linear(h + "attn.Wqkv", 3 * width, width, biased, SHARP)
        m.linear(h + "attn.out_proj", width, width, biased)
        m.norm(h + "norm_2", width, biased)
        m.linear(h + "ffn.up_proj", 4 * width, width, biased)
        m.linear(h + "ffn.down_proj", width, 4 * width, biased)
    m.norm("norm_f", width, biased)
    return m


def run_mpt(config, w, ids, intervene):
    n_heads, n, options = config["n_heads"], len(ids), config["attn_config"]
    n_slopes = 2 ** math.ceil(math.log2(n_heads))  # build_mpt_alibi_tensor
    slopes = 2.0 ** -(torch.arange(1, n_slopes + 1).double() * options.get("alibi_bias_max", 8) / n_slopes)
    if n_slopes != n_heads:
        slopes = torch.cat((slopes[1::2], slopes[::2]))[:n_heads]
    bias = torch.arange(1 - n, 1).double()[None, None, :] * slopes[:, None, None]
    factor = options.get("softmax_scale") or 1 / math.sqrt(config["d_model"] / n_heads)

    def norm(x, name):
        y = bare_norm(x, config.get("layer_norm_epsilon", 1e-5)) * w[name + ".weight"]
        return y + w[name + ".bias"] if name + ".bias" in w else y

    x, maps = w["wte.weight"][ids], []
    for layer in range(config["n_layers"]):
        h = f"blocks.{layer}."
        x = change(intervene, layer, "residual", x)
        y = linear(norm(x, h + "norm_1"), w, h + "attn.Wqkv")
        if options.get("clip_qkv"):
            y = y.clamp(-options["clip_qkv"], options["clip_qkv"])
        c = {name: split_heads(part, n_heads) for name, part in zip(("query", "key", "value"), y.chunk(3, -1))}
        intervene(layer, "projection", c)
        attention, y = attend(c, factor, bias=bias)
        maps.append(attention)
        x = x + linear(y, w, h + "attn.out_proj")
        y = linear(activate("gelu", linear(norm(x, h + "norm_2"), w, h + "ffn.up_proj")), w, h + "ffn.down_proj")
        x = x + change(intervene, layer, "inner", y)
    return torch.stack(maps), norm(x, "norm_f") @ w["wte.weight"].T


# ALBERT and ELECTRA: an embedding that is narrower than the model. transformers, albert (00661e38) and electra (097e8b79)

def narrow_layers(config):
    """Of ALBERT each layer is a pass through one of the groups, and all layers of that are passes."""
    n, inner = config["num_hidden_layers"], config.get("inner_group_num", 1)
    groups = config.get("num_hidden_groups", 1)
    return [(int(i / (n / groups)), j) for i in range(n) for j in range(inner)]


def narrow_names(config, layer):
    if config["model_type"] == "albert":
        h = "encoder.albert_layer_groups.{}.albert_layers.{}.".format(*narrow_layers(config)[layer])
        return {"query": h + "attention.query", "key": h + "attention.key", "value": h + "attention.value",
                "output": h + "attention.dense", "first": h + "attention.LayerNorm", "up": h + "ffn",
                "down": h + "ffn_output", "second": h + "full_layer_layer_norm"}
    h = f"encoder.layer.{layer}."
    return {"query": h + "attention.self.query", "key": h + "attention.self.key", "value": h + "attention.self.value",
            "output": h + "attention.output.dense", "first": h + "attention.output.LayerNorm",
            "up": h + "intermediate.dense", "down": h + "output.dense", "second": h + "output.LayerNorm"}


def make_narrow(config, seed):
    m, width, narrow, inner = Maker(seed), config["hidden_size"], config["embedding_size"], config["intermediate_size"]
    is_albert = config["model_type"] == "albert"
    m.normal("embeddings.word_embeddings.weight", config["vocab_size"], narrow, std=0.6)
    m.normal("embeddings.position_embeddings.weight", config["max_position_embeddings"], narrow, std=0.3)
    m.normal("embeddings.token_type_embeddings.weight", config["type_vocab_size"], narrow, std=0.3)
    m.norm("embeddings.LayerNorm", narrow)
    if is_albert or narrow != width:
        m.linear("encoder.embedding_hidden_mapping_in" if is_albert else "embeddings_project", width, narrow)
    for layer, (group, inner_layer) in enumerate(narrow_layers(config)):
        names = narrow_names(config, layer)
        if names["first"] + ".weight" in m:
            continue
        for name in ("query", "key", "value", "output"):
            m.linear(names[name], width, width, gain=SHARP if name in ("query", "key") else 1.0)
        m.norm(names["first"], width)
        m.linear(names["up"], inner, width)
        m.linear(names["down"], width, inner)
        m.norm(names["second"], width)
    head = "predictions" if is_albert else "generator_predictions"
    m.linear(head + ".dense", narrow, width)
    m.norm(head + ".LayerNorm", narrow)
    m.normal("predictions.bias" if is_albert else "generator_lm_head.bias", config["vocab_size"])
    return m


def run_narrow(config, w, ids, intervene):
    n_heads, epsilon, act = config["num_attention_heads"], config["layer_norm_eps"], config["hidden_act"]
    is_albert = config["model_type"] == "albert"
    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][: len(ids)]
    x, maps = layer_norm(x + w["embeddings.token_type_embeddings.weight"][0], w, "embeddings.LayerNorm", epsilon), []
    projection = "encoder.embedding_hidden_mapping_in" if is_albert else "embeddings_project"
    if projection + ".weight" in w:
        x = linear(x, w, projection)
    for layer in range(len(narrow_layers(config))):
        names = narrow_names(config, layer)
        x = change(intervene, layer, "residual", x)
        c = {name: split_heads(linear(x, w, names[name]), n_heads) for name in ("query", "key", "value")}
        intervene(layer, "projection", c)
        attention, y = attend(c, 1 / math.sqrt(config["hidden_size"] // n_heads), causal=False)
        maps.append(attention)
        x = layer_norm(x + linear(y, w, names["output"]), w, names["first"], epsilon)
        y = change(intervene, layer, "inner", linear(activate(act, linear(x, w, names["up"])), w, names["down"]))
        x = layer_norm(x + y, w, names["second"], epsilon)
    head = "predictions" if is_albert else "generator_predictions"
    x = layer_norm(activate(act if is_albert else "gelu", linear(x, w, head + ".dense")), w, head + ".LayerNorm", epsilon)
    bias = w["predictions.bias" if is_albert else "generator_lm_head.bias"]
    return torch.stack(maps), x @ w["embeddings.word_embeddings.weight"].T + bias


# ModernBERT: transformers, modernbert (001f85b3)

def make_modernbert(config, seed):
    m, width, inner = Maker(seed), config["hidden_size"], config["intermediate_size"]
    bias, norm_bias = config.get("attention_bias", False), config.get("norm_bias", False)
    m.normal("embeddings.tok_embeddings.weight", config["vocab_size"], width, std=0.6)
    m.norm("embeddings.norm", width, norm_bias)
    for layer in range(config["num_hidden_layers"]):
        h = f"layers.{layer}."
        if layer > 0:
            m.norm(h + "attn_norm", width, norm_bias)
        m.linear(h + "attn.Wqkv", 3 * width, width, bias, SHARP)
        m.linear(h + "attn.Wo", width, width, bias)
        m.norm(h + "mlp_norm", width, norm_bias)
        m.linear(h + "mlp.Wi", 2 * inner, width, config.get("mlp_bias", False))
        m.linear(h + "mlp.Wo", width, inner, config.get("mlp_bias", False))
    m.norm("final_norm", width, norm_bias)
    m.linear("head.dense", width, width, config.get("classifier_bias", False))
    m.norm("head.norm", width, norm_bias)
    if config.get("decoder_bias", True):
        m.normal("decoder.bias", config["vocab_size"])
    return m


def run_modernbert(config, w, ids, intervene):
    width, n_heads, n = config["hidden_size"], config["num_attention_heads"], len(ids)
    d, epsilon = width // n_heads, config.get("norm_eps", 1e-5)

    def norm(x, name):
        return bare_norm(x, epsilon) * w[name + ".weight"] + w.get(name + ".bias", 0.0)

    x, maps = norm(w["embeddings.tok_embeddings.weight"][ids], "embeddings.norm"), []
    for layer in range(config["num_hidden_layers"]):
        h, is_local = f"layers.{layer}.", layer % config.get("global_attn_every_n_layers", 3) != 0
        x = change(intervene, layer, "residual", x)
        y = norm(x, h + "attn_norm") if layer > 0 else x
        parts = linear(y, w, h + "attn.Wqkv").view(n, 3, n_heads, d).permute(1, 2, 0, 3)
        c = dict(zip(("query", "key", "value"), parts))
        intervene(layer, "projection", c)
        theta = config.get("local_rope_theta", 1e4) if is_local else config.get("global_rope_theta", 1.6e5)
        frequencies = rope_frequencies({"rope_theta": theta}, d, n)
        c["query"], c["key"] = rotate(c["query"], frequencies), rotate(c["key"], frequencies)
        intervene(layer, "rotated", c)
        distance = (torch.arange(n)[:, None] - torch.arange(n)[None, :]).abs()
        hidden = torch.zeros(n, n).double().masked_fill((distance > config["local_attention"] // 2) & is_local, -math.inf)
        attention, y = attend(c, 1 / math.sqrt(d), causal=False, bias=hidden)
        maps.append(attention)
        x = x + linear(y, w, h + "attn.Wo")
        first, gate = linear(norm(x, h + "mlp_norm"), w, h + "mlp.Wi").chunk(2, -1)
        x = x + change(intervene, layer, "inner", linear(activate("gelu", first) * gate, w, h + "mlp.Wo"))
    x = norm(activate("gelu", linear(norm(x, "final_norm"), w, "head.dense")), "head.norm")
    return torch.stack(maps), x @ w["embeddings.tok_embeddings.weight"].T + w.get("decoder.bias", 0.0)


# ESM: transformers, modeling_esm.py (0220b9db). EsmIntermediate has exact GELU whatever hidden_act.

def make_esm(config, seed):
    m, width, inner = Maker(seed), config["hidden_size"], config["intermediate_size"]
    m.normal("embeddings.word_embeddings.weight", config["vocab_size"], width, std=0.6)
    if config["position_embedding_type"] == "absolute":
        m.normal("embeddings.position_embeddings.weight", config["max_position_embeddings"], width, std=0.3)
    if config["emb_layer_norm_before"]:
        m.norm("embeddings.layer_norm", width)
    for layer in range(config["num_hidden_layers"]):
        h = f"encoder.layer.{layer}."
        m.norm(h + "attention.LayerNorm", width)
        for name in ("query", "key", "value"):
            m.linear(h + "attention.self." + name, width, width, gain=1.0 if name == "value" else SHARP)
        m.linear(h + "attention.output.dense", width, width)
        m.norm(h + "LayerNorm", width)
        m.linear(h + "intermediate.dense", inner, width)
        m.linear(h + "output.dense", width, inner)
    m.norm("encoder.emb_layer_norm_after", width)
    m.linear("lm_head.dense", width, width)
    m.norm("lm_head.layer_norm", width)
    m.normal("lm_head.bias", config["vocab_size"])
    # Passed over: a regression on attention weights.
    m.normal("contact_head.regression.weight", 1, config["num_hidden_layers"] * config["num_attention_heads"])
    return m


def run_esm(config, w, ids, intervene):
    width, n_heads, n = config["hidden_size"], config["num_attention_heads"], len(ids)
    d, epsilon = width // n_heads, config["layer_norm_eps"]
    is_masked = ids == config["mask_token_id"]
    x, maps = w["embeddings.word_embeddings.weight"][ids], []
    if config["token_dropout"]:
        x = x.masked_fill(is_masked[:, None], 0.0) * (1 - 0.15 * 0.8) / (1 - is_masked.double().mean())
    if config["position_embedding_type"] == "absolute":
        counted = (ids != config["pad_token_id"]).long()
        x = x + w["embeddings.position_embeddings.weight"][counted.cumsum(0) * counted + config["pad_token_id"]]
    if config["emb_layer_norm_before"]:
        x = layer_norm(x, w, "embeddings.layer_norm", epsilon)
    for layer in range(config["num_hidden_layers"]):
        h = f"encoder.layer.{layer}."
        x = change(intervene, layer, "residual", x)
        y = layer_norm(x, w, h + "attention.LayerNorm", epsilon)
        c = {name: split_heads(linear(y, w, h + "attention.self." + name), n_heads) for name in ("query", "key", "value")}
        intervene(layer, "projection", c)
        c["query"] = c["query"] * d ** -0.5
        if config["position_embedding_type"] == "rotary":
            frequencies = rope_frequencies({}, d, n)
            c["query"], c["key"] = rotate(c["query"], frequencies), rotate(c["key"], frequencies)
            intervene(layer, "rotated", c)
        attention, y = attend(c, 1.0, causal=False)
        maps.append(attention)
        x = x + linear(y, w, h + "attention.output.dense")
        y = activate("gelu", linear(layer_norm(x, w, h + "LayerNorm", epsilon), w, h + "intermediate.dense"))
        x = x + change(intervene, layer, "inner", linear(y, w, h + "output.dense"))
    x = activate("gelu", linear(layer_norm(x, w, "encoder.emb_layer_norm_after", epsilon), w, "lm_head.dense"))
    x = layer_norm(x, w, "lm_head.layer_norm", epsilon)
    return torch.stack(maps), x @ w["embeddings.word_embeddings.weight"].T + w["lm_head.bias"]


# DeepSeek V2 and V3, GLM 4 MoE Lite: keys and values of latent vectors. transformers, deepseek_v2 and deepseek_v3
# (000c33fd), glm4_moe_lite (008e5743); the square of mscale in V2's scores is that of the code that came with its
# checkpoints, as in V3.

def latent_sizes(config):
    return (config["num_attention_heads"], config["qk_nope_head_dim"], config["qk_rope_head_dim"], config["v_head_dim"],
            config["kv_lora_rank"], config.get("q_lora_rank"))


def is_sparse(config, layer):
    if config["model_type"] == "glm4_moe_lite":
        return config.get("mlp_layer_types", ["dense"] + ["sparse"] * layer)[layer] == "sparse"
    return layer >= config["first_k_dense_replace"]


def make_latent(config, seed):
    m, width = Maker(seed), config["hidden_size"]
    n_heads, plain, turned, value, latent, query_latent = latent_sizes(config)
    bias = config.get("attention_bias", False)
    m.normal("embed_tokens.weight", config["vocab_size"], width, std=0.6)
    for layer in range(config["num_hidden_layers"]):
        h = f"layers.{layer}."
        if query_latent:
            m.linear(h + "self_attn.q_a_proj", query_latent, width, bias)
            m.norm(h + "self_attn.q_a_layernorm", query_latent, False)
            m.linear(h + "self_attn.q_b_proj", n_heads * (plain + turned), query_latent, False, SHARP)
        else:
            m.linear(h + "self_attn.q_proj", n_heads * (plain + turned), width, False, SHARP)
        m.linear(h + "self_attn.kv_a_proj_with_mqa", latent + turned, width, bias, SHARP)
        m.norm(h + "self_attn.kv_a_layernorm", latent, False)
        m.linear(h + "self_attn.kv_b_proj", n_heads * (plain + value), latent, False, SHARP)
        m.linear(h + "self_attn.o_proj", width, n_heads * value, bias)
        m.norm(h + "input_layernorm", width, False)
        m.norm(h + "post_attention_layernorm", width, False)
        layers = [(h + "mlp.", config["intermediate_size"])]
        if is_sparse(config, layer):
            n, inner = config["n_routed_experts"], config["moe_intermediate_size"]
            m.linear(h + "mlp.gate", n, width, False, 3.0)
            if config["model_type"] != "deepseek_v2":
                m.normal(h + "mlp.gate.e_score_correction_bias", n, std=0.3, mean=0.5)
            layers = [(h + f"mlp.experts.{i}.", inner) for i in range(n)]
            layers.append((h + "mlp.shared_experts.", inner * config["n_shared_experts"]))
        for prefix, inner in layers:
            m.linear(prefix + "gate_proj", inner, width, False)
            m.linear(prefix + "up_proj", inner, width, False)
            m.linear(prefix + "down_proj", width, inner, False)
    m.norm("norm", width, False)
    m.normal("lm_head.weight", config["vocab_size"], width, std=0.3)
    return m


def route(config, w, h, token):
    """The experts of a token and their weights."""
    n, logits = config["n_routed_experts"], w[h + "gate.weight"] @ token
    is_v2 = config["model_type"] == "deepseek_v2"
    scores = torch.softmax(logits, 0) if is_v2 else torch.sigmoid(logits)
    rates = scores if is_v2 else scores + w[h + "gate.e_score_correction_bias"]
    if not is_v2 or config.get("topk_method") == "group_limited_greedy":
        groups = rates.view(config["n_group"], -1)
        best = groups.max(-1).values if is_v2 else groups.topk(2, -1).values.sum(-1)
        kept = torch.zeros(config["n_group"], dtype=torch.bool)
        kept[best.topk(config["topk_group"]).indices] = True
        rates = rates.masked_fill(~kept.repeat_interleave(n // config["n_group"]), 0.0)
    chosen = rates.topk(config["num_experts_per_tok"]).indices
    weights = scores[chosen]
    if not is_v2 and config["norm_topk_prob"]:
        weights = weights / (weights.sum() + 1e-20)
    return chosen, weights * config["routed_scaling_factor"]


def run_latent(config, w, ids, intervene):
    n_heads, plain, turned, value, latent, query_latent = latent_sizes(config)
    n, epsilon = len(ids), config["rms_norm_eps"]
    frequencies = rope_frequencies(config, turned, n)
    scaling, factor, magnitude = config.get("rope_scaling") or {}, 1 / math.sqrt(plain + turned), 1.0
    if scaling:
        def mscale(share):
            return 0.1 * share * math.log(scaling["factor"]) + 1
        factor *= mscale(scaling["mscale_all_dim"]) ** 2
        magnitude = mscale(scaling["mscale"]) / mscale(scaling["mscale_all_dim"])

    def gated(x, prefix):
        return linear(activate("silu", linear(x, w, prefix + "gate_proj")) * linear(x, w, prefix + "up_proj"), w,
                      prefix + "down_proj")

    def feed_forward(x, h, layer):
        if not is_sparse(config, layer):
            return gated(x, h)
        rows = []
        for token in x:
            row = gated(token, h + "shared_experts.")
            for i, weight in zip(*route(config, w, h, token)):
                row = row + weight * gated(token, h + f"experts.{int(i)}.")
            rows.append(row)
        return torch.stack(rows)

    x, maps = w["embed_tokens.weight"][ids], []
    for layer in range(config["num_hidden_layers"]):
        h = f"layers.{layer}."
        a = h + "self_attn."
        x = change(intervene, layer, "residual", x)
        y = rms_norm(x, w[h + "input_layernorm.weight"], epsilon)
        if query_latent:
            q = linear(rms_norm(linear(y, w, a + "q_a_proj"), w[a + "q_a_layernorm.weight"], 1e-6), w, a + "q_b_proj")
        else:
            q = linear(y, w, a + "q_proj")
        low, shared = linear(y, w, a + "kv_a_proj_with_mqa").split((latent, turned), -1)
        kv = linear(rms_norm(low, w[a + "kv_a_layernorm.weight"], 1e-6), w, a + "kv_b_proj")
        k, v = split_heads(kv, n_heads).split((plain, value), -1)
        c = {"query": split_heads(q, n_heads), "key": torch.cat((k, shared.expand(n_heads, n, turned)), -1), "value": v}
        intervene(layer, "projection", c)
        for name in ("query", "key"):
            rest, part = c[name].split((plain, turned), -1)
            part = magnitude * rotate(part, frequencies, config.get("rope_interleave", True))
            c[name] = torch.cat((rest, part), -1)
        intervene(layer, "rotated", c)
        attention, context = attend(c, factor)
        maps.append(attention)
        x = x + linear(context, w, a + "o_proj")
        y = rms_norm(x, w[h + "post_attention_layernorm.weight"], epsilon)
        x = x + change(intervene, layer, "inner", feed_forward(y, h + "mlp.", layer))
    return torch.stack(maps), rms_norm(x, w["norm.weight"], epsilon) @ w["lm_head.weight"].T


# GPTBigCode: GPT-2 with one key head, or with the heads' projections in turn

def make_bigcode(config, seed):
    m, width, n_heads = Maker(seed), config["n_embd"], config["n_head"]
    n_keys, inner = 1 if config.get("multi_query", True) else n_heads, config["n_inner"] or 4 * config["n_embd"]
    m.normal("wte.weight", config["vocab_size"], width, std=0.6)
    m.normal("wpe.weight", config["n_positions"], width, std=0.3)
    for layer in range(config["n_layer"]):
        h = f"h.{layer}."
        m.norm(h + "ln_1", width)
        m.linear(h + "attn.c_attn", width + 2 * n_keys * (width // n_heads), width, gain=SHARP)
        m.linear(h + "attn.c_proj", width, width)
        m.norm(h + "ln_2", width)
        m.linear(h + "mlp.c_fc", inner, width)
        m.linear(h + "mlp.c_proj", width, inner)
    m.norm("ln_f", width)
    return m


def run_bigcode(config, w, ids, intervene):
    width, n_heads, epsilon = config["n_embd"], config["n_head"], config["layer_norm_epsilon"]
    d, n = width // n_heads, len(ids)
    x, maps = w["wte.weight"][ids] + w["wpe.weight"][:n], []
    for layer in range(config["n_layer"]):
        h = f"h.{layer}."
        x = change(intervene, layer, "residual", x)
        y = linear(layer_norm(x, w, h + "ln_1", epsilon), w, h + "attn.c_attn")
        if config.get("multi_query", True):
            query, key, value = y.split((width, d, d), -1)
            c = {"query": split_heads(query, n_heads), "key": key[None], "value": value[None]}
        else:
            c = dict(zip(("query", "key", "value"), y.view(n, n_heads, 3 * d).transpose(0, 1).split(d, -1)))
        intervene(layer, "projection", c)
        attention, y = attend(c, 1 / math.sqrt(d))
        maps.append(attention)
        x = x + linear(y, w, h + "attn.c_proj")
        y = activate(config["activation_function"], linear(layer_norm(x, w, h + "ln_2", epsilon), w, h + "mlp.c_fc"))
        x = x + change(intervene, layer, "inner", linear(y, w, h + "mlp.c_proj"))
    return torch.stack(maps), layer_norm(x, w, "ln_f", epsilon) @ w["wte.weight"].T
