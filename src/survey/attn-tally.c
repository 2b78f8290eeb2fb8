/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-tally.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-error.h"

/* Sums are integers in units of 2^-60 with 128 bits. Adding integers is exact, so that texts can be
 * added and tallies merged in any order. The 128 bits hold the squares of 2^40 values up to 2^13,
 * of 2^26 values up to 2^20, and so on. */
#define UNIT 0x1p60

/* Largest magnitude of a value that can be added to the sums of a tally. */
#define LARGEST 0x1p26

__extension__ typedef __int128 Sum;
__extension__ typedef unsigned __int128 Bits;

/* The most extreme values of a cell and their texts, the most extreme first. Of equal values the
 * text with the lower number comes first. */
typedef struct
{
  double values[ATTN_TALLY_EXTREMES];
  gint64 texts[ATTN_TALLY_EXTREMES];
} Extremes;

typedef struct
{
  guint64 count;
  Sum sum;
  Sum squares;
  guint64 histogram[ATTN_TALLY_BINS];
  Extremes top;
  Extremes bottom;
  gint64 tenths[ATTN_TALLY_TENTHS];
} Cell;

struct _AttnTally
{
  gsize n_cells;
  double minimum;
  double maximum;
  Cell *cells;
};

/**
 * attn_tally_new:
 * @n_cells: how many numbers each text has
 * @minimum: the left edge of the histogram; smaller values count in the first bin
 * @maximum: the right edge of the histogram; larger values count in the last bin. Where both edges
 *   are above 0, the bins are equal on a logarithmic scale, else on a linear one.
 *
 * Returns: (transfer full): a tally of no texts
 */
AttnTally *
attn_tally_new (gsize  n_cells,
                double minimum,
                double maximum)
{
  AttnTally *tally = g_new0 (AttnTally, 1);

  tally->n_cells = n_cells;
  tally->minimum = minimum;
  tally->maximum = maximum;
  tally->cells = g_new0 (Cell, n_cells);
  for (gsize i = 0; i < n_cells; i++)
    {
      Cell *cell = &tally->cells[i];

      for (gsize j = 0; j < ATTN_TALLY_EXTREMES; j++)
        {
          cell->top.texts[j] = cell->bottom.texts[j] = ATTN_TALLY_NONE;
          cell->top.values[j] = cell->bottom.values[j] = NAN;
        }
      for (gsize j = 0; j < ATTN_TALLY_TENTHS; j++)
        cell->tenths[j] = ATTN_TALLY_NONE;
    }
  return tally;
}

void
attn_tally_free (AttnTally *tally)
{
  if (tally == NULL)
    return;
  g_free (tally->cells);
  g_free (tally);
}

/* Puts a value in its place among the extreme values, if it is one of them. @sign: 1 for the
 * largest values, -1 for the smallest values */
static void
add_extreme (Extremes *extremes,
             double    sign,
             double    value,
             gint64    text)
{
  gsize place = ATTN_TALLY_EXTREMES;

  if (text == ATTN_TALLY_NONE)
    return;
  for (; place > 0; place--)
    {
      double other = sign * extremes->values[place - 1];

      if (extremes->texts[place - 1] != ATTN_TALLY_NONE &&
          (sign * value < other ||
           (sign * value == other && text > extremes->texts[place - 1])))
        break;
    }
  if (place == ATTN_TALLY_EXTREMES)
    return;
  gsize n = ATTN_TALLY_EXTREMES - 1 - place;
  memmove (&extremes->values[place + 1], &extremes->values[place], n * sizeof (double));
  memmove (&extremes->texts[place + 1], &extremes->texts[place], n * sizeof (gint64));
  extremes->values[place] = value;
  extremes->texts[place] = text;
}

static void
add_tenth (Cell   *cell,
           gsize   tenth,
           gint64  text)
{
  if (text != ATTN_TALLY_NONE &&
      (cell->tenths[tenth] == ATTN_TALLY_NONE || text < cell->tenths[tenth]))
    cell->tenths[tenth] = text;
}

/* Returns the relative position of a value in the histogram, from 0 to 1. */
static double
get_share (const AttnTally *tally,
           double           value)
{
  double minimum = tally->minimum;
  double maximum = tally->maximum;
  double share = minimum > 0.0 ? log (MAX (value, 0.0) / minimum) / log (maximum / minimum)
                               : (value - minimum) / (maximum - minimum);

  return CLAMP (share, 0.0, 1.0);
}

/**
 * attn_tally_get_edge:
 *
 * Returns: the value at the left edge of bin @edge; for @edge %ATTN_TALLY_BINS, the right edge of
 *   the last bin
 */
