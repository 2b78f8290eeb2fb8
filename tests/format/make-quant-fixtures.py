# SPDX-License-Identifier: GPL-3.0-or-later
"""What ggml makes of random blocks: quant-expected.h; and the tables that the format consists of:
../../src/format/array/attn-quant-grids.h. Needs a C compiler and the sources of ggml (d99724f2 was taken).

    /usr/bin/python3 make-quant-fixtures.py GGML
"""

import ctypes
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

N_BLOCKS = 1024
# Elements, bytes, and where the scale in binary16 stands, of a block.
TYPES = {
    "IQ4_XS": (256, 136, 0), "IQ3_XXS": (256, 98, 0), "IQ3_S": (256, 110, 0), "IQ2_XXS": (256, 66, 0),
    "IQ2_XS": (256, 74, 0), "IQ2_S": (256, 82, 0), "IQ1_S": (256, 50, 0), "IQ1_M": (256, 56, 54),
    "TQ1_0": (256, 54, 52), "TQ2_0": (256, 66, 64), "Q1_0": (128, 18, 0), "Q2_0": (64, 18, 0),
    "NVFP4": (64, 36, None),
}
# Name here and there, bytes a point, what the bytes are, and what the comment says of that.
GRIDS = [
    ("iq2_xxs_grid", "iq2xxs_grid", 8, (8, 25, 43), "0, 1 and 2 for 8, 25 and 43"),
    ("iq2_xs_grid", "iq2xs_grid", 8, (8, 25, 43), "the same"),
    ("iq2_s_grid", "iq2s_grid", 8, (8, 25, 43), "the same"),
    ("iq3_xxs_grid", "iq3xxs_grid", 4, (4, 12, 20, 28, 36, 44, 52, 62),
     "0 to 7 for 4, 12, 20, 28, 36, 44, 52 and 62"),
    ("iq3_s_grid", "iq3s_grid", 4, tuple(range(1, 16, 2)), "0 to 7 for 1, 3, 5, 7, 9, 11, 13 and 15"),
    ("iq1_grid", "iq1s_grid", 8, (255, 0, 1), "0, 1 and 2 for -1, 0 and 1"),
]

ggml = pathlib.Path(sys.argv[1])
folder = pathlib.Path(__file__).parent


def make_blocks(n_bytes, scale):
    """Bytes of a linear congruential generator; scales are small and finite."""
    state, data = 20260101, bytearray()
    for _ in range(N_BLOCKS * n_bytes):
        state = (state * 1664525 + 1013904223) % 2**32
        data.append(state >> 24)
    for block in range(0, len(data), n_bytes):
        if scale is None:
            for i in range(4):
                data[block + i] &= 0x77
        else:
            data[block + scale + 1] = 0x20 | data[block + scale + 1] & 0x0F
    return bytes(data)


with tempfile.TemporaryDirectory() as place:
    path = pathlib.Path(place) / "quants.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-I", ggml / "include", "-I", ggml / "src", "-o", path,
                    ggml / "src/ggml-quants.c", "-lm"], check=True)
    library = ctypes.CDLL(str(path), mode=1)
    rows = []
    for name, (n_elements, n_bytes, scale) in TYPES.items():
        values = np.zeros(N_BLOCKS * n_elements, "<f4")
        decode = getattr(library, "dequantize_row_" + name.lower())
        decode.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int64]
        decode(make_blocks(n_bytes, scale), values.ctypes.data, values.size)
        assert np.isfinite(values).all()
        digest = hashlib.sha256((values + np.float32(0)).astype("<f4").tobytes()).hexdigest()
        offset = -1 if scale is None else scale
        rows.append(f'  {{ ATTN_DTYPE_{name}, {offset},\n    "{digest}" }},\n')
(folder / "quant-expected.h").write_text(
    "/* SPDX-License-Identifier: GPL-3.0-or-later */\n\n"
    "/* What ggml makes of the blocks of test-quant.c; by make-quant-fixtures.py. */\n\n#pragma once\n\n"
    "static const struct\n{\n  AttnDtype dtype;\n"
    "  int scale; /* where it stands in a block, -1 for scales of a byte in front */\n"
    "  const char *sha256; /* of the values */\n} expected_hashes[] = {\n" + "".join(rows) + "};\n")

source = (ggml / "src/ggml-common.h").read_text()
out = ["/* SPDX-License-Identifier: GPL-3.0-or-later */\n\n"
       "/* The points that elements of IQ1, IQ2 and IQ3 stand at, several elements a point. The tables are\n"
       " * part of the format. By tests/format/make-quant-fixtures.py. */\n\n#pragma once\n\n"
       "#include <glib.h>\n\n/* clang-format off */\n"]
for name, other, n_elements, levels, meaning in GRIDS:
    body = re.search(r"GGML_TABLE_BEGIN\(\w+, %s, \w+\)(.*?)GGML_TABLE_END" % other, source, re.S).group(1)
    points = [int(word, 16) for word in re.findall(r"0x[0-9a-f]+", body)]
    bits = 16 // n_elements
    words = [sum(levels.index(point >> 8 * i & 255) << bits * i for i in range(n_elements)) for point in points]
    out.append(f"\n/* {n_elements} elements of {bits} bits, the first the lowest: {meaning}. */\n"
               f"static const guint16 {name}[{len(words)}] = {{\n")
    out += ["  " + " ".join(f"0x{word:04x}," for word in words[i:i + 12]) + "\n" for i in range(0, len(words), 12)]
    out.append("};\n")
out.append("/* clang-format on */\n")
(folder / "../../src/format/array/attn-quant-grids.h").write_text("".join(out))
