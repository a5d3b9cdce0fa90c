"""What several devices and people share: what arrives from them is checked whole."""
