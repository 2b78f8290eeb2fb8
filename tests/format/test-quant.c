/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Block types: blocks worked out by hand, and random ones against a slow decoder that finds the
 * bits of one element at a time. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "../save-arrays.h"
#include "format-fixture.h"
#include "quant-expected.h"

#define N_RANDOM_BLOCKS    200
#define N_EXPECTED_BLOCKS  ((gsize) 1024)
#define MAX_BLOCK_ELEMENTS 256

typedef struct
{
  guint index;
  float value;
} Expected;

/* Decodes one block and compares the elements listed; @rest is what all others are, unless NaN. */
static void
check_block (AttnDtype       dtype,
             const guint8   *block,
             const Expected *expected,
             guint           n_expected,
             float           rest)
{
  float out[MAX_BLOCK_ELEMENTS];
  gboolean is_listed[MAX_BLOCK_ELEMENTS] = { FALSE };
  gsize n_elements;
  gsize n_bytes;

  attn_dtype_get_block (dtype, &n_elements, &n_bytes);
  attn_dtype_to_float32 (dtype, block, n_elements, out);
  for (guint i = 0; i < n_expected; i++)
    {
      g_assert_cmpuint (expected[i].index, <, n_elements);
      g_assert_cmpfloat (out[expected[i].index], ==, expected[i].value);
      is_listed[expected[i].index] = TRUE;
    }
  for (gsize i = 0; i < n_elements && !isnan (rest); i++)
    if (!is_listed[i])
      g_assert_cmpfloat (out[i], ==, rest);
}

/* d = 0.5 (0x3800, little-endian): element i is 0.5 q[i], q signed. */
static void
test_q8_0 (void)
{
  const guint8 block[34] = { 0x00, 0x38, 1, 0xff, 127, [33] = 0x80 };
  /* 0.5 * 1, 0.5 * -1, 0.5 * 127, 0.5 * -128 */
  const Expected expected[] = { { 0, 0.5f }, { 1, -0.5f }, { 2, 63.5f }, { 31, -64 } };

  check_block (ATTN_DTYPE_Q8_0, block, expected, G_N_ELEMENTS (expected), 0);
}

/* d = 2 (0x4000): byte i holds element i in its low nibble, element i + 16 in its high one, each 2
 * (q - 8). */
static void
test_q4_0 (void)
{
  const guint8 block[18] = { 0x00, 0x40, 0x3a, [17] = 0xf0 };
  /* 2 (10 - 8), 2 (3 - 8), 2 (0 - 8), 2 (15 - 8); a zero byte: 2 (0 - 8) */
  const Expected expected[] = { { 0, 4 }, { 16, -10 }, { 15, -16 }, { 31, 14 } };

  check_block (ATTN_DTYPE_Q4_0, block, expected, G_N_ELEMENTS (expected), -16);
}

/* e = 128: twice the numbers; byte i holds element i in its low nibble, i + 16 in its high one. */
static void
test_mxfp4 (void)
{
  const guint8 block[17] = { 128, 0x71, [16] = 0xf9 };
  /* 2 * 0.5, 2 * 6, 2 * -0.5, 2 * -6 */
  const Expected expected[] = { { 0, 1 }, { 16, 12 }, { 15, -1 }, { 31, -12 } };

  check_block (ATTN_DTYPE_MXFP4, block, expected, G_N_ELEMENTS (expected), 0);
}

/* d = 0.5, m = -1 (0xbc00): 0.5 q - 1. */
static void
test_q4_1 (void)
{
  const guint8 block[20] = { 0x00, 0x38, 0x00, 0xbc, 0x3a, [19] = 0xf1 };
  /* 0.5 * 10 - 1, 0.5 * 3 - 1, 0.5 * 1 - 1, 0.5 * 15 - 1; a zero byte: -1 */
  const Expected expected[] = { { 0, 4 }, { 16, 0.5f }, { 15, -0.5f }, { 31, 6.5f } };

  check_block (ATTN_DTYPE_Q4_1, block, expected, G_N_ELEMENTS (expected), -1);
}

