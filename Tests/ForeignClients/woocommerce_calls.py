"""Calls a simulated store with WooCommerce's own client for Python, and compares the answers with those of WooCommerce.

usage: woocommerce_calls.py PROGRAM     (by Scripts/foreign-clients)

Ends with 1 at the first difference.
"""
import base64
import hashlib
import hmac
import json
import sys

from woocommerce import API

from served_store import Store

count = 0


def expect(what, condition, answer=None):
    if condition:
        return
    shown = f": {answer.status_code} {answer.text[:2000]}" if answer is not None else ""
    print(f"call {count}, {what}{shown}", file=sys.stderr)
    sys.exit(1)


class Client:
    """The client, with the expected status of each call. Methods return the decoded body."""

    def __init__(self, *arguments, **options):
        self.api = API(*arguments, timeout=20, **options)

    def call(self, method, endpoint, data=None, ends=None, error=None, full=False, **params):
        global count
        count += 1
        wanted = ends or (201 if method == "post" and not endpoint.endswith("batch") else 200)
        options = {"params": params} if params else {}
        function = getattr(self.api, method)
        answer = function(endpoint, data, **options) if method in ("post", "put") else function(endpoint, **options)
        what = f"{method.upper()} {endpoint} {params or ''}"
        expect(f"{what} ends with {wanted}", answer.status_code == wanted, answer)
        body = answer.json()
        if error:
            expect(f"{what} has the code {error}", body.get("code") == error, answer)
        return (body, answer) if full else body

    def get(self, endpoint, **options):
        return self.call("get", endpoint, **options)

    def post(self, endpoint, data, **options):
        return self.call("post", endpoint, data, **options)

    def put(self, endpoint, data, **options):
        return self.call("put", endpoint, data, **options)

    def delete(self, endpoint, **options):
        return self.call("delete", endpoint, **options)

    def options(self, endpoint, **options):
        return self.call("options", endpoint, **options)


def names(elements, member="name"):
    return [element[member] for element in elements]


def discovery(store, api):
    for version in ["wc/v1", "wc/v2", "wc/v3"]:
        index = Client(store.http, store.key, store.secret, version=version).get("")
        expect("an index has its namespace", index["namespace"] == version)
        expect("an index has routes", f"/{version}/orders" in index["routes"])
    schema, answer = api.options("orders", full=True)
    expect("a schema has a title", schema["schema"]["title"] == "shop_order")
    expect("a schema has types", schema["schema"]["properties"]["line_items"]["type"] == "array")
    expect("Allow lists the methods", answer.headers["Allow"] == "GET, POST")
    expect("OPTIONS lists endpoints", names(api.options("products/1")["endpoints"], "methods")[0] == ["GET"])
    api.get("moon", ends=404, error="rest_no_route")


def credentials(store, api):
    wrong = Client(store.http, store.key, "cs_wrong")
    wrong.get("orders", ends=401, error="woocommerce_rest_authentication_error")
    Client(store.http, "ck_wrong", "cs").get("orders", ends=401, error="woocommerce_rest_authentication_error")
    verified = {"verify_ssl": store.certificate}
    basic = Client(store.https, store.key, store.secret, **verified)
    expect("Basic over TLS signs in", len(basic.get("orders", per_page=2)) == 2)
    expect("Basic over TLS changes things", basic.post("products/tags", {"name": "TLS"})["slug"] == "tls")
    query = Client(store.https, store.key, store.secret, query_string_auth=True, **verified)
    expect("a key in the query signs in", len(query.get("orders", per_page=3)) == 3)
    Client(store.https, store.key, "cs_wrong", **verified).get("orders", ends=401)


