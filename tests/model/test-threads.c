/* SPDX-License-Identifier: GPL-3.0-or-later */

/* With 1, 2 and 4 threads the outputs agree within 1e-6, whatever the family and the type of the
 * weights. */

#include "config.h"

#include <cblas.h>
#include <math.h>

#include "attn-blas.h"
#include "attn-linear.h"
#include "attn-parallel.h"
#include "attn-threads.h"
#include "model-fixture.h"

/* What is promised of weights, which go up to 1; other numbers are held to it by the size of the
 * largest. */
#define TOLERANCE 1e-6

static void
assert_near (const float *found,
             const float *expected,
             gsize        n)
{
  double largest = 1.0;

  for (gsize i = 0; i < n; i++)
    if (isfinite (expected[i]))
      largest = fmax (largest, fabs (expected[i]));
  for (gsize i = 0; i < n; i++)
    if (found[i] != expected[i]) /* as masked scores, which are infinite */
      g_assert_cmpfloat (fabs ((double) found[i] - expected[i]), <=, TOLERANCE * largest);
}

static void
assert_same_traces (const AttnModel *model,
                    const AttnTrace *found,
                    const AttnTrace *expected,
                    AttnQuantity     kept,
                    gsize            n_layers)
{
  for (AttnQuantity quantity = ATTN_QUANTITY_RESIDUAL; quantity <= ATTN_QUANTITY_LOGITS;
       quantity <<= 1)
    for (gsize layer = 0; layer < n_layers; layer++)
      {
        g_autoptr (AttnTensor) a = attn_trace_get (found, quantity, layer);
        g_autoptr (AttnTensor) b = attn_trace_get (expected, quantity, layer);

        g_assert_true ((a != NULL) ==
                       ((kept & quantity) != 0 &&
                        (attn_model_has_map (model, layer) ||
                         (quantity & (ATTN_QUANTITIES_OF_STREAM | ATTN_QUANTITY_LOGITS)) != 0)));
        if (a != NULL)
          assert_near (a->data, b->data, attn_tensor_get_n_elements (a));
      }
}

static void
check_model (AttnModel *model,
             gsize      n_ids)
{
  AttnQuantity keep = everything;
  g_autofree guint32 *ids = g_new (guint32, n_ids);
  g_autoptr (AttnTrace) first = NULL;

  if (!attn_model_get_info (model)->has_logits)
    keep &= ~(AttnQuantity) ATTN_QUANTITY_LOGITS;
  for (gsize i = 0; i < n_ids; i++)
    ids[i] = (guint32) (i * 7 % MIN (attn_model_get_info (model)->vocabulary_size, 20));
  for (guint n_threads = 1; n_threads <= 4; n_threads *= 2)
    {
      attn_threads_set (n_threads);
      g_assert_cmpuint (attn_threads_get (), ==, n_threads);
      g_autoptr (AttnTrace) trace = compute_trace (model, ids, n_ids, NULL, keep, NULL);

      if (first == NULL)
        first = attn_trace_ref (trace);
      assert_same_traces (model, trace, first, keep, attn_model_get_info (model)->n_layers);
    }
  attn_threads_set (0);
  g_assert_cmpuint (attn_threads_get (), >=, 1);
}

/* Every checkpoint of this folder. */
static void
test_families (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "model", NULL);
  g_autoptr (GDir) folder = g_dir_open (path, 0, &error);
  gsize n_models = 0;

  g_assert_no_error (error);
  for (const char *name = g_dir_read_name (folder); name != NULL; name = g_dir_read_name (folder))
    {
      g_autofree char *directory = g_build_filename (path, name, NULL);
      g_autofree char *config = g_build_filename (directory, "config.json", NULL);

      if (!g_file_test (config, G_FILE_TEST_EXISTS))
        continue;
      g_test_message ("%s", name);
      g_autoptr (AttnModel) model = attn_model_open (directory, &error);
      g_assert_no_error (error);
      if (attn_model_get_info (model)->needs_picture ||
          attn_model_get_info (model)->needs_sound)
        continue; /* its tokens are patches or frames, not ids; see test-pictures.c */
      check_model (model, MIN (attn_model_get_info (model)->n_positions, 40));
      n_models++;
    }
  g_assert_cmpuint (n_models, >=, 20);
}

