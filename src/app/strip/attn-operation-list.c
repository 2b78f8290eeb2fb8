/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-operation-list.h"

#include <glib/gi18n.h>

#include "attn-inline-choice.h"
#include "attn-patch-pairs.h"
#include "attn-signal.h"
#include "attn-study-table.h"
#include "attn-text.h"
#include "attn-typed.h"

/* The factor of a new operation that scales. */
#define FIRST_FACTOR 0.5

struct _AttnOperationList
{
  GtkBox parent_instance;

  AttnSession *session;
  gboolean is_syncing;
};

enum
{
  SIGNAL_FAILED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AttnOperationList, attn_operation_list, GTK_TYPE_BOX)

/* The controls of an intervention, in the order of their lines in its row; the words of a choice
 * are in the order of its values. */
static const struct
{
  const char *field;
  const char *label;
  const char *words[8];
} controls[] = {
  { "component",
    N_("Component"),
    { N_("Query"), N_("Key"), N_("Value"), N_("Head output"), N_("Residual"), N_("MLP output"),
      N_("Scores") } },
  { "operation",
    N_("Operation"),
    { N_("Mean"), NC_ ("operation", "Scale"), N_("Zero"), N_("Patch"), N_("Cut") } },
  { "axis", N_("Mean over"), { N_("Head dimension"), N_("Token"), N_("Head") } },
  { "factor", "ε" },
  { "input", N_("From input") },
  { "site", N_("Site"), { N_("Projection"), N_("After QK-norm"), N_("After RoPE") } },
  { "layers", N_("Layers") },
  { "heads", N_("Heads") },
  { "tokens", N_("Tokens") },
  { "keys", N_("Keys") },
  { "positions", N_("Positions, such as 2=3,5-7=6-8") },
};

/* The number of controls on the first line of an intervention's row. */
#define N_FIRST 5

static const AttnField *
find_field (const char *name)
{
  const AttnRecord *record = &attn_intervention_record;

  for (gsize i = 0; i < record->n_fields; i++)
    if (g_str_equal (record->fields[i].name, name))
      return &record->fields[i];
  g_return_val_if_reached (NULL);
}

static guint
get_index (gpointer widget)
{
  return GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (widget), "index"));
}

/* --- Edits --- */

static gboolean
is_stream (const AttnIntervention *intervention)
{
  return intervention->component == ATTN_COMPONENT_RESIDUAL ||
         intervention->component == ATTN_COMPONENT_MLP;
}

/* Makes the other settings valid after an operation or a component was chosen. Scores can only be
 * cut, and only scores can; the residual stream and the MLP have no heads and cannot be scaled. A
 * new cut removes the first key, as all queries but the first have others; a new patch takes its
 * values from another input. */
static void
settle (AttnOperationList *self,
        AttnIntervention  *intervention,
        gboolean           is_component,
        guint              n_inputs)
{
  const AttnTokens *tokens = attn_session_get_tokens (self->session, 0);
  gboolean is_score = intervention->component == ATTN_COMPONENT_SCORES;

  if (is_component && is_score)
    intervention->operation = ATTN_OPERATION_CUT;
  else if (is_component && (intervention->operation == ATTN_OPERATION_CUT ||
                            (is_stream (intervention) &&
                             intervention->operation == ATTN_OPERATION_SCALE)))
    intervention->operation = ATTN_OPERATION_ZERO;
  else if (intervention->operation == ATTN_OPERATION_CUT)
    intervention->component = ATTN_COMPONENT_SCORES;
  else if (is_score ||
           (is_stream (intervention) && intervention->operation == ATTN_OPERATION_SCALE))
    intervention->component = ATTN_COMPONENT_QUERY;

  if (intervention->component >= ATTN_N_COMPONENTS)
    intervention->site = ATTN_SITE_PROJECTION;
  if (is_stream (intervention))
    {
      g_clear_pointer (&intervention->heads, attn_index_set_unref);
      intervention->axis = MIN (intervention->axis, ATTN_AXIS_TOKEN);
    }
  if (intervention->operation == ATTN_OPERATION_PATCH && !is_component)
    intervention->input = MIN (n_inputs, 2) - 1;
  if (intervention->operation == ATTN_OPERATION_CUT && intervention->keys == NULL)
    {
      intervention->keys = attn_index_set_new_range (0, 0);
      if (intervention->tokens == NULL && tokens != NULL && tokens->n_tokens > 1)
        intervention->tokens = attn_index_set_new_range (1, tokens->n_tokens - 1);
    }
}

