/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-binder.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-drop-down.h"
#include "attn-edits.h"
#include "attn-index-set.h"
#include "attn-mnemonic.h"
#include "attn-study-table.h"
#include "attn-typed.h"
#include "attn-wheel.h"

/* Typed text is taken into the study after this many milliseconds without another key press. */
#define REST_MS 200

/* The largest number of entries in a drop-down of numbers, since a study may name a number that no
 * model has. */
#define MAX_NUMBERS 65536

/* The word on a button that gives a set, such as the heads that an operation acts on, all its
 * members. */
#define ALL "all"

struct _AttnBinder
{
  AttnSession *session;
  AttnBinderFailFunc fail;
  gpointer user_data;
  gboolean is_syncing; /* whether controls are being set from the study */
  GHashTable *widgets; /* (element-type utf8 GtkWidget): the widgets by their ids, unowned */
  GPtrArray *bindings; /* (element-type Binding) */
};

typedef struct
{
  AttnBinder *binder;
  const AttnField *field;
  GtkWidget *control;        /* the control bound to a setting; unowned, lives as long as the
                              * binder */
  int element;               /* index of the flag or choice that the control stands for; else 0 */
  char *word;                /* (nullable): the choice or word that a button sets */
  guint timeout;             /* id of the timeout that reads an entry when typing pauses */
  GtkEventController *focus; /* (nullable): controller that tells when the focus leaves an entry;
                              * unowned */
} Binding;

static void
free_binding (gpointer data)
{
  Binding *binding = data;

  g_clear_handle_id (&binding->timeout, g_source_remove);
  g_free (binding->word);
  g_free (binding);
}

/**
 * attn_binder_fail:
 * @error: (nullable): %NULL when the invalid value has been corrected
 *
 * Tells the owner of the binder that a typed or chosen value is invalid.
 */
void
attn_binder_fail (AttnBinder   *binder,
                  const GError *error)
{
  binder->fail (binder->user_data, error);
}

/* --- What the study says --- */

/* Returns the flag of the study that a switch shows: a setting that is a flag, or for another
 * setting the flag that says whether it is used. */
static gboolean *
get_flag (const Binding   *binding,
          const AttnStudy *study)
{
  const AttnField *field = binding->field;

  if (field->flag != 0)
    return G_STRUCT_MEMBER_P (study, field->flag);
  return (gboolean *) G_STRUCT_MEMBER_P (study, field->offset) + binding->element;
}

/* Returns the index of the entry of a drop-down that shows the field's value. Entries for special
 * values, such as "mean", come first, in the order of the field's names. */
static guint
get_entry (const AttnField *field,
           const AttnStudy *study)
{
  int value = G_STRUCT_MEMBER (int, study, field->offset);
  gboolean is_off = field->flag != 0 &&
                    G_STRUCT_MEMBER (gboolean, study, field->flag) == field->word_flag;

  if (field->type == &attn_field_size)
    return (guint) G_STRUCT_MEMBER (gsize, study, field->offset);
  if (field->type == &attn_field_index)
    return value < 0 ? -1 - value : value + (int) g_strv_length ((char **) field->names);
  for (guint i = 0; field->names != NULL && field->names[i] != NULL; i++)
    if (is_off ? g_strcmp0 (field->names[i], field->word) == 0
               : field->values != NULL && field->values[i] == value)
      return i;
  return value;
}

static gboolean
set_entry (const AttnField  *field,
           AttnStudy        *study,
           guint             entry,
           GError          **error)
{
  int *value = G_STRUCT_MEMBER_P (study, field->offset);
  int n_words = field->names != NULL ? g_strv_length ((char **) field->names) : 0;

  if (field->type == &attn_field_choice)
    return attn_field_parse (field, field->names[entry], study, error);
  if (field->type == &attn_field_size)
    G_STRUCT_MEMBER (gsize, study, field->offset) = entry;
  else
    *value = (int) entry < n_words ? -1 - (int) entry : (int) entry - n_words;
  return TRUE;
}

static double
get_number (const AttnField *field,
            const AttnStudy *study)
{
  gconstpointer member = G_STRUCT_MEMBER_P (study, field->offset);

  return field->type == &attn_field_size    ? *(const gsize *) member
         : field->type == &attn_field_count ? *(const guint *) member
                                            : *(const double *) member;
}

