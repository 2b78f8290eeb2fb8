/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A journal that another program changes while it is read, or has written. */

#include "config.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "attn-error.h"
#include "attn-journal.h"

#define N_RECORDS    3
#define RECORD_BYTES 100000
/* Where a header says how long its record is: behind its magic and a SHA-256. */
#define SIZE_OFFSET 40
#define CLAIMED     ((gsize) 160 << 20)
/* Kilobytes that reading may take, an eighth of what is claimed. */
#define MOST_KB (20 << 10)

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

static GBytes *
new_record (void)
{
  return g_bytes_new_take (g_malloc0 (RECORD_BYTES), RECORD_BYTES);
}

/* Returns the path of a journal with so many records, in a directory of its own. */
static char *
write_journal (guint n_records)
{
  g_autofree char *directory = g_dir_make_tmp ("attention-grid-journal-XXXXXX", NULL);
  char *path = g_build_filename (directory, "s.npz.journal", NULL);
  g_autoptr (GBytes) record = new_record ();
  g_autoptr (GError) error = NULL;
  guint n_found = 0;
  AttnJournal *journal = attn_journal_open (path, "subject", count, &n_found, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < n_records; i++)
    g_assert_true (attn_journal_append (journal, record, &error));
  attn_journal_close (journal, TRUE);
  return path;
}

/* Removes its directory, and the journal, which is gone if it was closed without a record. */
static void
remove_journal (const char *path)
{
  g_autofree char *directory = g_path_get_dirname (path);

  g_remove (path);
  g_assert_cmpint (g_rmdir (directory), ==, 0);
}

static void
test_cut_while_it_is_read (void)
{
  g_autofree char *path = write_journal (N_RECORDS);
  g_autoptr (GBytes) record = new_record ();
  g_autoptr (GError) error = NULL;
  guint n_records = 0;

  g_assert_null (attn_journal_open (path, "subject", cut, path, &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_CHANGED);
  g_clear_error (&error);

  /* What is left is the beginning of a journal. */
  AttnJournal *journal = attn_journal_open (path, "subject", count, &n_records, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (n_records, ==, 0);
  g_assert_true (attn_journal_append (journal, record, &error));
  attn_journal_close (journal, TRUE);
  journal = attn_journal_open (path, "subject", count, &n_records, &error);
  g_assert_cmpuint (n_records, ==, 1);
  attn_journal_close (journal, FALSE);
  remove_journal (path);
}

/* Returns how many kilobytes of memory the process has had at most. */
static long
get_most_memory (void)
{
  struct rusage usage;

  g_assert_cmpint (getrusage (RUSAGE_SELF, &usage), ==, 0);
  return usage.ru_maxrss;
}

static void
test_size_is_not_believed (void)
{
  g_autofree char *path = write_journal (1);
  g_autoptr (GError) error = NULL;
  guint n_records = 0;
  guint64 claimed = CLAIMED;
  int fd = open (path, O_WRONLY | O_CLOEXEC);
  g_assert_cmpint (pwrite (fd, &claimed, sizeof claimed, SIZE_OFFSET), ==, sizeof claimed);
  g_assert_cmpint (ftruncate (fd, (off_t) CLAIMED * 2), ==, 0);
  close (fd);

  long most = get_most_memory ();
  AttnJournal *journal = attn_journal_open (path, "subject", count, &n_records, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (n_records, ==, 0);
  g_assert_cmpint (get_most_memory () - most, <, MOST_KB);
  attn_journal_close (journal, FALSE);
  remove_journal (path);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/survey/journal/cut-while-it-is-read", test_cut_while_it_is_read);
  g_test_add_func ("/survey/journal/size-is-not-believed", test_size_is_not_believed);
  return g_test_run ();
}
