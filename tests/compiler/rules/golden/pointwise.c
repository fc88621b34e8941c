==== aten._to_copy.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 6; i0++) {
    const float t0 = x0[i0];
    buf0[i0] = t0;
  }
}

==== aten.abs.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = __builtin_fabsf(t0);
    buf0[i0] = t1;
  }
}

==== aten.acos.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = acosf(t0);
    buf0[i0] = t1;
  }
}

==== aten.acosh.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = acoshf(t0);
    buf0[i0] = t1;
  }
}

==== aten.add.Scalar
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = t0 + (1.5f);
    buf0[i0] = t1;
  }
}

==== aten.add.Tensor
void kernel0(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const float t2 = t0 + t1;
    buf0[i0] = t2;
  }
}

==== aten.addcdiv.default
void kernel0(const float* restrict x0, const float* restrict x1, const float* restrict x2, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const float t2 = x2[i0];
    const float t3 = t1 / t2;
    const float t4 = t3 * (1.0f);
    const float t5 = t0 + t4;
    buf0[i0] = t5;
  }
}

==== aten.addcmul.default
void kernel0(const float* restrict x0, const float* restrict x1, const float* restrict x2, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const float t2 = x2[i0];
    const float t3 = t1 * t2;
    const float t4 = t3 * (1.0f);
    const float t5 = t0 + t4;
    buf0[i0] = t5;
  }
}

==== aten.angle.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const unsigned char t1 = t0 < (0.0f);
    const float t2 = t1 ? (3.141592653589793f) : (0.0f);
    const unsigned char t3 = t0 != t0;
    const float t4 = t3 ? t0 : t2;
    buf0[i0] = t4;
  }
}

==== aten.arange.start_step
void kernel0(float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 3; i0++) {
    const long t0 = 2*i0;
    const float t1 = (float)t0;
    buf0[i0] = t1;
  }
}

==== aten.asin.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = asinf(t0);
    buf0[i0] = t1;
  }
}

==== aten.asinh.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = asinhf(t0);
    buf0[i0] = t1;
  }
}

==== aten.atan.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = atanf(t0);
    buf0[i0] = t1;
  }
}

==== aten.atan2.default
void kernel0(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const float t2 = atan2f(t0, t1);
    buf0[i0] = t2;
  }
}

==== aten.atanh.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = atanhf(t0);
    buf0[i0] = t1;
  }
}

==== aten.bitwise_and.Scalar
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = t0 & (1.5f);
    buf0[i0] = t1;
  }
}

==== aten.bitwise_and.Tensor
void kernel0(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const float t2 = t0 & t1;
    buf0[i0] = t2;
  }
}

==== aten.bitwise_left_shift.Tensor
void kernel0(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const float t2 = SHL(float, t0, t1);
    buf0[i0] = t2;
  }
}

==== aten.bitwise_left_shift.Tensor_Scalar
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = SHL(float, t0, (1.5f));
    buf0[i0] = t1;
  }
}

==== aten.bitwise_not.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = ~t0;
    buf0[i0] = t1;
  }
}

==== aten.bitwise_or.Scalar
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = t0 | (1.5f);
    buf0[i0] = t1;
  }
}

==== aten.bitwise_or.Tensor
void kernel0(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const float t2 = t0 | t1;
    buf0[i0] = t2;
  }
}

==== aten.bitwise_right_shift.Tensor
void kernel0(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const float t2 = SHR(float, t0, t1);
    buf0[i0] = t2;
  }
}

==== aten.bitwise_right_shift.Tensor_Scalar
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = SHR(float, t0, (1.5f));
    buf0[i0] = t1;
  }
}

==== aten.bitwise_xor.Scalar
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = t0 ^ (1.5f);
    buf0[i0] = t1;
  }
}

==== aten.bitwise_xor.Tensor
void kernel0(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const float t2 = t0 ^ t1;
    buf0[i0] = t2;
  }
}

==== aten.ceil.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = __builtin_ceilf(t0);
    buf0[i0] = t1;
  }
}