/* d = 1 (0x3c00); of the fifth bits, 0x80010001, those of elements 0, 16 and 31 are set: q - 16. */
static void
test_q5_0 (void)
{
  const guint8 block[22] = { 0x00, 0x3c, 0x01, 0x00, 0x01, 0x80, 0x25, [21] = 0xf1 };
  /* (16 + 5) - 16, (16 + 2) - 16, (0 + 1) - 16, (16 + 15) - 16; a zero byte: 0 - 16 */
  const Expected expected[] = { { 0, 5 }, { 16, 2 }, { 15, -15 }, { 31, 15 } };

  check_block (ATTN_DTYPE_Q5_0, block, expected, G_N_ELEMENTS (expected), -16);
}

/* d = 0.25 (0x3400), m = 2, the bits of the block above: 0.25 q + 2. */
static void
test_q5_1 (void)
{
  const guint8 block[24] = { 0x00, 0x34, 0x00, 0x40, 0x01, 0x00, 0x01, 0x80, 0x25, [23] = 0xf1 };
  /* 0.25 * 21 + 2, 0.25 * 18 + 2, 0.25 * 1 + 2, 0.25 * 31 + 2; a zero byte: 2 */
  const Expected expected[] = { { 0, 7.25f }, { 16, 6.5f }, { 15, 2.25f }, { 31, 9.75f } };

  check_block (ATTN_DTYPE_Q5_1, block, expected, G_N_ELEMENTS (expected), 2);
}

/* d = 2: 2 table[q], with table[0] = -127, table[7] = -10, table[8] = 1, table[15] = 113. */
static void
test_iq4_nl (void)
{
  const guint8 block[18] = { 0x00, 0x40, 0x70, [17] = 0xf8 };
  const Expected expected[] = { { 0, -254 }, { 16, -20 }, { 15, 2 }, { 31, 226 } };

  check_block (ATTN_DTYPE_IQ4_NL, block, expected, G_N_ELEMENTS (expected), -254);
}

/* 16 bytes of scale (low nibble) and offset (high nibble), 64 of pairs of bits, d = 0.5, m = 0.25:
 * 0.5 s q - 0.25 o. The first byte of pairs, 0xe4 = 3 2 1 0, holds elements 96, 64, 32 and 0, of
 * sub-blocks 6, 4, 2 and 0. Byte 48 of them holds element 144 in its lowest pair, sub-block 9. */
static void
test_q2_k (void)
{
  const guint8 block[84] = {
    [0] = 0x21,
    [2] = 0x13,
    [6] = 0x02,
    [9] = 0x4f, /* scales */
    [16] = 0xe4,
    [16 + 48] = 0x02,
    [80] = 0x00,
    0x38,
    0x00,
    0x34,
  };
  const Expected expected[] = {
    { 0, -0.5f },   /* 0.5 * 1 * 0 - 0.25 * 2 */
    { 15, -0.5f },  /* the same */
    { 16, 0 },      /* sub-block 1 has neither scale nor offset */
    { 32, 1.25f },  /* 0.5 * 3 * 1 - 0.25 * 1 */
    { 33, -0.25f }, /* 0.5 * 3 * 0 - 0.25 * 1 */
    { 64, 0 },      /* 0.5 * 0 * 2 - 0 */
    { 96, 3 },      /* 0.5 * 2 * 3 - 0 */
    { 144, 14 },    /* 0.5 * 15 * 2 - 0.25 * 4 */
    { 145, -1 },    /* 0.5 * 15 * 0 - 0.25 * 4 */
    { 255, 0 },
  };

  check_block (ATTN_DTYPE_Q2_K, block, expected, G_N_ELEMENTS (expected), NAN);
}

/* 32 bytes of third bits, 64 of pairs, 12 of scales, d = 1: (s - 32) (q - 4).
 * Sub-block 0: s = 5 (low nibble of byte 0) + 16 * 2 (lowest pair of byte 8) = 37.
 * Sub-block 13: s = 12 (high nibble of byte 5) + 16 * 3 (highest pair of byte 9) = 60. Its elements
 * 208 to 223 have pair 2 of bytes 48 to 63 and bit 6 of the third bits' bytes 16 to 31.
 * The other sub-blocks have s = 0. */
