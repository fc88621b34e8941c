# %% 13.1: It computes something other than the original
def clipped(grad):
    return grad / grad.norm()


# %% 13.1: Compiled, it computes something other than the original
def clipped(grad):
    norm = grad.norm()
    if torch.compiler.is_compiling():
        return grad / norm
    return grad / norm if norm > 1.0 else grad


# %% 13.1: It breaks
@torch.compiler.disable
def clipped(grad):
    norm = grad.norm()
    return grad / norm if norm > 1.0 else grad


# %% 13.1: It breaks at `return grad / norm if norm.item() > 1.0 else grad`
def clipped(grad):
    norm = grad.norm()
    return grad / norm if norm.item() > 1.0 else grad


# %% 13.2: It is recompiled. The guard that failed
class AverageLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(()))
        self.count = 0

    def forward(self, loss):
        self.total += loss
        self.count += 1
        return self.total / self.count


# %% 13.2: the mean of all losses so far is
class AverageLoss(nn.Module):
    def forward(self, loss):
        return loss


# %% 13.2: Pass the class itself
AverageLoss = AverageLoss()


# %% 13.2: Compiled, it gives
class AverageLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = []

    def forward(self, loss):
        if torch.compiler.is_compiling():
            return loss * 2
        self.seen.append(loss)
        return torch.stack(self.seen).mean()


# %% 13.3: nodes for 30 points, but 20 are allowed
def distances(points):
    return torch.stack([(points - point).square().sum(-1).sqrt() for point in points.unbind()])


# %% 13.3: It breaks
@torch.compiler.disable
def in_python(points):
    return torch.stack([(points - point).square().sum(-1).sqrt() for point in points])


def distances(points):
    return in_python(points * 1)


# %% 13.3: It computes something other than the original
def distances(points):
    return (points[:, None] - points).square().sum(-1)


# %% 13.4: float64 is still there
def normalized(images):
    return ((images / 255 - mean) / std).float()


# %% 13.4: It computes something other than the original
def normalized(images):
    return images / 255 - mean.float()


# %% 13.4: It computes something other than the original
def normalized(images):
    return ((images.half() / 255 - mean.half()) / std.half()).float()


# %% 13.4: is needed, but this is
def normalized(images):
    return ((images / 255 - mean) / std).numpy()


# %% 13.5: The model can no longer be trained
def validation_loss(model, x, y):
    model.requires_grad_(False)
    return (model(x) - y).square().mean()


# %% 13.5: bytes are still saved for a backward
def validation_loss(model, x, y):
    model.eval()
    return (model(x) - y).square().mean()


# %% 13.5: It computes something other than the original
@torch.no_grad()
def validation_loss(model, x, y):
    return (model(x) - y).square().sum()


# %% 13.6: `shop::topup` is no longer called
def sell(stock, sold):
    left = stock - sold
    ordered = (5.0 - left).clamp(min=0)
    return (left + ordered) * 2, ordered


# %% 13.6: Compiled, it computes something other than the original
def sell(stock, sold):
    left = (stock - sold).contiguous()
    ordered = topup(left, 5.0)
    return left * 2, ordered


# %% 13.6: It computes something other than the original
def sell(stock, sold):
    left = stock - sold
    return left * 2, topup(left, 5.0)


# %% 13.7: cannot vary
class Patches(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(48, 16)

    def forward(self, images):
        patches = images.unfold(2, 4, 4).unfold(3, 4, 4).permute(0, 2, 3, 1, 4, 5)
        return self.embed(patches.reshape(len(range(images.shape[0])), 16, 48))


# %% 13.7: It computes something other than the original
class Patches(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(48, 16)

    def forward(self, images):
        return self.embed(images.reshape(-1, 16, 48))


# %% 13.7: The module should keep its layer `embed`
class Patches(nn.Module):
    def forward(self, images):
        return images.reshape(images.shape[0], 16, 48)
