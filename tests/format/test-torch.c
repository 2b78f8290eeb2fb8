/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What torch.save writes: files of PyTorch, see make-torch-fixtures.py, are read where they lie;
 * pickles that want something else done are refused by what they name. */

#include "config.h"

#include <string.h>

#include "attn-readers.h"
#include "attn-zip.h"
#include "format-fixture.h"

static AttnArrayFile *
load (const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "format", "fixtures", name, NULL);
  g_autoptr (GError) error = NULL;
  AttnArrayFile *file = attn_array_file_load (path, &error);

  g_assert_no_error (error);
  return file;
}

/* A matrix of numbers @first + i @row + j @column. */
static void
check_matrix (const AttnArrayFile *file,
              const char          *name,
              gsize                n_rows,
              gsize                n_columns,
              int                  first,
              int                  row,
              int                  column)
{
  const AttnArray *array = attn_array_file_lookup (file, name);
  const gsize shape[] = { n_rows, n_columns };
  gsize n = n_rows * n_columns;
  g_autofree float *expected = g_new (float, n);

  g_test_message ("%s", name);
  g_assert_nonnull (array);
  g_assert_cmpuint (array->n_dims, ==, 2);
  g_assert_cmpmem (array->shape, sizeof shape, shape, sizeof shape);
  for (int i = 0; i < (int) n_rows; i++)
    for (int j = 0; j < (int) n_columns; j++)
      expected[i * (int) n_columns + j] = (float) (first + i * row + j * column);
  fixture_assert_floats (array, n, expected);
  /* A part from the middle on. */
  float part[3];
  gsize n_part = MIN (3, (n_rows - 1) * n_columns + 1);
  g_assert_true (attn_array_read (array, n_columns - 1, n_part, part, NULL));
  g_assert_cmpmem (part, n_part * sizeof *part, expected + n_columns - 1, n_part * sizeof *part);
}

static void
check_state (gconstpointer name)
{
  static const char * const types[] = { "float16", "bfloat16", "float64", "int64", "int32", "int16",
                                        "int8" };
  static const float column[] = { -3, 3, 9, 15 };
  static const float scalar[] = { 2.5f };
  g_autoptr (AttnArrayFile) file = load (name);

  g_assert_cmpuint (attn_array_file_get_n_arrays (file), ==, 21);
  check_matrix (file, "plain", 4, 6, -5, 6, 1);
  check_matrix (file, "tied", 4, 6, -5, 6, 1);
  check_matrix (file, "transposed", 6, 4, -5, 1, 6);
  check_matrix (file, "rows", 2, 6, 1, 6, 1);
  check_matrix (file, "columns", 4, 3, -4, 6, 2);
  check_matrix (file, "expanded", 3, 6, 1, 0, 1);
  check_matrix (file, "one_row", 1, 6, -5, 6, 1);
  check_matrix (file, "parameter", 4, 6, -5, 6, 1);
  check_matrix (file, "tagged", 4, 6, -5, 6, 1);
  check_matrix (file, "uint8", 4, 6, 0, 6, 1);
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    check_matrix (file, types[i], 4, 6, -5, 6, 1);
  fixture_assert_floats (attn_array_file_lookup (file, "column"), 4, column);
  fixture_assert_floats (attn_array_file_lookup (file, "scalar"), 1, scalar);
  g_assert_cmpuint (attn_array_file_lookup (file, "scalar")->n_dims, ==, 0);
  g_assert_cmpuint (attn_array_get_n_elements (attn_array_file_lookup (file, "empty")), ==, 0);
  g_assert_cmpint (attn_array_file_lookup (file, "odd")->dtype, ==, ATTN_DTYPE_BOOL);
}

