# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference forward passes of the model families, in float64, each written from its paper and the model's
documentation and apart from the program's. make_fixtures.py makes checkpoints and expected results with them.

A pass is a function (config, w, ids, intervene) that returns attention weights [L, H, T, T] and logits [T, V]:
w maps tensor names without the prefix to float64; intervene (layer, site, components) may replace the queries,
keys and values, each [heads, T, d], in the dictionary that it is given. make_* returns random tensors."""

import math

import torch


class Maker(dict):
    """Random tensors by name."""

    def __init__(self, seed):
        super().__init__()
        self.generator = torch.Generator().manual_seed(seed)

    def normal(self, name, *shape, std=0.1, mean=0.0):
        self[name] = torch.randn(*shape, generator=self.generator) * std + mean

    def linear(self, name, n_out, n_in, bias=True, gain=1.0):
        self.normal(name + ".weight", n_out, n_in, std=gain / math.sqrt(n_in))
        if bias:
            self.normal(name + ".bias", n_out, std=0.3)

    def norm(self, name, width, bias=True, mean=1.0):
        self.normal(name + ".weight", width, mean=mean)
        if bias:
            self.normal(name + ".bias", width)


SHARP = 1.6  # gain of the query and key projections: sharpens the attention


def layer_norm(x, w, name, epsilon):
    centred = x - x.mean(-1, keepdim=True)
    return centred / torch.sqrt((centred ** 2).mean(-1, keepdim=True) + epsilon) * w[name + ".weight"] + w[name + ".bias"]


def rms_norm(x, scale, epsilon):
    return x / torch.sqrt((x ** 2).mean(-1, keepdim=True) + epsilon) * scale


def linear(x, w, name):
    y = x @ w[name + ".weight"].T
    return y + w[name + ".bias"] if name + ".bias" in w else y


def activate(name, x):
    if name in ("gelu_new", "gelu_pytorch_tanh"):
        return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))
    return {"gelu": lambda: 0.5 * x * (1 + torch.erf(x / math.sqrt(2))), "relu": lambda: x.clamp(min=0),
            "silu": lambda: x * torch.sigmoid(x), "swish": lambda: x * torch.sigmoid(x)}[name]()


def change(intervene, layer, name, x):
    """The residual stream entering a layer, or the output of its MLP, [T, D], as an intervention leaves it."""
    c = {name: x[None]}
    intervene(layer, name, c)
    return c[name][0]


def split_heads(x, n_heads):
    return x.reshape(x.shape[0], n_heads, -1).transpose(0, 1)


def join_heads(x):
    return x.transpose(0, 1).reshape(x.shape[1], -1)


def rope_frequencies(config, width, n_tokens):
    base = config.get("rope_theta", config.get("rotary_emb_base", 10000.0))
    scaling = config.get("rope_scaling") or {}
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    factor, longest = scaling.get("factor", 1.0), config.get("max_position_embeddings", 0)
    if kind == "dynamic" and n_tokens > longest:
        base = base * (factor * n_tokens / longest - (factor - 1)) ** (width / (width - 2))
    frequencies = base ** (-torch.arange(0, width, 2).double() / width)
    if kind == "linear":
        return frequencies / factor
    if kind == "llama3":
        original = scaling["original_max_position_embeddings"]
        low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
        result = []
        for frequency in frequencies.tolist():
            wavelength = 2 * math.pi / frequency
            smooth = (original / wavelength - low) / (high - low)
            if wavelength < original / high:
                result.append(frequency)
            elif wavelength > original / low:
                result.append(frequency / factor)
            else:
                result.append((1 - smooth) * frequency / factor + smooth * frequency)
        return torch.tensor(result, dtype=torch.float64)
    if kind == "yarn":  # Peng et al. 2023, section 3.2: by how often a frequency turns over the original length
        original = scaling.get("original_max_position_embeddings", longest)
        bounds = [width * math.log(original / (turns * 2 * math.pi)) / (2 * math.log(base))
                  for turns in (scaling.get("beta_fast", 32), scaling.get("beta_slow", 1))]
        if scaling.get("truncate", True):
            bounds = [math.floor(bounds[0]), math.ceil(bounds[1])]
        low, high = max(bounds[0], 0), min(bounds[1], width - 1)
        ramp = ((torch.arange(width // 2).double() - low) / (high - low if high != low else 0.001)).clamp(0, 1)
        return ramp * frequencies / factor + (1 - ramp) * frequencies
    if kind == "longrope":  # Ding et al. 2024: a divisor a frequency
        original = scaling["original_max_position_embeddings"]
        name = "long_factor" if n_tokens > original else "short_factor"
        return frequencies / torch.tensor(scaling[name], dtype=torch.float64)
    return frequencies


def rope_magnitude(config):
    """What queries and keys are multiplied by besides: documentation of transformers, "rope_scaling"."""
    scaling = config.get("rope_scaling") or {}
    kind, factor = scaling.get("rope_type"), scaling.get("factor", 1.0)
    if kind == "yarn":
        return scaling.get("attention_factor", 0.1 * math.log(factor) + 1)
    if kind == "longrope":
        return math.sqrt(1 + math.log(factor) / math.log(scaling["original_max_position_embeddings"]))
    return 1.0


def rotate(x, frequencies, paired=False, angles=None):
    """x: [heads, T, d]; the first 2 len(frequencies) numbers are turned. angles: [T, len(frequencies)], or None."""
    n, width = x.shape[1], 2 * len(frequencies)
    if angles is None:
        angles = torch.arange(n).double()[:, None] * frequencies[None, :]
    cos, sin = angles.cos(), angles.sin()
    turned, rest = x[..., :width], x[..., width:]
    if paired:
        a, b = turned[..., 0::2], turned[..., 1::2]
        y = torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2)
    else:
        a, b = turned[..., : width // 2], turned[..., width // 2:]
        y = torch.cat((a * cos - b * sin, b * cos + a * sin), -1)
    return torch.cat((y, rest), -1)


def attend(c, factor, causal=True, window=None, cap=None, bias=None, sinks=None, mutual=None):
    """mutual: [T], tokens of one number above 0 see each other both ways. c: query, key, value; returns the weights [H, T, T] and the heads' values side by side [T, H d].
    sinks: [H], a score that joins each row and is dropped: transformers 4.57, modeling_gpt_oss.py."""
    shared = c["query"].shape[0] // c["key"].shape[0]
    key, value = (c[name].repeat_interleave(shared, 0) for name in ("key", "value"))
    scores = c["query"] @ key.transpose(1, 2) * factor
    if cap:
        scores = cap * torch.tanh(scores / cap)
    if bias is not None:
        scores = scores + bias
    n = scores.shape[-1]
    distance = torch.arange(n)[:, None] - torch.arange(n)[None, :]
    hidden = (distance < 0) if causal else torch.zeros(n, n, dtype=torch.bool)
    if window:
        hidden = hidden | (distance.abs() >= window)
    if mutual is not None:
        hidden = hidden & ~((mutual[:, None] == mutual[None, :]) & (mutual[:, None] > 0))
    scores = scores.masked_fill(hidden, -math.inf)
    if sinks is not None:
        scores = torch.cat((scores, sinks[:, None, None].expand(-1, n, 1)), -1)
    weights = torch.softmax(scores, -1)[..., :n]
    return weights, join_heads(weights @ value)


# LLaMA and what came after it

EXPERTS = {"mixtral": ("block_sparse_moe.gate", "block_sparse_moe.experts.{}.", ("w1", "w3", "w2")),
           "qwen2_moe": ("mlp.gate", "mlp.experts.{}.", ("gate_proj", "up_proj", "down_proj"))}
EXPERTS["qwen3_moe"] = EXPERTS["qwen2_moe"]


def has_experts(config, layer):
    """transformers 4.57, modeling_qwen2_moe.py, Qwen2MoeDecoderLayer."""
    return (config["model_type"] in EXPERTS and layer not in config.get("mlp_only_layers", [])
            and (layer + 1) % config.get("decoder_sparse_step", 1) == 0)


def make_gpt_oss_inner(m, config, layer):
    width, inner, n = config["hidden_size"], config["intermediate_size"], config["num_local_experts"]
    h = f"layers.{layer}.mlp."
    m.linear(h + "router", n, width, gain=3.0)
    m.normal(h + "experts.gate_up_proj", n, width, 2 * inner, std=3.0 / math.sqrt(width))
    m.normal(h + "experts.gate_up_proj_bias", n, 2 * inner, std=0.5)
    m.normal(h + "experts.down_proj", n, inner, width, std=0.3 / math.sqrt(inner))
    m.normal(h + "experts.down_proj_bias", n, width)


def run_gpt_oss_inner(config, w, layer, x):
    """A token at a time: modeling_gpt_oss.py, GptOssTopKRouter and GptOssExperts."""
    h, rows = f"layers.{layer}.mlp.", []
    for token in x:
        best, chosen = torch.topk(linear(token, w, h + "router"), config["num_experts_per_tok"])
        row = 0
        for share, i in zip(torch.softmax(best, 0), chosen):
            y = token @ w[h + "experts.gate_up_proj"][i] + w[h + "experts.gate_up_proj_bias"][i]
            gate, up = y[0::2].clamp(max=7.0), y[1::2].clamp(-7.0, 7.0)
            y = (up + 1) * gate * torch.sigmoid(1.702 * gate)
            row = row + share * (y @ w[h + "experts.down_proj"][i] + w[h + "experts.down_proj_bias"][i])
        rows.append(row)
    return torch.stack(rows)


def make_inner(m, config, layer):
    if config["model_type"] == "gpt_oss":
        return make_gpt_oss_inner(m, config, layer)
    width, inner, bias = config["hidden_size"], config["intermediate_size"], config.get("mlp_bias", False)
    h = f"layers.{layer}."
    layers = [(h + "mlp.", ("gate_proj", "up_proj", "down_proj"), inner)]
    if has_experts(config, layer):
        router, expert, names = EXPERTS[config["model_type"]]
        n = config.get("num_experts", config.get("num_local_experts"))
        m.linear(h + router, n, width, False, 3.0)
        layers = [(h + expert.format(i), names, config.get("moe_intermediate_size", inner)) for i in range(n)]
        if "shared_expert_intermediate_size" in config:
            m.linear(h + "mlp.shared_expert_gate", 1, width, False)
            layers.append((h + "mlp.shared_expert.", names, config["shared_expert_intermediate_size"]))
    for prefix, names, inner_width in layers:
        m.linear(prefix + names[0], inner_width, width, bias)
        m.linear(prefix + names[1], inner_width, width, bias)
        m.linear(prefix + names[2], width, inner_width, bias)


def run_gated(w, prefix, names, x, act):
    return linear(activate(act, linear(x, w, prefix + names[0])) * linear(x, w, prefix + names[1]), w, prefix + names[2])


def run_inner(config, w, layer, x, act):
    """A token at a time: transformers 4.57, Qwen2MoeSparseMoeBlock, MixtralSparseMoeBlock."""
    if config["model_type"] == "gpt_oss":
        return run_gpt_oss_inner(config, w, layer, x)
    h, names = f"layers.{layer}.", ("gate_proj", "up_proj", "down_proj")
    if not has_experts(config, layer):
        return run_gated(w, h + "mlp.", names, x, act)
    kind = config["model_type"]
    router, expert, names = EXPERTS[kind]
    rows = []
    for token in x:
        shares = torch.softmax(w[h + router + ".weight"] @ token, 0)
        best, chosen = torch.topk(shares, config["num_experts_per_tok"])
        if config.get("norm_topk_prob", kind == "mixtral"):
            best = best / best.sum()
        rows.append(sum(share * run_gated(w, h + expert.format(int(i)), names, token, act)
                        for share, i in zip(best, chosen)))
    y = torch.stack(rows)
    if h + "mlp.shared_expert_gate.weight" in w:
        share = torch.sigmoid(linear(x, w, h + "mlp.shared_expert_gate"))
        y = y + share * run_gated(w, h + "mlp.shared_expert.", names, x, act)
    return y


def make_llama(config, seed):
    """Also mistral, qwen2, qwen3, gemma, gemma2, gemma3_text, smollm3, granite, olmo2, olmo3, and with experts mixtral, qwen2_moe,
    qwen3_moe, gpt_oss."""
    m, kind = Maker(seed), config["model_type"]
    has_qk_norm, has_post_norms = kind in ("qwen3", "qwen3_moe", "gemma3_text", "qwen3_vl_text"), kind in ("gemma2", "gemma3_text")
    width, n_heads = config["hidden_size"], config["num_attention_heads"]
    n_keys = config.get("num_key_value_heads", n_heads)
    d = config.get("head_dim", width // n_heads)
    qkv_bias = config.get("attention_bias", kind in ("qwen2", "qwen2_moe", "gpt_oss", "qwen2_5_vl_text"))
    out_bias = config.get("attention_bias", kind == "gpt_oss")
    is_gemma, is_olmo = kind.startswith("gemma"), kind in ("olmo2", "olmo3")
    mean = 0.0 if is_gemma else 1.0
    m.normal("embed_tokens.weight", config["vocab_size"], width, std=0.15 if is_gemma else 0.6)
    for layer in range(config["num_hidden_layers"]):
        h = f"layers.{layer}."
        m.linear(h + "self_attn.q_proj", n_heads * d, width, qkv_bias, SHARP)
        m.linear(h + "self_attn.k_proj", n_keys * d, width, qkv_bias, SHARP)
        m.linear(h + "self_attn.v_proj", n_keys * d, width, qkv_bias)
        m.linear(h + "self_attn.o_proj", width, n_heads * d, out_bias)
        if kind == "gpt_oss":
            m.normal(h + "self_attn.sinks", n_heads, std=1.5, mean=1.0)
        make_inner(m, config, layer)
        if not is_olmo:
            m.norm(h + "input_layernorm", width, False, mean)
        m.norm(h + "post_attention_layernorm", width, False, mean)
        if is_olmo:
            m.norm(h + "post_feedforward_layernorm", width, False, mean)
            m.norm(h + "self_attn.q_norm", n_heads * d, False, 1.5)
            m.norm(h + "self_attn.k_norm", n_keys * d, False, 1.5)
        if has_post_norms:
            m.norm(h + "pre_feedforward_layernorm", width, False, mean)
            m.norm(h + "post_feedforward_layernorm", width, False, mean)
        if has_qk_norm:
            m.norm(h + "self_attn.q_norm", d, False, 0.5 if is_gemma else 1.5)
            m.norm(h + "self_attn.k_norm", d, False, 0.5 if is_gemma else 1.5)
    m.norm("norm", width, False, mean)
    if not config.get("tie_word_embeddings", is_gemma or kind == "smollm3"):
        m.normal("lm_head.weight", config["vocab_size"], width, std=0.3)
    return m


def llama_frequencies(config, layer, width, n_tokens):
    """Gemma 3 has a rotary embedding of its own in layers with a window, without scaling:
    transformers 4.57, modeling_gemma3.py, Gemma3TextModel.forward."""
    kind = config["model_type"]
    if kind == "smollm3" and not config.get("no_rope_layers", [(i + 1) % 4 for i in range(layer + 1)])[layer]:
        return torch.zeros(width // 2).double()  # modeling_smollm3.py, SmolLM3Attention.use_rope
    if kind == "olmo3" and llama_window(config, layer):  # modeling_olmo3.py 4.57, rope_type="default"
        return rope_frequencies({"rope_theta": config["rope_theta"]}, width, n_tokens)
    if kind != "gemma3_text":
        return rope_frequencies(config, width, n_tokens)
    if llama_window(config, layer):
        return rope_frequencies({"rope_theta": config.get("rope_local_base_freq", 1e4)}, width, n_tokens)
    return rope_frequencies(dict({"rope_theta": 1e6}, **config), width, n_tokens)


def llama_window(config, layer):
    kind, window = config["model_type"], config.get("sliding_window")
    if kind in ("mistral", "mixtral"):
        return window
    if kind == "qwen2_moe":
        is_on = config.get("use_sliding_window") and layer < config.get("max_window_layers", 28) and layer % 2 == 0
        return window if is_on else None
    if kind in ("qwen2", "qwen3"):
        return window if config.get("use_sliding_window") and layer >= config.get("max_window_layers", 28) else None
    if "layer_types" in config:
        return window if config["layer_types"][layer] == "sliding_attention" else None
    period = {"gemma2": 2, "gemma3_text": config.get("sliding_window_pattern", 6), "olmo3": 4, "gpt_oss": 2}.get(kind)
    return window if period and (layer + 1) % period != 0 else None


def run_llama(config, w, ids, intervene, seen=None):
    """seen: of a model that sees, tokens of pictures, [T], the same number above 0 for those side by side, and what
    stands in their place, [N, D]; whether they see each other both ways, and of a list what is added behind the first layers, too; angles of all tokens, [T, d / 2], or None for those of their positions."""
    kind, n_heads, epsilon = config["model_type"], config["num_attention_heads"], config.get("rms_norm_eps", 1e-6)
    n_keys = config.get("num_key_value_heads", n_heads)
    width = config["hidden_size"]
    d = config.get("head_dim", width // n_heads)
    is_gemma = kind.startswith("gemma")
    act = "gelu_pytorch_tanh" if is_gemma else config.get("hidden_act", "silu")
    factor = 1 / math.sqrt(config.get("query_pre_attn_scalar", d))
    has_post_norms, is_olmo = kind in ("gemma2", "gemma3_text", "olmo2", "olmo3"), kind in ("olmo2", "olmo3")
    if kind == "granite":  # modeling_granite.py 4.57
        factor = config["attention_multiplier"]
    added = config.get("residual_multiplier", 1)

    def norm(x, name):
        scale = w[name + ".weight"]
        return rms_norm(x, 1 + scale if is_gemma else scale, epsilon)

    x = w["embed_tokens.weight"][ids] * (math.sqrt(width) if is_gemma else config.get("embedding_multiplier", 1))
    mutual, angles = None, None
    if seen is not None:
        groups, rows, is_mutual, angles = seen
        x, mutual, where = x.clone(), groups if is_mutual else None, groups > 0
        deep = rows[1:] if isinstance(rows, list) else []
        x[where] = rows[0] if isinstance(rows, list) else rows
    maps = []
    for layer in range(config["num_hidden_layers"]):
        h = f"layers.{layer}."
        x = change(intervene, layer, "residual", x)
        y = x if is_olmo else norm(x, h + "input_layernorm")
        c = {"query": split_heads(linear(y, w, h + "self_attn.q_proj"), n_heads),
             "key": split_heads(linear(y, w, h + "self_attn.k_proj"), n_keys),
             "value": split_heads(linear(y, w, h + "self_attn.v_proj"), n_keys)}
        intervene(layer, "projection", c)
        if is_olmo:  # over all heads: modeling_olmo2.py, Olmo2Attention
            c["query"] = split_heads(norm(join_heads(c["query"]), h + "self_attn.q_norm"), n_heads)
            c["key"] = split_heads(norm(join_heads(c["key"]), h + "self_attn.k_norm"), n_keys)
            intervene(layer, "normed", c)
        elif h + "self_attn.q_norm.weight" in w:
            c["query"] = norm(c["query"], h + "self_attn.q_norm")
            c["key"] = norm(c["key"], h + "self_attn.k_norm")
            intervene(layer, "normed", c)
        frequencies = llama_frequencies(config, layer, d, len(ids))
        magnitude = 1 if kind == "olmo3" and llama_window(config, layer) else rope_magnitude(config)
        c["query"], c["key"] = (magnitude * rotate(c[name], frequencies, angles=angles) for name in ("query", "key"))
        intervene(layer, "rotated", c)
        # Gemma3TextConfig of 4.57 halves the window where queries see all keys.
        is_causal, window = not config.get("use_bidirectional_attention"), llama_window(config, layer)
        window = window if is_causal or not window else window // 2 + 1
        attention, y = attend(c, factor, is_causal, window=window, cap=config.get("attn_logit_softcapping"),
                              sinks=w.get(h + "self_attn.sinks"), mutual=mutual)
        maps.append(attention)
        y = linear(y, w, h + "self_attn.o_proj")
        x = x + added * (norm(y, h + "post_attention_layernorm") if has_post_norms else y)
        y = x if is_olmo else norm(x, h + ("pre_feedforward_layernorm" if has_post_norms else "post_attention_layernorm"))
        y = change(intervene, layer, "inner", run_inner(config, w, layer, y, act))
        x = x + added * (norm(y, h + "post_feedforward_layernorm") if has_post_norms else y)
        if seen is not None and layer < len(deep):  # modeling_qwen3_vl.py, _deepstack_process
            x[where] = x[where] + deep[layer]
    if seen is not None:
        intervene(config["num_hidden_layers"], "left", {"left": x[None]})
    logits = norm(x, "norm") @ w.get("lm_head.weight", w["embed_tokens.weight"]).T / config.get("logits_scaling", 1)
    cap = config.get("final_logit_softcapping")
    return torch.stack(maps), cap * torch.tanh(logits / cap) if cap else logits


# GPT-NeoX, Phi and GPT-J: rotary embedding of a part of the head, parallel halves

def make_neox(config, seed):
    m, width, inner = Maker(seed), config["hidden_size"], config["intermediate_size"]
    m.normal("embed_in.weight", config["vocab_size"], width, std=0.6)
    for layer in range(config["num_hidden_layers"]):
        h = f"layers.{layer}."
        m.norm(h + "input_layernorm", width)
        m.norm(h + "post_attention_layernorm", width)
        m.linear(h + "attention.query_key_value", 3 * width, width, gain=SHARP)
        m.linear(h + "attention.dense", width, width)
        m.linear(h + "mlp.dense_h_to_4h", inner, width)
        m.linear(h + "mlp.dense_4h_to_h", width, inner)
    m.norm("final_layer_norm", width)
    m.normal("embed_out.weight", config["vocab_size"], width, std=0.3)
    return m


def run_neox(config, w, ids, intervene):
    n_heads, epsilon = config["num_attention_heads"], config["layer_norm_eps"]
    d = config["hidden_size"] // n_heads
    frequencies = rope_frequencies(config, int(d * config["rotary_pct"]), len(ids))
    x, maps = w["embed_in.weight"][ids], []
    for layer in range(config["num_hidden_layers"]):
        h = f"layers.{layer}."
        x = change(intervene, layer, "residual", x)
        y = linear(layer_norm(x, w, h + "input_layernorm", epsilon), w, h + "attention.query_key_value")
        y = y.reshape(len(ids), n_heads, 3, d).permute(2, 1, 0, 3)
        c = {"query": y[0], "key": y[1], "value": y[2]}
        intervene(layer, "projection", c)
        c["query"], c["key"] = rotate(c["query"], frequencies), rotate(c["key"], frequencies)
        intervene(layer, "rotated", c)
        attention, y = attend(c, 1 / math.sqrt(d))
        maps.append(attention)
        y = linear(y, w, h + "attention.dense")
        z = x if config["use_parallel_residual"] else x + y
        z = layer_norm(z, w, h + "post_attention_layernorm", epsilon)
        z = linear(activate(config["hidden_act"], linear(z, w, h + "mlp.dense_h_to_4h")), w, h + "mlp.dense_4h_to_h")
        x = x + y + change(intervene, layer, "inner", z)
    return torch.stack(maps), layer_norm(x, w, "final_layer_norm", epsilon) @ w["embed_out.weight"].T


def make_phi(config, seed):
    m, width, inner = Maker(seed), config["hidden_size"], config["intermediate_size"]
    d = width // config["num_attention_heads"]
    m.normal("embed_tokens.weight", config["vocab_size"], width, std=0.6)
    for layer in range(config["num_hidden_layers"]):
        h = f"layers.{layer}."
        m.norm(h + "input_layernorm", width)
        m.linear(h + "self_attn.q_proj", width, width, gain=SHARP)
        m.linear(h + "self_attn.k_proj", d * config["num_key_value_heads"], width, gain=SHARP)
        m.linear(h + "self_attn.v_proj", d * config["num_key_value_heads"], width)
        m.linear(h + "self_attn.dense", width, width)
        if config.get("qk_layernorm"):
            m.norm(h + "self_attn.q_layernorm", d)
            m.norm(h + "self_attn.k_layernorm", d)
        m.linear(h + "mlp.fc1", inner, width)
        m.linear(h + "mlp.fc2", width, inner)
    m.norm("final_layernorm", width)
    m.linear("lm_head", config["vocab_size"], width)
    return m


def run_phi(config, w, ids, intervene):
    n_heads, n_keys, epsilon = config["num_attention_heads"], config["num_key_value_heads"], config["layer_norm_eps"]
    d = config["hidden_size"] // n_heads
    frequencies = rope_frequencies(config, int(d * config["partial_rotary_factor"]), len(ids))
    x, maps = w["embed_tokens.weight"][ids], []
    for layer in range(config["num_hidden_layers"]):
        h = f"layers.{layer}."
        y = layer_norm(x, w, h + "input_layernorm", epsilon)
        c = {"query": split_heads(linear(y, w, h + "self_attn.q_proj"), n_heads),
             "key": split_heads(linear(y, w, h + "self_attn.k_proj"), n_keys),
             "value": split_heads(linear(y, w, h + "self_attn.v_proj"), n_keys)}
        intervene(layer, "projection", c)
        if config.get("qk_layernorm"):
            c["query"] = layer_norm(c["query"], w, h + "self_attn.q_layernorm", epsilon)
            c["key"] = layer_norm(c["key"], w, h + "self_attn.k_layernorm", epsilon)
            intervene(layer, "normed", c)
        c["query"], c["key"] = rotate(c["query"], frequencies), rotate(c["key"], frequencies)
        intervene(layer, "rotated", c)
        attention, context = attend(c, 1 / math.sqrt(d))
        maps.append(attention)
        x = (x + linear(context, w, h + "self_attn.dense")
             + linear(activate(config["hidden_act"], linear(y, w, h + "mlp.fc1")), w, h + "mlp.fc2"))
    return torch.stack(maps), linear(layer_norm(x, w, "final_layernorm", epsilon), w, "lm_head")


def make_gptj(config, seed):
    m, width, inner = Maker(seed), config["n_embd"], 4 * config["n_embd"]
    m.normal("wte.weight", config["vocab_size"], width, std=0.6)
    for layer in range(config["n_layer"]):
        h = f"h.{layer}."
        m.norm(h + "ln_1", width)
        for name, gain in (("q_proj", SHARP), ("k_proj", SHARP), ("v_proj", 1.0), ("out_proj", 1.0)):
            m.linear(h + "attn." + name, width, width, False, gain)
        m.linear(h + "mlp.fc_in", inner, width)
        m.linear(h + "mlp.fc_out", width, inner)
    m.norm("ln_f", width)
    m.linear("lm_head", config["vocab_size"], width)
    return m


def run_gptj(config, w, ids, intervene):
    n_heads, epsilon = config["n_head"], config["layer_norm_epsilon"]
    frequencies = rope_frequencies({}, config["rotary_dim"], len(ids))
    x, maps = w["wte.weight"][ids], []
    for layer in range(config["n_layer"]):
        h = f"h.{layer}."
        y = layer_norm(x, w, h + "ln_1", epsilon)
        c = {name: split_heads(linear(y, w, h + f"attn.{name[0]}_proj"), n_heads) for name in ("query", "key", "value")}
        intervene(layer, "projection", c)
        c["query"], c["key"] = rotate(c["query"], frequencies, True), rotate(c["key"], frequencies, True)
        intervene(layer, "rotated", c)
        attention, context = attend(c, 1 / math.sqrt(config["n_embd"] // n_heads))
        maps.append(attention)
        x = (x + linear(context, w, h + "attn.out_proj")
             + linear(activate(config["activation_function"], linear(y, w, h + "mlp.fc_in")), w, h + "mlp.fc_out"))
    return torch.stack(maps), linear(layer_norm(x, w, "ln_f", epsilon), w, "lm_head")


# GPT-Neo and StarCoder 2: transformers 4.57, modeling_gpt_neo.py and modeling_starcoder2.py

def make_gpt_neo(config, seed):
    m, width = Maker(seed), config["hidden_size"]
    m.normal("wte.weight", config["vocab_size"], width, std=0.6)
    m.normal("wpe.weight", config["max_position_embeddings"], width, std=0.3)
    for layer in range(config["num_layers"]):
        h = f"h.{layer}."
        m.norm(h + "ln_1", width)
        for name in ("q_proj", "k_proj", "v_proj"):  # scores are not divided by the root of the head width
            m.linear(h + "attn.attention." + name, width, width, False, 1.0 if name == "v_proj" else 0.9)
        m.linear(h + "attn.attention.out_proj", width, width)
        m.norm(h + "ln_2", width)
        m.linear(h + "mlp.c_fc", 4 * width, width)
        m.linear(h + "mlp.c_proj", width, 4 * width)
    m.norm("ln_f", width)
    return m


def run_gpt_neo(config, w, ids, intervene):
    n_heads, epsilon = config["num_heads"], config["layer_norm_epsilon"]
    kinds = [kind for kinds, n in config["attention_types"] for _ in range(n) for kind in kinds]
    x, maps = w["wte.weight"][ids] + w["wpe.weight"][: len(ids)], []
    for layer in range(config["num_layers"]):
        h = f"h.{layer}."
        y = layer_norm(x, w, h + "ln_1", epsilon)
        c = {name: split_heads(linear(y, w, h + f"attn.attention.{name[0]}_proj"), n_heads)
             for name in ("query", "key", "value")}
        intervene(layer, "projection", c)
        attention, y = attend(c, 1.0, window=config["window_size"] if kinds[layer] == "local" else None)
        maps.append(attention)
        x = x + linear(y, w, h + "attn.attention.out_proj")
        y = layer_norm(x, w, h + "ln_2", epsilon)
        x = x + linear(activate(config["activation_function"], linear(y, w, h + "mlp.c_fc")), w, h + "mlp.c_proj")
    return torch.stack(maps), layer_norm(x, w, "ln_f", epsilon) @ w["wte.weight"].T


def make_starcoder2(config, seed):
    m, width, inner = Maker(seed), config["hidden_size"], config["intermediate_size"]
    d = width // config["num_attention_heads"]
    m.normal("embed_tokens.weight", config["vocab_size"], width, std=0.6)
    for layer in range(config["num_hidden_layers"]):
        h = f"layers.{layer}."
        m.norm(h + "input_layernorm", width)
        m.linear(h + "self_attn.q_proj", width, width, gain=SHARP)
        m.linear(h + "self_attn.k_proj", d * config["num_key_value_heads"], width, gain=SHARP)
        m.linear(h + "self_attn.v_proj", d * config["num_key_value_heads"], width)
        m.linear(h + "self_attn.o_proj", width, width)
        m.norm(h + "post_attention_layernorm", width)
        m.linear(h + "mlp.c_fc", inner, width)
        m.linear(h + "mlp.c_proj", width, inner)
    m.norm("norm", width)
    return m


def run_starcoder2(config, w, ids, intervene):
    n_heads, n_keys, epsilon = config["num_attention_heads"], config["num_key_value_heads"], config["norm_epsilon"]
    d = config["hidden_size"] // n_heads
    frequencies = rope_frequencies(config, d, len(ids))
    x, maps = w["embed_tokens.weight"][ids], []
    for layer in range(config["num_hidden_layers"]):
        h = f"layers.{layer}."
        y = layer_norm(x, w, h + "input_layernorm", epsilon)
        c = {name: split_heads(linear(y, w, h + f"self_attn.{name[0]}_proj"), n_heads if name == "query" else n_keys)
             for name in ("query", "key", "value")}
        intervene(layer, "projection", c)
        c["query"], c["key"] = rotate(c["query"], frequencies), rotate(c["key"], frequencies)
        intervene(layer, "rotated", c)
        attention, y = attend(c, 1 / math.sqrt(d), window=config.get("sliding_window"))
        maps.append(attention)
        x = x + linear(y, w, h + "self_attn.o_proj")
        y = layer_norm(x, w, h + "post_attention_layernorm", epsilon)
        x = x + linear(activate(config["hidden_act"], linear(y, w, h + "mlp.c_fc")), w, h + "mlp.c_proj")
    return torch.stack(maps), layer_norm(x, w, "norm", epsilon) @ w["embed_tokens.weight"].T


# OPT and BLOOM

def make_opt(config, seed):
    m, width, inner = Maker(seed), config["hidden_size"], config["ffn_dim"]
    embedding = config["word_embed_proj_dim"]
    m.normal("decoder.embed_tokens.weight", config["vocab_size"], embedding, std=0.6)
    m.normal("decoder.embed_positions.weight", config["max_position_embeddings"] + 2, width, std=0.3)
    if embedding != width:
        m.linear("decoder.project_in", width, embedding, False)
        m.linear("decoder.project_out", embedding, width, False)
    for layer in range(config["num_hidden_layers"]):
        h = f"decoder.layers.{layer}."
        for name, gain in (("q_proj", SHARP), ("k_proj", SHARP), ("v_proj", 1.0), ("out_proj", 1.0)):
            m.linear(h + "self_attn." + name, width, width, True, gain)
        m.norm(h + "self_attn_layer_norm", width)
        m.linear(h + "fc1", inner, width)
        m.linear(h + "fc2", width, inner)
        m.norm(h + "final_layer_norm", width)
    if config["do_layer_norm_before"]:
        m.norm("decoder.final_layer_norm", width)
    return m


def run_opt(config, w, ids, intervene):
    n_heads, epsilon, before = config["num_attention_heads"], 1e-5, config["do_layer_norm_before"]
    x, maps = w["decoder.embed_tokens.weight"][ids], []
    if "decoder.project_in.weight" in w:
        x = linear(x, w, "decoder.project_in")
    x = x + w["decoder.embed_positions.weight"][2: 2 + len(ids)]
    for layer in range(config["num_hidden_layers"]):
        h = f"decoder.layers.{layer}."
        y = layer_norm(x, w, h + "self_attn_layer_norm", epsilon) if before else x
        c = {name: split_heads(linear(y, w, h + f"self_attn.{name[0]}_proj"), n_heads)
             for name in ("query", "key", "value")}
        intervene(layer, "projection", c)
        attention, y = attend(c, 1 / math.sqrt(config["hidden_size"] // n_heads))
        maps.append(attention)
        x = x + linear(y, w, h + "self_attn.out_proj")
        if not before:
            x = layer_norm(x, w, h + "self_attn_layer_norm", epsilon)
        y = layer_norm(x, w, h + "final_layer_norm", epsilon) if before else x
        x = x + linear(activate("relu", linear(y, w, h + "fc1")), w, h + "fc2")
        if not before:
            x = layer_norm(x, w, h + "final_layer_norm", epsilon)
    if before:
        x = layer_norm(x, w, "decoder.final_layer_norm", epsilon)
    if "decoder.project_out.weight" in w:
        x = linear(x, w, "decoder.project_out")
    return torch.stack(maps), x @ w["decoder.embed_tokens.weight"].T


def make_bloom(config, seed):
    m, width = Maker(seed), config["hidden_size"]
    m.normal("word_embeddings.weight", config["vocab_size"], width, std=0.6)
    m.norm("word_embeddings_layernorm", width)
    for layer in range(config["n_layer"]):
        h = f"h.{layer}."
        m.norm(h + "input_layernorm", width)
        m.norm(h + "post_attention_layernorm", width)
        m.linear(h + "self_attention.query_key_value", 3 * width, width, gain=SHARP)
        m.linear(h + "self_attention.dense", width, width)
        m.linear(h + "mlp.dense_h_to_4h", 4 * width, width)
        m.linear(h + "mlp.dense_4h_to_h", width, 4 * width)
    m.norm("ln_f", width)
    return m


def alibi_slopes(n):
    """As in the code that came with the paper."""
    def of_power(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start ** i for i in range(n)]
    if math.log2(n).is_integer():
        return of_power(n)
    closest = 2 ** math.floor(math.log2(n))
    return of_power(closest) + alibi_slopes(2 * closest)[0::2][: n - closest]


def run_bloom(config, w, ids, intervene):
    n_heads, epsilon = config["n_head"], config["layer_norm_epsilon"]
    d = config["hidden_size"] // n_heads
    bias = torch.tensor(alibi_slopes(n_heads)).double()[:, None, None] * torch.arange(len(ids)).double()[None, None, :]
    x, maps = layer_norm(w["word_embeddings.weight"][ids], w, "word_embeddings_layernorm", epsilon), []
    for layer in range(config["n_layer"]):
        h = f"h.{layer}."
        y = layer_norm(x, w, h + "input_layernorm", epsilon)
        if config.get("apply_residual_connection_post_layernorm"):
            x = y
        y = linear(y, w, h + "self_attention.query_key_value")
        y = y.reshape(len(ids), n_heads, 3, d).permute(2, 1, 0, 3)
        c = {"query": y[0], "key": y[1], "value": y[2]}
        intervene(layer, "projection", c)
        attention, y = attend(c, 1 / math.sqrt(d), bias=bias)
        maps.append(attention)
        x = x + linear(y, w, h + "self_attention.dense")
        y = layer_norm(x, w, h + "post_attention_layernorm", epsilon)
        if config.get("apply_residual_connection_post_layernorm"):
            x = y
        x = x + linear(activate("gelu_new", linear(y, w, h + "mlp.dense_h_to_4h")), w, h + "mlp.dense_4h_to_h")
    return torch.stack(maps), layer_norm(x, w, "ln_f", epsilon) @ w["word_embeddings.weight"].T


# BERT, RoBERTa, DistilBERT: encoders, each norm behind its half of the layer

ENCODERS = {
    "bert": dict(layer="encoder.layer.{}.", query="attention.self.query", key="attention.self.key",
                 value="attention.self.value", output="attention.output.dense", first="attention.output.LayerNorm",
                 up="intermediate.dense", down="output.dense", second="output.LayerNorm",
                 head="cls.predictions.transform.dense", head_norm="cls.predictions.transform.LayerNorm",
                 bias="cls.predictions.bias"),
    "distilbert": dict(layer="transformer.layer.{}.", query="attention.q_lin", key="attention.k_lin",
                       value="attention.v_lin", output="attention.out_lin", first="sa_layer_norm", up="ffn.lin1",
                       down="ffn.lin2", second="output_layer_norm", head="vocab_transform",
                       head_norm="vocab_layer_norm", bias="vocab_projector.bias")}
ENCODERS["roberta"] = dict(ENCODERS["bert"], head="lm_head.dense", head_norm="lm_head.layer_norm", bias="lm_head.bias")


def encoder_sizes(config):
    if config["model_type"] == "distilbert":
        return config["dim"], config["hidden_dim"], config["n_layers"], config["n_heads"]
    return (config["hidden_size"], config["intermediate_size"], config["num_hidden_layers"],
            config["num_attention_heads"])


def make_encoder(config, seed):
    m, names = Maker(seed), ENCODERS[config["model_type"]]
    width, inner, n_layers, _ = encoder_sizes(config)
    m.normal("embeddings.word_embeddings.weight", config["vocab_size"], width, std=0.6)
    m.normal("embeddings.position_embeddings.weight", config["max_position_embeddings"], width, std=0.3)
    if "type_vocab_size" in config:
        m.normal("embeddings.token_type_embeddings.weight", config["type_vocab_size"], width, std=0.3)
    m.norm("embeddings.LayerNorm", width)
    for layer in range(n_layers):
        h = names["layer"].format(layer)
        for name in ("query", "key", "value", "output"):
            m.linear(h + names[name], width, width, gain=SHARP if name in ("query", "key") else 1.0)
        m.norm(h + names["first"], width)
        m.linear(h + names["up"], inner, width)
        m.linear(h + names["down"], width, inner)
        m.norm(h + names["second"], width)
    m.linear(names["head"], width, width)
    m.norm(names["head_norm"], width)
    m.normal(names["bias"], config["vocab_size"])
    return m


def run_encoder(config, w, ids, intervene):
    kind, names = config["model_type"], ENCODERS[config["model_type"]]
    width, _, n_layers, n_heads = encoder_sizes(config)
    epsilon, act = config.get("layer_norm_eps", 1e-12), config.get("hidden_act", config.get("activation", "gelu"))
    positions = torch.arange(len(ids))
    if kind == "roberta":
        padding = config["pad_token_id"]
        counted = (ids != padding).long()
        positions = counted.cumsum(0) * counted + padding
    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][positions]
    if "embeddings.token_type_embeddings.weight" in w:
        x = x + w["embeddings.token_type_embeddings.weight"][0]
    x, maps = layer_norm(x, w, "embeddings.LayerNorm", epsilon), []
    for layer in range(n_layers):
        h = names["layer"].format(layer)
        x = change(intervene, layer, "residual", x)
        c = {name: split_heads(linear(x, w, h + names[name]), n_heads) for name in ("query", "key", "value")}
        intervene(layer, "projection", c)
        attention, y = attend(c, 1 / math.sqrt(width // n_heads), causal=False)
        maps.append(attention)
        x = layer_norm(x + linear(y, w, h + names["output"]), w, h + names["first"], epsilon)
        y = linear(activate(act, linear(x, w, h + names["up"])), w, h + names["down"])
        y = change(intervene, layer, "inner", y)
        x = layer_norm(x + y, w, h + names["second"], epsilon)
    # RobertaLMHead has exact GELU whatever hidden_act: transformers 4.57, modeling_roberta.py
    x = layer_norm(activate("gelu" if kind == "roberta" else act, linear(x, w, names["head"])), w, names["head_norm"], epsilon)
    return torch.stack(maps), x @ w["embeddings.word_embeddings.weight"].T + w[names["bias"]]
