"""The service: its responses, what it refuses, and that it stores nothing."""

import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from ealm import Summarizer
from ealm.common.errors import EalmError, TextError
from ealm.service.app import create_app
from ealm.service.comparison import Comparison
from ealm.service.limits import ServiceLimits
from ealm.summarize.options import OPTIONS, SummarizeOptions
from ealm.summarize.pipeline import Pipeline
from ealm.summarize.result import Summary

TEXT = "the police minister finds a silver bridge"
LINES = {"Content-Type": "application/x-ndjson"}
LIMITS = ServiceLimits(body_bytes=4_000, texts_per_request=5, queued_texts=8)


@pytest.fixture(scope="module")
def summarizer(agent_folder: Path) -> Summarizer:
    return Summarizer.from_pretrained(agent_folder)


@pytest.fixture(scope="module")
def client(summarizer: Summarizer) -> Iterator[TestClient]:
    with TestClient(create_app(summarizer, LIMITS), raise_server_exceptions=False) as client:
        yield client


def problem(response: Any, status: int, *parts: str) -> None:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    values = response.json()
    assert values["status"] == status
    for part in parts:
        assert part in values["detail"]


# Answers --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wish", [{}, {"words": 3}, {"bytes": 20, "extractive": True}, {"ratio": 0.5, "keep": ["silver"]}]
)
def test_an_answer_is_what_the_summarizer_gives(
    client: TestClient, summarizer: Summarizer, wish: dict[str, Any]
) -> None:
    response = client.post("/v1/summarize", json={"text": TEXT, **wish})
    assert response.status_code == 200, response.text
    assert response.json() == {"summaries": [json.loads(json.dumps(summarizer.summarize(TEXT, **wish).to_dict()))]}


def test_a_list_gives_a_list_in_order(client: TestClient, summarizer: Summarizer) -> None:
    texts = [TEXT, "", "Zebra rises", TEXT]
    found = client.post("/v1/summarize", json={"text": texts, "words": 2}).json()["summaries"]
    assert [each["summary"] for each in found] == [str(s) for s in summarizer.summarize(texts, words=2)]
    assert client.post("/v1/summarize", json={"text": []}).json() == {"summaries": []}


def test_a_trace_is_returned_on_request(client: TestClient) -> None:
    plain = client.post("/v1/summarize", json={"text": TEXT}).json()["summaries"][0]
    traced = client.post("/v1/summarize", json={"text": TEXT, "trace": True}).json()["summaries"][0]
    assert "trace" not in plain
    assert len(traced["trace"]) == 7


def test_every_length_in_one_answer(client: TestClient, summarizer: Summarizer) -> None:
    found = client.post("/v1/curve", json={"text": TEXT, "recoverability": True}).json()
    points = summarizer.curve(TEXT)
    assert [point["summary"] for point in found["points"]] == [str(point) for point in points]
    assert [word["text"] for word in found["words"]] == TEXT.split()
    assert all(len(point["actions"]) == 7 for point in found["points"])
    sums = [point["compression_rate"] + point["reconstruction_rate"] for point in found["points"]]
    assert found["balance"] == found["points"][len(sums) - 1 - sums[::-1].index(max(sums))]
    assert sorted(word["order"] for word in found["words"]) == list(range(1, 8))
    assert client.post("/v1/curve", json={"text": " "}).json()["points"] == []


def test_a_curve_comes_point_by_point_to_whom_accepts_lines(client: TestClient) -> None:
    body = {"text": TEXT, "recoverability": True}
    whole = client.post("/v1/curve", json=body).json()
    response = client.post("/v1/curve", json=body, headers={"Accept": "application/x-ndjson"})
    assert response.headers["content-type"].startswith("application/x-ndjson")
    first, *points, last = map(json.loads, response.text.splitlines())
    assert first == {name: whole[name] for name in ("source", "words", "sentences")}
    assert [line["point"] for line in points] == whole["points"]
    assert last == {"balance": whole["balance"]}


def test_an_error_in_a_stream_of_points_has_its_status(client: TestClient) -> None:
    found = client.post("/v1/curve", json={"text": "a " * 401}, headers={"Accept": "application/x-ndjson"})
    problem(found, 422, "401 words are too many")


def test_other_ways_to_the_same_length(client: TestClient) -> None:
    assert client.get("/v1/systems").json() == ["first words", "without stop words", "model embedded-paper"]

    def other(system: str) -> Any:
        return client.post(
            "/v1/compare", json={"text": "The river, it rises in a forest.", "words": 3, "system": system}
        )

    assert other("first words").json() == {"summary": "The river, it"}
    assert other("without stop words").json() == {"summary": "river, rises in"}
    problem(other("magic"), 422, "first words, without stop words, model embedded-paper")


