/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "session-fixture.h"

#include <glib/gstdio.h>

#include "attn-worker.h"
#include "waiting.h"

static void
result_changed_cb (Fixture *fixture)
{
  fixture->n_results++;
}

static void
failed_cb (Fixture      *fixture,
           const GError *error)
{
  fixture->n_failures++;
  g_free (fixture->message);
  fixture->message = g_strdup (error->message);
}

AttnStudy *
load_preset (const char *name)
{
  g_autoptr (GError) error = NULL;
  AttnStudy *study = attn_presets_load (name, &error);

  g_assert_no_error (error);
  return study;
}

const char *
get_text_of (const AttnStudy *study,
             guint            input)
{
  return ((const AttnInput *) study->inputs->pdata[input])->text;
}

void
set_up_session (Fixture       *fixture,
                gconstpointer  data)
{
  fixture->directory = g_dir_make_tmp ("attention-grid-session-XXXXXX", NULL);
  fixture->session = attn_session_new ();
  g_signal_connect_swapped (fixture->session, "result-changed", G_CALLBACK (result_changed_cb),
                            fixture);
  g_signal_connect_swapped (fixture->session, "failed", G_CALLBACK (failed_cb), fixture);
  attn_session_open (fixture->session, load_preset ("epsilon"));
}

void
tear_down_session (Fixture       *fixture,
                   gconstpointer  data)
{
  g_autoptr (GDir) directory = g_dir_open (fixture->directory, 0, NULL);
  const char *name;

  g_assert_finalize_object (fixture->session);
  attn_worker_wait_for_threads ();
  while ((name = g_dir_read_name (directory)) != NULL)
    {
      g_autofree char *path = make_path (fixture, name);

      g_assert_cmpint (g_remove (path), ==, 0);
    }
  g_assert_cmpint (g_rmdir (fixture->directory), ==, 0);
  g_free (fixture->directory);
  g_free (fixture->message);
}

void
wait_until_idle (Fixture *fixture)
{
  WAIT_UNTIL (!attn_session_is_busy (fixture->session));
}

/* Tells whether another program has written the file of the document. */
gboolean
is_overtaken (AttnSession *session)
{
  const AttnDocument *document = attn_session_get_document (session);

  return attn_document_file_is_overtaken (document->path, document->etag);
}

double
get_epsilon (Fixture *fixture)
{
  return g_array_index (attn_session_get_study (fixture->session)->epsilons, double, 0);
}

void
set_epsilon (Fixture    *fixture,
             double      epsilon,
             const char *what)
{
  AttnStudy *study = attn_study_copy (attn_session_get_study (fixture->session));

  g_array_index (study->epsilons, double, 0) = epsilon;
  attn_session_edit (fixture->session, study, what);
}

/* Takes @input. */
void
set_input (Fixture   *fixture,
           AttnInput *input)
{
  AttnStudy *study = attn_study_copy (attn_session_get_study (fixture->session));

  attn_input_free (g_ptr_array_index (study->inputs, 0));
  g_ptr_array_index (study->inputs, 0) = input;
  attn_session_edit (fixture->session, study, NULL);
}

char *
make_path (Fixture    *fixture,
           const char *name)
{
  return g_build_filename (fixture->directory, name, NULL);
}

/* The study as it is now, but for its model. Returns: the file, another one each time */
char *
save_study_of (Fixture    *fixture,
               const char *model_path,
               const char *fingerprint)
{
  static guint n_files;
  g_autoptr (AttnStudy) study = attn_study_copy (attn_session_get_study (fixture->session));
  g_autofree char *name = g_strdup_printf ("study-%u.json", n_files++);
  char *path = make_path (fixture, name);

  g_free (study->model.path);
  study->model.path = g_strdup (model_path);
  g_free (study->model.fingerprint);
  study->model.fingerprint = g_strdup (fingerprint);
  g_assert_true (attn_study_save (study, path, NULL));
  return path;
}

/* The same with a model that is there but cannot be read. */
char *
save_bad_study (Fixture *fixture)
{
  g_autofree char *model = make_path (fixture, "bad-model");

  g_assert_cmpint (g_mkdir (model, 0700), ==, 0);
  return save_study_of (fixture, model, NULL);
}

/* Takes away a file, or a folder with all that is in it; links are not followed. */
void
session_fixture_remove_all (const char *path)
{
  g_autoptr (GDir) directory =
      g_file_test (path, G_FILE_TEST_IS_SYMLINK) ? NULL : g_dir_open (path, 0, NULL);
  const char *name;

  while (directory != NULL && (name = g_dir_read_name (directory)) != NULL)
    {
      g_autofree char *inner = g_build_filename (path, name, NULL);

      session_fixture_remove_all (inner);
    }
  g_assert_cmpint (g_remove (path), ==, 0);
}
