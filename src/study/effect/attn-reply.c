/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-reply.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-answer-rules.h"
#include "attn-end-tokens.h"
#include "attn-error.h"
#include "attn-input-bind.h"
#include "attn-speaker.h"
#include "attn-workspace-private.h"

struct _AttnReplying
{
  AttnResult *result; /* (nullable): result that contains the panel whose interventions are
                       * applied */
  gsize index;
  gsize n_prompt;
  gsize n_most;
  AttnModel *model;
  AttnTokens *prompt;
  AttnGeneration *generation;
  gboolean is_short; /* whether the model has fewer positions than were requested */
  gboolean is_target;
  gsize n_answers;
  gsize n_vocabulary;
  GArray *ids[2];     /* array of guint32: token ids of both answers */
  GArray *details[2]; /* array of AttnReplyToken: details of each token of both answers */
};

/* --- Answers of the model --------------------------------------------------------------------- */

static void
clear_reply (gpointer data)
{
  AttnReply *reply = data;

  for (gsize i = 0; i < 2; i++)
    {
      g_clear_pointer (&reply->tokens[i], attn_tokens_unref);
      g_free (reply->details[i]);
    }
  g_clear_pointer (&reply->result, attn_result_unref);
  attn_tokens_unref (reply->prompt);
  attn_model_unref (reply->model);
}

AttnReply *
attn_reply_ref (AttnReply *reply)
{
  return g_atomic_rc_box_acquire (reply);
}

void
attn_reply_unref (AttnReply *reply)
{
  g_atomic_rc_box_release_full (reply, clear_reply);
}

/**
 * attn_reply_has:
 * @reply: (nullable): an answer of a model
 * @result: (nullable): a result that has the panel
 * @n_prompt: number of tokens of the input that are answered, 0 for all
 * @n_most: largest number of tokens of the answer
 *
 * Returns: whether @reply answers, as far as it is computed, these tokens of the input in the panel
 *   @index of @result
 */
gboolean
attn_reply_has (const AttnReply  *reply,
                const AttnResult *result,
                gsize             index,
                gsize             n_prompt,
                gsize             n_most)
{
  if (reply == NULL || reply->result == NULL || result == NULL ||
      reply->result->cells != result->cells || reply->index != index || reply->n_most != n_most)
    return FALSE;
  gsize n_tokens = result->inputs[result->cells[index].input]->n_tokens;
  return (reply->n_prompt > 0 ? reply->n_prompt : n_tokens) ==
         (n_prompt > 0 ? n_prompt : n_tokens);
}

/**
 * attn_reply_label:
 * @ids: (element-type guint32): token ids
 *
 * Returns: (transfer full): the tokens with their text as labels; with ids as labels if the model
 *   has no tokenizer
 */
AttnTokens *
attn_reply_label (const AttnModel *model,
                  const GArray    *ids)
{
  const AttnTokenizer *tokenizer = attn_model_get_tokenizer (model, NULL);
  const guint32 *data = (const guint32 *) (gpointer) ids->data;
  AttnTokens *tokens =
      tokenizer != NULL ? attn_tokenizer_label_ids (tokenizer, data, ids->len, NULL) : NULL;

  return tokens != NULL ? tokens : attn_tokens_new_from_ids (data, ids->len, NULL);
}

/**
 * attn_replying_get:
 *
 * Returns: (transfer full): a snapshot of the answers as far as they are generated
 */
AttnReply *
attn_replying_get (const AttnReplying *replying)
{
  AttnReply *reply = g_atomic_rc_box_new0 (AttnReply);

  reply->result = replying->result != NULL ? attn_result_ref (replying->result) : NULL;
  reply->index = replying->index;
  reply->n_prompt = replying->n_prompt;
  reply->n_most = replying->n_most;
  reply->model = attn_model_ref (replying->model);
  reply->prompt = attn_tokens_ref (replying->prompt);
  reply->is_target = replying->is_target;
  reply->n_answers = replying->n_answers;
  reply->outcome = *attn_generation_get_result (replying->generation);
  reply->is_open = attn_generation_is_open (replying->generation);
  for (gsize i = 0; i < replying->n_answers; i++)
    {
      const GArray *details = replying->details[i];

      if (details->len == 0)
        continue;
      reply->tokens[i] = attn_reply_label (replying->model, replying->ids[i]);
      reply->details[i] = g_memdup2 (details->data, details->len * sizeof (AttnReplyToken));
      if (replying->is_short && reply->outcome.ends[i] == ATTN_ANSWER_END_LENGTH)
        reply->outcome.ends[i] = ATTN_ANSWER_END_POSITIONS;
    }
  return reply;
}

