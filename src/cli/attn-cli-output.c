/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-cli-output.h"

#include <glib/gi18n.h>
#include <stdio.h>

#include "attn-cli-private.h"
#include "attn-error.h"
#include "attn-save.h"

/**
 * attn_cli_output_set_format:
 * @usual: suffix for standard output if there is no --format, such as "svg"
 * @error: return location for %ATTN_ERROR_ARGUMENT if -o - is given twice, or --format without it
 *
 * Adds a suffix to the name of standard output, such as "-.svg", so that its format is found like
 * that of a file.
 */
gboolean
attn_cli_output_set_format (AttnCliOptions  *options,
                            const char      *usual,
                            GError         **error)
{
  gboolean has_standard_output = FALSE;

  for (guint i = 0; i < options->targets->len; i++)
    {
      AttnCliTarget *target = options->targets->pdata[i];

      if (!target->is_standard_output)
        continue;
      if (has_standard_output)
        return attn_fail (error, ATTN_ERROR_ARGUMENT, _("-o -: found twice, expected it once"));
      has_standard_output = TRUE;
      g_free (target->name);
      target->name = g_strconcat ("-.", options->format != NULL ? options->format : usual, NULL);
    }
  if (options->format != NULL && !has_standard_output)
    return attn_fail (
        error, ATTN_ERROR_ARGUMENT,
        _("--format: no -o - found, expected it, since the name of a file tells its format"));
  return TRUE;
}

static gboolean
check_folder (const char  *path,
              GError     **error)
{
  g_autofree char *folder = g_path_get_dirname (path);

  if (g_file_test (folder, G_FILE_TEST_IS_DIR))
    return TRUE;

  g_autofree char *where = g_filename_display_name (path);
  g_autofree char *display = g_filename_display_name (folder);
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
               _("%s: no directory “%s” found, expected one to write to"), where, display);
  return FALSE;
}

/**
 * attn_cli_output_check:
 * @error: return location, as for [func@attn_save_bytes]
 *
 * Checks the outputs. To be called before the computation, and again when all files that are read
 * are known, since these are not overwritten.
 *
 * Returns: whether each output file can be written: its directory exists, and no file that is read
 *   is at its path
 */
gboolean
attn_cli_output_check (const AttnCliOptions  *options,
                       GError               **error)
{
  for (guint i = 0; i < options->targets->len; i++)
    {
      const AttnCliTarget *target = options->targets->pdata[i];

      if (!target->is_standard_output &&
          (!check_folder (target->name, error) || !attn_save_check (target->name, error)))
        return FALSE;
    }
  return TRUE;
}

/**
 * attn_cli_output_begin:
 * @status: (out): exit status if %FALSE is returned, after a message was printed
 *
 * Returns: whether -o is given and each output can be written
 */
gboolean
attn_cli_output_begin (const char           *subcommand,
                       const AttnCliOptions *options,
                       int                  *status)
{
  g_autoptr (GError) error = NULL;

  if (options->targets->len == 0)
    {
      *status = attn_cli_fail_usage (_("%s: no -o found, expected -o FILE"), subcommand);
      return FALSE;
    }
  if (attn_cli_output_check (options, &error))
    return TRUE;
  *status = attn_cli_fail (error);
  return FALSE;
}

/**
 * attn_cli_output_write:
 * @target: where to write
 * @bytes: contents of the output
 * @error: return location, as for [func@attn_save_bytes]; errors of standard output are reported
 *   when it is flushed at the end
 */
gboolean
attn_cli_output_write (const AttnCliTarget  *target,
                       GBytes               *bytes,
                       GError              **error)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (bytes, &size);

  if (!target->is_standard_output)
    return attn_save_bytes (target->name, bytes, error);
  fwrite (data, 1, size, stdout);
  return TRUE;
}
