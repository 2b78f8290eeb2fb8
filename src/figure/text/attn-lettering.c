/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-lettering.h"

#include <math.h>
#include <string.h>

#include "attn-cairo.h"
#include "attn-markup.h"

/* The size at which text is laid out once, to be scaled: without hinting, widths are
 * proportional. */
#define REFERENCE_SIZE 64

/* The limits of the caches. The widths of MAX_LINES lines of text, more than a figure can show,
 * take about 6 MB, and MAX_LAYOUTS layouts, which are needed for drawing, about 4 MB. */
#define MAX_LINES   65536
#define MAX_LAYOUTS 2048
#define MAX_UNKNOWN 8

typedef struct
{
  PangoLayout *layout; /* (nullable) */
  double width;        /* width of the text at the reference size */
  double baseline;     /* distance from the top of the text's layout to the baseline */
} Line;

/* The caches of a thread. Each thread has its own, as a PangoContext belongs to one thread at a
 * time. */
typedef struct
{
  PangoContext *context;
  GHashTable *families; /* interned name -> (markup -> Line) */
  GPtrArray *laid_out;  /* element-type Line: lines of text that have a layout */
  GHashTable *cut;      /* table from markup and width to the markup cut to that width */
  GHashTable *wrapped;  /* table from markup, size, width and number of lines to the wrapped
                         * lines */
  guint n_lines;
} Lettering;

static void
free_line (gpointer data)
{
  Line *line = data;

  g_clear_object (&line->layout);
  g_free (line);
}

static void
free_lettering (gpointer data)
{
  Lettering *lettering = data;

  g_hash_table_unref (lettering->families);
  g_ptr_array_unref (lettering->laid_out);
  g_hash_table_unref (lettering->cut);
  g_hash_table_unref (lettering->wrapped);
  g_object_unref (lettering->context);
  g_free (lettering);
}

static GPrivate thread_lettering = G_PRIVATE_INIT (free_lettering);

static Lettering *
get_lettering (void)
{
  Lettering *lettering = g_private_get (&thread_lettering);

  if (lettering != NULL)
    return lettering;

  g_autoptr (cairo_font_options_t) options = cairo_font_options_create ();
  cairo_font_options_set_hint_metrics (options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_hint_style (options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_antialias (options, CAIRO_ANTIALIAS_GRAY);

  lettering = g_new0 (Lettering, 1);
  lettering->context = pango_font_map_create_context (pango_cairo_font_map_get_default ());
  pango_cairo_context_set_font_options (lettering->context, options);
  pango_cairo_context_set_resolution (lettering->context, 72);
  pango_context_set_round_glyph_positions (lettering->context, FALSE);
  lettering->families =
      g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_hash_table_unref);
  lettering->laid_out = g_ptr_array_new ();
  lettering->cut = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  lettering->wrapped =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_strfreev);
  g_private_set (&thread_lettering, lettering);
  return lettering;
}

/* Lays out a line of text at the reference size. @width: (out): its width at that size */
static PangoLayout *
make_layout (Lettering  *lettering,
             const char *family,
             const char *markup,
             double     *width)
{
  g_autoptr (PangoFontDescription) font = pango_font_description_new ();
  PangoLayout *layout = pango_layout_new (lettering->context);
  PangoRectangle extents;

  pango_font_description_set_family (font, family);
  pango_font_description_set_absolute_size (font, REFERENCE_SIZE * PANGO_SCALE);
  pango_layout_set_font_description (layout, font);
  pango_layout_set_single_paragraph_mode (layout, TRUE);
  pango_layout_set_markup (layout, markup, -1);
  pango_layout_get_extents (layout, NULL, &extents);
  *width = (double) extents.width / PANGO_SCALE;
  return layout;
}

