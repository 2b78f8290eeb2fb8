/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads and applies chat templates: programs in the Jinja language that a checkpoint provides. */

#include "config.h"

#include "attn-chat.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-file.h"
#include "attn-gguf.h"
#include "attn-jinja.h"
#include "attn-json.h"
#include "attn-text.h"
#include "attn-tokenizer-config.h"

#define MAX_TEMPLATE_BYTES ((gsize) 1 << 20)

/* A marker message that no template contains itself, surrounded by two rare space characters. It
 * shows where a template puts the message and whether it strips space. */
#define MARK        "Attention-Grid-marks-a-message"
#define SPACE_START ATTN_CHAT_SPACE_START
#define SPACE_END   ATTN_CHAT_SPACE_END

static const struct
{
  const char *name;
  const char *gguf_key;
} token_names[ATTN_CHAT_N_TOKENS] = {
  { "bos_token", "tokenizer.ggml.bos_token_id" },
  { "eos_token", "tokenizer.ggml.eos_token_id" },
  { "unk_token", "tokenizer.ggml.unknown_token_id" },
  { "sep_token", "tokenizer.ggml.seperator_token_id" }, /* spelled so in GGUF */
  { "pad_token", "tokenizer.ggml.padding_token_id" },
  { "cls_token", "tokenizer.ggml.cls_token_id" },
  { "mask_token", "tokenizer.ggml.mask_token_id" },
};

/* Returns the name of the variable that passes a special token to templates, such as "bos_token".
 * @index: below %ATTN_CHAT_N_TOKENS */
const char *
attn_chat_get_token_name (gsize index)
{
  return token_names[index].name;
}

/* Returns the current time, or the time given by SOURCE_DATE_EPOCH, so that figures can be
 * reproduced on another day. */
static GDateTime *
get_now (void)
{
  const char *epoch = g_getenv ("SOURCE_DATE_EPOCH");
  gint64 seconds;
  GDateTime *now = NULL;

  if (epoch != NULL && g_ascii_string_to_signed (epoch, 10, 0, G_MAXINT64, &seconds, NULL))
    now = g_date_time_new_from_unix_utc (seconds);
  return now != NULL ? now : g_date_time_new_now_local ();
}

/**
 * attn_chat_render:
 * @message: the only message of the conversation
 * @error: return location for errors of [func@attn_jinja_render]
 *
 * Runs the template on a conversation of one message.
 *
 * Returns: (transfer full) (nullable): what the template writes, up to the beginning of the answer
 */
char *
attn_chat_render (const AttnChat          *chat,
                  const AttnJinjaMessage  *message,
                  GError                 **error)
{
  AttnJinjaVariable variables[ATTN_CHAT_N_TOKENS];
  AttnJinjaInput input = { message, 1, variables, 0, TRUE, chat->now };

  for (gsize i = 0; i < ATTN_CHAT_N_TOKENS; i++)
    if (chat->tokens[i] != NULL)
      variables[input.n_variables++] =
          (AttnJinjaVariable) { token_names[i].name, chat->tokens[i] };
  return attn_jinja_render (chat->where, chat->source, &input, error);
}

/* Renders the template for a message of the user, in the form for which the template is written: a
 * text, or a list with one text. */
static char *
render (const AttnChat  *chat,
        const char      *text,
        GError         **error)
{
  const AttnJinjaPart part = { text };
  const AttnJinjaMessage message = { "user", chat->has_parts ? NULL : text, &part, 1 };

  return attn_chat_render (chat, &message, error);
}

/**
 * attn_chat_begins:
 * @framed: what the template wrote
 *
 * Returns: whether @framed begins with the special token for the beginning of a text, "bos_token"
 */
gboolean
attn_chat_begins (const AttnChat *chat,
                  const char     *framed)
{
  return chat->tokens[0] != NULL && g_str_has_prefix (framed, chat->tokens[0]);
}

/* Finds the text that a template writes before and after the user's message. Fails unless it writes
 * the message exactly once. The templates of some vision-language models write nothing of a message
 * that is a text and no list: to them the message is given as a list. */
