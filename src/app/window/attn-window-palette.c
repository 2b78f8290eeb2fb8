/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Collects the entries of the palette, the list in which any action or setting is found by typing.
 * Entries have no names of their own: actions are called as in the menus and the window of
 * shortcuts, settings as their controls. */

#include "config.h"

#include "attn-window-private.h"

#include <glib/gi18n.h>

#include "attn-head-place.h"
#include "attn-mnemonic.h"
#include "attn-palette.h"
#include "attn-patches.h"
#include "attn-preference.h"

/* The largest number of characters of an input's text in the title of its entry. */
#define INPUT_CHARS 40

/* The largest number of queries (tokens of an input) that have an entry. */
#define MAX_QUERIES 256

/* The palette does not list itself. */
#define PALETTE "win.palette"

static AttnPaletteEntry *
add_action (GPtrArray  *entries,
            const char *title,
            const char *kind,
            const char *action,
            GVariant   *target)
{
  AttnPaletteEntry *entry = attn_palette_entry_new (title, kind);

  entry->action = g_strdup (action);
  entry->target = target != NULL ? g_variant_ref_sink (target) : NULL;
  g_ptr_array_add (entries, entry);
  return entry;
}

static AttnPaletteEntry *
find_action (GPtrArray  *entries,
             const char *action,
             GVariant   *target)
{
  for (guint i = 0; i < entries->len; i++)
    {
      AttnPaletteEntry *entry = g_ptr_array_index (entries, i);

      if (g_strcmp0 (entry->action, action) == 0 &&
          (target == NULL ? entry->target == NULL
                          : entry->target != NULL && g_variant_equal (entry->target, target)))
        return entry;
    }
  return NULL;
}

/* --- Actions in the palette ------------------------------------------------------------------- */

static void
add_menu (GPtrArray  *entries,
          GMenuModel *menu)
{
  for (int i = 0; i < g_menu_model_get_n_items (menu); i++)
    {
      g_autoptr (GMenuModel) section =
          g_menu_model_get_item_link (menu, i, G_MENU_LINK_SECTION);
      g_autoptr (GVariant) target =
          g_menu_model_get_item_attribute_value (menu, i, G_MENU_ATTRIBUTE_TARGET, NULL);
      g_autofree char *label = NULL;
      g_autofree char *action = NULL;

      if (section != NULL)
        add_menu (entries, section);
      if (!g_menu_model_get_item_attribute (menu, i, G_MENU_ATTRIBUTE_LABEL, "s", &label) ||
          !g_menu_model_get_item_attribute (menu, i, G_MENU_ATTRIBUTE_ACTION, "s", &action) ||
          find_action (entries, action, target) != NULL || g_str_equal (action, PALETTE))
        continue;
      g_autofree char *plain = attn_mnemonic_drop (label);
      add_action (entries, plain, NULL, action, target);
    }
}

/* Returns the action that a key activates, with the prefix of its group, such as "win.save", or
 * %NULL. */
static char *
find_action_of_key (AttnWindow  *self,
                    const char  *accelerator,
                    GVariant   **target)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));
  const char *argument = NULL;
  char *name = NULL;
  guint key;
  GdkModifierType modifiers;

  /* The text may stand for a range of keys, which no single action belongs to. */
  if (!gtk_accelerator_parse (accelerator, &key, &modifiers))
    return NULL;
  g_auto (GStrv) names = gtk_application_get_actions_for_accel (application, accelerator);
  if (names[0] != NULL && g_action_parse_detailed_name (names[0], &name, target, NULL))
    return name;
  name = g_strdup (attn_window_find_key (key, modifiers, &argument));
  *target = argument != NULL ? g_variant_ref_sink (g_variant_new_string (argument)) : NULL;
  return name;
}

/* Adds an entry for a line of the window of shortcuts if its action has none from a menu, else adds
 * the first key of the line to that entry. A line whose keys have different actions is left out. */
