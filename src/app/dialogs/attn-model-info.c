/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-model-info.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-inquiry.h"
#include "attn-memory.h"
#include "attn-model-facts.h"
#include "attn-template.h"

#define DEFAULT_TOKENS 128

/* The largest number of lines shown of one fact about the model. */
#define MAX_LINES 10

struct _AttnModelInfoPopover
{
  GtkBox parent_instance;

  AttnModel *model; /* (nullable) */

  GtkWidget *button;
  GtkGrid *facts;
  GtkSpinButton *tokens;
  GtkLabel *memory;
};

G_DEFINE_FINAL_TYPE (AttnModelInfoPopover, attn_model_info, GTK_TYPE_BOX)

static char *
format_fact (const AttnFact *fact)
{
  switch (fact->kind)
    {
    case ATTN_FACT_TEXT:
      return g_strdup (fact->text != NULL ? fact->text : _("none"));
    case ATTN_FACT_WORDS:
      return g_strdup (_(fact->text));
    case ATTN_FACT_BYTES:
      return g_format_size (fact->number);
    case ATTN_FACT_FLAG:
      return g_strdup (fact->number != 0 ? _("yes") : _("no"));
    case ATTN_FACT_COUNT:
    default:
      /* The flag ' separates thousands in the way of the locale. */
      return g_strdup_printf ("%'" G_GUINT64_FORMAT, fact->number);
    }
}

static void
add_row (AttnModelInfoPopover *self,
         int                   row,
         const char           *title,
         const char           *value)
{
  GtkWidget *name = gtk_label_new (title);
  GtkWidget *label = gtk_label_new (value);
  /* Pango is not to insert hyphens where it wraps a value: in a fingerprint they would be read as a
   * part of it. */
  g_autoptr (PangoAttrList) attributes = pango_attr_list_new ();

  gtk_label_set_xalign (GTK_LABEL (name), 1);
  gtk_widget_set_valign (name, GTK_ALIGN_START);
  gtk_widget_add_css_class (name, "dim-label");
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 34);
  /* The value is cut after %MAX_LINES lines: a chat template can be a page long. */
  gtk_label_set_lines (GTK_LABEL (label), MAX_LINES);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  if (strlen (value) > MAX_LINES * 30)
    gtk_widget_set_tooltip_text (label, value);
  pango_attr_list_insert (attributes, pango_attr_insert_hyphens_new (FALSE));
  gtk_label_set_attributes (GTK_LABEL (label), attributes);
  /* The text of a fact can be selected with the pointer, but Tab does not stop at the label. */
  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  gtk_widget_set_focusable (label, FALSE);
  gtk_widget_add_css_class (label, "numeric");
  gtk_grid_attach (self->facts, name, 0, row, 1, 1);
  gtk_grid_attach (self->facts, label, 1, row, 1, 1);
}

static void
clear_facts (AttnModelInfoPopover *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->facts))) != NULL)
    gtk_grid_remove (self->facts, child);
}

/* The facts about a model. A thread reads them, since some are in the files of the model's
 * tokenizer. */
typedef struct
{
  AttnModel *model;
  GPtrArray *facts; /* (nullable) (element-type AttnFact) */
} Facts;

static void
facts_run (gpointer data)
{
  Facts *facts = data;

  facts->facts = attn_model_list_facts (facts->model, NULL);
}

static void
facts_free (gpointer data)
{
  Facts *facts = data;

  attn_model_unref (facts->model);
  g_clear_pointer (&facts->facts, g_ptr_array_unref);
  g_free (facts);
}

static void
facts_take (gpointer owner,
            gpointer data)
{
  AttnModelInfoPopover *self = owner;
  const Facts *facts = data;
  int row = 0;

  /* The popover shows another model than when the thread began: the facts are too late. */
  if (facts->model != self->model)
    return;
  clear_facts (self);
  for (guint i = 0; i < facts->facts->len; i++)
    {
      const AttnFact *fact = g_ptr_array_index (facts->facts, i);
      g_autofree char *value = format_fact (fact);

      if (fact->title != NULL)
        add_row (self, row++, _(fact->title), value);
    }
  add_row (self, row, _("Location"), attn_model_get_path (self->model));
}

static void
ask_facts (AttnModelInfoPopover *self)
{
  static const AttnInquiry inquiry = { facts_run, facts_take, facts_free };
  Facts *facts = g_new0 (Facts, 1);

  facts->model = attn_model_ref (self->model);
  attn_inquiry_start (&inquiry, self, facts);
}

static void
sync_memory (AttnModelInfoPopover *self)
{
  if (self->model == NULL)
    return;

  gsize needed =
      attn_model_estimate_memory (self->model, gtk_spin_button_get_value_as_int (self->tokens));
  g_autofree char *size = g_format_size (needed);
  g_autofree char *text = needed <= attn_memory_get_limit ()
                              ? g_strdup (size)
                              : g_strdup_printf (_("%s, more than the limit"), size);
  gtk_label_set_label (self->memory, text);
}

static void
attn_model_info_dispose (GObject *object)
{
  AttnModelInfoPopover *self = ATTN_MODEL_INFO (object);

  g_clear_pointer (&self->model, attn_model_unref);

  G_OBJECT_CLASS (attn_model_info_parent_class)->dispose (object);
}

static void
attn_model_info_class_init (AttnModelInfoPopoverClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = attn_model_info_dispose;

  attn_template_set (widget_class, "model-info.ui");
  gtk_widget_class_bind_template_child (widget_class, AttnModelInfoPopover, button);
  gtk_widget_class_bind_template_child (widget_class, AttnModelInfoPopover, facts);
  gtk_widget_class_bind_template_child (widget_class, AttnModelInfoPopover, tokens);
  gtk_widget_class_bind_template_child (widget_class, AttnModelInfoPopover, memory);
  gtk_widget_class_bind_template_callback (widget_class, sync_memory);
}

static void
attn_model_info_init (AttnModelInfoPopover *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->tokens), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _("Tokens"), -1);
}

/**
 * attn_model_info_set_model:
 * @model: the model whose facts are shown
 */
void
attn_model_info_set_model (AttnModelInfoPopover *info,
                           AttnModel            *model)
{
  gsize n_positions = attn_model_get_info (model)->n_positions;

  if (info->model == model)
    return;
  g_clear_pointer (&info->model, attn_model_unref);
  info->model = attn_model_ref (model);
  gtk_widget_set_visible (GTK_WIDGET (info), TRUE);
  gtk_spin_button_set_range (info->tokens, 1, MAX (n_positions, 1));
  gtk_spin_button_set_value (info->tokens, MIN (DEFAULT_TOKENS, n_positions));
  ask_facts (info);
  sync_memory (info);
}