static gboolean
find_ends (AttnChat  *chat,
           GError   **error)
{
  g_autofree char *text = render (chat, SPACE_START MARK SPACE_END, error);

  if (text == NULL)
    return FALSE;
  if (strstr (text, MARK) == NULL)
    {
      chat->has_parts = TRUE;
      char *other = render (chat, SPACE_START MARK SPACE_END, NULL);
      chat->has_parts = other != NULL && strstr (other, MARK) != NULL;
      if (chat->has_parts)
        g_free (g_steal_pointer (&text));
      text = chat->has_parts ? other : text;
      if (!chat->has_parts)
        g_free (other);
    }
  const char *found = strstr (text, MARK);
  if (found == NULL || strstr (found + strlen (MARK), MARK) != NULL)
    return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                      found == NULL ? _("%s: a chat template without the user’s message found, "
                                        "expected it once")
                                    : _("%s: a chat template that repeats the user’s message "
                                        "found, expected it once"),
                      chat->where);
  const char *end = found + strlen (MARK);
  chat->before = g_strndup (text, (gsize) (found - text));
  chat->after = g_strdup (g_str_has_prefix (end, SPACE_END) ? end + strlen (SPACE_END) : end);
  if (g_str_has_suffix (chat->before, SPACE_START))
    chat->before[strlen (chat->before) - strlen (SPACE_START)] = '\0';
  return TRUE;
}

/**
 * attn_chat_read:
 * @where: names the template's file in error messages
 * @source: the template
 * @tokens: (array fixed-size=7) (element-type nullable): the texts of the tokens that
 *   [func@attn_chat_get_token_name] names
 * @chat: (out caller-allocates): to be cleared by attn_chat_clear() whatever the outcome
 * @error: return location for errors of [func@attn_jinja_render], %ATTN_ERROR_UNSUPPORTED for a
 *   template that does not write the user's message exactly once
 *
 * Takes over a template and runs it on a marker, to find what it writes around a message.
 */
gboolean
attn_chat_read (const char          *where,
                const char          *source,
                const char * const  *tokens,
                AttnChat            *chat,
                GError             **error)
{
  *chat = (AttnChat) { .where = g_strdup (where), .source = g_strdup (source), .now = get_now () };
  for (gsize i = 0; i < ATTN_CHAT_N_TOKENS; i++)
    chat->tokens[i] = g_strdup (tokens[i]);
  return find_ends (chat, error);
}

/* Returns (transfer full) the text that the template writes around a message, as one line: "…"
 * stands for the message, "↵" for a newline */
char *
attn_chat_describe (const AttnChat *chat)
{
  g_auto (GStrv) before = g_strsplit (chat->before, "\n", -1);
  g_auto (GStrv) after = g_strsplit (chat->after, "\n", -1);
  g_autofree char *start = g_strjoinv ("↵", before);
  g_autofree char *end = g_strjoinv ("↵", after);

  return g_strconcat (start, "…", end, NULL);
}

/* Returns: the number of bytes of white space at the beginning of a text */
static gsize
count_space (const char *text)
{
  const char *at = text;

  while (*at != '\0' && attn_jinja_is_space (g_utf8_get_char (at)))
    at = g_utf8_next_char (at);
  return (gsize) (at - text);
}

/* Returns the offset at which the white space at the end of a text begins; @length if there is
 * none */
static gsize
find_last_space (const char *text,
                 gsize       length)
{
  const char *at = text + length;

  while (at > text)
    {
      const char *last = g_utf8_prev_char (at);

      if (!attn_jinja_is_space (g_utf8_get_char (last)))
        break;
      at = last;
    }
  return (gsize) (at - text);
}

/**
 * attn_chat_frame:
 * @text: (array length=length): a message of the user, UTF-8
 * @begin: (out): first byte of @text that the template keeps: it may strip white space at both ends
 * @end: (out): one past the last byte that it keeps
 * @error: return location for errors of [func@attn_jinja_render], %ATTN_ERROR_UNSUPPORTED where the
 *   template changes this message, or writes something else around it than around other messages
 *
 * Runs the template. In what it writes, the message follows the bytes of @chat->before.
 *
 * Returns: (transfer full) (nullable): what the template writes
 */
