/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The models of SentencePiece: sentencepiece_model.proto. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-file.h"
#include "attn-tokenizer-config.h"
#include "attn-tokenizer-readers.h"
#include "attn-wire.h"

#define XLM_ROBERTA_NAME "sentencepiece.bpe.model"

/* ModelProto */
enum
{
  FIELD_PIECES = 1,
  FIELD_TRAINER_SPEC = 2,
  FIELD_NORMALIZER_SPEC = 3,
};

/* TrainerSpec.model_type */
enum
{
  MODEL_UNIGRAM = 1,
  MODEL_BPE = 2,
};

/* What the file may leave out, with the defaults of the format. */
typedef struct
{
  AttnTokenizerSource *source;
  guint64 model;
  guint64 unknown_id;
  guint64 begin_id;
  guint64 end_id;
  guint64 has_byte_fallback;
  guint64 has_space_suffix;
  guint64 adds_prefix_space;
  guint64 removes_extra_spaces;
  guint64 escapes_spaces;
  gboolean has_trainer_spec;
  gboolean has_normalizer_spec;
} Reader;

static gboolean
refuse (const Reader  *reader,
        const char    *found,
        GError       **error)
{
  return attn_fail (error, ATTN_ERROR_FORMAT, _("%s: %s found, expected a SentencePiece model"),
                    reader->source->where, found);
}

static gboolean
refuse_option (const Reader  *reader,
               const char    *found,
               GError       **error)
{
  return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                    _("%s: SentencePiece model %s found, expected BPE or Unigram with “▁” before "
                      "words"),
                    reader->source->where, found);
}

/* Takes the number of a field where it is one. */
static gboolean
take_number (const Reader         *reader,
             const AttnWireField  *field,
             guint64              *value,
             GError              **error)
{
  if (field->type != ATTN_WIRE_VARINT)
    return refuse (reader, _("a number that is written as something else"), error);
  *value = field->value;
  return TRUE;
}

