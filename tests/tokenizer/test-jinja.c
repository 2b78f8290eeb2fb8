/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Templates run: what Jinja of Python makes of them, to the byte, and what is refused. */

#include "config.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "attn-error.h"
#include "attn-jinja.h"

#define MAX_MESSAGES 8

static const AttnJinjaVariable variables[] = {
  { "bos_token", "<s>" },
  { "eos_token", "</s>" },
  { "unk_token", "<unk>" },
  { "pad_token", "<pad>" },
};

static char *
render (const char              *template,
        const AttnJinjaMessage  *messages,
        gsize                    n_messages,
        gboolean                 begins_answer,
        GError                 **error)
{
  g_autoptr (GDateTime) now = g_date_time_new_utc (2026, 3, 5, 14, 7, 9);
  AttnJinjaInput input = { messages, n_messages, variables, G_N_ELEMENTS (variables),
                           begins_answer, now };

  return attn_jinja_render ("t", template, &input, error);
}

static char *
render_case (const char  *template,
             JsonObject  *test,
             GError     **error)
{
  JsonArray *array = json_object_get_array_member (test, "messages");
  AttnJinjaMessage messages[MAX_MESSAGES];
  guint n = json_array_get_length (array);

  g_assert_cmpuint (n, <=, MAX_MESSAGES);
  for (guint i = 0; i < n; i++)
    {
      JsonObject *message = json_array_get_object_element (array, i);

      messages[i].role = json_object_get_string_member (message, "role");
      messages[i].content = json_object_get_string_member (message, "content");
    }
  return render (template, messages, n, json_object_get_boolean_member (test, "begins_answer"),
                 error);
}

/* The cases of the fixture, or those that ATTENTION_GRID_JINJA_CASES names; of these all are seen.
   */
static void
test_cases (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "tokenizer", "jinja.json", NULL);
  const char *own = g_getenv ("ATTENTION_GRID_JINJA_CASES");
  g_autoptr (JsonParser) parser = json_parser_new ();
  guint n_different = 0;

  g_assert_true (json_parser_load_from_file (parser, own != NULL ? own : path, NULL));
  JsonArray *cases = json_node_get_array (json_parser_get_root (parser));
  g_assert_cmpuint (json_array_get_length (cases), >, 0);
  for (guint i = 0; i < json_array_get_length (cases); i++)
    {
      JsonObject *test = json_array_get_object_element (cases, i);
      const char *template = json_object_get_string_member (test, "template");
      JsonArray *renders = json_object_get_array_member (test, "renders");
      guint n_same = 0;

      for (guint j = 0; j < json_array_get_length (renders); j++)
        {
          g_autoptr (GError) error = NULL;
          JsonObject *one = json_array_get_object_element (renders, j);
          g_autofree char *text = render_case (template, one, &error);
          const char *expected = json_object_get_string_member_with_default (one, "text", NULL);

          n_same += g_strcmp0 (text, expected) == 0;
          if (g_strcmp0 (text, expected) != 0)
            g_test_message ("%s: %s\n-- expected:\n%s\n-- got:\n%s",
                            json_object_get_string_member (test, "name"),
                            error != NULL ? error->message : "", expected, text);
          else if (own != NULL && error != NULL)
            g_test_message ("refused by both: %s", error->message);
        }
      if (own != NULL)
        g_test_message ("%u of %u same: %s", n_same, json_array_get_length (renders),
                        json_object_get_string_member (test, "name"));
      n_different += n_same < json_array_get_length (renders);
    }
  g_assert_cmpuint (n_different, ==, 0);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tokenizer/jinja/cases", test_cases);
  return g_test_run ();
}
