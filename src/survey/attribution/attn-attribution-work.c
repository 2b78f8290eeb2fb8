/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The residual streams and logits of a chunk that do not depend on the changed head are computed
 * once for all heads. The pass with a changed head then begins at the layer of the head. */

#include "config.h"

#include "attn-attribution-work.h"

#include <math.h>
#include <string.h>

#include "attn-attribution-unit.h"
#include "attn-batch.h"
#include "attn-continuation.h"
#include "attn-ops.h"
#include "attn-survey-private.h"
#include "attn-survey-states.h"

/* Number of tokens in a batch, unless a single text is longer. It is constant because the size of a
 * matrix product affects its rounding. */
#define BATCH_TOKENS 512

/* A batch of texts that go through the layers together. A text with a model of its own (bound to a
 * source or a sound) is a batch by itself. */
typedef struct
{
  gsize first; /* index in the chunk of the batch's first text */
  gsize n_texts;
  AttnModel *model;  /* the one that runs over @ids */
  AttnModel *reader; /* (nullable): encoder whose heads are changed, if @model is its decoder */
  GArray *ids;
  gsize *ends;
  guint32 *read_ids;    /* [texts]: token ids at the measured position */
  GPtrArray *residuals; /* [L]: inputs of layers where a pass begins, with the chosen heads
                         * changed */
  AttnTensor *finals;   /* [tokens, D]: final states of the unchanged model, if all positions are
                         * measured */
  AttnTensor *logits;   /* [texts, V]: logits of the unchanged model, if one position is measured */
  AttnTensor *states;   /* [texts, D]: normalized final states of the unchanged model at the last
                         * tokens */
} Part;

/* Final states of a batch, which are the output of the last layer. */
typedef struct
{
  const Part *part;
  int at;
  AttnTensor *ends; /* [texts, D]: final states at the last token of each text */
  AttnTensor *read; /* final states at the measured positions: [texts, D], or [tokens, D] */
} Finals;

/* Batches of a chunk with the results that all heads share. They are not changed once computed, so
 * that threads can share them. */
typedef struct
{
  guint64 chunk;
  GPtrArray *parts;
} Base;

/**
 * AttnAttributionWork:
 * @operation: the intervention that is applied to each head in turn
 * @step: number of the current step, from 0; @chosen has as many heads
 * @first_unit: number of the step's first unit
 * @lock: protects @base, also while it is computed, as all threads need it
 * @base: (nullable): batches of the chunk that was begun last
 */
struct _AttnAttributionWork
{
  const AttnSurvey *survey;
  AttnModel *model;
  const AttnSurveyData *shape;
  const AttnIntervention *operation;
  gsize step;
  gsize *chosen;
  guint64 first_unit;
  GMutex lock;
  Base *base;
};

static void
free_part (gpointer data)
{
  Part *part = data;

  g_clear_pointer (&part->model, attn_model_unref);
  g_clear_pointer (&part->reader, attn_model_unref);
  g_clear_pointer (&part->ids, g_array_unref);
  g_clear_pointer (&part->residuals, g_ptr_array_unref);
  g_clear_pointer (&part->finals, attn_tensor_unref);
  g_clear_pointer (&part->logits, attn_tensor_unref);
  g_clear_pointer (&part->states, attn_tensor_unref);
  g_free (part->ends);
  g_free (part->read_ids);
  g_free (part);
}

static void
clear_base (gpointer data)
{
  g_ptr_array_unref (((Base *) data)->parts);
}

static void
unref_base (Base *base)
{
  if (base != NULL)
    g_atomic_rc_box_release_full (base, clear_base);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Base, unref_base)

/**
 * attn_attribution_bind:
 * @operation: an intervention without a layer or head
 *
 * Returns: (transfer full): the same intervention on one head
 */
AttnIntervention *
attn_attribution_bind (const AttnIntervention *operation,
                       gsize                   layer,
                       gsize                   head)
{
  AttnIntervention *bound = attn_intervention_copy (operation);

  g_clear_pointer (&bound->layers, attn_index_set_unref);
  g_clear_pointer (&bound->heads, attn_index_set_unref);
  bound->layers = attn_index_set_new_range (layer, layer);
  bound->heads = attn_index_set_new_range (head, head);
  return bound;
}

