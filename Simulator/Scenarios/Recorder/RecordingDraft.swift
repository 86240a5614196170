import Determinism
import EMV
import Hardware
import Payments
import ScenarioFormat
import Settings
import Simulator
import SmartCard
import Text
import TillConfiguration

/// A recorded payment as a scenario that has not been played yet.
struct RecordingDraft: Sendable {
    private(set) var scenario: Scenario
    /// The comments at the start of the file.
    private(set) var remarks: [String]
    private let record: PaymentRecorder.Record
    private let payment: RecordedPayment
    private let place: RecordedPlace

    /// - Throws: ``RecordingError/notWritable(_:)``
    init(
        _ record: PaymentRecorder.Record, _ payment: RecordedPayment, _ place: RecordedPlace, name: String
    ) throws(RecordingError) {
        (self.record, self.payment, self.place) = (record, payment, place)
        let end = payment.outcome + (payment.errorCode.map { " (\($0))" } ?? "")
        remarks = ["Recorded by 'cardpresent pay --record'. Play it again: cardpresent simulate run FILE"]
        do {
            let card = try Self.card(record, payment, place)
            scenario = Scenario(
                name: name, summary: "A payment of \(payment.amount) as it was recorded: \(end)", card: card,
                steps: [])
            scenario.till = try Self.configuration(place.till, isSimulated: place.simulation != nil)
        } catch let error as SettingsError {
            throw .notWritable(error.description)
        } catch {
            throw .notWritable("\(error)")
        }
        scenario.tags = ["recorded"]
        scenario.seed = place.simulation?.seed ?? 1
        scenario.clock = ClockSetup(start: place.start, offsetSeconds: place.utcOffsetSeconds)
        scenario.readers = [ReaderSetup(model: reader)]
        scenario.issuerRules = place.issuerRules
        if RecordedBits(payment.card).tvr.contains("cardOnExceptionFile") { scenario.exceptions = [scenario.card] }
        scenario.steps = [ScenarioStep(.connect(reader: nil)), pay]
        describe()
    }

    // MARK: The reader and the configuration

    /// The simulated reader of the payment, or the model most like the real one.
    private var reader: SimulatedReader {
        if let simulation = place.simulation { return simulation.model }
        guard record.reader?.hasPINPad != true else { return .chip(.pinpad) }
        return switch record.reader?.exchangeLevel {
        case "TPDU": .chip(.tpdu)
        case "extended APDU": .chip(.extendedAPDU)
        default: .chip(.shortAPDU)
        }
    }

    /// Returns the configuration without the settings of this shop: printers, the store connection, and files.
    private static func configuration(
        _ till: TillConfiguration, isSimulated: Bool
    ) throws(SettingsError) -> TillConfiguration {
        let root = try SettingsDocument(text: till.yaml, file: "configuration").root
        var entries: [(key: String, value: SettingsNode)] = []
        for entry in try root.without(keys: ["printers", "store"]).entries() {
            switch entry.key {
            case "receipt": entries.append((entry.key, entry.value.without(keys: ["logo", "sender", "printer"])))
            case "readers":
                let lost = SettingsNode.mapping([("reconnect", .mapping([("enabled", .text("false"))]))])
                let readers = entry.value.without(keys: ["firmware"])
                // A simulated reader that is lost does not come back by itself.
                entries.append((entry.key, isSimulated ? lost.laid(over: readers) : readers))
            default: entries.append((entry.key, entry.value))
            }
        }
        return try TillConfiguration(.mapping(entries))
    }

    // MARK: The card and the person

    private static func card(
        _ record: PaymentRecorder.Record, _ payment: RecordedPayment, _ place: RecordedPlace
    ) throws -> CardSetup {
        var person: [(key: String, value: SettingsNode)] = []
        if let simulation = place.simulation {
            if let pin = simulation.pin {
                // A PIN that was given once is entered only once.
                let word = simulation.card.isRightPIN(pin) ? "right" : "wrong"
                person.append(("pinEntries", .list([.text(word), .text("cancel")])))
            }
            let changes = person.isEmpty ? [] : [SettingsNode.mapping([("cardholder", .mapping(person))])]
            let profile = try CardProfileLibrary.profile(simulation.cardName, changedBy: changes)
            return CardSetup(name: simulation.cardName, profile: profile)
        }
        if !record.pins.isEmpty { person.append(("pinEntries", .list(record.pins.map { .text($0) }))) }
        if record.declinedToChoose { person.append(("choosesApplication", .text("cancel"))) }
        if let account = record.account { person.append(("choosesAccount", .text(account.rawValue))) }
        if let wait = Self.insertion(record) { person.append(("insertsAfter", .text(String(wait)))) }
        let changes = person.isEmpty ? nil : SettingsNode.mapping([("cardholder", .mapping(person))])
        guard let recorded = Self.recording(record, payment) else {
            let profile = try CardProfileLibrary.profile("visa-credit", changedBy: changes.map { [$0] } ?? [])
            return CardSetup(name: "visa-credit", profile: profile)
        }
        return CardSetup(
            name: "card", profile: try CardProfile(recording: CardRecording(recorded), changedBy: changes))
    }