/* Tells whether a field with a set has the value that its special word names, such as "shown",
 * rather than a list of numbers. */
static gboolean
has_word (const AttnField *field,
          const AttnStudy *study)
{
  return field->flag != 0 && G_STRUCT_MEMBER (gboolean, study, field->flag) == field->word_flag;
}

/* Tells whether a button is on. A field with a set has one button for its special word, and one for
 * all members. */
static gboolean
is_on (const Binding   *binding,
       const AttnStudy *study)
{
  const AttnField *field = binding->field;

  if (binding->word == NULL)
    return *get_flag (binding, study) != field->word_flag;
  if (field->type == &attn_field_choice)
    return G_STRUCT_MEMBER (int, study, field->offset) == binding->element;
  return g_str_equal (binding->word, ALL)
             ? !has_word (field, study) && G_STRUCT_MEMBER (gpointer, study, field->offset) == NULL
             : has_word (field, study);
}

/* Tells whether the default of a setting is a word, such as "shown", rather than a list of
 * numbers. */
static gboolean
is_word_usual (const AttnField *field)
{
  g_autoptr (AttnStudy) usual = field->flag != 0 ? attn_study_new () : NULL;

  return usual != NULL && has_word (field, usual);
}

/* Returns the text of the entry for a setting; empty for its default, a special word or all
 * members. */
static char *
dup_text (const AttnField *field,
          const AttnStudy *study)
{
  gconstpointer member = G_STRUCT_MEMBER_P (study, field->offset);

  if (field->type == &attn_field_pairs)
    return attn_pairs_to_string (*(GArray * const *) member);
  if (field->type != &attn_field_set)
    {
      const char *text = *(char * const *) member;

      /* The entries of title and caption show the text of the preset as long as the user has typed
       * none. */
      if (member == &study->title)
        text = attn_study_get_title (study);
      else if (member == &study->caption)
        text = attn_study_get_caption (study);
      return g_strdup (text != NULL ? text : "");
    }
  if (has_word (field, study))
    return g_strdup (is_word_usual (field) ? "" : _(field->word));

  const AttnIndexSet *set = *(AttnIndexSet * const *) member;
  return set != NULL ? attn_index_set_to_string (set)
                     : g_strdup (is_word_usual (field) ? _("all") : "");
}

static gboolean
set_text (const AttnField  *field,
          AttnStudy        *study,
          const char       *text,
          GError          **error)
{
  if (field->type != &attn_field_set && *text == '\0')
    {
      attn_field_clear (field, study);
      return TRUE;
    }
  if (field->type == &attn_field_set && *text == '\0')
    text = is_word_usual (field) ? field->word : ALL;
  else if (field->type == &attn_field_set && field->word != NULL &&
           g_str_equal (text, _(field->word)))
    text = field->word;
  else if (field->type == &attn_field_set && g_str_equal (text, _("all")))
    text = ALL;
  return attn_field_parse (field, text, study, error);
}

/* --- What the controls say --- */

/* Returns the adjustment of a slider or spin button, or %NULL. */
static GtkAdjustment *
get_adjustment (GtkWidget *control)
{
  if (GTK_IS_SPIN_BUTTON (control))
    return gtk_spin_button_get_adjustment (GTK_SPIN_BUTTON (control));
  return GTK_IS_RANGE (control) ? gtk_range_get_adjustment (GTK_RANGE (control)) : NULL;
}

/* Returns the words of a label without its mnemonic. GTK's text of the label would still contain a
 * mnemonic letter that some languages put behind the words: "(S)". */
static char *
dup_words (gpointer label)
{
  return gtk_label_get_use_underline (label) ? attn_mnemonic_drop (gtk_label_get_label (label))
                                             : g_strdup (gtk_label_get_text (label));
}

/* Returns the label of a control, or the label of the button before it. */
static char *
dup_label (GtkWidget *control)
{
  g_autoptr (GList) labels = gtk_widget_list_mnemonic_labels (control);

  return dup_words (labels != NULL
                        ? labels->data
                        : gtk_widget_get_last_child (gtk_widget_get_prev_sibling (control)));
}

