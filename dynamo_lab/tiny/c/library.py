"""The C functions that steps share: convolutions and products of matrices, as plain loops."""

SHAPE = """\
typedef struct {
  int n, ci, h, w, co, oh, ow, kh, kw, sh, sw, ph, pw, dh, dw, groups;
} conv_shape;

"""

LIBRARY = """\
static void conv(float *out, const float *x, const float *weight, const float *bias,
                 const conv_shape *s) {
  const int ci = s->ci / s->groups, co = s->co / s->groups;
  for (int n = 0; n < s->n; n++)
    for (int o = 0; o < s->co; o++)
      for (int i = 0; i < s->oh; i++)
        for (int j = 0; j < s->ow; j++) {
          float sum = bias ? bias[o] : 0.0f;
          for (int c = 0; c < ci; c++)
            for (int k = 0; k < s->kh; k++)
              for (int l = 0; l < s->kw; l++) {
                const int r = i * s->sh - s->ph + k * s->dh, q = j * s->sw - s->pw + l * s->dw;
                if (r >= 0 && r < s->h && q >= 0 && q < s->w)
                  sum += x[((n * s->ci + o / co * ci + c) * s->h + r) * s->w + q] *
                         weight[((o * ci + c) * s->kh + k) * s->kw + l];
              }
          out[((n * s->co + o) * s->oh + i) * s->ow + j] = sum;
        }
}

static void conv_input_grad(float *out, const float *grad, const float *weight,
                            const conv_shape *s) {
  const int ci = s->ci / s->groups, co = s->co / s->groups;
  for (int n = 0; n < s->n; n++)
    for (int c = 0; c < s->ci; c++)
      for (int r = 0; r < s->h; r++)
        for (int q = 0; q < s->w; q++) {
          float sum = 0.0f;
          for (int o = c / ci * co; o < c / ci * co + co; o++)
            for (int k = 0; k < s->kh; k++)
              for (int l = 0; l < s->kw; l++) {
                const int a = r + s->ph - k * s->dh, b = q + s->pw - l * s->dw;
                const int i = a / s->sh, j = b / s->sw;
                if (a >= 0 && b >= 0 && a % s->sh == 0 && b % s->sw == 0 && i < s->oh && j < s->ow)
                  sum += grad[((n * s->co + o) * s->oh + i) * s->ow + j] *
                         weight[((o * ci + c % ci) * s->kh + k) * s->kw + l];
              }
          out[((n * s->ci + c) * s->h + r) * s->w + q] = sum;
        }
}

static void conv_weight_grad(float *out, const float *grad, const float *x,
                             const conv_shape *s) {
  const int ci = s->ci / s->groups, co = s->co / s->groups;
  for (int o = 0; o < s->co; o++)
    for (int c = 0; c < ci; c++)
      for (int k = 0; k < s->kh; k++)
        for (int l = 0; l < s->kw; l++) {
          float sum = 0.0f;
          for (int n = 0; n < s->n; n++)
            for (int i = 0; i < s->oh; i++)
              for (int j = 0; j < s->ow; j++) {
                const int r = i * s->sh - s->ph + k * s->dh, q = j * s->sw - s->pw + l * s->dw;
                if (r >= 0 && r < s->h && q >= 0 && q < s->w)
                  sum += grad[((n * s->co + o) * s->oh + i) * s->ow + j] *
                         x[((n * s->ci + o / co * ci + c) * s->h + r) * s->w + q];
              }
          out[((o * ci + c) * s->kh + k) * s->kw + l] = sum;
        }
}

/* out[i, j] = bias[i, j] + sum over p of a[i, p] * b[p, j], each with the strides of its axes */
static void matmul(float *out, int os, int ot, const float *a, int as, int at, const float *b,
                   int bs, int bt, const float *bias, int cs, int ct, int m, int k, int n) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float sum = bias ? bias[i * cs + j * ct] : 0.0f;
      for (int p = 0; p < k; p++) sum += a[i * as + p * at] * b[p * bs + j * bt];
      out[i * os + j * ot] = sum;
    }
}

static void log_softmax(float *out, const float *x, int rows, int n) {
  for (int i = 0; i < rows; i++, out += n, x += n) {
    float most = x[0], sum = 0.0f;
    for (int j = 1; j < n; j++) most = x[j] > most ? x[j] : most;
    for (int j = 0; j < n; j++) sum += expf(x[j] - most);
    for (int j = 0; j < n; j++) out[j] = x[j] - most - logf(sum);
  }
}

static void log_softmax_backward(float *out, const float *grad, const float *result, int rows,
                                 int n) {
  for (int i = 0; i < rows; i++, out += n, grad += n, result += n) {
    float sum = 0.0f;
    for (int j = 0; j < n; j++) sum += grad[j];
    for (int j = 0; j < n; j++) out[j] = grad[j] - expf(result[j]) * sum;
  }
}

/* The mean over the samples whose target is not `ignored`; `count` is how many they are. */
static void nll_loss(float *loss, float *count, const float *x, const int64_t *target,
                     int64_t ignored, int rows, int n) {
  float sum = 0.0f, seen = 0.0f;
  for (int i = 0; i < rows; i++)
    if (target[i] != ignored) {
      sum -= x[i * n + target[i]];
      seen += 1.0f;
    }
  if (loss) *loss = sum / seen;
  if (count) *count = seen;
}

static void nll_loss_backward(float *out, float grad, const int64_t *target, int64_t ignored,
                              float count, int rows, int n) {
  for (int i = 0; i < rows * n; i++) out[i] = 0.0f;
  for (int i = 0; i < rows; i++)
    if (target[i] != ignored) out[i * n + target[i]] = -grad / count;
}

static void pack_between(uint8_t *out, const float *x, float low, float high, int n) {
  for (int i = 0; i < n; i += 8) {
    unsigned byte = 0;
    for (int j = 0; j < 8 && i + j < n; j++)
      byte |= (unsigned)(x[i + j] > low && x[i + j] < high) << j;
    out[i / 8] = (uint8_t)byte;
  }
}

static void masked(float *out, const float *grad, const uint8_t *bits, int n) {
  for (int i = 0; i < n; i++) out[i] = bits[i / 8] >> i % 8 & 1 ? grad[i] : 0.0f;
}

/* weight[r, c, i] for the chosen c, of `rows` times `whole` times `inner` elements */
static void sgd(float *weight, const float *grad, float *state, const int *channels, int rows,
                int whole, int part, int inner, float lr, float momentum, float decay) {
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < part; c++)
      for (int i = 0; i < inner; i++) {
        const int at = (r * part + c) * inner + i;
        float *w = weight + (r * whole + (channels ? channels[c] : c)) * inner + i;
        float g = grad[at] + decay * *w;
        if (state) g = state[at] = momentum * state[at] + g;
        *w -= lr * g;
      }
}

static void kept_channels(float *out, const float *x, const int *channels, int rows, int whole,
                          int part, int inner) {
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < part; c++)
      for (int i = 0; i < inner; i++)
        out[(r * part + c) * inner + i] = x[(r * whole + channels[c]) * inner + i];
}
"""
