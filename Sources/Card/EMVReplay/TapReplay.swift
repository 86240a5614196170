public import ContactlessKernel8
public import Determinism
public import EMV
public import EntryPoint
public import Money
import SmartCard
import Synchronization

/// Runs Entry Point and kernel 8 against a recorded card and compares their commands with those of the recorded reader.
///
/// Amount, date, unpredictable numbers, and the capabilities of the terminal are taken from the trace. The kernel's
/// private key, for which the card enciphers its records, is in no trace: the caller gives its source.
public struct TapReplay: Sendable {
    /// Returns the settings of Entry Point for a terminal; nil if it takes no taps in the currency.
    public typealias Settings = @Sendable (Currency, TerminalConfiguration) -> EntryPointConfiguration?

    private let trace: CardTrace
    private let transaction: RecordedTransaction
    private let tap: RecordedTap
    private let settings: Settings
    private let keys: (@Sendable () -> any RandomSource)?

    /// The most presentations of a card in one replay.
    private static let maximumTaps = 16

    /// - Parameters:
    ///   - trace: the recorded card. What follows the tap (``CardTrace/chipAfterTap``) is left out.
    ///   - terminal: the settings that are not in the trace: public keys, action codes.
    ///   - overrides: values that replace those of the trace.
    ///   - settings: the limits and kernel settings for a terminal.
    ///   - keys: makes the source from which the recorded kernel drew its key pairs; nil if it is not known.
    public init(
        _ trace: CardTrace, terminal: TerminalConfiguration, overrides: CardReplay.Overrides = CardReplay.Overrides(),
        settings: @escaping Settings, keys: (@Sendable () -> any RandomSource)?
    ) {
        self.trace = trace.tap
        transaction = RecordedTransaction(self.trace, terminal, overrides)
        tap = RecordedTap(self.trace, transaction.recorded)
        (self.settings, self.keys) = (settings, keys)
    }

    /// Runs Entry Point and the kernel up to the outcome. The host is not asked.
    ///
    /// - Parameter clock: the source of the date if neither trace nor overrides have one.
    /// - Returns: the outcome, and the differences between kernel and recorded reader.
    /// - Throws: ``CardReplayError``
    public func run(date clock: CivilDate) async throws(CardReplayError) -> TapReplayReport {
        let keys = try kernelKeys()
        let request = try transaction.request(date: clock)
        let terminal = try transaction.terminal(takesCapabilities: false)
        guard let standard = settings(request.amount.currency, terminal) else { throw .noContactlessSettings }
        let observed = ObservedKernel.Record()
        let date = request.date
        let (authorities, revoked) = (terminal.ellipticAuthorityKeys, Set(terminal.revokedCertificates))
        let random = keys()
        let kernels = KernelRegistry(
            KernelRegistration(.kernel8) {
                ObservedKernel(
                    Kernel8(authorities: authorities, revoked: revoked, now: date, random: random), observed)
            })
        let card = ReplayedCard(trace, terminal: transaction.recorded)
        let numbers = RecordedNumbers(tap.activations.filter(\.isOfKernel8).map { stated($0.unpredictableNumber) })
        var entryPoint = ContactlessEntryPoint(
            configuration: try configured(standard), kernels: kernels, random: numbers)
        let outcome: FinalOutcome?
        do throws(EntryPointError) { outcome = try await play(&entryPoint, request, card) } catch {
            throw .entryPoint(error)
        }
        return TapReplayReport(
            request: request, outcome: outcome, kernel: observed.value, findings: entryPoint.findings,
            differences: card.finish())
    }

    private func stated(_ recorded: [UInt8]?) -> [UInt8]? {
        let number = transaction.statedNumber ?? recorded
        return number?.count == 4 ? number : nil
    }

    /// Returns the source of the kernel's key pairs, whose first one is that of the trace.
    private func kernelKeys() throws(CardReplayError) -> @Sendable () -> any RandomSource {
        if let aid = tap.otherApplication { throw .otherKernel(aid: aid) }
        guard let recorded = tap.kernelKeyData else { throw .noKernelKey }
        guard let keys else { throw .kernelKeyMissing }
        let first: KernelKeyPair
        do throws(SecureChannelError) { first = try KernelKeyPair(suite: .p256AES128, random: keys()) } catch {
            throw .otherKernelKey
        }
        // A list of the card may ask for more bytes than the key has, or for fewer.
        guard first.keyData.starts(with: recorded.prefix(first.keyData.count)) else { throw .otherKernelKey }
        return keys
    }

