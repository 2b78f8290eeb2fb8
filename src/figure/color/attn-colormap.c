/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-colormap.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-colormap-tables.h"
#include "attn-error.h"

/* Moreland's diverging map as he publishes it: 33 control points, equally far apart, joined by
 * straight lines in sRGB. K. Moreland, "Diverging Color Maps for Scientific Visualization", 2009.
 */
static const double coolwarm_points[33][3] = {
  { 0.22981, 0.29872, 0.75368 },
  { 0.26623, 0.35309, 0.80147 },
  { 0.30387, 0.40654, 0.84496 },
  { 0.34280, 0.45876, 0.88373 },
  { 0.38301, 0.50942, 0.91739 },
  { 0.42437, 0.55815, 0.94562 },
  { 0.46667, 0.60456, 0.96815 },
  { 0.50964, 0.64828, 0.98479 },
  { 0.55295, 0.68893, 0.99538 },
  { 0.59626, 0.72615, 0.99984 },
  { 0.63918, 0.75960, 0.99815 },
  { 0.68129, 0.78896, 0.99036 },
  { 0.72219, 0.81395, 0.97657 },
  { 0.76146, 0.83430, 0.95695 },
  { 0.79869, 0.84979, 0.93169 },
  { 0.83347, 0.86021, 0.90107 },
  { 0.86540, 0.86541, 0.86540 },
  { 0.89779, 0.84894, 0.82088 },
  { 0.92413, 0.82738, 0.77451 },
  { 0.94447, 0.80093, 0.72674 },
  { 0.95885, 0.76977, 0.67801 },
  { 0.96733, 0.73413, 0.62875 },
  { 0.96995, 0.69427, 0.57938 },
  { 0.96681, 0.65042, 0.53026 },
  { 0.95800, 0.60284, 0.48178 },
  { 0.94366, 0.55175, 0.43424 },
  { 0.92394, 0.49731, 0.38797 },
  { 0.89905, 0.43956, 0.34323 },
  { 0.86919, 0.37831, 0.30027 },
  { 0.83462, 0.31287, 0.25930 },
  { 0.79563, 0.24128, 0.22053 },
  { 0.75253, 0.15725, 0.18412 },
  { 0.70567, 0.01556, 0.15023 },
};

/* ColorBrewer 2.0, Cynthia Brewer, Mark Harrower and The Pennsylvania State University. */
static const guint32 blues_points[] = {
  0xf7fbff,
  0xdeebf7,
  0xc6dbef,
  0x9ecae1,
  0x6baed6,
  0x4292c6,
  0x2171b5,
  0x08519c,
  0x08306b,
};
static const guint32 rdbu_points[] = {
  0x67001f,
  0xb2182b,
  0xd6604d,
  0xf4a582,
  0xfddbc7,
  0xf7f7f7,
  0xd1e5f0,
  0x92c5de,
  0x4393c3,
  0x2166ac,
  0x053061,
};

/* Blue and a dark grey: two colours and nothing between them. */
static const AttnRgb on_color = { 0x00, 0x72, 0xb2 };
static const AttnRgb off_color = { 0x4a, 0x4a, 0x4a };

static const char *names[ATTN_N_COLORMAPS] = {
  [ATTN_COLORMAP_COOLWARM] = "coolwarm",
  [ATTN_COLORMAP_BLUES] = "Blues",
  [ATTN_COLORMAP_VIRIDIS] = "viridis",
  [ATTN_COLORMAP_MAGMA] = "magma",
  [ATTN_COLORMAP_CIVIDIS] = "cividis",
  [ATTN_COLORMAP_RDBU] = "RdBu",
  [ATTN_COLORMAP_GRAY] = "gray",
  [ATTN_COLORMAP_ON_OFF] = "on-off",
};

/* A map and the same from its upper end. */
typedef struct
{
  const char *name; /* interned */
  AttnRgb table[ATTN_COLORMAP_SIZE];
  AttnRgb reversed[ATTN_COLORMAP_SIZE];
} Map;

/* Maps are never freed: a style that names one is a plain value that anybody may keep. Written
 * under the lock before the number of them grows. */
static Map *maps[ATTN_COLORMAP_MAX];
static int n_maps;
static GMutex maps_mutex;

static AttnRgb
unpack (guint32 color)
{
  return (AttnRgb) { color >> 16 & 0xff, color >> 8 & 0xff, color & 0xff };
}

static void
fill_from_table (AttnRgb       *table,
                 const guint32 *colors)
{
  for (guint i = 0; i < ATTN_COLORMAP_SIZE; i++)
    table[i] = unpack (colors[i]);
}

