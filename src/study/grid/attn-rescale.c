/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-rescale.h"

#include <math.h>
#include <string.h>

#include "attn-patches.h"
#include "attn-plan-panels.h"
#include "attn-trace.h"

/* Largest number of attention scores that a figure keeps for all its layers, and of the
 * multiplications that compute these scores, which take about a tenth of a second. */
#define MAX_SCORES   (4 << 20)
#define MAX_PRODUCTS 4e9

/**
 * attn_rescale_is_possible:
 *
 * Returns: whether the panels of @study can follow ε: they are weights or scores, and queries, keys
 *   or values are multiplied by ε
 */
gboolean
attn_rescale_is_possible (const AttnStudy *study)
{
  return study->operation == ATTN_OPERATION_SCALE &&
         (study->quantity == ATTN_MAP_WEIGHTS ||
          (study->quantity == ATTN_MAP_SCORES && !study->joins_words && !study->renormalises));
}

/**
 * attn_rescale_is_quick:
 * @n: number of panels of @study
 * @input: index of the input with the most tokens
 *
 * Returns: whether the scores of the panels take little time and memory compared with the panels
 *   themselves, as where layers do not vary and the scores of the one layer are already there
 */
gboolean
attn_rescale_is_quick (const AttnStudy *study,
                       AttnWorkspace   *workspace,
                       gsize            n,
                       gsize            input)
{
  AttnBaseline *baseline = attn_workspace_get_baseline (workspace, 0, input);
  const AttnModelInfo *info = attn_model_get_info (baseline->model);
  double n_tokens = (double) baseline->tokens->n_tokens;
  double n_heads = study->head == ATTN_HEAD_MEAN ? (double) info->n_heads : 1;
  double n_products = n_tokens * (double) info->n_heads * (double) info->head_width *
                      (2 * (double) info->width + n_tokens) * (double) info->n_layers;

  return !attn_study_changes_along (study, ATTN_DIMENSION_LAYER) ||
         ((double) n * n_heads * n_tokens * (double) attn_baseline_count_keys (baseline) <=
              MAX_SCORES &&
          n_products <= MAX_PRODUCTS);
}

/* Frees the contents of @rescaling, which is then empty: this means that the panel does not follow
 * changes of ε. */
void
attn_rescale_clear (AttnRescaling *rescaling)
{
  g_clear_pointer (&rescaling->heads, g_array_unref);
  g_clear_pointer (&rescaling->subtracted, g_array_unref);
  *rescaling = (AttnRescaling) { 0 };
}

static void
clear_head (gpointer data)
{
  AttnRescaledHead *head = data;

  g_clear_pointer (&head->scores, attn_tensor_unref);
  g_clear_pointer (&head->queries, g_free);
  g_clear_pointer (&head->keys, g_free);
  g_clear_pointer (&head->row_of, g_array_unref);
  g_clear_pointer (&head->column_of, g_array_unref);
}

/* Returns the interventions of @cell with its ε replaced by @epsilon. (transfer full) */
static GPtrArray *
build_at (const AttnStudy *study,
          AttnWorkspace   *workspace,
          const AttnCell  *cell,
          double           epsilon)
{
  AttnCell other = *cell;

  other.epsilon = epsilon;
  return attn_workspace_build_interventions (workspace, &other, study);
}

/* Returns (transfer full) how each of @n factors depends on ε. @at_one: [n]: the factors where ε is
 * 1; @at_two: where ε is 2. @is_moved: (inout): set if a factor depends on ε */
static AttnFactor *
find_factors (const double *at_one,
              const double *at_two,
              gsize         n,
              gboolean     *is_moved)
{
  AttnFactor *factors = g_new0 (AttnFactor, n);

  for (gsize i = 0; i < n; i++)
    {
      factors[i].rest = at_one[i];
      if (at_one[i] > 0)
        factors[i].power = (guint) lround (log2 (at_two[i] / at_one[i]));
      *is_moved = *is_moved || factors[i].power > 0;
    }
  return factors;
}

/* Finds the formula by which the scores of the heads from @first to before @end depend on ε.
 * Returns FALSE if the scores of one of these heads have no closed form. @is_moved: (inout): set if
 * the scores of one depend on ε */
static gboolean
find_heads (const AttnBaseline *baseline,
            gsize               layer,
            gsize               first,
            gsize               end,
            GPtrArray          *at_one,
            GPtrArray          *at_two,
            GArray             *heads,
            gboolean           *is_moved)
{
  AttnTrace *trace = baseline->shown;
  gsize n_queries = baseline->tokens->n_tokens;
  gsize n_keys = attn_baseline_count_keys (baseline);
  g_autofree double *queries = g_new (double, 2 * n_queries);
  g_autofree double *keys = g_new (double, 2 * n_keys);

  for (gsize i = first; i < end; i++)
    {
      AttnRescaledHead head = { .sink = attn_trace_get_sink (trace, layer, i) };

      if (!attn_trace_get_factors (trace, layer, i, at_one, queries, keys) ||
          !attn_trace_get_factors (trace, layer, i, at_two, queries + n_queries, keys + n_keys))
        return FALSE;
      head.queries = find_factors (queries, queries + n_queries, n_queries, is_moved);
      head.keys = find_factors (keys, keys + n_keys, n_keys, is_moved);
      g_array_append_val (heads, head);
    }
  return TRUE;
}

