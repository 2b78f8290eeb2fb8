/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `attention-grid compute`: numbers instead of pictures. */

#include "config.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "attn-array-format.h"
#include "attn-cli-effects.h"
#include "attn-cli-inputs.h"
#include "attn-cli-output.h"
#include "attn-cli-private.h"
#include "attn-cli-study.h"
#include "attn-edge.h"
#include "attn-error.h"
#include "attn-prediction.h"
#include "attn-quantities.h"
#include "attn-result-data.h"

static gboolean
writes_one (const AttnCliTarget *target)
{
  return attn_array_format_has (target->name, ATTN_ARRAY_FORMAT_WRITES_ONE);
}

/* Before the work is done. */
static gboolean
check_one_array (const AttnCliOptions  *options,
                 gsize                  n_arrays,
                 const char            *what,
                 GError               **error)
{
  for (guint i = 0; n_arrays > 1 && i < options->targets->len; i++)
    {
      const AttnCliTarget *target = options->targets->pdata[i];

      if (!writes_one (target))
        continue;
      g_autofree char *display = g_filename_display_name (target->name);
      g_autofree char *others = attn_array_format_list (ATTN_ARRAY_FORMAT_WRITES_MORE, ", ");
      return attn_fail (error, ATTN_ERROR_ARGUMENT,
                        _("%s: %zu %s found, expected one; %s hold more"), display, n_arrays, what,
                        others);
    }
  return TRUE;
}

static gboolean
save (const AttnArrayFile  *file,
      const AttnCliTarget  *target,
      GError              **error)
{
  g_autoptr (GBytes) bytes = attn_array_file_serialize (file, target->name, error);

  return bytes != NULL && attn_cli_output_write (target, bytes, error);
}

