/* SPDX-License-Identifier: GPL-3.0-or-later */

/* JSON that nobody vouches for: what is no JSON is refused with its line, however deep. */

#include "config.h"

#include <string.h>

#include "attn-json.h"
#include "format-fixture.h"

static void
check_refused (const char *text,
               gssize      length,
               int         code,
               const char *message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = attn_json_parse ("FILE", text, length, &error);

  if (root != NULL)
    g_error ("“%s” accepted", text);
  g_assert_error (error, ATTN_ERROR, code);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  if (!g_str_has_prefix (error->message, message))
    g_error ("“%s” found, expected “%s”", error->message, message);
}

static void
test_not_json (void)
{
  static const char * const texts[] = {
    "",
    " ",
    "{",
    "}",
    "[1",
    "[1,]",
    "[1 2]",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "{a:1}",
    "[}",
    "{]",
    "'a'",
    "[1] [2]",
    "1 2",
    "[1] // comment",
    "/* \" */ [1]",
    "var a = 1",
    "[01]",
    "[0x1f]",
    "[1.]",
    "[.5]",
    "[1e]",
    "[+1]",
    "[-]",
    "[NaN]",
    "[Infinity]",
    "[nul]",
    "[nulls]",
    "[true1]",
    "[1a]",
    "\"a",
    "\"\\",
    "\"\\x\"",
    "\"\\u12\"",
    "\"\\u12g4\"",
    "\"\\ud800\"",
    "\"\\udc00\\ud800\"",
    "\"\\ud800\\u0041\"",
    "\"\t\"",
    "[\"a\"\"b\"]",
    ",",
    ":",
    "[,]",
    "[1:2]",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      /* A block of exactly this size: reading on is caught by the sanitizer. */
      gsize length = strlen (texts[i]);
      g_autofree char *text = g_memdup2 (texts[i], MAX (length, 1));

      check_refused (length > 0 ? text : "", length, ATTN_ERROR_FORMAT, "FILE:");
    }
}

static void
test_json (void)
{
  static const char * const texts[] = {
    "0",
    "-0",
    "-1.5e+10",
    "1E5",
    "\"\"",
    "null",
    " true ",
    "{}",
    "[]",
    "\"\\u00e9\\ud83d\\ude00\\n\"",
    "[1,\t{\"a\":[false]}]\n",
    "[1000000000000000019884624838656]",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (JsonNode) root = attn_json_parse ("FILE", texts[i], -1, &error);

      g_assert_no_error (error);
      g_assert_nonnull (root);
    }
}

static void
test_escapes (void)
{
  g_autoptr (JsonNode) root =
      attn_json_parse ("FILE", "\"\\u00e9\\ud83d\\ude00\\\"\\/\"", -1, NULL);

  g_assert_cmpstr (json_node_get_string (root), ==, "é😀\"/");
}

static void
test_line (void)
{
  check_refused ("[1,\n2,\n?]", -1, ATTN_ERROR_FORMAT, "FILE:3: ");
  check_refused ("{\"a\":\n\n1 2}", -1, ATTN_ERROR_FORMAT, "FILE:3:");
}

static void
test_bytes (void)
{
  check_refused ("[1,\n\"\xff\"]", -1, ATTN_ERROR_FORMAT, "FILE:2: bytes that are not UTF-8");
  check_refused ("[\"eightchr\xc3\"]", -1, ATTN_ERROR_FORMAT, "FILE:1: bytes that are not UTF-8");
  check_refused ("[\"é\x80\"]", -1, ATTN_ERROR_FORMAT, "FILE:1: bytes that are not UTF-8");
  check_refused ("[\"eight\n\0hr\"]", 12, ATTN_ERROR_FORMAT, "FILE:2: a NUL byte");
  check_refused ("[1]\0", 4, ATTN_ERROR_FORMAT, "FILE:1: a NUL byte");
  check_refused ("[\"a\\u0000b\"]", -1, ATTN_ERROR_UNSUPPORTED, "FILE:1: “\\u0000”");
}

