"""Recordings of training steps planned for little memory."""
