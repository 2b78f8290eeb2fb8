/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-quantities.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-plan-panels.h"
#include "attn-tokenizer.h"

/* Panels computed by one pass through the model, for cells that differ only in layer and head. */
typedef struct
{
  AttnBaseline *baseline;
  GPtrArray *interventions; /* element-type AttnIntervention */
  AttnMaps *maps;
  GHashTable *panels; /* from layer and head to AttnPanel */
} Pass;

struct _AttnQuantities
{
  const AttnStudy *study;
  AttnWorkspace *workspace;
  const AttnCell *cells;
  gsize n_cells;
  const AttnProgress *progress;
  GCancellable *cancellable;
  GPtrArray *passes; /* element-type Pass */
};

/* Untranslated texts for each quantity in a figure (the inspector translates the label), and a
 * phrase for a sentence about one cell. */
static const struct
{
  const char *label;
  const char *note; /* (nullable): a note in the caption */
  const char *word; /* (nullable): format of a sentence about one cell */
} texts[ATTN_N_MAPS] = {
  [ATTN_MAP_WEIGHTS] = { "Attention Weight", NULL, NULL },
  [ATTN_MAP_SCORES] = { N_("Attention Score"), "Scores before the Softmax", N_("score %s") },
  [ATTN_MAP_VALUE_NORM] = { N_("Weight × Value Norm"),
                            "Weight times the Norm of the Value after the Output Projection",
                            N_("weight × value norm %s") },
  [ATTN_MAP_LOGIT] = { N_("Logit Contribution"), NULL, N_("logit contribution %s") },
  [ATTN_MAP_ROLLOUT] = { N_("Attention Rollout"), "Rollout over the Layers up to This",
                         N_("rollout %s") },
  [ATTN_MAP_COSINE] = { N_("Cosine of Query and Key"), "Cosine of Query and Key", N_("cosine %s") },
  [ATTN_MAP_NORMS] = { N_("Norms of Query and Key"),
                       "Product of the Norms of Query and Key, Scaled as the Score",
                       N_("norms %s") },
};

static void
free_pass (gpointer data)
{
  Pass *pass = data;

  g_ptr_array_unref (pass->interventions);
  g_clear_pointer (&pass->maps, attn_maps_free);
  g_hash_table_unref (pass->panels);
  g_free (pass);
}

/**
 * attn_quantities_new:
 * @study: the study whose quantity is shown; it, @workspace and @cells live as long as the
 *   quantities
 * @workspace: prepared for @study
 * @cells: (array length=n_cells): all cells of the grid, since one pass computes all their layers
 *
 * Returns: (transfer full): the panels of @study, of which none is computed yet
 */
AttnQuantities *
attn_quantities_new (const AttnStudy    *study,
                     AttnWorkspace      *workspace,
                     const AttnCell     *cells,
                     gsize               n_cells,
                     const AttnProgress *progress,
                     GCancellable       *cancellable)
{
  AttnQuantities *quantities = g_new0 (AttnQuantities, 1);

  quantities->study = study;
  quantities->workspace = workspace;
  quantities->cells = cells;
  quantities->n_cells = n_cells;
  quantities->progress = progress;
  quantities->cancellable = cancellable;
  quantities->passes = g_ptr_array_new_with_free_func (free_pass);
  return quantities;
}

void
attn_quantities_free (AttnQuantities *quantities)
{
  if (quantities == NULL)
    return;
  g_ptr_array_unref (quantities->passes);
  g_free (quantities);
}

/**
 * attn_quantities_get_word:
 *
 * Returns: (nullable): a format for a value of @quantity in a sentence, such as "score %s",
 *   untranslated; %NULL for attention weights
 */
const char *
attn_quantities_get_word (AttnMapKind quantity)
{
  return texts[quantity].word;
}

/**
 * attn_quantities_get_label:
 *
 * Returns: the label of the colour bar, such as "Attention Score", untranslated
 */
const char *
attn_quantities_get_label (AttnMapKind quantity)
{
  return texts[quantity].label;
}

/* Finds the class whose name is @text, for a model that classifies pictures. @label: (out): its
 * number */
static gboolean
find_label (const char       *text,
            const AttnModel  *model,
            gint64           *label,
            GError          **error)
{
  const AttnModelInfo *info = attn_model_get_info (model);

  for (gsize i = 0; info->label_names != NULL && i < info->vocabulary_size; i++)
    if (g_str_equal (info->label_names[i], text))
      {
        *label = (gint64) i;
        return TRUE;
      }
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("label “%s” found, expected one of those of %s, or its number from 0 to %zu"),
                    text, attn_model_get_path (model), info->vocabulary_size - 1);
}