def test_another_model_is_compared_with_if_there_is_one(agent_folder: Path, summarizer: Summarizer) -> None:
    with TestClient(create_app(summarizer, compare=str(agent_folder))) as client:
        found = client.post("/v1/compare", json={"text": TEXT, "words": 3, "system": f"model {agent_folder.name}"})
    assert found.json() == {"summary": summarizer.summarize(TEXT, words=3).summary}
    for missing in ("none", str(agent_folder / "missing")):
        assert Comparison(summarizer, missing).systems == ["first words", "without stop words"]


def test_a_curve_of_several_sentences_knows_them(client: TestClient) -> None:
    found = client.post("/v1/curve", json={"text": "The river rises. An old bridge falls."}).json()
    assert found["sentences"] == [3, 4]
    assert [word["sentence"] for word in found["words"]] == [0] * 4 + [1] * 5
    assert found["balance"] is None


def test_a_curve_has_a_word_for_every_action(client: TestClient) -> None:
    text = "News:\n\n- The river rises.\n- An old bridge falls.\n\nThe police minister finds a silver bridge."
    found = client.post("/v1/curve", json={"text": text}).json()
    assert {len(point["actions"]) for point in found["points"]} == {len(found["words"])}
    assert "".join(word["text"] for word in found["words"]) == "".join(text.split())
    assert {word["text"] for word in found["words"] if word["order"] is None} >= {"-"}


def test_state_and_model(client: TestClient) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ready"}
    model = client.get("/v1/model").json()
    assert model["language_model"] == "a folder"  # a path of the machine is nobody's business
    assert model["settings"]["preset"] == "paper"


def test_the_description_names_every_route_and_the_form_of_problems(client: TestClient) -> None:
    described = client.get("/openapi.json").json()
    assert sorted(described["paths"]) == sorted(
        [
            *("/v1/summarize", "/v1/summarize/batch", "/v1/curve", "/v1/systems", "/v1/compare", "/v1/model"),
            "/v1/options",
            *("/healthz", "/readyz", "/metrics"),
        ]
    )
    assert "Problem" in described["components"]["schemas"]
    assert described["components"]["schemas"]["SummarizeRequest"]["examples"]


def test_metrics_count_and_tell_nothing(client: TestClient) -> None:
    client.post("/v1/summarize", json={"text": "a very private zebra"})
    client.get("/a/very/private/path")
    page = client.get("/metrics").text
    assert 'ealm_requests_total{method="POST",route="/v1/summarize",status="200"}' in page
    assert "ealm_texts_total" in page
    assert "private" not in page


def test_methods_that_nobody_knows_are_counted_together(client: TestClient) -> None:
    for number in range(3):
        client.request(f"PRIVATE{number}", "/healthz")
    page = client.get("/metrics").text
    assert 'ealm_requests_total{method="other",route="/healthz",status="405"} 3.0' in page
    assert "PRIVATE" not in page


def test_outside_of_its_life_it_takes_nothing(summarizer: Summarizer) -> None:
    asleep = TestClient(create_app(summarizer, LIMITS))  # never entered, so never started
    problem(asleep.get("/readyz"), 503, "starting or shutting down")
    problem(asleep.post("/v1/summarize", json={"text": TEXT}), 503)
    problem(asleep.post("/v1/curve", json={"text": TEXT}), 503)
    assert asleep.get("/healthz").status_code == 200


