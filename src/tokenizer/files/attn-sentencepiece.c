/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads SentencePiece models, in the format of sentencepiece_model.proto. */

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-file.h"
#include "attn-tokenizer-config.h"
#include "attn-tokenizer-readers.h"

/* The largest size of a file that is read. Published models have a few megabytes. */
#define MAX_BYTES ((gsize) 1 << 30)

/* Numbers of fields of ModelProto, the message that a file consists of. */
enum
{
  FIELD_PIECES = 1,
  FIELD_TRAINER_SPEC = 2,
  FIELD_NORMALIZER_SPEC = 3,
};

/* Values of TrainerSpec.model_type that are supported. */
enum
{
  MODEL_UNIGRAM = 1,
  MODEL_BPE = 2,
};

/* The part of a Protocol Buffers message that has not been read yet. */
typedef struct
{
  const guint8 *next;
  const guint8 *end;
} Wire;

typedef enum
{
  WIRE_VARINT = 0,
  WIRE_FIXED64 = 1,
  WIRE_BYTES = 2,
  WIRE_FIXED32 = 5,
} WireType;

/* A field of a Protocol Buffers message. @value: its content if it is a number; @bytes: its content
 * if it is a string, bytes or a message */
typedef struct
{
  guint64 number;
  WireType type;
  guint64 value;
  Wire bytes;
} Field;

/* Maps the number of a field in a Protocol Buffers message to a member of a struct: a guint64 for
 * numbers, a Wire for bytes. A row with number 0 ends the table. */
typedef struct
{
  guint64 number;
  WireType type;
  gsize offset;
} Place;

/* The data read from a SentencePiece model file. Settings that the file may omit are initialized
 * with the defaults of the format. */
typedef struct
{
  AttnTokenizerParts *parts;
  Wire charsmap;
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

static const Place trainer_places[] = {
  { 3, WIRE_VARINT, G_STRUCT_OFFSET (Reader, model) },
  { 24, WIRE_VARINT, G_STRUCT_OFFSET (Reader, has_space_suffix) },
  { 35, WIRE_VARINT, G_STRUCT_OFFSET (Reader, has_byte_fallback) },
  { 40, WIRE_VARINT, G_STRUCT_OFFSET (Reader, unknown_id) },
  { 41, WIRE_VARINT, G_STRUCT_OFFSET (Reader, begin_id) },
  { 42, WIRE_VARINT, G_STRUCT_OFFSET (Reader, end_id) },
  { 0 },
};

static const Place normalizer_places[] = {
  { 2, WIRE_BYTES, G_STRUCT_OFFSET (Reader, charsmap) },
  { 3, WIRE_VARINT, G_STRUCT_OFFSET (Reader, adds_prefix_space) },
  { 4, WIRE_VARINT, G_STRUCT_OFFSET (Reader, removes_extra_spaces) },
  { 5, WIRE_VARINT, G_STRUCT_OFFSET (Reader, escapes_spaces) },
  { 0 },
};

typedef struct
{
  Wire text;
  guint64 score; /* score of a piece, whose lowest 32 bits are those of a float */
  guint64 type;
} Piece;

static const Place piece_places[] = {
  { 1, WIRE_BYTES, G_STRUCT_OFFSET (Piece, text) },
  { 2, WIRE_FIXED32, G_STRUCT_OFFSET (Piece, score) },
  { 3, WIRE_VARINT, G_STRUCT_OFFSET (Piece, type) },
  { 0 },
};

static gboolean
refuse (const Reader  *reader,
        const char    *found,
        GError       **error)
{
  return attn_fail (error, ATTN_ERROR_FORMAT, _("%s: %s found, expected a SentencePiece model"),
                    reader->parts->where, found);
}

static gboolean
refuse_option (const Reader  *reader,
               const char    *found,
               GError       **error)
{
  return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                    _("%s: SentencePiece model %s found, expected BPE or Unigram with “▁” before "
                      "words"),
                    reader->parts->where, found);
}

/* Reads a variable-length integer: seven bits a byte, the lowest first; the topmost bit says that
 * more bytes follow. */
static gboolean
read_varint (Wire    *wire,
             guint64 *value)
{
  *value = 0;
  for (guint shift = 0; shift < 64 && wire->next < wire->end; shift += 7)
    {
      guint8 byte = *wire->next++;

      *value |= (guint64) (byte & 0x7F) << shift;
      if (byte < 0x80)
        return TRUE;
    }
  return FALSE;
}

/* Reads one field of a Protocol Buffers message: see "Encoding" in the documentation of Protocol
 * Buffers. Groups, which are deprecated, are not supported. */
