/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-workspace-private.h"

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "attn-error.h"
#include "attn-study-private.h"

struct _AttnWorkspace
{
  AttnModel *model;
  char *model_path;
  char *model_stamp;    /* changes when a file of the model does */
  GPtrArray *baselines; /* of AttnBaseline in reference-counted boxes, one an input */
};

static void
clear_baseline (gpointer data)
{
  AttnBaseline *baseline = data;

  attn_input_free (baseline->input);
  g_clear_pointer (&baseline->tokens, attn_tokens_unref);
  g_free (baseline->ids);
  g_clear_pointer (&baseline->residuals, attn_trace_unref);
  g_clear_pointer (&baseline->shown, attn_trace_unref);
  g_clear_pointer (&baseline->panel, attn_panel_unref);
}

static void
release_baseline (gpointer baseline)
{
  g_rc_box_release_full (baseline, clear_baseline);
}

/**
 * attn_workspace_new:
 *
 * Returns: (transfer full): a workspace that remembers nothing yet
 */
AttnWorkspace *
attn_workspace_new (void)
{
  AttnWorkspace *workspace = g_new0 (AttnWorkspace, 1);

  workspace->baselines = g_ptr_array_new_with_free_func (release_baseline);
  return workspace;
}

void
attn_workspace_free (AttnWorkspace *workspace)
{
  if (workspace == NULL)
    return;
  g_ptr_array_unref (workspace->baselines);
  g_clear_pointer (&workspace->model, attn_model_unref);
  g_free (workspace->model_path);
  g_free (workspace->model_stamp);
  g_free (workspace);
}

static void
append_stamp (GString    *stamp,
              const char *path)
{
  GStatBuf status;

  if (g_stat (path, &status) == 0)
    g_string_append_printf (stamp,
                            "%s %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GINT64_FORMAT
                            ".%09ld %" G_GINT64_FORMAT "\n",
                            path, (guint64) status.st_dev, (guint64) status.st_ino,
                            (gint64) status.st_mtim.tv_sec, (long) status.st_mtim.tv_nsec,
                            (gint64) status.st_size);
}

static int
compare_names (gconstpointer a,
               gconstpointer b)
{
  return strcmp (*(char * const *) a, *(char * const *) b);
}

/* Inode, time and size of the file, or of the files in the directory that a checkpoint consists
 * of. */
static char *
dup_stamp (const char *path)
{
  static const char * const suffixes[] = { ".json", ".safetensors", ".gguf", ".txt", ".model" };
  g_autofree char *directory = g_file_test (path, G_FILE_TEST_IS_DIR) ? g_strdup (path)
                                                                      : g_path_get_dirname (path);
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  GString *stamp = g_string_new (NULL);
  const char *name;

  append_stamp (stamp, path);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    for (gsize i = 0; i < G_N_ELEMENTS (suffixes); i++)
      if (g_str_has_suffix (name, suffixes[i]))
        g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *file = g_build_filename (directory, names->pdata[i], NULL);
      append_stamp (stamp, file);
    }
  return g_string_free (stamp, FALSE);
}

/**
 * attn_workspace_open_model:
 * @path: (nullable): checkpoint directory or file, %NULL for the model that ships with the program
 * @error: return location: errors of [func@attn_model_open]; %G_FILE_ERROR_NOENT where the shipped
 *   model is missing
 *
 * Opens a model, or gives back the one that is open if its files have not changed. On failure the
 * workspace stays as it was.
 *
 * Returns: (transfer none) (nullable): the model, valid until another one is opened
 */
AttnModel *
attn_workspace_open_model (AttnWorkspace  *workspace,
                           const char     *path,
                           GError        **error)
{
  g_autofree char *actual_path = path != NULL ? g_strdup (path) : attn_data_find_model ();

  if (actual_path == NULL)
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                   _("models/rose: not found, expected the model that ships with the program; "
                     "ATTENTION_GRID_DATADIR can name the directory of its data"));
      return NULL;
    }

  g_autofree char *stamp = dup_stamp (actual_path);
  if (workspace->model != NULL && g_str_equal (actual_path, workspace->model_path) &&
      g_str_equal (stamp, workspace->model_stamp))
    return workspace->model;

  AttnModel *model = attn_model_open (actual_path, error);
  if (model == NULL)
    return NULL;
  g_ptr_array_set_size (workspace->baselines, 0);
  g_clear_pointer (&workspace->model, attn_model_unref);
  g_free (workspace->model_path);
  g_free (workspace->model_stamp);
  workspace->model = model;
  workspace->model_path = g_steal_pointer (&actual_path);
  workspace->model_stamp = g_steal_pointer (&stamp);
  return model;
}

