/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Makes the head-groups figure: heads, and the groups of tokens within which each attends. Its
 * units are words, or tokens if these are not joined to words. Texts of the figure are not
 * translated, only error messages are. */

#include "config.h"

#include "attn-head-groups.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-cell.h"
#include "attn-describe.h"
#include "attn-error.h"
#include "attn-figure-run.h"
#include "attn-head-groups-private.h"
#include "attn-markup.h"
#include "attn-memory.h"
#include "attn-regions.h"
#include "attn-result-private.h"
#include "attn-titles.h"
#include "attn-words.h"
#include "attn-workspace-private.h"

/* Data of the job that computes a head-groups figure. Pointers are valid while the job runs, and
 * not owned unless marked so. */
typedef struct
{
  const AttnStudy *study;
  AttnWorkspace *workspace;
  AttnModel *model;
  AttnBaseline *baseline;
  const AttnProgress *progress;
  GCancellable *cancellable;

  gsize layer;
  gsize n_tokens; /* T */
  gsize n_units;  /* U, the number of units (words or tokens) of the figure */
  gboolean is_causal;

  /* Members from here on are owned. The heads that the figure shows: */
  gsize n_heads;
  gsize *heads;       /* numbers of these heads, ascending */
  GPtrArray *members; /* [n_heads], arrays of gboolean [U]: units in the group of each head */
  GPtrArray *tokens;  /* [n_heads], arrays of gboolean [T]: tokens in the assigned group of each
                       * head, else empty */

  AttnWords *words; /* the units */
  gsize *unit_of;   /* [T]: unit of each token */
  char **labels;    /* (array zero-terminated=1): [U], labels of units without spaces around them */

  gboolean *is_hidden; /* [U]: whether the study hides each unit */
  AttnTensor *scores;  /* [H, T, T]: scores of all heads of the layer */

  /* [U, U]: weights of all heads combined, and of the current head, whose weights are also kept for
   * tokens */
  float *together;
  float *weights;
  float *token_weights; /* (nullable): [T, T], weights of the current head, if tokens are joined to
                         * words */
} Job;

static void
clear_job (Job *job)
{
  g_clear_pointer (&job->members, g_ptr_array_unref);
  g_clear_pointer (&job->tokens, g_ptr_array_unref);
  g_clear_pointer (&job->words, attn_words_free);
  g_free (job->unit_of);
  g_strfreev (job->labels);
  g_free (job->token_weights);
  g_free (job->heads);
  g_free (job->is_hidden);
  g_free (job->together);
  g_free (job->weights);
  g_clear_pointer (&job->scores, attn_tensor_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Job, clear_job)

static gboolean
choose_layer (Job     *job,
              GError **error)
{
  const AttnModelInfo *info = attn_model_get_info (job->model);

  if (job->study->layer >= 0)
    {
      job->layer = job->study->layer;
      return attn_cell_check_number (job->layer, info->n_layers, _("layer"), error) &&
             attn_model_check_map (job->model, job->layer, error);
    }
  if (!attn_baseline_need_residuals (job->baseline, job->progress, job->cancellable,
                                     error))
    return FALSE;

  g_autoptr (AttnTensor) scores = attn_trace_get_sink_scores (job->baseline->residuals);
  gsize best = attn_index_set_get_first (info->mapped_layers) * info->n_heads;
  for (gsize i = best + 1; i < info->n_layers * info->n_heads; i++)
    if (scores->data[i] > scores->data[best])
      best = i;
  job->layer = best / info->n_heads;
  return TRUE;
}

/* Tells whether the trace has all data to compute weights: scores or weights, or queries and keys
 * if the model's mask is ignored. */
static gboolean
has_maps (const Job       *job,
          const AttnTrace *trace)
{
  g_autoptr (AttnTensor) scores = attn_trace_get (trace, ATTN_QUANTITY_SCORES, job->layer);
  g_autoptr (AttnTensor) weights = attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, job->layer);

  return scores != NULL || weights != NULL ||
         (!job->is_causal && attn_model_get_info (job->model)->is_causal);
}

