/* SPDX-License-Identifier: GPL-3.0-or-later */

/* WordPiece, BPE over characters and Unigram, from every kind of file, against encoders written
 * apart from these (make-subword-fixtures.py). */

#include <glib.h>
#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "attn-tokenizer-parts.h"
#include "attn-tokenizer.h"
#include "tokenizer-fixture.h"

typedef struct
{
  const char *name; /* a folder of this folder */
  const char *expected;
  const char *kind;
  const char *labels; /* of "It is\n☎", special tokens added */
} Case;

static const Case cases[] = {
  { "bert", "bert", "WordPiece", "[CLS]|i|##t|is|[UNK]|[SEP]" },
  { "bert-vocab", "bert", "WordPiece", "[CLS]|i|##t|is|[UNK]|[SEP]" },
  { "bert-cased", "bert-cased", "WordPiece", "[CLS]|[UNK]|is|[UNK]|[SEP]" },
  { "clip", "clip", "byte-level BPE",
    "<|startoftext|>|it␣|is␣|\\xE2|\\x98|\\x8E␣|<|endoftext|>" },
  { "esm", "esm", "WordLevel", "<cls>|I|<unk>|<unk>|<unk>|<eos>" },
  { "llama2", "llama2", "BPE with byte fallback", "<s>|␣I|t|␣is|↵|\\xE2|\\x98|\\x8E" },
  { "llama2-model", "llama2-model", "BPE with byte fallback",
    "<s>|␣I|t|␣is|↵|\\xE2|\\x98|\\x8E" },
  { "t5", "t5", "Unigram", "␣I|t|␣is|␣|<unk>|</s>" },
  { "t5-model", "t5-model", "Unigram", "␣I|t|␣is|␣|<unk>|</s>" },
};

static void
test_agrees_with_reference (gconstpointer data)
{
  const Case *one = data;
  g_autoptr (AttnTokenizer) tokenizer = fixture_load (one->name);
  g_autofree char *labels = fixture_encode (tokenizer, "It is\n☎");

  g_assert_cmpstr (attn_tokenizer_get_kind (tokenizer), ==, one->kind);
  g_assert_cmpstr (labels, ==, one->labels);
  fixture_assert_agrees (tokenizer, one->expected);
}

#define WORDS(unknown)                                                                      \
  "{\"pre_tokenizer\": {\"type\": \"Whitespace\"}, \"model\": {\"type\": \"WordLevel\", "   \
  "\"vocab\": {\"[PAD]\": 0, \"+\": 1, \"12\": 2, \"1\": 3, \"=\": 4, \"" unknown "\": 5, " \
  "\"x\": 6, \"é\": 7}, \"unk_token\": \"" unknown "\"}}"

/* A word is there as a whole or is unknown: "123" begins as "12" does and is none. */
static void
test_wordlevel (void)
{
  static const guint32 ids[] = { 2, 1, 3, 4, 5, 6, 7, 5 };
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnTokenizer) tokenizer = fixture_load_text (WORDS ("[UNK]"), -1, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (attn_tokenizer_get_kind (tokenizer), ==, "WordLevel");
  g_autoptr (AttnTokens) tokens = fixture_tokens (tokenizer, "12 + 1 = 123 x é xé", -1, TRUE);
  g_assert_cmpuint (tokens->n_tokens, ==, G_N_ELEMENTS (ids));
  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    g_assert_cmpuint (tokens->tokens[i].id, ==, ids[i]);
  g_assert_cmpuint (tokens->tokens[4].begin, ==, 9);
  g_assert_cmpuint (tokens->tokens[4].end, ==, 12);
}

