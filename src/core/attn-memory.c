/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-memory.h"

#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "attn-error.h"

/* Requests of at least so many bytes are compared with the address space that is left to the
 * process (MEDIUM), and with the free memory of the machine (LARGE), which takes about 100 us to
 * determine. */
#define MEDIUM ((gsize) 1 << 20)
#define LARGE  ((gsize) 16 << 20)

#define SMALLEST_PAGE ((gsize) 4096)

/* The bytes of a limited address space that requests must leave free, in addition to the share of
 * OpenBLAS. They are for allocations that cannot fail cleanly, such as thread stacks and small
 * blocks. */
#define HEADROOM ((gsize) 128 << 20)

/* Numbers of bytes stored as pointers, which GLib can access atomically. */
static gpointer memory_limit; /* 0 for the default */
static gpointer n_bytes_taken;

/* Names of the kernel's files with the memory limit and use of a control group (a container, for
 * example). Versions 1 and 2 of this interface can be mounted at the same time. */
typedef struct
{
  const char *mount;
  const char *limit;
  const char *used;
  const char *caches[2]; /* names of lines in memory.stat whose bytes are only cached */
} GroupFiles;

static const GroupFiles first_version = {
  "sys/fs/cgroup/memory",
  "memory.limit_in_bytes",
  "memory.usage_in_bytes",
  { "\ntotal_inactive_file ", "\ntotal_active_file " },
};

static const GroupFiles second_version = {
  "sys/fs/cgroup",
  "memory.max",
  "memory.current",
  { "\ninactive_file ", "\nactive_file " },
};

/* Returns the number after the first @key in a text, or @fallback if the key has no number, as in
 * "max". */
static gsize
find_number (const char *text,
             const char *key,
             gsize       fallback)
{
  const char *found = text != NULL ? strstr (text, key) : NULL;
  char *end;

  if (found == NULL)
    return fallback;

  const char *digits = found + strlen (key);
  guint64 number = g_ascii_strtoull (digits, &end, 10);
  return end != digits ? (gsize) MIN (number, G_MAXSIZE) : fallback;
}

/* Returns the content of a file of the kernel, or NULL if it cannot be read. */
static char *
read_text (const char *directory,
           const char *file)
{
  g_autofree char *path = g_build_filename (directory, file, NULL);
  char *text = NULL;

  return g_file_get_contents (path, &text, NULL, NULL) ? text : NULL;
}

/* Returns the number that a file of the kernel begins with, or @fallback if there is none. */
static gsize
read_number (const char *directory,
             const char *file,
             gsize       fallback)
{
  g_autofree char *text = read_text (directory, file);

  return find_number (text, "", fallback);
}

static void
narrow (AttnMemoryRoom *room,
        gsize           n_all,
        gsize           n_used)
{
  room->n_all = MIN (room->n_all, n_all);
  room->n_free = MIN (room->n_free, n_all - MIN (n_used, n_all));
}

/* Reduces @room to the limits of the control group at @path and its parent groups. In a container,
 * @path can be a path of the host, which does not exist there; then only the limits of the mount
 * point itself apply. */
static void
narrow_to_group (AttnMemoryRoom   *room,
                 const char       *root,
                 const GroupFiles *files,
                 const char       *path)
{
  g_autofree char *mount = g_build_filename (root, files->mount, NULL);
  g_autofree char *directory = g_build_filename (mount, path, NULL);

  while (strlen (directory) >= strlen (mount))
    {
      char *parent = g_path_get_dirname (directory);
      gsize n_all = read_number (directory, files->limit, G_MAXSIZE);
      gsize n_used = n_all != G_MAXSIZE ? read_number (directory, files->used, 0) : 0;
      g_autofree char *statistics = n_used > 0 ? read_text (directory, "memory.stat") : NULL;

      for (gsize i = 0; i < G_N_ELEMENTS (files->caches); i++)
        {
          gsize n_cached = find_number (statistics, files->caches[i], 0);

          n_used -= MIN (n_used, n_cached);
        }
      narrow (room, n_all, n_used);
      g_free (directory);
      directory = parent;
    }
}