/* Computes the trace of the layer with the study's interventions. */
static AttnTrace *
compute_trace (const Job  *job,
               GError    **error)
{
  const AttnModelInfo *info = attn_model_get_info (job->model);
  AttnCell cell = attn_cell_get_first (job->study, job->layer, ATTN_HEAD_MEAN);
  g_autoptr (GPtrArray) interventions =
      attn_workspace_build_interventions (job->workspace, &cell, job->study);

  if (!attn_interventions_check (interventions, job->model, job->n_tokens, error))
    return NULL;
  const AttnTrace *known = job->baseline->residuals;
  if (!attn_interventions_touch (interventions, job->layer))
    {
      if (!attn_baseline_need_layer (job->baseline, job->layer, job->progress, job->cancellable,
                                     error))
        return NULL;
      known = job->baseline->shown;
      if (has_maps (job, known))
        return attn_trace_ref (job->baseline->shown);
      /* The layer's weights are too large to be kept for other figures, and are computed again for
       * each figure. */
    }

  g_autoptr (AttnIndexSet) layers = attn_index_set_new_range (job->layer, job->layer);
  AttnTraceRequest request = {
    .ids = job->baseline->ids,
    .n_ids = job->n_tokens,
    .interventions = interventions,
    .keep = ATTN_QUANTITY_QUERY | ATTN_QUANTITY_KEY |
            (info->is_recording ? ATTN_QUANTITY_WEIGHTS : ATTN_QUANTITY_SCORES),
    .layers = layers,
  };
  return attn_trace_compute (job->model, &request, known, job->progress, job->cancellable, error);
}

/* Returns the logarithms of the weights. The logarithms can replace scores that were not recorded,
 * as a softmax of either over a subset of the keys gives the same result. */
static AttnTensor *
take_logarithms (const AttnTensor  *weights,
                 GError           **error)
{
  AttnTensor *scores = attn_tensor_new (weights->n_dims, weights->shape, error);

  for (gsize i = 0; scores != NULL && i < attn_tensor_get_n_elements (weights); i++)
    scores->data[i] = logf (weights->data[i]);
  return scores;
}

static gboolean
need_scores (Job     *job,
             GError **error)
{
  const gsize shape[] = { attn_model_get_info (job->model)->n_heads, job->n_tokens, job->n_tokens };
  g_autoptr (AttnTrace) trace = compute_trace (job, error);

  if (trace == NULL)
    return FALSE;
  if (!job->is_causal && attn_model_get_info (job->model)->is_causal)
    {
      job->scores =
          attn_trace_compute_unmasked_scores (trace, job->layer, job->cancellable, error);
      return job->scores != NULL;
    }
  job->scores = attn_trace_get (trace, ATTN_QUANTITY_SCORES, job->layer);
  if (job->scores == NULL)
    {
      g_autoptr (AttnTensor) weights = attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, job->layer);

      g_assert (weights != NULL);
      job->scores = take_logarithms (weights, error);
    }
  if (job->scores == NULL)
    return FALSE;
  g_return_val_if_fail (attn_tensor_has_shape (job->scores, 3, shape), FALSE);
  return TRUE;
}

/* Finds the units of the figure: words, or single tokens. */
static void
find_units (Job *job)
{
  const AttnTokens *tokens = job->baseline->tokens;

  gboolean joins = job->study->joins_words;

  job->words =
      attn_words_new (tokens, joins ? attn_model_get_tokenizer (job->model, NULL) : NULL);
  job->n_units = job->words->n_words;
  job->labels = attn_groups_get_plain_labels (joins ? job->words->labels : tokens->labels);
  job->unit_of = g_new (gsize, job->n_tokens);
  for (gsize unit = 0; unit < job->n_units; unit++)
    for (gsize i = job->words->starts[unit]; i < job->words->starts[unit + 1]; i++)
      job->unit_of[i] = unit;
}

/* Allocates a matrix of weights. @map: (out): [n, n], all zeros */
static gboolean
need_map (float  **map,
          gsize    n,
          GError **error)
{
  gsize n_bytes = n * n * sizeof (float);

  *map = attn_memory_try_alloc (n_bytes, _("groups"), error);
  if (*map != NULL)
    memset (*map, 0, n_bytes);
  return *map != NULL;
}

