/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Resizes pictures in two passes, first the rows and then the columns, with 8-bit values between
 * the passes and fixed-point weights, as Pillow 9 to 11 does (libImaging/Resample.c). The result is
 * the same byte for byte. */

#include "config.h"

#include "attn-resample.h"

#include <math.h>
#include <string.h>

/* The number of fractional bits of fixed-point weights: 32, less 8 for the value of a pixel and 2
 * for weights beyond 1. */
#define PRECISION 22

typedef double (*Kernel) (double x);

static double
get_box (double x)
{
  return x > -0.5 && x <= 0.5 ? 1.0 : 0.0;
}

static double
get_triangle (double x)
{
  x = fabs (x);
  return x < 1.0 ? 1.0 - x : 0.0;
}

static double
get_hamming (double x)
{
  x = fabs (x);
  if (x == 0.0)
    return 1.0;
  if (x >= 1.0)
    return 0.0;
  x *= G_PI;
  return sin (x) / x * (0.54 + 0.46 * cos (x));
}

static double
get_cubic (double x)
{
  const double a = -0.5;

  x = fabs (x);
  if (x < 1.0)
    return ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
  return x < 2.0 ? (((x - 5.0) * x + 8.0) * x - 4.0) * a : 0.0;
}

static double
get_sinc (double x)
{
  if (x == 0.0)
    return 1.0;
  x *= G_PI;
  return sin (x) / x;
}

static double
get_lanczos (double x)
{
  return x >= -3.0 && x < 3.0 ? get_sinc (x) * get_sinc (x / 3.0) : 0.0;
}

static const struct
{
  Kernel kernel;
  double support;
} filters[ATTN_N_FILTERS] = {
  [ATTN_FILTER_LANCZOS] = { get_lanczos, 3.0 },
  [ATTN_FILTER_BILINEAR] = { get_triangle, 1.0 },
  [ATTN_FILTER_BICUBIC] = { get_cubic, 2.0 },
  [ATTN_FILTER_BOX] = { get_box, 0.5 },
  [ATTN_FILTER_HAMMING] = { get_hamming, 1.0 },
};

/**
 * Taps:
 * @n_most: the most input pixels that an output pixel is computed from
 * @firsts: (array): [n_out]: for each output pixel the index of the first input pixel
 * @counts: (array): [n_out]: for each output pixel the number of input pixels
 * @weights: [n_out, n_most]: their weights in fixed point
 *
 * The weights by which the output pixels of a row or column are computed from input pixels.
 */
typedef struct
{
  gsize n_most;
  gsize *firsts;
  gsize *counts;
  gint32 *weights;
} Taps;

static void
clear_taps (Taps *taps)
{
  g_free (taps->firsts);
  g_free (taps->counts);
  g_free (taps->weights);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Taps, clear_taps)

/* Computes the weights of the @n_in input pixels of a row or column for each of @n_out output
 * pixels, which cover the input from @begin to @end. */
static void
fill_taps (AttnFilter  filter,
           gsize       n_in,
           double      begin,
           double      end,
           gsize       n_out,
           Taps       *taps)
{
  double scale = (end - begin) / (double) n_out;
  double stretch = MAX (scale, 1.0);
  double support = filters[filter].support * stretch;
  g_autofree double *weights = NULL;

  taps->n_most = (gsize) ceil (support) * 2 + 1;
  taps->firsts = g_new (gsize, n_out);
  taps->counts = g_new (gsize, n_out);
  taps->weights = g_malloc0_n (n_out * taps->n_most, sizeof *taps->weights);
  weights = g_new (double, taps->n_most);
  for (gsize i = 0; i < n_out; i++)
    {
      double center = begin + ((double) i + 0.5) * scale;
      double sum = 0.0;
      /* The range of input pixels is truncated to integers as in Pillow, and limited to the
       * picture. */
      gsize first = (gsize) MAX (center - support + 0.5, 0.0);
      gsize last = (gsize) MIN (MAX (center + support + 0.5, 0.0), (double) n_in);

      last = MIN (last, first + taps->n_most);
      for (gsize k = first; k < last; k++)
        {
          weights[k - first] =
              filters[filter].kernel (((double) k - center + 0.5) * (1.0 / stretch));
          sum += weights[k - first];
        }
      taps->firsts[i] = first;
      taps->counts[i] = last > first ? last - first : 0;
      for (gsize k = 0; k < taps->counts[i]; k++)
        {
          double weight = sum != 0.0 ? weights[k] / sum : weights[k];

          taps->weights[i * taps->n_most + k] =
              (gint32) (weight * (1 << PRECISION) + (weight < 0.0 ? -0.5 : 0.5));
        }
    }
}