    /// Adds what the trace shows to the settings of the kernel.
    private func configured(
        _ standard: EntryPointConfiguration
    ) throws(CardReplayError) -> EntryPointConfiguration {
        let recorded = tap.kernelData
        do throws(EntryPointConfigurationError) {
            var combinations: [TransactionRequest.Kind: [ReaderCombination]] = [:]
            for (kind, set) in standard.combinations {
                for one in set {
                    combinations[kind, default: []].append(
                        try ReaderCombination(
                            aid: one.aid, kernel: one.kernel, limits: one.limits, qualifiers: one.qualifiers,
                            checksStatus: one.checksStatus, allowsZeroAmount: one.allowsZeroAmount,
                            supportsExtendedSelection: one.supportsExtendedSelection,
                            kernelData: one.kernelData.merging(recorded) { $1 }))
                }
            }
            return try EntryPointConfiguration(
                terminal: standard.terminal, combinations: combinations, rules: standard.rules)
        } catch {
            throw .noContactlessSettings
        }
    }

    // MARK: The reader

    /// Carries out what Entry Point asks for.
    private func play(
        _ entryPoint: inout ContactlessEntryPoint, _ request: TransactionRequest, _ card: ReplayedCard
    ) async throws(EntryPointError) -> FinalOutcome? {
        var outcome: FinalOutcome?
        var (taps, exchanges) = (0, 0)
        var actions = try entryPoint.begin(request)
        while true {
            var event: EntryPointEvent?
            for action in actions {
                switch action {
                case .poll where !card.isAtEnd && taps < Self.maximumTaps:
                    (taps, exchanges, event) = (taps + 1, 0, .cardDetected)
                case .transmit(let command):
                    if command.ins == Instruction.exchangeRelayResistanceData { exchanges += 1 }
                    event = await answer(command, exchanges, card)
                case .deliver(let final): outcome = final
                case .show, .poll, .pauseField, .switchFieldOff, .watchRemoval, .applyHostDecision: break
                }
            }
            guard let event, entryPoint.phase != .awaitingHost else { return outcome }
            actions = try entryPoint.handle(event)
        }
    }

    /// Returns the recorded answer, and a time for it. `exchange` is the number of the relay resistance exchange, from
    /// 1, and 0 before the first.
    private func answer(_ command: CommandAPDU, _ exchange: Int, _ card: ReplayedCard) async -> EntryPointEvent {
        let selectsDirectory = command.ins == Instruction.select && command.data == CardTrace.contactlessDirectory
        if selectsDirectory, !trace.exchanges.contains(where: { $0.selects(CardTrace.contactlessDirectory) }) {
            return .response(ResponseAPDU(data: tap.directory, status: .success), took: .zero)
        }
        do throws(CardChannelError) {
            let response = try await card.transmit(command)
            return .response(response, took: elapsed(command, response, exchange, card))
        } catch {
            // The trace ends here, and so does the replay.
            return .failed(.canceled)
        }
    }

    /// The trace has no times. An exchange of relay resistance that was repeated took too long, and so did the third if
    /// the recorded TVR says so; any other one took the shortest time of the card.
    private func elapsed(
        _ command: CommandAPDU, _ response: ResponseAPDU, _ exchange: Int, _ card: ReplayedCard
    ) -> Duration {
        guard command.ins == Instruction.exchangeRelayResistanceData,
            let times = try? RelayResistanceAnswer(response: response.data)
        else { return .zero }
        let recorded = tap.cdol1Values[EMVTag.verificationResults].flatMap { Kernel8VerificationResults(bytes: $0) }
        let isLate = recorded?.contains(.relayResistanceTimeLimitsExceeded) ?? false
        let isTooSlow = card.isRepeated(command) || exchange == 3 && isLate
        return isTooSlow ? .seconds(60) : .microseconds(100 * Int(times.minimumTime) + 4_200)
    }
}

