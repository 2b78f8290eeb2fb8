/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-workspace-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-array-format.h"
#include "attn-cell.h"
#include "attn-error.h"
#include "attn-file.h"
#include "attn-image-read.h"
#include "attn-input-bind.h"
#include "attn-study-private.h"

typedef struct
{
  AttnModel *model;
  char *stamp; /* text that changes when a file of the model changes */
} OpenModel;

static void
free_open_model (gpointer data)
{
  OpenModel *open_model = data;

  attn_model_unref (open_model->model);
  g_free (open_model->stamp);
  g_free (open_model);
}

/**
 * attn_workspace_new:
 *
 * Returns: (transfer full): a workspace without any cached model or data
 */
AttnWorkspace *
attn_workspace_new (void)
{
  AttnWorkspace *workspace = g_new0 (AttnWorkspace, 1);

  workspace->open_models =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_open_model);
  workspace->models = g_ptr_array_new ();
  workspace->baselines = g_ptr_array_new_with_free_func (attn_baseline_release);
  return workspace;
}

void
attn_workspace_free (AttnWorkspace *workspace)
{
  if (workspace == NULL)
    return;
  g_ptr_array_unref (workspace->baselines);
  attn_model_reference_clear (&workspace->model);
  attn_survey_data_unref (workspace->survey);
  g_ptr_array_unref (workspace->models);
  g_hash_table_unref (workspace->open_models);
  g_free (workspace);
}

/**
 * attn_workspace_watch:
 * @watcher: (nullable): function that gets an unfinished result of a figure that takes long, again
 *   and again
 */
void
attn_workspace_watch (AttnWorkspace      *workspace,
                      AttnUnfinishedFunc  watcher,
                      gpointer            user_data)
{
  workspace->watcher = watcher;
  workspace->watcher_data = user_data;
}

gboolean
attn_workspace_is_watched (const AttnWorkspace *workspace)
{
  return workspace->watcher != NULL;
}

/**
 * attn_workspace_show:
 * @workspace: a workspace that is watched
 * @unfinished: (transfer full): the result as far as it is computed
 */
void
attn_workspace_show (AttnWorkspace *workspace,
                     AttnResult    *unfinished)
{
  workspace->watcher (unfinished, workspace->watcher_data);
}

static void
append_stamp (GString    *stamp,
              const char *path)
{
  g_autofree char *own = attn_file_dup_stamp (path);

  g_string_append_printf (stamp, "%s %s\n", path, own);
}

static int
compare_names (gconstpointer a,
               gconstpointer b)
{
  return strcmp (*(char * const *) a, *(char * const *) b);
}

/* Appends to @stamp the inode, time and size of the file, or of each file in the directory of a
 * checkpoint or adapter, so that the stamp changes when a file is replaced. */
static void
append_stamps (GString    *stamp,
               const char *path)
{
  static const char * const suffixes[] = { ".json", ".txt", ".model", NULL };
  g_autofree char *directory = g_file_test (path, G_FILE_TEST_IS_DIR) ? g_strdup (path)
                                                                      : g_path_get_dirname (path);
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  append_stamp (stamp, path);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      const char *dot = strrchr (name, '.');

      if (attn_array_format_has (name, ATTN_ARRAY_FORMAT_MODEL) ||
          (dot != NULL && g_strv_contains (suffixes, dot)))
        g_ptr_array_add (names, g_strdup (name));
    }
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *file = g_build_filename (directory, names->pdata[i], NULL);
      append_stamp (stamp, file);
    }
}

static char *
dup_stamp (const AttnModelReference *reference)
{
  GString *stamp = g_string_new (NULL);

  append_stamps (stamp, reference->path);
  if (reference->adapter != NULL)
    append_stamps (stamp, reference->adapter);
  return g_string_free (stamp, FALSE);
}

/* Makes a unique key for an open model. Each path is preceded by its length, so that two keys
 * cannot be equal by chance. */
static char *
dup_key (const AttnModelReference *reference,
         const char               *attention)
{
  const char *adapter = reference->adapter != NULL ? reference->adapter : "";
  /* The colon in the key of a model tells an array with an empty name from no array. */
  g_autofree char *array = reference->array != NULL ? g_strconcat (":", reference->array, NULL)
                                                    : g_strdup ("");

  return g_strdup_printf ("%zu %s %zu %s %zu %s %d %s", strlen (reference->path), reference->path,
                          strlen (adapter), adapter, strlen (array), array, reference->header,
                          attention != NULL ? attention : "");
}

