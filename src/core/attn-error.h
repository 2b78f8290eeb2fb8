/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The error domain of the program. Errors of input and output and cancellation have GLib's domains
 * instead, such as G_IO_ERROR. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * ATTN_ERROR:
 *
 * The domain of errors. A message names the file or tensor, what was found and what was expected,
 * in one sentence.
 */
#define ATTN_ERROR (attn_error_quark ())

/**
 * AttnError:
 * @ATTN_ERROR_FORMAT: bytes that are not what the file's format prescribes
 * @ATTN_ERROR_UNSUPPORTED: a well-formed file that needs something this program does not do, which
 *   the message names
 * @ATTN_ERROR_SHAPE: arrays whose numbers of rows, columns and so on do not fit each other
 * @ATTN_ERROR_LIMIT: more than a model or format allows, such as more tokens than the model has
 *   positions
 * @ATTN_ERROR_MEMORY: more memory needed than the limit allows; both numbers are in the message
 * @ATTN_ERROR_ARGUMENT: an option or value of the user's that is not valid
 * @ATTN_ERROR_CHANGED: a file that was changed while it was read
 * @ATTN_ERROR_AMBIGUOUS: a file, such as a table, that can be read in several ways, of which the
 *   user has to choose one
 */
typedef enum
{
  ATTN_ERROR_FORMAT,
  ATTN_ERROR_UNSUPPORTED,
  ATTN_ERROR_SHAPE,
  ATTN_ERROR_LIMIT,
  ATTN_ERROR_MEMORY,
  ATTN_ERROR_ARGUMENT,
  ATTN_ERROR_CHANGED,
  ATTN_ERROR_AMBIGUOUS,
} AttnError;

GQuark attn_error_quark (void);
void   attn_set_error   (GError     **error,
                         AttnError    code,
                         const char  *format,
                         ...) G_GNUC_PRINTF (3, 4);
gboolean attn_fail_from_errno (GError     **error,
                               const char  *path,
                               int          code);

/* Sets an error and evaluates to FALSE (or NULL), so that a function can end with "return attn_fail
 * (error, …)". */
#define attn_fail(...)      (attn_set_error (__VA_ARGS__), FALSE)
#define attn_fail_null(...) (attn_set_error (__VA_ARGS__), NULL)

G_END_DECLS
