// Adam: all threads go through the tensors together, and none waits for the others between two.
#include <cmath>
#include <cstdint>

extern "C" void run(
    float* const* parameters, const float* const* gradients, float* const* means,
    float* const* squares, const int64_t* counts, int64_t tensors, float beta1, float beta2,
    float eps, float rate, float correction) {
    const float scale = 1 / correction;
#pragma omp parallel
    for (int64_t t = 0; t < tensors; ++t) {
        float* p = parameters[t];
        const float* g = gradients[t];
        float* m = means[t];
        float* s = squares[t];
#pragma omp for simd schedule(static) nowait
        for (int64_t i = 0; i < counts[t]; ++i) {
            m[i] += (g[i] - m[i]) * (1 - beta1);
            s[i] = s[i] * beta2 + g[i] * g[i] * (1 - beta2);
            p[i] -= rate * m[i] / (std::sqrt(s[i]) * scale + eps);
        }
    }
}
