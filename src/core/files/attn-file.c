/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reads files, and detects those that change meanwhile. The size and times of a file that is read
 * into memory are compared before and after; those of a mapped file whenever a caller asks. If a
 * mapped file becomes shorter, an access to its missing pages raises the signal SIGBUS, whose
 * handler replaces the mapping by zeros and records that. */

#include "config.h"

#include "attn-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attn-error.h"
#include "attn-memory.h"
#include "attn-text.h"

/* The most bytes of a text file. The largest vocabularies of models have tens of megabytes. */
#define MAX_TEXT ((gsize) 1 << 30)

typedef struct _Mapping Mapping;

/**
 * File:
 * @path: as the caller gave it
 * @status: size, times and the like when the file was opened
 * @fd: an open descriptor while the file is mapped, otherwise -1
 * @mapping: (nullable): %NULL unless the file is mapped
 *
 * A file that was read or mapped; in an atomically reference-counted box.
 */
typedef struct
{
  char *path;
  struct stat status;
  int fd;
  Mapping *mapping;
} File;

/**
 * Mapping:
 * @next: (nullable): the record that was made before this one
 * @start: address of the first byte; %NULL while nothing is mapped
 * @n_bytes: the size of the file when it was mapped
 * @is_broken: whether zeros have replaced the content, since the file became shorter
 * @file: (nullable): the file that is mapped
 *
 * The record of a mapped file. It is never freed but used again for another: the signal handler,
 * which must not wait for a lock, walks along all records.
 */
struct _Mapping
{
  Mapping *next;
  guint8 *start;
  gsize n_bytes;
  int is_broken;
  File *file;
};

/**
 * AttnFileList:
 * @outer: (nullable): the list begun earlier in the same thread, to which the files of this list
 *   are added, too
 * @files: element-type File
 */
struct _AttnFileList
{
  AttnFileList *outer;
  GPtrArray *files;
};

static Mapping *mappings;
static struct sigaction previous_action;

static GMutex mutex;     /* lock that guards files, their mapping, and lists of files */
static GPtrArray *lists; /* element-type AttnFileList: all lists of files that exist */

static GPrivate innermost_list; /* (nullable): the AttnFileList that the thread began last */

static void
clear_file (gpointer data)
{
  File *file = data;

  g_free (file->path);
}

static void
release_file (gpointer file)
{
  g_atomic_rc_box_release_full (file, clear_file);
}

/* Makes a record of a file that was just opened, and adds it to all lists that this thread has
 * begun and not ended. */
static File *
file_new (const char        *path,
          const struct stat *status)
{
  File *file = g_atomic_rc_box_new0 (File);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);

  file->path = g_strdup (path);
  file->status = *status;
  file->fd = -1;
  for (AttnFileList *list = g_private_get (&innermost_list); list != NULL; list = list->outer)
    g_ptr_array_add (list->files, g_atomic_rc_box_acquire (file));
  return file;
}

/**
 * attn_file_dup_stamp:
 * @path: (type filename): the path of a file or directory
 *
 * Returns: (transfer full): device, inode, time of modification and size as text, to find out later
 *   whether the file has changed; "" if there is no such file
 */
char *
attn_file_dup_stamp (const char *path)
{
  GStatBuf status;

  if (g_stat (path, &status) != 0)
    return g_strdup ("");
  return g_strdup_printf ("%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GINT64_FORMAT
                          ".%09ld %" G_GINT64_FORMAT,
                          (guint64) status.st_dev, (guint64) status.st_ino,
                          (gint64) status.st_mtim.tv_sec, (long) status.st_mtim.tv_nsec,
                          (gint64) status.st_size);
}

/* Tells whether the size and times of a file are the same. The time of the status change (ctime) is
 * ignored if the number of links, the owner or the mode differs: a change of these changes the
 * ctime, but not the content. */
static gboolean
is_as_before (const struct stat *before,
              const struct stat *now)
{
  gboolean has_other_inode = before->st_nlink != now->st_nlink || before->st_mode != now->st_mode ||
                             before->st_uid != now->st_uid || before->st_gid != now->st_gid;

  return before->st_size == now->st_size && before->st_mtim.tv_sec == now->st_mtim.tv_sec &&
         before->st_mtim.tv_nsec == now->st_mtim.tv_nsec &&
         (has_other_inode || (before->st_ctim.tv_sec == now->st_ctim.tv_sec &&
                              before->st_ctim.tv_nsec == now->st_ctim.tv_nsec));
}

