"""The C functions of an int8 step: what `dynamo_lab.tiny.int8.operators` says, to the bit."""

from __future__ import annotations

from dynamo_lab.tiny.c.library8_layers import LAYERS8
from dynamo_lab.tiny.int8.loss import FRACTION, LOG_UNIT, ONE, SCORE, WHOLE, single, tables


def library8() -> str:
    """The text, with the tables of the exponential."""
    whole, fraction = (", ".join(map(str, table)) for table in tables())
    return _TEXT % {
        "layers": LAYERS8,
        "whole": whole,
        "fraction": fraction,
        "one": ONE,
        "wide": WHOLE * FRACTION,
        "score": f"{SCORE!r}f",
        "log_unit": f"{single(LOG_UNIT)!r}f",
    }


_TEXT = """\
/* Sums are of integers. What rounds is one multiplication of float32 at a time, as IEEE 754 has it:
   compile with -ffp-contract=off. A negative number is shifted as gcc and clang do, by its sign. */
static int clamped(float value, int low, int high) {
  return value < (float)low ? low : value > (float)high ? high : (int)value;
}

static int rounded(float value, int zero, int low, int high) {
  return clamped(rintf(value) + (float)zero, low, high);
}

%(layers)s
static void add8(int8_t *out, const int8_t *one, const int8_t *other, int one_zero, int other_zero,
                 float one_factor, float other_factor, int zero, int low, int high, int n) {
  for (int i = 0; i < n; i++) {
    const float left = (float)(one[i] - one_zero) * one_factor;
    const float right = (float)(other[i] - other_zero) * other_factor;
    out[i] = (int8_t)rounded(left + right, zero, low, high);
  }
}

static void mean8(int8_t *out, const int8_t *x, int x_zero, float factor, int zero, int low,
                  int high, int channels, int places) {
  for (int c = 0; c < channels; c++) {
    int32_t sum = 0;
    for (int i = 0; i < places; i++) sum += *x++ - x_zero;
    out[c] = (int8_t)rounded((float)sum * factor, zero, low, high);
  }
}

/* What makes the largest value 127, and the scale that this is. */
static float to_127(float most, float unit, float *scale) {
  *scale = unit * (most / 127.0f);
  return most > 0.0f ? 127.0f / most : 0.0f;
}

static int32_t conv8_input_grad_at(const int8_t *grad, const weight8 *weight,
                                   const int32_t *multipliers, int shift, const conv_shape *s,
                                   int n, int c, int r, int q) {
  const int ci = s->ci / s->groups, co = s->co / s->groups;
  int32_t sum = 0;
  for (int o = c / ci * co; o < c / ci * co + co; o++) {
    const int8_t *filter = filter8(weight, o, c %% ci, ci, s->kh * s->kw);
    for (int k = 0; k < s->kh; k++)
      for (int l = 0; l < s->kw; l++) {
        const int a = r + s->ph - k * s->dh, b = q + s->pw - l * s->dw;
        const int i = a / s->sh, j = b / s->sw;
        if (a >= 0 && b >= 0 && a %% s->sh == 0 && b %% s->sw == 0 && i < s->oh && j < s->ow) {
          const int32_t given = grad[((n * s->co + o) * s->oh + i) * s->ow + j] * multipliers[o];
          sum += ((given + (1 << (shift - 1))) >> shift) * filter[k * s->kw + l];
        }
      }
  }
  return sum;
}

/* Twice: for the largest, and for the integers in its scale. So no sum is stored. */
static void conv8_input_grad(int8_t *out, float *scale, const int8_t *grad, float grad_scale,
                             const weight8 *weight, const int32_t *multipliers, int shift,
                             float unit, const conv_shape *s) {
  float most = 0.0f, factor = 0.0f;
  for (int pass = 0; pass < 2; pass++) {
    int8_t *to = out;
    for (int n = 0; n < s->n; n++)
      for (int c = 0; c < s->ci; c++)
        for (int r = 0; r < s->h; r++)
          for (int q = 0; q < s->w; q++) {
            const float sum = (float)conv8_input_grad_at(grad, weight, multipliers, shift, s, n, c,
                                                         r, q);
            if (pass)
              *to++ = (int8_t)rounded(sum * factor, 0, -127, 127);
            else
              most = fabsf(sum) > most ? fabsf(sum) : most;
          }
    if (!pass) factor = to_127(most, grad_scale * unit, scale);
  }
}

static void add8_grads(int8_t *out, float *scale, const int8_t *one, float one_unit,
                       const int8_t *other, float other_unit, int n) {
  float most = 0.0f, factor = 0.0f;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < n; i++) {
      const float left = (float)one[i] * one_unit, right = (float)other[i] * other_unit;
      const float sum = left + right;
      if (pass)
        out[i] = (int8_t)rounded(sum * factor, 0, -127, 127);
      else
        most = fabsf(sum) > most ? fabsf(sum) : most;
    }
    if (!pass) factor = to_127(most, 1.0f, scale);
  }
}

static void pack_between8(uint8_t *out, const int8_t *x, int low, int high, int n) {
  for (int i = 0; i < n; i += 8) {
    unsigned byte = 0;
    for (int j = 0; j < 8 && i + j < n; j++)
      byte |= (unsigned)(x[i + j] > low && x[i + j] < high) << j;
    out[i / 8] = (uint8_t)byte;
  }
}

static void masked_between8(int8_t *out, const int8_t *grad, const int8_t *x, int low, int high,
                            int n) {
  for (int i = 0; i < n; i++) out[i] = (int8_t)(x[i] > low && x[i] < high ? grad[i] : 0);
}

static void kept_channels8(int8_t *out, const int8_t *x, const int *channels, int rows, int whole,
                           int part, int inner) {
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < part; c++)
      for (int i = 0; i < inner; i++)
        out[(r * part + c) * inner + i] = x[(r * whole + channels[c]) * inner + i];
}

/* A float of 0 to 1 for a number: MurmurHash3's finalizer. */
static float drawn(uint32_t number, uint32_t salt, uint32_t seed) {
  uint32_t state = number * 0x9E3779B1u + salt * 0x85EBCA77u + seed * 0xC2B2AE3Du;
  state ^= state >> 16;
  state *= 0x85EBCA6Bu;
  state ^= state >> 13;
  state *= 0xC2B2AE35u;
  state ^= state >> 16;
  return (float)(state >> 8) * 0x1p-24f;
}

static int32_t stepped(int32_t old, float step, int number, int salt, uint32_t seed, int32_t most) {
  const float bounded = step < -0x1p24f ? -0x1p24f : step > 0x1p24f ? 0x1p24f : step;
  const float drawn_ = drawn((uint32_t)number, (uint32_t)salt, seed);
  const int32_t found = old - (int32_t)floorf(bounded + drawn_);
  return found < -most ? -most : found > most ? most : found;
}

/* The weight's gradient, an element at a time, and its step. Of one with chosen channels `weight`
   is what of it is trained; `dim` is that of the channels, `whole` the inputs of all of it. */
static void conv8_sgd(int8_t *weight, const int8_t *grad, float scale, const int8_t *x,
                      const float *factor, int x_zero, int salt, uint32_t seed, float lr,
                      const conv_shape *s, int dim, const int *channels, int whole) {
  const int ci = s->ci / s->groups, co = s->co / s->groups;
  const float rate = lr * scale;
  for (int o = 0; o < s->co; o++)
    for (int c = 0; c < ci; c++)
      for (int k = 0; k < s->kh; k++)
        for (int l = 0; l < s->kw; l++) {
          int32_t sum = 0;
          for (int n = 0; n < s->n; n++)
            for (int i = 0; i < s->oh; i++) {
              const int r = i * s->sh - s->ph + k * s->dh;
              if (r < 0 || r >= s->h) continue;
              for (int j = 0; j < s->ow; j++) {
                const int q = j * s->sw - s->pw + l * s->dw;
                if (q >= 0 && q < s->w)
                  sum += grad[((n * s->co + o) * s->oh + i) * s->ow + j] *
                         (x[((n * s->ci + o / co * ci + c) * s->h + r) * s->w + q] - x_zero);
              }
            }
          const int out = channels && dim == 0 ? channels[o] : o;
          const int in = channels && dim == 1 ? channels[c] : c;
          const int at = ((out * (dim == 1 && channels ? whole : ci) + in) * s->kh + k) * s->kw + l;
          const float step = (float)sum * factor[o];
          *weight = (int8_t)stepped(*weight, step * rate, at, salt, seed, 127);
          weight++;
        }
}

static void bias8_sgd(int32_t *bias, const int8_t *grad, float scale, const float *factor, int salt,
                      uint32_t seed, float lr, int samples, int channels, int places) {
  const float rate = lr * scale;
  for (int c = 0; c < channels; c++) {
    int32_t sum = 0;
    for (int n = 0; n < samples; n++)
      for (int i = 0; i < places; i++) sum += grad[(n * channels + c) * places + i];
    const float step = (float)sum * factor[c];
    bias[c] = stepped(bias[c], step * rate, c, salt, seed, 1 << 30);
  }
}

static const int32_t exp_whole[] = {%(whole)s};
static const int32_t exp_fraction[] = {%(fraction)s};

/* The logarithm to base 2 of a sum of which 2^%(one)s is 1, in 1/65536, bit by bit. */
static int32_t log2_of(int32_t sum) {
  int exponent = 0;
  for (int bit = 16; bit; bit /= 2)
    if (sum >> (exponent + bit) > 0) exponent += bit;
  uint64_t square = (uint64_t)sum << (30 - exponent);
  int32_t found = exponent - %(one)s;
  for (int k = 0; k < 16; k++) {
    square = (square * square) >> 30;
    const int is_two = square >= (uint64_t)1 << 31;
    square >>= is_two;
    found = found * 2 + is_two;
  }
  return found;
}

/* exp(-apart / 256), of which 2^%(one)s is 1 */
static int32_t exp_of(int apart) {
  const int near = apart < %(wide)s ? apart : %(wide)s - 1;
  return apart < %(wide)s ? (exp_whole[near >> 8] * exp_fraction[near & 255]) >> %(one)s : 0;
}

static void cross_entropy8(float *loss, int8_t *grad, float *scale, const int16_t *scores,
                           const int64_t *target, int64_t ignored, int rows, int n) {
  float total = 0.0f, most = 0.0f, factor = 0.0f;
  int count = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < rows; i++) {
      const int16_t *row = scores + i * n;
      const int seen = target[i] != ignored;
      int top = row[0];
      int32_t sum = 0;
      for (int j = 1; j < n; j++) top = row[j] > top ? row[j] : top;
      for (int j = 0; j < n; j++) sum += exp_of(top - row[j]);
      for (int j = 0; j < n; j++) {
        const float share = (float)exp_of(top - row[j]) / (float)sum;
        const float value = seen ? share - (j == target[i] ? 1.0f : 0.0f) : 0.0f;
        if (pass)
          grad[i * n + j] = (int8_t)rounded(value * factor, 0, -127, 127);
        else
          most = fabsf(value) > most ? fabsf(value) : most;
      }
      if (pass || !seen) continue;
      const float apart = (float)(top - row[target[i]]) * %(score)s;
      const float log_sum = (float)log2_of(sum) * %(log_unit)s;
      const float own = apart + log_sum;
      total = total + own;
      count++;
    }
    if (!pass) factor = to_127(most, 1.0f / (float)(count ? count : 1), scale);
  }
  if (loss) *loss = total / (float)(count ? count : 1);
}
"""
