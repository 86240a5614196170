import Concurrency
public import Determinism
public import HostSecurity
public import ISO8583
import Money
public import Payments
public import Simulator
import Text

/// A simulated acquirer: an outside party that answers the messages of a profile from any client, decides by the card
/// profiles and rules of the simulated issuer, and keeps a durable ledger of its own.
///
/// It answers only what is in the ledger. The same message again gets the first answer, and moves nothing twice.
public actor SimulatedAcquirer {
    public nonisolated let profile: MessageProfile
    nonisolated let time: any TimeSource
    let issuer: SimulatedIssuer
    private let ledger: AcquirerLedger
    private let names: @Sendable (AcquirerKey) -> IdempotencyKey
    var book: AcquirerBook
    /// Messages of one terminal are decided one after the other.
    private let turns = KeyedSerialQueue<String>()
    nonisolated let keys: AcquirerKeys
    let pins: PINTranslation
    let random: any RandomSource

    /// - Parameters:
    ///   - profile: the dialect that clients speak.
    ///   - hostKeys: the keys of a key file, for MACs, PINs, and key exchanges.
    ///   - ledger: the ledger, with what it had.
    ///   - rules: the rules of the issuer.
    ///   - keys: the keys of the simulated cards and PIN pads.
    ///   - time: the clock; it also says which year a date without one has.
    ///   - random: the source of authorization codes.
    /// - Throws: ``AcquirerSetupError``
    public init(
        profile: MessageProfile, hostKeys: HostKeys? = nil, ledger: AcquirerLedger = AcquirerLedger(),
        rules: IssuerRules = IssuerRules(), keys: TestKeys, time: any TimeSource, random: any RandomSource
    ) throws(AcquirerSetupError) {
        let issuer: SimulatedIssuer
        do throws(IssuerLedgerError) {
            issuer = try SimulatedIssuer(
                name: "acquirer", accounts: [], library: CardProfileLibrary.allNames, rules: rules, keys: keys,
                time: time,
                random: random, entries: ledger.entries, onEntry: { ledger.add($0) })
        } catch {
            throw .issuer("\(error)")
        }
        try self.init(
            profile: profile, hostKeys: hostKeys, ledger: ledger, issuer: issuer, keys: keys, time: time, random: random
        )
    }

    /// - Parameters:
    ///   - profile: the dialect that clients speak.
    ///   - hostKeys: the keys of a key file, for MACs, PINs, and key exchanges.
    ///   - ledger: the ledger, with what it had.
    ///   - issuer: the issuer that decides. What it had is not made anew from the ledger.
    ///   - keys: the keys of the simulated PIN pads.
    ///   - time: the clock; it also says which year a date without one has.
    ///   - random: the source of exchanged keys.
    ///   - names: the key of an attempt at the issuer, for an issuer that its owner compares with a till.
    /// - Throws: ``AcquirerSetupError``
    public init(
        profile: MessageProfile, hostKeys: HostKeys? = nil, ledger: AcquirerLedger = AcquirerLedger(),
        issuer: SimulatedIssuer, keys: TestKeys, time: any TimeSource, random: any RandomSource,
        names: @escaping @Sendable (AcquirerKey) -> IdempotencyKey = { $0.issuerKey }
    ) throws(AcquirerSetupError) {
        let ring: AcquirerKeys
        do throws(KeyObstacle) { ring = try AcquirerKeys(profile, hostKeys) } catch {
            throw .keys(profile.name, error)
        }
        (self.profile, self.time, self.ledger, self.issuer) = (profile, time, ledger, issuer)
        (self.keys, self.random) = (ring, random.stream("keys"))
        pins = try PINTranslation(profile, ring, issuer: keys, random: random.stream("pins"))
        (book, self.names) = (AcquirerBook(ledger.records), names)
    }

    /// The key of an attempt at the issuer.
    func issuerKey(_ key: AcquirerKey) -> IdempotencyKey { names(key) }

    /// The records of the ledger, oldest first.
    public var records: [AcquirerRecord] { book.records }

    /// Reads a message; a refusal is answered, too.
    nonisolated func read(_ message: ISOMessage) -> Result<AcquirerRequest, AcquirerRefusal> {
        do throws(AcquirerRefusal) {
            return .success(try AcquirerRequest(message, profile, now: time.localDate()))
        } catch { return .failure(error) }
    }

    /// Carries out a message.
    ///
    /// - Returns: the answer; nil when the message gets none, because the issuer or the disk gave none.
    func answer(_ request: AcquirerRequest) async -> AcquirerAnswer? {
        guard let kind = request.recordKind else {
            guard request.kind == .inquiry else { return await answerWithoutMoney(request) }
            return await turns.run(request.key.terminal) { await self.inquire(request) }
        }
        return await turns.run(request.key.terminal) { await self.answer(request, kind) }
    }

    private func answer(_ request: AcquirerRequest, _ kind: AcquirerRecord.Kind) async -> AcquirerAnswer? {
        do throws(AcquirerLedgerError) { try await ledger.recover() } catch {
            var silent = answer(to: request, AcquirerDecision(ResponseCodes.malfunction))
            (silent.message, silent.trouble) = (nil, error)
            return silent
        }
        let type = "\(request.form.type)"
        if let first = book.message(type, request.key) { return await repeated(first, request, kind) }
        var decision: AcquirerDecision
        if kind.isRequest, book.isTakenBack(request) || kind != .offlineAdvice && book.hasTransaction(request.key) {
            decision = AcquirerDecision(ResponseCodes.duplicate)
        } else {
            do throws(AcquirerRefusal) {
                guard let decided = try await decide(request) else { return nil }
                decision = decided
            } catch {
                decision = AcquirerDecision(error.code)
                decision.refusal = error
            }
        }
        guard decision.isRecorded else { return answer(to: request, decision, isRepeat: false) }
        let record = record(request, kind, type, decision)
        book.append(record)
        ledger.add(record)
        for var changed in decision.changes {
            if decision.closesBatch { changed.settlement = record.id }
            book.replace(changed)
            ledger.update(changed)
        }
        decision.reference = record.reference
        return await committed(answer(to: request, decision, isRepeat: false))
    }

    /// Returns an answer when everything behind it is on the disk.
    private func committed(_ answer: AcquirerAnswer) async -> AcquirerAnswer? {
        do throws(AcquirerLedgerError) { try await ledger.commit() } catch {
            var silent = answer
            (silent.message, silent.trouble) = (nil, error)
            return silent
        }
        return answer
    }

    private func record(
        _ request: AcquirerRequest, _ kind: AcquirerRecord.Kind, _ type: String, _ decision: AcquirerDecision
    ) -> AcquirerRecord {
        let id = book.nextID
        return AcquirerRecord(
            id: id, at: time.now(), kind: kind, type: type, terminal: request.key.terminal, merchant: request.merchant,
            traceNumber: request.traceNumber, localTime: request.key.localTime, transmission: request.transmission,
            amount: request.amount?.minorUnits ?? 0, approved: decision.approved,
            currency: request.currency?.code ?? "XXX",
            lastFour: request.lastFour ?? decision.original?.lastFour,
            response: ResponseCodes.text(decision.code, answering: request.kind, profile.version),
            reference: request.message.text(of: 37) ?? id.zeroPadded(to: 12),
            authorizationCode: decision.authorizationCode, chip: decision.chip?.hexadecimal,
            original: decision.original?.id, missing: decision.missing, state: decision.state, moved: decision.moved)
    }

    /// Answers a message that came before as the first time.
    private func repeated(
        _ first: AcquirerRecord, _ request: AcquirerRequest, _ kind: AcquirerRecord.Kind
    ) async -> AcquirerAnswer? {
        let isSame =
            first.kind == kind && first.amount == request.amount?.minorUnits ?? 0
            && first.currency == request.currency?.code ?? "XXX" && isSameCard(first, request)
        // What was taken back is not approved again.
        let isBlocked = kind.isRequest && first.state == .reversed
        guard isSame, !isBlocked else {
            return answer(to: request, AcquirerDecision(ResponseCodes.duplicate), isRepeat: true)
        }
        var decision = AcquirerDecision("", state: first.state)
        (decision.response, decision.reference) = (first.response, first.reference)
        decision.authorizationCode = first.authorizationCode
        decision.chip = first.chip.flatMap { [UInt8](hexadecimal: $0) }
        if let part = first.part { decision.fields[4] = request.field4(part, profile.version) }
        if kind == .settlement { decision.fields = settlementFields(of: first, request) }
        return await committed(answer(to: request, decision, isRepeat: true))
    }

    /// Whether a message may be about the card of an earlier one. Two tills with one terminal number may send the same
    /// trace number in the same second.
    private func isSameCard(_ first: AcquirerRecord, _ request: AcquirerRequest) -> Bool {
        guard let known = first.lastFour, let given = request.lastFour else { return true }
        return known == given
    }

    /// Answers with the result of the message that an inquiry names, when that is on the disk. What was taken back is
    /// not found: it has no result any more.
    private func inquire(_ request: AcquirerRequest) async -> AcquirerAnswer? {
        var decision = AcquirerDecision(ResponseCodes.notFound)
        do throws(AcquirerLedgerError) { try await ledger.recover() } catch {
            var silent = answer(to: request, decision)
            (silent.message, silent.trouble) = (nil, error)
            return silent
        }
        let found = request.original.flatMap { book.original($0, terminal: request.key.terminal) }
        if let found, found.state != .reversed {
            (decision.response, decision.reference) = (found.response, found.reference)
            decision.authorizationCode = found.authorizationCode
            if let part = found.part { decision.fields[4] = request.field4(part, profile.version) }
        }
        return await committed(answer(to: request, decision))
    }

    private func answerWithoutMoney(_ request: AcquirerRequest) async -> AcquirerAnswer {
        switch request.kind {
        case .keyExchange: return answer(to: request, await keyExchange(request))
        case .signOn, .signOff, .echo: return answer(to: request, AcquirerDecision(ResponseCodes.approved))
        default: return answer(to: request, AcquirerDecision(ResponseCodes.notSupported))
        }
    }

    private nonisolated func answer(
        to request: AcquirerRequest, _ decision: AcquirerDecision, isRepeat: Bool = false
    ) -> AcquirerAnswer {
        AcquirerAnswer(request: request, decision: decision, isRepeat: isRepeat, profile: profile)
    }
}

