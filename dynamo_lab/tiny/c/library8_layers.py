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

/* One place of a convolution's result. Of each input channel `rows` rows are there: r is at
   r % rows. */
static int conv8_at(const int8_t *x, int rows, const layer8 *a, const conv_shape *s, int o, int i,
                    int j) {
  const int ci = s->ci / s->groups, from = o / (s->co / s->groups) * ci;
  int32_t sum = 0;
  for (int k = 0; k < s->kh; k++) {
    const int r = i * s->sh - s->ph + k * s->dh;
    if (r < 0 || r >= s->h) continue;
    const int8_t *row = x + (from * rows + r % rows) * s->w;
    for (int c = 0; c < ci; c++, row += rows * s->w) {
      const int8_t *weight = filter8(&a->weight, o, c, ci, s->kh * s->kw) + k * s->kw;
      for (int l = 0; l < s->kw; l++) {
        const int q = j * s->sw - s->pw + l * s->dw;
        if (q >= 0 && q < s->w) sum += (row[q] - a->x_zero) * weight[l];
      }
    }
  }
  return layer8_of(a, o, sum);
}

static void conv8(int8_t *out, const int8_t *x, const layer8 *a, const conv_shape *s) {
  for (int n = 0; n < s->n; n++, x += s->ci * s->h * s->w)
    for (int o = 0; o < s->co; o++)
      for (int i = 0; i < s->oh; i++)
        for (int j = 0; j < s->ow; j++) *out++ = (int8_t)conv8_at(x, s->h, a, s, o, i, j);
}

static void conv8_wide(int16_t *out, const int8_t *x, const layer8 *a, const conv_shape *s) {
  for (int n = 0; n < s->n; n++, x += s->ci * s->h * s->w)
    for (int o = 0; o < s->co; o++)
      for (int i = 0; i < s->oh; i++)
        for (int j = 0; j < s->ow; j++) *out++ = (int16_t)conv8_at(x, s->h, a, s, o, i, j);
}

/* A convolution, a channel at a time, and the depthwise one of that channel. */
static void conv8_pair(int8_t *out, int8_t *channel, const int8_t *x, const layer8 *a,
                       const conv_shape *s, const layer8 *b, const conv_shape *t) {
  for (int n = 0; n < s->n; n++, x += s->ci * s->h * s->w)
    for (int o = 0; o < s->co; o++) {
      for (int i = 0; i < s->oh; i++)
        for (int j = 0; j < s->ow; j++)
          channel[i * s->ow + j] = (int8_t)conv8_at(x, s->h, a, s, o, i, j);
      layer8 of_channel = *b;
      conv_shape one = *t;
      one.ci = one.co = one.groups = 1;
      of_channel.weight = (weight8){filter8(&b->weight, o, 0, 1, t->kh * t->kw), 0, 0, 0, 0, 0};
      of_channel.factor += o;
      if (b->bias) of_channel.bias += o;
      for (int i = 0; i < t->oh; i++)
        for (int j = 0; j < t->ow; j++)
          *out++ = (int8_t)conv8_at(channel, t->h, &of_channel, &one, 0, i, j);
    }
}

/* A layer whose result is made row by row: as many rows are kept as the next one reads at once. */
typedef struct {
  const layer8 *layer;
  const conv_shape *shape;
  int8_t *rows;
  int kept, made;
} stage8;

/* Whether what a stage reads for its next row is there. */
static int stage8_can(const stage8 *stage, int made_before) {
  const conv_shape *s = stage->shape;
  const int end = stage->made * s->sh - s->ph + (s->kh - 1) * s->dh + 1;
  return made_before >= (end < s->h ? end : s->h);
}

/* Layers one after the other, each a row at a time, so that none between them is ever whole. */
static void conv8_rows(int8_t *out, const int8_t *x, stage8 *stages, int count) {
  const conv_shape *first = stages[0].shape, *last = stages[count - 1].shape;
  for (int n = 0; n < first->n; n++, x += first->ci * first->h * first->w) {
    for (int k = 0; k < count; k++) stages[k].made = 0;
    stages[count - 1].rows = out + n * last->co * last->oh * last->ow;
    while (stages[count - 1].made < last->oh) {
      int at = count - 1;
      while (at > 0 && !stage8_can(&stages[at], stages[at - 1].made)) at--;
      stage8 *stage = &stages[at];
      const conv_shape *s = stage->shape;
      const int8_t *from = at ? stages[at - 1].rows : x;
      const int rows = at ? stages[at - 1].kept : s->h, i = stage->made++;
      for (int o = 0; o < s->co; o++)
        for (int j = 0; j < s->ow; j++)
          stage->rows[(o * stage->kept + i % stage->kept) * s->ow + j] =
              (int8_t)conv8_at(from, rows, stage->layer, s, o, i, j);
    }
  }
}
"""
