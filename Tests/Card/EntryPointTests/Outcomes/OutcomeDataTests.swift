import EMV
import EntryPoint
import Money
import Testing

/// Outcome parameter sets and messages as kernels transmit them (Books A §6, C-2 and C-8 annex A).
struct OutcomeDataTests {
    @Test func `a parameter set gives every parameter`() throws {
        let outcome = try ContactlessOutcome(
            parameterSet: bytes("30 20 F0 20 08 20 0D 64"), uiOnOutcome: .presentCard)
        #expect(
            outcome
                == ContactlessOutcome(
                    .onlineRequest, start: .c, cvm: .onlinePIN, alternateInterface: .magneticStripe,
                    demandsReceipt: true, fieldOff: .milliseconds(1300), removalTimeout: .seconds(10)))
    }

    @Test func `every value of a parameter has its byte`() throws {
        for status in ContactlessOutcome.Status.allCases {
            for start in EntryPointStart.allCases {
                for cvm in ContactlessOutcome.CVM.allCases {
                    let set = [status.rawValue, start.rawValue, 0xF0, cvm.rawValue, 0, 0xF0, 0xFF, 0]
                    #expect(
                        try ContactlessOutcome(parameterSet: set) == ContactlessOutcome(status, start: start, cvm: cvm))
                }
            }
        }
    }

    @Test(arguments: [
        ("", OutcomeDataError.length(0)), ("10F0F000F0F0FF", .length(7)), ("10F0F000F0F0FF0000", .length(9)),
        ("F0F0F000F0F0FF00", .status(0xF0)), ("00F0F000F0F0FF00", .status(0)), ("11F0F000F0F0FF00", .status(0x11)),
    ])
    func `a parameter set without a status, or of another length, is refused`(text: String, error: OutcomeDataError) {
        #expect(throws: error) { try ContactlessOutcome(parameterSet: bytes(text)) }
    }

    // 2EA.012.00
    @Test(arguments: [
        ("6465656E00000000", "de"), ("6672656E00000000", "en"), ("6672000000000000", "it"), ("0000000000000000", "it"),
        ("4445000000000000", "de"), ("64FF000000000000", "it"),
    ])
    func `2EA.012.00: the first language that the card prefers and the till has is taken, otherwise the till's`(
        preference: String, language: String
    ) throws {
        let message = try UserInterfaceRequest(bytes: bytes("15 02 000000" + preference))
        #expect(message.language(among: ["de", "en", "it"], otherwise: "it") == language)
    }

    // 2EA.013.00, 2EA.013.01
    @Test(arguments: [("10", ShownValue.Kind.amount), ("20", .balance)])
    func `2EA.013: an amount or a balance is shown with its currency`(
        qualifier: String, kind: ShownValue.Kind
    ) throws {
        let euro = try Currency(code: "EUR")
        let message = try UserInterfaceRequest(
            bytes: bytes("17 04 000013 0000000000000000 \(qualifier) 000000001250 0978"))
        #expect(message.message == .cardRead && message.status == .cardReadSuccessfully)
        #expect(message.holdTime == .milliseconds(1300))
        #expect(message.value == ShownValue(kind: kind, amount: try Money(minorUnits: 1250, currency: euro)))
    }

    @Test(arguments: [
        "FF FF 000000 0000000000000000", "FF 77 000000 0000000000000000 00 FFFFFFFFFFFF FFFF",
        "FF FF 000000 0000000000000000 10 000000001250 0000", "FF FF 000000 0000000000000000 33 000000001250 0978",
    ])
    func `no message, unknown values, and unknown currencies count as absent`(text: String) throws {
        #expect(try UserInterfaceRequest(bytes: bytes(text)) == UserInterfaceRequest(nil, nil))
    }

    @Test(arguments: [
        ("1502000000", OutcomeDataError.length(5)), ("1502 00000A 0000000000000000", .digits(offset: 2)),
        ("1502 000000 0000000000000000 10 00000000000A 0978", .digits(offset: 14)),
        ("1502 000000 0000000000000000 10 000000000000 0A78", .digits(offset: 20)),
    ])
    func `a message of another length, or without digits, is refused with the place`(
        text: String, error: OutcomeDataError
    ) {
        #expect(throws: error) { try UserInterfaceRequest(bytes: bytes(text)) }
    }

    @Test func `what a kernel says is never printed with card data`() throws {
        let record = SecretDataObject(bytes("5A084761739001010010"))
        let outcome = ContactlessOutcome(.onlineRequest, dataRecord: record, discretionaryData: record)
        for text in ["\(outcome)", String(reflecting: outcome), "\(EntryPointAction.show(.presentCard))"] {
            #expect(!text.contains("4761739001010010") && !text.contains("71, 97, 115"))
        }
    }
}