/* Gets a line of text from the cache or measures it. A line that @is_drawn has a layout. */
static Line *
get_line (const char *family,
          const char *markup,
          gboolean    is_drawn)
{
  Lettering *lettering = get_lettering ();
  const char *interned = g_intern_string (family);
  GHashTable *lines = g_hash_table_lookup (lettering->families, interned);
  Line *line = lines != NULL ? g_hash_table_lookup (lines, markup) : NULL;

  if (line != NULL && (line->layout != NULL || !is_drawn))
    return line;
  if (line == NULL && lettering->n_lines == MAX_LINES)
    {
      g_ptr_array_set_size (lettering->laid_out, 0);
      g_hash_table_remove_all (lettering->families);
      lettering->n_lines = 0;
      lines = NULL;
    }
  if (lettering->laid_out->len == MAX_LAYOUTS)
    {
      for (guint i = 0; i < MAX_LAYOUTS; i++)
        g_clear_object (&((Line *) g_ptr_array_index (lettering->laid_out, i))->layout);
      g_ptr_array_set_size (lettering->laid_out, 0);
    }
  if (lines == NULL)
    {
      lines = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_line);
      g_hash_table_insert (lettering->families, (gpointer) interned, lines);
    }
  if (line == NULL)
    {
      line = g_new0 (Line, 1);
      g_hash_table_insert (lines, g_strdup (markup), line);
      lettering->n_lines++;
    }
  line->layout = make_layout (lettering, family, markup, &line->width);
  line->baseline = (double) pango_layout_get_baseline (line->layout) / PANGO_SCALE;
  g_ptr_array_add (lettering->laid_out, line);
  return line;
}

/**
 * attn_lettering_can_show:
 * @text: plain text
 *
 * Returns: whether all its letters can be drawn, by a font of the family or by others that stand in
 *   for it
 */
gboolean
attn_lettering_can_show (const char *family,
                         const char *text)
{
  g_autofree char *markup = g_markup_escape_text (text, -1);

  return pango_layout_get_unknown_glyphs_count (get_line (family, markup, TRUE)->layout) == 0;
}

/* Adds the characters of a text that no font has, each once. Returns: %FALSE if the list is full */
static gboolean
add_unknown (const char *family,
             const char *text,
             GString    *list,
             guint      *n)
{
  if (attn_lettering_can_show (family, text))
    return TRUE;
  for (; *text != '\0'; text = g_utf8_next_char (text))
    {
      g_autofree char *letter = g_strndup (text, (gsize) (g_utf8_next_char (text) - text));
      g_autofree char *name = g_strdup_printf ("U+%04X", g_utf8_get_char (text));

      if (attn_lettering_can_show (family, letter) || strstr (list->str, name) != NULL)
        continue;
      if (*n == MAX_UNKNOWN)
        {
          g_string_append (list, " …");
          return FALSE;
        }
      g_string_append_printf (list, "%s%s", *n > 0 ? " " : "", name);
      ++*n;
    }
  return TRUE;
}

/**
 * attn_lettering_list_unknown:
 *
 * Returns: (transfer full) (nullable): the letters in a figure that no font has, as "U+1F339
 *   U+13000", the first eight of them; %NULL if there are none
 */
char *
attn_lettering_list_unknown (const AttnScene *scene)
{
  g_autoptr (GString) list = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = g_ptr_array_index (scene->marks, i);
      g_autofree char *text =
          mark->kind == ATTN_MARK_TEXT ? attn_markup_to_text (mark->markup) : NULL;

      if (text != NULL && !add_unknown (scene->style.font_family, text, list, &n))
        break;
    }
  return n > 0 ? g_string_free (g_steal_pointer (&list), FALSE) : NULL;
}

/**
 * attn_lettering_measure:
 * @family: font family
 * @markup: Pango markup, well-formed
 * @size: points
 *
 * Returns: width in points. Any thread may call; each has its own cache.
 */
double
attn_lettering_measure (const char *family,
                        const char *markup,
                        double      size)
{
  return get_line (family, markup, FALSE)->width * size / REFERENCE_SIZE;
}

/* Returns @n of the @length characters of @runs and an ellipsis: all from the beginning or, if
 * @keeps_end, half from the end. */
