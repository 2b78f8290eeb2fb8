/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Arrays: orders, runs of elements, conversion to tensors, text. */

#include "config.h"

#include <string.h>

#include "format-fixture.h"

/* [2, 3, 2] in Fortran order: element (i, j, k) = 100 i + 10 j + k. */
static AttnArray *
new_fortran (void)
{
  const gsize shape[] = { 2, 3, 2 };
  gint16 data[12];
  gsize n = 0;

  for (int k = 0; k < 2; k++)
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 2; i++)
        data[n++] = 100 * i + 10 * j + k;
  AttnArray *array = fixture_array ("x", ATTN_DTYPE_I16, 3, shape, data);
  array->is_fortran = TRUE;
  return array;
}

static const float in_c_order[] = { 0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121 };

static void
test_fortran_is_transposed (void)
{
  g_autoptr (AttnArray) array = new_fortran ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnTensor) tensor = attn_array_to_tensor (array, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (tensor->n_dims, ==, 3);
  g_assert_cmpuint (tensor->shape[1], ==, 3);
  g_assert_cmpmem (tensor->data, sizeof in_c_order, in_c_order, sizeof in_c_order);
}

/* Every run, not only the whole: its start must be found in the middle of an odometer. */
static void
test_every_run (void)
{
  g_autoptr (AttnArray) array = new_fortran ();

  for (gsize first = 0; first <= 12; first++)
    for (gsize n = 0; first + n <= 12; n++)
      {
        float out[12];

        g_assert_true (attn_array_read (array, first, n, out, NULL));
        g_assert_cmpmem (out, n * sizeof *out, in_c_order + first, n * sizeof *out);
      }
}

