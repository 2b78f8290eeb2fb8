/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sets of indices: text to set and back. */

#include "config.h"

#include <string.h>

#include "attn-error.h"
#include "attn-index-set.h"

static AttnIndexSet *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  AttnIndexSet *set = attn_index_set_parse (text, &error);

  g_assert_no_error (error);
  return set;
}

static void
test_round_trip (void)
{
  static const char * const texts[][2] = {
    { "0", "0" },
    { "3", "3" },
    { "1,4-6", "1,4-6" },
    { "4-6,1", "1,4-6" },
    { " 1 , 4-6 ", "1,4-6" },
    { "1,2,3", "1-3" },
    { "1-3,4-6", "1-6" },
    { "1-10,2-3", "1-10" },
    { "5,5,5", "5" },
    { "2-4,1-3,7", "1-4,7" },
    { "1,3", "1,3" },
    { "2147483647", "2147483647" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (AttnIndexSet) set = parse (texts[i][0]);
      g_autofree char *printed = attn_index_set_to_string (set);
      g_autoptr (AttnIndexSet) again = parse (printed);

      g_assert_cmpstr (printed, ==, texts[i][1]);
      g_assert_true (attn_index_set_equal (set, again));
    }
}

static void
test_bad_text (void)
{
  static const char * const texts[] = { "",
                                        ",",
                                        "1,",
                                        ",1",
                                        "-",
                                        "-1",
                                        "1-",
                                        "3-1",
                                        "1-2-3",
                                        "a",
                                        "1 2",
                                        "0x1",
                                        "1.5",
                                        "all",
                                        "+1",
                                        "2147483648",
                                        "99999999999999999999" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;

      if (attn_index_set_parse (texts[i], &error) != NULL)
        g_error ("“%s” accepted", texts[i]);
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
      g_assert_nonnull (strstr (error->message, texts[i]));
    }
}

static void
test_members (void)
{
  g_autoptr (AttnIndexSet) set = parse ("1,4-6");

  for (gsize i = 0; i < 10; i++)
    g_assert_true (!attn_index_set_contains (set, i) == !(i == 1 || (i >= 4 && i <= 6)));
  g_assert_true (attn_index_set_contains_any (set, 2, 5));
  g_assert_true (attn_index_set_contains_any (set, 6, 9));
  g_assert_false (attn_index_set_contains_any (set, 2, 4));
  g_assert_false (attn_index_set_contains_any (set, 7, 9));
  g_assert_false (attn_index_set_contains_any (set, 5, 5));
  g_assert_cmpuint (attn_index_set_get_first (set), ==, 1);
  g_assert_cmpuint (attn_index_set_count (set, 10), ==, 4);
  g_assert_cmpuint (attn_index_set_count (set, 6), ==, 3);
  g_assert_cmpuint (attn_index_set_count (set, 1), ==, 0);
  g_assert_cmpuint (attn_index_set_count (set, 0), ==, 0);
}

static void
test_all (void)
{
  g_autofree char *text = attn_index_set_to_string (NULL);
  g_autoptr (AttnIndexSet) set = attn_index_set_new_range (0, 3);

  g_assert_cmpstr (text, ==, "all");
  g_assert_true (attn_index_set_contains (NULL, 1000));
  g_assert_cmpuint (attn_index_set_count (NULL, 7), ==, 7);
  g_assert_cmpuint (attn_index_set_get_first (NULL), ==, 0);
  g_assert_true (attn_index_set_equal (NULL, NULL));
  g_assert_false (attn_index_set_equal (set, NULL));
  g_assert_false (attn_index_set_equal (NULL, set));
  g_assert_true (attn_index_set_check (NULL, 0, "layers", NULL));
}

static void
test_equal (void)
{
  g_autoptr (AttnIndexSet) range = attn_index_set_new_range (1, 3);
  g_autoptr (AttnIndexSet) listed = parse ("3,1,2");
  g_autoptr (AttnIndexSet) longer = parse ("1-4");

  g_assert_true (attn_index_set_equal (range, listed));
  g_assert_false (attn_index_set_equal (range, longer));
}

static void
test_check (void)
{
  g_autoptr (AttnIndexSet) set = parse ("1,4-6");
  g_autoptr (GError) error = NULL;

  g_assert_true (attn_index_set_check (set, 7, "layers", &error));
  g_assert_no_error (error);
  g_assert_false (attn_index_set_check (set, 6, "layers", &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT);
  g_assert_cmpstr (error->message, ==, "layers 1,4-6 found, expected 0 to 5");
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/core/index-set/text-round-trip-sorts-and-merges", test_round_trip);
  g_test_add_func ("/core/index-set/bad-text-is-refused", test_bad_text);
  g_test_add_func ("/core/index-set/members", test_members);
  g_test_add_func ("/core/index-set/null-is-all", test_all);
  g_test_add_func ("/core/index-set/equal", test_equal);
  g_test_add_func ("/core/index-set/check-names-the-range", test_check);
  return g_test_run ();
}
