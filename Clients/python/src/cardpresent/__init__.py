"""Takes simulated card payments in tests: the client of `cardpresent simulate serve`.

    import cardpresent

    with cardpresent.serve() as service, service.session("visa-credit", seed=7) as session:
        assert session.pay("12.50").outcome == "approved"

The asynchronous client is in `cardpresent.asynchronous` and needs `pip install httpx`.
"""

from importlib.metadata import version

from .errors import (
    AccessDenied,
    CardPresentError,
    DeadlinePassed,
    InvalidRequest,
    LimitReached,
    NotFound,
    NotPossibleNow,
    ProgramError,
    ServiceError,
    ServiceUnreachable,
    Unavailable,
    UnexpectedAnswer,
)
from .plans import (
    CardPlan,
    DiskChange,
    HostPlan,
    IssuerFault,
    IssuerPlan,
    PrinterChange,
    ReaderFault,
    ReaderPlan,
    StorePlan,
)
from .service import Reader, Service, Session, connect, serve
from .values import Event, Payment, SessionState, WaitingFor

__version__ = version("cardpresent")

__all__ = [
    "AccessDenied",
    "CardPlan",
    "CardPresentError",
    "DeadlinePassed",
    "DiskChange",
    "Event",
    "HostPlan",
    "InvalidRequest",
    "IssuerFault",
    "IssuerPlan",
    "LimitReached",
    "NotFound",
    "NotPossibleNow",
    "Payment",
    "PrinterChange",
    "ProgramError",
    "Reader",
    "ReaderFault",
    "ReaderPlan",
    "Service",
    "ServiceError",
    "ServiceUnreachable",
    "Session",
    "SessionState",
    "StorePlan",
    "Unavailable",
    "UnexpectedAnswer",
    "WaitingFor",
    "connect",
    "serve",
]
