#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""make_sounds.py: WAV files of each kind beside this folder, and in expected.npz what is made of them, by NumPy:
"NAME/mono" as soundfile reads it and averages channels, "NAME/resampled" at 16 kHz, "NAME/features" [bins, frames]
as WhisperFeatureExtractor of transformers 4.57 prepares it (feature_extraction_whisper.py, audio_utils.py), of one second:
the frames up to those of silence, all of whose numbers are the smallest.

The resampler is torchaudio 2's functional.resample with resampling_method="sinc_interp_kaiser", lowpass_filter_width=64,
rolloff=0.9475937167399596 and beta=14.769656459379492 (_get_sinc_resample_kernel, _apply_sinc_resample_kernel)."""

import math
import os
import struct

import numpy as np

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def make_signal(rate, seconds, n_channels, seed):
    """[n, channels]: a glissando, an octave apart in each channel, a click, and some noise."""
    t = np.arange(int(rate * seconds)) / rate
    noise = np.random.default_rng(seed).standard_normal((len(t), n_channels))
    columns = []
    for channel in range(n_channels):
        phase = 2 * np.pi * 200 * 2 ** channel * (t + 3 * t ** 2)
        columns.append(0.5 * np.sin(phase) * np.exp(-2 * t))
    signal = np.stack(columns, 1) + 0.003 * noise
    signal[len(t) // 2] += 0.3
    return signal


def chunk(name, data):
    return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def encode(signal, bits, is_float):
    if is_float:
        return signal.astype("<f4" if bits == 32 else "<f8").tobytes()
    whole = np.clip(np.round(signal * 2 ** (bits - 1)), -2 ** (bits - 1), 2 ** (bits - 1) - 1).astype(np.int64)
    if bits == 8:
        return (whole + 128).astype(np.uint8).tobytes()
    words = whole.astype("<i8").reshape(-1, 1).view(np.uint8).reshape(-1, 8)
    return words[:, :bits // 8].tobytes()


def decode(data, bits, is_float, n_channels):
    """As libsndfile scales it, [n, channels]."""
    if is_float:
        return np.frombuffer(data, "<f4" if bits == 32 else "<f8").astype(np.float64).reshape(-1, n_channels)
    if bits == 8:
        numbers = np.frombuffer(data, np.uint8).astype(np.float64) - 128
    else:
        parts = np.frombuffer(data, np.uint8).reshape(-1, bits // 8).astype(np.int64)
        numbers = sum(parts[:, i] << 8 * i for i in range(bits // 8)).astype(np.float64)
        numbers = np.where(numbers >= 2 ** (bits - 1), numbers - 2 ** bits, numbers)
    return numbers.reshape(-1, n_channels) / 2 ** (bits - 1)


def write(name, rate, seconds, n_channels, bits, is_float=False, extensible=False, more=b"", unknown=False, seed=0):
    data = encode(make_signal(rate, seconds, n_channels, seed), bits, is_float)
    tag, size = 3 if is_float else 1, n_channels * bits // 8
    form = struct.pack("<HHIIHH", 0xfffe if extensible else tag, n_channels, rate, rate * size, size, bits)
    if extensible:
        form += struct.pack("<HHIH", 22, bits, 0, tag) + bytes.fromhex("000000001000800000aa00389b71")
    body = b"WAVE" + chunk(b"fmt ", form) + more
    body += b"data" + struct.pack("<I", 0xffffffff) + data if unknown else chunk(b"data", data)
    with open(os.path.join(HERE, name + ".wav"), "wb") as file:
        file.write(b"RIFF" + struct.pack("<I", 0xffffffff if unknown else len(body)) + body)
    return decode(data, bits, is_float, n_channels).mean(1).astype(np.float32)


def resample(waveform, orig_freq, new_freq, lowpass_filter_width=64, rolloff=0.9475937167399596, beta=14.769656459379492):
    gcd = math.gcd(orig_freq, new_freq)
    orig_freq, new_freq = orig_freq // gcd, new_freq // gcd
    if orig_freq == new_freq:
        return waveform
    base_freq = min(orig_freq, new_freq) * rolloff
    width = math.ceil(lowpass_filter_width * orig_freq / base_freq)
    idx = np.arange(-width, width + orig_freq)[None] / orig_freq
    t = np.arange(0, -new_freq, -1)[:, None] / new_freq + idx
    t = np.clip(t * base_freq, -lowpass_filter_width, lowpass_filter_width)
    window = np.i0(beta * np.sqrt(1 - (t / lowpass_filter_width) ** 2)) / np.i0(beta)
    kernels = np.sinc(t) * window * base_freq / orig_freq
    length = len(waveform)
    padded = np.pad(waveform.astype(np.float64), (width, width + orig_freq))
    n_steps = (len(padded) - kernels.shape[1]) // orig_freq + 1
    out = np.stack([kernels @ padded[i * orig_freq:i * orig_freq + kernels.shape[1]] for i in range(n_steps)])
    return out.reshape(-1)[:math.ceil(new_freq * length / orig_freq)].astype(np.float32)


def hertz_to_mel(freq):
    return np.where(freq >= 1000, 15 + np.log(np.maximum(freq, 1000) / 1000) * 27 / np.log(6.4), 3 * freq / 200)


def mel_to_hertz(mels):
    return np.where(mels >= 15, 1000 * np.exp(np.log(6.4) / 27 * (mels - 15)), 200 * mels / 3)


def mel_filter_bank(n_bins, n_mels, sampling_rate):
    """norm="slaney", mel_scale="slaney", from 0 to 8000 Hz: [bins, mels]."""
    mel_freqs = np.linspace(hertz_to_mel(np.array(0.0)), hertz_to_mel(np.array(8000.0)), n_mels + 2)
    filter_freqs = mel_to_hertz(mel_freqs)
    fft_freqs = np.linspace(0, sampling_rate // 2, n_bins)
    diff = np.diff(filter_freqs)
    slopes = filter_freqs[None] - fft_freqs[:, None]
    filters = np.maximum(0, np.minimum(-slopes[:, :-2] / diff[:-1], slopes[:, 2:] / diff[1:]))
    return filters * 2.0 / (filter_freqs[2:n_mels + 2] - filter_freqs[:n_mels])


def extract(waveform, feature_size, n_samples, n_fft=400, hop=160, sampling_rate=16000):
    """WhisperFeatureExtractor._np_extract_fbank_features of what is padded or cut to n_samples."""
    waveform = np.pad(waveform[:n_samples], (0, max(n_samples - len(waveform), 0)))
    window = np.hanning(n_fft + 1)[:-1]
    padded = np.pad(waveform.astype(np.float64), n_fft // 2, mode="reflect")
    frames = np.stack([padded[i:i + n_fft] for i in range(0, len(padded) - n_fft + 1, hop)])
    spectrogram = np.fft.rfft(frames * window).T.astype(np.complex64)
    power = np.abs(spectrogram.astype(np.complex128)) ** 2
    mel = np.maximum(1e-10, mel_filter_bank(1 + n_fft // 2, feature_size, sampling_rate).T @ power)
    log_spec = np.log10(mel)[:, :-1]
    log_spec = np.maximum(log_spec, log_spec.max() - 8.0)
    return ((log_spec + 4.0) / 4.0).astype(np.float32)


def main():
    junk = chunk(b"LIST", b"INFOISFT\5\0\0\0made\0")
    sounds = {
        "byte-8000": dict(rate=8000, seconds=0.31, n_channels=1, bits=8),
        "short-16000": dict(rate=16000, seconds=0.25, n_channels=1, bits=16, more=junk),
        "packed-44100": dict(rate=44100, seconds=0.12, n_channels=2, bits=24),
        "word-48000": dict(rate=48000, seconds=0.1, n_channels=2, bits=32),
        "float-22050": dict(rate=22050, seconds=0.15, n_channels=1, bits=32, is_float=True),
        "double-11025": dict(rate=11025, seconds=0.1, n_channels=2, bits=64, is_float=True),
        "extensible-32000": dict(rate=32000, seconds=0.1, n_channels=3, bits=24, extensible=True),
        "streamed-12000": dict(rate=12000, seconds=0.2, n_channels=1, bits=16, unknown=True),
        "long-8000": dict(rate=8000, seconds=1.05, n_channels=1, bits=8),
    }
    expected = {}
    for seed, (name, options) in enumerate(sounds.items()):
        mono = write(name, seed=seed, **options)
        resampled = resample(mono, options["rate"], 16000)
        expected[name + "/mono"] = mono
        expected[name + "/resampled"] = resampled
        features = extract(resampled, 128 if name == "short-16000" else 80, 16000)
        n_heard = min(len(resampled) // 160 + 3, features.shape[1])
        assert np.all(features[:, n_heard:] == features.min())
        expected[name + "/features"] = features[:, :n_heard]
        print(name, mono.shape, resampled.shape, features.shape, n_heard, features.min(), features.max())
    np.savez_compressed(os.path.join(HERE, "expected.npz"), **expected)


if __name__ == "__main__":
    main()