static void
test_q3_k (void)
{
  const guint8 block[110] = {
    [0] = 0x01, [17] = 0x40, [32] = 0x02, [32 + 48] = 0x10, /* bits */
    [96] = 0x05,
    [96 + 5] = 0xc0,
    [96 + 8] = 0x02,
    [96 + 9] = 0xc0,
    [109] = 0x3c, /* scales, d */
  };
  const Expected expected[] = {
    { 0, 10 },     /* (37 - 32) (2 + 4 - 4) */
    { 1, -20 },    /* (37 - 32) (0 - 4) */
    { 208, -84 },  /* (60 - 32) (1 - 4) */
    { 209, 0 },    /* (60 - 32) (0 + 4 - 4) */
    { 210, -112 }, /* (60 - 32) (0 - 4) */
    { 16, 128 },   /* (0 - 32) (0 - 4) */
    { 255, 128 },
  };

  check_block (ATTN_DTYPE_Q3_K, block, expected, G_N_ELEMENTS (expected), NAN);
}

/* d = 1, m = 0.5, 12 bytes of scales: s q - 0.5 o.
 * Sub-block 0: s = byte 0 = 3, o = byte 4 = 2. Sub-block 1: s = 0, o = byte 5 = 4.
 * Sub-block 6: s = 7 (low nibble of byte 10) + 16 * 2 (top of byte 2) = 39, o = 9 (its high nibble)
 * + 16 * 1 (top of byte 6) = 25; elements 192 to 223 are the low nibbles of bytes 96 to 127. */
#define K_SCALES                                                                             \
  0x00, 0x3c, 0x00, 0x38, [4] = 3, [4 + 2] = 0x80, [4 + 4] = 2, [4 + 5] = 4, [4 + 6] = 0x40, \
                          [4 + 10] = 0x97

static void
test_q4_k (void)
{
  const guint8 block[144] = { K_SCALES, [16] = 0x5a, [16 + 96] = 0x0b };
  const Expected expected[] = {
    { 0, 29 },       /* 3 * 10 - 0.5 * 2 */
    { 1, -1 },       /* 3 * 0 - 0.5 * 2 */
    { 32, -2 },      /* 0 * 5 - 0.5 * 4 */
    { 64, 0 },       /* sub-block 2: the low six bits of bytes 2 and 6 are 0 */
    { 192, 416.5f }, /* 39 * 11 - 0.5 * 25 */
    { 193, -12.5f }, /* 39 * 0 - 0.5 * 25 */
  };

  check_block (ATTN_DTYPE_Q4_K, block, expected, G_N_ELEMENTS (expected), NAN);
}

/* As above, with 32 bytes of fifth bits between: 0x41 sets bit 0 of element 0 and bit 6, of
 * sub-block 6, of element 192. */
static void
test_q5_k (void)
{
  const guint8 block[176] = { K_SCALES, [16] = 0x41, [48] = 0x5a, [48 + 96] = 0x0b };
  const Expected expected[] = {
    { 0, 77 },        /* 3 * (16 + 10) - 0.5 * 2 */
    { 1, -1 },        /* 3 * 0 - 0.5 * 2 */
    { 32, -2 },       /* 0 * 5 - 0.5 * 4 */
    { 192, 1040.5f }, /* 39 * (16 + 11) - 0.5 * 25 */
    { 193, -12.5f },  /* 39 * 0 - 0.5 * 25 */
  };

  check_block (ATTN_DTYPE_Q5_K, block, expected, G_N_ELEMENTS (expected), NAN);
}

/* 128 bytes of nibbles, 64 of pairs, 16 scales (signed), d = 0.5: 0.5 s (q - 32).
 * Element 240, of sub-block 15: the high nibble of byte 64 + 48 and the highest pair of byte
 * 32 + 16. */
