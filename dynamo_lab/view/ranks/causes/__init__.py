"""Why a job of several ranks failed, hung or was slow."""
