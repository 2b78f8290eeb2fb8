/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Rank 0 hands out chunks of texts (or units of an attribution) and stores the results. All ranks
 * compute, including rank 0. A rank requests a chunk, computes it and sends the result, so that a
 * slow rank gets fewer chunks. Only one thread of a process calls MPI at a time. */

#include "config.h"

#include "attn-mpi-run.h"

#include <glib/gi18n.h>
#include <mpi.h>
#include <string.h>
#include <unistd.h>

#include "attn-error.h"
#include "attn-threads.h"

/* Pause between two checks for messages: this part of the time since the last message, between two
 * limits in microseconds. A blocking MPI call would instead keep a whole processor busy. */
#define POLL_PART             16
#define POLL_MIN_MICROSECONDS 50
#define POLL_MAX_MICROSECONDS 5000
#define PROGRESS_MICROSECONDS (G_USEC_PER_SEC / 5)

/* Tags of the messages. TAG_ANSWER is sent by rank 0 to another rank, all others to rank 0. */
enum
{
  TAG_ASK = 1, /* empty: asks for the next chunk */
  TAG_ANSWER,  /* answer of rank 0: number of the next chunk, or NO_CHUNK */
  TAG_RESULT,  /* results of a chunk, as bytes */
  TAG_END,     /* number of all texts */
  TAG_FAILED,  /* an error message */
  TAG_DONE,    /* empty message: the rank has finished the step */
};

#define NO_CHUNK G_MAXUINT64

static gboolean has_begun;

static gboolean
check (int      status,
       GError **error)
{
  char text[MPI_MAX_ERROR_STRING + 1] = "";
  int length;

  if (status == MPI_SUCCESS)
    return TRUE;
  MPI_Error_string (status, text, &length);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "MPI: %s", text);
  return FALSE;
}

/* Returns the microseconds to sleep before the next check for messages. @since: monotonic time of
 * the last message */
static gulong
choose_pause (gint64 since)
{
  gint64 part = (g_get_monotonic_time () - since) / POLL_PART;

  return (gulong) CLAMP (part, POLL_MIN_MICROSECONDS, POLL_MAX_MICROSECONDS);
}

/* Waits for a request like MPI_Wait(), but sleeps meanwhile, which leaves the processor to other
 * threads. */
static gboolean
wait_for (MPI_Request  *request,
          GError      **error)
{
  gint64 begin = g_get_monotonic_time ();
  int is_done = FALSE;

  for (;;)
    {
      if (!check (MPI_Test (request, &is_done, MPI_STATUS_IGNORE), error))
        return FALSE;
      if (is_done)
        return TRUE;
      g_usleep (choose_pause (begin));
    }
}

static gboolean
send_bytes (gconstpointer   data,
            gsize           n_bytes,
            int             rank,
            int             tag,
            GError        **error)
{
  MPI_Request request;

  if (n_bytes > G_MAXINT)
    return attn_fail (error, ATTN_ERROR_LIMIT,
                      _("a message of %zu bytes found, expected at most %d; survey fewer layers or "
                        "conditions at a time"),
                      n_bytes, G_MAXINT);
  return check (MPI_Isend (data, (int) n_bytes, MPI_BYTE, rank, tag, MPI_COMM_WORLD, &request),
                error) &&
         wait_for (&request, error);
}

/* -- Steps -- */

/* Sends data like MPI_Bcast() from rank 0, but sleeps while it waits. */
static gboolean
broadcast (gpointer data,
           int      n_bytes)
{
  MPI_Request request;

  return MPI_Ibcast (data, n_bytes, MPI_BYTE, 0, MPI_COMM_WORLD, &request) == MPI_SUCCESS &&
         wait_for (&request, NULL);
}

/* Tells all ranks on behalf of rank 0 whether there is a next step, and prepares them for it. Only
 * an attribution has several steps; a step needs the heads that earlier steps chose. @store:
 * (nullable): %NULL except on rank 0. Returns: whether there is another step */
