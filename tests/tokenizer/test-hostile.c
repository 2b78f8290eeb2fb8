/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Files of every kind that are cut short or changed: an error or a tokenizer that works, nothing
 * else. */

#include <glib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-tokenizer.h"
#include "tokenizer-fixture.h"

/* With "-m slow", more of them. */
#define N_MUTATIONS (g_test_slow () ? 20000 : 3000)

/* Small documents with every component of their kind, so that a change hits something. */
static const char wordpiece_json[] =
    "{'version':'1.0','added_tokens':[{'id':1,'content':'[CLS]','special':true}],"
    "'normalizer':{'type':'BertNormalizer','clean_text':true,'handle_chinese_chars':true,"
    "'strip_accents':null,'lowercase':true},'pre_tokenizer':{'type':'Sequence','pretokenizers':["
    "{'type':'BertPreTokenizer'},{'type':'Whitespace'},{'type':'Punctuation',"
    "'behavior':'Removed'}]},'post_processor':{'type':'BertProcessing','sep':['[CLS]',1],"
    "'cls':['[CLS]',1]},'decoder':{'type':'WordPiece','prefix':'##','cleanup':true},'model':"
    "{'type':'WordPiece','unk_token':'[UNK]','continuing_subword_prefix':'##',"
    "'max_input_chars_per_word':100,'vocab':{'[UNK]':0,'[CLS]':1,'a':2,'ab':3,'##c':4,'##x':5}}}";
static const char bpe_json[] =
    "{'version':'1.0','added_tokens':[{'id':1,'content':'<s>','special':true,'normalized':false}],"
    "'normalizer':{'type':'Sequence','normalizers':[{'type':'Prepend','prepend':'▁'},"
    "{'type':'Replace','pattern':{'String':' '},'content':'▁'}]},'pre_tokenizer':"
    "{'type':'Metaspace','replacement':'▁','prepend_scheme':'first','split':false},'decoder':"
    "{'type':'Sequence','decoders':[{'type':'Replace','pattern':{'String':'▁'},'content':' '},"
    "{'type':'ByteFallback'},{'type':'Fuse'},{'type':'Strip','content':' ','start':1,'stop':0}]},"
    "'model':{'type':'BPE','dropout':null,'unk_token':'<unk>','fuse_unk':true,'byte_fallback':true,"
    "'vocab':{'<unk>':0,'<s>':1,'<0xCC>':2,'<0x81>':3,'a':4,'b':5,'▁':6,'▁a':7,'▁ab':8},'merges':["
    "'▁ a','▁a b']}}";
/* The charsmap turns an "x" into a "y". */
static const char unigram_json[] =
    "{'version':'1.0','added_tokens':[{'id':1,'content':'<s>','special':true}],'normalizer':"
    "{'type':'Sequence','normalizers':[{'type':'Precompiled','precompiled_charsmap':"
    "'%s'},{'type':'Strip','strip_left':true,'strip_right':true}]},"
    "'pre_tokenizer':{'type':'Sequence','pretokenizers':[{'type':'WhitespaceSplit'},"
    "{'type':'Metaspace','replacement':'▁','add_prefix_space':true}]},'decoder':"
    "{'type':'Metaspace','replacement':'▁','prepend_scheme':'always'},'model':{'type':'Unigram',"
    "'unk_id':0,'byte_fallback':false,'vocab':[['<unk>',0],['<s>',0],['▁',-2.5],['a',-3],['▁ab',"
    "-4.25],['b',-3.5],['y',-5]]}}";

/* A tree with one key, "x", and one replacement, "y". */
static char *
create_charsmap (void)
{
  guint32 tree[256] = { 0 };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint32 size = GUINT32_TO_LE (sizeof tree);

  tree[0] = GUINT32_TO_LE (1u << 10); /* its child is at 1 ^ 'x' */
  tree[1 ^ 'x'] = GUINT32_TO_LE ((guint32) ('y' ^ 2) << 10 | 0x100 | 'x');
  tree[1 ^ 'x' ^ 'y' ^ 2] = GUINT32_TO_LE (0x80000000u); /* the leaf: replacement 0 */
  g_byte_array_append (bytes, (const guint8 *) &size, sizeof size);
  g_byte_array_append (bytes, (const guint8 *) tree, sizeof tree);
  g_byte_array_append (bytes, (const guint8 *) "y", 2);
  return g_base64_encode (bytes->data, bytes->len);
}

static char *
create_unigram (void)
{
  g_autofree char *charsmap = create_charsmap ();
  g_autofree char *json = g_strdup_printf (unigram_json, charsmap);

  return fixture_json (json);
}

