==== aten.div.Scalar_mode
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = fmod(t0, (1.5f));
  const float t2 = t0 - t1;
  const float t3 = t2 / (1.5f);
  const bool t4 = t1 != (0.0f);
  const bool t5 = t1 < (0.0f);
  const bool t6 = (1.5f) < (0.0f);
  const bool t7 = t5 ^ t6;
  const bool t8 = t4 & t7;
  const float t9 = float(t8);
  const float t10 = t3 - t9;
  const float t11 = floor(t10);
  const float t12 = t10 - t11;
  const bool t13 = t12 > (0.5f);
  const float t14 = float(t13);
  const float t15 = t11 + t14;
  const float t16 = t0 / (1.5f);
  const float t17 = copysign((0.0f), t16);
  const bool t18 = (1.5f) == (0.0f);
  const bool t19 = t10 == (0.0f);
  const float t20 = t19 ? t17 : t15;
  const float t21 = t18 ? t16 : t20;
  buf0[i0] = t21;
}

==== aten.div.Tensor_mode
kernel void kernel0(
    device const float* x0,
    device const float* x1,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = x1[i0];
  const float t2 = fmod(t0, t1);
  const float t3 = t0 - t2;
  const float t4 = t3 / t1;
  const bool t5 = t2 != (0.0f);
  const bool t6 = t2 < (0.0f);
  const bool t7 = t1 < (0.0f);
  const bool t8 = t6 ^ t7;
  const bool t9 = t5 & t8;
  const float t10 = float(t9);
  const float t11 = t4 - t10;
  const float t12 = floor(t11);
  const float t13 = t11 - t12;
  const bool t14 = t13 > (0.5f);
  const float t15 = float(t14);
  const float t16 = t12 + t15;
  const float t17 = t0 / t1;
  const float t18 = copysign((0.0f), t17);
  const bool t19 = t1 == (0.0f);
  const bool t20 = t11 == (0.0f);
  const float t21 = t20 ? t18 : t16;
  const float t22 = t19 ? t17 : t21;
  buf0[i0] = t22;
}

==== aten.floor_divide.default
kernel void kernel0(
    device const float* x0,
    device const float* x1,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = x1[i0];
  const float t2 = fmod(t0, t1);
  const float t3 = t0 - t2;
  const float t4 = t3 / t1;
  const bool t5 = t2 != (0.0f);
  const bool t6 = t2 < (0.0f);
  const bool t7 = t1 < (0.0f);
  const bool t8 = t6 ^ t7;
  const bool t9 = t5 & t8;
  const float t10 = float(t9);
  const float t11 = t4 - t10;
  const float t12 = floor(t11);
  const float t13 = t11 - t12;
  const bool t14 = t13 > (0.5f);
  const float t15 = float(t14);
  const float t16 = t12 + t15;
  const float t17 = t0 / t1;
  const float t18 = copysign((0.0f), t17);
  const bool t19 = t1 == (0.0f);
  const bool t20 = t11 == (0.0f);
  const float t21 = t20 ? t18 : t16;
  const float t22 = t19 ? t17 : t21;
  buf0[i0] = t22;
}

==== aten.fmod.Scalar
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = fmod(t0, (1.5f));
  buf0[i0] = t1;
}

==== aten.fmod.Tensor
kernel void kernel0(
    device const float* x0,
    device const float* x1,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = x1[i0];
  const float t2 = fmod(t0, t1);
  buf0[i0] = t2;
}

==== aten.remainder.Scalar
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = remainder_of(t0, (1.5f));
  buf0[i0] = t1;
}

==== aten.remainder.Tensor
kernel void kernel0(
    device const float* x0,
    device const float* x1,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = x1[i0];
  const float t2 = remainder_of(t0, t1);
  buf0[i0] = t2;
}
