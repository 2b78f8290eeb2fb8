/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The palette: what is listed, what is found, and that choosing does it. */

#include "config.h"

#include "attn-head-map.h"
#include "attn-palette-match.h"
#include "attn-palette.h"
#include "attn-preference.h"
#include "attn-preferences.h"

#include "window-fixture.h"

/* --- Words ------------------------------------------------------------------------------------ */

static void
test_match_wants_every_word (void)
{
  g_assert_cmpuint (attn_palette_match ("zoom in", "Zoom In"), >, 0);
  g_assert_cmpuint (attn_palette_match ("in zoom", "Zoom In"), >, 0);
  g_assert_cmpuint (attn_palette_match ("zoom rose", "Zoom In"), ==, 0);
  g_assert_cmpuint (attn_palette_match ("", "Zoom In"), ==, 1);
  g_assert_cmpuint (attn_palette_match ("  ", "Zoom In"), ==, 1);
}

static void
test_match_prefers_words_to_parts (void)
{
  guint word = attn_palette_match ("rank", "Rank of a head");
  guint start = attn_palette_match ("rank", "Ranking");
  guint inside = attn_palette_match ("rank", "Franks");
  guint in_one = attn_palette_match ("color", "Map of colours");
  guint letters = attn_palette_match ("rank", "Read a new book");

  g_assert_cmpuint (word, >, start);
  g_assert_cmpuint (start, >, inside);
  g_assert_cmpuint (inside, >, in_one);
  g_assert_cmpuint (in_one, >, letters);
  g_assert_cmpuint (letters, >, 0);
  g_assert_cmpuint (attn_palette_match ("color", "First column, beside others"), ==, letters);
  /* Two letters are in nearly every name. */
  g_assert_cmpuint (attn_palette_match ("rk", "Rank"), ==, 0);
  g_assert_cmpuint (inside, >=, ATTN_PALETTE_CLEAR);
  g_assert_cmpuint (in_one, >=, ATTN_PALETTE_CLEAR);
  g_assert_cmpuint (letters, <, ATTN_PALETTE_CLEAR);
}

/* What begins with it is what was meant. */
static void
test_match_prefers_the_plain (void)
{
  guint first = attn_palette_match ("layer", "Layer 1");

  g_assert_cmpuint (first, >, attn_palette_match ("layer", "Type layer and head"));
  g_assert_cmpuint (attn_palette_match ("layer", "Type layer and head"), >,
                    attn_palette_match ("layer", "Layers"));
}

static void
test_match_folds_letters_of_any_language (void)
{
  g_assert_cmpuint (attn_palette_match ("GRÖSSE", "größe"), >, 0);
  g_assert_cmpuint (attn_palette_match ("e\xcc\x81t\xc3\xa9", "\xc3\x89t\xc3\xa9"), >, 0);
  g_assert_cmpuint (attn_palette_match ("色", "配色"), >, 0);
  /* Accents need not be typed; other marks make other letters. */
  g_assert_cmpuint (attn_palette_match ("tete", "Tête"), ==, attn_palette_match ("tête", "Tête"));
  g_assert_cmpuint (attn_palette_match ("operacion", "Operación"), >, 0);
  g_assert_cmpuint (attn_palette_match ("ヘット", "ヘッド"), ==, 0);
}

/* --- Order ------------------------------------------------------------------------------------ */

static GPtrArray *
make_entries (const char * const *titles)
{
  GPtrArray *entries =
      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_palette_entry_free);

  for (gsize i = 0; titles[i] != NULL; i++)
    {
      AttnPaletteEntry *entry = attn_palette_entry_new (titles[i], NULL);

      entry->action = g_strdelimit (g_strdup (titles[i]), " ", '-');
      g_ptr_array_add (entries, entry);
    }
  return entries;
}