char *
attn_chat_frame (const AttnChat  *chat,
                 const char      *text,
                 gsize            length,
                 gsize           *begin,
                 gsize           *end,
                 GError         **error)
{
  g_autofree char *message = g_strndup (text, length);
  g_autofree char *framed = render (chat, message, error);
  gsize n_before = strlen (chat->before), n_after = strlen (chat->after);

  if (framed == NULL)
    return NULL;
  gsize n_all = strlen (framed);
  if (strlen (message) == length && n_all >= n_before + n_after &&
      g_str_has_prefix (framed, chat->before) &&
      g_str_has_suffix (framed, chat->after))
    {
      gsize n = n_all - n_before - n_after;
      gsize first = count_space (message), last = find_last_space (message, length);
      /* The template may have stripped the message at its beginning, its end, or both. Tries three
       * beginnings: none stripped, all space stripped, or as much as remains if nothing was
       * stripped at the end. */
      gsize begins[] = { 0, first, length - MIN (n, length) };

      for (gsize i = 0; i < G_N_ELEMENTS (begins); i++)
        if (begins[i] <= first && begins[i] + n <= length && begins[i] + n >= last &&
            memcmp (framed + n_before, text + begins[i], n) == 0)
          {
            *begin = begins[i];
            *end = begins[i] + n;
            return g_steal_pointer (&framed);
          }
    }
  return attn_fail_null (error, ATTN_ERROR_UNSUPPORTED,
                         _("%s: a chat template that changes this text found, expected one that "
                           "puts it between others"),
                         chat->where);
}

/* Returns the member "chat_template" of a configuration. If it is a list of named templates,
 * returns the one named "default". */
static const char *
find_in_config (JsonObject *object)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, "chat_template") : NULL;

  if (node == NULL || !JSON_NODE_HOLDS_ARRAY (node))
    return node != NULL && json_node_get_value_type (node) == G_TYPE_STRING
               ? json_node_get_string (node)
               : NULL;
  JsonArray *list = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (list); i++)
    {
      JsonNode *element = json_array_get_element (list, i);
      JsonObject *item = JSON_NODE_HOLDS_OBJECT (element) ? json_node_get_object (element) : NULL;

      if (item != NULL &&
          g_strcmp0 (json_object_get_string_member_with_default (item, "name", ""), "default") == 0)
        return json_object_get_string_member_with_default (item, "template", NULL);
    }
  return NULL;
}

/* Returns: (transfer full) (nullable): the text of the token whose id is the value of @key in the
 * metadata */
static char *
dup_piece (const AttnGgufMetadata *metadata,
           const char             *key)
{
  AttnJsonReader values = { attn_gguf_metadata_get_values (metadata), "" };
  const AttnGgufString *strings;
  gsize n = 0;
  gsize id = attn_json_read_size (&values, key, 0, G_MAXINT32, G_MAXSIZE);

  g_clear_error (&values.error);
  if (!attn_gguf_metadata_get_strings (metadata, "tokenizer.ggml.tokens", &strings, &n, NULL) ||
      id >= n)
    return NULL;
  return g_strndup (strings[id].data, strings[id].length);
}

static gboolean
fail_without (const char  *where,
              GError     **error)
{
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("%s: no chat template found, expected one beside the tokenizer"), where);
}

/**
 * attn_chat_read_gguf:
 * @metadata: the metadata of a GGUF file
 * @where: names the file in error messages
 * @chat: (out caller-allocates): as for [func@attn_chat_read]
 * @error: return location for errors of [func@attn_chat_load]
 *
 * Reads the chat template of a GGUF file, as [func@attn_chat_read] does.
 */
gboolean
attn_chat_read_gguf (const AttnGgufMetadata  *metadata,
                     const char              *where,
                     AttnChat                *chat,
                     GError                 **error)
{
  AttnJsonReader values = { attn_gguf_metadata_get_values (metadata), where };
  const char *text = attn_json_read_string (&values, "tokenizer.chat_template", NULL);

  if (!attn_json_finish (&values, error))
    return FALSE;
  if (text == NULL)
    return fail_without (where, error);
  char *tokens[ATTN_CHAT_N_TOKENS];
  for (gsize i = 0; i < ATTN_CHAT_N_TOKENS; i++)
    tokens[i] = dup_piece (metadata, token_names[i].gguf_key);
  gboolean is_read = attn_chat_read (where, text, (const char * const *) tokens, chat, error);
  for (gsize i = 0; i < ATTN_CHAT_N_TOKENS; i++)
    g_free (tokens[i]);
  return is_read;
}

