/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-svg.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-error.h"
#include "attn-lettering.h"
#include "attn-markup.h"
#include "attn-memory.h"
#include "attn-svg-private.h"

/* The largest number of bytes of a run of cells, with the markup around it. */
#define BYTES_PER_CELL 24

/* The typical number of bytes of a cell's title. */
#define BYTES_PER_TITLE 96

/* A document that is being written. */
typedef struct
{
  GString *svg;
  const AttnScene *scene;
  const AttnStyle *style;
  const AttnSvgOptions *options;
  gboolean has_images;
  char *id_prefix;
  GHashTable *ids;      /* used so far */
  GHashTable *outlines; /* markup -> number of its outline */
  GPtrArray *pictures;  /* pictures written so far */
} Writer;

/* Appends the font family. Generic families of fontconfig are written as those of CSS; any other
 * has "sans-serif" as a fallback. */
static void
append_font_family (GString    *svg,
                    const char *family)
{
  g_string_append (svg, " font-family=\"");
  if (g_ascii_strcasecmp (family, "Sans") == 0 || g_ascii_strcasecmp (family, "sans-serif") == 0)
    g_string_append (svg, "sans-serif");
  else if (g_ascii_strcasecmp (family, "Serif") == 0)
    g_string_append (svg, "serif");
  else if (g_ascii_strcasecmp (family, "Monospace") == 0)
    g_string_append (svg, "monospace");
  else
    {
      g_string_append (svg, "'");
      attn_svg_append_text (svg, family);
      g_string_append (svg, "', sans-serif");
    }
  g_string_append_c (svg, '"');
}

/* Returns a unique id for an object: @kind and @name, with "-" for characters that an id may not
 * have. */
static char *
make_id (Writer     *writer,
         const char *kind,
         const char *name)
{
  g_autofree char *clean = attn_markup_clean (name != NULL ? name : "", -1);
  g_autoptr (GString) id = g_string_new (writer->id_prefix);

  g_string_append (id, kind);

  if (*clean != '\0')
    g_string_append_c (id, '-');
  for (const char *p = clean; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      g_string_append_unichar (id, g_ascii_isalnum (c) || c == '_' || c == '.' ? c : '-');
    }

  g_autofree char *unique = g_strdup (id->str);
  for (guint n = 2; g_hash_table_contains (writer->ids, unique); n++)
    {
      g_free (unique);
      unique = g_strdup_printf ("%s-%u", id->str, n);
    }
  g_hash_table_add (writer->ids, g_strdup (unique));
  return g_steal_pointer (&unique);
}

/* Begins a tag, up to its class and id. The marks of a diagram have ids, by which they can be
 * selected. */
static void
begin_tag (Writer         *writer,
           const char     *tag,
           const AttnMark *mark)
{
  g_autofree char *id = mark->id != NULL ? make_id (writer, mark->id, NULL) : NULL;

  g_string_append_printf (writer->svg, "<%s class=\"%s\"", tag, mark->role);
  if (id != NULL)
    g_string_append_printf (writer->svg, " id=\"%s\"", id);
}

static void
append_stroke (GString *svg,
               AttnRgb  color,
               double   line_width)
{
  attn_svg_append_color (svg, "stroke", color);
  attn_svg_append_attribute (svg, "stroke-width", line_width);
}

/* Appends the fill colour of an SVG element, such as text. */
static void
append_fill (GString        *svg,
             const AttnMark *mark)
{
  attn_svg_append_color (svg, "fill", mark->color);
  if (mark->opacity < 1)
    attn_svg_append_attribute (svg, "opacity", mark->opacity);
}

/* Appends the colour, width and dashes of a line or a curve to an SVG. */
static void
append_line (GString        *svg,
             const AttnMark *mark)
{
  append_stroke (svg, mark->color, mark->line_width);
  if (mark->opacity < 1)
    attn_svg_append_attribute (svg, "opacity", mark->opacity);
  if (mark->dashes[0] > 0)
    attn_svg_append_point (svg, " stroke-dasharray=\"", mark->dashes[0], mark->dashes[1], "\"");
}