static char *
cut (const GPtrArray *runs,
     gsize            length,
     gsize            n,
     gboolean         keeps_end)
{
  gsize n_last = keeps_end ? n / 2 : 0;
  g_autofree char *start = attn_markup_slice (runs, 0, n - n_last);
  g_autofree char *end = attn_markup_slice (runs, length - n_last, n_last);

  return g_strconcat (start, "…", end, NULL);
}

/* Returns as much of the text in @runs as fits @width at the reference size, with an ellipsis. */
static char *
cut_runs (Lettering       *lettering,
          const char      *family,
          const GPtrArray *runs,
          double           width,
          gboolean         keeps_end)
{
  gsize length = 0;
  gsize shortest = 0;

  for (guint i = 0; i < runs->len; i++)
    length += g_utf8_strlen (((AttnRun *) g_ptr_array_index (runs, i))->text, -1);
  gsize longest = length;
  while (shortest < longest)
    {
      gsize middle = (shortest + longest + 1) / 2;
      g_autofree char *candidate = cut (runs, length, middle, keeps_end);
      double needed;

      g_object_unref (make_layout (lettering, family, candidate, &needed));
      if (needed <= width)
        shortest = middle;
      else
        longest = middle - 1;
    }
  return cut (runs, length, shortest, keeps_end);
}

static char *
ellipsize (const char *family,
           const char *markup,
           double      size,
           double      width,
           gboolean    keeps_end)
{
  if (attn_lettering_measure (family, markup, size) <= width + 1e-6)
    return g_strdup (markup);

  Lettering *lettering = get_lettering ();
  int reference_width = (int) CLAMP (floor (width * REFERENCE_SIZE / size), 0, 1e6);
  g_autofree char *key =
      g_strdup_printf ("%d %d %s\n%s", keeps_end, reference_width, family, markup);
  const char *known = g_hash_table_lookup (lettering->cut, key);

  if (known == NULL)
    {
      g_autoptr (GPtrArray) runs = attn_markup_parse (markup);
      char *cut = cut_runs (lettering, family, runs, reference_width, keeps_end);

      if (g_hash_table_size (lettering->cut) >= MAX_LINES)
        g_hash_table_remove_all (lettering->cut);
      g_hash_table_insert (lettering->cut, g_steal_pointer (&key), cut);
      known = cut;
    }
  return g_strdup (known);
}

/**
 * attn_lettering_ellipsize:
 * @width: the width that there is, in points
 *
 * Returns: (transfer full): @markup, or as much of its beginning as fits, with "…" behind it
 */
char *
attn_lettering_ellipsize (const char *family,
                          const char *markup,
                          double      size,
                          double      width)
{
  return ellipsize (family, markup, size, width, FALSE);
}

/**
 * attn_lettering_ellipsize_middle:
 * @width: the width that there is, in points
 *
 * Returns: (transfer full): @markup, or as much of its beginning and of its end as fits, with "…"
 *   between them: names may differ in their last number alone
 */
char *
attn_lettering_ellipsize_middle (const char *family,
                                 const char *markup,
                                 double      size,
                                 double      width)
{
  return ellipsize (family, markup, size, width, TRUE);
}

/* Tells whether the word from @start on is one of @words, a string in which each word is between
 * spaces. */
static gboolean
is_word_of (const char *start,
            gsize       length,
            const char *words)
{
  for (const char *word = words + 1; length > 0 && *word != '\0'; word += strcspn (word, " ") + 1)
    if (strncmp (word, start, length) == 0 && word[length] == ' ')
      return TRUE;
  return FALSE;
}

/* Tells whether the words on both sides of a space belong on one line: a sign and its operands, a
 * number and its unit, a word and the dash behind it. @text: where the text begins */
static gboolean
is_bound (const char *text,
          const char *space)
{
  static const char signs[] = " − - + ± = ≈ ≠ < > ≤ ≥ × · / → ";
  static const char dashes[] = " – — ";
  static const char units[] = " % ‰ ° bit bits nat nats mm cm pt px ms s Hz kHz ";
  const char *before = space;
  gsize length = strcspn (space + 1, " ");

  while (before > text && before[-1] != ' ')
    before--;
  /* A unit of measure, such as "bits", may end a sentence, or be followed by a comma. */
  gsize unit = length;
  while (unit > 0 && strchr (".,;:)", space[unit]) != NULL)
    unit--;
  return is_word_of (space + 1, length, signs) || is_word_of (space + 1, length, dashes) ||
         is_word_of (before, (gsize) (space - before), signs) ||
         (space > text && g_ascii_isdigit (space[-1]) && is_word_of (space + 1, unit, units));
}

