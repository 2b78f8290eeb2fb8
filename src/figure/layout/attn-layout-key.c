/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The key of a chart: the names of its curves, in lines above the chart, where no curve runs. */

#include "config.h"

#include "attn-layout-private.h"

#include <math.h>
#include <string.h>

#include "attn-lettering.h"
#include "attn-markup.h"

/* Sizes of the parts of a chart's key, relative to the size of its text. */
#define KEY_RATIO  0.85 /* size of the text in a chart's key, relative to the text of the figure */
#define SAMPLE     1.6  /* length of a line */
#define SAMPLE_GAP 0.4
#define ENTRY_GAP  1.4

/* The difference, as a share of the axis, below which curves are drawn as one and share an entry of
 * the key. */
#define SAME_CURVE 0.01

/* The largest number of names in an entry of the key; of more names, the first is shown and the
 * others are counted. */
#define MAX_NAMES 3

/* The largest number of entries of a chart's key, of which each has a colour. */
#define MAX_ENTRIES 12

/* The largest number of lines of a chart's key on a page of bounded height. */
#define MAX_SCREEN_LINES 3

#define LINE_WIDTH 1.4 /* points */

/* Indices of the curves of a panel on the left axis and on the right axis, -1 for none. */
typedef struct
{
  const char *name;
  gssize curves[2];
} Panel;

/* Returns the largest value of the curves of the left or right axis; for the left axis, at least 1,
 * up to which it always goes. */
static double
find_highest (const AttnChart *chart,
              gboolean         is_right)
{
  double highest = is_right ? 0 : 1;

  for (gsize i = 0; i < chart->n_curves; i++)
    for (gsize j = 0; chart->curves[i].is_right == is_right && j < chart->n; j++)
      if (isfinite (chart->curves[i].values[j]) && chart->curves[i].values[j] > highest)
        highest = chart->curves[i].values[j];
  return highest;
}

/* Tells whether the curves of two panels look the same. @most: (array fixed-size=2): the largest
 * difference of their values, at the left axis and at the right */
static gboolean
are_same (const AttnChart *chart,
          const Panel     *a,
          const Panel     *b,
          const double    *most)
{
  for (gsize side = 0; side < 2; side++)
    {
      if (a->curves[side] < 0 && b->curves[side] < 0)
        continue;
      if (a->curves[side] < 0 || b->curves[side] < 0)
        return FALSE;
      const double *first = chart->curves[a->curves[side]].values;
      const double *second = chart->curves[b->curves[side]].values;
      for (gsize i = 0; i < chart->n; i++)
        if (isfinite (first[i]) != isfinite (second[i]) ||
            fabs (first[i] - second[i]) > most[side])
          return FALSE;
    }
  return TRUE;
}

/* Lists the panels that have curves, in the order of their first curves. */
static GArray *
list_panels (const AttnChart *chart)
{
  GArray *panels = g_array_new (FALSE, FALSE, sizeof (Panel));
  g_autoptr (GHashTable) places = g_hash_table_new (g_str_hash, g_str_equal);

  for (gsize i = 0; i < chart->n_curves; i++)
    {
      const AttnCurve *curve = &chart->curves[i];
      gpointer place;

      if (!g_hash_table_lookup_extended (places, curve->key, NULL, &place))
        {
          const Panel panel = { curve->key, { -1, -1 } };

          place = GUINT_TO_POINTER (panels->len);
          g_hash_table_insert (places, curve->key, place);
          g_array_append_val (panels, panel);
        }
      g_array_index (panels, Panel, GPOINTER_TO_UINT (place)).curves[curve->is_right] = (gssize) i;
    }
  return panels;
}

/* Joins the names of panels that share an entry of the key, by semicolons if a name has a comma of
 * its own. Returns: (transfer full) */
