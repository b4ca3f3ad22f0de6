"""The solver: trees of small games, CFR+, best responses, against figures found by other programs.

The figures for DTC come from an implementation of its own, with a whole offer as one decision. The
kernel composes an offer step by step: `whole_moves` makes one decision of it again.
"""

import copy
import os
import subprocess
import sys
from collections import defaultdict

import numpy as np
import pyarrow.parquet as pq
import pytest

import agents
from cardgames_env import Agent
from cardgames_env.core.asking import AgentError
from cardgames_env.core.game import apply_row, look_row, to_act_row
from cardgames_env.core.rng import WORDS, next_word, seed_stream
from experiments.efg import write_efg
from experiments.solution import keys
from experiments.solve import (
    best_response,
    checkpoints,
    exploitability,
    measure,
    reach,
    solve,
    spread_stream,
    strategy_from,
    strategy_of_agent,
    uniform,
    uniform_over_moves,
)
from experiments.tree import NODE, Tree, _in_sequence_form, enumerate_tree
from tests.experiments.kuhn import BET, KUHN, PASS
from tests.experiments.test_cli import cardgames
from tests.games.dtc.reference import Reference

SMALLEST = {"values": 2, "copies": 1, "jokers": 1, "hand_size": 1}
SMALLEST_GIVEN = [word for name, n in SMALLEST.items() for word in ("--option", f"{name}={n}")]
SMALL = {"values": 2, "copies": 2, "jokers": 1, "hand_size": 2}


@pytest.fixture(scope="module")
def smallest():
    return enumerate_tree("dtc_v0", SMALLEST)


@pytest.fixture(scope="module")
def small():
    return enumerate_tree("dtc_v0", SMALL)


@pytest.fixture(scope="module")
def kuhn():
    return enumerate_tree(KUHN, payoff="points")


def whole_moves(tree: Tree) -> Tree:
    """The same game with every move one decision, its unseen steps together."""
    inside = (tree.infoset >= 0) & tree.unseen[tree.infoset]
    above = tree.parent.copy()
    for node in range(1, tree.num_nodes):
        if inside[above[node]]:
            above[node] = above[above[node]]
    kept = np.flatnonzero(~inside)
    number = np.cumsum(~inside) - 1
    nodes = np.zeros(len(kept), NODE)
    nodes["parent"][1:] = number[above[kept[1:]]]
    nodes["deal"] = tree.deal[kept]
    children = np.zeros(len(kept), int)
    for node, parent in enumerate(nodes["parent"][1:], start=1):
        nodes["action"][node] = children[parent]
        children[parent] += 1
    infoset = tree.infoset[kept]
    nodes["seat"] = np.where(infoset >= 0, tree.seat[infoset], -1)
    nodes["key"][:, 0] = infoset
    nodes["noticed"] = 1
    nodes["payoff"] = tree.payoff[kept]
    ways = tree.deal_ways.tolist()
    return _in_sequence_form(tree.game, tree.options, "outcome", nodes, ways, tree.deal_states)


# -- figures of other programs ---------------------------------------------------------------------


def test_the_smallest_game_is_worth_a_third_to_the_leader(smallest):
    assert (smallest.num_nodes, smallest.num_infosets) == (757, 405)
    assert exploitability(smallest, uniform_over_moves(smallest)) == pytest.approx(0.808, abs=5e-4)
    history = {m.iterations: m for m in solve(smallest, 1000).history}
    assert history[100].exploitability < 0.001
    assert history[1000].exploitability < 0.00001
    assert history[1000].value == pytest.approx(1 / 3, abs=2e-5)
    low, high = history[1000].bounds
    assert low <= 1 / 3 <= high
    assert high - low < 0.00002


def test_the_smallest_game_with_offers_as_one_decision(smallest):
    tree = whole_moves(smallest)
    assert (tree.num_nodes, tree.num_infosets) == (703, 351)
    assert exploitability(tree, uniform(tree)) == pytest.approx(0.808, abs=5e-4)
    history = {m.iterations: m.exploitability for m in solve(tree, 1000).history}
    assert history[100] == pytest.approx(0.00077, abs=5e-6)
    assert history[1000] == pytest.approx(0.000008, abs=5e-7)