/* Finds the token that @text names: an id, or a text that @model encodes as one token. @token:
 * (out): its id, -1 if @text is NULL */
static gboolean
find_token (const char  *text,
            AttnModel   *model,
            gint64      *token,
            GError     **error)
{
  guint64 id;

  *token = -1;
  if (text == NULL)
    return TRUE;
  if (g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT32, &id, NULL))
    {
      *token = (gint64) id;
      return TRUE;
    }

  if (attn_model_is_about_picture (model))
    return find_label (text, model, token, error);

  const AttnTokenizer *tokenizer = attn_model_get_tokenizer (model, error);
  g_autoptr (AttnTokens) tokens =
      tokenizer != NULL ? attn_tokenizer_encode (tokenizer, text, -1, FALSE, error) : NULL;
  if (tokens == NULL)
    return FALSE;
  if (tokens->n_tokens == 1)
    {
      *token = tokens->tokens[0].id;
      return TRUE;
    }
  g_autofree char *found = g_strjoinv ("”, “", tokens->labels);
  /* In most vocabularies, a word within a text is a token that includes the space before it. */
  g_autofree char *inner = g_strconcat (" ", text, NULL);
  g_autoptr (AttnTokens) of_inner = attn_tokenizer_encode (tokenizer, inner, -1, FALSE, NULL);
  if (of_inner != NULL && of_inner->n_tokens == 1)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("token “%s”: “%s” found, expected a text of one token, such as “%s” with a "
                        "space before it, or an id"),
                      text, found, inner);
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("token “%s”: “%s” found, expected a text of one token, or an id"), text,
                    found);
}

/**
 * attn_quantities_find_answer:
 * @study: its token and versus are looked up: each an id, a text that is one token of @model, or
 *   the label of a class of pictures
 * @answer: (out): the ids of both tokens, -1 for one that is not chosen
 * @error: return location for %ATTN_ERROR_ARGUMENT, whose message lists the tokens of a text that
 *   has several
 */
gboolean
attn_quantities_find_answer (const AttnStudy  *study,
                             AttnModel        *model,
                             AttnAnswer       *answer,
                             GError          **error)
{
  return find_token (study->token, model, &answer->token, error) &&
         find_token (study->versus, model, &answer->versus, error);
}

/**
 * attn_quantities_dup_label:
 * @text: (nullable): a token as the study has it: an id, a text of one token, or the label of a
 *   class of pictures
 *
 * Returns: (transfer full) (nullable): the label of the token, which includes the space before a
 *   word, since "␣rose" and "rose" are different tokens; %NULL if @text is
 */
char *
attn_quantities_dup_label (const char *text,
                           AttnModel  *model)
{
  gint64 token;

  if (text == NULL)
    return NULL;
  return find_token (text, model, &token, NULL) ? attn_model_dup_output_label (model, token)
                                                : g_strdup (text);
}

/**
 * attn_quantities_build_note:
 * @token: (nullable): the label of the study's token
 * @versus: (nullable): the label of the token whose logit is subtracted
 *
 * Returns: (transfer full) (nullable): a sentence of the caption, as markup, that says which
 *   quantity the panels of @study show; %NULL for weights
 */
char *
attn_quantities_build_note (const AttnStudy *study,
                            const char      *token,
                            const char      *versus)
{
  g_autofree char *of =
      token != NULL ? g_markup_printf_escaped ("“%s”", token) : g_strdup ("the Next Token");
  g_autofree char *other = g_markup_printf_escaped ("“%s”", versus != NULL ? versus : "");

  if (study->quantity != ATTN_MAP_LOGIT)
    return g_strdup (texts[study->quantity].note);
  return versus != NULL
             ? g_strdup_printf ("Contribution to the Logit of %s less that of %s", of, other)
             : g_strdup_printf ("Contribution to the Logit of %s", of);
}

static GPtrArray *
list_interventions (const AttnQuantities *quantities,
                    const AttnCell       *cell,
                    gboolean              is_baseline)
{
  return is_baseline ? g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free)
                     : attn_workspace_build_interventions (quantities->workspace, cell,
                                                           quantities->study);
}

/* Lists the layers of all cells that the pass computes. A pass without interventions computes the
 * baselines of all cells of its input. */
