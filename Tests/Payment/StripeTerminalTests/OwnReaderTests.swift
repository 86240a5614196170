import Determinism
import Testing

@testable import StripeTerminal

/// An account with the reader of this machine.
struct OwnReaderTests {
    private static let secret = "sk_live_aVerySecretKey"
    private let own = StripeOwnReader(merchant: "123456789012345", terminal: "00000001", label: "Shop")

    private func bench(_ access: StripeAccess = .testKeys, spent: Set<String> = []) -> StripeBench {
        StripeBench(setup: .own(own, access: access, spentKeys: spent))
    }

    @Test func `the reader is there from the start, with the same ID after each start`() throws {
        var bench = bench()
        let list = try bench.send("GET", "/v1/terminal/readers")
        #expect(list.text.contains(own.id) && own.id.hasPrefix("tmr_"))
        #expect(StripeOwnReader(merchant: "123456789012345", terminal: "00000001", label: "Other").id == own.id)
        #expect(StripeOwnReader(merchant: "123456789012345", terminal: "00000002", label: "Shop").id != own.id)
        let intent = try bench.sell(at: own.id)
        #expect(bench.terminal.books.intents[intent]?.state == .succeeded)
    }

    @Test func `while the reader is not there, it is offline and refuses actions`() throws {
        var bench = bench()
        let intent = try bench.intent()
        let place = "/v1/terminal/readers/\(own.id)"
        bench.terminal.setOwnReader(isOnline: false, at: bench.terminal.now)
        #expect(try bench.send("GET", place).text.contains(#""status":"offline""#))
        let refusal = try bench.post(place + "/process_payment_intent", "payment_intent=\(intent)")
        #expect(refusal.text.contains("terminal_reader_offline") && bench.work().isEmpty)
        bench.terminal.setOwnReader(isOnline: true, at: bench.terminal.now)
        #expect(try bench.send("GET", place).text.contains(#""status":"online""#))
        _ = try bench.process(intent, at: own.id)
    }

    @Test(
        arguments: [
            ("POST", "/v1/terminal/readers", 400), ("DELETE", "/v1/terminal/readers/ID", 400),
            ("POST", "/v1/test_helpers/terminal/readers/ID/present_payment_method", 400),
            ("POST", "/_simulator/faults", 404), ("DELETE", "/_simulator/faults", 404),
        ])
    func `what only simulated readers have is an error of the protocol`(
        _ method: String, _ path: String, _ status: Int
    ) throws {
        var bench = bench()
        let target = path.split(separator: "ID", omittingEmptySubsequences: false).joined(separator: own.id)
        #expect(try bench.send(method, target).response.status == status)
        #expect(bench.terminal.books.readers.all.map(\.id) == [own.id])
        #expect(bench.terminal.books.readers[own.id]?.isDeleted == false)
    }

    @Test func `only its key is right, and no answer has it`() throws {
        var bench = bench(try #require(StripeAccess.key(Array(Self.secret.utf8))))
        for wrong in ["Bearer sk_test_1", "Bearer sk_live_aVerySecretKez", "Bearer ", "Basic !"] {
            let answer = try bench.send("GET", "/v1/account", authorization: wrong)
            #expect(answer.response.status == 401 && !answer.text.contains(Self.secret))
        }
        #expect(try bench.send("GET", "/v1/account", authorization: "Bearer \(Self.secret)").response.status == 200)
        #expect(!"\(bench.terminal)".contains(Self.secret))
    }

    @Test func `an idempotency key of an earlier start is refused, and nothing happens`() throws {
        var bench = bench(spent: [StripeSetup.fingerprint(of: "sale-1")])
        let answer = try bench.post("/v1/payment_intents", "amount=100&currency=usd", key: "sale-1")
        #expect(answer.response.status == 400 && answer.text.contains("idempotency_error"))
        #expect(bench.terminal.books.intents.all.isEmpty)
        #expect(try bench.post("/v1/payment_intents", "amount=100&currency=usd", key: "sale-2").response.status == 200)
    }

    @Test func `only a POST with the right secret key spends an idempotency key`() throws {
        let terminal = bench(try #require(StripeAccess.key(Array(Self.secret.utf8)))).terminal
        func request(_ method: String, _ key: String) -> StripeRequest {
            StripeRequest(
                method: method, target: "/v1/refunds",
                headers: [.init("Authorization", "Bearer \(key)"), .init("Idempotency-Key", "k")])
        }
        #expect(terminal.spends(request("POST", Self.secret)) == "k")
        #expect(terminal.spends(request("GET", Self.secret)) == nil)
        #expect(terminal.spends(request("POST", "sk_test_1")) == nil)
    }
}
