/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-binder.h"

#include <glib/gi18n.h>

#include "attn-index-set.h"

/* What is typed is looked at after this much rest. */
#define REST_MS 200

typedef enum
{
  KIND_FLAG,
  KIND_CHOICE,
  KIND_SIZE,
  KIND_UINT,
  KIND_NUMBER,
  KIND_TEXT,
  KIND_SET,
} Kind;

struct _AttnBinder
{
  AttnSession *session;
  AttnBinderFailFunc fail;
  gpointer user_data;
  gboolean is_syncing; /* the controls follow the study, not the other way round */
  GPtrArray *bindings; /* (element-type Binding) */
};

typedef struct
{
  AttnBinder *binder;
  Kind kind;
  gpointer control; /* unowned; it lives as long as the binder */
  gsize offset;
  gsize usual_offset;    /* of a set: of the flag that an empty entry stands for; 0 for none */
  AttnBinderGetFunc get; /* (nullable) */
  AttnBinderSetFunc set; /* (nullable) */
  char *what;            /* names the member: for the history, of a set in messages */
  guint timeout;         /* of a text: until what is typed has rested */
} Binding;

static void
free_binding (gpointer data)
{
  Binding *binding = data;

  g_clear_handle_id (&binding->timeout, g_source_remove);
  g_free (binding->what);
  g_free (binding);
}

/**
 * attn_binder_new:
 * @session: whose study the controls show and edit
 * @fail: whom to tell that what was typed makes no sense
 *
 * The binder must not outlive the controls that are added to it.
 */
AttnBinder *
attn_binder_new (AttnSession        *session,
                 AttnBinderFailFunc  fail,
                 gpointer            user_data)
{
  AttnBinder *binder = g_new0 (AttnBinder, 1);

  binder->session = g_object_ref (session);
  binder->fail = fail;
  binder->user_data = user_data;
  binder->bindings = g_ptr_array_new_with_free_func (free_binding);
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

      g_signal_handlers_disconnect_by_data (binding->control, binding);
    }
  g_ptr_array_unref (binder->bindings);
  g_object_unref (binder->session);
  g_free (binder);
}

/* (transfer full): a copy to change. */
static AttnStudy *
begin_edit (Binding *binding)
{
  return attn_study_copy (attn_session_get_study (binding->binder->session));
}

/* @study: (transfer full) */
static void
end_edit (Binding   *binding,
          AttnStudy *study,
          gboolean   moves)
{
  attn_session_edit (binding->binder->session, study, moves ? binding->what : NULL);
}

static void
active_cb (GObject    *widget,
           GParamSpec *pspec,
           Binding    *binding)
{
  gboolean is_active;

  if (binding->binder->is_syncing)
    return;
  AttnStudy *study = begin_edit (binding);
  g_object_get (widget, "active", &is_active, NULL);
  if (binding->set != NULL)
    binding->set (study, is_active);
  else
    G_STRUCT_MEMBER (gboolean, study, binding->offset) = is_active;
  end_edit (binding, study, FALSE);
}

static void
selected_cb (GtkDropDown *drop_down,
             GParamSpec  *pspec,
             Binding     *binding)
{
  guint selected = gtk_drop_down_get_selected (drop_down);

  if (binding->binder->is_syncing || selected == GTK_INVALID_LIST_POSITION)
    return;
  AttnStudy *study = begin_edit (binding);
  if (binding->set != NULL)
    binding->set (study, selected);
  else
    G_STRUCT_MEMBER (int, study, binding->offset) = selected;
  end_edit (binding, study, FALSE);
}

static void
value_cb (GtkAdjustment *adjustment,
          Binding       *binding)
{
  double value = gtk_adjustment_get_value (adjustment);

  if (binding->binder->is_syncing)
    return;
  AttnStudy *study = begin_edit (binding);
  if (binding->kind == KIND_SIZE)
    G_STRUCT_MEMBER (gsize, study, binding->offset) = value;
  else if (binding->kind == KIND_UINT)
    G_STRUCT_MEMBER (guint, study, binding->offset) = value;
  else
    G_STRUCT_MEMBER (double, study, binding->offset) = value;
  end_edit (binding, study, TRUE);
}

static gboolean
rest_cb (gpointer user_data)
{
  Binding *binding = user_data;
  AttnStudy *study = begin_edit (binding);
  char **text = &G_STRUCT_MEMBER (char *, study, binding->offset);
  const char *typed = gtk_editable_get_text (binding->control);

  binding->timeout = 0;
  g_free (*text);
  *text = typed[0] != '\0' ? g_strdup (typed) : NULL;
  end_edit (binding, study, TRUE);
  return G_SOURCE_REMOVE;
}

