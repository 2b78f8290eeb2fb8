/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tokenizers from the metadata of GGUF files: those of this folder, written as the converter of
 * llama.cpp writes them, give the ids of the files that they were made from. */

#include <glib/gstdio.h>
#include <string.h>

#include "../format/gguf-fixture.h"
#include "attn-byte-level.h"
#include "attn-error.h"
#include "attn-json.h"
#include "tokenizer-fixture.h"

enum
{
  NORMAL = 1,
  UNKNOWN = 2,
  CONTROL = 3,
  USER_DEFINED = 4,
  UNUSED = 5,
  BYTE = 6,
};

/* A tokenizer.json on its way into a file. */
typedef struct
{
  JsonNode *root;
  JsonObject *model;
  GPtrArray *pieces;
  GArray *types;  /* gint32 */
  GArray *scores; /* float */
  GPtrArray *merges;
} Source;

static void
set_piece (Source     *source,
           gsize       id,
           const char *piece,
           gint32      type,
           float       score)
{
  if (source->pieces->len <= id)
    {
      g_ptr_array_set_size (source->pieces, (gint) id + 1);
      g_array_set_size (source->types, (guint) id + 1);
      g_array_set_size (source->scores, (guint) id + 1);
    }
  g_free (source->pieces->pdata[id]);
  source->pieces->pdata[id] = g_strdup (piece);
  g_array_index (source->types, gint32, id) = type;
  g_array_index (source->scores, float, id) = score;
}

static void
read_merges (Source *source)
{
  JsonArray *merges = json_object_has_member (source->model, "merges")
                          ? json_object_get_array_member (source->model, "merges")
                          : NULL;

  for (guint i = 0; merges != NULL && i < json_array_get_length (merges); i++)
    {
      JsonNode *node = json_array_get_element (merges, i);
      JsonArray *pair = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

      g_ptr_array_add (source->merges,
                       pair != NULL ? g_strdup_printf ("%s %s",
                                                       json_array_get_string_element (pair, 0),
                                                       json_array_get_string_element (pair, 1))
                                    : g_strdup (json_node_get_string (node)));
    }
}

static void
read_vocabulary (Source *source)
{
  JsonNode *vocabulary = json_object_get_member (source->model, "vocab");

  if (JSON_NODE_HOLDS_ARRAY (vocabulary))
    {
      JsonArray *array = json_node_get_array (vocabulary);

      for (guint i = 0; i < json_array_get_length (array); i++)
        {
          JsonArray *pair = json_array_get_array_element (array, i);

          set_piece (source, i, json_array_get_string_element (pair, 0), NORMAL,
                     (float) json_array_get_double_element (pair, 1));
        }
      return;
    }
  g_autoptr (GList) members = json_object_get_members (json_node_get_object (vocabulary));
  for (GList *l = members; l != NULL; l = l->next)
    {
      gboolean is_byte = strlen (l->data) == 6 && g_str_has_prefix (l->data, "<0x");

      set_piece (source,
                 (gsize) json_object_get_int_member (json_node_get_object (vocabulary), l->data),
                 l->data, is_byte ? BYTE : NORMAL, 0.0f);
    }
}

static Source
read_source (const char *name)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "tokenizer", name, "tokenizer.json", NULL);
  g_autoptr (GError) error = NULL;
  Source source = {
    .root = attn_json_load (path, &error),
    .pieces = g_ptr_array_new_with_free_func (g_free),
    .types = g_array_new (FALSE, TRUE, sizeof (gint32)),
    .scores = g_array_new (FALSE, TRUE, sizeof (float)),
    .merges = g_ptr_array_new_with_free_func (g_free),
  };
  g_assert_no_error (error);

  JsonObject *root = json_node_get_object (source.root);
  JsonArray *added = json_object_get_array_member (root, "added_tokens");
  source.model = json_object_get_object_member (root, "model");
  read_vocabulary (&source);
  read_merges (&source);
  for (guint i = 0; i < json_array_get_length (added); i++)
    {
      JsonObject *token = json_array_get_object_element (added, i);
      const char *content = json_object_get_string_member (token, "content");

      set_piece (&source, (gsize) json_object_get_int_member (token, "id"), content,
                 g_str_equal (content, "<unk>")                      ? UNKNOWN
                 : json_object_get_boolean_member (token, "special") ? CONTROL
                                                                     : NORMAL,
                 0.0f);
    }
  return source;
}

