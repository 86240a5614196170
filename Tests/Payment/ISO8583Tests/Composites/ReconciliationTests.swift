import Testing
import Text

@testable import ISO8583

@Suite struct ReconciliationTests {
    @Test func `the net amount has its sign, and in 2003 its currency`() throws {
        let debit = NetAmount(SignedAmount(.debit, 2100), currency: "978", exponent: 2)
        #expect(debit.text(.v1987) == "D0000000000002100")
        #expect(debit.text(.v1993) == "D0000000000002100")
        #expect(debit.text(.v2003) == "D97820000000000002100")
        #expect(NetAmount(SignedAmount(.credit, 5)).text(.v1987) == "C0000000000000005")
        #expect(NetAmount(SignedAmount(.credit, 5)).text(.v2003) == nil)
        #expect(NetAmount("D97820000000000002100", .v2003) == debit)
        #expect(NetAmount("D0000000000002100", .v1987) == NetAmount(SignedAmount(.debit, 2100)))
        for text in ["", "X0000000000002100", "D000000000000210", "D00000000000021OO", "D97820000000000002100"] {
            #expect(NetAmount(text, .v1987) == nil)
        }
        #expect(NetAmount("D0000000000002100", .v2003) == nil)
    }

    @Test func `field 74 of 2003 has six numbers and amounts in 78 bytes`() throws {
        let data = ReconciliationData(
            credits: .init(number: 1, amount: 400), debits: .init(number: 3, amount: 3750),
            debitReversals: .init(number: 1, amount: 1250))
        let bytes = try #require(data.bytes)
        #expect(bytes.count == 78)
        #expect(
            bytes
                == hex(
                    """
                    0000000001 0000000000000400 0000000000 0000000000000000 0000000003 0000000000003750
                    0000000001 0000000000001250 0000000000 0000000000000000 0000000000 0000000000000000
                    """))
        #expect(ReconciliationData(bytes) == data)
        #expect(ReconciliationData(Array(bytes.dropLast())) == nil)
        #expect(ReconciliationData([0xA0] + bytes.dropFirst()) == nil)
        #expect(ReconciliationData(credits: .init(number: 10_000_000_000)).bytes == nil)
        #expect(ReconciliationData(credits: .init(amount: -1)).bytes == nil)
    }
}
