"""What PyTorch logged in words, beside the views that show the same."""