/* Breaks text at spaces into lines no wider than @width if the words allow it. The last of
 * @max_lines has all that is left. Words that belong together, see is_bound(), stay on a line,
 * unless that would be wider than @limit; @limit 0 keeps nothing together. */
static GPtrArray *
break_lines (const char      *family,
             const GPtrArray *runs,
             const char      *text,
             double           size,
             double           width,
             double           limit,
             guint            max_lines)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  gsize length = g_utf8_strlen (text, -1);
  const char *line_start = text;
  gsize start = 0;

  while (start < length)
    {
      gsize ends[] = { G_MAXSIZE, G_MAXSIZE }; /* ends of lines at any space, and at spaces where
                                                * words need not stay together */
      const char *p = line_start;

      for (gsize i = start; i <= length && lines->len + 1 < max_lines;
           i++, p = g_utf8_next_char (p))
        {
          if (*p != ' ' && *p != '\0')
            continue;
          g_autofree char *line = attn_markup_slice (runs, start, i - start);
          double needed = attn_lettering_measure (family, line, size);

          for (guint whole = 0; whole < 2; whole++)
            if ((whole == 0 || *p == '\0' || !is_bound (text, p)) &&
                (needed <= width ||
                 (ends[whole] == G_MAXSIZE && (whole == 0 || needed <= limit))))
              ends[whole] = i;
          if (needed > width && (needed > limit || ends[1] != G_MAXSIZE))
            break;
        }
      gsize end = MIN (limit > 0 && ends[1] != G_MAXSIZE ? ends[1] : ends[0], length);
      gsize next = MIN (end + 1, length);
      g_ptr_array_add (lines, attn_markup_slice (runs, start, end - start));
      line_start = g_utf8_offset_to_pointer (line_start, next - start);
      start = next;
    }
  return g_steal_pointer (&lines);
}

static char **
wrap (const char *family,
      const char *markup,
      double      size,
      double      width,
      guint       max_lines)
{
  g_autoptr (GPtrArray) runs = attn_markup_parse (markup);
  g_autofree char *text = attn_markup_to_text (markup);
  g_autoptr (GPtrArray) lines = break_lines (family, runs, text, size, width, width, max_lines);
  double limit = width;
  double narrow = 0;
  double wide = width;

  if (lines->len > 0 &&
      attn_lettering_measure (family, lines->pdata[lines->len - 1], size) > width)
    {
      limit = 0;
      g_ptr_array_unref (lines);
      lines = break_lines (family, runs, text, size, width, limit, max_lines);
    }
  /* The narrowest width that gives the same number of lines makes the lines about equally long.
   * Bisection finds that width; six steps come within 2 %. */
  for (guint i = 0; i < 6 && lines->len > 1; i++)
    {
      double middle = (narrow + wide) / 2;
      g_autoptr (GPtrArray) other =
          break_lines (family, runs, text, size, middle, limit, lines->len + 1);
      gboolean fits = other->len <= lines->len;

      for (guint k = 0; k < other->len && fits; k++)
        fits = attn_lettering_measure (family, g_ptr_array_index (other, k), size) <= width;
      if (fits)
        {
          wide = middle;
          g_ptr_array_unref (lines);
          lines = g_steal_pointer (&other);
        }
      else
        narrow = middle;
    }

  char **wrapped = g_new0 (char *, lines->len + 1);
  for (guint i = 0; i < lines->len; i++)
    wrapped[i] = attn_lettering_ellipsize (family, g_ptr_array_index (lines, i), size, width);
  return wrapped;
}

