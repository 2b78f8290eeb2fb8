/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-save.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attn-error.h"
#include "attn-file.h"

/* As many as Linux follows. */
#define MAX_LINKS 40

/* A device or pipe, such as /dev/stdout, is written through: renaming over it would replace it. */
static gboolean
write_through (const char    *path,
               const guint8  *data,
               gsize          size,
               GError       **error)
{
  int fd = g_open (path, O_WRONLY | O_CLOEXEC, 0);

  while (fd >= 0 && size > 0)
    {
      gssize n_written = write (fd, data, size);

      if (n_written < 0 && errno == EINTR)
        continue;
      if (n_written < 0)
        break;
      data += n_written;
      size -= n_written;
    }

  int saved_errno = errno;
  if (fd >= 0 && close (fd) != 0 && size == 0)
    {
      saved_errno = errno;
      size = 1;
    }
  if (fd >= 0 && size == 0)
    return TRUE;
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (saved_errno), "%s: %s", path,
               g_strerror (saved_errno));
  return FALSE;
}

/* The file that a symbolic link names, whether it exists or not, so that the link stays one; %NULL
 * where links go in a circle. */
static char *
follow_links (const char *path)
{
  g_autofree char *target = g_strdup (path);

  for (guint i = 0; i < MAX_LINKS; i++)
    {
      g_autofree char *link = g_file_read_link (target, NULL);
      g_autofree char *directory = g_path_get_dirname (target);

      if (link == NULL)
        return g_steal_pointer (&target);
      g_free (target);
      target = g_path_is_absolute (link) ? g_steal_pointer (&link)
                                         : g_build_filename (directory, link, NULL);
    }
  return NULL;
}

/**
 * Target:
 * @path: (nullable): the file to write, which a symbolic link may name; %NULL for what is no file
 *   and is written through
 * @mode: of the file
 */
typedef struct
{
  char *path;
  int mode;
} Target;

/* What is write-protected is refused, although renaming over it would be possible; so is what the
 * program reads. */
static gboolean
find_target (const char  *path,
             Target      *target,
             GError     **error)
{
  struct stat status;
  int saved_errno = 0;

  target->path = NULL;
  target->mode = 0666;
  if (stat (path, &status) == 0)
    {
      if (S_ISDIR (status.st_mode))
        {
          g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_ISDIR,
                       _("%s: a directory found, expected a file to write"), path);
          return FALSE;
        }
      if (!S_ISREG (status.st_mode))
        return TRUE;
      g_autofree char *source = attn_file_list_find (path);
      if (source != NULL)
        {
          g_set_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT,
                       _("%s: %s found, which is being read, expected another file to write"), path,
                       source);
          return FALSE;
        }
      target->mode = status.st_mode & 0777;
      if (faccessat (AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
        saved_errno = errno;
    }
  if (saved_errno == 0)
    target->path = follow_links (path);
  if (target->path != NULL)
    return TRUE;
  if (saved_errno == 0)
    saved_errno = ELOOP;
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (saved_errno), "%s: %s", path,
               g_strerror (saved_errno));
  return FALSE;
}

/* What the system says, without the names of files that GLib puts before it. */
static const char *
get_reason (const GError *error)
{
  const char *colon = g_strrstr (error->message, ": ");

  return colon != NULL ? colon + strlen (": ") : error->message;
}

/**
 * attn_save_check:
 * @path: the target
 * @error: return location, as for [func@attn_save_bytes]
 *
 * Returns: whether nothing that stands at @path keeps it from being written
 */
gboolean
attn_save_check (const char  *path,
                 GError     **error)
{
  Target target;

  if (!find_target (path, &target, error))
    return FALSE;
  g_free (target.path);
  return TRUE;
}

/**
 * attn_save_bytes:
 * @path: the target; a file there is replaced unless it is write-protected, a device or pipe is
 *   written to
 * @bytes: what the file will hold
 * @error: return location: #GFileError, %ATTN_ERROR_ARGUMENT for a file that an #AttnFileList has;
 *   the message begins with @path
 *
 * Writes beside the target and renames over it, so that no reader ever sees half a file and a
 * failure leaves what was there. A file that is replaced keeps its mode, but for the umask.
 */
gboolean
attn_save_bytes (const char  *path,
                 GBytes      *bytes,
                 GError     **error)
{
  g_autoptr (GError) local_error = NULL;
  Target target;
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  if (!find_target (path, &target, error))
    return FALSE;
  if (target.path == NULL)
    return write_through (path, data, size, error);

  g_autofree char *file = target.path;
  if (g_file_set_contents_full (file, (const char *) data, size, G_FILE_SET_CONTENTS_CONSISTENT,
                                target.mode, &local_error))
    return TRUE;
  g_set_error (error, local_error->domain, local_error->code, "%s: %s", path,
               get_reason (local_error));
  return FALSE;
}

/**
 * attn_save_move:
 * @source: a file
 * @path: where it is to be, as in [func@attn_save_bytes]
 * @error: return location, as for [func@attn_save_bytes]
 *
 * Renames if both are on one file system.
 */
gboolean
attn_save_move (const char  *source,
                const char  *path,
                GError     **error)
{
  Target target;
  char *data;
  gsize size;

  if (!find_target (path, &target, error))
    return FALSE;
  g_autofree char *file = target.path;
  if (file != NULL && g_rename (source, file) == 0)
    return TRUE;
  if (!g_file_get_contents (source, &data, &size, error))
    return FALSE;
  g_autoptr (GBytes) bytes = g_bytes_new_take (data, size);
  if (!attn_save_bytes (path, bytes, error))
    return FALSE;
  g_unlink (source);
  return TRUE;
}
