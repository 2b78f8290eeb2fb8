#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""make_bells.py: data/sounds/bells.wav, three bells one after the other, each of a few partials that die away."""

import os
import struct

import numpy as np

RATE = 8000
PARTIALS = ((0.5, 0.5, 1.0), (1.0, 1.0, 1.6), (1.2, 0.6, 2.2), (1.5, 0.4, 3.0), (2.0, 0.5, 3.6), (2.67, 0.2, 5.0))


def main():
    t = np.arange(int(2.4 * RATE)) / RATE
    sound = np.zeros_like(t)
    for begin, pitch in ((0.2, 660.0), (0.8, 523.25), (1.4, 440.0)):
        own = np.maximum(t - begin, 0.0)
        for ratio, loudness, fall in PARTIALS:
            sound += (t >= begin) * 0.22 * loudness * np.exp(-2 * fall * own) * np.sin(2 * np.pi * ratio * pitch * own)
    data = np.round(np.clip(sound, -1, 1) * 32767).astype("<i2").tobytes()
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "data", "sounds", "bells.wav")
    with open(path, "wb") as file:
        file.write(b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt "
                   + struct.pack("<IHHIIHH", 16, 1, 1, RATE, 2 * RATE, 2, 16) + b"data" + struct.pack("<I", len(data)) + data)


if __name__ == "__main__":
    main()
