/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A grid of layers x heads can have thousands of panels. Cells are grouped by input and
 * interventions, and each group is computed one layer at a time, all heads of the layer at once.
 * The other cells of a grid change the result of a cell only by rounding, and cached data of the
 * workspace does not change it at all. */

#include "config.h"

#include "attn-plan.h"

#include <glib/gi18n-lib.h>

#include "attn-memory.h"
#include "attn-plan-panels.h"

/* Cells that differ in layer and head only, or not at all. */
typedef struct
{
  GPtrArray *interventions; /* element-type AttnIntervention */
  GPtrArray *members;       /* element-type Item */
  gboolean *layers;         /* [L]: layers of its members that its interventions change */
  gboolean is_at_once;      /* one pass through the model computes all members */
  const GPtrArray *known;   /* (nullable): the members of the same group in the last plan */
  AttnDeferred *deferred;   /* (nullable): fills the panels of the layer at hand */
} Group;

/* All cells of an input in a model. */
typedef struct
{
  AttnBaseline *baseline;
  GPtrArray *groups; /* element-type Group */
  gboolean *layers;  /* [L]: those that stand in the grid */
} Batch;

typedef struct
{
  gsize layer;
  int head;
  AttnPlanned planned;
} Item;

struct _AttnPlan
{
  const AttnStudy *study;
  AttnWorkspace *workspace;
  GPtrArray *items;   /* element-type Item */
  GPtrArray *batches; /* element-type Batch */

  /* Arguments of attn_plan_run() */
  const AttnProgress *progress;
  GCancellable *cancellable;
  gsize n_layers; /* to go through, of all batches */
  gsize n_done;
};

static void
free_group (gpointer data)
{
  Group *group = data;

  g_ptr_array_unref (group->interventions);
  g_ptr_array_unref (group->members);
  g_clear_pointer (&group->deferred, attn_deferred_free);
  g_free (group->layers);
  g_free (group);
}

static void
free_batch (gpointer data)
{
  Batch *batch = data;

  g_ptr_array_unref (batch->groups);
  g_free (batch->layers);
  g_free (batch);
}

static void
clear_item (gpointer data)
{
  Item *item = data;

  g_clear_pointer (&item->planned.baseline, attn_panel_unref);
  g_clear_pointer (&item->planned.panel, attn_panel_unref);
}

static void
unref_item (gpointer item)
{
  g_rc_box_release_full (item, clear_item);
}

/**
 * attn_plan_new:
 * @study: what is asked for; it and @workspace live as long as the plan
 * @workspace: prepared for @study
 *
 * Returns: (transfer full): a plan of nothing yet
 */
AttnPlan *
attn_plan_new (const AttnStudy *study,
               AttnWorkspace   *workspace)
{
  AttnPlan *plan = g_new0 (AttnPlan, 1);

  plan->study = study;
  plan->workspace = workspace;
  plan->items = g_ptr_array_new_with_free_func (unref_item);
  plan->batches = g_ptr_array_new_with_free_func (free_batch);
  return plan;
}

void
attn_plan_free (AttnPlan *plan)
{
  if (plan == NULL)
    return;
  g_ptr_array_unref (plan->batches);
  g_ptr_array_unref (plan->items);
  g_free (plan);
}

/* Checks that the layer and head of a cell exist in its model, and that its interventions are
 * possible there. */
static gboolean
check_cell (const AttnPlan      *plan,
            const AttnCell      *cell,
            const AttnBaseline  *baseline,
            const GPtrArray     *interventions,
            GError             **error)
{
  const AttnModelInfo *info = attn_model_get_info (baseline->model);

  if (!attn_cell_check_number (cell->layer, info->n_layers, _("layer"), error) ||
      (cell->head != ATTN_HEAD_MEAN &&
       !attn_cell_check_number (cell->head, info->n_heads, _("head"), error)))
    {
      if (plan->workspace->models->len > 1)
        g_prefix_error (error, "%s: ", attn_model_get_name (baseline->model));
      return FALSE;
    }
  return attn_interventions_check (interventions, baseline->model, baseline->tokens->n_tokens,
                                   error);
}

