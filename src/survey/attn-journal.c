/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-journal.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attn-checksum.h"
#include "attn-error.h"
#include "attn-file.h"

/* Bytes of a record that are read at once while it is checked. */
#define PIECE ((gsize) 1 << 16)

/* Header of each record. */
typedef struct
{
  char magic[8];
  guint8 subject[ATTN_CHECKSUM_BYTES]; /* SHA-256 of the survey that the records are for */
  guint64 n_bytes;
  guint8 checksum[ATTN_CHECKSUM_BYTES]; /* SHA-256 of the record */
} Header;

static const char magic[] = "AGRecord";

struct _AttnJournal
{
  char *path;
  int fd;
  gboolean is_new; /* it was not there before */
  guint8 subject[ATTN_CHECKSUM_BYTES];
};

/* Reads the bytes from @offset on. Returns how many there were, which are fewer at the end of the
 * file. */
static gsize
read_at (int      fd,
         gpointer data,
         gsize    n_bytes,
         gsize    offset)
{
  gsize n_read = 0;

  while (n_read < n_bytes)
    {
      gssize n = pread (fd, (char *) data + n_read, n_bytes - n_read, (off_t) (offset + n_read));

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        break;
      n_read += (gsize) n;
    }
  return n_read;
}

/* Checks a record piece by piece: before its checksum was right, its size is but what a file says.
 * @offset: where it begins, behind its header */
static gboolean
check_record (int           fd,
              gsize         offset,
              const Header *header)
{
  g_autoptr (AttnChecksum) checksum = attn_checksum_new ();
  g_autofree char *piece = g_malloc (PIECE);
  guint8 digest[ATTN_CHECKSUM_BYTES];

  for (gsize done = 0; done < header->n_bytes;)
    {
      gsize n_bytes = MIN (PIECE, header->n_bytes - done);

      if (read_at (fd, piece, n_bytes, offset + done) < n_bytes)
        return FALSE;
      attn_checksum_update (checksum, piece, n_bytes);
      done += n_bytes;
    }
  attn_checksum_finish (checksum, digest);
  return memcmp (digest, header->checksum, sizeof digest) == 0;
}

/* Reads all records. After a damaged one it goes on with the next, whose place its header tells.
 * Returns the end of the last valid record. Reads piece by piece, so that a file that becomes
 * shorter meanwhile is no error. */
static gsize
read_records (AttnJournal     *journal,
              gsize            size,
              AttnJournalFunc  func,
              gpointer         user_data)
{
  gsize offset = 0;

  while (size - offset >= sizeof (Header))
    {
      Header header;

      if (read_at (journal->fd, &header, sizeof header, offset) < sizeof header ||
          memcmp (header.magic, magic, sizeof header.magic) != 0 ||
          header.n_bytes > size - offset - sizeof header)
        break;

      if (memcmp (header.subject, journal->subject, sizeof header.subject) == 0 &&
          check_record (journal->fd, offset + sizeof header, &header))
        {
          g_autofree char *data = g_try_malloc (MAX (header.n_bytes, 1));

          if (data == NULL ||
              read_at (journal->fd, data, header.n_bytes, offset + sizeof header) < header.n_bytes)
            break;
          g_autoptr (GBytes) record = g_bytes_new_take (g_steal_pointer (&data), header.n_bytes);
          func (record, user_data);
        }
      offset += sizeof header + header.n_bytes;
    }
  return offset;
}

/* Checks that the file is a journal, the beginning of one, or empty. *size: (out): of the file */
static gboolean
check_is_journal (const AttnJournal  *journal,
                  gsize              *size,
                  GError            **error)
{
  g_autofree char *display = g_filename_display_name (journal->path);
  char start[sizeof (((Header *) NULL)->magic)];
  struct stat status;

  if (fstat (journal->fd, &status) != 0)
    return attn_fail_from_errno (error, journal->path, errno);
  *size = S_ISREG (status.st_mode) ? (gsize) status.st_size : 0;
  gsize n = read_at (journal->fd, start, MIN (*size, sizeof start), 0);
  return (S_ISREG (status.st_mode) && memcmp (start, magic, n) == 0) ||
         attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("%s: a file that is no journal found, expected none, or the journal of a "
                      "survey that was stopped"),
                    display);
}

/* Checks that the path is not one of the files that the program reads: the texts of a survey could
 * have the name of its journal. */
static gboolean
check_is_not_read (const char  *path,
                   GError     **error)
{
  g_autofree char *source = attn_file_list_find (path);

  if (source == NULL)
    return TRUE;

  g_autofree char *display = g_filename_display_name (path);
  g_autofree char *other = g_filename_display_name (source);
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("%s: %s found, which is being read, expected another file to write"), display,
                    other);
}

static gboolean
open_file (AttnJournal  *journal,
           GError      **error)
{
  const int flags = O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;

  journal->fd = g_open (journal->path, flags | O_CREAT | O_EXCL, 0666);
  journal->is_new = journal->fd >= 0;
  if (journal->fd < 0 && errno == EEXIST)
    journal->fd = g_open (journal->path, flags, 0666);
  if (journal->fd < 0)
    return attn_fail_from_errno (error, journal->path, errno);
  if (flock (journal->fd, LOCK_EX | LOCK_NB) == 0)
    return TRUE;

  g_autofree char *display = g_filename_display_name (journal->path);
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("%s: another run that writes it found, expected one at a time"), display);
}

/* Removes an incomplete record behind @end, which would hide the records after it. A file that ends
 * before it has become shorter meanwhile; with zeros in that place it would be no journal. */
static gboolean
cut_after (const AttnJournal  *journal,
           gsize               end,
           GError            **error)
{
  struct stat status;

  if (fstat (journal->fd, &status) == 0 && (gsize) status.st_size < end)
    {
      g_autofree char *display = g_filename_display_name (journal->path);

      return attn_fail (error, ATTN_ERROR_CHANGED, _("%s: the file was changed while it was read"),
                        display);
    }
  return ftruncate (journal->fd, (off_t) end) == 0 ||
         attn_fail_from_errno (error, journal->path, errno);
}

/**
 * attn_journal_open:
 * @path: (type filename): is made if it is not there
 * @subject: what the records are about; those about something else are passed over
 * @func: is given the records that are in the file
 * @error: return location for %ATTN_ERROR_ARGUMENT where another process has it open, where it is a
 *   file that is read or no journal, which its first bytes tell; %ATTN_ERROR_CHANGED where it has
 *   become shorter meanwhile; and I/O errors
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
  gsize size = 0;

  journal->path = g_strdup (path);
  journal->fd = -1;
  attn_checksum_compute (subject, strlen (subject), journal->subject);
  if (!check_is_not_read (path, error) || !open_file (journal, error) ||
      !check_is_journal (journal, &size, error))
    {
      attn_journal_close (journal, TRUE);
      return NULL;
    }
  if (!cut_after (journal, read_records (journal, size, func, user_data), error))
    {
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
  attn_checksum_compute (data, n_bytes, header.checksum);
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
 * @is_needed: whether to leave the file where it is; one that was made here and is still empty is
 *   not left
 */
void
attn_journal_close (AttnJournal *journal,
                    gboolean     is_needed)
{
  struct stat status;

  if (journal->fd >= 0 &&
      (!is_needed ||
       (journal->is_new && fstat (journal->fd, &status) == 0 && status.st_size == 0)))
    g_unlink (journal->path);
  if (journal->fd >= 0)
    close (journal->fd);
  g_free (journal->path);
  g_free (journal);
}
