/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Writes the numbers of a web page as JSON: matrices, labels, scales and colours, each once, and
 * the panels that refer to them. A matrix has the visible cells of its panel that are not
 * masked. */

#include "config.h"

#include <math.h>

#include "attn-markup.h"
#include "attn-page-private.h"
#include "attn-visible.h"

/* The number of bytes that a float takes in base64. */
#define BYTES_PER_NUMBER (4 * 4 / 3.0)

/* The bytes of the numbers in a web page above which numbers are stored in 16 bits each. */
#define MAX_EXACT_BYTES 4e6

/* The bytes of the numbers in 16 bits above which the scores that ε acts on are left out. */
#define MAX_SCORES_BYTES 16e6

/* A list of the page without duplicates, as JSON: a panel refers to its entries by index. */
typedef struct
{
  GString *json;
  GHashTable *indices; /* key of an entry -> its index + 1 */
} List;

typedef struct
{
  const AttnScene *scene;
  gboolean is_half;
  double error; /* largest error by which a number is rounded */
  List palettes;
  List scales;
  List labels;
  List matrices;
  List places;
} Writer;

static void
list_init (List *list)
{
  list->json = g_string_new ("[");
  list->indices = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

static void
list_clear (List *list)
{
  g_string_free (list->json, TRUE);
  g_hash_table_unref (list->indices);
}

static void
clear_writer (Writer *writer)
{
  list_clear (&writer->palettes);
  list_clear (&writer->scales);
  list_clear (&writer->labels);
  list_clear (&writer->matrices);
  list_clear (&writer->places);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Writer, clear_writer)

/* Finds, in a list of the page, the index of the entry with this key. Returns %FALSE if there is
 * none; the next index is reserved then, and the caller appends the entry. */
static gboolean
list_find (List       *list,
           const char *key,
           guint      *index)
{
  guint known = GPOINTER_TO_UINT (g_hash_table_lookup (list->indices, key));

  *index = known > 0 ? known - 1 : g_hash_table_size (list->indices);
  if (known > 0)
    return TRUE;
  if (*index > 0)
    g_string_append_c (list->json, ',');
  g_hash_table_insert (list->indices, g_strdup (key), GUINT_TO_POINTER (*index + 1));
  return FALSE;
}

static guint
list_add (List    *list,
          GString *entry)
{
  guint index;

  if (!list_find (list, entry->str, &index))
    g_string_append_len (list->json, entry->str, (gssize) entry->len);
  return index;
}

static void
append_member (GString    *json,
               const char *name,
               double      value)
{
  g_string_append_printf (json, ",\"%s\":", name);
  attn_page_append_number (json, value);
}

/* Appends plain text as JSON, or null for no text. */
static void
append_text_member (GString    *json,
                    const char *name,
                    const char *text)
{
  g_string_append_printf (json, ",\"%s\":", name);
  if (text != NULL)
    attn_page_append_string (json, text);
  else
    g_string_append (json, "null");
}

static void
append_bytes (GString      *json,
              const guint8 *bytes,
              gsize         length)
{
  g_autofree char *base64 = g_base64_encode (bytes, length);

  g_string_append_printf (json, "\"%s\"", base64);
}

static guint
add_palette (Writer          *writer,
             const AttnStyle *style)
{
  AttnRgb palette[ATTN_PALETTE_SIZE];
  guint8 bytes[3 * ATTN_PALETTE_SIZE];
  g_autoptr (GString) entry = g_string_new (NULL);

  attn_style_get_palette (style, palette);
  for (guint i = 0; i < ATTN_PALETTE_SIZE; i++)
    {
      bytes[3 * i] = palette[i].red;
      bytes[3 * i + 1] = palette[i].green;
      bytes[3 * i + 2] = palette[i].blue;
    }
  append_bytes (entry, bytes, sizeof bytes);
  return list_add (&writer->palettes, entry);
}

static guint
add_scale (Writer          *writer,
           const AttnScale *scale)
{
  g_autoptr (GString) entry = g_string_new (NULL);

  g_string_append_printf (entry, "{\"kind\":\"%s\"", attn_scale_kind_names[scale->kind]);
  append_member (entry, "low", scale->low);
  append_member (entry, "high", scale->high);
  append_member (entry, "offset", scale->offset);
  append_member (entry, "factor", scale->factor);
  if (scale->quantiles != NULL)
    {
      g_string_append (entry, ",\"knots\":");
      for (guint i = 0; i < ATTN_N_QUANTILES; i++)
        {
          g_string_append_c (entry, i == 0 ? '[' : ',');
          attn_page_append_number (entry, scale->quantiles->knots[i]);
        }
      g_string_append_c (entry, ']');
    }
  g_string_append_c (entry, '}');
  return list_add (&writer->scales, entry);
}

/* Adds the labels of the rows or columns in @span, and returns their index in the page's list. */
static guint
add_labels (Writer             *writer,
            const char * const *labels,
            AttnSpan            span)
{
  g_autoptr (GString) entry = g_string_new ("[");

  for (gsize i = span.first; i < span.end; i++)
    {
      if (i > span.first)
        g_string_append_c (entry, ',');
      attn_page_append_string (entry, labels != NULL ? labels[i] : "");
    }
  g_string_append_c (entry, ']');
  return list_add (&writer->labels, entry);
}

/* Appends the positions of rows or columns in their input. Appends only the first of consecutive
 * positions; -1 for a column that is no token. */
static void
append_positions (GString         *json,
                  const AttnPanel *panel,
                  AttnSpan         span,
                  gboolean         is_column)
{
  gsize n = span.end - span.first;
  g_autofree gssize *positions = g_new (gssize, n);
  gboolean is_plain = TRUE;

  for (gsize i = 0; i < n; i++)
    {
      gsize position = is_column ? attn_panel_get_column_position (panel, span.first + i)
                                 : attn_panel_get_row_position (panel, span.first + i);

      positions[i] = position == ATTN_PANEL_NO_POSITION ? -1 : (gssize) position;
      is_plain = is_plain && positions[i] == positions[0] + (gssize) i && positions[i] >= 0;
    }
  g_string_append_printf (json, ",\"%s\":", is_column ? "keyPositions" : "queryPositions");
  if (is_plain)
    {
      g_string_append_printf (json, "%" G_GSSIZE_FORMAT, positions[0]);
      return;
    }
  for (gsize i = 0; i < n; i++)
    g_string_append_printf (json, "%c%" G_GSSIZE_FORMAT, i == 0 ? '[' : ',', positions[i]);
  g_string_append_c (json, ']');
}

/* The numbers of a matrix that are not masked, row by row, and the cells that they belong to. */
typedef struct
{
  GArray *values; /* element-type float */
  GString *runs;  /* JSON of the runs of unmasked columns of each row, by first and end */
  gboolean is_whole;
  gboolean is_causal;
} Cells;

/* Tells whether a cell is not masked. @panel: (nullable): the panel whose mask counts; without one,
 * a value of -INFINITY is masked */
static gboolean
is_visible (AttnPanel   *panel,
            gsize        row,
            gsize        column,
            const float *values)
{
  return panel != NULL ? attn_panel_is_visible (panel, row, column) : values[column] != -INFINITY;
}

static void
read_row (Cells       *cells,
          AttnPanel   *panel,
          gsize        row,
          gsize        index,
          AttnSpan     columns,
          const float *values)
{
  gsize n_runs = 0;
  gsize column = columns.first;

  g_string_append (cells->runs, index == 0 ? "[" : ",[");
  while (column < columns.end)
    {
      if (!is_visible (panel, row, column, values))
        {
          column++;
          continue;
        }
      gsize first = column;
      while (column < columns.end && is_visible (panel, row, column, values))
        column++;
      g_array_append_vals (cells->values, values + first, column - first);
      gsize begin = first - columns.first;
      gsize end = column - columns.first;
      g_string_append_printf (cells->runs, "%s%" G_GSIZE_FORMAT ",%" G_GSIZE_FORMAT,
                              n_runs++ == 0 ? "" : ",", begin, end);
      cells->is_whole = cells->is_whole && end - begin == columns.end - columns.first;
      cells->is_causal = cells->is_causal && begin == 0 &&
                         end == MIN (index + 1, columns.end - columns.first);
    }
  if (n_runs == 0)
    cells->is_whole = cells->is_causal = FALSE;
  g_string_append_c (cells->runs, ']');
}

static double
round_to_halves (const GArray *values,
                 guint16      *halves)
{
  double error = 0;

  for (guint i = 0; i < values->len; i++)
    {
      float value = g_array_index (values, float, i);
      guint16 half = attn_page_round_to_half (value);
      double difference = fabs ((double) attn_page_get_half (half) - value);

      halves[i] = GUINT16_TO_LE (half);
      if (isfinite (value))
        error = MAX (error, difference);
    }
  return error;
}

/* Appends numbers as Base64, little-endian. If 16 bits are not enough for one number, all are
 * stored in 32 bits. */
static void
append_values (Writer  *writer,
               GString *json,
               GArray  *values)
{
  if (writer->is_half)
    {
      g_autofree guint16 *halves = g_new (guint16, MAX (values->len, 1));
      double error = round_to_halves (values, halves);

      if (isfinite (error))
        {
          writer->error = MAX (writer->error, error);
          g_string_append (json, ",\"bits\":16,\"data\":");
          append_bytes (json, (const guint8 *) halves, values->len * sizeof *halves);
          return;
        }
    }
  for (guint i = 0; i < values->len; i++)
    {
      guint32 *bits = &((guint32 *) (gpointer) values->data)[i];

      *bits = GUINT32_TO_LE (*bits);
    }
  g_string_append (json, ",\"bits\":32,\"data\":");
  append_bytes (json, (const guint8 *) values->data, values->len * sizeof (float));
}

/* Appends a matrix that has just been given its index. @cells: the numbers of its @n_rows rows that
 * are not masked */
static void
append_matrix (Writer *writer,
               Cells  *cells,
               gsize   n_rows,
               gsize   n_columns)
{
  GString *json = writer->matrices.json;

  g_string_append_c (cells->runs, ']');
  g_string_append_printf (json, "{\"rows\":%zu,\"columns\":%zu,\"visible\":%s", n_rows, n_columns,
                          cells->is_whole    ? "\"all\""
                          : cells->is_causal ? "\"causal\""
                                             : cells->runs->str);
  append_values (writer, json, cells->values);
  g_string_append_c (json, '}');
}

static guint
add_matrix (Writer            *writer,
            AttnPanel         *panel,
            const AttnVisible *shown)
{
  AttnSpan rows = shown->rows;
  AttnSpan columns = shown->columns;
  const AttnTensor *values = attn_panel_get_values (panel);
  /* Panels of the same head share a matrix. */
  g_autofree char *key = g_strdup_printf (
      "%p %d %zu %zu %zu %zu", values != NULL ? (gconstpointer) values->data : panel,
      attn_panel_get_mask (panel), rows.first, rows.end, columns.first, columns.end);
  guint index;

  if (list_find (&writer->matrices, key, &index))
    return index;

  g_auto (AttnPanelReader) reader = { .panel = panel };
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (float));
  g_autoptr (GString) runs = g_string_new ("[");
  Cells cells = { numbers, runs, TRUE, TRUE };
  for (gsize row = rows.first; row < rows.end; row++)
    read_row (&cells, panel, row, row - rows.first, columns,
              attn_panel_reader_get_row (&reader, row));
  append_matrix (writer, &cells, rows.end - rows.first, columns.end - columns.first);
  return index;
}

