/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Chat templates. A checkpoint has a program in the language Jinja for it; it is not run, but told
 * by marks in it which of the published formats it writes. */

#include "config.h"

#include "attn-chat.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-chat-text.h"
#include "attn-error.h"
#include "attn-file.h"
#include "attn-gguf.h"
#include "attn-json.h"
#include "attn-tokenizer-config.h"

#define MAX_TEMPLATE_BYTES ((gsize) 1 << 20)
#define MAX_MARKS          5

/**
 * Format:
 * @marks: what its templates have, all of it
 * @others: what they have not: formats that differ in what is not told apart here
 * @before: of a message of the user, the first of a conversation; dates are those that the
 *   templates were published with; %s for the message of the system that the template brings
 * @system: (nullable): what stands in front of that
 * @end: (nullable): of it, where it is plain text; else it is a literal
 * @today: (nullable): the date in it
 * @after: that and where the answer begins, %e for the token that ends a text
 * @trims: as #AttnChat has it; of the others a template may say that it does
 *
 * Marks have single quotes and newlines, whatever way the template writes these.
 */
typedef struct
{
  const char *name;
  const char *marks[MAX_MARKS];
  const char *others[MAX_MARKS];
  const char *before;
  const char *after;
  gboolean trims;
  const char *system;
  const char *end;
  const char *today;
} Format;

#define LLAMA_3_USER "<|start_header_id|>user<|end_header_id|>\n\n"
#define LLAMA_3_END  "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"

#define MISTRAL_SMALL   "[SYSTEM_PROMPT]%s[/SYSTEM_PROMPT][INST]"
#define SYSTEM_PREAMBLE "<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|># System Preamble"

