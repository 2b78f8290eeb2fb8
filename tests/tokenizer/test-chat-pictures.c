/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Messages with pictures: what chat templates make of them, to the byte, and what the tokenizer
 * makes of that. */

#include "config.h"

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "attn-chat.h"
#include "attn-error.h"
#include "tokenizer-fixture.h"

static const char * const tokens_given[ATTN_CHAT_N_TOKENS] = { "<s>", "</s>" };

static char *
read_template (const char *name)
{
  g_autofree char *file = g_strconcat (name, ".jinja", NULL);
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "tokenizer", "chat", file, NULL);
  char *source = NULL;

  g_assert_true (g_file_get_contents (path, &source, NULL, NULL));
  return source;
}

static void
frame (const char             *where,
       const char             *source,
       const char             *text,
       const AttnPictureMark  *mark,
       AttnFramed             *framed,
       GError                **error)
{
  g_auto (AttnChat) chat = { 0 };
  g_autoptr (GArray) parts = attn_message_split (text, strlen (text), mark, TRUE);

  g_assert_true (attn_chat_read (where, source, tokens_given, &chat, error));
  attn_framed_init (framed);
  gboolean is_framed =
      attn_chat_frame_pictures (&chat, text, strlen (text), parts, mark, framed, error);
  g_assert_true (is_framed == (*error == NULL));
}

/* What comes from the text is there as it was, and ascends in both. */
static void
check_spans (const AttnFramed *framed,
             const char       *text,
             const char       *written)
{
  gsize end = 0, own_end = 0;

  for (guint i = 0; i < framed->spans->len; i++)
    {
      const AttnFramedSpan *span = &g_array_index (framed->spans, AttnFramedSpan, i);
      gsize n = span->end - span->begin;

      g_assert_cmpuint (span->begin, >=, end);
      g_assert_cmpuint (span->own_begin, >=, own_end);
      g_assert_cmpuint (span->end, <=, framed->text->len);
      g_assert_cmpuint (span->own_end, <=, strlen (text));
      if (span->is_picture)
        g_assert_cmpmem (framed->text->str + span->begin, n, written, strlen (written));
      else
        g_assert_cmpmem (framed->text->str + span->begin, n, text + span->own_begin,
                         span->own_end - span->own_begin);
      end = span->end;
      own_end = span->own_end;
    }
}

/* The templates of the four families: as Jinja renders them. */
static void
test_published (void)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "tokenizer", "chat", "expected.json", NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();

  g_assert_true (json_parser_load_from_file (parser, path, NULL));
  JsonArray *cases = json_node_get_array (json_parser_get_root (parser));
  g_assert_cmpuint (json_array_get_length (cases), ==, 44);
  for (guint i = 0; i < json_array_get_length (cases); i++)
    {
      JsonObject *one = json_array_get_object_element (cases, i);
      const char *text = json_object_get_string_member (one, "text");
      const AttnPictureMark mark = { .text = json_object_get_string_member (one, "mark") };
      g_autofree char *source = read_template (json_object_get_string_member (one, "template"));
      g_autoptr (GError) error = NULL;
      g_auto (AttnFramed) framed = { NULL };

      frame ("t", source, text, &mark, &framed, &error);
      g_assert_no_error (error);
      g_assert_cmpstr (framed.text->str, ==, json_object_get_string_member (one, "expected"));
      check_spans (&framed, text, mark.text);
    }
}