static AttnIndexSet *
list_layers (const AttnQuantities *quantities,
             const Pass           *pass)
{
  gsize n_layers = attn_model_get_info (pass->baseline->model)->n_layers;
  g_autofree gboolean *layers = g_new0 (gboolean, n_layers);

  for (gsize i = 0; i < quantities->n_cells; i++)
    {
      const AttnCell *cell = &quantities->cells[i];

      if (attn_workspace_get_baseline (quantities->workspace, cell->model, cell->input) !=
              pass->baseline ||
          cell->layer >= n_layers)
        continue;
      g_autoptr (GPtrArray) interventions = list_interventions (quantities, cell, FALSE);
      layers[cell->layer] |= pass->interventions->len == 0 ||
                             attn_interventions_equal (interventions, pass->interventions);
    }
  return attn_index_set_new_from_flags (layers, n_layers);
}

static gboolean
run_pass (const AttnQuantities  *quantities,
          Pass                  *pass,
          GError               **error)
{
  AttnBaseline *baseline = pass->baseline;
  AttnMapSpec spec = { .kind = quantities->study->quantity };

  if (attn_plan_is_long (baseline))
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("quantity “%s”: %zu tokens found, expected at most %zu cells a panel"),
                      attn_map_names[spec.kind], baseline->tokens->n_tokens,
                      attn_panel_get_max_cells ());
  AttnAnswer answer;
  if (!attn_quantities_find_answer (quantities->study, baseline->model, &answer, error))
    return FALSE;
  spec.token = answer.token;
  spec.versus = answer.versus;

  g_autoptr (AttnIndexSet) layers = list_layers (quantities, pass);
  if (!attn_map_check (&spec, baseline->model, error) ||
      (!attn_model_get_info (baseline->model)->is_recording &&
       !attn_baseline_need_residuals (baseline, NULL, quantities->cancellable, error)))
    return FALSE;
  pass->maps = attn_maps_new (&spec, baseline->model, baseline->ids, baseline->tokens->n_tokens,
                              pass->interventions, layers, baseline->residuals,
                              quantities->progress, quantities->cancellable, error);
  return pass->maps != NULL;
}

static Pass *
need_pass (AttnQuantities  *quantities,
           const AttnCell  *cell,
           gboolean         is_baseline,
           GError         **error)
{
  AttnBaseline *baseline =
      attn_workspace_get_baseline (quantities->workspace, cell->model, cell->input);
  g_autoptr (GPtrArray) interventions = list_interventions (quantities, cell, is_baseline);
  Pass *pass;

  for (guint i = quantities->passes->len; i > 0; i--)
    {
      pass = quantities->passes->pdata[i - 1];
      if (pass->baseline == baseline &&
          attn_interventions_equal (pass->interventions, interventions))
        return pass;
    }
  pass = g_new0 (Pass, 1);
  pass->baseline = baseline;
  pass->interventions = g_steal_pointer (&interventions);
  pass->panels = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                        (GDestroyNotify) attn_panel_unref);
  g_ptr_array_add (quantities->passes, pass);
  return run_pass (quantities, pass, error) ? pass : NULL;
}

/**
 * attn_quantities_make:
 * @is_baseline: %TRUE for the panel without the interventions of @cell
 * @error: return location: errors of [func@attn_maps_new]; %ATTN_ERROR_LIMIT for a panel that is
 *   too long to be kept; %ATTN_ERROR_ARGUMENT if the study's token is not one of the model
 *
 * Returns: (transfer full) (nullable): the panel of @cell; cells with the same values share one
 *   panel
 */
AttnPanel *
attn_quantities_make (AttnQuantities  *quantities,
                      const AttnCell  *cell,
                      gboolean         is_baseline,
                      GError         **error)
{
  Pass *pass = need_pass (quantities, cell, is_baseline, error);
  gint64 key = (gint64) cell->layer << 32 | (guint32) cell->head;
  AttnPanel *panel = pass != NULL ? g_hash_table_lookup (pass->panels, &key) : NULL;

  if (pass == NULL || panel != NULL)
    return panel != NULL ? attn_panel_ref (panel) : NULL;
  g_autoptr (AttnTensor) map =
      attn_maps_compute (pass->maps, cell->layer,
                         cell->head == ATTN_HEAD_MEAN ? ATTN_MAPS_MEAN : cell->head, error);
  if (map == NULL || g_cancellable_set_error_if_cancelled (quantities->cancellable, error))
    return NULL;
  panel = attn_plan_wrap_panel (pass->baseline, cell->layer, map,
                                quantities->study->quantity != ATTN_MAP_ROLLOUT);
  g_hash_table_insert (pass->panels, g_memdup2 (&key, sizeof key), panel);
  return attn_panel_ref (panel);
}