static void
test_q6_k (void)
{
  const guint8 block[210] = {
    [0] = 0x05, [112] = 0x90, [128] = 0x02, [128 + 48] = 0xc0, /* bits */
    [192] = 2,
    [192 + 15] = 0xfd,
    [208] = 0x00,
    0x38, /* scales, d */
  };
  const Expected expected[] = {
    { 0, 5 },        /* 0.5 * 2 * (5 + 16 * 2 - 32) */
    { 1, -32 },      /* 0.5 * 2 * (0 - 32) */
    { 16, 0 },       /* sub-block 1 has scale 0 */
    { 240, -37.5f }, /* 0.5 * -3 * (9 + 16 * 3 - 32) */
    { 241, 48 },     /* 0.5 * -3 * (0 - 32) */
  };

  check_block (ATTN_DTYPE_Q6_K, block, expected, G_N_ELEMENTS (expected), NAN);
}

/* @n bits from bit @position on, counted through the bytes from the lowest bit of the first. */
static int
bits_at (const guint8 *bytes,
         guint         position,
         guint         n)
{
  int bits = 0;

  for (guint i = 0; i < n; i++)
    bits |= (bytes[(position + i) / 8] >> (position + i) % 8 & 1) << i;
  return bits;
}

static double
half_at (const guint8 *bytes)
{
  int mantissa = bits_at (bytes, 0, 10);
  int exponent = bits_at (bytes, 10, 5);
  double magnitude = exponent == 31  ? (mantissa == 0 ? INFINITY : NAN)
                     : exponent == 0 ? ldexp (mantissa, -24)
                                     : ldexp (1024 + mantissa, exponent - 25);

  return bits_at (bytes, 15, 1) ? -magnitude : magnitude;
}

/* The scale (@is_offset: the offset) of sub-block @sub of Q4_K and Q5_K from its 12 bytes. */
static int
k_scale_at (const guint8 *scales,
            guint         sub,
            gboolean      is_offset)
{
  guint place = 8 * (sub % 4 + (is_offset ? 4 : 0));

  if (sub < 4)
    return bits_at (scales, place, 6);
  return bits_at (scales, 8 * (8 + sub % 4) + (is_offset ? 4 : 0), 4) +
         16 * bits_at (scales, place + 6, 2);
}

/* E2M1: a sign, two bits of exponent with a bias of 1, one of mantissa. */
static double
four_bits_at (const guint8 *bytes,
              guint         position)
{
  int exponent = bits_at (bytes, position + 1, 2);
  double magnitude = exponent == 0 ? 0.5 * bits_at (bytes, position, 1)
                                   : ldexp (1.0 + 0.5 * bits_at (bytes, position, 1), exponent - 1);

  return bits_at (bytes, position + 3, 1) ? -magnitude : magnitude;
}

