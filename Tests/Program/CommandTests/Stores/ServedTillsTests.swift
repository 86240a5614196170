import Foundation
import Glibc
import Testing

/// `simulate serve --stripe`, with curl as the till and as the person at the reader.
@Suite("Terminals beside the simulator's service")
struct ServedTillsTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Sends a form as a till, or JSON as a client of the service, and returns the response.
    private func send(_ address: String, _ arguments: String...) throws -> Any {
        let call = ["curl", "-sS", "-g", "--max-time", "300", "-u", "sk_test_1:"] + arguments + [address]
        let result = try Child(program: "/usr/bin/env", call, in: scratch).result()
        return try JSONSerialization.jsonObject(with: Data(result.output.utf8), options: .fragmentsAllowed)
    }

    private func text(_ object: Any, _ key: String) throws -> String {
        try #require((object as? [String: Any])?[key] as? String, "\(object)")
    }

    @Test func `a person acts at the reader of a till in its session, and so does the test helper`() throws {
        let child = try Child(["simulate", "serve", "--port", "0", "--stripe", "0", "--json"], in: scratch)
        #expect(child.wait { child.output.hasSuffix("}\n") })
        let view = try JSONSerialization.jsonObject(with: Data(child.output.utf8))
        let (service, till) = (try text(view, "address"), try text(view, "stripe"))
        let readers = till + "/v1/terminal/readers"
        let reader = try text(try send(readers, "-d", "registration_code=simulated-wpe"), "id")

        func process(_ amount: Int) throws -> String {
            let intents = till + "/v1/payment_intents"
            let intent = try text(try send(intents, "-d", "amount=\(amount)", "-d", "currency=usd"), "id")
            _ = try send(readers + "/\(reader)/process_payment_intent", "-d", "payment_intent=\(intent)")
            return till + "/v1/payment_intents/" + intent
        }

        let first = try process(1250)
        let session = service + "/v1/sessions/s1"
        var waits: String?
        for _ in 0..<600 where waits == nil {
            let shown = try send(session) as? [String: Any]
            waits = (shown?["waitingFor"] as? [String: Any])?["kind"] as? String
            if waits == nil { usleep(50_000) }
        }
        #expect(waits == "card")
        let json = "Content-Type: application/json"
        _ = try send(session + "/readers/reader/insert", "-H", json, "-d", #"{"card":"test-card-0"}"#)
        _ = try send(session + "/readers/reader/remove", "-X", "POST")
        for _ in 0..<600 where try text(try send(first), "status") == "requires_payment_method" { usleep(50_000) }
        #expect(try text(try send(first), "status") == "succeeded")

        let second = try process(800)
        let helper = till + "/v1/test_helpers/terminal/readers/\(reader)/present_payment_method"
        _ = try send(helper, "-d", "card_present[number]=4001000360000005")
        #expect(try text(try send(second), "status") == "succeeded")
        let payments = try #require(try send(session + "/payments") as? [Any])
        #expect(payments.count == 2)
        let refusal = try send(session + "/repeat", "-X", "POST") as? [String: Any]
        #expect(try text(try #require(refusal?["error"]), "code") == "driven")

        let form = "inputs[0][type]=text&inputs[0][custom_text][title]=Name"
        _ = try send(readers + "/\(reader)/collect_inputs", "-d", form)
        let helpers = till + "/v1/test_helpers/terminal/readers/\(reader)"
        let asked = try send(helpers + "/succeed_input_collection", "-X", "POST") as? [String: Any]
        #expect(try text(try #require(asked?["action"]), "status") == "succeeded")
        // The reader shows the amount at once, so a tip comes too late.
        let third = try text(try send(till + "/v1/payment_intents", "-d", "amount=500&currency=usd"), "id")
        let tip = "payment_intent=\(third)&process_config[tipping][amount_eligible]=5"
        let tipped = try send(readers + "/\(reader)/process_payment_intent", "-d", tip) as? [String: Any]
        #expect(try text(try #require(tipped?["error"]), "param") == "process_config[tipping]")

        child.send(SIGTERM)
        #expect(try child.result().status == 0)
    }

    /// Waits until a session asks for a card, presents one there, and takes it back.
    private func presentCard(_ session: String, _ card: String) throws {
        var waits: String?
        for _ in 0..<600 where waits == nil {
            let shown = try send(session) as? [String: Any]
            waits = (shown?["waitingFor"] as? [String: Any])?["kind"] as? String
            if waits == nil { usleep(50_000) }
        }
        #expect(waits == "card")
        let json = "Content-Type: application/json"
        _ = try send(session + "/readers/reader/insert", "-H", json, "-d", #"{"card":"\#(card)"}"#)
        _ = try send(session + "/readers/reader/remove", "-X", "POST")
    }

    /// Sells for 12.50 at a ZVT terminal, and prints the control fields of its messages.
    private static let zvtTill = """
        import socket, sys
        host, port = sys.argv[1].rsplit(":", 1)
        till, data = socket.create_connection((host, int(port)), 60), b""
        till.sendall(bytes.fromhex("06010a04000000001250490978"))
        while True:
            while len(data) < 3 or len(data) < 3 + data[2]:
                data += till.recv(4096)
            message, data = data[:3 + data[2]], data[3 + data[2]:]
            if message[0] in (0x80, 0x84):
                continue
            print(message[:2].hex())
            till.sendall(bytes.fromhex("800000"))
            if message[:2] in (b"\\x06\\x0f", b"\\x06\\x1e"):
                break
        """

    @Test func `one process serves nexo and ZVT, and a person acts at the terminals of both`() throws {
        let arguments = ["simulate", "serve", "--port", "0", "--nexo", "0", "--zvt", "0", "--json"]
        let child = try Child(arguments + ["--certificates", scratch.file("certificates")], in: scratch)
        #expect(child.wait { child.output.hasSuffix("}\n") })
        let view = try JSONSerialization.jsonObject(with: Data(child.output.utf8))
        let sessions = try text(view, "address") + "/v1/sessions/"
        #expect(try text(view, "nexo").hasPrefix("https://127.0.0.1:"))

        let header =
            #""ProtocolVersion":"3.0","MessageClass":"Service","MessageCategory":"Payment","#
            + #""MessageType":"Request","SaleID":"T","ServiceID":"1","POIID":"V400m-000000001""#
        let sale = #""SaleData":{"SaleTransactionID":{"TransactionID":"1","TimeStamp":"2026-01-02T12:00:00Z"}}"#
        let amount = #""PaymentTransaction":{"AmountsReq":{"Currency":"EUR","RequestedAmount":12.5}}"#
        let body = #"{"SaleToPOIRequest":{"MessageHeader":{\#(header)},"PaymentRequest":{\#(sale),\#(amount)}}}"#
        let address = try text(view, "nexoHTTP") + "/sync"
        let paying = try Child(
            program: "/usr/bin/env", ["curl", "-sS", "--max-time", "120", "-d", body, address], in: scratch)
        try presentCard(sessions + "s1", "visa-credit")
        #expect(try paying.result().output.contains(#""Result":"Success""#))

        let till = try Child(
            program: "/usr/bin/env", ["python3", "-c", Self.zvtTill, try text(view, "zvt")], in: scratch)
        try presentCard(sessions + "s2", "visa-credit")
        let result = try till.result()
        #expect(result.output.contains("040f\n") && result.output.hasSuffix("060f\n"), "\(result)")
        child.send(SIGTERM)
        #expect(try child.result().status == 0)
    }

    @Test func `options of nexo need its port`() throws {
        let result = try Program.run(["simulate", "serve", "--port", "0", "--terminal", "A-1"], in: scratch)
        #expect(result.status == 64 && result.error.contains("require --nexo"))
    }

    @Test func `a card that is presented directly after the payment began is not lost`() throws {
        let child = try Child(["simulate", "serve", "--port", "0", "--stripe", "0", "--json"], in: scratch)
        #expect(child.wait { child.output.hasSuffix("}\n") })
        let till = try text(try JSONSerialization.jsonObject(with: Data(child.output.utf8)), "stripe")
        let (readers, intents) = (till + "/v1/terminal/readers", till + "/v1/payment_intents")
        // Declined cards stay in the reader until the next payment.
        let cards = [
            ("4242424242424242", "succeeded"), ("4000000000009995", "failed"), ("4001000360000005", "succeeded"),
            ("4000000000000002", "failed"), ("4242424242424242", "succeeded"),
        ]
        for _ in 0..<3 {
            // The first payment of a reader opens its session.
            let reader = try text(try send(readers, "-d", "registration_code=simulated-wpe"), "id")
            for (card, status) in cards {
                let intent = try text(try send(intents, "-d", "amount=1250", "-d", "currency=usd"), "id")
                let process = readers + "/\(reader)/process_payment_intent"
                let helper = till + "/v1/test_helpers/terminal/readers/\(reader)/present_payment_method"
                // One connection, and no pause between the two requests.
                let options = ["-sS", "-g", "--max-time", "60", "-u", "sk_test_1:"]
                let first = ["-o", scratch.file("process"), "-d", "payment_intent=\(intent)", process, "--next"]
                let second = ["-d", "card_present[number]=\(card)", helper]
                let calls = ["curl"] + options + first + options + second
                let answer = try Child(program: "/usr/bin/env", calls, in: scratch).result().output
                #expect(answer.contains(#""status":"\#(status)""#), "\(card): \(answer)")
            }
        }
        child.send(SIGTERM)
        #expect(try child.result().status == 0)
    }

    @Test func `a port that is taken ends the whole command`() throws {
        let first = try Child(["simulate", "serve", "--port", "0", "--stripe", "0", "--json"], in: scratch)
        #expect(first.wait { first.output.hasSuffix("}\n") })
        let view = try JSONSerialization.jsonObject(with: Data(first.output.utf8))
        let port = try #require(try text(view, "stripe").split(separator: ":").last)
        let second = try Program.run(["simulate", "serve", "--port", "0", "--stripe", String(port)], in: scratch)
        #expect(second.status == 69 && second.error.contains("another program uses the port"))
        first.send(SIGTERM)
        #expect(try first.result().status == 0)
    }
}
