"""What lesson 19 is given: a small network, images made by code, and a step to put in order."""

from dynamo_lab.course.tiny.given import SMALL_STEP, images, network, peak

__all__ = ["SMALL_STEP", "images", "network", "peak"]
