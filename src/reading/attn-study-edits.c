/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-study-edits.h"

#include <glib/gi18n.h>

#include "attn-regions.h"

/**
 * attn_study_edits_find_region:
 * @grid: the figure
 * @group: index of a panel
 * @index: index among the regions of that panel in the figure
 * @place: (out): index of the same region among those of the study
 *
 * Returns: whether the study has that region
 */
gboolean
attn_study_edits_find_region (const AttnStudy *study,
                              const AttnGrid  *grid,
                              int              group,
                              gsize            index,
                              guint           *place)
{
  for (guint i = 0; i < study->regions->len; i++)
    {
      const AttnStudyRegion *region = g_ptr_array_index (study->regions, i);
      AttnRegion shown;

      if (region->panel != (gsize) group || !attn_study_find_region (region, grid, &shown))
        continue;
      if (index == 0)
        {
          *place = i;
          return TRUE;
        }
      index--;
    }
  return FALSE;
}

/**
 * attn_study_edits_apply:
 * @study: changed
 * @grid: the figure in which the user made the edit
 * @edit: what is to be done to its regions
 * @name: (nullable): name of a new region; a region that is changed keeps its name if this is %NULL
 *
 * Returns: whether it could be done
 */
gboolean
attn_study_edits_apply (AttnStudy            *study,
                        const AttnGrid       *grid,
                        const AttnRegionEdit *edit,
                        const char           *name)
{
  AttnRegion region = edit->region;
  guint place;

  if (edit->kind == ATTN_REGION_EDIT_ADD)
    {
      region.name = (char *) name;
      g_ptr_array_add (study->regions, attn_study_region_new_shown (edit->group, grid, &region));
      return TRUE;
    }
  if (!attn_study_edits_find_region (study, grid, edit->group, edit->index, &place))
    return FALSE;
  if (edit->kind == ATTN_REGION_EDIT_REMOVE)
    {
      g_ptr_array_remove_index (study->regions, place);
      return TRUE;
    }

  AttnStudyRegion *old = g_ptr_array_index (study->regions, place);
  region.name = name != NULL ? (char *) name : old->region.name;
  g_ptr_array_index (study->regions, place) =
      attn_study_region_new_shown (edit->group, grid, &region);
  attn_study_region_free (old);
  return TRUE;
}

/**
 * attn_study_edits_rename:
 * @grid: the figure
 * @name: name of the region from now on; "" for none
 *
 * Returns: whether there is such a region
 */
gboolean
attn_study_edits_rename (AttnStudy      *study,
                         const AttnGrid *grid,
                         int             group,
                         gsize           index,
                         const char     *name)
{
  guint place;

  if (!attn_study_edits_find_region (study, grid, group, index, &place))
    return FALSE;

  AttnStudyRegion *region = g_ptr_array_index (study->regions, place);
  g_free (region->region.name);
  region->region.name = *name != '\0' ? g_strdup (name) : NULL;
  return TRUE;
}

/**
 * attn_study_edits_name_pin:
 *
 * Returns: (transfer full): query and key of a cell, "I → am"; the figure adds the weight, which
 *   changes with what is done to the model
 */
char *
attn_study_edits_name_pin (AttnPanel *panel,
                           gsize      row,
                           gsize      column)
{
  const char * const *queries = attn_panel_get_row_labels (panel);
  const char * const *keys = attn_panel_get_column_labels (panel);
  g_autofree char *query = g_strdup_printf ("%zu", attn_panel_get_row_position (panel, row));
  g_autofree char *key = g_strdup_printf ("%zu", attn_panel_get_column_position (panel, column));

  return g_strdup_printf ("%s → %s", queries != NULL ? queries[row] : query,
                          keys != NULL ? keys[column] : key);
}

/**
 * attn_study_edits_name_region:
 *
 * Returns: (transfer full): a name for a new region that no region of the study has
 */
char *
attn_study_edits_name_region (const AttnStudy *study)
{
  for (guint number = 1;; number++)
    {
      g_autofree char *name = g_strdup_printf (_("Region %u"), number);
      gboolean is_taken = FALSE;

      for (guint i = 0; i < study->regions->len; i++)
        {
          const AttnStudyRegion *region = g_ptr_array_index (study->regions, i);

          is_taken = is_taken || g_strcmp0 (region->region.name, name) == 0;
        }
      if (!is_taken)
        return g_steal_pointer (&name);
    }
}
