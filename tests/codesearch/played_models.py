"""Two agents and a judge as a server on this machine plays them."""

from codesearch.judging.judged import assessed, files_in, reply
from support.loopback import Reply, ToolCall
from tellapart.llm.quoting import material_of

A, B, JUDGE = "claude-haiku-4-5", "claude-sonnet-4-6", "claude-opus-4-5"
AGENTS = ("--explorer-a", f"agent:anthropic/{A}", "--explorer-b", f"agent:anthropic/{B}")
ASKING = (*AGENTS, "--judge", f"anthropic/{JUDGE}")


def is_exploration(request):
    """Whether a request is an agent's."""
    return request.body["model"] in (A, B)


def opening(request):
    """The first message of a request."""
    return next(text for role, text in request.messages if role == "user")


def explored(request):
    """Model and conversation of an agent's request."""
    return request.body["model"], material_of(opening(request)).partition("\n")[0]


def turn(request):
    """How often the model has spoken before."""
    return sum(role == "assistant" for role, _ in request.messages)


def uses(name, **arguments):
    """A reply that calls a tool."""
    return Reply(tool_calls=(ToolCall(name, arguments),), usage=(100, 10))


def submits(*files):
    """The last reply of an agent."""
    return uses("submit", files=list(files), reasoning="They are it.")


def judges(request):
    """What the judge says: of files, relevant if their paths say that they are good, and of a search."""
    prompt = opening(request)
    return reply(prompt) if files_in(prompt) else assessed(without=("snippet_quality",))


def playing(finds):
    """Agents that look once and then hand in ``finds(model, conversation)``; and the judge."""

    def respond(request):
        if not is_exploration(request):
            return judges(request)
        return submits(*finds(*explored(request))) if turn(request) else uses("grep", pattern="pins")

    return respond