    private static let longestInsertion: Int64 = 600_000

    /// Returns the milliseconds from the prompt to the inserted card; nil when no card was inserted.
    private static func insertion(_ record: PaymentRecorder.Record) -> Int64? {
        guard let asked = record.moments.first(where: { $0.text.hasPrefix("waiting") }),
            let came = record.moments.first(where: { $0.text == "card_inserted" })
        else { return nil }
        return min(longestInsertion, max(0, came.time.milliseconds - asked.time.milliseconds))
    }

    /// Returns the value of `recorded`; nil without an exchange with the card.
    private static func recording(
        _ record: PaymentRecorder.Record, _ payment: RecordedPayment
    ) -> SettingsNode? {
        let exchanges = record.exchanges.compactMap(Self.exchange)
        guard !exchanges.isEmpty else { return nil }
        var entries: [(key: String, value: SettingsNode)] = []
        // T=0 has no extended lengths.
        let isExtended = record.exchanges.contains { $0.command.utf8.count > 2 * 261 }
        entries.append(("protocol", .text(isExtended ? "T=1" : "T=0")))
        if let lastFour = payment.card?.lastFour { entries.append(("lastFour", .text(lastFour))) }
        if RecordedBits(payment.card).tvr.contains("expiredApplication") { entries.append(("expired", .text("true"))) }
        entries.append(("exchanges", .list(exchanges)))
        if !record.answers.isEmpty { entries.append(("issuer", .list(record.answers.map(Self.answer)))) }
        return .mapping(entries)
    }

    /// Returns an exchange in file format; nil when it did not reach the card, or the reader failed.
    private static func exchange(_ entry: TraceEntry) -> SettingsNode? {
        let command: (key: String, value: SettingsNode) = ("c", .text(entry.command))
        switch entry.outcome {
        case .response(let response): return .mapping([command, ("r", .text(response))])
        case .failure(.cardRemoved): return .mapping([command, ("e", .text("removed"))])
        case .failure(.cardMute), .failure(.timedOut), .failure(.protocolViolation):
            return .mapping([command, ("e", .text("mute"))])
        case .failure, .notSent: return nil
        }
    }

    private static func answer(_ answer: IssuerAnswer) -> SettingsNode {
        func scripts(_ templates: [[UInt8]]) -> SettingsNode {
            .list(templates.map { .text(IssuerScriptMask.masked($0).hexadecimal) })
        }
        var entries: [(key: String, value: SettingsNode)] = [
            ("responseCode", .text(String(decoding: answer.authorizationResponseCode, as: UTF8.self)))
        ]
        if let code = answer.authorizationCode { entries.append(("authorisationCode", .text(code))) }
        if let data = answer.issuerAuthenticationData {
            entries.append(("authenticationData", .text(data.hexadecimal)))
        }
        if !answer.scriptsBeforeFinal.isEmpty { entries.append(("scriptsBefore", scripts(answer.scriptsBeforeFinal))) }
        if !answer.scriptsAfterFinal.isEmpty { entries.append(("scriptsAfter", scripts(answer.scriptsAfterFinal))) }
        return .mapping(entries)
    }

    // MARK: The payment

    private var pay: ScenarioStep {
        let events = ["card_inserted", "card_swiped", "card_tapped"]
        let wasPresented = record.moments.contains { events.contains($0.text) }
        let pay = PayAction(
            .amount(payment.amount), presentsCard: place.simulation != nil || wasPresented, timeout: payment.timeout,
            forcesOnline: payment.isForcedOnline)
        return ScenarioStep(.pay(pay), interruptions: interruptions, expectations: expectations)
    }

