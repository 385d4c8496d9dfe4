"""Label noise: options beside the target that its summary describes as well, and what people say of them."""