==== aten.clamp.Tensor
void kernel0(const float* restrict x0, const float* restrict x1, const float* restrict x2, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const float t2 = x2[i0];
    const float t3 = MAXN(t0, t1);
    const float t4 = MINN(t3, t2);
    buf0[i0] = t4;
  }
}

==== aten.clamp.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = MAXN(t0, (0.5f));
    const float t2 = MINN(t1, (2.0f));
    buf0[i0] = t2;
  }
}

==== aten.clone.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    buf0[i0] = t0;
  }
}

==== aten.copy.default
void kernel0(const float* restrict x1, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x1[i0];
    buf0[i0] = t0;
  }
}

==== aten.copysign.Scalar
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = __builtin_copysignf(t0, (1.5f));
    buf0[i0] = t1;
  }
}

==== aten.copysign.Tensor
void kernel0(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const float t2 = __builtin_copysignf(t0, t1);
    buf0[i0] = t2;
  }
}

==== aten.cos.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = cosf(t0);
    buf0[i0] = t1;
  }
}

==== aten.cosh.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = coshf(t0);
    buf0[i0] = t1;
  }
}

==== aten.div.Scalar
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = t0 / (1.5f);
    buf0[i0] = t1;
  }
}

==== aten.div.Tensor
void kernel0(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const float t2 = t0 / t1;
    buf0[i0] = t2;
  }
}

==== aten.empty.memory_format
void kernel0(float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    buf0[i0] = (0.0f);
  }
}

==== aten.empty_permuted.default
void kernel0(float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    buf0[i0] = (0.0f);
  }
}

==== aten.empty_strided.default
void kernel0(float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    buf0[i0] = (0.0f);
  }
}

==== aten.eq.Scalar
void kernel0(const float* restrict x0, unsigned char* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const unsigned char t1 = t0 == (1.5f);
    buf0[i0] = t1;
  }
}

==== aten.eq.Tensor
void kernel0(const float* restrict x0, const float* restrict x1, unsigned char* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const unsigned char t2 = t0 == t1;
    buf0[i0] = t2;
  }
}

==== aten.erf.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = erff(t0);
    buf0[i0] = t1;
  }
}

==== aten.erfc.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = erfcf(t0);
    buf0[i0] = t1;
  }
}

==== aten.exp.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = expf(t0);
    buf0[i0] = t1;
  }
}

==== aten.exp2.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = exp2f(t0);
    buf0[i0] = t1;
  }
}

==== aten.expm1.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = expm1f(t0);
    buf0[i0] = t1;
  }
}

==== aten.floor.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = __builtin_floorf(t0);
    buf0[i0] = t1;
  }
}

==== aten.fmax.default
void kernel0(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const float t2 = MAXN(t0, t1);
    const unsigned char t3 = t0 != t0;
    const unsigned char t4 = t1 != t1;
    const float t5 = t4 ? t0 : t2;
    const float t6 = t3 ? t1 : t5;
    buf0[i0] = t6;
  }
}

==== aten.fmin.default
void kernel0(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const float t2 = MINN(t0, t1);
    const unsigned char t3 = t0 != t0;
    const unsigned char t4 = t1 != t1;
    const float t5 = t4 ? t0 : t2;
    const float t6 = t3 ? t1 : t5;
    buf0[i0] = t6;
  }
}

==== aten.full.default
void kernel0(float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    buf0[i0] = (1.5f);
  }
}

==== aten.full_like.default
void kernel0(float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    buf0[i0] = (1.5f);
  }
}

==== aten.ge.Scalar
void kernel0(const float* restrict x0, unsigned char* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const unsigned char t1 = t0 >= (1.5f);
    buf0[i0] = t1;
  }
}

==== aten.ge.Tensor
void kernel0(const float* restrict x0, const float* restrict x1, unsigned char* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const unsigned char t2 = t0 >= t1;
    buf0[i0] = t2;
  }
}

==== aten.gelu.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = t0 * (0.5f);
    const float t2 = t0 * (0.7071067811865476f);
    const float t3 = erff(t2);
    const float t4 = (1.0f) + t3;
    const float t5 = t1 * t4;
    buf0[i0] = t5;
  }
}

==== aten.gt.Scalar
void kernel0(const float* restrict x0, unsigned char* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const unsigned char t1 = t0 > (1.5f);
    buf0[i0] = t1;
  }
}