static void
take (AttnOperationList *self,
      GtkWidget         *control,
      const char        *text)
{
  const AttnField *field = g_object_get_data (G_OBJECT (control), "field");
  guint index = get_index (control);
  g_autoptr (GError) error = NULL;

  if (self->is_syncing)
    return;
  g_autoptr (AttnStudy) study = attn_study_copy (attn_session_get_study (self->session));
  if (index >= study->extra_interventions->len)
    return;
  AttnIntervention *intervention = g_ptr_array_index (study->extra_interventions, index);
  g_autofree char *plain = field->type == &attn_field_number ? attn_typed_dup_number (text)
                                                             : g_strdup (text);
  if (!attn_field_parse (field, plain, intervention, &error))
    {
      attn_typed_refuse (control, error->message);
      g_signal_emit (self, signals[SIGNAL_FAILED], 0, error);
      return;
    }
  if (attn_typed_accept (control))
    g_signal_emit (self, signals[SIGNAL_FAILED], 0, NULL);
  if (g_str_equal (field->name, "component") || g_str_equal (field->name, "operation"))
    settle (self, intervention, g_str_equal (field->name, "component"), study->inputs->len);
  attn_session_edit (self->session, g_steal_pointer (&study), NULL);
}

static void
chosen_cb (AttnOperationList *self,
           AttnInlineChoice  *choice)
{
  const AttnField *field = g_object_get_data (G_OBJECT (choice), "field");
  guint selected = attn_inline_choice_get_selected (choice);
  g_autofree char *number = g_strdup_printf ("%u", selected);

  take (self, GTK_WIDGET (choice), field->names != NULL ? field->names[selected] : number);
}

static void
entered_cb (AttnOperationList *self,
            GtkEditable       *entry)
{
  const char *text = gtk_editable_get_text (entry);

  const AttnField *field = g_object_get_data (G_OBJECT (entry), "field");

  take (self, GTK_WIDGET (entry), *text != '\0' || field->type != &attn_field_set ? text : "all");
}

static void
left_cb (AttnOperationList  *self,
         GtkEventController *focus)
{
  entered_cb (self, GTK_EDITABLE (gtk_event_controller_get_widget (focus)));
}

static void
remove_cb (AttnOperationList *self,
           GtkWidget         *button)
{
  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));

  if (get_index (button) < study->extra_interventions->len)
    g_ptr_array_remove_index (study->extra_interventions, get_index (button));
  attn_session_edit (self->session, study, NULL);
}

/**
 * attn_operation_list_add:
 *
 * Adds an intervention to the study, with another operation than that of the strip, on a component
 * that the strip does not change, in the same layers and heads.
 */
void
attn_operation_list_add (AttnOperationList *self)
{
  AttnStudy *study = attn_study_copy (attn_session_get_study (self->session));
  AttnResult *result = attn_session_get_result (self->session);
  AttnComponent component = ATTN_COMPONENT_QUERY;

  while (component < ATTN_COMPONENT_VALUE && study->components[component])
    component++;
  AttnIntervention *intervention =
      study->operation == ATTN_OPERATION_SCALE
          ? attn_intervention_new_mean (component, ATTN_AXIS_FEATURE, study->site)
          : attn_intervention_new_scale (component, FIRST_FACTOR, study->site);
  if (study->acts_on_shown_layer && result != NULL)
    intervention->layers = attn_index_set_new_range (result->layer, result->layer);
  if (study->acts_on_shown_head && result != NULL && result->head >= 0)
    intervention->heads = attn_index_set_new_range (result->head, result->head);
  g_ptr_array_add (study->extra_interventions, intervention);
  attn_session_edit (self->session, study, NULL);
}

/* --- What the study says --- */

static char *
format_value (const AttnField        *field,
              const AttnIntervention *intervention)
{
  if (field->type == &attn_field_number)
    return attn_text_format_epsilon (G_STRUCT_MEMBER (double, intervention, field->offset));
  if (field->type != &attn_field_set)
    return attn_pairs_to_string (intervention->pairs);

  const AttnIndexSet *set = G_STRUCT_MEMBER (AttnIndexSet *, intervention, field->offset);
  return set != NULL ? attn_index_set_to_string (set) : g_strdup ("");
}

