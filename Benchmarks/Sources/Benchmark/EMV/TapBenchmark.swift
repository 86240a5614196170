import CardSecrets
import ContactlessKernel8
import Cryptography
import Determinism
import EMV
import EntryPoint
import Simulator
import SmartCard

/// Measures one transaction of kernel 8 with a simulated card, and the same operations on the curve alone.
struct TapBenchmark {
    var rounds = 15
    var payments = 100

    /// A card, its measurements in microseconds of processor time per transaction, and the curve of its certificates.
    private struct Subject {
        let name: String
        var lane: TapLane
        let curves: TapCurves
        let target: Double?
        var whole = Samples()
        var curve = Samples()
    }

    func run() throws -> String {
        var subjects = [
            Subject(
                name: "`k8-plain`, no certificates", lane: try TapLane(card: "k8-plain"),
                curves: try TapCurves(certificates: nil), target: nil),
            Subject(
                name: "`k8-offline`", lane: try TapLane(card: "k8-offline"),
                curves: try TapCurves(certificates: .p256), target: 3000),
            Subject(
                name: "`k8-large-curve`, P-521", lane: try TapLane(card: "k8-large-curve"),
                curves: try TapCurves(certificates: .p521), target: nil),
        ]
        for index in subjects.indices { try subjects[index].lane.pay(payments) }
        for _ in 0..<rounds {
            for index in subjects.indices {
                let before = Machine.processorSeconds
                try subjects[index].lane.pay(payments)
                let middle = Machine.processorSeconds
                for _ in 0..<payments { try subjects[index].curves.work() }
                let end = Machine.processorSeconds
                subjects[index].whole.add(1e6 * (middle - before) / Double(payments))
                subjects[index].curve.add(1e6 * (end - middle) / Double(payments))
            }
        }
        var table = MarkdownTable(
            "card", "all", "the curve alone (baseline)", "the curve's share, %", "target of all", "target of the share")
        for subject in subjects {
            let share = (subject.curve / subject.whole).map { 100 * $0 }
            table.add(
                subject.name, subject.whole.text(decimals: 0), subject.curve.text(decimals: 0),
                share.text(decimals: 0), subject.target.map { verdict(subject.whole.median, atMost: $0) } ?? "",
                subject.target == nil ? "" : verdict(share.median, atLeast: 60))
        }
        return """
            ### One transaction of kernel 8, kernel and card: µs of processor time

            \(table.text)
            """
    }
}

/// A reader with kernel 8 and one card, without anything between them.
struct TapLane {
    private let profile: CardProfile
    private let aid: [UInt8]
    private let authorities: [ECCAuthorityKey]
    private let combination: ReaderCombination
    private let data: [BERTag: [UInt8]]
    private let random = SeededRandomSource(seed: 2)
    private var card: SimulatedContactlessCard
    private var count = 0

    /// A card's counter has two bytes.
    private static let mostPayments = 60_000

    init(card name: String) throws {
        profile = try CardProfileLibrary.profile(name)
        aid = profile.contactless?.aid ?? []
        authorities = try profile.contactlessAuthorityKeys(.embedded())
        combination = try ReaderCombination(aid: aid, kernel: .kernel8)
        card = try SimulatedContactlessCard(profile: profile, random: SeededRandomSource(seed: 1))
        data = Kernel8Configuration.shop(floorLimit: 10_000, cvmRequiredLimit: 5_000).merging([
            EMVTag.terminalAID: aid, EMVTag.amount: [0, 0, 0, 0, 0x12, 0x50],
            EMVTag.amountOther: [0, 0, 0, 0, 0, 0], EMVTag.date: [0x26, 0x11, 0x28], EMVTag.transactionType: [0],
            EMVTag.currency: [0x09, 0x78], EMVTag.terminalCountry: [0x02, 0x76], EMVTag.terminalType: [0x22],
            EMVTag.unpredictableNumber: [1, 2, 3, 4], EMVTag.additionalCapabilities: [0x60, 0x00, 0xF0, 0xA0, 0x01],
        ]) { _, new in new }
    }

