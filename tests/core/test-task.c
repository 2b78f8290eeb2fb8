/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Work in threads, for owners that wait, give up or go. */

#include "config.h"

#include <string.h>

#include "attn-task.h"

static gint is_held; /* atomic: work in a thread waits */
static gint n_freed; /* atomic: what nobody asks for may be freed in its thread */

/* Who asks, in one thread. */
typedef struct
{
  AttnTask *task;
  GThread *thread;
  guint n_delivered;
  int delivered; /* the number that came last */
  guint n_reported;
  double fraction;
  guint n_shown;
  gboolean gives_up; /* when it is told how far it is */
} Owner;

typedef struct
{
  int number;
  int place;
  gboolean was_cancelled;
} Data;

static void
run (gpointer  user_data,
     AttnTask *task,
     gpointer  place)
{
  Data *data = user_data;
  AttnProgress progress = attn_task_get_progress (task);

  attn_progress_report (&progress, "Half", 0.5);
  attn_task_show (task, g_strdup ("half of it"));
  while (g_atomic_int_get (&is_held) != 0)
    g_usleep (500);
  data->place = GPOINTER_TO_INT (place);
  data->was_cancelled = g_cancellable_is_cancelled (attn_task_get_cancellable (task));
}

static void
deliver (gpointer user_data,
         gpointer data)
{
  Owner *owner = user_data;

  g_assert_true (g_thread_self () == owner->thread);
  g_assert_null (owner->task);
  owner->n_delivered++;
  owner->delivered = ((Data *) data)->number;
  g_free (data);
}

static void
data_free (gpointer data)
{
  g_free (data);
  g_atomic_int_inc (&n_freed);
  g_main_context_wakeup (NULL);
}

static void
report (gpointer    user_data,
        const char *stage,
        double      fraction)
{
  Owner *owner = user_data;

  g_assert_true (g_thread_self () == owner->thread);
  g_assert_cmpstr (stage, ==, "Half");
  owner->n_reported++;
  owner->fraction = fraction;
  if (owner->gives_up)
    attn_task_give_up (&owner->task);
}

static void
show (gpointer user_data,
      gpointer shown)
{
  Owner *owner = user_data;

  g_assert_cmpstr (shown, ==, "half of it");
  owner->n_shown++;
}

static const AttnTaskKind kind = {
  .run = run,
  .deliver = deliver,
  .free = data_free,
  .report = report,
  .show = show,
  .free_shown = g_free,
};

static Data *
make_data (int number)
{
  Data *data = g_new0 (Data, 1);

  data->number = number;
  return data;
}

/* Ends the program where something is waited for in vain. */
static gboolean
out_of_patience_cb (gpointer awaited)
{
  g_error ("waited in vain for %s", (const char *) awaited);
  return G_SOURCE_REMOVE;
}

