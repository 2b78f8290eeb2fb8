/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-array.h"

#include <math.h>
#include <string.h>

#include "attn-clones.h"
#include "attn-half.h"
#include "attn-quant.h"

static inline float
float_from_bfloat (guint16 bfloat)
{
  return attn_float_from_bits ((guint32) bfloat << 16);
}

/* Converts an E4M3 number of the OCP 8-bit Floating Point Specification 1.0: exponents from -6 to
 * 8, no infinity, one NaN for each sign. */
static inline float
float_from_e4m3 (guint8 byte)
{
  guint32 magnitude = byte & 0x7f;
  guint32 sign = (guint32) (byte & 0x80) << 24;
  float value = attn_float_from_bits (magnitude << 20) * 0x1p120f;

  return magnitude == 0x7f ? NAN : attn_float_from_bits (attn_bits_from_float (value) | sign);
}

static void
copy_f32 (const guint8     *source,
          gsize             n_blocks,
          float * restrict  out)
{
  if (n_blocks > 0)
    memcpy (out, source, n_blocks * sizeof (float));
}

/* Defines the conversion of one element type to floats. The source need not be aligned, hence
 * memcpy(), which compilers optimize away. */
#define DEFINE_CONVERSION(name, type, expression)                             \
  ATTN_CLONES (static, void, convert_##name,                                \
               (const guint8 *source, gsize n_blocks, float *restrict out), \
               (source, n_blocks, out)) \
  {                                                                           \
    for (gsize i = 0; i < n_blocks; i++)                                      \
      {                                                                       \
        type value;                                                           \
                                                                              \
        memcpy (&value, source + i * sizeof value, sizeof value);             \
        out[i] = (expression);                                                \
      }                                                                       \
  }

DEFINE_CONVERSION (f16, guint16, attn_float_from_half (value))
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
DEFINE_CONVERSION (f8_e4m3, guint8, float_from_e4m3 (value))
DEFINE_CONVERSION (f8_e5m2, guint8, attn_float_from_half ((guint16) (value << 8)))
DEFINE_CONVERSION (f8_e8m0, guint8, attn_float_from_e8m0 (value))

#define BLOCK_TYPE(NAME, name, n_block_elements, n_block_bytes) \
  [ATTN_DTYPE_##NAME] = { #NAME, n_block_bytes, n_block_elements, attn_quant_decode_##name },

/* The element types. A type that is no block type has blocks of one element. */
static const struct
{
  const char *name;
  gsize n_bytes;    /* of a block */
  gsize n_elements; /* of a block */
  void (*to_float32) (const guint8 *source,
                      gsize n_blocks,
                      float * restrict out);
} dtypes[] = {
  [ATTN_DTYPE_F32] = { "F32", 4, 1, copy_f32 },
  [ATTN_DTYPE_F16] = { "F16", 2, 1, convert_f16 },
  [ATTN_DTYPE_BF16] = { "BF16", 2, 1, convert_bf16 },
  [ATTN_DTYPE_F64] = { "F64", 8, 1, convert_f64 },
  [ATTN_DTYPE_I8] = { "I8", 1, 1, convert_i8 },
  [ATTN_DTYPE_I16] = { "I16", 2, 1, convert_i16 },
  [ATTN_DTYPE_I32] = { "I32", 4, 1, convert_i32 },
  [ATTN_DTYPE_I64] = { "I64", 8, 1, convert_i64 },
  [ATTN_DTYPE_U8] = { "U8", 1, 1, convert_u8 },
  [ATTN_DTYPE_U16] = { "U16", 2, 1, convert_u16 },
  [ATTN_DTYPE_U32] = { "U32", 4, 1, convert_u32 },
  [ATTN_DTYPE_U64] = { "U64", 8, 1, convert_u64 },
  [ATTN_DTYPE_BOOL] = { "BOOL", 1, 1, convert_bool },
  [ATTN_DTYPE_F8_E4M3] = { "F8_E4M3", 1, 1, convert_f8_e4m3 },
  [ATTN_DTYPE_F8_E5M2] = { "F8_E5M2", 1, 1, convert_f8_e5m2 },
  [ATTN_DTYPE_F8_E8M0] = { "F8_E8M0", 1, 1, convert_f8_e8m0 },
  [ATTN_DTYPE_UNICODE] = { "UNICODE", 4, 1, NULL },
  ATTN_QUANT_TYPES (BLOCK_TYPE)
};

/**
 * attn_dtype_get_name:
 *
 * Returns: (transfer none): the name of the type for messages: as in safetensors files, such as
 *   "BF16"; for a block type as in llama.cpp, such as "Q4_K"; "UNICODE" for text
 */
const char *
attn_dtype_get_name (AttnDtype dtype)
{
  return dtypes[dtype].name;
}

/**
 * attn_dtype_get_size:
 *
 * Returns: the bytes of an element; for %ATTN_DTYPE_UNICODE those of a character, of which an
 *   element has several; 0 for a block type, for which [func@attn_dtype_get_block] gives the size
 */
gsize
attn_dtype_get_size (AttnDtype dtype)
{
  return dtypes[dtype].n_elements == 1 ? dtypes[dtype].n_bytes : 0;
}

/**
 * attn_dtype_get_block:
 * @n_elements: (out): the elements of a block; 1 for a type that is no block type
 * @n_bytes: (out): the bytes of a block
 *
 * Gives the size of a block, the smallest unit that can be decoded: n elements take n / @n_elements
 * * @n_bytes bytes.
 */
void
attn_dtype_get_block (AttnDtype  dtype,
                      gsize     *n_elements,
                      gsize     *n_bytes)
{
  *n_elements = dtypes[dtype].n_elements;
  *n_bytes = dtypes[dtype].n_bytes;
}

/**
 * attn_dtype_is_block:
 *
 * Returns: whether this is a block type, whose elements share a scale and cannot be read one by one
 */
gboolean
attn_dtype_is_block (AttnDtype dtype)
{
  return dtypes[dtype].n_elements > 1;
}

/**
 * attn_dtype_to_float32:
 * @dtype: any type except %ATTN_DTYPE_UNICODE
 * @source: @n_elements elements in this machine's byte order, aligned or not; blocks are
 *   little-endian
 * @n_elements: how many elements; for a block type a multiple of the block
 * @out: (out caller-allocates) (array length=n_elements): the values of the elements
 *
 * Converts elements to floats. F16, BF16, 8- and 16-bit integers and booleans (0 and 1) are
 * converted exactly; F64 and wider integers are rounded to the nearest float, and so are block
 * types that add an offset. NaN and infinities are kept. Any thread may call.
 */
void
attn_dtype_to_float32 (AttnDtype   dtype,
                       const void *source,
                       gsize       n_elements,
                       float      *out)
{
  g_return_if_fail (dtypes[dtype].to_float32 != NULL);

  dtypes[dtype].to_float32 (source, n_elements / dtypes[dtype].n_elements, out);
}