static guint
add_scores (Writer           *writer,
            const AttnTensor *scores)
{
  AttnSpan columns = { 0, scores->shape[1] };
  g_autofree char *key = g_strdup_printf ("%p", (gconstpointer) scores->data);
  guint index;

  if (list_find (&writer->matrices, key, &index))
    return index;

  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (float));
  g_autoptr (GString) runs = g_string_new ("[");
  Cells cells = { numbers, runs, TRUE, TRUE };
  for (gsize row = 0; row < scores->shape[0]; row++)
    read_row (&cells, NULL, row, row, columns, scores->data + row * scores->shape[1]);
  append_matrix (writer, &cells, scores->shape[0], scores->shape[1]);
  return index;
}

static void
append_matrix_member (Writer            *writer,
                      GString           *json,
                      const char        *name,
                      AttnPanel         *panel,
                      const AttnVisible *shown)
{
  if (panel != NULL)
    g_string_append_printf (json, ",\"%s\":%u", name, add_matrix (writer, panel, shown));
  else
    g_string_append_printf (json, ",\"%s\":null", name);
}

/* Appends the factors of queries or of keys: the powers of ε and the remaining factors, each as a
 * list, or as one number if all are the same. */
static void
append_factors (GString          *json,
                const char       *name,
                const AttnFactor *factors,
                gsize             n)
{
  gsize n_same = 1;

  while (n_same < n && factors[n_same].power == factors[0].power &&
         factors[n_same].rest == factors[0].rest)
    n_same++;
  gsize n_written = n_same == n ? 1 : n;
  for (guint part = 0; part < 2; part++)
    {
      g_string_append_printf (json, ",\"%s%s\":%s", name, part == 0 ? "Power" : "Rest",
                              n_written > 1 ? "[" : "");
      for (gsize i = 0; i < n_written; i++)
        {
          g_string_append (json, i > 0 ? "," : "");
          attn_page_append_number (json, part == 0 ? factors[i].power : factors[i].rest);
        }
      g_string_append (json, n_written > 1 ? "]" : "");
    }
}

