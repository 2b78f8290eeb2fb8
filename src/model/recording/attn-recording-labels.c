/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Finds the labels of a recording's queries or keys: among its arrays, in its metadata, or in a
 * file beside it. */

#include "config.h"

#include "attn-recording-labels.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-byte-level.h"
#include "attn-error.h"
#include "attn-file.h"
#include "attn-json.h"
#include "attn-label.h"

/* Characters that stand for a space at the beginning of a token in byte-level BPE and in
 * SentencePiece. */
static const char * const space_marks[] = { "\xc4\xa0" /* Ġ */, "\xe2\x96\x81" /* ▁ */ };

/* Returns the label as the window shows tokens: with a space in the place of its mark, and ∅ for an
 * empty label. */
static char *
dup_shown (const char *label)
{
  for (gsize i = 0; i < G_N_ELEMENTS (space_marks); i++)
    if (g_str_has_prefix (label, space_marks[i]))
      {
        g_autofree char *text = g_strconcat (" ", label + strlen (space_marks[i]), NULL);

        return attn_label_new (text, strlen (text));
      }
  return *label != '\0' ? attn_label_new (label, strlen (label)) : g_strdup ("\u2205");
}

/* Tells whether labels are spelled as in a byte-level vocabulary, which has a character for each
 * byte, such as Ġ for a space and Ċ for a line break. */
static gboolean
are_byte_level (char **labels)
{
  gboolean is_spelled = FALSE;

  for (char **label = labels; *label != NULL; label++)
    {
      if (strstr (*label, space_marks[1]) != NULL)
        return FALSE;
      is_spelled |= g_str_has_prefix (*label, space_marks[0]) ||
                    strstr (*label, "\xc4\x8a" /* Ċ */) != NULL;
    }
  return is_spelled;
}

static char **
dup_all_shown (char **labels)
{
  gsize n = g_strv_length (labels);
  char **shown = g_new0 (char *, n + 1);
  gboolean is_byte_level = are_byte_level (labels);

  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (GString) bytes = g_string_new (NULL);

      if (is_byte_level && *labels[i] != '\0' && attn_byte_level_decode (labels[i], bytes))
        shown[i] = attn_label_new (bytes->str, bytes->len);
      else
        shown[i] = dup_shown (labels[i]);
    }
  return shown;
}

static char **
dup_numbers (gsize n)
{
  char **labels = g_new0 (char *, n + 1);

  for (gsize i = 0; i < n; i++)
    labels[i] = g_strdup_printf ("%zu", i);
  return labels;
}

static char **
dup_named (const AttnArrayFile *file,
           const char * const  *names)
{
  for (gsize i = 0; names[i] != NULL; i++)
    {
      char **labels = attn_array_file_dup_labels (file, names[i]);

      if (labels != NULL)
        return labels;
    }
  return NULL;
}

/* Returns a list of strings from JSON: the whole document if it is a list, else the value of the
 * first of @members that it has; NULL for any other JSON. */
static char **
dup_json_list (JsonNode           *root,
               const char * const *members)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  JsonNode *node = JSON_NODE_HOLDS_ARRAY (root) ? root : NULL;

  for (gsize i = 0; JSON_NODE_HOLDS_OBJECT (root) && node == NULL && members[i] != NULL; i++)
    node = json_object_get_member (json_node_get_object (root), members[i]);
  if (node == NULL || !JSON_NODE_HOLDS_ARRAY (node))
    return NULL;
  JsonArray *array = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *element = json_array_get_element (array, i);

      if (json_node_get_value_type (element) != G_TYPE_STRING)
        return NULL;
      g_strv_builder_add (builder, json_node_get_string (element));
    }
  return g_strv_builder_end (builder);
}

/* Reads a label from each line of a text file. The newline at the end of the file does not add an
 * empty label. */
