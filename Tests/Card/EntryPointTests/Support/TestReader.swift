import Determinism
import EMV
import EntryPoint
import Money
import SmartCard
import Synchronization

/// A reader around Entry Point, with a card of prepared answers, and kernels that end with the outcome that the card
/// names.
struct TestReader {
    var entryPoint: ContactlessEntryPoint
    var card: TestCard
    /// What the kernels were activated with, in its order.
    let activations = Recorder<KernelActivation>()
    /// The kernel of each activation.
    let kernels = Recorder<KernelIdentifier>()

    /// A reader with these combinations for every transaction type.
    init(
        _ combinations: [ReaderCombination], card: TestCard = .standard, rules: SelectionRules = .current,
        missing: Set<KernelIdentifier> = []
    ) throws {
        let configuration = try EntryPointConfiguration(
            terminal: .standard,
            combinations: [
                .goodsOrServices: combinations, .cash: combinations, .cashback: combinations, .refund: combinations,
            ], rules: rules)
        let (activated, recorded) = (self.activations, self.kernels)
        let identifiers = Set(combinations.map(\.kernel)).subtracting(missing)
        let registry = try KernelRegistry(
            identifiers.map { identifier in
                KernelRegistration(identifier) {
                    TestContactlessKernel(identifier: identifier, activations: activated, kernels: recorded)
                }
            })
        entryPoint = ContactlessEntryPoint(
            configuration: configuration, kernels: registry, random: SeededRandomSource(seed: 1))
        self.card = card
    }

    /// A reader with one combination of Mastercard's AID and Kernel 2.
    init(_ limits: TestLimits = .standard, card: TestCard = .standard) throws {
        try self.init([try Self.combination(limits: limits)], card: card)
    }

    static func combination(
        _ aid: String = TestCard.mastercard, _ kernel: KernelIdentifier = .kernel2, limits: TestLimits = .standard,
        extended: Bool = true
    ) throws -> ReaderCombination {
        try ReaderCombination(
            aid: bytes(aid), kernel: kernel, limits: try limits.limits(),
            qualifiers: limits.qualifiers.flatMap { TerminalTransactionQualifiers(bytes: bytes($0)) },
            checksStatus: limits.checksStatus, allowsZeroAmount: limits.allowsZeroAmount,
            supportsExtendedSelection: extended)
    }

    static func request(
        _ minorUnits: Int64 = 10, kind: TransactionRequest.Kind = .goodsOrServices, currency: String = "EUR",
        sequenceCounter: UInt32 = 7
    ) throws -> TransactionRequest {
        let currency = try Currency(code: currency)
        return TransactionRequest(
            amount: try Money(minorUnits: minorUnits, currency: currency),
            cashback: kind == .cashback ? try Money(minorUnits: 4, currency: currency) : nil, kind: kind,
            date: CivilDate(year: 2026, month: 11, day: 28, hour: 12, minute: 34, second: 56),
            sequenceCounter: sequenceCounter)
    }

    /// Begins a transaction, and returns the actions.
    @discardableResult
    mutating func begin(
        _ minorUnits: Int64 = 10, kind: TransactionRequest.Kind = .goodsOrServices, autorun: Bool = false
    ) throws -> [EntryPointAction] {
        try carryOut(try entryPoint.begin(try Self.request(minorUnits, kind: kind), autorun: autorun))
    }

    /// Passes an event on, lets the card answer, and returns all actions.
    @discardableResult
    mutating func handle(_ event: EntryPointEvent) throws -> [EntryPointAction] {
        try carryOut(try entryPoint.handle(event))
    }

    /// Begins a transaction, presents the card, and returns the actions since then.
    @discardableResult
    mutating func pay(
        _ minorUnits: Int64 = 10, kind: TransactionRequest.Kind = .goodsOrServices, autorun: Bool = false
    ) throws -> [EntryPointAction] {
        try begin(minorUnits, kind: kind, autorun: autorun)
        return try handle(.cardDetected)
    }

    /// The names in the SELECT commands that the card received, the directory as `PPSE`.
    var selected: [String] {
        card.commands.filter { $0.ins == 0xA4 }.map {
            $0.data == Array("2PAY.SYS.DDF01".utf8) ? "PPSE" : $0.data.hexText
        }
    }

    private mutating func carryOut(_ first: [EntryPointAction]) throws -> [EntryPointAction] {
        var (all, latest) = (first, first)
        while case .transmit(let command)? = latest.last {
            guard all.count < 2000 else { throw Endless() }
            latest = try entryPoint.handle(card.answer(command))
            all += latest
        }
        return all
    }

