/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A study that was made and exported in the window is drawn by `render` from its file to the same
 * bytes, whatever was computed in between. */

#include "config.h"

#include <glib/gstdio.h>

#include "../save-arrays.h"
#include "attn-edits.h"
#include "attn-effects.h"
#include "attn-export-job.h"
#include "attn-session.h"
#include "attn-worker.h"
#include "waiting.h"

static AttnResult *
wait_for_result (AttnSession *session)
{
  WAIT_UNTIL (!attn_session_is_busy (session));
  g_assert_true (attn_session_is_current (session));
  return attn_session_get_result (session);
}

static AttnStudy *
copy_study (AttnSession *session)
{
  return attn_study_copy (attn_session_get_study (session));
}

/* What the worker keeps is that of another scale, another text and other keys. */
static void
go_astray (AttnSession *session)
{
  g_autoptr (AttnStudy) before = copy_study (session);
  AttnStudy *study = copy_study (session);

  study->hides_keys = TRUE;
  study->hidden_keys = attn_index_set_new_range (0, 0);
  attn_session_edit (session, study, NULL);
  wait_for_result (session);
  /* Of one and the same text there is no patch map. */
  if (before->figure != ATTN_FIGURE_LAYER_TOKEN && before->figure != ATTN_FIGURE_PATCH_MAP)
    {
      study = copy_study (session);
      g_ptr_array_set_size (study->inputs, 0);
      for (guint i = 0; i < before->inputs->len; i++)
        g_ptr_array_add (study->inputs, attn_input_new_text ("It I is am the rose", 0));
      attn_session_edit (session, study, NULL);
      wait_for_result (session);
    }
  attn_session_edit (session, attn_study_copy (before), NULL);
}

/* A region, a pin, and on a grid another part of the last panel than of the others. */
static void
add_marks (AttnSession *session)
{
  const AttnGrid *grid = attn_session_get_result (session)->grid;
  gsize n_panels = grid->n_rows * grid->n_columns;
  const AttnRegion region = { (char *) "A & B", 0, 1, 0, 2, FALSE };
  const AttnRegion pin = { (char *) "cell", 2, 2, 1, 1, TRUE };
  const AttnViewport part = { 0.1, 0.2, 0.5, 0.6 };
  const AttnViewport last = { 0.5, 0.5, 0.5, 0.5 };
  AttnStudy *study = copy_study (session);

  g_ptr_array_add (study->regions, attn_study_region_new (0, &region));
  g_ptr_array_add (study->regions, attn_study_region_new (n_panels - 1, &pin));
  study->viewport = part;
  study->style.range = ATTN_RANGE_VISIBLE;
  study->style.shows_values = TRUE;
  study->page.width = 180;
  study->page.unit = ATTN_UNIT_MILLIMETRES;
  if (n_panels > 1)
    {
      study->views = g_array_new (FALSE, FALSE, sizeof (AttnViewport));
      for (gsize i = 0; i < n_panels; i++)
        g_array_append_val (study->views, *(i + 1 < n_panels ? &part : &last));
    }
  attn_session_edit (session, study, NULL);
}

static void
assert_same (AttnExportKind    kind,
             const AttnResult *shown,
             const AttnResult *rendered)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) a = attn_export_kind_make (kind, shown, shown->study, 0, &error);
  g_assert_no_error (error);
  g_autoptr (GBytes) b = attn_export_kind_make (kind, rendered, rendered->study, 0, &error);
  g_assert_no_error (error);

  if (!g_bytes_equal (a, b))
    g_test_message ("%s: %s", shown->study->preset, attn_export_kind_get_suffix (kind));
  g_assert_true (g_bytes_equal (a, b));
}

static void
compare_with_file (AttnSession *session,
                   const char  *path)
{
  g_autoptr (GError) error = NULL;

  wait_for_result (session);
  attn_session_save (session, path, &error);
  g_assert_no_error (error);
  AttnResult *shown = wait_for_result (session);

  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  g_autoptr (AttnStudy) study = attn_study_load (path, &error);
  g_assert_no_error (error);
  g_autoptr (AttnResult) rendered = attn_job_run (study, workspace, NULL, NULL, &error);
  g_assert_no_error (error);
  for (AttnExportKind kind = 0; kind < attn_export_kind_get_n (); kind++)
    assert_same (kind, shown, rendered);
}

