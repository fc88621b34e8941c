"""A job of ranks in a cell: a setting of DDP is tried from its view, and can be stopped."""

import pytest

from tests.browser.conftest import OpenNotebook
from tests.fixtures.tabs import open_tab

SETUP = "import torch\n%load_ext dynamo_lab"
CELL = """%%compile --ranks 2 --backend aot_eager --timeout 240
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(512, 512)
        self.second = torch.nn.Linear(512, 512)

    def forward(self, x):
        return self.second(self.first(x).relu())

model = torch.nn.parallel.DistributedDataParallel(Net(), bucket_cap_mb=1)
for _ in range(9):
    model(torch.ones(8, 512)).sum().backward()
"""


@pytest.mark.long
def test_a_setting_of_ddp_is_tried_and_stopped(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook("ranks.ipynb", SETUP, CELL)
    notebook.run_all()
    view = notebook.widgets().first
    open_tab(view, "ranks")
    settings = view.locator(".dl-settings")
    row = settings.locator("li", has_text="gradient_as_bucket_view=True")
    row.get_by_role("button", name="Try it").click()
    row.get_by_text("Job 2 of 14, without gradient_as_bucket_view=True").wait_for(timeout=240_000)
    row.get_by_text(" left").wait_for()
    row.get_by_role("button", name="Stop").click()
    row.get_by_text("Stops once the job that runs now has ended").wait_for()
    stopped = settings.get_by_text("It was stopped before all jobs had run.")
    stopped.wait_for(timeout=240_000)
    settings.get_by_role("button", name="Open rank 0 of the last job with it").click()
    view.get_by_text("rank 0 with gradient_as_bucket_view=True").first.wait_for()
