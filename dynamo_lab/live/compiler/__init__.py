"""Programs of the backend `lab`, changed and edited while they live."""
