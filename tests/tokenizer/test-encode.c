/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Text to ids and back, against an encoder written apart from this one (make-fixtures.py). */

#include <glib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-tokenizer.h"
#include "tokenizer-fixture.h"

static const char * const names[] = { "gpt2", "llama3" };

/* The tokens cover the text from end to end. */
static void
assert_covers (AttnTokens *tokens,
               gsize       length)
{
  gsize position = 0;

  for (gsize i = 0; i < tokens->n_tokens; i++)
    {
      g_assert_cmpuint (tokens->tokens[i].begin, ==, position);
      position = tokens->tokens[i].end;
    }
  g_assert_cmpuint (position, ==, length);
}

static void
test_agrees_with_reference (gconstpointer data)
{
  g_autoptr (AttnTokenizer) tokenizer = fixture_load (data);
  g_autoptr (JsonNode) root = fixture_load_expected (data);
  JsonArray *cases = json_node_get_array (root);

  fixture_assert_agrees (tokenizer, data);
  for (guint i = 0; i < json_array_get_length (cases); i++)
    {
      JsonObject *object = json_array_get_object_element (cases, i);
      const char *text = json_object_get_string_member (object, "text");
      g_autoptr (AttnTokens) tokens = fixture_tokens (tokenizer, text, -1, FALSE);

      /* An added token that takes the spaces around it does not give them back. */
      if (strstr (text, "<sep>") == NULL)
        fixture_assert_decodes (tokenizer, tokens, text, strlen (text));
      assert_covers (tokens, strlen (text));
    }
}

static void
test_random_text_round_trips (gconstpointer data)
{
  g_autoptr (AttnTokenizer) tokenizer = fixture_load (data);
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);

  for (int round = 0; round < 500; round++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      int n_characters = g_rand_int_range (rand, 0, 60);

      for (int i = 0; i < n_characters; i++)
        fixture_append_random (text, rand);
      g_autoptr (AttnTokens) tokens = fixture_tokens (tokenizer, text->str, text->len, FALSE);
      fixture_assert_decodes (tokenizer, tokens, text->str, text->len);
      assert_covers (tokens, text->len);
    }
}

static void
test_every_byte_has_a_token (void)
{
  g_autoptr (AttnTokenizer) tokenizer = fixture_load ("gpt2");
  gboolean is_found[256] = { FALSE };

  for (guint32 id = 0; id < attn_tokenizer_get_size (tokenizer); id++)
    {
      g_autoptr (GBytes) bytes = attn_tokenizer_decode (tokenizer, &id, 1, NULL);
      g_autoptr (AttnTokens) tokens = attn_tokenizer_label_ids (tokenizer, &id, 1, NULL);
      gsize n_bytes;
      const guint8 *data = g_bytes_get_data (bytes, &n_bytes);

      g_assert_cmpuint (n_bytes, >, 0);
      g_assert_cmpstr (tokens->labels[0], !=, "");
      if (n_bytes > 1)
        continue;
      g_assert_false (is_found[data[0]]);
      is_found[data[0]] = TRUE;
      if (data[0] >= 0x80)
        {
          g_autofree char *label = g_strdup_printf ("\\x%02X", data[0]);

          g_assert_cmpstr (tokens->labels[0], ==, label);
        }
    }
  for (int byte = 0; byte < 256; byte++)
    g_assert_true (is_found[byte]);
}

