/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-save.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attn-error.h"
#include "attn-file.h"

/* The most symbolic links that are followed one after the other, as in Linux. */
#define MAX_LINKS 40

/**
 * Target:
 * @path: (nullable): the regular file to write, with symbolic links followed; %NULL for a device or
 *   pipe, which is written to directly
 * @mode: the permissions of the file
 * @is_replaced: whether a file with content is replaced: its new content must be on the disk
 *   before, so that a power failure does not lose both
 */
typedef struct
{
  char *path;
  int mode;
  gboolean is_replaced;
} Target;

/* Writes all bytes to a file. On failure returns FALSE and sets errno. */
static gboolean
write_bytes (int           fd,
             const guint8 *data,
             gsize         size)
{
  while (size > 0)
    {
      gssize n_written = write (fd, data, size);

      if (n_written < 0 && errno == EINTR)
        continue;
      if (n_written < 0)
        return FALSE;
      data += n_written;
      size -= n_written;
    }
  return TRUE;
}

/* Closes a file. Returns FALSE if the operation before has failed (@is_done is FALSE), with errno
 * of that operation, or if closing fails, with errno of closing. */
static gboolean
close_after (int      fd,
             gboolean is_done)
{
  int saved_errno = errno;

  if (fd >= 0 && close (fd) != 0 && is_done)
    return FALSE;
  errno = saved_errno;
  return is_done;
}

/* Writes data directly to a device or pipe, such as /dev/stdout. Renaming a file to its path, as
 * for other files, would replace the device. */
static gboolean
write_through (const char    *path,
               const guint8  *data,
               gsize          size,
               GError       **error)
{
  int fd = g_open (path, O_WRONLY | O_CLOEXEC, 0);

  return close_after (fd, fd >= 0 && write_bytes (fd, data, size)) ||
         attn_fail_from_errno (error, path, errno);
}

/* --- Drafts: files, and folders of them, that are not in their place yet --- * A draft is removed
 * only by the code that made it, as its name does not tell who made it. */

#define DRAFT_PREFIX ".attention-grid-"
#define DRAFT_DIGITS 6
#define N_ATTEMPTS   4

static char *
make_draft_name (void)
{
  return g_strdup_printf (DRAFT_PREFIX "%0*x", DRAFT_DIGITS, g_random_int () >> 8);
}

/* Writes a draft, a new file in the same folder, and renames it to @base. If not @is_named, the
 * draft gets its name only when it is complete, so that nothing remains after a crash; not every
 * file system supports this. Sets errno on failure. */
static gboolean
write_draft (int           folder,
             const char   *base,
             gboolean      is_named,
             const Target *target,
             const guint8 *data,
             gsize         size)
{
  g_autofree char *name = make_draft_name ();
  int fd = is_named ? openat (folder, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, target->mode)
                    : openat (folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, target->mode);
  g_autofree char *descriptor = g_strdup_printf ("/proc/self/fd/%d", fd);

  if (fd < 0)
    return FALSE;
  gboolean is_done =
      write_bytes (fd, data, size) && (!target->is_replaced || fsync (fd) == 0) &&
      (is_named || linkat (AT_FDCWD, descriptor, folder, name, AT_SYMLINK_FOLLOW) == 0) &&
      renameat (folder, name, folder, base) == 0;
  int saved_errno = errno;
  if (!is_done)
    unlinkat (folder, name, 0);
  errno = saved_errno;
  return close_after (fd, is_done);
}

/* Replaces the target file by a file with @data, or makes it. On failure returns FALSE and sets
 * errno. */
static gboolean
replace (const Target *target,
         const guint8 *data,
         gsize         size)
{
  g_autofree char *directory = g_path_get_dirname (target->path);
  g_autofree char *base = g_path_get_basename (target->path);
  int folder = g_open (directory, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);

  if (folder < 0)
    return FALSE;
  gboolean is_done = write_draft (folder, base, FALSE, target, data, size);
  /* Not every file system has drafts without a name, so the second attempt uses a name; further
   * attempts follow only if a file has that name already. */
  for (guint i = 0; i < N_ATTEMPTS && !is_done && (i == 0 || errno == EEXIST); i++)
    is_done = write_draft (folder, base, TRUE, target, data, size);
  return close_after (folder, is_done);
}

/* Returns the path that symbolic links lead to, so that this file is replaced and not the link. The
 * file need not exist. Returns %NULL if the links form a cycle. */
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

/* Determines which file to write for @path. Fails if that file is write-protected, although
 * renaming another over it would be possible, or if the program is reading it. */
