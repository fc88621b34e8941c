# %% 9.1
def make_step(model, optimizer):
    @torch.compile
    def loss_of(x, target):
        return F.cross_entropy(model(x), target)

    update = torch.compile(optimizer.step)

    def step(x, target):
        optimizer.zero_grad()
        loss = loss_of(x, target)
        loss.backward()
        update()
        return loss.detach()

    return step


# %% 9.2
def make_optimizer(parameters):
    return torch.optim.Adam(parameters, lr=torch.tensor(0.01))


# %% 9.3
def deep(blocks, x):
    for block in blocks:
        x = checkpoint(block, x, use_reentrant=False)
    return x