static void
add_shortcut (AttnWindow *self,
              GPtrArray  *entries,
              GObject    *shortcut)
{
  g_autofree char *title = NULL;
  g_autofree char *accelerators = NULL;
  g_autofree char *action = NULL;
  g_autoptr (GVariant) target = NULL;

  g_object_get (shortcut, "title", &title, "accelerator", &accelerators, NULL);
  g_auto (GStrv) keys = g_strsplit (accelerators != NULL ? accelerators : "", " ", -1);
  for (guint i = 0; keys[i] != NULL; i++)
    {
      g_autoptr (GVariant) own_target = NULL;
      g_autofree char *own = find_action_of_key (self, keys[i], &own_target);

      if (i == 0)
        {
          action = g_steal_pointer (&own);
          target = g_steal_pointer (&own_target);
        }
      else if (own != NULL &&
               (g_strcmp0 (own, action) != 0 ||
                (target != NULL && own_target != NULL && !g_variant_equal (target, own_target))))
        return;
    }
  if (action == NULL || g_str_equal (action, PALETTE))
    return;
  AttnPaletteEntry *entry = find_action (entries, action, target);
  if (entry == NULL)
    entry = add_action (entries, title, NULL, action, target);
  if (entry->key == NULL)
    {
      guint key;
      GdkModifierType modifiers;

      gtk_accelerator_parse (keys[0], &key, &modifiers);
      entry->key = gtk_accelerator_get_label (key, modifiers);
    }
}

static void
add_shortcuts (AttnWindow *self,
               GPtrArray  *entries,
               GtkWidget  *widget)
{
  if (GTK_IS_SHORTCUTS_SHORTCUT (widget))
    add_shortcut (self, entries, G_OBJECT (widget));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    add_shortcuts (self, entries, child);
}

static void
add_actions (AttnWindow *self,
             GPtrArray  *entries)
{
  GMenuModel *menus[] = { self->open_menu, self->primary_menu, self->view_menu, self->cell_menu };

  for (gsize i = 0; i < G_N_ELEMENTS (menus); i++)
    add_menu (entries, menus[i]);

  g_autoptr (GtkBuilder) builder =
      gtk_builder_new_from_resource ("/io/github/attentiongrid/AttentionGrid/help-overlay.ui");
  GObject *shortcuts = gtk_builder_get_object (builder, "help_overlay");
  add_shortcuts (self, entries, GTK_WIDGET (shortcuts));
  gtk_window_destroy (GTK_WINDOW (shortcuts));
}

/* --- Settings in the palette ------------------------------------------------------------------ */

static void
add_control (GPtrArray  *entries,
             GtkWidget  *control,
             const char *title,
             const char *kind,
             int         place,
             gboolean    is_current)
{
  AttnPaletteEntry *entry = attn_palette_entry_new (title, kind);

  entry->control = control;
  entry->place = place;
  entry->is_current = is_current;
  g_ptr_array_add (entries, entry);
}

/* Tells whether a control, a switch or a toggle button, is on. */
static gboolean
is_on (GtkWidget *control)
{
  gboolean active = FALSE;

  if (g_object_class_find_property (G_OBJECT_GET_CLASS (control), "active") != NULL)
    g_object_get (control, "active", &active, NULL);
  return active;
}

/* Returns the word beside the title of an entry for a control without a list of values: for a
 * switch, whether it is on or off. */
static const char *
get_kind (GtkWidget *control,
          int        place)
{
  if (place >= 0 ||
      g_object_class_find_property (G_OBJECT_GET_CLASS (control), "active") == NULL)
    return _("Setting");
  /* Translators: in a list of all settings, a switch */
  return is_on (control) ? _("Setting, on") : _("Setting, off");
}