static float
get_float (const AttnWireField *field)
{
  guint32 bits = field->value;
  float value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

static gboolean
read_piece (Reader    *reader,
            AttnWire   wire,
            GError   **error)
{
  const char *piece = "";
  guint64 type = ATTN_PIECE_NORMAL;
  float score = 0;
  guint8 byte;
  AttnWireField field;
  AttnWireStatus status;

  while ((status = attn_wire_read (&wire, &field)) == ATTN_WIRE_FIELD)
    {
      gsize length = field.bytes.end - field.bytes.next;

      if (field.number == 1 && field.type == ATTN_WIRE_BYTES)
        {
          if (memchr (field.bytes.next, '\0', length) != NULL)
            return refuse (reader, _("a token with a NUL in it"), error);
          piece = g_string_chunk_insert_len (reader->source->strings,
                                             (const char *) field.bytes.next, length);
        }
      else if (field.number == 2 && field.type == ATTN_WIRE_FIXED32)
        score = get_float (&field);
      else if (field.number == 3 && !take_number (reader, &field, &type, error))
        return FALSE;
    }
  if (status == ATTN_WIRE_BROKEN)
    return refuse (reader, _("a token that cannot be read"), error);
  byte = MIN (type, G_MAXUINT8);
  g_ptr_array_add (reader->source->pieces, (char *) piece);
  g_array_append_val (reader->source->scores, score);
  g_byte_array_append (reader->source->types, &byte, 1);
  return TRUE;
}

static gboolean
read_trainer_spec (Reader    *reader,
                   AttnWire   wire,
                   GError   **error)
{
  AttnWireField field;
  AttnWireStatus status;

  reader->has_trainer_spec = TRUE;
  while ((status = attn_wire_read (&wire, &field)) == ATTN_WIRE_FIELD)
    {
      guint64 *value = field.number == 3 ? &reader->model : field.number == 24 ? &reader->has_space_suffix
                                                        : field.number == 35   ? &reader->has_byte_fallback
                                                        : field.number == 40   ? &reader->unknown_id
                                                        : field.number == 41   ? &reader->begin_id
                                                        : field.number == 42   ? &reader->end_id
                                                                               : NULL;

      if (value != NULL && !take_number (reader, &field, value, error))
        return FALSE;
    }
  return status == ATTN_WIRE_END ||
         refuse (reader, _("a specification of the training that cannot be read"), error);
}

static gboolean
read_normalizer_spec (Reader    *reader,
                      AttnWire   wire,
                      GError   **error)
{
  AttnWireField field;
  AttnWireStatus status;

  reader->has_normalizer_spec = TRUE;
  while ((status = attn_wire_read (&wire, &field)) == ATTN_WIRE_FIELD)
    {
      guint64 *value = field.number == 3 ? &reader->adds_prefix_space : field.number == 4 ? &reader->removes_extra_spaces
                                                                    : field.number == 5   ? &reader->escapes_spaces
                                                                                          : NULL;

      if (value != NULL && !take_number (reader, &field, value, error))
        return FALSE;
      if (field.number != 2 || field.type != ATTN_WIRE_BYTES)
        continue;
      g_clear_pointer (&reader->source->parts.charsmap, g_bytes_unref);
      reader->source->parts.charsmap = g_bytes_new (field.bytes.next, field.bytes.end - field.bytes.next);
    }
  return status == ATTN_WIRE_END ||
         refuse (reader, _("a normalizer that cannot be read"), error);
}

static gboolean
read_model (Reader    *reader,
            AttnWire   wire,
            GError   **error)
{
  AttnWireField field;
  AttnWireStatus status;

  while ((status = attn_wire_read (&wire, &field)) == ATTN_WIRE_FIELD)
    {
      gboolean success = TRUE;

      if (field.type != ATTN_WIRE_BYTES)
        continue;
      if (field.number == FIELD_PIECES)
        success = read_piece (reader, field.bytes, error);
      else if (field.number == FIELD_TRAINER_SPEC)
        success = read_trainer_spec (reader, field.bytes, error);
      else if (field.number == FIELD_NORMALIZER_SPEC)
        success = read_normalizer_spec (reader, field.bytes, error);
      if (!success)
        return FALSE;
    }
  if (status == ATTN_WIRE_BROKEN)
    return refuse (reader, _("a field that cannot be read"), error);
  /* Both follow the tokens, whose list could be cut without a trace otherwise. */
  if (!reader->has_trainer_spec || !reader->has_normalizer_spec)
    return refuse (reader, _("a file without a specification of training and normalizer"), error);
  if (reader->model != MODEL_BPE && reader->model != MODEL_UNIGRAM)
    return refuse_option (reader, _("of words or characters"), error);
  if (reader->has_space_suffix || !reader->escapes_spaces)
    return refuse_option (reader, _("that treats spaces in another way"), error);
  return TRUE;
}

/* The format says -1, in two's complement, for a token that there is not. */
static guint32
to_id (guint64 id)
{
  return id <= G_MAXINT32 ? (guint32) id : ATTN_TOKENIZER_NO_ID;
}

static void
insert_piece (AttnTokenizerSource *source,
              guint                id,
              const char          *piece,
              AttnPieceType        type)
{
  guint8 byte = type;
  float score = 0;

  g_ptr_array_insert (source->pieces, (gint) id, (gpointer) piece);
  g_array_insert_val (source->scores, id, score);
  g_byte_array_append (source->types, &byte, 1);
  memmove (source->types->data + id + 1, source->types->data + id, source->types->len - id - 1);
  source->types->data[id] = byte;
}

/* XLM-RoBERTa was trained with ids of its own: “<s>”, “<pad>”, “</s>”, “<unk>”, the pieces from
 * number 3 on, “<mask>”; the file begins “<unk>”, “<s>”, “</s>”. Other models that are shipped
 * under the same name have yet other ids. */
static gboolean
renumber_for_xlm_roberta (Reader  *reader,
                          GError **error)
{
  static const char * const beginning[] = { "<unk>", "<s>", "</s>" };
  g_auto (AttnTokenizerConfig) config = { 0 };
  AttnTokenizerSource *source = reader->source;
  const char *class_name;

  if (!attn_tokenizer_config_load (&config, source->path, error) ||
      !attn_tokenizer_config_get_string (&config, "tokenizer_class", "XLMRobertaTokenizer",
                                         &class_name, error))
    return FALSE;
  if (!g_str_has_prefix (class_name, "XLMRoberta"))
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: tokenizer of class %s found, expected XLMRobertaTokenizer"),
                      source->where, class_name);
  for (guint id = 0; id < G_N_ELEMENTS (beginning); id++)
    if (id >= source->pieces->len || !g_str_equal (source->pieces->pdata[id], beginning[id]))
      return refuse (reader, _("a beginning other than “<unk>”, “<s>”, “</s>”"), error);

  g_ptr_array_remove_range (source->pieces, 0, 3);
  g_array_remove_range (source->scores, 0, 3);
  g_byte_array_remove_range (source->types, 0, 3);
  insert_piece (source, 0, "<s>", ATTN_PIECE_CONTROL);
  insert_piece (source, 1, "<pad>", ATTN_PIECE_CONTROL);
  insert_piece (source, 2, "</s>", ATTN_PIECE_CONTROL);
  insert_piece (source, 3, "<unk>", ATTN_PIECE_UNKNOWN);
  insert_piece (source, source->pieces->len, "<mask>", ATTN_PIECE_CONTROL);
  reader->begin_id = 0;
  reader->end_id = 2;
  reader->unknown_id = 3;
  return TRUE;
}

