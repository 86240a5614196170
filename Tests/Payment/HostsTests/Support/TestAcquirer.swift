import CardSecrets
import Connections
import Determinism
import EMV
import HostSecurity
import ISO8583
import Money
import Payments
import Simulator
import SmartCard
import Synchronization
import Testing

@testable import Hosts

/// A payment host over a link in memory, and what the other side got.
final class TestAcquirer: Sendable {
    let world: TestWorld
    let host: AcquirerHost
    private let log: Log

    /// The messages that the other side got, without those of network management.
    final class Log: Sendable {
        let messages = Mutex<[ISOMessage]>([])
    }

    /// What the other side does with a message.
    enum Reply: Sendable {
        case code(String)
        /// Approves with more fields, or other values.
        case fields([Int: String])
        case chip([UInt8])
        case silence
        case late(Duration)
        case hangUp
    }

    /// `replies`: what happens to the messages of payments, by their order. The last one goes on.
    convenience init(
        _ name: String = "iso87-ascii", _ replies: Reply..., storage: HostKey? = nil,
        change: (inout MessageProfile) -> Void = { _ in }
    ) throws {
        let log = Log()
        let approved = try #require(MessageProfile.shipped(name)?.results.approved.first)
        let plan = Mutex(replies.isEmpty ? [Reply.code(approved)] : replies)
        let serve: @Sendable (TestHost) async -> Void = { host in
            while let request = await host.message() {
                guard request.type.messageClass != 8 else {
                    await host.write(host.answer(to: request, code: approved))
                    continue
                }
                log.messages.withLock { $0.append(request) }
                switch plan.withLock({ $0.count > 1 ? $0.removeFirst() : $0[0] }) {
                case .code(let code): await host.write(Self.answer(host, request, code))
                case .fields(let fields):
                    await host.write(
                        Self.answer(host, request, approved) { answer in
                            for (field, value) in fields { answer.set(field, value) }
                        })
                case .chip(let bytes):
                    await host.write(Self.answer(host, request, approved) { $0.set(55, bytes: bytes) })
                case .silence: continue
                case .late(let pause):
                    try? await host.pause(pause)
                    await host.write(Self.answer(host, request, approved))
                case .hangUp: return host.connection.reset()
                }
            }
        }
        try self.init(name, [.serve(serve)], log, storage: storage, change)
    }

    init(
        _ name: String, _ plans: [TestConnector.Plan], _ log: Log = Log(), storage: HostKey? = nil,
        _ change: (inout MessageProfile) -> Void
    ) throws {
        self.log = log
        world = try TestWorld(name, plans: plans, change: change)
        let terminal = AcquirerTerminal(
            identity: TerminalIdentity(terminal: "TERM0001", merchant: "MERCHANT0000001"),
            merchantName: "Corner Shop", city: "Berlin", countryCodes: ["DE", "DEU"], category: 5999,
            acquirer: "123456")
        let profile = world.profile
        host = AcquirerHost(
            name: "iso8583", profile, at: "acquirer.example:8583", terminal: terminal, link: world.link,
            clock: world.clock, time: world.clock,
            sealer: storage.map { key in
                CardSealer(profile, random: SeededRandomSource(seed: 1)) {
                    (data: [UInt8]) async throws(KeyUseError) -> [UInt8] in try await key.cmac(of: data)
                }
            })
    }

    /// An answer without what answers don't have.
    private static func answer(
        _ host: TestHost, _ request: ISOMessage, _ code: String, _ change: (inout ISOMessage) -> Void = { _ in }
    ) -> [UInt8] {
        host.answer(to: request, code: code) { answer in
            for field in [2, 14, 23, 35, 52, 53, 55, 90, 56, 43] { answer.remove(field) }
            answer.set(37, "632701000004")
            answer.set(38, "A1B2C3")
            change(&answer)
        }
    }

    var messages: [ISOMessage] { log.messages.withLock { $0 } }

    /// The types of the messages that the other side got.
    var types: [String] { messages.map { "\($0.type)" } }

    static let key = IdempotencyKey(rawValue: "0123456789abcdef-7")

    static var amount: Money { get throws { try Money("12.50", currency: Currency(code: "EUR")) } }

    static let iccData: [BERTLV] = [
        BERTLV(0x9F26, [1, 2, 3, 4, 5, 6, 7, 8]), BERTLV(0x9F27, [0x80]), BERTLV(0x9A, [0x26, 1, 2]),
        BERTLV(0x9F1E, Array("00000001".utf8)), BERTLV(0x5F34, [1]),
    ]

    /// Authorizes 12.50 EUR from a chip.
    func pay(
        key: IdempotencyKey = TestAcquirer.key, stan: UInt32 = 7, pin: EncipheredPINBlock? = nil,
        isPreauthorization: Bool = false
    ) async throws -> Result<AuthorizationResponse, PaymentHostError> {
        let pan = try PrimaryAccountNumber(compressedNumeric: [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x00, 0x10])
        let track: [UInt8] = [
            0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x00, 0x10, 0xD3, 0x01, 0x22, 0x01, 0x11, 0x43, 0x80, 0x44, 0x89, 0x1F,
        ]
        let chip = OnlineAuthorizationRequest(
            pan: pan, trackTwo: SensitiveBytes(track), panSequenceNumber: 1, expiry: [0x30, 0x12],
            iccData: Self.iccData, pinBlock: pin)
        let request = AuthorizationRequest(
            key: key, stan: stan, amount: try Self.amount, date: world.clock.localDate(),
            isPreauthorization: isPreauthorization, card: .chip(chip))
        do throws(PaymentHostError) { return .success(try await host.authorize(request)) } catch {
            return .failure(error)
        }
    }

    /// Reverses it; nil when the host confirmed that.
    func reverse(
        _ reason: ReversalRequest.Reason = .timeout, identity: MessageIdentity? = nil, isRepeat: Bool = false
    ) async throws -> PaymentHostError? {
        let request = ReversalRequest(
            key: Self.key, stan: 7, amount: try Self.amount, reason: reason, identity: identity, isRepeat: isRepeat)
        do throws(PaymentHostError) { try await host.reverse(request) } catch { return error }
        return nil
    }
}