/* --- Computing an answer ---------------------------------------------------------------------- */

/* Finds the most probable tokens, sorted by descending probability; of equal ones the lower id
 * comes first. */
static void
find_top (const float    *logits,
          gsize           n,
          double          log_sum,
          AttnReplyToken *token)
{
  token->n_top = 0;
  for (gsize i = 0; i < n; i++)
    {
      gsize place = token->n_top;

      while (place > 0 && logits[i] > logits[token->top[place - 1]])
        place--;
      if (place == ATTN_REPLY_TOP)
        continue;
      token->n_top = MIN (token->n_top + 1, ATTN_REPLY_TOP);
      memmove (&token->top[place + 1], &token->top[place],
               (token->n_top - place - 1) * sizeof *token->top);
      token->top[place] = (guint32) i;
    }
  for (gsize i = 0; i < token->n_top; i++)
    token->shares[i] = (float) exp (logits[token->top[i]] - log_sum);
}

static gboolean
hear_cb (const AttnGenerated *generated,
         gpointer             user_data)
{
  AttnReplying *self = user_data;
  gsize which = generated->is_modified ? 1 : 0;
  AttnReplyToken token = {
    .is_end = generated->is_end,
    .probability = generated->probability,
    .kl = generated->kl,
  };

  /* The generated token is the most probable of n tokens, with a probability of at least 1/n, so
   * that its logarithm is finite. */
  find_top (generated->logits, self->n_vocabulary,
            generated->logits[generated->id] - log (generated->probability), &token);
  g_array_append_val (self->ids[which], generated->id);
  g_array_append_val (self->details[which], token);
  return TRUE;
}

/* Starts the generation by computing the tokens to which the model answers. */
static AttnReplying *
begin (const AttnSpeaker   *speaker,
       gsize                n_most,
       const AttnProgress  *progress,
       GCancellable        *cancellable,
       GError             **error)
{
  AttnModel *model = speaker->model;
  AttnTokens *prompt = speaker->tokens;
  gsize n_positions = attn_model_get_info (model)->n_positions;
  g_autofree guint32 *ids = attn_tokens_dup_ids (prompt);
  g_autoptr (GArray) ends = NULL;
  g_autoptr (AttnAnswerRules) rules = NULL;

  if (prompt->n_tokens >= n_positions)
    return attn_fail_null (error, ATTN_ERROR_LIMIT,
                           _("%zu tokens found, which are all positions of the model, expected "
                             "fewer to be continued"),
                           prompt->n_tokens);
  if (!attn_model_list_end_tokens (model, &ends, error))
    return NULL;
  rules = attn_answer_rules_load (model, error);
  if (rules == NULL)
    return NULL;

  gsize n_left = n_positions - prompt->n_tokens;
  const AttnGenerationRequest request = {
    .ids = ids,
    .n_ids = prompt->n_tokens,
    .interventions = speaker->interventions,
    .changed = speaker->changed,
    .sampling = { .top_p = 1.0 },
    .max_tokens = MIN (n_most, n_left),
    .ends = (const guint32 *) (gpointer) ends->data,
    .n_ends = ends->len,
    .rules = rules,
    .may_end_early = TRUE,
  };
  AttnGeneration *generation =
      attn_generation_new (model, &request, progress, cancellable, error);
  if (generation == NULL)
    return NULL;

  AttnReplying *self = g_new0 (AttnReplying, 1);
  self->model = attn_model_ref (model);
  self->prompt = attn_tokens_ref (prompt);
  self->generation = generation;
  self->n_most = n_most;
  self->is_short = n_left < n_most;
  self->is_target = speaker->is_target;
  self->n_answers = speaker->changed != NULL ||
                            (speaker->interventions != NULL && speaker->interventions->len > 0)
                        ? 2
                        : 1;
  self->n_vocabulary = attn_model_get_info (model)->vocabulary_size;
  for (gsize i = 0; i < 2; i++)
    {
      self->ids[i] = g_array_new (FALSE, FALSE, sizeof (guint32));
      self->details[i] = g_array_new (FALSE, FALSE, sizeof (AttnReplyToken));
    }
  return self;
}

