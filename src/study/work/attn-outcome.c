/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-outcome.h"

static void
clear_outcome (gpointer outcome)
{
  g_free (((AttnOutcome *) outcome)->positions);
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
