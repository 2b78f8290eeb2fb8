/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A grid of layers x heads has thousands of panels. Those of one layer come from one computation:
 * cells are gathered by input and interventions, and each group is computed a layer at a time, all
 * of its heads at once. The result of a cell does not depend on what else is in the grid but for
 * rounding, and not at all on what the workspace knows already. */

#include "config.h"

#include "attn-plan.h"

#include <glib/gi18n-lib.h>

#include "attn-error.h"
#include "attn-memory.h"
#include "attn-plan-panels.h"

/* Cells that differ in layer and head only, or not at all. */
typedef struct
{
  AttnBaseline *baseline;
  GPtrArray *interventions; /* element-type AttnIntervention */
  GArray *members;          /* element-type gsize: of the plan's items */
} Group;

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
  GArray *items;     /* element-type Item */
  GPtrArray *groups; /* element-type Group */

  /* Of attn_plan_run() */
  const AttnProgress *progress;
  GCancellable *cancellable;
  gsize n_layers; /* to go through, of all groups */
  gsize n_done;
};

static void
free_group (gpointer data)
{
  Group *group = data;

  g_ptr_array_unref (group->interventions);
  g_array_unref (group->members);
  g_free (group);
}

static void
clear_item (gpointer data)
{
  Item *item = data;

  g_clear_pointer (&item->planned.baseline, attn_panel_unref);
  g_clear_pointer (&item->planned.panel, attn_panel_unref);
}

AttnPlan *
attn_plan_new (const AttnStudy *study,
               AttnWorkspace   *workspace)
{
  AttnPlan *plan = g_new0 (AttnPlan, 1);

  plan->study = study;
  plan->workspace = workspace;
  plan->items = g_array_new (FALSE, TRUE, sizeof (Item));
  g_array_set_clear_func (plan->items, clear_item);
  plan->groups = g_ptr_array_new_with_free_func (free_group);
  return plan;
}

void
attn_plan_free (AttnPlan *plan)
{
  if (plan == NULL)
    return;
  g_ptr_array_unref (plan->groups);
  g_array_unref (plan->items);
  g_free (plan);
}

static Item *
get_item (const AttnPlan *plan,
          const Group    *group,
          gsize           member)
{
  return &g_array_index (plan->items, Item, g_array_index (group->members, gsize, member));
}

/* Whether its model has what a cell asks for. */
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
      if (attn_workspace_get_n_models (plan->workspace) > 1)
        g_prefix_error (error, "%s: ", attn_model_get_name (baseline->model));
      return FALSE;
    }
  return attn_interventions_check (interventions, baseline->model, baseline->tokens->n_tokens,
                                   error);
}

static Group *
find_group (AttnPlan     *plan,
            AttnBaseline *baseline,
            GPtrArray    *interventions)
{
  /* From the end: neighbours have the same. */
  for (guint i = plan->groups->len; i > 0; i--)
    {
      Group *group = g_ptr_array_index (plan->groups, i - 1);

      if (group->baseline == baseline &&
          attn_interventions_equal (group->interventions, interventions))
        return group;
    }

  Group *group = g_new0 (Group, 1);
  group->baseline = baseline;
  group->interventions = g_ptr_array_ref (interventions);
  group->members = g_array_new (FALSE, FALSE, sizeof (gsize));
  g_ptr_array_add (plan->groups, group);
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
  g_autoptr (GPtrArray) interventions = attn_cell_build_interventions (cell, plan->study);
  Item item = { .layer = cell->layer, .head = cell->head };

  if (!check_cell (plan, cell, baseline, interventions, error))
    return FALSE;
  *index = plan->items->len;
  g_array_append_val (plan->items, item);
  g_array_append_val (find_group (plan, baseline, interventions)->members, *index);
  return TRUE;
}

static void
set_flag (gboolean *flags,
          gsize     index)
{
  flags[index] = TRUE;
}

/* The layers of @group, or of those of them that its interventions touch: [L]. */
static gboolean *
find_layers (const AttnPlan *plan,
             const Group    *group,
             gboolean        is_touched)
{
  gboolean *layers = g_new0 (gboolean, attn_model_get_info (group->baseline->model)->n_layers);

  for (guint i = 0; i < group->members->len; i++)
    {
      gsize layer = get_item (plan, group, i)->layer;

      if (!is_touched || attn_interventions_touch (group->interventions, layer))
        set_flag (layers, layer);
    }
  return layers;
}

