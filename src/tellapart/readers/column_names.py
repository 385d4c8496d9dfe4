"""What others call the columns of a table of scores: likely names, and names that cannot be a model's."""

from __future__ import annotations

import re
from itertools import combinations

LIKELY = {
    role: names.split()
    for role, names in {
        "model": "model model_name model_id system method run run_id name",
        "item": "item item_id question_id query_id qid sample_id example_id instance_id prompt_id test_id "
        "case_id task_id doc_id id uid uuid key idx index nr no number # query question prompt input text "
        "task case sample example",
        "score": "score value accuracy acc correct is_correct exact_match em f1 reward rating grade result "
        "passed pass success",
        "replicate": "replicate rep repeat repetition trial attempt seed epoch iteration round try run "
        "run_id run_index sample sample_index",
    }.items()
}
"""By column of ours, what others call it, the likeliest first."""

TEXTS = {
    role: names.split()
    for role, names in {
        "question": "question question_text user_input prompt input inputs query instruction problem",
        "expected": "expected expected_answer expected_output expected_response target reference "
        "reference_answer ground_truth ground_truths gold gold_answer correct_answer right_answer "
        "answer_key ideal",
        "response": "response model_response output actual_output model_output prediction actual "
        "predicted_answer model_answer completion generation generated_text reply",
    }.items()
}
"""Names of columns that hold texts, the likeliest first. ``answer`` is beside these whichever of ``expected``
and ``response`` no other column is, and ``expected`` where neither is there."""

_ANSWER = "answer"

METRIC_COLUMNS = ("metric", "metric_name", "scorer", "evaluator", "measure", "score_name")
"""Names of columns that say of which metric a score is."""

_WORDS = """
total totals subtotal subtotals sum mean average avg overall median std stdev sd stderr se variance accuracy
score all min max minimum maximum ci | standardabweichung standardfehler
 gesamt summe mittelwert durchschnitt insgesamt | totaux somme moyenne | promedio media suma
totales | média soma | totale somma | totaal gemiddelde som | razem średnia ogółem | итого всего среднее сумма
toplam ortalama | 合計 平均 総計 小計 | 总计 合计 平均值 小计 | 합계 평균 총계
"""
LABELS = frozenset(_WORDS.replace("|", " ").split())
"""What rows and columns that sum the others up are called, in a dozen languages."""

_OTHERS = "standard deviation dev error 95 95% ± ±95% grand pass rate général general geral of the row sub"
_BESIDE = frozenset(["macro", "micro", "weighted", *_OTHERS.split()])
"""Words that may stand beside one of `LABELS`."""

_METRIC = re.compile(
    r"(exact_match|quasi_exact_match|em|f1|acc|accuracy|acc_norm|bleu\w*|rouge\w*|meteor|chrf\w*|bert_?score|"
    r"precision|recall|n?dcg|mrr|map|mse|mae|rmse|auc|auroc|perplexity|ppl|loss|pass|hit_rate|score|"
    r"correct(ness)?|faithfulness|groundedness|relevance|relevancy|(answer|context|response)_\w+|coherence|"
    r"fluency|toxicity|bias|hallucination|helpfulness|harmlessness|harmfulness|completeness|conciseness|"
    r"consistency|similarity|quality|preference|win_?rate|elo|wer|cer)([@_]?\d+)?(_score|_mean|_avg)?"
)
_WORDS_FOR_SCORES = {*LIKELY["score"]} - {"accuracy", "acc", "exact_match", "em", "f1"}
_OF_SCORES = re.compile(r"^(.*\.)?(scores?|metrics?|feedback|evals?|results?|grades?)[._]", re.IGNORECASE)
"""What stands before a metric's name in nested records."""
_BAD = re.compile(
    r"halluc|error|mistake|inaccura|incorrect|wrong|latenc|distan|refus|perplex|regret|duration|elapsed|violat|"
    r"unsafe|false_?(positive|negative)|confabul|contradict|penalt|misinfo|stereotyp|offensiv|insult|profan|"
    r"(?<![a-z])(toxic|bias|cost|harm(?!less|on)|loss|leak|noise|fail)|"
    r"(?<![a-z])(errs?|[wct]er|ppl|nll|mse|mae|rmse|ece|brier|rank|fpr|fnr|hate|ms|seconds|time|tokens|usd)(?![a-z])"
)
"""What bad things are called, of which less is better."""
_OF_BAD = re.compile(
    r"(?<!in)accura|(?<!in)correct|precision|recall|detect|handl|recover|avoid|resist|robust|correlat|reduc|"
    r"classif|identif|(?<![a-z])(acc|f1|auc|auroc|no|non|not|free|without|reciprocal)(?![a-z])"
)
"""Words of names that tell how well a bad thing is met, or that it is not there: more is better."""
_KEYS = """
answer answer_index label gold_label true_label human_label correct_label expected_label reference_label
truth y y_true gt ref class true_class annotation true_answer human_answer correct_option correct_choice
correct_index
"""
"""Names of right answers beside those of texts that are expected."""
_ABOUT_ITEMS = re.compile(
    r"difficulty|level|year|month|day|date|timestamp|n|k|size|len|weight|fold|rank|position|row|line|page|chapter|"
    r"(n_)?(wins?|ties?|loss(es)?)(_\w+)?|part|version|"
    r"index|idx|temperature|age|characters|mean|avg|average|overall|total|sum|std|stdev|variance|median|min|max|"
    r"agreement|agree|winner|chance|hard|easy|answerable|(difference|diff|delta|gap|category|topic|domain|subject|"
    r"section|split|group|type|kind|class|difficulty)(_(id|no|code|level|score))?|"
    r"(n|p|num|number|is|has|needs|requires|mean|avg|total|max|min)_\w+|"
    r"\w+_(id|len|size|date|year|s|index|idx|mean|avg|std|total|stderr|se|rank)"
)
_WORDS_ABOUT_ITEMS = re.compile(
    r"price|cost|usd|time|seconds|secs|elapsed|runtime|latency|duration|ms|tokens?|chars|words|length|count|"
    r"overlap|votes|voters|confidence|conf|prob|logprob|pvalue|flagged|reviewed|verified|checked"
)
"""Words of a name that no model has alone: a column called so is never taken for one."""

