/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-input-row.h"

#include <glib/gi18n.h>

/* What is typed is looked at after this much rest. */
#define REST_MS 200

struct _AttnInputRow
{
  GtkWidget parent_instance;

  guint index;
  gboolean has_ids; /* the entry holds token ids, not text */
  gboolean is_syncing;
  guint timeout;

  /* Template widgets */
  GtkLabel *title;
  GtkLabel *status;
  GtkEditable *entry;
  GtkWidget *remove;
};

enum
{
  SIGNAL_CHANGED,
  SIGNAL_REMOVE,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AttnInputRow, attn_input_row, GTK_TYPE_WIDGET)

static gboolean
rest_cb (gpointer user_data)
{
  AttnInputRow *self = user_data;

  self->timeout = 0;
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
  return G_SOURCE_REMOVE;
}

static void
entry_changed_cb (AttnInputRow *self)
{
  if (self->is_syncing)
    return;
  g_clear_handle_id (&self->timeout, g_source_remove);
  self->timeout = g_timeout_add (REST_MS, rest_cb, self);
}

static void
entry_activate_cb (AttnInputRow *self)
{
  g_clear_handle_id (&self->timeout, g_source_remove);
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

static void
remove_cb (AttnInputRow *self)
{
  g_signal_emit (self, signals[SIGNAL_REMOVE], 0);
}

static void
attn_input_row_dispose (GObject *object)
{
  AttnInputRow *self = ATTN_INPUT_ROW (object);
  GtkWidget *child;

  g_clear_handle_id (&self->timeout, g_source_remove);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);

  G_OBJECT_CLASS (attn_input_row_parent_class)->dispose (object);
}

static guint
add_signal (AttnInputRowClass *klass,
            const char        *name)
{
  return g_signal_new (name, G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                       G_TYPE_NONE, 0);
}

static void
attn_input_row_class_init (AttnInputRowClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = attn_input_row_dispose;

  signals[SIGNAL_CHANGED] = add_signal (klass, "changed");
  signals[SIGNAL_REMOVE] = add_signal (klass, "remove");

  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/attentiongrid/AttentionGrid/input-row.ui");
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, title);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, status);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, entry);
  gtk_widget_class_bind_template_child (widget_class, AttnInputRow, remove);
  gtk_widget_class_bind_template_callback (widget_class, entry_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, entry_activate_cb);
  gtk_widget_class_bind_template_callback (widget_class, remove_cb);
}

static void
attn_input_row_init (AttnInputRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * attn_input_row_new:
 * @index: of the input, from 0; shown and spoken from 1
 */
AttnInputRow *
attn_input_row_new (guint index)
{
  AttnInputRow *self = g_object_new (ATTN_TYPE_INPUT_ROW, NULL);
  g_autofree char *title = g_strdup_printf (_("Input %u"), index + 1);
  g_autofree char *remove = g_strdup_printf (_("Remove input %u"), index + 1);

  self->index = index;
  gtk_label_set_label (self->title, title);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  title, -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->remove), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  remove, -1);
  gtk_widget_set_tooltip_text (self->remove, remove);
  return self;
}

static char *
format_ids (const AttnInput *input)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < input->n_ids; i++)
    g_string_append_printf (text, "%s%u", i > 0 ? "," : "", input->ids[i]);
  return g_string_free (text, FALSE);
}

/**
 * attn_input_row_set_input:
 * @input: what to show
 * @is_removable: whether there is another
 *
 * Leaves the entry alone, its cursor included, if it says the same already or is being typed in.
 */
void
attn_input_row_set_input (AttnInputRow    *row,
                          const AttnInput *input,
                          gboolean         is_removable)
{
  g_autofree char *ids = input->ids != NULL ? format_ids (input) : NULL;
  const char *text = ids != NULL ? ids : input->text != NULL ? input->text
                                                             : "";

  gtk_widget_set_visible (row->remove, is_removable);
  row->has_ids = ids != NULL;
  if (row->timeout != 0 || g_str_equal (gtk_editable_get_text (row->entry), text))
    return;
  row->is_syncing = TRUE;
  gtk_editable_set_text (row->entry, text);
  row->is_syncing = FALSE;
}

/**
 * attn_input_row_set_status:
 * @status: such as "15 tokens"
 */
void
attn_input_row_set_status (AttnInputRow *row,
                           const char   *status)
{
  gtk_label_set_label (row->status, status);
}

/**
 * attn_input_row_dup_input:
 *
 * Returns: (transfer full) (nullable): what is in the entry, all tokens of it
 */
AttnInput *
attn_input_row_dup_input (AttnInputRow  *row,
                          GError       **error)
{
  const char *text = gtk_editable_get_text (row->entry);

  return row->has_ids ? attn_input_parse_ids (text, error) : attn_input_new_text (text, 0);
}