/* A picture may be called <image> in a chat, and is written as the processor of the model does. */
static void
test_written (void)
{
  const AttnPictureMark mark = { "<start_of_image>", "<image>", "\n<soft>\n" };
  g_autofree char *source = read_template ("gemma3");
  g_autoptr (GError) error = NULL;
  g_auto (AttnFramed) framed = { NULL };
  static const char text[] = "<image> a <start_of_image>b";

  frame ("t", source, text, &mark, &framed, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (framed.text->str, ==,
                   "<s><start_of_turn>user\n\n<soft>\na\n<soft>\nb<end_of_turn>\n"
                   "<start_of_turn>model\n");
  check_spans (&framed, text, mark.written);
  /* Places: the framing, the first picture, the letter between, the framing behind. */
  static const gsize places[][2] = { { 0, 0 }, { 25, 7 }, { 31, 8 }, { 32, 10 }, { 60, 27 } };
  for (gsize i = 0; i < G_N_ELEMENTS (places); i++)
    g_assert_cmpuint (attn_framed_find_origin (&framed, places[i][0]), ==, places[i][1]);
}

/* Templates that change a text, leave it out, move one behind another, or have other pictures. */
static void
test_refused (void)
{
  static const struct
  {
    const char *parts; /* of the template, around each part p */
    const char *words;
  } cases[] = {
    { "{{ p.text | replace('it', 'that') }}<image>", "a chat template that changes this text" },
    { "{{ p.text if 'What' in p.text else '' }}", "a chat template that changes this text" },
    { "{{ p.text }}", "a chat template that writes 0 tokens of pictures found, expected 1" },
    { "{{ p.text }}<image>", "a chat template that writes 3 tokens of pictures found, expected 1" },
  };
  const AttnPictureMark mark = { .text = "<image>" };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *source = g_strdup_printf ("{%% if messages[0].content is string %%}"
                                                 "{{ messages[0].content }}{%% else %%}{%% for p "
                                                 "in messages[0].content %%}%s{%% endfor %%}"
                                                 "{%% endif %%}",
                                                 cases[i].parts);
      g_autoptr (GError) error = NULL;
      g_auto (AttnFramed) framed = { NULL };

      frame ("t", source, "What <image>is it?", &mark, &framed, &error);
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_UNSUPPORTED);
      if (strstr (error->message, cases[i].words) == NULL)
        g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, cases[i].words));
    }
}

static void
write_file (const char *directory,
            const char *name,
            const char *contents)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);

  g_assert_true (g_file_set_contents (path, contents, -1, NULL));
}

/* Tokens of a message with a picture are those of what the processor writes; beside a processor
 * the tokenizer adds its first token, unless the template writes it. */
static void
test_encode (void)
{
  static const char * const files[] = { "tokenizer.json", "tokenizer_config.json",
                                        "chat_template.jinja", "preprocessor_config.json" };
  const AttnPictureMark mark = { "<image>", NULL, "</s>!" };
  static const char text[] = "See <image> a</s>";

  for (gsize i = 0; i < 3; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *directory = g_dir_make_tmp ("attn-chat-XXXXXX", NULL);
      g_autofree char *from =
          g_test_build_filename (G_TEST_DIST, "tokenizer", "llama2", "tokenizer.json", NULL);
      g_autofree char *json = NULL;
      g_autofree char *source = read_template ("llava");

      g_assert_true (g_file_get_contents (from, &json, NULL, NULL));
      write_file (directory, files[0], json);
      write_file (directory, files[1], "{\"bos_token\": \"<s>\"}");
      write_file (directory, files[2],
                  i < 2 ? source
                        : "{{ bos_token }}{% for p in messages[0].content %}"
                          "{{ p.text if 'text' in p else '<image>' }}{% endfor %}");
      if (i > 0)
        write_file (directory, files[3], "{}");
      g_autoptr (AttnTokenizer) tokenizer = attn_tokenizer_load (directory, &error);
      g_assert_no_error (error);
      g_autoptr (AttnTokens) tokens = attn_tokenizer_encode_seen (
          tokenizer, text, -1, ATTN_FRAMING_CHAT, &mark, &error);
      g_assert_no_error (error);
      guint n_first = 0, n_marks = 0;
      for (gsize k = 0; k < tokens->n_tokens; k++)
        {
          const AttnToken *token = &tokens->tokens[k];

          n_first += token->id == 1 ? 1 : 0;
          n_marks += token->id == 2 ? 1 : 0;
          g_assert_cmpuint (token->begin, <=, token->end);
          g_assert_cmpuint (token->end, <=, strlen (text));
        }
      g_assert_cmpuint (n_first, ==, i == 0 ? 0 : 1);
      g_assert_cmpuint (tokens->tokens[0].id == 1, ==, i > 0);
      /* That of the picture, and not the one that is typed. */
      g_assert_cmpuint (n_marks, ==, 1);
      for (gsize k = 0; k < G_N_ELEMENTS (files); k++)
        {
          g_autofree char *path = g_build_filename (directory, files[k], NULL);

          g_unlink (path);
        }
      g_assert_cmpint (g_rmdir (directory), ==, 0);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tokenizer/chat-pictures/published", test_published);
  g_test_add_func ("/tokenizer/chat-pictures/written", test_written);
  g_test_add_func ("/tokenizer/chat-pictures/refused", test_refused);
  g_test_add_func ("/tokenizer/chat-pictures/encode", test_encode);
  return g_test_run ();
}
