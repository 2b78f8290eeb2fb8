/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Chat templates: what one puts around a message, and what the tokenizer makes of it. */

#include "config.h"

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "../remove-folder.h"
#include "attn-chat.h"
#include "attn-error.h"
#include "tokenizer-fixture.h"

#define CHATML_ONCE                                                                                \
  "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n' }}" \
  "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"

static const char * const tokens_given[ATTN_CHAT_N_TOKENS] = { "<s>", "</s>" };

/* What is put around a message, and what of the message is left out. */
static void
test_frame (void)
{
  static const struct
  {
    const char *template;
    const char *before;
    const char *after;
    const char *message; /* what is there of "  It is.\n" */
  } cases[] = {
    { CHATML_ONCE, "<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n", "  It is.\n" },
    { "{{ bos_token }}[INST] {{ messages[0].content | trim }} [/INST]{{ eos_token }}"
      "{{ pad_token }}",
      "<s>[INST] ", " [/INST]</s>", "It is." },
    { "{{ messages[0].content.rstrip() }}.", "", ".", "  It is." },
    { "{{ messages[0].content.lstrip() }}.", "", ".", "It is.\n" },
    { "{{ messages[0].content.strip('\\n') }}.", "", ".", "  It is." },
    { "{{ strftime_now('%d %B %Y') }}: {{ messages[0].content }}", "05 March 2026: ", "",
      "  It is.\n" },
    { "{% if messages[0].role != 'system' %}Be brief. {% endif %}{{ messages[0].content }}",
      "Be brief. ", "", "  It is.\n" },
  };
  static const char text[] = "  It is.\n";

  g_setenv ("SOURCE_DATE_EPOCH", "1772719629", TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_auto (AttnChat) chat = { 0 };
      gsize begin = 0, end = 0;

      g_assert_true (attn_chat_read ("t", cases[i].template, tokens_given, &chat, &error));
      g_assert_no_error (error);
      g_assert_cmpstr (chat.before, ==, cases[i].before);
      g_assert_cmpstr (chat.after, ==, cases[i].after);
      g_autofree char *framed = attn_chat_frame (&chat, text, strlen (text), &begin, &end, &error);
      g_assert_no_error (error);
      g_autofree char *expected =
          g_strconcat (cases[i].before, cases[i].message, cases[i].after, NULL);
      g_assert_cmpstr (framed, ==, expected);
      g_autofree char *taken = g_strndup (text + begin, end - begin);
      g_assert_cmpstr (taken, ==, cases[i].message);
    }
  g_unsetenv ("SOURCE_DATE_EPOCH");
}

/* Nothing is left of a text of spaces, and of an empty one, and both have their frame. */
static void
test_frame_spaces (void)
{
  static const char * const texts[] = { "", " ", " \n\t ", "\xc2\xa0" };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_auto (AttnChat) chat = { 0 };
      gsize begin = 0, end = 0;

      g_assert_true (attn_chat_read ("t", "<{{ messages[0].content | trim }}>", tokens_given, &chat,
                                     &error));
      g_autofree char *framed =
          attn_chat_frame (&chat, texts[i], strlen (texts[i]), &begin, &end, &error);
      g_assert_no_error (error);
      g_assert_cmpstr (framed, ==, "<>");
      g_assert_cmpuint (begin, ==, end);
      g_assert_cmpuint (end, <=, strlen (texts[i]));
    }
}

static void
assert_refused (const char *template,
                const char *message)
{
  g_autoptr (GError) error = NULL;
  g_auto (AttnChat) chat = { 0 };

  g_assert_false (attn_chat_read ("a/b", template, tokens_given, &chat, &error));
  g_assert_nonnull (error);
  g_assert_cmpstr (error->message, ==, message);
}

/* Templates that a message cannot be put into, or that are none. */
static void
test_refused (void)
{
  assert_refused ("", "a/b: a chat template without the user’s message found, expected it once");
  assert_refused ("{{ messages[0].content | upper }}",
                  "a/b: a chat template without the user’s message found, expected it once");
  assert_refused ("{{ messages[0].content * 2 }}",
                  "a/b: a chat template that repeats the user’s message found, expected it once");
  assert_refused ("\n{{ raise_exception('Only with a system.') }}",
                  "a/b: line 2 of the chat template: the template refuses: Only with a system.");
  assert_refused ("{% if %}", "a/b: line 1 of the chat template: “%}” found, expected “…”");
  assert_refused ("\n\n{{ messages | nonsense }}",
                  "a/b: line 3 of the chat template: the filter “nonsense” found, which is not "
                  "known here");
  assert_refused ("{% include 'x' %}",
                  "a/b: line 1 of the chat template: the statement “include” found, which chat "
                  "templates do not have");
}

