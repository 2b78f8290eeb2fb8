/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-texts.h"

#include <gio/gio.h>
#include <gio/gunixinputstream.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "attn-array.h"
#include "attn-checksum.h"
#include "attn-error.h"
#include "attn-file.h"
#include "attn-target.h"
#include "attn-text-folder.h"
#include "attn-text-reader.h"
#include "attn-text.h"

/* Bytes of a file whose checksum is computed, which takes some milliseconds, between two checks of
 * the cancellable. */
#define PIECE ((gsize) 1 << 20)

/**
 * AttnTexts:
 * @where: name of the file in messages
 * @content: (nullable): bytes of the file, mapped
 * @reader: reads @content; for a folder that is the names of its files, one a line
 * @ids: (nullable): [N, T], the array of a file of token ids
 * @number: number of the next text in its file
 * @n_given: number of texts that attn_texts_next() has returned
 * @rest: joined tokens of packed texts; those from @rest_begin on were not returned yet
 */
struct _AttnTexts
{
  AttnTextsSpec spec;
  AttnModel *model;
  const AttnTokenizer *tokenizer;
  char *where;
  GBytes *content;
  char *checksum;
  AttnTextReader *reader;
  AttnArrayFile *arrays;
  const AttnArray *ids;
  guint64 number;
  guint64 n_given;
  GArray *rest;
  gsize rest_begin;
  guint64 n_packed;
  AttnTextsLoss *loss; /* counts of characters left out, shared with copies of the reader; only one
                        * of them reads at a time */
  gboolean owns_loss;
};

void
attn_sample_free (AttnSample *sample)
{
  if (sample == NULL)
    return;
  g_free (sample->ids);
  g_free (sample->target);
  g_free (sample->file);
  g_free (sample);
}

static AttnSample *
sample_new (guint64        number,
            const guint32 *ids,
            gsize          n_ids)
{
  AttnSample *sample = g_new (AttnSample, 1);

  *sample = (AttnSample) { .number = number,
                           .ids = g_memdup2 (ids, n_ids * sizeof *ids),
                           .n_ids = n_ids };
  return sample;
}

/* -- Opening -- */

/* Copies standard input to a file that can be mapped and read more than once. */
static GBytes *
map_standard_input (GError **error)
{
  g_autofree char *path = NULL;
  int fd = g_file_open_tmp ("attention-grid-XXXXXX", &path, error);
  g_autoptr (GFile) file = fd >= 0 ? g_file_new_for_path (path) : NULL;
  GBytes *content = NULL;

  if (file == NULL)
    return NULL;
  close (fd);

  g_autoptr (GInputStream) input = g_unix_input_stream_new (STDIN_FILENO, FALSE);
  g_autoptr (GFileOutputStream) output =
      g_file_replace (file, NULL, FALSE, G_FILE_CREATE_PRIVATE, NULL, error);
  gssize n_bytes = output != NULL
                       ? g_output_stream_splice (G_OUTPUT_STREAM (output), input,
                                                 G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET, NULL, error)
                       : -1;
  /* An empty file cannot be mapped, so that the contents are an empty string. */
  if (n_bytes == 0)
    content = g_bytes_new_static ("", 0);
  else if (n_bytes > 0)
    content = attn_file_map (path, error);
  attn_file_list_forget (path);
  g_unlink (path);
  return content;
}

/* Opens a file of token ids again by its name, this time as arrays. */
static gboolean
open_ids (AttnTexts  *texts,
          GError    **error)
{
  gsize n_arrays;

  texts->arrays = attn_array_file_load (texts->spec.path, error);
  if (texts->arrays == NULL)
    return FALSE;
  texts->ids = attn_array_file_find_single (texts->arrays, &n_arrays);
  if (texts->ids == NULL)
    return attn_fail (error, ATTN_ERROR_FORMAT,
                      _("%s: %zu arrays of numbers found, expected one of token ids"), texts->where,
                      n_arrays);
  if (texts->ids->n_dims == 0 || texts->ids->n_dims > 2)
    return attn_fail (error, ATTN_ERROR_SHAPE,
                      _("%s: an array of %u dimensions found, expected token ids, a row a text"),
                      texts->where, texts->ids->n_dims);
  return TRUE;
}

