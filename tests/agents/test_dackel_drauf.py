"""What the agents of Dackel drauf! do."""

import numpy as np
import pytest

import agents
from cardgames_env.core.game import get_game
from cardgames_env.core.playout import play_games
from tests.contract.play import Variant, mask_of, positions, to_act, view_of

GAME = get_game("dackel_drauf_v0")
DOG, DUCK, HARE, CAT, COW, MOUSE, HORSE, SHEEP, PIG = range(9)
FACE_DOWN, PASS, KEEP_OPEN, CLOSE, USE, DECLINE = 9, 18, 19, 20, 21, 22
COLUMNS = [column.name for column in GAME.log_columns]


def asked(name, *, phase=1, remembered=None, hand=None, chain=(), specials=(0, 0, 0), again=0,
          right=(), left=18, ticks=3, passed=(0, 0, 0), takeback=0, **parameters):  # fmt: skip
    """The action of an agent at seat 0 of three; ``chain``: (relative seat, animal) of each card."""
    states = GAME.new_states(GAME.check_options({}), 1)
    views, flat = GAME.new_views(1)
    flat[0] = view_of(GAME, states, 0)
    v = views[0]
    v["phase"], v["to_act"], v["again"], v["ticks"], v["max_looks"] = phase, 1, again, ticks, 5
    v["notice"], v["win_threshold"], v["takeback"], v["round_number"] = 2000, 2, takeback, 1
    v["faces"][:] = GAME.check_options({})["faces"]
    v["left"][:3], v["cards_left"][:3] = 2, left
    v["hand_sizes"][:3], v["passed"][:3] = 10, passed
    for animal, count in (remembered or {}).items():
        v["remembered"][animal] = count
    for animal, count in (hand or {}).items():
        v["hand"][animal] = count
    v["special"][:] = specials
    v["chain_length"] = len(chain)
    for i, (seat, animal) in enumerate(chain):
        v["chain_seats"][i], v["chain_animals"][i] = 1 + seat, 1 + animal
    v["chain_right"][: len(right)] = right
    mask = np.zeros(GAME.num_actions, np.int8)
    if phase == 1:
        for animal in hand:
            mask[animal] = 1
            mask[FACE_DOWN + animal] = specials[1] > 0
        mask[PASS] = 1
    else:
        mask[[KEEP_OPEN, CLOSE] if phase == 0 else [USE, DECLINE]] = 1
    agent = agents.get("dackel_drauf_v0", name, **parameters)
    agent.reset(1)
    return agent(flat[0], mask)


def play(names, games, seed, **options):
    """Games of three, the first agent against the two others at all places; its share of the wins."""
    options = GAME.check_options({"num_players": 3, **options})
    table = [agents.get(GAME.id, name) if isinstance(name, str) else name for name in names]
    tables = np.array([[[0, 1, 2], [2, 0, 1], [1, 2, 0]], [[0, 2, 1], [1, 0, 2], [2, 1, 0]]])
    return play_games(
        GAME, options, table, tables, root=seed, first_game=0, count=games, logged=1.0
    )


def share(block):
    first = block.ranks == 1
    return (first / first.sum(axis=1, keepdims=True))[block.agents == 0].mean()


# -- certain cards ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cautious", "odds"])
def test_of_the_cards_that_are_certain_the_scarcest_is_played_first(name):
    hand = {DOG: 1, PIG: 1, COW: 1}
    remembered = {DOG: 4, PIG: 1, COW: 2, MOUSE: 8}
    assert asked(name, remembered=remembered, hand=hand) == PIG
    gone = [(1, PIG)]
    assert asked(name, remembered=remembered, hand=hand, chain=gone) == COW


def test_the_cautious_one_plays_nothing_that_it_does_not_remember():
    assert asked("cautious", remembered={DOG: 3}, hand={PIG: 2, COW: 1}) == PASS
    taken = [(1, PIG), (2, PIG)]
    assert asked("cautious", remembered={PIG: 2}, hand={PIG: 1}, chain=taken) == PASS


def test_nor_where_an_unknown_card_may_have_taken_the_die():
    hand, remembered = {PIG: 1}, {PIG: 1}
    assert asked("cautious", remembered=remembered, hand=hand) == PIG
    face_down = [(1, -1)]
    assert asked("cautious", remembered=remembered, hand=hand, chain=face_down) == PASS


@pytest.mark.parametrize("options", [{}, {"takeback": True}, {"memory": "agent"}, {"notice": 1.0}])
def test_the_cautious_one_is_never_wrong(options):
    log = play(["cautious", "random", "odds"], 60, 5, **options).log
    own = dict(zip(COLUMNS, log.own.T, strict=True))
    mine = log.agents == 0
    assert (own["right"][mine] == 1).sum() > 300
    assert not (own["right"][mine] == 0).any()
    assert not (own["failed"][mine] == 1).any()


def test_with_perfect_memory_the_odds_are_never_wrong_either():
    log = play(["odds", "random", "cautious"], 60, 6, memory="perfect").log
    own = dict(zip(COLUMNS, log.own.T, strict=True))
    # Another's face-down card is all that there is to be wrong about.
    assert (own["right"][log.agents == 0] == 0).mean() < 0.02
    assert (own["right"][log.agents == 0] == 1).sum() > 300


# -- the odds --------------------------------------------------------------------------------------


