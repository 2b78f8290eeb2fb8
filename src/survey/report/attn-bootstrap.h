/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Bootstrap samples of the texts of a survey, which give confidence intervals for its means. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define ATTN_BOOTSTRAP_SAMPLES 1000
#define ATTN_BOOTSTRAP_SEED    1

double attn_bootstrap_draw          (GRand   *rand,
                                     double   expected);
void   attn_bootstrap_find_interval (double   means[ATTN_BOOTSTRAP_SAMPLES],
                                     double  *low,
                                     double  *high);

G_END_DECLS