/* Computes the checksum of the file, which takes seconds for gigabytes. */
static gboolean
sum (AttnTexts     *texts,
     GCancellable  *cancellable,
     GError       **error)
{
  g_autoptr (AttnChecksum) checksum = attn_checksum_new ();
  gsize n_bytes;
  const guint8 *bytes = g_bytes_get_data (texts->content, &n_bytes);

  for (gsize done = 0; done < n_bytes; done += PIECE)
    {
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      attn_checksum_update (checksum, bytes + done, MIN (PIECE, n_bytes - done));
    }
  texts->checksum = attn_checksum_finish_hex (checksum);
  return TRUE;
}

static gboolean
open_file (AttnTexts     *texts,
           GCancellable  *cancellable,
           GError       **error)
{
  const char *path = texts->spec.path;
  gboolean is_input = g_str_equal (path, "-");

  if (texts->spec.bind_file != NULL)
    {
      texts->where = g_filename_display_name (path);
      texts->content = attn_text_folder_list (path, texts->spec.has_sounds, &texts->checksum,
                                              error);
      return texts->content != NULL;
    }
  if (!is_input && g_file_test (path, G_FILE_TEST_IS_DIR))
    {
      g_autofree char *folder = g_filename_display_name (path);

      return attn_fail (error, ATTN_ERROR_ARGUMENT,
                        attn_model_get_info (texts->model)->takes_picture
                            ? _("%s: a folder found, expected a file of texts; --attention vision "
                                "surveys a folder of pictures")
                            : _("%s: a folder found, expected a file of texts"),
                        folder);
    }
  g_autofree char *stamp = attn_file_dup_stamp (path);

  texts->where = is_input ? g_strdup (_("standard input")) : g_filename_display_name (path);
  texts->content = is_input ? map_standard_input (error) : attn_file_map (path, error);
  if (texts->content == NULL)
    return FALSE;
  /* The checksum is computed last, since it takes longest and other errors should be reported
   * before. */
  if (attn_text_has_suffix (path, ".npy") || attn_text_has_suffix (path, ".npz"))
    {
      if (!open_ids (texts, error))
        return FALSE;
    }
  else
    {
      texts->tokenizer = attn_model_get_tokenizer (texts->model, error);
      if (texts->tokenizer == NULL)
        return FALSE;
    }
  if (!sum (texts, cancellable, error))
    return FALSE;
  g_autofree char *now = attn_file_dup_stamp (path);
  return texts->ids == NULL || g_str_equal (stamp, now) ||
         attn_fail (error, ATTN_ERROR_CHANGED, _("%s: the file was changed while it was read"),
                    texts->where);
}

/* Makes the reader of the file, which begins with the first text. A file of arrays needs none. */
static gboolean
begin (AttnTexts  *texts,
       GError    **error)
{
  if (texts->content == NULL || texts->ids != NULL)
    return TRUE;
  const AttnTextForm form = {
    .path = texts->spec.bind_file != NULL ? NULL : texts->spec.path,
    .where = texts->where,
    .field = texts->spec.field,
    .column = texts->spec.column,
    .has_target = attn_model_get_info (texts->model)->needs_source ||
                  attn_model_has_decoder (texts->model),
  };

  texts->reader = attn_text_reader_new (texts->content, &form, error);
  return texts->reader != NULL;
}

/* The checksum of random tokens is "random/SEED", as only the seed determines them. */
static void
begin_random (AttnTexts *texts)
{
  texts->where = g_strdup (_("random tokens"));
  texts->checksum = g_strdup_printf ("random/%u", texts->spec.seed);
}

static AttnTexts *
texts_new (const AttnTextsSpec *spec,
           AttnModel           *model)
{
  AttnTexts *texts = g_new0 (AttnTexts, 1);

  texts->spec = *spec;
  texts->spec.path = g_strdup (spec->path);
  texts->spec.field = g_strdup (spec->field);
  texts->spec.column = g_strdup (spec->column);
  texts->model = attn_model_ref (model);
  texts->rest = g_array_new (FALSE, FALSE, sizeof (guint32));
  texts->loss = g_new0 (AttnTextsLoss, 1);
  texts->owns_loss = TRUE;
  return texts;
}

/**
 * attn_texts_open:
 * @spec: file of the texts and how they are read, such as their largest length
 * @model: model whose tokenizer and vocabulary are used
 * @cancellable: (nullable): checked while the checksum of the file is computed
 * @error: return location for %ATTN_ERROR_FORMAT, %ATTN_ERROR_SHAPE, %G_IO_ERROR_CANCELLED, errors
 *   of reading a file and those of the tokenizer
 *
 * Files are mapped, so that memory does not grow with the number of texts.
 *
 * Returns: (transfer full) (nullable): a reader that begins with the first text
 */