static void
assert_works (AttnTokenizer *tokenizer)
{
  static const char * const texts[] = { "abc <s> ab\u0301x [CLS] cab, \n字", "", " ",
                                        "xxab\xC2\xA0▁" };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AttnTokens) tokens = attn_tokenizer_encode (tokenizer, texts[i], -1, TRUE, &error);

      g_assert_true ((tokens != NULL) == (error == NULL));
      for (gsize j = 0; tokens != NULL && j < tokens->n_tokens; j++)
        {
          const AttnToken *token = &tokens->tokens[j];
          g_autoptr (GBytes) bytes = attn_tokenizer_decode (tokenizer, &token->id, 1, &error);

          g_assert_no_error (error);
          g_assert_cmpuint (token->id, <, attn_tokenizer_get_size (tokenizer));
          g_assert_cmpuint (token->begin, <=, token->end);
          g_assert_cmpuint (token->end, <=, strlen (texts[i]));
          g_assert_cmpstr (tokens->labels[j], !=, "");
        }
    }
}

/* Returns whether it could be loaded. */
static gboolean
try_load (const char *name,
          const char *text,
          gsize       length)
{
  g_autoptr (GError) error = NULL;
  gboolean is_vocabulary = g_str_equal (name, "vocab.json");
  g_autoptr (AttnTokenizer) tokenizer =
      fixture_load_file (name, text, length, is_vocabulary ? "merges.txt" : NULL,
                         is_vocabulary ? "#version: 0.2\na b\nĠ a\n" : NULL, &error);

  g_assert_true ((tokenizer != NULL) == (error == NULL));
  if (tokenizer == NULL)
    return FALSE;
  assert_works (tokenizer);
  return TRUE;
}

static void
assert_survives_mutations (const char *name,
                           const char *text,
                           gsize       length)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1804);
  guint n_loaded = 0;

  g_assert_true (try_load (name, text, length));
  for (int round = 0; round < N_MUTATIONS; round++)
    {
      g_autoptr (GString) mutated = g_string_new_len (text, length);
      int n_mutations = g_rand_int_range (rand, 1, 4);

      for (int i = 0; i < n_mutations && mutated->len > 0; i++)
        fixture_mutate (mutated, rand);
      if (try_load (name, mutated->str, mutated->len))
        n_loaded++;
    }
  /* Otherwise the test would be about the parser alone. */
  g_assert_cmpuint (n_loaded, >, 100);
}

static void
assert_json_survives (const char *document)
{
  gsize length = strlen (document);

  for (gsize kept = 0; kept < length; kept++)
    g_assert_false (try_load ("tokenizer.json", document, kept));
  assert_survives_mutations ("tokenizer.json", document, length);
}

static void
test_wordpiece_json (void)
{
  g_autofree char *document = fixture_json (wordpiece_json);

  assert_json_survives (document);
}

static void
test_bpe_json (void)
{
  g_autofree char *document = fixture_json (bpe_json);

  assert_json_survives (document);
}

static void
test_unigram_json (void)
{
  g_autofree char *document = create_unigram ();

  assert_json_survives (document);
}