/* Appends the place of each query or key: the index of the panel's row or column that it is part
 * of. Without such places, appends nothing: each is a row or column of its own. */
static void
append_places (Writer     *writer,
               GString    *json,
               const char *name,
               GArray     *places)
{
  g_autoptr (GString) entry = g_string_new ("[");

  if (places == NULL)
    return;
  for (guint i = 0; i < places->len; i++)
    g_string_append_printf (entry, "%s%d", i > 0 ? "," : "", g_array_index (places, int, i));
  g_string_append_c (entry, ']');
  g_string_append_printf (json, ",\"%s\":%u", name, list_add (&writer->places, entry));
}

static void
append_heads (Writer       *writer,
              GString      *json,
              const char   *name,
              const GArray *heads)
{
  g_string_append_printf (json, ",\"%s\":[", name);
  for (guint i = 0; heads != NULL && i < heads->len; i++)
    {
      const AttnRescaledHead *head = &g_array_index (heads, AttnRescaledHead, i);

      g_string_append_printf (json, "%s{\"scores\":%u", i > 0 ? "," : "",
                              add_scores (writer, head->scores));
      append_factors (json, "query", head->queries, head->scores->shape[0]);
      append_factors (json, "key", head->keys, head->scores->shape[1]);
      append_places (writer, json, "rowOf", head->row_of);
      append_places (writer, json, "columnOf", head->column_of);
      if (isfinite (head->sink))
        append_member (json, "sink", head->sink);
      g_string_append_c (json, '}');
    }
  g_string_append_c (json, ']');
}

