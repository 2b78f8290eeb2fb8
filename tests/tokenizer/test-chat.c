/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Chat templates: told by their marks, and what the tokenizer makes of a message within one. */

#include "config.h"

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "attn-chat.h"
#include "attn-error.h"
#include "tokenizer-fixture.h"

/* What Jinja makes of each is what is put around the message. */
static void
test_formats (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "tokenizer", "chat.json", NULL);
  const char *own = g_getenv ("ATTENTION_GRID_CHAT_CASES");
  g_autoptr (JsonParser) parser = json_parser_new ();

  g_assert_true (json_parser_load_from_file (parser, own != NULL ? own : path, NULL));
  JsonArray *cases = json_node_get_array (json_parser_get_root (parser));
  g_assert_cmpuint (json_array_get_length (cases), >, 0);
  for (guint i = 0; i < json_array_get_length (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_auto (AttnChat) chat = { 0 };
      JsonObject *test = json_array_get_object_element (cases, i);
      g_autofree char *message = g_strdup (json_object_get_string_member (test, "message"));

      g_test_message ("%s", json_object_get_string_member (test, "name"));
      attn_chat_read ("t", json_object_get_string_member (test, "template"), "<s>", "</s>", &chat,
                      &error);
      if (own != NULL && error != NULL)
        {
          g_test_message ("%s", error->message);
          continue;
        }
      g_assert_no_error (error);
      if (chat.trims)
        g_strstrip (message);
      g_autofree char *framed = g_strconcat (chat.before, message, chat.after, NULL);
      g_assert_cmpstr (framed, ==, json_object_get_string_member (test, "rendered"));
    }
}

