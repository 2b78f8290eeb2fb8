# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes fixtures/*.pt with PyTorch itself (1.13); the values are repeated in test-torch.c.

    /usr/bin/python3 make-torch-fixtures.py
"""

import collections
import pathlib
import zipfile

import numpy as np
import torch

folder = pathlib.Path(__file__).parent / "fixtures"

# value[i, j] = 6 i + j - 5
base = torch.arange(24, dtype=torch.float32).reshape(4, 6) - 5
tagged = torch.nn.Parameter(base.clone())
tagged.purpose = "a parameter with an attribute"
state = collections.OrderedDict(
    plain=base, tied=base, transposed=base.t(), rows=base[1:3], columns=base[:, 1::2], column=base[:, 2],
    expanded=base[1:2].expand(3, 6), one_row=base[:1].t().t(), parameter=torch.nn.Parameter(base.clone()), tagged=tagged,
    scalar=torch.tensor(2.5), empty=torch.zeros(0, 3), odd=base.bool())
state._metadata = {"": {"version": 1}}
for dtype in ("float16", "bfloat16", "float64", "int64", "int32", "int16", "int8"):
    state[dtype] = base.to(getattr(torch, dtype))
state["uint8"] = (base + 5).to(torch.uint8)

torch.save(state, folder / "state.pt")
torch.save(state, folder / "state-4.pt", pickle_protocol=4)
torch.save(state, folder / "state-old.pt", _use_new_zipfile_serialization=False)
torch.save(state, folder / "state-old-4.pt", _use_new_zipfile_serialization=False, pickle_protocol=4)

# What a training of one's own leaves: the optimizer, which comes first, has tensors of the same shapes.
model = torch.nn.Linear(6, 4)
optimizer = torch.optim.AdamW(model.parameters())
model(torch.ones(1, 6)).sum().backward()
optimizer.step()
training = {
    "optimizer": optimizer.state_dict(),
    "rng": (torch.get_rng_state(), np.random.RandomState(1).get_state(), np.float64(0.5)),
    "others": {1, 2, (2 ** 70, float("inf"), -(2 ** 70), 2 ** 31, -1, -70000), b"bytes", frozenset("a"), None, True},
    "shape": base.shape, "dtype": torch.bfloat16, "device": torch.device("cuda:1"), "array": np.arange(3),
    "model": {"_orig_mod.module.a.weight": base, "_orig_mod.module.b._orig_mod.weight": base.t(), "_extra_state": None},
    "model_args": {"n_layer": 2, "bias": False, "dropout": 0.0},
    "best_val_loss": torch.tensor(1.5),
}
torch.save(training, folder / "training.pt")
torch.save(training, folder / "training-old.pt", _use_new_zipfile_serialization=False, pickle_protocol=3)

# Another program's archive of the same: any folder, any order, nothing aligned, big-endian numbers.
with zipfile.ZipFile(folder / "state.pt") as source, zipfile.ZipFile(folder / "other.pt", "w") as out:
    for info in sorted(source.infolist(), key=lambda info: info.filename, reverse=True):
        name = "another folder/" + info.filename.split("/", 1)[1]
        data = source.read(info)
        out.writestr(zipfile.ZipInfo(name), data)
big = {"plain": base.numpy().astype(">f4").tobytes()}
torch.save({"plain": base.clone()}, folder / "big.pt")
with zipfile.ZipFile(folder / "big.pt") as source:
    members = {info.filename: source.read(info) for info in source.infolist()}
with zipfile.ZipFile(folder / "big.pt", "w") as out:
    for name, data in members.items():
        out.writestr(zipfile.ZipInfo(name), big["plain"] if name.endswith("data/0") else data)
    out.writestr(zipfile.ZipInfo("big/byteorder"), "big")
with zipfile.ZipFile(folder / "compressed.pt", "w", zipfile.ZIP_DEFLATED) as out:
    for name, data in members.items():
        out.writestr(name, data, zipfile.ZIP_DEFLATED)

# A whole model, which is code, and a file that holds no dictionary.
torch.save(model, folder / "module.pt")
torch.save([base, base], folder / "list.pt")