def test_the_small_game(small):
    assert (small.num_nodes, small.num_infosets) == (278_519, 120_068)
    assert exploitability(small, uniform_over_moves(small)) == pytest.approx(0.941, abs=5e-4)
    assert solve(small, 100).history[-1].exploitability < 0.02


def test_the_small_game_with_offers_as_one_decision(small):
    tree = whole_moves(small)
    assert (tree.num_nodes, tree.num_infosets) == (255_077, 101_324)
    assert exploitability(tree, uniform(tree)) == pytest.approx(0.941, abs=5e-4)
    assert solve(tree, 100).history[-1].exploitability == pytest.approx(0.0106, abs=5e-5)


def test_kuhns_poker_is_solved(kuhn):
    assert (kuhn.num_nodes, kuhn.num_infosets) == (55, 12)
    history = solve(kuhn, 5000).history
    # The payoff is the difference in points: twice what the player who leads wins.
    assert history[-1].value == pytest.approx(2 * -1 / 18, abs=1e-5)
    assert history[-1].exploitability < 1e-4


def openspiel_game(tree, tmp_path):
    pyspiel = pytest.importorskip(
        "pyspiel", reason="OpenSpiel (in the test extra) is not installed"
    )
    write_efg(tree, tmp_path / "tree.efg")
    return pyspiel.load_game(f"efg_game(filename={tmp_path / 'tree.efg'})")


@pytest.mark.parametrize("name", ["smallest", "kuhn", "points"])
def test_openspiel_agrees_on_the_same_tree(name, tmp_path, request):
    if name == "points":
        tree = enumerate_tree("dtc_v0", SMALLEST, payoff="points")
    else:
        tree = request.getfixturevalue(name)
    game = openspiel_game(tree, tmp_path)
    from open_spiel.python import policy
    from open_spiel.python.algorithms import cfr, get_all_states
    from open_spiel.python.algorithms import exploitability as openspiel

    states = get_all_states.get_all_states(
        game, depth_limit=-1, include_terminals=True, include_chance_states=True
    )
    assert len(states) == tree.num_nodes
    random = policy.UniformRandomPolicy(game)
    mine = measure(tree, uniform(tree))
    theirs = openspiel.nash_conv(game, random, return_only_nash_conv=False)
    gains = np.array(mine.best_responses) - [mine.value, -mine.value]
    assert theirs.player_improvements == pytest.approx(gains, abs=1e-12)
    assert openspiel.exploitability(game, random) == pytest.approx(mine.exploitability, abs=1e-12)
    solver = cfr.CFRPlusSolver(game)
    assert len(solver._info_state_nodes) == tree.num_infosets
    for measured in solve(tree, 20).history:
        while solver._iteration < measured.iterations:
            solver.evaluate_and_update_policy()
        theirs = openspiel.exploitability(game, solver.average_policy())
        assert theirs == pytest.approx(measured.exploitability, abs=1e-9)


# -- the tree --------------------------------------------------------------------------------------


def paths(tree):
    """The actions that lead to each node, and which deal they follow."""
    found = [()]
    for node in range(1, tree.num_nodes):
        up = tree.parent[node]
        found.append(found[up] if up == 0 else (*found[up], int(tree.action[node])))
    return found


def test_the_tree_is_that_of_the_reference(smallest):
    found = {(smallest.deal[node], path): node for node, path in enumerate(paths(smallest))}
    deals = [deal for deal, _ in smallest.game.every_deal(smallest.options)]
    games = {(i, ()): Reference(2, **SMALLEST, deal=deal) for i, deal in enumerate(deals)}
    nodes = 1
    while games:
        (number, path), game = games.popitem()
        nodes += 1
        node = found[number, path]
        if game.to_act is None:
            first, second = game.ranks()
            assert smallest.infoset[node] == -1
            assert smallest.payoff[node] == np.sign(second - first)
            continue
        infoset = smallest.infoset[node]
        assert smallest.seat[infoset] == game.to_act
        slots = smallest.slots(np.array([infoset]))
        assert smallest.slot_action[slots].tolist() == game.legal()
        for action in game.legal():
            ahead = copy.deepcopy(game)
            ahead.play(action)
            games[number, (*path, action)] = ahead
    assert nodes == smallest.num_nodes


