internal import Sessions

/// One state that a session was in.
struct CoverageFeature: Hashable, Comparable, Sendable {
    var group: CoverageGroup
    var name: String

    init(_ group: CoverageGroup, _ name: String) { (self.group, self.name) = (group, name) }

    static func < (one: CoverageFeature, other: CoverageFeature) -> Bool {
        (one.group.rawValue, one.name) < (other.group.rawValue, other.name)
    }
}

extension CoverageFeature {
    /// The states that a session was in, by its events and by how its steps ended.
    static func all(in record: SessionRecord) -> Set<CoverageFeature> {
        var features: Set<CoverageFeature> = []
        var place = "the beginning"
        var attempts: [Substring: Substring] = [:]
        var captures: [Substring: Substring] = [:]
        for event in record.events {
            let words = event.detail.split(separator: " ")
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

    /// The instruction, and the status or the failure.
    private static func exchange(_ words: [Substring]) -> String {
        let instruction = words.first?.dropFirst(2).prefix(2) ?? ""
        let answer = words.dropFirst().first ?? ""
        guard answer.utf8.allSatisfy({ $0 < UInt8(ascii: "a") }) else { return "\(instruction) \(answer)" }
        return "\(instruction) \(answer.suffix(4))"
    }
}