static gsize
count_flags (const gboolean *flags,
             gsize           n)
{
  gsize count = 0;

  for (gsize i = 0; i < n; i++)
    count += flags[i] != FALSE;
  return count;
}

/* Where a walk through the cells of a layer stands. */
typedef struct
{
  guint group;
  gsize member;
} Cursor;

/* The next cell of @layer of any group of @baseline; NULL behind the last. */
static Item *
get_next (const AttnPlan     *plan,
          const AttnBaseline *baseline,
          gsize               layer,
          Cursor             *cursor)
{
  for (; cursor->group < plan->groups->len; cursor->group++, cursor->member = 0)
    {
      const Group *group = g_ptr_array_index (plan->groups, cursor->group);

      while (group->baseline == baseline && cursor->member < group->members->len)
        {
          Item *item = get_item (plan, group, cursor->member++);

          if (item->layer == layer)
            return item;
        }
    }
  return NULL;
}

/* How many heads of @layer stand in the grid; the mean counts as all. */
static gsize
count_heads (const AttnPlan     *plan,
             const AttnBaseline *baseline,
             gsize               layer)
{
  gsize n_heads = attn_model_get_info (baseline->model)->n_heads;
  g_autofree gboolean *heads = g_new0 (gboolean, n_heads);

  Cursor cursor = { 0 };
  const Item *item;
  while ((item = get_next (plan, baseline, layer, &cursor)) != NULL)
    {
      if (item->head == ATTN_HEAD_MEAN)
        return n_heads;
      set_flag (heads, item->head);
    }
  return count_flags (heads, n_heads);
}

/* Whether panels have their measures, and their overview, only as far as the study shows them. */
static gboolean
is_partial (const AttnPlan     *plan,
            const AttnBaseline *baseline)
{
  return attn_plan_is_long (baseline) &&
         (attn_plan_leaves_out_queries (plan->study) || plan->study->joins_words ||
          plan->study->hides_keys);
}

/* The unchanged head of @item, from @source where it is not kept. */
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

/* Gives each cell of @layer its baseline, from @trace where it is not kept. */
static gboolean
fill_baselines (AttnPlan      *plan,
                AttnBaseline  *baseline,
                gsize          layer,
                AttnTrace     *trace,
                GError       **error)
{
  g_autoptr (AttnTensor) weights =
      trace != NULL ? attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, layer) : NULL;
  const AttnPlanSource source = {
    .trace = trace,
    .weights = weights,
    .is_copied =
        count_heads (plan, baseline, layer) < attn_model_get_info (baseline->model)->n_heads,
  };
  Cursor cursor = { 0 };
  Item *item;

  while ((item = get_next (plan, baseline, layer, &cursor)) != NULL)
    if (item->planned.baseline == NULL && !fill_baseline (plan, baseline, item, &source, error))
      return FALSE;
  return TRUE;
}

static gboolean
has_baselines (const AttnPlan *plan,
               AttnBaseline   *baseline,
               gsize           layer)
{
  Cursor cursor = { 0 };
  const Item *item;

  while ((item = get_next (plan, baseline, layer, &cursor)) != NULL)
    if (is_partial (plan, baseline) ||
        attn_baseline_find_panel (baseline, layer, item->head) == NULL)
      return FALSE;
  return TRUE;
}

/* The heads of @layer that @group shows beside their mean; FALSE if there are none. */
static gboolean
find_heads (const AttnPlan  *plan,
            const Group     *group,
            gsize            layer,
            AttnIndexSet   **set)
{
  gsize n_heads = attn_model_get_info (group->baseline->model)->n_heads;
  g_autofree gboolean *heads = g_new0 (gboolean, n_heads);

  for (guint i = 0; i < group->members->len; i++)
    {
      const Item *item = get_item (plan, group, i);

      if (item->layer == layer && item->head != ATTN_HEAD_MEAN)
        set_flag (heads, item->head);
    }
  if (count_flags (heads, n_heads) == 0)
    return FALSE;
  *set = attn_index_set_new_from_flags (heads, n_heads);
  return TRUE;
}

