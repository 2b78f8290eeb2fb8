/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Texts of a survey as token ids, one after the other. */

#pragma once

#include "attn-model.h"

G_BEGIN_DECLS

/**
 * AttnTextsSpec:
 * @path: (nullable) (type filename): .txt, a text a line; .jsonl, an object a line; .csv; .fasta,
 *   .fa or .faa, a sequence a text; .npy or .npz of token ids, a row a text; "-" for lines of
 *   standard input; a folder of pictures or of sounds; %NULL for random tokens
 * @field: (nullable): member of the objects that holds the text, %NULL for "text"
 * @column: (nullable): of a CSV file: what its first row calls it, or its number, counted from 0,
 *   of a file without such a row
 * @length: T, the most tokens of a text; what is longer is cut
 * @is_packed: texts are joined, and every T tokens are a text
 * @framing: what stands around each text
 * @skip: texts at the beginning that are passed over
 * @limit: texts at most, 0 for all
 * @n_random: how many sequences of @length / 2 random tokens said twice
 * @seed: of the random tokens
 * @bind_file: (nullable): of a model of pictures or sounds, which @path is a folder of: gives it
 *   one of them, or fails; any thread may call
 * @has_sounds: whether these are sounds
 * @n_file_tokens: of each of them
 * @seconds: from one token of a sound to the next
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
 * @number: of the text in its file, or of the piece where texts are packed, counted from 0
 * @ids: (array length=n_ids): never empty; of a picture or a sound the numbers of its tokens
 * @target: (nullable) (array length=n_target): what the decoder reads itself, where the file
 *   has it
 * @file: (nullable): path of the picture or the sound
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
 * @n_texts: texts of which characters were left out, that the vocabulary has no token for
 * @n_characters: in all of them
 * @first: number of the first
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