static gboolean
fail_changed (const char  *path,
              GError     **error)
{
  g_autofree char *where = g_filename_display_name (path);

  return attn_fail (error, ATTN_ERROR_CHANGED, _("%s: the file was changed while it was read"),
                    where);
}

/* Returns FALSE with an error if a mapped file has changed since it was mapped. Returns TRUE for a
 * file that is no longer mapped, as it is not read any more. */
static gboolean
check_file (const File  *file,
            GError     **error)
{
  struct stat now;

  return file->mapping == NULL ||
         (!g_atomic_int_get (&file->mapping->is_broken) && fstat (file->fd, &now) == 0 &&
          is_as_before (&file->status, &now)) ||
         fail_changed (file->path, error);
}

static gboolean
check_is_regular (const struct stat  *status,
                  const char         *path,
                  GError            **error)
{
  g_autofree char *where = g_filename_display_name (path);

  if (S_ISDIR (status->st_mode))
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_ISDIR,
                 _("%s: a directory found, expected a file"), where);
  else if (!S_ISREG (status->st_mode))
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                 _("%s: a device or pipe found, expected a regular file"), where);
  else if (status->st_size == 0)
    attn_set_error (error, ATTN_ERROR_FORMAT, _("%s: an empty file found, expected content"),
                    where);
  else
    return TRUE;
  return FALSE;
}

/* Opens a regular file that is not empty. Returns its descriptor, or -1 with an error for anything
 * else. */
static int
open_regular (const char   *path,
              struct stat  *status,
              GError      **error)
{
  /* Without O_NONBLOCK, opening a pipe would wait until another process opens it for writing. */
  int fd = g_open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);

  if (fd < 0 || fstat (fd, status) != 0)
    attn_fail_from_errno (error, path, errno);
  else if (check_is_regular (status, path, error))
    return fd;
  if (fd >= 0)
    close (fd);
  return -1;
}

/* --- Mapped files --- */

/* Passes a SIGBUS that no mapped file has caused to the handler that was installed before. */
static void
call_previous_handler (int        number,
                       siginfo_t *info,
                       void      *context)
{
  if ((previous_action.sa_flags & SA_SIGINFO) != 0)
    previous_action.sa_sigaction (number, info, context);
  else if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN)
    previous_action.sa_handler (number);
  else
    {
      /* Restores the default action, which ends the program: the failing access is repeated when
       * this handler returns. A signal sent by kill() has no such access and is raised again. */
      sigaction (number, &previous_action, NULL);
      if (info->si_code <= 0)
        raise (number);
    }
}

static void
bus_error_cb (int        number,
              siginfo_t *info,
              void      *context)
{
  int saved_errno = errno;
  guintptr address = (guintptr) info->si_addr;
  Mapping *mapping = info->si_code == BUS_ADRERR ? g_atomic_pointer_get (&mappings) : NULL;

  for (; mapping != NULL; mapping = mapping->next)
    {
      guint8 *start = g_atomic_pointer_get (&mapping->start);
      gsize n_bytes = (gsize) g_atomic_pointer_get (&mapping->n_bytes);

      /* Reads the start again: if it differs, the record has been used for another file meanwhile,
       * so it is not the one whose bytes were accessed: that file is still mapped. */
      if (start != NULL && address - (guintptr) start < n_bytes &&
          g_atomic_pointer_get (&mapping->start) == start)
        break;
    }
  if (mapping != NULL)
    g_atomic_int_set (&mapping->is_broken, TRUE);
  if (mapping == NULL || mmap (mapping->start, mapping->n_bytes, PROT_READ,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
    call_previous_handler (number, info, context);
  errno = saved_errno;
}

static void
install_handler (void)
{
  static gsize is_installed;

  if (g_once_init_enter (&is_installed))
    {
      struct sigaction action = { .sa_flags = SA_SIGINFO | SA_ONSTACK };

      action.sa_sigaction = bus_error_cb;
      sigemptyset (&action.sa_mask);
      sigaction (SIGBUS, &action, &previous_action);
      g_once_init_leave (&is_installed, 1);
    }
}

/* Records that a file is mapped from @start on, for the handler of SIGBUS. Takes ownership of
 * @fd. */
static void
add_mapping (File   *file,
             int     fd,
             guint8 *start)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);
  Mapping *mapping = mappings;

  while (mapping != NULL && mapping->file != NULL)
    mapping = mapping->next;
  if (mapping == NULL)
    {
      mapping = g_new0 (Mapping, 1);
      mapping->next = mappings;
      g_atomic_pointer_set (&mappings, mapping);
    }
  mapping->file = file;
  mapping->is_broken = FALSE;
  g_atomic_pointer_set (&mapping->n_bytes, (gsize) file->status.st_size);
  g_atomic_pointer_set (&mapping->start, start);
  file->mapping = mapping;
  file->fd = fd;
}

