/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-plan-batch.h"

#include "attn-plan-panels.h"

/* Group: cells of one batch with the same interventions, which differ only in layer and head, or
 * not at all. */
typedef struct
{
  GPtrArray *interventions; /* element-type AttnIntervention */
  GPtrArray *members;       /* element-type AttnPlanItem: cells of the group */
  gboolean *layers;         /* [L]: whether interventions of the group change each layer */
  gboolean is_at_once;      /* whether one pass through the model computes all members of the
                             * group */
  const GPtrArray *known;   /* (nullable): members of the same group in the last plan */
  AttnDeferred *deferred;   /* (nullable): weights of panels in the current layer that are yet to be
                             * computed */
} AttnPlanGroup;

static void
clear_item (gpointer data)
{
  AttnPlanItem *item = data;

  g_clear_pointer (&item->planned.baseline, attn_panel_unref);
  g_clear_pointer (&item->planned.panel, attn_panel_unref);
}

/* Drops a reference to @item; the last one frees its panels. */
void
attn_plan_item_unref (gpointer item)
{
  g_rc_box_release_full (item, clear_item);
}

static void
free_group (gpointer data)
{
  AttnPlanGroup *group = data;

  g_ptr_array_unref (group->interventions);
  g_ptr_array_unref (group->members);
  g_clear_pointer (&group->deferred, attn_deferred_free);
  g_free (group->layers);
  g_free (group);
}

/**
 * attn_plan_batch_new:
 * @study: the study whose grid is computed; it and @baseline live as long as the batch
 *
 * Returns: (transfer full): a batch without cells
 */
AttnPlanBatch *
attn_plan_batch_new (const AttnStudy *study,
                     AttnBaseline    *baseline)
{
  AttnPlanBatch *batch = g_new0 (AttnPlanBatch, 1);

  batch->study = study;
  batch->baseline = baseline;
  batch->groups = g_ptr_array_new_with_free_func (free_group);
  batch->layers = g_new0 (gboolean, attn_plan_batch_count_layers (batch));
  return batch;
}

void
attn_plan_batch_free (gpointer data)
{
  AttnPlanBatch *batch = data;

  g_ptr_array_unref (batch->groups);
  g_free (batch->layers);
  g_free (batch);
}

/* Returns the number of layers of the batch's model. */
gsize
attn_plan_batch_count_layers (const AttnPlanBatch *batch)
{
  return attn_model_get_info (batch->baseline->model)->n_layers;
}

static AttnPlanGroup *
find_group (AttnPlanBatch *batch,
            GPtrArray     *interventions)
{
  for (guint i = batch->groups->len; i > 0; i--)
    {
      AttnPlanGroup *group = g_ptr_array_index (batch->groups, i - 1);

      if (attn_interventions_equal (group->interventions, interventions))
        return group;
    }

  AttnPlanGroup *group = g_new0 (AttnPlanGroup, 1);
  group->interventions = g_ptr_array_ref (interventions);
  group->members = g_ptr_array_new_with_free_func (attn_plan_item_unref);
  group->layers = g_new0 (gboolean, attn_plan_batch_count_layers (batch));
  g_ptr_array_add (batch->groups, group);
  return group;
}

/**
 * attn_plan_batch_add:
 * @cell: a cell of the input and the model that the batch is for
 * @interventions: (element-type AttnIntervention): what is done to the model in that cell
 *
 * Returns: (transfer full): the item that gets the cell's panels and measures
 */
AttnPlanItem *
attn_plan_batch_add (AttnPlanBatch  *batch,
                     const AttnCell *cell,
                     GPtrArray      *interventions)
{
  AttnPlanGroup *group = find_group (batch, interventions);
  AttnPlanItem *item = g_rc_box_new0 (AttnPlanItem);

  item->layer = cell->layer;
  item->head = cell->head;
  batch->layers[cell->layer] = TRUE;
  group->layers[cell->layer] |= attn_interventions_touch (interventions, cell->layer);
  g_ptr_array_add (group->members, g_rc_box_acquire (item));
  return item;
}

/**
 * attn_plan_batch_list:
 *
 * Returns: (transfer container) (element-type AttnPlanItem): the cells of the batch that show
 *   @layer
 */
