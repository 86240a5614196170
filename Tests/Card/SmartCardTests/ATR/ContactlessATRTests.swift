import SmartCard
import Testing

/// Answers to reset of contactless readers (PC/SC part 3 §3.1.3.2.3).
@Suite struct ContactlessATRTests {
    @Test(arguments: [
        ("3B80800101", ""), ("3B8180018080", "80"), ("3B8880011C2D9411F7718500BE", "1C2D9411F7718500"),
    ])
    func `a card that takes APDUs is recognized, with its historical bytes`(answer: String, historical: String) {
        #expect(ContactlessATR(bytes(answer)) == .card(historicalBytes: bytes(historical)))
    }

    @Test func `a storage card is recognized, with its name`() throws {
        let answer = bytes("3B8F8001804F0CA000000306030001000000006A")
        guard case .storage(let card) = try #require(ContactlessATR(answer)) else {
            Issue.record("not a storage card")
            return
        }
        #expect(card == StorageCard(standard: 0x03, number: 0x0001))
        #expect(card.description == "MIFARE Classic 1K")
    }

    @Test(arguments: [
        "", "3B", "3B600000", "3B80800102", "3B818001", "3B8180018001", "3F80800101", "3B80810100",
        "3BE000008131204535", "3B8180018080FF",
    ])
    func `other answers are those of cards with contacts`(answer: String) {
        #expect(ContactlessATR(bytes(answer)) == nil)
    }
}