static void
test_last_used_comes_first_of_equals (void)
{
  const char *titles[] = { "Zoom In", "Zoom Out", "Zoomed", "Fit", NULL };
  const char *none[] = { NULL };
  const char *recent[] = { "Zoom-Out", "Zoomed", NULL };
  g_autoptr (GPtrArray) entries = make_entries (titles);
  g_autoptr (GPtrArray) before = attn_palette_sort (entries, "zoom", none);
  g_autoptr (GPtrArray) after = attn_palette_sort (entries, "zoom", recent);

  g_assert_cmpuint (before->len, ==, 3);
  g_assert_true (before->pdata[0] == entries->pdata[0]);
  g_assert_true (before->pdata[1] == entries->pdata[1]);
  g_assert_true (after->pdata[0] == entries->pdata[1]);
  g_assert_true (after->pdata[1] == entries->pdata[0]);
  /* A better match stands before what was used. */
  g_assert_true (after->pdata[2] == entries->pdata[2]);
}

/* Letters here and there find what has no better match, and are noise beside one. */
static void
test_scattered_letters_are_the_last_resort (void)
{
  const char *titles[] = { "Theme dark", "Let the model go on", NULL };
  const char *none[] = { NULL };
  g_autoptr (GPtrArray) entries = make_entries (titles);
  g_autoptr (GPtrArray) plain = attn_palette_sort (entries, "theme", none);
  g_autoptr (GPtrArray) scattered = attn_palette_sort (entries, "tmdl", none);

  g_assert_cmpuint (plain->len, ==, 1);
  g_assert_cmpuint (scattered->len, ==, 1);
  g_assert_true (scattered->pdata[0] == entries->pdata[1]);
}

/* --- In the window ---------------------------------------------------------------------------- */

static GtkWidget *
find_palette (GtkWidget *root)
{
  GtkWidget *found = gtk_widget_has_css_class (root, "palette") ? root : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_palette (child);
  return found;
}

/* Opens the palette and types. */
static GtkWidget *
type (const char *text)
{
  WAIT_UNTIL (find_palette (GTK_WIDGET (window)) == NULL);
  activate ("palette");
  GtkWidget *palette = find_palette (GTK_WIDGET (window));

  g_assert_nonnull (palette);
  gtk_editable_set_text (GTK_EDITABLE (find_widget (palette, GTK_TYPE_SEARCH_ENTRY)), text);
  return palette;
}

static const char *
get_first_title (GtkWidget *palette)
{
  GtkListBox *list = GTK_LIST_BOX (find_widget (palette, GTK_TYPE_LIST_BOX));
  GtkListBoxRow *row = gtk_list_box_get_row_at_index (list, 0);

  return row != NULL
             ? gtk_label_get_text (GTK_LABEL (find_widget (GTK_WIDGET (row), GTK_TYPE_LABEL)))
             : NULL;
}

/* Chooses the first that @text finds. */
static void
choose (const char *text,
        const char *title)
{
  GtkWidget *palette = type (text);

  g_assert_cmpstr (get_first_title (palette), ==, title);
  g_signal_emit_by_name (find_widget (palette, GTK_TYPE_SEARCH_ENTRY), "activate");
  WAIT_UNTIL (!attn_session_is_busy (window->session));
}

static void
test_place_is_typed (gpointer      *fixture,
                     gconstpointer  data)
{
  choose ("L2 H1", "Layer 2, head 1");
  g_assert_cmpint (get_shown_study ()->layer, ==, 2);
  g_assert_cmpint (get_shown_study ()->head, ==, 1);
  choose ("L1", "Layer 1");
  g_assert_cmpint (get_shown_study ()->layer, ==, 1);
}

static guint
count_titles (GtkWidget  *palette,
              const char *title)
{
  GtkListBox *list = GTK_LIST_BOX (find_widget (palette, GTK_TYPE_LIST_BOX));
  GtkListBoxRow *row;
  guint n = 0;

  for (int i = 0; (row = gtk_list_box_get_row_at_index (list, i)) != NULL; i++)
    n += g_str_equal (gtk_label_get_text (GTK_LABEL (find_widget (row, GTK_TYPE_LABEL))), title);
  return n;
}