/// The result of a replay of a tap.
public struct TapReplayReport: Sendable {
    /// The transaction request from the trace.
    public let request: TransactionRequest
    /// The outcome of the last presentation of the card; nil if there was none.
    public let outcome: FinalOutcome?
    /// The last result of kernel 8; nil if it was not activated.
    public let kernel: ObservedKernel.Result?
    /// What Entry Point found on the card and did not follow.
    public let findings: [SelectionFinding]
    /// The differences between kernel and recorded reader, in the order of the replay.
    public let differences: [ReplayDifference]

    /// Whether no difference is visible to card or issuer.
    public var agrees: Bool { !differences.contains(where: \.matters) }

    /// The data for the issuer; nil without a decision of the kernel.
    public var record: HostDataRecord? {
        outcome?.outcome.dataRecord.flatMap {
            try? HostDataRecord($0, coveredResults: outcome?.outcome.coveredResults)
        }
    }

    /// Whether the recorded reader asked the issuer with the same TVR with which the kernel does not, as in a payment
    /// that had to go online: the trace of a tap does not say so (``CardReplay/Overrides/forcedOnline``).
    public var mayHaveBeenForcedOnline: Bool {
        let hasOtherResults = differences.contains { difference in
            if case .value(EMVTag.verificationResults, _, _, _) = difference.kind { true } else { false }
        }
        let asksIssuer = differences.contains { difference in
            if case .cryptogram("ARQC", "TC") = difference.kind { true } else { false }
        }
        return asksIssuer && !hasOtherResults && !request.forcedOnline
    }

    /// The first difference that makes the MAC of the card fail: the card computed it over what the recorded reader
    /// sent. nil if the MAC is right, or if the kernel sent the same data.
    public var causeOfWrongMAC: ReplayDifference? {
        guard kernel?.error == .wrongEDAMAC else { return nil }
        return differences.first { difference in
            guard ["GET PROCESSING OPTIONS", "GENERATE AC"].contains(difference.command) else { return false }
            switch difference.kind {
            case .value, .bytes, .cryptogram: return true
            case .onlyRecorded, .onlyKernel: return false
            }
        }
    }
}

/// Kernel 8, which tells its result beside the outcome.
public struct ObservedKernel: ContactlessKernel {
    /// The end of an activation.
    public struct Result: Sendable {
        /// What ended the application without a decision; nil after a decision.
        public let error: Kernel8Error?
        /// The result of local authentication.
        public let authentication: Kernel8Authentication
    }

    /// The last result of the kernels of a replay.
    final class Record: Sendable {
        private let state = Mutex<Result?>(nil)

        var value: Result? { state.withLock { $0 } }

        func set(_ result: Result) { state.withLock { $0 = result } }
    }

    private var kernel: Kernel8
    private let record: Record

    init(_ kernel: Kernel8, _ record: Record) { (self.kernel, self.record) = (kernel, record) }

    public mutating func activate(_ activation: KernelActivation) -> KernelStep {
        let step = kernel.activate(activation)
        noteResult()
        return step
    }

    public mutating func receive(_ input: KernelInput) -> KernelStep {
        let step = kernel.receive(input)
        noteResult()
        return step
    }

    private func noteResult() {
        guard let result = kernel.result else { return }
        record.set(Result(error: result.error, authentication: kernel.authentication))
    }
}

/// Returns the recorded unpredictable numbers one after the other, one for each activation of a kernel, and seeded
/// numbers where the trace has none.
final class RecordedNumbers: RandomSource {
    private let numbers: Mutex<[[UInt8]?]>
    private let seeded = SeededRandomSource(seed: 0)

    init(_ numbers: [[UInt8]?]) { self.numbers = Mutex(numbers) }

    func bytes(_ count: Int) -> [UInt8] {
        let next = numbers.withLock { numbers in numbers.isEmpty || count != 4 ? nil : numbers.removeFirst() }
        return next ?? seeded.bytes(count)
    }

    func stream(_ label: String) -> any RandomSource { self }
}

/// A source of one key pair of a kernel, whose private key is known: for every activation the same.
public struct RecordedKernelKey: RandomSource {
    private let secret: [UInt8]

    /// Takes the private key on P-256, 32 bytes, of a test; nil for another length.
    public init?(secret: [UInt8]) {
        guard secret.count == 32 else { return nil }
        self.secret = secret
    }

    public func bytes(_ count: Int) -> [UInt8] { Array(secret.prefix(count)) }

    public func stream(_ label: String) -> any RandomSource { self }
}
