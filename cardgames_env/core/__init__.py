"""What all games share: kernels, random streams, the verbs, and the environments' faces."""