/* Layers and heads have names, too; one that is typed as a place stands there once. */
static void
test_place_is_named (gpointer      *fixture,
                     gconstpointer  data)
{
  choose ("layer 2", "Layer 2");
  g_assert_cmpint (get_shown_study ()->layer, ==, 2);
  choose ("head 3", "Head 3");
  g_assert_cmpint (get_shown_study ()->head, ==, 3);
  g_assert_cmpint (get_shown_study ()->layer, ==, 2);
  GtkWidget *palette = type ("3");
  g_assert_cmpuint (count_titles (palette, "Head 3"), ==, 1);
  gtk_popover_popdown (GTK_POPOVER (palette));
}

/* Each row is told by what it is, not by its class. */
static void
test_rows_have_names (gpointer      *fixture,
                      gconstpointer  data)
{
  GtkWidget *palette = type ("");
  GtkListBox *list = GTK_LIST_BOX (find_widget (palette, GTK_TYPE_LIST_BOX));
  GtkListBoxRow *row;
  int n = 0;

  for (; (row = gtk_list_box_get_row_at_index (list, n)) != NULL; n++)
    {
      const char *title = gtk_label_get_text (GTK_LABEL (find_widget (row, GTK_TYPE_LABEL)));
      g_autofree char *name = gtk_test_accessible_check_property (
          GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, "?");

      g_assert_cmpstr (title, !=, "");
      g_assert_true (name != NULL && strstr (name, title) != NULL);
      g_assert_null (strchr (title, '_'));
    }
  g_assert_cmpint (n, >, 20);
  gtk_popover_popdown (GTK_POPOVER (palette));
}

static void
test_extreme_head_is_that_of_the_map (gpointer      *fixture,
                                      gconstpointer  data)
{
  choose ("most induction", "Most induction-like head");
  WAIT_UNTIL (window->extreme_measure < 0 && !attn_session_is_busy (window->session));

  const AttnHeadMap *map = attn_session_get_head_map (window->session);
  const double *values = map->values[ATTN_HEAD_MEASURE_INDUCTION];
  gsize shown = (gsize) get_shown_study ()->layer * map->n_heads + (gsize) get_shown_study ()->head;
  for (gsize head = 0; head < map->n_layers * map->n_heads; head++)
    g_assert_false (values[head] > values[shown]);
  g_assert_true (g_str_has_prefix (window->note, "Most induction-like head: L"));
}

static void
test_settings_are_chosen (gpointer      *fixture,
                          gconstpointer  data)
{
  choose ("scale logarithmic", "Scale: Logarithmic");
  g_assert_cmpint (get_shown_study ()->style.scale, ==, ATTN_SCALE_LOG);
  gboolean acted_on_shown_head = get_shown_study ()->acts_on_shown_head;
  choose ("in this head only", "In this head only");
  g_assert_cmpint (get_shown_study ()->acts_on_shown_head, !=, acted_on_shown_head);
  choose ("mean over token", "Mean over: Tokens");
  g_assert_cmpint (get_shown_study ()->axis, ==, ATTN_AXIS_TOKEN);
  /* What is chosen already stays so. */
  choose ("mean over token", "Mean over: Tokens");
  g_assert_cmpint (get_shown_study ()->axis, ==, ATTN_AXIS_TOKEN);
  gboolean had_values = get_shown_study ()->style.shows_values;
  choose ("numbers cells", "Numbers in the cells");
  g_assert_cmpint (get_shown_study ()->style.shows_values, !=, had_values);
  gboolean had_special_tokens = get_shown_study ()->adds_special_tokens;
  choose ("special", "Special tokens");
  g_assert_cmpint (get_shown_study ()->adds_special_tokens, !=, had_special_tokens);
  choose ("baseline column", "Baseline as a column");
  g_assert_true (get_shown_study ()->has_baseline_column);
}

/* The first that @text finds. */
static void
assert_titles (const char         *text,
               const char * const *titles)
{
  GtkWidget *palette = type (text);
  GtkListBox *list = GTK_LIST_BOX (find_widget (palette, GTK_TYPE_LIST_BOX));

  for (int i = 0; titles[i] != NULL; i++)
    {
      GtkListBoxRow *row = gtk_list_box_get_row_at_index (list, i);

      g_assert_nonnull (row);
      g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (find_widget (row, GTK_TYPE_LABEL))), ==,
                       titles[i]);
    }
  gtk_popover_popdown (GTK_POPOVER (palette));
}

