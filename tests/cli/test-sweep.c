/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `render --sweep` from outside. */

#include "config.h"

#include <string.h>

#include "attn-study.h"
#include "cli-fixture.h"

static gboolean
has_text (Fixture    *fixture,
          const char *name,
          const char *text)
{
  g_autofree char *path = fixture_get_path (fixture, name);
  g_autofree char *contents = NULL;

  g_assert_true (g_file_get_contents (path, &contents, NULL, NULL));
  return strstr (contents, text) != NULL;
}

/* A file each step, numbered from 0, with the ε of the step in its titles. */
static void
test_files (Fixture       *fixture,
            gconstpointer  data)
{
  g_autofree char *pattern = fixture_get_path (fixture, "step-%02d.svg");

  g_free (fixture_run ("render", "epsilon", "--sweep", "1:1e-4:3", "-o", pattern, NULL));
  g_assert_true (has_text (fixture, "step-00.svg", "ε = 1e0"));
  g_assert_true (has_text (fixture, "step-01.svg", "ε = 1e-2"));
  g_assert_true (has_text (fixture, "step-02.svg", "ε = 1e-4"));
  fixture_remove (fixture, "step-00.svg");
  fixture_remove (fixture, "step-01.svg");
  fixture_remove (fixture, "step-02.svg");
}

static void
test_animation (Fixture       *fixture,
                gconstpointer  data)
{
  g_autofree char *path = fixture_get_path (fixture, "sweep.svg");

  g_free (fixture_run ("render", "epsilon", "--sweep", "1:1e-4:3", "-o", path, NULL));
  g_assert_true (has_text (fixture, "sweep.svg", "<animate "));
  g_assert_true (has_text (fixture, "sweep.svg", "id=\"step-2\""));
  fixture_remove (fixture, "sweep.svg");
}

static void
test_wrong_usage (Fixture       *fixture,
                  gconstpointer  data)
{
  g_autofree char *single = fixture_get_path (fixture, "frame.png");
  g_autofree char *pattern = fixture_get_path (fixture, "frame-%03d.png");

  fixture_fail (2, "--sweep", "render", "epsilon", "--sweep", "1:2", "-o", pattern, NULL);
  fixture_fail (2, "frame.png", "render", "epsilon", "--sweep", "1:1e-4:3", "-o", single, NULL);
  fixture_fail (1, "sweep", "render", "mean-operation", "--sweep", "1:1e-4:3", "-o", pattern,
                NULL);
}

int
main (int    argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  fixture_add ("/cli/sweep/files", test_files);
  fixture_add ("/cli/sweep/animation", test_animation);
  fixture_add ("/cli/sweep/wrong-usage", test_wrong_usage);
  return g_test_run ();
}
