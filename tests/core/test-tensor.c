/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tensors: sizes that overflow, the memory limit, slices. */

#include "config.h"

#include <string.h>

#include "attn-error.h"
#include "attn-memory.h"
#include "attn-tensor.h"

static void
test_new (void)
{
  const gsize shape[] = { 2, 3, 5 };
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnTensor) tensor = attn_tensor_new (3, shape, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (attn_tensor_get_n_elements (tensor), ==, 30);
  g_assert_cmpuint (GPOINTER_TO_SIZE (tensor->data) % 64, ==, 0);
  for (gsize i = 0; i < 30; i++)
    g_assert_cmpfloat (tensor->data[i], ==, 0);
}

static void
check_no_tensor (gsize a,
                 gsize b,
                 int   code)
{
  const gsize shape[] = { a, b };
  g_autoptr (GError) error = NULL;

  g_assert_null (attn_tensor_new (2, shape, &error));
  g_assert_error (error, ATTN_ERROR, code);
}

static void
test_overflow (void)
{
  check_no_tensor (0, 3, ATTN_ERROR_SHAPE);
  check_no_tensor (3, 0, ATTN_ERROR_SHAPE);
  check_no_tensor (G_MAXSIZE, 2, ATTN_ERROR_SHAPE);
  check_no_tensor ((gsize) 1 << 32, (gsize) 1 << 32, ATTN_ERROR_SHAPE);
  /* The elements can be counted, their bytes cannot. */
  check_no_tensor ((gsize) 1 << 62, 1, ATTN_ERROR_SHAPE);
  /* 2^60 elements: countable, but beyond any machine. */
  check_no_tensor ((gsize) 1 << 30, (gsize) 1 << 30, ATTN_ERROR_MEMORY);
}

