==== aten.avg_pool2d.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 32) return;
  const long i0 = (x_at / (16));
  const long i1 = (x_at / (4)) % (4);
  const long i2 = x_at % (4);
  const long t0 = -1 + 2*i1;
  const bool t1 = t0 >= long(0L);
  const long t2 = -1 + 2*i2;
  const bool t3 = t2 >= long(0L);
  const long t4 = 6;
  const bool t5 = t0 < t4;
  const bool t6 = t2 < t4;
  const bool t7 = t1 & t3;
  const bool t8 = t7 & t5;
  const bool t9 = t8 & t6;
  const float t10 = t9 ? float(x0[-7 + 36*i0 + 12*i1 + 2*i2]) : float(0);
  const float t11 = t9 ? t10 : (0.0f);
  const long t12 = 2*i2;
  const bool t13 = t12 >= long(0L);
  const bool t14 = t12 < t4;
  const bool t15 = t1 & t13;
  const bool t16 = t15 & t5;
  const bool t17 = t16 & t14;
  const float t18 = t17 ? float(x0[-6 + 36*i0 + 12*i1 + 2*i2]) : float(0);
  const float t19 = t17 ? t18 : (0.0f);
  const float t20 = t11 + t19;
  const long t21 = 2*i1;
  const bool t22 = t21 >= long(0L);
  const bool t23 = t21 < t4;
  const bool t24 = t22 & t3;
  const bool t25 = t24 & t23;
  const bool t26 = t25 & t6;
  const float t27 = t26 ? float(x0[-1 + 36*i0 + 12*i1 + 2*i2]) : float(0);
  const float t28 = t26 ? t27 : (0.0f);
  const float t29 = t20 + t28;
  const bool t30 = t22 & t13;
  const bool t31 = t30 & t23;
  const bool t32 = t31 & t14;
  const float t33 = t32 ? float(x0[36*i0 + 12*i1 + 2*i2]) : float(0);
  const float t34 = t32 ? t33 : (0.0f);
  const float t35 = t29 + t34;
  const long t36 = 1 + 2*i1;
  const long t37 = 7;
  const long t38 = smaller(t36, t37);
  const long t39 = larger(t0, long(-1L));
  const long t40 = t38 - t39;
  const long t41 = 1 + 2*i2;
  const long t42 = smaller(t41, t37);
  const long t43 = larger(t2, long(-1L));
  const long t44 = t42 - t43;
  const long t45 = t40 * t44;
  const float t46 = float(t45);
  const float t47 = t35 / t46;
  buf0[16*i0 + 4*i1 + i2] = t47;
}

==== aten.avg_pool2d_backward.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 72) return;
  const long i0 = (x_at / (36));
  const long i1 = (x_at / (6)) % (6);
  const long i2 = x_at % (6);
  const long t0 = ((i1) / (2));
  const bool t1 = t0 >= long(0L);
  const long t2 = ((i2) / (2));
  const bool t3 = t2 >= long(0L);
  const long t4 = 3;
  const bool t5 = t0 < t4;
  const bool t6 = t2 < t4;
  const bool t7 = t1 & t3;
  const bool t8 = t7 & t5;
  const bool t9 = t8 & t6;
  const long t10 = -2*((i1) / (2)) + i1;
  const bool t11 = t10 >= long(0L);
  const long t12 = -2*((i2) / (2)) + i2;
  const bool t13 = t12 >= long(0L);
  const long t14 = 2;
  const bool t15 = t10 < t14;
  const bool t16 = t12 < t14;
  const bool t17 = t11 & t13;
  const bool t18 = t17 & t15;
  const bool t19 = t18 & t16;
  const bool t20 = t9 & t19;
  const float t21 = t20 ? float(x0[3*((i1) / (2)) + ((i2) / (2)) + 9*i0]) : float(0);
  const long t22 = 2 + 2*((i1) / (2));
  const long t23 = 6;
  const long t24 = smaller(t22, t23);
  const long t25 = 2*((i1) / (2));
  const long t26 = larger(t25, long(0L));
  const long t27 = t24 - t26;
  const long t28 = 2 + 2*((i2) / (2));
  const long t29 = smaller(t28, t23);
  const long t30 = 2*((i2) / (2));
  const long t31 = larger(t30, long(0L));
  const long t32 = t29 - t31;
  const long t33 = t27 * t32;
  const float t34 = float(t33);
  const float t35 = t21 / t34;
  const float t36 = t20 ? t35 : (0.0f);
  buf0[36*i0 + 6*i1 + i2] = t36;
}

