# SPDX-License-Identifier: GPL-3.0-or-later

"""Tests of attention_grid share this: their run, and what they are about."""

import json
import os
import sys
import unittest

SKIPPED = 77

ROSE = os.path.join(os.environ["ATTENTION_GRID_DATADIR"], "models", "rose")
TEXT = "A rose is a rose."

try:
    import numpy
except ImportError as missing:
    print(missing)
    sys.exit(SKIPPED)


def read_safetensors(path):
    """The arrays of a file that has float32 and int64 alone."""
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = file.read()
    header.pop("__metadata__", None)
    return {name: numpy.frombuffer(data[slice(*entry["data_offsets"])], {"F32": "<f4", "I64": "<i8"}[entry["dtype"]])
            .reshape(entry["shape"]) for name, entry in header.items()}


class Tensor:
    """A tensor as PyTorch has it: what has a gradient hands out no numbers, bfloat16 is unknown to NumPy."""

    def __init__(self, numbers, has_gradient=False, dtype="torch.float32"):
        self.numbers, self.has_gradient, self.dtype = numpy.asarray(numbers), has_gradient, dtype

    def detach(self):
        return Tensor(self.numbers, False, self.dtype)

    def cpu(self):
        return self

    def float(self):
        return Tensor(self.numbers, self.has_gradient)

    def transpose(self, first, second):
        return Tensor(self.numbers.swapaxes(first, second), self.has_gradient, self.dtype)

    def numpy(self):
        if self.has_gradient:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        if self.dtype == "torch.bfloat16":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self.numbers

    def __array__(self, dtype=None, copy=None):
        return self.numpy() if dtype is None else self.numpy().astype(dtype)

    def __getitem__(self, place):
        return Tensor(self.numbers[place], self.has_gradient, self.dtype)

    def __len__(self):
        return len(self.numbers)

    @property
    def ndim(self):
        return self.numbers.ndim

    def tolist(self):
        return self.numbers.tolist()


def stack(tensors):
    return Tensor(numpy.stack([tensor.numbers for tensor in tensors]), any(tensor.has_gradient for tensor in tensors))


def run():
    sys.argv = sys.argv[:1]
    unittest.main(verbosity=2)
