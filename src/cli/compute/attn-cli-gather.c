/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-cli-gather.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-cli-inputs.h"
#include "attn-edge.h"
#include "attn-error.h"
#include "attn-quantities.h"

gboolean
attn_cli_add_strings (AttnArrayFile       *file,
                      const char          *name,
                      const char * const  *strings,
                      GError             **error)
{
  return attn_array_file_add (file, attn_array_new_strings (name, strings), error);
}

/* Copies from [heads, ...] the head of --head, all heads, or their mean. If several query heads
 * share a key/value head, the source has only the shared heads, and the one that --head uses is
 * copied. */
static void
copy_heads (const AttnCliWork *work,
            const AttnTensor  *source,
            float             *out)
{
  gsize n_source = source->shape[0];
  gsize n = attn_tensor_get_n_elements (source) / n_source;

  if (work->head == ATTN_CLI_ALL)
    {
      memcpy (out, source->data, n_source * n * sizeof (float));
      return;
    }
  if (work->head >= 0)
    {
      gsize head = work->head * n_source / work->info->n_heads;

      memcpy (out, source->data + head * n, n * sizeof (float));
      return;
    }
  memcpy (out, source->data, n * sizeof (float));
  for (gsize head = 1; head < n_source; head++)
    for (gsize i = 0; i < n; i++)
      out[i] += source->data[head * n + i];
  for (gsize i = 0; i < n; i++)
    out[i] /= n_source;
}

/* Collects a quantity of the chosen layers in one array: [layers, heads, T, keys or d]. */
static AttnTensor *
gather_layers (const AttnCliWork  *work,
               const AttnTrace    *trace,
               GError            **error)
{
  AttnQuantity quantity = work->options->what->quantity;
  g_autoptr (AttnTensor) gathered = NULL;
  gsize n_layer = 0;
  gsize n_done = 0;

  for (gsize layer = 0; layer < work->info->n_layers; layer++)
    {
      if (!attn_index_set_contains (work->layers, layer))
        continue;
      g_autoptr (AttnTensor) source = attn_trace_get (trace, quantity, layer);

      /* Recorded arrays can lack a quantity that a model would compute. */
      if (source == NULL)
        return attn_fail_null (
            error, ATTN_ERROR_UNSUPPORTED,
            _("%s: recorded arrays without “%s” found, expected them with it"),
            attn_model_get_path (work->model),
            quantity == ATTN_QUANTITY_SCORES ? "query" : work->options->what->name);
      if (gathered == NULL)
        {
          gsize shape[] = { attn_index_set_count (work->layers, work->info->n_layers),
                            work->head == ATTN_CLI_ALL ? source->shape[0] : 1, source->shape[1],
                            source->shape[2] };

          gathered = attn_tensor_new (4, shape, error);
          if (gathered == NULL)
            return NULL;
          n_layer = shape[1] * shape[2] * shape[3];
        }
      copy_heads (work, source, gathered->data + n_done++ * n_layer);
    }
  return g_steal_pointer (&gathered);
}

/* Collects maps that are computed from the quantities of a pass, such as the norms of weighted
 * values: [layers, heads, T, keys], or [layers, T, T] for rollout. */
AttnTensor *
attn_cli_gather_maps (const AttnCliWork  *work,
                      const AttnTokens   *tokens,
                      GError            **error)
{
  AttnMapSpec spec = { .kind = work->options->what->map };
  const AttnStudy *asked = work->options->asked;
  gboolean is_one = spec.kind == ATTN_MAP_ROLLOUT;
  gsize n_tokens = tokens->n_tokens;
  gsize n_keys = attn_model_count_keys (work->model, n_tokens);
  g_autofree guint32 *ids = attn_tokens_dup_ids (tokens);
  gsize n_heads = work->head == ATTN_CLI_ALL && !is_one ? work->info->n_heads : 1;
  const gsize shape[] = { attn_index_set_count (work->layers, work->info->n_layers), n_heads,
                          n_tokens, n_keys };
  const gsize one_shape[] = { shape[0], n_tokens, n_tokens };

  AttnAnswer answer;

  if (!attn_quantities_find_answer (asked, work->model, &answer, error))
    return NULL;
  spec.token = answer.token;
  spec.versus = answer.versus;
  g_autoptr (AttnMaps) maps = attn_maps_new (&spec, work->model, ids, n_tokens, work->interventions,
                                             work->layers, NULL, NULL, NULL, error);
  g_autoptr (AttnTensor) gathered =
      maps != NULL ? attn_tensor_new_unset (is_one ? 3 : 4, is_one ? one_shape : shape, error)
                   : NULL;
  float *out = gathered != NULL ? gathered->data : NULL;

  for (gsize layer = 0; gathered != NULL && layer < work->info->n_layers; layer++)
    for (gsize i = 0; attn_index_set_contains (work->layers, layer) && i < n_heads; i++)
      {
        int head = work->head == ATTN_CLI_ALL     ? (int) i
                   : work->head == ATTN_HEAD_MEAN ? ATTN_MAPS_MEAN
                                                  : work->head;
        g_autoptr (AttnTensor) map = attn_maps_compute (maps, layer, head, error);

        if (map == NULL)
          return NULL;
        memcpy (out, map->data, n_tokens * n_keys * sizeof (float));
        out += n_tokens * n_keys;
      }
  return g_steal_pointer (&gathered);
}