static char *
join_names (const GPtrArray *names)
{
  gboolean has_commas = FALSE;

  if (names->len > MAX_NAMES)
    return g_strdup_printf ("%s and %u more", (const char *) names->pdata[0], names->len - 1);
  GString *text = g_string_new (names->pdata[0]);
  for (guint i = 0; i < names->len; i++)
    has_commas = has_commas || strchr (names->pdata[i], ',') != NULL;
  for (guint i = 1; i < names->len; i++)
    g_string_append_printf (text, "%s%s", has_commas ? "; " : ", ",
                            (const char *) names->pdata[i]);
  return g_string_free (text, FALSE);
}

/* Gives @text to the layout, which frees the text when the layout is done. */
static const char *
keep (const AttnLayoutInput *in,
      char                  *text)
{
  g_ptr_array_add (in->arrays, text);
  return text;
}

static double
get_sample_room (const AttnLayoutKey *key)
{
  return key->is_counted ? 0 : SAMPLE + SAMPLE_GAP;
}

/* Returns the single entry of the key that stands in place of too many names. (transfer full) */
static char *
count_curves (const AttnLayoutKey *key)
{
  return g_strdup_printf ("A curve for each of %zu panels", key->n_panels);
}

static void
set_entry (AttnLayoutKey *key,
           gsize          entry,
           char          *name)
{
  g_autofree char *markup = attn_markup_from_text (name);

  key->names[entry] = keep (key->in, name);
  key->widths[entry] =
      get_sample_room (key) + attn_lettering_measure (key->in->style.font_family, markup, 1);
}

/* Makes the key of the grid's chart if there is one alone: an entry for each set of panels whose
 * curves look the same. The key is empty if curves do not name their panels. */
AttnLayoutKey
attn_layout_key_new (const AttnLayoutInput *in)
{
  const GPtrArray *charts = in->grid->charts;
  const AttnChart *chart = charts != NULL && charts->len == 1 ? charts->pdata[0] : NULL;
  AttnLayoutKey key = { .in = in };
  g_autoptr (GPtrArray) lists = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  gsize firsts[MAX_ENTRIES]; /* the first panel of each entry */

  if (chart == NULL || chart->n_curves == 0 || chart->curves[0].key == NULL)
    return key;
  g_autoptr (GArray) panels = list_panels (chart);
  const double most[] = { SAME_CURVE * find_highest (chart, FALSE),
                          SAME_CURVE * find_highest (chart, TRUE) };
  key.of_curve = attn_layout_allocate (in, chart->n_curves, sizeof *key.of_curve);
  key.colors = attn_layout_allocate (in, MAX_ENTRIES, sizeof *key.colors);
  key.names = attn_layout_allocate (in, MAX_ENTRIES, sizeof *key.names);
  key.widths = attn_layout_allocate (in, MAX_ENTRIES, sizeof *key.widths);
  for (guint i = 0; i < panels->len && !key.is_counted; i++)
    {
      const Panel *panel = &g_array_index (panels, Panel, i);
      gsize entry = 0;

      while (entry < key.n &&
             !are_same (chart, panel, &g_array_index (panels, Panel, firsts[entry]), most))
        entry++;
      if (entry == MAX_ENTRIES)
        {
          key.is_counted = TRUE;
          break;
        }
      if (entry == key.n)
        {
          key.colors[entry] = firsts[entry] = i;
          g_ptr_array_add (lists, g_ptr_array_new ());
          key.n++;
        }
      g_ptr_array_add (lists->pdata[entry], (char *) panel->name);
      for (gsize side = 0; side < 2; side++)
        if (panel->curves[side] >= 0)
          key.of_curve[panel->curves[side]] = entry;
    }
  key.n_panels = panels->len;
  if (key.is_counted)
    key.n = 1;
  for (gsize i = 0; i < key.n; i++)
    set_entry (&key, i, key.is_counted ? count_curves (&key) : join_names (lists->pdata[i]));
  return key;
}

