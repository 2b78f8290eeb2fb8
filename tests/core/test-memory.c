/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What memory the system says it has, read from files that stand for those of /proc and /sys. */

#include "config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "attn-error.h"
#include "attn-memory.h"

#define MIB ((gsize) 1 << 20)

/* A file of a root directory; NULL ends a list of them. */
typedef struct
{
  const char *path;
  const char *text;
} File;

static const File machine = {
  "proc/meminfo", "MemTotal:        8192000 kB\nMemFree:          100 kB\n"
                  "MemAvailable:    4096000 kB\nSwapFree:         1024000 kB\n"
};

static void
remove_all (const char *path)
{
  g_autoptr (GDir) directory = g_dir_open (path, 0, NULL);
  const char *name;

  while (directory != NULL && (name = g_dir_read_name (directory)) != NULL)
    {
      g_autofree char *inner = g_build_filename (path, name, NULL);

      remove_all (inner);
    }
  g_assert_cmpint (g_remove (path), ==, 0);
}

static void
write_file (const char *root,
            const File *file)
{
  g_autofree char *path = g_build_filename (root, file->path, NULL);
  g_autofree char *directory = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (directory, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, file->text, -1, NULL));
}

static void
assert_room (const File *files,
             gsize       n_all,
             gsize       n_free)
{
  g_autofree char *root = g_dir_make_tmp ("attn-memory-XXXXXX", NULL);

  write_file (root, &machine);
  for (; files->path != NULL; files++)
    write_file (root, files);
  AttnMemoryRoom room = attn_memory_get_system (root);
  g_assert_cmpuint (room.n_all, ==, n_all);
  g_assert_cmpuint (room.n_free, ==, n_free);
  remove_all (root);
}

static void
test_system (void)
{
  const gsize n_all = (gsize) 8192000 * 1024;
  const gsize n_free = (gsize) 5120000 * 1024;
  static const File none[] = { { NULL, NULL } };
  /* What the group has in use is what it only caches, too; a group around it allows less. */
  static const File second[] = {
    { "proc/self/cgroup", "0::/user/job\n" },
    { "sys/fs/cgroup/user/job/memory.max", "2147483648\n" },
    { "sys/fs/cgroup/user/job/memory.current", "1073741824\n" },
    { "sys/fs/cgroup/user/job/memory.stat",
      "anon 1\nfile 2\ninactive_file 268435456\nactive_file 268435456\n" },
    { "sys/fs/cgroup/user/memory.max", "1887436800\n" },
    { "sys/fs/cgroup/user/memory.current", "104857600\n" },
    { NULL, NULL },
  };
  static const File unlimited[] = {
    { "proc/self/cgroup", "0::/user/job\n" },
    { "sys/fs/cgroup/user/job/memory.max", "max\n" },
    { "sys/fs/cgroup/user/job/memory.current", "1073741824\n" },
    { NULL, NULL },
  };
  /* In a container the path is that of the host, and the group's own files lie at the mount. */
  static const File first[] = {
    { "proc/self/cgroup", "9:cpu,cpuacct:/docker/12\n4:memory:/docker/12\n1:name=systemd:/\n" },
    { "sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n" },
    { "sys/fs/cgroup/memory/memory.usage_in_bytes", "2147483648\n" },
    { "sys/fs/cgroup/memory/memory.stat", "cache 5\ntotal_inactive_file 1610612736\n" },
    { NULL, NULL },
  };
  static const File huge[] = {
    { "proc/self/cgroup", "4:memory:/\n" },
    { "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n" },
    { "sys/fs/cgroup/memory/memory.usage_in_bytes", "1000\n" },
    { NULL, NULL },
  };

  assert_room (none, n_all, n_free);
  assert_room (second, 1800 * MIB, 1536 * MIB);
  assert_room (unlimited, n_all, n_free);
  assert_room (first, 1024 * MIB, 512 * MIB);
  assert_room (huge, n_all, n_free);
}

/* Without any of these files nothing is known, and nothing refused. */
static void
test_unknown (void)
{
  g_autofree char *root = g_dir_make_tmp ("attn-memory-XXXXXX", NULL);
  AttnMemoryRoom room = attn_memory_get_system (root);

  g_assert_cmpuint (room.n_all, ==, G_MAXSIZE);
  g_assert_cmpuint (room.n_free, ==, G_MAXSIZE);
  g_rmdir (root);
}

/* What was promised counts, whether it has been written to or not. */
static void
test_promised (void)
{
  gsize n_all = attn_memory_get_system ("/").n_all;

  g_assert_true (attn_memory_check (16 * MIB, "a lot", NULL));
  attn_memory_count ((gssize) (n_all / 8 * 7 - 8 * MIB));
  g_assert_false (attn_memory_check (16 * MIB, "a lot", NULL));
  g_assert_true (attn_memory_check (MIB, "a little", NULL));
  attn_memory_count (-(gssize) (n_all / 8 * 7 - 8 * MIB));
  g_assert_true (attn_memory_check (16 * MIB, "a lot", NULL));
}

/* What this machine has is at most its memory, and more is refused with both numbers. */
static void
test_refused (void)
{
  AttnMemoryRoom room = attn_memory_get_system ("/");
  g_autoptr (GError) error = NULL;
  g_autofree char *needed = g_format_size (room.n_all);

  g_assert_cmpuint (room.n_all, <, G_MAXSIZE);
  g_assert_cmpuint (attn_memory_get_limit (), <=, room.n_all / 4 * 3);
  g_assert_null (attn_memory_try_alloc (room.n_all, "all of it", &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_MEMORY);
  g_assert_nonnull (strstr (error->message, needed));
  g_assert_nonnull (strstr (error->message, "expected at most"));
  g_clear_error (&error);

  /* Above what is free, if not above what may be taken. */
  attn_memory_set_limit (G_MAXSIZE / 4);
  g_assert_null (attn_memory_try_alloc (G_MAXSIZE / 8, "a lot", &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_MEMORY);
  attn_memory_set_limit (0);

  g_autofree char *nothing = attn_memory_try_alloc (0, "nothing", NULL);
  g_assert_nonnull (nothing);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/memory/system", test_system);
  g_test_add_func ("/core/memory/unknown", test_unknown);
  g_test_add_func ("/core/memory/promised", test_promised);
  g_test_add_func ("/core/memory/refused", test_refused);

  return g_test_run ();
}