/* Tensors that share a storage share its bytes, and none is copied. */
static void
test_nothing_is_copied (void)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "format", "fixtures", "state.pt", NULL);
  g_autoptr (AttnArrayFile) file = attn_array_file_new ("FILE");
  g_autoptr (GError) error = NULL;
  g_autofree char *content = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &content, &size, &error));
  g_autoptr (GBytes) bytes = g_bytes_new_static (content, size);
  g_assert_true (attn_torch_read (file, bytes, &error));
  g_assert_no_error (error);
  for (gsize i = 0; i < attn_array_file_get_n_arrays (file); i++)
    {
      const AttnArray *array = attn_array_file_get_nth (file, i);
      gsize n;
      const char *data = g_bytes_get_data (array->bytes, &n);

      g_assert_true (n == 0 || (data >= content && data + n <= content + size));
    }
  const char *plain = g_bytes_get_data (attn_array_file_lookup (file, "plain")->bytes, NULL);
  const char *tied = g_bytes_get_data (attn_array_file_lookup (file, "tied")->bytes, NULL);
  const char *rows = g_bytes_get_data (attn_array_file_lookup (file, "rows")->bytes, NULL);
  g_assert_true (plain == tied);
  g_assert_true (rows == plain + 24);
  /* PyTorch has padded the storages for this. */
  g_assert_cmpuint ((plain - content) % 64, ==, 0);
  g_assert_nonnull (attn_array_peek_float32 (attn_array_file_lookup (file, "plain")));
  g_assert_null (attn_array_peek_float32 (attn_array_file_lookup (file, "transposed")));
}

static void
test_training (gconstpointer name)
{
  g_autoptr (AttnArrayFile) file = load (name);

  g_assert_cmpuint (attn_array_file_get_n_arrays (file), ==, 2);
  check_matrix (file, "a.weight", 4, 6, -5, 6, 1);
  check_matrix (file, "b.weight", 6, 4, -5, 1, 6);
  g_assert_cmpstr (attn_array_file_get_metadata (file, "model_args"), ==,
                   "{\"n_layer\":2,\"bias\":false}");
}

static void
test_big_endian (void)
{
  g_autoptr (AttnArrayFile) file = load ("big.pt");

  check_matrix (file, "plain", 4, 6, -5, 6, 1);
}

static void
assert_file_refused (const char *name,
                     int         code,
                     const char *part)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "format", "fixtures", name, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (attn_array_file_load (path, &error));
  g_assert_error (error, ATTN_ERROR, code);
  if (strstr (error->message, part) == NULL)
    g_error ("“%s” found, expected “%s”", error->message, part);
}

static void
test_other_contents (void)
{
  assert_file_refused ("module.pt", ATTN_ERROR_UNSUPPORTED,
                       "torch.nn.modules.linear.Linear found, expected tensors");
  assert_file_refused ("list.pt", ATTN_ERROR_UNSUPPORTED, "no dictionary of tensors");
  assert_file_refused ("compressed.pt", ATTN_ERROR_UNSUPPORTED,
                       "“big/data.pkl” is compressed or encrypted");
}

#define MAGIC "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."
#define HEAD  MAGIC "\x80\x02M\xe9\x03.\x80\x02}q\x00."

/* A file of the old form that saved the pickle @body. @rest: keys and storages */
static GBytes *
make_old (const char *body,
          gsize       n_body,
          const char *rest,
          gsize       n_rest)
{
  GByteArray *bytes = g_byte_array_new ();

  g_byte_array_append (bytes, (const guint8 *) HEAD, sizeof HEAD - 1);
  g_byte_array_append (bytes, (const guint8 *) body, n_body);
  g_byte_array_append (bytes, (const guint8 *) rest, n_rest);
  return g_byte_array_free_to_bytes (bytes);
}

#define KEYS "\x80\x02]X\x01\0\0\0Ka.\x04\0\0\0\0\0\0\0\0\0\0\0\0\0\x80?\0\0\0@\0\0@@"

#define DAMAGED "a damaged pickle found (at its byte"

#define NO_KEYS "\x80\x02]."

static void
refuse (const char *body,
        gsize       n_body,
        int         code,
        const char *part)
{
  g_autoptr (GBytes) bytes = make_old (body, n_body, KEYS, sizeof KEYS - 1);

  g_test_message ("%s", part);
  fixture_assert_refused (attn_torch_read, bytes, code, part);
}

#define REFUSE(body, code, part) refuse (body, sizeof (body) - 1, ATTN_ERROR_##code, part)

