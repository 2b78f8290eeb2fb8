/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Converts 16-bit floats (IEEE 754 binary16) and the 8-bit exponents of OCP Microscaling Formats
 * 1.0 to 32-bit floats, for arrays of such elements and for the scales of blocks. */

#pragma once

#include <glib.h>
#include <string.h>

G_BEGIN_DECLS

static inline float
attn_float_from_bits (guint32 bits)
{
  float value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

static inline guint32
attn_bits_from_float (float value)
{
  guint32 bits;

  memcpy (&bits, &value, sizeof bits);
  return bits;
}

/* Converts a binary16 number exactly, without a branch, so that the compiler can vectorise the loop
 * around it. A normal number, an infinity or a NaN has its exponent moved up by 224 and is scaled
 * down by 2^-112, which sends exponent 31 to 255. A subnormal is placed in the mantissa of 0.5, and
 * 0.5 is subtracted again. */
static inline float
attn_float_from_half (guint16 half)
{
  guint32 magnitude = (guint32) (half & 0x7fff);
  guint32 sign = (guint32) (half & 0x8000) << 16;
  float normal = attn_float_from_bits ((magnitude << 13) + (224u << 23)) * 0x1p-112f;
  float subnormal = attn_float_from_bits (magnitude | (126u << 23)) - 0.5f;
  guint32 is_subnormal = -(guint32) (magnitude < 0x400);
  guint32 bits = (attn_bits_from_float (subnormal) & is_subnormal) |
                 (attn_bits_from_float (normal) & ~is_subnormal);

  return attn_float_from_bits (bits | sign);
}

/* Converts an 8-bit exponent (E8M0): returns 2^(byte - 127), or NaN for 255. */
static inline float
attn_float_from_e8m0 (guint8 byte)
{
  guint32 bits = byte == 0 ? 1u << 22 : byte == 255 ? 0x7fc00000u : (guint32) byte << 23;

  return attn_float_from_bits (bits);
}

G_END_DECLS