AttnTexts *
attn_texts_open (const AttnTextsSpec  *spec,
                 AttnModel            *model,
                 GCancellable         *cancellable,
                 GError              **error)
{
  g_autoptr (AttnTexts) texts = texts_new (spec, model);

  if (spec->path == NULL)
    begin_random (texts);
  else if (!open_file (texts, cancellable, error) || !begin (texts, error))
    return NULL;
  return g_steal_pointer (&texts);
}

/**
 * attn_texts_dup:
 *
 * Returns: (transfer full) (nullable): another reader of the same texts, which begins with the
 *   first text and must not outlive @texts; standard input is not read again
 */
AttnTexts *
attn_texts_dup (const AttnTexts  *texts,
                GError          **error)
{
  g_autoptr (AttnTexts) copy = texts_new (&texts->spec, texts->model);

  g_free (copy->loss);
  copy->loss = texts->loss;
  copy->owns_loss = FALSE;
  copy->where = g_strdup (texts->where);
  copy->checksum = g_strdup (texts->checksum);
  copy->tokenizer = texts->tokenizer;
  copy->content = texts->content != NULL ? g_bytes_ref (texts->content) : NULL;
  copy->arrays = texts->arrays != NULL ? attn_array_file_ref (texts->arrays) : NULL;
  copy->ids = texts->ids;
  return begin (copy, error) ? g_steal_pointer (&copy) : NULL;
}

void
attn_texts_free (AttnTexts *texts)
{
  if (texts == NULL)
    return;
  g_array_unref (texts->rest);
  attn_text_reader_free (texts->reader);
  if (texts->owns_loss)
    g_free (texts->loss);
  g_clear_pointer (&texts->arrays, attn_array_file_unref);
  g_clear_pointer (&texts->content, g_bytes_unref);
  attn_model_unref (texts->model);
  g_free (texts->checksum);
  g_free (texts->where);
  g_free (texts->spec.path);
  g_free (texts->spec.field);
  g_free (texts->spec.column);
  g_free (texts);
}

/**
 * attn_texts_get_checksum:
 *
 * Returns: checksum that identifies the texts: SHA-256 of their file in hexadecimal digits, or
 *   "random/SEED"
 */
const char *
attn_texts_get_checksum (const AttnTexts *texts)
{
  return texts->checksum;
}

/**
 * attn_texts_get_loss:
 *
 * Returns: (transfer none): counts of the characters that were left out of the texts so far
 */
const AttnTextsLoss *
attn_texts_get_loss (const AttnTexts *texts)
{
  return texts->loss;
}

/**
 * attn_texts_get_most:
 *
 * Returns: an upper limit of the number of texts, packed or not: each text takes at least one byte
 *   of the file, and a byte gives at most 64 tokens
 */
guint64
attn_texts_get_most (const AttnTexts *texts)
{
  const guint64 n_tokens_a_byte = 64;

  if (texts->spec.path == NULL)
    return (guint64) texts->spec.n_random + 1;
  return ((guint64) g_bytes_get_size (texts->content) + 1) * n_tokens_a_byte;
}

/**
 * attn_texts_check:
 * @error: return location for %ATTN_ERROR_CHANGED
 *
 * Returns: %FALSE if the file was changed since its checksum was computed, so that the texts that
 *   were read may not belong to [func@attn_texts_get_checksum]
 */
gboolean
attn_texts_check (const AttnTexts  *texts,
                  GError          **error)
{
  return texts->content == NULL || !attn_file_is_mapped (texts->content) ||
         attn_file_check (texts->content, error);
}

/**
 * attn_texts_get_number:
 *
 * Returns: number of the text that attn_texts_next() reads next, from 0 on
 */
guint64
attn_texts_get_number (const AttnTexts *texts)
{
  return texts->spec.is_packed ? texts->n_packed : MAX (texts->number, texts->spec.skip);
}

/* -- Reading -- */

/* Makes a text of n random tokens twice in a row. Each text has its own seed, so that it can be
 * made without the texts before it. */
