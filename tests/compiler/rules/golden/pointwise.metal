==== aten._to_copy.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 6) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  buf0[i0] = t0;
}

==== aten.abs.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = fabs(t0);
  buf0[i0] = t1;
}

==== aten.acos.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = acos(t0);
  buf0[i0] = t1;
}

==== aten.acosh.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = acosh(t0);
  buf0[i0] = t1;
}

==== aten.add.Scalar
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = t0 + (1.5f);
  buf0[i0] = t1;
}

==== aten.add.Tensor
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
  const float t2 = t0 + t1;
  buf0[i0] = t2;
}

==== aten.addcdiv.default
kernel void kernel0(
    device const float* x0,
    device const float* x1,
    device const float* x2,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = x1[i0];
  const float t2 = x2[i0];
  const float t3 = t1 / t2;
  const float t4 = t3 * (1.0f);
  const float t5 = t0 + t4;
  buf0[i0] = t5;
}

==== aten.addcmul.default
kernel void kernel0(
    device const float* x0,
    device const float* x1,
    device const float* x2,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = x1[i0];
  const float t2 = x2[i0];
  const float t3 = t1 * t2;
  const float t4 = t3 * (1.0f);
  const float t5 = t0 + t4;
  buf0[i0] = t5;
}

==== aten.angle.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const bool t1 = t0 < (0.0f);
  const float t2 = t1 ? (3.141592653589793f) : (0.0f);
  const bool t3 = t0 != t0;
  const float t4 = t3 ? t0 : t2;
  buf0[i0] = t4;
}

==== aten.arange.start_step
kernel void kernel0(
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 3) return;
  const long i0 = x_at;
  const long t0 = 2*i0;
  const float t1 = float(t0);
  buf0[i0] = t1;
}

==== aten.asin.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = asin(t0);
  buf0[i0] = t1;
}

==== aten.asinh.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = asinh(t0);
  buf0[i0] = t1;
}

==== aten.atan.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = atan(t0);
  buf0[i0] = t1;
}

==== aten.atan2.default
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
  const float t2 = atan2(t0, t1);
  buf0[i0] = t2;
}

==== aten.atanh.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = atanh(t0);
  buf0[i0] = t1;
}

==== aten.bitwise_and.Scalar
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = t0 & (1.5f);
  buf0[i0] = t1;
}

==== aten.bitwise_and.Tensor
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
  const float t2 = t0 & t1;
  buf0[i0] = t2;
}

==== aten.bitwise_left_shift.Tensor
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
  const float t2 = shift_left(t0, t1);
  buf0[i0] = t2;
}

==== aten.bitwise_left_shift.Tensor_Scalar
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = shift_left(t0, (1.5f));
  buf0[i0] = t1;
}

==== aten.bitwise_not.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = ~t0;
  buf0[i0] = t1;
}

==== aten.bitwise_or.Scalar
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = t0 | (1.5f);
  buf0[i0] = t1;
}

==== aten.bitwise_or.Tensor
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
  const float t2 = t0 | t1;
  buf0[i0] = t2;
}

==== aten.bitwise_right_shift.Tensor
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
  const float t2 = shift_right(t0, t1);
  buf0[i0] = t2;
}

==== aten.bitwise_right_shift.Tensor_Scalar
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = shift_right(t0, (1.5f));
  buf0[i0] = t1;
}

==== aten.bitwise_xor.Scalar
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = t0 ^ (1.5f);
  buf0[i0] = t1;
}

==== aten.bitwise_xor.Tensor
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
  const float t2 = t0 ^ t1;
  buf0[i0] = t2;
}

==== aten.ceil.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = ceil(t0);
  buf0[i0] = t1;
}

==== aten.clamp.Tensor
kernel void kernel0(
    device const float* x0,
    device const float* x1,
    device const float* x2,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = x1[i0];
  const float t2 = x2[i0];
  const float t3 = larger(t0, t1);
  const float t4 = smaller(t3, t2);
  buf0[i0] = t4;
}

==== aten.clamp.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = larger(t0, (0.5f));
  const float t2 = smaller(t1, (2.0f));
  buf0[i0] = t2;
}

==== aten.clone.default
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

==== aten.copy.default
kernel void kernel0(
    device const float* x1,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x1[i0];
  buf0[i0] = t0;
}

==== aten.copysign.Scalar
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = copysign(t0, (1.5f));
  buf0[i0] = t1;
}

==== aten.copysign.Tensor
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
  const float t2 = copysign(t0, t1);
  buf0[i0] = t2;
}

==== aten.cos.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = cos(t0);
  buf0[i0] = t1;
}

==== aten.cosh.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = cosh(t0);
  buf0[i0] = t1;
}

==== aten.div.Scalar
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = t0 / (1.5f);
  buf0[i0] = t1;
}

==== aten.div.Tensor
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
  const float t2 = t0 / t1;
  buf0[i0] = t2;
}

==== aten.empty.memory_format
kernel void kernel0(
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  buf0[i0] = (0.0f);
}

==== aten.empty_permuted.default
kernel void kernel0(
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  buf0[i0] = (0.0f);
}

