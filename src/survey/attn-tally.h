/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A tally sums up numbers over many texts: count, mean, variance, histogram and extremes. The
 * result does not depend on the order of the texts. A cell is one number that each text has, such
 * as the entropy of one head. */

#pragma once

#include "attn-array.h"

G_BEGIN_DECLS

#define ATTN_TALLY_BINS     50
#define ATTN_TALLY_EXTREMES 8
#define ATTN_TALLY_TENTHS   10

/* The value in place of a text's number where no text is. */
#define ATTN_TALLY_NONE ((gint64) -1)

/* Largest number of texts that attn_tally_list_texts() lists for a cell. */
#define ATTN_TALLY_TEXTS (2 * ATTN_TALLY_EXTREMES + ATTN_TALLY_TENTHS)

typedef struct _AttnTally AttnTally;

/**
 * AttnTallyPlace:
 * @ATTN_TALLY_TOP: a text with one of the largest values, the largest first
 * @ATTN_TALLY_BOTTOM: a text with one of the smallest values, the smallest first
 * @ATTN_TALLY_TENTH: the first text whose value is in one tenth of the histogram's range
 */
typedef enum
{
  ATTN_TALLY_TOP,
  ATTN_TALLY_BOTTOM,
  ATTN_TALLY_TENTH,
} AttnTallyPlace;

/**
 * AttnTallyText:
 * @number: number of the text in the survey
 * @value: the text's value; NaN for %ATTN_TALLY_TENTH, which does not keep the value
 * @low: the smallest value of the tenth of the range; only for %ATTN_TALLY_TENTH
 * @high: the largest value of the tenth; values beyond the range are in the first and the last one
 */
typedef struct
{
  guint64 number;
  AttnTallyPlace place;
  double value;
  double low;
  double high;
} AttnTallyText;

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
gsize      attn_tally_list_texts (const AttnTally *tally,
                               gsize          cell,
                               AttnTallyText  texts[ATTN_TALLY_TEXTS]);
double     attn_tally_get_edge (const AttnTally *tally,
                               gsize          edge);
double     attn_tally_get_bin (const AttnTally *tally,
                               gsize          bin);
gboolean   attn_tally_save    (const AttnTally *tally,
                               const char    *name,
                               guint          n_dims,
                               const gsize   *shape,
                               AttnArrayFile *file,
                               GError       **error);
gboolean   attn_tally_check    (gsize                 n_cells,
                                const char           *name,
                                const AttnArrayFile  *file,
                                GError              **error);
gboolean   attn_tally_load    (AttnTally     *tally,
                               const char    *name,
                               const AttnArrayFile *file,
                               GError       **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnTally, attn_tally_free)

G_END_DECLS