static void
write_text (Writer         *writer,
            const AttnMark *mark)
{
  GString *svg = writer->svg;
  static const char *anchors[] = { "start", "middle", "end" };
  g_autoptr (GPtrArray) runs = attn_markup_parse (mark->markup);

  begin_tag (writer, "text", mark);
  attn_svg_append_attribute (svg, "x", mark->rectangle.x);
  attn_svg_append_attribute (svg, "y", mark->rectangle.y);
  attn_svg_append_attribute (svg, "font-size", mark->font_size);
  g_string_append_printf (svg, " text-anchor=\"%s\"", anchors[mark->anchor]);
  append_fill (svg, mark);
  if (mark->angle != 0)
    {
      g_string_append (svg, " transform=\"rotate(");
      attn_svg_append_number (svg, -mark->angle);
      attn_svg_append_point (svg, " ", mark->rectangle.x, mark->rectangle.y, ")\"");
    }
  g_string_append_c (svg, '>');
  for (guint i = 0; i < runs->len; i++)
    {
      const AttnRun *run = g_ptr_array_index (runs, i);

      if (run->is_italic)
        g_string_append (svg, "<tspan font-style=\"italic\">");
      attn_svg_append_text (svg, run->text);
      if (run->is_italic)
        g_string_append (svg, "</tspan>");
    }
  g_string_append (svg, "</text>\n");
}

/* Writes each outline of a text once, at a reference size, to be reused. */
static void
write_outline (Writer         *writer,
               const AttnMark *mark)
{
  GString *svg = writer->svg;
  gpointer number = g_hash_table_lookup (writer->outlines, mark->markup);
  double scale = mark->font_size / ATTN_LETTERING_OUTLINE_SIZE;
  double width = attn_lettering_measure (writer->style->font_family, mark->markup,
                                         ATTN_LETTERING_OUTLINE_SIZE);
  double shift = attn_lettering_get_shift (mark->anchor);
  g_autoptr (GPtrArray) runs = attn_markup_parse (mark->markup);

  if (number == NULL)
    {
      g_autofree char *path = attn_lettering_get_outline (writer->style->font_family, mark->markup);

      number = GUINT_TO_POINTER (g_hash_table_size (writer->outlines) + 1);
      g_hash_table_insert (writer->outlines, g_strdup (mark->markup), number);
      g_string_append_printf (svg, "<defs><path id=\"%soutline-%u\" d=\"%s\"/></defs>\n",
                              writer->id_prefix, GPOINTER_TO_UINT (number), path);
    }
  begin_tag (writer, "use", mark);
  g_string_append_printf (svg, " xlink:href=\"#%soutline-%u\"", writer->id_prefix,
                          GPOINTER_TO_UINT (number));
  append_fill (svg, mark);
  attn_svg_append_point (svg, " transform=\"translate(", mark->rectangle.x, mark->rectangle.y, ")");
  if (mark->angle != 0)
    {
      g_string_append (svg, " rotate(");
      attn_svg_append_number (svg, -mark->angle);
      g_string_append_c (svg, ')');
    }
  g_string_append (svg, " scale(");
  attn_svg_append_factor (svg, scale);
  g_string_append_c (svg, ')');
  if (shift > 0)
    {
      g_string_append (svg, " translate(");
      attn_svg_append_number (svg, -shift * width);
      g_string_append_c (svg, ')');
    }
  g_string_append (svg, "\" aria-label=\"");
  for (guint i = 0; i < runs->len; i++)
    attn_svg_append_text (svg, ((AttnRun *) g_ptr_array_index (runs, i))->text);
  g_string_append (svg, "\"/>\n");
}

