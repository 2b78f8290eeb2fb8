/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Writes a scene to a file: SVG, PDF, PNG or a web page. */

#pragma once

#include "attn-scene.h"
#include "attn-svg.h"

G_BEGIN_DECLS

typedef enum
{
  ATTN_EXPORT_SVG,
  ATTN_EXPORT_PDF,
  ATTN_EXPORT_PNG,
  ATTN_EXPORT_HTML,
} AttnExportFormat;

#define ATTN_N_EXPORT_FORMATS 4

/**
 * AttnExportFormatNames:
 * @suffix: how the names of its files end, with the dot
 * @title: what the user calls it, to be translated
 */
typedef struct
{
  const char *suffix;
  const char *title;
} AttnExportFormatNames;

extern const AttnExportFormatNames attn_export_formats[ATTN_N_EXPORT_FORMATS];

typedef enum
{
  ATTN_UNIT_POINTS,
  ATTN_UNIT_MILLIMETRES,
  ATTN_UNIT_INCHES,
  ATTN_UNIT_PIXELS,
} AttnUnit;

#define ATTN_N_UNITS 4

/**
 * AttnExportOptions:
 * @width: in @unit, or 0 for the width that the figure takes by itself
 * @height: the same
 * @unit: pixels are those of @resolution
 * @resolution: dots per inch of a PNG, and of pixels
 * @svg: options for an SVG alone; the unit in them is that of the page
 * @title: (nullable): title of the document
 * @metadata: (nullable): text that describes the figure, such as the study as JSON
 *
 * A plain value that does not own what it points to. What the figure shows is in its style.
 */
typedef struct
{
  AttnExportFormat format;
  double width;
  double height;
  AttnUnit unit;
  double resolution;
  AttnSvgOptions svg;
  const char *title;
  const char *metadata;
} AttnExportOptions;

/* The default for the largest number of cells that an SVG has as paths: somewhat more than a panel
 * of 512 tokens. */
#define ATTN_EXPORT_MAX_PATH_CELLS 300000

/* A figure of at least so many bytes gets a warning, as most programs take long to open it. */
#define ATTN_EXPORT_LARGE_FILE ((gsize) 50 * 1000 * 1000)

#define ATTN_EXPORT_RESOLUTION 300.0 /* default dots per inch of a PNG */

/* (array zero-terminated=1): units as written after a number, indexed by the enum. */
extern const char * const attn_unit_names[];

double   attn_unit_get_points     (AttnUnit            unit,
                                   double              resolution);
gboolean attn_export_parse_format (const char         *path,
                                   AttnExportFormat   *format,
                                   GError            **error);
char    *attn_export_list_suffixes (const char        *separator);

AttnExportOptions attn_export_options_default (AttnExportFormat           format);
gboolean          attn_export_check_fonts     (GError                   **error);
GBytes           *attn_export_scene           (const AttnScene           *scene,
                                               const AttnExportOptions   *options,
                                               GError                   **error);
gboolean          attn_export_get_size        (const AttnExportOptions   *options,
                                               double                    *width,
                                               double                    *height,
                                               GError                   **error);
gboolean          attn_export_parse_length    (const char                *text,
                                               double                    *length,
                                               AttnUnit                  *unit,
                                               GError                   **error);

G_END_DECLS
