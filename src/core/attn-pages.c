/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-pages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "attn-memory.h"

/* Blocks come straight from the system, in pages of 2 MiB if it supports them. Measured on six maps
 * of 1024 x 1024 weights, page faults of small pages took 10 ms, five times as long as computing
 * the maps. Clearing large pages still took a third of a forward pass over 1024 tokens that keeps
 * all weights. So freed blocks are kept for the next request of the same size, since every position
 * of a slider requests the same sizes. Once enough younger blocks for one position of a slider are
 * kept, the pages of an older block are offered to the system (MADV_FREE): from then on each holds
 * either its old content or zeros. This takes time for each page: 1 ms for the levels of nine
 * panels.
 *
 * Half of a causal attention map is zeros. Writing them would take a fifth of the time that the
 * figure needs when the user moves ε, since they go through the caches like everything else. So a
 * kept block remembers which part of it is 0 already (its triangle).
 *
 * Blocks smaller than a large page, such as the levels of a panel, are kept as well: their page
 * faults took twice as long as filling them. If the address space of the process is limited, no
 * blocks are kept. */

/* Blocks of fewer than SMALLEST bytes are left to malloc(). Sizes below a large page are rounded up
 * to a multiple of GRAIN bytes. */
#define SMALLEST ((gsize) 1 << 17)
#define GRAIN    ((gsize) 1 << 16)

/* The most freed blocks that are kept for reuse, and the share of the memory limit that they take
 * at most: one part in KEPT_SHARE. */
#define MAX_KEPT   256
#define KEPT_SHARE 4

/* The most bytes of young blocks: those freed most recently, whose pages are not offered to the
 * system with MADV_FREE. */
#define MAX_YOUNG_BYTES ((gsize) 64 << 20)

#define ALIGNMENT 64

typedef struct
{
  gpointer block;
  gsize n_bytes;
  gsize n_asked;  /* bytes that were asked for; the bytes behind them can hold anything */
  gsize triangle; /* see attn_pages_take() */
  gboolean is_young;
} Kept;

static GMutex lock;         /* guards the variables below */
static Kept kept[MAX_KEPT]; /* the oldest first */
static guint n_kept;
static gsize n_bytes_kept;
static gsize n_bytes_young; /* of young blocks */

static gsize
round_up (gsize n_bytes)
{
  gsize unit = n_bytes < ATTN_PAGES_LARGE ? GRAIN : ATTN_PAGES_LARGE;

  return (n_bytes + unit - 1) / unit * unit;
}