/* Appends ε and the heads whose weights the page can compute for another ε. */
static void
append_rescaling (Writer         *writer,
                  GString        *json,
                  const AttnMark *mark)
{
  const AttnRescaling *rescaling = &writer->scene->grid->cells[mark->group].rescaling;

  append_member (json, "epsilon", rescaling->epsilon);
  g_string_append_printf (json, ",\"ofScores\":%s,\"renormalises\":%s",
                          rescaling->is_of_scores ? "true" : "false",
                          rescaling->renormalises ? "true" : "false");
  append_heads (writer, json, "heads", rescaling->heads);
  append_heads (writer, json, "subtracted", rescaling->subtracted);
}

/* Tells whether the cell of the grid has a baseline panel of the same shape. */
static gboolean
has_baseline (const AttnGridCell *cell)
{
  return cell->baseline != NULL && cell->baseline != cell->panel &&
         attn_panel_get_n_rows (cell->baseline) == attn_panel_get_n_rows (cell->panel) &&
         attn_panel_get_n_columns (cell->baseline) == attn_panel_get_n_columns (cell->panel);
}

/* Tells whether the page can recompute weights for another ε: only if whole rows are visible, as a
 * softmax needs them. */
static gboolean
can_rescale (const AttnScene *scene)
{
  gboolean can = FALSE;

  for (gsize i = 0; i < scene->heatmaps->len; i++)
    {
      const AttnMark *mark = g_ptr_array_index (scene->heatmaps, i);
      const AttnRescaling *rescaling = &scene->grid->cells[mark->group].rescaling;

      if (!attn_viewport_is_fit (&mark->viewport))
        return FALSE;
      can = can || rescaling->heads != NULL || rescaling->subtracted != NULL;
    }
  return can;
}