/**
 * attn_attribution_work_new:
 * @survey: a survey whose shape is set; it outlives the work
 * @operation: the intervention that is applied to each head in turn; it outlives the work
 *
 * Returns: (transfer full): the work at its first step, whose units any number of threads may
 *   compute at once
 */
AttnAttributionWork *
attn_attribution_work_new (const AttnSurvey       *survey,
                           const AttnIntervention *operation)
{
  AttnAttributionWork *work = g_new0 (AttnAttributionWork, 1);

  work->survey = survey;
  work->model = survey->spec->model;
  work->shape = survey->shape;
  work->operation = operation;
  work->chosen = g_new (gsize, work->shape->attribution->n_steps);
  g_mutex_init (&work->lock);
  return work;
}

void
attn_attribution_work_free (AttnAttributionWork *work)
{
  if (work == NULL)
    return;
  unref_base (work->base);
  g_mutex_clear (&work->lock);
  g_free (work->chosen);
  g_free (work);
}

/**
 * attn_attribution_work_begin:
 * @first_unit: number of the step's first unit
 * @step: number of the step, from 0
 * @chosen: (array length=step): cells of the heads that earlier steps chose
 *
 * Begins a step. No thread may compute meanwhile.
 */
void
attn_attribution_work_begin (AttnAttributionWork *work,
                             guint64              first_unit,
                             gsize                step,
                             const gsize         *chosen)
{
  g_return_if_fail (step < work->shape->attribution->n_steps);

  g_clear_pointer (&work->base, unref_base);
  work->first_unit = first_unit;
  work->step = step;
  memcpy (work->chosen, chosen, step * sizeof *chosen);
}

/**
 * attn_attribution_work_get_first:
 *
 * Returns: number of the first unit of the current step
 */
guint64
attn_attribution_work_get_first (const AttnAttributionWork *work)
{
  return work->first_unit;
}

/**
 * attn_attribution_work_get_chunk:
 *
 * Returns: number of the chunk whose texts a unit of the current step computes
 */
guint64
attn_attribution_work_get_chunk (const AttnAttributionWork *work,
                                 guint64                    unit)
{
  return (unit - work->first_unit) / work->shape->attribution->n_cells;
}

/* Returns the interventions on the chosen heads, and on @cell unless it is %ATTN_ATTRIBUTION_NONE.
 * (element-type AttnIntervention) */
static GPtrArray *
list_changes (const AttnAttributionWork *work,
              gsize                      cell)
{
  const AttnSurveyData *shape = work->shape;
  GPtrArray *changes = g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);

  for (gsize i = 0; i <= work->step; i++)
    {
      gsize changed = i < work->step ? work->chosen[i] : cell;

      if (changed != ATTN_ATTRIBUTION_NONE)
        g_ptr_array_add (changes, attn_attribution_bind (work->operation,
                                                         shape->layers[changed / shape->n_heads],
                                                         shape->heads[changed % shape->n_heads]));
    }
  return changes;
}

/* Returns the layer with which a pass through the model begins if a head of @layer is changed. */
static gsize
find_start (const AttnAttributionWork *work,
            gsize                      layer)
{
  return attn_model_info_find_start (attn_model_get_info (work->model), layer);
}

/* Tells whether each text has its own model, bound to a source or a sound. */
static gboolean
has_own_models (const AttnModel *model)
{
  const AttnModelInfo *info = attn_model_get_info (model);

  return info->needs_source || info->needs_sound || attn_model_has_decoder (model);
}

/**
 * attn_attribution_work_estimate:
 *
 * Returns: bytes of memory for one thread and for the batches that all threads share
 */