/* Fills in a missing path: that of the model that the adapter is for, or else of the shipped model.
 * *path: (transfer full) (nullable): the string that the result's path points to */
static AttnModelReference
resolve (const AttnModelReference  *reference,
         char                     **path)
{
  AttnModelReference actual = { NULL };

  if (reference != NULL)
    actual = *reference;
  if (actual.path == NULL && actual.adapter != NULL)
    *path = g_strdup (actual.adapter);
  else
    *path = actual.path == NULL ? attn_data_find_model () : NULL;
  if (actual.path == NULL)
    actual.path = *path;
  return actual;
}

/**
 * attn_workspace_open_model:
 * @reference: (nullable): the model to open; %NULL, or a reference without a path, for the model
 *   that ships with the program
 * @attention: (nullable): which of the model's attentions, as for [func@attn_model_open_attention]
 * @error: return location: errors of [func@attn_model_open_attention]; %G_FILE_ERROR_NOENT where
 *   the shipped model is missing
 *
 * Opens a model, or returns the one that is already open if its files have not changed. On failure
 * the workspace stays as it was.
 *
 * Returns: (transfer none) (nullable): the model, valid until a study is prepared that does not
 *   use it
 */
AttnModel *
attn_workspace_open_model (AttnWorkspace             *workspace,
                           const AttnModelReference  *reference,
                           const char                *attention,
                           GError                   **error)
{
  g_autofree char *shipped = NULL;
  const AttnModelReference actual = resolve (reference, &shipped);

  if (actual.path == NULL)
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                   _("models/rose: not found, expected the model that ships with the program; "
                     "ATTENTION_GRID_DATADIR can name the directory of its data"));
      return NULL;
    }

  g_autofree char *stamp = dup_stamp (&actual);
  g_autofree char *key = dup_key (&actual, attention);
  const OpenModel *known = g_hash_table_lookup (workspace->open_models, key);
  if (known != NULL && g_str_equal (stamp, known->stamp) &&
      attn_model_check_files (known->model, NULL))
    return known->model;

  AttnModel *model = attn_model_open_reference (&actual, attention, error);
  if (model == NULL)
    return NULL;
  if (attn_model_get_image_path (model) != NULL)
    {
      g_autoptr (AttnImage) image = attn_image_read (attn_model_get_image_path (model), error);

      if (image == NULL)
        {
          attn_model_unref (model);
          return NULL;
        }
      attn_model_set_image (model, image);
    }
  /* The replaced model lives on in its baselines, which hold a reference to it until the next study
   * is prepared. */
  if (known != NULL)
    g_ptr_array_remove (workspace->models, known->model);

  OpenModel *open_model = g_new0 (OpenModel, 1);
  open_model->model = model;
  open_model->stamp = g_steal_pointer (&stamp);
  g_hash_table_insert (workspace->open_models, g_steal_pointer (&key), open_model);
  return model;
}

/**
 * attn_workspace_ref_model:
 * @reference: (nullable): as for [func@attn_workspace_open_model]
 * @attention: (nullable): as for [func@attn_workspace_open_model]
 *
 * Returns: (transfer full) (nullable): the model; %NULL if it is not open
 */
AttnModel *
attn_workspace_ref_model (AttnWorkspace            *workspace,
                          const AttnModelReference *reference,
                          const char               *attention)
{
  g_autofree char *shipped = NULL;
  const AttnModelReference actual = resolve (reference, &shipped);
  g_autofree char *key = actual.path != NULL ? dup_key (&actual, attention) : NULL;
  const OpenModel *known = key != NULL ? g_hash_table_lookup (workspace->open_models, key) : NULL;

  return known != NULL ? attn_model_ref (known->model) : NULL;
}

/**
 * attn_workspace_get_baseline:
 * @model: index of a model of the study
 * @index: index of an input of the study
 *
 * Returns: (transfer none): the cached data of that input in that model, without interventions
 */
AttnBaseline *
attn_workspace_get_baseline (AttnWorkspace *workspace,
                             gsize          model,
                             gsize          index)
{
  return g_ptr_array_index (workspace->baselines, model * workspace->n_inputs + index);
}