/* Cut at a line, a list is a list; cut in a character, it is not text. */
static void
test_vocab_txt (void)
{
  static const char vocabulary[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\nb\n字\n##b\n##c\r\nab\n\nx\n";
  gsize length = sizeof vocabulary - 1;

  for (gsize kept = 0; kept < length; kept++)
    {
      gboolean is_loaded = try_load ("vocab.txt", vocabulary, kept);

      g_assert_true (is_loaded || kept < strlen ("[PAD]\n[UNK]\n[CLS]\n[SEP]") ||
                     !g_utf8_validate (vocabulary, kept, NULL) || vocabulary[kept - 1] == '#' ||
                     vocabulary[kept - 1] == 'a');
    }
  assert_survives_mutations ("vocab.txt", vocabulary, length);
}

static void
test_residues (void)
{
  static const char vocabulary[] = "<cls>\n<pad>\n<eos>\n<unk>\nL\nA\n字\r\n\n<mask>\n";

  assert_survives_mutations ("vocab.txt", vocabulary, sizeof vocabulary - 1);
}

static void
test_vocab_json (void)
{
  g_autofree char *vocabulary = fixture_json (
      "{'a':0,'b':1,'Ġ':2,'ab':3,'Ġa':4,'Ċ':5,'<|endoftext|>':6,'c':7,'<':8,'s':9,'>':10,'x':11}");

  for (gsize kept = 0; kept < strlen (vocabulary); kept++)
    g_assert_false (try_load ("vocab.json", vocabulary, kept));
  assert_survives_mutations ("vocab.json", vocabulary, strlen (vocabulary));
}

/* The other of the two files is what changes. */
static void
test_merges_txt (void)
{
  static const char merges[] = "#version: 0.2\na b\nĠ a\nab Ġa\nc c\n";
  g_autofree char *vocabulary = fixture_json (
      "{'a':0,'b':1,'Ġ':2,'ab':3,'Ġa':4,'abĠa':5,'c':6,'cc':7,'<|endoftext|>':8}");
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (int round = 0; round < N_MUTATIONS; round++)
    {
      g_autoptr (GString) mutated = g_string_new (merges);
      g_autoptr (GError) error = NULL;

      fixture_mutate (mutated, rand);
      g_autoptr (AttnTokenizer) tokenizer =
          fixture_load_file ("vocab.json", vocabulary, -1, "merges.txt", mutated->str, &error);
      g_assert_true ((tokenizer != NULL) == (error == NULL));
      if (tokenizer != NULL)
        assert_works (tokenizer);
    }
}

static void
append_field (GString    *model,
              guint       number,
              const char *bytes,
              gsize       length)
{
  g_assert_cmpuint (length, <, 128);
  g_string_append_c (model, (char) (number << 3 | 2));
  g_string_append_c (model, (char) length);
  g_string_append_len (model, bytes, length);
}

/* A piece with its score and type. */
static void
append_piece (GString    *model,
              const char *piece,
              float       score,
              char        type)
{
  g_autoptr (GString) message = g_string_new (NULL);
  guint32 bits;

  memcpy (&bits, &score, sizeof bits);
  bits = GUINT32_TO_LE (bits);
  append_field (message, 1, piece, strlen (piece));
  g_string_append_c (message, 2 << 3 | 5);
  g_string_append_len (message, (const char *) &bits, sizeof bits);
  g_string_append_c (message, 3 << 3);
  g_string_append_c (message, type);
  append_field (model, 1, message->str, message->len);
}

static GString *
create_model (char type)
{
  const char trainer[] = { 3 << 3, type, (char) ((35 << 3 & 0x7F) | 0x80), 35 >> 4, 1 };
  static const char normalizer[] = { 3 << 3, 1, 4 << 3, 1 };
  GString *model = g_string_new (NULL);

  append_piece (model, "<unk>", 0, 2);
  append_piece (model, "<s>", 0, 3);
  append_piece (model, "</s>", 0, 3);
  append_piece (model, "<0xCC>", 0, 6);
  append_piece (model, "<0x81>", 0, 6);
  append_piece (model, "▁", -1, 1);
  append_piece (model, "a", -2, 1);
  append_piece (model, "b", -3, 1);
  append_piece (model, "▁a", -0.5f, 1);
  append_piece (model, "▁ab", -0.75f, 1);
  append_piece (model, "bx", -0.75f, 4);
  append_field (model, 2, trainer, sizeof trainer);
  append_field (model, 3, normalizer, sizeof normalizer);
  return model;
}

static void
test_sentencepiece (gconstpointer data)
{
  g_autoptr (GString) model = create_model (*(const char *) data);

  for (gsize kept = 0; kept < model->len; kept++)
    g_assert_false (try_load ("tokenizer.model", model->str, kept));
  assert_survives_mutations ("tokenizer.model", model->str, model->len);
}

/* The tree itself: bytes of the charsmap in place of bytes of the file. */
static void
test_charsmap (void)
{
  g_autofree char *charsmap = create_charsmap ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  gsize length;
  g_autofree guint8 *good = g_base64_decode (charsmap, &length);

  for (int round = 0; round < N_MUTATIONS; round++)
    {
      g_autofree guint8 *bytes = g_memdup2 (good, length);

      for (int i = 0; i < 4; i++)
        bytes[g_rand_int_range (rand, 0, i < 2 ? 8 : length)] ^= 1 << g_rand_int_range (rand, 0, 8);
      /* The child of the root and its leaf. */
      bytes[4 + 4 * (1 ^ 'x') + round % 4] ^= (guint8) g_rand_int (rand);

      g_autofree char *base64 = g_base64_encode (bytes, length);
      g_autofree char *json = g_strdup_printf (unigram_json, base64);
      g_autofree char *document = fixture_json (json);
      try_load ("tokenizer.json", document, strlen (document));
    }
}

static void
test_sentencepiece_of_another_kind_is_named (void)
{
  g_autoptr (GString) model = create_model (4);
  g_autoptr (GError) error = NULL;

  g_assert_null (fixture_load_file ("tokenizer.model", model->str, model->len, NULL, NULL,
                                    &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "words or characters"));
}

int
main (int    argc,
      char **argv)
{
  static const char unigram = 1;
  static const char bpe = 2;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tokenizer/hostile/wordpiece-json", test_wordpiece_json);
  g_test_add_func ("/tokenizer/hostile/bpe-json", test_bpe_json);
  g_test_add_func ("/tokenizer/hostile/unigram-json", test_unigram_json);
  g_test_add_func ("/tokenizer/hostile/charsmap", test_charsmap);
  g_test_add_func ("/tokenizer/hostile/vocab-txt", test_vocab_txt);
  g_test_add_func ("/tokenizer/hostile/residues", test_residues);
  g_test_add_func ("/tokenizer/hostile/vocab-json", test_vocab_json);
  g_test_add_func ("/tokenizer/hostile/merges-txt", test_merges_txt);
  g_test_add_data_func ("/tokenizer/hostile/sentencepiece-unigram", &unigram, test_sentencepiece);
  g_test_add_data_func ("/tokenizer/hostile/sentencepiece-bpe", &bpe, test_sentencepiece);
  g_test_add_func ("/tokenizer/sentencepiece/another-kind-is-named",
                   test_sentencepiece_of_another_kind_is_named);
  return g_test_run ();
}