static gboolean
take_value (const Binding  *binding,
            AttnStudy      *study,
            GError        **error)
{
  GtkWidget *control = binding->control;
  GtkAdjustment *adjustment = get_adjustment (control);

  if (adjustment != NULL)
    {
      char text[G_ASCII_DTOSTR_BUF_SIZE];

      g_ascii_dtostr (text, sizeof text, gtk_adjustment_get_value (adjustment));
      return attn_field_parse (binding->field, text, study, error);
    }
  if (GTK_IS_DROP_DOWN (control))
    return set_entry (binding->field, study, gtk_drop_down_get_selected (GTK_DROP_DOWN (control)),
                      error);
  if (GTK_IS_EDITABLE (control))
    return set_text (binding->field, study, gtk_editable_get_text (GTK_EDITABLE (control)), error);

  gboolean is_active;
  g_object_get (control, "active", &is_active, NULL);
  if (binding->word != NULL)
    return attn_field_parse (binding->field, is_active ? binding->word : ALL, study, error);
  *get_flag (binding, study) = is_active != binding->field->word_flag;
  return TRUE;
}

/* Takes back the error about the text of a control when that text is gone. */
static void
mend (Binding *binding)
{
  if (attn_typed_accept (binding->control))
    attn_binder_fail (binding->binder, NULL);
}

/* Edits the study by the state of a control. @moves: whether the change is one of many in quick
 * succession, as when a slider is dragged, which are undone as one */
static void
take (Binding  *binding,
      gboolean  moves)
{
  AttnBinder *binder = binding->binder;
  const AttnStudy *before = attn_session_get_study (binder->session);
  const AttnResult *result = attn_session_get_result (binder->session);
  g_autoptr (AttnStudy) study = attn_study_copy (before);
  g_autoptr (GError) error = NULL;

  if (!take_value (binding, study, &error))
    {
      g_autofree char *label = dup_label (binding->control);

      /* Translators: what something typed is for, and what is wrong with it */
      g_prefix_error (&error, _("%s: "), label);
      attn_typed_refuse (binding->control, error->message);
      attn_binder_fail (binder, error);
      return;
    }
  mend (binding);
  if (!attn_edits_settle (study, before,
                          result != NULL ? (int) result->layer : ATTN_LAYER_STRONGEST_SINK, &error))
    {
      attn_binder_sync (binder);
      attn_binder_fail (binder, error);
      return;
    }
  attn_session_edit (binder->session, g_steal_pointer (&study),
                     moves ? binding->field->name : NULL);
}

static void
chosen_cb (Binding *binding)
{
  GtkWidget *control = binding->control;

  if (binding->binder->is_syncing ||
      (GTK_IS_DROP_DOWN (control) &&
       gtk_drop_down_get_selected (GTK_DROP_DOWN (control)) == GTK_INVALID_LIST_POSITION) ||
      /* In a group of toggle buttons only the one that becomes active edits the study. */
      (GTK_IS_TOGGLE_BUTTON (control) && binding->word != NULL &&
       !gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (control))))
    return;
  take (binding, FALSE);
}

static void
moved_cb (Binding *binding)
{
  if (!binding->binder->is_syncing)
    take (binding, TRUE);
}

static gboolean
rest_cb (gpointer user_data)
{
  Binding *binding = user_data;

  binding->timeout = 0;
  take (binding, TRUE);
  return G_SOURCE_REMOVE;
}

static void
typed_cb (Binding *binding)
{
  if (binding->binder->is_syncing)
    return;
  g_clear_handle_id (&binding->timeout, g_source_remove);
  binding->timeout = g_timeout_add (REST_MS, rest_cb, binding);
}

static void
entered_cb (Binding *binding)
{
  g_autofree char *old =
      dup_text (binding->field, attn_session_get_study (binding->binder->session));

  if (!g_str_equal (gtk_editable_get_text (GTK_EDITABLE (binding->control)), old))
    take (binding, FALSE);
  else
    mend (binding);
}

/* --- Binding --- */

static void
bind_adjustment (Binding       *binding,
                 GtkAdjustment *adjustment)
{
  if (binding->field->maximum > binding->field->minimum)
    {
      gtk_adjustment_set_lower (adjustment, binding->field->minimum);
      gtk_adjustment_set_upper (adjustment, binding->field->maximum);
    }
  attn_wheel_ignore (binding->control);
  g_signal_connect_swapped (adjustment, "value-changed", G_CALLBACK (moved_cb), binding);
}