/* {"w": a tensor of the storage "K" of @numel float32} */
#define TENSOR(offset, size, stride, numel)                                              \
  "\x80\x02}X\x01\0\0\0wctorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\n" \
  "FloatStorage\nX\x01\0\0\0KX\x03\0\0\0cpu" numel "tQ" offset size stride               \
  "\x89}tRs."

static void
test_calls_are_refused (void)
{
  REFUSE ("\x80\002cos\nsystem\nX\x09\0\0\0touch own\x85R.", UNSUPPORTED,
          "FILE: os.system found, expected tensors");
  REFUSE ("\x80\002cposix\nsystem\nX\x02\0\0\0ls\x85R.", UNSUPPORTED, "posix.system found");
  REFUSE ("\x80\002cbuiltins\neval\nX\x01\0\0\0001\x85R.", UNSUPPORTED, "builtins.eval found");
  REFUSE ("\x80\002c__builtin__\ngetattr\n.", UNSUPPORTED, "__builtin__.getattr found");
  REFUSE ("\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x02ls\x85R.", UNSUPPORTED, "os.system found");
  REFUSE ("\x80\002cos\x1b[31m\nsys\xfftem\n.", UNSUPPORTED, "os?[31m.sys");
  REFUSE ("\x80\002ctorch.storage\n_load_from_bytes\n.", UNSUPPORTED, "_load_from_bytes found");
  REFUSE ("\x80\x02(S'ls'\nios\nsystem\n.", UNSUPPORTED, "opcode 0x53 found");
  REFUSE ("\x80\x02(ios\nsystem\n.", UNSUPPORTED, "opcode 0x69 found");
  REFUSE ("\x80\x02\x82\x01.", UNSUPPORTED, "opcode 0x82 found");
  REFUSE ("\x80\x09N.", UNSUPPORTED, "protocol 9 found");
  /* A call of what is no name. */
  REFUSE ("\x80\x02X\x02\0\0\0os)R.", FORMAT, DAMAGED);
  REFUSE ("\x80\002ccollections\nOrderedDict\nNR.", FORMAT, DAMAGED);
}

static void
test_broken_machines_are_refused (void)
{
  REFUSE ("\x80\x02.", FORMAT, DAMAGED);
  REFUSE ("\x80\x02t.", FORMAT, DAMAGED);
  REFUSE ("\x80\x02(0.", FORMAT, DAMAGED);
  REFUSE ("\x80\x02N\x86.", FORMAT, DAMAGED);
  REFUSE ("\x80\x02h\x05.", FORMAT, DAMAGED);
  REFUSE ("\x80\x02Nr\xff\xff\xff\xff.", FORMAT, DAMAGED);
  REFUSE ("\x80\x02}Na.", FORMAT, DAMAGED);
  REFUSE ("\x80\x02}(Nu.", FORMAT, DAMAGED);
  REFUSE ("\x80\x02(Nd.", FORMAT, DAMAGED);
  REFUSE ("\x80\x02NQ.", FORMAT, DAMAGED);
  REFUSE ("\x80\002ccollections\nOrderedDict\n]N\205aa.", FORMAT, DAMAGED);
  REFUSE ("\x80\x02X\xff\xff\xff\x7f.", FORMAT, DAMAGED);
  REFUSE ("\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xff.", FORMAT, DAMAGED);
}

static void
test_others_are_refused (void)
{
  static const char cycle[] = "\x80\x02}q\1X\x05\0\0\0modelh\1s.";
  static const char no_tensor[] = "\x80\x02}X\1\0\0\0wNs.";
  static const char two[] = "\x80\x02}(X\5\0\0\0model}X\x0a\0\0\0state_dict}u.";
  const struct
  {
    const char *body;
    gsize n;
    const char *part;
  } cases[] = {
    { "\x80\x02N.", 4, "no dictionary of tensors" },
    { "\x80\x02]N\x85.", 6, "no dictionary of tensors" },
    { no_tensor, sizeof no_tensor - 1, "no dictionary of tensors" },
    { cycle, sizeof cycle - 1, "no dictionary of tensors" },
    { two, sizeof two - 1, "weights in “model” and in “state_dict” found" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GBytes) bytes = make_old (cases[i].body, cases[i].n, NO_KEYS, sizeof NO_KEYS - 1);

      fixture_assert_refused (attn_torch_read, bytes, ATTN_ERROR_UNSUPPORTED, cases[i].part);
    }
}