static guint8
round_sum (gint64 sum)
{
  return (guint8) CLAMP (sum >> PRECISION, 0, 255);
}

/* Applies the weights to each line of pixels, a row or a column. In the input and output, the
 * pixels of a line are @in_step and @out_step bytes apart, and lines @in_line and @out_line
 * bytes. */
static void
run_taps (const Taps   *taps,
          gsize         n_out,
          gsize         n_lines,
          const guint8 *in,
          gsize         in_line,
          gsize         in_step,
          guint8       *out,
          gsize         out_line,
          gsize         out_step)
{
  for (gsize line = 0; line < n_lines; line++)
    for (gsize i = 0; i < n_out; i++)
      {
        const gint32 *weights = taps->weights + i * taps->n_most;
        const guint8 *from = in + line * in_line + taps->firsts[i] * in_step;
        gint64 sums[3] = { 1 << (PRECISION - 1), 1 << (PRECISION - 1), 1 << (PRECISION - 1) };

        for (gsize k = 0; k < taps->counts[i]; k++, from += in_step)
          for (gsize channel = 0; channel < 3; channel++)
            sums[channel] += (gint64) from[channel] * weights[k];
        for (gsize channel = 0; channel < 3; channel++)
          out[line * out_line + i * out_step + channel] = round_sum (sums[channel]);
      }
}

/* Returns for each of @n_out output pixels the index of the nearest input pixel. Positions are
 * added up step by step, which gives the same rounding as in Pillow (ImagingScaleAffine of
 * libImaging/Geometry.c). */
static gsize *
list_nearest (gsize  n_in,
              double begin,
              double end,
              gsize  n_out)
{
  double step = (end - begin) / (double) n_out;
  double at = begin + step * 0.5;
  gsize *places = g_new (gsize, n_out);

  for (gsize i = 0; i < n_out; i++, at += step)
    places[i] = MIN ((gsize) MAX (at, 0.0), n_in - 1);
  return places;
}

static AttnImage *
take_nearest (const AttnImage  *image,
              gsize             width,
              gsize             height,
              const AttnBox    *box,
              GError          **error)
{
  AttnImage *out = attn_image_new (width, height, error);
  g_autofree gsize *columns = list_nearest (image->width, box->left, box->right, width);
  g_autofree gsize *rows = list_nearest (image->height, box->top, box->bottom, height);

  for (gsize y = 0; out != NULL && y < height; y++)
    for (gsize x = 0; x < width; x++)
      memcpy (out->rgb + (y * width + x) * 3,
              image->rgb + (rows[y] * image->width + columns[x]) * 3, 3);
  return out;
}

/**
 * attn_image_resize:
 * @width: the width of the result in pixels, at least 1
 * @height: its height, at least 1
 * @box: (nullable): the part of @image that the result shows, within @image and not empty; %NULL
 *   for all of it
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * Returns: (transfer full) (nullable): the picture that Pillow's Image.resize() makes without its
 *   option reducing_gap, byte for byte
 */
AttnImage *
attn_image_resize (const AttnImage  *image,
                   AttnFilter        filter,
                   gsize             width,
                   gsize             height,
                   const AttnBox    *box,
                   GError          **error)
{
  const AttnBox all = { 0.0, 0.0, (double) image->width, (double) image->height };
  const AttnBox *part = box != NULL ? box : &all;
  gboolean is_across = width != image->width || part->left != 0.0 || part->right != all.right;
  gboolean is_down = height != image->height || part->top != 0.0 || part->bottom != all.bottom;
  g_autoptr (AttnImage) between = NULL;
  g_auto (Taps) across = { 0 };
  g_auto (Taps) down = { 0 };

  if (filter == ATTN_FILTER_NEAREST)
    return take_nearest (image, width, height, part, error);
  between = attn_image_ref ((AttnImage *) image);
  if (is_across)
    {
      AttnImage *narrow = attn_image_new (width, image->height, error);

      if (narrow == NULL)
        return NULL;
      fill_taps (filter, image->width, part->left, part->right, width, &across);
      run_taps (&across, width, image->height, image->rgb, 3 * image->width, 3, narrow->rgb,
                3 * width, 3);
      attn_image_unref (between);
      between = narrow;
    }
  if (!is_down)
    return g_steal_pointer (&between);
  AttnImage *out = attn_image_new (width, height, error);
  if (out == NULL)
    return NULL;
  fill_taps (filter, image->height, part->top, part->bottom, height, &down);
  run_taps (&down, height, width, between->rgb, 3, 3 * width, out->rgb, 3, 3 * width);
  return out;
}