/* What one calls a thing finds it, whatever the window calls it, before what has the word, too. */
static void
test_other_words_find_it (gpointer      *fixture,
                          gconstpointer  data)
{
  const char *patch[] = { "Patch", NULL };
  const char *baseline[] = { "Show the baseline in every panel",
                             "Baseline as a column", NULL };
  const char *epsilon[] = { "Type ε", "Epsilon", "Scale", NULL };
  const char *sign[] = { "Type ε", "Scale", NULL };
  const char *export[] = { "Export Figure…", NULL };

  g_settings_reset (window->settings, "palette-recent"); /* what was used last comes first */
  assert_titles ("swap", patch);
  assert_titles ("exchange", patch);
  assert_titles ("baseline", baseline);
  assert_titles ("epsilon", epsilon);
  assert_titles ("ε", sign);
  assert_titles ("html", export);
  assert_titles ("web page", export);
  assert_titles ("export page", export);
  choose ("baseline", "Show the baseline in every panel");
  g_assert_true (attn_window_shows_baseline (window));
}

/* What the list beside the figure shows of @control. */
static gboolean
is_in_sight (GtkWidget *control)
{
  GtkWidget *viewport = gtk_widget_get_ancestor (control, GTK_TYPE_VIEWPORT);
  graphene_rect_t bounds;

  return viewport != NULL && gtk_widget_get_mapped (control) &&
         gtk_widget_compute_bounds (control, viewport, &bounds) && bounds.size.height > 0 &&
         bounds.origin.y >= 0 &&
         bounds.origin.y + bounds.size.height <= gtk_widget_get_height (viewport);
}

/* Also one in a section that was folded until then. It stays so: a list that slides to where the
 * field was has come to rest by the last of these frames. */
static void
test_chosen_field_is_in_sight (gpointer      *fixture,
                               gconstpointer  data)
{
  gpointer more = find_id (window, "more");
  GtkWidget *caption = find_id (gtk_expander_get_child (more), "caption");

  gtk_expander_set_expanded (more, FALSE);
  choose ("caption text", "Caption text");
  g_assert_true (gtk_expander_get_expanded (more));
  for (int i = 0; i < 30; i++)
    {
      gtk_widget_queue_draw (caption);
      gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
    }
  WAIT_UNTIL (is_in_sight (caption));
  g_assert_true (gtk_root_get_focus (GTK_ROOT (window)) ==
                 GTK_WIDGET (gtk_editable_get_delegate (GTK_EDITABLE (caption))));
}

static gboolean
is_marked (GtkWidget  *palette,
           const char *title)
{
  GtkListBox *list = GTK_LIST_BOX (find_widget (palette, GTK_TYPE_LIST_BOX));
  GtkListBoxRow *row;

  for (int i = 0; (row = gtk_list_box_get_row_at_index (list, i)) != NULL; i++)
    if (g_str_equal (gtk_label_get_text (GTK_LABEL (find_widget (row, GTK_TYPE_LABEL))), title))
      return find_widget (row, GTK_TYPE_IMAGE) != NULL;
  g_assert_not_reached ();
}

/* Of what excludes one another the one that is chosen has a mark. */
static void
test_current_is_marked (gpointer      *fixture,
                        gconstpointer  data)
{
  choose ("colour map viridis", "Colour map: viridis");
  GtkWidget *palette = type ("colour map");
  g_assert_true (is_marked (palette, "Colour map: viridis"));
  g_assert_false (is_marked (palette, "Colour map: magma"));
  /* Of new studies it is one entry. */
  g_assert_cmpuint (count_titles (palette, "Colour map: magma"), ==, 1);
  g_assert_cmpuint (count_titles (palette, "Colour map"), ==, 1);
  gtk_popover_popdown (GTK_POPOVER (palette));
  palette = type ("preset");
  g_assert_true (is_marked (palette, "Mean Operation"));
  g_assert_false (is_marked (palette, "Epsilon"));
  gtk_popover_popdown (GTK_POPOVER (palette));
  palette = type ("theme");
  g_assert_true (is_marked (palette, "Theme: System default"));
  g_assert_false (is_marked (palette, "Theme: Dark"));
  gtk_popover_popdown (GTK_POPOVER (palette));
  choose ("layer 2", "Layer 2");
  palette = type ("layer");
  g_assert_true (is_marked (palette, "Layer 2"));
  g_assert_false (is_marked (palette, "Layer 1"));
  gtk_popover_popdown (GTK_POPOVER (palette));
}