/* XLM-RoBERTa's ids are not those of the file: one further, but for the special ones. */
static void
test_xlm_roberta (void)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "tokenizer", "llama2-model", "tokenizer.model", NULL);
  g_autofree char *data = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;
  g_assert_true (g_file_get_contents (path, &data, &length, NULL));
  g_autoptr (AttnTokenizer) plain = fixture_load ("llama2-model");
  g_autoptr (AttnTokenizer) tokenizer = fixture_load_file (
      "sentencepiece.bpe.model", data, (gssize) length, "tokenizer_config.json",
      "{'tokenizer_class':'XLMRobertaTokenizerFast'}", &error);
  g_assert_no_error (error);
  g_autoptr (AttnTokens) expected = fixture_tokens (plain, "It is", -1, FALSE);
  g_autoptr (AttnTokens) tokens = fixture_tokens (tokenizer, "It is", -1, TRUE);
  guint32 mask = (guint32) attn_tokenizer_get_size (tokenizer) - 1;

  g_assert_cmpuint (tokens->n_tokens, ==, expected->n_tokens + 2);
  g_assert_cmpuint (tokens->tokens[0].id, ==, 0);
  g_assert_cmpuint (tokens->tokens[tokens->n_tokens - 1].id, ==, 2);
  for (gsize i = 0; i < expected->n_tokens; i++)
    g_assert_cmpuint (tokens->tokens[i + 1].id, ==, expected->tokens[i].id + 1);
  g_assert_cmpuint (mask, ==, attn_tokenizer_get_size (plain) + 1);
  g_assert_cmpstr (attn_tokenizer_get_piece (tokenizer, mask), ==, "<mask>");
  g_assert_cmpstr (attn_tokenizer_get_piece (tokenizer, 1), ==, "<pad>");
  g_assert_cmpstr (attn_tokenizer_get_piece (tokenizer, 3), ==, "<unk>");

  g_assert_null (fixture_load_file ("sentencepiece.bpe.model", data, (gssize) length,
                                    "tokenizer_config.json",
                                    "{'tokenizer_class':'CamembertTokenizer'}", &error));
  g_assert_nonnull (strstr (error->message, "class CamembertTokenizer found"));
}

/* The file of the other layout has one special token less. */
static void
test_vocab_and_merges_agree_with_json (void)
{
  g_autoptr (AttnTokenizer) json = fixture_load ("gpt2");
  g_autoptr (AttnTokenizer) plain = fixture_load ("gpt2-vocab");
  g_autoptr (JsonNode) root = fixture_load_expected ("gpt2");
  JsonArray *texts = json_node_get_array (root);

  g_assert_cmpstr (attn_tokenizer_get_kind (plain), ==, "byte-level BPE");
  for (guint i = 0; i < json_array_get_length (texts); i++)
    {
      JsonObject *object = json_array_get_object_element (texts, i);
      const char *text = json_object_get_string_member (object, "text");

      if (strstr (text, "<|pad|>") != NULL)
        continue;
      g_autofree char *expected = fixture_encode (json, text);
      g_autofree char *found = fixture_encode (plain, text);
      g_assert_cmpstr (found, ==, expected);
    }
}

/* A list without a tokenizer.json does not say how CLIP cuts texts: it is not taken for GPT-2's. */
static void
test_clip_without_json (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (fixture_load_file ("vocab.json", "{\"a\": 0, \"a</w>\": 1, \"aa</w>\": 2}", -1,
                                    "merges.txt", "#version: 0.2\na a</w>\n", &error));
  g_assert_nonnull (strstr (error->message, "class CLIPTokenizer found"));
}

/* A space in front is all that these two add to a text. */
static void
test_characters_round_trip (gconstpointer data)
{
  g_autoptr (AttnTokenizer) tokenizer = fixture_load (data);
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);

  for (int round = 0; round < 500; round++)
    {
      g_autoptr (GString) text = g_string_new ("a");
      int n_characters = g_rand_int_range (rand, 0, 60);

      for (int i = 0; i < n_characters; i++)
        fixture_append_random (text, rand);
      /* The visible space cannot be told from a space. */
      g_string_replace (text, "▁", " ", 0);
      g_autoptr (AttnTokens) tokens = fixture_tokens (tokenizer, text->str, text->len, FALSE);
      fixture_assert_decodes (tokenizer, tokens, text->str, text->len);
    }
}