static gboolean
save_all (const AttnArrayFile   *file,
          const AttnCliOptions  *options,
          GError               **error)
{
  for (guint i = 0; i < options->targets->len; i++)
    if (!save (file, options->targets->pdata[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
add_strings (AttnArrayFile       *file,
             const char          *name,
             const char * const  *strings,
             GError             **error)
{
  return attn_array_file_add (file, attn_array_new_strings (name, strings), error);
}

static int
write_study (const char           *operand,
             const AttnCliOptions *options)
{
  g_autoptr (GError) error = NULL;
  int status;

  if (options->what->map != ATTN_MAP_WEIGHTS)
    return attn_cli_fail_usage (
        _("--what: found with “%s”, expected --quantity, which says what a figure shows"), operand);
  if (options->what->quantity != ATTN_QUANTITY_WEIGHTS)
    return attn_cli_fail_usage (_("--what: “%s” found with “%s”, expected --text in its place"),
                                options->what->name, operand);
  g_autoptr (AttnResult) result = attn_cli_run_study (operand, options, &status);
  if (result == NULL)
    return status;
  if (!check_one_array (options, result->grid->n_rows * result->grid->n_columns, _("panels"),
                        &error))
    return attn_cli_fail_usage ("%s", error->message);

  for (guint i = 0; i < options->targets->len; i++)
    {
      const AttnCliTarget *target = options->targets->pdata[i];
      g_autoptr (AttnArrayFile) file =
          attn_result_to_arrays (result, writes_one (target) ? 0 : ATTN_ALL_PANELS, &error);

      if (file == NULL || !save (file, target, &error))
        return attn_cli_fail (error);
    }
  return ATTN_CLI_SUCCESS;
}

/* -- A quantity of the model -- */

/* Tokens that a prediction lists of each position, unless --top says otherwise. */
#define DEFAULT_TOP ((gsize) 10)

/* An array that is computed without a study. */
typedef struct
{
  const AttnCliOptions *options;
  AttnWorkspace *workspace;
  AttnModel *model; /* for the input at hand */
  const AttnModelInfo *info;
  GPtrArray *inputs;    /* of AttnTokens */
  GPtrArray *models;    /* of AttnModel, for each of them */
  AttnIndexSet *layers; /* NULL for all */
  int head;             /* a number, ATTN_CLI_ALL or ATTN_HEAD_MEAN */
  GPtrArray *interventions;
} Work;

static void
work_clear (Work *work)
{
  g_clear_pointer (&work->inputs, g_ptr_array_unref);
  g_clear_pointer (&work->models, g_ptr_array_unref);
  g_clear_pointer (&work->layers, attn_index_set_unref);
  g_clear_pointer (&work->interventions, g_ptr_array_unref);
  g_clear_pointer (&work->workspace, attn_workspace_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Work, work_clear)

/* The first text of the figure of means, if the command line has none. */
static gboolean
tokenize_inputs (Work    *work,
                 GError **error)
{
  const AttnStudy *asked = work->options->asked;
  g_autoptr (AttnStudy) preset = attn_presets_load ("mean-operation", error);

  if (preset == NULL ||
      !check_one_array (work->options, attn_cli_inputs_count (work->options), _("inputs"), error))
    return FALSE;
  if (asked->inputs->len == 0)
    g_ptr_array_add (asked->inputs, attn_input_copy (preset->inputs->pdata[0]));
  work->inputs = attn_cli_inputs_tokenize (work->options, work->model, &work->models, error);
  return work->inputs != NULL;
}

/* The head whose sink score, averaged over the inputs, is the largest of all or of the layer asked
 * for: as a figure of all inputs finds it. */
static gboolean
find_strongest_sink (Work    *work,
                     GError **error)
{
  g_autoptr (AttnStudy) study = attn_study_copy (work->options->asked);

  if (study->layer == ATTN_CLI_ALL)
    study->layer = ATTN_LAYER_STRONGEST_SINK;
  study->rows = ATTN_DIMENSION_INPUT;
  g_autoptr (AttnResult) result = attn_job_run (study, work->workspace, NULL, NULL, error);
  if (result == NULL)
    return FALSE;
  g_clear_pointer (&work->layers, attn_index_set_unref);
  work->layers = attn_index_set_new_range (result->layer, result->layer);
  work->head = result->head;
  return TRUE;
}

static gboolean
check_number (const char  *option,
              int          number,
              gsize        n,
              GError     **error)
{
  return number < 0 || (gsize) number < n ||
         attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("%s: %d found, expected 0 to %zu, for the model has %zu"), option, number,
                    n - 1, n);
}

/* Tells whether layers without attention weights lack it. */
static gboolean
is_of_heads (const AttnCliWhat *what)
{
  return what->effect == ATTN_CLI_EFFECT_NONE && what->quantity != ATTN_QUANTITY_LOGITS;
}

/* Vectors of several layers are one array: they are as many and as wide in each of them. */
static gboolean
check_vectors (const Work  *work,
               GError     **error)
{
  const AttnQuantity vectors = ATTN_QUANTITY_QUERY | ATTN_QUANTITY_KEY | ATTN_QUANTITY_VALUE;
  gsize first = attn_index_set_get_first (work->layers);
  AttnModelLayer a = attn_model_info_get_layer (work->info, first);

  for (gsize layer = first; layer < work->info->n_layers; layer++)
    {
      AttnModelLayer b = attn_model_info_get_layer (work->info, layer);

      if ((work->options->what->quantity & vectors) != 0 &&
          attn_index_set_contains (work->layers, layer) &&
          (a.head_width != b.head_width || a.n_key_heads != b.n_key_heads))
        return attn_fail (error, ATTN_ERROR_ARGUMENT,
                          _("--what: heads of width %zu found in layer %zu and of width %zu in "
                            "layer %zu, expected --layer with the number of one"),
                          a.head_width, first, b.head_width, layer);
    }
  return TRUE;
}

static gboolean
choose_layers_and_head (Work    *work,
                        GError **error)
{
  const AttnStudy *asked = work->options->asked;

  if (!check_number ("--layer", asked->layer, work->info->n_layers, error) ||
      !check_number ("--head", asked->head, work->info->n_heads, error))
    return FALSE;
  if (asked->layer >= 0)
    work->layers = attn_index_set_new_range (asked->layer, asked->layer);
  else if (is_of_heads (work->options->what))
    work->layers = attn_index_set_ref (work->info->mapped_layers);
  if (is_of_heads (work->options->what) &&
      (!attn_model_info_check_maps (work->info, work->layers, error) ||
       !check_vectors (work, error)))
    return FALSE;
  work->head = asked->head;
  return work->head != ATTN_HEAD_STRONGEST_SINK || find_strongest_sink (work, error);
}

/* A change of every layer reaches those above, which arrays do not hold. */
static gboolean
check_layer_given (const Work              *work,
                   const AttnIntervention  *intervention,
                   GError                 **error)
{
  return !work->info->is_recording || work->info->n_layers == 1 || intervention->layers != NULL ||
         attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("--layer: nothing found, expected a number, since an intervention in "
                      "recorded arrays is seen in its own layer only"));
}

static gboolean
build_interventions (Work    *work,
                     GError **error)
{
  g_autoptr (AttnIndexSet) heads =
      work->head >= 0 ? attn_index_set_new_range (work->head, work->head) : NULL;

  if (!attn_cli_options_check_head (work->options, work->head >= 0, error))
    return FALSE;
  work->interventions = attn_cli_options_build (work->options, NULL, work->layers, heads);
  for (guint i = 0; i < work->interventions->len; i++)
    if (!check_layer_given (work, work->interventions->pdata[i], error))
      return FALSE;
  attn_cli_inputs_bind_patches (work->inputs, work->models, work->interventions);
  for (guint i = 0; i < work->inputs->len; i++)
    if (attn_cli_inputs_is_written (work->options, i) &&
        !attn_interventions_check (work->interventions, work->models->pdata[i],
                                   ((const AttnTokens *) work->inputs->pdata[i])->n_tokens, error))
      return FALSE;
  return TRUE;
}

/* Copies from [H or Hk, ...] the head asked for, all of them, or their mean. A key/value head that
 * serves several query heads stands for each of them. */
static void
copy_heads (const Work       *work,
            const AttnTensor *source,
            float            *out)
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

/* The layers asked for, one behind the other: [layers, heads, T, keys or d]. */
static AttnTensor *
gather_layers (const Work       *work,
               const AttnTrace  *trace,
               GError          **error)
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

      /* Arrays can lack what a model would compute. */
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

/* Gathers another quantity than a trace keeps: [layers, heads, T, keys], of rollout [layers, T,
 * T]. */
static AttnTensor *
gather_maps (const Work        *work,
             const AttnTokens  *tokens,
             GError           **error)
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

/* Gathers the share of each feature in the score of the query and key of --edge: [layers, heads,
 * d]. A feature is named by its number and, if all layers turn it in the same rotary pair, that of
 * the pair. */
static AttnTensor *
gather_edges (const Work       *work,
              const AttnTrace  *trace,
              AttnArrayFile    *file,
              GError          **error)
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
  return add_strings (file, "feature_labels", (const char * const *) names->pdata, error)
             ? g_steal_pointer (&gathered)
             : NULL;
}

/* Gathers a quantity that a trace keeps of the pass. @file: gets the names of features that are
 * listed */
static AttnTensor *
gather_quantity (const Work        *work,
                 const AttnTokens  *tokens,
                 AttnArrayFile     *file,
                 GError           **error)
{
  g_autofree guint32 *ids = attn_tokens_dup_ids (tokens);
  const AttnTraceRequest request = {
    .ids = ids,
    .n_ids = tokens->n_tokens,
    .interventions = work->interventions,
    .keep = work->options->what->quantity,
    .layers = work->layers,
  };
  g_autoptr (AttnTrace) trace =
      attn_trace_compute (work->model, &request, NULL, NULL, NULL, error);

  if (trace == NULL)
    return NULL;
  if (work->options->has_edge)
    return gather_edges (work, trace, file, error);
  return request.keep == ATTN_QUANTITY_LOGITS ? attn_trace_get (trace, request.keep, 0)
                                              : gather_layers (work, trace, error);
}

static char **
head_labels (const Work *work,
             gsize       n_heads)
{
  const char *mean[] = { "mean", NULL };
  g_autoptr (AttnIndexSet) set = NULL;

  if (work->head == ATTN_HEAD_MEAN)
    return g_strdupv ((char **) mean);
  if (work->head >= 0)
    set = attn_index_set_new_range (work->head, work->head);
  return number_labels (set, work->head >= 0 ? work->info->n_heads : n_heads);
}

static gboolean
add_labels (const Work        *work,
            const AttnTensor  *array,
            AttnArrayFile     *file,
            const char        *suffix,
            const AttnTokens  *tokens,
            GError           **error)
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
  const char *dimensions[] = { "layer", "head",
                               is_map    ? "query"
                               : is_edge ? "feature"
                                         : "token",
                               is_map    ? "key"
                               : is_edge ? NULL
                                         : "feature",
                               NULL };

  /* Keys and values have the tokens of the source. */
  if (recorded_keys != NULL &&
      (what->quantity == ATTN_QUANTITY_KEY || what->quantity == ATTN_QUANTITY_VALUE))
    token_labels = recorded_keys;
  if (!add_strings (file, query_name, token_labels, error) ||
      (is_map &&
       !add_strings (file, key_name, recorded_keys != NULL ? recorded_keys : token_labels, error)))
    return FALSE;
  if (array->n_dims != (is_edge ? 3 : 4) || attn_array_file_lookup (file, "dimensions") != NULL)
    return TRUE;

  g_auto (GStrv) layers = number_labels (work->layers, work->info->n_layers);
  g_auto (GStrv) heads = head_labels (work, array->shape[1]);
  return add_strings (file, "dimensions", dimensions, error) &&
         add_strings (file, "layer_labels", (const char * const *) layers, error) &&
         add_strings (file, "head_labels", (const char * const *) heads, error);
}

static char *
name_array (const Work *work,
            const char *name,
            gsize       input)
{
  return attn_cli_inputs_count (work->options) > 1 ? g_strdup_printf ("%s_%zu", name, input)
                                                   : g_strdup (name);
}

static gboolean
add_ids (AttnArrayFile  *file,
         const char     *name,
         const gint64   *ids,
         const gsize     shape[3],
         GError        **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (ids, shape[0] * shape[1] * shape[2] * sizeof *ids);
  AttnArray *array = attn_array_new (name, ATTN_DTYPE_I64, 3, shape, bytes, error);

  return array != NULL && attn_array_file_add (file, array, error);
}

static AttnTrace *
compute_final (const Work        *work,
               const AttnTokens  *tokens,
               GPtrArray         *interventions,
               const AttnTrace   *baseline,
               GError           **error)
{
  g_autofree guint32 *ids = attn_tokens_dup_ids (tokens);
  const AttnTraceRequest request = {
    .ids = ids,
    .n_ids = tokens->n_tokens,
    .interventions = interventions,
    .keep = baseline == NULL ? ATTN_QUANTITY_FINAL | ATTN_QUANTITY_RESIDUAL : ATTN_QUANTITY_FINAL,
  };

  return attn_trace_compute (work->model, &request, baseline, NULL, NULL, error);
}

/* kl: [T] bits. loss, logit-difference: [2, T]. @values: (nullable): those of a prediction */
static gboolean
add_numbers (const Work                  *work,
             gsize                        input,
             AttnCliEffect                effect,
             const AttnPredictionEffect  *effects,
             gsize                        n,
             AttnArrayFile               *file,
             GError                     **error)
{
  gboolean is_kl = effect == ATTN_CLI_EFFECT_KL;
  const gsize shape[] = { 2, n };
  g_autoptr (AttnTensor) numbers =
      attn_tensor_new (is_kl ? 1 : 2, is_kl ? shape + 1 : shape, error);
  gboolean is_asked = effect == work->options->what->effect;
  g_autofree char *name =
      name_array (work, is_asked ? work->options->what->name : "logit_difference", input);

  for (gsize i = 0; numbers != NULL && i < (is_kl ? n : 2 * n); i++)
    {
      const AttnPredictionEffect *at = &effects[i % n];
      gsize k = i / n;

      numbers->data[i] = (float) (is_kl                            ? at->kl
                                  : effect == ATTN_CLI_EFFECT_LOSS ? at->loss[k]
                                                                   : at->logit_difference[k]);
    }
  return numbers != NULL &&
         attn_array_file_add (file, attn_array_new_from_tensor (name, numbers), error);
}

/* Adds the numbers of add_numbers(); prediction: ids [2, T, k] and probabilities [2, T, k], before
 * and after, and where two tokens are chosen logit_difference [2, T]. */
static gboolean
add_effect (const Work     *work,
            gsize           input,
            AttnArrayFile  *file,
            GError        **error)
{
  const AttnCliWhat *what = work->options->what;
  const AttnTokens *tokens = g_ptr_array_index (work->inputs, input);
  gsize n = tokens->n_tokens;
  int asked_top = work->options->n_top;
  gsize n_top = MIN (asked_top < 0 ? DEFAULT_TOP : (gsize) asked_top, work->info->vocabulary_size);
  gboolean is_prediction = what->effect == ATTN_CLI_EFFECT_PREDICTION;
  const gsize shape[] = { 2, n, n_top };
  AttnPredictionRequest request = { .n_rows = n, .n_top = is_prediction ? n_top : 0 };
  g_autofree AttnPredictionEffect *effects = g_new (AttnPredictionEffect, n);
  g_autofree gint64 *ids = is_prediction ? g_new (gint64, 2 * n * n_top) : NULL;
  g_autofree char *ids_name = name_array (work, "ids", input);
  g_autofree char *name = name_array (work, "probabilities", input);
  g_autofree char *label_name = name_array (work, "token_labels", input);

  if (!attn_quantities_find_answer (work->options->asked, work->model, &request.answer, error))
    return FALSE;
  g_autoptr (AttnTrace) before = compute_final (work, tokens, NULL, NULL, error);
  g_autoptr (AttnTrace) after =
      before != NULL ? compute_final (work, tokens, work->interventions, before, error) : NULL;
  g_autoptr (AttnTensor) shares =
      after != NULL && is_prediction ? attn_tensor_new (3, shape, error) : NULL;

  const AttnPredictionTop top = { ids, shares != NULL ? shares->data : NULL, NULL };

  if (after == NULL || (is_prediction && shares == NULL) ||
      !attn_prediction_compare (before, after, &request, effects, is_prediction ? &top : NULL, NULL,
                                error) ||
      (is_prediction &&
       (!add_ids (file, ids_name, ids, shape, error) ||
        !attn_array_file_add (file, attn_array_new_from_tensor (name, shares), error))))
    return FALSE;
  if ((!is_prediction && !add_numbers (work, input, what->effect, effects, n, file, error)) ||
      (is_prediction && request.answer.versus >= 0 &&
       !add_numbers (work, input, ATTN_CLI_EFFECT_DIFFERENCE, effects, n, file, error)))
    return FALSE;
  return add_strings (file, label_name, (const char * const *) tokens->labels, error);
}

static gboolean
add_quantity (const Work     *work,
              gsize           input,
              AttnArrayFile  *file,
              GError        **error)
{
  AttnQuantity quantity = work->options->what->quantity;
  g_autofree char *suffix =
      attn_cli_inputs_count (work->options) > 1 ? g_strdup_printf ("_%zu", input) : g_strdup ("");
  g_autofree char *name = g_strconcat (work->options->what->name, suffix, NULL);
  const AttnTokens *tokens = g_ptr_array_index (work->inputs, input);
  g_autoptr (AttnTensor) array = quantity != 0 ? gather_quantity (work, tokens, file, error)
                                               : gather_maps (work, tokens, error);

  return array != NULL &&
         attn_array_file_add (file, attn_array_new_from_tensor (name, array), error) &&
         add_labels (work, array, file, suffix, tokens, error);
}

static gboolean
compute_quantity (Work           *work,
                  AttnArrayFile  *file,
                  GError        **error)
{
  work->workspace = attn_workspace_new ();
  work->model =
      attn_workspace_open_model (work->workspace, &work->options->asked->model,
                                 work->options->asked->attention, error);
  if (work->model == NULL)
    return FALSE;
  work->info = attn_model_get_info (work->model);
  if (!tokenize_inputs (work, error) || !attn_cli_output_check (work->options, error) ||
      !choose_layers_and_head (work, error) ||
      !build_interventions (work, error))
    return FALSE;
  for (gsize i = 0; i < work->inputs->len; i++)
    {
      work->model = work->models->pdata[i];
      if (attn_cli_inputs_is_written (work->options, i) &&
          !(work->options->what->effect != ATTN_CLI_EFFECT_NONE
                ? add_effect (work, i, file, error)
                : add_quantity (work, i, file, error)))
        return FALSE;
    }
  return TRUE;
}

/* Tells whether it is about chosen tokens. */
static gboolean
takes_tokens (const AttnCliWhat *what)
{
  return what->map == ATTN_MAP_LOGIT || what->effect == ATTN_CLI_EFFECT_PREDICTION ||
         what->effect == ATTN_CLI_EFFECT_DIFFERENCE;
}

static int
write_quantity (const AttnCliOptions *options)
{
  static const char * const tokens[] = { "token", "versus" };
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnArrayFile) file = attn_array_file_new (NULL);
  g_auto (Work) work = { .options = options };

  if (options->has_edge && options->asked->head == ATTN_HEAD_MEAN)
    return attn_cli_fail_usage (
        _("--head: “mean” found with --what edge, expected a head, whose score is a sum"));
  if (options->n_top != -1 && options->n_top < 1)
    return attn_cli_fail_usage (_("--top: %d found, expected a number from 1"), options->n_top);
  if (options->n_top != -1 && options->what->effect != ATTN_CLI_EFFECT_PREDICTION)
    return attn_cli_fail_usage (_("--top: found with --what %s, expected prediction"),
                                options->what->name);
  if (!check_one_array (options, options->what->effect == ATTN_CLI_EFFECT_PREDICTION ? 2 : 1,
                        _("arrays"), &error))
    return attn_cli_fail_usage ("%s", error->message);
  if (options->asked->epsilons->len > 0)
    return attn_cli_fail_usage (
        _("--epsilons: found without a figure, expected one that scales, such as epsilon"));
  if ((options->what->quantity == ATTN_QUANTITY_LOGITS ||
       options->what->effect != ATTN_CLI_EFFECT_NONE) &&
      (attn_cli_options_count (options, "layer") + attn_cli_options_count (options, "head")) > 0)
    return attn_cli_fail_usage (
        _("--what: “%s” found with --layer or --head, expected neither"), options->what->name);
  for (gsize i = 0; i < G_N_ELEMENTS (tokens) && !takes_tokens (options->what); i++)
    if (attn_cli_options_count (options, tokens[i]) > 0)
      return attn_cli_fail_usage (
          _("--%s: found with --what %s, expected logit, logit-difference or prediction"),
          tokens[i], options->what->name);
  if (options->what->effect == ATTN_CLI_EFFECT_DIFFERENCE && options->asked->versus == NULL)
    return attn_cli_fail_usage (
        _("--versus: none found with --what logit-difference, expected a token"));
  if (!attn_cli_check_settings (NULL, options, &error) ||
      !attn_cli_check_inputs (options->asked->model.path, options->asked->inputs, options,
                              &error) ||
      !check_one_array (options, attn_cli_inputs_count (options), _("inputs"), &error))
    return attn_cli_fail_usage ("%s", error->message);
  return compute_quantity (&work, file, &error) && save_all (file, options, &error)
             ? ATTN_CLI_SUCCESS
             : attn_cli_fail (error);
}

