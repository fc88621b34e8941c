"""The recorder as the user holds it: while the block runs, and afterwards."""

from dynamo_lab.api.recording import Recording, recording_of
from dynamo_lab.capture.core.recorder import Recorder as FactRecorder
from dynamo_lab.record.run import Run


class Recorder(FactRecorder):
    """Facts so far. `recording` is a recording of them, of which more can be asked."""

    def freeze(self) -> Recording:
        """What is known now, as a recording of its own."""
        return recording_of(Run.of(self, super().freeze()))

    @property
    def recording(self) -> Recording:
        """The recording of what happened so far."""
        return self.freeze()