def test_information_sets_are_the_views_and_own_actions_so_far(smallest):
    """Built again in plain Python, from the views along every path: the same partition."""
    game, tree = smallest.game, smallest
    views, flat = game.new_views(1)
    states = game.new_states(tree.options, 1)
    told = {}
    for node, path in enumerate(paths(tree)):
        if node == 0:
            continue
        states[:] = tree.deal_states[tree.deal[node] : tree.deal[node] + 1]
        story, last = ([], []), [None, None]
        for step in range(len(path) + 1):
            for seat in range(2):
                look_row(states, 0, seat, views, 0)
                seen = flat[0].tobytes()
                if last[seat] != seen:
                    last[seat] = seen
                    story[seat].append(seen)
            if step < len(path):
                story[to_act_row(states, 0)].append(path[step])
                apply_row(states, 0, path[step])
        infoset = tree.infoset[node]
        if infoset >= 0:
            seat = int(tree.seat[infoset])
            assert told.setdefault((seat, tuple(story[seat])), infoset) == infoset
            assert (tree.views(np.array([infoset]))[0] == flat_view(game, states, seat)).all()
    assert len(told) == len(set(told.values())) == tree.num_infosets


def flat_view(game, states, seat):
    views, flat = game.new_views(1)
    look_row(states, 0, seat, views, 0)
    return flat[0]


@pytest.mark.parametrize("name", ["smallest", "small", "kuhn"])
def test_nobody_forgets_what_it_has_done(name, request):
    tree = request.getfixturevalue(name)
    inside = np.flatnonzero(tree.infoset >= 0)
    infoset = tree.infoset[inside]
    assert (tree.sequences[inside, tree.seat[infoset]] == tree.came_by[infoset]).all()
    # An earlier set has a lower number, as the passes over the tree take for granted.
    later = np.flatnonzero(tree.came_by > 0)
    assert (tree.slot_infoset[tree.came_by[later] - 1] < later).all()


def test_all_nodes_of_an_information_set_have_the_same_actions(small):
    actions = defaultdict(list)
    for up, action in zip(small.parent[1:].tolist(), small.action[1:].tolist(), strict=True):
        actions[up].append(action)
    for node in np.flatnonzero(small.infoset >= 0):
        k = small.infoset[node]
        assert (
            actions[node]
            == small.slot_action[small.first_slot[k] : small.first_slot[k + 1]].tolist()
        )


def test_the_answers_to_composing_questions_are_all_that_nobody_notices(small):
    names = [small.game.action_name(int(a)) for a in small.slot_action[small.first_slot[:-1]]]
    assert small.unseen.tolist() == [name.startswith("take") for name in names]


def test_masks_are_what_is_legal(smallest):
    infosets = np.array([3, 0, 7, 7])
    for infoset, mask in zip(infosets, smallest.masks(infosets), strict=True):
        slots = range(smallest.first_slot[infoset], smallest.first_slot[infoset + 1])
        assert np.flatnonzero(mask).tolist() == smallest.slot_action[list(slots)].tolist()