static gsize
count_layers (const Batch *batch)
{
  return attn_model_get_info (batch->baseline->model)->n_layers;
}

static Batch *
find_batch (AttnPlan     *plan,
            AttnBaseline *baseline)
{
  /* Searches from the end, as neighbouring cells usually share a batch. */
  for (guint i = plan->batches->len; i > 0; i--)
    {
      Batch *batch = g_ptr_array_index (plan->batches, i - 1);

      if (batch->baseline == baseline)
        return batch;
    }

  Batch *batch = g_new0 (Batch, 1);
  batch->baseline = baseline;
  batch->groups = g_ptr_array_new_with_free_func (free_group);
  batch->layers = g_new0 (gboolean, count_layers (batch));
  g_ptr_array_add (plan->batches, batch);
  return batch;
}

static Group *
find_group (Batch     *batch,
            GPtrArray *interventions)
{
  for (guint i = batch->groups->len; i > 0; i--)
    {
      Group *group = g_ptr_array_index (batch->groups, i - 1);

      if (attn_interventions_equal (group->interventions, interventions))
        return group;
    }

  Group *group = g_new0 (Group, 1);
  group->interventions = g_ptr_array_ref (interventions);
  group->members = g_ptr_array_new_with_free_func (unref_item);
  group->layers = g_new0 (gboolean, count_layers (batch));
  g_ptr_array_add (batch->groups, group);
  return group;
}

/**
 * attn_plan_add:
 * @cell: not the difference of a comparison, which is that of two cells
 * @index: (out): by which to ask for it
 * @error: return location for %ATTN_ERROR_ARGUMENT, where the model of @cell does not have its
 *   layer, its head or what an intervention asks for
 */
gboolean
attn_plan_add (AttnPlan        *plan,
               const AttnCell  *cell,
               gsize           *index,
               GError         **error)
{
  AttnBaseline *baseline =
      attn_workspace_get_baseline (plan->workspace, cell->model, cell->input);
  g_autoptr (GPtrArray) interventions =
      attn_workspace_build_interventions (plan->workspace, cell, plan->study);

  if (!check_cell (plan, cell, baseline, interventions, error))
    return FALSE;

  Batch *batch = find_batch (plan, baseline);
  Group *group = find_group (batch, interventions);
  Item *item = g_rc_box_new0 (Item);
  item->layer = cell->layer;
  item->head = cell->head;
  batch->layers[cell->layer] = TRUE;
  group->layers[cell->layer] |= attn_interventions_touch (interventions, cell->layer);
  g_ptr_array_add (group->members, g_rc_box_acquire (item));
  *index = plan->items->len;
  g_ptr_array_add (plan->items, item);
  return TRUE;
}

/* (transfer container) (element-type Item): cells of the batch that show the layer. */
static GPtrArray *
list_items (const Batch *batch,
            gsize        layer)
{
  GPtrArray *items = g_ptr_array_new ();

  for (guint g = 0; g < batch->groups->len; g++)
    {
      const Group *group = g_ptr_array_index (batch->groups, g);

      for (guint i = 0; i < group->members->len; i++)
        if (((Item *) group->members->pdata[i])->layer == layer)
          g_ptr_array_add (items, group->members->pdata[i]);
    }
  return items;
}

/* Returns how many heads of a layer the grid shows. The mean of the heads counts as all of them. */
static gsize
count_heads (const Batch *batch,
             gsize        layer)
{
  gsize n_heads = attn_model_get_info (batch->baseline->model)->n_heads;
  g_autoptr (GPtrArray) items = list_items (batch, layer);
  g_autofree gboolean *heads = g_new0 (gboolean, n_heads);

  for (guint i = 0; i < items->len; i++)
    {
      const Item *item = g_ptr_array_index (items, i);

      if (item->head == ATTN_HEAD_MEAN)
        return n_heads;
      heads[item->head] = TRUE;
    }
  return attn_study_count_flags (heads, n_heads);
}

