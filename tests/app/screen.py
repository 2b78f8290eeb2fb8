# SPDX-License-Identifier: GPL-3.0-or-later

"""What windows show, asked of the X server by its own library: a program that is started for each picture takes
20 times as long."""

import ctypes
import functools

X11 = ctypes.CDLL("libX11.so.6")
ALL_PLANES = ctypes.c_ulong(-1)
Z_PIXMAP = 2


class Image(ctypes.Structure):
    """The beginning of an XImage."""
    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int), ("xoffset", ctypes.c_int), ("format", ctypes.c_int),
                ("data", ctypes.c_void_p), ("byte_order", ctypes.c_int), ("bitmap_unit", ctypes.c_int),
                ("bitmap_bit_order", ctypes.c_int), ("bitmap_pad", ctypes.c_int), ("depth", ctypes.c_int),
                ("bytes_per_line", ctypes.c_int), ("bits_per_pixel", ctypes.c_int)]


ErrorHandler = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
X11.XOpenDisplay.restype = ctypes.c_void_p
X11.XGetImage.restype = ctypes.POINTER(Image)
# What is asked of a window that has just gone fails, and does not end the test.
pass_over = ErrorHandler(lambda display, error: 0)
X11.XSetErrorHandler(pass_over)


@functools.cache
def connect():
    display = X11.XOpenDisplay(None)
    assert display, "the display cannot be opened"
    return ctypes.c_void_p(display)


def read_picture(window):
    """What a window shows, all of which is on the screen, as rows of 3 bytes a pixel: red, green, blue."""
    window = ctypes.c_ulong(int(window))
    root, x, y = ctypes.c_ulong(), ctypes.c_int(), ctypes.c_int()
    width, height, border, depth = (ctypes.c_uint() for _ in range(4))
    found = X11.XGetGeometry(connect(), window, *map(ctypes.byref, (root, x, y, width, height, border, depth)))
    image = X11.XGetImage(connect(), window, 0, 0, width, height, ALL_PLANES, Z_PIXMAP) if found else None
    assert image, "the window has no picture"
    try:
        # As Xvfb has them: blue, green, red and a byte that means nothing.
        assert image[0].bits_per_pixel == 32 and image[0].byte_order == 0
        pixels = ctypes.string_at(image[0].data, image[0].bytes_per_line * image[0].height)
    finally:
        X11.XDestroyImage(image)
    colors = bytearray(len(pixels) // 4 * 3)
    for i in range(3):
        colors[i::3] = pixels[2 - i::4]
    stride = 3 * width.value
    return [bytes(colors[at:at + stride]) for at in range(0, len(colors), stride)]