static gboolean
need_room (Job     *job,
           GError **error)
{
  gsize n = job->n_units;
  gsize n_cells;

  if (!g_size_checked_mul (&n_cells, job->n_tokens, job->n_tokens) ||
      !g_size_checked_mul (&n_cells, n_cells, 3 * sizeof (float)))
    n_cells = G_MAXSIZE;
  if (!attn_memory_check (n_cells, _("groups"), error) ||
      !attn_index_set_check (job->study->hides_keys ? job->study->hidden_keys : NULL,
                             job->n_tokens, _("hidden keys"), error))
    return FALSE;
  if (!need_map (&job->together, n, error) || !need_map (&job->weights, n, error) ||
      (job->study->joins_words && !need_map (&job->token_weights, job->n_tokens, error)))
    return FALSE;
  job->is_hidden = g_new0 (gboolean, n);
  /* A word is hidden if all of its tokens are. */
  for (gsize i = 0; job->study->hides_keys && i < n; i++)
    job->is_hidden[i] = attn_index_set_contains_all (
        job->study->hidden_keys, job->words->starts[i], job->words->starts[i + 1]);
  return TRUE;
}

static gboolean
is_hidden_token (const Job *job,
                 gsize      token)
{
  return job->study->hides_keys && attn_index_set_contains (job->study->hidden_keys, token);
}

/* Sums weights over the keys of each word and averages them over its queries in the group. Hidden
 * tokens are left out of keys and queries. */
static void
join_words (Job            *job,
            const gboolean *visible)
{
  const gsize *starts = job->words->starts;
  gsize n = job->n_units;

  for (gsize row = 0; row < n; row++)
    {
      gsize n_queries = 0;

      for (gsize query = starts[row]; query < starts[row + 1]; query++)
        n_queries += visible[query] && !is_hidden_token (job, query);
      for (gsize column = 0; column < n; column++)
        {
          double sum = 0;

          for (gsize query = starts[row]; query < starts[row + 1]; query++)
            for (gsize key = starts[column]; key < starts[column + 1]; key++)
              if (!is_hidden_token (job, query) && !is_hidden_token (job, key))
                sum += job->token_weights[query * job->n_tokens + key];
          job->weights[row * n + column] = (float) (sum / MAX (n_queries, 1));
        }
    }
}

/* Computes the weights of the head with @index within its assigned group, or over all tokens if
 * groups are detected. Hidden tokens are left out. */
static void
attend (Job   *job,
        gsize  index)
{
  const float *scores = job->scores->data + job->heads[index] * job->n_tokens * job->n_tokens;
  const gboolean *tokens = job->tokens->len > 0 ? job->tokens->pdata[index] : NULL;
  gsize n = job->n_units;
  g_autofree gboolean *visible = g_new (gboolean, job->n_tokens);

  for (gsize i = 0; i < job->n_tokens; i++)
    visible[i] = (tokens == NULL || tokens[i]) &&
                 !(job->study->renormalises && is_hidden_token (job, i));
  attn_groups_attend (scores, job->n_tokens, visible, job->is_causal,
                      job->token_weights != NULL ? job->token_weights : job->weights);
  if (job->token_weights != NULL)
    join_words (job, visible);
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < n; j++)
      if (job->is_hidden[i] || job->is_hidden[j])
        job->weights[i * n + j] = 0;
}

static int
compare_groups (gconstpointer a,
                gconstpointer b)
{
  const AttnGroup *p = *(const AttnGroup * const *) a;
  const AttnGroup *q = *(const AttnGroup * const *) b;

  return (p->head > q->head) - (p->head < q->head);
}

static gboolean
check_assigned (const Job        *job,
                const GPtrArray  *sorted,
                GError          **error)
{
  gsize n_heads = attn_model_get_info (job->model)->n_heads;

  if (sorted->len == 0)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("groups: none found, expected a head with tokens, such as 0=It,I"));
  for (guint i = 0; i < sorted->len; i++)
    {
      const AttnGroup *group = g_ptr_array_index (sorted, i);
      const AttnGroup *last = i > 0 ? g_ptr_array_index (sorted, i - 1) : NULL;

      if (group->head >= n_heads)
        return attn_fail (error, ATTN_ERROR_ARGUMENT,
                          _("groups: head %zu found, expected 0 to %zu"), group->head, n_heads - 1);
      if (last != NULL && last->head == group->head)
        return attn_fail (error, ATTN_ERROR_ARGUMENT,
                          _("groups: head %zu found twice, expected once"), group->head);
    }
  return TRUE;
}

