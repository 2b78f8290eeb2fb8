/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What of a mapping is in memory, and which threads there are, as the system tells. */

#pragma once

#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* Bytes of the mapping that has @address; @fallback where the system does not tell. */
static inline gsize
get_resident (gconstpointer address,
              gsize         fallback)
{
  g_autofree char *text = NULL;
  gboolean is_found = FALSE;

  if (!g_file_get_contents ("/proc/self/smaps", &text, NULL, NULL))
    return fallback;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    {
      gulong begin, end;

      if (sscanf (*line, "%lx-%lx ", &begin, &end) == 2)
        is_found = (gulong) address >= begin && (gulong) address < end;
      else if (is_found && g_str_has_prefix (*line, "Rss:"))
        return (gsize) g_ascii_strtoull (*line + strlen ("Rss:"), NULL, 10) * 1024;
    }
  return fallback;
}

/* Skips the test where advice on a mapping is passed over, as by QEMU, or where the system does not
 * tell of it. Advice that has to be followed shows it; Linux before 5.14 does not know that one.
 * Returns: whether it did */
static inline gboolean
skip_without_advice (void)
{
  const gsize n_bytes = (gsize) 1 << 20;
  g_autofree char *content = g_malloc0 (n_bytes);
  FILE *file = tmpfile ();

  g_assert_true (file != NULL && fwrite (content, n_bytes, 1, file) == 1 && fflush (file) == 0);
  const char *start = mmap (NULL, n_bytes, PROT_READ, MAP_PRIVATE, fileno (file), 0);
  g_assert_true (start != MAP_FAILED);
  gboolean is_passed_over = madvise ((char *) start, n_bytes, MADV_POPULATE_READ) == 0 &&
                            get_resident (start, 0) < n_bytes;
  for (gsize i = 0; i < n_bytes; i += 4096)
    g_assert_cmpint (((volatile const char *) start)[i], ==, 0);
  gboolean is_told = get_resident (start, 0) >= n_bytes;
  madvise ((char *) start, n_bytes, MADV_DONTNEED);
  is_passed_over |= !is_told || get_resident (start, 0) > 0;
  munmap ((char *) start, n_bytes);
  fclose (file);
  if (is_passed_over)
    g_test_skip ("the system passes over advice on a mapping, or does not tell of it");
  return is_passed_over;
}

static inline gboolean
has_thread (const char *name)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc/self/task", 0, NULL);
  const char *task;

  while (dir != NULL && (task = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename ("/proc/self/task", task, "comm", NULL);
      g_autofree char *found = NULL;

      if (g_file_get_contents (path, &found, NULL, NULL) && g_str_equal (g_strstrip (found), name))
        return TRUE;
    }
  return FALSE;
}

/* A thread that was joined may still be listed for a moment. */
static inline void
wait_for_end_of_thread (const char *name)
{
  while (has_thread (name))
    g_usleep (1000);
}
