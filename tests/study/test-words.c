/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Words from their pieces, and their weights. */

#include "config.h"

#include <string.h>

#include "attn-study.h"
#include "attn-tokenizer-parts.h"
#include "attn-words.h"

static AttnTokens *
make_tokens (const char * const *labels)
{
  gsize n = g_strv_length ((char **) labels);
  g_autofree guint32 *ids = g_new0 (guint32, n);

  return attn_tokens_new_from_ids (ids, n, (char **) labels);
}

static AttnTokenizer *
make_tokenizer (AttnTokenizerModel model)
{
  static const guint8 types[] = { ATTN_PIECE_NORMAL, ATTN_PIECE_NORMAL };
  g_auto (AttnTokenizerParts) parts;
  g_autoptr (GError) error = NULL;

  attn_tokenizer_parts_init (&parts, "parts");
  parts.model = model;
  parts.unknown_id = model == ATTN_TOKENIZER_WORDPIECE ? 1 : ATTN_TOKENIZER_NO_ID;
  g_ptr_array_add (parts.pieces, (char *) "a");
  g_ptr_array_add (parts.pieces, (char *) "[UNK]");
  g_byte_array_append (parts.types, types, G_N_ELEMENTS (types));
  AttnTokenizer *tokenizer = attn_tokenizer_new_from_parts (&parts, &error);

  g_assert_no_error (error);
  return tokenizer;
}

static void
assert_words (const char * const *tokens,
              AttnTokenizerModel  model,
              const char * const *expected)
{
  g_autoptr (AttnTokens) list = make_tokens (tokens);
  g_autoptr (AttnTokenizer) tokenizer = make_tokenizer (model);
  g_autoptr (AttnWords) words = attn_words_new (list, tokenizer);

  g_assert_cmpstrv (words->labels, expected);
  g_assert_cmpuint (words->n_words, ==, g_strv_length ((char **) expected));
  g_assert_cmpuint (words->starts[0], ==, 0);
  g_assert_cmpuint (words->starts[words->n_words], ==, list->n_tokens);
}

static void
test_spaces (void)
{
  static const char * const tokens[] = { "The", "␣gar", "den", "er", ",", "␣", "1", "↵", "It", "⇥",
                                         "is", "␣␣so", NULL };
  static const char * const words[] = { "The", "gardener,", "1", "↵", "It", "⇥", "is", "␣so",
                                        NULL };

  assert_words (tokens, ATTN_TOKENIZER_BYTE_LEVEL_BPE, words);
}

static void
test_wordpiece (void)
{
  static const char * const tokens[] = { "the", "garden", "##er", "##s", ",", "is", NULL };
  static const char * const words[] = { "the", "gardeners", ",", "is", NULL };

  assert_words (tokens, ATTN_TOKENIZER_WORDPIECE, words);
}

/* Without a tokenizer nothing is known about where words begin. */
static void
test_no_tokenizer (void)
{
  static const char * const labels[] = { "#3", "#14", NULL };
  g_autoptr (AttnTokens) tokens = make_tokens (labels);
  g_autoptr (AttnWords) words = attn_words_new (tokens, NULL);

  g_assert_cmpstrv (words->labels, labels);
}

/* Words of the shipped model's own tokenizer, special token included. */
static void
test_special_tokens (void)
{
  g_autofree char *path = attn_data_find_model ();
  g_autoptr (AttnTokenizer) tokenizer = path != NULL ? attn_tokenizer_load (path, NULL) : NULL;

  if (tokenizer == NULL)
    {
      g_test_skip ("the shipped model is not there");
      return;
    }
  g_autoptr (AttnTokens) tokens = attn_tokenizer_encode (tokenizer, "漢字 is", -1, TRUE, NULL);
  g_autoptr (AttnWords) words = attn_words_new (tokens, tokenizer);
  static const char * const expected[] = { "<s>", "漢字", "is", NULL };
  g_assert_cmpuint (tokens->n_tokens, >, 3);
  g_assert_cmpstrv (words->labels, expected);
}