static void
append_names (GString           *json,
              const AttnMark    *mark,
              const AttnVisible *shown,
              GStrv              names)
{
  gsize n_columns = attn_panel_get_n_columns (mark->panel);
  const char *separator = "";

  g_string_append (json, ",\"names\":[");
  for (gsize row = shown->rows.first; row < shown->rows.end; row++)
    for (gsize column = shown->columns.first; column < shown->columns.end; column++)
      {
        g_string_append (json, separator);
        attn_page_append_string (json, names[row * n_columns + column]);
        separator = ",";
      }
  g_string_append_c (json, ']');
}

/* Appends the further numbers of each visible cell: a second number, or the ends of the interval in
 * which the value lies. */
static void
append_cell_numbers (GString            *json,
                     const AttnMark     *mark,
                     const AttnVisible  *shown,
                     const AttnGridCell *cell)
{
  gsize n_columns = attn_panel_get_n_columns (mark->panel);
  g_autoptr (GString) numbers = g_string_new (NULL);
  g_autoptr (GString) intervals = g_string_new (NULL);

  for (gsize row = shown->rows.first; row < shown->rows.end; row++)
    for (gsize column = shown->columns.first; column < shown->columns.end; column++)
      {
        gsize index = row * n_columns + column;

        if (cell->cell_numbers != NULL)
          g_string_append_printf (numbers, "%s%u", numbers->len > 0 ? "," : "",
                                  cell->cell_numbers[index]);
        for (gsize end = 0; cell->cell_intervals != NULL && end < 2; end++)
          {
            g_string_append (intervals, intervals->len > 0 ? "," : "");
            attn_page_append_number (intervals, cell->cell_intervals[2 * index + end]);
          }
      }
  if (numbers->len > 0)
    g_string_append_printf (json, ",\"numbers\":[%s]", numbers->str);
  if (intervals->len > 0)
    g_string_append_printf (json, ",\"intervals\":[%s]", intervals->str);
}

/* Appends the words that precede the labels of its row and of its column where a cell is named,
 * such as "Layer " and ", head "; nothing where rows are queries and columns keys. */
static void
append_place (GString        *json,
              const AttnGrid *grid,
              gsize           index)
{
  const char *words = attn_grid_get_place_words (grid, index);
  g_auto (GStrv) parts = words != NULL ? g_strsplit (words, "%s", -1) : NULL;
  g_autofree char *row = g_strconcat (grid->row_title, " ", NULL);
  g_autofree char *column = g_strconcat (" → ", grid->column_title, " ", NULL);

  if (words == NULL && (grid->row_title == NULL || grid->column_title == NULL))
    return;
  g_string_append (json, ",\"place\":[");
  attn_page_append_string (json, words != NULL ? parts[0] : row);
  g_string_append_c (json, ',');
  attn_page_append_string (json, words != NULL ? parts[1] : column);
  g_string_append_c (json, ']');
}