/* Straight lines in sRGB between @n_points equally spaced points. */
static void
fill_from_points (AttnRgb *table, const double (*points)[3], guint n_points)
{
  for (guint i = 0; i < ATTN_COLORMAP_SIZE; i++)
    {
      double position = (double) i / (ATTN_COLORMAP_SIZE - 1) * (n_points - 1);
      guint point = MIN ((guint) position, n_points - 2);
      double t = position - point;
      double rgb[3];

      for (guint c = 0; c < 3; c++)
        rgb[c] = 255 * ((1 - t) * points[point][c] + t * points[point + 1][c]);
      table[i] = (AttnRgb) { lround (rgb[0]), lround (rgb[1]), lround (rgb[2]) };
    }
}

static void
fill_from_anchors (AttnRgb       *table,
                   const guint32 *anchors,
                   guint          n_anchors)
{
  double points[16][3];

  g_assert (n_anchors <= G_N_ELEMENTS (points));
  for (guint i = 0; i < n_anchors; i++)
    {
      AttnRgb color = unpack (anchors[i]);
      points[i][0] = color.red / 255.0;
      points[i][1] = color.green / 255.0;
      points[i][2] = color.blue / 255.0;
    }
  fill_from_points (table, (const double (*)[3]) points, n_anchors);
}

static void
reverse (Map *map)
{
  for (guint i = 0; i < ATTN_COLORMAP_SIZE; i++)
    map->reversed[i] = map->table[ATTN_COLORMAP_SIZE - 1 - i];
}

static gpointer
fill_tables (gpointer data)
{
  const double gray_points[2][3] = { { 0, 0, 0 }, { 1, 1, 1 } };

  for (guint i = 0; i < ATTN_N_COLORMAPS; i++)
    {
      maps[i] = g_new0 (Map, 1);
      maps[i]->name = names[i];
    }
  fill_from_points (maps[ATTN_COLORMAP_COOLWARM]->table, coolwarm_points,
                    G_N_ELEMENTS (coolwarm_points));
  fill_from_anchors (maps[ATTN_COLORMAP_BLUES]->table, blues_points, G_N_ELEMENTS (blues_points));
  fill_from_table (maps[ATTN_COLORMAP_VIRIDIS]->table, viridis_table);
  fill_from_table (maps[ATTN_COLORMAP_MAGMA]->table, magma_table);
  fill_from_table (maps[ATTN_COLORMAP_CIVIDIS]->table, cividis_table);
  fill_from_anchors (maps[ATTN_COLORMAP_RDBU]->table, rdbu_points, G_N_ELEMENTS (rdbu_points));
  fill_from_points (maps[ATTN_COLORMAP_GRAY]->table, gray_points, G_N_ELEMENTS (gray_points));
  for (guint i = 0; i < ATTN_COLORMAP_SIZE; i++)
    maps[ATTN_COLORMAP_ON_OFF]->table[i] = i < ATTN_COLORMAP_SIZE / 2 ? off_color : on_color;
  for (guint i = 0; i < ATTN_N_COLORMAPS; i++)
    reverse (maps[i]);
  g_atomic_int_set (&n_maps, ATTN_N_COLORMAPS);
  return NULL;
}

static const Map *
get_map (AttnColormap colormap)
{
  static GOnce once = G_ONCE_INIT;

  g_once (&once, fill_tables, NULL);
  g_return_val_if_fail ((guint) colormap < (guint) g_atomic_int_get (&n_maps), NULL);
  return maps[colormap];
}

/**
 * attn_colormap_get_table:
 * @colormap: which map
 *
 * Returns: (array fixed-size=256): the colours from the lower to the upper end. Built on first use;
 *   any thread may call.
 */
const AttnRgb *
attn_colormap_get_table (AttnColormap colormap)
{
  const Map *map = get_map (colormap);

  return map != NULL ? map->table : NULL;
}

/**
 * attn_colormap_get_reversed_table:
 * @colormap: which map
 *
 * Returns: (array fixed-size=256): the colours from the upper to the lower end
 */
const AttnRgb *
attn_colormap_get_reversed_table (AttnColormap colormap)
{
  const Map *map = get_map (colormap);

  return map != NULL ? map->reversed : NULL;
}

/**
 * attn_colormap_get:
 * @colormap: which map
 * @position: 0 to 1; beyond that the colour of the end
 *
 * The interval is divided into 256 equal parts, the way matplotlib does it: the colour is that of
 * table entry floor (256 @position).
 *
 * Returns: the colour; %ATTN_COLOR_NAN for NaN
 */
