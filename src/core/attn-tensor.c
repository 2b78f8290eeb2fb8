/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-tensor.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-pages.h"

/**
 * attn_shape_get_n_elements:
 * @n_dims: number of dimensions
 * @shape: (array length=n_dims): the number of elements along each dimension
 * @n_elements: (out): the product of these numbers
 *
 * Returns: %FALSE if the product, or 8 bytes for each element, does not fit a gsize
 */
gboolean
attn_shape_get_n_elements (guint        n_dims,
                           const gsize *shape,
                           gsize       *n_elements)
{
  gsize n = 1;

  for (guint i = 0; i < n_dims; i++)
    if (!g_size_checked_mul (&n, n, shape[i]))
      return FALSE;
  if (n > G_MAXSIZE / 8)
    return FALSE;
  *n_elements = n;
  return TRUE;
}

/**
 * attn_shape_to_string:
 *
 * Returns: (transfer full): the shape as text for messages, such as "[2, 4, 15]"
 */
char *
attn_shape_to_string (guint        n_dims,
                      const gsize *shape)
{
  GString *string = g_string_new ("[");

  for (guint i = 0; i < n_dims; i++)
    g_string_append_printf (string, "%s%zu", i > 0 ? ", " : "", shape[i]);
  g_string_append_c (string, ']');
  return g_string_free (string, FALSE);
}

static AttnTensor *
make_tensor (guint         n_dims,
             const gsize  *shape,
             gsize         triangle,
             gboolean     *is_clear,
             GError      **error)
{
  gsize n_elements;

  g_return_val_if_fail (n_dims >= 1 && n_dims <= ATTN_TENSOR_MAX_DIMS, NULL);

  if (!attn_shape_get_n_elements (n_dims, shape, &n_elements) || n_elements == 0)
    {
      g_autofree char *found = attn_shape_to_string (n_dims, shape);
      return attn_fail_null (error, ATTN_ERROR_SHAPE,
                             _("array of shape %s, expected sizes of at least 1 whose product "
                               "fits the memory"),
                             found);
    }

  gsize n_bytes = n_elements * sizeof (float);
  g_autofree char *what = attn_shape_to_string (n_dims, shape);
  float *data = attn_pages_take (n_bytes, triangle, what, is_clear, error);
  if (data == NULL)
    return NULL;

  AttnTensor *tensor = g_new0 (AttnTensor, 1);
  tensor->n_dims = n_dims;
  memcpy (tensor->shape, shape, n_dims * sizeof *shape);
  tensor->data = data;
  tensor->triangle = triangle;
  g_atomic_ref_count_init (&tensor->ref_count);
  return tensor;
}

/**
 * attn_tensor_new:
 * @n_dims: 1 to %ATTN_TENSOR_MAX_DIMS
 * @shape: (array length=n_dims): the number of elements along each dimension, outermost first
 * @error: return location: %ATTN_ERROR_SHAPE for a size of 0 or a product that overflows,
 *   %ATTN_ERROR_MEMORY above the memory limit
 *
 * Returns: (transfer full) (nullable): a tensor of zeros
 */
AttnTensor *
attn_tensor_new (guint         n_dims,
                 const gsize  *shape,
                 GError      **error)
{
  gboolean is_clear;
  AttnTensor *tensor = make_tensor (n_dims, shape, 0, &is_clear, error);

  if (tensor != NULL && !is_clear)
    memset (tensor->data, 0, attn_tensor_get_n_elements (tensor) * sizeof (float));
  return tensor;
}

/**
 * attn_tensor_new_unset:
 *
 * Like [func@attn_tensor_new], but quicker, for a caller that writes every element.
 *
 * Returns: (transfer full) (nullable): a tensor whose elements are undefined
 */
AttnTensor *
attn_tensor_new_unset (guint         n_dims,
                       const gsize  *shape,
                       GError      **error)
{
  gboolean is_clear;

  return make_tensor (n_dims, shape, 0, &is_clear, error);
}

/**
 * attn_tensor_new_triangles:
 *
 * Like [func@attn_tensor_new_unset], for a caller that writes every element up to the diagonal of
 * each map, and none above it. Those above are 0, which takes no time if the memory belonged to a
 * tensor of the same kind before.
 *
 * Returns: (transfer full) (nullable): [@n_maps, @n, @n], undefined up to the diagonal of each map
 */
AttnTensor *
attn_tensor_new_triangles (gsize    n_maps,
                           gsize    n,
                           GError **error)
{
  const gsize shape[] = { n_maps, n, n };
  gboolean is_clear;
  AttnTensor *tensor = make_tensor (3, shape, n, &is_clear, error);

  for (gsize row = 0; tensor != NULL && !is_clear && row < n_maps * n; row++)
    {
      gsize n_visible = row % n + 1;

      memset (tensor->data + row * n + n_visible, 0, (n - n_visible) * sizeof (float));
    }
  return tensor;
}