def orders(store, api):
    page, answer = api.get("orders", per_page=5, page=2, full=True)
    expect("a page has its size", len(page) == 5)
    expect("a list has its totals", answer.headers["X-WP-Total"] == "60" and answer.headers["X-WP-TotalPages"] == "12")
    expect("a list links to its neighbors", answer.links["next"]["url"] and answer.links["prev"]["url"])
    expect("links have no credentials", "oauth" not in answer.headers["Link"])
    completed = api.get("orders", status="completed", per_page=3)
    expect("a status filters", set(names(completed, "status")) == {"completed"})
    product = api.get("products", sku="CCS-008")[0]
    order = api.post("orders", {
        "payment_method": "cod", "set_paid": True, "billing": {"first_name": "Zo\u00eb", "email": "zoe@example.com"},
        "line_items": [{"product_id": product["id"], "quantity": 2}],
        "shipping_lines": [{"method_id": "flat_rate", "method_title": "Flat rate", "total": "5.00"}]})
    place = f"orders/{order['id']}"
    expect("an order is paid", order["status"] == "processing" and order["date_paid"])
    expect("text survives", api.get(place)["billing"]["first_name"] == "Zo\u00eb")
    expect("an order changes", api.put(place, {"customer_note": "Ring twice"})["customer_note"] == "Ring twice")
    expect("fields are chosen", set(api.get(place, _fields="id,total")) == {"id", "total"})
    expect("dp counts decimals", api.get(place, dp=4)["shipping_total"] == "5.0000")
    enveloped = api.get(place, _envelope=1)
    expect("an envelope has a body", enveloped["body"]["id"] == order["id"] and enveloped["status"] == 200)
    note = api.post(f"{place}/notes", {"note": "Packed"})
    expect("notes are listed", "Packed" in names(api.get(f"{place}/notes"), "note"))
    api.delete(f"{place}/notes/{note['id']}", force=True)
    refunds(api, order, place)
    batch = api.post("orders/batch", {
        "create": [{"line_items": [{"product_id": product["id"]}]}, {"customer_id": 99999}],
        "update": [{"id": order["id"], "customer_note": "Ring once"}]})
    expect("a batch creates", batch["create"][0]["id"] > 0)
    expect("a batch tells errors", batch["create"][1]["error"]["code"] == "woocommerce_rest_invalid_customer_id")
    expect("a batch updates", batch["update"][0]["customer_note"] == "Ring once")
    other = batch["create"][0]["id"]
    expect("a batch deletes", api.post("orders/batch", {"delete": [other]})["delete"][0]["id"] == other)
    api.get(f"orders/{other}", ends=404, error="woocommerce_rest_shop_order_invalid_id")
    api.delete(place)
    api.delete(place, ends=410, error="woocommerce_rest_already_trashed")
    api.delete(place, force=True)


def refunds(api, order, place):
    line = order["line_items"][0]
    refund = api.post(f"{place}/refunds", {
        "amount": str(line["price"]), "reason": "Broken", "api_refund": False,
        "line_items": [{"id": line["id"], "quantity": 1, "refund_total": line["price"]}],
        "meta_data": [{"key": "_till_refund", "value": "re_1"}]})
    expect("a refund has its reason", refund["reason"] == "Broken" and not refund["refunded_payment"])
    expect("a refund has its line", refund["line_items"][0]["quantity"] == -1)
    expect("a refund has its meta data", refund["meta_data"][0]["value"] == "re_1")
    own = f"{place}/refunds/{refund['id']}"
    expect("a refund is read", api.get(own) == refund)
    expect("refunds of an order", names(api.get(f"{place}/refunds"), "id") == [refund["id"]])
    expect("refunds of the store", api.get("refunds")[0]["parent_id"] == order["id"])
    expect("an order shows refunds", api.get(place)["refunds"][0]["total"] == "-" + refund["amount"])
    api.post(f"{place}/refunds", {"amount": "9999", "api_refund": False}, ends=500,
             error="woocommerce_rest_cannot_create_order_refund")
    api.delete(own, ends=501)
    api.delete(own, force=True)
    api.get(own, ends=404, error="woocommerce_rest_shop_order_refund_invalid_id")


