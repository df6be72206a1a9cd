"""Which key a model is called with, where several places name its deployment."""

from typing import Final

from retrieval.compose.models import allowed_models, model_of, usual_model
from retrieval.model.conversation import Prompt, Reply
from retrieval.model.definitions import Agent, ModelDeployment, Target
from retrieval.ports import Hear
from retrieval.settings.settings import Settings

PLACE: Final = "https://models.example"
SETTINGS: Final = Settings(
    azure_openai_endpoint=PLACE, azure_openai_deployment="planner-model", azure_openai_api_key="the default's own key"
)
OF_AGENT: Final = ModelDeployment(endpoint=PLACE, deployment="planner-model", api_key="an agent's key")


class Keyed:
    """A model whose reply is the key with which it is called."""

    def __init__(self, deployment: ModelDeployment) -> None:
        self._key = deployment.api_key or ""

    async def complete(self, prompt: Prompt, *, hear: Hear | None = None) -> Reply:
        return Reply(text=self._key, input_tokens=0, output_tokens=0)


async def test_the_default_model_keeps_its_own_key_where_an_agent_names_its_deployment() -> None:
    agent = Agent(name="planner", targets=(Target(index="roads"),), model=OF_AGENT)
    of = model_of(SETTINGS, allowed_models(SETTINGS, [agent]), Keyed)
    usual = usual_model(SETTINGS)
    assert usual is not None
    prompt = Prompt(name="route-3", instructions="", data="", schema={})
    replies = [(await of(deployment).complete(prompt)).text for deployment in (usual, OF_AGENT)]
    assert replies == ["the default's own key", "an agent's key"]
