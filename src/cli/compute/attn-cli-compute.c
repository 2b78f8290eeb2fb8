/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `attention-grid compute`: writes arrays of numbers instead of figures. */

#include "config.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "attn-array-format.h"
#include "attn-cli-effects.h"
#include "attn-cli-gather.h"
#include "attn-cli-inputs.h"
#include "attn-cli-output.h"
#include "attn-cli-private.h"
#include "attn-cli-study.h"
#include "attn-error.h"
#include "attn-prediction.h"
#include "attn-quantities.h"
#include "attn-speaker.h"
#include "attn-result-data.h"

static gboolean
writes_one (const AttnCliTarget *target)
{
  return attn_array_format_has (target->name, ATTN_ARRAY_FORMAT_WRITES_ONE);
}

/* Checks before the computation that the formats of the outputs can hold @n_arrays arrays. */
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

/* Default of --top, the number of tokens that a prediction lists for each position. */
#define DEFAULT_TOP ((gsize) 10)

static void
work_clear (AttnCliWork *work)
{
  g_clear_pointer (&work->inputs, g_ptr_array_unref);
  g_clear_pointer (&work->models, g_ptr_array_unref);
  g_clear_pointer (&work->layers, attn_index_set_unref);
  g_clear_pointer (&work->interventions, g_ptr_array_unref);
  g_clear_pointer (&work->workspace, attn_workspace_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AttnCliWork, work_clear)

/* Tokenizes the inputs. Without an input on the command line, the input is the first text of the
 * preset "mean-operation". */
static gboolean
tokenize_inputs (AttnCliWork  *work,
                 GError      **error)
{
  const AttnStudy *asked = work->options->asked;
  g_autoptr (AttnStudy) preset = attn_presets_load ("mean-operation", error);

  if (preset == NULL ||
      !check_one_array (work->options, attn_cli_inputs_count (work->options), _("inputs"), error))
    return FALSE;
  if (asked->inputs->len == 0)
    g_ptr_array_add (asked->inputs, attn_input_copy (preset->inputs->pdata[0]));
  work->inputs = attn_cli_inputs_tokenize (work->options, work->model, (gssize) asked->n_answer,
                                           &work->models, error);
  return work->inputs != NULL;
}

/* Finds the head with the largest sink score, averaged over the inputs, in all layers or the one of
 * --layer, just as a figure of all inputs does. */
static gboolean
find_strongest_sink (AttnCliWork  *work,
                     GError      **error)
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

/* Tells whether the array is of vectors in the residual stream, which have no heads. */
static gboolean
is_of_stream (const AttnCliWhat *what)
{
  return (what->quantity & ATTN_QUANTITIES_OF_STREAM) != 0;
}

/* Tells whether the array is of heads, so that layers without attention weights do not have it. */
static gboolean
is_of_heads (const AttnCliWhat *what)
{
  return what->effect == ATTN_CLI_EFFECT_NONE && what->quantity != ATTN_QUANTITY_LOGITS &&
         !is_of_stream (what);
}

/* Checks that the vectors of several layers fit into one array: each layer must have the same
 * number of vectors of the same width. */
static gboolean
check_vectors (const AttnCliWork  *work,
               GError            **error)
{
  const AttnQuantity vectors = ATTN_QUANTITY_QUERY | ATTN_QUANTITY_KEY | ATTN_QUANTITY_VALUE |
                               ATTN_QUANTITY_OUTPUT;
  gsize first = attn_index_set_get_first (work->layers);
  AttnModelLayer a = attn_model_info_get_layer (work->info, first);

  for (gsize layer = first; layer < work->info->n_layers; layer++)
    {
      AttnModelLayer b = attn_model_info_get_layer (work->info, layer);

      if ((work->options->what->quantity & vectors) != 0 &&
          attn_index_set_contains (work->layers, layer) &&
          (a.head_width != b.head_width || a.n_key_heads != b.n_key_heads ||
           a.value_width != b.value_width))
        return attn_fail (error, ATTN_ERROR_ARGUMENT,
                          _("--what: heads of width %zu found in layer %zu and of width %zu in "
                            "layer %zu, expected --layer with the number of one"),
                          a.head_width, first, b.head_width, layer);
    }
  return TRUE;
}

static gboolean
choose_layers_and_head (AttnCliWork  *work,
                        GError      **error)
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

/* Refuses an intervention on all layers of recorded arrays: an intervention also changes the input
 * of the layers above, which cannot be computed from recorded arrays. */
static gboolean
check_layer_given (const AttnCliWork       *work,
                   const AttnIntervention  *intervention,
                   GError                 **error)
{
  return !work->info->is_recording || work->info->n_layers == 1 || intervention->layers != NULL ||
         attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("--layer: nothing found, expected a number, since an intervention in "
                      "recorded arrays is seen in its own layer only"));
}