AttnModel *
attn_workspace_get_model (AttnWorkspace *workspace)
{
  return workspace->model;
}

/**
 * attn_workspace_get_input:
 * @index: of an input of the study that the workspace was prepared for
 *
 * Returns: (transfer none): what is kept of it
 */
AttnBaseline *
attn_workspace_get_input (AttnWorkspace *workspace,
                          gsize          index)
{
  return g_ptr_array_index (workspace->baselines, index);
}

static AttnTokens *
tokenize (const AttnInput  *input,
          const AttnModel  *model,
          gboolean          adds_special_tokens,
          GError          **error)
{
  if (input->text == NULL)
    {
      const AttnTokenizer *tokenizer = attn_model_get_tokenizer (model, NULL);

      return tokenizer != NULL
                 ? attn_tokenizer_label_ids (tokenizer, input->ids, input->n_ids, error)
                 : attn_tokens_new_from_ids (input->ids, input->n_ids, NULL);
    }

  const AttnTokenizer *tokenizer = attn_model_get_tokenizer (model, error);
  if (tokenizer == NULL)
    return NULL;
  return attn_tokenizer_encode (tokenizer, input->text, -1, adds_special_tokens, error);
}

static guint32 *
dup_ids (const AttnTokens *tokens)
{
  guint32 *ids = g_new (guint32, tokens->n_tokens);

  for (gsize i = 0; i < tokens->n_tokens; i++)
    ids[i] = tokens->tokens[i].id;
  return ids;
}

/**
 * attn_input_tokenize:
 * @adds_special_tokens: whether the tokenizer puts its own tokens around a text; ids are used as
 *   they are
 * @error: return location: %ATTN_ERROR_ARGUMENT for no token at all, %ATTN_ERROR_LIMIT for more
 *   tokens than the model has positions or an id beyond its vocabulary, and errors of the tokenizer
 *
 * Returns: (transfer full) (nullable): the tokens of @input that a study uses: the first n_tokens
 * of it
 */
AttnTokens *
attn_input_tokenize (const AttnInput  *input,
                     const AttnModel  *model,
                     gboolean          adds_special_tokens,
                     GError          **error)
{
  g_autoptr (AttnTokens) tokens = tokenize (input, model, adds_special_tokens, error);

  if (tokens == NULL)
    return NULL;
  if (tokens->n_tokens == 0)
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT,
                   _("input: no token found, expected at least one"));
      return NULL;
    }
  if (input->n_tokens > 0 && input->n_tokens < tokens->n_tokens)
    {
      AttnTokens *all = g_steal_pointer (&tokens);

      tokens = attn_tokens_truncate (all, input->n_tokens);
      attn_tokens_unref (all);
    }

  g_autofree guint32 *ids = dup_ids (tokens);
  if (!attn_model_check_ids (model, ids, tokens->n_tokens, error))
    return NULL;
  return g_steal_pointer (&tokens);
}

/* The number of the input takes the place of the bare word. */
static void
number_input (GError **error,
              gsize    index)
{
  const char *bare = _("input: ");

  if (error == NULL || *error == NULL)
    return;
  g_autofree char *rest = g_strdup (g_str_has_prefix ((*error)->message, bare)
                                        ? (*error)->message + strlen (bare)
                                        : (*error)->message);
  g_free ((*error)->message);
  (*error)->message = g_strdup_printf (_("input %zu: %s"), index + 1, rest);
}

static AttnBaseline *
find_baseline (const GPtrArray *baselines,
               const AttnInput *input,
               gboolean         adds_special_tokens)
{
  for (guint i = 0; i < baselines->len; i++)
    {
      AttnBaseline *baseline = g_ptr_array_index (baselines, i);

      if (baseline->adds_special_tokens == adds_special_tokens &&
          attn_input_equal (baseline->input, input))
        return g_rc_box_acquire (baseline);
    }
  return NULL;
}

