/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A session without a window, with a folder for what it opens and saves. */

#pragma once

#include "attn-session.h"

G_BEGIN_DECLS

/**
 * Fixture:
 * @session: of the preset "epsilon" with the model that ships, not yet computed
 * @directory: goes with all that is in it
 * @message: (nullable): of the last failure
 */
typedef struct
{
  AttnSession *session;
  char *directory;
  char *message;
  guint n_results;
  guint n_failures;
} Fixture;

#define ADD(name, function) \
  g_test_add (name, Fixture, NULL, set_up_session, function, tear_down_session)

void set_up_session (Fixture *fixture,
                     gconstpointer data);
void tear_down_session (Fixture *fixture,
                        gconstpointer data);
AttnStudy *load_preset (const char *name);
const char *get_text_of (const AttnStudy *study,
                         guint input);
void wait_until_idle (Fixture *fixture);
double get_epsilon (Fixture *fixture);
void set_epsilon (Fixture *fixture,
                  double epsilon,
                  const char *what);
void set_input (Fixture *fixture,
                AttnInput *input);
gboolean is_overtaken (AttnSession *session);
char *make_path (Fixture *fixture,
                 const char *name);
char *save_study_of (Fixture *fixture,
                     const char *model_path,
                     const char *fingerprint);
char *save_bad_study (Fixture *fixture);
void session_fixture_remove_all (const char *path);

G_END_DECLS
