==== aten.all.default
kernel void kernel0(
    device const float* x0,
    device bool* buf0,
    uint thread_at [[thread_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  const long x_at = thread_at / 32;
  if (x_at >= 1) return;
  bool acc0 = true;
  for (long r_at = lane; r_at < 24; r_at += 32) {
    const long r0 = r_at;
    const float t1 = x0[r0];
    const bool t2 = t1 != 0;
    acc0 = smaller(acc0, t2);
  }
  acc0 = min_of_lanes(acc0);
  if (lane == 0) buf0[0] = acc0;
}

==== aten.all.dim
kernel void kernel0(
    device const float* x0,
    device bool* buf0,
    uint thread_at [[thread_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  const long x_at = thread_at / 32;
  if (x_at >= 4) return;
  const long i0 = x_at;
  bool acc0 = true;
  for (long r_at = lane; r_at < 6; r_at += 32) {
    const long r0 = r_at;
    const float t1 = x0[6*i0 + r0];
    const bool t2 = t1 != 0;
    acc0 = smaller(acc0, t2);
  }
  acc0 = min_of_lanes(acc0);
  if (lane == 0) buf0[i0] = acc0;
}

==== aten.all.dims
kernel void kernel0(
    device const float* x0,
    device bool* buf0,
    uint thread_at [[thread_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  const long x_at = thread_at / 32;
  if (x_at >= 1) return;
  bool acc0 = true;
  for (long r_at = lane; r_at < 24; r_at += 32) {
    const long r0 = r_at;
    const float t1 = x0[r0];
    const bool t2 = t1 != 0;
    acc0 = smaller(acc0, t2);
  }
  acc0 = min_of_lanes(acc0);
  if (lane == 0) buf0[0] = acc0;
}

==== aten.amax.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  const long x_at = thread_at / 32;
  if (x_at >= 1) return;
  float acc0 = (-INFINITY);
  for (long r_at = lane; r_at < 24; r_at += 32) {
    const long r0 = r_at;
    const float t1 = x0[r0];
    acc0 = larger(acc0, t1);
  }
  acc0 = max_of_lanes(acc0);
  if (lane == 0) buf0[0] = acc0;
}

==== aten.amin.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  const long x_at = thread_at / 32;
  if (x_at >= 1) return;
  float acc0 = INFINITY;
  for (long r_at = lane; r_at < 24; r_at += 32) {
    const long r0 = r_at;
    const float t1 = x0[r0];
    acc0 = smaller(acc0, t1);
  }
  acc0 = min_of_lanes(acc0);
  if (lane == 0) buf0[0] = acc0;
}

==== aten.any.default
kernel void kernel0(
    device const float* x0,
    device bool* buf0,
    uint thread_at [[thread_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  const long x_at = thread_at / 32;
  if (x_at >= 1) return;
  bool acc0 = false;
  for (long r_at = lane; r_at < 24; r_at += 32) {
    const long r0 = r_at;
    const float t1 = x0[r0];
    const bool t2 = t1 != 0;
    acc0 = larger(acc0, t2);
  }
  acc0 = max_of_lanes(acc0);
  if (lane == 0) buf0[0] = acc0;
}

==== aten.any.dim
kernel void kernel0(
    device const float* x0,
    device bool* buf0,
    uint thread_at [[thread_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  const long x_at = thread_at / 32;
  if (x_at >= 4) return;
  const long i0 = x_at;
  bool acc0 = false;
  for (long r_at = lane; r_at < 6; r_at += 32) {
    const long r0 = r_at;
    const float t1 = x0[6*i0 + r0];
    const bool t2 = t1 != 0;
    acc0 = larger(acc0, t2);
  }
  acc0 = max_of_lanes(acc0);
  if (lane == 0) buf0[i0] = acc0;
}

==== aten.any.dims
kernel void kernel0(
    device const float* x0,
    device bool* buf0,
    uint thread_at [[thread_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  const long x_at = thread_at / 32;
  if (x_at >= 1) return;
  bool acc0 = false;
  for (long r_at = lane; r_at < 24; r_at += 32) {
    const long r0 = r_at;
    const float t1 = x0[r0];
    const bool t2 = t1 != 0;
    acc0 = larger(acc0, t2);
  }
  acc0 = max_of_lanes(acc0);
  if (lane == 0) buf0[0] = acc0;
}

==== aten.argmax.default
kernel void kernel0(
    device const float* x0,
    device long* buf1,
    uint thread_at [[thread_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  const long x_at = thread_at / 32;
  if (x_at >= 1) return;
  float acc0 = (-INFINITY);
  for (long r_at = lane; r_at < 24; r_at += 32) {
    const long r0 = r_at;
    const float t1 = x0[r0];
    acc0 = larger(acc0, t1);
  }
  acc0 = max_of_lanes(acc0);
  int acc2 = int(2147483647L);
  for (long r_at = lane; r_at < 24; r_at += 32) {
    const long r0 = r_at;
    const float t3 = x0[r0];
    const bool t4 = t3 == acc0;
    const bool t5 = t3 != t3;
    const bool t6 = t4 | t5;
    const long t7 = r0;
    const int t8 = int(t7);
    const int t9 = t6 ? t8 : int(2147483647L);
    acc2 = smaller(acc2, t9);
  }
  acc2 = min_of_lanes(acc2);
  if (lane == 0) buf1[0] = acc2;
}

==== aten.argmin.default
kernel void kernel0(
    device const float* x0,
    device long* buf1,
    uint thread_at [[thread_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  const long x_at = thread_at / 32;
  if (x_at >= 1) return;
  float acc0 = INFINITY;
  for (long r_at = lane; r_at < 24; r_at += 32) {
    const long r0 = r_at;
    const float t1 = x0[r0];
    acc0 = smaller(acc0, t1);
  }
  acc0 = min_of_lanes(acc0);
  int acc2 = int(2147483647L);
  for (long r_at = lane; r_at < 24; r_at += 32) {
    const long r0 = r_at;
    const float t3 = x0[r0];
    const bool t4 = t3 == acc0;
    const bool t5 = t3 != t3;
    const bool t6 = t4 | t5;
    const long t7 = r0;
    const int t8 = int(t7);
    const int t9 = t6 ? t8 : int(2147483647L);
    acc2 = smaller(acc2, t9);
  }
  acc2 = min_of_lanes(acc2);
  if (lane == 0) buf1[0] = acc2;
}

==== aten.bmm.default
kernel void kernel0(
    device const float* x0,
    device const float* x1,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  const long x_at = thread_at / 32;
  if (x_at >= 24) return;
  const long i0 = (x_at / (8));
  const long i1 = (x_at / (2)) % (4);
  const long i2 = x_at % (2);
  float acc0 = (0.0f);
  for (long r_at = lane; r_at < 6; r_at += 32) {
    const long r0 = r_at;
    const float t1 = x0[24*i0 + 6*i1 + r0];
    const float t2 = x1[12*i0 + i2 + 2*r0];
    const float t3 = t1 * t2;
    acc0 += t3;
  }
  acc0 = sum_of_lanes(acc0);
  if (lane == 0) buf0[8*i0 + 2*i1 + i2] = acc0;
}

==== aten.cumprod.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  const long x_at = thread_at / 32;
  if (x_at >= 24) return;
  const long i0 = (x_at / (6));
  const long i1 = x_at % (6);
  float acc0 = (1.0f);
  for (long r_at = lane; r_at < 6; r_at += 32) {
    const long r0 = r_at;
    const long t1 = r0;
    const long t2 = i1;
    const bool t3 = t1 <= t2;
    const float t4 = t3 ? float(x0[6*i0 + r0]) : float(0);
    const float t5 = t3 ? t4 : (1.0f);
    acc0 *= t5;
  }
  acc0 = prod_of_lanes(acc0);
  if (lane == 0) buf0[6*i0 + i1] = acc0;
}

==== aten.cumsum.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  const long x_at = thread_at / 32;
  if (x_at >= 24) return;
  const long i0 = (x_at / (6));
  const long i1 = x_at % (6);
  float acc0 = (0.0f);
  for (long r_at = lane; r_at < 6; r_at += 32) {
    const long r0 = r_at;
    const long t1 = r0;
    const long t2 = i1;
    const bool t3 = t1 <= t2;
    const float t4 = t3 ? float(x0[6*i0 + r0]) : float(0);
    const float t5 = t3 ? t4 : (0.0f);
    acc0 += t5;
  }
  acc0 = sum_of_lanes(acc0);
  if (lane == 0) buf0[6*i0 + i1] = acc0;
}

==== aten.max.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  const long x_at = thread_at / 32;
  if (x_at >= 1) return;
  float acc0 = (-INFINITY);
  for (long r_at = lane; r_at < 24; r_at += 32) {
    const long r0 = r_at;
    const float t1 = x0[r0];
    acc0 = larger(acc0, t1);
  }
  acc0 = max_of_lanes(acc0);
  if (lane == 0) buf0[0] = acc0;
}

==== aten.max.dim
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    device long* buf2,
    uint thread_at [[thread_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  const long x_at = thread_at / 32;
  if (x_at >= 4) return;
  const long i0 = x_at;
  float acc0 = (-INFINITY);
  float acc1 = (-INFINITY);
  for (long r_at = lane; r_at < 6; r_at += 32) {
    const long r0 = r_at;
    const float t2 = x0[6*i0 + r0];
    acc0 = larger(acc0, t2);
    acc1 = larger(acc1, t2);
  }
  acc0 = max_of_lanes(acc0);
  acc1 = max_of_lanes(acc1);
  if (lane == 0) buf0[i0] = acc1;
  int acc3 = int(2147483647L);
  for (long r_at = lane; r_at < 6; r_at += 32) {
    const long r0 = r_at;
    const float t4 = x0[6*i0 + r0];
    const bool t5 = t4 == acc0;
    const bool t6 = t4 != t4;
    const bool t7 = t5 | t6;
    const long t8 = r0;
    const int t9 = int(t8);
    const int t10 = t7 ? t9 : int(2147483647L);
    acc3 = smaller(acc3, t10);
  }
  acc3 = min_of_lanes(acc3);
  if (lane == 0) buf2[i0] = acc3;
}

==== aten.mean.default
kernel void kernel0(
    device const float* x0,
    device float* buf1,
    uint thread_at [[thread_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  const long x_at = thread_at / 32;
  if (x_at >= 1) return;
  float acc0 = (0.0f);
  for (long r_at = lane; r_at < 24; r_at += 32) {
    const long r0 = r_at;
    const float t1 = x0[r0];
    acc0 += t1;
  }
  acc0 = sum_of_lanes(acc0);
  const float t2 = acc0 / (24.0f);
  if (lane == 0) buf1[0] = t2;
}

==== aten.mean.dim
kernel void kernel0(
    device const float* x0,
    device float* buf1,
    uint thread_at [[thread_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  const long x_at = thread_at / 32;
  if (x_at >= 4) return;
  const long i0 = x_at;
  float acc0 = (0.0f);
  for (long r_at = lane; r_at < 6; r_at += 32) {
    const long r0 = r_at;
    const float t1 = x0[6*i0 + r0];
    acc0 += t1;
  }
  acc0 = sum_of_lanes(acc0);
  const float t2 = acc0 / (6.0f);
  if (lane == 0) buf1[i0] = t2;
}

==== aten.min.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  const long x_at = thread_at / 32;
  if (x_at >= 1) return;
  float acc0 = INFINITY;
  for (long r_at = lane; r_at < 24; r_at += 32) {
    const long r0 = r_at;
    const float t1 = x0[r0];
    acc0 = smaller(acc0, t1);
  }
  acc0 = min_of_lanes(acc0);
  if (lane == 0) buf0[0] = acc0;
}

==== aten.min.dim
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    device long* buf2,
    uint thread_at [[thread_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  const long x_at = thread_at / 32;
  if (x_at >= 4) return;
  const long i0 = x_at;
  float acc0 = INFINITY;
  float acc1 = INFINITY;
  for (long r_at = lane; r_at < 6; r_at += 32) {
    const long r0 = r_at;
    const float t2 = x0[6*i0 + r0];
    acc0 = smaller(acc0, t2);
    acc1 = smaller(acc1, t2);
  }
  acc0 = min_of_lanes(acc0);
  acc1 = min_of_lanes(acc1);
  if (lane == 0) buf0[i0] = acc1;
  int acc3 = int(2147483647L);
  for (long r_at = lane; r_at < 6; r_at += 32) {
    const long r0 = r_at;
    const float t4 = x0[6*i0 + r0];
    const bool t5 = t4 == acc0;
    const bool t6 = t4 != t4;
    const bool t7 = t5 | t6;
    const long t8 = r0;
    const int t9 = int(t8);
    const int t10 = t7 ? t9 : int(2147483647L);
    acc3 = smaller(acc3, t10);
  }
  acc3 = min_of_lanes(acc3);
  if (lane == 0) buf2[i0] = acc3;
}

==== aten.mm.default
kernel void kernel0(
    device const float* x0,
    device const float* x1,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  const long x_at = thread_at / 32;
  if (x_at >= 8) return;
  const long i0 = (x_at / (2));
  const long i1 = x_at % (2);
  float acc0 = (0.0f);
  for (long r_at = lane; r_at < 6; r_at += 32) {
    const long r0 = r_at;
    const float t1 = x0[6*i0 + r0];
    const float t2 = x1[i1 + 2*r0];
    const float t3 = t1 * t2;
    acc0 += t3;
  }
  acc0 = sum_of_lanes(acc0);
  if (lane == 0) buf0[2*i0 + i1] = acc0;
}

==== aten.prod.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  const long x_at = thread_at / 32;
  if (x_at >= 1) return;
  float acc0 = (1.0f);
  for (long r_at = lane; r_at < 24; r_at += 32) {
    const long r0 = r_at;
    const float t1 = x0[r0];
    acc0 *= t1;
  }
  acc0 = prod_of_lanes(acc0);
  if (lane == 0) buf0[0] = acc0;
}

==== aten.prod.dim_int
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  const long x_at = thread_at / 32;
  if (x_at >= 4) return;
  const long i0 = x_at;
  float acc0 = (1.0f);
  for (long r_at = lane; r_at < 6; r_at += 32) {
    const long r0 = r_at;
    const float t1 = x0[6*i0 + r0];
    acc0 *= t1;
  }
  acc0 = prod_of_lanes(acc0);
  if (lane == 0) buf0[i0] = acc0;
}

==== aten.sum.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  const long x_at = thread_at / 32;
  if (x_at >= 1) return;
  float acc0 = (0.0f);
  for (long r_at = lane; r_at < 24; r_at += 32) {
    const long r0 = r_at;
    const float t1 = x0[r0];
    acc0 += t1;
  }
  acc0 = sum_of_lanes(acc0);
  if (lane == 0) buf0[0] = acc0;
}

==== aten.sum.dim_IntList
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  const long x_at = thread_at / 32;
  if (x_at >= 4) return;
  const long i0 = x_at;
  float acc0 = (0.0f);
  for (long r_at = lane; r_at < 6; r_at += 32) {
    const long r0 = r_at;
    const float t1 = x0[6*i0 + r0];
    acc0 += t1;
  }
  acc0 = sum_of_lanes(acc0);
  if (lane == 0) buf0[i0] = acc0;
}

==== aten.var.correction
kernel void kernel0(
    device const float* x0,
    device float* buf2,
    uint thread_at [[thread_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  const long x_at = thread_at / 32;
  if (x_at >= 1) return;
  float acc0 = (0.0f);
  for (long r_at = lane; r_at < 24; r_at += 32) {
    const long r0 = r_at;
    const float t1 = x0[r0];
    acc0 += t1;
  }
  acc0 = sum_of_lanes(acc0);
  float acc2 = (0.0f);
  for (long r_at = lane; r_at < 24; r_at += 32) {
    const long r0 = r_at;
    const float t3 = x0[r0];
    const float t4 = acc0 / (24.0f);
    const float t5 = t3 - t4;
    const float t6 = t5 * t5;
    acc2 += t6;
  }
  acc2 = sum_of_lanes(acc2);
  const float t7 = acc2 / (23.0f);
  if (lane == 0) buf2[0] = t7;
}

==== aten.var_mean.correction
kernel void kernel0(
    device const float* x0,
    device float* buf2,
    device float* buf3,
    uint thread_at [[thread_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  const long x_at = thread_at / 32;
  if (x_at >= 1) return;
  float acc0 = (0.0f);
  for (long r_at = lane; r_at < 24; r_at += 32) {
    const long r0 = r_at;
    const float t1 = x0[r0];
    acc0 += t1;
  }
  acc0 = sum_of_lanes(acc0);
  const float t2 = acc0 / (24.0f);
  if (lane == 0) buf3[0] = t2;
  float acc3 = (0.0f);
  for (long r_at = lane; r_at < 24; r_at += 32) {
    const long r0 = r_at;
    const float t4 = x0[r0];
    const float t5 = acc0 / (24.0f);
    const float t6 = t4 - t5;
    const float t7 = t6 * t6;
    acc3 += t7;
  }
  acc3 = sum_of_lanes(acc3);
  const float t8 = acc3 / (23.0f);
  if (lane == 0) buf2[0] = t8;
}
