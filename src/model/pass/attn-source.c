/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-source-private.h"

/**
 * attn_source_new:
 * @ids: (array length=n_ids): checked token ids
 *
 * Returns: (transfer full): an input to patch from, of which nothing is computed yet
 */
AttnSource *
attn_source_new (AttnModel     *model,
                 const guint32 *ids,
                 gsize          n_ids)
{
  AttnSource *source = g_new0 (AttnSource, 1);

  g_atomic_ref_count_init (&source->ref_count);
  g_mutex_init (&source->lock);
  source->model = attn_model_ref (model);
  source->ids = g_memdup2 (ids, n_ids * sizeof *ids);
  source->n_ids = n_ids;
  source->tensors = g_new0 (AttnTensor *, ATTN_N_SOURCE_PLACES * model->info.n_layers);
  return source;
}

AttnSource *
attn_source_ref (AttnSource *source)
{
  g_atomic_ref_count_inc (&source->ref_count);
  return source;
}

void
attn_source_unref (AttnSource *source)
{
  if (source == NULL || !g_atomic_ref_count_dec (&source->ref_count))
    return;
  for (gsize i = 0; i < ATTN_N_SOURCE_PLACES * source->model->info.n_layers; i++)
    g_clear_pointer (&source->tensors[i], attn_tensor_unref);
  g_free (source->tensors);
  g_mutex_clear (&source->lock);
  g_free (source->ids);
  attn_model_unref (source->model);
  g_free (source);
}

const AttnModel *
attn_source_get_model (const AttnSource *source)
{
  return source->model;
}

gsize
attn_source_count_tokens (const AttnSource *source)
{
  return source->n_ids;
}

const guint32 *
attn_source_get_ids (const AttnSource *source)
{
  return source->ids;
}

AttnTensor **
attn_source_place (const AttnSource *source,
                   AttnComponent     component,
                   AttnSite          site,
                   gsize             layer)
{
  gsize place = component < ATTN_N_COMPONENTS
                    ? component * ATTN_N_SITES + site
                    : ATTN_N_COMPONENTS * ATTN_N_SITES + component - ATTN_N_COMPONENTS;

  return &source->tensors[place * source->model->info.n_layers + layer];
}

/**
 * attn_source_get:
 * @intervention: a patch, whose component and site are looked up
 *
 * Returns: (transfer none) (nullable): [H or Hk, T, d], of residual and MLP [1, T, D]; the values
 *   that [func@attn_interventions_prepare] has computed
 */
AttnTensor *
attn_source_get (const AttnSource       *source,
                 const AttnIntervention *intervention,
                 gsize                   layer)
{
  return *attn_source_place (source, intervention->component, intervention->site, layer);
}