static gboolean
share_step (const AttnSurvey      *survey,
            const AttnSurveyStore *store,
            gboolean               is_next)
{
  const AttnAttribution *attribution =
      store != NULL ? attn_survey_store_get_data (store)->attribution : NULL;
  gsize n_steps = attn_survey_count_steps (survey);
  g_autofree gsize *chosen = g_new0 (gsize, n_steps);
  guint64 next[] = { is_next, attn_survey_get_first_unit (survey), 0 };

  if (attribution != NULL)
    {
      next[2] = attribution->n_chosen;
      memcpy (chosen, attribution->chosen, n_steps * sizeof *chosen);
    }
  if (!broadcast (next, sizeof next) || !broadcast (chosen, (int) (n_steps * sizeof *chosen)) ||
      next[0] == 0)
    return FALSE;
  if (store == NULL)
    attn_survey_begin_step (survey, next[1], next[2], chosen);
  return TRUE;
}

/* -- Every other rank -- */

static gboolean
next_remote (gpointer   queue,
             guint64   *chunk,
             GError   **error)
{
  MPI_Request request;

  return check (MPI_Irecv (chunk, 1, MPI_UINT64_T, 0, TAG_ANSWER, MPI_COMM_WORLD, &request),
                error) &&
         send_bytes (NULL, 0, 0, TAG_ASK, error) && wait_for (&request, error) &&
         *chunk != NO_CHUNK;
}

static gboolean
put_remote (gpointer   queue,
            GBytes    *bytes,
            GError   **error)
{
  return send_bytes (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), 0, TAG_RESULT,
                     error);
}

static void
end_remote (gpointer queue,
            guint64  n_texts)
{
  send_bytes (&n_texts, sizeof n_texts, 0, TAG_END, NULL);
}

static const AttnSurveyQueue remote_queue = { next_remote, put_remote, end_remote };

static AttnSurveyData *
follow (const AttnSurvey  *survey,
        guint              n_threads,
        GCancellable      *cancellable,
        GError           **error)
{
  while (share_step (survey, NULL, FALSE))
    {
      g_autoptr (GError) local_error = NULL;
      AttnSurveyWorkers *workers = attn_survey_workers_start (
          survey, &remote_queue, NULL, n_threads, cancellable, &local_error);

      if (workers != NULL)
        attn_survey_workers_finish (workers, &local_error);
      if (local_error != NULL)
        send_bytes (local_error->message, strlen (local_error->message), 0, TAG_FAILED, NULL);
      send_bytes (NULL, 0, 0, TAG_DONE, NULL);
    }
  /* Only rank 0 has the results and reports errors: the other ranks return empty results. */
  return attn_survey_create_data (survey, error);
}

/* -- Rank 0 -- */

typedef struct
{
  AttnSurveyLocalQueue queue;
  int n_active; /* number of other ranks that have not finished */
  GError *error;
} Leader;

static void
answer (Leader *leader,
        int     rank)
{
  guint64 chunk = NO_CHUNK;

  if (leader->error == NULL &&
      !attn_survey_local_queue.next (&leader->queue, &chunk, &leader->error))
    chunk = NO_CHUNK;
  if (MPI_Send (&chunk, 1, MPI_UINT64_T, rank, TAG_ANSWER, MPI_COMM_WORLD) != MPI_SUCCESS)
    leader->n_active--;
}

static void
take_message (Leader           *leader,
              const MPI_Status *status,
              GBytes           *message)
{
  switch (status->MPI_TAG)
    {
    case TAG_ASK:
      answer (leader, status->MPI_SOURCE);
      break;
    case TAG_RESULT:
      if (leader->error == NULL)
        attn_survey_local_queue.put (&leader->queue, message, &leader->error);
      break;
    case TAG_END:
      if (g_bytes_get_size (message) == sizeof (guint64))
        attn_survey_local_queue.end (&leader->queue,
                                     *(const guint64 *) g_bytes_get_data (message, NULL));
      break;
    case TAG_FAILED:
      if (leader->error == NULL)
        leader->error =
            g_error_new (G_IO_ERROR, G_IO_ERROR_FAILED, "%.*s", (int) g_bytes_get_size (message),
                         (const char *) g_bytes_get_data (message, NULL));
      break;
    case TAG_DONE:
      leader->n_active--;
      break;
    }
}