/* Fills in the heads, and the tokens in the group of each head, that the study assigns by hand. */
static gboolean
take_assigned (Job     *job,
               GError **error)
{
  const GPtrArray *assigned = job->study->groups.assigned;
  const AttnInput *input = g_ptr_array_index (job->study->inputs, 0);
  const char *text = attn_model_get_info (job->model)->is_recording ? NULL : input->text;
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();

  for (guint i = 0; i < assigned->len; i++)
    g_ptr_array_add (sorted, g_ptr_array_index (assigned, i));
  g_ptr_array_sort (sorted, compare_groups);
  if (!check_assigned (job, sorted, error))
    return FALSE;

  job->heads = g_new0 (gsize, sorted->len);
  for (guint i = 0; i < sorted->len; i++)
    {
      const AttnGroup *group = g_ptr_array_index (sorted, i);
      gboolean *members = g_new0 (gboolean, job->n_units);
      gboolean *tokens = g_new0 (gboolean, job->n_tokens);

      g_ptr_array_add (job->members, members);
      g_ptr_array_add (job->tokens, tokens);
      job->heads[job->n_heads++] = group->head;
      if (!attn_groups_match (job->baseline->tokens, text, group, tokens, error))
        return FALSE;
      for (gsize k = 0; k < job->n_tokens; k++)
        if (tokens[k])
          members[job->unit_of[k]] = TRUE;
    }
  return TRUE;
}

/* Adds the current head to the combined matrix. A cell is 1 where some head's weight is above 0, or
 * if the study is graded, the largest weight of all heads. */
static void
add_assigned (Job *job)
{
  for (gsize i = 0; i < job->n_units * job->n_units; i++)
    job->together[i] = MAX (job->together[i], job->study->groups.is_graded
                                                  ? job->weights[i]
                                                  : (float) (job->weights[i] > 0));
}

static gboolean
take_heads (Job     *job,
            GError **error)
{
  const AttnIndexSet *heads = job->study->heads;
  gsize n_heads = attn_model_get_info (job->model)->n_heads;

  if (!attn_index_set_check (heads, n_heads, _("heads"), error))
    return FALSE;
  job->heads = g_new0 (gsize, n_heads);
  for (gsize head = 0; head < n_heads; head++)
    if (attn_index_set_contains (heads, head))
      job->heads[job->n_heads++] = head;
  return TRUE;
}

static gboolean
fail_nothing_found (const Job  *job,
                    GError    **error)
{
  char level[G_ASCII_DTOSTR_BUF_SIZE];
  gsize n_left = 0;

  for (gsize k = 0; k < job->n_units; k++)
    n_left += !job->is_hidden[k];
  if (n_left < 2)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("groups: fewer than two tokens found, expected at least two to connect"));
  g_ascii_formatd (level, sizeof level, "%g", job->study->groups.level);
  return attn_fail (
      error, ATTN_ERROR_ARGUMENT,
      job->study->groups.rule == ATTN_GROUP_RULE_THRESHOLD
          ? _("groups: no two tokens with a weight of %s between them found, expected a lower "
              "threshold")
          : _("groups: no two tokens connected by a share of %s found, expected a higher one"),
      level);
}

/* Detects groups of units from the weights of all heads, and finds the group within which each head
 * attends most. */
