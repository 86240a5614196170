import Determinism
import Testing
import Text

@testable import StripeTerminal

/// Idempotency keys, signatures, and the times of messages.
struct WireTests {
    private let noon = VirtualTimeSource.standardStart
    private let response = StripeResponse(status: 200, headers: [], json: .object([]))

    @Test func `a key gets the first response again, whatever its status`() {
        var keys = StripeIdempotency()
        #expect(keys.begin("a", [1], at: noon) == .new)
        #expect(keys.begin("a", [1], at: noon) == .inFlight)
        #expect(keys.begin("a", [2], at: noon) == .mismatch)
        keys.end("a", response)
        #expect(keys.begin("a", [1], at: noon) == .replay(response))
        #expect(keys.begin("a", [2], at: noon) == .mismatch)
    }

    @Test func `a key whose request never began is free`() {
        var keys = StripeIdempotency()
        #expect(keys.begin("a", [1], at: noon) == .new)
        keys.end("a", nil)
        #expect(keys.begin("a", [2], at: noon) == .new)
    }

    @Test func `a key is forgotten after a day, but not while its request runs`() {
        var keys = StripeIdempotency()
        _ = keys.begin("done", [1], at: noon)
        keys.end("done", response)
        _ = keys.begin("open", [1], at: noon)
        let later = noon.advanced(by: StripeIdempotency.lifetime)
        #expect(keys.begin("done", [1], at: later) == .replay(response))
        let latest = later.advanced(by: .seconds(1))
        #expect(keys.begin("done", [2], at: latest) == .new)
        #expect(keys.begin("open", [1], at: latest) == .inFlight)
    }

    @Test func `the newest responses are kept, and a key whose response is gone does nothing again`() {
        var keys = StripeIdempotency()
        let count = StripeIdempotency.mostResponses * 11 / 10
        for number in 0..<count {
            _ = keys.begin("key-\(number)", [1], at: noon)
            keys.end("key-\(number)", response)
        }
        #expect(keys.begin("key-0", [1], at: noon) == .gone)
        #expect(keys.begin("key-0", [2], at: noon) == .mismatch)
        for number in [count - StripeIdempotency.mostResponses, count - 1] {
            #expect(keys.begin("key-\(number)", [1], at: noon) == .replay(response))
        }
    }

    // Computed with Python's hmac, and equal to what the official package for Python makes.
    @Test func `a message has the signature that receivers check`() throws {
        let body = Array(#"{"id":"evt_1","object":"event"}"#.utf8)
        let code = "4c15fb2a43f93ef61eaa3e0893866d57cad9cad4223242cfb96f362480cb4021"
        #expect(
            try StripeSignature.header(body, secret: "whsec_test", seconds: 1_700_000_000) == "t=1700000000,v1=\(code)")
    }

    private func outbox(_ fault: StripeDeliveryFault? = nil) -> StripeOutbox {
        var outbox = StripeOutbox()
        if let fault { outbox.plan(fault, times: 1) }
        let endpoint = StripeWebhookEndpoint(
            id: "we_1", secret: "whsec_1", created: 0, address: "http://127.0.0.1:1/", events: ["*"])
        outbox.add("evt_1", endpoint, body: Array("{}".utf8))
        return outbox
    }

    @Test func `a message is sent once while its endpoint answers`() {
        var outbox = outbox()
        let first = outbox.take(at: noon)
        #expect(first.map(\.number) == [1])
        #expect(outbox.take(at: noon).isEmpty)
        #expect(outbox.pending("evt_1") == 1)
        outbox.record(204, of: 1, at: noon)
        #expect(outbox.pending("evt_1") == 0)
        #expect(outbox.nextDue == nil)
    }

    @Test func `a message comes again after growing delays, signed anew, and is given up at last`() {
        var (outbox, now) = (outbox(), noon)
        var signatures: Set<String> = []
        for delay in StripeOutbox.delays {
            let message = outbox.take(at: now).first
            signatures.insert(message?.headers.last?.value ?? "")
            outbox.record(500, of: 1, at: now)
            #expect(outbox.nextDue == now.advanced(by: delay))
            #expect(outbox.take(at: now.advanced(by: delay - .milliseconds(1))).isEmpty)
            now = now.advanced(by: delay)
        }
        #expect(signatures.count == StripeOutbox.delays.count)
        #expect(outbox.take(at: now).count == 1)
        outbox.record(0, of: 1, at: now)
        #expect(outbox.pending("evt_1") == 0)
    }

    @Test func `messages are lost, sent twice, or signed wrongly when a test asks for it`() {
        var lost = outbox(.lost)
        #expect(lost.take(at: noon).isEmpty)
        var twice = outbox(.twice)
        #expect(Set(twice.take(at: noon).map(\.body)).count == 1)
        var (wrong, right) = (outbox(.badSignature), outbox())
        #expect(wrong.take(at: noon).first?.headers != right.take(at: noon).first?.headers)
    }

    @Test func `a shelf forgets no object that is needed still`() {
        var shelf = StripeShelf<StripeLocation>()
        func add(_ numbers: ClosedRange<Int>) {
            for number in numbers {
                shelf["tml_\(number)"] = StripeLocation(id: "tml_\(number)", name: "\(number)", address: [])
            }
        }
        add(1...6)
        shelf.keep(atMost: 2) { $0.id == "tml_1" || $0.id == "tml_3" }
        #expect(shelf.all.map(\.id) == ["tml_1", "tml_3", "tml_5", "tml_6"])
        add(7...8)
        #expect(shelf.all.allSatisfy { shelf[$0.id]?.name == $0.name } && shelf["tml_2"] == nil)
        shelf.keep(atMost: 2) { $0.id == "tml_3" }
        #expect(shelf.all.map(\.id) == ["tml_3", "tml_7", "tml_8"])
        #expect(shelf.all.allSatisfy { shelf[$0.id]?.name == $0.name } && shelf["tml_1"] == nil)
        shelf["tml_3"] = nil
        #expect(shelf["tml_8"]?.name == "8" && shelf["tml_3"] == nil)
    }

    @Test func `a shelf finds objects by their IDs after others were removed`() {
        var shelf = StripeShelf<StripeLocation>()
        for number in 1...6 {
            shelf["tml_\(number)"] = StripeLocation(id: "tml_\(number)", name: "\(number)", address: [])
        }
        shelf["tml_2"] = nil
        shelf.keep(atMost: 2)
        #expect(shelf.all.map(\.id) == ["tml_5", "tml_6"])
        #expect(shelf["tml_6"]?.name == "6")
        #expect(shelf["tml_3"] == nil)
        shelf["tml_7"] = StripeLocation(id: "tml_7", name: "7", address: [])
        #expect(shelf["tml_7"]?.name == "7")
    }
}
