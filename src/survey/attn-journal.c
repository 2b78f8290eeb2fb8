/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-journal.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "attn-error.h"

/* In front of each record. */
typedef struct
{
  char magic[8];
  guint8 subject[32]; /* SHA-256 of what the records are about */
  guint64 n_bytes;
  guint8 checksum[32]; /* SHA-256 of the record */
} Header;

static const char magic[] = "AGRecord";

struct _AttnJournal
{
  char *path;
  int fd;
  guint8 subject[32];
};

static void
compute_checksum (gconstpointer data,
                  gsize         n_bytes,
                  guint8        digest[32])
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  gsize length = 32;

  g_checksum_update (checksum, data, (gssize) n_bytes);
  g_checksum_get_digest (checksum, digest, &length);
}

/* Behind a record that is damaged there may be others that are not: its header says where. Returns
 * where the last of them ends. */
static gsize
read_records (AttnJournal     *journal,
              GBytes          *content,
              AttnJournalFunc  func,
              gpointer         user_data)
{
  gsize size;
  const char *start = g_bytes_get_data (content, &size);
  gsize offset = 0;

  while (size - offset >= sizeof (Header))
    {
      Header header;
      guint8 checksum[32];

      memcpy (&header, start + offset, sizeof header);
      if (memcmp (header.magic, magic, sizeof header.magic) != 0 ||
          header.n_bytes > size - offset - sizeof header)
        break;
      offset += sizeof header;
      compute_checksum (start + offset, header.n_bytes, checksum);
      if (memcmp (checksum, header.checksum, sizeof checksum) == 0 &&
          memcmp (header.subject, journal->subject, sizeof header.subject) == 0)
        {
          /* Where numbers of any kind may stand. */
          g_autoptr (GBytes) record = g_bytes_new (start + offset, header.n_bytes);

          func (record, user_data);
        }
      offset += header.n_bytes;
    }
  return offset;
}

/**
 * attn_journal_open:
 * @path: (type filename): is made if it is not there
 * @subject: what the records are about; those about something else are passed over
 * @func: is given the records that are in the file
 * @error: return location for %ATTN_ERROR_ARGUMENT where another process has it open, and I/O
 *   errors
 *
 * A record that was not written whole, or was damaged since, is passed over.
 *
 * Returns: (transfer full) (nullable): the journal, for attn_journal_close()
 */
AttnJournal *
attn_journal_open (const char       *path,
                   const char       *subject,
                   AttnJournalFunc   func,
                   gpointer          user_data,
                   GError          **error)
{
  AttnJournal *journal = g_new0 (AttnJournal, 1);

  journal->path = g_strdup (path);
  compute_checksum (subject, strlen (subject), journal->subject);
  journal->fd = g_open (path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (journal->fd < 0)
    {
      attn_fail_from_errno (error, journal->path, errno);
      g_free (journal->path);
      g_free (journal);
      return NULL;
    }
  if (flock (journal->fd, LOCK_EX | LOCK_NB) != 0)
    {
      g_autofree char *display = g_filename_display_name (path);

      attn_set_error (error, ATTN_ERROR_ARGUMENT,
                      _("%s: another run that writes it found, expected one at a time"), display);
      attn_journal_close (journal, TRUE);
      return NULL;
    }

  g_autoptr (GMappedFile) mapped = g_mapped_file_new_from_fd (journal->fd, FALSE, error);
  if (mapped == NULL)
    {
      attn_journal_close (journal, TRUE);
      return NULL;
    }
  g_autoptr (GBytes) content = g_mapped_file_get_bytes (mapped);
  gsize end = read_records (journal, content, func, user_data);
  /* What a kill cut short would hide the records that follow. */
  if (ftruncate (journal->fd, (off_t) end) != 0)
    {
      attn_fail_from_errno (error, journal->path, errno);
      attn_journal_close (journal, TRUE);
      return NULL;
    }
  return journal;
}

static gboolean
write_all (int           fd,
           gconstpointer data,
           gsize         n_bytes)
{
  const char *p = data;

  while (n_bytes > 0)
    {
      gssize n = write (fd, p, n_bytes);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return FALSE;
      p += n;
      n_bytes -= (gsize) n;
    }
  return TRUE;
}

/**
 * attn_journal_append:
 * @error: return location for I/O errors
 *
 * Returns when @record is on disk.
 */
gboolean
attn_journal_append (AttnJournal  *journal,
                     GBytes       *record,
                     GError      **error)
{
  gsize n_bytes;
  gconstpointer data = g_bytes_get_data (record, &n_bytes);
  Header header = { .n_bytes = n_bytes };

  memcpy (header.magic, magic, sizeof header.magic);
  memcpy (header.subject, journal->subject, sizeof header.subject);
  compute_checksum (data, n_bytes, header.checksum);
  return (write_all (journal->fd, &header, sizeof header) &&
          write_all (journal->fd, data, n_bytes) && fdatasync (journal->fd) == 0) ||
         attn_fail_from_errno (error, journal->path, errno);
}

/**
 * attn_journal_clear:
 *
 * Forgets all records: they are in another file by now.
 */
gboolean
attn_journal_clear (AttnJournal  *journal,
                    GError      **error)
{
  return ftruncate (journal->fd, 0) == 0 || attn_fail_from_errno (error, journal->path, errno);
}

/**
 * attn_journal_close:
 * @journal: (transfer full)
 * @is_needed: whether to leave the file where it is
 */
void
attn_journal_close (AttnJournal *journal,
                    gboolean     is_needed)
{
  if (!is_needed)
    g_unlink (journal->path);
  close (journal->fd);
  g_free (journal->path);
  g_free (journal);
}
