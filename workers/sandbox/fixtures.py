"""The shop's orders and customers, which the sandbox knows from the start and keeps through a reset.

Money is in minor units of its currency (yen have none: 9800 is ¥9,800). The goods of order 1190 are out of
stock, the card of 1188 is declined, and 1187 is paid in yen. Other systems build their records from these.
"""

from typing import Any

OUT_OF_STOCK = frozenset({"RADIO-06"})
"""The goods (by sku) of which the warehouse has none."""

_PEOPLE = {
    "1182": ("Mara Lindqvist", "mara.lindqvist@customers.test", "Storgatan 14", "411 38", "Göteborg", "SE"),
    "1183": ("Tom Okafor", "tom.okafor@customers.test", "Ranelagh Road 9", "D06 X2P4", "Dublin", "IE"),
    "1184": ("Ana Ribeiro", "ana.ribeiro@customers.test", "Rua das Flores 77", "4050-262", "Porto", "PT"),
    "1185": ("Jonas Weber", "jonas.weber@customers.test", "Lindenallee 3", "20259", "Hamburg", "DE"),
    "1186": ("Claire Fontaine", "claire.fontaine@customers.test", "Rue Mercière 21", "69002", "Lyon", "FR"),
    "1187": ("Haruka Sato", "haruka.sato@customers.test", "Nishiki 2-4-15", "460-0003", "Nagoya", "JP"),
    "1188": ("Piotr Zielinski", "piotr.zielinski@customers.test", "ul. Długa 40", "31-146", "Kraków", "PL"),
    "1189": ("Elif Demir", "elif.demir@customers.test", "Keizersgracht 112", "1015 CW", "Amsterdam", "NL"),
    "1190": ("Luca Moretti", "luca.moretti@customers.test", "Via Po 58", "10123", "Torino", "IT"),
}

# sku, name, amount in minor units, currency, the fee for sending it again, what the customer wrote
_GOODS = {
    "1182": ("LAMP-02", "Desk lamp, brass", 4900, "eur", 500, "The lamp arrived with a cracked shade."),
    "1183": ("KETTLE-1", "Kettle, 1.2 l", 6450, "eur", 500, "The parcel never came."),
    "1184": ("CHAIR-07", "Folding chair", 12900, "eur", 500, "One leg is shorter than the others."),
    "1185": ("CLOCK-03", "Wall clock", 3290, "eur", 500, "It stopped after two days."),
    "1186": ("VASE-11", "Glass vase", 5800, "eur", 500, "The vase was in pieces when I opened the box."),
    "1187": ("TEASET-4", "Tea set for four", 9800, "jpy", 800, "Two of the four cups are missing."),
    "1188": ("BOARD-05", "Chopping board", 2750, "eur", 500, "It is the small one; I ordered the large one."),
    "1189": ("THROW-09", "Wool throw", 7990, "eur", 500, "The throw has a burn mark in one corner."),
    "1190": ("RADIO-06", "Kitchen radio", 8900, "eur", 500, "The radio does not switch on."),
}

_CARDS = {"1188": ["pm_card_chargeDeclined", "pm_card_visa"]}


def _order(order_id: str) -> dict[str, Any]:
    name, email, line1, postal_code, city, country = _PEOPLE[order_id]
    sku, title, amount_minor, currency, fee_minor, complaint = _GOODS[order_id]
    cards = _CARDS.get(order_id, ["pm_card_visa"])
    return {
        "order_id": order_id,
        "customer_id": f"cus_{order_id}",
        "customer_email": email,
        "customer_name": name,
        "items": [{"sku": sku, "name": title, "quantity": 1, "amount_minor": amount_minor}],
        "amount_minor": amount_minor,
        "currency": currency,
        "payment_intent": f"pi_order_{order_id}",
        "payment_method": cards[0],
        "payment_methods": cards,
        "reship_fee_minor": fee_minor,
        "address": {"line1": line1, "postal_code": postal_code, "city": city, "country": country},
        "status": "delivered",
        "complaint": complaint,
    }


def _customer(order: dict[str, Any]) -> dict[str, Any]:
    return {
        "customer_id": order["customer_id"],
        "name": order["customer_name"],
        "email": order["customer_email"],
        "currency": order["currency"],
        "payment_methods": order["payment_methods"],
        "order_ids": [order["order_id"]],
    }


ORDERS: dict[str, dict[str, Any]] = {order_id: _order(order_id) for order_id in _GOODS}
CUSTOMERS: dict[str, dict[str, Any]] = {order["customer_id"]: _customer(order) for order in ORDERS.values()}