static int
compute (const char     *operand,
         AttnCliOptions *options)
{
  g_autoptr (GError) error = NULL;
  int status;

  if (g_str_equal (options->what->name, "edge") != options->has_edge)
    return options->has_edge
               ? attn_cli_fail_usage (_("--edge: found with --what %s, expected edge"),
                                      options->what->name)
               : attn_cli_fail_usage (_("--edge: none found with --what edge, expected QUERY=KEY"));
  if (!attn_cli_output_set_format (options, "npy", &error))
    return attn_cli_fail_usage ("%s", error->message);
  for (guint i = 0; i < options->targets->len; i++)
    {
      const AttnCliTarget *target = options->targets->pdata[i];

      if (attn_array_format_parse (target->name, &error) == NULL)
        return attn_cli_fail_usage ("%s", error->message);
    }
  for (guint i = 0; operand == NULL && i < options->choices->len; i++)
    {
      const char *name = g_array_index (options->choices, AttnCliChoice, i).setting->name;

      if (!attn_cli_options_is_of_pass (name))
        return attn_cli_fail_usage (
            _("--%s: found without a preset, expected one, since it changes a figure"), name);
    }
  if (!attn_cli_output_begin ("compute", options, &status))
    return status;
  return operand != NULL ? write_study (operand, options) : write_quantity (options);
}

