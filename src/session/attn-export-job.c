/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-export-job.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-array-format.h"
#include "attn-error.h"
#include "attn-layout.h"
#include "attn-text.h"

/* Returns the array format of an export kind, or NULL for drawings and for JSON. */
static const AttnArrayFormat *
find_array_format (AttnExportKind kind)
{
  AttnExportKind n = ATTN_N_EXPORT_FORMATS;

  for (const AttnArrayFormat *format = attn_array_formats; format->suffix != NULL; format++)
    if (format->export_title != NULL && n++ == kind)
      return format;
  return NULL;
}

/**
 * attn_export_kind_get_n:
 *
 * Returns: number of kinds; JSON is the last one
 */
guint
attn_export_kind_get_n (void)
{
  guint n = ATTN_N_EXPORT_FORMATS;

  while (find_array_format (n) != NULL)
    n++;
  return n + 1;
}

/**
 * attn_export_kind_get_suffix:
 *
 * Returns: (transfer none): suffix of file names of that kind without the dot, such as "svg"
 */
const char *
attn_export_kind_get_suffix (AttnExportKind kind)
{
  const AttnArrayFormat *format = find_array_format (kind);

  if (attn_export_kind_is_figure (kind))
    return attn_export_formats[kind].suffix + 1;
  return format != NULL ? format->suffix + 1 : "json";
}

/**
 * attn_export_kind_get_title:
 *
 * Returns: (transfer none): name of the kind for the user, translated
 */
const char *
attn_export_kind_get_title (AttnExportKind kind)
{
  const AttnArrayFormat *format = find_array_format (kind);

  if (attn_export_kind_is_figure (kind))
    return _(attn_export_formats[kind].title);
  return format != NULL ? _(format->export_title) : _("JSON, all panels");
}

gboolean
attn_export_kind_is_figure (AttnExportKind kind)
{
  return kind < ATTN_N_EXPORT_FORMATS;
}

/**
 * attn_export_kind_needs_panel:
 *
 * Returns: whether a file of that kind holds a single panel, so that the user has to choose one
 */
gboolean
attn_export_kind_needs_panel (AttnExportKind kind)
{
  const AttnArrayFormat *format = find_array_format (kind);

  return format != NULL && (format->flags & ATTN_ARRAY_FORMAT_WRITES_ONE) != 0;
}

/**
 * attn_export_kind_parse:
 * @path: path of the file to write
 * @kind: (out): the kind that the suffix of @path means
 * @error: return location for %ATTN_ERROR_ARGUMENT
 */
gboolean
attn_export_kind_parse (const char      *path,
                        AttnExportKind  *kind,
                        GError         **error)
{
  g_autofree char *display = g_filename_display_name (path);
  g_autoptr (GString) suffixes = g_string_new (NULL);

  for (*kind = 0; *kind < attn_export_kind_get_n (); ++*kind)
    {
      g_autofree char *suffix = g_strconcat (".", attn_export_kind_get_suffix (*kind), NULL);

      if (attn_text_has_suffix (path, suffix))
        return TRUE;
      g_string_append_printf (suffixes, "%s%s", suffixes->len > 0 ? ", " : "", suffix);
    }
  return attn_fail (error, ATTN_ERROR_ARGUMENT, _("%s: unknown suffix found, expected one of %s"),
                    display, suffixes->str);
}

/**
 * attn_export_dup_name:
 * @preset: (nullable): the preset of @study, unchanged
 * @model: the name of the model
 * @path: (nullable): the file of @study
 *
 * Returns: (transfer full): a name for the file of the figure, without a suffix: the name of @path,
 *   or without a path "PRESET-MODEL"; if another operation was chosen than that of the preset,
 *   "OPERATION-MODEL"
 */
char *
attn_export_dup_name (const AttnStudy *study,
                      const AttnStudy *preset,
                      const char      *model,
                      const char      *path)
{
  gboolean has_another = preset != NULL && attn_study_has_operation (study) &&
                         preset->operation != study->operation;

  if (path == NULL)
    return g_strdup_printf ("%s-%s",
                            has_another             ? attn_operation_names[study->operation]
                            : study->preset != NULL ? study->preset
                                                    : "figure",
                            model);

  char *name = g_path_get_basename (path);
  char *suffix = strrchr (name, '.');
  if (suffix != NULL && suffix > name)
    *suffix = '\0';
  if (g_str_has_suffix (name, ".attention") && !g_str_equal (name, ".attention"))
    name[strlen (name) - strlen (".attention")] = '\0';
  return name;
}

/**
 * attn_export_kind_make:
 * @study: the study of the result, or a copy of it with another style
 * @panel: index of the panel to export, for a kind that holds a single panel
 * @error: return location: errors of [func@attn_result_export] and of the writers of arrays
 *
 * Any thread may call it.
 *
 * Returns: (transfer full) (nullable): contents of the file
 */
GBytes *
attn_export_kind_make (AttnExportKind     kind,
                       const AttnResult  *result,
                       const AttnStudy   *study,
                       gssize             panel,
                       GError           **error)
{
  const AttnArrayFormat *format = find_array_format (kind);

  if (attn_export_kind_is_figure (kind))
    return attn_result_export (result, study, kind, NULL, error);
  if (format == NULL)
    {
      char *json = attn_result_to_json (result);

      return g_bytes_new_take (json, strlen (json));
    }

  g_autoptr (AttnArrayFile) file = attn_result_to_arrays (
      result, attn_export_kind_needs_panel (kind) ? panel : ATTN_ALL_PANELS, error);
  return file != NULL ? attn_array_format_write (format, file, error) : NULL;
}

/**
 * attn_export_panel:
 * @panel: index of a panel, row-major in the grid
 *
 * Draws one panel alone as [func@attn_result_export] draws a figure: in the colors that it has in
 * the figure and in its natural size. The file does not contain the study, since the panel shows
 * only a part of it.
 *
 * Returns: (transfer full) (nullable): contents of the file
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

  /* Caption and note of the color bars describe all panels of the grid, so that a single panel is
   * exported without them, unless it is a baseline. */
  if (result->grid->n_rows * result->grid->n_columns > 1 && !grid->cells[0].is_baseline)
    {
      g_clear_pointer (&grid->caption, g_free);
      g_clear_pointer (&grid->bars_note, g_free);
    }
  g_autoptr (AttnScene) scene = attn_layout_figure (grid, &style, &view, 0, 0);
  options.title = result->grid->cells[panel].name;
  return attn_export_scene (scene, &options, error);
}