static gboolean
build_interventions (AttnCliWork  *work,
                     GError      **error)
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

static char *
name_array (const AttnCliWork *work,
            const char        *name,
            gsize              input)
{
  return attn_cli_inputs_count (work->options) > 1 ? g_strdup_printf ("%s_%zu", name, input)
                                                   : g_strdup (name);
}

static AttnTrace *
compute_final (const AttnSpeaker  *speaker,
               gboolean            is_modified,
               const AttnTrace    *baseline,
               GError            **error)
{
  g_autofree guint32 *ids = attn_tokens_dup_ids (speaker->tokens);
  gboolean is_other = is_modified && speaker->changed != NULL;
  const AttnTraceRequest request = {
    .ids = ids,
    .n_ids = speaker->tokens->n_tokens,
    .interventions = is_modified ? speaker->interventions : NULL,
    .keep = is_modified ? ATTN_QUANTITY_FINAL : ATTN_QUANTITY_FINAL | ATTN_QUANTITY_RESIDUAL,
  };

  return attn_trace_compute (is_other ? speaker->changed : speaker->model, &request,
                             is_other ? NULL : baseline, NULL, NULL, error);
}

/* Adds the array of an effect: the KL divergence [T] in bits; or loss or logit difference [2, T],
 * before and after the intervention. @effects: [@n], the effect at each position */
