#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the pictures of this folder, and what Pillow and the processors of transformers 4.57 make of them.

The steps are written from image_transforms.py (resize, center_crop, get_resize_output_image_size) with Pillow itself as
what resizes. Needs Pillow and NumPy; run it in the folder of the fixtures: python3 generators/make_pictures.py

expected.npz holds PROCESSOR/PICTURE: [height, width, 3], 0 to 255, before rescaling, PROCESSOR/PICTURE/pixels:
[3, height, width] behind all steps, and read/PICTURE: [height, width, 3], JPEGs as they are."""

import json
import math
import os
import random
import struct
import zlib

import numpy as np
from PIL import Image

HALF = dict(image_mean=[0.5, 0.5, 0.5], image_std=[0.5, 0.5, 0.5])
CLIP = dict(image_mean=[0.48145466, 0.4578275, 0.40821073], image_std=[0.26862954, 0.26130258, 0.27577711])
PROCESSORS = {
    "vit": dict(HALF, image_processor_type="ViTImageProcessor", do_resize=True, size=dict(height=14, width=18), resample=2),
    "vit-old": dict(HALF, feature_extractor_type="ViTFeatureExtractor", do_resize=True, size=16, resample=1,
                    do_normalize=False),
    "deit": dict(HALF, image_processor_type="DeiTImageProcessor", do_resize=True, size=dict(height=20, width=20), resample=3,
                 do_center_crop=True, crop_size=dict(height=16, width=16)),
    "dinov2": dict(CLIP, image_processor_type="BitImageProcessor", do_resize=True, size=dict(shortest_edge=18), resample=3,
                   do_center_crop=True, crop_size=dict(height=14, width=14), do_rescale=True, rescale_factor=1 / 255),
    "clip": dict(CLIP, image_processor_type="CLIPImageProcessor", size=15, resample=3, crop_size=21),
    "siglip": dict(HALF, image_processor_type="SiglipImageProcessor", do_resize=True, size=dict(height=60, width=50),
                   resample=3),
    "box": dict(HALF, image_processor_type="ViTImageProcessor", size=dict(height=9, width=11), resample=4),
    "hamming": dict(HALF, image_processor_type="ViTImageProcessor", size=dict(height=9, width=11), resample=5),
    # Both larger and smaller than what is allowed, and in between.
    "qwen2_5_vl": dict(CLIP, image_processor_type="Qwen2VLImageProcessor", patch_size=4, merge_size=2, min_pixels=500,
                       max_pixels=700, resample=3),
    "llava": dict(CLIP, image_processor_type="LlavaImageProcessor", size=dict(shortest_edge=17), resample=3,
                  crop_size=dict(height=17, width=17)),
    "gemma3": dict(HALF, image_processor_type="Gemma3ImageProcessor", size=dict(height=24, width=24), resample=2),
    "nearest": dict(HALF, image_processor_type="ViTImageProcessor", size=dict(height=9, width=11), resample=0),
}


def make_array(height, width, seed, channels=3):
    """Gradients, edges and noise."""
    r = random.Random(seed)
    y, x = np.mgrid[0:height, 0:width]
    planes = []
    for c in range(channels):
        plane = 127 + 90 * np.sin(x / (2.0 + c) + seed) + 60 * np.cos(y / (1.5 + c))
        plane = np.where((x - width / 2) ** 2 + (y - height / 3) ** 2 < (height / 4) ** 2, 255 if c % 2 else 0, plane)
        planes.append(plane + np.array([[r.gauss(0, 12) for _ in range(width)] for _ in range(height)]))
    return np.clip(np.stack(planes, -1), 0, 255).astype(np.uint8)


def write_png16(path, array):
    """Pillow writes no PNG of 16 bits and three channels."""
    height, width, _ = array.shape
    raw = b"".join(b"\0" + row.astype(">u2").tobytes() for row in array)
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 16, 2, 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


def write_inks():
    """The same inks as luminance, chrominance and black, which is one byte of Adobe's marker; and without that marker,
    where Pillow takes them for the same and others do not."""
    with open("cmyk.jpg", "rb") as file:
        data = file.read()
    begin = data.index(b"\xff\xeeAdobe"[:2])
    length = struct.unpack(">H", data[begin + 2:begin + 4])[0] + 2
    assert data[begin + 4:begin + 9] == b"Adobe" and data[begin + length - 1] == 0
    with open("ycck.jpg", "wb") as file:
        file.write(data[:begin + length - 1] + b"\2" + data[begin + length:])
    with open("bare.jpg", "wb") as file:
        file.write(data[:begin] + data[begin + length:])


def make_pictures():
    Image.fromarray(make_array(23, 41, 1)).save("landscape.png")
    Image.fromarray(make_array(44, 19, 2)).save("portrait.png")
    Image.fromarray(make_array(22, 27, 3)[:, :, 0]).save("grey.png")
    Image.fromarray(make_array(22, 27, 4, 4), "RGBA").save("alpha.png")
    Image.fromarray(make_array(22, 27, 5)).quantize(40).save("palette.png")
    Image.fromarray(make_array(22, 27, 6, 4), "CMYK").save("cmyk.jpg", quality=95)
    write_inks()
    write_png16("deep.png", make_array(22, 27, 7).astype(np.uint16) * 257 - 100)
    Image.fromarray(make_array(24, 32, 8)).save("plain.jpg", quality=95, subsampling=0)
    exif = Image.Exif()
    exif[274] = 6
    Image.fromarray(make_array(24, 32, 9)).save("turned.jpg", quality=95, subsampling=0, exif=exif)
    frames = [Image.fromarray(make_array(20, 26, 10 + i)).quantize(60) for i in range(2)]
    frames[0].save("animated.gif", save_all=True, append_images=frames[1:])
    # A header alone, of more pixels than any memory has.
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    with open("huge.png", "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 60000, 60000, 8, 2, 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b""))


def resize_smartly(image, config):
    """smart_resize of image_processing_qwen2_vl.py."""
    (width, height), factor = image.size, config["patch_size"] * config["merge_size"]
    own = [round(side / factor) * factor for side in (height, width)]
    if own[0] * own[1] > config["max_pixels"]:
        beta = math.sqrt(height * width / config["max_pixels"])
        own = [max(factor, math.floor(side / beta / factor) * factor) for side in (height, width)]
    elif own[0] * own[1] < config["min_pixels"]:
        beta = math.sqrt(config["min_pixels"] / (height * width))
        own = [math.ceil(side * beta / factor) * factor for side in (height, width)]
    return np.asarray(image.resize((own[1], own[0]), resample=config["resample"]))


def resize(image, config):
    if "min_pixels" in config:
        return resize_smartly(image, config)
    size, is_shortest = config["size"], config["image_processor_type" if "image_processor_type" in config else
                                               "feature_extractor_type"].startswith(("CLIP", "Bit", "Llava"))
    if isinstance(size, dict) and "height" in size:
        height, width = size["height"], size["width"]
    else:
        edge = size["shortest_edge"] if isinstance(size, dict) else size
        width, height = image.size
        short, long = (width, height) if width <= height else (height, width)
        new_short, new_long = edge, int(edge * long / short)
        height, width = (edge, edge) if not is_shortest else (
            (new_long, new_short) if width <= height else (new_short, new_long))
    return np.asarray(image.resize((width, height), resample=config["resample"]))


def center_crop(array, crop_height, crop_width):
    height, width = array.shape[:2]
    top, left = (height - crop_height) // 2, (width - crop_width) // 2
    bottom, right = top + crop_height, left + crop_width
    if top >= 0 and bottom <= height and left >= 0 and right <= width:
        return array[top:bottom, left:right]
    new_height, new_width = max(crop_height, height), max(crop_width, width)
    padded = np.zeros((new_height, new_width, 3), dtype=array.dtype)
    top_pad, left_pad = math.ceil((new_height - height) / 2), math.ceil((new_width - width) / 2)
    padded[top_pad:top_pad + height, left_pad:left_pad + width] = array
    top, bottom, left, right = top + top_pad, bottom + top_pad, left + left_pad, right + left_pad
    return padded[max(0, top):min(new_height, bottom), max(0, left):min(new_width, right)]


def prepare(image, config):
    array = resize(image.convert("RGB"), config)
    crop = config.get("crop_size")
    if crop is not None:
        array = center_crop(array, *((crop["height"], crop["width"]) if isinstance(crop, dict) else (crop, crop)))
    pixels = array.astype(np.float64) * config.get("rescale_factor", 1 / 255)
    if config.get("do_normalize", True):
        pixels = (pixels - np.array(config["image_mean"])) / np.array(config["image_std"])
    return array, pixels.transpose(2, 0, 1).astype(np.float32)


def main():
    make_pictures()
    expected = {f"read/{name}": np.asarray(Image.open(name).convert("RGB"))
                for name in sorted(os.listdir(".")) if name.endswith(".jpg")}
    for processor, config in PROCESSORS.items():
        os.makedirs(processor, exist_ok=True)
        with open(os.path.join(processor, "preprocessor_config.json"), "w") as file:
            json.dump(config, file, indent=2)
            file.write("\n")
        for name in sorted(os.listdir(".")):
            if name.endswith((".png", ".jpg", ".gif")) and name != "huge.png":
                array, pixels = prepare(Image.open(name), config)
                expected[f"{processor}/{name}"] = array
                if name == "landscape.png":
                    expected[f"{processor}/{name}/pixels"] = pixels
    np.savez_compressed("expected.npz", **expected)


if __name__ == "__main__":
    main()
