/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-profile-section.h"

#include <glib/gi18n.h>
#include <math.h>

#include "attn-task.h"
#include "attn-number-table.h"
#include "attn-profile-view.h"
#include "attn-readout.h"
#include "attn-template.h"

/* The index of the table's row for the distance between the profile and that of the baseline. */
#define DISTANCE 3

struct _AttnProfileSection
{
  GtkBox parent_instance;

  AttnProfileKind kind;
  AttnReading *figure;          /* (nullable): the figure that the section reads, owned by the
                                 * inspector */
  AttnTask *reading;            /* (nullable) */
  AttnPanel *panel;             /* (nullable): panel whose profile was read last or is being read */
  AttnPanel *baseline;          /* (nullable) */
  gboolean lacks_distributions; /* whether the rows of the panel are no probability distributions */

  /* Template widgets */
  GtkLabel *title;
  AttnNumberTable *numbers;
  AttnProfileView *profile;
};

G_DEFINE_FINAL_TYPE (AttnProfileSection, attn_profile_section, GTK_TYPE_BOX)

static void
set_title (AttnProfileSection *self,
           const char         *title)
{
  if (!g_str_equal (gtk_label_get_label (self->title), title))
    gtk_label_set_label (self->title, title);
}

static void
set_numbers (AttnProfileSection *self,
             int                 row,
             double              now,
             double              baseline)
{
  attn_number_table_set (self->numbers, row, ATTN_NUMBER_NOW, now);
  attn_number_table_set (self->numbers, row, ATTN_NUMBER_BASELINE, baseline);
}

/* Shows the numbers of a profile. @profile: (nullable): %NULL while it is being computed: the table
 * is then empty */
static void
show_numbers (AttnProfileSection *self,
              const AttnProfile  *profile)
{
  /* A profile whose cells have names of their own may be no distribution over tokens, and then has
   * no entropy. */
  gboolean is_spread = profile != NULL && !profile->has_names;
  gboolean has_entropy = is_spread && !self->lacks_distributions;

  if (self->kind == ATTN_PROFILE_ROWS)
    {
      set_numbers (self, 1, profile != NULL ? profile->sum : NAN,
                   profile != NULL ? profile->baseline_sum : NAN);
      set_numbers (self, 2, has_entropy ? profile->entropy : NAN,
                   has_entropy ? profile->baseline_entropy : NAN);
      attn_number_table_set (self->numbers, DISTANCE, ATTN_NUMBER_NOW,
                             is_spread ? profile->distance : NAN);
    }
  else if (self->kind == ATTN_PROFILE_COLUMNS)
    {
      set_numbers (self, 1, profile != NULL ? profile->mean : NAN,
                   profile != NULL ? profile->baseline_mean : NAN);
      set_numbers (self, 2, profile != NULL ? profile->sum : NAN,
                   profile != NULL ? profile->baseline_sum : NAN);
    }
}

/* Returns the index of the bar in the profile that belongs to the cell under the cursor. */
static gssize
get_mark (AttnProfileSection *self)
{
  AttnCellCursor cursor = attn_reading_get (self->figure).cursor;

  return (gssize) (self->kind == ATTN_PROFILE_ROWS ? cursor.column : cursor.row);
}

/* Shows a profile, as bars and numbers. @profile: (nullable) (transfer full) */
static void
show_profile (gpointer owner,
              gpointer profile)
{
  AttnProfileSection *self = owner;

  show_numbers (self, profile);
  attn_profile_view_set_profile (self->profile, profile, profile != NULL ? get_mark (self) : -1);
}

static const AttnTaskKind task_kind = {
  .run = attn_profile_run,
  .deliver = show_profile,
  .free = (GDestroyNotify) attn_profile_free,
};

/* Shows the profile of a panel. Drops a pending profile of another panel. @panel: (nullable): the
 * panel whose profile is read next */
static void
set_panel (AttnProfileSection *self,
           AttnPanel          *panel,
           AttnPanel          *baseline)
{
  attn_task_give_up (&self->reading);
  g_clear_pointer (&self->panel, attn_panel_unref);
  g_clear_pointer (&self->baseline, attn_panel_unref);
  self->panel = panel != NULL ? attn_panel_ref (panel) : NULL;
  self->baseline = baseline != NULL ? attn_panel_ref (baseline) : NULL;
}

/* Shows the title of the section, which names the rows or columns that are profiled. @panel:
 * (nullable): the panel whose tokens give these names */
static void
show_title (AttnProfileSection *self,
            AttnGrid           *grid,
            AttnPanel          *panel,
            const gsize        *indices,
            gsize               n_indices)
{
  g_autofree char *title = NULL;

  if (self->kind == ATTN_PROFILE_DISTANCES)
    return;
  if (panel == NULL)
    title = g_strdup (self->kind == ATTN_PROFILE_ROWS ? _("Row") : _("Column"));
  else if (n_indices > 1 && self->kind == ATTN_PROFILE_COLUMNS)
    title = g_strdup_printf (
        g_dngettext (NULL, "%zu Column, Summed", "%zu Columns, Summed", (gulong) n_indices),
        n_indices);
  else if (self->kind == ATTN_PROFILE_COLUMNS)
    title = attn_readout_describe_token (grid, _("Column %zu “%s”"), panel, FALSE, *indices);
  else if (n_indices == 1)
    title = attn_readout_describe_token (grid, _("Row %zu “%s”"), panel, TRUE, *indices);
  else
    title = g_strdup_printf (
        g_dngettext (NULL, "%zu Row, Summed", "%zu Rows, Summed", (gulong) n_indices), n_indices);
  set_title (self, title);
}