static void
append_panel (Writer         *writer,
              GString        *json,
              const AttnMark *mark,
              gboolean        rescales)
{
  const AttnGrid *grid = writer->scene->grid;
  const AttnGridCell *cell = &grid->cells[mark->group];
  AttnVisible shown = attn_visible_get (mark);
  gsize columns = grid->n_columns;

  g_string_append_printf (json, "{\"id\":\"panel-%zu-%zu\"", mark->group / columns,
                          mark->group % columns);
  append_text_member (json, "name", cell->name);
  append_text_member (json, "valueName", cell->value_name);
  append_text_member (json, "minuendName", cell->minuend_name);
  append_text_member (json, "baselineName", cell->baseline_name);
  append_member (json, "input", (double) cell->input);
  append_member (json, "x", mark->rectangle.x);
  append_member (json, "y", mark->rectangle.y);
  append_member (json, "width", mark->rectangle.width);
  append_member (json, "height", mark->rectangle.height);
  append_member (json, "left", shown.x);
  append_member (json, "top", shown.y);
  append_member (json, "cellWidth", shown.cell_width);
  append_member (json, "cellHeight", shown.cell_height);
  append_positions (json, mark->panel, shown.rows, FALSE);
  append_positions (json, mark->panel, shown.columns, TRUE);
  g_string_append_printf (
      json, ",\"queries\":%u,\"keys\":%u,\"scale\":%u,\"palette\":%u,\"difference\":%s",
      add_labels (writer, attn_panel_get_row_labels (mark->panel), shown.rows),
      add_labels (writer, attn_panel_get_column_labels (mark->panel), shown.columns),
      add_scale (writer, &mark->scale), add_palette (writer, mark->style),
      cell->is_difference ? "true" : "false");
  append_member (json, "masked",
                 mark->style->has_masked_color ? ATTN_PALETTE_MASKED
                                               : attn_scale_get_index (&mark->scale, 0));
  append_matrix_member (writer, json, "values", mark->panel, &shown);
  append_matrix_member (writer, json, "baseline", has_baseline (cell) ? cell->baseline : NULL,
                        &shown);
  if (cell->cell_names != NULL)
    append_names (json, mark, &shown, cell->cell_names);
  append_place (json, grid, mark->group);
  if (cell->cell_numbers != NULL || cell->cell_intervals != NULL)
    append_cell_numbers (json, mark, &shown, cell);
  if (rescales && cell->rescaling.epsilon > 0)
    append_rescaling (writer, json, mark);
  g_string_append_c (json, '}');
}

/* Counts the numbers of the panel of @mark that are not masked. */
static double
count_visible (const AttnMark *mark)
{
  AttnVisible shown = attn_visible_get (mark);
  double n = 0;

  for (gsize row = shown.rows.first; row < shown.rows.end; row++)
    {
      AttnSpan span = attn_panel_get_visible (mark->panel, row);
      gsize first = MAX (span.first, shown.columns.first);
      gsize end = MIN (span.end, shown.columns.end);

      n += end > first ? (double) (end - first) : 0;
    }
  return n;
}

static gconstpointer
get_data (AttnPanel *panel)
{
  const AttnTensor *values = attn_panel_get_values (panel);

  return values != NULL ? (gconstpointer) values->data : panel;
}

/* Counts the scores of the heads that are not in @counted yet. @n_visible: cells of the panel that
 * are not masked; a head has as many scores unless cells stand for several tokens */
static double
count_scores (const GArray *heads,
              double        n_visible,
              GHashTable   *counted)
{
  double n = 0;

  for (guint i = 0; heads != NULL && i < heads->len; i++)
    {
      const AttnRescaledHead *head = &g_array_index (heads, AttnRescaledHead, i);

      if (g_hash_table_add (counted, head->scores->data))
        n += head->row_of == NULL ? n_visible : (double) attn_tensor_get_n_elements (head->scores);
    }
  return n;
}

/* Counts the numbers of the page that are not masked; a matrix that several panels share counts
 * once. */