    /// A conversation that does not end.
    struct Endless: Error {}
}

/// The settings of a combination in the base configuration of the cases, of which each case changes a few.
struct TestLimits: Sendable {
    var transaction: Int64? = 120
    var floor: Int64? = 12
    var terminalFloor: Int64?
    var cvmRequired: Int64? = 15
    var qualifiers: String? = "B6208000"
    var checksStatus = true
    var allowsZeroAmount = true

    static let standard = TestLimits()

    func limits() throws -> ContactlessLimits {
        let euro = try Currency(code: "EUR")
        func money(_ minorUnits: Int64?) throws -> Money? {
            try minorUnits.map { try Money(minorUnits: $0, currency: euro) }
        }
        return try ContactlessLimits(
            transaction: try money(transaction), floor: try money(floor), terminalFloor: try money(terminalFloor),
            cvmRequired: try money(cvmRequired))
    }
}

/// A card that answers SELECT from a table, and the commands of kernels with outcomes.
struct TestCard: Sendable {
    static let mastercard = "A0000000041010"
    static let visa = "A0000000031010"

    var directory: ResponseAPDU
    /// By the name in SELECT.
    var applications: [[UInt8]: ResponseAPDU] = [:]
    /// The answers to GET PROCESSING OPTIONS in their order; an offline approval after the last one.
    var outcomes: [[UInt8]] = []
    /// The commands, counted from 0, that get no answer.
    var failures: [Int: CardChannelError] = [:]
    private(set) var commands: [CommandAPDU] = []

    /// A card with these directory entries, and applications of these names.
    init(_ entries: [UInt8]..., names: String...) {
        directory = ResponseAPDU(data: Self.directory(entries.flatMap(\.self)), status: .success)
        for name in names { applications[bytes(name)] = Self.application(name) }
    }

    /// A card with one Mastercard application.
    static let standard = TestCard(entry(mastercard), names: mastercard)

    /// The content of a PPSE around directory entries.
    static func directory(_ entries: [UInt8]) -> [UInt8] {
        tlv(0x6F, tlv(0x84, Array("2PAY.SYS.DDF01".utf8)), tlv(0xA5, tlv(0xBF0C, entries)))
    }

    static func entry(
        _ name: String, kernel: String? = nil, priority: UInt8? = nil, extended: String? = nil
    ) -> [UInt8] {
        var parts = tlv(0x4F, bytes(name)) + tlv(0x50, Array("CARD".utf8))
        if let priority { parts += tlv(0x87, [priority]) }
        if let kernel { parts += tlv(0x9F2A, bytes(kernel)) }
        if let extended { parts += tlv(0x9F29, bytes(extended)) }
        return tlv(0x61, parts)
    }

    /// The answer of an application to SELECT.
    static func application(_ name: String, pdol: String? = "9F6604 9F0206 9F0306 9C01 9F3704") -> ResponseAPDU {
        let list = pdol.map { tlv(0x9F38, bytes($0)) } ?? []
        return ResponseAPDU(
            data: tlv(0x6F, tlv(0x84, bytes(name)), tlv(0xA5, tlv(0x50, Array("CARD".utf8)), list)), status: .success)
    }

    mutating func answer(_ command: CommandAPDU) -> EntryPointEvent {
        commands.append(command)
        if let error = failures[commands.count - 1] { return .failed(error) }
        let response: ResponseAPDU
        switch command.ins {
        case 0xA4 where command.data == Array("2PAY.SYS.DDF01".utf8): response = directory
        case 0xA4: response = applications[command.data] ?? ResponseAPDU(status: .fileNotFound)
        default:
            let outcome = outcomes.isEmpty ? Self.outcome("10 F0 F0 00 00 F0 FF 00") : outcomes.removeFirst()
            response = ResponseAPDU(data: outcome, status: .success)
        }
        return .response(response, took: .milliseconds(5))
    }

    /// An answer that names an outcome: a parameter set of eight bytes, messages of 22 bytes on outcome and on restart,
    /// the answers of the host after which the transaction restarts (1: with EMV data, 2: any), and data.
    static func outcome(
        _ parameters: String, onOutcome: String? = nil, onRestart: String? = nil, onlineResponse: UInt8? = nil,
        record: String? = nil, discretionary: String? = nil
    ) -> [UInt8] {
        var parts = tlv(0xD4, bytes(parameters))
        if let onOutcome { parts += tlv(0xD5, bytes(onOutcome)) }
        if let onRestart { parts += tlv(0xD6, bytes(onRestart)) }
        if let onlineResponse { parts += tlv(0xD7, [onlineResponse]) }
        if let record { parts += tlv(0xD8, bytes(record)) }
        if let discretionary { parts += tlv(0xD9, bytes(discretionary)) }
        return tlv(0x77, parts)
    }

