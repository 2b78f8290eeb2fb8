/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Registers signals of GObject classes as this program has them all: without a default handler and
 * without a return value. */

#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

/* Adds the signal @name to @klass and returns its id. The GTypes of the signal's @n_arguments
 * arguments follow. */
static inline guint
attn_signal_new (gpointer    klass,
                 const char *name,
                 guint       n_arguments,
                 ...)
{
  va_list types;

  va_start (types, n_arguments);
  guint signal = g_signal_new_valist (name, G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, NULL,
                                      NULL, NULL, NULL, G_TYPE_NONE, n_arguments, types);
  va_end (types);
  return signal;
}

G_END_DECLS
