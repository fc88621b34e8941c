// Dropout, residual and layer norm of each row. What is added is written once, and is still in the
// first cache when it is normalised.
#include <cmath>

#include "vector_math.h"

extern "C" void run(
    const float* x, const float* residual, const bool* keep, const float* weight,
    const float* bias, float* out, float* total, int64_t rows, int64_t columns, float dropped) {
    const float rescale = 1 / (1 - dropped);
#pragma omp parallel for
    for (int64_t row = 0; row < rows; ++row) {
        const int64_t start = row * columns;
        float* added = total + start;

        // a product, not a branch: which elements are kept cannot be foreseen
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t i = 0; i < columns; ++i) {
            added[i] = residual[start + i] + x[start + i] * (keep[start + i] * rescale);
            sum += added[i];
        }
        const float mean = sum / columns;

        float squares = 0;
#pragma omp simd reduction(+ : squares)
        for (int64_t i = 0; i < columns; ++i) squares += (added[i] - mean) * (added[i] - mean);
        const float scale = 1 / std::sqrt(squares / columns + 1e-5f);

#pragma omp simd
        for (int64_t i = 0; i < columns; ++i)
            out[start + i] = (added[i] - mean) * scale * weight[i] + bias[i];
    }
}