static void
test_labels_show_how_pieces_join (void)
{
  g_autoptr (AttnTokenizer) bert = fixture_load ("bert");
  g_autoptr (AttnTokenizer) llama2 = fixture_load ("llama2");
  g_autofree char *pieces = fixture_encode (bert, "Gardeners [MASK]");
  g_autofree char *spaces = fixture_encode (llama2, "the the€");
  g_autoptr (AttnTokens) tokens = fixture_tokens (llama2, "the the the", -1, FALSE);

  g_assert_cmpstr (pieces, ==, "[CLS]|garden|##er|##s|[MASK]|[SEP]");
  g_assert_cmpstr (spaces, ==, "<s>|␣the|␣the|\\xE2|\\x82|\\xAC");
  /* Tokens with one id share one label. */
  g_assert_true (tokens->labels[1] == tokens->labels[2]);
}

static void
assert_decoded (AttnTokenizer *tokenizer,
                const char    *text,
                const char    *expected)
{
  g_autoptr (AttnTokens) tokens = fixture_tokens (tokenizer, text, -1, FALSE);

  fixture_assert_decodes (tokenizer, tokens, expected, strlen (expected));
}

static void
test_decoders (void)
{
  g_autoptr (AttnTokenizer) esm = fixture_load ("esm");
  g_autoptr (AttnTokenizer) bert = fixture_load ("bert");
  g_autoptr (AttnTokenizer) t5 = fixture_load ("t5");
  g_autoptr (AttnTokenizer) t5_model = fixture_load ("t5-model");
  g_autoptr (AttnTokenizer) llama2 = fixture_load ("llama2");

  assert_decoded (bert, "The gardener , and [SEP] the rose.", "the gardener, and [SEP] the rose.");
  assert_decoded (esm, "MKT <mask> AY", "MKT<mask>AY");
  assert_decoded (t5, " the   garden", "the garden");
  assert_decoded (t5_model, " the   garden ", "the garden");
  assert_decoded (llama2, "  the € garden", "  the € garden");
}

/* Each word is one unknown token, so that its place shows what was cut. */
static void
test_pre_tokenizers (void)
{
  static const struct
  {
    const char *pre_tokenizer;
    const char *expected; /* of "It's [a] naïve_x²  ½!\u3000Ⅷ" */
  } words[] = {
    { "{'type':'Whitespace'}", "It|'|s|[|a|]|naïve_x|²|½!|Ⅷ" },
    { "{'type':'WhitespaceSplit'}", "It's|[a]|naïve_x²|½!|Ⅷ" },
    { "{'type':'BertPreTokenizer'}", "It|'|s|[|a|]|naïve|_|x²|½|!|Ⅷ" },
    { "{'type':'Punctuation'}", "It|'|s |[|a|]| naïve|_|x²  ½|!|\u3000Ⅷ" },
    { "{'type':'Punctuation','behavior':'Removed'}", "It|s |a| naïve|x²  ½|\u3000Ⅷ" },
    { "{'type':'Metaspace'}", "It's| [a]| naïve_x²| | ½!\u3000Ⅷ" },
    { "{'type':'Metaspace','split':false}", "It's [a] naïve_x²  ½!\u3000Ⅷ" },
    { "{'type':'Sequence','pretokenizers':[{'type':'WhitespaceSplit'},{'type':'Digits'}]}",
      "It's|[a]|naïve_x|²|½|!|Ⅷ" },
    { "null", "It's [a] naïve_x²  ½!\u3000Ⅷ" },
  };
  static const char text[] = "It's [a] naïve_x²  ½!\u3000Ⅷ";

  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AttnTokenizer) tokenizer = fixture_load_document (
          words[i].pre_tokenizer, NULL,
          "'type':'WordPiece','unk_token':'?','vocab':{'?':0}", &error);
      g_assert_no_error (error);
      g_autoptr (AttnTokens) tokens = fixture_tokens (tokenizer, text, -1, FALSE);
      g_autoptr (GString) found = g_string_new (NULL);

      for (gsize j = 0; j < tokens->n_tokens; j++)
        {
          const AttnToken *token = &tokens->tokens[j];

          g_string_append_printf (found, "%s%.*s", j > 0 ? "|" : "",
                                  (int) (token->end - token->begin), text + token->begin);
        }
      g_assert_cmpstr (found->str, ==, words[i].expected);
    }
}

