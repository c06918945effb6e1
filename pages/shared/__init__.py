"""What the pages share: widgets, figures, state and the text viewer."""