static void
test_tensors_beyond_their_storage_are_refused (void)
{
  static const float values[] = { 0, 2, 1, 3 };
  g_autoptr (GBytes) good =
      make_old (TENSOR ("K\0", "K\2K\2\x86", "K\1K\2\x86", "K\4"),
                sizeof TENSOR ("K\0", "K\2K\2\x86", "K\1K\2\x86", "K\4") - 1, KEYS,
                sizeof KEYS - 1);
  g_autoptr (AttnArrayFile) file = attn_array_file_new ("FILE");
  g_autoptr (GError) error = NULL;

  g_assert_true (attn_torch_read (file, good, &error));
  g_assert_no_error (error);
  fixture_assert_floats (attn_array_file_lookup (file, "w"), 4, values);

  REFUSE (TENSOR ("K\0", "K\5\x85", "K\1\x85", "K\4"), FORMAT, "shape [5] with strides [1]");
  REFUSE (TENSOR ("K\1", "K\4\x85", "K\1\x85", "K\4"), FORMAT, "expected elements within 12 bytes");
  REFUSE (TENSOR ("K\5", "K\1\x85", "K\1\x85", "K\4"), FORMAT, "from element 5 on");
  REFUSE (TENSOR ("K\0", "K\2\x85", "K\4\x85", "K\4"), FORMAT, "with strides [4]");
  REFUSE (TENSOR ("K\0", "K\1\x85", "K\1\x85", "K\5"), FORMAT, "storage “K” of 16 bytes found");
  REFUSE (TENSOR ("K\0", "J\xff\xff\xff\x7f\x85", "K\0\x85", "K\4"), FORMAT,
          "shape [2147483647] of type F32");
  REFUSE (TENSOR ("K\0", "\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f\x85", "K\1\x85", "K\4"), FORMAT,
          "expected one within the 16 bytes");
  REFUSE (TENSOR ("K\0", "K\2\x85", "\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f\x85", "K\4"), FORMAT,
          "expected elements within 16 bytes");
  REFUSE (TENSOR ("K\0", "J\xff\xff\xff\xff\x85", "K\1\x85", "K\4"), FORMAT,
          "a damaged description");
  REFUSE (TENSOR ("J\xff\xff\xff\xff", "K\1\x85", "K\1\x85", "K\4"), FORMAT,
          "a damaged description");
  REFUSE (TENSOR ("K\0", "K\1K\1\x86", "K\1\x85", "K\4"), FORMAT, "a damaged description");
  REFUSE (TENSOR ("K\0", "(K\1K\1K\1K\1K\1K\1K\1K\1K\1t", "(K\1K\1K\1K\1K\1K\1K\1K\1K\1t", "K\4"),
          FORMAT, "a damaged description");
  REFUSE (TENSOR ("K\0", "K\1\x85", "K\1\x85", "N"), FORMAT, "of an unknown type found");
}

/* PyTorch 2.3 and later, for types that have no storage of their own. 0x3c: the sign, 4 bits of 7
 * for the exponent and 3 for the rest: 1.5; a parameter around it. */
