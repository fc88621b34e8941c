"""The C functions of a transformer's operators; each works on one row or one head."""

SEQUENCES_LIBRARY = """\

static void layer_norm(float *out, float *mean, float *scale, const float *x, const float *weight,
                       const float *bias, int n, float eps) {
  float sum = 0.0f, squares = 0.0f;
  for (int j = 0; j < n; j++) sum += x[j];
  const float middle = sum / (float)n;
  for (int j = 0; j < n; j++) squares += (x[j] - middle) * (x[j] - middle);
  const float factor = 1.0f / sqrtf(squares / (float)n + eps);
  if (mean) *mean = middle;
  if (scale) *scale = factor;
  for (int j = 0; out && j < n; j++)
    out[j] = (x[j] - middle) * factor * (weight ? weight[j] : 1.0f) + (bias ? bias[j] : 0.0f);
}

/* Of the weight and the bias it adds up, row by row. */
static void layer_norm_backward(float *out, float *of_weight, float *of_bias, const float *grad,
                                const float *x, float mean, float scale, const float *weight,
                                int n) {
  float sum = 0.0f, along = 0.0f;
  for (int j = 0; j < n; j++) {
    const float given = grad[j] * (weight ? weight[j] : 1.0f), place = (x[j] - mean) * scale;
    sum += given;
    along += given * place;
    if (of_weight) of_weight[j] += grad[j] * place;
    if (of_bias) of_bias[j] += grad[j];
  }
  for (int j = 0; out && j < n; j++) {
    const float given = grad[j] * (weight ? weight[j] : 1.0f), place = (x[j] - mean) * scale;
    out[j] = scale * (given - (sum + place * along) / (float)n);
  }
}

static void softmax(float *out, const float *x, int n) {
  float most = x[0], sum = 0.0f;
  for (int j = 1; j < n; j++) most = x[j] > most ? x[j] : most;
  for (int j = 0; j < n; j++) sum += out[j] = expf(x[j] - most);
  for (int j = 0; j < n; j++) out[j] /= sum;
}

static void softmax_backward(float *out, const float *grad, const float *result, int n) {
  float sum = 0.0f;
  for (int j = 0; j < n; j++) sum += grad[j] * result[j];
  for (int j = 0; j < n; j++) out[j] = (grad[j] - sum) * result[j];
}

static float dot(const float *a, const float *b, int n) {
  float sum = 0.0f;
  for (int j = 0; j < n; j++) sum += a[j] * b[j];
  return sum;
}

/* One head. No row of scores is stored: each score is computed again where it is needed. */
static void attention(float *out, int os, float *levels, int ls, const float *q, int qs,
                      const float *k, int ks, const float *v, int vs, int rows, int columns,
                      int width, int wide, float scale, int causal) {
  for (int i = 0; i < rows; i++) {
    const int seen = causal && i + 1 < columns ? i + 1 : columns;
    float most = -INFINITY, sum = 0.0f;
    for (int j = 0; j < seen; j++) {
      const float score = scale * dot(q + i * qs, k + j * ks, width);
      most = score > most ? score : most;
    }
    for (int j = 0; j < seen; j++) sum += expf(scale * dot(q + i * qs, k + j * ks, width) - most);
    if (levels) levels[i * ls] = most + logf(sum);
    if (!out) continue;
    for (int e = 0; e < wide; e++) out[i * os + e] = 0.0f;
    for (int j = 0; j < seen; j++) {
      const float share = expf(scale * dot(q + i * qs, k + j * ks, width) - most) / sum;
      for (int e = 0; e < wide; e++) out[i * os + e] += share * v[j * vs + e];
    }
  }
}

/* It adds to gradients that are zero before. */
static void attention_backward(float *of_q, int aqs, float *of_k, int aks, float *of_v, int avs,
                               const float *grad, int gs, const float *q, int qs, const float *k,
                               int ks, const float *v, int vs, const float *out, int os,
                               const float *levels, int ls, int rows, int columns, int width,
                               int wide, float scale, int causal) {
  for (int i = 0; i < rows; i++) {
    const int seen = causal && i + 1 < columns ? i + 1 : columns;
    const float all = dot(grad + i * gs, out + i * os, wide);
    for (int j = 0; j < seen; j++) {
      const float share = expf(scale * dot(q + i * qs, k + j * ks, width) - levels[i * ls]);
      const float slope = share * (dot(grad + i * gs, v + j * vs, wide) - all) * scale;
      for (int e = 0; e < width; e++) {
        if (of_q) of_q[i * aqs + e] += slope * k[j * ks + e];
        if (of_k) of_k[j * aks + e] += slope * q[i * qs + e];
      }
      for (int e = 0; of_v && e < wide; e++) of_v[j * avs + e] += share * grad[i * gs + e];
    }
  }
}
"""
