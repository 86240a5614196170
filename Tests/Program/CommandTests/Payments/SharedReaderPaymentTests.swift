import Foundation
import Glibc
import Testing

/// `--reader pcsc` with a real pcscd, its virtual reader, and the simulated card in it.
@Suite("A payment at a reader shared through pcscd")
struct SharedReaderPaymentTests {
    private let scratch: Scratch
    private let virtual: VirtualReader

    init() throws {
        scratch = try Scratch()
        virtual = try VirtualReader(isForThisProcess: false)
    }

    private func start(_ arguments: [String], onTerminal: Bool = false) throws -> Child {
        try Child(arguments, in: scratch, environment: virtual.environment, onTerminal: onTerminal)
    }

    private func pay(_ more: [String] = [], reader: String = "pcsc:" + VirtualReader.name) -> [String] {
        ["pay", "12.50", "--reader", reader, "--database", scratch.database, "--json"] + more
    }

    private func error(_ result: ProgramResult) throws -> [String: String] {
        try #require(try result.object()["error"] as? [String: String])
    }

    /// Pulls the card out when the payment has taken its power away.
    private func pullWhenDone(_ card: Child) throws {
        let isDone = card.wait {
            let events = card.output.split(separator: "\n")
            return events.count { $0.contains(#""ins":"AE""#) } == 2 && events.last?.contains("powerOff") == true
        }
        #expect(isDone, "\(card.output)")
        card.send(SIGTERM)
        #expect(try card.result().status == 0)
    }

    @Test(arguments: ["visa-credit", "t1-card"])
    func `is approved and recorded, has a receipt, and does not reveal the card number`(profile: String) throws {
        let paying = try start(pay(["--trace", scratch.file("trace")]))
        try pullWhenDone(try virtual.card(profile, in: scratch))
        let result = try paying.result()
        #expect(result.status == 0, "\(result.error)")
        let paid = try result.object()
        #expect(paid["outcome"] as? String == "approved")
        #expect((paid["payment"] as? [String: Any])?["state"] as? String == "captured")
        #expect((paid["emv"] as? [String: Any])?["cryptogramType"] as? String == "TC")
        let receipt = try Program.run(["receipts", "show", "P000001", "--database", scratch.database], in: scratch)
        #expect(receipt.output.contains("SALE\n") && receipt.output.contains("$12.50"))
        let records = try Records(of: scratch)
        #expect(records.states == ["captured"])
        records.expectTruth()
        for (name, bytes) in try scratch.everything() {
            for number in ["4761739001010010", "4761739001010085"] {
                #expect(bytes.range(of: Data(number.utf8)) == nil, "\(name)")
                #expect(!result.output.contains(number))
            }
        }
    }

    @Test func `a card that is removed before authorization: nothing is charged`() throws {
        let card = try virtual.card("removed-early", ["--once"], in: scratch)
        let result = try start(pay()).result()
        #expect(result.status == 5)
        #expect(try error(result)["code"] == "card_removed")
        _ = try card.result()
        let records = try Records(of: scratch)
        #expect(records.states == ["failed"])
        records.expectTruth()
    }

    @Test func `a card that is removed after the approval: the payment is reversed`() throws {
        let card = try virtual.card("removed-after-approval", ["--once"], in: scratch)
        let result = try start(pay()).result()
        #expect(result.status == 5, "\(result.output)")
        _ = try card.result()
        let records = try Records(of: scratch)
        #expect(records.states == ["reversed"])
        records.expectTruth()
    }

    /// The lengths of the lines of a trace, line breaks counted, and the place of the first cryptogram.
    private func exchanges() throws -> (lengths: [Int], cryptogram: Int) {
        let path = scratch.file("whole")
        let database = scratch.file("other.sqlite")
        _ = try Program.run(["pay", "12.50", "--trace", path, "--database", database], in: scratch)
        let lines = try scratch.text("whole").split(separator: "\n")
        let cryptogram = try #require(lines.firstIndex { $0.contains(#"{"c":"80AE"#) })
        return (lines.map { $0.utf8.count + 1 }, cryptogram)
    }

    @Test(arguments: [false, true])
    func `pcscd stops during the payment: the payment fails, and nothing stays charged`(isLate: Bool) throws {
        let (lengths, cryptogram) = try exchanges()
        let pipe = try TracePipe(in: scratch, room: lengths.prefix(isLate ? cryptogram : 3).reduce(0, +))
        let card = try virtual.card("visa-credit", in: scratch)
        let paying = try start(pay(["--trace", pipe.path]))
        try pipe.waitUntilFull(paying)
        virtual.stop()
        pipe.drain(paying)
        let result = try paying.result()
        #expect(result.status == 5, "\(result.output)")
        let error = try error(result)
        #expect(error["message"]?.contains("pcscd") == true, "\(error)")
        #expect(error["code"] == "reader_failed")
        card.send(SIGTERM)
        _ = try card.result()
        let records = try Records(of: scratch)
        #expect(records.states == [isLate ? "reversed" : "failed"])
        records.expectTruth()
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `is canceled at once while it waits for a card`(signal: Int32) throws {
        let paying = try start(pay(["--timeout", "3600"]), onTerminal: true)
        try paying.read(until: "card")
        paying.send(signal)
        let result = try paying.result()
        #expect(result.status == 3)
        #expect(try result.object()["outcome"] as? String == "cancelled")
        let records = try Records(of: scratch)
        #expect(records.states == ["cancelled"])
        records.expectTruth()
    }

    @Test func `without a card in time it fails`() throws {
        let result = try start(pay(["--timeout", "1"])).result()
        #expect(result.status == 5)
        #expect(try error(result)["code"] == "card_timeout")
    }

    // MARK: Names

    @Test func `a unique part of the reader's name is sufficient, ignoring case`() throws {
        let card = try virtual.card("visa-credit", in: scratch)
        let shown = try start(["readers", "info", "RESENT 00 00", "--pcsc"]).result()
        #expect(
            shown.output.hasPrefix(
                """
                CardPresent 00 00
                  id            pcsc:CardPresent 00 00
                  level         PC/SC
                  slots         1
                  inputs        insert
                  card          
                """), "\(shown.output)\(shown.error)")
        card.send(SIGTERM)
        _ = try card.result()
        let ambiguous = try start(pay(reader: "pcsc:CardPresent")).result()
        #expect(ambiguous.status == 64)
        #expect(try error(ambiguous)["code"] == "reader_ambiguous")
        #expect(
            try error(ambiguous)["fix"] == "use more of the name: CardPresent 00 00, CardPresent 00 01")
        let unknown = try start(pay(reader: "pcsc:CardPresent 00 02")).result()
        #expect(unknown.status == 5)
        #expect(try error(unknown)["code"] == "reader_not_found")
        #expect(try error(unknown)["fix"]?.contains("readers: CardPresent 00 00, CardPresent 00 01") == true)
        // Nothing was begun.
        #expect(try Records(of: scratch).payments.isEmpty)
    }

    @Test func `the readers of pcscd are listed, completed and watched`() throws {
        let listed = try start(["readers", "list", "--pcsc"]).result()
        #expect(
            listed.output == """
                ID                      NAME               PROPERTIES
                pcsc:CardPresent 00 00  CardPresent 00 00  PC/SC, 1 slot
                pcsc:CardPresent 00 01  CardPresent 00 01  PC/SC, 1 slot

                """)
        let told = try start(["readers", "list", "--pcsc", "--json"]).result().list()
        #expect(told.map { $0["readerType"] as? String } == ["pcsc", "pcsc"])
        #expect(told.allSatisfy { $0["usbID"] == nil })
        let completed = try start([
            "---completion", "pay", "--", "--reader", "3", "0", "cardpresent", "pay", "--reader", "",
        ]).result()
        #expect(completed.output.split(separator: "\n").contains("pcsc:CardPresent 00 01"), "\(completed)")

        let watching = try start(["readers", "watch", "--pcsc"])
        #expect(watching.wait { watching.output.split(separator: "\n").count == 2 })
        virtual.stop()
        #expect(watching.wait { watching.output.split(separator: "\n").count == 4 })
        watching.send(SIGINT)
        let watched = try watching.result()
        #expect(watched.status == 0)
        #expect(
            watched.output.split(separator: "\n").map { $0.split(separator: " ").first } == [
                "present", "present", "left", "left",
            ])
    }

    @Test(arguments: [
        ["pay", "12.50", "--reader", "pcsc", "--json"], ["readers", "list", "--pcsc", "--json"],
        ["readers", "info", "--pcsc", "--json"], ["readers", "watch", "--pcsc", "--json"],
    ])
    func `without pcscd there is an error that says how to start it`(arguments: [String]) throws {
        virtual.stop()
        let database = arguments[0] == "pay" ? ["--database", scratch.database] : []
        let result = try start(arguments + database).result()
        #expect(result.status == 69)
        #expect(
            try error(result) == [
                "code": "not_available", "message": "pcscd is not running (SCARD_E_NO_SERVICE)",
                "fix": "sudo systemctl start pcscd",
            ])
    }
}
