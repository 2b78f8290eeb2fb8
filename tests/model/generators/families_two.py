# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference passes of models of two sequences, as families.py has those of the others: an encoder of the source, and a
decoder of the target that also looks at what leaves the encoder.

A pass is a function (config, w, ids, target, intervene) that returns the attention weights by the attention's name,
"encoder" [L, H, S, S], "decoder" [L', H', T, T] and "cross" [L', H', T, S], and the decoder's logits [T, V];
intervene (attention, layer, site, components) acts in one of them. Without a decoder, target is None."""

import math

import torch
import torch.nn.functional as F

from families import SHARP, Maker, activate, join_heads, layer_norm, linear, rms_norm, split_heads

# T5: Raffel et al. 2020, arXiv 1910.10683; transformers 4.57, modeling_t5.py


def make_t5(config, seed, with_decoder=True):
    m, width, inner = Maker(seed), config["d_model"], config["num_heads"] * config["d_kv"]
    m.normal("shared.weight", config["vocab_size"], width, std=0.6)
    stacks = [("encoder", config["num_layers"])]
    if with_decoder:
        stacks.append(("decoder", config.get("num_decoder_layers", config["num_layers"])))
    for stack, n_layers in stacks:
        m.normal(f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
                 config["relative_attention_num_buckets"], config["num_heads"], std=1.0)
        m.norm(f"{stack}.final_layer_norm", width, bias=False)
        for layer in range(n_layers):
            parts = ["SelfAttention", "EncDecAttention"] if stack == "decoder" else ["SelfAttention"]
            for i, part in enumerate(parts):
                h = f"{stack}.block.{layer}.layer.{i}."
                m.norm(h + "layer_norm", width, bias=False)
                # Nothing divides the scores: queries are as small as training leaves them.
                m.linear(h + part + ".q", inner, width, bias=False, gain=SHARP / math.sqrt(config["d_kv"]))
                m.linear(h + part + ".k", inner, width, bias=False, gain=SHARP)
                m.linear(h + part + ".v", inner, width, bias=False)
                m.linear(h + part + ".o", width, inner, bias=False)
            h = f"{stack}.block.{layer}.layer.{len(parts)}."
            m.norm(h + "layer_norm", width, bias=False)
            for name in ("wi_0", "wi_1") if config["feed_forward_proj"].startswith("gated-") else ("wi",):
                m.linear(h + "DenseReluDense." + name, config["d_ff"], width, bias=False)
            m.linear(h + "DenseReluDense.wo", width, config["d_ff"], bias=False)
    if with_decoder and not config.get("tie_word_embeddings", True):
        m.normal("lm_head.weight", config["vocab_size"], width, std=0.3)
    return m


def t5_bias(config, table, n, causal):
    """[H, n, n], a number by the bucket of key - query. T5Attention._relative_position_bucket and compute_bias."""
    rows = []
    for query in range(n):
        row = []
        for key in range(n):
            n_buckets, bucket, distance = config["relative_attention_num_buckets"], 0, query - key
            if causal:
                distance = max(distance, 0)
            else:
                n_buckets //= 2
                bucket, distance = n_buckets if distance < 0 else 0, abs(distance)
            exact = n_buckets // 2
            if distance < exact:
                bucket += distance
            else:
                share = (torch.log(torch.tensor(float(distance)) / exact)
                         / math.log(config.get("relative_attention_max_distance", 128) / exact))
                bucket += min(exact + int((share * (n_buckets - exact)).item()), n_buckets - 1)
            row.append(table[bucket])
        rows.append(torch.stack(row))
    return torch.stack(rows).permute(2, 0, 1)


def attend(scores, value, intervene):
    """intervene (site, components) acts on the scores and on what the heads put out, too."""
    c = {"scores": scores}
    intervene("scores", c)
    weights = torch.softmax(c["scores"], -1)
    c = {"output": weights @ value}
    intervene("output", c)
    return weights, join_heads(c["output"])


def run_t5_attention(w, name, x, source, n_heads, bias, causal, intervene):
    c = {part: split_heads(linear(y, w, f"{name}.{part[0]}"), n_heads)
         for part, y in (("query", x), ("key", source), ("value", source))}
    intervene("projection", c)
    scores = c["query"] @ c["key"].transpose(1, 2)
    if bias is not None:
        scores = scores + bias
    if causal:
        scores = scores.masked_fill(torch.ones(scores.shape[1:], dtype=torch.bool).triu(1), -math.inf)
    weights, output = attend(scores, c["value"], intervene)
    return weights, linear(output, w, name + ".o")


def run_t5_stack(config, w, stack, n_layers, ids, source, intervene):
    """Maps of each attention of the stack, and what leaves its final norm."""
    epsilon, causal = config["layer_norm_epsilon"], source is not None
    x = w["shared.weight"][ids]
    bias = t5_bias(config, w[f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"], len(ids), causal)
    parts = [(stack, "SelfAttention")] + ([("cross", "EncDecAttention")] if source is not None else [])
    maps = {attention: [] for attention, _ in parts}
    for layer in range(n_layers):
        for i, (attention, part) in enumerate(parts):
            h = f"{stack}.block.{layer}.layer.{i}."
            y = rms_norm(x, w[h + "layer_norm.weight"], epsilon)
            is_cross = attention == "cross"
            weights, y = run_t5_attention(w, h + part, y, source if is_cross else y, config["num_heads"],
                                          None if is_cross else bias, causal and not is_cross,
                                          lambda site, c: intervene(attention, layer, site, c))
            maps[attention].append(weights)
            x = x + y
        h = f"{stack}.block.{layer}.layer.{len(parts)}."
        y = rms_norm(x, w[h + "layer_norm.weight"], epsilon)
        h += "DenseReluDense."
        kind, _, name = config["feed_forward_proj"].rpartition("-")
        if kind == "gated":
            y = activate("gelu_new" if name == "gelu" else name, linear(y, w, h + "wi_0")) * linear(y, w, h + "wi_1")
        else:
            y = activate(name, linear(y, w, h + "wi"))
        x = x + linear(y, w, h + "wo")
    return ({attention: torch.stack(m) for attention, m in maps.items()},
            rms_norm(x, w[f"{stack}.final_layer_norm.weight"], epsilon))


def run_t5(config, w, ids, target, intervene):
    maps, source = run_t5_stack(config, w, "encoder", config["num_layers"], ids, None, intervene)
    if target is None:
        return maps, None
    n_layers = config.get("num_decoder_layers", config["num_layers"])
    more, x = run_t5_stack(config, w, "decoder", n_layers, target, source, intervene)
    if config.get("tie_word_embeddings", True):
        return {**maps, **more}, x * config["d_model"] ** -0.5 @ w["shared.weight"].T
    return {**maps, **more}, x @ w["lm_head.weight"].T


# BART and what came of it: Lewis et al. 2019, arXiv 1910.13461; transformers 4.57, modeling_bart.py, _mbart.py, _marian.py,
# _m2m_100.py, _pegasus.py and _whisper.py

IS_PRE_NORM = ("mbart", "m2m_100", "pegasus", "whisper")
HAS_EMBEDDING_NORM = ("bart", "mbart", "plbart")


def bart_sines(kind, n, width):
    """Row by position: MarianSinusoidalPositionalEmbedding._init_weight, and M2M100SinusoidalPositionalEmbedding's
    get_embedding, whose rows begin behind that of the padding."""
    half = width // 2
    if kind == "m2m_100":
        rates = torch.exp(-torch.arange(half).double() * math.log(10000) / (half - 1))
    else:
        rates = 10000.0 ** (-2 * torch.arange(half).double() / width)
    angles = torch.arange(n).double()[:, None] * rates[None, :]
    return torch.cat((angles.sin(), angles.cos()), 1)


def make_bart(config, seed, with_decoder=True):
    m, width, kind = Maker(seed), config["d_model"], config["model_type"]
    shares = config.get("share_encoder_decoder_embeddings", True)
    for stack in ["decoder.embed_tokens"] if kind == "whisper" else ["shared"] if shares else ["encoder.embed_tokens", "decoder.embed_tokens"]:
        m.normal(stack + ".weight", config["vocab_size"], width, std=0.6 / (math.sqrt(width) if config["scale_embedding"] else 1))
    for stack in ("encoder", "decoder"):
        if kind in HAS_EMBEDDING_NORM:
            m.normal(f"{stack}.embed_positions.weight", config["max_position_embeddings"] + 2, width, std=0.3)
        elif kind == "pegasus":
            m.normal(f"{stack}.embed_positions.weight", config["max_position_embeddings"], width, std=0.3)
        elif kind == "whisper":
            # Sines in the published files, for the encoder: read from there, not computed.
            n = config["max_source_positions" if stack == "encoder" else "max_target_positions"]
            m.normal(f"{stack}.embed_positions.weight", n, width, std=0.3)
        if kind in HAS_EMBEDDING_NORM:
            m.norm(f"{stack}.layernorm_embedding", width)
        if kind in IS_PRE_NORM:
            m.norm(f"{stack}.layer_norm", width)
        for layer in range(config[stack + "_layers"]):
            h = f"{stack}.layers.{layer}."
            for part in ["self_attn"] + (["encoder_attn"] if stack == "decoder" else []):
                for name in ("q", "k", "v", "out"):
                    m.linear(f"{h}{part}.{name}_proj", width, width, bias=kind != "whisper" or name != "k", gain=SHARP if name in "qk" else 1.0)
                m.norm(f"{h}{part}_layer_norm", width)
            m.linear(h + "fc1", config[stack + "_ffn_dim"], width)
            m.linear(h + "fc2", width, config[stack + "_ffn_dim"])
            m.norm(h + "final_layer_norm", width)
    if kind == "whisper":
        for name, n_in in (("conv1", config["num_mel_bins"]), ("conv2", width)):
            m.normal(f"encoder.{name}.weight", width, n_in, 3, std=1.0 / math.sqrt(3 * n_in))
            m.normal(f"encoder.{name}.bias", width, std=0.3)
    elif kind != "m2m_100":
        m.normal("final_logits_bias", 1, config["vocab_size"], std=0.3)
    if not config.get("tie_word_embeddings", True):
        m.normal("lm_head.weight", config["vocab_size"], width, std=0.3)
    return m


def bart_embed(config, w, stack, ids):
    kind, width = config["model_type"], config["d_model"]
    if kind == "whisper" and stack == "encoder":
        # Of a sound ids are what is heard, [bins, frames].
        x = F.gelu(F.conv1d(ids[None], w["encoder.conv1.weight"], w["encoder.conv1.bias"], padding=1))
        x = F.gelu(F.conv1d(x, w["encoder.conv2.weight"], w["encoder.conv2.bias"], stride=2, padding=1))
        return x[0].T + w["encoder.embed_positions.weight"]
    scales = config["scale_embedding"] and kind != "whisper"
    shared = "shared.weight" if "shared.weight" in w else f"{stack}.embed_tokens.weight"
    x = w[shared][ids] * (math.sqrt(width) if scales else 1.0)
    if kind == "m2m_100":
        padding = config["pad_token_id"]
        table, counted = bart_sines(kind, padding + len(ids) + 1, width), (ids != padding).long()
        rows = torch.cumsum(counted, 0) * counted + padding
        x = x + table[rows] * counted[:, None]
    elif kind == "marian":
        x = x + bart_sines(kind, len(ids), width)
    else:
        x = x + w[f"{stack}.embed_positions.weight"][torch.arange(len(ids)) + (0 if kind in ("pegasus", "whisper") else 2)]
    return layer_norm(x, w, f"{stack}.layernorm_embedding", 1e-5) if kind in HAS_EMBEDDING_NORM else x


def run_bart_stack(config, w, stack, ids, source, intervene):
    is_pre, n_heads = config["model_type"] in IS_PRE_NORM, config[stack + "_attention_heads"]
    x = bart_embed(config, w, stack, ids)
    n = len(x)
    parts = [(stack, "self_attn")] + ([("cross", "encoder_attn")] if source is not None else [])
    maps = {attention: [] for attention, _ in parts}
    for layer in range(config[stack + "_layers"]):
        h = f"{stack}.layers.{layer}."
        for attention, part in parts:
            y = layer_norm(x, w, f"{h}{part}_layer_norm", 1e-5) if is_pre else x
            keys = source if attention == "cross" else y
            c = {name: split_heads(linear(z, w, f"{h}{part}.{name[0]}_proj"), n_heads)
                 for name, z in (("query", y), ("key", keys), ("value", keys))}
            intervene(attention, layer, "projection", c)
            scores = c["query"] @ c["key"].transpose(1, 2) / math.sqrt(config["d_model"] // n_heads)
            if attention == "decoder":
                scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), -math.inf)
            weights, output = attend(scores, c["value"], lambda site, c: intervene(attention, layer, site, c))
            maps[attention].append(weights)
            x = x + linear(output, w, f"{h}{part}.out_proj")
            x = x if is_pre else layer_norm(x, w, f"{h}{part}_layer_norm", 1e-5)
        y = layer_norm(x, w, h + "final_layer_norm", 1e-5) if is_pre else x
        x = x + linear(activate(config["activation_function"], linear(y, w, h + "fc1")), w, h + "fc2")
        x = x if is_pre else layer_norm(x, w, h + "final_layer_norm", 1e-5)
    return ({attention: torch.stack(m) for attention, m in maps.items()},
            layer_norm(x, w, f"{stack}.layer_norm", 1e-5) if is_pre else x)


def run_bart(config, w, ids, target, intervene):
    maps, source = run_bart_stack(config, w, "encoder", ids, None, intervene)
    more, x = run_bart_stack(config, w, "decoder", target, source, intervene)
    tied = w.get("lm_head.weight", w.get("shared.weight", w.get("decoder.embed_tokens.weight")))
    logits = x @ tied.T
    return {**maps, **more}, logits + w["final_logits_bias"] if "final_logits_bias" in w else logits
