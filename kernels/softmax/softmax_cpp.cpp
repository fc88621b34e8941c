// Softmax of each row. A row of some thousand numbers stays in the first cache, so only its first
// reading and its last writing reach memory: the three passes cost little more than one.
#include "vector_math.h"

extern "C" void run(const float* x, float* out, int64_t rows, int64_t columns) {
#pragma omp parallel for
    for (int64_t row = 0; row < rows; ++row) {
        const float* from = x + row * columns;
        float* to = out + row * columns;

        // the largest exponent becomes 0, so that no exponential overflows
        float largest = -std::numeric_limits<float>::infinity();
#pragma omp simd reduction(max : largest)
        for (int64_t i = 0; i < columns; ++i) largest = larger(from[i], largest);

        // exponentials cost most: each is kept, not worked out again
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t i = 0; i < columns; ++i) {
            to[i] = fast_exp(from[i] - largest);
            sum += to[i];
        }

        const float scale = 1 / sum;  // one division a row, not one a number
#pragma omp simd
        for (int64_t i = 0; i < columns; ++i) to[i] *= scale;
    }
}
