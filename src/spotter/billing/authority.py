"""Who may say what an organisation pays: its own administrators, or only whoever runs the installation.

On one's own machine both are the same people. Where anybody may sign up, organisations are customers: they must not
give themselves credits, a larger plan, or prices of their own for models that somebody else pays for.
"""

import hmac
from typing import Final

from spotter.errors import Forbidden
from spotter.settings import Settings

_NOT_YOURS: Final = (
    "Plans, prices and credits are set by whoever runs this installation. Nothing was changed."
)


class BillingAuthority:
    def __init__(self, settings: Settings) -> None:
        usual = "operator" if settings.sign_up == "open" else "organisation"
        self._decides = (settings.billing_by or usual) == "operator"
        self._token = settings.operator_token

    def require(self, shown: str | None) -> None:
        """Raises `Forbidden` where the operator decides and this is not their token."""
        if not self._decides:
            return
        if self._token is None:
            raise Forbidden(
                f"{_NOT_YOURS} The operator sets SPOTTER_OPERATOR_TOKEN and shows it as X-Operator-Token, or lets "
                "organisations decide with SPOTTER_BILLING_BY=organisation."
            )
        known = self._token.get_secret_value().encode()
        if not hmac.compare_digest((shown or "").encode(), known):
            raise Forbidden(f"{_NOT_YOURS} Ask them; they show their token as X-Operator-Token.")
