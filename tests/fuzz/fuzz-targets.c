/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "fuzz-targets.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "../remove-folder.h"
#include "attn-chat.h"
#include "attn-checkpoint.h"
#include "attn-colormap.h"
#include "attn-config.h"
#include "attn-job.h"
#include "attn-journal.h"
#include "attn-model.h"
#include "attn-readers.h"
#include "attn-probe-file.h"
#include "attn-sound-resample.h"
#include "attn-study.h"
#include "attn-survey-chunk.h"
#include "attn-survey-report.h"
#include "attn-texts.h"
#include "attn-tokenizer.h"
#include "attn-wav.h"

/* Above this many elements an array is not converted: a small file may promise zeros by the
 * million. */
#define MAX_ELEMENTS 65536

static char *directory;

static void
remove_directory (void)
{
  remove_folder (directory);
  g_free (directory);
}

/* Returns: (transfer full): where a file of that name and content is, in memory where there is such
 * a place: thousands a second are written */
char *
fuzz_write_file (const char *name,
                 const void *data,
                 gsize       size)
{
  g_autoptr (GError) error = NULL;

  if (directory == NULL)
    {
      if (g_file_test ("/dev/shm", G_FILE_TEST_IS_DIR))
        g_setenv ("TMPDIR", "/dev/shm", FALSE);
      directory = g_dir_make_tmp ("attn-fuzz-XXXXXX", &error);
      g_assert_no_error (error);
      atexit (remove_directory);
    }
  char *path = g_build_filename (directory, name, NULL);
  /* That flag does not shorten a file. */
  g_unlink (path);
  g_file_set_contents_full (path, data, size, G_FILE_SET_CONTENTS_NONE, 0600, &error);
  g_assert_no_error (error);
  return path;
}

static void
touch_arrays (AttnArrayFile *file)
{
  for (gsize i = 0; i < attn_array_file_get_n_arrays (file); i++)
    {
      const AttnArray *array = attn_array_file_get_nth (file, i);
      gsize n = attn_array_get_n_elements (array);

      if (n > MAX_ELEMENTS)
        continue;
      if (array->dtype == ATTN_DTYPE_UNICODE)
        {
          g_auto (GStrv) strings = attn_array_dup_strings (array, NULL);

          g_assert_true (strings == NULL || g_strv_length (strings) == n);
        }
      else
        {
          g_autofree float *values = g_new (float, n);

          attn_array_read (array, 0, n, values, NULL);
        }
    }
}

typedef gboolean (*ReadFunc) (AttnArrayFile *file, GBytes *bytes, GError **error);

static void
read_arrays (ReadFunc      read,
             const guint8 *data,
             gsize         size)
{
  g_autoptr (AttnArrayFile) file = attn_array_file_new ("fuzzed");
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (GError) error = NULL;

  g_assert_true (read (file, bytes, &error) == (error == NULL));
  if (error == NULL)
    touch_arrays (file);
}

static void
run_safetensors (const guint8 *data,
                 gsize         size)
{
  read_arrays (attn_safetensors_read, data, size);
}

static gboolean
read_npy (AttnArrayFile  *file,
          GBytes         *bytes,
          GError        **error)
{
  return attn_npy_read (file, "", bytes, error);
}

static void
run_torch (const guint8 *data,
           gsize         size)
{
  read_arrays (attn_torch_read, data, size);
}

static void
run_npy (const guint8 *data,
         gsize         size)
{
  read_arrays (read_npy, data, size);
}

static void
run_npz (const guint8 *data,
         gsize         size)
{
  read_arrays (attn_npz_read, data, size);
}

static void
run_csv (const guint8 *data,
         gsize         size)
{
  read_arrays (attn_csv_read, data, size);
}

static void
load_tokenizer (const char *path)
{
  static const char text[] = "A rose <s> is\ta ro\u0301se, 字 [CLS] 12345\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnTokenizer) tokenizer = attn_tokenizer_load (path, &error);

  g_assert_true ((tokenizer != NULL) == (error == NULL));
  if (tokenizer == NULL)
    return;
  g_autoptr (AttnTokens) tokens = attn_tokenizer_encode (tokenizer, text, -1, TRUE, &error);
  g_assert_true ((tokens != NULL) == (error == NULL));
  for (gsize i = 0; tokens != NULL && i < tokens->n_tokens; i++)
    {
      g_assert_cmpuint (tokens->tokens[i].end, <=, strlen (text));
      g_autoptr (GBytes) bytes =
          attn_tokenizer_decode (tokenizer, &tokens->tokens[i].id, 1, &error);
      g_assert_no_error (error);
    }
}

