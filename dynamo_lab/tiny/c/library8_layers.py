"""The C functions of an int8 step's layers: convolutions, alone or channel by channel or by row."""

LAYERS8 = """\
/* A weight: `fixed` has all of it, unless it has chosen channels. Those that are trained then lie
   in memory that changes, `part` of them, and the `rest` is constant. Of each channel `slots` says
   which of the trained it is, or, as ~k, which of the others; they are of outputs (`dim` 0) or of
   inputs (1). */
typedef struct {
  const int8_t *fixed, *trained;
  const int16_t *slots;
  int dim, part, rest;
} weight8;

/* The filter of one output and one input channel, of `size` numbers. */
static const int8_t *filter8(const weight8 *w, int o, int c, int ci, int size) {
  if (!w->slots) return w->fixed + (o * ci + c) * size;
  const int slot = w->slots[w->dim ? c : o], at = slot < 0 ? ~slot : slot;
  const int8_t *from = slot < 0 ? w->fixed : w->trained;
  return from + (w->dim ? o * (slot < 0 ? w->rest : w->part) + at : at * ci + c) * size;
}

typedef struct {
  weight8 weight;
  const int32_t *bias;
  const float *factor;
  int x_zero, zero, low, high;
} layer8;

/* What the sum of a channel's products becomes. */
static int layer8_of(const layer8 *a, int o, int32_t sum) {
  const int32_t all = a->bias ? sum + a->bias[o] : sum;
  return rounded((float)all * a->factor[o], a->zero, a->low, a->high);
}

static int conv8_at(const int8_t *x, const layer8 *a, const conv_shape *s, int n, int o, int i,
                    int j) {
  const int ci = s->ci / s->groups, co = s->co / s->groups;
  int32_t sum = 0;
  for (int c = 0; c < ci; c++) {
    const int8_t *weight = filter8(&a->weight, o, c, ci, s->kh * s->kw);
    for (int k = 0; k < s->kh; k++) {
      const int r = i * s->sh - s->ph + k * s->dh;
      if (r < 0 || r >= s->h) continue;
      for (int l = 0; l < s->kw; l++) {
        const int q = j * s->sw - s->pw + l * s->dw;
        if (q >= 0 && q < s->w)
          sum += (x[((n * s->ci + o / co * ci + c) * s->h + r) * s->w + q] - a->x_zero) *
                 weight[k * s->kw + l];
      }
    }
  }
  return layer8_of(a, o, sum);
}

static void conv8(int8_t *out, const int8_t *x, const layer8 *a, const conv_shape *s) {
  for (int n = 0; n < s->n; n++)
    for (int o = 0; o < s->co; o++)
      for (int i = 0; i < s->oh; i++)
        for (int j = 0; j < s->ow; j++) *out++ = (int8_t)conv8_at(x, a, s, n, o, i, j);
}

static void conv8_wide(int16_t *out, const int8_t *x, const layer8 *a, const conv_shape *s) {
  for (int n = 0; n < s->n; n++)
    for (int o = 0; o < s->co; o++)
      for (int i = 0; i < s->oh; i++)
        for (int j = 0; j < s->ow; j++) *out++ = (int16_t)conv8_at(x, a, s, n, o, i, j);
}

/* One place of a depthwise filter, over a channel of which row r lies at r % rows. */
static int depthwise8_at(const int8_t *channel, int rows, const layer8 *a, const conv_shape *s,
                         int o, int i, int j) {
  const int8_t *weight = filter8(&a->weight, o, 0, 1, s->kh * s->kw);
  int32_t sum = 0;
  for (int k = 0; k < s->kh; k++) {
    const int r = i * s->sh - s->ph + k * s->dh;
    if (r < 0 || r >= s->h) continue;
    for (int l = 0; l < s->kw; l++) {
      const int q = j * s->sw - s->pw + l * s->dw;
      if (q >= 0 && q < s->w)
        sum += (channel[r % rows * s->w + q] - a->x_zero) * weight[k * s->kw + l];
    }
  }
  return layer8_of(a, o, sum);
}

/* A convolution, a channel at a time, and the depthwise one of that channel. */
static void conv8_pair(int8_t *out, int8_t *channel, const int8_t *x, const layer8 *a,
                       const conv_shape *s, const layer8 *b, const conv_shape *t) {
  for (int n = 0; n < s->n; n++)
    for (int o = 0; o < s->co; o++) {
      for (int i = 0; i < s->oh; i++)
        for (int j = 0; j < s->ow; j++)
          channel[i * s->ow + j] = (int8_t)conv8_at(x, a, s, n, o, i, j);
      for (int i = 0; i < t->oh; i++)
        for (int j = 0; j < t->ow; j++)
          *out++ = (int8_t)depthwise8_at(channel, t->h, b, t, o, i, j);
    }
}

/* A convolution, the depthwise one of its channels, and one of single places that makes them fewer.
   Of the first there are as many rows as the depthwise filter is high, of the second there is one,
   in `rows`. */
static void conv8_block(int8_t *out, int8_t *rows, const int8_t *x, const layer8 *a,
                        const conv_shape *s, const layer8 *b, const conv_shape *t, const layer8 *c,
                        const conv_shape *u) {
  const int high = (t->kh - 1) * t->dh + 1, kept = high < t->h ? high : t->h;
  int8_t *row = rows + t->ci * kept * t->w;
  const conv_shape of_row = {1, u->ci, 1, u->w, u->co, 1, u->ow, 1, 1, 1, 1, 0, 0, 1, 1, 1};
  for (int n = 0; n < s->n; n++) {
    int made = 0;
    for (int i = 0; i < t->oh; i++) {
      const int first = i * t->sh - t->ph;
      if (made < first) made = first;
      for (; made < first + high && made < t->h; made++)
        for (int o = 0; o < s->co; o++)
          for (int j = 0; j < s->ow; j++)
            rows[(o * kept + made % kept) * s->ow + j] =
                (int8_t)conv8_at(x, a, s, n, o, made, j);
      for (int o = 0; o < t->co; o++)
        for (int j = 0; j < t->ow; j++)
          row[o * t->ow + j] =
              (int8_t)depthwise8_at(rows + o * kept * t->w, kept, b, t, o, i, j);
      for (int o = 0; o < u->co; o++)
        for (int j = 0; j < u->ow; j++)
          out[((n * u->co + o) * u->oh + i) * u->ow + j] =
              (int8_t)conv8_at(row, c, &of_row, 0, o, 0, j);
    }
  }
}
"""
