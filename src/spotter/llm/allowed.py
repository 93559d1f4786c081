"""Which models callers and builders may name. The operator decides; what the installation runs on is always one."""

from collections.abc import Iterable
from fnmatch import fnmatchcase

from spotter.errors import Forbidden, InvalidInput
from spotter.llm.resolver import split_name


class AllowedModels:
    """`patterns` are compared with `provider:model`; `*` stands for anything."""

    def __init__(self, patterns: Iterable[str], default: str = "offline") -> None:
        self._patterns = tuple(patterns)
        self._always = {"offline", default}

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        if name in self._always:
            return True
        try:
            provider, model = split_name(name)
        except InvalidInput:
            return False
        return any(fnmatchcase(f"{provider}:{model}", pattern) for pattern in self._patterns)

    def allow(self, name: str) -> bool:
        return name in self

    def require(self, name: str) -> None:
        if name not in self:
            raise Forbidden(
                f"The model {name!r} may not be used here. The operator allows models with SPOTTER_ALLOWED_MODELS."
            )
