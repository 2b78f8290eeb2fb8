/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-part-loader.h"

#include "attn-task.h"

/* Time in microseconds for which the reading of tiles (rectangles of a panel) goes on although
 * others were requested since, so that a movement shows something. After that time it is canceled
 * for the new tiles. */
#define TILE_PATIENCE (150 * G_TIME_SPAN_MILLISECOND)

/* The divisor that gives the margin of a tile: 1/MARGIN of its rows or columns is read as well on
 * every side, for the next steps of a movement. */
#define MARGIN 4

/* Parts to be read by a thread. */
typedef struct
{
  GPtrArray *parts; /* element-type AttnPanelPart */
  AttnPartKind kind;
} Reading;

/* A loader of parts of long panels. Only one thread uses it. */
struct _AttnPartLoader
{
  AttnPartsReadFunc func; /* (nullable): function that is told of loaded parts; %NULL if the loader
                           * is freed during reading */
  gpointer user_data;

  /* (nullable): element-type AttnPanelPart: the parts of the last request, without the rows read
   * since then */
  GPtrArray *asked[ATTN_PART_N_KINDS];
  gboolean is_waiting[ATTN_PART_N_KINDS]; /* these parts are still to be read */

  AttnTask *reading; /* (nullable): task that reads parts; %NULL if nothing is being read */
  AttnPartKind kind; /* kind of the parts that are being read */
  gint64 begin;      /* monotonic microseconds */
};

static guint n_reading; /* number of loaders that are reading now; used by the main thread alone */

static gboolean
is_wanted (gsize        first_row,
           gsize        n_rows,
           const float *rows,
           gpointer     cancellable)
{
  return !g_cancellable_is_cancelled (cancellable);
}

/* Reads parts of panels in a thread. Tiles that cannot be read stay displayed at low resolution. */
static void
reading_run (gpointer  data,
             AttnTask *task,
             gpointer  place)
{
  const Reading *reading = data;
  GCancellable *cancellable = attn_task_get_cancellable (task);

  for (guint i = 0; i < reading->parts->len && !g_cancellable_is_cancelled (cancellable); i++)
    {
      const AttnPanelPart *part = reading->parts->pdata[i];

      if (reading->kind == ATTN_PART_ROWS)
        attn_panel_load_rows (part->panel, part->rows);
      else
        attn_panel_load_tile (part->panel, part->level, part->rows, part->columns, is_wanted,
                              cancellable, NULL, NULL);
    }
}

static void
reading_free (gpointer data)
{
  Reading *reading = data;

  g_ptr_array_unref (reading->parts);
  g_free (reading);
}

static GPtrArray *
new_parts (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) attn_panel_part_free);
}

static void
add_part (GPtrArray           *parts,
          const AttnPanelPart *part)
{
  attn_panel_ref (part->panel);
  g_ptr_array_add (parts, g_memdup2 (part, sizeof *part));
}

/* Removes rows that were read from the list of requests, as a panel keeps only some rows, so that
 * the same rows may be requested again. Rows that could not be read stay listed. */
static void
forget_rows_that_came (AttnPartLoader *loader)
{
  GPtrArray *asked = loader->asked[ATTN_PART_ROWS];
  GPtrArray *rest = new_parts ();

  for (guint i = 0; asked != NULL && i < asked->len; i++)
    {
      const AttnPanelPart *part = g_ptr_array_index (asked, i);

      if (!attn_panel_has_rows (part->panel, part->rows))
        add_part (rest, part);
    }
  g_clear_pointer (&loader->asked[ATTN_PART_ROWS], g_ptr_array_unref);
  loader->asked[ATTN_PART_ROWS] = rest;
}

static void start_next (AttnPartLoader *loader);

static void
reading_deliver (gpointer owner,
                 gpointer data)
{
  AttnPartLoader *loader = owner;
  AttnPartKind kind = loader->kind;

  n_reading--;
  reading_free (data);
  if (loader->func == NULL)
    {
      attn_part_loader_free (loader);
      return;
    }
  if (kind == ATTN_PART_ROWS)
    forget_rows_that_came (loader);
  start_next (loader);
  loader->func (kind, loader->user_data);
}

static const AttnTaskKind task_kind = {
  .run = reading_run,
  .deliver = reading_deliver,
  .free = reading_free,
};