static gboolean
is_shown (const AttnField        *field,
          const AttnIntervention *intervention)
{
  if (g_str_equal (field->name, "site"))
    return intervention->component < ATTN_N_COMPONENTS;
  if (g_str_equal (field->name, "heads"))
    return !is_stream (intervention);
  return field->is_written == NULL || field->is_written (intervention);
}

/* Fills a drop-down with the numbers of the inputs of the study. */
static void
show_inputs (AttnInlineChoice *choice,
             guint             n_inputs)
{
  g_auto (GStrv) words = g_new0 (char *, n_inputs + 1);

  for (guint i = 0; i < n_inputs; i++)
    words[i] = g_strdup_printf (_("Input %u"), i + 1);
  attn_inline_choice_set_words (choice, (const char * const *) words);
}

static void
show (GtkWidget              *control,
      const AttnIntervention *intervention,
      guint                   n_inputs)
{
  const AttnField *field = g_object_get_data (G_OBJECT (control), "field");

  gtk_widget_set_visible (control, is_shown (field, intervention));
  if (field->type == &attn_field_size)
    {
      show_inputs (ATTN_INLINE_CHOICE (control), n_inputs);
      attn_inline_choice_set_selected (ATTN_INLINE_CHOICE (control), (guint) intervention->input);
    }
  else if (ATTN_IS_INLINE_CHOICE (control))
    attn_inline_choice_set_selected (ATTN_INLINE_CHOICE (control),
                                     G_STRUCT_MEMBER (guint, intervention, field->offset));
  else
    {
      g_autofree char *text = format_value (field, intervention);

      gtk_editable_set_text (GTK_EDITABLE (control), text);
      attn_typed_accept (control);
    }
}

/* --- Widgets --- */

static GtkWidget *
new_control (AttnOperationList *self,
             gsize              i,
             guint              index)
{
  const AttnField *field = find_field (controls[i].field);
  const char *label = _(controls[i].label);
  GtkWidget *control;

  if (field->names != NULL || field->type == &attn_field_size)
    {
      const char *words[G_N_ELEMENTS (controls[i].words) + 1] = { NULL };

      for (gsize k = 0; controls[i].words[k] != NULL && field->names[k] != NULL; k++)
        words[k] = g_str_equal (controls[i].words[k], "Scale") ? C_ ("operation", "Scale")
                                                               : _(controls[i].words[k]);
      control = attn_inline_choice_new (label);
      attn_inline_choice_set_words (ATTN_INLINE_CHOICE (control), words);
      g_signal_connect_swapped (control, "chosen", G_CALLBACK (chosen_cb), self);
    }
  else
    {
      GtkEventController *focus = gtk_event_controller_focus_new ();

      control = gtk_entry_new ();
      gtk_editable_set_width_chars (GTK_EDITABLE (control), 7);
      gtk_editable_set_enable_undo (GTK_EDITABLE (control), FALSE);
      gtk_entry_set_placeholder_text (GTK_ENTRY (control), label);
      gtk_accessible_update_property (GTK_ACCESSIBLE (control), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      label, -1);
      g_signal_connect_swapped (focus, "leave", G_CALLBACK (left_cb), self);
      gtk_widget_add_controller (control, focus);
      g_signal_connect_swapped (control, "activate", G_CALLBACK (entered_cb), self);
    }
  gtk_widget_set_tooltip_text (control, label);
  gtk_widget_set_hexpand (control, TRUE);
  gtk_widget_set_valign (control, GTK_ALIGN_START);
  g_object_set_data (G_OBJECT (control), "field", (gpointer) field);
  g_object_set_data (G_OBJECT (control), "index", GUINT_TO_POINTER (index));
  return control;
}