def coupons(store, api):
    coupon = api.post("coupons", {"code": "Spring25", "discount_type": "percent", "amount": "25", "description": "A"})
    expect("a coupon has an amount", coupon["amount"] == "25.00" and coupon["code"] == "spring25")
    api.post("coupons", {"code": "spring25"}, ends=400, error="woocommerce_rest_coupon_code_already_exists")
    place = f"coupons/{coupon['id']}"
    expect("a coupon is found", api.get("coupons", code="spring25")[0]["id"] == coupon["id"])
    product = api.get("products", sku="CCS-008")[0]
    order = api.post("orders", {
        "line_items": [{"product_id": product["id"], "quantity": 4}], "coupon_lines": [{"code": "spring25"}]})
    total = float(product["price"]) * 4
    expect("a coupon counts", abs(float(order["discount_total"]) - total / 4) < 0.01)
    expect("a coupon changes", api.put(place, {"amount": "10", "individual_use": True})["individual_use"] is True)
    batch = api.post("coupons/batch", {"create": [{"code": "a1", "amount": "1"}, {"code": "a2", "amount": "2"}]})
    expect("coupons in a batch", names(batch["create"], "code") == ["a1", "a2"])
    api.delete(place, force=True)
    api.get(place, ends=404, error="woocommerce_rest_shop_coupon_invalid_id")


def products(store, api):
    category = api.post("products/categories", {"name": "Cold Brew", "description": "Slow"})
    expect("a category has a slug", category["slug"] == "cold-brew" and category["count"] == 0)
    api.post("products/categories", {"name": "Cold Brew"}, ends=400, error="term_exists")
    tag = api.post("products/tags", {"name": "New"})
    product = api.post("products", {
        "name": "Bottle", "regular_price": "19.90", "sku": "BTL-1", "description": "Glass", "manage_stock": True,
        "stock_quantity": 7, "categories": [{"id": category["id"]}], "tags": [{"id": tag["id"]}],
        "meta_data": [{"key": "color", "value": "green"}]})
    place = f"products/{product['id']}"
    expect("a product has a price", product["price"] == "19.90" and product["slug"] == "bottle")
    expect("a product has its category", product["categories"][0]["slug"] == "cold-brew")
    expect("a product has stock", product["stock_quantity"] == 7 and product["meta_data"][0]["value"] == "green")
    api.post("products", {"name": "Other", "sku": "BTL-1"}, ends=400, error="product_invalid_sku")
    sold = api.put(place, {"sale_price": "15"})
    expect("a sale counts", (sold["price"], sold["regular_price"], sold["on_sale"]) == ("15.00", "19.90", True))
    expect("a product is found by category", names(api.get("products", category=category["id"]), "id") == [product["id"]])
    expect("a category counts", api.get(f"products/categories/{category['id']}")["count"] == 1)
    order = api.post("orders", {"line_items": [{"product_id": product["id"], "quantity": 2}]})
    expect("a new product is sold", order["line_items"][0]["total"] == "30.00")
    batch = api.post("products/batch", {"create": [{"name": "One"}, {"name": "Two"}], "update": [
        {"id": product["id"], "stock_quantity": 5}]})
    expect("products in a batch", batch["update"][0]["stock_quantity"] == 5)
    api.delete(f"products/{batch['create'][0]['id']}", force=True)
    expect("trash", api.delete(place)["status"] == "trash")
    api.delete(place, force=True)
    api.get(place, ends=404, error="woocommerce_rest_product_invalid_id")
    changed = api.put(f"products/categories/{category['id']}", {"description": "Slower"})
    expect("a category changes", changed["description"] == "Slower")
    api.delete(f"products/categories/{category['id']}", ends=501, error="woocommerce_rest_trash_not_supported")
    api.delete(f"products/categories/{category['id']}", force=True)
    expect("tags in a batch", len(api.post("products/tags/batch", {"create": [{"name": "x"}]})["create"]) == 1)
    attributes(api)
    made = api.post("products/shipping_classes", {"name": "Heavy"})
    expect("shipping classes", "heavy" in names(api.get("products/shipping_classes"), "slug"))
    api.delete(f"products/shipping_classes/{made['id']}", force=True)


