/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The side bar by section: attn-sidebar.c holds the model and what all share, -inputs, -figure,
 * -epsilons and -color hold theirs. */

#pragma once

#include "attn-binder.h"
#include "attn-epsilon-chart.h"
#include "attn-epsilon-player.h"
#include "attn-file-chooser.h"
#include "attn-sidebar.h"

G_BEGIN_DECLS

struct _AttnSidebar
{
  GtkWidget parent_instance;

  AttnSession *session;
  AttnBinder *binder;  /* controls that each stand for a member of the study */
  gboolean is_reversed; /* the colour maps that are listed */
  GCancellable *cancellable; /* of files that are being read */
  gboolean is_recording; /* the model of the study, or the one before while that is not open */

  GPtrArray *input_rows;   /* (element-type AttnInputRow): unowned */
  GPtrArray *epsilon_rows; /* (element-type AttnEpsilonRow): unowned */
  guint moved_epsilon;     /* the row that was moved last */
  double played_epsilon;   /* what it was before it was played */
  AttnEpsilonPlayer *player;

  /* Template widgets: model, inputs */
  GtkLabel *model_name;
  GtkLabel *model_details;
  GtkWidget *inputs_section;
  GtkWidget *open_texts;
  GtkWidget *add_input;
  GtkBox *inputs;
  GtkWidget *role_texts;
  GtkWidget *special_tokens_row;

  /* Figure */
  GtkBox *models;
  GtkLabel *shown;

  /* Intervention */
  GtkWidget *site_normed;
  GtkWidget *site_rotated;
  GtkWidget *scope;
  GtkWidget *scope_layers_row;
  char *known_scope; /* (nullable): what the entries said last */
  GtkBox *epsilons;
  GtkWidget *play;
  GtkWidget *chart_expander;
  AttnEpsilonChart *chart;

  /* Colour */
  GtkEditable *low;
  GtkEditable *high;
};

/* attn-sidebar.c */
void       attn_sidebar_fail        (AttnSidebar          *self,
                                     const GError         *error);
AttnStudy *attn_sidebar_copy_study  (AttnSidebar          *self);
void       attn_sidebar_choose_file (AttnSidebar          *self,
                                     const char           *title,
                                     GtkFileChooserAction  action,
                                     const char           *name,
                                     AttnFileChosenFunc    chosen);
gboolean   attn_sidebar_has_recording
                                    (AttnSidebar          *self);

/* attn-sidebar-inputs.c */
void attn_sidebar_init_inputs (AttnSidebar *self);
void attn_sidebar_sync_inputs (AttnSidebar *self);
void attn_sidebar_sync_tokens (AttnSidebar *self);
void attn_sidebar_open_texts  (GtkWidget   *widget,
                               const char  *action_name,
                               GVariant    *parameter);

/* attn-sidebar-figure.c */
void attn_sidebar_sync_figure (AttnSidebar *self);
void attn_sidebar_show_result (AttnSidebar *self);
void attn_sidebar_add_model   (GtkWidget   *widget,
                               const char  *action_name,
                               GVariant    *parameter);

/* attn-sidebar-epsilons.c */
void attn_sidebar_init_epsilons (AttnSidebar *self);
void attn_sidebar_sync_sweep    (AttnSidebar *self);
void attn_sidebar_sync_epsilons (AttnSidebar *self);
void attn_sidebar_add_epsilon   (GtkWidget   *widget,
                                 const char  *action_name,
                                 GVariant    *parameter);
void attn_sidebar_play          (GtkWidget   *widget,
                                 const char  *action_name,
                                 GVariant    *parameter);

/* attn-sidebar-color.c */
void attn_sidebar_init_color       (AttnSidebar    *self);
void attn_sidebar_sync_color       (AttnSidebar    *self);
void attn_sidebar_class_init_color (GtkWidgetClass *widget_class);
void attn_sidebar_open_colormap    (GtkWidget      *widget,
                                    const char     *action_name,
                                    GVariant       *parameter);

G_END_DECLS