static void
test_metaspace_prefix (void)
{
  static const struct
  {
    const char *options;
    const char *expected; /* of "a<s>a a" */
  } prefixes[] = {
    { "", "␣|a|<s>|␣|a|␣|a" },
    { ",'add_prefix_space':false", "a|<s>|a|␣|a" },
    { ",'prepend_scheme':'always'", "␣|a|<s>|␣|a|␣|a" },
    { ",'prepend_scheme':'first','split':false", "␣|a|<s>|a|␣|a" },
    { ",'prepend_scheme':'never'", "a|<s>|a|␣|a" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (prefixes); i++)
    {
      g_autofree char *metaspace =
          g_strdup_printf ("{'type':'Metaspace','replacement':'▁'%s}", prefixes[i].options);
      g_autoptr (GError) error = NULL;
      g_autoptr (AttnTokenizer) tokenizer = fixture_load_document (
          metaspace, "'added_tokens':[{'id':3,'content':'<s>','special':true}]",
          "'vocab':{'▁':0,'a':1},'merges':[]", &error);
      g_assert_no_error (error);
      g_autofree char *labels = fixture_encode (tokenizer, "a<s>a a");

      g_assert_cmpstr (labels, ==, prefixes[i].expected);
      g_assert_cmpstr (attn_tokenizer_get_kind (tokenizer), ==, "BPE");
    }
}

static void
test_unknown_characters (void)
{
  static const struct
  {
    const char *model;
    const char *expected; /* of "aéßa", NULL for an error */
  } models[] = {
    { "'vocab':{'a':0,'?':1},'merges':[],'unk_token':'?'", "a|?|?|a" },
    { "'vocab':{'a':0,'?':1},'merges':[],'unk_token':'?','fuse_unk':true", "a|?|a" },
    { "'vocab':{'a':0,'?':1},'merges':[]", "a|a" },
    { "'vocab':{'a':0,'?':1,'<0xC3>':2,'<0xA9>':3},'merges':[],'unk_token':'?',"
      "'byte_fallback':true",
      "a|\\xC3|\\xA9|?|a" },
    { "'type':'Unigram','vocab':[['a',-1],['?',-2]],'unk_id':1", "a|?|a" },
    { "'type':'Unigram','vocab':[['a',-1],['?',-2]]", NULL },
    { "'type':'Unigram','vocab':[['a',-1],['?',-2],['<0xC3>',-3],['<0xA9>',-3],['<0x9F>',-3]],"
      "'unk_id':1,'byte_fallback':true",
      "a|\\xC3|\\xA9|\\xC3|\\x9F|a" },
    { "'type':'WordPiece','unk_token':'?','vocab':{'a':0,'?':1}", "?" },
    { "'type':'WordPiece','unk_token':'!','vocab':{'a':0,'?':1}", NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (models); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AttnTokenizer) tokenizer = fixture_load_document (
          "null", "'decoder':{'type':'ByteFallback'}", models[i].model, &error);
      g_assert_no_error (error);
      g_autoptr (AttnTokens) tokens = attn_tokenizer_encode (tokenizer, "aéßa", -1, TRUE, &error);

      if (models[i].expected == NULL)
        {
          g_assert_null (tokens);
          g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);
          continue;
        }
      g_assert_no_error (error);
      g_autofree char *labels = fixture_join_labels (tokens);
      g_assert_cmpstr (labels, ==, models[i].expected);
    }
}

