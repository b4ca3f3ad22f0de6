"""What the agents of Diddly do."""

import numpy as np
import pytest

import agents
from cardgames_env.core.game import get_game
from cardgames_env.core.playout import play_games
from tests.contract.play import Variant, mask_of, positions, to_act, view_of

GAME = get_game("diddly_v0")
DIDDLY, SWAP, HALF, PEEK, RECYCLE = range(10, 15)
TEN = 9
WEIGHED = ["greedy", "pairs", "lookahead"]


def asked(name, phase, board, *, legal, discard=(0,), in_hand=None, source=0, other_down=6):
    """The action of an agent at seat 0 of two; ``board``: types, None for face-down cards."""
    views, flat = GAME.new_views(1)
    v = views[0]
    v["players"], v["columns"], v["round_number"], v["turns_left"] = 2, 3, 1, 40
    v["phase"], v["source"] = phase, source
    for k, card in enumerate(board):
        if card is not None:
            v["boards"][0, k], v["face_up"][0, k] = 1 + card, 1
    v["face_up"][1, : 6 - other_down] = 1
    v["boards"][1, : 6 - other_down] = 1 + DIDDLY
    v["unseen"][:] = [7] * 10 + [6] + [3] * 4
    v["discard"][: len(discard)] = [1 + card for card in discard]
    v["discard_size"], v["deck_size"] = len(discard), 60
    if in_hand is not None:
        v["in_hand"] = 1 + in_hand
    mask = np.zeros(GAME.num_actions, np.int8)
    mask[list(legal)] = 1
    agent = agents.get("diddly_v0", name)
    agent.reset(1)
    return agent(flat[0], mask)


DRAW, TAKE = 8, 9


@pytest.mark.parametrize("name", WEIGHED)
def test_a_discard_that_completes_a_column_of_tens_is_taken_and_placed(name):
    board = [TEN, 6, None, None, 3, None]
    assert asked(name, 3, board, legal=[DRAW, TAKE], discard=[TEN]) == TAKE
    place = asked(name, 4, board, legal=range(6), in_hand=TEN, source=2, discard=[])
    assert place == 1  # beside the other ten, for the 7


@pytest.mark.parametrize("name", WEIGHED)
def test_a_dear_discard_without_a_match_is_left(name):
    assert asked(name, 3, [1, 6, None, None, 3, None], legal=[DRAW, TAKE], discard=[TEN]) == DRAW


@pytest.mark.parametrize("name", WEIGHED)
def test_a_recycle_is_cashed_in_for_a_pair(name):
    board = [RECYCLE, TEN, None, None, 3, None]
    legal = [DRAW, TAKE, 10 + TEN, 10 + 2]
    assert asked(name, 3, board, legal=legal, discard=[2, TEN]) == 10 + TEN


@pytest.mark.parametrize("name", WEIGHED)
def test_a_swap_makes_a_pair_or_is_declined(name):
    swaps = [25, *range(26, 54)]
    pairs = [(i, j) for i in range(8) for j in range(i + 1, 8)]
    legal = [25, *(26 + k for k, pair in enumerate(pairs) if max(pair) < 6)]
    action = asked(name, 2, [TEN, 6, TEN, 3, DIDDLY, DIDDLY], legal=legal)
    assert action in swaps
    i, j = pairs[action - 26]
    board = [TEN, 6, TEN, 3, DIDDLY, DIDDLY]
    board[i], board[j] = board[j], board[i]
    assert board[0] == board[1] or board[2] == board[3]
    assert asked(name, 2, [TEN, TEN, 6, 6, DIDDLY, DIDDLY], legal=legal) == 25


@pytest.mark.parametrize("name", WEIGHED)
def test_a_half_goes_into_the_dearest_column(name):
    board = [0, 1, TEN, 8, 2, 1]
    place = asked(name, 4, board, legal=range(6), in_hand=HALF, source=2, discard=[])
    assert place in (2, 3)


@pytest.mark.parametrize("name", ["pairs", "lookahead"])
def test_whoever_is_far_ahead_finishes(name):
    """A matched board but for one face-down card: a Diddly there ends the round against open boards."""
    board = [TEN, TEN, 6, 6, DIDDLY, None]
    place = asked(name, 4, board, legal=range(6), in_hand=DIDDLY, source=1, other_down=5)
    assert place == 5


@pytest.mark.parametrize("name", ["pairs", "lookahead"])
def test_what_finishing_denies_the_others_decides_some_moves(name):
    """In random games, asked with and without: the more it counts, the sooner a board is finished."""
    variant = Variant("diddly_v0", "", {"num_players": 2, "rounds": 1}, None)
    counting, careless = (agents.get("diddly_v0", name, denial=d) for d in (3, 0))
    differing = 0
    for states in positions(variant, games=150):
        seat = to_act(states)
        view = view_of(GAME, states, max(seat, 0))
        v = GAME.named(view)
        if seat < 0 or v["phase"] < 3 or v["face_up"][0, :6].sum() != 5:
            continue
        mask = mask_of(GAME, states)
        choices = counting(view, mask), careless(view, mask)
        differing += choices[0] != choices[1]
        if v["phase"] == 4 and choices[0] != choices[1]:
            assert not v["face_up"][0, choices[0]]  # it finishes
    assert differing > 3


def share_of_wins(name, other, games):
    """The share of two-player games that ``name`` wins, each deal from both seats."""
    block = play_games(
        GAME, GAME.check_options({"num_players": 2}),
        [agents.get("diddly_v0", name), agents.get("diddly_v0", other)],
        np.array([[[0, 1], [1, 0]]]), root=12, first_game=0, count=games,
    )  # fmt: skip
    first = block.ranks == 1
    return (first / first.sum(axis=1, keepdims=True))[block.agents == 0].mean()


@pytest.mark.parametrize(
    ("name", "other", "least"),
    [("greedy", "random", 0.9), ("pairs", "greedy", 0.5), ("lookahead", "greedy", 0.55)],
)
def test_the_order_of_strength(name, other, least):
    assert share_of_wins(name, other, 600) > least
