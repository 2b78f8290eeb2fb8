/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Options for the texts of a survey and for attributions. */

#include "config.h"

#include <glib/gi18n.h>

#include "attn-cli-settings.h"
#include "attn-error.h"

static gboolean
apply_texts (AttnStudy   *study,
             const char  *value,
             GError     **error)
{
  attn_study_set_texts (study, value);
  return TRUE;
}

static gboolean
apply_random_repeats (AttnStudy   *study,
                      const char  *value,
                      GError     **error)
{
  AttnSurveyOptions *survey = &study->survey;
  g_auto (GStrv) parts = g_strsplit (value, ",", -1);
  const guint64 most[] = { G_MAXINT32, 1 << 20, G_MAXUINT32 };
  guint64 numbers[3] = { 0 };
  gboolean is_valid = g_strv_length (parts) == 3;

  for (gsize i = 0; is_valid && i < 3; i++)
    is_valid =
        g_ascii_string_to_unsigned (parts[i], 10, i == 1 ? 2 : 0, most[i], &numbers[i], NULL);
  if (!is_valid || numbers[0] == 0)
    return attn_field_fail (value,
                            _("N,LENGTH,SEED: the number of sequences, that of their tokens "
                              "before these are repeated, and a seed"),
                            error);
  g_clear_pointer (&survey->texts, g_free);
  survey->n_random = numbers[0];
  survey->length = numbers[1];
  survey->seed = numbers[2];
  return TRUE;
}

/* Chooses the attribution, which is surveyed without other statistics. --statistic together with it
 * is refused later. */
static gboolean
apply_attribute (AttnStudy   *study,
                 const char  *value,
                 GError     **error)
{
  study->survey.statistics[ATTN_STATISTIC_ATTRIBUTION] = TRUE;
  study->survey.statistic = ATTN_STATISTIC_ATTRIBUTION;
  return TRUE;
}

/* Sets the unit in a score atlas and in surveys, which are two settings with different defaults. */
static gboolean
apply_unit (AttnStudy   *study,
            const char  *value,
            GError     **error)
{
  return attn_field_parse (attn_study_find_field ("unit"), value, study, error) &&
         attn_field_parse (attn_study_find_field ("survey.unit"), value, study, error);
}

static gboolean
apply_at (AttnStudy   *study,
          const char  *value,
          GError     **error)
{
  return attn_field_parse (attn_study_find_field ("at"), value, study, error) &&
         attn_field_parse (attn_study_find_field ("survey.at"), value, study, error);
}

const AttnCliSetting attn_cli_survey_settings[] = {
  { "texts", "FILE",
    N_("Many texts: .txt, a text a line; .jsonl; .csv; .fasta, a sequence a text; .npy or .npz of "
        "token ids, a row a text; - for lines of standard input"),
    apply_texts },
  { "images", "DIR",
    N_("Instead of --texts, for a model of pictures: the pictures of a folder"), apply_texts,
    .about = "survey.texts" },
  { "sounds", "DIR",
    N_("Instead of --texts, for a model of sounds: the sounds of a folder, .wav"), apply_texts,
    .about = "survey.texts" },
  { "random-repeats", "N,LENGTH,SEED",
    N_("Instead of --texts: N sequences of LENGTH random tokens, each said twice"),
    apply_random_repeats },
  { "attribute", NULL,
    N_("Which heads matter: change each head alone as the one --scale, --mean or --zero says, "
        "instead of --statistic"),
    apply_attribute, .about = "survey.statistics" },
  { "unit", "bits|nats",
    N_("The unit of the KL of one head: default bits in a score-atlas, nats with --attribute"),
    apply_unit },
  { "at", "all|last|N",
    N_("Where the KL of one head is taken: default all, their mean, in a score-atlas, last with "
        "--attribute"),
    apply_at },
  { NULL },
};