/**
 * attn_workspace_bind_patches:
 * @model: index of a model of the study
 * @interventions: (inout) (element-type AttnIntervention): the interventions of a cell
 *
 * Gives each patch among @interventions the data of the input that it takes from. If the input does
 * not exist, the patch gets none, and [func@attn_intervention_check] then refuses it.
 */
void
attn_workspace_bind_patches (AttnWorkspace *workspace,
                             gsize          model,
                             GPtrArray     *interventions)
{
  for (guint i = 0; i < interventions->len; i++)
    {
      AttnIntervention *patch = g_ptr_array_index (interventions, i);

      if (patch->operation != ATTN_OPERATION_PATCH || patch->input >= workspace->n_inputs)
        continue;
      AttnBaseline *other = attn_workspace_get_baseline (workspace, model, patch->input);
      if (other->source == NULL)
        other->source = attn_source_new (other->model, other->ids, other->tokens->n_tokens);
      g_clear_pointer (&patch->source, attn_source_unref);
      patch->source = attn_source_ref (other->source);
    }
}

/**
 * attn_workspace_build_interventions:
 *
 * Returns: (transfer full) (element-type AttnIntervention): the interventions of
 *   [func@attn_cell_build_interventions], in which patches have the data of their input, ready to
 *   be checked and computed
 */
GPtrArray *
attn_workspace_build_interventions (AttnWorkspace   *workspace,
                                    const AttnCell  *cell,
                                    const AttnStudy *study)
{
  GPtrArray *interventions = attn_cell_build_interventions (cell, study);

  attn_workspace_bind_patches (workspace, cell->model, interventions);
  return interventions;
}

/* Returns the number of the picture that a vision model sees, from 1, on which the tokens of a
 * baseline depend; 0 for other models. */
static gsize
get_picture (const AttnModel *model,
             const AttnStudy *study)
{
  return attn_model_get_info (model)->needs_picture ? MAX (study->picture, 1) : 0;
}

static AttnBaseline *
find_baseline (const GPtrArray *baselines,
               const AttnModel *model,
               const AttnInput *input,
               const AttnStudy *study)
{
  for (guint i = 0; i < baselines->len; i++)
    {
      AttnBaseline *baseline = g_ptr_array_index (baselines, i);

      if (attn_model_get_base (baseline->model) == model &&
          baseline->framing == attn_study_get_framing (study) &&
          baseline->n_answer == study->n_answer &&
          baseline->picture == get_picture (model, study) &&
          attn_input_equal (baseline->input, input))
        return g_rc_box_acquire (baseline);
    }
  return NULL;
}

/* Returns the trace of the text that shares the longest beginning with that of @baseline, so that
 * only the tokens behind this beginning have to be computed. */
static AttnTrace *
find_before (const GPtrArray    *baselines,
             const AttnBaseline *baseline)
{
  AttnTrace *before = NULL;
  gsize most = 0;

  for (guint i = 0; i < baselines->len; i++)
    {
      const AttnBaseline *other = g_ptr_array_index (baselines, i);
      gsize n = 0;

      if (other->model != baseline->model || other->residuals == NULL)
        continue;
      while (n < baseline->tokens->n_tokens && n < other->tokens->n_tokens &&
             baseline->ids[n] == other->ids[n])
        n++;
      if (n > most)
        {
          most = n;
          before = other->residuals;
        }
    }
  return before != NULL ? attn_trace_ref (before) : NULL;
}

static gboolean
add_baselines (AttnWorkspace    *workspace,
               const AttnStudy  *study,
               AttnModel        *model,
               gsize             n_inputs,
               GPtrArray        *baselines,
               GCancellable     *cancellable,
               GError          **error)
{
  for (gsize i = 0; i < n_inputs; i++)
    {
      const AttnInput *input = g_ptr_array_index (study->inputs, i);
      AttnBaseline *baseline =
          find_baseline (workspace->baselines, model, input, study);

      if (baseline == NULL)
        baseline = find_baseline (baselines, model, input, study);
      if (baseline == NULL)
        {
          AttnTokens *tokens, *source;
          g_autoptr (AttnModel) bound =
              attn_input_bind (input, i + 1, model, study, (gssize) study->n_answer, cancellable,
                               &tokens, &source, error);

          if (bound == NULL)
            return FALSE;
          baseline = attn_baseline_new (bound, input, tokens, source,
                                        attn_study_get_framing (study));
          baseline->n_answer = study->n_answer;
          baseline->picture = get_picture (model, study);
          baseline->before = find_before (workspace->baselines, baseline);
        }
      g_ptr_array_add (baselines, baseline);
    }
  return TRUE;
}

