/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `attention-grid survey`: statistics over many texts. */

#include "config.h"

#include "attn-cli-survey.h"

#include <glib/gi18n.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attn-cli-options.h"
#include "attn-cli-output.h"
#include "attn-cli-private.h"
#include "attn-error.h"
#include "attn-save.h"
#include "attn-survey-report.h"
#include "attn-text.h"
#include "attn-threads.h"
#include "attn-job.h"

#define DEFAULT_LENGTH 64

/* What the options that only this subcommand has say. */
typedef struct
{
  char *texts;
  char *field;
  char *column;
  char *random;
  char *statistics;
  char *layers;
  char *heads;
  char *shard;
  gint64 length;
  gint64 skip;
  gint64 limit;
  gboolean is_packed;
  gboolean is_together;
  gboolean wants_json;
} Own;

static void
clear_own (Own *own)
{
  g_free (own->texts);
  g_free (own->field);
  g_free (own->column);
  g_free (own->random);
  g_free (own->statistics);
  g_free (own->layers);
  g_free (own->heads);
  g_free (own->shard);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Own, clear_own)

/* Those of `render` that say something here, too. */
static const char * const shared_options[] = {
  "output",
  "model",
  "special-tokens",
  "mean",
  "axis",
  "scale",
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
fail_value (const char  *option,
            const char  *value,
            const char  *expected,
            GError     **error)
{
  return attn_fail (error, ATTN_ERROR_ARGUMENT, _("--%s: %s found, expected %s"), option, value,
                    expected);
}

static gboolean
parse_unsigned (const char *text,
                guint64     maximum,
                guint64    *value)
{
  return g_ascii_string_to_unsigned (text, 10, 0, maximum, value, NULL);
}

/* N,LENGTH,SEED */
static gboolean
parse_random (const char     *text,
              AttnTextsSpec  *spec,
              GError        **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  guint64 length;
  guint64 seed;

  if (g_strv_length (parts) != 3 || !parse_unsigned (parts[0], G_MAXINT32, &spec->n_random) ||
      !parse_unsigned (parts[1], 1 << 20, &length) || length < 2 ||
      !parse_unsigned (parts[2], G_MAXUINT32, &seed))
    return fail_value ("random-repeats", text,
                       _("N,LENGTH,SEED: how many, of how many tokens before they are repeated, "
                         "and a number"),
                       error);
  spec->length = 2 * length;
  spec->seed = (guint32) seed;
  return TRUE;
}

static gboolean
set_texts (const Own             *own,
           const AttnCliOptions  *options,
           AttnTextsSpec         *spec,
           GError               **error)
{
  if ((own->texts == NULL) == (own->random == NULL))
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("%s found, expected one of --texts and --random-repeats"),
                      own->texts != NULL ? "--texts, --random-repeats" : _("no texts"));
  if (own->length < 0 || own->skip < 0 || own->limit < 0)
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("--length, --skip, --limit: a negative number found, expected one from 0"));
  *spec = (AttnTextsSpec) {
    .path = own->texts,
    .field = own->field,
    .column = own->column,
    .length = own->length > 0 ? (gsize) own->length : DEFAULT_LENGTH,
    .is_packed = own->is_packed,
    .adds_special_tokens = options->asked->adds_special_tokens,
    .skip = (guint64) own->skip,
    .limit = (guint64) own->limit,
  };
  return own->random == NULL || parse_random (own->random, spec, error);
}

static gboolean
set_statistics (const Own       *own,
                AttnSurveySpec  *spec,
                GError         **error)
{
  const char *usual = own->random != NULL
                          ? "sink,entropy,distance,previous,duplicate,induction,repeat"
                          : "sink,entropy,distance,previous,duplicate,induction";
  g_auto (GStrv) names =
      g_strsplit (own->statistics != NULL ? own->statistics : usual, ",", -1);

  for (char **name = names; *name != NULL; name++)
    {
      AttnStatistic statistic;

      if (!attn_text_parse_name (attn_statistic_names, *name, &statistic, error))
        {
          g_prefix_error (error, "--statistic: ");
          return FALSE;
        }
      spec->statistics |= 1u << statistic;
    }
  if (own->statistics == NULL && spec->conditions->len > 1)
    spec->statistics |= 1u << ATTN_STATISTIC_VARIATION;
  return spec->statistics != 0 || fail_value ("statistic", own->statistics, _("names"), error);
}

