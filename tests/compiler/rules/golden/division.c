==== aten.div.Scalar_mode
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  const unsigned char t0 = (1.5f) < (0.0f);
  const unsigned char t1 = (1.5f) == (0.0f);
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t2 = x0[i0];
    const float t3 = __builtin_fmodf(t2, (1.5f));
    const float t4 = t2 - t3;
    const float t5 = t4 / (1.5f);
    const unsigned char t6 = t3 != (0.0f);
    const unsigned char t7 = t3 < (0.0f);
    const unsigned char t8 = t7 ^ t0;
    const unsigned char t9 = t6 & t8;
    const float t10 = (float)t9;
    const float t11 = t5 - t10;
    const float t12 = __builtin_floorf(t11);
    const float t13 = t11 - t12;
    const unsigned char t14 = t13 > (0.5f);
    const float t15 = (float)t14;
    const float t16 = t12 + t15;
    const float t17 = t2 / (1.5f);
    const float t18 = __builtin_copysignf((0.0f), t17);
    const unsigned char t19 = t11 == (0.0f);
    const float t20 = t19 ? t18 : t16;
    const float t21 = t1 ? t17 : t20;
    buf0[i0] = t21;
  }
}

==== aten.div.Tensor_mode
void kernel0(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const float t2 = __builtin_fmodf(t0, t1);
    const float t3 = t0 - t2;
    const float t4 = t3 / t1;
    const unsigned char t5 = t2 != (0.0f);
    const unsigned char t6 = t2 < (0.0f);
    const unsigned char t7 = t1 < (0.0f);
    const unsigned char t8 = t6 ^ t7;
    const unsigned char t9 = t5 & t8;
    const float t10 = (float)t9;
    const float t11 = t4 - t10;
    const float t12 = __builtin_floorf(t11);
    const float t13 = t11 - t12;
    const unsigned char t14 = t13 > (0.5f);
    const float t15 = (float)t14;
    const float t16 = t12 + t15;
    const float t17 = t0 / t1;
    const float t18 = __builtin_copysignf((0.0f), t17);
    const unsigned char t19 = t1 == (0.0f);
    const unsigned char t20 = t11 == (0.0f);
    const float t21 = t20 ? t18 : t16;
    const float t22 = t19 ? t17 : t21;
    buf0[i0] = t22;
  }
}

==== aten.floor_divide.default
void kernel0(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const float t2 = __builtin_fmodf(t0, t1);
    const float t3 = t0 - t2;
    const float t4 = t3 / t1;
    const unsigned char t5 = t2 != (0.0f);
    const unsigned char t6 = t2 < (0.0f);
    const unsigned char t7 = t1 < (0.0f);
    const unsigned char t8 = t6 ^ t7;
    const unsigned char t9 = t5 & t8;
    const float t10 = (float)t9;
    const float t11 = t4 - t10;
    const float t12 = __builtin_floorf(t11);
    const float t13 = t11 - t12;
    const unsigned char t14 = t13 > (0.5f);
    const float t15 = (float)t14;
    const float t16 = t12 + t15;
    const float t17 = t0 / t1;
    const float t18 = __builtin_copysignf((0.0f), t17);
    const unsigned char t19 = t1 == (0.0f);
    const unsigned char t20 = t11 == (0.0f);
    const float t21 = t20 ? t18 : t16;
    const float t22 = t19 ? t17 : t21;
    buf0[i0] = t22;
  }
}

==== aten.fmod.Scalar
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = __builtin_fmodf(t0, (1.5f));
    buf0[i0] = t1;
  }
}

==== aten.fmod.Tensor
void kernel0(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const float t2 = __builtin_fmodf(t0, t1);
    buf0[i0] = t2;
  }
}

==== aten.remainder.Scalar
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = remainder_off(t0, (1.5f));
    buf0[i0] = t1;
  }
}

==== aten.remainder.Tensor
void kernel0(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const float t2 = remainder_off(t0, t1);
    buf0[i0] = t2;
  }
}
