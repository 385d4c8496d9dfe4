"""What a judge is shown, word for word, and what its replies are worth."""

from longcontext.grading.judged_lines import probe
from tellapart.longcontext.graders import JudgeQuestions

DOCUMENT = """\
You are evaluating an LLM's response for accuracy.

TASK: Compare the model's actual answer to the expected correct answer and score it.

STEP ID: {stepId}
FAILURE MODE BEING TESTED: {failureMode}
QUESTION ASKED: {userMessage}
EXPECTED CORRECT ANSWER: {expectedAnswer}
MODEL'S ACTUAL ANSWER: {assistantResponse}

Score using EXACTLY one of these categories:
- CORRECT: All specific details match (exact numbers, names, conclusions)
- PARTIAL: General direction correct but specific details wrong or missing
- HALLUCINATED: Model confidently provides specific details NOT in the source material
- CONFUSED: Model attributes correct details from one study to a different study
- REFUSED: Model says it doesn't know or can't find the information
- ERROR: No response (API error)

Respond in this EXACT format (3 lines only):
SCORE: <score>
REASON: <one sentence explanation>
KEY_DETAIL: <the specific detail that was correct/wrong/hallucinated>"""


def prompt_of(one):
    (question,) = JudgeQuestions([one])
    return question.prompt


def test_the_prompt_is_the_documents_but_for_what_marks_its_fields():
    prompt = prompt_of(probe())
    marker = prompt.partition(" STEP ID:")[0].rpartition("\n")[2]
    begin, end = prompt.index("How to read"), prompt.index(f"{marker} STEP ID")
    kept = prompt[:begin] + prompt[end:]
    kept = kept.replace(f"{marker} END OF THE MATERIAL\n", "").replace(
        f"{marker} TEST:\n| Compare with C2-1.\n", ""
    )
    kept = kept.replace(f"{marker} ", "").replace(":\n| ", ": ")
    filled = DOCUMENT.format(
        stepId="V2-4",
        failureMode="Attention Dilution",
        userMessage="How large was Study 1?",
        expectedAnswer="N=342.",
        assistantResponse="N=342",
    )
    assert kept == filled
