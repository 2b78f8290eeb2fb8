/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-survey-states.h"

#include <math.h>
#include <string.h>

#include "attn-batch.h"
#include "attn-ops.h"
#include "attn-statistic.h"

/* Number of positions whose logits are computed at a time. It is constant because the size of a
 * matrix product affects its rounding. */
#define BLOCK_ROWS 64

/* -- Kinds of tokens -- */

/* Tells whether the token consists of punctuation only, with or without spaces. A line break counts
 * as punctuation. @label: the token's text, with ␣ for a space and ↵ for a line break */
static gboolean
is_punctuation (const char *label)
{
  gboolean has_any = FALSE;

  for (; *label != '\0'; label = g_utf8_next_char (label))
    {
      gunichar c = g_utf8_get_char (label);

      switch (g_unichar_type (c))
        {
        case G_UNICODE_CONNECT_PUNCTUATION:
        case G_UNICODE_DASH_PUNCTUATION:
        case G_UNICODE_OPEN_PUNCTUATION:
        case G_UNICODE_CLOSE_PUNCTUATION:
        case G_UNICODE_INITIAL_PUNCTUATION:
        case G_UNICODE_FINAL_PUNCTUATION:
        case G_UNICODE_OTHER_PUNCTUATION:
          has_any = TRUE;
          break;
        default:
          if (c == 0x21b5) /* ↵ */
            has_any = TRUE;
          else if (c != 0x2423) /* ␣ */
            return FALSE;
        }
    }
  return has_any;
}

/**
 * attn_survey_states_find_delimiters:
 *
 * Returns: (transfer full): [T], 1 for each token that is punctuation, a line break or a special
 *   token, else 0
 */
guint8 *
attn_survey_states_find_delimiters (const AttnTokens *tokens)
{
  guint8 *delimiters = g_new (guint8, tokens->n_tokens);

  for (gsize i = 0; i < tokens->n_tokens; i++)
    delimiters[i] = tokens->tokens[i].is_special || is_punctuation (tokens->labels[i]);
  return delimiters;
}

/* -- Vectors -- */

/**
 * attn_survey_states_measure:
 * @norms: (out) (array): [T]: the Euclidean norm at each position, averaged over the heads
 */
void
attn_survey_states_measure (const AttnVectors *vectors,
                            double            *norms)
{
  for (gsize token = 0; token < vectors->n_tokens; token++)
    {
      norms[token] = 0.0;
      for (gsize head = 0; head < vectors->n_heads; head++)
        {
          const float *x = attn_vectors_get (vectors, head, token);
          double sum = 0.0;

          for (gsize i = 0; i < vectors->width; i++)
            sum += (double) x[i] * x[i];
          norms[token] += sqrt (sum) / (double) vectors->n_heads;
        }
    }
}

/* Returns the median of the absolute values. The bits of a positive float are ordered like the
 * float, so the median's upper 16 bits are found first by counting, then its lower 16 bits. For an
 * even number of values it is the lower middle one, as in torch.median(). */
static float
find_median (const AttnVectors *vectors)
{
  g_autofree guint32 *counts = g_new (guint32, 1 << 16);
  gsize rank = (vectors->n_tokens * vectors->width - 1) / 2;
  guint32 upper = 0;
  guint32 place = 0;

  for (int half = 0; half < 2; half++)
    {
      memset (counts, 0, (sizeof *counts) << 16);
      for (gsize token = 0; token < vectors->n_tokens; token++)
        {
          const float *x = attn_vectors_get (vectors, 0, token);

          for (gsize i = 0; i < vectors->width; i++)
            {
              guint32 bits;

              memcpy (&bits, &x[i], sizeof bits);
              bits &= 0x7fffffff;
              if (half == 0)
                counts[bits >> 16]++;
              else if (bits >> 16 == upper)
                counts[bits & 0xffff]++;
            }
        }
      for (place = 0; rank >= counts[place]; place++)
        rank -= counts[place];
      if (half == 0)
        upper = place;
    }

  guint32 bits = upper << 16 | place;
  float median;
  memcpy (&median, &bits, sizeof median);
  return median;
}

/**
 * attn_survey_states_count_massive:
 * @vectors: the residual stream of one text
 * @counts: (out) (array): [T]: number of massive activations at each position
 */
