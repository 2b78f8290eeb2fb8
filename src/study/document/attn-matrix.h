/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A labelled matrix from a file, such as a probe's table of layers x tokens. */

#pragma once

#include "attn-model-reference.h"
#include "attn-tensor.h"

G_BEGIN_DECLS

/**
 * AttnMatrixFile:
 * @name: name of the matrix in the file, "" if it has none
 * @values: [n_rows, n_columns]
 * @row_labels: (nullable): a label for each row
 * @column_labels: (nullable): a label for each column
 */
typedef struct
{
  char *name;
  AttnTensor *values;
  GStrv row_labels;
  GStrv column_labels;
} AttnMatrixFile;

gboolean    attn_matrix_is_one (const AttnModelReference *reference);
AttnMatrixFile *attn_matrix_load   (const AttnModelReference *reference,
                                GError     **error);
void        attn_matrix_free   (AttnMatrixFile *matrix);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AttnMatrixFile, attn_matrix_free)

G_END_DECLS
