import Testing
import Text

@testable import StripeTerminal

/// Keys, errors, lists, and expansion, as libraries rely on them.
struct CallTests {
    @Test(
        arguments: [
            ("Bearer sk_test_abc", 200), ("Basic " + Array("sk_test_abc:".utf8).base64, 200), ("bearer rk_test_1", 200),
            ("Bearer sk_live_1", 401), ("Bearer pk_test_1", 401), ("Basic !!!", 401), ("", 401),
        ])
    func `test keys are taken as a token and as a user`(authorization: String, status: Int) throws {
        var bench = StripeBench()
        let answer = try bench.send("GET", "/v1/account", authorization: authorization)
        #expect(answer.response.status == status)
        #expect(answer.header("Request-Id")?.hasPrefix("req_") == true)
    }

    @Test func `a key repeats the response without doing anything again`() throws {
        var bench = StripeBench()
        let form = "amount=500&currency=usd"
        let first = try bench.post("/v1/payment_intents", form, key: "order-1")
        let second = try bench.post("/v1/payment_intents", form, key: "order-1")
        #expect(first.response.body == second.response.body)
        #expect(second.header("Idempotent-Replayed") == "true")
        #expect(second.header("Original-Request") == first.header("Request-Id"))
        #expect(bench.terminal.books.intents.all.count == 1)
        let other = try bench.post("/v1/payment_intents", "amount=600&currency=usd", key: "order-1")
        #expect(other.response.status == 400)
        #expect(other.text.contains(#""type":"idempotency_error""#))
    }

    @Test func `a wrong parameter leaves its key free`() throws {
        var bench = StripeBench()
        #expect(try bench.post("/v1/payment_intents", "amount=x&currency=usd", key: "k").response.status == 400)
        #expect(try bench.post("/v1/payment_intents", "amount=5&currency=usd", key: "k").response.status == 200)
    }

    @Test func `a key whose request still runs is a conflict`() throws {
        var bench = StripeBench()
        let reader = try bench.reader()
        let intent = try bench.sell(at: reader)
        let form = "payment_intent=\(intent)"
        bench.start("POST", "/v1/refunds", form, key: "r")
        let second = try bench.post("/v1/refunds", form, key: "r")
        #expect(second.response.status == 409)
        #expect(second.text.contains("idempotency_key_in_use"))
        try bench.finishOffice(try bench.approval())
        let first = try #require(bench.answers().first)
        let third = try bench.post("/v1/refunds", form, key: "r")
        #expect(first.response.body == third.response.body)
        #expect(bench.terminal.books.refunds.all.count == 1)
    }

    @Test func `a lost response is done, and its key tells it`() throws {
        var bench = StripeBench()
        _ = try bench.post("/_simulator/faults", "fault=response_lost")
        let lost = try bench.post("/v1/payment_intents", "amount=500&currency=usd", key: "k")
        #expect(lost.isLost)
        let again = try bench.post("/v1/payment_intents", "amount=500&currency=usd", key: "k")
        #expect(!again.isLost)
        #expect(again.response.body == lost.response.body)
        #expect(bench.terminal.books.intents.all.count == 1)
    }

    @Test(
        arguments: [
            ("POST", "/v1/payment_intents", "currency=usd", 400, "parameter_missing", "amount"),
            ("POST", "/v1/payment_intents", "amount=1&currency=usd&color=red", 400, "parameter_unknown", "color"),
            ("POST", "/v1/payment_intents", "amount=100000000&currency=usd", 400, "amount_too_large", "amount"),
            ("GET", "/v1/payment_intents/pi_1", "", 404, "resource_missing", "id"),
            ("POST", "/v1/refunds", "payment_intent=pi_1", 400, "resource_missing", "payment_intent"),
            ("POST", "/v1/refunds", "payment_intent=a&charge=b", 400, "parameters_exclusive", "charge"),
            ("POST", "/v1/webhook_endpoints", "url=ftp://x&enabled_events[]=*", 400, "url_invalid", "url"),
        ])
    func `errors have status, code, and parameter`(
        method: String, target: String, form: String, status: Int, code: String, parameter: String
    ) throws {
        var bench = StripeBench()
        let answer = try bench.send(method, target, form)
        #expect(answer.response.status == status)
        #expect(answer.text.contains(#""code":"\#(code)""#))
        #expect(answer.text.contains(#""param":"\#(parameter)""#))
    }

