==== aten.index_put.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  buf0[i0] = t0;
}
kernel void kernel1(
    device const long* x1,
    device const long* x2,
    device const float* x3,
    device float* buf1,
    device int* out_of_range,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 3) return;
  const long i0 = x_at;
  const float t0 = x3[i0];
  const long t1 = x1[i0];
  const long t2 = checked(t1, 4, out_of_range);
  const long t3 = x2[i0];
  const long t4 = checked(t3, 6, out_of_range);
  buf1[6*t2 + t4] = t0;
}

==== aten.scatter.src
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  buf0[i0] = t0;
}
kernel void kernel1(
    device const long* x1,
    device const float* x2,
    device float* buf1,
    device int* out_of_range,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 8) return;
  const long i0 = (x_at / (2));
  const long i1 = x_at % (2);
  const float t0 = x2[2*i0 + i1];
  const long t1 = x1[2*i0 + i1];
  const long t2 = checked(t1, 6, out_of_range);
  buf1[t2 + 6*i0] = t0;
}

==== aten.scatter.value
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  buf0[i0] = t0;
}
kernel void kernel1(
    device const long* x1,
    device float* buf1,
    device int* out_of_range,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 8) return;
  const long i0 = (x_at / (2));
  const long i1 = x_at % (2);
  const long t0 = x1[2*i0 + i1];
  const long t1 = checked(t0, 6, out_of_range);
  buf1[t1 + 6*i0] = (2.0f);
}

==== aten.scatter_add.default
left to ATen: sums of torch.float32 where an index says, from many threads
