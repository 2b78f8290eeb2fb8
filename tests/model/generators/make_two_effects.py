#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes effects.safetensors beside the checkpoints of two sequences that make_fixtures.py made: what operations in each
attention, patches from another source or target and cuts among them, do to the decoder's prediction, and what the decoder
answers, in float64 by PyTorch and by the formulas of families_two.py.

Usage: make_two_effects.py TESTS/model [NAME...]

For each ATTENTION:CASE "logits" [T, V], of what make_effects.py calls by the same names "kl" [T] and "loss" [2, T], and
"answer": the tokens that are most probable one by one, behind the start token and as many as the positions allow, which is
a whole pass a token. "ids" and "target", "other_ids" and "other_target" are what patches are between; of sounds
ids are the numbers of what is heard, "features" and "other_features"."""

import json
import math
import os
import sys

import torch

import families_two
from make_effects import Run, effects_of, read_safetensors
from make_fixtures import in_set, write_safetensors

ATTENTIONS = ("encoder", "decoder", "cross")
CASES = ("baseline", "query/mean-feature/0/all/all", "key/scale=0.3/1/1/all", "value/zero/0/all/all", "output/zero/1/2/all",
         "key/patch/1/all/all", "value/patch/all/all/all", "output/patch:2=1,4=3/0/1/all", "scores/cut=0/1/all/all",
         "scores/cut=1/all/0/2-4")
# Those of the answers: a mean over heads and one over features, a factor, nothing, and a cut.
ANSWERS = ("baseline", "query/scale=0.25/all/all/all", "key/mean-head/all/all/all", "value/mean-feature/all/0/all",
           "output/zero/1/all/all", "scores/cut=0/all/all/all")
N_ANSWER = 32
N_SOURCE, N_TARGET = 11, 9


class TwoRun(Run):
    """As Run, of one of several attentions."""

    def __init__(self, case, attention, n_layers, other=None):
        super().__init__(case, n_layers, other)
        self.attention = attention

    def __call__(self, attention, layer, site, components):
        if attention != self.attention:
            return
        if site != "scores":
            self.change(layer, site, components)
            return
        scores = components["scores"]
        for component, operation, layers, heads, tokens in self.cases:
            if component == "scores" and in_set(layers, self.n_layers)[layer]:
                hidden = (in_set(heads, scores.shape[0])[:, None, None] & in_set(tokens, scores.shape[1])[None, :, None]
                          & in_set(operation[len("cut="):], scores.shape[2])[None, None, :])
                # A row keeps at least one key.
                hidden &= ~(hidden | torch.isinf(scores)).all(-1, keepdim=True)
                scores = scores.masked_fill(hidden, -math.inf)
        components["scores"] = scores


def make(folder):
    with open(os.path.join(folder, "config.json")) as file:
        config = json.load(file)
    prefix = "" if config["model_type"] == "t5" else "model."
    run_model = families_two.run_t5 if config["model_type"] == "t5" else families_two.run_bart
    w = {name.removeprefix(prefix): tensor.double()
         for name, tensor in read_safetensors(os.path.join(folder, "model.safetensors")).items()}
    # Of a sound so that no two logits of an answer are nearly equal.
    generator = torch.Generator().manual_seed(11 if "num_mel_bins" in config else 7)
    ids, other_ids = (torch.randint(3, config["vocab_size"], (N_SOURCE,), generator=generator) for _ in range(2))
    target, other_target = (torch.randint(3, config["vocab_size"], (N_TARGET,), generator=generator) for _ in range(2))
    start = config["decoder_start_token_id"]
    end = config.get("max_position_embeddings", config.get("max_target_positions", N_ANSWER + 1))
    target[0] = other_target[0] = start
    source, other_source, heard = ids, other_ids, {}
    if "num_mel_bins" in config:
        n_source = config["max_source_positions"]
        heard = {name: torch.randn(config["num_mel_bins"], 2 * n_source, generator=generator) for name in ("features", "other_features")}
        source, other_source = (features.double() for features in heard.values())
        ids = other_ids = torch.arange(n_source)
    expected = {"ids": ids, "target": target, "other_ids": other_ids.clone(), "other_target": other_target} | heard

    def compute(attention, case, read, said, other=None):
        n_layers = config.get("num_decoder_layers", config.get("decoder_layers")) if attention != "encoder" else config.get(
            "num_layers", config.get("encoder_layers"))
        run = TwoRun(case, attention, n_layers, other)
        return run, run_model(config, w, read, said, run)[1]

    for attention in ATTENTIONS:
        others = (source if attention == "decoder" else other_source, other_target)
        other, _ = compute(attention, "baseline", *others)
        before = compute(attention, "baseline", source, target)[1]
        for case in CASES:
            after = compute(attention, case, source, target, other)[1]
            effect = effects_of(before, after, target, 1)
            label = f"{attention}:{case}/"
            expected[label + "logits"] = after.float()
            expected[label + "kl"], expected[label + "loss"] = effect["kl"].float(), effect["loss"].float()
        for case in ANSWERS:
            said = torch.tensor([start])
            while len(said) < min(N_ANSWER, end - 1) + 1:
                row = compute(attention, case, source, said)[1][-1]
                best = row.topk(2)
                if best.values[0] - best.values[1] < 2e-3:
                    print(f"{folder}, {attention}, {case}: two logits within 2e-3 at {len(said)}")
                said = torch.cat((said, best.indices[:1]))
            expected[f"{attention}:{case}/answer"] = said
    write_safetensors(os.path.join(folder, "effects.safetensors"), expected)


def main():
    for name in sys.argv[2:] or ("t5", "t5-gated", "bart", "plbart", "mbart", "marian", "m2m_100", "pegasus", "whisper"):
        make(os.path.join(sys.argv[1], name))


if __name__ == "__main__":
    main()
