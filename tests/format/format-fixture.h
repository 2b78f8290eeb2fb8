/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the tests of src/format share: files made of bytes, and errors that are expected. */

#pragma once

#include "attn-array.h"
#include "attn-error.h"

G_BEGIN_DECLS

typedef gboolean (*FixtureReadFunc) (AttnArrayFile  *file,
                                     GBytes         *bytes,
                                     GError        **error);

/* A temporary directory of the test program, removed by fixture_run(). */
char          *fixture_path                (const char      *name);
int            fixture_run                 (void);

char          *fixture_save                (const char      *name,
                                            const void      *data,
                                            gsize            size);
GBytes        *fixture_safetensors         (const char      *header,
                                            gsize            n_buffer);
AttnArray     *fixture_array               (const char      *name,
                                            AttnDtype        dtype,
                                            guint            n_dims,
                                            const gsize     *shape,
                                            const void      *data);
AttnArrayFile *fixture_file                (void);
void           fixture_assert_refused      (FixtureReadFunc  read,
                                            GBytes          *bytes,
                                            int              code,
                                            const char      *message_part);
void           fixture_assert_each_cut_refused (FixtureReadFunc  read,
                                                GBytes          *bytes);
void           fixture_assert_floats       (const AttnArray *array,
                                            gsize            n,
                                            const float     *expected);
void           fixture_touch               (AttnArrayFile   *file);

G_END_DECLS
