import Foundation
import Testing

@Suite("Payments at contactless readers")
struct TapTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func pay(_ reader: String, _ more: String...) throws -> ProgramResult {
        try Program.run(
            ["pay", "12.50", "--reader", reader, "--seed", "7", "--database", scratch.database, "--json"] + more,
            in: scratch)
    }

    @Test func `a card with contacts alone has to be inserted`() throws {
        let result = try pay("simulated:contactless")
        #expect(result.status == 5)
        let error = try #require(try result.object()["error"] as? [String: Any])
        #expect(error["code"] as? String == "insert_card")
        #expect(error["message"] as? String == "the card cannot pay when it is tapped: insert the card")
        #expect(error["fix"] as? String == "insert the card into a chip card reader")
    }

    @Test(arguments: [[], ["--tap"], ["--insert"]])
    func `such a card pays with its chip where there is a slot, also after a tap`(options: [String]) throws {
        let arguments = ["pay", "12.50", "--reader", "simulated:dual-interface", "--seed", "7", "--json"]
        let result = try Program.run(arguments + ["--database", scratch.database] + options, in: scratch)
        #expect(result.status == 0)
        let payment = try #require(try result.object()["payment"] as? [String: Any])
        #expect(payment["entryMode"] as? String == "chip")
    }

    @Test func `a card is presented in one way, and only by the simulated cardholder`() throws {
        #expect(try pay("simulated:dual-interface", "--tap", "--insert").status == 64)
        #expect(try pay("usb", "--tap").error.contains("require a simulated reader"))
    }
}
