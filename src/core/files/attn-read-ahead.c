/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-read-ahead.h"

#include <sys/mman.h>
#include <unistd.h>

#include "attn-file.h"

/* The bytes of a mapped file that are requested from the system at a time, a piece. The thread can
 * be stopped after each. */
#define PIECE ((gsize) 8 << 20)

/* The most bytes of mapped files that are read ahead into memory before they are used. */
#define WINDOW ((gsize) 256 << 20)

typedef enum
{
  AHEAD, /* span of a file that the thread is to read, or is reading */
  READ,  /* in memory, and may still be used */
  LEFT,
} State;

typedef struct
{
  guint8 *start;
  gsize n_bytes;
  gsize step;
  gboolean is_kept;
  State state;
} Span;

/**
 * AttnReadAhead:
 * @spans: element-type Span: ranges of bytes of mapped files, in the order in which they are read
 * @by_start: the same spans by the address of their first byte
 * @left: element-type Span: no longer needed, their memory to be given back to the system
 * @next: index of the first span that the thread has not begun to read
 * @n_urgent: how many spans from @next on were added with is_next, to be read before others
 * @first: index of a span; all before it have been left
 * @n_ahead: bytes that are being read, or have been and are not left
 * @held: (nullable): the span that was taken last
 *
 * A queue that the reading thread shares with the thread that uses the bytes.
 */
struct _AttnReadAhead
{
  GThread *thread;
  gint is_stopping; /* atomic */
  GMutex lock;      /* guards the members below */
  GCond has_changed;
  GPtrArray *spans;
  GHashTable *by_start;
  GQueue left;
  guint next;
  guint n_urgent;
  guint first;
  gsize n_ahead;
  Span *held;
  gboolean is_awaited;
};

/* Reads the whole pages that contain a span. If reading fails, because the file has become shorter
 * or the kernel is too old, the pages are read on first access. */
static void
read_span (AttnReadAhead *ahead,
           const Span    *span)
{
  gsize page = (gsize) sysconf (_SC_PAGESIZE);
  guint8 *start = span->start - GPOINTER_TO_SIZE (span->start) % page;
  gsize n_bytes = (gsize) (span->start + span->n_bytes - start);

  madvise (start, MIN (n_bytes, PIECE), MADV_WILLNEED);
  for (gsize done = 0; done < n_bytes && !g_atomic_int_get (&ahead->is_stopping); done += PIECE)
    {
      gsize n = MIN (n_bytes - done, PIECE);

      /* Lets the disk read the next piece of the file while the pages of the present piece are
       * being mapped. */
      if (done + n < n_bytes)
        madvise (start + done + n, MIN (n_bytes - done - n, PIECE), MADV_WILLNEED);
#ifdef MADV_POPULATE_READ
      madvise (start + done, n, MADV_POPULATE_READ); /* Linux 5.14 */
#endif
    }
}

/* Gives the memory of the pages that lie entirely within a span back to the system. Their content
 * can be read from the file again. */
static void
give_back (const Span *span)
{
  gsize page = (gsize) sysconf (_SC_PAGESIZE);
  gsize n_before = (page - GPOINTER_TO_SIZE (span->start) % page) % page;

  if (span->n_bytes > n_before + page)
    madvise (span->start + n_before, (span->n_bytes - n_before) / page * page, MADV_DONTNEED);
}

/* Marks a span that has been read as no longer needed, so that its memory is given back to the
 * system. The lock must be held. */
static void
leave (AttnReadAhead *ahead,
       Span          *span)
{
  if (span->state != READ)
    return;
  span->state = LEFT;
  ahead->n_ahead -= span->n_bytes;
  if (!span->is_kept)
    g_queue_push_tail (&ahead->left, span);
}

/* Tells whether the thread can read the next span without having too many bytes ahead in memory.
 * The lock must be held. */
static gboolean
may_read (const AttnReadAhead *ahead)
{
  return ahead->next < ahead->spans->len &&
         (ahead->is_awaited || ahead->n_ahead == 0 ||
          ahead->n_ahead + ((Span *) ahead->spans->pdata[ahead->next])->n_bytes <= WINDOW);
}

static gpointer
read_cb (gpointer data)
{
  AttnReadAhead *ahead = data;

  g_mutex_lock (&ahead->lock);
  for (;;)
    {
      gboolean is_stopping = g_atomic_int_get (&ahead->is_stopping) != 0;
      Span *span;

      for (guint i = ahead->first; is_stopping && i < ahead->next; i++)
        leave (ahead, ahead->spans->pdata[i]);
      span = g_queue_pop_head (&ahead->left);
      if (span != NULL)
        {
          g_mutex_unlock (&ahead->lock);
          give_back (span);
          g_mutex_lock (&ahead->lock);
          continue;
        }
      if (is_stopping)
        break;
      if (!may_read (ahead))
        {
          g_cond_wait (&ahead->has_changed, &ahead->lock);
          continue;
        }
      span = ahead->spans->pdata[ahead->next++];
      ahead->n_urgent -= ahead->n_urgent > 0;
      ahead->n_ahead += span->n_bytes;
      g_mutex_unlock (&ahead->lock);
      read_span (ahead, span);
      g_mutex_lock (&ahead->lock);
      span->state = READ;
      g_cond_broadcast (&ahead->has_changed);
    }
  g_mutex_unlock (&ahead->lock);
  return NULL;
}

