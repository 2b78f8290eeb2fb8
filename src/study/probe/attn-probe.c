/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Fits probes: linear classifiers that tell right from wrong answers by the vector of one token.
 * The method is that of "LLMs Know More Than They Show" (arXiv 2410.02707) and its code,
 * technion-cs-nlp/LLMsKnow, src/probe_all_layers_and_tokens.py: in each layer, at each token that
 * has a role in a question and its answer, a logistic regression with scikit-learn's defaults.
 *
 * The model reads each text once for as many layers as fit into memory, in one thread for each
 * text; then the regressions of these layers are fitted, each in one thread. */

#include "config.h"

#include "attn-probe.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-batch.h"
#include "attn-error.h"
#include "attn-json-writer.h"
#include "attn-logistic.h"
#include "attn-memory.h"
#include "attn-probe-crew.h"
#include "attn-roles.h"
#include "attn-threads.h"

/* Divisors of the memory limit of a request: for the memory of the vectors, and for that of the
 * passes that run at the same time. */
#define MEMORY_SHARE 2
#define THREAD_SHARE 4

const char * const attn_probe_quantity_names[] = { "mlp", "attention", "residual", NULL };

/* The roles of tokens in the paper, and the token after the exact answer: the columns of the
 * maps. */
static const AttnRoleOptions all_roles = { .has_after_last = TRUE };

typedef struct
{
  guint32 *ids;
  gsize n_ids;
  gsize *positions; /* [n_roles]: position of the token of each role; ATTN_ROLES_NONE if no token
                     * has the role */
} Text;

/* Data of one run of attn_probe_run(). */
typedef struct
{
  const AttnProbeSpec *spec;
  AttnModel *model;
  GCancellable *cancellable;
  AttnProbe *probe;
  gsize n_folds;
  Text *texts; /* one for each row of the tables */
  gsize n_texts;
  gsize width;

  /* Layers whose vectors are in memory */
  gsize first_layer;
  gsize n_layers;
  AttnTensor *vectors; /* [n_layers, n_roles, n_rows, width]: vectors of tokens */
} Job;