GPtrArray *
attn_plan_batch_list (const AttnPlanBatch *batch,
                      gsize                layer)
{
  GPtrArray *items = g_ptr_array_new ();

  for (guint g = 0; g < batch->groups->len; g++)
    {
      const AttnPlanGroup *group = g_ptr_array_index (batch->groups, g);

      for (guint i = 0; i < group->members->len; i++)
        if (((AttnPlanItem *) group->members->pdata[i])->layer == layer)
          g_ptr_array_add (items, group->members->pdata[i]);
    }
  return items;
}

/**
 * attn_plan_batch_count_heads:
 *
 * Returns: how many heads of @layer the cells of the batch show; the mean of the heads counts as
 *   all of them
 */
gsize
attn_plan_batch_count_heads (const AttnPlanBatch *batch,
                             gsize                layer)
{
  gsize n_heads = attn_model_get_info (batch->baseline->model)->n_heads;
  g_autoptr (GPtrArray) items = attn_plan_batch_list (batch, layer);
  g_autofree gboolean *heads = g_new0 (gboolean, n_heads);

  for (guint i = 0; i < items->len; i++)
    {
      const AttnPlanItem *item = g_ptr_array_index (items, i);

      if (item->head == ATTN_HEAD_MEAN)
        return n_heads;
      heads[item->head] = TRUE;
    }
  return attn_study_count_flags (heads, n_heads);
}

/* Returns the number of cells that were added to the batch. */
gsize
attn_plan_batch_count_cells (const AttnPlanBatch *batch)
{
  gsize n = 0;

  for (guint g = 0; g < batch->groups->len; g++)
    n += ((const AttnPlanGroup *) batch->groups->pdata[g])->members->len;
  return n;
}

/* --- Computing a batch layer by layer --------------------------------------------------------- */

/* Lists the heads of @layer that @group shows one by one, not as their mean. (transfer full)
 * (nullable) */
static AttnIndexSet *
list_heads (const AttnPlanBatch *batch,
            const AttnPlanGroup *group,
            gsize                layer)
{
  gsize n_heads = attn_model_get_info (batch->baseline->model)->n_heads;
  g_autofree gboolean *heads = g_new0 (gboolean, n_heads);

  for (guint i = 0; i < group->members->len; i++)
    {
      const AttnPlanItem *item = g_ptr_array_index (group->members, i);

      if (item->layer == layer && item->head != ATTN_HEAD_MEAN)
        heads[item->head] = TRUE;
    }
  return attn_index_set_new_from_flags (heads, n_heads);
}

/* Makes the panel of each cell of @group in @layer, without its measures. Returns FALSE on
 * error. */
static gboolean
fill_group (const AttnPlanBatch   *batch,
            const AttnPlanGroup   *group,
            gsize                  layer,
            const AttnPlanSource  *source,
            GError               **error)
{
  for (guint i = 0; i < group->members->len; i++)
    {
      AttnPlanItem *item = g_ptr_array_index (group->members, i);
      AttnPlanned *planned = &item->planned;

      if (item->layer != layer)
        continue;
      /* Another cell of the group can show the same head, as in a comparison; its panel is then
       * reused. */
      for (guint k = 0; k < i && planned->panel == NULL; k++)
        {
          const AttnPlanItem *other = g_ptr_array_index (group->members, k);

          if (other->layer == layer && other->head == item->head)
            planned->panel = attn_panel_ref (other->planned.panel);
        }
      if (planned->panel == NULL)
        planned->panel = attn_plan_make_panel (batch->baseline, layer, item->head, source,
                                               batch->cancellable, error);
      if (planned->panel == NULL)
        return FALSE;
    }
  return TRUE;
}

/* Measures the panels of @groups in @layer all together, so that threads share the work; deferred
 * weights are filled in first. Returns FALSE on error. */