/* The first that fits counts. */
static const Format formats[] = {
  { "phi4",
    { "<|im_sep|>" },
    { NULL },
    "<|im_start|>user<|im_sep|>",
    "<|im_end|><|im_start|>assistant<|im_sep|>" },
  { "smollm3",
    { "<|im_start|>", "## Metadata\n\n", "Knowledge Cutoff Date: June 2025\n",
      "set enable_thinking = true" },
    { NULL },
    "<|im_start|>system\n## Metadata\n\nKnowledge Cutoff Date: June 2025\nToday Date: 08 July "
    "2025\nReasoning Mode: /think\n\n## Custom Instructions\n\n%s<|im_start|>user\n",
    "<|im_end|>\n<|im_start|>assistant\n",
    .system = "elif reasoning_mode == '/think' -%}" },
  { "chatml-system",
    { "set system_message = 'You", "'<|im_start|>system\n' + system_message + '<|im_end|>\n'" },
    { NULL },
    "<|im_start|>system\n%s<|im_end|>\n<|im_start|>user\n",
    "<|im_end|>\n<|im_start|>assistant\n",
    .system = "set system_message =" },
  { "chatml",
    { "<|im_start|>" },
    { "<end_of_utterance>", "Custom Instructions", "[gMASK]", "<|im_user|>",
      "set system_message = 'You" },
    "<|im_start|>user\n",
    "<|im_end|>\n<|im_start|>assistant\n" },
  { "llama-4",
    { "<|header_start|>" },
    { "default_system" },
    "<|header_start|>user<|header_end|>\n\n",
    "<|eot|><|header_start|>assistant<|header_end|>\n\n",
    TRUE },
  { "llama-3.1",
    { "<|start_header_id|>", "Cutting Knowledge Date: December 2023", "26 Jul 2024" },
    { "You are a " },
    "<|start_header_id|>system<|end_header_id|>\n\nCutting Knowledge Date: December 2023\n"
    "Today Date: 26 Jul 2024\n\n<|eot_id|>" LLAMA_3_USER,
    LLAMA_3_END },
  { "llama-3",
    { "<|start_header_id|>" },
    { "You are ", "Knowledge", "Today", "default_system" },
    LLAMA_3_USER,
    LLAMA_3_END },
  { "gemma",
    { "<start_of_turn>", "<end_of_turn>" },
    { NULL },
    "<start_of_turn>user\n",
    "<end_of_turn>\n<start_of_turn>model\n",
    TRUE },
  { "gemma-4",
    { "'<|turn>' + role + '\n'", "'<turn|>\n'", "'<|turn>model\n'" },
    { NULL },
    "<|turn>user\n",
    "<turn|>\n<|turn>model\n",
    TRUE },
  { "mistral-small-3.1",
    { "[SYSTEM_PROMPT]' + ", "'[INST]' + ", "[IMG]", "set default_system_message =" },
    { NULL },
    MISTRAL_SMALL,
    "[/INST]",
    .system = "set default_system_message =",
    .today = "2025-03-17" },
  { "mistral-small-3",
    { "[SYSTEM_PROMPT]' + ", "'[INST]' + ", "set default_system_message =" },
    { NULL },
    MISTRAL_SMALL,
    "[/INST]",
    .system = "set default_system_message =",
    .today = "2025-01-30" },
  { "mistral",
    { "[INST]", "[/INST]" },
    { "default_system", "true == true", "idx > 1" },
    "[INST]",
    "[/INST]" },
  { "deepseek-v3",
    { "<｜User｜>", "<｜Assistant｜>" },
    { NULL },
    "<｜User｜>",
    "<｜Assistant｜>" },
  { "deepseek-v2", { "'User: ' + ", "'Assistant:'" }, { NULL }, "User: ", "\n\nAssistant:" },
  { "command-r7b",
    { SYSTEM_PREAMBLE, "<|USER_TOKEN|>{{ message.content }}<|END_OF_TURN_TOKEN|>",
      "{%- endfor %}<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>" },
    { NULL },
    "<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|># System Preamble%s<|END_OF_TURN_TOKEN|>"
    "<|START_OF_TURN_TOKEN|><|USER_TOKEN|>",
    "<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",
    .system = SYSTEM_PREAMBLE,
    .end = "<|END_OF_TURN_TOKEN|>" },
  { "command-r",
    { "<|START_OF_TURN_TOKEN|>", "<|USER_TOKEN|>" },
    { "System Preamble", "<|START_RESPONSE|>", "true == true" },
    "<|START_OF_TURN_TOKEN|><|USER_TOKEN|>",
    "<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>" },
  { "granite-4",
    { "<|start_of_role|>", "set g4_default_system_message =",
      "<|end_of_role|>' + ns.default_system_message + '<|end_of_text|>\n'" },
    { NULL },
    "<|start_of_role|>system<|end_of_role|>%s<|end_of_text|>\n<|start_of_role|>user<|end_of_role|>",
    "<|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|>",
    .system = "set g4_default_system_message =" },
  { "granite-3.1",
    { "<|start_of_role|>", "Knowledge Cutoff Date: April 2024.",
      "You are Granite, developed by IBM.", " You are a helpful AI assistant." },
    { NULL },
    "<|start_of_role|>system<|end_of_role|>Knowledge Cutoff Date: April 2024.\nToday's Date: "
    "December 18, 2024.\nYou are Granite, developed by IBM. You are a helpful AI assistant."
    "<|end_of_text|>\n<|start_of_role|>user<|end_of_role|>",
    "<|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|>" },
  { "granite",
    { "<|start_of_role|>", "<|end_of_text|>\n" },
    { "You are Granite", "Knowledge Cutoff", "Today's Date" },
    "<|start_of_role|>user<|end_of_role|>",
    "<|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|>" },
  { "gpt-oss",
    { "<|start|>", "<|channel|>", "You are ChatGPT, a large language model trained by OpenAI." },
    { NULL },
    "<|start|>system<|message|>You are ChatGPT, a large language model trained by OpenAI.\n"
    "Knowledge cutoff: 2024-06\nCurrent date: 2025-08-05\n\nReasoning: medium\n\n# Valid channels: "
    "analysis, commentary, final. Channel must be included for every message.<|end|>"
    "<|start|>user<|message|>",
    "<|end|><|start|>assistant" },
  { "glm-4.7",
    { "[gMASK]<sop>", "<|user|>{{ visible_text(m.content) }}",
      "<|assistant|>{{- '</think>' if (enable_thinking is defined and not enable_thinking) "
      "else '<think>' -}}" },
    { "Reasoning Effort" },
    "[gMASK]<sop><|user|>",
    "<|assistant|><think>" },
  { "glm",
    { "[gMASK]<sop>", "<|assistant|>" },
    { "<|user|>{{", "<|user|>\n{%-", "<|assistant|>{{- '<think>'" },
    "[gMASK]<sop><|user|>\n",
    "<|assistant|>" },
  { "phi3",
    { "<|end|>", "<|assistant|>", "\n'" },
    { "<|start|>", "<|im_start|>" },
    "<|user|>\n",
    "<|end|>\n<|assistant|>\n" },
  { "phi4-mini",
    { "<|end|>", "<|assistant|>" },
    { "<|start|>", "<|im_start|>" },
    "<|user|>",
    "<|end|><|assistant|>" },
  { "zephyr",
    { "'<|user|>\n' + message['content'] + eos_token" },
    { NULL },
    "<|user|>\n",
    "%e\n<|assistant|>\n" },
  { "olmo",
    { "'<|user|>\n' + message['content'] + '\n'" },
    { NULL },
    "<|user|>\n",
    "\n<|assistant|>\n" },
};