static void
unmap_cb (gpointer data)
{
  File *file = data;
  Mapping *mapping = file->mapping;

  g_mutex_lock (&mutex);
  munmap (mapping->start, mapping->n_bytes);
  g_atomic_pointer_set (&mapping->start, NULL);
  mapping->file = NULL;
  close (file->fd);
  file->fd = -1;
  file->mapping = NULL;
  g_mutex_unlock (&mutex);
  release_file (file);
}

/**
 * attn_file_map:
 * @path: a regular file that is not empty
 * @error: return location: #GFileError, or %ATTN_ERROR_FORMAT for an empty file
 *
 * Maps a file that is too large to copy into memory. If the file becomes shorter while it is
 * mapped, its bytes read as zeros, and if it is rewritten, as the new content: call
 * [func@attn_file_check] when all is read. Any thread may call.
 *
 * Returns: (transfer full) (nullable): the file's bytes. The file stays mapped as long as they or
 *   slices of them exist.
 */
GBytes *
attn_file_map (const char  *path,
               GError     **error)
{
  struct stat status;
  int fd = open_regular (path, &status, error);

  if (fd < 0)
    return NULL;
  install_handler ();
  void *start = (guint64) status.st_size > G_MAXSIZE
                    ? MAP_FAILED
                    : mmap (NULL, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (start == MAP_FAILED)
    {
      attn_fail_from_errno (error, path, ENOMEM);
      close (fd);
      return NULL;
    }

  File *file = file_new (path, &status);
  add_mapping (file, fd, start);
  return g_bytes_new_with_free_func (start, status.st_size, unmap_cb, file);
}

/**
 * attn_file_check:
 * @mapped: what [func@attn_file_map] returned
 * @error: return location for %ATTN_ERROR_CHANGED
 *
 * Returns: whether the file has had the same size and times since it was mapped, so that everything
 *   read from it until now is of one version of the file
 */
gboolean
attn_file_check (GBytes  *mapped,
                 GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);
  const guint8 *start = g_bytes_get_data (mapped, NULL);

  for (Mapping *mapping = mappings; mapping != NULL; mapping = mapping->next)
    if (mapping->start == start)
      return check_file (mapping->file, error);
  g_return_val_if_reached (TRUE);
}

/**
 * attn_file_is_mapped:
 * @bytes: any bytes
 *
 * Returns: whether @bytes are the content of a mapped file, as [func@attn_file_map] returned it, or
 *   a part of it. Any thread may call.
 */
gboolean
attn_file_is_mapped (GBytes *bytes)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);
  gsize n_bytes;
  const guint8 *data = g_bytes_get_data (bytes, &n_bytes);

  for (Mapping *mapping = mappings; mapping != NULL && n_bytes > 0; mapping = mapping->next)
    if (mapping->start != NULL && data >= mapping->start &&
        data + n_bytes <= mapping->start + mapping->n_bytes)
      return TRUE;
  return FALSE;
}

/**
 * attn_file_expect:
 * @start: (array length=n_bytes): a part of the bytes that [func@attn_file_map] returned
 *
 * Has the system begin to read these bytes of a mapped file. Several parts that are announced in
 * this way are read at the same time. Without it, an access would also read the bytes around a
 * part, which can be megabytes.
 */
void
attn_file_expect (const void *start,
                  gsize       n_bytes)
{
  gsize n_before = GPOINTER_TO_SIZE (start) % (gsize) sysconf (_SC_PAGESIZE);

  madvise ((guint8 *) start - n_before, n_bytes + n_before, MADV_WILLNEED);
}

/* --- Files in memory --- */

/* Reads up to @n_bytes from a file. Returns the number of bytes read, which is smaller than
 * @n_bytes only at the end of the file, or -1 with errno set. */
static gssize
read_bytes (int     fd,
            guint8 *data,
            gsize   n_bytes)
{
  gsize n_done = 0;

  while (n_done < n_bytes)
    {
      gssize n = read (fd, data + n_done, n_bytes - n_done);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return -1;
      if (n == 0)
        break;
      n_done += n;
    }
  return n_done;
}

