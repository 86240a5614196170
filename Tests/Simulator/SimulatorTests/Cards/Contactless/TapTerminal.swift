import CardSecrets
import ContactlessKernel8
import Determinism
import EMV
import EntryPoint
import Money
import SmartCard
import Testing

@testable import Simulator

/// A reader with Entry Point and kernel 8, and one simulated card at a time in its field.
struct TapTerminal {
    var entryPoint: ContactlessEntryPoint
    let card: SimulatedContactlessCard
    private(set) var commands: [CommandAPDU] = []
    private(set) var messages: [UserInterfaceRequest] = []
    private(set) var outcomes: [FinalOutcome] = []
    private(set) var hostWasAsked = false

    /// A terminal for a card. `settings` are objects of the kernel's configuration other than those of a shop with the
    /// limits 100.00 and 50.00.
    init(
        _ profile: CardProfile, settings: [BERTag: [UInt8]] = [:], seed: UInt64 = 1,
        type: TerminalType = .attendedMerchant, checksStatus: Bool = false,
        now: CivilDate = CivilDate(year: 2026, month: 11, day: 28, hour: 12)
    ) throws {
        let contactless = try #require(profile.contactless)
        let data = Kernel8Configuration.shop(floorLimit: 10_000, cvmRequiredLimit: 5_000)
            .merging(settings) { _, setting in setting }
        let combination = try ReaderCombination(
            aid: contactless.aid, kernel: .kernel8, checksStatus: checksStatus, kernelData: data)
        let authorities = try profile.contactlessAuthorityKeys(.embedded())
        // Shared, so that every activation has keys of its own.
        let random = SeededRandomSource(seed: seed)
        let kernels = try KernelRegistry([
            KernelRegistration(.kernel8) {
                Kernel8(authorities: authorities, now: now, random: random)
            }
        ])
        entryPoint = ContactlessEntryPoint(
            configuration: try EntryPointConfiguration(
                terminal: try TerminalConfiguration(type: type),
                combinations: [.goodsOrServices: [combination], .refund: [combination]]),
            kernels: kernels, random: SeededRandomSource(seed: seed))
        card = try SimulatedContactlessCard(profile: profile, random: SeededRandomSource(seed: seed))
    }

    init(named name: String, settings: [BERTag: [UInt8]] = [:]) throws {
        try self.init(try CardProfileLibrary.profile(name), settings: settings)
    }

    /// Begins a payment, and taps the card until Entry Point wants no more, at most `taps` times.
    mutating func pay(_ minorUnits: Int64 = 1250, taps: Int = 1, isForcedOnline: Bool = false) throws {
        (commands, messages, outcomes, hostWasAsked) = ([], [], [], false)
        let euro = try Currency(code: "EUR")
        let request = TransactionRequest(
            amount: try Money(minorUnits: minorUnits, currency: euro),
            date: CivilDate(year: 2026, month: 11, day: 28, hour: 12), sequenceCounter: 1,
            forcedOnline: isForcedOnline)
        try carryOut(try entryPoint.begin(request))
        for _ in 0..<taps where entryPoint.phase == .polling { try tap() }
    }

    /// Holds the card in the field until Entry Point is done with it.
    mutating func tap() throws {
        _ = card.reset(warm: false)
        try carryOut(try entryPoint.handle(.cardDetected))
        card.powerOff()
    }

    private mutating func carryOut(_ first: [EntryPointAction]) throws {
        var actions = first
        while true {
            var command: CommandAPDU?
            for action in actions {
                switch action {
                case .show(let message): messages.append(message)
                case .deliver(let outcome): outcomes.append(outcome)
                case .transmit(let next): command = next
                case .poll, .pauseField, .switchFieldOff, .watchRemoval, .applyHostDecision: break
                }
            }
            if entryPoint.phase == .awaitingHost {
                hostWasAsked = true
                actions = try entryPoint.handle(.hostAnswered(.unableToGoOnline))
                continue
            }
            guard let command else { return }
            commands.append(command)
            try #require(commands.count < 200)
            let reply = card.process(command)
            actions =
                try reply.response.map { try entryPoint.handle(.response($0, took: reply.processingTime)) }
                ?? entryPoint.handle(.failed(.cardMute))
        }
    }

    var last: ContactlessOutcome? { outcomes.last?.outcome }

    /// The objects of the last data record.
    var record: [BERTag: [UInt8]] { Self.objects(last?.dataRecord) }
    var discretionary: [BERTag: [UInt8]] { Self.objects(last?.discretionaryData) }

    private static func objects(_ object: SecretDataObject?) -> [BERTag: [UInt8]] {
        let bytes = object.map { $0.value.withUnsafeBytes { [UInt8]($0) } } ?? []
        return Dictionary(
            ((try? BERTLV.parse(bytes)) ?? []).map { ($0.tag, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}
