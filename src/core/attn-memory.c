/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-memory.h"

#include <glib/gi18n-lib.h>
#include <unistd.h>

#include "attn-error.h"

/* A size in a pointer, which GLib reads and writes atomically; 0 stands for the default. */
static gpointer memory_limit;

/* Three quarters of the machine: the rest is for the desktop and for mapped pages. */
static gsize
get_default_limit (void)
{
  long n_pages = sysconf (_SC_PHYS_PAGES);
  long page_size = sysconf (_SC_PAGESIZE);

  if (n_pages <= 0 || page_size <= 0)
    return (gsize) 4 << 30;
  return (gsize) n_pages / 4 * 3 * (gsize) page_size;
}

/**
 * attn_memory_get_limit:
 *
 * Returns: the most bytes that one request may take; three quarters of the machine's memory unless
 *   [func@attn_memory_set_limit] said otherwise. Any thread may call.
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
 * attn_memory_check:
 * @n_bytes: bytes about to be taken
 * @what: what for, as it stands in the message, such as "the attention weights"
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * Returns: whether @n_bytes is within the limit
 */
gboolean
attn_memory_check (gsize        n_bytes,
                   const char  *what,
                   GError     **error)
{
  gsize limit = attn_memory_get_limit ();

  if (n_bytes <= limit)
    return TRUE;

  g_autofree char *needed = g_format_size (n_bytes);
  g_autofree char *allowed = g_format_size (limit);
  return attn_fail (error, ATTN_ERROR_MEMORY, _("%s: %s of memory needed, expected at most %s"),
                    what, needed, allowed);
}