AttnRgb
attn_colormap_get (AttnColormap colormap,
                   double       position)
{
  const AttnRgb *table = attn_colormap_get_table (colormap);

  if (isnan (position) || table == NULL)
    return ATTN_COLOR_NAN;
  double index = CLAMP (position * ATTN_COLORMAP_SIZE, 0, ATTN_COLORMAP_SIZE - 1);
  return table[(guint) index];
}

/**
 * attn_rgb_parse:
 * @text: such as "#1f77b4"
 * @color: (out): left alone on failure
 *
 * Returns: whether @text is a colour
 */
gboolean
attn_rgb_parse (const char *text,
                AttnRgb    *color)
{
  guint64 value;

  if (text[0] != '#' || strlen (text) != 7 ||
      !g_ascii_string_to_unsigned (text + 1, 16, 0, 0xffffff, &value, NULL))
    return FALSE;
  *color = (AttnRgb) { value >> 16, value >> 8 & 0xff, value & 0xff };
  return TRUE;
}

/**
 * attn_colormap_get_name:
 *
 * Returns: the name that users know it by, such as "coolwarm", or under which it was registered;
 *   not translated
 */
const char *
attn_colormap_get_name (AttnColormap colormap)
{
  const Map *map = get_map (colormap);

  return map != NULL ? map->name : NULL;
}

/**
 * attn_colormap_parse:
 * @name: a name as [func@attn_colormap_get_name] gives it, in any case
 * @colormap: (out): the map
 * @error: return location for %ATTN_ERROR_ARGUMENT, which lists the names there are
 */
gboolean
attn_colormap_parse (const char    *name,
                     AttnColormap  *colormap,
                     GError       **error)
{
  get_map (0);
  for (int i = g_atomic_int_get (&n_maps) - 1; i >= 0; i--)
    if (g_ascii_strcasecmp (name, maps[i]->name) == 0)
      {
        *colormap = i;
        return TRUE;
      }

  g_autoptr (GString) known = g_string_new (names[0]);
  for (guint i = 1; i < ATTN_N_COLORMAPS; i++)
    g_string_append_printf (known, ", %s", names[i]);
  g_set_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT,
               _("colour map: found “%s”, expected one of %s"), name, known->str);
  return FALSE;
}

/**
 * attn_colormap_register:
 * @name: the name by which it is known from now on
 * @colors: [n_colors, 3], row-major: red, green and blue, 0 to 1, equally far apart, from the lower
 *   end
 * @n_colors: 2 to %ATTN_COLORMAP_MAX_COLORS; between them are straight lines in sRGB
 * @colormap: (out): the map, for as long as the program runs
 * @error: return location for %ATTN_ERROR_ARGUMENT: the name of a map that comes with the program,
 *   and %ATTN_ERROR_LIMIT: more than %ATTN_COLORMAP_MAX maps
 *
 * The same colours under the same name are the same map. Other colours under a name that is taken,
 * as of a file that has changed, are a new map, and the name means that one from then on. Any
 * thread may call.
 */
gboolean
attn_colormap_register (const char    *name,
                        const double  *colors,
                        gsize          n_colors,
                        AttnColormap  *colormap,
                        GError       **error)
{
  g_autofree Map *map = g_new0 (Map, 1);

  g_return_val_if_fail (n_colors >= 2 && n_colors <= ATTN_COLORMAP_MAX_COLORS, FALSE);

  get_map (0);
  fill_from_points (map->table, (const double (*)[3]) colors, n_colors);
  reverse (map);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&maps_mutex);
  for (int i = 0; i < n_maps; i++)
    if (g_ascii_strcasecmp (maps[i]->name, name) == 0)
      {
        if (memcmp (maps[i]->table, map->table, sizeof map->table) == 0)
          {
            *colormap = i;
            return TRUE;
          }
        if (i < ATTN_N_COLORMAPS)
          {
            g_set_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT,
                         _("colour map: “%s” comes with the program, expected another name"),
                         name);
            return FALSE;
          }
      }
  if (n_maps == ATTN_COLORMAP_MAX)
    {
      g_set_error (error, ATTN_ERROR, ATTN_ERROR_LIMIT,
                   _("colour map: %d are open, expected no more"), ATTN_COLORMAP_MAX);
      return FALSE;
    }
  map->name = g_intern_string (name);
  *colormap = n_maps;
  maps[n_maps] = g_steal_pointer (&map);
  g_atomic_int_inc (&n_maps);
  return TRUE;
}
