/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-model-reference.h"

#include <string.h>

#include "attn-array-format.h"

/**
 * attn_model_reference_new:
 * @path: (nullable): checkpoint directory or file, %NULL for the model that ships with the program
 * @fingerprint: (nullable): of the model's files when the study was made
 *
 * Returns: (transfer full): a reference, which has copies of both strings
 */
AttnModelReference *
attn_model_reference_new (const char *path,
                          const char *fingerprint)
{
  AttnModelReference *reference = g_new0 (AttnModelReference, 1);

  reference->path = g_strdup (path);
  reference->fingerprint = g_strdup (fingerprint);
  return reference;
}

/**
 * attn_model_reference_copy:
 *
 * Returns: (transfer full): a copy, including the fingerprint, which
 *   [func@attn_model_reference_take] leaves out
 */
AttnModelReference *
attn_model_reference_copy (const AttnModelReference *reference)
{
  AttnModelReference *copy = g_new0 (AttnModelReference, 1);

  attn_model_reference_take (copy, reference);
  copy->fingerprint = g_strdup (reference->fingerprint);
  return copy;
}

/**
 * attn_model_reference_set:
 * @path: (nullable): path of another model, copied
 *
 * Makes @reference point to the model at @path; adapter, array and fingerprint are forgotten.
 */
void
attn_model_reference_set (AttnModelReference *reference,
                          const char         *path)
{
  const AttnModelReference other = { .path = (char *) path };

  attn_model_reference_take (reference, &other);
}

static gboolean
may_have_several (const char *path)
{
  return attn_array_format_find (path) != NULL &&
         !attn_array_format_has (path, ATTN_ARRAY_FORMAT_TEXT | ATTN_ARRAY_FORMAT_WRITES_ONE);
}

/* Finds the colon of "F.npz:NAME": the one after the path of an existing file, else the first one
 * after a name that ends as files of several arrays do. */
static const char *
find_colon (const char *text)
{
  const char *first = NULL;

  for (const char *colon = strchr (text, ':'); colon != NULL; colon = strchr (colon + 1, ':'))
    {
      g_autofree char *path = g_strndup (text, colon - text);

      if (!may_have_several (path))
        continue;
      if (g_file_test (path, G_FILE_TEST_EXISTS))
        return colon;
      if (first == NULL)
        first = colon;
    }
  return first;
}

/**
 * attn_model_reference_parse:
 * @text: a path, or "F.npz:NAME" for an array of a file that may have several; if there is a file
 *   whose whole name is @text, it is meant
 *
 * Sets the path and the array of @reference, and nothing else.
 */
void
attn_model_reference_parse (AttnModelReference *reference,
                            const char         *text)
{
  const char *colon = g_file_test (text, G_FILE_TEST_EXISTS) ? NULL : find_colon (text);

  g_free (reference->path);
  g_free (reference->array);
  reference->path = colon != NULL ? g_strndup (text, colon - text) : g_strdup (text);
  reference->array = colon != NULL ? g_utf8_make_valid (colon + 1, -1) : NULL;
}

/**
 * attn_model_reference_load_arrays:
 * @reference: to a file of arrays
 * @error: return location: errors of [func@attn_array_file_load_table] and
 *   [func@attn_array_file_select]
 *
 * Returns: (transfer full) (nullable): all arrays of the file, or the one that @reference names; if
 *   it names none, of a file of probes the map of their AUC
 */
AttnArrayFile *
attn_model_reference_load_arrays (const AttnModelReference  *reference,
                                  GError                   **error)
{
  g_autoptr (AttnArrayFile) file =
      attn_array_file_load_table (reference->path, reference->header, error);
  const char *array = reference->array;

  if (file == NULL)
    return NULL;
  if (array == NULL && attn_array_file_get_metadata (file, ATTN_MODEL_REFERENCE_PROBE) != NULL &&
      attn_array_file_lookup (file, ATTN_MODEL_REFERENCE_PROBE_MAP) != NULL)
    array = ATTN_MODEL_REFERENCE_PROBE_MAP;
  if (array != NULL && !attn_array_file_select (file, array, error))
    return NULL;
  return g_steal_pointer (&file);
}

/**
 * attn_model_reference_take:
 * @other: the reference that is copied, without its fingerprint
 *
 * Makes @reference point to the model of @other, without any fingerprint.
 */
void
attn_model_reference_take (AttnModelReference       *reference,
                           const AttnModelReference *other)
{
  AttnModelReference copy = { .path = g_strdup (other->path),
                              .adapter = g_strdup (other->adapter),
                              .array = g_strdup (other->array),
                              .header = other->header };

  attn_model_reference_clear (reference);
  *reference = copy;
}

/**
 * attn_model_reference_equal:
 *
 * Returns: whether both have the same path, adapter, array and table header; fingerprints are not
 *   compared
 */
gboolean
attn_model_reference_equal (const AttnModelReference *reference,
                            const AttnModelReference *other)
{
  return g_strcmp0 (reference->path, other->path) == 0 &&
         g_strcmp0 (reference->adapter, other->adapter) == 0 &&
         g_strcmp0 (reference->array, other->array) == 0 &&
         reference->header == other->header;
}

void
attn_model_reference_clear (AttnModelReference *reference)
{
  g_clear_pointer (&reference->path, g_free);
  g_clear_pointer (&reference->adapter, g_free);
  g_clear_pointer (&reference->array, g_free);
  g_clear_pointer (&reference->fingerprint, g_free);
  reference->header = ATTN_TABLE_HEADER_AUTO;
}

void
attn_model_reference_free (AttnModelReference *reference)
{
  if (reference == NULL)
    return;
  attn_model_reference_clear (reference);
  g_free (reference);
}
