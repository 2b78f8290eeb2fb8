/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Element types: known bytes, and every value of the 16-bit types against a conversion by
 * arithmetic. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "format-fixture.h"

#define N_16_BIT 65536

/* sign * 1.mantissa * 2^(exponent - bias), from the definition of the formats. */
static double
value_by_definition (guint bits,
                     guint n_exponent,
                     guint n_mantissa)
{
  guint sign = bits >> (n_exponent + n_mantissa);
  guint exponent = (bits >> n_mantissa) & ((1u << n_exponent) - 1);
  guint mantissa = bits & ((1u << n_mantissa) - 1);
  int bias = (1 << (n_exponent - 1)) - 1;
  double fraction = mantissa / (double) (1u << n_mantissa);
  double magnitude;

  if (exponent == (1u << n_exponent) - 1)
    magnitude = mantissa != 0 ? NAN : INFINITY;
  else if (exponent == 0)
    magnitude = ldexp (fraction, 1 - bias);
  else
    magnitude = ldexp (1 + fraction, (int) exponent - bias);
  return sign ? -magnitude : magnitude;
}

static void
check_all (AttnDtype dtype,
           guint     n_exponent,
           guint     n_mantissa)
{
  g_autofree guint16 *source = g_new (guint16, N_16_BIT);
  g_autofree float *out = g_new (float, N_16_BIT);

  for (guint i = 0; i < N_16_BIT; i++)
    source[i] = i;
  attn_dtype_to_float32 (dtype, source, N_16_BIT, out);
  for (guint i = 0; i < N_16_BIT; i++)
    {
      double expected = value_by_definition (i, n_exponent, n_mantissa);

      /* Exact: every value of both types is a float32. */
      if (isnan (expected) ? !isnan (out[i])
                           : out[i] != expected || !signbit (out[i]) != !signbit (expected))
        g_error ("0x%04x: %.17g found, expected %.17g", i, out[i], expected);
    }
}

static void
test_all_f16 (void)
{
  check_all (ATTN_DTYPE_F16, 5, 10);
}

static void
test_all_bf16 (void)
{
  check_all (ATTN_DTYPE_BF16, 8, 7);
}

/* Each of the 256 bytes: OCP 8-bit Floating Point Specification 1.0, OCP Microscaling 1.0. */
static void
test_all_f8 (void)
{
  for (guint i = 0; i < 256; i++)
    {
      const guint8 byte = (guint8) i;
      const float expected[] = {
        /* Without infinities: what they would be are numbers, and the last one is NaN. */
        i % 128 == 127  ? NAN
        : i % 128 > 119 ? (float) ((i < 128 ? 1 : -1) * ldexp (1 + i % 8 / 8.0, 8))
                        : (float) value_by_definition (i, 4, 3),
        (float) value_by_definition (i, 5, 2),
        i == 255 ? NAN : (float) ldexp (1.0, (int) i - 127),
      };

      for (guint j = 0; j < G_N_ELEMENTS (expected); j++)
        {
          float out;

          attn_dtype_to_float32 (ATTN_DTYPE_F8_E4M3 + j, &byte, 1, &out);
          g_assert_true (isnan (expected[j]) ? isnan (out)
                                             : out == expected[j] &&
                                                   !signbit (out) == !signbit (expected[j]));
        }
    }
}

/* The element stands at an odd address, behind a byte that does not belong to it. */
static void
check_one (AttnDtype   dtype,
           const void *element,
           float       expected)
{
  guint8 buffer[9] = { 0xff };
  float out = -1;

  memcpy (buffer + 1, element, attn_dtype_get_size (dtype));
  attn_dtype_to_float32 (dtype, buffer + 1, 1, &out);
  g_assert_cmpfloat (out, ==, expected);
}

#define CHECK_ONE(dtype, type, number, expected) \
  G_STMT_START                                   \
  {                                              \
    type element = (number);                     \
    check_one ((dtype), &element, (expected));   \
  }                                              \
  G_STMT_END

static void
test_known_values (void)
{
  CHECK_ONE (ATTN_DTYPE_F32, float, -0.1f, -0.1f);
  CHECK_ONE (ATTN_DTYPE_F64, double, 0.1, 0.1f);
  CHECK_ONE (ATTN_DTYPE_F64, double, 1e300, INFINITY);
  CHECK_ONE (ATTN_DTYPE_F64, double, 0x1p-149, 0x1p-149f);
  CHECK_ONE (ATTN_DTYPE_I8, gint8, -128, -128);
  CHECK_ONE (ATTN_DTYPE_U8, guint8, 255, 255);
  CHECK_ONE (ATTN_DTYPE_I16, gint16, -32768, -32768);
  CHECK_ONE (ATTN_DTYPE_U16, guint16, 65535, 65535);
  CHECK_ONE (ATTN_DTYPE_I32, gint32, G_MININT32, -0x1p31f);
  CHECK_ONE (ATTN_DTYPE_I32, gint32, 16777217, 16777216);
  CHECK_ONE (ATTN_DTYPE_U32, guint32, G_MAXUINT32, 0x1p32f);
  CHECK_ONE (ATTN_DTYPE_I64, gint64, G_MININT64, -0x1p63f);
  CHECK_ONE (ATTN_DTYPE_U64, guint64, G_MAXUINT64, 0x1p64f);
  CHECK_ONE (ATTN_DTYPE_BOOL, guint8, 0, 0);
  CHECK_ONE (ATTN_DTYPE_BOOL, guint8, 1, 1);
  CHECK_ONE (ATTN_DTYPE_BOOL, guint8, 2, 1);
}

static void
test_unaligned_run (void)
{
  guint8 buffer[2 * 100 + 1];
  float out[100];

  for (guint i = 0; i < 100; i++)
    {
      guint16 half = 0x3c00 + i;
      memcpy (buffer + 1 + 2 * i, &half, sizeof half);
    }
  attn_dtype_to_float32 (ATTN_DTYPE_F16, buffer + 1, 100, out);
  for (guint i = 0; i < 100; i++)
    g_assert_cmpfloat (out[i], ==, 1 + i / 1024.0f);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/format/dtype/every-f16-is-exact", test_all_f16);
  g_test_add_func ("/format/dtype/every-bf16-is-exact", test_all_bf16);
  g_test_add_func ("/format/dtype/every-f8-is-exact", test_all_f8);
  g_test_add_func ("/format/dtype/known-values-at-an-odd-address", test_known_values);
  g_test_add_func ("/format/dtype/unaligned-run", test_unaligned_run);
  return fixture_run ();
}
