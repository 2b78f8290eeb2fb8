/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "tokenizer-fixture.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "attn-byte-level.h"
#include "attn-json.h"

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
  return fixture_load_file ("tokenizer.json", text, length, NULL, NULL, error);
}

static void
write_file (const char *path,
            const char *text,
            gssize      length)
{
  g_autoptr (GError) error = NULL;

  /* That flag does not shorten a file. */
  g_unlink (path);
  g_file_set_contents_full (path, text, length, G_FILE_SET_CONTENTS_NONE, 0600, &error);
  g_assert_no_error (error);
}

/* What loads has an outline that says the same; what has none does not load. */
static void
assert_outline (const char          *path,
                const AttnTokenizer *tokenizer)
{
  g_autoptr (GError) error = NULL;
  AttnTokenizerOutline outline;
  static guint n_refused;

  /* Of the thousands of broken files some will do. */
  if (tokenizer == NULL && n_refused++ % 8 != 0)
    return;
  g_assert_true (attn_tokenizer_outline (path, &outline, &error) == (error == NULL));
  if (tokenizer == NULL)
    return;
  g_assert_no_error (error);
  g_assert_cmpstr (outline.kind, ==, attn_tokenizer_get_kind (tokenizer));
  g_assert_cmpuint (outline.size, ==, attn_tokenizer_get_size (tokenizer));
}

/* One directory for the whole run: making and removing one costs more than reading the file. */
static char *directory;

static void
remove_file (const char *name)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);

  g_unlink (path);
}

static void
remove_directory (void)
{
  g_rmdir (directory);
  g_free (directory);
}

/**
 * fixture_load_file:
 * @name: of a file in a directory of its own
 * @text: its content
 * @other: (nullable): the name of a file beside it
 * @other_text: (nullable): its content, with ' for "
 */
AttnTokenizer *
fixture_load_file (const char  *name,
                   const char  *text,
                   gssize       length,
                   const char  *other,
                   const char  *other_text,
                   GError     **error)
{
  g_autofree char *json = other != NULL ? fixture_json (other_text) : NULL;
  g_autofree char *path = NULL;
  g_autoptr (GError) local_error = NULL;

  if (directory == NULL)
    {
      /* In memory where there is such a place: thousands of files are written. */
      if (g_file_test ("/dev/shm", G_FILE_TEST_IS_DIR))
        g_setenv ("TMPDIR", "/dev/shm", FALSE);
      directory = g_dir_make_tmp ("attn-tokenizer-XXXXXX", &local_error);
      g_assert_no_error (local_error);
      atexit (remove_directory);
    }
  path = g_build_filename (directory, name, NULL);
  write_file (path, text, length);
  if (json != NULL)
    {
      g_autofree char *other_path = g_build_filename (directory, other, NULL);

      write_file (other_path, json, -1);
    }
  AttnTokenizer *tokenizer = attn_tokenizer_load (path, error);
  assert_outline (path, tokenizer);
  remove_file (name);
  if (json != NULL)
    remove_file (other);
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

static JsonArray *
get_array (JsonNode *node)
{
  g_assert_true (JSON_NODE_HOLDS_ARRAY (node));
  return json_node_get_array (node);
}

/**
 * fixture_load_expected:
 * @name: of a file expected-*.json: texts with the ids of their tokens, and bytes from and to
 */
JsonNode *
fixture_load_expected (const char *name)
{
  g_autofree char *file = g_strdup_printf ("expected-%s.json", name);
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "tokenizer", file, NULL);
  g_autoptr (GError) error = NULL;
  JsonNode *root = attn_json_load (path, &error);

  g_assert_no_error (error);
  return root;
}

/**
 * fixture_tokens:
 *
 * Encodes without an error.
 */
AttnTokens *
fixture_tokens (AttnTokenizer *tokenizer,
                const char    *text,
                gssize         length,
                gboolean       add_special_tokens)
{
  g_autoptr (GError) error = NULL;
  AttnTokens *tokens = attn_tokenizer_encode (tokenizer, text, length, add_special_tokens, &error);

  g_assert_no_error (error);
  return tokens;
}