static gboolean
parse_set (const char    *option,
           const char    *text,
           AttnIndexSet **set,
           GError       **error)
{
  if (text == NULL || g_str_equal (text, "all"))
    return TRUE;
  *set = attn_index_set_parse (text, error);
  if (*set == NULL)
    g_prefix_error (error, "--%s: ", option);
  return *set != NULL;
}

/* Each operation by itself, or all of them together; a scale with each of the ε. */
static void
add_conditions (const AttnCliOptions *options,
                gboolean              is_together,
                GPtrArray            *conditions)
{
  g_autoptr (GPtrArray) asked = attn_cli_options_build (options, NULL, NULL);
  guint n_groups = is_together ? MIN (asked->len, 1) : asked->len;

  g_ptr_array_add (conditions, attn_condition_new ("baseline", NULL));
  for (guint group = 0; group < n_groups; group++)
    {
      guint first = is_together ? 0 : group;
      guint end = is_together ? asked->len : group + 1;
      gboolean has_scale = FALSE;

      for (guint i = first; i < end; i++)
        has_scale |=
            ((AttnIntervention *) asked->pdata[i])->operation == ATTN_OPERATION_SCALE;
      guint n_epsilons =
          has_scale && options->asked->epsilons->len > 0 ? options->asked->epsilons->len : 1;
      for (guint epsilon = 0; epsilon < n_epsilons; epsilon++)
        {
          GPtrArray *interventions =
              g_ptr_array_new_with_free_func ((GDestroyNotify) attn_intervention_free);

          for (guint i = first; i < end; i++)
            {
              AttnIntervention *intervention = attn_intervention_copy (asked->pdata[i]);

              if (intervention->operation == ATTN_OPERATION_SCALE &&
                  options->asked->epsilons->len > 0)
                intervention->factor = g_array_index (options->asked->epsilons, double, epsilon);
              g_ptr_array_add (interventions, intervention);
            }
          g_ptr_array_add (conditions, attn_condition_new_named (interventions));
        }
    }
}

/* "I/N", or what Slurm says to a task of a job array. */
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
        return fail_value ("shard", text, _("I/N, such as 0/7 to 6/7"), error);
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

static int
run_survey (const Own            *own,
            const AttnCliOptions *options,
            AttnSurveyRunFunc     func)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) conditions =
      g_ptr_array_new_with_free_func ((GDestroyNotify) attn_condition_free);
  g_autoptr (AttnIndexSet) layers = NULL;
  g_autoptr (AttnIndexSet) heads = NULL;
  AttnSurveySpec spec = { .conditions = conditions };
  AttnSurveyRun run = { .n_shards = 1 };

  if (options->outputs->len != 1 || options->standard_output != NULL ||
      !attn_text_has_suffix (options->outputs->pdata[0], ".npz"))
    return attn_cli_fail_usage (_("%u outputs found, expected one -o FILE.npz"),
                                options->outputs->len);
  run.path = options->outputs->pdata[0];
  add_conditions (options, own->is_together, conditions);
  if (!set_texts (own, options, &spec.texts, &error) || !set_statistics (own, &spec, &error) ||
      !parse_set ("layers", own->layers, &layers, &error) ||
      !parse_set ("heads", own->heads, &heads, &error) ||
      !parse_shard (own->shard, &run, &error))
    return attn_cli_fail_usage ("%s", error->message);
  spec.layers = layers;
  spec.heads = heads;

  g_autoptr (AttnWorkspace) workspace = attn_workspace_new ();
  AttnModel *model = attn_workspace_open_model (workspace, options->asked->model.path, &error);
  if (model == NULL)
    return attn_cli_fail (error);
  spec.model = model;
  g_autoptr (AttnSurvey) survey = attn_survey_new (&spec, &error);
  if (survey == NULL)
    return attn_cli_fail (error);

  g_autoptr (AttnSurveyData) data = func (survey, &run, attn_cli_get_progress (), NULL, &error);
  attn_cli_end_progress ();
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

  if (options->outputs->len != 1 || paths[0] == NULL)
    return attn_cli_fail_usage (_("survey merge: %u parts and %u outputs found, expected parts and "
                                  "one -o FILE.npz"),
                                g_strv_length (paths), options->outputs->len);
  if (!merge_all (paths, options->outputs->pdata[0], &data, &error))
    return attn_cli_fail (error);

  gsize n_missing = attn_survey_data_count_missing (data);
  if (n_missing > 0 || data->n_texts == 0)
    {
      g_autofree char *text = g_strdup_printf (
          _("attention-grid: the survey is not complete: %zu of its parts of %d texts are "
            "missing\n"),
          n_missing, ATTN_SURVEY_CHUNK);

      fputs (text, stderr);
    }
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
  g_autofree char *text =
      wants_json ? attn_survey_report_to_json (data) : attn_survey_report_to_text (data);
  attn_cli_print (text);
  if (wants_json)
    attn_cli_print ("\n");
  return ATTN_CLI_SUCCESS;
}

