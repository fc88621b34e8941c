==== aten._unsafe_view.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = -t0;
  buf0[i0] = t1;
}

==== aten.alias.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = -t0;
  buf0[i0] = t1;
}

==== aten.detach.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = -t0;
  buf0[i0] = t1;
}

==== aten.diagonal.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 4) return;
  const long i0 = x_at;
  const float t0 = x0[7*i0];
  const float t1 = -t0;
  buf0[i0] = t1;
}

==== aten.expand.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = (x_at / (6));
  const long i1 = x_at % (6);
  const float t0 = x0[i1];
  const float t1 = -t0;
  buf0[6*i0 + i1] = t1;
}

==== aten.flip.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = (x_at / (6));
  const long i1 = x_at % (6);
  const float t0 = x0[5 + 6*i0 - 1*i1];
  buf0[6*i0 + i1] = t0;
}

==== aten.permute.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = -t0;
  buf0[i0] = t1;
}

==== aten.reshape.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = -t0;
  buf0[i0] = t1;
}

==== aten.select.int
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 4) return;
  const long i0 = x_at;
  const float t0 = x0[1 + 6*i0];
  const float t1 = -t0;
  buf0[i0] = t1;
}

==== aten.slice.Tensor
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 8) return;
  const long i0 = (x_at / (2));
  const long i1 = x_at % (2);
  const float t0 = x0[1 + 6*i0 + 2*i1];
  const float t1 = -t0;
  buf0[2*i0 + i1] = t1;
}

==== aten.split_with_sizes.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 8) return;
  const long i0 = (x_at / (2));
  const long i1 = x_at % (2);
  const float t0 = x0[6*i0 + i1];
  const float t1 = -t0;
  buf0[2*i0 + i1] = t1;
}
kernel void kernel1(
    device const float* x0,
    device float* buf1,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 16) return;
  const long i0 = (x_at / (4));
  const long i1 = x_at % (4);
  const float t0 = x0[2 + 6*i0 + i1];
  const float t1 = -t0;
  buf1[4*i0 + i1] = t1;
}

==== aten.squeeze.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = -t0;
  buf0[i0] = t1;
}

==== aten.squeeze.dim
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = -t0;
  buf0[i0] = t1;
}

==== aten.squeeze.dims
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = -t0;
  buf0[i0] = t1;
}

==== aten.unfold.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = (x_at / (6));
  const long i1 = (x_at / (3)) % (2);
  const long i2 = x_at % (3);
  const float t0 = x0[6*i0 + 2*i1 + i2];
  const float t1 = -t0;
  buf0[6*i0 + 3*i1 + i2] = t1;
}

==== aten.unsqueeze.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = -t0;
  buf0[i0] = t1;
}

==== aten.view.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = -t0;
  buf0[i0] = t1;
}
