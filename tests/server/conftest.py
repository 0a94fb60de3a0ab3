from tests import postgres


def pytest_sessionfinish() -> None:
    postgres.shared.close()