static char **
load_lines (const char  *path,
            GError     **error)
{
  g_autoptr (GBytes) bytes = attn_file_read_text (path, error);
  gsize length;

  if (bytes == NULL)
    return NULL;
  const char *data = g_bytes_get_data (bytes, &length);
  if (!g_utf8_validate_len (data != NULL ? data : "", length, NULL))
    {
      g_autofree char *where = g_filename_display_name (path);

      return attn_fail_null (error, ATTN_ERROR_FORMAT,
                             _("%s: other bytes found, expected UTF-8 text with a token a line"),
                             where);
    }
  if (length > 0 && data[length - 1] == '\n')
    length--;
  g_autofree char *text = g_strndup (data != NULL ? data : "", length);
  char **lines = g_strsplit (text, "\n", -1);
  /* Text files from Windows have a carriage return at the end of each line, which is no part of a
   * label. */
  for (char **line = lines; *line != NULL; line++)
    if (g_str_has_suffix (*line, "\r"))
      (*line)[strlen (*line) - 1] = '\0';
  return lines;
}

/* Finds the file of labels beside FILE.npy: FILE.tokens.json, FILE.tokens.txt, tokens.json or
 * tokens.txt, the first of these that exists. */
static char *
find_beside (const char *path)
{
  static const char * const suffixes[] = { "tokens.json", "tokens.txt" };
  g_autofree char *directory = g_path_get_dirname (path);
  g_autofree char *base = g_path_get_basename (path);
  char *dot = strrchr (base, '.');

  if (dot != NULL)
    *dot = '\0';
  for (int is_own = 1; is_own >= 0; is_own--)
    for (gsize i = 0; i < G_N_ELEMENTS (suffixes); i++)
      {
        g_autofree char *name =
            is_own ? g_strdup_printf ("%s.%s", base, suffixes[i]) : g_strdup (suffixes[i]);
        char *candidate = g_build_filename (directory, name, NULL);

        if (g_file_test (candidate, G_FILE_TEST_IS_REGULAR))
          return candidate;
        g_free (candidate);
      }
  return NULL;
}

static gboolean
load_beside (const char           *path,
             const char * const   *members,
             char               ***labels,
             char                **where,
             GError              **error)
{
  g_autofree char *beside = find_beside (path);

  *labels = NULL;
  if (beside == NULL)
    return TRUE;
  *where = g_filename_display_name (beside);
  if (!g_str_has_suffix (beside, ".json"))
    {
      *labels = load_lines (beside, error);
    }
  else
    {
      g_autoptr (JsonNode) root = attn_json_load (beside, error);

      if (root == NULL)
        return FALSE;
      *labels = dup_json_list (root, members);
      if (*labels == NULL)
        g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
                     _("%s: no list of tokens found, expected [\"The\", …] or such a list as "
                       "“query_tokens” and “key_tokens”"),
                     *where);
    }
  return *labels != NULL;
}

/**
 * attn_recording_load_labels:
 * @file: the arrays of the recording
 * @path: path of the file that they were loaded from
 * @members: (array zero-terminated=1): names of arrays or JSON members with labels; the first that
 *   exists is used
 * @n_labels: how many labels there must be, one for each query or key
 * @error: return location: %ATTN_ERROR_SHAPE for another number of labels, errors of reading the
 *   file of labels
 *
 * Labels are an array of text, a JSON list in the metadata of a safetensors file, or in a file
 * beside the arrays: NAME.tokens.json, NAME.tokens.txt, tokens.json, tokens.txt. A JSON file holds
 * a list of strings or an object with such lists; a text file has a token a line.
 *
 * Returns: (transfer full) (nullable) (array zero-terminated=1): the labels for display; "0", "1",
 *   … if the recording has none
 */
char **
attn_recording_load_labels (const AttnArrayFile  *file,
                            const char           *path,
                            const char * const   *members,
                            gsize                 n_labels,
                            GError              **error)
{
  g_autofree char *where = NULL;
  g_auto (GStrv) labels = dup_named (file, members);

  if (labels == NULL && !load_beside (path, members, &labels, &where, error))
    return NULL;
  if (labels == NULL)
    return dup_numbers (n_labels);
  if (g_strv_length (labels) != n_labels)
    return attn_fail_null (error, ATTN_ERROR_SHAPE,
                           _("%s: %u tokens found, expected %zu, one for each row or column of "
                             "the array"),
                           where != NULL ? where : attn_array_file_get_path (file),
                           g_strv_length (labels), n_labels);
  return dup_all_shown (labels);
}