/**
 * attn_file_begins_with:
 * @start: (array length=n_bytes): at most 16 bytes
 *
 * The file is not added to any #AttnFileList, so the program may still write to it.
 *
 * Returns: whether @path is a regular file that can be read and begins with these bytes
 */
gboolean
attn_file_begins_with (const char *path,
                       const void *start,
                       gsize       n_bytes)
{
  struct stat status;
  guint8 found[16];
  int fd = open_regular (path, &status, NULL);

  g_return_val_if_fail (n_bytes <= sizeof found, FALSE);

  if (fd < 0)
    return FALSE;
  gboolean begins_so = read_bytes (fd, found, n_bytes) == (gssize) n_bytes &&
                       memcmp (found, start, n_bytes) == 0;
  close (fd);
  return begins_so;
}

/* Reads up to @max_bytes of a file into memory. @is_whole: whether a file that is larger is an
 * error, which is found before anything is read; @size: (out): the size of the file */
static GBytes *
read_file (const char  *path,
           gsize        max_bytes,
           gboolean     is_whole,
           gsize       *size,
           GError     **error)
{
  struct stat status;
  struct stat now;
  int fd = open_regular (path, &status, error);
  g_autofree char *where = g_filename_display_name (path);
  g_autofree guint8 *data = NULL;
  gssize n_read = -1;

  if (fd < 0)
    return NULL;
  *size = (gsize) MIN ((guint64) status.st_size, G_MAXSIZE);
  gsize n_bytes = MIN (*size, max_bytes);
  if (!is_whole || attn_file_check_size (path, *size, max_bytes, error))
    data = attn_memory_try_alloc (n_bytes, where, error);
  if (data != NULL)
    {
      n_read = read_bytes (fd, data, n_bytes);
      if (n_read < 0)
        attn_fail_from_errno (error, path, errno);
    }
  if (n_read >= 0 && ((gsize) n_read < n_bytes || fstat (fd, &now) != 0 ||
                      !is_as_before (&status, &now)))
    {
      fail_changed (path, error);
      n_read = -1;
    }
  close (fd);
  if (n_read < 0)
    return NULL;
  release_file (file_new (path, &status));
  return g_bytes_new_take (g_steal_pointer (&data), n_read);
}

/**
 * attn_file_read_start:
 * @path: a regular file that is not empty
 * @max_bytes: the number of bytes to read, if the file has so many
 * @size: (out): the size of the whole file in bytes
 * @error: return location: #GFileError, %ATTN_ERROR_FORMAT for an empty file, %ATTN_ERROR_MEMORY,
 *   %ATTN_ERROR_CHANGED
 *
 * Any thread may call.
 *
 * Returns: (transfer full) (nullable): a copy of the file's first bytes
 */
GBytes *
attn_file_read_start (const char  *path,
                      gsize        max_bytes,
                      gsize       *size,
                      GError     **error)
{
  return read_file (path, max_bytes, FALSE, size, error);
}

/**
 * attn_file_read:
 * @path: a regular file that is not empty
 * @max_bytes: the largest size that is allowed, in bytes
 * @error: return location: errors of [func@attn_file_read_start], and %ATTN_ERROR_LIMIT for a
 *   larger file, of which nothing is read
 *
 * Reads a file that is small enough to copy into memory, such as text. Any thread may call.
 *
 * Returns: (transfer full) (nullable): a copy of the file's bytes
 */
GBytes *
attn_file_read (const char  *path,
                gsize        max_bytes,
                GError     **error)
{
  gsize size;

  return read_file (path, max_bytes, TRUE, &size, error);
}

/**
 * attn_file_read_text:
 * @path: a regular file that is not empty
 * @error: return location: errors of [func@attn_file_read]; the limit is 1 GiB
 *
 * Reads a text file, without the byte order mark that some programs write at its beginning. Its
 * encoding is not checked. Any thread may call.
 *
 * Returns: (transfer full) (nullable): a copy of the file's bytes
 */
GBytes *
attn_file_read_text (const char  *path,
                     GError     **error)
{
  g_autoptr (GBytes) bytes = attn_file_read (path, MAX_TEXT, error);
  gsize length;

  if (bytes == NULL)
    return NULL;
  const char *text = g_bytes_get_data (bytes, &length);
  gsize mark = attn_text_get_mark (text, length);
  return g_bytes_new_from_bytes (bytes, mark, length - mark);
}