/* Pieces that say where a word ends: CLIP's, special tokens included. */
static void
test_marked_ends (void)
{
  static const char * const expected[] = { "<|startoftext|>", "photo", "of", "a", "cat", ".",
                                           "<|endoftext|>", NULL };
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "tokenizer", "clip", "tokenizer.json", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnTokenizer) tokenizer = attn_tokenizer_load (path, &error);
  g_assert_no_error (error);
  g_autoptr (AttnTokens) tokens =
      attn_tokenizer_encode (tokenizer, "Photo of a cat.", -1, ATTN_FRAMING_SPECIAL, NULL);
  g_autoptr (AttnWords) words = attn_words_new (tokens, tokenizer);

  g_assert_true (attn_tokenizer_marks_ends (tokenizer));
  g_assert_cmpuint (tokens->n_tokens, >, 7);
  g_assert_cmpstrv (words->labels, expected);
}

/* Three tokens, of which the last two are a word. */
static void
test_join (void)
{
  static const char * const labels[] = { "a", "␣b", "c", NULL };
  const float values[] = { 1, 0, 0, 0.25f, 0.75f, 0, 0.5f, 0.125f, 0.375f };
  const float expected[] = { 1, 0, 0.375f, 0.625f };
  const gsize shape[] = { 3, 3 };
  g_autoptr (AttnTokens) tokens = make_tokens (labels);
  g_autoptr (AttnTokenizer) tokenizer = make_tokenizer (ATTN_TOKENIZER_BYTE_LEVEL_BPE);
  g_autoptr (AttnWords) words = attn_words_new (tokens, tokenizer);
  g_autoptr (AttnTensor) weights = attn_tensor_new (2, shape, NULL);

  memcpy (weights->data, values, sizeof values);
  g_autoptr (AttnPanel) panel = attn_panel_new (weights, ATTN_MASK_CAUSAL, labels, labels);
  g_autoptr (AttnStudy) study = attn_study_new ();
  g_autoptr (AttnPanel) joined = attn_words_join (words, study, panel, NULL);
  g_assert_cmpuint (attn_panel_get_n_rows (joined), ==, 2);
  g_assert_cmpint (attn_panel_get_mask (joined), ==, ATTN_MASK_CAUSAL);
  g_assert_cmpmem (attn_panel_get_values (joined)->data, sizeof expected, expected,
                   sizeof expected);

  /* A piece that is hidden is no part of its word. */
  study->hides_keys = TRUE;
  study->hidden_keys = attn_index_set_new_range (2, 2);
  g_autoptr (AttnPanel) rest = attn_words_join (words, study, panel, NULL);
  g_assert_cmpfloat (attn_panel_get_value (rest, 1, 1), ==, 0.4375);
}

/* A word sees what its tokens see together, in a window as well. */
static void
test_join_window (void)
{
  static const char * const labels[] = { "a", "␣b", "c", "␣d", NULL };
  const AttnSpan spans[] = { { 0, 1 }, { 0, 2 }, { 1, 3 }, { 2, 4 } };
  const gsize shape[] = { 4, 4 };
  g_autoptr (AttnTokens) tokens = make_tokens (labels);
  g_autoptr (AttnTokenizer) tokenizer = make_tokenizer (ATTN_TOKENIZER_BYTE_LEVEL_BPE);
  g_autoptr (AttnWords) words = attn_words_new (tokens, tokenizer);
  g_autoptr (AttnTensor) weights = attn_tensor_new (2, shape, NULL);
  g_autoptr (AttnPanel) panel = attn_panel_new_with_visibility (weights, spans, labels, labels);
  g_autoptr (AttnStudy) study = attn_study_new ();
  g_autoptr (AttnPanel) joined = attn_words_join (words, study, panel, NULL);

  g_assert_cmpuint (attn_panel_get_visible (joined, 1).first, ==, 0);
  g_assert_cmpuint (attn_panel_get_visible (joined, 1).end, ==, 2);
  g_assert_cmpuint (attn_panel_get_visible (joined, 2).first, ==, 1);
  g_assert_cmpuint (attn_panel_get_visible (joined, 2).end, ==, 3);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/study/words/marked-ends", test_marked_ends);
  g_test_add_func ("/study/words/spaces", test_spaces);
  g_test_add_func ("/study/words/wordpiece", test_wordpiece);
  g_test_add_func ("/study/words/no-tokenizer", test_no_tokenizer);
  g_test_add_func ("/study/words/special-tokens", test_special_tokens);
  g_test_add_func ("/study/words/join", test_join);
  g_test_add_func ("/study/words/join-in-a-window", test_join_window);
  return g_test_run ();
}