==== aten.gt.Tensor
void kernel0(const float* restrict x0, const float* restrict x1, unsigned char* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const unsigned char t2 = t0 > t1;
    buf0[i0] = t2;
  }
}

==== aten.hypot.default
void kernel0(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const float t2 = hypotf(t0, t1);
    buf0[i0] = t2;
  }
}

==== aten.isinf.default
void kernel0(const float* restrict x0, unsigned char* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = __builtin_fabsf(t0);
    const unsigned char t2 = t1 == (__builtin_inff());
    buf0[i0] = t2;
  }
}

==== aten.isnan.default
void kernel0(const float* restrict x0, unsigned char* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const unsigned char t1 = t0 != t0;
    buf0[i0] = t1;
  }
}

==== aten.le.Scalar
void kernel0(const float* restrict x0, unsigned char* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const unsigned char t1 = t0 <= (1.5f);
    buf0[i0] = t1;
  }
}

==== aten.le.Tensor
void kernel0(const float* restrict x0, const float* restrict x1, unsigned char* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const unsigned char t2 = t0 <= t1;
    buf0[i0] = t2;
  }
}

==== aten.lift_fresh_copy.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    buf0[i0] = t0;
  }
}

==== aten.log.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = logf(t0);
    buf0[i0] = t1;
  }
}

==== aten.log10.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = log10f(t0);
    buf0[i0] = t1;
  }
}

==== aten.log1p.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = log1pf(t0);
    buf0[i0] = t1;
  }
}

==== aten.log2.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = log2f(t0);
    buf0[i0] = t1;
  }
}

==== aten.logical_and.default
void kernel0(const float* restrict x0, const float* restrict x1, unsigned char* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const unsigned char t2 = t0 != 0;
    const unsigned char t3 = t1 != 0;
    const unsigned char t4 = t2 & t3;
    buf0[i0] = t4;
  }
}

==== aten.logical_not.default
void kernel0(const float* restrict x0, unsigned char* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const unsigned char t1 = t0 != 0;
    const unsigned char t2 = !t1;
    buf0[i0] = t2;
  }
}

==== aten.logical_or.default
void kernel0(const float* restrict x0, const float* restrict x1, unsigned char* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const unsigned char t2 = t0 != 0;
    const unsigned char t3 = t1 != 0;
    const unsigned char t4 = t2 | t3;
    buf0[i0] = t4;
  }
}

==== aten.logical_xor.default
void kernel0(const float* restrict x0, const float* restrict x1, unsigned char* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const unsigned char t2 = t0 != 0;
    const unsigned char t3 = t1 != 0;
    const unsigned char t4 = t2 ^ t3;
    buf0[i0] = t4;
  }
}

==== aten.lt.Scalar
void kernel0(const float* restrict x0, unsigned char* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const unsigned char t1 = t0 < (1.5f);
    buf0[i0] = t1;
  }
}

==== aten.lt.Tensor
void kernel0(const float* restrict x0, const float* restrict x1, unsigned char* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const unsigned char t2 = t0 < t1;
    buf0[i0] = t2;
  }
}

==== aten.maximum.default
void kernel0(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const float t2 = MAXN(t0, t1);
    buf0[i0] = t2;
  }
}

==== aten.minimum.default
void kernel0(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const float t2 = MINN(t0, t1);
    buf0[i0] = t2;
  }
}

==== aten.mul.Scalar
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = t0 * (1.5f);
    buf0[i0] = t1;
  }
}

==== aten.mul.Tensor
void kernel0(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const float t2 = t0 * t1;
    buf0[i0] = t2;
  }
}

==== aten.ne.Scalar
void kernel0(const float* restrict x0, unsigned char* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const unsigned char t1 = t0 != (1.5f);
    buf0[i0] = t1;
  }
}

==== aten.ne.Tensor
void kernel0(const float* restrict x0, const float* restrict x1, unsigned char* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const unsigned char t2 = t0 != t1;
    buf0[i0] = t2;
  }
}

==== aten.neg.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = -t0;
    buf0[i0] = t1;
  }
}

