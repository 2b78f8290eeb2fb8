/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-outcome.h"

static void
clear_outcome (gpointer outcome)
{
  AttnOutcome *self = outcome;

  g_free (self->positions);
  g_free (self->labels[0]);
  g_free (self->labels[1]);
}

AttnOutcome *
attn_outcome_ref (AttnOutcome *outcome)
{
  return g_atomic_rc_box_acquire (outcome);
}

void
attn_outcome_unref (AttnOutcome *outcome)
{
  g_atomic_rc_box_release_full (outcome, clear_outcome);
}