def attributes(api):
    attribute = api.post("products/attributes", {"name": "Color", "order_by": "name"})
    place = f"products/attributes/{attribute['id']}"
    expect("an attribute has a slug", attribute["slug"] == "pa_color" and attribute["type"] == "select")
    term = api.post(f"{place}/terms", {"name": "Green"})
    expect("terms are listed", names(api.get(f"{place}/terms")) == ["Green"])
    expect("a term changes", api.put(f"{place}/terms/{term['id']}", {"name": "Red"})["name"] == "Red")
    api.delete(f"{place}/terms/{term['id']}", force=True)
    expect("an attribute changes", api.put(place, {"has_archives": True})["has_archives"] is True)
    api.delete(place, force=True)
    api.get(f"{place}/terms", ends=404)


def customers(store, api):
    customer = api.post("customers", {
        "email": "ada@example.com", "first_name": "Ada", "billing": {"city": "London", "country": "GB"},
        "meta_data": [{"key": "vip", "value": "yes"}]})
    place = f"customers/{customer['id']}"
    expect("a customer has a name", customer["username"] == "ada" and customer["first_name"] == "Ada")
    api.post("customers", {"email": "ada@example.com"}, ends=400, error="registration-error-email-exists")
    expect("a customer is found", api.get("customers", email="ada@example.com")[0]["id"] == customer["id"])
    changed = api.put(place, {"last_name": "L.", "billing": {"city": "Paris"}})
    expect("a customer changes", changed["billing"]["city"] == "Paris" and changed["billing"]["country"] == "GB")
    expect("downloads", api.get(f"{place}/downloads") == [])
    order = api.post("orders", {"customer_id": customer["id"], "line_items": []})
    expect("a new customer orders", order["customer_id"] == customer["id"])
    api.delete(place, ends=501)
    api.delete(place, force=True)
    api.get(place, ends=404, error="woocommerce_rest_invalid_id")


def settings(store, api):
    expect("tax rates", api.get("taxes")[0]["country"] == "US")
    expect("tax classes", "reduced-rate" in names(api.get("taxes/classes"), "slug"))
    expect("gateways", "bacs" in names(api.get("payment_gateways"), "id"))
    changed = api.put("payment_gateways/bacs", {"enabled": False, "settings": {"title": "Transfer"}})
    expect("a gateway changes", not changed["enabled"] and changed["settings"]["title"]["value"] == "Transfer")
    expect("a gateway is read", api.get("payment_gateways/bacs")["title"] == "Transfer")
    expect("groups", "general" in names(api.get("settings"), "id"))
    expect("a setting", api.get("settings/general/woocommerce_currency")["value"] == "USD")
    changed = api.put("settings/general/woocommerce_store_city", {"value": "Albany"})
    expect("a setting changes", changed["value"] == "Albany")
    expect("status", api.get("system_status")["environment"]["version"])
    expect("tools", "recount_terms" in names(api.get("system_status/tools"), "id"))
    expect("a tool", api.get("system_status/tools/recount_terms")["action"])
    expect("a tool runs", api.put("system_status/tools/recount_terms", {"confirm": True})["success"] is True)
    api.get("system_status/tools/moon", ends=404, error="woocommerce_rest_system_status_tool_invalid_id")


def shipping(store, api):
    expect("methods", "flat_rate" in names(api.get("shipping_methods"), "id"))
    expect("a method", api.get("shipping_methods/free_shipping")["title"])
    expect("zones", names(api.get("shipping/zones"), "id")[0] == 0)
    zone = api.post("shipping/zones", {"name": "Europe"})
    place = f"shipping/zones/{zone['id']}"
    expect("a zone changes", api.put(place, {"order": 2})["order"] == 2)
    locations = api.put(f"{place}/locations", [{"code": "DE"}, {"code": "EU", "type": "continent"}])
    expect("locations", names(locations, "type") == ["country", "continent"])
    expect("locations stay", names(api.get(f"{place}/locations"), "code") == ["DE", "EU"])
    method = api.post(f"{place}/methods", {"method_id": "flat_rate", "settings": {"cost": "4.50"}})
    expect("a method has a cost", method["settings"]["cost"]["value"] == "4.50" and method["method_title"])
    own = f"{place}/methods/{method['id']}"
    expect("a method is switched off", api.put(own, {"enabled": False})["enabled"] is False)
    expect("methods of a zone", len(api.get(f"{place}/methods")) == 1)
    api.delete(own, force=True)
    api.delete(place, force=True)
    api.get(place, ends=404, error="woocommerce_rest_shipping_zone_invalid")


