/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "tokenizer-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

#include "attn-byte-level.h"

/**
 * fixture_load:
 * @name: a folder beside this file
 */
AttnTokenizer *
fixture_load (const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "tokenizer", name, NULL);
  g_autoptr (GError) error = NULL;
  AttnTokenizer *tokenizer = attn_tokenizer_load (path, &error);

  g_assert_no_error (error);
  return tokenizer;
}

/**
 * fixture_json:
 * @text: JSON with ' in place of "
 */
char *
fixture_json (const char *text)
{
  return g_strdelimit (g_strdup (text), "'", '"');
}

/* The vocabulary itself has the character ' and is written as it stands in a file. */
static void
append_bytes (GString *document)
{
  for (int byte = 0; byte < 256; byte++)
    {
      gunichar character = attn_byte_level_get_char (byte);

      g_string_append (document, byte > 0 ? ",\"" : "\"");
      if (character == '"' || character == '\\')
        g_string_append_c (document, '\\');
      g_string_append_unichar (document, character);
      g_string_append_printf (document, "\":%d", byte);
    }
}

/* Appends ", members" where there are any. */
static void
append_members (GString    *document,
                const char *members)
{
  if (members == NULL)
    return;

  g_autofree char *json = fixture_json (members);
  g_string_append_printf (document, ",%s", json);
}

/**
 * fixture_document:
 * @pre_tokenizer: (nullable): JSON with ' for ", or %NULL for ByteLevel without a leading space
 * @members: (nullable): more members of the root, or other values for those that are there
 * @model_members: (nullable): the same of the model
 *
 * Returns: a tokenizer.json whose ids 0 to 255 are the bytes, followed by "he", "ll", "hell",
 *   "hello" and " w"
 */
char *
fixture_document (const char *pre_tokenizer,
                  const char *members,
                  const char *model_members)
{
  g_autoptr (GString) document = g_string_new ("{\"version\":\"1.0\",\"pre_tokenizer\":");
  g_autofree char *json = fixture_json (pre_tokenizer != NULL ? pre_tokenizer : FIXTURE_BYTE_LEVEL);

  g_string_append_printf (document, "%s,\"model\":{\"type\":\"BPE\",\"vocab\":{", json);
  append_bytes (document);
  g_string_append (document,
                   ",\"he\":256,\"ll\":257,\"hell\":258,\"hello\":259,\"Ġw\":260},"
                   "\"merges\":[\"h e\",\"l l\",[\"he\",\"ll\"],\"hell o\",\"Ġ w\"]");
  append_members (document, model_members);
  g_string_append_c (document, '}');
  append_members (document, members);
  g_string_append_c (document, '}');
  return g_string_free (g_steal_pointer (&document), FALSE);
}

/**
 * fixture_load_text:
 *
 * Loads a tokenizer.json with that content.
 */
AttnTokenizer *
fixture_load_text (const char  *text,
                   gssize       length,
                   GError     **error)
{
  g_autoptr (GError) local_error = NULL;
  g_autofree char *directory = g_dir_make_tmp ("attn-tokenizer-XXXXXX", &local_error);
  g_assert_no_error (local_error);
  g_autofree char *path = g_build_filename (directory, "tokenizer.json", NULL);

  g_file_set_contents (path, text, length, &local_error);
  g_assert_no_error (local_error);
  AttnTokenizer *tokenizer = attn_tokenizer_load (directory, error);
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpint (g_rmdir (directory), ==, 0);
  return tokenizer;
}

AttnTokenizer *
fixture_load_document (const char  *pre_tokenizer,
                       const char  *members,
                       const char  *model_members,
                       GError     **error)
{
  g_autofree char *document = fixture_document (pre_tokenizer, members, model_members);

  return fixture_load_text (document, -1, error);
}

/**
 * fixture_join_labels:
 *
 * Returns: the labels with "|" between them
 */
char *
fixture_join_labels (AttnTokens *tokens)
{
  return g_strjoinv ("|", tokens->labels);
}

/**
 * fixture_encode:
 *
 * Returns: the labels of @text, special tokens added, with "|" between them
 */
char *
fixture_encode (AttnTokenizer *tokenizer,
                const char    *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnTokens) tokens = attn_tokenizer_encode (tokenizer, text, -1, TRUE, &error);

  g_assert_no_error (error);
  return fixture_join_labels (tokens);
}