/**
 * attn_profile_section_read:
 * @figure: the figure, which lives as long as the section; the profile is that of the row or column
 *   under its cursor, or of those chosen together
 *
 * The profile of a long panel is computed in a thread. The profile of distances is computed once
 * for a panel, as it does not depend on the cell.
 */
void
attn_profile_section_read (AttnProfileSection *section,
                           AttnReading        *figure)
{
  AttnReadingState state = attn_reading_get (figure);
  AttnGrid *grid = state.grid;
  AttnCellCursor cursor = state.cursor;
  const AttnGridCell *cell = attn_cell_cursor_get_cell (grid, cursor.group);
  AttnPanel *panel = cell != NULL ? attn_readout_get_panel (cell) : NULL;
  gboolean is_compared =
      grid == NULL || attn_grid_is_compared (grid, cell != NULL ? cursor.group : -1);
  AttnPanel *baseline = cell != NULL && is_compared ? cell->baseline : NULL;
  gboolean is_column = section->kind == ATTN_PROFILE_COLUMNS;
  const gsize *indices = (const gsize *) (void *) state.selection->indices->data;
  gsize n_indices = state.selection->indices->len;

  if (is_column != state.selection->is_column || n_indices == 0)
    {
      indices = is_column ? &cursor.column : &cursor.row;
      n_indices = 1;
    }
  section->figure = figure;
  section->lacks_distributions = cell != NULL && cell->lacks_distributions;
  attn_number_table_name (section->numbers, cell, is_compared);
  if (section->kind == ATTN_PROFILE_ROWS)
    attn_number_table_show_row (section->numbers, DISTANCE, is_compared);
  show_title (section, grid, cell != NULL ? cell->panel : NULL, indices, n_indices);
  if (section->kind == ATTN_PROFILE_DISTANCES && panel != NULL && panel == section->panel &&
      baseline == section->baseline)
    {
      attn_profile_view_set_mark (section->profile, get_mark (section));
      return;
    }
  set_panel (section, panel, baseline);
  AttnProfile *profile =
      panel != NULL ? attn_profile_new (section->kind, panel, baseline, indices, n_indices) : NULL;
  if (profile == NULL || attn_profile_takes_long (profile))
    show_profile (section, NULL);
  if (profile == NULL)
    return;
  profile->has_names = section->kind == ATTN_PROFILE_ROWS      ? grid->column_title != NULL
                       : section->kind == ATTN_PROFILE_COLUMNS ? grid->row_title != NULL
                                                               : FALSE;
  attn_task_start (&task_kind, section, profile, attn_profile_takes_long (profile),
                   &section->reading);
}

/* Moves the cursor of the figure to the cell of a bar that was chosen. @index: index of the bar in
 * the profile */
static void
activated_cb (AttnProfileSection *self,
              guint64             index)
{
  AttnCellCursor cursor = attn_reading_get (self->figure).cursor;

  *(self->kind == ATTN_PROFILE_ROWS ? &cursor.column : &cursor.row) = index;
  attn_reading_set_cursor (self->figure, &cursor);
}

static void
attn_profile_section_unmap (GtkWidget *widget)
{
  set_panel (ATTN_PROFILE_SECTION (widget), NULL, NULL);
  GTK_WIDGET_CLASS (attn_profile_section_parent_class)->unmap (widget);
}

static void
attn_profile_section_class_init (AttnProfileSectionClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->unmap = attn_profile_section_unmap;
  g_type_ensure (ATTN_TYPE_NUMBER_TABLE);
  g_type_ensure (ATTN_TYPE_PROFILE_VIEW);
  attn_template_set (widget_class, "profile-section.ui");
  gtk_widget_class_bind_template_child (widget_class, AttnProfileSection, title);
  gtk_widget_class_bind_template_child (widget_class, AttnProfileSection, numbers);
  gtk_widget_class_bind_template_child (widget_class, AttnProfileSection, profile);
  gtk_widget_class_bind_template_callback (widget_class, activated_cb);
}

static void
attn_profile_section_init (AttnProfileSection *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * attn_profile_section_set_kind:
 * @kind: what the section profiles: rows, columns or distances. To be called once, before
 *   attn_profile_section_read()
 */
void
attn_profile_section_set_kind (AttnProfileSection *section,
                               AttnProfileKind     kind)
{
  const char * const names[] = { _("Weights of the row"), _("Weights of the column"),
                                 _("Total variation by query") };
  const guint n_lines[] = { 8, 5, 3 };
  AttnNumberTable *numbers = section->numbers;

  section->kind = kind;
  attn_profile_view_set_lines (section->profile, n_lines[kind]);
  gtk_accessible_update_property (GTK_ACCESSIBLE (section->profile),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, names[kind], -1);
  if (kind == ATTN_PROFILE_ROWS)
    {
      attn_number_table_add (numbers, _("Sum"), _("The weights of the chosen rows added up"));
      attn_number_table_add (numbers, _("Entropy, bits"),
                             _("How many bits the weights are spread over: 0 for a single key"));
      attn_number_table_add (numbers, _("Total variation"),
                             _("Total variation distance: how far the row is from the one without "
                               "the intervention, 0 for the same weights and 1 for none in "
                               "common; of several rows the mean"));
    }
  else if (kind == ATTN_PROFILE_COLUMNS)
    {
      attn_number_table_add (numbers, _("Mean"),
                             _("The weight that the key gets from a query that sees it: of the "
                               "first key, the sink score"));
      attn_number_table_add (numbers, _("Sum"),
                             _("The weights that the key gets from all queries"));
    }
  else
    {
      set_title (section, _("Total Variation by Query"));
      gtk_widget_set_visible (GTK_WIDGET (numbers), FALSE);
    }
}