static gboolean
measure_groups (const AttnPlanBatch  *batch,
                const GPtrArray      *groups,
                gsize                 layer,
                GError              **error)
{
  g_autoptr (GArray) list = g_array_new (FALSE, TRUE, sizeof (AttnPlanMeasured));
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL); /* panel to index in list */

  for (guint g = 0; g < groups->len; g++)
    {
      const AttnPlanGroup *group = g_ptr_array_index (groups, g);
      g_autoptr (AttnIndexSet) heads = list_heads (batch, group, layer);

      for (guint i = 0; i < group->members->len && group->known == NULL; i++)
        {
          const AttnPlanItem *item = g_ptr_array_index (group->members, i);
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
  if (!attn_plan_measure_all (batch->study, batch->baseline, (AttnPlanMeasured *) list->data,
                              list->len, batch->cancellable, error))
    return FALSE;
  for (guint g = 0; g < groups->len; g++)
    {
      const AttnPlanGroup *group = g_ptr_array_index (groups, g);

      for (guint i = 0; i < group->members->len && group->known == NULL; i++)
        {
          AttnPlanItem *item = g_ptr_array_index (group->members, i);
          guint place = GPOINTER_TO_UINT (g_hash_table_lookup (places, item->planned.panel));

          if (item->layer == layer)
            item->planned.measures = g_array_index (list, AttnPlanMeasured, place).measures;
        }
    }
  return TRUE;
}

static gboolean
compute_group_layer (const AttnPlanBatch  *batch,
                     AttnPlanGroup        *group,
                     gsize                 layer,
                     AttnTensor           *mean,
                     GError              **error)
{
  AttnBaseline *baseline = batch->baseline;
  g_autoptr (AttnIndexSet) heads =
      attn_plan_is_long (baseline) ? NULL : list_heads (batch, group, layer);
  g_autoptr (AttnTensor) weights = NULL;
  AttnTrace *trace = baseline->shown;

  if (attn_interventions_find_first_layer (group->interventions) < layer)
    {
      if (!attn_baseline_need_residuals (baseline, NULL, batch->cancellable, error))
        return FALSE;
      trace = baseline->residuals;
    }
  if (heads != NULL)
    {
      weights = attn_trace_defer_weights (trace, layer, heads, group->interventions, NULL,
                                          batch->cancellable, &group->deferred, error);
      if (weights == NULL)
        return FALSE;
    }

  const AttnPlanSource source = { trace, group->interventions, mean, weights, heads, FALSE };
  return fill_group (batch, group, layer, &source, error);
}

/* Reuses the panels that the last plan computed for @group in @layer, with their range of values
 * and drawn images. */
static void
take_known (const AttnPlanGroup *group,
            gsize                layer)
{
  for (guint i = 0; i < group->members->len; i++)
    {
      const AttnPlanned *known = &((const AttnPlanItem *) group->known->pdata[i])->planned;
      AttnPlanItem *item = g_ptr_array_index (group->members, i);

      if (item->layer != layer)
        continue;
      item->planned.panel = attn_panel_ref (known->panel);
      item->planned.measures = known->measures;
    }
}

/* Tells whether @group shows the mean of the heads of @layer, with an intervention in that layer
 * only. */
static gboolean
shows_own_mean (const AttnPlanGroup *group,
                gsize                layer)
{
  if (group->known != NULL || attn_interventions_find_first_layer (group->interventions) < layer)
    return FALSE;
  for (guint i = 0; i < group->members->len; i++)
    {
      const AttnPlanItem *item = g_ptr_array_index (group->members, i);

      if (item->layer == layer && item->head == ATTN_HEAD_MEAN)
        return TRUE;
    }
  return FALSE;
}

/* Computes the mean over the heads of @layer for all groups at once, so that groups with different
 * ε share the scores. @means: (out): the mean for each group that shows it, NULL for all other
 * groups. */
static gboolean
compute_means (const AttnPlanBatch  *batch,
               const GPtrArray      *groups,
               gsize                 layer,
               AttnTensor          **means,
               GError              **error)
{
  g_autofree GPtrArray **interventions = g_new (GPtrArray *, groups->len);
  g_autofree AttnTensor **found = g_new0 (AttnTensor *, groups->len);
  gsize n = 0;

  for (guint g = 0; g < groups->len && !attn_plan_is_long (batch->baseline); g++)
    if (shows_own_mean (groups->pdata[g], layer))
      interventions[n++] = ((const AttnPlanGroup *) groups->pdata[g])->interventions;
  gboolean is_done =
      n == 0 || attn_trace_compute_means (batch->baseline->shown, layer, interventions, n, NULL,
                                          batch->cancellable, found, error);
  n = 0;
  for (guint g = 0; g < groups->len && !attn_plan_is_long (batch->baseline); g++)
    if (shows_own_mean (groups->pdata[g], layer))
      means[g] = found[n++];
  return is_done;
}

/**
 * attn_plan_batch_list_groups:
 *
 * Returns: (transfer container) (element-type AttnPlanGroup): the groups whose interventions change
 *   @layer, and that are computed layer by layer
 */
GPtrArray *
attn_plan_batch_list_groups (const AttnPlanBatch *batch,
                             gsize                layer)
{
  GPtrArray *groups = g_ptr_array_new ();

  for (guint g = 0; g < batch->groups->len; g++)
    {
      AttnPlanGroup *group = g_ptr_array_index (batch->groups, g);

      if (group->layers[layer] && !group->is_at_once)
        g_ptr_array_add (groups, group);
    }
  return groups;
}

/**
 * attn_plan_batch_compute:
 * @groups: element-type AttnPlanGroup: see [func@attn_plan_batch_list_groups]
 * @error: return location: %G_IO_ERROR_CANCELLED, errors of [func@attn_trace_compute]
 *
 * Computes and measures the panel of each cell of @groups in @layer, whose baselines are already
 * computed.
 */
gboolean
attn_plan_batch_compute (const AttnPlanBatch  *batch,
                         const GPtrArray      *groups,
                         gsize                 layer,
                         GError              **error)
{
  g_autofree AttnTensor **means = g_new0 (AttnTensor *, groups->len);
  gboolean is_done = compute_means (batch, groups, layer, means, error);

  for (guint g = 0; g < groups->len; g++)
    {
      AttnPlanGroup *group = g_ptr_array_index (groups, g);

      if (is_done && group->known != NULL)
        take_known (group, layer);
      else if (is_done)
        is_done = compute_group_layer (batch, group, layer, means[g], error);
      g_clear_pointer (&means[g], attn_tensor_unref);
    }
  is_done = is_done && measure_groups (batch, groups, layer, error);
  for (guint g = 0; g < groups->len; g++)
    g_clear_pointer (&((AttnPlanGroup *) groups->pdata[g])->deferred, attn_deferred_free);
  return is_done;
}

/* --- Computing many layers at once ------------------------------------------------------------ */

/**
 * attn_plan_batch_trace:
 * @layers: (array): [L]: which layers are traced
 * @interventions: (nullable): the interventions of a group
 * @progress: (nullable): is told how far the pass is
 * @error: return location: errors of [func@attn_trace_compute]
 *
 * Returns: (transfer full): a trace with the attention weights of @layers, computed in one pass
 *   through the model
 */
AttnTrace *
attn_plan_batch_trace (const AttnPlanBatch  *batch,
                       const gboolean       *layers,
                       GPtrArray            *interventions,
                       const AttnProgress   *progress,
                       GError              **error)
{
  const AttnBaseline *baseline = batch->baseline;
  g_autoptr (AttnIndexSet) set =
      attn_index_set_new_from_flags (layers, attn_plan_batch_count_layers (batch));
  const AttnTraceRequest request = {
    .ids = baseline->ids,
    .n_ids = baseline->tokens->n_tokens,
    .interventions = interventions,
    .keep = ATTN_QUANTITY_WEIGHTS,
    .layers = set,
  };

  return attn_trace_compute (baseline->model, &request, baseline->residuals, progress,
                             batch->cancellable, error);
}

/* Computes a group that shows several layers behind a changed layer in one pass through the model,
 * rather than in a pass for each layer. */
static gboolean
compute_group_at_once (const AttnPlanBatch  *batch,
                       const AttnPlanGroup  *group,
                       GError              **error)
{
  g_autoptr (AttnTrace) trace = NULL;
  g_autoptr (GPtrArray) alone = g_ptr_array_new ();

  if (!attn_baseline_need_residuals (batch->baseline, NULL, batch->cancellable, error))
    return FALSE;
  g_ptr_array_add (alone, (gpointer) group);
  trace = attn_plan_batch_trace (batch, group->layers, group->interventions, NULL, error);
  for (gsize layer = 0; trace != NULL && layer < attn_plan_batch_count_layers (batch); layer++)
    {
      if (!group->layers[layer])
        continue;
      g_autoptr (AttnTensor) weights = attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, layer);
      const AttnPlanSource source = {
        .weights = weights,
        .is_copied = attn_plan_batch_count_heads (batch, layer) < weights->shape[0],
      };
      if (!fill_group (batch, group, layer, &source, error) ||
          !measure_groups (batch, alone, layer, error))
        return FALSE;
    }
  return trace != NULL;
}