def data(store, api):
    expect("lists", names(api.get("data"), "slug") == ["continents", "countries", "currencies"])
    expect("continents", "EU" in names(api.get("data/continents"), "code"))
    expect("a continent", "DE" in names(api.get("data/continents/eu")["countries"], "code"))
    expect("countries", "US" in names(api.get("data/countries"), "code"))
    expect("a country", "NY" in names(api.get("data/countries/us")["states"], "code"))
    expect("currencies", "EUR" in names(api.get("data/currencies"), "code"))
    expect("a currency", api.get("data/currencies/eur")["name"] == "Euro")
    expect("the currency", api.get("data/currencies/current")["code"] == "USD")
    api.get("data/countries/xx", ends=404, error="woocommerce_rest_data_invalid_location")


def reports(store, api):
    expect("reports", "sales" in names(api.get("reports"), "slug"))
    sales = api.get("reports/sales", period="year")[0]
    expect("sales", float(sales["total_sales"]) > 0 and sales["totals_grouped_by"] == "day")
    expect("top sellers", api.get("reports/top_sellers", period="year")[0]["quantity"] > 0)
    for kind in ["orders", "products", "customers", "coupons", "reviews"]:
        expect(f"totals of {kind}", all("total" in row for row in api.get(f"reports/{kind}/totals")))


def webhooks(store, api):
    webhook = api.post("webhooks", {
        "name": "New orders", "topic": "order.created", "delivery_url": store.hook_address, "secret": "s3cret"})
    expect("a webhook hides its secret", webhook["status"] == "active" and "secret" not in webhook)
    path, headers, body = store.message()
    expect("a new webhook is tried", (path, body.decode()) == ("/hook", f"webhook_id={webhook['id']}"))
    order = api.post("orders", {"line_items": [{"sku": "CCS-008", "quantity": 1}]})
    path, headers, body = store.message()
    expect("a message has its topic", headers["X-WC-Webhook-Topic"] == "order.created")
    expect("a message has its webhook", headers["X-WC-Webhook-ID"] == str(webhook["id"]))
    signature = base64.b64encode(hmac.new(b"s3cret", body, hashlib.sha256).digest()).decode()
    expect("a message is signed", headers["X-WC-Webhook-Signature"] == signature)
    expect("a message has the order", json.loads(body)["id"] == order["id"])
    place = f"webhooks/{webhook['id']}"
    expect("a webhook changes", api.put(place, {"topic": "order.deleted"})["event"] == "deleted")
    api.delete(f"orders/{order['id']}", force=True)
    expect("of a deleted order its number is left", json.loads(store.message()[2]) == {"id": order["id"]})
    expect("webhooks are listed", names(api.get("webhooks", status="active"), "id") == [webhook["id"]])
    api.post("webhooks", {"topic": "moon.created", "delivery_url": store.hook_address}, ends=400,
             error="woocommerce_rest_shop_webhook_invalid_topic")
    api.post("webhooks", {"topic": "order.created", "delivery_url": "ftp://x"}, ends=400,
             error="woocommerce_rest_shop_webhook_invalid_delivery_url")
    api.delete(place, force=True)
    api.get(place, ends=404, error="woocommerce_rest_shop_webhook_invalid_id")


def main():
    with Store(sys.argv[1]) as store:
        api = Client(store.http, store.key, store.secret)
        for part in [discovery, credentials, orders, coupons, products, customers, settings, shipping, data, reports,
                     webhooks]:
            part(store, api)
    print(f"{count} calls of WooCommerce's client for Python had the answers of WooCommerce")


if __name__ == "__main__":
    main()