static AttnBaseline *
new_baseline (const AttnInput *input,
              AttnTokens      *tokens,
              gboolean         adds_special_tokens)
{
  AttnBaseline *baseline = g_rc_box_new0 (AttnBaseline);

  baseline->input = attn_input_copy (input);
  baseline->adds_special_tokens = adds_special_tokens;
  baseline->tokens = tokens;
  baseline->ids = dup_ids (tokens);
  return baseline;
}

/**
 * attn_workspace_prepare:
 * @error: return location: errors of [func@attn_workspace_open_model] and
 *   [func@attn_input_tokenize], the latter with the number of the input
 *
 * Opens the study's model and tokenises its inputs. Keeps what is known of those that it had
 * already and drops the rest; on failure the workspace stays as it was, but for the model.
 */
gboolean
attn_workspace_prepare (AttnWorkspace    *workspace,
                        const AttnStudy  *study,
                        GError          **error)
{
  g_autoptr (GPtrArray) baselines = g_ptr_array_new_with_free_func (release_baseline);
  AttnModel *model = attn_workspace_open_model (workspace, study->model_path, error);

  if (model == NULL)
    return FALSE;
  for (guint i = 0; i < study->inputs->len; i++)
    {
      const AttnInput *input = g_ptr_array_index (study->inputs, i);
      AttnBaseline *baseline =
          find_baseline (workspace->baselines, input, study->adds_special_tokens);

      if (baseline == NULL)
        baseline = find_baseline (baselines, input, study->adds_special_tokens);
      if (baseline == NULL)
        {
          AttnTokens *tokens =
              attn_input_tokenize (input, model, study->adds_special_tokens, error);

          if (tokens == NULL)
            {
              number_input (error, i);
              return FALSE;
            }
          baseline = new_baseline (input, tokens, study->adds_special_tokens);
        }
      g_ptr_array_add (baselines, baseline);
    }

  g_ptr_array_unref (workspace->baselines);
  workspace->baselines = g_steal_pointer (&baselines);
  return TRUE;
}

static AttnTrace *
compute_trace (AttnBaseline        *baseline,
               AttnModel           *model,
               AttnQuantity         keep,
               AttnIndexSet        *layers,
               const AttnProgress  *progress,
               GCancellable        *cancellable,
               GError             **error)
{
  AttnTraceRequest request = {
    .ids = baseline->ids,
    .n_ids = baseline->tokens->n_tokens,
    .keep = keep,
    .layers = layers,
  };

  return attn_trace_compute (model, &request, baseline->residuals, progress, cancellable, error);
}

/**
 * attn_baseline_need_residuals:
 *
 * Sees to it that @baseline has the residual stream of every layer: [T, D] float32 each.
 */
gboolean
attn_baseline_need_residuals (AttnBaseline        *baseline,
                              AttnModel           *model,
                              const AttnProgress  *progress,
                              GCancellable        *cancellable,
                              GError             **error)
{
  if (baseline->residuals == NULL)
    baseline->residuals =
        compute_trace (baseline, model, ATTN_QUANTITY_RESIDUAL, NULL, progress, cancellable, error);
  return baseline->residuals != NULL;
}

/**
 * attn_baseline_need_layer:
 *
 * Sees to it that @baseline has everything of @layer, scores and weights of all heads included:
 * 8 bytes x [H, T, T] and less.
 */
gboolean
attn_baseline_need_layer (AttnBaseline        *baseline,
                          AttnModel           *model,
                          gsize                layer,
                          const AttnProgress  *progress,
                          GCancellable        *cancellable,
                          GError             **error)
{
  if (baseline->shown != NULL && baseline->shown_layer == layer)
    return TRUE;

  g_autoptr (AttnIndexSet) layers = attn_index_set_new_range (layer, layer);
  AttnTrace *trace =
      compute_trace (baseline, model,
                     ATTN_QUANTITY_RESIDUAL | ATTN_QUANTITY_QUERY | ATTN_QUANTITY_KEY |
                         ATTN_QUANTITY_VALUE | ATTN_QUANTITY_SCORES | ATTN_QUANTITY_WEIGHTS,
                     layers, progress, cancellable, error);
  if (trace == NULL)
    return FALSE;
  g_clear_pointer (&baseline->shown, attn_trace_unref);
  baseline->shown = trace;
  baseline->shown_layer = layer;
  return TRUE;
}
