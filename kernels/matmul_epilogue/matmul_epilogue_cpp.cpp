// x times the transposed weight, with bias and GELU on each tile before it leaves the registers.
//
// The innermost work is a tile of ROWS x COLUMNS results: a step along `inner` loads two vectors of
// weights, and multiplies each with a number of every row. 16 results stay in 16 registers, and
// 16 multiply-adds share 2 loads and 8 broadcasts: the arithmetic is the limit, not the loads.
#include <algorithm>
#include <vector>

#include "vector_math.h"

constexpr int64_t ROWS = 8;  // 16 of AVX-512's 32 registers hold results: an AMD EPYC (Zen 5)
constexpr int64_t COLUMNS = 2 * LANES;
constexpr int64_t STEPS = 256;  // of `inner` at once: 32 kB of weights stay in a 48 kB first cache

// Weights of COLUMNS rows side by side, so that a step's are next to each other; 0 beyond the last.
static void pack(
    float* panel, const float* weight, int64_t columns, int64_t inner, int64_t steps) {
    for (int64_t step = 0; step < steps; ++step)
        for (int64_t column = 0; column < COLUMNS; ++column)
            panel[step * COLUMNS + column] = column < columns ? weight[column * inner + step] : 0;
}

static void multiply(
    Vector (&tile)[ROWS][2], const float* const (&x)[ROWS], const float* panel, int64_t steps) {
    for (int64_t step = 0; step < steps; ++step) {
        const Vector left = load(panel + step * COLUMNS);
        const Vector right = load(panel + step * COLUMNS + LANES);
#pragma GCC unroll 8
        for (int64_t row = 0; row < ROWS; ++row) {
            tile[row][0] += x[row][step] * left;
            tile[row][1] += x[row][step] * right;
        }
    }
}

extern "C" void run(
    const float* x, const float* weight, const float* bias, float* out, int64_t rows,
    int64_t inner, int64_t columns) {
#pragma omp parallel
    {
        std::vector<float> panel(STEPS * COLUMNS);
#pragma omp for schedule(dynamic)
        for (int64_t column = 0; column < columns; column += COLUMNS) {
            const int64_t width = std::min(COLUMNS, columns - column);
            for (int64_t start = 0; start < inner; start += STEPS) {
                const int64_t steps = std::min(STEPS, inner - start);
                pack(panel.data(), weight + column * inner + start, width, inner, steps);
                for (int64_t row = 0; row < rows; row += ROWS) {
                    const int64_t height = std::min(ROWS, rows - row);
                    const float* from[ROWS];  // beyond the last row: that row again, not written
                    for (int64_t i = 0; i < ROWS; ++i)
                        from[i] = x + (row + std::min(i, height - 1)) * inner + start;
                    Vector tile[ROWS][2] = {};
                    multiply(tile, from, panel.data(), steps);

                    for (int64_t i = 0; i < height; ++i) {
                        float* to = out + (row + i) * columns + column;
                        const float* found = reinterpret_cast<const float*>(tile[i]);
                        const bool is_first = start == 0, is_last = start + steps == inner;
#pragma omp simd
                        for (int64_t j = 0; j < width; ++j) {
                            const float sum = found[j] + (is_first ? bias[column + j] : to[j]);
                            to[j] = is_last ? fast_gelu(sum) : sum;
                        }
                    }
                }
            }
        }
    }
}
