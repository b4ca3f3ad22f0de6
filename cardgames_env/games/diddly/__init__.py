"""Diddly: columns to match, half unseen."""

from cardgames_env.core.game import Game, register
from cardgames_env.games.diddly import log, look, rules, state
from cardgames_env.games.diddly.deal import set_deal
from cardgames_env.games.diddly.render import describe, render_image, render_text
from cardgames_env.games.diddly.scoring import score_boards

__all__ = ["GAME", "score_boards"]

GAME = Game(
    name="diddly",
    version=0,
    title="Diddly",
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