static void
test_decode_refuses_unknown_id (void)
{
  g_autoptr (AttnTokenizer) tokenizer = fixture_load ("gpt2");
  guint32 id = attn_tokenizer_get_size (tokenizer);
  g_autoptr (GError) error = NULL;

  g_assert_null (attn_tokenizer_decode (tokenizer, &id, 1, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_null (attn_tokenizer_get_piece (tokenizer, id));
}

static void
test_special_tokens_on_and_off (void)
{
  g_autoptr (AttnTokenizer) tokenizer = fixture_load ("llama3");
  g_autoptr (AttnTokens) on = fixture_tokens (tokenizer, "It is", -1, TRUE);
  g_autoptr (AttnTokens) off = fixture_tokens (tokenizer, "It is", -1, FALSE);
  g_autoptr (AttnTokens) empty = fixture_tokens (tokenizer, "", -1, TRUE);
  gsize last = on->n_tokens - 1;

  g_assert_cmpuint (on->n_tokens, ==, off->n_tokens + 2);
  g_assert_cmpstr (on->labels[0], ==, "<s>");
  g_assert_cmpstr (on->labels[last], ==, "</s>");
  g_assert_true (on->tokens[0].is_special);
  g_assert_cmpuint (on->tokens[0].begin, ==, 0);
  g_assert_cmpuint (on->tokens[0].end, ==, 0);
  g_assert_cmpuint (on->tokens[last].begin, ==, 5);
  g_assert_cmpuint (on->tokens[last].end, ==, 5);
  g_assert_cmpuint (empty->n_tokens, ==, 2);
  for (gsize i = 0; i < off->n_tokens; i++)
    {
      g_assert_false (off->tokens[i].is_special);
      g_assert_cmpuint (off->tokens[i].id, ==, on->tokens[i + 1].id);
    }
}

static void
test_typed_special_token_is_one (void)
{
  g_autoptr (AttnTokenizer) tokenizer = fixture_load ("gpt2");
  g_autoptr (AttnTokens) tokens = fixture_tokens (tokenizer, "is<|endoftext|>", -1, TRUE);
  const AttnToken *last = &tokens->tokens[tokens->n_tokens - 1];

  g_assert_cmpstr (tokens->labels[tokens->n_tokens - 1], ==, "<|endoftext|>");
  g_assert_true (last->is_special);
  g_assert_cmpuint (last->begin, ==, 2);
  g_assert_cmpuint (last->end, ==, 15);
}

static void
test_invalid_utf8_is_refused (void)
{
  static const struct
  {
    const char *text;
    const char *found;
  } cases[] = {
    { "abc\xFF", "0xFF at 3" },
    { "\x80", "0x80 at 0" },
    { "é\xC3", "0xC3 at 2" },
    { "\xED\xA0\x80", "0xED at 0" },
    { "ok\xC0\xAF", "0xC0 at 2" },
  };
  g_autoptr (AttnTokenizer) tokenizer = fixture_load ("gpt2");

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (attn_tokenizer_encode (tokenizer, cases[i].text, -1, TRUE, &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);
      g_assert_nonnull (strstr (error->message, cases[i].found));
    }
}

static void
test_nul_is_a_character (void)
{
  static const char text[] = "a\0 b\0\0";
  g_autoptr (AttnTokenizer) tokenizer = fixture_load ("gpt2");
  g_autoptr (AttnTokens) tokens = fixture_tokens (tokenizer, text, sizeof text - 1, FALSE);

  fixture_assert_decodes (tokenizer, tokens, text, sizeof text - 1);
  g_assert_cmpstr (tokens->labels[1], ==, "\\x00");
}

/* Quadratic time would take minutes here. */
static void
test_long_words_take_linear_time (void)
{
  static const char * const units[] = { "a", "rest", " ", "\n", "!", "é", "7", "字" };
  g_autoptr (AttnTokenizer) tokenizer = fixture_load ("gpt2");

  for (gsize i = 0; i < G_N_ELEMENTS (units); i++)
    {
      g_autoptr (GString) text = g_string_new (NULL);

      while (text->len < 500000)
        g_string_append (text, units[i]);
      g_autoptr (AttnTokens) tokens = fixture_tokens (tokenizer, text->str, text->len, FALSE);
      assert_covers (tokens, text->len);
    }
}

static gpointer
encode_many (gpointer data)
{
  AttnTokenizer *tokenizer = data;
  gsize n_tokens = 0;

  for (int i = 0; i < 200; i++)
    {
      g_autoptr (AttnTokens) tokens =
          fixture_tokens (tokenizer, "It is I; I am the gardener. 👍", -1, TRUE);

      n_tokens += tokens->n_tokens;
    }
  return GSIZE_TO_POINTER (n_tokens);
}

static void
test_threads_share_a_tokenizer (void)
{
  g_autoptr (AttnTokenizer) tokenizer = fixture_load ("llama3");
  g_autoptr (AttnTokens) tokens =
      fixture_tokens (tokenizer, "It is I; I am the gardener. 👍", -1, TRUE);
  GThread *threads[4];

  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("encode", encode_many, tokenizer);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    g_assert_cmpuint (GPOINTER_TO_SIZE (g_thread_join (threads[i])), ==, 200 * tokens->n_tokens);
}

/* The words of the figures that the shipped model is drawn for. */
static void
test_shipped_model_has_whole_words (void)
{
  static const char * const words[] = { "It", "I", " I", " is", " am", " the", " rose", " garden" };
  const char *data_dir = g_getenv ("ATTENTION_GRID_DATADIR");
  g_autofree char *path =
      g_build_filename (data_dir != NULL ? data_dir : ".", "models", "rose", NULL);
  g_autoptr (GError) error = NULL;

  if (!attn_tokenizer_exists (path))
    {
      g_test_skip ("the shipped model is not there");
      return;
    }
  g_autoptr (AttnTokenizer) tokenizer = attn_tokenizer_load (path, &error);
  g_assert_no_error (error);
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    {
      g_autoptr (AttnTokens) tokens = fixture_tokens (tokenizer, words[i], -1, FALSE);

      g_test_message ("“%s”", words[i]);
      g_assert_cmpuint (tokens->n_tokens, ==, 1);
    }

  g_autofree char *labels = fixture_encode (tokenizer, "It is I");
  g_assert_cmpstr (labels, ==, "<s>|It|␣is|␣I");
}

/* Joins every "left right" of the parts, from the left. */
static void
join_parts (GPtrArray  *parts,
            const char *left,
            const char *right)
{
  g_autofree char *joined = g_strconcat (left, right, NULL);
  guint n_kept = 0;

  for (guint i = 0; i < parts->len; i++)
    {
      gboolean joins = g_str_equal (parts->pdata[i], left) && i + 1 < parts->len &&
                       g_str_equal (parts->pdata[i + 1], right);

      parts->pdata[n_kept++] = joins ? (gpointer) g_intern_string (joined) : parts->pdata[i];
      i += joins;
    }
  g_ptr_array_set_size (parts, (gint) n_kept);
}

/* A word whose candidates are more than the cache holds, against merging rule by rule, as the
 * method is described. */
static void
test_long_word_by_the_rules (void)
{
  static const char letters[] = "helo";
  static const char * const rules[][2] = {
    { "h", "e" }, { "l", "l" }, { "he", "ll" }, { "hell", "o" }
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnTokenizer) tokenizer = fixture_load_document (NULL, NULL, NULL, &error);
  g_autoptr (GRand) rand = g_rand_new_with_seed (71);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GPtrArray) parts = g_ptr_array_new ();

  g_assert_no_error (error);
  for (guint i = 0; i < 200000; i++)
    {
      char letter[] = { letters[g_rand_int_range (rand, 0, 4)], '\0' };

      if (g_rand_int_range (rand, 0, 8) == 0)
        g_string_append (text, "hello");
      else
        g_string_append (text, letter);
    }
  for (gsize i = 0; i < text->len; i++)
    {
      char letter[] = { text->str[i], '\0' };

      g_ptr_array_add (parts, (gpointer) g_intern_string (letter));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (rules); i++)
    join_parts (parts, rules[i][0], rules[i][1]);

  g_autoptr (AttnTokens) tokens = fixture_tokens (tokenizer, text->str, -1, FALSE);
  g_assert_cmpuint (tokens->n_tokens, ==, parts->len);
  for (gsize i = 0; i < tokens->n_tokens; i++)
    g_assert_cmpstr (tokens->labels[i], ==, parts->pdata[i]);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *agrees = g_strdup_printf ("/tokenizer/%s/agrees-with-reference", names[i]);
      g_autofree char *random = g_strdup_printf ("/tokenizer/%s/random-text-round-trips", names[i]);

      g_test_add_data_func (agrees, names[i], test_agrees_with_reference);
      g_test_add_data_func (random, names[i], test_random_text_round_trips);
    }
  g_test_add_func ("/tokenizer/decode/every-byte-has-a-token", test_every_byte_has_a_token);
  g_test_add_func ("/tokenizer/decode/refuses-unknown-id", test_decode_refuses_unknown_id);
  g_test_add_func ("/tokenizer/special-tokens/on-and-off", test_special_tokens_on_and_off);
  g_test_add_func ("/tokenizer/special-tokens/typed-is-one", test_typed_special_token_is_one);
  g_test_add_func ("/tokenizer/text/invalid-utf8-is-refused", test_invalid_utf8_is_refused);
  g_test_add_func ("/tokenizer/text/nul-is-a-character", test_nul_is_a_character);
  g_test_add_func ("/tokenizer/text/long-word-by-the-rules", test_long_word_by_the_rules);
  g_test_add_func ("/tokenizer/text/long-words-take-linear-time", test_long_words_take_linear_time);
  g_test_add_func ("/tokenizer/threads/share-a-tokenizer", test_threads_share_a_tokenizer);
  g_test_add_func ("/tokenizer/shipped-model/has-whole-words", test_shipped_model_has_whole_words);
  return g_test_run ();
}