static void
add_setting (GtkWidget       *control,
             const AttnField *field,
             const char      *name,
             const char      *group,
             gpointer         user_data)
{
  GPtrArray *entries = user_data;
  GListModel *list =
      GTK_IS_DROP_DOWN (control) ? gtk_drop_down_get_model (GTK_DROP_DOWN (control)) : NULL;
  gboolean is_button = GTK_IS_CHECK_BUTTON (control) || GTK_IS_BUTTON (control);

  for (guint i = 0; list != NULL && i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr (GtkStringObject) item = g_list_model_get_item (list, i);
      const char *value = gtk_string_object_get_string (item);
      /* Translators: a setting, and one of its values */
      g_autofree char *title = g_str_has_prefix (value, name)
                                   ? g_strdup (value) /* the value says what it sets: "Layer 2"
                                                       * needs no "Layer:" before it */
                                   : g_strdup_printf (_("%s: %s"), name, value);

      add_control (entries, control, title, _("Setting"), (int) i,
                   i == gtk_drop_down_get_selected (GTK_DROP_DOWN (control)));
    }
  if (list == NULL)
    {
      g_autofree char *title =
          group != NULL ? g_strdup_printf (_("%s: %s"), group, name) : g_strdup (name);

      int place = is_button && field->type == &attn_field_choice ? 0 : -1;

      add_control (entries, control, title, get_kind (control, place), place,
                   place >= 0 && is_on (control));
    }
}

/* Tells whether @entries has a setting of the figure with this name and a list of values. */
static gboolean
has_setting (GPtrArray  *entries,
             const char *name)
{
  g_autofree char *start = g_strdup_printf (_("%s: %s"), name, "");

  for (guint i = 0; i < entries->len; i++)
    {
      const AttnPaletteEntry *entry = g_ptr_array_index (entries, i);

      if (GTK_IS_DROP_DOWN (entry->control) && g_str_has_prefix (entry->title, start))
        return TRUE;
    }
  return FALSE;
}

/* Adds entries for a preference. One that has a list of values gets an entry for each value, unless
 * the figure has a setting of the same name, whose values have entries already. */
static void
add_preference (AttnWindow           *self,
                GPtrArray            *entries,
                const AttnPreference *preference)
{
  const char *heading = attn_preference_get_heading (preference->group);
  g_autofree char *name = attn_mnemonic_drop (_(preference->label));
  const char *word;

  if (preference->names == NULL || has_setting (entries, name))
    {
      add_action (entries, name, heading, "app.preference",
                  g_variant_new ("(si)", preference->id, -1));
      return;
    }
  for (guint i = 0; (word = attn_preference_get_word (preference, i)) != NULL; i++)
    {
      g_autofree char *title = g_strdup_printf (_("%s: %s"), name, word);
      AttnPaletteEntry *entry = add_action (entries, title, heading, "app.preference",
                                            g_variant_new ("(si)", preference->id, (int) i));

      entry->is_current = i == attn_preference_get_chosen (preference, self->settings);
    }
}

static void
add_preferences (AttnWindow *self,
                 GPtrArray  *entries)
{
  gsize n;
  const AttnPreference *preferences = attn_preference_list (&n);

  for (gsize i = 0; self->settings != NULL && i < n; i++)
    if (attn_preference_applies (&preferences[i], self->settings))
      add_preference (self, entries, &preferences[i]);
}

/* --- Places in the palette: inputs, tokens, heads --------------------------------------------- */

static void
add_presets (AttnWindow *self,
             GPtrArray  *entries)
{
  const char *current = attn_session_get_study (self->session)->preset;
  gsize n_presets;
  const AttnPreset *presets = attn_presets_get_all (&n_presets);

  for (gsize i = 0; i < n_presets; i++)
    add_action (entries, _(presets[i].title), _("Preset"), "win.load-preset",
                g_variant_new_string (presets[i].name))
        ->is_current = g_strcmp0 (presets[i].name, current) == 0;
}

