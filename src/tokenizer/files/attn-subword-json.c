/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-subword-json.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "attn-bpe.h"
#include "attn-component.h"
#include "attn-error.h"
#include "attn-json.h"
#include "attn-merges.h"
#include "attn-trie.h"
#include "attn-unigram.h"
#include "attn-wordpiece.h"

enum
{
  MODEL_BPE,
  MODEL_UNIGRAM,
  MODEL_WORDPIECE,
};

static const AttnComponentType models[] = {
  { "BPE", MODEL_BPE },
  { "Unigram", MODEL_UNIGRAM },
  { "WordPiece", MODEL_WORDPIECE },
  { NULL },
};

static gboolean
refuse_vocabulary (const char  *where,
                   GError     **error)
{
  return attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: model without a vocabulary found, expected tokens with their ids"),
                    where);
}

/* { "a": 0, "b": 1 } */
static gboolean
read_pieces (AttnJsonWalk    *pieces,
             AttnVocabulary  *vocabulary,
             GError         **error)
{
  if (!attn_json_walk_is_at (pieces, '{'))
    return refuse_vocabulary (pieces->where, error);
  if (!attn_vocabulary_add_object (vocabulary, pieces, error))
    return FALSE;
  return attn_vocabulary_get_size (vocabulary) > 0 || refuse_vocabulary (pieces->where, error);
}

/* Options of the format that change the result and are not done here. */
static gboolean
refuse_bpe_options (JsonObject  *object,
                    const char  *where,
                    GError     **error)
{
  static const char * const strings[] = { "continuing_subword_prefix", "end_of_word_suffix" };
  double dropout;

  for (gsize i = 0; i < G_N_ELEMENTS (strings); i++)
    {
      const char *value;

      if (!attn_json_get_string (object, where, strings[i], "", &value, error))
        return FALSE;
      if (*value != '\0')
        return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                          _("%s: BPE option %s “%s” found, expected none"), where, strings[i],
                          value);
    }

  if (!attn_json_get_number (object, where, "dropout", 0, &dropout, error))
    return FALSE;
  if (dropout == 0)
    return TRUE;
  return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                    _("%s: BPE option dropout %g found, expected none"), where, dropout);
}

/* All but the id of @unknown. */
static gboolean
read_bpe_options (JsonObject      *object,
                  gboolean         is_byte_level,
                  AttnJsonWalk    *merges,
                  AttnBpeOptions  *options,
                  const char     **unknown,
                  GError         **error)
{
  const char *where = merges->where;

  *options =
      (AttnBpeOptions) { .is_byte_level = is_byte_level, .unknown_id = ATTN_TRIE_NO_ID };
  if (!refuse_bpe_options (object, where, error) ||
      !attn_json_get_boolean (object, where, "byte_fallback", FALSE, &options->has_byte_fallback,
                              error) ||
      !attn_json_get_boolean (object, where, "fuse_unk", FALSE, &options->fuses_unknown, error) ||
      !attn_json_get_boolean (object, where, "ignore_merges", FALSE, &options->ignores_merges,
                              error) ||
      !attn_json_get_string (object, where, "unk_token", "", unknown, error))
    return FALSE;
  if (attn_json_walk_is_at (merges, '['))
    return TRUE;
  return attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: model BPE without merges found, expected a list of them"), where);
}

static AttnSubword *
read_bpe (JsonObject      *object,
          gboolean         is_byte_level,
          AttnJsonWalk    *pieces,
          AttnJsonWalk    *merges,
          AttnVocabulary  *vocabulary,
          GError         **error)
{
  AttnBpeOptions options;
  AttnPairMap *map;
  const char *unknown;

  if (!read_pieces (pieces, vocabulary, error) ||
      !read_bpe_options (object, is_byte_level, merges, &options, &unknown, error))
    return NULL;
  attn_vocabulary_lookup (vocabulary, unknown, &options.unknown_id);
  map = attn_merges_new_from_json (merges, vocabulary, error);
  return map != NULL ? attn_bpe_new (vocabulary, map, &options, NULL) : NULL;
}

/* ["▁the", -3.5] */
static gboolean
read_score (AttnJsonWalk *pieces,
            GString      *piece,
            double       *score)
{
  return attn_json_walk_enter (pieces, '[') && attn_json_walk_next (pieces, ']') &&
         attn_json_walk_read_string (pieces, piece) && attn_json_walk_next (pieces, ']') &&
         attn_json_walk_read_number (pieces, score) && isfinite (*score) &&
         !attn_json_walk_next (pieces, ']');
}

