"""Dackel drauf! (Carlo A. Rossi, Ravensburger 2018): memory, risk and a chain of animals."""

from cardgames_env.core.game import Game, register
from cardgames_env.games.dackel_drauf import look, rules, state
from cardgames_env.games.dackel_drauf.deal import set_deal
from cardgames_env.games.dackel_drauf.judging import judge_chains
from cardgames_env.games.dackel_drauf.render import describe, render_image, render_text

__all__ = ["GAME", "judge_chains"]

GAME = Game(
    name="dackel_drauf",
    version=0,
    title="Dackel drauf!",
    options=state.OPTIONS,
    state_fields=state.state_fields,
    view_fields=state.VIEW_FIELDS,
    num_actions=state.NUM_ACTIONS,
    actions=state.ACTIONS,
    simultaneous=False,
    lower_is_better=True,
    margin_scale=state.margin_scale,
    verbs={
        "deal": rules.deal,
        "to_act": rules.to_act,
        "legal": rules.legal,
        "apply": rules.apply,
        "look": look.look,
        "returns": rules.returns,
        "ranks": rules.ranks,
        "rounds": rules.rounds,
        "determinize": look.determinize,
    },
    configure=state.configure,
    set_deal=set_deal,
    snapshot=state.snapshot,
    action_name=state.action_name,
    describe=describe,
    render_text=render_text,
    render_image=render_image,
)
register(GAME)
