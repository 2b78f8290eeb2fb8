/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Cache of data of one input in one model without interventions (its baseline), with rules for the
 * time that it is kept. */

#include "config.h"

#include "attn-baseline.h"

#include <string.h>

#include "attn-memory.h"

/* Largest size in bytes of the cached scores and weights of a figure's layers, for all inputs
 * together. Layers for which there is no room are computed again whenever ε changes. */
#define MAX_LAYER_BYTES ((gsize) 512 << 20)

/* Largest size in bytes of cached logits. Logits of a longer text are computed for each
 * comparison. */
#define MAX_LOGIT_BYTES ((gsize) 128 << 20)

/* Scores and weights of a layer take at most the memory limit of a request divided by this
 * number. */
#define MAPS_SHARE 4

static void
free_baseline_panel (gpointer data)
{
  AttnBaselinePanel *kept = data;

  attn_panel_unref (kept->panel);
  g_free (kept);
}

static void
clear_baseline (gpointer data)
{
  AttnBaseline *baseline = data;

  attn_input_free (baseline->input);
  g_clear_pointer (&baseline->tokens, attn_tokens_unref);
  g_clear_pointer (&baseline->source_tokens, attn_tokens_unref);
  g_free (baseline->ids);
  g_clear_pointer (&baseline->residuals, attn_trace_unref);
  g_clear_pointer (&baseline->end, attn_trace_unref);
  g_clear_pointer (&baseline->changed_end, attn_trace_unref);
  g_clear_pointer (&baseline->changes, g_ptr_array_unref);
  g_clear_pointer (&baseline->before, attn_trace_unref);
  g_clear_pointer (&baseline->shown, attn_trace_unref);
  g_clear_pointer (&baseline->source, attn_source_unref);
  g_clear_pointer (&baseline->said, attn_baseline_release);
  for (gsize layer = 0; layer < attn_model_get_info (baseline->model)->n_layers; layer++)
    g_clear_pointer (&baseline->layers[layer], attn_trace_unref);
  g_free (baseline->layers);
  g_free (baseline->are_used);
  g_hash_table_unref (baseline->panels);
  g_clear_pointer (&baseline->groups, g_ptr_array_unref);
  attn_model_unref (baseline->model);
}

void
attn_baseline_release (gpointer baseline)
{
  g_rc_box_release_full (baseline, clear_baseline);
}

/**
 * attn_baseline_new:
 * @tokens: (transfer full): the tokens of the queries
 * @source: (nullable) (transfer full): the tokens that the encoder of a decoder reads
 *
 * Returns: (transfer full): a baseline without computed data, in a reference-counted box
 */
AttnBaseline *
attn_baseline_new (AttnModel       *model,
                   const AttnInput *input,
                   AttnTokens      *tokens,
                   AttnTokens      *source,
                   AttnFraming      framing)
{
  AttnBaseline *baseline = g_rc_box_new0 (AttnBaseline);
  gsize n_layers = attn_model_get_info (model)->n_layers;

  baseline->layers = g_new0 (AttnTrace *, n_layers);
  baseline->are_used = g_new0 (gboolean, n_layers);
  baseline->model = attn_model_ref (model);
  baseline->input = attn_input_copy (input);
  baseline->framing = framing;
  baseline->tokens = tokens;
  baseline->source_tokens = source;
  baseline->ids = attn_tokens_dup_ids (tokens);
  baseline->panels =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, free_baseline_panel);
  return baseline;
}

/**
 * attn_baseline_get_key_labels:
 *
 * Returns: (transfer none) (array zero-terminated=1): labels of the keys: of the tokens, or of
 *   recorded keys
 */
const char * const *
attn_baseline_get_key_labels (const AttnBaseline *baseline)
{
  const char * const *recorded = attn_model_get_recorded_keys (baseline->model);

  return recorded != NULL ? recorded : (const char * const *) baseline->tokens->labels;
}

