/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A dense array of float32 in memory, row-major, outermost dimension first. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define ATTN_TENSOR_MAX_DIMS 4

typedef struct _AttnTensor AttnTensor;

/**
 * AttnTensor:
 * @n_dims: 1 to %ATTN_TENSOR_MAX_DIMS
 * @shape: sizes, outermost first; every one at least 1
 * @data: 64-byte aligned unless it is a slice; written by its maker until it is shared, then
 *   immutable
 * @triangle: n where it was made of n x n maps that are 0 above the diagonal, and stay so; or 0
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
  AttnTensor *parent; /* owner of the data, for a slice */
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