/**
 * attn_file_check_size:
 * @error: return location for %ATTN_ERROR_LIMIT
 *
 * Returns: whether @size, the bytes of the file at @path, is at most @max_bytes
 */
gboolean
attn_file_check_size (const char  *path,
                      gsize        size,
                      gsize        max_bytes,
                      GError     **error)
{
  g_autofree char *where = g_filename_display_name (path);

  if (size <= max_bytes)
    return TRUE;
  return attn_fail (error, ATTN_ERROR_LIMIT, _("%s: %zu bytes found, expected at most %zu"), where,
                    size, max_bytes);
}

/* --- Lists of files --- */

/**
 * attn_file_list_new:
 *
 * Returns: (transfer full): an empty list
 */
AttnFileList *
attn_file_list_new (void)
{
  AttnFileList *list = g_new0 (AttnFileList, 1);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);

  list->files = g_ptr_array_new_with_free_func (release_file);
  if (lists == NULL)
    lists = g_ptr_array_new ();
  g_ptr_array_add (lists, list);
  return list;
}

/**
 * attn_file_list_free:
 * @list: (transfer full) (nullable)
 *
 * The program may write to the files of the list from now on, unless another list has them too.
 */
void
attn_file_list_free (AttnFileList *list)
{
  if (list == NULL)
    return;
  g_mutex_lock (&mutex);
  g_ptr_array_remove_fast (lists, list);
  g_mutex_unlock (&mutex);
  g_ptr_array_unref (list->files);
  g_free (list);
}

/**
 * attn_file_list_begin:
 *
 * From now on until [func@attn_file_list_end], each file that this thread reads or maps is added to
 * @list. Another list can be begun before that; its files are added to both. A list must be used by
 * one thread at a time.
 */
void
attn_file_list_begin (AttnFileList *list)
{
  list->outer = g_private_get (&innermost_list);
  g_private_set (&innermost_list, list);
}

/**
 * attn_file_list_end:
 * @list: the list that this thread began last
 *
 * From now on, files that this thread reads are no longer added to @list.
 */
void
attn_file_list_end (AttnFileList *list)
{
  g_return_if_fail (g_private_get (&innermost_list) == list);

  g_private_set (&innermost_list, list->outer);
}

/**
 * attn_file_list_check:
 * @error: return location for %ATTN_ERROR_CHANGED
 *
 * Returns: whether no file of @list that is still mapped has changed since it was mapped. Any
 *   thread may call.
 */
gboolean
attn_file_list_check (const AttnFileList  *list,
                      GError             **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);

  for (guint i = 0; i < list->files->len; i++)
    if (!check_file (g_ptr_array_index (list->files, i), error))
      return FALSE;
  return TRUE;
}

/**
 * attn_file_list_find:
 * @path: the path of a file, which need not exist
 *
 * Returns: (transfer full) (nullable): the path under which any list has that file, which can
 *   differ from @path if there are links; %NULL if no list has it
 */
char *
attn_file_list_find (const char *path)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);
  struct stat target;
  struct stat status;

  if (lists == NULL || stat (path, &target) != 0)
    return NULL;
  for (guint i = 0; i < lists->len; i++)
    {
      const AttnFileList *list = g_ptr_array_index (lists, i);

      for (guint k = 0; k < list->files->len; k++)
        {
          const File *file = g_ptr_array_index (list->files, k);

          if (stat (file->path, &status) == 0 && status.st_dev == target.st_dev &&
              status.st_ino == target.st_ino)
            return g_strdup (file->path);
        }
    }
  return NULL;
}

/**
 * attn_file_list_forget:
 * @path: the path of a file that was read only in order to be rewritten
 *
 * Removes the file from all lists, so that it can be written.
 */
void
attn_file_list_forget (const char *path)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);
  struct stat target;
  struct stat status;

  if (lists == NULL || stat (path, &target) != 0)
    return;
  for (guint i = 0; i < lists->len; i++)
    {
      const AttnFileList *list = g_ptr_array_index (lists, i);

      for (guint k = list->files->len; k > 0; k--)
        {
          const File *file = g_ptr_array_index (list->files, k - 1);

          if (stat (file->path, &status) == 0 && status.st_dev == target.st_dev &&
              status.st_ino == target.st_ino)
            g_ptr_array_remove_index_fast (list->files, k - 1);
        }
    }
}
