/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-bar-row.h"

#include <math.h>

#include "attn-accent.h"

/* The opacity of a bar, over which the text is drawn. */
#define OPACITY 0.3f

/* The colour of the bar of a negative number: vermilion, which colour-blind readers can tell from
 * the blue of positive numbers. */
#define BELOW ((GdkRGBA) { 0.84f, 0.37f, 0, 1 })

struct _AttnBarRow
{
  GtkBox parent_instance;

  GtkLabel *name;
  GtkLabel *number;
  double share;
};

G_DEFINE_FINAL_TYPE (AttnBarRow, attn_bar_row, GTK_TYPE_BOX)

static void
attn_bar_row_snapshot (GtkWidget   *widget,
                       GtkSnapshot *snapshot)
{
  AttnBarRow *self = ATTN_BAR_ROW (widget);
  GdkRGBA color = self->share < 0 ? BELOW : attn_accent_get (widget);
  float width = (float) (gtk_widget_get_width (widget) * MIN (fabs (self->share), 1));
  float height = (float) gtk_widget_get_height (widget);

  color.alpha = OPACITY;
  gtk_snapshot_append_color (snapshot, &color, &GRAPHENE_RECT_INIT (0, 0, width, height));
  GTK_WIDGET_CLASS (attn_bar_row_parent_class)->snapshot (widget, snapshot);
}

static void
attn_bar_row_class_init (AttnBarRowClass *klass)
{
  GTK_WIDGET_CLASS (klass)->snapshot = attn_bar_row_snapshot;
}

static void
attn_bar_row_init (AttnBarRow *self)
{
  self->name = GTK_LABEL (gtk_label_new (NULL));
  self->number = GTK_LABEL (gtk_label_new (NULL));
  gtk_box_set_spacing (GTK_BOX (self), 3);
  gtk_label_set_xalign (self->name, 0);
  gtk_label_set_ellipsize (self->name, PANGO_ELLIPSIZE_END);
  gtk_label_set_width_chars (self->name, 3);
  gtk_label_set_single_line_mode (self->name, TRUE);
  gtk_widget_set_hexpand (GTK_WIDGET (self->name), TRUE);
  gtk_label_set_xalign (self->number, 1);
  gtk_widget_add_css_class (GTK_WIDGET (self->number), "numeric");
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->name));
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->number));
}

GtkWidget *
attn_bar_row_new (void)
{
  return g_object_new (ATTN_TYPE_BAR_ROW, NULL);
}

/**
 * attn_bar_row_set:
 * @share: length of the bar as a share of the row's width, −1 to 1; a negative one has another
 *   colour
 */
void
attn_bar_row_set (AttnBarRow *row,
                  const char *name,
                  const char *number,
                  double      share)
{
  if (g_strcmp0 (gtk_label_get_label (row->name), name) != 0)
    {
      gtk_label_set_label (row->name, name);
      gtk_widget_set_tooltip_text (GTK_WIDGET (row->name), name);
    }
  if (g_strcmp0 (gtk_label_get_label (row->number), number) != 0)
    gtk_label_set_label (row->number, number);
  if (share != row->share)
    {
      row->share = share;
      gtk_widget_queue_draw (GTK_WIDGET (row));
    }
}

/**
 * attn_bar_row_format_share:
 *
 * Returns: (transfer full): the share as a percentage, such as "0.2%" or "24%": as many digits as
 *   differ visibly in a bar
 */
char *
attn_bar_row_format_share (double share)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (share > 0 && share < 0.0005)
    return g_strdup ("<0.1%");
  g_ascii_formatd (buffer, sizeof buffer, share < 0.0995 ? "%.1f" : "%.0f", 100 * share);
  return g_strconcat (buffer, "%", NULL);
}

/**
 * attn_bar_row_set_token:
 * @id: id of a token of @model
 * @share: probability of the token, the length of the bar
 */
void
attn_bar_row_set_token (AttnBarRow *row,
                        AttnModel  *model,
                        gint64      id,
                        double      share)
{
  g_autofree char *name = attn_model_dup_output_label (model, id);
  g_autofree char *number = attn_bar_row_format_share (share);

  attn_bar_row_set (row, name, number, share);
}

/**
 * attn_bar_row_explain:
 * @text: tooltip of the row, which otherwise is its name
 */
void
attn_bar_row_explain (AttnBarRow *row,
                      const char *text)
{
  gtk_widget_set_tooltip_text (GTK_WIDGET (row), text);
  gtk_widget_set_tooltip_text (GTK_WIDGET (row->name), text);
}
