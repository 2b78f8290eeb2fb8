/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-preferences.h"

#include <glib/gi18n.h>

#include "attn-drop-down.h"
#include "attn-font-row.h"
#include "attn-key-guard.h"
#include "attn-memory.h"
#include "attn-mnemonic.h"
#include "attn-preference.h"
#include "attn-reveal.h"
#include "attn-template.h"
#include "attn-text.h"
#include "attn-typed.h"

struct _AttnPreferences
{
  GtkWindow parent_instance;

  GSettings *settings;
  gboolean is_syncing;

  /* Template widgets */
  GtkWidget *range_row;
  GtkEntry *low;
  GtkEntry *high;
  GtkLabel *range_note;
  GtkSpinButton *digits;
  AttnFontRow *font;
  GtkWidget *font_reset;
  GtkSwitch *special_tokens;
  GtkSpinButton *answer_tokens;
  GtkSpinButton *threads;
  GtkSpinButton *memory;
  GtkLabel *memory_note;
};

/* Ids of the headings in preferences.ui, indexed by AttnPreferenceGroup. */
static const char * const heading_ids[ATTN_PREFERENCE_N_GROUPS] = { "new_studies", "computation",
                                                                    "appearance" };

G_DEFINE_FINAL_TYPE (AttnPreferences, attn_preferences, GTK_TYPE_WINDOW)

static gboolean
find_name (GValue   *position,
           GVariant *name,
           gpointer  names)
{
  const char *wanted = g_variant_get_string (name, NULL);

  g_value_set_uint (position, 0);
  for (guint i = 0; ((const char **) names)[i] != NULL; i++)
    if (g_str_equal (((const char **) names)[i], wanted))
      g_value_set_uint (position, i);
  return TRUE;
}

static GVariant *
get_name (const GValue       *position,
          const GVariantType *type,
          gpointer            names)
{
  guint selected = g_value_get_uint (position);

  return selected != GTK_INVALID_LIST_POSITION
             ? g_variant_new_string (((const char **) names)[selected])
             : NULL;
}

static gpointer
find_control (AttnPreferences *self,
              const char      *id)
{
  return gtk_widget_get_template_child (GTK_WIDGET (self), ATTN_TYPE_PREFERENCES, id);
}

/* Fills the drop-downs with the words for their values, and binds them to the settings. */
static void
bind_lists (AttnPreferences *self)
{
  gsize n;
  const AttnPreference *preferences = attn_preference_list (&n);

  for (gsize i = 0; i < n; i++)
    if (preferences[i].names != NULL)
      g_settings_bind_with_mapping (self->settings, preferences[i].key,
                                    find_control (self, preferences[i].id), "selected",
                                    G_SETTINGS_BIND_DEFAULT, find_name, get_name,
                                    (gpointer) preferences[i].names, NULL);
}

static void
sync_number (GtkEntry   *entry,
             GSettings  *settings,
             const char *key)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (text, sizeof text, "%.6g", g_settings_get_double (settings, key));
  gtk_editable_set_text (GTK_EDITABLE (entry), text);
}

/* Shows what is wrong with the ends of the range. @complaint: (nullable): %NULL if they are
 * valid */
static void
show_complaint (AttnPreferences *self,
                const char      *complaint)
{
  GtkEntry *ends[] = { self->low, self->high };

  for (gsize i = 0; i < G_N_ELEMENTS (ends); i++)
    {
      if (complaint != NULL)
        attn_typed_refuse (GTK_WIDGET (ends[i]), NULL);
      else
        attn_typed_accept (GTK_WIDGET (ends[i]));
    }
  gtk_label_set_label (self->range_note, complaint != NULL ? complaint : "");
  gtk_widget_set_visible (GTK_WIDGET (self->range_note), complaint != NULL);
}

/* Shows the number 0, with which the program itself chooses one, as "automatic". */
static gboolean
show_number_cb (GtkSpinButton *spin,
                gpointer       user_data)
{
  if (gtk_spin_button_get_value (spin) != 0)
    return FALSE;
  gtk_editable_set_text (GTK_EDITABLE (spin), _("automatic"));
  return TRUE;
}

static int
read_number_cb (GtkSpinButton *spin,
                double        *value,
                gpointer       user_data)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (spin));

  if (text[0] != '\0' && !g_str_equal (text, _("automatic")))
    {
      attn_typed_check_spin (spin);
      return FALSE;
    }
  *value = 0;
  return TRUE;
}

