/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `attention-grid survey`: computes statistics over many texts. */

#include "config.h"

#include "attn-cli-survey.h"

#include <glib/gi18n.h>
#include <stdio.h>
#include <string.h>

#include "attn-cli-options.h"
#include "attn-cli-output.h"
#include "attn-cli-private.h"
#include "attn-cli-study.h"
#include "attn-error.h"
#include "attn-survey-report.h"
#include "attn-survey-spec.h"
#include "attn-text.h"

/* Values of the options that only the subcommand `survey` has. */
typedef struct
{
  char *shard;
  gboolean wants_json;
} Own;

static void
clear_own (Own *own)
{
  g_free (own->shard);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Own, clear_own)

/* Names of the options of `render` that the subcommand `survey` has, too. */
static const char * const shared_options[] = {
  "output",
  "model",
  "adapter",
  "texts",
  "images",
  "sounds",
  "field",
  "column",
  "random-repeats",
  "length",
  "pack",
  "skip",
  "limit",
  "statistic",
  "max-tokens",
  "attribute",
  "rank",
  "steps",
  "unit",
  "at",
  "layers",
  "heads",
  "together",
  "special-tokens",
  "chat",
  "mean",
  "axis",
  "scale",
  "zero",
  "patch",
  "cut",
  "text",
  "text-file",
  "ids",
  "attention",
  "epsilons",
  "site",
  "scope-layers",
  "scope-heads",
  "scope-tokens",
  "threads",
  NULL,
};

/* -- From options to a survey -- */

static gboolean
parse_unsigned (const char *text,
                guint64     maximum,
                guint64    *value)
{
  return g_ascii_string_to_unsigned (text, 10, 0, maximum, value, NULL);
}

/* Parses the value of --shard, "I/N". Without the option, part and number of parts are those of a
 * task in a Slurm job array, if there is one. */
static gboolean
parse_shard (const char     *text,
             AttnSurveyRun  *run,
             GError        **error)
{
  const char *id = g_getenv ("SLURM_ARRAY_TASK_ID");
  const char *count = g_getenv ("SLURM_ARRAY_TASK_COUNT");
  const char *minimum = g_getenv ("SLURM_ARRAY_TASK_MIN");
  guint64 index = 0;
  guint64 n = 1;
  guint64 first = 0;

  if (text != NULL)
    {
      g_auto (GStrv) parts = g_strsplit (text, "/", -1);

      if (g_strv_length (parts) != 2 || !parse_unsigned (parts[0], G_MAXINT32, &index) ||
          !parse_unsigned (parts[1], G_MAXINT32, &n) || index >= n)
        return attn_fail (error, ATTN_ERROR_ARGUMENT, _("--%s: %s found, expected %s"), "shard",
                          text, _("I/N, such as 0/7 to 6/7"));
    }
  else if (id != NULL && count != NULL &&
           (!parse_unsigned (id, G_MAXINT32, &index) ||
            !parse_unsigned (count, G_MAXINT32, &n) ||
            (minimum != NULL && !parse_unsigned (minimum, index, &first)) || index - first >= n))
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("SLURM_ARRAY_TASK_ID: %s of %s found, expected a task of an array whose "
                        "numbers follow one another"),
                      id, count);
  run->shard = (guint) (index - first);
  run->n_shards = (guint) n;
  return TRUE;
}

/* Finds the outputs that -o names. @paths: (out): the .npz for the results and the .json for the
 * study; %NULL for an output that is not named */
static gboolean
find_outputs (const AttnCliOptions  *options,
              const char            *paths[2],
              GError               **error)
{
  static const char * const suffixes[] = { ".npz", ".json" };

  paths[0] = paths[1] = NULL;
  for (guint i = 0; i < options->targets->len; i++)
    {
      const char *path = ((const AttnCliTarget *) options->targets->pdata[i])->name;
      guint kind = 0;

      while (kind < 2 && !attn_text_has_suffix (path, suffixes[kind]))
        kind++;
      if (kind == 2 || paths[kind] != NULL)
        {
          paths[0] = paths[1] = NULL;
          break;
        }
      paths[kind] = path;
    }
  return paths[0] != NULL || paths[1] != NULL ||
         attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("%u outputs found, expected one -o FILE.npz, one -o STUDY.json or both"),
                    options->targets->len);
}

/* Prints a warning about characters of the texts that have no token and were left out. */
static void
note_loss (const AttnSurvey *survey)
{
  const AttnTextsLoss *loss = attn_survey_get_loss (survey);

  if (loss->n_texts > 0)
    attn_cli_note (_("texts: %zu characters or bytes found in %zu texts that the vocabulary has no "
                     "token for, left out; the first in text %zu"),
                   (gsize) loss->n_characters, (gsize) loss->n_texts, (gsize) loss->first);
}