/* Sets the colour and the dashes by which an entry of the key and its curves are drawn. */
void
attn_layout_key_set_look (const AttnLayoutKey *key,
                          gsize                entry,
                          AttnMark            *mark)
{
  gsize n_before = 0;

  for (gsize i = 0; i < entry; i++)
    n_before += key->colors[i] % ATTN_N_DISTINCT == key->colors[entry] % ATTN_N_DISTINCT;
  attn_layout_set_distinct (&key->in->style, key->colors[entry], n_before, mark);
}

/* Returns the number of lines of @width points that the entries of the key take at a size of
 * text. */
static gsize
count_lines (const AttnLayoutKey *key,
             double               width,
             double               size)
{
  gsize n = key->n > 0 ? 1 : 0;
  double x = 0;

  for (gsize i = 0; i < key->n; i++)
    {
      double entry = key->widths[i] * size;

      if (x > 0 && x + entry > width)
        {
          n++;
          x = 0;
        }
      x += entry + ENTRY_GAP * size;
    }
  return n;
}

/* Returns the height of a line of a key, in points. */
double
attn_layout_key_get_line (const AttnLayoutInput *in)
{
  return KEY_RATIO * in->style.font_size * ATTN_LETTERING_HEIGHT;
}

/* Returns the height of the key above a chart of this width, in points. On a page of bounded height
 * the key has at most MAX_SCREEN_LINES lines, to leave room for the figure. */
double
attn_layout_key_get_height (const AttnLayoutKey *key,
                            double               width)
{
  gsize n = count_lines (key, width, KEY_RATIO * key->in->style.font_size);

  return (key->in->page_height > 0 ? MIN (n, MAX_SCREEN_LINES) : n) *
         attn_layout_key_get_line (key->in);
}

/* Adds the key of a chart at the top of @room. If the names have no room even in the smallest text,
 * one entry tells how many curves there are. */
void
attn_layout_key_add (const AttnLayoutKey *key,
                     AttnScene           *scene,
                     const AttnRectangle *room)
{
  double largest = KEY_RATIO * key->in->style.font_size;
  double size = largest;
  gsize n_lines = MAX ((gsize) (room->height / attn_layout_key_get_line (key->in) + 0.5), 1);
  double x = 0;
  gsize line = 0;

  while (size > ATTN_LAYOUT_SMALLEST_TEXT && count_lines (key, room->width, size) > n_lines)
    size = MAX (size - 0.25, MIN (ATTN_LAYOUT_SMALLEST_TEXT, largest));
  if (key->n > 1 && count_lines (key, room->width, size) > n_lines)
    {
      AttnLayoutKey counted = *key;
      const char *name;
      double width;

      counted.is_counted = TRUE;
      counted.n = 1;
      counted.names = &name;
      counted.widths = &width;
      set_entry (&counted, 0, count_curves (key));
      attn_layout_key_add (&counted, scene, room);
      return;
    }
  for (gsize i = 0; i < key->n; i++)
    {
      g_autofree char *markup = attn_markup_from_text (key->names[i]);
      double entry = key->widths[i] * size;
      double text_size = size;

      if (x > 0 && x + entry > room->width)
        {
          line++;
          x = 0;
        }
      double y = room->y + (line * ATTN_LETTERING_HEIGHT + ATTN_LETTERING_ASCENT) * size;
      double before = get_sample_room (key) * size;
      if (before > 0)
        {
          AttnMark *sample = attn_scene_add_line (scene, -1, "key-line", room->x + x,
                                                  y - size * ATTN_LETTERING_MIDDLE,
                                                  SAMPLE * size, 0);
          sample->line_width = LINE_WIDTH;
          attn_layout_key_set_look (key, i, sample);
        }
      char *text = attn_layout_fit_text (key->in->style.font_family, markup,
                                         room->width - before, &text_size);
      attn_scene_add_text (scene, -1, "key", text, room->x + x + before, y, text_size,
                           ATTN_ANCHOR_START, 0);
      x += entry + ENTRY_GAP * size;
    }
}