/* The pieces of llama2-model, with the types and scores of make-subword-fixtures.py. */
static Source
read_sentencepiece (void)
{
  g_autoptr (AttnTokenizer) tokenizer = fixture_load ("llama2-model");
  Source source = {
    .pieces = g_ptr_array_new_with_free_func (g_free),
    .types = g_array_new (FALSE, TRUE, sizeof (gint32)),
    .scores = g_array_new (FALSE, TRUE, sizeof (float)),
    .merges = g_ptr_array_new_with_free_func (g_free),
  };
  gsize n_pieces = attn_tokenizer_get_size (tokenizer);
  gsize n_normal = 0;

  for (gsize id = 0; id < n_pieces; id++)
    {
      const char *piece = attn_tokenizer_get_piece (tokenizer, (guint32) id);
      gint32 type = id == 0              ? UNKNOWN
                    : id <= 2            ? CONTROL
                    : id < 3 + 256       ? BYTE
                    : id < 3 + 256 + 3   ? USER_DEFINED
                    : id + 1 == n_pieces ? UNUSED
                                         : NORMAL;

      set_piece (&source, id, piece, type, type == NORMAL ? -(float) (n_normal++ / 2) : 0.0f);
    }
  return source;
}

static void
source_clear (Source *source)
{
  g_clear_pointer (&source->root, json_node_unref);
  g_ptr_array_unref (source->pieces);
  g_array_unref (source->types);
  g_array_unref (source->scores);
  g_ptr_array_unref (source->merges);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Source, source_clear)

/* BertModel.set_vocab(): phantom spaces. */
static void
put_phantom_spaces (Source *source)
{
  for (guint i = 0; i < source->pieces->len; i++)
    {
      char *piece = source->pieces->pdata[i];

      if (g_array_index (source->types, gint32, i) == CONTROL)
        continue;
      source->pieces->pdata[i] =
          g_str_has_prefix (piece, "##") ? g_strdup (piece + 2) : g_strconcat ("▁", piece, NULL);
      g_free (piece);
    }
}

static void
put_strings (GByteArray *out,
             const char *key,
             GPtrArray  *strings)
{
  gguf_put_array (out, key, GGUF_STRING, strings->len);
  for (guint i = 0; i < strings->len; i++)
    gguf_put_string (out, strings->pdata[i] != NULL ? strings->pdata[i] : "");
}

static void
put_text (GByteArray *out,
          const char *key,
          const char *value)
{
  gguf_put_key (out, key, GGUF_STRING);
  gguf_put_string (out, value);
}

static void
put_boolean (GByteArray *out,
             const char *key,
             gboolean    value)
{
  gguf_put_key (out, key, GGUF_BOOL);
  gguf_put (out, value, 1);
}

static void
put_id (GByteArray *out,
        const char *key,
        guint32     id)
{
  gguf_put_key (out, key, GGUF_U32);
  gguf_put (out, id, 4);
}

/* @n_extra: pairs that the caller appends */
static GByteArray *
begin_file (const Source *source,
            const char   *model,
            guint         n_extra)
{
  GByteArray *out = g_byte_array_new ();

  gguf_begin (out, 3, 0, 5 + n_extra);
  put_text (out, "tokenizer.ggml.model", model);
  put_strings (out, "tokenizer.ggml.tokens", source->pieces);
  put_strings (out, "tokenizer.ggml.merges", source->merges);
  gguf_put_array (out, "tokenizer.ggml.token_type", GGUF_I32, source->types->len);
  for (guint i = 0; i < source->types->len; i++)
    gguf_put (out, (guint64) g_array_index (source->types, gint32, i), 4);
  gguf_put_array (out, "tokenizer.ggml.scores", GGUF_F32, source->scores->len);
  for (guint i = 0; i < source->scores->len; i++)
    gguf_put_f32 (out, g_array_index (source->scores, float, i));
  return out;
}

static AttnTokenizer *
load_bytes (const GByteArray  *bytes,
            GError           **error)
{
  return fixture_load_file ("tokenizer.gguf", (const char *) bytes->data, bytes->len, NULL, NULL,
                            error);
}

static AttnTokenizer *
load (GByteArray *bytes)
{
  g_autoptr (GError) error = NULL;
  AttnTokenizer *tokenizer = load_bytes (bytes, &error);

  g_assert_no_error (error);
  g_byte_array_unref (bytes);
  return tokenizer;
}

static GByteArray *
make_gpt2 (const char *pre)
{
  g_auto (Source) source = read_source ("gpt2");
  GByteArray *out = begin_file (&source, "gpt2", 2);

  put_text (out, "tokenizer.ggml.pre", pre);
  put_id (out, "tokenizer.ggml.bos_token_id", 676);
  return out;
}

static void
test_gpt2 (void)
{
  g_autoptr (AttnTokenizer) tokenizer = load (make_gpt2 ("gpt-2"));
  g_autofree char *labels = fixture_encode (tokenizer, "It<|endoftext|>");

  g_assert_cmpstr (attn_tokenizer_get_kind (tokenizer), ==, "byte-level BPE");
  g_assert_true (g_str_has_suffix (labels, "|<|endoftext|>"));
  g_assert_false (g_str_has_prefix (labels, "<|endoftext|>"));
  fixture_assert_agrees (tokenizer, "gpt2");
}

