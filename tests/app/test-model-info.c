/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the window says of a model: in the user's language; the command line keeps its words. */

#include "config.h"

#include <glib/gstdio.h>

#include "app-fixture.h"
#include "attn-model-facts.h"

static GtkApplication *application;

static const AttnFact *
find_fact (GPtrArray  *facts,
           const char *name)
{
  for (guint i = 0; i < facts->len; i++)
    {
      const AttnFact *fact = g_ptr_array_index (facts, i);

      if (g_str_equal (fact->name, name))
        return fact;
    }
  g_assert_not_reached ();
}

/* A recording has no positions of its own, and it says so in words. */
static void
test_words_are_translated (void)
{
  g_autofree char *directory = g_dir_make_tmp ("attn-model-info-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "weights.csv", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (path, ",one,two\none,1,0\ntwo,0.25,0.75\n", -1, &error));
  g_assert_no_error (error);
  set_language ("de");
  AttnWindow *window = attn_window_new (application);
  gtk_window_present (GTK_WINDOW (window));
  AttnStudy *study = attn_presets_load ("single", NULL);
  g_free (study->model.path);
  study->model.path = g_strdup (path);
  attn_session_edit (window->session, study, NULL);
  wait_for_figure (window);

  AttnModel *model = attn_session_get_result (window->session)->model;
  g_autoptr (GPtrArray) facts = attn_model_list_facts (model, NULL);
  g_assert_cmpstr (find_fact (facts, "position_scheme")->text, ==, "none");
  /* They are asked for in a thread. */
  WAIT_UNTIL (find_label (window->model_info, "Positionskodierung") != NULL);
  g_assert_nonnull (find_label (window->model_info, "keine"));
  g_assert_null (find_label (window->model_info, "none"));

  close_window (window);
  set_language ("en");
  g_unlink (path);
  g_rmdir (directory);
}

int
main (int    argc,
      char **argv)
{
  g_setenv ("LANGUAGE", "en", TRUE);
  fixture_init (&argc, &argv);
  bind_translations ();
  application = fixture_new_application ();

  g_test_add_func ("/app/model-info/words-are-translated", test_words_are_translated);
  return fixture_run (application);
}