static gboolean
find_target (const char  *path,
             Target      *target,
             GError     **error)
{
  struct stat status;
  int saved_errno = 0;

  *target = (Target) { .mode = 0666 };
  /* If stat() fails, as for a link that the kernel refuses to follow, links are not followed here
   * either. This protects against links of other users in folders that everyone can write to. */
  if (stat (path, &status) != 0)
    saved_errno = errno != ENOENT ? errno : 0;
  else
    {
      g_autofree char *where = g_filename_display_name (path);

      if (S_ISDIR (status.st_mode))
        {
          g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_ISDIR,
                       _("%s: a directory found, expected a file to write"), where);
          return FALSE;
        }
      if (!S_ISREG (status.st_mode))
        return TRUE;
      g_autofree char *source = attn_file_list_find (path);
      if (source != NULL)
        {
          g_autofree char *other = g_filename_display_name (source);
          return attn_fail (error, ATTN_ERROR_ARGUMENT,
                            _("%s: %s found, which is being read, expected another file to write"),
                            where, other);
        }
      target->mode = status.st_mode & 0777;
      target->is_replaced = status.st_size > 0;
      if (faccessat (AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
        saved_errno = errno;
    }
  if (saved_errno == 0)
    target->path = follow_links (path);
  if (target->path != NULL)
    return TRUE;
  if (saved_errno == 0)
    saved_errno = ELOOP;
  return attn_fail_from_errno (error, path, saved_errno);
}

/**
 * attn_save_check:
 * @path: the file to be written
 * @error: return location, as for [func@attn_save_bytes]
 *
 * Returns: whether @path can be written as far as can be told before: it is no directory, and no
 *   file that is write-protected or being read
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
 * @path: the file to write. A file that exists is replaced unless it is write-protected; a device
 *   or pipe is written to.
 * @bytes: what the file will hold
 * @error: return location: #GFileError, %ATTN_ERROR_ARGUMENT for a file that an #AttnFileList has;
 *   the message begins with @path
 *
 * Writes a new file in the same folder and renames it to @path, so that no reader ever sees half a
 * file, and on failure the old file stays. A file that is replaced keeps its permissions, except
 * those that the umask removes.
 */
gboolean
attn_save_bytes (const char  *path,
                 GBytes      *bytes,
                 GError     **error)
{
  Target target;
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  if (!find_target (path, &target, error))
    return FALSE;
  if (target.path == NULL)
    return write_through (path, data, size, error);

  g_autofree char *file = target.path;
  return replace (&target, data, size) || attn_fail_from_errno (error, path, errno);
}

/**
 * attn_save_move:
 * @source: a file, which is gone afterwards
 * @path: its new path; a file there is treated as by [func@attn_save_bytes]
 * @error: return location, as for [func@attn_save_bytes]
 *
 * Moves a file: renames it if both paths are on one file system, otherwise copies its content and
 * removes it.
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

/**
 * attn_save_make_folder:
 * @path: the path of the file, or the first of the files, that will be written
 * @error: return location for a #GFileError whose message begins with @path
 *
 * Returns: (transfer full) (nullable): the path of a new, hidden folder beside @path. Files are
 *   written to it and moved to their places by [func@attn_save_move] when all are complete; then
 *   [func@attn_save_remove_folder] removes it.
 */
char *
attn_save_make_folder (const char  *path,
                       GError     **error)
{
  g_autofree char *directory = g_path_get_dirname (path);

  for (guint i = 0;; i++)
    {
      g_autofree char *name = make_draft_name ();
      g_autofree char *folder = g_build_filename (directory, name, NULL);

      if (g_mkdir (folder, 0700) == 0)
        return g_steal_pointer (&folder);
      if (errno != EEXIST || i == N_ATTEMPTS)
        {
          attn_fail_from_errno (error, path, errno);
          return NULL;
        }
    }
}

/**
 * attn_save_remove_folder:
 * @folder: (transfer full): the path that [func@attn_save_make_folder] has returned
 *
 * Removes the folder and the files that are left in it. If a symbolic link has taken its place, the
 * folder that the link leads to is not touched.
 */
void
attn_save_remove_folder (char *folder)
{
  int fd = g_open (folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
  DIR *dir = fd >= 0 ? fdopendir (fd) : NULL;
  const struct dirent *entry;

  while (dir != NULL && (entry = readdir (dir)) != NULL)
    unlinkat (fd, entry->d_name, 0);
  if (dir != NULL)
    closedir (dir);
  g_rmdir (folder);
  g_free (folder);
}