static void
run_gguf (const guint8 *data,
          gsize         size)
{
  g_autofree char *path = fuzz_write_file ("model.gguf", data, size);
  g_autoptr (GError) error = NULL;

  read_arrays (attn_gguf_read, data, size);
  load_tokenizer (path);
  g_autoptr (AttnModel) model = attn_model_open (path, &error);
  g_assert_true ((model != NULL) == (error == NULL));
}

static void
run_tokenizer_json (const guint8 *data,
                    gsize         size)
{
  g_autofree char *path = fuzz_write_file ("tokenizer.json", data, size);

  load_tokenizer (path);
}

static void
run_tokenizer_model (const guint8 *data,
                     gsize         size)
{
  g_autofree char *path = fuzz_write_file ("tokenizer.model", data, size);

  load_tokenizer (path);
}

/* Merges after the first byte 0, if there is one. */
static void
run_vocab_json (const guint8 *data,
                gsize         size)
{
  const guint8 *end = size > 0 ? memchr (data, 0, size) : NULL;
  gsize n = end != NULL ? (gsize) (end - data) : size;
  g_autofree char *merges = fuzz_write_file ("merges.txt", data + MIN (n + 1, size),
                                             size - MIN (n + 1, size));
  g_autofree char *path = fuzz_write_file ("vocab.json", data, n);

  load_tokenizer (path);
}

static void
run_vocab_txt (const guint8 *data,
               gsize         size)
{
  g_autofree char *path = fuzz_write_file ("vocab.txt", data, size);

  load_tokenizer (path);
}

static void
run_config (const guint8 *data,
            gsize         size)
{
  g_autofree char *path = fuzz_write_file ("config.json", data, size);
  AttnConfig config = { 0 };
  g_autoptr (GError) error = NULL;

  g_assert_true (attn_config_load (path, ATTN_STACK_ONLY, &config, &error) == (error == NULL));
  attn_config_clear (&config);
}

/* A checkpoint of one shard, "a.safetensors", with a tensor "a" of one number. */
static void
run_index (const guint8 *data,
           gsize         size)
{
  static const char shard[] =
      "\x38\0\0\0\0\0\0\0"
      "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}  \0\0\0";
  g_autofree char *config = fuzz_write_file ("config.json", "{}", 2);
  g_autofree char *weights = fuzz_write_file ("a.safetensors", shard, sizeof shard);
  g_autofree char *path = fuzz_write_file ("model.safetensors.index.json", data, size);
  g_autoptr (AttnFingerprint) fingerprint = attn_fingerprint_new (NULL);
  g_autoptr (GError) error = NULL;
  AttnCheckpoint *checkpoint = attn_checkpoint_find (directory, FALSE, &error);

  g_assert_no_error (error);
  g_autoptr (AttnArrayFile) file = attn_checkpoint_load (checkpoint, fingerprint, &error);
  g_assert_true ((file != NULL) == (error == NULL));
  attn_checkpoint_free (checkpoint);
}

/* Two layers of two heads over three tokens, each row of which is a third. */
static char *
write_weights (void)
{
  static const char head[] = "\x93NUMPY\1\0\x46\0{'descr': '<f4', 'fortran_order': False, "
                             "'shape': (2, 2, 3, 3), }";
  g_autoptr (GByteArray) file = g_byte_array_new ();
  const float third = 1.0f / 3;

  g_byte_array_append (file, (const guint8 *) head, sizeof head - 1);
  while (file->len < 79)
    g_byte_array_append (file, (const guint8 *) " ", 1);
  g_byte_array_append (file, (const guint8 *) "\n", 1);
  for (int i = 0; i < 2 * 2 * 3 * 3; i++)
    g_byte_array_append (file, (const guint8 *) &third, sizeof third);
  return fuzz_write_file ("weights.npy", file->data, file->len);
}