/* All texts but those with an added token that stands for more than itself. */
static void
test_llama3 (void)
{
  g_auto (Source) source = read_source ("llama3");
  GByteArray *out = begin_file (&source, "gpt2", 4);

  put_text (out, "tokenizer.ggml.pre", "llama-bpe");
  put_id (out, "tokenizer.ggml.bos_token_id", 676);
  put_id (out, "tokenizer.ggml.eos_token_id", 677);
  put_boolean (out, "tokenizer.ggml.add_eos_token", TRUE);
  g_autoptr (AttnTokenizer) tokenizer = load (out);
  g_autoptr (AttnTokenizer) json = fixture_load ("llama3");
  g_autoptr (JsonNode) root = fixture_load_expected ("llama3");
  JsonArray *cases = json_node_get_array (root);
  guint n_compared = 0;

  for (guint i = 0; i < json_array_get_length (cases); i++)
    {
      const char *text =
          json_object_get_string_member (json_array_get_object_element (cases, i), "text");

      if (strstr (text, "<sep>") != NULL || strstr (text, "word") != NULL)
        continue;
      g_autofree char *expected = fixture_encode (json, text);
      g_autofree char *found = fixture_encode (tokenizer, text);
      g_assert_cmpstr (found, ==, expected);
      n_compared++;
    }
  g_assert_cmpuint (n_compared, >, 50);
}

static void
test_llama2 (void)
{
  g_auto (Source) source = read_sentencepiece ();
  g_autoptr (AttnTokenizer) tokenizer = load (begin_file (&source, "llama", 0));
  g_autofree char *labels = fixture_encode (tokenizer, "It is\n☎");

  g_assert_cmpstr (attn_tokenizer_get_kind (tokenizer), ==, "BPE with byte fallback");
  g_assert_cmpstr (labels, ==, "<s>|␣I|t|␣is|↵|\\xE2|\\x98|\\x8E");
  fixture_assert_agrees (tokenizer, "llama2-model");
}

/* SentencePiece's pieces, joined by merges: as kind “gemma4”, or as any other BPE by the name of
 * its words, then without scores and types of bytes. All texts but the one with special tokens
 * within: the other puts a space behind those, too. */
static void
test_joined_spaces (gconstpointer pre)
{
  g_auto (Source) source = read_source ("llama2");

  if (pre != NULL)
    {
      g_array_set_size (source.scores, 0);
      for (guint i = 0; i < source.types->len; i++)
        if (g_array_index (source.types, gint32, i) == BYTE)
          g_array_index (source.types, gint32, i) = NORMAL;
    }
  GByteArray *out = begin_file (&source, pre != NULL ? "gpt2" : "gemma4", pre != NULL ? 6 : 5);
  if (pre != NULL)
    put_text (out, "tokenizer.ggml.pre", pre);
  put_id (out, "tokenizer.ggml.bos_token_id", 1);
  put_id (out, "tokenizer.ggml.eos_token_id", 2);
  put_id (out, "tokenizer.ggml.unknown_token_id", 0);
  put_boolean (out, "tokenizer.ggml.add_space_prefix", TRUE);
  /* llama.cpp begins with it all the same, but for Sarvam's. */
  put_boolean (out, "tokenizer.ggml.add_bos_token", g_strcmp0 (pre, "sarvam-moe") == 0);
  g_autoptr (AttnTokenizer) tokenizer = load (out);
  g_autoptr (AttnTokenizer) json = fixture_load ("llama2");
  g_autoptr (JsonNode) root = fixture_load_expected ("llama2");
  JsonArray *cases = json_node_get_array (root);
  guint n_compared = 0;

  g_assert_cmpstr (attn_tokenizer_get_kind (tokenizer), ==, "BPE with byte fallback");
  for (guint i = 0; i < json_array_get_length (cases); i++)
    {
      const char *text =
          json_object_get_string_member (json_array_get_object_element (cases, i), "text");
      g_autofree char *expected = fixture_encode (json, text);
      g_autofree char *found = fixture_encode (tokenizer, text);

      if (g_str_has_prefix (text, "<s>"))
        continue;
      g_assert_cmpstr (found, ==, expected);
      n_compared++;
    }
  g_assert_cmpuint (n_compared, >, 50);
}

/* Words between white space, of characters; the space is dropped, and letters are lowered where the
 * metadata say so. What has no piece is in bytes, or unknown. */
