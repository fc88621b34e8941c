"""A program of several processes: each rank's calls, and all of them joined to one job."""
