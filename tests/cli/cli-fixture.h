/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Runs the program as a user would. */

#pragma once

#include <gio/gio.h>

#include "attn-array.h"

G_BEGIN_DECLS

/**
 * Fixture:
 * @directory: temporary; what the test leaves in it is an error
 */
typedef struct
{
  char *directory;
} Fixture;

typedef void (*FixtureTest) (Fixture       *fixture,
                             gconstpointer  data);

void           fixture_init        (int            *argc,
                                    char         ***argv);
void           fixture_set_address_space (gsize  kibibytes);
const char    *fixture_get_program (void);
void           fixture_add         (const char     *path,
                                    FixtureTest     test);
char          *fixture_get_path    (Fixture        *fixture,
                                    const char     *name);
void           fixture_remove      (Fixture        *fixture,
                                    const char     *name);
void           fixture_write_text  (Fixture        *fixture,
                                    const char     *name,
                                    const char     *text);
char          *fixture_read_text   (const char     *path);
char          *fixture_run         (const char     *first,
                                    ...) G_GNUC_NULL_TERMINATED;
char          *fixture_run_on_terminal (const char *first,
                                    ...) G_GNUC_NULL_TERMINATED;
GBytes        *fixture_run_bytes   (const char     *first,
                                    ...) G_GNUC_NULL_TERMINATED;
void           fixture_fail        (int             status,
                                    const char     *named,
                                    const char     *first,
                                    ...) G_GNUC_NULL_TERMINATED;
void           fixture_note        (const char     *named,
                                    const char     *first,
                                    ...) G_GNUC_NULL_TERMINATED;
AttnArrayFile *fixture_load        (Fixture        *fixture,
                                    const char     *name);
AttnTensor    *fixture_get_tensor  (const AttnArrayFile *file,
                                    const char     *name);
AttnArrayFile *fixture_compute     (Fixture        *fixture,
                                    const char     *model,
                                    const char     *name,
                                    const char     *line);
void           fixture_assert_labels (const AttnArrayFile *file,
                                    const char     *name,
                                    const char     *prefix,
                                    gsize           first,
                                    gsize           n);

G_END_DECLS