/// Why an acquirer cannot be made.
public enum AcquirerSetupError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The profile can't be used with the keys that are there.
    case keys(String, KeyObstacle)
    case issuer(String)

    /// The advice; nil when the message says so.
    public var fix: String? { if case .keys(_, let obstacle) = self { obstacle.fix(in: "--keys") } else { nil } }

    public var description: String {
        switch self {
        case .keys(let name, let obstacle): "the profile '\(name)' can't be used: \(obstacle)"
        case .issuer(let reason): "the simulated issuer cannot be made: \(reason)"
        }
    }
}

/// The decision of the acquirer about a message.
struct AcquirerDecision {
    /// The response code of 1987.
    var code: String
    /// The response code of the edition, when it is known already.
    var response: String?
    var state: AcquirerRecord.State
    var moved: Int64 = 0
    /// The part that was approved; nil for all.
    var approved: Int64?
    var reference: String?
    var authorizationCode: String?
    /// Field 55 of the answer.
    var chip: [UInt8]?
    var original: AcquirerRecord?
    var missing: String?
    /// Earlier records in their new state.
    var changes: [AcquirerRecord] = []
    var closesBatch = false
    /// More fields of the answer.
    var fields: [Int: String] = [:]
    var refusal: AcquirerRefusal?
    /// Whether the ledger gets a record: not when the issuer could not be reached.
    var isRecorded = true

    init(_ code: String, state: AcquirerRecord.State? = nil) {
        (self.code, self.state) = (code, state ?? (code == ResponseCodes.approved ? .approved : .declined))
    }
}
