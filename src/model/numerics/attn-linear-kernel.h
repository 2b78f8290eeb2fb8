/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Products of few rows in registers of one width. Included once for each width, with
 *
 * - KERNEL(name): what a function of that width is called,
 * - KERNEL_TARGET: the processors that it is for,
 * - KERNEL_LANES: floats of a register, at least 4,
 * - KERNEL_ROWS: rows at a time: twice as many registers hold their sums, and some are left.
 */

#define KERNEL_INLINE static inline __attribute__ ((always_inline)) KERNEL_TARGET
#define LANES         KERNEL (Lanes)
#define LOAD          KERNEL (load)

typedef float LANES __attribute__ ((vector_size (KERNEL_LANES * sizeof (float))));

KERNEL_INLINE LANES
LOAD (const float *from)
{
  LANES lanes;

  memcpy (&lanes, from, sizeof lanes);
  return lanes;
}

/* Adds the dot products of some rows of @x with up to 4 rows of @weight to @c; the products after
 * the last whole register come last. */
KERNEL_INLINE void
KERNEL (add_dots) (const float *x,
                   gsize        x_stride,
                   const gsize  n_rows,
                   const float *weight,
                   gsize        weight_stride,
                   const gsize  n_columns,
                   gsize        n_in,
                   float       *c,
                   gsize        c_stride)
{
  LANES sums[KERNEL_ROWS / 2][4] = { 0 };
  gsize n_whole = n_in / KERNEL_LANES * KERNEL_LANES;

  for (gsize i = 0; i < n_whole; i += KERNEL_LANES)
    {
      LANES factors[4];

#pragma GCC unroll 4
      for (gsize column = 0; column < n_columns; column++)
        factors[column] = LOAD (weight + column * weight_stride + i);
#pragma GCC unroll 4
      for (gsize row = 0; row < n_rows; row++)
        {
          LANES lanes = LOAD (x + row * x_stride + i);

#pragma GCC unroll 4
          for (gsize column = 0; column < n_columns; column++)
            sums[row][column] += lanes * factors[column];
        }
    }
  /* Sums are stored to memory first: unrolled, the loops that add them would take registers from
   * the loop of products. */
  for (gsize row = 0; row < n_rows; row++)
    for (gsize column = 0; column < n_columns; column++)
      {
        float lanes[KERNEL_LANES];
        float sum;

        memcpy (lanes, &sums[row][column], sizeof lanes);
#pragma GCC unroll 1
        for (gsize width = KERNEL_LANES / 2; width >= 4; width /= 2)
          for (gsize i = 0; i < width; i++)
            lanes[i] += lanes[i + width];
        sum = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
        for (gsize i = n_whole; i < n_in; i++)
          sum += x[row * x_stride + i] * weight[column * weight_stride + i];
        c[row * c_stride + column] += sum;
      }
}

/* Multiplies by weights [n_columns, n_in]: an AttnMultiplyFunc. */
KERNEL_TARGET static void
KERNEL (multiply_rows) (const float *x,
                        gsize        x_stride,
                        gsize        n_rows,
                        const float *weight,
                        gsize        weight_stride,
                        gsize        n_columns,
                        gsize        n_in,
                        float       *c,
                        gsize        c_stride)
{
  gsize column = 0;

  for (; column + 4 <= n_columns; column += 4, weight += 4 * weight_stride, c += 4)
    {
      gsize row = 0;

      for (; row + KERNEL_ROWS / 2 <= n_rows; row += KERNEL_ROWS / 2)
        KERNEL (add_dots) (x + row * x_stride, x_stride, KERNEL_ROWS / 2, weight, weight_stride, 4,
                           n_in, c + row * c_stride, c_stride);
      for (; row < n_rows; row++)
        KERNEL (add_dots) (x + row * x_stride, x_stride, 1, weight, weight_stride, 4, n_in,
                           c + row * c_stride, c_stride);
    }
  for (; column < n_columns; column++, weight += weight_stride, c++)
    for (gsize row = 0; row < n_rows; row++)
      KERNEL (add_dots) (x + row * x_stride, x_stride, 1, weight, weight_stride, 1, n_in,
                         c + row * c_stride, c_stride);
}

/* Adds the products of some rows of @x and the first two registers of each row of @weight to @c:
 * number i of a row of @x times row i of @weight. */
KERNEL_INLINE void
KERNEL (add_multiples) (const float *x,
                        gsize        x_stride,
                        const gsize  n_rows,
                        const float *weight,
                        gsize        weight_stride,
                        gsize        n_in,
                        float       *c,
                        gsize        c_stride)
{
  LANES sums[KERNEL_ROWS][2];

#pragma GCC unroll 8
  for (gsize row = 0; row < n_rows; row++)
    {
      sums[row][0] = LOAD (c + row * c_stride);
      sums[row][1] = LOAD (c + row * c_stride + KERNEL_LANES);
    }
  for (gsize i = 0; i < n_in; i++)
    {
      LANES left = LOAD (weight + i * weight_stride);
      LANES right = LOAD (weight + i * weight_stride + KERNEL_LANES);

#pragma GCC unroll 8
      for (gsize row = 0; row < n_rows; row++)
        {
          sums[row][0] += x[row * x_stride + i] * left;
          sums[row][1] += x[row * x_stride + i] * right;
        }
    }
#pragma GCC unroll 8
  for (gsize row = 0; row < n_rows; row++)
    memcpy (c + row * c_stride, sums[row], sizeof sums[row]);
}

/* Multiplies by weights [n_in, n_columns]: an AttnMultiplyFunc. */
KERNEL_TARGET static void
KERNEL (multiply_columns) (const float *x,
                           gsize        x_stride,
                           gsize        n_rows,
                           const float *weight,
                           gsize        weight_stride,
                           gsize        n_columns,
                           gsize        n_in,
                           float       *c,
                           gsize        c_stride)
{
  for (gsize column = 0; column < n_columns; column += 2 * KERNEL_LANES)
    {
      gsize row = 0;

      for (; row + KERNEL_ROWS <= n_rows; row += KERNEL_ROWS)
        KERNEL (add_multiples) (x + row * x_stride, x_stride, KERNEL_ROWS, weight + column,
                                weight_stride, n_in, c + row * c_stride + column, c_stride);
      for (; row < n_rows; row++)
        KERNEL (add_multiples) (x + row * x_stride, x_stride, 1, weight + column, weight_stride,
                                n_in, c + row * c_stride + column, c_stride);
    }
}

#undef LOAD
#undef LANES
#undef KERNEL_INLINE
#undef KERNEL
#undef KERNEL_TARGET
#undef KERNEL_LANES
#undef KERNEL_ROWS
