// A matrix product with weights of 8 bits: 16 of them become floats in one register on their way to
// the product, so that memory gives a quarter of the bytes.
#include <algorithm>

#include "vector_math.h"

constexpr int64_t TOKENS = 4, COLUMNS = 4;  // 16 of AVX-512's 32 registers: an AMD EPYC (Zen 5)

typedef int8_t Bytes __attribute__((vector_size(16), aligned(1)));

// TOKENS x COLUMNS dot products at once: what is loaded or widened serves four of them.
static void multiply(
    float (&sums)[TOKENS][COLUMNS], const float* const (&x)[TOKENS],
    const int8_t* const (&weight)[COLUMNS], int64_t inner) {
    Vector tile[TOKENS][COLUMNS] = {};
    int64_t i = 0;
    for (; i + LANES <= inner; i += LANES) {
        Vector wide[COLUMNS];
#pragma GCC unroll 4
        for (int64_t c = 0; c < COLUMNS; ++c)
            wide[c] = __builtin_convertvector(
                *reinterpret_cast<const Bytes*>(weight[c] + i), Vector);
#pragma GCC unroll 4
        for (int64_t t = 0; t < TOKENS; ++t) {
            const Vector values = load(x[t] + i);
#pragma GCC unroll 4
            for (int64_t c = 0; c < COLUMNS; ++c) tile[t][c] += values * wide[c];
        }
    }
    for (int64_t t = 0; t < TOKENS; ++t)
        for (int64_t c = 0; c < COLUMNS; ++c) {
            sums[t][c] = sum_of(tile[t][c]);
            for (int64_t rest = i; rest < inner; ++rest)
                sums[t][c] += x[t][rest] * weight[c][rest];
        }
}

extern "C" void run(
    const float* x, const int8_t* weight, const float* scale, float* out, int64_t tokens,
    int64_t inner, int64_t columns) {
#pragma omp parallel for
    for (int64_t column = 0; column < columns; column += COLUMNS) {
        const int64_t width = std::min(COLUMNS, columns - column);
        const int8_t* rows[COLUMNS];  // beyond the last: the last again, not written
        for (int64_t c = 0; c < COLUMNS; ++c)
            rows[c] = weight + (column + std::min(c, width - 1)) * inner;
        for (int64_t token = 0; token < tokens; token += TOKENS) {
            const int64_t height = std::min(TOKENS, tokens - token);
            const float* from[TOKENS];
            for (int64_t t = 0; t < TOKENS; ++t)
                from[t] = x + (token + std::min(t, height - 1)) * inner;
            float sums[TOKENS][COLUMNS];
            multiply(sums, from, rows, inner);
            for (int64_t t = 0; t < height; ++t)
                for (int64_t c = 0; c < width; ++c)
                    out[(token + t) * columns + column + c] = sums[t][c] * scale[column + c];
        }
    }
}