static gpointer
map_block (gsize n_bytes)
{
  gsize n_mapped = n_bytes < ATTN_PAGES_LARGE ? n_bytes : n_bytes + ATTN_PAGES_LARGE;
  guint8 *map = mmap (NULL, n_mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (map == MAP_FAILED)
    return NULL;
  if (n_mapped == n_bytes)
    return map;

  /* Unmaps the bytes before and after the block, which must begin at a multiple of a large page. */
  gsize n_before =
      (ATTN_PAGES_LARGE - GPOINTER_TO_SIZE (map) % ATTN_PAGES_LARGE) % ATTN_PAGES_LARGE;
  guint8 *block = map + n_before;
  if (n_before > 0)
    munmap (map, n_before);
  munmap (block + n_bytes, n_mapped - n_before - n_bytes);
  madvise (block, n_bytes, MADV_HUGEPAGE);
  return block;
}

/* Removes a block from those that are kept for reuse. The lock must be held. */
static Kept
remove_kept (guint index)
{
  Kept found = kept[index];

  n_kept--;
  n_bytes_kept -= found.n_bytes;
  n_bytes_young -= found.is_young ? found.n_bytes : 0;
  memmove (kept + index, kept + index + 1, (n_kept - index) * sizeof *kept);
  return found;
}

/* Offers the pages of the oldest kept blocks to the system until the young ones do not exceed
 * MAX_YOUNG_BYTES. The lock must be held. */
static void
age_kept (void)
{
  for (guint i = 0; i < n_kept && n_bytes_young > MAX_YOUNG_BYTES; i++)
    if (kept[i].is_young)
      {
        madvise (kept[i].block, kept[i].n_bytes, MADV_FREE);
        kept[i].is_young = FALSE;
        n_bytes_young -= kept[i].n_bytes;
      }
}

/* Tells whether a kept block already has zeros above the diagonal of each map of @triangle x
 * @triangle floats, in its first @n_asked bytes. */
static gboolean
has_triangles (const Kept *block,
               gsize       n_asked,
               gsize       triangle)
{
  return triangle > 0 && block->triangle == triangle && block->n_asked >= n_asked;
}

/* Takes the block of a size that was freed most recently, since it is likely to be in the
 * processor's cache; a block with zeros above the diagonals is preferred. The result's block is
 * NULL if none of that size is kept. */
static Kept
take_kept (gsize n_asked,
           gsize triangle)
{
  Kept found = { NULL };
  guint best = 0;

  g_mutex_lock (&lock);
  for (guint i = n_kept; i > 0; i--)
    if (kept[i - 1].n_bytes == round_up (n_asked) &&
        (best == 0 || (!has_triangles (&kept[best - 1], n_asked, triangle) &&
                       has_triangles (&kept[i - 1], n_asked, triangle))))
      best = i;
  if (best > 0)
    found = remove_kept (best - 1);
  g_mutex_unlock (&lock);
  return found;
}

/**
 * attn_pages_take:
 * @n_bytes: at least 1
 * @triangle: n if the block is for maps of n x n floats, one after the other, that are 0 above the
 *   diagonal until it is released; 0 for any other content
 * @what: the purpose of the memory, named in the message
 * @is_clear: (out): whether the bytes above the diagonals (without @triangle: all bytes) are 0
 *   already; if %FALSE, the block can hold anything
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * Returns: (transfer full) (nullable): memory aligned to 64 bytes, to be freed by
 *   attn_pages_release(). Any thread may call.
 */
gpointer
attn_pages_take (gsize        n_bytes,
                 gsize        triangle,
                 const char  *what,
                 gboolean    *is_clear,
                 GError     **error)
{
  gpointer block = NULL;

  *is_clear = FALSE;
  if (!attn_memory_check (n_bytes, what, error))
    return NULL;
  if (n_bytes < SMALLEST)
    block = aligned_alloc (ALIGNMENT, (n_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
  else if (n_bytes <= G_MAXSIZE / 2)
    {
      Kept found = take_kept (n_bytes, triangle);

      block = found.block;
      *is_clear = block == NULL || has_triangles (&found, n_bytes, triangle);
      if (block == NULL)
        block = map_block (round_up (n_bytes));
      if (block != NULL)
        attn_memory_count ((gssize) round_up (n_bytes));
    }
  if (block == NULL)
    attn_memory_fail (n_bytes, what, error);
  return block;
}

/**
 * attn_pages_release:
 * @block: (transfer full) (nullable): from attn_pages_take()
 * @n_bytes: as in the call of attn_pages_take()
 * @triangle: as in that call; the bytes above the diagonals must be 0
 */
void
attn_pages_release (gpointer block,
                    gsize    n_bytes,
                    gsize    triangle)
{
  gboolean is_limited = attn_memory_get_address_space () != G_MAXSIZE;
  gsize most = is_limited ? 0 : attn_memory_get_limit () / KEPT_SHARE;

  if (block == NULL)
    return;
  if (n_bytes < SMALLEST)
    {
      free (block);
      return;
    }
  const Kept released = { block, round_up (n_bytes), n_bytes, triangle, TRUE };
  n_bytes = released.n_bytes;
  attn_memory_count (-(gssize) n_bytes);
  if (n_bytes > most)
    {
      munmap (block, n_bytes);
      return;
    }

  g_mutex_lock (&lock);
  while (n_kept == MAX_KEPT || n_bytes_kept + n_bytes > most)
    {
      Kept oldest = remove_kept (0);

      munmap (oldest.block, oldest.n_bytes);
    }
  kept[n_kept++] = released;
  n_bytes_kept += n_bytes;
  n_bytes_young += n_bytes;
  age_kept ();
  g_mutex_unlock (&lock);
}
