"""What tests share: a database per test process, a running house, people of every role, real processes."""
