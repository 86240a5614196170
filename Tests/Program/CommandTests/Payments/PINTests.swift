import Foundation
import Testing

/// Where a PIN is entered, and how `pay` reports it.
@Suite("PIN")
struct PINTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func pay(_ arguments: String...) throws -> ProgramResult {
        try Program.run(["pay", "5"] + arguments + ["--database", scratch.database, "--json"], in: scratch)
    }

    private func payment(_ result: ProgramResult) throws -> [String: Any] {
        try #require(try result.object()["payment"] as? [String: Any])
    }

    @Test(arguments: ["tpdu", "pinpad"])
    func `a plaintext PIN is recorded as such, wherever it was entered`(model: String) throws {
        let trace = scratch.file("trace-\(model).jsonl")
        let result = try pay("--reader", "simulated:\(model)", "--card", "pin-required", "--trace", trace)
        #expect(result.status == 0)
        #expect(try payment(result)["cvm"] as? String == "offline_pin")
        #expect(try payment(result)["cvmDescription"] as? String == "offline PIN, plaintext")
        let lines = try String(contentsOfFile: trace, encoding: .utf8)
        #expect(lines.contains(#"{"c":"0020008008****************","r":"9000"}"#))
        #expect(!lines.contains("241234"))
    }

    @Test(arguments: ["tpdu", "pinpad"])
    func `an enciphered PIN is recorded as such`(model: String) throws {
        let result = try pay("--reader", "simulated:\(model)", "--card", "pin-enciphered")
        #expect(result.status == 0)
        #expect(try payment(result)["cvm"] as? String == "offline_pin")
        #expect(try payment(result)["cvmDescription"] as? String == "offline PIN, enciphered")
    }

    @Test(arguments: ["tpdu", "pinpad"])
    func `a PIN from the command line is entered once, and a wrong one is a decline that says so`(
        model: String
    ) throws {
        let right = try pay("--reader", "simulated:\(model)", "--card", "pin-required", "--pin", "1234")
        #expect(right.status == 0)
        #expect(try payment(right)["pinTriesLeft"] == nil)
        let wrong = try pay("--reader", "simulated:\(model)", "--card", "pin-required", "--pin", "9999")
        #expect(wrong.status == 2)
        #expect(try wrong.object()["outcome"] as? String == "declined")
        let details = try payment(wrong)
        #expect(details["pinTriesLeft"] as? Int == 2 && details["brand"] as? String == "visa")
        #expect((details["last4"] as? String)?.count == 4)
        let error = try #require(try wrong.object()["error"] as? [String: Any])
        #expect(error["code"] as? String == "wrong_pin")
        #expect(error["message"] as? String == "declined: wrong PIN, 2 tries left")
        let receipt = try Program.run(
            ["receipts", "render", "P000002", "--locale", "de", "--database", scratch.database], in: scratch)
        #expect(receipt.status == 0 && receipt.output.contains("Falsche PIN"))
    }

    @Test func `the reader asks for a PIN in the language that the card chose`() throws {
        let application = """
                languages: de
                cardholderVerification:
                  rules:
                    - { method: plaintextPIN, when: always, otherwise: fail }
                pin: { value: "1234", tryLimit: 3 }

            """
        let card = try scratch.write(PayTests.card(account: application), to: "card.yaml")
        let file = try scratch.write("receipt: { languages: [de] }\n", to: "till.yaml")
        let child = try Child(
            [
                "pay", "5", "--card", card, "--reader", "simulated:pinpad", "--pin", "9999", "--config", file,
                "--database", scratch.database,
            ], in: scratch, onTerminal: true)
        let result = try child.result()
        #expect(result.status == 2)
        let shown = """
            Der Karteninhaber wird geprüft …
            PIN am Lesegerät eingeben …
            Falsche PIN. Noch 2 Versuche.
            PIN am Lesegerät eingeben …
            Karte entnehmen.
            Zahlung abgelehnt.

            """
        #expect(result.error.contains(shown), "\(result.error)")
        // The error is for the clerk.
        #expect(result.error.contains("declined: wrong PIN"))
    }

    @Test(arguments: ["tdes", "aes"])
    func `the issuer deciphers the PIN with either scheme`(scheme: String) throws {
        let file = try scratch.write("terminal: { pin: { scheme: \(scheme) } }\n", to: "till.yaml")
        let result = try pay("--card", "online-pin", "--config", file)
        #expect(result.status == 0)
        #expect(try payment(result)["cvm"] as? String == "online_pin")
        #expect(try payment(result)["cvmDescription"] as? String == "online PIN")
        let wrong = try pay("--card", "online-pin", "--config", file, "--pin", "9999")
        #expect(wrong.status == 2)
    }

    @Test func `if PINs must be entered at the reader, a reader without keys takes no PIN`() throws {
        let file = try scratch.write("terminal: { pin: { entry: reader } }\n", to: "till.yaml")
        #expect(try pay("--reader", "simulated:pinpad", "--card", "pin-required", "--config", file).status == 0)
        let without = try pay("--card", "pin-required", "--config", file)
        #expect(try payment(without)["cvm"] as? String != "offline_pin")
        let emv = try #require(try without.object()["emv"] as? [String: Any])
        // Not successful; PIN required, and no PIN pad.
        #expect((emv["tvr"] as? String)?.dropFirst(4).prefix(2) == "90")
    }
}
