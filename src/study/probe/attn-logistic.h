/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Logistic regression (a linear classifier of two labels) with an L2 penalty, in float64. */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _AttnLogistic AttnLogistic;

AttnLogistic *attn_logistic_new      (const float * const  *rows,
                                      gsize                 n_rows,
                                      gsize                 width,
                                      GError              **error);
void          attn_logistic_free     (AttnLogistic         *logistic);
gboolean      attn_logistic_fit      (const AttnLogistic   *logistic,
                                      const guint8         *labels,
                                      const guint8         *is_trained,
                                      double               *scores,
                                      double               *weights,
                                      double               *intercept,
                                      GError              **error);
gsize         attn_logistic_estimate (gsize                 n_rows,
                                      gsize                 width);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnLogistic, attn_logistic_free)

G_END_DECLS
