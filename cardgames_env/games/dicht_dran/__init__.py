"""Dicht dran (Reinhard Staupe, NSV 2013): closest to the target, or safe in the gap."""

from cardgames_env.core.game import Game, register
from cardgames_env.games.dicht_dran import log, look, rules, state
from cardgames_env.games.dicht_dran.deal import set_deal
from cardgames_env.games.dicht_dran.render import describe, render_image, render_text

GAME = Game(
    name="dicht_dran",
    version=0,
    title="Dicht dran",
    options=state.OPTIONS,
    state_fields=state.state_fields,
    view_fields=state.VIEW_FIELDS,
    num_actions=state.CARDS,
    actions=state.ACTIONS,
    simultaneous=True,
    lower_is_better=False,
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
        "note_before": log.note_before,
        "note_after": log.note_after,
    },
    configure=state.configure,
    set_deal=set_deal,
    snapshot=state.snapshot,
    action_name=state.action_name,
    describe=describe,
    render_text=render_text,
    render_image=render_image,
    log_columns=log.COLUMNS,
)
register(GAME)