/* Handles all messages that have arrived. @workers: (nullable): workers of rank 0, which use the
 * queue, too, so that they are locked out meanwhile. Returns: whether there was a message */
static gboolean
serve (Leader            *leader,
       AttnSurveyWorkers *workers)
{
  gboolean has_served = FALSE;
  int is_there = FALSE;
  MPI_Status status;
  int n_bytes;

  while (MPI_Iprobe (MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, &status) ==
             MPI_SUCCESS &&
         is_there)
    {
      MPI_Get_count (&status, MPI_BYTE, &n_bytes);
      char *data = g_malloc ((gsize) MAX (n_bytes, 1));
      g_autoptr (GBytes) message = g_bytes_new_take (data, (gsize) n_bytes);

      if (MPI_Recv (data, n_bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE) != MPI_SUCCESS)
        continue;
      if (workers != NULL)
        attn_survey_workers_lock (workers);
      take_message (leader, &status, message);
      if (workers != NULL)
        attn_survey_workers_unlock (workers);
      has_served = TRUE;
    }
  return has_served;
}

/* Runs one step on rank 0, which goes through all texts: computes in its own threads and serves the
 * other ranks. */
static gboolean
lead_step (const AttnSurveyLocalQueue  *queue,
           guint                        n_threads,
           int                          n_ranks,
           const AttnProgress          *progress,
           GCancellable                *cancellable,
           GError                     **error)
{
  Leader leader = { .queue = *queue, .n_active = n_ranks - 1 };
  AttnSurveyWorkers *workers =
      attn_survey_workers_start (queue->survey, &attn_survey_local_queue, &leader.queue, n_threads,
                                 cancellable, &leader.error);
  gint64 served = g_get_monotonic_time ();
  gint64 reported = 0;
  gboolean has_ended = workers == NULL;

  while (!has_ended || leader.n_active > 0)
    {
      if (has_ended)
        g_usleep (choose_pause (served));
      else
        has_ended = attn_survey_workers_wait (workers, (gint64) choose_pause (served));
      if (serve (&leader, workers))
        served = g_get_monotonic_time ();
      if (workers == NULL || g_get_monotonic_time () - reported < PROGRESS_MICROSECONDS)
        continue;
      reported = g_get_monotonic_time ();
      double fraction;
      g_autofree char *stage = attn_survey_workers_describe (workers, &fraction);
      attn_progress_report (progress, stage, fraction);
    }

  gboolean is_done =
      workers != NULL &&
      attn_survey_workers_finish (workers, leader.error == NULL ? &leader.error : NULL);
  is_done = is_done && leader.error == NULL;
  if (leader.error != NULL)
    g_propagate_error (error, leader.error);
  return is_done;
}

static AttnSurveyData *
lead (const AttnSurvey     *survey,
      const AttnSurveyRun  *run,
      AttnSurveyStore      *store,
      guint                 n_threads,
      int                   n_ranks,
      const AttnProgress   *progress,
      GCancellable         *cancellable,
      GError              **error)
{
  AttnSurveyLocalQueue queue = { .store = store, .run = run, .survey = survey };
  gboolean is_done = TRUE;
  gboolean is_next = attn_survey_local_queue_begin (&queue);

  for (gsize n_done = 0; share_step (survey, store, is_done && is_next);)
    {
      is_done = lead_step (&queue, n_threads, n_ranks, progress, cancellable, error) &&
                attn_survey_store_end_step (store, error);
      is_next = is_done && ++n_done < attn_survey_count_steps (survey) &&
                attn_survey_local_queue_begin (&queue);
    }
  return attn_survey_store_close (store, is_done, is_done ? error : NULL);
}

/* -- Both -- */

/**
 * attn_mpi_agree:
 * @subject: (nullable): settings of the survey of this rank as JSON; %NULL if it cannot begin
 * @error: return location for %ATTN_ERROR_ARGUMENT if a rank cannot begin, or would survey
 *   something else, such as a file of texts that is different on its machine
 *
 * Checks that all ranks can begin the same survey. Every rank has to call it once, even after an
 * error, since the other ranks wait for it.
 *
 * Returns: whether all ranks can begin, with equal settings
 */