static void
test_typed_tensor (void)
{
  static const char body[] =
      "\x80\x02}X\x01\0\0\0wctorch._utils\n_rebuild_parameter\n("
      "ctorch._utils\n_rebuild_tensor_v3\n((X\x07\0\0\0storagectorch.storage\n"
      "UntypedStorage\nX\x01\0\0\0KX\x03\0\0\0cpuK\4tQK\1K\2\x85K\1\x85\x89N"
      "ctorch\nfloat8_e4m3fn\ntR\x88NtRs.";
  static const char rest[] = "\x80\x02]X\x01\0\0\0Ka.\x04\0\0\0\0\0\0\0\0\x3c\xbc\0";
  static const float values[] = { 1.5f, -1.5f };
  g_autoptr (GBytes) bytes = make_old (body, sizeof body - 1, rest, sizeof rest - 1);
  g_autoptr (AttnArrayFile) file = attn_array_file_new ("FILE");
  g_autoptr (GError) error = NULL;

  g_assert_true (attn_torch_read (file, bytes, &error));
  g_assert_no_error (error);
  g_assert_cmpint (attn_array_file_lookup (file, "w")->dtype, ==, ATTN_DTYPE_F8_E4M3);
  fixture_assert_floats (attn_array_file_lookup (file, "w"), 2, values);
}

/* A pickle of @n times @part between @head and @tail, which is refused or read in memory that its
 * own size bounds. */
static void
check_many (const char *head,
            const char *part,
            gsize       n,
            const char *tail)
{
  g_autoptr (GString) body = g_string_new (head);
  g_autoptr (AttnArrayFile) file = attn_array_file_new ("FILE");
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < n; i++)
    g_string_append (body, part);
  g_string_append (body, tail);
  g_autoptr (GBytes) bytes = make_old (body->str, body->len, KEYS, sizeof KEYS - 1);
  g_assert_false (attn_torch_read (file, bytes, &error));
  g_assert_nonnull (error);
  g_assert_true (g_str_has_prefix (error->message, "FILE"));
}

static void
test_bombs (void)
{
  /* Nested a million deep: tuples, lists, marks. */
  check_many ("\x80\x02)", "\x85", 1000000, ".");
  check_many ("\x80\x02", "]", 1000000, ".");
  check_many ("\x80\x02", "(", 1000000, "N.");
  /* Each is ten times the one before. */
  check_many ("\x80\x02Nq\1", "(h\1h\1h\1h\1h\1h\1h\1h\1h\1h\1tq\1", 1000, ".");
  /* A list of a thousand pairs, copied ten thousand times. */
  g_autoptr (GString) pairs = g_string_new ("\x80\x02](");
  for (gsize i = 0; i < 1000; i++)
    g_string_append (pairs, "NN\x86");
  g_string_append (pairs, "e\205q\0010ccollections\nOrderedDict\nq\0020]");
  check_many (pairs->str, "h\2h\1Ra", 10000, ".");
  /* A tensor that has one long name two hundred thousand times. */
  g_autofree char *letters = g_strnfill (255, 'a');
  g_autofree char *names = g_strconcat (
      "\x80\002ctorch._utils\n_rebuild_tensor_v2\n((\x8c\7storagectorch\nFloatStorage\n"
      "\x8c\1K\x8c\3cpuK\4tQK\1K\1\x85K\1\x85\x89}tRq\0010\x8c\xff",
      letters, "q\0020}(", NULL);
  check_many (names, "h\2h\1", 200000, "u.");
}

static GBytes *
load_bytes (const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "format", "fixtures", name, NULL);
  g_autoptr (GError) error = NULL;
  char *content = NULL;
  gsize size;

  g_file_get_contents (path, &content, &size, &error);
  g_assert_no_error (error);
  return g_bytes_new_take (content, size);
}

static void
test_each_cut (gconstpointer name)
{
  g_autoptr (GBytes) bytes = load_bytes (name);

  fixture_assert_each_cut_refused (attn_torch_read, bytes);
}

/* The record at the end says so much; what it says is not believed. */
static void
test_zip_directory (void)
{
  g_autoptr (GBytes) bytes = load_bytes ("other.pt");
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  for (gsize back = 1; back <= 22 + 60; back++)
    for (guint value = 0; value < 256; value += 51)
      {
        g_autofree guint8 *copy = g_memdup2 (data, size);
        g_autoptr (AttnArrayFile) file = attn_array_file_new ("FILE");
        g_autoptr (GError) error = NULL;

        copy[size - back] = (guint8) value;
        g_autoptr (GBytes) changed = g_bytes_new_take (g_steal_pointer (&copy), size);
        if (attn_torch_read (file, changed, &error))
          fixture_touch (file);
        else
          g_assert_true (g_str_has_prefix (error->message, "FILE"));
      }
}