void
attn_survey_states_count_massive (const AttnVectors *vectors,
                                  double            *counts)
{
  float least = MAX (ATTN_MASSIVE_LEAST, ATTN_MASSIVE_FACTOR * find_median (vectors));

  for (gsize token = 0; token < vectors->n_tokens; token++)
    {
      const float *x = attn_vectors_get (vectors, 0, token);

      counts[token] = 0.0;
      for (gsize i = 0; i < vectors->width; i++)
        counts[token] += fabsf (x[i]) > least;
    }
}

/* -- Predictions -- */

/**
 * attn_survey_states_estimate:
 * @n_tokens: number of tokens of all texts of a batch together
 *
 * Returns: bytes of memory for the final states of two passes and for
 *   [func@attn_survey_states_compare]
 */
gsize
attn_survey_states_estimate (const AttnModel *model,
                             gsize            n_tokens)
{
  const AttnModelInfo *info = attn_model_get_info (model);

  return 2 * sizeof (float) * (n_tokens * info->width + BLOCK_ROWS * info->vocabulary_size) +
         attn_batch_estimate (model, BLOCK_ROWS);
}

/* Computes the logits of @n_rows positions from @first on. */
static AttnTensor *
compute_logits (AttnModel         *model,
                const guint32     *ids,
                const AttnTensor  *finals,
                gsize              first,
                gsize              n_rows,
                GCancellable      *cancellable,
                GError           **error)
{
  g_autoptr (AttnTensor) rows = attn_tensor_slice_range ((AttnTensor *) finals, first, n_rows);

  return attn_batch_compute_logits (model, ids + first, rows, cancellable, error);
}

/**
 * attn_survey_states_compare:
 * @ids: (array): token ids of all texts, one text behind the other
 * @ends: (array length=n_texts): index in @ids at which each text ends
 * @before: (nullable): [tokens, D], output of the baseline's last layer; %NULL if @after is the
 *   baseline itself, or if the KL divergence is not wanted
 * @after: [tokens, D], output of the condition's last layer
 * @kl: (out) (array length=n_texts): KL divergence in bits, the mean over the positions; 0 without
 *   @before
 * @loss: (out) (array length=n_texts): loss in bits, the mean over the positions that have a token
 *   to predict; NaN where no position has
 * @error: return location for errors of [func@attn_batch_compute_logits]
 */
gboolean
attn_survey_states_compare (AttnModel         *model,
                            const guint32     *ids,
                            const gsize       *ends,
                            gsize              n_texts,
                            const AttnTensor  *before,
                            const AttnTensor  *after,
                            double            *kl,
                            double            *loss,
                            GCancellable      *cancellable,
                            GError           **error)
{
  gsize n_ahead = attn_model_get_info (model)->predicts_next ? 1 : 0;
  gsize n_tokens = after->shape[0];
  gsize text = 0;
  gsize begin = 0;

  kl[0] = loss[0] = 0.0;
  for (gsize first = 0; first < n_tokens; first += BLOCK_ROWS)
    {
      gsize n_rows = MIN (BLOCK_ROWS, n_tokens - first);
      g_autoptr (AttnTensor) q =
          compute_logits (model, ids, after, first, n_rows, cancellable, error);
      g_autoptr (AttnTensor) p =
          q == NULL        ? NULL
          : before == NULL ? attn_tensor_ref (q)
                           : compute_logits (model, ids, before, first, n_rows, cancellable, error);

      if (p == NULL)
        return FALSE;
      for (gsize row = first; row < first + n_rows; row++)
        {
          gsize n = q->shape[1];
          const float *logits = q->data + (row - first) * n;
          double sums[2];

          kl[text] += attn_ops_compare_logits (p->data + (row - first) * n, logits, n, sums);
          if (row + n_ahead < ends[text])
            loss[text] += sums[1] - logits[ids[row + n_ahead]];
          if (row + 1 < ends[text])
            continue;
          gsize n_targets = ends[text] - begin - n_ahead;
          kl[text] /= G_LN2 * (double) (ends[text] - begin);
          loss[text] = n_targets > 0 ? loss[text] / (G_LN2 * (double) n_targets) : NAN;
          begin = ends[text];
          if (++text < n_texts)
            kl[text] = loss[text] = 0.0;
        }
    }
  return TRUE;
}