static void
bind_entry (Binding *binding)
{
  /* A list of numbers is read only when the focus leaves its entry, as an unfinished list can be
   * invalid. */
  if (binding->field->type != &attn_field_set && binding->field->type != &attn_field_pairs)
    {
      g_signal_connect_swapped (binding->control, "changed", G_CALLBACK (typed_cb), binding);
      return;
    }
  binding->focus = gtk_event_controller_focus_new ();
  g_signal_connect_swapped (binding->focus, "leave", G_CALLBACK (entered_cb), binding);
  gtk_widget_add_controller (binding->control, binding->focus);
  g_signal_connect_swapped (binding->control, "activate", G_CALLBACK (entered_cb), binding);
}

static void
bind_drop_down (Binding *binding)
{
  g_autofree char *label = dup_label (binding->control);

  attn_drop_down_set_label (binding->control, label);
  g_signal_connect_swapped (binding->control, "notify::selected", G_CALLBACK (chosen_cb), binding);
}

/* Binds a control by its id. "sites:normed" is the second flag of the field "sites"; "site:normed"
 * is the button that sets the choice "normed"; "scope.heads:shown" is the button that sets the set
 * to its special word. For fields of other types the part after the colon, and for all fields the
 * part after a second colon, only tells apart two controls of one field. */
static void
bind (AttnBinder *binder,
      GtkWidget  *control,
      const char *id)
{
  g_auto (GStrv) parts = g_strsplit (id, ":", 3);
  const AttnField *field = attn_study_find_field (parts[0]);
  GtkAdjustment *adjustment = get_adjustment (control);
  GObjectClass *klass = G_OBJECT_GET_CLASS (control);
  gboolean is_switch = g_object_class_find_property (klass, "active") != NULL;

  if (field == NULL || !(is_switch || adjustment != NULL || GTK_IS_DROP_DOWN (control) ||
                         GTK_IS_EDITABLE (control)))
    return;
  Binding *binding = g_new0 (Binding, 1);
  binding->binder = binder;
  binding->field = field;
  binding->control = control;
  if (is_switch &&
      (field->type == &attn_field_choice ||
       (field->type == &attn_field_set && (g_strcmp0 (parts[1], ALL) == 0 ||
                                           g_strcmp0 (parts[1], field->word) == 0))))
    binding->word = g_strdup (parts[1]);
  if (field->type == &attn_field_flags ||
      (field->type == &attn_field_choice && binding->word != NULL))
    attn_text_parse_name (field->names, parts[1], &binding->element, NULL);
  g_ptr_array_add (binder->bindings, binding);
  if (adjustment != NULL)
    bind_adjustment (binding, adjustment);
  else if (GTK_IS_DROP_DOWN (control))
    bind_drop_down (binding);
  else if (GTK_IS_EDITABLE (control))
    bind_entry (binding);
  else
    g_signal_connect_swapped (control, "notify::active", G_CALLBACK (chosen_cb), binding);
}

static void
walk (AttnBinder *binder,
      GtkWidget  *widget)
{
  const char *id = gtk_buildable_get_buildable_id (GTK_BUILDABLE (widget));

  if (id != NULL && !g_hash_table_contains (binder->widgets, id))
    {
      g_hash_table_insert (binder->widgets, g_strdup (id), widget);
      bind (binder, widget, id);
    }
  /* A folded expander does not have its content among its children. */
  if (GTK_IS_EXPANDER (widget))
    walk (binder, gtk_expander_get_child (GTK_EXPANDER (widget)));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    walk (binder, child);
}

/**
 * attn_binder_new:
 * @root: the widget that contains the controls
 * @session: the session whose study the controls show and edit
 * @fail: called when a typed value is invalid
 *
 * Binds each control whose id in the .ui file is the name of a row of the study's table, such as
 * "style.low": a switch, check or toggle button to a flag, or to whether the setting counts; a
 * drop-down to a choice, its entries in the order of the row's names, or a group of toggle buttons,
 * each with one of the names behind a colon: "operation:mean", or of a set with "all" or the row's
 * word: "scope.heads:shown"; a slider or number, which get the row's bounds; an entry to a text or
 * a set of numbers. The binder must not outlive @root.
 */
