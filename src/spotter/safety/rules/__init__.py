"""What is looked for, one small module per family, written to be read and argued with."""