/**
 * attn_plan_batch_compute_rest:
 * @error: return location: errors of [func@attn_plan_batch_compute]
 *
 * Computes the groups that take one pass through the model for all their layers, rather than one
 * for each.
 */
gboolean
attn_plan_batch_compute_rest (const AttnPlanBatch  *batch,
                              GError              **error)
{
  for (guint g = 0; g < batch->groups->len; g++)
    {
      const AttnPlanGroup *group = g_ptr_array_index (batch->groups, g);

      for (gsize layer = 0; group->is_at_once && group->known != NULL &&
                            layer < attn_plan_batch_count_layers (batch);
           layer++)
        if (group->layers[layer])
          take_known (group, layer);
      if (group->is_at_once && group->known == NULL &&
          !compute_group_at_once (batch, group, error))
        return FALSE;
    }
  return TRUE;
}

/* --- Keeping panels from plan to plan --------------------------------------------------------- */

/* Tells whether compute_group_at_once() should compute all layers of the group in one pass. */
static gboolean
goes_through_layers (const AttnPlanBatch *batch,
                     const AttnPlanGroup *group)
{
  gsize last = attn_plan_batch_count_layers (batch);

  while (last > 0 && !group->layers[last - 1])
    last--;
  return !attn_plan_is_long (batch->baseline) &&
         attn_study_count_flags (group->layers, last) > 1 &&
         attn_interventions_find_first_layer (group->interventions) < last - 1;
}

