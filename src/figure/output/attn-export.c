/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-export.h"

#include <cairo-pdf.h>
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "attn-cairo.h"
#include "attn-error.h"
#include "attn-lettering.h"
#include "attn-memory.h"
#include "attn-page.h"
#include "attn-painter.h"
#include "attn-svg.h"
#include "attn-text.h"

/* The largest side of an image surface in Cairo. */
#define MAX_PIXELS 32767

#define POINTS_PER_INCH  72.0
#define INCHES_PER_METRE (1 / 0.0254)

/* The smallest and the largest side of a figure in points: 200 inches are the limit of a page in
 * PDF. */
#define SMALLEST_SIDE 8.0
#define LARGEST_SIDE  14400.0

/* The date in a file is fixed, so that the same study gives the same bytes. */
#define FIXED_DATE "2000-01-01T00:00:00Z"

const AttnExportFormatNames attn_export_formats[ATTN_N_EXPORT_FORMATS] = {
  [ATTN_EXPORT_SVG] = { ".svg", N_("SVG drawing") },
  [ATTN_EXPORT_PDF] = { ".pdf", N_("PDF document") },
  [ATTN_EXPORT_PNG] = { ".png", N_("PNG image") },
  [ATTN_EXPORT_HTML] = { ".html", N_("Web page") },
};

const char * const attn_unit_names[] = {
  [ATTN_UNIT_POINTS] = "pt",
  [ATTN_UNIT_MILLIMETRES] = "mm",
  [ATTN_UNIT_INCHES] = "in",
  [ATTN_UNIT_PIXELS] = "px",
  NULL,
};

/**
 * attn_export_parse_length:
 * @text: a number above 0 and a unit, such as "180mm", "3.5 in", "1600px"; without one, points
 * @length: (out): the number
 * @unit: (out): the unit
 * @error: return location for %ATTN_ERROR_ARGUMENT
 */
gboolean
attn_export_parse_length (const char  *text,
                          double      *length,
                          AttnUnit    *unit,
                          GError     **error)
{
  g_autofree char *number = g_strdup (text);
  double value;

  *unit = ATTN_UNIT_POINTS;
  g_strstrip (number);
  for (guint i = 0; i < ATTN_N_UNITS; i++)
    if (strlen (number) > 2 &&
        g_ascii_strcasecmp (number + strlen (number) - 2, attn_unit_names[i]) == 0)
      {
        number[strlen (number) - 2] = '\0';
        *unit = i;
        break;
      }
  if (attn_text_parse_number (number, &value) && value > 0)
    {
      *length = value;
      return TRUE;
    }
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("size: found “%s”, expected a number above 0 in pt, mm, in or px"), text);
}

/**
 * attn_export_parse_format:
 * @path: name of a file to be written
 * @format: (out): by its suffix, in any case
 * @error: return location for %ATTN_ERROR_ARGUMENT, which lists the suffixes there are
 */
gboolean
attn_export_parse_format (const char        *path,
                          AttnExportFormat  *format,
                          GError           **error)
{
  for (guint i = 0; i < ATTN_N_EXPORT_FORMATS; i++)
    if (attn_text_has_suffix (path, attn_export_formats[i].suffix))
      {
        *format = i;
        return TRUE;
      }

  g_autofree char *display = g_filename_display_name (path);
  g_autofree char *suffixes = attn_export_list_suffixes (", ");
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("%s: unknown suffix found, expected one of %s"), display, suffixes);
}

/**
 * attn_export_list_suffixes:
 * @separator: what stands between two, such as ", "
 *
 * Returns: (transfer full): the suffixes of all formats, for messages
 */
char *
attn_export_list_suffixes (const char *separator)
{
  GString *list = g_string_new (NULL);

  for (guint i = 0; i < ATTN_N_EXPORT_FORMATS; i++)
    g_string_append_printf (list, "%s%s", i > 0 ? separator : "", attn_export_formats[i].suffix);
  return g_string_free (list, FALSE);
}