def test_the_same_numbers_in_plain_python(smallest):
    program = (
        "from experiments.tree import enumerate_tree\n"
        "from experiments.solve import solve\n"
        "import cardgames_env\n"
        f"tree = enumerate_tree('dtc_v0', {SMALLEST})\n"
        "print(tree.num_infosets, solve(tree, 5).history[-1].exploitability)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    infosets, exploited = result.stdout.split()
    assert int(infosets) == smallest.num_infosets
    assert float(exploited) == pytest.approx(solve(smallest, 5).history[-1].exploitability)


@pytest.mark.parametrize(
    ("game", "options", "more", "message"),
    [
        ("dtc", {"num_players": 3}, {}, "only games of two players can be solved"),
        ("dtc", {}, {"max_nodes": 1000}, "more than 1,000 nodes"),
        ("dtc", SMALLEST, {"max_nodes": 756}, "more than 756 nodes"),
        ("dtc", SMALLEST, {"max_nodes": 1}, "max_nodes must be"),
        ("dtc", SMALLEST, {"payoff": "money"}, "payoff must be one of outcome, points"),
        ("dtc", {"values": 9}, {}, "values must be 1 … 6"),
        ("dicht_dran", {}, {}, "does not list its deals"),
        (KUHN, {"dice": 1}, {}, "chance goes on after the deal"),
        (KUHN, {"unfair": 1}, {}, "do not tell what is legal"),
    ],
)
def test_what_cannot_be_enumerated_is_refused(game, options, more, message):
    with pytest.raises(ValueError, match=message):
        enumerate_tree(game, options, **more)


def test_a_tree_just_within_the_limit_is_taken():
    assert enumerate_tree("dtc_v0", SMALLEST, max_nodes=757).num_nodes == 757


# -- strategies and best responses -----------------------------------------------------------------


def always(tree, action):
    """The strategy that does this wherever it may, and else what is legal, evenly."""

    def probabilities(views, masks):
        wanted = np.zeros(masks.shape)
        wanted[:, action] = masks[:, action]
        wanted[masks[:, action] == 0] = masks[masks[:, action] == 0]
        return wanted / wanted.sum(axis=1, keepdims=True)

    return strategy_from(tree, probabilities)


def test_the_best_responses_to_betting_always_in_kuhns_poker(kuhn):
    """By hand, in differences of points (twice a stake): against one who always bets and calls,

    each seat folds the lowest card (−2), calls or bets the highest (+4), and is even with the middle.
    """
    measured = measure(kuhn, always(kuhn, BET))
    assert measured.value == 0
    assert measured.best_responses == pytest.approx((2 / 3, 2 / 3))
    assert measured.exploitability == pytest.approx(2 / 3)
    _, response = best_response(kuhn, always(kuhn, BET), 1)
    for card, action in ((0, PASS), (2, BET)):
        answers = [
            k
            for k in np.flatnonzero(kuhn.seat == 1)
            if kuhn.game.named(kuhn.views(np.array([k]))[0])["card"] == card
            and kuhn.game.named(kuhn.views(np.array([k]))[0])["other_stake"] == 2
        ]
        assert len(answers) == 1
        assert response[kuhn.first_slot[answers[0]] + action] == 1


def test_the_best_responses_to_passing_always_in_kuhns_poker(kuhn):
    """By hand: who passes and folds loses 2 to any bet, whatever the cards."""
    measured = measure(kuhn, always(kuhn, PASS))
    assert measured.best_responses == pytest.approx((2, 2))


@pytest.mark.parametrize("name", ["smallest", "kuhn"])
def test_a_best_response_is_worth_what_it_says_and_no_pure_strategy_more(name, request):
    tree = request.getfixturevalue(name)
    rng = np.random.default_rng(3)
    for _ in range(20):
        random = rng.random(tree.num_slots)
        sums = np.add.reduceat(random, tree.first_slot[:-1])
        strategy = random / np.repeat(sums, np.diff(tree.first_slot))
        for seat, sign in ((0, 1), (1, -1)):
            best, response = best_response(tree, strategy, seat)
            assert sign * measure(tree, response).value == pytest.approx(best)
            other = tree.seat[tree.slot_infoset] != seat
            assert response[other] == pytest.approx(strategy[other], abs=1e-12)
            for _ in range(20):
                pure = strategy.copy()
                for k in np.flatnonzero(tree.seat == seat):
                    first, end = tree.first_slot[k], tree.first_slot[k + 1]
                    pure[first:end] = 0
                    pure[rng.integers(first, end)] = 1
                assert sign * measure(tree, pure).value <= best + 1e-12


def test_the_payoff_in_points_of_a_tree():
    tree = enumerate_tree("dtc_v0", SMALLEST, payoff="points")
    won = enumerate_tree("dtc_v0", SMALLEST)
    assert (np.sign(tree.payoff) == won.payoff).all()
    assert set(np.abs(tree.payoff[tree.leaves])) == {1, 3}


def test_reaches_of_the_first_decisions_sum_to_1(small):
    first = (small.came_by == 0) & (small.seat == 0)
    assert reach(small, uniform(small))[first].sum() == pytest.approx(1)


def test_random_is_the_uniform_strategy(smallest, small):
    strategy = strategy_of_agent(smallest, agents.get("dtc", "random"))
    assert strategy == pytest.approx(uniform(smallest), abs=1e-12)
    assert strategy_of_agent(small, agents.get("dtc", "random"), draws=60) == pytest.approx(
        uniform(small), abs=1e-12
    )


def lowest(view, obs, mask, memory, params, rng):
    for action in range(len(mask)):
        if mask[action]:
            return action
    return -1


def alternating(view, obs, mask, memory, params, rng):
    """The first legal action, then the last, then the first …"""
    memory[0] = 1 - memory[0]
    found = -1
    for action in range(len(mask)):
        if mask[action] and (found < 0 or memory[0] == 0):
            found = action
    return found


def forgetful(view, obs, mask, memory, params, rng):
    memory[0] = next_word(rng) & np.uint64(1)
    return np.argmax(mask)


def illegal(view, obs, mask, memory, params, rng):
    return 0


def test_a_deterministic_agent_plays_pure(smallest):
    strategy = strategy_of_agent(smallest, Agent("dtc", lowest))
    assert set(strategy) == {0, 1}
    assert strategy[smallest.first_slot[:-1]].tolist() == [1] * smallest.num_infosets


def test_an_agent_keeps_its_memory_from_decision_to_decision(smallest):
    strategy = strategy_of_agent(smallest, Agent("dtc", alternating, memory=1))
    before = np.zeros(smallest.num_infosets, int)
    for k in range(smallest.num_infosets):
        if smallest.came_by[k] > 0:
            before[k] = before[smallest.slot_infoset[smallest.came_by[k] - 1]] + 1
        first, end = smallest.first_slot[k], smallest.first_slot[k + 1]
        assert strategy[first if before[k] % 2 == 0 else end - 1] == 1


def test_agents_that_cannot_be_measured_are_named(smallest, kuhn):
    random = agents.get("dtc", "random")
    with pytest.raises(ValueError, match="draws at random and keeps a memory"):
        strategy_of_agent(smallest, Agent("dtc", forgetful, memory=1))
    with pytest.raises(AgentError, match="illegal chose an illegal action in information set 0"):
        strategy_of_agent(smallest, Agent("dtc", illegal))
    with pytest.raises(ValueError, match="plays dtc_v0, not kuhn_v0"):
        strategy_of_agent(kuhn, random)
    with pytest.raises(ValueError, match="is no compiled agent"):
        strategy_of_agent(smallest, lambda observation, mask, info: 0)
    with pytest.raises(ValueError, match="draws must be"):
        strategy_of_agent(smallest, random, draws=0)


def test_the_first_words_of_the_draws_are_spread_evenly():
    for draws in (1, 3, 840):
        for draw in range(draws):
            rng = np.zeros(WORDS, np.uint64)
            seed_stream(rng, np.uint64(draw))
            spread_stream(rng, draw, draws)
            assert int(next_word(rng)) / 2**64 == pytest.approx((draw + 0.5) / draws)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda masks: masks, "sum to 1"),
        (lambda masks: masks[:, :3], "must be of shape"),
        (lambda masks: np.full(masks.shape, 1 / masks.shape[1]), "illegal actions"),
        (lambda masks: masks * np.nan, "illegal actions"),
    ],
)
def test_what_are_no_probabilities_is_refused(smallest, answer, message):
    with pytest.raises(ValueError, match=message):
        strategy_from(smallest, lambda views, masks: answer(masks))