/* Writes the visible sides of a region as lines of the SVG. */
static void
write_sides (GString        *svg,
             const AttnMark *mark,
             AttnRgb         color,
             double          line_width)
{
  const AttnRectangle *r = &mark->rectangle;
  AttnPoint corners[5];

  if (mark->sides == ATTN_SIDE_ALL)
    {
      g_string_append (svg, "<rect");
      attn_svg_append_rectangle (svg, r->x, r->y, r->width, r->height);
    }
  else
    {
      attn_scene_get_corners (r, corners);
      g_string_append (svg, "<path stroke-linecap=\"square\" d=\"");
      for (guint side = 0; side < 4; side++)
        if ((mark->sides & 1u << side) != 0)
          {
            attn_svg_append_point (svg, "M", corners[side].x, corners[side].y, "L");
            attn_svg_append_point (svg, "", corners[side + 1].x, corners[side + 1].y, "");
          }
      g_string_append_c (svg, '"');
    }
  g_string_append (svg, " fill=\"none\"");
  append_stroke (svg, color, line_width);
  g_string_append (svg, "/>\n");
}

static void
write_region (Writer         *writer,
              const AttnMark *mark)
{
  GString *svg = writer->svg;
  const char *name = writer->scene->grid->cells[mark->group].regions[mark->region].name;
  g_autofree char *id = make_id (writer, mark->role, name);

  g_string_append_printf (svg, "<g class=\"%s\" id=\"%s\">\n", mark->role, id);
  if (name != NULL)
    attn_svg_append_element (svg, "title", name);
  write_sides (svg, mark, mark->color, mark->line_width);
  if (g_str_equal (mark->role, "pin"))
    write_sides (svg, mark, (AttnRgb) { 255, 255, 255 }, mark->line_width * ATTN_PIN_SHARE);
  g_string_append (svg, "</g>\n");
}

static void
write_line (Writer         *writer,
            const AttnMark *mark)
{
  GString *svg = writer->svg;

  begin_tag (writer, "line", mark);
  attn_svg_append_attribute (svg, "x1", mark->rectangle.x);
  attn_svg_append_attribute (svg, "y1", mark->rectangle.y);
  attn_svg_append_attribute (svg, "x2", mark->rectangle.x + mark->rectangle.width);
  attn_svg_append_attribute (svg, "y2", mark->rectangle.y + mark->rectangle.height);
  append_line (svg, mark);
  g_string_append (svg, "/>\n");
}

static void
write_curve (Writer         *writer,
             const AttnMark *mark)
{
  GString *svg = writer->svg;
  gboolean is_open = FALSE;

  begin_tag (writer, "path", mark);
  g_string_append (svg, " d=\"");
  for (gsize i = 0; i < mark->n_points; i++)
    {
      const AttnPoint *point = &mark->points[i];

      if (!isnan (point->y))
        attn_svg_append_point (svg, is_open ? "L" : "M", point->x, point->y, "");
      is_open = !isnan (point->y);
    }
  g_string_append (svg, "\" fill=\"none\" stroke-linejoin=\"round\"");
  append_line (svg, mark);
  g_string_append (svg, "/>\n");
}

/* Writes a rectangle. The line of a frame is outside of the rectangle but for a quarter of the
 * line's width, which avoids a gap. */
static void
write_rectangle (Writer         *writer,
                 const AttnMark *mark)
{
  GString *svg = writer->svg;
  double half = mark->is_filled ? 0 : mark->line_width / 4;

  begin_tag (writer, "rect", mark);
  attn_svg_append_rectangle (svg, mark->rectangle.x - half, mark->rectangle.y - half,
                             mark->rectangle.width + 2 * half, mark->rectangle.height + 2 * half);
  if (mark->is_filled)
    append_fill (svg, mark);
  else
    {
      g_string_append (svg, " fill=\"none\"");
      append_line (svg, mark);
    }
  g_string_append (svg, "/>\n");
}

