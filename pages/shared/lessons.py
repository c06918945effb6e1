"""What the guide says (S05): strategies, symptoms, mistakes, and questions to check oneself by."""

from __future__ import annotations

from typing import NamedTuple


class Symptom(NamedTuple):
    """What one sees in the results, what it means, and what to try."""

    seen: str
    meaning: str
    cure: str


class Question(NamedTuple):
    """A question with its answer."""

    asked: str
    answer: str


WHEN = {
    "fixed": "Logs and text without punctuation, and as the baseline to beat. Cuts fall anywhere; overlap mends some.",
    "sentence": "Prose: whole sentences up to the size, the last one carried over.",
    "paragraph": "Prose whose paragraphs each say one thing.",
    "recursive": "The usual first choice: it keeps paragraphs, then lines, then words together as long as they fit.",
    "markdown": "Documents with headings: no chunk holds two topics, and the heading path says what it is about.",
    "semantic": "Prose without headings, where topics change inside long paragraphs. It costs an embedding a sentence.",
    "structure": "Pages with tables, lists and code: rows keep their header, a list its lead-in. Tables gain most; "
    "what is repeated in front of the rows costs context.",
    "code": "Source code: a function that fits is one chunk, with the class that it stands in. In our sample, "
    "questions about code were answered as well by plain line breaks.",
    "records": "CSV, JSON and JSON Lines: no record is cut, and each chunk has the header. In our sample, records "
    "that a question names by a word of their own were found however they were cut.",
    "sentence-buffer": "To follow the worked example above, and to compare with simple home-made splitters.",
}
"""What each chunker is for, where its own help text does not say enough."""

SYMPTOMS = (
    Symptom(
        "The right document is in the top k, but not the right place.",
        "The chunks are too large: each vector is an average of several topics.",
        "Smaller chunks, or cuts at headings.",
    ),
    Symptom(
        "The top k holds half of the answer.",
        "The chunks are too small, or a cut runs through the answer.",
        "Larger chunks, whole sentences, or some overlap.",
    ),
    Symptom(
        "The ceiling is below 1.",
        "No chunk covers enough of some answer, so no ranking can find it.",
        "Larger chunks; look at the cuts through the marked passage.",
    ),
    Symptom(
        "Two of the top five say the same.",
        "Overlap takes places in the results.",
        "Less overlap, and cuts at sentences or headings instead.",
    ),
    Symptom(
        "Embeddings find it, keywords do not, or the other way round.",
        "Paraphrases need vectors; names, codes and numbers need words.",
        "Hybrid: both rankings fused.",
    ),
    Symptom(
        "Chunks are longer than the model reads.",
        "What lies past its limit is in no vector, and nothing says so later.",
        "A size below the limit, measured in the model's own word pieces. “Past the model's limit” on Retrieval counts "
        "what is lost.",
    ),
)

MISTAKES = (
    (
        "Counting characters where the model counts tokens.",
        "Four characters a token holds for English prose. Code, addresses, numbers and many languages take more "
        "tokens, and what passes the model's limit is cut off silently. Measure in tokens.",
    ),
    (
        "Chunks that have lost their subject.",
        "“It also supports streaming” no longer says what “it” is. Index the heading in front of the "
        "chunk: “Headings in front” on Retrieval tries it on your questions.",
    ),
    (
        "Much overlap against bad cuts.",
        "Half overlap doubles the index and fills the results with copies of one passage. Better cuts need less of it.",
    ),
    (
        "A tiny last chunk.",
        "A few words that mostly repeat the chunk before. Merge a tail below a smallest size into its neighbour.",
    ),
    (
        "Changing the cut and keeping the old vectors.",
        "Scores of two cuts or two models in one index do not compare. Cut and embed everything anew.",
    ),
    (
        "Trusting a difference that a few questions show.",
        "With eleven questions one of them moves recall by nine points. Ask more questions before you decide.",
    ),
)

QUESTIONS = (
    Question(
        "A text of 1,000 characters in windows of 200 with an overlap of 50: how many windows?",
        "Each starts 150 after the last; the last one ends at the end of the text: 1 + ⌈(1,000 − 200) / 150⌉ = 7.",
    ),
    Question(
        "What does 20 % overlap cost on a long document?",
        "Windows advance by 80 % of their size, so 1 / (1 − 0.2) − 1 = 25 % more text is stored and embedded.",
    ),
    Question(
        "Recall rises with the size. Are larger chunks better, then?",
        "Not by that alone: the top k also holds more text. Compare at the same context, on the chart of recall "
        "against context or “Within a budget” on Retrieval.",
    ),
    Question(
        "An answer is cut into two halves by a boundary. Which setting says whether that counts as found?",
        "“Answers when it covers”: half counts a chunk that holds at least half of the passage; all counts none.",
    ),
    Question(
        "MRR is 0.5. What does that say?",
        "On average over the questions 1 / rank of the first chunk that answers is 0.5, as if it always stood second.",
    ),
)
