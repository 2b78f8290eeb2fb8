/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sequences of FASTA files, and what is none. */

#include <string.h>

#include "attn-error.h"
#include "attn-fasta.h"

/* All sequences with "|" between. */
static char *
read_all (const char  *text,
          gsize        length,
          GError     **error)
{
  AttnFasta fasta = attn_fasta_begin ("x.fasta", text, length);
  g_autoptr (GString) all = g_string_new (NULL);
  g_autoptr (GError) local_error = NULL;
  char *sequence;

  for (gsize i = 0; attn_fasta_next (&fasta, &sequence, &local_error); i++)
    {
      g_string_append_printf (all, "%s%s", i > 0 ? "|" : "", sequence);
      g_free (sequence);
    }
  if (local_error == NULL)
    return g_string_free (g_steal_pointer (&all), FALSE);
  g_propagate_error (error, g_steal_pointer (&local_error));
  return NULL;
}

static void
test_records (void)
{
  static const char * const cases[][2] = {
    { "", "" },
    { "\n \n", "" },
    { ">a", "" },
    { ">a\nMK\n", "MK" },
    { ">sp|P1 a > b\r\nMKTA\r\nYI AK\r\n\r\n>b\r\nxU*-.\r\n", "MKTAYIAK|xU*-." },
    { "; an old comment\n\n>a\nM\n;K\nT\n>b\n>c\nA", "MT||A" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *all = read_all (cases[i][0], strlen (cases[i][0]), &error);

      g_assert_no_error (error);
      g_assert_cmpstr (all, ==, cases[i][1]);
    }
}

static void
test_others_are_refused (void)
{
  static const struct
  {
    const char *text;
    gsize length;
    const char *part;
  } cases[] = {
    { "MKTA\n", 5, "x.fasta: line 1: “MKTA” found, expected a header" },
    { "\n {\"a\": 1}\n", 11, "x.fasta: line 2: “ {\"a\": 1}” found, expected a header" },
    { ">a\nMK\nMK1TA\n", 12, "x.fasta: line 3: “1TA” found, expected residues" },
    { ">a\nM\x1b[31mK\n", 11, "line 2: “␛[31mK” found, expected residues" },
    { ">a\nM\xFFK", 6, "line 2: “\xEF\xBF\xBDK” found, expected residues" },
    { ">a\nM\0K", 6, "line 2: " },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *all = read_all (cases[i].text, cases[i].length, &error);

      g_assert_null (all);
      g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);
      g_assert_nonnull (strstr (error->message, cases[i].part));
    }
}

static void
test_long_sequence (void)
{
  g_autoptr (GString) text = g_string_new (">a\n");
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < ATTN_FASTA_MAX_RESIDUES; i++)
    g_string_append (text, i % 64 == 63 ? "K\n" : "M");
  g_autofree char *most = read_all (text->str, text->len, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (strlen (most), ==, ATTN_FASTA_MAX_RESIDUES);
  g_string_append (text, "M\n");
  g_autofree char *more = read_all (text->str, text->len, &error);
  g_assert_null (more);
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT);
}

static void
test_names (void)
{
  g_assert_true (attn_fasta_is_file ("a/b.fasta"));
  g_assert_true (attn_fasta_is_file ("b.FA"));
  g_assert_true (attn_fasta_is_file ("b.faa"));
  g_assert_false (attn_fasta_is_file ("b.txt"));
  g_assert_false (attn_fasta_is_file ("-"));
}

static void
test_without_a_name (void)
{
  static const struct
  {
    const char *path;
    const char *text;
    gboolean is_fasta;
  } cases[] = {
    { "-", ">a\nMKT\n", TRUE },
    { "-", "; old\r\n\r\n>a b\r\nMK*-. \r\n>b\r\n", TRUE },
    { "/dev/stdin", ">a\nMKT", TRUE },
    { "-", ">a\nwhat somebody said\n", FALSE },
    { "-", ">a\nMKt\n", FALSE },
    { "-", ">a\n", FALSE },
    { "-", "MKT\n>a\n", FALSE },
    { "-", "", FALSE },
    { "a.txt", ">a\nMKT\n", FALSE },
    { "a.faa", "MKT\n", TRUE },
    { NULL, ">a\nMKT\n", FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      gboolean is_fasta =
          attn_fasta_recognise (cases[i].path, cases[i].text, strlen (cases[i].text));

      g_assert_cmpint (is_fasta, ==, cases[i].is_fasta);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/format/fasta/records", test_records);
  g_test_add_func ("/format/fasta/others-are-refused", test_others_are_refused);
  g_test_add_func ("/format/fasta/long-sequence", test_long_sequence);
  g_test_add_func ("/format/fasta/names", test_names);
  g_test_add_func ("/format/fasta/without-a-name", test_without_a_name);
  return g_test_run ();
}
