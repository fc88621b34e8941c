"""Which buffers Inductor fused or not, and why; and the plan of its memory."""
