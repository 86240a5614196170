import Foundation
import Glibc
import Testing

/// `pay --record` at a reader of a real pcscd, with a card of which the paying program knows nothing.
@Suite("A payment recorded at a real reader")
struct RealReaderRecordingTests {
    private let scratch: Scratch
    private let virtual: VirtualReader

    init() throws {
        scratch = try Scratch()
        virtual = try VirtualReader(isForThisProcess: false)
    }

    private var file: String { scratch.file("field.yaml") }

    private func start(_ more: [String] = []) throws -> Child {
        try Child(
            [
                "pay", "12.50", "--reader", "pcsc:" + VirtualReader.name, "--database", scratch.database, "--json",
                "--record", file,
            ] + more, in: scratch, environment: virtual.environment)
    }

    /// Pulls the card out when the payment has taken its power away.
    private func pullWhenDone(_ card: Child, cryptograms: Int = 2) throws {
        let isDone = card.wait {
            let events = card.output.split(separator: "\n")
            return events.count { $0.contains(#""ins":"AE""#) } == cryptograms
                && events.last?.contains("powerOff") == true
        }
        #expect(isDone, "\(card.output)")
        card.send(SIGTERM)
        _ = try card.result()
    }

    private func replay() throws -> String {
        let result = try Program.run(["simulate", "run", file], in: scratch)
        #expect(result.status == 0, "\(result.output)\(result.error)")
        let text = try scratch.text("field.yaml")
        for number in ["4761739001010010", "4761739001010085", "4761739001010036"] {
            #expect(!text.contains(number))
        }
        return text
    }

    @Test(
        "it is approved again without the card, and the file lists the masked data",
        arguments: ["visa-credit", "visa-dda"])
    func approved(profile: String) throws {
        let paying = try start()
        try pullWhenDone(try virtual.card(profile, in: scratch))
        let result = try paying.result()
        #expect(result.status == 0, "\(result.error)")
        let text = try replay()
        #expect(text.contains("recorded:") && text.contains("**") && text.contains("outcome: approved"), "\(text)")
        #expect(text.contains("authenticationData:"))
    }

    @Test("a removed card is removed again at the same command")
    func removed() throws {
        let card = try virtual.card("removed-early", ["--once"], in: scratch)
        let result = try start().result()
        #expect(result.status == 5)
        _ = try card.result()
        let text = try replay()
        #expect(text.contains("e: removed") && text.contains("error: card_removed"), "\(text)")
    }

    @Test("a card that refuses GENERATE AC refuses it again")
    func refused() throws {
        let card = try virtual.card("declined-offline", in: scratch)
        let paying = try start()
        try pullWhenDone(card, cryptograms: 1)
        let result = try paying.result()
        #expect(try result.object()["outcome"] as? String == "declined", "\(result.output)")
        let text = try replay()
        #expect(text.contains("outcome: declined"), "\(text)")
    }
}
