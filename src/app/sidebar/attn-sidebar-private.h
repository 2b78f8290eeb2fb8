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
  gboolean is_syncing; /* the controls follow the study, not the other way round */
  gsize n_layers;      /* of the model that the drop-downs list */
  gsize n_heads;
  guint n_colormaps;         /* that the drop-down lists */
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
  GtkEditable *question;
  GtkEditable *answer;
  GtkEditable *exact_answer;
  GtkWidget *special_tokens_row;

  /* Figure */
  GtkWidget *dimensions;
  GtkDropDown *rows;
  GtkDropDown *columns;
  GtkWidget *compared_row;
  GtkDropDown *compared;
  GtkWidget *layers_row;
  GtkEditable *layers;
  GtkWidget *heads_row;
  GtkEditable *heads;
  GtkWidget *sites_row;
  GtkWidget *site_0;
  GtkWidget *site_1;
  GtkWidget *site_2;
  GtkWidget *axes_row;
  GtkWidget *axis_0;
  GtkWidget *axis_1;
  GtkWidget *axis_2;
  GtkWidget *models_row;
  GtkBox *models;
  GtkWidget *roles_box;
  GtkDropDown *reduction;
  GtkWidget *has_after_last;
  GtkWidget *groups_box;
  GtkDropDown *rule;
  GtkWidget *level_row;
  GtkWidget *level;
  GtkAdjustment *level_adjustment;
  GtkWidget *is_graded;
  GtkDropDown *mask;
  GtkWidget *shown_head;
  GtkWidget *layer_row;
  GtkDropDown *layer;
  GtkWidget *head_row;
  GtkDropDown *head;
  GtkLabel *shown;
  GtkWidget *joins_words;
  GtkWidget *shows_differences;
  GtkWidget *hides_keys;
  GtkEditable *hidden_keys;
  GtkWidget *renormalises;
  GtkSpinButton *n_last_queries;
  GtkEditable *title;
  GtkEditable *caption;

  /* Intervention */
  GtkWidget *intervention_section;
  GtkDropDown *operation;
  GtkWidget *axis_row;
  GtkWidget *site_row;
  GtkWidget *site_normed;
  GtkWidget *site_rotated;
  GtkWidget *scope;
  GtkWidget *scope_layers_row;
  GtkEditable *scope_layers;
  GtkEditable *scope_heads;
  GtkEditable *scope_tokens;
  char *known_scope; /* (nullable): what the entries said last */
  GtkWidget *epsilon_section;
  GtkWidget *add_epsilon;
  GtkBox *epsilons;
  GtkWidget *play;
  GtkWidget *chart_expander;
  AttnEpsilonChart *chart;

  /* Colour */
  GtkWidget *color_rows;
  GtkDropDown *colormap;
  GtkWidget *is_reversed;
  GtkDropDown *scale;
  GtkDropDown *range;
  GtkWidget *ends_row;
  GtkEditable *low;
  GtkEditable *high;
  GtkWidget *range_of_view;
  GtkWidget *clip_row;
  GtkWidget *clip;
  GtkAdjustment *clip_adjustment;
  GtkWidget *range_scope_row;
  GtkDropDown *range_scope;
  GtkSpinButton *n_digits;
  GtkWidget *shows_titles;
  GtkWidget *shows_caption;
  GtkWidget *shows_colorbar;
  GtkWidget *shows_tokens;
  GtkWidget *shows_values;
  GtkWidget *marks_overflow;
  GtkWidget *shows_key;
};

/* attn-sidebar.c */
void       attn_sidebar_fail        (AttnSidebar          *self,
                                     const GError         *error);
AttnStudy *attn_sidebar_copy_study  (AttnSidebar          *self);
void       attn_sidebar_fill        (GtkDropDown          *drop_down,
                                     const char * const   *words);
void       attn_sidebar_choose_file (AttnSidebar          *self,
                                     const char           *title,
                                     GtkFileChooserAction  action,
                                     const char           *name,
                                     AttnFileChosenFunc    chosen);
gboolean   attn_sidebar_has_recording
                                    (AttnSidebar          *self);

/* attn-sidebar-inputs.c */
void attn_sidebar_init_inputs (AttnSidebar *self);
void attn_sidebar_bind_inputs (AttnSidebar *self);
void attn_sidebar_sync_inputs (AttnSidebar *self);
void attn_sidebar_sync_tokens (AttnSidebar *self);
void attn_sidebar_open_texts  (GtkWidget   *widget,
                               const char  *action_name,
                               GVariant    *parameter);

/* attn-sidebar-figure.c */
void attn_sidebar_init_figure (AttnSidebar *self);
void attn_sidebar_bind_figure (AttnSidebar *self);
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
void attn_sidebar_bind_color       (AttnSidebar    *self);
void attn_sidebar_sync_color       (AttnSidebar    *self);
void attn_sidebar_class_init_color (GtkWidgetClass *widget_class);
void attn_sidebar_open_colormap    (GtkWidget      *widget,
                                    const char     *action_name,
                                    GVariant       *parameter);

G_END_DECLS
