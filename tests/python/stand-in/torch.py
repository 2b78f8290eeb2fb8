# SPDX-License-Identifier: GPL-3.0-or-later

"""As much of PyTorch as attention_grid and the lines of the README call."""

import contextlib

from fixture import Tensor, stack

__all__ = ["from_numpy", "no_grad", "stack", "tensor"]

no_grad = contextlib.nullcontext
tensor = from_numpy = Tensor
