# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes fixtures/ with NumPy itself; the values are repeated in test-numpy.c.

    /usr/bin/python3 make-fixtures.py
"""

import pathlib

import numpy as np

folder = pathlib.Path(__file__).parent / "fixtures"
folder.mkdir(exist_ok=True)

# value[i, j, k] = 12 i + 4 j + k - 5
values = np.arange(24).reshape(2, 3, 4) - 5
for code in ("f2", "f4", "f8", "i1", "i2", "i4", "i8"):
    for order, order_name in (("<", "little"), (">", "big")):
        if code == "i1" and order == ">":
            continue
        array = values.astype(order + code)
        np.save(folder / f"{code}-{order_name}-c.npy", array)
        np.save(folder / f"{code}-{order_name}-fortran.npy", np.asfortranarray(array))
for code in ("u1", "u2", "u4", "u8"):
    np.save(folder / f"{code}-big-fortran.npy", np.asfortranarray((values + 5).astype(">" + code)))
np.save(folder / "bool.npy", values % 3 == 0)
np.save(folder / "scalar.npy", np.float32(2.5))
np.save(folder / "empty.npy", np.zeros((0, 3), "f4"))
np.save(folder / "labels-big.npy", np.array([["<s>", "é"], ["日本", "😀 x"]], dtype=">U4"))
np.save(folder / "labels-fortran.npy", np.asfortranarray([["a", "b"], ["c", "d"]]))
np.save(folder / "structured.npy", np.zeros(2, dtype=[("x", "f4"), ("y", "i2")]))
np.save(folder / "object.npy", np.array([{}, None]), allow_pickle=True)
np.save(folder / "complex.npy", np.zeros(2, "c8"))
np.save(folder / "date.npy", np.zeros(2, "M8[s]"))
for version in ((1, 0), (2, 0), (3, 0)):
    with open(folder / f"version-{version[0]}.npy", "wb") as file:
        np.lib.format.write_array(file, values.astype("<f4"), version)

members = {"attention": values.astype("f4"), "ärger": values.astype(">f8"), "row_labels": np.array(["It", "é"]),
           "model": np.array("rose")}
np.savez(folder / "stored.npz", **members)
np.savez_compressed(folder / "deflated.npz", **members)
