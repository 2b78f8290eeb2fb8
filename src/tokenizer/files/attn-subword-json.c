/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-tokenizer-readers.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "attn-tokenizer-component.h"
#include "attn-error.h"
#include "attn-json.h"
#include "attn-merges.h"
#include "attn-trie.h"

enum
{
  MODEL_BPE,
  MODEL_UNIGRAM,
  MODEL_WORDPIECE,
  MODEL_WORDLEVEL,
};

static const AttnTokenizerComponentType models[] = {
  { "BPE", MODEL_BPE },
  { "Unigram", MODEL_UNIGRAM },
  { "WordPiece", MODEL_WORDPIECE },
  { "WordLevel", MODEL_WORDLEVEL },
  { NULL },
};

/* Settings of a subword model, except its pieces. */
typedef struct
{
  int model;
  const char *kind;
  AttnBpeOptions bpe;
  const char *unknown; /* spelling of the unknown token in BPE, WordPiece and WordLevel */
  gsize unknown_id;    /* id of the unknown token in Unigram */
  const char *prefix;  /* prefix of WordPiece's pieces that continue a word */
  gsize max_characters;
} Options;

static gboolean
refuse_vocabulary (const char  *where,
                   GError     **error)
{
  return attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: model without a vocabulary found, expected tokens with their ids"),
                    where);
}

/* Refuses options of BPE that would change the result but are not supported. */
static void
refuse_bpe_options (AttnJsonReader *json,
                    gboolean        is_byte_level)
{
  static const char * const strings[] = { "continuing_subword_prefix", "end_of_word_suffix" };
  double dropout = attn_json_read_number (json, "dropout", 0);

  for (gsize i = 0; i < G_N_ELEMENTS (strings) - (is_byte_level ? 1 : 0); i++)
    {
      const char *value = attn_json_read_string (json, strings[i], "");

      if (*value != '\0')
        attn_json_fail (json, ATTN_ERROR_UNSUPPORTED,
                        _("%s: BPE option %s “%s” found, expected none"), json->where,
                        strings[i], value);
    }
  if (dropout != 0)
    attn_json_fail (json, ATTN_ERROR_UNSUPPORTED,
                    _("%s: BPE option dropout %g found, expected none"), json->where, dropout);
}

/* Finds the kind of the subword model by its "type", or by other members in files of the first
 * versions, which have no type. */
static int
find_model (AttnJsonReader *json,
            AttnJsonWalk   *pieces)
{
  if (json->object != NULL && !json_object_has_member (json->object, "type"))
    {
      if (json_object_has_member (json->object, "merges"))
        return MODEL_BPE;
      if (json_object_has_member (json->object, "max_input_chars_per_word"))
        return MODEL_WORDPIECE;
      if (attn_json_walk_is_at (pieces, '['))
        return MODEL_UNIGRAM;
    }
  return attn_tokenizer_component_find_kind (json, models,
                                             attn_json_read_string (json, "type", ""), _("model"));
}

/* Reads the settings of the subword model. @n_ids: one more than the largest id of a piece */
static void
read_options (AttnJsonReader *json,
              gsize           n_ids,
              gboolean        is_byte_level,
              AttnJsonWalk   *merges,
              Options        *options)
{
  options->bpe = (AttnBpeOptions) { .is_byte_level = is_byte_level, .unknown_id = ATTN_TRIE_NO_ID };
  options->bpe.has_byte_fallback = attn_json_read_boolean (json, "byte_fallback", FALSE);
  switch (options->model)
    {
    case MODEL_UNIGRAM:
      options->kind = ATTN_SUBWORD_UNIGRAM;
      options->unknown_id =
          attn_json_read_size (json, "unk_id", 0, n_ids - 1, ATTN_TRIE_NO_ID);
      break;
    case MODEL_WORDPIECE:
      options->kind = ATTN_SUBWORD_WORDPIECE;
      options->unknown = attn_json_read_string (json, "unk_token", "[UNK]");
      options->prefix = attn_json_read_string (json, "continuing_subword_prefix", "##");
      options->max_characters =
          attn_json_read_size (json, "max_input_chars_per_word", 0, G_MAXINT32, 100);
      break;
    case MODEL_WORDLEVEL:
      options->kind = ATTN_SUBWORD_WORDLEVEL;
      options->unknown = attn_json_read_string (json, "unk_token", "<unk>");
      break;
    default:
      options->kind = attn_bpe_get_kind (&options->bpe);
      options->unknown = attn_json_read_string (json, "unk_token", "");
      options->bpe.fuses_unknown = attn_json_read_boolean (json, "fuse_unk", FALSE);
      options->bpe.ignores_merges = attn_json_read_boolean (json, "ignore_merges", FALSE);
      refuse_bpe_options (json, is_byte_level);
      const char *word_end = attn_json_read_string (json, "end_of_word_suffix", "");
      options->bpe.word_end = *word_end != '\0' ? word_end : NULL;
      if (!attn_json_walk_is_at (merges, '['))
        attn_json_fail (json, ATTN_ERROR_FORMAT,
                        _("%s: model BPE without merges found, expected a list of them"),
                        json->where);
      break;
    }
}

/* Reads a piece and its score: ["▁the", -3.5]. */
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