gsize
attn_attribution_work_estimate (const AttnAttributionWork *work)
{
  const AttnModelInfo *info = attn_model_get_info (work->model);
  gsize length = work->shape->length;
  gsize n_tokens = MAX (length, BATCH_TOKENS);
  gsize n_bytes = 0;

  /* Adds the encoder and its output for each text of a chunk, and the answer that a decoder
   * generates. */
  if (has_own_models (work->model))
    n_bytes = attn_batch_estimate (work->model, length) +
              attn_continuation_estimate (work->model, 1, length) +
              sizeof (float) * ATTN_SURVEY_CHUNK * length * info->width;
  return n_bytes + attn_batch_estimate (work->model, n_tokens) +
         (work->shape->attribution->at == ATTN_AT_ALL
              ? attn_survey_states_estimate (work->model, ATTN_SURVEY_CHUNK * length)
              : 0) +
         sizeof (float) * (info->n_layers * ATTN_SURVEY_CHUNK * length * info->width +
                           2 * ATTN_SURVEY_CHUNK * (info->vocabulary_size + 2 * info->width));
}

/* -- What is known of a chunk -- */

static AttnTensor *
new_rows (gsize    n_rows,
          gsize    width,
          GError **error)
{
  const gsize shape[] = { n_rows, width };

  return attn_tensor_new_unset (2, shape, error);
}

static void
clear_tensor (gpointer tensor)
{
  g_clear_pointer ((AttnTensor **) &tensor, attn_tensor_unref);
}

/* Allocates the residual streams that enter the layers at which a pass with a changed head can
 * begin, except the first layer, which is fed with the embeddings. The decoder of a changed encoder
 * always begins with its first layer. */
static GPtrArray *
new_residuals (const AttnAttributionWork  *work,
               const Part                 *part,
               GError                    **error)
{
  const AttnModelInfo *info = attn_model_get_info (work->model);
  g_autoptr (GPtrArray) residuals = g_ptr_array_new_full (info->n_layers, clear_tensor);

  g_ptr_array_set_size (residuals, (int) info->n_layers);
  for (gsize i = 0; part->reader == NULL && i < work->shape->n_layers; i++)
    {
      gsize start = find_start (work, work->shape->layers[i]);

      if (start == 0 || residuals->pdata[start] != NULL)
        continue;
      residuals->pdata[start] = new_rows (part->ids->len, info->width, error);
      if (residuals->pdata[start] == NULL)
        return NULL;
    }
  return g_steal_pointer (&residuals);
}

