==== aten.index_put.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    buf0[i0] = t0;
  }
}
void kernel1(const long* restrict x1, const long* restrict x2, const float* restrict x3, float* restrict buf1, int* out_of_range, int threads) {
  for (long i0 = 0; i0 < 3; i0++) {
    const float t0 = x3[i0];
    const long t1 = x1[i0];
    const long t2 = checked(t1, 4, out_of_range);
    const long t3 = x2[i0];
    const long t4 = checked(t3, 6, out_of_range);
    buf1[6*t2 + t4] = t0;
  }
}

==== aten.scatter.src
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    buf0[i0] = t0;
  }
}
void kernel1(const long* restrict x1, const float* restrict x2, float* restrict buf1, int* out_of_range, int threads) {
  for (long i0 = 0; i0 < 4; i0++) {
    for (long i1 = 0; i1 < 2; i1++) {
      const float t0 = x2[2*i0 + i1];
      const long t1 = x1[2*i0 + i1];
      const long t2 = checked(t1, 6, out_of_range);
      buf1[t2 + 6*i0] = t0;
    }
  }
}

==== aten.scatter.value
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    buf0[i0] = t0;
  }
}
void kernel1(const long* restrict x1, float* restrict buf1, int* out_of_range, int threads) {
  for (long i0 = 0; i0 < 4; i0++) {
    for (long i1 = 0; i1 < 2; i1++) {
      const long t0 = x1[2*i0 + i1];
      const long t1 = checked(t0, 6, out_of_range);
      buf1[t1 + 6*i0] = (2.0f);
    }
  }
}

==== aten.scatter_add.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    buf0[i0] = t0;
  }
}
void kernel1(const long* restrict x1, const float* restrict x2, float* restrict buf1, int* out_of_range, int threads) {
  for (long i0 = 0; i0 < 4; i0++) {
    for (long i1 = 0; i1 < 2; i1++) {
      const float t0 = x2[2*i0 + i1];
      const long t1 = x1[2*i0 + i1];
      const long t2 = checked(t1, 6, out_of_range);
      buf1[t2 + 6*i0] = buf1[t2 + 6*i0] + t0;
    }
  }
}
