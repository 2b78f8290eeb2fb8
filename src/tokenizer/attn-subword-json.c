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

static const char * const models[] = {
  [MODEL_BPE] = "BPE",
  [MODEL_UNIGRAM] = "Unigram",
  [MODEL_WORDPIECE] = "WordPiece",
  NULL,
};

static gboolean
refuse_vocabulary (const char  *where,
                   GError     **error)
{
  g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
               _("%s: model without a vocabulary found, expected tokens with their ids"), where);
  return FALSE;
}

/* { "a": 0, "b": 1 } */
static gboolean
read_pieces (JsonObject      *object,
             const char      *where,
             AttnVocabulary  *vocabulary,
             GError         **error)
{
  JsonObject *pieces;

  if (!attn_json_get_object (object, where, "vocab", &pieces, error))
    return FALSE;
  if (pieces == NULL || json_object_get_size (pieces) == 0)
    return refuse_vocabulary (where, error);
  return attn_vocabulary_add_object (vocabulary, where, pieces, error);
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
        {
          g_set_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED,
                       _("%s: BPE option %s “%s” found, expected none"), where, strings[i], value);
          return FALSE;
        }
    }

  if (!attn_json_get_number (object, where, "dropout", 0, &dropout, error))
    return FALSE;
  if (dropout == 0)
    return TRUE;
  g_set_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED,
               _("%s: BPE option dropout %g found, expected none"), where, dropout);
  return FALSE;
}

static AttnSubword *
read_bpe (JsonObject      *object,
          gboolean         is_byte_level,
          const char      *where,
          AttnVocabulary  *vocabulary,
          GError         **error)
{
  AttnBpeOptions options = { .is_byte_level = is_byte_level, .unknown_id = ATTN_TRIE_NO_ID };
  AttnPairMap *merges;
  JsonArray *array;
  const char *unknown;

  if (!read_pieces (object, where, vocabulary, error) ||
      !refuse_bpe_options (object, where, error) ||
      !attn_json_get_boolean (object, where, "byte_fallback", FALSE, &options.has_byte_fallback,
                              error) ||
      !attn_json_get_boolean (object, where, "fuse_unk", FALSE, &options.fuses_unknown, error) ||
      !attn_json_get_boolean (object, where, "ignore_merges", FALSE, &options.ignores_merges,
                              error) ||
      !attn_json_get_string (object, where, "unk_token", "", &unknown, error) ||
      !attn_json_get_array (object, where, "merges", &array, error))
    return NULL;
  if (array == NULL)
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
                   _("%s: model BPE without merges found, expected a list of them"), where);
      return NULL;
    }
  attn_vocabulary_lookup (vocabulary, unknown, &options.unknown_id);
  merges = attn_merges_new_from_json (array, where, vocabulary, error);
  return merges != NULL ? attn_bpe_new (vocabulary, merges, &options, NULL) : NULL;
}

/* [["<unk>", 0.0], ["▁the", -3.5]]: the id is the place. */
static double *
read_scores (JsonObject      *object,
             const char      *where,
             AttnVocabulary  *vocabulary,
             GError         **error)
{
  g_autofree double *scores = NULL;
  JsonArray *pieces;
  guint n_pieces;

  if (!attn_json_get_array (object, where, "vocab", &pieces, error))
    return NULL;
  n_pieces = pieces != NULL ? json_array_get_length (pieces) : 0;
  if (n_pieces == 0)
    {
      refuse_vocabulary (where, error);
      return NULL;
    }
  scores = g_new (double, n_pieces);
  for (guint i = 0; i < n_pieces; i++)
    {
      JsonNode *node = json_array_get_element (pieces, i);
      JsonArray *pair = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
      JsonNode *piece = NULL;
      JsonNode *score = NULL;

      if (pair != NULL && json_array_get_length (pair) == 2)
        {
          piece = json_array_get_element (pair, 0);
          score = json_array_get_element (pair, 1);
        }
      if (piece == NULL || json_node_get_value_type (piece) != G_TYPE_STRING ||
          (json_node_get_value_type (score) != G_TYPE_DOUBLE &&
           json_node_get_value_type (score) != G_TYPE_INT64) ||
          !isfinite (json_node_get_double (score)))
        {
          g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
                       _("%s: entry %u of the vocabulary found that is not a token with its score, "
                         "expected [“a”, -1.5]"),
                       where, i);
          return NULL;
        }
      scores[i] = json_node_get_double (score);
      if (!attn_vocabulary_add (vocabulary, where, json_node_get_string (piece), i, error))
        return NULL;
    }
  return g_steal_pointer (&scores);
}

