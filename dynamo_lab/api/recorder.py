"""The recorder as the user gets it: while the block runs, and afterwards."""

from dynamo_lab.api.recording import Recording, recording_of
from dynamo_lab.capture.core.recorder import Recorder as FactRecorder
from dynamo_lab.record.run import Run


class Recorder(FactRecorder):
    """Facts so far. `recording` is a recording of them, which answers more questions."""

    def freeze(self) -> Recording:
        """What is known now, as a separate recording."""
        return recording_of(Run.of(self, super().freeze()))

    @property
    def recording(self) -> Recording:
        """The recording of what happened so far."""
        return self.freeze()
