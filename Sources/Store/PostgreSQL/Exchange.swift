/// Statements on their way to the server, and what has come back: the state of a pipeline, without I/O.
///
/// At most 256 statements are under way, so that neither side keeps more than these in memory, and the server never
/// waits for this side to read while this side waits for it.
struct Exchange {
    /// What to do next.
    enum Step {
        /// Send the statement with this index.
        case send(Int)
        /// Ask for the answers to what was sent.
        case requestFlush
        /// End the pipeline.
        case synchronize
        /// Send the text of several statements.
        case sendScript
        /// Nothing before another answer.
        case receive
    }

    /// What the answers are to.
    enum Kind {
        /// Statements of a pipeline, which the server takes as one transaction outside another one.
        case pipeline
        /// One text of several statements, without parameters and rows.
        case script
    }

    let statements: [Statement]
    private let kind: Kind
    private(set) var results: [PostgreSQLRows] = []
    /// The first refusal of the server, with the place of its statement.
    private(set) var failure: PostgreSQLError?
    private(set) var isComplete = false
    /// Whether the end of the pipeline is queued: without it, the server commits nothing.
    private(set) var isEnded = false
    /// Whether the end of the pipeline may have left this process.
    private(set) var mayHaveLeft = false
    private var sent = 0
    private var answered = 0
    private var wantsFlush = false

    private static let window = 256

    init(_ statements: [Statement], _ kind: Kind = .pipeline) {
        (self.statements, self.kind) = (statements, kind)
    }

    /// The next step. Call it until it is `receive`.
    mutating func step() -> Step {
        guard !isEnded else { return .receive }
        if kind == .script {
            (isEnded, mayHaveLeft) = (true, true)
            return .sendScript
        }
        if failure != nil || sent == statements.count {
            (isEnded, mayHaveLeft) = (true, true)
            return .synchronize
        }
        let underWay = sent - answered
        // Sends in blocks of half a window.
        if wantsFlush ? underWay >= Self.window : underWay > Self.window / 2 {
            defer { wantsFlush = false }
            return wantsFlush ? .requestFlush : .receive
        }
        wantsFlush = true
        sent += 1
        return .send(sent - 1)
    }

    /// Notes whether the system has taken everything that was queued.
    mutating func noteFlush(isEverythingGone: Bool) { mayHaveLeft = isEnded && isEverythingGone }

    /// Notes that the system may take what is queued before the next ``noteFlush(isEverythingGone:)``.
    mutating func noteFlushUnderWay() { mayHaveLeft = isEnded }

    /// Whether an answer comes without a further step.
    var expectsAnswer: Bool { !isComplete && (isEnded || answered < sent) }

    var isScript: Bool { kind == .script }

    /// The place of the statement that the next answer is about.
    var place: CodePlace {
        (answered < statements.count ? statements[answered] : statements.last)?.place
            ?? CodePlace(file: #fileID, line: #line)
    }

    /// Takes an answer.
    ///
    /// - Returns: whether it makes sense.
    mutating func take(_ answer: LibraryAnswer) -> Bool {
        switch answer {
        case .rows(let rows): results.append(rows)
        case .refused(let report):
            let values = answered < statements.count ? statements[answered].parameters : []
            failure = failure ?? PostgreSQLError(.server(report.without(values)), at: place)
        case .skipped: break
        case .end:
            answered += 1
            isComplete = kind == .script
        case .synchronized: isComplete = true
        case .failed, .unsupported: return false
        }
        return true
    }
}
