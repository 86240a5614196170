import Determinism
import EMV
import EntryPoint
import Money
import Testing

struct EntryPointConfigurationTests {
    private func money(_ minorUnits: Int64, _ currency: String) throws -> Money {
        try Money(minorUnits: minorUnits, currency: Currency(code: currency))
    }

    @Test(arguments: [0, 4, 17]) func `an AID has 5 to 16 bytes`(count: Int) {
        #expect(throws: EntryPointConfigurationError.aidLength(count)) {
            try ReaderCombination(aid: [UInt8](repeating: 0xA0, count: count), kernel: .kernel2)
        }
    }

    @Test func `limits are in one currency`() throws {
        let (euros, dollars) = (try money(100, "EUR"), try money(100, "USD"))
        #expect(throws: EntryPointConfigurationError.currencies(["EUR", "USD"])) {
            try ContactlessLimits(transaction: dollars, floor: euros)
        }
    }

    @Test func `a set has a combination, and none twice`() throws {
        #expect(throws: EntryPointConfigurationError.noCombination(.refund)) {
            try EntryPointConfiguration(terminal: .standard, combinations: [.refund: []])
        }
        let one = try TestReader.combination()
        #expect(throws: EntryPointConfigurationError.repeatedCombination(aid: one.aid, .kernel2)) {
            try EntryPointConfiguration(terminal: .standard, combinations: [.cash: [one, one]])
        }
    }

    @Test func `a kernel is registered once`() {
        let kernel = KernelRegistration(.kernel2) {
            TestContactlessKernel(identifier: .kernel2, activations: Recorder(), kernels: Recorder())
        }
        #expect(throws: EntryPointConfigurationError.repeatedKernel(.kernel2)) {
            try KernelRegistry([kernel, kernel])
        }
    }

    @Test func `a transaction of an unknown type, or in another currency, is refused before anything happens`() throws {
        var reader = try TestReader()
        let dollars = try TestReader.request(currency: "USD")
        let aid = bytes(TestCard.mastercard)
        #expect(throws: EntryPointError.currency(aid: aid, limits: "EUR", amount: "USD")) {
            try reader.entryPoint.begin(dollars)
        }
        let wrong = try TestReader.request(sequenceCounter: 0)
        #expect(throws: EntryPointError.request(.sequenceCounter)) { try reader.entryPoint.begin(wrong) }
        #expect(reader.entryPoint.phase == .idle)

        let configuration = try EntryPointConfiguration(
            terminal: .standard, combinations: [.goodsOrServices: [try TestReader.combination()]])
        reader.entryPoint = ContactlessEntryPoint(
            configuration: configuration, kernels: try KernelRegistry([]), random: SeededRandomSource(seed: 1))
        let refund = try TestReader.request(kind: .refund)
        #expect(throws: EntryPointError.transactionType(.refund)) { try reader.entryPoint.begin(refund) }
    }

    @Test func `a second transaction waits for the first one's end`() throws {
        var reader = try TestReader()
        try reader.begin()
        #expect(throws: EntryPointError.busy(.polling)) { try reader.begin() }
        #expect(reader.entryPoint.phase == .polling)
    }

    @Test func `an error says what to do`() {
        let texts = [
            EntryPointConfigurationError.noCombination(.refund).description,
            EntryPointError.currency(aid: bytes("A0000000041010"), limits: "EUR", amount: "USD").description,
            EntryPointError.transactionType(.cash).description,
        ]
        #expect(texts[0].contains("type 20: give at least one"))
        #expect(texts[1].contains("A0000000041010") && texts[1].hasSuffix("configure limits in USD"))
        #expect(texts[2].contains("type 01") && texts[2].contains("configure one"))
    }
}
