/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A bar for work that takes long: its stage, its progress and a button that cancels it. */

#include "config.h"

#include "attn-work-bar.h"

#include "attn-signal.h"
#include "attn-template.h"

/* The milliseconds after which the bar is shown: shorter work has no bar. */
#define DELAY_MS 150

struct _AttnWorkBar
{
  GtkBox parent_instance;

  guint timeout; /* shows the bar after %DELAY_MS */

  /* Template widgets */
  GtkRevealer *revealer;
  GtkProgressBar *progress;
  GtkActionable *cancel;
};

enum
{
  SIGNAL_SHOWN_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AttnWorkBar, attn_work_bar, GTK_TYPE_BOX)

static void
set_revealed (AttnWorkBar *self,
              gboolean     is_revealed)
{
  gtk_widget_set_can_target (GTK_WIDGET (self), is_revealed);
  if (is_revealed == attn_work_bar_is_shown (self))
    return;
  gtk_revealer_set_reveal_child (self->revealer, is_revealed);
  g_signal_emit (self, signals[SIGNAL_SHOWN_CHANGED], 0);
}

static gboolean
timeout_cb (gpointer user_data)
{
  AttnWorkBar *self = user_data;

  self->timeout = 0;
  gtk_widget_show (GTK_WIDGET (self));
  set_revealed (self, TRUE);
  return G_SOURCE_REMOVE;
}

/* Hides a bar of progress that has faded out, so that it takes no room. */
static void
faded_cb (AttnWorkBar *self)
{
  gtk_widget_set_visible (GTK_WIDGET (self), gtk_revealer_get_reveal_child (self->revealer) ||
                                                 gtk_revealer_get_child_revealed (self->revealer));
}

static void
attn_work_bar_dispose (GObject *object)
{
  AttnWorkBar *self = ATTN_WORK_BAR (object);

  g_clear_handle_id (&self->timeout, g_source_remove);

  G_OBJECT_CLASS (attn_work_bar_parent_class)->dispose (object);
}

static void
attn_work_bar_class_init (AttnWorkBarClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = attn_work_bar_dispose;

  signals[SIGNAL_SHOWN_CHANGED] = attn_signal_new (klass, "shown-changed", 0);

  attn_template_set (widget_class, "work-bar.ui");
  gtk_widget_class_bind_template_child (widget_class, AttnWorkBar, revealer);
  gtk_widget_class_bind_template_child (widget_class, AttnWorkBar, progress);
  gtk_widget_class_bind_template_child (widget_class, AttnWorkBar, cancel);
  gtk_widget_class_bind_template_callback (widget_class, faded_cb);
}

static void
attn_work_bar_init (AttnWorkBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  set_revealed (self, FALSE);
  gtk_widget_hide (GTK_WIDGET (self));
}

/**
 * attn_work_bar_set_action:
 * @action: detailed name of the action that the button activates, such as "win.cancel"
 */
void
attn_work_bar_set_action (AttnWorkBar *bar,
                          const char  *action)
{
  gtk_actionable_set_action_name (bar->cancel, action);
}

/**
 * attn_work_bar_start:
 * @stage: name of the first stage of the work, as shown
 *
 * Shows the bar after a moment, unless the work is done by then. Nothing happens if the bar has
 * been started already.
 */
void
attn_work_bar_start (AttnWorkBar *bar,
                     const char  *stage)
{
  if (bar->timeout != 0 || attn_work_bar_is_shown (bar))
    return;
  attn_work_bar_report (bar, stage, 0);
  bar->timeout = g_timeout_add (DELAY_MS, timeout_cb, bar);
}

/**
 * attn_work_bar_report:
 * @stage: name of the present stage of the work, as shown
 * @fraction: progress of the stage, 0 to 1
 */
void
attn_work_bar_report (AttnWorkBar *bar,
                      const char  *stage,
                      double       fraction)
{
  if (g_strcmp0 (gtk_progress_bar_get_text (bar->progress), stage) != 0)
    {
      gtk_progress_bar_set_text (bar->progress, stage);
      gtk_accessible_update_property (GTK_ACCESSIBLE (bar->progress), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      stage, -1);
    }
  gtk_progress_bar_set_fraction (bar->progress, CLAMP (fraction, 0, 1));
}

/**
 * attn_work_bar_stop:
 *
 * Hides the bar: the work is done.
 */
void
attn_work_bar_stop (AttnWorkBar *bar)
{
  g_clear_handle_id (&bar->timeout, g_source_remove);
  set_revealed (bar, FALSE);
  faded_cb (bar);
}

/**
 * attn_work_bar_is_shown:
 *
 * Returns: whether the bar is visible, with its button to cancel the work
 */
gboolean
attn_work_bar_is_shown (AttnWorkBar *bar)
{
  return gtk_revealer_get_reveal_child (bar->revealer);
}
