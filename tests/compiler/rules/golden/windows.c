==== aten.avg_pool2d.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  for (long i0 = 0; i0 < 2; i0++) {
    for (long i1 = 0; i1 < 4; i1++) {
      const long t0 = -1 + 2*i1;
      const unsigned char t1 = t0 >= (0L);
      const long t2 = 6;
      const unsigned char t3 = t0 < t2;
      const unsigned char t4 = t1 & t3;
      const long t5 = 2*i1;
      const unsigned char t6 = t5 >= (0L);
      const unsigned char t7 = t5 < t2;
      const unsigned char t8 = t6 & t7;
      const long t9 = 1 + 2*i1;
      const long t10 = 7;
      const long t11 = (t9 < t10 ? t9 : t10);
      const long t12 = (t0 > (-1L) ? t0 : (-1L));
      const long t13 = t11 - t12;
      #pragma omp simd
      for (long i2 = 0; i2 < 1; i2++) {
        const long t14 = -1 + 2*i2;
        const float t15 = t4 ? x0[-6 + 36*i0 + 12*i1 + 2*i2] : 0;
        const float t16 = t4 ? t15 : (0.0f);
        const float t17 = (0.0f) + t16;
        const float t18 = t17 + (0.0f);
        const float t19 = t8 ? x0[36*i0 + 12*i1 + 2*i2] : 0;
        const float t20 = t8 ? t19 : (0.0f);
        const float t21 = t18 + t20;
        const long t22 = 1 + 2*i2;
        const long t23 = (t22 < t10 ? t22 : t10);
        const long t24 = (t14 > (-1L) ? t14 : (-1L));
        const long t25 = t23 - t24;
        const long t26 = t13 * t25;
        const float t27 = (float)t26;
        const float t28 = t21 / t27;
        buf0[16*i0 + 4*i1 + i2] = t28;
      }
      #pragma omp simd
      for (long i2 = 1; i2 < 3; i2++) {
        const long t29 = -1 + 2*i2;
        const float t30 = t4 ? x0[-7 + 36*i0 + 12*i1 + 2*i2] : 0;
        const float t31 = t4 ? t30 : (0.0f);
        const float t32 = t4 ? x0[-6 + 36*i0 + 12*i1 + 2*i2] : 0;
        const float t33 = t4 ? t32 : (0.0f);
        const float t34 = t31 + t33;
        const float t35 = t8 ? x0[-1 + 36*i0 + 12*i1 + 2*i2] : 0;
        const float t36 = t8 ? t35 : (0.0f);
        const float t37 = t34 + t36;
        const float t38 = t8 ? x0[36*i0 + 12*i1 + 2*i2] : 0;
        const float t39 = t8 ? t38 : (0.0f);
        const float t40 = t37 + t39;
        const long t41 = 1 + 2*i2;
        const long t42 = (t41 < t10 ? t41 : t10);
        const long t43 = (t29 > (-1L) ? t29 : (-1L));
        const long t44 = t42 - t43;
        const long t45 = t13 * t44;
        const float t46 = (float)t45;
        const float t47 = t40 / t46;
        buf0[16*i0 + 4*i1 + i2] = t47;
      }
      #pragma omp simd
      for (long i2 = 3; i2 < 4; i2++) {
        const long t48 = -1 + 2*i2;
        const float t49 = t4 ? x0[-7 + 36*i0 + 12*i1 + 2*i2] : 0;
        const float t50 = t4 ? t49 : (0.0f);
        const float t51 = t50 + (0.0f);
        const float t52 = t8 ? x0[-1 + 36*i0 + 12*i1 + 2*i2] : 0;
        const float t53 = t8 ? t52 : (0.0f);
        const float t54 = t51 + t53;
        const float t55 = t54 + (0.0f);
        const long t56 = 1 + 2*i2;
        const long t57 = (t56 < t10 ? t56 : t10);
        const long t58 = (t48 > (-1L) ? t48 : (-1L));
        const long t59 = t57 - t58;
        const long t60 = t13 * t59;
        const float t61 = (float)t60;
        const float t62 = t55 / t61;
        buf0[16*i0 + 4*i1 + i2] = t62;
      }
    }
  }
}

