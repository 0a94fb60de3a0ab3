"""Settings: flags, environment and file, and what a server refuses to start with."""

import re
from pathlib import Path

import pytest

from turnstile.server.settings import (
    FIELDS,
    InvalidSettings,
    LogFormat,
    ServerSettings,
    allowed_hosts,
    check_settings,
    description_of,
    read_settings,
)


def test_without_anything_the_defaults_count() -> None:
    assert read_settings({}, {}) == ServerSettings()


def test_a_flag_counts_more_than_the_environment_and_that_more_than_the_file(tmp_path: Path) -> None:
    file = tmp_path / "turnstile.toml"
    file.write_text('port = 1\nhost = "127.0.0.2"\nstore = "file.db"\norigins = ["https://a.example"]\n')
    environment = {"TURNSTILE_PORT": "2", "TURNSTILE_STORE": "environment.db"}
    settings = read_settings({"port": 3, "store": None, "hosts": ()}, environment, file)
    assert (settings.port, settings.store, settings.host) == (3, "environment.db", "127.0.0.2")
    assert settings.origins == ("https://a.example",)


def test_the_environment_has_numbers_switches_words_and_lists() -> None:
    environment = {
        "TURNSTILE_DEV": "true",
        "TURNSTILE_SLOW_SECONDS": "2.5",
        "TURNSTILE_LOG_FORMAT": "json",
        "TURNSTILE_HOSTS": "a.example, b.example",
        "TURNSTILE_UNRELATED": "?",
    }
    settings = read_settings({}, environment)
    assert (settings.dev, settings.slow_seconds, settings.log_format) == (True, 2.5, LogFormat.JSON)
    assert settings.hosts == ("a.example", "b.example")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("port = 70000", "Invalid setting --port: "),
        ("prot = 80", "Unknown setting: prot"),
        ("beat_seconds = inf", "Invalid setting --beat-seconds: "),
        ('hosts = ["a.example", 5]', "Invalid setting --hosts: "),
        ("limit_factor = inf", "Invalid setting"),
        ("port =", "not TOML"),
        ('log_format = "xml"', "Invalid setting"),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_the_reason(tmp_path: Path, text: str, reason: str) -> None:
    file = tmp_path / "turnstile.toml"
    file.write_text(text)
    with pytest.raises(InvalidSettings, match=reason):
        read_settings({}, {}, file)


def test_it_is_said_where_a_wrong_setting_comes_from(tmp_path: Path) -> None:
    """Some systems set variables by themselves: TURNSTILE_PORT is an address where a service is called turnstile."""
    file = tmp_path / "turnstile.toml"
    file.write_text('port = "?"\n')
    environment = {"TURNSTILE_PORT": "tcp://10.0.0.1:8000"}
    for flags, variables, source in (
        ({}, {}, rf" It comes from {re.escape(str(file))}\.$"),
        ({}, environment, r" It comes from \$TURNSTILE_PORT\.$"),
        ({"port": "x"}, environment, r"got `str`\.$"),
    ):
        with pytest.raises(InvalidSettings, match=r"^Invalid setting --port: Expected `int`.*" + source):
            read_settings(flags, variables, file)


def test_a_file_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match="cannot be read"):
        read_settings({}, {}, tmp_path / "none.toml")


UNSAFE = {
    "a public address without a name": {"host": "0.0.0.0"},  # noqa: S104
    "another address without a name": {"host": "192.0.2.1"},
    "tokens in the clear": {"host": "0.0.0.0", "public_url": "http://play.example.org"},  # noqa: S104
    "public metrics": {"operations_host": "0.0.0.0"},  # noqa: S104
    "every origin": {"origins": ("*",)},
    "the origin of sandboxes": {"origins": ("null",)},
    "every address a proxy": {"trusted_proxies": ("0.0.0.0/0",)},
    "every address of IPv6 a proxy": {"trusted_proxies": ("10.0.0.1", "::/0")},
}


@pytest.mark.parametrize("flags", UNSAFE.values(), ids=UNSAFE)
def test_U10_a_server_refuses_unsafe_settings_unless_told_dev(flags: dict[str, object]) -> None:
    with pytest.raises(InvalidSettings, match=r"Unsafe settings: .*Add --dev"):
        check_settings(read_settings(flags, {}))
    check_settings(read_settings({**flags, "dev": True}, {}))


@pytest.mark.parametrize(
    "flags",
    [
        {"origins": ("friend.example",)},
        {"origins": ("https://friend.example/path",)},
        {"origins": ("https://friend.example?from=here",)},
        {"origins": ("https://me:secret@friend.example",)},
        {"origins": ("https://friend.example:port",)},
        {"public_url": "play.example.org"},
        {"hosts": ("*",)},
        {"hosts": ("https://friend.example",)},
        {"hosts": ("friend.example:8000",)},
        {"trusted_proxies": ("proxy",)},
    ],
)
def test_settings_that_mean_nothing_are_refused_even_with_dev(flags: dict[str, object]) -> None:
    with pytest.raises(InvalidSettings, match="Invalid"):
        check_settings(read_settings({**flags, "dev": True}, {}))


def test_a_public_server_answers_to_its_public_name_and_to_this_machine() -> None:
    settings = read_settings({"host": "0.0.0.0", "public_url": "https://play.example.org"}, {})  # noqa: S104
    check_settings(settings)
    assert allowed_hosts(settings) == {"localhost", "127.0.0.1", "::1", "play.example.org"}


def test_further_hosts_may_be_addresses() -> None:
    settings = read_settings({"hosts": ("Play.example.org", "192.0.2.1", "2001:db8::1")}, {})
    check_settings(settings)
    assert allowed_hosts(settings) >= {"play.example.org", "192.0.2.1", "2001:db8::1"}


def test_every_setting_is_described() -> None:
    for field in FIELDS:
        assert description_of(field.name).endswith("."), field.name
