public import Determinism
public import EMV
public import EntryPoint
public import Money
public import SmartCard
import Text

/// Runs the kernel against a recorded card and compares its commands with those of the recorded terminal.
///
/// Amount, date, unpredictable number, and the other terminal data are taken from the trace, so that the kernel has the
/// same inputs.
public struct CardReplay: Sendable {
    /// Values that replace those of the trace.
    public struct Overrides: Hashable, Sendable {
        public var amount: Money?
        public var date: CivilDate?
        /// Tag 9F37, 4 bytes.
        public var unpredictableNumber: [UInt8]?
        /// Whether the payment had to go online. The TVR of a contact kernel says so in the trace, that of kernel 8
        /// does not.
        public var forcedOnline: Bool?

        /// Replaces what is not nil. `unpredictableNumber` has 4 bytes.
        public init(
            amount: Money? = nil, date: CivilDate? = nil, unpredictableNumber: [UInt8]? = nil,
            forcedOnline: Bool? = nil
        ) {
            (self.amount, self.date, self.unpredictableNumber) = (amount, date, unpredictableNumber)
            self.forcedOnline = forcedOnline
        }
    }

    private let transaction: RecordedTransaction

    /// - Parameters:
    ///   - trace: the recorded card.
    ///   - terminal: the settings that are not in the trace: public keys, action codes, limits.
    ///   - overrides: values that replace those of the trace.
    public init(_ trace: CardTrace, terminal: TerminalConfiguration, overrides: Overrides = Overrides()) {
        transaction = RecordedTransaction(trace, terminal, overrides)
    }

    /// Runs the kernel.
    ///
    /// - Parameter clock: the source of the date if neither trace nor overrides have one.
    /// - Returns: the outcome, and the differences between kernel and recorded terminal.
    /// - Throws: ``CardReplayError`` when the trace's terminal data is not valid, or the card was tapped.
    public func run(date clock: CivilDate) async throws(CardReplayError) -> CardReplayReport {
        guard !transaction.trace.isOfTap else { throw .tapped }
        let recorded = transaction.recorded
        let request = try transaction.request(date: clock)
        let card = ReplayedCard(transaction.trace, terminal: recorded)
        let kernel = ContactKernel(
            terminal: try transaction.terminal(),
            cardholder: RecordedCardholder(typesPIN: recorded.verifiesPIN, aid: recorded.aid),
            authorizer: RecordedIssuer(recorded),
            random: RecordedRandomSource(unpredictableNumber: transaction.unpredictableNumber, seed: 0),
            recording: RecordedTerminalData(
                valuesByList: recorded.valuesByList, replaced: transaction.replacedTags))
        let outcome = await kernel.run(request, on: card)
        return CardReplayReport(request: request, outcome: outcome, differences: card.finish())
    }
}

/// The result of a replay.
public struct CardReplayReport: Hashable, Sendable {
    /// The transaction request from the trace.
    public let request: TransactionRequest
    public let outcome: KernelOutcome
    /// The differences between kernel and recorded terminal, in the order of the replay.
    public let differences: [ReplayDifference]

    /// Whether no difference is visible to card or issuer.
    public var agrees: Bool { !differences.contains(where: \.matters) }

    /// The first difference that makes a signature of the card fail: the card signed what the recorded terminal sent.
    /// nil if no signature failed, or if the kernel sent the same data.
    public var causeOfFailedSignature: ReplayDifference? {
        guard outcome.offlineAuthentication.result == .failed else { return nil }
        let signed: Set<String>
        switch (outcome.offlineAuthentication.method, outcome.offlineAuthentication.reason) {
        case (.dda, .signature?): signed = ["INTERNAL AUTHENTICATE"]
        case (.cda, .signature?), (.cda, .transactionData?), (.cda, .unsignedCryptogram?),
            (.cda, .cryptogramInformation?):
            signed = ["GET PROCESSING OPTIONS", "GENERATE AC"]
        case (.xda, .extendedSignature?), (.xda, .unsignedCryptogram?):
            signed = ["GET PROCESSING OPTIONS", "GENERATE AC"]
        default: return nil
        }
        return differences.first { difference in
            guard signed.contains(difference.command) else { return false }
            switch difference.kind {
            case .value, .bytes, .cryptogram: return true
            case .onlyRecorded, .onlyKernel: return false
            }
        }
    }
}

/// Why a trace cannot be replayed.
public enum CardReplayError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The recorded terminal data is not a valid configuration.
    case terminal(TerminalConfigurationError)
    /// Neither trace nor caller state the amount.
    case noAmount
    /// The card was tapped: ``TapReplay`` replays it.
    case tapped
    /// The tapped application, by its DF name, has no kernel here.
    case otherKernel(aid: [UInt8])
    /// The trace has no GET PROCESSING OPTIONS with the kernel's public key.
    case noKernelKey
    /// The kernel's private key is not given, and no trace has it.
    case kernelKeyMissing
    /// The private key is not that of the public key in the trace.
    case otherKernelKey
    /// No card can be tapped with these settings.
    case noContactlessSettings
    /// Entry Point refuses the recorded transaction.
    case entryPoint(EntryPointError)

    public var description: String {
        switch self {
        case .terminal(let error): "the recorded terminal cannot be rebuilt: \(error)"
        case .noAmount: "the trace does not say the amount: give one"
        case .tapped: "the card of the trace was tapped: replay it with Entry Point and kernel 8"
        case .otherKernel(let aid):
            "the tapped application \(aid.hexadecimal) is none of kernel 8, and no other contactless kernel is built: "
                + "decode the commands instead"
        case .noKernelKey:
            "the trace of a tapped card has no public key of kernel 8 (9E in GET PROCESSING OPTIONS): record the whole "
                + "payment"
        case .kernelKeyMissing:
            "the records are enciphered for the kernel's private key, which is not in the trace: record with 'pay "
                + "--seed' and give the same --seed, or give --kernel-key"
        case .otherKernelKey:
            "the kernel's private key does not belong to the public key (9E) in the trace: give the --seed of the "
                + "payment, or its --kernel-key"
        case .noContactlessSettings: "no card can be tapped with these settings: give another --terminal"
        case .entryPoint(let error): error.description
        }
    }
}

/// A difference between the kernel and the recorded terminal.
public struct ReplayDifference: Hashable, Sendable {
    /// The line of the trace; nil after its end.
    public let line: Int?
    /// EMV's name of the command.
    public let command: String
    public let kind: Kind

    /// The difference.
    public enum Kind: Hashable, Sendable {
        /// A data object of a command.
        case value(tag: BERTag, name: String?, recorded: String, kernel: String)
        /// The data field, or a parameter byte, of a command without a known data object list.
        case bytes(recorded: String, kernel: String)
        /// Another cryptogram type was requested.
        case cryptogram(recorded: String, kernel: String)
        /// Only the recorded terminal sent the command.
        case onlyRecorded
        /// The kernel sent the command, and the trace has no response to it.
        case onlyKernel
    }

    /// Whether the difference is visible to card or issuer. An additional or missing read is not, nor is a PIN block,
    /// which has new random padding each time.
    public var matters: Bool {
        switch kind {
        case .value, .bytes, .cryptogram: true
        case .onlyRecorded, .onlyKernel:
            ["GENERATE AC", "EXTERNAL AUTHENTICATE", "INTERNAL AUTHENTICATE", "VERIFY", "GET PROCESSING OPTIONS"]
                .contains(command)
        }
    }
}