static void
add_inputs (AttnWindow *self,
            GPtrArray  *entries)
{
  const GPtrArray *inputs = attn_session_get_study (self->session)->inputs;

  for (guint i = 0; i < inputs->len; i++)
    {
      const AttnInput *input = g_ptr_array_index (inputs, i);
      const char * const *pictures = attn_input_get_pictures (input);
      const char *path = pictures != NULL ? pictures[0] : NULL;
      g_autofree char *name = path != NULL ? g_filename_display_basename (path) : NULL;
      const char *text = name != NULL                ? name
                         : input->text != NULL       ? input->text
                         : input->stands_for != NULL ? input->stands_for
                                                     : "";
      gboolean is_cut = g_utf8_strlen (text, -1) > INPUT_CHARS;
      g_autofree char *start =
          is_cut ? g_utf8_substring (text, 0, INPUT_CHARS) : g_strdup (text);
      g_autofree char *line =
          g_strconcat (g_strdelimit (g_strchomp (start), "\n\r\t", ' '), is_cut ? "…" : "", NULL);
      /* Translators: the number of an input, and how it begins */
      g_autofree char *title = g_strdup_printf (_("Input %u: %s"), i + 1, line);

      add_action (entries, title, NULL, "win.edit-input", g_variant_new_uint32 (i));
    }
}

/* Adds entries for the queries of a figure over a picture that a click on the picture cannot
 * choose: tokens before the patches, or all tokens if the queries are of another sequence than the
 * picture. */
static void
add_queries (AttnWindow *self,
             GPtrArray  *entries)
{
  AttnResult *result = attn_session_get_result (self->session);

  if (result == NULL || !attn_study_get_traits (result->study)->has_grid ||
      !attn_patches_are_shown (result->study, result->model))
    return;
  const AttnModelInfo *info = attn_model_get_info (result->model);
  const AttnTokens *tokens = result->inputs[0];
  gsize n_keys = info->n_leading_tokens + info->n_patch_rows * info->n_patch_columns;
  gsize n_most = !info->takes_picture && tokens->n_tokens == n_keys ? info->n_leading_tokens
                                                                    : MAX_QUERIES;
  for (gsize i = 0, n = 0; i < tokens->n_tokens && n < n_most; i++)
    {
      /* A patch of a picture within a text needs no entry, as it can be clicked. */
      if (info->takes_picture && tokens->tokens[i].id == (guint32) info->image_token)
        continue;
      n++;
      /* Translators: a token that looks at a picture */
      g_autofree char *title = g_strdup_printf (_("Query: %s"), tokens->labels[i]);

      add_action (entries, title, NULL, "win.choose-query", g_variant_new_uint32 ((guint32) i));
    }
}

/* Adds, for each measure of heads, an entry that goes to the head with the largest value. */
static void
add_extreme_heads (GPtrArray *entries)
{
  for (guint i = 0; i < ATTN_N_HEAD_MEASURES; i++)
    {
      const char *title = attn_window_get_extreme_title ((AttnHeadMeasure) i);

      if (title != NULL)
        add_action (entries, title, _("Head"), "win.go-to-extreme-head",
                    g_variant_new_string (attn_head_measure_names[i]));
    }
}

/* Returns an entry that goes to a typed layer and head, such as "L2 H3", or %NULL if the text names
 * none. */
static AttnPaletteEntry *
read_place (const char *typed,
            gpointer    user_data)
{
  AttnWindow *self = user_data;
  AttnResult *result = attn_session_get_result (self->session);
  int layer, head;

  if (result == NULL || !attn_study_get_traits (result->study)->has_grid ||
      !attn_head_place_parse (typed, attn_model_get_info (result->model), &layer, &head, NULL))
    return NULL;

  g_autofree char *title =
      layer == ATTN_HEAD_PLACE_SAME  ? g_strdup_printf (_("Head %d"), head)
      : head == ATTN_HEAD_PLACE_SAME ? g_strdup_printf (_("Layer %d"), layer)
                                     : g_strdup_printf (_("Layer %d, head %d"), layer, head);
  AttnPaletteEntry *entry = attn_palette_entry_new (title, NULL);
  entry->action = g_strdup ("win.go-to-head");
  entry->target = g_variant_ref_sink (g_variant_new ("(ii)", layer, head));
  return entry;
}

