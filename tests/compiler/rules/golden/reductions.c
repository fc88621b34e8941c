==== aten.all.default
void kernel0(const float* restrict x0, unsigned char* restrict buf0, int threads) {
  unsigned char acc0 = 1;
  #pragma omp simd reduction(smaller:acc0)
  for (long r0 = 0; r0 < 24; r0++) {
    const float t1 = x0[r0];
    const unsigned char t2 = t1 != 0;
    acc0 = SMALLER_I(t2, acc0);
  }
  buf0[0] = acc0;
}

==== aten.all.dim
void kernel0(const float* restrict x0, unsigned char* restrict buf0, int threads) {
  for (long i0 = 0; i0 < 4; i0++) {
    unsigned char acc0 = 1;
    #pragma omp simd reduction(smaller:acc0)
    for (long r0 = 0; r0 < 6; r0++) {
      const float t1 = x0[6*i0 + r0];
      const unsigned char t2 = t1 != 0;
      acc0 = SMALLER_I(t2, acc0);
    }
    buf0[i0] = acc0;
  }
}

==== aten.all.dims
void kernel0(const float* restrict x0, unsigned char* restrict buf0, int threads) {
  unsigned char acc0 = 1;
  #pragma omp simd reduction(smaller:acc0)
  for (long r0 = 0; r0 < 24; r0++) {
    const float t1 = x0[r0];
    const unsigned char t2 = t1 != 0;
    acc0 = SMALLER_I(t2, acc0);
  }
  buf0[0] = acc0;
}

==== aten.amax.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  float acc0 = (-__builtin_inff());
  #pragma omp simd reduction(larger:acc0)
  for (long r0 = 0; r0 < 24; r0++) {
    const float t1 = x0[r0];
    acc0 = LARGER_F(t1, acc0);
  }
  buf0[0] = acc0;
}

==== aten.amin.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  float acc0 = (__builtin_inff());
  #pragma omp simd reduction(smaller:acc0)
  for (long r0 = 0; r0 < 24; r0++) {
    const float t1 = x0[r0];
    acc0 = SMALLER_F(t1, acc0);
  }
  buf0[0] = acc0;
}

==== aten.any.default
void kernel0(const float* restrict x0, unsigned char* restrict buf0, int threads) {
  unsigned char acc0 = 0;
  #pragma omp simd reduction(larger:acc0)
  for (long r0 = 0; r0 < 24; r0++) {
    const float t1 = x0[r0];
    const unsigned char t2 = t1 != 0;
    acc0 = LARGER_I(t2, acc0);
  }
  buf0[0] = acc0;
}

==== aten.any.dim
void kernel0(const float* restrict x0, unsigned char* restrict buf0, int threads) {
  for (long i0 = 0; i0 < 4; i0++) {
    unsigned char acc0 = 0;
    #pragma omp simd reduction(larger:acc0)
    for (long r0 = 0; r0 < 6; r0++) {
      const float t1 = x0[6*i0 + r0];
      const unsigned char t2 = t1 != 0;
      acc0 = LARGER_I(t2, acc0);
    }
    buf0[i0] = acc0;
  }
}

==== aten.any.dims
void kernel0(const float* restrict x0, unsigned char* restrict buf0, int threads) {
  unsigned char acc0 = 0;
  #pragma omp simd reduction(larger:acc0)
  for (long r0 = 0; r0 < 24; r0++) {
    const float t1 = x0[r0];
    const unsigned char t2 = t1 != 0;
    acc0 = LARGER_I(t2, acc0);
  }
  buf0[0] = acc0;
}

==== aten.argmax.default
void kernel0(const float* restrict x0, long* restrict buf1, int threads) {
  float acc0 = (-__builtin_inff());
  #pragma omp simd reduction(larger:acc0)
  for (long r0 = 0; r0 < 24; r0++) {
    const float t1 = x0[r0];
    acc0 = LARGER_F(t1, acc0);
  }
  int acc2 = (2147483647);
  #pragma omp simd reduction(smaller:acc2)
  for (long r0 = 0; r0 < 24; r0++) {
    const float t3 = x0[r0];
    const unsigned char t4 = t3 == acc0;
    const unsigned char t5 = t3 != t3;
    const unsigned char t6 = t4 | t5;
    const long t7 = r0;
    const int t8 = (int)t7;
    const int t9 = t6 ? t8 : (2147483647);
    acc2 = SMALLER_I(t9, acc2);
  }
  buf1[0] = acc2;
}

