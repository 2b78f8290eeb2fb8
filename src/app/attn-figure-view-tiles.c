/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What is seen of a long panel from near is read by a worker of the view's own. Until it is there, the
 * panel is drawn as it is seen from afar. */

#include "config.h"

#include "attn-figure-view-private.h"

/* Of the part that is shown, what is asked for beside it on every side, for the next steps of a
 * movement. */
#define MARGIN 4

static AttnSpan
widen (AttnSpan span,
       gsize    n)
{
  gsize margin = (span.end - span.first) / MARGIN;

  return (AttnSpan) { span.first - MIN (margin, span.first), MIN (span.end + margin, n) };
}

static gboolean
includes (AttnSpan outer,
          AttnSpan inner)
{
  return outer.first <= inner.first && outer.end >= inner.end;
}

/* Whether the part is on its way, or cannot be read. */
static gboolean
is_asked_for (AttnFigureView      *self,
              const AttnPanelPart *part)
{
  for (guint i = 0; self->asked != NULL && i < self->asked->len; i++)
    {
      const AttnPanelPart *asked = g_ptr_array_index (self->asked, i);

      if (asked->panel == part->panel && asked->level <= part->level &&
          includes (asked->rows, part->rows) && includes (asked->columns, part->columns))
        return TRUE;
    }
  return FALSE;
}

static GPtrArray *
copy_parts (GPtrArray *parts)
{
  GPtrArray *copy =
      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_panel_part_free);

  for (guint i = 0; i < parts->len; i++)
    {
      AttnPanelPart *part = g_memdup2 (parts->pdata[i], sizeof *part);

      attn_panel_ref (part->panel);
      part->rows = widen (part->rows, attn_panel_get_n_rows (part->panel));
      part->columns = widen (part->columns, attn_panel_get_n_columns (part->panel));
      g_ptr_array_add (copy, part);
    }
  return copy;
}

/* To be called when a scene was drawn: asks for what it lacked. */
void
attn_figure_view_request_tiles (AttnFigureView *self)
{
  GPtrArray *missing = attn_painter_get_missing (self->painter);
  gboolean is_new = FALSE;

  for (guint i = 0; i < missing->len; i++)
    is_new = is_new || !is_asked_for (self, g_ptr_array_index (missing, i));
  if (!is_new)
    return;
  if (self->worker == NULL)
    {
      self->worker = attn_worker_new ();
      g_signal_connect_object (self->worker, "tiles", G_CALLBACK (attn_figure_view_drop_scene),
                               self, G_CONNECT_SWAPPED);
    }
  g_clear_pointer (&self->asked, g_ptr_array_unref);
  self->asked = copy_parts (missing);
  attn_worker_request_tiles (self->worker, copy_parts (missing));
}

void
attn_figure_view_forget_tiles (AttnFigureView *self)
{
  g_clear_pointer (&self->asked, g_ptr_array_unref);
  g_clear_object (&self->worker);
}