==== aten.avg_pool2d_backward.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  for (long i0 = 0; i0 < 2; i0++) {
    for (long i1 = 0; i1 < 6; i1++) {
      const long t0 = ((i1) / (2));
      const unsigned char t1 = t0 >= (0L);
      const long t2 = 3;
      const unsigned char t3 = t0 < t2;
      const long t4 = -2*((i1) / (2)) + i1;
      const unsigned char t5 = t4 >= (0L);
      const long t6 = 2;
      const unsigned char t7 = t4 < t6;
      const unsigned char t8 = t1 & t3;
      const long t9 = 2 + 2*((i1) / (2));
      const long t10 = 6;
      const long t11 = (t9 < t10 ? t9 : t10);
      const long t12 = 2*((i1) / (2));
      const long t13 = (t12 > (0L) ? t12 : (0L));
      const long t14 = t11 - t13;
      #pragma omp simd
      for (long i2 = 0; i2 < 6; i2++) {
        const long t15 = ((i2) / (2));
        const unsigned char t16 = t15 >= (0L);
        const unsigned char t17 = t15 < t2;
        const long t18 = -2*((i2) / (2)) + i2;
        const unsigned char t19 = t18 >= (0L);
        const unsigned char t20 = t18 < t6;
        const unsigned char t21 = t8 & t16;
        const unsigned char t22 = t21 & t17;
        const unsigned char t23 = t22 & t5;
        const unsigned char t24 = t23 & t7;
        const unsigned char t25 = t24 & t19;
        const unsigned char t26 = t25 & t20;
        const float t27 = t26 ? x0[3*((i1) / (2)) + ((i2) / (2)) + 9*i0] : 0;
        const long t28 = 2 + 2*((i2) / (2));
        const long t29 = (t28 < t10 ? t28 : t10);
        const long t30 = 2*((i2) / (2));
        const long t31 = (t30 > (0L) ? t30 : (0L));
        const long t32 = t29 - t31;
        const long t33 = t14 * t32;
        const float t34 = (float)t33;
        const float t35 = t27 / t34;
        const float t36 = t26 ? t35 : (0.0f);
        buf0[36*i0 + 6*i1 + i2] = t36;
      }
    }
  }
}