static void
write_triangle (Writer         *writer,
                const AttnMark *mark)
{
  GString *svg = writer->svg;
  AttnPoint corners[3];

  attn_scene_get_triangle (&mark->rectangle, mark->angle, corners);
  begin_tag (writer, "path", mark);
  g_string_append (svg, " d=\"");
  for (guint i = 0; i < 3; i++)
    attn_svg_append_point (svg, i == 0 ? "M" : "L", corners[i].x, corners[i].y, "");
  g_string_append (svg, "z\"");
  attn_svg_append_color (svg, "fill", mark->color);
  if (mark->line_width > 0)
    append_stroke (svg, writer->style->foreground, mark->line_width);
  g_string_append (svg, " stroke-linejoin=\"round\"/>\n");
}

/* Writes a colour bar in 256 steps from the lower to the upper end. */
static void
write_colorbar (Writer         *writer,
                const AttnMark *mark)
{
  GString *svg = writer->svg;
  const AttnRectangle *r = &mark->rectangle;
  const AttnRgb *table = attn_style_get_table (mark->style);
  g_autofree char *id = make_id (writer, "colorbar", NULL);

  g_string_append_printf (svg, "<g id=\"%s\" shape-rendering=\"crispEdges\"", id);
  if (mark->angle != 0)
    {
      g_string_append (svg, " transform=\"matrix(0 ");
      attn_svg_append_factor (svg, r->height);
      g_string_append_c (svg, ' ');
      attn_svg_append_factor (svg, r->width / ATTN_COLORMAP_SIZE);
      attn_svg_append_point (svg, " 0 ", r->x, r->y, ")\"");
    }
  else
    attn_svg_append_transform (svg, r->x, r->y + r->height, r->width,
                               -r->height / ATTN_COLORMAP_SIZE);
  g_string_append (svg, ">\n");
  for (guint i = 0; i < ATTN_COLORMAP_SIZE;)
    {
      guint end = i + 1;

      while (end < ATTN_COLORMAP_SIZE && attn_rgb_equal (table[i], table[end]))
        end++;
      g_string_append (svg, "<path");
      attn_svg_append_color (svg, "fill", table[i]);
      g_string_append_printf (svg, " d=\"M0 %uh1V%uH0\"/>\n", i, end);
      i = end;
    }
  g_string_append (svg, "</g>\n");
}

static void
begin_panel (const Writer *writer,
             int           group)
{
  AttnGrid *grid = writer->scene->grid;
  GString *svg = writer->svg;

  g_string_append_printf (svg, "<g id=\"%s", writer->id_prefix);
  if (group == ATTN_GROUP_DIAGRAM)
    g_string_append (svg, "diagram\">\n");
  else
    {
      const char *name = grid->cells[group].name;

      g_string_append_printf (svg, "panel-%d-%d\">\n", group / (int) grid->n_columns,
                              group % (int) grid->n_columns);
      if (name != NULL)
        attn_svg_append_element (svg, "title", name);
    }
}

static gboolean
write_mark (Writer          *writer,
            const AttnMark  *mark,
            GError         **error)
{
  switch (mark->kind)
    {
    case ATTN_MARK_HEATMAP:
      if (writer->has_images)
        return attn_svg_write_image (writer->svg, writer->id_prefix, mark,
                                     writer->options->is_inline, error);
      attn_svg_write_heatmap (writer->svg, writer->id_prefix, mark);
      break;
    case ATTN_MARK_TEXT:
      if (writer->options->outlines_text)
        write_outline (writer, mark);
      else
        write_text (writer, mark);
      break;
    case ATTN_MARK_LINE:
      write_line (writer, mark);
      break;
    case ATTN_MARK_CURVE:
      write_curve (writer, mark);
      break;
    case ATTN_MARK_RECTANGLE:
      write_rectangle (writer, mark);
      break;
    case ATTN_MARK_COLORBAR:
      write_colorbar (writer, mark);
      break;
    case ATTN_MARK_TRIANGLE:
      write_triangle (writer, mark);
      break;
    case ATTN_MARK_REGION:
      write_region (writer, mark);
      break;
    case ATTN_MARK_PICTURE:
      return attn_svg_write_picture (writer->svg, writer->id_prefix, writer->pictures, mark, error);
    default:
      g_assert_not_reached ();
    }
  return TRUE;
}

