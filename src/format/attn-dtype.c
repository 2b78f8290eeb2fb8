/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-array.h"

#include <string.h>

static const struct
{
  const char *name;
  gsize size;
} dtypes[] = {
  [ATTN_DTYPE_F32] = { "F32", 4 },
  [ATTN_DTYPE_F16] = { "F16", 2 },
  [ATTN_DTYPE_BF16] = { "BF16", 2 },
  [ATTN_DTYPE_F64] = { "F64", 8 },
  [ATTN_DTYPE_I8] = { "I8", 1 },
  [ATTN_DTYPE_I16] = { "I16", 2 },
  [ATTN_DTYPE_I32] = { "I32", 4 },
  [ATTN_DTYPE_I64] = { "I64", 8 },
  [ATTN_DTYPE_U8] = { "U8", 1 },
  [ATTN_DTYPE_U16] = { "U16", 2 },
  [ATTN_DTYPE_U32] = { "U32", 4 },
  [ATTN_DTYPE_U64] = { "U64", 8 },
  [ATTN_DTYPE_BOOL] = { "BOOL", 1 },
  [ATTN_DTYPE_UNICODE] = { "UNICODE", 4 },
};

/**
 * attn_dtype_get_name:
 *
 * Returns: (transfer none): the name as safetensors writes it, such as "BF16"; "UNICODE" for text
 */
const char *
attn_dtype_get_name (AttnDtype dtype)
{
  return dtypes[dtype].name;
}

/**
 * attn_dtype_get_size:
 *
 * Returns: bytes an element; for %ATTN_DTYPE_UNICODE bytes a character, of which an element has as
 *   many as the array's item size holds
 */
gsize
attn_dtype_get_size (AttnDtype dtype)
{
  return dtypes[dtype].size;
}

static inline float
float_from_bits (guint32 bits)
{
  float value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

static inline guint32
bits_from_float (float value)
{
  guint32 bits;

  memcpy (&bits, &value, sizeof bits);
  return bits;
}

/* IEEE 754 binary16 without a branch, so that the compiler can vectorise the loop around it. A
 * normal number, an infinity or a NaN has its exponent moved up by 224 and is scaled down by
 * 2^-112, which sends exponent 31 to 255; a subnormal is placed in the mantissa of 0.5, and 0.5
 * taken off again. Both are exact. */
static inline float
float_from_half (guint16 half)
{
  guint32 magnitude = (guint32) (half & 0x7fff);
  guint32 sign = (guint32) (half & 0x8000) << 16;
  float normal = float_from_bits ((magnitude << 13) + (224u << 23)) * 0x1p-112f;
  float subnormal = float_from_bits (magnitude | (126u << 23)) - 0.5f;
  guint32 is_subnormal = -(guint32) (magnitude < 0x400);
  guint32 bits = (bits_from_float (subnormal) & is_subnormal) |
                 (bits_from_float (normal) & ~is_subnormal);

  return float_from_bits (bits | sign);
}

static inline float
float_from_bfloat (guint16 bfloat)
{
  return float_from_bits ((guint32) bfloat << 16);
}

/* One loop a type. The source may be unaligned, hence memcpy, which costs nothing. */
#define DEFINE_CONVERSION(name, type, expression) \
  static void \
  convert_##name (const guint8 *source, \
                  gsize         n_elements, \
                  float        *restrict out) \
  { \
    for (gsize i = 0; i < n_elements; i++) \
      { \
        type value; \
 \
        memcpy (&value, source + i * sizeof value, sizeof value); \
        out[i] = (expression); \
      } \
  }

DEFINE_CONVERSION (f16, guint16, float_from_half (value))
DEFINE_CONVERSION (bf16, guint16, float_from_bfloat (value))
DEFINE_CONVERSION (f64, double, (float) value)
DEFINE_CONVERSION (i8, gint8, value)
DEFINE_CONVERSION (i16, gint16, value)
DEFINE_CONVERSION (i32, gint32, (float) value)
DEFINE_CONVERSION (i64, gint64, (float) value)
DEFINE_CONVERSION (u8, guint8, value)
DEFINE_CONVERSION (u16, guint16, value)
DEFINE_CONVERSION (u32, guint32, (float) value)
DEFINE_CONVERSION (u64, guint64, (float) value)
DEFINE_CONVERSION (bool, guint8, value != 0)

/**
 * attn_dtype_to_float32:
 * @dtype: any type but %ATTN_DTYPE_UNICODE
 * @source: @n_elements elements in this machine's byte order, aligned or not
 * @n_elements: how many
 * @out: (out caller-allocates) (array length=n_elements): their values
 *
 * F16, BF16, 8- and 16-bit integers and booleans (0 and 1) are exact; F64 and the wider integers
 * are rounded to nearest. NaN and infinities stay what they are. Any thread may call.
 */
void
attn_dtype_to_float32 (AttnDtype    dtype,
                       const void  *source,
                       gsize        n_elements,
                       float       *out)
{
  switch (dtype)
    {
    case ATTN_DTYPE_F32:
      if (n_elements > 0)
        memcpy (out, source, n_elements * sizeof (float));
      break;
    case ATTN_DTYPE_F16:
      convert_f16 (source, n_elements, out);
      break;
    case ATTN_DTYPE_BF16:
      convert_bf16 (source, n_elements, out);
      break;
    case ATTN_DTYPE_F64:
      convert_f64 (source, n_elements, out);
      break;
    case ATTN_DTYPE_I8:
      convert_i8 (source, n_elements, out);
      break;
    case ATTN_DTYPE_I16:
      convert_i16 (source, n_elements, out);
      break;
    case ATTN_DTYPE_I32:
      convert_i32 (source, n_elements, out);
      break;
    case ATTN_DTYPE_I64:
      convert_i64 (source, n_elements, out);
      break;
    case ATTN_DTYPE_U8:
      convert_u8 (source, n_elements, out);
      break;
    case ATTN_DTYPE_U16:
      convert_u16 (source, n_elements, out);
      break;
    case ATTN_DTYPE_U32:
      convert_u32 (source, n_elements, out);
      break;
    case ATTN_DTYPE_U64:
      convert_u64 (source, n_elements, out);
      break;
    case ATTN_DTYPE_BOOL:
      convert_bool (source, n_elements, out);
      break;
    case ATTN_DTYPE_UNICODE:
    default:
      g_return_if_reached ();
    }
}