void
fixture_assert_decodes (AttnTokenizer *tokenizer,
                        AttnTokens    *tokens,
                        const char    *text,
                        gsize          length)
{
  g_autofree guint32 *ids = g_new (guint32, tokens->n_tokens + 1);
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < tokens->n_tokens; i++)
    ids[i] = tokens->tokens[i].id;
  g_autoptr (GBytes) bytes = attn_tokenizer_decode (tokenizer, ids, tokens->n_tokens, &error);
  g_assert_no_error (error);

  gsize n_bytes;
  const char *data = g_bytes_get_data (bytes, &n_bytes);
  g_assert_cmpmem (data, n_bytes, text, length);
}

/**
 * fixture_assert_agrees:
 * @expected: see fixture_load_expected()
 */
void
fixture_assert_agrees (AttnTokenizer *tokenizer,
                       const char    *expected)
{
  g_autoptr (JsonNode) root = fixture_load_expected (expected);
  JsonArray *cases = get_array (root);

  g_assert_cmpuint (json_array_get_length (cases), >, 50);
  for (guint i = 0; i < json_array_get_length (cases); i++)
    {
      JsonObject *object = json_array_get_object_element (cases, i);
      const char *text = json_object_get_string_member (object, "text");
      JsonArray *list = json_object_get_array_member (object, "tokens");
      g_autoptr (AttnTokens) tokens = fixture_tokens (tokenizer, text, -1, FALSE);

      g_test_message ("“%s”", text);
      g_assert_cmpuint (g_strv_length (tokens->labels), ==, tokens->n_tokens);
      for (gsize j = 0; j < MIN (tokens->n_tokens, json_array_get_length (list)); j++)
        {
          JsonArray *token = json_array_get_array_element (list, j);

          g_assert_cmpuint (tokens->tokens[j].id, ==, json_array_get_int_element (token, 0));
          g_assert_cmpuint (tokens->tokens[j].begin, ==, json_array_get_int_element (token, 1));
          g_assert_cmpuint (tokens->tokens[j].end, ==, json_array_get_int_element (token, 2));
        }
      g_assert_cmpuint (tokens->n_tokens, ==, json_array_get_length (list));
    }
}

/**
 * fixture_append_random:
 *
 * Appends a character: of all of Unicode, the lower planes more often.
 */
void
fixture_append_random (GString *text,
                       GRand   *rand)
{
  static const gint32 limits[] = { 0x20, 0x80, 0x250, 0x3000, 0x10000, 0x110000 };
  gunichar character;

  do
    character =
        g_rand_int_range (rand, 0, limits[g_rand_int_range (rand, 0, G_N_ELEMENTS (limits))]);
  while (!g_unichar_validate (character));
  g_string_append_unichar (text, character);
}

/**
 * fixture_mutate:
 *
 * Changes, removes, replaces or doubles some bytes.
 */
void
fixture_mutate (GString *text,
                GRand   *rand)
{
  static const char * const pieces[] = { "null", "-1", "1e99", "[]", "{}",
                                         "\"\"", "true", "\"Sequence\"", ",", "\"id\"",
                                         ":", "99999999999", "4194304" };
  gsize position = g_rand_int_range (rand, 0, text->len);
  gsize length = g_rand_int_range (rand, 0, 12);

  length = MIN (length, text->len - position);

  switch (g_rand_int_range (rand, 0, 4))
    {
    case 0:
      text->str[position] = (char) g_rand_int_range (rand, 0, 256);
      break;
    case 1:
      g_string_erase (text, position, length);
      break;
    case 2:
      g_string_erase (text, position, length);
      g_string_insert (text, position, pieces[g_rand_int_range (rand, 0, G_N_ELEMENTS (pieces))]);
      break;
    default:
      g_string_insert_len (text, g_rand_int_range (rand, 0, text->len), text->str + position,
                           length);
      break;
    }
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