/* Tells whether measures and overview are computed only for the shown part of a panel. */
static gboolean
is_partial (const AttnPlan     *plan,
            const AttnBaseline *baseline)
{
  return attn_plan_is_long (baseline) &&
         (attn_plan_leaves_out_queries (plan->study) || plan->study->joins_words ||
          plan->study->hides_keys);
}

/* Gives @item its unchanged panel, from the cache or else computed from @source. */
static gboolean
fill_baseline (AttnPlan              *plan,
               AttnBaseline          *baseline,
               Item                  *item,
               const AttnPlanSource  *source,
               GError               **error)
{
  gboolean is_kept = !is_partial (plan, baseline);
  AttnBaselinePanel *kept =
      is_kept ? attn_baseline_find_panel (baseline, item->layer, item->head) : NULL;

  if (kept == NULL)
    {
      g_autoptr (AttnPanel) panel = attn_plan_make_panel (baseline, item->layer, item->head, source,
                                                          plan->cancellable, error);
      AttnPanelMeasures measures;

      if (panel == NULL || !attn_plan_measure (plan->study, baseline, panel, panel,
                                               plan->cancellable, &measures, error))
        return FALSE;
      if (!is_kept)
        {
          item->planned.baseline = g_steal_pointer (&panel);
          item->planned.measures = measures;
          return TRUE;
        }
      kept = attn_baseline_add_panel (baseline, item->layer, item->head, g_steal_pointer (&panel));
      kept->measures = measures;
    }
  item->planned.baseline = attn_panel_ref (kept->panel);
  item->planned.measures = kept->measures;
  return TRUE;
}

