"""RAG Chunking Lab: starts the app and does nothing else. `streamlit run app.py`."""

from pages.shared import frame

frame.run()
