/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The inspector by concern: attn-inspector.c reads cells, attn-inspector-profiles.c rows, columns
 * and panels, attn-inspector-lists.c lists regions and changes. */

#pragma once

#include "attn-inspector.h"
#include "attn-profile-view.h"

G_BEGIN_DECLS

struct _AttnInspector
{
  GtkWidget parent_instance;

  AttnSession *session;  /* (nullable) */
  AttnReading *figure;   /* (nullable) */
  gboolean is_syncing;
  gboolean is_outdated; /* while it is not shown */
  GCancellable *reading; /* (nullable): of rows and columns of a long panel */
  GCancellable *panel_reading; /* (nullable): of all of it, for the panels below */
  AttnPanel *read_panel;       /* (nullable): the panel that was read last, or is being read */
  AttnPanel *read_baseline;    /* (nullable) */

  /* Template widgets */
  GtkLabel *cell_panel;
  GtkLabel *cell_query;
  GtkLabel *cell_key;
  GtkLabel *heading_now; /* of the columns of numbers */
  GtkLabel *heading_before;
  GtkLabel *weight_now;
  GtkLabel *weight_before;
  GtkLabel *rank_now;
  GtkLabel *rank_before;
  GtkLabel *score_now;
  GtkLabel *score_before;
  GtkLabel *row_title;
  GtkLabel *row_sum_now;
  GtkLabel *row_sum_before;
  GtkLabel *row_entropy_now;
  GtkLabel *row_entropy_before;
  GtkLabel *row_distance;
  AttnProfileView *row_profile;
  GtkLabel *column_title;
  GtkLabel *column_mean_now;
  GtkLabel *column_mean_before;
  GtkLabel *column_sum_now;
  GtkLabel *column_sum_before;
  AttnProfileView *column_profile;
  GtkWidget *distance_section;
  AttnProfileView *distance_profile;
  GtkWidget *changes_section;
  GtkListBox *changes;
  GtkSpinButton *n_last;
  GtkListBox *regions;
  GtkWidget *no_regions;
};

/* attn-inspector.c */
void attn_inspector_set_number   (GtkLabel      *label,
                                  double         value);
void attn_inspector_set_text     (GtkLabel      *label,
                                  char          *text);
char *attn_inspector_describe_row (AttnInspector *self,
                                  const char    *format,
                                  AttnPanel     *panel,
                                  gsize          row);
char *attn_inspector_describe_column (AttnInspector *self,
                                  const char    *format,
                                  AttnPanel     *panel,
                                  gsize          column);

/* attn-inspector-profiles.c */
void attn_inspector_sync_profiles (AttnInspector *self,
                                  const AttnGridCell *cell,
                                  AttnCellCursor cursor);
void attn_inspector_stop_reading (AttnInspector *self);

/* attn-inspector-lists.c */
void attn_inspector_sync_regions (AttnInspector *self);
void attn_inspector_fill_changes (AttnInspector *self);
void attn_inspector_show_changes (AttnInspector *self,
                                  AttnPanel     *panel,
                                  GArray        *changes);
GArray *attn_inspector_get_changes (AttnResult  *result,
                                  gsize          group);
void attn_inspector_activate_change (AttnInspector *self,
                                  GtkListBoxRow *list_row);
void attn_inspector_go_to        (AttnInspector *self,
                                  int            group,
                                  gsize          row,
                                  gsize          column);

G_END_DECLS