# Refusals -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ({}, "text: "),
        ({"text": 3}, "text"),
        ({"text": TEXT, "words": 0}, "words"),
        ({"text": TEXT, "words": "3"}, "words"),
        ({"text": TEXT, "wrods": 3}, "wrods"),
        ({"text": TEXT, "words": 3, "bytes": 3}, "Give one length, not 2"),
        ({"text": TEXT, "protect": ["verbs"]}, "protect"),
        ({"text": [TEXT] * 6}, "too many for one request (5)"),
        ({"text": "bad \ud800 half"}, "unicode"),
        ({"text": TEXT, "words": 1, "keep": ["police", "bridge"]}, "keep"),
    ],
)
def test_bad_input_is_422_and_says_what_to_do(client: TestClient, body: dict[str, Any], part: str) -> None:
    content = json.dumps(body).encode()
    response = client.post("/v1/summarize", content=content, headers={"Content-Type": "application/json"})
    problem(response, 422, part)
    assert "private" not in response.text


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b'{"text": [' + b"1," * 400_000 + b"1]}", "more than 20,000 brackets and commas"),
        (b'{"text": [' + b"[]," * 600_000 + b"1]}", "more than 20,000 brackets and commas"),
        (b'{"text": "river", "x":' + b'{"a":' * 300_000 + b"1", "more than 20,000 brackets and commas"),
        (b'{"text": [' + b"1," * 19_000 + b"1]}", "valid string"),
        (
            b'{"text": "river", ' + b",".join(b'"k%d": 1' % number for number in range(19_000)) + b"}",
            "'k0' is no field",
        ),
    ],
)
def test_a_million_errors_are_one(summarizer: Summarizer, content: bytes, part: str) -> None:
    with TestClient(create_app(summarizer)) as client:
        started = time.process_time()
        response = client.post("/v1/summarize", content=content, headers={"Content-Type": "application/json"})
        assert time.process_time() - started < 0.7
    problem(response, 422, part)
    assert "more)" not in response.text


def test_large_bodies_share_the_memory_and_small_ones_are_taken(summarizer: Summarizer) -> None:
    large = json.dumps({"text": "", "keep": ["x" * 900] * 100}).encode()
    limits = ServiceLimits(body_bytes=len(large))
    with TestClient(create_app(summarizer, limits)) as client:
        headers = {"Content-Type": "application/json"}
        assert client.post("/v1/summarize", content=large, headers=headers).status_code == 200
        held = client.app.state.service.held  # type: ignore[attr-defined]
        assert held._held == 0
        held.add(32 * len(large))
        refused = client.post("/v1/summarize", content=large, headers=headers)
        problem(refused, 503, "Too many large requests")
        assert refused.headers["Retry-After"] == "5"
        assert client.post("/v1/summarize", json={"text": "river"}).status_code == 200
        (line,) = client.post("/v1/summarize/batch", content=large, headers=LINES).iter_lines()
        assert "Too many large requests" in json.loads(line)["error"]
        assert held._held == 32 * len(large)


def test_what_is_not_json_is_422(client: TestClient) -> None:
    problem(client.post("/v1/summarize", content=b"{", headers={"Content-Type": "application/json"}), 422)


def test_a_large_body_is_413(client: TestClient) -> None:
    problem(client.post("/v1/summarize", json={"text": "x" * 5_000}), 413, "larger than 4,000 bytes")

    def chunks() -> Iterator[bytes]:  # no length is announced
        yield b'{"text": "'
        for _ in range(50):
            yield b"x" * 100
        yield b'"}'

    problem(client.post("/v1/summarize", content=chunks(), headers={"Content-Type": "application/json"}), 413)


def test_a_curve_has_its_own_bound(client: TestClient) -> None:
    problem(client.post("/v1/curve", json={"text": "a " * 401}), 422, "401 words are too many")


@pytest.mark.parametrize("path", ["/nothing", "/..%2f..%2fetc/passwd", "/page/script.js", "/docs", "/redoc"])
def test_other_paths_are_404(client: TestClient, path: str) -> None:
    problem(client.get(path), 404)


def test_other_methods_are_405(client: TestClient) -> None:
    problem(client.get("/v1/summarize"), 405)


def test_an_unexpected_error_tells_nothing(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_self: object, _requests: object) -> list[Summary]:
        raise RuntimeError("the private text was: zebra")

    monkeypatch.setattr(Summarizer, "together", broken)
    response = client.post("/v1/summarize", json={"text": TEXT})
    problem(response, 500, "Something went wrong")
    assert "zebra" not in response.text


# Pages and headers ----------------------------------------------------------------------------------------------------


def test_the_page_comes_from_the_package_and_loads_nothing_else(client: TestClient) -> None:
    page = client.get("/").text
    assert page.startswith("<!doctype html>")
    assert "http://" not in page
    assert "https://" not in page
    assert "<script>" not in page
    assert " style=" not in page
    assert " on" + "click" not in page
    assert client.get("/script.js").headers["content-type"].startswith("text/javascript")
    assert client.get("/style.css").headers["content-type"].startswith("text/css")
    assert client.get("/favicon.ico").headers["content-type"].startswith("image/svg+xml")


@pytest.mark.parametrize("path", ["/", "/healthz", "/nothing"])
def test_every_response_has_security_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert "access-control-allow-origin" not in headers


# Options --------------------------------------------------------------------------------------------------------------