static gboolean
read_field (Wire  *wire,
            Field *field)
{
  guint64 n_bytes = 0;
  guint64 tag;

  *field = (Field) { 0 };
  if (!read_varint (wire, &tag) || tag >> 3 == 0)
    return FALSE;
  field->number = tag >> 3;
  field->type = tag & 7;
  if (field->type == WIRE_VARINT)
    return read_varint (wire, &field->value);
  if (field->type == WIRE_FIXED64 || field->type == WIRE_FIXED32)
    n_bytes = field->type == WIRE_FIXED64 ? 8 : 4;
  else if (field->type != WIRE_BYTES || !read_varint (wire, &n_bytes))
    return FALSE;
  if (n_bytes > (gsize) (wire->end - wire->next))
    return FALSE;
  field->bytes = (Wire) { wire->next, wire->next + n_bytes };
  for (guint i = 0; field->type != WIRE_BYTES && i < n_bytes; i++)
    field->value |= (guint64) wire->next[i] << 8 * i;
  wire->next += n_bytes;
  return TRUE;
}

/* Reads a message and stores the fields listed in @places into @out. @what: names the message in
 * the error if it cannot be read */
static gboolean
read_message (const Reader  *reader,
              Wire           wire,
              const Place   *places,
              gpointer       out,
              const char    *what,
              GError       **error)
{
  Field field;

  while (wire.next < wire.end)
    {
      if (!read_field (&wire, &field))
        return refuse (reader, what, error);
      for (const Place *place = places; place->number != 0; place++)
        {
          if (field.number != place->number)
            continue;
          if (field.type != place->type)
            return refuse (reader, _("a number that is written as something else"), error);
          if (field.type == WIRE_BYTES)
            G_STRUCT_MEMBER (Wire, out, place->offset) = field.bytes;
          else
            G_STRUCT_MEMBER (guint64, out, place->offset) = field.value;
        }
    }
  return TRUE;
}

static gboolean
read_piece (Reader  *reader,
            Wire     wire,
            GError **error)
{
  Piece piece = { .type = ATTN_PIECE_NORMAL };
  guint32 score_bits;
  guint8 type;
  float score;

  if (!read_message (reader, wire, piece_places, &piece, _("a token that cannot be read"), error))
    return FALSE;

  gsize length = piece.text.end - piece.text.next;
  if (length > 0 && memchr (piece.text.next, '\0', length) != NULL)
    return refuse (reader, _("a token with a NUL in it"), error);
  score_bits = piece.score;
  memcpy (&score, &score_bits, sizeof score);
  type = MIN (piece.type, G_MAXUINT8);
  g_ptr_array_add (reader->parts->pieces,
                   g_string_chunk_insert_len (reader->parts->strings,
                                              length > 0 ? (const char *) piece.text.next : "",
                                              length));
  g_array_append_val (reader->parts->scores, score);
  g_byte_array_append (reader->parts->types, &type, 1);
  return TRUE;
}

static gboolean
read_model (Reader  *reader,
            Wire     wire,
            GError **error)
{
  Field field;

  while (wire.next < wire.end)
    {
      gboolean success = TRUE;

      if (!read_field (&wire, &field))
        return refuse (reader, _("a field that cannot be read"), error);
      if (field.type != WIRE_BYTES)
        continue;
      if (field.number == FIELD_PIECES)
        success = read_piece (reader, field.bytes, error);
      else if (field.number == FIELD_TRAINER_SPEC)
        success = reader->has_trainer_spec = read_message (
            reader, field.bytes, trainer_places, reader,
            _("a specification of the training that cannot be read"), error);
      else if (field.number == FIELD_NORMALIZER_SPEC)
        success = reader->has_normalizer_spec = read_message (
            reader, field.bytes, normalizer_places, reader,
            _("a normalizer that cannot be read"), error);
      if (!success)
        return FALSE;
    }
  /* The specifications of trainer and normalizer follow the list of tokens. If one is missing, the
   * file was probably truncated. */
  if (!reader->has_trainer_spec || !reader->has_normalizer_spec)
    return refuse (reader, _("a file without a specification of training and normalizer"), error);
  if (reader->model != MODEL_BPE && reader->model != MODEL_UNIGRAM)
    return refuse_option (reader, _("of words or characters"), error);
  if (reader->has_space_suffix || !reader->escapes_spaces)
    return refuse_option (reader, _("that treats spaces in another way"), error);
  return TRUE;
}

/* Converts a token id of the format, in which -1 (in two's complement) means that there is no such
 * token. */
static guint32
to_id (guint64 id)
{
  return id <= G_MAXINT32 ? (guint32) id : ATTN_TOKENIZER_NO_ID;
}

static void
insert_piece (AttnTokenizerParts *parts,
              guint               id,
              const char         *piece,
              AttnPieceType       type)
{
  guint8 byte = type;
  float score = 0;

  g_ptr_array_insert (parts->pieces, (gint) id, (gpointer) piece);
  g_array_insert_val (parts->scores, id, score);
  g_byte_array_append (parts->types, &byte, 1);
  memmove (parts->types->data + id + 1, parts->types->data + id, parts->types->len - id - 1);
  parts->types->data[id] = byte;
}

/* Moves the pieces to the ids that XLM-RoBERTa was trained with: “<s>”, “<pad>”, “</s>”, “<unk>”,
 * the pieces from number 3 on, “<mask>”. The file itself begins “<unk>”, “<s>”, “</s>”. Other
 * models that use the same file name have other ids. */
