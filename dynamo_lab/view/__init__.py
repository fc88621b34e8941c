"""What to show: pure functions from a Recording to views. No torch, no I/O, no markup."""

from dynamo_lab.view.view import View as View
from dynamo_lab.view.view import build as build