==== aten.argmin.default
void kernel0(const float* restrict x0, long* restrict buf1, int threads) {
  float acc0 = (__builtin_inff());
  #pragma omp simd reduction(smaller:acc0)
  for (long r0 = 0; r0 < 24; r0++) {
    const float t1 = x0[r0];
    acc0 = SMALLER_F(t1, acc0);
  }
  int acc2 = (2147483647);
  #pragma omp simd reduction(smaller:acc2)
  for (long r0 = 0; r0 < 24; r0++) {
    const float t3 = x0[r0];
    const unsigned char t4 = t3 == acc0;
    const unsigned char t5 = t3 != t3;
    const unsigned char t6 = t4 | t5;
    const long t7 = r0;
    const int t8 = (int)t7;
    const int t9 = t6 ? t8 : (2147483647);
    acc2 = SMALLER_I(t9, acc2);
  }
  buf1[0] = acc2;
}

==== aten.bmm.default
void kernel0(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  for (long i0 = 0; i0 < 3; i0++) {
    for (long i1 = 0; i1 < 4; i1++) {
      for (long i2 = 0; i2 < 2; i2++) {
        float acc0 = 0;
        #pragma omp simd reduction(+:acc0)
        for (long r0 = 0; r0 < 6; r0++) {
          const float t1 = x0[24*i0 + 6*i1 + r0];
          const float t2 = x1[12*i0 + i2 + 2*r0];
          const float t3 = t1 * t2;
          acc0 += t3;
        }
        buf0[8*i0 + 2*i1 + i2] = acc0;
      }
    }
  }
}

==== aten.cumprod.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  for (long i0 = 0; i0 < 4; i0++) {
    for (long i1 = 0; i1 < 6; i1++) {
      float acc0 = 1;
      const long t1 = i1;
      #pragma omp simd reduction(*:acc0)
      for (long r0 = 0; r0 < 6; r0++) {
        const long t2 = r0;
        const unsigned char t3 = t2 <= t1;
        const float t4 = t3 ? x0[6*i0 + r0] : 0;
        const float t5 = t3 ? t4 : (1.0f);
        acc0 *= t5;
      }
      buf0[6*i0 + i1] = acc0;
    }
  }
}

==== aten.cumsum.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  for (long i0 = 0; i0 < 4; i0++) {
    for (long i1 = 0; i1 < 6; i1++) {
      float acc0 = 0;
      const long t1 = i1;
      #pragma omp simd reduction(+:acc0)
      for (long r0 = 0; r0 < 6; r0++) {
        const long t2 = r0;
        const unsigned char t3 = t2 <= t1;
        const float t4 = t3 ? x0[6*i0 + r0] : 0;
        const float t5 = t3 ? t4 : (0.0f);
        acc0 += t5;
      }
      buf0[6*i0 + i1] = acc0;
    }
  }
}

==== aten.max.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  float acc0 = (-__builtin_inff());
  #pragma omp simd reduction(larger:acc0)
  for (long r0 = 0; r0 < 24; r0++) {
    const float t1 = x0[r0];
    acc0 = LARGER_F(t1, acc0);
  }
  buf0[0] = acc0;
}

==== aten.max.dim
void kernel0(const float* restrict x0, float* restrict buf0, long* restrict buf2, int threads) {
  for (long i0 = 0; i0 < 4; i0++) {
    float acc0 = (-__builtin_inff());
    float acc1 = (-__builtin_inff());
    #pragma omp simd reduction(larger:acc0) reduction(larger:acc1)
    for (long r0 = 0; r0 < 6; r0++) {
      const float t2 = x0[6*i0 + r0];
      acc0 = LARGER_F(t2, acc0);
      acc1 = LARGER_F(t2, acc1);
    }
    buf0[i0] = acc1;
    int acc3 = (2147483647);
    #pragma omp simd reduction(smaller:acc3)
    for (long r0 = 0; r0 < 6; r0++) {
      const float t4 = x0[6*i0 + r0];
      const unsigned char t5 = t4 == acc0;
      const unsigned char t6 = t4 != t4;
      const unsigned char t7 = t5 | t6;
      const long t8 = r0;
      const int t9 = (int)t8;
      const int t10 = t7 ? t9 : (2147483647);
      acc3 = SMALLER_I(t10, acc3);
    }
    buf2[i0] = acc3;
  }
}

==== aten.mean.default
void kernel0(const float* restrict x0, float* restrict buf1, int threads) {
  float acc0 = 0;
  #pragma omp simd reduction(+:acc0)
  for (long r0 = 0; r0 < 24; r0++) {
    const float t1 = x0[r0];
    acc0 += t1;
  }
  const float t2 = acc0 / (24.0f);
  buf1[0] = t2;
}

==== aten.mean.dim
void kernel0(const float* restrict x0, float* restrict buf1, int threads) {
  for (long i0 = 0; i0 < 4; i0++) {
    float acc0 = 0;
    #pragma omp simd reduction(+:acc0)
    for (long r0 = 0; r0 < 6; r0++) {
      const float t1 = x0[6*i0 + r0];
      acc0 += t1;
    }
    const float t2 = acc0 / (6.0f);
    buf1[i0] = t2;
  }
}