/**
 * attn_read_ahead_new:
 *
 * Returns: (transfer full) (nullable): a thread that has nothing to read yet; %NULL if the system
 *   allows no more threads
 */
AttnReadAhead *
attn_read_ahead_new (void)
{
  AttnReadAhead *ahead = g_new0 (AttnReadAhead, 1);

  g_mutex_init (&ahead->lock);
  g_cond_init (&ahead->has_changed);
  ahead->spans = g_ptr_array_new_with_free_func (g_free);
  ahead->by_start = g_hash_table_new (NULL, NULL);
  g_queue_init (&ahead->left);
  ahead->thread = g_thread_try_new ("read-ahead", read_cb, ahead, NULL);
  if (ahead->thread == NULL)
    g_clear_pointer (&ahead, attn_read_ahead_free);
  return ahead;
}

/**
 * attn_read_ahead_free:
 * @ahead: (transfer full) (nullable)
 *
 * Ends the thread, which takes at most as long as reading 8 MiB, and waits for it. Bytes that were
 * added with is_kept stay in memory.
 */
void
attn_read_ahead_free (AttnReadAhead *ahead)
{
  if (ahead == NULL)
    return;
  if (ahead->thread != NULL)
    {
      g_mutex_lock (&ahead->lock);
      g_atomic_int_set (&ahead->is_stopping, TRUE);
      g_cond_broadcast (&ahead->has_changed);
      g_mutex_unlock (&ahead->lock);
      g_thread_join (ahead->thread);
    }
  g_queue_clear (&ahead->left);
  g_hash_table_unref (ahead->by_start);
  g_ptr_array_unref (ahead->spans);
  g_cond_clear (&ahead->has_changed);
  g_mutex_clear (&ahead->lock);
  g_free (ahead);
}

/**
 * attn_read_ahead_add:
 * @bytes: a part of what [func@attn_file_map] returned, which must live longer than @ahead; bytes
 *   that are not of a mapped file, and those added before, are ignored
 * @step: the number of the step of the work, such as a layer, that needs @bytes. When bytes of a
 *   later step are taken, they are no longer needed.
 * @is_kept: whether @bytes stay in memory when they are no longer needed
 * @is_next: whether to read @bytes before all that were added without this flag
 *
 * Has the thread read @bytes when it has read those that were added before.
 */
void
attn_read_ahead_add (AttnReadAhead *ahead,
                     GBytes        *bytes,
                     gsize          step,
                     gboolean       is_kept,
                     gboolean       is_next)
{
  gsize n_bytes;
  gconstpointer start = g_bytes_get_data (bytes, &n_bytes);

  if (!attn_file_is_mapped (bytes))
    return;
  g_mutex_lock (&ahead->lock);
  if (!g_hash_table_contains (ahead->by_start, start))
    {
      Span *span = g_new (Span, 1);

      *span = (Span) { (guint8 *) start, n_bytes, step, is_kept, AHEAD };
      g_hash_table_insert (ahead->by_start, (gpointer) start, span);
      g_ptr_array_insert (ahead->spans,
                          is_next ? (gint) (ahead->next + ahead->n_urgent++) : -1, span);
      g_cond_broadcast (&ahead->has_changed);
    }
  g_mutex_unlock (&ahead->lock);
}

/**
 * attn_read_ahead_take:
 * @bytes: the bytes that are needed now
 * @timeout: how long to wait until they are read, in microseconds
 *
 * Says that the bytes taken before, and all of an earlier step, are no longer needed, and waits for
 * @bytes. Always to be called by the same thread.
 *
 * Returns: whether @bytes are in memory; %TRUE also for bytes that were never added
 */
gboolean
attn_read_ahead_take (AttnReadAhead *ahead,
                      GBytes        *bytes,
                      gint64         timeout)
{
  gint64 end = g_get_monotonic_time () + timeout;
  gboolean is_read = TRUE;

  g_mutex_lock (&ahead->lock);
  Span *span = g_hash_table_lookup (ahead->by_start, g_bytes_get_data (bytes, NULL));
  if (span != NULL)
    {
      if (ahead->held != NULL && ahead->held != span)
        leave (ahead, ahead->held);
      ahead->held = span;
      for (; ahead->first < ahead->next; ahead->first++)
        {
          Span *old = ahead->spans->pdata[ahead->first];

          if (old->step >= span->step || old->state == AHEAD)
            break;
          leave (ahead, old);
        }
      ahead->is_awaited = span->state == AHEAD;
      g_cond_broadcast (&ahead->has_changed);
      while (span->state == AHEAD && is_read)
        is_read = g_cond_wait_until (&ahead->has_changed, &ahead->lock, end);
      is_read = span->state != AHEAD;
      ahead->is_awaited = FALSE;
    }
  g_mutex_unlock (&ahead->lock);
  return is_read;
}
