// What several baselines in Metal share: reductions over a group of threads.
#include <metal_stdlib>
using namespace metal;

constant uint THREADS = 256, WIDTH = 32;  // threads in a group, and in a SIMD group

// Each SIMD group reduces without memory; what they found meets in threadgroup memory.
float group_max(float value, threadgroup float* shared, uint lane, uint simd_group) {
    value = simd_max(value);
    if (lane == 0) shared[simd_group] = value;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    value = simd_max(lane < THREADS / WIDTH ? shared[lane] : -INFINITY);
    threadgroup_barrier(mem_flags::mem_threadgroup);  // shared is written again by the next
    return value;
}

float group_sum(float value, threadgroup float* shared, uint lane, uint simd_group) {
    value = simd_sum(value);
    if (lane == 0) shared[simd_group] = value;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    value = simd_sum(lane < THREADS / WIDTH ? shared[lane] : 0.0f);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return value;
}
