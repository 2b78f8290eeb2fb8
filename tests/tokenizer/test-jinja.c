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

/* The cases of the fixture, or those that ATTENTION_GRID_JINJA_CASES names; of these all are
 * seen. */
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

static const AttnJinjaMessage message = { "user", "Say it." };

/* The same part so many times. */
static char *
repeat (const char *before,
        const char *part,
        guint       n_times,
        const char *after)
{
  GString *text = g_string_new (before);

  for (guint i = 0; i < n_times; i++)
    g_string_append (text, part);
  return g_string_free (g_string_append (text, after), FALSE);
}

/* Whatever a template does, it ends: by a limit of steps, memory or depth. */
static void
test_limits (void)
{
  static const struct
  {
    const char *before;
    const char *part;
    guint n_times;
    const char *after;
  } cases[] = {
    { "", "{% for a in range(99999) %}", 3, "" },
    { "{% set x = 'a' %}", "{% set x = x + x %}", 60, "{{ x }}" },
    { "{% set x = [1] %}", "{% set x = x + x %}", 60, "" },
    { "{% set x = [1] %}", "{% set x = [x, x] %}", 60, "{{ x }}" },
    { "{% set x = [1] %}", "{% set x = [x, x] %}", 60, "{{ x | tojson }}" },
    { "{% set x = [1] %}{% set y = [1] %}", "{% set x = [x, x] %}{% set y = [y, y] %}", 60,
      "{{ x == y }}" },
    { "{% macro m() %}{{ m() }}{{ m() }}{% endmacro %}{{ m() }}", "", 0, "" },
    { "{% set n = namespace(x=1) %}{% for i in range(9999) %}{% set n.x = [n.x] %}{% endfor %}"
      "{{ n.x }}",
      "", 0, "" },
    { "{{ ", "(", 9999, "" },
    { "{{ ", "-", 9999, "1 }}" },
    { "{{ 1", " + 1", 9999, " }}" },
    { "{{ 'a'", "|trim", 9999, " }}" },
    { "{{ 'a'", ".a", 9999, " }}" },
    { "{{ 'a' if ", "1 if ", 9999, " }}" },
    { "", "{% if 1 %}", 9999, "" },
    { "{{ ", "[", 9999, "" },
    { "{{ 'ab' * 99999999999 }}", "", 0, "" },
    { "{{ 'a'.ljust(99999999999) }}", "", 0, "" },
    { "{{ 'a' | indent(99999999999, true) }}", "", 0, "" },
    { "{{ [1] | tojson(indent=99999999999) }}", "", 0, "" },
    { "{{ range(9999) | list | sort(reverse=true) }}", "", 0, "" },
    { "{{ ('ab' * 99999).replace('a', 'b' * 99999) }}", "", 0, "" },
    { "{{ ('b' * 99999).join('a' * 99999) }}", "", 0, "" },
    { "{{ 9 ** 99999 }}", "", 0, "" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *template =
          repeat (cases[i].before, cases[i].part, cases[i].n_times, cases[i].after);
      g_autofree char *ends = g_str_has_prefix (cases[i].part, "{% for")
                                  ? repeat (template, "{% endfor %}", cases[i].n_times, "")
                                  : g_strdup (template);
      g_autofree char *text = render (ends, &message, 1, TRUE, &error);

      g_test_message ("%.40s: %s", template, error != NULL ? error->message : "");
      g_assert_null (text);
      g_assert_true (g_error_matches (error, ATTN_ERROR, ATTN_ERROR_LIMIT) ||
                     g_error_matches (error, ATTN_ERROR, ATTN_ERROR_FORMAT));
    }
}

/* Whatever a template is changed to, it is rendered or refused. */
static void
test_mutations (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (67);
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "tokenizer", "jinja.json", NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();
  static const char letters[] = "{}%\\'\"-+~ \n()[]|.,:=1ain";
  guint n_mutations = g_test_thorough () ? 1000 : 30, n_rendered = 0;

  g_assert_true (json_parser_load_from_file (parser, path, NULL));
  JsonArray *cases = json_node_get_array (json_parser_get_root (parser));
  for (guint i = 0; i < json_array_get_length (cases) * n_mutations; i++)
    {
      g_autoptr (GError) error = NULL;
      JsonObject *test = json_array_get_object_element (cases, i / n_mutations);
      g_autoptr (GString) mutated =
          g_string_new (json_object_get_string_member (test, "template"));

      for (gint n = g_rand_int_range (rand, 1, 4); n > 0; n--)
        {
          gssize at = g_rand_int_range (rand, 0, (gint32) mutated->len);

          if (g_rand_boolean (rand))
            g_string_erase (mutated, at, 1);
          g_string_insert_c (mutated, at,
                             letters[g_rand_int_range (rand, 0, sizeof letters - 1)]);
        }
      if (!g_utf8_validate (mutated->str, (gssize) mutated->len, NULL))
        continue;
      g_autofree char *text = render (mutated->str, &message, 1, TRUE, &error);
      g_assert_true ((text != NULL) == (error == NULL));
      g_assert_true (text == NULL || g_utf8_validate (text, -1, NULL));
      n_rendered += text != NULL;
    }
  g_assert_cmpuint (n_rendered, >, 0);
  g_assert_cmpuint (n_rendered, <, json_array_get_length (cases) * n_mutations);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tokenizer/jinja/cases", test_cases);
  g_test_add_func ("/tokenizer/jinja/limits", test_limits);
  g_test_add_func ("/tokenizer/jinja/mutations", test_mutations);
  return g_test_run ();
}