static gboolean
is_xlm_roberta (const Reader *reader)
{
  return g_str_has_suffix (reader->source->path, XLM_ROBERTA_NAME);
}

/* The model does not say what goes around a text. A tokenizer.model is that of Llama, a
 * spiece.model that of ALBERT or T5, a sentencepiece.bpe.model that of XLM-RoBERTa. */
static gboolean
find_ends (const Reader  *reader,
           GError       **error)
{
  AttnTokenizerSource *source = reader->source;
  gboolean is_spiece = g_str_has_suffix (source->path, "spiece.model");
  gboolean is_albert = is_spiece &&
                       attn_tokenizer_source_find (source, "[CLS]") != ATTN_TOKENIZER_NO_ID &&
                       attn_tokenizer_source_find (source, "[SEP]") != ATTN_TOKENIZER_NO_ID;
  g_auto (AttnTokenizerConfig) config = { 0 };
  gboolean adds_begin, adds_end;

  if (!attn_tokenizer_config_load (&config, source->path, error) ||
      !attn_tokenizer_config_get_boolean (&config, "add_bos_token", !is_spiece || is_albert,
                                          &adds_begin, error) ||
      !attn_tokenizer_config_get_boolean (&config, "add_eos_token",
                                          is_spiece || is_xlm_roberta (reader), &adds_end, error))
    return FALSE;
  if (adds_begin)
    source->parts.begin_id = is_albert ? attn_tokenizer_source_find (source, "[CLS]")
                                       : to_id (reader->begin_id);
  if (adds_end)
    source->parts.end_id = is_albert ? attn_tokenizer_source_find (source, "[SEP]")
                                     : to_id (reader->end_id);
  return TRUE;
}

/**
 * attn_tokenizer_read_sentencepiece:
 * @source: a tokenizer.model, spiece.model or sentencepiece.bpe.model
 * @error: return location for %ATTN_ERROR_FORMAT, %ATTN_ERROR_UNSUPPORTED for a kind of model that
 *   is not done, and what reading the file reports
 */
gboolean
attn_tokenizer_read_sentencepiece (AttnTokenizerSource  *source,
                                   GError              **error)
{
  g_autoptr (GBytes) bytes = attn_file_read (source->path, G_MAXSIZE, error);
  AttnTokenizerParts *parts = &source->parts;
  Reader reader = {
    .source = source,
    .model = MODEL_UNIGRAM,
    .begin_id = 1,
    .end_id = 2,
    .adds_prefix_space = TRUE,
    .removes_extra_spaces = TRUE,
    .escapes_spaces = TRUE,
  };
  gsize length;

  if (bytes == NULL)
    return FALSE;
  const guint8 *data = g_bytes_get_data (bytes, &length);
  if (!read_model (&reader, (AttnWire) { data, data + length }, error) ||
      (is_xlm_roberta (&reader) && !renumber_for_xlm_roberta (&reader, error)) ||
      !find_ends (&reader, error))
    return FALSE;
  parts->model = reader.model == MODEL_BPE ? ATTN_TOKENIZER_SCORED_BPE : ATTN_TOKENIZER_UNIGRAM;
  parts->unknown_id = to_id (reader.unknown_id);
  parts->adds_prefix_space = reader.adds_prefix_space != 0;
  parts->removes_extra_spaces = reader.removes_extra_spaces != 0;
  parts->has_byte_fallback = reader.has_byte_fallback != 0;
  return TRUE;
}
