/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-model-reference.h"

/**
 * attn_model_reference_new:
 * @path: (nullable): checkpoint directory or file, %NULL for the model that ships with the program
 * @fingerprint: (nullable): of the model
 *
 * Returns: (transfer full): a reference, which has copies of both
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
 * Returns: (transfer full): a copy, with the fingerprint
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
 * @path: (nullable): copied
 *
 * Makes @reference one to another model, whatever its fingerprint, without an adapter.
 */
void
attn_model_reference_set (AttnModelReference *reference,
                          const char         *path)
{
  const AttnModelReference other = { .path = (char *) path };

  attn_model_reference_take (reference, &other);
}

/**
 * attn_model_reference_take:
 * @other: copied, but for its fingerprint
 *
 * Makes @reference one to the model of @other, whatever its fingerprint.
 */
void
attn_model_reference_take (AttnModelReference       *reference,
                           const AttnModelReference *other)
{
  AttnModelReference copy = { .path = g_strdup (other->path),
                              .adapter = g_strdup (other->adapter),
                              .header = other->header };

  attn_model_reference_clear (reference);
  *reference = copy;
}

/**
 * attn_model_reference_equal:
 *
 * Returns: whether both are to the same model and read it alike, whatever its fingerprint was
 */
gboolean
attn_model_reference_equal (const AttnModelReference *reference,
                            const AttnModelReference *other)
{
  return g_strcmp0 (reference->path, other->path) == 0 &&
         g_strcmp0 (reference->adapter, other->adapter) == 0 &&
         reference->header == other->header;
}

void
attn_model_reference_clear (AttnModelReference *reference)
{
  g_clear_pointer (&reference->path, g_free);
  g_clear_pointer (&reference->adapter, g_free);
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