==== aten.new_empty_strided.default
void kernel0(float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    buf0[i0] = (0.0f);
  }
}

==== aten.pow.Scalar
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = powf((1.5f), t0);
    buf0[i0] = t1;
  }
}

==== aten.pow.Tensor_Scalar
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = powf(t0, (1.5f));
    buf0[i0] = t1;
  }
}

==== aten.pow.Tensor_Tensor
void kernel0(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const float t2 = powf(t0, t1);
    buf0[i0] = t2;
  }
}

==== aten.reciprocal.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = (1.0f) / t0;
    buf0[i0] = t1;
  }
}

==== aten.relu.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = MAXN(t0, (0.0f));
    buf0[i0] = t1;
  }
}

==== aten.round.decimals
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = t0 * (100.0f);
    const float t2 = __builtin_rintf(t1);
    const float t3 = t2 / (100.0f);
    buf0[i0] = t3;
  }
}

==== aten.round.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = __builtin_rintf(t0);
    buf0[i0] = t1;
  }
}

==== aten.rsqrt.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = 1 / __builtin_sqrtf(t0);
    buf0[i0] = t1;
  }
}

==== aten.scalar_tensor.default
void kernel0(float* restrict buf0, int threads) {
  buf0[0] = (1.5f);
}

==== aten.sigmoid.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = -t0;
    const float t2 = expf(t1);
    const float t3 = (1.0f) + t2;
    const float t4 = (1.0f) / t3;
    buf0[i0] = t4;
  }
}

==== aten.sign.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const unsigned char t1 = t0 > (0.0f);
    const float t2 = (float)t1;
    const unsigned char t3 = t0 < (0.0f);
    const float t4 = (float)t3;
    const float t5 = t2 - t4;
    const unsigned char t6 = t0 != t0;
    const float t7 = t6 ? t0 : t5;
    buf0[i0] = t7;
  }
}

==== aten.signbit.default
void kernel0(const float* restrict x0, unsigned char* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const unsigned char t1 = __builtin_copysignf(1, t0) < 0;
    buf0[i0] = t1;
  }
}

==== aten.sin.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = sinf(t0);
    buf0[i0] = t1;
  }
}

==== aten.sinh.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = sinhf(t0);
    buf0[i0] = t1;
  }
}

==== aten.sqrt.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = __builtin_sqrtf(t0);
    buf0[i0] = t1;
  }
}

==== aten.sub.Scalar
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = t0 - (1.5f);
    buf0[i0] = t1;
  }
}

==== aten.sub.Tensor
void kernel0(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const float t2 = t0 - t1;
    buf0[i0] = t2;
  }
}

==== aten.tan.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = tanf(t0);
    buf0[i0] = t1;
  }
}

==== aten.tanh.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = tanhf(t0);
    buf0[i0] = t1;
  }
}

==== aten.trunc.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = __builtin_truncf(t0);
    buf0[i0] = t1;
  }
}

==== aten.where.self
void kernel0(const unsigned char* restrict x0, const float* restrict x1, const float* restrict x2, float* restrict buf0, int threads) {
  for (long i0 = 0; i0 < 4; i0++) {
    #pragma omp simd
    for (long i1 = 0; i1 < 6; i1++) {
      const unsigned char t0 = x0[i1];
      const float t1 = x1[6*i0 + i1];
      const float t2 = x2[6*i0 + i1];
      const float t3 = t0 ? t1 : t2;
      buf0[6*i0 + i1] = t3;
    }
  }
}

==== prims.convert_element_type.default
void kernel0(const float* restrict x0, long* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 6; i0++) {
    const float t0 = x0[i0];
    const long t1 = (long)t0;
    buf0[i0] = t1;
  }
}

==== prims.fma.default
void kernel0(const float* restrict x0, const float* restrict x1, const float* restrict x2, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = x1[i0];
    const float t2 = x2[i0];
    const float t3 = t0 * t1;
    const float t4 = t3 + t2;
    buf0[i0] = t4;
  }
}

==== prims.iota.default
void kernel0(long* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 6; i0++) {
    const long t0 = i0;
    buf0[i0] = t0;
  }
}