==== aten.max_pool2d_with_indices.default
void kernel0(const float* restrict x0, float* restrict buf0, long* restrict buf1, int threads) {
  for (long i0 = 0; i0 < 2; i0++) {
    for (long i1 = 0; i1 < 4; i1++) {
      const long t0 = -1 + 2*i1;
      const unsigned char t1 = t0 >= (0L);
      const long t2 = 6;
      const unsigned char t3 = t0 < t2;
      const unsigned char t4 = t1 & t3;
      const unsigned char t5 = (-1L) < (0L);
      const long t6 = 2*i1;
      const unsigned char t7 = t6 >= (0L);
      const unsigned char t8 = t6 < t2;
      const unsigned char t9 = t7 & t8;
      #pragma omp simd
      for (long i2 = 0; i2 < 1; i2++) {
        const unsigned char t10 = (-__builtin_inff()) > (-__builtin_inff());
        const unsigned char t11 = (-__builtin_inff()) != (-__builtin_inff());
        const unsigned char t12 = t10 | t11;
        const long t13 = -7 + 12*i1 + 2*i2;
        const float t14 = t12 ? (-__builtin_inff()) : (-__builtin_inff());
        const long t15 = t12 ? t13 : (-1L);
        const float t16 = t4 ? x0[-6 + 36*i0 + 12*i1 + 2*i2] : 0;
        const float t17 = t4 ? t16 : (-__builtin_inff());
        const unsigned char t18 = t17 > t14;
        const unsigned char t19 = t17 != t17;
        const unsigned char t20 = t18 | t19;
        const unsigned char t21 = t15 < (0L);
        const unsigned char t22 = t21 & t4;
        const unsigned char t23 = t20 | t22;
        const long t24 = -6 + 12*i1 + 2*i2;
        const float t25 = t20 ? t17 : t14;
        const long t26 = t23 ? t24 : t15;
        const unsigned char t27 = (-__builtin_inff()) > t25;
        const unsigned char t28 = (-__builtin_inff()) != (-__builtin_inff());
        const unsigned char t29 = t27 | t28;
        const long t30 = -1 + 12*i1 + 2*i2;
        const float t31 = t29 ? (-__builtin_inff()) : t25;
        const long t32 = t29 ? t30 : t26;
        const float t33 = t9 ? x0[36*i0 + 12*i1 + 2*i2] : 0;
        const float t34 = t9 ? t33 : (-__builtin_inff());
        const unsigned char t35 = t34 > t31;
        const unsigned char t36 = t34 != t34;
        const unsigned char t37 = t35 | t36;
        const unsigned char t38 = t32 < (0L);
        const unsigned char t39 = t38 & t9;
        const unsigned char t40 = t37 | t39;
        const long t41 = 12*i1 + 2*i2;
        const float t42 = t37 ? t34 : t31;
        const long t43 = t40 ? t41 : t32;
        buf0[16*i0 + 4*i1 + i2] = t42;
        buf1[16*i0 + 4*i1 + i2] = t43;
      }
      #pragma omp simd
      for (long i2 = 1; i2 < 3; i2++) {
        const float t44 = t4 ? x0[-7 + 36*i0 + 12*i1 + 2*i2] : 0;
        const float t45 = t4 ? t44 : (-__builtin_inff());
        const unsigned char t46 = t45 > (-__builtin_inff());
        const unsigned char t47 = t45 != t45;
        const unsigned char t48 = t46 | t47;
        const unsigned char t49 = t5 & t4;
        const unsigned char t50 = t48 | t49;
        const long t51 = -7 + 12*i1 + 2*i2;
        const float t52 = t48 ? t45 : (-__builtin_inff());
        const long t53 = t50 ? t51 : (-1L);
        const float t54 = t4 ? x0[-6 + 36*i0 + 12*i1 + 2*i2] : 0;
        const float t55 = t4 ? t54 : (-__builtin_inff());
        const unsigned char t56 = t55 > t52;
        const unsigned char t57 = t55 != t55;
        const unsigned char t58 = t56 | t57;
        const unsigned char t59 = t53 < (0L);
        const unsigned char t60 = t59 & t4;
        const unsigned char t61 = t58 | t60;
        const long t62 = -6 + 12*i1 + 2*i2;
        const float t63 = t58 ? t55 : t52;
        const long t64 = t61 ? t62 : t53;
        const float t65 = t9 ? x0[-1 + 36*i0 + 12*i1 + 2*i2] : 0;
        const float t66 = t9 ? t65 : (-__builtin_inff());
        const unsigned char t67 = t66 > t63;
        const unsigned char t68 = t66 != t66;
        const unsigned char t69 = t67 | t68;
        const unsigned char t70 = t64 < (0L);
        const unsigned char t71 = t70 & t9;
        const unsigned char t72 = t69 | t71;
        const long t73 = -1 + 12*i1 + 2*i2;
        const float t74 = t69 ? t66 : t63;
        const long t75 = t72 ? t73 : t64;
        const float t76 = t9 ? x0[36*i0 + 12*i1 + 2*i2] : 0;
        const float t77 = t9 ? t76 : (-__builtin_inff());
        const unsigned char t78 = t77 > t74;
        const unsigned char t79 = t77 != t77;
        const unsigned char t80 = t78 | t79;
        const unsigned char t81 = t75 < (0L);
        const unsigned char t82 = t81 & t9;
        const unsigned char t83 = t80 | t82;
        const long t84 = 12*i1 + 2*i2;
        const float t85 = t80 ? t77 : t74;
        const long t86 = t83 ? t84 : t75;
        buf0[16*i0 + 4*i1 + i2] = t85;
        buf1[16*i0 + 4*i1 + i2] = t86;
      }
      #pragma omp simd
      for (long i2 = 3; i2 < 4; i2++) {
        const float t87 = t4 ? x0[-7 + 36*i0 + 12*i1 + 2*i2] : 0;
        const float t88 = t4 ? t87 : (-__builtin_inff());
        const unsigned char t89 = t88 > (-__builtin_inff());
        const unsigned char t90 = t88 != t88;
        const unsigned char t91 = t89 | t90;
        const unsigned char t92 = t5 & t4;
        const unsigned char t93 = t91 | t92;
        const long t94 = -7 + 12*i1 + 2*i2;
        const float t95 = t91 ? t88 : (-__builtin_inff());
        const long t96 = t93 ? t94 : (-1L);
        const unsigned char t97 = (-__builtin_inff()) > t95;
        const unsigned char t98 = (-__builtin_inff()) != (-__builtin_inff());
        const unsigned char t99 = t97 | t98;
        const long t100 = -6 + 12*i1 + 2*i2;
        const float t101 = t99 ? (-__builtin_inff()) : t95;
        const long t102 = t99 ? t100 : t96;
        const float t103 = t9 ? x0[-1 + 36*i0 + 12*i1 + 2*i2] : 0;
        const float t104 = t9 ? t103 : (-__builtin_inff());
        const unsigned char t105 = t104 > t101;
        const unsigned char t106 = t104 != t104;
        const unsigned char t107 = t105 | t106;
        const unsigned char t108 = t102 < (0L);
        const unsigned char t109 = t108 & t9;
        const unsigned char t110 = t107 | t109;
        const long t111 = -1 + 12*i1 + 2*i2;
        const float t112 = t107 ? t104 : t101;
        const long t113 = t110 ? t111 : t102;
        const unsigned char t114 = (-__builtin_inff()) > t112;
        const unsigned char t115 = (-__builtin_inff()) != (-__builtin_inff());
        const unsigned char t116 = t114 | t115;
        const long t117 = 12*i1 + 2*i2;
        const float t118 = t116 ? (-__builtin_inff()) : t112;
        const long t119 = t116 ? t117 : t113;
        buf0[16*i0 + 4*i1 + i2] = t118;
        buf1[16*i0 + 4*i1 + i2] = t119;
      }
    }
  }
}