/* [["<unk>", 0.0], ["▁the", -3.5]]: the id is the place. */
static GArray *
read_scores (AttnJsonWalk    *pieces,
             AttnVocabulary  *vocabulary,
             GError         **error)
{
  g_autoptr (GArray) scores = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GString) piece = g_string_new (NULL);
  double score;

  attn_json_walk_enter (pieces, '[');
  while (attn_json_walk_next (pieces, ']'))
    {
      if (!read_score (pieces, piece, &score))
        return attn_fail_null (error, ATTN_ERROR_FORMAT,
                               _("%s: entry %u of the vocabulary found that is not a token with "
                                 "its score, expected [“a”, -1.5]"),
                               pieces->where, scores->len);
      if (!attn_vocabulary_add (vocabulary, pieces->where, piece->str, scores->len, error))
        return NULL;
      g_array_append_val (scores, score);
    }
  if (scores->len == 0)
    {
      refuse_vocabulary (pieces->where, error);
      return NULL;
    }
  return attn_json_walk_finish (pieces, error) ? g_steal_pointer (&scores) : NULL;
}

static gboolean
read_unigram_options (JsonObject  *object,
                      const char  *where,
                      gsize        n_pieces,
                      gboolean    *has_byte_fallback,
                      gsize       *unknown_id,
                      GError     **error)
{
  return attn_json_get_boolean (object, where, "byte_fallback", FALSE, has_byte_fallback, error) &&
         attn_json_get_size (object, where, "unk_id", 0, n_pieces - 1, ATTN_TRIE_NO_ID, unknown_id,
                             error);
}

static AttnSubword *
read_unigram (JsonObject      *object,
              AttnJsonWalk    *pieces,
              AttnVocabulary  *vocabulary,
              GError         **error)
{
  g_autoptr (GArray) scores = read_scores (pieces, vocabulary, error);
  gboolean has_byte_fallback;
  gsize unknown_id;

  if (scores == NULL || !read_unigram_options (object, pieces->where, scores->len,
                                               &has_byte_fallback, &unknown_id, error))
    return NULL;
  return attn_unigram_new (vocabulary, (const double *) scores->data, unknown_id,
                           has_byte_fallback, NULL);
}

static gboolean
read_wordpiece_options (JsonObject  *object,
                        const char  *where,
                        const char **prefix,
                        const char **unknown,
                        gsize       *max_characters,
                        GError     **error)
{
  return attn_json_get_string (object, where, "continuing_subword_prefix", "##", prefix, error) &&
         attn_json_get_string (object, where, "unk_token", "[UNK]", unknown, error) &&
         attn_json_get_size (object, where, "max_input_chars_per_word", 0, G_MAXINT32, 100,
                             max_characters, error);
}

static AttnSubword *
read_wordpiece (JsonObject      *object,
                AttnJsonWalk    *pieces,
                AttnVocabulary  *vocabulary,
                GError         **error)
{
  guint32 unknown_id = ATTN_TRIE_NO_ID;
  const char *prefix, *unknown;
  gsize max_characters;

  if (!read_pieces (pieces, vocabulary, error) ||
      !read_wordpiece_options (object, pieces->where, &prefix, &unknown, &max_characters, error))
    return NULL;
  attn_vocabulary_lookup (vocabulary, unknown, &unknown_id);
  return attn_wordpiece_new (vocabulary, prefix, unknown_id, max_characters, NULL);
}

/* Files of the first versions leave the type out. */
static int
find_model (JsonObject    *object,
            AttnJsonWalk  *pieces,
            GError       **error)
{
  const AttnComponentType *model;
  const char *type;

  if (!json_object_has_member (object, "type"))
    {
      if (json_object_has_member (object, "merges"))
        return MODEL_BPE;
      if (json_object_has_member (object, "max_input_chars_per_word"))
        return MODEL_WORDPIECE;
      if (attn_json_walk_is_at (pieces, '['))
        return MODEL_UNIGRAM;
    }
  if (!attn_json_get_string (object, pieces->where, "type", "", &type, error))
    return -1;
  model = attn_component_find_type (models, type, pieces->where, _("model"), error);
  return model != NULL ? model->kind : -1;
}

