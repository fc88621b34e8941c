"""Parts of the compiler turned off one by one, and what each kernel computed."""
