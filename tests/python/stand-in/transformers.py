# SPDX-License-Identifier: GPL-3.0-or-later

"""As much of transformers as attention_grid calls. Its models of text say what PyTorch computed when the checkpoints
of tests/model were made, those of two attentions or of pictures what the program computes; `shift` is added to one
number of it, named by `shifted`."""

import json
import os
import tempfile
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
        with open(os.path.join(place, "config.json"), encoding="utf-8") as file:
            values = json.load(file)
        return types.SimpleNamespace(**{"is_encoder_decoder": values["model_type"] in ("t5", "bart"), **values})


class AutoTokenizer:
    @staticmethod
    def from_pretrained(place, local_files_only):
        raise OSError("no tokenizer")


class AutoModelForCausalLM:
    @classmethod
    def from_pretrained(cls, place, local_files_only, attn_implementation):
        assert attn_implementation == "eager"
        model = cls()
        if AutoConfig.from_pretrained(place, local_files_only).model_type == "vit":
            raise ValueError("Unrecognized configuration class")
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


class _Computed(AutoModelForCausalLM):
    @classmethod
    def from_pretrained(cls, place, local_files_only, attn_implementation):
        model = cls()
        model.config = AutoConfig.from_pretrained(place, local_files_only)
        model.place = place
        if cls.kind != (model.config.is_encoder_decoder, model.config.model_type == "vit"):
            raise ValueError("Unrecognized configuration class")
        return model

    def compute(self, name, **options):
        import attention_grid
        numbers = numpy.array(attention_grid.compute(model=self.place, **options))
        if shifted is not None and name == shifted[0]:
            numbers[shifted[1]] += shift
        return numbers

    def weights(self, name, **options):
        return tuple(Tensor(layer[None]) for layer in self.compute(name, **options))


class AutoModelForSeq2SeqLM(_Computed):
    kind = (True, False)

    def __call__(self, input_ids, decoder_input_ids, output_attentions):
        given = {"ids": input_ids.tolist()[0], "target_ids": decoder_input_ids.tolist()[0]}
        maps = {f"{name}_attentions": self.weights(name, attention=name, **given) for name in ("encoder", "decoder", "cross")}
        logits = self.compute("logits", attention="decoder", what="logits", **given)
        return types.SimpleNamespace(logits=Tensor(logits[None]), **maps)


class AutoModelForImageClassification(_Computed):
    kind, main_input_name = (False, True), "pixel_values"

    def __call__(self, pixel_values, output_attentions):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "pixels.npy")
            numpy.save(path, pixel_values.numpy()[0])
            return types.SimpleNamespace(attentions=self.weights("weights", pixels=path),
                                         logits=Tensor(self.compute("logits", what="logits", pixels=path)[None]))


AutoModelForMaskedLM = AutoModelForImageClassification