static AttnSample *
make_random (const AttnTexts *texts)
{
  const guint32 seeds[] = { texts->spec.seed, (guint32) texts->number,
                            (guint32) (texts->number >> 32) };
  g_autoptr (GRand) rand = g_rand_new_with_seed_array (seeds, G_N_ELEMENTS (seeds));
  gsize n = MAX (texts->spec.length / 2, 1);
  gsize n_words = attn_model_get_info (texts->model)->vocabulary_size;
  g_autofree guint32 *ids = g_new (guint32, 2 * n);

  for (gsize i = 0; i < n; i++)
    ids[i] = ids[n + i] = (guint32) g_rand_int_range (rand, 0, (gint32) MIN (n_words, G_MAXINT32));
  return sample_new (texts->number, ids, 2 * n);
}

/* Reads the next text as token ids, or skips a text that is not wanted. @ids: (out) (element-type
 * guint32): token ids of the text */
static gboolean
read_ids (AttnTexts  *texts,
          gboolean    is_wanted,
          GArray    **ids,
          GError    **error)
{
  if (texts->ids != NULL)
    {
      const AttnArray *array = texts->ids;
      gsize n_rows = array->n_dims == 2 ? array->shape[0] : 1;
      gsize n_columns = array->shape[array->n_dims - 1];

      if (texts->number >= n_rows)
        return FALSE;
      if (!is_wanted)
        return TRUE;

      g_autofree float *row = g_new (float, MAX (n_columns, 1));
      if (!attn_array_read (array, texts->number * n_columns, n_columns, row, error))
        return FALSE;
      *ids = g_array_sized_new (FALSE, FALSE, sizeof (guint32), (guint) n_columns);
      for (gsize i = 0; i < n_columns; i++)
        {
          /* A float32 represents any token id below 2^24 exactly. */
          if (!(row[i] >= 0.0f && row[i] < 16777216.0f && row[i] == (float) (guint32) row[i]))
            return attn_fail (error, ATTN_ERROR_LIMIT,
                              _("%s: %g found as token %zu of text %zu, expected an id"),
                              texts->where, row[i], i, texts->number);
          guint32 id = (guint32) row[i];
          g_array_append_val (*ids, id);
        }
      return TRUE;
    }

  g_autofree char *text = NULL;
  if (!attn_text_reader_next (texts->reader, texts->number, is_wanted, &text, error))
    return FALSE;
  if (!is_wanted)
    return TRUE;
  g_autoptr (AttnTokens) tokens =
      text[0] != '\0' ? attn_tokenizer_encode (texts->tokenizer, text, -1,
                                               texts->spec.framing, error)
                      : NULL;
  if (text[0] != '\0' && tokens == NULL)
    return FALSE;
  if (tokens != NULL && tokens->n_dropped > 0)
    {
      texts->loss->first = texts->loss->n_texts == 0 ? texts->number
                                                     : MIN (texts->loss->first, texts->number);
      texts->loss->n_texts++;
      texts->loss->n_characters += tokens->n_dropped;
    }
  *ids = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (gsize i = 0; tokens != NULL && i < tokens->n_tokens; i++)
    g_array_append_val (*ids, tokens->tokens[i].id);
  return TRUE;
}

/* Adds the target in the file for the text; the target is cut off at the same length as texts. */
static gboolean
add_target (const AttnTexts  *texts,
            AttnSample       *sample,
            GError          **error)
{
  g_autoptr (GArray) ids = NULL;
  const char *target =
      texts->reader != NULL ? attn_text_reader_get_target (texts->reader) : NULL;

  if (target == NULL)
    return TRUE;
  g_autoptr (AttnModel) decoder = attn_model_has_decoder (texts->model)
                                      ? attn_model_dup_decoder (texts->model, error)
                                      : attn_model_ref (texts->model);
  if (decoder == NULL)
    return FALSE;
  ids = attn_target_encode (decoder, target, texts->spec.framing, error);
  if (ids == NULL)
    return FALSE;
  sample->n_target = MIN (ids->len, texts->spec.length);
  sample->target = g_memdup2 (ids->data, sample->n_target * sizeof *sample->target);
  return TRUE;
}

/* Tells whether the limit of texts is not yet reached. Skipped texts do not count. */
static gboolean
may_give (const AttnTexts *texts)
{
  return texts->spec.limit == 0 || texts->n_given < texts->spec.limit;
}