static gboolean
is_unused (gpointer path,
           gpointer open_model,
           gpointer models)
{
  return !g_ptr_array_find (models, ((const OpenModel *) open_model)->model, NULL);
}

/**
 * attn_workspace_prepare:
 * @cancellable: (nullable): cancels the generation of an answer, as by a decoder without a target
 * @error: return location: errors of [func@attn_workspace_open_model] and
 *   [func@attn_input_tokenize]
 *
 * Opens the study's models and tokenises its inputs. Cached data of the same models and inputs is
 * kept and all other dropped. On failure the workspace stays as it was, except that models are
 * open.
 */
gboolean
attn_workspace_prepare (AttnWorkspace    *workspace,
                        const AttnStudy  *study,
                        GCancellable     *cancellable,
                        GError          **error)
{
  g_autoptr (GPtrArray) baselines = g_ptr_array_new_with_free_func (attn_baseline_release);
  g_autoptr (GPtrArray) models = g_ptr_array_new ();
  guint n_others = attn_study_changes_along (study, ATTN_DIMENSION_MODEL) ? study->other_models->len
                                                                          : 0;
  gsize n_inputs = study->inputs->len;

  if (study->inputs->len == 0)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("study: no input found, expected at least one"));
  for (guint i = 0; i < 1 + n_others; i++)
    {
      AttnModel *model =
          attn_workspace_open_model (workspace, attn_study_get_model (study, i), study->attention,
                                     error);

      if (model == NULL)
        return FALSE;
      if (i == 0 && attn_model_get_info (model)->is_recording)
        n_inputs = 1;
      if (!add_baselines (workspace, study, model, n_inputs, baselines, cancellable, error))
        return FALSE;
      g_ptr_array_add (models, model);
    }

  for (guint i = 0; i < baselines->len; i++)
    attn_baseline_begin_job (g_ptr_array_index (baselines, i), baselines->len);
  g_hash_table_foreach_remove (workspace->open_models, is_unused, models);
  g_ptr_array_unref (workspace->models);
  workspace->models = g_steal_pointer (&models);
  g_ptr_array_unref (workspace->baselines);
  workspace->baselines = g_steal_pointer (&baselines);
  workspace->n_inputs = n_inputs;
  attn_model_reference_take (&workspace->model, &study->model);
  return TRUE;
}

/**
 * attn_workspace_list_tokens:
 * @study: the study of a job that has run, even if it failed
 *
 * Returns: (transfer full) (nullable) (element-type AttnTokens): the tokens of each input in the
 *   first model, in the study's order; %NULL if the job failed before they were made
 */
GPtrArray *
attn_workspace_list_tokens (AttnWorkspace   *workspace,
                            const AttnStudy *study)
{
  g_autoptr (GPtrArray) tokens =
      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_tokens_unref);

  if (workspace->n_inputs == 0 || workspace->n_inputs > study->inputs->len ||
      !attn_model_reference_equal (&workspace->model, &study->model))
    return NULL;
  for (gsize i = 0; i < workspace->n_inputs; i++)
    {
      const AttnBaseline *baseline = attn_workspace_get_baseline (workspace, 0, i);

      if (baseline->framing != attn_study_get_framing (study) ||
          baseline->n_answer != study->n_answer ||
          baseline->picture != get_picture (baseline->model, study) ||
          !attn_input_equal (baseline->input, g_ptr_array_index (study->inputs, i)))
        return NULL;
      g_ptr_array_add (tokens, attn_tokens_ref (baseline->tokens));
    }
  return g_steal_pointer (&tokens);
}

/**
 * attn_workspace_trim:
 *
 * Drops cached data after a job: layers that it did not use, and panels of baselines that it did
 * not use, if all cached panels together take too much memory.
 */
void
attn_workspace_trim (AttnWorkspace *workspace)
{
  gsize n_bytes = 0;

  for (guint i = 0; i < workspace->baselines->len; i++)
    n_bytes += attn_baseline_count_panel_bytes (g_ptr_array_index (workspace->baselines, i));
  for (guint i = 0; i < workspace->baselines->len; i++)
    attn_baseline_end_job (g_ptr_array_index (workspace->baselines, i),
                           n_bytes > ATTN_BASELINE_MAX_KEPT_BYTES);
}
