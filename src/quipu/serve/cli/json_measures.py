"""What the keys of measurements mean, by the type that holds them."""

__all__ = ["MEASURES"]

MEASURES: dict[str, dict[str, str]] = {
    "FactsEvaluation": {
        "dataset": "the name of the folder",
        "queries": "questions that have gold; the others are passed over",
        "as_of_queries": "those that ask what held at a date",
        "before_after_queries": "those that ask what came before or after another fact",
        "as_of_hit1": "the share of the first kind whose first fact is right",
        "before_after_hit1": "the share of the second kind whose first fact is right",
        "latency_ms": "`p50`, `p95`, `p99` of a question, from text in to facts out",
        "index_s": "seconds of writing, without embedding",
        "embed_s": "seconds of embedding",
    },
    "MemoryEvaluation": {
        "dataset": "the name of the folder",
        "queries": "questions that have gold",
        "recall": "R@k by k: the share of a question's gold turns among the first k",
        "all_gold": "by k: the share of questions whose whole gold is among the first k",
        "ndcg": "nDCG at 10",
        "mrr": "MRR at 10",
        "groups": "R@10 by the questions' category or ability",
        "updated_above_original": "how often a changed value stands above the first one, or null",
        "both_sides": "how often both sides of a contradiction are in ten, or null",
        "auroc": "of the confidence: questions with an answer against those without, or null",
        "latency_ms": "`p50`, `p95`, `p99` of a search, from text in to hits out",
        "index_s": "seconds of writing, without embedding",
        "embed_s": "seconds of embedding",
        "peak_rss_mb": "the most memory the process held",
    },
    "IncidentsEvaluation": {
        "dataset": "the name of the folder",
        "commits": "commits in its corpus",
        "queries": "questions that have gold, by kind (`cause`, `follow_up` …)",
        "hit": "by track, kind and k: the share of questions with any gold among the first k; "
        "track `A` asks by the message, `B` by the touched files too",
        "mrr": "MRR@10 by track and kind",
        "latency_ms": "`p50`, `p95`, `p99` of a search, from text in to hits out",
        "index_s": "seconds of writing and learning, without embedding",
        "embed_s": "seconds of embedding",
    },
    "Evaluation": {
        "dataset": "the name of the folder",
        "queries": "questions that have gold; the others are passed over",
        "recall": "R@k by k: the share of a question's gold among the first k",
        "all_gold": "by k: the share of questions whose whole gold is among the first k",
        "ndcg": "nDCG@10, linear gain",
        "mrr": "MRR@10",
        "latency_ms": "`p50`, `p95`, `p99` of a search, from text in to hits out",
        "index_s": "seconds of writing, without embedding",
        "embed_s": "seconds of embedding",
        "peak_rss_mb": "the most memory the process held",
        "auroc": "of the confidence: questions with an answer against those without, or null",
    },
}