static void
test_words (void)
{
  static const char * const pieces[] = { "<s>", "</s>", "<unk>", "i", "t", "it", "你",
                                         "好", "你好", "I" };
  static const char * const merges[] = { "i t", "你 好" };
  static const struct
  {
    gboolean lowercases;
    gboolean has_bytes;
    const char *expected;
  } cases[] = {
    { FALSE, FALSE, "<s>|I|t|你好|it|<unk>|i|</s>" },
    { TRUE, FALSE, "<s>|it|你好|it|<unk>|i|</s>" },
    { FALSE, TRUE, "<s>|I|t|你好|it|\\xE2|\\x98|\\x8E|i|</s>" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (Source) source = {
        .pieces = g_ptr_array_new_with_free_func (g_free),
        .types = g_array_new (FALSE, TRUE, sizeof (gint32)),
        .scores = g_array_new (FALSE, TRUE, sizeof (float)),
        .merges = g_ptr_array_new_with_free_func (g_free),
      };

      for (guint k = 0; k < G_N_ELEMENTS (pieces); k++)
        set_piece (&source, k, pieces[k], k == 2 ? UNKNOWN : k < 2 ? CONTROL
                                                                   : NORMAL,
                   0.0f);
      for (guint byte = 0; byte < (cases[i].has_bytes ? 256 : 0); byte++)
        {
          g_autofree char *piece = g_strdup_printf ("<0x%02X>", byte);

          set_piece (&source, source.pieces->len, piece, NORMAL, 0.0f);
        }
      for (gsize k = 0; k < G_N_ELEMENTS (merges); k++)
        g_ptr_array_add (source.merges, g_strdup (merges[k]));
      g_array_set_size (source.scores, 0);
      GByteArray *out = begin_file (&source, "whitespace", 7);
      put_text (out, "tokenizer.ggml.pre", "whitespace");
      put_id (out, "tokenizer.ggml.bos_token_id", 0);
      put_id (out, "tokenizer.ggml.eos_token_id", 1);
      put_id (out, "tokenizer.ggml.unknown_token_id", 2);
      put_boolean (out, "tokenizer.ggml.add_bos_token", TRUE);
      put_boolean (out, "tokenizer.ggml.add_eos_token", TRUE);
      put_boolean (out, "tokenizer.ggml.normalizer.lowercase", cases[i].lowercases);
      g_autoptr (AttnTokenizer) tokenizer = load (out);
      g_autofree char *labels = fixture_encode (tokenizer, "It  你好\u3000it ☎\ni");

      g_assert_cmpstr (attn_tokenizer_get_kind (tokenizer), ==,
                       cases[i].has_bytes ? "BPE with byte fallback" : "BPE");
      g_assert_cmpstr (labels, ==, cases[i].expected);
    }
}

/* Gemma's has no space in front; nothing is added where the metadata say so. */
static void
test_llama2_options (void)
{
  g_auto (Source) source = read_sentencepiece ();
  GByteArray *out = begin_file (&source, "llama", 3);
  put_boolean (out, "tokenizer.ggml.add_space_prefix", FALSE);
  put_boolean (out, "tokenizer.ggml.add_bos_token", FALSE);
  put_boolean (out, "tokenizer.ggml.add_eos_token", TRUE);
  g_autoptr (AttnTokenizer) tokenizer = load (out);
  g_autofree char *labels = fixture_encode (tokenizer, "It is");

  g_assert_cmpstr (labels, ==, "I|t|␣is|</s>");
}

static void
insert_piece (Source     *source,
              guint       id,
              const char *piece,
              gint32      type,
              float       score)
{
  g_ptr_array_insert (source->pieces, (gint) id, g_strdup (piece));
  g_array_insert_val (source->types, id, type);
  g_array_insert_val (source->scores, id, score);
}

/* What the user defined is written with the spaces that it stands for, such as Gemma's runs of
 * them. */
static void
test_llama2_user_defined (void)
{
  g_auto (Source) source = read_sentencepiece ();
  insert_piece (&source, source.pieces->len, "   ", USER_DEFINED, 0.0f);
  insert_piece (&source, source.pieces->len, "<a b>", USER_DEFINED, 0.0f);
  g_autoptr (AttnTokenizer) tokenizer = load (begin_file (&source, "llama", 0));
  g_autofree char *labels = fixture_encode (tokenizer, "It   is<a b>I");

  g_assert_cmpstr (labels, ==, "<s>|␣I|t|␣␣␣|i|s|<a␣b>|I");
}

static void
test_bert (void)
{
  g_auto (Source) source = read_source ("bert");
  put_phantom_spaces (&source);
  GByteArray *out = begin_file (&source, "bert", 3);
  put_id (out, "tokenizer.ggml.unknown_token_id", 1);
  put_id (out, "tokenizer.ggml.cls_token_id", 2);
  put_id (out, "tokenizer.ggml.seperator_token_id", 3);
  g_autoptr (AttnTokenizer) tokenizer = load (out);
  g_autofree char *labels = fixture_encode (tokenizer, "It is\n☎");

  g_assert_cmpstr (attn_tokenizer_get_kind (tokenizer), ==, "WordPiece");
  g_assert_cmpstr (labels, ==, "[CLS]|i|##t|is|[UNK]|[SEP]");
  fixture_assert_agrees (tokenizer, "bert");
}

/* A vocabulary with a capital: letters stay as they are. */
static void
test_bert_cased (void)
{
  g_auto (Source) source = read_source ("bert");
  set_piece (&source, source.pieces->len, "It", NORMAL, 0.0f);
  put_phantom_spaces (&source);
  GByteArray *out = begin_file (&source, "bert", 3);
  put_id (out, "tokenizer.ggml.unknown_token_id", 1);
  put_id (out, "tokenizer.ggml.bos_token_id", 2);
  put_id (out, "tokenizer.ggml.eos_token_id", 3);
  g_autoptr (AttnTokenizer) tokenizer = load (out);
  g_autofree char *labels = fixture_encode (tokenizer, "It is");

  g_assert_cmpstr (labels, ==, "[CLS]|It|is|[SEP]");
}

static char *
encode_bert (gboolean    lowercases,
             gboolean    strips_accents,
             const char *text)
{
  g_auto (Source) source = read_source ("bert");
  set_piece (&source, source.pieces->len, "It", NORMAL, 0.0f);
  put_phantom_spaces (&source);
  GByteArray *out = begin_file (&source, "bert", 5);
  put_id (out, "tokenizer.ggml.unknown_token_id", 1);
  put_id (out, "tokenizer.ggml.bos_token_id", 2);
  put_id (out, "tokenizer.ggml.eos_token_id", 3);
  put_boolean (out, "tokenizer.ggml.normalizer.lowercase", lowercases);
  put_boolean (out, "tokenizer.ggml.normalizer.strip_accents", strips_accents);
  g_autoptr (AttnTokenizer) tokenizer = load (out);

  return fixture_encode (tokenizer, text);
}

/* New files say what becomes of capitals and accents, whatever the vocabulary has. */
static void
test_case (void)
{
  static const struct
  {
    gboolean lowercases;
    gboolean strips_accents;
    const char *expected;
  } cases[] = {
    { FALSE, FALSE, "[CLS]|It|[UNK]|[SEP]" },
    { FALSE, TRUE, "[CLS]|It|is|[SEP]" },
    { TRUE, FALSE, "[CLS]|i|##t|[UNK]|[SEP]" },
    { TRUE, TRUE, "[CLS]|i|##t|is|[SEP]" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *labels =
          encode_bert (cases[i].lowercases, cases[i].strips_accents, "It \u00eds");

      g_assert_cmpstr (labels, ==, cases[i].expected);
    }
}

static GByteArray *
begin_t5 (const Source *source)
{
  JsonObject *normalizer =
      json_object_get_object_member (json_node_get_object (source->root), "normalizer");
  gsize n_bytes;
  g_autofree guchar *charsmap = g_base64_decode (
      json_object_get_string_member (normalizer, "precompiled_charsmap"), &n_bytes);
  GByteArray *out = begin_file (source, "t5", 3);

  put_boolean (out, "tokenizer.ggml.add_space_prefix", TRUE);
  put_boolean (out, "tokenizer.ggml.remove_extra_whitespaces", TRUE);
  gguf_put_array (out, "tokenizer.ggml.precompiled_charsmap", GGUF_U8, n_bytes);
  g_byte_array_append (out, charsmap, (guint) n_bytes);
  return out;
}

/* What the user defined is not normalized: a line break that is a piece does not become a space. */
static void
test_t5_user_defined (void)
{
  g_auto (Source) plain = read_source ("t5");
  g_auto (Source) source = read_source ("t5");
  insert_piece (&source, source.pieces->len, "\n", USER_DEFINED, 0.0f);
  g_autoptr (AttnTokenizer) without = load (begin_t5 (&plain));
  g_autoptr (AttnTokenizer) with = load (begin_t5 (&source));
  g_autofree char *changed = fixture_encode (without, "It\nis");
  g_autofree char *kept = fixture_encode (with, "It\nis");

  g_assert_cmpstr (changed, ==, "␣I|t|␣is|</s>");
  g_assert_true (g_str_has_prefix (kept, "␣I|t|↵|"));
}

/* Two pieces and one less make it that of t5-model. */
static void
test_t5 (void)
{
  g_auto (Source) source = read_source ("t5");
  guint last = source.pieces->len - 1;
  insert_piece (&source, 3, "rose▁g", USER_DEFINED, 0.0f);
  insert_piece (&source, 4, "gardener", UNUSED, -0.5f);
  g_ptr_array_set_size (source.pieces, (gint) last + 2);
  g_array_set_size (source.types, last + 2);
  g_array_set_size (source.scores, last + 2);
  g_autoptr (AttnTokenizer) tokenizer = load (begin_t5 (&source));
  g_autofree char *labels = fixture_encode (tokenizer, "It is\n☎");

  g_assert_cmpstr (attn_tokenizer_get_kind (tokenizer), ==, "Unigram");
  g_assert_cmpstr (labels, ==, "␣I|t|␣is|␣|<unk>|</s>");
  fixture_assert_agrees (tokenizer, "t5-model");
}

/* A vocabulary that joins any part of @text, which has no two characters twice, from its beginning
 * on, unless there is a cut. */
static GByteArray *
make_joining (const char *pre,
              const char *text)
{
  g_auto (Source) source = {
    .pieces = g_ptr_array_new_with_free_func (g_free),
    .types = g_array_new (FALSE, TRUE, sizeof (gint32)),
    .scores = g_array_new (FALSE, TRUE, sizeof (float)),
    .merges = g_ptr_array_new_with_free_func (g_free),
  };
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  gsize n_bytes = strlen (text);

  for (guint byte = 0; byte < 256; byte++)
    {
      char piece[7] = { 0 };

      g_unichar_to_utf8 (attn_byte_level_get_char ((guint8) byte), piece);
      set_piece (&source, byte, piece, NORMAL, 0.0f);
    }
  for (gsize begin = 0; begin < n_bytes; begin++)
    {
      g_autoptr (GString) piece = g_string_new (source.pieces->pdata[(guint8) text[begin]]);

      for (gsize end = begin + 1; end < n_bytes; end++)
        {
          const char *last = source.pieces->pdata[(guint8) text[end]];
          g_autofree char *merge = g_strconcat (piece->str, " ", last, NULL);

          g_string_append (piece, last);
          if (g_hash_table_contains (seen, piece->str))
            continue;
          set_piece (&source, source.pieces->len, piece->str, NORMAL, 0.0f);
          g_hash_table_add (seen, source.pieces->pdata[source.pieces->len - 1]);
          g_ptr_array_add (source.merges, g_steal_pointer (&merge));
        }
    }
  GByteArray *out = begin_file (&source, "gpt2", 1);
  put_text (out, "tokenizer.ggml.pre", pre);
  return out;
}

/* Where each name cuts; by hand from the patterns. */
static void
test_word_rules (void)
{
  static const char text[] = "it's 1234 a..B\n\n x";
  static const struct
  {
    const char *pre;
    const char *expected;
  } cases[] = {
    { "gpt-2", "it|'s|␣1234|␣a|..|B|↵↵|␣x" },
    { "default", "it|'|s|␣|123|4|␣a|..|B|↵↵|␣x" },
    { "llama-bpe", "it|'s|␣|123|4|␣a|..|B|↵↵|␣x" },
    { "dbrx", "it|'s|␣|123|4|␣a|..|B|↵↵|␣x" },
    { "qwen2", "it|'s|␣|1|2|3|4|␣a|..|B|↵↵|␣x" },
    { "stablelm2", "it|'s|␣|1|2|3|4|␣a|..|B|↵↵|␣x" },
    { "starcoder", "it|'s|␣|1|2|3|4|␣a|..|B|↵↵|␣x" },
    { "falcon", "it|'|s|␣|123|4|␣a|..|B|↵↵|␣x" },
    { "bloom", "it's|␣1234|␣a|..|B|↵↵|␣x" },
    { "viking", "it's|␣|1|2|3|4|␣a|..|B|↵↵|␣x" },
    { "tekken", "it|'s|␣|1|2|3|4|␣a|..|B|↵↵|␣x" },
    { "gpt-4o", "it's|␣|123|4|␣a|..|B|↵↵|␣x" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AttnTokenizer) tokenizer = load (make_joining (cases[i].pre, text));
      g_autoptr (AttnTokens) tokens = fixture_tokens (tokenizer, text, -1, FALSE);
      g_autofree char *labels = fixture_join_labels (tokens);

      g_test_message ("%s", cases[i].pre);
      g_assert_cmpstr (labels, ==, cases[i].expected);
    }
}

/* Where newer names cut two texts: by the Python module regex from the published patterns, one
 * after the other, each match and each stretch between two a word. */
static void
test_newer_word_rules (void)
{
  static const char * const texts[] = { "it's 1234 a..B\n\n x",
                                        "h\u00e9! \u4e2d\u6587 12345, x_y" };
  static const struct
  {
    const char *pre;
    const char *expected[2];
  } cases[] = {
    { "deepseek-llm",
      { "it|'|s|␣|1234|␣a|..|B|↵|↵|␣x",
        "h|é|!|␣|中文|␣|12345|,|␣x|_|y" } },
    { "deepseek-coder",
      { "it|'|s|␣|1|2|3|4|␣a|..|B|↵|↵|␣x",
        "hé|!|␣|中文|␣|1|2|3|4|5|,|␣x|_|y" } },
    { "deepseek-v3",
      { "it|'s|␣|123|4|␣a|..|B|↵↵|␣x",
        "hé|!|␣|中文|␣|123|45|,|␣x|_y" } },
    { "qwen35",
      { "it|'s|␣|1|2|3|4|␣a|..|B|↵↵|␣x",
        "hé|!|␣中文|␣|1|2|3|4|5|,|␣x|_y" } },
    { "bailingmoe",
      { "it|'s|␣|1|2|3|4|␣a|..|B|↵↵|␣x",
        "hé|!|␣中文|␣|1|2|3|4|5|,|␣x|_y" } },
    { "seed-coder",
      { "it|'s|␣|1|2|3|4|␣a|..|B|↵↵|␣x",
        "hé|!|␣中文|␣|1|2|3|4|5|,|␣x|_y" } },
    { "exaone-moe",
      { "it|'s|␣|1|2|3|4|␣a|..|B|↵↵|␣x",
        "hé|!|␣中文|␣|1|2|3|4|5|,|␣x|_y" } },
    { "minicpm5",
      { "it|'s|␣|123|4|␣a|..|B|↵↵|␣x",
        "hé|!|␣中文|␣|123|45|,|␣x|_y" } },
    { "tiny_aya",
      { "it's|␣|1|234|␣a|..|B|↵↵|␣x",
        "hé|!|␣中文|␣|12|345|,|␣x|_y" } },
    { "youtu",
      { "it's|␣|1|2|3|4|␣a|..|B|↵↵|␣x",
        "hé|!|␣|中文|␣|1|2|3|4|5|,|␣x|_y" } },
    { "modern-bert",
      { "it|'s|␣1234|␣a|..|B|↵↵|␣x",
        "hé|!|␣中文|␣12345|,|␣x|_|y" } },
    { "kimi-k2",
      { "it's|␣|123|4|␣a|..|B|↵↵|␣x",
        "hé|!|␣|中文|␣|123|45|,|␣x|_y" } },
    { "granite-embed-multi-97m",
      { "it's|␣|123|4|␣a|..|B|↵↵|␣x",
        "hé|!|␣中文|␣|123|45|,|␣x|_y" } },
    { "spark2_5",
      { "it|'s|␣|1|2|3|4|␣a|..|B|↵|↵|␣x",
        "hé|!|␣|中文|␣|1|2|3|4|5|,|␣x|_y" } },
    { "ufakzeka",
      { "it|'s|␣|1|2|3|4|␣a|..|B|↵↵|␣x",
        "hé|!|␣中文|␣|1|2|3|4|5|,|␣x|_y" } },
    { "laguna",
      { "it|'s|␣|1|2|3|4|␣a|..|B|↵↵|␣x",
        "hé|!|␣中文|␣|1|2|3|4|5|,|␣x|_y" } },
    { "superbpe",
      { "it's␣|1|234|␣a..B↵↵␣x",
        "hé!␣中文␣|12|345|,␣x_y" } },
    { "afmoe",
      { "it|'s|␣|1|234|␣a|..|B|↵↵|␣x",
        "hé|!|␣|中文|␣|12|345|,|␣x|_y" } },
    { "chameleon",
      { "it|'|s|␣|1|2|3|4|␣a|.|.|B|↵|↵|␣x",
        "hé|!|␣中文|␣|1|2|3|4|5|,|␣x|_|y" } },
    { "jais-2",
      { "it|'s|␣|123|4|␣a|..|B|↵↵|␣x",
        "hé|!|␣中文|␣|123|45|,|␣x|_y" } },
  };

  for (gsize i = 0; i < 2 * G_N_ELEMENTS (cases); i++)
    {
      const char *text = texts[i % 2];
      g_autoptr (AttnTokenizer) tokenizer = load (make_joining (cases[i / 2].pre, text));
      g_autoptr (AttnTokens) tokens = fixture_tokens (tokenizer, text, -1, FALSE);
      g_autofree char *labels = fixture_join_labels (tokens);

      g_test_message ("%s", cases[i / 2].pre);
      g_assert_cmpstr (labels, ==, cases[i / 2].expected[i % 2]);
    }
}

static void
assert_refused (GByteArray *bytes,
                int         code,
                const char *part)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (load_bytes (bytes, &error));
  if (strstr (error->message, part) == NULL)
    g_test_message ("“%s” lacks “%s”", error->message, part);
  g_assert_error (error, ATTN_ERROR, code);
  g_assert_nonnull (strstr (error->message, part));
  g_byte_array_unref (bytes);
}

static GByteArray *
make_short_types (void)
{
  g_auto (Source) source = read_source ("gpt2");

  g_array_set_size (source.types, source.types->len - 1);
  return begin_file (&source, "gpt2", 0);
}

static GByteArray *
make_other_type (void)
{
  g_auto (Source) source = read_source ("gpt2");

  g_array_index (source.types, gint32, 5) = 1000;
  return begin_file (&source, "gpt2", 0);
}

static GByteArray *
make_other_model (void)
{
  g_auto (Source) source = read_source ("gpt2");

  return begin_file (&source, "rwkv", 0);
}

static GByteArray *
make_without_model (void)
{
  GByteArray *out = g_byte_array_new ();

  gguf_begin (out, 3, 0, 0);
  return out;
}

static void
test_refused (void)
{
  assert_refused (make_gpt2 ("sophia"), ATTN_ERROR_UNSUPPORTED,
                  "“tokenizer.ggml.pre”: sophia found, expected one of default, gpt-2");
  assert_refused (make_other_model (), ATTN_ERROR_UNSUPPORTED,
                  "“tokenizer.ggml.model”: rwkv found, expected gpt2, llama, gemma4, bert, t5 "
                  "or whitespace");
  assert_refused (make_without_model (), ATTN_ERROR_FORMAT, "no tokenizer found");
  assert_refused (
      make_short_types (), ATTN_ERROR_FORMAT,
      "“tokenizer.ggml.token_type”: 677 elements found, expected one for each of the 678");
  assert_refused (make_other_type (), ATTN_ERROR_FORMAT, "type 255 of token 5 found");
}

/* Whatever the bytes, an error or a tokenizer that encodes. */
static void
test_mutations (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (61);
  g_autoptr (GByteArray) original = make_gpt2 ("llama-bpe");
  guint n_loaded = 0;

  for (guint i = 0; i < 500; i++)
    {
      g_autoptr (GByteArray) mutated = g_byte_array_new ();
      g_autoptr (GError) error = NULL;

      g_byte_array_append (mutated, original->data, original->len);
      for (gint n = g_rand_int_range (rand, 1, 4); n > 0; n--)
        mutated->data[g_rand_int_range (rand, 0, (gint32) mutated->len)] ^=
            (guint8) (1 << g_rand_int_range (rand, 0, 8));
      if (g_rand_int_range (rand, 0, 10) == 0)
        g_byte_array_set_size (mutated, (guint) g_rand_int_range (rand, 4, (gint32) mutated->len));
      g_autoptr (AttnTokenizer) tokenizer = load_bytes (mutated, &error);
      g_assert_true ((tokenizer != NULL) != (error != NULL));
      if (tokenizer == NULL)
        continue;
      n_loaded++;
      g_autoptr (AttnTokens) tokens =
          attn_tokenizer_encode (tokenizer, "It is\n☎ 12", -1, TRUE, &error);
      g_assert_true ((tokens != NULL) != (error != NULL));
    }
  g_assert_cmpuint (n_loaded, >, 0);
  g_assert_cmpuint (n_loaded, <, 500);
}

/* The template is read with the rest: the file, which is gone then, is not opened again. */
static void
test_chat (void)
{
  g_autoptr (GError) error = NULL;
  g_auto (Source) source = read_source ("gpt2");
  GByteArray *out = begin_file (&source, "gpt2", 3);

  put_text (out, "tokenizer.ggml.pre", "gpt-2");
  put_id (out, "tokenizer.ggml.bos_token_id", 676);
  put_text (out, "tokenizer.chat_template",
            "{{ bos_token }}{% for m in messages %}{{ '[INST] ' + m['content'] + ' [/INST]' }}"
            "{% endfor %}");
  g_autoptr (AttnTokenizer) tokenizer = load (out);
  g_assert_true (attn_tokenizer_has_chat (tokenizer));
  g_autoptr (AttnTokens) tokens =
      attn_tokenizer_encode (tokenizer, "It", -1, ATTN_FRAMING_CHAT, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (tokens->tokens[0].id, ==, 676);
  g_assert_cmpuint (tokens->n_tokens, >, 2);

  g_autoptr (AttnTokenizer) without = load (make_gpt2 ("gpt-2"));
  g_assert_false (attn_tokenizer_has_chat (without));
  g_assert_null (attn_tokenizer_encode (without, "It", -1, ATTN_FRAMING_CHAT, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tokenizer/gguf/gpt2", test_gpt2);
  g_test_add_func ("/tokenizer/gguf/llama3", test_llama3);
  g_test_add_func ("/tokenizer/gguf/llama2", test_llama2);
  g_test_add_data_func ("/tokenizer/gguf/gemma4", NULL, test_joined_spaces);
  g_test_add_data_func ("/tokenizer/gguf/sarvam-moe", "sarvam-moe", test_joined_spaces);
  g_test_add_data_func ("/tokenizer/gguf/granite-311m", "granite-embed-multi-311m",
                        test_joined_spaces);
  g_test_add_func ("/tokenizer/gguf/words", test_words);
  g_test_add_func ("/tokenizer/gguf/case", test_case);
  g_test_add_func ("/tokenizer/gguf/llama2-options", test_llama2_options);
  g_test_add_func ("/tokenizer/gguf/t5-user-defined", test_t5_user_defined);
  g_test_add_func ("/tokenizer/gguf/llama2-user-defined", test_llama2_user_defined);
  g_test_add_func ("/tokenizer/gguf/bert", test_bert);
  g_test_add_func ("/tokenizer/gguf/bert-cased", test_bert_cased);
  g_test_add_func ("/tokenizer/gguf/t5", test_t5);
  g_test_add_func ("/tokenizer/gguf/word-rules", test_word_rules);
  g_test_add_func ("/tokenizer/gguf/word-rules/newer", test_newer_word_rules);
  g_test_add_func ("/tokenizer/gguf/chat", test_chat);
  g_test_add_func ("/tokenizer/gguf/refused", test_refused);
  g_test_add_func ("/tokenizer/gguf/mutations", test_mutations);
  return g_test_run ();
}
