import Determinism
import EMV
import Money
import SmartCard

/// The transaction that a trace shows: the request, and the terminal as far as its commands tell.
struct RecordedTransaction: Sendable {
    let trace: CardTrace
    let recorded: RecordedTerminal
    /// The settings that are not in the trace.
    let settings: TerminalConfiguration
    let overrides: CardReplay.Overrides

    init(_ trace: CardTrace, _ settings: TerminalConfiguration, _ overrides: CardReplay.Overrides) {
        (self.trace, self.settings, self.overrides) = (trace, settings, overrides)
        recorded = RecordedTerminal(trace)
    }

    /// The tags of the values that the caller or the header gives.
    var replacedTags: Set<BERTag> {
        var tags: Set<BERTag> = []
        if overrides.amount != nil { tags.formUnion([0x9F02, 0x81, 0x9F03, 0x9F04, 0x5F2A, 0x5F36]) }
        if overrides.date != nil { tags.formUnion([0x9A, 0x9F21]) }
        if statedNumber != nil { tags.insert(0x9F37) }
        return tags
    }

    /// The unpredictable number that the caller or the header gives.
    var statedNumber: [UInt8]? { overrides.unpredictableNumber ?? trace.header.unpredictableNumber }

    /// The unpredictable number of the kernel, 4 bytes; nil if nothing tells it.
    var unpredictableNumber: [UInt8]? {
        let number = statedNumber ?? value(0x9F37)
        return number?.count == 4 ? number : nil
    }

    private func value(_ tag: BERTag) -> [UInt8]? { recorded.values[tag] }

    /// The request, with the date of `clock` if neither trace nor caller has one.
    func request(date clock: CivilDate) throws(CardReplayError) -> TransactionRequest {
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
            forcedOnline: overrides.forcedOnline ?? value(0x95)
                .flatMap { TerminalVerificationResults(bytes: $0) }?.contains(.merchantForcedOnline) ?? false)
    }

    /// Returns the recorded terminal's configuration, as far as the trace contains it. `takesCapabilities` says whether
    /// 9F33 is that of a contact terminal: kernel 8 has other bits there.
    func terminal(takesCapabilities: Bool = true) throws(CardReplayError) -> TerminalConfiguration {
        do throws(TerminalConfigurationError) {
            var applications = settings.applications
            if let aid = recorded.aid {
                let known = applications.first { $0.aid == aid } ?? applications.first { aid.starts(with: $0.aid) }
                applications.removeAll { $0.aid == known?.aid }
                applications.insert(try application(aid: known?.aid ?? aid, known), at: 0)
            }
            return try TerminalConfiguration(
                type: value(0x9F35)?.first.flatMap(TerminalType.init) ?? settings.type,
                capabilities: value(0x9F33).flatMap { takesCapabilities ? TerminalCapabilities(bytes: $0) : nil }
                    ?? settings.capabilities,
                additionalCapabilities: value(0x9F40).flatMap { AdditionalTerminalCapabilities(bytes: $0) }
                    ?? settings.additionalCapabilities,
                country: value(0x9F1A).flatMap(Self.number).map { UInt16(clamping: $0) } ?? settings.country,
                merchantCategory: value(0x9F15).flatMap(Self.number).map { UInt16(clamping: $0) }
                    ?? settings.merchantCategory,
                merchantIdentifier: settings.merchantIdentifier,
                merchantNameAndLocation: value(0x9F4E).flatMap(Self.text) ?? settings.merchantNameAndLocation,
                terminalIdentification: value(0x9F1C).flatMap(Self.text) ?? settings.terminalIdentification,
                interfaceDeviceSerial: value(0x9F1E).flatMap(Self.text) ?? settings.interfaceDeviceSerial,
                acquirer: settings.acquirer, applications: applications,
                certificationAuthorityKeys: settings.certificationAuthorityKeys,
                revokedCertificates: settings.revokedCertificates, pinPolicy: settings.pinPolicy,
                offersApplicationChoice: true
            ).adding(ellipticAuthorityKeys: settings.ellipticAuthorityKeys)
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