gboolean
attn_mpi_agree (const char  *subject,
                GError     **error)
{
  int rank;
  int n_ranks;
  int own;
  int first;
  guint hashes[2]; /* minima over all ranks of the settings' hash and of ~hash, which show whether
                    * all ranks agree */

  has_begun = TRUE;
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &n_ranks);
  own = subject != NULL ? n_ranks : rank;
  hashes[0] = subject != NULL ? g_str_hash (subject) : 0;
  hashes[1] = ~hashes[0];
  if (!check (MPI_Allreduce (&own, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD), error) ||
      !check (MPI_Allreduce (MPI_IN_PLACE, hashes, 2, MPI_UNSIGNED, MPI_MIN, MPI_COMM_WORLD),
              error))
    return FALSE;
  if (first == n_ranks && hashes[0] != ~hashes[1])
    return attn_fail (error, ATTN_ERROR_ARGUMENT,
                      _("ranks with other texts, another model or other settings found, expected "
                        "the same on all; standard input is that of one rank only"));
  return first == n_ranks ||
         attn_fail (error, ATTN_ERROR_ARGUMENT,
                    _("rank %d of %d: a model, texts or settings that cannot be used found; run "
                      "“attention-grid survey” there to see why"),
                    first, n_ranks);
}

/**
 * attn_mpi_has_begun:
 *
 * Returns: whether this rank has called [func@attn_mpi_agree]
 */
gboolean
attn_mpi_has_begun (void)
{
  return has_begun;
}

/* Returns the number of threads of this rank. Ranks on the same machine share its processors
 * equally, unless each rank was assigned its own. */
static guint
choose_threads (void)
{
  MPI_Comm node;
  int n_local = 1;
  guint n_threads = attn_threads_get ();

  /* If fewer threads than processors are available, the processors were assigned to this rank. The
   * limit ATTN_MAX_THREADS is not counted as such an assignment. */
  if (n_threads < MIN ((guint) sysconf (_SC_NPROCESSORS_ONLN), ATTN_MAX_THREADS))
    return n_threads;
  if (MPI_Comm_split_type (MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) ==
      MPI_SUCCESS)
    {
      MPI_Comm_size (node, &n_local);
      MPI_Comm_free (&node);
    }
  n_threads = (guint) sysconf (_SC_NPROCESSORS_ONLN) / (guint) MAX (n_local, 1);
  return CLAMP (n_threads, 1, ATTN_MAX_THREADS);
}

/**
 * attn_mpi_run:
 *
 * Computes a survey as [func@attn_survey_run] does, distributed over all ranks. Rank 0 writes the
 * file, which has the same bytes as without MPI. All ranks of a machine map the same model files,
 * so that these are in memory once.
 *
 * Returns: (transfer full) (nullable): the results that are in the file; empty results on ranks
 *   other than 0
 */
AttnSurveyData *
attn_mpi_run (const AttnSurvey     *survey,
              const AttnSurveyRun  *run,
              const AttnProgress   *progress,
              GCancellable         *cancellable,
              GError              **error)
{
  int rank;
  int n_ranks;
  guint n_threads = choose_threads ();
  AttnSurveyStore *store = NULL;
  g_autoptr (GError) own_error = NULL;
  gboolean is_ready = attn_survey_run_check (survey, run, &own_error) &&
                      attn_survey_workers_choose (survey, &n_threads, &own_error);

  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &n_ranks);
  if (is_ready && rank == 0)
    {
      store = attn_survey_store_open (survey, run->path, &own_error);
      is_ready = store != NULL;
    }
  if (!attn_mpi_agree (is_ready ? attn_survey_get_json (survey) : NULL,
                       own_error == NULL ? error : NULL))
    {
      if (store != NULL)
        attn_survey_store_close (store, FALSE, NULL);
      if (own_error != NULL)
        g_propagate_error (error, g_steal_pointer (&own_error));
      return NULL;
    }
  return rank == 0 ? lead (survey, run, store, n_threads, n_ranks, progress, cancellable, error)
                   : follow (survey, n_threads, cancellable, error);
}