double
attn_tally_get_edge (const AttnTally *tally,
                     gsize            edge)
{
  return tally->minimum > 0.0
             ? tally->minimum *
                   pow (tally->maximum / tally->minimum, (double) edge / ATTN_TALLY_BINS)
             : tally->minimum +
                   (tally->maximum - tally->minimum) * (double) edge / ATTN_TALLY_BINS;
}

/**
 * attn_tally_add:
 * @cell_index: index of the cell, which is one number of the text
 * @text: number of the text
 * @value: NaN where the text has no value in this cell; a value that is not finite, or whose
 *   magnitude is above 2^26, does not count
 */
void
attn_tally_add (AttnTally *tally,
                gsize      cell_index,
                guint64    text,
                double     value)
{
  g_return_if_fail (cell_index < tally->n_cells);

  Cell *cell = &tally->cells[cell_index];

  if (!(fabs (value) <= LARGEST))
    return;
  double share = get_share (tally, value);
  cell->count++;
  cell->sum += (Sum) (value * UNIT);
  cell->squares += (Sum) (value * value * UNIT);
  cell->histogram[MIN ((gsize) (share * ATTN_TALLY_BINS), ATTN_TALLY_BINS - 1)]++;
  add_extreme (&cell->top, 1.0, value, (gint64) text);
  add_extreme (&cell->bottom, -1.0, value, (gint64) text);
  add_tenth (cell, MIN ((gsize) (share * ATTN_TALLY_TENTHS), ATTN_TALLY_TENTHS - 1), (gint64) text);
}

/**
 * attn_tally_merge:
 * @other: tally of the same cells for other texts
 *
 * Adds the texts of @other. The order in which tallies are merged does not matter.
 */
void
attn_tally_merge (AttnTally       *tally,
                  const AttnTally *other)
{
  g_return_if_fail (tally->n_cells == other->n_cells && tally->minimum == other->minimum &&
                    tally->maximum == other->maximum);

  for (gsize i = 0; i < tally->n_cells; i++)
    {
      Cell *cell = &tally->cells[i];
      const Cell *added = &other->cells[i];

      cell->count += added->count;
      cell->sum += added->sum;
      cell->squares += added->squares;
      for (gsize j = 0; j < ATTN_TALLY_BINS; j++)
        cell->histogram[j] += added->histogram[j];
      for (gsize j = 0; j < ATTN_TALLY_EXTREMES; j++)
        {
          add_extreme (&cell->top, 1.0, added->top.values[j], added->top.texts[j]);
          add_extreme (&cell->bottom, -1.0, added->bottom.values[j], added->bottom.texts[j]);
        }
      for (gsize j = 0; j < ATTN_TALLY_TENTHS; j++)
        add_tenth (cell, j, added->tenths[j]);
    }
}

guint64
attn_tally_get_count (const AttnTally *tally,
                      gsize            cell)
{
  return tally->cells[cell].count;
}

/**
 * attn_tally_get_mean:
 *
 * Returns: the mean of the cell over the texts; NaN where no text counts
 */
double
attn_tally_get_mean (const AttnTally *tally,
                     gsize            cell)
{
  return (double) tally->cells[cell].sum / UNIT / (double) tally->cells[cell].count;
}

/**
 * attn_tally_get_variance:
 *
 * Returns: the variance of the cell over the texts, which is divided by the number of texts n, not
 *   n - 1; NaN where no text counts
 */
double
attn_tally_get_variance (const AttnTally *tally,
                         gsize            cell)
{
  double mean = attn_tally_get_mean (tally, cell);
  double squares =
      (double) tally->cells[cell].squares / UNIT / (double) tally->cells[cell].count;

  return MAX (squares - mean * mean, 0.0) + 0.0 * mean;
}

/**
 * attn_tally_get_histogram:
 *
 * Returns: (transfer none) (array): [%ATTN_TALLY_BINS], how many texts have a value in each bin
 */
const guint64 *
attn_tally_get_histogram (const AttnTally *tally,
                          gsize            cell)
{
  return tally->cells[cell].histogram;
}

/**
 * attn_tally_get_bin:
 *
 * Returns: the value in the middle of a bin of the histogram, on its linear or logarithmic scale
 */
double
attn_tally_get_bin (const AttnTally *tally,
                    gsize            bin)
{
  return tally->minimum > 0.0
             ? sqrt (attn_tally_get_edge (tally, bin) * attn_tally_get_edge (tally, bin + 1))
             : tally->minimum +
                   (tally->maximum - tally->minimum) * ((double) bin + 0.5) / ATTN_TALLY_BINS;
}