/* The figure of a study, on weights at hand: what it names on this machine is not opened. */
static void
show_study (const AttnStudy *study)
{
  static AttnWorkspace *workspace;
  static char *path;
  g_autoptr (AttnStudy) shown = attn_study_copy (study);
  g_autoptr (GError) error = NULL;

  if (workspace == NULL)
    {
      workspace = attn_workspace_new ();
      path = write_weights ();
    }
  g_assert_true (attn_study_equal (study, shown));
  attn_model_reference_set (&shown->model, path);
  g_ptr_array_set_size (shown->other_models, 0);
  g_clear_pointer (&shown->survey.texts, g_free);
  g_autoptr (AttnResult) result = attn_job_run (shown, workspace, NULL, NULL, &error);
  g_assert_true ((result != NULL) == (error == NULL));
}

/* What was read is written, read again to the same, copied and shown. */
static void
check_study (AttnStudy *study)
{
  g_autoptr (GError) error = NULL;

  if (study == NULL)
    return;
  g_autofree char *json = attn_study_to_json (study);
  g_autoptr (AttnStudy) again = attn_study_from_json ("written", json, -1, &error);
  g_assert_no_error (error);
  g_autofree char *second = attn_study_to_json (again);
  g_assert_cmpstr (json, ==, second);
  show_study (study);
}

static void
run_study (const guint8 *data,
           gsize         size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnStudy) study = attn_study_from_json ("fuzzed", (const char *) data, size, &error);

  g_assert_true ((study != NULL) == (error == NULL));
  check_study (study);
}

static void
run_svg (const guint8 *data,
         gsize         size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnStudy) study = attn_study_from_svg ("fuzzed", (const char *) data, size, &error);

  g_assert_true ((study != NULL) == (error == NULL));
  check_study (study);
}

static void
run_page (const guint8 *data,
          gsize         size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnStudy) study = attn_study_from_page ("fuzzed", (const char *) data, size, &error);

  g_assert_true ((study != NULL) == (error == NULL));
  check_study (study);
}

static void
run_colormap (const guint8 *data,
              gsize         size)
{
  g_autoptr (GError) error = NULL;
  AttnColormap colormap;

  g_assert_true (attn_colormap_parse_csv ("fuzzed", (const char *) data, size, &colormap,
                                          &error) == (error == NULL));
}

/* A chat template, which is a program: it is run on a message, and what it writes has this. */
static void
run_chat (const guint8 *data,
          gsize         size)
{
  static const char message[] = " Say <it>.\n";
  static const char * const tokens[ATTN_CHAT_N_TOKENS] = { "<s>", "</s>" };
  g_autofree char *template = g_strndup ((const char *) data, size);
  g_auto (AttnChat) chat = { 0 };
  g_autoptr (GError) error = NULL;
  gsize begin = 0, end = 0;

  if (!g_utf8_validate (template, -1, NULL))
    return;
  if (!attn_chat_read ("fuzzed", template, tokens, &chat, &error))
    {
      g_assert_nonnull (error);
      return;
    }
  g_assert_no_error (error);
  g_autofree char *framed =
      attn_chat_frame (&chat, message, strlen (message), &begin, &end, &error);
  g_assert_true ((framed != NULL) == (error == NULL));
  g_assert_true (framed == NULL || (begin <= end && end <= strlen (message)));
}

/* A survey's file: whatever it says, what is asked of a survey is answered. */
static void
run_survey (const guint8 *data,
            gsize         size)
{
  g_autofree char *path = fuzz_write_file ("survey.npz", data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnSurveyData) survey = attn_survey_data_load (path, &error);
  AttnTextsSpec spec;

  g_assert_true ((survey != NULL) == (error == NULL));
  if (survey == NULL)
    return;
  g_autofree char *checksum = attn_survey_data_dup_checksum (survey);
  g_autofree char *kernels = attn_survey_data_describe_kernels (survey);
  g_autofree char *report = attn_survey_report_to_text (survey);
  g_autofree char *json = attn_survey_report_to_json (survey);
  g_autoptr (GPtrArray) inputs = attn_survey_data_list_inputs (survey);
  attn_survey_data_count_missing (survey);
  attn_survey_data_get_texts (survey, &spec);
  g_free (spec.field);
  g_free (spec.column);
}