/* Large enough for the products to be split; few tokens, and many. */
static void
test_types (void)
{
  static const AttnDtype dtypes[] = { ATTN_DTYPE_F32, ATTN_DTYPE_F16, ATTN_DTYPE_BF16 };

  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    {
      g_autoptr (GError) error = NULL;
      Recipe recipe = { 2, 6, 96, 384, 300, 60, dtypes[i], TRUE, FALSE, FALSE, "", 21 };
      char *directory = write_checkpoint (&recipe);
      g_autoptr (AttnModel) model = attn_model_open (directory, &error);

      g_assert_no_error (error);
      check_model (model, 32);
      check_model (model, 300);
      remove_checkpoint (directory);
    }
}

/* Blocks of numbers that share a scale. */
static void
test_quantised (void)
{
  enum
  {
    N_IN = 512,
    N_OUT = 300,
    MAX_ROWS = 70,
  };
  static const AttnDtype dtypes[] = { ATTN_DTYPE_Q8_0, ATTN_DTYPE_Q4_0, ATTN_DTYPE_Q5_1,
                                      ATTN_DTYPE_Q4_K, ATTN_DTYPE_Q6_K, ATTN_DTYPE_IQ4_NL };
  static const gsize row_counts[] = { 1, 8, MAX_ROWS };
  g_autoptr (GRand) rand = g_rand_new_with_seed (36);
  g_autofree float *x = g_new (float, MAX_ROWS *N_IN);
  g_autofree float *scratch = g_new (float, 4 * ATTN_LINEAR_TILE);
  g_autofree float *first = g_new (float, MAX_ROWS *N_OUT);
  g_autofree float *out = g_new (float, MAX_ROWS *N_OUT);

  for (gsize i = 0; i < MAX_ROWS * N_IN; i++)
    x[i] = (float) g_rand_double_range (rand, -1.0, 1.0);
  for (gsize i = 0; i < G_N_ELEMENTS (dtypes) * G_N_ELEMENTS (row_counts); i++)
    {
      AttnDtype dtype = dtypes[i / G_N_ELEMENTS (row_counts)];
      gsize n_rows = row_counts[i % G_N_ELEMENTS (row_counts)];
      /* Whatever stands for a scale is then a small number. */
      g_autoptr (AttnArray) array = random_array (rand, dtype, N_OUT, N_IN, 0x10, 0x28);
      AttnLinear linear = {
        .x = x,
        .n_rows = n_rows,
        .n_in = N_IN,
        .n_out = N_OUT,
        .array = array,
        .scratch = scratch,
        .n_scratch = ATTN_LINEAR_TILE,
        .out = first,
        .out_stride = N_OUT,
      };

      attn_linear_run (&linear, 1);
      linear.out = out;
      for (gsize n_workers = 2; n_workers <= 4; n_workers += 2)
        {
          attn_linear_run (&linear, n_workers);
          assert_near (out, first, n_rows * N_OUT);
        }
    }
}

#define MAX_TASKS 40

typedef struct
{
  gsize n_workers;
  gint n_runs[MAX_TASKS]; /* atomic */
  gint n_busy[MAX_TASKS]; /* atomic; of each worker, which runs one task at a time */
} Tasks;

static void
run_task (gsize    task,
          gsize    worker,
          gpointer user_data)
{
  Tasks *tasks = user_data;

  g_assert_cmpuint (worker, <, tasks->n_workers);
  g_assert_cmpint (g_atomic_int_add (&tasks->n_busy[worker], 1), ==, 0);
  g_atomic_int_inc (&tasks->n_runs[task]);
  g_atomic_int_add (&tasks->n_busy[worker], -1);
}

/* In quick succession, so that helpers are awake, and after a pause that sends them to sleep. */
static gpointer
run_many (gpointer data)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (GPOINTER_TO_UINT (data));

  for (guint i = 0; i < 1500; i++)
    {
      gsize n_tasks = (gsize) g_rand_int_range (rand, 0, MAX_TASKS + 1);
      Tasks tasks = { .n_workers = (gsize) g_rand_int_range (rand, 1, 9) };

      attn_parallel_run (n_tasks, tasks.n_workers, run_task, &tasks);
      for (gsize k = 0; k < MAX_TASKS; k++)
        g_assert_cmpint (tasks.n_runs[k], ==, k < n_tasks);
      if (i % 100 == 0)
        g_usleep ((gulong) g_rand_int_range (rand, 0, 200));
    }
  return NULL;
}