/* A directory with an entry in which all sizes stand in the extra field, as in archives of 4 GiB
 * and more. */
static void
test_zip_of_64_bits (void)
{
  static const char archive[] =
      "PK\3\4\x2d\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\1\0\0\0a12345"
      "PK\1\2\x2d\0\x2d\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff"
      "\1\0\x1c\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\377a"
      "\1\0\x18\0\5\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
      "PK\6\6\x2c\0\0\0\0\0\0\0\x2d\0\x2d\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0"
      "\x4b\0\0\0\0\0\0\0\x24\0\0\0\0\0\0\0"
      "PK\6\7\0\0\0\0\x6f\0\0\0\0\0\0\0\1\0\0\0"
      "PK\5\6\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0";
  g_autoptr (GBytes) bytes = g_bytes_new_static (archive, sizeof archive - 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (AttnZip) zip = attn_zip_new (bytes, "FILE", &error);

  g_assert_no_error (error);
  g_assert_cmpuint (attn_zip_get_n (zip), ==, 1);
  g_autoptr (GBytes) member = attn_zip_get (zip, "a", "FILE", &error);
  g_assert_no_error (error);
  gsize n;
  const char *data = g_bytes_get_data (member, &n);
  g_assert_cmpmem (data, n, "12345", 5);
  g_assert_null (attn_zip_get (zip, "b", "FILE", &error));
  g_assert_error (error, ATTN_ERROR, ATTN_ERROR_FORMAT);
}

/* An .npz is a zip archive, too. */
static void
test_arrays_are_no_weights (void)
{
  g_autoptr (GBytes) stored = load_bytes ("stored.npz");
  g_autoptr (GBytes) weights = load_bytes ("state.pt");
  g_autoptr (GBytes) old = load_bytes ("state-old.pt");
  g_autoptr (GBytes) old_4 = load_bytes ("state-old-4.pt");

  g_assert_false (attn_torch_is_content (FALSE, stored));
  g_assert_true (attn_torch_is_content (FALSE, weights));
  g_assert_true (attn_torch_is_content (FALSE, old));
  g_assert_true (attn_torch_is_content (FALSE, old_4));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/torch/state", "state.pt", check_state);
  g_test_add_data_func ("/torch/state/protocol-4", "state-4.pt", check_state);
  g_test_add_data_func ("/torch/state/old", "state-old.pt", check_state);
  g_test_add_data_func ("/torch/state/old/protocol-4", "state-old-4.pt", check_state);
  g_test_add_data_func ("/torch/state/another-archive", "other.pt", check_state);
  g_test_add_func ("/torch/state/big-endian", test_big_endian);
  g_test_add_func ("/torch/nothing-is-copied", test_nothing_is_copied);
  g_test_add_data_func ("/torch/training", "training.pt", test_training);
  g_test_add_data_func ("/torch/training/old", "training-old.pt", test_training);
  g_test_add_func ("/torch/other-contents", test_other_contents);
  g_test_add_func ("/torch/calls-are-refused", test_calls_are_refused);
  g_test_add_func ("/torch/broken-machines-are-refused", test_broken_machines_are_refused);
  g_test_add_func ("/torch/others-are-refused", test_others_are_refused);
  g_test_add_func ("/torch/tensors-beyond-their-storage-are-refused",
                   test_tensors_beyond_their_storage_are_refused);
  g_test_add_func ("/torch/typed-tensor", test_typed_tensor);
  g_test_add_func ("/torch/bombs", test_bombs);
  g_test_add_data_func ("/torch/each-cut", "state.pt", test_each_cut);
  g_test_add_data_func ("/torch/each-cut/old", "training-old.pt", test_each_cut);
  g_test_add_func ("/torch/zip/directory", test_zip_directory);
  g_test_add_func ("/torch/zip/64-bits", test_zip_of_64_bits);
  g_test_add_func ("/torch/zip/arrays-are-no-weights", test_arrays_are_no_weights);
  return fixture_run ();
}
