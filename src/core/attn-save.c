/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-save.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

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
 * attn_save_bytes:
 * @path: the target; a file there is replaced, a device or pipe is written to
 * @bytes: what the file will hold
 * @error: return location for a #GFileError whose message begins with @path
 *
 * Writes beside the target and renames over it, so that no reader ever sees half a file and a
 * failure leaves what was there.
 */
gboolean
attn_save_bytes (const char  *path,
                 GBytes      *bytes,
                 GError     **error)
{
  g_autoptr (GError) local_error = NULL;
  g_autofree char *target = NULL;
  struct stat status;
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  if (stat (path, &status) == 0)
    {
      if (S_ISDIR (status.st_mode))
        {
          g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_ISDIR,
                       _("%s: a directory found, expected a file to write"), path);
          return FALSE;
        }
      if (!S_ISREG (status.st_mode))
        return write_through (path, data, size, error);
    }

  target = follow_links (path);
  if (target == NULL)
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_LOOP, "%s: %s", path, g_strerror (ELOOP));
      return FALSE;
    }
  if (g_file_set_contents_full (target, (const char *) data, size, G_FILE_SET_CONTENTS_CONSISTENT,
                                0666, &local_error))
    return TRUE;
  g_set_error (error, local_error->domain, local_error->code, "%s: %s", path, local_error->message);
  return FALSE;
}
