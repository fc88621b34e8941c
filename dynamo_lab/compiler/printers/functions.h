/* Functions of floats as polynomials, for where the C library has none for vectors.

   Each is straight-line code, which a C compiler makes vector code of. They hold to a few units in the
   last place (tests/compiler/test_functions.py measures them against float64), infinities, NaN and
   subnormal numbers included. Doubles, and functions that are not here, are the C library's.

   The polynomials are those of Cephes (expf, logf, tanhf), of FreeBSD's msun (sinf, cosf) and of
   N. Juffa's erff. A large angle is reduced as Payne and Hanek do it: of its product with 2 / pi only
   the bits around the point matter, so the mantissa is multiplied by a window of 2 / pi. */
typedef union { float f; int i; } own_bits;
static inline float own_from(int i) { own_bits b; b.i = i; return b.f; }
static inline int own_to(float f) { own_bits b; b.f = f; return b.i; }
static inline float own_scaled(float x, int n) {  /* x * 2^n, for subnormal results too */
  int half = n >> 1;
  return x * own_from((half + 127) << 23) * own_from((n - half + 127) << 23);
}
static inline float own_expm1_of_rest(float r) {  /* |r| <= ln 2 / 2 */
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f; p = p * r + 8.3334519073e-3f; p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f; p = p * r + 5.0000001201e-1f;
  return p * r * r + r;
}
static inline float own_clipped(float x, float low, float high) {
  x = x < low ? low : x; return x > high ? high : x;
}
static inline float own_expf(float x) {
  float in = own_clipped(x, -110.0f, 100.0f), n = __builtin_rintf(in * 1.44269504f);
  float r = in - n * 0.693145751953125f - n * 1.42860677e-6f;
  return own_scaled(own_expm1_of_rest(r) + 1.0f, x == x ? (int)n : 0);
}
static inline float own_exp2f(float x) {
  float in = own_clipped(x, -160.0f, 140.0f), n = __builtin_rintf(in);
  return own_scaled(own_expm1_of_rest((in - n) * 0.693147181f) + 1.0f, x == x ? (int)n : 0);
}
static inline float own_expm1f(float x) {
  float in = own_clipped(x, -30.0f, 100.0f), n = __builtin_rintf(in * 1.44269504f);
  float r = in - n * 0.693145751953125f - n * 1.42860677e-6f;
  int k = x == x ? (int)n : 0, up = k > 64 ? 64 : k;
  float made = own_scaled(own_expm1_of_rest(r) + (1.0f - own_from((127 - up) << 23)), k);
  return x == 0 ? x : made;
}
static inline float own_log_parts(float x, float* exponent) {  /* of a mantissa around 1 */
  int tiny = x < 1.17549435e-38f;
  int bits = own_to(tiny ? x * 8388608.0f : x), above = bits - 0x3f3504f3;
  *exponent = (float)((above >> 23) - (tiny ? 23 : 0));
  float m = own_from((above & 0x7fffff) + 0x3f3504f3) - 1.0f, z = m * m;
  float p = 7.0376836292e-2f;
  p = p * m - 1.1514610310e-1f; p = p * m + 1.1676998740e-1f; p = p * m - 1.2420140846e-1f;
  p = p * m + 1.4249322787e-1f; p = p * m - 1.6668057665e-1f; p = p * m + 2.0000714765e-1f;
  p = p * m - 2.4999993993e-1f; p = p * m + 3.3333331174e-1f;
  return m + (p * m * z - 0.5f * z);
}
static inline float own_log_ends(float x, float made) {
  made = x == __builtin_inff() ? x : made;
  made = x == 0 ? -__builtin_inff() : made;
  return x < 0 || x != x ? __builtin_nanf("") : made;
}
static inline float own_logf(float x) {
  float e, m = own_log_parts(x, &e);
  return own_log_ends(x, (m + e * -2.12194440e-4f) + e * 0.693359375f);
}
static inline float own_log2f(float x) {
  float e, m = own_log_parts(x, &e);
  return own_log_ends(x, e + m * 1.44269504f);
}
static inline float own_log10f(float x) {
  float e, m = own_log_parts(x, &e);
  return own_log_ends(x, (m * 0.434294482f + e * 7.9034151e-7f) + e * 0.301029205f);
}
static inline float own_log1pf(float x) {  /* what rounding 1 + x lost is put back */
  float u = 1.0f + x, made = own_logf(u) * (x / (u - 1.0f));
  made = u == 1.0f ? x : made;
  return u == 0.0f || u == __builtin_inff() ? own_logf(u) : made;
}
static inline unsigned own_word(int at) {  /* 32 bits of 2 / pi, of those that a float needs */
  unsigned w = at == 1 ? 0x28be60dbu : 0u;
  w = at == 2 ? 0x9391054au : w; w = at == 3 ? 0x7f09d5f4u : w; w = at == 4 ? 0x7d4d3770u : w;
  w = at == 5 ? 0x36d8a566u : w; w = at == 6 ? 0x4f10e410u : w; return w;
}
static inline unsigned own_window(int at, int e) {  /* two shifts: one of 32 has no meaning */
  return (own_word(at) << e) | (own_word(at + 1) >> 1 >> (31 - e));
}
static inline double own_turned(float x, int* quarter) {  /* x less quarter turns */
  int bits = own_to(x) & 0x7fffffff, above = (bits >> 23) - 126, is_large = bits >= 0x4b800000;
  /* a large one: the bits of x * 2 / pi around its point, of the mantissa times a window */
  unsigned m = ((unsigned)bits << 8) | 0x80000000u;
  int e = is_large ? above : 24, at = e >> 5, left = e & 31;
  unsigned long p = (unsigned long)m * own_window(at + 2, left) >> 32;
  p += (unsigned long)m * own_window(at + 1, left);
  p += (unsigned long)(m * own_window(at, left)) << 32;
  int q = (int)(p >> 62) + (int)(p >> 61 & 1);
  int upper = (int)((unsigned)(p >> 32) << 2) >> 2; unsigned lower = (unsigned)p;
  double d = upper * 4294967296.0 + ((int)(lower >> 1) * 2.0 + (int)(lower & 1));
  d *= 3.4061215800304626e-19;  /* 2^-62 pi / 2 */
  double n = __builtin_rint(x * 0.63661977236758134308);
  double r = (x - n * 1.57079631090164184570) - n * 1.58932547735281966916e-8;
  int whole = is_large ? (x < 0 ? -q : q) : (int)(is_large ? 0 : n);
  *quarter = bits < 0x7f800000 ? whole : 0;
  return bits >= 0x7f800000 ? __builtin_nan("") : is_large ? (x < 0 ? -d : d) : r;
}
static inline float own_sine(double r, int quarter) {
  double z = r * r;
  double s = 0.0000027183114939898219064 * z - 0.000198393348360966317347;
  s = s * z + 0.0083333293858894631756; s = s * z - 0.166666666416265235595;
  double c = 0.0000243904487962774090654 * z - 0.00138867637746099294692;
  c = c * z + 0.0416666233237390631894; c = c * z - 0.499999997251031003120;
  double made = quarter & 1 ? c * z + 1.0 : s * z * r + r;
  return (float)(quarter & 2 ? -made : made);
}
static inline float own_sinf(float x) {
  int quarter; double r = own_turned(x, &quarter); return x == 0 ? x : own_sine(r, quarter);
}
static inline float own_cosf(float x) {
  int quarter; double r = own_turned(x, &quarter); return own_sine(r, quarter + 1);
}
static inline float own_tanhf(float x) {
  float t = __builtin_fabsf(x), z = x * x, p = -5.70498872745e-3f;
  p = p * z + 2.06390887954e-2f; p = p * z - 5.37397155531e-2f; p = p * z + 1.33314422036e-1f;
  p = p * z - 3.33332819422e-1f;
  float large = 1.0f - 2.0f / (own_expf(2.0f * t) + 1.0f);
  float made = t < 0.625f ? p * z * x + x : __builtin_copysignf(large, x);
  return x == 0 ? x : made;
}
static inline float own_erff(float x) {
  float t = __builtin_fabsf(x), s = x * x;
  float r = -1.72853470e-5f * t + 3.83197126e-4f, u = -3.88396438e-3f * t + 2.42546219e-2f;
  r = r * s + u; r = r * t - 1.06777877e-1f; r = r * t - 6.34846687e-1f;
  r = r * t - 1.28717512e-1f; r = r * t - t;
  float large = t > 4.0f ? 1.0f : 1.0f - own_expf(r);
  float p = -5.96761703e-4f;
  p = p * s + 4.99119423e-3f; p = p * s - 2.67681349e-2f; p = p * s + 1.12819925e-1f;
  p = p * s - 3.76125336e-1f; p = p * s + 1.28379166e-1f;
  float made = t > 0.927734375f ? __builtin_copysignf(large, x) : p * x + x;
  return x != x ? x : made;
}

/* Each in place of the C library's. */
#define expf own_expf
#define exp2f own_exp2f
#define expm1f own_expm1f
#define logf own_logf
#define log2f own_log2f
#define log10f own_log10f
#define log1pf own_log1pf
#define sinf own_sinf
#define cosf own_cosf
#define tanhf own_tanhf
#define erff own_erff