AttnBinder *
attn_binder_new (GtkWidget          *root,
                 AttnSession        *session,
                 AttnBinderFailFunc  fail,
                 gpointer            user_data)
{
  AttnBinder *binder = g_new0 (AttnBinder, 1);

  binder->session = g_object_ref (session);
  binder->fail = fail;
  binder->user_data = user_data;
  binder->widgets = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  binder->bindings = g_ptr_array_new_with_free_func (free_binding);
  walk (binder, root);
  return binder;
}

void
attn_binder_free (AttnBinder *binder)
{
  if (binder == NULL)
    return;
  for (guint i = 0; i < binder->bindings->len; i++)
    {
      Binding *binding = g_ptr_array_index (binder->bindings, i);
      GtkAdjustment *adjustment = get_adjustment (binding->control);

      g_signal_handlers_disconnect_by_data (
          adjustment != NULL ? (gpointer) adjustment : (gpointer) binding->control, binding);
      /* The entry is destroyed later and then loses the focus: the handler of that event must not
       * run. */
      if (binding->focus != NULL)
        gtk_widget_remove_controller (binding->control, binding->focus);
    }
  g_ptr_array_unref (binder->bindings);
  g_hash_table_unref (binder->widgets);
  g_object_unref (binder->session);
  g_free (binder);
}

/**
 * attn_binder_show_what_applies:
 *
 * Hides each setting that would change nothing in @study, as the row of the study's table tells:
 * the box around its control, whose id is the row's name with "_row" behind it. A control without
 * such a box is made insensitive.
 */
void
attn_binder_show_what_applies (AttnBinder      *binder,
                               const AttnStudy *study)
{
  for (guint i = 0; i < binder->bindings->len; i++)
    {
      const Binding *binding = g_ptr_array_index (binder->bindings, i);
      gboolean applies = attn_field_get_need (binding->field, study) == NULL;
      g_autofree char *id = g_strconcat (binding->field->name, "_row", NULL);
      GtkWidget *row = attn_binder_find (binder, id);

      if (binding->field->needs == NULL)
        continue;
      if (row != NULL)
        gtk_widget_set_visible (row, applies);
      else
        gtk_widget_set_sensitive (binding->control, applies);
    }
}

/**
 * attn_binder_find:
 * @id: id of a widget in the .ui file
 *
 * Returns: (transfer none) (nullable): the widget, which may also be one that shows no setting
 */
gpointer
attn_binder_find (AttnBinder *binder,
                  const char *id)
{
  return g_hash_table_lookup (binder->widgets, id);
}

/* Tells whether a control can change the study now, even if it is folded away or in a popover. */
static gboolean
is_offered (GtkWidget *control)
{
  for (GtkWidget *widget = control; widget != NULL; widget = gtk_widget_get_parent (widget))
    if (!gtk_widget_get_visible (widget) && !GTK_IS_POPOVER (widget))
      return FALSE;
  return gtk_widget_is_sensitive (control);
}

/* Returns the name of a control: its data "name" if it has one, else the text of a button, the
 * tooltip of a button with an icon, or the label of another control. */
static char *
dup_name (GtkWidget *control)
{
  GtkWidget *child =
      GTK_IS_BUTTON (control)         ? gtk_button_get_child (GTK_BUTTON (control))
      : GTK_IS_CHECK_BUTTON (control) ? gtk_check_button_get_child (GTK_CHECK_BUTTON (control))
                                      : NULL;

  if (g_object_get_data (G_OBJECT (control), "name") != NULL)
    return g_strdup (g_object_get_data (G_OBJECT (control), "name"));
  if (GTK_IS_LABEL (child))
    return dup_words (child);
  if (GTK_IS_CHECK_BUTTON (control) || GTK_IS_BUTTON (control))
    {
      const char *label = GTK_IS_BUTTON (control)
                              ? gtk_button_get_label (GTK_BUTTON (control))
                              : gtk_check_button_get_label (GTK_CHECK_BUTTON (control));

      return label != NULL ? attn_mnemonic_drop (label)
                           : g_strdup (gtk_widget_get_tooltip_text (control));
    }
  return dup_label (control);
}

/* Returns the label above a row of buttons that choose a value of @field. */
static char *
dup_group (AttnBinder      *binder,
           const AttnField *field)
{
  g_autofree char *id = g_strconcat (field->name, "_row", NULL);
  GtkWidget *row = attn_binder_find (binder, id);
  GtkWidget *first = row != NULL ? gtk_widget_get_first_child (row) : NULL;

  return GTK_IS_LABEL (first) ? dup_words (first) : NULL;
}

