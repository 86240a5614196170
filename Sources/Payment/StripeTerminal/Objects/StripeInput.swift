public import Terminal
import Text

/// A question to the customer at a reader, with its answer.
struct StripeInput: Hashable, Sendable {
    /// The form of the answer, in the words of the protocol.
    enum Kind: String, Hashable, Sendable, CaseIterable {
        case email, numeric, phone, selection, signature, text

        /// The most characters of an answer. An address of a mailbox has at most 254 (RFC 5321, section 4.5.3.1.3, less
        /// the angle brackets); the protocol names no limit for the others.
        fileprivate var longest: Int {
            switch self {
            case .numeric: 50
            case .phone: 30
            case .selection: 50
            case .email: 254
            case .signature: 255
            case .text: 500
            }
        }

        /// The answer of a simulated customer, as far as it does not depend on the question.
        fileprivate var sample: String {
            switch self {
            case .email: "customer@example.com"
            case .numeric: "12345"
            case .phone: "+12015550123"
            case .signature: "file_sample"
            case .text: "Sample text"
            case .selection: ""
            }
        }
    }

    /// One of several answers.
    struct Choice: Hashable, Sendable {
        let id: String
        let text: String
        let style: String?
    }

    /// A switch beside the question.
    struct Toggle: Hashable, Sendable {
        let title: String?
        let description: String?
        let defaultValue: String?
    }

    /// What the reader shows: `title`, and nil where the reader has words of its own.
    struct Words: Hashable, Sendable {
        let title: String
        let description: String?
        let submit: String?
        let skip: String?
    }

    let kind: Kind
    let words: Words
    let isRequired: Bool
    /// The choices of a selection; otherwise empty.
    let choices: [Choice]
    let toggles: [Toggle]
    private(set) var value: String?
    /// Whether the customer passed it over; nil before the answer.
    private(set) var isSkipped: Bool?

    init(kind: Kind, words: Words, isRequired: Bool, choices: [Choice], toggles: [Toggle]) {
        (self.kind, self.words, self.isRequired) = (kind, words, isRequired)
        (self.choices, self.toggles) = (choices, toggles)
    }

    /// The question as a terminal asks it. A selection is answered by the ID of a choice.
    var question: TerminalInput {
        let lines = [words.title, words.description].compactMap { $0 } + choices.map { "\($0.id): \($0.text)" }
        let prompt = lines.joined(separator: "\n")
        return TerminalInput(
            prompt: prompt, kind: kind == .numeric ? .digits(maximum: kind.longest) : .text(maximum: kind.longest))
    }

    /// The answer of a simulated customer who has none of its own.
    var sample: String { choices.first?.id ?? kind.sample }

    /// Whether a text can be the answer.
    func takes(_ text: String) -> Bool {
        guard (1...kind.longest).contains(text.unicodeScalars.count) else { return false }
        return switch kind {
        case .numeric: text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        case .selection: choices.contains { $0.id == text }
        case .email: text.contains("@")
        case .phone, .signature, .text: true
        }
    }

    /// Keeps the customer's answer; nil when the question was passed over.
    mutating func end(_ answer: String?) { (value, isSkipped) = (answer, answer == nil) }

    var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init(
                "custom_text",
                [
                    "description": JSONValue(words.description), "skip_button": JSONValue(words.skip),
                    "submit_button": JSONValue(words.submit), "title": .text(words.title),
                ])
        ]
        var answer: [JSONValue.Member] = []
        if kind == .selection {
            let choices = choices.map { choice -> JSONValue in
                ["id": .text(choice.id), "style": JSONValue(choice.style), "text": .text(choice.text)]
            }
            let chosen = self.choices.first { $0.id == value }
            answer = [
                .init("choices", .list(choices)), .init("id", JSONValue(chosen?.id)),
                .init("text", JSONValue(chosen?.text)),
            ]
        } else {
            answer = [.init("value", JSONValue(value))]
        }
        members += [.init(kind.rawValue, .object(answer)), .init("required", .bool(isRequired))]
        if let isSkipped { members.append(.init("skipped", .bool(isSkipped))) }
        members += [.init("toggles", .list(toggles.map(json))), .init("type", .text(kind.rawValue))]
        return .object(members)
    }

    /// A simulated customer leaves a switch as it is.
    private func json(_ toggle: Toggle) -> JSONValue {
        [
            "default_value": JSONValue(toggle.defaultValue), "description": JSONValue(toggle.description),
            "title": JSONValue(toggle.title),
            "value": isSkipped == false ? .text(toggle.defaultValue ?? "disabled") : .null,
        ]
    }
}

/// The questions of one action, which a reader asks one after the other.
struct StripeInputForm: Hashable, Sendable {
    /// What a simulated customer does with them.
    enum Plan: Hashable, Sendable {
        /// Answers with samples.
        case samples(skipsOptional: Bool)
        /// Gives these answers, one for each question; nil passes one over.
        case answers([String?])
        /// Ends the questions: by a cancellation, or by doing nothing.
        case end(StripeInputAnswer)
    }

    var inputs: [StripeInput]
    let metadata: [JSONValue.Member]
    /// The number of the current question, from 0.
    private(set) var index = 0
    /// Nil while the customer does nothing yet.
    var plan: Plan?

    init(inputs: [StripeInput], metadata: [JSONValue.Member]) { (self.inputs, self.metadata) = (inputs, metadata) }

    /// The current question; nil after the last one.
    var current: StripeInput? { inputs.indices.contains(index) ? inputs[index] : nil }

    /// What the customer does about the current question; nil without a plan.
    var answer: StripeInputAnswer? {
        guard let current else { return nil }
        return switch plan {
        case nil: nil
        case .samples(let skips): skips && !current.isRequired ? .skipped : .entered(current.sample)
        case .answers(let answers): answers[index].map(StripeInputAnswer.entered) ?? .skipped
        case .end(let answer): answer
        }
    }

    /// Goes on to the next question.
    mutating func end(_ answer: String?) {
        guard inputs.indices.contains(index) else { return }
        inputs[index].end(answer)
        index += 1
    }

    var details: [JSONValue.Member] {
        [.init("inputs", .list(inputs.map(\.json))), .init("metadata", .object(metadata))]
    }
}

/// An act of a customer who is asked at a simulated reader.
public enum StripeInputAnswer: Hashable, Sendable {
    /// Enters a text, or the ID of a choice.
    case entered(String)
    case skipped
    case canceled
    /// Does nothing until the reader gives up.
    case timedOut

    /// How the terminal's request ends by it.
    public var outcome: TerminalOutcome {
        switch self {
        case .entered(let text): .done(TerminalReport(input: text))
        case .skipped: .done(TerminalReport())
        case .canceled: .canceled(.byCardholder)
        case .timedOut: .canceled(.timedOut)
        }
    }
}
