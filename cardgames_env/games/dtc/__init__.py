"""DTC (Reiner Knizia, Ferti 2012): offers that grow, and bluffs."""

from cardgames_env.core.game import Game, register
from cardgames_env.games.dtc import log, look, rules, state
from cardgames_env.games.dtc.deal import every_deal, set_deal
from cardgames_env.games.dtc.render import describe, render_image, render_text

GAME = Game(
    name="dtc",
    version=0,
    title="DTC",
    options=state.OPTIONS,
    check_together=state.check_together,
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
        "determinize_weighted": look.determinize_weighted,
        "note_before": log.note_before,
        "note_after": log.note_after,
    },
    log_columns=log.COLUMNS,
    configure=state.configure,
    set_deal=set_deal,
    every_deal=every_deal,
    snapshot=state.snapshot,
    action_name=state.action_name,
    describe=describe,
    render_text=render_text,
    render_image=render_image,
)
register(GAME)