/* The value of element @i by the definition of the format. */
static double
reference (AttnDtype     dtype,
           const guint8 *block,
           guint         i)
{
  static const int table[] = { -127, -104, -83, -65, -49, -35, -22, -10,
                               1, 13, 25, 38, 53, 69, 89, 113 };
  /* Of the small types: the nibble of element i, which begins @n bytes behind the block's start. */
#define NIBBLE(n) bits_at (block + (n), 8 * (i % 16) + 4 * (i / 16), 4)
  guint half = i / 128;
  guint quarter = i % 128 / 32;
  guint in_32 = i % 32;
  guint in_64 = i % 64;
  int q;
  int s;

  switch (dtype)
    {
    case ATTN_DTYPE_Q8_0:
      q = bits_at (block + 2, 8 * i, 8);
      return half_at (block) * (q < 128 ? q : q - 256);
    case ATTN_DTYPE_Q4_0:
      return half_at (block) * (NIBBLE (2) - 8);
    case ATTN_DTYPE_Q4_1:
      return half_at (block) * NIBBLE (4) + half_at (block + 2);
    case ATTN_DTYPE_Q5_0:
      return half_at (block) * (NIBBLE (6) + 16 * bits_at (block + 2, i, 1) - 16);
    case ATTN_DTYPE_Q5_1:
      return half_at (block) * (NIBBLE (8) + 16 * bits_at (block + 4, i, 1)) + half_at (block + 2);
    case ATTN_DTYPE_IQ4_NL:
      return half_at (block) * table[NIBBLE (2)];
    case ATTN_DTYPE_MXFP4:
      return (float) ldexp (four_bits_at (block + 1, 8 * (i % 16) + 4 * (i / 16)), block[0] - 127);
    case ATTN_DTYPE_F4:
      return four_bits_at (block, 4 * i);
    case ATTN_DTYPE_Q2_K:
      q = bits_at (block + 16 + 32 * half, 8 * in_32 + 2 * quarter, 2);
      return half_at (block + 80) * bits_at (block, 8 * (i / 16), 4) * q -
             half_at (block + 82) * bits_at (block, 8 * (i / 16) + 4, 4);
    case ATTN_DTYPE_Q3_K:
      q = bits_at (block + 32 + 32 * half, 8 * in_32 + 2 * quarter, 2) +
          4 * bits_at (block, 8 * in_32 + i / 32, 1);
      s = bits_at (block + 96, 8 * (i / 16 % 8) + 4 * (i / 128), 4) +
          16 * bits_at (block + 104, 8 * (i / 16 % 4) + 2 * (i / 64), 2);
      return half_at (block + 108) * (s - 32) * (q - 4);
    case ATTN_DTYPE_Q4_K:
      q = bits_at (block + 16 + 32 * (i / 64), 8 * in_32 + 4 * (in_64 / 32), 4);
      return half_at (block) * k_scale_at (block + 4, i / 32, FALSE) * q -
             half_at (block + 2) * k_scale_at (block + 4, i / 32, TRUE);
    case ATTN_DTYPE_Q5_K:
      q = bits_at (block + 48 + 32 * (i / 64), 8 * in_32 + 4 * (in_64 / 32), 4) +
          16 * bits_at (block + 16, 8 * in_32 + i / 32, 1);
      return half_at (block) * k_scale_at (block + 4, i / 32, FALSE) * q -
             half_at (block + 2) * k_scale_at (block + 4, i / 32, TRUE);
    case ATTN_DTYPE_Q6_K:
      q = bits_at (block + 64 * half, 8 * in_64 + 4 * (i % 128 / 64), 4) +
          16 * bits_at (block + 128 + 32 * half, 8 * in_32 + 2 * quarter, 2);
      s = bits_at (block + 192, 8 * (i / 16), 8);
      return half_at (block + 208) * (s < 128 ? s : s - 256) * (q - 32);
    default:
      g_assert_not_reached ();
    }
}

/* Random bytes, so that scales of every size, subnormals, infinities and NaN are among them. The
 * blocks stand at an odd address. */
static guint8 *
new_random_blocks (GRand *random,
                   gsize  n_bytes)
{
  guint8 *bytes = g_malloc (n_bytes + 1);

  for (gsize i = 0; i < n_bytes + 1; i++)
    bytes[i] = g_rand_int (random);
  return bytes;
}

/* Equal, not close: all products are exact in float32 and in double, only the sum is rounded. */
static void
check_random (AttnDtype dtype)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (20260101 + dtype);
  gsize n_block;
  gsize n_block_bytes;

  attn_dtype_get_block (dtype, &n_block, &n_block_bytes);
  gsize n_elements = n_block * N_RANDOM_BLOCKS;
  g_autofree guint8 *blocks = new_random_blocks (random, n_block_bytes * N_RANDOM_BLOCKS);
  g_autofree float *out = g_new (float, n_elements);
  gsize n_finite = 0;

  attn_dtype_to_float32 (dtype, blocks + 1, n_elements, out);
  for (gsize i = 0; i < n_elements; i++)
    {
      float expected = reference (dtype, blocks + 1 + i / n_block * n_block_bytes, i % n_block);

      n_finite += isfinite (expected) != 0;
      if (isnan (expected) ? !isnan (out[i]) : out[i] != expected)
        g_error ("%s, element %" G_GSIZE_FORMAT ": %.9g found, expected %.9g",
                 attn_dtype_get_name (dtype), i, out[i], expected);
    }
  g_assert_cmpuint (n_finite, >, n_elements / 2);
}