==== aten.empty_strided.default
kernel void kernel0(
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  buf0[i0] = (0.0f);
}

==== aten.eq.Scalar
kernel void kernel0(
    device const float* x0,
    device bool* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const bool t1 = t0 == (1.5f);
  buf0[i0] = t1;
}

==== aten.eq.Tensor
kernel void kernel0(
    device const float* x0,
    device const float* x1,
    device bool* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = x1[i0];
  const bool t2 = t0 == t1;
  buf0[i0] = t2;
}

==== aten.erf.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = erf_of(t0);
  buf0[i0] = t1;
}

==== aten.erfc.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = erfc_of(t0);
  buf0[i0] = t1;
}

==== aten.exp.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = exp(t0);
  buf0[i0] = t1;
}

==== aten.exp2.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = exp2(t0);
  buf0[i0] = t1;
}

==== aten.expm1.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = expm1_of(t0);
  buf0[i0] = t1;
}

==== aten.floor.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = floor(t0);
  buf0[i0] = t1;
}

==== aten.fmax.default
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
  const float t2 = larger(t0, t1);
  const bool t3 = t0 != t0;
  const bool t4 = t1 != t1;
  const float t5 = t4 ? t0 : t2;
  const float t6 = t3 ? t1 : t5;
  buf0[i0] = t6;
}

==== aten.fmin.default
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
  const float t2 = smaller(t0, t1);
  const bool t3 = t0 != t0;
  const bool t4 = t1 != t1;
  const float t5 = t4 ? t0 : t2;
  const float t6 = t3 ? t1 : t5;
  buf0[i0] = t6;
}

==== aten.full.default
kernel void kernel0(
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  buf0[i0] = (1.5f);
}

==== aten.full_like.default
kernel void kernel0(
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  buf0[i0] = (1.5f);
}

==== aten.ge.Scalar
kernel void kernel0(
    device const float* x0,
    device bool* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const bool t1 = t0 >= (1.5f);
  buf0[i0] = t1;
}

==== aten.ge.Tensor
kernel void kernel0(
    device const float* x0,
    device const float* x1,
    device bool* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = x1[i0];
  const bool t2 = t0 >= t1;
  buf0[i0] = t2;
}

==== aten.gelu.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = t0 * (0.5f);
  const float t2 = t0 * (0.7071067811865476f);
  const float t3 = erf_of(t2);
  const float t4 = (1.0f) + t3;
  const float t5 = t1 * t4;
  buf0[i0] = t5;
}

==== aten.gt.Scalar
kernel void kernel0(
    device const float* x0,
    device bool* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const bool t1 = t0 > (1.5f);
  buf0[i0] = t1;
}

==== aten.gt.Tensor
kernel void kernel0(
    device const float* x0,
    device const float* x1,
    device bool* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = x1[i0];
  const bool t2 = t0 > t1;
  buf0[i0] = t2;
}

==== aten.hypot.default
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
  const float t2 = hypot_of(t0, t1);
  buf0[i0] = t2;
}

==== aten.isinf.default
kernel void kernel0(
    device const float* x0,
    device bool* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = fabs(t0);
  const bool t2 = t1 == INFINITY;
  buf0[i0] = t2;
}

==== aten.isnan.default
kernel void kernel0(
    device const float* x0,
    device bool* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const bool t1 = t0 != t0;
  buf0[i0] = t1;
}

==== aten.le.Scalar
kernel void kernel0(
    device const float* x0,
    device bool* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const bool t1 = t0 <= (1.5f);
  buf0[i0] = t1;
}

==== aten.le.Tensor
kernel void kernel0(
    device const float* x0,
    device const float* x1,
    device bool* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = x1[i0];
  const bool t2 = t0 <= t1;
  buf0[i0] = t2;
}

==== aten.lift_fresh_copy.default
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

==== aten.log.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = log(t0);
  buf0[i0] = t1;
}

==== aten.log10.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = log10(t0);
  buf0[i0] = t1;
}

==== aten.log1p.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = log1p_of(t0);
  buf0[i0] = t1;
}

==== aten.log2.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = log2(t0);
  buf0[i0] = t1;
}

==== aten.logical_and.default
kernel void kernel0(
    device const float* x0,
    device const float* x1,
    device bool* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = x1[i0];
  const bool t2 = t0 != 0;
  const bool t3 = t1 != 0;
  const bool t4 = t2 & t3;
  buf0[i0] = t4;
}

==== aten.logical_not.default
kernel void kernel0(
    device const float* x0,
    device bool* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const bool t1 = t0 != 0;
  const bool t2 = !t1;
  buf0[i0] = t2;
}

==== aten.logical_or.default
kernel void kernel0(
    device const float* x0,
    device const float* x1,
    device bool* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = x1[i0];
  const bool t2 = t0 != 0;
  const bool t3 = t1 != 0;
  const bool t4 = t2 | t3;
  buf0[i0] = t4;
}

==== aten.logical_xor.default
kernel void kernel0(
    device const float* x0,
    device const float* x1,
    device bool* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = x1[i0];
  const bool t2 = t0 != 0;
  const bool t3 = t1 != 0;
  const bool t4 = t2 ^ t3;
  buf0[i0] = t4;
}

