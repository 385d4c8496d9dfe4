"""A server on this machine that speaks the wires of model providers, for tests without a network or a key.

It speaks Anthropic's Messages API, OpenAI's chat completions (which DeepSeek, Ollama and most other servers
speak too) and OpenAI's Responses API, and does what a test plans: a reply, an error, a connection that is cut
or hangs. Any client that can be given an address can be tested with it; an evaluation of your own like this:

    from pydantic import BaseModel
    from tellapart.llm import CallJournal, LanguageModel, Question, ask_all
    from tellapart.testing.loopback import LoopbackServer, Status

    class Verdict(BaseModel):
        relevant: bool

    def test_a_busy_provider_costs_no_answer(tmp_path, monkeypatch):
        with LoopbackServer([Status(429), '{"relevant": true}']) as server:
            for name, value in server.environment().items():
                monkeypatch.setenv(name, value)
            model = LanguageModel("anthropic/any", first_wait_s=0.0)
            with CallJournal(tmp_path / "calls.jsonl") as journal:
                answers = ask_all([Question("q", "Is it?", Verdict)], model, journal, logs=tmp_path)
                assert answers.by_id["q"].value == Verdict(relevant=True)
        assert [request.prompt for request in server.requests] == ["Is it?", "Is it?"]

Without ``first_wait_s=0.0`` the second attempt would be seconds later. A reply that cannot be read is asked
for once more, and ``request.prompt``, the last message, then says what was wrong: a plan that looks for the
question finds it in ``request.messages``. The name of a model decides the wire: Inspect asks
``openai/gpt-4o`` by chat completions, and by responses models that think or that it does not know.
"""

from tellapart.testing.loopback.behaviours import (
    Behaviour,
    Cut,
    Hang,
    Page,
    Reply,
    Request,
    Respond,
    Status,
    ToolCall,
    WireName,
    in_turn,
)
from tellapart.testing.loopback.prompt_cache import PromptCache
from tellapart.testing.loopback.server import LoopbackServer

__all__ = [
    "Behaviour",
    "Cut",
    "Hang",
    "LoopbackServer",
    "Page",
    "PromptCache",
    "Reply",
    "Request",
    "Respond",
    "Status",
    "ToolCall",
    "WireName",
    "in_turn",
]
