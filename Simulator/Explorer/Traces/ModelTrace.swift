public import Sessions

/// The part of a session about one order, or about one payment without an order, as the steps of a model of `Proof`.
///
/// The lines of ``text`` are what `Scripts/prove --traces` and ``TraceVerifier`` read.
public struct ModelTrace: Hashable, Sendable {
    /// A model of `Proof`.
    public enum Model: String, Hashable, Sendable, CaseIterable {
        /// `Proof/money.pml`: sales and refunds, and the host.
        case money
        /// `Proof/store.pml`: notifications, and the store.
        case store
    }

    /// A step of a model.
    public struct Step: Hashable, Sendable {
        /// The action; two that the events do not tell apart are separated by a bar: `abort_sale|abandon`.
        public var action: String
        /// The till, from 0; 2 for somebody else.
        public var till: Int
        /// The attempt or payment of the trace, from 0; -1 for any.
        public var subject: Int
        /// The event behind it, in words.
        public var event: String
        /// The number of that event in the session's log.
        public var number: Int
    }

    /// The most steps of a trace that a model can follow (`LONGEST` in `Proof/traces/log.pml`).
    public static let mostSteps = 2000
    /// The most characters of an event that a trace has, so that a line of it is not too long for a model.
    private static let longestEvent = 200

    /// The model that the steps are of.
    public var model: Model
    /// The order or payment: `order-38`, `payment-1`.
    public var name: String
    /// The steps, in order.
    public var steps: [Step] = []
    /// Actions that the events do not have, besides those that no log has.
    public var hidden: [String] = []
    /// Whether the host can be asked about an attempt.
    public var hostCanBeAsked = true
    /// Why the trace ends before the session does, because the rest is not in the model; nil for a whole trace.
    public var cut: String?

    /// The text of a trace file.
    public var text: String {
        var lines = ["model \(model.rawValue)"]
        if let cut { lines.append("cut \(cut)") }
        if model == .store { lines.append("two_tills") }
        if !hostCanBeAsked { lines.append("cannot_be_asked") }
        lines += hidden.map { "hidden \($0)" }
        lines += steps.map { "\($0.action) \($0.till) \($0.subject)\t\(Self.line($0.event))" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the text on one line, without control characters.
    private static func line(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(longestEvent).map { $0.breaksLine ? " " : $0 }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Returns the traces of a session, those of the money before those of the store. They end where a second till
    /// begins: in one database, it may take over what the first one still works on, which no model has.
    public static func traces(of events: [TracedEvent]) -> [ModelTrace] {
        var (money, store) = (MoneyTraces(events), StoreTraces())
        for (place, event) in events.enumerated() {
            if event.isOfSecondTill {
                money.cut("a second till")
                store.cut("a second till")
                break
            }
            money.take(event, at: place)
            store.take(event)
        }
        return money.traces + store.traces
    }
}

/// A trace that is being made.
struct TraceDraft {
    private(set) var trace: ModelTrace
    /// Whether a step may have come to nothing because the disk could not be read: only a crash explains what follows.
    private var isBlind = false

    init(_ model: ModelTrace.Model, _ name: String) { trace = ModelTrace(model: model, name: name) }

    /// Ends the trace: what follows is not in the model.
    mutating func cut(_ reason: String) {
        if trace.cut == nil { trace.cut = reason }
    }

    /// A step of the till came to nothing before its commit.
    mutating func becomeBlind() { isBlind = true }

    /// Adds a step, unless the trace has ended.
    mutating func add(_ action: String, till: Int = 0, _ subject: Int, _ event: TracedEvent) {
        if isBlind { cut("a disk that can't be read") }
        append(action, till, subject, event)
    }

    /// Adds the end of a process, which makes up for what could not be read.
    mutating func addCrash(till: Int = 0, _ event: TracedEvent) {
        isBlind = false
        append("crash", till, -1, event)
    }

    private mutating func append(_ action: String, _ till: Int, _ subject: Int, _ event: TracedEvent) {
        guard trace.cut == nil else { return }
        trace.steps.append(
            ModelTrace.Step(action: action, till: till, subject: subject, event: event.text, number: event.number))
    }

    /// Sets what holds for the whole trace.
    mutating func finish(hidden: [String], hostCanBeAsked: Bool) -> ModelTrace {
        (trace.hidden, trace.hostCanBeAsked) = (hidden, hostCanBeAsked)
        return trace
    }
}

extension Unicode.Scalar {
    /// Whether it ends a line, or is a control character.
    var breaksLine: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
