/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-export-job.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-error.h"
#include "attn-layout.h"

static const struct
{
  const char *suffix;
  const char *title;
} kinds[ATTN_N_EXPORT_KINDS] = {
  [ATTN_EXPORT_KIND_SVG] = { "svg", N_("SVG drawing") },
  [ATTN_EXPORT_KIND_PDF] = { "pdf", N_("PDF document") },
  [ATTN_EXPORT_KIND_PNG] = { "png", N_("PNG image") },
  [ATTN_EXPORT_KIND_NPZ] = { "npz", N_("NumPy arrays, all panels") },
  [ATTN_EXPORT_KIND_NPY] = { "npy", N_("NumPy array, one panel") },
  [ATTN_EXPORT_KIND_CSV] = { "csv", N_("Table (CSV), one panel") },
  [ATTN_EXPORT_KIND_JSON] = { "json", N_("JSON, all panels") },
};

const char *
attn_export_kind_get_suffix (AttnExportKind kind)
{
  return kinds[kind].suffix;
}

/**
 * attn_export_kind_get_title:
 *
 * Returns: (transfer none): what the user calls it, translated
 */
const char *
attn_export_kind_get_title (AttnExportKind kind)
{
  return _(kinds[kind].title);
}

gboolean
attn_export_kind_is_figure (AttnExportKind kind)
{
  return kind <= ATTN_EXPORT_KIND_PNG;
}

/**
 * attn_export_kind_needs_panel:
 *
 * Returns: whether such a file holds one panel only
 */
gboolean
attn_export_kind_needs_panel (AttnExportKind kind)
{
  return kind == ATTN_EXPORT_KIND_NPY || kind == ATTN_EXPORT_KIND_CSV;
}

/**
 * attn_export_kind_parse:
 * @path: of a file
 * @kind: (out): by its suffix
 * @error: return location for %ATTN_ERROR_ARGUMENT
 */
gboolean
attn_export_kind_parse (const char      *path,
                        AttnExportKind  *kind,
                        GError         **error)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);
  g_autofree char *display = g_filename_display_name (path);

  for (gsize i = 0; i < ATTN_N_EXPORT_KINDS; i++)
    {
      g_autofree char *suffix = g_strconcat (".", kinds[i].suffix, NULL);

      if (!g_str_has_suffix (lower, suffix))
        continue;
      *kind = i;
      return TRUE;
    }
  g_set_error (error, ATTN_ERROR, ATTN_ERROR_ARGUMENT,
               _("%s: unknown suffix found, expected .svg, .pdf, .png, .npz, .npy, .csv or .json"),
               display);
  return FALSE;
}

static GBytes *
make_data (AttnExportKind     kind,
           const AttnResult  *result,
           gssize             panel,
           GError           **error)
{
  if (kind == ATTN_EXPORT_KIND_JSON)
    {
      char *json = attn_result_to_json (result);

      return g_bytes_new_take (json, strlen (json));
    }

  g_autoptr (AttnArrayFile) file = attn_result_to_arrays (
      result, attn_export_kind_needs_panel (kind) ? panel : ATTN_ALL_PANELS, error);
  g_autofree char *name = g_strconcat ("panels.", kinds[kind].suffix, NULL);
  return file != NULL ? attn_array_file_to_bytes (file, name, error) : NULL;
}

/**
 * attn_export_kind_make:
 * @study: the result's own, or one that only looks different
 * @panel: index of the panel, for a kind that holds one
 * @error: return location: errors of [func@attn_result_export] and of the writers of arrays
 *
 * Any thread may call.
 *
 * Returns: (transfer full) (nullable): what the file is to hold
 */
GBytes *
attn_export_kind_make (AttnExportKind     kind,
                       const AttnResult  *result,
                       const AttnStudy   *study,
                       gssize             panel,
                       GError           **error)
{
  switch (kind)
    {
    case ATTN_EXPORT_KIND_SVG:
      return attn_result_export (result, study, ATTN_EXPORT_SVG, error);
    case ATTN_EXPORT_KIND_PDF:
      return attn_result_export (result, study, ATTN_EXPORT_PDF, error);
    case ATTN_EXPORT_KIND_PNG:
      return attn_result_export (result, study, ATTN_EXPORT_PNG, error);
    default:
      return make_data (kind, result, panel, error);
    }
}

/**
 * attn_export_panel:
 * @panel: index of a panel, row-major in the grid
 *
 * The same as [func@attn_result_export] of one panel alone, in the colours that it has in the figure,
 * in its natural size and without the study, which it does not show the whole of.
 *
 * Returns: (transfer full) (nullable): what a file of that format holds
 */
GBytes *
attn_export_panel (const AttnResult  *result,
                   gsize              panel,
                   AttnExportFormat   format,
                   GError           **error)
{
  g_autoptr (AttnGrid) grid = attn_grid_take_panel (result->grid, panel);
  AttnExportOptions options = attn_export_options_default (format);
  AttnStyle style = attn_style_get_paper (&result->study->style);
  AttnViewport view = attn_study_get_panel_view (result->study, result->grid, panel);

  /* The caption is about all of them. */
  if (result->grid->n_rows * result->grid->n_columns > 1)
    g_clear_pointer (&grid->caption, g_free);
  g_autoptr (AttnScene) scene =
      attn_layout_panel (grid, result->grid, panel, &style, &view, 0, 0);
  options.title = result->grid->cells[panel].name;
  return attn_export_scene (scene, &options, error);
}
