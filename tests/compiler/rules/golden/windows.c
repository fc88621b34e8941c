==== aten.avg_pool2d.default
void kernel0(const float* restrict x0, float* restrict buf0, int threads) {
  for (long i0 = 0; i0 < 2; i0++) {
    for (long i1 = 0; i1 < 4; i1++) {
      const long t0 = -1 + 2*i1;
      const unsigned char t1 = t0 >= (0L);
      const long t2 = 6;
      const unsigned char t3 = t0 < t2;
      const long t4 = 2*i1;
      const unsigned char t5 = t4 >= (0L);
      const unsigned char t6 = t4 < t2;
      const long t7 = 1 + 2*i1;
      const long t8 = 7;
      const long t9 = (t7 < t8 ? t7 : t8);
      const long t10 = (t0 > (-1L) ? t0 : (-1L));
      const long t11 = t9 - t10;
      #pragma omp simd
      for (long i2 = 0; i2 < 1; i2++) {
        const long t12 = -1 + 2*i2;
        const unsigned char t13 = t1 & t3;
        const float t14 = t13 ? x0[-6 + 36*i0 + 12*i1 + 2*i2] : 0;
        const float t15 = t13 ? t14 : (0.0f);
        const float t16 = (0.0f) + t15;
        const float t17 = t16 + (0.0f);
        const unsigned char t18 = t5 & t6;
        const float t19 = t18 ? x0[36*i0 + 12*i1 + 2*i2] : 0;
        const float t20 = t18 ? t19 : (0.0f);
        const float t21 = t17 + t20;
        const long t22 = 1 + 2*i2;
        const long t23 = (t22 < t8 ? t22 : t8);
        const long t24 = (t12 > (-1L) ? t12 : (-1L));
        const long t25 = t23 - t24;
        const long t26 = t11 * t25;
        const float t27 = (float)t26;
        const float t28 = t21 / t27;
        buf0[16*i0 + 4*i1 + i2] = t28;
      }
      #pragma omp simd
      for (long i2 = 1; i2 < 3; i2++) {
        const long t29 = -1 + 2*i2;
        const unsigned char t30 = t1 & t3;
        const float t31 = t30 ? x0[-7 + 36*i0 + 12*i1 + 2*i2] : 0;
        const float t32 = t30 ? t31 : (0.0f);
        const unsigned char t33 = t1 & t3;
        const float t34 = t33 ? x0[-6 + 36*i0 + 12*i1 + 2*i2] : 0;
        const float t35 = t33 ? t34 : (0.0f);
        const float t36 = t32 + t35;
        const unsigned char t37 = t5 & t6;
        const float t38 = t37 ? x0[-1 + 36*i0 + 12*i1 + 2*i2] : 0;
        const float t39 = t37 ? t38 : (0.0f);
        const float t40 = t36 + t39;
        const unsigned char t41 = t5 & t6;
        const float t42 = t41 ? x0[36*i0 + 12*i1 + 2*i2] : 0;
        const float t43 = t41 ? t42 : (0.0f);
        const float t44 = t40 + t43;
        const long t45 = 1 + 2*i2;
        const long t46 = (t45 < t8 ? t45 : t8);
        const long t47 = (t29 > (-1L) ? t29 : (-1L));
        const long t48 = t46 - t47;
        const long t49 = t11 * t48;
        const float t50 = (float)t49;
        const float t51 = t44 / t50;
        buf0[16*i0 + 4*i1 + i2] = t51;
      }
      #pragma omp simd
      for (long i2 = 3; i2 < 4; i2++) {
        const long t52 = -1 + 2*i2;
        const unsigned char t53 = t1 & t3;
        const float t54 = t53 ? x0[-7 + 36*i0 + 12*i1 + 2*i2] : 0;
        const float t55 = t53 ? t54 : (0.0f);
        const float t56 = t55 + (0.0f);
        const unsigned char t57 = t5 & t6;
        const float t58 = t57 ? x0[-1 + 36*i0 + 12*i1 + 2*i2] : 0;
        const float t59 = t57 ? t58 : (0.0f);
        const float t60 = t56 + t59;
        const float t61 = t60 + (0.0f);
        const long t62 = 1 + 2*i2;
        const long t63 = (t62 < t8 ? t62 : t8);
        const long t64 = (t52 > (-1L) ? t52 : (-1L));
        const long t65 = t63 - t64;
        const long t66 = t11 * t65;
        const float t67 = (float)t66;
        const float t68 = t61 / t67;
        buf0[16*i0 + 4*i1 + i2] = t68;
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
      const long t8 = 2 + 2*((i1) / (2));
      const long t9 = 6;
      const long t10 = (t8 < t9 ? t8 : t9);
      const long t11 = 2*((i1) / (2));
      const long t12 = (t11 > (0L) ? t11 : (0L));
      const long t13 = t10 - t12;
      #pragma omp simd
      for (long i2 = 0; i2 < 6; i2++) {
        const long t14 = ((i2) / (2));
        const unsigned char t15 = t14 >= (0L);
        const unsigned char t16 = t14 < t2;
        const unsigned char t17 = t1 & t15;
        const unsigned char t18 = t17 & t3;
        const unsigned char t19 = t18 & t16;
        const long t20 = -2*((i2) / (2)) + i2;
        const unsigned char t21 = t20 >= (0L);
        const unsigned char t22 = t20 < t6;
        const unsigned char t23 = t5 & t21;
        const unsigned char t24 = t23 & t7;
        const unsigned char t25 = t24 & t22;
        const unsigned char t26 = t19 & t25;
        const float t27 = t26 ? x0[3*((i1) / (2)) + ((i2) / (2)) + 9*i0] : 0;
        const long t28 = 2 + 2*((i2) / (2));
        const long t29 = (t28 < t9 ? t28 : t9);
        const long t30 = 2*((i2) / (2));
        const long t31 = (t30 > (0L) ? t30 : (0L));
        const long t32 = t29 - t31;
        const long t33 = t13 * t32;
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
      const unsigned char t4 = (-1L) < (0L);
      const long t5 = 2*i1;
      const unsigned char t6 = t5 >= (0L);
      const unsigned char t7 = t5 < t2;
      #pragma omp simd
      for (long i2 = 0; i2 < 1; i2++) {
        const unsigned char t8 = (-__builtin_inff()) > (-__builtin_inff());
        const unsigned char t9 = (-__builtin_inff()) != (-__builtin_inff());
        const unsigned char t10 = t8 | t9;
        const long t11 = -7 + 12*i1 + 2*i2;
        const float t12 = t10 ? (-__builtin_inff()) : (-__builtin_inff());
        const long t13 = t10 ? t11 : (-1L);
        const unsigned char t14 = t1 & t3;
        const float t15 = t14 ? x0[-6 + 36*i0 + 12*i1 + 2*i2] : 0;
        const float t16 = t14 ? t15 : (-__builtin_inff());
        const unsigned char t17 = t16 > t12;
        const unsigned char t18 = t16 != t16;
        const unsigned char t19 = t17 | t18;
        const unsigned char t20 = t13 < (0L);
        const unsigned char t21 = t20 & t14;
        const unsigned char t22 = t19 | t21;
        const long t23 = -6 + 12*i1 + 2*i2;
        const float t24 = t19 ? t16 : t12;
        const long t25 = t22 ? t23 : t13;
        const unsigned char t26 = (-__builtin_inff()) > t24;
        const unsigned char t27 = (-__builtin_inff()) != (-__builtin_inff());
        const unsigned char t28 = t26 | t27;
        const long t29 = -1 + 12*i1 + 2*i2;
        const float t30 = t28 ? (-__builtin_inff()) : t24;
        const long t31 = t28 ? t29 : t25;
        const unsigned char t32 = t6 & t7;
        const float t33 = t32 ? x0[36*i0 + 12*i1 + 2*i2] : 0;
        const float t34 = t32 ? t33 : (-__builtin_inff());
        const unsigned char t35 = t34 > t30;
        const unsigned char t36 = t34 != t34;
        const unsigned char t37 = t35 | t36;
        const unsigned char t38 = t31 < (0L);
        const unsigned char t39 = t38 & t32;
        const unsigned char t40 = t37 | t39;
        const long t41 = 12*i1 + 2*i2;
        const float t42 = t37 ? t34 : t30;
        const long t43 = t40 ? t41 : t31;
        buf0[16*i0 + 4*i1 + i2] = t42;
        buf1[16*i0 + 4*i1 + i2] = t43;
      }
      #pragma omp simd
      for (long i2 = 1; i2 < 3; i2++) {
        const unsigned char t44 = t1 & t3;
        const float t45 = t44 ? x0[-7 + 36*i0 + 12*i1 + 2*i2] : 0;
        const float t46 = t44 ? t45 : (-__builtin_inff());
        const unsigned char t47 = t46 > (-__builtin_inff());
        const unsigned char t48 = t46 != t46;
        const unsigned char t49 = t47 | t48;
        const unsigned char t50 = t4 & t44;
        const unsigned char t51 = t49 | t50;
        const long t52 = -7 + 12*i1 + 2*i2;
        const float t53 = t49 ? t46 : (-__builtin_inff());
        const long t54 = t51 ? t52 : (-1L);
        const unsigned char t55 = t1 & t3;
        const float t56 = t55 ? x0[-6 + 36*i0 + 12*i1 + 2*i2] : 0;
        const float t57 = t55 ? t56 : (-__builtin_inff());
        const unsigned char t58 = t57 > t53;
        const unsigned char t59 = t57 != t57;
        const unsigned char t60 = t58 | t59;
        const unsigned char t61 = t54 < (0L);
        const unsigned char t62 = t61 & t55;
        const unsigned char t63 = t60 | t62;
        const long t64 = -6 + 12*i1 + 2*i2;
        const float t65 = t60 ? t57 : t53;
        const long t66 = t63 ? t64 : t54;
        const unsigned char t67 = t6 & t7;
        const float t68 = t67 ? x0[-1 + 36*i0 + 12*i1 + 2*i2] : 0;
        const float t69 = t67 ? t68 : (-__builtin_inff());
        const unsigned char t70 = t69 > t65;
        const unsigned char t71 = t69 != t69;
        const unsigned char t72 = t70 | t71;
        const unsigned char t73 = t66 < (0L);
        const unsigned char t74 = t73 & t67;
        const unsigned char t75 = t72 | t74;
        const long t76 = -1 + 12*i1 + 2*i2;
        const float t77 = t72 ? t69 : t65;
        const long t78 = t75 ? t76 : t66;
        const unsigned char t79 = t6 & t7;
        const float t80 = t79 ? x0[36*i0 + 12*i1 + 2*i2] : 0;
        const float t81 = t79 ? t80 : (-__builtin_inff());
        const unsigned char t82 = t81 > t77;
        const unsigned char t83 = t81 != t81;
        const unsigned char t84 = t82 | t83;
        const unsigned char t85 = t78 < (0L);
        const unsigned char t86 = t85 & t79;
        const unsigned char t87 = t84 | t86;
        const long t88 = 12*i1 + 2*i2;
        const float t89 = t84 ? t81 : t77;
        const long t90 = t87 ? t88 : t78;
        buf0[16*i0 + 4*i1 + i2] = t89;
        buf1[16*i0 + 4*i1 + i2] = t90;
      }
      #pragma omp simd
      for (long i2 = 3; i2 < 4; i2++) {
        const unsigned char t91 = t1 & t3;
        const float t92 = t91 ? x0[-7 + 36*i0 + 12*i1 + 2*i2] : 0;
        const float t93 = t91 ? t92 : (-__builtin_inff());
        const unsigned char t94 = t93 > (-__builtin_inff());
        const unsigned char t95 = t93 != t93;
        const unsigned char t96 = t94 | t95;
        const unsigned char t97 = t4 & t91;
        const unsigned char t98 = t96 | t97;
        const long t99 = -7 + 12*i1 + 2*i2;
        const float t100 = t96 ? t93 : (-__builtin_inff());
        const long t101 = t98 ? t99 : (-1L);
        const unsigned char t102 = (-__builtin_inff()) > t100;
        const unsigned char t103 = (-__builtin_inff()) != (-__builtin_inff());
        const unsigned char t104 = t102 | t103;
        const long t105 = -6 + 12*i1 + 2*i2;
        const float t106 = t104 ? (-__builtin_inff()) : t100;
        const long t107 = t104 ? t105 : t101;
        const unsigned char t108 = t6 & t7;
        const float t109 = t108 ? x0[-1 + 36*i0 + 12*i1 + 2*i2] : 0;
        const float t110 = t108 ? t109 : (-__builtin_inff());
        const unsigned char t111 = t110 > t106;
        const unsigned char t112 = t110 != t110;
        const unsigned char t113 = t111 | t112;
        const unsigned char t114 = t107 < (0L);
        const unsigned char t115 = t114 & t108;
        const unsigned char t116 = t113 | t115;
        const long t117 = -1 + 12*i1 + 2*i2;
        const float t118 = t113 ? t110 : t106;
        const long t119 = t116 ? t117 : t107;
        const unsigned char t120 = (-__builtin_inff()) > t118;
        const unsigned char t121 = (-__builtin_inff()) != (-__builtin_inff());
        const unsigned char t122 = t120 | t121;
        const long t123 = 12*i1 + 2*i2;
        const float t124 = t122 ? (-__builtin_inff()) : t118;
        const long t125 = t122 ? t123 : t119;
        buf0[16*i0 + 4*i1 + i2] = t124;
        buf1[16*i0 + 4*i1 + i2] = t125;
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
      #pragma omp simd
      for (long i2 = 0; i2 < 6; i2++) {
        const long t4 = 6*i1 + i2;
        const long t5 = ((i2) / (2));
        const unsigned char t6 = t5 >= (0L);
        const unsigned char t7 = t5 < t2;
        const unsigned char t8 = t1 & t6;
        const unsigned char t9 = t8 & t3;
        const unsigned char t10 = t9 & t7;
        const long t11 = t10 ? x2[3*((i1) / (2)) + ((i2) / (2)) + 9*i0] : 0;
        const long t12 = t10 ? t11 : (-1L);
        const unsigned char t13 = t12 == t4;
        const float t14 = t13 ? x0[3*((i1) / (2)) + ((i2) / (2)) + 9*i0] : 0;
        const float t15 = t13 ? t14 : (0.0f);
        buf0[36*i0 + 6*i1 + i2] = t15;
      }
    }
  }
}
