"""Settings advised and judged, trees, placement and the catalogue: what the command line says, as tables."""

import json
import math
import pickle
import warnings

import pytest

import leadline
from leadline import _leadline

P4510 = "device:p4510"


def printed(*arguments):
    """What a command prints."""
    text, _, _ = _leadline.call([*arguments, "--json"])
    return json.loads(text)


@pytest.fixture(scope="module")
def flash():
    return leadline.profile("sim:flash", quick=True, seed=1, block_size=["4K", "64K", "512K"])


def test_advice_is_that_of_the_command_line_one_key_a_row():
    settings = leadline.advise("postgresql", P4510, version="15", memory="16G")
    assert settings.info == printed("advise", "postgresql", P4510, "--version=15", "--memory=16G")
    rows = {row["key"]: row for row in settings.to_dicts()}
    target = rows["checkpoint_completion_target"]
    assert (target["value"], target["number"], target["status"]) == ("0.9", 0.9, "default")
    missing = rows["random_page_cost"]
    assert missing["status"] == "not measured" and missing["value"] is None and math.isnan(missing["number"])
    assert "--block-size" in missing["rule"]


def test_advice_is_written_as_the_command_line_writes_it(tmp_path):
    settings = leadline.advise("postgresql", P4510, version="15")
    settings.write(tmp_path / "a.conf")
    _leadline.call(["advise", "postgresql", P4510, "--version=15", f"--output={tmp_path}/b.conf"])
    (text,) = settings.files.values()
    assert (tmp_path / "a.conf").read_text() == (tmp_path / "b.conf").read_text() == text
    pickle.loads(pickle.dumps(settings)).write(tmp_path / "c.conf")
    assert (tmp_path / "c.conf").read_text() == text
    leadline.advise("linux", P4510, version="6.1", output=tmp_path / "linux")
    assert (tmp_path / "linux").exists()


def test_a_profile_in_memory_is_advised_from_and_its_file_is_kept(flash, tmp_path):
    path = tmp_path / "flash.json"
    flash.save(path)
    by_name = leadline.advise("rocksdb", path)
    loaded = leadline.Profile.load(path)
    assert leadline.advise("rocksdb", loaded) == by_name
    saved = path.read_bytes()
    for replace in (
        lambda: leadline.advise("rocksdb", loaded, output=path),
        lambda: by_name.write(path),
        lambda: leadline.report(loaded, output=path),
        lambda: leadline.calibrate(loaded, output=path),
    ):
        with pytest.raises(leadline.BadInput, match="would replace"):
            replace()
    assert path.read_bytes() == saved


def test_advice_for_all_systems_says_which_is_whose():
    settings = leadline.advise("all", P4510)
    assert {"postgresql", "rocksdb", "linux"} <= set(settings["system"].tolist())


@pytest.fixture
def conf(tmp_path):
    def write(*lines):
        path = tmp_path / "postgresql.conf"
        path.write_text("\n".join(lines) + "\n")
        return path

    return write


def test_what_does_not_fit_is_an_answer_and_no_exception(conf):
    path = conf("checkpoint_completion_target = 0.1", "bgwriter_flush_after = 0", "random_page_cost = 4")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = leadline.lint("postgresql", path, P4510, version="15")
    assert (found.ok, found.judged, found.wrong, found.worst) == (False, 1, 1, "too-low")
    assert set(found["verdict"]) == {"not-judged", "too-low", "off"}
    assert "1 of 1 keys do not fit" in found.verdict
    good = leadline.lint("postgresql", conf("checkpoint_completion_target = 0.9"), P4510, version="15")
    assert good.ok and good.verdict is None and good.worst == "fits"


def test_where_nothing_could_be_judged_that_is_no_praise(conf, tmp_path):
    with pytest.warns(leadline.Warning, match="nothing was judged"):
        found = leadline.lint("postgresql", conf("work_mem = 4MB"), P4510, version="15")
    assert (found.ok, found.judged, len(found)) == (False, 0, 0)
    other = tmp_path / "etcd.yml"
    other.write_text("heartbeat-interval: 100\nelection-timeout: 1000\n")
    with pytest.raises(leadline.BadInput):
        leadline.lint("postgresql", other, P4510)
    with pytest.raises(leadline.BadInput, match="connect="):
        leadline.lint("postgresql", conf("work_mem = 4MB"), P4510, connect="host=db")


def test_a_file_with_settings_of_several_systems_says_whose_each_is(conf):
    found = leadline.lint("auto", conf("checkpoint_completion_target = 0.9"), P4510, version="15")
    assert found.ok and found["system"].tolist() == ["postgresql"]


def test_trees_are_those_of_the_command_line(flash, tmp_path):
    flash.save(path := tmp_path / "flash.json")
    mix = {"point": 60, "insert": 40}
    sizes = leadline.btree.advise(flash, data="100G", key_size=16, value_size=100, mix=mix)
    words = ["--data=100G", "--key-size=16", "--value-size=100", "--mix=point=60,insert=40"]
    assert sizes.info == printed("btree", "advise", *words, str(path))
    assert sizes["chosen"].sum() == 1
    options = tmp_path / "OPTIONS.ini"
    of = {"data": "10G", "key_size": 16, "value_size": 2048, "cores": 2}
    layouts = leadline.lsm.advise(flash, **of, mix=mix, output=options)
    assert layouts["chosen"].tolist() == [True] + [False] * (len(layouts) - 1)
    costs = leadline.lsm.predict(flash, **of, options=options, mix=mix)
    assert costs["operation"].tolist() == ["point", "absent", "scan", "insert", "mix"]
    assert (layouts["mix_per_s_low"] <= layouts["mix_per_s"]).all()


def test_extrapolated_costs_are_warned_of():
    disk = leadline.profile("sim:flash", quick=True, seed=1)
    mix = {"point": 60, "insert": 40}
    with pytest.warns(leadline.Extrapolated, match=r"^sim-flash: .* extrapolated") as caught:
        layouts = leadline.lsm.advise(disk, data="10G", key_size=16, value_size=2048, mix=mix)
    assert caught[0].filename == __file__, "it points at the caller"
    assert any("extrapolated" in note for note in layouts.notes)


def test_the_catalogue_is_a_table_and_each_device_whole():
    known = leadline.devices()
    assert set(known["name"]) == {device["name"] for device in printed("devices")["devices"]}
    assert leadline.devices("p4510") == printed("devices", "p4510")
    with pytest.raises(leadline.BadInput, match="no such device"):
        leadline.devices("nothing")


def test_a_page_is_made_of_several_profiles(flash, tmp_path):
    page = leadline.report(flash, P4510, output=tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == page.html and "P4510" in page.html
    with pytest.raises(leadline.BadInput, match="at least one"):
        leadline.report()
    with pytest.raises(leadline.BadInput, match="fio"):
        leadline.report(P4510, fio_jobs=tmp_path / "jobs")
