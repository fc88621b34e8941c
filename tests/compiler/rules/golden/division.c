==== aten.div.Scalar_mode
void kernel_of_this_file(const float* restrict x0, float* restrict buf0, int threads) {
  const unsigned char t3 = (1.5f) < (0.0f);
  const unsigned char t4 = (1.5f) == (0.0f);
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t5 = x0[i0];
    const float t6 = __builtin_fmodf(t5, (1.5f));
    const float t7 = t5 - t6;
    const float t8 = t7 / (1.5f);
    const unsigned char t9 = t6 != (0.0f);
    const unsigned char t10 = t6 < (0.0f);
    const unsigned char t11 = t10 ^ t3;
    const unsigned char t12 = t9 & t11;
    const float t13 = (float)t12;
    const float t14 = t8 - t13;
    const float t15 = __builtin_floorf(t14);
    const float t16 = t14 - t15;
    const unsigned char t17 = t16 > (0.5f);
    const float t18 = (float)t17;
    const float t19 = t15 + t18;
    const float t20 = t5 / (1.5f);
    const float t21 = __builtin_copysignf((0.0f), t20);
    const unsigned char t22 = t14 == (0.0f);
    const float t23 = t22 ? t21 : t19;
    const float t24 = t4 ? t20 : t23;
    buf0[i0] = t24;
  }
}

==== aten.div.Tensor_mode
void kernel_of_this_file(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t2 = x0[i0];
    const float t3 = x1[i0];
    const float t4 = __builtin_fmodf(t2, t3);
    const float t5 = t2 - t4;
    const float t6 = t5 / t3;
    const unsigned char t7 = t4 != (0.0f);
    const unsigned char t8 = t4 < (0.0f);
    const unsigned char t9 = t3 < (0.0f);
    const unsigned char t10 = t8 ^ t9;
    const unsigned char t11 = t7 & t10;
    const float t12 = (float)t11;
    const float t13 = t6 - t12;
    const float t14 = __builtin_floorf(t13);
    const float t15 = t13 - t14;
    const unsigned char t16 = t15 > (0.5f);
    const float t17 = (float)t16;
    const float t18 = t14 + t17;
    const float t19 = t2 / t3;
    const float t20 = __builtin_copysignf((0.0f), t19);
    const unsigned char t21 = t3 == (0.0f);
    const unsigned char t22 = t13 == (0.0f);
    const float t23 = t22 ? t20 : t18;
    const float t24 = t21 ? t19 : t23;
    buf0[i0] = t24;
  }
}

==== aten.floor_divide.default
void kernel_of_this_file(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t2 = x0[i0];
    const float t3 = x1[i0];
    const float t4 = __builtin_fmodf(t2, t3);
    const float t5 = t2 - t4;
    const float t6 = t5 / t3;
    const unsigned char t7 = t4 != (0.0f);
    const unsigned char t8 = t4 < (0.0f);
    const unsigned char t9 = t3 < (0.0f);
    const unsigned char t10 = t8 ^ t9;
    const unsigned char t11 = t7 & t10;
    const float t12 = (float)t11;
    const float t13 = t6 - t12;
    const float t14 = __builtin_floorf(t13);
    const float t15 = t13 - t14;
    const unsigned char t16 = t15 > (0.5f);
    const float t17 = (float)t16;
    const float t18 = t14 + t17;
    const float t19 = t2 / t3;
    const float t20 = __builtin_copysignf((0.0f), t19);
    const unsigned char t21 = t3 == (0.0f);
    const unsigned char t22 = t13 == (0.0f);
    const float t23 = t22 ? t20 : t18;
    const float t24 = t21 ? t19 : t23;
    buf0[i0] = t24;
  }
}

==== aten.remainder.Scalar
void kernel_of_this_file(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t1 = x0[i0];
    const float t2 = remainder_off(t1, (1.5f));
    buf0[i0] = t2;
  }
}

==== aten.remainder.Tensor
void kernel_of_this_file(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const float t2 = remainder_off(t0, t1);
    buf0[i0] = t2;
  }
}
