/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Choosing a font in a window of GTK, among families of which one has no upright face. */

#include "config.h"

#include "attn-font-filter.h"

#include <glib/gstdio.h>

#define SLANTED  "DejaVu Sans Mono"
#define PATIENCE (20 * G_USEC_PER_SEC)

/* Roman faces of SLANTED are not there for the program. */
static const char fonts_conf[] =
    "<fontconfig><include>/etc/fonts/fonts.conf</include><selectfont><rejectfont><pattern>"
    "<patelt name=\"family\"><string>" SLANTED "</string></patelt>"
    "<patelt name=\"slant\"><const>roman</const></patelt>"
    "</pattern></rejectfont></selectfont></fontconfig>";

static guint
count_families (gboolean with_upright_face_only)
{
  GListModel *families = G_LIST_MODEL (pango_cairo_font_map_get_default ());
  guint n = 0;

  for (guint i = 0; i < g_list_model_get_n_items (families); i++)
    {
      g_autoptr (PangoFontFamily) family = g_list_model_get_item (families, i);

      n += !with_upright_face_only || pango_font_family_get_face (family, NULL) != NULL;
    }
  return n;
}

/* Returns: (nullable): what the list of families below a widget shows */
static GListModel *
find_families (GtkWidget *widget)
{
  GListModel *families = NULL;

  if (GTK_IS_LIST_VIEW (widget))
    {
      GtkSelectionModel *model = gtk_list_view_get_model (GTK_LIST_VIEW (widget));
      g_autoptr (GObject) first =
          model != NULL ? g_list_model_get_item (G_LIST_MODEL (model), 0) : NULL;

      if (first != NULL && PANGO_IS_FONT_FAMILY (first))
        return G_LIST_MODEL (model);
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); families == NULL && child != NULL;
       child = gtk_widget_get_next_sibling (child))
    families = find_families (child);
  return families;
}

/* The list is filled little by little. Returns: (nullable): the list */
static GListModel *
await_families (GtkWidget *chooser,
                guint      n_expected)
{
  gint64 end = g_get_monotonic_time () + PATIENCE;
  GListModel *families = NULL;

  while (g_get_monotonic_time () < end &&
         (families == NULL || g_list_model_get_n_items (families) < n_expected))
    {
      g_main_context_iteration (NULL, TRUE);
      families = find_families (chooser);
    }
  while (g_main_context_iteration (NULL, FALSE))
    ;
  return families;
}

static void
test_family_without_upright_face (void)
{
  GtkWidget *window = gtk_window_new ();
  GtkWidget *chooser = gtk_font_chooser_widget_new ();
  guint n_expected = count_families (TRUE);

  gtk_window_set_child (GTK_WINDOW (window), chooser);
  if (count_families (FALSE) == n_expected)
    {
      g_test_skip ("each family has an upright face: there is no " SLANTED);
      gtk_window_destroy (GTK_WINDOW (window));
      return;
    }
  gtk_font_chooser_set_level (GTK_FONT_CHOOSER (chooser),
                              GTK_FONT_CHOOSER_LEVEL_FAMILY | GTK_FONT_CHOOSER_LEVEL_SIZE);
  attn_font_filter_install (GTK_FONT_CHOOSER (chooser));
  gtk_window_present (GTK_WINDOW (window));

  GListModel *shown = await_families (chooser, n_expected);

  g_assert_nonnull (shown);
  g_assert_cmpuint (g_list_model_get_n_items (shown), ==, n_expected);

  /* GTK describes the regular face of each that is chosen. */
  gtk_font_chooser_set_font (GTK_FONT_CHOOSER (chooser), SLANTED " 9");
  for (guint i = 0; i < n_expected; i++)
    gtk_single_selection_set_selected (GTK_SINGLE_SELECTION (shown), i);
  gtk_window_destroy (GTK_WINDOW (window));
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
  gtk_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/font-filter/family-without-upright-face",
                   test_family_without_upright_face);
  status = g_test_run ();
  g_remove (path);
  g_rmdir (directory);
  return status;
}
