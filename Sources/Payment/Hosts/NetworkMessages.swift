import Determinism
import ISO8583
import Synchronization
import Text

/// Where the trace numbers (STAN, field 11) of a link come from. None may come again within the hours in which a late
/// answer could be taken for another one's.
public protocol TraceNumberSource: Sendable {
    func next() async -> Int
}

/// Counts through a range in memory, and begins again after its end: for one run of a program that moves no money.
public final class CountedTraceNumbers: TraceNumberSource {
    private let range: ClosedRange<Int>
    private let following: Mutex<Int>

    /// - Parameters:
    ///   - range: the numbers, as the profile limits them.
    ///   - first: the first number; the first of the range when it is outside.
    public init(_ range: ClosedRange<Int>, from first: Int) {
        self.range = range
        following = Mutex(range.contains(first) ? first : range.lowerBound)
    }

    public func next() async -> Int {
        following.withLock { number in
            defer { number = number == range.upperBound ? range.lowerBound : number + 1 }
            return number
        }
    }
}

/// Who asks: what hosts call the terminal and the merchant.
public struct TerminalIdentity: Hashable, Sendable {
    /// Field 41.
    public var terminal: String?
    /// Field 42.
    public var merchant: String?

    public init(terminal: String? = nil, merchant: String? = nil) {
        (self.terminal, self.merchant) = (terminal, merchant)
    }
}

extension MessageProfile {
    /// The digits of a trace number in field 11.
    func field11(_ number: Int) -> String { number.zeroPadded(to: table[11]?.length.maximum ?? 6) }

    /// Returns the value of a field with its length, if that is fixed: digits get zeros on the left, and texts blanks
    /// on the right.
    func filled(_ value: String, _ field: Int) -> String {
        guard let format = table[field], case .fixed(let length) = format.length else { return value }
        switch format.attribute {
        case .n: return String(repeating: "0", count: max(0, length - value.utf8.count)) + value
        case .b, .z, .signed: return value
        default: return value + String(repeating: " ", count: max(0, length - value.unicodeScalars.count))
        }
    }
}

/// Makes the messages of network management (0800): sign-on, sign-off, and echo.
struct NetworkMessages {
    let profile: MessageProfile
    let identity: TerminalIdentity
    let time: any TimeSource

    /// - Throws: ``HostProblem``
    func message(_ kind: MessageKind, traceNumber: Int) throws(HostFailure) -> ISOMessage {
        guard let form = profile.messages[kind] else { throw .notSent(.noMessage(kind)) }
        let now = time.now()
        let local = MessageDates.local(now.civil(offsetSeconds: time.offsetSeconds(at: now)), profile.version)
        var values = profile.values.fixed
        values[3] = form.processing.flatMap { profile.values.processing[$0] }
        values[7] = MessageDates.transmission(now)
        values[11] = profile.field11(traceNumber)
        (values[12], values[13]) = (local.field12, local.field13)
        if let function = form.function { values[24] = function }
        if let reason = form.reason { values[25] = reason }
        if let terminal = identity.terminal { values[41] = terminal }
        if let merchant = identity.merchant { values[42] = merchant }
        if let code = form.code { values[70] = code }
        var message = ISOMessage(form.type)
        for field in form.mandatory {
            guard let value = values[field] else { throw .notSent(.missingField(field, kind)) }
            message.set(field, profile.filled(value, field))
        }
        for field in form.conditional where [12, 13, 24, 41, 42].contains(field) {
            if let value = values[field] { message.set(field, profile.filled(value, field)) }
        }
        return message
    }

    /// Whether a response code accepts a message of network management. Since 1993 it has a code of its own.
    func accepts(_ code: String) -> Bool {
        profile.results.approved.contains(code) || profile.version != .v1987 && ["800", "8000"].contains(code)
    }
}