static void
test_words_too_long_are_unknown (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnTokenizer) tokenizer = fixture_load_document (
      "{'type':'WhitespaceSplit'}", NULL,
      "'type':'WordPiece','unk_token':'?','max_input_chars_per_word':3,"
      "'continuing_subword_prefix':'_',"
      "'vocab':{'?':0,'é':1,'_é':2,'_éé':3}",
      &error);
  g_assert_no_error (error);
  g_autofree char *labels = fixture_encode (tokenizer, "é éé ééé éééé");

  g_assert_cmpstr (labels, ==, "é|é|_é|é|_éé|?");
}

/* Scores -1 + -1.5 beat -3; of equal ways the one that begins its last piece earliest is taken. */
static void
test_unigram_takes_the_likeliest (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnTokenizer) tokenizer = fixture_load_document (
      "null", NULL,
      "'type':'Unigram','unk_id':0,'vocab':[['?',0],['a',-1],['b',-1.5],['ab',-3],['abc',-4],"
      "['c',-2],['x',-1],['y',-1],['xy',-2]]",
      &error);
  g_assert_no_error (error);
  g_autofree char *likely = fixture_encode (tokenizer, "ab");
  g_autofree char *longer = fixture_encode (tokenizer, "abc");
  g_autofree char *equal = fixture_encode (tokenizer, "xy");

  g_assert_cmpstr (likely, ==, "a|b");
  g_assert_cmpstr (longer, ==, "abc");
  g_assert_cmpstr (equal, ==, "xy");
}

static void
test_config_beside_vocab (void)
{
  static const char vocabulary[] = "[UNK]\n[CLS]\n[SEP]\ne\né\nE\n##b\n\n字";
  static const struct
  {
    const char *config;
    const char *expected; /* of "É E 字Eb" */
  } configs[] = {
    { NULL, "[CLS]|e|e|字|e|##b|[SEP]" },
    { "{'do_lower_case':false}", "[CLS]|[UNK]|E|字|E|##b|[SEP]" },
    { "{'strip_accents':false}", "[CLS]|é|e|字|e|##b|[SEP]" },
    { "{'do_lower_case':false,'strip_accents':true}", "[CLS]|E|E|字|E|##b|[SEP]" },
    { "{'strip_accents':null,'tokenize_chinese_chars':false}", "[CLS]|e|e|[UNK]|[SEP]" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (configs); i++)
    {
      /* With a byte order mark and without. */
      g_autofree char *text = g_strconcat (i % 2 ? "\xef\xbb\xbf" : "", vocabulary, NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (AttnTokenizer) tokenizer =
          fixture_load_file ("vocab.txt", text, -1,
                             configs[i].config != NULL ? "tokenizer_config.json" : NULL,
                             configs[i].config, &error);
      g_assert_no_error (error);
      g_autofree char *labels = fixture_encode (tokenizer, "É E 字Eb");

      g_assert_cmpstr (labels, ==, configs[i].expected);
      g_assert_cmpuint (attn_tokenizer_get_size (tokenizer), ==, 9);
      g_assert_null (attn_tokenizer_get_piece (tokenizer, 7));
    }
}

/* A list of residues is told by its special tokens or by the class of the tokenizer, whose tokens
 * it must have. */
static void
test_residues (void)
{
  static const char vocabulary[] = "<cls>\n<pad>\n<eos>\n<unk>\nL\nA\n\n<mask>\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnTokenizer) tokenizer =
      fixture_load_file ("vocab.txt", vocabulary, -1, NULL, NULL, &error);

  g_assert_no_error (error);
  g_autofree char *labels = fixture_encode (tokenizer, "LAa<mask>\nbA");
  g_assert_cmpstr (labels, ==, "<cls>|L|A|<unk>|<mask>|<unk>|A|<eos>");
  g_assert_null (attn_tokenizer_get_piece (tokenizer, 6));
  g_assert_null (fixture_load_file ("vocab.txt", "[UNK]\n[CLS]\n[SEP]\n", -1,
                                    "tokenizer_config.json",
                                    "{'tokenizer_class':'EsmTokenizer'}", &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);
  g_assert_nonnull (strstr (error->message, "without “<unk>” found"));
}

static void
test_config_beside_sentencepiece (void)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "tokenizer", "llama2-model", "tokenizer.model", NULL);
  g_autofree char *model = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (path, &model, &length, NULL));
  g_autoptr (AttnTokenizer) tokenizer = fixture_load_file (
      "tokenizer.model", model, length, "tokenizer_config.json",
      "{'add_bos_token':false,'add_eos_token':true}", &error);
  g_assert_no_error (error);
  g_autofree char *labels = fixture_encode (tokenizer, "the<s>the");
  g_assert_cmpstr (labels, ==, "␣the|<s>|t|he|</s>");
}

