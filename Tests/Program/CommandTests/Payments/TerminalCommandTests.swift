import Foundation
import Glibc
import Testing

/// `terminal`, with curl as the till, and a simulated reader in the place of a real one.
@Suite("The terminal of a till")
struct TerminalCommandTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func start(_ arguments: String...) throws -> (child: Child, view: [String: Any]) {
        let child = try Child(
            ["terminal", "--protocol", "stripe", "--port", "0", "--json", "--database", scratch.database] + arguments,
            in: scratch)
        #expect(child.wait { child.output.hasSuffix("}\n") })
        return (child, try object(child.output))
    }

    private func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
    }

    /// Sends a POST with these fields, or a GET without any, and returns the object.
    private func call(
        _ address: Any?, _ path: String, _ fields: [String]? = nil, key: String = "sk_test_1", more: [String] = []
    ) throws -> [String: Any] {
        var arguments = ["curl", "-sS", "-g", "--max-time", "300", "-u", key + ":"] + more
        if let fields { arguments += ["-X", "POST"] + fields.flatMap { ["-d", $0] } }
        let target = try #require(address as? String) + path
        let result = try Child(program: "/usr/bin/env", arguments + [target], in: scratch).result()
        return try object(result.output)
    }

    private func id(_ object: [String: Any]) throws -> String { try #require(object["id"] as? String, "\(object)") }

    /// Waits for the end of the reader's action, and returns its status.
    private func outcome(_ address: Any?, _ reader: String) throws -> String? {
        for _ in 0..<600 {
            let view = try call(address, "/v1/terminal/readers/\(reader)")
            let status = (view["action"] as? [String: Any])?["status"] as? String
            if status != "in_progress" { return status }
            usleep(50_000)
        }
        return nil
    }

    @Test func `a payment is taken at the reader, captured in part, refunded, and recorded in the journal`() throws {
        let (child, view) = try start()
        let (address, reader) = (view["address"], try #require(view["reader"] as? String))
        let intent = try id(
            try call(address, "/v1/payment_intents", ["amount=1500", "currency=usd", "capture_method=manual"]))
        _ = try call(address, "/v1/terminal/readers/\(reader)/process_payment_intent", ["payment_intent=\(intent)"])
        #expect(try outcome(address, reader) == "succeeded")
        let captured = try call(address, "/v1/payment_intents/\(intent)/capture", ["amount_to_capture=1000"])
        #expect(captured["status"] as? String == "succeeded", "\(captured)")
        let refund = try call(address, "/v1/refunds", ["payment_intent=\(intent)", "amount=300"])
        #expect(refund["status"] as? String == "succeeded", "\(refund)")
        child.send(SIGTERM)
        #expect(try child.result().status == 0)
        let list = try Program.run(["payments", "list", "--database", scratch.database, "--json"], in: scratch)
        #expect(list.output.contains("partiallyRefunded") && list.output.contains("P000001"), "\(list.output)")
    }

    @Test func `what a clerk does with a payment is seen by the till, also after a restart`() throws {
        let database = ["--database", scratch.database]
        func clerk(_ arguments: String...) throws {
            let result = try Program.run(arguments + database, in: scratch)
            #expect(result.status == 0, "\(result.error)")
        }
        let (child, view) = try start()
        let (address, reader) = (view["address"], try #require(view["reader"] as? String))
        func take(_ more: String...) throws -> String {
            let intent = try id(try call(address, "/v1/payment_intents", ["amount=1500", "currency=usd"] + more))
            _ = try call(address, "/v1/terminal/readers/\(reader)/process_payment_intent", ["payment_intent=\(intent)"])
            #expect(try outcome(address, reader) == "succeeded")
            return intent
        }
        let (sale, hold) = (try take(), try take("capture_method=manual"))
        try clerk("refund", "P000001", "--amount", "4.00")
        try clerk("payments", "capture", "P000002", "--amount", "10.00")
        let refused = try call(address, "/v1/payment_intents/\(hold)/capture", [])
        #expect("\(refused)".contains("has the status succeeded"), "\(refused)")
        let rest = try call(address, "/v1/refunds", ["payment_intent=\(sale)", "amount=1200"])
        #expect("\(rest)".contains("greater than unrefunded amount on charge (1100)"), "\(rest)")
        child.send(SIGTERM)
        #expect(try child.result().status == 0)

        try clerk("refund", "P000001", "--amount", "11.00")
        let (next, again) = try start()
        let intents = try call(again["address"], "/v1/payment_intents?expand[]=data.latest_charge")["data"]
        let list = try #require(intents as? [[String: Any]])
        let charges = list.map { $0["latest_charge"] as? [String: Any] }
        #expect(list.map { $0["amount_received"] as? Int } == [1000, 1500], "\(list)")
        #expect(list.map { $0["status"] as? String } == ["succeeded", "succeeded"])
        #expect(charges.map { $0?["amount_refunded"] as? Int } == [500, 1500], "\(charges)")
        next.send(SIGTERM)
        #expect(try next.result().status == 0)
    }

    @Test func `a decline and an amount above the maximum are failures of the reader's action`() throws {
        let (child, view) = try start("--card", "insufficient-funds")
        let (address, reader) = (view["address"], try #require(view["reader"] as? String))
        let intent = try id(try call(address, "/v1/payment_intents", ["amount=1500", "currency=usd"]))
        _ = try call(address, "/v1/terminal/readers/\(reader)/process_payment_intent", ["payment_intent=\(intent)"])
        #expect(try outcome(address, reader) == "failed")
        let payment = try call(address, "/v1/payment_intents/\(intent)")
        #expect(payment["status"] as? String == "requires_payment_method", "\(payment)")
        #expect((payment["last_payment_error"] as? [String: Any])?["decline_code"] as? String == "insufficient_funds")
        child.send(SIGTERM)
        #expect(try child.result().status == 0)
    }

    @Test func `after canceled and replaced payments, the next one is presented a card at once`() throws {
        let (child, view) = try start()
        let (address, reader) = (view["address"], try #require(view["reader"] as? String))
        let path = "/v1/terminal/readers/\(reader)"
        for number in 0..<8 {
            let intents = try [1000, 2000].map { amount in
                try id(try call(address, "/v1/payment_intents", ["amount=\(amount + number)", "currency=usd"]))
            }
            _ = try call(address, path + "/process_payment_intent", ["payment_intent=\(intents[0])"])
            if number.isMultiple(of: 2) { _ = try call(address, path + "/cancel_action", []) }
            _ = try call(address, path + "/process_payment_intent", ["payment_intent=\(intents[1])"])
            #expect(try outcome(address, reader) == "succeeded", "payment \(number)")
        }
        child.send(SIGTERM)
        #expect(try child.result().status == 0)
        let list = try Program.run(["payments", "list", "--database", scratch.database], in: scratch)
        #expect(!list.output.contains("in time"), "\(list.output)")
    }

    @Test func `what a till shows has no control characters on standard error`() throws {
        let (child, view) = try start()
        let reader = try #require(view["reader"] as? String)
        let line = "cart[line_items][0]"
        // The bytes of a form: an escape sequence and a line feed.
        let fields = [
            "type=cart", "cart[currency]=usd", "cart[total]=100", line + "[amount]=100", line + "[quantity]=1",
            line + "[description]=Tea%1B[31m%0AEVIL",
        ]
        _ = try call(view["address"], "/v1/terminal/readers/\(reader)/set_reader_display", fields)
        #expect(child.wait { child.errorOutput.contains("EVIL") })
        child.send(SIGTERM)
        let error = try child.result().error
        #expect(error.contains("Tea") && !error.contains("\u{1B}") && !error.contains("\nEVIL"), "\(error)")
    }

    @Test func `a reader that is not there is offline, and the command says so`() throws {
        // No bus has this port.
        let (child, view) = try start("--reader", "usb:99-99")
        let (address, reader) = (view["address"], try #require(view["reader"] as? String))
        #expect(child.errorOutput.contains("offline until it is there"), "\(child.errorOutput)")
        let path = "/v1/terminal/readers/\(reader)"
        #expect(try call(address, path)["status"] as? String == "offline")
        let intent = try id(try call(address, "/v1/payment_intents", ["amount=1500", "currency=usd"]))
        let refusal = try call(address, path + "/process_payment_intent", ["payment_intent=\(intent)"])
        #expect((refusal["error"] as? [String: Any])?["code"] as? String == "terminal_reader_offline", "\(refusal)")
        child.send(SIGTERM)
        #expect(try child.result().status == 0)
    }

    @Test func `an idempotency key that was used before a restart charges nothing`() throws {
        let fields = ["amount=1500", "currency=usd"]
        let (first, before) = try start()
        _ = try call(before["address"], "/v1/payment_intents", fields, more: ["-H", "Idempotency-Key: sale-1"])
        first.send(SIGTERM)
        #expect(try first.result().status == 0)
        let (second, after) = try start()
        let repeated = try call(
            after["address"], "/v1/payment_intents", fields, more: ["-H", "Idempotency-Key: sale-1"])
        #expect((repeated["error"] as? [String: Any])?["type"] as? String == "idempotency_error", "\(repeated)")
        // A second terminal would not see the keys of the first one.
        let other = try Program.run(
            ["terminal", "--protocol", "stripe", "--port", "0", "--database", scratch.database], in: scratch)
        #expect(other.status == 69 && other.error.contains("another terminal with this database is running"))
        second.send(SIGTERM)
        #expect(try second.result().status == 0)
    }

    @Test func `other machines need TLS and the key, which no output has`() throws {
        let arguments = ["terminal", "--protocol", "stripe", "--host", "0.0.0.0", "--database", scratch.database]
        let rests = [
            ([], "add --tls, and --key or --key-env"), (["--tls", "certificates"], "add --key or --key-env"),
            (["--key", "key.txt"], "add --tls"),
        ]
        for (more, rest) in rests {
            let result = try Program.run(arguments + more, in: scratch)
            #expect(result.status == 64, "\(result.error)")
            #expect(result.error.contains("0.0.0.0 is open to other machines: \(rest)\n"), "\(result.error)")
        }
        let (folder, file) = (scratch.file("certificates"), scratch.file("key.txt"))
        let (child, view) = try start("--host", "0.0.0.0", "--tls", folder, "--key", file)
        let key = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")[0]
        let port = try #require((view["address"] as? String)?.split(separator: ":").last)
        let address = "https://localhost:\(port)"
        let trust = ["--cacert", folder + "/ca.pem"]
        let readers = try call(address, "/v1/terminal/readers", key: String(key), more: trust)
        #expect(readers["object"] as? String == "list", "\(readers)")
        let wrong = try call(address, "/v1/terminal/readers", more: trust)
        #expect((wrong["error"] as? [String: Any])?["type"] as? String == "invalid_request_error", "\(wrong)")
        child.send(SIGTERM)
        let result = try child.result()
        #expect(result.status == 0 && !(result.output + result.error).contains(key))
    }
}