static void
check_depth (gsize    depth,
             gboolean is_accepted)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (gsize i = 0; i < depth; i++)
    g_string_append (text, i % 2 == 0 ? "[" : "{\"a\":");
  g_string_append (text, "0");
  for (gsize i = depth; i-- > 0;)
    g_string_append (text, i % 2 == 0 ? "]" : "}");

  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = attn_json_parse ("FILE", text->str, text->len, &error);
  g_assert_true ((root != NULL) == is_accepted);
  if (!is_accepted)
    g_assert_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT);
}

static void
test_depth (void)
{
  check_depth (64, TRUE);
  check_depth (65, FALSE);
  check_depth (1000000, FALSE);
}

/* Brackets in a string are text. */
static void
test_brackets_in_strings (void)
{
  g_autofree char *brackets = g_strnfill (1000, '[');
  g_autofree char *text = g_strdup_printf ("[\"\\\"%s\"]", brackets);
  g_autoptr (JsonNode) root = attn_json_parse ("FILE", text, -1, NULL);

  g_assert_nonnull (root);
}

static JsonObject *
parse_object (JsonNode **root)
{
  *root = attn_json_parse (
      "FILE",
      "{\"n\": 12, \"x\": 1.0, \"b\": true, \"s\": \"text\", \"o\": {}, \"a\": [1],"
      " \"null\": null, \"minus\": -1, \"huge\": 1e400,"
      " \"over\": 18446744073709551621}",
      -1, NULL);
  g_assert_nonnull (*root);
  return json_node_get_object (*root);
}

static void
test_members (void)
{
  g_autoptr (JsonNode) root = NULL;
  AttnJsonReader reader = { parse_object (&root), "W" };

  g_assert_cmpuint (attn_json_read_size (&reader, "n", 1, 12, 5), ==, 12);
  g_assert_cmpfloat (attn_json_read_number (&reader, "n", 5), ==, 12);
  g_assert_cmpfloat (attn_json_read_number (&reader, "x", 5), ==, 1);
  g_assert_true (attn_json_read_boolean (&reader, "b", FALSE));
  g_assert_cmpstr (attn_json_read_string (&reader, "s", NULL), ==, "text");
  g_assert_nonnull (attn_json_read_object (&reader, "o"));
  g_assert_cmpuint (json_array_get_length (attn_json_read_array (&reader, "a")), ==, 1);
  g_assert_true (attn_json_finish (&reader, NULL));
}

static void
test_fallbacks (void)
{
  static const char * const members[] = { "null", "missing" };
  g_autoptr (JsonNode) root = NULL;
  AttnJsonReader reader = { parse_object (&root), "W" };

  for (guint i = 0; i < G_N_ELEMENTS (members); i++)
    {
      g_assert_cmpuint (attn_json_read_size (&reader, members[i], 1, 2, 5), ==, 5);
      g_assert_cmpfloat (attn_json_read_number (&reader, members[i], 0.5), ==, 0.5);
      g_assert_true (attn_json_read_boolean (&reader, members[i], TRUE));
      g_assert_cmpstr (attn_json_read_string (&reader, members[i], "x"), ==, "x");
      g_assert_null (attn_json_read_object (&reader, members[i]));
      g_assert_null (attn_json_read_array (&reader, members[i]));
      g_assert_true (attn_json_finish (&reader, NULL));
    }
}

static void
assert_fails (AttnJsonReader *reader,
              const char     *member,
              int             code)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (attn_json_finish (reader, &error));
  g_assert_error (error, ATTN_ERROR, code);
  g_assert_true (g_str_has_prefix (error->message, "WHERE: "));
  g_assert_nonnull (strstr (error->message, member));
}

static void
check_no_size (JsonObject *object,
               const char *member,
               int         code)
{
  AttnJsonReader reader = { object, "WHERE" };

  g_assert_cmpuint (attn_json_read_size (&reader, member, 1, 11, 5), ==, 5);
  assert_fails (&reader, member, code);
}

