/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A font is chosen by its family and its size, each alone. */

#include "config.h"

#include <glib/gstdio.h>

#include "app-fixture.h"
#include "attn-application.h"
#include "attn-font-row.h"

#define SLANTED "DejaVu Sans Mono"

/* Roman faces of SLANTED are not there for the program. */
static const char fonts_conf[] =
    "<fontconfig><include>/etc/fonts/fonts.conf</include><selectfont><rejectfont><pattern>"
    "<patelt name=\"family\"><string>" SLANTED "</string></patelt>"
    "<patelt name=\"slant\"><const>roman</const></patelt>"
    "</pattern></rejectfont></selectfont></fontconfig>";

typedef struct
{
  GtkWidget *window;
  AttnFontRow *row;
  GtkMenuButton *button;
  GtkWidget *list;
  GtkWidget *search;
  GtkSpinButton *size;
  guint n_changed;
} Fixture;

static void
changed_cb (Fixture *fixture)
{
  fixture->n_changed++;
}

static void
fixture_set_up (Fixture       *fixture,
                gconstpointer  nothing)
{
  GtkWidget *row = g_object_new (ATTN_TYPE_FONT_ROW, NULL);

  fixture->window = gtk_window_new ();
  fixture->row = ATTN_FONT_ROW (row);
  fixture->button = find_widget (row, GTK_TYPE_MENU_BUTTON);
  fixture->list = find_widget (row, GTK_TYPE_LIST_BOX);
  fixture->search = find_widget (row, GTK_TYPE_SEARCH_ENTRY);
  fixture->size = find_widget (row, GTK_TYPE_SPIN_BUTTON);
  attn_font_row_set_font (fixture->row, "DejaVu Sans", 6.3);
  g_signal_connect_swapped (row, "changed", G_CALLBACK (changed_cb), fixture);
  gtk_window_set_child (GTK_WINDOW (fixture->window), row);
  gtk_window_present (GTK_WINDOW (fixture->window));
  iterate ();
}

static void
fixture_tear_down (Fixture       *fixture,
                   gconstpointer  nothing)
{
  gtk_window_destroy (GTK_WINDOW (fixture->window));
  iterate ();
}

static const char *
get_shown (Fixture *fixture)
{
  return gtk_label_get_label (GTK_LABEL (gtk_menu_button_get_child (fixture->button)));
}

/* Returns: (nullable): the row of @family in the list, which is opened */
static GtkListBoxRow *
find_family (Fixture    *fixture,
             const char *family)
{
  GtkListBox *list = GTK_LIST_BOX (fixture->list);
  GtkListBoxRow *row;
  int i = 0;

  gtk_menu_button_popup (fixture->button);
  iterate ();
  while ((row = gtk_list_box_get_row_at_index (list, i)) != NULL &&
         !g_str_equal (gtk_label_get_label (GTK_LABEL (gtk_list_box_row_get_child (row))), family))
    i++;
  return row;
}

static void
activate (Fixture       *fixture,
          GtkListBoxRow *row)
{
  g_assert_nonnull (row);
  g_signal_emit_by_name (fixture->list, "row-activated", row);
  iterate ();
}

static void
test_shows_what_is_set (Fixture       *fixture,
                        gconstpointer  nothing)
{
  g_assert_cmpstr (get_shown (fixture), ==, "DejaVu Sans");
  g_assert_cmpfloat (gtk_spin_button_get_value (fixture->size), ==, 6.3);
  attn_font_row_set_font (fixture->row, "DejaVu Serif", 8);
  g_assert_cmpstr (get_shown (fixture), ==, "DejaVu Serif");
  g_assert_cmpfloat (gtk_spin_button_get_value (fixture->size), ==, 8);
  g_assert_cmpuint (fixture->n_changed, ==, 0);
}

static void
test_size_changes_alone (Fixture       *fixture,
                         gconstpointer  nothing)
{
  gtk_spin_button_set_value (fixture->size, 7.5);
  g_assert_cmpuint (fixture->n_changed, ==, 1);
  g_assert_cmpfloat (attn_font_row_get_size (fixture->row), ==, 7.5);
  g_assert_cmpstr (attn_font_row_get_family (fixture->row), ==, "DejaVu Sans");
}

/* 9.75 is shown with one digit. */
static void
test_family_changes_alone (Fixture       *fixture,
                           gconstpointer  nothing)
{
  attn_font_row_set_font (fixture->row, "DejaVu Sans", 9.75);
  activate (fixture, find_family (fixture, "DejaVu Serif"));
  g_assert_cmpuint (fixture->n_changed, ==, 1);
  g_assert_cmpstr (attn_font_row_get_family (fixture->row), ==, "DejaVu Serif");
  g_assert_cmpfloat (attn_font_row_get_size (fixture->row), ==, 9.75);
}

/* A study from another machine. */
static void
test_absent_family_is_kept (Fixture       *fixture,
                            gconstpointer  nothing)
{
  attn_font_row_set_font (fixture->row, "No Such Family", 9);
  g_assert_cmpstr (get_shown (fixture), ==, "No Such Family");
  gtk_spin_button_set_value (fixture->size, 10);
  g_assert_cmpstr (attn_font_row_get_family (fixture->row), ==, "No Such Family");
}

/* As Z003 is; the dialog of GTK 4.8 ended the program there. */
static void
test_family_without_upright_face (Fixture       *fixture,
                                  gconstpointer  nothing)
{
  activate (fixture, find_family (fixture, SLANTED));
  g_assert_cmpstr (attn_font_row_get_family (fixture->row), ==, SLANTED);
}

