/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-map.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attn-error.h"

static void
set_error_from_errno (GError     **error,
                      const char  *path,
                      int          code)
{
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code), "%s: %s", path,
               g_strerror (code));
}

static gboolean
check_is_regular (int          fd,
                  const char  *path,
                  GError     **error)
{
  struct stat status;

  if (fstat (fd, &status) != 0)
    {
      set_error_from_errno (error, path, errno);
      return FALSE;
    }
  if (S_ISDIR (status.st_mode))
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_ISDIR,
                   _("%s: a directory found, expected a file"), path);
      return FALSE;
    }
  if (!S_ISREG (status.st_mode))
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                   _("%s: a device or pipe found, expected a regular file"), path);
      return FALSE;
    }
  if (status.st_size == 0)
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT,
                   _("%s: an empty file found, expected content"), path);
      return FALSE;
    }
  return TRUE;
}

/**
 * attn_map_file:
 * @path: a regular file that is not empty
 * @error: return location: #GFileError, or %ATTN_ERROR_FORMAT for an empty file
 *
 * Returns: (transfer full) (nullable): the file, mapped; the bytes and every slice of them keep the
 *   mapping alive
 */
GBytes *
attn_map_file (const char  *path,
               GError     **error)
{
  g_autoptr (GMappedFile) mapped = NULL;
  g_autoptr (GError) local_error = NULL;
  /* Not blocking: opening a pipe that nobody writes to would wait for ever. */
  int fd = g_open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);

  if (fd < 0)
    {
      set_error_from_errno (error, path, errno);
      return NULL;
    }
  if (check_is_regular (fd, path, error))
    {
      mapped = g_mapped_file_new_from_fd (fd, FALSE, &local_error);
      if (mapped == NULL)
        g_set_error (error, local_error->domain, local_error->code, "%s: %s", path,
                     local_error->message);
    }
  close (fd);
  return mapped != NULL ? g_mapped_file_get_bytes (mapped) : NULL;
}