/* Text in UTF-8 or not, a type and a score each, and what is joined: "a b|Ġ a". */
static void
set_parts (AttnTokenizerParts *parts,
           const char * const *pieces,
           const guint8       *types,
           const float        *scores,
           guint               n_pieces,
           const char         *merges)
{
  g_auto (GStrv) list = g_strsplit (merges, "|", -1);

  attn_tokenizer_parts_init (parts, "parts");
  for (guint i = 0; i < n_pieces; i++)
    g_ptr_array_add (parts->pieces, (char *) pieces[i]);
  g_byte_array_append (parts->types, types, n_pieces);
  if (scores != NULL)
    g_array_append_vals (parts->scores, scores, n_pieces);
  for (char **merge = list; *merge != NULL; merge++)
    g_ptr_array_add (parts->merges, g_string_chunk_insert (parts->strings, *merge));
}

static void
test_parts_that_do_not_fit_are_refused (void)
{
  static const char * const pieces[] = { "<unk>", "a", "b" };
  static const char * const broken[] = { "<unk>", "\xC3", "b" };
  static const float scores[] = { 0, -1, -2 };
  static const float infinite[] = { 0, -1, -INFINITY };
  static const guint8 types[] = { 2, 1, 1 };
  static const guint8 bad_types[] = { 2, 1, 7 };
  AttnTokenizerParts parts[9];
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      set_parts (&parts[i], i == 6 ? broken : pieces, i == 3 ? bad_types : types,
                 i == 1 ? NULL : i == 2 ? infinite
                                        : scores,
                 i == 7 ? 0 : 3, "a b");
      parts[i].model = i == 8 ? ATTN_TOKENIZER_BYTE_LEVEL_BPE : ATTN_TOKENIZER_UNIGRAM;
      parts[i].unknown_id = i == 4 ? 3 : 0;
      if (i == 5)
        parts[i].begin_id = 3;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autoptr (AttnTokenizer) tokenizer = attn_tokenizer_new_from_parts (&parts[i], &error);

      attn_tokenizer_parts_clear (&parts[i]);
      if (i == 0)
        {
          g_assert_no_error (error);
          continue;
        }
      g_assert_null (tokenizer);
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);
      g_assert_true (g_str_has_prefix (error->message, "parts: "));
      g_clear_error (&error);
    }
}

