/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-colormap.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-colormap-tables.h"
#include "attn-error.h"

/* A colour map and its reverse. */
typedef struct
{
  const char *name; /* interned */
  AttnRgb table[ATTN_COLORMAP_SIZE];
  AttnRgb reversed[ATTN_COLORMAP_SIZE];
} Map;

/* All maps. They are never freed, as a style is a plain value that refers to them and may be kept
 * by anybody. Written under the lock before @n_maps grows, so that reading needs no lock. */
static Map *maps[ATTN_COLORMAP_MAX];
static int n_maps;
static GMutex maps_mutex;

/* Makes a colour map by linear interpolation in sRGB between @n_points equally spaced colours. */
static Map *
map_new (const char *name, const double (*points)[3], guint n_points)
{
  Map *map = g_new (Map, 1);

  map->name = name;
  for (guint i = 0; i < ATTN_COLORMAP_SIZE; i++)
    {
      double position = (double) i / (ATTN_COLORMAP_SIZE - 1) * (n_points - 1);
      guint point = MIN ((guint) position, n_points - 2);
      double t = position - point;
      double rgb[3];

      for (guint c = 0; c < 3; c++)
        rgb[c] = 255 * ((1 - t) * points[point][c] + t * points[point + 1][c]);
      map->table[i] = (AttnRgb) { lround (rgb[0]), lround (rgb[1]), lround (rgb[2]) };
      map->reversed[ATTN_COLORMAP_SIZE - 1 - i] = map->table[i];
    }
  return map;
}

static Map *
map_new_packed (const char    *name,
                const guint32 *colors,
                guint          n_colors)
{
  double points[ATTN_COLORMAP_SIZE][3];

  g_assert (n_colors <= G_N_ELEMENTS (points));
  for (guint i = 0; i < n_colors; i++)
    for (guint c = 0; c < 3; c++)
      points[i][c] = (colors[i] >> (16 - 8 * c) & 0xff) / 255.0;
  return map_new (name, (const double (*)[3]) points, n_colors);
}

static gpointer
make_maps (gpointer data)
{
  guint32 on_off[ATTN_COLORMAP_SIZE];

  for (guint i = 0; i < ATTN_COLORMAP_SIZE; i++)
    on_off[i] = i < ATTN_COLORMAP_SIZE / 2 ? OFF_COLOR : ON_COLOR;
  maps[ATTN_COLORMAP_COOLWARM] =
      map_new ("coolwarm", coolwarm_points, G_N_ELEMENTS (coolwarm_points));
  maps[ATTN_COLORMAP_BLUES] = map_new_packed ("Blues", blues_points, G_N_ELEMENTS (blues_points));
  maps[ATTN_COLORMAP_VIRIDIS] = map_new_packed ("viridis", viridis_table, ATTN_COLORMAP_SIZE);
  maps[ATTN_COLORMAP_MAGMA] = map_new_packed ("magma", magma_table, ATTN_COLORMAP_SIZE);
  maps[ATTN_COLORMAP_CIVIDIS] = map_new_packed ("cividis", cividis_table, ATTN_COLORMAP_SIZE);
  maps[ATTN_COLORMAP_RDBU] = map_new_packed ("RdBu", rdbu_points, G_N_ELEMENTS (rdbu_points));
  maps[ATTN_COLORMAP_GRAY] = map_new_packed ("gray", gray_points, G_N_ELEMENTS (gray_points));
  maps[ATTN_COLORMAP_ON_OFF] = map_new_packed ("on-off", on_off, ATTN_COLORMAP_SIZE);
  g_atomic_int_set (&n_maps, ATTN_N_COLORMAPS);
  return NULL;
}

static const Map *
get_map (AttnColormap colormap)
{
  static GOnce once = G_ONCE_INIT;

  g_once (&once, make_maps, NULL);
  g_return_val_if_fail ((guint) colormap < (guint) g_atomic_int_get (&n_maps), NULL);
  return maps[colormap];
}

/**
 * attn_colormap_get_table:
 * @colormap: which map
 * @is_reversed: whether the table begins with the upper end of the map
 *
 * Returns: (array fixed-size=256): the colours from the lower to the upper end. Built on first use;
 *   any thread may call.
 */
const AttnRgb *
attn_colormap_get_table (AttnColormap colormap,
                         gboolean     is_reversed)
{
  const Map *map = get_map (colormap);

  g_return_val_if_fail (map != NULL, NULL);

  return is_reversed ? map->reversed : map->table;
}

/**
 * attn_rgb_parse:
 * @text: such as "#1f77b4"
 * @color: (out): left alone on failure
 *
 * Returns: whether @text is "#" and six hexadecimal digits
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

  g_autoptr (GString) known = g_string_new (maps[0]->name);
  for (guint i = 1; i < ATTN_N_COLORMAPS; i++)
    g_string_append_printf (known, ", %s", maps[i]->name);
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("colour map: found “%s”, expected one of %s"), name, known->str);
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
  g_return_val_if_fail (n_colors >= 2 && n_colors <= ATTN_COLORMAP_MAX_COLORS, FALSE);

  get_map (0);
  g_autofree Map *map =
      map_new (g_intern_string (name), (const double (*)[3]) colors, n_colors);
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
          return attn_fail (error, ATTN_ERROR_ARGUMENT,
                            _("colour map: “%s” comes with the program, expected another name"),
                            name);
      }
  if (n_maps == ATTN_COLORMAP_MAX)
    return attn_fail (error, ATTN_ERROR_LIMIT, _("colour map: %d are open, expected no more"),
                      ATTN_COLORMAP_MAX);
  *colormap = n_maps;
  maps[n_maps] = g_steal_pointer (&map);
  g_atomic_int_inc (&n_maps);
  return TRUE;
}
