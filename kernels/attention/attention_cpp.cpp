// Causal attention in blocks: QUERIES queries meet KEYS keys at a time, and keep what they found so
// far relative to the largest score. The square of scores is never written.
#include <algorithm>
#include <cmath>
#include <vector>

#include "vector_math.h"

constexpr int64_t QUERIES = 8, KEYS = 2 * LANES;  // 16 registers of results: an AMD EPYC (Zen 5)

// A block of results: numbers of QUERIES rows times vectors of a panel whose rows are `stride`
// apart. It serves both products, query by key and weight by value.
static void multiply(
    Vector (&tile)[QUERIES][2], const float* rows, int64_t row_stride, const float* panel,
    int64_t panel_stride, int64_t steps) {
    for (int64_t step = 0; step < steps; ++step) {
        const Vector left = load(panel + step * panel_stride);
        const Vector right = load(panel + step * panel_stride + LANES);
#pragma GCC unroll 8
        for (int64_t row = 0; row < QUERIES; ++row) {
            tile[row][0] += rows[row * row_stride + step] * left;
            tile[row][1] += rows[row * row_stride + step] * right;
        }
    }
}

// The keys of a head in panels of KEYS, side by side, so that scores of 16 keys are one vector.
static void pack(float* panels, const float* k, int64_t tokens, int64_t width) {
    for (int64_t key = 0; key < tokens; ++key)
        for (int64_t i = 0; i < width; ++i)
            panels[(key / KEYS * width + i) * KEYS + key % KEYS] = k[key * width + i];
}

// What a block of queries keeps while it goes through the keys.
struct Block {
    float largest[QUERIES], sum[QUERIES];
    float weights[QUERIES * KEYS];
    std::vector<float> query, result;  // QUERIES x width

    explicit Block(int64_t width) : query(QUERIES * width), result(QUERIES * width) {}
};

// Scores become weights relative to the largest so far; what was summed before shrinks with it.
static void weigh(Block& block, int64_t first, int64_t key, int64_t width, float scale) {
    for (int64_t row = 0; row < QUERIES; ++row) {
        float* weights = block.weights + row * KEYS;
        const int64_t seen = std::min(KEYS, first + row - key + 1);  // the keys not after the query
        float largest = block.largest[row];
#pragma omp simd reduction(max : largest)
        for (int64_t i = 0; i < seen; ++i) largest = larger(weights[i] * scale, largest);

        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t i = 0; i < KEYS; ++i) {
            weights[i] = i < seen ? fast_exp(weights[i] * scale - largest) : 0.0f;
            sum += weights[i];
        }
        const float shrink = fast_exp(block.largest[row] - largest);
        block.sum[row] = block.sum[row] * shrink + sum;
        block.largest[row] = largest;
#pragma omp simd
        for (int64_t i = 0; i < width; ++i) block.result[row * width + i] *= shrink;
    }
}

// One block of queries, from the first key to the last that its last query sees.
static void attend(
    Block& block, const float* panels, const float* v, float* out, int64_t first, int64_t tokens,
    int64_t width) {
    const float scale = 1 / std::sqrt(static_cast<float>(width));
    std::fill_n(block.largest, QUERIES, -1e30f);
    std::fill_n(block.sum, QUERIES, 0.0f);
    std::fill(block.result.begin(), block.result.end(), 0.0f);
    const int64_t end = std::min(first + QUERIES, tokens);
    for (int64_t key = 0; key < end; key += KEYS) {
        Vector scores[QUERIES][2] = {};
        multiply(scores, block.query.data(), width, panels + key * width, KEYS, width);
        for (int64_t row = 0; row < QUERIES; ++row)
            for (int64_t half = 0; half < 2; ++half)
                store(block.weights + row * KEYS + half * LANES, scores[row][half]);
        weigh(block, first, key, width, scale);

        const int64_t keys = std::min(KEYS, tokens - key);
        for (int64_t column = 0; column < width; column += KEYS) {
            Vector tile[QUERIES][2];
            float* result = block.result.data() + column;
            for (int64_t row = 0; row < QUERIES; ++row)
                for (int64_t half = 0; half < 2; ++half)
                    tile[row][half] = load(result + row * width + half * LANES);
            multiply(tile, block.weights, KEYS, v + key * width + column, width, keys);
            for (int64_t row = 0; row < QUERIES; ++row)
                for (int64_t half = 0; half < 2; ++half)
                    store(result + row * width + half * LANES, tile[row][half]);
        }
    }
    for (int64_t row = first; row < end; ++row)
        for (int64_t i = 0; i < width; ++i)
            out[row * width + i] = block.result[(row - first) * width + i] / block.sum[row - first];
}

// `width` is a multiple of KEYS.
extern "C" void run(
    const float* q, const float* k, const float* v, float* out, int64_t heads, int64_t tokens,
    int64_t width) {
    const int64_t blocks = (tokens + QUERIES - 1) / QUERIES;
    const int64_t panel_size = (tokens + KEYS - 1) / KEYS * KEYS * width;
    std::vector<float> panels(heads * panel_size);
#pragma omp parallel
    {
#pragma omp for
        for (int64_t head = 0; head < heads; ++head)
            pack(panels.data() + head * panel_size, k + head * tokens * width, tokens, width);

        Block block(width);
        // later queries see more keys, so blocks are handed out as threads become free
#pragma omp for schedule(dynamic, 4)
        for (int64_t task = 0; task < heads * blocks; ++task) {
            const int64_t head = task / blocks, first = task % blocks * QUERIES;
            const float* from = q + (head * tokens + first) * width;
            const int64_t count = std::min(QUERIES, tokens - first) * width;
            std::fill(std::copy_n(from, count, block.query.begin()), block.query.end(), 0.0f);
            const int64_t start = head * tokens * width;
            attend(block, panels.data() + head * panel_size, v + start, out + start, first, tokens, width);
        }
    }
}