static cairo_status_t
append_cb (void                *closure,
           const unsigned char *data,
           unsigned int         length)
{
  GByteArray *bytes = closure;

  if (length > G_MAXUINT - bytes->len)
    return CAIRO_STATUS_WRITE_ERROR;
  g_byte_array_append (bytes, data, length);
  return CAIRO_STATUS_SUCCESS;
}

static gboolean
check_status (cairo_status_t   status,
              const char      *what,
              GError         **error)
{
  if (status == CAIRO_STATUS_SUCCESS)
    return TRUE;
  return attn_fail (error, status == CAIRO_STATUS_NO_MEMORY ? ATTN_ERROR_MEMORY : ATTN_ERROR_LIMIT,
                    _("%s: Cairo says “%s”, expected that it can be drawn"), what,
                    cairo_status_to_string (status));
}

static GBytes *
export_pdf (const AttnScene  *scene,
            const char       *title,
            const char       *metadata,
            GError          **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (AttnPainter) painter = attn_painter_new ();
  g_autoptr (cairo_surface_t) surface =
      cairo_pdf_surface_create_for_stream (append_cb, bytes, scene->width,
                                           scene->height);
  g_autoptr (cairo_t) cr = cairo_create (surface);

  if (title != NULL)
    cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_TITLE, title);
  if (metadata != NULL)
    cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_SUBJECT, metadata);
  cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_CREATOR,
                                  "Attention Grid " ATTN_VERSION);
  cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_CREATE_DATE, FIXED_DATE);
  cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_MOD_DATE, FIXED_DATE);
  attn_painter_set_waits (painter, TRUE);
  attn_painter_draw (painter, scene, cr, 1);
  cairo_surface_finish (surface);
  if (!check_status (cairo_surface_status (surface), "PDF", error))
    return NULL;
  return g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
}

/* Computes the size of a PNG in pixels. Fails if it is too large. */
static gboolean
check_png_size (const AttnScene  *scene,
                double            resolution,
                int              *width,
                int              *height,
                GError          **error)
{
  double pixels_per_point = resolution / POINTS_PER_INCH;
  double x = MAX (ceil (scene->width * pixels_per_point - 1e-6), 1);
  double y = MAX (ceil (scene->height * pixels_per_point - 1e-6), 1);

  if (!(x <= MAX_PIXELS && y <= MAX_PIXELS))
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("PNG: %.0f x %.0f pixels asked for, expected at most %d x %d"), x, y,
                      MAX_PIXELS, MAX_PIXELS);
  *width = (int) x;
  *height = (int) y;
  return attn_memory_check ((gsize) *width * (gsize) *height * 4, "PNG", error);
}

static void
append_uint32 (GByteArray *bytes,
               guint32     value)
{
  guint32 big_endian = GUINT32_TO_BE (value);

  g_byte_array_append (bytes, (const guint8 *) &big_endian, sizeof big_endian);
}

/* Computes a CRC-32 as in the PNG specification, annex D. */
static guint32
get_crc (const guint8 *data,
         gsize         length)
{
  guint32 crc = 0xffffffff;

  for (gsize i = 0; i < length; i++)
    {
      crc ^= data[i];
      for (guint bit = 0; bit < 8; bit++)
        crc = crc & 1 ? 0xedb88320 ^ crc >> 1 : crc >> 1;
    }
  return ~crc;
}

static void
append_chunk (GByteArray   *bytes,
              const char   *type,
              const guint8 *data,
              gsize         length)
{
  append_uint32 (bytes, (guint32) length);
  gsize start = bytes->len;
  g_byte_array_append (bytes, (const guint8 *) type, 4);
  g_byte_array_append (bytes, data, length);
  append_uint32 (bytes, get_crc (bytes->data + start, bytes->len - start));
}

/* Appends an iTXt chunk: keyword, not compressed, no language, UTF-8 text. */
static void
append_text_chunk (GByteArray *bytes,
                   const char *keyword,
                   const char *text)
{
  g_autoptr (GByteArray) chunk = g_byte_array_new ();

  g_byte_array_append (chunk, (const guint8 *) keyword, strlen (keyword) + 1);
  g_byte_array_append (chunk, (const guint8 *) "\0\0\0\0", 4);
  g_byte_array_append (chunk, (const guint8 *) text, strlen (text));
  append_chunk (bytes, "iTXt", chunk->data, chunk->len);
}

