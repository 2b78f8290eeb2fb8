/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-error.h"

/* GLib looks up the number of the error domain under a lock. G_DEFINE_QUARK() would keep it in a
 * variable that threads write without a lock. */
GQuark
attn_error_quark (void)
{
  return g_quark_from_static_string ("attn-error-quark");
}

/**
 * attn_set_error:
 * @error: (out) (optional): return location
 * @code: the kind of error
 * @format: the message, as for printf()
 *
 * Sets an error of the domain %ATTN_ERROR.
 */
void
attn_set_error (GError     **error,
                AttnError    code,
                const char  *format,
                             ...)
{
  va_list args;

  va_start (args, format);
  if (error != NULL)
    g_propagate_error (error, g_error_new_valist (ATTN_ERROR, code, format, args));
  va_end (args);
}

/**
 * attn_fail_from_errno:
 * @path: (type filename): the file, which the message begins with
 * @code: the value of errno
 *
 * Sets a #GFileError with the system's message for @code.
 *
 * Returns: %FALSE
 */
gboolean
attn_fail_from_errno (GError     **error,
                      const char  *path,
                      int          code)
{
  g_autofree char *where = g_filename_display_name (path);

  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code), "%s: %s", where,
               g_strerror (code));
  return FALSE;
}