static GtkWidget *
new_row (AttnOperationList *self,
         guint              index)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *lines[2] = { gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6),
                          gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6) };
  GtkWidget *button = gtk_button_new_from_icon_name ("list-remove-symbolic");
  GtkWidget *pairs = gtk_scrolled_window_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (controls); i++)
    gtk_box_append (GTK_BOX (lines[i >= N_FIRST]), new_control (self, i, index));
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_valign (button, GTK_ALIGN_START);
  gtk_widget_set_tooltip_text (button, _("Remove the operation"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _("Remove the operation"), -1);
  g_object_set_data (G_OBJECT (button), "index", GUINT_TO_POINTER (index));
  g_signal_connect_swapped (button, "clicked", G_CALLBACK (remove_cb), self);
  gtk_box_append (GTK_BOX (lines[0]), button);
  gtk_box_append (GTK_BOX (row), lines[0]);
  gtk_box_append (GTK_BOX (row), lines[1]);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (pairs), GTK_POLICY_AUTOMATIC,
                                  GTK_POLICY_NEVER);
  gtk_box_append (GTK_BOX (row), pairs);
  return row;
}

static void
show_row (AttnOperationList      *self,
          GtkWidget              *row,
          const AttnIntervention *intervention)
{
  guint n_inputs = attn_session_get_study (self->session)->inputs->len;

  for (GtkWidget *line = gtk_widget_get_first_child (row); line != NULL;
       line = gtk_widget_get_next_sibling (line))
    for (GtkWidget *control = gtk_widget_get_first_child (line); control != NULL;
         control = gtk_widget_get_next_sibling (control))
      if (g_object_get_data (G_OBJECT (control), "field") != NULL)
        show (control, intervention, n_inputs);
  g_free (attn_patch_pairs_show (GTK_SCROLLED_WINDOW (gtk_widget_get_last_child (row)),
                                 self->session, intervention));
}

/* Updates the rows of the interventions. Existing rows are kept, so that a control in them keeps
 * the focus. */
static void
sync_rows (AttnOperationList *self)
{
  const GPtrArray *interventions = attn_session_get_study (self->session)->extra_interventions;
  GtkWidget *row = gtk_widget_get_first_child (GTK_WIDGET (self));

  self->is_syncing = TRUE;
  for (guint i = 0; i < interventions->len; i++)
    {
      if (row == NULL)
        {
          row = new_row (self, i);
          gtk_box_append (GTK_BOX (self), row);
        }
      show_row (self, row, g_ptr_array_index (interventions, i));
      row = gtk_widget_get_next_sibling (row);
    }
  while (row != NULL)
    {
      GtkWidget *next = gtk_widget_get_next_sibling (row);

      gtk_box_remove (GTK_BOX (self), row);
      row = next;
    }
  self->is_syncing = FALSE;
}

/* Shows the tokens of patches once the inputs are computed. The entries are not updated, so that
 * nothing that is being typed in them is lost. */
static void
sync_pairs (AttnOperationList *self)
{
  const GPtrArray *interventions = attn_session_get_study (self->session)->extra_interventions;
  GtkWidget *row = gtk_widget_get_first_child (GTK_WIDGET (self));

  for (guint i = 0; i < interventions->len && row != NULL; i++)
    {
      GtkWidget *pairs = gtk_widget_get_last_child (row);

      g_free (attn_patch_pairs_show (GTK_SCROLLED_WINDOW (pairs), self->session,
                                     interventions->pdata[i]));
      row = gtk_widget_get_next_sibling (row);
    }
}

static void
attn_operation_list_dispose (GObject *object)
{
  AttnOperationList *self = ATTN_OPERATION_LIST (object);

  /* The entries are disposed of later and then lose the focus; @is_syncing keeps their handlers
   * from editing the study. */
  self->is_syncing = TRUE;
  g_clear_object (&self->session);

  G_OBJECT_CLASS (attn_operation_list_parent_class)->dispose (object);
}

static void
attn_operation_list_class_init (AttnOperationListClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = attn_operation_list_dispose;
  /* (GError *error): emitted when a typed value is invalid, and with NULL when it has been
   * corrected. */
  signals[SIGNAL_FAILED] = attn_signal_new (klass, "failed", 1, G_TYPE_ERROR);
}

static void
attn_operation_list_init (AttnOperationList *self)
{
}

/**
 * attn_operation_list_set_session:
 * @session: the session whose study has the interventions that are shown and edited
 *
 * Connects the list with the session. To be called once.
 */
void
attn_operation_list_set_session (AttnOperationList *list,
                                 AttnSession       *session)
{
  list->session = g_object_ref (session);
  g_signal_connect_object (session, "study-changed", G_CALLBACK (sync_rows), list,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "result-changed", G_CALLBACK (sync_pairs), list,
                           G_CONNECT_SWAPPED);
  sync_rows (list);
}