/* Takes the next T tokens of all texts joined. Fewer tokens at the end are dropped. */
static gboolean
next_piece (AttnTexts   *texts,
            AttnSample **sample,
            GError     **error)
{
  gsize length = texts->spec.length;

  for (;;)
    {
      g_autoptr (GArray) ids = NULL;

      if (texts->rest->len - texts->rest_begin >= length)
        {
          guint64 number = texts->n_packed++;
          const guint32 *begin = &g_array_index (texts->rest, guint32, texts->rest_begin);

          texts->rest_begin += length;
          if (number < texts->spec.skip)
            continue;
          texts->n_given++;
          *sample = sample_new (number, begin, length);
          return TRUE;
        }
      if (!read_ids (texts, TRUE, &ids, error))
        return FALSE;
      texts->number++;
      g_array_remove_range (texts->rest, 0, (guint) texts->rest_begin);
      texts->rest_begin = 0;
      g_array_append_vals (texts->rest, ids->data, ids->len);
    }
}

/* Makes a sample with the path of the next picture or sound. The file is decoded only when its
 * results are computed; all files have as many tokens as the first. */
static gboolean
next_file (AttnTexts   *texts,
           gboolean     is_wanted,
           AttnSample **sample,
           GError     **error)
{
  g_autofree char *name = NULL;

  for (; texts->number < texts->spec.skip; texts->number++)
    if (!attn_text_reader_next (texts->reader, texts->number, FALSE, &name, error))
      return FALSE;
  if (!attn_text_reader_next (texts->reader, texts->number, is_wanted, &name, error))
    return FALSE;
  if (is_wanted)
    {
      gsize n = texts->spec.n_file_tokens;
      g_autofree guint32 *ids = g_new (guint32, n);

      for (gsize i = 0; i < n; i++)
        ids[i] = (guint32) i;
      *sample = sample_new (texts->number, ids, n);
      (*sample)->file = g_build_filename (texts->spec.path, name, NULL);
    }
  texts->number++;
  texts->n_given++;
  return TRUE;
}

/**
 * attn_texts_next:
 * @is_wanted: %FALSE to skip the text without tokenizing it
 * @sample: (out) (nullable): the text; %NULL if it is not wanted or has no tokens
 * @error: return location for %ATTN_ERROR_FORMAT and %ATTN_ERROR_LIMIT
 *
 * Returns: %FALSE if there are no more texts, or with @error set if the text cannot be read
 */
gboolean
attn_texts_next (AttnTexts   *texts,
                 gboolean     is_wanted,
                 AttnSample **sample,
                 GError     **error)
{
  *sample = NULL;
  if (!may_give (texts))
    return FALSE;
  if (texts->spec.path == NULL)
    {
      texts->number = MAX (texts->number, texts->spec.skip);
      if (texts->number >= texts->spec.n_random)
        return FALSE;
      if (is_wanted)
        *sample = make_random (texts);
    }
  else if (texts->spec.bind_file != NULL)
    return next_file (texts, is_wanted, sample, error);
  else if (texts->spec.is_packed)
    return next_piece (texts, sample, error);
  else
    {
      g_autoptr (GArray) ids = NULL;

      for (; texts->number < texts->spec.skip; texts->number++)
        if (!read_ids (texts, FALSE, &ids, error))
          return FALSE;
      if (!read_ids (texts, is_wanted, &ids, error))
        return FALSE;
      if (is_wanted && ids->len > 0)
        {
          *sample = sample_new (texts->number, (const guint32 *) (gconstpointer) ids->data,
                                MIN (ids->len, texts->spec.length));
          if (!add_target (texts, *sample, error))
            {
              g_clear_pointer (sample, attn_sample_free);
              return FALSE;
            }
        }
    }
  texts->number++;
  texts->n_given++;
  return TRUE;
}

/**
 * attn_texts_get_fraction:
 *
 * Returns: share of the texts that was read, 0 to 1
 */
double
attn_texts_get_fraction (const AttnTexts *texts)
{
  gsize length = texts->content != NULL ? g_bytes_get_size (texts->content) : 0;
  double end = texts->spec.path == NULL ? (double) texts->spec.n_random
               : texts->ids != NULL     ? (double) texts->ids->shape[0]
                                        : (double) length;
  double now = texts->reader == NULL
                   ? (double) texts->number
                   : (double) length - (double) attn_text_reader_count_rest (texts->reader);
  double share = end > 0.0 ? now / end : 1.0;

  if (texts->spec.limit > 0)
    share = MAX (share, (double) texts->n_given / (double) texts->spec.limit);
  return MIN (share, 1.0);
}