/* Writes the titles of cells after all else in the panel, so that the pointer reaches them. */
static void
end_panel (Writer         *writer,
           const AttnMark *heatmap)
{
  if (heatmap != NULL && writer->options->has_cell_titles && attn_svg_has_titles (heatmap))
    attn_svg_write_titles (writer->svg, heatmap);
  g_string_append (writer->svg, "</g>\n");
}

/* Writes all marks, those of a panel in a group. */
static gboolean
write_marks (Writer  *writer,
             GError **error)
{
  const AttnMark *heatmap = NULL;
  int group = -1;

  for (gsize i = 0; i < writer->scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (writer->scene, i);

      if (mark->group != group)
        {
          if (group != -1)
            end_panel (writer, heatmap);
          if (mark->group != -1)
            begin_panel (writer, mark->group);
          group = mark->group;
          heatmap = NULL;
        }
      if (mark->kind == ATTN_MARK_HEATMAP)
        heatmap = mark;
      if (!write_mark (writer, mark, error))
        return FALSE;
    }
  if (group != -1)
    end_panel (writer, heatmap);
  return TRUE;
}

static gboolean
has_picture (const AttnScene *scene)
{
  for (gsize i = 0; i < scene->marks->len; i++)
    if (attn_scene_get_mark (scene, i)->kind == ATTN_MARK_PICTURE)
      return TRUE;
  return FALSE;
}

