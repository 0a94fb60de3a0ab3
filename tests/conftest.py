import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--torture", action="store_true", help="try every moment instead of a few of them; takes minutes")


@pytest.fixture(scope="session")
def torture(request: pytest.FixtureRequest) -> bool:
    """Whether to try everything."""
    return bool(request.config.getoption("--torture"))