static void
test_no_size (void)
{
  g_autoptr (JsonNode) root = NULL;
  JsonObject *object = parse_object (&root);

  check_no_size (object, "x", ATTN_ERROR_FORMAT);
  check_no_size (object, "s", ATTN_ERROR_FORMAT);
  check_no_size (object, "a", ATTN_ERROR_FORMAT);
  check_no_size (object, "b", ATTN_ERROR_FORMAT);
  check_no_size (object, "n", ATTN_ERROR_LIMIT);
  check_no_size (object, "minus", ATTN_ERROR_LIMIT);
  check_no_size (object, "over", ATTN_ERROR_LIMIT);
}

static void
test_other_types (void)
{
  g_autoptr (JsonNode) root = NULL;
  AttnJsonReader reader = { parse_object (&root), "WHERE" };

  g_assert_cmpfloat (attn_json_read_number (&reader, "s", 3), ==, 3);
  assert_fails (&reader, "“s”", ATTN_ERROR_FORMAT);
  g_assert_true (attn_json_read_boolean (&reader, "n", TRUE));
  assert_fails (&reader, "“n”", ATTN_ERROR_FORMAT);
  g_assert_cmpstr (attn_json_read_string (&reader, "n", "x"), ==, "x");
  assert_fails (&reader, "“n”", ATTN_ERROR_FORMAT);
  g_assert_null (attn_json_read_object (&reader, "a"));
  assert_fails (&reader, "“a”", ATTN_ERROR_FORMAT);
  g_assert_null (attn_json_read_array (&reader, "o"));
  assert_fails (&reader, "“o”", ATTN_ERROR_FORMAT);
}

/* What fails first counts, and everything that is read behind it is its fallback. */
static void
test_first_failure (void)
{
  g_autoptr (JsonNode) root = NULL;
  AttnJsonReader reader = { parse_object (&root), "WHERE" };

  attn_json_read_string (&reader, "n", NULL);
  g_assert_cmpuint (attn_json_read_size (&reader, "n", 1, 12, 5), ==, 5);
  attn_json_fail (&reader, ATTN_ERROR_LIMIT, "another");
  assert_fails (&reader, "“n”", ATTN_ERROR_FORMAT);
  g_assert_cmpuint (attn_json_read_size (&reader, "n", 1, 12, 5), ==, 12);

  g_autoptr (JsonNode) array = json_node_init_array (json_node_alloc (), NULL);
  reader = attn_json_begin (array, "WHERE");
  g_assert_true (attn_json_read_boolean (&reader, "b", TRUE));
  assert_fails (&reader, "expected an object", ATTN_ERROR_FORMAT);
}

static void
test_members_are_left_out (void)
{
  static const char text[] = "{\"v\": [1],\n \"m\": {\"a\": 1, \"v\": {\"x\\u0041\\n\": 7,\n"
                             " \"y\": -2}, \"w\": [[\"s\", 0.5]], \"b\": {\"v\": 2}}, \"n\": }";
  static const char * const members[] = { "v", "w", "z", NULL };
  g_autoptr (GString) good = g_string_new (text);
  g_autoptr (GString) name = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  AttnJsonWalk walks[3];
  gint64 integer;
  double number;

  g_assert_null (attn_json_parse_without ("W", text, strlen (text), "m", members, walks, &error));
  g_assert_true (g_str_has_prefix (error->message, "W:3:"));
  g_string_replace (good, "\"n\": ", "\"n\": 1", 0);
  g_autoptr (JsonNode) root =
      attn_json_parse_without ("W", good->str, good->len, "m", members, walks, NULL);
  g_autofree char *rest = json_to_string (root, FALSE);
  g_assert_cmpstr (rest, ==,
                   "{\"v\":[1],\"m\":{\"a\":1,\"v\":null,\"w\":null,\"b\":{\"v\":2}},\"n\":1}");

  g_assert_true (attn_json_walk_enter (&walks[0], '{') && attn_json_walk_next (&walks[0], '}'));
  g_assert_true (attn_json_walk_read_name (&walks[0], name));
  g_assert_cmpstr (name->str, ==, "xA\n");
  g_assert_true (attn_json_walk_read_integer (&walks[0], &integer));
  g_assert_cmpint (integer, ==, 7);
  g_assert_true (attn_json_walk_next (&walks[0], '}') &&
                 attn_json_walk_read_name (&walks[0], name));
  g_assert_true (attn_json_walk_read_integer (&walks[0], &integer));
  g_assert_cmpint (integer, ==, -2);
  g_assert_false (attn_json_walk_next (&walks[0], '}'));
  g_assert_true (attn_json_walk_finish (&walks[0], NULL));

  g_assert_true (attn_json_walk_enter (&walks[1], '[') && attn_json_walk_next (&walks[1], ']'));
  g_assert_true (attn_json_walk_enter (&walks[1], '[') && attn_json_walk_next (&walks[1], ']'));
  g_assert_true (attn_json_walk_read_string (&walks[1], name) &&
                 attn_json_walk_next (&walks[1], ']'));
  g_assert_true (attn_json_walk_read_number (&walks[1], &number));
  g_assert_cmpfloat (number, ==, 0.5);
  g_assert_null (walks[2].p);
  g_assert_false (attn_json_walk_is_at (&walks[2], '['));
}