static void
clear_job (Job *job)
{
  for (gsize i = 0; i < job->n_texts; i++)
    {
      g_free (job->texts[i].ids);
      g_free (job->texts[i].positions);
    }
  g_free (job->texts);
  attn_probe_free (job->probe);
  g_clear_pointer (&job->vectors, attn_tensor_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Job, clear_job)

/**
 * attn_probe_spec_init:
 * @spec: (out caller-allocates): gets the default settings, and no table
 */
void
attn_probe_spec_init (AttnProbeSpec *spec)
{
  *spec = (AttnProbeSpec) { .n_folds = ATTN_PROBE_DEFAULT_FOLDS, .framing = ATTN_FRAMING_SPECIAL };
  for (gsize i = 0; i < ATTN_PROBE_N_COLUMNS; i++)
    spec->columns[i] = g_strdup (attn_probe_column_names[i]);
}

void
attn_probe_spec_clear (AttnProbeSpec *spec)
{
  g_clear_pointer (&spec->table, g_free);
  g_clear_pointer (&spec->validation, g_free);
  for (gsize i = 0; i < ATTN_PROBE_N_COLUMNS; i++)
    g_clear_pointer (&spec->columns[i], g_free);
}

void
attn_probe_free (AttnProbe *probe)
{
  if (probe == NULL)
    return;
  g_free (probe->settings);
  g_free (probe->model_path);
  g_free (probe->adapter_path);
  g_free (probe->scores);
  g_free (probe->role_rows);
  g_free (probe->folds);
  g_free (probe->labels);
  g_free (probe);
}

/**
 * attn_probe_get_role:
 * @role: a column of the maps
 *
 * Returns: the name of the role of that column, such as "exact_answer_last" or "-1"
 */
const char *
attn_probe_get_role (gsize role)
{
  return attn_roles_get_name (&all_roles, role);
}

/* --- Texts --- */

/* Tokenizes question and answer, and finds the positions of the roles. */
static gboolean
locate (const Job           *job,
        AttnStudy           *study,
        const AttnProbeRow  *row,
        Text                *text,
        GError             **error)
{
  AttnRoleOptions *roles = &study->roles;
  const AttnTokenizer *tokenizer = attn_model_get_tokenizer (job->model, error);

  if (tokenizer == NULL)
    return FALSE;
  g_free (roles->question);
  g_free (roles->answer);
  g_free (roles->exact_answer);
  roles->question = g_strdup (row->question);
  roles->answer = g_strdup (row->answer);
  roles->exact_answer = g_strdup (row->exact_answer);
  g_autoptr (AttnInput) input = attn_roles_build_input (study, error);
  g_autoptr (AttnTokens) tokens =
      input != NULL
          ? attn_tokenizer_encode (tokenizer, input->text, -1, job->spec->framing, error)
          : NULL;
  if (tokens == NULL)
    return FALSE;
  text->ids = attn_tokens_dup_ids (tokens);
  text->n_ids = tokens->n_tokens;
  text->positions = g_new (gsize, job->probe->n_roles);
  return attn_model_check_ids (job->model, text->ids, text->n_ids, error) &&
         attn_roles_locate (roles, tokens, text->positions, error);
}

/* Locates the tokens of the roles in each row of @table and stores them as texts from index @first
 * on. An error names the row. */
static gboolean
locate_all (const Job             *job,
            const AttnProbeTable  *table,
            gsize                  first,
            GError               **error)
{
  g_autoptr (AttnStudy) study = attn_study_new ();

  study->roles.has_after_last = all_roles.has_after_last;
  for (guint i = 0; i < table->rows->len; i++)
    {
      const AttnProbeRow *row = table->rows->pdata[i];

      job->probe->labels[first + i] = row->label;
      if (!locate (job, study, row, &job->texts[first + i], error))
        {
          g_prefix_error (error, _("%s: row %u: "), table->where, i + 1);
          return FALSE;
        }
    }
  return TRUE;
}

static char *
write_settings (const Job            *job,
                const AttnProbeTable *table,
                const AttnProbeTable *validation)
{
  static const char * const framings[] = {
    [ATTN_FRAMING_NONE] = "none",
    [ATTN_FRAMING_SPECIAL] = "special",
    [ATTN_FRAMING_CHAT] = "chat",
  };
  const AttnProbeSpec *spec = job->spec;
  AttnJsonWriter writer = { .text = g_string_new (NULL) };
  const char *columns[ATTN_PROBE_N_COLUMNS + 1] = { NULL };

  for (gsize i = 0; i < ATTN_PROBE_N_COLUMNS; i++)
    columns[i] = spec->columns[i];
  attn_json_writer_begin_object (&writer, NULL);
  attn_json_writer_add_integer (&writer, "version", 1);
  attn_json_writer_add_string (&writer, "quantity", attn_probe_quantity_names[spec->quantity]);
  if (validation == NULL)
    attn_json_writer_add_integer (&writer, "folds", (gint64) spec->n_folds);
  attn_json_writer_add_integer (&writer, "seed", spec->seed);
  attn_json_writer_add_integer (&writer, "rows", (gint64) table->rows->len);
  attn_json_writer_add_string (&writer, "table", table->checksum);
  if (validation != NULL)
    {
      attn_json_writer_add_integer (&writer, "validation-rows", (gint64) validation->rows->len);
      attn_json_writer_add_string (&writer, "validation", validation->checksum);
    }
  attn_json_writer_add_strings (&writer, "columns", columns);
  attn_json_writer_add_string (&writer, "framing", framings[spec->framing]);
  attn_json_writer_add_string (&writer, "model", attn_model_get_name (job->model));
  attn_json_writer_add_string (&writer, "fingerprint", attn_model_get_fingerprint (job->model));
  attn_json_writer_end_object (&writer);
  return g_string_free (writer.text, FALSE);
}

/* Reads the tables, and assigns each row to the fold in which it is tested. */
static gboolean
read_tables (Job     *job,
             GError **error)
{
  const AttnProbeSpec *spec = job->spec;
  AttnProbe *probe = job->probe;
  const char * const *columns = (const char * const *) spec->columns;
  g_autoptr (AttnProbeTable) table = attn_probe_table_load (spec->table, columns, error);
  g_autoptr (AttnProbeTable) validation =
      table != NULL && spec->validation != NULL
          ? attn_probe_table_load (spec->validation, columns, error)
          : NULL;

  if (table == NULL || (spec->validation != NULL && validation == NULL) ||
      !attn_probe_table_check (table, validation != NULL ? 1 : spec->n_folds, error) ||
      (validation != NULL && !attn_probe_table_check (validation, 1, error)))
    return FALSE;

  gsize n_own = table->rows->len;
  probe->n_rows = n_own + (validation != NULL ? validation->rows->len : 0);
  probe->folds = g_new0 (gint64, probe->n_rows);
  probe->labels = g_new (guint8, probe->n_rows);
  job->texts = g_new0 (Text, probe->n_rows);
  job->n_texts = probe->n_rows;
  job->n_folds = validation != NULL ? 1 : spec->n_folds;
  if (!locate_all (job, table, 0, error) ||
      (validation != NULL && !locate_all (job, validation, n_own, error)))
    return FALSE;
  if (validation == NULL)
    attn_probe_score_deal (probe->labels, probe->n_rows, spec->n_folds, spec->seed, probe->folds);
  for (gsize i = 0; validation != NULL && i < n_own; i++)
    probe->folds[i] = ATTN_PROBE_NO_FOLD;
  probe->settings = write_settings (job, table, validation);
  return TRUE;
}

/* --- Vectors --- */

static AttnQuantity
get_quantity (AttnProbeQuantity quantity)
{
  static const AttnQuantity quantities[] = {
    [ATTN_PROBE_MLP] = ATTN_QUANTITY_MLP,
    [ATTN_PROBE_ATTENTION] = ATTN_QUANTITY_ATTENTION,
    [ATTN_PROBE_RESIDUAL] = ATTN_QUANTITY_RESIDUAL,
  };

  return quantities[quantity];
}

static float *
get_vector (const Job *job,
            gsize      layer,
            gsize      role,
            gsize      row)
{
  const AttnProbe *probe = job->probe;

  return job->vectors->data +
         (((layer - job->first_layer) * probe->n_roles + role) * probe->n_rows + row) * job->width;
}

typedef struct
{
  const Job *job;
  gsize row;
} Sight;

static void
see_cb (const AttnStates *states,
        gpointer          user_data)
{
  const Sight *sight = user_data;
  const Job *job = sight->job;
  const Text *text = &job->texts[sight->row];

  if (states->layer < job->first_layer || states->layer >= job->first_layer + job->n_layers)
    return;
  for (gsize role = 0; role < job->probe->n_roles; role++)
    if (text->positions[role] != ATTN_ROLES_NONE)
      memcpy (get_vector (job, states->layer, role, sight->row),
              attn_vectors_get (&states->vectors, 0, text->positions[role]),
              job->width * sizeof (float));
}

static void
look_cb (const AttnWeightsRows *rows,
         gpointer               user_data)
{
}

static gboolean
run_text (gsize      row,
          gpointer   data,
          GError   **error)
{
  const Job *job = data;
  Sight sight = { job, row };
  gsize n_layers = attn_model_get_info (job->model)->n_layers;
  gsize last = MIN (job->first_layer + job->n_layers, n_layers) - 1;
  g_autoptr (AttnIndexSet) layers =
      attn_index_set_new_range (MIN (job->first_layer, n_layers - 1), last);
  AttnBatch batch = {
    .ids = job->texts[row].ids,
    .ends = &job->texts[row].n_ids,
    .n_texts = 1,
    .layers = layers,
    .look = look_cb,
    .user_data = &sight,
    .see = see_cb,
    .seen = get_quantity (job->spec->quantity),
  };

  if (job->first_layer + job->n_layers > n_layers)
    batch.seen |= ATTN_QUANTITY_FINAL;
  return attn_batch_run (job->model, &batch, job->cancellable, error);
}

static char *
describe_texts (gsize n_done,
                gsize n)
{
  return g_strdup_printf (_("Reading text %zu of %zu"), MIN (n_done + 1, n), n);
}

/* --- Regressions --- */

/* Tells whether a fold can be tested: it has at least one row, and the other rows have both
 * labels. */
static gboolean
is_fold_usable (const gint64 *folds,
                const guint8 *labels,
                gsize         n,
                gsize         fold)
{
  gsize n_trained[2] = { 0, 0 };
  gsize n_tested = 0;

  for (gsize i = 0; i < n; i++)
    if (folds[i] == (gint64) fold)
      n_tested++;
    else
      n_trained[labels[i]]++;
  return n_tested > 0 && n_trained[0] > 0 && n_trained[1] > 0;
}

/* Scores each row with a regression that was trained on the other folds. @tested: (out): fold of
 * each row, or ATTN_PROBE_NO_FOLD if the row is not tested */
static gboolean
cross_validate (const Job            *job,
                const float * const  *rows,
                const gint64         *folds,
                const guint8         *labels,
                gsize                 n,
                double               *scores,
                gint64               *tested,
                GError              **error)
{
  g_autoptr (AttnLogistic) logistic = attn_logistic_new (rows, n, job->width, error);
  g_autofree guint8 *is_trained = g_new (guint8, n);
  g_autofree double *all = g_new (double, n);

  if (logistic == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    tested[i] = ATTN_PROBE_NO_FOLD;
  for (gsize fold = 0; fold < job->n_folds; fold++)
    {
      if (!is_fold_usable (folds, labels, n, fold))
        continue;
      if (g_cancellable_set_error_if_cancelled (job->cancellable, error))
        return FALSE;
      for (gsize i = 0; i < n; i++)
        is_trained[i] = folds[i] != (gint64) fold;
      if (!attn_logistic_fit (logistic, labels, is_trained, all, NULL, NULL, error))
        return FALSE;
      for (gsize i = 0; i < n; i++)
        if (!is_trained[i])
          {
            scores[i] = all[i];
            tested[i] = folds[i];
          }
    }
  return TRUE;
}

/* Fits and scores the probe of one layer and role, on the rows that have a token with that role. */
static gboolean
run_cell (gsize      task,
          gpointer   data,
          GError   **error)
{
  const Job *job = data;
  AttnProbe *probe = job->probe;
  gsize layer = job->first_layer + task / probe->n_roles;
  gsize role = task % probe->n_roles;
  AttnProbeScore *score = &probe->scores[layer * probe->n_roles + role];
  g_autofree const float **rows = g_new (const float *, probe->n_rows);
  g_autofree gint64 *folds = g_new (gint64, probe->n_rows);
  g_autofree guint8 *labels = g_new (guint8, probe->n_rows);
  g_autofree gint64 *tested = g_new (gint64, probe->n_rows);
  g_autofree double *scores = g_new0 (double, probe->n_rows);
  gsize n = 0;
  gint64 n_tested = 0;

  for (gsize i = 0; i < probe->n_rows; i++)
    if (job->texts[i].positions[role] != ATTN_ROLES_NONE)
      {
        rows[n] = get_vector (job, layer, role, i);
        folds[n] = probe->folds[i];
        labels[n++] = probe->labels[i];
      }
  *score = (AttnProbeScore) { NAN, NAN, NAN, NAN, NAN, NAN };
  if (n == 0)
    return TRUE;
  if (!cross_validate (job, rows, folds, labels, n, scores, tested, error))
    {
      g_prefix_error (error, _("layer %zu, %s: "), layer, attn_probe_get_role (role));
      return FALSE;
    }
  for (gsize i = 0; i < n; i++)
    n_tested += tested[i] != ATTN_PROBE_NO_FOLD;
  if (n_tested > 0)
    attn_probe_score_run (scores, labels, tested, n, job->n_folds, job->spec->seed, score);
  if (layer == 0)
    probe->role_rows[role] = n_tested; /* number of tested rows, the same in each layer */
  return TRUE;
}

static char *
describe_cells (gsize n_done,
                gsize n)
{
  return g_strdup_printf (_("Fitting probe %zu of %zu"), MIN (n_done + 1, n), n);
}

/* --- All --- */

static gsize
count_threads (gsize n_bytes)
{
  return MAX (MIN (attn_threads_get (),
                   attn_memory_get_limit () / THREAD_SHARE / MAX (n_bytes, 1)),
              1);
}

/* Sets the number of layers that are done at a time: as many as have vectors that fit into memory,
 * at least one. */
static gboolean
choose_layers (Job     *job,
               GError **error)
{
  const gsize shape[] = { 1, job->probe->n_roles, job->probe->n_rows, job->width };
  gsize n_floats;

  if (!attn_shape_get_n_elements (4, shape, &n_floats) || n_floats > G_MAXSIZE / sizeof (float))
    return attn_memory_fail (G_MAXSIZE, _("the vectors of a layer"), error);
  job->n_layers = attn_memory_get_limit () / MEMORY_SHARE / (n_floats * sizeof (float));
  job->n_layers = CLAMP (job->n_layers, 1, job->probe->n_layers);
  return TRUE;
}

/* Computes the vectors of all texts for the current layers, then fits the regressions. */
static gboolean
run_layers (Job                 *job,
            const AttnProgress  *progress,
            GError             **error)
{
  const AttnProgressPart passes = { progress, NULL, 0.0, 0.5 };
  const AttnProgressPart fits = { progress, NULL, 0.5, 0.5 };
  const AttnProgress of_passes = attn_progress_of_part (&passes);
  const AttnProgress of_fits = attn_progress_of_part (&fits);
  AttnProbe *probe = job->probe;
  const gsize shape[] = { job->n_layers, probe->n_roles, probe->n_rows, job->width };
  gsize n_most = 1;

  for (gsize i = 0; i < probe->n_rows; i++)
    n_most = MAX (n_most, job->texts[i].n_ids);
  const AttnProbeCrew readers = {
    .n_tasks = probe->n_rows,
    .n_threads = count_threads (attn_batch_estimate (job->model, n_most)),
    .func = run_text,
    .user_data = job,
    .describe = describe_texts,
  };
  const AttnProbeCrew fitters = {
    .n_tasks = job->n_layers * probe->n_roles,
    .n_threads = count_threads (attn_logistic_estimate (probe->n_rows, job->width)),
    .func = run_cell,
    .user_data = job,
    .describe = describe_cells,
  };

  g_clear_pointer (&job->vectors, attn_tensor_unref);
  job->vectors = attn_tensor_new_unset (4, shape, error);
  return job->vectors != NULL &&
         attn_probe_crew_run (&readers, &of_passes, job->cancellable, error) &&
         attn_probe_crew_run (&fitters, &of_fits, job->cancellable, error);
}

/**
 * attn_probe_run:
 * @model: a model that can read any text, not a recording
 * @progress: (nullable): is told how far the run is, in the calling thread
 * @cancellable: (nullable): checked at each layer of a text and before each regression
 * @error: return location: errors of [func@attn_probe_table_load]; %ATTN_ERROR_ARGUMENT for too few
 *   rows, an exact answer that is not in its answer, or a model that is a recording;
 *   %ATTN_ERROR_LIMIT for a text that is too long; %ATTN_ERROR_MEMORY; %G_IO_ERROR_CANCELLED
 *
 * Fits a probe in each layer and at each role of #AttnRoleOptions. Without a validation table, each
 * row is scored by a regression of the rows outside its fold. A row without a token of a role is
 * left out at that role. The result does not depend on the number of threads.
 *
 * Returns: (transfer full) (nullable): the scores of all probes, [layers, roles]
 */
AttnProbe *
attn_probe_run (const AttnProbeSpec  *spec,
                AttnModel            *model,
                const AttnProgress   *progress,
                GCancellable         *cancellable,
                GError              **error)
{
  const AttnModelInfo *info = attn_model_get_info (model);
  g_auto (Job) job = { .spec = spec, .model = model, .cancellable = cancellable };

  g_return_val_if_fail (spec->n_folds >= 2 && spec->n_folds <= ATTN_PROBE_MAX_FOLDS, NULL);

  job.probe = g_new0 (AttnProbe, 1);
  job.probe->model_path = g_strdup (attn_model_get_path (model));
  job.probe->adapter_path = g_strdup (attn_model_get_adapter (model));
  job.probe->n_layers = info->n_layers + (spec->quantity == ATTN_PROBE_RESIDUAL ? 1 : 0);
  job.probe->n_roles = attn_roles_get_n_columns (&all_roles);
  job.width = info->width;
  if (!attn_batch_check (model, error) || attn_model_get_tokenizer (model, error) == NULL ||
      !read_tables (&job, error) || !choose_layers (&job, error))
    return NULL;
  job.probe->scores = g_new (AttnProbeScore, job.probe->n_layers * job.probe->n_roles);
  job.probe->role_rows = g_new0 (gint64, job.probe->n_roles);

  gsize n_at_once = job.n_layers;
  for (; job.first_layer < job.probe->n_layers; job.first_layer += n_at_once)
    {
      job.n_layers = MIN (n_at_once, job.probe->n_layers - job.first_layer);
      const AttnProgressPart part = { progress, NULL,
                                      (double) job.first_layer / (double) job.probe->n_layers,
                                      (double) job.n_layers / (double) job.probe->n_layers };
      const AttnProgress of_part = attn_progress_of_part (&part);

      if (!run_layers (&job, &of_part, error))
        return NULL;
    }
  return g_steal_pointer (&job.probe);
}
