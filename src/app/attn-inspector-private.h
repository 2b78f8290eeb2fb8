/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The inspector in two halves: attn-inspector.c reads cells, attn-inspector-lists.c lists regions
 * and changes. */

#pragma once

#include "attn-inspector.h"
#include "attn-profile-view.h"

G_BEGIN_DECLS

struct _AttnInspector
{
  GtkWidget parent_instance;

  AttnSession *session;  /* (nullable) */
  AttnFigureView *view;  /* (nullable): unowned, as the inspector is shown beside it */
  gboolean is_syncing;
  gboolean is_outdated; /* while it is not shown */

  /* Template widgets */
  GtkLabel *cell_panel;
  GtkLabel *cell_query;
  GtkLabel *cell_key;
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
  AttnProfileView *distance_profile;
  GtkListBox *changes;
  GtkSpinButton *n_last;
  GtkListBox *regions;
  GtkWidget *no_regions;
};

void attn_inspector_sync_regions (AttnInspector *self);
void attn_inspector_fill_changes (AttnInspector *self);
void attn_inspector_sync_changes (AttnInspector *self);
void attn_inspector_activate_change (AttnInspector *self,
                                  GtkListBoxRow *list_row);
void attn_inspector_go_to        (AttnInspector *self,
                                  int            group,
                                  gsize          row,
                                  gsize          column);

G_END_DECLS
