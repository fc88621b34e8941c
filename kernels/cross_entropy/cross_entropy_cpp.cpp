// Cross-entropy of each row in one reading: a vocabulary does not fit the first cache, a piece does.
#include <algorithm>
#include <cmath>

#include "vector_math.h"

constexpr int64_t PIECE = 4096;  // 16 kB, chosen on an AMD EPYC (Zen 5, first cache 48 kB)

// log(sum of e^x): each piece is read for its maximum, then from the cache for its sum. Where a
// piece holds a larger value than those before, their sum shrinks: once a piece, not once a number.
static float log_sum_exp(const float* x, int64_t count) {
    float largest = -std::numeric_limits<float>::infinity();
    float sum = 0;
    for (int64_t start = 0; start < count; start += PIECE) {
        const float* piece = x + start;
        const int64_t length = std::min(PIECE, count - start);

        float top = largest;
#pragma omp simd reduction(max : top)
        for (int64_t i = 0; i < length; ++i) top = larger(piece[i], top);

        float part = 0;
#pragma omp simd reduction(+ : part)
        for (int64_t i = 0; i < length; ++i) part += fast_exp(piece[i] - top);

        sum = sum * fast_exp(largest - top) + part;
        largest = top;
    }
    return largest + std::log(sum);
}

extern "C" void run(
    const float* logits, const int64_t* targets, float* losses, float* out, int64_t rows,
    int64_t columns) {
#pragma omp parallel for
    for (int64_t row = 0; row < rows; ++row) {
        const float* x = logits + row * columns;
        losses[row] = log_sum_exp(x, columns) - x[targets[row]];
    }
    // added in one order, so that the result does not depend on the number of threads
    double sum = 0;
    for (int64_t row = 0; row < rows; ++row) sum += losses[row];
    *out = static_cast<float>(sum / rows);
}