static void
note_kernels (const AttnSurveyData *data)
{
  g_autofree char *message = attn_survey_data_describe_kernels (data);

  if (message != NULL)
    attn_cli_note ("%s", message);
}

static gboolean
check_study (const AttnStudy       *study,
             const AttnCliOptions  *options,
             gboolean               is_saved,
             GError               **error)
{
  gboolean has_texts = attn_cli_options_count (options, "texts") > 0 ||
                       attn_cli_options_count (options, "images") > 0 ||
                       attn_cli_options_count (options, "sounds") > 0;
  gboolean has_random = attn_cli_options_count (options, "random-repeats") > 0;

  if (!attn_study_get_traits (study)->has_survey)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("survey: a study of another figure found, expected one of a survey"));
  if ((has_texts && has_random) || (study->survey.texts == NULL && study->survey.n_random == 0))
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("%s found, expected one of --texts and --random-repeats"),
                      has_texts ? "--texts, --random-repeats" : _("no texts"));
  if (attn_cli_options_count (options, "attribute") > 0 &&
      attn_cli_options_count (options, "statistic") > 0)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("--attribute, --statistic found, expected one of them"));
  return !is_saved || g_strcmp0 (study->survey.texts, "-") != 0 ||
         attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("--texts: standard input found, expected a file, which a study can name"));
}

/* -- A study, which says all that is asked -- */

static void
make_absolute (char **path)
{
  char *absolute = *path != NULL ? g_canonicalize_filename (*path, NULL) : NULL;

  g_free (*path);
  *path = absolute;
}

/* Saves the study of the survey with absolute paths, so that it can be opened from another folder,
 * and with the fingerprint of its model. */
static gboolean
save_study (const AttnStudy  *study,
            AttnModel        *model,
            const char       *path,
            GError          **error)
{
  g_autoptr (AttnStudy) saved = attn_study_copy (study);

  make_absolute (&saved->model.path);
  make_absolute (&saved->model.adapter);
  make_absolute (&saved->survey.texts);
  if (saved->model.fingerprint == NULL)
    saved->model.fingerprint = g_strdup (attn_model_get_fingerprint (model));
  return attn_study_save (saved, path, error);
}

/* -- Counting -- */

static int
run_survey (const char           *operand,
            const Own            *own,
            const AttnCliOptions *options,
            AttnSurveyRunFunc     func)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  AttnSurveyRun run = { .n_shards = 1 };
  const char *paths[2];
  int status;

  if (!find_outputs (options, paths, &error) || !parse_shard (own->shard, &run, &error))
    return attn_cli_fail_usage ("%s", error->message);
  run.path = paths[0];
  g_autoptr (AttnStudy) study = attn_cli_load_study (operand, options, workspace, &status);
  if (study == NULL)
    return status;
  if (!check_study (study, options, paths[1] != NULL, &error))
    return attn_cli_fail_usage ("%s", error->message);

  AttnModel *model =
      attn_workspace_open_model (workspace, &study->model, study->attention, &error);
  g_autoptr (AttnSurveySpec) spec =
      model != NULL ? attn_survey_spec_new (study, model, &error) : NULL;
  g_autoptr (AttnSurvey) survey = spec != NULL ? attn_survey_new (spec, NULL, &error) : NULL;
  if (survey == NULL || (paths[1] != NULL && !save_study (study, model, paths[1], &error)))
    return attn_cli_fail (error);
  if (run.path == NULL)
    return ATTN_CLI_SUCCESS;

  g_autoptr (AttnSurveyData) data = func (survey, &run, attn_cli_get_progress (), NULL, &error);
  attn_cli_end_progress ();
  note_loss (survey);
  if (data != NULL)
    note_kernels (data);
  return data != NULL ? ATTN_CLI_SUCCESS : error != NULL ? attn_cli_fail (error)
                                                         : ATTN_CLI_FAILURE;
}

/* -- Merging -- */

static gboolean
merge_all (char           **paths,
           const char      *output,
           AttnSurveyData **data,
           GError         **error)
{
  for (char **path = paths; *path != NULL; path++)
    {
      g_autoptr (AttnSurveyData) part = attn_survey_data_load (*path, error);
      g_autofree char *display = g_filename_display_name (*path);

      if (part == NULL)
        return FALSE;
      if (*data == NULL)
        *data = g_steal_pointer (&part);
      else if (!attn_survey_data_merge (*data, part, display, error))
        return FALSE;
    }
  return attn_survey_data_save (*data, output, error);
}