    /// The actions during the payment: a cancellation, or the loss of the reader.
    private var interruptions: [Interruption] {
        var interruptions: [Interruption] = []
        if let cancellation = record.cancellation {
            interruptions.append(Interruption(trigger(after: cancellation.moments, at: cancellation.time), .cancel))
        }
        if place.simulation == nil, let end = record.moments.firstIndex(where: \.isLossOfReader) {
            let lost = record.moments[end]
            interruptions.append(Interruption(trigger(after: end, at: lost.time), .unplug(reader: nil)))
        }
        return interruptions
    }

    /// Returns the trigger of an action after this many moments. Includes a delay only where the payment waited for a
    /// person.
    private func trigger(after count: Int, at time: Timestamp) -> Interruption.Trigger {
        guard count > 0 else { return .time(.zero) }
        // The recovery of a silent reader happens only after the action, so it can't trigger it.
        let seen = record.moments.prefix(count).filter { !$0.text.hasPrefix("recovering") }
        guard let last = seen.last else { return .time(.zero) }
        let words = last.kind == .exchange ? "apdu" : last.text
        let occurrences = seen.count { $0.text == words || $0.text.hasPrefix(words + " ") }
        let delay = last.waitsForPerson ? max(0, time.milliseconds - last.time.milliseconds) : 0
        return .event(words, count: occurrences, delay: .milliseconds(min(delay, 86_400_000)))
    }

    // MARK: Expectations

    private static let mostPatterns = 200

    private var expectations: [Expectation] {
        let bits = RecordedBits(payment.card)
        var checks: [Expectation.Check] = [.outcome(payment.outcome), .error(payment.errorCode)]
        if let state = payment.state { checks.append(.state(state)) }
        if let entry = payment.card?.entryMode { checks.append(.entry(entry.rawValue)) }
        if !bits.tvr.isEmpty { checks.append(.tvr(BitExpectation(set: bits.tvr, clear: []))) }
        if !bits.tsi.isEmpty { checks.append(.tsi(BitExpectation(set: bits.tsi, clear: []))) }
        if let method = payment.card?.cardholderVerification.rawValue { checks.append(.cvm(method)) }
        let events = record.moments.filter { $0.kind == .reader }.map(\.text)
        let (shown, told) = (events.filter { $0.hasPrefix("display ") }, events.filter { !$0.hasPrefix("display ") })
        if !told.isEmpty { checks.append(.events(Self.patterns(told))) }
        if !shown.isEmpty {
            checks.append(.display(Self.patterns(shown.map { String($0.dropFirst("display ".count)) })))
        }
        if !payment.receipt.isEmpty { checks.append(.receipt(Self.patterns(payment.receipt))) }
        if place.simulation != nil {
            checks.append(
                .trace(record.moments.filter { $0.kind == .exchange }.map { String($0.text.dropFirst("apdu ".count)) }))
        } else {
            let commands = record.exchanges.compactMap { entry -> String? in
                guard case .response(let response) = entry.outcome else { return nil }
                return "\(entry.command.prefix(8))*\(response.suffix(4))"
            }
            if !commands.isEmpty { checks.append(.apdu(Self.patterns(commands))) }
        }
        return checks.map { Expectation($0) }
    }

    private static func patterns(_ texts: [String]) -> [TextPattern] {
        texts.prefix(mostPatterns).map { TextPattern(String($0.prefix(200))) }
    }

    // MARK: Remarks

    private mutating func describe() {
        if place.simulation != nil {
            remarks.append(
                "Reader, card, issuer, and random numbers were simulated: a replay is identical.")
        } else {
            let reader = record.reader.map { reader in
                [reader.name, reader.usbID, reader.softwareVersion, reader.exchangeLevel].compactMap(\.self)
                    .joined(separator: ", ")
            }
            remarks.append("The reader was real (\(reader ?? "unknown")); '\(self.reader.name)' replaces it.")
            if scenario.card.profile.recording == nil {
                remarks.append("The card got no commands, or was swiped; 'visa-credit' replaces it.")
            } else {
                remarks += [
                    "The card was real. ** is masked card data, which a replay replaces with generated data.",
                    "A replay has no offline data authentication, checks no cryptograms, and repeats the issuer's responses.",
                ]
            }
        }
        remarks += payment.leftOut.map { "Not repeated: \($0)." }
    }
}

extension RecordedMoment {
    /// Whether the reader was unplugged or stopped responding.
    fileprivate var isLossOfReader: Bool {
        text.hasPrefix("disconnected") && text != "disconnected requested"
            || kind == .exchange && text.contains(" failed the card reader does not answer")
    }
}