static AttnSurveyData *
new_survey (void)
{
  static const char json[] =
      "{\"version\": 3, \"model\": \"m\", \"fingerprint\": \"f\", \"texts\": {}, "
      "\"length\": 4, \"causal\": true, \"conditions\": [\"baseline\"], "
      "\"factors\": [null], \"series\": [\"baseline\"], \"statistics\": [\"sink\", "
      "\"offset\", \"entropy\"], \"layers\": [0], \"heads\": [0, 1]}";
  g_autoptr (GError) error = NULL;
  AttnSurveyData *survey = attn_survey_data_new ("fuzzed", json, &error);

  g_assert_no_error (error);
  /* A run knows how many there can be from the size of the texts. */
  survey->most_chunks = 64;
  return survey;
}

static void
add_record (GBytes   *record,
            gpointer  user_data)
{
  attn_survey_chunk_add (record, user_data);
}

static void
run_journal (const guint8 *data,
             gsize         size)
{
  g_autofree char *path = fuzz_write_file ("survey.npz.journal", data, size);
  g_autoptr (AttnSurveyData) survey = new_survey ();
  g_autoptr (GError) error = NULL;
  AttnJournal *journal = attn_journal_open (path, "fuzzed", add_record, survey, &error);

  g_assert_true ((journal != NULL) == (error == NULL));
  if (journal != NULL)
    attn_journal_close (journal, FALSE);
}

/* A record of a journal, whose checksum nobody guesses. */
static void
run_chunk (const guint8 *data,
           gsize         size)
{
  g_autoptr (AttnSurveyData) survey = new_survey ();
  g_autoptr (GBytes) record = g_bytes_new (data, size);

  if (attn_survey_chunk_add (record, survey))
    attn_survey_data_count_missing (survey);
}

/* Returns: (transfer full): the model that ships with the program, beside a fuzzer that runs far
 * from it */
char *
fuzz_dup_model_path (void)
{
  const char *data = g_getenv ("ATTENTION_GRID_DATADIR");
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *beside = g_path_get_dirname (program != NULL ? program : "");

  return g_build_filename (data != NULL ? data : beside, "models", "rose", NULL);
}

static AttnModel *
open_model (void)
{
  g_autofree char *path = fuzz_dup_model_path ();
  g_autoptr (GError) error = NULL;
  AttnModel *model = attn_model_open (path, &error);

  g_assert_no_error (error);
  return model;
}

/* The texts of a survey in a file of that name. */
static void
read_texts (const char   *name,
            const guint8 *data,
            gsize         size)
{
  static AttnModel *model;
  g_autofree char *path = fuzz_write_file (name, data, size);
  g_autoptr (GError) error = NULL;
  AttnTextsSpec spec = { .path = path, .length = 16 };

  if (model == NULL)
    model = open_model ();
  g_autoptr (AttnTexts) texts = attn_texts_open (&spec, model, NULL, &error);
  g_assert_true ((texts != NULL) == (error == NULL));
  while (error == NULL)
    {
      g_autoptr (AttnSample) sample = NULL;
      gboolean is_there = attn_texts_next (texts, TRUE, &sample, &error);

      g_assert_true (error == NULL || !is_there);
      g_assert_true (sample == NULL || (sample->n_ids > 0 && sample->n_ids <= 16));
      if (!is_there)
        break;
    }
}

static void
run_texts_lines (const guint8 *data,
                 gsize         size)
{
  read_texts ("texts.txt", data, size);
}

static void
run_texts_objects (const guint8 *data,
                   gsize         size)
{
  read_texts ("texts.jsonl", data, size);
}

static void
run_texts_table (const guint8 *data,
                 gsize         size)
{
  read_texts ("texts.csv", data, size);
}

static void
run_texts_sequences (const guint8 *data,
                     gsize         size)
{
  read_texts ("texts.fasta", data, size);
}

static void
run_texts_ids (const guint8 *data,
               gsize         size)
{
  read_texts ("texts.npy", data, size);
}