static gboolean
has (const char *text,
     const char *part)
{
  return strstr (text, part) != NULL;
}

static gboolean
fits (const Format *format,
      const char   *text)
{
  gboolean is_right = TRUE;

  for (gsize i = 0; i < MAX_MARKS; i++)
    is_right &= (format->marks[i] == NULL || has (text, format->marks[i])) &&
                (format->others[i] == NULL || !has (text, format->others[i]));
  return is_right;
}

/* A message of the system that the template writes where a conversation has none: a literal, with
 * nothing in it that is computed. */
static void
add_usual_system (const char *text,
                  GString    *before)
{
  static const char begin[] = "<|im_start|>system";

  for (const char *at = strstr (text, begin); at != NULL; at = strstr (at + 1, begin))
    {
      const char *message = at + strlen (begin);
      gsize n = strcspn (message, "'{}<");

      if (n <= strlen ("\n") || !g_str_has_prefix (message + n, "<|im_end|>"))
        continue;
      g_string_append_len (before, at, (gssize) (message + n - at));
      g_string_append (before, "<|im_end|>\n");
      return;
    }
}

/* The message of the system that the template brings. @quoted: @text with single quotes */
static gboolean
add_system (const Format *format,
            const char   *text,
            const char   *quoted,
            GString      *before)
{
  g_autoptr (GString) system = g_string_new (NULL);
  const char *mark = strstr (quoted, format->system);

  if (mark == NULL)
    return FALSE;
  const char *at = text + (mark - quoted) + strlen (format->system);
  if (format->end == NULL)
    {
      at += strspn (at, " \t\n");
      at += g_str_has_prefix (at, "{{-") ? strlen ("{{-") : 0;
    }
  if (format->end != NULL ? !attn_chat_add_plain (at, format->end, system)
                          : !attn_chat_add_literal (at, format->today, system) ||
                                system->len == 0)
    return FALSE;
  g_string_replace (before, "%s", system->str, 1);
  return TRUE;
}

/* What templates of one format write in different ways. */
static void
add_variants (const Format *format,
              const char   *text,
              AttnChat     *chat,
              GString      *before,
              GString      *after)
{
  if (g_str_equal (format->name, "chatml"))
    {
      chat->trims = has (text, "render_content(message.content, true)|trim");
      add_usual_system (text, before);
      if (has (text, "<|im_start|>assistant\n<think>\n'") || has (text, "{{- '<think>\n' }}"))
        g_string_append (after, "<think>\n");
    }
  else if (g_str_equal (format->name, "mistral"))
    {
      if (has (text, "' [INST]"))
        g_string_append_c (before, ' ');
      g_string_append (before, format->before);
      if (has (text, "[INST] '"))
        g_string_append_c (before, ' ');
      if (has (text, "' [/INST]"))
        g_string_prepend_c (after, ' ');
      return;
    }
  else if (g_str_equal (format->name, "deepseek-v3") && has (text, "<｜Assistant｜><think>\n"))
    g_string_append (after, "<think>\n");
  else if (g_str_equal (format->name, "deepseek-v3") && has (text, "{{'</think>'}}"))
    g_string_append (after, "</think>");
  else if (g_str_equal (format->name, "gemma-4") &&
           has (text, "if not enable_thinking | default(false) -%}") &&
           has (text, "{{- '<|channel>thought\n<channel|>' -}}"))
    g_string_append (after, "<|channel>thought\n<channel|>");
  else if (g_str_equal (format->name, "glm") && has (text, "<|assistant|>\n{% endif"))
    g_string_append_c (after, '\n');
  g_string_append (before, format->before);
}

