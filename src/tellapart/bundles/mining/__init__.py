"""Mining: bundles that stay dangerous over many independent draws of their negatives."""