static gboolean
detect (Job     *job,
        GError **error)
{
  const AttnGroupOptions *options = &job->study->groups;
  gsize n = job->n_units;
  g_auto (AttnConnections) connections = { 0 };
  g_autofree gsize *groups = g_new (gsize, n);

  if (!take_heads (job, error) || !attn_connections_init (&connections, n, error))
    return FALSE;
  for (gsize i = 0; i < job->n_heads; i++)
    {
      if (g_cancellable_set_error_if_cancelled (job->cancellable, error))
        return FALSE;
      attend (job, i);
      attn_connections_add (&connections, job->weights, options->rule, options->level);
      for (gsize k = 0; options->is_graded && k < n * n; k++)
        job->together[k] = MAX (job->together[k], job->weights[k]);
    }
  for (gsize k = 0; !options->is_graded && k < n * n; k++)
    job->together[k] = connections.cells[k];

  gsize n_groups = attn_connections_get_groups (&connections, groups);
  if (n_groups == 0)
    return fail_nothing_found (job, error);
  for (gsize i = 0; i < job->n_heads; i++)
    {
      attend (job, i);
      gsize home = attn_groups_find_home (job->weights, n, groups, n_groups);
      gboolean *members = g_new0 (gboolean, n);
      for (gsize k = 0; home != ATTN_NO_GROUP && k < n; k++)
        members[k] = groups[k] == home;
      g_ptr_array_add (job->members, members);
    }
  /* Units without a group are hidden. Groups within which no head attends most are shown as
   * well. */
  for (gsize k = 0; k < n; k++)
    job->is_hidden[k] = job->is_hidden[k] || groups[k] == ATTN_NO_GROUP;
  return TRUE;
}

/* Lists the units (words or tokens) that the figure shows, which are those in some group. */
static gsize *
choose_units (const Job *job,
              gsize     *n_shown)
{
  gsize *shown = g_new (gsize, job->n_units);
  gboolean is_assigned = job->study->groups.rule == ATTN_GROUP_RULE_ASSIGNED;

  *n_shown = 0;
  for (gsize k = 0; k < job->n_units; k++)
    {
      gboolean is_in = !is_assigned;

      for (gsize i = 0; i < job->n_heads && !is_in; i++)
        is_in = ((const gboolean *) job->members->pdata[i])[k];
      if (is_in && !job->is_hidden[k])
        shown[(*n_shown)++] = k;
    }
  return shown;
}

/* Adds to the diagram a link from the head with @index to each unit of its group. The width of the
 * link is the share of the head's attention within the group that goes to the unit. */
static void
add_links (Job         *job,
           AttnDiagram *diagram,
           gsize        index,
           const gsize *shown,
           gsize        n_shown)
{
  gsize n = job->n_units;
  const gboolean *members = g_ptr_array_index (job->members, index);
  g_autofree double *sums = g_new0 (double, n_shown);
  double whole = 0;

  for (gsize k = 0; k < n_shown; k++)
    for (gsize row = 0; members[shown[k]] && row < n; row++)
      if (members[row])
        {
          sums[k] += job->weights[row * n + shown[k]];
          whole += job->weights[row * n + shown[k]];
        }
  for (gsize k = 0; k < n_shown; k++)
    if (members[shown[k]])
      attn_diagram_add_link (diagram, index, k, whole > 0 ? sums[k] / whole : 0);
}

static AttnDiagram *
make_diagram (Job                 *job,
              const gsize         *shown,
              gsize                n_shown,
              const char * const  *labels,
              GError             **error)
{
  gboolean is_assigned = job->study->groups.rule == ATTN_GROUP_RULE_ASSIGNED;
  g_autoptr (AttnDiagram) diagram = attn_diagram_new (job->heads, job->n_heads, labels);

  diagram->has_graded_lines = job->study->groups.is_graded;
  for (gsize i = 0; i < job->n_heads; i++)
    {
      if (g_cancellable_set_error_if_cancelled (job->cancellable, error))
        return NULL;
      attend (job, i);
      if (is_assigned)
        add_assigned (job);
      add_links (job, diagram, i, shown, n_shown);
    }
  return g_steal_pointer (&diagram);
}

static AttnPanel *
make_panel (const Job           *job,
            const gsize         *shown,
            gsize                n_shown,
            const char * const  *labels,
            GError             **error)
{
  const gsize shape[] = { n_shown, n_shown };
  g_autoptr (AttnTensor) values = attn_tensor_new (2, shape, error);

  if (values == NULL)
    return NULL;
  for (gsize row = 0; row < n_shown; row++)
    for (gsize column = 0; column < n_shown; column++)
      values->data[row * n_shown + column] =
          job->together[shown[row] * job->n_units + shown[column]];

  AttnPanel *panel = attn_panel_new (values, job->is_causal ? ATTN_MASK_CAUSAL : ATTN_MASK_NONE,
                                     labels, labels);
  g_autofree gsize *positions = g_new (gsize, n_shown);
  for (gsize k = 0; k < n_shown; k++)
    positions[k] = job->words->starts[shown[k]];
  attn_panel_set_positions (panel, positions, positions);
  return panel;
}

