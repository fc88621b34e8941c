# %% 8.1: there is another
believed = {"B"}


# %% 8.1: E's interval holds 1
believed = {"B", "E", "F"}


# %% 8.1: D's ways did not take turns
believed = {"B", "D"}


# %% 8.2: timed how it was started
def seconds_of_a_call(call, wait, clock):
    call()
    times = []
    for _ in range(50):
        start = clock()
        for _ in range(100):
            call()
        times.append((clock() - start) / 100)
    return sorted(times)[25]


# %% 8.2: time many calls at once
def seconds_of_a_call(call, wait, clock):
    call()
    wait()
    times = []
    for _ in range(101):
        start = clock()
        call()
        wait()
        times.append(clock() - start)
    return sorted(times)[50]


# %% 8.2: the mean takes it in
def seconds_of_a_call(call, wait, clock):
    call()
    wait()
    start = clock()
    for _ in range(1000):
        call()
    wait()
    return (clock() - start) / 1000


# %% 8.2: The first call compiles
def seconds_of_a_call(call, wait, clock):
    start = clock()
    for _ in range(10):
        call()
    wait()
    return (clock() - start) / 10


# %% 8.2: A number is needed, but this is nan
def seconds_of_a_call(call, wait, clock):
    call()
    return float("nan")


# %% 8.3: how many rounds agree on its sign
def verdict(a, b):
    return "faster" if sorted(b)[12] < sorted(a)[12] else "slower"


# %% 8.3: only the times of one round can be compared
def verdict(a, b):
    if max(b) < min(a):
        return "faster"
    return "slower" if min(b) > max(a) else "not distinguishable"


# %% 8.3: say faster, slower, or not distinguishable
def verdict(a, b):
    return sum(a) / sum(b)


# %% 8.4: both go on at the same time
def least(work, limits):
    memory = (work.bytes_read + work.bytes_written) / limits.bandwidth
    arithmetic = work.flops / limits.flops[work.dtype]
    return memory + arithmetic, "memory" if memory > arithmetic else "arithmetic"


# %% 8.4: both go on at the same time
def least(work, limits):
    return (work.bytes_read + work.bytes_written) / limits.bandwidth, "memory"


# %% 8.4: Reading and writing takes
def least(work, limits):
    memory = (work.bytes_read + work.bytes_written) / limits.bandwidth
    arithmetic = work.flops / limits.flops["float32"]
    return max(memory, arithmetic), "memory" if memory > arithmetic else "arithmetic"
