==== aten._unsafe_view.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = -t0;
    buf0[i0] = t1;
  }
}

==== aten.alias.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = -t0;
    buf0[i0] = t1;
  }
}

==== aten.detach.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = -t0;
    buf0[i0] = t1;
  }
}

==== aten.diagonal.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 4; i0++) {
    const float t0 = x0[7*i0];
    const float t1 = -t0;
    buf0[i0] = t1;
  }
}

==== aten.expand.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  for (long i0 = 0; i0 < 4; i0++) {
    #pragma omp simd
    for (long i1 = 0; i1 < 6; i1++) {
      const float t0 = x0[i1];
      const float t1 = -t0;
      buf0[6*i0 + i1] = t1;
    }
  }
}

==== aten.flip.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  for (long i0 = 0; i0 < 4; i0++) {
    #pragma omp simd
    for (long i1 = 0; i1 < 6; i1++) {
      const float t0 = x0[5 + 6*i0 - 1*i1];
      buf0[6*i0 + i1] = t0;
    }
  }
}

==== aten.permute.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = -t0;
    buf0[i0] = t1;
  }
}

==== aten.reshape.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = -t0;
    buf0[i0] = t1;
  }
}

==== aten.select.int
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 4; i0++) {
    const float t0 = x0[1 + 6*i0];
    const float t1 = -t0;
    buf0[i0] = t1;
  }
}

==== aten.slice.Tensor
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  for (long i0 = 0; i0 < 4; i0++) {
    #pragma omp simd
    for (long i1 = 0; i1 < 2; i1++) {
      const float t0 = x0[1 + 6*i0 + 2*i1];
      const float t1 = -t0;
      buf0[2*i0 + i1] = t1;
    }
  }
}

==== aten.split_with_sizes.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  for (long i0 = 0; i0 < 4; i0++) {
    #pragma omp simd
    for (long i1 = 0; i1 < 2; i1++) {
      const float t0 = x0[6*i0 + i1];
      const float t1 = -t0;
      buf0[2*i0 + i1] = t1;
    }
  }
}
void kernel1(const float* restrict x0, float* restrict buf1, int threads) {
  for (long i0 = 0; i0 < 4; i0++) {
    #pragma omp simd
    for (long i1 = 0; i1 < 4; i1++) {
      const float t0 = x0[2 + 6*i0 + i1];
      const float t1 = -t0;
      buf1[4*i0 + i1] = t1;
    }
  }
}

==== aten.squeeze.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = -t0;
    buf0[i0] = t1;
  }
}

==== aten.squeeze.dim
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = -t0;
    buf0[i0] = t1;
  }
}

==== aten.squeeze.dims
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = -t0;
    buf0[i0] = t1;
  }
}

==== aten.unfold.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  for (long i0 = 0; i0 < 4; i0++) {
    for (long i1 = 0; i1 < 2; i1++) {
      #pragma omp simd
      for (long i2 = 0; i2 < 3; i2++) {
        const float t0 = x0[6*i0 + 2*i1 + i2];
        const float t1 = -t0;
        buf0[6*i0 + 3*i1 + i2] = t1;
      }
    }
  }
}

==== aten.unsqueeze.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = -t0;
    buf0[i0] = t1;
  }
}

==== aten.view.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  #pragma omp simd
  for (long i0 = 0; i0 < 24; i0++) {
    const float t0 = x0[i0];
    const float t1 = -t0;
    buf0[i0] = t1;
  }
}
