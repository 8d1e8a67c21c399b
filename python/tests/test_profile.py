"""Profiles, models and reports, from Python."""

import json
import os

import numpy as np
import pytest

import leadline
from leadline import Profile


@pytest.fixture(scope="module")
def flash():
    return leadline.profile("sim:flash", quick=True, seed=1)


def test_a_profile_has_the_numbers_of_its_document_with_their_intervals(flash):
    entry = flash.at("random", 4096)
    assert flash.k_r == entry["k_r"] and list(flash.k_r_ci) == entry["k_r_ci"]
    assert flash.alpha == entry["alpha"] and flash.alpha_ci[0] <= flash.alpha <= flash.alpha_ci[1]
    assert flash.max_read_iops > flash.max_write_iops > 0
    assert flash.complete and flash.target == "sim:flash"
    assert "sim:flash" in repr(flash) and "Keep" in flash._repr_html_()


def test_points_are_a_table_with_every_point(flash):
    points = flash.points
    assert len(points) == len(flash.document["points"])
    reads = points["iops"][(points["op"] == "read") & (points["pattern"] == "random")]
    assert reads.max() >= flash.max_read_iops * 0.9
    inside = (points["iops_low"] <= points["iops"]) & (points["iops"] <= points["iops_high"])
    assert (inside | np.isnan(points["iops_low"])).all()


#: Keys of the document that are no attribute of their own name, and where they are.
ELSEWHERE = {
    "leadline": "the version that measured is in document",
    "schema": "is of the document",
    "points.iops_ci": "iops_low and iops_high",
    "points.latency_us": "latency_mean_us and so on, each tested below",
    "points.slices": "what points were made of is in document",
    "points.stretches": "what points were made of is in document",
    "points.histogram": "what points were made of is in document",
    "parameters.censored": "censored_read and censored_write",
}


def document_of_everything(flash):
    """A document with every key of the schema: what a real device alone has comes from its description."""
    document = json.loads(flash.to_json())
    known = (leadline.experiment("ladder", "sim:flash", quick=True)).document["experiments"]
    document["points"][0]["cpu_us_per_op"] = 2.5
    return document | {"created": "2026-11-21T11:25:22Z", "experiments": known}


def test_all_that_is_in_the_document_is_an_attribute(flash):
    document = document_of_everything(flash)
    profile = Profile.from_json(json.dumps(document))
    for name, value in document.items():
        if name in ELSEWHERE:
            continue
        found = getattr(profile, name)
        if isinstance(value, list):
            assert isinstance(found, leadline.Table) and len(found) == len(value), name
            for key in value[0]:
                end = "_low" if key.endswith("_ci") else ""
                assert f"{name}.{key}" in ELSEWHERE or key.removesuffix("_ci") + end in found, (name, key)
        else:
            assert found == value, name
    assert profile.checks.to_dicts() == document["validity"]["checks"]
    (point,) = [row for row in profile.points[:1]]
    assert point.cpu_us_per_op == 2.5
    for name, us in document["points"][0]["latency_us"].items():
        assert point[f"latency_{name}_us"] == us


def test_the_numbers_of_random_4k_requests_are_attributes(flash):
    entry = flash.at()
    for name, value in entry.items():
        found = getattr(flash, name)
        assert (list(found) if name.endswith("_ci") else found) == value, name
    assert flash.k_r_90 is not None and flash.k_w_90_ci[0] <= flash.k_w_90 <= flash.k_w_90_ci[1]
    published = Profile.load("device:p4510")
    assert published.k_r_90 is published.alpha_ci is None and published.k_r == 80
    with pytest.raises(AttributeError, match="does not change"):
        flash.k_r = 3
    table = flash.parameters
    (row,) = table[(table["block_bytes"] == 4096) & (table["pattern"] == "random")]
    assert (row.k_w_90, row.k_w_90_low) == (flash.k_w_90, flash.k_w_90_ci[0])
    assert published.parameters[0].k_r_90 is None


def test_nothing_takes_the_place_of_the_file_of_a_profile(flash, tmp_path):
    path = tmp_path / "flash.json"
    flash.save(path)
    saved = path.read_bytes()
    link = tmp_path / "link.json"
    link.symlink_to(path)
    loaded = Profile.load(path)
    for output in (path, str(link)):
        for replace in (
            lambda output=output: loaded.report(output),
            lambda output=output: leadline.pool.simulate([1, 2], frames=2, profile=loaded, report=output),
            lambda output=output: leadline.profile(path, output=output),
            lambda output=output: leadline.profile("sim:flash", output=path, report=output),
            lambda output=output: leadline.experiment("ladder", path, into=output),
        ):
            with pytest.raises(leadline.BadInput, match="would replace|while it is changed"):
                replace()
            assert path.read_bytes() == saved