static void
test_walk_refuses_disorder (void)
{
  static const char * const texts[] = { "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{\"a\":1,}",
                                        "{,\"a\":1}",
                                        "{\"a\":1]}", "[\"a\"]", "{\"a\":1.5}", "{\"a\":}", "{1:1}",
                                        "{\"a\":1}:", "{\"a\":99999999999999999999}", "3" };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GString) name = g_string_new (NULL);
      g_autoptr (GError) error = NULL;
      AttnJsonWalk walk;
      gint64 value;

      g_assert_true (attn_json_walk_init (&walk, "W", texts[i], strlen (texts[i]), NULL));
      attn_json_walk_enter (&walk, '{');
      while (attn_json_walk_next (&walk, '}') && attn_json_walk_read_name (&walk, name) &&
             attn_json_walk_read_integer (&walk, &value))
        ;
      g_assert_false (attn_json_walk_finish (&walk, &error));
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);
    }
}

static void
test_load (void)
{
  g_autofree char *path = fixture_save ("a.json", "{\"a\": 1}", 8);
  g_autofree char *missing = fixture_path ("missing.json");
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = attn_json_load (path, &error);

  g_assert_no_error (error);
  g_assert_nonnull (root);
  /* With a byte order mark, as some editors save it. */
  g_autofree char *marked = fixture_save ("b.json", "\xef\xbb\xbf{\"a\": 1}", 11);
  g_autoptr (JsonNode) same = attn_json_load (marked, &error);
  g_assert_no_error (error);
  g_assert_true (json_node_equal (same, root));
  g_assert_null (attn_json_load (missing, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_true (g_str_has_prefix (error->message, missing));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/format/json/what-is-not-json-is-refused", test_not_json);
  g_test_add_func ("/format/json/what-is-json-is-read", test_json);
  g_test_add_func ("/format/json/escapes", test_escapes);
  g_test_add_func ("/format/json/message-names-the-line", test_line);
  g_test_add_func ("/format/json/bytes-that-are-not-text", test_bytes);
  g_test_add_func ("/format/json/a-million-brackets", test_depth);
  g_test_add_func ("/format/json/brackets-in-strings-are-text", test_brackets_in_strings);
  g_test_add_func ("/format/json/members", test_members);
  g_test_add_func ("/format/json/missing-and-null-members", test_fallbacks);
  g_test_add_func ("/format/json/sizes-are-integers-in-range", test_no_size);
  g_test_add_func ("/format/json/members-of-another-type", test_other_types);
  g_test_add_func ("/format/json/first-failure", test_first_failure);
  g_test_add_func ("/format/json/members-are-left-out", test_members_are_left_out);
  g_test_add_func ("/format/json/walk-refuses-disorder", test_walk_refuses_disorder);
  g_test_add_func ("/format/json/load", test_load);
  return fixture_run ();
}