/**
 * attn_replying_new_for_input:
 * @index: index of an input of @study
 * @n_most: largest number of tokens of the answer, at least 1; the answer is shorter if the model
 *   has fewer positions
 * @progress: (nullable): is told of each layer of the passes over the input
 * @cancellable: (nullable): checked during passes through the model
 * @error: return location: %ATTN_ERROR_LIMIT if the model has no position left behind the input;
 *   errors of [func@attn_input_bind] and [func@attn_generation_new]
 *
 * Begins the answer of the model to an input, without interventions. The data of the workspace
 * stays as it is.
 *
 * Returns: (transfer full) (nullable): the begun answer, which attn_replying_go_on() continues
 */
AttnReplying *
attn_replying_new_for_input (const AttnStudy     *study,
                             gsize                index,
                             gsize                n_most,
                             AttnWorkspace       *workspace,
                             const AttnProgress  *progress,
                             GCancellable        *cancellable,
                             GError             **error)
{
  AttnModel *model =
      attn_workspace_open_model (workspace, &study->model, study->attention, error);
  g_autoptr (AttnTokens) tokens = NULL;
  g_autoptr (AttnTokens) source = NULL;

  if (model == NULL)
    return NULL;
  const AttnInput *input = g_ptr_array_index (study->inputs, index);
  AttnFraming framing = attn_study_get_framing (study);
  g_autoptr (AttnModel) bound = attn_input_bind (input, index + 1, model, study, -1,
                                                 cancellable, &tokens, &source, error);
  g_auto (AttnSpeaker) speaker = { NULL };
  return bound != NULL && attn_speaker_init (&speaker, bound, input, index + 1, tokens, framing,
                                             NULL, cancellable, error)
             ? begin (&speaker, n_most, progress, cancellable, error)
             : NULL;
}

/* Counts the tokens of the input to which the model answers, without tokens that it generated
 * itself. Returns 0 if all tokens count, and G_MAXSIZE on error. */
static gsize
count_given (const AttnBaseline  *baseline,
             gsize                n_prompt,
             GError             **error)
{
  gboolean is_decoder = baseline->source_tokens != NULL;
  g_autoptr (AttnTokens) given = NULL;

  if (is_decoder && !attn_input_has_target (baseline->input))
    return 1;
  if (baseline->n_answer == 0 || attn_model_has_decoder (baseline->model))
    return n_prompt;
  given = is_decoder ? attn_input_tokenize_target (baseline->input, 1, baseline->model,
                                                   baseline->framing, error)
                     : attn_input_tokenize (baseline->input, 1, baseline->model,
                                            baseline->framing, error);
  return given != NULL ? given->n_tokens : G_MAXSIZE;
}

/**
 * attn_replying_new_for_panel:
 * @index: index of a panel of @result; of a difference B - A, B counts
 * @n_prompt: number of tokens of the input, or of its target, that are answered, 0 for all; without
 *   a target a decoder begins with its start token
 * @n_most: largest number of tokens of each answer, as for attn_replying_new_for_input()
 * @error: return location: errors of attn_replying_new_for_input()
 *
 * Begins the answers of the model without and with the interventions of that panel.
 *
 * Returns: (transfer full) (nullable): the begun answers, which attn_replying_go_on() continues
 */
