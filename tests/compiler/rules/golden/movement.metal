==== aten.cat.default
kernel void kernel0(
    device const float* x0,
    device const float* x1,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 32) return;
  const long i0 = (x_at / (8));
  const long i1 = x_at % (8);
  const long t0 = i1;
  const long t1 = 6;
  const bool t2 = t0 >= t1;
  const float t3 = t2 ? float(x1[-6 + 2*i0 + i1]) : float(0);
  const float t4 = t2 ? t3 : (0.0f);
  const bool t5 = t0 < t1;
  const float t6 = t5 ? float(x0[6*i0 + i1]) : float(0);
  const float t7 = t5 ? t6 : (0.0f);
  const float t8 = t5 ? t7 : t4;
  buf0[8*i0 + i1] = t8;
}

==== aten.constant_pad_nd.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 36) return;
  const long i0 = (x_at / (9));
  const long i1 = x_at % (9);
  const long t0 = -1 + i1;
  const bool t1 = t0 >= long(0L);
  const long t2 = 6;
  const bool t3 = t0 < t2;
  const bool t4 = t1 & t3;
  const float t5 = t4 ? float(x0[-1 + 6*i0 + i1]) : float(0);
  const float t6 = t4 ? t5 : (0.0f);
  buf0[9*i0 + i1] = t6;
}

==== aten.gather.default
kernel void kernel0(
    device const float* x0,
    device const long* x1,
    device float* buf0,
    device int* out_of_range,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 8) return;
  const long i0 = (x_at / (2));
  const long i1 = x_at % (2);
  const long t0 = x1[2*i0 + i1];
  const long t1 = checked(t0, 6, out_of_range);
  const float t2 = x0[t1 + 6*i0];
  buf0[2*i0 + i1] = t2;
}

==== aten.index.Tensor
kernel void kernel0(
    device const float* x0,
    device const long* x1,
    device const long* x2,
    device float* buf0,
    device int* out_of_range,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 3) return;
  const long i0 = x_at;
  const long t0 = x1[i0];
  const long t1 = checked(t0, 4, out_of_range);
  const long t2 = x2[i0];
  const long t3 = checked(t2, 6, out_of_range);
  const float t4 = x0[6*t1 + t3];
  buf0[i0] = t4;
}

==== aten.repeat.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 48) return;
  const long i0 = (x_at / (6));
  const long i1 = x_at % (6);
  const float t0 = x0[6*((i0) % (4)) + i1];
  buf0[6*i0 + i1] = t0;
}

==== aten.slice_scatter.default
kernel void kernel0(
    device const float* x0,
    device const float* x1,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = (x_at / (6));
  const long i1 = x_at % (6);
  const long t0 = -1 + i1;
  const bool t1 = t0 >= long(0L);
  const long t2 = 4;
  const bool t3 = t0 < t2;
  const long t4 = ((-1 + i1) % (2));
  const bool t5 = t4 == long(0L);
  const bool t6 = t1 & t3;
  const bool t7 = t6 & t5;
  const float t8 = t7 ? float(x1[((-1 + i1) / (2)) + 2*i0]) : float(0);
  const float t9 = t7 ? t8 : (0.0f);
  const float t10 = x0[6*i0 + i1];
  const float t11 = t7 ? t9 : t10;
  buf0[6*i0 + i1] = t11;
}