    /// Takes payments, each of which the card approves or sends online.
    mutating func pay(_ payments: Int) throws {
        for _ in 0..<payments { try pay() }
    }

    private mutating func pay() throws {
        if count == Self.mostPayments {
            card = try SimulatedContactlessCard(profile: profile, random: SeededRandomSource(seed: 1))
            count = 0
        }
        count += 1
        _ = card.reset(warm: false)
        var kernel = Kernel8(
            authorities: authorities, now: CivilDate(year: 2026, month: 11, day: 28), random: random)
        let select = try CommandAPDU(cla: 0, ins: 0xA4, p1: 4, p2: 0, data: aid, expectedLength: 256)
        var step = kernel.activate(
            KernelActivation(
                start: .b, isRestart: false, combination: combination,
                indicators: PreProcessingIndicators(unprocessed: combination), selection: card.process(select).response,
                data: data, onlineResponse: nil))
        while case .transmit(let command) = step.next {
            guard let response = card.process(command).response else { throw BenchmarkError("the card is mute") }
            step = kernel.receive(.response(response, took: .milliseconds(5)))
        }
        guard case .finish(let outcome) = step.next, outcome.status == .approved || outcome.status == .onlineRequest
        else { throw BenchmarkError("the tap failed: \(String(describing: kernel.result?.error))") }
        card.powerOff()
    }
}

/// The operations on the curve of one transaction alone: those of the kernel and those of the card.
struct TapCurves {
    private struct Certificate {
        let signature: [UInt8]
        let message: [UInt8]
        let signer: EllipticCurvePoint
        /// x of the key in it.
        let key: [UInt8]
        let keyCurve: EllipticCurve
    }

    private let card: EllipticCurvePrivateKey
    private let certificates: [Certificate]
    private let random = SeededRandomSource(seed: 4)

    /// - Parameter suite: the curve of authority and issuer; nil for a card without certificates.
    /// - Throws: errors of the test keys and of libcrypto.
    init(certificates suite: CertificateSuite?) throws {
        let keys = try TestECKeys.embedded()
        card = keys.card
        guard let suite else {
            certificates = []
            return
        }
        let (authority, issuer) = (try keys.authority(suite), try keys.issuer(suite))
        func certificate(
            _ signer: EllipticCurvePrivateKey, _ key: EllipticCurvePoint
        ) throws -> Certificate {
            let message = [UInt8](repeating: 0x5A, count: 60) + key.x
            return Certificate(
                signature: try ECSDSA.sign(message, key: signer, random: SeededRandomSource(seed: 0)),
                message: message, signer: signer.publicKey, key: key.x, keyCurve: key.curve)
        }
        certificates = [try certificate(authority, issuer.publicKey), try certificate(issuer, card.publicKey)]
    }

    func work() throws {
        // The kernel's key pair.
        let kernel = try EllipticCurvePrivateKey.random(on: .p256, from: random)
        // The card blinds its key, and finds the shared secret.
        let factor = try EllipticCurveScalar.random(on: .p256, from: random)
        let blinded = try card.publicKey.multiplied(by: factor).x
        let kernelKey = try EllipticCurvePoint(coordinates: kernel.publicKey.coordinates, on: .p256)
        let cardSecret = try card.sharedX(with: kernelKey, blindedBy: factor)
        // The kernel finds it too.
        let secret = try kernel.sharedX(with: EllipticCurvePoint(smallerRootOf: blinded, on: .p256))
        guard secret.isEqual(to: cardSecret) else { throw BenchmarkError("two secrets") }
        // The kernel verifies the certificates, and that the channel has the certified key.
        for certificate in certificates {
            guard try ECSDSA.verify(certificate.signature, of: certificate.message, key: certificate.signer) else {
                throw BenchmarkError("a wrong signature")
            }
            let key = try EllipticCurvePoint(smallerRootOf: certificate.key, on: certificate.keyCurve)
            guard certificate.key == card.publicKey.x else { continue }
            guard try key.multiplied(by: factor).x == blinded else { throw BenchmarkError("another key") }
        }
    }
}