/* Reads pieces with their scores: [["<unk>", 0.0], ["▁the", -3.5]]. A piece's id is its index. */
static gboolean
read_scores (AttnJsonWalk    *pieces,
             AttnVocabulary  *vocabulary,
             GArray          *scores,
             GError         **error)
{
  g_autoptr (GString) piece = g_string_new (NULL);
  double score;

  attn_json_walk_enter (pieces, '[');
  while (attn_json_walk_next (pieces, ']'))
    {
      if (!read_score (pieces, piece, &score))
        return attn_fail (error, ATTN_ERROR_FORMAT,
                          _("%s: entry %u of the vocabulary found that is not a token with "
                            "its score, expected [“a”, -1.5]"),
                          pieces->where, scores->len);
      if (!attn_vocabulary_add (vocabulary, pieces->where, piece->str, scores->len, error))
        return FALSE;
      g_array_append_val (scores, score);
    }
  return scores->len > 0 ? attn_json_walk_finish (pieces, error)
                         : refuse_vocabulary (pieces->where, error);
}

/* Reads pieces with their ids: { "a": 0, "b": 1 }. */
static gboolean
read_pieces (AttnJsonWalk    *pieces,
             AttnVocabulary  *vocabulary,
             GError         **error)
{
  if (!attn_json_walk_is_at (pieces, '{'))
    return refuse_vocabulary (pieces->where, error);
  return attn_vocabulary_add_object (vocabulary, pieces, error) &&
         (attn_vocabulary_get_size (vocabulary) > 0 || refuse_vocabulary (pieces->where, error));
}

/**
 * attn_subword_new_from_json:
 * @node: (nullable): the model of a tokenizer.json without its pieces and merges
 * @pieces: its "vocab"
 * @merges: its "merges"
 * @is_byte_level: whether BPE joins bytes, not characters
 * @vocabulary: (inout): receives the pieces of the model; must outlive the result
 * @error: return location for %ATTN_ERROR_FORMAT, and %ATTN_ERROR_UNSUPPORTED for a model or an
 *   option that is not supported
 *
 * Returns: (transfer full) (nullable): the subword model
 */
AttnSubword *
attn_subword_new_from_json (JsonNode        *node,
                            AttnJsonWalk    *pieces,
                            AttnJsonWalk    *merges,
                            gboolean         is_byte_level,
                            AttnVocabulary  *vocabulary,
                            GError         **error)
{
  g_autoptr (GArray) scores = g_array_new (FALSE, FALSE, sizeof (double));
  AttnJsonReader json = attn_tokenizer_component_begin (node, pieces->where, _("model"));
  guint32 unknown_id = ATTN_TRIE_NO_ID;
  Options options;
  AttnPairMap *map;

  options.model = find_model (&json, pieces);
  if (!attn_json_finish (&json, error) ||
      (options.model == MODEL_UNIGRAM ? !read_scores (pieces, vocabulary, scores, error)
                                      : !read_pieces (pieces, vocabulary, error)))
    return NULL;
  read_options (&json, attn_vocabulary_get_size (vocabulary), is_byte_level, merges, &options);
  if (!attn_json_finish (&json, error))
    return NULL;
  if (options.model == MODEL_UNIGRAM)
    return attn_unigram_new (vocabulary, (const double *) scores->data, options.unknown_id,
                             options.bpe.has_byte_fallback, NULL);

  attn_vocabulary_lookup (vocabulary, options.unknown, &unknown_id);
  if (options.model == MODEL_WORDPIECE)
    return attn_wordpiece_new (vocabulary, options.prefix, unknown_id, options.max_characters,
                               NULL);
  if (options.model == MODEL_WORDLEVEL)
    return attn_wordlevel_new (vocabulary, unknown_id);
  options.bpe.unknown_id = unknown_id;
  map = attn_merges_new_from_json (merges, vocabulary, error);
  return map != NULL ? attn_bpe_new (vocabulary, map, &options.bpe, NULL) : NULL;
}

/* Returns one more than the largest id of the pieces; reading stops at the first entry that is not
 * a valid piece. */
static gsize
count_ids (AttnJsonWalk *pieces,
           gboolean      is_list)
{
  g_autoptr (GString) piece = g_string_new (NULL);
  gsize n_ids = 0;
  double score;
  gint64 id;

  attn_json_walk_enter (pieces, is_list ? '[' : '{');
  if (is_list)
    while (attn_json_walk_next (pieces, ']') && read_score (pieces, piece, &score))
      n_ids++;
  else
    while (attn_json_walk_next (pieces, '}') && attn_json_walk_read_name (pieces, piece) &&
           attn_json_walk_read_integer (pieces, &id) && id >= 0)
      n_ids = MAX (n_ids, (gsize) id + 1);
  return n_ids;
}

/**
 * attn_subword_outline_json:
 * @kind: (out): kind of the model that [func@attn_subword_new_from_json] would make, such as
 *   "Unigram"
 * @n_ids: (out): one more than the largest id of its pieces
 * @error: return location for the errors of that function, but ids, pieces and merges are not
 *   compared with each other
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
  AttnJsonReader json = attn_tokenizer_component_begin (node, pieces->where, _("model"));
  Options options;

  options.model = find_model (&json, pieces);
  *n_ids = count_ids (pieces, options.model == MODEL_UNIGRAM);
  read_options (&json, MAX (*n_ids, 1), is_byte_level, merges, &options);
  *kind = options.kind;
  return attn_json_finish (&json, error) && attn_json_walk_finish (pieces, error) &&
         (*n_ids > 0 || refuse_vocabulary (pieces->where, error));
}
