// Taken over by the first real test.