/* Loads a chat template from its own file, if the directory has one. */
static gboolean
load_own (const char  *directory,
          char       **text,
          GError     **error)
{
  g_autofree char *path = g_build_filename (directory, "chat_template.jinja", NULL);
  g_autofree char *json_path = g_build_filename (directory, "chat_template.json", NULL);
  gsize length = 0;

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_autofree char *where = g_filename_display_name (path);

      g_autoptr (GBytes) bytes = attn_file_read (path, MAX_TEMPLATE_BYTES, error);

      if (bytes == NULL)
        return FALSE;
      const char *data = g_bytes_get_data (bytes, &length);
      gsize n_mark = attn_text_get_mark (data, length);
      *text = g_strndup (data + n_mark, length - n_mark);
      return g_utf8_validate (data, (gssize) length, NULL) ||
             attn_fail (error, ATTN_ERROR_FORMAT, _("%s: no text found, expected a chat template"),
                        where);
    }
  if (!g_file_test (json_path, G_FILE_TEST_EXISTS))
    return TRUE;
  g_autoptr (JsonNode) node = attn_json_load (json_path, error);
  if (node == NULL)
    return FALSE;
  *text = g_strdup (JSON_NODE_HOLDS_OBJECT (node) ? find_in_config (json_node_get_object (node))
                                                  : NULL);
  return TRUE;
}

/* Tells whether the file with settings of an image processor lies beside the tokenizer's file. */
static gboolean
has_processor (const char *directory)
{
  static const char * const names[] = { "preprocessor_config.json", "processor_config.json" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (directory, names[i], NULL);

      if (g_file_test (path, G_FILE_TEST_EXISTS))
        return TRUE;
    }
  return FALSE;
}

/**
 * attn_chat_load:
 * @file: path of a tokenizer's file
 * @chat: (out caller-allocates): what the checkpoint's template writes around a message; to be
 *   cleared by attn_chat_clear() whatever the outcome
 * @error: return location for %ATTN_ERROR_ARGUMENT where there is no template, errors of
 *   [func@attn_chat_read], and what reading the files reports
 *
 * Reads the template from the metadata of a GGUF file, a chat_template.jinja or chat_template.json
 * beside the tokenizer, or its tokenizer_config.json.
 */
gboolean
attn_chat_load (const char  *file,
                AttnChat    *chat,
                GError     **error)
{
  g_autofree char *directory = g_path_get_dirname (file);
  gboolean is_gguf = attn_gguf_is_file (file);
  g_autofree char *where = g_filename_display_name (is_gguf ? file : directory);
  g_autofree char *text = NULL;
  g_auto (AttnTokenizerConfig) config = { 0 };

  memset (chat, 0, sizeof *chat);
  if (is_gguf)
    {
      g_autoptr (AttnArrayFile) arrays = attn_array_file_load (file, error);
      const AttnGgufMetadata *metadata = arrays != NULL ? attn_array_file_get_gguf (arrays) : NULL;

      return metadata != NULL && attn_chat_read_gguf (metadata, where, chat, error);
    }
  if (!load_own (directory, &text, error) || !attn_tokenizer_config_load (&config, file, error))
    return FALSE;
  if (text == NULL)
    text = g_strdup (find_in_config (config.values.object));
  const char *tokens[ATTN_CHAT_N_TOKENS];
  for (gsize i = 0; i < ATTN_CHAT_N_TOKENS; i++)
    tokens[i] = attn_tokenizer_config_get_token (&config, token_names[i].name, NULL);
  if (!attn_json_finish (&config.values, error))
    return FALSE;
  if (text == NULL)
    return fail_without (where, error);
  gboolean is_read = attn_chat_read (where, text, tokens, chat, error);
  chat->is_of_processor = has_processor (directory);
  return is_read;
}

void
attn_chat_clear (AttnChat *chat)
{
  g_clear_pointer (&chat->where, g_free);
  g_clear_pointer (&chat->source, g_free);
  for (gsize i = 0; i < ATTN_CHAT_N_TOKENS; i++)
    g_clear_pointer (&chat->tokens[i], g_free);
  g_clear_pointer (&chat->now, g_date_time_unref);
  g_clear_pointer (&chat->before, g_free);
  g_clear_pointer (&chat->after, g_free);
}