/**
 * attn_baseline_count_keys:
 *
 * Returns: the number of keys of each head, which is that of the tokens or of recorded keys
 */
gsize
attn_baseline_count_keys (const AttnBaseline *baseline)
{
  const char * const *recorded = attn_model_get_recorded_keys (baseline->model);

  return recorded != NULL ? g_strv_length ((char **) recorded) : baseline->tokens->n_tokens;
}

/**
 * attn_baseline_begin_job:
 * @n_baselines: number of baselines that share the memory for cached layers
 *
 * Prepares @baseline for a job: marks all layers as unused, and sets how much memory they can take.
 */
void
attn_baseline_begin_job (AttnBaseline *baseline,
                         gsize         n_baselines)
{
  gsize n_bytes = MIN (MAX_LAYER_BYTES, attn_memory_get_limit () / MAPS_SHARE);

  baseline->max_layer_bytes = n_bytes / n_baselines;
  memset (baseline->are_used, 0,
          attn_model_get_info (baseline->model)->n_layers * sizeof *baseline->are_used);
}

/* Tells whether there is room for the scores and weights of all heads of a layer at once. */
static gboolean
can_keep_maps (const AttnBaseline *baseline)
{
  const AttnModelInfo *info = attn_model_get_info (baseline->model);
  gsize n_tokens = baseline->tokens->n_tokens;
  const gsize shape[] = { 2 * info->n_heads, n_tokens, attn_baseline_count_keys (baseline) };
  gsize n_elements;

  if (attn_panel_is_too_long (shape[1], shape[2]))
    return FALSE;
  return info->n_recorded_keys > 0 ||
         (attn_shape_get_n_elements (3, shape, &n_elements) &&
          n_elements * sizeof (float) <= attn_memory_get_limit () / MAPS_SHARE);
}

static AttnTrace *
compute_trace (AttnBaseline        *baseline,
               AttnQuantity         keep,
               AttnIndexSet        *layers,
               const AttnProgress  *progress,
               GCancellable        *cancellable,
               GError             **error)
{
  const AttnTrace *known = baseline->residuals != NULL ? baseline->residuals : baseline->before;
  AttnTraceRequest request = {
    .ids = baseline->ids,
    .n_ids = baseline->tokens->n_tokens,
    .keep = keep,
    .layers = layers,
  };

  return attn_trace_compute (baseline->model, &request, known, progress, cancellable, error);
}

/* Computes the residual streams of the layers below @n_layers. Keys and values are kept, too, so
 * that the pass of a changed text can start at the first changed token. */
static gboolean
need_residuals_below (AttnBaseline        *baseline,
                      gsize                n_layers,
                      const AttnProgress  *progress,
                      GCancellable        *cancellable,
                      GError             **error)
{
  const AttnModelInfo *info = attn_model_get_info (baseline->model);

  if (baseline->n_residual_layers >= n_layers)
    return TRUE;

  g_autoptr (AttnIndexSet) layers = attn_index_set_new_range (0, n_layers - 1);
  AttnTrace *trace = compute_trace (
      baseline, info->can_continue ? ATTN_QUANTITIES_TO_CONTINUE : ATTN_QUANTITY_RESIDUAL,
      n_layers < info->n_layers ? layers : NULL, progress, cancellable, error);
  if (trace == NULL)
    return FALSE;
  g_clear_pointer (&baseline->residuals, attn_trace_unref);
  g_clear_pointer (&baseline->before, attn_trace_unref);
  baseline->residuals = trace;
  baseline->n_residual_layers = n_layers;
  return TRUE;
}

/**
 * attn_baseline_need_residuals:
 *
 * Computes the residual stream of every layer, [T, D] float32 each, if @baseline does not have it
 * yet.
 */
gboolean
attn_baseline_need_residuals (AttnBaseline        *baseline,
                              const AttnProgress  *progress,
                              GCancellable        *cancellable,
                              GError             **error)
{
  return need_residuals_below (baseline, attn_model_get_info (baseline->model)->n_layers, progress,
                               cancellable, error);
}