/* The queries that a panel shows, alone or as part of a word, and the rows and columns of the panel
 * to which queries and keys belong. */
typedef struct
{
  GArray *queries;   /* element-type gsize: positions of the shown queries */
  GArray *row_of;    /* element-type int: row of the panel for each of @queries */
  GArray *column_of; /* element-type int: column of the panel for each key, -1 for a hidden key */
  gboolean is_plain; /* whether each cell of the panel is of one query and one key */
} Places;

static void
clear_places (Places *places)
{
  g_array_unref (places->queries);
  g_array_unref (places->row_of);
  g_array_unref (places->column_of);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Places, clear_places)

static void
add_query (Places *places,
           gsize   query,
           int     row)
{
  g_array_append_val (places->queries, query);
  g_array_append_val (places->row_of, row);
}

/* Returns the position behind the word whose first token is @first; @first + 1 if @words is
 * NULL. */
static gsize
find_end (const AttnWords *words,
          gsize            first)
{
  gsize word = 0;

  while (words != NULL && word < words->n_words && words->starts[word] <= first)
    word++;
  return words != NULL ? words->starts[word] : first + 1;
}

/* Sets the places of a panel over a picture: its patches, row by row, are the keys of a single
 * row. */
static void
place_patches (const AttnStudy *study,
               const AttnModel *model,
               gsize            n_queries,
               Places          *places)
{
  const AttnModelInfo *info = attn_model_get_info (model);
  gsize number = attn_patches_choose_picture (study, model, n_queries, NULL);
  const AttnPicture picture = attn_model_get_picture (model, number);

  for (gsize query = 0; query < n_queries; query++)
    if (attn_patches_is_chosen (study, model, query, n_queries))
      add_query (places, query, 0);
  for (gsize i = 0; i < picture.n_rows * picture.n_columns; i++)
    g_array_index (places->column_of, int, picture.first_patch + i) =
        info->patch_places != NULL ? (int) info->patch_places[i] : (int) i;
}

static void
place_tokens (const AttnStudy *study,
              const AttnWords *words,
              const AttnPanel *panel,
              Places          *places)
{
  for (gsize i = 0; i < attn_panel_get_n_rows (panel); i++)
    {
      gsize first = attn_panel_get_row_position (panel, i);

      for (gsize query = first; query < find_end (words, first); query++)
        add_query (places, query, (int) i);
    }
  for (gsize k = 0; k < attn_panel_get_n_columns (panel); k++)
    {
      gsize first = attn_panel_get_column_position (panel, k);

      if (first == ATTN_PANEL_NO_POSITION)
        continue;
      for (gsize key = first; key < find_end (words, first); key++)
        if (!study->hides_keys || !attn_index_set_contains (study->hidden_keys, key))
          g_array_index (places->column_of, int, key) = (int) k;
    }
}

/* Finds the queries and keys that @panel shows. @baseline: the input and model of its cell */
static Places
find_places (const AttnStudy    *study,
             const AttnBaseline *baseline,
             const AttnWords    *words,
             const AttnPanel    *panel)
{
  gsize n_queries = baseline->tokens->n_tokens;
  gsize n_keys = attn_baseline_count_keys (baseline);
  gboolean is_picture = attn_patches_are_shown (study, baseline->model);
  Places places = {
    g_array_new (FALSE, FALSE, sizeof (gsize)),
    g_array_new (FALSE, FALSE, sizeof (int)),
    g_array_new (FALSE, FALSE, sizeof (int)),
    !is_picture && !study->hides_keys && attn_panel_get_n_rows (panel) == n_queries &&
        attn_panel_get_n_columns (panel) == n_keys,
  };
  const int none = -1;

  for (gsize key = 0; key < n_keys; key++)
    g_array_append_val (places.column_of, none);
  if (is_picture)
    place_patches (study, baseline->model, n_queries, &places);
  else
    place_tokens (study, words, panel, &places);
  return places;
}

/* Stores in @head the part of @scores, [T, S], that its panel shows. Returns FALSE if memory is
 * lacking. */
static gboolean
place_head (AttnRescaledHead *head,
            AttnTensor       *scores,
            const Places     *places)
{
  const gsize shape[] = { places->queries->len, scores->shape[1] };

  if (places->is_plain)
    {
      head->scores = attn_tensor_ref (scores);
      return TRUE;
    }

  head->scores = attn_tensor_new_unset (2, shape, NULL);
  for (gsize i = 0; head->scores != NULL && i < shape[0]; i++)
    {
      gsize query = g_array_index (places->queries, gsize, i);

      memcpy (head->scores->data + i * shape[1], scores->data + query * shape[1],
              shape[1] * sizeof (float));
      head->queries[i] = head->queries[query];
    }
  head->row_of = g_array_ref (places->row_of);
  head->column_of = g_array_ref (places->column_of);
  return head->scores != NULL;
}