AttnReplying *
attn_replying_new_for_panel (AttnResult          *result,
                             gsize                index,
                             gsize                n_prompt,
                             gsize                n_most,
                             AttnWorkspace       *workspace,
                             const AttnProgress  *progress,
                             GCancellable        *cancellable,
                             GError             **error)
{
  const AttnCell *cell = &result->cells[index];

  if (!attn_workspace_prepare (workspace, result->study, cancellable, error))
    return NULL;

  AttnBaseline *baseline = attn_workspace_get_baseline (workspace, cell->model, cell->input);
  g_autoptr (GPtrArray) interventions =
      attn_workspace_build_interventions (workspace, cell, result->study);
  gsize n_own = count_given (baseline, n_prompt, error);
  if (n_own == G_MAXSIZE)
    return NULL;
  gboolean is_whole = n_own == 0 || n_own >= baseline->tokens->n_tokens ||
                      attn_model_has_decoder (baseline->model);
  g_autoptr (AttnTokens) prompt = is_whole ? attn_tokens_ref (baseline->tokens)
                                           : attn_tokens_truncate (baseline->tokens, n_own);

  g_auto (AttnSpeaker) speaker = { NULL };
  if (!attn_speaker_init (&speaker, baseline->model, baseline->input, cell->input + 1, prompt,
                          baseline->framing, interventions, cancellable, error))
    return NULL;
  if (n_own > 0 && attn_model_has_decoder (baseline->model) && n_own < speaker.tokens->n_tokens)
    {
      g_autoptr (AttnTokens) all = speaker.tokens;

      speaker.tokens = attn_tokens_truncate (all, n_own);
    }
  AttnReplying *replying = begin (&speaker, n_most, progress, cancellable, error);
  if (replying != NULL)
    {
      replying->result = attn_result_ref (result);
      replying->index = index;
      replying->n_prompt = n_prompt;
    }
  return replying;
}

void
attn_replying_free (AttnReplying *replying)
{
  if (replying == NULL)
    return;
  for (gsize i = 0; i < 2; i++)
    {
      g_array_unref (replying->ids[i]);
      g_array_unref (replying->details[i]);
    }
  attn_generation_free (replying->generation);
  g_clear_pointer (&replying->result, attn_result_unref);
  attn_tokens_unref (replying->prompt);
  attn_model_unref (replying->model);
  g_free (replying);
}

/**
 * attn_replying_go_on:
 * @end: time by the monotonic clock, in microseconds, after which no token but the first is begun
 * @cancellable: (nullable): checked during passes through the model
 * @error: return location: errors of [func@attn_generation_step]
 *
 * Computes at least one token of each answer that is not complete.
 */
gboolean
attn_replying_go_on (AttnReplying  *replying,
                     gint64         end,
                     GCancellable  *cancellable,
                     GError       **error)
{
  do
    {
      if (!attn_generation_step (replying->generation, hear_cb, replying, cancellable, error))
        return FALSE;
    }
  while (attn_generation_is_open (replying->generation) && g_get_monotonic_time () < end);
  return TRUE;
}

/* --- Appending an answer to its input --------------------------------------------------------- */

static void
append_ids (GArray           *ids,
            const AttnTokens *tokens)
{
  for (gsize i = 0; i < tokens->n_tokens; i++)
    g_array_append_val (ids, tokens->tokens[i].id);
}

/**
 * attn_input_append_tokens:
 * @tokens: the tokens of @input, or of its target
 * @is_target: whether the answer is appended to the target
 * @answer: the tokens of the answer
 *
 * Returns: (transfer full): a copy of @input with the answer behind it, as token ids
 */
AttnInput *
attn_input_append_tokens (const AttnInput  *input,
                          const AttnTokens *tokens,
                          gboolean          is_target,
                          const AttnTokens *answer)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint32));

  append_ids (ids, tokens);
  append_ids (ids, answer);

  const guint32 *data = (const guint32 *) (gpointer) ids->data;
  AttnInput *appended =
      is_target ? attn_input_copy (input) : attn_input_new_ids (data, ids->len, 0);
  if (!is_target)
    {
      appended->target = g_strdup (input->target);
      appended->target_ids =
          g_memdup2 (input->target_ids, input->n_target_ids * sizeof *input->target_ids);
      appended->n_target_ids = input->n_target_ids;
      return appended;
    }
  g_clear_pointer (&appended->target, g_free);
  g_free (appended->target_ids);
  appended->target_ids = g_memdup2 (data, ids->len * sizeof *data);
  appended->n_target_ids = ids->len;
  return appended;
}

