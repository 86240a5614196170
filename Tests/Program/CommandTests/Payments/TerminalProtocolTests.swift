import Foundation
import Glibc
import Testing

/// `terminal` with tills of several protocols, and after a kill.
@Suite("The terminal of tills of several protocols")
struct TerminalProtocolTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func start(
        _ more: [String] = [], poi: String = "V400m-1"
    ) throws -> (child: Child, stripe: String, reader: String, nexo: String) {
        let child = try Child(
            [
                "terminal", "--protocol", "nexo", "--protocol", "stripe", "--port", "0", "--port", "0", "--http-port",
                "0", "--json", "--reader", "simulated", "--terminal", poi, "--database", scratch.database,
            ] + more, in: scratch)
        #expect(child.wait { child.output.hasSuffix("}\n") })
        let view = try object(child.output)
        let terminals = try #require(view["terminals"] as? [[String: Any]], "\(view)")
        #expect(terminals.compactMap { $0["protocol"] as? String } == ["nexo", "stripe"])
        return (
            child, try #require(terminals.last?["address"] as? String),
            try #require(terminals.last?["reader"] as? String), try #require(terminals.first?["http"] as? String)
        )
    }

    private func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
    }

    private func curl(_ arguments: String...) throws -> [String: Any] {
        let all = ["curl", "-sS", "-g", "--max-time", "300", "-u", "sk_test_1:"] + arguments
        return try object(try Child(program: "/usr/bin/env", all, in: scratch).result().output)
    }

    /// Sends a nexo message, and returns the response's object.
    private func send(
        _ address: String, _ category: String, _ id: String, _ request: String
    ) throws -> [String: Any] {
        let header = """
            {"ProtocolVersion":"3.0","MessageClass":"Service","MessageCategory":"\(category)","MessageType":"Request",\
            "SaleID":"T1","ServiceID":"\(id)","POIID":"V400m-1"}
            """
        let message = #"{"SaleToPOIRequest":{"MessageHeader":\#(header),"\#(category)Request":\#(request)}}"#
        let answer = try curl("-d", message, address + "/nexo/")
        let response = try #require(answer["SaleToPOIResponse"] as? [String: Any], "\(answer)")
        return try #require(response[category + "Response"] as? [String: Any], "\(response)")
    }

    private let payment = """
        {"SaleData":{"SaleTransactionID":{"TransactionID":"order-17","TimeStamp":"2026-01-02T12:00:00Z"}},\
        "PaymentTransaction":{"AmountsReq":{"Currency":"USD","RequestedAmount":12.5}}}
        """

    @Test func `after a kill, tills find their payments by what they call them, and nothing is charged again`() throws {
        let first = try start()
        let paid = try send(first.nexo, "Payment", "1", payment)
        let poi = try #require(paid["POIData"] as? [String: Any], "\(paid)")
        let intent = try #require(
            try curl("-d", "amount=1500", "-d", "currency=usd", first.stripe + "/v1/payment_intents")["id"] as? String)
        let place = "/v1/terminal/readers/\(first.reader)/process_payment_intent"
        _ = try curl("-d", "payment_intent=\(intent)", first.stripe + place)
        let address = first.stripe + "/v1/payment_intents/\(intent)"
        #expect(first.child.wait { (try? curl(address)["status"] as? String) == "succeeded" })
        let before = try curl(address)
        first.child.send(SIGKILL)
        _ = try first.child.result()

        let second = try start()
        let status = try send(
            second.nexo, "TransactionStatus", "2",
            #"{"MessageReference":{"MessageCategory":"Payment","SaleID":"T1","ServiceID":"1"}}"#)
        let text = "\(status)"
        #expect(text.contains("\((poi["POITransactionID"] as? [String: Any])?["TransactionID"] ?? "none")"), "\(text)")
        let again = try send(second.nexo, "Payment", "1", payment)
        #expect("\(again)".contains("NotAllowed"), "\(again)")
        let after = try curl(second.stripe + "/v1/payment_intents/\(intent)")
        #expect(after["latest_charge"] as? String == before["latest_charge"] as? String, "\(after)")
        #expect(after["status"] as? String == "succeeded")
        second.child.send(SIGTERM)
        #expect(try second.child.result().status == 0)
        let list = try Program.run(["payments", "list", "--database", scratch.database], in: scratch)
        #expect(list.output.contains("P000002") && !list.output.contains("P000003"), "\(list.output)")
    }

    @Test func `a completion that was refused stays so after a restart, also when another charged the hold`() throws {
        let first = try start()
        let amounts = #""PaymentTransaction":{"AmountsReq":{"Currency":"USD","RequestedAmount":12.5}"#
        let sale = #""SaleData":{"SaleTransactionID":{"TransactionID":"order-17","TimeStamp":"x"}}"#
        let hold = try send(
            first.nexo, "Payment", "1",
            #"{\#(sale),\#(amounts)},"PaymentData":{"PaymentType":"FirstReservation"}}"#)
        let poi = try #require((hold["POIData"] as? [String: Any])?["POITransactionID"] as? [String: Any], "\(hold)")
        let original = #""OriginalPOITransaction":{"POITransactionID":{"TransactionID":"\#(poi["TransactionID"] ?? "")"#
        let completion = """
            {\(sale),\(amounts),\(original)","TimeStamp":"x"}}},"PaymentData":{"PaymentType":"Completion"}}
            """
        #expect("\(try send(first.nexo, "Payment", "2", completion))".contains("Success"))
        first.child.send(SIGKILL)
        _ = try first.child.result()

        // As after a refusal of this message, and another one that charged the hold.
        let script = """
            import sqlite3, sys
            database = sqlite3.connect(sys.argv[1])
            changed = database.execute(
                "UPDATE tillRequest SET ending = 'failed notReversible' WHERE name LIKE '%/2/%'").rowcount
            database.commit()
            print(changed)
            """
        let update = ["python3", "-c", script, scratch.database]
        #expect(try Child(program: "/usr/bin/env", update, in: scratch).result().output == "1\n")
        let second = try start()
        let status = try send(
            second.nexo, "TransactionStatus", "3",
            #"{"MessageReference":{"MessageCategory":"Payment","SaleID":"T1","ServiceID":"2"}}"#)
        let repeated = try #require(status["RepeatedMessageResponse"] as? [String: Any], "\(status)")
        #expect("\(repeated)".contains("Failure") && !"\(repeated)".contains("Success"), "\(repeated)")
        second.child.send(SIGTERM)
        #expect(try second.child.result().status == 0)
    }

    @Test func `a reversal that does not reach the host says so, and the next one gives the money back`() throws {
        func acquirer(_ address: String) throws -> (child: Child, address: String) {
            let arguments = ["--profile", "iso87-ascii", "--ledger", scratch.file("acquirer.sqlite"), "--seed", "1"]
            let child = try Child(["simulate", "acquirer", "--listen", address] + arguments, in: scratch)
            #expect(child.wait { child.output.contains("\n") }, "\(child.errorOutput)")
            let line = try #require(child.output.split(separator: "\n").first)
            return (child, String(try #require(line.split(separator: " ").last)))
        }
        let host = try acquirer("127.0.0.1:0")
        let settings = "host:\n  kind: iso8583\n  address: \(host.address)\n  profile: iso87-ascii\n"
        let terminal = try start(["--config", try scratch.write(settings, to: "till.yaml")])
        let paid = try send(terminal.nexo, "Payment", "1", payment)
        let poi = try #require((paid["POIData"] as? [String: Any])?["POITransactionID"] as? [String: Any], "\(paid)")
        let original = #"{"POITransactionID":{"TransactionID":"\#(poi["TransactionID"] ?? "")","TimeStamp":"x"}}"#
        let reversal = #"{"OriginalPOITransaction":\#(original),"ReversalReason":"MerchantCancel"}"#
        host.child.send(SIGKILL)
        _ = try host.child.result()
        let refused = try send(terminal.nexo, "Reversal", "2", reversal)
        #expect("\(refused)".contains("UnreachableHost"), "\(refused)")
        let again = try acquirer(host.address)
        // The till waits a moment before it connects to a host again that it could not reach.
        var reversed = refused
        for number in 3..<1000 where "\(reversed)".contains("UnreachableHost") {
            reversed = try send(terminal.nexo, "Reversal", "\(number)", reversal)
        }
        #expect("\(reversed)".contains("Success"), "\(reversed)")
        for child in [terminal.child, again.child] {
            child.send(SIGTERM)
            _ = try child.result()
        }
    }

    @Test func `an encrypted message is not taken again after a kill`() throws {
        // What another program encrypted with the passphrase and the nonce 00 to 0F: a Diagnosis of this terminal.
        let header = """
            {"ProtocolVersion":"3.0","MessageClass":"Service","MessageCategory":"Diagnosis","MessageType":"Request",\
            "ServiceID":"0000000001","SaleID":"TILL1","POIID":"P400Plus-000000001"}
            """
        let blob = """
            pBxSjGMrY7nVMluofgHR3+6fOo/7JLnfj2Hptcd+r4Cfdp5Z0XzpWiI4g94I6IAnasA44ayviBe4mI4G2l6feLBdeOYyDE2eOCLcm2DBiO\
            Q4z4y6X2AEQhihAxS8e2uGZFvqkE8EKD/xEQmO5DEp2EBkHVrMP0ExWmaaMsvd4Uw4CZF8ZG3vaFZf6t9kPE8uMInMV4faLh7+eQOLTA61\
            LjR1t/UihOEFePPp+HmHg42mNnrm6rSs0LTZeb75B6+yfL5rdXPOHm/5Y7JxDWETzdVUiRi6W9uAP8ob7fXKUBJ/ADO0yp2FDFpxLE41b1\
            n1AnU/ZI6gJy7n9F5tVW8Sx0UIhMeXM7IykQC/zSzjW0I=
            """
        let trailer = """
            {"AdyenCryptoVersion":1,"KeyIdentifier":"till","KeyVersion":1,"Nonce":"AAECAwQFBgcICQoLDA0ODw==",\
            "Hmac":"SxdpVfPvqgFitZc1xCAv8XQ1jbCYY9OwShEHbFEDvhw="}
            """
        let message = """
            {"SaleToPOIRequest":{"MessageHeader":\(header),"NexoBlob":"\(blob)","SecurityTrailer":\(trailer)}}
            """
        let more = [
            "--passphrase-file", try scratch.write("correct horse battery\n", to: "passphrase"), "--key-identifier",
            "till",
        ]
        for answer in ["SaleToPOIResponse", "crypto error", "crypto error"] {
            let terminal = try start(more, poi: "P400Plus-000000001")
            #expect("\(try curl("-d", message, terminal.nexo + "/nexo/"))".contains(answer))
            terminal.child.send(SIGKILL)
            _ = try terminal.child.result()
        }
    }

    @Test func `without its card reader, a terminal says so in each protocol`() throws {
        // No bus has this port.
        let child = try Child(
            [
                "terminal", "--protocol", "nexo", "--protocol", "zvt", "--port", "0", "--port", "0", "--http-port", "0",
                "--json", "--reader", "usb:99-99", "--terminal", "V400m-1", "--database", scratch.database,
            ], in: scratch)
        #expect(child.wait { child.output.hasSuffix("}\n") })
        let terminals = try #require(try object(child.output)["terminals"] as? [[String: Any]])
        let nexo = try #require(terminals.first?["http"] as? String)
        let status = try send(nexo, "Diagnosis", "1", "{}")["POIStatus"] as? [String: Any]
        #expect(status?["GlobalStatus"] as? String == "Maintenance", "\(status ?? [:])")
        #expect(status?["CardReaderOKFlag"] as? Bool == false)
        let address = try #require(terminals.last?["address"] as? String)
        let till = """
            import socket, sys
            host, port = sys.argv[1].rsplit(":", 1)
            till = socket.create_connection((host, int(port)), timeout=300)
            till.sendall(bytes.fromhex("0501050000000302"))
            answer = b""
            while len(answer) < 7: answer += till.recv(100)
            print(answer.hex())
            """
        let answer = try Child(program: "/usr/bin/env", ["python3", "-c", till, address], in: scratch).result().output
        #expect(answer == "800000060f01e2\n")
        child.send(SIGTERM)
        #expect(try child.result().status == 0)
    }

    @Test(arguments: [
        (["zvt"], [], "add --tls"), (["nexo"], ["--tls", "c"], "add --passphrase-file"),
        (["nexo", "stripe"], [], "add --tls, and --key or --key-env, and --passphrase-file"),
    ])
    func `other machines need TLS and the secret of each protocol`(
        _ protocols: [String], _ more: [String], _ rest: String
    ) throws {
        let arguments = ["terminal", "--host", "0.0.0.0", "--database", scratch.database]
        let result = try Program.run(arguments + protocols.flatMap { ["--protocol", $0] } + more, in: scratch)
        #expect(result.status == 64)
        #expect(result.error.contains("0.0.0.0 is open to other machines: \(rest)\n"), "\(result.error)")
    }

    @Test(arguments: [
        (["--protocol", "zvt", "--key", "k"], "--key and --key-env require --protocol stripe"),
        (["--protocol", "zvt", "--passphrase-file", "p"], "require --protocol nexo"),
        (["--protocol", "zvt", "--protocol", "zvt"], "--protocol names one twice"),
        (["--protocol", "zvt", "--port", "1", "--port", "2"], "there are more --port than --protocol"),
        (["--protocol", "nexo", "--terminal", "x"], "is not the ID of a terminal"),
    ])
    func `options that no protocol takes are refused`(_ arguments: [String], _ words: String) throws {
        let result = try Program.run(["terminal", "--database", scratch.database] + arguments, in: scratch)
        #expect(result.status == 64 && result.error.contains(words), "\(result.error)")
    }
}