/* Gives each cell of @layer its unchanged panel, cached or else computed from @trace. */
static gboolean
fill_baselines (AttnPlan     *plan,
                const Batch  *batch,
                gsize         layer,
                AttnTrace    *trace,
                GError      **error)
{
  g_autoptr (GPtrArray) items = list_items (batch, layer);
  g_autoptr (AttnTensor) weights =
      trace != NULL ? attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, layer) : NULL;
  const AttnPlanSource source = {
    .trace = trace,
    .weights = weights,
    .is_copied =
        count_heads (batch, layer) < attn_model_get_info (batch->baseline->model)->n_heads,
  };

  for (guint i = 0; i < items->len; i++)
    {
      Item *item = g_ptr_array_index (items, i);

      if (item->planned.baseline == NULL &&
          !fill_baseline (plan, batch->baseline, item, &source, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
has_baselines (const AttnPlan *plan,
               const Batch    *batch,
               gsize           layer)
{
  g_autoptr (GPtrArray) items = list_items (batch, layer);

  for (guint i = 0; i < items->len; i++)
    if (is_partial (plan, batch->baseline) ||
        attn_baseline_find_panel (batch->baseline, layer, ((Item *) items->pdata[i])->head) == NULL)
      return FALSE;
  return TRUE;
}

/* (transfer full) (nullable): heads of @layer that @group shows besides their mean. */
static AttnIndexSet *
list_heads (const Batch *batch,
            const Group *group,
            gsize        layer)
{
  gsize n_heads = attn_model_get_info (batch->baseline->model)->n_heads;
  g_autofree gboolean *heads = g_new0 (gboolean, n_heads);

  for (guint i = 0; i < group->members->len; i++)
    {
      const Item *item = g_ptr_array_index (group->members, i);

      if (item->layer == layer && item->head != ATTN_HEAD_MEAN)
        heads[item->head] = TRUE;
    }
  return attn_index_set_new_from_flags (heads, n_heads);
}

/* Makes the panel of each cell of @group in @layer, which are to be measured. Returns FALSE on
 * error. */
static gboolean
fill_group (AttnPlan              *plan,
            const Batch           *batch,
            const Group           *group,
            gsize                  layer,
            const AttnPlanSource  *source,
            GError               **error)
{
  for (guint i = 0; i < group->members->len; i++)
    {
      Item *item = g_ptr_array_index (group->members, i);
      AttnPlanned *planned = &item->planned;

      if (item->layer != layer)
        continue;
      /* In a comparison, another cell may show the same head, whose panel is then reused. */
      for (guint k = 0; k < i && planned->panel == NULL; k++)
        {
          const Item *other = g_ptr_array_index (group->members, k);

          if (other->layer == layer && other->head == item->head)
            planned->panel = attn_panel_ref (other->planned.panel);
        }
      if (planned->panel == NULL)
        planned->panel = attn_plan_make_panel (batch->baseline, layer, item->head, source,
                                               plan->cancellable, error);
      if (planned->panel == NULL)
        return FALSE;
    }
  return TRUE;
}

/* Fills and measures the panels of @groups in @layer, all of them together. Returns FALSE on
 * error. */
static gboolean
measure_groups (const AttnPlan   *plan,
                const Batch      *batch,
                const GPtrArray  *groups,
                gsize             layer,
                GError          **error)
{
  g_autoptr (GArray) list = g_array_new (FALSE, TRUE, sizeof (AttnPlanMeasured));
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL); /* of panels in the list */

  for (guint g = 0; g < groups->len; g++)
    {
      const Group *group = g_ptr_array_index (groups, g);
      g_autoptr (AttnIndexSet) heads = list_heads (batch, group, layer);

      for (guint i = 0; i < group->members->len && group->known == NULL; i++)
        {
          const Item *item = g_ptr_array_index (group->members, i);
          gboolean is_mean = item->head == ATTN_HEAD_MEAN;
          const AttnPlanMeasured measured = {
            .panel = item->planned.panel,
            .before = item->planned.baseline,
            .deferred = is_mean ? NULL : group->deferred,
            .index = is_mean ? 0 : attn_index_set_count (heads, (gsize) item->head),
          };

          if (item->layer != layer || g_hash_table_contains (places, measured.panel))
            continue;
          g_hash_table_insert (places, measured.panel, GUINT_TO_POINTER (list->len));
          g_array_append_val (list, measured);
        }
    }
  if (!attn_plan_measure_all (plan->study, batch->baseline, (AttnPlanMeasured *) list->data,
                              list->len, plan->cancellable, error))
    return FALSE;
  for (guint g = 0; g < groups->len; g++)
    {
      const Group *group = g_ptr_array_index (groups, g);

      for (guint i = 0; i < group->members->len && group->known == NULL; i++)
        {
          Item *item = g_ptr_array_index (group->members, i);
          guint place = GPOINTER_TO_UINT (g_hash_table_lookup (places, item->planned.panel));

          if (item->layer == layer)
            item->planned.measures = g_array_index (list, AttnPlanMeasured, place).measures;
        }
    }
  return TRUE;
}

static gboolean
compute_group_layer (AttnPlan     *plan,
                     const Batch  *batch,
                     Group        *group,
                     gsize         layer,
                     AttnTensor   *mean,
                     GError      **error)
{
  AttnBaseline *baseline = batch->baseline;
  g_autoptr (AttnIndexSet) heads =
      attn_plan_is_long (baseline) ? NULL : list_heads (batch, group, layer);
  g_autoptr (AttnTensor) weights = NULL;
  AttnTrace *trace = baseline->shown;

  if (attn_interventions_find_first_layer (group->interventions) < layer)
    {
      if (!attn_baseline_need_residuals (baseline, NULL, plan->cancellable, error))
        return FALSE;
      trace = baseline->residuals;
    }
  if (heads != NULL)
    {
      weights = attn_trace_defer_weights (trace, layer, heads, group->interventions, NULL,
                                          plan->cancellable, &group->deferred, error);
      if (weights == NULL)
        return FALSE;
    }

  const AttnPlanSource source = { trace, group->interventions, mean, weights, heads, FALSE };
  return fill_group (plan, batch, group, layer, &source, error);
}

/* Reuses the panels of the last plan for @group in @layer, with their levels and drawn images. */
static void
take_known (const Group *group,
            gsize        layer)
{
  for (guint i = 0; i < group->members->len; i++)
    {
      const AttnPlanned *known = &((const Item *) group->known->pdata[i])->planned;
      Item *item = g_ptr_array_index (group->members, i);

      if (item->layer != layer)
        continue;
      item->planned.panel = attn_panel_ref (known->panel);
      item->planned.measures = known->measures;
    }
}

/* Tells whether @group shows the mean of the heads of @layer, with an intervention in that layer
 * only. */
static gboolean
shows_own_mean (const Group *group,
                gsize        layer)
{
  if (group->known != NULL || attn_interventions_find_first_layer (group->interventions) < layer)
    return FALSE;
  for (guint i = 0; i < group->members->len; i++)
    {
      const Item *item = g_ptr_array_index (group->members, i);

      if (item->layer == layer && item->head == ATTN_HEAD_MEAN)
        return TRUE;
    }
  return FALSE;
}

/* Computes the mean over the heads of @layer for all groups at once, so that groups with different
 * ε share the scores. @means: one a group, all %NULL at first. */
static gboolean
compute_means (AttnPlan         *plan,
               const Batch      *batch,
               const GPtrArray  *groups,
               gsize             layer,
               AttnTensor      **means,
               GError          **error)
{
  g_autofree GPtrArray **interventions = g_new (GPtrArray *, groups->len);
  g_autofree AttnTensor **found = g_new0 (AttnTensor *, groups->len);
  gsize n = 0;

  for (guint g = 0; g < groups->len && !attn_plan_is_long (batch->baseline); g++)
    if (shows_own_mean (groups->pdata[g], layer))
      interventions[n++] = ((const Group *) groups->pdata[g])->interventions;
  gboolean is_done =
      n == 0 || attn_trace_compute_means (batch->baseline->shown, layer, interventions, n, NULL,
                                          plan->cancellable, found, error);
  n = 0;
  for (guint g = 0; g < groups->len && !attn_plan_is_long (batch->baseline); g++)
    if (shows_own_mean (groups->pdata[g], layer))
      means[g] = found[n++];
  return is_done;
}

/* Computes the panel of each cell of @groups in @layer. Returns FALSE on error. */
static gboolean
compute_groups (AttnPlan         *plan,
                const Batch      *batch,
                const GPtrArray  *groups,
                gsize             layer,
                GError          **error)
{
  g_autofree AttnTensor **means = g_new0 (AttnTensor *, groups->len);
  gboolean is_done = compute_means (plan, batch, groups, layer, means, error);

  for (guint g = 0; g < groups->len; g++)
    {
      Group *group = g_ptr_array_index (groups, g);

      if (is_done && group->known != NULL)
        take_known (group, layer);
      else if (is_done)
        is_done = compute_group_layer (plan, batch, group, layer, means[g], error);
      g_clear_pointer (&means[g], attn_tensor_unref);
    }
  is_done = is_done && measure_groups (plan, batch, groups, layer, error);
  for (guint g = 0; g < groups->len; g++)
    g_clear_pointer (&((Group *) groups->pdata[g])->deferred, attn_deferred_free);
  return is_done;
}

/* The weights of @layers in one pass. */
static AttnTrace *
compute_layers (const AttnPlan      *plan,
                const Batch         *batch,
                const gboolean      *layers,
                GPtrArray           *interventions,
                const AttnProgress  *progress,
                GError             **error)
{
  const AttnBaseline *baseline = batch->baseline;
  g_autoptr (AttnIndexSet) set = attn_index_set_new_from_flags (layers, count_layers (batch));
  const AttnTraceRequest request = {
    .ids = baseline->ids,
    .n_ids = baseline->tokens->n_tokens,
    .interventions = interventions,
    .keep = ATTN_QUANTITY_WEIGHTS,
    .layers = set,
  };

  return attn_trace_compute (baseline->model, &request, baseline->residuals, progress,
                             plan->cancellable, error);
}

/* Computes a group that shows several layers after the changed one in a single pass through the
 * model. */
static gboolean
compute_group_at_once (AttnPlan     *plan,
                       const Batch  *batch,
                       const Group  *group,
                       GError      **error)
{
  g_autoptr (AttnTrace) trace = NULL;
  g_autoptr (GPtrArray) alone = g_ptr_array_new ();

  if (!attn_baseline_need_residuals (batch->baseline, NULL, plan->cancellable, error))
    return FALSE;
  g_ptr_array_add (alone, (gpointer) group);
  trace = compute_layers (plan, batch, group->layers, group->interventions, NULL, error);
  for (gsize layer = 0; trace != NULL && layer < count_layers (batch); layer++)
    {
      if (!group->layers[layer])
        continue;
      g_autoptr (AttnTensor) weights = attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, layer);
      const AttnPlanSource source = {
        .weights = weights,
        .is_copied = count_heads (batch, layer) < weights->shape[0],
      };
      if (!fill_group (plan, batch, group, layer, &source, error) ||
          !measure_groups (plan, batch, alone, layer, error))
        return FALSE;
    }
  return trace != NULL;
}

/* Tells whether compute_group_at_once() is to compute the group. */
static gboolean
goes_through_layers (const Batch *batch,
                     const Group *group)
{
  gsize last = count_layers (batch);

  while (last > 0 && !group->layers[last - 1])
    last--;
  return !attn_plan_is_long (batch->baseline) &&
         attn_study_count_flags (group->layers, last) > 1 &&
         attn_interventions_find_first_layer (group->interventions) < last - 1;
}

/* The layer that is next. */
static AttnProgressPart
get_layer_part (const AttnPlan *plan)
{
  return (AttnProgressPart) { plan->progress, NULL, (double) plan->n_done / plan->n_layers,
                              1.0 / plan->n_layers };
}

/* Computes the unchanged weights of all layers in one pass, if most of the layers are shown. */
static gboolean
fill_at_once (AttnPlan     *plan,
              const Batch  *batch,
              GError      **error)
{
  const AttnModelInfo *info = attn_model_get_info (batch->baseline->model);
  g_autofree gboolean *missing = g_new0 (gboolean, info->n_layers);
  gsize n_shown = 0;

  for (gsize layer = 0; layer < info->n_layers; layer++)
    if (batch->layers[layer] && !has_baselines (plan, batch, layer))
      {
        missing[layer] = TRUE;
        n_shown += count_heads (batch, layer);
      }
  gsize n_missing = attn_study_count_flags (missing, info->n_layers);
  if (attn_plan_is_long (batch->baseline) || n_missing < 2 ||
      2 * n_shown < n_missing * info->n_heads)
    return TRUE;

  const AttnProgressPart part = get_layer_part (plan);
  const AttnProgress progress = attn_progress_of_part (&part);
  g_autoptr (AttnTrace) trace = compute_layers (plan, batch, missing, NULL, &progress, error);
  for (gsize layer = 0; trace != NULL && layer < info->n_layers; layer++)
    if (missing[layer] && (g_cancellable_set_error_if_cancelled (plan->cancellable, error) ||
                           !fill_baselines (plan, batch, layer, trace, error)))
      return FALSE;
  return trace != NULL;
}

static gboolean
run_layer (AttnPlan     *plan,
           const Batch  *batch,
           gsize         layer,
           gboolean      has_neighbours,
           GError      **error)
{
  AttnBaseline *baseline = batch->baseline;
  AttnTrace *trace = NULL;
  g_autoptr (GPtrArray) groups = g_ptr_array_new ();

  for (guint g = 0; g < batch->groups->len; g++)
    {
      Group *group = g_ptr_array_index (batch->groups, g);

      if (group->layers[layer] && !group->is_at_once)
        g_ptr_array_add (groups, group);
    }
  if (g_cancellable_set_error_if_cancelled (plan->cancellable, error))
    return FALSE;
  if (groups->len > 0 || !has_baselines (plan, batch, layer))
    {
      const AttnProgressPart part = get_layer_part (plan);
      const AttnProgress progress = attn_progress_of_part (&part);

      /* Without the residual streams, the pass for each layer would start at the first layer. */
      if ((has_neighbours &&
           !attn_baseline_need_residuals (baseline, NULL, plan->cancellable, error)) ||
          !attn_baseline_need_layer (baseline, layer, &progress, plan->cancellable, error))
        return FALSE;
      trace = baseline->shown;
    }
  return fill_baselines (plan, batch, layer, trace, error) &&
         compute_groups (plan, batch, groups, layer, error);
}

/* Tells whether two groups of a baseline have bit-identical results. They must have the same heads,
 * as other heads change the rounding. */
static gboolean
groups_equal (const Group *a,
              const Group *b)
{
  if (a->members->len != b->members->len ||
      !attn_interventions_equal (a->interventions, b->interventions))
    return FALSE;
  for (guint i = 0; i < a->interventions->len; i++)
    if (((const AttnIntervention *) a->interventions->pdata[i])->source !=
        ((const AttnIntervention *) b->interventions->pdata[i])->source)
      return FALSE;
  for (guint i = 0; i < a->members->len; i++)
    {
      const Item *first = g_ptr_array_index (a->members, i);
      const Item *second = g_ptr_array_index (b->members, i);

      if (first->layer != second->layer || first->head != second->head)
        return FALSE;
    }
  return TRUE;
}

/* Finds the groups that the last plan computed, which are most of them if one ε changes. */
static void
find_known (const Batch *batch)
{
  const GPtrArray *last = batch->baseline->groups;
  guint n = last != NULL ? last->len : 0;

  for (guint g = 0; g < batch->groups->len; g++)
    {
      Group *group = g_ptr_array_index (batch->groups, g);

      for (guint i = 0; i < n && group->known == NULL; i++)
        {
          const Group *other = g_ptr_array_index (last, (g + i) % n);

          if (groups_equal (group, other))
            group->known = other->members;
        }
    }
}

/* Keeps the groups for the next plan, unless their panels take too much memory. */
static void
keep_groups (const AttnPlan *plan)
{
  gsize n_bytes = 0;

  for (guint i = 0; i < plan->items->len; i++)
    n_bytes += attn_panel_count_bytes (attn_plan_get (plan, i)->panel);
  for (guint b = 0; b < plan->batches->len; b++)
    {
      const Batch *batch = g_ptr_array_index (plan->batches, b);
      AttnBaseline *baseline = batch->baseline;

      for (guint g = 0; g < batch->groups->len; g++)
        ((Group *) batch->groups->pdata[g])->known = NULL;
      g_clear_pointer (&baseline->groups, g_ptr_array_unref);
      if (!attn_plan_is_long (baseline) && n_bytes <= ATTN_BASELINE_MAX_KEPT_BYTES)
        baseline->groups = g_ptr_array_ref (batch->groups);
    }
}

static gboolean
run_batch (AttnPlan     *plan,
           const Batch  *batch,
           GError      **error)
{
  gsize n_layers = count_layers (batch);
  gboolean has_neighbours = attn_study_count_flags (batch->layers, n_layers) > 1;

  for (guint g = 0; g < batch->groups->len; g++)
    {
      Group *group = g_ptr_array_index (batch->groups, g);

      group->is_at_once = goes_through_layers (batch, group);
    }
  find_known (batch);
  batch->baseline->groups_are_used = TRUE;
  if (!fill_at_once (plan, batch, error))
    return FALSE;
  for (gsize layer = 0; layer < n_layers; layer++)
    {
      if (!batch->layers[layer])
        continue;
      if (!run_layer (plan, batch, layer, has_neighbours, error))
        return FALSE;
      plan->n_done++;
      attn_progress_report (plan->progress, _("Computing panels"),
                            (double) plan->n_done / plan->n_layers);
    }
  for (guint g = 0; g < batch->groups->len; g++)
    {
      const Group *group = g_ptr_array_index (batch->groups, g);

      for (gsize layer = 0; group->is_at_once && group->known != NULL && layer < n_layers; layer++)
        if (group->layers[layer])
          take_known (group, layer);
      if (group->is_at_once && group->known == NULL &&
          !compute_group_at_once (plan, batch, group, error))
        return FALSE;
    }
  return TRUE;
}

/* Checks the memory for all panels together; that of a trace is checked when it is computed. */
static gboolean
check_memory (const AttnPlan  *plan,
              GError         **error)
{
  gsize n_bytes = 0;

  for (guint b = 0; b < plan->batches->len; b++)
    {
      const Batch *batch = g_ptr_array_index (plan->batches, b);
      gsize n_members = 0;
      gsize n_cells = attn_panel_get_max_cells ();

      for (guint g = 0; g < batch->groups->len; g++)
        n_members += ((const Group *) batch->groups->pdata[g])->members->len;
      if ((!attn_plan_is_long (batch->baseline) &&
           !g_size_checked_mul (&n_cells, batch->baseline->tokens->n_tokens,
                                attn_baseline_count_keys (batch->baseline))) ||
          !g_size_checked_mul (&n_cells, n_cells, n_members * sizeof (float)) ||
          !g_size_checked_add (&n_bytes, n_bytes, n_cells))
        n_bytes = G_MAXSIZE;
    }
  return attn_memory_check (n_bytes, _("panels"), error);
}

/**
 * attn_plan_run:
 * @progress: (nullable): whom to tell how far it is, from 0 to 1
 * @cancellable: (nullable): asked between layers, heads and panels
 * @error: return location: %ATTN_ERROR_MEMORY, %G_IO_ERROR_CANCELLED, errors of
 *   [func@attn_trace_compute]
 *
 * Computes all that was added. Memory grows with the number of panels times T^2; it is counted
 * before any of it is taken.
 */
gboolean
attn_plan_run (AttnPlan            *plan,
               const AttnProgress  *progress,
               GCancellable        *cancellable,
               GError             **error)
{
  plan->progress = progress;
  plan->cancellable = cancellable;
  plan->n_layers = 0;
  plan->n_done = 0;
  if (!check_memory (plan, error))
    return FALSE;
  for (guint b = 0; b < plan->batches->len; b++)
    {
      const Batch *batch = g_ptr_array_index (plan->batches, b);

      plan->n_layers += attn_study_count_flags (batch->layers, count_layers (batch));
    }
  for (guint b = 0; b < plan->batches->len; b++)
    if (!run_batch (plan, g_ptr_array_index (plan->batches, b), error))
      return FALSE;
  keep_groups (plan);
  return TRUE;
}

/**
 * attn_plan_get:
 * @index: of what was added, after the plan has run
 *
 * Returns: (transfer none): what it came to
 */
const AttnPlanned *
attn_plan_get (const AttnPlan *plan,
               gsize           index)
{
  Item *item = g_ptr_array_index (plan->items, index);

  if (item->planned.panel == NULL)
    item->planned.panel = attn_panel_ref (item->planned.baseline);
  return &item->planned;
}