def test_the_table_of_options_is_served_with_what_the_model_can_do(client: TestClient) -> None:
    rows = {row["name"]: row for row in client.get("/v1/options").json()}
    assert list(rows) == list(OPTIONS)
    assert rows["decoding"]["choices"] == ["sequential", "approximate", "parallel"]
    assert rows["effort"]["choices"] == ["walk"]  # an agent of the paper's kind
    assert rows["style"]["choices"] == []
    assert rows["words"]["help"] == OPTIONS["words"].help


def test_options_of_the_model_are_taken_by_every_route(client: TestClient, summarizer: Summarizer) -> None:
    for decoding in ("sequential", "approximate", "parallel"):
        found = client.post("/v1/summarize", json={"text": TEXT, "words": 3, "decoding": decoding}).json()
        assert found["summaries"][0]["summary"] == str(summarizer.summarize(TEXT, words=3, decoding=decoding))
        assert client.post("/v1/curve", json={"text": TEXT, "decoding": decoding}).status_code == 200
    refused = client.post("/v1/summarize", json={"text": TEXT, "effort": "plan"})
    assert refused.status_code == 422
    assert refused.json()["detail"].startswith("effort plan goes with length-conditioned agents")
    line = client.post("/v1/summarize/batch", json={"text": TEXT, "style": "plain"}, headers=LINES).json()
    assert line["error"].startswith("style goes with agents that plan")


def test_texts_of_one_batch_may_differ_in_all_options(summarizer: Summarizer, monkeypatch: pytest.MonkeyPatch) -> None:
    batches: list[int] = []
    run = Pipeline.summarize

    def counting(pipeline: Pipeline, texts: Sequence[Any]) -> list[Summary]:
        batches.append(len(texts))
        return run(pipeline, texts)

    monkeypatch.setattr(Pipeline, "summarize", counting)
    mixed: list[dict[str, Any]] = [{"words": 3}, {"keep": "police", "trace": True}, {"extractive": True}, {}]
    options = [SummarizeOptions(**each) for each in [*mixed, {"decoding": "parallel"}]]
    summarizer.together([(TEXT, each) for each in options])
    assert batches == [4, 1]


# Together -------------------------------------------------------------------------------------------------------------


def test_texts_with_their_own_options_are_answered_as_if_alone(summarizer: Summarizer) -> None:
    requests: list[tuple[str, dict[str, Any]]] = [
        (TEXT, {"words": 3}),
        (TEXT, {}),
        ("bad \ud800", {}),
        (TEXT, {"words": 1, "keep": ["police", "bridge"]}),
        ("Zebra rises", {"bytes": 8, "extractive": True}),
        (TEXT, {"words": 1, "keep": ["police"]}),
    ]
    found = summarizer.together([(text, SummarizeOptions(**given_options)) for text, given_options in requests])
    assert isinstance(found[2], TextError)
    assert isinstance(found[3], EalmError)
    for number in (0, 1, 4, 5):
        text, given_options = requests[number]
        assert str(found[number]) == str(summarizer.summarize(text, **given_options))


# Reconstruction -------------------------------------------------------------------------------------------------------


def test_the_reconstruction_is_returned_word_by_word_on_request(summarizer: Summarizer) -> None:
    plain, rebuilt = summarizer.summarize(TEXT, words=3), summarizer.summarize(TEXT, words=3, reconstruction=True)
    assert all(edit.rebuilt is None and edit.recovered is None for edit in plain.edits)
    assert str(rebuilt) == str(plain)
    counted = [edit for edit in rebuilt.edits if edit.action.name != "KEEP"]
    assert counted
    assert all(edit.rebuilt and edit.recovered is not None for edit in counted)
    assert all(edit.rebuilt is None for edit in rebuilt.edits if edit.action.name == "KEEP")
    balance = summarizer.summarize(TEXT, reconstruction=True)
    assert str(balance) == str(summarizer.summarize(TEXT))
    assert all(edit.rebuilt for edit in balance.edits if edit.action.name != "KEEP")


def test_what_is_recovered_is_what_the_rate_counts(summarizer: Summarizer) -> None:
    rebuilt = summarizer.summarize(TEXT, words=3, reconstruction=True)
    counts = [edit.word not in {"the", "a"} for edit in rebuilt.edits]  # stop words do not count
    known = [edit.action.name == "KEEP" or bool(edit.recovered) for edit in rebuilt.edits]
    assert rebuilt.reconstruction_rate == pytest.approx(
        sum(k for k, c in zip(known, counts, strict=True) if c) / sum(counts)
    )
