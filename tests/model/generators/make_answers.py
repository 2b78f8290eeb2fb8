#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes answers.json in the folder of the fixtures: how the published code continues a text, greedily.

Here the published code itself runs, transformers' generate (do_sample=False) with its cache, in float32. Needs
transformers and PyTorch; run it in the folder of the fixtures, with the commit of transformers:

    python3 generators/make_answers.py COMMIT

Each answer is a row: the fixture, "prompt", the "ids" behind it, and "gap", the smallest difference between the two
largest logits that a token was chosen from. Of some prompts it is the one with the most different tokens in its
answer, among those without a near tie. Of an encoder and a decoder, which have "is_decoder", the source is "ids" of
expected.safetensors, and the prompt what the decoder begins with. No token ends an answer, and none is barred or
forced. 5.16 ran on PyTorch 1.13, with what that lacks put in its place (names for imports, buffers of modules, how
weights are read); the modules that compute were as published."""

import json
import os
import sys

import torch
import transformers
from transformers import AutoModelForCausalLM, AutoModelForImageTextToText, AutoModelForSeq2SeqLM

from make_effects import read_safetensors

N_ANSWER, N_PROMPTS, N_PROMPT = 32, 6, 7
NEAR_TIE = 1e-3
HEADS = (AutoModelForSeq2SeqLM, AutoModelForCausalLM, AutoModelForImageTextToText)
# Fixtures that transformers computes otherwise: packed ones need packages for their kernels; mpt has no biases there
# and its slopes no alibi_bias_max, unlike llm-foundry's; falcon's eager attention adds its slopes twice, its sdpa
# once; minicpm is code of its own on the hub; whisper cuts its sound into pieces.
LEFT_OUT = ("mpt", "mpt-biased", "falcon-alibi", "minicpm", "whisper", "llama-int8", "gpt_oss-mxfp4",
            "gemma3-both-ways", "t5-encoder", "gemma4-mlx")
# Where the factors of the rotary embedding change, 5.16 forgets its cache and what was in it.
UNCACHED = ("phi3-longrope",)
# Families whose tokens see those that follow, or that have no words.
ENCODERS = ("albert", "bert", "clip", "clip_vision_model", "deit", "dinov2", "dinov2_with_registers", "dinov3_vit",
            "distilbert", "electra", "esm", "modernbert", "roberta", "siglip", "siglip_vision_model", "vit")
# What old checkpoints have and a pass does not use, and what a text does not reach.
UNUSED = (".attn.masked_bias", "vision_tower.", "visual.")


def read_config(name):
    with open(os.path.join(name, "config.json")) as file:
        members = json.load(file)
    kind = members["model_type"]
    if kind in ENCODERS:
        return None
    if "quantization_config" in members or "quantization" in members or os.path.exists(
            os.path.join(name, "hf_quant_config.json")):
        return None
    text = transformers.CONFIG_MAPPING[kind + "_text"] if kind + "_text" in transformers.CONFIG_MAPPING else None
    if text in AutoModelForCausalLM._model_mapping.keys() and "text_config" not in members:
        kind += "_text"
    if kind.startswith("gemma4"):
        members.setdefault("vocab_size_per_layer_input", members.get("vocab_size"))
    if kind == "olmo3":  # 5.x leaves layers with a window the default base, 4.57 the one of the others
        base = members.pop("rope_theta")
        members["rope_parameters"] = {"sliding_attention": {"rope_type": "default", "rope_theta": base},
                                      "full_attention": dict(members.pop("rope_scaling"), rope_theta=base)}
    scaling = members.get("rope_scaling") or {}
    if "original_max_position_embeddings" in members and "original_max_position_embeddings" not in scaling:
        scaling["original_max_position_embeddings"] = members["original_max_position_embeddings"]
    if "type" in scaling:
        scaling["rope_type"] = {"su": "longrope"}.get(scaling["type"], scaling["type"])
    config = transformers.CONFIG_MAPPING[kind].from_dict({k: v for k, v in members.items() if k != "model_type"})
    for part in (config, config.get_text_config()):
        if (getattr(part, "pad_token_id", None) or 0) >= getattr(part, "vocab_size", 1):
            part.pad_token_id = None
    return config


def read_weights(name, config):
    state = {}
    for file in sorted(os.listdir(name)):
        if file.startswith("model") and file.endswith(".safetensors"):
            state.update(read_safetensors(os.path.join(name, file)))
    if config.model_type.endswith("_text"):
        state = {key.replace("language_model.", "", 1).replace("model.model.", "model.", 1): tensor
                 for key, tensor in state.items()}
    if config.is_encoder_decoder and "model.shared.weight" in state:
        for half in ("encoder", "decoder"):
            state.setdefault(f"model.{half}.embed_tokens.weight", state["model.shared.weight"])
    return state


def load(name, config):
    state = read_weights(name, config)
    for head in HEADS:
        if type(config) in head._model_mapping.keys():
            model, info = head._model_mapping[type(config)].from_pretrained(
                None, config=config, state_dict=dict(state), attn_implementation="eager", dtype=torch.float32,
                output_loading_info=True)
            wrong = [key for kind in ("missing_keys", "unexpected_keys") for key in info[kind]
                     if not any(part in key for part in UNUSED)]
            if not wrong:
                return model.eval()
            print(name, head.__name__, sorted(wrong)[:4])
    return None


def count_positions(config):
    keys = ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length")
    counts = [getattr(config.get_text_config(), key, None) for key in keys]
    return next((count for count in counts if isinstance(count, int)), 10 ** 9)


def generate(model, ids, n_new, **rest):
    settings = model.generation_config
    for key in ("eos_token_id", "forced_bos_token_id", "forced_eos_token_id", "suppress_tokens", "bad_words_ids"):
        setattr(settings, key, None)
    settings.pad_token_id = 0
    ids = torch.tensor([ids])
    output = model.generate(ids, attention_mask=torch.ones_like(ids), do_sample=False, num_beams=1,
                            max_new_tokens=n_new, return_dict_in_generate=True, output_logits=True, **rest)
    top = [logits[0].float().topk(2).values for logits in output.logits]
    return output.sequences[0].tolist(), min(float(first - second) for first, second in top)


def make(name):
    config = read_config(name)
    model = config and load(name, config)
    if model is None or not model.can_generate():
        return None
    if config.is_encoder_decoder:
        source = read_safetensors(os.path.join(name, "expected.safetensors"))["ids"].tolist()
    vocabulary, generator = config.get_text_config().vocab_size, torch.Generator().manual_seed(1)
    n_prompt = min(N_PROMPT, count_positions(config) - 1)
    n_new = min(N_ANSWER, count_positions(config) - n_prompt)
    best = None
    for _ in range(N_PROMPTS):
        prompt = torch.randint(3, vocabulary, (n_prompt,), generator=generator).tolist()
        row = {"name": name}
        if config.is_encoder_decoder:
            prompt[0] = config.decoder_start_token_id
            row["is_decoder"] = True
            ids, gap = generate(model, source, n_new, decoder_input_ids=torch.tensor([prompt]))
        else:
            ids, gap = generate(model, prompt, n_new, use_cache=name not in UNCACHED)
        row.update(gap=gap, prompt=prompt, ids=ids[n_prompt:])
        if best is None or (gap > NEAR_TIE, len(set(row["ids"]))) > (best["gap"] > NEAR_TIE, len(set(best["ids"]))):
            best = row
    return best


def main():
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    rows = []
    for name in sorted(os.listdir(".")):
        if not os.path.exists(os.path.join(name, "config.json")) or name in LEFT_OUT:
            continue
        try:
            row = make(name)
        except (AttributeError, ImportError, KeyError, RuntimeError, ValueError) as error:
            print(name, type(error).__name__, str(error).splitlines()[0])
            continue
        if row is not None:
            print(name, len(set(row["ids"])), f"{row['gap']:.1e}", flush=True)
            rows.append(row)
    with open("answers.json", "w") as file:
        version = json.dumps(f"{transformers.__version__} ({sys.argv[1]})")
        body = ",\n".join("    " + json.dumps(dict(row, gap=float(f"{row['gap']:.3g}"))) for row in rows)
        file.write(f'{{\n  "transformers": {version},\n  "answers": [\n{body}\n  ]\n}}\n')


if __name__ == "__main__":
    main()