/**
 * attn_subword_new_from_json:
 * @node: (nullable): the model of a tokenizer.json without its pieces and merges
 * @pieces: its "vocab"
 * @merges: its "merges"
 * @is_byte_level: whether BPE is over bytes
 * @vocabulary: takes its pieces; outlives the result
 * @error: return location for %ATTN_ERROR_FORMAT, and %ATTN_ERROR_UNSUPPORTED for a model or an
 *   option that is not done
 *
 * Returns: (transfer full) (nullable): the model
 */
AttnSubword *
attn_subword_new_from_json (JsonNode        *node,
                            AttnJsonWalk    *pieces,
                            AttnJsonWalk    *merges,
                            gboolean         is_byte_level,
                            AttnVocabulary  *vocabulary,
                            GError         **error)
{
  JsonObject *object;

  if (!attn_component_get_object (node, pieces->where, _("model"), &object, error))
    return NULL;
  switch (find_model (object, pieces, error))
    {
    case MODEL_BPE:
      return read_bpe (object, is_byte_level, pieces, merges, vocabulary, error);
    case MODEL_UNIGRAM:
      return read_unigram (object, pieces, vocabulary, error);
    case MODEL_WORDPIECE:
      return read_wordpiece (object, pieces, vocabulary, error);
    default:
      return NULL;
    }
}

/* One more than the largest id of { "a": 0, "b": 1 }. */
static gboolean
count_object (AttnJsonWalk  *pieces,
              gsize         *n_ids,
              GError       **error)
{
  g_autoptr (GString) piece = g_string_new (NULL);
  gint64 id;

  *n_ids = 0;
  attn_json_walk_enter (pieces, '{');
  while (attn_json_walk_next (pieces, '}') && attn_json_walk_read_name (pieces, piece) &&
         attn_json_walk_read_integer (pieces, &id) && id >= 0)
    *n_ids = MAX (*n_ids, (gsize) id + 1);
  return attn_json_walk_finish (pieces, error);
}

static gboolean
count_array (AttnJsonWalk  *pieces,
             gsize         *n_ids,
             GError       **error)
{
  g_autoptr (GString) piece = g_string_new (NULL);
  double score;

  attn_json_walk_enter (pieces, '[');
  for (*n_ids = 0; attn_json_walk_next (pieces, ']') && read_score (pieces, piece, &score);)
    ++*n_ids;
  return attn_json_walk_finish (pieces, error);
}

/**
 * attn_subword_outline_json:
 * @kind: (out): of the model that [func@attn_subword_new_from_json] would make
 * @n_ids: (out): one more than its largest id
 * @error: return location: as there, but ids, pieces and merges are not compared with each other
 */
gboolean
attn_subword_outline_json (JsonNode      *node,
                           AttnJsonWalk  *pieces,
                           AttnJsonWalk  *merges,
                           gboolean       is_byte_level,
                           const char   **kind,
                           gsize         *n_ids,
                           GError       **error)
{
  JsonObject *object;
  AttnBpeOptions options;
  const char *prefix, *unknown;
  gboolean has_byte_fallback;
  gsize number;

  if (!attn_component_get_object (node, pieces->where, _("model"), &object, error))
    return FALSE;
  switch (find_model (object, pieces, error))
    {
    case MODEL_BPE:
      if (!read_bpe_options (object, is_byte_level, merges, &options, &unknown, error) ||
          !count_object (pieces, n_ids, error))
        return FALSE;
      *kind = attn_bpe_get_kind (&options);
      break;
    case MODEL_UNIGRAM:
      if (!count_array (pieces, n_ids, error) ||
          !read_unigram_options (object, pieces->where, MAX (*n_ids, 1), &has_byte_fallback,
                                 &number, error))
        return FALSE;
      *kind = ATTN_SUBWORD_UNIGRAM;
      break;
    case MODEL_WORDPIECE:
      if (!read_wordpiece_options (object, pieces->where, &prefix, &unknown, &number, error) ||
          !count_object (pieces, n_ids, error))
        return FALSE;
      *kind = ATTN_SUBWORD_WORDPIECE;
      break;
    default:
      return FALSE;
    }
  return *n_ids > 0 || refuse_vocabulary (pieces->where, error);
}
