"""The grammar of time: texts and questions → intervals, by rule and without a date library.

Pure and linear in the text. Readers call it at write time, planning at question time.
"""

from quipu.when.partial import find_partial
from quipu.when.question import QuestionTime, find_days, read_question_time, without
from quipu.when.spans import TimeSpan, fact_dates, find_spans

__all__ = [
    "QuestionTime",
    "TimeSpan",
    "fact_dates",
    "find_days",
    "find_partial",
    "find_spans",
    "read_question_time",
    "without",
]