static gsize
add_extremes (const Extremes *extremes,
              AttnTallyPlace  place,
              AttnTallyText  *texts)
{
  gsize n = 0;

  for (; n < ATTN_TALLY_EXTREMES && extremes->texts[n] != ATTN_TALLY_NONE; n++)
    texts[n] = (AttnTallyText) {
      .number = (guint64) extremes->texts[n], .place = place, .value = extremes->values[n]
    };
  return n;
}

/**
 * attn_tally_list_texts:
 * @texts: (out caller-allocates): the texts with the largest values, with the smallest values, and
 *   the first text of each tenth of the range, in this order
 *
 * Returns: number of entries in @texts; the same text can have several entries
 */
gsize
attn_tally_list_texts (const AttnTally *tally,
                       gsize            cell_index,
                       AttnTallyText    texts[ATTN_TALLY_TEXTS])
{
  const Cell *cell = &tally->cells[cell_index];
  gsize n = add_extremes (&cell->top, ATTN_TALLY_TOP, texts);

  n += add_extremes (&cell->bottom, ATTN_TALLY_BOTTOM, texts + n);
  for (gsize i = 0; i < ATTN_TALLY_TENTHS; i++)
    if (cell->tenths[i] != ATTN_TALLY_NONE)
      texts[n++] = (AttnTallyText) {
        .number = (guint64) cell->tenths[i],
        .place = ATTN_TALLY_TENTH,
        .value = NAN,
        .low = attn_tally_get_edge (tally, i * ATTN_TALLY_BINS / ATTN_TALLY_TENTHS),
        .high = attn_tally_get_edge (tally, (i + 1) * ATTN_TALLY_BINS / ATTN_TALLY_TENTHS),
      };
  return n;
}

/* -- As arrays -- */

/* Arrays of a tally in the survey's file: the number of elements for each cell, their type and
 * their offset in #Cell. */
static const struct
{
  const char *suffix;
  AttnDtype dtype;
  gsize n;
  gsize offset;
} fields[] = {
  { "count", ATTN_DTYPE_U64, 1, offsetof (Cell, count) },
  { "sums", ATTN_DTYPE_U64, 4, offsetof (Cell, sum) }, /* sum, squares; low half first */
  { "histogram", ATTN_DTYPE_U64, ATTN_TALLY_BINS, offsetof (Cell, histogram) },
  { "top", ATTN_DTYPE_I64, ATTN_TALLY_EXTREMES, offsetof (Cell, top.texts) },
  { "top_values", ATTN_DTYPE_F64, ATTN_TALLY_EXTREMES, offsetof (Cell, top.values) },
  { "bottom", ATTN_DTYPE_I64, ATTN_TALLY_EXTREMES, offsetof (Cell, bottom.texts) },
  { "bottom_values", ATTN_DTYPE_F64, ATTN_TALLY_EXTREMES, offsetof (Cell, bottom.values) },
  { "tenths", ATTN_DTYPE_I64, ATTN_TALLY_TENTHS, offsetof (Cell, tenths) },
};

G_STATIC_ASSERT (offsetof (Cell, squares) == offsetof (Cell, sum) + sizeof (Sum));

static gboolean
add_array (AttnArrayFile  *file,
           const char     *name,
           const char     *suffix,
           AttnDtype       dtype,
           guint           n_dims,
           const gsize    *shape,
           gpointer        data,
           gsize           n_bytes,
           GError        **error)
{
  g_autofree char *whole = g_strdup_printf ("%s.%s", name, suffix);
  g_autoptr (GBytes) bytes = g_bytes_new_take (data, n_bytes);
  AttnArray *array = attn_array_new (whole, dtype, n_dims, shape, bytes, error);

  return array != NULL && attn_array_file_add (file, array, error);
}

static double
get_minimum (const AttnTally *tally,
             gsize            cell)
{
  return tally->cells[cell].bottom.values[0];
}

static double
get_maximum (const AttnTally *tally,
             gsize            cell)
{
  return tally->cells[cell].top.values[0];
}

/**
 * attn_tally_save:
 * @name: name of the statistic, which the names of its arrays begin with
 * @shape: (array length=n_dims): dimensions of the cells, such as [conditions, layers, heads]
 * @file: file to which the arrays "NAME.count", "NAME.mean" and so on are added
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * The arrays have the shape of the cells, or one more dimension behind it, such as the bins.
 * "NAME.sums" holds the sum and the sum of squares as 128-bit integers in units of 2^-60, from
 * which [func@attn_tally_load] restores the tally exactly.
 */