/* A text that the template writes in another way than others is not put between the wrong ends. */
static void
test_changed (void)
{
  static const struct
  {
    const char *template;
    const char *text;
  } cases[] = {
    { "{{ messages[0].content | replace('qq', 'b') }}", "qq" },
    { "{{ '/think' if 'no' in messages[0].content else '' }}{{ messages[0].content }}", "no" },
    { "{{ messages[0].content.split('</x>')[-1] }}", "a</x>b" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_auto (AttnChat) chat = { 0 };
      gsize begin = 0, end = 0;

      g_assert_true (attn_chat_read ("t", cases[i].template, tokens_given, &chat, &error));
      g_assert_no_error (error);
      g_assert_null (attn_chat_frame (&chat, cases[i].text, strlen (cases[i].text), &begin, &end,
                                      &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED);
      g_assert_cmpstr (error->message, ==,
                       "t: a chat template that changes this text found, expected one that puts it "
                       "between others");
    }
}

#define CHATML                                                                      \
  "{% for m in messages %}{{'<|im_start|>' + m['role'] + '\\\\n' + m['content'] + " \
  "'<|im_end|>' + '\\\\n'}}{% endfor %}{{'<|im_start|>assistant\\\\n'}}"
#define CHATML_FRAME "<|im_start|>user↵…<|im_end|>↵<|im_start|>assistant↵"
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
  remove_folder (directory);
}

/* Where a template stands: the file of its own counts before the configuration. */
static void
test_places (void)
{
  static const struct
  {
    const char *name;
    const char *contents;
    const char *frame; /* NULL where it is refused */
    const char *part;  /* of the refusal */
  } cases[] = {
    { "tokenizer_config.json", "{\"chat_template\": \"" CHATML "\"}", CHATML_FRAME, NULL },
    { "tokenizer_config.json",
      "{\"chat_template\": [{\"name\": \"tool_use\", \"template\": \"x\"}, {\"name\": \"default\", "
      "\"template\": \"" CHATML "\"}]}",
      CHATML_FRAME, NULL },
    { "chat_template.json", "{\"chat_template\": \"" LLAMA "\"}", "[INST] … [/INST]", NULL },
    { "chat_template.jinja", LLAMA, "[INST] … [/INST]", NULL },
    { "chat_template.jinja", "\xef\xbb\xbf" LLAMA "\n", "[INST] … [/INST]", NULL },
    { "chat_template.jinja", "\xff", NULL, "no text found, expected a chat template" },
    { "chat_template.json", "[", NULL, "chat_template.json" },
    { "tokenizer_config.json", "{\"chat_template\": \"x\"}", NULL,
      "a chat template without the user’s message found" },
    { "tokenizer_config.json", "{\"chat_template\": [3, {\"name\": 4}]}", NULL,
      "no chat template found, expected one beside the tokenizer" },
    { NULL, NULL, NULL, "no chat template found, expected one beside the tokenizer" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *directory = make_directory (cases[i].name, cases[i].contents);
      g_autofree char *found = attn_tokenizer_find_chat (directory, &error);

      g_assert_cmpstr (found, ==, cases[i].frame);
      if (found == NULL)
        g_assert_nonnull (strstr (error->message, cases[i].part));
      remove_folder (directory);
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
      /* That flag does not shorten a file. */
      g_unlink (path);
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
  remove_folder (directory);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tokenizer/chat/frame", test_frame);
  g_test_add_func ("/tokenizer/chat/frame-spaces", test_frame_spaces);
  g_test_add_func ("/tokenizer/chat/refused", test_refused);
  g_test_add_func ("/tokenizer/chat/changed", test_changed);
  g_test_add_func ("/tokenizer/chat/encode", test_encode);
  g_test_add_func ("/tokenizer/chat/places", test_places);
  g_test_add_func ("/tokenizer/chat/mutations", test_mutations);
  return g_test_run ();
}
