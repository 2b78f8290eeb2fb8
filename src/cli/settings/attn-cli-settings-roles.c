/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Options for the figure of layers x tokens, for the roles of its tokens (question, answer and
 * exact answer), and for regions, the rectangles around cells of any figure. */

#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "attn-cli-settings.h"
#include "attn-matrix.h"
#include "attn-regions.h"
#include "attn-roles.h"

static gboolean
set_text (AttnStudy   *study,
          char       **text,
          const char  *value,
          GError     **error)
{
  if (!g_utf8_validate (value, -1, NULL))
    return attn_field_fail (value, _("UTF-8 text"), error);
  g_free (*text);
  *text = g_strdup (value);
  study->roles.has_positions = FALSE;
  return TRUE;
}

static gboolean
apply_question (AttnStudy   *study,
                const char  *value,
                GError     **error)
{
  return set_text (study, &study->roles.question, value, error);
}

/* Sets the answer. The exact answer of the preset is removed if the new answer marks its exact part
 * as "[[Paris]]". */
static gboolean
apply_answer (AttnStudy   *study,
              const char  *value,
              GError     **error)
{
  g_autoptr (AttnStudy) preset =
      study->preset != NULL ? attn_presets_load (study->preset, NULL) : NULL;

  if (preset != NULL &&
      g_strcmp0 (study->roles.exact_answer, preset->roles.exact_answer) == 0 &&
      strstr (value, "[[") != NULL)
    g_clear_pointer (&study->roles.exact_answer, g_free);
  return set_text (study, &study->roles.answer, value, error);
}

static gboolean
apply_exact_answer (AttnStudy   *study,
                    const char  *value,
                    GError     **error)
{
  return set_text (study, &study->roles.exact_answer, value, error);
}

static gboolean
apply_marked (AttnStudy   *study,
              const char  *value,
              GError     **error)
{
  if (!g_utf8_validate (value, -1, NULL))
    return attn_field_fail (value, _("UTF-8 text"), error);
  return attn_roles_set_marked (&study->roles, value, error);
}

static gboolean
apply_positions (AttnStudy   *study,
                 const char  *value,
                 GError     **error)
{
  return attn_roles_set_positions (&study->roles, value, error);
}

static gboolean
apply_after_last (AttnStudy   *study,
                  const char  *value,
                  GError     **error)
{
  attn_roles_set_after_last (study, TRUE);
  return TRUE;
}

/* Tells whether the study is a placeholder: options are applied to a placeholder while the command
 * line is read, to check only the form of their values. */
static gboolean
is_empty (const AttnStudy *study)
{
  return study->preset == NULL && study->inputs->len == 0 && study->model.path == NULL;
}

/* Removes the regions of the preset, which are examples, if the study still has exactly these. */
static void
drop_example_regions (AttnStudy *study)
{
  g_autoptr (AttnStudy) preset =
      study->preset != NULL ? attn_presets_load (study->preset, NULL) : NULL;

  if (preset != NULL && attn_field_equal (attn_study_find_field ("regions"), study, preset))
    g_ptr_array_set_size (study->regions, 0);
}

static gboolean
apply_region (AttnStudy   *study,
              const char  *value,
              GError     **error)
{
  const char *comma = strrchr (value, ',');

  if (!g_utf8_validate (value, -1, NULL) || comma == NULL || comma == value || comma[1] == '\0')
    return attn_field_fail (value, _("columns and rows such as first_answer:-1,4-28"),
                            error);
  if (is_empty (study))
    return TRUE;

  AttnStudyRegion *region = attn_study_parse_region (study, value, error);
  if (region == NULL)
    return FALSE;
  drop_example_regions (study);
  g_ptr_array_add (study->regions, region);
  return TRUE;
}

static gboolean
apply_no_regions (AttnStudy   *study,
                  const char  *value,
                  GError     **error)
{
  g_ptr_array_set_size (study->regions, 0);
  return TRUE;
}

static gboolean
apply_array (AttnStudy   *study,
             const char  *value,
             GError     **error)
{
  g_auto (AttnModelReference) array = { .header = study->model.header };

  attn_model_reference_parse (&array, value);
  if (!is_empty (study))
    {
      drop_example_regions (study);
      if (!attn_study_move_regions (study, &array, error))
        return FALSE;
    }
  attn_model_reference_take (&study->model, &array);
  return TRUE;
}

const AttnCliSetting attn_cli_roles_settings[] = {
  { "question", "TEXT", N_("What is asked, for layer-token"), apply_question },
  { "answer", "TEXT", N_("The answer that follows the question"), apply_answer },
  { "exact-answer", "TEXT", N_("The exact answer: the part of the answer that decides whether it "
                                "is right"),
    apply_exact_answer },
  { "marked", "TEXT", N_("All three as one text: “Question? || The answer is [[Paris]].”"),
    apply_marked,
    .about = "roles.question" },
  { "positions", "answer=N,exact=N-N",
    N_("Positions of answer and exact answer in --text or --ids instead"), apply_positions },
  { "after-last", NULL, N_("A column for the token after the exact answer"), apply_after_last },
  { "array", "FILE",
    N_("Draw a matrix of layers x tokens from a file: .csv, .npy, or .npz, of which FILE:NAME "
        "says the array"),
    apply_array, .about = "roles.question" },
  { "region", "[NAME=][PANEL/]COLUMNS,ROWS",
    N_("A rectangle around cells, such as first_answer:-1,4-28; repeatable"), apply_region },
  { "no-regions", NULL, N_("Without the rectangles of the preset or study"), apply_no_regions },
  { NULL },
};