==== aten.min.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  float acc0 = (__builtin_inff());
  #pragma omp simd reduction(smaller:acc0)
  for (long r0 = 0; r0 < 24; r0++) {
    const float t1 = x0[r0];
    acc0 = SMALLER_F(t1, acc0);
  }
  buf0[0] = acc0;
}

==== aten.min.dim
void kernel0(const float* restrict x0, float* restrict buf0, long* restrict buf2, int threads) {
  for (long i0 = 0; i0 < 4; i0++) {
    float acc0 = (__builtin_inff());
    float acc1 = (__builtin_inff());
    #pragma omp simd reduction(smaller:acc0) reduction(smaller:acc1)
    for (long r0 = 0; r0 < 6; r0++) {
      const float t2 = x0[6*i0 + r0];
      acc0 = SMALLER_F(t2, acc0);
      acc1 = SMALLER_F(t2, acc1);
    }
    buf0[i0] = acc1;
    int acc3 = (2147483647);
    #pragma omp simd reduction(smaller:acc3)
    for (long r0 = 0; r0 < 6; r0++) {
      const float t4 = x0[6*i0 + r0];
      const unsigned char t5 = t4 == acc0;
      const unsigned char t6 = t4 != t4;
      const unsigned char t7 = t5 | t6;
      const long t8 = r0;
      const int t9 = (int)t8;
      const int t10 = t7 ? t9 : (2147483647);
      acc3 = SMALLER_I(t10, acc3);
    }
    buf2[i0] = acc3;
  }
}

==== aten.mm.default
void kernel0(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  for (long i0 = 0; i0 < 4; i0++) {
    for (long i1 = 0; i1 < 2; i1++) {
      float acc0 = 0;
      #pragma omp simd reduction(+:acc0)
      for (long r0 = 0; r0 < 6; r0++) {
        const float t1 = x0[6*i0 + r0];
        const float t2 = x1[i1 + 2*r0];
        const float t3 = t1 * t2;
        acc0 += t3;
      }
      buf0[2*i0 + i1] = acc0;
    }
  }
}

==== aten.prod.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  float acc0 = 1;
  #pragma omp simd reduction(*:acc0)
  for (long r0 = 0; r0 < 24; r0++) {
    const float t1 = x0[r0];
    acc0 *= t1;
  }
  buf0[0] = acc0;
}

==== aten.prod.dim_int
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  for (long i0 = 0; i0 < 4; i0++) {
    float acc0 = 1;
    #pragma omp simd reduction(*:acc0)
    for (long r0 = 0; r0 < 6; r0++) {
      const float t1 = x0[6*i0 + r0];
      acc0 *= t1;
    }
    buf0[i0] = acc0;
  }
}

==== aten.sum.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  float acc0 = 0;
  #pragma omp simd reduction(+:acc0)
  for (long r0 = 0; r0 < 24; r0++) {
    const float t1 = x0[r0];
    acc0 += t1;
  }
  buf0[0] = acc0;
}

==== aten.sum.dim_IntList
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  for (long i0 = 0; i0 < 4; i0++) {
    float acc0 = 0;
    #pragma omp simd reduction(+:acc0)
    for (long r0 = 0; r0 < 6; r0++) {
      const float t1 = x0[6*i0 + r0];
      acc0 += t1;
    }
    buf0[i0] = acc0;
  }
}

==== aten.var.correction
void kernel0(const float* restrict x0, float* restrict buf2, int threads) {
  float acc0 = 0;
  #pragma omp simd reduction(+:acc0)
  for (long r0 = 0; r0 < 24; r0++) {
    const float t1 = x0[r0];
    acc0 += t1;
  }
  float acc2 = 0;
  const float t3 = acc0 / (24.0f);
  #pragma omp simd reduction(+:acc2)
  for (long r0 = 0; r0 < 24; r0++) {
    const float t4 = x0[r0];
    const float t5 = t4 - t3;
    const float t6 = t5 * t5;
    acc2 += t6;
  }
  const float t7 = acc2 / (23.0f);
  buf2[0] = t7;
}

==== aten.var_mean.correction
void kernel0(const float* restrict x0, float* restrict buf2, float* restrict buf3, int threads) {
  float acc0 = 0;
  #pragma omp simd reduction(+:acc0)
  for (long r0 = 0; r0 < 24; r0++) {
    const float t1 = x0[r0];
    acc0 += t1;
  }
  const float t2 = acc0 / (24.0f);
  buf3[0] = t2;
  float acc3 = 0;
  const float t4 = acc0 / (24.0f);
  #pragma omp simd reduction(+:acc3)
  for (long r0 = 0; r0 < 24; r0++) {
    const float t5 = x0[r0];
    const float t6 = t5 - t4;
    const float t7 = t6 * t6;
    acc3 += t7;
  }
  const float t8 = acc3 / (23.0f);
  buf2[0] = t8;
}