/**
 * attn_tensor_ref:
 *
 * Returns: (transfer full): @tensor. Any thread may call.
 */
AttnTensor *
attn_tensor_ref (AttnTensor *tensor)
{
  g_atomic_ref_count_inc (&tensor->ref_count);
  return tensor;
}

/**
 * attn_tensor_unref:
 * @tensor: (transfer full)
 *
 * Releases a reference, and frees the tensor with the last one. Any thread may call.
 */
void
attn_tensor_unref (AttnTensor *tensor)
{
  if (!g_atomic_ref_count_dec (&tensor->ref_count))
    return;
  if (tensor->parent != NULL)
    attn_tensor_unref (tensor->parent);
  else
    attn_pages_release (tensor->data, attn_tensor_get_n_elements (tensor) * sizeof (float),
                        tensor->triangle);
  g_free (tensor);
}

/* Returns a tensor of @shape that uses the memory of @tensor from element @offset on, and keeps
 * @tensor alive. */
static AttnTensor *
share (AttnTensor  *tensor,
       guint        n_dims,
       const gsize *shape,
       gsize        offset)
{
  AttnTensor *part = g_new0 (AttnTensor, 1);

  part->n_dims = n_dims;
  memcpy (part->shape, shape, n_dims * sizeof *shape);
  part->parent = attn_tensor_ref (tensor->parent != NULL ? tensor->parent : tensor);
  part->data = tensor->data + offset;
  g_atomic_ref_count_init (&part->ref_count);
  return part;
}

/**
 * attn_tensor_slice:
 * @tensor: [n, ...], at least two dimensions
 * @index: below n
 *
 * Returns: (transfer full): @tensor[@index], with one dimension less. It uses the memory of @tensor
 *   and keeps @tensor alive.
 */
AttnTensor *
attn_tensor_slice (AttnTensor *tensor,
                   gsize       index)
{
  g_return_val_if_fail (tensor->n_dims >= 2 && index < tensor->shape[0], NULL);

  return share (tensor, tensor->n_dims - 1, tensor->shape + 1,
                index * (attn_tensor_get_n_elements (tensor) / tensor->shape[0]));
}

/**
 * attn_tensor_slice_range:
 * @tensor: [m, ...]
 * @first: the first index of the outermost dimension
 * @n: the number of indices, at least 1; @first + @n at most m
 *
 * Returns: (transfer full): [@n, ...], @tensor[@first] to @tensor[@first + @n - 1]. It uses the
 *   memory of @tensor and keeps @tensor alive.
 */
AttnTensor *
attn_tensor_slice_range (AttnTensor *tensor,
                         gsize       first,
                         gsize       n)
{
  g_return_val_if_fail (n >= 1 && first < tensor->shape[0] && n <= tensor->shape[0] - first, NULL);

  AttnTensor *slice = share (tensor, tensor->n_dims, tensor->shape,
                             first * (attn_tensor_get_n_elements (tensor) / tensor->shape[0]));
  slice->shape[0] = n;
  return slice;
}

/**
 * attn_tensor_copy:
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * Returns: (transfer full) (nullable): a tensor with the same shape and numbers, in its own memory
 */
AttnTensor *
attn_tensor_copy (const AttnTensor  *tensor,
                  GError           **error)
{
  AttnTensor *copy = attn_tensor_new_unset (tensor->n_dims, tensor->shape, error);

  if (copy != NULL)
    memcpy (copy->data, tensor->data, attn_tensor_get_n_elements (tensor) * sizeof (float));
  return copy;
}

/**
 * attn_tensor_has_shape:
 * @tensor: (nullable)
 * @shape: (array length=n_dims)
 *
 * Returns: whether @tensor has just this shape, for a function to check its arguments; %FALSE for
 *   %NULL
 */
gboolean
attn_tensor_has_shape (const AttnTensor *tensor,
                       guint             n_dims,
                       const gsize      *shape)
{
  return tensor != NULL && tensor->n_dims == n_dims &&
         memcmp (tensor->shape, shape, n_dims * sizeof *shape) == 0;
}

/**
 * attn_tensor_get_n_elements:
 *
 * Returns: the number of elements, the product of the shape's numbers
 */
gsize
attn_tensor_get_n_elements (const AttnTensor *tensor)
{
  gsize n = 1;

  for (guint i = 0; i < tensor->n_dims; i++)
    n *= tensor->shape[i];
  return n;
}