==== aten.lt.Scalar
kernel void kernel0(
    device const float* x0,
    device bool* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const bool t1 = t0 < (1.5f);
  buf0[i0] = t1;
}

==== aten.lt.Tensor
kernel void kernel0(
    device const float* x0,
    device const float* x1,
    device bool* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = x1[i0];
  const bool t2 = t0 < t1;
  buf0[i0] = t2;
}

==== aten.maximum.default
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
  const float t2 = larger(t0, t1);
  buf0[i0] = t2;
}

==== aten.minimum.default
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
  const float t2 = smaller(t0, t1);
  buf0[i0] = t2;
}

==== aten.mul.Scalar
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = t0 * (1.5f);
  buf0[i0] = t1;
}

==== aten.mul.Tensor
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
  const float t2 = t0 * t1;
  buf0[i0] = t2;
}

==== aten.ne.Scalar
kernel void kernel0(
    device const float* x0,
    device bool* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const bool t1 = t0 != (1.5f);
  buf0[i0] = t1;
}

==== aten.ne.Tensor
kernel void kernel0(
    device const float* x0,
    device const float* x1,
    device bool* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = x1[i0];
  const bool t2 = t0 != t1;
  buf0[i0] = t2;
}

==== aten.neg.default
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

==== aten.new_empty_strided.default
kernel void kernel0(
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  buf0[i0] = (0.0f);
}

==== aten.pow.Scalar
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = pow((1.5f), t0);
  buf0[i0] = t1;
}

==== aten.pow.Tensor_Scalar
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = pow(t0, (1.5f));
  buf0[i0] = t1;
}

==== aten.pow.Tensor_Tensor
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
  const float t2 = pow(t0, t1);
  buf0[i0] = t2;
}

==== aten.reciprocal.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = (1.0f) / t0;
  buf0[i0] = t1;
}

==== aten.relu.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = larger(t0, (0.0f));
  buf0[i0] = t1;
}

==== aten.round.decimals
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = t0 * (100.0f);
  const float t2 = rint(t1);
  const float t3 = t2 / (100.0f);
  buf0[i0] = t3;
}

==== aten.round.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = rint(t0);
  buf0[i0] = t1;
}

==== aten.rsqrt.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = rsqrt(t0);
  buf0[i0] = t1;
}

==== aten.scalar_tensor.default
kernel void kernel0(
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 1) return;
  buf0[0] = (1.5f);
}

==== aten.sigmoid.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = -t0;
  const float t2 = exp(t1);
  const float t3 = (1.0f) + t2;
  const float t4 = (1.0f) / t3;
  buf0[i0] = t4;
}

==== aten.sign.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const bool t1 = t0 > (0.0f);
  const float t2 = float(t1);
  const bool t3 = t0 < (0.0f);
  const float t4 = float(t3);
  const float t5 = t2 - t4;
  const bool t6 = t0 != t0;
  const float t7 = t6 ? t0 : t5;
  buf0[i0] = t7;
}

==== aten.signbit.default
kernel void kernel0(
    device const float* x0,
    device bool* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const bool t1 = signbit(t0);
  buf0[i0] = t1;
}

==== aten.sin.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = sin(t0);
  buf0[i0] = t1;
}

==== aten.sinh.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = sinh(t0);
  buf0[i0] = t1;
}

==== aten.sqrt.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = sqrt(t0);
  buf0[i0] = t1;
}

==== aten.sub.Scalar
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = t0 - (1.5f);
  buf0[i0] = t1;
}

==== aten.sub.Tensor
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
  const float t2 = t0 - t1;
  buf0[i0] = t2;
}

==== aten.tan.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = tan(t0);
  buf0[i0] = t1;
}

==== aten.tanh.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = tanh(t0);
  buf0[i0] = t1;
}

==== aten.trunc.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = trunc(t0);
  buf0[i0] = t1;
}

==== aten.where.self
kernel void kernel0(
    device const bool* x0,
    device const float* x1,
    device const float* x2,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = (x_at / (6));
  const long i1 = x_at % (6);
  const bool t0 = x0[i1];
  const float t1 = x1[6*i0 + i1];
  const float t2 = x2[6*i0 + i1];
  const float t3 = t0 ? t1 : t2;
  buf0[6*i0 + i1] = t3;
}

==== prims.convert_element_type.default
kernel void kernel0(
    device const float* x0,
    device long* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 6) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const long t1 = long(t0);
  buf0[i0] = t1;
}

==== prims.fma.default
kernel void kernel0(
    device const float* x0,
    device const float* x1,
    device const float* x2,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 24) return;
  const long i0 = x_at;
  const float t0 = x0[i0];
  const float t1 = x1[i0];
  const float t2 = x2[i0];
  const float t3 = t0 * t1;
  const float t4 = t3 + t2;
  buf0[i0] = t4;
}

==== prims.iota.default
kernel void kernel0(
    device long* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 6) return;
  const long i0 = x_at;
  const long t0 = i0;
  buf0[i0] = t0;
}