static double
count_numbers (const AttnScene *scene,
               gboolean         rescales)
{
  double n = 0;
  g_autoptr (GHashTable) counted = g_hash_table_new (NULL, NULL);

  for (gsize i = 0; i < scene->heatmaps->len; i++)
    {
      const AttnMark *mark = g_ptr_array_index (scene->heatmaps, i);
      const AttnGridCell *cell = &scene->grid->cells[mark->group];
      double n_visible = count_visible (mark);
      guint n_new = g_hash_table_add (counted, (gpointer) get_data (mark->panel));

      if (has_baseline (cell))
        n_new += g_hash_table_add (counted, (gpointer) get_data (cell->baseline));
      if (rescales)
        n += count_scores (cell->rescaling.heads, n_visible, counted) +
             count_scores (cell->rescaling.subtracted, n_visible, counted);
      n += n_new * n_visible;
    }
  return n;
}

static void
append_list (GString    *json,
             const char *name,
             List       *list)
{
  g_string_append_printf (json, ",\n\"%s\":", name);
  g_string_append_len (json, list->json->str, (gssize) list->json->len);
  g_string_append_c (json, ']');
}

/* Appends the numbers of the visible cells, of their baselines, and the scores that ε acts on. The
 * numbers are exact if they take few bytes. If not, they are rounded to 16 bits, and the largest
 * error is stated. Fails if they take too many bytes even so. */
gboolean
attn_page_append_numbers (GString          *json,
                          const AttnScene  *scene,
                          GError          **error)
{
  const AttnGrid *grid = scene->grid;
  const AttnStyle *style = &scene->style;
  /* Scores are left out if the page has so many heads that they would take too many bytes. */
  gboolean rescales = can_rescale (scene) &&
                      count_numbers (scene, TRUE) * BYTES_PER_NUMBER / 2 <= MAX_SCORES_BYTES;
  double n_bytes = count_numbers (scene, rescales) * BYTES_PER_NUMBER;
  g_auto (Writer) writer = { .scene = scene, .is_half = n_bytes > MAX_EXACT_BYTES };
  g_autoptr (GString) panels = g_string_new (NULL);
  g_autofree char *caption = grid->caption != NULL ? attn_markup_to_text (grid->caption) : NULL;

  list_init (&writer.palettes);
  list_init (&writer.scales);
  list_init (&writer.labels);
  list_init (&writer.matrices);
  list_init (&writer.places);
  if (!attn_page_check_size (n_bytes / 2, error))
    return FALSE;
  for (gsize i = 0; i < scene->heatmaps->len; i++)
    {
      if (i > 0)
        g_string_append (panels, ",\n");
      append_panel (&writer, panels, g_ptr_array_index (scene->heatmaps, i), rescales);
    }
  if (!attn_grid_check (scene->grid, error))
    return FALSE;

  g_string_append (json, "{\"version\":1");
  append_member (json, "width", scene->width);
  append_member (json, "height", scene->height);
  append_member (json, "rows", (double) grid->n_rows);
  append_member (json, "columns", (double) grid->n_columns);
  append_member (json, "digits", CLAMP (style->n_digits, 1, 9));
  append_member (json, "error", writer.error);
  append_text_member (json, "caption", caption);
  append_text_member (json, "valueLabel", grid->value_label);
  append_text_member (json, "numberWord", grid->number_word);
  append_text_member (json, "rowTitle", grid->row_title);
  append_text_member (json, "columnTitle", grid->column_title);
  g_autofree char *background =
      style->has_background ? g_strdup_printf ("#%02x%02x%02x", style->background.red,
                                               style->background.green, style->background.blue)
                            : NULL;
  append_text_member (json, "background", background);
  append_list (json, "palettes", &writer.palettes);
  append_list (json, "scales", &writer.scales);
  append_list (json, "labels", &writer.labels);
  append_list (json, "matrices", &writer.matrices);
  append_list (json, "places", &writer.places);
  g_string_append_printf (json, ",\n\"panels\":[%s]}", panels->str);
  return TRUE;
}
