public import EMV

/// A place at which Entry Point begins, or goes on (EMV Contactless Book B §2). The values are those of byte 2 of an
/// outcome parameter set.
public enum EntryPointStart: UInt8, Hashable, Sendable, CaseIterable {
    /// Pre-processing of a transaction with a known amount.
    case a = 0x00
    /// Protocol activation: field on, and a card is presented.
    case b = 0x10
    /// Combination selection among the remaining candidates. The card stays in the field.
    case c = 0x20
    /// Kernel activation with the combination selected before. The card stays in the field.
    case d = 0x30
}

/// The result of a kernel, or of Entry Point itself, with its parameters (EMV Contactless Book A §6.1, §6.2).
///
/// An absent value is N/A. The data record and the discretionary data may hold card data; they are never printed.
public struct ContactlessOutcome: Equatable, Sendable {
    /// The values are those of byte 1 of an outcome parameter set.
    public enum Status: UInt8, Hashable, Sendable, CaseIterable {
        /// The card approved offline.
        case approved = 0x10
        case declined = 0x20
        /// The payment needs the issuer's authorization.
        case onlineRequest = 0x30
        case endApplication = 0x40
        /// Entry Point selects the next candidate.
        case selectNext = 0x50
        case tryAnotherInterface = 0x60
        /// Entry Point waits for the card again.
        case tryAgain = 0x70
    }

    /// The cardholder verification that the reader performs after the tap.
    public enum CVM: UInt8, Hashable, Sendable, CaseIterable {
        case noCVM = 0x00
        case signature = 0x10
        case onlinePIN = 0x20
        /// The consumer's device has verified the cardholder.
        case confirmationCodeVerified = 0x30
    }

    /// The answers of the host after which the transaction goes on at ``start``.
    public enum OnlineResponseData: Hashable, Sendable {
        /// Those with issuer authentication data or issuer scripts (91, 71, 72).
        case emvData
        /// All, also that the host cannot be reached.
        case any
    }

    /// The interface that a reader offers after Try Another Interface.
    public enum AlternateInterface: UInt8, Hashable, Sendable, CaseIterable {
        case contactChip = 0x10
        case magneticStripe = 0x20
    }

    public var status: Status
    /// The place at which the transaction goes on.
    public var start: EntryPointStart?
    public var onlineResponseData: OnlineResponseData?
    public var cvm: CVM?
    /// The message to show now.
    public var uiOnOutcome: UserInterfaceRequest?
    /// The message to show at the restart in place of message 15.
    public var uiOnRestart: UserInterfaceRequest?
    /// Encoded data objects for the host.
    public var dataRecord: SecretDataObject?
    /// The terminal verification results (95) as the card's cryptogram covers them, 5 bytes, where the kernel may have
    /// changed those of the data record afterwards. The issuer verifies with these.
    public var coveredResults: [UInt8]?
    /// Whether the kernel declined, where it says so; otherwise ``Status/declined`` is the card's word.
    public var isDeclinedByTerminal = false
    /// Encoded data objects for the reader.
    public var discretionaryData: SecretDataObject?
    /// A preference, which the reader may ignore.
    public var alternateInterface: AlternateInterface?
    /// Whether a receipt is printed without being asked for. Otherwise the merchant decides.
    public var demandsReceipt: Bool
    /// The time for which the field goes off.
    public var fieldOff: Duration?
    /// The time within which the card has to leave the field; zero for no limit.
    public var removalTimeout: Duration

    /// Describes an outcome. Every parameter but the status is N/A unless it is given.
    public init(
        _ status: Status, start: EntryPointStart? = nil, onlineResponseData: OnlineResponseData? = nil,
        cvm: CVM? = nil, uiOnOutcome: UserInterfaceRequest? = nil, uiOnRestart: UserInterfaceRequest? = nil,
        dataRecord: SecretDataObject? = nil, discretionaryData: SecretDataObject? = nil,
        alternateInterface: AlternateInterface? = nil, demandsReceipt: Bool = false, fieldOff: Duration? = nil,
        removalTimeout: Duration = .zero
    ) {
        (self.status, self.start, self.onlineResponseData, self.cvm) = (status, start, onlineResponseData, cvm)
        (self.uiOnOutcome, self.uiOnRestart) = (uiOnOutcome, uiOnRestart)
        (self.dataRecord, self.discretionaryData) = (dataRecord, discretionaryData)
        (self.alternateInterface, self.demandsReceipt) = (alternateInterface, demandsReceipt)
        (self.fieldOff, self.removalTimeout) = (fieldOff, removalTimeout)
    }

    /// Reads an outcome parameter set of eight bytes (DF8129, 9F8210).
    ///
    /// Unknown values of all bytes but the first count as N/A, and objects that the presence flags (byte 5) deny are
    /// left out. Byte 3 has no public value but N/A: set ``onlineResponseData`` where the kernel's book has one.
    ///
    /// - Throws: ``OutcomeDataError``
    public init(
        parameterSet bytes: [UInt8], uiOnOutcome: UserInterfaceRequest? = nil,
        uiOnRestart: UserInterfaceRequest? = nil, dataRecord: SecretDataObject? = nil,
        discretionaryData: SecretDataObject? = nil
    ) throws(OutcomeDataError) {
        guard bytes.count == 8 else { throw .length(bytes.count) }
        guard let status = Status(rawValue: bytes[0]) else { throw .status(bytes[0]) }
        let flags = bytes[4]
        self.init(
            status, start: EntryPointStart(rawValue: bytes[1]), cvm: CVM(rawValue: bytes[3]),
            uiOnOutcome: flags & 0x80 != 0 ? uiOnOutcome : nil, uiOnRestart: flags & 0x40 != 0 ? uiOnRestart : nil,
            dataRecord: flags & 0x20 != 0 ? dataRecord : nil,
            discretionaryData: flags & 0x10 != 0 ? discretionaryData : nil,
            alternateInterface: AlternateInterface(rawValue: bytes[5]), demandsReceipt: flags & 0x08 != 0,
            fieldOff: bytes[6] == 0xFF ? nil : .milliseconds(100 * Int(bytes[6])),
            removalTimeout: .milliseconds(100 * Int(bytes[7])))
    }
}

/// An outcome for the reader, which Entry Point does not process itself (EMV Contactless Book B §3.5.1.5).
public struct FinalOutcome: Equatable, Sendable {
    /// The steps that follow.
    public enum Continuation: Hashable, Sendable {
        /// None: the transaction is over for Entry Point.
        case ends
        /// The reader asks the host, and passes its answer on (``EntryPointEvent/hostAnswered(_:)``).
        case awaitsHost
        /// Entry Point goes on by itself. The transaction stays the same.
        case restarts(EntryPointStart)
    }

    public let outcome: ContactlessOutcome
    /// The name of the application selected, with its extended selection (9F06); nil if none was.
    public let aid: [UInt8]?
    /// The kernel that made the outcome; nil for an outcome of Entry Point.
    public let kernel: KernelIdentifier?
    public let continuation: Continuation
    /// Whether the host has answered in this transaction. An approval or a decline is then the card's word about that
    /// answer. Any other outcome leaves the host's decision as it is.
    public let followsHostAnswer: Bool
}
