// Layer norm of each row: three passes, of which only the first reads memory; the row is in the
// first cache by then.
#include <cmath>

#include "vector_math.h"

extern "C" void run(
    const float* x, const float* weight, const float* bias, float* out, int64_t rows,
    int64_t columns) {
#pragma omp parallel for
    for (int64_t row = 0; row < rows; ++row) {
        const float* from = x + row * columns;
        float* to = out + row * columns;

        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t i = 0; i < columns; ++i) sum += from[i];
        const float mean = sum / columns;

        // the mean of (x - mean)^2: E[x^2] - mean^2 cancels where the mean is large
        float squares = 0;
#pragma omp simd reduction(+ : squares)
        for (int64_t i = 0; i < columns; ++i) squares += (from[i] - mean) * (from[i] - mean);
        const float scale = 1 / std::sqrt(squares / columns + 1e-5f);

#pragma omp simd
        for (int64_t i = 0; i < columns; ++i)
            to[i] = (from[i] - mean) * scale * weight[i] + bias[i];
    }
}