@pytest.mark.parametrize(
    "change", [lambda s: s[1:], lambda s: -s, lambda s: 2 * s, lambda s: s * np.nan]
)
def test_what_is_no_strategy_is_refused(smallest, change):
    with pytest.raises(ValueError, match="a strategy must"):
        measure(smallest, change(uniform(smallest)))


def test_a_network_sees_the_views_in_batches(smallest):
    seen = []

    def network(views, masks):
        assert views.shape == (len(masks), smallest.game.view_size)
        assert views.dtype == np.int16
        assert masks.shape == (len(views), smallest.game.num_actions)
        seen.append(len(views))
        return (masks / masks.sum(axis=1, keepdims=True)).astype(np.float32)

    strategy = strategy_from(smallest, network, batch=100)
    assert seen == [100, 100, 100, 100, 5]
    assert strategy == pytest.approx(uniform(smallest), abs=1e-6)


# -- solving ---------------------------------------------------------------------------------------


def test_progress_is_told_at_1_2_5_10_and_so_on(kuhn):
    told = []
    solution = solve(kuhn, 30, told.append)
    assert [m.iterations for m in told] == [1, 2, 5, 10, 20, 30]
    assert told == solution.history
    assert measure(kuhn, solution.strategy, 30) == told[-1]
    assert checkpoints(1) == [1]
    assert checkpoints(10) == [1, 2, 5, 10]
    with pytest.raises(ValueError, match="iterations must be a whole number"):
        solve(kuhn, 0)


