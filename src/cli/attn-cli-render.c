/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `attention-grid render`: draws a figure without a display. */

#include "config.h"

#include <glib/gi18n.h>

#include "attn-cli-output.h"
#include "attn-cli-private.h"
#include "attn-cli-study.h"
#include "attn-cli-sweep.h"
#include "attn-export.h"
#include "attn-left-out.h"
#include "attn-lettering.h"
#include "attn-range.h"

static gboolean
read_formats (const AttnCliOptions  *options,
              GError               **error)
{
  for (guint i = 0; i < options->targets->len; i++)
    {
      AttnCliTarget *target = options->targets->pdata[i];

      if (!attn_export_parse_format (target->name, &target->figure, error))
        return FALSE;
    }
  return TRUE;
}

/* Prints how large a written file is. For an SVG with a title for each cell, also prints how large
 * the file would be without titles. */
static gboolean
note_large_file (const AttnResult     *result,
                 const AttnCliTarget  *target,
                 gsize                 n_bytes,
                 GError              **error)
{
  if (target->figure != ATTN_EXPORT_SVG || !result->study->page.svg.has_cell_titles)
    {
      attn_cli_note (_("%s: %.0f MB written, which most programs take long to open"),
                     target->name, (double) n_bytes * 1e-6);
      return TRUE;
    }
  g_autoptr (AttnStudy) plain = attn_study_copy (result->study);
  plain->page.svg.has_cell_titles = FALSE;
  g_autoptr (GBytes) bytes = attn_result_export (result, plain, target->figure, NULL, error);
  if (bytes == NULL)
    return FALSE;
  attn_cli_note (_("%s: %.0f MB written, which most programs take long to open; without "
                   "--cell-titles it is %.1f MB"),
                 target->name, (double) n_bytes * 1e-6,
                 (double) g_bytes_get_size (bytes) * 1e-6);
  return TRUE;
}

/* Writes the figure to all outputs. Creates the contents of all files before it writes the first
 * one, so that an error leaves no incomplete set. */
static gboolean
write_figures (const AttnResult      *result,
               const AttnCliOptions  *options,
               GError               **error)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  for (guint i = 0; i < options->targets->len; i++)
    {
      const AttnCliTarget *target = options->targets->pdata[i];
      GBytes *bytes = attn_result_export (result, result->study, target->figure, NULL, error);

      if (bytes == NULL)
        return FALSE;
      g_ptr_array_add (files, bytes);
    }
  for (guint i = 0; i < files->len; i++)
    {
      const AttnCliTarget *target = options->targets->pdata[i];
      gsize n_bytes = g_bytes_get_size (files->pdata[i]);

      if (!attn_cli_output_write (target, files->pdata[i], error))
        return FALSE;
      if (n_bytes >= ATTN_EXPORT_LARGE_FILE &&
          !note_large_file (result, target, n_bytes, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
writes_svg (const AttnCliOptions *options)
{
  for (guint i = 0; i < options->targets->len; i++)
    if (((const AttnCliTarget *) options->targets->pdata[i])->figure == ATTN_EXPORT_SVG)
      return TRUE;
  return FALSE;
}

/* Prints a warning if the page is too small for all parts of the figure, or if no font of this
 * computer has one of its characters. */
static void
note_missing (const AttnResult     *result,
              const AttnCliOptions *options)
{
  const AttnExportOptions *page = &result->study->page;
  g_autoptr (AttnScene) scene = attn_result_lay_out (result, result->study, NULL);
  if (scene == NULL)
    return;
  g_autofree char *left_out =
      page->width > 0 || page->height > 0 ? attn_scene_list_left_out (scene, TRUE) : NULL;
  g_autofree char *unknown = attn_lettering_list_unknown (scene);

  if (left_out != NULL)
    attn_cli_note (_("size: no room for %s"), left_out);
  if (writes_svg (options) && attn_svg_lacks_titles (scene, &page->svg))
    attn_cli_note (_("size: no room for %s"), _("token pairs and weights under the pointer"));
  if (unknown != NULL)
    attn_cli_note (_("font: no font found that has %s, drawn as boxes"), unknown);
}

/* Prints a warning if the figure was drawn in the range of its data, since nearly all values lie
 * outside the range that the study sets. */
static void
note_range (const AttnResult *result)
{
  const AttnStyle *style = &result->study->style;

  if (attn_range_follows_data (result->grid, style))
    attn_cli_note (_("range: nearly all values found outside %g to %g, drawn in the range "
                     "of the data; --range LOW:HIGH fixes one"),
                   style->low, style->high);
}

static int
render (const char     *operand,
        AttnCliOptions *options,
        const char     *sweep)
{
  g_autoptr (GError) error = NULL;
  AttnSweepRange range;
  int status;

  if (!attn_cli_output_set_format (options, "svg", &error) || !read_formats (options, &error) ||
      (sweep != NULL && !attn_cli_sweep_check (sweep, options, &range, &error)))
    return attn_cli_fail_usage ("%s", error->message);
  if (!attn_cli_output_begin ("render", options, &status))
    return status;
  g_autoptr (AttnResult) result = attn_cli_run_study (operand, options, &status);
  if (result == NULL)
    return status;
  if (!(sweep != NULL ? attn_cli_sweep_write (result->study, &range, options, &error)
                      : write_figures (result, options, &error)))
    return attn_cli_fail (error);
  for (gsize i = 0; i < result->n_inputs; i++)
    attn_cli_note_dropped (result->inputs[i], i + 1);
  note_missing (result, options);
  if (sweep == NULL)
    note_range (result);
  return ATTN_CLI_SUCCESS;
}

int
attn_cli_render (int    argc,
                 char **argv)
{
  g_autoptr (AttnCliOptions) options = attn_cli_options_new ();
  g_autofree char *sweep = NULL;
  g_autoptr (GArray) entries = attn_cli_options_list_entries (options);
  g_autofree char *suffixes = attn_export_list_suffixes ("|");
  g_autofree char *operands_help = g_strconcat ("PRESET|STUDY -o FIGURE", suffixes, NULL);

  attn_cli_sweep_add_entry (entries, &sweep);
  const AttnCliSyntax syntax = {
    .subcommand = "render",
    .operands = operands_help,
    .min_operands = 1,
    .max_operands = 1,
    .summary = _("Draws a figure: a preset, or a study from a file, with these changes."),
    .description = _(
        "In a figure of means, --mean chooses its components; in a figure of factors, --scale "
        "chooses its components and factors, and --epsilons the factors. Any other --mean or "
        "--scale is in force in every panel. “attention-grid presets” lists the presets."),
    .entries = (const GOptionEntry *) (gpointer) entries->data,
    .user_data = options,
  };
  g_auto (GStrv) operands = NULL;
  int status = attn_cli_parse (&syntax, argc, argv, &operands);

  return status == ATTN_CLI_CONTINUE ? render (operands[0], options, sweep) : status;
}