/**
 * attn_baseline_need_end:
 * @error: return location: %ATTN_ERROR_UNSUPPORTED for a model without a language-model head and
 *   for a recording
 *
 * Computes what predictions are compared with, if @baseline does not have it yet: the output of the
 * last layer, [T, D], and the logits, [T, V], unless they take too much memory.
 */
gboolean
attn_baseline_need_end (AttnBaseline  *baseline,
                        GCancellable  *cancellable,
                        GError       **error)
{
  gsize n_bytes;
  gsize n_logits =
      baseline->tokens->n_tokens * attn_model_get_info (baseline->model)->vocabulary_size;
  gboolean has_logits = g_size_checked_mul (&n_bytes, n_logits, sizeof (float)) &&
                        n_bytes <= MIN (MAX_LOGIT_BYTES, attn_memory_get_limit () / MAPS_SHARE);

  if (baseline->end == NULL && attn_baseline_need_residuals (baseline, NULL, cancellable, error))
    baseline->end =
        compute_trace (baseline, ATTN_QUANTITY_FINAL | (has_logits ? ATTN_QUANTITY_LOGITS : 0),
                       NULL, NULL, cancellable, error);
  return baseline->end != NULL;
}

/* Returns the size in bytes of a trace that keeps everything of one layer: [T, D], [H + 2 Hk, T, d]
 * and two [H, T, keys]. */
static gsize
count_layer_bytes (const AttnBaseline *baseline,
                   gsize               layer)
{
  const AttnModelInfo *info = attn_model_get_info (baseline->model);
  gsize n = baseline->tokens->n_tokens;
  AttnModelLayer own = attn_model_info_get_layer (info, layer);
  gsize n_row = info->width + (info->n_heads + 2 * own.n_key_heads) * own.head_width;

  if (can_keep_maps (baseline))
    n_row += 2 * info->n_heads * attn_baseline_count_keys (baseline);
  return n * n_row * sizeof (float);
}

/* Makes @trace the current layer, and caches it among the layers of the figure if the memory for
 * them suffices. */
static void
show_layer (AttnBaseline *baseline,
            gsize         layer,
            AttnTrace    *trace)
{
  gsize n_bytes = count_layer_bytes (baseline, layer);

  if (baseline->layers[layer] == NULL &&
      n_bytes <=
          baseline->max_layer_bytes - MIN (baseline->n_layer_bytes, baseline->max_layer_bytes))
    {
      baseline->layers[layer] = attn_trace_ref (trace);
      baseline->n_layer_bytes += n_bytes;
    }
  baseline->are_used[layer] = TRUE;
  attn_trace_ref (trace);
  g_clear_pointer (&baseline->shown, attn_trace_unref);
  baseline->shown = trace;
  baseline->shown_layer = layer;
}

/* Frees cached layers that the last job did not use. */
static void
trim_layers (AttnBaseline *baseline)
{
  for (gsize layer = 0; layer < attn_model_get_info (baseline->model)->n_layers; layer++)
    if (!baseline->are_used[layer] && baseline->layers[layer] != NULL)
      {
        g_clear_pointer (&baseline->layers[layer], attn_trace_unref);
        baseline->n_layer_bytes -=
            MIN (count_layer_bytes (baseline, layer), baseline->n_layer_bytes);
      }
}

/**
 * attn_baseline_need_layer:
 *
 * Computes the trace of @layer, if @baseline does not have it yet. It holds scores and weights of
 * all heads, 8 bytes x [H, T, T], unless they take more than a quarter of the memory limit of a
 * request, or a panel has too many cells to be kept. Then [func@attn_trace_compute_weights]
 * computes those of a single head.
 */
