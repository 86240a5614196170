internal import Amounts
internal import Determinism
internal import Hardware
internal import Recorder
internal import Simulator
internal import Yosemite

/// A payment that is written down as a scenario. Nothing about it changes the payment: what goes wrong with it is told, and
/// that is all.
struct PaymentRecording: Sendable {
    private let file: RecordingFile
    /// Where the chance of a simulated run comes from, so that it can be had again.
    private let seed: UInt64
    let repeatability: Repeatability

    /// - Throws: `CommandFailure` when the file cannot be written.
    init(path: String, isForced: Bool, _ determinism: DeterminismOptions) throws(CommandFailure) {
        file = try RecordingFile(path: path, isForced: isForced)
        seed = determinism.seed ?? UInt64(SystemRandomSource().number(in: 1...Self.largestSeed))
        repeatability = determinism.repeatability.recorded(chance: seed)
    }

    /// Short enough to be read aloud.
    private static let largestSeed: UInt32 = 999_999_999

    /// How a payment was asked for.
    struct Request: Sendable {
        var world: WorldOptions
        var pin: SealedBytes?
        /// Nil when an order says it.
        var amount: Money?
        var timeout: Duration
        var isForcedOnline: Bool
        var leftOut: [String]
        var settings: TillConfiguration
        var rules: IssuerRules
    }

    /// Writes the file, and tells where it is or why there is none.
    func finish(
        _ till: Till, _ request: Request, _ result: Result<Payment, CommandFailure>
    ) async {
        do throws(CommandFailure) {
            guard let recorder = till.recorder, recorder.hasHeardOfPayment else {
                return StandardError.write("cardpresent: no payment began, so that nothing was recorded\n")
            }
            guard let payment = await recorded(till, request, result) else {
                throw CommandFailure(.unavailable, code: "not_recorded", message: "nobody knows what was to be paid")
            }
            let place = try place(recorder, request)
            let text: String
            do throws(RecordingError) {
                text = try await recorder.scenario(of: payment, at: place, name: Self.stem(file.path))
            } catch {
                throw CommandFailure(.unavailable, code: "not_recorded", message: "\(error)")
            }
            try file.write(text)
            StandardError.write("cardpresent: recorded in '\(file.path)'\n")
        } catch {
            StandardError.write("cardpresent: the payment was not recorded\n")
            error.report()
        }
    }

    private func recorded(
        _ till: Till, _ request: Request, _ result: Result<Payment, CommandFailure>
    ) async -> RecordedPayment? {
        var recorded: RecordedPayment
        switch result {
        case .success(let payment):
            recorded = RecordedPayment(
                amount: payment.amount, outcome: payment.outcome.rawValue, errorCode: payment.errorCode,
                state: payment.state, card: payment.card)
            let text = try? await till.receiptText(
                of: payment.id, copy: .customer, width: request.settings.receiptWidth)
            recorded.receipt = Self.essentials(of: text ?? "", payment)
        case .failure(let failure):
            guard let amount = request.amount else { return nil }
            recorded = RecordedPayment(amount: amount, outcome: "failed", errorCode: failure.code)
        }
        (recorded.timeout, recorded.isForcedOnline) = (request.timeout, request.isForcedOnline)
        recorded.leftOut = request.leftOut
        return recorded
    }

    private func place(
        _ recorder: PaymentRecorder, _ request: Request
    ) throws(CommandFailure) -> RecordedPlace {
        var place = RecordedPlace(
            start: recorder.start, utcOffsetSeconds: recorder.utcOffsetSeconds, till: request.settings,
            issuerRules: request.rules)
        if case .simulated(let model) = request.world.reader {
            place.simulation = RecordedPlace.Simulation(
                model: try ReaderModelCatalogue.reader(model), cardName: request.world.cardName,
                card: try CardCatalogue.profile(request.world.card), seed: seed, pin: request.pin)
        }
        return place
    }

    /// What a receipt says that does not hang on its place, its number and its moment.
    private static func essentials(of text: String, _ payment: Payment) -> [String] {
        let card = payment.card
        let passing = [
            payment.name, card?.authorizationCode, card?.hostReference, card?.applicationCryptogram,
        ].compactMap(\.self)
        // Whether the brand and the issuer's data have lines of their own hangs on the place of the shop.
        let brand = card.map { "*" + $0.brand.lowercased() }
        return text.split(separator: "\n").map(Self.pattern).filter { line in
            let isRule = line.allSatisfy { "-=_".contains($0) }
            let isPassing = line.contains(":") || passing.contains { line.hasSuffix("*" + $0) }
            let letters = line.lowercased().filter { $0 != " " }
            let isBrand = brand.map { letters.hasSuffix($0) } ?? false
            return !isRule && !isPassing && !isBrand && !line.hasPrefix("IAD") && !line.contains("${")
        }
    }

    /// The words of a line, whatever the paper's width: what stands between two columns may be anything.
    private static func pattern(_ line: Substring) -> String {
        var words: [Substring] = []
        var rest = line.drop { $0 == " " }
        while !rest.isEmpty {
            guard let gap = rest.firstRange(of: "  ") else {
                words.append(rest)
                break
            }
            words.append(rest[..<gap.lowerBound])
            rest = rest[gap.lowerBound...].drop { $0 == " " }
        }
        return words.joined(separator: "*")
    }

    private static func stem(_ path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return name.split(separator: ".").first.map(String.init) ?? name
    }
}
