/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lists of tokens and how one reads them. */

#include <glib.h>

#include "attn-label.h"
#include "attn-tokenizer.h"
#include "tokenizer-fixture.h"

static void
test_label_of_bytes (void)
{
  static const struct
  {
    const char *bytes;
    gssize length;
    const char *label;
  } cases[] = {
    { "is", 2, "is" },
    { " is", 3, "␣is" },
    { "  ", 2, "␣␣" },
    { "\n", 1, "↵" },
    { "\r\n", 2, "\\x0D↵" },
    { "\t", 1, "⇥" },
    { "\0", 1, "\\x00" },
    { "a\0b", 3, "a\\x00b" },
    { "\x7F", 1, "\\x7F" },
    { "é", 2, "é" },
    { "\xE2", 1, "\\xE2" },
    { "\xE2\x82", 2, "\\xE2\\x82" },
    { "a\xE2\x82", 3, "a\\xE2\\x82" },
    { "\x82\xAC"
      "b",
      3, "\\x82\\xACb" },
    { "\xC0\x80", 2, "\\xC0\\x80" },                   /* an overlong NUL */
    { "\xED\xA0\x80", 3, "\\xED\\xA0\\x80" },          /* a surrogate */
    { "\xF4\x90\x80\x80", 4, "\\xF4\\x90\\x80\\x80" }, /* beyond U+10FFFF */
    { "\xC2\x85", 2, "\\xC2\\x85" },                   /* a control beyond ASCII */
    /* a space that must not look like the plain one */
    { "\xC2\xA0", 2, "\\xC2\\xA0" },
    { "\xE2\x80\xAE", 3, "\\xE2\\x80\\xAE" }, /* turns the rest of the line around */
    { "\xEF\xBF\xBF", 3, "\\xEF\\xBF\\xBF" }, /* U+FFFF, which XML forbids */
    { "\xE2\x80\x8D", 3, "\\xE2\\x80\\x8D" }, /* a joiner that joins nothing */
    { "👩‍🚀", 11, "👩‍🚀" },
    { "e\xCC\x81", 3, "e\xCC\x81" },
    { "\xCC\x81", 2, "\\xCC\\x81" }, /* an accent on nothing */
    { "\\", 1, "\\" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *label = attn_label_new (cases[i].bytes, cases[i].length);

      g_assert_cmpstr (label, ==, cases[i].label);
    }
}

/* Whatever the bytes, a label can stand in a window and in an SVG file. */
static void
test_label_is_printable (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (17);

  for (int round = 0; round < 20000; round++)
    {
      char bytes[8];
      gsize n_bytes = g_rand_int_range (rand, 1, sizeof bytes + 1);

      for (gsize i = 0; i < n_bytes; i++)
        bytes[i] = (char) g_rand_int_range (rand, 0, 256);
      g_autofree char *label = attn_label_new (bytes, n_bytes);

      g_assert_cmpstr (label, !=, "");
      g_assert_true (g_utf8_validate (label, -1, NULL));
      for (const char *p = label; *p != '\0'; p = g_utf8_next_char (p))
        g_assert_false (g_unichar_iscntrl (g_utf8_get_char (p)));
    }
}

static void
test_ids_without_tokenizer_are_numbers (void)
{
  static const guint32 ids[] = { 17, 0, G_MAXUINT32 };
  g_autoptr (AttnTokens) tokens = attn_tokens_new_from_ids (ids, G_N_ELEMENTS (ids), NULL);

  g_assert_cmpuint (tokens->n_tokens, ==, 3);
  g_assert_cmpuint (tokens->tokens[0].id, ==, 17);
  g_assert_cmpuint (tokens->tokens[2].id, ==, G_MAXUINT32);
  g_assert_cmpstrv (tokens->labels, ((const char * const[]) { "#17", "#0", "#4294967295", NULL }));
}

static void
test_ids_with_labels_copy_them (void)
{
  static const guint32 ids[] = { 1, 2 };
  char first[] = "a";
  char second[] = "b";
  char *labels[] = { first, second, NULL };
  g_autoptr (AttnTokens) tokens = attn_tokens_new_from_ids (ids, G_N_ELEMENTS (ids), labels);

  first[0] = 'x';
  g_assert_cmpstrv (tokens->labels, ((const char * const[]) { "a", "b", NULL }));
}

static void
test_truncate_keeps_the_first (void)
{
  static const guint32 ids[] = { 5, 6, 7 };
  g_autoptr (AttnTokens) tokens = attn_tokens_new_from_ids (ids, G_N_ELEMENTS (ids), NULL);
  g_autoptr (AttnTokens) two = attn_tokens_truncate (tokens, 2);
  g_autoptr (AttnTokens) none = attn_tokens_truncate (tokens, 0);
  g_autoptr (AttnTokens) all = attn_tokens_truncate (tokens, 9);

  g_assert_cmpuint (two->n_tokens, ==, 2);
  g_assert_cmpuint (two->tokens[1].id, ==, 6);
  g_assert_cmpstrv (two->labels, ((const char * const[]) { "#5", "#6", NULL }));
  g_assert_cmpuint (none->n_tokens, ==, 0);
  g_assert_null (none->labels[0]);
  g_assert_cmpuint (all->n_tokens, ==, 3);
  g_assert_cmpuint (tokens->n_tokens, ==, 3);
  g_assert_cmpuint (two->n_cut, ==, 1);
  g_assert_cmpuint (none->n_cut, ==, 3);
  g_assert_cmpuint (all->n_cut, ==, 0);
  g_autoptr (AttnTokens) one = attn_tokens_truncate (two, 1);
  g_assert_cmpuint (one->n_cut, ==, 2);
}

/* A character that the vocabulary has in pieces only: each shows its bytes, and the offsets are
 * bytes. */
static void
test_cut_character_shows_bytes (void)
{
  g_autoptr (AttnTokenizer) tokenizer = fixture_load_document (NULL, NULL, NULL, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnTokens) tokens = attn_tokenizer_encode (tokenizer, "a€", -1, TRUE, &error);
  g_assert_no_error (error);
  g_autofree char *labels = fixture_join_labels (tokens);

  g_assert_cmpstr (labels, ==, "a|\\xE2|\\x82|\\xAC");
  g_assert_cmpuint (tokens->tokens[2].begin, ==, 2);
  g_assert_cmpuint (tokens->tokens[2].end, ==, 3);
}

static void
test_labels_of_ids (void)
{
  static const guint32 ids[] = { 259, 260, 300, 301 };
  g_autoptr (AttnTokenizer) tokenizer = fixture_load_document (
      NULL, "'added_tokens':[{'id':300,'content':'<s>','special':true}]", NULL, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnTokens) tokens =
      attn_tokenizer_label_ids (tokenizer, ids, G_N_ELEMENTS (ids), &error);
  g_assert_no_error (error);
  g_autofree char *labels = fixture_join_labels (tokens);

  g_assert_cmpstr (labels, ==, "hello|␣w|<s>|#301");
  g_assert_false (tokens->tokens[0].is_special);
  g_assert_true (tokens->tokens[2].is_special);
  g_assert_cmpuint (tokens->tokens[1].begin, ==, 5);
  g_assert_cmpuint (tokens->tokens[1].end, ==, 7);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tokenizer/label/of-bytes", test_label_of_bytes);
  g_test_add_func ("/tokenizer/label/is-printable-whatever-the-bytes", test_label_is_printable);
  g_test_add_func ("/tokenizer/label/cut-character-shows-bytes", test_cut_character_shows_bytes);
  g_test_add_func ("/tokenizer/label/of-ids", test_labels_of_ids);
  g_test_add_func ("/tokenizer/tokens/ids-without-tokenizer-are-numbers",
                   test_ids_without_tokenizer_are_numbers);
  g_test_add_func ("/tokenizer/tokens/ids-with-labels-copy-them", test_ids_with_labels_copy_them);
  g_test_add_func ("/tokenizer/tokens/truncate-keeps-the-first", test_truncate_keeps_the_first);
  return g_test_run ();
}