/* Whether what stands before the end of a message is trimmed there; an answer may be elsewhere. */
static gboolean
has_trimmed (const char *text,
             const char *after)
{
  g_autofree char *end = *after == '%' ? g_strdup ("eos_token") : g_strdup_printf ("'%.6s", after);
  g_autofree char *trimmed = g_strconcat ("trim + ", end, NULL);
  g_autofree char *stripped = g_strconcat ("strip() + ", end, NULL);

  return has (text, trimmed) || has (text, stripped);
}

static gboolean
fail_unknown (const char  *where,
              GError     **error)
{
  g_autoptr (GString) known = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    g_string_append_printf (known, "%s%s", i > 0 ? ", " : "", formats[i].name);
  return attn_fail (error, ATTN_ERROR_UNSUPPORTED,
                    _("%s: an unknown chat template found, expected one of %s"), where,
                    known->str);
}

/**
 * attn_chat_read:
 * @where: names the template's file in messages
 * @text: the template
 * @bos: the text of the token that begins a text, "" for none
 * @eos: of the one that ends it
 * @chat: (out caller-allocates): what it writes around a message, for attn_chat_clear()
 * @error: return location for %ATTN_ERROR_UNSUPPORTED, for a template of another format
 */
gboolean
attn_chat_read (const char  *where,
                const char  *text,
                const char  *bos,
                const char  *eos,
                AttnChat    *chat,
                GError     **error)
{
  g_autofree char *quoted = g_strdelimit (g_strdup (text), "\"", '\'');
  g_autoptr (GString) lines = g_string_new (quoted);
  const Format *format = formats;

  g_string_replace (lines, "\\n", "\n", 0);
  const char *plain = lines->str;
  while (format < formats + G_N_ELEMENTS (formats) && !fits (format, plain))
    format++;
  if (format == formats + G_N_ELEMENTS (formats))
    return fail_unknown (where, error);

  g_autoptr (GString) before = g_string_new (NULL);
  g_autoptr (GString) after = g_string_new (format->after);
  if (has (plain, "bos_token"))
    g_string_append (before, bos);
  else if (has (plain, "{{ eos_token }}{%"))
    g_string_append (before, eos);
  *chat = (AttnChat) { .name = format->name };
  add_variants (format, plain, chat, before, after);
  if (format->system != NULL && !add_system (format, text, quoted, before))
    {
      chat->name = NULL;
      return fail_unknown (where, error);
    }
  chat->trims |= format->trims || has_trimmed (plain, after->str);
  g_string_replace (after, "%e", eos, 1);
  chat->before = g_string_free (g_steal_pointer (&before), FALSE);
  chat->after = g_string_free (g_steal_pointer (&after), FALSE);
  return TRUE;
}

/* The member of the configuration, or of its list that for conversations without tools. */
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

/* The text of a token by the number that the metadata give it. */
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
    return g_strdup ("");
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
 * @metadata: of a GGUF file
 * @where: names the file in messages
 * @chat: (out caller-allocates): of [func@attn_chat_read]
 * @error: return location for errors of [func@attn_chat_load]
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
  g_autofree char *bos = dup_piece (metadata, "tokenizer.ggml.bos_token_id");
  g_autofree char *eos = dup_piece (metadata, "tokenizer.ggml.eos_token_id");
  return text != NULL ? attn_chat_read (where, text, bos, eos, chat, error)
                      : fail_without (where, error);
}

/* The template in a file of its own, if there is one. */
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
      *text = g_strndup (data, length);
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

/**
 * attn_chat_load:
 * @file: a tokenizer's
 * @chat: (out caller-allocates): what the checkpoint's template writes around a message, for
 *   attn_chat_clear() whatever the outcome
 * @error: return location for %ATTN_ERROR_ARGUMENT where there is no template, errors of
 *   [func@attn_chat_read], and what reading the files reports
 *
 * From the metadata of a GGUF file, a chat_template.jinja or chat_template.json beside the
 * tokenizer, or its tokenizer_config.json.
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
  const char *bos = attn_tokenizer_config_get_token (&config, "bos_token", "");
  const char *eos = attn_tokenizer_config_get_token (&config, "eos_token", "");
  if (!attn_json_finish (&config.values, error))
    return FALSE;
  return text != NULL ? attn_chat_read (where, text, bos, eos, chat, error)
                      : fail_without (where, error);
}

void
attn_chat_clear (AttnChat *chat)
{
  g_clear_pointer (&chat->before, g_free);
  g_clear_pointer (&chat->after, g_free);
}
