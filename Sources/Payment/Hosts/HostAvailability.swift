public import Determinism
import ISO8583
import Payments
import Synchronization

/// Why an authorization has no answer, and whether another host may take over.
struct AuthorizationFailure: Error {
    let error: PaymentHostError
    /// Whether the host is the reason, and not the request.
    var isOfHost = false

    /// Whether the request may go to another host: certainly not one byte of it left, and another host may do better.
    var mayGoElsewhere: Bool {
        guard isOfHost, case .notSent = error else { return false }
        return true
    }
}

extension HostProblem {
    /// Whether the host, or the way to it, is the reason. A request that can't be written fails at every host.
    var isOfHost: Bool {
        switch self {
        case .connection, .hangUp, .frame, .keyExchange, .signOnRefused, .noAnswer, .wrongMAC, .halfOpen, .pausing:
            true
        case .message, .noMessage, .missingField, .needsKey, .mac, .pin, .tooLong, .sameKey, .canceled, .closed: false
        }
    }

    /// Whether no new try was made.
    fileprivate var isOld: Bool { if case .pausing = self { true } else { false } }
}

/// Which of several hosts failed a moment ago. Such a host rests: it is tried last, so that not each payment waits for
/// its timeouts.
public final class HostAvailability: Sendable {
    /// How long a host rests after a failure.
    public static let rest = Duration.seconds(60)

    /// The readings of the clock at which the rests end, by the name of the host.
    private let ends = Mutex<[String: Duration]>([:])
    private let time: any TimeSource

    /// - Parameter time: measures the rests.
    public init(time: any TimeSource) { self.time = time }

    /// The names of the hosts that rest now.
    public var resting: Set<String> {
        let now = time.reading()
        return ends.withLock { ends in Set(ends.filter { $0.value > now }.keys) }
    }

    /// Notes that a host failed. `age`: how long ago that was, for the failure of an earlier process.
    public func noteFailure(of name: String, before age: Duration = .zero) {
        let end = time.reading() + Self.rest - age
        ends.withLock { $0[name] = max($0[name] ?? end, end) }
    }

    /// Notes that a host answers: its rest is over.
    public func noteAnswer(of name: String) { ends.withLock { $0[name] = nil } }

    /// Returns a link that notes what becomes of each message.
    public func watching(_ link: any MessageSending, of name: String) -> any MessageSending {
        WatchedLink(link: link, name: name, availability: self)
    }
}

/// A link that notes whether its host answers.
private struct WatchedLink: MessageSending {
    let link: any MessageSending
    let name: String
    let availability: HostAvailability

    func send(
        _ request: ISOMessage, as kind: MessageKind, limit: Duration?
    ) async throws(HostFailure) -> ISOMessage {
        let answer: ISOMessage
        do throws(HostFailure) { answer = try await link.send(request, as: kind, limit: limit) } catch {
            if error.problem.isOfHost, !error.problem.isOld { availability.noteFailure(of: name) }
            throw error
        }
        availability.noteAnswer(of: name)
        return answer
    }

    func renew() async { await link.renew() }
}
