import CardSecrets
import Determinism
import EMV
import Money
import SmartCard
import Synchronization

/// A kernel with everything around it, so that a test states only what it is about.
struct TestKernel {
    var terminal = TerminalConfiguration.standard
    var cardholder = TestCardholder()
    var issuer = TestIssuer(code: "00")
    var history: (any CardHistory)?
    var random: any RandomSource = SeededRandomSource(seed: 1)

    static func request(
        _ amount: Int64 = 1250, cashback: Int64? = nil, kind: TransactionRequest.Kind = .goodsOrServices,
        forcedOnline: Bool = false, currency: String = "USD"
    ) throws -> TransactionRequest {
        let currency = try Currency(code: currency)
        return TransactionRequest(
            amount: try Money(minorUnits: amount, currency: currency),
            cashback: try cashback.map { try Money(minorUnits: $0, currency: currency) }, kind: kind,
            date: CivilDate(year: 2026, month: 1, day: 2, hour: 12, minute: 34, second: 56), sequenceCounter: 7,
            forcedOnline: forcedOnline)
    }

    func run(
        _ card: any CardChannel, _ request: TransactionRequest? = nil,
        observe: @escaping @Sendable (KernelState) -> Void = { _ in }
    ) async throws -> KernelOutcome {
        let kernel = ContactKernel(
            terminal: terminal, cardholder: cardholder, authorizer: issuer, history: history, random: random)
        return await kernel.run(try request ?? Self.request(), on: card, observe: observe)
    }

    /// A terminal whose only application is Visa, with these settings.
    static func terminal(
        type: UInt8 = 0x22, capabilities: String = "20F800", floorLimit: UInt32 = 0,
        randomSelection: RandomSelection = .never, actionCodes: ActionCodes? = nil,
        pinPolicy: PINPolicy = PINPolicy(), keys: [CAPublicKey] = [], revoked: [CertificateRevocation] = [],
        choice: Bool = true, defaultDDOL: [UInt8] = bytes("9F3704"), defaultTDOL: [UInt8]? = nil,
        aids: [[UInt8]] = [TestCard.Profile.visa]
    ) throws -> TerminalConfiguration {
        let codes = actionCodes ?? ActionCodes(denial: [], online: [], default: [])
        return try TerminalConfiguration(
            type: TerminalType(rawValue: type) ?? .attendedMerchant,
            capabilities: TerminalCapabilities(bytes: bytes(capabilities)) ?? [],
            applications: aids.map {
                try TerminalApplication(
                    aid: $0, versions: [0x0096], actionCodes: codes, floorLimit: floorLimit,
                    randomSelection: randomSelection, defaultDDOL: defaultDDOL, defaultTDOL: defaultTDOL)
            },
            certificationAuthorityKeys: keys, revokedCertificates: revoked, pinPolicy: pinPolicy,
            offersApplicationChoice: choice)
    }

    /// IACs of a card that leaves everything to the terminal: 9F0E, 9F0F and 9F0D of zeros.
    static let permissiveIssuer =
        tlv(0x9F0E, "0000000000") + tlv(0x9F0F, "0000000000") + tlv(0x9F0D, "0000000000")
}

/// The values that an observer received.
final class Recorder<Value: Sendable>: Sendable {
    private let state = Mutex<[Value]>([])

    var values: [Value] { state.withLock { $0 } }

    func record(_ value: Value) { state.withLock { $0.append(value) } }
}

/// A scripted cardholder that records the prompts.
final class TestCardholder: CardholderInterface {
    enum PIN: Sendable { case digits([UInt8]), bypass, cancel, unavailable }

    private struct State {
        var pins: [PIN]
        var prompts: [PINPrompt] = []
        var choices: [[ApplicationChoice]] = []
    }

    private let state: Mutex<State>
    private let choice: @Sendable ([ApplicationChoice]) -> Int?
    private let canEncipher: Bool

    init(
        pins: [PIN] = [], canEncipher: Bool = true,
        choice: @escaping @Sendable ([ApplicationChoice]) -> Int? = { _ in 0 }
    ) {
        state = Mutex(State(pins: pins))
        (self.choice, self.canEncipher) = (choice, canEncipher)
    }

    var prompts: [PINPrompt] { state.withLock { $0.prompts } }
    var choices: [[ApplicationChoice]] { state.withLock { $0.choices } }

    func chooseApplication(_ applications: [ApplicationChoice]) async -> Int? {
        state.withLock { $0.choices.append(applications) }
        return choice(applications)
    }

    func enterPIN(_ prompt: PINPrompt) async -> PINEntry {
        let next: PIN = state.withLock { state in
            state.prompts.append(prompt)
            return state.pins.isEmpty ? .unavailable : state.pins.removeFirst()
        }
        switch next {
        case .digits(let digits): return .entered(SensitiveBytes(digits))
        case .bypass: return .bypassed
        case .cancel: return .canceled
        case .unavailable: return .unavailable
        }
    }

    func encipherPIN(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) async -> EncipheredPINBlock? {
        canEncipher ? EncipheredPINBlock(block: [UInt8](repeating: 0x5A, count: 8), keySerialNumber: []) : nil
    }
}

/// A scripted issuer that records its requests.
final class TestIssuer: OnlineAuthorizer {
    struct Seen: Sendable {
        var iccData: [BERTLV]
        var lastFour: String
        var expiry: [UInt8]
        var hasTrackTwo: Bool
        var hasPINBlock: Bool
        var panSequenceNumber: UInt8?
    }

    private let result: OnlineAuthorizationResult
    private let duringRequest: @Sendable () -> Void
    private let state = Mutex<[Seen]>([])

    init(_ result: OnlineAuthorizationResult, duringRequest: @escaping @Sendable () -> Void = {}) {
        (self.result, self.duringRequest) = (result, duringRequest)
    }

    convenience init(code: String, authenticationData: [UInt8]? = nil, before: [[UInt8]] = [], after: [[UInt8]] = []) {
        self.init(
            .answered(
                IssuerAnswer(
                    authorizationResponseCode: Array(code.utf8), authorizationCode: code == "00" ? "123456" : nil,
                    issuerAuthenticationData: authenticationData, scriptsBeforeFinal: before,
                    scriptsAfterFinal: after)))
    }

    var requests: [Seen] { state.withLock { $0 } }

    func authorize(_ request: borrowing OnlineAuthorizationRequest) async -> OnlineAuthorizationResult {
        let seen = Seen(
            iccData: request.iccData, lastFour: request.pan.lastFour, expiry: request.expiry,
            hasTrackTwo: request.hasTrackTwo, hasPINBlock: request.pinBlock != nil,
            panSequenceNumber: request.panSequenceNumber)
        state.withLock { $0.append(seen) }
        duringRequest()
        return result
    }
}

extension OnlineAuthorizationRequest {
    /// Whether track 2 goes along.
    var hasTrackTwo: Bool {
        switch trackTwo {
        case .some: true
        case .none: false
        }
    }
}