_FAMILY = re.compile(
    r"(.*[/:])?(openai|anthropic|google|meta|mistralai|microsoft|amazon|nvidia|azure|(chat)?gpt|o[1345]|davinci|"
    r"claude|opus|sonnet|haiku|(code)?llama|gemini|gemma|palm|qwen|qwq|mistral|mixtral|codestral|phi|deepseek|yi|"
    r"command_r|cohere|aya|(chat)?glm|kimi|minimax|ernie|grok|falcon|nova|titan|granite|nemotron|olmo|vicuna|"
    r"alpaca|zephyr|starcoder|jamba|dbrx|flan|m?t5|\w*bert|bart|e5|bge|gte|jina|nomic|voyage|(all_)?(mpnet|mini_?lm)|"
    r"ada|text_embedding|splade|colbert|dpr|contriever|bm25|tf_?idf|lsa|dense|sparse|hybrid|rerank\w*|rag|"
    r"ours?|theirs|mine|my|baseline|base|candidate|finetuned?|ft|new|old)(?![a-z]).*|.*\d(\.\d)?b(_.*)?"
)
"""Names that begin with a family of models or a part that one has in a comparison, or have a size."""

_MANY = 8


_UNNAMED = re.compile(r"|(__)?unnamed(: [\d.]+|__\d+)?|(_duplicated|column)_\d+|level_0")


def looks_like_model(name: str) -> bool:
    """Check whether a name, not a text, begins like those of models, or has a size such as 7b."""
    return len(name) < 60 and _FAMILY.fullmatch(re.sub(r"[\s.\-]+", "_", name.strip().casefold())) is not None


def odd_names(names: list[str]) -> list[str]:
    """Give those that share no pattern with models that others name, or with others that share one.

    Where most have names of their own, or of many models a few, names tell nothing.
    """
    patterns = {n: {re.sub(r"\d+", "0", n), re.split(r"[\W_\d]", n)[0] or n, len(n) == 1} for n in names}
    alike = {n: [m for m in names if patterns[n] & patterns[m] - {False}] for n in names}
    usual = [*filter(looks_like_model, names)] or [n for n in names if len(alike[n]) > 1]
    # What has two others in its name is about both.
    inner = {n: [m for m in names if m in n and m != n] for n in names}
    about_two = [n for n in names if any(a not in b and b not in a for a, b in combinations(inner[n], 2))]
    unlike = [n for n in names if usual and set(usual).isdisjoint(alike[n])]
    is_telling = len(unlike) <= len(usual) < _MANY
    return [n for n in names if n in about_two or (is_telling and n in unlike)]


