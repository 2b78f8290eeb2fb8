/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Some of a figure's panels in few words. */

#include "config.h"

#include <string.h>

#include "attn-epsilon-panels.h"

/* Names the panels with a "1" in @chosen, a character for each. */
static char *
name_panels (const char * const *names,
             const char         *chosen,
             gboolean           *is_whole)
{
  gsize n = strlen (chosen);
  g_autofree gboolean *is_chosen = g_new (gboolean, n);
  g_autoptr (AttnEpsilonPanels) panels = attn_epsilon_panels_new (names, n);

  for (gsize i = 0; i < n; i++)
    is_chosen[i] = chosen[i] == '1';
  return attn_epsilon_panels_name (panels, is_chosen, is_whole);
}

static void
assert_named (const char * const *names,
              const char         *chosen,
              const char         *expected,
              gboolean            expects_whole)
{
  gboolean is_whole;
  g_autofree char *text = name_panels (names, chosen, &is_whole);

  g_assert_cmpstr (text, ==, expected);
  g_assert_cmpint (is_whole, ==, expects_whole);
}

static const char * const inputs[] = {
  "Input 1, Query",
  "Input 1, Key",
  "Input 1, Value",
  "Input 2, Query",
  "Input 2, Key",
  "Input 2, Value",
  "Input 3, Query",
  "Input 3, Key",
  "Input 3, Value",
};

/* Whole columns of panels are named by their column, and it is said that they are of all inputs. */
static void
test_whole_columns (void)
{
  assert_named (inputs, "110110110", "Query, Key, all inputs", TRUE);
  assert_named (inputs, "010010010", "Key, all inputs", TRUE);
  assert_named (inputs, "111111111", "Query, Key, Value, all inputs", TRUE);
}

/* Rows with the same columns are told together, and others after them. */
static void
test_rows_are_told_together (void)
{
  assert_named (inputs, "010000000", "Input 1, Key", FALSE);
  assert_named (inputs, "110000000", "Input 1: Query, Key", FALSE);
  assert_named (inputs, "110000110", "Input 1, Input 3: Query, Key", FALSE);
  assert_named (inputs, "110010110", "Input 1, Input 3: Query, Key; Input 2, Key", FALSE);
  assert_named (inputs, "100010001", "Input 1, Query; Input 2, Key; Input 3, Value", FALSE);
}

/* Rows and columns may be numbered alike. */
static void
test_whole_rows (void)
{
  static const char * const heads[] = { "Query, head 0", "Query, head 1", "Key, head 0",
                                        "Key, head 1" };
  static const char * const layers[] = { "Layer 0, head 0", "Layer 0, head 1", "Layer 1, head 0",
                                         "Layer 1, head 1" };

  assert_named (heads, "0011", "Key, all heads", TRUE);
  assert_named (heads, "1000", "Query, head 0", FALSE);
  assert_named (layers, "0101", "head 1, all layers", TRUE);
  assert_named (layers, "1100", "Layer 0, all heads", TRUE);
}

/* Names that are not of a row and a column are listed, with semicolons if any has a comma. */
static void
test_other_names_are_listed (void)
{
  static const char * const plain[] = { "Query", "Value", "Key" };
  static const char * const long_names[] = { "Input 1, layer 2, Query", "Input 1, layer 3, Query",
                                             NULL };

  assert_named (plain, "101", "Query, Key", FALSE);
  assert_named (plain, "000", NULL, FALSE);
  assert_named (long_names, "110", "Input 1, layer 2, Query; Input 1, layer 3, Query", FALSE);
  assert_named (long_names, "101", "Input 1, layer 2, Query; Panel", FALSE);
}

/* More names than can be read at a glance are not listed, but whole columns are. */
static void
test_many_are_not_listed (void)
{
  const char *names[40];
  g_autoptr (GPtrArray) kept = g_ptr_array_new_with_free_func (g_free);
  char chosen[] = "1010101010101010101010101010101010101010";

  for (guint i = 0; i < 40; i++)
    {
      names[i] = g_strdup_printf ("Input %u, %s", i / 2 + 1, i % 2 == 0 ? "Query" : "Key");
      g_ptr_array_add (kept, (char *) names[i]);
    }
  assert_named (names, chosen, "Query, all inputs", TRUE);
  chosen[38] = '0';
  assert_named (names, chosen, NULL, FALSE);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reading/epsilon-panels/whole-columns", test_whole_columns);
  g_test_add_func ("/reading/epsilon-panels/whole-rows", test_whole_rows);
  g_test_add_func ("/reading/epsilon-panels/rows-are-told-together", test_rows_are_told_together);
  g_test_add_func ("/reading/epsilon-panels/other-names-are-listed", test_other_names_are_listed);
  g_test_add_func ("/reading/epsilon-panels/many-are-not-listed", test_many_are_not_listed);
  return g_test_run ();
}