static int
merge (char                 **paths,
       const AttnCliOptions  *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnSurveyData) data = NULL;

  if (options->targets->len != 1 || paths[0] == NULL)
    return attn_cli_fail_usage (_("survey merge: %u parts and %u outputs found, expected parts and "
                                  "one -o FILE.npz"),
                                g_strv_length (paths), options->targets->len);
  if (!merge_all (paths, ((const AttnCliTarget *) options->targets->pdata[0])->name, &data, &error))
    return attn_cli_fail (error);

  note_kernels (data);
  gsize n_missing = attn_survey_data_count_missing (data);
  if (n_missing > 0 || data->n_texts == 0)
    attn_cli_note (data->attribution != NULL
                       ? _("the survey is not complete: %zu of its passes of a head with %d "
                           "texts are missing")
                       : _("the survey is not complete: %zu of its parts of %d texts are "
                           "missing"),
                   n_missing, ATTN_SURVEY_CHUNK);
  return ATTN_CLI_SUCCESS;
}

/* -- Reporting -- */

static int
report (char     **paths,
        gboolean   wants_json)
{
  g_autoptr (GError) error = NULL;

  if (g_strv_length (paths) != 1)
    return attn_cli_fail_usage (_("survey report: %u files found, expected one"),
                                g_strv_length (paths));
  g_autoptr (AttnSurveyData) data = attn_survey_data_load (paths[0], &error);
  if (data == NULL)
    return attn_cli_fail (error);
  note_kernels (data);
  g_autofree char *text =
      wants_json ? attn_survey_report_to_json (data) : attn_survey_report_to_text (data);
  if (wants_json)
    attn_cli_print_json (text);
  else
    attn_cli_print (text);
  return ATTN_CLI_SUCCESS;
}

/**
 * attn_cli_survey_with:
 * @func: function that computes the survey, with or without MPI
 *
 * Runs the subcommand "survey".
 *
 * Returns: the exit status
 */
int
attn_cli_survey_with (int                 argc,
                      char              **argv,
                      AttnSurveyRunFunc   func)
{
  g_autoptr (AttnCliOptions) options = attn_cli_options_new ();
  g_auto (Own) own = { NULL };
  const GOptionEntry own_entries[] = {
    { "shard", 0, 0, G_OPTION_ARG_STRING, &own.shard,
      N_("Only part I of N of the texts, counted from 0; default: the task of a Slurm job array"),
      "I/N" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &own.wants_json,
      N_("Of survey report: one JSON object"), NULL },
    { NULL },
  };
  g_autoptr (GArray) entries = attn_cli_options_list_some (options, own_entries, shared_options);
  const AttnCliSyntax syntax = {
    .subcommand = "survey",
    .operands = "[STUDY|merge PART…|report FILE] [-o FILE.npz] [-o STUDY.json]",
    .max_operands = G_MAXUINT,
    .summary = _("Counts what the heads of a model do over many texts."),
    .description = _(
        "The file holds arrays [conditions, layers, heads]: NAME.mean, NAME.variance, NAME.count, "
        "NAME.minimum, NAME.maximum for each statistic, NAME.histogram with NAME.edges, and in "
        "NAME.top, NAME.bottom and NAME.tenths numbers of texts, counted from 0. Each of --mean, "
        "--scale, --zero, --patch and --cut is a condition beside the baseline, a --scale one for "
        "each of --epsilons. A patch takes from a --text, in all texts from the same. What a text "
        "is too short for is passed over there. A run that was ended goes on where it was. Runs "
        "with --shard are put together by “survey merge”. A STUDY says what the options say, which "
        "change it; -o STUDY.json writes one, which the window opens, too."),
    .entries = (const GOptionEntry *) (gpointer) entries->data,
    .user_data = options,
  };
  g_auto (GStrv) operands = NULL;
  int status = attn_cli_parse (&syntax, argc, argv, &operands);

  if (status != ATTN_CLI_CONTINUE)
    return status;
  if (operands != NULL && operands[0] != NULL && g_str_equal (operands[0], "merge"))
    return merge (operands + 1, options);
  if (operands != NULL && operands[0] != NULL && g_str_equal (operands[0], "report"))
    return report (operands + 1, own.wants_json);
  if (operands != NULL && operands[0] != NULL && operands[1] != NULL)
    return attn_cli_fail_usage (_("survey: %s found, expected one study, merge or report"),
                                operands[1]);
  return run_survey (operands != NULL ? operands[0] : NULL, &own, options, func);
}

int
attn_cli_survey (int    argc,
                 char **argv)
{
  return attn_cli_survey_with (argc, argv, attn_survey_run);
}
