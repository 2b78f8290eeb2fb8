/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-recording-layers.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"

/* Returns the length of a name without the number at its end, and sets *number; "arr_12" gives 4
 * and 12. Returns 0 if there is no number. */
static gsize
find_number (const char *name,
             guint64    *number)
{
  gsize length = strlen (name), n = length;

  while (n > 0 && g_ascii_isdigit (name[n - 1]))
    n--;
  return n < length &&
                 g_ascii_string_to_unsigned (name + n, 10, 0, G_MAXUINT16, number, NULL)
             ? n
             : 0;
}

/* Finds the arrays of the layers in a file whose arrays all have the same name with a number at its
 * end, from 0 on without a gap. Returns: (transfer container) (nullable): at least two arrays in
 * the order of the layers, or NULL */
static GPtrArray *
find_layers (const AttnArrayFile *file)
{
  gsize n_arrays = attn_array_file_get_n_arrays (file);
  g_autoptr (GPtrArray) layers = g_ptr_array_new ();
  const AttnArray *first = NULL;
  gsize n_prefix = 0, n_found = 0;

  for (gsize i = 0; i < n_arrays; i++)
    {
      const AttnArray *array = attn_array_file_get_nth (file, i);
      guint64 number = 0;

      if (array->dtype == ATTN_DTYPE_UNICODE || array->n_dims < 2)
        continue;
      gsize n = find_number (array->name, &number);
      if (n == 0 || number >= n_arrays ||
          (first != NULL && (n != n_prefix || strncmp (array->name, first->name, n) != 0)))
        return NULL;
      if (first == NULL)
        first = array;
      n_prefix = n;
      if (number >= layers->len)
        g_ptr_array_set_size (layers, (gint) number + 1);
      n_found += layers->pdata[number] == NULL;
      layers->pdata[number] = (gpointer) array;
    }
  return n_found > 1 && n_found == layers->len ? g_steal_pointer (&layers) : NULL;
}

/**
 * attn_recording_fail_shapes:
 * @a, @b: two arrays of @file, whose shapes do not fit each other
 * @error: return location for %ATTN_ERROR_SHAPE; the message names both arrays and their shapes
 *
 * Returns: %FALSE
 */
gboolean
attn_recording_fail_shapes (const AttnArrayFile  *file,
                            const AttnArray      *a,
                            const AttnArray      *b,
                            GError              **error)
{
  g_autofree char *first = attn_shape_to_string (a->n_dims, a->shape);
  g_autofree char *second = attn_shape_to_string (b->n_dims, b->shape);

  return attn_fail (error, ATTN_ERROR_SHAPE,
                    _("%s: “%s” of shape %s and “%s” of shape %s found, expected shapes of one "
                      "forward pass"),
                    attn_array_file_get_path (file), a->name, first, b->name, second);
}

static gboolean
have_one_shape (const AttnArray *a,
                const AttnArray *b)
{
  return a->n_dims == b->n_dims && memcmp (a->shape, b->shape, a->n_dims * sizeof *a->shape) == 0;
}

/**
 * attn_recording_stack_layers:
 * @stacked: (out) (transfer full) (nullable): the layers of the file as one array [L, H, T, S],
 *   float32; %NULL if its arrays are no layers. Layers have names that are alike but for a number
 *   at their end, from 0 on; each is [H, T, S] or [T, S], or [1, H, T, S] with a batch
 * @error: return location for %ATTN_ERROR_SHAPE for layers of different shapes, %ATTN_ERROR_MEMORY,
 *   and errors of [func@attn_array_read]
 */
gboolean
attn_recording_stack_layers (const AttnArrayFile  *file,
                             AttnArray           **stacked,
                             GError              **error)
{
  g_autoptr (GPtrArray) layers = find_layers (file);
  const AttnArray *first = layers != NULL ? layers->pdata[0] : NULL;
  gsize shape[4] = { 0, 1 };

  *stacked = NULL;
  if (first == NULL || first->n_dims > 4 || (first->n_dims == 4 && first->shape[0] != 1))
    return TRUE;
  for (guint i = 1; i < layers->len; i++)
    if (!have_one_shape (first, layers->pdata[i]))
      return attn_recording_fail_shapes (file, first, layers->pdata[i], error);
  /* A layer of shape [T, S] has one head. The batch of [1, H, T, S] is left out. */
  guint n_dims = MIN (first->n_dims, 3);
  shape[0] = layers->len;
  memcpy (shape + 4 - n_dims, first->shape + first->n_dims - n_dims, n_dims * sizeof *shape);

  g_autoptr (AttnTensor) tensor = attn_tensor_new_unset (4, shape, error);
  if (tensor == NULL)
    return FALSE;
  gsize n = attn_array_get_n_elements (first);
  for (guint i = 0; i < layers->len; i++)
    if (!attn_array_read (layers->pdata[i], 0, n, tensor->data + i * n, error))
      return FALSE;
  *stacked = attn_array_new_from_tensor (first->name, tensor);
  return TRUE;
}
