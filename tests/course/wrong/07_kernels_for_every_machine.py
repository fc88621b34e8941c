# %% 7.1: was written for line 2 of yours
line = next(
    number
    for number, text in enumerate(scaled_on_gpu.kernels[0].code.splitlines(), 1)
    if "tl.load" in text
)


# %% 7.1: was written for no line of yours: it serves others
line = next(
    number
    for number, text in enumerate(scaled_on_gpu.kernels[0].code.splitlines(), 1)
    if "tl.program_id" in text
)


# %% 7.1: it is no statement
line = 3


# %% 7.2: it is a power of two
masked = 640 - 600


# %% 7.2: is the whole block
masked = 1024


# %% 7.2: somewhere it is
masked = 0


# %% 7.3: The interpreter gets other numbers
def with_exp2(code):
    return code.replace("libdevice.exp(tmp4)", "tl.exp2(tmp4)")


# %% 7.3: There is no `exp2(` in it
def with_exp2(code):
    return code + "\n# tl.exp2(tmp4)"


# %% 7.3: Triton cannot run it
def with_exp2(code):
    return code.replace("libdevice.exp(tmp4)", "tl.exp2(tmp4, 1.4426950408889634, base=2)")