==== aten.max_pool2d_with_indices_backward.default
void kernel0(const float* restrict x0, const long* restrict x2, float* restrict buf0, int threads) {
  for (long i0 = 0; i0 < 2; i0++) {
    for (long i1 = 0; i1 < 6; i1++) {
      const long t0 = ((i1) / (2));
      const unsigned char t1 = t0 >= (0L);
      const long t2 = 3;
      const unsigned char t3 = t0 < t2;
      const unsigned char t4 = t1 & t3;
      #pragma omp simd
      for (long i2 = 0; i2 < 6; i2++) {
        const long t5 = 6*i1 + i2;
        const long t6 = ((i2) / (2));
        const unsigned char t7 = t6 >= (0L);
        const unsigned char t8 = t6 < t2;
        const unsigned char t9 = t4 & t7;
        const unsigned char t10 = t9 & t8;
        const long t11 = t10 ? x2[3*((i1) / (2)) + ((i2) / (2)) + 9*i0] : 0;
        const long t12 = t10 ? t11 : (-1L);
        const unsigned char t13 = t12 == t5;
        const float t14 = t13 ? x0[3*((i1) / (2)) + ((i2) / (2)) + 9*i0] : 0;
        const float t15 = t13 ? t14 : (0.0f);
        buf0[36*i0 + 6*i1 + i2] = t15;
      }
    }
  }
}
