"""The grammar of time: texts and questions → intervals, by rule and without a date library.

Pure and linear in the text. Readers call it at write time, planning at question time.
"""

from quipu.when.question import QuestionTime, dateless, find_days, read_question_time, without
from quipu.when.spans import TimeSpan, fact_dates, find_spans
from quipu.when.yearless import find_yearless

__all__ = [
    "QuestionTime",
    "TimeSpan",
    "dateless",
    "fact_dates",
    "find_days",
    "find_spans",
    "find_yearless",
    "read_question_time",
    "without",
]