gboolean
attn_tally_save (const AttnTally  *tally,
                 const char       *name,
                 guint             n_dims,
                 const gsize      *shape,
                 AttnArrayFile    *file,
                 GError          **error)
{
  static const struct
  {
    const char *suffix;
    double (*get) (const AttnTally *tally,
                   gsize cell);
  } numbers[] = { { "mean", attn_tally_get_mean },
                  { "variance", attn_tally_get_variance },
                  { "minimum", get_minimum },
                  { "maximum", get_maximum } };
  const gsize n_edges = ATTN_TALLY_BINS + 1;
  gsize whole[ATTN_ARRAY_MAX_DIMS];

  g_return_val_if_fail (n_dims < ATTN_ARRAY_MAX_DIMS, FALSE);

  memcpy (whole, shape, n_dims * sizeof *shape);
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      double *values = g_new (double, tally->n_cells);

      for (gsize cell = 0; cell < tally->n_cells; cell++)
        values[cell] = numbers[i].get (tally, cell);
      if (!add_array (file, name, numbers[i].suffix, ATTN_DTYPE_F64, n_dims, shape, values,
                      tally->n_cells * sizeof (double), error))
        return FALSE;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      gsize size = fields[i].n * 8;
      char *values = g_malloc (tally->n_cells * size);

      for (gsize cell = 0; cell < tally->n_cells; cell++)
        memcpy (values + cell * size, (const char *) &tally->cells[cell] + fields[i].offset, size);
      whole[n_dims] = fields[i].n;
      if (!add_array (file, name, fields[i].suffix, fields[i].dtype,
                      fields[i].n > 1 ? n_dims + 1 : n_dims, whole, values, tally->n_cells * size,
                      error))
        return FALSE;
    }

  double *edges = g_new (double, n_edges);
  for (gsize i = 0; i < n_edges; i++)
    edges[i] = attn_tally_get_edge (tally, i);
  return add_array (file, name, "edges", ATTN_DTYPE_F64, 1, &n_edges, edges,
                    n_edges * sizeof (double), error);
}

static gboolean
check_field (gsize                 field,
             gsize                 n_cells,
             const char           *name,
             const AttnArrayFile  *file,
             const char          **values,
             GError              **error)
{
  g_autofree char *whole = g_strdup_printf ("%s.%s", name, fields[field].suffix);
  const AttnArray *array = attn_array_file_lookup (file, whole);
  gsize n_bytes = 0;

  *values =
      array != NULL && array->bytes != NULL ? g_bytes_get_data (array->bytes, &n_bytes) : NULL;
  return (*values != NULL && array->dtype == fields[field].dtype && !array->is_swapped &&
          !array->is_fortran && n_bytes % (fields[field].n * 8) == 0 &&
          n_bytes / (fields[field].n * 8) == n_cells) ||
         attn_fail (error, ATTN_ERROR_FORMAT,
                    _("%s: no “%s” of %zu cells found, expected what a survey writes"),
                    attn_array_file_get_path (file), whole, n_cells);
}

/**
 * attn_tally_check:
 * @n_cells: number of cells that are expected
 * @name: name of the statistic, which the names of its arrays begin with
 * @file: any file of arrays
 * @error: return location for %ATTN_ERROR_FORMAT
 *
 * Returns: whether @file has all arrays of a tally of @n_cells cells. Memory for the tally can then
 *   be allocated safely: it is no more than some times the size of @file
 */
gboolean
attn_tally_check (gsize                 n_cells,
                  const char           *name,
                  const AttnArrayFile  *file,
                  GError              **error)
{
  const char *values;

  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    if (!check_field (i, n_cells, name, file, &values, error))
      return FALSE;
  return TRUE;
}

/**
 * attn_tally_load:
 * @tally: without texts, with as many cells as were saved
 * @name: name of the statistic, which the names of its arrays begin with
 * @file: file with the arrays that [func@attn_tally_save] added
 * @error: return location for %ATTN_ERROR_FORMAT
 */
gboolean
attn_tally_load (AttnTally            *tally,
                 const char           *name,
                 const AttnArrayFile  *file,
                 GError              **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      gsize size = fields[i].n * 8;
      const char *values;

      if (!check_field (i, tally->n_cells, name, file, &values, error))
        return FALSE;
      for (gsize cell = 0; cell < tally->n_cells; cell++)
        memcpy ((char *) &tally->cells[cell] + fields[i].offset, values + cell * size, size);
    }
  return TRUE;
}