# -- files and the command line --------------------------------------------------------------------


def test_the_file_of_a_solution_has_a_row_for_every_action(smallest, tmp_path):
    status, printed, errors = cardgames(
        "solve", "dtc", *SMALLEST_GIVEN, "--iterations", "100", "--agent", "random",
        "--out", "out.parquet", "--efg", "tree.efg", cwd=tmp_path,
    )  # fmt: skip
    assert status == 0, errors
    for text in (
        "757 nodes, 405 information sets",
        "0.832755",
        "0.808333",
        "100        0.000831  +0.332289",
        "Worth +0.332289 to the seat that leads (surely +0.3317",
    ):
        assert text in printed
    row = next(line for line in printed.splitlines() if " random " in line)
    assert row.split() == ["│", "random", "│", "0.832755", "│", "+0.901620", "│", "+0.763889", "│"]
    write_efg(smallest, tmp_path / "again.efg")
    assert (tmp_path / "tree.efg").read_bytes() == (tmp_path / "again.efg").read_bytes()
    rows = pq.read_table(tmp_path / "out.parquet").to_pandas()
    assert len(rows) == smallest.num_slots
    solution = solve(smallest, 100).strategy
    assert rows.probability.to_numpy() == pytest.approx(solution, abs=1e-12)
    assert rows.groupby("infoset").probability.sum().to_numpy() == pytest.approx(1)
    assert rows.name[0] == "announce 1 x 1"
    first = rows[rows.key.astype(str).eq(keys(smallest)[0])]
    assert first.infoset.unique().tolist() == [0]
    assert first.reach.tolist() == pytest.approx([1 / 3, 1 / 3])


@pytest.mark.parametrize("name", ["smallest", "small"])
def test_every_information_set_has_a_key_of_its_own(name, request):
    tree = request.getfixturevalue(name)
    assert len(set(keys(tree))) == tree.num_infosets


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["solve", "dtc", "--max-nodes", "1000"], "is too large: more than 1,000 nodes"),
        (["solve", "dicht_dran"], "dicht_dran_v0 cannot be enumerated"),
        (["solve", "dtc", "--iterations", "0"], "iterations must be a whole number"),
        (["solve", "dtc", "--payoff", "money"], "'money' is not one of"),
        (["solve", "dtc", "--agent", "randm"], "did you mean 'random'?"),
        (["solve", "dtc", "--out", "nowhere/file"], "nowhere/file: No such file"),
        (["solve", "dtc", *SMALLEST_GIVEN, "--agent", "random", "--draws", "0"], "draws must be"),
    ],
)
def test_a_mistake_is_one_clear_line_and_status_2(arguments, message, tmp_path):
    status, _, errors = cardgames(*arguments, cwd=tmp_path)
    assert status == 2
    lines = [
        line for line in errors.splitlines() if not line.startswith("cardgames_env: compiling")
    ]
    assert len(lines) == 1, errors
    assert message in lines[0]
    assert not list(tmp_path.iterdir())