static void
test_memory_limit (void)
{
  const gsize shape[] = { 1000 };
  g_autoptr (GError) error = NULL;

  attn_memory_set_limit (3999);
  g_assert_cmpuint (attn_memory_get_limit (), ==, 3999);
  g_assert_null (attn_tensor_new (1, shape, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_MEMORY);
  /* Both numbers are in the message: what is needed and what is allowed. */
  g_assert_nonnull (strstr (error->message, "[1000]"));
  g_assert_nonnull (strstr (error->message, "needed, expected at most"));
  attn_memory_set_limit (4000);
  g_autoptr (AttnTensor) tensor = attn_tensor_new (1, shape, NULL);
  g_assert_nonnull (tensor);
  attn_memory_set_limit (0);
  g_assert_cmpuint (attn_memory_get_limit (), >, 4000);
}

static void
test_slice_keeps_parent_alive (void)
{
  const gsize shape[] = { 2, 3, 4 };
  AttnTensor *tensor = attn_tensor_new (3, shape, NULL);

  for (int i = 0; i < 24; i++)
    tensor->data[i] = i;
  AttnTensor *half = attn_tensor_slice (tensor, 1);
  attn_tensor_unref (tensor);
  g_autoptr (AttnTensor) row = attn_tensor_slice (half, 2);
  attn_tensor_unref (half);
  g_assert_cmpuint (row->n_dims, ==, 1);
  g_assert_cmpuint (row->shape[0], ==, 4);
  for (int i = 0; i < 4; i++)
    g_assert_cmpfloat (row->data[i], ==, 12 + 8 + i);
}

static void
test_shape_to_string (void)
{
  const gsize shape[] = { 2, 4, 15 };
  g_autofree char *three = attn_shape_to_string (3, shape);
  g_autofree char *none = attn_shape_to_string (0, NULL);

  g_assert_cmpstr (three, ==, "[2, 4, 15]");
  g_assert_cmpstr (none, ==, "[]");
}

static void
test_shape_n_elements (void)
{
  const gsize shape[] = { 2, 0, 15 };
  gsize n;

  g_assert_true (attn_shape_get_n_elements (0, NULL, &n));
  g_assert_cmpuint (n, ==, 1);
  g_assert_true (attn_shape_get_n_elements (3, shape, &n));
  g_assert_cmpuint (n, ==, 0);
}

/* Blocks are used again, those of the weights of a long text and of a panel's level: what was in
 * them must not show. */
static void
test_blocks_are_used_again (void)
{
  const gsize sides[] = { 1024, 512 };

  for (gsize k = 0; k < G_N_ELEMENTS (sides); k++)
    {
      const gsize shape[] = { sides[k], sides[k] };
      const gsize other[] = { sides[k], sides[k] - 1 };
      const gsize n = sides[k] * sides[k];
      AttnTensor *tensor = attn_tensor_new (2, shape, NULL);
      const float *first = tensor->data;

      g_assert_cmpuint (GPOINTER_TO_SIZE (tensor->data) % 64, ==, 0);
      for (gsize i = 0; i < n; i++)
        tensor->data[i] = 1.0f;
      attn_tensor_unref (tensor);

      /* Whoever asks for as much in between, such as malloc() itself, does not get it. */
      g_autofree gpointer between = g_malloc0 (n * sizeof (float));
      g_assert_nonnull (between);
      tensor = attn_tensor_new (2, shape, NULL);
      g_assert_true (tensor->data == first);
      for (gsize i = 0; i < n; i++)
        g_assert_true (tensor->data[i] == 0.0f);

      /* While it is in use, another gets memory of its own. */
      g_autoptr (AttnTensor) second = attn_tensor_new_unset (2, other, NULL);
      g_assert_true (second->data + n <= first || second->data >= first + n);
      attn_tensor_unref (tensor);
    }
}

static void
assert_triangles (const AttnTensor *tensor)
{
  gsize n = tensor->shape[2];

  for (gsize row = 0; row < tensor->shape[0] * n; row++)
    for (gsize column = row % n + 1; column < n; column++)
      g_assert_cmpfloat (tensor->data[row * n + column], ==, 0);
}

/* Writes what the maker of the tensor may write. */
static void
fill_triangles (AttnTensor *tensor)
{
  gsize n = tensor->shape[2];

  for (gsize row = 0; row < tensor->shape[0] * n; row++)
    for (gsize column = 0; column <= row % n; column++)
      tensor->data[row * n + column] = 7;
}

/* Fills memory of @n floats with what is not 0. */
static void
fill_anything (gsize n)
{
  g_autoptr (AttnTensor) tensor = attn_tensor_new_unset (1, &n, NULL);

  for (gsize i = 0; i < n; i++)
    tensor->data[i] = 9;
}

/* Above the diagonal there are zeros whatever the memory was used for before: for nothing, for
 * maps of that size, for others that take as much, for anything, for fewer maps that take as many
 * pages. Below the size of a kept block, and above it. */
static void
test_triangles (void)
{
  static const gsize sizes[] = { 3, 100, 256 };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      gsize n = sizes[i];
      const gsize flat[] = { 8 * n * n };

      for (int before = 0; before < 5; before++)
        {
          AttnTensor *tensor = attn_tensor_new_triangles (8, n, NULL);

          assert_triangles (tensor);
          fill_triangles (tensor);
          attn_tensor_unref (tensor);
          if (before == 1)
            {
              g_autoptr (AttnTensor) other = attn_tensor_new_triangles (2, 2 * n, NULL);

              assert_triangles (other);
              fill_triangles (other);
            }
          else if (before == 2)
            fill_anything (flat[0]);
          else if (before == 3)
            {
              g_autoptr (AttnTensor) other = attn_tensor_new (1, flat, NULL);

              for (gsize j = 0; j < flat[0]; j++)
                g_assert_cmpfloat (other->data[j], ==, 0);
            }
          else if (before == 4)
            {
              fill_anything (flat[0]);
              g_autoptr (AttnTensor) fewer = attn_tensor_new_triangles (7, n, NULL);

              assert_triangles (fewer);
            }
        }
      g_autoptr (AttnTensor) last = attn_tensor_new_triangles (8, n, NULL);
      assert_triangles (last);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/core/tensor/new-is-zero-and-aligned", test_new);
  g_test_add_func ("/core/tensor/sizes-that-overflow", test_overflow);
  g_test_add_func ("/core/tensor/memory-limit", test_memory_limit);
  g_test_add_func ("/core/tensor/slice-keeps-parent-alive", test_slice_keeps_parent_alive);
  g_test_add_func ("/core/tensor/shape-to-string", test_shape_to_string);
  g_test_add_func ("/core/tensor/elements-of-a-shape", test_shape_n_elements);
  g_test_add_func ("/core/tensor/blocks-are-used-again", test_blocks_are_used_again);
  g_test_add_func ("/core/tensor/zeros-above-the-diagonal", test_triangles);
  return g_test_run ();
}