/* Finds how the weights of @cell, which @panel shows, follow its ε. Returns FALSE if they do so,
 * but not in closed form. @words: (nullable): the words to which the tokens of @panel are joined.
 * @epsilon: (out): the factor of @cell, 0 if it has no operation. @found: (out) (nullable): NULL if
 * the weights do not depend on ε. */
static gboolean
find_side (const AttnStudy  *study,
           AttnWorkspace    *workspace,
           const AttnCell   *cell,
           const AttnWords  *words,
           const AttnPanel  *panel,
           GCancellable     *cancellable,
           double           *epsilon,
           GArray          **found)
{
  AttnBaseline *baseline = attn_workspace_get_baseline (workspace, cell->model, cell->input);
  const AttnModelInfo *info = attn_model_get_info (baseline->model);
  gsize first = cell->head >= 0 ? (gsize) cell->head : 0;
  gsize end = cell->head >= 0 ? first + 1 : info->n_heads;
  g_autoptr (GPtrArray) own =
      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);
  gboolean is_moved = FALSE;

  *epsilon = 0;
  *found = NULL;
  if (!attn_cell_is_baseline (cell, study))
    attn_cell_add_operation (cell, study, own);
  if (own->len == 0)
    return TRUE;
  if (baseline->shown == NULL || attn_plan_is_long (baseline))
    return FALSE;

  g_autoptr (GPtrArray) at_one = build_at (study, workspace, cell, 1);
  g_autoptr (GPtrArray) at_two = build_at (study, workspace, cell, 2);
  g_autoptr (GArray) heads = g_array_new (FALSE, FALSE, sizeof (AttnRescaledHead));
  g_array_set_clear_func (heads, clear_head);
  /* With hidden keys, the column of the sink also has the weights of keys that words leave out; no
   * formula gives these for another ε. */
  if (words != NULL && study->hides_keys && info->has_sinks)
    return FALSE;
  if (!find_heads (baseline, cell->layer, first, end, at_one, at_two, heads, &is_moved))
    return FALSE;
  g_auto (Places) places = find_places (study, baseline, words, panel);
  for (guint i = 0; is_moved && i < heads->len; i++)
    {
      AttnRescaledHead *head = &g_array_index (heads, AttnRescaledHead, i);
      g_autoptr (AttnTensor) scores = attn_trace_compute_scores (
          baseline->shown, cell->layer, first + i, cancellable, NULL);

      if (scores == NULL || !place_head (head, scores, &places))
        return FALSE;
    }
  *epsilon = cell->epsilon;
  *found = is_moved ? g_steal_pointer (&heads) : NULL;
  return TRUE;
}

/**
 * attn_rescale_find:
 * @cell: what a panel of the grid shows; for a difference, the cell that another is subtracted from
 * @words: (nullable): the words of @cell, if its tokens are joined to words
 * @subtracted: (nullable): for a difference of two cells, the cell that is subtracted
 * @subtracted_words: (nullable): the words of @subtracted
 * @place: the panels of that cell of the grid
 * @rescaling: (out): how these panels follow ε; empty if the cells have no operation
 *
 * Returns: %FALSE if the panels depend on ε, but not in closed form
 */
gboolean
attn_rescale_find (const AttnStudy    *study,
                   AttnWorkspace      *workspace,
                   const AttnCell     *cell,
                   const AttnWords    *words,
                   const AttnCell     *subtracted,
                   const AttnWords    *subtracted_words,
                   const AttnGridCell *place,
                   GCancellable       *cancellable,
                   AttnRescaling      *rescaling)
{
  double epsilon = 0;

  *rescaling = (AttnRescaling) {
    .is_of_scores = study->quantity == ATTN_MAP_SCORES,
    .renormalises = study->hides_keys && study->renormalises &&
                    !attn_patches_are_shown (study, workspace->models->pdata[0]),
  };
  if (!find_side (study, workspace, cell, words,
                  place->minuend != NULL ? place->minuend : place->panel, cancellable,
                  &rescaling->epsilon, &rescaling->heads))
    return FALSE;
  if (subtracted == NULL)
    return TRUE;
  if (!find_side (study, workspace, subtracted, subtracted_words, place->baseline, cancellable,
                  &epsilon, &rescaling->subtracted))
    return FALSE;
  /* A difference follows one ε only if both sides have the same factor. */
  if (epsilon > 0 && rescaling->epsilon > 0 && epsilon != rescaling->epsilon)
    return FALSE;
  rescaling->epsilon = MAX (epsilon, rescaling->epsilon);
  return TRUE;
}
