"""How text is taken apart, once for the whole package: tokens, sentences, whose words they are; its tables as data."""