#define WAIT_UNTIL(condition)                                                    \
  G_STMT_START                                                                   \
  {                                                                              \
    guint patience = g_timeout_add_seconds (60, out_of_patience_cb, #condition); \
    while (!(condition))                                                         \
      g_main_context_iteration (NULL, TRUE);                                     \
    g_source_remove (patience);                                                  \
  }                                                                              \
  G_STMT_END

static void
set_up (Owner         *owner,
        gconstpointer  data)
{
  owner->thread = g_thread_self ();
  g_atomic_int_set (&n_freed, 0);
}

static void
tear_down (Owner         *owner,
           gconstpointer  data)
{
  g_assert_null (owner->task);
}

static void
test_short_work_is_done_at_once (Owner         *owner,
                                 gconstpointer  data)
{
  attn_task_start (&kind, owner, make_data (1), FALSE, &owner->task);
  g_assert_cmpuint (owner->n_delivered, ==, 1);
}

static void
test_outcome_comes_to_the_thread_that_asked (Owner         *owner,
                                             gconstpointer  data)
{
  attn_task_start (&kind, owner, make_data (1), TRUE, &owner->task);
  g_assert_nonnull (owner->task);
  WAIT_UNTIL (owner->n_delivered == 1);
  g_assert_cmpint (owner->delivered, ==, 1);
}

static void
test_the_latest_wins (Owner         *owner,
                      gconstpointer  data)
{
  g_atomic_int_set (&is_held, 1);
  for (int i = 1; i <= 5; i++)
    attn_task_start (&kind, owner, make_data (i), TRUE, &owner->task);
  g_assert_cmpuint (owner->n_delivered, ==, 0);
  g_atomic_int_set (&is_held, 0);
  WAIT_UNTIL (owner->n_delivered == 1 && g_atomic_int_get (&n_freed) == 4);
  g_assert_cmpint (owner->delivered, ==, 5);
}

static void
test_nothing_is_heard_of_what_was_given_up (Owner         *owner,
                                            gconstpointer  data)
{
  attn_task_start (&kind, owner, make_data (1), TRUE, &owner->task);
  attn_task_give_up (&owner->task);
  WAIT_UNTIL (g_atomic_int_get (&n_freed) == 1);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpuint (owner->n_delivered + owner->n_reported + owner->n_shown, ==, 0);
  /* Twice is no mistake. */
  attn_task_give_up (&owner->task);
}

static void
test_what_is_cancelled_is_delivered (Owner         *owner,
                                     gconstpointer  data)
{
  g_autoptr (AttnTask) task = NULL;

  g_atomic_int_set (&is_held, 1);
  attn_task_start (&kind, owner, make_data (1), TRUE, &owner->task);
  task = attn_task_ref (owner->task);
  attn_task_cancel (owner->task);
  g_atomic_int_set (&is_held, 0);
  WAIT_UNTIL (owner->n_delivered == 1);
  g_assert_true (g_cancellable_is_cancelled (attn_task_get_cancellable (task)));
}

static void
test_owner_is_told_how_far_it_is (Owner         *owner,
                                  gconstpointer  data)
{
  g_atomic_int_set (&is_held, 1);
  attn_task_start (&kind, owner, make_data (1), TRUE, &owner->task);
  WAIT_UNTIL (owner->n_shown == 1);
  g_assert_cmpuint (owner->n_reported, >=, 1);
  g_assert_cmpfloat (owner->fraction, ==, 0.5);
  g_assert_cmpuint (owner->n_delivered, ==, 0);
  g_atomic_int_set (&is_held, 0);
  WAIT_UNTIL (owner->n_delivered == 1);
}

static void
test_owner_gives_up_while_it_is_told (Owner         *owner,
                                      gconstpointer  data)
{
  owner->gives_up = TRUE;
  g_atomic_int_set (&is_held, 1);
  attn_task_start (&kind, owner, make_data (1), TRUE, &owner->task);
  WAIT_UNTIL (owner->n_reported == 1);
  g_atomic_int_set (&is_held, 0);
  WAIT_UNTIL (g_atomic_int_get (&n_freed) == 1);
  g_assert_cmpuint (owner->n_delivered + owner->n_shown, ==, 0);
}

/* The main loop does not turn. */
static void
test_who_waits_is_told_at_once (Owner         *owner,
                                gconstpointer  data)
{
  g_atomic_int_set (&is_held, 1);
  attn_task_start (&kind, owner, make_data (1), TRUE, &owner->task);
  g_assert_false (attn_task_wait (owner->task, g_get_monotonic_time () + 1000));
  g_assert_cmpuint (owner->n_delivered, ==, 0);
  g_atomic_int_set (&is_held, 0);
  g_assert_true (attn_task_wait (owner->task, G_MAXINT64));
  g_assert_cmpuint (owner->n_delivered, ==, 1);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpuint (owner->n_delivered, ==, 1);
}

static void
test_a_thread_of_ones_own_brings_its_place (Owner         *owner,
                                            gconstpointer  data)
{
  Data *asked = make_data (1);
  g_autoptr (AttnTask) task = attn_task_new (&kind, owner, asked, &owner->task);

  g_assert_true (attn_task_get_data (owner->task) == asked);
  attn_task_run (task, GINT_TO_POINTER (7));
  g_assert_cmpint (asked->place, ==, 7);
  g_assert_cmpuint (owner->n_delivered, ==, 0);
  WAIT_UNTIL (owner->n_delivered == 1);
}

/* Whichever of the two threads is the last to let the work go, it looks at no owner that has
 * gone. */
static void
test_owner_goes (Owner         *owner,
                 gconstpointer  data)
{
  for (guint i = 0; i < 2000; i++)
    {
      Owner *other = g_new0 (Owner, 1);

      other->thread = g_thread_self ();
      attn_task_start (&kind, other, make_data (1), TRUE, &other->task);
      while (i % 2 == 0 && g_main_context_iteration (NULL, FALSE))
        ;
      attn_task_give_up (&other->task);
      memset (other, 0xff, sizeof *other);
      g_free (other);
      while (g_main_context_iteration (NULL, FALSE))
        ;
    }
}

int
main (int    argc,
      char **argv)
{
  static const struct
  {
    const char *name;
    void (*func) (Owner *, gconstpointer);
  } tests[] = {
    { "short-work-is-done-at-once", test_short_work_is_done_at_once },
    { "outcome-comes-to-the-thread-that-asked", test_outcome_comes_to_the_thread_that_asked },
    { "the-latest-wins", test_the_latest_wins },
    { "nothing-is-heard-of-what-was-given-up", test_nothing_is_heard_of_what_was_given_up },
    { "what-is-cancelled-is-delivered", test_what_is_cancelled_is_delivered },
    { "owner-is-told-how-far-it-is", test_owner_is_told_how_far_it_is },
    { "owner-gives-up-while-it-is-told", test_owner_gives_up_while_it_is_told },
    { "who-waits-is-told-at-once", test_who_waits_is_told_at_once },
    { "a-thread-of-ones-own-brings-its-place", test_a_thread_of_ones_own_brings_its_place },
    { "owner-goes", test_owner_goes },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    {
      g_autofree char *path = g_strdup_printf ("/core/task/%s", tests[i].name);

      g_test_add (path, Owner, NULL, set_up, tests[i].func, tear_down);
    }
  return g_test_run ();
}