def test_a_first_card_is_risked_and_a_doubtful_one_behind_many_is_not():
    remembered = {DOG: 2, DUCK: 2, HARE: 2, CAT: 2}
    assert asked("odds", remembered=remembered, hand={PIG: 1, COW: 2}) in (PIG, COW)
    mine = [(0, animal) for animal in (DOG, DUCK, HARE, CAT, DOG, DUCK)]
    assert asked("odds", remembered=remembered, hand={PIG: 1, COW: 2}, chain=mine) == PASS


def test_what_another_has_played_is_believed_to_be_there():
    remembered = {DOG: 2, DUCK: 2, HARE: 1}
    chain = [(1, PIG), (1, PIG), (2, PIG), (1, COW)]
    assert asked("odds", remembered=remembered, hand={PIG: 1, COW: 1}, chain=chain) == COW


def test_a_joker_in_hand_lets_it_go_further():
    remembered = {DOG: 2, DUCK: 2, HARE: 2}
    chain = [(0, DOG), (0, DUCK), (0, DOG), (0, DUCK), (0, HARE)]
    assert asked("odds", remembered=remembered, hand={PIG: 1}, chain=chain) == PASS
    with_joker = asked(
        "odds", remembered=remembered, hand={PIG: 1}, chain=chain, specials=(0, 0, 2)
    )
    assert with_joker == PIG


def test_the_last_die_is_taken_face_down_and_a_plenty_in_the_open():
    hand, specials = {PIG: 1}, (0, 1, 0)
    full = {PIG: 1, DOG: 7, CAT: 7}
    assert asked("odds", remembered=full, hand=hand, specials=specials) == FACE_DOWN + PIG
    many = {PIG: 9, DOG: 3, CAT: 3}
    assert asked("odds", remembered=many, hand=hand, specials=specials) == PIG
    nobody = (0, 1, 1)  # nobody is left to be misled
    assert asked("odds", remembered=full, hand=hand, specials=specials, passed=nobody) == PIG


def test_an_extra_card_is_used_for_what_others_would_take():
    kept = {"again": 1, "specials": (1, 0, 0), "chain": [(0, DOG)]}
    assert asked("odds", remembered={DOG: 7, PIG: 1, CAT: 7}, hand={PIG: 1}, **kept) == PIG
    assert asked("odds", remembered={DOG: 3, PIG: 9, CAT: 3}, hand={PIG: 1}, **kept) == PASS


def test_jokers_are_used_for_many_cards_and_kept_for_one():
    chain = [(0, PIG), (0, PIG), (0, DOG), (1, PIG)]
    right = [2, 1, 2, 2]
    kept = {"phase": 2, "chain": chain, "right": right, "specials": (0, 0, 1)}
    assert asked("odds", **kept) == USE
    lone = {"phase": 2, "chain": [(0, PIG)], "right": [1], "specials": (0, 0, 1)}
    assert asked("odds", **lone, joker=0.9) == DECLINE
    assert asked("cautious", **lone) == USE


def test_the_lid_is_closed_by_who_has_seen_more_than_the_others():
    few, many = {DOG: 1, PIG: 2}, {DOG: 4, PIG: 5}
    assert asked("odds", phase=0, ticks=2, remembered=few) == KEEP_OPEN
    assert asked("odds", phase=0, ticks=2, remembered=many) == CLOSE
    assert asked("cautious", phase=0, ticks=2, remembered=many) == KEEP_OPEN


# -- their own memory ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cautious", "odds"])
def test_who_remembers_by_itself_plays_as_if_the_view_did_it(name):
    """Nothing is forgotten in either, so whole games are the same."""
    others = ["random", name]
    games = [play([name, *others], 60, 8, memory=memory) for memory in ("player", "agent")]
    np.testing.assert_array_equal(games[0].log.actions, games[1].log.actions)
    np.testing.assert_array_equal(games[0].points, games[1].points)


# -- strength, on deals used to tune nothing ---------------------------------------------------------


def test_the_odds_beat_two_random_players_and_two_cautious_ones():
    """Wide bounds; the docs have the measured shares with their intervals."""
    assert share(play(["odds", "random", "random"], 300, 2019)) > 0.9
    assert share(play(["odds", "cautious", "cautious"], 1500, 2019)) > 0.42
    assert share(play(["odds", "cautious", "cautious"], 1500, 2019, notice=1.0)) > 0.36


def test_the_search_beats_two_random_players():
    search = agents.get("dackel_drauf_v0", "monte_carlo", simulations=5)
    assert share(play([search, "random", "random"], 24, 2019)) > 0.7


@pytest.mark.parametrize("name", ["cautious", "odds", "monte_carlo"])
@pytest.mark.parametrize(
    "options", [{"takeback": True, "num_players": 5}, {"memory": "agent"}, {"forget": 0.4}]
)
def test_it_moves_legally_wherever_it_may_be_asked(name, options):
    parameters = {"simulations": 1} if name == "monte_carlo" else {}
    agent = agents.get("dackel_drauf_v0", name, **parameters)
    agent.reset(1)
    variant = Variant("dackel_drauf_v0", "", {"max_rounds": 6, **options}, None)
    phases = set()
    for states in positions(variant, games=12, every=4):
        seat = to_act(states)
        if seat >= 0:
            mask = mask_of(GAME, states)
            assert mask[agent(view_of(GAME, states, seat), mask)]
            phases.add(int(states["phase"][0]))
    assert phases >= {0, 1}