/**
 * attn_cli_survey_with:
 * @func: what runs the survey
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
    { "texts", 0, 0, G_OPTION_ARG_FILENAME, &own.texts,
      N_("Many texts: .txt, a text a line; .jsonl; .csv; .npy or .npz of token ids, a row a text; "
          "- for lines of standard input"),
      "FILE" },
    { "field", 0, 0, G_OPTION_ARG_STRING, &own.field,
      N_("Which member of a .jsonl file’s objects is the text; default text"), "NAME" },
    { "column", 0, 0, G_OPTION_ARG_STRING, &own.column,
      N_("Which column of a .csv file is the text: its name in the first row, or its number in a "
          "file without names"),
      "NAME|N" },
    { "random-repeats", 0, 0, G_OPTION_ARG_STRING, &own.random,
      N_("Instead of --texts: N sequences of LENGTH random tokens, each said twice"),
      "N,LENGTH,SEED" },
    { "length", 0, 0, G_OPTION_ARG_INT64, &own.length,
      N_("The most tokens of a text; what is longer is cut; default 64"), "T" },
    { "pack", 0, 0, G_OPTION_ARG_NONE, &own.is_packed,
      N_("Join all texts and take every T tokens as one"), NULL },
    { "skip", 0, 0, G_OPTION_ARG_INT64, &own.skip, N_("Pass over the first N texts"), "N" },
    { "limit", 0, 0, G_OPTION_ARG_INT64, &own.limit, N_("At most N texts"), "N" },
    { "statistic", 0, 0, G_OPTION_ARG_STRING, &own.statistics,
      N_("What to count; default sink,entropy,distance,previous,duplicate,induction"), "LIST" },
    { "layers", 0, 0, G_OPTION_ARG_STRING, &own.layers, N_("Of which layers; default all"),
      "all|N,N|N-N" },
    { "heads", 0, 0, G_OPTION_ARG_STRING, &own.heads, N_("Of which heads; default all"),
      "all|N,N|N-N" },
    { "together", 0, 0, G_OPTION_ARG_NONE, &own.is_together,
      N_("All of --mean and --scale at once instead of each by itself"), NULL },
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
    .operands = "[merge PART…|report FILE] [-o FILE.npz]",
    .max_operands = G_MAXUINT,
    .summary = _("Counts what the heads of a model do over many texts."),
    .description = _(
        "The file holds arrays [conditions, layers, heads]: NAME.mean, NAME.variance, NAME.count, "
        "NAME.minimum, NAME.maximum for each statistic, NAME.histogram with NAME.edges, and in "
        "NAME.top, NAME.bottom and NAME.tenths numbers of texts, counted from 0. Each of --mean "
        "and --scale is a condition beside the baseline, a --scale one for each of --epsilons. A "
        "run that was ended goes on where it was. Runs with --shard are put together by “survey "
        "merge”."),
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
  if (operands != NULL && operands[0] != NULL)
    return attn_cli_fail_usage (_("survey: %s found, expected options, merge or report"),
                                operands[0]);
  return run_survey (&own, options, func);
}

int
attn_cli_survey (int    argc,
                 char **argv)
{
  return attn_cli_survey_with (argc, argv, attn_survey_run);
}