static char **
number_labels (const AttnIndexSet *set,
               gsize               n)
{
  GPtrArray *labels = g_ptr_array_new ();

  for (gsize i = 0; i < n; i++)
    if (attn_index_set_contains (set, i))
      g_ptr_array_add (labels, g_strdup_printf ("%zu", i));
  g_ptr_array_add (labels, NULL);
  return (char **) g_ptr_array_free (labels, FALSE);
}

static gboolean
check_position (int      position,
                gsize    n,
                GError **error)
{
  return (gsize) position < n ||
         attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("--edge: %d found, expected positions from 0 to %zu"), position, n - 1);
}

/* Collects the share of each feature (dimension of a head) in the score of the query and key of
 * --edge: [layers, heads, d]. Adds names of the features to @file: their numbers, and their rotary
 * pairs if these are the same in all layers. */
static AttnTensor *
gather_edges (const AttnCliWork  *work,
              const AttnTrace    *trace,
              AttnArrayFile      *file,
              GError            **error)
{
  const int *at = work->options->edge;
  gsize n_heads = work->head == ATTN_CLI_ALL ? work->info->n_heads : 1;
  gsize first = work->head == ATTN_CLI_ALL ? 0 : (gsize) work->head;
  g_autoptr (AttnTensor) gathered = NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  float *out = NULL;

  for (gsize layer = 0; layer < work->info->n_layers; layer++)
    {
      if (!attn_index_set_contains (work->layers, layer))
        continue;
      g_autoptr (AttnTensor) queries = attn_trace_get (trace, ATTN_QUANTITY_QUERY, layer);
      g_autoptr (AttnTensor) keys = attn_trace_get (trace, ATTN_QUANTITY_KEY, layer);
      if (queries == NULL || keys == NULL)
        return attn_fail_null (error, ATTN_ERROR_UNSUPPORTED,
                               _("%s: recorded weights found, expected queries and keys"),
                               attn_model_get_path (work->model));
      const gsize shape[] = { attn_index_set_count (work->layers, work->info->n_layers), n_heads,
                              queries->shape[2] };
      if (!check_position (at[0], queries->shape[1], error) ||
          !check_position (at[1], keys->shape[1], error) ||
          (gathered == NULL && (gathered = attn_tensor_new (3, shape, error)) == NULL))
        return NULL;
      out = out != NULL ? out : gathered->data;
      for (gsize head = first; head < first + n_heads; head++)
        {
          g_autoptr (AttnEdge) edge =
              attn_edge_new (work->model, layer, head, work->interventions, (gsize) at[0],
                             (gsize) at[1], queries, keys);

          for (gsize i = 0; i < edge->n_features; i++)
            {
              gsize pair = attn_edge_get_pair (edge, i);
              g_autofree char *name = pair < edge->rotary_width
                                          ? g_strdup_printf ("%zu pair %zu", i, pair)
                                          : g_strdup_printf ("%zu", i);

              *out++ = (float) edge->parts[i];
              if (names->len == i)
                g_ptr_array_add (names, g_steal_pointer (&name));
              else if (!g_str_equal (names->pdata[i], name))
                g_strdelimit (names->pdata[i], " ", '\0');
            }
        }
    }
  g_ptr_array_add (names, NULL);
  return attn_cli_add_strings (file, "feature_labels", (const char * const *) names->pdata, error)
             ? g_steal_pointer (&gathered)
             : NULL;
}

/* Collects vectors of the residual stream, which have no head dimension: [layers, T, D]. The stream
 * of all layers has one more entry at the end, the output of the last layer. */
static AttnTensor *
gather_stream (const AttnCliWork  *work,
               const AttnTrace    *trace,
               GError            **error)
{
  AttnQuantity quantity = work->options->what->quantity;
  g_autoptr (AttnTensor) gathered = NULL;
  float *out = NULL;

  for (gsize layer = 0; layer <= work->info->n_layers; layer++)
    {
      gboolean is_end = layer == work->info->n_layers;

      if (is_end ? !attn_cli_work_has_end (work) : !attn_index_set_contains (work->layers, layer))
        continue;
      g_autoptr (AttnTensor) source =
          attn_trace_get (trace, is_end ? ATTN_QUANTITY_FINAL : quantity, layer);

      if (source == NULL)
        return attn_fail_null (error, ATTN_ERROR_UNSUPPORTED,
                               _("%s: recorded arrays found, expected a model that computes “%s”"),
                               attn_model_get_path (work->model), work->options->what->name);
      if (gathered == NULL)
        {
          const gsize shape[] = { attn_index_set_count (work->layers, work->info->n_layers) +
                                      (attn_cli_work_has_end (work) ? 1 : 0),
                                  source->shape[0], source->shape[1] };

          gathered = attn_tensor_new_unset (3, shape, error);
          if (gathered == NULL)
            return NULL;
          out = gathered->data;
        }
      gsize n = attn_tensor_get_n_elements (source);
      memcpy (out, source->data, n * sizeof (float));
      out += n;
    }
  return g_steal_pointer (&gathered);
}

