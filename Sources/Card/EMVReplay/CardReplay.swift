public import Determinism
public import EMV
public import Money
public import SmartCard

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

        /// Replaces what is not nil. `unpredictableNumber` has 4 bytes.
        public init(amount: Money? = nil, date: CivilDate? = nil, unpredictableNumber: [UInt8]? = nil) {
            (self.amount, self.date, self.unpredictableNumber) = (amount, date, unpredictableNumber)
        }
    }

    private let trace: CardTrace
    private let recorded: RecordedTerminal
    private let terminal: TerminalConfiguration
    private let overrides: Overrides

    /// - Parameters:
    ///   - trace: the recorded card.
    ///   - terminal: the settings that are not in the trace: public keys, action codes, limits.
    ///   - overrides: values that replace those of the trace.
    public init(_ trace: CardTrace, terminal: TerminalConfiguration, overrides: Overrides = Overrides()) {
        (self.trace, self.terminal, self.overrides) = (trace, terminal, overrides)
        recorded = RecordedTerminal(trace)
    }

    /// Runs the kernel.
    ///
    /// - Parameter clock: the source of the date if neither trace nor overrides have one.
    /// - Returns: the outcome, and the differences between kernel and recorded terminal.
    /// - Throws: ``CardReplayError`` when the trace's terminal data is not valid.
    public func run(date clock: CivilDate) async throws(CardReplayError) -> CardReplayReport {
        let request = try request(date: clock)
        let card = ReplayedCard(trace, terminal: recorded)
        let number = overrides.unpredictableNumber ?? trace.header.unpredictableNumber ?? value(0x9F37)
        let kernel = ContactKernel(
            terminal: try recordedTerminal(),
            cardholder: RecordedCardholder(typesPIN: recorded.verifiesPIN, aid: recorded.aid),
            authorizer: RecordedIssuer(recorded),
            random: RecordedRandomSource(unpredictableNumber: number?.count == 4 ? number : nil, seed: 0),
            recording: RecordedTerminalData(valuesByList: recorded.valuesByList, replaced: replacedTags))
        let outcome = await kernel.run(request, on: card)
        return CardReplayReport(request: request, outcome: outcome, differences: card.finish())
    }

    /// The tags of the values that the caller or the header gives.
    private var replacedTags: Set<BERTag> {
        var tags: Set<BERTag> = []
        if overrides.amount != nil { tags.formUnion([0x9F02, 0x81, 0x9F03, 0x9F04, 0x5F2A, 0x5F36]) }
        if overrides.date != nil { tags.formUnion([0x9A, 0x9F21]) }
        if overrides.unpredictableNumber ?? trace.header.unpredictableNumber != nil { tags.insert(0x9F37) }
        return tags
    }

    private func value(_ tag: BERTag) -> [UInt8]? { recorded.values[tag] }

    private func request(date clock: CivilDate) throws(CardReplayError) -> TransactionRequest {
        let currency = value(0x5F2A).flatMap(Self.number).flatMap { Currency(numericCode: UInt16(clamping: $0)) }
        func money(_ tag: BERTag) -> Money? {
            guard let units = value(tag).flatMap(Self.number) else { return nil }
            return try? Money(minorUnits: Int64(clamping: units), currency: currency ?? .usDollar)
        }
        var date = overrides.date ?? trace.header.date ?? clock
        if overrides.date == nil, let day = value(0x9A), let digits = Self.digitPairs(day), digits.count == 3 {
            let time = value(0x9F21).flatMap(Self.digitPairs) ?? []
            date = CivilDate(
                year: 2000 + digits[0], month: digits[1], day: digits[2], hour: time.first ?? date.hour,
                minute: time.dropFirst().first ?? date.minute, second: time.dropFirst(2).first ?? date.second)
        }
        let cashback = money(0x9F03).flatMap { $0.minorUnits > 0 ? $0 : nil }
        guard let amount = overrides.amount ?? trace.header.amount ?? money(0x9F02) else { throw .noAmount }
        return TransactionRequest(
            amount: amount, cashback: amount.currency == cashback?.currency ? cashback : nil,
            kind: value(0x9C)?.first.flatMap(TransactionRequest.Kind.init) ?? .goodsOrServices, date: date,
            sequenceCounter: value(0x9F41).flatMap(Self.number).map { UInt32(clamping: max(1, $0)) } ?? 1,
            forcedOnline: value(0x95).flatMap { TerminalVerificationResults(bytes: $0) }?
                .contains(.merchantForcedOnline) ?? false)
    }

    /// Returns the recorded terminal's configuration, as far as the trace contains it.
    private func recordedTerminal() throws(CardReplayError) -> TerminalConfiguration {
        do throws(TerminalConfigurationError) {
            var applications = terminal.applications
            if let aid = recorded.aid {
                let known = applications.first { $0.aid == aid } ?? applications.first { aid.starts(with: $0.aid) }
                applications.removeAll { $0.aid == known?.aid }
                applications.insert(try application(aid: known?.aid ?? aid, known), at: 0)
            }
            return try TerminalConfiguration(
                type: value(0x9F35)?.first.flatMap(TerminalType.init) ?? terminal.type,
                capabilities: value(0x9F33).flatMap { TerminalCapabilities(bytes: $0) } ?? terminal.capabilities,
                additionalCapabilities: value(0x9F40).flatMap { AdditionalTerminalCapabilities(bytes: $0) }
                    ?? terminal.additionalCapabilities,
                country: value(0x9F1A).flatMap(Self.number).map { UInt16(clamping: $0) } ?? terminal.country,
                merchantCategory: value(0x9F15).flatMap(Self.number).map { UInt16(clamping: $0) }
                    ?? terminal.merchantCategory,
                merchantIdentifier: terminal.merchantIdentifier,
                merchantNameAndLocation: value(0x9F4E).flatMap(Self.text) ?? terminal.merchantNameAndLocation,
                terminalIdentification: value(0x9F1C).flatMap(Self.text) ?? terminal.terminalIdentification,
                interfaceDeviceSerial: value(0x9F1E).flatMap(Self.text) ?? terminal.interfaceDeviceSerial,
                acquirer: terminal.acquirer, applications: applications,
                certificationAuthorityKeys: terminal.certificationAuthorityKeys,
                revokedCertificates: terminal.revokedCertificates, pinPolicy: terminal.pinPolicy,
                offersApplicationChoice: true
            ).adding(ellipticAuthorityKeys: terminal.ellipticAuthorityKeys)
        } catch {
            throw .terminal(error)
        }
    }

    private func application(
        aid: [UInt8], _ known: TerminalApplication?
    ) throws(TerminalConfigurationError) -> TerminalApplication {
        let version = value(0x9F09).flatMap { $0.count == 2 ? UInt16($0[0]) << 8 | UInt16($0[1]) : nil }
        // Action codes that go online for any unusual result.
        let unusual = TerminalVerificationResults(rawValue: 0xDC_4004_F800)
        return try TerminalApplication(
            aid: aid, versions: version.map { [$0] } ?? known?.versions ?? [0],
            actionCodes: known?.actionCodes ?? ActionCodes(denial: [], online: unusual, default: unusual),
            floorLimit: value(0x9F1B).flatMap { $0.count == 4 ? $0.reduce(0) { $0 << 8 | UInt32($1) } : nil }
                ?? known?.floorLimit ?? 0,
            checksVelocity: known?.checksVelocity ?? true)
    }

    private static func number(_ bytes: [UInt8]) -> UInt64? {
        guard bytes.count <= 9, let pairs = digitPairs(bytes) else { return nil }
        return pairs.reduce(0) { $0 * 100 + UInt64($1) }
    }

    /// Returns two decimal digits per byte.
    private static func digitPairs(_ bytes: [UInt8]) -> [Int]? {
        guard bytes.allSatisfy({ $0 >> 4 <= 9 && $0 & 0x0F <= 9 }) else { return nil }
        return bytes.map { Int($0 >> 4) * 10 + Int($0 & 0x0F) }
    }

    private static func text(_ bytes: [UInt8]) -> String? {
        bytes.allSatisfy { (0x20...0x7E).contains($0) } ? String(decoding: bytes, as: UTF8.self) : nil
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

    public var description: String {
        switch self {
        case .terminal(let error): "the recorded terminal cannot be rebuilt: \(error)"
        case .noAmount: "the trace does not say the amount: give one"
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