/* A theme is chosen where one is: nothing opens. */
static void
test_theme_is_chosen (gpointer      *fixture,
                      gconstpointer  data)
{
  guint n_windows = g_list_model_get_n_items (gtk_window_get_toplevels ());

  choose ("theme dark", "Theme: Dark");
  g_autofree char *scheme = g_settings_get_string (window->settings, "color-scheme");
  g_assert_cmpstr (scheme, ==, "dark");
  g_assert_cmpuint (g_list_model_get_n_items (gtk_window_get_toplevels ()), ==, n_windows);
  g_settings_reset (window->settings, "color-scheme");
}

/* Preferences are listed, a list's with its values; what is gone to has the focus and its value. */
static void
test_preferences_are_listed (gpointer      *fixture,
                             gconstpointer  data)
{
  GtkWidget *palette = type ("dark");
  GtkWindow *preferences = GTK_WINDOW (attn_preferences_new (NULL, window->settings));

  g_assert_cmpstr (get_first_title (palette), ==, "Theme: Dark");
  gtk_popover_popdown (GTK_POPOVER (palette));
  palette = type ("font");
  g_assert_cmpstr (get_first_title (palette), ==, "Font");
  gtk_popover_popdown (GTK_POPOVER (palette));

  gtk_window_present (preferences);
  attn_preference_choose (attn_preference_find ("scheme"), window->settings, 2);
  g_assert_cmpuint (gtk_drop_down_get_selected (find_id (preferences, "scheme")), ==, 2);
  gtk_drop_down_set_selected (find_id (preferences, "scheme"), 0);
  g_autofree char *scheme = g_settings_get_string (window->settings, "color-scheme");
  g_assert_cmpstr (scheme, ==, "system");
  attn_preferences_go_to (ATTN_PREFERENCES (preferences), "font");
  g_assert_true (gtk_widget_is_ancestor (gtk_window_get_focus (preferences),
                                         find_id (preferences, "font")));
  gtk_window_destroy (preferences);
}

static void
test_preset_is_chosen (gpointer      *fixture,
                       gconstpointer  data)
{
  choose ("epsilon preset", "Epsilon");
  g_assert_cmpstr (get_shown_study ()->preset, ==, "epsilon");
}

static void
test_nothing_found_does_nothing (gpointer      *fixture,
                                 gconstpointer  data)
{
  GtkWidget *palette = type ("xyzzy");

  g_assert_null (get_first_title (palette));
  g_signal_emit_by_name (find_widget (palette, GTK_TYPE_SEARCH_ENTRY), "activate");
  g_assert_true (gtk_widget_get_mapped (palette));
  gtk_popover_popdown (GTK_POPOVER (palette));
}

/* Types, and returns the size that the palette then needs. */
static GtkRequisition
measure_with (GtkWidget  *palette,
              const char *text)
{
  GtkWidget *content = gtk_popover_get_child (GTK_POPOVER (palette));
  GtkRequisition size;

  gtk_editable_set_text (GTK_EDITABLE (find_widget (palette, GTK_TYPE_SEARCH_ENTRY)), text);
  gtk_widget_get_preferred_size (content, NULL, &size);
  WAIT_UNTIL (gtk_widget_get_height (content) == size.height);
  g_assert_cmpint (gtk_widget_get_width (content), ==, size.width);
  return size;
}

