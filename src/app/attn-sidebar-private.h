/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The side bar in two halves: attn-sidebar.c holds the single controls, attn-sidebar-lists.c the
 * rows of inputs and of ε. */

#pragma once

#include "attn-sidebar.h"

G_BEGIN_DECLS

struct _AttnSidebar
{
  GtkWidget parent_instance;

  AttnSession *session;
  gboolean is_syncing; /* the controls follow the study, not the other way round */
  gsize n_layers;      /* of the model that the drop-downs list */
  gsize n_heads;

  GPtrArray *input_rows;   /* (element-type AttnInputRow): unowned */
  GPtrArray *epsilon_rows; /* (element-type AttnEpsilonRow): unowned */

  /* Template widgets */
  GtkLabel *model_name;
  GtkLabel *model_details;
  GtkBox *inputs;
  GtkDropDown *layer;
  GtkDropDown *head;
  GtkLabel *shown;
  GtkWidget *axis_row;
  GtkWidget *site_normed;
  GtkWidget *site_rotated;
  GtkWidget *epsilon_section;
  GtkBox *epsilons;
  GtkDropDown *colormap;
  GtkEditable *low;
  GtkEditable *high;
};

void attn_sidebar_fail           (AttnSidebar  *self,
                                  const GError *error);
void attn_sidebar_sync_inputs    (AttnSidebar  *self);
void attn_sidebar_sync_statuses  (AttnSidebar  *self);
void attn_sidebar_sync_epsilons  (AttnSidebar  *self);

G_END_DECLS