/* Adds after the header the chunks that Cairo does not write: the resolution, which gives the
 * picture its size in print, the title and the study. */
static GBytes *
add_chunks (const GByteArray *png,
            double            resolution,
            const char       *title,
            const char       *metadata)
{
  const gsize header_length = 8 + 25; /* signature, IHDR */
  g_autoptr (GByteArray) bytes = g_byte_array_sized_new (png->len + 1024);
  g_autoptr (GByteArray) physical = g_byte_array_new ();
  const guint8 per_metre = 1;
  guint32 pixels_per_metre = (guint32) round (resolution * INCHES_PER_METRE);

  g_byte_array_append (bytes, png->data, header_length);
  append_uint32 (physical, pixels_per_metre);
  append_uint32 (physical, pixels_per_metre);
  g_byte_array_append (physical, &per_metre, 1);
  append_chunk (bytes, "pHYs", physical->data, physical->len);
  if (title != NULL)
    append_text_chunk (bytes, "Title", title);
  if (metadata != NULL)
    append_text_chunk (bytes, "Description", metadata);
  g_byte_array_append (bytes, png->data + header_length, png->len - header_length);
  return g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
}

static GBytes *
export_png (const AttnScene  *scene,
            double            resolution,
            const char       *title,
            const char       *metadata,
            GError          **error)
{
  int width, height;

  if (!check_png_size (scene, resolution, &width, &height, error))
    return NULL;

  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (AttnPainter) painter = attn_painter_new ();
  g_autoptr (cairo_surface_t) surface =
      cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  if (!check_status (cairo_surface_status (surface), "PNG", error))
    return NULL;

  g_autoptr (cairo_t) cr = cairo_create (surface);
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  cairo_scale (cr, resolution / POINTS_PER_INCH, resolution / POINTS_PER_INCH);
  attn_painter_set_waits (painter, TRUE);
  attn_painter_draw (painter, scene, cr, resolution / POINTS_PER_INCH);
  if (!check_status (cairo_status (cr), "PNG", error) ||
      !check_status (cairo_surface_write_to_png_stream (surface, append_cb, bytes), "PNG", error))
    return NULL;
  return add_chunks (bytes, resolution, title, metadata);
}

/**
 * attn_unit_get_points:
 * @unit: the unit of a length
 * @resolution: dots per inch; counts for pixels alone
 *
 * Returns: the points in one unit: 72 for an inch, 72 / @resolution for a pixel
 */
double
attn_unit_get_points (AttnUnit unit,
                      double   resolution)
{
  switch (unit)
    {
    case ATTN_UNIT_MILLIMETRES:
      return POINTS_PER_INCH / 25.4;
    case ATTN_UNIT_INCHES:
      return POINTS_PER_INCH;
    case ATTN_UNIT_PIXELS:
      return POINTS_PER_INCH / resolution;
    case ATTN_UNIT_POINTS:
    default:
      return 1;
    }
}

/**
 * attn_export_options_default:
 * @format: of the file
 *
 * Returns: the size that the figure takes by itself, 300 dots per inch, text as text, cells as
 *   paths up to %ATTN_EXPORT_MAX_PATH_CELLS of them
 */
AttnExportOptions
attn_export_options_default (AttnExportFormat format)
{
  return (AttnExportOptions) {
    .format = format,
    .unit = ATTN_UNIT_POINTS,
    .resolution = ATTN_EXPORT_RESOLUTION,
    .svg.max_path_cells = ATTN_EXPORT_MAX_PATH_CELLS,
  };
}

static gboolean
check_resolution (const AttnExportOptions  *options,
                  GError                  **error)
{
  gboolean counts = options->format == ATTN_EXPORT_PNG || options->unit == ATTN_UNIT_PIXELS;

  if (!counts || (options->resolution > 0 && isfinite (options->resolution)))
    return TRUE;
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("resolution: %g dots per inch found, expected more than 0"),
                    options->resolution);
}

