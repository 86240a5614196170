import Foundation
import Glibc
import Testing

/// A debugger's core dumps of `pay` at a reader of a real pcscd. The card is in another process. A dump of the debug
/// build has half a gigabyte, so that there is one at a time.
@Suite("A core dump of a payment", .serialized, .enabled(if: CoreDump.isPossible, "needs root and gdb"))
struct CoreDumpTests {
    private let scratch: Scratch
    private let virtual: VirtualReader

    /// In the environment of the payment, so that a dump without it would not be one of all its memory.
    private static let planted = "0123PLANTED9876"
    /// A card that only its own process knows. The issuer declines it.
    private static let unknownPAN = "4761735829641705"
    private static let longPIN = "739157284615"

    init() throws {
        scratch = try Scratch()
        virtual = try VirtualReader(isForThisProcess: false)
    }

    /// The length of the lines of the trace before the first cryptogram, line breaks counted.
    private func linesBeforeCryptogram(_ card: String, pin: String) throws -> Int {
        let path = scratch.file("whole")
        _ = try Program.run(
            [
                "pay", "12.50", "--card", card, "--pin", "-", "--trace", path, "--database",
                scratch.file("other.sqlite"),
            ], in: scratch, input: pin + "\n")
        let lines = try scratch.text("whole").split(separator: "\n")
        let cryptogram = try #require(lines.firstIndex { $0.contains(#"{"c":"80AE"#) })
        return lines.prefix(cryptogram).reduce(0) { $0 + $1.utf8.count + 1 }
    }

    /// A payment that stands still, because its trace is not read, after card and PIN were read and before the first
    /// cryptogram.
    private struct Halted {
        let card: Child
        let paying: Child
        let pipe: TracePipe
    }

    private func halt(_ card: String, pin: String) throws -> Halted {
        let pipe = try TracePipe(in: scratch, room: try linesBeforeCryptogram(card, pin: pin))
        let inserted = try virtual.card(card, in: scratch)
        let paying = try Child(
            [
                "pay", "12.50", "--reader", "pcsc:" + VirtualReader.name, "--database", scratch.database, "--json",
                "--pin", "-", "--trace", pipe.path,
            ], in: scratch, input: pin + "\n", environment: virtual.environment.merging(["NOTE": Self.planted]) { $1 })
        try pipe.waitUntilFull(paying)
        return Halted(card: inserted, paying: paying, pipe: pipe)
    }

    private func expectNoSecret(of paying: Child, _ forms: CardSecretForms, isStopped: Bool = false) throws {
        let core = try CoreDump(of: paying, in: scratch, isStopped: isStopped)
        #expect(core.dumpable == (isStopped ? nil : 0))
        #expect(core.contains(Array(Self.planted.utf8)))
        #expect(forms.found(in: core) == [])
        let limits = try String(contentsOfFile: "/proc/\(paying.process)/limits", encoding: .utf8)
        let row = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
        #expect(row?.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
    }

    @Test func `has neither the number nor the PIN of a card, before and after the issuer approves`() throws {
        let forms = CardSecretForms(pan: "4761739001010051", pin: "1234")
        let payment = try halt("online-pin", pin: "1234")
        let (card, paying) = (payment.card, payment.paying)
        try expectNoSecret(of: paying, forms)
        // The number is needed here, and stands in protected memory only.
        let whole = forms.found(in: try CoreDump(of: paying, in: scratch, isWhole: true))
        #expect(whole.contains("PAN, two digits a byte"), "\(whole)")

        var isDone = false
        payment.pipe.drain(paying) {
            let events = card.output.split(separator: "\n")
            isDone =
                events.count { $0.contains(#""ins":"AE""#) } == 2 && events.last?.contains("powerOff") == true
                && paying.isAsleep
            return isDone
        }
        #expect(isDone, "\(card.output)")
        // The payment waits for the card to be removed, but not for long. While it is stopped, it can't end, however
        // much time the debugger takes. Protected memory soon has nothing of the card either.
        paying.send(SIGSTOP)
        try expectNoSecret(of: paying, forms, isStopped: true)
        var left: [String] = []
        for _ in 0..<10 {
            left = forms.found(in: try CoreDump(of: paying, in: scratch, isWhole: true, isStopped: true))
            if left.isEmpty { break }
            paying.send(SIGCONT)
            _ = paying.wait { paying.isAsleep }
            paying.send(SIGSTOP)
        }
        paying.send(SIGCONT)
        #expect(left == [])
        card.send(SIGTERM)
        _ = try card.result()
        #expect(try paying.result().object()["outcome"] as? String == "approved")
    }

    @Test func `has neither the number of a card that is in no library nor the PIN that the card verified`() throws {
        let profile = try scratch.write(
            """
            name: unknown
            description: A card that is in no library
            applications:
              - aid: A0000000031010
                label: VISA DEBIT
                priority: 1
                pan: \(Self.unknownPAN)
                panSequenceNumber: 1
                expiry: 2035-12-31
                issuerCountry: 840
                currency: USD
                usage: [everything]
                cardholderVerification:
                  rules:
                    - { method: plaintextPIN, when: always, otherwise: fail }
                cryptogram: cvn18
                pin:
                  value: "\(Self.longPIN)"
                  tryLimit: 3
            account:
              available: 5000.00

            """, to: "unknown.yaml")
        let payment = try halt(profile, pin: Self.longPIN)
        try expectNoSecret(of: payment.paying, CardSecretForms(pan: Self.unknownPAN, pin: Self.longPIN))
        payment.pipe.drain(payment.paying)
        #expect(try payment.paying.result().object()["outcome"] as? String == "declined")
        payment.card.send(SIGTERM)
        _ = try payment.card.result()
    }

    @Test func `is searched for every form in which a card's number and PIN can stand`() throws {
        let forms = CardSecretForms(pan: Self.unknownPAN, pin: Self.longPIN)
        for (form, bytes) in forms.forms {
            // The arguments of a program are in its memory, as bytes but for zero, which ends them.
            guard !bytes.contains(0), !form.contains("a digit a byte") else { continue }
            let word = bytes.map { "\\x" + String(format: "%02x", $0) }.joined()
            let sleeping = try Child(program: "/bin/bash", ["-c", "exec -a $'\(word)' sleep 60"], in: scratch)
            let name = "/proc/\(sleeping.process)/comm"
            #expect(
                sleeping.wait {
                    sleeping.isAsleep && (try? String(contentsOfFile: name, encoding: .utf8)) == "sleep\n"
                })
            #expect(forms.found(in: try CoreDump(of: sleeping, in: scratch)).contains(form))
            sleeping.send(SIGKILL)
            _ = try sleeping.result()
        }
    }
}
