/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-cli-interrupt.h"

#include <glib-unix.h>
#include <signal.h>

/* Handler of SIGINT. A thread of its own waits for the signal, as the main thread is computing. */
struct _AttnCliInterrupt
{
  GMainContext *context;
  GMainLoop *loop;
  GSource *source;
  GThread *thread;
};

/* The first SIGINT cancels the computation, a second one ends the program immediately. */
static gboolean
interrupt_cb (gpointer data)
{
  GCancellable *cancellable = data;

  if (g_cancellable_is_cancelled (cancellable))
    {
      signal (SIGINT, SIG_DFL);
      raise (SIGINT);
    }
  g_cancellable_cancel (cancellable);
  return G_SOURCE_CONTINUE;
}

static gpointer
run (gpointer data)
{
  g_main_loop_run (data);
  return NULL;
}

/**
 * attn_cli_interrupt_new:
 * @cancellable: canceled by the first SIGINT; the second ends the program
 *
 * Returns: (transfer full): a handler of SIGINT that works until it is freed
 */
AttnCliInterrupt *
attn_cli_interrupt_new (GCancellable *cancellable)
{
  AttnCliInterrupt *self = g_new0 (AttnCliInterrupt, 1);

  self->context = g_main_context_new ();
  self->loop = g_main_loop_new (self->context, FALSE);
  self->source = g_unix_signal_source_new (SIGINT);
  g_source_set_callback (self->source, interrupt_cb, g_object_ref (cancellable), g_object_unref);
  g_source_attach (self->source, self->context);
  self->thread = g_thread_new ("interrupt", run, self->loop);
  return self;
}

static gboolean
quit_cb (gpointer data)
{
  g_main_loop_quit (data);
  return G_SOURCE_REMOVE;
}

void
attn_cli_interrupt_free (AttnCliInterrupt *interrupt)
{
  /* Quits the main loop from an idle source, since the waiting thread may not have started the loop
   * yet. */
  g_autoptr (GSource) quit = g_idle_source_new ();
  g_source_set_callback (quit, quit_cb, interrupt->loop, NULL);
  g_source_attach (quit, interrupt->context);
  g_thread_join (interrupt->thread);
  g_source_destroy (interrupt->source);
  g_source_unref (interrupt->source);
  g_main_loop_unref (interrupt->loop);
  g_main_context_unref (interrupt->context);
  g_free (interrupt);
}
