/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Runs the pass over another input from which a patch takes values. It stops at the highest layer
 * of the patch, and keeps the input of each layer so that a pass for the next patch can begin
 * there. */

#include "config.h"

#include "attn-source-private.h"

/* Adds an intervention to @reads that reads @component from the layers in @flags, and allocates
 * what it reads into. forget_reads() removes that if the pass is canceled. */
static gboolean
add_read (AttnSource      *source,
          AttnComponent    component,
          AttnSite         site,
          const gboolean  *flags,
          GPtrArray       *reads,
          GError         **error)
{
  const AttnModelInfo *info = &source->model->info;
  gboolean is_stream =
      component == ATTN_COMPONENT_RESIDUAL || component == ATTN_COMPONENT_MLP;
  gboolean is_shared = component == ATTN_COMPONENT_KEY || component == ATTN_COMPONENT_VALUE;
  gboolean is_value = component == ATTN_COMPONENT_VALUE || component == ATTN_COMPONENT_OUTPUT;
  g_autoptr (AttnIndexSet) layers = attn_index_set_new_from_flags (flags, info->n_layers);

  if (layers == NULL)
    return TRUE;
  AttnIntervention *read = attn_intervention_new (component, ATTN_OPERATION_READ, site);
  read->layers = g_steal_pointer (&layers);
  read->source = attn_source_ref (source);
  g_ptr_array_add (reads, read);
  for (gsize layer = 0; layer < info->n_layers; layer++)
    if (flags[layer])
      {
        AttnTensor **place = attn_source_place (source, component, site, layer);
        AttnModelLayer own = attn_model_info_get_layer (info, layer);
        const gsize shape[] = { is_stream   ? 1
                                : is_shared ? own.n_key_heads
                                            : info->n_heads,
                                is_shared ? attn_model_count_keys (source->model, source->n_ids)
                                          : source->n_ids,
                                is_stream  ? info->width
                                : is_value ? own.value_width
                                           : own.head_width };

        *place = attn_tensor_new_unset (3, shape, error);
        if (*place == NULL)
          return FALSE;
      }
  return TRUE;
}

static void
forget_reads (const GPtrArray *reads)
{
  for (guint i = 0; i < reads->len; i++)
    {
      const AttnIntervention *read = g_ptr_array_index (reads, i);

      for (gsize layer = 0; layer < read->source->model->info.n_layers; layer++)
        if (attn_index_set_contains (read->layers, layer))
          g_clear_pointer (
              attn_source_place (read->source, read->component, read->site, layer),
              attn_tensor_unref);
    }
}

/* Runs the pass from layer @begin to layer @end. The residual stream that enters @begin must be
 * known unless @begin is 0. */
static gboolean
run_pass (AttnSource    *source,
          gsize          begin,
          gsize          end,
          GPtrArray     *reads,
          GCancellable  *cancellable,
          GError       **error)
{
  g_autoptr (AttnIndexSet) layers = attn_index_set_new_range (end, end);
  const AttnTensor *stream =
      begin > 0 ? *attn_source_place (source, ATTN_COMPONENT_RESIDUAL, 0, begin) : NULL;
  g_autoptr (AttnTensor) residual =
      stream != NULL ? attn_tensor_slice ((AttnTensor *) stream, 0) : NULL;
  g_autoptr (AttnTensor) final = NULL;
  const AttnForward forward = {
    .model = source->model,
    .ids = source->ids,
    .n_ids = source->n_ids,
    .interventions = reads,
    .keep = end < source->model->info.n_layers ? 0 : ATTN_QUANTITY_FINAL,
    .layers = layers,
    .first_layer = begin,
    .residual = residual,
    .final = &final,
    .cancellable = cancellable,
  };

  return attn_model_run (&forward, error);
}

static gboolean
fill (AttnSource              *source,
      const AttnIntervention  *patch,
      GCancellable            *cancellable,
      GError                 **error)
{
  gsize n_layers = source->model->info.n_layers;
  g_autofree gboolean *missing = g_new0 (gboolean, n_layers);
  g_autofree gboolean *entered = g_new0 (gboolean, n_layers);
  g_autoptr (GPtrArray) reads =
      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);
  gsize begin = n_layers, last = 0;
  gboolean is_stream = patch->component == ATTN_COMPONENT_RESIDUAL ||
                       patch->component == ATTN_COMPONENT_MLP;
  /* The output of a layer is computed only if a higher layer is computed, too: a pass that reads it
   * ends one layer higher. */
  gboolean is_behind =
      patch->component == ATTN_COMPONENT_OUTPUT || patch->component == ATTN_COMPONENT_MLP;

  for (gsize layer = 0; layer < n_layers; layer++)
    if (attn_index_set_contains (patch->layers, layer) &&
        (is_stream || attn_model_has_map (source->model, layer)) &&
        attn_intervention_has_site (patch, source->model, layer) &&
        attn_source_get (source, patch, layer) == NULL)
      {
        missing[layer] = TRUE;
        begin = MIN (begin, layer);
        last = layer;
      }
  if (begin == n_layers)
    return TRUE;
  begin = attn_model_info_find_start (&source->model->info, begin);
  while (begin > 0 && *attn_source_place (source, ATTN_COMPONENT_RESIDUAL, 0, begin) == NULL)
    begin--;
  for (gsize layer = begin; layer <= last; layer++)
    entered[layer] = *attn_source_place (source, ATTN_COMPONENT_RESIDUAL, 0, layer) == NULL;
  if (add_read (source, ATTN_COMPONENT_RESIDUAL, 0, entered, reads, error) &&
      (patch->component == ATTN_COMPONENT_RESIDUAL ||
       add_read (source, patch->component, patch->site, missing, reads, error)) &&
      run_pass (source, begin, last + is_behind, reads, cancellable, error))
    return TRUE;
  forget_reads (reads);
  return FALSE;
}

/**
 * attn_interventions_prepare:
 * @interventions: (nullable) (element-type AttnIntervention): checked
 * @error: return location: %ATTN_ERROR_MEMORY, %G_IO_ERROR_CANCELLED
 *
 * Computes the values that the patches among @interventions take from their other inputs, unless it
 * was done already. Takes memory for [T, D] float32 a layer up to the last one patched, and for the
 * values. Any thread may call.
 */
gboolean
attn_interventions_prepare (const GPtrArray  *interventions,
                            GCancellable     *cancellable,
                            GError          **error)
{
  for (guint i = 0; interventions != NULL && i < interventions->len; i++)
    {
      const AttnIntervention *patch = g_ptr_array_index (interventions, i);

      if (patch->operation != ATTN_OPERATION_PATCH)
        continue;
      g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&patch->source->lock);
      if (!fill (patch->source, patch, cancellable, error))
        return FALSE;
    }
  return TRUE;
}
