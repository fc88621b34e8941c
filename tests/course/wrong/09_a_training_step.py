# %% 9.1: It breaks at `optimizer.zero_grad()`
def make_step(model, optimizer):
    @torch.compile
    def step(x, target):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), target)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


# %% 9.1: The optimizer's update was not compiled.
def make_step(model, optimizer):
    @torch.compile
    def loss_of(x, target):
        return F.cross_entropy(model(x), target)

    def step(x, target):
        optimizer.zero_grad()
        loss = loss_of(x, target)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


# %% 9.1: No backward was compiled
def make_step(model, optimizer):
    update = torch.compile(optimizer.step)

    def step(x, target):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), target)
        loss.backward()
        update()
        return loss.detach()

    return step


# %% 9.1: losses and parameters are not those of the eager step
def make_step(model, optimizer):
    @torch.compile
    def loss_of(x, target):
        return F.cross_entropy(model(x), target)

    update = torch.compile(optimizer.step)

    def step(x, target):
        loss = loss_of(x, target)
        loss.backward()
        update()
        return loss.detach()

    return step


# %% 9.1: make_step returns no function
def make_step(model, optimizer):
    return None


# %% 9.2: It is recompiled. The guard that failed
def make_optimizer(parameters):
    return torch.optim.Adam(parameters, lr=0.01, capturable=True)


# %% 9.2: It is no Adam at 0.01
def make_optimizer(parameters):
    return torch.optim.SGD(parameters, lr=torch.tensor(0.01))


# %% 9.2: not compiled at all
def make_optimizer(parameters):
    class Adam(torch.optim.Adam):
        @torch.compiler.disable
        def step(self, closure=None):
            return super().step(closure)

    return Adam(parameters, lr=0.01)


# %% 9.3: so at most
def deep(blocks, x):
    for block in blocks[:-1]:
        x = block(x)
    return checkpoint(blocks[-1], x, use_reentrant=False)


# %% 9.3: No gradient flows through
@torch.no_grad()
def deep(blocks, x):
    for block in blocks:
        x = block(x)
    return x


# %% 9.3: It no longer depends on all of its inputs
def deep(blocks, x):
    for block in blocks[:-1]:
        x = block(x.detach())
    return checkpoint(blocks[-1], x, use_reentrant=False)


# %% 9.3: It no longer depends on all of its inputs
def deep(blocks, x):
    return checkpoint(blocks[0], x, use_reentrant=False)


# %% 9.3: It computes something other than the original
def deep(blocks, x):
    for block in blocks:
        x = checkpoint(block, 2 * x, use_reentrant=False)
    return x


# %% 9.3: The numbers are right, but not all of it is compiled. It breaks at
def deep(blocks, x):
    return torch.utils.checkpoint.checkpoint_sequential(blocks, 4, x, use_reentrant=False)