/* Byte-level BPE from memory, as GGUF has it: patterns by name are regular expressions here. */
static void
test_parts_of_byte_level_bpe (void)
{
  static const char * const pieces[] = { "a", "b", "Ġ", "ab", "<s>", NULL, "Ġa" };
  static const guint8 types[] = { 1, 1, 1, 1, 3, 1, 1 };
  static const char * const patterns[] = { "\\s+", NULL };
  g_auto (AttnTokenizerParts) parts;

  set_parts (&parts, pieces, types, NULL, 7, "a b|Ġ a");
  parts.model = ATTN_TOKENIZER_BYTE_LEVEL_BPE;
  parts.begin_id = 4;
  g_autoptr (AttnTokenizer) gpt2 = attn_tokenizer_new_from_parts (&parts, NULL);
  g_autofree char *joined = fixture_encode (gpt2, "ab a<s>");
  parts.patterns = patterns;
  g_autoptr (AttnTokenizer) cut = attn_tokenizer_new_from_parts (&parts, NULL);
  g_autofree char *apart = fixture_encode (cut, "ab a");

  g_assert_cmpstr (joined, ==, "<s>|ab|␣a|<s>");
  g_assert_cmpstr (apart, ==, "<s>|ab|␣|a");
}

/* Quadratic time would take minutes here. */
static void
test_long_texts_take_linear_time (gconstpointer data)
{
  static const char * const units[] = { "a", "rest", " ", "the ", "!", "é", "字", "a b  " };
  g_autoptr (AttnTokenizer) tokenizer = fixture_load (data);

  for (gsize i = 0; i < G_N_ELEMENTS (units); i++)
    {
      g_autoptr (GString) text = g_string_new (NULL);

      while (text->len < 200000)
        g_string_append (text, units[i]);
      g_autoptr (AttnTokens) tokens = fixture_tokens (tokenizer, text->str, text->len, TRUE);
      g_assert_cmpuint (tokens->n_tokens, >, 0);
    }
}

int
main (int    argc,
      char **argv)
{
  static const char * const characters[] = { "llama2", "llama2-model" };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *agrees = g_strdup_printf ("/tokenizer/%s/agrees-with-reference",
                                                 cases[i].name);
      g_autofree char *linear = g_strdup_printf ("/tokenizer/%s/long-texts-take-linear-time",
                                                 cases[i].name);

      g_test_add_data_func (agrees, &cases[i], test_agrees_with_reference);
      g_test_add_data_func (linear, cases[i].name, test_long_texts_take_linear_time);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (characters); i++)
    {
      g_autofree char *path = g_strdup_printf ("/tokenizer/%s/random-text-round-trips",
                                               characters[i]);

      g_test_add_data_func (path, characters[i], test_characters_round_trip);
    }
  g_test_add_func ("/tokenizer/clip-without-json", test_clip_without_json);
  g_test_add_func ("/tokenizer/subword/wordlevel", test_wordlevel);
  g_test_add_func ("/tokenizer/subword/xlm-roberta", test_xlm_roberta);
  g_test_add_func ("/tokenizer/gpt2-vocab/agrees-with-tokenizer-json",
                   test_vocab_and_merges_agree_with_json);
  g_test_add_func ("/tokenizer/label/shows-how-pieces-join", test_labels_show_how_pieces_join);
  g_test_add_func ("/tokenizer/decoder/kinds", test_decoders);
  g_test_add_func ("/tokenizer/pre-tokenizer/kinds", test_pre_tokenizers);
  g_test_add_func ("/tokenizer/pre-tokenizer/metaspace-prefix", test_metaspace_prefix);
  g_test_add_func ("/tokenizer/subword/unknown-characters", test_unknown_characters);
  g_test_add_func ("/tokenizer/wordpiece/words-too-long-are-unknown",
                   test_words_too_long_are_unknown);
  g_test_add_func ("/tokenizer/unigram/takes-the-likeliest", test_unigram_takes_the_likeliest);
  g_test_add_func ("/tokenizer/config/beside-vocab", test_config_beside_vocab);
  g_test_add_func ("/tokenizer/subword/residues", test_residues);
  g_test_add_func ("/tokenizer/config/beside-sentencepiece", test_config_beside_sentencepiece);
  g_test_add_func ("/tokenizer/parts/that-do-not-fit-are-refused",
                   test_parts_that_do_not_fit_are_refused);
  g_test_add_func ("/tokenizer/parts/byte-level-bpe", test_parts_of_byte_level_bpe);
  return g_test_run ();
}
