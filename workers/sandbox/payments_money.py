"""Money on Stripe's wire: whole minor units and a currency, never a float."""

from workers.sandbox import payments_input as read
from workers.sandbox.payments_error import Refusal

MOST_MINOR = 99_999_999
"""Eight digits, Stripe's largest amount. Its smallest (about half a euro) is not enforced here."""
_KNOWN = """
usd aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bhd bif bmd bnd bob brl bsd bwp byn bzd
cad cdf chf clp cny cop crc cve czk djf dkk dop dzd egp etb eur fjd fkp gbp gel gip gmd gnf gtq gyd
hkd hnl htg huf idr ils inr isk jmd jod jpy kes kgs khr kmf krw kwd kyd kzt lak lbp lkr lrd lsl mad
mdl mga mkd mmk mnt mop mur mvr mwk mxn myr mzn nad ngn nio nok npr nzd omr pab pen pgk php pkr pln
pyg qar ron rsd rub rwf sar sbd scr sek sgd shp sle sos srd std szl thb tjs tnd top try ttd twd tzs
uah ugx uyu uzs vnd vuv wst xaf xcd xof xpf yer zar zmw
"""
_WITHOUT_MINOR = """
bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf
"""
_SYMBOLS = {"eur": "€", "usd": "$", "gbp": "£", "jpy": "¥"}


def amount(params: read.Params) -> int:
    """The amount in minor units, at least 1."""
    read.required(params, "amount")
    minor = read.integer(params, "amount") or 0
    if minor > MOST_MINOR:
        message = f"Amount must be no more than {MOST_MINOR}."
        raise Refusal(message, code="amount_too_large", param="amount")
    return minor


def currency(params: read.Params) -> str:
    """A currency that Stripe knows, in lower case."""
    code = read.required(params, "currency")
    if code.lower() not in _KNOWN.split():
        supported = ", ".join(_KNOWN.split())
        message = f"Invalid currency: {code}. Stripe currently supports these currencies: {supported}"
        raise Refusal(message, param="currency")
    return code.lower()


def fee(minor: int, code: str) -> int:
    """What Stripe keeps of a charge: 2.9 % and 30 cents, of a currency without cents 3.6 %, half a unit rounded up.

    Its list prices for cards of the United States and of Japan; the fixed part stands in any other currency's cents.
    """
    share, fixed = (36, 0) if code in _WITHOUT_MINOR.split() else (29, 30)
    return (minor * share + 500) // 1000 + fixed


def written(minor: int, code: str) -> str:
    """Money as Stripe writes it in its messages: €49.00."""
    number = f"{minor:,}" if code in _WITHOUT_MINOR.split() else f"{minor / 100:,.2f}"
    return f"{_SYMBOLS[code]}{number}" if code in _SYMBOLS else f"{number} {code.upper()}"