int
attn_cli_compute (int    argc,
                  char **argv)
{
  g_autoptr (AttnCliOptions) options = attn_cli_options_new ();
  g_autoptr (GArray) entries = attn_cli_options_list_entries (options);
  const GOptionEntry what = { "what", 0, G_OPTION_FLAG_FILENAME, G_OPTION_ARG_CALLBACK,
                              attn_cli_parse_what_cb, N_("What to write; default weights"),
                              "weights|scores|value-norm|logit|rollout|query|key|value|logits|"
                              "kl|loss|logit-difference|prediction|edge" };
  const GOptionEntry edge = { "edge", 0, G_OPTION_FLAG_FILENAME, G_OPTION_ARG_CALLBACK,
                              attn_cli_parse_edge_cb,
                              N_("Of which positions the score is taken apart, for edge"),
                              "QUERY=KEY" };
  const GOptionEntry top = { "top", 0, 0, G_OPTION_ARG_INT, &options->n_top,
                             N_("How many tokens of each position, for prediction; default 10"),
                             "K" };
  g_autofree char *suffixes = attn_array_format_list (ATTN_ARRAY_FORMAT_WRITES, "|");
  g_autofree char *operands_help = g_strconcat ("[PRESET|STUDY] -o ARRAY", suffixes, NULL);

  g_array_append_val (entries, what);
  g_array_append_val (entries, top);
  g_array_append_val (entries, edge);
  const AttnCliSyntax syntax = {
    .subcommand = "compute",
    .operands = operands_help,
    .max_operands = 1,
    .summary = _("Writes attention weights as an array of float32."),
    .description = _(
        "Without a preset: one array [layers, heads, T, T] named weights, of the layers and heads "
        "chosen (default all) and always of four dimensions. The head “mean” averages over the "
        "heads, “strongest-sink” finds the one with the largest sink score. --what picks another "
        "quantity: query, key and value are [layers, heads, T, d], logits [T, vocabulary]. One "
        "input (default: the first one of mean-operation); several become weights_0, weights_1, … "
        "in .npz and .safetensors. --mean and --scale act on the layers chosen unless "
        "--scope-layers says otherwise.\n\n"
        "With a preset or a study: one array [T, T] named panel_R_C for every panel, counted from "
        "0, with its tokens in panel_R_C_rows and panel_R_C_columns and what it is in "
        "panel_R_C_title; the options change the figure as in “attention-grid render”."),
    .entries = (const GOptionEntry *) (gpointer) entries->data,
    .user_data = options,
  };
  g_auto (GStrv) operands = NULL;
  int status = attn_cli_parse (&syntax, argc, argv, &operands);

  if (status != ATTN_CLI_CONTINUE)
    return status;
  return compute (operands != NULL ? operands[0] : NULL, options);
}