/* Decodes @answer together with the last of @tokens, since some decoders drop a space at the
 * beginning of a text, and returns the text of @answer. Returns NULL if the bytes are not valid
 * UTF-8. */
static char *
decode_answer (const AttnTokenizer *tokenizer,
               const AttnTokens    *tokens,
               const AttnTokens    *answer)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint32));
  gsize n_before = 0;

  if (tokens->n_tokens > 0)
    {
      g_array_append_val (ids, tokens->tokens[tokens->n_tokens - 1].id);
      g_autoptr (GBytes) before =
          attn_tokenizer_decode (tokenizer, (const guint32 *) (gpointer) ids->data, 1, NULL);
      n_before = before != NULL ? g_bytes_get_size (before) : 0;
    }
  append_ids (ids, answer);
  g_autoptr (GBytes) bytes =
      attn_tokenizer_decode (tokenizer, (const guint32 *) (gpointer) ids->data, ids->len, NULL);
  gsize size = 0;
  const char *data = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;
  if (data == NULL || size < n_before)
    return NULL;
  size -= n_before;
  return g_utf8_validate_len (data + n_before, size, NULL) ? g_strndup (data + n_before, size)
                                                           : NULL;
}

/* Tells whether tokenizing @input gives exactly @tokens followed by @answer. */
static gboolean
has_tokens (const AttnInput  *input,
            const AttnTokens *tokens,
            const AttnTokens *answer,
            const AttnModel  *model,
            AttnFraming       framing)
{
  g_autoptr (AttnTokens) all = attn_input_tokenize (input, 1, model, framing, NULL);
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint32));

  append_ids (ids, tokens);
  append_ids (ids, answer);
  if (all == NULL || all->n_tokens != ids->len)
    return FALSE;
  for (gsize i = 0; i < all->n_tokens; i++)
    if (all->tokens[i].id != g_array_index (ids, guint32, i))
      return FALSE;
  return TRUE;
}

/**
 * attn_input_append_text:
 * @tokens: the tokens of @input, or of its target
 * @is_target: whether the answer is appended to the target
 * @answer: the tokens of the answer
 * @model: the model whose tokenizer reads the input
 * @framing: what the study adds around texts
 *
 * Returns: (transfer full): a copy of @input with the answer behind it: as text if the tokenizer
 *   makes the same tokens of that text, else as ids, see attn_input_append_tokens()
 */
AttnInput *
attn_input_append_text (const AttnInput  *input,
                        const AttnTokens *tokens,
                        gboolean          is_target,
                        const AttnTokens *answer,
                        const AttnModel  *model,
                        AttnFraming       framing)
{
  const AttnTokenizer *tokenizer = attn_model_get_tokenizer (model, NULL);
  g_autofree char *said = tokenizer != NULL && input->text != NULL && !is_target
                              ? decode_answer (tokenizer, tokens, answer)
                              : NULL;

  if (said != NULL)
    {
      gsize n_used = strlen (input->text);

      /* If only the first tokens of the input were used, only their text is kept. */
      if (tokens->n_cut > 0)
        n_used = MIN (n_used, tokens->tokens[tokens->n_tokens - 1].end);
      g_autofree char *used = g_strndup (input->text, n_used);
      g_autofree char *text = g_strconcat (used, said, NULL);
      g_autoptr (AttnInput) appended = attn_input_new_text (text, 0);
      appended->target = g_strdup (input->target);
      appended->target_ids =
          g_memdup2 (input->target_ids, input->n_target_ids * sizeof *input->target_ids);
      appended->n_target_ids = input->n_target_ids;
      if (g_utf8_validate (text, -1, NULL) &&
          has_tokens (appended, tokens, answer, model, framing))
        return g_steal_pointer (&appended);
    }
  return attn_input_append_tokens (input, tokens, is_target, answer);
}