static void
test_presets (void)
{
  AttnSession *session = attn_session_new ();
  g_autofree char *directory = g_dir_make_tmp ("attention-grid-bytes-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "study.json", NULL);
  gsize n_presets;
  const AttnPreset *presets = attn_presets_get_own (&n_presets);

  for (gsize i = 0; i < n_presets; i++)
    {
      AttnStudy *study = attn_presets_load (presets[i].name, NULL);
      study->page.resolution = 96; /* the PNG takes most of the time */
      attn_session_open_document (session, study, NULL, NULL, FALSE, NULL);
      wait_for_result (session);
      go_astray (session);
      compare_with_file (session, path);
      add_marks (session);
      compare_with_file (session, path);
    }
  g_unlink (path);
  g_rmdir (directory);
  g_assert_finalize_object (session);
  attn_worker_wait_for_threads ();
}

/* A figure is the same without the factors that it does not use: the command that draws it does not
 * say them. */
static void
test_unused_epsilons (void)
{
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  gsize n_presets;
  const AttnPreset *presets = attn_presets_get_own (&n_presets);
  const double others[] = { 0.25, 1e-7 };
  guint n_dropped = 0;

  for (gsize i = 0; i < 2 * n_presets; i++)
    for (AttnOperation operation = ATTN_OPERATION_MEAN; operation <= ATTN_OPERATION_ZERO;
         operation++)
      {
        g_autoptr (GError) error = NULL;
        g_autoptr (AttnStudy) study = attn_presets_load (presets[i / 2].name, NULL);
        gboolean is_first = i % 2;

        if (study->rows == ATTN_DIMENSION_AXIS || study->columns == ATTN_DIMENSION_AXIS)
          operation = ATTN_OPERATION_ZERO;
        else
          study->operation = operation;
        if (is_first)
          g_array_prepend_vals (study->epsilons, others, G_N_ELEMENTS (others));
        else
          g_array_append_vals (study->epsilons, others, G_N_ELEMENTS (others));
        if (attn_study_get_traits (study)->has_survey)
          study->components[0] = TRUE;
        g_autoptr (AttnStudy) less = attn_study_copy (study);
        attn_edits_drop_unused_epsilons (less);
        n_dropped += less->epsilons->len < study->epsilons->len;
        g_autoptr (AttnResult) drawn = attn_effects_run (study, workspace, NULL, NULL, &error);
        if (drawn == NULL)
          continue; /* no figure of this operation */
        g_autoptr (AttnResult) same = attn_effects_run (less, workspace, NULL, NULL, &error);
        g_assert_no_error (error);
        g_autoptr (GBytes) a = attn_export_kind_make (0, drawn, study, 0, &error);
        g_assert_no_error (error);
        g_autoptr (GBytes) b = attn_export_kind_make (0, same, study, 0, &error);
        g_assert_no_error (error);
        g_assert_true (g_bytes_equal (a, b));
      }
  g_assert_cmpuint (n_dropped, >, n_presets);
  attn_worker_wait_for_threads ();
}

/* A study of recorded arrays opens from its file like any other: in its own look, not in that of
 * arrays that are opened by themselves. */
static void
test_recording (void)
{
  AttnSession *session = attn_session_new ();
  g_autofree char *directory = g_dir_make_tmp ("attention-grid-bytes-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "study.json", NULL);
  g_autofree char *recorded = g_build_filename (directory, "panel.npz", NULL);
  g_autoptr (GError) error = NULL;

  attn_session_open (session, attn_presets_load ("single", NULL));
  AttnResult *result = wait_for_result (session);
  g_autoptr (AttnTensor) weights = attn_tensor_ref (
      attn_panel_get_values (result->grid->cells[0].panel));
  g_autoptr (AttnArrayFile) file = attn_result_to_arrays (result, 0, &error);
  g_assert_no_error (error);
  save_arrays (file, recorded, &error);
  g_assert_no_error (error);

  AttnStudy *study = copy_study (session);
  study->model.path = g_strdup (recorded);
  g_clear_pointer (&study->model.fingerprint, g_free);
  g_ptr_array_set_size (study->inputs, 0);
  study->layer = 0;
  study->head = 0;
  study->hides_keys = TRUE;
  study->hidden_keys = attn_index_set_new_range (0, 0);
  attn_study_save (study, path, &error);
  g_assert_no_error (error);
  attn_study_unref (study);

  g_assert_true (attn_session_open_path (session, path, &error));
  g_assert_no_error (error);
  result = wait_for_result (session);
  AttnTensor *shown = attn_panel_get_values (result->grid->cells[0].panel);
  g_assert_true (attn_model_get_info (result->model)->is_recording);
  g_assert_cmpuint (shown->shape[1], ==, weights->shape[1] - 1);
  for (gsize row = 0; row < shown->shape[0]; row++)
    g_assert_cmpmem (shown->data + row * shown->shape[1], shown->shape[1] * sizeof (float),
                     weights->data + row * weights->shape[1] + 1,
                     shown->shape[1] * sizeof (float));
  g_assert_cmpint (attn_session_get_study (session)->style.range, ==, ATTN_RANGE_AUTOMATIC);
  compare_with_file (session, path);

  g_unlink (recorded);
  g_unlink (path);
  g_rmdir (directory);
  g_assert_finalize_object (session);
  attn_worker_wait_for_threads ();
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/same-bytes/presets", test_presets);
  g_test_add_func ("/app/same-bytes/unused-epsilons", test_unused_epsilons);
  g_test_add_func ("/app/same-bytes/recording", test_recording);
  return g_test_run ();
}