static void
start_next (AttnPartLoader *loader)
{
  AttnPartKind kind = loader->is_waiting[ATTN_PART_ROWS] ? ATTN_PART_ROWS : ATTN_PART_TILES;

  if (loader->reading != NULL || !loader->is_waiting[kind])
    return;
  loader->is_waiting[kind] = FALSE;
  loader->kind = kind;
  loader->begin = g_get_monotonic_time ();
  n_reading++;

  Reading *reading = g_new (Reading, 1);
  *reading = (Reading) { g_ptr_array_ref (loader->asked[kind]), kind };
  attn_task_start (&task_kind, loader, reading, TRUE, &loader->reading);
}

/**
 * attn_part_loader_new:
 * @func: is called whenever something was read
 *
 * Returns: (transfer full): a loader, to be used by the main thread alone
 */
AttnPartLoader *
attn_part_loader_new (AttnPartsReadFunc func,
                      gpointer          user_data)
{
  AttnPartLoader *loader = g_new0 (AttnPartLoader, 1);

  loader->func = func;
  loader->user_data = user_data;
  return loader;
}

/**
 * attn_part_loader_free:
 *
 * Does not wait for parts that are being read; the function is not called for them any more.
 */
void
attn_part_loader_free (AttnPartLoader *loader)
{
  attn_part_loader_forget (loader);
  loader->func = NULL;
  if (loader->reading != NULL)
    attn_task_cancel (loader->reading);
  else
    g_free (loader);
}

/**
 * attn_part_loader_forget:
 *
 * To be called when the figure is another: parts that were requested and are not being read yet are
 * dropped, and are read if they are requested again.
 */
void
attn_part_loader_forget (AttnPartLoader *loader)
{
  for (guint kind = 0; kind < ATTN_PART_N_KINDS; kind++)
    {
      g_clear_pointer (&loader->asked[kind], g_ptr_array_unref);
      loader->is_waiting[kind] = FALSE;
    }
}

static gboolean
includes (AttnSpan outer,
          AttnSpan inner)
{
  return outer.first <= inner.first && outer.end >= inner.end;
}

/* Tells whether a part was already requested, so that it is pending or cannot be read. */
static gboolean
is_asked_for (const GPtrArray     *all,
              const AttnPanelPart *part)
{
  for (guint i = 0; all != NULL && i < all->len; i++)
    {
      const AttnPanelPart *asked = g_ptr_array_index (all, i);

      if (asked->panel == part->panel && asked->level <= part->level &&
          includes (asked->rows, part->rows) && includes (asked->columns, part->columns))
        return TRUE;
    }
  return FALSE;
}

static AttnSpan
widen (AttnSpan span,
       gsize    n)
{
  gsize margin = (span.end - span.first) / MARGIN;

  return (AttnSpan) { span.first - MIN (margin, span.first), MIN (span.end + margin, n) };
}

/**
 * attn_part_loader_request:
 * @parts: (element-type AttnPanelPart): parts of long panels; for %ATTN_PART_ROWS their level and
 *   columns do not count
 *
 * Has the panels read these parts, and also what is near tiles, unless the last request had them,
 * too: then they are on their way or could not be read. The request takes the place of an earlier
 * one whose reading has not begun or, for tiles, takes long.
 */
void
attn_part_loader_request (AttnPartLoader *loader,
                          AttnPartKind    kind,
                          GPtrArray      *parts)
{
  g_autoptr (GPtrArray) asked = new_parts ();
  gboolean is_new = FALSE;

  for (guint i = 0; i < parts->len; i++)
    {
      AttnPanelPart part = *(const AttnPanelPart *) g_ptr_array_index (parts, i);

      is_new = is_new || !is_asked_for (loader->asked[kind], &part);
      if (kind == ATTN_PART_TILES)
        {
          part.rows = widen (part.rows, attn_panel_get_n_rows (part.panel));
          part.columns = widen (part.columns, attn_panel_get_n_columns (part.panel));
        }
      add_part (asked, &part);
    }
  if (!is_new)
    return;
  g_clear_pointer (&loader->asked[kind], g_ptr_array_unref);
  loader->asked[kind] = g_steal_pointer (&asked);
  loader->is_waiting[kind] = TRUE;
  if (kind == ATTN_PART_TILES && loader->reading != NULL && loader->kind == kind &&
      g_get_monotonic_time () - loader->begin > TILE_PATIENCE)
    attn_task_cancel (loader->reading);
  start_next (loader);
}

/**
 * attn_part_loader_wait_for_all:
 *
 * Waits until no loader reads any more, loaders that were freed among them. To be called by the
 * main thread, before the program ends.
 */
void
attn_part_loader_wait_for_all (void)
{
  while (n_reading > 0)
    g_main_context_iteration (NULL, TRUE);
}
