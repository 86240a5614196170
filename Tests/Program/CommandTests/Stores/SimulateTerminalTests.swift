import Foundation
import Glibc
import Testing

/// `simulate terminal`, with curl or a Python program as the till.
@Suite("Simulated terminals")
struct SimulateTerminalTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func start(
        _ arguments: String..., tillProtocol: String = "stripe"
    ) throws -> (child: Child, address: String) {
        let child = try Child(
            ["simulate", "terminal", "--protocol", tillProtocol, "--port", "0", "--json"] + arguments, in: scratch)
        #expect(child.wait { child.output.hasSuffix("}\n") })
        let view = try JSONSerialization.jsonObject(with: Data(child.output.utf8)) as? [String: Any]
        return (child, try #require(view?["address"] as? String))
    }

    /// Sends a POST with these fields, or a GET without any, and returns the object.
    private func call(_ address: String, _ path: String, _ fields: [String]? = nil) throws -> [String: Any] {
        var arguments = ["curl", "-sS", "-g", "--max-time", "300", "-u", "sk_test_1:"]
        if let fields { arguments += ["-X", "POST"] + fields.flatMap { ["-d", $0] } }
        let result = try Child(program: "/usr/bin/env", arguments + [address + path], in: scratch).result()
        let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
        return try #require(object as? [String: Any], "\(result.output) \(result.error)")
    }

    private func id(_ object: [String: Any]) throws -> String { try #require(object["id"] as? String, "\(object)") }

    /// Takes, captures in part, and refunds a payment. Returns the IDs.
    private func play(_ address: String) throws -> [String] {
        let reader = try id(
            try call(address, "/v1/terminal/readers", ["registration_code=simulated-wpe", "label=counter"]))
        let intent = try id(
            try call(
                address, "/v1/payment_intents",
                ["amount=1500", "currency=usd", "payment_method_types[]=card_present", "capture_method=manual"]))
        _ = try call(address, "/v1/terminal/readers/\(reader)/process_payment_intent", ["payment_intent=\(intent)"])
        let shown = try call(address, "/v1/test_helpers/terminal/readers/\(reader)/present_payment_method", [])
        #expect((shown["action"] as? [String: Any])?["status"] as? String == "succeeded", "\(shown)")
        let captured = try call(address, "/v1/payment_intents/\(intent)/capture", ["amount_to_capture=1000"])
        #expect(captured["status"] as? String == "succeeded", "\(captured)")
        let refund = try call(address, "/v1/refunds", ["payment_intent=\(intent)", "amount=300"])
        #expect(refund["status"] as? String == "succeeded", "\(refund)")
        let whole = try call(address, "/v1/payment_intents/\(intent)?expand[]=latest_charge")
        let charge = whole["latest_charge"] as? [String: Any]
        return [reader, intent, try id(refund), charge.map { "\($0["id"] ?? "")" } ?? "none"]
    }

    @Test func `a payment is taken, captured in part, and refunded, and a seed repeats it`() throws {
        var runs: [[String]] = []
        for _ in 0..<2 {
            let (child, address) = try start("--seed", "3")
            runs.append(try play(address))
            child.send(SIGTERM)
            let result = try child.result()
            #expect(result.status == 0 && result.error == "")
        }
        #expect(runs[0] == runs[1])
    }

    @Test func `a decline is shown at the reader and in the payment`() throws {
        let (child, address) = try start()
        let reader = try id(try call(address, "/v1/terminal/readers", ["registration_code=simulated-wpe"]))
        let intent = try id(try call(address, "/v1/payment_intents", ["amount=800", "currency=usd"]))
        _ = try call(address, "/v1/terminal/readers/\(reader)/process_payment_intent", ["payment_intent=\(intent)"])
        let shown = try call(
            address, "/v1/test_helpers/terminal/readers/\(reader)/present_payment_method",
            ["card_present[number]=4000000000009995"])
        let action = shown["action"] as? [String: Any]
        #expect(action?["failure_code"] as? String == "card_declined", "\(shown)")
        let payment = try call(address, "/v1/payment_intents/\(intent)")
        let error = payment["last_payment_error"] as? [String: Any]
        #expect(error?["decline_code"] as? String == "insufficient_funds", "\(payment)")
        child.send(SIGTERM)
        #expect(try child.result().status == 0)
    }

    @Test func `a till that speaks ZVT sells, is declined, loses its connection, and closes the day`() throws {
        let till = URL(filePath: #filePath).appending(path: "../../../../../Examples/zvt-python/till.py").standardized
        let (child, address) = try start(tillProtocol: "zvt")
        let result = try Child(program: "/usr/bin/env", ["python3", till.path, address], in: scratch).result()
        #expect(result.status == 0, "\(result.error)")
        #expect(result.output.contains("connection lost behind the result: paid, receipt "))
        #expect(result.output.hasSuffix("90.00 EUR\n"), "\(result.output)")
        child.send(SIGTERM)
        #expect(try child.result().status == 0)
    }

    @Test func `a port that another terminal has is refused`() throws {
        let (child, address) = try start(tillProtocol: "zvt")
        let port = try #require(address.split(separator: ":").last)
        let arguments = ["simulate", "terminal", "--protocol", "zvt", "--port", String(port)]
        let second = try Program.run(arguments, in: scratch)
        #expect(second.status == 69)
        #expect(second.error.contains("choose another port with --port"), "\(second.error)")
        child.send(SIGTERM)
        #expect(try child.result().status == 0)
    }

    @Test func `a protocol has to be named, and it has to be known`() throws {
        #expect(try Program.run(["simulate", "terminal"], in: scratch).status == 64)
        #expect(try Program.run(["simulate", "terminal", "--protocol", "morse"], in: scratch).status == 64)
    }
}