static gboolean
renumber_for_xlm_roberta (Reader          *reader,
                          AttnJsonReader  *config,
                          GError         **error)
{
  static const char * const beginning[] = { "<unk>", "<s>", "</s>" };
  AttnTokenizerParts *parts = reader->parts;
  const char *class_name =
      attn_json_read_string (config, "tokenizer_class", "XLMRobertaTokenizer");

  if (!g_str_has_prefix (class_name, "XLMRoberta"))
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      _("%s: tokenizer of class %s found, expected XLMRobertaTokenizer"),
                      parts->where, class_name);
  for (guint id = 0; id < G_N_ELEMENTS (beginning); id++)
    if (id >= parts->pieces->len || !g_str_equal (parts->pieces->pdata[id], beginning[id]))
      return refuse (reader, _("a beginning other than “<unk>”, “<s>”, “</s>”"), error);

  g_ptr_array_remove_range (parts->pieces, 0, 3);
  g_array_remove_range (parts->scores, 0, 3);
  g_byte_array_remove_range (parts->types, 0, 3);
  insert_piece (parts, 0, "<s>", ATTN_PIECE_CONTROL);
  insert_piece (parts, 1, "<pad>", ATTN_PIECE_CONTROL);
  insert_piece (parts, 2, "</s>", ATTN_PIECE_CONTROL);
  insert_piece (parts, 3, "<unk>", ATTN_PIECE_UNKNOWN);
  insert_piece (parts, parts->pieces->len, "<mask>", ATTN_PIECE_CONTROL);
  reader->begin_id = 0;
  reader->end_id = 2;
  reader->unknown_id = 3;
  return TRUE;
}

/* Sets the special tokens around a text, which the model file does not tell, by the file's
 * name: tokenizer.model is Llama's, spiece.model ALBERT's or T5's, sentencepiece.bpe.model
 * XLM-RoBERTa's. */
static gboolean
find_ends (Reader  *reader,
           GError **error)
{
  AttnTokenizerParts *parts = reader->parts;
  gboolean is_xlm_roberta = g_str_has_suffix (parts->path, "sentencepiece.bpe.model");
  gboolean is_spiece = g_str_has_suffix (parts->path, "spiece.model");
  gboolean is_albert = is_spiece &&
                       attn_tokenizer_parts_find (parts, "[CLS]") != ATTN_TOKENIZER_NO_ID &&
                       attn_tokenizer_parts_find (parts, "[SEP]") != ATTN_TOKENIZER_NO_ID;
  g_auto (AttnTokenizerConfig) config = { 0 };
  gboolean adds_begin, adds_end;

  if (!attn_tokenizer_config_load (&config, parts->path, error))
    return FALSE;
  adds_begin =
      attn_json_read_boolean (&config.values, "add_bos_token", !is_spiece || is_albert);
  adds_end =
      attn_json_read_boolean (&config.values, "add_eos_token", is_spiece || is_xlm_roberta);
  if ((is_xlm_roberta && !renumber_for_xlm_roberta (reader, &config.values, error)) ||
      !attn_json_finish (&config.values, error))
    return FALSE;
  if (adds_begin)
    parts->begin_id = is_albert ? attn_tokenizer_parts_find (parts, "[CLS]")
                                : to_id (reader->begin_id);
  if (adds_end)
    parts->end_id = is_albert ? attn_tokenizer_parts_find (parts, "[SEP]")
                              : to_id (reader->end_id);
  return TRUE;
}

/**
 * attn_tokenizer_read_sentencepiece:
 * @parts: (inout): initialized with the path of a tokenizer.model, spiece.model or
 *   sentencepiece.bpe.model
 * @error: return location for %ATTN_ERROR_FORMAT, %ATTN_ERROR_UNSUPPORTED for a kind of model that
 *   is not supported, and what reading the file reports
 *
 * Reads a tokenizer of the library SentencePiece.
 */
gboolean
attn_tokenizer_read_sentencepiece (AttnTokenizerParts  *parts,
                                   GError             **error)
{
  g_autoptr (GBytes) bytes = attn_file_read (parts->path, MAX_BYTES, error);
  Reader reader = {
    .parts = parts,
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
  if (!read_model (&reader, (Wire) { data, data + length }, error) ||
      !find_ends (&reader, error))
    return FALSE;
  parts->model = reader.model == MODEL_BPE ? ATTN_TOKENIZER_SCORED_BPE : ATTN_TOKENIZER_UNIGRAM;
  parts->unknown_id = to_id (reader.unknown_id);
  parts->adds_prefix_space = reader.adds_prefix_space != 0;
  parts->removes_extra_spaces = reader.removes_extra_spaces != 0;
  parts->has_byte_fallback = reader.has_byte_fallback != 0;
  parts->charsmap = g_bytes_new (reader.charsmap.next, reader.charsmap.end - reader.charsmap.next);
  return TRUE;
}