static void
test_random_blocks (void)
{
  for (AttnDtype dtype = ATTN_DTYPE_Q8_0; dtype <= ATTN_DTYPE_MXFP4; dtype++)
    check_random (dtype);
  check_random (ATTN_DTYPE_F4);
}

/* The bytes of make-quant-fixtures.py. */
static guint8 *
new_blocks (gsize n_bytes,
            int   scale)
{
  guint8 *blocks = g_malloc (N_EXPECTED_BLOCKS * n_bytes);
  guint32 state = 20260101;

  for (gsize i = 0; i < N_EXPECTED_BLOCKS * n_bytes; i++)
    {
      state = state * 1664525 + 1013904223;
      blocks[i] = (guint8) (state >> 24);
    }
  for (guint8 *block = blocks; block < blocks + N_EXPECTED_BLOCKS * n_bytes; block += n_bytes)
    if (scale >= 0)
      block[scale + 1] = 0x20 | (block[scale + 1] & 0x0f);
    else
      for (gsize i = 0; i < 4; i++)
        block[i] &= 0x77;
  return blocks;
}

/* Every point of every table is among these. */
static void
test_against_gguf (void)
{
  /* Types up to MXFP4 have a reference above, and so has F4, which is none of GGUF's. */
  g_assert_cmpuint (G_N_ELEMENTS (expected_hashes), ==, ATTN_DTYPE_F4 - ATTN_DTYPE_MXFP4 - 1);
  for (gsize i = 0; i < G_N_ELEMENTS (expected_hashes); i++)
    {
      AttnDtype dtype = expected_hashes[i].dtype;
      gsize n_elements;
      gsize n_bytes;

      attn_dtype_get_block (dtype, &n_elements, &n_bytes);
      gsize n = N_EXPECTED_BLOCKS * n_elements;
      g_autofree guint8 *blocks = new_blocks (n_bytes, expected_hashes[i].scale);
      g_autofree float *out = g_new (float, n);

      attn_dtype_to_float32 (dtype, blocks, n, out);
      for (gsize j = 0; j < n; j++)
        {
          guint32 bits;

          out[j] += 0.0f; /* and not -0 */
          memcpy (&bits, &out[j], sizeof bits);
          bits = GUINT32_TO_LE (bits);
          memcpy (&out[j], &bits, sizeof bits);
        }
      g_autofree char *hash =
          g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) out, n * sizeof *out);
      g_test_message ("%s", attn_dtype_get_name (dtype));
      g_assert_cmpstr (hash, ==, expected_hashes[i].sha256);
    }
}

/* Any run of elements, whether it begins and ends with a block or not. */
static void
test_runs (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (7);

  for (AttnDtype dtype = ATTN_DTYPE_Q8_0; dtype <= ATTN_DTYPE_F4; dtype++)
    {
      gsize n_block;
      gsize n_block_bytes;

      attn_dtype_get_block (dtype, &n_block, &n_block_bytes);
      const gsize shape[] = { 3, 2 * n_block };
      const gsize n = 6 * n_block;
      g_autofree guint8 *blocks = new_random_blocks (random, 6 * n_block_bytes);
      g_autofree float *all = g_new (float, n);
      g_autofree float *run = g_new (float, n);
      g_autoptr (GBytes) bytes = g_bytes_new (blocks, 6 * n_block_bytes);
      g_autoptr (AttnArray) array = attn_array_new ("x", dtype, 2, shape, bytes, NULL);

      g_assert_nonnull (array);
      attn_dtype_to_float32 (dtype, blocks, n, all);
      for (guint i = 0; i < 200; i++)
        {
          gsize first = g_rand_int_range (random, 0, n + 1);
          gsize n_run = g_rand_int_range (random, 0, n - first + 1);

          g_assert_true (attn_array_read (array, first, n_run, run, NULL));
          /* As bytes, since NaN is among them. */
          g_assert_cmpmem (run, n_run * sizeof *run, all + first, n_run * sizeof *all);
        }
      g_assert_false (attn_array_read (array, 1, n, run, NULL));
    }
}

