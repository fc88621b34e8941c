"""The search for the part of the compiler that makes a program wrong."""
