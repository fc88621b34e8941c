==== aten.cat.default
void kernel0(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  for (long i0 = 0; i0 < 4; i0++) {
    const long t0 = 6;
    #pragma omp simd
    for (long i1 = 0; i1 < 6; i1++) {
      const float t1 = x0[6*i0 + i1];
      buf0[8*i0 + i1] = t1;
    }
    #pragma omp simd
    for (long i1 = 6; i1 < 8; i1++) {
      const float t2 = x1[-6 + 2*i0 + i1];
      buf0[8*i0 + i1] = t2;
    }
  }
}

==== aten.constant_pad_nd.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  for (long i0 = 0; i0 < 4; i0++) {
    const long t0 = 6;
    #pragma omp simd
    for (long i1 = 0; i1 < 1; i1++) {
      buf0[9*i0 + i1] = (0.0f);
    }
    #pragma omp simd
    for (long i1 = 1; i1 < 7; i1++) {
      const float t1 = x0[-1 + 6*i0 + i1];
      buf0[9*i0 + i1] = t1;
    }
    #pragma omp simd
    for (long i1 = 7; i1 < 9; i1++) {
      buf0[9*i0 + i1] = (0.0f);
    }
  }
}

==== aten.gather.default
void kernel0(const float* restrict x0, const long* restrict x1, float* restrict buf0, int* out_of_range, int threads) {
  for (long i0 = 0; i0 < 4; i0++) {
    #pragma omp simd
    for (long i1 = 0; i1 < 2; i1++) {
      const long t0 = x1[2*i0 + i1];
      const long t1 = checked(t0, 6, out_of_range);
      const float t2 = x0[t1 + 6*i0];
      buf0[2*i0 + i1] = t2;
    }
  }
}

==== aten.index.Tensor
void kernel0(const float* restrict x0, const long* restrict x1, const long* restrict x2, float* restrict buf0, int* out_of_range, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 3; i0++) {
    const long t0 = x1[i0];
    const long t1 = checked(t0, 4, out_of_range);
    const long t2 = x2[i0];
    const long t3 = checked(t2, 6, out_of_range);
    const float t4 = x0[6*t1 + t3];
    buf0[i0] = t4;
  }
}

==== aten.repeat.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  for (long i0 = 0; i0 < 8; i0++) {
    #pragma omp simd
    for (long i1 = 0; i1 < 6; i1++) {
      const float t0 = x0[6*((i0) % (4)) + i1];
      buf0[6*i0 + i1] = t0;
    }
  }
}

==== aten.slice_scatter.default
void kernel0(const float* restrict x0, const float* restrict x1, float* restrict buf0, int threads) {
  for (long i0 = 0; i0 < 4; i0++) {
    const long t0 = 4;
    #pragma omp simd
    for (long i1 = 0; i1 < 1; i1++) {
      const float t1 = x0[6*i0 + i1];
      buf0[6*i0 + i1] = t1;
    }
    #pragma omp simd
    for (long i1 = 1; i1 < 5; i1++) {
      const long t2 = ((-1 + i1) % (2));
      const unsigned char t3 = t2 == (0L);
      const float t4 = t3 ? x1[((-1 + i1) / (2)) + 2*i0] : 0;
      const float t5 = t3 ? t4 : (0.0f);
      const float t6 = x0[6*i0 + i1];
      const float t7 = t3 ? t5 : t6;
      buf0[6*i0 + i1] = t7;
    }
    #pragma omp simd
    for (long i1 = 5; i1 < 6; i1++) {
      const float t8 = x0[6*i0 + i1];
      buf0[6*i0 + i1] = t8;
    }
  }
}
