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

/* Bytes of a record that are read at a time while its checksum is computed. */
#define PIECE ((gsize) 1 << 16)

/* Header that stands before the bytes of each record in the file. */
typedef struct
{
  char magic[8];
  guint8 subject[ATTN_CHECKSUM_BYTES]; /* SHA-256 of the survey that the records of the journal
                                        * belong to */
  guint64 n_bytes;
  guint8 checksum[ATTN_CHECKSUM_BYTES]; /* SHA-256 of the bytes that follow */
} Header;

static const char magic[] = "AGRecord";

struct _AttnJournal
{
  char *path;
  int fd;
  gboolean is_new; /* the file was created here */
  guint8 subject[ATTN_CHECKSUM_BYTES];
};

/* Reads @n_bytes bytes of the file from @offset on. Returns the number of bytes read, smaller if
 * the file ends before. */
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

/* Compares a record with its checksum, reading it in pieces of constant size: until the checksum
 * was right, its declared size may be wrong and must not be allocated. @offset: where the record's
 * bytes begin, behind its header */
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

/* Reads all records. After a damaged record it goes on with the next one, whose place follows from
 * the size in the header. Returns the end of the last valid record. Reads with pread() instead of
 * mapping the file, so that a file that becomes shorter meanwhile causes no crash. */
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

/* Checks that the file is a journal, the beginning of one, or empty. *size: (out): size of the file
 * in bytes */
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
 * before @end has become shorter meanwhile, which is an error: ftruncate() would fill it up with
 * zeros, which are no records. */
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
 * @path: (type filename): the journal's file, which is created if it does not exist
 * @subject: what the records are about, such as the settings of a survey as JSON; records of
 *   another subject are passed over
 * @func: is called for each record that is in the file
 * @error: return location for %ATTN_ERROR_ARGUMENT if another process has the journal open, if the
 *   program reads the same file as input, or if its first bytes are not those of a journal;
 *   %ATTN_ERROR_CHANGED if it has become shorter meanwhile; and I/O errors
 *
 * A record that was not completely written, or that was damaged later, is passed over.
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
 * Appends @record to the file, and returns when it is on disk.
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
 * Removes all records from the file, after their contents were saved in another file.
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
 * @is_needed: %FALSE to remove the file; a file that was created by this program and is still empty
 *   is removed in any case
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