static gboolean
add_numbers (const AttnCliWork           *work,
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

/* Adds the names of the k most probable labels of an image classifier, such as "tabby cat", before
 * and after the intervention: 2 k strings. They are taken from the first token, as all tokens have
 * the same labels. @ids: [2, T, k] */
static gboolean
add_label_names (const AttnCliWork  *work,
                 gsize               input,
                 const gint64       *ids,
                 const gsize        *shape,
                 AttnArrayFile      *file,
                 GError            **error)
{
  g_autofree char *name = name_array (work, "labels", input);
  g_auto (GStrv) names = g_new0 (char *, 2 * shape[2] + 1);

  if (work->info->label_names == NULL)
    return TRUE;
  for (gsize i = 0; i < 2 * shape[2]; i++)
    names[i] = attn_model_dup_output_label (
        work->model, ids[i / shape[2] * shape[1] * shape[2] + i % shape[2]]);
  return attn_cli_add_strings (file, name, (const char * const *) names, error);
}

/* Adds the effect that --what names: the numbers of add_numbers(), or the prediction: ids [2, T, k]
 * and probabilities [2, T, k] of the k most probable tokens, before and after the intervention. A
 * prediction for pictures also has labels [2 k], and one with two chosen tokens logit_difference
 * [2, T]. */
static gboolean
add_effect (const AttnCliWork  *work,
            gsize               input,
            AttnArrayFile      *file,
            GError            **error)
{
  const AttnCliWhat *what = work->options->what;
  const AttnStudy *asked = work->options->asked;
  const AttnInput *own = g_ptr_array_index (asked->inputs, input);
  g_auto (AttnSpeaker) speaker = { NULL };
  if (!attn_speaker_init (&speaker, work->model, own, input + 1, work->inputs->pdata[input],
                          attn_study_get_framing (asked), work->interventions, NULL, error) ||
      !attn_speaker_answer (&speaker, own, asked->n_answer, NULL, error))
    return FALSE;
  const AttnTokens *tokens = speaker.tokens;
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

  if (!attn_quantities_find_answer (asked, speaker.model, &request.answer, error))
    return FALSE;
  g_autoptr (AttnTrace) before = compute_final (&speaker, FALSE, NULL, error);
  g_autoptr (AttnTrace) after =
      before != NULL ? compute_final (&speaker, TRUE, before, error) : NULL;
  g_autoptr (AttnTensor) shares =
      after != NULL && is_prediction ? attn_tensor_new (3, shape, error) : NULL;

  const AttnPredictionTop top = { ids, shares != NULL ? shares->data : NULL, NULL };

  if (after == NULL || (is_prediction && shares == NULL) ||
      !attn_prediction_compare (before, after, &request, effects, is_prediction ? &top : NULL, NULL,
                                error) ||
      (is_prediction &&
       (!attn_array_file_add_numbers (file, ids_name, ATTN_DTYPE_I64, 3, shape, ids, error) ||
        !add_label_names (work, input, ids, shape, file, error) ||
        !attn_array_file_add (file, attn_array_new_from_tensor (name, shares), error))))
    return FALSE;
  if ((!is_prediction && !add_numbers (work, input, what->effect, effects, n, file, error)) ||
      (is_prediction && request.answer.versus >= 0 &&
       !add_numbers (work, input, ATTN_CLI_EFFECT_DIFFERENCE, effects, n, file, error)))
    return FALSE;
  return attn_cli_add_strings (file, label_name, (const char * const *) tokens->labels, error);
}

static gboolean
add_quantity (const AttnCliWork  *work,
              gsize               input,
              AttnArrayFile      *file,
              GError            **error)
{
  AttnQuantity quantity = work->options->what->quantity;
  g_autofree char *suffix =
      attn_cli_inputs_count (work->options) > 1 ? g_strdup_printf ("_%zu", input) : g_strdup ("");
  g_autofree char *name = g_strconcat (work->options->what->name, suffix, NULL);
  const AttnTokens *tokens = g_ptr_array_index (work->inputs, input);
  g_autoptr (AttnTensor) array = quantity != 0
                                     ? attn_cli_gather_quantity (work, tokens, file, error)
                                     : attn_cli_gather_maps (work, tokens, error);

  return array != NULL &&
         attn_array_file_add (file, attn_array_new_from_tensor (name, array), error) &&
         attn_cli_add_labels (work, array, file, suffix, tokens, error);
}

static gboolean
compute_quantity (AttnCliWork    *work,
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

/* Tells whether the array depends on the tokens of --token and --versus. */
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
  g_auto (AttnCliWork) work = { .options = options };

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
  if (is_of_stream (options->what) && attn_cli_options_count (options, "head") > 0)
    return attn_cli_fail_usage (_("--head: found with --what %s, expected none, for the residual "
                                  "stream is of no head"),
                                options->what->name);
  for (gsize i = 0; i < G_N_ELEMENTS (tokens) && !takes_tokens (options->what); i++)
    if (attn_cli_options_count (options, tokens[i]) > 0)
      return attn_cli_fail_usage (
          _("--%s: found with --what %s, expected logit, logit-difference or prediction"),
          tokens[i], options->what->name);
  if (options->what->effect == ATTN_CLI_EFFECT_DIFFERENCE && options->asked->versus == NULL)
    return attn_cli_fail_usage (
        _("--versus: none found with --what logit-difference, expected a token"));
  if (!attn_cli_check_settings (NULL, options, &error) ||
      !attn_cli_check_inputs (&options->asked->model, options->asked->inputs, options,
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
                              attn_cli_parse_what_cb,
                              N_("What to write: weights, scores, value-norm, logit, rollout, "
                                  "cosine, norms, query, key, value, output, residual, attention, "
                                  "mlp, logits, kl, loss, logit-difference, prediction or edge; "
                                  "default weights"),
                              "QUANTITY" };
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
        "quantity: query, key, value and output are [layers, heads, T, d], residual is "
        "[layers + 1, T, D], attention and mlp are [layers, T, D], logits [T, vocabulary]. One "
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
