/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-memory.h"

#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "attn-error.h"

/* Requests of at least these sizes are compared with the address space left (MEDIUM), and with the
 * free memory of the machine (LARGE), which takes about 100 us to determine. */
#define MEDIUM ((gsize) 1 << 20)
#define LARGE  ((gsize) 16 << 20)

#define SMALLEST_PAGE ((gsize) 4096)

/* If the address space is limited, requests leave this much of it, in addition to the share of
 * OpenBLAS, to allocations that cannot fail cleanly, such as thread stacks and small blocks. */
#define HEADROOM ((gsize) 128 << 20)

/* Sizes stored as pointers, which GLib can access atomically. */
static gpointer memory_limit; /* 0 for the default */
static gpointer n_bytes_taken;

/* Names of the files of a control group. Versions 1 and 2 of the interface can be mounted at the
 * same time. */
typedef struct
{
  const char *mount;
  const char *limit;
  const char *used;
  const char *caches[2]; /* lines of memory.stat */
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

/* Returns the number after the first @key in a text, or @fallback if there is none, as in "max". */
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

/* Returns what stands in a file, or NULL if it cannot be read. */
static char *
read_text (const char *directory,
           const char *file)
{
  g_autofree char *path = g_build_filename (directory, file, NULL);
  char *text = NULL;

  return g_file_get_contents (path, &text, NULL, NULL) ? text : NULL;
}

/* Reads the number that a file begins with. */
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

/* Reduces @room to the limits of the control group at @path and its parent groups. In a container
 * @path may be that of the host and not exist; then only the limits of the mount itself apply. */
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
 * @root: the directory with proc and sys, "/"
 *
 * Returns: the memory that the machine has for the process: RAM, and swap in what is free, unless a
 *   control group, version 1 or 2, or one around it, allows less
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
      /* NUMBER:CONTROLLER,CONTROLLER:/PATH; version 2 lists no controllers */
      g_auto (GStrv) parts = g_strsplit (*line, ":", 3);

      if (g_strv_length (parts) == 3 && strstr (parts[1], "memory") != NULL)
        narrow_to_group (&room, root, &first_version, parts[2]);
      else if (g_strv_length (parts) == 3 && *parts[1] == '\0')
        narrow_to_group (&room, root, &second_version, parts[2]);
    }
  return room;
}

/* Returns the address space of the process and what is left of it: RLIMIT_AS. */
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

/* Returns three quarters of the machine's memory; the rest is for the desktop and mapped pages. The
 * memory currently free is not considered, since the limit can affect the rounding of results. */
static gsize
get_default_limit (void)
{
  static gsize limit; /* 0 until it is known */

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
 * Returns: the most bytes that one request may take; three quarters of the least of the machine's
 *   memory, the control group's and the address space, unless [func@attn_memory_set_limit] said
 *   otherwise. Any thread may call.
 */
gsize
attn_memory_get_limit (void)
{
  gsize limit = GPOINTER_TO_SIZE (g_atomic_pointer_get (&memory_limit));

  return limit != 0 ? limit : get_default_limit ();
}

/**
 * attn_memory_set_limit:
 * @n_bytes: the limit, or 0 for the default
 */
void
attn_memory_set_limit (gsize n_bytes)
{
  g_atomic_pointer_set (&memory_limit, GSIZE_TO_POINTER (n_bytes));
}

/**
 * attn_memory_count:
 * @n_bytes: of a large block that was taken; less than 0 for one that was given back
 *
 * Keeps count of what requests have been promised. Any thread may call.
 */
void
attn_memory_count (gssize n_bytes)
{
  g_atomic_pointer_add (&n_bytes_taken, n_bytes);
}

/**
 * attn_memory_get_address_space:
 *
 * Returns: the bytes of address space that the process may take, as by `ulimit -v`; %G_MAXSIZE
 *   without a limit. Any thread may call.
 */
gsize
attn_memory_get_address_space (void)
{
  return get_address_space ().n_all;
}

/* Returns the largest request that is allowed now, for a request of @n_bytes. */
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
      gsize n_all = room.n_all / 8 * 7; /* the rest is for what is not counted */

      /* Memory taken but not yet written to is not counted by the system, so it is subtracted
       * here. */
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
 * @n_bytes: bytes about to be taken
 * @what: what for, as it stands in the message, such as "the attention weights"
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * Returns: whether @n_bytes are within the limit and can be had at the moment
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
 * @n_bytes: address space about to be taken by a library that can do nothing without
 * @what: what for, as it stands in the message
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * Returns: whether it is left, whatever memory the machine has
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
 * @n_bytes: what the system refused although [func@attn_memory_check] had allowed it
 * @what: what for
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
 * @what: what for, as it stands in the message
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * Returns: (transfer full) (nullable): memory for g_free(), also of 0 bytes; %NULL only with an
 *   error
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
      /* Writes to each page, so that the system counts it before the next request. */
      for (gsize i = 0; memory != NULL && n_bytes >= LARGE && i < n_bytes; i += SMALLEST_PAGE)
        ((volatile guint8 *) memory)[i] = 0;
    }
  return memory;
}
