/* What stands before the kernels of a C file, in place of headers, which would take longer to read
   than the kernels to compile. */
#ifndef __FLT16_MAX__  /* GCC before 12 and clang before 15, on x86 */
#define _Float16 __fp16
#endif
typedef struct { unsigned short bits; } bf16;
static inline float from_bf16(bf16 h) {
  union { unsigned u; float f; } c; c.u = (unsigned)h.bits << 16; return c.f;
}
static inline bf16 to_bf16(float x) {  /* to nearest, ties to even */
  union { float f; unsigned u; } c; c.f = x; bf16 r;
  r.bits = x != x ? 0x7fc0 : (c.u + 0x7fff + ((c.u >> 16) & 1)) >> 16; return r;
}
static inline long checked(long at, long size, int* out_of_range) {
  at = at < 0 ? at + size : at;
  if ((unsigned long)at >= (unsigned long)size) { *out_of_range = 1; return 0; }
  return at;
}
#define PRAGMA(x) _Pragma(#x)
#ifdef __clang__
#define UNROLL(n) PRAGMA(clang loop unroll_count(n))
#else
#define UNROLL(n) PRAGMA(GCC unroll n)
#endif
#define LARGER_F(a, b) ((a) > (b) || (a) != (a) ? (a) : (b))
#define SMALLER_F(a, b) ((a) < (b) || (a) != (a) ? (a) : (b))
#define LARGER_I(a, b) ((a) > (b) ? (a) : (b))
#define SMALLER_I(a, b) ((a) < (b) ? (a) : (b))
/* Where b is a number that is known beforehand, only a may be NaN, and one comparison is enough. */
#define KNOWN(b) (__builtin_constant_p(b) && (b) == (b))
#define MAXN(a, b) (KNOWN(b) ? ((b) > (a) ? (b) : (a)) : LARGER_F(a, b))
#define MINN(a, b) (KNOWN(b) ? ((b) < (a) ? (b) : (a)) : SMALLER_F(a, b))
/* A thread and a lane go on from what was found before: what is joined twice is the same. */
#define JOINED(how, kind, ...) PRAGMA(omp declare reduction(how: __VA_ARGS__: \
  omp_out = kind(omp_out, omp_in)) initializer(omp_priv = omp_orig))
JOINED(larger, LARGER_F, float, double)
JOINED(smaller, SMALLER_F, float, double)
JOINED(larger, LARGER_I, long, int, short, signed char, unsigned char)
JOINED(smaller, SMALLER_I, long, int, short, signed char, unsigned char)
#define SHL(t, a, b) ((unsigned long)(b) >= sizeof(t) * 8 ? 0 : (t)((a) << (b)))
#define REMAINDER(a, b) ((a) % (b) + ((a) % (b) != 0 && ((a) % (b) < 0) != ((b) < 0) ? (b) : 0))
#define WIDTH(t) (sizeof(t) * 8 - ((t)-1 < 0))
#define SHR(t, a, b) ((t)((a) >> ((unsigned long)(b) >= WIDTH(t) ? WIDTH(t) : (b))))
static inline float remainder_off(float a, float b) {
  float r = __builtin_fmodf(a, b); return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
static inline double remainder_of(double a, double b) {
  double r = __builtin_fmod(a, b); return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/* to[row * width + column] = from[row + step * column]: a block whose columns lie in memory. */
#define TURNED(bytes, T) \
typedef T of_##bytes __attribute__((may_alias)); \
static inline void turned_##bytes##_rest(const of_##bytes* from, long step, of_##bytes* to, \
  long width, long row, long rows, long column, long columns) { \
  for (long c = column; c < columns; c++) \
    for (long r = row; r < rows; r++) to[r * width + c] = from[r + step * c]; \
}
TURNED(1, unsigned char)
TURNED(2, unsigned short)
TURNED(4, unsigned)
TURNED(8, unsigned long)
#define turned_1(from, step, to, width, rows, columns) turned_1_rest( \
  (const of_1*)(from), step, (of_1*)to, width, 0, rows, 0, columns)
#define turned_2(from, step, to, width, rows, columns) turned_2_rest( \
  (const of_2*)(from), step, (of_2*)to, width, 0, rows, 0, columns)
#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector)  /* GCC from 12 and clang */
#define HAS_PAIRS
#endif
#endif
#ifndef HAS_PAIRS
#define turned_4(from, step, to, width, rows, columns) turned_4_rest( \
  (const of_4*)(from), step, (of_4*)to, width, 0, rows, 0, columns)
#define turned_8(from, step, to, width, rows, columns) turned_8_rest( \
  (const of_8*)(from), step, (of_8*)to, width, 0, rows, 0, columns)
#else
#define PAIRS(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
typedef unsigned eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef unsigned long four __attribute__((vector_size(32), aligned(8), may_alias));
static inline void turned_4(const void* given, long step, void* made, long width, long rows,
                            long columns) {
  const of_4* from = given; of_4* to = made; long c = 0, r = 0;
  for (; c + 8 <= columns; c += 8) {
    for (r = 0; r + 8 <= rows; r += 8) {
      eight v[8], w[8];
      for (int k = 0; k < 8; k++) v[k] = *(const eight*)(from + r + step * (c + k));
      for (int k = 0; k < 8; k += 2) {
        w[k] = PAIRS(v[k], v[k + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        w[k + 1] = PAIRS(v[k], v[k + 1], 2, 10, 3, 11, 6, 14, 7, 15);
      }
      for (int k = 0; k < 8; k += 4) for (int q = 0; q < 2; q++) {
        v[k + 2 * q] = PAIRS(w[k + q], w[k + q + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        v[k + 2 * q + 1] = PAIRS(w[k + q], w[k + q + 2], 2, 3, 10, 11, 6, 7, 14, 15);
      }
      for (int k = 0; k < 4; k++) {
        *(eight*)(to + (r + k) * width + c) = PAIRS(v[k], v[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        *(eight*)(to + (r + k + 4) * width + c) = PAIRS(v[k], v[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
      }
    }
    turned_4_rest(from, step, to, width, r, rows, c, c + 8);
  }
  turned_4_rest(from, step, to, width, 0, rows, c, columns);
}
static inline void turned_8(const void* given, long step, void* made, long width, long rows,
                            long columns) {
  const of_8* from = given; of_8* to = made; long c = 0, r = 0;
  for (; c + 4 <= columns; c += 4) {
    for (r = 0; r + 4 <= rows; r += 4) {
      four v[4], w[4];
      for (int k = 0; k < 4; k++) v[k] = *(const four*)(from + r + step * (c + k));
      for (int k = 0; k < 4; k += 2) {
        w[k] = PAIRS(v[k], v[k + 1], 0, 4, 2, 6);
        w[k + 1] = PAIRS(v[k], v[k + 1], 1, 5, 3, 7);
      }
      for (int k = 0; k < 2; k++) {
        *(four*)(to + (r + k) * width + c) = PAIRS(w[k], w[k + 2], 0, 1, 4, 5);
        *(four*)(to + (r + k + 2) * width + c) = PAIRS(w[k], w[k + 2], 2, 3, 6, 7);
      }
    }
    turned_8_rest(from, step, to, width, r, rows, c, c + 4);
  }
  turned_8_rest(from, step, to, width, 0, rows, c, columns);
}
#endif