/* Gives each cell of @group in @layer its panel. */
static gboolean
fill_group (AttnPlan              *plan,
            const Group           *group,
            gsize                  layer,
            const AttnPlanSource  *source,
            GError               **error)
{
  for (guint i = 0; i < group->members->len; i++)
    {
      Item *item = get_item (plan, group, i);

      if (item->layer != layer)
        continue;
      /* A comparison shows the same head beside its difference to another. */
      for (guint k = 0; k < i && item->planned.panel == NULL; k++)
        {
          const Item *other = get_item (plan, group, k);

          if (other->layer == layer && other->head == item->head)
            item->planned = (AttnPlanned) { item->planned.baseline,
                                            attn_panel_ref (other->planned.panel),
                                            other->planned.measures };
        }
      if (item->planned.panel != NULL)
        continue;
      item->planned.panel =
          attn_plan_make_panel (group->baseline, layer, item->head, source, plan->cancellable,
                                error);
      if (item->planned.panel == NULL)
        return FALSE;
      if (!attn_plan_measure (plan->study, group->baseline, item->planned.panel,
                              item->planned.baseline, plan->cancellable, &item->planned.measures,
                              error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
compute_group_layer (AttnPlan     *plan,
                     const Group  *group,
                     gsize         layer,
                     GError      **error)
{
  AttnBaseline *baseline = group->baseline;
  g_autoptr (AttnIndexSet) heads = NULL;
  g_autoptr (AttnTensor) weights = NULL;
  AttnTrace *trace = baseline->shown;

  if (attn_interventions_find_first_layer (group->interventions) < layer)
    {
      if (!attn_baseline_need_residuals (baseline, NULL, plan->cancellable, error))
        return FALSE;
      trace = baseline->residuals;
    }
  if (!attn_plan_is_long (baseline) && find_heads (plan, group, layer, &heads))
    {
      weights = attn_trace_compute_weights (trace, layer, heads, group->interventions, NULL,
                                            plan->cancellable, error);
      if (weights == NULL)
        return FALSE;
    }

  const AttnPlanSource source = { trace, group->interventions, weights, heads, FALSE };
  return fill_group (plan, group, layer, &source, error);
}

/* A group that shows several layers above what is done: one pass through the model gives all. */
static gboolean
compute_group_at_once (AttnPlan     *plan,
                       const Group  *group,
                       GError      **error)
{
  AttnBaseline *baseline = group->baseline;
  gsize n_layers = attn_model_get_info (baseline->model)->n_layers;
  g_autofree gboolean *layers = find_layers (plan, group, TRUE);
  g_autoptr (AttnIndexSet) set = attn_index_set_new_from_flags (layers, n_layers);
  AttnTraceRequest request = {
    .ids = baseline->ids,
    .n_ids = baseline->tokens->n_tokens,
    .interventions = group->interventions,
    .keep = ATTN_QUANTITY_WEIGHTS,
    .layers = set,
  };

  if (!attn_baseline_need_residuals (baseline, NULL, plan->cancellable, error))
    return FALSE;
  g_autoptr (AttnTrace) trace = attn_trace_compute (baseline->model, &request, baseline->residuals,
                                                    NULL, plan->cancellable, error);
  if (trace == NULL)
    return FALSE;
  for (gsize layer = 0; layer < n_layers; layer++)
    {
      if (!layers[layer])
        continue;
      g_autoptr (AttnTensor) weights = attn_trace_get (trace, ATTN_QUANTITY_WEIGHTS, layer);
      const AttnPlanSource source = {
        .weights = weights,
        .is_copied = count_heads (plan, baseline, layer) < weights->shape[0],
      };
      if (!fill_group (plan, group, layer, &source, error))
        return FALSE;
    }
  return TRUE;
}

/* Whether the group is one for attn_trace_compute(). */
static gboolean
goes_through_layers (const AttnPlan *plan,
                     const Group    *group)
{
  gsize n_layers = attn_model_get_info (group->baseline->model)->n_layers;
  g_autofree gboolean *layers = find_layers (plan, group, TRUE);
  gsize last = n_layers;

  while (last > 0 && !layers[last - 1])
    last--;
  return !attn_plan_is_long (group->baseline) && last > 0 && count_flags (layers, n_layers) > 1 &&
         attn_interventions_find_first_layer (group->interventions) < last - 1;
}

/* The layer that is next. */
static AttnProgressPart
get_layer_part (const AttnPlan *plan)
{
  return (AttnProgressPart) { plan->progress, NULL, (double) plan->n_done / plan->n_layers,
                              1.0 / plan->n_layers };
}

static gboolean
is_touched (const Group *group,
            gsize        layer)
{
  return attn_interventions_touch (group->interventions, layer);
}

/* Whether a group shows @layer changed and is computed a layer at a time. */
static gboolean
has_group_in_layer (const AttnPlan     *plan,
                    const AttnBaseline *baseline,
                    const gboolean     *is_done,
                    gsize               layer)
{
  for (guint g = 0; g < plan->groups->len; g++)
    {
      const Group *group = g_ptr_array_index (plan->groups, g);

      for (guint i = 0; group->baseline == baseline && !is_done[g] && i < group->members->len; i++)
        if (get_item (plan, group, i)->layer == layer && is_touched (group, layer))
          return TRUE;
    }
  return FALSE;
}

/* The unchanged weights of all @layers in one pass, if most of them are to be seen. */
static gboolean
fill_at_once (AttnPlan        *plan,
              AttnBaseline    *baseline,
              const gboolean  *layers,
              GError         **error)
{
  const AttnModelInfo *info = attn_model_get_info (baseline->model);
  g_autofree gboolean *missing = g_new0 (gboolean, info->n_layers);
  gsize n_shown = 0;

  for (gsize layer = 0; layer < info->n_layers; layer++)
    if (layers[layer] && !has_baselines (plan, baseline, layer))
      {
        missing[layer] = TRUE;
        n_shown += count_heads (plan, baseline, layer);
      }
  gsize n_missing = count_flags (missing, info->n_layers);
  if (attn_plan_is_long (baseline) || n_missing < 2 || 2 * n_shown < n_missing * info->n_heads)
    return TRUE;

  g_autoptr (AttnIndexSet) set = attn_index_set_new_from_flags (missing, info->n_layers);
  const AttnProgressPart part = get_layer_part (plan);
  const AttnProgress progress = attn_progress_of_part (&part);
  AttnTraceRequest request = {
    .ids = baseline->ids,
    .n_ids = baseline->tokens->n_tokens,
    .keep = ATTN_QUANTITY_WEIGHTS,
    .layers = set,
  };
  g_autoptr (AttnTrace) trace = attn_trace_compute (baseline->model, &request, baseline->residuals,
                                                    &progress, plan->cancellable, error);
  if (trace == NULL)
    return FALSE;
  for (gsize layer = 0; layer < info->n_layers; layer++)
    {
      if (!missing[layer])
        continue;
      if (g_cancellable_set_error_if_cancelled (plan->cancellable, error) ||
          !fill_baselines (plan, baseline, layer, trace, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
run_layer (AttnPlan        *plan,
           AttnBaseline    *baseline,
           const gboolean  *is_done,
           gsize            layer,
           gboolean         has_neighbours,
           GError         **error)
{
  AttnTrace *trace = NULL;
  gboolean has_groups = has_group_in_layer (plan, baseline, is_done, layer);

  if (g_cancellable_set_error_if_cancelled (plan->cancellable, error))
    return FALSE;
  if (has_groups || !has_baselines (plan, baseline, layer))
    {
      const AttnProgressPart part = get_layer_part (plan);
      const AttnProgress progress = attn_progress_of_part (&part);

      /* Without it, each layer would begin at the first one. */
      if (has_neighbours && !attn_baseline_need_residuals (baseline, NULL,
                                                           plan->cancellable, error))
        return FALSE;
      if (!attn_baseline_need_layer (baseline, layer, &progress,
                                     plan->cancellable, error))
        return FALSE;
      trace = baseline->shown;
    }
  if (!fill_baselines (plan, baseline, layer, trace, error))
    return FALSE;
  for (guint g = 0; has_groups && g < plan->groups->len; g++)
    {
      const Group *group = g_ptr_array_index (plan->groups, g);
      g_autofree gboolean *layers =
          group->baseline == baseline && !is_done[g] ? find_layers (plan, group, TRUE) : NULL;

      if (layers != NULL && layers[layer] && !compute_group_layer (plan, group, layer, error))
        return FALSE;
    }
  return TRUE;
}

/* Layers that stand in the grid for @baseline: [L]. */
static gboolean *
find_all_layers (const AttnPlan     *plan,
                 const AttnBaseline *baseline)
{
  gboolean *layers = g_new0 (gboolean, attn_model_get_info (baseline->model)->n_layers);

  for (guint g = 0; g < plan->groups->len; g++)
    {
      const Group *group = g_ptr_array_index (plan->groups, g);

      for (guint i = 0; group->baseline == baseline && i < group->members->len; i++)
        set_flag (layers, get_item (plan, group, i)->layer);
    }
  return layers;
}

static gboolean
run_baseline (AttnPlan      *plan,
              AttnBaseline  *baseline,
              GError       **error)
{
  gsize n_layers = attn_model_get_info (baseline->model)->n_layers;
  g_autofree gboolean *layers = find_all_layers (plan, baseline);
  g_autofree gboolean *is_at_once = g_new0 (gboolean, plan->groups->len);
  gboolean has_neighbours = count_flags (layers, n_layers) > 1;

  for (guint g = 0; g < plan->groups->len; g++)
    {
      const Group *group = g_ptr_array_index (plan->groups, g);

      is_at_once[g] = group->baseline == baseline && goes_through_layers (plan, group);
    }
  if (!fill_at_once (plan, baseline, layers, error))
    return FALSE;
  for (gsize layer = 0; layer < n_layers; layer++)
    {
      if (!layers[layer])
        continue;
      if (!run_layer (plan, baseline, is_at_once, layer, has_neighbours, error))
        return FALSE;
      plan->n_done++;
      attn_progress_report (plan->progress, _("Computing panels"),
                            (double) plan->n_done / plan->n_layers);
    }
  for (guint g = 0; g < plan->groups->len; g++)
    if (is_at_once[g] &&
        !compute_group_at_once (plan, g_ptr_array_index (plan->groups, g), error))
      return FALSE;
  return TRUE;
}

static gboolean
is_first_of_baseline (const AttnPlan *plan,
                      guint           index)
{
  const Group *group = g_ptr_array_index (plan->groups, index);

  for (guint g = 0; g < index; g++)
    if (((const Group *) g_ptr_array_index (plan->groups, g))->baseline == group->baseline)
      return FALSE;
  return TRUE;
}

static gsize
count_layers (const AttnPlan *plan)
{
  gsize n = 0;

  for (guint g = 0; g < plan->groups->len; g++)
    {
      const Group *group = g_ptr_array_index (plan->groups, g);

      if (!is_first_of_baseline (plan, g))
        continue;
      g_autofree gboolean *layers = find_all_layers (plan, group->baseline);
      n += count_flags (layers, attn_model_get_info (group->baseline->model)->n_layers);
    }
  return n;
}

/* All panels at once: what a trace takes is counted when it is computed. */
static gboolean
check_memory (const AttnPlan  *plan,
              GError         **error)
{
  gsize n_bytes = 0;

  for (guint g = 0; g < plan->groups->len; g++)
    {
      const Group *group = g_ptr_array_index (plan->groups, g);
      gsize n = group->baseline->tokens->n_tokens;
      gsize n_cells = attn_panel_get_max_cells ();

      if ((!attn_plan_is_long (group->baseline) &&
           !g_size_checked_mul (&n_cells, n, attn_baseline_count_keys (group->baseline))) ||
          !g_size_checked_mul (&n_cells, n_cells, group->members->len * sizeof (float)) ||
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
  plan->n_layers = count_layers (plan);
  plan->n_done = 0;
  if (!check_memory (plan, error))
    return FALSE;
  for (guint g = 0; g < plan->groups->len; g++)
    {
      const Group *group = g_ptr_array_index (plan->groups, g);

      if (is_first_of_baseline (plan, g) && !run_baseline (plan, group->baseline, error))
        return FALSE;
    }
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
  Item *item = &g_array_index (plan->items, Item, index);

  if (item->planned.panel == NULL)
    item->planned.panel = attn_panel_ref (item->planned.baseline);
  return &item->planned;
}