/* Collects the quantity of --what from a forward pass. @file: gets the names of the features, for
 * --edge */
AttnTensor *
attn_cli_gather_quantity (const AttnCliWork  *work,
                          const AttnTokens   *tokens,
                          AttnArrayFile      *file,
                          GError            **error)
{
  g_autofree guint32 *ids = attn_tokens_dup_ids (tokens);
  const AttnTraceRequest request = {
    .ids = ids,
    .n_ids = tokens->n_tokens,
    .interventions = work->interventions,
    .keep = work->options->what->quantity |
            (attn_cli_work_has_end (work) ? ATTN_QUANTITY_FINAL : (AttnQuantity) 0),
    .layers = work->layers,
  };
  g_autoptr (AttnTrace) trace =
      attn_trace_compute (work->model, &request, NULL, NULL, NULL, error);

  if (trace == NULL)
    return NULL;
  if (work->options->has_edge)
    return gather_edges (work, trace, file, error);
  if ((work->options->what->quantity & ATTN_QUANTITIES_OF_STREAM) != 0)
    return gather_stream (work, trace, error);
  if (request.keep != ATTN_QUANTITY_LOGITS)
    return gather_layers (work, trace, error);
  g_autoptr (AttnTensor) logits = attn_trace_get (trace, request.keep, 0);
  /* The logits of an image classifier are the same for all tokens, so that only the first row is
   * kept. */
  return work->info->needs_picture ? attn_tensor_slice (logits, 0) : g_steal_pointer (&logits);
}

static char **
head_labels (const AttnCliWork *work,
             gsize              n_heads)
{
  const char *mean[] = { "mean", NULL };
  g_autoptr (AttnIndexSet) set = NULL;

  if (work->head == ATTN_HEAD_MEAN)
    return g_strdupv ((char **) mean);
  if (work->head >= 0)
    set = attn_index_set_new_range (work->head, work->head);
  return number_labels (set, work->head >= 0 ? work->info->n_heads : n_heads);
}

gboolean
attn_cli_add_labels (const AttnCliWork  *work,
                     const AttnTensor   *array,
                     AttnArrayFile      *file,
                     const char         *suffix,
                     const AttnTokens   *tokens,
                     GError            **error)
{
  const char * const *token_labels = (const char * const *) tokens->labels;
  const char * const *recorded_keys = attn_model_get_recorded_keys (work->model);
  const AttnCliWhat *what = work->options->what;
  gboolean is_map = what->quantity == 0 || what->quantity == ATTN_QUANTITY_WEIGHTS ||
                    what->quantity == ATTN_QUANTITY_SCORES;
  g_autofree char *query_name =
      g_strconcat (is_map ? "query_labels" : "token_labels", suffix, NULL);
  g_autofree char *key_name = g_strconcat ("key_labels", suffix, NULL);
  gboolean is_edge = work->options->has_edge;
  gboolean is_of_stream = (what->quantity & ATTN_QUANTITIES_OF_STREAM) != 0;
  const char *of_heads[] = { "layer", "head",
                             is_map    ? "query"
                             : is_edge ? "feature"
                                       : "token",
                             is_map    ? "key"
                             : is_edge ? NULL
                                       : "feature",
                             NULL };
  const char *of_stream[] = { "layer", "token", "feature", NULL };
  const char **dimensions = is_of_stream ? of_stream : of_heads;

  /* In recorded cross-attention, keys and values belong to the tokens of the other sequence. */
  if (recorded_keys != NULL &&
      (what->quantity == ATTN_QUANTITY_KEY || what->quantity == ATTN_QUANTITY_VALUE))
    token_labels = recorded_keys;
  if (!attn_cli_add_strings (file, query_name, token_labels, error) ||
      (is_map &&
       !attn_cli_add_strings (file, key_name,
                              recorded_keys != NULL ? recorded_keys : token_labels, error)))
    return FALSE;
  if (array->n_dims != (is_edge || is_of_stream ? 3 : 4) ||
      attn_array_file_lookup (file, "dimensions") != NULL)
    return TRUE;

  g_auto (GStrv) layers =
      number_labels (work->layers, work->info->n_layers + (attn_cli_work_has_end (work) ? 1 : 0));
  if (is_of_stream)
    return attn_cli_add_strings (file, "dimensions", dimensions, error) &&
           attn_cli_add_strings (file, "layer_labels", (const char * const *) layers, error);
  g_auto (GStrv) heads = head_labels (work, array->shape[1]);
  return attn_cli_add_strings (file, "dimensions", dimensions, error) &&
         attn_cli_add_strings (file, "layer_labels", (const char * const *) layers, error) &&
         attn_cli_add_strings (file, "head_labels", (const char * const *) heads, error);
}
