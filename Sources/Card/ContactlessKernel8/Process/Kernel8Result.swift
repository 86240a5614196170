public import EMV
import EntryPoint
import SmartCard

/// The result of kernel 8, as the bytes of its book and as an outcome for Entry Point (Book C-8, signal OUT).
public struct Kernel8Result: Equatable, Sendable {
    /// The outcome parameter set (tag 9F8210), 8 bytes.
    public let parameterSet: [UInt8]
    /// The message on the outcome (tag 9F8205), 13 bytes; nil for none.
    public let userInterfaceRequest: [UInt8]?
    /// The message on a restart (tag 9F8219), 13 bytes; nil for none.
    public let restartRequest: [UInt8]?
    /// The data objects of the data record (the value of BF8102); nil for none.
    public let dataRecord: SecretDataObject?
    /// The TVR (95) as it was sent for CDOL1, 5 bytes; nil without a data record, and if CDOL1 did not ask for it.
    public let coveredResults: [UInt8]?
    /// Whether the kernel asked the card for a decline (AAC), or declined after the card had approved or asked for the
    /// issuer. False if the card declined without being asked to.
    public let isDeclinedByTerminal: Bool
    /// The data objects of the discretionary data (the value of BF8103).
    public let discretionaryData: SecretDataObject
    /// The error indication (tag 9F8204), 6 bytes.
    public let errorIndication: [UInt8]
    /// What ended the application without a decision; nil after a decision.
    public let error: Kernel8Error?

    /// The outcome for Entry Point.
    var outcome: ContactlessOutcome {
        func request(_ bytes: [UInt8]?) -> UserInterfaceRequest? {
            bytes.flatMap { try? UserInterfaceRequest(bytes: $0) }
        }
        var read = try? ContactlessOutcome(
            parameterSet: parameterSet, uiOnOutcome: request(userInterfaceRequest),
            uiOnRestart: request(restartRequest), dataRecord: dataRecord, discretionaryData: discretionaryData)
        read?.coveredResults = coveredResults
        read?.isDeclinedByTerminal = isDeclinedByTerminal
        // The kernel makes no other parameter sets than those of its table.
        return read ?? ContactlessOutcome(.endApplication, discretionaryData: discretionaryData)
    }
}

/// The outcome parameter set while it is made (tag 9F8210).
struct Kernel8Parameters: Hashable, Sendable {
    var status = ContactlessOutcome.Status.endApplication
    var start: EntryPointStart?
    var method = Kernel8Verification.Method.notApplicable
    /// Bits of byte 5.
    var flags: UInt8 = discretionaryDataFlag
    /// Byte 6: 10 the contact chip, 20 the stripe, F0 no preference.
    var alternateInterface: UInt8 = 0xF0
    /// In units of 100 ms; FF for none.
    var fieldOff: UInt8 = 0xFF

    static let outcomeMessageFlag: UInt8 = 0x80
    static let restartMessageFlag: UInt8 = 0x40
    static let dataRecordFlag: UInt8 = 0x20
    static let discretionaryDataFlag: UInt8 = 0x10
    static let receiptFlag: UInt8 = 0x08

    /// Byte 3, the online response data, is always N/A, and there is no removal timeout.
    var bytes: [UInt8] {
        [
            status.rawValue, start?.rawValue ?? 0xF0, 0xF0, method.rawValue, flags, alternateInterface, fieldOff, 0x00,
        ]
    }
}

/// A message of kernel 8 while it is made (tags 9F8205, 9F8219).
struct Kernel8Message: Hashable, Sendable {
    var identifier: MessageIdentifier
    var status = ReaderStatus.notReady
    /// Three bytes, n 6, in units of 100 ms.
    var holdTime: [UInt8] = [0, 0, 0]

    /// The value with the languages of the card (5F2D), which are filled with zeros to eight bytes.
    func bytes(languages: [UInt8]) -> [UInt8] {
        [identifier.rawValue, status.rawValue] + holdTime
            + (languages + [UInt8](repeating: 0, count: 8)).prefix(8)
    }
}