static void
test_run_beyond_the_end (void)
{
  g_autoptr (AttnArray) array = new_fortran ();
  g_autoptr (GError) error = NULL;
  float out[12];

  g_assert_false (attn_array_read (array, 12, 1, out, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_SHAPE);
  g_clear_error (&error);
  g_assert_false (attn_array_read (array, 5, G_MAXSIZE - 2, out, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_SHAPE);
}

/* Longer than the chunk in which bytes are swapped. */
static void
test_swapped_long (void)
{
  const gsize shape[] = { 5000 };
  g_autofree double *data = g_new (double, shape[0]);
  g_autofree float *out = g_new (float, shape[0]);

  for (gsize i = 0; i < shape[0]; i++)
    {
      double value = i - 2500.5;
      guint64 bits;

      memcpy (&bits, &value, sizeof bits);
      bits = GUINT64_SWAP_LE_BE (bits);
      memcpy (data + i, &bits, sizeof bits);
    }
  g_autoptr (AttnArray) array = fixture_array ("x", ATTN_DTYPE_F64, 1, shape, data);
  array->is_swapped = TRUE;
  g_assert_true (attn_array_read (array, 0, shape[0], out, NULL));
  for (gsize i = 0; i < shape[0]; i++)
    g_assert_cmpfloat (out[i], ==, i - 2500.5f);
}

static void
test_scalar_becomes_one_element (void)
{
  const float value = 2.5f;
  g_autoptr (AttnArray) array = fixture_array ("x", ATTN_DTYPE_F32, 0, NULL, &value);
  g_autoptr (AttnTensor) tensor = attn_array_to_tensor (array, NULL);

  g_assert_cmpuint (tensor->n_dims, ==, 1);
  g_assert_cmpuint (tensor->shape[0], ==, 1);
  g_assert_cmpfloat (tensor->data[0], ==, 2.5f);
}

static void
check_no_tensor (guint        n_dims,
                 const gsize *shape)
{
  const float data[1] = { 0 };
  g_autoptr (AttnArray) array = fixture_array ("odd", ATTN_DTYPE_F32, n_dims, shape, data);
  g_autoptr (GError) error = NULL;

  g_assert_null (attn_array_to_tensor (array, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_SHAPE);
  g_assert_true (g_str_has_prefix (error->message, "odd: "));
}

static void
test_no_tensor (void)
{
  const gsize five[] = { 1, 1, 1, 1, 1 };
  const gsize empty[] = { 2, 0 };

  check_no_tensor (5, five);
  check_no_tensor (2, empty);
}

static void
test_peek (void)
{
  const gsize shape[] = { 2, 2 };
  const gsize row[] = { 1, 4 };
  const float data[] = { 1, 2, 3, 4 };
  g_autoptr (AttnArray) array = fixture_array ("x", ATTN_DTYPE_F32, 2, shape, data);
  g_autoptr (AttnArray) one_row = fixture_array ("x", ATTN_DTYPE_F32, 2, row, data);

  g_assert_true (attn_array_peek_float32 (array) == g_bytes_get_data (array->bytes, NULL));
  array->is_swapped = TRUE;
  g_assert_null (attn_array_peek_float32 (array));
  array->is_swapped = FALSE;
  array->is_fortran = TRUE;
  g_assert_null (attn_array_peek_float32 (array));

  /* With one long dimension both orders are the same. */
  one_row->is_fortran = TRUE;
  g_assert_nonnull (attn_array_peek_float32 (one_row));
}

static void
test_peek_needs_alignment (void)
{
  const gsize shape[] = { 1 };
  const guint8 data[8] = { 0 };
  g_autoptr (GBytes) bytes = g_bytes_new (data, sizeof data);

  for (gsize offset = 0; offset <= 4; offset++)
    {
      g_autoptr (GBytes) slice = g_bytes_new_from_bytes (bytes, offset, 4);
      g_autoptr (AttnArray) array = attn_array_new ("x", ATTN_DTYPE_F32, 1, shape, slice, NULL);

      g_assert_true ((attn_array_peek_float32 (array) != NULL) == (offset % 4 == 0));
    }
}

static void
test_tensor_is_kept_alive (void)
{
  const gsize shape[] = { 2 };
  const float expected[] = { 3, 4 };
  AttnTensor *tensor = attn_tensor_new (1, shape, NULL);

  memcpy (tensor->data, expected, sizeof expected);
  g_autoptr (AttnArray) array = attn_array_new_from_tensor ("x", tensor);
  attn_tensor_unref (tensor);
  fixture_assert_floats (array, 2, expected);
}

static void
test_strings_round_trip (void)
{
  const char * const strings[] = { "<s>", "", "é", "日本語", "😀", NULL };
  g_autoptr (AttnArray) array = attn_array_new_strings ("labels", strings);
  g_auto (GStrv) found = attn_array_dup_strings (array, NULL);

  g_assert_cmpstrv (found, strings);
  /* Characters, not bytes: three of them. */
  g_assert_cmpuint (array->item_size, ==, 12);
}

static void
test_no_strings (void)
{
  const char * const none[] = { NULL };
  g_autoptr (AttnArray) array = attn_array_new_strings ("labels", none);
  g_auto (GStrv) found = attn_array_dup_strings (array, NULL);

  g_assert_cmpuint (g_strv_length (found), ==, 0);
}

static void
test_text_that_is_none (void)
{
  /* A surrogate, beyond Unicode, and a zero between characters. */
  const guint32 texts[][2] = { { 0xd800, 0 }, { 0x110000, 0 }, { 0, 'a' } };
  const gsize shape[] = { 1 };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new (texts[i], sizeof texts[i]);
      g_autoptr (AttnArray) array = attn_array_new ("x", ATTN_DTYPE_UNICODE, 1, shape, bytes, NULL);
      g_autoptr (GError) error = NULL;

      g_assert_null (attn_array_dup_strings (array, &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);
    }
}

static void
test_numbers_are_not_text (void)
{
  g_autoptr (AttnArray) array = new_fortran ();
  g_autoptr (GError) error = NULL;

  g_assert_null (attn_array_dup_strings (array, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED);
}

static void
check_bad (guint        n_dims,
           const gsize *shape,
           gsize        n_bytes,
           int          code)
{
  g_autoptr (GBytes) bytes = g_bytes_new_take (g_malloc0 (n_bytes), n_bytes);
  g_autoptr (GError) error = NULL;

  g_assert_null (attn_array_new ("x", ATTN_DTYPE_F32, n_dims, shape, bytes, &error));
  g_assert_error (error, ATTN_ERROR, code);
}

static void
test_size_must_fit (void)
{
  const gsize shape[] = { 2, 3 };
  const gsize huge[] = { (gsize) 1 << 40, (gsize) 1 << 40 };
  const gsize many[9] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 };

  check_bad (2, shape, 23, ATTN_ERROR_FORMAT);
  check_bad (2, shape, 25, ATTN_ERROR_FORMAT);
  check_bad (2, huge, 0, ATTN_ERROR_SHAPE);
  check_bad (9, many, 4, ATTN_ERROR_LIMIT);
}

/* Blocks of 2 x 2, of which the last in a row and the last row of blocks are smaller. */
static void
test_scales (void)
{
  const gint8 data[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
  const float scales[] = { 1, 10, 100, 2, 20, 200 };
  const gsize shape[] = { 3, 5 };
  const gsize scales_shape[] = { 2, 3 };
  const float expected[] = { 1, 2, 30, 40, 500, 6, 7, 80, 90, 1000, 22, 24, 260, 280, 3000 };
  g_autoptr (AttnArray) array = fixture_array ("x", ATTN_DTYPE_I8, 2, shape, data);
  g_autoptr (AttnArray) factors = fixture_array ("s", ATTN_DTYPE_F32, 2, scales_shape, scales);
  g_autoptr (GError) error = NULL;
  float out[15];

  g_assert_false (attn_array_set_scales (array, factors, 1, 2, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_SHAPE);
  g_assert_nonnull (strstr (error->message, "shape [2, 3] found, expected 9"));
  g_assert_true (attn_array_set_scales (array, factors, 2, 2, NULL));
  for (gsize first = 0; first < 15; first++)
    for (gsize n = 1; n <= 15 - first; n++)
      {
        g_assert_true (attn_array_read (array, first, n, out, NULL));
        g_assert_cmpmem (out, n * sizeof *out, expected + first, n * sizeof *out);
      }
  g_assert_null (attn_array_peek_float32 (array));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/format/array/scales", test_scales);
  g_test_add_func ("/format/array/fortran-order-is-transposed", test_fortran_is_transposed);
  g_test_add_func ("/format/array/every-run-of-a-fortran-array", test_every_run);
  g_test_add_func ("/format/array/run-beyond-the-end-is-refused", test_run_beyond_the_end);
  g_test_add_func ("/format/array/swapped-bytes-over-many-chunks", test_swapped_long);
  g_test_add_func ("/format/array/scalar-becomes-one-element", test_scalar_becomes_one_element);
  g_test_add_func ("/format/array/empty-and-five-dimensions-are-no-tensor", test_no_tensor);
  g_test_add_func ("/format/array/peek-only-at-native-floats", test_peek);
  g_test_add_func ("/format/array/peek-needs-alignment", test_peek_needs_alignment);
  g_test_add_func ("/format/array/tensor-is-kept-alive", test_tensor_is_kept_alive);
  g_test_add_func ("/format/array/strings-round-trip", test_strings_round_trip);
  g_test_add_func ("/format/array/no-strings-at-all", test_no_strings);
  g_test_add_func ("/format/array/text-that-is-not-unicode", test_text_that_is_none);
  g_test_add_func ("/format/array/numbers-are-not-text", test_numbers_are_not_text);
  g_test_add_func ("/format/array/bytes-must-fit-the-shape", test_size_must_fit);
  return fixture_run ();
}