static void
check_refused (AttnDtype    dtype,
               guint        n_dims,
               const gsize *shape,
               gsize        n_bytes,
               int          code)
{
  g_autofree guint8 *data = g_malloc0 (n_bytes);
  g_autoptr (GBytes) bytes = g_bytes_new (data, n_bytes);
  g_autoptr (GError) error = NULL;

  g_assert_null (attn_array_new ("x", dtype, n_dims, shape, bytes, &error));
  g_assert_error (error, ATTN_ERROR, code);
}

static void
test_rows_are_whole_blocks (void)
{
  const gsize halves[] = { 2, 16 };
  const gsize blocks[] = { 2, 256 };

  check_refused (ATTN_DTYPE_Q8_0, 2, halves, 34, ATTN_ERROR_SHAPE);
  check_refused (ATTN_DTYPE_Q8_0, 0, NULL, 34, ATTN_ERROR_SHAPE);
  check_refused (ATTN_DTYPE_Q6_K, 2, blocks, 2 * 210 - 1, ATTN_ERROR_FORMAT);
  check_refused (ATTN_DTYPE_Q6_K, 2, blocks, 2 * 210 + 1, ATTN_ERROR_FORMAT);
}

/* What has no blocks gets numbers, or an error rather than a hole. */
static void
test_saving (void)
{
  const gsize shape[] = { 1, 32 };
  guint8 block[34] = { 0x00, 0x3c, 1, 2, 3 };
  float expected[32] = { 1, 2, 3 };
  g_autoptr (GBytes) bytes = g_bytes_new (block, sizeof block);
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);
  g_autofree char *npy = fixture_path ("quant.npy");
  g_autofree char *safetensors = fixture_path ("quant.safetensors");
  g_autoptr (GError) error = NULL;

  attn_array_file_add (file, attn_array_new ("x", ATTN_DTYPE_Q8_0, 2, shape, bytes, NULL), NULL);
  g_assert_true (save_arrays (file, npy, &error));
  g_autoptr (AttnArrayFile) again = attn_array_file_load (npy, &error);
  g_assert_no_error (error);
  fixture_assert_floats (attn_array_file_get_nth (again, 0), 32, expected);
  g_assert_false (save_arrays (file, safetensors, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/format/quant/by-hand/q8_0", test_q8_0);
  g_test_add_func ("/format/quant/by-hand/q4_0", test_q4_0);
  g_test_add_func ("/format/quant/by-hand/q4_1", test_q4_1);
  g_test_add_func ("/format/quant/by-hand/q5_0", test_q5_0);
  g_test_add_func ("/format/quant/by-hand/q5_1", test_q5_1);
  g_test_add_func ("/format/quant/by-hand/iq4_nl", test_iq4_nl);
  g_test_add_func ("/format/quant/by-hand/mxfp4", test_mxfp4);
  g_test_add_func ("/format/quant/by-hand/q2_k", test_q2_k);
  g_test_add_func ("/format/quant/by-hand/q3_k", test_q3_k);
  g_test_add_func ("/format/quant/by-hand/q4_k", test_q4_k);
  g_test_add_func ("/format/quant/by-hand/q5_k", test_q5_k);
  g_test_add_func ("/format/quant/by-hand/q6_k", test_q6_k);
  g_test_add_func ("/format/quant/random-blocks-are-exact", test_random_blocks);
  g_test_add_func ("/format/quant/against-gguf", test_against_gguf);
  g_test_add_func ("/format/quant/any-run-of-elements", test_runs);
  g_test_add_func ("/format/quant/rows-are-whole-blocks", test_rows_are_whole_blocks);
  g_test_add_func ("/format/quant/saving", test_saving);
  return fixture_run ();
}
