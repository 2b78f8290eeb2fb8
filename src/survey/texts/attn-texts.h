/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads the texts of a survey one after the other, as token ids. */

#pragma once

#include "attn-model.h"

G_BEGIN_DECLS

/**
 * AttnTextsSpec:
 * @path: (nullable) (type filename): a file: .txt with a text on each line; .jsonl with a JSON
 *   object on each line; .csv with a text in each row; .fasta, .fa or .faa with sequences; .npy or
 *   .npz with token ids, a row for each text; "-" for lines of standard input; a folder of pictures
 *   or of sounds; %NULL for random tokens
 * @field: (nullable): member of the JSON objects that holds the text; %NULL for "text"
 * @column: (nullable): column of a CSV file with the texts: its name in the first row, or its
 *   number, counted from 0, in a file without such a row
 * @length: T, the most tokens of a text; longer texts are cut off
 * @is_packed: whether all texts are joined, and every T tokens of the result are taken as a text
 * @framing: special tokens or chat template that are put around each text
 * @skip: number of texts at the beginning that are skipped
 * @limit: largest number of texts that are read; 0 for all
 * @n_random: number of texts of random tokens, each @length / 2 tokens that are repeated once
 * @seed: seed of the random tokens
 * @bind_file: (nullable): for a folder of pictures or sounds: returns the model bound to one of the
 *   files, or fails; any thread may call it
 * @has_sounds: whether the folder is of sounds rather than pictures
 * @n_file_tokens: number of tokens of each picture or sound
 * @seconds: time from one token of a sound to the next
 */
typedef struct
{
  char *path;
  char *field;
  char *column;
  gsize length;
  gboolean is_packed;
  AttnFraming framing;
  guint64 skip;
  guint64 limit;
  guint64 n_random;
  guint32 seed;
  AttnModel *(*bind_file) (AttnModel *model,
                           const char *path,
                           GError **error);
  gboolean has_sounds;
  gsize n_file_tokens;
  double seconds;
} AttnTextsSpec;

/**
 * AttnSample:
 * @number: number of the text in its file, or of the T tokens if texts are packed, counted from 0
 * @ids: (array length=n_ids): token ids, never empty; for a picture or a sound 0, 1, 2 and so on
 * @target: (nullable) (array length=n_target): token ids that the decoder reads, if the file has a
 *   target for the text
 * @file: (nullable): path of the picture or the sound; %NULL for a text
 */
typedef struct
{
  guint64 number;
  guint32 *ids;
  gsize n_ids;
  guint32 *target;
  gsize n_target;
  char *file;
} AttnSample;

void attn_sample_free (AttnSample *sample);

/**
 * AttnTextsLoss:
 * @n_texts: number of texts with characters that were left out, as the vocabulary has no token for
 *   them
 * @n_characters: number of such characters in all texts
 * @first: number of the first such text
 */
typedef struct
{
  guint64 n_texts;
  guint64 n_characters;
  guint64 first;
} AttnTextsLoss;

typedef struct _AttnTexts AttnTexts;

AttnTexts  *attn_texts_open         (const AttnTextsSpec  *spec,
                                     AttnModel            *model,
                                     GCancellable         *cancellable,
                                     GError              **error);
AttnTexts  *attn_texts_dup          (const AttnTexts      *texts,
                                     GError              **error);
void        attn_texts_free         (AttnTexts            *texts);
const char *attn_texts_get_checksum (const AttnTexts      *texts);
const AttnTextsLoss *attn_texts_get_loss (const AttnTexts *texts);
guint64     attn_texts_get_most      (const AttnTexts     *texts);
gboolean    attn_texts_check         (const AttnTexts     *texts,
                                      GError             **error);
guint64     attn_texts_get_number   (const AttnTexts      *texts);
double      attn_texts_get_fraction (const AttnTexts      *texts);
gboolean    attn_texts_next         (AttnTexts            *texts,
                                     gboolean              is_wanted,
                                     AttnSample          **sample,
                                     GError              **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnSample, attn_sample_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnTexts, attn_texts_free)

G_END_DECLS