gboolean
attn_baseline_need_layer (AttnBaseline        *baseline,
                          gsize                layer,
                          const AttnProgress  *progress,
                          GCancellable        *cancellable,
                          GError             **error)
{
  AttnTrace *known = baseline->shown != NULL && baseline->shown_layer == layer
                         ? baseline->shown
                         : baseline->layers[layer];

  if (known != NULL)
    {
      show_layer (baseline, layer, known);
      return TRUE;
    }
  if (attn_model_get_info (baseline->model)->can_continue &&
      !need_residuals_below (baseline, layer + 1, progress, cancellable, error))
    return FALSE;

  g_autoptr (AttnIndexSet) layers = attn_index_set_new_range (layer, layer);
  AttnQuantity keep = ATTN_QUANTITY_RESIDUAL | ATTN_QUANTITY_QUERY | ATTN_QUANTITY_KEY |
                      ATTN_QUANTITY_VALUE;
  if (can_keep_maps (baseline))
    keep |= ATTN_QUANTITY_SCORES | ATTN_QUANTITY_WEIGHTS;
  g_autoptr (AttnTrace) trace =
      compute_trace (baseline, keep, layers, progress, cancellable, error);
  if (trace == NULL)
    return FALSE;
  show_layer (baseline, layer, trace);
  return TRUE;
}

/* Makes a key for the hash table of panels from layer and head. The head can be ATTN_HEAD_MEAN,
 * which is negative. */
static gint64
make_key (gsize layer,
          int   head)
{
  return (gint64) layer << 32 | (guint32) head;
}

/**
 * attn_baseline_find_panel:
 * @head: a head of @layer, or %ATTN_HEAD_MEAN
 *
 * Returns: (transfer none) (nullable): the panel of that head without interventions; %NULL if it is
 *   not cached
 */
AttnBaselinePanel *
attn_baseline_find_panel (AttnBaseline *baseline,
                          gsize         layer,
                          int           head)
{
  gint64 key = make_key (layer, head);
  AttnBaselinePanel *kept = g_hash_table_lookup (baseline->panels, &key);

  if (kept != NULL)
    kept->is_used = TRUE;
  return kept;
}

/**
 * attn_baseline_add_panel:
 * @panel: (transfer full): the weights of @head of @layer
 *
 * Returns: (transfer none): the cached panel, whose measures the caller fills in. It is kept until
 *   [func@attn_workspace_trim] drops it to save memory.
 */
AttnBaselinePanel *
attn_baseline_add_panel (AttnBaseline *baseline,
                         gsize         layer,
                         int           head,
                         AttnPanel    *panel)
{
  AttnBaselinePanel *kept = g_new0 (AttnBaselinePanel, 1);
  gint64 key = make_key (layer, head);

  kept->panel = panel;
  kept->is_used = TRUE;
  g_hash_table_insert (baseline->panels, g_memdup2 (&key, sizeof key), kept);
  return kept;
}

/**
 * attn_baseline_count_panel_bytes:
 *
 * Returns: how many bytes the cached panels take
 */
gsize
attn_baseline_count_panel_bytes (const AttnBaseline *baseline)
{
  GHashTableIter iter;
  gpointer value;
  gsize n_bytes = 0;

  g_hash_table_iter_init (&iter, baseline->panels);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    n_bytes += attn_panel_count_bytes (((const AttnBaselinePanel *) value)->panel);
  return n_bytes;
}

/**
 * attn_baseline_end_job:
 * @drops_panels: whether to drop the panels that the job did not use
 *
 * Drops cached data after a job: layers that it did not use, and the panels of the last plan if the
 * job itself had no plan.
 */
void
attn_baseline_end_job (AttnBaseline *baseline,
                       gboolean      drops_panels)
{
  GHashTableIter iter;
  gpointer value;

  trim_layers (baseline);
  if (!baseline->groups_are_used)
    g_clear_pointer (&baseline->groups, g_ptr_array_unref);
  baseline->groups_are_used = FALSE;
  g_hash_table_iter_init (&iter, baseline->panels);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      AttnBaselinePanel *kept = value;

      if (!kept->is_used && drops_panels)
        g_hash_table_iter_remove (&iter);
      else
        kept->is_used = FALSE;
    }
}
