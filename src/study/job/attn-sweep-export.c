/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Exports a sweep as one file for each step, or as one animated SVG. */

#include "config.h"

#include "attn-sweep.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "attn-effects.h"
#include "attn-error.h"
#include "attn-save.h"

#define FRAMES_PER_SECOND 12

/* Largest size of an animated SVG in bytes: viewers do not play larger ones. */
#define MAX_ANIMATION (96u << 20)

/* Finds the place of the frame number in a file name such as "frame-%03d.png": "%d", also with 0
 * and a width. */
static gboolean
find_number (const char *path,
             gsize      *begin,
             gsize      *end,
             guint      *width)
{
  const char *slash = strrchr (path, '/');
  const char *percent = strchr (slash != NULL ? slash : path, '%');
  const char *rest = percent != NULL ? percent + 1 : NULL;

  if (percent == NULL || strchr (rest, '%') != NULL)
    return FALSE;
  *width = 0;
  if (*rest == '0')
    {
      if (rest[1] < '1' || rest[1] > '9')
        return FALSE;
      *width = rest[1] - '0';
      rest += 2;
    }
  *begin = percent - path;
  *end = rest + 1 - path;
  return *rest == 'd';
}

/**
 * attn_sweep_build_path:
 * @path: a path that [func@attn_sweep_check_path] accepts
 * @step: number of the step, from 0
 *
 * Returns: (transfer full): path of the file of that step; @path itself for an animation of all
 *   steps
 */
char *
attn_sweep_build_path (const char *path,
                       gsize       step)
{
  gsize begin, end;
  guint width;

  if (!find_number (path, &begin, &end, &width))
    return g_strdup (path);
  g_autofree char *digits = g_strdup_printf ("%0*zu", (int) width, step);
  return g_strdup_printf ("%.*s%s%s", (int) begin, path, digits, path + end);
}

/**
 * attn_sweep_check_path:
 * @path: a path such as "frame-%03d.png" for a file for each step, or "sweep.svg" for an animation
 * @error: return location for %ATTN_ERROR_ARGUMENT, and errors of [func@attn_export_parse_format]
 *
 * Returns: whether a sweep can be written to @path
 */
gboolean
attn_sweep_check_path (const char  *path,
                       GError     **error)
{
  AttnExportFormat format;
  gsize begin, end;
  guint width;

  if (!attn_export_parse_format (path, &format, error))
    return FALSE;
  if (find_number (path, &begin, &end, &width) || format == ATTN_EXPORT_SVG)
    return TRUE;
  return attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("%s: found a name for one file, expected one with the number of the step "
                      "such as frame-%%03d.png, or an SVG"),
                    path);
}

/* Arguments of attn_sweep_export(). */
typedef struct
{
  const AttnStudy *study;
  const AttnSweepRange *range;
  const char *path;
  AttnExportFormat format;
  AttnWorkspace *workspace;
  const AttnProgress *progress;
  GCancellable *cancellable;
} Export;

static GBytes *
draw_step (const Export        *export,
           gsize                step,
           const AttnSvgFrame  *frame,
           GError             **error)
{
  const AttnSweepRange *range = export->range;
  g_autoptr (AttnStudy) copy =
      attn_sweep_build_study (export->study, attn_sweep_get_epsilon (range, step));

  attn_progress_report (export->progress, _("Drawing the steps"), (double) step / range->n_steps);
  g_autoptr (AttnResult) result =
      attn_effects_run (copy, export->workspace, NULL, export->cancellable, error);
  return result != NULL ? attn_result_export (result, copy, export->format, frame, error)
                        : NULL;
}

/* --- One SVG of all steps --- */

/* Returns the SVG element that shows and hides one frame. Frames are played forwards and backwards;
 * the first and last are shown once in each cycle. */
static char *
build_animation (gsize frame,
                 gsize n_frames)
{
  gsize n_shown = 2 * (n_frames - 1);
  gsize back = n_shown - frame;
  g_autoptr (GString) times = g_string_new ("0");
  g_autoptr (GString) values = g_string_new (frame == 0 ? "inline" : "none");
  const gsize begins[2] = { frame, back };
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  for (gsize i = 0; i < (frame == 0 || frame == back ? 1 : 2); i++)
    for (gsize ends = 0; ends < 2; ends++)
      if (begins[i] + ends > 0 && begins[i] + ends < n_shown)
        {
          g_ascii_formatd (buffer, sizeof buffer, "%.6f", (double) (begins[i] + ends) / n_shown);
          g_string_append_printf (times, ";%s", buffer);
          g_string_append (values, ends ? ";none" : ";inline");
        }
  g_ascii_formatd (buffer, sizeof buffer, "%.3f", (double) n_shown / FRAMES_PER_SECOND);
  return g_strdup_printf ("<animate attributeName=\"display\" calcMode=\"discrete\" dur=\"%ss\" "
                          "repeatCount=\"indefinite\" keyTimes=\"%s\" values=\"%s\"/>",
                          buffer, times->str, values->str);
}

