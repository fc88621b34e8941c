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
  const long t2 = 6;
  const bool t3 = t0 < t2;
  const long t4 = -1 + 2*i2;
  const bool t5 = t4 >= long(0L);
  const bool t6 = t4 < t2;
  const bool t7 = t1 & t3;
  const bool t8 = t7 & t5;
  const bool t9 = t8 & t6;
  const float t10 = t9 ? float(x0[-7 + 36*i0 + 12*i1 + 2*i2]) : float(0);
  const float t11 = t9 ? t10 : (0.0f);
  const long t12 = 2*i2;
  const bool t13 = t12 >= long(0L);
  const bool t14 = t12 < t2;
  const bool t15 = t7 & t13;
  const bool t16 = t15 & t14;
  const float t17 = t16 ? float(x0[-6 + 36*i0 + 12*i1 + 2*i2]) : float(0);
  const float t18 = t16 ? t17 : (0.0f);
  const float t19 = t11 + t18;
  const long t20 = 2*i1;
  const bool t21 = t20 >= long(0L);
  const bool t22 = t20 < t2;
  const bool t23 = t21 & t22;
  const bool t24 = t23 & t5;
  const bool t25 = t24 & t6;
  const float t26 = t25 ? float(x0[-1 + 36*i0 + 12*i1 + 2*i2]) : float(0);
  const float t27 = t25 ? t26 : (0.0f);
  const float t28 = t19 + t27;
  const bool t29 = t23 & t13;
  const bool t30 = t29 & t14;
  const float t31 = t30 ? float(x0[36*i0 + 12*i1 + 2*i2]) : float(0);
  const float t32 = t30 ? t31 : (0.0f);
  const float t33 = t28 + t32;
  const long t34 = 1 + 2*i1;
  const long t35 = 7;
  const long t36 = smaller(t34, t35);
  const long t37 = larger(t0, long(-1L));
  const long t38 = t36 - t37;
  const long t39 = 1 + 2*i2;
  const long t40 = smaller(t39, t35);
  const long t41 = larger(t4, long(-1L));
  const long t42 = t40 - t41;
  const long t43 = t38 * t42;
  const float t44 = float(t43);
  const float t45 = t33 / t44;
  buf0[16*i0 + 4*i1 + i2] = t45;
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
  const long t2 = 3;
  const bool t3 = t0 < t2;
  const long t4 = ((i2) / (2));
  const bool t5 = t4 >= long(0L);
  const bool t6 = t4 < t2;
  const long t7 = -2*((i1) / (2)) + i1;
  const bool t8 = t7 >= long(0L);
  const long t9 = 2;
  const bool t10 = t7 < t9;
  const long t11 = -2*((i2) / (2)) + i2;
  const bool t12 = t11 >= long(0L);
  const bool t13 = t11 < t9;
  const bool t14 = t1 & t3;
  const bool t15 = t14 & t5;
  const bool t16 = t15 & t6;
  const bool t17 = t16 & t8;
  const bool t18 = t17 & t10;
  const bool t19 = t18 & t12;
  const bool t20 = t19 & t13;
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
  const long t2 = 6;
  const bool t3 = t0 < t2;
  const long t4 = -1 + 2*i2;
  const bool t5 = t4 >= long(0L);
  const bool t6 = t4 < t2;
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
  const bool t23 = t21 < t2;
  const bool t24 = t7 & t22;
  const bool t25 = t24 & t23;
  const float t26 = t25 ? float(x0[-6 + 36*i0 + 12*i1 + 2*i2]) : float(0);
  const float t27 = t25 ? t26 : (-INFINITY);
  const bool t28 = t27 > t19;
  const bool t29 = t27 != t27;
  const bool t30 = t28 | t29;
  const bool t31 = t20 < long(0L);
  const bool t32 = t31 & t25;
  const bool t33 = t30 | t32;
  const long t34 = -6 + 12*i1 + 2*i2;
  const float t35 = t30 ? t27 : t19;
  const long t36 = t33 ? t34 : t20;
  const long t37 = 2*i1;
  const bool t38 = t37 >= long(0L);
  const bool t39 = t37 < t2;
  const bool t40 = t38 & t39;
  const bool t41 = t40 & t5;
  const bool t42 = t41 & t6;
  const float t43 = t42 ? float(x0[-1 + 36*i0 + 12*i1 + 2*i2]) : float(0);
  const float t44 = t42 ? t43 : (-INFINITY);
  const bool t45 = t44 > t35;
  const bool t46 = t44 != t44;
  const bool t47 = t45 | t46;
  const bool t48 = t36 < long(0L);
  const bool t49 = t48 & t42;
  const bool t50 = t47 | t49;
  const long t51 = -1 + 12*i1 + 2*i2;
  const float t52 = t47 ? t44 : t35;
  const long t53 = t50 ? t51 : t36;
  const bool t54 = t40 & t22;
  const bool t55 = t54 & t23;
  const float t56 = t55 ? float(x0[36*i0 + 12*i1 + 2*i2]) : float(0);
  const float t57 = t55 ? t56 : (-INFINITY);
  const bool t58 = t57 > t52;
  const bool t59 = t57 != t57;
  const bool t60 = t58 | t59;
  const bool t61 = t53 < long(0L);
  const bool t62 = t61 & t55;
  const bool t63 = t60 | t62;
  const long t64 = 12*i1 + 2*i2;
  const float t65 = t60 ? t57 : t52;
  const long t66 = t63 ? t64 : t53;
  buf0[16*i0 + 4*i1 + i2] = t65;
  buf1[16*i0 + 4*i1 + i2] = t66;
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
  const long t3 = 3;
  const bool t4 = t1 < t3;
  const long t5 = ((i2) / (2));
  const bool t6 = t5 >= long(0L);
  const bool t7 = t5 < t3;
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