static void
typed_cb (GtkEditable *entry,
          Binding     *binding)
{
  if (binding->binder->is_syncing)
    return;
  g_clear_handle_id (&binding->timeout, g_source_remove);
  binding->timeout = g_timeout_add (REST_MS, rest_cb, binding);
}

static gboolean *
get_usual (const Binding   *binding,
           const AttnStudy *study)
{
  return binding->usual_offset != 0 ? &G_STRUCT_MEMBER (gboolean, study, binding->usual_offset)
                                    : NULL;
}

/* Nothing is what goes without saying. */
static char *
dup_set_text (const Binding   *binding,
              const AttnStudy *study)
{
  const AttnIndexSet *set = G_STRUCT_MEMBER (AttnIndexSet *, study, binding->offset);
  const gboolean *is_usual = get_usual (binding, study);

  if (is_usual != NULL ? *is_usual : set == NULL)
    return g_strdup ("");
  return set != NULL ? attn_index_set_to_string (set) : g_strdup (_("all"));
}

static void
entered_cb (GtkEditable *entry,
            Binding     *binding)
{
  const char *text = gtk_editable_get_text (entry);
  g_autofree char *old =
      dup_set_text (binding, attn_session_get_study (binding->binder->session));
  gboolean is_all = g_str_equal (text, "all") || g_str_equal (text, _("all"));
  g_autoptr (GError) error = NULL;
  AttnIndexSet *set = NULL;

  if (binding->binder->is_syncing)
    return;
  if (g_str_equal (text, old))
    {
      gtk_widget_remove_css_class (GTK_WIDGET (entry), "error");
      return;
    }
  if (*text != '\0' && !is_all && (set = attn_index_set_parse (text, &error)) == NULL)
    {
      /* Translators: what a list of numbers is for, and what is wrong with it */
      g_prefix_error (&error, _("%s: "), binding->what);
      gtk_widget_add_css_class (GTK_WIDGET (entry), "error");
      binding->binder->fail (binding->binder->user_data, error);
      return;
    }
  AttnStudy *study = begin_edit (binding);
  AttnIndexSet **slot = &G_STRUCT_MEMBER (AttnIndexSet *, study, binding->offset);
  gboolean *is_usual = get_usual (binding, study);
  g_clear_pointer (slot, attn_index_set_unref);
  *slot = set;
  if (is_usual != NULL)
    *is_usual = *text == '\0';
  gtk_widget_remove_css_class (GTK_WIDGET (entry), "error");
  end_edit (binding, study, FALSE);
}

static void
left_cb (GtkEventController *controller,
         Binding            *binding)
{
  entered_cb (binding->control, binding);
}

static Binding *
add (AttnBinder *binder,
     Kind        kind,
     gpointer    control,
     gsize       offset)
{
  Binding *binding = g_new0 (Binding, 1);

  binding->binder = binder;
  binding->kind = kind;
  binding->control = control;
  binding->offset = offset;
  binding->what = g_strdup_printf ("member-%zu", offset);
  g_ptr_array_add (binder->bindings, binding);
  return binding;
}

/**
 * attn_binder_add_flag:
 * @widget: with a property "active": a switch, a check button
 * @offset: of a gboolean
 * @set: (nullable): makes a study agree, if that is more than to set the member
 */
void
attn_binder_add_flag (AttnBinder        *binder,
                      gpointer           widget,
                      gsize              offset,
                      AttnBinderSetFunc  set)
{
  Binding *binding = add (binder, KIND_FLAG, widget, offset);

  binding->set = set;
  g_signal_connect (widget, "notify::active", G_CALLBACK (active_cb), binding);
}

/**
 * attn_binder_add_choice:
 * @drop_down: its entries are the values from 0 on
 * @offset: of an enumeration
 * @get: (nullable): which entry a study asks for, if that is not the value of the member
 * @set: (nullable): makes a study ask for an entry, if that is more than to set the member
 */
void
attn_binder_add_choice (AttnBinder        *binder,
                        GtkDropDown       *drop_down,
                        gsize              offset,
                        AttnBinderGetFunc  get,
                        AttnBinderSetFunc  set)
{
  Binding *binding = add (binder, KIND_CHOICE, drop_down, offset);

  binding->get = get;
  binding->set = set;
  g_signal_connect (drop_down, "notify::selected", G_CALLBACK (selected_cb), binding);
}

static void
add_value (AttnBinder    *binder,
           Kind           kind,
           GtkAdjustment *adjustment,
           gsize          offset)
{
  Binding *binding = add (binder, kind, adjustment, offset);

  g_signal_connect (adjustment, "value-changed", G_CALLBACK (value_cb), binding);
}

/**
 * attn_binder_add_size:
 * @offset: of a gsize
 */
void
attn_binder_add_size (AttnBinder    *binder,
                      GtkSpinButton *spin,
                      gsize          offset)
{
  add_value (binder, KIND_SIZE, gtk_spin_button_get_adjustment (spin), offset);
}