static void
sync_font (AttnPreferences *self,
           const char      *name)
{
  PangoFontDescription *font = pango_font_description_from_string ("Sans 9");
  PangoFontDescription *given = pango_font_description_from_string (name);

  pango_font_description_merge (font, given, TRUE);
  attn_font_row_set_font (self->font, pango_font_description_get_family (font),
                          (double) pango_font_description_get_size (font) / PANGO_SCALE);
  gtk_widget_set_sensitive (self->font_reset, name[0] != '\0');
  pango_font_description_free (given);
  pango_font_description_free (font);
}

static void
sync_all (AttnPreferences *self)
{
  g_autofree char *font = g_settings_get_string (self->settings, "new-study-font");

  self->is_syncing = TRUE;
  gtk_widget_set_visible (self->range_row,
                          attn_preference_applies (attn_preference_find ("low"), self->settings));
  sync_number (self->low, self->settings, "new-study-low");
  sync_number (self->high, self->settings, "new-study-high");
  show_complaint (self, NULL);
  sync_font (self, font);
  self->is_syncing = FALSE;
}

static void
changed_cb (AttnPreferences *self)
{
  if (!self->is_syncing)
    sync_all (self);
}

/* Saves the ends of the range only if both are numbers and the first is the smaller. */
static void
ends_changed_cb (AttnPreferences *self)
{
  const char *low_text = gtk_editable_get_text (GTK_EDITABLE (self->low));
  const char *high_text = gtk_editable_get_text (GTK_EDITABLE (self->high));
  double low, high;

  if (self->is_syncing || self->settings == NULL)
    return;
  if (!attn_typed_parse (low_text, &low) || !attn_typed_parse (high_text, &high) ||
      low >= high)
    {
      g_autofree char *complaint =
          g_strdup_printf (_("Range: “%s” to “%s” found, expected two numbers, the smaller one "
                             "first"),
                           low_text, high_text);
      show_complaint (self, complaint);
      return;
    }
  show_complaint (self, NULL);
  self->is_syncing = TRUE;
  g_settings_set_double (self->settings, "new-study-low", low);
  g_settings_set_double (self->settings, "new-study-high", high);
  self->is_syncing = FALSE;
}

static void
font_changed_cb (AttnPreferences *self)
{
  PangoFontDescription *font = pango_font_description_new ();

  pango_font_description_set_family (font, attn_font_row_get_family (self->font));
  pango_font_description_set_size (font,
                                   (int) (attn_font_row_get_size (self->font) * PANGO_SCALE + 0.5));

  g_autofree char *name = pango_font_description_to_string (font);
  pango_font_description_free (font);
  g_settings_set_string (self->settings, "new-study-font", name);
}

static void
font_reset_cb (AttnPreferences *self)
{
  g_settings_reset (self->settings, "new-study-font");
}

static void
fill_list (GtkDropDown          *list,
           const AttnPreference *preference)
{
  g_autoptr (GtkStringList) words = gtk_string_list_new (NULL);
  g_autofree char *name = attn_mnemonic_drop (_(preference->label));
  const char *word;

  for (guint i = 0; (word = attn_preference_get_word (preference, i)) != NULL; i++)
    gtk_string_list_append (words, word);
  gtk_drop_down_set_model (list, G_LIST_MODEL (words));
  attn_drop_down_set_label (list, name);
}

/* Sets the texts of the headings and labels from the table of preferences. */
static void
label_controls (AttnPreferences *self)
{
  gsize n;
  const AttnPreference *preferences = attn_preference_list (&n);

  for (gsize i = 0; i < n; i++)
    {
      GtkWidget *control = find_control (self, preferences[i].id);
      g_autoptr (GList) labels = gtk_widget_list_mnemonic_labels (control);

      gtk_label_set_label (labels->data, _(preferences[i].label));
      if (preferences[i].names != NULL)
        fill_list (GTK_DROP_DOWN (control), &preferences[i]);
    }
  for (guint i = 0; i < ATTN_PREFERENCE_N_GROUPS; i++)
    gtk_label_set_label (find_control (self, heading_ids[i]), attn_preference_get_heading (i));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->low), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _("Lowest value"), -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->high), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _("Highest value"), -1);
}

static void
describe_memory (AttnPreferences *self)
{
  g_autofree char *limit = g_format_size (attn_memory_get_limit ());
  g_autofree char *text = g_strdup_printf (_("gigabytes; now %s"), limit);

  gtk_label_set_label (self->memory_note, text);
}