static void
test_list_begins_at_what_is_set (Fixture       *fixture,
                                 gconstpointer  nothing)
{
  GtkListBoxRow *row = find_family (fixture, "DejaVu Sans");

  g_assert_true (gtk_list_box_row_is_selected (row));
  /* Once the list is laid out. */
  WAIT_UNTIL (gtk_window_get_focus (GTK_WINDOW (fixture->window)) == GTK_WIDGET (row));
}

static void
test_search_finds_part_of_name (Fixture       *fixture,
                                gconstpointer  nothing)
{
  GtkListBoxRow *serif = find_family (fixture, "DejaVu Serif");
  GtkListBoxRow *sans = find_family (fixture, "DejaVu Sans");

  gtk_editable_set_text (GTK_EDITABLE (fixture->search), "vu seri");
  iterate ();
  g_assert_true (gtk_widget_get_child_visible (GTK_WIDGET (serif)));
  g_assert_false (gtk_widget_get_child_visible (GTK_WIDGET (sans)));
  g_signal_emit_by_name (fixture->search, "activate");
  g_assert_cmpstr (get_shown (fixture), ==, "DejaVu Serif");
  g_assert_cmpuint (fixture->n_changed, ==, 1);

  /* The next time all are there. */
  gtk_menu_button_popup (fixture->button);
  iterate ();
  g_assert_true (gtk_widget_get_child_visible (GTK_WIDGET (sans)));
}

/* The first is selected while one types. */
static void
test_arrows_go_on_from_search (Fixture       *fixture,
                               gconstpointer  nothing)
{
  GtkListBoxRow *sans = find_family (fixture, "DejaVu Sans");
  GtkListBoxRow *mono = find_family (fixture, SLANTED);
  g_autoptr (GPtrArray) keys = find_controllers (fixture->search, GTK_TYPE_EVENT_CONTROLLER_KEY);
  gboolean is_handled = FALSE;

  gtk_editable_set_text (GTK_EDITABLE (fixture->search), "dejavu s");
  iterate ();
  g_assert_true (gtk_list_box_row_is_selected (sans));
  for (guint i = 0; i < keys->len && !is_handled; i++)
    g_signal_emit_by_name (keys->pdata[i], "key-pressed", GDK_KEY_Down, 0, 0, &is_handled);
  g_assert_true (is_handled);
  g_assert_true (gtk_list_box_row_is_selected (mono));
  g_assert_true (gtk_widget_is_focus (GTK_WIDGET (mono)));

  /* Up once more than there are rows leads back. */
  for (guint i = 0; i < 2; i++)
    g_signal_emit_by_name (fixture->list, "move-cursor", GTK_MOVEMENT_DISPLAY_LINES, -1, FALSE,
                           FALSE);
  g_assert_true (gtk_widget_is_ancestor (gtk_window_get_focus (GTK_WINDOW (fixture->window)),
                                         fixture->search));
}

/* Return is no answer to a search that found none. */
static void
test_search_in_vain_keeps_it (Fixture       *fixture,
                              gconstpointer  nothing)
{
  find_family (fixture, "DejaVu Serif");
  gtk_editable_set_text (GTK_EDITABLE (fixture->search), "no such family");
  iterate ();
  g_signal_emit_by_name (fixture->search, "activate");
  g_assert_cmpstr (attn_font_row_get_family (fixture->row), ==, "DejaVu Sans");
  g_assert_cmpuint (fixture->n_changed, ==, 0);
}

static void
test_has_names_for_assistive_technology (Fixture       *fixture,
                                         gconstpointer  nothing)
{
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (fixture->button),
                                       GTK_ACCESSIBLE_PROPERTY_LABEL, "Font");
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (fixture->size),
                                       GTK_ACCESSIBLE_PROPERTY_LABEL, "Font size in points");
}

int
main (int   argc,
      char *argv[])
{
  g_autofree char *directory = g_dir_make_tmp (NULL, NULL);
  g_autofree char *path = g_build_filename (directory, "fonts.conf", NULL);
  int status;

  g_assert_true (g_file_set_contents (path, fonts_conf, -1, NULL));
  g_setenv ("FONTCONFIG_FILE", path, TRUE);
  fixture_init (&argc, &argv);
  /* Brings the resources. */
  g_autoptr (AttnApplication) application = attn_application_new ();
#define ADD(name, test) \
  g_test_add ("/app/font-row/" name, Fixture, NULL, fixture_set_up, test, fixture_tear_down)
  ADD ("shows-what-is-set", test_shows_what_is_set);
  ADD ("size-changes-alone", test_size_changes_alone);
  ADD ("family-changes-alone", test_family_changes_alone);
  ADD ("absent-family-is-kept", test_absent_family_is_kept);
  ADD ("family-without-upright-face", test_family_without_upright_face);
  ADD ("list-begins-at-what-is-set", test_list_begins_at_what_is_set);
  ADD ("search-finds-part-of-name", test_search_finds_part_of_name);
  ADD ("arrows-go-on-from-search", test_arrows_go_on_from_search);
  ADD ("search-in-vain-keeps-it", test_search_in_vain_keeps_it);
  ADD ("has-names-for-assistive-technology", test_has_names_for_assistive_technology);
#undef ADD
  status = g_test_run ();
  g_remove (path);
  g_rmdir (directory);
  return status;
}
