"""Switches: which there are, and what they set."""

import pytest

from dynamo_lab.errors import OptionError
from dynamo_lab.record.switches import SWITCHES, settings


def test_switches_become_settings_and_arguments() -> None:
    chosen = {"max_fusion_size": 1, "persistent_reductions": False, "dynamic": True}
    assert settings(chosen) == (
        {"dynamic": True},
        {"max_fusion_size": 1, "triton.persistent_reductions": False},
    )


@pytest.mark.parametrize(
    "chosen", [{"nonsense": 1}, {"max_fusion_size": -1}, {"split_reductions": 1}, {"mode": "fast"}]
)
def test_what_is_not_offered_is_refused_in_one_sentence(chosen: dict[str, object]) -> None:
    with pytest.raises(OptionError, match=r"^[^\n]*\.$"):
        settings(chosen)


@pytest.mark.parametrize("switch", SWITCHES, ids=lambda switch: switch.name)
def test_every_offered_value_is_taken(switch: object) -> None:
    from dynamo_lab.record.switches import Switch

    assert isinstance(switch, Switch)
    assert switch.sentence.endswith(".")
    for value in switch.values:
        settings({switch.name: value})


@pytest.mark.live
def test_every_switch_is_a_setting_of_this_pytorch() -> None:
    from torch._inductor import config  # noqa: TID251

    known = config.get_config_copy()
    assert {s.key for s in SWITCHES if s.topic != "compilation"} <= set(known)
