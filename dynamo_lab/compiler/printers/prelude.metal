// What stands before the kernels of a Metal library. To be compiled with fast math off: it removes
// tests for NaN.
#include <metal_stdlib>
using namespace metal;

template <typename T> inline T larger(T a, T b) { return a > b || a != a ? a : b; }
template <typename T> inline T smaller(T a, T b) { return a < b || a != a ? a : b; }

// The remainder with the divisor's sign, of one with the dividend's.
template <typename T> inline T signed_as(T rest, T divisor) {
  return rest != 0 && (rest < 0) != (divisor < 0) ? T(rest + divisor) : rest;
}
inline float remainder_of(float a, float b) { return signed_as(fmod(a, b), b); }
template <typename T> inline T remainder_of_integers(T a, T b) { return signed_as(T(a % b), b); }

template <typename T> inline T shift_left(T a, T b) {
  return b >= 0 && b < T(sizeof(T) * 8) ? T(a << b) : T(0);
}
template <typename T> inline T shift_right(T a, T b) {
  return b >= 0 && b < T(sizeof(T) * 8) ? T(a >> b) : T(a < 0 ? -1 : 0);
}

// Series near 0, where a difference would cancel.
inline float expm1_of(float x) {
  if (!(fabs(x) < 0.5f)) return exp(x) - 1;
  float sum = 1;
  for (int n = 10; n > 1; --n) sum = 1 + x / n * sum;
  return x * sum;
}
inline float log1p_of(float x) {
  if (!(fabs(x) < 0.5f)) return log(1 + x);
  const float s = x / (2 + x), square = s * s;
  float sum = 0;
  for (int n = 15; n > 0; n -= 2) sum = sum * square + 1.0f / n;
  return 2 * s * sum;
}
// A fraction of 1.2e-7 from the true value: Press et al., Numerical Recipes in C, 6.2.
inline float erfc_of(float x) {
  const float z = fabs(x), t = 1 / (1 + 0.5f * z);
  float p = 0.17087277f;
  p = p * t - 0.82215223f;
  p = p * t + 1.48851587f;
  p = p * t - 1.13520398f;
  p = p * t + 0.27886807f;
  p = p * t - 0.18628806f;
  p = p * t + 0.09678418f;
  p = p * t + 0.37409196f;
  p = p * t + 1.00002368f;
  p = p * t - 1.26551223f;
  const float found = t * exp(p - z * z);
  return x < 0 ? 2 - found : found;
}
inline float erf_of(float x) {
  if (!(fabs(x) < 0.92f)) return 1 - erfc_of(x);
  const float square = x * x;
  float sum = 0;
  for (int n = 12; n > 0; --n) sum = -square / n * (sum + 1.0f / (2 * n + 1));
  return 1.12837917f * x * (1 + sum);
}
// Without squares that are too large or too small for a float.
inline float hypot_of(float a, float b) {
  const float most = max(fabs(a), fabs(b)), least = min(fabs(a), fabs(b));
  if (most == 0 || most == INFINITY) return most;
  const float share = least / most;
  return a + b != a + b ? NAN : most * sqrt(1 + share * share);
}

// What the lane has whose number differs in one bit; the functions of simdgroups know no long.
template <typename T> inline T crossed(T x, ushort bit) {
  return T(simd_shuffle_xor(int(x), bit));
}
inline float crossed(float x, ushort bit) { return simd_shuffle_xor(x, bit); }
inline long crossed(long x, ushort bit) {
  return as_type<long>(simd_shuffle_xor(as_type<uint2>(x), bit));
}
template <typename T> inline T sum_of_lanes(T x) {
  for (ushort bit = 16; bit > 0; bit /= 2) x = T(x + crossed(x, bit));
  return x;
}
template <typename T> inline T prod_of_lanes(T x) {
  for (ushort bit = 16; bit > 0; bit /= 2) x = T(x * crossed(x, bit));
  return x;
}
template <typename T> inline T max_of_lanes(T x) {
  for (ushort bit = 16; bit > 0; bit /= 2) x = larger(x, crossed(x, bit));
  return x;
}
template <typename T> inline T min_of_lanes(T x) {
  for (ushort bit = 16; bit > 0; bit /= 2) x = smaller(x, crossed(x, bit));
  return x;
}

// An index that counts from the end if it is negative; beyond, the flag is set.
inline long checked(long at, long size, device int* out_of_range) {
  at = at < 0 ? at + size : at;
  if (at >= 0 && at < size) return at;
  *out_of_range = 1;
  return 0;
}
