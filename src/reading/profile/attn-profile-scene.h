/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lays out a profile: its values as bars, and a list of the largest with their tokens. */

#pragma once

#include "attn-profile.h"
#include "attn-scene.h"

G_BEGIN_DECLS

/**
 * AttnProfilePlan:
 * @width: pixels, of the whole
 * @line_height: pixels, of a line of the list
 * @baseline: pixels, from the top of a line down to the baseline of its text
 * @number_width: pixels, of a column of numbers
 * @top: (array length=n_top): indices of the values that are listed
 * @focus: the line of the list that has the focus, or -1
 * @mark: index of the value whose cell is read in the figure, or -1
 *
 * Size, font metrics and marks of a profile that is laid out.
 */
typedef struct
{
  double width;
  double line_height;
  double baseline;
  double number_width;
  const gsize *top;
  gsize n_top;
  int focus;
  gssize mark;
} AttnProfilePlan;

double     attn_profile_scene_get_height (gsize                  n_lines,
                                          double                 line_height);
AttnScene *attn_profile_scene_new        (const AttnProfilePlan *plan,
                                          const AttnStyle       *style,
                                          AttnRgb                accent,
                                          const AttnProfile     *profile);
gboolean   attn_profile_scene_hit        (const AttnProfilePlan *plan,
                                          const AttnProfile     *profile,
                                          double                 x,
                                          double                 y,
                                          gsize                 *index);

G_END_DECLS
