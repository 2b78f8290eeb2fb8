/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Block types, in which GGUF files store the weights of a model in few bits: each block of numbers
 * shares a scale. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The elements of the largest block of any type. */
#define ATTN_QUANT_MAX_BLOCK 256

/* Calls the macro TYPE (NAME, name, elements, bytes) for each block type, with the elements and
 * bytes of a block. The type is ATTN_DTYPE_NAME, and attn_quant_decode_name() decodes @n_blocks
 * blocks to float32. Blocks are little-endian on every machine and need not be aligned. Results are
 * exact, except that types with an offset round the sum. */
/* clang-format off */
#define ATTN_QUANT_TYPES(TYPE)     \
  TYPE (Q8_0, q8_0, 32, 34)        \
  TYPE (Q4_0, q4_0, 32, 18)        \
  TYPE (Q4_1, q4_1, 32, 20)        \
  TYPE (Q5_0, q5_0, 32, 22)        \
  TYPE (Q5_1, q5_1, 32, 24)        \
  TYPE (Q2_K, q2_k, 256, 84)       \
  TYPE (Q3_K, q3_k, 256, 110)      \
  TYPE (Q4_K, q4_k, 256, 144)      \
  TYPE (Q5_K, q5_k, 256, 176)      \
  TYPE (Q6_K, q6_k, 256, 210)      \
  TYPE (IQ4_NL, iq4_nl, 32, 18)    \
  TYPE (MXFP4, mxfp4, 32, 17)      \
  TYPE (IQ4_XS, iq4_xs, 256, 136)  \
  TYPE (IQ3_XXS, iq3_xxs, 256, 98) \
  TYPE (IQ3_S, iq3_s, 256, 110)    \
  TYPE (IQ2_XXS, iq2_xxs, 256, 66) \
  TYPE (IQ2_XS, iq2_xs, 256, 74)   \
  TYPE (IQ2_S, iq2_s, 256, 82)     \
  TYPE (IQ1_S, iq1_s, 256, 50)     \
  TYPE (IQ1_M, iq1_m, 256, 56)     \
  TYPE (TQ1_0, tq1_0, 256, 54)     \
  TYPE (TQ2_0, tq2_0, 256, 66)     \
  TYPE (Q1_0, q1_0, 128, 18)       \
  TYPE (Q2_0, q2_0, 64, 18)        \
  TYPE (NVFP4, nvfp4, 64, 36)      \
  TYPE (F4, f4, 2, 1)
/* clang-format on */

#define ATTN_QUANT_DECLARE(NAME, name, n_block_elements, n_block_bytes)                    \
  enum                                                                                     \
  {                                                                                        \
    ATTN_QUANT_ELEMENTS_##name = n_block_elements,                                         \
    ATTN_QUANT_BYTES_##name = n_block_bytes,                                               \
  };                                                                                       \
  void attn_quant_decode_##name (const guint8 *source, gsize n_blocks, float *restrict out);

ATTN_QUANT_TYPES (ATTN_QUANT_DECLARE)

G_END_DECLS