static void
attn_preferences_dispose (GObject *object)
{
  AttnPreferences *self = ATTN_PREFERENCES (object);

  /* An entry that loses the focus while the window is destroyed still saves its number; the window
   * must not react to the changed setting any more. */
  if (self->settings != NULL)
    g_signal_handlers_disconnect_by_data (self->settings, self);
  G_OBJECT_CLASS (attn_preferences_parent_class)->dispose (object);
  g_clear_object (&self->settings);
}

static void
attn_preferences_class_init (AttnPreferencesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = attn_preferences_dispose;

  attn_template_set (widget_class, "preferences.ui");
  gtk_widget_class_bind_template_child_full (widget_class, "colormap", FALSE, 0);
  gtk_widget_class_bind_template_child_full (widget_class, "range", FALSE, 0);
  gtk_widget_class_bind_template_child_full (widget_class, "scheme", FALSE, 0);
  for (guint i = 0; i < ATTN_PREFERENCE_N_GROUPS; i++)
    gtk_widget_class_bind_template_child_full (widget_class, heading_ids[i], FALSE, 0);
  gtk_widget_class_bind_template_child (widget_class, AttnPreferences, range_row);
  gtk_widget_class_bind_template_child (widget_class, AttnPreferences, low);
  gtk_widget_class_bind_template_child (widget_class, AttnPreferences, high);
  gtk_widget_class_bind_template_child (widget_class, AttnPreferences, range_note);
  gtk_widget_class_bind_template_child (widget_class, AttnPreferences, digits);
  gtk_widget_class_bind_template_child (widget_class, AttnPreferences, font);
  gtk_widget_class_bind_template_child (widget_class, AttnPreferences, font_reset);
  gtk_widget_class_bind_template_child (widget_class, AttnPreferences, special_tokens);
  gtk_widget_class_bind_template_child (widget_class, AttnPreferences, answer_tokens);
  gtk_widget_class_bind_template_child (widget_class, AttnPreferences, threads);
  gtk_widget_class_bind_template_child (widget_class, AttnPreferences, memory);
  gtk_widget_class_bind_template_child (widget_class, AttnPreferences, memory_note);
  gtk_widget_class_bind_template_callback (widget_class, ends_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, read_number_cb);
  gtk_widget_class_bind_template_callback (widget_class, show_number_cb);
  gtk_widget_class_bind_template_callback (widget_class, font_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, font_reset_cb);
}

static void
attn_preferences_init (AttnPreferences *self)
{
  self->is_syncing = TRUE;
  g_type_ensure (ATTN_TYPE_FONT_ROW);
  gtk_widget_init_template (GTK_WIDGET (self));
  label_controls (self);
  attn_key_guard_install (GTK_WINDOW (self));
  self->is_syncing = FALSE;
}

/**
 * attn_preferences_new:
 * @parent: (nullable): a window to stand above
 * @settings: the settings of the program
 */
AttnPreferences *
attn_preferences_new (GtkWindow *parent,
                      GSettings *settings)
{
  AttnPreferences *self = g_object_new (ATTN_TYPE_PREFERENCES, "transient-for", parent, NULL);

  self->settings = g_object_ref (settings);
  bind_lists (self);
  g_settings_bind (settings, "new-study-digits", self->digits, "value", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind (settings, "new-study-special-tokens", self->special_tokens, "active",
                   G_SETTINGS_BIND_DEFAULT);
  g_settings_bind (settings, "answer-tokens", self->answer_tokens, "value",
                   G_SETTINGS_BIND_DEFAULT);
  g_settings_bind (settings, "threads", self->threads, "value", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind (settings, "memory-limit", self->memory, "value", G_SETTINGS_BIND_DEFAULT);
  g_signal_connect_object (settings, "changed", G_CALLBACK (changed_cb), self, G_CONNECT_SWAPPED);
  /* Connected to run after the application's handler of the same signal, which sets the limit that
   * is described. */
  g_signal_connect_object (settings, "changed::memory-limit", G_CALLBACK (describe_memory), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  describe_memory (self);
  sync_all (self);
  return self;
}

/**
 * attn_preferences_go_to:
 * @id: id of an #AttnPreference
 *
 * Moves the focus to the control of a preference, and scrolls to it.
 */
void
attn_preferences_go_to (AttnPreferences *self,
                        const char      *id)
{
  gpointer control = find_control (self, id);

  if (control == NULL)
    return;
  /* If the id is that of a row of several controls, which takes no focus itself, the first of them
   * gets it. */
  if (!gtk_widget_grab_focus (control))
    gtk_widget_child_focus (control, GTK_DIR_TAB_FORWARD);
  attn_reveal (control);
}
