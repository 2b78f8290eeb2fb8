/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-epsilon-row.h"

#include <glib/gi18n.h>
#include <math.h>

#include "attn-error.h"
#include "attn-intervention.h"
#include "attn-signal.h"
#include "attn-text.h"
#include "attn-wheel.h"

struct _AttnEpsilonRow
{
  GtkBox parent_instance;

  double epsilon;
  gboolean is_syncing;

  /* Template widgets */
  GtkLabel *title;
  GtkRange *scale;
  GtkAdjustment *adjustment; /* log10 of ε */
  GtkEditable *entry;
  GtkWidget *remove;
};

enum
{
  SIGNAL_CHANGED,
  SIGNAL_FAILED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AttnEpsilonRow, attn_epsilon_row, GTK_TYPE_BOX)

static void
show_in_entry (AttnEpsilonRow *self)
{
  g_autofree char *text = attn_text_format_factor (self->epsilon);

  gtk_editable_set_text (self->entry, text);
  gtk_widget_remove_css_class (GTK_WIDGET (self->entry), "error");
}

static void
show_in_scale (AttnEpsilonRow *self)
{
  g_autofree char *text = attn_text_format_factor (self->epsilon);

  self->is_syncing = TRUE;
  gtk_adjustment_set_value (self->adjustment, log10 (self->epsilon));
  self->is_syncing = FALSE;
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->scale),
                                  GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
}

/**
 * attn_epsilon_row_round:
 *
 * Two significant digits are as fine as a hand can place the slider.
 *
 * Returns: @epsilon to two significant digits, within what is allowed
 */
double
attn_epsilon_row_round (double epsilon)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (buffer, sizeof buffer, "%.1e", epsilon);
  return CLAMP (g_ascii_strtod (buffer, NULL), ATTN_EPSILON_MIN, ATTN_EPSILON_MAX);
}

static void
slid_cb (AttnEpsilonRow *self)
{
  if (self->is_syncing)
    return;
  self->epsilon = attn_epsilon_row_round (pow (10, gtk_adjustment_get_value (self->adjustment)));
  show_in_entry (self);
  show_in_scale (self);
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

static void
entered_cb (AttnEpsilonRow *self)
{
  const char *text = gtk_editable_get_text (self->entry);
  double epsilon;

  if (!attn_text_parse_number (text, &epsilon) || epsilon < ATTN_EPSILON_MIN ||
      epsilon > ATTN_EPSILON_MAX)
    {
      g_autoptr (GError) error =
          g_error_new (ATTN_ERROR, ATTN_ERROR_ARGUMENT,
                       _("ε: “%s” found, expected a number from 1e-12 to 1e3"), text);

      gtk_widget_add_css_class (GTK_WIDGET (self->entry), "error");
      g_signal_emit (self, signals[SIGNAL_FAILED], 0, error);
      return;
    }
  gtk_widget_remove_css_class (GTK_WIDGET (self->entry), "error");
  if (epsilon == self->epsilon)
    return;
  self->epsilon = epsilon;
  show_in_scale (self);
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

/* Tab takes what was typed, as Return does. */
static void
leave_cb (AttnEpsilonRow *self)
{
  g_autofree char *text = attn_text_format_factor (self->epsilon);

  if (!g_str_equal (gtk_editable_get_text (self->entry), text))
    entered_cb (self);
}

static void
attn_epsilon_row_class_init (AttnEpsilonRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  signals[SIGNAL_CHANGED] = attn_signal_new (klass, "changed", 0);
  signals[SIGNAL_FAILED] = attn_signal_new (klass, "failed", 1, G_TYPE_ERROR);

  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/attentiongrid/AttentionGrid/epsilon-row.ui");
  gtk_widget_class_bind_template_child (widget_class, AttnEpsilonRow, title);
  gtk_widget_class_bind_template_child (widget_class, AttnEpsilonRow, scale);
  gtk_widget_class_bind_template_child (widget_class, AttnEpsilonRow, adjustment);
  gtk_widget_class_bind_template_child (widget_class, AttnEpsilonRow, entry);
  gtk_widget_class_bind_template_child (widget_class, AttnEpsilonRow, remove);
  gtk_widget_class_bind_template_callback (widget_class, slid_cb);
  gtk_widget_class_bind_template_callback (widget_class, entered_cb);
  gtk_widget_class_bind_template_callback (widget_class, leave_cb);
}

static void
attn_epsilon_row_init (AttnEpsilonRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  attn_wheel_ignore (self->scale);
  self->epsilon = 1;
  gtk_adjustment_configure (self->adjustment, 0, log10 (ATTN_EPSILON_MIN), log10 (ATTN_EPSILON_MAX),
                            0.1, 1, 0);
}

/**
 * attn_epsilon_row_new:
 * @index: of the column that ε belongs to, from 0; shown and spoken from 1
 */
AttnEpsilonRow *
attn_epsilon_row_new (guint index)
{
  AttnEpsilonRow *self = g_object_new (ATTN_TYPE_EPSILON_ROW, NULL);
  g_autofree char *number = g_strdup_printf ("%u", index + 1);
  g_autofree char *slider_label = g_strdup_printf (_("ε of column %u, slider"), index + 1);
  g_autofree char *remove_label = g_strdup_printf (_("Remove ε of column %u"), index + 1);
  g_autofree char *entry_label = g_strdup_printf (_("ε of column %u"), index + 1);

  gtk_label_set_label (self->title, number);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->scale), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  slider_label, -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  entry_label, -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->remove), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  remove_label, -1);
  gtk_widget_set_tooltip_text (self->remove, remove_label);
  gtk_actionable_set_action_target (GTK_ACTIONABLE (self->remove), "u", index);
  show_in_entry (self);
  show_in_scale (self);
  return self;
}

double
attn_epsilon_row_get_epsilon (AttnEpsilonRow *row)
{
  return row->epsilon;
}

/**
 * attn_epsilon_row_set_epsilon:
 *
 * Shows @epsilon without a signal. Nothing happens if it is shown already.
 */
void
attn_epsilon_row_set_epsilon (AttnEpsilonRow *row,
                              double          epsilon)
{
  if (row->epsilon == epsilon)
    return;
  row->epsilon = epsilon;
  show_in_entry (row);
  show_in_scale (row);
}

/**
 * attn_epsilon_row_set_removable:
 * @is_removable: whether there is another, from which its number tells it
 */
void
attn_epsilon_row_set_removable (AttnEpsilonRow *row,
                                gboolean        is_removable)
{
  gtk_widget_set_visible (GTK_WIDGET (row->title), is_removable);
  gtk_widget_set_visible (row->remove, is_removable);
}
