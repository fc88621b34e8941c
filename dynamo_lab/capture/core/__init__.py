"""What all probes share: the recorder, patches, releases, compilations."""