/* The palette is as high as its hits need, and as wide as before, whatever is found. */
static void
test_height_is_that_of_the_hits (gpointer      *fixture,
                                 gconstpointer  data)
{
  GtkWidget *palette = type ("");
  GtkRequisition all = measure_with (palette, "");
  GtkRequisition one = measure_with (palette, "epsilon preset");
  GtkWidget *row = find_widget (find_widget (palette, GTK_TYPE_LIST_BOX), GTK_TYPE_LIST_BOX_ROW);
  int row_height = gtk_widget_get_height (row);
  g_assert_cmpint (row_height, >, 0);
  GtkRequisition few = measure_with (palette, "zoom");
  GtkRequisition none = measure_with (palette, "xyzzy");
  GtkLabel *words = find_label (palette, "Nothing has this name");

  g_assert_cmpint (all.height, <=, 380);
  g_assert_cmpint (all.height, >, 300);
  g_assert_cmpint (one.height, <, few.height);
  g_assert_cmpint (few.height, <, all.height);
  g_assert_cmpint (one.height, <=, all.height - 5 * row_height);
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (words)));
  g_assert_cmpint (none.height, <, few.height);
  g_assert_cmpint (none.height, >=, one.height - row_height);
  g_assert_cmpint (one.width, ==, all.width);
  g_assert_cmpint (few.width, ==, all.width);
  g_assert_cmpint (none.width, ==, all.width);
  gtk_popover_popdown (GTK_POPOVER (palette));
}

/* An input's text is told from its beginning; that it goes on is said. */
static void
test_long_input_is_cut_with_dots (gpointer      *fixture,
                                  gconstpointer  data)
{
  GtkWidget *palette = type ("input 1");

  g_assert_cmpstr (get_first_title (palette), ==,
                   "Input 1: A rose is a rose, and a red rose is a ro…");
  gtk_popover_popdown (GTK_POPOVER (palette));

  AttnStudy *study = attn_study_copy (get_shown_study ());
  AttnInput *input = study->inputs->pdata[0];
  g_free (input->text);
  input->text = g_strdup ("A rose is a rose, and a red rose is all.");
  attn_session_edit (window->session, study, NULL);
  wait_for_figure (window);
  palette = type ("input 1");
  g_assert_cmpstr (get_first_title (palette), ==,
                   "Input 1: A rose is a rose, and a red rose is all.");
  gtk_popover_popdown (GTK_POPOVER (palette));
}

static void
test_what_was_chosen_comes_first (gpointer      *fixture,
                                  gconstpointer  data)
{
  choose ("zoom in", "Zoom In");
  g_assert_cmpstr (get_first_title (type ("")), ==, "Zoom In");
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  application = fixture_new_application ();
  g_test_add_func ("/app/palette/match-wants-every-word", test_match_wants_every_word);
  g_test_add_func ("/app/palette/match-prefers-words-to-parts", test_match_prefers_words_to_parts);
  g_test_add_func ("/app/palette/match-folds-letters-of-any-language",
                   test_match_folds_letters_of_any_language);
  g_test_add_func ("/app/palette/match-prefers-the-plain", test_match_prefers_the_plain);
  g_test_add_func ("/app/palette/scattered-letters-are-the-last-resort",
                   test_scattered_letters_are_the_last_resort);
  g_test_add_func ("/app/palette/last-used-comes-first-of-equals",
                   test_last_used_comes_first_of_equals);
#define ADD(name, function) ADD_TO ("/app/palette/", name, NULL, function)
  ADD ("place-is-typed", test_place_is_typed);
  ADD ("long-input-is-cut-with-dots", test_long_input_is_cut_with_dots);
  ADD ("place-is-named", test_place_is_named);
  ADD ("rows-have-names", test_rows_have_names);
  ADD ("extreme-head-is-that-of-the-map", test_extreme_head_is_that_of_the_map);
  ADD ("settings-are-chosen", test_settings_are_chosen);
  ADD ("other-words-find-it", test_other_words_find_it);
  ADD ("chosen-field-is-in-sight", test_chosen_field_is_in_sight);
  ADD ("current-is-marked", test_current_is_marked);
  ADD ("theme-is-chosen", test_theme_is_chosen);
  ADD ("preferences-are-listed", test_preferences_are_listed);
  ADD ("preset-is-chosen", test_preset_is_chosen);
  ADD ("nothing-found-does-nothing", test_nothing_found_does_nothing);
  ADD ("height-is-that-of-the-hits", test_height_is_that_of_the_hits);
  ADD ("what-was-chosen-comes-first", test_what_was_chosen_comes_first);
  return fixture_run (application);
}
