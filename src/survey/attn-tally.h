/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Numbers of many texts added up so that the order does not matter. */

#pragma once

#include "attn-array.h"

G_BEGIN_DECLS

#define ATTN_TALLY_BINS     50
#define ATTN_TALLY_EXTREMES 8
#define ATTN_TALLY_TENTHS   10

/* No text. */
#define ATTN_TALLY_NONE ((gint64) -1)

typedef struct _AttnTally AttnTally;

AttnTally *attn_tally_new     (gsize          n_cells,
                               double         minimum,
                               double         maximum);
void       attn_tally_free    (AttnTally     *tally);
void       attn_tally_add     (AttnTally     *tally,
                               gsize          cell,
                               guint64        text,
                               double         value);
void       attn_tally_merge   (AttnTally     *tally,
                               const AttnTally *other);
guint64    attn_tally_get_count (const AttnTally *tally,
                               gsize          cell);
double     attn_tally_get_mean (const AttnTally *tally,
                               gsize          cell);
double     attn_tally_get_variance (const AttnTally *tally,
                               gsize          cell);
const guint64 *attn_tally_get_histogram (const AttnTally *tally,
                               gsize          cell);
double     attn_tally_get_bin (const AttnTally *tally,
                               gsize          bin);
gboolean   attn_tally_save    (const AttnTally *tally,
                               const char    *name,
                               guint          n_dims,
                               const gsize   *shape,
                               AttnArrayFile *file,
                               GError       **error);
gboolean   attn_tally_load    (AttnTally     *tally,
                               const char    *name,
                               const AttnArrayFile *file,
                               GError       **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnTally, attn_tally_free)

G_END_DECLS