static AttnSubword *
read_unigram (JsonObject      *object,
              const char      *where,
              AttnVocabulary  *vocabulary,
              GError         **error)
{
  g_autofree double *scores = read_scores (object, where, vocabulary, error);
  gboolean has_byte_fallback;
  gsize unknown_id;

  if (scores == NULL ||
      !attn_json_get_boolean (object, where, "byte_fallback", FALSE, &has_byte_fallback, error) ||
      !attn_json_get_size (object, where, "unk_id", 0, attn_vocabulary_get_size (vocabulary) - 1,
                           ATTN_TRIE_NO_ID, &unknown_id, error))
    return NULL;
  return attn_unigram_new (vocabulary, scores, unknown_id, has_byte_fallback, NULL);
}

static AttnSubword *
read_wordpiece (JsonObject      *object,
                const char      *where,
                AttnVocabulary  *vocabulary,
                GError         **error)
{
  guint32 unknown_id = ATTN_TRIE_NO_ID;
  const char *prefix, *unknown;
  gsize max_characters;

  if (!read_pieces (object, where, vocabulary, error) ||
      !attn_json_get_string (object, where, "continuing_subword_prefix", "##", &prefix, error) ||
      !attn_json_get_string (object, where, "unk_token", "[UNK]", &unknown, error) ||
      !attn_json_get_size (object, where, "max_input_chars_per_word", 0, G_MAXINT32, 100,
                           &max_characters, error))
    return NULL;
  attn_vocabulary_lookup (vocabulary, unknown, &unknown_id);
  return attn_wordpiece_new (vocabulary, prefix, unknown_id, max_characters, NULL);
}

/* Files of the first versions leave the type out. */
static int
find_model (JsonObject  *object,
            const char  *where,
            GError     **error)
{
  JsonNode *pieces = json_object_get_member (object, "vocab");

  if (json_object_has_member (object, "type"))
    return attn_component_find_type (object, where, _("model"), models, error);
  if (json_object_has_member (object, "merges"))
    return MODEL_BPE;
  if (json_object_has_member (object, "max_input_chars_per_word"))
    return MODEL_WORDPIECE;
  if (pieces != NULL && JSON_NODE_HOLDS_ARRAY (pieces))
    return MODEL_UNIGRAM;
  return attn_component_find_type (object, where, _("model"), models, error);
}

/**
 * attn_subword_new_from_json:
 * @node: (nullable): the model of a tokenizer.json
 * @is_byte_level: whether BPE is over bytes
 * @where: the file
 * @vocabulary: takes its pieces; outlives the result
 * @error: return location for %ATTN_ERROR_FORMAT, and %ATTN_ERROR_UNSUPPORTED for a model or an
 *   option that is not done
 *
 * Returns: (transfer full) (nullable): the model
 */
AttnSubword *
attn_subword_new_from_json (JsonNode        *node,
                            gboolean         is_byte_level,
                            const char      *where,
                            AttnVocabulary  *vocabulary,
                            GError         **error)
{
  JsonObject *object;

  if (!attn_component_get_object (node, where, _("model"), &object, error))
    return NULL;
  switch (find_model (object, where, error))
    {
    case MODEL_BPE:
      return read_bpe (object, is_byte_level, where, vocabulary, error);
    case MODEL_UNIGRAM:
      return read_unigram (object, where, vocabulary, error);
    case MODEL_WORDPIECE:
      return read_wordpiece (object, where, vocabulary, error);
    default:
      return NULL;
    }
}
