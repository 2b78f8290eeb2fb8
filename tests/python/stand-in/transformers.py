# SPDX-License-Identifier: GPL-3.0-or-later

"""As much of transformers as attention_grid calls. Its models say what PyTorch computed when the checkpoints of
tests/model were made; `shift` is added to one number of it, named by `shifted`."""

import os
import types

import numpy

from fixture import Tensor, read_safetensors

__version__ = "0"
shifted, shift = None, 0.0


class AutoConfig:
    @staticmethod
    def from_pretrained(place, local_files_only):
        assert local_files_only
        if not os.path.isfile(os.path.join(place, "config.json")):
            raise OSError(f"{place} has no config.json")
        return types.SimpleNamespace()


class AutoTokenizer:
    @staticmethod
    def from_pretrained(place, local_files_only):
        raise OSError("no tokenizer")


class AutoModelForCausalLM:
    @classmethod
    def from_pretrained(cls, place, local_files_only, attn_implementation):
        assert attn_implementation == "eager"
        model = cls()
        model.expected = read_safetensors(os.path.join(place, "expected.safetensors"))
        return model

    def float(self):
        return self

    eval = float

    def __call__(self, input_ids, output_attentions):
        assert output_attentions and input_ids.tolist() == [self.expected["ids"].tolist()]
        found = {name: numpy.array(self.expected["baseline/" + name]) for name in ("weights", "logits")}
        if shifted is not None:
            name, place = shifted
            found[name][place] += shift
        return types.SimpleNamespace(attentions=tuple(Tensor(layer[None]) for layer in found["weights"]),
                                     logits=Tensor(found["logits"][None]))