/* --- Other words for entries of the palette --------------------------------------------------- */

/* Other words by which an entry is found, beside its title; @id is the id of the entry. */
static const struct
{
  const char *id;
  const char *words;
} synonyms[] = {
  /* Translators: words that find “Patch” in a list of actions, separated by spaces */
  { "operation:patch=0", N_("swap exchange replace") },
  { "win.baseline", N_("Baseline") },
  /* Translators: words that find the number of ε in a list of actions, separated by spaces */
  { "win.type-epsilon", N_("epsilon ε") },
  /* Translators: words that find “Scale” in a list of actions, separated by spaces */
  { "operation:scale=0", N_("epsilon ε factor") },
  /* Translators: words that find “Export Figure…” in a list of actions, separated by spaces */
  { "win.export", N_("save picture image web page HTML SVG PDF PNG numbers CSV") },
};

static void
add_synonyms (GPtrArray *entries)
{
  for (guint i = 0; i < entries->len; i++)
    {
      AttnPaletteEntry *entry = g_ptr_array_index (entries, i);
      g_autofree char *id = attn_palette_entry_get_id (entry);

      for (gsize k = 0; k < G_N_ELEMENTS (synonyms); k++)
        if (g_str_equal (synonyms[k].id, id))
          entry->words = _(synonyms[k].words);
    }
}

/* --- The palette of actions ------------------------------------------------------------------- */

static GPtrArray *
list_entries (AttnWindow *self)
{
  GPtrArray *entries =
      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_palette_entry_free);

  add_actions (self, entries);
  add_presets (self, entries);
  add_extreme_heads (entries);
  add_inputs (self, entries);
  add_queries (self, entries);
  /* The settings added here are actions that are in no menu. */
  add_action (entries, _("Show the baseline in every panel"), _("Setting"), "win.baseline", NULL)
      ->key = g_strdup ("B");
  g_autofree char *special_tokens = attn_mnemonic_drop (_("_Special tokens"));
  add_action (entries, special_tokens, _("Setting"), "win.special-tokens", NULL);
  attn_binder_foreach (attn_strip_get_binder (self->strip), add_setting, entries);
  attn_binder_foreach (attn_sidebar_get_binder (attn_window_get_sidebar (self)), add_setting,
                       entries);
  add_preferences (self, entries);
  add_synonyms (entries);
  return entries;
}

static void
open_palette (AttnWindow *self)
{
  const GdkRectangle place = { gtk_widget_get_width (GTK_WIDGET (self->view)) / 2, 0, 1, 1 };

  attn_palette_open (GTK_WIDGET (self->view), &place, list_entries (self), read_place, self,
                     self->settings);
}

static void
load_preset (AttnWindow *self,
             GVariant   *name)
{
  attn_window_load_preset (self, g_variant_get_string (name, NULL));
}

static void
edit_input (AttnWindow *self,
            GVariant   *index)
{
  attn_inputs_section_focus (attn_window_get_inputs (self),
                             g_variant_get_uint32 (index), TRUE);
}

static void
choose_query (AttnWindow *self,
              GVariant   *query)
{
  attn_window_choose_query (self, g_variant_get_uint32 (query));
}

/**
 * attn_window_add_palette:
 *
 * Adds the action that opens the palette, and the actions that have an entry in the palette only.
 */
void
attn_window_add_palette (AttnWindow *self)
{
  static const AttnAction actions[] = {
    { "palette", G_CALLBACK (open_palette) },
    { "load-preset", G_CALLBACK (load_preset), "s" },
    { "edit-input", G_CALLBACK (edit_input), "u" },
    { "choose-query", G_CALLBACK (choose_query), "u" },
  };

  attn_actions_add (self, actions, G_N_ELEMENTS (actions), self);
}
