import Sessions

/// The states that sessions have reached so far. The explorer chooses the next sessions by it.
struct Coverage: Sendable {
    /// The number of sessions that reached each state.
    private(set) var counts: [CoverageFeature: Int] = [:]
    /// The known injection points, in a deterministic order.
    private(set) var points: [InjectionPoint]
    /// The same, to look up.
    private var known: Set<InjectionPoint>
    /// The most occurrences of each injection point in one session.
    private var most: [InjectionPoint: Int] = [:]

    init() {
        points = InjectionPoint.first.sorted()
        known = Set(points)
    }

    /// Adds the states of a session.
    ///
    /// - Returns: the number of new states.
    mutating func add(_ observation: SessionObservation) -> Int {
        var new = 0
        for feature in observation.features {
            counts[feature, default: 0] += 1
            if counts[feature] == 1 { new += 1 }
        }
        var newPoints: [InjectionPoint] = []
        for passage in observation.passages {
            let point = InjectionPoint(words: passage.words)
            if known.insert(point).inserted { newPoints.append(point) }
            most[point] = max(most[point] ?? 0, passage.count)
        }
        if !newPoints.isEmpty { points = (points + newPoints).sorted() }
        return new
    }

    /// Returns the number of sessions in which an act happened at a point.
    func count(_ act: String, at point: InjectionPoint) -> Int {
        counts[CoverageFeature(.faultAtPlace, "\(act) at \(point.words)")] ?? 0
    }

    func mostOften(_ point: InjectionPoint) -> Int { most[point] ?? (point.words == "apdu" ? 30 : 1) }

    /// The number of states of each kind.
    var sizes: [CoverageGroup: Int] {
        var sizes: [CoverageGroup: Int] = [:]
        for feature in counts.keys { sizes[feature.group, default: 0] += 1 }
        return sizes
    }
}

/// A state that a session reached.
struct CoverageFeature: Hashable, Comparable, Sendable, Codable {
    var group: CoverageGroup
    var name: String

    init(_ group: CoverageGroup, _ name: String) { (self.group, self.name) = (group, name) }

    static func < (one: CoverageFeature, other: CoverageFeature) -> Bool {
        (one.group.rawValue, one.name) < (other.group.rawValue, other.name)
    }
}

extension CoverageFeature {
    /// Returns the states of a session, from its events and the outcomes of its steps.
    static func all(in record: SessionRecord) -> Set<CoverageFeature> {
        var features: Set<CoverageFeature> = []
        var place = "the beginning"
        var attempts: [Substring: Substring] = [:]
        var captures: [Substring: Substring] = [:]
        for event in record.events {
            let words = event.words
            switch event.kind {
            case .act:
                features.insert(CoverageFeature(.faultAtPlace, "\(words.first ?? "") at \(place)"))
                continue
            case .journal:
                guard words.count >= 2 else { continue }
                let before = attempts.updateValue(words[0], forKey: words[1]) ?? "nothing"
                features.insert(CoverageFeature(.journalStep, "\(before) to \(words[0])"))
            case .capture:
                guard words.count >= 2 else { continue }
                let before = captures.updateValue(words[0], forKey: words[1]) ?? "nothing"
                features.insert(CoverageFeature(.captureStep, "\(before) to \(words[0])"))
            case .apdu: features.insert(CoverageFeature(.exchange, exchange(words)))
            case .kernel: features.insert(CoverageFeature(.kernel, event.detail))
            case .host: features.insert(CoverageFeature(.issuer, event.detail))
            case .site:
                features.insert(CoverageFeature(.store, "\(words.first ?? "") \(words.last ?? "")"))
            case .print, .printJob:
                features.insert(CoverageFeature(.print, "\(event.kind.rawValue) \(words.first ?? "")"))
            case .disconnected, .recovering, .reconnection, .update, .diskRefused, .lowBattery:
                features.insert(CoverageFeature(.reader, InjectionPoint(event)?.words ?? event.kind.rawValue))
            default: break
            }
            if let point = InjectionPoint(event) { place = point.words }
        }
        for step in record.steps {
            features.insert(CoverageFeature(.outcome, "\(step.word) \(step.outcome ?? "done")"))
            if let code = step.errorCode { features.insert(CoverageFeature(.error, "\(step.word) \(code)")) }
        }
        return features
    }

    /// Returns the instruction byte and the status word or the failure.
    private static func exchange(_ words: [Substring]) -> String {
        let instruction = words.first?.dropFirst(2).prefix(2) ?? ""
        let answer = words.dropFirst().first ?? ""
        guard answer.utf8.allSatisfy({ $0 < UInt8(ascii: "a") }) else { return "\(instruction) \(answer)" }
        return "\(instruction) \(answer.suffix(4))"
    }
}

/// The kinds of states that an exploration counts.
public enum CoverageGroup: String, Hashable, Sendable, Codable, CaseIterable {
    /// An act and the point at which it happened: `crash at journal authorizing`.
    case faultAtPlace
    /// A transition of an attempt.
    case journalStep
    /// A transition of a payment notification to the store.
    case captureStep
    /// A step and its outcome.
    case outcome
    /// The error of a step or a payment.
    case error
    /// A phase of the kernel.
    case kernel
    /// A command to a card and its status word.
    case exchange
    /// A message to the issuer and its result.
    case issuer
    /// A request to the store and its status.
    case store
    /// A reader event or a recovery step.
    case reader
    /// The state of a print job.
    case print
}

/// Sessions that reached new states, as a base for variations. Drops the oldest when full.
struct Corpus: Sendable {
    private(set) var drafts: [SessionDraft] = []

    private static let most = 400

    mutating func add(_ draft: SessionDraft) {
        drafts.append(draft)
        if drafts.count > Self.most { drafts.removeFirst() }
    }
}
