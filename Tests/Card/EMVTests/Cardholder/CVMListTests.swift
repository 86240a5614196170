import Determinism
import Testing

@testable import EMV

struct CVMListTests {
    private let all = TerminalCapabilities(bytes: bytes("20F800")) ?? []

    private func circumstances(
        attended: Bool = true, kind: TransactionRequest.Kind = .goodsOrServices, cashback: Bool = false,
        amount: Int64 = 1_000, sameCurrency: Bool = true
    ) -> CVMCircumstances {
        CVMCircumstances(
            isAttended: attended, kind: kind, hasCashback: cashback, amount: amount,
            isInApplicationCurrency: sameCurrency, capabilities: all)
    }

    /// The condition codes 00...09 that hold.
    private func holding(_ circumstances: CVMCircumstances) throws -> [UInt8] {
        let list = try #require(CVMList(bytes("000003E8 000007D0 1F00")))
        return (0...0x20).filter { circumstances.satisfy(CVMRule(methodByte: 0x1E, conditionByte: $0), in: list) }
    }

    // EMV Book 3 annex C3: each condition code of the CVM list holds in the payments that it names
    // EMV Book 3 §10.5: conditions on the amount hold only in the application's currency
    @Test func `conditions hold by kind of payment, attendance and amount`() throws {
        #expect(try holding(circumstances(amount: 999)) == [0, 2, 3, 6, 8])
        #expect(try holding(circumstances(amount: 1_000)) == [0, 2, 3, 8])
        #expect(try holding(circumstances(amount: 1_500)) == [0, 2, 3, 7, 8])
        #expect(try holding(circumstances(amount: 2_000)) == [0, 2, 3, 7])
        #expect(try holding(circumstances(amount: 2_001)) == [0, 2, 3, 7, 9])
        #expect(try holding(circumstances(amount: 2_001, sameCurrency: false)) == [0, 2, 3])
        #expect(try holding(circumstances(kind: .cash, sameCurrency: false)) == [0, 3, 4])
        #expect(try holding(circumstances(attended: false, kind: .cash, sameCurrency: false)) == [0, 1, 3])
        #expect(try holding(circumstances(kind: .cashback, cashback: true, sameCurrency: false)) == [0, 3, 5])
        #expect(try holding(circumstances(cashback: true, sameCurrency: false)) == [0, 3, 5])
        #expect(try holding(circumstances(kind: .refund, sameCurrency: false)) == [0, 2, 3])
    }

    // EMV Book 3 annex C3: condition 03 holds when the terminal supports the method
    @Test func `condition 03 holds for methods that the terminal supports`() throws {
        let list = try #require(CVMList(bytes("0000000000000000 1F00")))
        var few = circumstances()
        few.capabilities = [.signature, .plaintextOfflinePIN]
        let holding = (0...0x3F).filter { few.satisfy(CVMRule(methodByte: $0, conditionByte: 3), in: list) }
        #expect(holding == [0x00, 0x01, 0x03, 0x1E])
    }

    // EMV Book 3 §10.5: a CVM list is two amounts of four bytes and rules of two
    @Test func `invalid CVM lists are rejected, and none traps`() {
        for count in [0, 7, 9, 11] { #expect(CVMList([UInt8](repeating: 0, count: count)) == nil) }
        #expect(CVMList([UInt8](repeating: 0, count: 8))?.rules.isEmpty == true)
        let random = SeededRandomSource(seed: 4)
        for round in 0..<500 {
            let input = random.bytes(round % 64)
            guard let list = CVMList(input) else { continue }
            #expect(list.rules.count == (input.count - 8) / 2)
        }
    }

    // EMV Book 4 annex A4: the CVM results hold the method, the condition and the result
    @Test(arguments: [
        ("1F0002", CardholderVerificationKind.noCVMRequired), ("5E0300", .signature), ("410302", .plaintextOfflinePIN),
        ("420300", .onlinePIN), ("440302", .encipheredOfflinePIN), ("430300", .plaintextOfflinePINAndSignature),
        ("450300", .encipheredOfflinePINAndSignature), ("3F0000", .notPerformed), ("3F0001", .failed),
        ("410301", .failed),
    ])
    func `CVM results have a name for the receipt`(text: String, expected: CardholderVerificationKind) throws {
        let value = bytes(text)
        let results = CVMResults(
            method: value[0], condition: value[1], result: try #require(CVMResults.Result(rawValue: value[2])))
        #expect(results.verification == expected)
        #expect(results.description == text)
    }
}