static gboolean
check_side (double     side,
            double     points_per_unit,
            AttnUnit   unit,
            GError   **error)
{
  double points = side * points_per_unit;

  if (side == 0 || (points >= SMALLEST_SIDE && points <= LARGEST_SIDE))
    return TRUE;
  return attn_fail (error, ATTN_ERROR_ARGUMENT, _("size: found %g %s, expected %g to %g %s"), side,
                    attn_unit_names[unit], SMALLEST_SIDE / points_per_unit,
                    LARGEST_SIDE / points_per_unit, attn_unit_names[unit]);
}

/**
 * attn_export_get_size:
 * @options: its @width, @height, @unit and @resolution count
 * @width: (out): points, or 0 for the width that the figure takes by itself
 * @height: (out): the same
 * @error: return location for %ATTN_ERROR_ARGUMENT
 *
 * Returns: whether a page can have that size
 */
gboolean
attn_export_get_size (const AttnExportOptions  *options,
                      double                   *width,
                      double                   *height,
                      GError                  **error)
{
  double points_per_unit = attn_unit_get_points (options->unit, options->resolution);

  *width = options->width * points_per_unit;
  *height = options->height * points_per_unit;
  return check_resolution (options, error) &&
         check_side (options->width, points_per_unit, options->unit, error) &&
         check_side (options->height, points_per_unit, options->unit, error);
}

/**
 * attn_export_check_fonts:
 * @error: return location for %ATTN_ERROR_UNSUPPORTED
 *
 * Returns: whether there is a font to write a figure's numbers with
 */
gboolean
attn_export_check_fonts (GError **error)
{
  if (attn_lettering_can_show ("Sans", "0"))
    return TRUE;
  return attn_fail (
      error, ATTN_ERROR_UNSUPPORTED,
      _("fonts: none found, expected at least one to write with, such as DejaVu Sans"));
}

static GBytes *
write_scene (const AttnScene          *scene,
             const AttnExportOptions  *options,
             GError                  **error)
{
  AttnSvgOptions svg = options->svg;

  svg.unit = options->unit != ATTN_UNIT_POINTS ? attn_unit_names[options->unit] : NULL;
  svg.points_per_unit = attn_unit_get_points (options->unit, options->resolution);
  switch (options->format)
    {
    case ATTN_EXPORT_SVG:
      return attn_svg_write (scene, &svg, options->title, options->metadata, error);
    case ATTN_EXPORT_PDF:
      return export_pdf (scene, options->title, options->metadata, error);
    case ATTN_EXPORT_PNG:
      return export_png (scene, options->resolution, options->title, options->metadata, error);
    case ATTN_EXPORT_HTML:
      return attn_page_write (scene, &svg, options->title, options->metadata, error);
    default:
      g_return_val_if_reached (NULL);
    }
}

/**
 * attn_export_scene:
 * @scene: what to write; its size is that of the file, whatever the options say
 * @options: how to write it
 * @error: return location: %ATTN_ERROR_LIMIT for more pixels than a picture can have,
 *   %ATTN_ERROR_MEMORY above the memory limit, %ATTN_ERROR_ARGUMENT for a resolution that is not
 *   above 0, %ATTN_ERROR_UNSUPPORTED without any font, %ATTN_ERROR_CHANGED for a long panel of a
 *   file that has changed, %ATTN_ERROR_LIMIT for a web page that is too large
 *
 * The same scene and options give the same bytes; their number is the size of the file. A PNG is
 * white where the scene has no background. Any thread may call.
 *
 * Returns: (transfer full): the bytes of the file
 */
GBytes *
attn_export_scene (const AttnScene          *scene,
                   const AttnExportOptions  *options,
                   GError                  **error)
{
  if (!check_resolution (options, error) || !attn_export_check_fonts (error))
    return NULL;
  g_autoptr (GBytes) bytes = write_scene (scene, options, error);
  return bytes != NULL && attn_grid_check (scene->grid, error)
             ? g_steal_pointer (&bytes)
             : NULL;
}