static void
begin_document (const Writer *writer,
                const char   *title,
                const char   *metadata)
{
  GString *svg = writer->svg;
  double width = writer->scene->width;
  double height = writer->scene->height;
  const char *unit = writer->options->unit != NULL ? writer->options->unit : "pt";
  double points_per_unit = writer->options->unit != NULL ? writer->options->points_per_unit : 1;

  if (!writer->options->is_inline)
    g_string_append (svg, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  g_string_append (svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" ");
  if (writer->has_images || writer->options->outlines_text || has_picture (writer->scene))
    g_string_append (svg, "xmlns:xlink=\"http://www.w3.org/1999/xlink\" ");
  g_string_append (svg, "version=\"1.1\" width=\"");
  attn_svg_append_number (svg, width / points_per_unit);
  g_string_append_printf (svg, "%s\" height=\"", unit);
  attn_svg_append_number (svg, height / points_per_unit);
  g_string_append_printf (svg, "%s\" ", unit);
  attn_svg_append_point (svg, "viewBox=\"0 0 ", width, height, "\" xml:space=\"preserve\"");
  append_font_family (svg, writer->style->font_family);
  g_string_append (svg, ">\n");
  if (title != NULL)
    attn_svg_append_element (svg, "title", title);
  if (metadata != NULL)
    attn_svg_append_element (svg, "metadata", metadata);
}

/* Begins a frame of an animation: the tag of the frame goes before the line break that ends the
 * text so far. */
static void
begin_frame (const Writer       *writer,
             const AttnSvgFrame *frame)
{
  g_autofree char *tag =
      g_strdup_printf ("<g id=\"%s\"%s>%s", frame->id, frame->attributes, frame->content);

  if (!frame->is_first)
    g_string_append_c (writer->svg, '\n');
  g_string_insert (writer->svg, writer->svg->len - 1, tag);
}

static gsize
count_cells (const AttnScene *scene,
             gboolean         is_reduced)
{
  gsize n_cells = 0;

  for (gsize i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (mark->kind == ATTN_MARK_HEATMAP)
        n_cells +=
            MIN (attn_svg_count_cells (mark), is_reduced ? 2 * ATTN_SVG_MAX_CELLS : G_MAXSIZE);
    }
  return n_cells;
}

static gsize
count_titles (const AttnScene *scene)
{
  gsize n_titles = 0;

  for (gsize i = 0; i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (mark->kind == ATTN_MARK_HEATMAP && attn_svg_has_titles (mark))
        n_titles += attn_svg_count_cells (mark);
    }
  return n_titles;
}

/* Checks that there is enough memory in the worst case, in which no two adjacent cells have the
 * same colour. */
static gboolean
check_memory (const Writer  *writer,
              GError       **error)
{
  gsize n_bytes = writer->has_images ? 0 : count_cells (writer->scene, TRUE) * BYTES_PER_CELL;

  if (writer->options->has_cell_titles)
    n_bytes += count_titles (writer->scene) * BYTES_PER_TITLE;
  return attn_memory_check (n_bytes, _("the figure as SVG"), error);
}

/**
 * attn_svg_lacks_titles:
 *
 * Returns: whether @options ask for titles of cells, and the cells of a panel are too small to have
 *   any
 */
gboolean
attn_svg_lacks_titles (const AttnScene      *scene,
                       const AttnSvgOptions *options)
{
  for (gsize i = 0; options->has_cell_titles && i < scene->marks->len; i++)
    {
      const AttnMark *mark = attn_scene_get_mark (scene, i);

      if (mark->kind == ATTN_MARK_HEATMAP && !attn_svg_has_titles (mark))
        return TRUE;
    }
  return FALSE;
}

/**
 * attn_svg_write:
 * @scene: what to write
 * @options: (nullable): how; %NULL for text as text, cells as paths, and a size in points
 * @title: (nullable): title of the document
 * @metadata: (nullable): text kept in <metadata>, such as the study as JSON
 * @error: return location for %ATTN_ERROR_MEMORY
 *
 * Every cell that is visible stands in the file once, in whole cells of a coordinate system of its
 * panel, in a path with all cells of its colour: no seams, no blur. Of a panel that shows more than
 * a million cells, each cell in the file is the largest of several, and a <desc> says so. With more
 * cells than the @max_path_cells of @options, each panel is a PNG in which a cell has whole pixels.
 * Regions are objects that have their names. Numbers have at most 3 decimals, but for the size of a
 * cell. The same scene and options give the same bytes.
 *
 * Returns: (transfer full): UTF-8
 */
GBytes *
attn_svg_write (const AttnScene       *scene,
                const AttnSvgOptions  *options,
                const char            *title,
                const char            *metadata,
                GError               **error)
{
  const AttnStyle *style = &scene->style;
  g_autoptr (GHashTable) ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) outlines = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  const AttnSvgOptions plain = { 0 };

  if (options == NULL)
    options = &plain;

  const AttnSvgFrame *frame = options->frame;
  g_autofree char *id_prefix = frame != NULL ? g_strconcat (frame->id, "-", NULL) : g_strdup ("");
  g_autoptr (GPtrArray) pictures = g_ptr_array_new ();
  Writer writer = { NULL, scene, style, options, FALSE, id_prefix, ids, outlines, pictures };
  writer.has_images =
      options->max_path_cells > 0 && count_cells (scene, FALSE) > options->max_path_cells;
  if (!check_memory (&writer, error))
    return NULL;

  GString *svg = g_string_sized_new (64 * 1024);
  writer.svg = svg;
  if (frame == NULL || frame->is_first)
    begin_document (&writer, title, metadata);
  if (frame != NULL)
    begin_frame (&writer, frame);
  if (style->has_background)
    {
      g_string_append (svg, "<rect class=\"background\" width=\"100%\" height=\"100%\"");
      attn_svg_append_color (svg, "fill", style->background);
      g_string_append (svg, "/>\n");
    }
  if (!write_marks (&writer, error))
    {
      g_string_free (svg, TRUE);
      return NULL;
    }
  if (frame != NULL)
    g_string_append (svg, "</g>\n");
  if (frame == NULL || frame->is_last)
    g_string_append (svg, "</svg>\n");
  return g_string_free_to_bytes (svg);
}
