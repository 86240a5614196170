import TestOpenAPI
import Testing
import Text

@testable import SimulationServer

@Suite("A payment over HTTP", .timeLimit(.minutes(10)))
struct PaymentTests {
    @Test("with an automatic cardholder is taken in one request, and journal and ledger agree")
    func automatic() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["visa-credit"], "seed": 7}"#)
        let payment = await asked.ask("POST", session + "/payments", #"{"amount": "12.50"}"#)
        #expect(payment.status == 201)
        #expect(payment.headers["Location"] == session + "/payments/P000001")
        #expect(payment.json["outcome"]?.text == "approved")
        #expect(payment.json["state"]?.text == "captured")
        #expect(payment.json["running"]?.bool == false)
        #expect(payment.json["card"]?["brand"]?.text == "visa")
        #expect(payment.json["attempts"]?[0]?["states"]?.elements.last?.text == "captured")
        #expect(await asked.ask("GET", session + "/payments/P000001").json == payment.json)
        #expect(await asked.ask("GET", session + "/payments").json.elements == [payment.json])
        #expect(await asked.ask("GET", session + "/reconciliation").json["agrees"]?.bool == true)
        let ledger = await asked.ask("GET", session + "/issuer/ledger").json
        #expect(ledger[0]?["minorUnits"]?.int == 1250)
    }

    @Test("by hand waits, with its clock, until requests insert and remove the card")
    func byHand() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["visa-credit"]}"#)
        let begun = await asked.ask(
            "POST", session + "/payments", #"{"amount": "12.50", "cardholder": "by_hand"}"#)
        #expect(begun.status == 201)
        #expect(begun.json["outcome"]?.text == "pending")
        #expect(begun.json["waitingFor"]?["kind"]?.text == "card")
        let before = await asked.ask("GET", session + "/clock").json
        #expect(await asked.ask("GET", session).json["running"]?.text == "payment")
        #expect(await asked.ask("GET", session + "/clock").json == before)

        let inserted = await asked.ask("POST", session + "/readers/reader/insert", #"{"card": "visa-credit"}"#)
        #expect(inserted.json["waitingFor"]?["kind"]?.text == "removal")
        #expect(inserted.json["readers"]?[0]?["hasCard"]?.bool == true)
        let removed = await asked.ask("POST", session + "/readers/reader/remove")
        #expect(removed.json["running"] == nil)
        #expect(await asked.ask("GET", session + "/payments/P000001").json["outcome"]?.text == "approved")
    }

    @Test("by hand ends when the clock passes the card timeout")
    func cardTimeout() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["visa-credit"]}"#)
        await asked.ask(
            "POST", session + "/payments", #"{"amount": "1", "cardholder": "by_hand", "cardTimeoutSeconds": 30}"#)
        await asked.ask("POST", session + "/clock/advance", #"{"seconds": 20}"#)
        #expect(await asked.ask("GET", session + "/payments/P000001").json["running"]?.bool == true)
        await asked.ask("POST", session + "/clock/advance", #"{"seconds": 15}"#)
        let ended = await asked.ask("GET", session + "/payments/P000001").json
        #expect(ended["running"]?.bool == false)
        #expect(ended["errorCode"]?.text == "card_timeout")
        #expect(await asked.ask("GET", session + "/reconciliation").json["agrees"]?.bool == true)
    }

    @Test("that waits for a card is canceled, and nothing is charged")
    func canceled() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["visa-credit"]}"#)
        await asked.ask("POST", session + "/payments", #"{"amount": "9.99", "cardholder": "by_hand"}"#)
        let canceled = await asked.ask("POST", session + "/payments/P000001/cancel")
        #expect(canceled.json["outcome"]?.text == "cancelled")
        #expect(await asked.ask("GET", session + "/issuer/ledger").json.elements.isEmpty)
        let again = await asked.ask("POST", session + "/payments/P000001/cancel")
        #expect(again.status == 409)
        #expect(again.code == "not_running")
        #expect(await asked.ask("POST", session + "/payments/P000099/cancel").code == "unknown_payment")
        #expect(await asked.ask("POST", session + "/payments/first/cancel").code == "unknown_payment")
    }

    @Test("with a PIN waits for the keys, and no response contains a digit of it", arguments: ["short-apdu", "pinpad"])
    func pin(_ model: String) async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["pin-required"], "readers": ["\#(model)"]}"#)
        await asked.ask("POST", session + "/payments", #"{"amount": "12.50", "cardholder": "by_hand"}"#)
        let inserted = await asked.ask("POST", session + "/readers/reader/insert")
        #expect(inserted.json["waitingFor"]?["kind"]?.text == "pin", "\(inserted.text)")
        let typed = await asked.ask("POST", session + "/readers/reader/press", #"{"keys": ["9", "8", "7", "6"]}"#)
        #expect(typed.json["waitingFor"]?["typedDigits"]?.int == 4, "\(typed.text)")
        let wrong = await asked.ask("POST", session + "/readers/reader/press", #"{"keys": ["confirm"]}"#)
        #expect(wrong.json["waitingFor"]?["kind"]?.text == "pin", "\(wrong.text)")
        #expect(wrong.json["waitingFor"]?["isRetry"]?.bool == true)
        let right = await asked.ask(
            "POST", session + "/readers/reader/press", #"{"keys": ["1", "2", "3", "4", "confirm"]}"#)
        #expect(right.json["waitingFor"]?["kind"]?.text == "removal", "\(right.text)")
        await asked.ask("POST", session + "/readers/reader/remove")
        let payment = await asked.ask("GET", session + "/payments/P000001").json
        #expect(payment["outcome"]?.text == "approved", "\(payment)")
        let everything = await asked.ask("GET", session + "/events?limit=10000").text
        #expect(!everything.contains("1234FF") && !everything.contains("9876FF"))
    }

    @Test("is canceled by the cancel key")
    func cancelKey() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["pin-required"]}"#)
        await asked.ask("POST", session + "/payments", #"{"amount": "12.50", "cardholder": "by_hand"}"#)
        await asked.ask("POST", session + "/readers/reader/insert")
        await asked.ask("POST", session + "/readers/reader/press", #"{"keys": ["1", "cancel"]}"#)
        await asked.ask("POST", session + "/readers/reader/remove")
        #expect(await asked.ask("GET", session + "/payments/P000001").json["outcome"]?.text == "cancelled")
    }

    @Test("with a card of several applications waits for a selection")
    func choice() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["multi-application"]}"#)
        await asked.ask("POST", session + "/payments", #"{"amount": "5.00", "cardholder": "by_hand"}"#)
        #expect(await asked.ask("POST", session + "/choice", #"{"application": 0}"#).code == "no_choice")
        let inserted = await asked.ask("POST", session + "/readers/reader/insert")
        #expect(inserted.json["waitingFor"]?["kind"]?.text == "application", "\(inserted.text)")
        #expect((inserted.json["waitingFor"]?["applications"]?.elements.count ?? 0) > 1)
        #expect(await asked.ask("POST", session + "/choice", #"{"application": 9}"#).code == "no_choice")
        let chosen = await asked.ask("POST", session + "/choice", #"{"application": 1}"#)
        #expect(chosen.status == 200)
        #expect(chosen.json["waitingFor"]?["kind"]?.text != "application", "\(chosen.text)")
    }

    @Test("that is requested again with the same key is not repeated")
    func idempotent() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["visa-credit"]}"#)
        let body = #"{"amount": "12.50"}"#
        let first = await asked.ask("POST", session + "/payments", body, headers: ["idempotency-key": "till-1"])
        let second = await asked.ask("POST", session + "/payments", body, headers: ["idempotency-key": "till-1"])
        #expect(first.json == second.json)
        #expect(first.headers["Idempotency-Replayed"] == nil)
        #expect(second.headers["Idempotency-Replayed"] == "true")
        let other = await asked.ask(
            "POST", session + "/payments", #"{"amount": "12.51"}"#, headers: ["idempotency-key": "till-1"])
        #expect(other.code == "idempotency_key_reused")
        #expect(await asked.ask("GET", session + "/payments").json.elements.count == 1)
        #expect(await asked.ask("GET", session + "/issuer/ledger").json.elements.count == 1)
        let third = await asked.ask("POST", session + "/payments", body, headers: ["idempotency-key": "till-2"])
        #expect(third.json["id"]?.text == "P000002")
    }

    @Test("that twenty simultaneous requests start with one key is made once")
    func idempotentAtOnce() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["visa-credit"]}"#)
        let replies = await withTaskGroup(of: Asked.Reply.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    await asked.ask(
                        "POST", session + "/payments", #"{"amount": "3.00"}"#, headers: ["idempotency-key": "k"])
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(replies.map { $0.json["id"]?.text }) == ["P000001"])
        #expect(replies.allSatisfy { $0.status == 201 })
        #expect(await asked.ask("GET", session + "/payments").json.elements.count == 1)
    }

    @Test("that could not start leaves its key free")
    func keyIsFree() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["visa-credit"]}"#)
        let body = #"{"amount": "1.00"}"#
        await asked.ask("POST", session + "/process/crash")
        let refused = await asked.ask("POST", session + "/payments", body, headers: ["idempotency-key": "k"])
        #expect(refused.code == "process_died", "\(refused.text)")
        await asked.ask("POST", session + "/process/restart")
        await asked.ask("POST", session + "/readers/reader/connect")
        let taken = await asked.ask("POST", session + "/payments", body, headers: ["idempotency-key": "k"])
        #expect(taken.json["outcome"]?.text == "approved", "\(taken.text)")
        #expect(taken.headers["Idempotency-Replayed"] == nil)
    }

    @Test("without a reader fails, and is in the journal")
    func noReader() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"connect": false, "cards": ["visa-credit"]}"#)
        let failed = await asked.ask("POST", session + "/payments", #"{"amount": "1.00"}"#)
        #expect(failed.json["outcome"]?.text == "failed")
        #expect(failed.json["errorCode"]?.text == "no_reader")
    }

    @Test("during another one of the same session is rejected, and the first continues")
    func busy() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["visa-credit"]}"#)
        await asked.ask("POST", session + "/payments", #"{"amount": "1.00", "cardholder": "by_hand"}"#)
        #expect(await asked.ask("POST", session + "/payments", #"{"amount": "2.00"}"#).code == "busy")
        await asked.ask("POST", session + "/readers/reader/insert")
        await asked.ask("POST", session + "/readers/reader/remove")
        #expect(await asked.ask("GET", session + "/payments").json.elements.map { $0["outcome"]?.text } == ["approved"])
    }

    @Test("that was declined is retried with another card")
    func retry() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["declined", "visa-credit"]}"#)
        let declined = await asked.ask("POST", session + "/payments", #"{"amount": "4.00"}"#)
        #expect(declined.json["outcome"]?.text == "declined")
        let again = await asked.ask("POST", session + "/payments/P000001/retry", #"{"card": "visa-credit"}"#)
        #expect(again.status == 201, "\(again.text)")
        #expect(again.json["outcome"]?.text == "approved")
        #expect(again.json["attempts"]?.elements.count == 2)
        #expect(await asked.ask("POST", session + "/payments/P000001/retry").status == 409)
    }

    @Test("is refunded in parts, up to the paid amount")
    func refund() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["visa-credit"]}"#)
        await asked.ask("POST", session + "/payments", #"{"amount": "12.50"}"#)
        let part = await asked.ask("POST", session + "/payments/P000001/refund", #"{"amount": "2.50"}"#)
        #expect(part.json["refunded"]?.text == "2.50", "\(part.text)")
        let tooMuch = await asked.ask("POST", session + "/payments/P000001/refund", #"{"amount": "10.01"}"#)
        #expect(tooMuch.status == 409, "\(tooMuch.text)")
        let rest = await asked.ask("POST", session + "/payments/P000001/refund")
        #expect(rest.json["state"]?.text == "refunded")
        #expect(await asked.ask("GET", session + "/reconciliation").json["agrees"]?.bool == true)
    }

    @Test("has a receipt as text and HTML")
    func receipt() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["visa-credit"]}"#)
        await asked.ask("POST", session + "/payments", #"{"amount": "12.50"}"#)
        let text = await asked.ask("GET", session + "/payments/P000001/receipt")
        #expect(text.mediaType.hasPrefix("text/plain"))
        #expect(text.text.contains("12.50"))
        let page = await asked.ask("GET", session + "/payments/P000001/receipt?format=html&copy=merchant")
        #expect(page.mediaType.hasPrefix("text/html"))
        #expect(page.text.contains("<html") && page.text.contains("12.50"))
        #expect(await asked.ask("GET", session + "/payments/P000001/receipt?format=htm").fix?.contains("html") == true)
        #expect(await asked.ask("GET", session + "/payments/P000002/receipt").code == "unknown_payment")
        #expect(await asked.ask("GET", session + "/payments/P000001/receipt?kind=refund").code == "no_receipt")
    }

    @Test("of an order updates the store")
    func order() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["visa-credit"], "store": {"unpaid": ["7.50"]}}"#)
        let order = try #require(await asked.ask("GET", session + "/store").json["unpaid"]?[0]?.int)
        let payment = await asked.ask("POST", session + "/payments", #"{"order": \#(order)}"#)
        #expect(payment.json["outcome"]?.text == "approved", "\(payment.text)")
        #expect(payment.json["order"]?.int == order)
        let store = await asked.ask("GET", session + "/store").json
        #expect(store["charges"]?[0]?["hundredths"]?.int == 750)
        #expect(store["orders"]?.elements.first { $0["id"]?.int == order }?["paid"]?.bool == true)
    }

    @Test("whose response was lost is unknown, and another process resolves it")
    func crash() async throws {
        let asked = Asked()
        let session = try await asked.session(#"{"cards": ["visa-credit"]}"#)
        await asked.ask("POST", session + "/payments", #"{"amount": "1.00", "cardholder": "by_hand"}"#)
        let dead = await asked.ask("POST", session + "/process/crash")
        #expect(dead.json["processRuns"]?.bool == false)
        #expect(await asked.ask("POST", session + "/payments", #"{"amount": "2.00"}"#).code == "process_died")
        #expect(await asked.ask("POST", session + "/process/restart").json["finished"]?.int == 1)
        await asked.ask("POST", session + "/readers/reader/connect")
        #expect(
            await asked.ask("POST", session + "/payments", #"{"amount": "2.00"}"#).json["outcome"]?.text == "approved")
        #expect(await asked.ask("GET", session + "/reconciliation").json["agrees"]?.bool == true)
    }
}
