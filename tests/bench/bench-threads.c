/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What many processors would meet in a pass, counted where there are few: waits, work a thread,
 * locks within it, and whose thread touches memory first. The linker puts the counters around the
 * functions of those names. */

#include "config.h"

#include <sys/resource.h>

#include "attn-parallel.h"
#include "attn-threads.h"
#include "attn-trace.h"
#include "bench.h"

#define N_TOKENS 1024
#define N_EMPTY  2000 /* calls without work */

/* Of one worker, at a distance from those of others. */
typedef struct
{
  double busy; /* ms */
  glong n_faults;
  guint8 padding[112];
} Worker;

static Worker workers[ATTN_MAX_THREADS];
static gsize n_runs;
static gsize n_tasks_run;
static gint n_locks; /* atomic: within tasks */
static __thread gboolean is_in_task;

typedef struct
{
  AttnTaskFunc func;
  gpointer user_data;
} Wrapped;

void __real_attn_parallel_run (gsize, gsize, AttnTaskFunc, gpointer);
void __wrap_attn_parallel_run (gsize, gsize, AttnTaskFunc, gpointer);
void __real_g_mutex_lock (GMutex *);
void __wrap_g_mutex_lock (GMutex *);

static glong
count_faults (int who)
{
  struct rusage usage;

  getrusage (who, &usage);
  return usage.ru_minflt;
}

static void
run_task (gsize    task,
          gsize    worker,
          gpointer user_data)
{
  const Wrapped *wrapped = user_data;
  glong n_faults = count_faults (RUSAGE_THREAD);
  double begin = now_ms ();

  is_in_task = TRUE;
  wrapped->func (task, worker, wrapped->user_data);
  is_in_task = FALSE;
  workers[worker].busy += now_ms () - begin;
  workers[worker].n_faults += count_faults (RUSAGE_THREAD) - n_faults;
}

void
__wrap_attn_parallel_run (gsize        n_tasks,
                          gsize        n_workers,
                          AttnTaskFunc func,
                          gpointer     user_data)
{
  Wrapped wrapped = { func, user_data };

  n_runs++;
  n_tasks_run += n_tasks;
  __real_attn_parallel_run (n_tasks, n_workers, run_task, &wrapped);
}

void
__wrap_g_mutex_lock (GMutex *mutex)
{
  if (is_in_task)
    g_atomic_int_inc (&n_locks);
  __real_g_mutex_lock (mutex);
}

static AttnTrace *
run_pass (AttnModel     *model,
          const guint32 *ids)
{
  const AttnTraceRequest request = { .ids = ids, .n_ids = N_TOKENS, .keep = ATTN_QUANTITY_WEIGHTS };
  g_autoptr (GError) error = NULL;
  AttnTrace *trace = attn_trace_compute (model, &request, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  return trace;
}

/* The first pass of a process, whose memory all is new. */
static void
measure (const char  *name,
         const Shape *shape)
{
  char *directory = write_model (shape, ATTN_DTYPE_F32);
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnModel) model = attn_model_open (directory, &error);
  g_autofree guint32 *ids = random_ids (N_TOKENS, 1000, 1);
  double sum = 0, most = 0;
  glong n_inside = 0;

  g_assert_no_error (error);
  n_runs = n_tasks_run = 0;
  n_locks = 0;
  for (gsize i = 0; i < ATTN_MAX_THREADS; i++)
    workers[i] = (Worker) { 0 };
  glong n_faults = count_faults (RUSAGE_SELF);
  double begin = now_ms ();
  AttnTrace *trace = run_pass (model, ids);
  double elapsed = now_ms () - begin;
  n_faults = count_faults (RUSAGE_SELF) - n_faults;
  guint n_threads = attn_threads_get ();

  for (guint i = 0; i < n_threads; i++)
    {
      sum += workers[i].busy;
      most = MAX (most, workers[i].busy);
      n_inside += workers[i].n_faults;
    }
  print_note ("threads",
              "%s, %d tokens, %u threads: %.1f waits a layer for %.0f tasks each; the busiest "
              "thread has %.2f of its share of the work, which is %.0f %% of the time; %d locks "
              "within tasks; %.0f %% of the pages are touched first within tasks.",
              name, N_TOKENS, n_threads, (double) n_runs / (double) shape->n_layers,
              (double) n_tasks_run / (double) n_runs, most * n_threads / sum,
              100.0 * sum / (elapsed * n_threads), n_locks,
              100.0 * (double) n_inside / (double) MAX (n_faults, 1));
  attn_trace_unref (trace);
  remove_model (directory);
}

static void
do_nothing (gsize    task,
            gsize    worker,
            gpointer user_data)
{
}

/* What a wait costs by itself. */
static void
measure_waits (void)
{
  for (gsize n_workers = 1; n_workers <= 64; n_workers *= n_workers == 1 ? 2 : 32)
    {
      g_autoptr (GArray) values = series_new ();
      g_autofree char *name = g_strdup_printf ("a wait for %zu thread%s without work", n_workers,
                                               n_workers > 1 ? "s" : "");

      for (int round = 0; round < 5; round++)
        {
          double begin = now_ms ();

          for (int i = 0; i < N_EMPTY; i++)
            __real_attn_parallel_run (n_workers, n_workers, do_nothing, NULL);
          series_add (values, (now_ms () - begin) * 1e3 / N_EMPTY);
        }
      print_figure (&(Figure) { .group = "threads", .name = name, .unit = "µs", .values = values });
    }
}

int
main (int    argc,
      char **argv)
{
  Shape llama = llama_1b;

  llama.n_layers = 4;
  measure ("GPT-2 small", &gpt2_small);
  measure ("Llama 1.1B, 4 layers", &llama);
  measure_waits ();
  return 0;
}
