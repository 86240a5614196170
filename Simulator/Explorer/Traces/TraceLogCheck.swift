import Payments
public import Sessions
import Simulator

/// Checks the lines of a log that was read, one after the other: they must be the events of one session, from its
/// start, and nothing that ``ModelTrace/traces(of:)`` needs may be missing.
///
/// What follows the second till is in no trace, so only its form is checked.
public struct TraceLogCheck: Sendable {
    /// Why a line can't be the next one of a log.
    public struct Failure: Error, Hashable, CustomStringConvertible {
        /// What is wrong with the line, without its place.
        public var description: String
    }

    /// The most bytes of a detail.
    public static let longestDetail = 500
    /// The largest amount, in minor units: 10^15.
    public static let largestAmount: Int64 = 1_000_000_000_000_000

    private static let messages: Set = ["authorize", "refund", "increment", "reverse", "advise", "inquire"]
    private static let outcomes: Set = ["sent", "answered", "not_sent", "unanswered"]
    private static let tills: Set = ["direct asked", "direct never_asked", "wire asked", "wire never_asked"]

    private struct Attempt: Hashable {
        var payment: Int64?
        var kind: String
    }

    private var count = 0
    private var hasSecondTill = false
    /// The process that runs; nil between two.
    private var running: Int?
    private var lastStarted = 0
    /// Whether the process that runs has done something. One that can't open its records starts again as the same one.
    private var hasWorked = false
    /// The words of the first till line: all processes have the same host.
    private var till: String?
    private var payments: Set<Int64> = []
    private var attempts: [Int64: Attempt] = [:]

    /// Begins before the first line.
    public init() {}

    /// Takes the next event.
    public mutating func take(_ event: TracedEvent) throws(Failure) {
        guard event.number == count + 1 else {
            throw Failure(
                description: "event \(event.number) where event \(count + 1) must be: a line is missing, or twice")
        }
        count += 1
        try checkForm(event)
        guard count > 1 || event.kind == .start && event.process == 1 else {
            throw Failure(description: "the log does not begin with the start of process 1")
        }
        hasSecondTill = hasSecondTill || event.isOfSecondTill
        guard !hasSecondTill else { return }
        try checkProcess(event)
        try checkSubjects(event)
    }

    private func checkForm(_ event: TracedEvent) throws(Failure) {
        guard event.detail.utf8.count <= Self.longestDetail else {
            throw Failure(
                description: "the detail has \(event.detail.utf8.count) bytes, and at most \(Self.longestDetail) may be"
            )
        }
        guard !event.detail.unicodeScalars.contains(where: \.breaksLine) else {
            throw Failure(description: "the detail has a control character or the end of a line")
        }
        if let amount = event.amount, !(0...Self.largestAmount).contains(amount) {
            throw Failure(description: "the amount is not in 0...10^15 minor units")
        }
        guard event.process >= 0 else { throw Failure(description: "the number of the process is negative") }
        if let problem = wordProblem(event) { throw Failure(description: problem) }
    }

    /// Returns what is wrong with the words of an event; nil when each is known.
    private func wordProblem(_ event: TracedEvent) -> String? {
        let words = event.detail.split(separator: " ").map(String.init)
        let first = words.first ?? ""
        switch event.kind {
        case .start: return event.detail == "\(event.process)" ? nil : "the start of another process than its own"
        case .till: return Self.tills.contains(event.detail) ? nil : "unknown till '\(event.detail)'"
        case .attempt:
            return PaymentAttempt.Kind(rawValue: event.detail) == nil
                ? "unknown kind of attempt '\(event.detail)'" : nil
        case .journal, .journalRefused:
            return AttemptState(rawValue: event.detail) == nil ? "unknown state of an attempt '\(event.detail)'" : nil
        case .capture, .captureRefused:
            return OrderPaymentNotification.State(rawValue: first) == nil
                ? "unknown state of a notification '\(first)'" : nil
        case .host:
            let isKnown = Self.messages.contains(first) && words.count > 1 && Self.outcomes.contains(words[1])
            return isKnown ? nil : "unknown message to the host '\(event.detail)'"
        case .book:
            return IssuerLedgerEntry.Kind(rawValue: event.detail) == nil
                ? "unknown kind of book entry '\(event.detail)'" : nil
        case .crash, .payment, .unreadable, .site: return nil
        }
    }

    private mutating func checkProcess(_ event: TracedEvent) throws(Failure) {
        if event.kind == .start {
            guard event.process > lastStarted || event.process == lastStarted && !hasWorked else {
                throw Failure(description: "process \(event.process) starts after process \(lastStarted)")
            }
            (running, lastStarted, hasWorked) = (event.process, event.process, false)
        } else if event.kind != .till, event.kind != .unreadable, event.process != 0 {
            hasWorked = true
        }
        // The issuer is no process of the till.
        guard event.process == running || event.kind == .book && event.process == 0 else {
            throw Failure(description: "process \(event.process) does not run")
        }
        if event.kind == .crash { running = nil }
    }

    private mutating func checkSubjects(_ event: TracedEvent) throws(Failure) {
        switch event.kind {
        case .till:
            guard till ?? event.detail == event.detail else {
                throw Failure(description: "the till has another host than before")
            }
            till = event.detail
        case .payment:
            guard let payment = event.payment, event.amount != nil else {
                throw Failure(description: "a payment without its number or its amount")
            }
            payments.insert(payment)
        case .attempt:
            guard let number = event.attempt, event.payment != nil, event.amount != nil else {
                throw Failure(description: "an attempt without its number, its payment, or its amount")
            }
            let attempt = Attempt(payment: event.payment, kind: event.detail)
            guard attempts[number].map({ $0 == attempt }) ?? true else {
                throw Failure(description: "attempt \(number) was another one before")
            }
            try checkPayment(event)
            attempts[number] = attempt
        case .journal, .host, .book:
            guard let number = event.attempt, attempts[number] != nil else {
                throw Failure(
                    description: event.attempt.map { "attempt \($0) is not announced" }
                        ?? "an event without its attempt")
            }
            try checkPayment(event)
        case .capture:
            guard event.payment != nil else { throw Failure(description: "a notification without its payment") }
            try checkPayment(event)
        // What the disk refuses may be the first of an attempt or a payment.
        case .journalRefused, .captureRefused, .start, .crash, .unreadable, .site: break
        }
    }

    private func checkPayment(_ event: TracedEvent) throws(Failure) {
        guard let payment = event.payment, !payments.contains(payment) else { return }
        throw Failure(description: "payment \(payment) is not announced")
    }
}
