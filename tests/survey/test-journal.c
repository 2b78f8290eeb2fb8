/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A journal that another program changes while it is read. */

#include "config.h"

#include <glib/gstdio.h>
#include <unistd.h>

#include "attn-error.h"
#include "attn-journal.h"

#define N_RECORDS    3
#define RECORD_BYTES 100000

/* Leaves nothing of the file behind the first record, as another program might. */
static void
cut (GBytes   *record,
     gpointer  user_data)
{
  const char *path = user_data;

  g_assert_cmpuint (g_bytes_get_size (record), ==, RECORD_BYTES);
  g_assert_cmpint (truncate (path, 0), ==, 0);
}

static void
count (GBytes   *record,
       gpointer  user_data)
{
  *(guint *) user_data += 1;
}

static void
test_cut_while_it_is_read (void)
{
  g_autofree char *directory = g_dir_make_tmp ("attention-grid-journal-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "s.npz.journal", NULL);
  g_autoptr (GBytes) record = g_bytes_new_take (g_malloc0 (RECORD_BYTES), RECORD_BYTES);
  g_autoptr (GError) error = NULL;
  guint n_records = 0;
  AttnJournal *journal = attn_journal_open (path, "subject", count, &n_records, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < N_RECORDS; i++)
    g_assert_true (attn_journal_append (journal, record, &error));
  attn_journal_close (journal, TRUE);

  g_assert_null (attn_journal_open (path, "subject", cut, path, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_CHANGED);
  g_clear_error (&error);

  /* What is left is the beginning of a journal. */
  journal = attn_journal_open (path, "subject", count, &n_records, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (n_records, ==, 0);
  g_assert_true (attn_journal_append (journal, record, &error));
  attn_journal_close (journal, TRUE);
  journal = attn_journal_open (path, "subject", count, &n_records, &error);
  g_assert_cmpuint (n_records, ==, 1);
  attn_journal_close (journal, FALSE);
  g_remove (path);
  g_rmdir (directory);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/survey/journal/cut-while-it-is-read", test_cut_while_it_is_read);
  return g_test_run ();
}
