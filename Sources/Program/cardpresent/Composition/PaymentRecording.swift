import Determinism
import Glibc
import Money
import Payments
import Recorder
import Simulator
import TillConfiguration

/// Records a payment as a scenario. Errors are reported and do not affect the payment.
struct PaymentRecording: Sendable {
    private let file: RecordingFile
    /// The random seed of a simulated run, so that it can be replayed.
    private let seed: UInt64
    let repeatability: Repeatability

    /// - Throws: `CommandFailure` when the file cannot be written.
    init(path: String, isForced: Bool, _ determinism: DeterminismOptions) throws(CommandFailure) {
        file = try RecordingFile(path: path, isForced: isForced)
        seed = determinism.seed ?? UInt64(SystemRandomSource().number(in: 1...Self.largestSeed))
        repeatability = determinism.repeatability.recorded(chance: seed)
    }

    /// At most nine digits, so that a person can read the seed aloud.
    private static let largestSeed: UInt32 = 999_999_999

    /// The options of a payment.
    struct Request: Sendable {
        var environment: EnvironmentOptions
        var pin: SealedBytes?
        /// Nil for an order.
        var amount: Money?
        var timeout: Duration
        var isForcedOnline: Bool
        var leftOut: [String]
        var settings: TillConfiguration
        var rules: IssuerRules
    }

    /// Writes the file and reports its path, or why it was not written.
    func finish(
        _ till: Till, _ request: Request, _ result: Result<Payment, CommandFailure>
    ) async {
        do throws(CommandFailure) {
            guard let recorder = till.recorder, recorder.hasHeardOfPayment else {
                return StandardError.write("cardpresent: nothing was recorded, because no payment started\n")
            }
            guard let payment = await recorded(till, request, result) else {
                throw CommandFailure(.unavailable, code: "not_recorded", message: "the amount is unknown")
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
                state: payment.state.rawValue, card: payment.card)
            if let receipt = try? await till.receipt(of: payment.id),
                let text = try? await till.text(of: receipt, copy: .customer, width: request.settings.receiptWidth)
            {
                recorded.receipt = Self.essentials(of: text, payment)
            }
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
        if case .simulated(let model) = request.environment.reader {
            place.simulation = RecordedPlace.Simulation(
                model: try ReaderModelCatalog.reader(model), cardName: request.environment.cardName,
                card: try CardCatalog.profile(request.environment.card), seed: seed, pin: request.pin)
        }
        return place
    }

    /// Returns the lines of a receipt that a replay repeats: without the store's address, numbers, dates, and times.
    private static func essentials(of text: String, _ payment: Payment) -> [String] {
        let card = payment.card
        let passing = [
            payment.name, card?.authorizationCode, card?.hostReference, card?.applicationCryptogram,
        ].compactMap(\.self)
        // Whether the brand and the issuer's data have their own lines depends on the store's country.
        let brand = card.map { "*" + $0.brand.lowercased() }
        return text.split(separator: "\n").map(Self.pattern).filter { line in
            let isRule = line.allSatisfy { "-=_".contains($0) }
            let isPassing = line.contains(":") || passing.contains { line.hasSuffix("*" + $0) }
            let letters = line.lowercased().filter { $0 != " " }
            let isBrand = brand.map { letters.hasSuffix($0) } ?? false
            return !isRule && !isPassing && !isBrand && !line.hasPrefix("IAD") && !line.contains("${")
        }
    }

    /// Returns the line as a pattern for any paper width, with `*` for the space between two columns.
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

/// The file of a recorded payment. Checks that it can be written before the payment starts; moved to its final name
/// when complete.
final class RecordingFile: Sendable {
    let path: String
    private let isForced: Bool
    private let temporary: String
    private let descriptor: Int32

    /// The first bytes of a recording, which identify it.
    private static let beginning = Array("# Recorded by 'cardpresent pay --record'".utf8)

    /// - Parameters:
    ///   - path: The path of the recording.
    ///   - isForced: Whether to replace an older recording. Other files are never replaced.
    /// - Throws: `CommandFailure`
    init(path: String, isForced: Bool) throws(CommandFailure) {
        (self.path, self.isForced) = (path, isForced)
        try Self.check(path, isForced)
        temporary = "\(path).\(getpid()).new"
        // Only the user may read a recording, even though card data is masked.
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else {
            throw Self.failure(path, errno, fix: "choose a path in a writable folder")
        }
    }

    deinit {
        if descriptor >= 0 {
            close(descriptor)
            unlink(temporary)
        }
    }

    private static func check(_ path: String, _ isForced: Bool) throws(CommandFailure) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard isForced else {
            throw CommandFailure(
                .usage, code: "record_exists", message: "'\(path)' already exists",
                fix: "choose another path, or use --force to overwrite a recording")
        }
        guard status.st_mode & S_IFMT == S_IFREG, isRecording(path) else {
            throw CommandFailure(
                .usage, code: "record_not_a_recording",
                message: "'\(path)' exists and is not a recording", fix: "choose another path")
        }
    }

    private static func isRecording(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: beginning.count)
        return pread(descriptor, &bytes, bytes.count, 0) == bytes.count && bytes == beginning
    }

    /// Writes the recording and moves the file to its final name.
    ///
    /// - Throws: `CommandFailure`; the file does not exist then.
    func write(_ text: String) throws(CommandFailure) {
        let reason = writeAll(Array(text.utf8), to: descriptor)
        guard reason == 0 else { throw Self.failure(path, reason) }
        guard fsync(descriptor) == 0 else { throw Self.failure(path, errno) }
        if isForced {
            guard rename(temporary, path) == 0 else { throw Self.failure(path, errno) }
        } else {
            // Unlike rename(2), link(2) does not replace a file that was created meanwhile.
            guard link(temporary, path) == 0 else { throw Self.failure(path, errno) }
        }
    }

    private static func failure(_ path: String, _ reason: Int32, fix: String? = nil) -> CommandFailure {
        CommandFailure(
            .unavailable, code: "record_not_writable",
            message: "cannot write the recording '\(path)': \(String(cString: strerror(reason)))", fix: fix)
    }
}