/**
 * attn_memory_get_system:
 * @root: the directory that contains proc and sys: "/", except in tests
 *
 * Returns: the memory that the machine has for this process: all RAM, and what is free of RAM and
 *   swap; less if the control group of the process, or one around it, allows less
 */
AttnMemoryRoom
attn_memory_get_system (const char *root)
{
  g_autofree char *groups_path = g_build_filename (root, "proc", "self", "cgroup", NULL);
  g_autofree char *groups = NULL;
  AttnMemoryRoom room = { G_MAXSIZE, G_MAXSIZE };
  g_autofree char *memory = read_text (root, "proc/meminfo");
  gsize n_kilobytes = find_number (memory, "MemTotal:", 0);

  if (n_kilobytes > 0)
    {
      gsize n_available = find_number (memory, "\nMemAvailable:", n_kilobytes);

      room.n_all = n_kilobytes * 1024;
      room.n_free = (n_available + find_number (memory, "\nSwapFree:", 0)) * 1024;
    }
  if (!g_file_get_contents (groups_path, &groups, NULL, NULL))
    return room;

  g_auto (GStrv) lines = g_strsplit (groups, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    {
      /* A line is NUMBER:CONTROLLER,CONTROLLER:/PATH; for version 2 it lists no controllers. */
      g_auto (GStrv) parts = g_strsplit (*line, ":", 3);

      if (g_strv_length (parts) == 3 && strstr (parts[1], "memory") != NULL)
        narrow_to_group (&room, root, &first_version, parts[2]);
      else if (g_strv_length (parts) == 3 && *parts[1] == '\0')
        narrow_to_group (&room, root, &second_version, parts[2]);
    }
  return room;
}

/* Returns the limit of the process's address space (RLIMIT_AS) and the bytes of it that are
 * left. */
static AttnMemoryRoom
get_address_space (void)
{
  AttnMemoryRoom room = { G_MAXSIZE, G_MAXSIZE };
  struct rlimit limit;

  if (getrlimit (RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    narrow (&room, limit.rlim_cur,
            read_number ("/proc/self", "statm", 0) * (gsize) sysconf (_SC_PAGESIZE));
  return room;
}

/* Returns three quarters of the machine's memory in bytes; the rest is for the desktop and mapped
 * files. The memory that is free at the moment is not considered: the limit can affect the rounding
 * of results, which must not change from run to run. */
static gsize
get_default_limit (void)
{
  static gsize limit; /* memory limit in bytes; 0 until it is determined */

  if (g_once_init_enter (&limit))
    {
      gsize n_all =
          MIN (attn_memory_get_system ("/").n_all, attn_memory_get_address_space ());

      g_once_init_leave (&limit,
                         n_all != G_MAXSIZE ? MAX (n_all / 4 * 3, 1) : (gsize) 4 << 30);
    }
  return limit;
}

/**
 * attn_memory_get_limit:
 *
 * Returns: the most bytes that one request may take: what [func@attn_memory_set_limit] has set, or
 *   three quarters of the machine's memory, or of the control group's or the address space if that
 *   is less. Any thread may call.
 */
gsize
attn_memory_get_limit (void)
{
  gsize limit = GPOINTER_TO_SIZE (g_atomic_pointer_get (&memory_limit));

  return limit != 0 ? limit : get_default_limit ();
}

/**
 * attn_memory_set_limit:
 * @n_bytes: the most bytes that one request may take, or 0 for the default
 */
void
attn_memory_set_limit (gsize n_bytes)
{
  g_atomic_pointer_set (&memory_limit, GSIZE_TO_POINTER (n_bytes));
}

/**
 * attn_memory_count:
 * @n_bytes: the size of a large block that was allocated; negative for one that was freed
 *
 * Keeps count of the bytes that are allocated in large blocks, so that [func@attn_memory_check] can
 * subtract them. Any thread may call.
 */
void
attn_memory_count (gssize n_bytes)
{
  g_atomic_pointer_add (&n_bytes_taken, n_bytes);
}

/**
 * attn_memory_get_address_space:
 *
 * Returns: the limit of the process's address space in bytes, such as `ulimit -v` sets; %G_MAXSIZE
 *   without a limit. Any thread may call.
 */
gsize
attn_memory_get_address_space (void)
{
  return get_address_space ().n_all;
}

/* Returns the most bytes that a request can have now. @n_bytes: the size of the request; for a
 * small one fewer limits are looked at, since that takes time */
static gsize
get_most (gsize n_bytes)
{
  AttnMemoryRoom space = get_address_space ();
  gsize most = attn_memory_get_limit ();

  if (n_bytes >= MEDIUM && space.n_all != G_MAXSIZE)
    {
      gsize n_left = HEADROOM + space.n_all / ATTN_MEMORY_BLAS_SHARE;

      most = MIN (most, space.n_free - MIN (space.n_free, n_left));
    }
  if (n_bytes >= LARGE)
    {
      AttnMemoryRoom room = attn_memory_get_system ("/");
      gsize n_taken = GPOINTER_TO_SIZE (g_atomic_pointer_get (&n_bytes_taken));
      gsize n_all = room.n_all / 8 * 7; /* an eighth of all memory is for memory that is not
                                         * counted */

      /* The system does not count memory as used that is allocated but not yet written to, so large
       * blocks are subtracted here. */
      most = MIN (most, MIN (room.n_free, n_all - MIN (n_taken, n_all)));
    }
  return most;
}

static gboolean
compare (gsize        n_bytes,
         gsize        most,
         const char  *what,
         GError     **error)
{
  if (n_bytes <= most)
    return TRUE;

  g_autofree char *needed = g_format_size (n_bytes);
  g_autofree char *allowed = g_format_size (most);
  return attn_fail (error, ATTN_ERROR_MEMORY, _("%s: %s of memory needed, expected at most %s"),
                    what, needed, allowed);
}

/**
 * attn_memory_check:
 * @n_bytes: bytes about to be allocated
 * @what: their purpose in the message, such as "the attention weights"
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * Returns: whether @n_bytes are within the limit and the machine has them free at the moment
 */
gboolean
attn_memory_check (gsize        n_bytes,
                   const char  *what,
                   GError     **error)
{
  return compare (n_bytes, get_most (n_bytes), what, error);
}

/**
 * attn_memory_check_address_space:
 * @n_bytes: address space about to be taken by a library, such as OpenBLAS, that cannot work
 *   without it
 * @what: the purpose of the memory, named in the message
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * Returns: whether the process has so much address space left; the memory of the machine is not
 *   looked at
 */
gboolean
attn_memory_check_address_space (gsize        n_bytes,
                                 const char  *what,
                                 GError     **error)
{
  return compare (n_bytes, get_address_space ().n_free, what, error);
}

/**
 * attn_memory_fail:
 * @n_bytes: the size of a request that the system refused although [func@attn_memory_check] had
 *   allowed it
 * @what: the purpose of the memory, named in the message
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * Returns: %FALSE
 */
gboolean
attn_memory_fail (gsize        n_bytes,
                  const char  *what,
                  GError     **error)
{
  g_autofree char *needed = g_format_size (n_bytes);

  return attn_fail (error, ATTN_ERROR_MEMORY,
                    _("%s: %s of memory needed, expected that the machine has it free"), what,
                    needed);
}

/**
 * attn_memory_try_alloc:
 * @what: the purpose of the memory, named in the message
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * Returns: (transfer full) (nullable): memory to be freed by g_free(), also for 0 bytes; %NULL only
 *   with @error set
 */
gpointer
attn_memory_try_alloc (gsize        n_bytes,
                       const char  *what,
                       GError     **error)
{
  gpointer memory = NULL;

  if (attn_memory_check (n_bytes, what, error))
    {
      memory = g_try_malloc (MAX (n_bytes, 1));
      if (memory == NULL)
        attn_memory_fail (n_bytes, what, error);
      /* Writes to each page, so that the system counts the page as used before the next request. */
      for (gsize i = 0; memory != NULL && n_bytes >= LARGE && i < n_bytes; i += SMALLEST_PAGE)
        ((volatile guint8 *) memory)[i] = 0;
    }
  return memory;
}
