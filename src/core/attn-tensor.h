/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A tensor: a dense array of 32-bit floats in memory, in row-major order (the outermost dimension
 * first). */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define ATTN_TENSOR_MAX_DIMS 4

typedef struct _AttnTensor AttnTensor;

/**
 * AttnTensor:
 * @n_dims: 1 to %ATTN_TENSOR_MAX_DIMS
 * @shape: the number of elements along each dimension, outermost first; each at least 1
 * @data: the elements, aligned to 64 bytes except in a slice. The function that makes the tensor
 *   writes them; once another thread or object has the tensor, they do not change.
 * @triangle: n if the tensor consists of n x n maps that are and stay 0 above the diagonal;
 *   otherwise 0
 *
 * Reference-counted; any thread may take or drop a reference.
 */
struct _AttnTensor
{
  guint n_dims;
  gsize shape[ATTN_TENSOR_MAX_DIMS];
  float *data;
  gsize triangle;

  /*< private >*/
  gatomicrefcount ref_count;
  AttnTensor *parent; /* the tensor whose data a slice uses; %NULL if the tensor is no slice */
};

AttnTensor *attn_tensor_new            (guint              n_dims,
                                        const gsize       *shape,
                                        GError           **error);
AttnTensor *attn_tensor_new_unset      (guint              n_dims,
                                        const gsize       *shape,
                                        GError           **error);
AttnTensor *attn_tensor_new_triangles  (gsize              n_maps,
                                        gsize              n,
                                        GError           **error);
AttnTensor *attn_tensor_ref            (AttnTensor        *tensor);
void        attn_tensor_unref          (AttnTensor        *tensor);
AttnTensor *attn_tensor_slice          (AttnTensor        *tensor,
                                        gsize              index);
AttnTensor *attn_tensor_slice_range    (AttnTensor        *tensor,
                                        gsize              first,
                                        gsize              n);
AttnTensor *attn_tensor_copy           (const AttnTensor  *tensor,
                                        GError           **error);
gboolean    attn_tensor_has_shape      (const AttnTensor  *tensor,
                                        guint              n_dims,
                                        const gsize       *shape);
gsize       attn_tensor_get_n_elements (const AttnTensor  *tensor);
gboolean    attn_shape_get_n_elements  (guint              n_dims,
                                        const gsize       *shape,
                                        gsize             *n_elements);
char       *attn_shape_to_string       (guint              n_dims,
                                        const gsize       *shape);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnTensor, attn_tensor_unref)

G_END_DECLS