    @Test func `an unknown path is a 404 with an error object`() throws {
        var bench = StripeBench()
        let answer = try bench.send("GET", "/v1/setup_intents")
        #expect(answer.response.status == 404)
        #expect(answer.text.contains(#""type":"invalid_request_error""#))
    }

    private func ids(_ answer: StripeAnswer, _ all: [String]) -> [String] {
        all.filter { answer.text.contains("\"\($0)\"") }
    }

    @Test func `lists are paged by cursors, newest first`() throws {
        var bench = StripeBench()
        for amount in 1...5 { _ = try bench.intent(amount) }
        let all = bench.terminal.books.intents.all.map(\.id)
        let first = try bench.send("GET", "/v1/payment_intents?limit=2")
        #expect(ids(first, all) == [all[3], all[4]])
        #expect(first.text.contains(#""has_more":true"#))
        let second = try bench.send("GET", "/v1/payment_intents?limit=3&starting_after=\(all[3])")
        #expect(ids(second, all) == [all[0], all[1], all[2]])
        #expect(second.text.contains(#""has_more":false"#))
        let newer = try bench.send("GET", "/v1/payment_intents?limit=1&ending_before=\(all[2])")
        #expect(ids(newer, all) == [all[3]])
        #expect(try bench.send("GET", "/v1/payment_intents?limit=101").response.status == 400)
        #expect(try bench.send("GET", "/v1/payment_intents?starting_after=pi_x").response.status == 400)
    }

    @Test func `objects are expanded in place, also in lists, and other fields refuse it`() throws {
        var bench = StripeBench()
        let reader = try bench.reader()
        let intent = try bench.sell(at: reader)
        let one = try bench.send("GET", "/v1/payment_intents/\(intent)?expand[]=latest_charge")
        #expect(one.text.contains(#""latest_charge":{"id":"ch_"#))
        let list = try bench.send("GET", "/v1/charges?expand[0]=data.payment_intent.latest_charge")
        #expect(list.text.contains(#""payment_intent":{"id":"pi_"#))
        #expect(list.text.contains(#""latest_charge":{"id":"ch_"#))
        let action = "expand[]=action.process_payment_intent.payment_intent"
        #expect(try bench.send("GET", "/v1/terminal/readers/\(reader)?\(action)").text.contains(#"{"id":"pi_"#))
        #expect(try bench.send("GET", "/v1/payment_intents/\(intent)?expand[]=amount").response.status == 400)
    }

    @Test func `a call with a field that can't be expanded changes nothing, or is not refused`() throws {
        var bench = StripeBench()
        let form = "amount=500&currency=usd&expand[]="
        #expect(try bench.post("/v1/payment_intents", form + "amount").response.status == 400)
        #expect(bench.terminal.books.intents.all.isEmpty)
        #expect(try bench.post("/v1/payment_intents", form + "data.refund").response.status == 200)
        let id = try #require(bench.terminal.books.intents.all.last?.id)
        #expect(try bench.send("GET", "/v1/payment_intents/\(id)?expand[]=refund").response.status == 400)
    }

    @Test func `the secret of an endpoint is shown once`() throws {
        var bench = StripeBench()
        let created = try bench.post(
            "/v1/webhook_endpoints", "url=http://127.0.0.1:1/hook&enabled_events[]=payment_intent.created")
        #expect(created.text.contains("whsec_"))
        let endpoint = try #require(bench.terminal.books.endpoints.all.first)
        #expect(try !bench.send("GET", "/v1/webhook_endpoints/\(endpoint.id)").text.contains("whsec_"))
        _ = try bench.intent()
        let delivery = try #require(bench.terminal.takeDeliveries(at: bench.now).first)
        #expect(String(decoding: delivery.body, as: UTF8.self).contains(#""type":"payment_intent.created""#))
        bench.terminal.record(200, of: delivery, at: bench.now)
        #expect(bench.terminal.nextDelivery == nil)
    }
}
