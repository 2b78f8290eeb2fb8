/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The worker: a thread that opens models, computes and sweeps studies. The latest of each wins. */

#pragma once

#include <gio/gio.h>

#include "attn-head-map.h"
#include "attn-sweep.h"

G_BEGIN_DECLS

#define ATTN_TYPE_WORKER (attn_worker_get_type ())
G_DECLARE_FINAL_TYPE (AttnWorker, attn_worker, ATTN, WORKER, GObject)

AttnWorker *attn_worker_new              (void);
void        attn_worker_open             (AttnWorker       *worker,
                                          const char       *path);
void        attn_worker_drop_opening     (AttnWorker       *worker);
void        attn_worker_request          (AttnWorker       *worker,
                                          const AttnStudy  *study);
void        attn_worker_request_effects  (AttnWorker       *worker,
                                          AttnResult       *result);
void        attn_worker_request_explanation (AttnWorker    *worker,
                                          AttnResult       *result,
                                          gsize             index,
                                          gsize             query,
                                          gsize             key);
void        attn_worker_request_forecast (AttnWorker       *worker,
                                          AttnResult       *result,
                                          gsize             index,
                                          gsize             first_row,
                                          gsize             n_rows);
void        attn_worker_request_sweep    (AttnWorker       *worker,
                                          const AttnStudy  *study,
                                          const AttnSweepRange *range);
void        attn_worker_request_map      (AttnWorker       *worker,
                                          const AttnStudy  *study);
void        attn_worker_cancel           (AttnWorker       *worker);
gboolean    attn_worker_is_busy          (AttnWorker       *worker);
void        attn_worker_wait             (AttnWorker       *worker,
                                          gint64            end);
void        attn_worker_wait_for_threads (void);

G_END_DECLS
