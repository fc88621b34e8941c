// What several baselines share: functions that a compiler can vectorise, since they do not branch
// and call nothing. (std::exp is a call, so a loop around it runs one number at a time.)
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

// By value: with std::max, which takes references, GCC leaves a loop one number at a time.
inline float larger(float a, float b) { return a > b ? a : b; }

// e^x within 2 units in the last place. Beyond +-88 it is 0 or infinity.
//
// e^x = 2^n * e^r with n = round(x / ln 2): 2^n is made by writing n into the exponent's bits, and
// r is at most 0.35, where a short polynomial is exact enough (Cephes' coefficients).
inline float fast_exp(float x) {
    constexpr float round = 12582912.0f;  // 1.5 * 2^23: adding it leaves no bits for a fraction
    const float shifted = x * 1.44269504f + round;
    const float n = shifted - round;
    const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;  // ln 2 in two parts
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    const int32_t exponent = std::bit_cast<int32_t>(shifted) - std::bit_cast<int32_t>(round);
    const float power = std::bit_cast<float>((exponent + 127) << 23);
    const float value = p * power;
    const float floored = x < -87.0f ? 0.0f : value;
    return x > 88.0f ? std::numeric_limits<float>::infinity() : floored;
}

// GELU by its tanh approximation: (1 + tanh u) / 2 is 1 / (1 + e^-2u), so no tanh is needed. The
// numbers are 2 * sqrt(2 / pi), and that times 0.044715.
inline float fast_gelu(float x) {
    const float twice = x * (1.5957691216f + 0.0713548163f * x * x);
    return x / (1 + fast_exp(-twice));
}

// Sixteen floats as one value: GCC and Clang map it to what the processor has, one register with
// AVX-512, two with AVX2, four with NEON.
constexpr int64_t LANES = 16;
typedef float Vector __attribute__((vector_size(64)));
typedef float Unaligned __attribute__((vector_size(64), aligned(4)));

inline Vector load(const float* from) { return *reinterpret_cast<const Unaligned*>(from); }
inline void store(float* to, Vector value) { *reinterpret_cast<Unaligned*>(to) = value; }

inline float sum_of(Vector value) {
    float sum = 0;
    for (int64_t lane = 0; lane < LANES; ++lane) sum += value[lane];
    return sum;
}
