# %% 8.1
believed = {"B", "F"}


# %% 8.2
def seconds_of_a_call(call, wait, clock):
    call()
    wait()
    rounds = []
    for _ in range(11):
        start = clock()
        for _ in range(1000):
            call()
        wait()
        rounds.append((clock() - start) / 1000)
    return sorted(rounds)[5]


# %% 8.3
def verdict(a, b):
    wins = sum(one > other for one, other in zip(a, b, strict=True))
    if wins >= 0.85 * len(a):
        return "faster"
    return "slower" if wins <= 0.15 * len(a) else "not distinguishable"


# %% 8.4
def least(work, limits):
    memory = (work.bytes_read + work.bytes_written) / limits.bandwidth
    arithmetic = work.flops / limits.flops[work.dtype]
    return max(memory, arithmetic), "memory" if memory > arithmetic else "arithmetic"