static void
clear_finals (Finals *finals)
{
  g_clear_pointer (&finals->ends, attn_tensor_unref);
  g_clear_pointer (&finals->read, attn_tensor_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Finals, clear_finals)

/* Returns the position of a text at which the KL divergence is measured. In a text that is too
 * short it is the last position, and its KL divergence is not used. */
static gsize
find_read (int   at,
           gsize n_tokens)
{
  return at >= 0 ? MIN ((gsize) at, n_tokens - 1) : n_tokens - 1;
}

/* Copies the final states of one text: of its last token, and at the measured positions. */
static void
keep_finals (const AttnStates *states,
             gpointer          user_data)
{
  const Finals *finals = user_data;
  const AttnVectors *rows = &states->vectors;
  gsize width = rows->width;
  gsize n = rows->n_tokens;
  gsize begin = states->text > 0 ? finals->part->ends[states->text - 1] : 0;
  gsize first = finals->at == ATTN_AT_ALL ? 0 : find_read (finals->at, n);
  gsize end = finals->at == ATTN_AT_ALL ? n : first + 1;
  float *read =
      finals->read->data + (finals->at == ATTN_AT_ALL ? begin : states->text) * width;

  for (gsize row = first; row < end; row++)
    memcpy (read + (row - first) * width, attn_vectors_get (rows, 0, row), width * sizeof *read);
  memcpy (finals->ends->data + states->text * width, attn_vectors_get (rows, 0, n - 1),
          width * sizeof *read);
}

/* Returns the model that runs over a batch with @changes. Changes of an encoder are made by binding
 * its decoder to the changed output of the encoder. If the text is too short for the changes, the
 * unchanged model is returned. */
static AttnModel *
bind_changed (const Part       *part,
              const GPtrArray  *samples,
              GPtrArray        *changes,
              GCancellable     *cancellable,
              GError          **error)
{
  const AttnSample *sample = samples->pdata[part->first];

  if (part->reader == NULL || changes == NULL ||
      !attn_interventions_check (changes, part->reader, sample->n_ids, NULL))
    return attn_model_ref (part->model);
  return attn_survey_bind_speaker (part->reader, sample, changes, cancellable, error);
}

/* Runs a pass over the texts of a batch. If only the last position is measured, the last layer
 * computes no other positions. @samples: the texts of the chunk */
static gboolean
run_part (const AttnAttributionWork  *work,
          const Part                 *part,
          const GPtrArray            *samples,
          GPtrArray                  *changes,
          gboolean                    keeps_residuals,
          gsize                       start,
          Finals                     *finals,
          GCancellable               *cancellable,
          GError                    **error)
{
  gsize width = work->shape->attribution->width;
  int at = work->shape->attribution->at;
  g_autoptr (AttnModel) model = bind_changed (part, samples, changes, cancellable, error);
  AttnBatch batch = {
    .ids = (const guint32 *) (gconstpointer) part->ids->data,
    .ends = part->ends,
    .n_texts = part->n_texts,
    .interventions = part->reader == NULL ? changes : NULL,
    .residuals = keeps_residuals ? (AttnTensor * const *) part->residuals->pdata : NULL,
    .first_layer = start,
    .residual = part->residuals->pdata[start],
  };

  *finals = (Finals) { part, at, NULL, NULL };
  if (model == NULL || (finals->ends = new_rows (part->n_texts, width, error)) == NULL)
    return FALSE;
  if (at == ATTN_AT_LAST)
    {
      batch.last_rows = finals->ends;
      finals->read = attn_tensor_ref (finals->ends);
    }
  else
    {
      batch.see = keep_finals;
      batch.seen = ATTN_QUANTITY_FINAL;
      batch.user_data = finals;
      finals->read = new_rows (at == ATTN_AT_ALL ? part->ids->len : part->n_texts, width, error);
    }
  return finals->read != NULL && attn_batch_run (model, &batch, cancellable, error);
}

/* Keeps the final states of the unchanged model, or its logits at the measured position. */
static gboolean
keep_baseline (Part          *part,
               const Finals  *finals,
               GCancellable  *cancellable,
               GError       **error)
{
  if (finals->at == ATTN_AT_ALL)
    part->finals = attn_tensor_ref (finals->read);
  else
    part->logits =
        attn_batch_compute_logits (part->model, part->read_ids, finals->read, cancellable, error);
  if (part->finals == NULL && part->logits == NULL)
    return FALSE;
  part->states = attn_batch_normalize (part->model, finals->ends, error);
  return part->states != NULL;
}

/* Computes the texts of a batch with the unchanged model, and in a later step also with the heads
 * changed that earlier steps chose. */
static gboolean
compute_part (const AttnAttributionWork  *work,
              Part                       *part,
              const GPtrArray            *samples,
              GCancellable               *cancellable,
              GError                    **error)
{
  gboolean is_first = work->step == 0;
  g_auto (Finals) finals = { NULL };

  part->residuals = new_residuals (work, part, error);
  if (part->residuals == NULL ||
      !run_part (work, part, samples, NULL, is_first, 0, &finals, cancellable, error) ||
      !keep_baseline (part, &finals, cancellable, error))
    return FALSE;
  if (is_first || part->reader != NULL)
    return TRUE;

  g_autoptr (GPtrArray) changes = list_changes (work, ATTN_ATTRIBUTION_NONE);
  g_auto (Finals) ignored = { NULL };
  return run_part (work, part, samples, changes, TRUE, 0, &ignored, cancellable, error);
}

/* Makes a batch of one text that has its own model. The prediction of its decoder is measured, if
 * it has a decoder. */
static gboolean
bind_part (const AttnAttributionWork  *work,
           Part                       *part,
           const AttnSample           *sample,
           GCancellable               *cancellable,
           GError                    **error)
{
  g_autoptr (GArray) read = NULL;

  part->model = attn_survey_bind_text (work->survey, sample, &read, NULL, cancellable, error);
  if (part->model != NULL && attn_model_has_decoder (part->model))
    {
      part->reader = g_steal_pointer (&part->model);
      part->model = attn_survey_bind_speaker (part->reader, sample, NULL, cancellable, error);
      part->ids = part->model != NULL ? attn_survey_say (work->survey, part->model, sample, NULL,
                                                         cancellable, error)
                                      : NULL;
    }
  else if (part->model != NULL)
    part->ids = g_steal_pointer (&read);
  if (part->ids == NULL)
    return FALSE;
  part->n_texts = 1;
  part->ends = g_new (gsize, 1);
  part->ends[0] = part->ids->len;
  part->read_ids = g_new (guint32, 1);
  part->read_ids[0] = g_array_index (
      part->ids, guint32, find_read (work->shape->attribution->at, part->ids->len));
  return TRUE;
}

/* Fills a batch with texts that go through the layers together, beginning with the text
 * part->first. */
static void
fill_part (const AttnAttributionWork *work,
           Part                      *part,
           const GPtrArray           *samples)
{
  gboolean is_alone = attn_model_get_info (work->model)->depends_on_length;
  int at = work->shape->attribution->at;

  part->model = attn_model_ref (work->model);
  part->ids = g_array_new (FALSE, FALSE, sizeof (guint32));
  part->ends = g_new (gsize, samples->len);
  part->read_ids = g_new (guint32, samples->len);
  for (gsize i = part->first; i < samples->len; i++)
    {
      const AttnSample *sample = samples->pdata[i];

      if (part->n_texts > 0 && (is_alone || part->ids->len + sample->n_ids > BATCH_TOKENS))
        break;
      g_array_append_vals (part->ids, sample->ids, (guint) sample->n_ids);
      part->ends[part->n_texts] = part->ids->len;
      part->read_ids[part->n_texts++] = sample->ids[find_read (at, sample->n_ids)];
    }
}

static Base *
compute_base (const AttnAttributionWork  *work,
              guint64                     chunk,
              const GPtrArray            *samples,
              GCancellable               *cancellable,
              GError                    **error)
{
  g_autoptr (Base) base = g_atomic_rc_box_new0 (Base);

  base->chunk = chunk;
  base->parts = g_ptr_array_new_with_free_func (free_part);
  for (gsize first = 0; first < samples->len;)
    {
      Part *part = g_new0 (Part, 1);

      part->first = first;
      g_ptr_array_add (base->parts, part);
      if (!has_own_models (work->model))
        fill_part (work, part, samples);
      else if (!bind_part (work, part, samples->pdata[first], cancellable, error))
        return NULL;
      if (!compute_part (work, part, samples, cancellable, error))
        return NULL;
      first += part->n_texts;
    }
  return g_steal_pointer (&base);
}

/* Returns: (transfer full): batches of the chunk, which are computed by the first thread that needs
 * them. */
static Base *
get_base (AttnAttributionWork  *work,
          guint64               chunk,
          const GPtrArray      *samples,
          GCancellable         *cancellable,
          GError              **error)
{
  g_mutex_lock (&work->lock);
  if (work->base == NULL || work->base->chunk != chunk)
    {
      g_clear_pointer (&work->base, unref_base);
      work->base = compute_base (work, chunk, samples, cancellable, error);
    }
  Base *base = work->base != NULL ? g_atomic_rc_box_acquire (work->base) : NULL;
  g_mutex_unlock (&work->lock);
  return base;
}

/* -- A head -- */

/* Measures how far a changed head moves the prediction. @kl: (out) (array): KL divergence of each
 * text of the batch from the unchanged model, in nats */
static gboolean
measure_change (const Part    *part,
                const Finals  *finals,
                double        *kl,
                GCancellable  *cancellable,
                GError       **error)
{
  if (part->finals != NULL)
    {
      g_autofree double *losses = g_new (double, part->n_texts);

      if (!attn_survey_states_compare (part->model,
                                       (const guint32 *) (gconstpointer) part->ids->data,
                                       part->ends, part->n_texts, part->finals, finals->read, kl,
                                       losses, cancellable, error))
        return FALSE;
      for (gsize i = 0; i < part->n_texts; i++)
        kl[i] *= G_LN2;
      return TRUE;
    }

  g_autoptr (AttnTensor) logits =
      attn_batch_compute_logits (part->model, part->read_ids, finals->read, cancellable, error);
  if (logits == NULL)
    return FALSE;
  gsize n = logits->shape[1];
  for (gsize i = 0; i < part->n_texts; i++)
    {
      gsize n_tokens = part->ends[i] - (i > 0 ? part->ends[i - 1] : 0);
      const float *before = part->logits->data + i * n;
      double sums[2];

      kl[i] = finals->at >= 0 && (gsize) finals->at >= n_tokens
                  ? NAN
                  : attn_ops_compare_logits (before, logits->data + i * n, n, sums);
    }
  return TRUE;
}

static gboolean
compute_head (const AttnAttributionWork  *work,
              const Part                 *part,
              const GPtrArray            *samples,
              gsize                       cell,
              AttnAttributionUnit        *unit,
              GCancellable               *cancellable,
              GError                    **error)
{
  const AttnAttribution *attribution = work->shape->attribution;
  gsize width = attribution->width;
  gsize layer = work->shape->layers[cell / work->shape->n_heads];
  gsize start = part->reader == NULL ? find_start (work, layer) : 0;
  g_autoptr (GPtrArray) changes = list_changes (work, cell);
  g_auto (Finals) finals = { NULL };
  double *kl = unit->kl + part->first;

  if (!run_part (work, part, samples, changes, FALSE, start, &finals, cancellable, error) ||
      !measure_change (part, &finals, kl, cancellable, error))
    return FALSE;
  g_autoptr (AttnTensor) states = attn_batch_normalize (part->model, finals.ends, error);
  if (states == NULL)
    return FALSE;
  memcpy (unit->states + part->first * width, states->data,
          part->n_texts * width * sizeof (float));
  for (gsize i = 0; attribution->is_in_bits && i < part->n_texts; i++)
    kl[i] /= G_LN2;
  return TRUE;
}

static gboolean
is_chosen (const AttnAttributionWork *work,
           gsize                      cell)
{
  for (gsize i = 0; i < work->step; i++)
    if (work->chosen[i] == cell)
      return TRUE;
  return FALSE;
}

/**
 * attn_attribution_work_compute:
 * @number: number of the unit in the current step
 * @samples: (element-type AttnSample): texts of the unit's chunk, without those that have no tokens
 * @cancellable: (nullable)
 * @error: return location for errors of [func@attn_batch_run]
 *
 * Computes the texts of a chunk with one head changed, in the calling thread alone.
 *
 * Returns: (transfer full) (nullable): the results, for [func@attn_attribution_unit_add]
 */
GBytes *
attn_attribution_work_compute (AttnAttributionWork  *work,
                               guint64               number,
                               GPtrArray            *samples,
                               GCancellable         *cancellable,
                               GError              **error)
{
  const AttnAttribution *attribution = work->shape->attribution;
  gboolean is_decoder = attn_model_get_info (work->model)->needs_source &&
                        !attn_model_is_cross (work->model);
  gsize cell = (number - work->first_unit) % attribution->n_cells;
  gboolean has_baselines = work->step == 0 && cell == 0;
  AttnAttributionUnit unit;
  g_autoptr (GBytes) bytes = attn_attribution_unit_new (work->shape, number, samples->len,
                                                        has_baselines, &unit);

  for (guint i = 0; i < samples->len; i++)
    {
      const AttnSample *sample = samples->pdata[i];

      unit.numbers[i] = sample->number;
      unit.n_tokens[i] = MIN (sample->n_ids, work->shape->length);
    }
  if (is_chosen (work, cell))
    return g_steal_pointer (&bytes);
  g_autoptr (Base) base = get_base (work, attn_attribution_work_get_chunk (work, number), samples,
                                    cancellable, error);
  if (base == NULL)
    return NULL;
  for (guint i = 0; i < base->parts->len; i++)
    {
      const Part *part = base->parts->pdata[i];

      /* The length of a text is the number of keys. For a decoder's self-attention the keys are the
       * tokens of the decoder, as in attn_survey_compute(). */
      if (is_decoder)
        unit.n_tokens[part->first] = part->ids->len;
      if (has_baselines)
        memcpy (unit.baselines + part->first * attribution->width, part->states->data,
                part->n_texts * attribution->width * sizeof (float));
      if (!compute_head (work, part, samples, cell, &unit, cancellable, error))
        return NULL;
    }
  return g_steal_pointer (&bytes);
}