/* Returns the sentence of the caption that tells how the groups were found. */
static char *
describe_rule (const Job *job)
{
  char level[G_ASCII_DTOSTR_BUF_SIZE];
  const char *mask = job->is_causal ? "Causal Mask" : "No Causal Mask";

  g_ascii_formatd (level, sizeof level, "%g", job->study->groups.level);
  switch (job->study->groups.rule)
    {
    case ATTN_GROUP_RULE_THRESHOLD:
      return g_strdup_printf ("Groups of Tokens Joined by Weights of at Least %s (Layer %zu, %s)",
                              level, job->layer, mask);
    case ATTN_GROUP_RULE_SHARE:
      return g_strdup_printf ("Groups of Tokens Joined by the Fewest Keys That Hold %s of a Row’s "
                              "Weight (Layer %zu, %s)",
                              level, job->layer, mask);
    case ATTN_GROUP_RULE_ASSIGNED:
    default:
      return g_strdup_printf ("Groups Assigned by Hand as a Mask: Each Head Attends within Its Own "
                              "(Layer %zu, %s)",
                              job->layer, mask);
    }
}

/* Returns a description of the interventions on the model, if groups are detected in its attention.
 * (nullable) */
static char *
describe_changes (const Job *job)
{
  AttnCell cell = attn_cell_get_first (job->study, job->layer, ATTN_HEAD_MEAN);
  g_autoptr (GPtrArray) interventions = attn_cell_build_interventions (&cell, job->study);

  return interventions->len > 0 && job->study->groups.rule != ATTN_GROUP_RULE_ASSIGNED
             ? attn_describe_interventions (interventions)
             : NULL;
}

/* Builds the caption: the study's own with {rule} filled in, or by default the rule that found the
 * groups; followed by the interventions. */
static char *
build_caption (const Job  *job,
               GError    **error)
{
  const char *own = attn_study_get_caption (job->study);
  g_autofree char *rule = describe_rule (job);
  g_autofree char *changes = describe_changes (job);

  if (own == NULL)
    return changes != NULL ? g_strconcat (rule, ". Modified: ", changes, NULL)
                           : g_steal_pointer (&rule);

  g_auto (GStrv) parts = g_strsplit (own, "{rule}", -1);
  g_autofree char *template = g_strjoinv (rule, parts);
  g_autofree char *caption = attn_titles_fill_in (job->study, job->layer, ATTN_HEAD_MEAN,
                                                  _("caption"), template, error);
  return caption != NULL && changes != NULL && strstr (template, "{intervention}") == NULL
             ? g_strconcat (caption, ". Modified: ", changes, NULL)
             : g_steal_pointer (&caption);
}

static gboolean
fill_grid (Job       *job,
           AttnGrid  *grid,
           GError   **error)
{
  gsize n_shown;
  g_autofree gsize *shown = choose_units (job, &n_shown);

  if (n_shown == 0)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("groups: all tokens found hidden, expected one that is shown"));

  g_autofree const char **labels = g_new0 (const char *, n_shown + 1);
  for (gsize k = 0; k < n_shown; k++)
    labels[k] = job->labels[shown[k]];
  grid->diagram = make_diagram (job, shown, n_shown, labels, error);
  if (grid->diagram == NULL)
    return FALSE;
  grid->cells[0].panel = make_panel (job, shown, n_shown, labels, error);
  if (grid->cells[0].panel == NULL)
    return FALSE;
  grid->cells[0].name = g_strdup_printf ("Attention within groups, layer %zu", job->layer);
  const char *title = attn_study_get_title (job->study);
  if (title != NULL)
    {
      grid->cells[0].title = attn_titles_fill_in (job->study, job->layer, ATTN_HEAD_MEAN,
                                                  _("title"), title, error);
      if (grid->cells[0].title == NULL)
        return FALSE;
    }
  g_autofree char *changes = describe_changes (job);
  if (changes != NULL)
    grid->cells[0].operation = attn_markup_to_text (changes);
  grid->caption = build_caption (job, error);
  if (grid->caption != NULL)
    grid->caption =
        attn_titles_add_attention (grid->caption, attn_model_get_info (job->model));
  if (grid->caption == NULL)
    return FALSE;
  grid->value_label = g_strdup (job->study->value_label != NULL ? job->study->value_label
                                : job->n_heads > 1              ? "Largest Attention Weight"
                                                                : "Attention Weight");
  grid->has_top_labels = TRUE;
  grid->is_binary = !job->study->groups.is_graded;
  attn_study_apply_regions (job->study, grid);
  return TRUE;
}

