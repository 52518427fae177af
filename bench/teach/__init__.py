"""Scripts that make the weights and graphs that the package ships; none of them is shipped."""