/**
 * attn_lettering_wrap:
 * @width: points
 * @max_lines: at least 1
 *
 * Breaks text at spaces into as few lines as fit @width, of about the same length; a word or a last
 * line that is wider than that is cut. A sign stays with its operands and a number with its unit,
 * where that cuts nothing.
 *
 * Returns: (transfer full) (array zero-terminated=1): the markup of each line
 */
char **
attn_lettering_wrap (const char *family,
                     const char *markup,
                     double      size,
                     double      width,
                     guint       max_lines)
{
  GHashTable *cache = get_lettering ()->wrapped;
  g_autofree char *key =
      g_strdup_printf ("%a %a %u %s\n%s", size, width, max_lines, family, markup);
  char **known = g_hash_table_lookup (cache, key);

  if (known == NULL)
    {
      known = wrap (family, markup, size, width, max_lines);
      if (g_hash_table_size (cache) >= MAX_LAYOUTS)
        g_hash_table_remove_all (cache);
      g_hash_table_insert (cache, g_steal_pointer (&key), known);
    }
  return g_strdupv (known);
}

/**
 * attn_lettering_show:
 * @cr: what to draw on, in its current colour
 *
 * Draws a line of text with its anchor point on the baseline at the origin of @cr.
 */
void
attn_lettering_show (cairo_t    *cr,
                     const char *family,
                     const char *markup,
                     double      size,
                     AttnAnchor  anchor)
{
  const Line *line = get_line (family, markup, TRUE);
  double scale = size / REFERENCE_SIZE;
  double shift = attn_lettering_get_shift (anchor);

  cairo_save (cr);
  cairo_scale (cr, scale, scale);
  cairo_move_to (cr, -shift * line->width, -line->baseline);
  pango_cairo_show_layout (cr, line->layout);
  cairo_restore (cr);
}

static void
append_points (GString           *path,
               char               command,
               cairo_path_data_t *points,
               guint              n_points)
{
  const double scale = ATTN_LETTERING_OUTLINE_SIZE / REFERENCE_SIZE;

  g_string_append_c (path, command);
  for (guint i = 0; i < n_points; i++)
    g_string_append_printf (path, i == 0 ? "%ld %ld" : " %ld %ld",
                            lround (points[i].point.x * scale), lround (points[i].point.y * scale));
}

/**
 * attn_lettering_get_outline:
 *
 * Returns: (transfer full): the outlines of the letters as the path of an SVG, at text size
 *   %ATTN_LETTERING_OUTLINE_SIZE, the line's start on the baseline at the origin. Empty for text
 *   without outlines, such as spaces and coloured pictures.
 */
char *
attn_lettering_get_outline (const char *family,
                            const char *markup)
{
  static const char commands[] = {
    [CAIRO_PATH_MOVE_TO] = 'M',
    [CAIRO_PATH_LINE_TO] = 'L',
    [CAIRO_PATH_CURVE_TO] = 'C',
  };
  const Line *line = get_line (family, markup, TRUE);
  /* A recording surface without bounds: Cairo omits glyphs far outside of a surface. */
  g_autoptr (cairo_surface_t) surface = cairo_recording_surface_create (CAIRO_CONTENT_ALPHA, NULL);
  g_autoptr (cairo_t) cr = cairo_create (surface);
  GString *path = g_string_new (NULL);

  cairo_move_to (cr, 0, -line->baseline);
  pango_cairo_layout_path (cr, line->layout);

  cairo_path_t *outline = cairo_copy_path (cr);
  for (int i = 0; i < outline->num_data; i += outline->data[i].header.length)
    {
      cairo_path_data_t *data = &outline->data[i];

      if (data->header.type == CAIRO_PATH_CLOSE_PATH)
        g_string_append_c (path, 'z');
      /* Cairo ends each outline with a move that starts no outline: the last move is left out. */
      else if (data->header.type != CAIRO_PATH_MOVE_TO ||
               i + data->header.length < outline->num_data)
        append_points (path, commands[data->header.type], data + 1, data->header.length - 1);
    }
  cairo_path_destroy (outline);
  return g_string_free (path, FALSE);
}