static gboolean
prepare (Job            *job,
         AttnWorkspace  *workspace,
         GError        **error)
{
  const AttnGroupOptions *options = &job->study->groups;

  job->members = g_ptr_array_new_with_free_func (g_free);
  job->tokens = g_ptr_array_new_with_free_func (g_free);
  job->workspace = workspace;
  job->baseline = attn_workspace_get_baseline (workspace, 0, 0);
  job->model = job->baseline->model;
  job->n_tokens = job->baseline->tokens->n_tokens;
  if (attn_model_is_cross (job->model))
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("groups: attention “%s” found, expected one of a sequence to itself"),
                      attn_model_get_info (job->model)->attention);
  if (attn_baseline_count_keys (job->baseline) != job->n_tokens)
    return attn_fail (error, ATTN_ERROR_SHAPE,
                      _("groups: %zu queries x %zu keys found, expected as many keys as queries"),
                      job->n_tokens, attn_baseline_count_keys (job->baseline));
  find_units (job);
  job->is_causal = options->has_mask ? options->mask == ATTN_MASK_CAUSAL
                                     : attn_model_get_info (job->model)->is_causal;
  return TRUE;
}

/**
 * attn_head_groups_figure_run:
 * @study: a study whose figure is %ATTN_FIGURE_HEAD_GROUPS; its first input is shown
 * @progress: (nullable): is told how far the computation is
 * @cancellable: (nullable): checked between layers and heads
 * @error: return location: %G_IO_ERROR_CANCELLED; %ATTN_ERROR_ARGUMENT for groups, heads or a layer
 *   that the input or the model does not have, or where no groups are found;
 *   %ATTN_ERROR_UNSUPPORTED without a causal mask, where the model has one and its queries and keys
 *   are not known; %ATTN_ERROR_SHAPE where other keys than the queries were recorded;
 *   %ATTN_ERROR_MEMORY
 *
 * Makes one matrix [n, n] of all heads together, over the n tokens that are in a group. Assigned
 * groups act as a mask inside the attention: a cell is 1 where some head's weight is above 0.
 * Detected groups come from the weights of all heads, or of those that the study names: a cell is 1
 * where some head's weight connects its tokens by the rule. In a graded study, a cell is the
 * largest weight over the heads. Hidden keys are left out. Where tokens are joined to words, the
 * mask still acts on tokens, but detected groups consist of words.
 *
 * Returns: (transfer full) (nullable): a grid of one panel with a diagram
 */
AttnResult *
attn_head_groups_figure_run (const AttnStudy     *study,
                             AttnWorkspace       *workspace,
                             const AttnProgress  *progress,
                             GCancellable        *cancellable,
                             GError             **error)
{
  g_auto (Job) job = { .study = study, .progress = progress, .cancellable = cancellable };
  gboolean is_assigned = study->groups.rule == ATTN_GROUP_RULE_ASSIGNED;

  if (!attn_workspace_prepare (workspace, study, cancellable, error) ||
      !prepare (&job, workspace, error) ||
      (is_assigned && !take_assigned (&job, error)) ||
      !choose_layer (&job, error) || !need_scores (&job, error) || !need_room (&job, error) ||
      (!is_assigned && !detect (&job, error)))
    return NULL;

  g_autoptr (AttnGrid) grid = attn_grid_new (1, 1);
  attn_progress_report (progress, _("Computing panels"), 0.9);
  if (!fill_grid (&job, grid, error))
    return NULL;
  /* The rows of the combined matrix of several heads do not sum to 1, so there are no measures. */
  return attn_result_new_for_job (study, workspace, g_steal_pointer (&grid), job.layer,
                                  ATTN_HEAD_MEAN);
}