def written(name: str) -> str:
    """Bring spellings of a name together: ``Question ID`` is ``question_id``, ``Price ($)`` is ``price``."""
    return re.sub(r"[^\w@]+|_+", "_", name.casefold()).strip("_") or name.strip()


def likely_columns(role: str, names: list[str]) -> list[str]:
    """Give those names that others use for one of our columns, the likeliest first."""
    return _called(LIKELY[role], names)


def _called(likely: list[str], names: list[str]) -> list[str]:
    return [name for one in likely for name in names if written(name) == one]


def text_columns(names: list[str]) -> dict[str, str]:
    """Give the columns that hold what an item asks, what is expected and what was answered."""
    found = {text: _called(likely, names) for text, likely in TEXTS.items()}
    columns = {text: called[0] for text, called in found.items() if called}
    answer = next((name for name in names if written(name) == _ANSWER), None)
    if answer is not None and not {"expected", "response"} <= columns.keys():
        columns["response" if "expected" in columns else "expected"] = answer
    return columns


def is_metric(name: str) -> bool:
    """Check whether a name is that of a metric, so that its column is not named after a model."""
    return any(
        plain in LIKELY["score"] or _METRIC.fullmatch(plain) is not None
        for plain in map(written, (name, _OF_SCORES.sub("", name)))
    )


def names_metric(name: str) -> bool:
    """Check whether a name is that of a certain metric, and not just a word for scores."""
    return is_metric(name) and written(_OF_SCORES.sub("", name)) not in _WORDS_FOR_SCORES


def is_less_better(name: str) -> bool:
    """Check whether a name is that of a metric of which less is better, such as ``wer`` or ``latency_ms``."""
    words = written(name)
    return _BAD.search(words) is not None and _OF_BAD.search(words) is None


def is_about_items(name: str) -> bool:
    """Check whether a name tells that its numbers are no model's scores, such as ``n_tokens`` or ``sum``."""
    return (
        written(name) in LIKELY["replicate"]
        or is_key(name)
        or _ABOUT_ITEMS.fullmatch(written(name)) is not None
        or is_label(written(name).split("_"))
        or any(map(_WORDS_ABOUT_ITEMS.fullmatch, written(name).replace("p_value", "pvalue").split("_")))
    )


def is_key(name: str) -> bool:
    """Check whether a name is that of right answers."""
    return written(name) in (*_KEYS.split(), *TEXTS["expected"])


def is_label(words: list[str]) -> bool:
    """Check whether words in small letters can name nothing but a row or a column that sums others up."""
    return not LABELS.isdisjoint(words) and set(words) <= LABELS | _BESIDE


def is_unnamed(name: str) -> bool:
    """Check whether a column has no name: that of an index which a program wrote without one."""
    return _UNNAMED.fullmatch(name.strip().casefold()) is not None


# Measures of rankings.

PREFERRED_MEASURES = ("ndcg@10", "ndcg", "ap", "rr")

_SAME_MEASURES = {
    "map": "ap",
    "mrr": "rr",
    "recip_rank": "rr",
    "recall": "r",
    "precision": "p",
    "hit_rate": "success",
    "accuracy": "success",
    "acc": "success",
    "em": "exact_match",
}

# Names as trec_eval, ir_measures, pytrec_eval and MTEB write them, with a cutoff and parameters after them.
_MEASURE = re.compile(
    r"(ndcg(_cut)?|map(_cut)?|ap|m?rr|recip_rank|recall(_cap)?|r|p|precision|success|hit_rate|accuracy|bpref"
    r"|rprec|judged|set_\w+|iprec\w*|infap|gm_\w+|num_\w+|err|rbp|f1)([@_.](at_)?[0-9.]+)?(\(.*\)(@[0-9]+)?)?",
    re.IGNORECASE,
)


def looks_like_measure(name: str) -> bool:
    """Check whether a name is that of a retrieval measure, in any of the common spellings."""
    return _MEASURE.fullmatch(name) is not None


def canonical(name: str) -> str:
    """Give spellings of one measure the same name: ``ndcg_cut_10``, ``nDCG@10`` and ``ndcg_at_10``."""
    parts = re.fullmatch(r"(.*?)(?:_cut)?(?:[@._](?:at_)?([0-9]+))?", name.casefold())
    stem, cutoff = (parts[1], parts[2]) if parts else (name.casefold(), None)
    stem = _SAME_MEASURES.get(stem, stem)
    return f"{stem}@{cutoff}" if cutoff else stem