    /// The bytes of a message of Kernel 2 without a value: message, status, and hold time in units of 100 ms.
    static func message(_ message: String, _ status: String = "00", hold: String = "000000") -> String {
        message + status + hold + "0000000000000000" + "00000000000000" + "0000"
    }
}

/// A kernel that sends GET PROCESSING OPTIONS with the data that the card asks for, and takes its outcome from the
/// answer.
struct TestContactlessKernel: ContactlessKernel {
    let identifier: KernelIdentifier
    let activations: Recorder<KernelActivation>
    let kernels: Recorder<KernelIdentifier>
    private var list: DataObjectList?

    init(
        identifier: KernelIdentifier, activations: Recorder<KernelActivation>, kernels: Recorder<KernelIdentifier>
    ) {
        (self.identifier, self.activations, self.kernels) = (identifier, activations, kernels)
    }

    mutating func activate(_ activation: KernelActivation) -> KernelStep {
        activations.record(activation)
        kernels.record(identifier)
        if let selection = activation.selection {
            let value = (try? BERTLV.parse(selection.data))?.first(0x9F38)?.value ?? []
            list = try? DataObjectList(value)
        }
        let data = list?.filled(recorded: activation.data) { activation.data[$0] } ?? []
        guard
            let command = try? CommandAPDU(
                cla: 0x80, ins: 0xA8, p1: 0, p2: 0, data: tlv(0x83, data), expectedLength: 256)
        else { return KernelStep(.finish(ContactlessOutcome(.endApplication))) }
        return KernelStep(.transmit(command))
    }

    mutating func receive(_ input: KernelInput) -> KernelStep {
        switch input {
        case .failure:
            let message = UserInterfaceRequest(.processingError, .processingError)
            return KernelStep(.finish(ContactlessOutcome(.endApplication, uiOnOutcome: message)))
        case .response(let response, _):
            return KernelStep(.finish(Self.outcome(response.data) ?? ContactlessOutcome(.endApplication)))
        }
    }

    private static func outcome(_ answer: [UInt8]) -> ContactlessOutcome? {
        let objects = (try? BERTLV.parse(answer)) ?? []
        func value(_ tag: BERTag) -> [UInt8]? { objects.first(tag)?.value }
        func message(_ tag: BERTag) -> UserInterfaceRequest? {
            value(tag).flatMap { try? UserInterfaceRequest(bytes: $0) }
        }
        guard let parameters = value(0xD4),
            var outcome = try? ContactlessOutcome(
                parameterSet: parameters, uiOnOutcome: message(0xD5), uiOnRestart: message(0xD6),
                dataRecord: value(0xD8).map { SecretDataObject($0) },
                discretionaryData: value(0xD9).map { SecretDataObject($0) })
        else { return nil }
        switch value(0xD7)?.first ?? 0 {
        case 1: outcome.onlineResponseData = .emvData
        case 2: outcome.onlineResponseData = .any
        default: break
        }
        return outcome
    }
}

/// The values that tests collect.
final class Recorder<Value: Sendable>: Sendable {
    private let state = Mutex<[Value]>([])

    var values: [Value] { state.withLock { $0 } }

    func record(_ value: Value) { state.withLock { $0.append(value) } }
}

extension [EntryPointAction] {
    /// The messages that are shown.
    var messages: [UserInterfaceRequest] {
        compactMap { (action) -> UserInterfaceRequest? in
            guard case .show(let message) = action else { return nil }
            return message
        }
    }

    /// The outcomes that the till receives.
    var outcomes: [FinalOutcome] {
        compactMap { (action) -> FinalOutcome? in
            guard case .deliver(let outcome) = action else { return nil }
            return outcome
        }
    }
}

/// The bytes that hexadecimal digits stand for; spaces are left out.
func bytes(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue).map(UInt8.init)
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// A data object around encoded parts.
func tlv(_ tag: BERTag, _ parts: [UInt8]...) -> [UInt8] { BERTLV.encode(tag, parts.flatMap(\.self)) }

extension [UInt8] {
    /// Upper-case hexadecimal digits.
    var hexText: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}