/* A table of answers: its names, and its rows in whatever columns it has. */
static void
run_answers (const guint8 *data,
             gsize         size)
{
  g_autofree char *path = fuzz_write_file ("answers.csv", data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) refusal = NULL;
  g_auto (GStrv) names = attn_probe_table_list_columns (path, &error);
  const char *columns[ATTN_PROBE_N_COLUMNS];

  g_assert_true ((names != NULL) == (error == NULL));
  for (gsize i = 0; i < ATTN_PROBE_N_COLUMNS; i++)
    columns[i] = names != NULL ? names[i % g_strv_length (names)] : attn_probe_column_names[i];
  g_autoptr (AttnProbeTable) table = attn_probe_table_load (path, columns, &refusal);
  g_assert_true ((table != NULL) == (refusal == NULL));
  if (table != NULL)
    g_assert_cmpuint (table->n_labels[0] + table->n_labels[1], ==, table->rows->len);
}

/* A file of probes: what it says about the map that it has. */
static void
run_probe (const guint8 *data,
           gsize         size)
{
  g_autofree char *path = fuzz_write_file ("probe.npz", data, size);
  const AttnModelReference reference = { .path = path };
  g_autoptr (GError) error = NULL;

  if (!attn_probe_map_is_one (&reference))
    return;
  g_autoptr (AttnModelReference) model = attn_probe_map_dup_model (&reference);
  g_autoptr (AttnMatrixFile) matrix = attn_matrix_load (&reference, &error);
  g_autoptr (AttnProbeMap) map =
      matrix != NULL ? attn_probe_map_load (&reference, matrix, &error) : NULL;
  g_assert_true ((map != NULL) == (error == NULL));
}

/* A sound is brought to another rate, too, where that does not take long. */
static void
run_wav (const guint8 *data,
         gsize         size)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = fuzz_write_file ("sound.wav", data, size);
  AttnWav wav, described;
  g_autoptr (AttnTensor) samples = attn_wav_read (path, 0.05, &wav, &error);

  g_assert_true ((samples == NULL) == (error != NULL));
  g_assert_true (samples == NULL || attn_wav_describe (path, &described, NULL));
  if (samples == NULL || wav.rate % 100 != 0)
    return;
  g_autoptr (AttnTensor) resampled = attn_sound_resample (samples, wav.rate, 16000, NULL);
  for (gsize i = 0; i < resampled->shape[0]; i++)
    g_assert_true (isfinite (resampled->data[i]));
}

static const FuzzTarget targets[] = {
  { "safetensors", run_safetensors },
  { "torch", run_torch },
  { "checkpoint", fuzz_run_checkpoint },
  { "adapter", fuzz_run_adapter },
  { "index", run_index },
  { "gguf", run_gguf },
  { "npy", run_npy },
  { "npz", run_npz },
  { "csv", run_csv },
  { "study", run_study },
  { "svg", run_svg },
  { "page", run_page },
  { "tokenizer-json", run_tokenizer_json },
  { "tokenizer-model", run_tokenizer_model },
  { "vocab-json", run_vocab_json },
  { "vocab-txt", run_vocab_txt },
  { "config", run_config },
  { "colormap", run_colormap },
  { "chat", run_chat },
  { "survey", run_survey },
  { "journal", run_journal },
  { "chunk", run_chunk },
  { "texts-lines", run_texts_lines },
  { "texts-objects", run_texts_objects },
  { "texts-table", run_texts_table },
  { "texts-sequences", run_texts_sequences },
  { "texts-ids", run_texts_ids },
  { "answers", run_answers },
  { "probe", run_probe },
  { "wav", run_wav },
  { "tokenizer-config", fuzz_run_tokenizer_config },
  { "generation-config", fuzz_run_generation_config },
  { "preprocessor-config", fuzz_run_preprocessor_config },
  { "groups", fuzz_run_groups },
#ifdef HAVE_SESSION
  { "ollama-manifest", fuzz_run_ollama_manifest },
#endif
};

/* Returns: (nullable): the target of that name */
const FuzzTarget *
fuzz_find_target (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (targets); i++)
    if (g_str_equal (targets[i].name, name))
      return &targets[i];
  return NULL;
}