/* Whoever else computes at the same time. */
static void
test_tasks_are_run_once (void)
{
  GThread *threads[4];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("caller", run_many, GUINT_TO_POINTER (i + 1));
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

extern int omp_get_max_threads (void) __attribute__ ((weak));

static gpointer
multiply (gpointer data)
{
  const float a[4] = { 1.0f, 2.0f, 3.0f, 4.0f };
  const AttnMatrix matrix = { a, 2, FALSE };
  float product[4];

  attn_blas_multiply (2, 2, 2, 1.0f, matrix, matrix, 0.0f, product, 2);
  g_assert_cmpfloat (product[3], ==, 22.0f);
  g_assert_cmpint (omp_get_max_threads (), ==, 1);
  return NULL;
}

/* Whichever thread multiplies does it alone: with OpenMP each would otherwise have as many more as
 * there are processors. */
static void
test_products_share_no_threads (void)
{
  attn_blas_init ();
  multiply (NULL);
  g_thread_join (g_thread_new ("products", multiply, NULL));
}

#if defined(__x86_64__) && defined(__GNUC__)
/* OpenBLAS multiplies as on a Prescott on every processor that is younger than itself. */
static void
test_kernels_fit_the_processor (void)
{
  if (g_getenv ("OPENBLAS_CORETYPE") != NULL)
    return;
  if (__builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma"))
    g_assert_cmpstr (attn_blas_get_kernels (), !=, "Prescott");
}
#endif

/* Returns the number of threads of this process, 0 where the system does not tell. */
static guint
count_threads (void)
{
  g_autoptr (GDir) threads = g_dir_open ("/proc/self/task", 0, NULL);
  guint n = 0;

  while (threads != NULL && g_dir_read_name (threads) != NULL)
    n++;
  return n;
}

/* Before anything else is computed: those that OpenBLAS began with are ended. The system may count
 * one for a moment more. */
static void
test_products_leave_no_threads (void)
{
  guint n_own = (guint) openblas_get_num_threads () - 1;
  guint n_before = count_threads ();

  if (n_before == 0)
    {
      g_test_skip ("no /proc/self/task");
      return;
    }
  g_assert_cmpuint (n_before, >, n_own);
  attn_blas_init ();
  g_assert_cmpint (openblas_get_num_threads (), ==, 1);
  for (int i = 0; i < 1000 && count_threads () > n_before - n_own; i++)
    g_usleep (1000);
  g_assert_cmpuint (count_threads (), ==, n_before - n_own);
}

/* Before anything is computed that is worth a second thread. */
static void
test_little_work_starts_no_threads (void)
{
  static const guint32 ids[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  g_autoptr (AttnModel) model = open_fixture ("llama");
  guint n_before = 0;

  attn_blas_init ();
  for (int i = 0; i < 1000 && count_threads () > 1; i++)
    g_usleep (1000);
  /* GLib's own thread, which begins others, is there after the first. */
  for (guint n_threads = 1; n_threads <= 4; n_threads *= 2)
    {
      attn_threads_set (n_threads);
      g_autoptr (AttnTrace) trace =
          compute_trace (model, ids, G_N_ELEMENTS (ids), NULL, ATTN_QUANTITY_WEIGHTS, NULL);

      if (n_threads == 1)
        n_before = count_threads ();
    }
  attn_threads_set (0);
  g_assert_cmpuint (count_threads (), ==, n_before);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  if (omp_get_max_threads == NULL)
    g_test_add_func ("/model/threads/products-leave-no-threads", test_products_leave_no_threads);
  g_test_add_func ("/model/threads/little-work-starts-no-threads",
                   test_little_work_starts_no_threads);
  g_test_add_func ("/model/threads/families", test_families);
  g_test_add_func ("/model/threads/types", test_types);
  g_test_add_func ("/model/threads/quantised", test_quantised);
  g_test_add_func ("/model/threads/tasks-are-run-once", test_tasks_are_run_once);
#if defined(__x86_64__) && defined(__GNUC__)
  g_test_add_func ("/model/threads/kernels-fit-the-processor", test_kernels_fit_the_processor);
#endif
  /* An OpenBLAS that is built with OpenMP */
  if (omp_get_max_threads != NULL)
    g_test_add_func ("/model/threads/products-share-no-threads", test_products_share_no_threads);
  return g_test_run ();
}