/**
 * attn_binder_foreach:
 * @func: called with each control that can change something in the study now
 *
 * Calls @func in the order in which the controls are in the window.
 */
void
attn_binder_foreach (AttnBinder            *binder,
                     AttnBinderControlFunc  func,
                     gpointer               user_data)
{
  for (guint i = 0; i < binder->bindings->len; i++)
    {
      const Binding *binding = g_ptr_array_index (binder->bindings, i);
      GtkWidget *control = binding->control;
      gboolean is_button = GTK_IS_CHECK_BUTTON (control) || GTK_IS_BUTTON (control);

      g_autofree char *name = is_offered (control) ? dup_name (control) : NULL;
      g_autofree char *group = is_button ? dup_group (binder, binding->field) : NULL;

      if (name != NULL)
        func (control, binding->field, name, group, user_data);
    }
}

/**
 * attn_binder_splice:
 * @id: id of a drop-down that lists strings
 * @additions: (array zero-terminated=1): entries that take the place of @n_removals at @position
 *
 * Replaces entries of a drop-down. If GTK selects another entry by that, the study is not changed.
 */
void
attn_binder_splice (AttnBinder         *binder,
                    const char         *id,
                    guint               position,
                    guint               n_removals,
                    const char * const *additions)
{
  GListModel *list = gtk_drop_down_get_model (attn_binder_find (binder, id));

  binder->is_syncing = TRUE;
  gtk_string_list_splice (GTK_STRING_LIST (list), position, n_removals, additions);
  attn_binder_sync (binder);
}

static void
show (Binding         *binding,
      const AttnStudy *study)
{
  const AttnField *field = binding->field;
  GtkAdjustment *adjustment = get_adjustment (binding->control);

  if (adjustment != NULL)
    gtk_adjustment_set_value (adjustment, get_number (field, study));
  else if (GTK_IS_DROP_DOWN (binding->control))
    gtk_drop_down_set_selected (GTK_DROP_DOWN (binding->control), get_entry (field, study));
  else if (!GTK_IS_EDITABLE (binding->control))
    g_object_set (binding->control, "active", is_on (binding, study), NULL);
  else if (binding->timeout == 0)
    {
      g_autofree char *text = dup_text (field, study);

      if (!g_str_equal (gtk_editable_get_text (GTK_EDITABLE (binding->control)), text))
        gtk_editable_set_text (GTK_EDITABLE (binding->control), text);
      attn_typed_accept (binding->control);
    }
}

/**
 * attn_binder_sync:
 *
 * Updates the controls to the values in the study. An entry in which the user is typing is left
 * alone.
 */
void
attn_binder_sync (AttnBinder *binder)
{
  const AttnStudy *study = attn_session_get_study (binder->session);

  binder->is_syncing = TRUE;
  for (guint i = 0; i < binder->bindings->len; i++)
    show (g_ptr_array_index (binder->bindings, i), study);
  binder->is_syncing = FALSE;
}

/**
 * attn_binder_list_numbers:
 * @id: id of a drop-down that lists numbers
 * @n_words: number of its entries with words, before those with numbers
 * @format: text of an entry with a number, with %s for the number
 * @first: the first number
 * @n: how many numbers there are from now on; at most %MAX_NUMBERS are listed
 */
void
attn_binder_list_numbers (AttnBinder *binder,
                          const char *id,
                          guint       n_words,
                          const char *format,
                          gsize       first,
                          gsize       n)
{
  GtkDropDown *drop_down = attn_binder_find (binder, id);
  guint n_old = g_list_model_get_n_items (gtk_drop_down_get_model (drop_down)) - n_words;
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  n = MIN (n, MAX_NUMBERS);
  if (n_old == n)
    return;
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *number = g_strdup_printf ("%zu", first + i);
      g_auto (GStrv) parts = g_strsplit (format, "%s", 2);
      g_autofree char *text = g_strjoinv (number, parts);

      g_strv_builder_add (builder, text);
    }
  g_auto (GStrv) texts = g_strv_builder_end (builder);
  attn_binder_splice (binder, id, n_words, n_old, (const char * const *) texts);
}