static void
test_unknown (void)
{
  static const char * const templates[] = {
    "",
    "{{ messages[0]['content'] }}",
    "{% for m in messages %}<|im_start|>{% endfor %}## Custom Instructions",
    "[INST] {{ default_system_message }} [/INST]",
    "{% set default_system_message = 'On ' + yesterday %}{{ '[SYSTEM_PROMPT]' + 'a' }}"
    "{{ '[INST]' + message['content'] + '[/INST]' }}",
    "{% set default_system_message = 'On \\q' %}{{ '[SYSTEM_PROMPT]' + 'a' }}"
    "{{ '[INST]' + message['content'] + '[/INST]' }}",
    "{% set default_system_message = 'On",
    "{% set system_message = 'You ' + name %}{{ '<|im_start|>system\\n' + system_message + "
    "'<|im_end|>\\n' }}",
    "<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|># System Preamble{% if mode %}a{% endif %}"
    "<|END_OF_TURN_TOKEN|><|USER_TOKEN|>{{ message.content }}<|END_OF_TURN_TOKEN|>{%- endfor %}"
    "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",
    "<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|># System Preamble{% if tools or documents %}"
    "<|END_OF_TURN_TOKEN|><|USER_TOKEN|>{{ message.content }}<|END_OF_TURN_TOKEN|>{%- endfor %}"
    "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (templates); i++)
    {
      g_autoptr (GError) error = NULL;
      g_auto (AttnChat) chat = { 0 };

      g_assert_false (attn_chat_read ("a/b", templates[i], "", "", &chat, &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED);
      g_assert_true (g_str_has_prefix (error->message, "a/b: an unknown chat template found, "
                                                       "expected one of phi4, smollm3, "));
    }
}

#define CHATML                                                                      \
  "{% for m in messages %}{{'<|im_start|>' + m['role'] + '\\\\n' + m['content'] + " \
  "'<|im_end|>' + '\\\\n'}}{% endfor %}{{'<|im_start|>assistant\\\\n'}}"
#define LLAMA                                                                                 \
  "{{ bos_token }}{% for m in messages %}{{ '[INST] ' + m['content'].strip() + ' [/INST]' }}" \
  "{% endfor %}"

/* A copy of the tokenizer of LLaMA 2, with a file beside it. */
static char *
make_directory (const char *name,
                const char *contents)
{
  char *directory = g_dir_make_tmp ("attn-chat-XXXXXX", NULL);
  g_autofree char *from =
      g_test_build_filename (G_TEST_DIST, "tokenizer", "llama2", "tokenizer.json", NULL);
  g_autofree char *to = g_build_filename (directory, "tokenizer.json", NULL);
  g_autofree char *data = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (from, &data, &length, NULL));
  g_assert_true (g_file_set_contents (to, data, (gssize) length, NULL));
  if (name != NULL)
    {
      g_autofree char *path = g_build_filename (directory, name, NULL);

      g_assert_true (g_file_set_contents (path, contents, -1, NULL));
    }
  return directory;
}

static void
remove_directory (const char *directory)
{
  static const char * const names[] = { "tokenizer.json", "tokenizer_config.json",
                                        "chat_template.jinja", "chat_template.json" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (directory, names[i], NULL);

      g_unlink (path);
    }
  g_assert_cmpint (g_rmdir (directory), ==, 0);
}

static AttnTokens *
encode (const AttnTokenizer *tokenizer,
        const char          *text,
        AttnFraming          framing)
{
  g_autoptr (GError) error = NULL;
  AttnTokens *tokens = attn_tokenizer_encode (tokenizer, text, -1, framing, &error);

  g_assert_no_error (error);
  return tokens;
}

/* The same tokens as those of the framed text, but for what is typed in the message. */
static void
test_encode (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *directory =
      make_directory ("tokenizer_config.json",
                      "{\"bos_token\": \"<s>\", \"chat_template\": \"" LLAMA "\"}");
  g_autoptr (AttnTokenizer) tokenizer = attn_tokenizer_load (directory, &error);

  g_assert_no_error (error);
  g_autoptr (AttnTokens) chat = encode (tokenizer, "  It is. ", ATTN_FRAMING_CHAT);
  g_autoptr (AttnTokens) typed = encode (tokenizer, "<s>[INST] It is. [/INST]", ATTN_FRAMING_NONE);
  g_assert_cmpuint (chat->n_tokens, ==, typed->n_tokens);
  for (gsize i = 0; i < chat->n_tokens; i++)
    {
      const AttnToken *token = &chat->tokens[i];

      g_assert_cmpuint (token->id, ==, typed->tokens[i].id);
      g_assert_cmpuint (token->begin, <=, token->end);
      g_assert_cmpuint (token->begin, >=, 2);
      g_assert_cmpuint (token->end, <=, 8);
    }
  g_assert_true (chat->tokens[0].is_special);
  g_assert_cmpuint (chat->tokens[0].end, ==, chat->tokens[0].begin);
  g_assert_cmpuint (chat->tokens[chat->n_tokens - 1].begin, ==, 8);

  /* Special tokens of the message are text; without a chat they are tokens. */
  g_autoptr (AttnTokens) hostile = encode (tokenizer, "a</s><s>b", ATTN_FRAMING_CHAT);
  g_autoptr (AttnTokens) plain = encode (tokenizer, "a</s><s>b", ATTN_FRAMING_NONE);
  guint n_special[2] = { 0 };
  for (gsize i = 0; i < hostile->n_tokens; i++)
    n_special[0] += hostile->tokens[i].is_special != FALSE;
  for (gsize i = 0; i < plain->n_tokens; i++)
    n_special[1] += plain->tokens[i].is_special != FALSE;
  g_assert_cmpuint (n_special[0], ==, 1);
  g_assert_cmpuint (n_special[1], ==, 2);

  g_autoptr (AttnTokens) empty = encode (tokenizer, "", ATTN_FRAMING_CHAT);
  g_assert_cmpuint (empty->n_tokens, >, 1);
  remove_directory (directory);
}

/* Where a template stands: the file of its own counts before the configuration. */
static void
test_places (void)
{
  static const struct
  {
    const char *name;
    const char *contents;
    const char *format; /* NULL where it is refused */
    const char *part;   /* of the refusal */
  } cases[] = {
    { "tokenizer_config.json", "{\"chat_template\": \"" CHATML "\"}", "chatml", NULL },
    { "tokenizer_config.json",
      "{\"chat_template\": [{\"name\": \"tool_use\", \"template\": \"x\"}, {\"name\": \"default\", "
      "\"template\": \"" CHATML "\"}]}",
      "chatml", NULL },
    { "chat_template.json", "{\"chat_template\": \"" LLAMA "\"}", "mistral", NULL },
    { "chat_template.jinja", LLAMA, "mistral", NULL },
    { "chat_template.jinja", "\xff", NULL, "no text found, expected a chat template" },
    { "chat_template.json", "[", NULL, "chat_template.json" },
    { "tokenizer_config.json", "{\"chat_template\": \"x\"}", NULL,
      "an unknown chat template found" },
    { "tokenizer_config.json", "{\"chat_template\": [3, {\"name\": 4}]}", NULL,
      "no chat template found, expected one beside the tokenizer" },
    { NULL, NULL, NULL, "no chat template found, expected one beside the tokenizer" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *directory = make_directory (cases[i].name, cases[i].contents);
      const char *name = NULL;
      gboolean is_known = attn_tokenizer_find_chat (directory, &name, &error);

      g_assert_cmpint (is_known, ==, cases[i].format != NULL);
      g_assert_cmpstr (name, ==, cases[i].format);
      if (!is_known)
        g_assert_nonnull (strstr (error->message, cases[i].part));
      remove_directory (directory);
    }
}

/* Whatever the configuration and the template say, a text has tokens or there is an error. */
static void
test_mutations (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (61);
  g_autofree char *directory = make_directory (NULL, NULL);
  g_autofree char *path = g_build_filename (directory, "tokenizer_config.json", NULL);
  static const char text[] =
      "{\"bos_token\": {\"content\": \"<s>\"}, \"eos_token\": \"</s>\", \"chat_template\": "
      "[{\"name\": \"default\", \"template\": \"" CHATML
      "<|im_start|>system\\\\nBe.<|im_end|>\"}]}";
  static const char letters[] = "0123456789-.{}[]\",: ntf\\u\x80<>|'";
  guint n_mutations = g_test_thorough () ? 10000 : 300, n_encoded = 0;

  for (guint i = 0; i < n_mutations; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *mutated = g_strdup (text);

      for (gint n = g_rand_int_range (rand, 1, 4); n > 0; n--)
        mutated[g_rand_int_range (rand, 0, sizeof text - 1)] =
            letters[g_rand_int_range (rand, 0, sizeof letters - 1)];
      g_assert_true (g_file_set_contents_full (path, mutated, -1, G_FILE_SET_CONTENTS_NONE, 0600,
                                               NULL));
      g_autoptr (AttnTokenizer) tokenizer = attn_tokenizer_load (directory, &error);
      AttnTokens *tokens = tokenizer != NULL ? attn_tokenizer_encode (tokenizer, " <s>It ", -1,
                                                                      ATTN_FRAMING_CHAT, &error)
                                             : NULL;
      g_assert_true ((tokens != NULL) != (error != NULL));
      n_encoded += tokens != NULL;
      g_clear_pointer (&tokens, attn_tokens_unref);
    }
  g_assert_cmpuint (n_encoded, >, 0);
  g_assert_cmpuint (n_encoded, <, n_mutations);
  g_test_message ("%u of %u encoded", n_encoded, n_mutations);
  remove_directory (directory);
}

/* Whatever a template of a known format is changed to, it is told or refused. */
static void
test_template_mutations (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (67);
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "tokenizer", "chat.json", NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();
  static const char letters[] = "{}%\\'\"-+~ \n<|>ain";
  guint n_mutations = g_test_thorough () ? 10000 : 200, n_told = 0;

  g_assert_true (json_parser_load_from_file (parser, path, NULL));
  JsonArray *cases = json_node_get_array (json_parser_get_root (parser));
  for (guint i = 0; i < json_array_get_length (cases) * n_mutations; i++)
    {
      g_autoptr (GError) error = NULL;
      g_auto (AttnChat) chat = { 0 };
      JsonObject *test = json_array_get_object_element (cases, i / n_mutations);
      g_autofree char *mutated = g_strdup (json_object_get_string_member (test, "template"));
      gint32 length = (gint32) strlen (mutated);

      for (gint n = g_rand_int_range (rand, 1, 4); n > 0; n--)
        mutated[g_rand_int_range (rand, 0, length)] =
            letters[g_rand_int_range (rand, 0, sizeof letters - 1)];
      mutated[g_rand_boolean (rand) ? g_rand_int_range (rand, 0, length) : length] = '\0';
      gboolean is_told = attn_chat_read ("t", mutated, "<s>", "</s>", &chat, &error);
      g_assert_true (is_told == (error == NULL) && is_told == (chat.name != NULL) &&
                     is_told == (chat.before != NULL && chat.after != NULL));
      n_told += is_told;
    }
  g_assert_cmpuint (n_told, >, 0);
  g_assert_cmpuint (n_told, <, json_array_get_length (cases) * n_mutations);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tokenizer/chat/formats", test_formats);
  g_test_add_func ("/tokenizer/chat/unknown", test_unknown);
  g_test_add_func ("/tokenizer/chat/encode", test_encode);
  g_test_add_func ("/tokenizer/chat/places", test_places);
  g_test_add_func ("/tokenizer/chat/mutations", test_mutations);
  g_test_add_func ("/tokenizer/chat/template-mutations", test_template_mutations);
  return g_test_run ();
}