/* Exports all frames as one animated SVG. Each frame keeps its own size, because titles can change
 * the layout. */
static gboolean
export_animation (const Export  *export,
                  GError       **error)
{
  gsize n_steps = export->range->n_steps;
  g_autoptr (GByteArray) text = g_byte_array_new ();

  for (gsize step = 0; step < n_steps; step++)
    {
      g_autofree char *id = g_strdup_printf ("step-%zu", step);
      g_autofree char *animation = build_animation (step, n_steps);
      const AttnSvgFrame frame = {
        .id = id,
        .attributes = step == 0 ? " display=\"inline\"" : " display=\"none\"",
        .content = animation,
        .is_first = step == 0,
        .is_last = step + 1 == n_steps,
      };
      g_autoptr (GBytes) bytes = draw_step (export, step, &frame, error);

      if (bytes == NULL)
        return FALSE;
      if (text->len + g_bytes_get_size (bytes) > MAX_ANIMATION)
        return attn_fail (error, ATTN_ERROR_LIMIT,
                          _("%s: more than %u MB found for %zu steps, expected fewer steps, "
                            "smaller panels, or a file each step"),
                          export->path, MAX_ANIMATION >> 20, n_steps);
      g_byte_array_append (text, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
    }
  g_autoptr (GBytes) whole = g_byte_array_free_to_bytes (g_steal_pointer (&text));
  return attn_save_bytes (export->path, whole, error);
}

/* --- A file each step --- */

/* Exports a file for each step into a temporary folder next to their places, and moves them there
 * when all are complete. A sweep that is canceled or fails leaves existing files unchanged. */
static gboolean
export_files (const Export  *export,
              GError       **error)
{
  gsize n_steps = export->range->n_steps;
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) drafts = g_ptr_array_new_with_free_func (g_free);
  gboolean is_done = TRUE;
  char *folder = attn_save_make_folder (export->path, error);

  if (folder == NULL)
    return FALSE;
  for (gsize step = 0; step < n_steps && is_done; step++)
    {
      char *draft = g_strdup_printf ("%s/%zu", folder, step);
      g_autoptr (GBytes) bytes = draw_step (export, step, NULL, error);

      g_ptr_array_add (drafts, draft);
      g_ptr_array_add (files, attn_sweep_build_path (export->path, step));
      is_done = bytes != NULL && attn_save_bytes (draft, bytes, error);
    }
  is_done = is_done && !g_cancellable_set_error_if_cancelled (export->cancellable, error);
  for (gsize step = 0; step < n_steps && is_done; step++)
    is_done = attn_save_check (files->pdata[step], error);
  for (gsize step = 0; step < n_steps && is_done; step++)
    is_done = attn_save_move (drafts->pdata[step], files->pdata[step], error);
  attn_save_remove_folder (folder);
  return is_done;
}

/**
 * attn_sweep_export:
 * @study: a study for which [func@attn_study_has_factor]
 * @path: a path for [func@attn_sweep_check_path]; files are numbered from 0
 * @progress: (nullable): is told how far the export is
 * @error: return location: %ATTN_ERROR_ARGUMENT for a study without a factor or a path that is not
 *   accepted, %ATTN_ERROR_LIMIT for an animation that is too large, errors of [func@attn_job_run]
 *   and of writing files
 *
 * Writes the figure at each step, whose grid does not vary along ε. An animated SVG runs to the end
 * of the sweep and back, without end; viewers that do not animate show its first step. On failure
 * or when canceled, existing files stay as they were.
 */
gboolean
attn_sweep_export (const AttnStudy       *study,
                   const AttnSweepRange  *range,
                   const char            *path,
                   AttnWorkspace         *workspace,
                   const AttnProgress    *progress,
                   GCancellable          *cancellable,
                   GError               **error)
{
  AttnExportFormat format;
  gsize begin, end;
  guint width;

  if (!attn_sweep_check_path (path, error) || !attn_export_parse_format (path, &format, error))
    return FALSE;
  if (!attn_study_has_factor (study))
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("sweep: no factor found, expected a grid that multiplies a component by "
                        "ε"));

  const Export export = { study, range, path, format, workspace, progress, cancellable };
  return find_number (path, &begin, &end, &width) ? export_files (&export, error)
                                                  : export_animation (&export, error);
}