/* Tells whether two groups of one baseline have bit-identical results. They must show the same
 * heads, as other heads change the rounding. */
static gboolean
groups_equal (const AttnPlanGroup *a,
              const AttnPlanGroup *b)
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
      const AttnPlanItem *first = g_ptr_array_index (a->members, i);
      const AttnPlanItem *second = g_ptr_array_index (b->members, i);

      if (first->layer != second->layer || first->head != second->head)
        return FALSE;
    }
  return TRUE;
}

/* Finds the groups whose panels the last plan computed: most groups, if the user changes only one
 * ε. */
static void
find_known (const AttnPlanBatch *batch)
{
  const GPtrArray *last = batch->baseline->groups;
  guint n = last != NULL ? last->len : 0;

  for (guint g = 0; g < batch->groups->len; g++)
    {
      AttnPlanGroup *group = g_ptr_array_index (batch->groups, g);

      for (guint i = 0; i < n && group->known == NULL; i++)
        {
          const AttnPlanGroup *other = g_ptr_array_index (last, (g + i) % n);

          if (groups_equal (group, other))
            group->known = other->members;
        }
    }
}

/**
 * attn_plan_batch_begin:
 * @cancellable: (nullable): checked between layers, heads and panels
 *
 * Decides how each group is computed, once all cells are added.
 */
void
attn_plan_batch_begin (AttnPlanBatch *batch,
                       GCancellable  *cancellable)
{
  batch->cancellable = cancellable;
  for (guint g = 0; g < batch->groups->len; g++)
    {
      AttnPlanGroup *group = g_ptr_array_index (batch->groups, g);

      group->is_at_once = goes_through_layers (batch, group);
    }
  find_known (batch);
  batch->baseline->groups_are_used = TRUE;
}

/**
 * attn_plan_batch_keep:
 * @is_kept: whether there is enough memory to keep the panels of the batch for the next plan
 */
void
attn_plan_batch_keep (const AttnPlanBatch *batch,
                      gboolean             is_kept)
{
  AttnBaseline *baseline = batch->baseline;

  for (guint g = 0; g < batch->groups->len; g++)
    ((AttnPlanGroup *) batch->groups->pdata[g])->known = NULL;
  g_clear_pointer (&baseline->groups, g_ptr_array_unref);
  if (!attn_plan_is_long (baseline) && is_kept)
    baseline->groups = g_ptr_array_ref (batch->groups);
}