==== aten.max_pool2d_with_indices.default
kernel void kernel0(
    device const float* x0,
    device float* buf0,
    device long* buf1,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 32) return;
  const long i0 = (x_at / (16));
  const long i1 = (x_at / (4)) % (4);
  const long i2 = x_at % (4);
  const long t0 = -1 + 2*i1;
  const bool t1 = t0 >= long(0L);
  const long t2 = -1 + 2*i2;
  const bool t3 = t2 >= long(0L);
  const long t4 = 6;
  const bool t5 = t0 < t4;
  const bool t6 = t2 < t4;
  const bool t7 = t1 & t3;
  const bool t8 = t7 & t5;
  const bool t9 = t8 & t6;
  const float t10 = t9 ? float(x0[-7 + 36*i0 + 12*i1 + 2*i2]) : float(0);
  const float t11 = t9 ? t10 : (-INFINITY);
  const bool t12 = t11 > (-INFINITY);
  const bool t13 = t11 != t11;
  const bool t14 = t12 | t13;
  const bool t15 = long(-1L) < long(0L);
  const bool t16 = t15 & t9;
  const bool t17 = t14 | t16;
  const long t18 = -7 + 12*i1 + 2*i2;
  const float t19 = t14 ? t11 : (-INFINITY);
  const long t20 = t17 ? t18 : long(-1L);
  const long t21 = 2*i2;
  const bool t22 = t21 >= long(0L);
  const bool t23 = t21 < t4;
  const bool t24 = t1 & t22;
  const bool t25 = t24 & t5;
  const bool t26 = t25 & t23;
  const float t27 = t26 ? float(x0[-6 + 36*i0 + 12*i1 + 2*i2]) : float(0);
  const float t28 = t26 ? t27 : (-INFINITY);
  const bool t29 = t28 > t19;
  const bool t30 = t28 != t28;
  const bool t31 = t29 | t30;
  const bool t32 = t20 < long(0L);
  const bool t33 = t32 & t26;
  const bool t34 = t31 | t33;
  const long t35 = -6 + 12*i1 + 2*i2;
  const float t36 = t31 ? t28 : t19;
  const long t37 = t34 ? t35 : t20;
  const long t38 = 2*i1;
  const bool t39 = t38 >= long(0L);
  const bool t40 = t38 < t4;
  const bool t41 = t39 & t3;
  const bool t42 = t41 & t40;
  const bool t43 = t42 & t6;
  const float t44 = t43 ? float(x0[-1 + 36*i0 + 12*i1 + 2*i2]) : float(0);
  const float t45 = t43 ? t44 : (-INFINITY);
  const bool t46 = t45 > t36;
  const bool t47 = t45 != t45;
  const bool t48 = t46 | t47;
  const bool t49 = t37 < long(0L);
  const bool t50 = t49 & t43;
  const bool t51 = t48 | t50;
  const long t52 = -1 + 12*i1 + 2*i2;
  const float t53 = t48 ? t45 : t36;
  const long t54 = t51 ? t52 : t37;
  const bool t55 = t39 & t22;
  const bool t56 = t55 & t40;
  const bool t57 = t56 & t23;
  const float t58 = t57 ? float(x0[36*i0 + 12*i1 + 2*i2]) : float(0);
  const float t59 = t57 ? t58 : (-INFINITY);
  const bool t60 = t59 > t53;
  const bool t61 = t59 != t59;
  const bool t62 = t60 | t61;
  const bool t63 = t54 < long(0L);
  const bool t64 = t63 & t57;
  const bool t65 = t62 | t64;
  const long t66 = 12*i1 + 2*i2;
  const float t67 = t62 ? t59 : t53;
  const long t68 = t65 ? t66 : t54;
  buf0[16*i0 + 4*i1 + i2] = t67;
  buf1[16*i0 + 4*i1 + i2] = t68;
}

==== aten.max_pool2d_with_indices_backward.default
kernel void kernel0(
    device const float* x0,
    device const long* x2,
    device float* buf0,
    uint thread_at [[thread_position_in_grid]]) {
  const long x_at = thread_at;
  if (x_at >= 72) return;
  const long i0 = (x_at / (36));
  const long i1 = (x_at / (6)) % (6);
  const long i2 = x_at % (6);
  const long t0 = 6*i1 + i2;
  const long t1 = ((i1) / (2));
  const bool t2 = t1 >= long(0L);
  const long t3 = ((i2) / (2));
  const bool t4 = t3 >= long(0L);
  const long t5 = 3;
  const bool t6 = t1 < t5;
  const bool t7 = t3 < t5;
  const bool t8 = t2 & t4;
  const bool t9 = t8 & t6;
  const bool t10 = t9 & t7;
  const long t11 = t10 ? long(x2[3*((i1) / (2)) + ((i2) / (2)) + 9*i0]) : long(0);
  const long t12 = t10 ? t11 : long(-1L);
  const bool t13 = t12 == t0;
  const float t14 = t13 ? float(x0[3*((i1) / (2)) + ((i2) / (2)) + 9*i0]) : float(0);
  const float t15 = t13 ? t14 : (0.0f);
  buf0[36*i0 + 6*i1 + i2] = t15;
}
