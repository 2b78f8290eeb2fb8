#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the fixtures of models of texts that see, as make_fixtures.py does those of the others; run it as that.

expected.safetensors holds "pixels"; "ids", the text with as many tokens of the picture as it becomes; "patches", the
tokens of the half for pictures; of each half "HALF:CASE/weights" and "HALF:residual", what enters each layer and leaves
the last; and the logits of the text as "text:CASE/logits", of a change to the half for pictures as
"vision:CASE/logits". several/NAME/expected.safetensors holds the same of the half for texts for a text with two
pictures, "pixels:0" and "pixels:1"."""

import json
import os

import torch

import families
import families_seeing
from make_fixtures import WANTED, intervene, write_safetensors


def make(name, seed, config, text, cases, prefixes, sizes=None, dtype=torch.bfloat16):
    """text: ids, -1 for the picture. cases: by their half. prefixes: of vision, text, projector and head."""
    if WANTED and name not in WANTED:
        return
    stated, config = config, dict({"text_config": dict(config, model_type=config["model_type"] + "_text")}, **config)
    made = families_seeing.make_seeing(config, seed)
    weights = {part: {key: tensor.to(dtype) for key, tensor in made[part].items()} for part in made}
    w = {part: {key: tensor.double() for key, tensor in weights[part].items()} for part in made}
    height, width = sizes or families_seeing.get_sizes(config)
    pixels = torch.randn(3, height, width, generator=torch.Generator().manual_seed(seed))
    expected = {"pixels": pixels}

    def run(case, half):
        """Changes that half alone."""
        def act(own):
            n_layers = families_seeing.count_layers(config, own)
            return lambda layer, site, c: intervene(case if own == half else "baseline", layer, n_layers, c, site)

        rows, vision_maps, vision_residual = families_seeing.see(config, w, pixels.double(), act("vision"))
        ids = torch.tensor([i for token in text for i in ([families_seeing.get_image_token(config)] * len(rows[0] if isinstance(rows, list) else rows) if token < 0 else [token])])
        expected["ids"], expected["patches"] = ids, torch.arange(vision_maps.shape[-1])
        residual = []

        def change(layer, site, c):
            if site in ("residual", "left"):
                residual.append(c[site][0])
            if site != "left":
                act("text")(layer, site, c)
        maps, logits = families_seeing.read(config, w["text"], ids, rows, pixels, change)
        return {"vision": vision_maps, "text": maps}[half], logits, vision_residual if half == "vision" else residual

    for half, own_cases in cases.items():
        for case in ["baseline"] + own_cases:
            maps, logits, residual = run(case, half)
            expected[f"{half}:{case}/weights"] = maps.float()
            expected[f"{half}:{case}/logits"] = logits.float()
            if case == "baseline":
                expected[f"{half}:residual"] = torch.stack(residual).float()
                print(f"{name}, {half}: {maps.shape[-1]} tokens, largest weight of a row: mean "
                      f"{maps[:, :, 2:].max(-1).values.mean():.2f}; logits up to {logits.abs().max():.1f}")
    os.makedirs(name, exist_ok=True)
    with open(os.path.join(name, "config.json"), "w") as file:
        json.dump(stated, file, indent=2)
        file.write("\n")
    stored = {(prefixes["head"] if key.startswith("lm_head") else prefixes[part]) + key: tensor
              for part in weights for key, tensor in weights[part].items()}
    write_safetensors(os.path.join(name, "model.safetensors"), stored)
    write_safetensors(os.path.join(name, "expected.safetensors"), expected)


def make_several(name, seed, config, text, cases, sizes, dtype=torch.bfloat16):
    """The model of make() reads a text with as many pictures as there are sizes. text: ids, -1 for each picture."""
    if WANTED and name not in WANTED:
        return
    config = dict({"text_config": dict(config, model_type=config["model_type"] + "_text")}, **config)
    made = families_seeing.make_seeing(config, seed)
    w = {part: {key: tensor.to(dtype).double() for key, tensor in made[part].items()} for part in made}
    generator = torch.Generator().manual_seed(seed + 1)
    pixels = [torch.randn(3, height, width, generator=generator) for height, width in sizes]
    seen = [families_seeing.see(config, w, picture.double(), lambda layer, site, c: None)[0] for picture in pixels]
    counts = [len(rows[0] if isinstance(rows, list) else rows) for rows in seen]
    if isinstance(seen[0], list):
        rows = [torch.cat(parts) for parts in zip(*seen)]
    else:
        rows = torch.cat(seen)
    pictures, ids = iter(counts), []
    for token in text:
        ids += [families_seeing.get_image_token(config)] * next(pictures) if token < 0 else [token]
    ids = torch.tensor(ids)
    expected = {"ids": ids, **{f"pixels:{i}": picture for i, picture in enumerate(pixels)}}
    for case in ["baseline"] + cases:
        residual = []

        def change(layer, site, c):
            if site in ("residual", "left"):
                residual.append(c[site][0])
            if site != "left":
                intervene(case, layer, families_seeing.count_layers(config, "text"), c, site)
        maps, logits = families_seeing.read(config, w["text"], ids, rows, pixels, change)
        expected[f"text:{case}/weights"], expected[f"text:{case}/logits"] = maps.float(), logits.float()
        if case == "baseline":
            expected["text:residual"] = torch.stack(residual).float()
    os.makedirs(os.path.join("several", name), exist_ok=True)
    write_safetensors(os.path.join("several", name, "expected.safetensors"), expected)


def main():
    few = ["query/mean-feature/0/all/all", "key/scale=0.3/1/1/all", "value/mean-token/0/all/all"]
    rotary = few + ["key/mean-head/0/1,2/3-9", "query/scale=0.3@rotated/1/all/all"]
    sees = dict(hidden_size=20, num_hidden_layers=3, num_attention_heads=4, intermediate_size=28, num_channels=3,
                layer_norm_eps=1e-5, hidden_act="quick_gelu", image_size=12, patch_size=4,
                model_type="clip_vision_model")
    reads = dict(model_type="llama", hidden_size=32, intermediate_size=40, num_hidden_layers=2, num_attention_heads=4,
                 num_key_value_heads=2, vocab_size=31, max_position_embeddings=64, rms_norm_eps=1e-5)
    old = dict(vision="vision_tower.vision_model.", text="language_model.model.", projector="multi_modal_projector.",
               head="language_model.")
    new = dict(vision="model.vision_tower.vision_model.", text="model.language_model.",
               projector="model.multi_modal_projector.", head="")
    llava = dict(model_type="llava", image_token_index=30, projector_hidden_act="gelu", vision_feature_layer=-2,
                 vision_feature_select_strategy="default", tie_word_embeddings=False, vision_config=sees, text_config=reads)
    make("llava", 401, llava, [1, 7, -1, 4, 12, 25, 3], {"text": rotary, "vision": few}, old)
    make_several("llava", 401, llava, [1, -1, 7, 4, -1, 12], rotary, [(12, 12)] * 2)
    # Several layers side by side, the class kept, no biases; the names of newer programs.
    make("llava-layers", 404, dict(llava, vision_feature_layer=[-1, 1], vision_feature_select_strategy="full",
                                   multimodal_projector_bias=False,
                                   text_config=dict(reads, model_type="qwen2")),
         [-1, 4, 12], {"text": few[:2], "vision": few[:1]}, new)
    # Five patches a side are averaged two by two, the fifth left out; a window that the picture is longer than.
    gemma = dict(model_type="gemma3", image_token_index=30, mm_tokens_per_image=4,
                 vision_config=dict(sees, model_type="siglip_vision_model", hidden_act="gelu_pytorch_tanh", layer_norm_eps=1e-6,
                                    num_hidden_layers=2, image_size=20),
                 text_config=dict(reads, model_type="gemma3_text", head_dim=8, sliding_window=3, sliding_window_pattern=2,
                                  query_pre_attn_scalar=8, rope_theta=1e6, rope_local_base_freq=1e4))
    make("gemma3-seeing", 407, gemma, [1, 7, 5, -1, 4, 12, 25], {"text": rotary + ["key/scale=0.3@normed/1/all/all"],
                                                                "vision": few}, old)
    make_several("gemma3-seeing", 407, gemma, [1, 7, -1, 5, -1, 4, 12], rotary, [(20, 20)] * 2)
    # Six rows and eight columns of patches, in windows of two by two groups, which the right and the lower edge cut.
    qwen = dict(model_type="qwen2_5_vl", image_token_id=30, tie_word_embeddings=False,
                vision_config=dict(model_type="qwen2_5_vl", depth=3, hidden_size=24, num_heads=3, intermediate_size=28,
                                   patch_size=2, spatial_merge_size=2, temporal_patch_size=2, in_chans=3, hidden_act="silu",
                                   window_size=8, fullatt_block_indexes=[1], out_hidden_size=32),
                text_config=dict(reads, model_type="qwen2_5_vl_text", rope_theta=1e4,
                                 rope_scaling={"type": "mrope", "mrope_section": [1, 2, 1]}))
    make("qwen2_5_vl", 410, qwen, [1, 7, -1, 4, 12, 25], {"text": rotary, "vision": few + ["query/scale=0.3@rotated/1/all/all"]},
         dict(vision="visual.", text="model.", projector="visual.", head=""), sizes=(12, 16))
    make_several("qwen2_5_vl", 410, qwen, [1, 5, -1, 4, 5, -1, 25, 3], rotary, [(12, 16), (20, 8)])
    # Positions of four by four, between which those of six rows and eight columns lie.
    qwen3 = dict(model_type="qwen3_vl", image_token_id=30, tie_word_embeddings=False,
                 vision_config=dict(model_type="qwen3_vl", depth=3, hidden_size=24, num_heads=3, intermediate_size=28,
                                    patch_size=2, spatial_merge_size=2, temporal_patch_size=2, in_channels=3,
                                    hidden_act="gelu_pytorch_tanh", num_position_embeddings=16,
                                    deepstack_visual_indexes=[0, 2], out_hidden_size=32),
                 text_config=dict(reads, model_type="qwen3_vl_text", num_hidden_layers=3, head_dim=12, rope_theta=1e4,
                                  rope_scaling={"rope_type": "default", "mrope_section": [2, 2, 2], "mrope_interleaved": True}))
    make("qwen3_vl", 416, qwen3, [1, 7, -1, 4, 12, 25], {"text": rotary, "vision": few + ["query/scale=0.3@rotated/1/all/all"]},
         dict(vision="model.visual.", text="model.language_model.", projector="model.visual.", head=""), sizes=(12, 16))
    make_several("qwen3_vl", 416, qwen3, [2, 7, -1, 21, 5, -1, 8, 12], rotary, [(12, 16), (20, 8)])
    flat = dict(qwen["text_config"], **{key: value for key, value in qwen.items() if key != "text_config"})
    make("qwen2_5_vl-flat", 413, flat, [-1, 4, 12], {"text": few[:1], "vision": few[:1]},
         dict(vision="model.visual.", text="model.language_model.", projector="model.visual.", head=""), sizes=(8, 4))


if __name__ == "__main__":
    main()
