/* SPDX-License-Identifier: GPL-3.0-or-later */

/* attention-grid-mpi runs `attention-grid survey` on the ranks of an MPI job. */

#include "config.h"

#include <glib/gi18n.h>
#include <locale.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "attn-blas.h"
#include "attn-cli-survey.h"
#include "attn-clones.h"
#include "attn-mpi-run.h"

static int
run (int    argc,
     char **argv,
     int    rank)
{
  g_autoptr (GError) error = NULL;
  int status;

  if (argc < 2 || strcmp (argv[1], "survey") != 0)
    {
      if (rank == 0)
        fputs (_("Usage:\n  mpirun [-n RANKS] attention-grid-mpi survey [options] -o FILE.npz\n"
                 "The options are those of “attention-grid survey --help”.\n"),
               argc == 2 && strcmp (argv[1], "--help") == 0 ? stdout : stderr);
      status = argc == 2 && strcmp (argv[1], "--help") == 0 ? 0 : 2;
    }
  else if (!attn_clones_check (&error))
    {
      fprintf (stderr, "attention-grid-mpi: %s\n", error->message);
      g_clear_error (&error);
      status = 1;
    }
  else
    status = attn_cli_survey_with (argc - 1, argv + 1, attn_mpi_run);

  /* A rank that fails before attn_mpi_run() still has to call attn_mpi_agree(), since the other
   * ranks wait there. */
  if (!attn_mpi_has_begun ())
    attn_mpi_agree (NULL, &error);
  return status;
}

int
main (int    argc,
      char **argv)
{
  int provided;
  int rank;

  attn_blas_init ();
  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, ATTN_LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);

  MPI_Init_thread (&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  if (provided < MPI_THREAD_SERIALIZED)
    {
      if (rank == 0)
        fputs (
            _("attention-grid-mpi: an MPI without threads found, expected MPI_THREAD_SERIALIZED\n"),
            stderr);
      MPI_Abort (MPI_COMM_WORLD, 1);
    }
  MPI_Comm_set_errhandler (MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  /* All ranks find the same errors in the command line or model, so that only rank 0 prints
   * messages. */
  if (rank > 0 && freopen ("/dev/null", "w", stderr) == NULL)
    return 1;
  int status = run (argc, argv, rank);
  MPI_Finalize ();
  return status;
}