/**
 * attn_binder_add_uint:
 * @offset: of a guint
 */
void
attn_binder_add_uint (AttnBinder    *binder,
                      GtkSpinButton *spin,
                      gsize          offset)
{
  add_value (binder, KIND_UINT, gtk_spin_button_get_adjustment (spin), offset);
}

/**
 * attn_binder_add_number:
 * @adjustment: of a slider or a spin button
 * @offset: of a double
 */
void
attn_binder_add_number (AttnBinder    *binder,
                        GtkAdjustment *adjustment,
                        gsize          offset)
{
  add_value (binder, KIND_NUMBER, adjustment, offset);
}

/**
 * attn_binder_add_text:
 * @offset: of a string that belongs to the study; an empty one is %NULL
 *
 * What is typed is taken after a moment of rest.
 */
void
attn_binder_add_text (AttnBinder  *binder,
                      GtkEditable *entry,
                      gsize        offset)
{
  Binding *binding = add (binder, KIND_TEXT, entry, offset);

  g_signal_connect (entry, "changed", G_CALLBACK (typed_cb), binding);
}

/**
 * attn_binder_add_set:
 * @offset: of an #AttnIndexSet; %NULL, which means all, is an empty entry
 * @what: what the numbers are, in messages
 *
 * What is typed is taken by Return and by leaving the entry.
 */
void
attn_binder_add_set (AttnBinder  *binder,
                     GtkEditable *entry,
                     gsize        offset,
                     const char  *what)
{
  attn_binder_add_set_or (binder, entry, offset, 0, what);
}

/**
 * attn_binder_add_set_or:
 * @offset: of an #AttnIndexSet; %NULL means all, and the entry says so
 * @usual_offset: of a gboolean for which an empty entry stands, and which makes the set not count
 * @what: as there
 *
 * The same for a set that is something else than all unless one says so.
 */
void
attn_binder_add_set_or (AttnBinder  *binder,
                        GtkEditable *entry,
                        gsize        offset,
                        gsize        usual_offset,
                        const char  *what)
{
  Binding *binding = add (binder, KIND_SET, entry, offset);
  GtkEventController *controller = gtk_event_controller_focus_new ();

  g_free (binding->what);
  binding->what = g_strdup (what);
  binding->usual_offset = usual_offset;
  g_signal_connect (entry, "activate", G_CALLBACK (entered_cb), binding);
  g_signal_connect (controller, "leave", G_CALLBACK (left_cb), binding);
  gtk_widget_add_controller (GTK_WIDGET (entry), controller);
}

static void
show_text (Binding    *binding,
           const char *text)
{
  if (binding->timeout != 0 || g_str_equal (gtk_editable_get_text (binding->control), text))
    return;
  gtk_editable_set_text (binding->control, text);
}

static void
sync_binding (Binding         *binding,
              const AttnStudy *study)
{
  const char *text;
  g_autofree char *numbers = NULL;

  switch (binding->kind)
    {
    case KIND_FLAG:
      g_object_set (binding->control, "active",
                    G_STRUCT_MEMBER (gboolean, study, binding->offset), NULL);
      break;
    case KIND_CHOICE:
      gtk_drop_down_set_selected (binding->control,
                                  binding->get != NULL
                                      ? binding->get (study)
                                      : G_STRUCT_MEMBER (int, study, binding->offset));
      break;
    case KIND_SIZE:
      gtk_adjustment_set_value (binding->control,
                                G_STRUCT_MEMBER (gsize, study, binding->offset));
      break;
    case KIND_UINT:
      gtk_adjustment_set_value (binding->control,
                                G_STRUCT_MEMBER (guint, study, binding->offset));
      break;
    case KIND_NUMBER:
      gtk_adjustment_set_value (binding->control,
                                G_STRUCT_MEMBER (double, study, binding->offset));
      break;
    case KIND_TEXT:
      text = G_STRUCT_MEMBER (const char *, study, binding->offset);
      show_text (binding, text != NULL ? text : "");
      break;
    case KIND_SET:
      numbers = dup_set_text (binding, study);
      show_text (binding, numbers);
      gtk_widget_remove_css_class (binding->control, "error");
      break;
    default:
      g_assert_not_reached ();
    }
}

/**
 * attn_binder_sync:
 *
 * Makes the controls say what the study says. An entry that is being typed in is left alone.
 */
void
attn_binder_sync (AttnBinder *binder)
{
  const AttnStudy *study = attn_session_get_study (binder->session);

  binder->is_syncing = TRUE;
  for (guint i = 0; i < binder->bindings->len; i++)
    sync_binding (g_ptr_array_index (binder->bindings, i), study);
  binder->is_syncing = FALSE;
}