def test_a_file_whose_name_is_no_text_is_taken(flash, tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/p\xff.json")
    flash.save(path)
    assert Profile.load(path).document == flash.document
    measured = leadline.profile("sim:flash", quick=True, seed=1, output=path)
    assert Profile.load(path).document == measured.document


def test_what_is_saved_is_loaded_again(flash, tmp_path):
    path = tmp_path / "flash.json"
    flash.save(path)
    again = Profile.load(path)
    assert again.document == flash.document
    assert Profile.from_json(flash.to_json()).document == flash.document


def test_the_same_seed_gives_the_command_lines_profile(flash):
    again = leadline.profile("sim:flash", quick=True, seed=1)
    assert again.to_json() == flash.to_json()


def test_progress_is_told_to_a_function_and_ends_at_the_whole():
    told = []
    leadline.profile("sim:flash", quick=True, progress=lambda *step: told.append(step))
    assert all(0 <= share <= 1 and isinstance(phase, str) for phase, share, _ in told)


def test_a_progress_function_that_raises_ends_the_run():
    class Enough(Exception):
        pass

    def stop(phase, share, detail):
        raise Enough

    # Long enough that progress is shown at least once.
    with pytest.raises(Enough):
        leadline.experiment("tail", "sim:flash", progress=stop, seconds=600)


def test_models_predict_arrays_as_they_predict_single_workloads(flash):
    models = leadline.fit(flash)
    assert models.best in models.table["name"].tolist()
    assert models.held_out() == pytest.approx(
        dict(zip(models.table["name"], models.table["held_out_percent"], strict=True))[models.best]
    )
    many = models.predict(reads=[1e5, 1e6], writes=1e4, concurrency=[1, 64])
    for row, (reads, k) in enumerate([(1e5, 1), (1e6, 64)]):
        one = models.predict(reads=reads, writes=1e4, concurrency=k)
        assert one["seconds"][0] == many["seconds"][row]
        assert many["seconds_low"][row] <= many["seconds"][row] <= many["seconds_high"][row]
    assert leadline.predict(flash, reads=1e6, model="dam")["model"][0] == "dam"


def test_a_comparison_has_a_row_for_each_number(flash):
    table = flash.compare(Profile.load("device:p4510"))
    ratio = dict(zip(table["quantity"], table["ratio"], strict=True))
    assert "alpha" in ratio and set(table["profile"]) == {1}
    assert table.info["relation"] == "devices"


def test_the_report_is_the_page_and_a_file(flash, tmp_path):
    report = flash.report(tmp_path / "page.html")
    assert report.html.startswith("<!") and (tmp_path / "page.html").read_text() == report.html
    assert "<iframe" in report._repr_html_()
    for wrong in (tmp_path, tmp_path / "no" / "page.html"):
        with pytest.raises(leadline.BadInput, match=str(wrong)):
            report.save(wrong)
    assert os.listdir(tmp_path) == ["page.html"]


def test_the_summary_is_one_screen_and_has_its_details_on_request(flash):
    screen = flash.summary()
    assert "Reads in flight for 90 % of the maximum" in screen
    assert "k_r_90" not in screen
    assert max(map(len, screen.splitlines())) <= 80
    details = flash.summary(100, details=True)
    assert details.startswith("sim-flash") and "k_r_90" in details and "ok       little: " in details


def test_plots_are_drawn(flash):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ax = flash.plot()
    assert {line.get_label() for line in ax.lines} >= {"random reads", "random writes"}
    with pytest.raises(leadline.BadInput, match="block_bytes=512: was not measured; the profile has 4096"):
        flash.plot(block_bytes=512)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: leadline.profile("sim:nothing"), "nothing"),
        (lambda: leadline.profile("/nowhere/at/all"), "/nowhere/at/all"),
        (lambda: leadline.profile("sim:flash", block_size=["3K5"]), "block_size="),
        (lambda: leadline.profile("sim:flash", quick=True, full=True), "full"),
        (lambda: Profile.load("/nowhere.json"), "/nowhere.json"),
        (lambda: Profile.from_json("{}"), "profile"),
        (lambda: Profile.load("device:nothing"), "nothing"),
        (lambda: leadline.fit(Profile.load("device:p4510")).predict(reads=1, model="x"), "x"),
        (lambda: leadline.fit(Profile.load("device:p4510")).predict(), "workload 0"),
        (lambda: leadline.predict(Profile.load("device:p4510"), reads=[1, 2], writes=[1, 2, 3]), "workloads"),
        (lambda: leadline.predict(Profile.load("device:p4510"), reads=1, concurrency=0), "concurrency="),
        (lambda: leadline.predict(Profile.load("device:p4510"), reads=float("nan")), "workload 0"),
        (lambda: leadline.compare(Profile.load("device:p4510")), "two profiles"),
        (lambda: leadline.experiment("nothing", "sim:flash"), "nothing"),
        (lambda: leadline.import_profile([]), "name the files"),
        (lambda: leadline.import_profile("/nowhere.json"), "/nowhere.json"),
        (lambda: leadline.import_profile(os.devnull), "is of no known kind"),
    ],
)
def test_bad_input_is_one_line_that_names_it(call, words):
    with pytest.raises(leadline.BadInput) as raised:
        call()
    line = str(raised.value)
    assert words in line and "\n" not in line and "--" not in line
    assert isinstance(raised.value, ValueError)


def test_a_document_that_a_newer_version_wrote_is_refused(flash):
    document = json.loads(flash.to_json()) | {"schema": "leadline.profile/9"}
    with pytest.raises(leadline.BadInput, match="leadline.profile/9"):
        Profile.from_json(json.dumps(document))


def test_what_was_said_while_measuring_is_kept(flash):
    assert any("simulated" in note for note in flash.notes)
    assert Profile.from_json(flash.to_json()).notes == ()


def test_what_other_programs_measured_is_a_partial_profile(tmp_path):
    raw = "2000 200000000 10000 40960123 69865 100000 179259 10000 2001 202000000\n"
    (tmp_path / "ioping.txt").write_text(raw)
    with pytest.raises(leadline.BadInput, match="pattern= random or pattern= sequential"):
        leadline.import_profile(tmp_path / "ioping.txt")
    kept = tmp_path / "p.json"
    found = leadline.import_profile([tmp_path / "ioping.txt"], output=kept, pattern="random", name="sda")
    assert (found.name, found.k_r, len(found.points)) == ("sda", None, 1)
    assert found.points["iops"][0] == pytest.approx(10_000)
    (file,) = found.document["method"]["imported"]
    assert (file["file"], file["program"]) == ("ioping.txt", "ioping")
    assert Profile.load(kept).document == found.document
